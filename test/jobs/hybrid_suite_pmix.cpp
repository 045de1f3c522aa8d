// SPDX-License-Identifier: BSL-1.0
// libraries: mpx::pmix
// sanitizers: none
// The point-to-point part of hybrid_suite.cpp, of a program that joins by PMIx, too.

#include <mpx/bootstrap/pmix.hpp>

#include <chrono>

#include "jobs/hybrid_suite.hpp"

int main() {
  using namespace std::chrono_literals;
  const harness::watchdog guard("hybrid_suite_pmix", 50s);
  hybrid_suite::environment env;
  hybrid_suite::check_hosts(env);
  hybrid_suite::point_to_point(env);
}
