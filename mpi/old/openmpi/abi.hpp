// SPDX-License-Identifier: BSL-1.0
#pragma once
// Types of the binary interface of Open MPI 2 to 4 (libmpi.so.40). Handles are addresses of objects;
// those that the program got from a call are the same in the standard ABI.

#include "tables.hpp"

namespace mpx_mpi_old {

inline constexpr char interface_name[] = "Open MPI";
inline constexpr int user_error_bit = 0;  ///< Of codes that the program has added.

/// MPI_Status of Open MPI.
struct old_status {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int cancelled;
  std::size_t bytes;
};
inline bool is_status(const old_status* s) noexcept { return s != nullptr; }
inline message_size size_of(const old_status& s) noexcept { return {s.bytes, s.cancelled != 0}; }
inline void set_size(old_status& s, message_size size) noexcept {
  s.bytes = size.bytes;
  s.cancelled = size.cancelled ? 1 : 0;
}

template <class Handle>
using old = void*;

/// Handles of libmpi_abi have a number in their lowest four bits; objects are aligned.
template <class Handle>
Handle to_new(void* h) noexcept {
  const auto key = reinterpret_cast<std::uintptr_t>(h);
  if ((key & 15) != 0) return reinterpret_cast<Handle>(h);
  const std::uintptr_t value = find_value(key);
  return reinterpret_cast<Handle>(value != 0 ? value : key);
}
template <class Handle>
void* to_old(Handle h) noexcept {
  const auto value = reinterpret_cast<std::uintptr_t>(h);
  const std::uintptr_t key = value < values_max ? find_key(value) : value;
  return reinterpret_cast<void*>(key != 0 ? key : value);
}

/// MPI_IN_PLACE has the same value.
template <class T>
T* buffer_to_new(T* p) noexcept {
  return p;
}
/// MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY, or the array.
inline int* weights_to_new(const int* w) noexcept {
  if (reinterpret_cast<std::uintptr_t>(w) == 2) return MPI_UNWEIGHTED;
  if (reinterpret_cast<std::uintptr_t>(w) == 3) return MPI_WEIGHTS_EMPTY;
  return const_cast<int*>(w);
}

}  // namespace mpx_mpi_old
