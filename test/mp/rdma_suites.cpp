// SPDX-License-Identifier: BSL-1.0
// release: all
// ranks: 2 7
// timeout: 120
// sanitizers: none
// The suites of processes over shared memory, over registered memory in software: collectives by
// every algorithm, groups, partitioned messages of several threads, and a flood.

#include <mpx/rdma.hpp>
#include <mpx/transport/rdma/via.hpp>

#include <chrono>

#include "mp/collectives.hpp"
#include "mp/flood.hpp"
#include "mp/groups.hpp"
#include "mp/partitioned.hpp"

int main() {
  using via = mpx::nic::via;
  using stack =
      mpx::stack<mpx::transport::rdma<via>, mpx::rdma_protocol<via>, mpx::threading::multiple>;
  const harness::watchdog guard("rdma suites", std::chrono::seconds(100));
  mpx::environment<stack> env;
  auto world = env.world();
  // A ring and the copy of the peer's, at each end, and tables.
  if (world.size() == 2)
    flooding::run(env, 100'000, std::chrono::milliseconds(500), std::uint64_t{1} << 20);
  constexpr std::size_t some[] = {700};
  collectives::run(world, some, 100);
  partitioned::run(world);
  groups::run(world, 20);
}
