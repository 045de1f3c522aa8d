// SPDX-License-Identifier: BSL-1.0
// own_headers: yes
// sanitizers: none
// release: all
// The explorer of windows, beside messages and, over one of the stacks, collectives.

#include "sim/scarcity.hpp"

#include "sim/explorer.hpp"
#include "sim/rdma_stacks.hpp"

int main(int argc, char** argv) {
  using namespace explorer;
  constexpr parts windows{.exposes = true};
  static constexpr contestant stacks[] = {
      over<by_get, {.gathers = true, .exposes = true}, scarcity>("by_get"),
#ifndef MPX_TEST_FEW_STACKS
      over<by_packets, windows, scarcity>("by_packets"),
      over<by_copy, windows, scarcity>("by_copy"),
      over<tiny, windows, scarcity>("tiny"),
#endif
      over<oversubscribed, windows, scarcity>("oversubscribed"),
      over<late_get, windows, scarcity>("late_get"),
#ifndef MPX_TEST_FEW_STACKS
      over<late_narrow, windows, scarcity>("late_narrow"),
#endif
      over<rich, windows, scarcity>("rdma_rich"),
      over<poor, windows, scarcity>("rdma_poor"),
      over<hosts, windows, scarcity>("hosts"),
#ifndef MPX_TEST_FEW_STACKS
      over<unordered, windows, scarcity>("rdma_unordered"),
#endif
  };
  return exploration(stacks, true).main(argc, argv);
}
