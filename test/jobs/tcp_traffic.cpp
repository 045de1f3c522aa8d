// SPDX-License-Identifier: BSL-1.0
// Victim of tcp_kill9.test.py.

#include <mpx/transport/tcp.hpp>

#include "jobs/until_lost.hpp"

int main(int argc, char**) {
  return until_lost::main<mpx::stack<mpx::transport::tcp>>("tcp_traffic", argc);
}
