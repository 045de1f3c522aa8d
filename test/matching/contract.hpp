// SPDX-License-Identifier: BSL-1.0
#pragma once
// Contract suite of matchers: MPI's rule, case by case. The randomised comparison with the list
// matcher is comparison.hpp.

#include <doctest/doctest.h>

#include <memory>
#include <mpx/matching/concepts.hpp>
#include <vector>

namespace matching_contract {

using mpx::any_peer;
using mpx::envelope;
using mpx::pattern;

constexpr mpx::tag_t any_tag = mpx::any_tag;

struct receive : mpx::posted_receive {
  explicit receive(pattern p) { want = p; }
};
struct message : mpx::unexpected_message {
  explicit message(envelope e) { is = e; }
};

template <mpx::Matcher M>
void check_nothing() {
  M m;
  CHECK(m.nothing_posted());
  CHECK(m.match_arrival({0, 0, 0}) == nullptr);
  CHECK(m.match_receive({0, any_peer, any_tag}) == nullptr);
  CHECK(m.match_receive({0, 0, 0}) == nullptr);
  CHECK(m.find({0, any_peer, 3}) == nullptr);
  int visits = 0;
  m.for_each([&](mpx::unexpected_message&) { ++visits; });
  CHECK(visits == 0);
}

/// Source, tag and context must each agree.
template <mpx::Matcher M>
void check_keys() {
  M m;
  receive r({4, 2, 9});
  m.post(r);
  CHECK(!m.nothing_posted());
  CHECK(m.match_arrival({5, 2, 9}) == nullptr);
  CHECK(m.match_arrival({4, 3, 9}) == nullptr);
  CHECK(m.match_arrival({4, 2, 8}) == nullptr);
  CHECK(m.match_arrival({4, 2, 9}) == &r);
  CHECK(m.nothing_posted());
  CHECK(m.match_arrival({4, 2, 9}) == nullptr);

  message u({4, 2, 9});
  m.store(u);
  CHECK(m.find({5, any_peer, any_tag}) == nullptr);
  CHECK(m.find({4, 3, any_tag}) == nullptr);
  CHECK(m.find({4, any_peer, 8}) == nullptr);
  CHECK(m.find({4, 3, 9}) == nullptr);
  for (const pattern& p : {pattern{4, 2, 9}, pattern{4, 2, any_tag}, pattern{4, any_peer, 9},
                           pattern{4, any_peer, any_tag}})
    CHECK(m.find(p) == &u);
  CHECK(m.match_receive({4, any_peer, 9}) == &u);
  CHECK(!pattern{4, any_peer, any_tag}.matches({4, 2, -7}));  // No tag of a message.
  CHECK(m.find({4, 2, 9}) == nullptr);
}

/// Whatever bits a receive ignores: the others must agree.
template <mpx::Matcher M>
void check_ignored_bits() {
  for (unsigned bit = 0; bit < 64; ++bit) {
    const mpx::match_bits one = mpx::match_bits{1} << bit;
    M m;
    receive r(pattern::of(0x1234'5678'0abc'def0, one, 3));
    m.post(r);
    CHECK(m.match_arrival({0x1234'5678'0abc'def0 ^ (one << 1 | one >> 63), 3}) == nullptr);
    CHECK(m.match_arrival({0x1234'5678'0abc'def0 ^ one, 4}) == nullptr);
    CHECK(m.match_arrival({0x1234'5678'0abc'def0 ^ one, 3}) == &r);
    message u({7, 3});
    m.store(u);
    CHECK(m.find(pattern::of(7 ^ one, 0, 3)) == nullptr);
    CHECK(m.find(pattern::of(7 ^ one, ~one, 3)) == nullptr);
    CHECK(m.match_receive(pattern::of(7 ^ one, one, any_peer)) == &u);
  }
}

/// Keys at the ends of their ranges are keys like others.
template <mpx::Matcher M>
void check_extremes() {
  M m;
  const std::vector<envelope> all = {{0, 0, 0},
                                     {0xffff'ffff, 0, 0},
                                     {0, 0xffff'fffe, 0},
                                     {0, 0, mpx::tag_max},
                                     {0xffff'ffff, 0xffff'fffe, mpx::tag_max}};
  std::vector<std::unique_ptr<receive>> receives;
  for (const envelope& e : all) {
    receives.push_back(std::make_unique<receive>(pattern::of(e.bits, 0, e.source)));
    m.post(*receives.back());
  }
  for (std::size_t i = all.size(); i-- > 0;) CHECK(m.match_arrival(all[i]) == receives[i].get());
  std::vector<std::unique_ptr<message>> messages;
  for (const envelope& e : all) {
    messages.push_back(std::make_unique<message>(e));
    m.store(*messages.back());
  }
  for (std::size_t i = all.size(); i-- > 0;)
    CHECK(m.match_receive(pattern::of(all[i].bits, 0, all[i].source)) == messages[i].get());
}

/// The earliest receive wins, whichever of them are wildcards.
template <mpx::Matcher M>
void check_earliest_receive() {
  const pattern kinds[] = {{0, 1, 7}, {0, 1, any_tag}, {0, any_peer, 7}, {0, any_peer, any_tag}};
  for (const pattern& first : kinds) {
    for (const pattern& second : kinds) {
      for (const pattern& third : kinds) {
        M m;
        receive a(first), b(second), c(third);
        m.post(a);
        m.post(b);
        m.post(c);
        CHECK(m.match_arrival({0, 1, 7}) == &a);
        CHECK(m.match_arrival({0, 1, 7}) == &b);
        CHECK(m.match_arrival({0, 1, 7}) == &c);
        CHECK(m.nothing_posted());
      }
    }
  }
}

/// An earlier receive that does not match is skipped.
template <mpx::Matcher M>
void check_passing_over() {
  M m;
  receive other_tag({0, any_peer, 8}), other_source({0, 2, any_tag}),
      other_context({1, any_peer, any_tag});
  receive right({0, 1, 7}), later({0, any_peer, any_tag});
  for (receive* r : {&other_tag, &other_source, &other_context, &right, &later}) m.post(*r);
  CHECK(m.match_arrival({0, 1, 7}) == &right);
  CHECK(m.match_arrival({0, 1, 7}) == &later);
  CHECK(m.match_arrival({0, 1, 7}) == nullptr);
  CHECK(m.match_arrival({0, 2, 8}) == &other_tag);
  CHECK(m.match_arrival({0, 2, 8}) == &other_source);
  CHECK(m.match_arrival({1, 2, 8}) == &other_context);
  CHECK(m.nothing_posted());
}

/// Messages of one source are taken in order of arrival by whatever receive; those of a tag too.
template <mpx::Matcher M>
void check_no_overtaking() {
  M m;
  std::vector<std::unique_ptr<message>> sent;
  const auto arrive = [&](envelope e) {
    sent.push_back(std::make_unique<message>(e));
    m.store(*sent.back());
    return sent.back().get();
  };
  message* const a7 = arrive({0, 1, 7});
  message* const a8 = arrive({0, 1, 8});
  message* const b7 = arrive({0, 2, 7});
  message* const a7_again = arrive({0, 1, 7});
  message* const b8 = arrive({0, 2, 8});
  CHECK(m.find({0, any_peer, any_tag}) == a7);
  CHECK(m.find({0, 2, any_tag}) == b7);
  CHECK(m.match_receive({0, any_peer, 8}) == a8);
  CHECK(m.match_receive({0, any_peer, 7}) == a7);
  CHECK(m.match_receive({0, 1, any_tag}) == a7_again);
  CHECK(m.match_receive({0, 1, any_tag}) == nullptr);
  CHECK(m.match_receive({0, any_peer, any_tag}) == b7);
  CHECK(m.match_receive({0, 2, 8}) == b8);
}

/// A receive that is cancelled or withdrawn is gone, and the order of the others stays.
template <mpx::Matcher M>
void check_removal() {
  M m;
  receive first({0, 1, 7}), wild({0, any_peer, any_tag}), last({0, 1, 7});
  m.post(first);
  m.post(wild);
  m.post(last);
  m.cancel(first);
  CHECK(m.match_arrival({0, 1, 7}) == &wild);
  CHECK(m.match_arrival({0, 1, 7}) == &last);
  m.post(wild);
  m.cancel(wild);
  CHECK(m.nothing_posted());
  m.post(first);  // A node can be posted again, as the newest.
  m.post(wild);
  m.cancel(first);
  m.post(first);
  CHECK(m.match_arrival({0, 1, 7}) == &wild);
  m.cancel(first);
  CHECK(m.nothing_posted());

  message a({0, 1, 7}), b({0, 1, 7}), c({0, 1, 7});
  for (message* u : {&a, &b, &c}) m.store(*u);
  m.withdraw(a);
  CHECK(m.find({0, 1, 7}) == &b);
  m.withdraw(c);
  CHECK(m.match_receive({0, any_peer, any_tag}) == &b);
  CHECK(m.match_receive({0, 1, 7}) == nullptr);
}

/// All messages in order of arrival; the visited one may be withdrawn.
template <mpx::Matcher M>
void check_for_each() {
  M m;
  std::vector<std::unique_ptr<message>> all;
  for (mpx::tag_t tag = 0; tag < 1000; ++tag) {
    all.push_back(std::make_unique<message>(envelope{0, static_cast<mpx::peer_id>(tag % 3), tag}));
    m.store(*all.back());
  }
  std::size_t next = 0;
  m.for_each([&](mpx::unexpected_message& u) {
    CHECK(&u == all[next].get());
    if (next++ % 2 == 0) m.withdraw(u);
  });
  CHECK(next == 1000);
  next = 1;
  m.for_each([&](mpx::unexpected_message& u) {
    CHECK(&u == all[next].get());
    next += 2;
    m.withdraw(u);
  });
  CHECK(next == 1001);
  CHECK(m.find({0, any_peer, any_tag}) == nullptr);
}

/// From the newest message to the oldest, until the visit says so; the visited one may be
/// withdrawn.
template <mpx::Matcher M>
void check_for_each_newest() {
  M m;
  m.for_each_newest([](mpx::unexpected_message&) {
    CHECK(false);
    return true;
  });
  std::vector<std::unique_ptr<message>> all;
  for (mpx::tag_t tag = 0; tag < 100; ++tag) {
    all.push_back(std::make_unique<message>(envelope{0, 1, tag}));
    m.store(*all.back());
  }
  std::size_t left = 100;
  m.for_each_newest([&](mpx::unexpected_message& u) {
    CHECK(&u == all[--left].get());
    if (left % 2 == 0) m.withdraw(u);
    return left != 50;
  });
  CHECK(left == 50);
  std::vector<mpx::tag_t> kept;
  m.for_each_newest([&](mpx::unexpected_message& u) {
    kept.push_back(u.is.tag());
    m.withdraw(u);
    return true;
  });
  CHECK(kept.size() == 75);
  CHECK(kept.front() == 99);
  CHECK(kept[25] == 49);
  CHECK(kept.back() == 0);
  CHECK(m.find({0, any_peer, any_tag}) == nullptr);
}

/// Long queues, every one found, whatever the order of asking.
template <mpx::Matcher M>
void check_long_queues(int length) {
  M m;
  std::vector<std::unique_ptr<receive>> receives;
  for (int i = 0; i < length; ++i) {
    receives.push_back(std::make_unique<receive>(pattern{0, 1, i}));
    m.post(*receives.back());
  }
  for (int i = length; i-- > 0;)
    REQUIRE(m.match_arrival({0, 1, i}) == receives[static_cast<std::size_t>(i)].get());
  CHECK(m.nothing_posted());
  std::vector<std::unique_ptr<message>> messages;
  for (int i = 0; i < length; ++i) {
    messages.push_back(std::make_unique<message>(envelope{0, 1, i}));
    m.store(*messages.back());
  }
  for (int i = length; i-- > 0;)
    REQUIRE(m.match_receive({0, 1, i}) == messages[static_cast<std::size_t>(i)].get());
}

template <mpx::Matcher M>
void check_all() {
  check_nothing<M>();
  check_keys<M>();
  check_ignored_bits<M>();
  check_extremes<M>();
  check_earliest_receive<M>();
  check_passing_over<M>();
  check_no_overtaking<M>();
  check_removal<M>();
  check_for_each<M>();
  check_for_each_newest<M>();
  check_long_queues<M>(3000);
}

}  // namespace matching_contract
