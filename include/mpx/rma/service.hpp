// SPDX-License-Identifier: BSL-1.0
#pragma once
// The target's side of windows: carries out arriving records in any call that makes progress, and
// collects the replies.

#include <bit>
#include <cstring>
#include <span>
#include <utility>

#include "mpx/engine/communicators/exposed_windows.hpp"
#include "mpx/rma/card_locks.hpp"
#include "mpx/rma/portals.hpp"
#include "mpx/rma/target.hpp"
#include "mpx/rma/waits.hpp"

namespace mpx::inline v0::detail {

/// Carries out accesses of other ranks to this rank's part of a window. All functions require the
/// endpoint's lock.
template <class Stack>
struct exposed_side {
  using data = window_data<Stack>;
  using os = one_sided<Stack>;
  using kind = rma::record_kind;

  /// True if `n` bytes at `at` belong to one attached region, or to several adjacent ones.
  static bool is_attached(const data& w, std::uint64_t at, std::uint64_t n) noexcept {
    for (;;) {
      bool within = false;
      std::uint64_t reach = 0;  // Attached bytes from `at` on.
      for (const rma_piece& p : w.pieces)
        if (at >= p.at && at - p.at <= p.bytes) {
          within = true;
          reach = greater(reach, p.bytes - (at - p.at));
        }
      if (within && n <= reach) return true;
      if (reach == 0) return false;
      at += reach;
      n -= reach;
    }
  }
  /// Returns the address of `n` bytes at `at`; nullptr if they are out of range or not aligned to
  /// `alignment`.
  static std::byte* locate(const data& w, std::uint64_t at, std::uint64_t n,
                           std::size_t alignment) noexcept {
    if (w.dynamic) {
      if (at % alignment != 0 || !is_attached(w, at, n)) return nullptr;
      return reinterpret_cast<std::byte*>(at);
    }
    if (at > w.bytes || n > w.bytes - at || at % alignment != 0) return nullptr;
    return w.base + at;
  }

  /// Handles all records of a packet.
  /// Errors:     errc::protocol for malformed records.
  static errc receive(data& w, rank_t from, std::span<const std::byte> rest) noexcept {
    constexpr auto no_op = static_cast<std::uint8_t>(rma::combine::no_op);
    errc why{};
    while (!rest.empty() && why == errc{}) {
      rma::record r;
      if (rest.size() < sizeof r) return errc::protocol;
      std::memcpy(&r, rest.data(), sizeof r);
      rest = rest.subspan(sizeof r);
      std::span<const std::byte> given;
      if (r.has_data(no_op)) {
        if (rest.size() < rma::padded(r.bytes)) return errc::protocol;
        given = rest.first(r.bytes);
        rest = rest.subspan(rma::padded(r.bytes));
      }
      if (r.counted()) ++w.received;
      why = r.counted() ? carry_out(w, from, r, given) : note(w, from, r, given);
    }
    send_out(w, w.targets[from]);
    return why;
  }

  /// Grants lock requests as far as possible, in their order.
  static void grant(data& w) noexcept {
    grant_passing(w);
    while (!w.requests.empty()) {
      rma_request& at = w.requests[0];
      // A failed rank would never release the lock.
      if (os::gone_locked(w.e, w.peer_of(at.rank))) {
        withdraw(w, at.rank);
        continue;
      }
      if (!w.control->lock.try_lock(at.exclusive, at.rank, at.waits)) {
        // Only the first request excludes new readers: those behind it wait for it as well.
        if (at.exclusive && !std::exchange(at.waits, true)) w.control->lock.want();
        deny(w);
        // A failed reader may just have been removed.
        if (w.requests.empty() || w.control->lock.refuses(w.requests[0].exclusive, false)) return;
        continue;
      }
      const rma_request first = at;
      w.requests.erase(0);
      give(w, first);
    }
  }
  /// Denies all requests if a failed rank holds the lock.
  static void deny(data& w) noexcept {
    if (os::fast_path_allowed(w.e)) return;
    const rank_t holder = dead_holder(w, *w.control);
    if (holder == proc_null) return;
    while (!w.requests.empty()) {
      const rank_t asks = w.requests[0].rank;
      withdraw(w, asks);
      w.tell(w.targets[asks], kind::denied, 0, static_cast<std::uint64_t>(holder));
    }
  }
  /// Returns a failed rank that holds the lock; proc_null: none. Removes other failed ranks from
  /// the lock's words.
  static rank_t dead_holder(data& w, rma::control_block& c) noexcept {
    for (rank_t r = 0; r < w.size; ++r)
      if (os::failure_locked(w.e, w.peer_of(r)) != errc{} && rma::held_by_dead(c, r, w.size))
        return r;
    return proc_null;
  }
  /// Grants readers that hold other locks: they do not wait behind writers.
  static void grant_passing(data& w) noexcept {
    for (std::size_t i = 0; i < w.requests.size();) {
      const rma_request q = w.requests[i];
      if (!q.passes || !w.control->lock.try_lock(false, q.rank, false, true)) {
        ++i;
        continue;
      }
      w.requests.erase(i);
      give(w, q);
    }
  }
  static void give(data& w, const rma_request& q) noexcept {
    w.count_queued();
    w.held[static_cast<std::size_t>(q.rank)] = q.exclusive ? 2 : 1;
    w.tell(w.targets[q.rank], kind::granted);
  }
  /// Releases a lock granted to `r` by a packet.
  static void release(data& w, rank_t r) noexcept {
    std::uint8_t& held = w.held[static_cast<std::size_t>(r)];
    if (held == 0) return;
    w.control->lock.unlock(held == 2);
    held = 0;
    wake_sleepers(w, *w.control);
    grant(w);
  }
  /// Undoes what atomic accesses of `r` did to the lock.
  /// Errors:     errc::protocol if they cannot have done that.
  static errc undo(data& w, rank_t r, rma::undone_by_card what) noexcept {
    if (w.card_locks == nullptr || w.held[static_cast<std::size_t>(r)] != 0) return errc::protocol;
    rma::lock_word& lock = w.control->lock;
    if (what == rma::undone_by_card::writer) {
      if (lock.holder() != r) return errc::protocol;
      lock.unlock(true);
    } else {
      // (Whoever finds the part marked takes the reader out of the word, once.)
      const bool was =
          w.control->of(r, w.size).part.exchange(rma::lock_part::none) != rma::lock_part::none;
      if (what == rma::undone_by_card::reader) {
        if (!was || !lock.has_readers()) return errc::protocol;
        lock.unlock(false);
      }
    }
    w.control->sleeping_with(r).fetch_and(~rma::control_block::bit_of(r));
    grant(w);
    wake_sleepers(w, *w.control);
    return errc{};
  }
  /// Bit of this rank among those of `first` and the 63 ranks behind it; 0: none.
  static std::uint64_t own_bit(const data& w, rank_t first) noexcept {
    return w.rank / 64 == first / 64 ? rma::control_block::bit_of(w.rank) : 0;
  }
  /// Wakes the ranks that sleep until the lock word is free.
  static void wake_sleepers(data& w, rma::control_block& c) noexcept {
    if (!os::has_blocks && w.card_locks == nullptr) return;
    for (rank_t first = 0; first < w.size; first += 64) {
      auto& bits = c.sleeping_with(first);
      // A rank that is woken by a record sets its bit again; this rank's own means requests.
      std::uint64_t mask = w.card_locks == nullptr ? bits.load(platform::memory_order_seq_cst)
                                                   : bits.fetch_and(own_bit(w, first));
      for (; mask != 0; mask &= mask - 1) {
        const rank_t r = first + static_cast<rank_t>(std::countr_zero(mask));
        if (r >= w.size) continue;
        if (w.card_locks == nullptr) {
          os::wake_locked(w.e, w.peer_of(r));
        } else if (r != w.rank) {
          w.wake_from(w.rank, r);
        }
      }
    }
  }
  /// Removes the ungranted requests of `r`.
  static void withdraw(data& w, rank_t r) noexcept {
    for (std::size_t i = w.requests.size(); i-- > 0;) {
      if (w.requests[i].rank != r) continue;
      if (w.requests[i].waits) w.control->lock.give_up();
      w.requests.erase(i);
    }
    w.count_queued();
  }
  /// Handles the loss of a peer: replies due from it fail; its lock is released unless it was a
  /// writer.
  static void lose(data& w, rank_t r) noexcept {
    withdraw(w, r);
    if (w.held[static_cast<std::size_t>(r)] == 1) release(w, r);
    rma_target& t = w.targets[r];
    if (t.has_not_failed()) t.failure = errc::peer_lost;
    t.acks_due = 0;
    t.used = 0;
    w.end_all_replies(r, errc::peer_lost);
    if (w.by_portals != nullptr) w.by_portals->lose(r, errc::peer_lost);
    grant(w);
  }

 private:
  static void send_out(data& w, rma_target& t) noexcept {
    if (w.out_used != 0) os::send_locked(w.e, t.peer, w.context, {w.out, w.out_used});
    w.out_used = 0;
  }
  /// Reserves a reply record of `n` bytes to that origin.
  /// Returns:    nullptr if it exceeds a packet, or n == 0.
  static std::byte* reply(data& w, rma_target& t, std::uint64_t token, std::size_t n) noexcept {
    const std::size_t need = sizeof(rma::record) + rma::padded(n);
    if (need > t.room || n == 0) return nullptr;
    if (w.out_used + need > t.room) send_out(w, t);
    const rma::record r{
        .kind = kind::reply, .bytes = static_cast<std::uint32_t>(n), .token = token};
    std::byte* const here = w.out + w.out_used;
    std::memcpy(here, &r, sizeof r);
    std::memset(here + need - 8, 0, 8);  // Padding.
    w.out_used += need;
    return here + sizeof r;
  }
  static void refuse(data& w, rma_target& t, errc why, const rma::record& r) noexcept {
    send_out(w, t);
    const bool answers = r.kind == kind::get || r.kind == kind::fetch || r.kind == kind::swap;
    w.tell(t, kind::refused, static_cast<std::uint8_t>(why), r.at, answers ? r.token : 0);
  }

  /// Returns the type of a record's elements; nullptr: there is none of that number.
  static const rma::element_type* type_of(const data& w, const rma::record& r,
                                          bool has_elements) noexcept {
    if (r.element == 0) return w.type;
    return has_elements && w.numbered != nullptr ? w.numbered(r.element) : nullptr;
  }
  static errc carry_out(data& w, rank_t from, const rma::record& r,
                        std::span<const std::byte> given) noexcept {
    rma_target& t = w.targets[from];
    if (r.kind == kind::mark) return r.element == 0 ? errc{} : errc::protocol;
    const bool swaps = r.kind == kind::swap;
    const bool combines = r.kind == kind::accumulate || r.kind == kind::fetch;
    const rma::element_type* const type = type_of(w, r, combines || swaps);
    if (type == nullptr) return errc::protocol;
    const std::size_t element = type->bytes;
    if (swaps && (r.bytes != 2 * element || (r.element != 0 && !type->is_word)))
      return errc::protocol;
    const auto op = static_cast<rma::combine>(r.op);
    if (combines && (r.bytes % element != 0 ||
                     r.op >= static_cast<unsigned>(rma::combine::count_) || !type->has(op)))
      return errc::protocol;
    const std::uint64_t reach = swaps      ? element
                                : combines ? std::uint64_t{r.bytes} / element * type->reach
                                           : r.bytes;
    std::byte* const there = locate(w, r.at, reach, combines || swaps ? type->alignment : 1);
    if (there == nullptr) {
      refuse(w, t, errc::rma_range, r);
      return errc{};
    }
    const auto who = static_cast<std::uint32_t>(w.rank);
    switch (r.kind) {
      case kind::put:
        if (!given.empty()) std::memcpy(there, given.data(), given.size());
        return errc{};
      case kind::accumulate:
        type->apply(op, there, given.data(), nullptr, r.bytes / element, w.locks, who);
        return errc{};
      default: break;
    }
    std::byte* const back = reply(w, t, r.token, swaps ? element : std::size_t{r.bytes});
    if (back == nullptr) return errc::protocol;
    if (r.kind == kind::get) {
      if (r.bytes != 0) std::memcpy(back, there, r.bytes);
    } else if (r.kind == kind::fetch) {
      type->apply(op, there, given.empty() ? nullptr : given.data(), back, r.bytes / element,
                  w.locks, who);
    } else {
      type->swap(there, given.data(), given.data() + element, back, w.locks, who);
    }
    return errc{};
  }

  static errc note(data& w, rank_t from, const rma::record& r,
                   std::span<const std::byte> given) noexcept {
    rma_target& t = w.targets[from];
    if (r.element != 0) return errc::protocol;
    switch (r.kind) {
      case kind::reply: {
        rma_reply* const slot = w.find_reply(r.token, from);
        if (slot == nullptr) return errc{};  // The access has failed meanwhile.
        if (given.size() > slot->left) return errc::protocol;
        if (slot->into.exists()) slot->into.write(slot->bytes - slot->left, given);
        slot->left -= given.size();
        w.targets[from].reply_bytes -= given.size();
        if (slot->left == 0) w.end_reply(*slot, errc{});
        return errc{};
      }
      case kind::lock:
        if (w.held[static_cast<std::size_t>(from)] != 0) return errc::protocol;
        for (const rma_request& q : w.requests)
          if (q.rank == from) return errc::protocol;
        if (!w.requests.try_push_back({from, r.op == 1, false, r.op == 2}))
          return errc::no_resources;
        w.count_queued();
        grant(w);
        return errc{};
      case kind::granted: t.lock_granted = true; return errc{};
      case kind::denied:
        if (r.at >= static_cast<std::uint64_t>(w.size)) return errc::protocol;
        t.denied_by = static_cast<rank_t>(r.at);
        return errc{};
      case kind::unlock:
        if (r.op > static_cast<unsigned>(rma::undone_by_card::writer)) return errc::protocol;
        if (r.op > 1) return undo(w, from, static_cast<rma::undone_by_card>(r.op));
        [[fallthrough]];
      case kind::flush:
        if (r.kind == kind::flush || r.op == 1) {
          send_out(w, t);
          w.tell(t, kind::answered);
        }
        if (r.kind == kind::unlock) {
          withdraw(w, from);
          release(w, from);
        }
        return errc{};
      case kind::answered:
        if (t.acks_due == 0) return errc::protocol;
        --t.acks_due;
        return errc{};
      case kind::post: ++t.posts; return errc{};
      case kind::complete: ++t.completes; return errc{};
      case kind::nudge:
        if (r.at == 0) {
          grant(w);
        } else if (w.card_locks != nullptr && r.at <= static_cast<std::uint64_t>(w.size)) {
          w.card_locks[r.at - 1].wake();
        } else {
          return errc::protocol;
        }
        return errc{};
      case kind::left:
        if (r.token > static_cast<std::uint64_t>(w.size)) return errc::protocol;
        w.leave(from, r.at, r.token == 0 ? from : static_cast<rank_t>(r.token - 1));
        return errc{};
      case kind::refused: {
        const auto why = static_cast<errc>(r.op);
        if (t.has_not_failed() || (why == errc::window && t.failure != errc::peer_lost)) {
          t.failure = why;
          t.failed_at = r.at;
        }
        if (t.failure == errc::window) {
          t.acks_due = 0;
          w.end_all_replies(from, errc::window);
          if (w.by_portals != nullptr) w.by_portals->lose(from, errc::window);
        }
        if (rma_reply* const slot = r.token != 0 ? w.find_reply(r.token, from) : nullptr;
            slot != nullptr)
          w.end_reply(*slot, static_cast<errc>(r.op));
        return errc{};
      }
      default: return errc::protocol;
    }
  }
};

template <class Stack>
errc window_data<Stack>::on_records(peer_id source, std::span<const std::byte> records) noexcept {
  const rank_t from = rank_of(source);
  if (from < 0 || from >= size) return errc::protocol;
  if (portals::detail::is_of_portals(records)) {
    if (least_room <= portals::detail::begin_bytes) return errc::protocol;
    window_portals<Stack>* const by = portals_of(*this);
    return by == nullptr ? errc::no_resources : by->on_packet(from, records);
  }
  return exposed_side<Stack>::receive(*this, from, records);
}
template <class Stack>
void window_data<Stack>::on_loss(peer_id peer) noexcept {
  const rank_t r = rank_of(peer);
  if (r >= 0 && r < size) exposed_side<Stack>::lose(*this, r);
}
template <class Stack>
void window_data<Stack>::explain(hang_info& info) noexcept {
  explain_window(*this, info);
}

}  // namespace mpx::inline v0::detail
