// SPDX-License-Identifier: BSL-1.0
#pragma once
// The door to the functions of mpi-ext.h, which the library does not export.

#include <string>

namespace mpx_mpi {

/// The address of the table of functions, in hexadecimal digits; mpi-ext.h reads it.
[[nodiscard]] std::string address_of_extensions();

}  // namespace mpx_mpi
