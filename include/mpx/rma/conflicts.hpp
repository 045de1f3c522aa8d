// SPDX-License-Identifier: BSL-1.0
#pragma once
// Detects accesses of an epoch that must not overlap, for stacks with checks::rma.

#include <cstddef>
#include <cstdint>

#include "mpx/core/numbers.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/types.hpp"
#include "mpx/rma/concepts.hpp"

namespace mpx::inline v0::detail {

/// True if the stack compares the accesses of an epoch.
template <class Stack>
inline constexpr bool compares_accesses =
    requires { requires Stack::checks_type::compares_accesses; };

/// Range of a target's memory touched by an access.
struct rma_touched {
  std::uint64_t at;
  std::uint64_t bytes;
  rma::action what;
  rank_t origin;

  bool combines() const noexcept { return what >= rma::action::accumulate; }
  /// Overlapping gets do not conflict, nor do overlapping accumulates. Source: MPI 4.1, 12.7.
  bool conflicts_with(const rma_touched& o) const noexcept {
    if (at >= o.at + o.bytes || o.at >= at + bytes) return false;
    if (combines() && o.combines()) return false;
    return what != rma::action::get || o.what != rma::action::get;
  }
  bool continues(const rma_touched& o) const noexcept {
    return o.at + o.bytes == at && o.what == what && o.origin == origin;
  }
};

/// Accesses of an epoch to one target, by one or several origins.
class rma_record_of_accesses {
 public:
  /// Returns the first recorded access that conflicts with `x`; nullptr: none. `others_only`:
  /// ignores those of the same origin.
  const rma_touched* first_conflict(const rma_touched& x, bool others_only = false) const noexcept {
    for (const rma_touched& o : all_)
      if (x.conflicts_with(o) && (!others_only || o.origin != x.origin)) return &o;
    return nullptr;
  }
  /// Records `x`. Drops it silently if memory is exhausted.
  void keep(const rma_touched& x) noexcept {
    if (!all_.empty() && x.continues(all_.end()[-1])) {
      all_.end()[-1].bytes += x.bytes;
    } else {
      static_cast<void>(all_.try_push_back(x));
    }
  }
  /// Records `x` if it conflicts with no recorded access.
  /// Returns:    the conflicting access, else nullptr.
  const rma_touched* add(const rma_touched& x, bool others_only = false) noexcept {
    const rma_touched* const other = first_conflict(x, others_only);
    if (other == nullptr) keep(x);
    return other;
  }
  /// Removes `x`, which has been recorded. Where recorded ranges of the same kind overlap, each
  /// byte of `x` is removed from one of them.
  void take_back(const rma_touched& x) noexcept {
    const std::uint64_t end = x.at + x.bytes;
    std::uint64_t at = x.at;
    for (std::size_t i = all_.size(); i-- > 0 && at < end;) {
      const rma_touched o = all_[i];
      if (o.what != x.what || o.origin != x.origin || at < o.at || at >= o.at + o.bytes) continue;
      const std::uint64_t until = lesser(end, o.at + o.bytes);
      if (at > o.at) {
        all_[i].bytes = at - o.at;
      } else {
        all_.erase(i);
      }
      if (until < o.at + o.bytes)
        static_cast<void>(all_.try_push_back({until, o.at + o.bytes - until, o.what, o.origin}));
      at = until;
      i = all_.size();
    }
  }
  void clear() noexcept { all_.clear(); }
  const plain_array<rma_touched>& all() const noexcept { return all_; }

 private:
  plain_array<rma_touched> all_;
};

}  // namespace mpx::inline v0::detail
