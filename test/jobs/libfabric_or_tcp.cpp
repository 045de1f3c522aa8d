// SPDX-License-Identifier: BSL-1.0
// compilers: both
// libraries: mpx::libfabric mpx::tcp
// Program of libfabric_or_tcp.test.py: says over which stack it runs, and communicates.

#include <mpx/fabric_or_tcp.hpp>

#include <cstdio>
#include <exception>
#include <type_traits>

namespace {

template <class Stack>
int run(mpx::environment<Stack>& env) {
  auto world = env.world();
  const mpx::rank_t n = world.size();
  const mpx::rank_t mine = world.rank();
  mpx::rank_t got = -1;
  world.sendrecv(mine, (mine + 1) % n, 1, got, (mine + n - 1) % n, 1);
  const mpx::rank_t sum = world.allreduce(got, mpx::sum);
  if (mine == 0)
    std::printf("over %s\n", std::is_same_v<Stack, mpx::fabric_stack> ? "a fabric" : "TCP");
  return sum == n * (n - 1) / 2 ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return mpx::run_over_fabric_or_tcp([](auto& env) { return run(env); });
  } catch (const mpx::error& e) {
    std::fprintf(stderr, "refused: %s\n", e.what());
    return 3;
  }
}
