// SPDX-License-Identifier: BSL-1.0
// sanitizers: none
// For mismatch.test.py: the default stack, with counters.

#include "jobs/said.hpp"

int main() { return said::main<mpx::stack<mpx::trace::counters>>(); }
