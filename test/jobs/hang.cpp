// SPDX-License-Identifier: BSL-1.0
// For hang_report.test.py: programs that hang, each in its own way.
//   hang WHAT

#include <signal.h>

#include <functional>
#include <mpx/mpx.hpp>
#include <string>
#include <thread>
#include <vector>

#include "mp/harness.hpp"

namespace {

using namespace std::chrono_literals;
using world_type = mpx::communicator<mpx::stack<>>;

constexpr std::size_t long_bytes = 1 << 20;

/// Both want a message before they send one.
void receive_first(world_type& world) {
  const mpx::rank_t other = 1 - world.rank();
  double x = 0;
  world.recv(x, other, 7);  // line: receive_first
  world.send(x, other, 7);
}

/// What is sent with one tag is received with another.
void wrong_tag(world_type& world) {
  double x = 0;
  if (world.rank() == 0) {
    world.recv(x, 1, 7);  // line: wrong_tag
  } else {
    world.send(x, 0, 8);
  }
}

/// Rank 1 forgets the second barrier.
void skipped(world_type& world) {
  world.barrier();
  if (world.rank() != 1) world.barrier();  // line: skipped
}

/// Not the same collective on all ranks.
void mixed_up(world_type& world) {
  double x = world.rank();
  if (world.rank() == 0) x = world.reduce(x, std::plus<>{}, 0);  // line: mixed_up_reduce
  if (world.rank() == 1) world.bcast(x, 0);                      // line: mixed_up_bcast
}

/// The last rank computes for a while; the others wait for it.
void computes(world_type& world) {
  world.barrier();
  if (world.rank() == world.size() - 1) std::this_thread::sleep_for(30s);
  world.barrier();  // line: computes
}

/// Long sends return when they have been received: both send first.
void long_sends(world_type& world) {
  const mpx::rank_t other = 1 - world.rank();
  std::vector<std::byte> out(long_bytes), in(long_bytes);
  world.send(out, other, 3);  // line: long_sends
  world.recv(in, other, 3);
}

/// One rank leaves, the other waits for a message from it.
void leaves(world_type& world) {
  if (world.rank() == 0) world.recv<int>(1, 4);  // line: leaves
}

/// One of several receives, from anybody, and nobody sends.
void any_of(world_type& world) {
  int x = 0, y = 0;
  mpx::request<mpx::stack<>> all[2] = {world.irecv(x, mpx::any_source, 5),
                                       world.irecv(y, 0, mpx::any_tag)};
  mpx::wait_any(all);  // line: any_of
}

/// Nobody blocks, and nothing comes.
void tests(world_type& world) {
  int x = 0;
  auto r = world.irecv(x, (world.rank() + 1) % world.size(), 6);
  while (!r.test()) std::this_thread::yield();
}

/// Three ranks in a circle, by three calls.
void circle(world_type& world) {
  const mpx::rank_t next = (world.rank() + 1) % 3;
  int x = 0;
  if (world.rank() == 0) world.probe(next, 1);            // line: circle_probe
  if (world.rank() == 1) world.ssend(x, next, 2);         // line: circle_ssend
  if (world.rank() == 2) world.irecv(x, next, 3).wait();  // line: circle_wait
}

/// Two hangs after one another: the first ends when rank 0 comes back.
void twice(world_type& world) {
  for (int turn = 0; turn < 2; ++turn) {
    if (world.rank() == 0) std::this_thread::sleep_for(2s);
    world.barrier();  // line: twice
  }
  std::puts("done");
}

/// A world of one that waits for itself.
void alone(world_type& world) {
  auto m = world.mprobe(0, 1);  // line: alone
}

/// Everybody talks to everybody; nothing hangs.
void works(world_type& world) {
  for (int i = 0; i < 1000; ++i) world.allreduce(i, std::plus<>{});
}

/// Rank 0 dies while the others wait for it.
void dies(world_type& world) {
  if (world.rank() == 0) {
    std::this_thread::sleep_for(1s);
    ::raise(SIGKILL);
  }
  world.recv<int>(0, 1);
}

/// Never joins; the others wait for it.
void stays_out() { std::this_thread::sleep_for(30s); }

}  // namespace

int main(int, char** argv) try {
  const harness::watchdog guard("hang", 120s);
  const std::string what = argv[1];
  const char* rank = std::getenv("MPX_RANK");
  if (what == "stays_out" && rank != nullptr && *rank == '1') stays_out();
  mpx::environment<> env;  // line: joins
  auto world = env.world();
  if (what == "receive_first") receive_first(world);
  if (what == "wrong_tag") wrong_tag(world);
  if (what == "skipped") skipped(world);
  if (what == "mixed_up") mixed_up(world);
  if (what == "computes") computes(world);
  if (what == "long_sends") long_sends(world);
  if (what == "leaves") leaves(world);
  if (what == "any_of") any_of(world);
  if (what == "tests") tests(world);
  if (what == "circle") circle(world);
  if (what == "twice") twice(world);
  if (what == "alone") alone(world);
  if (what == "works") works(world);
  if (what == "dies") dies(world);
  return 0;
} catch (const mpx::error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 3;
}
