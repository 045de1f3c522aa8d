// SPDX-License-Identifier: BSL-1.0
#pragma once
// Random traffic, the same for the same seed: sizes from 0 to 1 MiB, all modes, wildcards, probes,
// persistent and cancelled receives. Every rank knows the whole plan, hence what must arrive and in
// what order.

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mpx/mpx.hpp>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "mp/harness.hpp"

namespace random_traffic {

using namespace std::chrono_literals;

constexpr std::size_t bytes_max = std::size_t{1} << 20;
constexpr int tags = 3;

/// Patterns by which the receives of one communicator name their messages. One kind per
/// communicator, since a wildcard must not take a message that a named receive waits for.
enum kind : std::uint8_t { exact, any_sender, any_label, anything, kinds };

struct planned {
  std::uint64_t serial;
  mpx::rank_t from;
  mpx::rank_t to;
  mpx::tag_t tag;
  kind as;
  mpx::mode mode;
  std::size_t bytes;
};

inline std::size_t random_size(harness::random& random) {
  switch (random.below(8)) {
    case 0: return 0;
    case 1:
    case 2: return random.below(49);
    case 3:
    case 4: return random.below(5000);
    case 5: return random.below(70'000);
    case 6: return random.one_in(4) ? random.below(bytes_max + 1) : 16'384 + random.below(3);
    default: return random.below(300'000);
  }
}

inline std::vector<planned> make_plan(std::uint64_t seed, mpx::rank_t ranks, std::uint64_t count) {
  harness::random random(seed);
  std::vector<planned> plan;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto any_rank = [&] {
      return static_cast<mpx::rank_t>(random.below(static_cast<std::uint64_t>(ranks)));
    };
    planned p{.serial = seed << 20 | i,
              .from = any_rank(),
              .to = any_rank(),
              .tag = static_cast<mpx::tag_t>(random.below(tags)),
              .as = static_cast<kind>(random.below(kinds)),
              .mode = static_cast<mpx::mode>(random.below(3)),
              .bytes = random_size(random)};
    if (p.mode == mpx::mode::buffered) p.bytes = std::min<std::size_t>(p.bytes, 100'000);
    plan.push_back(p);
  }
  return plan;
}

/// Bytes from the heap or from the shared arena.
template <class Stack>
class memory {
 public:
  memory(mpx::environment<Stack>& env, std::size_t bytes, bool in_arena)
      : plain_(in_arena ? 0 : bytes),
        shared_(shared(env, in_arena ? bytes : 0)),
        all_(in_arena ? std::as_writable_bytes(std::span(shared_)).first(bytes)
                      : std::span<std::byte>(plain_)) {}
  std::span<std::byte> all() const noexcept { return all_; }

 private:
  // Memory of the arena, if there is one. Of words: an allocator constructs its elements one by
  // one, which took half of a program's time.
  static auto shared(mpx::environment<Stack>& env, std::size_t bytes) {
    if constexpr (mpx::SharedMemoryTransport<typename Stack::transport_type>) {
      using word = std::uint64_t;
      return std::vector<word, mpx::allocator<word>>((bytes + sizeof(word) - 1) / sizeof(word),
                                                     env.template allocator<word>());
    } else {
      static_cast<void>(env);
      return std::vector<std::byte>(bytes);
    }
  }

  std::vector<std::byte> plain_;
  decltype(shared(std::declval<mpx::environment<Stack>&>(), 0)) shared_;
  std::span<std::byte> all_;
};

template <class Stack>
class player {
  using communicator = mpx::communicator<Stack>;
  using request = mpx::request<Stack>;
  using persistent = mpx::persistent_request<Stack>;

 public:
  player(mpx::environment<Stack>& env, std::uint64_t seed, bool is_short = false)
      : is_short_(is_short),
        attached_(is_short ? bytes_max / 4 : 4 * bytes_max),
        env_(env),
        world_(env.world()),
        seed_(seed),
        random_(seed * 1000 + static_cast<std::uint64_t>(world_.rank())) {
    for (int k = 0; k < kinds; ++k) comms_.push_back(world_.dup());
    env_.attach_buffer(attached_);
  }

  /// Another program, when all have got to the end of the one before.
  void begin(std::uint64_t seed) {
    seed_ = seed;
    random_ = harness::random(seed * 1000 + static_cast<std::uint64_t>(world_.rank()));
    world_.barrier();
  }

  /// Sends and receives of all kinds, in whatever order.
  void mixed(std::uint64_t count) {
    const auto plan = make_plan(seed_, world_.size(), count);
    std::deque<planned> outgoing;
    std::vector<std::deque<planned>> incoming(kinds);
    for (const planned& p : plan) {
      if (p.from == world_.rank()) outgoing.push_back(p);
      if (p.to == world_.rank()) incoming[p.as].push_back(p);
    }
    expected_ = incoming;
    while (!outgoing.empty() || std::ranges::any_of(incoming, [](auto& q) { return !q.empty(); })) {
      if (!outgoing.empty() && random_.one_in(2)) {
        send(outgoing.front());
        outgoing.pop_front();
      }
      auto& queue = incoming[random_.below(kinds)];
      if (!queue.empty()) {
        receive(queue.front(), outgoing.empty());
        queue.pop_front();
      }
      if (random_.one_in(8)) try_a_cancel();
      while (outgoing.empty() && posted_.size() > 12) settle_receive();
    }
    while (!posted_.empty()) settle_receive();
    for (auto& s : sends_) s.request.wait();
    sends_.clear();
    for (const auto& rest : expected_)
      check(rest.empty(), [] { return std::string("a message never came"); });
  }

  /// Every message has its receive before it is sent.
  void ready(std::uint64_t count) {
    auto plan = make_plan(seed_ + 77, world_.size(), count);
    std::vector<std::pair<planned, request>> receives;
    std::vector<memory<Stack>> buffers;
    buffers.reserve(plan.size());
    for (const planned& p : plan) {
      if (p.to != world_.rank()) continue;
      buffers.emplace_back(env_, p.bytes, false);
      receives.emplace_back(p, world_.irecv(buffers.back().all(), p.from, p.tag));
    }
    world_.barrier();
    for (const planned& p : plan) {
      if (p.from != world_.rank()) continue;
      const memory<Stack> out = filled(p);
      world_.rsend(out.all(), p.to, p.tag);
    }
    std::size_t i = 0;
    for (auto& [p, r] : receives) {
      r.wait();
      checksum_received_ += sum(buffers[i].all());
      check(harness::holds(buffers[i++].all(), p.serial), [&, &p = p] { return name(p); });
    }
  }

  /// Blocking calls in pairs, and rings of sendrecv.
  void blocking(std::uint64_t count) {
    harness::random common(seed_ + 99);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto distance =
          static_cast<mpx::rank_t>(common.below(static_cast<std::uint64_t>(world_.size())));
      const std::size_t bytes = random_size(common);
      const mpx::rank_t to = (world_.rank() + distance) % world_.size();
      const mpx::rank_t from = (world_.rank() + world_.size() - distance) % world_.size();
      const auto serial = [&](mpx::rank_t r) {
        return seed_ << 20 | 0x80000 | i << 4 | static_cast<std::uint64_t>(r);
      };
      const memory<Stack> in(env_, bytes, false);
      const memory<Stack> out(env_, bytes, random_.one_in(2));
      harness::fill(out.all(), serial(world_.rank()));
      checksum_sent_ += sum(out.all());
      if (i % 3 == 0) {
        std::ranges::copy(out.all(), in.all().begin());
        world_.sendrecv_replace(in.all(), to, 3, from, 3);
      } else {
        world_.sendrecv(out.all(), to, 3, in.all(),
                        i % 2 == 0 ? from : mpx::rank_t{mpx::any_source}, 3);
      }
      checksum_received_ += sum(in.all());
      check(harness::holds(in.all(), serial(from)),
            [&] { return "sendrecv " + std::to_string(i); });
      if (i % 3 != 0) world_.barrier();  // Receives from any source must not match the next turn.
    }
  }

  void finish() {
    check(world_.allreduce(checksum_sent_, std::plus<>{}) ==
              world_.allreduce(checksum_received_, std::plus<>{}),
          [] { return std::string("a received message has wrong contents"); });
    check(env_.detach_buffer().size() == attached_.size(),
          [] { return std::string("the attached buffer was not returned"); });
    for (auto& c : comms_) check(!c.iprobe(), [] { return std::string("a message too many"); });
    check(env_.unexpected_bytes() == 0,
          [] { return std::string("unexpected memory is not given back"); });
  }

 private:
  struct sending {
    memory<Stack> data;
    mpx::request<Stack> request;
  };
  struct receiving {
    planned hint;
    memory<Stack> data;
    request pending;
    std::optional<persistent> again;
  };

  template <class What>
  void check(bool holds, What&& what) {
    harness::check(holds, [&] { return "seed " + std::to_string(seed_) + ": " + what(); });
  }
  static std::string name(const planned& p) {
    return "message " + std::to_string(p.serial & 0xfffff) + " from " + std::to_string(p.from) +
           " to " + std::to_string(p.to) + " of " + std::to_string(p.bytes) + " bytes";
  }
  static std::uint64_t sum(std::span<const std::byte> data) {
    std::uint64_t s = data.size();
    for (std::size_t i = 0; i + 8 <= data.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, data.data() + i, 8);
      s += word;
    }
    return s;
  }

  memory<Stack> filled(const planned& p) {
    memory<Stack> m(env_, p.bytes, random_.one_in(3));
    harness::fill(m.all(), p.serial);
    checksum_sent_ += sum(m.all());
    return m;
  }

  void send(const planned& p) {
    memory<Stack> m = filled(p);
    communicator& c = comms_[p.as];
    if (p.mode == mpx::mode::buffered) {
      std::error_code full;
      c.bsend(m.all(), p.to, p.tag, full);
      if (!full) return;
      check(full == mpx::errc::buffer, [&] { return full.message(); });
    }
    const auto bytes = m.all();
    auto r = p.mode == mpx::mode::synchronous ? c.issend(bytes, p.to, p.tag)
                                              : c.isend(bytes, p.to, p.tag);
    sends_.push_back({std::move(m), std::move(r)});
    if (sends_.size() > 8)
      std::erase_if(sends_, [](auto& s) { return s.request.test().has_value(); });
  }

  /// The next receive of a communicator, in one of its forms. Only a rank whose own sends are all
  /// under way may block in it.
  void receive(const planned& p, bool may_block) {
    const bool named_sender = p.as == exact || p.as == any_label;
    const bool named_tag = p.as == exact || p.as == any_sender;
    const mpx::rank_t from = named_sender ? p.from : mpx::rank_t{mpx::any_source};
    const mpx::tag_t tag = named_tag ? p.tag : mpx::tag_t{mpx::any_tag};
    communicator& c = comms_[p.as];
    // A probed message is received before those of earlier receives are looked at: settle them.
    if (may_block && random_.one_in(3)) {
      while (!posted_.empty()) settle_receive();
      return receive_probed(c, p, from, tag);
    }
    // By its size a named receive knows its buffer; a wildcard takes the largest.
    const std::size_t room = p.as == exact ? p.bytes : largest(p.as);
    receiving r{p, memory<Stack>(env_, room, random_.one_in(4)), {}, {}};
    if (random_.one_in(4)) {
      r.again = c.recv_init(r.data.all(), from, tag);
      r.again->start();
    } else {
      r.pending = c.irecv(r.data.all(), from, tag);
    }
    posted_.push_back(std::move(r));
  }

  void receive_probed(communicator& c, const planned& p, mpx::rank_t from, mpx::tag_t tag) {
    mpx::status s;
    if (random_.one_in(2)) {
      auto m = is_short_ || random_.one_in(2) ? c.mprobe(from, tag) : poll_for(c, from, tag);
      const memory<Stack> in(env_, m.info().bytes(), false);
      s = m.recv(in.all());
      arrived(p, s, in.all());
    } else {
      const mpx::status found = c.probe(from, tag);
      const memory<Stack> in(env_, found.bytes(), false);
      s = c.recv(in.all(), found.source(), found.tag());
      check(s.bytes() == found.bytes(), [&] { return name(p); });
      arrived(p, s, in.all());
    }
  }
  mpx::message<Stack> poll_for(communicator& c, mpx::rank_t from, mpx::tag_t tag) {
    for (;;)
      if (auto m = c.improbe(from, tag)) return std::move(*m);
  }

  void settle_receive() {
    receiving r = std::move(posted_.front());
    posted_.pop_front();
    const mpx::status s = r.again ? r.again->wait() : r.pending.wait();
    arrived(r.hint, s, r.data.all());
  }

  /// Receives are looked at in the order in which they were posted: then messages of one sender
  /// come in the order in which they were sent.
  void arrived(const planned& hint, const mpx::status& s, std::span<const std::byte> data) {
    auto& queue = expected_[hint.as];
    const bool by_tag = hint.as == exact || hint.as == any_sender;
    const auto it = std::ranges::find_if(queue, [&](const planned& p) {
      return p.from == s.source() && (!by_tag || p.tag == hint.tag);
    });
    check(it != queue.end(), [&] { return "not expected from " + std::to_string(s.source()); });
    check(s.tag() == it->tag && s.bytes() == it->bytes,
          [&] { return name(*it) + ": got " + std::to_string(s.bytes()) + " bytes"; });
    checksum_received_ += sum(data.first(s.bytes()));
    check(harness::holds(data.first(s.bytes()), it->serial),
          [&] { return name(*it) + " is damaged"; });
    queue.erase(it);
  }

  std::size_t largest(kind as) const {
    std::size_t most = 0;
    for (const planned& p : expected_[as]) most = std::max(most, p.bytes);
    return most;
  }

  void try_a_cancel() {
    int nothing = 0;
    auto r = comms_[exact].irecv(nothing, mpx::any_source, 1'000'000);
    check(r.cancel() && r.wait().cancelled(), [] { return std::string("cancel"); });
  }

  bool is_short_;  // Then no rank looks again and again: others need the core.
  std::vector<std::byte> attached_;
  mpx::environment<Stack>& env_;
  communicator world_;
  std::uint64_t seed_;
  harness::random random_;
  std::vector<communicator> comms_;
  std::vector<std::deque<planned>> expected_;
  std::deque<receiving> posted_;
  std::deque<sending> sends_;
  std::uint64_t checksum_sent_ = 0;
  std::uint64_t checksum_received_ = 0;
};

template <class Stack>
void play(std::uint64_t seed, std::uint64_t count) {
  mpx::environment<Stack> env;
  player<Stack> p(env, seed);
  p.mixed(count);
  p.ready(count / 8);
  p.blocking(count / 16);
  p.finish();
}

/// Many short programs in one environment, of this seed and those that follow.
template <class Stack>
void play_many(std::uint64_t seed, std::uint64_t programs) {
  mpx::environment<Stack> env;
  player<Stack> p(env, seed, true);
  for (std::uint64_t i = 0; i < programs; ++i) {
    p.begin(seed + i);
    p.mixed(4 + i % 13);
    if (i % 8 == 0) p.ready(3);
    p.blocking(i % 4 == 0 ? 1 : 0);
  }
  p.finish();
}

/// Plays the seed given to `play`, under a watchdog; with a number of programs, so many from that
/// seed on, over `Many`.
template <class Many = void, class Play>
int main(int argc, char** argv, Play&& play) {
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const auto seconds = argc > 2 ? 60s : 30s;
  const harness::watchdog guard("seed " + std::to_string(seed),
                                seconds * (harness::sanitized ? 4 : 1));
  try {
    if constexpr (!std::is_void_v<Many>) {
      if (argc > 2) {
        play_many<Many>(seed, std::strtoull(argv[2], nullptr, 10));
        return 0;
      }
    }
    play(seed);
  } catch (const std::exception& e) {
    harness::fail("seed " + std::to_string(seed) + ": " + e.what());
  }
  return 0;
}

}  // namespace random_traffic
