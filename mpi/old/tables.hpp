// SPDX-License-Identifier: BSL-1.0
#pragma once
// Tables of a library that translates another MPI's binary interface: functions of libmpi_abi, and
// predefined handles of both. translate.cpp fills them before the program starts.

#include <cstddef>
#include <cstdint>

#include "mpi.h"

namespace mpx_mpi_old {

/// A predefined object: a key of the old handle, never 0, and the standard ABI's value.
struct predefined {
  std::uintptr_t key;
  std::uint16_t value;
};
inline constexpr std::size_t values_max = 0x300;  ///< Above all predefined values.
/// MPI_LB and MPI_UB, which the standard ABI does not have. Only Type_create_struct knows them.
inline constexpr std::uint16_t lb_value = 0x2fe;
inline constexpr std::uint16_t ub_value = 0x2ff;

/// Returns the standard value of an old handle's key, or the other way round; 0 if there is none.
std::uintptr_t find_value(std::uintptr_t key) noexcept;
std::uintptr_t find_key(std::uintptr_t value) noexcept;

/// Functions of libmpi_abi, by their numbers in the generated list.
extern void* our[];
template <class Function>
Function* at(int number) noexcept {
  return reinterpret_cast<Function*>(our[number]);
}

inline constexpr std::uintptr_t wild = 0xfff;  ///< No handle of the standard ABI.
/// Content of a status that programs do not see.
struct message_size {
  std::uint64_t bytes;
  bool cancelled;
};

}  // namespace mpx_mpi_old
