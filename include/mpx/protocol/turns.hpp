// SPDX-License-Identifier: BSL-1.0
#pragma once
// Detects that two ranks exchange long messages in turns (request-reply), and measures whether
// these are faster announced or sent eagerly without announcement.

#include <cstdint>

namespace mpx::inline v0::protocol {

/// Detects an exchange in turns with one peer: this rank has received as many long messages as it
/// has sent, except for those by which the peer is ahead. One for each peer.
class exchange_detector {
 public:
  /// True if the next message follows at least `n` turns, and begin() has not been called for it.
  bool is_turn_after(std::uint8_t n) const noexcept {
    return ahead_ <= 0 && turns_ >= n && !begun_;
  }
  /// Marks the next message as considered: it may have to wait for room, and is not considered
  /// again.
  void begin() noexcept { begun_ = true; }
  void sent(bool eager) noexcept {
    turns_ = ahead_ > 0 ? 0 : turns_ < 255 ? turns_ + 1 : 255;
    if (ahead_ < 2) ++ahead_;
    ++total_;
    eager_ = eager;
    begun_ = false;
  }
  /// A long message of the peer has begun to arrive.
  void arrived() noexcept {
    if (ahead_ == 2) ahead_ = 1;  // A stream of messages has ended.
    if (ahead_ >= 0) --ahead_;
  }
  /// True if the last message was sent without announcement.
  bool eager() const noexcept { return eager_; }
  /// True if more messages have been sent than received.
  bool is_ahead() const noexcept { return ahead_ > 0; }
  /// Number of messages sent, modulo 65,536.
  std::uint16_t total() const noexcept { return total_; }

 private:
  std::int8_t ahead_ = 0;  // Messages sent minus received, clamped to -1 .. 2.
  std::uint8_t turns_ = 0;
  std::uint16_t total_ = 0;
  bool begun_ = false;
  bool eager_ = false;
};

/// Chooses between announcing and sending eagerly. Tries each for a number of turns, and uses the
/// one with the shortest time per message, measured over four messages or more; the program's own
/// work in a turn is the same in both. Starts again after 4096 turns. One for each peer and size.
/// Cost:       a few comparisons a turn.
class eager_limit_tuner {
 public:
  /// Begins a turn, after `sent` messages in total. `trials`: turns of each choice. The first half
  /// of them is not measured, because the first use of a path takes longer.
  /// Returns:    true if the turn's message is to be sent without announcement.
  bool begin(std::uint16_t sent, std::int64_t now_ns, std::uint16_t trials) noexcept {
    if (turn_ == turns_max) turn_ = 0;
    const std::uint16_t n = turn_++;
    if (n == 0) least_ns_[0] = least_ns_[1] = ns_max;
    // A measurement starts and ends with the measured half of a trial.
    const bool looks = n < 2 * trials && n % trials >= trials / 2;
    const auto messages = static_cast<std::uint16_t>(sent - sent_);
    if (measures_ && messages >= 4) {
      const float ns = static_cast<float>(now_ns - began_ns_) / static_cast<float>(messages);
      if (ns < least_ns_[eager_]) least_ns_[eager_] = ns;
    }
    if (!looks || !measures_ || messages >= 4) {
      measures_ = looks;
      began_ns_ = now_ns;
      sent_ = sent;
    }
    eager_ = n < 2 * trials ? n >= trials : least_ns_[1] <= least_ns_[0];
    return eager_;
  }

 private:
  static constexpr std::uint16_t turns_max = 4096;
  static constexpr float ns_max = 1e30F;
  float least_ns_[2]{};  // Per message: announced, not announced.
  std::int64_t began_ns_ = 0;
  std::uint16_t sent_ = 0;
  std::uint16_t turn_ = 0;
  bool measures_ = false;
  bool eager_ = false;
};

}  // namespace mpx::inline v0::protocol
