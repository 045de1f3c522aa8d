// SPDX-License-Identifier: BSL-1.0
#pragma once
// The portals of a communicator's collectives at one rank: a table, the heap of messages whose
// receive is not posted, and the match bits of messages.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <vector>

#include "mpx/coll/call.hpp"
#include "mpx/portals/table.hpp"

namespace mpx::inline v0::portals {

/// Limits of collectives on portals.
struct collective_limits {
  /// Longest message that is kept whole if its receive is not posted, in bytes.
  std::size_t short_bytes_max = 4096;
  /// Bytes of the heap of such messages; at least 4 times as long as the longest one.
  std::size_t heap_bytes = 1024 * 1024;
};

namespace detail {

/// A table with its entries. At portal `messages`, entries of posted receives stand before two that
/// take all other messages, short ones and long ones. Notes are messages without data.
///
/// Match bits of a message: 1 bit of type (long), 31 bits of the call's serial number, and 32 bits
/// that count the messages from this sender to this receiver in that call. So calls that overlap,
/// such as fan-ins in a row, and messages of one round are kept apart.
/// Source:     Puma, section 3.1 and figure 8; section 3.3 about fan-ins.
template <class Stack>
class collective_portals {
 public:
  static constexpr index messages = 0, reads = 1, misfits = 2, failures = 3, readies = 4;
  static constexpr index streams = 5;
  static constexpr match_bits long_bit = match_bits{1} << 63;
  static constexpr std::uint64_t misfit_label = 2, failure_label = 3;
  static constexpr std::uint64_t ready_label = 4, stream_label = 5;
  static constexpr std::uint64_t first_label = 8;
  static constexpr std::size_t spare = 64;  // Messages of a round beside one to each rank.

  /// Collective: makes a table of its own.
  collective_portals(const communicator<Stack>& comm, const collective_limits& limits,
                     std::source_location where)
      : barrier_(std::in_place, comm, call_site{"portals::collectives", where}),
        most(limits),
        room(room_for(comm)),
        ports(comm, limits_for(comm.size()), where),
        e(comm.endpoint_for_reports()),
        heap(limits.heap_bytes),
        notes(slots(room), independent_block::order::circular),
        queue(ports, 4 * room) {
    add_entries();
    barrier_->begins();
    comm.barrier(mpx::detail::throws_t{}, where);  // All ranks have their entries.
  }
  struct at_comm {};
  /// With a table that takes packets of the communicator itself. Not collective: other ranks must
  /// not use theirs until this rank has it.
  collective_portals(const communicator<Stack>& comm, const collective_limits& limits, at_comm,
                     std::source_location where)
      : most(limits),
        room(room_for(comm)),
        ports(comm, limits_for(comm.size()), typename table<Stack>::at_comm{}, where),
        e(comm.endpoint_for_reports()),
        heap(limits.heap_bytes),
        notes(slots(room), independent_block::order::circular),
        queue(ports, 4 * room) {
    add_entries();
  }
  collective_portals(const collective_portals&) = delete;
  collective_portals& operator=(const collective_portals&) = delete;

  rank_t rank() const noexcept { return ports.rank(); }
  rank_t size() const noexcept { return ports.size(); }
  /// Match bits of the next message of this call to a rank, or from it.
  match_bits next_to(rank_t r) noexcept { return next(sent_, r); }
  match_bits next_from(rank_t r) noexcept { return next(got_, r); }
  /// True if a message is of a call before this one.
  bool is_before(match_bits bits) const noexcept {
    const auto serial_of = static_cast<std::uint32_t>(bits >> 32) & 0x7fff'ffffu;
    return ((serial_of - serial) & 0x7fff'ffffu) >= 0x4000'0000u;
  }
  /// True if the channel to a rank has taken all packets, or the rank is lost. Requires the lock.
  bool has_left_locked(rank_t r) noexcept {
    return ports.state_->waiting(r) == 0 || ports.state_->run.failure_of(r) != errc{};
  }
  /// Forgets messages of calls before this one. Nothing but a failure leaves some.
  void forget_old() noexcept {
    const auto is_old = [this](const message& m) { return is_before(m.bits); };
    while (ports.take_if(heap, is_old)) {
    }
  }

 private:
  /// Number of messages between a pair in a call.
  struct counter {
    std::uint32_t serial = 0;
    std::uint32_t count = 0;
  };

  static portals::limits limits_for(rank_t ranks) noexcept {
    const auto n = static_cast<std::uint32_t>(ranks);
    return {.portals = 6, .entries = 4 * (n + 64), .operations = 4 * (n + 64), .replies = n + 64};
  }
  static std::vector<std::span<std::byte>> slots(std::size_t n) {
    return std::vector<std::span<std::byte>>(n);
  }
  static std::size_t room_for(const communicator<Stack>& comm) noexcept {
    return static_cast<std::size_t>(comm.size()) + spare;
  }
  match_bits next(std::vector<counter>& all, rank_t r) noexcept {
    counter& c = all[static_cast<std::size_t>(r)];
    if (c.serial != serial) c = {serial, 0};
    return match_bits{serial & 0x7fff'ffffu} << 32 | c.count++;
  }
  void add_entries() {
    const auto n = static_cast<std::size_t>(size());
    sent_.resize(n);
    got_.resize(n);
    const options headers{.keep = saves::header};
    const onward following = onward::following();
    shorts = ports.append(messages, {.bits = 0, .ignore = ~long_bit}, heap,
                          {.how = {.keep = saves::both}});
    longs_ = ports.append(messages, {.bits = long_bit, .ignore = ~long_bit}, heap,
                          {.how = {.keep = saves::header}});
    const auto note = [&](index portal, std::uint64_t label) {
      return ports.append(portal, {.ignore = ~match_bits{0}}, notes,
                          {.how = headers, .no_buffer = following, .label = label}, queue);
    };
    misfit = note(misfits, misfit_label);
    failure_ = note(failures, failure_label);
    ready_ = note(readies, ready_label);
  }

  std::optional<mpx::detail::second_call<Stack>> barrier_;

 public:
  collective_limits most;
  std::size_t room;  // Messages to other ranks, and from them, in one round.
  table<Stack> ports;
  mpx::detail::endpoint<Stack>& e;
  dynamic_block heap;
  independent_block notes;
  events<Stack> queue;  // Of receives, pulls and notes: none is lost.
  entry<Stack> shorts, misfit;
  std::uint32_t serial = 0;  // Of this call.

 private:
  entry<Stack> longs_, failure_, ready_;
  std::vector<counter> sent_;
  std::vector<counter> got_;
};

}  // namespace detail
}  // namespace mpx::inline v0::portals
