// SPDX-License-Identifier: BSL-1.0
#pragma once
// Checks of a program that cost time and code, for stacks of programs that are being written or not
// trusted. Included beside mpx.hpp by programs that use them.

#include "mpx/macros/begin.hpp"

#include "mpx/coll/compare_calls.hpp"
#include "mpx/engine/checks.hpp"

namespace mpx::inline v0::checks {

/// The ranks of a communicator compare their collective calls before they make them. Calls that do
/// not go together are errc::call_mismatch at every rank, with a text that names two ranks and what
/// they called, where; none of them is made, and the communicator can be used as before. Compared
/// are: the operation, its root, its form (that blocks or is started), an algorithm asked for by
/// `with`, lengths, also those between two ranks, the elements' kind and length, what a reduction
/// combines with (operations of MPI's by name, all others are alike), neighbours, and calls that
/// make communicators but create_group; across an intercommunicator not roots and lengths. Calls
/// that make windows, with their elements' kind and length, fences and what frees a window are
/// compared, the latter two with each other: among calls of one window.
/// Leaving the job is compared with calls of the world: a rank whose environment ends while others
/// are in such a call tells that on stderr, and them by errc::call_mismatch, and leaves when they
/// do. Not compared: agree, shrink, the order of calls of several communicators (of which a
/// window's is one: a hang report names both calls), and leaving with calls of others than the
/// world. std::byte goes with anything. All ranks choose it, or none.
/// Cost: log2(size) rounds of a packet before each call, which waits for all ranks then; twice that
/// and a packet for each pair where lengths are those of pairs.
struct collectives {
  using policy_axis = checks_axis;
  static constexpr std::string_view name = "collectives";
  static constexpr bool compares_types = false;
  static constexpr bool compares_collectives = true;
  template <class Matcher>
  using matcher = Matcher;
  using call_mark = detail::marked_call;

  /// The steps by which ranks compare a call. Returns: false if there is no memory, or, of steps
  /// that act at once, if calls do not go together.
  template <class S, class What>
  static bool compare_call(S& steps, const What& what, coll::algorithm by, const call_mark& mark) {
    return detail::compare_call(steps, what, by, mark);
  }
  /// The same of a call that makes a communicator, or is made by other steps than a collective's.
  template <class S, class Members = std::nullptr_t>
  static bool compare_named(S& steps, const detail::call_site& site, const char* how,
                            detail::type_code elements = 0, const Members& members = nullptr) {
    return detail::compare_named(steps, site, how, elements, members);
  }
  /// The last call of each rank on its world. Returns when all leave, or some are lost.
  template <class Stack>
  static void compare_leaving(const detail::point_to_point<Stack>& world,
                              std::source_location where) {
    detail::compare_leaving(world, where);
  }
};

/// Accesses to windows that overlap within an epoch, one of them a put, or one an accumulate and
/// the other not, are errc::rma_conflict: of one rank at the access that finds it, of several at
/// the target, by the fence that ends the epoch. (What ranks do under locks of their own is not
/// compared.) All ranks choose it, or none. Cost: each access is written down and compared with
/// those of its epoch; an exchange of all of them for each fence.
struct rma : none {
  using policy_axis = checks_axis;
  static constexpr std::string_view name = "rma";
  static constexpr bool compares_accesses = true;
};

/// What `types` checks, and what `collectives` and `rma` do.
struct all : collectives {
  using policy_axis = checks_axis;
  static constexpr std::string_view name = "all";
  static constexpr bool compares_accesses = true;
  static constexpr bool compares_types = true;
  template <class Matcher>
  using matcher = detail::type_matcher<Matcher>;
};

}  // namespace mpx::inline v0::checks

#include "mpx/macros/end.hpp"
