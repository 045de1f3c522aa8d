// SPDX-License-Identifier: BSL-1.0
#pragma once
// Operations that end early: a lost peer, a dropped request, a rank that leaves. Included by
// endpoint.hpp.

#include "mpx/engine/endpoint/endpoint.hpp"

namespace mpx::inline v0::detail {

/// Ends `op` if it depends on `peer`, or, with `wildcards`, if it is a receive from any source. Its
/// links into the peer's queues are dropped by the components.
template <class Stack>
[[gnu::noinline, gnu::cold]] void endpoint<Stack>::fail(operation& op, peer_id peer, errc why,
                                                        bool wildcards) {
  if (op.done()) return;
  if (op.role == role::receive && op.stage == stage::posted) {
    if (wildcards || op.want.source == peer) inbox().end_if_for(op, peer, why);
    return;
  }
  if (op.peer != peer) return;
  // The transport or the peer still accesses the buffer: its completion, or the drop of the peer,
  // ends this operation.
  if (op.pending != 0 || (ends_exposures && op.exposed && !orphaned())) {
    if (op.stage != stage::closing) op.fails(why);
    op.stage = stage::closing;
    return;
  }
  if (!orphaned()) rendezvous().end_exposure(op);
  end(op, why);
}

/// Ends operations whose memory a lost peer could access, after the transport has dropped the peer.
template <class Stack>
[[gnu::noinline, gnu::cold]] void endpoint<Stack>::end_exposures_to(peer_id peer) noexcept {
  pool().for_each([&](operation& op) {
    if (op.peer != peer || op.stage != stage::closing || op.pending != 0) return;
    rendezvous().revoke_exposure(op);
    finish(op, op.failure);
  });
}

/// Ends closing operations in a forked child, where no completion arrives any more.
template <class Stack>
[[gnu::noinline, gnu::cold]] void endpoint<Stack>::end_closing() noexcept {
  pool().for_each([&](operation& op) {
    if (op.stage == stage::closing) finish(op, errc::not_a_rank);
  });
}

/// Cancels a receive that has not matched. Returns false if it has.
template <class Stack>
bool endpoint<Stack>::cancel(operation& op) {
  lock_guard lock(threading());
  if (op.role != role::receive || op.stage != stage::posted) return false;
  inbox().cancel(op);
  return true;
}

template <class Stack>
void endpoint<Stack>::free_owned(operation& op) noexcept {
  if (op.role == role::compound && compound_of(op).how != nullptr) compound_of(op).how->drop();
  outbox().free_copy(op);
}

/// Ends all operations that depend on `peer`, in all components. `wildcards`: also receives from
/// any source.
template <class Stack>
[[gnu::noinline, gnu::cold]] void endpoint<Stack>::end_all_of(peer_record* r, peer_id peer,
                                                              errc why, bool wildcards) {
  cancel_place(peer);
  pool().for_each([&](operation& op) { fail(op, peer, why, wildcards); });
  if (r == nullptr) return;
  outbox_type::on_loss(*r);
  inbox_type::on_loss(*r);
  rendezvous_type::on_loss(*r);
}

/// Tells the services, the compound operations and waiting threads of a loss.
template <class Stack>
[[gnu::noinline, gnu::cold]] void endpoint<Stack>::tell_loss(peer_id peer) {
  if constexpr (ends_posts) pace().look_again();  // The peer is dropped when no poll is under way.
  services_.for_each([peer](service& s) { s.on_loss(peer); });
  recheck_compounds();
  if constexpr (concurrent) {
    pace().completed();
    pace().wake_waiters();
  }
}

/// Separates an operation from its request. Returns true if nothing touches the buffer any more,
/// whether the operation continues or not; false if the transport, or a copy that the peer has
/// begun, accesses it now.
template <class Stack>
bool endpoint<Stack>::part(operation& op) {
  if (orphaned()) peers().check();
  if (op.done()) {
    give(op);
    return true;
  }
  if (op.copying) return false;
  if (op.role == role::receive) {
    if (op.stage == stage::posted) {
      inbox().withdraw(op);
      give(op);
      return true;
    }
    if (!rendezvous().withdraw(op)) return false;
    // The rest arrives, and is dropped.
    peer_record& r = *peers().find(op.peer);
    if (op.stage == stage::due) {
      rendezvous().drop_due(r, op);
      return true;
    }
    if (op.stage == stage::placed) {
      inbox().drop_placed(r, op);
      return true;
    }
    if (op.stage == stage::streaming) {
      rendezvous().drop_stream(r, op);
      return true;
    }
  } else if (op.pending != 0 || op.stage != stage::answer || op.announced) {
    if (op.owned == nullptr || !op.data.contiguous()) {
      auto* const copy = static_cast<std::byte*>(platform::allocate(op.data.bytes));
      if (copy != nullptr) op.data.read(0, {copy, op.data.bytes});
      if (!op.data.contiguous()) {  // No other rank reads non-contiguous data.
        op.forget_memory();
        op.data.base = copy;
      }
      op.owns(copy);
    }
    // A receiver that knows the old memory finds it withdrawn, and asks for packets.
    if (!rendezvous().withdraw(op)) return false;
    if (op.pending != 0 && !relocate(op)) return false;
    // Without memory for a copy the data is lost: waiting for the receiver could block for ever.
    op.data.base = op.owned;
  }  // Else all data has been posted; only an announced message may need it again.
  op.holder = holder::nobody;
  return true;
}

/// Makes the transport read the rest of the data of `op` from mpx's copy. Returns false if it
/// cannot.
template <class Stack>
bool endpoint<Stack>::relocate([[maybe_unused]] operation& op) noexcept {
  if (op.data.base == op.owned) return true;
  if constexpr (StreamTransport<transport_type>) {
    if (op.owned == nullptr) return op.data.bytes == 0;
    transport().relocate(cookie_of(op, cookie_kind::packet), op.data.piece(0, op.data.bytes),
                         op.owned);
    return true;
  }
  return false;
}

template <class Stack>
void endpoint<Stack>::acknowledge_failures() {
  lock_guard lock(threading());
  peers().acknowledge();
}
template <class Stack>
[[gnu::noinline, gnu::cold]] void endpoint<Stack>::drain() {
  lock_guard lock(threading());
  pace().drain();
}
template <class Stack>
[[gnu::noinline, gnu::cold]] void endpoint<Stack>::send_last(std::int64_t patience_ns,
                                                             bool in_good_order) noexcept {
  lock_guard lock(threading());
  const auto sends_to = [this](peer_id peer) {
    bool some = false;
    pool().for_each([&](const operation& op) {
      some = some || (op.role == role::send && !op.done() && op.holder == holder::nobody &&
                      (peer == any_peer || op.peer == peer));
    });
    return some;
  };
  const auto all_out = [&] {
    return !peers().any_busy() && !sends_to(any_peer) && pace().all_out();
  };
  const auto wait = [&] {
    const std::int64_t until_ns = now_ns() + patience_ns;
    while (!orphaned() && !all_out() && now_ns() < until_ns)
      if (pace().poll_and_check() == 0) ::sched_yield();
  };
  wait();
  if constexpr (ConnectionTransport<transport_type>) {
    // The job may report this later than the transport reports the connection's end, or never.
    if (!in_good_order || orphaned()) return;
    for (peer_id peer = 0; peer < peers().count(); ++peer)
      if (peer != self() && peers().failure_of(peer) == errc{} && transport().is_connected(peer) &&
          !peers().is_busy(peer) && !sends_to(peer))
        outbox().answer(peer, {.kind = wire::kind::leave});
    wait();
  }
}

/// Asserts that no request and no matched-probe message outlives the environment that is about to
/// end.
template <class Stack>
[[gnu::noinline, gnu::cold]] void endpoint<Stack>::assert_let_go(
    [[maybe_unused]] std::source_location joined) noexcept {
#if MPX_ASSERT_LEVEL >= 1
  lock_guard lock(threading());
  pool().for_each([&](const operation& op) {
    MPX_ASSERT_AT(op.holder != holder::request && op.holder != holder::watcher,
                  "a request outlives this environment: wait for requests, or let them go, before",
                  joined);
  });
  MPX_ASSERT_AT(inbox().probed().empty(),
                "a message that mprobe has returned outlives this environment: receive it, or let "
                "it go, before",
                joined);
#endif
}

}  // namespace mpx::inline v0::detail
