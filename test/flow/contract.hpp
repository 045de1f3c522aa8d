// SPDX-License-Identifier: BSL-1.0
#pragma once
// What every FlowControl has to do, as a suite: a sender and a receiver with a channel between them
// that delays messages and counts, over many steps and more than 2^32 blocks.

#include <doctest/doctest.h>

#include <cstdint>
#include <deque>
#include <mpx/flow/concepts.hpp>
#include <random>

namespace flow_contract {

/// Random traffic from one process to another. Says what broke, and how often the flow control
/// refused.
template <mpx::FlowControl F>
class traffic {
 public:
  traffic(mpx::peer_id peers, std::size_t bytes_max, std::uint64_t seed)
      : sender_(peers),
        receiver_(peers),
        to_(peers - 1),
        from_(peers / 2),
        bytes_max_(bytes_max),
        random_(seed) {}

  void run(int steps) {
    for (int i = 0; i < steps; ++i) step();
  }

  int broken() const { return broken_; }
  int refused() const { return refused_; }
  int sent() const { return sent_; }
  std::uint64_t held_most() const { return held_most_; }
  std::uint64_t window() const { return receiver_.window_bytes(); }
  std::uint64_t bound() const { return receiver_.bytes_bound(); }

 private:
  void step() {
    const auto dice = random_() % 100;
    if (dice < 45) {
      send();
    } else if (dice < 70) {
      arrive();
    } else if (dice < 95) {
      consume();
    } else if (!counts_.empty()) {  // A count reaches the sender.
      broken_ += sender_.incoming(to_, counts_.front()) ? 0 : 1;
      counts_.pop_front();
    }
  }
  void send() {
    const std::size_t bytes = random_() % (bytes_max_ + 1);
    if (!sender_.try_acquire(to_, bytes)) {
      ++refused_;
      return;
    }
    if (random_() % 8 == 0) return sender_.restore(to_, bytes);  // The transport said retry.
    channel_.push_back(bytes);
    ++sent_;
  }
  void arrive() {
    if (channel_.empty()) return;
    stored_.push_back(channel_.front());
    held_ += mpx::unexpected_cost(channel_.front());
    channel_.pop_front();
    if (held_ > held_most_) held_most_ = held_;
  }
  void consume() {
    if (stored_.empty()) return;
    const std::size_t bytes = stored_.front();
    stored_.pop_front();
    held_ -= mpx::unexpected_cost(bytes);
    const bool due = receiver_.release(from_, bytes);
    if (due || random_() % 4 == 0) counts_.push_back(receiver_.outgoing(from_));
  }

  F sender_;
  F receiver_;
  mpx::peer_id to_;    // The receiver, as the sender knows it.
  mpx::peer_id from_;  // And the other way round.
  std::size_t bytes_max_;
  std::mt19937_64 random_;
  std::deque<std::size_t> channel_;
  std::deque<std::size_t> stored_;
  std::deque<std::uint32_t> counts_;
  std::uint64_t held_ = 0;
  std::uint64_t held_most_ = 0;
  int broken_ = 0;
  int refused_ = 0;
  int sent_ = 0;
};

/// True counts are taken, and what one sender has stored stays within its part of the bound.
template <mpx::FlowControl F>
void check_traffic() {
  for (const mpx::peer_id peers : {1u, 2u, 7u, 300u}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      CAPTURE(peers);
      CAPTURE(seed);
      traffic<F> t(peers, 16'384, seed);
      t.run(20'000);
      CHECK(t.broken() == 0);
      CHECK(t.held_most() <= t.window());
      CHECK(t.window() <= t.bound());
      CHECK(t.sent() + t.refused() > 0);
    }
  }
}

}  // namespace flow_contract
