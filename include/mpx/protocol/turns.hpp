// SPDX-License-Identifier: BSL-1.0
#pragma once
// Two ranks that take turns with long messages: whether they do, and whether these had better be
// announced, or come unasked, learnt from how long turns take.

#include <cstddef>
#include <cstdint>

#include "mpx/core/numbers.hpp"

namespace mpx::inline v0::protocol {

/// Whether two ranks take turns with long messages: who sends has had as many from the other one as
/// it has sent, but for those with which the other one is ahead. One for each peer.
class turn_count {
 public:
  /// What is sent next comes after `n` turns, and has not begun.
  bool is_turn_after(std::uint8_t n) const noexcept {
    return ahead_ <= 0 && turns_ >= n && !begun_;
  }
  /// A message that may have to wait for room has been looked at: not again.
  void begin() noexcept { begun_ = true; }
  void sent(bool unasked) noexcept {
    turns_ = ahead_ > 0 ? 0 : turns_ < 255 ? turns_ + 1 : 255;
    if (ahead_ < 2) ++ahead_;
    unasked_ = unasked;
    begun_ = false;
  }
  /// One of the peer's has begun to come.
  void arrived() noexcept {
    if (ahead_ == 2) ahead_ = 1;  // A stream has ended.
    if (ahead_ >= 0) --ahead_;
  }
  /// The last one was sent unasked, and the peer's next has not begun to come.
  bool unanswered_and_unasked() const noexcept { return ahead_ > 0 && unasked_; }

 private:
  std::int8_t ahead_ = 0;  // By how many messages this side is, from -1 to 2.
  std::uint8_t turns_ = 0;
  bool begun_ = false;
  bool unasked_ = false;
};

/// Tries each for some turns and takes what has had the shorter ones: what else a program does in a
/// turn, it does both ways. Looks anew after 4096 turns, or when messages are of another size.
/// Cost: a few comparisons a turn.
class turn_learner {
 public:
  /// A turn begins with a message of `bytes`. Returns whether that is to come unasked.
  /// `trials`: turns of each way, at most 64. The first half of them is not looked at: what is
  /// used for the first time takes longer.
  bool begin(std::size_t bytes, std::int64_t now_ns, std::uint32_t trials) noexcept {
    const auto bits = static_cast<std::uint8_t>(mpx::detail::bits_of(bytes));
    if (bits != bits_ || turn_ == turns_max) {
      bits_ = bits;
      turn_ = 0;
      sum_ns_[0] = sum_ns_[1] = 0;
      looked_at_ = 0;
    } else if (turn_ <= 2 * trials && (turn_ - 1) % trials >= trials / 2) {
      add(now_ns - began_ns_);
    }
    began_ns_ = now_ns;
    const std::uint32_t n = turn_++;
    unasked_ = n < 2 * trials ? n >= trials : sum_ns_[1] <= sum_ns_[0];
    return unasked_;
  }

 private:
  static constexpr std::uint32_t turns_max = 4096;

  /// Of four turns the shortest one counts: in the others something else may have happened.
  void add(std::int64_t ns) noexcept {
    least_ns_ = looked_at_ % 4 == 0 ? ns : mpx::detail::lesser(least_ns_, ns);
    if (++looked_at_ % 4 == 0) sum_ns_[unasked_] += least_ns_;
  }

  std::int64_t sum_ns_[2]{};
  std::int64_t least_ns_ = 0;
  std::int64_t began_ns_ = 0;
  std::uint32_t turn_ = 0;
  std::uint32_t looked_at_ = 0;
  std::uint8_t bits_ = 0;
  bool unasked_ = false;
};

}  // namespace mpx::inline v0::protocol
