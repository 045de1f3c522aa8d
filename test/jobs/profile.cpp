// SPDX-License-Identifier: BSL-1.0
// sanitizers: none
// A program whose last rank is late at each step; with an argument, over a stack without a profile.

#include <chrono>
#include <mpx/mpx.hpp>
#include <mpx/profile.hpp>
#include <mpx/rma.hpp>
#include <thread>
#include <vector>

namespace {

template <class Stack>
void steps() {
  using namespace std::chrono_literals;
  mpx::environment<Stack> env;
  auto world = env.world();
  const mpx::rank_t right = (world.rank() + 1) % world.size();
  const mpx::rank_t left = (world.rank() + world.size() - 1) % world.size();
  std::vector<double> in(100'000), out(100'000, 1.0);
  for (int i = 0; i < 5; ++i) {
    if (world.rank() == world.size() - 1) std::this_thread::sleep_for(20ms);
    auto receiving = world.irecv(in, left, 1);
    world.send(out, right, 1);
    receiving.wait();
    world.barrier();
  }
  auto window = mpx::allocate_window<double>(world, 1);
  window.fence();
  window.put(1.0, right, 0);
  window.fence();
  window.free();
}

}  // namespace

int main(int argc, char**) {
  if (argc > 1)
    steps<mpx::stack<>>();
  else
    steps<mpx::stack<mpx::trace::profile>>();
}
