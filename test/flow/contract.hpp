// SPDX-License-Identifier: BSL-1.0
#pragma once
// Contract suite of flow controls: a sender and a receiver with a channel between them that delays
// messages and counts, over many steps and more than 2^32 blocks.

#include <doctest/doctest.h>

#include <cstdint>
#include <deque>
#include <limits>
#include <mpx/flow/concepts.hpp>
#include <random>
#include <utility>

namespace flow_contract {

/// Buys ahead and gives back now and then. Returns whether the prepaid credit has paid for a
/// message.
template <mpx::FlowControl F>
bool pays([[maybe_unused]] F& flow, [[maybe_unused]] mpx::peer_id to,
          [[maybe_unused]] std::uint32_t& prepaid_credit, [[maybe_unused]] std::size_t bytes,
          [[maybe_unused]] std::mt19937_64& random) {
  if constexpr (mpx::PrepaidFlowControl<F>) {
    if (random() % 4 == 0) prepaid_credit += flow.prepay(to);
    if (random() % 16 == 0) flow.refund(to, std::exchange(prepaid_credit, 0));
    const std::uint32_t price = flow.price(bytes);
    if (prepaid_credit < price || random() % 2 != 0) return false;
    prepaid_credit -= price;
    return true;
  }
  return false;
}

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
    if constexpr (mpx::PrepaidFlowControl<F>) {
      broken_ += sender_.count(to_) == sender_.outgoing(to_) ? 0 : 1;
    }
    if (const std::size_t tiny = bytes % 41; pays(sender_, to_, prepaid_credit_, tiny, random_)) {
      channel_.push_back(tiny);
      ++sent_;
      return;
    }
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
    if (!due && random_() % 4 != 0) return;
    if constexpr (mpx::PrepaidFlowControl<F>) {
      if (random_() % 2 == 0) {
        counts_.push_back(receiver_.count(from_));
        return receiver_.credit_advertised(from_, counts_.back());
      }
    }
    counts_.push_back(receiver_.outgoing(from_));
  }

  F sender_;
  F receiver_;
  std::uint32_t prepaid_credit_ = 0;
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

/// Processes that are added and dropped, each with a flow control of its own, and a receiver with
/// the invariant: the stored bytes of all never exceed its bound, nor the bound its budget.
template <mpx::ElasticFlowControl F>
void check_elastic(std::uint64_t budget) {
  struct remote {
    F flow;  // Of the sender, which has met others before: `at` is our number there.
    mpx::peer_id at;
    bool here = false;
    std::uint32_t prepaid_credit = 0;
    std::deque<std::size_t> channel{};
    std::deque<std::size_t> stored{};
  };
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const auto founders = static_cast<mpx::peer_id>(1 + random() % 4);
    F mine(founders);
    const std::uint64_t bound_before = mine.bytes_bound();
    std::deque<remote> peers;
    for (mpx::peer_id p = 0; p < founders; ++p) peers.push_back({F(founders), 0, true});
    std::uint64_t held = 0;
    int wrong = 0;
    int sent = 0;
    int nothing_left = 0;
    for (int i = 0; i < 40'000; ++i) {
      const auto dice = random() % 100;
      auto p = static_cast<mpx::peer_id>(random() % peers.size());
      if (dice < 2) {  // A newcomer, or a number that is used again.
        if (peers[p].here) {
          if (peers.size() == 40) continue;
          p = static_cast<mpx::peer_id>(peers.size());
          peers.push_back({F(1), 0});
        }
        const auto known = static_cast<mpx::peer_id>(1 + random() % 5);
        peers[p] = {F(known), known, true};
        wrong += mine.try_add(p) ? 0 : 1;
        wrong += peers[p].flow.try_add(known) ? 0 : 1;
        if (mine.granted_bytes(p) == 0) ++nothing_left;
        wrong += mine.bytes_bound() != std::numeric_limits<std::uint64_t>::max() &&
                 peers[p].flow.try_acquire(known, 0);  // Not before it is open.
        peers[p].flow.open(known, mine.granted_bytes(p));
        mine.open(p, peers[p].flow.granted_bytes(known));
        wrong += mine.granted_bytes(p) == 0 && peers[p].flow.try_acquire(known, 0) ? 1 : 0;
        continue;
      }
      remote& r = peers[p];
      if (!r.here) continue;
      if (dice < 4 && p >= founders) {
        for (; !r.stored.empty(); r.stored.pop_front()) {
          held -= mpx::unexpected_cost(r.stored.front());
          static_cast<void>(mine.release(p, r.stored.front()));
        }
        mine.drop(p);
        r.here = false;
      } else if (dice < 50) {
        std::size_t bytes = random() % 3000;
        if (pays(r.flow, r.at, r.prepaid_credit, bytes % 1025, random)) {
          bytes %= 1025;
        } else if (!r.flow.try_acquire(r.at, bytes)) {
          continue;
        }
        r.channel.push_back(bytes);
        ++sent;
      } else if (dice < 75 && !r.channel.empty()) {
        held += mpx::unexpected_cost(r.channel.front());
        r.stored.push_back(r.channel.front());
        r.channel.pop_front();
        wrong += held > mine.bytes_bound() ? 1 : 0;
      } else if (!r.stored.empty()) {
        held -= mpx::unexpected_cost(r.stored.front());
        if (mine.release(p, r.stored.front()) || random() % 8 == 0)
          wrong += r.flow.incoming(r.at, mine.outgoing(p)) ? 0 : 1;
        r.stored.pop_front();
      }
      wrong += mine.bytes_bound() > budget ? 1 : 0;
    }
    CHECK(wrong == 0);
    CHECK(sent > 100);
    if (budget < 40 * mine.window_bytes()) CHECK(nothing_left > 0);
    for (mpx::peer_id p = founders; p < peers.size(); ++p)
      if (peers[p].here) mine.drop(p);
    CHECK(mine.bytes_bound() == bound_before);  // No grant is lost.
  }
}

/// Senders with a receiver that moves shares among them, over channels that delay all packets. The
/// senders become silent and active again.
template <mpx::ReassigningFlowControl F>
class reassignments {
 public:
  reassignments(mpx::peer_id senders, std::size_t bytes_max, std::uint64_t seed)
      : receiver_(senders + 1), bytes_max_(bytes_max), random_(seed) {
    for (mpx::peer_id p = 0; p < senders; ++p) senders_.push_back({F(senders + 1)});
  }

  void run(std::uint64_t steps) {
    for (std::uint64_t i = 0; i < steps; ++i) {
      if (i % 2'000 == 0) active_ = 1 + random_() % 3;
      // Few are active at a time, and others now and then.
      const std::uint64_t any = random_() % 16 == 0 ? senders_.size() : active_;
      step(static_cast<mpx::peer_id>((i / 2'000 * 3 + random_() % any) % senders_.size()));
    }
    for (mpx::peer_id p = 0; p < senders_.size(); ++p)
      while (arrive(p) || consume(p) || hear(p)) continue;
  }
  /// Every sender can send something as big as its minimum of `bytes`, and its credit is no more
  /// than what the receiver has granted to it.
  bool all_may_send(std::size_t bytes) {
    for (mpx::peer_id p = 0; p < senders_.size(); ++p) {
      remote& r = senders_[p];
      r.flow.refund(0, std::exchange(r.prepaid_credit, 0));
      while (hear(p) || arrive(p)) continue;
      if (r.flow.incoming(0, receiver_.outgoing(p)) && !r.flow.try_acquire(0, bytes)) return false;
      const std::uint32_t rest = r.flow.give_back(0, 0);
      if (rest * std::uint64_t{64} + mpx::unexpected_cost(bytes) > receiver_.granted_bytes(p))
        return false;
    }
    return true;
  }

  int broken() const { return broken_; }
  int reclaims() const { return reclaims_; }
  std::uint64_t given_back() const { return given_back_; }
  std::uint64_t held_most() const { return held_most_; }
  std::uint64_t bound() const { return receiver_.bytes_bound(); }

 private:
  enum class kind : std::uint8_t { eager, announcement, returned };
  struct packet {
    kind is;
    std::size_t value;
  };
  struct answer {
    bool reclaim;
    std::uint32_t count;
    std::uint32_t kept;
  };
  struct remote {
    F flow;
    std::uint32_t prepaid_credit = 0;
    std::deque<packet> to{};
    std::deque<std::size_t> stored{};
    std::uint64_t held = 0;
    std::deque<answer> from{};
  };

  void step(mpx::peer_id p) {
    const auto dice = random_() % 100;
    if (dice < 45) {
      send(senders_[p]);
    } else if (dice < 70) {
      arrive(p);
    } else if (dice < 85) {
      consume(p);
    } else if (dice < 98) {
      hear(static_cast<mpx::peer_id>(random_() % senders_.size()));
    } else if (random_() % 50 == 0) {
      receiver_.prefer_none();
      settle(receiver_.prefer(p));
    }
  }
  void send(remote& r) {
    const std::size_t bytes = random_() % (bytes_max_ + 1);
    if (const std::size_t tiny = bytes % 41; pays(r.flow, 0, r.prepaid_credit, tiny, random_)) {
      r.to.push_back({kind::eager, tiny});
    } else if (r.flow.try_acquire(0, bytes)) {
      r.to.push_back({kind::eager, bytes});
    } else {
      r.to.push_back({kind::announcement, bytes});
    }
  }
  bool arrive(mpx::peer_id p) {
    remote& r = senders_[p];
    if (r.to.empty()) return false;
    const packet is = r.to.front();
    r.to.pop_front();
    if (is.is == kind::announcement) {
      settle(receiver_.demand(p, is.value));
    } else if (is.is == kind::returned) {
      mpx::share_change next;
      broken_ += receiver_.returned(p, static_cast<std::uint32_t>(is.value), next) ? 0 : 1;
      settle(next);
    } else {
      r.stored.push_back(is.value);
      r.held += mpx::unexpected_cost(is.value);
      held_ += mpx::unexpected_cost(is.value);
    }
    broken_ += r.held > receiver_.granted_bytes(p) ? 1 : 0;
    broken_ += held_ > receiver_.bytes_bound() ? 1 : 0;
    if (held_ > held_most_) held_most_ = held_;
    std::uint64_t granted = 0;
    for (mpx::peer_id q = 0; q <= senders_.size(); ++q) granted += receiver_.granted_bytes(q);
    broken_ += granted > receiver_.bytes_bound() ? 1 : 0;
    return true;
  }
  bool consume(mpx::peer_id p) {
    remote& r = senders_[p];
    if (r.stored.empty()) return false;
    const std::size_t bytes = r.stored.front();
    r.stored.pop_front();
    r.held -= mpx::unexpected_cost(bytes);
    held_ -= mpx::unexpected_cost(bytes);
    if (receiver_.release(p, bytes) || random_() % 8 == 0) tell(p, false);
    return true;
  }
  void settle(mpx::share_change change) {
    if (change.update != mpx::any_peer) tell(change.update, false);
    if (change.reclaim != mpx::any_peer) tell(change.reclaim, true);
  }
  void tell(mpx::peer_id p, bool reclaim) {
    reclaims_ += reclaim ? 1 : 0;
    senders_[p].from.push_back({reclaim, receiver_.outgoing(p), receiver_.share(p)});
  }
  bool hear(mpx::peer_id p) {
    remote& r = senders_[p];
    if (r.from.empty()) return false;
    const answer a = r.from.front();
    r.from.pop_front();
    broken_ += r.flow.incoming(0, a.count) ? 0 : 1;
    if (!a.reclaim) return true;
    r.flow.refund(0, std::exchange(r.prepaid_credit, 0));
    const std::uint32_t units = r.flow.give_back(0, a.kept);
    given_back_ += units;
    r.to.push_back({kind::returned, units});
    return true;
  }

  F receiver_;
  std::deque<remote> senders_;
  std::size_t bytes_max_;
  std::mt19937_64 random_;
  std::uint64_t active_ = 1;
  std::uint64_t held_ = 0;
  std::uint64_t held_most_ = 0;
  std::uint64_t given_back_ = 0;
  int broken_ = 0;
  int reclaims_ = 0;
};

/// The bound holds while shares move, every count and answer is taken, silent senders give back,
/// and each sender keeps a minimum that takes a message of `minimum` bytes.
template <mpx::ReassigningFlowControl F>
void check_reassigning(mpx::peer_id senders, std::size_t bytes_max, std::size_t minimum) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(senders);
    CAPTURE(seed);
    reassignments<F> r(senders, bytes_max, seed);
    r.run(60'000);
    CHECK(r.broken() == 0);
    CHECK(r.held_most() <= r.bound());
    CHECK(r.reclaims() > 5);
    CHECK(r.given_back() > 0);
    CHECK(r.all_may_send(minimum));
  }
}

}  // namespace flow_contract
