// SPDX-License-Identifier: BSL-1.0
#pragma once
// Matching by order of posting for the first few candidates, then by hash tables over (context,
// source, tag): constant time for any number of pending receives and messages, if receives name
// their source and tag. Most messages match the receive posted first. Therefore the first few
// receives are compared before any hash is computed, and receives and messages are inserted into
// tables only when one has to be found among many. If messages arrive in the reverse order of their
// receives, the receive posted last is tried as well: no earlier one can match if all tags rise, or
// all fall.

#include <cstdint>

#include "mpx/core/bucket_table.hpp"
#include "mpx/matching/concepts.hpp"

namespace mpx::inline v0::matching {

namespace detail {

constexpr std::uint32_t mix(match_bits bits, peer_id source) noexcept {
  const std::uint64_t h = (bits ^ source * 0x9e37'79b1u) * 0xd6e8'feb8'6659'fd93u;
  return static_cast<std::uint32_t>(h >> 32);
}

struct key_hash {
  std::uint32_t operator()(const posted_receive& r) const noexcept {
    return mix(r.want.bits, r.want.source);
  }
  std::uint32_t operator()(const unexpected_message& m) const noexcept {
    return mix(m.is.bits, m.is.source);
  }
};
template <class Node>
using key_table = mpx::detail::bucket_table<Node, match_tag, key_hash>;

}  // namespace detail

/// Default matcher.
/// Cost:       one comparison if messages arrive in the order of their receives; O(1) for receives
///             that name source and tag. Each pending wildcard receive adds a step to each arrival;
///             a wildcard receive searches the unexpected messages in order. O(pending / buckets)
///             if memory for larger tables is exhausted.
class hashed {
 public:
  using policy_axis = matching_axis;
  static constexpr std::string_view name = "hashed";

  bool nothing_posted() const noexcept { return posted_.begin() == posted_.end(); }
  std::uint32_t stored() const noexcept { return stored_count_; }

  [[MPX_ALWAYS_INLINE]] posted_receive* match_arrival(envelope is) noexcept {
    if (nothing_posted()) return nullptr;
    posted_receive& first = posted_.front();
    // Equal to is.source or any_peer only if `first` is in no table or run (sequence 0).
    const std::uint64_t from = first.want.source_and_sequence();
    if (first.want.bits != is.bits) [[unlikely]]
      return match_behind(is.bits, is.source);
    if (from != is.source) [[unlikely]] {
      if (from != any_peer) return match_behind(is.bits, is.source);
    }
    posted_.pop_front();
    return &first;
  }

  [[MPX_ALWAYS_INLINE]] unexpected_message* match_receive(const pattern& want) noexcept {
    return stored_count_ == 0 ? nullptr : take(want);
  }
  [[MPX_ALWAYS_INLINE]] unexpected_message* find(const pattern& want) noexcept {
    unsigned looks = 0;
    for (unexpected_message& m : stored_) {
      if (equal(want, m.is) || want.matches(m.is)) return &m;
      if (++looks == looks_max && want.exact()) return find_hashed(want);
    }
    return nullptr;
  }

  [[MPX_ALWAYS_INLINE]] void post(posted_receive& r) noexcept { posted_.push_back(r); }

  [[MPX_ALWAYS_INLINE]] void store(unexpected_message& m) noexcept {
    m.hashed = false;
    stored_.push_back(m);
    ++stored_count_;
  }

  void cancel(posted_receive& r) noexcept {
    if (is_in_table(r)) {
      if (r.want.exact()) {
        exact_.erase(r);
      } else {
        wild_.erase(r);
      }
    }
    r.want.sequence = 0;
    posted_.erase(r);
  }

  [[MPX_ALWAYS_INLINE]] void withdraw(unexpected_message& m) noexcept {
    if (m.hashed) hashed_.erase(m);
    stored_.erase(m);
    --stored_count_;
  }

  template <class F>
  void for_each(F&& f) {
    [[maybe_unused]] std::uint32_t left = stored_count_;
    for (auto it = stored_.begin(); it != stored_.end();) {
      MPX_INVARIANT(left-- != 0);  // Ends the loop if `f` withdrew the next message.
      f(*it++);
    }
  }
  template <class F>
  void for_each_newest(F&& f) {
    for (auto at = --stored_.end(); at != stored_.end();) {
      unexpected_message& m = *at;
      --at;
      if (!f(m)) return;
    }
  }

 private:
  static constexpr unsigned looks_max = 4;  // Comparisons before a hash is used.
  static constexpr std::uint32_t buckets_min = 16;
  // Values of `sequence`. 0: the receive is in no table and no run. in_run: it is in no table, and
  // its context and tag differ from those of all receives before it. Else its position in the order
  // of posting, and it is in a table. Nonzero receives are those posted first: all are in tables,
  // or all are in a run.
  static constexpr std::uint32_t in_run = ~std::uint32_t{0};
  static constexpr std::uint32_t sequence_max = in_run - 1;
  static constexpr unsigned rises = 1, falls = 2;  // Direction of the tags of a run.

  static bool is_in_table(const posted_receive& r) noexcept {
    return r.want.sequence - 1 < sequence_max;
  }

  static bool equal(const pattern& want, const envelope& is) noexcept {
    return want.bits == is.bits && want.source == is.source;
  }

  [[gnu::noinline]] unexpected_message* take(const pattern& want) noexcept {
    unexpected_message* m = find(want);
    if (m != nullptr) withdraw(*m);
    return m;
  }
  [[gnu::noinline]] unexpected_message* find_hashed(const pattern& want) noexcept {
    auto at = stored_.end();  // The messages stored last are in no table yet.
    while (at != stored_.begin()) {
      --at;
      if (!(*at).hashed) continue;
      ++at;
      break;
    }
    for (; at != stored_.end(); ++at) {
      (*at).hashed = true;
      hashed_.insert(*at);
    }
    for (unexpected_message& m : hashed_.at(detail::mix(want.bits, want.source)))
      if (equal(want, m.is)) return &m;
    return nullptr;
  }

  /// Returns the earliest receive that matches, if the first one did not match or is in a table.
  [[gnu::noinline]] posted_receive* match_behind(match_bits bits, peer_id source) noexcept {
    const envelope is{bits, source};
    const bool tables_are_used = is_in_table(posted_.front());
    if (last_pays_ && !tables_are_used) {
      if (posted_receive* const last = match_last(is); last != nullptr) return last;
      last_pays_ = false;
      end_run();
    }
    // If the first one is in a table, recent messages have matched others in tables.
    const unsigned looks_most = tables_are_used ? 1 : looks_max;
    unsigned looks = 0;
    for (posted_receive& r : posted_) {
      if (looks++ == looks_most) return match_hashed(is);
      if (!r.want.matches(is)) continue;
      cancel(r);
      return &r;
    }
    return nullptr;
  }

  /// Returns the receive posted last if it matches and no other receive can match; else nullptr.
  posted_receive* match_last(const envelope& is) noexcept {
    posted_receive& last = *--posted_.end();
    if (!equal(last.want, is)) return nullptr;
    if (last.want.sequence != in_run && !extend_run()) return nullptr;
    cancel(last);
    return &last;
  }
  /// Returns true if the run extends to the receive posted last.
  /// Cost:       a comparison for each receive added since.
  bool extend_run() noexcept {
    const auto begin = posted_.begin();
    auto at = --posted_.end();
    unsigned ways = (*begin).want.sequence == in_run ? run_ways_ : rises | falls;
    while (at != begin && (*at).want.sequence != in_run) {
      const pattern& later = (*at).want;
      const pattern& one = (*--at).want;
      ways &= one.bits < later.bits ? rises : one.bits > later.bits ? falls : 0;
      if (ways == 0 || later.ignore != 0) return false;
    }
    if ((*at).want.ignore != 0) return false;
    run_ways_ = ways;
    for (at = --posted_.end(); (*at).want.sequence != in_run; --at) {
      (*at).want.sequence = in_run;
      if (at == begin) break;
    }
    return true;
  }
  void end_run() noexcept {
    for (posted_receive& r : posted_) {
      if (r.want.sequence != in_run) return;
      r.want.sequence = 0;
    }
  }

  [[gnu::noinline]] posted_receive* match_hashed(const envelope& is) noexcept {
    hash_posted();
    posted_receive* hit = nullptr;
    for (posted_receive& r : exact_.at(detail::mix(is.bits, is.source))) {
      if (!equal(r.want, is)) continue;
      hit = &r;
      break;
    }
    if (!wild_.empty()) [[unlikely]] {
      if (posted_receive* w = earlier_wildcard(is, hit); w != nullptr) hit = w;
    }
    if (hit != nullptr) {
      last_pays_ = hit == &*--posted_.end();
      cancel(*hit);
    }
    return hit;
  }
  /// Inserts the receives posted last, which are in no table yet, into tables.
  void hash_posted() noexcept {
    auto at = posted_.end();
    while (at != posted_.begin()) {
      --at;
      if ((*at).want.sequence == 0) continue;
      ++at;
      break;
    }
    for (; at != posted_.end(); ++at) {
      posted_receive& r = *at;
      if (last_sequence_ == sequence_max) [[unlikely]]
        renumber();
      r.want.sequence = ++last_sequence_;
      if (r.want.exact()) {
        exact_.insert(r);
      } else {
        wild_.push_back(r);
      }
    }
  }
  void renumber() noexcept {
    last_sequence_ = 0;
    for (posted_receive& r : posted_)
      if (r.want.sequence != 0) r.want.sequence = ++last_sequence_;
  }
  posted_receive* earlier_wildcard(const envelope& is, const posted_receive* hit) noexcept {
    for (posted_receive& w : wild_) {
      if (hit != nullptr && hit->want.sequence < w.want.sequence) return nullptr;
      if (w.want.matches(is)) return &w;
    }
    return nullptr;
  }

  std::uint32_t stored_count_ = 0;
  linked_list<posted_receive, posting_tag> posted_;
  linked_list<unexpected_message, arrival_tag> stored_;
  std::uint32_t last_sequence_ = 0;
  unsigned run_ways_ = 0;   // Possible directions of the run's tags: rises, falls or both.
  bool last_pays_ = false;  // The next message probably matches the receive posted last.
  detail::key_table<posted_receive> exact_{buckets_min};
  linked_list<posted_receive, match_tag> wild_;
  detail::key_table<unexpected_message> hashed_{buckets_min};
};

}  // namespace mpx::inline v0::matching
