// SPDX-License-Identifier: BSL-1.0
#pragma once
// Groups derived from groups: unions, selections, ranges. Results have the most compact
// representation.

#include "mpx/macros/begin.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

#include "mpx/core/error.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/plain_array.hpp"

namespace mpx::inline v0 {

/// Result of comparing two groups or communicators.
enum class comparison : std::uint8_t {
  identical,  ///< Same members in the same order; for communicators: the same communicator.
  congruent,  ///< Communicators with identical groups.
  similar,    ///< Same members in different order.
  unequal,    ///< Different members.
};

/// Ranks first, first + stride, ... up to last.
struct rank_range {
  /// First rank.
  rank_t first = 0;
  /// Bound; included if the stride meets it.
  rank_t last = 0;
  /// Step to the next rank; not 0.
  rank_t stride = 1;
};

/// Stores to `into` the rank in `to` of each member of `from` listed in `ranks`; proc_null for
/// members that are not in `to`, and for proc_null.
/// Requires:   `into` is as long as `ranks`.
/// Errors:     errc::rank, with the entry.
/// Source:     MPI 4.1, 7.3.1.
inline void translate_ranks(const group& from, std::span<const rank_t> ranks, const group& to,
                            std::span<rank_t> into,
                            std::source_location where = std::source_location::current()) {
  if (into.size() != ranks.size())
    throw error(errc::argument,
                detail::formatted("translate_ranks: %zu ranks, and room for %zu", ranks.size(),
                                  into.size()),
                where);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const rank_t r = ranks[i];
    if (r != proc_null && (r < 0 || r >= from.size()))
      throw error(errc::rank,
                  detail::formatted("translate_ranks: entry %zu is rank %d: ranks are 0 .. %d", i,
                                    r, from.size() - 1),
                  where);
    const peer_id peer = r == proc_null ? null_peer : from.peer_of(r);
    into[i] = to.contains(peer) ? to.rank_of(peer) : rank_t{proc_null};
  }
}

/// Compares two groups.
/// Returns:    identical, similar or unequal.
/// Cost:       constant for groups of the same kind other than table, else n log n.
inline comparison compare(const group& a, const group& b) noexcept {
  if (a.size() != b.size()) return comparison::unequal;
  if (a == b) return comparison::identical;
  for (rank_t r = 0; r < a.size(); ++r)
    if (!b.contains(a.peer_of(r))) return comparison::unequal;
  return comparison::similar;
}

namespace detail {

/// Builds a group from the members added.
/// Errors:     errc::no_resources.
class group_builder {
 public:
  explicit group_builder(peer_id self) noexcept : self_(self) {}
  void add(peer_id peer) { peers_.push_back(peer); }
  group made() const {
    return group::table(std::span<const peer_id>(peers_.begin(), peers_.size()), self_);
  }

 private:
  peer_id self_;
  plain_array<peer_id> peers_;
};

/// A mark for each rank of a group. Errors name the entry that is out of range or occurs twice.
class rank_marks {
 public:
  rank_marks(const char* what, const group& g, std::source_location where)
      : what_(what), where_(where), size_(g.size()), marks_(room(g)) {}
  void mark(rank_t rank, std::size_t entry) {
    if (rank < 0 || rank >= size_)
      throw error(
          errc::rank,
          formatted("%s: entry %zu is rank %d: ranks are 0 .. %d", what_, entry, rank, size_ - 1),
          where_);
    bool& is = marks_[static_cast<std::size_t>(rank)];
    if (is)
      throw error(errc::rank,
                  formatted("%s: entry %zu is rank %d, which is there already", what_, entry, rank),
                  where_);
    is = true;
  }
  bool is(rank_t rank) const noexcept { return marks_[static_cast<std::size_t>(rank)]; }

 private:
  static std::size_t room(const group& g) {
    return g.size() == 0 ? 1 : static_cast<std::size_t>(g.size());
  }
  const char* what_;
  std::source_location where_;
  rank_t size_;
  plain_array<bool> marks_;
};

/// Calls take(rank, entry) for each rank of the ranges.
/// Errors:     errc::argument for a stride of 0.
template <class Take>
void for_each_in(const char* what, std::span<const rank_range> ranges, std::source_location where,
                 Take&& take) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const rank_range& r = ranges[i];
    if (r.stride == 0)
      throw error(
          errc::argument,
          formatted("%s: entry %zu, ranks %d .. %d, has stride 0", what, i, r.first, r.last),
          where);
    const std::int64_t last = r.last;
    for (std::int64_t at = r.first; r.stride > 0 ? at <= last : at >= last; at += r.stride)
      take(static_cast<rank_t>(at), i);
  }
}

}  // namespace detail

/// Returns the members of `a`, followed by those of `b` that are not in `a`.
/// Source:     MPI 4.1, 7.3.2.
[[nodiscard]] inline group union_of(const group& a, const group& b) {
  detail::group_builder made(a.self());
  for (rank_t r = 0; r < a.size(); ++r) made.add(a.peer_of(r));
  for (rank_t r = 0; r < b.size(); ++r)
    if (!a.contains(b.peer_of(r))) made.add(b.peer_of(r));
  return made.made();
}
/// Returns the members of `a` that are in `b`, in the order of `a`.
[[nodiscard]] inline group intersection_of(const group& a, const group& b) {
  detail::group_builder made(a.self());
  for (rank_t r = 0; r < a.size(); ++r)
    if (b.contains(a.peer_of(r))) made.add(a.peer_of(r));
  return made.made();
}
/// Returns the members of `a` that are not in `b`, in the order of `a`.
[[nodiscard]] inline group difference_of(const group& a, const group& b) {
  detail::group_builder made(a.self());
  for (rank_t r = 0; r < a.size(); ++r)
    if (!b.contains(a.peer_of(r))) made.add(a.peer_of(r));
  return made.made();
}

/// Returns the members listed in `ranks`, in that order.
/// Errors:     errc::rank if an entry is not a rank of `from`, or occurs twice.
[[nodiscard]] inline group include(const group& from, std::span<const rank_t> ranks,
                                   std::source_location where = std::source_location::current()) {
  detail::rank_marks marks("include", from, where);
  detail::group_builder made(from.self());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    marks.mark(ranks[i], i);
    made.add(from.peer_of(ranks[i]));
  }
  return made.made();
}
/// Returns the members not listed in `ranks`, in their order.
/// Errors:     as of `include`.
[[nodiscard]] inline group exclude(const group& from, std::span<const rank_t> ranks,
                                   std::source_location where = std::source_location::current()) {
  detail::rank_marks marks("exclude", from, where);
  for (std::size_t i = 0; i < ranks.size(); ++i) marks.mark(ranks[i], i);
  detail::group_builder made(from.self());
  for (rank_t r = 0; r < from.size(); ++r)
    if (!marks.is(r)) made.add(from.peer_of(r));
  return made.made();
}
/// As `include`, with all ranks of the ranges.
/// Errors:     also errc::argument for a stride of 0.
inline group include_ranges(const group& from, std::span<const rank_range> ranges,
                            std::source_location where = std::source_location::current()) {
  detail::rank_marks marks("include_ranges", from, where);
  detail::group_builder made(from.self());
  detail::for_each_in("include_ranges", ranges, where, [&](rank_t r, std::size_t entry) {
    marks.mark(r, entry);
    made.add(from.peer_of(r));
  });
  return made.made();
}
/// As `exclude`, with all ranks of the ranges.
/// Errors:     also errc::argument for a stride of 0.
inline group exclude_ranges(const group& from, std::span<const rank_range> ranges,
                            std::source_location where = std::source_location::current()) {
  detail::rank_marks marks("exclude_ranges", from, where);
  detail::for_each_in("exclude_ranges", ranges, where,
                      [&](rank_t r, std::size_t entry) { marks.mark(r, entry); });
  detail::group_builder made(from.self());
  for (rank_t r = 0; r < from.size(); ++r)
    if (!marks.is(r)) made.add(from.peer_of(r));
  return made.made();
}

}  // namespace mpx::inline v0

#include "mpx/macros/end.hpp"
