// SPDX-License-Identifier: BSL-1.0
// Windows over registered memory: random programs by each protocol, and windows freed by
// exceptions.
// timeout: 120

#include "comm/ranks.hpp"
#include "rma/programs.hpp"

namespace {

using programs::protocol;
using programs::word;

TEST_CASE("windows over registered memory: random programs") {
  for (const mpx::rank_t n : {1, 3})
    ranks::run<ranks::rdma>(n, [](auto world) {
      for (const protocol by : programs::all_protocols)
        for (const bool over : {false, true}) {
          INFO("protocol ", static_cast<int>(by), " over ", over);
          const word seed = static_cast<word>(world.size()) * 100 + static_cast<word>(by) * 10;
          CHECK(programs::play(world, seed + (over ? 1 : 0), by, over, 6));
        }
    });
}

// (That its memory is freed, a leak checker sees.)
TEST_CASE("windows over registered memory: a freed window is deregistered") {
  ranks::run<ranks::rdma>(3, [](mpx::environment<ranks::rdma>& env) {
    auto world = env.world();
    const auto play_rounds = [&](auto make) {
      for (int round = 0; round < 3; ++round) {
        auto w = make();
        w.fence();
        std::vector<word> out(20'000, static_cast<word>(round));
        w.put(out, (world.rank() + 1) % 3, 0);
        w.fence();
        CHECK(w.local()[19'999] == static_cast<word>(round));
        world.barrier();
        w.free();
      }
      world.barrier();
    };
    std::vector<word> memory(20'000);
    // Locks are in memory of the transport's own, which stays registered.
    mpx::window_over(world, std::span(memory.data(), 0), protocol::rdma).free();
    const auto locks = env.transport().registrations().registered_bytes;
    play_rounds([&] { return mpx::window_over(world, std::span(memory), protocol::rdma); });
    CHECK(env.transport().counters().puts != 0);
    CHECK(env.transport().registrations().registered_bytes == locks);
    // Memory of the transport's own stays registered, and is used again.
    const auto make = [&] { return mpx::allocate_window<word>(world, 20'000, protocol::rdma); };
    play_rounds(make);
    const auto kept = env.transport().registrations().registered_bytes;
    play_rounds(make);
    CHECK(env.transport().registrations().registered_bytes == kept);
  });
}

}  // namespace
