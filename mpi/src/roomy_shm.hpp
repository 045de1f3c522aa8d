// SPDX-License-Identifier: BSL-1.0
#pragma once
// Shared memory with room for the windows of MPI programs.

#include <cstdint>

#include "mpx/transport/shm.hpp"

namespace mpx_mpi {

/// A rank of a host often holds the shared window of all: 16 GiB of address space for each. With 32
/// ranks that is half of what a process maps at once; pages that nobody touches take no memory.
using roomy_shm = mpx::transport::basic_shm<1024, 262144, std::uint64_t{16} << 30>;

}  // namespace mpx_mpi
