// SPDX-License-Identifier: BSL-1.0
// Accesses that checks::rma compares: of threads, of those that are refused, and by themselves.

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <mpx/checks.hpp>
#include <mpx/rma.hpp>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "comm/ranks.hpp"

namespace {

using word = std::uint64_t;
using mpx::detail::rma_record_of_accesses;
using mpx::detail::rma_touched;
using mpx::rma::action;

TEST_CASE("windows: all accesses of two threads are compared") {
  using stack = mpx::stack<mpx::transport::inproc, mpx::threading::multiple, mpx::checks::rma>;
  ranks::run<stack>(2, [](auto world) {
    for (int round = 0; round < 40; ++round) {
      auto w = mpx::allocate_window<word>(world, 1 << 12);
      if (world.rank() == 0) {
        auto e = w.lock_all();
        std::atomic<int> ready{0};
        std::atomic<int> wrong{0};
        const auto put_all = [&](word first, bool conflicts) {
          for (word i = 0; i < 200; ++i) {
            std::error_code ec;
            w.put(i, 1, first + 2 * i, ec);
            if (conflicts ? ec != mpx::errc::rma_conflict : static_cast<bool>(ec)) ++wrong;
          }
        };
        const auto start = [&](word first) {
          ++ready;
          while (ready < 2) std::this_thread::yield();
          put_all(first, false);
        };
        std::thread other([&] { start(2000); });
        start(0);
        other.join();
        put_all(0, true);
        put_all(2000, true);
        CHECK(wrong == 0);
      }
      w.free();
    }
  });
}

TEST_CASE("windows: an access that is refused conflicts with none") {
  using stack = mpx::stack<mpx::transport::inproc, mpx::checks::rma>;
  ranks::run<stack>(2, [](auto world) {
    auto w = mpx::allocate_window<int>(world, 32);
    if (world.rank() == 0) {
      auto e = w.lock_all();
      std::error_code ec;
      w.put(1, 1, 10);
      const std::vector<int> two{1, 2};
      w.put(two, 1, mpx::rma::strided{0, 2, 1, 10}, ec);  // To 0 and 10.
      CHECK(ec == mpx::errc::rma_conflict);
      w.put(1, 1, 0, ec);
      CHECK(!ec);
      w.put(std::span<const int>(), 1, 10, ec);  // To no place.
      CHECK(!ec);
    }
    w.free();
  });
}

TEST_CASE("windows: accesses that are taken back leave those of others") {
  rma_record_of_accesses all;
  const auto put = [](word at, word n) { return rma_touched{at, n, action::put, 0}; };
  const auto get = [](word at, word n) { return rma_touched{at, n, action::get, 0}; };
  CHECK(all.add(put(0, 8)) == nullptr);
  CHECK(all.add(put(8, 8)) == nullptr);
  CHECK(all.add(put(16, 8)) == nullptr);
  all.take_back(put(8, 8));
  CHECK(all.first_conflict(put(8, 8)) == nullptr);
  CHECK(all.first_conflict(put(0, 1)) != nullptr);
  CHECK(all.first_conflict(put(16, 1)) != nullptr);
  CHECK(all.first_conflict(get(23, 1)) != nullptr);
  // Gets overlap each other.
  CHECK(all.add(get(100, 10)) == nullptr);
  CHECK(all.add(get(104, 20)) == nullptr);
  all.take_back(get(100, 10));
  CHECK(all.first_conflict(put(100, 4)) == nullptr);
  CHECK(all.first_conflict(put(104, 1)) != nullptr);
  CHECK(all.first_conflict(put(123, 1)) != nullptr);
  all.take_back(get(104, 20));
  CHECK(all.first_conflict(put(100, 24)) == nullptr);
}

}  // namespace
