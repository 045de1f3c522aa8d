// SPDX-License-Identifier: BSL-1.0
// own_headers: yes
// sanitizers: address
// What happens at the limit of operations under way: the call that needs one more is told, and all
// else goes on.

#include "scarce.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <mpx/mpx.hpp>
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

TEST_CASE("limit: the operation that is one too many is refused, the others complete") {
  mpx::run_threads<narrow>(2, [](mpx::communicator<narrow> world) {
    const mpx::rank_t other = 1 - world.rank();
    for (int round = 0; round < 3; ++round) {  // What is given back can be had again.
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
