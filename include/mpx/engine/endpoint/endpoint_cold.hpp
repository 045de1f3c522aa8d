// SPDX-License-Identifier: BSL-1.0
#pragma once
// The slow paths of an endpoint. Included by files that make endpoints; the fast paths of other
// files reach them through `cold_calls`.

#include <exception>
#include <string>

#include "mpx/core/exchange.hpp"
#include "mpx/engine/endpoint/describe.hpp"
#include "mpx/engine/endpoint/endpoint.hpp"
#include "mpx/engine/endpoint/endpoint_blocks.hpp"
#include "mpx/engine/endpoint/raise.hpp"

namespace mpx::inline v0::detail {

/// Functions of `cold_calls`. All take the endpoint's lock, except those named `_locked` and
/// `poll`, which require it.
template <class Stack>
struct cold_paths {
  using endpoint_type = endpoint<Stack>;
  using transport_type = typename endpoint_type::transport_type;

  // --- Messages ----------------------------------------------------------------------------------

  [[gnu::noinline]] static started send_locked(endpoint_type& e, std::byte* base, std::size_t bytes,
                                               const layout* how, peer_id to, match_bits bits) {
    if (!e.countdown().passes(call_weight::flush)) [[unlikely]] {
      e.peers().refill_countdown();
      e.pace().poll_unblocked();  // Holds the lock, so it does not yield.
    }
    if (how == nullptr && e.outbox().send_short_prepaid({{base, bytes, how}, to, bits})) return {};
    return send_unpaid_locked(e, base, bytes, how, to, bits);
  }
  [[gnu::noinline]] static started send_unpaid_locked(endpoint_type& e, std::byte* base,
                                                      std::size_t bytes, const layout* how,
                                                      peer_id to, match_bits bits) {
    const send_call c{{base, bytes, how}, to, bits};
    return how == nullptr && e.outbox().send_and_buy_credit(c) ? started{}
                                                               : send_queued_locked(e, c, 0);
  }
  static started send_queued_locked(endpoint_type& e, const send_call& c, std::uint8_t flags) {
    const std::uint64_t before = e.pace().completions();
    const started s = e.outbox().send(c, flags);
    e.pace().wake_waiters_if_new(before);
    return s;
  }
  static errc send_buffered_locked(endpoint_type& e, const send_call& c) {
    return e.outbox().send_buffered(c);
  }
  static bool quiet_locked(endpoint_type& e, peer_id to) noexcept {
    return e.outbox().quiet_slow(to);
  }
  static void receive_slow_locked(endpoint_type& e, direct_receive& d) {
    e.inbox().receive_slow(d);
  }
  static void receive_stored_locked(endpoint_type& e, direct_receive& d) {
    e.inbox().receive_stored(d);
  }
  static bool met_or_unmatchable_locked(endpoint_type& e, operation& op) {
    return e.inbox().met_or_unmatchable(op);
  }
  static started receive_nothing_locked(endpoint_type& e) {
    return e.inbox().receive_nothing(null_peer);
  }
  static void owe_credit_locked(endpoint_type& e, peer_id source) { e.outbox().owe_credit(source); }
  static void receive_rest(endpoint_type& e, direct_receive& d, call_site site) {
    e.wait(*d.posted, site);
    lock_guard lock(e.threading());
    e.inbox().received(d, *d.posted);
  }

  // --- Progress and waiting ----------------------------------------------------------------------

  [[gnu::noinline]] static std::size_t poll(endpoint_type& e, polling how) {
    return e.pace().poll(how);
  }
  [[gnu::cold]] static void poll_overdue(endpoint_type& e) noexcept {
    e.peers().refill_countdown();
    progress(e);
  }
  static void progress(endpoint_type& e) {
    bool oversubscribed = false;
    {
      lock_guard lock(e.threading());
      oversubscribed = e.pace().poll_unblocked();
    }
    if (oversubscribed) e.pace().yield();
  }
  static bool test(endpoint_type& e, operation& op) {
    bool oversubscribed = false;
    bool done = false;
    {
      lock_guard lock(e.threading());
      done = op.done();
      if (!done) {
        oversubscribed = e.pace().poll_unblocked();
        if (op.done()) return true;
      }
    }
    if (done) e.pass_without_poll();
    if (oversubscribed) e.pace().yield();
    return done;
  }
  static void wait_slow(endpoint_type& e, operation& op, call_site site) {
    if (op.role == role::compound)
      return static_cast<void>(wait_for_parts(e, op, site, [] { return false; }));
    wait_until(e, site, {wait_kind::all, awaited::form::one, &op}, [&op] { return op.done(); });
  }
  static bool wait_unless(endpoint_type& e, operation& op, call_site site,
                          function_ref<bool()> lost) {
    if (op.role == role::compound) return wait_for_parts(e, op, site, lost);
    return wait_or(e, op, site, [&] { return e.peers().failures() != 0 && lost(); });
  }
  /// Blocks until `op` is complete or `stop()` returns true. `stop` is called under the lock.
  /// Returns true if `op` is complete.
  static bool wait_or(endpoint_type& e, operation& op, call_site site, function_ref<bool()> stop) {
    if (operation* const it = &op; e.done_after_poll(it)) return true;
    bool done = false;
    wait_until(e, site, {wait_kind::all, awaited::form::one, &op}, [&] {
      done = op.done();
      return done || stop();
    });
    return done;
  }
  /// As above, for a compound operation: a hang report lists its parts.
  static bool wait_for_parts(endpoint_type& e, operation& op, call_site site,
                             function_ref<bool()> stop) {
    const auto each = [](const void* of, operation_list::taker taker, void* context) {
      for_each_part(*static_cast<const operation*>(of), taker, context);
    };
    const operation_list parts{each, &op};
    bool done = false;
    wait_until(e, site, {wait_kind::all, awaited::form::several, &parts},
               [&] { return (done = op.done()) || stop(); });
    return done;
  }
  static void wait_until(endpoint_type& e, call_site site, awaited on, function_ref<bool()> done) {
    e.pace().wait_until(e.threading(), site, on, done);
  }

  // --- Probes ------------------------------------------------------------------------------------

  static bool polled_in_vain_locked(endpoint_type& e) { return e.pace().polled_in_vain(); }
  static typename cold_calls<Stack>::found find_locked(endpoint_type& e, pattern want) noexcept {
    errc failure{};
    arrived_message* const m = e.inbox().find(want, failure);
    return {m, failure};
  }
  static probe_result wait_probe(endpoint_type& e, const pattern& want, call_site site,
                                 errc& failure) {
    probe_result found;
    wait_probing(e, want, site, [&] {
      arrived_message* m = e.inbox().find(want, failure);
      if (m != nullptr) found = probe_result{m->is.source, m->is.tag(), m->bytes};
      return m != nullptr || failure != errc{};
    });
    return found;
  }
  static arrived_message* take_by_probe(endpoint_type& e, const pattern& want, errc& failure) {
    arrived_message* found = nullptr;
    bool oversubscribed = false;
    {
      lock_guard lock(e.threading());
      oversubscribed = e.poll_probing();
      found = e.inbox().take_by_probe(want, failure);
    }
    if (oversubscribed && found == nullptr) e.pace().yield();
    return found;
  }
  static arrived_message* wait_and_take_by_probe(endpoint_type& e, const pattern& want,
                                                 call_site site, errc& failure) {
    arrived_message* found = nullptr;
    wait_probing(e, want, site, [&] {
      found = e.inbox().take_by_probe(want, failure);
      return found != nullptr || failure != errc{};
    });
    return found;
  }
  static started receive_probed(endpoint_type& e, arrived_message* m, const memory& into) {
    lock_guard lock(e.threading());
    return e.inbox().receive_probed(m, into);
  }
  static void discard(endpoint_type& e, arrived_message* m) noexcept {
    lock_guard lock(e.threading());
    e.inbox().discard(m);
  }

  // --- Collectives -------------------------------------------------------------------------------

  static bool begin_collective(endpoint_type& e, collective_call call) {
    lock_guard lock(e.threading());
    return e.begin_collective_locked(call);
  }
  /// Blocks until `op` is complete, or the collective can never end. Returns true if `op` is
  /// complete. `by_messages`: the ranks could have communicated through shared memory, and then no
  /// rank would send the message that this one waits for; a long wait checks that.
  static bool wait_in_collective(endpoint_type& e, operation& op, call_site site,
                                 collective_call call, bool by_messages) {
    constexpr unsigned looks_each = 8;
    unsigned looks = 0;
    return wait_or(e, op, site, [&] {
      return collective_lost_locked(e, call) ||
             (by_messages && ++looks % looks_each == 0 && call.of->node->is_used_by(call.serial));
    });
  }
  /// Tells the other ranks that this rank has left a collective, so that they do not wait for it.
  static void give_up_collective(endpoint_type& e, collective_call call, errc why) noexcept {
    lock_guard lock(e.threading());
    e.give_up_collective_locked(call, why);
  }
  /// Returns the reason why a collective cannot succeed, with the rank that is lost or has left it.
  static collective_failure failure_of_collective(endpoint_type& e, collective_call call) {
    lock_guard lock(e.threading());
    return e.failure_of_collective_locked(call);
  }
  /// True if the collective can never end: a member is lost or has left it with an error, or the
  /// communicator is revoked.
  static bool collective_lost_locked(endpoint_type& e, collective_call call) noexcept {
    return e.cannot_end(call) || e.revocations_.contains(call);
  }
  /// See progress_component::wait_for_flag.
  static bool wait_for_flag(endpoint_type& e, call_site site, awaited on, const flag_watch& w) {
    return e.pace().wait_for_flag(e.threading(), site, on, w);
  }

  // --- The end of operations ---------------------------------------------------------------------

  /// Returns an operation to the pool that has failed or owns something.
  static void give_special_locked(endpoint_type& e, operation& op) noexcept {
    if (op.owned != nullptr) e.free_owned(op);
    op.failure = errc{};
    e.pool().give(&op);
  }
  static void abandon(endpoint_type& e, operation& op) {
    wait_until(e, {"the end of a dropped request"}, {wait_kind::all, awaited::form::one, &op},
               [&] { return e.part(op); });
  }

  // --- Errors ------------------------------------------------------------------------------------

  [[gnu::cold]] static std::string loss_text(endpoint_type& e, peer_id peer, errc why) {
    std::string text = e.peers().loss_text(peer, why);
    lock_guard lock(e.threading());
    if (!text.empty() || why != errc::peer_lost || peer >= e.transport().peers()) return text;
    text = e.transport().loss_text(peer);
    if (!text.empty()) text.insert(0, ": ");
    return text;
  }
  [[noreturn, gnu::cold]] static void raise_call(endpoint_type& e, const failed_call& c,
                                                 std::source_location where) {
    std::string s = describe(c.what, c.rank, c.direction, c.other, c.tag, c.context, c.bytes,
                             c.of->ranks, c.of->name);
    if (c.why == errc::truncate) append(s, " of room for a message of %zu", c.got);
    if (c.why == errc::count) append(s, " of one value, but the message has %zu bytes", c.got);
    if constexpr (Stack::checks_type::compares_types) {
      if (c.why == errc::type) add_types(s, c.sent, c.expected);
    }
    if (c.why == errc::rank)
      add_ranks(s, c.size, c.other == any_source ? "any_source is for receives, " : "");
    if (c.why == errc::tag && c.tag == any_tag) append(s, ": any_tag is for receives");
    if (c.why == errc::tag && c.tag != any_tag) append(s, ": tag %d is negative", c.tag);
    if (c.other < c.size)
      append(s, "%s", loss_text(e, communicators::peer_of(*c.of, c.other), c.why).c_str());
    if (c.why == errc::no_resources) append(s, "%s", e.limit_text().c_str());
    if (c.why == errc::buffer) append(s, ": attach more memory with environment::attach_buffer");
    raise_error(e, c.of, error(c.why, s, where));
  }
  /// Releases the operation of a request, which is empty afterwards unless it is persistent, and
  /// throws its failure.
  [[noreturn, gnu::cold]] static void raise_operation(endpoint_type*& of, operation*& request,
                                                      std::source_location where) {
    endpoint_type& e = *of;
    operation& op = *request;
    const errc why = op.failure;
    const std::exception_ptr thrown = schedules<Stack>::thrown_by(op);
    const communicator_state* communicator = nullptr;
    std::string what;
    if (thrown == nullptr) {
      lock_guard lock(e.threading());
      communicator = e.communicators_.find(context_of_operation(op));
    }
    if (thrown == nullptr) {
      what = describe(op, e.self(), endpoint_type::context_mask,
                      communicator == nullptr ? nullptr : communicator->name);
      what.append(loss_text(e, culprit(op), why));
    }
    if (!is_persistent(op)) {
      request = nullptr;
      of = nullptr;
    }
    op.role == role::compound ? compounds<Stack>::release(e, op) : e.release(op);
    if (thrown != nullptr) std::rethrow_exception(thrown);
    raise_error(e, communicator, error(why, what, where));
  }
  [[noreturn, gnu::cold]] static void raise_collective(endpoint_type& e,
                                                       const collective_failure& f, rank_t rank,
                                                       rank_t size, collective_call call,
                                                       call_site site) {
    const communicator_state& of = *call.of;
    std::string s = describe(f, site.name, rank, size, call, of.ranks, of.name);
    if (f.names_lost() && f.other < size)
      append(s, "%s", loss_text(e, communicators::peer_of(of, f.other), f.why).c_str());
    raise_error(e, &of, error(f.why, s, site.where));
  }
  [[gnu::cold]] static void abort_job(endpoint_type& e, const char* why) {
    e.peers().abort_job(why);
  }

 private:
  static constexpr const block_calls<Stack>* blocks() noexcept {
    if constexpr (SharedMemoryTransport<transport_type>) return &block_paths<Stack>::calls;
    return nullptr;
  }
  template <class Done>
  static void wait_probing(endpoint_type& e, const pattern& want, call_site site, Done&& done) {
    const auto probing = [&e](int more) {
      lock_guard lock(e.threading());
      e.inbox().probing(more);
    };
    probing(1);
    wait_until(e, site, {wait_kind::all, awaited::form::probed, &want}, done);
    probing(-1);
  }

 public:
  static constexpr cold_calls<Stack> calls{
      .send_locked = &send_locked,
      .send_queued_locked = &send_queued_locked,
      .send_buffered_locked = &send_buffered_locked,
      .quiet_locked = &quiet_locked,
      .receive_slow_locked = &receive_slow_locked,
      .receive_stored_locked = &receive_stored_locked,
      .met_or_unmatchable_locked = &met_or_unmatchable_locked,
      .receive_nothing_locked = &receive_nothing_locked,
      .owe_credit_locked = &owe_credit_locked,
      .receive_rest = &receive_rest,
      .poll = &poll,
      .poll_overdue = &poll_overdue,
      .progress = &progress,
      .test = &test,
      .wait_slow = &wait_slow,
      .wait_unless = &wait_unless,
      .wait_until = &wait_until,
      .polled_in_vain_locked = &polled_in_vain_locked,
      .find_locked = &find_locked,
      .wait_probe = &wait_probe,
      .take_by_probe = &take_by_probe,
      .wait_and_take_by_probe = &wait_and_take_by_probe,
      .receive_probed = &receive_probed,
      .discard = &discard,
      .begin_collective = &begin_collective,
      .wait_in_collective = &wait_in_collective,
      .give_up_collective = &give_up_collective,
      .failure_of_collective = &failure_of_collective,
      .collective_lost_locked = &collective_lost_locked,
      .wait_for_flag = &wait_for_flag,
      .blocks = blocks(),
      .start_schedule = &schedules<Stack>::start,
      .finished_locked = &compounds<Stack>::finished_locked,
      .give_special_locked = &give_special_locked,
      .abandon = &abandon,
      .release_compound = &compounds<Stack>::release,
      .abandon_compound = &compounds<Stack>::abandon,
      .raise_call = &raise_call,
      .raise_operation = &raise_operation,
      .raise_collective = &raise_collective,
      .loss_text = &loss_text,
      .abort_job = &abort_job,
  };
};

}  // namespace mpx::inline v0::detail
