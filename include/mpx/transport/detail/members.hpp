// SPDX-License-Identifier: BSL-1.0
#pragma once
// Who is in a shared segment, and which two of its members are linked. Members come and go: a slot
// has a number for each of its owners, and the channels between two slots are empty before anybody
// uses them again, because both ends of the link before have let go of them.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "mpx/core/error.hpp"
#include "mpx/core/platform.hpp"

namespace mpx::inline v0::transport::detail {

/// A place in a segment, and which of its owners is meant.
struct member {
  peer_id slot = 0;
  std::uint64_t generation = 0;
};

/// Words in shared memory; zeroed memory has no members. Of a segment's slots the first `founders`
/// belong to those who start together, and are linked with each other from the beginning.
///
/// A pair's word says which of the two is linked, whether one of them has let go (`closed`: then
/// nobody links before the other has too), whether the channels were used, and whether they are
/// being emptied. Who lets go last empties them.
class member_table {
 public:
  /// `base`: zeroed, `bytes(capacity)` of it, aligned to 8.
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

  /// A founder takes its slot. Before anybody else looks at it.
  member found(peer_id slot) noexcept {
    slots_[slot].store(1 << 1 | present_bit);
    return {slot, 1};
  }
  /// A newcomer takes a free slot; nothing if there is none.
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
  /// Requires: all its links have been cut.
  void leave(peer_id slot) noexcept { slots_[slot].fetch_and(~present_bit); }
  bool is_present(const member& m) const noexcept {
    return m.slot < capacity_ && slots_[m.slot].load() == (m.generation << 1 | present_bit);
  }

  /// Links `self` with `other`; the other does so too when it likes.
  /// Errors: errc::peer_lost: it has left; errc::argument: `self` is linked there; errc::pending:
  /// the other side of an earlier link between the two slots has not cut it yet: ask again.
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
  /// The channels between the two are about to be used. Requires: `self` is linked.
  void use(peer_id self, peer_id other) noexcept { pair(self, other).fetch_or(used); }
  /// Cuts a link of `self`, who uses the channels no more; `empty()` makes zeroed memory of them.
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
  /// Two founders are linked where the word is zero.
  std::uint32_t flip_of(peer_id a, peer_id b) const noexcept {
    return a < founders_ && b < founders_ ? 3 : 0;
  }

  /// `undo`: `self` has just linked, and used nothing: a link of the other's stays as it is.
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
