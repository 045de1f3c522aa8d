// SPDX-License-Identifier: BSL-1.0
#pragma once
// Random programs for the explorer: senders, receivers, forms and order of messages. A plan is a
// function of its seed; every rank knows all of it, hence the messages that must arrive and their
// order.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mpx/sim.hpp>
#include <set>
#include <tuple>
#include <vector>

#include "sim/crossings.hpp"
#include "sim/exposures.hpp"
#include "sim/gatherings.hpp"

namespace explorer {

using mpx::rank_t;
using mpx::tag_t;
using mpx::sim::random;

/// Patterns by which the receives of a communicator name their messages: one kind each, since a
/// wildcard must not take a message that a named receive waits for. Duplicated from the world, in
/// this order.
enum kind : std::uint8_t { exact, any_sender, any_label, anything, kinds };

enum class sending : std::uint8_t { blocking, nonblocking, persistent, dropped };
enum class receiving : std::uint8_t {
  early,       // irecv before anybody may block
  persistent,  // the same, started
  cancelled,   // the same, and cancelled: posted again if that succeeds
  dropped,     // the same, and dropped: it may have had its message, or the message waits
  late,        // recv, once everything has been sent
  probed,      // probe, then recv
  polled,      // iprobe until it is there, then recv
  claimed,     // mprobe, then mrecv
  truncated,   // late, with too little room
  unready,     // a ready send that meets no receive
};

struct message {
  int id;
  int round;
  rank_t from;
  rank_t to;
  tag_t tag;
  kind as;
  mpx::mode mode;
  std::size_t bytes;
  sending out;
  receiving in;
};

/// Thresholds of a stack, so that sizes lie on both sides of each.
struct thresholds {
  std::size_t tiny;
  std::size_t shorts;
  std::size_t fragment;
  std::size_t most;
  bool copies = false;  // Between the memories of processes, by the kernel.
};

enum class between : std::uint8_t { nothing, barrier, allreduce, bcast, given_up };

struct plan {
  std::uint64_t seed = 0;
  rank_t ranks = 0;
  int rounds = 0;
  mpx::sim::loggp model;
  mpx::sim::options options;
  std::vector<message> messages;
  std::vector<gathering> gatherings;
  std::vector<crossing> crossings;
  std::vector<exposure> exposures;
  std::vector<between> after;  // Each round.
  bool faulty = false;

  bool killed(rank_t rank) const {
    for (const auto& f : options.faults)
      if (f.what == mpx::sim::fault::kind::kill && f.a == rank) return true;
    return false;
  }
  /// Somebody dies before the ranks have met, so that none can join.
  bool killed_at_once() const {
    for (const auto& f : options.faults)
      if (f.what == mpx::sim::fault::kind::kill && f.at_ns == 0) return true;
    return false;
  }
  bool cut() const {
    for (const auto& f : options.faults)
      if (f.what == mpx::sim::fault::kind::cut) return true;
    return false;
  }
};

/// From here on, tags belong to one pair, and its receives name their source or not.
inline constexpr tag_t mixed_tag = 1'000'000;

/// Receives that cannot be told apart take each other's messages.
struct group {
  int round;
  rank_t to;
  kind as;
  rank_t from;
  tag_t tag;
  auto operator<=>(const group&) const = default;
};
inline group group_of(const message& m) {
  const bool no_source = m.as == any_sender || m.as == anything;
  const bool no_tag = m.as == any_label || m.as == anything;
  return {m.round, m.to, m.as, no_source ? rank_t{mpx::any_source} : m.from,
          no_tag ? tag_t{mpx::any_tag} : m.tag};
}
inline bool is_late(receiving r) { return r >= receiving::late; }
/// It needs a tag of its own, and is looked at for itself.
inline bool is_alone(receiving r) {
  return r == receiving::dropped || r == receiving::truncated || r == receiving::unready;
}

inline std::size_t random_size(random& r, const thresholds& t) {
  const auto near = [&](std::size_t edge) {
    const std::size_t low = edge > 1 ? edge - 1 : 0;
    return low + r.below(3);
  };
  switch (r.below(9)) {
    case 0: return r.below(3);
    case 1: return near(t.tiny);
    case 2: return near(t.shorts);
    case 3: return near(t.fragment);
    case 4: return near(2 * t.fragment);
    case 5: return near(t.shorts + t.fragment);
    case 6: return r.below(t.most + 1);
    case 7: return 8;
    default: return r.below(t.shorts + 1);
  }
}

/// `within_ns` from the beginning.
inline void add_faults(plan& p, random& r, std::uint64_t within_ns) {
  using fault = mpx::sim::fault;
  const auto any = [&] {
    return static_cast<rank_t>(r.below(static_cast<std::uint64_t>(p.ranks)));
  };
  const auto when = [&] { return static_cast<std::int64_t>(r.below(within_ns)); };
  p.model.detection_cost_ns = 5'000'000;  // After whatever was sent before.
  if (r.one_in(2)) p.options.faults.push_back({fault::kind::slow, when(), any(), -1, 20});
  if (r.one_in(3)) {
    const rank_t a = any();
    const rank_t b = r.one_in(2) ? rank_t{-1} : any();
    const std::int64_t at = when();
    p.options.faults.push_back({fault::kind::cut, at, a, b});
    p.options.faults.push_back({fault::kind::heal, at + when(), a, b});
  }
  if (r.one_in(2)) p.options.faults.push_back({fault::kind::kill, when(), any()});
}

/// In one program of four some copies between memories are refused, or all; and in half of those
/// one rank sends another so many long messages that all ways are tried, and several are due.
inline void refuse_copies(plan& p, const thresholds& t) {
  random r(p.seed * 11 + 5);
  constexpr double shares[] = {0.1, 0.5, 0.5, 1};
  if (!p.exposures.empty() || !r.one_in(4)) return;  // A window cannot do without.
  for (rank_t rank = 0; rank < p.ranks; ++rank)
    if (r.one_in(2))
      p.options.faults.push_back({mpx::sim::fault::kind::refuse, 0, rank, -1, shares[r.below(4)]});
  if (p.ranks < 2 || r.one_in(2)) return;
  const auto ranks = static_cast<std::uint64_t>(p.ranks);
  message m{};
  m.round = static_cast<int>(r.below(static_cast<std::uint64_t>(p.rounds)));
  m.from = static_cast<rank_t>(r.below(ranks));
  m.to = static_cast<rank_t>((static_cast<std::uint64_t>(m.from) + 1 + r.below(ranks - 1)) % ranks);
  m.tag = 900;
  m.as = exact;
  const bool in_turn = r.one_in(2);
  for (std::uint64_t n = in_turn || r.one_in(2) ? 24 : 120; n > 0; --n) {
    m.id = static_cast<int>(p.messages.size());
    m.bytes = t.most / 2 + 1 + r.below(r.one_in(2) ? 3 * t.most : t.most / 2);
    m.out = in_turn ? sending::blocking : r.one_in(4) ? sending::dropped : sending::nonblocking;
    m.in = r.one_in(4) ? receiving::persistent : receiving::early;
    p.messages.push_back(m);
  }
}

/// The program that `seed` names. `keep`: only these messages of it, or all if empty. `exposes`:
/// with windows.
inline plan make_plan(std::uint64_t seed, const thresholds& t, bool faulty,
                      const std::set<int>& keep = {}, bool exposes = false) {
  random r(seed * 2 + 1);
  plan p;
  p.seed = seed;
  p.faulty = faulty;
  p.ranks = static_cast<rank_t>(r.one_in(8) ? 1 + r.below(16) : 2 + r.below(4));
  p.rounds = static_cast<int>(1 + r.below(3));
  constexpr std::int64_t jitters[] = {0, 300, 3000, 30'000};
  p.model.jitter_ns = jitters[r.below(4)];
  p.model.noise_ns = jitters[r.below(3)];
  p.model.node_size = static_cast<rank_t>(1 + r.below(3));
  p.options.time_max_ns = 100'000'000'000;
  const auto any = [&] {
    return static_cast<rank_t>(r.below(static_cast<std::uint64_t>(p.ranks)));
  };
  const bool oversubscribed = r.one_in(4);  // All to one: queues grow.
  const rank_t favourite = any();
  const std::uint64_t count = 1 + r.below(r.one_in(4) ? 60 : 20);
  tag_t own_tag = 1000;
  for (std::uint64_t i = 0; i < count; ++i) {
    message m{};
    m.id = static_cast<int>(i);
    m.round = static_cast<int>(r.below(static_cast<std::uint64_t>(p.rounds)));
    m.from = any();
    m.to = oversubscribed ? favourite : any();
    m.tag = static_cast<tag_t>(r.below(3)) + 3 * m.round;  // Rounds may overlap.
    m.as = static_cast<kind>(r.below(kinds));
    m.mode = static_cast<mpx::mode>(r.below(4));
    m.bytes = random_size(r, t);
    m.out = static_cast<sending>(r.below(4));
    m.in = r.one_in(2) ? receiving::early : static_cast<receiving>(r.below(10));
    if (is_alone(m.in)) {
      m.as = exact;
      m.tag = own_tag++;
    }
    if (m.in == receiving::truncated && m.bytes == 0) m.bytes = 1;
    p.messages.push_back(m);
  }
  // Some pairs with a tag of their own, whose receives name the source or not, each as it likes: a
  // wildcard and a named receive that both match are served in the order of posting.
  for (std::uint64_t batch = r.below(3); batch > 0 && !faulty; --batch) {
    message m{};
    m.round = static_cast<int>(r.below(static_cast<std::uint64_t>(p.rounds)));
    m.from = any();
    m.to = any();
    m.tag = mixed_tag + static_cast<tag_t>(batch);
    m.as = exact;
    for (std::uint64_t n = 2 + r.below(4); n > 0; --n) {
      m.id = static_cast<int>(p.messages.size());
      m.bytes = random_size(r, t);
      m.out = static_cast<sending>(r.below(3));
      m.in = r.one_in(4) ? receiving::late : receiving::early;
      p.messages.push_back(m);
    }
  }
  bool wild = false;
  for (const message& m : p.messages) wild = wild || m.as == anything;
  // If a peer is lost, receives from any source end, and a sender to such a rank may wait for ever,
  // except in a buffered send. A rank that leaves withdraws the receive that a ready send relies
  // on.
  for (message& m : p.messages) {
    if (!faulty || m.in == receiving::unready) continue;
    if (m.as == any_sender || m.as == anything) m.mode = mpx::mode::buffered;
    if (m.mode == mpx::mode::ready) m.mode = mpx::mode::standard;
  }
  for (int i = 0; i < p.rounds; ++i)
    p.after.push_back(wild ? between::barrier : static_cast<between>(r.below(5)));
  // No rank may block in a send that is received late, nor send ready without a posted receive.
  std::set<group> late;
  std::set<group> unsure;
  std::map<std::tuple<int, rank_t, rank_t>, int>
      left;  // Of a pair: they are received late, or never.
  for (const message& m : p.messages) {
    if (is_late(m.in)) late.insert(group_of(m));
    left[{m.round, m.from, m.to}] += is_late(m.in) || m.in == receiving::dropped ? 1 : 0;
    if (m.in == receiving::cancelled || m.in == receiving::dropped) unsure.insert(group_of(m));
  }
  for (message& m : p.messages) {
    const bool waits = late.count(group_of(m)) != 0 || m.in == receiving::dropped;
    if (m.in == receiving::unready) {
      m.mode = mpx::mode::ready;
      m.out = sending::blocking;
      // That none is posted is answered once it may be announced: not while too many others lie
      // there.
      if (m.from == m.to || left[{m.round, m.from, m.to}] > 2)
        m.in = receiving::late, m.mode = mpx::mode::standard;
    }
    if (m.in == receiving::unready) continue;
    if (waits && m.out == sending::blocking) m.out = sending::nonblocking;
    if (m.mode == mpx::mode::ready && (waits || unsure.count(group_of(m)) != 0 || m.from == m.to))
      m.mode = mpx::mode::standard;
    if (m.mode == mpx::mode::ready && m.out == sending::dropped) m.out = sending::nonblocking;
  }
  p.gatherings = random_gatherings(seed, p.rounds, t.most, keep);
  if (p.ranks > 1) p.crossings = random_crossings(seed, p.rounds, t.most, keep);
  if (exposes) p.exposures = random_exposures(seed, p.ranks, p.rounds, t.most, keep);
  // Windows take their time.
  if (faulty) add_faults(p, r, exposes && seed % 3 != 0 ? 4'000'000 : 400'000);
  if (t.copies) refuse_copies(p, t);
  p.options.oversubscribed = !random(seed * 13 + 9).one_in(8);
  if (!p.options.oversubscribed)
    p.options.time_max_ns *= 10;  // To look again and again takes its time.
  if (!keep.empty())
    std::erase_if(p.messages, [&](const message& m) { return keep.count(m.id) == 0; });
  return p;
}

}  // namespace explorer
