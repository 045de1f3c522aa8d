// SPDX-License-Identifier: BSL-1.0
#pragma once
// The shortest calls of ranks that meet in shared memory, where nothing stands in their way: what
// node_calls.hpp does, without what only a call needs that waits long, or fails.

#include <cstring>
#include <source_location>

#include "mpx/coll/bcast.hpp"
#include "mpx/coll/node.hpp"
#include "mpx/comm/point_to_point.hpp"

namespace mpx::inline v0::coll {

/// A handle of a communicator whose ranks meet in memory.
template <class Stack>
class quick_node : mpx::detail::point_to_point<Stack> {
  using base = mpx::detail::point_to_point<Stack>;
  using blocks_of = mpx::detail::shared_blocks<Stack>;
  static constexpr std::size_t bytes_max = 512;  // What is longer gains nothing.

 public:
  explicit quick_node(const base& on) noexcept : base(on) {}

  /// Makes the whole call, if it can be made without waiting long. Returns whether it has; if not,
  /// nothing has happened. Cost: two stores of the root beside its copy, of others a look.
  bool make(const bcast_call& call, std::source_location where) noexcept {
    this->check_exists(where);
    auto* const s = static_cast<node_state*>(this->state_->node);
    const std::size_t bytes = call.data.bytes;
    if (s == nullptr || s->crowded || bytes > bytes_max || !call.data.contiguous() ||
        call.root < 0 || call.root >= this->size_)
      return false;
    const auto serial = static_cast<tag_t>(this->state_->collective_serial & 0x7fff'ffffu);
    const unsigned i = static_cast<std::uint32_t>(serial) % node_slots;
    if (s->left != end_of(serial_before(serial)) || looks_back(serial) ||
        !blocks_of::undisturbed(*this->endpoint_))
      return false;
    node_slot& slot = s->block.slot(call.root, i);
    std::byte* const shown = s->block.data(call.root, i, bytes);
    if (this->rank_ == call.root) {
      if (!is_free(*s, i)) return false;
      copy(shown, call.data.base, bytes);
      slot.bytes.store(bytes, platform::memory_order_relaxed);
      s->used[i] = tag_of(serial, 0);
      s->readers[i] = all_ranks;
      raise_flag<Stack>(*this->endpoint_, *this->state_, *s, this->rank_, slot.flag, s->used[i]);
    } else {
      if (!is_shown(slot, tag_of(serial, 0)) ||
          slot.bytes.load(platform::memory_order_relaxed) != bytes)
        return false;
      copy(call.data.base, shown, bytes);
      s->left_by[call.root] = end_of(serial_before(serial));
    }
    s->left = end_of(serial);
    raise_flag<Stack>(*this->endpoint_, *this->state_, *s, this->rank_,
                      s->block.of(this->rank_).left, s->left);
    ++this->state_->collective_serial;
    return true;
  }

 private:
  static void copy(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
    if (bytes == sizeof(std::uint64_t))
      std::memcpy(to, from, sizeof(std::uint64_t));
    else if (bytes != 0)
      std::memcpy(to, from, bytes);
  }
  /// Whether nobody reads what this rank has shown in slot i before, as far as it knows.
  bool is_free(const node_state& s, unsigned i) const noexcept {
    const node_tag shown = s.used[i];
    if (shown == 0 || reaches(s.all_left, shown)) return true;
    for (rank_t r = 0; r < this->size_; ++r)
      if (r != this->rank_ && !reaches(s.left_by[r], shown)) return false;
    return true;
  }
  static bool is_shown(const node_slot& slot, node_tag tag) noexcept {
    for (unsigned look = 0; look < node_looks; ++look) {
      if (slot.flag.load(platform::memory_order_acquire) == tag) [[likely]]
        return true;
      platform::relax();
    }
    return false;
  }
};

}  // namespace mpx::inline v0::coll
