// SPDX-License-Identifier: BSL-1.0
#pragma once
// Which path moves long messages fastest, learnt from what they cost: whether one copy by the
// kernel beats two through the channel depends on the size, the caches and where the cores are, and
// changes while a program runs.

#include <cstddef>
#include <cstdint>

#include "mpx/config.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/plain_array.hpp"

namespace mpx::inline v0::protocol {

/// How the data of one long message moves.
enum class scheme : std::uint8_t {
  get,      ///< The receiver fetches it.
  packets,  ///< The sender puts it into the channel, the receiver takes it out.
  split,    ///< The receiver fetches the first half while the sender stores the second.
  open,     ///< That is not known yet.
};

/// What passes between two ranks while a long message moves: a way costs another time where both
/// sides are at work in any case.
enum class traffic : std::uint8_t {
  none,       ///< Nothing is learnt of this message.
  one_way,    ///< The time that it takes counts, whoever works.
  both_ways,  ///< The work counts, whoever has to wait for it.
};

/// Keeps what each scheme costs a byte for each power of two of the size, tries each, then takes
/// the cheapest one and looks at the others now and then: less often while the cheapest one stays
/// the same, and seldom at those that cost more than twice as much.
/// Messages that are under way together go the same way, as a block, as far as 16 MiB go: mixed,
/// each would show what the others cost. What is measured is a run of them, as they come.
/// Cost: a few comparisons a message; one message in 9, later in 65, goes another way.
class scheme_learner {
 public:
  /// `splits`: whether both sides may copy at once. `more`: others wait already for their turn.
  scheme choose(std::size_t bytes, bool splits = true, bool more = false) noexcept {
    record* const kept = of(bytes);
    if (kept == nullptr) return scheme::get;
    record& r = *kept;
    if (r.left == 0 || (r.under_way == 0 && !more && r.chosen >= r.least))
      begin_block(r, bytes, splits ? ways_max : ways_max - 1);
    --r.left;
    ++r.chosen;
    ++r.under_way;
    return static_cast<scheme>(r.way);
  }

  /// `ns`: one way, the message's share of the receiver's time: all time in which long messages are
  /// under way belongs to one of them, that whose data moves at the end of it. Both ways, what both
  /// sides have worked for it.
  void took(scheme p, std::size_t bytes, std::int64_t ns) noexcept {
    record* const kept = of(bytes);
    if (kept == nullptr) return;
    record& r = *kept;
    if (r.under_way != 0) --r.under_way;
    const auto way = static_cast<std::uint8_t>(p);
    if (way != r.run_of) end_run(r, bytes);
    r.run_of = way;
    const float sample = static_cast<float>(ns) / static_cast<float>(bytes);
    r.sum += sample;
    r.most = mpx::detail::greater(r.most, sample);
    if (++r.measured == run_max) end_run(r, bytes);
  }

  /// A message for which a way was chosen will not tell what it cost.
  void failed(std::size_t bytes) noexcept {
    record* const r = of(bytes);
    if (r != nullptr && r->under_way != 0) --r->under_way;
  }

 private:
  static constexpr std::uint8_t ways_max = 3;
  static constexpr std::size_t block_bytes = std::size_t{16} << 20;
  static constexpr std::uint32_t block_max = 64;  // Messages.
  static constexpr std::uint32_t block_least = 8;
  static constexpr std::uint32_t look_max = 32;
  static constexpr std::uint32_t trial_least = 2;  // In an exchange the peer follows one later.
  static constexpr std::uint32_t trials_max = 2 * ways_max;
  static constexpr std::uint32_t run_max = 32;
  static constexpr std::uint32_t run_least = 4;   // A shorter one lies among others.
  static constexpr std::uint32_t rest_first = 8;  // Times a look.
  static constexpr std::uint32_t rest_last = 64;
  static constexpr std::uint32_t hopeless_every = 4;  // Of the looks.
  static constexpr std::uint8_t agains_max = 4;
  static constexpr std::uint8_t waits_max = 2;
  static constexpr std::uint32_t under_way_max = 1024;
  static constexpr float hopeful = 1.5F;  // Times the best.
  static constexpr float better = 0.95F;  // Of what is taken now: worth a change.
  struct record {
    float cost[ways_max]{};  // ns a byte; 0: not known.
    // The block: how many messages it may have yet, has at least, and has had.
    std::uint32_t left = 0;
    std::uint32_t least = 0;
    std::uint32_t chosen = 0;
    std::uint32_t under_way = 0;  // Of this block and those before.
    std::uint8_t way = 0;
    bool looks = false;  // This way is not the best.
    // The run: of how many the cost is known, what it is, and that of the dearest.
    std::uint8_t run_of = 0;
    std::uint32_t measured = 0;
    float sum = 0;
    float most = 0;
    // What is next.
    std::uint8_t trials = 0;
    std::uint8_t best = ways_max;      // ways_max: not known.
    std::uint8_t other = ways_max;     // Which was looked at last,
    bool again = false;                // and shall be once more,
    std::uint8_t agains = 0;           // as it was so often.
    std::uint8_t waits = 0;            // Blocks that a look has been due for.
    std::uint32_t turns = 0;           // Looks that were due.
    std::uint32_t look = block_least;  // How many messages the last one had,
    std::uint32_t rest = rest_first;   // for how many times that there is none,
    std::uint32_t until_look = 0;      // and how many messages are left of it.
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

  /// What a run has cost, but for the message that was disturbed most.
  static void learn(record& r) noexcept {
    const float sample = (r.sum - r.most) / static_cast<float>(r.measured - 1);
    float& cost = r.cost[r.run_of];
    const float best = r.best < ways_max ? r.cost[r.best] : 0;
    if (cost == 0) cost = sample;
    // What looked hopeless is not, and is looked at as the others are.
    if (sample < best && cost > hopeful * best) cost = hopeful * best;
    cost += (mpx::detail::lesser(sample, 4 * cost) - cost) / (sample < cost ? 2.0F : 4.0F);
    // It is looked at on, until what is thought of it has followed; or it was luck.
    if (r.run_of == r.other && sample < better * best && cost > better * best &&
        r.agains < agains_max) {
      ++r.agains;
      r.again = true;
    }
  }

  [[gnu::noinline]] static void begin_block(record& r, std::size_t bytes,
                                            std::uint8_t ways) noexcept {
    const std::uint32_t had = r.chosen;
    if (r.under_way == 0) end_run(r, bytes);
    if (r.under_way > under_way_max) r.under_way = 0;  // Of peers that were lost.
    r.chosen = 0;
    r.left = block_of(bytes);
    r.least = mpx::detail::lesser(r.left, block_least);
    if (r.trials >= ways && had >= block_least) r.trials = trials_max;  // Once is enough.
    if (r.trials < 2 * ways) {
      r.way = r.trials++ % ways;
      r.left = mpx::detail::lesser(r.left, look_max);
      r.least = trial_least;
      r.until_look = r.rest * r.look;
      return;
    }
    const std::uint8_t best = best_of(r, ways);
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
    r.way = best;
    // One that begins while others are under way is mixed with them.
    const bool due = r.until_look == 0 && (r.under_way == 0 || ++r.waits > waits_max);
    r.looks = r.again || (due && is_worth_a_look(r, ways));
    if (due) r.waits = 0;
    r.again = false;
    if (r.looks && r.other < ways) {
      r.way = r.other;
      r.left = mpx::detail::lesser(r.left, look_max);
      r.least = mpx::detail::lesser(r.left, run_least);
    }
  }

  static std::uint8_t best_of(const record& r, std::uint8_t ways) noexcept {
    std::uint8_t best = r.best < ways && r.cost[r.best] != 0 ? r.best : ways_max;
    for (std::uint8_t i = 0; i < ways; ++i)
      if (r.cost[i] != 0 && (best == ways_max || r.cost[i] < better * r.cost[best])) best = i;
    return best == ways_max ? 0 : best;
  }

  /// It is the next way's turn that is not the best. It comes to nothing if that is too dear to be
  /// looked at every time.
  static bool is_worth_a_look(record& r, std::uint8_t ways) noexcept {
    const std::uint32_t others = ways - 1u;
    const bool anyway = r.turns / others % hopeless_every == 0;
    r.other = static_cast<std::uint8_t>((r.best + 1 + r.turns % others) % ways);
    r.agains = 0;
    ++r.turns;
    if (anyway || r.cost[r.other] <= 2 * r.cost[r.best]) return true;
    r.until_look = r.rest * r.look;
    return false;
  }

  /// nullptr: memory is out.
  record* of(std::size_t bytes) noexcept {
    if (records_.empty() && !records_.try_extend(records_max)) return nullptr;
    const std::size_t width = mpx::detail::bits_of(bytes);
    const std::size_t at = width > width_min ? width - width_min : 0;
    return &records_[at < records_max ? at : records_max - 1];
  }
  static constexpr std::size_t records_max = 12;
  static constexpr std::size_t width_min = 12;  // What is shorter is one packet, and not learnt.
  plain_array<record> records_;  // What is longer goes with the last one. Most learn nothing.
};

}  // namespace mpx::inline v0::protocol
