// SPDX-License-Identifier: BSL-1.0
// The stacks that the library is built with, the default one first.
#include <array>

#include "port.hpp"

namespace mpx_mpi {

std::unique_ptr<job_port> join_cluster();
std::unique_ptr<job_port> join_cluster_multiple();
#ifdef MPX_MPI_WITH_TCP
std::unique_ptr<job_port> join_tcp();
std::unique_ptr<job_port> join_tcp_multiple();
#endif

std::span<const stack_entry> built_stacks() noexcept {
  static constexpr std::array all = {
      stack_entry{"shm+tcp", false, join_cluster},
      stack_entry{"shm+tcp", true, join_cluster_multiple},
#ifdef MPX_MPI_WITH_TCP
      stack_entry{"tcp", false, join_tcp},
      stack_entry{"tcp", true, join_tcp_multiple},
#endif
  };
  return all;
}

}  // namespace mpx_mpi
