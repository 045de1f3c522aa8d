// SPDX-License-Identifier: BSL-1.0
#pragma once
// Definitions of the endpoint's longer members. Included by endpoint.hpp.

#include "mpx/engine/endpoint/endpoint.hpp"

namespace mpx::inline v0::detail {

// --- Packets and completions ---------------------------------------------------------------------

template <class Stack>
[[MPX_ALWAYS_INLINE]] inline bool endpoint<Stack>::has_placed(
    [[maybe_unused]] peer_id source) noexcept {
  if constexpr (StreamTransport<transport_type>) {
    const peer_record* r = peers().find(source);
    return r != nullptr && inbox().has_placed(*r);
  }
  return false;
}

/// Handles every packet except plain eager messages that match a receive.
template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::on_other(peer_id source, const wire::header& h,
                                                 std::span<const std::byte> payload) noexcept {
  peer_record& r = peers().of(source);
  if (r.failure() != errc{}) return;  // Packets of a lost peer are ignored.
  const errc why =
      h.kind == wire::kind::eager ? inbox().on_eager(r, h, payload) : dispatch(r, h, payload);
  if (why != errc{}) lose(source, why);
}

template <class Stack>
errc endpoint<Stack>::dispatch(peer_record& r, const wire::header& h,
                               std::span<const std::byte> payload) {
  const peer_id source = r.peer;
  if (h.reserved != 0 || (h.flags & ~wire::flags_all) != 0) return errc::protocol;
  switch (h.kind) {
    case wire::kind::announce: return inbox().on_announce(r, h, payload);
    case wire::kind::clear: return rendezvous().on_clear(answered(source, h.ticket), payload);
    case wire::kind::data:
      if ((h.flags & wire::flag_pushed) != 0)
        return rendezvous().on_pushed(r, h.ticket, match_bits_of(h.context, h.tag), payload);
      return rendezvous().on_data(r, named(source, h.ticket, role::receive),
                                  match_bits_of(h.context, h.tag), payload);
    case wire::kind::finished:
      return for_each_finished(h.ticket, payload, [&](std::uint32_t ticket) {
        return rendezvous().on_finished(answered(source, ticket));
      });
    case wire::kind::delivered:
      return rendezvous().on_delivered(named(source, h.ticket, role::receive));
    case wire::kind::matched:
    case wire::kind::unready:
      return outbox().on_answer(answered(source, h.ticket), h) ? errc{} : errc::protocol;
    case wire::kind::kept: return outbox().on_kept(answered(source, h.ticket));
    case wire::kind::credit: return errc{};
    case wire::kind::grant: return on_grant(r, match_bits_of(h.context, h.tag));
    case wire::kind::leave: return peers().leaves(r);
    case wire::kind::recall: return inbox().on_recall(r, h);
    case wire::kind::recalled: return rendezvous().on_recalled(named(source, h.ticket, role::send));
    case wire::kind::cancel: return inbox().on_cancel(r, h);
    case wire::kind::cancelled:
      return outbox().on_cancelled(answered(source, h.ticket)) ? errc{} : errc::protocol;
    case wire::kind::allow: return outbox().on_allow(source, h) ? errc{} : errc::protocol;
    case wire::kind::reclaim: return outbox().on_reclaim(source, h) ? errc{} : errc::protocol;
    case wire::kind::returned: return inbox().on_returned(r, h) ? errc{} : errc::protocol;
    default: break;
  }
  service* const s = services_.find(static_cast<std::uint8_t>(h.kind));
  if (s == nullptr) return errc::protocol;
  const errc why = s->on_packet(source, h, payload);
  if (why == errc{}) {  // A thread or a schedule may wait for it.
    pace().completed();
    recheck_compounds();
  }
  return why;
}

template <class Stack>
[[gnu::noinline]] operation* endpoint<Stack>::named(peer_id source, std::uint32_t ticket,
                                                    detail::role role) noexcept {
  operation* const op = pool().find(ticket);
  if (op == nullptr || op->role != role || op->peer != source || op->stage >= stage::closing)
    return nullptr;
  return op;
}

/// Returns the send that a peer answers, if it may name it; else nullptr. Its body is pushed no
/// further.
template <class Stack>
operation* endpoint<Stack>::answered(peer_id source, std::uint32_t ticket) noexcept {
  operation* const op = named(source, ticket, role::send);
  if (op != nullptr) rendezvous().stop_push(*op);
  return op;
}

/// Returns the memory for the body of a packet whose header has arrived. Its credit counts when the
/// packet is complete.
template <class Stack>
std::span<std::byte> endpoint<Stack>::on_place(peer_id source, const frame_header& f,
                                               std::size_t bytes) noexcept {
  const wire::header h = wire::unpack(f);
  peer_record& r = peers().of(source);
  if (r.failure() != errc{}) return {};
  if (h.kind == wire::kind::eager) return inbox().place(r, h, bytes);
  if (h.kind != wire::kind::data) return {};
  operation* const op = (h.flags & wire::flag_pushed) != 0 ? rendezvous().pushed(r, h.ticket)
                                                           : named(source, h.ticket, role::receive);
  return rendezvous().place(r, op, match_bits_of(h.context, h.tag), bytes);
}

/// Handles the completion of a pending post, get or put. An unknown or repeated cookie is an error
/// of the transport, and has no effect here.
template <class Stack>
void endpoint<Stack>::on_complete(cookie_t cookie, bool ok) noexcept {
  operation* op = pool().find(static_cast<std::uint32_t>(cookie));
  if (op == nullptr || op->pending == 0) return;
  --op->pending;
  const bool copied = static_cast<cookie_kind>(cookie >> 32) == cookie_kind::copy;
  if (copied) op->copying = false;
  if (op->stage == stage::closing) {
    if (!ok && copied && op->role == role::control) op->fails(errc::peer_lost);
    if (op->pending != 0) return;
    if (op->exposed && !orphaned()) {
      if (ends_exposures && peers().is_dropping(op->peer)) return;
      if (peers().failure_of(op->peer) != errc{})
        rendezvous().revoke_exposure(*op);
      else
        rendezvous().end_exposure(*op);
    }
    return finish(*op, op->failure);
  }
  if (copied) return rendezvous().on_copied(*op, ok);
  if (!ok) peers().lose_unless_told(op->peer, errc::peer_lost);  // The packet will never arrive.
}

// --- Operations that end early -------------------------------------------------------------------

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

/// Cancels a receive that has not matched, or begins to cancel a send. Returns false if it is too
/// late for that.
template <class Stack>
bool endpoint<Stack>::cancel(operation& op) {
  lock_guard lock(threading());
  if (orphaned()) peers().check();
  if (op.role == role::send) return outbox().cancel(op);
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
  inbox_type::on_loss(*r, peer);
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
  if (op.copying) {
    if (op.role == role::receive) op.recalls = true;
    return false;
  }
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
    if (op.stage == stage::streaming || op.stage == stage::pushing) {
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
        outbox().send_control(peer, {.kind = wire::kind::leave});
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

// --- Collectives that cannot end -----------------------------------------------------------------

/// Begins a collective call. Returns true if it can succeed, as far as this rank knows.
template <class Stack>
bool endpoint<Stack>::begin_collective_locked(collective_call call) {
  if (orphaned()) peers().check();
  revocations_.begin(call);
  if (revocations_.some_left()) [[unlikely]]
    discard_left(call);
  return !cannot_end(call);  // Calls left by others may have sent what this one needs.
}

/// After a failed collective its messages have no receiver and would hold their senders' credit for
/// ever. This discards stored messages of calls before `next` that are over.
template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::discard_left(collective_call next) noexcept {
  schedules_.looks_off = 0;
  look_at_schedules();  // For calls that no rank has left yet.
  inbox().discard_if(next.context, [&](const envelope& is) {
    if (is.context() != next.context || !revocations::before({next.context, is.tag()}, next))
      return false;
    for (const schedule& p : schedules_.active)
      if (p.context == is.context() && p.serial == is.tag()) return false;
    return true;
  });
}

/// Returns the reason why a collective cannot succeed, with the rank that is lost or has left it.
template <class Stack>
[[gnu::noinline, gnu::cold]] collective_failure endpoint<Stack>::failure_of_collective_locked(
    collective_call call) noexcept {
  using cause = collective_failure::cause;
  collective_failure f{errc::peer_lost, cause::lost, false, proc_null};
  if (call.of != nullptr && call.of->revoked) f.why = errc::revoked;
  if (orphaned()) f.why = errc::not_a_rank;
  if (f.why != errc::peer_lost) return f;
  const left_call* const left = revocations_.find(call);
  for (rank_t r = 0; r < size_of(call); ++r) {
    const peer_id peer = peer_of(call, r);
    if (peers().failure_of(peer) != errc{} && !peers().left(peer))
      return {errc::peer_lost, cause::lost, false, r};
    if (left != nullptr && left->by == peer)
      f = {errc::peer_lost, cause::left, false, r, 0, static_cast<std::size_t>(left->why)};
  }
  return f;
}

/// True if members are lost or the communicator is revoked. A member that left in good order may
/// have done its part before: a call that needs more of it fails at the rank concerned, which tells
/// the others.
template <class Stack>
bool endpoint<Stack>::cannot_end(collective_call call) noexcept {
  if (peers().failures() == 0) [[likely]]
    return false;
  if (call.of == nullptr || orphaned()) return true;
  return call.of->revoked || communicators_.lost_before_their_end_in(*call.of) != 0;
}

/// Tells the other ranks that this rank has left a collective, so that they do not wait for it.
template <class Stack>
void endpoint<Stack>::give_up_collective_locked(collective_call call, errc why) noexcept {
  revocations_.leave();
  if (revocations_.contains(call) || orphaned()) return;
  if (call.of != nullptr && call.of->revoked) return;  // All ranks learn of it, and leave, too.
  const rank_t size = size_of(call);
  if (peers().failures() != 0)
    for (rank_t r = 0; r < size; ++r)
      if (peers().died(peer_of(call, r))) return;  // All ranks know, and leave, too.
  for (rank_t r = 0; r < size; ++r)
    if (const peer_id peer = peer_of(call, r); peer != self())
      outbox().send_control(peer, {.kind = wire::kind::revoke,
                                   .tag = call.serial,
                                   .context = call.context,
                                   .ticket = static_cast<std::uint32_t>(why)});
}

/// Number of ranks in a collective.
template <class Stack>
rank_t endpoint<Stack>::size_of(collective_call call) noexcept {
  return call.of == nullptr ? world_rank(peers().founders()) : call.of->size;
}
template <class Stack>
peer_id endpoint<Stack>::peer_of(collective_call call, rank_t rank) noexcept {
  return call.of == nullptr ? world_peer(rank) : communicators_.peer_of(*call.of, rank);
}

// --- Peers that join and leave -------------------------------------------------------------------

/// Connects to the endpoint at `address` and returns its index in `added_peer::peer`. The other
/// side does the same, before or after, with an index of its own. Messages are announced until the
/// peer's grant has arrived, and sent eagerly afterwards.
/// Errors: errc::argument if there is no such address; errc::peer_lost if the peer has left;
/// errc::pending if the two were connected before and the peer has not dropped that connection: try
/// again; errc::no_resources.
template <class Stack>
auto endpoint<Stack>::add_peer(std::string_view address) -> added_peer
    requires ElasticTransport<transport_type>
{
  static_assert(ElasticFlowControl<typename Stack::flow_type>);
  lock_guard lock(threading());
  added_peer a;
  a.failure = peers().add(a.peer);
  if (a.failure != errc{}) return a;
  a.failure = flow().try_add(a.peer) ? errc{} : errc::no_resources;
  if (a.failure == errc{}) {
    a.failure = transport().add_peer(a.peer, address);
    if (a.failure != errc{}) flow().drop(a.peer);
  }
  if (a.failure != errc{}) {
    peers().remove(a.peer);
    return a;
  }
  const std::uint64_t grant = flow().granted_bytes(a.peer);
  outbox().send_control(
      a.peer, {.kind = wire::kind::grant, .tag = tag_of(grant), .context = context_of(grant)});
  return a;
}

/// Disconnects from `peer`. Operations that depend on it end with errc::peer_lost, its unexpected
/// messages are discarded, and its index may be given to another peer. Receives from any source
/// continue. Does not wait: both sides have to agree first that no message is under way.
/// Errors: errc::rank if there is no such peer, or it is this rank itself; errc::request if a
/// matched probe holds a message of the peer: receive it first.
template <class Stack>
errc endpoint<Stack>::drop_peer(peer_id peer) requires ElasticTransport<transport_type>
{
  lock_guard lock(threading());
  if (peer == self() || !peers().can_remove(peer)) return errc::rank;
  pace().poll_until_quiet();
  for (const arrived_message& m : inbox().probed())
    if (m.is.source == peer) return errc::request;
  inbox().post_direct_if_any();
  end_all_of(peers().find(peer), peer, errc::peer_lost, false);
  transport().drop_peer(peer);
  if constexpr (ends_exposures) end_exposures_to(peer);
  pace().poll_packets_outlined();  // Ends operations that were pending with it.
  inbox().forget_unexpected(peer);
  flow().drop(peer);
  peers().remove(peer);
  tell_loss(peer);
  return errc{};
}

template <class Stack>
errc endpoint<Stack>::on_grant([[maybe_unused]] peer_record& r,
                               [[maybe_unused]] std::uint64_t bytes) noexcept {
  if constexpr (ElasticTransport<transport_type> && ElasticFlowControl<typename Stack::flow_type>) {
    if (!peers().welcome(r)) return errc::protocol;
    flow().open(r.peer, bytes);
    return errc{};
  }
  return errc::protocol;
}

// --- Shares of the unexpected memory -------------------------------------------------------------

template <class Stack>
[[gnu::noinline, gnu::cold]] void endpoint<Stack>::prefer(
    [[maybe_unused]] std::span<const peer_id> preferred) {
  if constexpr (ReassigningFlowControl<typename Stack::flow_type>) {
    lock_guard lock(threading());
    if (orphaned()) return;
    flow().prefer_none();
    for (const peer_id peer : preferred)
      if (peers().failure_of(peer) == errc{}) inbox().settle(flow().prefer(peer));
  }
}

// --- Communicators -------------------------------------------------------------------------------

inline context_id context_of_operation(const operation& op) noexcept {
  if (op.role == role::compound) {
    const compound& c = compound_of(op);
    return c.plan != nullptr ? c.plan->context : c.want.context();
  }
  return op.role == role::receive ? op.want.context() : op.context;
}

/// Calls use(context) for each operation and each message that a matched probe holds.
template <class Stack>
template <class Use>
void endpoint<Stack>::for_each_in_use(Use&& use) noexcept {
  pool().for_each([&](const operation& op) {
    if (op.role != role::control) use(context_of_operation(op));
  });
  for (const arrived_message& m : inbox().probed()) use(m.is.context());
}

/// Returns a context for a communicator that this rank leads. If this rank leads as many as it may,
/// but has freed some, it waits for up to 5 s for the other members to free those, too.
template <class Stack>
[[gnu::noinline]] context_id endpoint<Stack>::lead(errc& why, call_site site) {
  constexpr std::int64_t patience_ns = 5'000'000'000;
  context_id made = no_context;
  std::int64_t until_ns = 0;
  wait_until(site, {}, [&] {
    made = communicators_.lead(why);
    std::size_t freed_here = 0;
    if (why != errc::communicator || communicators_.led_at_limit(freed_here) == 0 ||
        freed_here == 0)
      return true;
    if (until_ns == 0) until_ns = now_ns() + patience_ns;
    return now_ns() >= until_ns;
  });
  return made;
}

/// Returns the failure for a communicator that gets no context, from this rank or its leader.
template <class Stack>
collective_failure endpoint<Stack>::no_context_locked(errc why) noexcept {
  using cause = collective_failure::cause;
  collective_failure f{why, why == errc::communicator ? cause::context : cause::memory};
  if (f.of == cause::context) f.bytes = communicators_.led_at_limit(f.got);
  return f;
}

/// Releases a block that this rank uses no more. `own`: its name if this rank made it, else 0. An
/// own block is freed once all its users have released it.
template <class Stack>
void endpoint<Stack>::let_go_of_block(std::uint64_t own, platform::atomic<std::uint64_t>& gone,
                                      std::uint64_t users) noexcept {
  if (orphaned()) return;
  gone.fetch_add(1, platform::memory_order_acq_rel);
  if (own != 0) static_cast<void>(dying_blocks_.try_push_back({own, &gone, users}));
}

/// `node` may be nullptr.
template <class Stack>
[[gnu::noinline, gnu::cold]] void endpoint<Stack>::forget_node(coll::node_state* node) noexcept {
  if (node != nullptr && node->block)
    let_go_of_block(node->own, node->block.head().gone,
                    static_cast<std::uint64_t>(node->block.ranks()));
  delete node;
}

/// Ends operations of a revoked communicator: unmatched receives end; sends fail, and end when
/// their receivers have learnt of it.
template <class Stack>
[[gnu::noinline, gnu::cold]] void endpoint<Stack>::end_revoked(context_id context) noexcept {
  inbox().post_direct_if_any();
  const auto& numbers = communicators_.numbers();
  const auto is_of = [&](context_id c) {
    return numbers.plain(c) == context && !numbers.is_of_agreements(c);
  };
  pool().for_each([&](operation& op) {
    if (op.done() || !is_of(context_of_operation(op))) return;
    if (op.role == role::receive && op.stage == stage::posted)
      inbox().end_posted(op, errc::revoked);
    else if (op.role == role::send)
      op.fails(errc::revoked);
  });
  inbox().discard_if(context, [&](const envelope& is) { return is_of(is.context()); });
  recheck_compounds();
  pace().completed();
  pace().wake_waiters();
}

// --- Buffers and shared memory -------------------------------------------------------------------

template <class Stack>
errc endpoint<Stack>::attach(std::span<std::byte> piece) {
  lock_guard lock(threading());
  return outbox().attach(piece);
}

template <class Stack>
std::span<std::byte> endpoint<Stack>::detach(call_site site) {
  wait_until(site, {wait_kind::buffered}, [this] { return outbox().attached_is_free(); });
  lock_guard lock(threading());
  return outbox().detach();
}

template <class Stack>
void* endpoint<Stack>::allocate(std::size_t bytes, std::size_t alignment)
    requires gives_memory<transport_type>
{
  lock_guard lock(threading());
  if (orphaned()) throw error(errc::not_a_rank, "an allocation of shared memory");
  if constexpr (RegisteredTransport<transport_type>) {
    return transport().allocate(bytes, alignment);
  } else {
    return transport().allocate_shared(bytes, alignment);
  }
}

template <class Stack>
void endpoint<Stack>::deallocate(void* p, std::size_t bytes) noexcept
    requires gives_memory<transport_type>
{
  lock_guard lock(threading());
  if constexpr (RegisteredTransport<transport_type>) {
    transport().deallocate(p, bytes);
  } else {
    transport().deallocate_shared(p, bytes);
  }
}

}  // namespace mpx::inline v0::detail
