// SPDX-License-Identifier: BSL-1.0
// Windows by portals: the order of puts, accesses beyond the limit of those under way, layouts, and
// packets that no window sends. The other suites of windows run with this protocol as well.

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mpx/mpx.hpp>
#include <mpx/portals.hpp>
#include <mpx/rma.hpp>
#include <numeric>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "comm/ranks.hpp"

namespace {

using word = std::uint64_t;
using mpx::rma::protocol;

/// Longer than several packets, over any transport of the suites.
constexpr std::size_t many = 40'000;

std::vector<word> counted(std::size_t n, word first) {
  std::vector<word> v(n);
  std::iota(v.begin(), v.end(), first);
  return v;
}

}  // namespace

TEST_CASE("windows by portals: puts to one target take effect in their order") {
  const auto play = [](auto world) {
    auto w = mpx::allocate_window<word>(world, many, protocol::portals);
    const mpx::rank_t to = (world.rank() + 1) % world.size();
    const std::vector<word> low = counted(many, 1'000'000);
    for (int round = 0; round < 5; ++round) {
      w.fence();
      for (word i = 0; i < 10; ++i) {
        w.put(low, to, 0);           // Several packets,
        w.put(i, to, many / 2);      // one packet over them,
        w.put(low, to, 0);           // all again,
        w.put(i + 1, to, many - 1);  // and the last word.
      }
      w.fence(mpx::rma::assertion::no_succeed);
      CHECK(w.local()[many / 2] == 1'000'000 + many / 2);
      CHECK(w.local()[many - 1] == 10);
      CHECK(w.local()[many - 2] == 1'000'000 + many - 2);
    }
    w.free();
  };
  for (const mpx::rank_t n : {1, 2, 4}) {
    ranks::run<ranks::inproc>(n, play);
    ranks::run<ranks::shm>(n, play);
  }
}

TEST_CASE("windows by portals: effects are there after a fence, and short data is copied") {
  ranks::run<ranks::shm>(2, [](auto world) {
    auto w = mpx::allocate_window<word>(world, many, protocol::portals);
    const std::vector<word> low = counted(many, 0);
    for (word round = 1; round < 10; ++round) {
      // The target is late: it finds the origin in the fence, and packets not handled.
      if (world.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      w.fence();
      if (world.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (world.rank() == 0) w.put(round, 1, 7);
      w.fence();
      if (world.rank() == 1) CHECK(w.local()[7] == round);
      w.fence();  // The puts below go over the word that was read.
      if (world.rank() == 1) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      } else {
        word x = round;
        w.put(low, 1, 0);  // More than the packets that may be under way,
        w.put(x, 1, 8);    // and a word behind them.
        x = 1000;
        CHECK(x == 1000);
      }
      w.fence();
      if (world.rank() == 1) CHECK(w.local()[8] == round);
    }
    w.fence(mpx::rma::assertion::no_succeed);
    w.free();
  });
}

TEST_CASE("windows by portals: more accesses at once than may be under way") {
  const auto play = [](auto world) {
    auto w = mpx::allocate_window<word>(world, 1000, protocol::portals);
    const std::vector<word> mine = counted(1000, 1000 * static_cast<word>(world.rank()));
    std::copy(mine.begin(), mine.end(), w.local().begin());
    w.fence();
    std::vector<std::vector<word>> got(static_cast<std::size_t>(world.size()),
                                       std::vector<word>(1000));
    for (std::size_t i = 0; i < 1000; ++i)  // Beyond 64, all ranks from all ranks.
      for (mpx::rank_t r = 0; r < world.size(); ++r)
        w.get(got[static_cast<std::size_t>(r)][i], r, i);
    w.fence();
    for (mpx::rank_t r = 0; r < world.size(); ++r)
      CHECK(got[static_cast<std::size_t>(r)] == counted(1000, 1000 * static_cast<word>(r)));
    w.free();
  };
  ranks::run<ranks::inproc>(4, play);
  ranks::run<ranks::shm>(4, play);
}

TEST_CASE("windows by portals: layouts at the target, and single accesses of another window") {
  ranks::run<ranks::shm>(3, [](auto world) {
    constexpr auto by = protocol::portals;
    auto w = mpx::allocate_window<word>(world, 3000);  // The policy chooses the direct way.
    const mpx::rank_t to = (world.rank() + 1) % world.size();
    const std::vector<word> rows = counted(1000, 5);
    std::vector<word> back(1000);
    w.fence();
    w.template put<by>(rows, to,
                       mpx::rma::strided{.at = 0, .count = 10, .block = 100, .stride = 300});
    w.fence();
    w.template get<by>(back, to,
                       mpx::rma::strided{.at = 0, .count = 10, .block = 100, .stride = 300});
    w.fence();
    CHECK(back == rows);
    CHECK(w.local()[300 * 9 + 99] == 5 + 999);
    CHECK(w.local()[100] == 0);
    w.free();
  });
}

TEST_CASE("windows by portals: errors are those of other protocols") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    for (const protocol by : {protocol::buffered, protocol::portals}) {
      auto w = mpx::allocate_window<word>(world, 10, by);
      const std::vector<word> too_many(11);
      std::error_code ec;
      w.put(word{1}, 1, 0, ec);
      CHECK(ec == mpx::errc::rma_sync);
      auto e = w.lock_all();
      w.put(word{1}, 1, 10, ec);
      CHECK(ec == mpx::errc::rma_range);
      w.put(too_many, 1, 0, ec);
      CHECK(ec == mpx::errc::rma_range);
      w.put(word{1}, 2, 0, ec);
      CHECK(ec == mpx::errc::rank);
      w.put(word{1}, mpx::proc_null, 0, ec);
      CHECK(!ec);
      e.unlock();
      world.barrier();
      w.free();
    }
  });
}

TEST_CASE("windows by portals: a message that no entry takes fails the epoch of its sender") {
  namespace wire = mpx::portals::detail;
  ranks::run<ranks::inproc>(2, [](auto world) {
    using os = mpx::detail::one_sided<typename decltype(world)::stack_type>;
    auto w = mpx::allocate_window<word>(world, 10, protocol::portals);
    w.fence();
    w.put(word{7}, 1 - world.rank(), 0);
    w.fence();
    CHECK(w.local()[0] == 7);
    if (world.rank() == 0) {
      // Sixteen bytes at the last element of rank 1, such as no window sends.
      const std::string said = ranks::text_of([&] { w.put(word{1}, 2, 0); });
      const auto context =
          static_cast<mpx::context_id>(std::stoul(said.substr(said.find("window ") + 7)) << 1);
      const mpx::portals::message m{
          .bits = mpx::match_bits_of(context, 0x524d), .offset = 72, .length = 16, .portal = 0};
      std::vector<std::byte> packet(wire::begin_bytes + 16);
      wire::pack(packet.data(), m, 0);
      auto& e = world.endpoint_for_reports();
      {
        const auto guard = os::lock(e);
        os::send_locked(e, 1, context, packet);
      }
      world.barrier();  // It has been refused,
      world.barrier();  // and this rank told.
      std::error_code ec;
      w.fence({}, ec);
      CHECK(ec == mpx::errc::rma_range);
    } else {
      world.barrier();
      world.barrier();
      w.fence();
      CHECK(w.local()[9] == 0);
    }
    w.fence(mpx::rma::assertion::no_succeed);
    w.free();
  });
}
