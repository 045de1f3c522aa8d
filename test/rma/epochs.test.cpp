// SPDX-License-Identifier: BSL-1.0
// What ends epochs, and windows within them: what is told of the accesses, and to which thread.
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

namespace {

using word = std::uint64_t;
using mpx::rma::assertion;
using mpx::rma::protocol;

TEST_CASE("windows: one that is freed within an epoch of locks is gone, and its lock with it") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    for (const bool all : {false, true}) {
      auto w = mpx::allocate_window<int>(world, 4);
      world.barrier();
      const std::string said = ranks::text_of([&] {
        auto e = all ? w.lock_all() : w.lock_shared(0);
        w.put(world.rank(), 0, static_cast<word>(world.rank()));
        w.free();
      });
      CHECK(ranks::contains(said, "free on rank"));
      CHECK(!w);
      world.barrier();
    }
  });
}

TEST_CASE("windows: what one that is assigned to was before is let go at once") {
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

}  // namespace
