// SPDX-License-Identifier: BSL-1.0
#pragma once
// One rank's end of the simulated network: packets, puts and gets in virtual time.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "mpx/bootstrap/sim.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/transport/detail/exposures.hpp"

namespace mpx::inline v0::transport::detail {

/// An address in exposed memory of a peer.
struct exposed_at {
  static constexpr std::uint64_t key_bit = std::uint64_t{1} << 62;  // No key is 0.
  remote_memory memory{};
  std::uint64_t offset = 0;

  exposure_key key() const noexcept { return exposure_key::unpack(memory.key); }
  std::byte* address() const noexcept {
    return reinterpret_cast<std::byte*>(memory.address + offset);
  }
};

/// One rank's end of the simulated network.
class sim_port : public mpx::sim::detail::event_handler {
 public:
  sim_port(mpx::sim::detail::world& world, mpx::sim::detail::world::environment& environment,
           rank_t self, std::uint32_t depth)
      : world_(world),
        clock_(world.scheduler()),
        environment_(environment),
        self_(self),
        depth_(depth),
        in_(static_cast<std::size_t>(world.size())),
        prepaid_credits_(static_cast<std::size_t>(world.size())) {
    environment.ports[this->self()] = this;
    world.on_heal([this] { heal(); });
  }
  /// The rank has left: later arrivals are lost. The port itself stays, since events refer to it.
  void close() noexcept { environment_.ports[self()] = nullptr; }

  peer_id self() const noexcept { return world_peer(self_); }
  peer_id peers() const noexcept { return world_peer(world_.size()); }
  peer_id node_of(peer_id peer) const noexcept {
    return world_peer(world_.network().node_of(world_rank(peer)));
  }
  bool oversubscribed() const noexcept { return world_.options().oversubscribed; }
  std::int64_t now_ns() const noexcept { return clock_.clock_ns(self_); }
  void compute(std::int64_t ns) noexcept {
    clock_.spend(self_, ns);
    clock_.catch_up(self_);
  }

  outcome post(peer_id peer, const frame_header& header,
               std::span<const std::byte> payload) noexcept {
    return ship(peer, {.header = header, .payload = {payload.begin(), payload.end()}},
                payload.size());
  }
  /// See PrepaidTransport.
  std::uint32_t* prepaid_credit(peer_id peer) noexcept { return &prepaid_credits_[peer]; }
  bool try_post_prepaid(peer_id peer, const frame_header& header,
                        std::span<const std::byte> payload, std::uint32_t price) noexcept {
    if (prepaid_credits_[peer] < price || is_full(peer)) return false;
    prepaid_credits_[peer] -= price;
    return post(peer, header, payload) == outcome::done;
  }
  /// A put, followed by a packet if `header` is not nullptr.
  outcome put(peer_id peer, const exposed_at& to, std::span<const std::byte> from,
              const frame_header* header, cookie_t cookie) noexcept {
    if (world_.cut_off(self_) || port_of(peer) == nullptr) return outcome::refused;
    packet p;
    if (header != nullptr) p.header = *header;
    p.silent = header == nullptr;
    p.put = true;
    p.from = from.data();
    p.to = to;
    p.bytes = from.size();
    p.cookie = cookie;
    const outcome o = ship(peer, std::move(p), from.size());
    if (o != outcome::done) return o;
    puts_.push_back({peer, cookie});
    return outcome::pending;
  }
  outcome get(peer_id peer, const exposed_at& from, std::span<std::byte> into,
              cookie_t cookie) noexcept {
    if (world_.cut_off(self_) || port_of(peer) == nullptr) return outcome::refused;
    const mpx::sim::costs there = costs(peer, 0);
    clock_.spend(self_, there.send_ns);
    const std::int64_t leaves = std::max(now_ns(), out_free_ns_);
    out_free_ns_ = leaves + there.gap_ns;
    gets_.emplace(next_get_, pending_get{peer, from, into, cookie});
    clock_.at(leaves + there.latency_ns, *this, event_get | next_get_++);
    return outcome::pending;
  }
  /// Exposes memory of this rank to peers. Returns the key, or 0 if no more exposures are possible.
  std::uint64_t expose() noexcept {
    if (exposed_ == nullptr)
      exposed_.reset(new (std::nothrow) exposure_word[exposure_key::slots]());
    const auto key = exposures_.open(exposed_.get());
    return key ? key->pack() | exposed_at::key_bit : 0;
  }
  bool withdraw(std::uint64_t key) noexcept {
    return exposures_.close(exposed_.get(), exposure_key::unpack(key)).is_closed;
  }
  /// See CpuCopyTransport.
  pinned_exposure pin_exposure(peer_id peer, std::uint64_t key) noexcept {
    sim_port* there = port_of(peer);
    return {there != nullptr ? there->exposed_.get() : nullptr, exposure_key::unpack(key)};
  }

  /// Copies in either direction and keeps this CPU busy; `fetches` means from the peer's memory.
  /// `calls` is true for the first copy of a system call. Returns false if the peer has gone or a
  /// fault refuses the copy.
  bool copy(peer_id peer, std::byte* into, const std::byte* from, std::size_t bytes, bool fetches,
            bool calls = true) noexcept {
    if (world_.cut_off(self_) || gone(peer)) return false;
    if (world_.is_refused(self_, world_rank(peer))) {
      ++world_.result().refused;
      return false;
    }
    const mpx::sim::costs c = costs(peer, bytes);
    clock_.spend(self_, (calls ? c.send_ns : 0) + c.wire_ns + (fetches ? c.fetch_ns : 0));
    if (bytes > 0) std::memcpy(into, from, bytes);
    world_.record("copy", now_ns(), self_, world_rank(peer), bytes, 0);
    world_.result().moved_bytes += bytes;
    ++(fetches ? world_.result().gets : world_.result().puts);
    return true;
  }

  template <PacketSink Sink>
  std::size_t poll(Sink& sink) noexcept {
    clock_.catch_up(self_);
    std::size_t taken = 0;
    if (epoch_ != world_.failure_epoch()) end_lost();
    while (!completions_.empty()) {
      const completion c = completions_.front();
      completions_.pop_front();
      sink.complete(c.cookie, c.ok);
      ++taken;
    }
    for (std::size_t turns = hot_.size(); turns > 0; --turns) {
      channel& c = *hot_.front();
      hot_.pop_front();
      const packet p = std::move(c.ready.front());
      c.ready.pop_front();
      take_from(c);
      if (!c.ready.empty()) hot_.push_back(&c);
      clock_.spend(self_, costs_of_taking(c.source, p.payload.size()));
      sink.packet(c.source, p.header, p.payload);
      ++taken;
    }
    if (taken != 0) {
      fruitless_ = 1;
      return taken;
    }
    clock_.spend(self_, fruitless_ * world_.network().empty_poll_ns(clock_.random()));
    fruitless_ = std::min<std::int64_t>(2 * fruitless_, fruitless_max);
    world_.looked(self_);
    return 0;
  }

  bool arm() noexcept { return !something_to_do(); }
  void sleep() noexcept {
    if (world_.cut_off(self_)) return;
    clock_.sleep(self_);
    fruitless_ = 1;
  }
  void wake() noexcept { clock_.wake(self_); }

 private:
  // Arguments of events. Any smaller value is a source.
  static constexpr std::uint64_t event_get = std::uint64_t{1} << 63;  // Plus the number of the get.
  // Plus 1 if the put succeeded.
  static constexpr std::uint64_t event_put_done = std::uint64_t{1} << 62;
  static constexpr std::uint64_t event_wake = std::uint64_t{1} << 61;
  static constexpr std::int64_t fruitless_max = 64;

  struct packet {
    frame_header header{};
    std::vector<std::byte> payload;
    std::int64_t left_ns = 0;
    bool silent = false;  // A put without a packet.
    bool put = false;
    bool repeated = false;
    const std::byte* from = nullptr;
    exposed_at to{};
    std::size_t bytes = 0;
    cookie_t cookie = 0;
    std::int64_t busy_ns = 0;  // Time for which it occupies the receiving port.
  };
  /// Packets from one source.
  struct channel {
    explicit channel(peer_id from) : source(from) {}
    peer_id source;
    std::deque<packet> in_flight;
    std::deque<packet> ready;
    std::int64_t arrives_last_ns = 0;
    std::uint32_t held = 0;   // Arrivals that a network cut has stopped.
    std::uint32_t count = 0;  // Packets in flight or ready.
    bool blocked_on_space = false;
  };
  struct pending_put {
    peer_id peer;
    cookie_t cookie;
  };
  struct pending_get {
    peer_id peer;
    exposed_at from;
    std::span<std::byte> into;
    cookie_t cookie;
    // Time for which the data occupies both ports; -1 before it has left the peer.
    std::int64_t busy_ns = -1;
  };
  struct completion {
    cookie_t cookie;
    bool ok;
  };

  mpx::sim::costs costs(peer_id peer, std::size_t bytes) noexcept {
    return world_.network().transfer(self_, world_rank(peer), bytes, clock_.random());
  }
  std::int64_t costs_of_taking(peer_id source, std::size_t bytes) noexcept {
    return world_.network().transfer(world_rank(source), self_, bytes, clock_.random()).receive_ns;
  }
  sim_port* port_of(peer_id peer) noexcept {
    return static_cast<sim_port*>(environment_.ports[peer]);
  }
  /// True if the memory of `peer` must not be touched any more.
  bool gone(peer_id peer) noexcept {
    return world_.cut_off(world_rank(peer)) || port_of(peer) == nullptr ||
           environment_.states[peer] != rank_state::joined;
  }
  bool is_full(peer_id peer) noexcept {
    sim_port* there = port_of(peer);
    return there != nullptr && there->channel_from(self()).count >= depth_;
  }
  channel& channel_from(peer_id source) {
    if (in_[source] == nullptr) in_.put(source, new channel(source));
    return *in_[source];
  }

  outcome ship(peer_id peer, packet p, std::size_t bytes) noexcept {
    sim_port* there = port_of(peer);
    if (world_.cut_off(self_) || there == nullptr) return outcome::done;  // The packet is lost.
    channel& c = there->channel_from(self());
    if (c.count >= depth_) {
      c.blocked_on_space = true;
      if (std::find(blocked_on_space_.begin(), blocked_on_space_.end(), &c) ==
          blocked_on_space_.end())
        blocked_on_space_.push_back(&c);
      return outcome::retry;
    }
    const mpx::sim::costs k = costs(peer, bytes);
    clock_.spend(self_, k.send_ns);
    const std::int64_t busy = std::max(k.gap_ns, k.wire_ns);
    p.left_ns = std::max(now_ns(), out_free_ns_);
    p.busy_ns = busy;
    out_free_ns_ = p.left_ns + busy;
    c.arrives_last_ns = std::max(p.left_ns + k.wire_ns + k.latency_ns, c.arrives_last_ns);
    world_.record("post", now_ns(), self_, world_rank(peer), p.header.word[0], bytes);
    ++c.count;
    c.in_flight.push_back(std::move(p));
    clock_.at(c.arrives_last_ns, *there, self());
    return outcome::done;
  }

  void fire(std::int64_t now_ns, std::uint64_t what) override {
    if (what == event_wake) return clock_.wake(self_);
    if ((what & event_get) != 0) return on_get(now_ns, what);
    if ((what & event_put_done) != 0) {
      const cookie_t cookie = put_acks_.front();
      put_acks_.pop_front();
      const auto it = std::find_if(puts_.begin(), puts_.end(),
                                   [cookie](const pending_put& p) { return p.cookie == cookie; });
      if (it == puts_.end()) return;  // Its peer was lost meanwhile.
      puts_.erase(it);
      completions_.push_back({cookie, (what & 1) != 0});
      return clock_.wake(self_);
    }
    arrive(now_ns, *in_[what]);
  }

  void arrive(std::int64_t now_ns, channel& c) {
    const auto source = world_rank(c.source);
    if (world_.is_cut(source, self_)) {
      ++c.held;
      return;
    }
    if (in_free_ns_ > now_ns) return clock_.at(in_free_ns_, *this, c.source);
    packet p = std::move(c.in_flight.front());
    c.in_flight.pop_front();
    in_free_ns_ = now_ns + p.busy_ns;
    bool lost = world_.cut_off(self_) || port_of(self()) == nullptr ||
                world_.died_before(source, p.left_ns) || (p.put && gone(c.source));
    const pinned_exposure held(p.put && !lost ? exposed_.get() : nullptr, p.to.key());
    lost = lost || (p.put && !held);
    if (!p.put && !lost) lost = suffer(now_ns, c, p);
    world_.record(lost ? "lost" : "come", now_ns, source, self_, p.header.word[0], p.bytes);
    if (p.put) {
      const bool ok = !lost;
      if (ok && p.bytes > 0) std::memcpy(p.to.address(), p.from, p.bytes);
      ++world_.result().puts;
      world_.result().moved_bytes += ok ? p.bytes : 0;
      if (sim_port* back = port_of(c.source); back != nullptr) {
        back->put_acks_.push_back(p.cookie);
        const std::int64_t latency = costs(c.source, 0).latency_ns;
        back->put_done_ns_ = std::max(back->put_done_ns_ + 1, now_ns + latency);
        clock_.at(back->put_done_ns_, *back, event_put_done | (ok ? 1 : 0));
      }
    }
    if (lost || p.silent) return take_from(c);
    ++world_.result().packets;
    world_.result().packet_bytes += p.payload.size();
    c.ready.push_back(std::move(p));
    if (c.ready.size() == 1) hot_.push_back(&c);
    clock_.wake(self_);
  }

  /// Applies the simulation's faults to a packet. Returns true if it is lost.
  bool suffer(std::int64_t now_ns, channel& c, packet& p) {
    const auto fate = world_.fate_of(world_rank(c.source), self_);
    if (fate.lost) {
      ++world_.result().lost;
      return true;
    }
    if (fate.repeated && !p.repeated) {
      ++world_.result().repeated;
      ++c.count;
      c.in_flight.push_back(p);
      c.in_flight.back().repeated = true;
      c.arrives_last_ns = std::max(now_ns + costs(c.source, 0).latency_ns, c.arrives_last_ns);
      clock_.at(c.arrives_last_ns, *this, c.source);
    }
    if (fate.shortened && !p.payload.empty()) {
      ++world_.result().shortened;
      p.payload.resize(clock_.random().below(p.payload.size()));
    }
    return false;
  }

  /// Frees one place in the channel. A sender that waits for it learns of it one latency later.
  void take_from(channel& c) {
    --c.count;
    if (!c.blocked_on_space) return;
    c.blocked_on_space = false;
    if (sim_port* back = port_of(c.source); back != nullptr)
      clock_.at(clock_.now_ns() + costs(c.source, 0).latency_ns, *back, event_wake);
  }

  /// Handles a get that has reached the peer, or whose data has come back.
  void on_get(std::int64_t now_ns, std::uint64_t what) {
    const auto it = gets_.find(what & ~event_get);
    if (it == gets_.end()) return;  // Its peer was lost meanwhile.
    pending_get& waiting = it->second;
    if (world_.is_cut(self_, world_rank(waiting.peer))) return held_gets_.push_back(what);
    if (waiting.busy_ns < 0) {
      const mpx::sim::costs back = costs(waiting.peer, waiting.into.size());
      waiting.busy_ns = std::max(back.gap_ns, back.wire_ns);
      std::int64_t leaves = now_ns;
      if (sim_port* there = port_of(waiting.peer); there != nullptr) {
        leaves = std::max(leaves, there->out_free_ns_);
        there->out_free_ns_ = leaves + waiting.busy_ns;
      }
      return clock_.at(leaves + back.wire_ns + back.latency_ns, *this, what);
    }
    if (in_free_ns_ > now_ns) return clock_.at(in_free_ns_, *this, what);
    in_free_ns_ = now_ns + waiting.busy_ns;
    const pending_get g = waiting;
    gets_.erase(it);
    const pinned_exposure held(
        !gone(self()) && !gone(g.peer) ? port_of(g.peer)->exposed_.get() : nullptr, g.from.key());
    const bool ok = static_cast<bool>(held);
    if (ok && !g.into.empty()) std::memcpy(g.into.data(), g.from.address(), g.into.size());
    world_.record("get", now_ns, self_, world_rank(g.peer), g.into.size(), ok ? 1 : 0);
    ++world_.result().gets;
    world_.result().moved_bytes += ok ? g.into.size() : 0;
    completions_.push_back({g.cookie, ok});
    clock_.wake(self_);
  }

  void heal() {
    for (peer_id source = 0; source < peers(); ++source) {
      channel* c = in_[source];
      if (c == nullptr || world_.is_cut(world_rank(source), self_)) continue;
      for (; c->held > 0; --c->held)
        clock_.at(clock_.now_ns() + costs(source, 0).latency_ns, *this, source);
    }
    for (const std::uint64_t what : held_gets_) clock_.at(clock_.now_ns(), *this, what);
    held_gets_.clear();
  }

  /// Fails all operations that are pending with a lost peer.
  void end_lost() noexcept {
    epoch_ = world_.failure_epoch();
    const bool all = world_.cut_off(self_);
    for (auto it = gets_.begin(); it != gets_.end();) {
      const bool over = all || gone(it->second.peer);
      if (over) completions_.push_back({it->second.cookie, false});
      it = over ? gets_.erase(it) : std::next(it);
    }
    std::erase_if(puts_, [&](const pending_put& p) {
      const bool over = all || gone(p.peer);
      if (over) completions_.push_back({p.cookie, false});
      return over;
    });
  }

  bool something_to_do() noexcept {
    if (epoch_ != world_.failure_epoch()) end_lost();
    if (!completions_.empty() || !hot_.empty()) return true;
    bool room = false;
    for (channel* c : blocked_on_space_) room = room || c->count < depth_;
    if (room) blocked_on_space_.clear();
    return room;
  }

  mpx::sim::detail::world& world_;
  mpx::sim::detail::scheduler& clock_;
  mpx::sim::detail::world::environment& environment_;
  rank_t self_;
  std::uint32_t depth_;
  owning_table<channel> in_;
  plain_array<std::uint32_t> prepaid_credits_;
  std::deque<channel*> hot_;  // Channels with ready packets, in the order of service.
  std::vector<channel*> blocked_on_space_;
  std::deque<completion> completions_;
  std::map<std::uint64_t, pending_get> gets_;
  std::uint64_t next_get_ = 0;
  std::vector<std::uint64_t> held_gets_;  // Events that a network cut has stopped.
  std::vector<pending_put> puts_;
  std::deque<cookie_t> put_acks_;  // Acknowledgements on their way here.
  std::uint32_t epoch_ = 0;        // Failure epoch at which pending operations were searched last.
  std::unique_ptr<exposure_word[]> exposed_;
  exposures exposures_;
  std::int64_t out_free_ns_ = 0;
  std::int64_t in_free_ns_ = 0;
  std::int64_t put_done_ns_ = 0;
  std::int64_t fruitless_ = 1;
};

}  // namespace mpx::inline v0::transport::detail
