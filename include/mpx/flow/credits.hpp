// SPDX-License-Identifier: BSL-1.0
#pragma once
// Credit-based flow control: each sender may fill a fixed window of each receiver's unexpected
// memory. Counts of 64-byte blocks travel in every header. An explicit credit packet is needed only
// if more than half a window has not been advertised.

#include <cstdint>

#include "mpx/core/numbers.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/flow/concepts.hpp"

namespace mpx::inline v0::flow {

/// Default flow control. `BudgetBytes` bounds the unexpected memory of a process over all its
/// peers. A pair's window is the budget divided by the number of peers, at most `WindowBytesMax`.
/// With too many peers for the budget a window can be too small for any message; then every message
/// is announced. `AnnouncedMax` is divided likewise: 2 to 1024 announcements for each peer. A peer
/// added later is granted a whole window if the budget has one left, else nothing. Credit is
/// prepaid in steps of an eighth of a window, at most 16 KiB.
/// Cost:       16 bytes for each peer; a subtraction and a comparison for each message.
/// Source:     Gropp and Lusk, 5.2.
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
  /// The peer may have confirmed the release of prepaid units as well; they are back already then.
  void refund(peer_id peer, std::uint32_t units) noexcept {
    pair& p = pairs_[peer];
    p.used -= detail::lesser(units, p.used);
  }
  std::uint32_t count(peer_id peer) const noexcept { return pairs_[peer].released; }
  /// Stores only changes: between stores to a channel, a store to another cache line costs more
  /// than a load.
  void credit_advertised(peer_id peer, std::uint32_t count) noexcept {
    if (pair& p = pairs_[peer]; p.reported != count) p.reported = count;
  }
  std::uint64_t window_bytes() const noexcept { return std::uint64_t{window_} * block; }
  std::uint64_t bytes_bound() const noexcept { return window_bytes() * granted_; }

  /// See ElasticFlowControl. A peer's own window may be smaller than the grant: a sender's window
  /// is the smaller of the two, and the rest of its own window counts as used for ever. (A peer
  /// that advertises more than it was granted shrinks that rest, and fills its own memory only.)
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
  static constexpr std::uint32_t ahead_max = 256;  // Blocks prepaid at a time.
  /// Counts of blocks, modulo 2^32. `used` and `confirmed` are written together but are not
  /// adjacent: the compiler would merge the stores into one, which costs three times as much.
  struct pair {
    std::uint32_t used = 0;       // Sent by this rank, and possibly still held by the peer.
    std::uint32_t released = 0;   // Total of the peer's blocks released here.
    std::uint32_t confirmed = 0;  // Total of this rank's blocks that the peer has released.
    std::uint32_t reported = 0;   // Value of `released` last advertised.
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
  std::uint64_t granted_;            // Number of windows granted.
  plain_array<bool> without_grant_;  // Peers added later that got no window.
};

}  // namespace mpx::inline v0::flow
