// SPDX-License-Identifier: BSL-1.0
#pragma once
// A matcher against the list matcher, which is plainly right: the same work for each,
// and every answer compared. A failure prints the seed and the step that replay it.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mpx/matching/hashed.hpp>
#include <mpx/matching/list.hpp>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace matching_comparison {

using mpx::envelope;
using mpx::pattern;

#if defined(MPX_TEST_SANITIZED) || defined(MPX_TEST_EMULATED)
inline constexpr std::uint64_t slowdown = 16;
#else
inline constexpr std::uint64_t slowdown = 1;
#endif

struct receive : mpx::posted_receive {
  std::size_t id = 0;
};
struct message : mpx::unexpected_message {
  std::size_t id = 0;
};

/// Numbers; those that were given back are used again. `in_use` lists those that are out.
class numbers {
 public:
  std::size_t take() {
    std::size_t id = place_.size();
    if (free_.empty()) {
      place_.push_back(0);
    } else {
      id = free_.back();
      free_.pop_back();
    }
    place_[id] = in_use_.size();
    in_use_.push_back(id);
    return id;
  }
  void give(std::size_t id) {
    in_use_[place_[id]] = in_use_.back();
    place_[in_use_.back()] = place_[id];
    in_use_.pop_back();
    free_.push_back(id);
  }
  const std::vector<std::size_t>& in_use() const { return in_use_; }

 private:
  std::vector<std::size_t> place_;
  std::vector<std::size_t> in_use_;
  std::vector<std::size_t> free_;
};

inline constexpr std::size_t nobody = static_cast<std::size_t>(-1);

/// A matcher whose nodes have numbers, so that two of them can be compared.
template <class M>
class numbered {
 public:
  std::size_t arrive(const envelope& e) {
    mpx::posted_receive* r = matcher_.match_arrival(e);
    return r == nullptr ? nobody : static_cast<receive*>(r)->id;
  }
  std::size_t find(const pattern& p) { return number(matcher_.find(p)); }
  std::size_t take(const pattern& p) { return number(matcher_.match_receive(p)); }
  void post(std::size_t id, const pattern& p) {
    at(receives_, id).want = p;
    matcher_.post(at(receives_, id));
  }
  void store(std::size_t id, const envelope& e) {
    at(messages_, id).is = e;
    matcher_.store(at(messages_, id));
  }
  void cancel(std::size_t id) { matcher_.cancel(at(receives_, id)); }
  void withdraw(std::size_t id) { matcher_.withdraw(at(messages_, id)); }
  bool nothing_posted() const { return matcher_.nothing_posted(); }

  /// The numbers of all messages in order; those that `drop` says are withdrawn on the way.
  template <class Drop>
  std::vector<std::size_t> all(Drop drop) {
    std::vector<std::size_t> ids;
    matcher_.for_each([&](mpx::unexpected_message& m) {
      ids.push_back(number(&m));
      if (drop(ids.back())) matcher_.withdraw(m);
    });
    return ids;
  }

 private:
  template <class Node>
  static Node& at(std::vector<std::unique_ptr<Node>>& nodes, std::size_t id) {
    while (nodes.size() <= id) {
      nodes.push_back(std::make_unique<Node>());
      nodes.back()->id = nodes.size() - 1;
    }
    return *nodes[id];
  }
  static std::size_t number(mpx::unexpected_message* m) {
    return m == nullptr ? nobody : static_cast<message*>(m)->id;
  }

  M matcher_;
  std::vector<std::unique_ptr<receive>> receives_;
  std::vector<std::unique_ptr<message>> messages_;
};

/// Kinds of traffic.
struct traffic {
  const char* what;
  std::uint64_t operations;
  unsigned contexts;
  unsigned sources;
  unsigned tags;
  unsigned wild_percent;  // Of receives and probes.
  std::size_t queue_max;  // Of receives and of messages.
  bool lawful = true;  // A receive is posted only if no message waits for it, as the engine does.
  // Share of messages that match the receive posted last; the tags of receives then mostly continue
  // in the same direction.
  unsigned backwards_percent = 0;
};

/// Compares `M` with the list matcher.
template <class M>
class comparison_of {
 public:
  comparison_of(const traffic& t, std::uint64_t seed) : traffic_(t), seed_(seed), random_(seed) {}

  /// Returns what went wrong, or an empty string.
  std::string run() {
    for (step_ = 0; step_ < traffic_.operations / slowdown && wrong_.empty(); ++step_) {
      if (step_ % 2048 == 0) {
        phase_ = below(3);
        compare_all();
      }
      operate();
    }
    return wrong_;
  }
  std::size_t longest() const { return longest_; }
  std::uint64_t operations() const { return step_; }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  envelope some_envelope() {
    return {below(traffic_.contexts), below(traffic_.sources),
            static_cast<mpx::tag_t>(below(traffic_.tags))};
  }
  /// Envelope of the next receive: its tag rises, falls, or sometimes stays.
  envelope next_envelope() {
    const unsigned dice = below(200);
    if (dice < 4) tag_step_ = -tag_step_;
    if (dice != 10) tag_ += tag_step_;
    if (dice == 20 || tag_ < 0 || tag_ > 1'000'000) tag_ = 1000;
    return {0, dice < 24 ? below(traffic_.sources) : 0, tag_};
  }
  pattern some_pattern(bool posted = false) {
    const envelope e =
        posted && traffic_.backwards_percent != 0 ? next_envelope() : some_envelope();
    pattern p = pattern::of(e.bits, 0, e.source);
    if (below(100) < traffic_.wild_percent) {
      const unsigned which = 1 + below(7);
      if ((which & 1) != 0) p.source = mpx::any_peer;
      if ((which & 2) != 0) p.ignore = mpx::tag_bits;
      if ((which & 4) != 0) p.ignore |= mpx::match_bits{1} << below(64);
    }
    return p;
  }

  void operate() {
    // Phases: more receives than messages, the other way round, even.
    const unsigned dice = below(100);
    const unsigned receives = phase_ == 0 ? 55 : phase_ == 1 ? 25 : 40;
    if (dice < receives) {
      receive_one();
    } else if (dice < 80) {
      arrive_one();
    } else if (dice < 90) {
      const pattern p = some_pattern();
      compare("find", list_.find(p), other_.find(p));
    } else if (dice < 95) {
      cancel_one();
    } else {
      withdraw_one();
    }
    compare("nothing_posted", list_.nothing_posted() ? 1 : 0, other_.nothing_posted() ? 1 : 0);
  }

  void receive_one() {
    const pattern p = some_pattern(true);
    if (traffic_.lawful || below(2) == 0) {
      const std::size_t got = list_.take(p);
      compare("match_receive", got, other_.take(p));
      if (got != nobody) return messages_.give(got);
    }
    if (receives_.in_use().size() >= traffic_.queue_max) return cancel_one();
    const std::size_t id = receives_.take();
    list_.post(id, p);
    other_.post(id, p);
    posted_.emplace_back(id, p);
    longest_ = std::max(longest_, receives_.in_use().size());
  }

  void arrive_one() {
    envelope e = some_envelope();
    if (!posted_.empty() && below(100) < traffic_.backwards_percent) {
      const pattern& last = posted_.back().second;
      e = {last.bits, last.source == mpx::any_peer ? 0 : last.source};
    }
    if (traffic_.lawful || below(2) == 0) {
      const std::size_t got = list_.arrive(e);
      compare("match_arrival", got, other_.arrive(e));
      if (got != nobody) return forget(got);
    }
    if (messages_.in_use().size() >= traffic_.queue_max) return withdraw_one();
    const std::size_t id = messages_.take();
    list_.store(id, e);
    other_.store(id, e);
    longest_ = std::max(longest_, messages_.in_use().size());
  }

  void cancel_one() {
    if (receives_.in_use().empty()) return;
    const std::size_t id = receives_.in_use()[random_() % receives_.in_use().size()];
    list_.cancel(id);
    other_.cancel(id);
    forget(id);
  }
  /// That receive is posted no more.
  void forget(std::size_t id) {
    receives_.give(id);
    const auto at = std::find_if(posted_.rbegin(), posted_.rend(),
                                 [id](const auto& one) { return one.first == id; });
    posted_.erase(std::prev(at.base()));
  }
  void withdraw_one() {
    if (messages_.in_use().empty()) return;
    const std::size_t id = messages_.in_use()[random_() % messages_.in_use().size()];
    list_.withdraw(id);
    other_.withdraw(id);
    messages_.give(id);
  }

  /// The whole unexpected queues, some of which are withdrawn during the visit.
  void compare_all() {
    const std::uint64_t salt = random_();
    const auto drop = [salt](std::size_t id) { return (id * 2654435761u + salt) % 31 == 0; };
    const auto a = list_.all(drop);
    const auto b = other_.all(drop);
    compare("for_each", 0, a == b ? 0 : 1);
    for (const std::size_t id : a)
      if (drop(id)) messages_.give(id);
  }

  void compare(const char* what, std::size_t wanted, std::size_t got) {
    if (wanted == got || !wrong_.empty()) return;
    std::ostringstream s;
    s << traffic_.what << ", seed " << seed_ << ", step " << step_ << ": " << what
      << " of the list gave " << static_cast<std::ptrdiff_t>(wanted) << ", of the other "
      << static_cast<std::ptrdiff_t>(got);
    wrong_ = s.str();
  }

  traffic traffic_;
  std::uint64_t seed_;
  std::mt19937_64 random_;
  std::uint64_t step_ = 0;
  unsigned phase_ = 0;
  std::size_t longest_ = 0;
  std::string wrong_;
  mpx::tag_t tag_ = 1000;
  mpx::tag_t tag_step_ = 1;
  std::vector<std::pair<std::size_t, pattern>> posted_;  // In order.
  numbered<mpx::matching::list> list_;
  numbered<M> other_;
  numbers receives_;
  numbers messages_;
};

using comparison = comparison_of<mpx::matching::hashed>;

}  // namespace matching_comparison
