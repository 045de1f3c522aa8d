// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory layout of a job's control segment. The segment is sparse: an idle rank costs 64 bytes, and
// a rank that has joined and published a little costs two pages.
//
// The number of environments is not limited: the k-th environment of every rank uses slot k % 32. A
// slot passes to the next environment once all ranks have left the previous one and its memory has
// been given back. Words that outlive an environment are tagged with its number k and are void in
// any other, so that they need no reset. The words of a room (below) are reset by its owner before
// other ranks can see that it has joined.

#include <cstddef>
#include <cstdint>

#include "mpx/core/platform.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::bootstrap {

/// Largest number of ranks of a job.
inline constexpr rank_t ranks_max = 4096;
/// Largest number of environments of one rank at a time.
inline constexpr std::uint32_t environments_live_max = 32;
/// Largest number of environments that a rank may join in the life of a job: nine years at a
/// million a second.
inline constexpr std::uint64_t environments_max = std::uint64_t{1} << 48;
/// Bytes that a rank may publish in one environment: keys, values, and 8 to 15 bytes for each pair.
inline constexpr std::uint32_t published_bytes_max = 64 * 1024 - cache_line_bytes;
inline constexpr std::size_t key_bytes_max = 256;
inline constexpr std::size_t value_bytes_max = 4096;
/// Bytes kept of the reason for an abort.
inline constexpr std::size_t reason_bytes_max = 240;
/// Largest time before a hang is reported, in seconds.
inline constexpr std::uint64_t hang_seconds_max = 1'000'000;
/// Distance between the parts of two slots in the shared file, as a power of two.
inline constexpr unsigned environment_shift = 48;

}  // namespace mpx::inline v0::bootstrap

namespace mpx::inline v0::bootstrap::detail {

inline constexpr std::uint64_t segment_magic = 0x6d70'786a'6f62'0001;  // "mpxjob", 1
inline constexpr std::uint32_t segment_version = 7;
inline constexpr std::size_t page_bytes = 4096;

using word = platform::atomic<std::uint32_t>;
using long_word = platform::atomic<std::uint64_t>;
static_assert(word::is_always_lock_free && long_word::is_always_lock_free,
              "processes share these words");

/// Tags a 16-bit number with environment `k`; `value_of` gives 0 for any other environment.
constexpr std::uint64_t tagged(std::uint64_t k, std::uint64_t value) noexcept {
  return k << 16 | value;
}
constexpr std::uint64_t tag_of(std::uint64_t tagged) noexcept { return tagged >> 16; }
constexpr std::uint32_t value_of(std::uint64_t tagged, std::uint64_t k) noexcept {
  return tag_of(tagged) == k ? static_cast<std::uint32_t>(tagged & 0xffff) : 0;
}
static_assert(environments_max - 1 == tag_of(~std::uint64_t{0}) && ranks_max < 0xffff);

/// The abort of a job. Written once, by the first rank that aborts.
struct abort_record {
  static constexpr std::uint32_t none = 0, writing = 1, set = 2;
  word phase;
  rank_t rank;
  std::int32_t code;
  std::uint32_t reason_bytes;
  char reason[reason_bytes_max];
};

/// State shared by the ranks and the process that looks for hangs and prints the report.
struct hang_head {
  word looked_at;  // 1: the launcher looks at the marks, for any number of ranks
  word asked;      // grows when every rank is asked to describe what it does
  // time for which a rank waits before it reports that, in ns; 0: never
  platform::atomic<std::int64_t> limit_ns;
};

/// First page of the segment: format, identity of the job, abort and hang state.
struct segment_header {
  std::uint64_t magic;
  std::uint64_t bytes;
  std::uint32_t version;
  std::uint32_t ranks;
  std::int32_t launcher_pid;
  std::uint64_t shared_device;  // identity of the job's shared file
  std::uint64_t shared_inode;
  alignas(cache_line_bytes) word endings;  // number of ended ranks, plus 1 for an abort
  alignas(cache_line_bytes) abort_record abort;
  alignas(cache_line_bytes) hang_head hang;
};
static_assert(sizeof(segment_header) <= page_bytes);

/// State shared by the ranks of one environment.
struct alignas(cache_line_bytes) slot_entry {
  // value of `gone` while a rank gives the memory back
  static constexpr std::uint32_t closing = 0xffff;

  long_word arrived;  // tagged: number of ranks that wait in the fence
  long_word gone;     // tagged: number of ranks that have left or failed; or `closing`
  // number of environments of this slot that have ended and whose memory was given back
  long_word released;
  word generation;  // grows when a fence opens; waiting ranks sleep on it
  word epoch;       // failure epoch: grows when a rank is lost, leaves or disconnects; also a futex
  long_word lost;   // tagged: the first rank that ended without leaving, + 1
};
static_assert(sizeof(slot_entry) == cache_line_bytes);

/// State of a rank that may hang, apart from its slot.
struct hang_words {
  static constexpr std::uint32_t stuck = 1, testing = 2, next = 4;
  word mark;      // `stuck`, perhaps `testing`, and a number that grows with each change
  word answered;  // last value of hang_head::asked that the rank has answered
  platform::atomic<std::int64_t> seen_ns;  // time at which the rank was last known to be in mpx
};
static_assert(platform::atomic<std::int64_t>::is_always_lock_free);

/// Description that a waiting rank gives of itself. `sequence` is odd while it is being written.
struct hang_slot {
  static constexpr std::size_t bytes_max = 4088;
  word sequence;
  word bytes;
  platform::atomic<std::uint64_t> data[bytes_max / 8];
};
static_assert(sizeof(hang_slot) == page_bytes);

/// State of one rank, across its environments.
struct alignas(cache_line_bytes) rank_entry {
  platform::atomic<std::int32_t> pid;
  word ended;        // 1 once its process has ended (its thread, in a job of threads)
  word wait_status;  // as returned by waitpid; valid once `ended` is 1
  word live;         // number of environments joined and not left yet
  long_word joins;   // number of environments joined so far
  word lock;         // serializes the threads of this rank; other ranks only read
  hang_words hang;
};
static_assert(sizeof(rank_entry) == cache_line_bytes);

/// Data that a rank gives the others in one environment; the log of its published records follows.
struct alignas(cache_line_bytes) room {
  word log_used;           // bytes of the log that other ranks may read
  long_word disconnected;  // tagged: 1 once some rank has disconnected from this one
};
static_assert(sizeof(room) == cache_line_bytes);
inline constexpr std::size_t room_bytes = sizeof(room) + published_bytes_max;
static_assert(room_bytes % page_bytes == 0);

/// Precedes key and value in a rank's log; records are padded to 8 bytes.
struct log_record {
  std::uint32_t key_bytes;
  std::uint32_t value_bytes;
};
static_assert(sizeof(log_record) == 8);

/// Offsets of the parts, for a job of `ranks` ranks. The part of a slot that is given back with its
/// environment is contiguous: the rooms, then the refusals.
struct segment_layout {
  explicit constexpr segment_layout(std::size_t ranks) noexcept
      : slots(page_bytes),
        rank_table(slots + environments_live_max * sizeof(slot_entry)),
        states(round_up(rank_table + ranks * sizeof(rank_entry))),
        rooms(round_up(states + ranks * environments_live_max * sizeof(long_word))),
        refusals(ranks * room_bytes),
        slot_bytes(refusals + round_up(ranks * ranks * sizeof(long_word))),
        hangs(rooms + environments_live_max * slot_bytes),
        bytes(hangs + ranks * sizeof(hang_slot)) {}

  static constexpr std::size_t round_up(std::size_t n) noexcept {
    return (n + page_bytes - 1) / page_bytes * page_bytes;
  }

  std::size_t slots, rank_table;
  std::size_t states;  // by slot and rank: tagged, a rank_state
  std::size_t rooms;   // by slot, at a distance of slot_bytes
  // offset from the slot's rooms; by rank and by the rank that has disconnected from it
  std::size_t refusals;
  std::size_t slot_bytes;
  std::size_t hangs, bytes;
};
static_assert(segment_layout(1).bytes < 2'300 * 1024);
static_assert(segment_layout(ranks_max).bytes < std::size_t{14} << 30);
static_assert(segment_layout(3).rooms % page_bytes == 0 &&
              segment_layout(3).slot_bytes % page_bytes == 0);

}  // namespace mpx::inline v0::bootstrap::detail
