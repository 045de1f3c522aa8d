// SPDX-License-Identifier: BSL-1.0
#pragma once
// Recovery after a failure: revoke a communicator, agree, and continue in a smaller one.

#include <source_location>
#include <utility>

#include "mpx/comm/detail/agreement.hpp"
#include "mpx/comm/detail/create.hpp"
#include "mpx/engine/requests/forms.hpp"

namespace mpx::inline v0 {

/// Result of an agreement of the surviving ranks.
struct agreed {
  int value = 0;  ///< Bitwise AND of all contributions, with those of failed ranks that arrived.
  group failed;   ///< The failed ranks; ranks that fail during the call may be included.
};

namespace detail {

/// Fault tolerance of a communicator; a base of it.
///
/// An operation with a failed rank ends with errc::peer_lost at the ranks that it concerns; other
/// ranks may not know of the failure. To stop all ranks, one rank revokes the communicator. All
/// surviving ranks then `shrink` it, and continue in the new one.
/// Source:     MPI 5.0, 11 (User-Level Failure Mitigation).
template <class Communicator, class Stack>
class survivors {
 public:
  /// Revokes this communicator: all its calls end with errc::revoked, here and soon at all ranks.
  /// That includes waiting and later calls, except agree and shrink. Not collective: one rank is
  /// enough, even if it fails right after the call. A message that has matched its receive is still
  /// delivered. A long send that has not matched ends when its receiver has learned of the
  /// revocation.
  /// Cost:       At most 2 log2(size) packets.
  void revoke(std::source_location where = std::source_location::current()) const {
    const access a(self(), where);
    a.at().with_communicators([&](auto& all) { all.revoke(a.state()); });
  }
  /// Returns true if this rank knows that the communicator is revoked.
  bool is_revoked(std::source_location where = std::source_location::current()) const {
    const access a(self(), where);
    a.at().progress();
    return a.at().with_communicators([&](auto&) { return a.state().revoked; });
  }

  /// Agrees on the bitwise AND of all contributions and on the set of failed ranks. Survivors get
  /// the same result, even if ranks fail during the call. Collective over the survivors; it also
  /// works on a revoked communicator.
  /// Errors:     errc::no_resources.
  /// Cost:       See detail/agreement.hpp.
  template <class How = throws_t>
  requires BlockingForm<How>
  agreed agree(int value, How&& how = {},
               std::source_location where = std::source_location::current()) const {
    const access a(self(), where);
    agreed result;
    const errc why = guarded([&] {
      agreement<Stack> all(a, a.at(), a.state(), {"agree", where});
      contribution c = all.get();
      c.value = value;
      all.put(c);
      const errc ended = all.run();
      result = {all.get().value, those_of(a, [&](rank_t r) { return all.failed(r); })};
      return ended;
    });
    finish(a, why, how, "agree", where);
    return result;
  }

  /// Makes a communicator of the surviving ranks, in their order. Collective over them; it also
  /// works on a revoked communicator. All get the same ranks, of which some may have failed since.
  /// Errors:     errc::communicator, errc::no_resources; errc::peer_lost if the other ranks have
  ///             declared this rank failed.
  /// Cost:       One agreement; two if the lowest surviving rank did not know that it was.
  template <class How = throws_t>
  requires BlockingForm<How>
  Communicator shrink(How&& how = {},
                      std::source_location where = std::source_location::current()) const {
    const access a(self(), where);
    Communicator made;
    const errc why = guarded([&] { return shrink_to(a, made, {"shrink", where}); });
    finish(a, why, how, "shrink", where);
    return made;
  }

  /// Returns the ranks of this communicator that this rank knows to have failed.
  group failed(std::source_location where = std::source_location::current()) const {
    const access a(self(), where);
    a.at().progress();
    return those_of(a, lost_here(a));
  }
  /// As `failed`; receives from any source then wait for the remaining ranks again.
  group acknowledge_failures(std::source_location where = std::source_location::current()) const {
    const access a(self(), where);
    group g = failed(where);
    a.at().with_communicators([&](auto&) { a.state().acknowledged = g.size(); });
    return g;
  }
  /// Receives from any source wait again as long as no more than `count` ranks of this communicator
  /// have failed: for a caller that has seen that many, of those that `failed` returns. Does
  /// nothing if more were acknowledged.
  void acknowledge_failures(rank_t count,
                            std::source_location where = std::source_location::current()) const {
    const access a(self(), where);
    const rank_t known = failed(where).size();
    if (count > known) count = known;  // Failures to come are not acknowledged.
    a.at().with_communicators([&](auto&) {
      if (count > a.state().acknowledged) a.state().acknowledged = count;
    });
  }

 private:
  using access = communicator_access<Stack>;
  const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }

  static auto lost_here(const access& a) {
    return [&a](rank_t r) {
      return a.at().with_communicators([&](auto& all) { return all.is_lost(a.state(), r); });
    };
  }
  template <class Is>
  static group those_of(const access& a, Is&& is) {
    plain_array<peer_id> peers;
    for (rank_t r = 0; r < a.size(); ++r)
      if (is(r)) peers.push_back(a.peer_of(r));
    return group::table(std::span<const peer_id>(peers.begin(), peers.size()), a.at().self());
  }

  static errc shrink_to(const access& a, Communicator& made, call_site site) {
    endpoint<Stack>& e = a.at();
    for (;;) {
      agreement<Stack> all(a, e, a.state(), site);
      contribution c = all.get();
      const bool proposes = all.is_lowest();
      if (proposes) {
        c.proposer = a.rank();
        errc none{};
        c.proposed = e.lead(none, site);
        all.put(c);
      }
      const context_id mine = c.proposed;
      const errc why = all.run();
      c = all.get();
      if (mine != no_context && (why != errc{} || c.proposed != mine))
        e.with_communicators([&](auto& of) { of.abandon(mine); });
      if (why != errc{}) return why;
      if (c.proposer == contribution().proposer) continue;  // No rank knew that it was the lowest.
      if (c.proposed == no_context) return errc::communicator;
      group living = those_of(a, [&](rank_t r) { return !all.failed(r); });
      const rank_t size = living.size();
      const rank_t rank = living.rank();
      if (rank == proc_null) return errc::peer_lost;
      communicator_state* const s =
          e.with_communicators([&](auto& of) { return of.make(c.proposed, std::move(living)); });
      if (s == nullptr) return errc::no_resources;
      made = {e, *s, c.proposed, rank, size};
      return errc{};
    }
  }
  template <class F>
  static errc guarded(F&& f) {
    try {
      return f();
    } catch (const error& e) {
      if (e.code() != errc::no_resources) throw;
      return errc::no_resources;
    }
  }
  template <class How>
  static void finish(const access& a, errc why, How& how, const char* what,
                     std::source_location where) {
    if constexpr (is_code<How&>) {
      store(how, why);
    } else if (why != errc{}) [[unlikely]] {
      throw error(
          why,
          formatted("%s on rank %d, communicator %u", what, a.rank(), number_of(a.plain_context())),
          where);
    }
  }
};

}  // namespace detail
}  // namespace mpx::inline v0
