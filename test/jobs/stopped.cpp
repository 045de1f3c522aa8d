// SPDX-License-Identifier: BSL-1.0
// sanitizers: none
// Rank 1 is stopped by a signal while rank 0 drops requests that the two have under way: dropping
// waits for no rank, and when rank 1 continues, all sent messages arrive.

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <mpx/mpx.hpp>
#include <optional>

#include "instances/job.hpp"
#include "mp/harness.hpp"

namespace {

using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t bytes = 3'000'000;

template <mpx::long_path By>
using by = mpx::stack<mpx::protocol::tiny_short_long<40, 4096, By, 8192>>;

char state_of(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(stat, line);
  const auto at = line.rfind(')');
  return at == std::string::npos ? '?' : line[at + 2];
}

template <class Stack>
void run(const std::string& name) {
  mpx::environment<Stack> env;
  auto world = env.world();
  std::vector<std::byte> out(bytes), in(bytes), other(bytes);
  harness::fill(out, 1);
  const auto look = [&] {
    for (int i = 0; i < 100; ++i) world.iprobe(1 - world.rank(), 99);
  };
  for (const bool posted : {false, true}) {
    world.barrier();
    if (world.rank() == 1) {
      std::optional<mpx::request<Stack>> receive;
      if (posted) receive = world.irecv(in, 0, 1);
      auto send = world.isend(out, 0, 2);
      world.send(::getpid(), 0, 3);
      ::raise(SIGSTOP);
      if (!posted) receive = world.irecv(in, 0, 1);
      receive->wait();
      harness::check(harness::holds(in, 1), name + ": a dropped send arrives damaged");
      world.send(0, 0, 4);
      send.wait();
      continue;
    }
    const pid_t peer = world.template recv<int>(1, 3);
    while (state_of(peer) != 'T') std::this_thread::sleep_for(1ms);
    auto send = world.isend(out, 1, 1);
    auto receive = world.irecv(other, 1, 2);
    look();
    const auto begin = clock::now();
    {
      auto dropped = std::move(send);
      auto gone = std::move(receive);
    }
    harness::check(clock::now() - begin < 1s, name + ": dropping waits for a stopped rank");
    std::fill(out.begin(), out.end(), std::byte{0x5a});
    std::fill(other.begin(), other.end(), std::byte{0x5a});
    ::kill(peer, SIGCONT);
    (void)world.template recv<int>(1, 4);
    const bool kept =
        other[0] == std::byte{0x5a} && std::memcmp(other.data(), other.data() + 1, bytes - 1) == 0;
    harness::check(kept, name + ": a dropped receive is written to");
    while (world.iprobe(1, 2)) world.recv(other, 1, 2);
    harness::fill(out, 1);
  }
}

}  // namespace

int main() {
  const harness::watchdog guard("dropping", 40s);
  run<mpx::stack<>>("default");
  run<by<mpx::long_path::get>>("get");
  run<by<mpx::long_path::put>>("put");
  run<by<mpx::long_path::packets>>("packets");
  std::puts("dropped");
}
