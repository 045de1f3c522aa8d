// SPDX-License-Identifier: BSL-1.0
#pragma once
// Compound operations: persistent, composite and generalized ones (which the user completes),
// schedules of collectives, and those of layers above. Parts notify their compound when they
// complete; nothing else in the endpoint knows of compounds. Included by endpoint.hpp.

#include "mpx/core/exchange.hpp"
#include "mpx/engine/endpoint/endpoint.hpp"

namespace mpx::inline v0::detail {

/// Makes, starts and ends compound operations. All functions take the endpoint's lock, except those
/// named `_locked`, which require it.
template <class Stack>
struct compounds {
  using endpoint_type = endpoint<Stack>;

  /// Makes a compound operation that is not complete; a persistent one is inactive.
  /// Errors: errc::no_resources.
  static started make(endpoint_type& e, const compound& with) noexcept {
    dropped_schedules gone;  // Freed without the lock.
    lock_guard lock(e.threading());
    gone.take(e.schedules_.gone);
    void* const room = platform::allocate(sizeof(compound));
    operation* const op = room == nullptr ? nullptr : e.pool().take();
    if (op == nullptr) {
      platform::deallocate(room);
      return {nullptr, errc::no_resources};
    }
    op->begin(role::compound, stage::copying, 0);
    op->owned_by_attached = false;
    op->owns(reinterpret_cast<std::byte*>(::new (room) compound(with)));
    op->ranks = with.ranks;
    clear_status(*op);
    if (with.again) op->stage = stage::complete;  // Inactive.
    return {op};
  }

  // --- Persistent --------------------------------------------------------------------------------

  /// Starts a persistent operation.
  /// Errors: errc::request if it is active; errc::buffer and errc::no_resources of the start; it
  /// stays inactive then.
  static errc start(endpoint_type& e, operation& op) {
    compound& c = compound_of(op);
    if (!c.again || c.active) return errc::request;
    e.pass_without_poll();
    if (c.kind == compound_kind::schedule) {
      e.start_schedule(op);
      return errc{};
    }
    if (c.more != nullptr) return start_extended(e, op);
    const layout* const how = c.how == nullptr ? nullptr : c.how->keep();
    if (how == nullptr && c.how != nullptr) return errc::no_resources;
    const send_call call{{c.buffer, c.bytes, how}, c.want.source, c.want.bits};
    started s;
    switch (c.start) {
      case starts_as::standard: s = e.send(call); break;
      case starts_as::synchronous: s = e.send_flagged(call, wire::flag_synchronous); break;
      case starts_as::ready: s = e.send_flagged(call, wire::flag_ready); break;
      case starts_as::buffered: s.failure = e.send_buffered(call); break;
      case starts_as::receive: s = e.receive(call.data, c.want); break;
      case starts_as::nothing: break;
    }
    if (how != nullptr && s.op == nullptr) how->drop();
    if (s.failure != errc{}) return s.failure;
    lock_guard lock(e.threading());
    c.active = true;
    op.stage = stage::copying;
    if (s.op == nullptr) {
      complete_locked(e, op, errc{});
    } else {
      add_locked(e, op, *s.op);
    }
    return errc{};
  }

  // --- Composite ---------------------------------------------------------------------------------

  /// Makes `part` a part of `op`.
  /// Requires: `seal` has not been called.
  static void add(endpoint_type& e, operation& op, operation& part) noexcept {
    lock_guard lock(e.threading());
    add_locked(e, op, part);
  }
  /// Ends the adding of parts: `op` may become complete from now on.
  static void seal(endpoint_type& e, operation& op) noexcept {
    lock_guard lock(e.threading());
    seal_locked(e, op);
    if constexpr (endpoint_type::concurrent) e.pace().wake_waiters();
  }
  static void seal_locked(endpoint_type& e, operation& op) noexcept {
    compound_of(op).open = false;
    settle_locked(e, op);
  }

  // --- Extended ----------------------------------------------------------------------------------

  /// Sets the status of `op`.
  static void set_status(endpoint_type& e, operation& op, peer_id peer, tag_t tag,
                         std::size_t bytes) noexcept {
    lock_guard lock(e.threading());
    op.peer = peer;
    op.tag = tag;
    op.data = {nullptr, bytes};
  }
  /// Posts a receive as a part of `op`. Returns nullptr if no operation is available.
  static operation* receive_locked(endpoint_type& e, operation& op, memory into,
                                   const pattern& want) noexcept {
    if (!lend(into)) return nullptr;
    const started s = e.inbox().receive(into, want);
    take_back(into, s);
    if (s.op != nullptr) add_locked(e, op, *s.op);
    return s.op;
  }
  /// Sends a copy of contiguous bytes, as a part of `op` unless they leave at once.
  /// Errors: errc::no_resources.
  static started send_copy_locked(endpoint_type& e, operation& op, const send_call& c) noexcept {
    if (e.outbox().send_without_operation(c)) return {};
    auto* const copy = static_cast<std::byte*>(platform::allocate(c.data.bytes));
    if (copy == nullptr) return {nullptr, errc::no_resources};
    c.data.read(0, {copy, c.data.bytes});
    const started s =
        cold_paths<Stack>::send_queued_locked(e, {{copy, c.data.bytes}, c.to, c.bits}, 0);
    if (s.op == nullptr) {
      platform::deallocate(copy);
    } else {
      s.op->owns(copy);
      add_locked(e, op, *s.op);
    }
    return s;
  }
  /// Drops all parts of an operation that is open: receives, and sends that own their data, which
  /// continue alone. Returns false if the memory of a receive is still accessed; it has to be
  /// called again when a part is complete.
  static bool drop_parts_locked(endpoint_type& e, operation& op) noexcept {
    compound& c = compound_of(op);
    for (operation** at = &c.first; *at != nullptr;) {
      operation& part = **at;
      operation* const following = part.next;
      const bool sends = part.role == role::send && !part.done();
      if (sends) part.holder = holder::nobody;
      if (sends || e.part(part)) {
        *at = following;
      } else {
        at = &part.next;
      }
    }
    if (c.first != nullptr) return false;
    c.pending = c.parts = c.cancelled = c.receives = 0;
    c.failed = nullptr;
    return true;
  }
  /// Calls f(extension) for each extension of an operation of this rank.
  template <class F>
  static void for_each_extension_locked(endpoint_type& e, F&& f) {
    e.pool().for_each([&](const operation& op) {
      if (op.role == role::compound && compound_of(op).more != nullptr) f(*compound_of(op).more);
    });
  }
  /// Completes `op` with a failure, whatever its parts do.
  static void fail_locked(endpoint_type& e, operation& op, errc why) noexcept {
    compound_of(op).open = false;
    complete_locked(e, op, why);
  }
  static void run(endpoint_type& e, extension& more) noexcept {
    lock_guard lock(e.threading());
    more.run_locked();
  }
  /// Returns f(), called under the lock.
  template <class F>
  static bool look(endpoint_type& e, F&& f) noexcept {
    lock_guard lock(e.threading());
    return f();
  }

  // --- Generalized -------------------------------------------------------------------------------

  /// Completes a generalized operation and wakes calls that wait for it.
  static void complete(endpoint_type& e, operation& op, errc failure, std::size_t bytes) noexcept {
    lock_guard lock(e.threading());
    op.data.bytes = bytes;
    complete_locked(e, op, failure);
    if constexpr (endpoint_type::concurrent) e.pace().wake_waiters();
  }

  // --- Requests of any kind ----------------------------------------------------------------------

  /// Cancels every part that can be cancelled. Returns true if there was one.
  static bool cancel(endpoint_type& e, operation& op) {
    if (op.role != role::compound) return e.cancel(op);
    if (compound_of(op).plan != nullptr || compound_of(op).more != nullptr) return false;
    bool some = false;
    for (operation* part = compound_of(op).first; part != nullptr; part = part->next)
      some = cancel(e, *part) || some;
    return some;
  }
  /// Called when the status has been taken: returns the operation to the pool, or makes it
  /// inactive. Parts that are incomplete, because one has lost its peer, are dropped.
  static void release(endpoint_type& e, operation& op) {
    drop_parts(e, op);
    if (is_persistent(op)) {
      lock_guard lock(e.threading());
      compound_of(op).active = false;
      op.failure = errc{};
      op.cancelled = false;
      clear_status(op);
    } else {
      drop_added(e, op);
      e.release(op);
    }
  }
  /// Ends an operation whose request is dropped. Nothing touches its buffers after this returns.
  static void abandon(endpoint_type& e, operation& op) {
    if (op.role != role::compound) return e.abandon(op);
    if (compound_of(op).kind == compound_kind::generalized) return detach(e, op);
    if (compound_of(op).kind == compound_kind::schedule) schedules<Stack>::give_up(e, op);
    if (outlives_request(e, op)) return detach(e, op);
    drop_parts(e, op);
    drop_added(e, op);
    e.release(op);
  }
  /// Lets an operation continue without a request; it returns to the pool at its end.
  static void detach(endpoint_type& e, operation& op) noexcept {
    lock_guard lock(e.threading());
    if (op.done()) {
      give_locked(e, op);
    } else {
      op.holder = holder::nobody;
    }
  }

  /// Called when an operation is complete that is a part, is awaited, or has no request.
  [[gnu::noinline]] static void finished_locked(endpoint_type& e, operation& op) noexcept {
    if (op.holder == holder::nobody) return give_locked(e, op);
    if (op.holder == holder::watcher) return op.tell_watcher();
    operation& parent = *op.parent;
    if (schedule* const plan = compound_of(parent).plan; plan != nullptr)
      return schedules<Stack>::part_done_locked(e, *plan, op);
    extension* const more = compound_of(parent).more;
    if (more != nullptr && more->part_done_locked(op)) schedules<Stack>::make_due(e, *more);
    note_locked(parent, op);
    settle_locked(e, parent);
  }
  /// Deletes the extension of `op`.
  static void drop_more_locked(endpoint_type& e, const operation& op) noexcept {
    extension* const more = detail::exchange(compound_of(op).more, nullptr);
    if (more != nullptr) schedules<Stack>::forget_due(e, *more);
    delete more;
  }

 private:
  friend schedules<Stack>;
  friend endpoint_type;

  static void forget_locked(endpoint_type& e, const operation& op) noexcept {
    delete detail::exchange(compound_of(op).plan, nullptr);
    drop_more_locked(e, op);
  }
  /// Deletes the plan of a schedule and the extension of a layer above. Other threads access both
  /// under the lock; objects kept by a plan have destructors of the program, which run without it.
  [[gnu::noinline]] static void drop_added(endpoint_type& e, const operation& op) noexcept {
    compound& c = compound_of(op);
    if (c.plan == nullptr && c.more == nullptr) return;
    dropped_schedules gone;
    lock_guard lock(e.threading());
    if (c.plan != nullptr) gone.add(*detail::exchange(c.plan, nullptr));
    drop_more_locked(e, op);
  }
  static errc start_extended(endpoint_type& e, operation& op) noexcept {
    compound& c = compound_of(op);
    const auto become = [&](bool active, stage s) {
      lock_guard lock(e.threading());
      c.active = c.open = active;
      op.stage = s;
    };
    become(true, stage::copying);
    const errc why = c.more->start();
    if (why != errc{}) become(false, stage::complete);
    return why;
  }

  static bool outlives_request(endpoint_type& e, operation& op) noexcept {
    extension* const more = compound_of(op).more;
    if (more == nullptr) return false;
    lock_guard lock(e.threading());
    return more->outlives_request_locked();
  }
  static void clear_status(operation& op) noexcept {
    op.peer = null_peer;
    op.tag = any_tag;
    op.data = {};
  }
  static void add_locked(endpoint_type& e, operation& op, operation& part) noexcept {
    compound& c = compound_of(op);
    part.next = detail::exchange(c.first, &part);
    part.parent = &op;
    part.holder = holder::parent;
    ++c.parts;
    ++c.pending;
    if (c.again && c.ranks != nullptr) {
      part.ranks = c.ranks;
      if (part.role == role::receive) part.flags = 1;
    }
    // With several receives the status would be that of any of them.
    if (c.kind == compound_kind::composite && part.role == role::receive && ++c.receives == 2)
      clear_status(op);
    if (!part.done()) return;
    note_locked(op, part);
    settle_locked(e, op);
  }
  static void note_locked(operation& parent, operation& part) noexcept {
    compound& c = compound_of(parent);
    --c.pending;
    c.cancelled += part.cancelled;
    if (part.failure != errc{} && c.failed == nullptr) c.failed = &part;
    if (c.kind == compound_kind::persistent) {
      parent.peer = part.peer;
      parent.tag = part.tag;
      parent.data.bytes = part.role == role::receive ? part.message_bytes : part.data.bytes;
    } else if (c.kind == compound_kind::composite && c.receives == 1 &&
               part.role == role::receive) {
      parent.peer = part.peer;
      parent.tag = part.tag;
      parent.data.bytes = part.message_bytes;
      parent.ranks = part.flags == 0 ? nullptr : part.ranks;
    }
  }
  /// Completes a compound that has nothing left to wait for.
  static void settle_locked(endpoint_type& e, operation& op) noexcept {
    const compound& c = compound_of(op);
    if (c.open || op.done()) return;
    const errc why = c.failed != nullptr ? c.failed->failure : errc{};
    if (c.pending != 0 && !is_loss(why)) return;
    op.cancelled = c.parts != 0 && c.cancelled == c.parts;
    complete_locked(e, op, c.more == nullptr ? why : c.more->end_locked(why));
  }
  static void complete_locked(endpoint_type& e, operation& op, errc failure) noexcept {
    op.fails(failure);
    op.stage = stage::complete;
    e.pace().completed();
    if (op.holder != holder::request) e.cold_.finished_locked(e, op);
  }
  /// Returns an operation without a request to the pool. Incomplete parts continue alone.
  static void give_locked(endpoint_type& e, operation& op) noexcept {
    if (op.role == role::compound) {
      for (operation* part = detail::exchange(compound_of(op).first, nullptr); part != nullptr;) {
        operation& gone = *detail::exchange(part, part->next);
        if (gone.done()) {
          give_locked(e, gone);
        } else {
          gone.holder = holder::nobody;
        }
      }
      if (schedule* const plan = detail::exchange(compound_of(op).plan, nullptr); plan != nullptr)
        e.schedules_.gone.add(*plan);
      drop_more_locked(e, op);
    }
    e.give(op);
  }
  /// Takes the parts out, and ends them as if their requests had been dropped.
  static void drop_parts(endpoint_type& e, operation& op) {
    operation* part = nullptr;
    {
      lock_guard lock(e.threading());
      compound& c = compound_of(op);
      part = detail::exchange(c.first, nullptr);
      for (operation* p = part; p != nullptr; p = p->next) p->holder = holder::request;
      c.pending = c.parts = c.cancelled = 0;
      c.failed = nullptr;
    }
    while (part != nullptr) {
      operation& gone = *detail::exchange(part, part->next);
      abandon(e, gone);
    }
  }
};

/// Called for each operation that is left when the endpoint is destroyed.
template <class Stack>
[[gnu::noinline, gnu::cold]] void endpoint<Stack>::forget(operation& op) noexcept {
  if (op.role == role::compound) compounds<Stack>::forget_locked(*this, op);
  if (op.owned != nullptr && !op.owned_by_attached) free_owned(op);
}

/// Handles a complete operation that no request refers to.
template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::finish_unheld(operation& op) noexcept {
  if (op.holder == holder::watcher) return op.tell_watcher();
  if (op.role == role::compound || op.holder == holder::parent)
    compounds<Stack>::finished_locked(*this, op);
  else
    give(op);
}

}  // namespace mpx::inline v0::detail
