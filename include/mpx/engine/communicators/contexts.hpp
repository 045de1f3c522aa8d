// SPDX-License-Identifier: BSL-1.0
#pragma once
// Context ids of communicators: leader, serial and generation. A leader assigns them without
// communication.

#include <cstdint>
#include <new>
#include <utility>

#include "mpx/core/exchange.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/types.hpp"
#include "mpx/engine/base/calls.hpp"

namespace mpx::inline v0::detail {

/// Layout of the bits of a context, from the lowest: 1 for collectives; the serial among the
/// communicators of its leader; a generation; the leader's world rank; 1, the highest, for messages
/// of the library within a communicator that belong to no call of the program.
///
/// `bits`: 32, or the bits that a stack's checks leave. With 32 bits and up to 16,384 ranks a rank
/// leads 8,191 communicators at once, and a context is reused after at least 8 others of its
/// serial, once all ranks that have had one of these have confirmed that they have forgotten them.
/// Serial 0 is reserved for the world.
class context_numbers {
 public:
  context_numbers(rank_t job_size, unsigned bits) noexcept
      : own_bit_(context_id{1} << (bits - 1)),
        leader_bits_(static_cast<unsigned>(
            bits_of(static_cast<std::uint32_t>(job_size > 1 ? job_size - 1 : 0)))) {
    const unsigned rest = bits - 2 > leader_bits_ ? bits - 2 - leader_bits_ : 0;
    serial_bits_ = rest > 3 ? rest - 3 : rest;
    if (serial_bits_ > serial_bits_max) serial_bits_ = serial_bits_max;
    generation_bits_ = rest - serial_bits_;
  }

  /// The bit of messages of the library.
  context_id own_bit() const noexcept { return own_bit_; }
  /// True for messages of agreements, which continue in a revoked communicator: the library's bit
  /// and the lowest bit are set.
  bool is_of_agreements(context_id c) const noexcept { return (c & own_bit_) != 0 && (c & 1) != 0; }
  /// Returns the context for point-to-point messages of the same communicator.
  context_id plain(context_id c) const noexcept { return c & (own_bit_ - 2); }

  std::uint32_t serial_max() const noexcept { return (1u << serial_bits_) - 1; }
  std::uint32_t generation_mask() const noexcept { return (1u << generation_bits_) - 1; }
  context_id make(peer_id leader, std::uint32_t serial, std::uint32_t generation) const noexcept {
    const std::uint64_t upper = std::uint64_t{leader} << generation_bits_ | generation;
    return static_cast<context_id>((upper << serial_bits_ | serial) << 1);
  }
  peer_id leader_of(context_id c) const noexcept {
    return static_cast<peer_id>(std::uint64_t{plain(c)} >> (1 + serial_bits_ + generation_bits_));
  }
  std::uint32_t serial_of(context_id c) const noexcept { return c >> 1 & serial_max(); }
  std::uint32_t generation_of(context_id c) const noexcept {
    return static_cast<std::uint32_t>(std::uint64_t{plain(c)} >> (1 + serial_bits_)) &
           generation_mask();
  }
  /// True if both have the same leader and serial: at most one of them is in use.
  bool same_place(context_id a, context_id b) const noexcept { return place(a) == place(b); }
  /// Returns the context with the same leader and serial and generation 0.
  context_id place(context_id c) const noexcept { return c & place_mask(); }
  context_id place_mask() const noexcept {
    return (own_bit_ - 2) & ~(generation_mask() << (1 + serial_bits_));
  }
  /// True if `a` was assigned after `b`, which has the same place. Generations wrap around.
  bool is_later(context_id a, context_id b) const noexcept {
    const std::uint32_t ahead = (generation_of(a) - generation_of(b)) & generation_mask();
    return ahead != 0 && ahead <= generation_mask() / 2;
  }

 private:
  static constexpr unsigned serial_bits_max = 13;
  context_id own_bit_;
  unsigned leader_bits_;
  unsigned serial_bits_ = 0;
  unsigned generation_bits_ = 0;
};

/// Hash table of the places (leader and serial) of which this rank has met a context. A place
/// stays, because its contexts are reused.
class known_places {
 public:
  struct entry {
    context_id place = no_context;
    context_id last = no_context;         // The last context of the place met by this rank.
    communicator_state* state = nullptr;  // nullptr: freed here, or never made here.
  };

  /// Returns nullptr if there is no entry.
  const entry* find(context_id place) const noexcept {
    if (entries_.empty()) return nullptr;
    const entry& e = entries_[index_of(place)];
    return e.place == place ? &e : nullptr;
  }
  entry* find(context_id place) noexcept {
    return const_cast<entry*>(static_cast<const known_places*>(this)->find(place));
  }
  /// Finds or makes the entry of `place`. Returns nullptr if memory is exhausted. Invalidates
  /// entries found before.
  entry* add(context_id place) noexcept {
    if (2 * (count_ + 1) > entries_.size() && !grow()) return find(place);
    entry& e = entries_[index_of(place)];
    count_ += e.place != place;
    e.place = place;
    return &e;
  }
  std::size_t size() const noexcept { return count_; }

 private:
  /// Index of the entry of `place`, or of the vacant one for it.
  /// Requires: some entries are vacant.
  std::size_t index_of(context_id place) const noexcept {
    const std::size_t mask = entries_.size() - 1;
    const std::uint64_t hash = std::uint64_t{place} * 0x9e37'79b9'7f4a'7c15u;
    std::size_t i = static_cast<std::size_t>(hash >> 32) & mask;
    while (entries_[i].place != place && entries_[i].place != no_context) i = (i + 1) & mask;
    return i;
  }
  bool grow() noexcept {
    plain_array<entry> old;
    if (!old.try_extend(entries_.empty() ? 8 : 2 * entries_.size())) return false;
    std::swap(old, entries_);
    for (const entry& e : old)
      if (e.place != no_context) entries_[index_of(e.place)] = e;
    return true;
  }

  plain_array<entry> entries_;  // A power of two; at most half of them are used.
  std::size_t count_ = 0;
};

/// A communicator that this rank leads, from the assignment of its context until every member has
/// freed it or is lost.
struct led_communicator : allocated {
  std::uint32_t serial = 0;
  std::uint32_t generation = 0;
  bool taken = false;
  bool freed_here = false;      // By this rank, not yet by all others.
  rank_t size = 0;              // 0: not made here yet.
  kept_group* ranks = nullptr;  // nullptr: ranks are peers.
  plain_array<peer_id> freed;   // Members that have freed it.
  plain_array<peer_id> asked;   // Ranks that have yet to forget its contexts.
  bool waits_for_them = false;  // Else it is taken or free.
  led_communicator* next_free = nullptr;

  /// Removes `peer` from `asked`. Returns false if it is not there.
  bool takes_answer(peer_id peer) noexcept {
    for (std::size_t i = 0; i < asked.size(); ++i)
      if (asked[i] == peer) return asked.erase(i), true;
    return false;
  }
};

/// A set of peers: one bit for each, up to the highest.
class peer_set : public allocated {
 public:
  std::size_t size() const noexcept { return size_; }
  /// Returns false if memory is exhausted.
  bool add(peer_id p) noexcept {
    if (!bits_.try_extend(p / 64 + 1)) return false;
    const std::uint64_t bit = std::uint64_t{1} << p % 64;
    size_ += (bits_[p / 64] & bit) == 0;
    bits_[p / 64] |= bit;
    return true;
  }
  template <class F>
  void for_each(F&& f) const {
    for (peer_id p = 0; p < 64 * bits_.size(); ++p)
      if ((bits_[p / 64] >> p % 64 & 1) != 0) f(p);
  }

 private:
  plain_array<std::uint64_t> bits_;
  std::size_t size_ = 0;
};

/// The serials of a leader. A recycled serial is reused after some others, so that its generations
/// last longer. After its generations have wrapped around it is reused once all ranks have
/// forgotten them, or if no other serial is left.
class led_communicators {
 public:
  explicit led_communicators(const context_numbers& numbers) noexcept : numbers_(numbers) {}

  /// Returns nullptr if all serials are in use, or memory is exhausted.
  led_communicator* take() noexcept {
    const bool all = full();
    led_communicator* led = nullptr;
    if (free_count_ > (all ? 0 : reused_after)) {
      led = detail::exchange(first_free_, first_free_->next_free);
      --free_count_;
    } else if (!all) {
      led = all_.try_add(new (std::nothrow) led_communicator());
      if (led != nullptr) led->serial = static_cast<std::uint32_t>(all_.size());
    } else {
      for (std::size_t i = 0; led == nullptr && i < all_.size(); ++i)
        if (detail::exchange(all_[i]->waits_for_them, false)) led = all_[i];
    }
    if (led != nullptr) led->taken = true;
    return led;
  }
  /// True if all serials have been assigned at least once.
  bool full() const noexcept { return all_.size() == numbers_.serial_max(); }
  /// Returns the entry with the serial of `context`, whatever its generation; else nullptr.
  led_communicator* find_serial(context_id context) const noexcept {
    const std::uint32_t serial = numbers_.serial_of(context);
    return serial == 0 || serial > all_.size() ? nullptr : all_[serial - 1];
  }
  /// Returns the communicator that `context` names; nullptr if there is none any more.
  led_communicator* find(context_id context) const noexcept {
    led_communicator* const led = find_serial(context);
    const bool is_it =
        led != nullptr && led->taken && led->generation == numbers_.generation_of(context);
    return is_it ? led : nullptr;
  }
  /// Advances the generation. Returns true if it has wrapped around.
  bool retire(led_communicator& led) noexcept {
    led.taken = led.freed_here = false;
    led.generation = (led.generation + 1) & numbers_.generation_mask();
    led.size = 0;
    led.ranks = nullptr;
    led.freed = {};
    return led.generation == 0;
  }
  /// Puts the serial into the list of free ones.
  void give(led_communicator& led) noexcept {
    led.waits_for_them = false;
    led.next_free = nullptr;
    (free_count_++ == 0 ? first_free_ : last_free_->next_free) = &led;
    last_free_ = &led;
  }
  template <class F>
  void for_each(F&& f) {
    for (std::size_t i = 0; i < all_.size(); ++i) f(*all_[i]);
  }

 private:
  static constexpr std::size_t reused_after = 32;
  const context_numbers& numbers_;
  owning_table<led_communicator> all_;
  led_communicator* first_free_ = nullptr;  // In the order in which they were recycled.
  led_communicator* last_free_ = nullptr;
  std::size_t free_count_ = 0;
};

}  // namespace mpx::inline v0::detail
