// SPDX-License-Identifier: BSL-1.0
// own_headers: yes
// An access to a window that lacks memory fails in its own call, and in no later one: repeated, it
// succeeds, and earlier and later accesses are not affected.

#include "scarce.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <mpx/checks.hpp>
#include <mpx/rma.hpp>
#include <mpx/sim.hpp>
#include <span>
#include <utility>
#include <vector>

namespace {

using scarce::memory;
using scarce::refusing;
using word = std::int64_t;

using packets =
    mpx::stack<mpx::transport::basic_sim<mpx::transport::sim_rma::none>, mpx::waiting::sleep>;
using card =
    mpx::stack<mpx::transport::basic_sim<mpx::transport::sim_rma::nic>, mpx::waiting::sleep>;

constexpr std::size_t size = 400;  // Elements of a long access, which no call waits for.

/// Makes an access while its allocations number `first` to `last` fail, and again if it says so.
class caller {
 public:
  caller(std::uint64_t first, std::uint64_t last) : first_(first), last_(last) {}
  template <class F>
  void operator()(F&& access) {
    bool told = false;
    {
      const refusing some(first_, last_);
      try {
        access();
      } catch (const mpx::error& e) {
        CHECK(e.code() == mpx::errc::no_resources);
        told = true;
      }
      failed_ += memory().refused != 0 ? 1 : 0;
      told_ += told ? 1 : 0;
    }
    if (told) access();
  }
  int failed() const { return failed_; }
  int told() const { return told_; }

 private:
  std::uint64_t first_;
  std::uint64_t last_;
  int failed_ = 0;
  int told_ = 0;
};

/// Rank 0 accesses rank 1's window in each way, in one epoch. Returns how many accesses lacked
/// memory, and how many said so.
template <class Stack>
std::pair<int, int> access(mpx::rma::protocol by, std::uint64_t first, std::uint64_t last) {
  std::pair<int, int> lacking;
  mpx::sim::run<Stack>(2, mpx::sim::loggp{}, 1, [&](auto world) {
    auto w = mpx::allocate_window<word>(world, 2 * size + 8, by);
    if (world.rank() == 0) {
      const std::vector<word> many(size, 7);
      std::vector<word> got(size);
      std::array<word, 3> was{-1, -1, -1};
      caller call(first, last);
      {
        auto epoch = w.lock(1);
        w.put(word{1}, 1, 0);
        w.flush(1);  // From here on no call waits for the other rank, which has memory.
        call([&] { w.put(word{5}, 1, 0); });
        call([&] { w.put(many, 1, 8); });
        call([&] { w.put(many, 1, 8, mpx::start).wait(); });
        call([&] { w.accumulate(word{3}, 1, 1, mpx::sum); });
        call([&] { w.accumulate(many, 1, 8 + size, mpx::sum); });
        w.flush(1);
        call([&] { w.get(got, 1, 8 + size); });
        call([&] { w.fetch_and_op(word{4}, was[0], 1, 1, mpx::sum); });
        call([&] { w.compare_and_swap(word{5}, word{6}, was[1], 1, 0); });
        call([&] { w.fetch_and_op(word{0}, was[2], 1, 0, mpx::no_op); });
        w.flush(1);
        CHECK(got == many);
        CHECK(was == std::array<word, 3>{3, 5, 6});
      }
      lacking = {call.failed(), call.told()};
    }
    world.barrier();
    if (world.rank() == 1) {
      const auto mine = w.local();
      CHECK(mine[0] == 6);
      CHECK(mine[1] == 7);
      for (std::size_t i = 8; i < 8 + 2 * size; ++i)
        if (mine[i] != 7) FAIL("element ", i, " is ", mine[i]);
    }
    world.barrier();
  });
  return lacking;
}

}  // namespace

TEST_CASE_TEMPLATE("alloc: an access that lacks memory fails in its own call, or continues", Stack,
                   packets, card) {
  using enum mpx::rma::protocol;
  for (const auto by : {buffered, send_recv, rdma, portals}) {
    CAPTURE(static_cast<int>(by));
    int failed = 0;
    int told = 0;
    const std::int64_t held = memory().held;
    for (std::uint64_t first = 0; first < 8; ++first) {
      for (const std::uint64_t last : {first, scarce::never}) {
        const auto [lacked, said] = access<Stack>(by, first, last);
        failed += lacked;
        told += said;
      }
    }
    CHECK(failed > 0);
    CHECK((told > 0 || by == rdma));
    CHECK(memory().held == held);
  }
}

TEST_CASE("alloc: an access that has lacked memory conflicts with none") {
  using stack = mpx::stack<mpx::transport::basic_sim<mpx::transport::sim_rma::none>,
                           mpx::waiting::sleep, mpx::checks::rma>;
  int told = 0;
  for (const auto by : {mpx::rma::protocol::buffered, mpx::rma::protocol::send_recv})
    for (std::uint64_t first = 0; first < 6; ++first)
      mpx::sim::run<stack>(2, mpx::sim::loggp{}, 1, [&](auto world) {
        auto w = mpx::allocate_window<word>(world, 3 * size, by);
        if (world.rank() == 0) {
          const std::vector<word> many(size, 7);
          caller call(first, scarce::never);
          auto epoch = w.lock(1);
          w.put(word{1}, 1, 0);
          w.flush(1);                           // From here on no call waits for the other rank.
          call([&] { w.put(word{5}, 1, 0); });  // Copied, if it is queued.
          call([&] { w.put(many, 1, size, mpx::start).wait(); });
          call([&] {
            w.put(std::span(many).first(size / 2), 1, mpx::rma::strided{2 * size, size / 2, 1, 2});
          });
          epoch.unlock();
          told += call.told();
        }
        world.barrier();
        w.free();
      });
  CHECK(told > 0);
}
