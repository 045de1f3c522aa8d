// SPDX-License-Identifier: BSL-1.0
// compilers: both
// optimise: yes
// For environments.test.py: one environment after the other, with some traffic now and then.
//   environments COUNT

#include <sys/stat.h>

#include <chrono>
#include <mpx/mpx.hpp>
#include <vector>

#include "mp/harness.hpp"

namespace {

using namespace std::chrono_literals;

/// Memory of the file behind a descriptor of mpxrun's.
std::int64_t bytes_of(const char* variable) {
  struct stat info{};
  harness::check(::fstat(std::atoi(std::getenv(variable)), &info) == 0, variable);
  return std::int64_t{info.st_blocks} * 512;
}

void exchange(mpx::environment<>& env, int k) {
  auto world = env.world();
  const mpx::rank_t next = (world.rank() + 1) % world.size();
  const mpx::rank_t last = (world.rank() + world.size() - 1) % world.size();
  std::vector<std::byte> in(100'000), out(100'000);
  harness::fill(out, static_cast<std::uint64_t>(k * 64 + world.rank()));
  world.sendrecv(out, next, 1, in, last, 1);
  harness::check(harness::holds(in, static_cast<std::uint64_t>(k * 64 + last)), "damaged");
}

}  // namespace

int main(int argc, char** argv) {
  const harness::watchdog guard("environments", 150s);
  const int count = argc > 1 ? std::atoi(argv[1]) : 100;
  std::int64_t control = 0;
  std::int64_t shared = 0;
  for (int k = 0; k < count; ++k) {
    mpx::environment<> env;
    if (k % 10 == 0) exchange(env, k);
    if (k < 10 || env.rank() != 0) continue;
    // Of this environment, and of the last, which the others may be about to leave.
    const std::int64_t now_control = bytes_of("MPX_JOB_FD");
    const std::int64_t now_shared = bytes_of("MPX_SHM_FD");
    if (k < 50) {
      control = std::max(control, now_control);
      shared = std::max(shared, now_shared);
    }
    harness::check(now_control <= control + 64 * 1024 && now_shared <= shared + 64 * 1024, [&] {
      return "memory has grown after " + std::to_string(k) + ": from " + std::to_string(control) +
             " and " + std::to_string(shared) + " to " + std::to_string(now_control) + " and " +
             std::to_string(now_shared);
    });
  }
  std::puts("bounded");
}
