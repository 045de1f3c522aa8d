// SPDX-License-Identifier: BSL-1.0
#pragma once
// Groups map the ranks of a communicator to the endpoint's peers and back. Conversions between the
// two are made only in this file.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "mpx/core/error.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

/// Peer number that represents proc_null.
inline constexpr peer_id null_peer = static_cast<peer_id>(rank_t{proc_null});

/// Peer of a rank of the job. The job's ranks are the first peers of an endpoint; bootstraps,
/// transports and reports that rely on this use these functions.
[[MPX_ALWAYS_INLINE]] constexpr peer_id world_peer(rank_t rank) noexcept {
  return static_cast<peer_id>(rank);
}
/// Rank of the job of a founding peer.
[[MPX_ALWAYS_INLINE]] constexpr rank_t world_rank(peer_id peer) noexcept {
  return static_cast<rank_t>(peer);
}
static_assert(world_peer(any_source) == any_peer && world_rank(any_peer) == any_source);

/// The peers of a communicator's ranks. Immutable, move-only.
///
/// Identity (rank r is peer r) takes no memory, nor does a stride; a table takes 8 bytes for each
/// member. Each factory makes the simplest kind possible, so that equal groups have equal kinds.
/// any_source and proc_null map to any_peer and null_peer, and back, in all kinds.
class group {
 public:
  /// Representation of the ranks.
  enum class kind : std::uint8_t { identity, strided, table };

  /// Rank r is peer r, without a bound on r.
  group() = default;
  /// Ranks 0 .. size - 1 are peers 0 .. size - 1; this process is `self`.
  static group identity(rank_t size, peer_id self) noexcept { return strided(0, 1, size, self); }
  /// Rank r is peer first + r * stride.
  /// Requires:   stride != 0; all of these peers exist.
  static group strided(peer_id first, std::int32_t stride, rank_t size, peer_id self) noexcept {
    group g;
    if (size <= 1) stride = 1;
    g.kind_ = first == 0 && stride == 1 ? kind::identity : kind::strided;
    g.first_ = first;
    g.stride_ = stride;
    g.size_ = size;
    g.see(self);
    return g;
  }
  /// Rank r is peers[r].
  /// Errors:     errc::argument if a peer occurs twice; errc::no_resources.
  /// Cost:       sorts once, so that `rank_of` takes log2(size) steps.
  static group table(std::span<const peer_id> peers, peer_id self) {
    const auto size = static_cast<rank_t>(peers.size());
    const std::int64_t first = peers.empty() ? 0 : std::int64_t{peers[0]};
    const std::int64_t stride = size < 2 ? 1 : std::int64_t{peers[1]} - first;
    bool regular = stride != 0;
    for (std::size_t i = 1; i < peers.size(); ++i)
      regular = regular && peers[i] == first + stride * static_cast<std::int64_t>(i);
    if (regular)
      return strided(static_cast<peer_id>(first), static_cast<std::int32_t>(stride), size, self);
    group g;
    g.kind_ = kind::table;
    g.size_ = size;
    g.peers_.reserve(peers.size());
    g.sorted_.reserve(peers.size());
    for (std::size_t i = 0; i < peers.size(); ++i) {
      g.peers_.push_back(peers[i]);
      g.sorted_.push_back(static_cast<rank_t>(i));
    }
    g.sort();
    for (std::size_t i = 1; i < peers.size(); ++i)
      if (g.peer_at(i - 1) == g.peer_at(i)) throw error(errc::argument, "a group has a peer twice");
    g.see(self);
    return g;
  }
  /// Returns a copy.
  /// Errors:     errc::no_resources.
  /// Cost:       that of a table.
  [[nodiscard]] group copy() const {
    group g;
    g.kind_ = kind_;
    g.size_ = size_;
    g.rank_ = rank_;
    g.self_ = self_;
    g.stride_ = stride_;
    g.first_ = first_;
    g.peers_.reserve(peers_.size());
    g.sorted_.reserve(sorted_.size());
    for (const peer_id peer : peers_) g.peers_.push_back(peer);
    for (const rank_t r : sorted_) g.sorted_.push_back(r);
    return g;
  }

  /// Returns the group with this process, member or not, as `rank`: as seen by processes that count
  /// themselves elsewhere.
  [[nodiscard]] group numbered(rank_t rank) && noexcept {
    rank_ = rank;
    return std::move(*this);
  }

  /// Returns the number of ranks; 0 for a default-constructed group.
  [[nodiscard]] rank_t size() const noexcept { return size_; }
  /// Returns the rank of this process; proc_null if it is not a member.
  [[nodiscard]] rank_t rank() const noexcept { return rank_; }
  /// Returns the peer of this process, member or not.
  [[nodiscard]] peer_id self() const noexcept { return self_; }
  /// Returns the representation.
  [[nodiscard]] kind how() const noexcept { return kind_; }

  /// Returns the peer of a rank.
  /// Requires:   0 <= rank < size(), or any_source or proc_null.
  [[nodiscard]] peer_id peer_of(rank_t rank) const noexcept {
    if (kind_ == kind::identity || rank < 0) return static_cast<peer_id>(rank);
    if (kind_ == kind::table) return peers_[static_cast<std::size_t>(rank)];
    return static_cast<peer_id>(first_ + std::int64_t{stride_} * rank);
  }
  /// Returns the rank of a peer; proc_null if it is not a member.
  /// Cost:       log2(size) steps for a table, else constant.
  [[nodiscard]] [[gnu::noinline]] rank_t rank_of(peer_id peer) const noexcept {
    if (peer == any_peer || peer == null_peer) return static_cast<rank_t>(peer);
    if (kind_ == kind::table) return searched(peer);
    if (kind_ == kind::strided) {
      const std::int64_t distance = std::int64_t{peer} - first_;
      if (distance % stride_ != 0 || distance / stride_ < 0 || distance / stride_ >= size_)
        return proc_null;
      return static_cast<rank_t>(distance / stride_);
    }
    return static_cast<rank_t>(peer);
  }

  /// True if `peer` is one of ranks 0 .. size() - 1.
  /// Cost:       as rank_of.
  [[nodiscard]] [[gnu::noinline]] bool contains(peer_id peer) const noexcept {
    const rank_t r = rank_of(peer);
    return r >= 0 && r < size_;
  }

  /// True if both have the same ranks in the same order.
  friend bool operator==(const group& a, const group& b) noexcept {
    if (a.kind_ != b.kind_ || a.size_ != b.size_) return false;
    if (a.kind_ != kind::table) return a.first_ == b.first_ && a.stride_ == b.stride_;
    for (std::size_t i = 0; i < a.peers_.size(); ++i)
      if (a.peers_[i] != b.peers_[i]) return false;
    return true;
  }

 private:
  void see(peer_id self) noexcept {
    self_ = self;
    rank_ = contains(self) ? rank_of(self) : rank_t{proc_null};
  }
  peer_id peer_at(std::size_t i) const noexcept {
    return peers_[static_cast<std::size_t>(sorted_[i])];
  }
  rank_t searched(peer_id peer) const noexcept {
    std::size_t low = 0;
    for (std::size_t high = sorted_.size(); low < high;) {
      const std::size_t middle = low + (high - low) / 2;
      if (peer_at(middle) < peer)
        low = middle + 1;
      else
        high = middle;
    }
    return low < sorted_.size() && peer_at(low) == peer ? sorted_[low] : rank_t{proc_null};
  }
  /// Heapsort: in place, n log n in the worst case.
  void sort() noexcept {
    const auto sift = [this](std::size_t at, std::size_t end) {
      for (std::size_t child; (child = 2 * at + 1) < end; at = child) {
        if (child + 1 < end && peer_at(child) < peer_at(child + 1)) ++child;
        if (peer_at(at) >= peer_at(child)) return;
        std::swap(sorted_[at], sorted_[child]);
      }
    };
    const std::size_t n = sorted_.size();
    for (std::size_t at = n / 2; at-- > 0;) sift(at, n);
    for (std::size_t end = n; end-- > 1;) {
      std::swap(sorted_[0], sorted_[end]);
      sift(0, end);
    }
  }

  kind kind_ = kind::identity;
  rank_t size_ = 0;
  rank_t rank_ = proc_null;
  peer_id self_ = null_peer;
  std::int32_t stride_ = 1;
  peer_id first_ = 0;
  plain_array<peer_id> peers_;  // Table: peers by rank,
  plain_array<rank_t> sorted_;  // and ranks in the order of their peers.
};

}  // namespace mpx::inline v0
