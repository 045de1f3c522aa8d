// SPDX-License-Identifier: BSL-1.0
#pragma once
// State of a waiting rank: what it waits for, since when, and which operations are unmatched. Plain
// structs that are passed through shared memory; a reader calls sound() first.

#include <cstdint>
#include <cstring>

#include "mpx/core/numbers.hpp"
#include "mpx/core/types.hpp"
#include "mpx/watch/call_site.hpp"

namespace mpx::inline v0::detail {

/// Progress of a send or receive.
enum class hang_stage : std::uint8_t {
  posted,     ///< A receive without a matching message.
  probed,     ///< A probe without a matching message.
  queued,     ///< A send of which nothing has been sent.
  announced,  ///< A send announced to its receiver, and not received.
  moving,     ///< Matched; the data is in transit.
  arrived,    ///< An unexpected message.
  mprobed,    ///< A message taken by a matched probe, and not received.
  // For calls of a window: the action of other ranks that is awaited. (The context identifies the
  // window.)
  comes,      ///< To enter this fence.
  posts,      ///< To post, so that this rank may access them.
  completes,  ///< To complete, after this rank's post.
  /// To unlock rank `tag`. `peer` -1: the holder may be known to the lock's owner.
  unlocks,
  answers,  ///< To handle requests of this rank, and to answer.
  arrives,  ///< None: data sent before a fence has not arrived completely.
  count_
};
constexpr bool is_of_window(hang_stage s) noexcept { return s >= hang_stage::comes; }

/// One send, receive or message, or an awaited action of a window.
struct hang_operation {
  rank_t peer = -1;  ///< -1: any
  tag_t tag = -1;    ///< -1: any
  context_id context = 0;
  hang_stage stage{};
  std::uint8_t sends = 0;  ///< 1: a send. (Not a bool: untrusted memory may contain any byte.)
  std::uint64_t bytes = 0;
};

/// The first operations of a list, and their total number. (Members below have no initialisers,
/// which take long to compile for nested arrays. Use `hang_info x{}`.)
template <std::uint32_t Max>
struct hang_list {
  hang_operation at[Max];
  std::uint32_t kept;
  std::uint32_t total;

  [[gnu::noinline, gnu::cold]] void add(const hang_operation& op) noexcept {
    ++total;
    if (kept < Max) at[kept++] = op;
  }
  const hang_operation* begin() const noexcept { return at; }
  const hang_operation* end() const noexcept { return at + kept; }
};

/// A waiting call.
struct hang_call {
  char name[24];
  char file[120];
  std::uint32_t line;
  wait_kind kind;
  std::int64_t since_ns;  ///< 0: unknown.
  using awaited_list = hang_list<8>;
  awaited_list on;
};

/// Name of a communicator given by the program, or the place where a window was made.
struct hang_name {
  context_id context;
  std::uint8_t window;  ///< Nonzero: the context of a window.
  char text[43];
};

enum class hang_state : std::uint8_t {
  waits,       ///< Waits in mpx; see `calls`. Nothing has moved since `since_ns`.
  busy,        ///< Not known to wait; last seen in mpx at `since_ns`.
  unborn,      ///< Has not joined.
  left,        ///< Has left the job.
  failed,      ///< Has failed.
  unreadable,  ///< Its published state is malformed.
  count_
};

/// State of one rank. Trivially copyable: it is passed through the job's segment.
struct hang_info {
  rank_t rank;
  std::int32_t pid;  ///< 0: not reported.
  std::uint32_t environment;
  hang_state state;
  std::int64_t now_ns;
  std::int64_t since_ns;
  std::uint32_t calls_kept;
  std::uint32_t calls_total;
  char fate[48];  ///< How it ended, if it has and that is known.
  hang_call calls[4];
  hang_list<16> posted;
  hang_list<16> unexpected;
  hang_list<16> sends;
  /// Locks of windows here for which ranks wait; `peer` holds the lock.
  hang_list<4> locks;
  std::uint32_t names_kept;
  hang_name names[8];  ///< Names of communicators that occur above.

  /// Returns nullptr if it has no name, or the name was left out.
  const hang_name* name_of(context_id context) const noexcept {
    for (std::uint32_t i = 0; i < names_kept; ++i)
      if (names[i].context >> 1 == context >> 1) return &names[i];
    return nullptr;
  }
  hang_call* add_call() noexcept {
    ++calls_total;
    return calls_kept < std::size(calls) ? &calls[calls_kept++] : nullptr;
  }
};

/// Copies the beginning of a text, or its end, to `room` bytes.
[[gnu::noinline, gnu::cold]] inline void copy_text(char* into, std::size_t room, const char* text,
                                                   bool its_end) noexcept {
  const std::size_t n = std::strlen(text);
  const std::size_t kept = lesser(n, room - 1);
  std::memcpy(into, its_end ? text + (n - kept) : text, kept);
  into[kept] = '\0';
}
template <std::size_t N>
void copy_head(char (&into)[N], const char* text) noexcept {
  copy_text(into, N, text, false);
}
/// Copies the end of a path.
template <std::size_t N>
void copy_tail(char (&into)[N], const char* text) noexcept {
  copy_text(into, N, text, true);
}

}  // namespace mpx::inline v0::detail
