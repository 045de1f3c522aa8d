// SPDX-License-Identifier: BSL-1.0
// Every rank says hello. From the root of the tree, with or without CMake:
//
//   cmake --preset release && cmake --build --preset release --target hello mpxrun
//   build/release/bin/mpxrun -n 4 build/release/bin/hello
//
//   g++ -std=c++20 -O2 -Iinclude examples/hello.cpp -o hello -pthread
//   mpxrun -n 4 ./hello

#include <cstdio>
#include <mpx/mpx.hpp>

int main() {
  mpx::environment<> env;
  auto world = env.world();
  std::printf("hello from rank %d of %d\n", world.rank(), world.size());
}
