// SPDX-License-Identifier: BSL-1.0
#pragma once
// Checks of a program that cost time and code, for programs under development or not trusted. A
// program includes this header in addition to mpx.hpp.

#include "mpx/macros/begin.hpp"

#include "mpx/coll/checks/compare_calls.hpp"
#include "mpx/engine/axes/checks.hpp"

namespace mpx::inline v0::checks {

/// The ranks of a communicator compare their collective calls before they make them. Calls that do
/// not match fail with errc::call_mismatch at every rank, with a text that names two ranks, their
/// calls and the source lines. None of the calls is made, and the communicator stays usable.
///
/// Compared are: the operation, its root, its form (blocking or started), an algorithm requested by
/// `with`, lengths including those between pairs of ranks, kind and size of elements, the operation
/// of a reduction (MPI's by name, all others are alike), neighbours, and calls that make
/// communicators except create_group; for intercommunicators not roots and lengths. Calls that make
/// windows are compared with kind and size of their elements; fences and the free of a window are
/// compared with each other, among calls of that window. Leaving the job is compared with calls of
/// the world: if the environment of a rank ends while other ranks are in such a call, that is
/// reported on stderr and to them by errc::call_mismatch, and the rank leaves when they do. Not
/// compared: agree, shrink, the order of calls on several communicators (a window has its own: a
/// hang report names both calls), and leaving with calls on communicators other than the world.
/// std::byte matches any element. All ranks must choose this policy, or none.
/// Cost:       log2(size) rounds of one packet before each call, which then waits for all ranks;
///             twice that and a packet for each pair if lengths are between pairs.
struct collectives {
  using policy_axis = checks_axis;
  static constexpr std::string_view name = "collectives";
  static constexpr bool compares_types = false;
  static constexpr bool compares_collectives = true;
  template <class Matcher>
  using matcher = Matcher;
  using call_mark = detail::marked_call;

  /// Adds the steps by which ranks compare a call.
  /// Returns:    false if memory is exhausted, or, for steps that run at once, if calls do not
  ///             match.
  template <class S, class What>
  static bool compare_call(S& steps, const What& what, coll::algorithm by, const call_mark& mark) {
    return detail::compare_call(steps, what, by, mark);
  }
  /// As compare_call, for a call that makes a communicator, or consists of other steps than a
  /// collective.
  template <class S, class Members = std::nullptr_t>
  static bool compare_named(S& steps, const detail::call_site& site, const char* how,
                            detail::type_code elements = 0, const Members& members = nullptr) {
    return detail::compare_named(steps, site, how, elements, members);
  }
  /// Last call of each rank on its world. Returns when all ranks leave, or some are lost.
  template <class Stack>
  static void compare_leaving(const detail::point_to_point<Stack>& world,
                              std::source_location where) {
    detail::compare_leaving(world, where);
  }
};

/// Reports with errc::rma_conflict accesses to windows that overlap within an epoch if one of them
/// is a put, or only one is an accumulate. Accesses of one rank are checked at the access; those of
/// several ranks at the target, by the fence that ends the epoch. (Accesses under locks of
/// different ranks are not compared.) All ranks must choose this policy, or none.
/// Cost:       each access is recorded and compared with those of its epoch; each fence exchanges
///             all of them.
struct rma : none {
  using policy_axis = checks_axis;
  static constexpr std::string_view name = "rma";
  static constexpr bool compares_accesses = true;
};

/// Combines the checks of `types`, `collectives` and `rma`.
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
