// SPDX-License-Identifier: BSL-1.0
#pragma once
// Selects the fastest path of long messages by their measured cost. Whether one copy by the kernel
// is faster than two through the channel depends on the size, the caches and the placement of the
// ranks, and changes while a program runs. Against the best single path it gains up to 1.8 times
// where data moves both ways, and nothing where it moves one way (docs/BENCHMARKS.md). It fails
// where traffic changes faster than it measures: then it uses a path that was the fastest before.

#include <cstddef>
#include <cstdint>

#include "mpx/config.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/plain_array.hpp"

namespace mpx::inline v0::protocol {

/// Path of the data of one long message.
enum class rendezvous_protocol : std::uint8_t {
  get,            ///< The receiver fetches it.
  packets,        ///< The sender writes it to the channel, and the receiver reads it from there.
  half_and_half,  ///< The receiver fetches the first half while the sender stores the second.
  open,           ///< Not decided yet.
};

/// Traffic between two ranks while a long message moves. A path costs a different time if both
/// sides are busy anyway.
enum class traffic : std::uint8_t {
  none,       ///< Nothing is measured for this message.
  one_way,    ///< Elapsed time is the cost.
  both_ways,  ///< CPU time of both sides is the cost, whichever side waits for it.
};

/// Estimates the cost per byte of each rendezvous protocol for each power of two of the size. Tries
/// each rendezvous protocol, then uses the cheapest one and samples the others periodically: less
/// often while the cheapest stays the same, and rarely those that cost more than twice as much.
/// Messages in progress together use the same rendezvous protocol, in blocks of up to 16 MiB: mixed
/// protocols would disturb each other's measurement. The unit of measurement is a run of
/// consecutive messages of one rendezvous protocol.
/// Cost:       a few comparisons a message; one message in 9, later in 65, uses another rendezvous
/// protocol.
class rendezvous_tuner {
 public:
  /// Returns the rendezvous protocol of the next message. `both_can_copy`: both sides can copy at
  /// the same time. `more`: other messages are waiting already.
  rendezvous_protocol choose(std::size_t bytes, bool both_can_copy = true,
                             bool more = false) noexcept {
    record* const kept = of(bytes);
    if (kept == nullptr) return rendezvous_protocol::get;
    record& r = *kept;
    if (r.left == 0 || (r.under_way == 0 && !more && r.chosen >= r.least))
      begin_block(r, bytes, both_can_copy ? protocols_max : protocols_max - 1);
    --r.left;
    ++r.chosen;
    ++r.under_way;
    return static_cast<rendezvous_protocol>(r.current);
  }

  /// Records the cost of a message. `ns`: one way, its share of the receiver's time: all time
  /// during which long messages are in progress is charged to the message whose data moves at its
  /// end. Both ways, the CPU time of both sides for it.
  void took(rendezvous_protocol p, std::size_t bytes, std::int64_t ns) noexcept {
    record* const kept = of(bytes);
    if (kept == nullptr) return;
    record& r = *kept;
    if (r.under_way != 0) --r.under_way;
    const auto index = static_cast<std::uint8_t>(p);
    if (index != r.run_of) end_run(r, bytes);
    r.run_of = index;
    const float sample = static_cast<float>(ns) / static_cast<float>(bytes);
    r.sum += sample;
    r.most = mpx::detail::greater(r.most, sample);
    if (++r.measured == run_max) end_run(r, bytes);
  }

  /// A message for which a rendezvous protocol was chosen will report no cost.
  void failed(std::size_t bytes) noexcept {
    record* const r = of(bytes);
    if (r != nullptr && r->under_way != 0) --r->under_way;
  }

 private:
  static constexpr std::uint8_t protocols_max = 3;
  static constexpr std::size_t block_bytes = std::size_t{16} << 20;
  static constexpr std::uint32_t block_max = 64;  // In messages.
  static constexpr std::uint32_t block_least = 8;
  static constexpr std::uint32_t look_max = 32;
  // In an exchange the peer follows one message later.
  static constexpr std::uint32_t trial_least = 2;
  static constexpr std::uint32_t trials_max = 2 * protocols_max;
  static constexpr std::uint32_t run_max = 32;
  static constexpr std::uint32_t run_least = 4;   // A shorter run is mixed with others.
  static constexpr std::uint32_t rest_first = 8;  // Pause between samples, in lengths of a sample.
  static constexpr std::uint32_t rest_last = 64;
  // One in so many samples is of a rendezvous protocol that costs more than twice the best.
  static constexpr std::uint32_t hopeless_every = 4;
  static constexpr std::uint8_t agains_max = 4;
  static constexpr std::uint8_t waits_max = 2;
  static constexpr std::uint32_t under_way_max = 1024;
  // Bound of an estimate, as a multiple of the best, once a sample beats the best.
  static constexpr float hopeful = 1.5F;
  // Fraction of the current cost below which a change is worth it.
  static constexpr float better = 0.95F;
  struct record {
    float cost[protocols_max]{};  // Estimate in ns per byte; 0: unknown.
    // The block: messages that it may still have, has at least, and has had.
    std::uint32_t left = 0;
    std::uint32_t least = 0;
    std::uint32_t chosen = 0;
    std::uint32_t under_way = 0;  // In progress, of this block and earlier ones.
    std::uint8_t current = 0;
    bool looks = false;  // This block samples a rendezvous protocol that is not the best.
    // The run: its rendezvous protocol, number of measured messages, their cost, and that of the
    // most expensive one.
    std::uint8_t run_of = 0;
    std::uint32_t measured = 0;
    float sum = 0;
    float most = 0;
    // State of the selection.
    std::uint8_t trials = 0;
    std::uint8_t best = protocols_max;   // protocols_max: unknown.
    std::uint8_t other = protocols_max;  // Protocol sampled last;
    bool again = false;                  // it is to be sampled once more;
    std::uint8_t agains = 0;             // number of such repetitions.
    std::uint8_t waits = 0;              // Blocks for which a sample has been due.
    std::uint32_t turns = 0;             // Samples that were due.
    std::uint32_t look = block_least;    // Messages in the last sample;
    std::uint32_t rest = rest_first;     // pause, in lengths of a sample;
    std::uint32_t until_look = 0;        // messages left of the pause.
  };

  static std::uint32_t block_of(std::size_t bytes) noexcept {
    const std::size_t n = block_bytes / bytes;
    if (n > block_max) return block_max;
    return n < trial_least ? trial_least : static_cast<std::uint32_t>(n);
  }

  static void end_run(record& r, std::size_t bytes) noexcept {
    const bool alone = r.trials < trials_max && r.chosen < block_least;
    if (r.measured >= (alone ? trial_least : mpx::detail::lesser(run_least, block_of(bytes))))
      learn(r);
    r.measured = 0;
    r.sum = r.most = 0;
  }

  /// Updates the estimate with the average of a run, without its most expensive message.
  static void learn(record& r) noexcept {
    const float sample = (r.sum - r.most) / static_cast<float>(r.measured - 1);
    float& cost = r.cost[r.run_of];
    const float best = r.best < protocols_max ? r.cost[r.best] : 0;
    if (cost == 0) cost = sample;
    // A sample beats the best although the estimate was far above it: lower the estimate, so that
    // the rendezvous protocol is sampled as often as others.
    if (sample < best && cost > hopeful * best) cost = hopeful * best;
    cost += (mpx::detail::lesser(sample, 4 * cost) - cost) / (sample < cost ? 2.0F : 4.0F);
    // Keep sampling this rendezvous protocol until its estimate has converged, or the sample proves
    // to be an outlier.
    if (r.run_of == r.other && sample < better * best && cost > better * best &&
        r.agains < agains_max) {
      ++r.agains;
      r.again = true;
    }
  }

  [[gnu::noinline]] static void begin_block(record& r, std::size_t bytes,
                                            std::uint8_t protocols) noexcept {
    const std::uint32_t had = r.chosen;
    if (r.under_way == 0) end_run(r, bytes);
    // Peers that were lost never reported their messages.
    if (r.under_way > under_way_max) r.under_way = 0;
    r.chosen = 0;
    r.left = block_of(bytes);
    r.least = mpx::detail::lesser(r.left, block_least);
    // One trial of each rendezvous protocol is enough.
    if (r.trials >= protocols && had >= block_least) r.trials = trials_max;
    if (r.trials < 2 * protocols) {
      r.current = r.trials++ % protocols;
      r.left = mpx::detail::lesser(r.left, look_max);
      r.least = trial_least;
      r.until_look = r.rest * r.look;
      return;
    }
    const std::uint8_t best = best_of(r, protocols);
    if (best != r.best) {
      r.best = best;
      r.rest = rest_first;
    }
    if (r.looks) {
      r.look = mpx::detail::greater(had, block_least);
      r.until_look = r.rest * r.look;
      if (r.rest < rest_last) r.rest *= 2;
    } else {
      r.until_look -= mpx::detail::lesser(had, r.until_look);
    }
    r.current = best;
    // A sample that begins while other messages are in progress is mixed with them.
    const bool due = r.until_look == 0 && (r.under_way == 0 || ++r.waits > waits_max);
    r.looks = r.again || (due && is_worth_a_look(r, protocols));
    if (due) r.waits = 0;
    r.again = false;
    if (r.looks && r.other < protocols) {
      r.current = r.other;
      r.left = mpx::detail::lesser(r.left, look_max);
      r.least = mpx::detail::lesser(r.left, run_least);
    }
  }

  static std::uint8_t best_of(const record& r, std::uint8_t protocols) noexcept {
    std::uint8_t best = r.best < protocols && r.cost[r.best] != 0 ? r.best : protocols_max;
    for (std::uint8_t i = 0; i < protocols; ++i)
      if (r.cost[i] != 0 && (best == protocols_max || r.cost[i] < better * r.cost[best])) best = i;
    return best == protocols_max ? 0 : best;
  }

  /// Selects the next rendezvous protocol to sample, in turn.
  /// Returns:    false if it is too expensive to be sampled every time.
  static bool is_worth_a_look(record& r, std::uint8_t protocols) noexcept {
    const std::uint32_t others = protocols - 1u;
    const bool anyway = r.turns / others % hopeless_every == 0;
    r.other = static_cast<std::uint8_t>((r.best + 1 + r.turns % others) % protocols);
    r.agains = 0;
    ++r.turns;
    if (anyway || r.cost[r.other] <= 2 * r.cost[r.best]) return true;
    r.until_look = r.rest * r.look;
    return false;
  }

  /// Returns nullptr if memory is exhausted.
  record* of(std::size_t bytes) noexcept {
    if (records_.empty() && !records_.try_extend(records_max)) return nullptr;
    const std::size_t width = mpx::detail::bits_of(bytes);
    const std::size_t at = width > width_min ? width - width_min : 0;
    return &records_[at < records_max ? at : records_max - 1];
  }
  static constexpr std::size_t records_max = 12;
  // Shorter messages fit one packet, and are not measured.
  static constexpr std::size_t width_min = 12;
  // By size; the last record also serves longer messages. Allocated on first use: most ranks need
  // none.
  plain_array<record> records_;
};

}  // namespace mpx::inline v0::protocol
