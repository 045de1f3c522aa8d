// SPDX-License-Identifier: BSL-1.0
// ranks: 3
// timeout: 60
// Passive targets over a software card, whose atomic accesses to its memory need no target.

#include "mp/passive.hpp"

#include <mpx/rdma.hpp>
#include <mpx/transport/rdma/via.hpp>

int main() {
  const harness::watchdog guard("passive", std::chrono::seconds(50));
  passive::check<mpx::rdma_stack<mpx::nic::via>>(1000, true);
}
