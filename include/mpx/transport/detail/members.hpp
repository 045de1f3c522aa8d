// SPDX-License-Identifier: BSL-1.0
#pragma once
// Membership of a shared segment, and the links between its members. Members come and go: each
// owner of a slot has a generation number. The channels between two slots are empty before they are
// used again, because both ends of the earlier link have released them.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "mpx/core/error.hpp"
#include "mpx/core/platform.hpp"

namespace mpx::inline v0::transport::detail {

/// A slot of a segment and the generation of its owner.
struct member {
  peer_id slot = 0;
  std::uint64_t generation = 0;
};

/// Membership words in shared memory; zeroed memory has no members. The first `founders` slots
/// belong to the members that start together, which are linked with each other from the beginning.
///
/// The word of a pair tells which of the two members is linked, whether one of them has unlinked
/// (`closed`: then no member links until the other has unlinked too), whether the channels were
/// used, and whether they are being emptied. The member that unlinks last empties them.
class member_table {
 public:
  /// `base` points to `bytes(capacity)` zeroed bytes, aligned to 8.
  member_table(std::byte* base, peer_id capacity, peer_id founders) noexcept
      : slots_(reinterpret_cast<slot_word*>(base)),
        pairs_(reinterpret_cast<pair_word*>(base + capacity * sizeof(slot_word))),
        capacity_(capacity),
        founders_(founders) {}

  static constexpr std::size_t bytes(peer_id capacity) noexcept {
    const std::size_t n = capacity;
    return (n * sizeof(slot_word) + n * (n - 1) / 2 * sizeof(pair_word) + 7) / 8 * 8;
  }
  peer_id capacity() const noexcept { return capacity_; }

  /// A founder takes its slot.
  /// Requires:   no other member looks at the slot yet.
  member found(peer_id slot) noexcept {
    slots_[slot].store(1 << 1 | present_bit);
    return {slot, 1};
  }
  /// A newcomer takes a free slot. Returns nothing if there is none.
  std::optional<member> enter() noexcept {
    for (peer_id slot = 0; slot < capacity_; ++slot) {
      std::uint64_t was = slots_[slot].load();
      if ((was & present_bit) != 0 || (slot < founders_ && was == 0)) continue;
      const std::uint64_t generation = (was >> 1) + 1;
      if (slots_[slot].compare_exchange_strong(was, generation << 1 | present_bit))
        return member{slot, generation};
    }
    return std::nullopt;
  }
  /// Requires:   all links of the member have been cut.
  void leave(peer_id slot) noexcept { slots_[slot].fetch_and(~present_bit); }
  bool is_present(const member& m) const noexcept {
    return m.slot < capacity_ && slots_[m.slot].load() == (m.generation << 1 | present_bit);
  }

  /// Links `self` with `other`. The other member links on its side at a time of its choice.
  /// Errors:     errc::peer_lost if `other` has left; errc::argument if `self` is linked there
  ///             already; errc::pending if the other side has not cut an earlier link between the
  ///             two slots: call again.
  template <class Empty>
  errc link(peer_id self, const member& other, Empty&& empty) noexcept {
    if (!is_present(other)) return errc::peer_lost;
    pair_word& word = pair(self, other.slot);
    const std::uint32_t flip = flip_of(self, other.slot);
    std::uint32_t was = word.load();
    do {
      if (((was ^ flip) & linked_bit(self, other.slot)) != 0) return errc::argument;
      if (((was ^ flip) & (closed | emptying)) != 0) return errc::pending;
    } while (!word.compare_exchange_strong(was, was ^ linked_bit(self, other.slot)));
    if (is_present(other)) return errc{};
    cut(self, other.slot, true, empty);
    return errc::peer_lost;
  }
  /// The channels between the two are about to be used.
  /// Requires:   `self` is linked.
  void use(peer_id self, peer_id other) noexcept { pair(self, other).fetch_or(used); }
  /// Cuts the link of `self`, which uses the channels no more. If both sides have cut it, `empty()`
  /// zeroes the channels.
  template <class Empty>
  void unlink(peer_id self, peer_id other, Empty&& empty) noexcept {
    cut(self, other, false, empty);
  }

 private:
  using slot_word = platform::atomic<std::uint64_t>;  // generation << 1 | present
  using pair_word = platform::atomic<std::uint32_t>;

  static constexpr std::uint64_t present_bit = 1;
  static constexpr std::uint32_t closed = 4;
  static constexpr std::uint32_t used = 8;
  static constexpr std::uint32_t emptying = 16;

  static constexpr std::uint32_t linked_bit(peer_id self, peer_id other) noexcept {
    return self < other ? 1 : 2;
  }
  pair_word& pair(peer_id a, peer_id b) noexcept {
    const std::size_t low = a < b ? a : b;
    const std::size_t high = a < b ? b : a;
    return pairs_[high * (high - 1) / 2 + low];
  }
  /// Bits that are stored inverted in the word of a pair, so that a zeroed word means that two
  /// founders are linked, and that any other two members are not.
  std::uint32_t flip_of(peer_id a, peer_id b) const noexcept {
    return a < founders_ && b < founders_ ? 3 : 0;
  }

  /// Removes the link of `self`. `undo` is true if `self` has just linked and used nothing; a link
  /// of the other member stays as it is.
  template <class Empty>
  void cut(peer_id self, peer_id other, bool undo, Empty&& empty) noexcept {
    pair_word& word = pair(self, other);
    const std::uint32_t flip = flip_of(self, other);
    std::uint32_t was = word.load();
    std::uint32_t next = 0;
    do {
      next = (was ^ flip) & ~linked_bit(self, other);
      if ((next & linked_bit(other, self)) != 0) {
        if (!undo) next |= closed;
      } else {
        next = (next & used) != 0 ? emptying : 0;
      }
    } while (!word.compare_exchange_strong(was, next ^ flip));
    if (next != emptying) return;
    empty();
    word.store(flip);
  }

  slot_word* slots_;
  pair_word* pairs_;
  peer_id capacity_;
  peer_id founders_;
};

}  // namespace mpx::inline v0::transport::detail
