// SPDX-License-Identifier: BSL-1.0
#pragma once
// The program of joined.cpp and joined_pmix.cpp.
//   joined [MODE]    what rank 1 does at the end: nothing (none), kill, abort or throw; or the
//   whole
//                    job (kvs): it exchanges values over the launcher's store alone, on any hosts;
//                    then rank 1 leaves by an exception, for which the others wait (kvs-throw)

#include <chrono>
#include <csignal>
#include <mpx/bootstrap/anywhere.hpp>
#include <mpx/mpx.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "instances/job.hpp"
#include "mp/harness.hpp"

namespace joined {

template <class Stack>
void exchange(mpx::communicator<Stack> world) {
  for (const std::size_t bytes : {0u, 8u, 100u, 2'000u, 20'000u, 1'000'000u}) {
    std::vector<std::byte> out(bytes);
    std::vector<std::byte> in(bytes);
    for (mpx::rank_t step = 1; step <= world.size(); ++step) {
      const mpx::rank_t next = (world.rank() + step) % world.size();
      const mpx::rank_t last = (world.rank() + world.size() - step % world.size()) % world.size();
      harness::fill(out, bytes + static_cast<std::size_t>(world.rank()));
      world.sendrecv(out, next, 1, in, last, 1);
      harness::check(harness::holds(in, bytes + static_cast<std::size_t>(last)), "damaged");
    }
  }
}

/// Ranks of any hosts find each other's values, with nothing but the launcher.
inline void meet(mpx::bootstrap::anywhere job, bool throws) {
  for (int round = 0; round < 3; ++round) {
    const std::string key = "round " + std::to_string(round);
    job.put(key, std::string(700, '=') + std::to_string(job.rank()));
    job.fence([] {});
    for (mpx::rank_t r = 0; r < job.size(); ++r)
      harness::check(job.get(r, key) == std::string(700, '=') + std::to_string(r), "not published");
    harness::check(!job.get(0, "nothing"), "a value that was never published");
  }
  std::printf("rank %d of %d met\n", job.rank(), job.size());
  if (throws && job.rank() == 1) throw std::runtime_error("as requested");
  if (throws) job.fence([] {});
}

inline int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "none";
  const harness::watchdog guard("joined " + mode, std::chrono::seconds(40));
  try {
    if (mode.starts_with("kvs")) {
      meet({}, mode == "kvs-throw");
      return 0;
    }
    for (int i = 0; i < 3; ++i) {
      mpx::environment<> early;
      mpx::environment<> other;
      exchange(other.world());
    }
    mpx::environment<> env;
    auto world = env.world();
    exchange(world);
    std::printf("rank %d of %d joined\n", env.rank(), env.size());
    std::fflush(stdout);
    if (mode == "none") return 0;
    world.barrier();
    if (world.rank() == 1 && mode == "kill") ::raise(SIGKILL);
    if (world.rank() == 1 && mode == "abort") env.abort(7, "as requested");
    if (world.rank() == 1 && mode == "throw") throw std::runtime_error("as requested");
    int never = 0;
    world.recv(never, 1, 2);
  } catch (const mpx::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 3;
  } catch (const std::runtime_error&) {
    return 4;
  }
  return 0;
}

}  // namespace joined
