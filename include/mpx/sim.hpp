// SPDX-License-Identifier: BSL-1.0
#pragma once
// Simulated jobs: thousands of ranks in one thread, in virtual time, with a model of the network
// and a seed. The ranks run the same engine as real programs. The same seed gives the same run.
// Needs Boost.Context: link mpx::sim.

#include "mpx/macros/begin.hpp"

#include <concepts>
#include <cstdint>
#include <exception>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mpx/environment.hpp"
#include "mpx/transport/sim.hpp"
#include "mpx/watch/hang_report.hpp"

namespace mpx::inline v0::sim {

/// Default stack of a simulation. Other stacks need transport::basic_sim and, unless waiting is the
/// subject, waiting::sleep.
using stack = mpx::stack<transport::sim, waiting::sleep>;

/// Model of network and machine. `random` is its only source of randomness.
/// - `transfer(from, to, bytes, random)`: cost of a transfer.
/// - `empty_poll_ns(random)`: cost of a poll that finds no packet.
/// - `detection_ns()`: time from a failure until other ranks know of it.
template <class M>
concept NetworkModel = requires(M& m, rank_t rank, std::size_t bytes, sim::random& random) {
  { m.transfer(rank, rank, bytes, random) } -> std::same_as<costs>;
  { m.empty_poll_ns(random) } -> std::convertible_to<std::int64_t>;
  { m.detection_ns() } -> std::convertible_to<std::int64_t>;
};

/// A model that knows which ranks share a node. A node's number is at most that of its ranks.
template <class M>
concept PlacedModel = NetworkModel<M> && requires(const M& m, rank_t rank) {
  { m.node_of(rank) } noexcept -> std::same_as<rank_t>;
};

/// LogGP model: latency, overhead, gap, gap per byte, for ranks on the same node and on different
/// nodes.
/// Source:     Alexandrov, Ionescu, Schauser, Scheiman 1995.
struct loggp {
  /// Cost of transfers between two nodes, or within one.
  struct link {
    std::int64_t latency_ns;   ///< L: from port to port.
    std::int64_t overhead_ns;  ///< o: CPU time to send or receive a packet.
    std::int64_t gap_ns;       ///< g: between two packets of a port.
    double byte_ns;            ///< G: for each byte.
    /// CPU time for a byte copied from another rank's memory, in units of G, the cost of a byte
    /// copied to it. About 3 if cores are far from each other.
    double fetch_factor = 1;
  };
  /// Between ranks of different nodes.
  link far{.latency_ns = 1000, .overhead_ns = 200, .gap_ns = 100, .byte_ns = 0.1};
  /// Between ranks of one node.
  link near{.latency_ns = 100, .overhead_ns = 30, .gap_ns = 10, .byte_ns = 0.03};
  rank_t node_size = 1;  ///< Ranks k * node_size .. (k + 1) * node_size - 1 are on one node.
  /// Maximum random addition to a latency; 30 times as much for one transfer in 16.
  std::int64_t jitter_ns = 0;
  /// Maximum random addition to CPU times, likewise.
  std::int64_t noise_ns = 0;
  std::int64_t empty_poll_cost_ns = 20;  ///< Cost of a poll that finds no packet.
  /// Time from a failure until other ranks know of it.
  std::int64_t detection_cost_ns = 1'000'000;

  /// Returns the cost of transferring `bytes` from one rank to another.
  [[nodiscard]] costs transfer(rank_t from, rank_t to, std::size_t bytes,
                               sim::random& random) const noexcept {
    const link& l = from / node_size == to / node_size ? near : far;
    const auto wire = static_cast<std::int64_t>(l.byte_ns * static_cast<double>(bytes));
    return {l.overhead_ns + some(noise_ns, random),
            l.overhead_ns + some(noise_ns, random),
            l.gap_ns,
            wire,
            (from == to ? 0 : l.latency_ns) + some(jitter_ns, random),
            static_cast<std::int64_t>((l.fetch_factor - 1) * static_cast<double>(wire))};
  }
  /// Returns the cost of a poll that finds no packet.
  [[nodiscard]] std::int64_t empty_poll_ns(sim::random& random) const noexcept {
    return empty_poll_cost_ns + some(noise_ns, random);
  }
  /// Returns the node of a rank.
  [[nodiscard]] rank_t node_of(rank_t rank) const noexcept { return rank / node_size; }
  /// Returns the time from a failure until other ranks know of it.
  [[nodiscard]] std::int64_t detection_ns() const noexcept { return detection_cost_ns; }

 private:
  static std::int64_t some(std::int64_t most, sim::random& random) noexcept {
    if (most == 0) return 0;
    const auto n = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most) + 1));
    return random.one_in(16) ? 30 * n : n;
  }
};
static_assert(PlacedModel<loggp> && !NetworkModel<int>);

namespace detail {

template <NetworkModel Model>
class network_of final : public network {
 public:
  explicit network_of(Model model) : model_(std::move(model)) {}
  costs transfer(rank_t from, rank_t to, std::size_t bytes, sim::random& random) override {
    return model_.transfer(from, to, bytes, random);
  }
  std::int64_t empty_poll_ns(sim::random& random) override { return model_.empty_poll_ns(random); }
  std::int64_t detection_ns() override { return model_.detection_ns(); }
  rank_t node_of(rank_t rank) override {
    if constexpr (PlacedModel<Model>)
      return model_.node_of(rank);
    else
      return rank;
  }

 private:
  Model model_;
};

/// Returns a report on what every rank waits for.
inline std::string report(world& w) try {
  std::vector<mpx::detail::hang_info> ranks(static_cast<std::size_t>(w.size()));
  for (rank_t r = 0; r < w.size(); ++r) {
    auto& info = ranks[static_cast<std::size_t>(r)];
    if (w.dead(r)) {
      info = {};
      info.state = mpx::detail::hang_state::failed;
    } else if (!w.describe(r, std::as_writable_bytes(std::span(&info, 1)))) {
      info = {};
      info.state = mpx::detail::hang_state::left;
    }
    info.rank = r;
  }
  return mpx::detail::format_hang_report(ranks);
} catch (const std::exception& e) {  // Does not throw: no fiber may be left behind.
  return std::string("(what each rank waits for cannot be said: ") + e.what() + ")";
}

}  // namespace detail

/// Result of a simulation, with the first exception that a rank ended with (except killed ranks).
/// If there is none and no rank could make progress: errc::deadlock, with what each rank waited
/// for.
struct outcome_of_run : result {
  std::exception_ptr failure;  ///< Empty on success.
};

/// As `run`, but returns failures.
template <class Stack = stack, NetworkModel Model, class Body>
outcome_of_run try_run(rank_t ranks, Model model, std::uint64_t seed, Body&& body, options o = {},
                       std::source_location where = std::source_location::current()) {
  if (ranks < 1 || ranks > 30'000)
    throw error(errc::argument,
                "a simulation of " + std::to_string(ranks) + " ranks: 1 to 30000 are possible",
                where);
  outcome_of_run all;
  {
    detail::network_of<Model> network(std::move(model));
    detail::world world(ranks, network, seed, std::move(o));
    const auto one = [&](rank_t rank) {
      try {
        environment<Stack> env{bootstrap::sim(world, rank), where};
        if constexpr (std::invocable<Body&, communicator<Stack>>) {
          body(env.world());
        } else {
          body(env);
        }
      } catch (...) {
        if (!world.cut_off(rank) && !all.failure) all.failure = std::current_exception();
      }
    };
    for (rank_t rank = 0; rank < ranks; ++rank)
      world.scheduler().add(world.options().stack_bytes, [&one, rank] { one(rank); });
    world.scheduler().run([&] { world.stuck([&] { return detail::report(world); }); });
    static_cast<result&>(all) = std::move(world.result());
    all.virtual_ns = world.scheduler().now_ns();
    all.events = world.scheduler().events();
  }
  if (!all.failure && !all.stuck.empty())
    all.failure = std::make_exception_ptr(error(errc::deadlock, all.stuck, where));
  return all;
}

/// Runs `body(world)` or `body(environment)` as `ranks` ranks (1 to 30,000) in virtual time. `seed`
/// determines every delay and every interleaving: the same arguments give the same run, byte for
/// byte, if `body` depends on nothing else.
/// Returns:    the result of the run.
/// Errors:     rethrows the exception of the first rank to fail; errc::deadlock if no rank can make
///             progress, with what each waits for; errc::argument (ranks, faults).
/// Cost:       about 1.5 microseconds for each event; memory: see docs/SIMULATION.md.
template <class Stack = stack, NetworkModel Model, class Body>
result run(rank_t ranks, Model model, std::uint64_t seed, Body&& body, options o = {},
           std::source_location where = std::source_location::current()) {
  outcome_of_run all = try_run<Stack>(ranks, std::move(model), seed, body, std::move(o), where);
  if (all.failure) std::rethrow_exception(all.failure);
  return all;
}

}  // namespace mpx::inline v0::sim

#include "mpx/macros/end.hpp"
