// SPDX-License-Identifier: BSL-1.0
// timeout: 240
// compilers: both
// release: dev
// Survivors after a death, with deaths at every moment: they agree, revoke, shrink, and continue,
// with equal results.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <mpx/mpx.hpp>
#include <mpx/sim.hpp>
#include <set>
#include <string>
#include <vector>

#include "sim/stacks.hpp"

namespace {

using namespace sim_stacks;

/// Each rank may announce two messages to another before one is received.
using narrow_flow = mpx::flow::credits<std::uint64_t{64} << 20, std::uint64_t{1} << 20, 2>;
using narrow = mpx::stack<mpx::transport::sim, mpx::waiting::sleep, narrow_flow>;
using narrow_multiple =
    mpx::stack<mpx::transport::sim, mpx::waiting::sleep, mpx::threading::multiple, narrow_flow>;
/// As narrow, with at most 64 operations under way.
struct few : mpx::protocol::tiny_short_long<> {
  static constexpr std::uint32_t operations_max = 64;
};
using narrow_few = mpx::stack<mpx::transport::sim, mpx::waiting::sleep, narrow_flow, few>;

constexpr sim::loggp survivors_net{.far = {1000, 200, 100, 0.5},
                                   .near = {100, 30, 10, 0.1},
                                   .node_size = 2,
                                   .jitter_ns = 3000,
                                   .noise_ns = 100};

mpx::errc survivors_errc(const std::function<void()>& body) {
  try {
    body();
  } catch (const mpx::error& e) {
    return static_cast<mpx::errc>(e.code().value());
  }
  return {};
}

/// Ranks that die, and the times.
struct deaths {
  std::vector<std::pair<mpx::rank_t, std::int64_t>> all;

  bool dead(mpx::rank_t rank, std::int64_t now_ns) const {
    for (const auto& [r, at] : all)
      if (r == rank && now_ns >= at) return true;
    return false;
  }
  sim::options options() const {
    sim::options o;
    for (const auto& [r, at] : all) o.faults.push_back({sim::fault::kind::kill, at, r});
    return o;
  }
};

/// Results of the survivors, which must be equal.
struct witness {
  std::map<std::string, std::set<std::int64_t>> said;
  int ended = 0;

  void say(const std::string& what, std::int64_t value) { said[what].insert(value); }
  void check() const {
    for (const auto& [what, values] : said) {
      CAPTURE(what);
      CHECK(values.size() == 1);
    }
  }
};

std::int64_t mask_of(const mpx::group& g) {
  std::int64_t mask = 0;
  for (mpx::rank_t r = 0; r < g.size(); ++r) mask |= std::int64_t{1} << g.peer_of(r);
  return mask;
}

/// Waits, or works and tests now and then.
template <class Stack>
void end(mpx::environment<Stack>& env, mpx::request<Stack> r) {
  if (env.rank() % 2 == 0) return static_cast<void>(r.wait());
  while (!r.test()) env.transport().compute(2000);
}
template <class Stack>
mpx::agreed agree(mpx::environment<Stack>& env, mpx::communicator<Stack>& on, int value,
                  bool starts) {
  if (!starts) return on.agree(value);
  mpx::agreed a;
  end(env, on.agree(value, a, mpx::start));
  return a;
}
template <class Stack>
mpx::communicator<Stack> shrink(mpx::environment<Stack>& env, mpx::communicator<Stack>& on,
                                bool starts) {
  if (!starts) return on.shrink();
  mpx::communicator<Stack> made;
  end(env, on.shrink(made, mpx::start));
  return made;
}

/// Agrees, works until that fails, revokes, shrinks until the work is done.
template <class Stack>
void live(mpx::environment<Stack>& env, const deaths& who, bool starts, witness& all) {
  auto world = env.world();
  const mpx::rank_t n = world.size();
  const auto dead = [&] { return who.dead(env.rank(), env.now_ns()); };
  for (int round = 0; round < 4; ++round) {
    const auto a = agree(env, world, ~(1 << world.rank()), starts);
    if (dead()) return;
    all.say("value " + std::to_string(round), a.value);
    all.say("failed " + std::to_string(round), mask_of(a.failed));
    // A rank that is not in the failed set has contributed.
    CHECK((~a.value & ((1 << n) - 1) & ~mask_of(a.failed)) ==
          (((1 << n) - 1) & ~mask_of(a.failed)));
  }
  int y = 0;
  auto pending = world.irecv(y, mpx::any_source, 99);
  (void)survivors_errc([&] {
    for (int i = 0; i < 30; ++i) world.barrier();
  });
  if (dead()) return;
  if (env.rank() % 2 == 0 || n < 4) world.revoke();
  const auto refused = [&](auto call) {
    const mpx::errc why = survivors_errc(call);
    if (!dead()) CHECK(why == mpx::errc::revoked);
  };
  const std::int64_t until_ns = env.now_ns() + 5'000'000'000;  // The ranks that would may be dead.
  while (!world.is_revoked() && !dead()) {
    env.transport().compute(50'000);
    if (env.now_ns() > until_ns) world.revoke();
  }
  if (dead()) return;
  refused([&] { world.barrier(); });
  refused([&] { world.send(1, (world.rank() + 1) % n); });
  refused([&] { world.recv(y, (world.rank() + 1) % n); });
  refused([&] { world.recv(y); });
  refused([&] { world.probe(); });
  refused([&] { (void)world.dup(); });
  const mpx::errc why = survivors_errc([&] { pending.wait(); });
  if (dead()) return;
  CHECK((why == mpx::errc::revoked || why == mpx::errc::peer_lost));
  auto at = world;
  for (int round = 0;; ++round) {
    at = shrink(env, at, starts);
    if (dead()) return;
    const std::string which = "shrink " + std::to_string(round);
    all.say(which, mask_of(at.group()));
    all.say(which + " context", at.context());
    int sum = 0;
    const bool good = survivors_errc([&] { sum = at.allreduce(1, std::plus<>{}); }) == mpx::errc{};
    const int agreed = agree(env, at, good ? 1 : 0, starts).value;
    if (dead()) return;
    if (agreed == 1) {
      CHECK(sum == at.size());
      break;
    }
    at.revoke();
  }
  ++all.ended;
}

template <class Stack>
void survive(mpx::rank_t n, std::uint64_t seed, const deaths& who, bool starts) {
  CAPTURE(n);
  CAPTURE(seed);
  CAPTURE(starts);
  witness all;
  const auto run = sim::try_run<Stack>(
      n, survivors_net, seed, [&](mpx::environment<Stack>& env) { live(env, who, starts, all); },
      who.options());
  if (run.failure) CHECK_NOTHROW(std::rethrow_exception(run.failure));
  all.check();
  std::set<mpx::rank_t> gone;
  for (const auto& [r, at] : who.all) gone.insert(r);
  CHECK(all.ended >= n - static_cast<int>(gone.size()));
}

}  // namespace

TEST_CASE_TEMPLATE("survivors: one death at every moment", Stack, sim::stack, multiple) {
  for (const mpx::rank_t n : {2, 3, 4, 7, 8})
    for (std::int64_t at = 500; at < 60'000; at += n < 5 ? 700 : 2100)
      survive<Stack>(n, static_cast<std::uint64_t>(at + n),
                     {{{static_cast<mpx::rank_t>(at / 100 % n), at}}}, at % 200 == 0);
}

TEST_CASE_TEMPLATE("survivors: two deaths", Stack, sim::stack) {
  for (const mpx::rank_t n : {3, 4, 5, 8})
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const auto x = seed * 0x9e37'79b9'7f4a'7c15u;
      const auto first = static_cast<mpx::rank_t>(x >> 60) % n;
      const auto second = (first + 1 + static_cast<mpx::rank_t>(x >> 50 & 0xff) % (n - 1)) % n;
      const auto at = static_cast<std::int64_t>(x >> 20 & 0xffff);
      const auto later = at + static_cast<std::int64_t>(x & 0x3fff) * (seed % 2 == 0 ? 1 : 100);
      survive<Stack>(n, seed, {{{first, at + 500}, {second, later + 500}}}, seed % 3 == 0);
    }
}

TEST_CASE_TEMPLATE("survivors: started agreements overlap, in any order", Stack, sim::stack,
                   multiple) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const deaths who{{{2, static_cast<std::int64_t>(seed) * 700}}};
    witness all;
    const auto run = sim::try_run<Stack>(
        5, survivors_net, seed,
        [&](mpx::environment<Stack>& env) {
          auto world = env.world();
          constexpr int n = 6;
          mpx::agreed got[n];
          mpx::communicator<Stack> made;
          std::vector<mpx::request<Stack>> under_way;
          for (int i = 0; i < n; ++i) {
            under_way.push_back(world.agree(~(1 << i), got[i], mpx::start));
            env.transport().compute((env.rank() * 7 + i * 3) % 5 * 900);
          }
          under_way.push_back(world.shrink(made, mpx::start));
          const auto first = world.agree(-1);  // Blocking ones overtake.
          if (env.rank() % 2 == 0)
            for (int i = n; i >= 0; --i) under_way[static_cast<std::size_t>(i)].wait();
          else
            mpx::wait_all(under_way);
          if (who.dead(env.rank(), env.now_ns())) return;
          CHECK(first.value == -1);
          for (int i = 0; i < n; ++i) {
            CHECK(got[i].value == ~(1 << i));
            all.say("failed " + std::to_string(i), mask_of(got[i].failed));
            CHECK(got[i].acknowledged == (got[i].failed.size() == 0));
          }
          all.say("made", mask_of(made.group()));
          ++all.ended;
          world.revoke();
          auto last = world.shrink();
          if (who.dead(env.rank(), env.now_ns())) return;
          all.say("last", mask_of(last.group()));
        },
        who.options());
    if (run.failure) CHECK_NOTHROW(std::rethrow_exception(run.failure));
    all.check();
    CHECK(all.ended >= 4);
  }
}

TEST_CASE_TEMPLATE("survivors: agreements tell if failures are acknowledged", Stack, sim::stack) {
  const deaths who{{{1, 1'000'000}}};
  const auto run = sim::try_run<Stack>(
      4, survivors_net, 5,
      [&](mpx::environment<Stack>& env) {
        auto world = env.world();
        if (env.rank() == 1) return env.transport().compute(1'000'000'000'000);
        CHECK(world.agree(1).failed.size() == 1);
        CHECK(!world.agree(1).acknowledged);
        if (env.rank() != 3) world.acknowledge_failures();
        CHECK(!world.agree(1).acknowledged);
        world.acknowledge_failures(1);
        CHECK(world.agree(1).acknowledged);
      },
      who.options());
  if (run.failure) CHECK_NOTHROW(std::rethrow_exception(run.failure));
}

TEST_CASE_TEMPLATE("survivors: dropped requests leave no rank waiting", Stack, sim::stack,
                   multiple) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    sim::run<Stack>(4, survivors_net, seed, [&](mpx::environment<Stack>& env) {
      auto world = env.world();
      const bool drops = env.rank() == static_cast<mpx::rank_t>(seed % 4);
      mpx::communicator<Stack> made;
      if (drops) {
        mpx::agreed none;
        static_cast<void>(world.agree(6, none, mpx::start));
        static_cast<void>(world.shrink(made, mpx::start));
      } else {
        CHECK(world.agree(7).value == 6);
        made = world.shrink();
        CHECK(made.size() == 4);
        CHECK(survivors_errc([&] { made.barrier(); }) == mpx::errc::revoked);
      }
      CHECK(!made == drops);
      CHECK(world.agree(5).value == 5);
      CHECK(world.allreduce(1, std::plus<>{}) == 4);
    });
}

/// Long messages of one rank to others, with one tag.
template <class Stack>
struct long_messages {
  mpx::communicator<Stack>& world;
  std::vector<std::byte> out = std::vector<std::byte>(50'000);
  std::vector<mpx::request<Stack>> sends{};

  void send(mpx::rank_t to, int count, mpx::tag_t tag = 7) {
    if (to == world.rank()) return;
    for (int i = 0; i < count; ++i) sends.push_back(world.isend(out, to, tag));
  }
  void receive(mpx::rank_t from, int count, mpx::tag_t tag = 7) {
    std::vector<std::byte> in(out.size());
    for (int i = 0; i < count && from != world.rank(); ++i) world.recv(in, from, tag);
  }
};

TEST_CASE_TEMPLATE("survivors: agreements end behind messages that no rank receives yet", Stack,
                   narrow, narrow_multiple) {
  for (const mpx::rank_t n : {2, 3, 5})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(n);
      CAPTURE(seed);
      sim::run<Stack>(n, survivors_net, seed, [&](mpx::environment<Stack>& env) {
        auto world = env.world();
        long_messages<Stack> all{world};
        mpx::agreed got[3];
        mpx::communicator<Stack> made;
        std::vector<mpx::request<Stack>> under_way;
        env.transport().compute(static_cast<std::int64_t>(seed) * env.rank() % 7 * 1500);
        for (int i = 0; i < 3; ++i) {
          under_way.push_back(world.agree(~(1 << i), got[i], mpx::start));
          for (mpx::rank_t r = 0; r < n; ++r) all.send(r, 5);
        }
        under_way.push_back(world.shrink(made, mpx::start));
        for (mpx::rank_t r = 0; r < n; ++r) all.send(r, 5);
        for (auto& r : under_way) end(env, std::move(r));
        for (int i = 0; i < 3; ++i) CHECK(got[i].value == ~(1 << i));
        CHECK(made.size() == n);
        CHECK(world.agree(5).value == 5);
        CHECK(made.agree(3).value == 3);
        for (mpx::rank_t r = 0; r < n; ++r) all.receive(r, 20);
        mpx::wait_all(all.sends);
      });
    }
}

#ifdef MPX_TEST_SANITIZED
constexpr std::uint64_t seeds_of_deaths = 10;
#else
constexpr std::uint64_t seeds_of_deaths = 40;
#endif

TEST_CASE_TEMPLATE("survivors: deaths while agreements end behind messages", Stack, narrow,
                   narrow_multiple) {
  for (const mpx::rank_t n : {3, 4, 5})
    for (std::uint64_t seed = 1; seed <= seeds_of_deaths; ++seed) {
      CAPTURE(n);
      CAPTURE(seed);
      const auto x = seed * 0x9e37'79b9'7f4a'7c15u;
      const auto first = static_cast<mpx::rank_t>(x >> 60) % n;
      const auto at = static_cast<std::int64_t>(x >> 20 & 0xffff);
      deaths who{{{first, at}}};
      if (seed % 3 == 0) who.all.emplace_back((first + 1) % n, at + static_cast<int>(x & 0x3fff));
      witness all;
      const auto run = sim::try_run<Stack>(
          n, survivors_net, seed,
          [&](mpx::environment<Stack>& env) {
            auto world = env.world();
            long_messages<Stack> unmatched{world};
            constexpr int agreements = 5;
            mpx::agreed got[agreements];
            std::vector<mpx::request<Stack>> under_way;
            const auto drops = [&](int i) { return (env.rank() + i + seed) % 4 == 0; };
            for (int i = 0; i < agreements; ++i) {
              under_way.push_back(world.agree(~(1 << env.rank()), got[i], mpx::start));
              if (drops(i)) under_way.back() = {};
              for (mpx::rank_t r = 0; r < n; ++r) unmatched.send(r, 3);
              env.transport().compute((env.rank() * 7 + i * 3) % 5 * 900);
            }
            for (auto& r : under_way)
              if (r) end(env, std::move(r));
            auto made = shrink(env, world, seed % 2 == 0);
            if (who.dead(env.rank(), env.now_ns())) return;
            for (int i = 0; i < agreements; ++i) {
              if (drops(i)) continue;
              all.say("value " + std::to_string(i), got[i].value);
              all.say("failed " + std::to_string(i), mask_of(got[i].failed));
            }
            all.say("made", mask_of(made.group()));
            all.say("in it", made.agree(~env.rank()).value);
            ++all.ended;
          },
          who.options());
      if (run.failure) CHECK_NOTHROW(std::rethrow_exception(run.failure));
      all.check();
      CHECK(all.ended >= n - static_cast<int>(who.all.size()));
    }
}

TEST_CASE_TEMPLATE("survivors: a rank with an agreement under way still rests", Stack, narrow,
                   narrow_multiple) {
  for (const mpx::rank_t n : {2, 3, 5})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(n);
      CAPTURE(seed);
      sim::run<Stack>(n, survivors_net, seed, [&](mpx::environment<Stack>& env) {
        auto world = env.world();
        long_messages<Stack> all{world};
        mpx::agreed got;
        auto under_way = world.agree(6, got, mpx::start);
        if (env.rank() % 2 == 0) {  // Its agreement is over before it sends.
          under_way.wait();
          for (mpx::rank_t r = 1; r < n; r += 2) {
            all.send(r, 5, 8);
            all.send(r, 1);
          }
          mpx::wait_all(all.sends);
          for (mpx::rank_t r = 1; r < n; r += 2) all.receive(r, 5);
        } else {  // Its decision is behind its messages, and its peers need its permission to send.
          for (mpx::rank_t r = 0; r < n; r += 2) all.send(r, 5);
          for (mpx::rank_t r = 0; r < n; r += 2) all.receive(r, 1);
          for (mpx::rank_t r = 0; r < n; r += 2) all.receive(r, 5, 8);
          under_way.wait();
          mpx::wait_all(all.sends);
        }
        CHECK(got.value == 6);
      });
    }
}

TEST_CASE_TEMPLATE("survivors: a dropped agreement that fails leaves no receives", Stack,
                   narrow_few) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    for (std::size_t room = 1; room <= 5; ++room) {  // Operations left for the agreement.
      CAPTURE(seed);
      CAPTURE(room);
      const deaths who{{{0, 10 * ms}}};
      witness all;
      const auto run = sim::try_run<Stack>(
          3, survivors_net, seed,
          [&](mpx::environment<Stack>& env) {
            auto world = env.world();
            world.barrier();
            if (env.rank() != 0) {
              env.transport().compute(10'000);
              const auto a = world.agree(3);
              all.say("value", a.value);
              all.say("failed", mask_of(a.failed));
              return;
            }
            long_messages<Stack> unmatched{world};
            unmatched.send(1, 4);
            std::vector<std::int64_t> in(100);
            std::vector<mpx::request<Stack>> receives;
            std::error_code ec;
            while (!ec)
              receives.push_back(world.irecv(in[receives.size()], 1,
                                             static_cast<mpx::tag_t>(receives.size()), ec));
            for (std::size_t i = 0; i <= room; ++i) receives.pop_back();
            mpx::agreed none;
            static_cast<void>(world.agree(1, none, mpx::start(ec)));
            for (;;) {
              env.transport().compute(10'000);
              static_cast<void>(world.iprobe(1, 99));
            }
          },
          who.options());
      if (run.failure) CHECK_NOTHROW(std::rethrow_exception(run.failure));
      all.check();
    }
}

TEST_CASE_TEMPLATE("survivors: a communicator is freed with agreements under way", Stack,
                   sim::stack, narrow, multiple) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const deaths who{{{2, static_cast<std::int64_t>(seed) * 900}}};
    const auto run = sim::try_run<Stack>(
        5, survivors_net, seed,
        [&](mpx::environment<Stack>& env) {
          auto world = env.world();
          mpx::communicator<Stack> sub;
          if (survivors_errc([&] { sub = world.split(0, -env.rank()); }) != mpx::errc{}) return;
          mpx::agreed got[2];
          mpx::communicator<Stack> made;
          env.transport().compute(static_cast<std::int64_t>(seed) * env.rank() % 5 * 1500);
          auto first = sub.agree(6, got[0], mpx::start);
          auto shrinks = sub.shrink(made, mpx::start);
          static_cast<void>(sub.agree(5, got[1], mpx::start));
          auto last = sub.agree(3, got[1], mpx::start);
          sub.free();
          for (int i = 0; i < 3; ++i)  // Their states replace those of freed communicators.
            (void)survivors_errc([&] { world.split(0, env.rank()).free(); });
          end(env, std::move(last));
          end(env, std::move(first));
          shrinks.wait();
          if (who.dead(env.rank(), env.now_ns())) return;
          CHECK(got[0].value == 6);
          CHECK(got[1].value == 3);
          CHECK(made.agree(9).value == 9);
        },
        who.options());
    if (run.failure) CHECK_NOTHROW(std::rethrow_exception(run.failure));
  }
}

TEST_CASE_TEMPLATE("survivors: receives from any source, and their communicators", Stack,
                   sim::stack) {
  constexpr std::int64_t dies_ns = 1'000'000;
  const deaths who{{{2, dies_ns}}};
  const auto run = sim::try_run<Stack>(
      4, survivors_net, 3,
      [&](mpx::environment<Stack>& env) {
        auto world = env.world();
        auto pair = world.split(env.rank() < 2 ? 0 : 1);
        auto third = world.split(env.rank() == 3 ? mpx::undefined : 0);
        if (env.rank() == 2) return env.transport().compute(1'000'000'000'000);
        int x = 0;
        if (env.rank() == 3) {
          CHECK(survivors_errc([&] { world.recv(x, 2, 5); }) == mpx::errc::peer_lost);
          return;
        }
        auto waits = pair.irecv(x, mpx::any_source, 1);
        int y = 0;
        CHECK(survivors_errc([&] { world.recv(y, 2, 5); }) == mpx::errc::peer_lost);
        CHECK(pair.failed().size() == 0);
        CHECK(mask_of(world.failed()) == 4);
        CHECK(mask_of(third.failed()) == 4);
        // If all members live, a receive from any source goes on waiting, and so do new ones.
        pair.send(11, 1 - pair.rank(), 1);
        CHECK(survivors_errc([&] { waits.wait(); }) == mpx::errc{});
        CHECK(x == 11);
        pair.send(12, 1 - pair.rank(), 1);
        CHECK(survivors_errc([&] { pair.recv(x, mpx::any_source, 1); }) == mpx::errc{});
        CHECK(pair.allreduce(1, std::plus<>{}) == 2);
        // If a member is dead, such receives fail until that is acknowledged.
        CHECK(survivors_errc([&] { third.recv(x, mpx::any_source, 1); }) == mpx::errc::peer_lost);
        third.acknowledge_failures(0);
        CHECK(survivors_errc([&] { third.recv(x, mpx::any_source, 1); }) == mpx::errc::peer_lost);
        third.acknowledge_failures(1);
        third.send(13, 1 - third.rank(), 1);
        CHECK(survivors_errc([&] { third.recv(x, mpx::any_source, 1); }) == mpx::errc{});
        CHECK(mask_of(third.acknowledge_failures()) == 4);
        third.send(14, 1 - third.rank(), 1);
        CHECK(survivors_errc([&] { third.recv(x, mpx::any_source, 1); }) == mpx::errc{});
        // A communicator of the survivors works, and can be led by any rank.
        auto again = world.create_group(third.create_group(pair.group()).group(), 4);
        CHECK(again.allreduce(1, std::plus<>{}) == 2);
        // Its death frees for it.
        pair.free();
        third.free();
      },
      who.options());
  if (run.failure) CHECK_NOTHROW(std::rethrow_exception(run.failure));
}

TEST_CASE_TEMPLATE("survivors: revoke ends pending operations of that communicator only", Stack,
                   sim::stack, multiple) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    sim::run<Stack>(5, survivors_net, seed, [&](mpx::environment<Stack>& env) {
      auto world = env.world();
      auto other = world.dup();
      std::vector<std::byte> in(200'000), out(200'000);
      int x = 0;
      const mpx::rank_t next = (env.rank() + 1) % 5;
      const mpx::rank_t last = (env.rank() + 4) % 5;
      auto kept = world.irecv(x, last, 1);
      auto a = other.irecv(in, last, 1);
      auto b = other.isend(out, next, 2);  // Never received.
      auto c = other.issend(x, next, 3);
      auto d = other.irecv(x, mpx::any_source, mpx::any_tag);
      if (env.rank() == static_cast<mpx::rank_t>(seed % 5)) other.revoke();
      CHECK(survivors_errc([&] { a.wait(); }) == mpx::errc::revoked);
      for (auto* r :
           {&b, &c}) {  // Received from any source, or thrown away before it is known here.
        const mpx::errc why = survivors_errc([&] { r->wait(); });
        CHECK((why == mpx::errc::revoked || why == mpx::errc{}));
      }
      const mpx::errc why = survivors_errc([&] { d.wait(); });
      CHECK((why == mpx::errc{} || why == mpx::errc::revoked || why == mpx::errc::truncate));
      CHECK(survivors_errc([&] { other.barrier(); }) == mpx::errc::revoked);
      world.send(5, next, 1);
      kept.wait();
      CHECK(world.allreduce(1, std::plus<>{}) == 5);
      auto anew = other.shrink();
      CHECK(anew.allreduce(1, std::plus<>{}) == 5);
      other.free();
      CHECK(anew.compare(world) == mpx::comparison::congruent);
      CHECK(anew.allreduce(1, std::plus<>{}) == 5);
    });
  }
}

TEST_CASE_TEMPLATE("survivors: a rank may learn of a death in revoke", Stack, sim::stack, by_put,
                   multiple) {
  const deaths who{{{2, 2 * ms}, {3, 2 * ms}}};
  const auto run = sim::try_run<Stack>(
      4, survivors_net, 7,
      [&](mpx::environment<Stack>& env) {
        auto world = env.world();
        auto other = world.dup();
        std::vector<std::byte> out(200'000);
        if (env.rank() != 0) {  // Never received: announced, in the order of ranks.
          env.transport().compute(env.rank() * 100'000);
          auto a = other.isend(out, 0, 1);
          if (env.rank() == 2) {  // Its last word is not seen before its death is.
            env.transport().compute(ms);
            other.send(out, 0, 2);
          }
          if (env.rank() != 1) return env.transport().compute(5000 * ms);
          const mpx::errc why = survivors_errc([&] { a.wait(); });  // Thrown away before or after.
          CHECK((why == mpx::errc::revoked || why == mpx::errc{}));
        } else {
          for (mpx::rank_t r = 1; r < 4; ++r) other.probe(r, 1);
          env.transport().compute(3000 * ms);  // The last two die, which is not looked at.
          other.revoke();                      // The message of the first is refused.
          CHECK(survivors_errc([&] { other.probe(3, 1); }) == mpx::errc::revoked);
        }
        auto anew = world.shrink();
        // Messages stored now have memory of their own.
        std::vector<std::vector<int>> many(6);
        for (int i = 0; i < 6; ++i) many[i].assign(40'000, anew.rank() == 1 ? i : -1);
        if (anew.rank() == 1) {
          std::vector<mpx::request<Stack>> sends;
          for (int i = 0; i < 6; ++i) sends.push_back(anew.isend(many[i], 0, i));
          mpx::wait_all(sends);
        } else {
          anew.probe(1, 5);
          for (int i = 5; i >= 0; --i) anew.recv(many[i], 1, i);
        }
        for (int i = 0; i < 6; ++i) CHECK(many[i] == std::vector<int>(40'000, i));
      },
      who.options());
  if (run.failure) CHECK_NOTHROW(std::rethrow_exception(run.failure));
}

TEST_CASE_TEMPLATE("survivors: deaths are not checked while packets arrive", Stack, sim::stack,
                   by_put, multiple) {
  const deaths who{{{2, 2 * ms}}};
  const auto run = sim::try_run<Stack>(
      3, survivors_net, 7,
      [&](mpx::environment<Stack>& env) {
        auto world = env.world();
        auto other = world.dup();
        const std::vector<int> out(50'000);
        if (env.rank() == 2) return env.transport().compute(5000 * ms);
        if (env.rank() == 1) {
          auto a = other.isend(out, 0, 1);
          env.transport().compute(3000 * ms);
          other.revoke();
          for (int i = 0; i < 10; ++i) world.send(i, 0, 7);
          CHECK(survivors_errc([&] { a.wait(); }) == mpx::errc::revoked);
        } else {
          other.probe(1, 1);
          env.transport().compute(4000 * ms);
          // The first poll takes all: the answer that the message is not wanted, and ten messages
          // that are stored.
          for (int i = 0; i < 10; ++i) {
            int x = -1;
            world.irecv(x, 1, 7).wait();
            CHECK(x == i);
          }
          CHECK(!world.iprobe(1, 7));
        }
        CHECK(world.shrink().allreduce(1, std::plus<>{}) == 2);
      },
      who.options());
  if (run.failure) CHECK_NOTHROW(std::rethrow_exception(run.failure));
}
