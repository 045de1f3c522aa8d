// SPDX-License-Identifier: BSL-1.0
// timeout: 120
// sanitizers: address
// Collectives of a communicator over portals, by the policy of its stack: every operation and
// algorithm, layouts, fan-ins in a row, and calls that fail at one rank.

#include <mpx/datatype.hpp>
#include <mpx/mpx.hpp>
#include <mpx/portals.hpp>

#include "coll/suite.hpp"
#include "comm/ranks.hpp"

namespace {

namespace po = mpx::portals;
using mpx::coll::algorithm;
using over_portals = mpx::stack<po::by_portals<>>;
/// Short messages and a small heap, so that messages are long, dropped and sent again.
using narrow =
    mpx::stack<po::by_portals<mpx::coll::by_size,
                              po::collective_limits{.short_bytes_max = 256, .heap_bytes = 4096}>,
               mpx::transport::inproc>;
static_assert(mpx::CarryingCollectivePolicy<po::by_portals<>>);
static_assert(!mpx::CarryingCollectivePolicy<mpx::coll::by_size>);

constexpr std::size_t few_lengths[] = {0, 1, 40, 700};

/// True if a communicator has made its portals.
template <class Comm>
bool has_portals(const Comm& comm) {
  using stack = typename Comm::stack_type;
  const mpx::detail::communicator_access<stack> a(comm, {});
  return a.state().attributes.find(po::detail::carrier<stack>::key_of_all) != nullptr;
}

}  // namespace

TEST_CASE("policy by portals: every operation by every algorithm") {
  for (const mpx::rank_t n : {3, 7})
    ranks::run<narrow>(n, [](auto world) {
      CHECK(!has_portals(world));
      suite::everything(world, suite::form::at_once, few_lengths);
      CHECK(has_portals(world));
    });
  ranks::run<over_portals>(4, [](auto world) {
    suite::everything(world, suite::form::at_once, few_lengths);
    suite::everything(world, suite::form::started, std::span(few_lengths).first(2));
  });
}

TEST_CASE("policy by portals: started and prepared calls go by messages") {
  ranks::run<over_portals>(4, [](auto world) {
    const std::vector<std::int64_t> mine(700, world.rank());
    std::vector<std::int64_t> all(2800);
    // A choice that is a bucket in a blocking call.
    const auto w = world.with(algorithm::ring);
    w.allgather(mine, all, mpx::start).wait();
    CHECK(all[2799] == 3);
    std::int64_t x = world.rank() == 1 ? 5 : 0;
    auto prepared = world.bcast(x, 1, mpx::prepare);
    prepared.start();
    prepared.wait();
    CHECK(x == 5);
    CHECK(!has_portals(world));
    world.barrier();
    CHECK(has_portals(world));
  });
}

TEST_CASE("policy by portals: duplicates and parts have portals of their own") {
  ranks::run<over_portals>(4, [](auto world) {
    world.barrier();
    for (int i = 0; i < 3; ++i) {
      auto same = world.dup();
      CHECK(!has_portals(same));
      std::vector<int> ranks(4);  // The first call is a bucket.
      same.with(algorithm::ring).allgather(world.rank(), ranks);
      CHECK(ranks == std::vector<int>{0, 1, 2, 3});
      auto half = world.split(world.rank() % 2);
      const int all = same.allreduce(1, mpx::sum);
      const int part = half.allreduce(1, mpx::sum);
      CHECK(all == 4);
      CHECK(part == 2);
      CHECK(has_portals(same));
      half.free();
      same.free();
    }
  });
}

TEST_CASE("policy by portals: layouts are filled in their places") {
  ranks::run<narrow>(3, [](auto world) {
    const auto n = static_cast<std::size_t>(world.size());
    for (const std::size_t length : {5u, 300u}) {
      std::vector<std::int64_t> data(3 * length, world.rank() == 1 ? 7 : 0);
      world.bcast(mpx::strided(data.data(), length, 3), 1);
      std::vector<std::int64_t> all(3 * length * n);
      const auto w = world.with(algorithm::ring);
      w.allgather(suite::mine(world.rank(), length), mpx::strided(all.data(), length * n, 3));
      bool right = true;
      for (std::size_t i = 0; i < length; ++i) right = right && data[3 * i] == 7;
      for (std::size_t i = 0; i < length * n; ++i)
        right = right && all[3 * i + 1] == 0 &&
                all[3 * i] == suite::element(static_cast<mpx::rank_t>(i / length), i % length);
      CHECK(right);
    }
  });
}

TEST_CASE("policy by portals: fan-ins in a row lose nothing, whoever is late") {
  ranks::run<narrow>(5, [](auto world) {
    const auto n = static_cast<std::size_t>(world.size());
    for (const algorithm by : {algorithm::linear, algorithm::binomial}) {
      const auto w = world.with(by);
      for (std::size_t i = 0; i < 200; ++i) {
        if (world.rank() == 0 && i % 50 == 0)
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
        const std::size_t length = 1 + i % 60;  // Up to 480 bytes: some are long.
        std::vector<std::int64_t> out(world.rank() == 0 ? length * n : 0);
        w.gather(suite::mine(world.rank(), length, i), out, 0);
        bool right = true;
        for (mpx::rank_t r = 0; world.rank() == 0 && r < world.size(); ++r)
          right = right &&
                  suite::is_of(std::span(out).subspan(static_cast<std::size_t>(r) * length, length),
                               r, i);
        CHECK(right);
      }
    }
  });
}

TEST_CASE("policy by portals: a call that fails at one rank fails alone") {
  struct refusal {};
  ranks::run<narrow>(4, [](auto world) {
    for (int round = 0; round < 20; ++round) {
      // Rank 2 gives a root that is none; the root is late, and the others are in the call.
      std::vector<std::int64_t> data(200, world.rank() == 0 ? round : -1);
      std::error_code ec;
      world.bcast(data, world.rank() == 2 ? 9 : 0, ec);
      if (world.rank() == 2) CHECK(ec == mpx::errc::root);
      // Some ranks have their data without rank 2.
      if (!ec) CHECK(data[199] == round);
      if (ec && world.rank() != 2) CHECK(ec == mpx::errc::peer_lost);
      world.barrier();
      CHECK(world.allreduce(1, mpx::sum) == 4);
      // The operation throws at one rank.
      const auto op = [&](std::int64_t a, std::int64_t b) {
        if (world.rank() == 0) throw refusal();
        return a + b;
      };
      bool thrown = false;
      bool lost = false;
      try {
        static_cast<void>(world.allreduce(std::int64_t{1}, op));
      } catch (const refusal&) {
        thrown = true;
      } catch (const mpx::error& e) {
        lost = e.code() == mpx::errc::peer_lost;
      }
      CHECK(thrown == (world.rank() == 0));
      if (world.rank() != 0) CHECK((lost || !thrown));
      CHECK(world.allreduce(1, mpx::sum) == 4);
    }
  });
}

TEST_CASE("policy by portals: lengths that do not fit are told") {
  ranks::run<narrow>(3, [](auto world) {
    for (const std::size_t length : {10u, 1000u}) {
      std::vector<std::int64_t> data(world.rank() == 1 ? length + 1 : length);
      std::error_code ec;
      world.bcast(data, 0, ec);
      if (world.rank() == 1) CHECK((ec == mpx::errc::count || ec == mpx::errc::peer_lost));
      CHECK(world.allreduce(1, mpx::sum) == 3);
    }
  });
}

TEST_CASE("policy by portals: a rank that waits ends if the communicator is revoked") {
  ranks::run<over_portals>(3, [](auto world) {
    auto part = world.dup();
    part.barrier();
    if (world.rank() == 2) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      part.revoke();
    } else {
      std::error_code ec;
      part.barrier(ec);
      CHECK(ec == mpx::errc::revoked);
    }
    world.barrier();
    part.free();
  });
}
