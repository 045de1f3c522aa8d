// SPDX-License-Identifier: BSL-1.0
#pragma once
// Ranks of a cluster stack, two on each host: ranks 0 and 1 on the first one, and so on.

#include <mpx/cluster.hpp>

#include "instances/job_cluster.hpp"
#include "mp/over_sockets.hpp"

namespace hybrid_suite {

using environment = mpx::environment<mpx::cluster_stack>;

/// Ranks share memory exactly if they share a host.
inline void check_hosts(environment& env) {
  for (mpx::rank_t r = 0; r < env.size(); ++r)
    harness::check(env.transport().is_near(mpx::world_peer(r)) == (r / 2 == env.rank() / 2),
                   [&] { return "rank " + std::to_string(r) + " is on a wrong host"; });
}

/// Runs over_sockets::run without the parts that take long and do not depend on the network.
inline void point_to_point(environment& env) {
  const auto world = env.world();
  over_sockets::exchange(world);
  over_sockets::drop(world);
  const auto pair = world.split(world.rank() % 2 == 0 ? 0 : 1);  // One of each host.
  over_sockets::flood(pair);
  over_sockets::exchange(pair);
  world.barrier();
  std::printf("rank %d of %d passed\n", env.rank(), env.size());
}

}  // namespace hybrid_suite
