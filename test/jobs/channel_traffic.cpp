// SPDX-License-Identifier: BSL-1.0
// sanitizers: none
// Victim of channel_kill9.test.py.

#include <mpx/mpx.hpp>
#include <mpx/transport/channel/pipes.hpp>

#include "jobs/until_lost.hpp"

int main(int argc, char**) {
  return until_lost::main<mpx::stack<mpx::transport::channel<mpx::device::pipes>>>(
      "channel_traffic", argc);
}
