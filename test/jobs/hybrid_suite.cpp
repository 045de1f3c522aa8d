// SPDX-License-Identifier: BSL-1.0
// sanitizers: none
// Point-to-point communication, or collectives, of ranks on several hosts.
//   hybrid_suite points | collectives

#include <chrono>
#include <string_view>

#include "jobs/hybrid_suite.hpp"

#define CHECK_MESSAGE(holds, what) harness::check(holds, what)
#define CAPTURE(what) static_cast<void>(what)
#include "coll/suite.hpp"

namespace {

void collectives(hybrid_suite::environment& env) {
  const auto world = env.world();
  constexpr std::size_t some[] = {1, 700};
  suite::everything(world, suite::form::at_once, some);
  suite::everything(world, suite::form::started, {some, 1});
  const auto chosen = world.with(mpx::coll::algorithm::automatic);
  suite::blocks(chosen, suite::form::at_once, 20'000);
  suite::reductions(chosen, suite::form::started, 20'000);
  std::printf("rank %d of %d passed\n", env.rank(), env.size());
}

}  // namespace

int main(int argc, char** argv) {
  using namespace std::chrono_literals;
  const harness::watchdog guard("hybrid_suite", 50s);
  hybrid_suite::environment env;
  hybrid_suite::check_hosts(env);
  if (argc > 1 && std::string_view(argv[1]) == "collectives") {
    collectives(env);
  } else {
    hybrid_suite::point_to_point(env);
  }
}
