// SPDX-License-Identifier: BSL-1.0
#pragma once
// The endpoint: all state of one rank in a job. It consists of the stack's policies, the operations
// and five components (`engine/components/`). Public calls take the thread model's lock; the
// components require that it is held.

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "mpx/core/function_ref.hpp"
#include "mpx/engine/base/blocked_call.hpp"
#include "mpx/engine/base/call_countdown.hpp"
#include "mpx/engine/base/calls.hpp"
#include "mpx/engine/base/service.hpp"
#include "mpx/engine/base/service_host.hpp"
#include "mpx/engine/communicators/communicators.hpp"
#include "mpx/engine/communicators/exposed_windows.hpp"
#include "mpx/engine/communicators/revocations.hpp"
#include "mpx/engine/components/inbox.hpp"
#include "mpx/engine/components/outbox.hpp"
#include "mpx/engine/components/peers.hpp"
#include "mpx/engine/components/progress.hpp"
#include "mpx/engine/components/rendezvous.hpp"
#include "mpx/engine/endpoint/cold_calls.hpp"
#include "mpx/engine/endpoint/compound.hpp"
#include "mpx/engine/endpoint/policies.hpp"
#include "mpx/engine/endpoint/schedule.hpp"
#include "mpx/watch/call_site.hpp"
#include "mpx/watch/hang_watch.hpp"

namespace mpx::inline v0::detail {

/// The policies (`endpoint_policies`) and the five components are base classes, so that a component
/// reaches another by a cast that costs nothing. A component's data members are private to it. Each
/// packet is handled by one component or service; a lost peer is announced to all of them.
template <class Stack>
class endpoint : endpoint_policies<Stack>,
                 peers_component<Stack, endpoint<Stack>>,
                 outbox_component<Stack, endpoint<Stack>>,
                 inbox_component<Stack, endpoint<Stack>>,
                 rendezvous_component<Stack, endpoint<Stack>>,
                 progress_component<Stack, endpoint<Stack>> {
  using policies_type = endpoint_policies<Stack>;
  using peers_type = peers_component<Stack, endpoint>;
  using outbox_type = outbox_component<Stack, endpoint>;
  using inbox_type = inbox_component<Stack, endpoint>;
  using rendezvous_type = rendezvous_component<Stack, endpoint>;
  using progress_type = progress_component<Stack, endpoint>;
  friend peers_type;
  friend outbox_type;
  friend inbox_type;
  friend rendezvous_type;
  friend progress_type;
  friend service_host_of<endpoint>;

 public:
  using transport_type = typename Stack::transport_type;
  using job_type = typename policies_type::job_type;
  using pool_type = typename policies_type::pool_type;
  static constexpr bool concurrent = shares_state<typename Stack::threading_type>;
  static constexpr context_id context_mask =
      type_mark<Stack::checks_type::compares_types>::context_mask;

  /// Collective over the ranks of the job. Requires: `job` outlives the endpoint.
  explicit endpoint(job_type& job) : endpoint(job, job, nullptr) {}
  /// Makes the endpoint of a process that joins later and has no peers yet.
  /// Requires: `own` is a job of this rank alone; `address` is the address of a member of the other
  /// job.
  /// Errors: those of the transport. See add_peer.
  endpoint(job_type& own, std::string_view address) requires ElasticTransport<transport_type>
      : endpoint(own, address, nullptr) {}
  endpoint(const endpoint&) = delete;
  endpoint& operator=(const endpoint&) = delete;
  [[gnu::noinline, gnu::cold]] ~endpoint() {
    pool().for_each([this](operation& op) { forget(op); });
    communicators_.forget_nodes();
  }

  peer_id self() const noexcept { return policies_type::transport().self(); }
  using policies_type::flow;
  using policies_type::is_there, policies_type::lifetime, policies_type::misuse,
      policies_type::now_ns;
  using policies_type::protocol;
  using policies_type::trace;
  using policies_type::transport;
  std::uint64_t unexpected_bytes() const {
    lock_guard lock(threading());
    return inbox_type::unexpected_bytes();
  }
  /// Sets the maximum length of an eager message; from the protocol's ceiling on there is no limit
  /// but those that were compiled.
  void limit_eager(std::size_t bytes) {
    lock_guard lock(threading());
    protocol() = {};
    if (bytes < eager_bytes_ceiling<typename Stack::protocol_type>) protocol().lower(bytes);
  }
  std::size_t eager_limit() {
    lock_guard lock(threading());
    return protocol().short_bytes_max();
  }

  // --- Starting ----------------------------------------------------------------------------------

  /// Starts a standard-mode send.
  /// Errors: errc::no_resources, for this and every other start; the call has no effect then.
  [[MPX_ALWAYS_INLINE]] started send(const send_call& c) {
    lock_guard lock(threading());
    if (c.data.contiguous() && may_send_at_once() && outbox().send_tiny_fast(c)) [[likely]]
      return {};
    return cold_.send_locked(*this, c.data.base, c.data.bytes, c.data.how, c.to, c.bits);
  }
  /// Sends a contiguous message if it can leave at once. Returns false, without effect, otherwise.
  [[MPX_ALWAYS_INLINE]] bool try_send(const send_call& c) {
    {
      lock_guard lock(threading());
      if (may_send_at_once() && outbox().send_tiny_fast(c)) [[likely]]
        return true;
    }
    return try_send_short(c.data.base, c.data.bytes, c.to, c.bits);
  }
  /// Starts a standard-mode send through an out-of-line call, for callers with too many sends to
  /// inline each.
  [[gnu::noinline]] started send_outlined(std::byte* base, std::size_t bytes, peer_id to,
                                          match_bits bits) {
    lock_guard lock(threading());
    return cold_.send_locked(*this, base, bytes, nullptr, to, bits);
  }
  /// Starts a synchronous or ready send, as `flag` says. Always returns an operation unless it
  /// fails.
  started send_flagged(const send_call& c, std::uint8_t flag) {
    lock_guard lock(threading());
    return cold_.send_queued_locked(*this, c, flag);
  }
  /// Sends from the attached buffer; complete on return.
  /// Returns: errc::buffer if the attached buffer has no room for the message.
  errc send_buffered(const send_call& c) {
    pass_without_poll();
    lock_guard lock(threading());
    return cold_.send_buffered_locked(*this, c);
  }
  /// Starts a receive. Returns an operation, which may be complete already.
  [[MPX_ALWAYS_INLINE]] started receive(const memory& into, const pattern& want) {
    lock_guard lock(threading());
    return inbox().receive(into, want);
  }
  /// Receives and polls for a while.
  /// Returns: d.failure is `undecided` if no message has arrived; `receive_rest` has to follow
  /// then.
  /// Cost: less than `receive` and `wait`: a message that arrives during the polls needs no
  /// operation and no matching.
  [[MPX_ALWAYS_INLINE]] void receive_now(direct_receive& d) {
    lock_guard lock(threading());
    inbox().receive_now(d);
  }
  void receive_rest(direct_receive& d, call_site site) { cold_.receive_rest(*this, d, site); }
  started receive_nothing() {
    pass_without_poll();
    lock_guard lock(threading());
    return cold_.receive_nothing_locked(*this);
  }

  // --- Finishing ---------------------------------------------------------------------------------

  /// Blocks until `op` is complete. `site` is the call that a hang report names.
  [[MPX_ALWAYS_INLINE]] void wait(operation& op, call_site site) {
    if (operation* const it = &op; !done_after_poll(it)) wait_slow(op, site);
  }
  /// Polls once unless `op` is complete. Returns true if `op` is complete; else `wait_slow` has to
  /// follow. Always returns false without polling if several threads may call. `op` is a reference
  /// to the caller's pointer: keeping the pointer in a register across the poll costs the caller
  /// more.
  [[MPX_ALWAYS_INLINE]] bool done_after_poll(operation* const& op) {
    if constexpr (Stack::threading_type::concurrent) return false;
    lock_guard lock(threading());
    if (op->done()) return true;
    cold_.poll(*this, polling::for_packets);  // Usually completes `op`: nothing is set up before.
    return op->done();
  }
  /// Blocks until `op`, of any kind, is complete.
  void wait_slow(operation& op, call_site site) { cold_.wait_slow(*this, op, site); }
  /// Blocks until `op` is complete, or until `lost()` returns true: the communicator of `op` has
  /// lost a rank. `lost` is called under the lock. Returns true if `op` is complete.
  bool wait_unless(operation& op, call_site site, function_ref<bool()> lost) {
    return cold_.wait_unless(*this, op, site, lost);
  }
  /// Polls once. Returns true if `op` is complete.
  bool test(operation& op) { return cold_.test(*this, op); }
  bool is_done(const operation& op) {
    lock_guard lock(threading());
    return op.done();
  }
  /// Blocks until `done()` returns true. `done` is called under the lock.
  void wait_until(call_site site, awaited on, function_ref<bool()> done) {
    cold_.wait_until(*this, site, on, done);
  }
  /// Gives the largest shares of the unexpected memory to these peers; see communicator::prefer.
  void prefer(std::span<const peer_id> peers);
  void progress() { cold_.progress(*this); }
  using typename peers_type::countdown_type;
  /// The counter behind `pass_without_poll`, for callers that decrement it themselves: they call
  /// `pass_without_poll` or `poll_overdue` if `passes` returns false.
  countdown_type& countdown() noexcept { return peers().countdown(); }
  /// Counts a call that does not poll, and makes progress once in many such calls. Every call that
  /// is done by loads and stores, or that finds nothing to wait for, calls it.
  /// Requires: the caller does not hold the lock.
  /// Cost: see call_countdown.
  [[MPX_ALWAYS_INLINE]] void pass_without_poll(call_weight weight = call_weight::call) noexcept {
    if (!countdown().passes(weight)) [[unlikely]]
      poll_overdue();
  }
  void poll_overdue() noexcept { cold_.poll_overdue(*this); }
  /// Returns a complete operation to the pool.
  [[MPX_ALWAYS_INLINE]] void release(operation& op) {
    lock_guard lock(threading());
    give(op);
  }
  /// Returns an operation that `is_over` to the pool, without the lock.
  [[MPX_ALWAYS_INLINE]] void release_over(operation& op) { pool().give(&op); }
  /// Takes the result of a complete operation: see compounds::release.
  void release_compound(operation& op) { cold_.release_compound(*this, op); }
  /// Ends an operation whose request is dropped. Nothing touches its buffer after this returns.
  void abandon(operation& op) { cold_.abandon(*this, op); }
  void abandon_compound(operation& op) { cold_.abandon_compound(*this, op); }
  bool cancel(operation& op);

  // --- Collectives -------------------------------------------------------------------------------

  bool begin_collective(collective_call call) { return cold_.begin_collective(*this, call); }
  bool wait_in_collective(operation& op, call_site site, collective_call call, bool by_messages) {
    return cold_.wait_in_collective(*this, op, site, call, by_messages);
  }
  void give_up_collective(collective_call call, errc why) noexcept {
    cold_.give_up_collective(*this, call, why);
  }
  collective_failure failure_of_collective(collective_call call) {
    return cold_.failure_of_collective(*this, call);
  }
  bool collective_lost(collective_call call) noexcept {
    return cold_.collective_lost_locked(*this, call);
  }

  /// Starts a recorded collective: see schedules::start.
  void start_schedule(operation& op) noexcept { cold_.start_schedule(*this, op); }

  // --- Probing -----------------------------------------------------------------------------------

  /// Polls once and looks for a matching message. `failure`: the reason why none can arrive any
  /// more, or errc{}.
  [[MPX_ALWAYS_INLINE]] std::optional<probe_result> probe(const pattern& want, errc& failure) {
    std::optional<probe_result> found;
    bool oversubscribed = false;
    {
      lock_guard lock(threading());
      oversubscribed = poll_probing();
      if (const arrived_message* m = find(want, failure); m != nullptr)
        found = probe_result{m->is.source, m->is.tag(), m->bytes};
    }
    if (oversubscribed && !found) [[unlikely]]
      pace().yield();
    return found;
  }
  /// Blocks until a message matches, or none can any more (`failure`).
  probe_result wait_probe(const pattern& want, call_site site, errc& failure) {
    return cold_.wait_probe(*this, want, site, failure);
  }
  /// Takes the earliest matching message out of matching; `receive_probed` or `discard` has to
  /// follow.
  arrived_message* take_by_probe(const pattern& want, errc& failure) {
    return cold_.take_by_probe(*this, want, failure);
  }
  arrived_message* wait_and_take_by_probe(const pattern& want, call_site site, errc& failure) {
    return cold_.wait_and_take_by_probe(*this, want, site, failure);
  }
  started receive_probed(arrived_message* m, const memory& into) {
    return cold_.receive_probed(*this, m, into);
  }
  void discard(arrived_message* m) noexcept { cold_.discard(*this, m); }

  // --- Buffers, arenas ---------------------------------------------------------------------------
  errc attach(std::span<std::byte> piece);
  std::span<std::byte> detach(call_site site);
  void* allocate(std::size_t bytes, std::size_t alignment) requires gives_memory<transport_type>;
  void deallocate(void* p, std::size_t bytes) noexcept requires gives_memory<transport_type>;

  // --- Losses and leaving ------------------------------------------------------------------------

  /// Acknowledges the failures known so far: receives from any source are possible again.
  void acknowledge_failures();
  /// Makes progress while all ranks leave the job together: polls until nothing more arrives, at
  /// most a bounded number of times.
  void drain();
  /// Called before this rank leaves alone. Flushes what it has sent to ranks that live, for at most
  /// `patience_ns`. If it leaves `in_good_order`, it tells them so.
  void send_last(std::int64_t patience_ns, bool in_good_order) noexcept;
  void assert_let_go(std::source_location joined) noexcept;
  /// Text for errc::no_resources when an operation does not start.
  static std::string limit_text() {
    return formatted(": %zu operations are under way, or memory is out",
                     std::size_t{pool_type::operations_max});
  }
  /// Throws the error of a call.
  [[noreturn]] void raise(const failed_call& call, std::source_location where) {
    cold_.raise_call(*this, call, where);
    __builtin_unreachable();
  }
  /// Throws the error of the operation of a request, which is empty afterwards unless it is
  /// persistent.
  [[noreturn]] static void raise_operation(endpoint*& e, operation*& op,
                                           std::source_location where) {
    e->cold_.raise_operation(e, op, where);
    __builtin_unreachable();
  }
  /// Throws the error of a collective.
  [[noreturn]] void raise(const collective_failure& f, rank_t rank, rank_t size,
                          collective_call call, call_site site) {
    cold_.raise_collective(*this, f, rank, size, call, site);
    __builtin_unreachable();
  }
  /// Returns ": " and details of a failure beyond its errc, from the job or else from the
  /// transport. Returns "" if nothing more is known.
  std::string loss_text(peer_id peer, errc why) { return cold_.loss_text(*this, peer, why); }
  /// Ends the job. Does not return.
  [[noreturn]] void abort_job(const char* why) {
    cold_.abort_job(*this, why);
    __builtin_unreachable();
  }
  using peers_type::host, peers_type::losses;
  using peers_type::orphaned, peers_type::ours;

  // --- Peers that join and leave -----------------------------------------------------------------

  std::string address() requires ElasticTransport<transport_type>
  {
    lock_guard lock(threading());
    return transport().address();
  }
  added_peer add_peer(std::string_view address) requires ElasticTransport<transport_type>;
  errc drop_peer(peer_id peer) requires ElasticTransport<transport_type>;
  // --- Services ----------------------------------------------------------------------------------

  /// Registers `s` for packets of kinds `first` to `last` and for notices of lost peers.
  /// Requires: `s` outlives the endpoint or is removed.
  /// Errors: errc::argument if a kind is taken or belongs to the engine.
  errc add_service(service& s, std::uint8_t first, std::uint8_t last) {
    lock_guard lock(threading());
    return services_.add(s, first, last);
  }
  void remove_service(const service& s) noexcept {
    lock_guard lock(threading());
    services_.remove(s);
  }
  /// Sends a packet of a service, in order with other answers to `to`. Does not wait. `payload` has
  /// at most 40 bytes and is copied.
  /// Errors: errc::peer_lost.
  errc send_to_service(peer_id to, const wire::header& h, std::span<const std::byte> payload) {
    lock_guard lock(threading());
    return outbox().send_control_copy(to, h, payload) ? errc{} : errc::peer_lost;
  }

  // --- Hangs (endpoint_hang.hpp) -----------------------------------------------------------------
  /// Marks a call that is blocked outside of the endpoint.
  using blocked_scope = typename progress_type::blocked_scope;
  progress_type& waits() noexcept { return *this; }
  /// Describes what this rank waits for and the contents of its queues, for a hang report.
  /// Threads: any.
  hang_info describe_hang();
  /// Reports to `watch` from now on when this rank waits.
  /// Requires: `watch` outlives the endpoint.
  void watch(hang_watch& watch) noexcept {
    if (watch.on() || watch.may_be_asked())
      pace().watch(watch, [](endpoint& e) noexcept { e.watch_step(); });
  }

  // --- Communicators -----------------------------------------------------------------------------

  communicator_state& new_communicator_state() {  // Of the world.
    lock_guard lock(threading());
    return communicators_.make_world();
  }
  communicators& communicators_locked() noexcept { return communicators_; }
  context_id lead(errc& why, call_site site);
  collective_failure no_context_locked(errc why) noexcept;
  /// Calls `use` with this rank's communicators, under the lock.
  template <class Use>
  auto with_communicators(Use&& use) {
    lock_guard lock(threading());
    return use(communicators_);
  }

 private:
  friend struct cold_paths<Stack>;  // Slow paths: endpoint_cold.hpp.
  friend struct compounds<Stack>;   // Compound operations: endpoint_compound.hpp.
  friend struct schedules<Stack>;   // Started collectives: endpoint_schedules.hpp.
  template <class>
  friend class progress_thread;
  template <class>
  friend struct block_paths;
  template <class>
  friend struct shared_blocks;  // Shared-memory blocks of the ranks of a node: endpoint_blocks.hpp.
  template <class>
  friend struct one_sided;  // Access for windows and portals: one_sided.hpp.
  template <class From>     // `from` constructs the transport.
  [[gnu::noinline, gnu::cold]] endpoint(job_type& job, From& from, std::nullptr_t)
      : policies_type(from),
        peers_type(job, transport().peers()),
        outbox_type(this->announced_max()),
        inbox_type(this->announced_max(), numbers().place_mask()),
        cold_(cold_paths<Stack>::calls) {
    services_.add(revocations_, wire::service_kind_first, wire::service_kind_first);
    services_.add(communicators_, wire::service_kind_first + 1, wire::service_kind_first + 4);
    constexpr auto one_sided_kind = static_cast<std::uint8_t>(wire::kind::one_sided);
    services_.add(windows_, one_sided_kind, one_sided_kind);
  }

  using policies_type::pool;
  using policies_type::threading;
  peers_type& peers() noexcept { return *this; }
  outbox_type& outbox() noexcept { return *this; }
  inbox_type& inbox() noexcept { return *this; }
  rendezvous_type& rendezvous() noexcept { return *this; }
  progress_type& pace() noexcept { return *this; }
  bool is_blocked() noexcept { return pace().blocked() != nullptr; }
  /// Receives the transport's callbacks during a poll.
  struct sink {
    endpoint& e;
    [[MPX_ALWAYS_INLINE]] void packet(peer_id source, const frame_header& f,
                                      std::span<const std::byte> payload) noexcept {
      e.on_packet(source, f, payload);
    }
    std::span<std::byte> place(peer_id source, const frame_header& f, std::size_t bytes) noexcept {
      return e.on_place(source, f, bytes);
    }
    bool more_fragments() noexcept { return e.rendezvous().more_fragments(); }
    void complete(cookie_t cookie, bool ok) noexcept { e.on_complete(cookie, ok); }
    void malformed(peer_id source) noexcept { e.lose(source, errc::protocol); }
    void unreachable(peer_id source) noexcept { e.lose(source, errc::no_resources); }
    void lost(peer_id source) noexcept { e.peers().lose_unless_told(source, errc::peer_lost); }
  };

  [[MPX_ALWAYS_INLINE]] std::size_t poll_packets() {
    sink s{*this};
    const std::size_t n = transport().poll(s);
    if constexpr (rendezvous_type::tells_together)
      if (rendezvous().has_finished()) rendezvous().tell_finished();
    return n;
  }
  std::size_t poll(polling how) { return cold_paths<Stack>::poll(*this, how); }
  std::size_t flush_busy() {
    return outbox_type::flush_busy() +
           (schedules_.due_count == 0 ? 0 : schedules<Stack>::run_due_locked(*this));
  }
  void recheck_compounds() noexcept { schedules<Stack>::recheck_locked(*this); }
  void look_at_schedules() noexcept {
    if (schedules_.any) schedules<Stack>::look_locked(*this);
  }
  bool begin_collective_locked(collective_call call);
  void give_up_collective_locked(collective_call call, errc why) noexcept;
  using peers_type::lose;
  using progress_type::drain_peer;
  using progress_type::noticed;
  using progress_type::poll_once;
  /// Counts an arrival, so that the end of the poll wakes threads that wait in a probe.
  void arrived() noexcept { pace().completed(); }
  void on_new_record(peer_record& r) noexcept {
    outbox_type::on_new_record(r);
    inbox_type::on_new_record(r);
  }
  void before_loss() { inbox().post_direct_if_any(); }
  void on_loss(peer_record& r, peer_id peer, errc why) {
    if (why == errc::not_a_rank) inbox().forget_all();
    end_all_of(&r, peer, why, true);
    if constexpr (ends_posts) {
      if (r.peer == peer) peers().set_busy(r);
    }
    tell_loss(peer);
  }
  void end_all_of(peer_record* r, peer_id peer, errc why, bool wildcards);
  void tell_loss(peer_id peer);

  using compared = type_mark<Stack::checks_type::compares_types>;
  [[MPX_ALWAYS_INLINE]] void finish(operation& op, errc failure) noexcept {
    if (compared::wrong(op.want) && failure == errc{} && op.role == role::receive)
      failure = errc::type;
    if (failure != errc{}) op.fails(failure);  // It has been errc{} since `begin`.
    op.stage = stage::complete;
    pace().completed();
    if (op.holder != holder::request) [[unlikely]]
      finish_unheld(op);
  }
  /// Completes a plain receive without a failure.
  [[MPX_ALWAYS_INLINE]] void finish_plain(operation& op) noexcept {
    if (compared::wrong(op.want)) return finish(op, errc::type);
    op.complete_plain<concurrent>();
    pace().completed();
  }
  /// Completes `op` as soon as the transport no longer uses its memory.
  [[gnu::noinline]] void end(operation& op, errc failure) noexcept {
    if (op.pending == 0) return finish(op, failure);
    op.fails(failure);
    op.stage = stage::closing;
  }
  [[MPX_ALWAYS_INLINE]] void give(operation& op) noexcept {
    if (op.special != 0) [[unlikely]]
      return cold_.give_special_locked(*this, op);
    pool().give(&op);
  }
  void finish_unheld(operation& op) noexcept;
  void forget(operation& op) noexcept;
  void free_owned(operation& op) noexcept;
  /// Returns the operation with `ticket`, if it exists and is one that the peer `source` may name;
  /// else nullptr.
  operation* named(peer_id source, std::uint32_t ticket, detail::role role) noexcept;
  operation* answered(peer_id source, std::uint32_t ticket) noexcept;
  void fail(operation& op, peer_id peer, errc why, bool wildcards);
  bool part(operation& op);
  bool relocate(operation& op) noexcept;
  /// True if posts that are pending with a lost peer would never complete by themselves: the
  /// transport has to drop the peer.
  static constexpr bool ends_posts =
      posts_pend<transport_type> || RegisteredTransport<transport_type>;
  /// True if a lost peer may access exposed memory until the transport drops it.
  static constexpr bool ends_exposures =
      RegisteredTransport<transport_type> ||
      (FetchTransport<transport_type> && !RmaTransport<transport_type>);
  void forget_at_transport([[maybe_unused]] peer_id peer) noexcept {
    if constexpr (ends_posts) transport().drop_peer(peer);
    if constexpr (ends_exposures) end_exposures_to(peer);
  }
  void end_exposures_to(peer_id peer) noexcept;
  void end_closing() noexcept;
  void cancel_place([[maybe_unused]] peer_id source) noexcept {
    if constexpr (StreamTransport<transport_type>) transport().cancel_place(source);
  }

  /// True if the countdown allows a send without a poll. With prepaid credit the send that buys the
  /// credit is counted on behalf of the sends that spend it.
  [[MPX_ALWAYS_INLINE]] bool may_send_at_once() noexcept {
    if constexpr (outbox_type::prepays) return true;
    return countdown().passes(call_weight::access);
  }
  [[gnu::noinline]] bool try_send_short(std::byte* base, std::size_t bytes, peer_id to,
                                        match_bits bits) {
    pass_without_poll(call_weight::flush);  // A loop that only tries to send polls, too.
    lock_guard lock(threading());
    const send_call c{{base, bytes}, to, bits};
    return outbox().send_short_prepaid(c) || outbox().send_and_buy_credit(c);
  }
  // Slow paths of the inbox and the outbox that their fast paths call.
  bool quiet_slow(peer_id to) noexcept { return cold_.quiet_locked(*this, to); }
  void receive_slow(direct_receive& d) { cold_.receive_slow_locked(*this, d); }
  void receive_stored(direct_receive& d) { cold_.receive_stored_locked(*this, d); }
  bool met_or_unmatchable(operation& op) { return cold_.met_or_unmatchable_locked(*this, op); }
  void owe_credit(peer_id source) { cold_.owe_credit_locked(*this, source); }

  bool poll_probing() {
    inbox().probing(1);
    const bool oversubscribed =
        cold_.poll(*this, polling::for_failures) == 0 && cold_.polled_in_vain_locked(*this);
    inbox().probing(-1);
    return oversubscribed;
  }
  /// See inbox_component::find.
  arrived_message* find(const pattern& want, errc& failure) noexcept {
    arrived_message* const m = orphaned() ? nullptr : inbox().find_stored(want);
    failure = errc{};
    if (m != nullptr || (!orphaned() && peers().failures() == 0)) [[likely]]
      return m;
    const auto found = cold_.find_locked(*this, want);
    failure = found.failure;
    return found.message;
  }

  [[MPX_ALWAYS_INLINE]] void on_packet(peer_id source, const frame_header& f,
                                       std::span<const std::byte> payload) noexcept {
    if (!flow().incoming(source, f.word[wire::word_credit])) [[unlikely]]
      return lose(source, errc::protocol);
    if (f.word[wire::word_kind] == wire::plain_eager && !has_placed(source)) [[likely]] {
      const match_bits bits = wire::match_of(f);
      if (inbox().on_plain(source, bits, payload)) [[likely]]
        return;
      if (inbox().store_if_plain(source, bits, payload)) return;
    }
    on_other(source, wire::unpack(f), payload);
  }
  bool has_placed(peer_id source) noexcept;
  void on_other(peer_id source, const wire::header& h, std::span<const std::byte> payload) noexcept;
  errc on_grant(peer_record& r, std::uint64_t bytes) noexcept;
  errc dispatch(peer_record& r, const wire::header& h, std::span<const std::byte> payload);
  std::span<std::byte> on_place(peer_id source, const frame_header& f, std::size_t bytes) noexcept;
  void on_complete(cookie_t cookie, bool ok) noexcept;

  void describe(hang_info& info);
  void watch_step() noexcept;

  template <class Use>
  void for_each_in_use(Use&& use) noexcept;
  void end_revoked(context_id context) noexcept;
  void forget_node(coll::node_state* node) noexcept;
  void let_go_of_block(std::uint64_t own, platform::atomic<std::uint64_t>& gone,
                       std::uint64_t users) noexcept;
  bool cannot_end(collective_call call) noexcept;
  void discard_left(collective_call next) noexcept;
  collective_failure failure_of_collective_locked(collective_call call) noexcept;
  rank_t size_of(collective_call call) noexcept;
  peer_id peer_of(collective_call call, rank_t rank) noexcept;
  errc failure_in(context_id c) const noexcept { return communicators_.failure_in(c); }
  bool concerns(context_id c, peer_id p) const noexcept { return communicators_.concerns(c, p); }
  bool unacknowledged_in(context_id c) noexcept { return communicators_.unacknowledged_in(c); }
  bool is_freed(context_id c) const noexcept { return communicators_.is_freed(c); }

  plain_array<dying_block> dying_blocks_;
  context_numbers numbers() noexcept {
    return {world_rank(peers().founders()),
            type_mark<Stack::checks_type::compares_types>::context_bits};
  }

  service_host_of<endpoint> host_{*this};
  communicators communicators_{host_, peers().founders(), numbers()};
  service_list services_;
  revocations revocations_;
  exposed_windows windows_{host_};
  schedule_list schedules_;
  const cold_calls<Stack>& cold_;
};

}  // namespace mpx::inline v0::detail

#include "mpx/engine/endpoint/endpoint_compound.hpp"   // IWYU pragma: keep
#include "mpx/engine/endpoint/endpoint_hang.hpp"       // IWYU pragma: keep
#include "mpx/engine/endpoint/endpoint_members.hpp"    // IWYU pragma: keep
#include "mpx/engine/endpoint/endpoint_schedules.hpp"  // IWYU pragma: keep
