// SPDX-License-Identifier: BSL-1.0
#pragma once
// Adapter of layouts for collectives: gives each byte of a message an address, as if the message
// were contiguous.

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "mpx/coll/algorithms/blocks.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/data/memory.hpp"

namespace mpx::inline v0::coll {

/// A message with a layout, whose parts can be named by an address: byte n of the message is at
/// `whole().base + n`, as in a contiguous message. The addresses are never dereferenced. Reference
/// counted, because operations outlive calls.
class linear_layout final : public layout, mpx::detail::allocated {
 public:
  /// Makes one for `m`. `keeps`: it outlives the call, so it holds a reference to m's layout.
  /// Returns nullptr if memory is out.
  static const linear_layout* make(const memory& m, bool keeps) noexcept {
    const layout* const how = keeps ? m.how->keep() : m.how;
    if (how == nullptr) return nullptr;
    auto* const made = new (std::nothrow) linear_layout(m.base, how, keeps);
    if (made == nullptr && keeps) how->drop();
    return made;
  }
  /// The message, of `bytes`.
  memory whole(std::size_t bytes) const noexcept { return {origin(), bytes, this}; }

  void pack(const std::byte* at, std::size_t offset,
            std::span<std::byte> into) const noexcept override {
    how_->pack(base_, static_cast<std::size_t>(at - origin()) + offset, into);
  }
  void unpack(std::byte* at, std::size_t offset,
              std::span<const std::byte> from) const noexcept override {
    how_->unpack(base_, static_cast<std::size_t>(at - origin()) + offset, from);
  }
  const layout* keep() const noexcept override {
    references_.fetch_add(1, platform::memory_order_relaxed);
    return this;
  }
  void drop() const noexcept override {
    if (references_.fetch_sub(1, platform::memory_order_acq_rel) != 1) return;
    if (keeps_) how_->drop();
    delete this;
  }

 private:
  linear_layout(std::byte* base, const layout* how, bool keeps) noexcept
      : base_(base), how_(how), keeps_(keeps) {}
  ~linear_layout() = default;
  // The object's own address is the origin: it is unique among messages and never null.
  std::byte* origin() const noexcept {
    return reinterpret_cast<std::byte*>(const_cast<linear_layout*>(this));
  }

  std::byte* base_;
  const layout* how_;
  mutable platform::atomic<std::uint32_t> references_{1};
  bool keeps_;
};

/// The layouts of a call's buffers, kept alive as long as the call.
class call_layouts {
 public:
  call_layouts() = default;
  call_layouts(const call_layouts& other) noexcept {
    for (const layout* how : other.kept_)
      if (how != nullptr) hold(how->keep());
  }
  call_layouts& operator=(const call_layouts&) = delete;
  ~call_layouts() {
    for (const layout* how : kept_)
      if (how != nullptr) how->drop();
  }

  /// Gives linear layouts to the messages of a call, at most two; equal messages share one.
  /// `keeps`: also keeps the original layouts alive. Returns false if memory is out.
  template <class... Buffers>
  bool straighten(bool keeps, Buffers&... buffers) noexcept {
    return (straighten_one(keeps, buffers) && ...);
  }

 private:
  bool straighten_one(bool keeps, memory& m) noexcept {
    if (m.contiguous()) return true;
    if (m.how == given_.how && m.base == given_.base) {
      m = made_->whole(m.bytes);
      return true;
    }
    const linear_layout* const made = linear_layout::make(m, keeps);
    if (made == nullptr) return false;
    given_ = m;
    made_ = made;
    m = made->whole(m.bytes);
    return hold(made);
  }
  bool straighten_one(bool keeps, blocks& b) noexcept {
    if (b.how == nullptr) return true;
    if (b.together) {
      memory m{b.base, b.room, b.how};
      if (!straighten_one(keeps, m)) return false;
      b.base = m.base;
      b.how = m.how;
    } else if (keeps) {
      b.how = b.how->keep();
      return b.how != nullptr && hold(b.how);
    }
    return true;
  }
  template <class Blocks>
  requires requires(Blocks& b) { b.all.how; }
  bool straighten_one(bool keeps, Blocks& b) noexcept {
    return straighten_one(keeps, b.all);
  }
  bool hold(const layout* how) noexcept {
    kept_[n_++] = how;
    return true;
  }

  const layout* kept_[2] = {};
  std::size_t n_ = 0;
  memory given_{};
  const linear_layout* made_ = nullptr;  // For `given_`.
};

/// Calls `use(buffers...)` with the buffers of a call that may have a layout.
template <class Call, class Use>
auto with_places(Call& c, Use&& use) {
  if constexpr (requires { c.data; }) {
    return use(c.data);
  } else {
    return use(c.in, c.out);
  }
}

}  // namespace mpx::inline v0::coll
