// SPDX-License-Identifier: BSL-1.0
#pragma once
// Programs of which rank 1 returns from main early, with code 7, whatever the others do then.

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <mpx/mpx.hpp>
#include <string>
#include <thread>
#include <vector>

#include "mp/harness.hpp"

namespace leaves {

using namespace std::chrono_literals;

constexpr std::size_t long_bytes = 4 << 20;

/// Time for which the ranks of legal programs keep the others waiting. Their test has a fraction of
/// that as its limit.
constexpr auto for_long = 2500ms;

/// The others wait for rank 1 for ever.
template <class World>
bool strands(World& world, const std::string& what) {
  const bool leaver = world.rank() == 1;
  if (what == "barrier") {
    if (!leaver) world.barrier();  // line: barrier
  } else if (what == "recv") {
    if (!leaver) world.template recv<int>(1, 4);
  } else if (what == "any_source") {  // Rank 0 would be content with any other, too.
    if (!leaver) world.template recv<int>(world.rank() == 0 ? mpx::any_source : 0, 4);
  } else if (what == "send") {
    const std::vector<char> data(long_bytes);
    if (!leaver) world.send(data, 1, 4);
  } else if (what == "send_dropped") {  // It has sent, and no rank receives that.
    const std::vector<char> data(long_bytes);
    if (leaver) static_cast<void>(world.isend(data, 0, 9));
    if (!leaver) world.template recv<int>(1, 4);
  } else {
    return false;
  }
  return true;
}

/// Of four ranks, the others need rank 1 no more, or what it has begun is enough, though that takes
/// a while. (Rank 3 mostly leaves at once.)
template <class World>
void goes_on(World& world, const std::string& what) {
  const mpx::rank_t me = world.rank();
  int x = 0;
  if (what == "elsewhere") {  // Rank 0 waits for rank 2, which computes.
    if (me == 2) std::this_thread::sleep_for(for_long);
    if (me == 2) world.send(x, 0, 4);
    if (me == 0) world.recv(x, 2, 4);
  } else if (what == "computes") {
    if (me == 1) std::this_thread::sleep_for(for_long);
    if (me == 1) world.send(x, 0, 4);
    if (me == 0) world.recv(x, 1, 4);
  } else if (what == "any_source") {
    if (me == 2) std::this_thread::sleep_for(for_long);
    if (me == 2) world.send(x, 0, 4);
    if (me == 0) world.recv(x, mpx::any_source, 4);
  } else if (what == "traffic") {
    const auto until = std::chrono::steady_clock::now() + for_long;
    bool more = true;
    while (me % 2 == 0 && more) {
      more = std::chrono::steady_clock::now() < until;
      if (me == 0) world.send(more, 2, 4);
      if (me == 2) world.recv(more, 0, 4);
    }
  } else if (what == "tests") {  // It stops.
    const auto until = std::chrono::steady_clock::now() + for_long;
    if (me == 0) {
      auto r = world.irecv(x, 1, 4);
      while (!r.test() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    }
  } else if (what == "dropped") {  // It is received late.
    std::vector<char> data(long_bytes);
    if (me == 1) static_cast<void>(world.isend(data, 0, 4));
    if (me == 0) {
      std::this_thread::sleep_for(for_long);
      world.recv(data, 1, 4);
    }
  } else if (what == "detached") {  // Rank 1 sends after rank 2's message, which is late.
    if (me == 2) std::this_thread::sleep_for(for_long);
    static mpx::rank_t given;  // Read after this function has returned.
    given = me;
    auto sum = world.reduce(given, std::plus<>{}, 3, mpx::start);
    me == 1 ? sum.detach() : static_cast<void>(sum.wait());
  } else if (what == "stopped") {  // Rank 0 waits, is stopped, and finds its message later.
    const int pid = ::getpid();
    if (me == 0) {
      world.send(pid, 1, 5);
      world.send(pid, 2, 5);
      world.recv(x, 1, 4);
    } else if (me != 3) {
      world.recv(x, 0, 5);
      std::this_thread::sleep_for(me == 1 ? 1s : 2s + for_long);
      ::kill(x, me == 1 ? SIGSTOP : SIGCONT);
      if (me == 1) world.send(pid, 0, 4);
    }
  } else {
    std::abort();
  }
}

template <class Stack>
int main(char** arguments) try {
  const harness::watchdog guard("leaves", 120s);
  const std::string how = arguments[0];
  mpx::environment<Stack> env;  // line: joins
  auto world = env.world();
  world.barrier();
  if (how == "goes_on") {
    goes_on(world, arguments[1]);
    return 0;
  }
  strands(world, arguments[1]);
  return world.rank() == 1 ? std::atoi(arguments[2]) : 0;
} catch (const mpx::error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 3;
}

}  // namespace leaves
