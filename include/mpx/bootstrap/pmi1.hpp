// SPDX-License-Identifier: BSL-1.0
#pragma once
// Joins the job of a launcher that speaks PMI-1: Hydra (MPICH's mpiexec), Slurm (srun --mpi=pmi2)
// and others.

#include "mpx/macros/begin.hpp"

#include <cstdlib>
#include <string>

#include "mpx/bootstrap/detail/client_member.hpp"
#include "mpx/bootstrap/detail/joiner_by.hpp"
#include "mpx/bootstrap/detail/pmi_connection.hpp"

namespace mpx::inline v0::bootstrap {

/// A rank of a PMI-1 job, on any number of hosts. Move-only.
///
/// All that a rank publishes between two fences is one value of the launcher's store, or several if
/// it is longer than one value may be. Fences are those of the launcher and of the whole process:
/// ranks must enter the fences of several environments in the same order. The launcher does not
/// report failed ranks; for ranks of one host `one_host<pmi1>` detects them.
class pmi1 : public detail::client_member<detail::pmi_connection> {
 public:
  /// Returns the reason for which this process cannot join by PMI-1; "" if a PMI-1 launcher started
  /// it.
  [[gnu::noinline, gnu::cold]] static std::string refusal() {
    if (std::getenv("PMI_FD") != nullptr) return "";
    return std::getenv("PMI_PORT") == nullptr
               ? "PMI_FD is not set"
               : "PMI_FD is not set (PMI_PORT is: start mpiexec without -pmi-port)";
  }

  /// Joins by the connection of this process.
  /// Errors:     errc::bootstrap.
  [[gnu::noinline, gnu::cold]] pmi1() : pmi1(detail::pmi_connection::of_process()) {}
  /// Joins by a connection that outlives this object.
  explicit pmi1(detail::pmi_connection& launcher) : client_member(launcher) {}
};

namespace detail {

inline added_joiner pmi1_is_there(joiner_by<pmi1>("pmi1", 1));  // NOLINT(*-global-variables)

}  // namespace detail

}  // namespace mpx::inline v0::bootstrap

#include "mpx/macros/end.hpp"
