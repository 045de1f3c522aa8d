// SPDX-License-Identifier: BSL-1.0
#pragma once
// Types of the binary interface of MPICH 3 and 4, Intel MPI and others (libmpich.so.12 or libmpi.so.12).
// Handles are integers: two bits of how they are kept, four bits of kind, 26 bits of number.

#include <type_traits>

#include "tables.hpp"

namespace mpx_mpi_old {

inline constexpr char interface_name[] = "MPICH";
inline constexpr int user_error_bit = 0x4000'0000;  ///< Of codes that the program has added.

/// MPI_Status of MPICH. The lowest bit of the second member tells that the message was cancelled.
struct old_status {
  std::uint32_t count_low;
  std::uint32_t count_high_and_cancelled;
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
};
inline bool is_status(const old_status* s) noexcept {
  return reinterpret_cast<std::uintptr_t>(s) > 1;
}
inline message_size size_of(const old_status& s) noexcept {
  return {std::uint64_t{s.count_high_and_cancelled >> 1} << 32 | s.count_low,
          (s.count_high_and_cancelled & 1) != 0};
}
inline void set_size(old_status& s, message_size size) noexcept {
  s.count_low = static_cast<std::uint32_t>(size.bytes);
  s.count_high_and_cancelled =
      static_cast<std::uint32_t>(size.bytes >> 32 << 1) | (size.cancelled ? 1u : 0u);
}

extern const int fn_Comm_fromint, fn_Group_fromint, fn_Type_fromint, fn_Errhandler_fromint,
    fn_Op_fromint, fn_Info_fromint, fn_Win_fromint, fn_Request_fromint, fn_Message_fromint,
    fn_Session_fromint;

/// Kind of a handle: its four bits, and the function of libmpi_abi that finds an object by number.
template <class Handle>
struct kind;
// NOLINTBEGIN(*-macro-usage): a table
#define MPX_KIND(type, number, function)                \
  template <>                                           \
  struct kind<type> {                                   \
    static constexpr std::uint32_t bits = number;       \
    static int from_int() noexcept { return function; } \
  };
// NOLINTEND(*-macro-usage)
MPX_KIND(MPI_Comm, 1, fn_Comm_fromint)
MPX_KIND(MPI_Group, 2, fn_Group_fromint)
MPX_KIND(MPI_Datatype, 3, fn_Type_fromint)
MPX_KIND(MPI_Errhandler, 5, fn_Errhandler_fromint)
MPX_KIND(MPI_Op, 6, fn_Op_fromint)
MPX_KIND(MPI_Info, 7, fn_Info_fromint)
MPX_KIND(MPI_Win, 8, fn_Win_fromint)
MPX_KIND(MPI_Request, 11, fn_Request_fromint)
MPX_KIND(MPI_Message, 11, fn_Message_fromint)
MPX_KIND(MPI_Session, 14, fn_Session_fromint)
#undef MPX_KIND

template <class Handle>
struct old_of {
  using type = int;
};
template <>
struct old_of<MPI_File> {  // An address in both.
  using type = void*;
};
template <class Handle>
using old = typename old_of<Handle>::type;

/// MPI_MESSAGE_NULL is also MPI_REQUEST_NULL: keys of messages have one more bit.
inline constexpr std::uintptr_t message_key = std::uintptr_t{1} << 32;
/// Handles of objects that libmpi_abi has made have the highest two bits; no predefined one has. Their
/// number is that of libmpi_abi (24 bits), and above it two bits that count how often it was used.
inline constexpr std::uint32_t made_bits = 3u << 30;
inline std::uint32_t number_of(std::uintptr_t h) noexcept {  // As libmpi_abi makes handles.
  return static_cast<std::uint32_t>((h >> 12 & 0xff'ffff) | (h >> 37 & 3) << 24);
}

template <class Handle>
Handle to_new(int h) noexcept {
  const auto v = static_cast<std::uint32_t>(h);
  if ((v & made_bits) == made_bits) {
    constexpr std::uint32_t first_int = 4096;  // As MPI_Comm_toint and others number objects.
    const auto found = reinterpret_cast<std::uintptr_t>(
        at<Handle(int)>(kind<Handle>::from_int())(static_cast<int>((v & 0xff'ffff) + first_int)));
    const bool same =
        found != 0 && number_of(found) == (v & 0x3ff'ffff) && (v >> 26 & 15) == kind<Handle>::bits;
    return reinterpret_cast<Handle>(same ? found : wild);
  }
  const std::uintptr_t value =
      find_value(v | (std::is_same_v<Handle, MPI_Message> ? message_key : 0));
  return reinterpret_cast<Handle>(value != 0 ? value : wild);
}
template <class Handle>
Handle to_new(void* file) noexcept {
  return file == nullptr ? MPI_FILE_NULL : reinterpret_cast<Handle>(file);
}
template <class Handle>
old<Handle> to_old(Handle h) noexcept {
  const auto value = reinterpret_cast<std::uintptr_t>(h);
  if (value < values_max) return static_cast<int>(find_key(value));
  return static_cast<int>(made_bits | kind<Handle>::bits << 26 | number_of(value));
}
template <>
inline void* to_old<MPI_File>(MPI_File h) noexcept {
  return h == MPI_FILE_NULL ? nullptr : reinterpret_cast<void*>(h);
}

/// MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC (of MPICH 4.2), or the buffer.
template <class T>
T* buffer_to_new(T* p) noexcept {
  const auto value = reinterpret_cast<std::intptr_t>(p);
  return value == -1 ? MPI_IN_PLACE : value == -2 ? MPI_BUFFER_AUTOMATIC : p;
}
extern int unweighted[2] __asm__("MPIR_C_MPI_UNWEIGHTED") __attribute__((visibility("default")));
extern int weights_empty[2] __asm__("MPIR_C_MPI_WEIGHTS_EMPTY")
    __attribute__((visibility("default")));
/// MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY, or the array.
inline int* weights_to_new(const int* w) noexcept {
  if (w == unweighted) return MPI_UNWEIGHTED;
  if (w == weights_empty) return MPI_WEIGHTS_EMPTY;
  return const_cast<int*>(w);
}

}  // namespace mpx_mpi_old
