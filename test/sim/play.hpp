// SPDX-License-Identifier: BSL-1.0
#pragma once
// Plays one random program over one stack, and says whether all promises were kept.

#include <cstdio>
#include <deque>
#include <exception>
#include <set>
#include <string>
#include <vector>

#include "sim/player.hpp"

namespace explorer {

inline void show(const plan& p) {
  constexpr const char* modes[] = {"standard", "synchronous", "buffered", "ready"};
  constexpr const char* outs[] = {"blocking", "nonblocking", "persistent", "dropped"};
  constexpr const char* ins[] = {"early",  "persistent", "cancelled", "dropped",   "late",
                                 "probed", "polled",     "claimed",   "truncated", "unready"};
  constexpr const char* as[] = {"exact", "any source", "any tag", "any source and tag"};
  std::printf("# %d ranks, %d rounds, jitter %lld ns%s\n", p.ranks, p.rounds,
              static_cast<long long>(p.model.jitter_ns),
              p.options.oversubscribed ? "" : ", a core for each");
  for (const message& m : p.messages)
    std::printf(
        "# round %d, message %d: %d -> %d, tag %d, %zu bytes, %s %s send, received %s by %s\n",
        m.round, m.id, m.from, m.to, m.tag, m.bytes, outs[static_cast<int>(m.out)],
        modes[static_cast<int>(m.mode)], ins[static_cast<int>(m.in)], as[m.as]);
  for (const exposure& e : p.exposures) show(e);
  for (const auto& f : p.options.faults)
    std::printf("# fault %d at %lld ns: %d %d\n", static_cast<int>(f.what),
                static_cast<long long>(f.at_ns), f.a, f.b);
}

struct verdict {
  std::string failure;  // Empty: all promises were kept.
  std::uint64_t messages = 0;
  std::uint64_t packets = 0;
};

/// For a transport that mends it: packets are lost, repeated and shortened, few, many or for a
/// while.
inline void spoil_packets(plan& p) {
  using fault = mpx::sim::fault;
  random r(p.seed * 7 + 3);
  constexpr double shares[] = {0, 0.002, 0.02, 0.1};
  for (const auto what : {fault::kind::lose, fault::kind::repeat, fault::kind::shorten}) {
    for (rank_t rank = 0; rank < p.ranks; ++rank) {
      const double share = shares[r.below(4)];
      p.options.faults.push_back({what, 0, rank, -1, share});
      if (r.one_in(3))
        p.options.faults.push_back(
            {what, static_cast<std::int64_t>(r.below(400'000)), rank, -1, 0});
    }
  }
}

/// All the memory that is asked for.
struct plenty {
  explicit plenty(std::uint64_t) {}
  bool is_scarce() const { return false; }
  std::string left_over() const { return {}; }
};

/// (To compile all parts for each stack takes long.) `Memory`: whether some of it is refused, while
/// an object made with the seed lives; such programs have windows and no messages.
template <class Stack, parts Parts = parts{}, class Memory = plenty>
verdict play(std::uint64_t seed, bool faulty, const std::set<int>& keep, bool trace) {
  using protocol = typename Stack::protocol_type;
  constexpr thresholds t{protocol::tiny_bytes_max, protocol::short_bytes_ceiling,
                         protocol::fragment_bytes_max, 8 * protocol::short_bytes_ceiling,
                         mpx::CpuCopyTransport<typename Stack::transport_type>};
  Memory granted(seed);
  // A window freed by an exception leaves its memory to cards that may still access it.
  constexpr bool keeps = mpx::RegisteredTransport<typename Stack::transport_type>;
  plan p = make_plan(seed, t, faulty || granted.is_scarce(), keep, Parts.exposes);
  if (granted.is_scarce()) {
    p.messages.clear();
    p.options.faults.clear();
  }
  if constexpr (requires { Stack::transport_type::mends; }) spoil_packets(p);
  p.options.trace = trace;
  if (trace) show(p);
  std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(p.ranks));
  std::vector<std::deque<words>> memory(static_cast<std::size_t>(p.ranks));
  std::vector<bool> sent(p.messages.size() + 200);  // Which sends have returned, on any rank.
  bool lacked = false;                              // Some rank got the error that memory is out.
  const auto body = [&](mpx::environment<Stack>& env) {
    try {
      const auto me = static_cast<std::size_t>(env.rank());
      player<Stack, Parts>(p, env, buffers[me], memory[me], sent).play();
    } catch (const mpx::error& e) {
      lacked = lacked || e.code() == mpx::errc::no_resources;
      // A rank that throws is lost to the others. (A lack of memory may concern two ranks only.) A
      // rank whose group has made nothing revokes the communicators of the others.
      const bool left = e.code() == mpx::errc::peer_lost ||
                        (e.code() == mpx::errc::revoked && !p.crossings.empty());
      if (!p.faulty || granted.is_scarce() || !left) throw;
    }
  };
  const auto r = mpx::sim::try_run<Stack>(p.ranks, p.model, seed, body, p.options);
  if (trace) std::printf("%s", r.trace.c_str());
  verdict v;
  v.messages = p.messages.size();
  v.packets = r.packets;
  if (r.failure) {
    try {
      std::rethrow_exception(r.failure);
    } catch (const mpx::error& e) {
      const bool nobody_met = e.code() == mpx::errc::peer_lost && p.killed_at_once();
      if ((!granted.is_scarce() && !nobody_met) ||
          (e.code() != mpx::errc::no_resources && e.code() != mpx::errc::peer_lost))
        v.failure = e.what();
    } catch (const std::exception& e) {
      // An access that lacked memory is its origin's failure: what its target has does not change.
      if (!lacked || !granted.is_scarce()) v.failure = e.what();
    }
  } else if (!r.stuck.empty()) {
    v.failure = r.stuck;
  } else if (!keeps && !granted.left_over().empty()) {
    v.failure = granted.left_over();
  } else if (r.virtual_ns > p.options.time_max_ns * 3 / 10) {
    v.failure = "it took " + std::to_string(r.virtual_ns) + " ns of virtual time";
  }
  return v;
}

}  // namespace explorer
