// SPDX-License-Identifier: BSL-1.0
#pragma once
// Location of a message's bytes in a program's memory: contiguous, or described by a layout. All
// code above a transport reads and writes message data through this header.

#include <cstddef>
#include <cstring>
#include <span>

#include "mpx/config.hpp"

namespace mpx::inline v0 {

/// Arrangement of a message's bytes in memory. A message of n bytes is a sequence of bytes 0 .. n -
/// 1; a layout gives the location of each, relative to a base.
class layout {
 public:
  /// Copies the bytes offset .. offset + into.size() - 1 of the message at `base` to `into`.
  virtual void pack(const std::byte* base, std::size_t offset,
                    std::span<std::byte> into) const noexcept = 0;
  /// Copies `from` to the bytes from `offset` on of the message at `base`.
  virtual void unpack(std::byte* base, std::size_t offset,
                      std::span<const std::byte> from) const noexcept = 0;
  /// Returns an equal layout that stays valid until `drop` is called on it, once; nullptr if memory
  /// is exhausted. By default the owner of this layout guarantees that.
  [[nodiscard]] virtual const layout* keep() const noexcept { return this; }
  /// Ends the use of a layout returned by `keep` or lent to an operation.
  virtual void drop() const noexcept {}

 protected:
  layout() = default;
  layout(const layout&) = default;             ///< Only derived classes copy.
  layout& operator=(const layout&) = default;  ///< Only derived classes assign.
  ~layout() = default;
};

/// Memory of a message: `bytes` of data from `base` on, contiguous if there is no layout. Owns
/// nothing. (Memory that is only sent is not written, despite the pointer's type.)
struct memory {
  std::byte* base = nullptr;    ///< First byte, or base of the layout.
  std::size_t bytes = 0;        ///< Length of the data.
  const layout* how = nullptr;  ///< Layout; nullptr: contiguous.

  constexpr memory() = default;
  /// Initialises the members in order.
  constexpr memory(std::byte* b, std::size_t n, const layout* l = nullptr) noexcept
      : base(b), bytes(n), how(l) {}
  /// Contiguous memory.
  constexpr memory(std::span<std::byte> piece) noexcept  // NOLINT(*-explicit-*)
      : base(piece.data()), bytes(piece.size()) {}
  /// Contiguous memory that is only sent.
  memory(std::span<const std::byte> piece) noexcept  // NOLINT(*-explicit-*)
      : base(const_cast<std::byte*>(piece.data())), bytes(piece.size()) {}

  /// True if it is contiguous.
  [[nodiscard]] constexpr bool contiguous() const noexcept { return how == nullptr; }
  /// True if there is memory. A layout may have base 0, with displacements that are addresses.
  [[nodiscard]] constexpr bool exists() const noexcept { return base != nullptr || how != nullptr; }
  /// Returns `n` bytes from `offset` on.
  /// Requires:   contiguous(); offset + n <= bytes.
  [[nodiscard]] constexpr std::span<std::byte> piece(std::size_t offset,
                                                     std::size_t n) const noexcept {
    return {base + offset, n};
  }
  /// Copies `from` to the message's bytes from `offset` on.
  /// Requires:   offset + from.size() <= bytes.
  [[MPX_ALWAYS_INLINE]] void write(std::size_t offset,
                                   std::span<const std::byte> from) const noexcept {
    if (how != nullptr) [[unlikely]]
      return how->unpack(base, offset, from);
    if (!from.empty()) std::memcpy(base + offset, from.data(), from.size());
  }
  /// Copies the message's bytes from `offset` on to `into`.
  /// Requires:   offset + into.size() <= bytes.
  void read(std::size_t offset, std::span<std::byte> into) const noexcept {
    if (how != nullptr) [[unlikely]]
      return how->pack(base, offset, into);
    if (!into.empty()) std::memcpy(into.data(), base + offset, into.size());
  }
};

}  // namespace mpx::inline v0
