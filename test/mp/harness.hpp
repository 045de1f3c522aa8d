// SPDX-License-Identifier: BSL-1.0
#pragma once
// Shared by programs of several processes: a watchdog against hangs, checks that name the rank,
// messages whose every byte can be checked, and the resource use of this process.

#include <sys/resource.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mpx/bootstrap/detail/sim_random.hpp>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "patience.hpp"
#include "patterns.hpp"

namespace harness {

#ifdef MPX_TEST_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

[[noreturn]] inline void fail(const std::string& what) {
  const char* rank = std::getenv("MPX_RANK");
  std::fprintf(stderr, "rank %s: FAILED: %s\n", rank != nullptr ? rank : "0", what.c_str());
  std::fflush(stderr);
  std::_Exit(1);
}

/// Ends the job with a message if `holds` is false. `what` is only built then.
template <class What>
void check(bool holds, What&& what) {
  if (holds) return;
  if constexpr (std::is_invocable_v<What>) {
    fail(what());
  } else {
    fail(what);
  }
}

/// Ends the process with a message when it lives too long: a hang is a failure, not a timeout.
class watchdog {
 public:
  explicit watchdog(std::string what, std::chrono::seconds limit)
      : thread_([this, text = std::move(what), limit = limit * busy_slowdown] {
          std::unique_lock lock(mutex_);
          if (!ended_.wait_for(lock, limit, [this] { return over_; }))
            fail(text + ": hang: not over after " + std::to_string(limit.count()) + " s");
        }) {}
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  ~watchdog() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    ended_.notify_all();
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

using mpx::sim::random;

/// Word `i` of the message that `seed` names.
constexpr std::uint64_t word_of(std::uint64_t seed, std::size_t i) noexcept {
  const std::uint64_t x = (seed + 1) * 0x9e37'79b9'7f4a'7c15u + i * 0xd6e8'feb8'6659'fd93u;
  return x ^ (x >> 29);
}

inline void fill(std::span<std::byte> into, std::uint64_t seed) noexcept {
  patterns::fill_words(into, [seed](std::size_t i) { return word_of(seed, i); });
}

inline bool holds(std::span<const std::byte> data, std::uint64_t seed) noexcept {
  return patterns::holds_words(data, [seed](std::size_t i) { return word_of(seed, i); });
}

/// The most memory that this process ever held, shared memory included, in bytes.
inline std::uint64_t memory_high_water() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  fail("/proc/self/status has no VmHWM");
}

/// CPU time that this process has used, in seconds.
inline double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace harness
