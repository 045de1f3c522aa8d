// SPDX-License-Identifier: BSL-1.0
#pragma once
// Windows of several processes, over any stack. Without an argument: accesses, directly and by
// packets, under locks of all kinds, until one rank is lost. `random SEED`: random programs.
// `role RANK`: what the others make of the death of the rank that owns a lock's memory, holds the
// lock, or waits for it.

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>
#include <string>
#include <vector>

#include "mp/harness.hpp"
#include "rma/programs.hpp"

namespace windows {

using namespace std::chrono_literals;
using mpx::rma::protocol;
using programs::word;

template <class Comm>
void say_pid(const Comm& world) {
  std::printf("rank %d pid %d\n", world.rank(), static_cast<int>(::getpid()));
  std::fflush(stdout);
}

template <class Comm>
void until_lost(const Comm& world) {
  auto direct = mpx::allocate_window<word>(world, 10'000);
  auto packets = mpx::allocate_window<word>(world, 10'000, protocol::buffered);
  const std::vector<word> data(5000, 7);
  std::vector<word> back(3000);
  const auto turn = [&](auto& w, word round) {
    const auto target = static_cast<mpx::rank_t>((round + static_cast<word>(world.rank())) %
                                                 static_cast<word>(world.size()));
    {
      auto e = w.lock(target);
      w.put(data, target, round % 5000);
      w.get(back, target, 0);
      e.unlock();
    }
    auto all = w.lock_all();
    word was = 0;
    for (mpx::rank_t r = 0; r < world.size(); ++r) w.fetch_and_op(1, was, r, 9999, mpx::sum);
    w.flush_all();
    all.unlock();
  };
  for (word round = 0;; ++round) {
    turn(direct, round);
    turn(packets, round);
    if (round % 50 == 49) direct.fence();
    if (round == 20) say_pid(world);
  }
}

template <class Comm>
void play(const Comm& world, word seed) {
  for (const protocol by : programs::all_protocols)
    for (const bool over : {false, true})
      harness::check(programs::play(world, seed * 100 + static_cast<word>(by) * 10 + (over ? 1 : 0),
                                    by, over, 6),
                     [&] { return "wrong, protocol " + std::to_string(static_cast<int>(by)); });
}

/// The lock of rank 0's memory: rank 1 holds it, rank 2 waits for it, and rank 3 comes once
/// `victim` is dead. The survivors continue with a new window.
template <class Comm>
void role(const Comm& world, mpx::rank_t victim) {
  auto w = mpx::allocate_window<word>(world, 100);
  const mpx::rank_t me = world.rank();
  std::error_code ec;
  const auto victim_dies = [&] {
    if (me == victim)
      for (;;) ::pause();
    int never = 0;
    world.recv(never, victim, 99, ec);
    harness::check(ec == mpx::errc::peer_lost, "no death");
    ec.clear();
  };
  /// Result of a write under the lock.
  const auto tries = [&] {
    try {
      auto e = w.lock(0);
      w.put(word{2}, 0, static_cast<word>(me));
      e.unlock();
      std::printf("rank %d: had the lock\n", me);
    } catch (const mpx::error& e) {
      const std::string said = e.what();
      harness::check(e.code() == mpx::errc::peer_lost, said);
      const bool names = said.find("rank " + std::to_string(victim) + " is lost") != said.npos;
      const bool held = said.find("which held the lock") != said.npos;
      std::printf("rank %d: %s %s\n", me, names ? "the victim was lost" : said.c_str(),
                  held ? "with the lock" : "");
    }
  };
  if (me == 1) {
    auto e = w.lock(0);
    w.put(word{1}, 0, 1);
    w.flush(0);
    world.barrier();
    say_pid(world);
    victim_dies();
    e.unlock(ec);
    harness::check((ec == mpx::errc::peer_lost) == (victim == 0), "unlock: " + ec.message());
  } else {
    world.barrier();
    say_pid(world);
    if (me == 2) {
      tries();  // Or dies there.
    } else {
      victim_dies();
      if (me == 3) tries();
    }
  }
  // Ranks that need the owner's help have had it before the window is freed.
  if (victim != 0 && me >= 2) world.send(1, 0);
  for (mpx::rank_t r = 2; me == 0 && r < 4; ++r)
    if (r != victim) world.template recv<int>(r);
  std::error_code freed;
  w.free(freed);  // Waits for no dead rank.
  harness::check(freed == mpx::errc::peer_lost, "free: " + freed.message());
  auto rest = world.shrink();
  auto again = mpx::allocate_window<word>(rest, 10);
  again.fence();
  again.put(static_cast<word>(rest.rank()), (rest.rank() + 1) % rest.size(), 0);
  again.fence(mpx::rma::assertion::no_succeed);
  for (mpx::rank_t r = 0; r < rest.size(); ++r) {
    auto e = again.lock(r);
    again.accumulate(word{1}, r, 1, mpx::sum);
  }
  rest.barrier();
  harness::check(
      again.local()[1] == 3 && again.local()[0] == static_cast<word>((rest.rank() + 2) % 3),
      "the new window is wrong");
  again.free();
  std::printf("rank %d: again\n", me);
}

template <class Stack>
int main(const char* name, int argc, char** argv) {
  const harness::watchdog guard(name, 60s);
  const std::string what = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? std::atoi(argv[2]) : 0;
  mpx::environment<Stack> env;
  if (what == "random") {
    play(env.world(), static_cast<word>(number));
  } else if (what == "role") {
    role(env.world(), number);
  } else {
    try {
      until_lost(env.world());
    } catch (const mpx::error& e) {
      // A rank that has learned of it before may have freed its window.
      harness::check(e.code() == mpx::errc::peer_lost || e.code() == mpx::errc::window, e.what());
      std::printf("rank %d: a peer was lost\n", env.world().rank());
    }
  }
  return 0;
}

}  // namespace windows
