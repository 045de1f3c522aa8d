// SPDX-License-Identifier: BSL-1.0
#pragma once
// What the ranks of a simulated job share: clocks, the network's costs, who is alive, what was
// published, and what goes wrong when.

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

/// What one transfer costs, in nanoseconds.
struct costs {
  std::int64_t send_ns;     ///< The sender's CPU is busy.
  std::int64_t receive_ns;  ///< The receiver's CPU is busy, when it takes the packet.
  std::int64_t gap_ns;      ///< Neither port takes another packet for so long.
  std::int64_t wire_ns;     ///< The time for its bytes: both ports are busy.
  std::int64_t latency_ns;  ///< From port to port, jitter included.
  /// By how much longer than `wire_ns` a CPU is busy that copies from another rank's memory, and
  /// not to it.
  std::int64_t fetch_ns = 0;
};

/// Something that goes wrong at a time.
struct fault {
  /// What goes wrong.
  enum class kind : std::uint8_t {
    kill,     ///< Rank `a` dies: what it has not put on the wire by then never leaves.
    cut,      ///< Nothing passes between `a` and `b` any more (b = -1: between `a` and everybody).
    heal,     ///< It passes again, and so does what has waited; -1 as for cut.
    slow,     ///< Whatever rank `a` does itself takes `factor` times as long.
    lose,     ///< Of the packets between `a` and `b` (-1 as for cut), a part never arrives,
    repeat,   ///< or arrives a second time, behind what was under way,
    shorten,  ///< or arrives without its end, from a byte that the seed draws.
    refuse,   ///< Of the copies between the memories of `a` and `b`, a part is refused.
  };
  fault::kind what;    ///< What goes wrong.
  std::int64_t at_ns;  ///< When, in virtual time.
  rank_t a;            ///< With whom.
  rank_t b = -1;       ///< And between whom.
  double factor = 1;   ///< How much slower; which part, from 0 (no more) to 1.
};

/// What a simulation may use, and what it records.
struct options {
  std::int64_t time_max_ns = 3'600'000'000'000;  ///< Virtual time after which a job counts as hung.
  std::size_t stack_bytes = 256 * 1024;          ///< Of a rank, touched as it is used.
  bool trace = false;                            ///< Keep the text of the trace, not just its hash.
  bool crowded = true;        ///< More ranks than cores: who waits looks once, then sleeps.
  std::vector<fault> faults;  ///< In any order.
};

/// What a simulation did.
struct result {
  std::int64_t virtual_ns = 0;     ///< When the last rank ended.
  std::uint64_t events = 0;        ///< Steps of the simulator.
  std::uint64_t packets = 0;       ///< Delivered, puts and gets not among them.
  std::uint64_t packet_bytes = 0;  ///< Their payload.
  std::uint64_t puts = 0;          ///< Stores into a peer's memory.
  std::uint64_t gets = 0;          ///< Fetches from a peer's memory.
  std::uint64_t moved_bytes = 0;   ///< By puts and gets.
  std::uint64_t lost = 0;          ///< Packets that a fault has lost,
  std::uint64_t repeated = 0;      ///< brought again,
  std::uint64_t shortened = 0;     ///< or cut short.
  std::uint64_t refused = 0;       ///< Copies that a fault has refused.
  std::uint64_t trace_hash = 0;    ///< Equal for equal runs, and for hardly any others.
  std::string trace;               ///< A line for each thing that happened, if asked for.
  std::string stuck;               ///< Why no rank could go on, if it came to that.
};

namespace detail {

/// The network and the machine, as the simulator asks them.
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
          ports(static_cast<std::size_t>(ranks)) {}
    std::vector<rank_state> states;
    std::vector<std::int64_t> known_ns;  // When the others learn that a rank has gone.
    std::vector<event_handler*> ports;   // The transport's ends.
    std::map<std::pair<rank_t, std::string>, std::string> published;
    std::map<std::pair<rank_t, rank_t>, errc> renounced;  // Who gave whom up, and why.
    rank_t gone = 0;                                      // Left or failed.
    rank_t arrived = 0;
    std::uint64_t generation = 0;
  };

  /// Enters `rank` into its next environment.
  environment& join(rank_t rank) {
    const std::size_t k = member(rank).joined++;
    if (k == environments_.size()) environments_.push_back(std::make_unique<environment>(ranks_));
    environment& e = *environments_[k];
    e.states[static_cast<std::size_t>(rank)] = rank_state::joined;
    return e;
  }
  void leave(environment& e, rank_t rank, rank_state as) {
    e.states[static_cast<std::size_t>(rank)] = as;
    ++e.gone;
    // The others learn of it as of the end of a stream: after what this rank has sent.
    const std::int64_t known_ns = scheduler_.now_ns() + network_.detection_ns();
    e.known_ns[static_cast<std::size_t>(rank)] = known_ns;
    scheduler_.at(known_ns, *this, news);
  }
  /// `rank` gives `peer` up, which learns of it a little later.
  void renounce(environment& e, rank_t rank, rank_t peer, errc why) {
    e.renounced.insert({{rank, peer}, why});
    scheduler_.at(scheduler_.now_ns() + network_.detection_ns(), *this, news);
  }
  /// What `viewer` knows of `rank`. Who is dead itself, and who is in a job that is over, has lost
  /// everybody.
  rank_state state(const environment& e, rank_t viewer, rank_t rank) const noexcept {
    if (over_ || member(viewer).dead) return rank_state::failed;
    rank_state s = e.states[static_cast<std::size_t>(rank)];
    if (scheduler_.now_ns() < e.known_ns[static_cast<std::size_t>(rank)]) s = rank_state::joined;
    return member(rank).known_dead && s != rank_state::finished ? rank_state::failed : s;
  }
  /// What became of a rank that has failed, in words.
  std::string failure_text(rank_t rank) const {
    const std::string who = "rank " + std::to_string(rank);
    if (!member(rank).dead) return who + (over_ ? " was lost: the job is over" : " failed");
    return who + " was lost: killed at " + std::to_string(member(rank).died_ns) + " ns";
  }
  std::uint32_t failure_epoch() const noexcept { return failure_epoch_; }
  const platform::atomic<std::uint32_t>& failure_word() const noexcept { return failure_epoch_; }

  /// Keeps what events may name until the end of the job.
  void keep(std::unique_ptr<event_handler> handler) { kept_.push_back(std::move(handler)); }

  // --- Faults and ends ---

  bool dead(rank_t rank) const noexcept { return member(rank).dead; }
  /// True once nothing that `rank` does reaches anybody.
  bool cut_off(rank_t rank) const noexcept { return over_ || member(rank).dead; }
  /// True when a packet that left then was never sent.
  bool died_before(rank_t rank, std::int64_t time_ns) const noexcept {
    return member(rank).dead && member(rank).died_ns <= time_ns;
  }
  bool is_cut(rank_t a, rank_t b) const noexcept {
    return !cuts_.empty() && a != b &&
           (cuts_.count({a, b}) != 0 || cuts_.count({b, a}) != 0 || cuts_.count({a, -1}) != 0 ||
            cuts_.count({b, -1}) != 0);
  }
  /// What becomes of a packet that arrives.
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
  /// Whether a copy between two ranks' memories is refused.
  bool is_refused(rank_t a, rank_t b) noexcept {
    bool refused = false;
    for (const fault& now : of_transfers_)
      if (now.what == fault::kind::refuse && befalls(now, a, b)) refused = true;
    return refused;
  }
  /// Calls `healed` whenever a cut has ended.
  void on_heal(std::function<void()> healed) { on_heal_.push_back(std::move(healed)); }

  /// The job ends here: everybody has lost everybody, so that every wait ends.
  void end_all(const std::string& why) {
    if (over_) return;
    over_ = true;
    result_.stuck = why;
    ++failure_epoch_;
    scheduler_.wake_all();
  }
  /// A rank has looked in vain. Ends a job that has gone on for longer than it may.
  void looked(rank_t rank) {
    if (scheduler_.clock_ns(rank) > options_.time_max_ns)
      end_all("no end after " + std::to_string(options_.time_max_ns) + " ns of virtual time");
    if (!cut_off(rank) || ++member(rank).looks_after_end < looks_after_end_max) return;
    std::fprintf(stderr, "mpx: rank %d of a simulation goes on for ever after its end\n", rank);
    std::abort();
  }

  /// Whom to ask what a rank waits for.
  void describe_by(rank_t rank, bootstrap::hang_describer* describer) noexcept {
    member(rank).describer = describer;
  }
  /// Asks. Returns false if the rank has no environment, or its descriptions are of another size.
  bool describe(rank_t rank, std::span<std::byte> into) {
    return member(rank).describer != nullptr && member(rank).describer->describe(into);
  }
  /// Nothing will happen any more, and some ranks still wait: ends the job with what `report` says.
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
  static constexpr std::uint64_t news = ~std::uint64_t{0};
  static constexpr std::uint64_t news_of_rank = std::uint64_t{1} << 32;
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
  /// Whether it befalls this transfer, as the seed draws.
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
    if (argument == news) return tell_all();
    if (argument >= news_of_rank) {
      member(static_cast<rank_t>(argument - news_of_rank)).known_dead = true;
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
                      news_of_rank + static_cast<std::uint64_t>(f.a));
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
