// SPDX-License-Identifier: BSL-1.0
// release: tsan
// timeout: 120
// own_headers: yes
// sanitizers: thread
// Ranks that sleep whenever there is nothing to do, on rings of few lines, under all kinds of
// schedules: every packet arrives, and a sleeping rank is woken when there is something to do.

#include "explore.hpp"

#include <mpx/transport/detail/ring_fabric.hpp>

#include <vector>

#include "search.hpp"

namespace {

using namespace mpx::transport::detail;
using explore::fault;
using mpx::outcome;
using mpx::peer_id;

/// Inboxes and channels of `peers` in zeroed memory.
class shared_memory {
 public:
  shared_memory(peer_id peers, ring_geometry g)
      : peers_(peers),
        geometry_(g),
        bytes_(new(std::align_val_t{64}) std::byte[size()]()),
        bells_(new mpx::platform::atomic<std::uint32_t>[peers]()) {}
  /// Stands for a descriptor: 1 is readable.
  mpx::platform::atomic<std::uint32_t>& bell(peer_id peer) const { return bells_[peer]; }
  doorbell_control& doorbell(peer_id peer) const {
    return *reinterpret_cast<doorbell_control*>(bytes_.get() +
                                                peer * doorbell_control::bytes(peers_));
  }
  std::byte* channel(peer_id source, peer_id destination) const {
    return bytes_.get() + peers_ * doorbell_control::bytes(peers_) +
           (std::size_t{destination} * peers_ + source) * geometry_.bytes();
  }
  ring_control& control(peer_id source, peer_id destination) const {
    return *reinterpret_cast<ring_control*>(channel(source, destination));
  }

 private:
  struct release {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  std::size_t size() const {
    return peers_ * doorbell_control::bytes(peers_) +
           std::size_t{peers_} * peers_ * geometry_.bytes();
  }
  peer_id peers_;
  ring_geometry geometry_;
  std::unique_ptr<std::byte[], release> bytes_;
  std::unique_ptr<mpx::platform::atomic<std::uint32_t>[]> bells_;
};

/// The segment as a rank_fabric sees it.
class segment {
 public:
  segment(const shared_memory& m, peer_id self) : memory_(&m), self_(self) {}
  static int make_bell() noexcept { return 7; }
  bool wait_bell(std::int64_t timeout_ns) const noexcept {
    return explore::futex_wait(memory_->bell(self_), 0, timeout_ns);
  }
  void quiet_bell() const noexcept { memory_->bell(self_).exchange(0); }  // As a read(2).
  void ring_bell(peer_id peer) const noexcept {
    memory_->bell(peer).exchange(1);
    explore::futex_wake(memory_->bell(peer), 1);
  }
  doorbell_control& doorbell(peer_id peer) const noexcept { return memory_->doorbell(peer); }
  std::byte* channel(peer_id from, peer_id to) const noexcept { return memory_->channel(from, to); }

 private:
  const shared_memory* memory_;
  peer_id self_;
};
static_assert(ring_geometry{1, 4096}.bytes() % 64 == 0);

/// Number of packets that each rank sends to each other, and properties of the machine.
struct traffic {
  std::uint32_t to_zero = 0;    ///< From each of the others to rank 0.
  std::uint32_t from_zero = 0;  ///< From rank 0 to each of the others.
  std::uint32_t among = 0;      ///< Among the others.
  std::uint32_t lines = 4;      ///< Of each ring.
  bool oversubscribed = false;
  bool no_barrier = false;  ///< The kernel has none.
  bool hot = false;         ///< All pairs have talked, and are looked at.
  bool large = false;
  enum class bells : std::uint8_t { none, of_zero, all } descriptors = bells::none;
  bool idle = false;  ///< Rank 0 is about to leave alone those rings that have long been silent.
  std::uint64_t* demotions = nullptr;  ///< Counts the rings that it stopped to poll.
};

struct planted {
  fault::kind what = fault::kind::none;
  enum class word : std::uint8_t {
    none,
    polled,
    starved,
    sleeping,
    summary,
    attention,
    bell
  } where{};
  std::uint64_t value = 0;
};

template <peer_id Ranks>
class job {
 public:
  static constexpr std::size_t threads = Ranks;
  static constexpr bool quiet_start = true;

  job(explore::scheduler& s, const traffic& t, const planted& f)
      : scheduler_(s), traffic_(t), memory_(Ranks, {t.lines, 4096}) {
    s.cores = t.oversubscribed ? 1 : 64;
    explore::barrier_refused = t.no_barrier;
    for (peer_id r = 0; r < Ranks; ++r) ranks_.push_back(std::make_unique<rank>(*this, r));
    s.plant({f.what, place(f), 1, f.value});
  }

  void thread(std::size_t i) {
    rank& me = *ranks_[i];
    if (traffic_.hot) warm_up(me);
    scheduler_.begin();
    talk(me);
    scheduler_.end();
  }

  std::string wrong() {
    if (traffic_.demotions != nullptr)
      *traffic_.demotions += ranks_[0]->fabric.counters().demotions;
    for (auto& r : ranks_) {
      if (!r->failure.empty()) return r->failure;
      if (r->fabric.counters().missed_wakeups != 0)
        return "a wake-up counts as missed, and no sleep has timed out";
      if (r->fabric.poll(*r) != 0) return "a packet too many";
    }
    return "";
  }

 private:
  struct rank {
    rank(job& j, peer_id self)
        : owner(j),
          fabric(segment(j.memory_, self), self, Ranks, ring_geometry{j.traffic_.lines, 4096}),
          sent(Ranks),
          got(Ranks) {
      const auto d = j.traffic_.descriptors;
      if (d == traffic::bells::all || (d == traffic::bells::of_zero && self == 0))
        fabric.descriptor();
    }
    void packet(peer_id source, const mpx::frame_header& h,
                std::span<const std::byte> body) noexcept {
      const std::uint32_t i = got[source]++;
      bool right = h.word[0] == i && h.word[4] == ~i && body.size() == bytes_of(i);
      owner.scheduler_.point("reading", body.data());
      for (const std::byte b : body) right = right && b == static_cast<std::byte>(i + source);
      if (!right) failure = "packet " + std::to_string(i) + " has wrong contents";
    }
    std::span<std::byte> place(peer_id, const mpx::frame_header&, std::size_t) noexcept {
      return {};
    }
    void complete(mpx::cookie_t, bool) noexcept {}
    void malformed(peer_id) noexcept { failure = "malformed"; }
    void unreachable(peer_id) noexcept { failure = "unreachable"; }
    std::size_t bytes_of(std::uint32_t i) const {
      return owner.traffic_.large && i % 4 != 0 ? 600 + i * 331 % 425 : i * 7 % 41;
    }

    job& owner;
    ring_fabric<segment> fabric;
    std::vector<std::uint32_t> sent;
    std::vector<std::uint32_t> got;
    std::string failure;
  };

  const void* place(const planted& f) const {
    switch (f.where) {
      case planted::word::polled: return &memory_.control(1, 0).polled;
      case planted::word::starved: return &memory_.control(1, 0).blocked_on_space;
      case planted::word::sleeping: return &memory_.doorbell(0).sleeping;
      case planted::word::summary: return &memory_.doorbell(0).summary;
      case planted::word::attention: return &memory_.doorbell(0).attention[0];
      case planted::word::bell: return &memory_.bell(0);
      case planted::word::none: break;
    }
    return nullptr;
  }
  std::uint32_t planned(peer_id from, peer_id to) const {
    if (from == to) return 0;
    if (to == 0) return traffic_.to_zero;
    return from == 0 ? traffic_.from_zero : traffic_.among;
  }
  bool post(rank& me, peer_id to) {
    std::byte data[1024];
    const std::uint32_t i = me.sent[to];
    const std::size_t bytes = me.bytes_of(i);
    std::memset(data, static_cast<int>((i + me.fabric.self()) & 0xff), bytes);
    const mpx::frame_header header{{i, 0, 0, 0, ~i}};
    if (me.fabric.post(to, header, {data, bytes}, 0) != outcome::done) return false;
    ++me.sent[to];
    return true;
  }

  void warm_up(rank& me) {
    for (peer_id to = 0; to < Ranks; ++to)
      if (planned(me.fabric.self(), to) != 0) post(me, to);
    scheduler_.all_here();
    bool all = false;
    while (!all) {
      me.fabric.poll(me);
      all = true;
      for (peer_id from = 0; from < Ranks; ++from)
        all = all && (planned(from, me.fabric.self()) == 0 || me.got[from] != 0);
      if (!all) explore::relax();
    }
    if (traffic_.idle && me.fabric.self() == 0)  // It looks around after 4096 and 8192 polls.
      for (std::size_t i = scheduler_.draw(3); i < 8190; ++i) me.fabric.poll(me);
  }
  void talk(rank& me) {
    const peer_id self = me.fabric.self();
    const std::uint32_t first = traffic_.hot ? 1 : 0;
    const int looks_min = traffic_.idle && self == 0 ? 6 : 0;
    for (int looks = 0;;) {
      bool did = false;
      bool over = true;
      for (peer_id to = 0; to < Ranks; ++to) {
        const std::uint32_t plan = planned(self, to);
        if (plan != 0 && me.sent[to] < plan + first) did = post(me, to) || did;
        if (plan != 0 && me.sent[to] < plan + first) over = false;
      }
      did = me.fabric.poll(me) != 0 || did;
      for (peer_id from = 0; from < Ranks; ++from) {
        const std::uint32_t plan = planned(from, self);
        if (plan != 0 && me.got[from] < plan + first) over = false;
      }
      if (over) return;
      if (did || ++looks <= looks_min || !me.fabric.arm()) continue;
      me.fabric.sleep(1'000'000'000);
      me.fabric.disarm();
    }
  }

  explore::scheduler& scheduler_;
  traffic traffic_;
  shared_memory memory_;
  std::vector<std::unique_ptr<rank>> ranks_;
};

constexpr traffic stream{.to_zero = 4};
constexpr traffic stream_hot{.to_zero = 4, .hot = true};
constexpr traffic flood{.to_zero = 9};
constexpr traffic flood_hot{.to_zero = 9, .hot = true};
constexpr traffic flood_large{.to_zero = 12, .lines = 8, .large = true};
constexpr traffic flood_long{.to_zero = 30, .hot = true, .large = true};
constexpr traffic single{.to_zero = 8, .lines = 1, .hot = true, .large = true};
constexpr traffic both_ways{.to_zero = 5, .from_zero = 5};
constexpr traffic ping_hot{.to_zero = 3, .from_zero = 3, .hot = true};
constexpr traffic all_to_all{.to_zero = 2, .from_zero = 2, .among = 2};
constexpr traffic all_hot{.to_zero = 2, .from_zero = 2, .among = 2, .hot = true};

traffic oversubscribed(traffic t) {
  t.oversubscribed = true;
  return t;
}

template <peer_id Ranks>
void sound(const char* what, std::uint64_t schedules, const traffic& t) {
  const std::string ranks = ", " + std::to_string(Ranks) + " ranks";
  for (const bool over : {false, true})
    explore::check_sound(
        what + ranks + (over ? ", oversubscribed" : ""),
        explore::search<job<Ranks>>(schedules, over ? oversubscribed(t) : t, planted{}),
        schedules / 2);
}

template <peer_id Ranks>
void found(const char* what, const traffic& t, const planted& f) {
  explore::check_found(what, explore::search<job<Ranks>>(20'000, t, f));
}

}  // namespace

TEST_CASE("preempt: doorbell, a stream to a sleeping rank") {
  sound<2>("stream, cold at first", 2000, stream);
  sound<2>("stream, hot", 2000, stream_hot);
}

TEST_CASE("preempt: doorbell, full rings") {
  sound<2>("flood, cold at first", 1500, flood);
  sound<2>("flood, hot", 1500, flood_hot);
  sound<2>("flood of a single line", 1500, single);
  sound<2>("flood of the pool", 1500, flood_large);
  sound<2>("flood of lines and pool", 500, flood_long);
}

TEST_CASE("preempt: wiring of a pair from both sides, and doorbells of several") {
  sound<2>("both ways", 1500, both_ways);
  sound<2>("both ways, hot", 1500, ping_hot);
  sound<3>("all to all", 1500, all_to_all);
  sound<4>("bits in one word", 1500, {.to_zero = 2});
  sound<4>("all to all, hot", 500, all_hot);
}

TEST_CASE("preempt: doorbell, a rank that sleeps on a descriptor") {
  for (const auto d : {traffic::bells::of_zero, traffic::bells::all}) {
    const auto with = [d](traffic t) {
      t.descriptors = d;
      return t;
    };
    sound<2>("descriptor, stream", 1500, with(stream));
    sound<2>("descriptor, stream, hot", 1500, with(stream_hot));
    sound<2>("descriptor, flood", 1000, with(flood));
    sound<2>("descriptor, both ways", 1000, with(both_ways));
    sound<3>("descriptor, all to all", 1000, with(all_to_all));
  }
}

TEST_CASE("preempt: doorbell, where the kernel has no heavy barrier") {
  const auto without = [](traffic t) {
    t.no_barrier = true;
    return t;
  };
  sound<2>("no barrier, stream", 500, without(stream));
  sound<2>("no barrier, stream, hot", 1500, without(stream_hot));
  sound<2>("no barrier, both ways, hot", 1000, without(ping_hot));
  sound<3>("no barrier, all to all", 500, without(all_to_all));
}

TEST_CASE("preempt: rings are left alone just as their senders speak up") {
  std::uint64_t left_alone = 0;
  explore::check_sound(
      "idle rings, 6 ranks",
      explore::search<job<6>>(
          300, traffic{.to_zero = 2, .hot = true, .idle = true, .demotions = &left_alone},
          planted{}),
      150);
  CHECK(left_alone != 0);
}

TEST_CASE("preempt: faults of the doorbell are found" * doctest::skip(explore::sampled)) {
  using kind = fault::kind;
  using word = planted::word;
  found<2>("no heavy barrier", stream_hot, {kind::no_heavy_barrier});
  found<2>("no heavy barrier, and no bits", {.to_zero = 4, .no_barrier = true},
           {kind::lost_or, word::attention});
  found<2>("no heavy barrier, full ring", flood, {kind::no_heavy_barrier});
  found<2>("`polled` is not taken back", stream_hot, {kind::stuck_load, word::polled, 1});
  found<2>("the summary bit is not set", stream, {kind::lost_or, word::summary});
  found<2>("the attention bit is not set", stream, {kind::lost_or, word::attention});
  found<2>("`starved` is not set", flood, {kind::lost_store, word::starved});
  found<2>("`starved` is not looked at", flood, {kind::stuck_load, word::starved, 0});
  found<2>("`sleeping` is not set", stream, {kind::lost_store, word::sleeping});
  found<2>("`sleeping` is no fence", stream, {kind::weak_store, word::sleeping});
  found<2>("`sleeping` is not looked at", stream, {kind::stuck_load, word::sleeping, 0});
  found<2>("the summary is not looked at before a sleep", stream,
           {kind::stuck_load, word::summary, 0});
  found<2>("no wake-up", stream, {kind::no_wake, word::sleeping});
  found<2>("the kernel does not compare", stream, {kind::hasty_sleep, word::sleeping});
  constexpr traffic polled{.to_zero = 4, .descriptors = traffic::bells::all};
  found<2>("a descriptor is not rung", polled, {kind::no_wake, word::bell});
  found<2>("`sleeping` is not set for a descriptor", polled, {kind::lost_store, word::sleeping});
  found<2>("no heavy barrier before a poll",
           {.to_zero = 4, .hot = true, .descriptors = traffic::bells::all},
           {kind::no_heavy_barrier});
}
