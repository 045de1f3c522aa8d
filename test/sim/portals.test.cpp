// SPDX-License-Identifier: BSL-1.0
// Portals in virtual time: random messages to match lists with any delays, against an oracle; a
// rank that dies.

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <mpx/mpx.hpp>
#include <mpx/portals.hpp>
#include <mpx/sim.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "sim/stacks.hpp"

namespace sim_portals {
namespace {

using namespace sim_stacks;
namespace po = mpx::portals;
constexpr mpx::match_bits all_bits = ~mpx::match_bits{0};

std::uint64_t mixed(std::uint64_t x) noexcept {
  x += 0x9e37'79b9'7f4a'7c15u;
  x = (x ^ x >> 30) * 0xbf58'476d'1ce4'e5b9u;
  x = (x ^ x >> 27) * 0x94d0'49bb'1331'11ebu;
  return x ^ x >> 31;
}
std::byte byte_of(std::uint64_t serial, std::size_t i) noexcept {
  return static_cast<std::byte>(mixed(serial + i / 64) >> i % 8 * 8);
}

/// Every rank sends to all others; lengths and match bits are drawn from the seed. Each receiver
/// posts receives for a part of them, as in Puma, figure 1, and takes the rest out of its heap: long
/// messages of which the heap has the header alone are pulled from their sender.
template <class Comm>
bool play(const Comm& world, std::uint64_t seed) {
  using stack = typename Comm::stack_type;
  constexpr std::uint64_t count = 12;
  constexpr mpx::match_bits long_bit = mpx::match_bits{1} << 63;
  constexpr std::size_t long_bytes = 1500;
  const auto me = static_cast<std::uint64_t>(world.rank());
  const auto n = static_cast<std::uint64_t>(world.size());
  const auto serial = [&](std::uint64_t from, std::uint64_t to, std::uint64_t i) {
    return seed * 1'000'000 + (from * n + to) * 1000 + i;
  };
  const auto length = [](std::uint64_t s) -> std::size_t {
    constexpr std::size_t sizes[] = {0, 8, 300, 2000, 9000, 40'000};
    return sizes[mixed(s) % 6];
  };
  const auto bits_of = [&](std::uint64_t s) {
    return mixed(s + 7) % 3 | (length(s) > long_bytes ? long_bit : 0);
  };

  po::table<stack> t(world);
  po::dynamic_block heap(1 << 20);
  const po::settings keeps_all{.how = {.keep = po::saves::both}};
  const po::settings keeps_header{.how = {.keep = po::saves::header, .acknowledge = true}};
  const auto short_rest = t.append(0, {.ignore = all_bits & ~long_bit}, heap, keeps_all);
  const auto long_rest =
      t.append(0, {.bits = long_bit, .ignore = all_bits & ~long_bit}, heap, keeps_header);
  // Messages that are sent: the data, and a read portal for the long ones.
  std::vector<std::vector<std::byte>> sources(n * count);
  std::vector<std::unique_ptr<po::single_block>> blocks;
  std::vector<po::entry<stack>> reads;
  for (std::uint64_t to = 0; to < n; ++to)
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t s = serial(me, to, i);
      auto& data = sources[to * count + i];
      data.resize(length(s));
      for (std::size_t k = 0; k < data.size(); ++k) data[k] = byte_of(s, k);
      if (data.size() <= long_bytes) continue;
      blocks.push_back(std::make_unique<po::single_block>(std::span<const std::byte>(data)));
      reads.push_back(t.append(1, {.bits = s, .from = static_cast<mpx::rank_t>(to)}, *blocks.back(),
                               {.how = {.direction = po::access::read_only}}));
    }
  world.barrier();

  std::vector<mpx::request<stack>> sending;
  for (std::uint64_t i = 0; i < count; ++i)
    for (std::uint64_t to = 0; to < n; ++to) {
      const std::uint64_t s = serial(me, to, i);
      const auto& data = sources[to * count + i];
      const po::address there{.portal = 0, .bits = bits_of(s)};
      po::answer_to back{};
      std::memcpy(back.user.data(), &s, sizeof s);
      const auto rank = static_cast<mpx::rank_t>(to);
      sending.push_back(t.put(data, rank, there, back, mpx::start));
    }

  bool right = true;
  po::events<stack> events(t, 4);
  std::vector<std::byte> room(40'000);
  po::independent_block one{std::span(room)};
  std::vector<std::uint64_t> seen(n);
  for (std::uint64_t k = 0; k < n * count; ++k) {
    const std::uint64_t from = mixed(seed + k) % n;
    std::uint64_t i = seen[from]++;
    std::uint64_t sender = from;
    while (i >= count) {  // That sender has no more: take another one.
      --seen[sender];
      sender = (sender + 1) % n;
      i = seen[sender]++;
    }
    const std::uint64_t s = serial(sender, me, i);
    auto receive =
        t.insert(short_rest, 0, {.bits = bits_of(s), .from = static_cast<mpx::rank_t>(sender)}, one,
                 {.how = {.keep = po::saves::both, .acknowledge = true},
                  .no_buffer = po::onward::following(),
                  .active = false},
                 events);
    if (mixed(s + 3) % 2 == 0) world.progress();
    po::message is;
    std::vector<std::byte> got;
    if (auto m = t.take_or_activate(heap, receive); m) {
      m.wait();
      is = m.is();
      got.assign(m.data().begin(), m.data().end());
      if (m.what() == po::saved::header) {
        std::uint64_t name = 0;
        std::memcpy(&name, is.user.data(), sizeof name);
        got.resize(is.length);
        t.get(got, is.source, {.portal = 1, .bits = name});
      }
    } else {
      po::event e = events.wait();
      is = e.is;
      got.assign(e.data.begin(), e.data.end());
      receive.remove();  // Before its buffer is free for another message.
      t.release(one, 0);
    }
    std::uint64_t name = 0;
    std::memcpy(&name, is.user.data(), sizeof name);
    right = right && is.bits == bits_of(s) && is.source == static_cast<mpx::rank_t>(sender);
    right = right && got.size() == length(name) && is.length == got.size();
    for (std::size_t b = 0; right && b < got.size(); ++b) right = got[b] == byte_of(name, b);
    right = right && name == s;  // The earliest message of this sender with these bits.
  }
  mpx::wait_all(sending);
  world.barrier();  // All pulls are done.
  return right && t.counted().dropped == 0;
}

TEST_CASE("portals: in the simulator, each message once and in order") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const auto n = static_cast<mpx::rank_t>(1 + seed % 5);
    INFO("seed ", seed, " ranks ", n);
    bool right = true;
    const auto body = [&](auto world) { right = play(world, seed) && right; };
    const sim::loggp machine{.jitter_ns = 20'000, .noise_ns = 500};
    if (seed % 2 == 0) {
      sim::run<plain>(n, machine, seed, body);
    } else {
      sim::run<multiple>(n, machine, seed, body);
    }
    CHECK(right);
  }
}

TEST_CASE("portals: in the simulator, a rank that dies is an event and ends operations") {
  sim::options o;
  o.faults.push_back({sim::fault::kind::kill, 10 * ms, 2});
  int told = 0;
  const auto all = sim::try_run<plain>(
      3, sim::loggp{}, 1,
      [&](auto world) {
        using stack = typename decltype(world)::stack_type;
        po::table<stack> t(world);
        po::events<stack> events(t, 4);
        int x = 0;
        po::single_block block{std::span(&x, 1)};
        const auto e = t.attach(0, block, {}, events);
        world.barrier();
        if (world.rank() == 2) {
          while (true) t.put(1, 0, {.offset = 100});  // Dropped, until the rank dies.
        }
        const po::event lost = events.wait();
        CHECK(lost.kind == po::event_kind::lost);
        CHECK(lost.is.source == 2);
        std::error_code ec;
        po::receipt r;
        t.put_acknowledged(x, 2, {}, r, ec);
        CHECK(ec == mpx::errc::peer_lost);
        ++told;
      },
      o);
  if (all.failure) CHECK_NOTHROW(std::rethrow_exception(all.failure));
  CHECK(told == 2);
}

/// Gathers, broadcasts and rings in a row, while each rank computes for a while now and then.
template <class Env>
bool play_collectives(Env& env, std::uint64_t seed) {
  auto world = env.world();
  using stack = typename decltype(world)::stack_type;
  po::collectives<stack> c(world, {.short_bytes_max = 256, .heap_bytes = 2048});
  const auto n = static_cast<std::uint64_t>(world.size());
  const auto me = static_cast<std::uint64_t>(world.rank());
  const auto fill = [](std::uint64_t s, std::size_t bytes) {
    std::vector<std::byte> b(bytes);
    for (std::size_t i = 0; i < bytes; ++i) b[i] = byte_of(s, i);
    return b;
  };
  bool right = true;
  for (std::uint64_t i = 0; i < 12; ++i) {
    const std::uint64_t call = mixed(seed * 100 + i);
    const std::size_t bytes = call % 5 == 0 ? 3000 : call % 200;
    const auto root = static_cast<mpx::rank_t>(call / 7 % n);
    if (mixed(call + me) % 3 == 0)
      env.transport().compute(static_cast<std::int64_t>(mixed(call - me) % 100'000));
    std::vector<std::byte> all(n * bytes);
    std::vector<std::byte> wanted;
    for (std::uint64_t r = 0; r < n; ++r) {
      const auto one = fill(call + r, bytes);
      wanted.insert(wanted.end(), one.begin(), one.end());
    }
    switch (call / 3 % 3) {
      case 0:
        c.gather(fill(call + me, bytes), all, root,
                 call % 2 == 0 ? mpx::coll::algorithm::linear : mpx::coll::algorithm::binomial);
        right = right && (world.rank() != root || all == wanted);
        break;
      case 1: {
        auto x = world.rank() == root ? fill(call, bytes) : std::vector<std::byte>(bytes);
        c.bcast(x, root);
        right = right && x == fill(call, bytes);
        break;
      }
      default:
        if (call % 2 == 0) {
          c.allgather(fill(call + me, bytes), all, mpx::coll::algorithm::ring);
        } else {
          c.allgather_bucket(fill(call + me, bytes), all);
        }
        right = right && all == wanted;
    }
  }
  return right;
}

/// Each rank sends several messages to its right neighbour in one round.
struct burst {
  static constexpr const char* name = "burst";
  std::vector<std::uint64_t>* out;
  std::vector<std::uint64_t>* in;
  mpx::coll::question ask(mpx::rank_t, mpx::rank_t ranks) const noexcept {
    return {mpx::coll::operation::barrier, 0, ranks};
  }
  mpx::detail::collective_failure check(mpx::rank_t, mpx::rank_t) const noexcept { return {}; }
  template <mpx::coll::Steps S>
  void operator()(S& s, const mpx::coll::choice&) const {
    const mpx::rank_t n = s.size();
    for (std::uint64_t& x : *in)
      s.start_receive(std::as_writable_bytes(std::span(&x, 1)), mpx::coll::around(s.rank() - 1, n));
    for (std::uint64_t& x : *out)
      s.start_send(std::as_writable_bytes(std::span(&x, 1)), mpx::coll::around(s.rank() + 1, n));
    s.finish();
  }
};

TEST_CASE("portals: in the simulator, messages of a pair in one round keep their order") {
  sim::run<plain>(3, sim::loggp{}, 1, [](auto world) {
    using stack = typename decltype(world)::stack_type;
    po::collectives<stack> c(world);
    for (std::uint64_t call = 0; call < 5; ++call) {
      std::vector<std::uint64_t> out(10);
      std::vector<std::uint64_t> in(10);
      for (std::uint64_t i = 0; i < 10; ++i) out[i] = call * 100 + i;
      c.run(burst{&out, &in});
      CHECK(in == out);
    }
  });
}

TEST_CASE("portals: in the simulator, collectives in a row with skew") {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    const auto n = static_cast<mpx::rank_t>(2 + seed % 6);
    INFO("seed ", seed, " ranks ", n);
    bool right = true;
    sim::run<plain>(
        n, sim::loggp{.jitter_ns = 20'000, .noise_ns = 500}, seed,
        [&](mpx::environment<plain>& env) { right = play_collectives(env, seed) && right; });
    CHECK(right);
  }
}

TEST_CASE("portals: in the simulator, a rank that dies ends collectives at the others") {
  for (std::int64_t at = 1; at <= 4; ++at) {
    sim::options o;
    o.faults.push_back({sim::fault::kind::kill, at * ms, 1});
    int told = 0;
    const auto all = sim::try_run<plain>(
        4, sim::loggp{}, static_cast<std::uint64_t>(at),
        [&](mpx::environment<plain>& env) {
          try {
            while (true) play_collectives(env, 3);
          } catch (const mpx::error& e) {
            if (env.rank() != 1) ++told;
            const std::string text = e.what();  // It names a rank beside this one.
            if (text.find(" over portals on rank ") != std::string::npos)
              CHECK((text.find(": a message of ") != std::string::npos ||
                     text.find(": rank ") != std::string::npos));
            throw;
          }
        },
        o);
    CHECK(told == 3);
  }
}

using by_policy =
    mpx::stack<mpx::transport::basic_sim<mpx::transport::sim_rma::none>, mpx::waiting::sleep,
               po::by_portals<mpx::coll::by_size,
                              po::collective_limits{.short_bytes_max = 512, .heap_bytes = 8192}>>;

/// Calls of a communicator whose ranks are at different ones, with lengths from nothing to long.
template <class Comm>
bool play_calls(const Comm& world, std::uint64_t seed) {
  const auto n = static_cast<std::uint64_t>(world.size());
  const auto me = static_cast<std::uint64_t>(world.rank());
  bool right = true;
  for (std::uint64_t call = 0; call < 20; ++call) {
    const std::uint64_t draw = mixed(seed * 1000 + call);
    const auto root = static_cast<mpx::rank_t>(draw % n);
    const std::size_t length = draw / 16 % 300;
    const auto value = [&](std::uint64_t r, std::size_t i) { return r * 1000 + call + i; };
    std::vector<std::uint64_t> mine(length);
    for (std::size_t i = 0; i < length; ++i) mine[i] = value(me, i);
    std::vector<std::uint64_t> all(length * n);
    switch (draw / 7 % 3) {
      case 0: world.gather(mine, all, root); break;
      case 1: world.allgather(mine, all); break;
      default:
        world.bcast(mine, root);
        for (std::size_t i = 0; i < length; ++i)
          right = right && mine[i] == value(static_cast<std::uint64_t>(root), i);
        continue;
    }
    if (draw / 7 % 3 == 0 && world.rank() != root) continue;
    for (std::uint64_t r = 0; r < n; ++r)
      for (std::size_t i = 0; i < length; ++i)
        right = right && all[static_cast<std::size_t>(r) * length + i] == value(r, i);
  }
  return right;
}

TEST_CASE("policy by portals: in the simulator, calls in a row with skew") {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    const auto n = static_cast<mpx::rank_t>(2 + seed % 6);
    INFO("seed ", seed, " ranks ", n);
    bool right = true;
    sim::run<by_policy>(n, sim::loggp{.jitter_ns = 20'000, .noise_ns = 500}, seed,
                        [&](auto world) { right = play_calls(world, seed) && right; });
    CHECK(right);
  }
}

TEST_CASE("policy by portals: a rank that pulls data leaves a call that cannot end") {
  // Rank 1 has the header of a long message, and the data cannot come. Rank 2 ends the call.
  for (const bool revokes : {true, false})
    for (const auto by : {mpx::coll::algorithm::linear, mpx::coll::algorithm::binomial}) {
      INFO("revokes ", revokes);
      sim::options o;
      o.faults.push_back({sim::fault::kind::cut, 10 * ms, 0, 1});
      o.faults.push_back({sim::fault::kind::heal, 200 * ms, 0, 1});
      int told = 0;
      const auto play = [&](mpx::environment<by_policy>& env) {
        auto part = env.world().dup();
        part.barrier();
        std::error_code ec;
        std::vector<std::uint64_t> data(400, env.rank() == 0 ? 7u : 0u);
        const auto w = part.with(by);
        if (env.rank() == 1) env.transport().compute(11 * ms - env.now_ns());
        if (env.rank() == 2) env.transport().compute(20 * ms - env.now_ns());
        if (env.rank() == 2 && revokes) part.revoke();
        try {
          w.bcast(data, env.rank() == 2 && !revokes ? 9 : 0);
        } catch (const mpx::error& e) {
          if (env.rank() == 2) return;
          CHECK(e.code() == (revokes ? mpx::errc::revoked : mpx::errc::peer_lost));
          CHECK(env.now_ns() < 100 * ms);
          if (!revokes) CHECK(std::string(e.what()).find("rank 2 has left") != std::string::npos);
          ++told;
        }
      };
      sim::run<by_policy>(3, sim::loggp{}, 1, play, o);
      CHECK(told == 2);
    }
}

/// Short packets, 8 at a time to a rank, and messages of many packets that are kept whole.
using by_pieces =
    mpx::stack<mpx::transport::basic_sim<mpx::transport::sim_rma::none, 512, 8>,
               mpx::waiting::sleep, mpx::protocol::tiny_short_long<40, 256>,
               po::by_portals<mpx::coll::by_size, po::collective_limits{.short_bytes_max = 16384,
                                                                        .heap_bytes = 65536}>>;

TEST_CASE("policy by portals: a rank with a part of a message leaves a call that cannot end") {
  // The heap of rank 1 has the beginning of a message, and the rest cannot come. Rank 2 ends the
  // call.
  sim::options o;
  o.faults.push_back({sim::fault::kind::cut, 10 * ms, 0, 1});
  o.faults.push_back({sim::fault::kind::heal, 200 * ms, 0, 1});
  int told = 0;
  const auto play = [&](mpx::environment<by_pieces>& env) {
    auto part = env.world().dup();
    std::vector<std::uint64_t> data(1000, env.rank() == 0 ? 7u : 0u);
    const auto w = part.with(mpx::coll::algorithm::linear);
    w.bcast(data, 0);  // Makes the portals.
    std::error_code ec;
    if (env.rank() != 0) env.transport().compute(5 * ms - env.now_ns());
    if (env.rank() == 1) {
      part.progress();  // Takes the first packets: rank 0 sends more when it hears of that.
      env.transport().compute(11 * ms - env.now_ns());
    }
    if (env.rank() == 2) {
      env.transport().compute(20 * ms - env.now_ns());
      part.revoke();
    }
    w.bcast(data, 0, ec);
    CHECK(ec == mpx::errc::revoked);
    if (env.rank() == 1) CHECK(env.now_ns() < 100 * ms);
    if (env.rank() == 1) ++told;
  };
  sim::run<by_pieces>(3, sim::loggp{}, 1, play, o);
  CHECK(told == 1);
}

TEST_CASE("policy by portals: a rank that cannot say it is ready leaves a call that cannot end") {
  // The channel from rank 1 to its left neighbour is full of other messages.
  sim::options o;
  o.faults.push_back({sim::fault::kind::cut, 10 * ms, 0, 1});
  o.faults.push_back({sim::fault::kind::heal, 200 * ms, 0, 1});
  int told = 0;
  const auto play = [&](mpx::environment<by_pieces>& env) {
    auto part = env.world().dup();
    const auto w = part.with(mpx::coll::algorithm::ring);
    std::uint64_t one = 7;
    std::vector<std::uint64_t> all(3);
    w.allgather(one, all);  // Makes the portals.
    env.transport().compute(11 * ms - env.now_ns());
    std::vector<mpx::request<by_pieces>> others;
    std::vector<std::uint64_t> in(100);
    if (env.rank() == 1)
      for (std::uint64_t& x : in) others.push_back(env.world().isend(x, 0, 1));
    if (env.rank() == 2) {
      env.transport().compute(20 * ms - env.now_ns());
      part.revoke();
    }
    std::error_code ec;
    w.allgather(one, all, ec);
    CHECK(ec == mpx::errc::revoked);
    if (env.rank() == 1) CHECK(env.now_ns() < 100 * ms);
    if (env.rank() == 1) ++told;
    if (env.rank() == 0)
      for (std::uint64_t& x : in) env.world().recv(x, 1, 1);
    mpx::wait_all(others);
  };
  sim::run<by_pieces>(3, sim::loggp{}, 1, play, o);
  CHECK(told == 1);
}

TEST_CASE("policy by portals: a rank that leaves a ring owes nothing to its neighbour") {
  // Rank 1 has all blocks of the others, and the channel to rank 2 is full for a while.
  constexpr mpx::rank_t ranks = 16;
  for (std::int64_t at = 1; at <= 8; ++at) {
    INFO("at ", at);
    sim::options o;
    o.faults.push_back({sim::fault::kind::cut, 10 * ms + at * 3'000, 1, 2});
    o.faults.push_back({sim::fault::kind::heal, 100 * ms, 1, 2});
    mpx::rank_t told = 0;
    const auto play = [&](mpx::environment<by_pieces>& env) {
      const auto w = env.world().with(mpx::coll::algorithm::ring);
      std::vector<std::uint64_t> mine(20);
      std::vector<std::uint64_t> all(20 * ranks);
      w.allgather(mine, all);  // Makes the portals.
      env.transport().compute(10 * ms - env.now_ns());
      w.allgather(mine, all);
      if (env.now_ns() < 500 * ms) ++told;
      env.transport().compute(1000 * ms);  // Without a call of mpx.
    };
    sim::run<by_pieces>(ranks, sim::loggp{}, 1, play, o);
    CHECK(told == ranks);
  }
}

TEST_CASE("policy by portals: in the simulator, a rank that dies ends calls at the others") {
  for (std::int64_t at = 0; at < 40; ++at) {  // Also while the portals are made.
    INFO("at ", at);
    sim::options o;
    o.faults.push_back({sim::fault::kind::kill, 5'000 + at * 40'000, 1});
    int told = 0;
    const auto all = sim::try_run<by_policy>(
        4, sim::loggp{}, static_cast<std::uint64_t>(at + 1),
        [&](auto world) {
          try {
            for (std::uint64_t i = 0;; ++i) play_calls(world, i);
          } catch (const mpx::error& e) {
            if (world.rank() != 1 && e.code() == mpx::errc::peer_lost) ++told;
            throw;
          }
        },
        o);
    CHECK(told == 3);
  }
}

TEST_CASE("policy by portals: in the simulator, nobody waits for data of a rank that has failed") {
  sim::options o;
  o.faults.push_back({sim::fault::kind::kill, 10 * ms, 2});
  std::int64_t told_at = -1;
  const auto all = sim::try_run<by_policy>(
      3, sim::loggp{}, 1,
      [&](mpx::environment<by_policy>& env) {
        const auto world = env.world();
        const auto calls = world.with(mpx::coll::algorithm::linear);
        world.barrier();
        // The root fails when rank 2 dies, and leaves mpx. The heap of rank 1 has its header.
        if (env.rank() == 1) env.transport().compute(20 * ms);
        if (env.rank() == 2) env.transport().compute(1000 * ms);
        std::vector<std::uint64_t> data(300);
        std::error_code ec;
        calls.bcast(data, 0, ec);
        CHECK(ec == mpx::errc::peer_lost);
        if (env.rank() == 0) env.transport().compute(10'000 * ms);
        if (env.rank() == 1) told_at = env.transport().now_ns();
      },
      o);
  CHECK(told_at > 0);
  CHECK(told_at < 1000 * ms);
}

}  // namespace
}  // namespace sim_portals
