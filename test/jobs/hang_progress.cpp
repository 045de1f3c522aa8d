// SPDX-License-Identifier: BSL-1.0
// Program of hang_progress.test.py: rank 1 has posted a receive and computes, with a progress
// thread, while rank 0 waits for it.

#include <mpx/mpx.hpp>

#include <chrono>
#include <thread>

int main() {
  mpx::environment<mpx::stack<mpx::progress::thread>> env;
  auto world = env.world();
  int got = 0;
  if (world.rank() == 1) {
    auto r = world.irecv(got, 0, 9);
    std::this_thread::sleep_for(std::chrono::seconds(4));
    world.send(7, 0, 1);
    r.wait();
  } else {
    world.recv(got, 1, 1);
    world.send(8, 1, 9);
  }
}
