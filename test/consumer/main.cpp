// SPDX-License-Identifier: BSL-1.0
// The program of a user of mpx: a job of one rank that sends to itself.
#include <cstdio>
#include <mpx/mpx.hpp>

int main() {
  mpx::environment<> env;
  auto world = env.world();
  int sent = 42;
  auto request = world.isend(sent, world.rank(), 7);
  const int received = world.recv<int>(world.rank(), 7);
  request.wait();
  std::printf("mpx %s: %d of %d got %d\n", MPX_VERSION_STRING, world.rank(), world.size(),
              received);
  return received == sent ? 0 : 1;
}
