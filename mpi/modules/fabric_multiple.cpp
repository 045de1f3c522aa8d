// SPDX-License-Identifier: BSL-1.0
// The stack `fabric` for any number of threads.
#include "fabric.hpp"

namespace mpx_mpi {
std::unique_ptr<job_port> join_fabric_multiple() {
  return join_job<fabric_of<mpx::threading::multiple>>();
}
}  // namespace mpx_mpi
