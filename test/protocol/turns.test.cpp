// SPDX-License-Identifier: BSL-1.0
// exchange_detector and eager_limit_tuner: detection of request-reply patterns, and the choice
// between announced and eager sends by the measured time of turns.

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <mpx/protocol/turns.hpp>

namespace {

using mpx::protocol::eager_limit_tuner;
using mpx::protocol::exchange_detector;

struct job {
  eager_limit_tuner l;
  std::int64_t now_ns = 0;
  std::uint16_t sent = 0;

  /// `n` turns, which take as long as `ns_of(eager, number)`. Returns how many messages were sent
  /// eagerly.
  template <class Cost>
  int go(int n, Cost ns_of) {
    int eager = 0;
    for (int i = 0; i < n; ++i) {
      const bool now = l.begin(sent++, now_ns, 40);
      eager += now;
      now_ns += ns_of(now, i);
    }
    return eager;
  }
};

auto costs(std::int64_t asked, std::int64_t eager) {
  return [=](bool now, int) { return now ? eager : asked; };
}

}  // namespace

/// True if the message sent after `what` is a turn: `s`: sent, `a`: arrived.
bool takes_turns(const char* what, int times) {
  exchange_detector c;
  for (int i = 0; i < times; ++i)
    for (const char* p = what; *p != 0; ++p) *p == 's' ? c.sent(false) : c.arrived();
  return c.is_turn_after(16);
}

TEST_CASE(
    "exchange_detector: a rank that answers each message takes turns, also if the peer is ahead") {
  CHECK(!takes_turns("sa", 15));
  CHECK(takes_turns("sa", 16));
  CHECK(takes_turns("as", 16));
  CHECK(takes_turns("asa", 16));
  CHECK(takes_turns("saassa", 16));  // The other one is ahead at times.
  CHECK(!takes_turns("s", 100));
  CHECK(!takes_turns("a", 100));
  CHECK(takes_turns("ssaa", 100));  // Two at a time are not more than that.
  CHECK(!takes_turns("sssaaa", 100));
  CHECK(!takes_turns("ssssssssaaaaaaaa", 100));
  CHECK(!takes_turns("aaaaaaaassssssss", 100));
}

TEST_CASE("turn count: a stream ends turns, and then they begin anew") {
  exchange_detector c;
  const auto turns = [&](int n) {
    for (int i = 0; i < n; ++i) {
      c.sent(false);
      c.arrived();
    }
  };
  turns(20);
  c.sent(false);
  CHECK(!c.is_turn_after(16));
  c.sent(false);
  c.arrived();
  CHECK(!c.is_turn_after(16));
  turns(16);
  CHECK(c.is_turn_after(16));
  c.begin();
  CHECK(!c.is_turn_after(16));  // It has been looked at.
  c.sent(true);
  CHECK(c.eager());
  CHECK(c.is_ahead());
  c.arrived();
  CHECK(!c.is_ahead());
  CHECK(c.is_turn_after(16));
}

TEST_CASE("eager_limit_tuner: both choices are tried, then the faster is used") {
  job fast;
  CHECK(fast.go(40, costs(900, 700)) == 0);
  CHECK(fast.go(40, costs(900, 700)) == 40);
  CHECK(fast.go(400, costs(900, 700)) == 400);
  job slow;
  CHECK(slow.go(480, costs(700, 900)) == 40);
}

TEST_CASE("eager_limit_tuner: the first use of a path is not measured") {
  job j;
  const auto cost = [](bool eager, int i) { return eager ? (i < 58 ? 90'000 : 700) : 900; };
  CHECK(j.go(400, cost) == 360);
}

TEST_CASE("eager_limit_tuner: occasional work of the program is not measured") {
  job j;
  const auto cost = [](bool eager, int i) {
    return (eager ? 700 : 900) + (i % 3 == 0 ? 50'000 : 0);  // It computes.
  };
  CHECK(j.go(4096, cost) == 4056);
  // Nor does the time in which nothing was sent.
  j.now_ns += 1'000'000'000;
  CHECK(j.go(4096, cost) == 4056);
}

TEST_CASE("eager_limit_tuner: it measures again after many turns") {
  job j;
  j.go(4096, costs(900, 700));
  CHECK(j.go(4096, costs(700, 900)) == 40);
  CHECK(j.go(4096, costs(900, 700)) == 4056);
}

TEST_CASE("eager_limit_tuner: windows of two are compared as wholes") {
  for (const bool eager_pays : {false, true}) {
    eager_limit_tuner l;
    std::int64_t now_ns = 0;
    std::uint16_t sent = 0;
    int eager = 0;
    const int whole = eager_pays ? 700 : 1100;
    for (int i = 0; i < 400; ++i) {
      // An announced message keeps the second of a window from being a turn.
      const bool first = l.begin(sent++, now_ns, 8);
      now_ns += 10;
      if (first) eager += l.begin(sent, now_ns, 8);
      ++sent;
      now_ns += first ? whole : 900;
    }
    if (eager_pays)
      CHECK(eager > 350);
    else
      CHECK(eager < 10);
  }
}
