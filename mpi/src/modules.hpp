// SPDX-License-Identifier: BSL-1.0
#pragma once
// Stacks in modules: shared libraries that are loaded if a program asks for their stack, since they
// need another library. The MPI library and its modules are built together.

#include <span>
#include <string_view>

#include "port.hpp"

namespace mpx_mpi {

/// The object `mpx_mpi_module` that a module exports.
struct module_table {
  const char* version;  ///< MPX_VERSION_STRING. Others have other ports.
  std::span<const stack_entry> stacks;
};

/// True if a stack of this name is in a module.
[[nodiscard]] bool is_module(std::string_view name) noexcept;
/// Loads a module, which stays loaded until the process ends.
/// Returns:    its stacks.
/// Errors:     a failure of MPI_ERR_OTHER: the module, or a library that it needs, is not there; it
///             is another version's.
[[nodiscard]] std::span<const stack_entry> module_stacks(std::string_view name);

}  // namespace mpx_mpi
