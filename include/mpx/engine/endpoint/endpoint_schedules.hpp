// SPDX-License-Identifier: BSL-1.0
#pragma once
// Started collectives: schedules, run round by round whenever any call makes progress. Included by
// endpoint.hpp.

#include "mpx/core/exchange.hpp"
#include "mpx/core/serials.hpp"
#include "mpx/engine/endpoint/endpoint.hpp"

namespace mpx::inline v0::detail {

/// Makes, starts and runs schedules. All functions take the endpoint's lock, except those named
/// `_locked`, which require it. A packet handler never runs a schedule: it makes it due, and the
/// call that polls runs it.
template <class Stack>
struct schedules {
  using endpoint_type = endpoint<Stack>;
  using cause = collective_failure::cause;

  /// Makes an operation for `plan`, which has been recorded (nullptr if memory was exhausted) and
  /// is owned by the operation from now on. `prepared`: the serial before its first start
  /// (prepared_serial); 0 if it runs once.
  /// Errors: errc::no_resources; `plan` is deleted then.
  static started make(endpoint_type& e, schedule* plan, tag_t prepared = 0) noexcept {
    started s{nullptr, errc::no_resources};
    if (plan == nullptr) return s;
    plan->serial = prepared;
    plan->finish();
    if (!plan->failed())
      s = compounds<Stack>::make(e, {.kind = compound_kind::schedule,
                                     .again = prepared_serial::is(prepared),
                                     .ranks = plan->state->ranks,
                                     .plan = plan});
    if (s.op == nullptr) delete plan;
    if (s.op != nullptr) plan->op = s.op;
    return s;
  }
  /// Starts the schedule.
  /// Requires: it is idle.
  [[gnu::noinline]] static void start(endpoint_type& e, operation& op) noexcept {
    e.pass_without_poll();
    lock_guard lock(e.threading());
    schedule& p = *compound_of(op).plan;
    compound_of(op).active = true;
    op.stage = stage::copying;
    if (prepared_serial::is(p.serial)) {
      p.serial = prepared_serial::next(p.serial);
    } else {
      p.serial = static_cast<tag_t>(p.state->collective_serial++ & 0x7fff'ffffu);
      p.state->started_last = p.serial;
    }
    p.at = 0;
    p.failure = {};
    p.thrown = nullptr;
    p.told = false;
    p.active = true;
    e.schedules_.active.push_back(p);
    e.schedules_.any = true;
    if (!e.begin_collective_locked(p.id()))
      return fail_locked(e, p, e.failure_of_collective_locked(p.id()));
    run_locked(e, p);
    if constexpr (endpoint_type::concurrent) e.pace().wake_waiters();
  }
  /// Ends a collective whose request is dropped: the other ranks are told not to wait for it.
  /// Nothing touches its buffers after this returns.
  [[gnu::noinline, gnu::cold]] static void give_up(endpoint_type& e, operation& op) {
    {
      lock_guard lock(e.threading());
      schedule& p = *compound_of(op).plan;
      if (p.active && p.failure.why == errc{}) {
        p.told = true;
        e.give_up_collective_locked(p.id(), errc{});
        fail_locked(e, p, {errc::peer_lost});
      }
    }
    e.wait_until({"the end of a dropped collective"}, {}, [&op] { return op.done(); });
  }
  /// Returns the exception of the user's operation, or nullptr.
  static std::exception_ptr thrown_by(const operation& op) noexcept {
    const schedule* const p = op.role == role::compound ? compound_of(op).plan : nullptr;
    return p == nullptr ? nullptr : p->thrown;
  }

  /// Handles a complete part.
  static void part_done_locked(endpoint_type& e, schedule& p, operation& part) noexcept {
    const bool wrong = is_wrong(part);
    if (wrong) [[unlikely]]
      note(p, part);
    if (wrong || &part == compound_of(*p.op).first) make_due(e, p);
  }
  /// Rechecks all active schedules after a rank was lost or has left a collective.
  [[gnu::noinline]] static void recheck_locked(endpoint_type& e) noexcept {
    for (schedule& p : e.schedules_.active) make_due(e, p);
    if (e.orphaned()) run_due_locked(e);  // No call polls in a forked child.
  }
  /// Runs the due schedules and extensions. Returns their number.
  [[gnu::noinline]] static std::size_t run_due_locked(endpoint_type& e) noexcept {
    schedule_list& l = e.schedules_;
    if (l.due_count == 0 || l.running) return 0;
    l.running = true;
    e.inbox().post_direct_if_any();
    const std::size_t n = l.due_count;  // Later ones run after the next poll.
    for (std::size_t i = 0; i < n && l.due_count != 0; ++i) {
      if (l.due.empty()) {
        extension& x = l.extensions.front();
        forget_due(e, x);
        x.run_locked();
        continue;
      }
      schedule& p = l.due.front();
      forget_due(e, p);
      if (p.failure.why == errc{}) {
        run_locked(e, p);
      } else {
        fail_locked(e, p, p.failure);
      }
    }
    l.running = false;
    return n;
  }
  /// Looks for mismatched collectives after a wait without result. If ranks give very different
  /// lengths, they use different algorithms, and messages of one match no receive of another. A
  /// stored message shows this if its call is over here, or is not the next one from its rank.
  /// Ranks that wait for such a call are told.
  [[gnu::noinline, gnu::cold]] static void look_locked(endpoint_type& e) noexcept {
    if (e.schedules_.looks_off != 0) return static_cast<void>(--e.schedules_.looks_off);
    for (collective_call over{}; (over = look_once(e)).of != nullptr;) {
      // Or this rank has left it because another rank had.
      const errc why = e.revocations_.some_left() ? errc::peer_lost : errc::count;
      e.give_up_collective_locked(over, why);
      e.inbox().discard_if(over.context, [&](const envelope& is) {
        return is.context() == over.context && is.tag() == over.serial;
      });
    }
  }
  /// Makes an extension due: `run_locked` will be called.
  static void make_due(endpoint_type& e, extension& x) noexcept {
    if (detail::exchange(x.due, true)) return;
    e.schedules_.extensions.push_back(x);
    count_due(e, 1);
    e.pace().completed();  // A waiting thread has to run it.
  }
  static void forget_due(endpoint_type& e, extension& x) noexcept {
    if (!detail::exchange(x.due, false)) return;
    linked_list<extension, extension_tag>::erase(x);
    count_due(e, -1);
  }

 private:
  static void count_due(endpoint_type& e, int more) noexcept {
    e.schedules_.due_count += static_cast<std::size_t>(more);
    e.peers().set_due(e.schedules_.due_count != 0);
  }
  static void make_due(endpoint_type& e, schedule& p) noexcept {
    if (p.due || p.advancing || !p.active) return;
    p.due = true;
    e.schedules_.due.push_back(p);
    count_due(e, 1);
    e.pace().completed();  // A waiting thread has to run it.
  }
  static void forget_due(endpoint_type& e, schedule& p) noexcept {
    if (!p.due) return;
    p.due = false;
    linked_list<schedule, due_tag>::erase(p);
    count_due(e, -1);
  }
  /// True if the part has failed, or its message has another length than its buffer.
  static bool is_wrong(const operation& part) noexcept {
    return part.failure != errc{} ||
           (part.role == role::receive && part.message_bytes != part.data.bytes);
  }
  [[gnu::noinline, gnu::cold]] static void note(schedule& p, const operation& part) noexcept {
    if (p.failure.why != errc{}) return;
    const bool other_length = part.failure == errc{};
    p.failure = {other_length ? errc::count : part.failure,
                 other_length ? cause::length : cause::message,
                 part.role == role::send,
                 rank_in(p, part.peer),
                 part.data.bytes,
                 part.message_bytes};
  }
  static constexpr tag_t none_started = -1;
  /// Returns the serial of the last start of the prepared collective that `serial` belongs to, if
  /// it is here.
  static tag_t last_start_of(endpoint_type& e, context_id context, tag_t serial) noexcept {
    tag_t last = none_started;
    e.pool().for_each([&](const operation& op) {
      const schedule* const p = op.role == role::compound ? compound_of(op).plan : nullptr;
      if (p != nullptr && p->context == context && prepared_serial::is(p->serial) &&
          prepared_serial::number_of(p->serial) == prepared_serial::number_of(serial))
        last = p->serial;
    });
    return last;
  }
  /// Looks at all unexpected messages. Returns a call that is over here; one without a communicator
  /// if there is none.
  static collective_call look_once(endpoint_type& e) noexcept {
    collective_call over{no_context, 0};
    std::size_t n = 0;
    e.inbox().for_each_unexpected([&](const arrived_message& m, bool probed) {
      ++n;
      const context_id context = m.is.context();
      if (probed || (context & 1) == 0 || context >= e.communicators_.numbers().own_bit()) return;
      const tag_t serial = m.is.tag();
      const bool prepared = prepared_serial::is(serial);
      if (serial < 0 && !prepared) return;  // Of a partitioned message, not of a call.
      for (schedule& p : e.schedules_.active)
        if (p.context == context && p.serial == serial) return look_at(e, p, m);
      communicator_state* const s = e.communicators_.find(context);
      if (s == nullptr) return;
      const tag_t last = prepared ? last_start_of(e, context, serial) : s->started_last;
      if (last != none_started && !is_serial_before(last, serial)) over = {context, serial, s};
    });
    e.schedules_.looks_off = n / 64;
    return over;
  }
  /// Checks a message of an active call for which no receive has been posted.
  static void look_at(endpoint_type& e, schedule& p, const arrived_message& m) noexcept {
    if (p.failure.why != errc{} || p.advancing) return;
    errc none{};
    const pattern as = pattern::of(m.is.bits, 0, m.is.source);
    if (e.inbox().find(as, none) != &m) return;  // An earlier message comes first.
    const rank_t from = rank_in(p, m.is.source);
    for (std::size_t i = p.at; i < p.steps.size(); ++i) {
      const schedule::step& s = p.steps[i];
      const bool receives =
          s.kind == schedule::kind::receive || s.kind == schedule::kind::receive_ahead;
      if (!receives || s.other != from) continue;
      if (s.to.bytes == m.bytes) return;
      p.failure = {errc::count, cause::length, false, from, s.to.bytes, m.bytes};
      return make_due(e, p);
    }
    p.failure = {errc::count, cause::argument, false, from, 0, 0, collective_failure::other_ways};
    make_due(e, p);
  }
  static rank_t rank_in(const schedule& p, peer_id peer) noexcept {
    return p.state->ranks == nullptr ? world_rank(peer) : p.state->ranks->rank_of(peer);
  }

  /// Executes steps until the schedule has to wait or ends. `p` may be deleted afterwards.
  static void run_locked(endpoint_type& e, schedule& p) noexcept {
    p.advancing = true;
    while (p.failure.why == errc{} && p.at != p.steps.size() && step_locked(e, p)) ++p.at;
    p.advancing = false;
    if (p.failure.why == errc{} && p.at == p.steps.size()) return end_locked(e, p);
    if (p.failure.why == errc{} && !e.collective_lost(p.id())) return;
    fail_locked(e, p, e.failure_of_collective_locked(p.id()));
  }
  /// Executes one step. Returns false if the schedule has to wait.
  static bool step_locked(endpoint_type& e, schedule& p) noexcept {
    const schedule::step& s = p.steps[p.at];
    operation*& parts = compound_of(*p.op).first;
    switch (s.kind) {
      case schedule::kind::send: {
        send_call c{s.to, p.peer_of(s.other), p.context, p.serial};
        if (c.data.contiguous() && e.outbox().send_without_operation(c)) return true;
        started sent{nullptr, errc::no_resources};
        if (lend(c.data)) {
          sent = cold_paths<Stack>::send_queued_locked(e, c, 0);
          take_back(c.data, sent);
        }
        add(p, parts, sent);
        return true;
      }
      case schedule::kind::receive: receive(e, p, s, parts); return true;
      case schedule::kind::receive_ahead: receive(e, p, s, p.ahead); return true;
      case schedule::kind::finish:
        if (!reap_locked(e, p)) return false;
        parts = detail::exchange(p.ahead, nullptr);
        return true;
      default: break;
    }
    try {
      schedule::work(s);
    } catch (...) {
      p.thrown = std::current_exception();
      p.failure = {errc::operation, cause::operation};
    }
    return true;
  }
  static void receive(endpoint_type& e, schedule& p, const schedule::step& s, operation*& parts) {
    pattern want = pattern::exactly(p.context, p.peer_of(s.other), p.serial);
    want.ignore |= type_mark<Stack::checks_type::compares_types>::ignored;
    memory into = s.to;
    started r{nullptr, errc::no_resources};
    if (lend(into)) {
      r = e.inbox().receive(into, want);
      take_back(into, r);
    }
    if (r.op != nullptr) r.op->flags = 1;
    add(p, parts, r);
  }
  static void add(schedule& p, operation*& parts, const started& s) noexcept {
    if (s.op == nullptr) {
      if (s.failure != errc{}) p.failure = {s.failure, cause::memory};
      return;
    }
    s.op->next = detail::exchange(parts, s.op);
    s.op->parent = p.op;
    s.op->holder = holder::parent;
    s.op->ranks = p.state->ranks;
    if (s.op->done() && is_wrong(*s.op)) note(p, *s.op);
  }
  /// Returns complete operations of a round to the pool. Returns true if all are complete; if not,
  /// the schedule becomes due when the first part is.
  static bool reap_locked(endpoint_type& e, schedule& p) noexcept {
    operation*& parts = compound_of(*p.op).first;
    while (parts != nullptr) {
      operation& part = *parts;
      if (!part.done()) return false;
      parts = part.next;
      e.give(part);
    }
    return p.failure.why == errc{};
  }

  /// Fails the schedule: tells the other ranks unless they know, and drops its parts. Called again
  /// if that takes a while.
  static void fail_locked(endpoint_type& e, schedule& p, const collective_failure& why) noexcept {
    if (p.failure.why == errc{}) p.failure = why;
    if (!detail::exchange(p.told, true) && p.failure.of != cause::mismatch)
      e.give_up_collective_locked(p.id(), p.failure.why);
    dissolve_locked(e, p);
  }
  /// Ends the schedule if nothing touches its buffers any more; else makes it due again.
  static void dissolve_locked(endpoint_type& e, schedule& p) noexcept {
    p.advancing = true;
    drop_locked(e, compound_of(*p.op).first);
    drop_locked(e, p.ahead);
    p.advancing = false;
    if (compound_of(*p.op).first == nullptr && p.ahead == nullptr) return end_locked(e, p);
    make_due(e, p);
  }
  static void drop_locked(endpoint_type& e, operation*& parts) noexcept {
    for (operation** at = &parts; *at != nullptr;) {
      operation& part = **at;
      operation* const next = part.next;
      if (e.part(part)) {
        *at = next;
      } else {
        at = &part.next;
      }
    }
  }
  static void end_locked(endpoint_type& e, schedule& p) noexcept {
    forget_due(e, p);
    p.active = false;
    linked_list<schedule, active_tag>::erase(p);
    compounds<Stack>::complete_locked(e, *p.op, p.failure.why);
  }
};

}  // namespace mpx::inline v0::detail
