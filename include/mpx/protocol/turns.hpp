// SPDX-License-Identifier: BSL-1.0
#pragma once
// Two ranks that take turns with long messages: whether they do, and whether these had better be
// announced, or come unasked, learnt from how long turns take.

#include <cstdint>

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
    ++total_;
    unasked_ = unasked;
    begun_ = false;
  }
  /// One of the peer's has begun to come.
  void arrived() noexcept {
    if (ahead_ == 2) ahead_ = 1;  // A stream has ended.
    if (ahead_ >= 0) --ahead_;
  }
  /// The last one was sent unasked.
  bool unasked() const noexcept { return unasked_; }
  /// More have been sent than have come.
  bool is_ahead() const noexcept { return ahead_ > 0; }
  /// How many have been sent (modulo 65,536).
  std::uint16_t total() const noexcept { return total_; }

 private:
  std::int8_t ahead_ = 0;  // By how many messages this side is, from -1 to 2.
  std::uint8_t turns_ = 0;
  std::uint16_t total_ = 0;
  bool begun_ = false;
  bool unasked_ = false;
};

/// Tries each for some turns and takes what has had the shortest time for four messages or more:
/// what else a program does in a turn, it does both ways. Looks anew after 4096 turns. One for each
/// peer and size.
/// Cost: a few comparisons a turn.
class turn_learner {
 public:
  /// A turn begins, when `sent` messages have been sent in all. Returns whether its own is to come
  /// unasked.
  /// `trials`: turns of each way. The first half of them is not looked at: what is used for the
  /// first time takes longer.
  bool begin(std::uint16_t sent, std::int64_t now_ns, std::uint16_t trials) noexcept {
    if (turn_ == turns_max) turn_ = 0;
    const std::uint16_t n = turn_++;
    if (n == 0) least_ns_[0] = least_ns_[1] = ns_max;
    // Where a try, or the half of it that counts, begins or ends, so does what is measured.
    const bool looks = n < 2 * trials && n % trials >= trials / 2;
    const auto messages = static_cast<std::uint16_t>(sent - sent_);
    if (measures_ && messages >= 4) {
      const float ns = static_cast<float>(now_ns - began_ns_) / static_cast<float>(messages);
      if (ns < least_ns_[unasked_]) least_ns_[unasked_] = ns;
    }
    if (!looks || !measures_ || messages >= 4) {
      measures_ = looks;
      began_ns_ = now_ns;
      sent_ = sent;
    }
    unasked_ = n < 2 * trials ? n >= trials : least_ns_[1] <= least_ns_[0];
    return unasked_;
  }

 private:
  static constexpr std::uint16_t turns_max = 4096;
  static constexpr float ns_max = 1e30F;
  float least_ns_[2]{};  // For a message: announced, unasked.
  std::int64_t began_ns_ = 0;
  std::uint16_t sent_ = 0;
  std::uint16_t turn_ = 0;
  bool measures_ = false;
  bool unasked_ = false;
};

}  // namespace mpx::inline v0::protocol
