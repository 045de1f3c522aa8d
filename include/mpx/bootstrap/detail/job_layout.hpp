// SPDX-License-Identifier: BSL-1.0
#pragma once
// How a job's control segment lies in memory. Sparse: a rank that does nothing costs 64 bytes, one
// that joined and published a little costs two pages, once for the whole job.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mpx/core/platform.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::bootstrap {

/// The largest job.
inline constexpr rank_t ranks_max = 4096;
/// How many environments a rank may join in the life of a job.
inline constexpr std::uint32_t environments_max = 4096;
/// What a rank may publish in the life of a job: keys, values, and 8 to 15 bytes for each.
inline constexpr std::uint32_t published_bytes_max = 256 * 1024;
inline constexpr std::size_t key_bytes_max = 256;
inline constexpr std::size_t value_bytes_max = 4096;
/// What is kept of the reason for an abort.
inline constexpr std::size_t reason_bytes_max = 240;
/// The longest patience before a hang is reported, in seconds.
inline constexpr std::uint64_t hang_seconds_max = 1'000'000;
/// Distance between the parts of two environments in the shared file, as a power of two.
inline constexpr unsigned environment_shift = 48;

}  // namespace mpx::inline v0::bootstrap

namespace mpx::inline v0::bootstrap::detail {

inline constexpr std::uint64_t segment_magic = 0x6d70'786a'6f62'0001;  // "mpxjob", 1
inline constexpr std::uint32_t segment_version = 2;
inline constexpr std::size_t page_bytes = 4096;

using word = platform::atomic<std::uint32_t>;
static_assert(word::is_always_lock_free, "processes share these words");

/// Set once, by the first rank that aborts.
struct abort_record {
  static constexpr std::uint32_t none = 0, writing = 1, set = 2;
  word phase;
  rank_t rank;
  std::int32_t code;
  std::uint32_t reason_bytes;
  char reason[reason_bytes_max];
};

/// Who reports a hang.
struct hang_head {
  word asked;   // grows when every rank is to say what it is doing
  word writer;  // 1 + the rank that is writing a report, or 0
};

struct segment_header {
  std::uint64_t magic;
  std::uint64_t bytes;
  std::uint32_t version;
  std::uint32_t ranks;
  std::int32_t launcher_pid;
  alignas(cache_line_bytes) word failure_epoch;
  alignas(cache_line_bytes) abort_record abort;
  alignas(cache_line_bytes) hang_head hang;
};
static_assert(sizeof(segment_header) <= page_bytes);

struct fence_entry {
  word arrived;
  word generation;  // also the word that waiting ranks sleep on
};

/// Where one rank stands in one environment. Those of an environment lie side by side, so that a
/// look at everybody touches 8 bytes per rank.
struct join_entry {
  word state;      // a rank_state
  word log_begin;  // nothing that it published in this environment lies before
};

/// What is known of a rank that may hang, apart from its slot.
struct hang_words {
  static constexpr std::uint32_t stuck = 1, testing = 2, next = 4;
  word mark;      // `stuck`, perhaps `testing`, and a number that grows with each change
  word told;      // the mark that was last reported
  word answered;  // of hang_head::asked
  platform::atomic<std::int64_t> seen_ns;  // when the rank was last known to be in mpx
};
static_assert(platform::atomic<std::int64_t>::is_always_lock_free);

/// What a rank that waits says of itself. `sequence` is odd while it is being written.
struct hang_slot {
  static constexpr std::size_t bytes_max = 4088;
  word sequence;
  word bytes;
  platform::atomic<std::uint64_t> data[bytes_max / 8];
};
static_assert(sizeof(hang_slot) == page_bytes);

struct alignas(cache_line_bytes) rank_entry {
  platform::atomic<std::int32_t> pid;
  word ended;        // 1 when its process is gone (its thread, in a job of threads)
  word wait_status;  // as waitpid gives it; meaningful when ended
  word joins;        // environments joined so far
  word live;         // of those, not left yet
  word lock;         // between the threads of this rank; others only read
  word log_used;     // bytes of the log that others may read
  hang_words hang;
};
static_assert(sizeof(rank_entry) == cache_line_bytes);

/// Precedes key and value in a rank's log; records are padded to 8 bytes.
struct log_record {
  std::uint32_t environment;
  std::uint16_t key_bytes;
  std::uint16_t value_bytes;
};
static_assert(sizeof(log_record) == 8);
static_assert(key_bytes_max <= 0xffff && value_bytes_max <= 0xffff);

/// The offsets of the parts for a job of `ranks`.
struct segment_layout {
  explicit constexpr segment_layout(std::size_t ranks) noexcept
      : fences(page_bytes),
        rank_table(fences + environments_max * sizeof(fence_entry)),
        joins(round_up(rank_table + ranks * sizeof(rank_entry))),
        logs(joins + ranks * environments_max * sizeof(join_entry)),
        hangs(logs + ranks * std::size_t{published_bytes_max}),
        bytes(hangs + ranks * sizeof(hang_slot)) {}

  static constexpr std::size_t round_up(std::size_t n) noexcept {
    return (n + page_bytes - 1) / page_bytes * page_bytes;
  }

  std::size_t fences, rank_table, joins, logs, hangs, bytes;
};
static_assert(segment_layout(1).bytes < 400 * 1024);
static_assert(segment_layout(1).logs % page_bytes == 0 && published_bytes_max % page_bytes == 0);

}  // namespace mpx::inline v0::bootstrap::detail
