// SPDX-License-Identifier: BSL-1.0
// ranks: 3
// timeout: 100
// Passive targets over libfabric with the atomic accesses of its providers: `sockets` carries them
// out while the target computes, `tcp;ofi_rxm` when it polls.

#include <mpx/rdma.hpp>
#include <mpx/transport/rdma/libfabric.hpp>

#include <cstdio>
#include <cstdlib>

#include "mp/passive.hpp"

int main() {
  const harness::watchdog guard("libfabric_passive", std::chrono::seconds(90));
  ::setenv("MPX_FABRIC_ATOMICS", "cpu", 1);  // NOLINT(concurrency-mt-unsafe)
  for (const char* provider : {"sockets", "tcp;ofi_rxm"}) {
    ::setenv("MPX_FABRIC_PROVIDER", provider, 1);  // NOLINT(concurrency-mt-unsafe)
    try {
      passive::check<mpx::rdma_stack<mpx::nic::libfabric>>(20, provider[0] == 's');
    } catch (const mpx::error& e) {
      if (e.code() != mpx::errc::no_resources) throw;
      std::printf("[skip] %s\n", e.what());
    }
  }
}
