// SPDX-License-Identifier: BSL-1.0
#pragma once
// The one-sided protocols at the origin; that by portals is in rma/portals.hpp. See window for how
// they are combined.

#include <cstring>
#include <new>
#include <span>
#include <string_view>

#include "mpx/core/sanitizer.hpp"
#include "mpx/rma/card_atomics.hpp"
#include "mpx/rma/target.hpp"

namespace mpx::inline v0::detail {

/// Loads, stores and atomic instructions on the target's memory, which is mapped here.
template <class Stack>
struct direct_protocol {
  static constexpr std::string_view name = "direct";
  static constexpr rma::protocol is = rma::protocol::direct;
  static constexpr bool queues = false;
  window_data<Stack>& w;

  bool takes(const rma_target& t, const rma::transfer&) const noexcept { return t.base != nullptr; }
  bool start(rma_target& t, rma::transfer& x) noexcept {
    const std::size_t element = x.type->bytes;
    x.what == rma::action::get ? t.note_load() : t.note_store();
    if (x.what == rma::action::swap) {
      x.type->swap(t.base + x.at, x.data.base, x.data.base + element, x.result.base, t.locks,
                   static_cast<std::uint32_t>(w.rank));
    } else {
      for (std::size_t n = 0; x.begun < x.bytes; x.advance(n))
        one_run(t, x, t.base + x.place(), n = x.left_there(x.bytes), element);
    }
    x.drop();
    return true;
  }
  bool push(rma_target&) noexcept { return true; }
  bool settled(const rma_target&) const noexcept { return true; }
  bool placed(const rma_target&) const noexcept { return true; }
  void lost(rma_target&) noexcept {}

 private:
  void one_run(rma_target& t, const rma::transfer& x, std::byte* there, std::size_t n,
               std::size_t element) noexcept {
    switch (x.what) {
      case rma::action::put: return x.data.read(x.begun, {there, n});
      case rma::action::get: return x.data.write(x.begun, {there, n});
      default: return combine(t, x, there, x.begun + n, element);
    }
  }
  /// Combines the bytes from x.begun to `end`; `there`: address of the byte x.begun.
  void combine(rma_target& t, const rma::transfer& x, std::byte* there, std::size_t end,
               std::size_t element) noexcept {
    const auto op = static_cast<rma::combine>(x.op);
    const auto who = static_cast<std::uint32_t>(w.rank);
    std::byte piece[1024];
    std::byte was[sizeof piece];
    const bool flat = x.data.contiguous() && x.result.contiguous();
    const std::size_t most = flat ? end : sizeof piece / element * element;
    for (std::size_t at = x.begun; at < end; at += most) {
      const std::size_t n = lesser(most, end - at);
      const std::byte* given = nullptr;
      if (!x.data.contiguous()) {
        x.data.read(at, {piece, n});
        given = piece;
      } else if (x.data.base != nullptr) {
        given = x.data.base + at;
      }
      std::byte* previous = nullptr;
      if (x.result.exists()) previous = x.result.contiguous() ? x.result.base + at : was;
      x.type->apply(op, there + (at - x.begun), given, previous, n / element, t.locks, who);
      if (previous == was) x.result.write(at, {was, n});
    }
  }
};

/// Records coalesced into packets. The target's service carries them out in the order in which they
/// were started, and anything sent later after them.
template <class Stack>
struct buffered_protocol {
  static constexpr std::string_view name = "buffered";
  static constexpr rma::protocol is = rma::protocol::buffered;
  static constexpr bool queues = true;
  window_data<Stack>& w;

  bool takes(const rma_target&, const rma::transfer&) const noexcept { return true; }
  bool start(rma_target& t, rma::transfer& x) noexcept { return write(t, x); }
  bool push(rma_target& t) noexcept { return w.send_packet(t); }
  bool settled(const rma_target& t) const noexcept { return t.used == 0 && t.replies == 0; }
  bool placed(const rma_target& t) const noexcept { return t.unacknowledged == 0; }
  void lost(rma_target& t) noexcept { t.used = 0; }

  /// Appends the rest of `x` to the buffered records.
  /// Returns:    false if a full packet cannot be sent yet, or too many replies are due.
  bool write(rma_target& t, rma::transfer& x) noexcept {
    if (t.failure == errc::peer_lost || t.failure == errc::window) return dropped(x);
    if (t.combining != 0 && x.what > rma::action::get) return false;  // They keep their order.
    t.stir();
    if (t.packet == nullptr) {
      t.packet = static_cast<std::byte*>(platform::allocate(t.room));
      if (t.packet == nullptr) {
        t.failure = errc::no_resources;
        return dropped(x);
      }
    }
    return x.what == rma::action::get ? ask(t, x) : give(t, x);
  }

 private:
  using kind = rma::record_kind;

  static bool dropped(rma::transfer& x) noexcept {
    x.drop();
    return true;
  }
  /// Makes room for a record with `data` bytes. Sends the packet for that only if the target is
  /// open.
  bool make_room(rma_target& t, std::size_t data) noexcept {
    if (t.used + sizeof(rma::record) + data <= t.room) return true;
    return t.open && w.send_packet(t);
  }
  std::byte* put_record(rma_target& t, const rma::record& r, std::size_t data) noexcept {
    std::byte* const here = t.packet + t.used;
    t.last = t.used;
    t.next = r.kind == kind::put && data % 8 == 0 ? r.at + data : rma_target::no_put;
    std::memcpy(here, &r, sizeof r);
    const std::size_t n = rma::padded(data);
    if (n != data) std::memset(here + sizeof r + n - 8, 0, 8);
    t.used += sizeof r + n;
    ++t.sent;
    return here + sizeof r;
  }
  /// A get takes one reply slot, and one record for each packet of the reply.
  bool ask(rma_target& t, rma::transfer& x) noexcept {
    const std::size_t most = t.room - sizeof(rma::record);
    while (x.begun < x.bytes) {
      const std::size_t n = lesser(most / 8 * 8, x.left_there(x.bytes));
      if (t.reply_bytes > w.reply_bytes_max && t.open && t.used != 0 && !w.send_packet(t))
        return false;
      if (!make_room(t, 0)) return false;
      if (x.token == 0) {
        // The part moved by the transport before it refused has arrived already.
        const std::size_t left = x.bytes - x.begun;
        const memory into = x.begun == 0 ? x.data : memory(x.data.base + x.begun, left);
        const std::uint32_t slot = w.take_reply(t, into, left, x.waiter);
        if (slot == w.none) {
          t.failure = errc::no_resources;
          return dropped(x);
        }
        x.token = w.token_of(slot);
        x.data.how = nullptr;  // Owned by the reply slot from now on.
      }
      put_record(t,
                 {.kind = kind::get,
                  .bytes = static_cast<std::uint32_t>(n),
                  .at = x.place(),
                  .token = x.token},
                 0);
      x.advance(n);
    }
    return true;
  }
  /// Extends the last record: a put that starts where the last put ended needs no record of its
  /// own.
  static bool extends_last(rma_target& t, const rma::transfer& x) noexcept {
    if (x.what != rma::action::put || x.runs != nullptr || x.begun != 0 || x.bytes % 8 != 0 ||
        !t.continues(x.at, x.bytes))
      return false;
    x.data.read(0, {t.lengthen(x.bytes), x.bytes});
    return true;
  }
  bool give(rma_target& t, rma::transfer& x) noexcept {
    if (extends_last(t, x)) {
      if (x.data.how != nullptr) x.data.how->drop();
      return true;
    }
    const bool swaps = x.what == rma::action::swap;
    const bool fetches = x.what == rma::action::fetch;
    const std::size_t element = x.type->bytes;
    const bool combines = x.what != rma::action::put;
    const bool given = x.data.exists();
    const std::size_t total = swaps ? 2 * element : x.bytes;
    const std::size_t unit = x.what == rma::action::put ? 8 : element;
    while (x.begun < total) {
      const std::size_t most = swaps ? total : (t.room - sizeof(rma::record) - 8) / unit * unit;
      std::size_t n = lesser(most, x.left_there(total));
      if (x.what == rma::action::put && t.used + sizeof(rma::record) + rma::padded(n) > t.room) {
        // Fill up the packet if the remaining room is worth a record.
        const std::size_t left = t.room - lesser(t.room, t.used + sizeof(rma::record));
        if (left / 8 * 8 >= least_piece && left / 8 * 8 < n) n = left / 8 * 8;
      }
      if (!make_room(t, given ? rma::padded(n) : 0)) return false;
      if (!swaps && !fetches) {
        ++t.unacknowledged;
        if (x.what == rma::action::accumulate) t.combined_until = t.acks_requested + 1;
      } else if (x.begun == 0) {
        const std::size_t back = swaps ? element : total;
        const std::uint32_t slot = w.take_reply(t, x.result, back, x.waiter);
        if (slot == w.none) {
          t.failure = errc::no_resources;
          return dropped(x);
        }
        x.token = w.token_of(slot);
        x.result.how = nullptr;  // Owned by the reply slot from now on.
      }
      const kind k = swaps                               ? kind::swap
                     : fetches                           ? kind::fetch
                     : x.what == rma::action::accumulate ? kind::accumulate
                                                         : kind::put;
      std::byte* const here = put_record(t,
                                         {.kind = k,
                                          .op = x.op,
                                          .element = combines ? x.type->number : std::uint16_t{0},
                                          .bytes = static_cast<std::uint32_t>(n),
                                          .at = swaps ? x.at : x.place(),
                                          .token = x.token},
                                         given ? n : 0);
      if (given) x.data.read(x.begun, {here, n});
      x.advance(n);
    }
    if (x.data.how != nullptr) x.data.how->drop();
    return true;
  }
  static constexpr std::size_t least_piece = 256;
};

/// The same records, each in a packet of its own, sent once a flush or the end of the epoch asks
/// for them.
template <class Stack>
struct send_recv_protocol {
  static constexpr std::string_view name = "send_recv";
  static constexpr rma::protocol is = rma::protocol::send_recv;
  static constexpr bool queues = true;
  window_data<Stack>& w;

  bool takes(const rma_target&, const rma::transfer&) const noexcept { return true; }
  bool start(rma_target& t, rma::transfer& x) noexcept {
    rma_queued q{x, nullptr};
    t.stir();
    if (x.runs != nullptr) x.runs->keep();
    const std::size_t n = x.what == rma::action::swap ? 2 * x.type->bytes : x.bytes;
    const bool copies = x.what != rma::action::get && x.data.exists() && n <= rma::copied_bytes_max;
    if (copies) {
      q.copy = static_cast<std::byte*>(platform::allocate(n));
      if (q.copy != nullptr) x.data.read(0, {q.copy, n});
    }
    if ((copies && q.copy == nullptr) || !t.queue.try_push_back(q)) {
      q.let_go();
      x.drop();
      t.failure = errc::no_resources;
      return true;
    }
    if (copies) {
      if (x.data.how != nullptr) x.data.how->drop();
      t.queue.end()[-1].what.data = {q.copy, n};
    }
    return true;
  }
  bool push(rma_target& t) noexcept {
    buffered_protocol<Stack> writer{w};
    if (!writer.push(t)) return false;
    std::size_t sent = 0;
    while (sent < t.queue.size() && writer.write(t, t.queue[sent].what) && writer.push(t)) {
      t.queue[sent].let_go();
      ++sent;
    }
    // An access that is written but whose packet cannot leave must not be written again.
    if (sent < t.queue.size() && is_written(t.queue[sent].what)) {
      t.queue[sent].let_go();
      ++sent;
    }
    const bool all = sent == t.queue.size();
    std::size_t at = 0;
    t.queue.erase_if([&](const rma_queued&) { return at++ < sent; });
    return all && t.used == 0;
  }
  bool settled(const rma_target& t) const noexcept {
    return t.queue.empty() && t.used == 0 && t.replies == 0;
  }
  bool placed(const rma_target& t) const noexcept { return t.unacknowledged == 0; }
  void lost(rma_target& t) noexcept {
    for (rma_queued& q : t.queue) {
      q.what.drop();
      q.let_go();
    }
    t.queue.clear();
  }
  /// Drops queued accesses that use the program's memory. If a part of an access has been sent, its
  /// results are discarded instead.
  void forsake(rma_target& t) noexcept {
    t.queue.erase_if([&](rma_queued& q) {
      if (q.copy != nullptr && !q.what.result.exists()) return false;
      t.note_dropped_data();
      if (q.what.begun != 0 && q.what.what != rma::action::put &&
          (q.copy != nullptr || q.what.what == rma::action::get)) {
        if (q.copy == nullptr) dropped(q.what);
        q.what.result = {};  // A part has been asked for: the reply slot owns its layout.
        return false;
      }
      if (q.what.begun != 0 && q.what.what == rma::action::fetch) unask(t, q.what);
      if (q.copy == nullptr) dropped(q.what);
      q.what.drop();
      q.let_go();
      return true;
    });
  }

 private:
  static void dropped(rma::transfer& x) noexcept {
    if (x.data.how != nullptr) x.data.how->drop();
    x.data = {};
  }
  /// Reduces the reply slot by the part that has not been requested.
  void unask(rma_target& t, const rma::transfer& x) noexcept {
    rma_reply* const due = w.find_reply(x.token, t.rank);
    if (due == nullptr) return;
    due->left -= x.bytes - x.begun;
    t.reply_bytes -= x.bytes - x.begun;
    if (due->left == 0) w.end_reply(*due, errc{});
  }
  bool is_written(const rma::transfer& x) const noexcept {
    return x.begun == (x.what == rma::action::swap ? 2 * x.type->bytes : x.bytes);
  }
};

/// The transport's get and put, one call for each contiguous run, and its atomic accesses. A put
/// that has ended is placed: it needs no acknowledgement.
template <class Stack>
struct rdma_protocol {
  using os = one_sided<Stack>;
  static constexpr std::string_view name = "rdma";
  static constexpr rma::protocol is = rma::protocol::rdma;
  static constexpr bool queues = false;
  window_data<Stack>& w;

  bool takes(const rma_target& t, const rma::transfer& x) const noexcept {
    // A request may be dropped while the transport writes to its buffer: such a get uses another
    // protocol.
    if (x.what > rma::action::get) return card_atomics<Stack>{w}.takes(x);
    return t.remote.key != 0 && x.data.contiguous() &&
           (os::moves_at_once(w.e, t.peer) || x.waiter == nullptr);
  }
  enum class run : std::uint8_t {
    begun,
    later,    ///< Retry after an operation in progress has completed.
    refused,  ///< The remainder goes by packets.
  };
  bool start(rma_target& t, rma::transfer& x) noexcept {
    if (x.what > rma::action::get) return combine(t, x);
    const run went = try_start(t, x);
    return went == run::refused ? buffered_protocol<Stack>{w}.start(t, x) : went == run::begun;
  }
  run try_start(rma_target& t, rma::transfer& x) noexcept {
    run went = run::begun;
    while (went == run::begun && x.begun < x.bytes) went = start_run(t, x, x.left_there(x.bytes));
    return went;
  }
  bool push(rma_target&) noexcept { return true; }
  bool settled(const rma_target& t) const noexcept { return t.moves == 0; }
  bool placed(const rma_target& t) const noexcept { return t.unacknowledged == 0; }
  void lost(rma_target&) noexcept {}

 private:
  /// True if the data of `x` may be a temporary.
  bool copies(const rma_target& t, const rma::transfer& x) const noexcept {
    return x.what == rma::action::put && x.bytes <= rma::copied_bytes_max &&
           !os::moves_at_once(w.e, t.peer);
  }
  bool combine(rma_target& t, rma::transfer& x) noexcept {
    using run_of = typename card_atomics<Stack>::run;
    const run_of went = card_atomics<Stack>{w}.start(t, x);
    return went == run_of::refused ? buffered_protocol<Stack>{w}.start(t, x)
                                   : went == run_of::begun;
  }
  run start_run(rma_target& t, rma::transfer& x, [[maybe_unused]] std::size_t n) noexcept {
    // An earlier access was refused, or a part of this one goes by packets.
    if (t.remote.key == 0 || x.token != 0) return run::refused;
    if constexpr (os::has_rdma) {
      auto* const m = new (std::nothrow) rma_move<Stack>(w, t);
      std::byte* from = x.data.base + x.begun;
      if (m != nullptr && copies(t, x)) from = m->keep(std::span<const std::byte>(from, n));
      if (m != nullptr && from != nullptr) m->op = os::take_locked(w.e, t.peer, *m);
      if (m == nullptr || m->op == nullptr) {
        delete m;
        return t.moves != 0 ? run::later : run::refused;
      }
      // Copies this run only: the access's list of runs may be destroyed first.
      m->what.what = x.what;
      m->what.at = x.place();
      m->what.bytes = n;
      m->what.data = memory(from, n);
      m->what.type = x.type;
      auto& transport = w.e.transport();
      const cookie_t cookie = os::cookie(*m->op);
      const std::span<std::byte> piece(from, n);
      const auto at = static_cast<std::size_t>(x.place());
      if (x.what == rma::action::put)
        check_readable(piece.data(), n);
      else
        check_writable(piece.data(), n);
      const outcome o = x.what == rma::action::put
                            ? transport.put(t.peer, t.remote, at, piece, cookie)
                            : transport.get(t.peer, t.remote, at, piece, cookie);
      t.stir();
      if (o == outcome::pending) {
        ++t.moves;
      } else {
        os::give_locked(w.e, *m->op);
        delete m;
      }
      if (o == outcome::retry) return run::later;
      if (o == outcome::refused) {
        t.remote.key = 0;
        return run::refused;
      }
      if (x.what == rma::action::put) {
        t.moved = true;
        t.note_store();
      }
      x.advance(n);
    }
    return run::begun;
  }
};

}  // namespace mpx::inline v0::detail
