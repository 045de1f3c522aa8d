// SPDX-License-Identifier: BSL-1.0
#pragma once
// The platform's primitives for threads and processes, and the few Linux calls that mpx needs:
// atomic words, futexes, the process-wide barrier, monotonic time, number of cores, memory.

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

/// Returns nanoseconds of the monotonic clock; comparable between processes of one machine.
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

/// Yields the core to other runnable threads.
inline void yield() noexcept { ::sched_yield(); }

/// Returns the core that this thread runs on, as far as is known.
inline std::uint32_t current_core() noexcept {
  const int core = ::sched_getcpu();
  return core < 0 ? 0 : static_cast<std::uint32_t>(core);
}

/// Set of cores, large enough for any machine. Kernels with more cores than a cpu_set_t holds fail
/// calls that pass a single cpu_set_t.
class core_set {
 public:
  /// Returns the cores on which this thread may run; empty if unknown.
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
  /// Binds this thread to these cores.
  /// Returns:    false if that is not permitted.
  bool bind() const noexcept { return ::sched_setaffinity(0, sizeof sets_, sets_) == 0; }

  static constexpr int cores_max = 16 * CPU_SETSIZE;  // Linux: 8,192.

 private:
  cpu_set_t sets_[cores_max / CPU_SETSIZE] = {};
};

/// Moves this thread to another core, if it may run there. Does not bind it to that core.
inline void move_to_core(std::uint32_t core) noexcept {
  const core_set may = core_set::allowed();
  const int number = static_cast<int>(core);
  if (!may.has(number)) return;
  core_set one;
  one.add(number);
  if (one.bind()) may.bind();
}

/// Prefetches a cache line for writing, with ownership. (The builtin does so only if the compiler
/// may assume that the processor has the instruction; processors without it ignore it.)
[[gnu::always_inline]] inline void prefetch_to_write(const void* p) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(p)));
#else
  __builtin_prefetch(p, 1);
#endif
}

/// Vendor of the processor, as far as it matters for sharing cache lines between cores.
enum class processor : std::uint8_t { other, intel, amd };
inline processor this_processor() noexcept {
#if defined(__x86_64__) && !defined(__CUDA_ARCH__)  // Compilers for devices read it, too.
  __builtin_cpu_init();
  if (__builtin_cpu_is("intel") != 0) return processor::intel;
  if (__builtin_cpu_is("amd") != 0) return processor::amd;
#endif
  return processor::other;
}

/// True if a writer of shared blocks should prefetch lines for writing. On Intel, stores to lines
/// that another core has read wait for ownership in order, so that a stream of them takes a round
/// trip for each line. On AMD the prefetch costs more than it saves.
inline bool owning_early_pays() noexcept { return this_processor() == processor::intel; }

/// Prefetches all lines of a block that will be written, for writing. (Two processes on Intel: a
/// stream of messages of 4 KiB 12.8 GB/s without, 15.8 with; an allreduce of 1 KiB 0.51 us and
/// 0.40.)
inline void prefetch_exclusive(const std::byte* from, std::size_t bytes) noexcept {
  const std::byte* const end = from + bytes;
  from -= reinterpret_cast<std::uintptr_t>(from) % cache_line_bytes;
  for (; from < end; from += cache_line_bytes) prefetch_to_write(from);
}

/// Distance in lines at which the writer of a ring prefetches lines for writing; 0: never. On AMD,
/// the reader's prefetcher, which runs ahead of the reader, takes back lines that were prefetched
/// earlier.
inline std::size_t owning_early_lines() noexcept {
  const processor p = this_processor();
  return p == processor::intel ? 8 : p == processor::amd ? 4 : 0;
}

/// True if a reader of shared lines should write to them before their writer needs them again. On
/// AMD, a line that other cores have read stays with its writer, which must invalidate all copies
/// before the next store: one line after the other, with later stores waiting, and a prefetch does
/// not help. A line that a reader has written is fetched like any missing line, many at once. A
/// stream of messages of 4 KiB: 8 GB/s without, 31 with; of 16 KiB, on two dies: 2 and 14.
inline bool claiming_pays() noexcept {
#if MPX_ASSERT_LEVEL >= 2
  return true;  // So that lines claimed too early are found on any machine.
#else
  return this_processor() == processor::amd;
#endif
}

/// Takes ownership of lines that were read, by a store to each; their contents are lost. Writes
/// only within the `bytes` from `from` on.
[[gnu::always_inline]] inline void claim_lines(std::byte* from, std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes; at += cache_line_bytes)
    *static_cast<volatile std::byte*>(from + at) = std::byte{0};
}

/// Copies to lines that another core has read, and will read again after a flag. A string
/// instruction, which writes whole lines, obtains their ownership sooner than single stores. Pays
/// from a few lines on. Ordered only before later stores.
[[gnu::always_inline]] inline void copy_for_readers(std::byte* to, const std::byte* from,
                                                    std::size_t bytes) noexcept {
#if defined(__x86_64__)
  std::size_t words = bytes / 8;
  bytes %= 8;
  asm volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
#endif
  __builtin_memcpy(to, from, bytes);
}

/// Sleeps while `word` holds `expected`, for at most `timeout_ns`. May return early.
/// Returns:    true if the time has elapsed.
inline bool futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected,
                       std::int64_t timeout_ns) noexcept {
  timespec t{};
  t.tv_sec = static_cast<time_t>(timeout_ns / 1'000'000'000);
  t.tv_nsec = static_cast<long>(timeout_ns % 1'000'000'000);
  return ::syscall(SYS_futex, &word, FUTEX_WAIT, expected, &t, nullptr, 0) != 0 &&
         errno == ETIMEDOUT;
}

/// Wakes up to `count` threads that sleep on `word`, in this or another process.
inline void futex_wake(atomic<std::uint32_t>& word, int count) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, count, nullptr, nullptr, 0);
}

/// Registers this process for `heavy_barrier`.
/// Returns:    false if the kernel refuses.
inline bool register_heavy_barrier() noexcept {
  return ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

/// Full memory barrier on every core that runs a registered process: the expensive half of an
/// asymmetric Dekker algorithm, whose other half then needs no fence.
/// Source:     membarrier(2).
inline void heavy_barrier() noexcept {
  platform::signal_fence();
  ::syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
  platform::signal_fence();
}

/// As register_heavy_barrier and heavy_barrier, for the threads of this process alone.
inline bool register_process_barrier() noexcept {
  return ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}
inline void process_barrier() noexcept {
  platform::signal_fence();
  ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  platform::signal_fence();
}

/// Returns the number of cores on which this thread may run; that of all ranks together if mpxrun
/// has bound each rank to its own cores (MPX_CORES).
inline int usable_cores() noexcept {
  const int own = core_set::allowed().count();
  const char* const told = std::getenv("MPX_CORES");
  std::uint64_t all = 0;
  if (told != nullptr && detail::parse_number(told, core_set::cores_max, all) &&
      static_cast<int>(all) > own)
    return static_cast<int>(all);
  return own > 0 ? own : 1;
}

/// True if ranks may move to other cores among those on which they may run. mpxrun permits it with
/// `--bind-to auto` (MPX_MAY_MOVE); with any other launcher, cores are the user's choice.
inline bool ranks_may_move() noexcept { return std::getenv("MPX_MAY_MOVE") != nullptr; }

}  // namespace native

/// True if functions marked MPX_WIDE_VECTORS may be called.
inline bool has_wide_vectors() noexcept {
#if defined(__x86_64__) && !defined(__CUDA_ARCH__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

using namespace MPX_PLATFORM;

}  // namespace mpx::inline v0::platform
