// SPDX-License-Identifier: BSL-1.0
#pragma once
// Contract suite of transports with all ranks at work together, asleep and awake, few and many.

#include <atomic>
#include <chrono>

#include "pending.hpp"

namespace transport_contract {

// --- A thread for each rank ----------------------------------------------------

/// All ranks send `count` packets of random sizes to all at once. `sleepy`: ranks sleep whenever
/// there is nothing to do.
template <mpx::Transport T>
void check_all_to_all(peer_id n, std::uint32_t count, bool sleepy) {
  cluster<T> job(n);
  std::atomic<peer_id> ranks = n;
  job.on_all([&](peer_id me) {
    at_work mine(ranks);
    T& t = job[me];
    correspondent<T> one(t, n, me + 1);
    const std::uint64_t all = std::uint64_t{count} * n;
    const deadline limit(60);
    while (one.posted() < all || one.got() < all || one.held() != 0) {
      bool progress = false;
      for (peer_id p = 0; p < n; ++p) {
        const peer_id to = (p + me) % n;
        if (one.posted_to(to) < count) progress = one.post(to) || progress;
      }
      progress = one.poll() != 0 || progress;
      require(one.complaint().empty(), one.complaint());
      if (progress) continue;
      limit.check("all-to-all traffic");
      if (!sleepy) {
        std::this_thread::yield();
      } else if (t.arm()) {
        t.sleep(5 * second_ns);
        t.disarm();
      }
    }
    mine.poll_for_others([&] { one.poll(); });
  });
}

// --- Waiting ----------------------------------------------------

/// Sleeps until woken. Returns how long that took, or -1 if there was something to do already.
template <class T>
std::int64_t sleep_once(T& t, std::int64_t timeout_ns) {
  if (!t.arm()) return -1;
  const std::int64_t begin = mpx::platform::now_ns();
  t.sleep(timeout_ns);
  const std::int64_t slept = mpx::platform::now_ns() - begin;
  t.disarm();
  return slept;
}

/// Sleeps again and again until `enough`; a transport may wake for no reason.
template <class T, class Enough>
void sleep_until(T& t, Enough enough, const char* what) {
  const deadline limit;
  while (!enough()) {
    sleep_once(t, 10 * second_ns);
    limit.check(what);
  }
}

template <mpx::Transport T>
void check_arm_sees_what_is_there() {
  cluster<T> job(2);
  keeper sink;
  REQUIRE(post(job[0], 1, 0, 8) == outcome::done);
  CHECK(!job[1].arm());
  poll_until(job[1], sink, 1);
  REQUIRE(job[1].arm());
  job[1].disarm();
  REQUIRE(post(job[0], 1, 1, 8) == outcome::done);
  CHECK(!job[1].arm());
  poll_until(job[1], sink, 2);
  REQUIRE(post(job[1], 1, 0, 8) == outcome::done);  // From oneself.
  CHECK(!job[1].arm());
  poll_until(job[1], sink, 3);
  // A packet between arm and sleep ends the sleep at once.
  REQUIRE(job[1].arm());
  REQUIRE(post(job[0], 1, 2, 8) == outcome::done);
  const std::int64_t begin = mpx::platform::now_ns();
  job[1].sleep(20 * second_ns);
  CHECK(mpx::platform::now_ns() - begin < 10 * second_ns);
  job[1].disarm();
  poll_until(job[1], sink, 4);
  CHECK(sink.packets.size() == 4);
}

template <mpx::Transport T>
void check_sleep_ends() {
  cluster<T> job(2);
  // By itself.
  const std::int64_t slept = sleep_once(job[0], 2'000'000);
  CHECK(slept >= 0);
  CHECK(slept < 10 * second_ns);
  // By a wake from another thread, before the sleep or in it.
  REQUIRE(job[0].arm());
  job[0].wake();
  const std::int64_t begin = mpx::platform::now_ns();
  job[0].sleep(20 * second_ns);
  CHECK(mpx::platform::now_ns() - begin < 10 * second_ns);
  job[0].disarm();
  std::atomic<bool> woken = false;
  std::jthread waker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    woken = true;
    job[0].wake();
  });
  CHECK_NOTHROW(sleep_until(job[0], [&] { return woken.load(); }, "a wake ends a sleep"));
  waker.join();
  // By a packet.
  keeper sink;
  std::jthread poster([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    post(job[1], 0, 7, 8);
  });
  const auto arrived = [&] { return job[0].poll(sink) != 0; };
  CHECK_NOTHROW(sleep_until(job[0], arrived, "a packet ends a sleep"));
  poster.join();
  CHECK(sink.packets.size() == 1);
}

/// A sender whose post returned `retry` sleeps until the receiver has made room.
template <mpx::Transport T>
void check_starved_sender() {
  for (const std::size_t bytes : {std::size_t{8}, T::traits.packet_bytes_max}) {
    CAPTURE(bytes);
    cluster<T> job(2);
    keeper sink;
    std::uint32_t posted = 0;
    for (int round = 0; round < 10; ++round) {
      while (post(job[0], 1, posted, bytes) == outcome::done) ++posted;
      std::jthread consumer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        poll_until(job[1], sink, posted);
      });
      const auto room = [&] { return post(job[0], 1, posted, bytes) == outcome::done; };
      CHECK_NOTHROW(sleep_until(job[0], room, "a starved sender is woken"));
      consumer.join();
      ++posted;
    }
    // Room that is there already: no sleep.
    while (post(job[0], 1, posted, bytes) == outcome::done) ++posted;
    poll_until(job[1], sink, posted);
    CHECK(!job[0].arm());
    CHECK(post(job[0], 1, posted, bytes) == outcome::done);
  }
}

/// While one thread of a rank sleeps, another posts until `retry`: the sleeper watches that channel
/// too.
template <mpx::Transport T>
void check_retry_during_sleep() {
  cluster<T> job(2);
  keeper sink;
  REQUIRE(job[0].arm());
  std::uint32_t posted = 0;
  std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    while (post(job[0], 1, posted, 8) == outcome::done) ++posted;
  });
  const std::int64_t begin = mpx::platform::now_ns();
  job[0].sleep(20 * second_ns);
  CHECK(mpx::platform::now_ns() - begin < 10 * second_ns);
  other.join();
  job[0].disarm();
  // Asleep again, now for room.
  while (post(job[0], 1, posted, 8) == outcome::done) ++posted;
  std::jthread consumer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    poll_until(job[1], sink, posted);
  });
  const auto room = [&] { return post(job[0], 1, posted, 8) == outcome::done; };
  CHECK_NOTHROW(sleep_until(job[0], room, "a sleeper watches for room"));
}

/// Two ranks that sleep for every packet, with pauses of every length around falling asleep.
template <mpx::Transport T>
void check_sleepy_ping_pong(int rounds) {
  cluster<T> job(2);
  std::atomic<peer_id> ranks = 2;
  job.on_all([&](peer_id me) {
    at_work mine(ranks);
    T& t = job[me];
    const peer_id other = 1 - me;
    std::mt19937 random(me + 5);
    std::uint32_t got = 0;
    calling_sink sink{[&](peer_id, const frame_header&, std::span<const std::byte>) { ++got; }};
    const deadline limit(60);
    for (std::uint32_t round = 0; round < static_cast<std::uint32_t>(rounds); ++round) {
      if (me == 0) require(post(t, other, round, 8) == outcome::done, "room for one packet");
      while (got <= round) {
        for (auto spin = random() % 200; spin > 0; --spin) mpx::platform::relax();
        if (t.poll(sink) == 0) sleep_once(t, 5 * second_ns);
        limit.check("sleepy ping-pong");
      }
      for (auto spin = random() % 1000; spin > 0; --spin) mpx::platform::relax();
      if (me == 1) require(post(t, other, round, 8) == outcome::done, "room for one packet");
    }
    mine.poll_for_others([&] { t.poll(sink); });
  });
}

// --- Many peers ----------------------------------------------------

/// Peers beyond the first 64 are received from, woken and answered; silent ones delay no other.
template <mpx::Transport T>
void check_many_peers(peer_id n) {
  cluster<T> job(n);
  keeper sink;
  for (peer_id r = 0; r < n; ++r) REQUIRE(post(job[r], 0, r, r % 60) == outcome::done);
  poll_until(job[0], sink, n);
  std::vector<int> heard(n, 0);
  for (const arrived& p : sink.packets) {
    CHECK(same(p.header, header_of(p.source)));
    CHECK(p.payload.size() == p.source % 60);
    ++heard[p.source];
  }
  CHECK(std::count(heard.begin(), heard.end(), 1) == static_cast<std::ptrdiff_t>(n));
  // One talks, the others have fallen silent.
  for (int i = 0; i < 20'000; ++i) CHECK_MESSAGE(job[0].poll(sink) == 0, "nothing was sent");
  for (const peer_id talker : {n - 1, 0u, n / 2, n - 1}) {
    for (std::uint32_t i = 0; i < 50; ++i) {
      sink.packets.clear();
      REQUIRE(post(job[talker], 0, i, 8) == outcome::done);
      poll_until(job[0], sink, 1);
      CHECK(sink.packets[0].source == talker);
    }
  }
  // Each of them can end a sleep.
  for (peer_id r = 1; r < n; r += n < 100 ? 7 : 13) {
    sink.packets.clear();
    REQUIRE(job[0].arm());
    REQUIRE(post(job[r], 0, r, 8) == outcome::done);
    const std::int64_t begin = mpx::platform::now_ns();
    job[0].sleep(20 * second_ns);
    CHECK(mpx::platform::now_ns() - begin < 10 * second_ns);
    job[0].disarm();
    poll_until(job[0], sink, 1);
    CHECK(sink.packets[0].source == r);
  }
  for (peer_id r = 0; r < n; ++r) REQUIRE(post(job[0], r, r, 20) == outcome::done);
  for (peer_id r = 0; r < n; ++r) {
    sink.packets.clear();
    poll_until(job[r], sink, 1);
    CHECK(sink.packets[0].source == 0);
    CHECK(same(sink.packets[0].header, header_of(r)));
  }
}

template <mpx::Transport T>
void check_traffic() {
  for (const peer_id n : {1u, 2u, 3u, 4u, 7u, 8u}) {
    CAPTURE(n);
    const auto count = static_cast<std::uint32_t>(6000 / slowdown / n);
    CHECK_NOTHROW(check_all_to_all<T>(n, count, false));
    CHECK_NOTHROW(check_all_to_all<T>(n, count, true));
  }
}

template <mpx::Transport T>
void check_waiting() {
  check_arm_sees_what_is_there<T>();
  check_sleep_ends<T>();
  check_starved_sender<T>();
  check_retry_during_sleep<T>();
  CHECK_NOTHROW(check_sleepy_ping_pong<T>(3000 / slowdown));
}
}  // namespace transport_contract
