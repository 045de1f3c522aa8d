// SPDX-License-Identifier: BSL-1.0
// timeout: 240
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

/// Agrees, works until that fails, revokes, shrinks until the work is done.
template <class Stack>
void live(mpx::environment<Stack>& env, const deaths& who, witness& all) {
  auto world = env.world();
  const mpx::rank_t n = world.size();
  const auto dead = [&] { return who.dead(env.rank(), env.now_ns()); };
  for (int round = 0; round < 4; ++round) {
    const auto a = world.agree(~(1 << world.rank()));
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
    at = at.shrink();
    if (dead()) return;
    const std::string which = "shrink " + std::to_string(round);
    all.say(which, mask_of(at.group()));
    all.say(which + " context", at.context());
    int sum = 0;
    const bool good = survivors_errc([&] { sum = at.allreduce(1, std::plus<>{}); }) == mpx::errc{};
    const int agreed = at.agree(good ? 1 : 0).value;
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
void survive(mpx::rank_t n, std::uint64_t seed, const deaths& who) {
  CAPTURE(n);
  CAPTURE(seed);
  witness all;
  const auto run = sim::try_run<Stack>(
      n, survivors_net, seed, [&](mpx::environment<Stack>& env) { live(env, who, all); },
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
                     {{{static_cast<mpx::rank_t>(at / 100 % n), at}}});
}

TEST_CASE_TEMPLATE("survivors: two deaths", Stack, sim::stack) {
  for (const mpx::rank_t n : {3, 4, 5, 8})
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const auto x = seed * 0x9e37'79b9'7f4a'7c15u;
      const auto first = static_cast<mpx::rank_t>(x >> 60) % n;
      const auto second = (first + 1 + static_cast<mpx::rank_t>(x >> 50 & 0xff) % (n - 1)) % n;
      const auto at = static_cast<std::int64_t>(x >> 20 & 0xffff);
      const auto later = at + static_cast<std::int64_t>(x & 0x3fff) * (seed % 2 == 0 ? 1 : 100);
      survive<Stack>(n, seed, {{{first, at + 500}, {second, later + 500}}});
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
