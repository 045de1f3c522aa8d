// SPDX-License-Identifier: BSL-1.0
#pragma once
// One rank's card in the simulated network: it accesses registered memory in virtual time,
// independently of its rank's CPU.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "mpx/bootstrap/sim.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/transport/rdma/detail/nic_queues.hpp"
#include "mpx/transport/rdma/detail/via_memory.hpp"

namespace mpx::inline v0::nic {

/// Limits and features of a simulated card.
struct sim_options {
  std::uint64_t registered_bytes_max = ~std::uint64_t{0};  ///< In whole pages.
  std::uint64_t transfer_bytes_max = 1 << 16;              ///< Of a write or read.
  std::uint32_t regions_max = 1024;                        ///< Simultaneous registrations.
  std::uint32_t send_bytes_max = 4096;                     ///< Of a send; 256 or more.
  std::uint32_t send_depth = 16;                           ///< Of a connection.
  std::uint32_t receive_depth = 64;                        ///< Of a connection.
  bool reads = true;                                       ///< It reads remote memory
  bool reads_pay = true;               ///< and reports that long messages are best read.
  bool in_order = true;                ///< False: reorders all that the contract allows.
  bool survives_refusals = true;       ///< A refused access does not break the connection.
  std::uint32_t short_send_bytes = 0;  ///< As in nic_traits; sends cost the same as writes.
  bool atomics = true;                 ///< It has all atomic accesses,
  bool atomics_with_cpu = true;        ///< and promises atomic_set::with_cpu.
};

namespace detail {

/// Work that travels to the peer's card. The data is read from the origin's memory until it has
/// left.
struct sim_work {
  enum class kind : std::uint8_t { begin, end, send, write, read, atomic };
  kind what = kind::write;
  bool has_immediate = false;
  bool until_taken = false;
  bool told = false;      // The origin has its event.
  bool healed = false;    // A network cut had delayed it.
  bool stranded = false;  // The peer is gone: no answer comes.
  peer_id peer = 0;
  nic_status status = nic_status::ok;
  std::uint32_t immediate = 0;
  std::int64_t left_ns = 0;
  std::byte* local = nullptr;
  std::uint64_t bytes = 0;
  remote_memory remote{};  // The address includes the offset.
  cookie_t cookie = 0;
  atomic_access access{};          // Of an atomic access.
  nic_tail tail{};                 // Of a write with a tail.
  std::vector<std::byte> payload;  // Data that has left the origin's memory; then the tail's.

  std::uint64_t bytes_with_tail() const noexcept { return bytes + tail.from.size(); }
  /// True if it brings data of the peer.
  bool fetches() const noexcept { return what == kind::read || what == kind::atomic; }
};

class sim_card : public mpx::sim::detail::event_handler {
 public:
  sim_card(mpx::sim::detail::world& world, mpx::sim::detail::world::environment& environment,
           rank_t self, std::uint32_t)
      : world_(world),
        clock_(world.scheduler()),
        environment_(environment),
        self_(self),
        links_(static_cast<std::size_t>(world.size())) {
    environment.cards[world_peer(self)] = this;
    world.on_heal([this] { heal(); });
  }
  /// Sets the options. Called once, before anything else.
  void set(const sim_options& options) {
    options_ = options;
    regions_.emplace_back(options.regions_max, options.registered_bytes_max,
                          clock_.random().next() >> 17);
  }
  /// The rank has left. (The card object remains for events that name it.)
  void close() noexcept { closed_ = true; }

  peer_id self() const noexcept { return world_peer(self_); }
  peer_id peers() const noexcept { return world_peer(world_.size()); }
  std::int64_t now_ns() const noexcept { return clock_.clock_ns(self_); }
  void compute(std::int64_t ns) noexcept {
    clock_.spend(self_, ns);
    clock_.catch_up(self_);
  }

  // --- Memory ---

  errc register_memory(std::span<std::byte> memory, nic_access access,
                       nic_region& region) noexcept {
    if (memory.empty() || !is_mapped(memory)) return errc::argument;
    return regions().add({.address = reinterpret_cast<std::uintptr_t>(memory.data()),
                          .bytes = memory.size(),
                          .access = static_cast<std::uint32_t>(access)},
                         region, [](std::uint32_t, std::uint64_t) {});
  }
  /// Accesses take no virtual time, so that none is ever pending.
  outcome deregister(std::uint64_t handle) noexcept {
    return regions().remove(handle, [](std::uint32_t) {}, [](std::uint32_t) { return false; });
  }
  std::uint64_t registered_bytes() const noexcept { return regions_.front().registered_bytes(); }

  // --- Connections ---

  errc connect(peer_id peer, std::span<const std::byte> data) {
    if (peer >= peers() || data.size() > nic_connect_bytes_max) return errc::argument;
    link& v = link_of(peer);
    if (is_gone(peer)) lose(v);
    if (const errc e = v.stage.begin(); e != errc{}) return e;
    sim_work w;
    w.what = sim_work::kind::begin;
    w.payload.assign(data.begin(), data.end());
    ship(v, std::move(w));
    if (v.stage.connected()) tell(v, nic_event_kind::connected, nic_status::ok, 0);
    return errc{};
  }
  std::span<const std::byte> peer_data(peer_id peer) const noexcept {
    return links_[peer] == nullptr ? std::span<const std::byte>{} : links_[peer]->stage.peer_data();
  }
  void disconnect(peer_id peer) {
    if (peer < peers() && links_[peer] != nullptr) end(*links_[peer], nic_status::ok);
  }

  // --- Work ---

  outcome post_receive(peer_id peer, std::uint64_t handle, std::span<std::byte> into,
                       cookie_t cookie) {
    if (peer >= peers()) return outcome::refused;
    link& v = link_of(peer);
    if (v.stage.lost || (!into.empty() && !regions().holds(handle, into, 0)))
      return outcome::refused;
    if (v.receives.size() == options_.receive_depth) return outcome::retry;
    v.receives.push_back({into.data(), into.size(), cookie});
    return outcome::pending;
  }
  /// Posts `w`, whose local memory is inside registration `handle`.
  outcome post(peer_id peer, std::uint64_t handle, sim_work w) {
    if (peer >= peers() || links_[peer] == nullptr || !links_[peer]->stage.connected())
      return outcome::refused;
    const std::uint64_t most =
        w.what == sim_work::kind::send ? options_.send_bytes_max : options_.transfer_bytes_max;
    if (w.bytes > most || (w.bytes != 0 && !regions().holds(handle, {w.local, w.bytes}, 0)))
      return outcome::refused;
    if (!w.tail.from.empty() && !regions().holds(w.tail.handle, w.tail.from, 0))
      return outcome::refused;
    link& v = *links_[peer];
    if (v.posted >= options_.send_depth) return outcome::retry;
    ++v.posted;
    ship(v, std::move(w));
    return outcome::pending;
  }

  // --- The completion queue ---

  std::size_t poll(std::span<nic_event> events) {
    clock_.catch_up(self_);
    if (epoch_ != world_.failure_epoch()) note_failures();
    std::size_t told = 0;
    for (; told < events.size() && !ready_.empty(); ready_.pop_front()) {
      events[told++] = ready_.front();
      clock_.spend(self_, costs(ready_.front().peer, 0).receive_ns);
    }
    if (told != 0) {
      fruitless_ = 1;
      return told;
    }
    clock_.spend(self_, fruitless_ * world_.network().empty_poll_ns(clock_.random()));
    fruitless_ = std::min<std::int64_t>(2 * fruitless_, fruitless_max);
    world_.looked(self_);
    return 0;
  }
  bool arm() noexcept {
    if (epoch_ != world_.failure_epoch()) note_failures();
    return ready_.empty();
  }
  void sleep(std::int64_t timeout_ns) noexcept {
    if (world_.cut_off(self_)) return;
    if (timeout_ns <= short_ns_max) clock_.at(now_ns() + timeout_ns, *this, event_alarm);
    clock_.sleep(self_);
    fruitless_ = 1;
  }
  void wake() noexcept { clock_.wake(self_); }

 private:
  using kind = sim_work::kind;
  static constexpr std::int64_t fruitless_max = 64;
  static constexpr std::int64_t short_ns_max = 10'000'000;  // Of a caller that must retry soon.
  // Stages of a work, in the upper bits of an event's argument; its number is in the lower bits.
  static constexpr std::uint64_t event_alarm = 0;
  static constexpr std::uint64_t event_left = std::uint64_t{1} << 62;     // At the origin.
  static constexpr std::uint64_t event_arrives = std::uint64_t{2} << 62;  // At the origin, too.
  static constexpr std::uint64_t event_back = std::uint64_t{3} << 62;
  static constexpr std::uint64_t stage_mask = std::uint64_t{3} << 62;

  struct link {
    explicit link(peer_id other) noexcept : peer(other) {}
    peer_id peer;
    session stage;
    std::deque<receive_descriptor> receives;
    std::uint32_t posted = 0;            // This side's work without an event yet.
    std::int64_t arrives_last_ns = 0;    // Latest arrival of this side's work.
    std::int64_t nothing_before_ns = 0;  // Arrival of its last begin or end.
    std::int64_t healed_until_ns = -1;   // Arrival of the last work delayed by a cut.
    std::uint32_t on_the_way = 0;        // This side's work that has not arrived.
  };

  region_table& regions() noexcept { return regions_.front(); }
  /// The peer's card; nullptr: not made yet, or its rank has left.
  sim_card* card_of(peer_id peer) const noexcept {
    sim_card* const there = last_card_of(peer);
    return there == nullptr || there->closed_ ? nullptr : there;
  }
  /// The peer's card, also if its rank has left.
  sim_card* last_card_of(peer_id peer) const noexcept {
    return static_cast<sim_card*>(environment_.cards[peer]);
  }
  mpx::sim::costs costs(peer_id peer, std::size_t bytes) noexcept {
    return world_.network().transfer(self_, world_rank(peer), bytes, clock_.random());
  }
  link& link_of(peer_id peer) {
    if (links_[peer] == nullptr) links_.put(peer, new link(peer));
    return *links_[peer];
  }
  void tell(const link& v, nic_event_kind what, nic_status status, cookie_t cookie,
            std::uint32_t immediate = 0, std::uint32_t bytes = 0) {
    ready_.push_back({what, status, v.peer, immediate, bytes, cookie});
    clock_.wake(self_);
  }
  /// Reports the end of this rank's own work.
  void tell_sent(link& v, sim_work& w, nic_status status) {
    if (std::exchange(w.told, true) || w.what == kind::begin || w.what == kind::end) return;
    --v.posted;
    tell(v, nic_event_kind::sent, status, w.cookie);
  }

  /// Sends work to the peer.
  void ship(link& v, sim_work w) {
    const bool control = w.what == kind::begin || w.what == kind::end;
    const std::uint64_t out = w.fetches() ? 0 : w.bytes_with_tail();
    const mpx::sim::costs k = costs(v.peer, out);
    clock_.spend(self_, k.send_ns);
    w.peer = v.peer;
    w.left_ns = std::max({now_ns(), clock_.now_ns(), out_free_ns_});
    out_free_ns_ = w.left_ns + std::max(k.gap_ns, k.wire_ns);
    std::int64_t arrives = w.left_ns + k.wire_ns + k.latency_ns;
    if (!options_.in_order && !control && clock_.random().one_in(2))
      arrives += static_cast<std::int64_t>(
          clock_.random().below(static_cast<std::uint64_t>(8 * (k.latency_ns + k.send_ns) + 1)));
    // Events of one time occur in any order.
    if (options_.in_order || control) arrives = std::max(arrives, v.arrives_last_ns + 1);
    arrives = std::max(arrives, v.nothing_before_ns + 1);
    v.arrives_last_ns = std::max(v.arrives_last_ns, arrives);
    if (control) v.nothing_before_ns = arrives;
    world_.record("work", now_ns(), self_, world_rank(v.peer), static_cast<std::uint64_t>(w.what),
                  w.bytes);
    ++v.on_the_way;
    clock_.at(w.left_ns, *this, event_left | next_);
    clock_.at(arrives, *this, event_arrives | next_);
    works_.emplace(next_++, std::move(w));
  }

  void fire(std::int64_t now_ns, std::uint64_t argument) override {
    if (argument == event_alarm) return clock_.wake(self_);
    const auto it = works_.find(argument & ~stage_mask);
    if (it == works_.end()) return;
    sim_work& w = it->second;
    link& v = *links_[w.peer];
    switch (argument & stage_mask) {
      case event_left: return leave(v, w);
      case event_arrives:
        if (world_.is_cut(self_, world_rank(w.peer))) return held_.push_back(argument);
        if (!std::exchange(w.healed, false) && now_ns <= v.healed_until_ns) {
          w.healed = true;  // It does not overtake work that was delayed.
          return clock_.at(++v.healed_until_ns, *this, argument);
        }
        return arrive(now_ns, argument & ~stage_mask, v, w);
      default:
        if (world_.is_cut(self_, world_rank(w.peer))) return held_.push_back(argument);
        return come_back(it->first, v, w);
    }
  }
  /// If the local memory may be reused before the data arrives, the card reads it now.
  void leave(link& v, sim_work& w) {
    if (w.told || w.what == kind::begin || w.what == kind::end || world_.cut_off(self_)) return;
    if (w.what != kind::send && !w.until_taken) return;
    w.payload.assign(w.local, w.local + w.bytes);
    w.payload.insert(w.payload.end(), w.tail.from.begin(), w.tail.from.end());
    if (w.what == kind::write) tell_sent(v, w, nic_status::ok);
  }
  void arrive(std::int64_t now_ns, std::uint64_t number, link& v, sim_work& w) {
    --v.on_the_way;
    sim_card* const there = card_of(w.peer);
    const bool lost = there == nullptr || world_.cut_off(world_rank(w.peer)) ||
                      world_.died_before(self_, w.left_ns);
    world_.record(lost ? "lost" : "come", now_ns, self_, world_rank(w.peer),
                  static_cast<std::uint64_t>(w.what), w.bytes);
    if (lost && there != nullptr) clock_.wake(world_rank(w.peer));  // It may wait for that.
    if (lost && !w.told && w.what != kind::begin && w.what != kind::end) {
      w.stranded = true;  // Until the connection ends.
      return;
    }
    if (lost || (w.told && w.payload.empty() && w.bytes != 0)) {  // Flushed before it arrived.
      works_.erase(number);
      return;
    }
    there->take(self(), w);
    if (w.what == kind::begin || w.what == kind::end) {
      works_.erase(number);
      return;
    }
    const mpx::sim::costs back =
        there->costs(self(), w.fetches() && w.status == nic_status::ok ? w.bytes : 0);
    std::int64_t at = now_ns + back.wire_ns + back.latency_ns;
    if (options_.in_order) at = back_last_ns_ = std::max(at, back_last_ns_ + 1);
    clock_.at(at, *this, event_back | number);
  }
  void come_back(std::uint64_t number, link& v, sim_work& w) {
    if (!world_.cut_off(self_)) {
      if (w.fetches() && !w.told && w.status == nic_status::ok)
        std::memcpy(w.local, w.payload.data(), w.bytes);
      const bool refused = w.status == nic_status::refused;
      tell_sent(v, w, w.status);
      if (refused && !options_.survives_refusals && v.stage.connected())
        end(v, nic_status::refused);
    }
    works_.erase(number);
  }

  // --- What comes from a peer's card ---

  void take(peer_id source, sim_work& w) {
    link& v = link_of(source);
    if (v.stage.lost) {
      w.status = nic_status::flushed;
      return;
    }
    if (w.what == kind::begin) {
      const auto told = v.stage.begun(w.payload);
      if (told == session::told::asked) tell(v, nic_event_kind::asked, nic_status::ok, 0);
      if (told == session::told::connected) tell(v, nic_event_kind::connected, nic_status::ok, 0);
      return;
    }
    if (w.what == kind::end) {
      v.stage.their_end = true;
      end(v, w.status);
      v.stage.over();
      return;
    }
    if (!v.stage.connected()) {  // This side has ended the connection.
      w.status = nic_status::flushed;
      return;
    }
    // Arrival may be handled before departure at equal times: then the data is still in the
    // origin's memory.
    if (w.what == kind::send && w.payload.empty()) w.payload.assign(w.local, w.local + w.bytes);
    if (w.what == kind::send) return use_receive(v, w.immediate, w.payload);
    if (w.bytes != 0) {
      const nic_access wanted = w.what == kind::read     ? nic_access::remote_read
                                : w.what == kind::atomic ? nic_access::remote_read_write
                                                         : nic_access::remote_write;
      std::byte* const here = regions().at(w.remote, 0, w.bytes, wanted, 0);
      std::byte* const tail_here =
          w.tail.from.empty()
              ? here
              : regions().at(w.tail.to, w.tail.offset, w.tail.from.size(), wanted, 0);
      const bool whole = w.what != kind::atomic ||
                         mpx::detail::is_atomic_word(reinterpret_cast<std::uintptr_t>(here),
                                                     static_cast<std::size_t>(w.bytes));
      if (here == nullptr || tail_here == nullptr || !whole) {
        w.status = nic_status::refused;
        return;
      }
      if (w.what == kind::atomic) {
        w.payload.resize(static_cast<std::size_t>(w.bytes));
        mpx::detail::carry_out(w.access, here, w.payload);
      } else if (w.what == kind::read) {
        w.payload.assign(here, here + w.bytes);
        ++world_.result().gets;
      } else {
        const bool left = !w.payload.empty();
        std::memcpy(here, left ? w.payload.data() : w.local, w.bytes);
        if (!w.tail.from.empty())
          std::memcpy(tail_here, left ? w.payload.data() + w.bytes : w.tail.from.data(),
                      w.tail.from.size());
        ++world_.result().puts;
      }
      world_.result().moved_bytes += w.bytes_with_tail();
    }
    if (w.has_immediate) use_receive(v, w.immediate, {});
  }
  void use_receive(link& v, std::uint32_t immediate, std::span<const std::byte> data) {
    if (v.receives.empty()) return end(v, nic_status::no_descriptor);
    const receive_descriptor d = v.receives.front();
    v.receives.pop_front();
    const bool fits = data.size() <= d.bytes;
    if (fits && !data.empty()) std::memcpy(d.into, data.data(), data.size());
    tell(v, nic_event_kind::received, fits ? nic_status::ok : nic_status::length, d.cookie,
         immediate, fits ? static_cast<std::uint32_t>(data.size()) : 0);
    if (!fits) end(v, nic_status::length);
  }

  void end(link& v, nic_status why) {
    if (!v.stage.end()) return;
    for (auto& [number, w] : works_)
      if (w.peer == v.peer) tell_sent(v, w, nic_status::flushed);
    std::erase_if(works_, [](const auto& one) { return one.second.told && one.second.stranded; });
    for (const receive_descriptor& d : v.receives)
      tell(v, nic_event_kind::received, nic_status::flushed, d.cookie);
    v.receives.clear();
    if (v.stage.concerned) tell(v, nic_event_kind::disconnected, why, 0);
    sim_work w;
    w.what = kind::end;
    w.status = why;
    ship(v, std::move(w));
    v.stage.over();
  }
  void lose(link& v) {
    end(v, nic_status::peer_lost);
    v.stage.lost = true;
  }
  bool is_gone(peer_id peer) const noexcept {
    const rank_state s = world_.state(environment_, self_, world_rank(peer));
    return s == rank_state::failed || s == rank_state::finished;
  }
  /// Marks peers that have died or left as lost, once their work has arrived.
  void note_failures() {
    bool all = true;
    for (peer_id peer = 0; peer < peers(); ++peer) {
      link* const v = links_[peer];
      if (v == nullptr || v->stage.lost || !is_gone(peer)) continue;
      if (on_the_way_from(peer) && !world_.is_cut(self_, world_rank(peer)) &&
          !world_.cut_off(self_)) {
        all = false;
      } else {
        lose(*v);
      }
    }
    if (all) epoch_ = world_.failure_epoch();
  }
  bool on_the_way_from(peer_id peer) const noexcept {
    const sim_card* const there = last_card_of(peer);  // Its work may outlive it.
    return there != nullptr && there->links_[self()] != nullptr &&
           there->links_[self()]->on_the_way != 0;
  }
  void heal() {
    std::vector<std::uint64_t> held;
    held.swap(held_);
    for (const std::uint64_t argument : held) {
      const auto it = works_.find(argument & ~stage_mask);
      if (it == works_.end()) continue;
      link& v = *links_[it->second.peer];
      it->second.healed = true;
      v.healed_until_ns = std::max(clock_.now_ns(), v.healed_until_ns) + 1;
      clock_.at(v.healed_until_ns, *this, argument);
    }
  }

  mpx::sim::detail::world& world_;
  mpx::sim::detail::scheduler& clock_;
  mpx::sim::detail::world::environment& environment_;
  rank_t self_;
  sim_options options_;
  bool closed_ = false;
  owning_table<link> links_;
  std::vector<region_table> regions_;  // Exactly one.
  std::map<std::uint64_t, sim_work> works_;
  std::uint64_t next_ = 0;
  std::vector<std::uint64_t> held_;  // Events stopped by a cut.
  std::deque<nic_event> ready_;
  std::uint32_t epoch_ = 0;
  std::int64_t out_free_ns_ = 0;
  std::int64_t back_last_ns_ = 0;
  std::int64_t fruitless_ = 1;
};

}  // namespace detail
}  // namespace mpx::inline v0::nic
