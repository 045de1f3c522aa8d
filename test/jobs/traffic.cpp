// SPDX-License-Identifier: BSL-1.0
// compilers: both
// Victim of kill9.test.py: all ranks exchange messages of all sizes until one of them is lost.
//   traffic MODE     MODE: all (everything at once), ring (blocking sendrecv), reduce (collectives)

#include <unistd.h>

#include <chrono>
#include <functional>
#include <mpx/mpx.hpp>
#include <vector>

#include "instances/job.hpp"
#include "mp/harness.hpp"

namespace {

using namespace std::chrono_literals;
using stack = mpx::stack<>;
using communicator = mpx::communicator<stack>;

constexpr std::size_t sizes[] = {0, 8, 40, 1000, 16'000, 100'000, 700'000};

/// All ranks send to all, received from any source. Each round has a tag of its own: a receive that
/// took the next round's message of a rank that is ahead would leave one of this round to a rank
/// that waits for it.
void exchange(communicator world, std::uint64_t round, std::vector<std::vector<std::byte>>& in,
              const std::vector<std::byte>& out) {
  std::vector<mpx::request<stack>> requests;
  const auto tag = static_cast<mpx::tag_t>(round % 1000);
  for (auto& buffer : in) requests.push_back(world.irecv(buffer, mpx::any_source, tag));
  const std::size_t bytes = sizes[round % std::size(sizes)];
  for (mpx::rank_t r = 0; r < world.size(); ++r)
    if (r != world.rank()) requests.push_back(world.isend(std::span(out).first(bytes), r, tag));
  mpx::wait_all(requests);
}

void pass_on(communicator world, std::uint64_t round, std::vector<std::byte>& in,
             const std::vector<std::byte>& out) {
  const std::size_t bytes = sizes[round % std::size(sizes)];
  const mpx::rank_t next = (world.rank() + 1) % world.size();
  const mpx::rank_t last = (world.rank() + world.size() - 1) % world.size();
  world.sendrecv(std::span(out).first(bytes), next, 6, in, last, 6);
}

void run(communicator world, const std::string& mode) {
  std::vector<std::byte> out(700'000);
  std::vector<std::vector<std::byte>> in(static_cast<std::size_t>(world.size() - 1),
                                         std::vector<std::byte>(700'000));
  for (std::uint64_t round = 0;; ++round) {
    if (mode == "all") exchange(world, round, in, out);
    if (mode == "ring") pass_on(world, round, in[0], out);
    if (mode == "reduce") static_cast<void>(world.allreduce(round, std::plus<>{}));
    if (round != 20) continue;
    std::printf("rank %d pid %d\n", world.rank(), static_cast<int>(::getpid()));
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const harness::watchdog guard("traffic", 60s);
  mpx::environment<> env;
  try {
    run(env.world(), argc > 1 ? argv[1] : "all");
  } catch (const mpx::error& e) {
    std::printf("rank %d: %s: %s\n", env.rank(),
                e.code() == mpx::errc::peer_lost ? "peer_lost" : "another error", e.what());
    std::fflush(stdout);
    return e.code() == mpx::errc::peer_lost ? 0 : 2;
  }
}
