// SPDX-License-Identifier: BSL-1.0
#pragma once
// Flow control with unequal shares: peers that send much may fill much of the unexpected memory.
// Shares are halved from one group of peers to the next, and move from silent peers to active ones.

#include <cstdint>
#include <utility>

#include "mpx/core/numbers.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/flow/concepts.hpp"

namespace mpx::inline v0::flow {

/// Divides the unexpected memory of a process, `BudgetBytes`, unequally among its peers. Each peer
/// has a minimum, `MinimumBytes`, but all minima together take at most a quarter of the budget.
/// Half of the rest is for the first `K` peers that need more than the minimum, half of what is
/// left for the next `K`, and so on; the last `K` share the remainder. A peer that needs more takes
/// a better place if one is vacant, or if its holder has been silent while other peers sent as much
/// as the share of that place. The holder then gives the unused part of its share back. A minimum
/// is never asked for. `communicator::prefer` gives a place to a peer, which keeps it.
///
/// Unexpected memory is bounded by `BudgetBytes`, whatever peers do. Ranks may differ in `K`.
/// Cost:       32 bytes for each peer; about ten instructions for each message; for a message that
///             was announced for lack of credit, a search of the better places, and at most three
///             packets.
/// Source:     Gropp and Lusk, 5.2.
template <std::uint32_t K = 4, std::uint64_t BudgetBytes = std::uint64_t{64} << 20,
          std::uint64_t MinimumBytes = std::uint64_t{16} << 10, std::uint32_t AnnouncedMax = 65536>
class zeno {
 public:
  using policy_axis = flow_axis;
  static constexpr std::string_view name = "zeno";
  static constexpr std::uint32_t announced_max = AnnouncedMax;
  static constexpr std::uint64_t layout =
      (BudgetBytes * 0x9e37'79b9'7f4a'7c15u + MinimumBytes) * 31 + AnnouncedMax;
  static_assert(K != 0 && K <= 2048, "places are numbered by 16 bits");
  static_assert(BudgetBytes / 64 < (std::uint64_t{1} << 31), "counts are of 32 bits");

  explicit zeno(peer_id peers)
      : pairs_(peers),
        minimum_(static_cast<std::uint32_t>(
            detail::lesser(MinimumBytes / block, BudgetBytes / block / 4 / peers))),
        half_minimum_(minimum_ / 2),
        free_(budget - minimum_ * peers),
        in_class_(detail::lesser(K, peers)) {
    const std::uint32_t classes = (peers + in_class_ - 1) / in_class_;
    plain_array<std::uint32_t> shares;
    std::uint32_t rest = free_;
    for (std::uint32_t c = 0; c < classes; ++c) {
      const bool last = c + 1 == classes || rest / 4 / in_class_ < share_min;
      const std::uint32_t share = (last ? rest : rest / 2) / in_class_;
      rest -= share * in_class_;
      if (share != 0) shares.push_back(share);
      if (last) break;
    }
    places_ = plain_array<place>(1 + shares.size() * in_class_);
    for (std::size_t i = 1; i < places_.size(); ++i) places_[i].share = shares[(i - 1) / in_class_];
  }

  // --- As a sender -------------------------------------------------------------------------------

  bool try_acquire(peer_id peer, std::size_t bytes) noexcept {
    pair& p = pairs_[peer];
    const std::uint32_t need = blocks(bytes);
    if (need > left(p)) [[unlikely]]
      return false;
    p.sent += need;
    return true;
  }
  void restore(peer_id peer, std::size_t bytes) noexcept { pairs_[peer].sent -= blocks(bytes); }
  bool incoming(peer_id peer, std::uint32_t count) noexcept {
    pair& p = pairs_[peer];
    return count == p.limit || raise(p, count);
  }
  std::uint32_t price(std::size_t bytes) const noexcept { return blocks(bytes); }
  std::uint32_t prepay(peer_id peer) noexcept {
    pair& p = pairs_[peer];
    const std::uint32_t units = detail::lesser(left(p) / 4, ahead_max);
    p.sent += units;
    return units;
  }
  void refund(peer_id peer, std::uint32_t units) noexcept { pairs_[peer].sent -= units; }
  /// Blocks given back count as sent, so that counts never go back.
  std::uint32_t give_back(peer_id peer, std::uint32_t kept) noexcept {
    pair& p = pairs_[peer];
    const std::uint32_t more = left(p) > kept ? left(p) - kept : 0;
    p.sent += more;
    return more;
  }

  // --- As a receiver -----------------------------------------------------------------------------

  bool release(peer_id peer, std::size_t bytes) noexcept {
    pair& p = pairs_[peer];
    const std::uint32_t n = blocks(bytes);
    const std::uint32_t held = out(p);
    if (n > held) [[unlikely]]  // The peer exceeds its credit: it gets no more for that.
      p.granted += n - held;
    p.released += n;
    free_ += detail::lesser(n, held);
    heard(p, n);
    if (!p.gone) refill(p);
    if (!is_due(p)) [[likely]]
      return false;
    if (p.place == 0 && !p.gone) take_vacant(peer);
    return true;
  }
  std::uint32_t outgoing(peer_id peer) noexcept {
    pair& p = pairs_[peer];
    if (p.reported != p.granted) report(p, p.granted);
    return p.granted;
  }
  std::uint32_t count(peer_id peer) const noexcept { return pairs_[peer].granted; }
  void credit_advertised(peer_id peer, std::uint32_t count) noexcept {
    if (pair& p = pairs_[peer]; p.reported != count) report(p, count);
  }

  /// See ReassigningFlowControl.
  share_change demand(peer_id peer, std::size_t bytes) noexcept {
    pair& p = pairs_[peer];
    share_change change;
    heard(p, blocks(bytes));
    if (!refill(p)) {
      const std::size_t i = better_place(p);
      if (i != p.place) change.reclaim = move_to(peer, i);
    }
    if (p.granted != p.reported) change.update = peer;
    return change;
  }
  share_change prefer(peer_id peer) noexcept {
    pair& p = pairs_[peer];
    share_change change;
    std::size_t i = 1;
    while (i < places_.size() && i != p.place && !is_vacant(i) && holder(i).favoured) ++i;
    if (i == places_.size()) return change;
    if (i != p.place) change.reclaim = move_to(peer, i);
    p.favoured = true;
    if (p.granted != p.reported) change.update = peer;
    return change;
  }
  void prefer_none() noexcept {
    for (std::size_t i = 1; i < places_.size(); ++i)
      if (!is_vacant(i)) holder(i).favoured = false;
  }
  std::uint32_t share(peer_id peer) const noexcept { return target(pairs_[peer]); }
  bool returned(peer_id peer, std::uint32_t units, share_change& next) noexcept {
    pair& p = pairs_[peer];
    if (!p.asked || units > out(p)) return false;
    take(p, units);
    p.asked = std::exchange(p.demoted, false) && out(p) > target(p);
    if (p.asked) next.reclaim = peer;
    return true;
  }
  void lost(peer_id peer, std::uint64_t held_bytes) noexcept {
    pair& p = pairs_[peer];
    vacate(p);
    p.gone = true;
    const auto held = static_cast<std::uint32_t>(held_bytes / block);
    take(p, out(p) - detail::lesser(held, out(p)));
  }

  /// With a place of the best class.
  std::uint64_t window_bytes() const noexcept {
    return std::uint64_t{minimum_ + (places_.size() > 1 ? places_[1].share : 0)} * block;
  }
  std::uint64_t bytes_bound() const noexcept { return std::uint64_t{budget} * block; }

  /// See ElasticFlowControl. A newcomer is granted a minimum if that much is free, else nothing.
  bool try_add(peer_id peer) noexcept {
    if (!pairs_.try_extend(std::size_t{peer} + 1)) return false;
    shut(pairs_[peer]);
    if (free_ < minimum_) return true;
    pairs_[peer].released = 0;
    free_ -= minimum_;
    return true;
  }
  std::uint64_t granted_bytes(peer_id peer) const noexcept {
    return std::uint64_t{out(pairs_[peer])} * block;
  }
  void open(peer_id peer, std::uint64_t bytes) noexcept {
    const std::uint64_t granted = detail::lesser(bytes / block, std::uint64_t{budget});
    pairs_[peer].sent = minimum_ - static_cast<std::uint32_t>(granted);
  }
  void drop(peer_id peer) noexcept {
    pair& p = pairs_[peer];
    vacate(p);
    free_ += out(p);
    shut(p);
  }

 private:
  static constexpr std::uint64_t block = 64;
  static constexpr auto budget = static_cast<std::uint32_t>(BudgetBytes / block);
  static constexpr std::uint32_t ahead_max = 256;  // Blocks prepaid at a time.
  static constexpr std::uint32_t share_min = 16;   // Blocks; smaller shares are not worth a class.

  /// Counts of blocks, modulo 2^32. All zero at first: the minimum of a pair is not counted as
  /// granted.
  struct pair {
    std::uint32_t sent = 0;      // To the peer; with blocks prepaid, and blocks given back.
    std::uint32_t limit = 0;     // Last count received from the peer.
    std::uint32_t released = 0;  // From the peer; with blocks that it has given back.
    std::uint32_t granted = 0;   // To the peer, beyond its minimum.
    std::uint32_t reported = 0;  // Value of `granted` last advertised.
    std::uint32_t alarm = 0;     // Value of `released`, less half a minimum, at which half of the
                                 // advertised window is used.
    std::uint16_t place = 0;     // In places_; 0: none.
    bool asked = false;          // To give back what it does not use.
    bool demoted = false;        // Once more, after it was asked.
    bool favoured = false;       // By the user; it has a place.
    bool gone = false;           // Nothing more will come from it.
  };
  /// Share of the memory beyond the minima. Those of a class are equal and adjacent.
  struct place {
    peer_id holder = any_peer;
    std::uint32_t share = 0;
    std::uint32_t heard = 0;  // Value of clock_ when the holder last sent.
  };

  static std::uint32_t blocks(std::size_t bytes) noexcept {
    return static_cast<std::uint32_t>(unexpected_cost(bytes) / block);
  }
  /// Blocks that this rank may still send.
  std::uint32_t left(const pair& p) const noexcept { return p.limit + minimum_ - p.sent; }
  bool raise(pair& p, std::uint32_t count) noexcept {
    if (count - p.limit > budget || count + minimum_ - p.sent > budget) return false;
    p.limit = count;
    return true;
  }

  /// Blocks that the peer may hold here, arrived or not. Their sum and free_ is the budget.
  std::uint32_t out(const pair& p) const noexcept { return p.granted + minimum_ - p.released; }
  std::uint32_t target(const pair& p) const noexcept { return minimum_ + places_[p.place].share; }
  /// Grants what is missing to the peer's share, as far as memory is free. Returns false if nothing
  /// was granted.
  bool refill(pair& p) noexcept {
    const std::uint32_t now = out(p);
    const std::uint32_t wanted = target(p);
    if (now >= wanted) return false;
    const std::uint32_t more = detail::lesser(wanted - now, free_);
    p.granted += more;
    free_ -= more;
    return more != 0;
  }
  void take(pair& p, std::uint32_t units) noexcept {
    p.released += units;
    free_ += units;
    report(p, p.reported);
  }
  void report(pair& p, std::uint32_t count) noexcept {
    p.reported = count;
    p.alarm = p.released + (count + minimum_ - p.released) / 2 - half_minimum_;
  }
  /// True if there is something to tell the peer, and it has used half of what it knows of.
  bool is_due(const pair& p) const noexcept {
    return p.granted != p.reported &&
           static_cast<std::int32_t>(p.released - p.alarm - half_minimum_) > 0;
  }

  void heard(const pair& p, std::uint32_t n) noexcept {
    clock_ += n;
    places_[p.place].heard = clock_;
  }
  bool is_vacant(std::size_t i) const noexcept { return places_[i].holder == any_peer; }
  pair& holder(std::size_t i) noexcept { return pairs_[places_[i].holder]; }
  bool is_silent(std::size_t i) noexcept {
    return clock_ - places_[i].heard >= places_[i].share && !holder(i).favoured;
  }
  /// Returns a place of the best class that has a vacant place or a silent holder, a vacant one if
  /// there is one. Returns the peer's own place if no better class has either.
  std::size_t better_place(const pair& p) noexcept {
    std::size_t found = p.place;
    for (std::size_t i = 1; i < places_.size(); ++i) {
      if (places_[i].share <= places_[p.place].share) break;
      if (found != p.place && places_[i].share < places_[found].share) break;
      if (is_vacant(i)) return i;
      const std::uint32_t since = clock_ - places_[i].heard;
      const bool longer = found == p.place || since > clock_ - places_[found].heard;
      if (is_silent(i) && longer) found = i;
    }
    return found;
  }
  void take_vacant(peer_id peer) noexcept {
    for (std::size_t i = 1; i < places_.size(); ++i)
      if (is_vacant(i)) return static_cast<void>(move_to(peer, i));
  }
  /// Gives a place to `peer`, whose place goes to the former holder. Returns that one if it has to
  /// give memory back, else any_peer.
  peer_id move_to(peer_id peer, std::size_t i) noexcept {
    pair& p = pairs_[peer];
    const std::uint16_t before = p.place;
    const peer_id other = places_[i].holder;
    if (before != 0) places_[before].holder = other;
    places_[i].holder = peer;
    places_[i].heard = clock_;
    p.place = static_cast<std::uint16_t>(i);
    bool owes = false;
    if (other != any_peer) {
      pair& o = pairs_[other];
      o.place = before;
      const bool has_more = out(o) > target(o);
      owes = has_more && !o.asked;
      o.demoted = has_more && o.asked;
      o.asked = o.asked || owes;
    }
    refill(p);
    return owes ? other : any_peer;
  }
  void vacate(pair& p) noexcept {
    if (p.place != 0) places_[p.place].holder = any_peer;
    p.place = 0;
    p.favoured = false;
    p.asked = false;
    p.demoted = false;
  }
  /// Neither side may send.
  void shut(pair& p) noexcept { p = {.sent = minimum_, .released = minimum_}; }

  plain_array<pair> pairs_;
  plain_array<place> places_;  // Best first; 0 is that of peers without one.
  std::uint32_t minimum_;      // Blocks.
  std::uint32_t half_minimum_;
  std::uint32_t free_;       // Blocks granted to no peer.
  std::uint32_t clock_ = 0;  // Blocks released, or announced for lack of credit, by all peers.
  std::uint32_t in_class_;
};

}  // namespace mpx::inline v0::flow
