// SPDX-License-Identifier: BSL-1.0
#pragma once
// Where a message's bytes lie in a program's memory: one piece, or as a layout says. Everything
// above a transport reads and writes message data through this, so that layouts come in here.

#include <cstddef>
#include <cstring>
#include <span>

#include "mpx/config.hpp"

namespace mpx::inline v0 {

/// How the bytes of a message are spread over memory. A message of n bytes is a sequence of bytes 0
/// .. n - 1; a layout says where each lies, counted from a base.
class layout {
 public:
  /// Copies bytes offset .. offset + into.size() - 1 of the message at `base` to `into`.
  virtual void pack(const std::byte* base, std::size_t offset,
                    std::span<std::byte> into) const noexcept = 0;
  /// Copies `from` to where bytes offset .. of the message at `base` belong.
  virtual void unpack(std::byte* base, std::size_t offset,
                      std::span<const std::byte> from) const noexcept = 0;
  /// A layout as this one that stays until `drop` is called on it, once; nullptr: memory is out.
  /// By default the owner of this one sees to that.
  virtual const layout* keep() const noexcept { return this; }
  /// An operation, or who kept it, is through with this layout.
  virtual void drop() const noexcept {}

 protected:
  layout() = default;
  layout(const layout&) = default;             ///< Who copies one is its class.
  layout& operator=(const layout&) = default;  ///< The same.
  ~layout() = default;
};

/// A message's place: `bytes` of data from `base`, in one piece if there is no layout. Owns
/// nothing. (What only is sent is not written to, whatever the pointer's type.)
struct memory {
  std::byte* base = nullptr;    ///< Where it begins, or what a layout counts from.
  std::size_t bytes = 0;        ///< Of data.
  const layout* how = nullptr;  ///< nullptr: in one piece.

  constexpr memory() = default;
  /// The members, in their order.
  constexpr memory(std::byte* b, std::size_t n, const layout* l = nullptr) noexcept
      : base(b), bytes(n), how(l) {}
  /// One piece.
  constexpr memory(std::span<std::byte> piece) noexcept  // NOLINT(*-explicit-*)
      : base(piece.data()), bytes(piece.size()) {}
  /// One piece that is only sent.
  memory(std::span<const std::byte> piece) noexcept  // NOLINT(*-explicit-*)
      : base(const_cast<std::byte*>(piece.data())), bytes(piece.size()) {}

  /// Whether it is in one piece.
  constexpr bool contiguous() const noexcept { return how == nullptr; }
  /// There is some; displacements of a layout may count from address 0.
  constexpr bool exists() const noexcept { return base != nullptr || how != nullptr; }
  /// `n` bytes from `offset` on. Requires: contiguous(); offset + n <= bytes.
  constexpr std::span<std::byte> piece(std::size_t offset, std::size_t n) const noexcept {
    return {base + offset, n};
  }
  /// Copies `from` to where the message's bytes from `offset` on belong.
  /// Requires: offset + from.size() <= bytes.
  [[MPX_ALWAYS_INLINE]] void write(std::size_t offset,
                                   std::span<const std::byte> from) const noexcept {
    if (how != nullptr) [[unlikely]]
      return how->unpack(base, offset, from);
    if (!from.empty()) std::memcpy(base + offset, from.data(), from.size());
  }
  /// Copies the message's bytes from `offset` on to `into`. Requires: as many are there.
  void read(std::size_t offset, std::span<std::byte> into) const noexcept {
    if (how != nullptr) [[unlikely]]
      return how->pack(base, offset, into);
    if (!into.empty()) std::memcpy(into.data(), base + offset, into.size());
  }
};

}  // namespace mpx::inline v0
