// SPDX-License-Identifier: BSL-1.0
#pragma once
// The endpoint: one rank's transport, matcher, flow control and operations, put together. All state
// of a rank hangs here. Calls take the thread model's lock; functions named `*_locked` expect it
// held.

#include <atomic>
#include <cstring>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include "mpx/bootstrap/detect.hpp"
#include "mpx/core/block_cache.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/offset_allocator.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/core/wiped_on_fork.hpp"
#include "mpx/engine/call_site.hpp"
#include "mpx/engine/calls.hpp"
#include "mpx/engine/hang_watch.hpp"
#include "mpx/engine/operation.hpp"
#include "mpx/engine/stack.hpp"

namespace mpx::inline v0::detail {

template <class Stack>
class endpoint {
 public:
  using transport_type = typename Stack::transport_type;
  using job_type = job_of<transport_type>;
  using flow_type = typename Stack::flow_type;
  using trace_type = typename Stack::trace_type;
  static constexpr bool concurrent = Stack::threading_type::concurrent;

  /// Collective over the job. `job` outlives the endpoint.
  explicit endpoint(job_type& job)
      : transport_(job),
        flow_(transport_.peers()),
        links_(transport_.peers()),
        job_(job),
        news_(job.failure_word()),
        announced_max_(greater(2u, lesser(1024u, flow_type::announced_max / transport_.peers()))) {
    vital_->ours = 1;
    vital_->takes = takes_max;
  }
  endpoint(const endpoint&) = delete;
  endpoint& operator=(const endpoint&) = delete;
  ~endpoint();

  peer_id self() const noexcept { return transport_.self(); }
  transport_type& transport() noexcept { return transport_; }
  const trace_type& trace() const noexcept { return trace_; }
  /// A steady clock, in nanoseconds: the transport's if it has one.
  std::int64_t now_ns() const noexcept {
    if constexpr (ClockedTransport<transport_type>) {
      return transport_.now_ns();
    } else {
      return platform::now_ns();
    }
  }
  typename Stack::protocol_type& protocol() noexcept { return protocol_; }
  const flow_type& flow() const noexcept { return flow_; }
  std::uint64_t unexpected_bytes() const noexcept { return early_bytes_; }

  // --- Starting (endpoint_send.hpp, endpoint_receive.hpp) ----------------------------------------

  /// Starts a standard send. Errors of all starts: errc::no_resources; nothing has happened then.
  [[gnu::always_inline]] started send(const send_call& c) {
    std::lock_guard lock(threading_);
    if (send_now_locked(c)) [[likely]]
      return {};
    return queue_plain_locked(c.data, c.bytes, c.to, c.context, c.tag);
  }
  /// Starts a synchronous or ready send (`flag`); always returns an operation.
  started send_flagged(const send_call& c, std::uint8_t flag) {
    std::lock_guard lock(threading_);
    return queue_send_locked(c, flag);
  }
  /// A buffered send: complete when this returns. Returns errc::buffer if it does not fit.
  errc send_buffered(const send_call& c);

  /// Starts a receive.
  [[gnu::always_inline]] started receive(std::byte* buffer, std::size_t capacity, pattern want);
  /// Receives and waits. Cost: less than `receive` and `wait`: a message that comes while this
  /// looks for it needs no operation and no matching.
  /// If d.failure is `undecided` afterwards, `receive_rest` has to follow.
  void receive_now(direct_receive& d);
  void receive_rest(direct_receive& d, call_site site);

  /// A receive from nobody: complete, with no data.
  started receive_nothing();

  // --- Finishing ---------------------------------------------------------------------------------

  /// Blocks until `op` is complete. `site`: the call to name if that takes for ever.
  [[gnu::always_inline]] void wait(operation& op, call_site site) {
    if (!look(op)) wait_slow(op, site);
  }
  /// Whether `op` is complete, at most after a first look; if not, `wait_slow` follows.
  [[gnu::always_inline]] bool look(operation& op) {
    if constexpr (concurrent) return false;  // Only the lock tells.
    return op.done() || look_for(op);
  }
  void wait_slow(operation& op, call_site site);
  /// Blocks until `op` is complete, or until `lost()`, called under the lock, finds that what `op`
  /// belongs to has lost a peer. Returns whether `op` is complete.
  template <class Lost>
  bool wait_unless(operation& op, call_site site, Lost&& lost);
  /// One look: progress, then whether `op` is complete.
  bool test(operation& op) {
    std::lock_guard lock(threading_);
    if (!op.done()) look_locked();
    return op.done();
  }
  bool is_done(const operation& op) {
    std::lock_guard lock(threading_);
    return op.done();
  }
  /// Blocks until `done()`, which is called under the lock, returns true.
  template <class Done>
  void wait_until(call_site site, awaited on, Done&& done);
  void progress() {
    std::lock_guard lock(threading_);
    look_locked();
  }
  /// Gives a complete operation back.
  [[gnu::always_inline]] void release(operation& op) {
    std::lock_guard lock(threading_);
    give(op);
  }
  /// The request of `op` is gone: nothing may touch its buffer any more when this returns.
  void abandon(operation& op);
  /// Takes a receive back that has not matched. Returns false if it has.
  bool cancel(operation& op);
  /// Returns whether the collective can end well, as far as this rank knows.
  bool begin_collective(collective_call call);
  /// Blocks until `op` is complete, or the collective can never end: a rank is lost, or has left it
  /// with an error. Returns whether `op` is complete.
  bool wait_in_collective(operation& op, call_site site, collective_call call);
  /// This rank leaves a collective that it has begun: the others shall not wait for it.
  void give_up_collective(collective_call call) noexcept;

  // --- Probing -----------------------------------------------------------------------------------

  /// Looks once. `failure`: why nothing can come any more.
  [[gnu::always_inline]] std::optional<probe_result> probe(const pattern& want, errc& failure);
  /// Blocks until there is one, or it cannot come any more (`failure`).
  probe_result wait_probe(const pattern& want, call_site site, errc& failure);
  /// Takes the earliest matching message out of matching; `receive_claimed` or `discard` follows.
  arrived_message* claim(const pattern& want, errc& failure);
  arrived_message* wait_claim(const pattern& want, call_site site, errc& failure);
  started receive_claimed(arrived_message* m, std::byte* buffer, std::size_t capacity);
  void discard(arrived_message* m) noexcept;

  // --- Buffers, arenas, failures -----------------------------------------------------------------

  errc attach(std::span<std::byte> memory);
  std::span<std::byte> detach(call_site site);
  void* allocate_shared(std::size_t bytes, std::size_t alignment)
      requires SharedMemoryTransport<transport_type>
  {
    std::lock_guard lock(threading_);
    if (orphaned()) throw error(errc::not_a_rank, "an allocation of shared memory");
    return transport_.allocate_shared(bytes, alignment);
  }
  void deallocate_shared(void* p, std::size_t bytes) noexcept
      requires SharedMemoryTransport<transport_type>
  {
    std::lock_guard lock(threading_);
    transport_.deallocate_shared(p, bytes);
  }
  /// Receives from any source are possible again after a failure.
  void acknowledge_failures() {
    std::lock_guard lock(threading_);
    failures_acknowledged_ = failures_;
  }
  /// Progress while the job leaves together: looks until nothing more arrives, or for a while.
  void drain() noexcept;
  /// Before this rank leaves alone: what it has sent gets out to those who live, as far as that
  /// takes no longer than `patience_ns`.
  void send_last(std::int64_t patience_ns) noexcept;
  /// What errc::no_resources means when an operation does not start.
  static std::string limit_text() {
    return ": " + std::to_string(pool_type::operations_max) +
           " operations are under way, or memory is out";
  }
  /// ": rank 2 (pid 7) was lost: killed by signal 9": more than the errc of a failure says of it.
  std::string loss_text(peer_id peer, errc why) const;
  /// True in a forked child, which is no rank.
  bool orphaned() const noexcept { return vital_->ours == 0; }

  // --- Hangs (endpoint_hang.hpp) -----------------------------------------------------------------

  /// A call that is blocked outside of the endpoint.
  class blocked_scope;
  /// What this rank waits for, and what lies in its queues. Threads: any.
  hang_info describe_hang();
  /// From now on, `watch` learns when this rank waits. It outlives the endpoint.
  void watch(hang_watch& watch) noexcept {
    if (!watch.on()) return;
    watch_ = &watch;
    step_ = [](endpoint& e) noexcept { e.watch_locked(); };
  }

  /// The serial of the next communicator that this rank leads; 0 when all are used up.
  std::uint32_t take_context_serial() {
    std::lock_guard lock(threading_);
    return next_serial_ <= context_serial_max ? next_serial_++ : 0;
  }
  static constexpr std::uint32_t context_serial_max = (1u << 13) - 1;
  communicator_state& new_communicator_state() {
    std::lock_guard lock(threading_);
    return communicators_.add(new communicator_state());
  }
  /// The same; nullptr when memory is out.
  communicator_state* try_new_communicator_state() noexcept {
    std::lock_guard lock(threading_);
    return communicators_.try_add(new (std::nothrow) communicator_state());
  }

 private:
  template <class>
  friend struct compounds;  // Operations made of operations (endpoint_compound.hpp).
  static constexpr std::uint32_t allowance_max = 1u << 31;
  static constexpr std::uint32_t answers_max = 1u << 17;
  static constexpr unsigned looks_per_check = 256;
  static constexpr unsigned direct_looks = 4096;
  static constexpr std::int32_t takes_max = 1024;
  static constexpr std::size_t learnt_bytes_min = 4096;
  static constexpr std::size_t revoked_max = 4096;
  static constexpr unsigned drain_looks_max = 4096;  // A flood must not keep a rank from leaving.
  static constexpr unsigned last_looks_max = 1u << 20;  // More than any channel holds.
  static constexpr std::int64_t copy_ns_max = 1'000'000'000;

  struct busy_tag;
  struct stalled_tag;

  /// What is kept for a peer that is or was busy. Handlers of packets get by without memory: where
  /// there is none for a link, the peer is lost and shares one with others of its kind.
  struct link : list_node<busy_tag>, list_node<stalled_tag>, allocated {
    explicit link(peer_id to) noexcept : peer(to) {}
    const peer_id peer;
    linked_list<operation, queue_tag> control;  // Answers that did not fit the channel.
    linked_list<operation, queue_tag> backlog;  // Sends in order, not yet on the wire.
    linked_list<operation, queue_tag> streams;  // Matched sends whose data goes as packets.
    std::uint32_t announced = 0;                // Sent, and not yet answered.
    std::uint32_t allowance = 0;
    bool busy = false;
    bool owes_credit = false;
    bool peer_stalled = false;     // It may announce no more until it is allowed to.
    bool refused = false;          // The transport cannot reach it.
    std::uint32_t answers = 0;     // Length of `control`.
    std::uint32_t heard = 0;       // Its announcements that are not answered.
    std::uint32_t granted = 0;     // How many there may be.
    std::uint64_t held_bytes = 0;  // What its early eager messages cost here.
    errc failure{};
  };

  /// What the transport talks to.
  struct sink {
    endpoint& e;
    [[gnu::always_inline]] void packet(peer_id source, const frame_header& f,
                                       std::span<const std::byte> payload) noexcept {
      e.on_packet(source, f, payload);
    }
    std::span<std::byte> place(peer_id, const frame_header&, std::size_t) noexcept { return {}; }
    void complete(cookie_t cookie, bool ok) noexcept { e.on_moved(cookie, ok); }
    void malformed(peer_id source) noexcept { e.fail_peer_locked(source, errc::protocol); }
    void unreachable(peer_id source) noexcept { e.fail_peer_locked(source, errc::no_resources); }
  };

  /// A blocked probe, for as long as it lives.
  class probing_scope {
   public:
    explicit probing_scope(endpoint& e) : e_(e) { add(1); }
    probing_scope(const probing_scope&) = delete;
    probing_scope& operator=(const probing_scope&) = delete;
    ~probing_scope() { add(-1); }

   private:
    void add(int n) {
      std::lock_guard lock(e_.threading_);
      e_.probing_ += static_cast<unsigned>(n);
    }
    endpoint& e_;
  };

  // Sending.
  /// Tiny messages never are, so that one that is known to be tiny is not compared.
  [[gnu::always_inline]] bool is_long(std::size_t bytes) const noexcept {
    return bytes > Stack::protocol_type::tiny_bytes_max && bytes > protocol_.short_bytes_max();
  }
  [[gnu::always_inline]] bool quiet(peer_id to) noexcept {
    return vital_->calm == news_.load(std::memory_order_relaxed) || quiet_slow(to);
  }
  [[gnu::noinline]] bool quiet_slow(peer_id to) noexcept {
    check_failures();
    const link* l = links_[to];
    return l == nullptr || (l->backlog.empty() && l->failure == errc{});
  }
  [[gnu::always_inline]] bool send_now_locked(const send_call& c) noexcept {
    if (is_long(c.bytes) || !quiet(c.to)) [[unlikely]]
      return false;
    if (!flow_.try_acquire(c.to, c.bytes)) [[unlikely]]
      return false;
    const frame_header f = wire::plain_eager_frame(c.context, c.tag, flow_.outgoing(c.to));
    if (transport_.post(c.to, f, {c.data, c.bytes}, 0) != outcome::done) [[unlikely]] {
      flow_.restore(c.to, c.bytes);
      return false;
    }
    trace_.on(event::packets_sent, 1);
    trace_.on(event::eager_sent, 1);
    return true;
  }
  started queue_send_locked(const send_call& c, std::uint8_t flags);
  /// By value: a call whose address is taken must lie in memory, and the stores that put it there
  /// would fill the store buffer ahead of those to the ring.
  [[gnu::noinline]] started queue_plain_locked(const std::byte* data, std::size_t bytes, peer_id to,
                                               context_id context, tag_t tag) {
    return queue_send_locked({data, bytes, to, context, tag}, 0);
  }
  operation* new_send(const send_call& c, std::uint8_t flags);
  bool push(link& l, operation& op);
  bool push_eager(operation& op);
  bool push_announcement(link& l, operation& op);
  bool push_fragments(link& l, operation& op);
  void start_put(operation& op);
  void put_done(operation& op);
  void sent_all(operation& op);
  std::size_t flush(link& l);
  std::size_t flush_busy();
  void make_busy(link& l);
  link* make_link(peer_id peer) noexcept;
  link& link_to(peer_id peer) noexcept;
  outcome post(peer_id to, wire::header h, std::span<const std::byte> payload) noexcept;
  void answer(peer_id to, wire::header h, std::span<const std::byte> payload = {});
  void owe_credit(peer_id peer);

  // Receiving.
  [[gnu::always_inline]] void on_packet(peer_id source, const frame_header& f,
                                        std::span<const std::byte> payload) noexcept;
  void on_other(peer_id source, const wire::header& h, std::span<const std::byte> payload) noexcept;
  [[gnu::always_inline]] static errc copy_eager(std::byte* into, std::size_t capacity,
                                                std::span<const std::byte> payload) noexcept;
  void store_early(peer_id source, const wire::header& h, std::span<const std::byte> payload);
  void post_direct();
  void on_control(peer_id source, const wire::header& h, std::span<const std::byte> payload);
  void on_announce(peer_id source, const wire::header& h, std::span<const std::byte> payload);
  void on_clear(peer_id source, const wire::header& h, std::span<const std::byte> payload);
  void on_data(peer_id source, const wire::header& h, std::span<const std::byte> payload);
  void on_moved(cookie_t cookie, bool ok);
  [[gnu::always_inline]] void deliver(operation& op, peer_id source, tag_t tag,
                                      std::span<const std::byte> payload) noexcept;
  arrived_message* store(peer_id source, const wire::header& h, std::size_t stored);
  void forget(arrived_message* m) noexcept;
  void accept(operation& op, arrived_message* m);
  void take_announced(operation& op, const arrived_message& m);
  bool try_get(operation& op, const remote_memory& memory);
  void request_packets(operation& op);
  void ask(operation& op, std::size_t from, bool offer);
  bool split(operation& op, const remote_memory& memory);
  bool withdraw(operation& op) noexcept;
  void end_exposure(operation& op) noexcept;
  void moved_some(operation& op);
  void receive_done(operation& op, wire::kind tell);
  operation* answered(peer_id source, std::uint32_t ticket, detail::role role);
  [[gnu::always_inline]] operation* start_receive_locked(std::byte* buffer, std::size_t capacity);
  [[gnu::always_inline]] static void begin_receive(operation& op, std::byte* buffer,
                                                   std::size_t capacity) noexcept {
    op.begin(role::receive, stage::posted, 0);
    op.buffer = buffer;
    op.bytes = capacity;
  }

  [[gnu::always_inline]] bool take_direct(direct_receive& d) noexcept;
  void receive_slow(direct_receive& d);
  void received(direct_receive& d, operation& op);

  // Finishing.
  bool look_for(const operation& op);
  void look_locked();
  std::size_t progress_locked();
  [[gnu::always_inline]] std::size_t progress_inlined();
  std::size_t progress_troubled();
  bool detach_locked(operation& op);
  [[gnu::always_inline]] void finish(operation& op, errc failure) noexcept {
    op.failure = failure;
    op.stage = stage::complete;
    if constexpr (concurrent) ++completions_;
    if (op.holder != holder::request) [[unlikely]]
      finish_unheld(op);
  }
  [[gnu::always_inline]] void give(operation& op) noexcept {
    if (op.owned != nullptr) [[unlikely]]
      free_copy(op);
    pool_.give(&op);
  }
  void finish_unheld(operation& op) noexcept;
  [[gnu::noinline]] void free_copy(operation& op) noexcept;
  void before_sleep();
  void sleep(std::unique_lock<typename Stack::threading_type>& lock);
  void follow(std::unique_lock<typename Stack::threading_type>& lock);
  void rouse() noexcept;
  void check_failures();
  void last_look();
  errc loss_of(peer_id peer) const noexcept;
  void mark_lost(peer_id peer, errc why) noexcept;
  void fail_peer_locked(peer_id peer, errc why);
  void set_calm() noexcept {
    if (orphaned()) return;
    vital_->calm = troubles_ == 0 ? failure_epoch_ : 0;
    if (troubles_ != 0) vital_->takes = 0;
  }
  bool is_revoked(collective_call call) const noexcept;
  bool mark_revoked(collective_call call) noexcept;
  void fail_operation(operation& op, peer_id peer, errc why);
  bool end_if_doomed(operation& op);
  errc doom(const pattern& want) const noexcept;
  void describe_locked(hang_info& info);
  void watch_locked() noexcept;

  /// What every call looks at. All zero in a forked child, which thus looks closer before it does
  /// what only its parent may.
  struct vital_words {
    std::uint32_t
        calm;  // The failure epoch at which nothing is wrong with any peer; 0: look closer.
    std::int32_t takes;  // Messages to take past the poll before the next one, and before trouble.
    std::uint32_t ours;  // 1
  };
  using vital_type = std::conditional_t<std::same_as<job_type, bootstrap::any>,
                                        wiped_on_fork<vital_words>, never_wiped<vital_words>>;
  using pool_type = operation_pool<operations_max_of<typename Stack::protocol_type>(),
                                   generation_bits_of<typename Stack::protocol_type>()>;

  transport_type transport_;
  flow_type flow_;
  unsigned troubles_ = 0;  // Busy links and failed peers: while 0, sends need not look.
  vital_type vital_;
  [[no_unique_address]] typename Stack::protocol_type protocol_;
  [[no_unique_address]] typename Stack::threading_type threading_;
  [[no_unique_address]] trace_type trace_;
  pool_type pool_;
  operation* spare_ = nullptr;  // For the direct receive that has to be posted by a handler.
  typename Stack::matching_type matcher_;
  direct_receive* direct_ = nullptr;
  unsigned probing_ = 0;  // Blocked probes.
  unsigned looks_ = 0;    // Fruitless looks of calls that do not block.
  owning_table<link> links_;
  link gone_{any_peer};    // Of all peers that were lost before they had one.
  link broken_{any_peer};  // Of those for which there was no memory.
  linked_list<link, busy_tag> busy_;
  linked_list<link, stalled_tag> stalled_;  // Those with `peer_stalled`.
  block_cache blocks_;
  protocol::path_learner paths_;
  std::int64_t moved_at_ns_ = 0;  // When data of a long message last moved.
  std::uint64_t early_bytes_ = 0;
  linked_list<arrived_message, arrival_tag> claimed_;
  job_type& job_;
  const platform::atomic<std::uint32_t>& news_;  // The job's failure epoch, which is never 0.
  std::uint32_t failure_epoch_ = 0;              // What has been seen of it.
  std::uint32_t failures_ = 0;
  std::uint32_t deaths_ = 0;  // Of those, such as every rank learns of by itself.
  std::uint32_t failures_acknowledged_ = 0;
  std::uint32_t announced_max_;
  std::uint32_t next_serial_ = 1;
  owning_table<communicator_state> communicators_;
  plain_array<collective_call> revoked_;  // Left by others; this rank has not got past them.
  std::span<std::byte> attached_{};
  offset_allocator attached_space_{0};
  bool has_attached_ = false;

  // Several waiting threads: one sleeps in the transport, the others on `epoch_`.
  platform::atomic<std::uint32_t> epoch_{0};
  unsigned followers_ = 0;
  bool leader_ = false;
  std::uint64_t completions_ = 0;

  blocked_call* blocked_ = nullptr;  // The latest; more than one where threads are.
  hang_watch* watch_ = nullptr;
  // What it takes is compiled where environments are made, not wherever somebody waits.
  void (*step_)(endpoint&) noexcept = nullptr;
  std::uint64_t moves_ = 0;  // Looks of blocked calls that found something.
};

}  // namespace mpx::inline v0::detail

#include "mpx/engine/detail/endpoint_compound.hpp"  // IWYU pragma: keep
#include "mpx/engine/detail/endpoint_control.hpp"   // IWYU pragma: keep
#include "mpx/engine/detail/endpoint_finish.hpp"    // IWYU pragma: keep
#include "mpx/engine/detail/endpoint_hang.hpp"      // IWYU pragma: keep
#include "mpx/engine/detail/endpoint_receive.hpp"   // IWYU pragma: keep
#include "mpx/engine/detail/endpoint_send.hpp"      // IWYU pragma: keep
