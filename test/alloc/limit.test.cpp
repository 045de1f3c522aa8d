// SPDX-License-Identifier: BSL-1.0
// own_headers: yes
// sanitizers: address
// The limit of pending operations: the call that needs one more gets an error, and all else
// continues.

#include "scarce.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <mpx/intercommunicator.hpp>
#include <mpx/mpx.hpp>
#include <system_error>
#include <vector>

#include "core/errc_of.hpp"

namespace {

using ranks::errc_of;

/// At most 64 operations under way.
struct few : mpx::protocol::tiny_short_long<> {
  static constexpr std::uint32_t operations_max = 64;
};
using narrow = mpx::stack<mpx::transport::inproc, few>;

/// Starts receives with rising tags until one is refused.
template <class World>
auto receive_as_many(World& world, std::vector<std::int64_t>& in, mpx::rank_t from) {
  std::vector<mpx::request<narrow>> all;
  for (;;) {
    const auto tag = static_cast<mpx::tag_t>(all.size());
    std::error_code ec;
    auto r = world.irecv(in[all.size()], from, tag, ec);
    if (!ec) {
      all.push_back(std::move(r));
      continue;
    }
    CHECK(ec.value() == static_cast<int>(mpx::errc::no_resources));
    CHECK(errc_of([&] { (void)world.irecv(in[all.size()], from, tag); }) ==
          mpx::errc::no_resources);
    return all;
  }
}

}  // namespace

TEST_CASE("limit: an operation above the limit is refused, the others complete") {
  mpx::run_threads<narrow>(2, [](mpx::communicator<narrow> world) {
    const mpx::rank_t other = 1 - world.rank();
    for (int round = 0; round < 3; ++round) {  // Freed memory can be allocated again.
      std::vector<std::int64_t> in(100, -1);
      const std::vector<std::byte> announced(100'000);
      std::int64_t out = 0;
      if (world.rank() == 0) {
        auto all = receive_as_many(world, in, other);
        REQUIRE(all.size() >= 60);
        REQUIRE(all.size() <= 64);
        // Neither a send that needs an operation nor a blocking receive can start; a tiny send can.
        CHECK(errc_of([&] { world.ssend(out, other, 1000); }) == mpx::errc::no_resources);
        CHECK(errc_of([&] { (void)world.isend(announced, other, 1000); }) ==
              mpx::errc::no_resources);
        CHECK(errc_of([&] { world.recv(out, other, 1000); }) == mpx::errc::no_resources);
        const auto count = static_cast<std::int64_t>(all.size());
        world.send(count, other, 1001);
        for (auto& r : all) r.wait();
        for (std::int64_t i = 0; i < count; ++i) CHECK(in[static_cast<std::size_t>(i)] == i);
        world.ssend(out, other, 1002);
      } else {
        const auto count = world.recv<std::int64_t>(other, 1001);
        for (out = 0; out < count; ++out) world.send(out, other, static_cast<mpx::tag_t>(out));
        world.recv(out, other, 1002);
      }
    }
    world.barrier();
  });
}

TEST_CASE("limit: a duplicate between two groups that cannot start gives its contexts back") {
  mpx::run_threads<narrow>(2, [](mpx::communicator<narrow> world) {
    constexpr int tries = 100;
    const auto half = world.split(world.rank());
    const auto on = mpx::intercommunicator<narrow>::connect(half, 0, world, 1 - world.rank());
    std::vector<std::int64_t> in(100, -1);
    std::vector<mpx::request<narrow>> all;
    if (world.rank() == 0) all = receive_as_many(world, in, 1);
    for (int i = 0; i < tries; ++i) {
      mpx::intercommunicator<narrow> into;
      std::error_code ec;
      auto r = on.dup(into, mpx::start(ec));
      if (world.rank() == 0) {
        CHECK(ec == mpx::errc::no_resources);
      } else {
        r.wait(ec);
        CHECK(ec == mpx::errc::peer_lost);
      }
    }
    for (auto& r : all) CHECK(r.cancel());
    all.clear();
    const auto twin = world.dup();  // Rank 0 has led it, and sent the number.
    constexpr mpx::context_id serials = 8191;
    CHECK((twin.context() & serials) < tries);
    CHECK(twin.allreduce(1, std::plus<>{}) == 2);
  });
}
