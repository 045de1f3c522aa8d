// SPDX-License-Identifier: BSL-1.0
#pragma once
// Credits: each sender may fill a fixed window of each receiver's unexpected memory. Counts of
// 64-byte blocks travel in every header; an explicit update is owed only when half a window went
// untold.

#include <cstdint>

#include "mpx/core/numbers.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/flow/concepts.hpp"

namespace mpx::inline v0::flow {

/// `BudgetBytes` bounds the unexpected memory of a process, over all its peers; a pair's window is
/// the budget divided by the peers, at most `WindowBytesMax`. With more peers than the budget has
/// room for, a window can be too small for any message: then everything is announced first.
/// `AnnouncedMax` is divided likewise: 2 to 1024 announcements a peer. A newcomer is granted a
/// whole window if the budget has one left, else nothing. An eighth of a window is sold ahead at a
/// time, at most 16 KiB of it. Cost: 16 bytes a peer; a subtraction and a comparison a message.
/// Source: Gropp and Lusk, 5.2.
template <std::uint64_t BudgetBytes = std::uint64_t{64} << 20,
          std::uint64_t WindowBytesMax = std::uint64_t{1} << 20, std::uint32_t AnnouncedMax = 65536>
class credits {
 public:
  using policy_axis = flow_axis;
  static constexpr std::string_view name = "credits";
  static constexpr std::uint64_t budget_bytes = BudgetBytes;
  static constexpr std::uint64_t window_bytes_max = WindowBytesMax;
  static constexpr std::uint32_t announced_max = AnnouncedMax;
  static constexpr std::uint64_t layout =
      (BudgetBytes * 0x9e37'79b9'7f4a'7c15u + WindowBytesMax) * 31 + AnnouncedMax;
  static_assert(BudgetBytes / 64 < (std::uint64_t{1} << 31), "counts are of 32 bits");

  explicit credits(peer_id peers)
      : pairs_(peers),
        window_(static_cast<std::uint32_t>(
            (BudgetBytes / peers < WindowBytesMax ? BudgetBytes / peers : WindowBytesMax) / block)),
        half_window_(window_ / 2),
        granted_(peers) {}

  bool try_acquire(peer_id peer, std::size_t bytes) noexcept {
    pair& p = pairs_[peer];
    const std::uint32_t need = blocks(bytes);
    const std::uint32_t used = p.used + need;
    if (used > window_) [[unlikely]]
      return false;
    p.used = used;
    return true;
  }
  void restore(peer_id peer, std::size_t bytes) noexcept { pairs_[peer].used -= blocks(bytes); }

  bool release(peer_id peer, std::size_t bytes) noexcept {
    pair& p = pairs_[peer];
    p.released += blocks(bytes);
    return p.released - p.reported > half_window_;
  }
  std::uint32_t outgoing(peer_id peer) noexcept {
    pair& p = pairs_[peer];
    return p.reported = p.released;
  }
  bool incoming(peer_id peer, std::uint32_t count) noexcept {
    pair& p = pairs_[peer];
    return count == p.confirmed || confirm(p, count);
  }
  std::uint32_t price(std::size_t bytes) const noexcept { return blocks(bytes); }
  std::uint32_t prepay(peer_id peer) noexcept {
    pair& p = pairs_[peer];
    const std::uint32_t units =
        detail::lesser(detail::lesser(window_ / 8, ahead_max), window_ - p.used);
    p.used += units;
    return units;
  }
  /// (A peer may have said of them, too, that it has released them. Then they are here already.)
  void refund(peer_id peer, std::uint32_t units) noexcept {
    pair& p = pairs_[peer];
    p.used -= detail::lesser(units, p.used);
  }
  std::uint32_t count(peer_id peer) const noexcept { return pairs_[peer].released; }
  /// Seldom writes: between stores to a channel each store to another line costs more than a look.
  void told(peer_id peer, std::uint32_t count) noexcept {
    if (pair& p = pairs_[peer]; p.reported != count) p.reported = count;
  }
  std::uint64_t window_bytes() const noexcept { return std::uint64_t{window_} * block; }
  std::uint64_t bytes_bound() const noexcept { return window_bytes() * granted_; }

  /// See ElasticFlowControl. A peer's own window may be smaller than what is granted: a sender's
  /// window is the smaller of the two, and what is missing of his own counts as used for ever. (Who
  /// tells of more than he got shrinks that, and fills his own memory alone.)
  bool try_add(peer_id peer) noexcept {
    const std::size_t n = std::size_t{peer} + 1;
    if (!pairs_.try_extend(n) || !without_grant_.try_extend(pairs_.size())) return false;
    pairs_[peer] = {.used = window_};
    const bool room = (granted_ + 1) * window_bytes() <= BudgetBytes;
    without_grant_[peer] = !room;
    granted_ += room ? 1 : 0;
    return true;
  }
  std::uint64_t granted_bytes(peer_id peer) const noexcept {
    return is_without(peer) ? 0 : window_bytes();
  }
  void open(peer_id peer, std::uint64_t bytes) noexcept {
    pairs_[peer].used =
        bytes < window_bytes() ? window_ - static_cast<std::uint32_t>(bytes / block) : 0;
  }
  void drop(peer_id peer) noexcept {
    pairs_[peer] = {.used = window_};
    if (!is_without(peer)) --granted_;
  }

 private:
  static constexpr std::uint64_t block = 64;
  static constexpr std::uint32_t ahead_max = 256;  // Blocks that are sold ahead at a time.
  /// All of these count blocks, modulo 2^32. `used` and `confirmed` are written at once, and apart:
  /// side by side the compiler would make one store of them, at three times the price.
  struct pair {
    std::uint32_t used = 0;       // That I sent, and the peer may still hold.
    std::uint32_t released = 0;   // Of the peer's, that left my memory, ever.
    std::uint32_t confirmed = 0;  // Of mine, that the peer says it has released, ever.
    std::uint32_t reported = 0;   // Of `released`, what the peer was told.
  };
  static bool confirm(pair& p, std::uint32_t count) noexcept {
    const std::uint32_t released = count - p.confirmed;
    std::uint32_t left = 0;
    if (__builtin_sub_overflow(p.used, released, &left)) return false;
    p.used = left;
    p.confirmed = count;
    return true;
  }
  static std::uint32_t blocks(std::size_t bytes) noexcept {
    return static_cast<std::uint32_t>(unexpected_cost(bytes) / block);
  }

  bool is_without(peer_id peer) const noexcept {
    return peer < without_grant_.size() && without_grant_[peer];
  }

  plain_array<pair> pairs_;
  std::uint32_t window_;
  std::uint32_t half_window_;
  std::uint64_t granted_;            // Windows that are out.
  plain_array<bool> without_grant_;  // Of newcomers for whom none was left.
};

}  // namespace mpx::inline v0::flow
