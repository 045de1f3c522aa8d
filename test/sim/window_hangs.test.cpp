// SPDX-License-Identifier: BSL-1.0
// Hang reports on ranks that wait in a window's call and cannot go on: the call, the window, the
// awaited ranks and their missing action.

#include <doctest/doctest.h>

#include <array>
#include <mpx/checks.hpp>
#include <mpx/sim.hpp>
#include <string>

#include "rma/programs.hpp"

namespace window_hangs {
namespace {

namespace sim = mpx::sim;
using programs::protocol;
using assertion = mpx::rma::assertion;
using checked_stack =
    mpx::stack<mpx::transport::sim, mpx::waiting::sleep, mpx::checks::collectives>;

/// Hang report of a job that gets stuck.
template <class Stack = sim::stack, class Body>
std::string stuck(mpx::rank_t ranks, Body&& body) {
  const auto end = sim::try_run<Stack>(ranks, sim::loggp{}, 1, body);
  CHECK(end.stuck != "");
  if (end.failure && end.stuck == "") std::rethrow_exception(end.failure);
  return end.stuck;
}
bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
std::string line(int n) { return "window_hangs.test.cpp:" + std::to_string(n); }
/// Everybody's window of some words.
template <class Comm>
auto window_of(const Comm& world) {
  return mpx::allocate_window<int>(world, 4);
}
/// Receives a message that no rank sends.
template <class Comm>
void wait_for(const Comm& world, mpx::rank_t other) {
  world.template recv<int>(other, 77);
}

TEST_CASE("window hangs: a fence that a rank has not entered") {
  const int made = __LINE__ + 3;
  const int fenced = __LINE__ + 5;
  const std::string text = stuck(3, [](auto world) {
    auto w = mpx::allocate_window<int>(world, 4);
    w.fence();
    if (world.rank() == 1) wait_for(world, 0);
    w.fence();
  });
  CAPTURE(text);
  const std::string window = "of window 1 (made at " + line(made) + ")";
  for (const mpx::rank_t r : {0, 2})
    CHECK(has(text, "rank " + std::to_string(r) + " waits in fence at "));
  CHECK(has(text, line(fenced) + ": from rank "));
  CHECK(has(text, window));
  CHECK(has(text, "rank 1 waits in recv at "));
  CHECK(!has(text, "window_barrier.hpp"));
  CHECK(has(text, "cycle: rank 0 waits for rank 1, rank 1 for rank 0"));
  CHECK(!has(text, "hint: "));
}

TEST_CASE("window hangs: missing posts and completes") {
  const std::string text = stuck(4, [](auto world) {
    auto w = window_of(world);
    const mpx::group all = world.group();
    const mpx::group first = mpx::include(all, std::array<mpx::rank_t, 1>{0});
    const mpx::group others = mpx::include(all, std::array<mpx::rank_t, 3>{1, 2, 3});
    if (world.rank() == 0) {
      w.start(others);
      for (const mpx::rank_t r : {1, 2, 3}) w.put(1, r, 0);
      w.complete();
    } else if (world.rank() != 2) {
      w.post(first);
      w.wait();
    }
    w.free();
  });
  CAPTURE(text);
  CHECK(has(text, "rank 0 waits in complete at "));
  CHECK(has(text, ": for rank 2 to post, window 1 (made at window_hangs"));
  CHECK(has(text, "rank 3 waits in wait at "));
  CHECK(has(text, ": for rank 0 to complete, window 1"));

  const std::string some = stuck(4, [](auto world) {
    auto w = window_of(world);
    const mpx::group all = world.group();
    if (world.rank() == 0) {
      w.post(mpx::include(all, std::array<mpx::rank_t, 3>{1, 2, 3}));
      w.wait();
    } else {
      w.start(mpx::include(all, std::array<mpx::rank_t, 1>{0}));
      w.put(1, 0, 0);
      if (world.rank() != 2) wait_for(world, 2);
      w.complete();
    }
    w.free();
  });
  CAPTURE(some);
  CHECK(has(some, ": for ranks 1, 3 to complete, window 1 (made at "));
}

TEST_CASE("window hangs: the owner of a lock") {
  for (const bool shared : {false, true}) {
    CAPTURE(shared);
    const std::string text = stuck(4, [shared](auto world) {
      auto w = window_of(world);
      if (world.rank() == 3) {
        auto e = shared ? w.lock_shared(2) : w.lock(2);
        int x = 0;
        w.get(x, 2, 0);
        w.flush(2);
        world.barrier();
        wait_for(world, 0);
      } else {
        world.barrier();
      }
      if (world.rank() == 0) {
        auto e = w.lock(2);
        w.put(1, 2, 0);
        w.flush(2);
      }
      w.free();
    });
    CAPTURE(text);
    CHECK(has(text, "rank 0 waits in flush at "));
    CHECK(has(text, ": for rank 3 to unlock rank 2, window 1 (made at "));
    CHECK(has(text, "cycle: rank 0 waits for rank 3, rank 3 for rank 0\n"));
  }
}

TEST_CASE("window hangs: a lock that its scope gives back is named by the scope's line") {
  const int locked = __LINE__ + 10;
  const std::string text = stuck(3, [](auto world) {
    auto w = window_of(world);
    if (world.rank() == 1) {
      auto e = w.lock(1);
      world.barrier();
      wait_for(world, 0);
    }
    world.barrier();
    if (world.rank() == 0) {
      auto e = w.lock(1);
      w.put(1, 1, 0);
    }
    w.free();
  });
  CAPTURE(text);
  CHECK(has(text, "rank 0 waits in "));
  CHECK(has(text, line(locked) + ": for rank 1 to unlock rank 1, window 1"));
}

TEST_CASE("window hangs: two windows, locked in different orders") {
  const std::string text = stuck(3, [](auto world) {
    auto one = window_of(world);
    auto two = window_of(world);
    auto& first = world.rank() == 0 ? one : two;
    auto& second = world.rank() == 0 ? two : one;
    if (world.rank() != 2) {
      auto e = first.lock(2);
      first.put(1, 2, 0);
      first.flush(2);
      int x = 0;
      world.sendrecv(x, 1 - world.rank(), 1, x, 1 - world.rank(), 1);
      auto f = second.lock(2);
      second.put(1, 2, 0);
      second.flush(2);
    }
    one.free();
    two.free();
  });
  CAPTURE(text);
  CHECK(has(text, ": for rank 1 to unlock rank 2, window 2 (made at "));
  CHECK(has(text, ": for rank 0 to unlock rank 2, window 1 (made at "));
  CHECK(has(text, "cycle: rank 0 waits for rank 1, rank 1 for rank 0\n"));
}

TEST_CASE("window hangs: creation and free of a window") {
  const std::string makes = stuck(2, [](auto world) {
    if (world.rank() == 0) (void)mpx::allocate_window<int>(world, 4);
    if (world.rank() == 1) wait_for(world, 0);
  });
  CAPTURE(makes);
  CHECK(has(makes, "rank 0 waits in allocate_window at "));
  CHECK(has(makes, "cycle: rank 0 waits for rank 1, rank 1 for rank 0"));

  const std::string frees = stuck(2, [](auto world) {
    auto w = window_of(world);
    if (world.rank() == 1) wait_for(world, 0);
    w.free();
  });
  CAPTURE(frees);
  CHECK(has(frees, "rank 0 waits in free at "));
  CHECK(has(frees, " of window 1 (made at "));
}

TEST_CASE("window hangs: a fence, and a collective of another communicator") {
  const auto program = [](auto world) {
    const auto other = world.dup();
    auto w = window_of(world);
    if (world.rank() == 0) {
      w.fence();
    } else {
      other.barrier();
    }
  };
  for (const bool checked : {false, true}) {
    CAPTURE(checked);
    const std::string text = checked ? stuck<checked_stack>(2, program) : stuck(2, program);
    CAPTURE(text);
    CHECK(has(text, "rank 0 waits in fence at "));
    CHECK(has(text, "rank 1 waits in barrier at "));
    CHECK(has(text, "hint: rank 0 is in fence of window 2 (made at "));
    CHECK(has(text,
              "), rank 1 in barrier of communicator 1: all ranks must make the same calls in the "
              "same order\n"));
  }
}

}  // namespace
}  // namespace window_hangs
