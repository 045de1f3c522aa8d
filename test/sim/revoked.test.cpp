// SPDX-License-Identifier: BSL-1.0
// Calls that make something of a communicator which is revoked before, meanwhile or in the end:
// they end.

#include <doctest/doctest.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <mpx/intercommunicator.hpp>
#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>
#include <mpx/sim.hpp>
#include <string>

#include "core/errc_of.hpp"
#include "sim/stacks.hpp"

namespace {

using namespace sim_stacks;

constexpr sim::loggp revoked_net{.far = {1000, 200, 100, 0.5}, .jitter_ns = 3000, .noise_ns = 100};

/// Rank `caller` of two calls make(env, of, alone), which is to end with errc::revoked: the other
/// rank revokes `of`, after `when_ns`. `alone` is of one rank.
template <class Stack, class Make>
void revoked_while_made(std::int64_t when_ns, mpx::rank_t caller, Make make) {
  CAPTURE(when_ns);
  CAPTURE(caller);
  sim::run<Stack>(2, revoked_net, static_cast<std::uint64_t>(when_ns + caller),
                  [&](mpx::environment<Stack>& env) {
                    auto world = env.world();
                    auto of = world.dup();
                    auto alone = world.split(env.rank());
                    if (env.rank() == caller) {
                      CHECK(ranks::errc_of([&] { make(env, of, alone); }) == mpx::errc::revoked);
                    } else {
                      env.transport().compute(when_ns);
                      of.revoke();
                    }
                    CHECK(of.shrink().allreduce(1, std::plus<>{}) == 2);
                  });
}

constexpr std::int64_t revoked_after_ns[] = {0, 5000, 10 * ms};

}  // namespace

TEST_CASE_TEMPLATE("revoked: a communicator of a group", Stack, sim::stack, multiple) {
  for (const mpx::rank_t caller : {0, 1})
    for (const std::int64_t when_ns : revoked_after_ns)
      revoked_while_made<Stack>(when_ns, caller, [](auto& env, auto of, auto) {
        // Its rank 0 waits for no other: it gets a communicator, until it learns of the revocation.
        while (of.rank() == 0 && !of.is_revoked()) env.transport().compute(1000);
        (void)of.create_group(of.group(), 5);
      });
}

TEST_CASE_TEMPLATE("revoked: leaders that exchange their groups", Stack, sim::stack, multiple) {
  for (const mpx::rank_t caller : {0, 1})
    for (const std::int64_t when_ns : revoked_after_ns)
      revoked_while_made<Stack>(when_ns, caller, [](auto&, auto of, auto alone) {
        (void)mpx::intercommunicator<Stack>::connect(alone, 0, of, 1 - of.rank(), 9);
      });
}

TEST_CASE("sim: hang reports of ranks that wait for their group or for its leader") {
  const auto said_where = [](auto call) {
    return ranks::text_of([&] {
      sim::run<sim::stack>(2, revoked_net, 1, [&](mpx::environment<sim::stack>& env) {
        auto world = env.world();
        auto alone = world.split(env.rank());
        if (env.rank() == 1) return call(world, alone);
        (void)world.recv<int>(1, 77);
      });
    });
  };
  const auto at_line_of = [](const std::string& said, const std::string& call) {
    const std::size_t at = said.find("rank 1 waits in " + call + " at ");
    return at != std::string::npos &&
           said.substr(at, said.find('\n', at) - at).find("revoked.test.cpp:") != std::string::npos;
  };
  const std::string groups =
      said_where([](auto world, auto) { (void)world.create_group(world.group(), 5); });
  CAPTURE(groups);
  CHECK(at_line_of(groups, "create_group"));
  const std::string leaders = said_where([](auto world, auto alone) {
    (void)mpx::intercommunicator<sim::stack>::connect(alone, 0, world, 0, 9);
  });
  CAPTURE(leaders);
  CHECK(at_line_of(leaders, "connect"));
}

TEST_CASE_TEMPLATE("revoked: a window that is being made", Stack, sim::stack, multiple) {
  for (const mpx::rank_t caller : {0, 1})
    for (const std::int64_t when_ns : revoked_after_ns)
      revoked_while_made<Stack>(when_ns, caller, [](auto&, auto of, auto) {
        (void)mpx::allocate_window<double>(of, 10);
      });
  // By one that never comes, while the others have their inner one, or make it.
  for (std::int64_t when_ns = 0; when_ns < 40'000; when_ns += 700) {
    CAPTURE(when_ns);
    sim::run<Stack>(
        3, revoked_net, static_cast<std::uint64_t>(when_ns + 1), [&](mpx::environment<Stack>& env) {
          auto world = env.world();
          auto of = world.dup();
          std::error_code ec;
          if (env.rank() == 2) {
            env.transport().compute(when_ns);
            of.revoke();
          }
          auto w = mpx::allocate_window<double>(of, 10, mpx::rma::protocol::automatic, ec);
          CHECK(ec == mpx::errc::revoked);
          CHECK(of.shrink().allreduce(1, std::plus<>{}) == 3);
        });
  }
}

TEST_CASE_TEMPLATE("revoked: a leader stops waiting for the other one when its group has left",
                   Stack, sim::stack, multiple) {
  for (const mpx::rank_t late : {0, 3})  // The leader that comes afterwards is below, or above.
    for (const bool before : {true, false}) {
      CAPTURE(late);
      CAPTURE(before);
      sim::options dies;  // A member of the other group: then those in the call know, and revoke.
      if (!before) dies.faults.push_back({sim::fault::kind::kill, 10 * ms, 2});
      const auto run = sim::try_run<Stack>(
          4, revoked_net, 5,
          [&](mpx::environment<Stack>& env) {
            auto world = env.world();
            auto group = world.split(env.rank() == late ? 1 : 0);
            const mpx::rank_t leader = late == 0 ? 1 : 0;
            const auto connect = [&] {
              const mpx::rank_t other = env.rank() == late ? leader : late;
              (void)mpx::intercommunicator<Stack>::connect(group, 0, world, other, 9);
            };
            world.barrier();
            if (env.rank() == late) {
              env.transport().compute(100 * ms);
              CHECK(ranks::errc_of(connect) == mpx::errc::peer_lost);
              return;
            }
            if (before && group.rank() == 2) group.revoke();
            const mpx::errc why = ranks::errc_of(connect);
            if (env.rank() == 2 && !before) return;
            if (env.rank() == leader) {
              CHECK(why == mpx::errc::revoked);
              CHECK(env.now_ns() < 100 * ms);
            } else {
              CHECK(why != mpx::errc{});
              group.revoke();
            }
            auto anew = group.shrink();
            CHECK(anew.allreduce(1, std::plus<>{}) == (before ? 3 : 2));
          },
          dies);
      if (run.failure) CHECK_NOTHROW(std::rethrow_exception(run.failure));
    }
}
