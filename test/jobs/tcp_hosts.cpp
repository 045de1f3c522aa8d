// SPDX-License-Identifier: BSL-1.0
// compilers: both
// Ranks 0 and n/2, on two hosts, whose network is being disturbed meanwhile.
//   tcp_hosts talk SECONDS   numbered messages both ways, short and long; says how many
//   tcp_hosts wait           each sleeps in a receive from the other, until that is lost
//   tcp_hosts send           one sends all it can, the other computes and then waits, until lost

#include <chrono>
#include <mpx/cluster.hpp>
#include <string_view>
#include <thread>
#include <vector>

#include "instances/job_tcp.hpp"
#include "mp/harness.hpp"

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;
using communicator = mpx::communicator<mpx::tcp_stack>;

void say(const communicator& world, const std::string& what) {
  std::printf("rank %d: %s\n", world.rank(), what.c_str());
  std::fflush(stdout);
}

void talk(communicator& world, mpx::rank_t other, std::chrono::duration<double> time) {
  const auto end = clock::now() + time;
  int last = 0;
  for (int i = 1; last == 0; ++i) {
    const int mine = world.rank() < other && clock::now() > end ? -i : i;
    const std::vector<int> out(i % 16 == 0 ? 150'000 : 2, mine);
    std::vector<int> in(out.size());
    auto received = world.irecv(in, other, 1);
    auto sent = world.isend(out, other, 1);
    received.wait();
    sent.wait();
    harness::check(std::abs(in.front()) == i && in.back() == in.front(),
                   [&] { return "message " + std::to_string(i) + " is " + std::to_string(in[0]); });
    if (mine < 0 || in.front() < 0) last = i;
    if (i == 1) say(world, "talking");
  }
  say(world, "all of " + std::string(last > 20 ? "many" : "few"));
}

[[noreturn]] void until_lost(communicator& world, mpx::rank_t other, bool sends) {
  std::error_code ec;
  int word = 1;
  world.sendrecv(word, other, 1, word, other, 1);
  say(world, "talking");
  std::vector<std::byte> bytes(1'000'000);
  if (sends && world.rank() < other) {
    while (!ec) world.send(bytes, other, 2, ec);
  } else {
    world.recv(bytes, other, sends ? 3 : 4, ec);
  }
  say(world, ec == mpx::errc::peer_lost ? "lost" : ec.message());
  std::_Exit(0);  // The other ranks are gone.
}

}  // namespace

int main(int argc, char** argv) {
  const harness::watchdog guard("tcp_hosts", 50s);
  const std::string_view mode = argc > 1 ? argv[1] : "";
  mpx::environment<mpx::tcp_stack> env;
  auto world = env.world();
  const mpx::rank_t half = world.size() / 2;
  if (world.rank() % half != 0) {
    if (mode != "talk") std::this_thread::sleep_for(30s);
  } else {
    const mpx::rank_t other = half - world.rank();
    if (mode == "talk") {
      talk(world, other, std::chrono::duration<double>(std::atof(argv[2])));
    } else {
      until_lost(world, other, mode == "send");
    }
  }
  return 0;
}
