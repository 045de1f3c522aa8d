// SPDX-License-Identifier: BSL-1.0
#pragma once
// Endpoints with one real component each. The other components are archetypes that record the calls
// that they get, so that a component is tested alone.

#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mpx/engine/endpoint/endpoint.hpp>
#include <mpx/watch/trace.hpp>
#include <optional>
#include <string>
#include <vector>

namespace components {

using namespace mpx::detail;
using mpx::cookie_t;
using mpx::errc;
using mpx::frame_header;
using mpx::outcome;
using mpx::peer_id;
using mpx::remote_memory;
namespace wire = mpx::wire;

inline constexpr peer_id peers_max = 4;

/// A transport that does as the test says, and records its calls.
class scripted : public mpx::transport::defaults {
 public:
  using policy_axis = mpx::transport_axis;
  static constexpr std::string_view name = "scripted";
  static constexpr mpx::transport_traits traits{.inline_bytes_max = 40, .packet_bytes_max = 1024};

  struct packet {
    peer_id to;
    wire::header header;
    std::vector<std::byte> payload;
    cookie_t cookie;
  };
  scripted() = default;
  template <class Job>
  explicit scripted(Job&) {}

  peer_id self() const noexcept { return me; }
  peer_id peers() const noexcept { return peers_max; }
  bool oversubscribed() const noexcept { return false; }
  outcome post(peer_id to, const frame_header& f, std::span<const std::byte> payload,
               cookie_t cookie) noexcept {
    const outcome o = answers_with;
    if (o == outcome::done || o == outcome::pending)
      posted.push_back({to, wire::unpack(f), {payload.begin(), payload.end()}, cookie});
    return o;
  }
  std::size_t poll(mpx::PacketSink auto&) noexcept { return 0; }
  bool arm() noexcept {
    ++arms;
    if (on_arm) on_arm();
    return arms_with;
  }
  void sleep(std::int64_t) noexcept { ++sleeps; }
  void disarm() noexcept { ++disarms; }
  void wake() noexcept { ++wakes; }
  bool has_unsent() const noexcept { return unsent; }
  bool has_heard_out(peer_id) const noexcept { return !on_heard_out || on_heard_out(); }
  bool is_connected(peer_id) const noexcept { return true; }
  void monitor(peer_id peer) noexcept { monitored.push_back(peer); }
  bool shares_core() noexcept { return shares_core_with; }
  bool take_if(peer_id source, auto&& wanted) noexcept {
    if (!at_hand || at_hand->to != source ||
        !wanted(wire::pack(at_hand->header), std::span<const std::byte>(at_hand->payload)))
      return false;
    at_hand.reset();
    return true;
  }
  std::int64_t maintenance_ns() const noexcept { return maintained_ns; }
  void cancel_place(peer_id) noexcept {}  // Bodies are placed: components ask for nothing more.
  void relocate(cookie_t, std::span<const std::byte>, const std::byte*) noexcept {}

  remote_memory expose(peer_id, std::span<const std::byte> piece, bool = false) noexcept {
    ++exposed;
    return {reinterpret_cast<std::uintptr_t>(piece.data()), exposes ? 1u : 0u};
  }
  outcome withdraw(peer_id, const remote_memory&) noexcept {
    if (withdraws_with == outcome::done) --exposed;
    return withdraws_with;
  }
  mpx::cost_hint get_cost_hint(peer_id, const remote_memory&, std::size_t) noexcept { return pays; }
  outcome get(peer_id, const remote_memory& from, std::uint64_t offset, std::span<std::byte> into,
              cookie_t cookie) noexcept {
    last_cookie = cookie;
    if (on_get) on_get();
    if (copies_with == outcome::done)
      std::memcpy(into.data(), reinterpret_cast<const std::byte*>(from.address + offset),
                  into.size());
    return copies_with;
  }
  outcome put(peer_id, const remote_memory& to, std::uint64_t offset,
              std::span<const std::byte> from, cookie_t cookie) noexcept {
    last_cookie = cookie;
    if (copies_with == outcome::done)
      std::memcpy(reinterpret_cast<std::byte*>(to.address + offset), from.data(), from.size());
    return copies_with;
  }

  /// The kinds of what was posted since the last call.
  std::string take_kinds() {
    std::string s;
    for (const packet& p : posted) s += std::to_string(static_cast<int>(p.header.kind)) + " ";
    posted.clear();
    return s;
  }

  outcome answers_with = outcome::done;
  outcome withdraws_with = outcome::done;
  outcome copies_with = outcome::done;
  peer_id me = 0;
  mpx::cost_hint pays = mpx::cost_hint::always;
  bool exposes = true;
  bool arms_with = true;
  std::function<void()> on_arm;
  std::function<bool()> on_heard_out;
  std::function<void()> on_get;
  std::optional<packet> at_hand;  // From the peer `to`.
  bool unsent = false;
  bool shares_core_with = false;
  std::int64_t maintained_ns = 0;
  std::vector<peer_id> monitored;
  int arms = 0, sleeps = 0, disarms = 0, wakes = 0, exposed = 0;
  cookie_t last_cookie = 0;
  std::vector<packet> posted;
};
static_assert(mpx::RmaTransport<scripted> && mpx::posts_pend<scripted>);
static_assert(mpx::ConnectionTransport<scripted>);

/// A job whose states of ranks are set by the test.
class scripted_job {
 public:
  using policy_axis = mpx::bootstrap_axis;
  static constexpr std::string_view name = "scripted";

  mpx::rank_t rank() const noexcept { return 0; }
  mpx::rank_t size() const noexcept { return static_cast<mpx::rank_t>(peers_max); }
  std::string_view host() const { return "here"; }
  void put(std::string_view, std::string_view) {}
  std::optional<std::string> get(mpx::rank_t, std::string_view) { return {}; }
  void fence(std::invocable auto&&) {}
  [[noreturn]] void abort(int, std::string_view) { std::abort(); }

  std::uint32_t failure_epoch() const noexcept { return word->load(); }
  const mpx::platform::atomic<std::uint32_t>& failure_word() const noexcept { return *word; }
  mpx::rank_state state(mpx::rank_t r) const noexcept {
    return states[static_cast<std::size_t>(r)];
  }
  std::string loss_text(mpx::rank_t r) const { return "rank " + std::to_string(r) + " is away"; }
  void disconnect_from(mpx::rank_t r, errc why) noexcept { disconnected.push_back({r, why}); }
  errc disconnected_by(mpx::rank_t) const noexcept { return {}; }
  void mark_finished() noexcept {}
  void mark_failed() noexcept {}

  void lose(mpx::rank_t r) {
    states[static_cast<std::size_t>(r)] = mpx::rank_state::failed;
    word->fetch_add(1);
  }
  void leave(mpx::rank_t r) {
    states[static_cast<std::size_t>(r)] = mpx::rank_state::finished;
    word->fetch_add(1);
  }
  std::unique_ptr<mpx::platform::atomic<std::uint32_t>> word =
      std::make_unique<mpx::platform::atomic<std::uint32_t>>(1);
  std::vector<mpx::rank_state> states =
      std::vector<mpx::rank_state>(peers_max, mpx::rank_state::joined);
  std::vector<std::pair<mpx::rank_t, errc>> disconnected;
};
static_assert(mpx::LivenessBootstrap<scripted_job>);

using stack =
    mpx::stack<scripted, scripted_job, mpx::trace::counters, mpx::flow::credits<4096, 1024, 8>,
               mpx::protocol::tiny_short_long<40, 256>>;

/// A job that cannot tell who lives.
class unaware_job {
 public:
  using policy_axis = mpx::bootstrap_axis;
  static constexpr std::string_view name = "unaware";
  mpx::rank_t rank() const noexcept { return 0; }
  mpx::rank_t size() const noexcept { return static_cast<mpx::rank_t>(peers_max); }
  std::string_view host() const { return "here"; }
  void put(std::string_view, std::string_view) {}
  std::optional<std::string> get(mpx::rank_t, std::string_view) { return {}; }
  void fence(std::invocable auto&&) {}
  [[noreturn]] void abort(int, std::string_view) { std::abort(); }
};
static_assert(!mpx::LivenessBootstrap<unaware_job>);
using unaware_stack =
    mpx::stack<scripted, unaware_job, mpx::trace::counters, mpx::flow::credits<4096, 1024, 8>,
               mpx::protocol::tiny_short_long<40, 256>>;

/// The peers component as the other components need it.
template <class Endpoint>
class peers_archetype {
 public:
  explicit peers_archetype(Endpoint& e) : endpoint_(e), records_(peers_max) {}
  peer_record* find(peer_id p) const { return records_[p].get(); }
  peer_record* find_or_make(peer_id p) {
    if (records_[p] == nullptr) {
      records_[p] = std::make_unique<peer_record>(p);
      endpoint_.on_new_record(*records_[p]);
    }
    return records_[p].get();
  }
  peer_record& of(peer_id p) { return *find_or_make(p); }
  errc failure_of(peer_id) const { return {}; }
  errc loss_of(peer_id) const { return loss; }
  bool is_gone(peer_id) const { return loss != errc{}; }
  void set_busy(peer_record& r) { busy.push_back(r.peer); }
  template <class Flush>
  void for_each_busy(Flush&& flush) {
    std::vector<peer_id> old;
    old.swap(busy);
    for (const peer_id p : old)
      if (!flush(*records_[p])) busy.push_back(p);
  }
  void refuse(peer_id p) { refused.push_back(p); }
  void set_stalled(peer_record& r) { stalled.push_back(&r); }
  bool any_stalled() const { return !stalled.empty(); }
  peer_record* next_stalled() {
    if (stalled.empty()) return nullptr;
    peer_record* r = stalled.front();
    stalled.erase(stalled.begin());
    return r;
  }
  bool fast_path_allowed() const { return busy.empty(); }
  bool has_fast_path() const { return busy.empty(); }
  bool failure_epoch_changed() const { return epoch_changed; }
  bool any_due() const noexcept { return false; }
  bool has_slow_reason() const { return !busy.empty(); }
  bool may_take() { return takes; }
  void polled() {}
  bool orphaned() const { return false; }
  std::uint32_t failures() const { return unacked ? 1 : 0; }
  bool unacknowledged() const { return unacked; }
  bool any_revoked() const { return false; }
  void check() { ++checks; }
  void lose(peer_id p, errc why) { lost.push_back({p, why}); }

  std::vector<peer_id> busy, refused;
  std::vector<peer_record*> stalled;
  std::vector<std::pair<peer_id, errc>> lost;
  errc loss{};
  bool unacked = false;
  bool epoch_changed = false;
  bool takes = false;
  int checks = 0;

 private:
  Endpoint& endpoint_;
  std::vector<std::unique_ptr<peer_record>> records_;
};

/// Base of every test endpoint: policies, operations, and a record of those that ended.
template <class Endpoint>
class policies_archetype {
 public:
  policies_archetype() : peers_(static_cast<Endpoint&>(*this)) {}
  scripted& transport() { return transport_; }
  auto& flow() { return flow_; }
  auto& protocol() { return protocol_; }
  mpx::trace::counters& trace() { return trace_; }
  auto& pool() { return pool_; }
  auto& peers() { return peers_; }
  std::int64_t now_ns() { return clock_ += clock_step_ns; }
  errc failure_in(mpx::context_id) const { return errc{}; }
  bool concerns(mpx::context_id, peer_id) const { return true; }
  bool unacknowledged_in(mpx::context_id) const { return true; }
  bool is_freed(mpx::context_id) const { return false; }

  void finish_plain(operation& op) { finish(op, errc{}); }
  void finish(operation& op, errc why) {
    op.failure = why;
    op.stage = stage::complete;
    ended.push_back(&op);
    if (op.holder != holder::request) give(op);
  }
  void end(operation& op, errc why) {
    if (op.pending == 0) return finish(op, why);
    op.failure = why;
    op.stage = stage::closing;
  }
  void give(operation& op) {
    ++given;
    pool_.give(&op);
  }
  void arrived() { ++arrivals; }
  void noticed() {}
  void cancel_place(peer_id source) { cancelled.push_back(source); }
  std::size_t poll_once() { return 0; }
  void on_new_record(peer_record&) {}

  std::vector<operation*> ended;
  int given = 0;
  int arrivals = 0;
  std::vector<peer_id> cancelled;
  std::int64_t clock_step_ns = 1;

 private:
  scripted transport_;
  typename components::stack::flow_type flow_{peers_max};
  typename components::stack::protocol_type protocol_;
  mpx::trace::counters trace_;
  operation_pool<1024, 7> pool_;
  peers_archetype<Endpoint> peers_;
  std::int64_t clock_ = 0;
};

/// Records the calls of an outbox.
struct outbox_archetype {
  void send_control(peer_id to, const wire::header& h) { answers.push_back({to, h}); }
  void send_control(const wire::header& h, operation& of) { answers.push_back({of.peer, h}); }
  bool send_control_copy(peer_id to, const wire::header& h, std::span<const std::byte> payload) {
    answers.push_back({to, h});
    payloads.emplace_back(payload.begin(), payload.end());
    return true;
  }
  void owe_credit(peer_id to) { owed.push_back(to); }
  std::size_t fragment_bytes_to(peer_id) { return fragment_bytes; }
  bool prepare_staging() { return true; }
  std::span<std::byte> staging() { return stage; }
  std::span<const std::byte> piece(const operation& op, std::size_t offset, std::size_t n) {
    if (op.data.contiguous()) return op.data.piece(offset, n);
    op.data.read(offset, std::span(stage).first(n));
    return std::span(stage).first(n);
  }
  void announcement_answered(peer_id) { ++answered; }
  bool has_announced(const peer_record&) const { return announced; }
  bool post(peer_id to, const wire::header& h, std::span<const std::byte> payload, operation* op) {
    if (room == 0) return false;
    --room;
    if (pends) ++op->pending;
    fragments.push_back({to, h, {payload.begin(), payload.end()}, op->ticket});
    return true;
  }
  std::vector<std::pair<peer_id, wire::header>> answers;
  std::vector<std::vector<std::byte>> payloads;  // Of those that have one.
  std::vector<peer_id> owed;
  std::vector<scripted::packet> fragments;
  std::array<std::byte, 4096> stage{};
  std::size_t fragment_bytes = scripted::traits.packet_bytes_max;
  int answered = 0;
  int room = 1000;
  bool pends = false;
  bool announced = false;
};
struct rendezvous_archetype {
  remote_memory offer(operation&) { return {}; }
  void end_exposure(operation&) { ++ended; }
  bool idle(const peer_record&) const { return true; }
  bool has_data_for(peer_record&) const { return sends; }
  std::size_t flush(peer_record&) { return 0; }
  std::size_t move(peer_record&) { return 0; }
  void begin(operation& op, const arrived_message& m) { begun.push_back({&op, m.bytes}); }
  int ended = 0;
  bool sends = false;
  std::vector<std::pair<operation*, std::uint64_t>> begun;
};
struct inbox_archetype {
  void announcement_answered(peer_id) { ++answered; }
  void allow_announcements() { ++allowed; }
  int answered = 0;
  int allowed = 0;
};

struct outbox_owner : policies_archetype<outbox_owner>, outbox_component<stack, outbox_owner> {
  using component = outbox_component<stack, outbox_owner>;
  outbox_owner() : component(2) {}
  bool quiet_slow(peer_id to) noexcept { return component::quiet_slow(to); }
  rendezvous_archetype& rendezvous() { return rendezvous_; }
  using component::on_new_record;
  rendezvous_archetype rendezvous_;
};
struct inbox_owner : policies_archetype<inbox_owner>, inbox_component<stack, inbox_owner> {
  using component = inbox_component<stack, inbox_owner>;
  inbox_owner() : component(2, ~mpx::context_id{0}) {}
  bool met_or_unmatchable(operation& op) { return component::met_or_unmatchable(op); }
  void owe_credit(peer_id to) noexcept { outbox_.owe_credit(to); }
  outbox_archetype& outbox() { return outbox_; }
  rendezvous_archetype& rendezvous() { return rendezvous_; }
  using component::on_new_record;
  static bool oversubscribed() { return true; }
  static bool look_around() { return true; }
  std::size_t poll_once() {
    ++polls;
    return 0;
  }
  outbox_archetype outbox_;
  rendezvous_archetype rendezvous_;
  int polls = 0;
};
struct rendezvous_owner : policies_archetype<rendezvous_owner>,
                          rendezvous_component<stack, rendezvous_owner> {
  using component = rendezvous_component<stack, rendezvous_owner>;
  static constexpr std::size_t staging_bytes = 4096;
  outbox_archetype& outbox() { return outbox_; }
  inbox_archetype& inbox() { return inbox_; }
  bool is_blocked() const { return blocked; }
  outbox_archetype outbox_;
  inbox_archetype inbox_;
  bool blocked = false;
};
struct peers_owner : policies_archetype<peers_owner>, peers_component<stack, peers_owner> {
  using component = peers_component<stack, peers_owner>;
  explicit peers_owner(scripted_job& job) : component(job, peers_max) {}
  void drain_peer(peer_id peer, bool left) {
    heard.push_back({peer, left});
    if (on_hearing) on_hearing();
  }
  void before_loss() { ++warned; }
  void on_loss(peer_record& r, peer_id peer, errc why) { told.push_back({&r, peer, why}); }
  void forget_at_transport(peer_id peer) { forgotten.push_back(peer); }
  void end_closing() noexcept {}
  struct loss {
    peer_record* record;
    peer_id peer;
    errc why;
  };
  std::vector<loss> told;
  std::vector<peer_id> forgotten;
  std::vector<std::pair<peer_id, bool>> heard;  // Whom, and whether he left in good order.
  std::function<void()> on_hearing;
  int warned = 0;
};
template <class Stack>
struct progress_owner_of : policies_archetype<progress_owner_of<Stack>>,
                           progress_component<Stack, progress_owner_of<Stack>> {
  using component = progress_component<Stack, progress_owner_of>;
  using component::poll_once;
  std::size_t poll_packets() { return found(); }
  std::size_t poll(mpx::detail::polling how) { return component::poll(how); }
  std::size_t flush_busy() { return 0; }
  inbox_archetype& inbox() { return inbox_; }
  static void look_at_schedules() {}
  std::size_t found() {
    ++polls;
    if (on_poll) on_poll();
    return finds > 0 ? finds-- : 0;
  }
  inbox_archetype inbox_;
  std::function<void()> on_poll;
  std::size_t finds = 0;
  int polls = 0;
};
using progress_owner = progress_owner_of<stack>;

}  // namespace components
