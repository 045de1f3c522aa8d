// SPDX-License-Identifier: BSL-1.0
#pragma once
// What threads and processes meet through, and the few calls to Linux that the rest of mpx needs:
// atomic words, sleeping on one, the process-wide barrier, monotonic time, the number of cores,
// memory.

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include "mpx/config.hpp"
#include "mpx/core/atomic.hpp"
#include "mpx/core/lock.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/system_memory.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::platform {
namespace native {

using namespace system_memory;

/// Nanoseconds on the monotonic clock; comparable between the processes of one machine.
inline std::int64_t now_ns() noexcept {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

/// Tells the core that this is a spin loop.
inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Lets other threads that are ready to run have this core.
inline void yield() noexcept { ::sched_yield(); }

/// The core that this thread runs on, as far as is known.
inline std::uint32_t current_core() noexcept {
  const int core = ::sched_getcpu();
  return core < 0 ? 0 : static_cast<std::uint32_t>(core);
}

/// Cores of a machine of any size: kernels that know of more than a cpu_set_t holds tell nothing to
/// who has but one.
class core_set {
 public:
  /// Those that this thread may run on; none where that cannot be known.
  static core_set allowed() noexcept {
    core_set s;
    if (::sched_getaffinity(0, sizeof s.sets_, s.sets_) != 0) return {};
    return s;
  }
  bool has(int core) const noexcept {
    return CPU_ISSET_S(static_cast<std::size_t>(core), sizeof sets_, sets_);
  }
  void add(int core) noexcept { CPU_SET_S(static_cast<std::size_t>(core), sizeof sets_, sets_); }
  void add(const core_set& more) noexcept { CPU_OR_S(sizeof sets_, sets_, sets_, more.sets_); }
  int count() const noexcept { return CPU_COUNT_S(sizeof sets_, sets_); }
  /// Has this thread run on them alone. Returns whether it may.
  bool bind() const noexcept { return ::sched_setaffinity(0, sizeof sets_, sets_) == 0; }

  static constexpr int cores_max = 16 * CPU_SETSIZE;  // Linux: 8,192.

 private:
  cpu_set_t sets_[cores_max / CPU_SETSIZE] = {};
};

/// Moves this thread to another core, if it may run there. It is not bound to it.
inline void move_to_core(std::uint32_t core) noexcept {
  const core_set may = core_set::allowed();
  const int number = static_cast<int>(core);
  if (!may.has(number)) return;
  core_set one;
  one.add(number);
  if (one.bind()) may.bind();
}

/// Asks for a line that will be written soon, and for the right to write it. (The builtin asks for
/// that only where the compiler is told that the processor knows the instruction; those that do not
/// ignore it.)
[[gnu::always_inline]] inline void prefetch_to_write(const void* p) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(p)));
#else
  __builtin_prefetch(p, 1);
#endif
}

/// Whose processor this is, as far as that matters for how cores share lines.
enum class processor : std::uint8_t { other, intel, amd };
inline processor this_processor() noexcept {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_is("intel") != 0) return processor::intel;
  if (__builtin_cpu_is("amd") != 0) return processor::amd;
#endif
  return processor::other;
}

/// Whether a writer of shared blocks should ask for lines before it writes them. Where stores to
/// lines that another core has read wait for them in order, as on Intel's, a stream of them is as
/// slow as a line's way there and back; on AMD's the asking costs more than it saves.
inline bool owning_early_pays() noexcept { return this_processor() == processor::intel; }

/// Asks for all lines of a block that is about to be written, at once. (Two processes on an Intel:
/// a stream of messages of 4 KiB 12.8 GB/s and 15.8; an allreduce of 1 KiB 0.51 us and 0.40.)
inline void own_lines(const std::byte* from, std::size_t bytes) noexcept {
  const std::byte* const end = from + bytes;
  from -= reinterpret_cast<std::uintptr_t>(from) % cache_line_bytes;
  for (; from < end; from += cache_line_bytes) prefetch_to_write(from);
}

/// How many lines ahead of its writing the writer of a ring of lines asks for them; 0: not at all.
/// On AMD's the reader's prefetcher, which runs ahead of the reader, takes back what was asked for
/// earlier.
inline std::size_t owning_early_lines() noexcept {
  const processor p = this_processor();
  return p == processor::intel ? 8 : p == processor::amd ? 4 : 0;
}

/// Whether a reader of shared lines does well to write to them before their writer needs them
/// again. On AMD's a line that others have read stays with its writer, who has to ask all of them
/// before it may write again: one line after the other, behind which its stores wait, and a
/// prefetch does not ask. What a reader has written to comes back like any line that is missing,
/// many at once. A stream of messages of 4 KiB: 8 GB/s and 31; of 16 KiB, two dies: 2 and 14.
inline bool claiming_pays() noexcept {
#if MPX_ASSERT_LEVEL >= 2
  return true;  // So that what is claimed too early is found on any machine.
#else
  return this_processor() == processor::amd;
#endif
}

/// Makes lines that were read this core's, by a store to each; what they hold is lost. Nothing but
/// the `bytes` from `from` on is written.
[[gnu::always_inline]] inline void claim_lines(std::byte* from, std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes; at += cache_line_bytes)
    *static_cast<volatile std::byte*>(from + at) = std::byte{0};
}

/// Copies to lines that another core has read, and will read next, behind a flag: there a string
/// instruction, which writes whole lines, gets the right to write them sooner than one store after
/// the other. Pays from a few lines on. Nothing but the stores that follow is in order.
[[gnu::always_inline]] inline void copy_to_shown(std::byte* to, const std::byte* from,
                                                 std::size_t bytes) noexcept {
#if defined(__x86_64__)
  std::size_t words = bytes / 8;
  bytes %= 8;
  asm volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
#endif
  __builtin_memcpy(to, from, bytes);
}

/// Sleeps while `word` holds `expected`, for at most `timeout_ns`. May return early for no reason.
/// Returns whether the time was up.
inline bool futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected,
                       std::int64_t timeout_ns) noexcept {
  timespec t{};
  t.tv_sec = static_cast<time_t>(timeout_ns / 1'000'000'000);
  t.tv_nsec = static_cast<long>(timeout_ns % 1'000'000'000);
  return ::syscall(SYS_futex, &word, FUTEX_WAIT, expected, &t, nullptr, 0) != 0 &&
         errno == ETIMEDOUT;
}

/// Wakes up to `count` sleepers on `word`, in this or another process.
inline void futex_wake(atomic<std::uint32_t>& word, int count) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, count, nullptr, nullptr, 0);
}

/// Registers this process for `heavy_barrier`; false where the kernel refuses it.
inline bool register_heavy_barrier() noexcept {
  return ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

/// A full memory barrier on every core that runs a registered process: the expensive half of an
/// asymmetric Dekker, so that the other half costs nothing. Source: membarrier(2).
inline void heavy_barrier() noexcept {
  platform::signal_fence();
  ::syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
  platform::signal_fence();
}

/// The cores that this thread may run on; those of all ranks together where mpxrun has bound each
/// of them to its own (MPX_CORES).
inline int usable_cores() noexcept {
  const int own = core_set::allowed().count();
  const char* const told = std::getenv("MPX_CORES");
  std::uint64_t all = 0;
  if (told != nullptr && detail::parse_number(told, core_set::cores_max, all) &&
      static_cast<int>(all) > own)
    return static_cast<int>(all);
  return own > 0 ? own : 1;
}

}  // namespace native

/// Whether functions that are MPX_WIDE_VECTORS may be called.
inline bool has_wide_vectors() noexcept {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

using namespace MPX_PLATFORM;

}  // namespace mpx::inline v0::platform
