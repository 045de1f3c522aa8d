// SPDX-License-Identifier: BSL-1.0
// sanitizers: none
// Rank 1 has talked to all, and leaves by an exception that main catches. The others then depend on
// it in one way: ARGUMENT.

#include <cstdio>
#include <functional>
#include <mpx/cluster.hpp>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <vector>

#include "instances/job_cluster.hpp"

namespace {

void depend(mpx::communicator<mpx::cluster_stack>& world, std::string_view how) {
  std::error_code ec;
  int x = 0;
  std::vector<long> many(200'000);
  if (how == "recv") world.recv(x, 1, 3, ec);
  if (how == "any") world.recv(x, mpx::any_source, 3, ec);
  if (how == "ssend") world.ssend(x, 1, 3, ec);
  if (how == "long") world.send(many, 1, 3, ec);
  if (how == "allreduce") world.allreduce(many, std::plus<>{}, ec);
  if (how == "shrink") {
    static_cast<void>(world.agree(1));
    x = world.shrink().allreduce(1, std::plus<>{});
  }
  if (how ==
      "through") {  // Each leaves as soon as it is, while others may still be in the last call.
    auto rest = world.shrink();
    rest.barrier();
    rest.barrier(ec);
    x = rest.size();
  }
  std::printf("rank %d: %s %d\n", world.rank(), ec == mpx::errc::peer_lost ? "lost" : "none", x);
}

}  // namespace

int main(int, char** arguments) try {
  mpx::environment<mpx::cluster_stack> env;
  auto world = env.world();
  const int n = world.size();
  for (int i = 0; i < n; ++i) {
    int out = world.rank();
    int in = 0;
    world.sendrecv(out, (world.rank() + i) % n, 1, in, (world.rank() + n - i) % n, 1);
  }
  if (world.rank() == 1) throw std::runtime_error("rank 1 has had enough");
  depend(world, arguments[1]);
} catch (const std::exception&) {
  return 3;
}
