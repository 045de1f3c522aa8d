// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// A kernel that has no membarrier, or a filter that refuses it: no packet is lost or late.

#include <doctest/doctest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <mpx/mpx.hpp>

namespace {

#ifndef MPX_TEST_EMULATED
/// From now on this process has no membarrier. Returns false where it may not choose so.
bool refuse_membarrier() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog filter{sizeof program / sizeof program[0], program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}
#endif

/// Two ranks that sleep before each message, and 20 long ones to fill a ring. Returns an exit code.
int exchange() {
  using sleepy = mpx::stack<mpx::transport::inproc, mpx::bootstrap::threads, mpx::waiting::sleep>;
  constexpr int rounds = 200;
  const std::int64_t begin_ns = mpx::platform::now_ns();
  bool right = true;
  mpx::run_threads<sleepy>(2, [&](mpx::communicator<sleepy> world) {
    const int other = 1 - world.rank();
    for (int i = 0; i < rounds; ++i) {
      if (world.rank() == 0) world.send(i, other);
      if (world.recv<int>(other) != i) right = false;
      if (world.rank() == 1) world.send(i, other);
    }
  });
  if (!right) return 2;
  // A wake-up that is missed would cost a sleep of a tenth of a second.
  return mpx::platform::now_ns() - begin_ns < rounds * std::int64_t{50'000'000} ? 0 : 3;
}

}  // namespace

#ifdef MPX_TEST_EMULATED  // QEMU takes no filter, and a child that it has forked no threads.

TEST_CASE("as much of membarrier as there is: ranks that sleep wake for each other's packets") {
  CHECK(exchange() == 0);
}

#else

TEST_CASE("no membarrier: ranks that sleep wake for each other's packets") {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const bool refused = refuse_membarrier();
    if (refused && mpx::platform::register_heavy_barrier()) ::_exit(4);
    ::_exit(exchange());
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

#endif
