// SPDX-License-Identifier: BSL-1.0
#pragma once
// Statuses of MPI, of those of mpx.

#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#include <cstdint>
#include <cstring>

#include "mpx/core/status.hpp"

namespace mpx_mpi {

// MPI_Status::MPI_internal: bytes of the message in [0] and [1], and the flag of a cancel in [2].
inline void set_bytes(MPI_Status& s, std::uint64_t bytes) noexcept {
  std::memcpy(s.MPI_internal, &bytes, sizeof bytes);
}
/// Stores a status. MPI_ERROR is not changed: only calls that return MPI_ERR_IN_STATUS set it.
inline void set_status(MPI_Status* into, const mpx::status& s) noexcept {
  if (into == MPI_STATUS_IGNORE) return;
  into->MPI_SOURCE = s.source() == mpx::proc_null ? MPI_PROC_NULL : s.source();
  into->MPI_TAG = s.tag() == mpx::any_tag ? MPI_ANY_TAG : s.tag();
  std::memset(into->MPI_internal, 0, sizeof into->MPI_internal);
  set_bytes(*into, s.bytes());
  into->MPI_internal[2] = s.cancelled() ? 1 : 0;
}
/// Stores the status of no message.
inline void set_empty(MPI_Status* s) noexcept {
  if (s == MPI_STATUS_IGNORE) return;
  s->MPI_SOURCE = MPI_ANY_SOURCE;
  s->MPI_TAG = MPI_ANY_TAG;
  std::memset(s->MPI_internal, 0, sizeof s->MPI_internal);
}

}  // namespace mpx_mpi
