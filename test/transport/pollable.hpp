// SPDX-License-Identifier: BSL-1.0
#pragma once
// Contract suite of PollableTransport: its descriptor ends a poll(2) on several, whenever a sleep
// would have ended, and at no other cost.

#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "cluster.hpp"

namespace transport_contract {

/// Which of two descriptors are readable within `timeout_ms`: bit 0 the first, bit 1 the second.
inline unsigned readable(int first, int second, int timeout_ms) {
  std::array<pollfd, 2> at{pollfd{first, POLLIN, 0}, pollfd{second, POLLIN, 0}};
  ::poll(at.data(), at.size(), timeout_ms);
  return ((at[0].revents & POLLIN) != 0 ? 1u : 0u) | ((at[1].revents & POLLIN) != 0 ? 2u : 0u);
}

class pipe_ends {
 public:
  pipe_ends() { require(::pipe(ends_.data()) == 0, "a pipe can be had"); }
  pipe_ends(const pipe_ends&) = delete;
  pipe_ends& operator=(const pipe_ends&) = delete;
  ~pipe_ends() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  int out() const { return ends_[0]; }
  void write() const { require(::write(ends_[1], "x", 1) == 1, "a pipe takes a byte"); }
  void read() const {
    char c;
    require(::read(ends_[0], &c, 1) == 1, "a pipe gives a byte");
  }

 private:
  std::array<int, 2> ends_{};
};

/// Arms. A transport may refuse, after which it is looked at, or be woken, while a kernel moves
/// what was sent before: a few times. `prepare()` comes before each try.
template <class T, class Prepare>
bool arm_quietly(T& t, int fd, int pipe, Prepare&& prepare) {
  keeper sink;
  for (int tries = 0; tries < 20; ++tries) {
    prepare();
    if (t.arm()) {
      if (readable(fd, pipe, 0) == 0) return true;
      t.disarm();
    }
    t.poll(sink);
    if (!sink.packets.empty()) return false;  // None is due.
    std::this_thread::sleep_for(std::chrono::milliseconds(tries < 3 ? 0 : 1));
  }
  return false;
}
template <class T>
bool arm_quietly(T& t, int fd, int pipe) {
  return arm_quietly(t, fd, pipe, [] {});
}

template <mpx::PollableTransport T>
void check_descriptor() {
  constexpr int soon = 10'000;
  cluster<T> job(2);
  const pipe_ends pipe;
  keeper sink;
  const int fd = job[0].descriptor();
  REQUIRE(fd >= 0);
  CHECK(job[0].descriptor() == fd);
  for (std::uint32_t round = 0; round < 20; ++round) {
    CAPTURE(round);
    REQUIRE(arm_quietly(job[0], fd, pipe.out()));
    CHECK(readable(fd, pipe.out(), 1) == 0);
    REQUIRE(post(job[1], 0, round, 8) == outcome::done);  // By a packet.
    CHECK(readable(fd, pipe.out(), soon) == 1);
    CHECK(readable(fd, pipe.out(), soon) == 1);  // Still.
    job[0].disarm();
    poll_until(job[0], sink, round + 1);

    REQUIRE(arm_quietly(job[0], fd, pipe.out()));
    pipe.write();  // By the other one.
    CHECK(readable(fd, pipe.out(), soon) == 2);
    pipe.read();
    CHECK(readable(fd, pipe.out(), 0) == 0);
    job[0].wake();  // By a wake.
    CHECK(readable(fd, pipe.out(), soon) == 1);
    job[0].disarm();
    job[0].wake();  // No rank sleeps.

    REQUIRE(arm_quietly(job[0], fd, pipe.out()));  // In a sleep.
    std::jthread waker([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      job[0].wake();
    });
    const std::int64_t begin = mpx::platform::now_ns();
    job[0].sleep(20 * second_ns);
    CHECK(mpx::platform::now_ns() - begin < 10 * second_ns);
    job[0].disarm();
    waker.join();
    if (job[0].arm()) {
      job[0].sleep(1'000'000);  // And by its timeout.
      job[0].disarm();
    }
  }
  // By room in a channel that was full.
  keeper other;
  std::uint32_t posted = 0;
  const auto fill = [&] {
    while (post(job[0], 1, posted, 8) == outcome::done) ++posted;
  };
  for (int round = 0; round < 5; ++round) {
    REQUIRE(arm_quietly(job[0], fd, pipe.out(), fill));
    std::jthread consumer([&] { poll_until(job[1], other, posted); });
    CHECK(readable(fd, pipe.out(), soon) == 1);
    consumer.join();
    job[0].disarm();
    CHECK(post(job[0], 1, posted, 8) == outcome::done);
    ++posted;
  }
  // Packets that another thread posts, or finds no room for, while this one sleeps.
  REQUIRE(arm_quietly(job[0], fd, pipe.out()));
  fill();
  CHECK(readable(fd, pipe.out(), soon) == 1);
  job[0].disarm();
}

/// Traffic of ranks that wait by poll(2) whenever there is nothing to do; every second one sleeps
/// in the transport instead. No wake-up is lost.
template <mpx::PollableTransport T>
void check_descriptor_traffic(peer_id n, std::uint32_t count) {
  cluster<T> job(n);
  std::atomic<peer_id> ranks = n;
  job.on_all([&](peer_id me) {
    at_work mine(ranks);
    T& t = job[me];
    const pipe_ends pipe;
    const int fd = me % 3 == 2 ? -1 : t.descriptor();  // Some do not ask for it.
    require(me % 3 == 2 || fd >= 0, "a descriptor can be had");
    std::mt19937 random(me);
    std::uint64_t got = 0;
    calling_sink sink{[&](peer_id, const frame_header&, std::span<const std::byte>) { ++got; }};
    std::vector<std::uint32_t> sent(n, 0);
    std::uint64_t left = std::uint64_t{count} * n;
    const deadline limit(60);
    while (left > 0 || got < std::uint64_t{count} * n) {
      bool progress = false;
      for (peer_id to = 0; to < n; ++to) {
        if (sent[to] == count || post(t, to, sent[to], random() % 64) != outcome::done) continue;
        ++sent[to];
        --left;
        progress = true;
      }
      progress = t.poll(sink) != 0 || progress;
      if (progress) continue;
      limit.check("traffic over descriptors");
      for (auto spin = random() % 300; spin > 0; --spin) mpx::platform::relax();
      if (!t.arm()) continue;
      if (fd >= 0 && random() % 4 != 0) {
        require(readable(fd, pipe.out(), 10'000) == 1, "a wake-up comes");
      } else {
        t.sleep(10 * second_ns);
      }
      t.disarm();
    }
    mine.poll_for_others([&] { t.poll(sink); });
  });
}

template <mpx::PollableTransport T>
void check_pollable() {
  check_descriptor<T>();
  for (const peer_id n : {2u, 3u, 8u}) {
    CAPTURE(n);
    CHECK_NOTHROW(check_descriptor_traffic<T>(n, static_cast<std::uint32_t>(8000 / slowdown / n)));
  }
}

}  // namespace transport_contract
