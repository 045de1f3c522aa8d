// SPDX-License-Identifier: BSL-1.0
#pragma once
// What the living do after a death: revoke a communicator, agree, and go on in a smaller one.

#include <source_location>
#include <utility>

#include "mpx/comm/detail/agreement.hpp"
#include "mpx/comm/detail/create.hpp"
#include "mpx/engine/forms.hpp"

namespace mpx::inline v0 {

/// What the living have agreed on.
struct agreed {
  int value = 0;  ///< The bitwise and of what they gave, and of what of the dead got through.
  group failed;   ///< Who is dead; who dies later may be in it.
};

namespace detail {

/// A base of a communicator: what goes on where ranks are lost.
///
/// An operation with a lost rank ends with errc::peer_lost, at whom it concerns; the others may not
/// know. Who wants all of them to stop revokes the communicator; all then `shrink` it, and go on in
/// the new one. Source: MPI 5.0, 11 (User-Level Failure Mitigation).
template <class Communicator, class Stack>
class survivors {
 public:
  /// Ends every call on this communicator, here and, before long, at all its ranks, with
  /// errc::revoked: those that wait, and those to come, but for agree and shrink. Not collective;
  /// any rank may, and one is enough, be it that it dies then.
  /// A message that has met its receive still gets there; a long send that has not ends when its
  /// receiver has learnt of this. Cost: at most 2 log2(size) packets.
  void revoke(std::source_location where = std::source_location::current()) const {
    const access a(self(), where);
    a.at().with_communicators([&](auto& all) { all.revoke(a.state()); });
  }
  /// Whether that has been done, as far as this rank knows.
  bool is_revoked(std::source_location where = std::source_location::current()) const {
    const access a(self(), where);
    a.at().progress();
    return a.at().with_communicators([&](auto&) { return a.state().revoked; });
  }

  /// The bitwise and of what all give, the same on all that live, be it that ranks die meanwhile,
  /// and who is dead. Collective over the living; on a revoked communicator, too.
  /// Errors: errc::no_resources. Cost: see detail/agreement.hpp.
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

  /// A communicator of those that live, in their order. Collective over them; on a revoked
  /// communicator, too. All get one of the same ranks, of which some may be dead already.
  /// Errors: errc::communicator, errc::no_resources; errc::peer_lost for a rank that others have
  /// given up. Cost: an agreement, or two if the lowest of the living was not known for it.
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

  /// Its ranks that are lost, as far as this one knows.
  group failed(std::source_location where = std::source_location::current()) const {
    const access a(self(), where);
    a.at().progress();
    return those_of(a, lost_here(a));
  }
  /// The same, and from now on receives from any source wait for the others again.
  group acknowledge_failures(std::source_location where = std::source_location::current()) const {
    const access a(self(), where);
    group g = failed(where);
    a.at().with_communicators([&](auto&) { a.state().acknowledged = g.size(); });
    return g;
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
      if (c.proposer == contribution().proposer)
        continue;  // The lowest was known to be lost to none.
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
