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

/// Keeps an average cost per byte of each scheme for each power of two of the size, tries each a
/// few times, then takes the cheapest one and looks at the others now and then: less and less often
/// while the cheapest one stays the same, and seldom at those that cost more than twice as much.
/// Where one costs less than the best it goes on looking for a while, until that is believed.
/// Cost: a few comparisons a message; about 1 message in 32, later in 256, takes a dearer one; more
/// where another one costs now more, now less than the best.
class scheme_learner {
 public:
  /// `splits`: whether both sides may copy at once.
  scheme choose(std::size_t bytes, bool splits = true) noexcept {
    const std::uint32_t paths = splits ? paths_max : paths_max - 1;
    record* const kept = of(bytes);
    if (kept == nullptr) return scheme::get;
    record& r = *kept;
    const std::uint32_t n = r.asked++;
    if (n < trials * paths) return static_cast<scheme>(n / run % paths);
    std::uint32_t best = 0;
    for (std::uint32_t i = 1; i < paths; ++i)
      if (r.ns_per_byte[i] < r.ns_per_byte[best]) best = i;
    if (best != r.best) {
      r.best = best;
      r.look_every = look_every_first;
      r.look_until = n;
      if (r.look_at <= n || r.look_at > n + look_every_first) r.look_at = n + look_every_first;
    }
    if (n >= r.look_at) begin_look(r, n, paths);
    const bool looks = n < r.look_until && r.other < paths;
    return static_cast<scheme>(looks ? r.other : best);
  }

  /// `ns`: one way, the message's share of the receiver's time: all time in which long messages are
  /// under way belongs to one of them, that whose data moves at the end of it. Both ways, what both
  /// sides have worked for it. A trial that took less is believed at once: one is too large when
  /// something else ran, and what is thought too dear is not taken, so that nobody would find out.
  /// Else what is thought follows slowly, up and down: a message that goes another way than its
  /// neighbours may look cheap, since what others do meanwhile is charged to them.
  void took(scheme p, std::size_t bytes, std::int64_t ns) noexcept {
    record* const kept = of(bytes);
    if (kept == nullptr) return;
    record& r = *kept;
    const auto i = static_cast<std::size_t>(p);
    const float sample = static_cast<float>(ns) / static_cast<float>(bytes);
    float& average = r.ns_per_byte[i];
    if (r.taken[i] < trials) {
      ++r.taken[i];
      if (average == 0 || sample < average) average = sample;
    }
    // What looked hopeless is not, and is looked at as the others are.
    const float best = r.best < paths_max ? r.ns_per_byte[r.best] : 0;
    if (sample < best && average > hopeful * best) average = hopeful * best;
    average += (mpx::detail::lesser(sample, 2 * average) - average) / 6;
    // It is looked at on, until what is thought of it has followed; or it was luck.
    if (i == r.other && sample < best && average > best && r.agains < agains_max) {
      ++r.agains;
      r.look_until = r.asked + run;
    }
  }

 private:
  static constexpr std::uint32_t trials = 4;
  static constexpr std::uint32_t run = 2;  // In an exchange the peer follows one message later.
  static constexpr std::uint32_t look_every_first = 64;
  static constexpr std::uint32_t look_every_last = 512;
  static constexpr std::uint32_t hopeless_every = 4;  // Of those looks.
  static constexpr std::uint32_t paths_max = 3;
  static constexpr std::uint8_t agains_max = 8;
  static constexpr float hopeful = 1.5F;  // Times the best.
  struct record {
    float ns_per_byte[paths_max]{};   // 0: not tried yet.
    std::uint8_t taken[paths_max]{};  // Messages, up to `trials`.
    std::uint32_t asked = 0;
    std::uint32_t best = paths_max;  // The last time: none yet.
    std::uint32_t look_every = 0;
    std::uint32_t look_at = 0;        // When the next turn of another way begins;
    std::uint32_t looks = 0;          // how many there have been;
    std::uint32_t other = paths_max;  // whose the last one was,
    std::uint32_t look_until = 0;     // and when that is over.
    std::uint8_t agains = 0;  // How often it went on, since a message cost less than the best.
  };

  /// Message `n` begins a turn of the next way that is not the best. It comes to nothing if that is
  /// too dear to be looked at every time.
  static void begin_look(record& r, std::uint32_t n, std::uint32_t paths) noexcept {
    const std::uint32_t others = paths - 1;
    const bool looks_anyway = (r.looks / others + 1) % hopeless_every == 0;
    r.other = (r.best + 1 + r.looks % others) % paths;
    r.agains = 0;
    ++r.looks;
    const bool hopeless = r.ns_per_byte[r.other] > 2 * r.ns_per_byte[r.best];
    const std::uint32_t length = hopeless && !looks_anyway ? 0 : run;
    r.look_until = n + length;
    r.look_at = n + length + r.look_every;
    if (r.look_every < look_every_last) r.look_every *= 2;
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
  plain_array<record> records_;  // Up to 16 MiB; what is longer goes with that. Most learn nothing.
};

}  // namespace mpx::inline v0::protocol
