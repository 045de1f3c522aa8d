// SPDX-License-Identifier: BSL-1.0
// Every rank says hello.    mpxrun -n 4 hello

#include <cstdio>
#include <mpx/mpx.hpp>

int main() {
  mpx::environment<> env;
  auto world = env.world();
  std::printf("hello from rank %d of %d\n", world.rank(), world.size());
}
