// SPDX-License-Identifier: BSL-1.0
#pragma once
// Moves of the transport in progress for a window, and the accumulates, fetches and swaps of one
// element that its atomic accesses carry out without the target.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "mpx/core/atomic_access.hpp"
#include "mpx/rma/target.hpp"

namespace mpx::inline v0::detail {

/// A get, put or atomic access of the transport in progress.
template <class Stack>
struct rma_move final : completion_watcher, allocated {
  rma_move(window_data<Stack>& window, rma_target& target) noexcept
      : completion_watcher{&ended}, w(window), t(target) {}
  static void ended(completion_watcher& watcher) noexcept {
    auto& self = static_cast<rma_move&>(watcher);
    --self.t.moves;
    if (self.combines) --self.t.combining;
    if (self.op->failure != errc{} && self.t.has_not_failed()) {
      // Registration may have failed for lack of pinnable memory: goes by packets instead, if the
      // peer lives.
      if (one_sided<Stack>::failure_locked(self.w.e, self.t.peer) != errc{})
        self.t.failure = errc::peer_lost;
      else if (!self.go_by_packets())
        self.t.failure = errc::no_resources;
    }
    one_sided<Stack>::give_locked(self.w.e, *self.op);
    delete &self;
  }
  ~rma_move() { platform::deallocate(copy); }
  /// Copies the data of a put, which may be a temporary. Returns nullptr if memory is out.
  std::byte* keep(std::span<const std::byte> data) noexcept {
    copy = static_cast<std::byte*>(platform::allocate(data.size()));
    if (copy != nullptr) std::memcpy(copy, data.data(), data.size());
    return copy;
  }
  window_data<Stack>& w;
  rma_target& t;
  rma::transfer what;
  operation* op = nullptr;
  std::byte* copy = nullptr;         // Of the data of a short put.
  bool combines = false;             // An atomic access.
  std::byte operands[2 * 8]{};       // Copy of its data,
  alignas(8) std::byte previous[8];  // and the previous value if the program does not want it.

 private:
  /// Queues the access as a record. Returns false if memory is out.
  bool go_by_packets() noexcept {
    rma_queued q{what, std::exchange(copy, nullptr)};
    if (combines) {
      t.by_card = false;
      const std::size_t n = what.data.exists() ? what.data.bytes : 0;
      if (n != 0) {
        q.copy = static_cast<std::byte*>(platform::allocate(n));
        if (q.copy == nullptr) return false;
        std::memcpy(q.copy, operands, n);
        q.what.data = {q.copy, n};
      }
    }
    const bool queued = t.queue.try_push_back(q);
    if (!queued) q.let_go();
    return queued;
  }
};

/// Accesses to one element by the transport's atomic accesses. The window uses them if
/// window_data::by_card, at all ranks, and if they are atomic with regard to the CPU's
/// instructions, by which the target's service and the owner combine other elements, or more.
///
/// Accumulates, fetches and swaps of one rank keep their order: at most one access to a target is
/// in progress, or several that only accumulate, by one commutative operation. None begins while
/// records that combine may not have been carried out, and no such record is written while one is
/// in progress.
template <class Stack>
struct card_atomics {
  using os = one_sided<Stack>;
  window_data<Stack>& w;

  /// True if windows with elements of that type may use atomic accesses.
  static bool suits(const rma::element_type& type) noexcept {
    return type.is_word && (type.bytes == 4 || type.bytes == 8) && type.alignment % type.bytes == 0;
  }
  /// True if the transport has all accesses to `peer` that such a window needs.
  static bool reaches([[maybe_unused]] endpoint<Stack>& e, [[maybe_unused]] peer_id peer,
                      [[maybe_unused]] std::size_t bytes) noexcept {
    if constexpr (os::has_atomics) {
      const atomic_set has = e.transport().atomics(peer);
      for (std::uint32_t o = 0; o < atomic_operations; ++o)
        if (!has.has(static_cast<atomic_operation>(o), bytes)) return false;
      return has.with_cpu;
    }
    return false;
  }
  /// True if `x` may be an atomic access. Needs no lock.
  bool takes(const rma::transfer& x) const noexcept {
    atomic_operation o{};
    return w.by_card && x.runs == nullptr && x.waiter == nullptr && x.result.contiguous() &&
           (x.what == rma::action::swap || x.bytes == w.type->bytes) && find(x, o);
  }
  enum class run : std::uint8_t {
    begun,
    later,    ///< Retry after an access in progress has completed.
    refused,  ///< Goes by packets.
  };
  run start([[maybe_unused]] rma_target& t, [[maybe_unused]] rma::transfer& x) noexcept {
    if constexpr (os::has_atomics) {
      atomic_access a;
      find(x, a.operation);
      if (!t.by_card || !has_settled(t)) return run::refused;
      const std::uint8_t kind = kind_of(x);
      if (t.combining != 0 && (kind == alone || kind != t.combining_by)) return run::later;
      auto* const m = new (std::nothrow) rma_move<Stack>(w, t);
      if (m != nullptr) m->op = os::take_locked(w.e, t.peer, *m);
      if (m == nullptr || m->op == nullptr) {
        delete m;
        return t.moves != 0 ? run::later : run::refused;
      }
      const std::size_t n = w.type->bytes;
      read(x, a, *m);
      m->combines = true;
      const std::span<std::byte> into(x.result.exists() ? x.result.base : m->previous, n);
      const outcome o = w.e.transport().atomic(t.peer, t.remote, x.at, a, into, os::cookie(*m->op));
      t.stir();
      if (o == outcome::pending) {
        ++t.moves;
        ++t.combining;
        t.combining_by = kind;
      } else {
        os::give_locked(w.e, *m->op);
        delete m;
      }
      if (o == outcome::retry) return run::later;
      if (o == outcome::done || o == outcome::pending) {
        t.moved = true;
        if (x.data.how != nullptr) x.data.how->drop();
        return run::begun;
      }
      t.by_card = false;
    }
    return run::refused;
  }

 private:
  static constexpr std::uint8_t alone = 0xff;

  /// True if all records that combine have been carried out.
  static bool has_settled(const rma_target& t) noexcept {
    return t.queue.empty() && t.replies == 0 && t.has_acknowledged(t.combined_until);
  }

  /// Accesses of one kind in progress may happen in any order; see `alone`.
  static std::uint8_t kind_of(const rma::transfer& x) noexcept {
    const bool commutes = x.what == rma::action::accumulate &&
                          static_cast<rma::combine>(x.op) != rma::combine::replace;
    return commutes ? x.op : alone;
  }
  bool find(const rma::transfer& x, atomic_operation& o) const noexcept {
    using enum rma::combine;
    if (x.what == rma::action::swap) {
      o = atomic_operation::compare_exchange;
      return true;
    }
    if (x.what != rma::action::accumulate && x.what != rma::action::fetch) return false;
    const auto op = static_cast<rma::combine>(x.op);
    o = op == replace   ? atomic_operation::exchange
        : op == bit_and ? atomic_operation::fetch_and
        : op == bit_or  ? atomic_operation::fetch_or
        : op == bit_xor ? atomic_operation::fetch_xor
                        : atomic_operation::fetch_add;  // Of 0 if it is no_op.
    return op == replace || op == no_op ||
           (w.type->is_integer && (op == sum || op == bit_and || op == bit_or || op == bit_xor));
  }
  /// Copies the operands of `x` to `m`, which may have to repeat it by packets, and to `a`.
  void read(const rma::transfer& x, atomic_access& a, rma_move<Stack>& m) const noexcept {
    const std::size_t n = w.type->bytes;
    const bool swaps = x.what == rma::action::swap;
    m.what = x;
    m.what.data = {};
    if (!x.data.exists() || static_cast<rma::combine>(x.op) == rma::combine::no_op) {
      if (!swaps) return;
    }
    const std::size_t bytes = swaps ? 2 * n : n;
    x.data.read(0, std::span<std::byte>(m.operands, bytes));
    m.what.data = mpx::memory(m.operands, bytes);
    std::memcpy(swaps ? &a.comparand : &a.operand, m.operands, n);
    if (swaps) std::memcpy(&a.operand, m.operands + n, n);
  }
};

}  // namespace mpx::inline v0::detail
