// SPDX-License-Identifier: BSL-1.0
#pragma once
// State shared by the ranks of a simulated job: clocks, network costs, states of ranks, published
// values, and the schedule of faults.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/bootstrap/detail/sim_scheduler.hpp"
#include "mpx/core/error.hpp"
#include "mpx/core/platform.hpp"

namespace mpx::inline v0::sim {

/// Costs of one transfer, in nanoseconds.
struct costs {
  std::int64_t send_ns;     ///< Time for which the sender's CPU is busy.
  std::int64_t receive_ns;  ///< Time for which the receiver's CPU is busy when it takes the packet.
  std::int64_t gap_ns;      ///< Smallest time between two packets at each of the two ports.
  std::int64_t wire_ns;     ///< Time to transfer the bytes: both ports are busy.
  std::int64_t latency_ns;  ///< From port to port, jitter included.
  /// Time beyond `wire_ns` for which a CPU is busy that copies from another rank's memory; a copy
  /// to it has no such cost.
  std::int64_t fetch_ns = 0;
};

/// A scheduled fault.
struct fault {
  /// Kinds of faults.
  enum class kind : std::uint8_t {
    kill,     ///< Rank `a` dies: data that is not on the wire by then is never sent.
    cut,      ///< Disconnects `a` and `b` (b = -1: `a` and all other ranks).
    heal,     ///< Ends a cut; delayed data continues. b = -1 as for cut.
    slow,     ///< All activity of rank `a` itself takes `factor` times as long.
    lose,     ///< Loses a share of the packets between `a` and `b` (-1 as for cut).
    repeat,   ///< Delivers a share of the packets twice, again behind those in flight.
    shorten,  ///< Truncates a share of the packets at a byte that the seed selects.
    refuse,   ///< Refuses a share of the copies between the memories of `a` and `b`.
  };
  fault::kind what;    ///< The kind.
  std::int64_t at_ns;  ///< Virtual time at which it happens.
  rank_t a;            ///< The rank concerned.
  rank_t b = -1;       ///< The second rank, if the kind has one.
  double factor = 1;   ///< Slowness, or the share from 0 (no more faults) to 1.
};

/// Limits and settings of a simulation.
struct options {
  std::int64_t time_max_ns = 3'600'000'000'000;  ///< Virtual time after which a job counts as hung.
  std::size_t stack_bytes = 256 * 1024;          ///< Stack size of a rank; touched as it is used.
  bool trace = false;          ///< Keeps the text of the trace, not only its hash.
  bool oversubscribed = true;  ///< Ranks outnumber cores: a waiting rank polls once, then sleeps.
  std::vector<fault> faults;   ///< In any order.
};

/// Outcome of a simulation.
struct result {
  std::int64_t virtual_ns = 0;     ///< Time at which the last rank ended.
  std::uint64_t events = 0;        ///< Steps of the simulator.
  std::uint64_t packets = 0;       ///< Packets delivered, without puts and gets.
  std::uint64_t packet_bytes = 0;  ///< Their payload.
  std::uint64_t puts = 0;          ///< Puts into a peer's memory.
  std::uint64_t gets = 0;          ///< Gets from a peer's memory.
  std::uint64_t moved_bytes = 0;   ///< Bytes moved by puts and gets.
  std::uint64_t lost = 0;          ///< Packets lost by faults.
  std::uint64_t repeated = 0;      ///< Packets repeated by faults.
  std::uint64_t shortened = 0;     ///< Packets truncated by faults.
  std::uint64_t refused = 0;       ///< Copies refused by faults.
  std::uint64_t trace_hash = 0;    ///< Equal for equal runs; different runs hardly ever have equal
                                   ///< hashes.
  std::string trace;               ///< One line for each event, if requested.
  std::string stuck;               ///< The reason if no rank could continue.
};

namespace detail {

/// Interface of the simulator to the model of network and machine.
class network {
 public:
  network() = default;
  network(const network&) = delete;
  network& operator=(const network&) = delete;
  virtual ~network() = default;
  virtual costs transfer(rank_t from, rank_t to, std::size_t bytes, sim::random& random) = 0;
  virtual std::int64_t empty_poll_ns(sim::random& random) = 0;
  virtual std::int64_t detection_ns() = 0;
  virtual rank_t node_of(rank_t rank) = 0;
};

class world : event_handler {
 public:
  world(rank_t ranks, network& net, std::uint64_t seed, options o)
      : scheduler_(seed), network_(net), options_(std::move(o)), ranks_(ranks) {
    members_.resize(static_cast<std::size_t>(ranks));
    for (std::size_t i = 0; i < options_.faults.size(); ++i) {
      const fault& f = options_.faults[i];
      if (f.a < 0 || f.a >= ranks || f.b < -1 || f.b >= ranks || f.at_ns < 0 || is_wrong(f))
        throw error(errc::argument, "fault " + std::to_string(i) +
                                        " of the simulation names rank " + std::to_string(f.a) +
                                        " or " + std::to_string(f.b) + " of " +
                                        std::to_string(ranks) +
                                        ", a negative time or a factor that it cannot have");
      scheduler_.at(f.at_ns, *this, i);
    }
  }

  rank_t size() const noexcept { return ranks_; }
  detail::scheduler& scheduler() noexcept { return scheduler_; }
  detail::network& network() noexcept { return network_; }
  sim::result& result() noexcept { return result_; }
  const sim::options& options() const noexcept { return options_; }

  // --- The n-th environment that each rank makes ---

  struct environment {
    explicit environment(rank_t ranks)
        : states(static_cast<std::size_t>(ranks), rank_state::waiting),
          known_ns(static_cast<std::size_t>(ranks)),
          ports(static_cast<std::size_t>(ranks)),
          cards(static_cast<std::size_t>(ranks)) {}
    std::vector<rank_state> states;
    // Time at which the other ranks learn that a rank has gone.
    std::vector<std::int64_t> known_ns;
    std::vector<event_handler*> ports;  // Those of transport::sim,
    std::vector<event_handler*> cards;  // and those of nic::sim.
    std::map<std::pair<rank_t, std::string>, std::string> published;
    // By (rank, peer): the reason for which rank has disconnected from peer.
    std::map<std::pair<rank_t, rank_t>, errc> disconnected;
    rank_t gone = 0;  // Number of ranks that have left or failed.
    rank_t arrived = 0;
    std::uint64_t generation = 0;
  };

  /// `rank` joins its next environment.
  environment& join(rank_t rank) {
    const std::size_t k = member(rank).joined++;
    if (k == environments_.size()) environments_.push_back(std::make_unique<environment>(ranks_));
    environment& e = *environments_[k];
    e.states[static_cast<std::size_t>(rank)] = rank_state::joined;
    return e;
  }
  void leave(environment& e, rank_t rank, rank_state as) {
    // A killed rank that still ends its program has not left in good order.
    e.states[static_cast<std::size_t>(rank)] = member(rank).dead ? rank_state::failed : as;
    ++e.gone;
    // The other ranks learn of it as of the end of a stream: after everything that this rank has
    // sent.
    const std::int64_t known_ns = scheduler_.now_ns() + network_.detection_ns();
    e.known_ns[static_cast<std::size_t>(rank)] = known_ns;
    scheduler_.at(known_ns, *this, failures_known);
  }
  /// `rank` disconnects from `peer`, which learns of it a detection time later.
  void disconnect_from(environment& e, rank_t rank, rank_t peer, errc why) {
    e.disconnected.insert({{rank, peer}, why});
    scheduler_.at(scheduler_.now_ns() + network_.detection_ns(), *this, failures_known);
  }
  /// State of `rank` as `viewer` knows it. To a rank that is dead, or in a job that is over, all
  /// ranks have failed.
  rank_state state(const environment& e, rank_t viewer, rank_t rank) const noexcept {
    if (over_ || member(viewer).dead) return rank_state::failed;
    rank_state s = e.states[static_cast<std::size_t>(rank)];
    if (scheduler_.now_ns() < e.known_ns[static_cast<std::size_t>(rank)]) s = rank_state::joined;
    return member(rank).known_dead && s != rank_state::finished ? rank_state::failed : s;
  }
  /// Describes what happened to a failed rank.
  std::string failure_text(rank_t rank) const {
    const std::string who = "rank " + std::to_string(rank);
    if (!member(rank).dead) return who + (over_ ? " was lost: the job is over" : " failed");
    return who + " was lost: killed at " + std::to_string(member(rank).died_ns) + " ns";
  }
  std::uint32_t failure_epoch() const noexcept { return failure_epoch_; }
  const platform::atomic<std::uint32_t>& failure_word() const noexcept { return failure_epoch_; }

  /// Keeps an object to which events may refer until the end of the job.
  void keep(std::unique_ptr<event_handler> handler) { kept_.push_back(std::move(handler)); }

  // --- Faults and ends ---

  bool dead(rank_t rank) const noexcept { return member(rank).dead; }
  /// True once nothing that `rank` does reaches another rank.
  bool cut_off(rank_t rank) const noexcept { return over_ || member(rank).dead; }
  /// True if a packet that left at that time was never sent.
  bool died_before(rank_t rank, std::int64_t time_ns) const noexcept {
    return member(rank).dead && member(rank).died_ns <= time_ns;
  }
  bool is_cut(rank_t a, rank_t b) const noexcept {
    return !cuts_.empty() && a != b &&
           (cuts_.count({a, b}) != 0 || cuts_.count({b, a}) != 0 || cuts_.count({a, -1}) != 0 ||
            cuts_.count({b, -1}) != 0);
  }
  /// The faults that a packet suffers on arrival.
  struct fate {
    bool lost = false;
    bool repeated = false;
    bool shortened = false;
  };
  fate fate_of(rank_t from, rank_t to) noexcept {
    fate f;
    for (const fault& now : of_transfers_) {
      if (now.what == fault::kind::refuse || !befalls(now, from, to)) continue;
      if (now.what == fault::kind::lose) f.lost = true;
      if (now.what == fault::kind::repeat) f.repeated = true;
      if (now.what == fault::kind::shorten) f.shortened = true;
    }
    return f;
  }
  /// Returns true if a fault refuses a copy between the memories of two ranks.
  bool is_refused(rank_t a, rank_t b) noexcept {
    bool refused = false;
    for (const fault& now : of_transfers_)
      if (now.what == fault::kind::refuse && befalls(now, a, b)) refused = true;
    return refused;
  }
  /// Calls `healed` whenever a cut has ended.
  void on_heal(std::function<void()> healed) { on_heal_.push_back(std::move(healed)); }

  /// Ends the job now: every rank sees all others as failed, so that every wait ends.
  void end_all(const std::string& why) {
    if (over_) return;
    over_ = true;
    result_.stuck = why;
    ++failure_epoch_;
    scheduler_.wake_all();
  }
  /// A rank has polled without result. Ends a job that has exceeded its virtual time.
  void looked(rank_t rank) {
    if (scheduler_.clock_ns(rank) > options_.time_max_ns)
      end_all("no end after " + std::to_string(options_.time_max_ns) + " ns of virtual time");
    if (!cut_off(rank) || ++member(rank).looks_after_end < looks_after_end_max) return;
    std::fprintf(stderr, "mpx: rank %d of a simulation goes on for ever after its end\n", rank);
    std::abort();
  }

  /// Sets the object that describes what a rank waits for.
  void describe_by(rank_t rank, bootstrap::hang_describer* describer) noexcept {
    member(rank).describer = describer;
  }
  /// Gets the description. Returns false if the rank has no environment, or if its descriptions
  /// have another size.
  bool describe(rank_t rank, std::span<std::byte> into) {
    return member(rank).describer != nullptr && member(rank).describer->describe(into);
  }
  /// Ends the job with the text of `report`: no event is left, and some ranks still wait.
  template <class Report>
  void stuck(Report&& report) {
    end_all("no rank can go on\n" + report());
    scheduler_.wake_all();
  }

  // --- The trace ---

  void record(const char* what, std::int64_t at_ns, rank_t from, rank_t to, std::uint64_t a,
              std::uint64_t b) {
    for (const std::uint64_t v :
         {static_cast<std::uint64_t>(what[0]) << 8 | static_cast<std::uint64_t>(what[1]),
          static_cast<std::uint64_t>(at_ns),
          static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to), a, b})
      hash_ = (hash_ ^ v) * 0x9e37'79b9'7f4a'7c15u ^ hash_ >> 29;
    result_.trace_hash = hash_;
    if (!options_.trace) return;
    std::string& t = result_.trace;
    t.append(std::to_string(at_ns)).append(" ").append(what).append(" ");
    t.append(std::to_string(from)).append(" ").append(std::to_string(to)).append(" ");
    t.append(std::to_string(a)).append(" ").append(std::to_string(b)).append("\n");
  }

 private:
  static constexpr std::uint64_t failures_known = ~std::uint64_t{0};
  static constexpr std::uint64_t failure_known_of = std::uint64_t{1} << 32;
  static constexpr std::uint32_t looks_after_end_max = 10'000'000;

  struct membership {
    std::size_t joined = 0;
    bool dead = false;
    bool known_dead = false;
    std::int64_t died_ns = 0;
    std::uint32_t looks_after_end = 0;
    bootstrap::hang_describer* describer = nullptr;
  };
  static bool is_of_transfers(fault::kind k) noexcept { return k >= fault::kind::lose; }
  static bool is_wrong(const fault& f) noexcept {
    return is_of_transfers(f.what) ? f.factor < 0 || f.factor > 1 : f.factor <= 0;
  }
  /// Returns true if the fault hits this transfer, as the seed decides.
  bool befalls(const fault& f, rank_t from, rank_t to) noexcept {
    const bool concerned =
        (f.a == from && (f.b == to || f.b == -1)) || (f.a == to && (f.b == from || f.b == -1));
    return from != to && concerned && happens(f.factor);
  }
  bool happens(double share) noexcept {
    constexpr std::uint64_t parts = 1u << 20;
    return static_cast<double>(scheduler_.random().below(parts)) < share * double{parts};
  }
  membership& member(rank_t rank) noexcept { return members_[static_cast<std::size_t>(rank)]; }
  const membership& member(rank_t rank) const noexcept {
    return members_[static_cast<std::size_t>(rank)];
  }

  void fire(std::int64_t now_ns, std::uint64_t argument) override {
    if (argument == failures_known) return tell_all();
    if (argument >= failure_known_of) {
      member(static_cast<rank_t>(argument - failure_known_of)).known_dead = true;
      return tell_all();
    }
    const fault& f = options_.faults[argument];
    record("fault", now_ns, f.a, f.b, static_cast<std::uint64_t>(f.what), 0);
    switch (f.what) {
      case fault::kind::kill:
        if (member(f.a).dead) return;
        member(f.a).dead = true;
        member(f.a).died_ns = now_ns;
        ++failure_epoch_;
        scheduler_.wake(f.a);
        scheduler_.at(now_ns + network_.detection_ns(), *this,
                      failure_known_of + static_cast<std::uint64_t>(f.a));
        return;
      case fault::kind::cut: cuts_.insert({f.a, f.b}); return;
      case fault::kind::heal:
        cuts_.erase({f.a, f.b});
        cuts_.erase({f.b, f.a});
        for (const auto& healed : on_heal_) healed();
        return;
      case fault::kind::slow: scheduler_.slow(f.a, f.factor); return;
      case fault::kind::lose:
      case fault::kind::repeat:
      case fault::kind::shorten:
      case fault::kind::refuse:
        std::erase_if(of_transfers_, [&f](const fault& before) {
          return before.what == f.what && before.a == f.a && before.b == f.b;
        });
        if (f.factor > 0) of_transfers_.push_back(f);
        return;
    }
  }
  void tell_all() {
    ++failure_epoch_;
    scheduler_.wake_all();
  }

  detail::scheduler scheduler_;
  detail::network& network_;
  sim::options options_;
  sim::result result_;
  rank_t ranks_;
  std::vector<membership> members_;
  std::vector<std::unique_ptr<environment>> environments_;
  std::vector<std::unique_ptr<event_handler>> kept_;
  std::set<std::pair<rank_t, rank_t>> cuts_;
  std::vector<fault> of_transfers_;
  std::vector<std::function<void()>> on_heal_;
  bool over_ = false;
  platform::atomic<std::uint32_t> failure_epoch_{1};
  std::uint64_t hash_ = 0x6d70'7873'696d'0001u;
};

}  // namespace detail
}  // namespace mpx::inline v0::sim
