// SPDX-License-Identifier: BSL-1.0
// release: all
// ranks: 2 3 7
// timeout: 160
// sanitizers: none
// Ranks that are processes, on two pretended hosts: shared memory within each, registered memory of
// a software card between them. Collectives by every algorithm, groups, partitioned messages of
// several threads, long messages of all kinds, and memory of the environment's allocator.

#include <mpx/mpx.hpp>
#include <mpx/protocol/near_far.hpp>
#include <mpx/rdma.hpp>
#include <mpx/transport/hybrid.hpp>
#include <mpx/transport/rdma/via.hpp>

#include <chrono>
#include <cstdlib>

#include "mp/collectives.hpp"
#include "mp/groups.hpp"
#include "mp/over_fabric.hpp"
#include "mp/partitioned.hpp"

int main() {
  using protocol = mpx::protocol::near_far<mpx::protocol::tiny_short_long<>,
                                           mpx::protocol::tiny_short_long<40, 16 * 1024>>;
  using stack =
      mpx::stack<mpx::transport::hybrid<mpx::transport::shm, mpx::transport::rdma<mpx::nic::via>>,
                 protocol, mpx::threading::multiple>;
  const harness::watchdog guard("hybrid_rdma", std::chrono::seconds(140));
  ::setenv("MPX_PRETEND_HOSTS", "0,1,1", 1);  // NOLINT(concurrency-mt-unsafe)
  mpx::environment<stack> env;
  auto world = env.world();
  over_fabric::run(env);
  constexpr std::size_t some[] = {700};
  collectives::run(world, some, 100);
  partitioned::run(world);
  groups::run(world, 20);
}
