// SPDX-License-Identifier: BSL-1.0
// sanitizers: none
// Over sockets rank 0 has no descriptor left for a connection to rank 1, which waits for a message
// of it and cannot know that. Both get an error, whichever connects. tcp_full [late]
//   late: rank 0 polls for a while before it sends, and rank 1 has failed to connect by then.

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <mpx/mpx.hpp>
#include <mpx/transport/tcp.hpp>

#include "mp/harness.hpp"

namespace {

using stack = mpx::stack<mpx::transport::tcp>;
using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

void have_no_more_descriptors() {
  const int lowest = ::dup(0);
  ::close(lowest);
  const rlimit none{static_cast<rlim_t>(lowest), static_cast<rlim_t>(lowest)};
  harness::check(::setrlimit(RLIMIT_NOFILE, &none) == 0, "the limit cannot be lowered");
}

}  // namespace

int main(int argc, char**) {
  const harness::watchdog guard("tcp_full", 50s);
  mpx::environment<stack> env;
  const auto world = env.world();
  if (env.rank() == 0) have_no_more_descriptors();
  try {
    if (env.rank() == 0) {
      const auto until = clock::now() + (argc > 1 ? 1s : 0s);
      while (clock::now() < until) world.iprobe(1, 2);
      world.send(7, 1, 1);
      (void)world.recv<int>(1, 2);
    } else {
      (void)world.recv<int>(0, 1);
    }
    std::puts("not lost");
  } catch (const mpx::error& e) {
    std::puts(e.code() == mpx::errc::peer_lost ? "lost" : e.what());
  }
}
