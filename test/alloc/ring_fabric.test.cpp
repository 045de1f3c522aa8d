// SPDX-License-Identifier: BSL-1.0
// own_headers: yes
// The rings between ranks when memory is out: wiring a peer may fail, and be tried again; once a
// pair is wired, nothing that it does needs memory.

#include "scarce.hpp"

#include <doctest/doctest.h>

#include <mpx/transport/inproc.hpp>

#include "transport/cluster.hpp"

namespace {

using namespace transport_contract;
using scarce::memory;
using scarce::refusing;
using rings = mpx::transport::basic_inproc<4, 4096>;

TEST_CASE("ring_fabric: wiring that finds no memory leaves nothing, and can be tried again") {
  for (std::uint64_t which = 0; which < 2; ++which) {  // The place in a list, the end of the ring.
    CAPTURE(which);
    cluster<rings> job(2);
    keeper sink;
    const std::int64_t held = memory().held;
    {
      const refusing one(which, which);
      CHECK(post(job[0], 1, 0, 8) == outcome::refused);
    }
    CHECK(memory().held <= held + 1);
    REQUIRE(post(job[0], 1, 1, 8) == outcome::done);
    {
      const refusing one(which, which);
      for (int i = 0; i < 100; ++i) CHECK(job[1].poll(sink) == 0);
      CHECK(memory().refused == 1);
    }
    CHECK(sink.unreachable_from == std::vector<peer_id>{0});
    REQUIRE(post(job[0], 1, 2, 8) == outcome::done);
    poll_until(job[1], sink, 2);
    CHECK(same(sink.packets[0].header, header_of(1)));
    CHECK(same(sink.packets[1].header, header_of(2)));
  }
}

TEST_CASE("ring_fabric: connected rings work without memory") {
  constexpr peer_id n = 12;  // More than the lists have room for at first.
  cluster<rings> job(n);
  keeper sink;
  for (peer_id r = 1; r < n; ++r) {
    REQUIRE(post(job[0], r, 0, 8) == outcome::done);
    REQUIRE(post(job[r], 0, 0, 8) == outcome::done);
    poll_until(job[r], sink, 1);
    sink.packets.clear();
  }
  poll_until(job[0], sink, n - 1);
  const refusing all;
  for (int round = 0; round < 3; ++round) {
    for (peer_id r = 1; r < n; ++r) {  // All channels are full, both ways; all ends are starved.
      while (post(job[0], r, 1, 8) == outcome::done) {
      }
      while (post(job[r], 0, 1, 8) == outcome::done) {
      }
    }
    sink.packets.clear();
    poll_until(job[0], sink, (n - 1) * 4);
    for (int i = 0; i < 20'000; ++i) job[0].poll(sink);  // Idle rings get cold.
    if (job[0].arm()) job[0].disarm();
    for (peer_id r = 1; r < n; ++r) {
      sink.packets.clear();
      poll_until(job[r], sink, 4);
      if (job[r].arm()) job[r].disarm();
    }
  }
  CHECK(memory().asked == 0);
}

}  // namespace
