// SPDX-License-Identifier: BSL-1.0
// ranks: 2 3
// sanitizers: none
// timeout: 60
// checks::collectives between processes: calls that do not go together are errors at every rank.

#include <chrono>

#include "mp/harness.hpp"

#define CHECK_MESSAGE(holds, what) harness::check(holds, what)
#define CAPTURE(what) static_cast<void>(what)
#include "coll/mismatches.hpp"

int main() {
  using namespace std::chrono_literals;
  const harness::watchdog guard("mismatches", 50s);
  mpx::environment<mpx::stack<mpx::checks::all>> env;
  const auto world = env.world();
  mismatches::findings found;
  mismatches::everything(found, world, [] {});
  mismatches::nothing(found, world);
  harness::check(found.first().empty(), found.first());
}
