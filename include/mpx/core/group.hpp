// SPDX-License-Identifier: BSL-1.0
#pragma once
// Peers are not ranks: a group maps the ranks of a communicator to the endpoint's peers and back.
// The two are turned into each other here and nowhere else.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "mpx/core/error.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

/// The peer that stands for proc_null.
inline constexpr peer_id null_peer = static_cast<peer_id>(rank_t{proc_null});

/// The job's ranks are an endpoint's first peers: where bootstraps, transports and reports know
/// that, they say so by these names.
[[MPX_ALWAYS_INLINE]] constexpr peer_id world_peer(rank_t rank) noexcept {
  return static_cast<peer_id>(rank);
}
/// The rank of the job that a founding peer is.
[[MPX_ALWAYS_INLINE]] constexpr rank_t world_rank(peer_id peer) noexcept {
  return static_cast<rank_t>(peer);
}
static_assert(world_peer(any_source) == any_peer && world_rank(any_peer) == any_source);

/// Which peers the ranks of a communicator are. Immutable, move-only.
///
/// Identity (rank r is peer r) costs no memory; a stride neither; a table 8 bytes a member. Each
/// factory yields the simplest kind that says the same, so that equal groups are of equal kind.
/// any_source and proc_null map to any_peer and null_peer, and back, in all kinds.
class group {
 public:
  /// How the ranks are kept.
  enum class kind : std::uint8_t { identity, strided, table };

  /// Rank r is peer r, however many there are.
  group() = default;
  /// Ranks 0 .. size - 1 are peers 0 .. size - 1; this process is `self`.
  static group identity(rank_t size, peer_id self) noexcept { return strided(0, 1, size, self); }
  /// Rank r is peer first + r * stride. Requires: stride != 0; all of these are peers.
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
  /// Rank r is peers[r]. Errors: errc::argument if a peer is there twice; errc::no_resources.
  /// Cost: sorts once, so that `rank_of` searches in log2(size) steps.
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
  /// The same again. Cost: that of a table. Errors: errc::no_resources.
  group copy() const {
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

  /// The same group in which this process, a member or not, is `rank`: as those see it who count
  /// themselves elsewhere.
  group numbered(rank_t rank) && noexcept {
    rank_ = rank;
    return std::move(*this);
  }

  /// 0 for a group made by default.
  rank_t size() const noexcept { return size_; }
  /// This process; proc_null if it is no member.
  rank_t rank() const noexcept { return rank_; }
  /// The peer that this process is, a member or not.
  peer_id self() const noexcept { return self_; }
  /// How the ranks are kept.
  kind how() const noexcept { return kind_; }

  /// Requires: 0 <= rank < size(), any_source or proc_null.
  peer_id peer_of(rank_t rank) const noexcept {
    if (kind_ == kind::identity || rank < 0) return static_cast<peer_id>(rank);
    if (kind_ == kind::table) return peers_[static_cast<std::size_t>(rank)];
    return static_cast<peer_id>(first_ + std::int64_t{stride_} * rank);
  }
  /// Returns: proc_null for a peer that is no member. Cost: log2(size) for a table, else none.
  [[gnu::noinline]] rank_t rank_of(peer_id peer) const noexcept {
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

  /// Whether `peer` is one of ranks 0 .. size() - 1. Cost: as rank_of.
  [[gnu::noinline]] bool contains(peer_id peer) const noexcept {
    const rank_t r = rank_of(peer);
    return r >= 0 && r < size_;
  }

  /// Whether both have the same ranks in the same order.
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
  /// Heapsort: in place, and no worse than n log n.
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
  plain_array<peer_id> peers_;  // Of a table: by rank ...
  plain_array<rank_t> sorted_;  // ... and its ranks, in the order of their peers.
};

}  // namespace mpx::inline v0
