// SPDX-License-Identifier: BSL-1.0
#pragma once
// Which path moves long messages fastest, learnt from what they cost: whether one copy by the
// kernel beats two through the channel depends on the size, the caches and where the cores are, and
// changes while a program runs.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "mpx/config.hpp"

namespace mpx::inline v0::protocol {

/// How the data of one long message moves.
enum class scheme : std::uint8_t {
  get,      ///< The receiver fetches it.
  packets,  ///< The sender puts it into the channel, the receiver takes it out.
  split,    ///< The receiver fetches the first half while the sender stores the second.
};

/// Keeps a cost per byte of each scheme for each power of two of the size. A scheme is tried by a
/// run of messages, for a single one among those of another shows neither what it costs to change
/// nor how well it overlaps itself; the first message of a run does not count. At the start each
/// has a run, and the first one a second: its buffers were new. Then the cheapest is taken, and now
/// and then another has a run.
/// Cost: a few comparisons a message; about 1 message in 32 takes a dearer scheme.
class scheme_learner {
 public:
  scheme choose(std::size_t bytes) noexcept {
    record& r = of(bytes);
    if (r.left != 0) {
      --r.left;
      return static_cast<scheme>(r.now);
    }
    const std::uint32_t n = r.runs++;
    std::size_t next = 0;
    if (n < trials) {
      next = n % schemes;
    } else {
      for (std::size_t i = 1; i < schemes; ++i)
        if (r.ns_per_byte[i] < r.ns_per_byte[next]) next = i;
      if (n % explore_every == 0) next = (next + 1 + n / explore_every % (schemes - 1)) % schemes;
    }
    r.left = run - 1;
    if (next != r.now || n == 0) r.skip = 1;
    r.now = static_cast<std::uint8_t>(next);
    return static_cast<scheme>(next);
  }

  /// `ns`: the message's share of the receiver's time. All time in which long messages are under
  /// way belongs to one of them, that whose data moves at the end of it.
  void took(scheme p, std::size_t bytes, std::int64_t ns) noexcept {
    record& r = of(bytes);
    if (static_cast<std::size_t>(p) == r.now && r.skip != 0) {
      --r.skip;
      return;
    }
    learn(r.ns_per_byte[static_cast<std::size_t>(p)], bytes, ns);
  }

 private:
  static constexpr std::size_t schemes = 3;
  static constexpr std::uint32_t run = 4;               // Messages.
  static constexpr std::uint32_t trials = schemes + 1;  // Runs.
  static constexpr std::uint32_t explore_every = 32;    // Runs.
  struct record {
    std::array<float, schemes> ns_per_byte{};  // 0: not tried yet.
    std::uint32_t runs = 0;
    std::uint8_t now = 0;   // The scheme of this run,
    std::uint8_t left = 0;  // how many messages it has yet,
    std::uint8_t skip = 0;  // and how many do not count.
  };

  record& of(std::size_t bytes) noexcept {
    const auto width = static_cast<std::size_t>(std::bit_width(bytes));
    const std::size_t at = width > width_min ? width - width_min : 0;
    return records_[at < records_.size() ? at : records_.size() - 1];
  }
  /// Follows a fall at once and a rise slowly: a sample can only be too large, when something else
  /// ran.
  static void learn(float& average, std::size_t bytes, std::int64_t ns) noexcept {
    const float sample = static_cast<float>(ns) / static_cast<float>(bytes);
    if (average == 0 || sample < average) {
      average = average == 0 ? sample : (average + sample) / 2;
    } else {
      average += ((sample < 4 * average ? sample : 4 * average) - average) / 8;
    }
  }

  static constexpr std::size_t width_min = 12;  // What is shorter is one packet, and not learnt.
  std::array<record, 18> records_{};            // Up to 1 GiB; what is longer goes with that.
};

}  // namespace mpx::inline v0::protocol
