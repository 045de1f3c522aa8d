// SPDX-License-Identifier: BSL-1.0
#pragma once
// Explicit packing: copies the bytes of a buffer to contiguous memory, in the machine's
// representation or in the portable representation external32 (big endian, fixed sizes).

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <source_location>
#include <span>

#include "mpx/core/error.hpp"
#include "mpx/data/buffer.hpp"
#include "mpx/data/memory.hpp"
#include "mpx/data/typed_buffer.hpp"

namespace mpx::inline v0 {

namespace detail {

/// Calls use(memory) with the memory of any buffer.
template <class B, class Use>
void with_memory(B& buffer, bool received, const char* call, std::source_location where,
                 Use&& use) {
  if constexpr (LayoutBuffer<B>) {
    if (buffer.fault(received) != errc{}) buffer.raise_fault(call, received, where);
    use(buffer.borrow());
  } else {
    use(memory(bytes_of(buffer)));
  }
}
template <class B>
std::size_t bytes_in(const B& buffer) noexcept {
  if constexpr (LayoutBuffer<B>) {
    return buffer.bytes();
  } else {
    return bytes_of(buffer).size();
  }
}
[[noreturn, gnu::noinline, gnu::cold]] inline void raise_room(const char* call, std::size_t room,
                                                              std::size_t needed,
                                                              std::source_location where) {
  throw error(errc::truncate, formatted("%s: %zu bytes of room for %zu", call, room, needed),
              where);
}

/// Copies a number of `n` bytes between native byte order and big endian.
[[MPX_ALWAYS_INLINE]] inline void copy_swapped(std::byte* to, const std::byte* from,
                                               std::size_t n) noexcept {
  if constexpr (std::endian::native == std::endian::big) {
    std::memcpy(to, from, n);
  } else if (n == 8) {
    std::uint64_t x;
    std::memcpy(&x, from, 8);
    x = __builtin_bswap64(x);
    std::memcpy(to, &x, 8);
  } else if (n == 4) {
    std::uint32_t x;
    std::memcpy(&x, from, 4);
    x = __builtin_bswap32(x);
    std::memcpy(to, &x, 4);
  } else {
    for (std::size_t i = 0; i < n; ++i) to[i] = from[n - 1 - i];
  }
}
/// True if long double is the 80-bit x87 format, which external32 does not have.
inline constexpr bool has_x87 = std::numeric_limits<long double>::digits == 64;

/// Converts the 80-bit number at `from` to the 128-bit IEEE format, big endian: same exponent; the
/// fraction is left-aligned, without its leading bit.
inline void widen_x87(std::byte* to, const std::byte* from) noexcept {
  std::uint64_t fraction = 0;
  std::uint16_t high = 0;
  std::memcpy(&fraction, from, 8);
  std::memcpy(&high, from + 8, 2);
  const std::uint64_t left = fraction << 1;  // IEEE does not store the leading bit.
  for (int i = 0; i < 16; ++i) to[i] = std::byte{0};
  to[0] = static_cast<std::byte>(high >> 8);
  to[1] = static_cast<std::byte>(high);
  for (int i = 0; i < 8; ++i) to[2 + i] = static_cast<std::byte>(left >> (56 - 8 * i));
}
/// Converts a 128-bit number to 80 bits. Rounds to nearest.
inline void narrow_x87(std::byte* to, const std::byte* from) noexcept {
  std::uint64_t left = 0;
  for (int i = 0; i < 8; ++i) left = left << 8 | std::to_integer<std::uint64_t>(from[2 + i]);
  auto high = static_cast<std::uint16_t>(std::to_integer<unsigned>(from[0]) << 8 |
                                         std::to_integer<unsigned>(from[1]));
  const unsigned exponent = high & 0x7fffu;
  const bool half = (left & 1) != 0;
  std::uint64_t fraction = left >> 1 | (exponent != 0 ? std::uint64_t{1} << 63 : 0);
  bool more = false;
  for (int i = 10; i < 16; ++i) more = more || from[i] != std::byte{0};
  if (exponent == 0x7fff) {
    if ((half || more) && fraction << 1 == 0) fraction |= 1;  // NaN stays NaN.
  } else if (half && (more || (fraction & 1) != 0)) {
    if (++fraction == 0) {
      fraction = std::uint64_t{1} << 63;
      ++high;
    } else if (exponent == 0 && fraction >> 63 != 0) {
      ++high;
    }
  }
  std::memset(to, 0, sizeof(long double));
  std::memcpy(to, &fraction, 8);
  std::memcpy(to + 8, &high, 2);
}

/// Converts elements of one type to external32 (`outward`) or from it.
/// Returns:    true if all values fit.
inline bool convert(bool outward, basic_type of, std::byte* to, const std::byte* from,
                    std::int64_t count) noexcept {
  const std::size_t here = of.size;
  const std::size_t there = of.external;
  const std::size_t to_step = outward ? there : here;
  const std::size_t from_step = outward ? here : there;
  bool fit = true;
  for (std::int64_t i = 0; i < count; ++i, to += to_step, from += from_step) {
    if (of.kind == basic_kind::byte || of.size == 1) {
      std::memcpy(to, from, here);
    } else if (here != there) {  // wchar_t.
      std::uint32_t c = 0;
      if (outward) {
        std::memcpy(&c, from, here);
        fit = fit && c <= 0xffff;
        to[0] = static_cast<std::byte>(c >> 8);
        to[1] = static_cast<std::byte>(c);
      } else {
        c = std::to_integer<std::uint32_t>(from[0]) << 8 | std::to_integer<std::uint32_t>(from[1]);
        std::memcpy(to, &c, here);
      }
    } else {
      const bool pair = of.kind == basic_kind::complex;
      const std::size_t size = pair ? here / 2 : here;
      const bool wide = has_x87 && size == 16 && (pair || of.kind == basic_kind::real);
      for (std::size_t at = 0; at < here; at += size) {
        if (!wide)
          copy_swapped(to + at, from + at, size);
        else if (outward)
          widen_x87(to + at, from + at);
        else
          narrow_x87(to + at, from + at);
      }
    }
  }
  return fit;
}

/// Converts a whole buffer, piecewise through a buffer that stays in the cache.
/// Returns:    as convert.
inline bool convert_all(bool outward, const memory& m, const datatype& type, std::int64_t count,
                        std::byte* external) noexcept {
  alignas(16) std::byte piece[4096];
  std::size_t offset = 0;
  bool fit = true;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto some = [&](basic_type of, std::int64_t n) {
      while (n > 0) {
        const std::int64_t part =
            lesser(n, static_cast<std::int64_t>(sizeof piece) / std::int64_t{of.size});
        const std::span<std::byte> native(piece, static_cast<std::size_t>(part) * of.size);
        if (outward) {
          m.read(offset, native);
          fit = convert(true, of, external, piece, part) && fit;
        } else {
          convert(false, of, piece, external, part);
          m.write(offset, native);
        }
        offset += native.size();
        external += static_cast<std::size_t>(part) * of.external;
        n -= part;
      }
    };
    const elements& e = *type.description()->basics;
    if (e.how == elements::form::equal) {
      some(e.of, e.count * count);
      return fit;
    }
    for_each_basic(e, some);
  }
  return fit;
}

}  // namespace detail

/// Returns the number of bytes that `pack` writes for a buffer: mpx::buffer, a view, a range, a
/// value.
/// Errors:     errc::datatype if it reaches beyond the address space.
template <SendBuffer B>
[[nodiscard]] std::size_t pack_size(const B& buffer,
                                    std::source_location where = std::source_location::current()) {
  const std::size_t n = detail::bytes_in(buffer);
  if constexpr (LayoutBuffer<B>)
    if (n == static_cast<std::size_t>(-1)) buffer.raise_fault("pack_size", false, where);
  return n;
}
/// Copies the data of `buffer` to `out`, in the order in which it would be sent.
/// Returns:    the number of bytes copied.
/// Errors:     errc::truncate if `out` is too short; errc::datatype.
/// Source:     MPI_Pack.
template <SendBuffer B>
std::size_t pack(const B& buffer, std::span<std::byte> out,
                 std::source_location where = std::source_location::current()) {
  std::size_t n = 0;
  detail::with_memory(buffer, false, "pack", where, [&](const memory& m) {
    n = m.bytes;
    if (n <= out.size()) m.read(0, out.first(n));
  });
  if (n > out.size()) detail::raise_room("pack", out.size(), n, where);
  return n;
}
/// Copies the first bytes of `in` to `buffer`, filling it.
/// Returns:    the number of bytes of `in` used.
/// Errors:     errc::truncate if `in` is shorter than `buffer`; errc::datatype.
/// Source:     MPI_Unpack.
template <class B>
requires ReceiveBuffer<B&&>
std::size_t unpack(std::span<const std::byte> in, B&& buffer,
                   std::source_location where = std::source_location::current()) {
  std::size_t n = 0;
  detail::with_memory(buffer, true, "unpack", where, [&](const memory& m) {
    n = m.bytes;
    if (n <= in.size()) m.write(0, in.first(n));
  });
  if (n > in.size()) detail::raise_room("unpack", in.size(), n, where);
  return n;
}

/// Returns the number of bytes that `pack_external` writes.
/// Errors:     as of pack_size.
/// Source:     MPI_Pack_external_size.
template <bool Writable>
[[nodiscard]] std::size_t pack_external_size(
    const typed_buffer<Writable>& buffer,
    std::source_location where = std::source_location::current()) {
  if (!buffer.type() || buffer.count() <= 0) return 0;
  std::int64_t all = 0;
  if (__builtin_mul_overflow(buffer.count(), buffer.type().description()->basics->external, &all))
    buffer.raise_fault("pack_external_size", false, where);
  return static_cast<std::size_t>(all);
}
/// As pack, in the representation external32: big endian, IEEE floating point, long double in 128
/// bits, wchar_t in 16. (A long keeps its native size, because std::int64_t is a long and needs 8
/// bytes.)
/// Errors:     as of pack; also errc::datatype for a wchar_t that exceeds 16 bits; the contents of
///             `out` are then unspecified.
/// Source:     MPI 4.1, 14.5.2.
template <bool Writable>
std::size_t pack_external(const typed_buffer<Writable>& buffer, std::span<std::byte> out,
                          std::source_location where = std::source_location::current()) {
  const std::size_t n = pack_external_size(buffer, where);
  if (n > out.size()) detail::raise_room("pack_external", out.size(), n, where);
  bool fit = true;
  detail::with_memory(buffer, false, "pack_external", where, [&](const memory& m) {
    fit = detail::convert_all(true, m, buffer.type(), buffer.count(), out.data());
  });
  if (!fit) throw error(errc::datatype, "pack_external: a wchar_t beyond 16 bits", where);
  return n;
}
/// As unpack, from the representation external32.
inline std::size_t unpack_external(std::span<const std::byte> in, const typed_buffer<true>& buffer,
                                   std::source_location where = std::source_location::current()) {
  const std::size_t n = pack_external_size(buffer, where);
  if (n > in.size()) detail::raise_room("unpack_external", in.size(), n, where);
  detail::with_memory(buffer, true, "unpack_external", where, [&](const memory& m) {
    detail::convert_all(false, m, buffer.type(), buffer.count(), const_cast<std::byte*>(in.data()));
  });
  return n;
}

}  // namespace mpx::inline v0
