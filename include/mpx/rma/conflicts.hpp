// SPDX-License-Identifier: BSL-1.0
#pragma once
// Accesses of an epoch that must not overlap, for stacks that compare them (checks::rma).

#include <cstddef>
#include <cstdint>

#include "mpx/core/numbers.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/types.hpp"
#include "mpx/rma/concepts.hpp"

namespace mpx::inline v0::detail {

/// Whether a stack compares the accesses of an epoch.
template <class Stack>
inline constexpr bool compares_accesses =
    requires { requires Stack::checks_type::compares_accesses; };

/// What an access touches.
struct rma_touched {
  std::uint64_t at;
  std::uint64_t bytes;
  rma::action what;
  rank_t origin;

  bool combines() const noexcept { return what >= rma::action::accumulate; }
  /// MPI 4.1, 12.7: gets overlap gets, and accumulates each other.
  bool conflicts_with(const rma_touched& o) const noexcept {
    if (at >= o.at + o.bytes || o.at >= at + bytes) return false;
    if (combines() && o.combines()) return false;
    return what != rma::action::get || o.what != rma::action::get;
  }
  bool continues(const rma_touched& o) const noexcept {
    return o.at + o.bytes == at && o.what == what && o.origin == origin;
  }
};

/// The accesses of an epoch to one target, or of several origins to one.
class rma_record_of_accesses {
 public:
  /// nullptr: `x` conflicts with none. With `others_only` those of its own origin do not count.
  const rma_touched* first_conflict(const rma_touched& x, bool others_only = false) const noexcept {
    for (const rma_touched& o : all_)
      if (x.conflicts_with(o) && (!others_only || o.origin != x.origin)) return &o;
    return nullptr;
  }
  /// `x` counts from now on, as far as there is memory.
  void keep(const rma_touched& x) noexcept {
    if (!all_.empty() && x.continues(all_.end()[-1])) {
      all_.end()[-1].bytes += x.bytes;
    } else {
      static_cast<void>(all_.try_push_back(x));
    }
  }
  /// nullptr: `x` conflicts with none, and is kept.
  const rma_touched* add(const rma_touched& x, bool others_only = false) noexcept {
    const rma_touched* const other = first_conflict(x, others_only);
    if (other == nullptr) keep(x);
    return other;
  }
  /// `x`, which has been kept, counts no more. Of what overlaps it, and is like it, as much stays
  /// as was there before, whichever of them it is taken from.
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
