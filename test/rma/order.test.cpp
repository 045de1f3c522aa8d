// SPDX-License-Identifier: BSL-1.0
// Order in which other ranks see puts before and after a flush, on this processor: words that it
// reorders lie close together.
// optimise: yes
// sanitizers: none

#include <doctest/doctest.h>

#include <atomic>
#include <mpx/rma.hpp>
#include <thread>

#include "comm/ranks.hpp"

namespace {

using word = std::uint64_t;

/// Two ranks put, flush and get what the other has put, at the same time: one of them sees it.
/// The targets of puts and gets change from round to round, so that a target has one, both, or
/// none, and there may be a get before the flush.
template <class Comm>
void put_and_look(const Comm& world, mpx::rank_t at_once) {
  static std::atomic<word> met;
  static std::atomic<word> misses;
  constexpr word rounds = 20'000;
  const mpx::rank_t me = world.rank();
  if (me == 0) met = misses = 0;
  auto w = mpx::allocate_window<word>(world, 64);
  word meetings = 0;
  word neither = 0;
  const auto meet = [&] {
    met.fetch_add(1);
    for (unsigned looks = 1; met.load() < 2 * (meetings + 1); ++looks)
      if (looks % 1000 == 0) std::this_thread::yield();
    ++meetings;
  };
  const auto place_of = [](mpx::rank_t r) { return static_cast<word>(r) * 32; };
  {
    auto e = w.lock_all();
    for (word i = 1; i <= rounds; ++i) {
      const auto target_of = [&](mpx::rank_t r) {
        return i / 64 % 2 == 0 ? at_once : (r + at_once) % 2;
      };
      const mpx::rank_t other = 1 - me;
      word seen = 0;
      meet();
      w.put(i, target_of(me), place_of(me));
      if (i / 128 % 2 == 0) w.get(seen, target_of(me), place_of(me) + 8);
      w.flush(target_of(me));
      w.get(seen, target_of(other), place_of(other));
      w.flush(target_of(other));
      if (seen != i) misses.fetch_add(1);
      meet();
      neither += misses.exchange(0) == 2 ? 1 : 0;
    }
  }
  CHECK_MESSAGE(neither == 0, "rounds in which neither has seen the other's put");
  w.free();
}

}  // namespace

TEST_CASE("windows: if two ranks put, flush and get, at least one sees the other's put") {
  for (const mpx::rank_t target : {0, 1})
    ranks::run<ranks::shm>(2, [target](auto world) { put_and_look(world, target); });
}
