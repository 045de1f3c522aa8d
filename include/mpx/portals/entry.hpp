// SPDX-License-Identifier: BSL-1.0
#pragma once
// Match entries, portals and queues of events: the structures that the search for an incoming
// message walks. Used by the engine of a table, under the lock of its rank.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "mpx/core/memory.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/portals/block.hpp"

namespace mpx::inline v0::portals {

/// Failure of an entry to take a message. Source: Puma, section 1.2.
enum class failure : std::uint8_t {
  no_match,   ///< Source, bits or direction do not fit.
  no_buffer,  ///< No buffer is free, or no event fits the queue, or no reply can be started.
  too_small,  ///< The buffer is smaller than the message.
};

namespace detail {

/// Names an entry; another entry at the same index has another serial.
struct entry_name {
  std::uint32_t index = ~std::uint32_t{0};
  std::uint32_t serial = 0;
  friend bool operator==(const entry_name&, const entry_name&) = default;
};

/// Continuation of the search after a failure.
struct continuation {
  enum class to : std::uint8_t { following, nowhere, entry };
  to where = to::following;
  entry_name entry{};
};

/// Events in order, up to a stated number. Space is reserved when a message is accepted, so that no
/// event is ever lost.
class event_ring {
 public:
  /// Errors:     errc::no_resources.
  explicit event_ring(std::size_t capacity) : events_(capacity) {}

  std::size_t capacity() const noexcept { return events_.size(); }
  std::size_t size() const noexcept { return count_; }
  bool try_reserve() noexcept {
    if (count_ + reserved_ == events_.size()) return false;
    ++reserved_;
    return true;
  }
  void cancel() noexcept { --reserved_; }
  /// Adds an event for which space was reserved.
  void add(const event& e) noexcept {
    --reserved_;
    events_[(first_ + count_) % events_.size()] = e;
    ++count_;
  }
  /// Requires:   size() != 0.
  event take() noexcept {
    const event e = events_[first_];
    first_ = (first_ + 1) % events_.size();
    --count_;
    return e;
  }

  std::uint32_t users = 0;      // Entries that add to it.
  std::size_t losses_told = 0;  // Lost ranks of the table that its program knows of.
  void* waiter = nullptr;       // A request that waits for an event.

 private:
  plain_array<event> events_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  std::size_t reserved_ = 0;
};

/// Code that gets the events of an entry, run inside progress.
struct event_call {
  void (*run)(void* of, engine& by, const event& e) noexcept = nullptr;
  void* of = nullptr;
};

/// A match entry.
struct entry_state : mpx::detail::allocated {
  enum class phase : std::uint8_t { free, inactive, active };

  entry_name name{};
  phase is = phase::free;
  index portal = 0;
  match_bits bits = 0;
  match_bits ignore = 0;
  rank_t from = any_source;
  group among{};  // If `grouped`: the senders; else the ranks of the table's communicator.
  bool grouped = false;
  options how{};
  block* memory = nullptr;  // nullptr: `call` gets the data of the packet.
  event_ring* events = nullptr;
  event_call call{};
  continuation on[3];  // By failure.
  std::uint64_t label = 0;
  std::uint32_t uses = 0;       // Messages that arrive, and replies that leave.
  entry_state* next = nullptr;  // In the list of its portal, or of free entries.
  entry_state* previous = nullptr;

  bool matches(const message& m, peer_id source) const noexcept {
    if (((m.bits ^ bits) | ignore) != ignore) return false;
    if (!grouped) return from == any_source || from == m.source;
    return among.contains(source) && (from == any_source || among.rank_of(source) == from);
  }
};

/// A portal: a list of entries, or one descriptor without match bits.
struct portal_state {
  entry_state* first;
  entry_state* last;
  bool plain;  // One descriptor.

  void add(entry_state& e) noexcept {
    e.next = nullptr;
    e.previous = last;
    (last == nullptr ? first : last->next) = &e;
    last = &e;
  }
  /// Adds `e` in front of `other`.
  void add_before(entry_state& e, entry_state& other) noexcept {
    e.next = &other;
    e.previous = other.previous;
    (other.previous == nullptr ? first : other.previous->next) = &e;
    other.previous = &e;
  }
  void remove(entry_state& e) noexcept {
    (e.previous == nullptr ? first : e.previous->next) = e.next;
    (e.next == nullptr ? last : e.next->previous) = e.previous;
    e.next = e.previous = nullptr;
  }
};

}  // namespace detail
}  // namespace mpx::inline v0::portals
