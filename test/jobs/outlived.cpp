// SPDX-License-Identifier: BSL-1.0
// The last rank kills itself; the others revoke, shrink, and continue without it.

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mpx/mpx.hpp>

#include "instances/job.hpp"

namespace {

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "FAILED: %s\n", what);
  std::_Exit(1);
}

template <class Call>
mpx::errc errc_of(Call call) {
  try {
    call();
  } catch (const mpx::error& e) {
    return static_cast<mpx::errc>(e.code().value());
  }
  return {};
}

}  // namespace

int main() {
  mpx::environment<> env;
  auto world = env.world();
  const mpx::rank_t n = world.size();
  world.barrier();
  if (world.rank() == n - 1) {
    ::usleep(20'000);
    ::kill(::getpid(), SIGKILL);
  }
  const mpx::errc why = errc_of([&] {
    for (;;) static_cast<void>(world.allreduce(1, std::plus<>{}));
  });
  check(why == mpx::errc::peer_lost || why == mpx::errc::revoked, "a collective of one too few");
  world.revoke();
  check(errc_of([&] { world.send(1, 0); }) == mpx::errc::revoked, "a revoked communicator");
  auto rest = world.shrink();
  check(rest.size() == n - 1, "those that live");
  check(rest.allreduce(1, std::plus<>{}) == n - 1, "a sum of those that live");
  const auto after = world.agree(~(1 << world.rank()));
  check(after.failed.size() == 1 && after.value == ~((1 << (n - 1)) - 1), "failed ranks");
  auto halves = rest.split(rest.rank() % 2);
  check(halves.allreduce(1, std::plus<>{}) == halves.size(), "a part of those that live");
  (void)rest.agree(1);  // No rank leaves before all are done: other ranks would see a loss.
  std::printf("rank %d of %d went on\n", rest.rank(), rest.size());
}
