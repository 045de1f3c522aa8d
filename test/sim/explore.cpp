// SPDX-License-Identifier: BSL-1.0
// sanitizers: none
// release: all
// The explorer of messages and collectives: see explorer.hpp.

#include "sim/explorer.hpp"
#include "sim/explorer_stacks.hpp"

int main(int argc, char** argv) {
  using namespace explorer;
  static constexpr contestant stacks[] = {
      over<by_get, {.gathers = true}>("by_get"),
      over<by_put>("by_put"),
      over<by_packets>("by_packets"),
      over<by_copy>("by_copy"),
      over<tiny>("tiny"),
      over<oversubscribed, {.crosses = true}>("oversubscribed"),
      over<late_get>("late_get"),
      over<late_narrow, {.gathers = true}>("late_narrow"),
      over<pushes>("pushes"),
      over<late_pushes>("late_pushes"),
  };
  return exploration(stacks, false).main(argc, argv);
}
