// SPDX-License-Identifier: BSL-1.0
#pragma once
// Comparison of collective calls before they run: every rank sends the signature of its call, and
// if two differ, all ranks learn of the same two.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>
#include <source_location>
#include <string_view>
#include <type_traits>

#include "mpx/coll/algorithms/allgather.hpp"
#include "mpx/coll/algorithms/allreduce.hpp"
#include "mpx/coll/algorithms/alltoall.hpp"
#include "mpx/coll/algorithms/barrier.hpp"
#include "mpx/coll/algorithms/bcast.hpp"
#include "mpx/coll/algorithms/gather.hpp"
#include "mpx/coll/algorithms/reduce.hpp"
#include "mpx/coll/algorithms/reduce_scatter.hpp"
#include "mpx/coll/algorithms/scan.hpp"
#include "mpx/coll/algorithms/scatter.hpp"
#include "mpx/coll/call.hpp"
#include "mpx/coll/checks/call_signature.hpp"
#include "mpx/core/group.hpp"

namespace mpx::inline v0::detail {

// --- Signatures of calls -------------------------------------------------------------------------

/// The pairs of ranks that have block lengths of their own.
enum class compared_pairs : std::uint8_t { none, to_root, from_root, all };

inline std::uint64_t lengths_of(const coll::blocks& b, rank_t ranks) noexcept {
  std::uint64_t h = 1;
  for (rank_t r = 0; r < ranks; ++r) h = mixed(h, b.bytes_of(r));
  return h;
}

/// Fills in the properties of a call that must be equal at all ranks; an overload for each
/// operation. Returns the pairs whose lengths remain to be compared.
inline compared_pairs state(call_signature&, const coll::barrier_call&, rank_t, rank_t) noexcept {
  return compared_pairs::none;
}
inline compared_pairs state(call_signature& c, const coll::bcast_call& call, rank_t,
                            rank_t) noexcept {
  c.root = call.root;
  c.say_bytes(call.data.bytes);
  return compared_pairs::none;
}
inline compared_pairs state(call_signature& c, const coll::gather_call& call, rank_t me,
                            rank_t) noexcept {
  c.root = call.root;
  if (call.variable) return compared_pairs::to_root;
  c.say_bytes(me == call.root ? call.out.bytes_of(me) : call.in.bytes);
  return compared_pairs::none;
}
inline compared_pairs state(call_signature& c, const coll::scatter_call& call, rank_t me,
                            rank_t) noexcept {
  c.root = call.root;
  if (call.variable) return compared_pairs::from_root;
  c.say_bytes(me == call.root ? call.in.bytes_of(me) : call.out.bytes);
  return compared_pairs::none;
}
inline compared_pairs state(call_signature& c, const coll::allgather_call& call, rank_t,
                            rank_t size) noexcept {
  if (!call.out.counts && call.out.pieces == nullptr) {
    c.say_bytes(call.out.bytes);
  } else {
    c.say_bytes(call.out.total(size));
    c.shape = lengths_of(call.out, size);
  }
  return compared_pairs::none;
}
inline compared_pairs state(call_signature& c, const coll::alltoall_call& call, rank_t,
                            rank_t) noexcept {
  c.shape = call.in_place ? 1 : 0;
  if (!call.variable) {
    c.say_bytes(call.out.bytes);
    return compared_pairs::none;
  }
  return compared_pairs::all;
}
inline compared_pairs state(call_signature& c, const coll::reduce_call& call, rank_t,
                            rank_t) noexcept {
  c.root = call.root;
  c.say_bytes(call.in.bytes);
  return compared_pairs::none;
}
inline compared_pairs state(call_signature& c, const coll::allreduce_call& call, rank_t,
                            rank_t) noexcept {
  c.say_bytes(call.in.bytes);
  return compared_pairs::none;
}
inline compared_pairs state(call_signature& c, const coll::reduce_scatter_call& call, rank_t,
                            rank_t size) noexcept {
  c.say_bytes(call.in.total(size));
  if (call.in.counts) c.shape = lengths_of(call.in, size);
  return compared_pairs::none;
}
inline compared_pairs state(call_signature& c, const coll::scan_call& call, rank_t,
                            rank_t) noexcept {
  c.say_bytes(call.in.bytes);
  return compared_pairs::none;
}
/// Any other call. If its ranks exchange blocks along edges, these are compared in pairs.
template <class What>
compared_pairs state(call_signature&, const What&, rank_t, rank_t) noexcept {
  constexpr bool edges = requires(const What& call, void (*edge)(const memory&, rank_t)) {
    call.each_edge(edge, edge);
  };
  return edges ? compared_pairs::all : compared_pairs::none;
}

/// Calls `send(memory, to)` and `receive(memory, from)` for the blocks of pairs. Only their lengths
/// are valid.
template <class What, class Send, class Receive>
void each_pair(const What& call, rank_t me, rank_t size, Send&& send, Receive&& receive) {
  if constexpr (std::is_same_v<What, coll::gather_call>) {
    if (me != call.root) return send(call.in, call.root);
    for (rank_t r = 0; r < size; ++r) receive(memory(nullptr, call.out.bytes_of(r)), r);
  } else if constexpr (std::is_same_v<What, coll::scatter_call>) {
    if (me != call.root) return receive(call.out, call.root);
    for (rank_t r = 0; r < size; ++r) send(memory(nullptr, call.in.bytes_of(r)), r);
  } else if constexpr (std::is_same_v<What, coll::alltoall_call>) {
    for (rank_t r = 0; r < size; ++r) {
      send(memory(nullptr, (call.in_place ? call.out : call.in).bytes_of(r)), r);
      receive(memory(nullptr, call.out.bytes_of(r)), r);
    }
  } else if constexpr (requires { call.each_edge(send, receive); }) {
    call.each_edge(send, receive);
  }
}

// --- Exchange of signatures ----------------------------------------------------------------------

inline collective_failure mismatch(const char* what) noexcept {
  return {errc::call_mismatch, collective_failure::cause::mismatch, false, 0, 0, 0, what};
}
inline void disagree(schedule& plan, const char* what) noexcept { plan.failure = mismatch(what); }
template <class Stack>
void disagree(collective_channel<Stack>& c, const char* what) noexcept {
  c.failed(mismatch(what));
  c.over();  // All ranks find it.
}

/// The state of a comparison at one rank, in scratch memory of the steps `S`.
template <class S>
struct call_comparison {
  S* steps;
  signature_pair known{};
  signature_pair come{};
  call_signature own{};
  call_signature* sent = nullptr;      // For each rank,
  call_signature* received = nullptr;  // from each rank,
  call_signature* expected = nullptr;  // and expected from each rank.
  rank_t size = 0;
  char text[signature_text_bytes] = {};

  static void begin(void* self) noexcept {
    auto& a = *static_cast<call_comparison*>(self);
    a.known = {a.own, {}};
  }
  /// Compares the signatures received from other ranks with those expected.
  static void compare(void* self) noexcept {
    auto& a = *static_cast<call_comparison*>(self);
    a.known = {};
    for (rank_t r = 0; r < a.size; ++r)
      if (r != a.own.rank && a.received[r].told != 0 && !a.received[r].fits(a.expected[r]))
        return void(a.known = {a.received[r], a.expected[r]});
  }
  static void take(void* self) noexcept {
    auto& a = *static_cast<call_comparison*>(self);
    a.known.add(a.come);
  }
  static void end(void* self) noexcept {
    auto& a = *static_cast<call_comparison*>(self);
    if (!a.known.differ()) return;
    a.known.write(a.text);
    disagree(*a.steps, a.text);
  }
  /// Spreads what each rank knows after `first` to all ranks, in the rounds of
  /// barrier_dissemination. Merging the same knowledge twice is harmless.
  void spread(void (*first)(void*)) {
    S& s = *steps;
    s.call(first, this);
    const memory out = bytes(known);
    const memory in = bytes(come);
    for (rank_t step = 1; step < size; step *= 2) {
      s.exchange(out, coll::around(s.rank() + step, size), in, coll::around(s.rank() - step, size));
      s.call(take, this);
    }
    s.call(end, this);
  }
  /// Sends each rank the signature of the data that this rank will send to it.
  void tell_pairs(compared_pairs which) {
    S& s = *steps;
    for (rank_t r = 0; r < size; ++r)
      if (r != s.rank() && talks(which, r, s.rank())) s.start_receive(bytes(received[r]), r);
    for (rank_t r = 0; r < size; ++r)
      if (r != s.rank() && talks(which, s.rank(), r)) s.start_send(bytes(sent[r]), r);
    s.finish();
  }

 private:
  template <class T>
  static memory bytes(T& of) noexcept {
    return {reinterpret_cast<std::byte*>(&of), sizeof(T)};
  }
  bool talks(compared_pairs which, rank_t from, rank_t to) const noexcept {
    if (which == compared_pairs::to_root) return to == own.root;
    if (which == compared_pairs::from_root) return from == own.root;
    return true;
  }
};

/// Returns the state of a comparison; nullptr if memory is out, and the steps have failed.
template <class S>
call_comparison<S>* begin_comparison(S& s, const char* name, const std::source_location& where) {
  const memory room = s.scratch(sizeof(call_comparison<S>));
  if (room.base == nullptr) return nullptr;
  auto* const a = ::new (room.base) call_comparison<S>{&s};
  a->size = s.size();
  a->own = call_signature(s.rank(), name, where, std::is_same_v<S, schedule>);
  return a;
}
/// Compares pairs, whose data `each(send, receive)` describes.
template <class S, class Each>
void compare_pairs(S& s, call_comparison<S>& a, compared_pairs which, Each&& each) {
  const auto n = static_cast<std::size_t>(a.size);
  const memory table = s.scratch(3 * n * sizeof(call_signature));
  if (table.base == nullptr) return;
  a.sent = reinterpret_cast<call_signature*>(table.base);
  a.received = a.sent + n;
  a.expected = a.received + n;
  for (std::size_t i = 0; i < n; ++i) {
    call_signature to = a.own;
    to.begin_pair(static_cast<rank_t>(i));
    ::new (a.sent + i) call_signature(to);
    ::new (a.received + i) call_signature();
    ::new (a.expected + i) call_signature(to);
  }
  each([&](const memory& m, rank_t to) { a.sent[to].add_block(m.bytes); },
       [&](const memory& m, rank_t from) { a.expected[from].add_block(m.bytes); });
  a.tell_pairs(which);
  a.spread(call_comparison<S>::compare);
}

/// See checks::collectives.
template <class S, class What>
bool compare_call(S& s, const What& what, coll::algorithm by, const marked_call& mark) {
  if (s.size() == 1) return true;
  call_comparison<S>* const a = begin_comparison(s, called(what), mark.where);
  if (a == nullptr) return false;
  a->own.type = mark.type;
  a->own.reduces_by = static_cast<std::uint8_t>(mark.op);
  a->own.algorithm = static_cast<std::uint8_t>(by);
  const compared_pairs which = state(a->own, what, s.rank(), s.size());
  a->spread(call_comparison<S>::begin);
  if (which != compared_pairs::none && !s.failed())
    compare_pairs(s, *a, which, [&](auto&& send, auto&& receive) {
      each_pair(what, s.rank(), s.size(), send, receive);
    });
  return !s.failed();
}
/// Compares a call that has only a name. `how` and `elements` must be equal at all ranks. `members`
/// is the group that the call concerns, if any: all its members must pass the same. A rank outside
/// of the group that it passes takes no part in the comparison of groups.
template <class S, class Members>
bool compare_named(S& s, const call_site& site, const char* how, type_code elements,
                   const Members& members) {
  if (s.size() == 1) return true;
  call_comparison<S>* const a = begin_comparison(s, site.name, site.where);
  if (a == nullptr) return false;
  a->own.type = elements;
  for (const char c : std::string_view(how))
    a->own.shape = mixed(a->own.shape, static_cast<unsigned char>(c));
  a->spread(call_comparison<S>::begin);
  if constexpr (!std::is_null_pointer_v<Members>) {
    if (s.failed()) return false;
    a->own.of_group = 1;
    std::size_t h = 1;
    for (rank_t r = 0; r < members.size(); ++r) h = mixed(h, members.peer_of(r));
    const bool among = members.contains(s.peer_of(s.rank()));
    compare_pairs(s, *a, compared_pairs::all, [&](auto&& send, auto&& receive) {
      for (rank_t r = 0; among && r < s.size(); ++r)
        if (members.contains(s.peer_of(r))) {
          send(memory(nullptr, h), r);
          receive(memory(nullptr, h), r);
        }
    });
  }
  return !s.failed();
}

/// Compares the end of an environment with the calls of other ranks. Leaving matches only leaving.
/// While other ranks make calls on the world, this rank answers each with its signature, so that
/// they fail, and reports the first to users. Other failures, such as a lost rank or lack of
/// memory, are left to the caller.
template <class Stack>
void compare_leaving(const point_to_point<Stack>& world, std::source_location where) {
  bool again = world.size() > 1;
  for (bool told = false; again; told = true) {
    collective_channel<Stack> steps(world, {"leaving", where});
    call_comparison<collective_channel<Stack>> a{&steps};
    a.size = steps.size();
    a.own = call_signature(steps.rank(), call_signature::leaving, {}, false);
    a.spread(a.begin);
    again = steps.why() == errc::call_mismatch;
    if (again && !told)
      std::fprintf(stderr, "mpx: rank %d leaves its job while others go on: %s\n", steps.rank(),
                   a.text);
  }
}

}  // namespace mpx::inline v0::detail
