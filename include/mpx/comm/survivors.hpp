// SPDX-License-Identifier: BSL-1.0
#pragma once
// Recovery after a failure: revoke a communicator, agree, and continue in a smaller one.

#include <source_location>
#include <utility>

#include "mpx/comm/agreed.hpp"
#include "mpx/comm/detail/agreements.hpp"
#include "mpx/comm/detail/create.hpp"
#include "mpx/engine/requests/forms.hpp"

namespace mpx::inline v0 {
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
    const errc why = wait_for(a, start_agree(a, value, result), {"agree", where});
    finish(a, why, how, "agree", where);
    return result;
  }
  /// Starts an agreement. All survivors start it. `into` has the result once the request is
  /// complete, and must not be accessed before. This communicator may be freed meanwhile. If the
  /// request is dropped, the agreement goes on without it whenever this rank makes progress.
  template <class How>
  requires is_form<How, start_t>
  request<Stack> agree(int value, agreed& into, How&& how,
                       std::source_location where = std::source_location::current()) const {
    const access a(self(), where);
    return started_as(a, start_agree(a, value, into), how, "agree", where);
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
    const errc why = wait_for(a, start_shrink(a, made, {"shrink", where}), {"shrink", where});
    finish(a, why, how, "shrink", where);
    return made;
  }
  /// Starts a shrink. All survivors start it. `into` is the new communicator once the request is
  /// complete, and must not be accessed before. If the request is dropped before, the new
  /// communicator is revoked at the other ranks.
  template <class How>
  requires is_form<How, start_t>
  request<Stack> shrink(Communicator& into, How&& how,
                        std::source_location where = std::source_location::current()) const {
    const access a(self(), where);
    return started_as(a, start_shrink(a, into, {"shrink", where}), how, "shrink", where);
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
    acknowledge(a, g.size());
    return g;
  }
  /// Receives from any source wait again as long as no more than `count` ranks of this communicator
  /// have failed: for a caller that has seen that many, of those that `failed` or `agree` returned.
  /// Does nothing if more were acknowledged; counts no more than both have returned together.
  void acknowledge_failures(rank_t count,
                            std::source_location where = std::source_location::current()) const {
    const access a(self(), where);
    const rank_t known = failed(where).size() + a.state().agreed_lost;
    acknowledge(a, count < known ? count : known);  // Not failures to come.
  }

 private:
  using access = communicator_access<Stack>;
  const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }

  static void acknowledge(const access& a, rank_t count) {
    a.at().with_communicators([&](auto&) {
      if (count > a.state().acknowledged) a.state().acknowledged = count;
    });
  }
  static auto lost_here(const access& a) {
    return [&a](rank_t r) {
      return a.at().with_communicators([&](auto& all) { return all.is_lost(a.state(), r); });
    };
  }
  static started start_agree(const access& a, int value, agreed& into) {
    return guarded([&] {
      auto* const all = new value_agreement<Stack>(a, value, into);
      const started s = agreement<Stack>::make(all);
      if (s.op != nullptr) all->begin();
      return s;
    });
  }
  static started start_shrink(const access& a, Communicator& into, call_site site) {
    return guarded([&] {
      auto* const all = new shrinking<Communicator, Stack>(a, into);
      const started s = agreement<Stack>::make(all);
      if (s.op == nullptr) return s;
      all->lead(site);
      all->begin();
      return s;
    });
  }
  template <class F>
  static started guarded(F&& f) {
    try {
      return f();
    } catch (const error& e) {
      if (e.code() != errc::no_resources) throw;
      return {nullptr, errc::no_resources};
    }
  }
  static errc wait_for(const access& a, const started& s, call_site site) {
    if (s.op == nullptr) return s.failure;
    auto all = request_access::make(a.at(), s.op);
    std::error_code ec;
    request_access::wait_as(all, site, ec);
    return static_cast<errc>(ec.value());
  }
  template <class How>
  static request<Stack> started_as(const access& a, const started& s, How& how, const char* what,
                                   std::source_location where) {
    if constexpr (stores_errors<How>) {
      store(*how.code, s.failure);
    } else {
      throws_t throwing;
      finish(a, s.failure, throwing, what, where);
    }
    if (s.op == nullptr) return {};
    return request_access::make(a.at(), s.op);
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
