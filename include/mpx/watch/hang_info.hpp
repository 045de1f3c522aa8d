// SPDX-License-Identifier: BSL-1.0
#pragma once
// What a rank says of itself while it waits: for what, since when, what lies unmatched. Plain
// structs that travel through shared memory: whoever reads another's calls sound() first.

#include <cstdint>
#include <cstring>

#include "mpx/core/numbers.hpp"
#include "mpx/core/types.hpp"
#include "mpx/watch/call_site.hpp"

namespace mpx::inline v0::detail {

/// How far a send or receive has come.
enum class hang_stage : std::uint8_t {
  posted,     ///< A receive that has met no message.
  probed,     ///< A probe that has met no message.
  queued,     ///< A send of which nothing is on the wire.
  announced,  ///< A send that its receiver knows of, and has not received.
  moving,     ///< Matched; data is on its way.
  arrived,    ///< A message that has met no receive.
  claimed,    ///< A message that a matched probe has taken, and nobody has received.
  // Of a window, what its call waits for others to do. (Its communicator says which it is.)
  comes,      ///< To come to this fence.
  posts,      ///< To post, so that this rank may access them.
  completes,  ///< To complete what this rank has posted.
  unlocks,    ///< To unlock rank `tag`; `peer` -1: who has that lock, its owner may know.
  answers,    ///< To take what this rank has asked for, and to answer.
  arrives,    ///< Nothing: what they have sent before a fence has not all arrived.
  count_
};
constexpr bool is_of_window(hang_stage s) noexcept { return s >= hang_stage::comes; }

/// One send, receive or message, or what a window's call waits for.
struct hang_operation {
  rank_t peer = -1;  ///< -1: any
  tag_t tag = -1;    ///< -1: any
  context_id context = 0;
  hang_stage stage{};
  std::uint8_t sends = 0;  ///< 1: a send. (Any byte may stand here, which a bool must not hold.)
  std::uint64_t bytes = 0;
};

/// The first of some operations, and how many there are. (From here on no member has an
/// initialiser: that takes long to compile for arrays of arrays. Make a `hang_info x{}`.)
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

/// A call that waits.
struct hang_call {
  char name[24];
  char file[120];
  std::uint32_t line;
  wait_kind kind;
  std::int64_t since_ns;  ///< 0: not known
  using awaited_list = hang_list<8>;
  awaited_list on;
};

/// What the program calls a communicator, or where it has made a window.
struct hang_name {
  context_id context;
  std::uint8_t window;  ///< Not 0: it is a window's own.
  char text[43];
};

enum class hang_state : std::uint8_t {
  waits,       ///< In mpx: `calls` says where. Nothing has moved at it since `since_ns`.
  busy,        ///< Not known to wait; seen in mpx at `since_ns`.
  unborn,      ///< Has not joined.
  left,        ///< Has left the job.
  failed,      ///< Has died.
  unreadable,  ///< What it published makes no sense.
  count_
};

/// What one rank says of itself. Trivially copyable: it travels through the job's segment.
struct hang_info {
  rank_t rank;
  std::int32_t pid;  ///< 0: not worth telling
  std::uint32_t environment;
  hang_state state;
  std::int64_t now_ns;
  std::int64_t since_ns;
  std::uint32_t calls_kept;
  std::uint32_t calls_total;
  char fate[48];  ///< How it ended, if it has, and that is known.
  hang_call calls[4];
  hang_list<16> posted;
  hang_list<16> unexpected;
  hang_list<16> sends;
  hang_list<4> locks;  ///< Of windows here that ranks wait for: `peer` has it.
  std::uint32_t names_kept;
  hang_name names[8];  ///< Of communicators that occur above.

  /// nullptr: it has none, or it was left out.
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

/// Copies the head of a text, or its end, to `room` bytes.
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
