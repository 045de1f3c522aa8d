// SPDX-License-Identifier: BSL-1.0
#pragma once
// Matching by the receive portal of Puma: a match list of posted receives, and behind it two
// catch-all entries that share one heap of unexpected messages.

#include <cstdint>

#include "mpx/matching/concepts.hpp"

namespace mpx::inline v0::matching {

/// A match list, searched from its first entry on.
///
/// Puma's 64 match bits hold 32 bits of tag, 16 of source rank, 13 of context and 3 of type. In mpx
/// tag and context take 32 bits each. So the source (32 bits) is a criterion of its own, and the
/// type is the kind of the packet: an eager message (short) is kept whole by the first catch-all
/// entry, the header of an announced one (long) by the second. Both entries are overlaid on one
/// heap, so that a receive finds the earliest message whatever its type. A ready message has no
/// catch-all entry: the inbox refuses it.
/// Cost:       two comparisons if a message belongs to the first posted receive; else a step for
///             each receive posted before its own, or for each unexpected message before the one
///             that a receive takes. There are no tables, and no memory is allocated.
/// Source:     Puma, section 2 and figure 1.
class portals {
 public:
  using policy_axis = matching_axis;
  static constexpr std::string_view name = "portals";

  bool nothing_posted() const noexcept { return entries_.empty(); }
  std::uint32_t stored() const noexcept { return heap_.empty() ? 0 : 1; }

  [[MPX_ALWAYS_INLINE]] posted_receive* match_arrival(envelope is) noexcept {
    if (nothing_posted()) return nullptr;
    posted_receive& first = entries_.front();
    if (first.want.bits != is.bits || first.want.source != is.source) [[unlikely]]
      return search(is.bits, is.source);
    entries_.pop_front();
    return &first;
  }

  [[MPX_ALWAYS_INLINE]] unexpected_message* match_receive(const pattern& want) noexcept {
    if (heap_.empty()) return nullptr;
    unexpected_message* const m = find(want);
    if (m != nullptr) withdraw(*m);
    return m;
  }
  [[gnu::noinline]] unexpected_message* find(const pattern& want) noexcept {
    for (unexpected_message& m : heap_)
      if (want.matches(m.is)) return &m;
    return nullptr;
  }

  [[MPX_ALWAYS_INLINE]] void post(posted_receive& r) noexcept { entries_.push_back(r); }
  [[MPX_ALWAYS_INLINE]] void store(unexpected_message& m) noexcept { heap_.push_back(m); }
  void cancel(posted_receive& r) noexcept { entries_.erase(r); }
  [[MPX_ALWAYS_INLINE]] void withdraw(unexpected_message& m) noexcept { heap_.erase(m); }

  template <class F>
  void for_each(F&& f) {
    for (auto it = heap_.begin(); it != heap_.end();) f(*it++);
  }
  template <class F>
  void for_each_newest(F&& f) {
    for (auto at = --heap_.end(); at != heap_.end();) {
      unexpected_message& m = *at;
      --at;
      if (!f(m)) return;
    }
  }

 private:
  /// Searches the match list. Each entry that fails goes on at the following one.
  [[gnu::noinline]] posted_receive* search(match_bits bits, peer_id source) noexcept {
    const envelope is{bits, source};
    for (posted_receive& r : entries_) {
      if (!r.want.matches(is)) continue;
      entries_.erase(r);
      return &r;
    }
    return nullptr;
  }

  linked_list<posted_receive, posting_tag> entries_;
  linked_list<unexpected_message, arrival_tag> heap_;
};

}  // namespace mpx::inline v0::matching
