// SPDX-License-Identifier: BSL-1.0
// Ends of epochs, and of windows within them: the reported accesses, and the thread that gets the
// error.
// timeout: 120

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mpx/rma.hpp>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "comm/ranks.hpp"
#include "rma/programs.hpp"

namespace {

using word = std::uint64_t;
using mpx::rma::assertion;
using mpx::rma::protocol;

TEST_CASE("windows: a window freed within an epoch of locks is gone, and so is its lock") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    for (const int kind : {0, 1, 2}) {
      CAPTURE(kind);
      auto w = mpx::allocate_window<int>(world, 4);
      world.barrier();
      const std::string said = ranks::text_of([&] {
        auto e = kind == 0 ? w.lock_shared(0) : kind == 1 ? w.lock_all() : w.lock(0);
        w.put(world.rank(), 0,
              static_cast<word>(world.rank()));  // The other's lock may be waited for.
        w.free();
      });
      CHECK(ranks::contains(said, "free on rank"));
      CHECK(ranks::contains(said, kind == 1 ? "unlock_all first" : "unlock first"));
      CHECK(!w);
      world.barrier();
    }
  });
}

TEST_CASE("windows: assignment frees the old window at once") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    auto a = mpx::allocate_window<int>(world, 4);
    auto b = mpx::allocate_window<int>(world, 8);
    a = std::move(b);
    CHECK(!b);
    CHECK(a.elements(1) == 8);
    auto& self = a;
    a = std::move(self);
    CHECK(a.elements(0) == 8);
    a.free();
  });
}

/// Ends of epochs of a dynamic window, one of which had a put that its target has no memory for.
enum class ending { fence, complete, unlock, flush, count };

template <class Window, class World>
std::string end_of(Window& w, const World& world, ending by, bool wrong) {
  const auto all = world.group();
  const mpx::rank_t other = 1 - world.rank();
  const auto put = [&] {
    if (wrong && world.rank() == 0) w.put(word{1}, other, 640);
  };
  switch (by) {
    case ending::fence:
      w.fence(assertion::no_precede);
      put();
      return ranks::text_of([&] { w.fence(assertion::no_succeed); });
    case ending::complete: {
      w.post(all);
      w.start(all);
      put();
      const std::string said = ranks::text_of([&] { w.complete(); });
      w.wait();
      return said;
    }
    case ending::unlock: {
      auto e = w.lock_shared(other);
      put();
      return ranks::text_of([&] { e.unlock(); });
    }
    default: {
      auto e = w.lock_all();
      put();
      return ranks::text_of([&] { w.flush(other); });
    }
  }
}

TEST_CASE("windows: the end of an epoch reports accesses outside of a dynamic target's memory") {
  const auto play = [](auto world) {
    for (const protocol by : {protocol::automatic, protocol::send_recv, protocol::portals}) {
      auto w = mpx::dynamic_window<word>(world, by);
      for (int i = 0; i < 20 * static_cast<int>(ending::count); ++i) {
        INFO("protocol ", static_cast<int>(by), " round ", i);
        const auto how = static_cast<ending>(i % static_cast<int>(ending::count));
        const std::string said = end_of(w, world, how, true);
        INFO(said);
        CHECK(said.empty() == (world.rank() != 0));
        if (world.rank() == 0) {
          CHECK(ranks::contains(said, "an access to rank 1 at displacement 640"));
          CHECK(ranks::contains(said, "epoch none") == false);
        }
        world.barrier();
        CHECK(end_of(w, world, how, false) == "");
        world.barrier();
      }
      w.free();
    }
  };
  ranks::run<ranks::inproc>(2, play);
  ranks::run<ranks::shm>(2, play);
}

// Thread A waits for the answer to its flush; what B has put meanwhile that answer does not tell
// of.
TEST_CASE("windows: a thread's flush is over when its own puts are there") {
  ranks::run<ranks::multiple>(2, [](auto world) {
    static std::atomic<int> stage;
    static std::atomic<bool> second_over;
    const auto wait_for = [](int n) {
      while (stage.load() < n) std::this_thread::yield();
    };
    for (const protocol by : {protocol::buffered, protocol::send_recv, protocol::portals}) {
      auto w = mpx::allocate_window<word>(world, 128, by);
      if (world.rank() == 0) {
        stage = 0;
        second_over = false;
      }
      world.barrier();
      auto e = w.lock_all(assertion::no_check);
      if (world.rank() == 0) {
        std::thread first([&] {
          w.put(word{1}, 1, 0);
          stage = 1;
          w.flush(1);
          stage = 3;
        });
        wait_for(1);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // It is in its flush.
        w.put(word{2}, 1, 64);
        stage = 2;
        wait_for(3);
        w.flush(1);
        const word there = std::atomic_ref<word>(w.part(1)[64]).load();
        second_over = true;
        CHECK(there == 2);
        first.join();
      } else {
        wait_for(2);  // Without a call of mpx's.
        while (stage.load() < 3) w.sync();
        for (int i = 0; i < 20 && !second_over; ++i)
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
        while (!second_over) w.sync();
      }
      e.unlock();
      world.barrier();
      w.free();
    }
  });
}

TEST_CASE("windows: epochs of different kinds in sequence, of a rank with threads") {
  ranks::run<ranks::multiple>(2, [](auto world) {
    for (const protocol by : {protocol::buffered, protocol::send_recv, protocol::portals}) {
      auto w = mpx::allocate_window<word>(world, 4, by);
      const auto all = world.group();
      for (word round = 1; round < 4; ++round) {
        w.post(all);
        w.start(all);
        w.put(round, 1 - world.rank(), 0);
        w.complete();
        w.wait();
        w.fence();
        w.put(round, 1 - world.rank(), 1);
        w.fence(assertion::no_succeed);
        CHECK(w.local()[0] == round);
        CHECK(w.local()[1] == round);
        world.barrier();
        auto e = w.lock_all();
        w.put(round, 1 - world.rank(), 2);
      }
      world.barrier();
      w.free();
    }
  });
}

TEST_CASE("windows: threads of a rank put, get and flush packets at once") {
  ranks::run<ranks::multiple>(2, [](auto world) {
    for (const protocol by : {protocol::buffered, protocol::send_recv, protocol::portals}) {
      auto w = mpx::allocate_window<word>(world, 8, by);
      const mpx::rank_t other = 1 - world.rank();
      {
        auto e = w.lock_all();
        const auto [here, there] =
            programs::threads_get_what_they_put(w, other, [&] { w.flush_local(other); });
        CHECK(here);
        CHECK(there);
      }
      world.barrier();
      w.free();
    }
  });
}

// A rank that holds a lock passes waiting writers: all locks are free at the end.
TEST_CASE("windows: threads of a rank lock several targets at once") {
  ranks::run<ranks::multiple>(4, [](auto world) {
    auto w = mpx::allocate_window<word>(world, 4);
    world.barrier();
    const auto lock = [&](mpx::rank_t target) {
      for (int i = 0; i < 200; ++i) {
        auto e = w.lock_shared(target);
        w.put(word{1}, target, static_cast<word>(world.rank()));
      }
    };
    std::thread second([&] { lock((world.rank() + 1) % 4); });
    lock((world.rank() + 2) % 4);
    second.join();
    world.barrier();
    w.free();
  });
}

TEST_CASE("windows: threads of a rank that wait for one lock have it once") {
  ranks::run<ranks::multiple>(2, [](auto world) {
    auto w = mpx::allocate_window<word>(world, 4);
    for (int round = 0; round < 10; ++round) {
      {
        auto e = world.rank() == 1 ? w.lock(1) : w.lock_all();
        if (world.rank() == 1) w.flush(1);
        world.barrier();
        if (world.rank() == 1) {
          std::this_thread::sleep_for(std::chrono::milliseconds(5));  // They wait for it.
        } else {
          std::thread second([&] { w.put(word{1}, 1, 0); });
          if (round % 2 == 1)  // Only the other one waited.
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
          w.put(word{2}, 1, 1);
          second.join();
        }
      }
      world.barrier();
      {
        auto e = w.lock(1);  // Free again.
        w.put(word{3}, 1, 2);
      }
      world.barrier();
    }
    w.free();
  });
}

}  // namespace
