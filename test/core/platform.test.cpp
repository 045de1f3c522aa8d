// SPDX-License-Identifier: BSL-1.0
// compilers: both

#include <doctest/doctest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <mpx/core/platform.hpp>
#include <thread>

namespace {

namespace platform = mpx::platform;

constexpr std::int64_t second_ns = 1'000'000'000;

TEST_CASE("platform: time does not go backwards") {
  std::int64_t last = platform::now_ns();
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t now = platform::now_ns();
    CHECK(now >= last);
    last = now;
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(platform::now_ns() - last >= 10'000'000);
}

TEST_CASE("platform: a wait for another value returns at once") {
  platform::atomic<std::uint32_t> word = 1;
  const std::int64_t begin = platform::now_ns();
  platform::futex_wait(word, 0, 10 * second_ns);
  CHECK(platform::now_ns() - begin < second_ns);
}

TEST_CASE("platform: a wait ends when its time is up") {
  platform::atomic<std::uint32_t> word = 1;
  const std::int64_t begin = platform::now_ns();
  while (platform::now_ns() - begin < 5'000'000) platform::futex_wait(word, 1, 5'000'000);
  CHECK(platform::now_ns() - begin < 5 * second_ns);
}

TEST_CASE("platform: a wake ends a wait") {
  platform::atomic<std::uint32_t> word = 1;
  const std::int64_t begin = platform::now_ns();
  std::jthread waker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    word = 0;
    platform::futex_wake(word, 1);
  });
  while (word == 1) platform::futex_wait(word, 1, 10 * second_ns);
  CHECK(platform::now_ns() - begin < 5 * second_ns);
}

TEST_CASE("platform: barriers and cores") {
  // Registering is idempotent; where the kernel refuses it, a barrier does nothing.
  CHECK(platform::register_heavy_barrier() == platform::register_heavy_barrier());
  platform::heavy_barrier();
  platform::relax();
  CHECK(platform::usable_cores() >= 1);
}

TEST_CASE("platform: ranks that are bound use the cores of all of them") {
  const int own = platform::usable_cores();
  const char* const before = std::getenv("MPX_CORES");
  const std::string kept = before != nullptr ? before : "";
  const auto told = [](const std::string& cores) {
    ::setenv("MPX_CORES", cores.c_str(), 1);
    return platform::usable_cores();
  };
  CHECK(told(std::to_string(own + 1)) == own + 1);
  CHECK(told("1") >= 1);
  for (const char* nonsense : {"", "0", "-1", "x", "99999999999999999999"})
    CHECK(told(nonsense) <= own);
  before != nullptr ? ::setenv("MPX_CORES", kept.c_str(), 1) : ::unsetenv("MPX_CORES");
}

/// From now on the kernel refuses small sets of cores, as one does that knows of many. Returns
/// whether that can be had.
bool know_of_many_cores() {
  constexpr auto length = static_cast<std::uint32_t>(offsetof(seccomp_data, args[1]));
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_getaffinity, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, length),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 1024, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{std::size(steps), steps};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) == 0 &&
         ::prctl(PR_SET_SECCOMP, static_cast<unsigned long>(SECCOMP_MODE_FILTER), &filter) == 0;
}

TEST_CASE("platform: the cores of a machine of any size are counted") {
  constexpr int no_filter = 77;
  const int cores = platform::usable_cores();
  const pid_t child = ::fork();
  if (child == 0) {
    if (!know_of_many_cores()) ::_exit(no_filter);
    cpu_set_t small;
    const bool refused = ::sched_getaffinity(0, sizeof small, &small) != 0;
    platform::move_to_core(platform::current_core());
    ::_exit(refused && platform::usable_cores() == cores ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == no_filter) {
    MESSAGE("left out: this process may not filter its calls");
  } else {
    CHECK(WEXITSTATUS(status) == 0);
  }
}

}  // namespace
