// SPDX-License-Identifier: BSL-1.0
#pragma once
// Random windows for the explorer: of which kind, by which protocol, from when to when beside the
// messages, and what is accessed in which epochs. All of it is a function of the seed, so that each
// rank knows what its memory has to hold, and what its gets and fetches have to bring.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <mpx/rma.hpp>
#include <mpx/sim.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/gatherings.hpp"

namespace explorer {

using words = std::vector<word>;

/// Number of points in a round at which steps of windows happen.
inline constexpr int points = 5;
inline constexpr const char* point_names[points] = {
    "first", "with receives posted", "after the sends", "after late receives", "last"};

enum class window_kind : std::uint8_t { allocated, over, dynamic, shared };
inline constexpr const char* window_kind_names[] = {"allocated", "over memory", "dynamic",
                                                    "shared"};
inline constexpr const char* protocol_names[] = {"automatic", "direct",    "rdma",
                                                 "buffered",  "send_recv", "portals"};
enum class epoch_kind : std::uint8_t { fence, groups, locks, all_locked };
inline constexpr const char* epoch_kind_names[] = {"fence", "groups", "locks", "lock_all"};

/// Use of a part of a target's memory in a phase.
enum class use : std::uint8_t {
  idle,      // Stays as it is.
  put,       // One rank puts to it, to no place twice.
  combined,  // All accumulate, by one operation.
  in_order,  // One rank accumulates, fetches, swaps, by any.
  read,      // All get.
  stored,    // The same; its owner has stored to it before.
  tickets,   // All fetch from its first word and add to it.
  alone,     // All add to its first word under an exclusive lock, not atomically.
  swapped,   // All add to its first word by compare_and_swap.
  uses
};
enum class deed : std::uint8_t { put, get, accumulate, fetch, swap, add_alone, add_by_swaps };
inline constexpr const char* deed_names[] = {"puts",  "gets",       "accumulates",  "fetches",
                                             "swaps", "adds alone", "adds by swaps"};
enum class operation_kind : std::uint8_t { sum, prod, bit_xor, max, replace, no_op };
inline constexpr const char* operation_names[] = {"sum", "prod",    "bit_xor",
                                                  "max", "replace", "no_op"};
enum class form_kind : std::uint8_t { blocking, started, started_long, dropped };
inline constexpr const char* form_names[] = {"", ", a request", ", a request for long",
                                             ", a request that is dropped"};
enum class flush_kind : std::uint8_t { none, there, here, all_there, all_here };
inline constexpr const char* flush_names[] = {"", ", flush", ", flush_local", ", flush_all",
                                              ", flush_local_all"};

/// One access. It touches `pieces` runs of n / pieces words, `stride` words apart, from `at` on.
struct one_access {
  int id;
  rank_t from;
  rank_t to;
  deed what;
  std::size_t at;
  std::size_t n;
  std::size_t pieces = 1;
  std::size_t stride = 0;
  word value;    // Of the first word; the others follow.
  word compare;  // Of a swap.
  operation_kind op;
  form_kind form;
  flush_kind flush;
  std::size_t apart;  // Of the words where it is made.
  bool exclusive;     // Of its lock.
  bool keeps_lock;    // A shared one, for later accesses and beside other locks.
  bool ticket;
  bool known;  // Its result is known.

  template <class F>
  void each(F&& f) const {  // f(which word of the data, where)
    for (std::size_t i = 0; i < n; ++i) f(i, at + i / (n / pieces) * stride + i % (n / pieces));
  }
  bool brings() const { return what == deed::get || what == deed::fetch || what == deed::swap; }
  bool writes() const { return what != deed::get && !(what == deed::fetch && op == no_op()); }
  static constexpr operation_kind no_op() { return operation_kind::no_op; }
};

struct own_store {
  rank_t at_rank;
  std::size_t at;
  std::size_t n;
  word value;
};

/// An epoch of all ranks, from one step to another.
struct phase {
  int id;
  epoch_kind by;
  int begin;  // round * points + point
  int end;
  bool opens;     // Of fences: there is none open, or another one comes first.
  bool precedes;  // That one does not say that no access precedes it.
  bool goes_on;   // The fence at the end allows what comes next.
  bool settles;   // A barrier follows.
  bool no_check;
  bool tests;  // Waits by test.
  std::vector<one_access> accesses;
  std::vector<own_store> stores;
  std::set<std::pair<rank_t, rank_t>> edges;  // Of groups: origin and target.
};

/// A window, from when it is made until it is freed.
struct exposure {
  int id;
  window_kind kind;
  mpx::rma::protocol by;
  bool in_part;  // Of every other rank, in reverse order.
  bool frees;    // Else it is freed by an exception.
  rank_t ranks;
  int opens;
  int closes;
  std::vector<std::size_t> elements;  // Of each rank.
  std::vector<phase> phases;
};
inline constexpr int exposure_id_first = 3000;
inline constexpr int phase_id_first = 3100;
inline constexpr int access_id_first = 4000;

inline word combine(operation_kind op, word there, word given) {
  switch (op) {
    case operation_kind::sum: return there + given;
    case operation_kind::prod: return there * given;
    case operation_kind::bit_xor: return there ^ given;
    case operation_kind::max: return std::max(there, given);
    case operation_kind::replace: return given;
    case operation_kind::no_op: return there;
  }
  return there;
}
/// Applies an access to its target's memory. Returns the data that it fetches.
inline words carry_out(words& memory, const one_access& a) {
  words brought;
  a.each([&](std::size_t i, std::size_t at) {
    word& there = memory[at];
    if (a.brings()) brought.push_back(there);
    switch (a.what) {
      case deed::put: there = a.value + i; break;
      case deed::get: break;
      case deed::accumulate:
      case deed::fetch: there = combine(a.op, there, a.value + i); break;
      case deed::swap:
        if (there == a.compare) there = a.value;
        break;
      case deed::add_alone:
      case deed::add_by_swaps: ++there; break;
    }
  });
  return brought;
}
inline word first_value(int exposure_id, rank_t rank, std::size_t i) {
  return (static_cast<word>(exposure_id) * 64 + static_cast<word>(rank)) * 1'000'003 + i * i;
}

/// Makes the accesses of a phase, and keeps what the memory of all becomes.
class phase_maker {
 public:
  phase_maker(mpx::sim::random& r, std::vector<words>& memory) : r_(r), memory_(memory) {}

  void fill(phase& p, int& next_id) {
    passive_ = p.by == epoch_kind::locks || p.by == epoch_kind::all_locked;
    shared_only_ = p.no_check && passive_;
    for (rank_t t = 0; t < ranks(); ++t) divide(p, t);
    for (std::uint64_t k = 1 + r_.below(r_.one_in(3) ? 40 : 12); k > 0 && !blocks_.empty(); --k)
      add(p, next_id);
    // One rank after the other, each in its order: those of different ones do not meet, or commute.
    // (Ids grow. stable_sort of libstdc++ 12 uses what C++17 deprecates, of which clang warns.)
    std::sort(p.accesses.begin(), p.accesses.end(), [](const one_access& a, const one_access& b) {
      return a.from != b.from ? a.from < b.from : a.id < b.id;
    });
    for (const one_access& a : p.accesses) p.edges.insert({a.from, a.to});
    for (std::uint64_t more = r_.below(3); more > 0; --more) p.edges.insert({any(), any()});
  }

 private:
  struct block {
    use as;
    rank_t at_rank;
    rank_t owner;
    std::size_t at;
    std::size_t n;
    std::size_t next;  // Of puts.
    operation_kind op;
  };
  rank_t ranks() const { return static_cast<rank_t>(memory_.size()); }
  rank_t any() { return static_cast<rank_t>(r_.below(memory_.size())); }
  words& memory(rank_t r) { return memory_[static_cast<std::size_t>(r)]; }

  void divide(phase& p, rank_t t) {
    const std::size_t n = memory(t).size();
    for (std::size_t at = 0; at < n;) {
      block b{};
      b.as = static_cast<use>(r_.below(static_cast<std::uint64_t>(use::uses)));
      const bool alone = p.by == epoch_kind::locks && !shared_only_;
      if ((b.as == use::alone && !alone) || (b.as == use::swapped && !passive_)) b.as = use::put;
      if (b.as == use::stored && p.by == epoch_kind::fence && !p.opens) b.as = use::read;
      b.at_rank = t;
      b.owner = any();
      b.at = at;
      b.n = r_.one_in(3) ? 1 + r_.below(8) : 1 + r_.below(n);
      b.n = std::min(b.n, n - at);
      b.next = at;
      b.op = static_cast<operation_kind>(r_.below(4));
      at += b.n;
      if (b.as == use::stored) {
        const word value = r_.next();
        p.stores.push_back({t, b.at, b.n, value});
        for (std::size_t i = 0; i < b.n; ++i) memory(t)[b.at + i] = value + i;
      }
      if (b.as != use::idle) blocks_.push_back(b);
    }
  }
  void add(phase& p, int& next_id) {
    block& b = blocks_[r_.below(blocks_.size())];
    one_access a{};
    a.id = next_id++;
    a.to = b.at_rank;
    a.from = b.as == use::put || b.as == use::in_order ? b.owner : any();
    a.value = r_.next();
    a.apart = r_.one_in(4) ? 2 : 1;
    a.form = r_.one_in(3) ? static_cast<form_kind>(r_.below(4)) : form_kind::blocking;
    if (passive_ && r_.one_in(3)) a.flush = static_cast<flush_kind>(r_.below(5));
    a.exclusive = !shared_only_ && r_.one_in(3);
    a.keeps_lock = r_.one_in(2);
    a.known = true;
    a.op = b.op;
    const auto part = [&] {
      a.n = r_.one_in(3) ? b.n : 1 + r_.below(std::min<std::size_t>(b.n, r_.one_in(2) ? 4 : b.n));
      a.at = b.at + r_.below(b.n - a.n + 1);
    };
    switch (b.as) {
      case use::put: {
        const std::size_t left = b.at + b.n - b.next;
        if (left == 0) return;
        a.what = deed::put;
        a.n = r_.one_in(3) ? left : 1 + r_.below(std::min<std::size_t>(left, 6));
        a.at = b.next + (r_.one_in(2) ? 0 : r_.below(left - a.n + 1));
        b.next = a.at + a.n;
        spread(a);
        break;
      }
      case use::combined:
        a.what = r_.one_in(3) ? deed::fetch : deed::accumulate;
        a.known = false;
        part();
        break;
      case use::in_order:
        part();
        a.op = static_cast<operation_kind>(r_.below(6));
        a.what = r_.one_in(3) ? deed::accumulate : deed::fetch;
        if (r_.one_in(4)) a.what = deed::swap, a.n = 1, a.apart = 1;
        if (a.what == deed::accumulate && a.op == operation_kind::no_op)
          a.op = operation_kind::replace;
        // Half of the swaps are to be made: what an access before has left.
        if (a.what == deed::swap && last_value_at(p, a) && r_.one_in(2)) break;
        a.compare = r_.next();
        break;
      case use::read:
      case use::stored:
        a.what = deed::get;
        part();
        spread(a);
        break;
      case use::tickets:
        a.what = deed::fetch;
        a.op = operation_kind::sum;
        a.at = b.at;
        a.n = 1;
        a.value = 1;
        a.ticket = true;
        a.known = false;
        if (a.form == form_kind::dropped) a.form = form_kind::started;
        break;
      case use::alone:
        a.what = deed::add_alone;
        a.exclusive = true;
        [[fallthrough]];
      default:
        if (b.as != use::alone) a.what = deed::add_by_swaps;
        a.at = b.at;
        a.n = 1;
        a.form = form_kind::blocking;
        a.flush = flush_kind::none;
    }
    if (a.what == deed::fetch && a.n == 1) a.apart = 1;
    p.accesses.push_back(a);
    // A rank may get data that it has put and flushed.
    if (a.what == deed::put && p.by == epoch_kind::all_locked && a.flush == flush_kind::there) {
      a.id = next_id++;
      a.what = deed::get;
      a.flush = flush_kind::here;
      if (a.form == form_kind::dropped) a.form = form_kind::started;
      p.accesses.push_back(a);
    }
  }
  /// Makes it several runs of words at the target.
  void spread(one_access& a) {
    if (a.n < 4 || !r_.one_in(4)) return;
    a.pieces = 2;
    a.n = a.n / 2;
    a.n -= a.n % 2;
    a.stride = a.n / 2 + r_.below(a.n / 2 + 1);
    a.apart = 1;
    a.form = form_kind::blocking;
  }
  /// The value that a swap will compare with, if the access before defines it.
  static bool last_value_at(const phase& p, one_access& a) {
    for (std::size_t i = p.accesses.size(); i-- > 0;) {
      const one_access& b = p.accesses[i];
      if (b.to != a.to || a.at < b.at || a.at >= b.at + b.n || !b.writes()) continue;
      if (b.what == deed::put || b.op != operation_kind::replace || b.what == deed::swap)
        return false;
      a.compare = b.value + (a.at - b.at);
      return true;
    }
    return false;
  }

  mpx::sim::random& r_;
  std::vector<words>& memory_;
  std::vector<block> blocks_;
  bool passive_ = false;
  bool shared_only_ = false;
};

inline std::vector<words> first_memory(const exposure& e) {
  std::vector<words> all;
  for (rank_t r = 0; r < e.ranks; ++r) {
    words mine(e.elements[static_cast<std::size_t>(r)]);
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = first_value(e.id, r, i);
    all.push_back(std::move(mine));
  }
  return all;
}

inline std::vector<exposure> random_exposures(std::uint64_t seed, rank_t ranks, int rounds,
                                              std::size_t most, const std::set<int>& keep) {
  mpx::sim::random r(seed * 2 + 4321);
  std::vector<exposure> all;
  int phase_id = phase_id_first;
  int access_id = access_id_first;
  const auto kept = [&](int id) { return keep.empty() || keep.count(id) != 0; };
  const int steps = rounds * points;
  const std::uint64_t count = 1 + r.below(r.one_in(3) ? 4 : 2);
  for (std::uint64_t i = 0; i < count; ++i) {
    exposure e{};
    e.id = exposure_id_first + static_cast<int>(i);
    e.kind = r.one_in(8) ? window_kind::shared : static_cast<window_kind>(r.below(3));
    e.by =
        r.one_in(2) ? mpx::rma::protocol::automatic : static_cast<mpx::rma::protocol>(r.below(5));
    // No further number is drawn: programs of known seeds stay as they are.
    if (e.by == mpx::rma::protocol::buffered && seed % 2 == 0) e.by = mpx::rma::protocol::portals;
    e.in_part = r.one_in(4);
    e.frees = !r.one_in(5);
    e.ranks = e.in_part ? (ranks + 1) / 2 : ranks;
    const std::size_t sizes[] = {1, 5, 40, most / 8, 3 * most / 8, 1 + r.below(most / 8)};
    const std::size_t base = sizes[r.below(6)];
    for (rank_t k = 0; k < e.ranks; ++k) e.elements.push_back(r.one_in(8) ? 0 : base + r.below(3));
    e.opens = static_cast<int>(r.below(static_cast<std::uint64_t>(steps)));
    std::vector<words> memory = first_memory(e);
    int at = e.opens;
    bool fenced = false;
    for (std::uint64_t n = 1 + r.below(5); n > 0; --n) {
      phase p{};
      p.id = phase_id++;
      const bool again = !e.phases.empty() && r.one_in(2);
      p.by = again ? e.phases.back().by : static_cast<epoch_kind>(r.below(4));
      const auto later = [&](int from) {
        return from + static_cast<int>(
                          r.one_in(2) ? 0 : r.below(static_cast<std::uint64_t>(steps - from)));
      };
      p.begin = later(at);
      p.no_check = r.one_in(4);
      // A rank that holds an exclusive lock, or waits for one, waits for nothing else.
      p.end = p.by == epoch_kind::locks ? p.begin : later(p.begin);
      at = p.end;
      p.opens = p.by == epoch_kind::fence && (!fenced || r.one_in(3));
      p.precedes = r.one_in(2);
      p.goes_on = r.one_in(2);
      fenced = p.by == epoch_kind::fence && p.goes_on;
      p.settles = r.one_in(3);
      p.tests = r.one_in(2);
      phase_maker(r, memory).fill(p, access_id);
      std::erase_if(p.accesses, [&](const one_access& a) { return !kept(a.id); });
      e.phases.push_back(std::move(p));
    }
    e.closes = at + static_cast<int>(r.below(static_cast<std::uint64_t>(steps - at)));
    // An epoch may rely on the one before it.
    for (std::size_t k = 0; k < e.phases.size();) {
      if (kept(e.phases[k].id)) {
        ++k;
        continue;
      }
      if (k + 1 < e.phases.size() && e.phases[k].by == epoch_kind::fence &&
          e.phases[k + 1].by == epoch_kind::fence)
        e.phases[k + 1].opens = e.phases[k + 1].precedes = true;
      e.phases.erase(e.phases.begin() + static_cast<std::ptrdiff_t>(k));
    }
    if (kept(e.id)) all.push_back(std::move(e));
  }
  return all;
}

inline void show(const exposure& e) {
  const auto step = [](int s) {
    return std::string("round ") + std::to_string(s / points) + ", " + point_names[s % points];
  };
  std::printf("# window %d: %s, by %s, of %d ranks%s, words:", e.id,
              window_kind_names[static_cast<int>(e.kind)], protocol_names[static_cast<int>(e.by)],
              e.ranks, e.in_part ? " (every other one, in reverse order)" : "");
  for (const std::size_t n : e.elements) std::printf(" %zu", n);
  std::printf("\n#   made in %s; %s in %s\n", step(e.opens).c_str(), e.frees ? "freed" : "let go",
              step(e.closes).c_str());
  for (const phase& p : e.phases) {
    std::printf("#   phase %d, %s%s, %s to %s%s\n", p.id, epoch_kind_names[static_cast<int>(p.by)],
                p.by != epoch_kind::fence ? (p.no_check ? ", no_check" : "")
                : p.opens ? (p.precedes ? ", after a fence" : ", after a fence that none precedes")
                          : ", goes on",
                step(p.begin).c_str(), step(p.end).c_str(), p.settles ? ", and a barrier" : "");
    for (const own_store& s : p.stores)
      std::printf("#     %d stores %zu words at %zu before\n", s.at_rank, s.n, s.at);
    if (p.by == epoch_kind::groups)
      for (const auto& [from, to] : p.edges) std::printf("#     %d may access %d\n", from, to);
    for (const one_access& a : p.accesses)
      std::printf(
          "#     access %d: %d %s %zu words at %zu of %d%s%s%s%s%s%s\n", a.id, a.from,
          deed_names[static_cast<int>(a.what)], a.n, a.at, a.to,
          a.what == deed::accumulate || a.what == deed::fetch
              ? (std::string(" by ") + operation_names[static_cast<int>(a.op)]).c_str()
              : "",
          a.pieces > 1 ? (", in 2 runs, " + std::to_string(a.stride) + " apart").c_str() : "",
          a.apart > 1 ? ", spread here" : "", form_names[static_cast<int>(a.form)],
          flush_names[static_cast<int>(a.flush)],
          p.by != epoch_kind::locks ? ""
          : a.exclusive             ? ", exclusive"
          : a.keeps_lock            ? ", shared, kept"
                                    : ", shared");
  }
}

}  // namespace explorer
