// SPDX-License-Identifier: BSL-1.0
#pragma once
// Joins a job of a launcher that speaks PMI-1: Hydra (MPICH's mpiexec), Slurm (srun --mpi=pmi2) and
// others.

#include "mpx/macros/begin.hpp"

#include <cstdlib>
#include <string>

#include "mpx/bootstrap/detail/client_member.hpp"
#include "mpx/bootstrap/detail/joiner_by.hpp"
#include "mpx/bootstrap/detail/pmi_connection.hpp"

namespace mpx::inline v0::bootstrap {

/// A rank of such a job, on any number of hosts. Move-only.
///
/// What a rank publishes between two fences is one value of the launcher's store (several, where it
/// is longer than that allows). Fences are the launcher's, and those of the whole process: ranks
/// enter fences of several environments in the same order. Of the living and the dead the launcher
/// tells nothing; ranks of one host learn that by `one_host<pmi1>`.
class pmi1 : public detail::client_member<detail::pmi_connection> {
 public:
  /// Why this process cannot join by PMI-1, in words; "" if it was started so.
  [[gnu::noinline, gnu::cold]] static std::string refusal() {
    if (std::getenv("PMI_FD") != nullptr) return "";
    return std::getenv("PMI_PORT") == nullptr
               ? "PMI_FD is not set"
               : "PMI_FD is not set (PMI_PORT is: start mpiexec without -pmi-port)";
  }

  /// Errors: errc::bootstrap.
  [[gnu::noinline, gnu::cold]] pmi1() : pmi1(detail::pmi_connection::of_process()) {}
  /// Over a connection that outlives this.
  explicit pmi1(detail::pmi_connection& launcher) : client_member(launcher) {}
};

namespace detail {

inline added_joiner pmi1_is_there(joiner_by<pmi1>("pmi1", 1));  // NOLINT(*-global-variables)

}  // namespace detail

}  // namespace mpx::inline v0::bootstrap

#include "mpx/macros/end.hpp"
