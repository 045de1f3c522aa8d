// SPDX-License-Identifier: BSL-1.0
// Noncontiguous data at a target, and the alignment of a window's memory.

#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <mpx/datatype.hpp>
#include <mpx/rma.hpp>
#include <span>
#include <system_error>
#include <vector>

#include "comm/ranks.hpp"

namespace {

TEST_CASE("windows: blocks that overlap are read, and not written") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    auto w = mpx::allocate_window<int>(world, 16);
    const mpx::rank_t other = 1 - world.rank();
    std::vector<int> six{1, 2, 3, 4, 5, 6};
    std::vector<int> before(6);
    const mpx::rma::strided overlaps{0, 3, 2, 1};
    const mpx::rma::strided at_one_place{0, 3, 2, 0};
    std::error_code ec;
    w.fence();
    w.put(six, other, overlaps, ec);
    CHECK(ec == mpx::errc::datatype);
    w.put(six, other, at_one_place, ec);
    CHECK(ec == mpx::errc::datatype);
    w.accumulate(six, other, overlaps, mpx::sum, ec);
    CHECK(ec == mpx::errc::datatype);
    w.get_accumulate(six, before, other, overlaps, mpx::sum, ec);
    CHECK(ec == mpx::errc::datatype);
    w.get_accumulate(six, before, other, overlaps, mpx::no_op, ec);
    CHECK(!ec);
    w.get(before, other, overlaps, ec);
    CHECK(!ec);
    w.put(six, other, mpx::rma::strided{8, 1, 6, 0}, ec);  // One block overlaps nothing,
    CHECK(!ec);
    w.put(std::span<const int>(), other, mpx::rma::strided{0, 3, 0, 0}, ec);  // nor what is empty.
    CHECK(!ec);
    w.fence();
    CHECK(w.local()[0] == 0);
    CHECK(w.local()[13] == 6);
    w.free();
  });
}

TEST_CASE("windows: a layout of another length than the data is refused before it is listed") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    auto w = mpx::allocate_window<int>(world, 64);
    const mpx::rank_t other = 1 - world.rank();
    std::vector<int> six(6);
    std::vector<int> before(6);
    // Listed, these would be more runs than there is memory for.
    constexpr std::int64_t count = std::int64_t{1} << 50;
    const mpx::rma::strided blocks{0, count, 1, 2};
    const auto type = mpx::datatype::vector(2, 1, 2, mpx::datatype::of<int>());
    const auto nothing = mpx::datatype::contiguous(0, mpx::datatype::of<int>());
    std::error_code ec;
    w.fence();
    w.put(six, other, blocks, ec);
    CHECK(ec == mpx::errc::argument);
    w.get(before, other, blocks, ec);
    CHECK(ec == mpx::errc::argument);
    w.accumulate(six, other, blocks, mpx::sum, ec);
    CHECK(ec == mpx::errc::argument);
    w.get_accumulate(six, before, other, blocks, mpx::no_op, ec);
    CHECK(ec == mpx::errc::argument);
    w.put(six, other, mpx::rma::typed{0, count, type}, ec);
    CHECK(ec == mpx::errc::argument);
    w.get(before, other, mpx::rma::typed{0, count, type}, ec);
    CHECK(ec == mpx::errc::argument);
    w.put(six, other, mpx::rma::typed{0, count * 4096, type}, ec);  // More than 64 bits count.
    CHECK(ec == mpx::errc::datatype);
    w.put(std::span<const int>(), other, mpx::rma::typed{0, count * 4096, nothing}, ec);
    CHECK(!ec);
    // Of the right length, and beyond the target's memory.
    w.put(six, other, mpx::rma::strided{0, 6, 1, count}, ec);
    CHECK(ec == mpx::errc::rma_range);
    w.put(six, other, mpx::rma::strided{60, 6, 1, 1}, ec);
    CHECK(ec == mpx::errc::rma_range);
    w.put(six, other, mpx::rma::strided{58, 6, 1, 1}, ec);
    CHECK(!ec);
    w.put(six, other, mpx::rma::typed{55, 3, type}, ec);
    CHECK(!ec);
    w.put(six, other, mpx::rma::typed{56, 3, type}, ec);
    CHECK(ec == mpx::errc::rma_range);
    w.fence();
    w.free();
  });
}

TEST_CASE("windows: an access may reach over regions that are attached and adjoin") {
  ranks::run<ranks::shm>(2, [](auto world) {
    auto w = mpx::dynamic_window<int>(world);
    std::vector<int> mine(12);
    const std::span<int> all(mine);
    // The last first, and a gap of one element.
    w.attach(all.subspan(7, 5));
    w.attach(all.subspan(2, 4));
    w.attach(all.first(2));
    const std::uint64_t here = reinterpret_cast<std::uintptr_t>(mine.data());
    std::vector<std::uint64_t> where = world.allgather(here);
    const mpx::rank_t other = 1 - world.rank();
    const std::uint64_t there = where[static_cast<std::size_t>(other)];
    std::vector<int> six{1, 2, 3, 4, 5, 6};
    std::vector<int> back(6);
    std::vector<int> before(6);
    std::error_code ec;
    {
      auto e = w.lock(other);
      w.put(six, other, there);
      w.flush(other);
      w.accumulate(six, other, there, mpx::sum);
      w.get_accumulate(six, before, other, there, mpx::sum);
      w.flush(other);
      w.get(back, other, there);
      w.flush(other, ec);
      CHECK(!ec);
      w.put(std::span(six).first(2), other, there + 5 * sizeof(int));
      w.flush(other, ec);
      CHECK(ec == mpx::errc::rma_range);
      w.put(six, other, there + 7 * sizeof(int));
      w.flush(other, ec);
      CHECK(ec == mpx::errc::rma_range);
    }
    CHECK(before == std::vector<int>{2, 4, 6, 8, 10, 12});
    CHECK(back == std::vector<int>{3, 6, 9, 12, 15, 18});
    world.barrier();
    CHECK(mine == std::vector<int>{3, 6, 9, 12, 15, 18, 0, 0, 0, 0, 0, 0});
    w.free();
  });
}

TEST_CASE("windows: accumulate combines elements, not bytes") {
  using number = std::complex<double>;
  ranks::run<ranks::inproc>(2, [](auto world) {
    auto w = mpx::allocate_window<number>(world, 4);
    const mpx::rank_t other = 1 - world.rank();
    const auto placed = [](std::int64_t at) {
      return mpx::datatype::hindexed_block(1, std::vector<std::int64_t>{at},
                                           mpx::datatype::of<number>());
    };
    std::error_code ec;
    w.fence();
    w.accumulate(number(1, 2), other, mpx::rma::typed{0, 1, placed(8)}, mpx::sum, ec);
    CHECK(ec == mpx::errc::datatype);
    w.accumulate(number(1, 2), other, mpx::rma::typed{2, 1, placed(-8)}, mpx::sum, ec);
    CHECK(ec == mpx::errc::datatype);
    w.accumulate(number(1, 2), other, mpx::rma::typed{2, 1, placed(-16)}, mpx::sum, ec);
    CHECK(!ec);
    w.fence();
    CHECK(w.local()[0] == number());
    CHECK(w.local()[1] == number(1, 2));
    w.free();
  });
}

struct alignas(128) wide {
  double x[16];
};
template <class Stack>
void hold_wide() {
  ranks::run<Stack>(3, [](auto world) {
    std::vector<mpx::window<wide, Stack>> all;
    for (std::uint64_t n = 1; n < 25; ++n) {
      all.push_back(mpx::allocate_window<wide>(world, n % 5));
      const auto at = reinterpret_cast<std::uintptr_t>(all.back().local().data());
      CHECK(at % alignof(wide) == 0);
    }
    for (auto& w : all) w.free();
  });
}

TEST_CASE("windows: memory is aligned as elements ask for, inproc") { hold_wide<ranks::inproc>(); }
TEST_CASE("windows: memory is aligned as elements ask for, shm") { hold_wide<ranks::shm>(); }

}  // namespace
