// SPDX-License-Identifier: BSL-1.0
// sanitizers: none
// For mismatch.test.py: a stack that cannot talk to the default one.

#include "jobs/said.hpp"

int main() {
  return said::main<mpx::stack<mpx::trace::counters, mpx::flow::unlimited,
                               mpx::protocol::tiny_short_long<40, 4096>>>();
}
