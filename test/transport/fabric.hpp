// SPDX-License-Identifier: BSL-1.0
#pragma once
// Promises of transports over rings in shared memory beyond the contract: no wake-up is missed,
// idle rings are left alone, and a peer that writes garbage into shared memory causes nothing worse
// than `malformed`.

#include <mpx/transport/detail/ring_fabric.hpp>

#include <atomic>

#include "contract.hpp"

namespace transport_contract {

namespace ring = mpx::transport::detail;

/// The job's traffic if all ranks sleep whenever there is nothing to do, with few lines, so that
/// senders starve all the time. No wake-up is missed.
template <class T>
void check_wakeups(peer_id n, std::uint32_t count) {
  cluster<T> job(n);
  job.on_all([&](peer_id me) {
    T& t = job[me];
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
      require(sleep_once(t, 10 * second_ns) < 9 * second_ns, "a sleep ended by its timeout");
      limit.check("traffic with sleeps");
    }
  });
  for (peer_id r = 0; r < n; ++r) CHECK(job[r].counters().missed_wakeups == 0);
}

template <class T>
void check_no_missed_wakeups() {
  for (const peer_id n : {2u, 3u, 8u}) {
    CAPTURE(n);
    CHECK_NOTHROW(check_wakeups<T>(n, static_cast<std::uint32_t>(20'000 / slowdown / n)));
  }
}

/// Rings that fell silent are polled no more, until their sender speaks up; several times over.
template <class T>
void check_demotion() {
  constexpr peer_id n = 12;
  cluster<T> job(n);
  keeper sink;
  for (int round = 0; round < 5; ++round) {
    sink.packets.clear();
    for (peer_id r = 0; r < n; ++r) REQUIRE(post(job[r], 0, r, 8) == outcome::done);
    poll_until(job[0], sink, n);
    for (int i = 0; i < 10'000; ++i) job[0].poll(sink);
    CHECK(sink.packets.size() == n);
  }
  // If ranks outnumber cores, rings are never marked as polled.
  if (mpx::platform::register_heavy_barrier() && !job[0].oversubscribed())
    CHECK(job[0].counters().demotions >= 4 * n);
}

/// Senders speak up just as their rings are being left alone.
template <class T>
void check_demotion_races() {
  constexpr peer_id n = 7;
  cluster<T> job(n);
  const int rounds = 300 / slowdown;
  std::atomic<int> round = 0;
  job.on_all([&](peer_id me) {
    T& t = job[me];
    const deadline limit(60);
    if (me == 0) {
      std::uint64_t got = 0;
      calling_sink sink{[&](peer_id, const frame_header&, std::span<const std::byte>) { ++got; }};
      while (got < static_cast<std::uint64_t>(rounds) * (n - 1)) {
        t.poll(sink);
        if (got == static_cast<std::uint64_t>(round.load() + 1) * (n - 1)) ++round;
        limit.check("senders speak up while rings are demoted");
      }
      return;
    }
    std::mt19937 random(me);
    for (int i = 0; i < rounds; ++i) {
      while (round.load() < i) {
        limit.check("rounds go on");
        std::this_thread::yield();
      }
      for (auto spin = random() % 20'000; spin > 0; --spin) mpx::platform::relax();
      require(post(t, 0, static_cast<std::uint32_t>(i), 8) == outcome::done, "room for a packet");
    }
  });
}

/// Writes lines into the ring from peer 0 to peer 1 by hand, as a broken or hostile peer would.
template <class T>
class forger {
 public:
  explicit forger(cluster<T>& job) : victim_(job[1]), base_(job[0].segment().channel(0, 1)) {}

  std::byte* bytes() { return base_; }
  /// Puts a line with any code and content: a mark of 4 bytes, a header of 20, 40 bytes of data.
  void put(std::uint32_t index, std::uint32_t code, const ring::pool_reference& r) {
    const frame_header header = header_of(index);
    std::memcpy(line(index) + 4, &header, sizeof header);
    std::memcpy(line(index) + 24, &r, sizeof r);
    mark(index, 1 << 8 | code);
    ring_bell();
  }
  void mark(std::uint32_t index, std::uint32_t value) {
    std::atomic_ref(*reinterpret_cast<std::uint32_t*>(line(index))).store(value);
  }
  void ring_bell() {
    ring::doorbell_control& box = victim_.segment().doorbell(1);
    box.attention[0].fetch_or(1);
    box.summary.fetch_or(1);
  }

 private:
  std::byte* line(std::uint32_t index) {
    return base_ + sizeof(ring::ring_control) + index * mpx::cache_line_bytes;
  }

  T& victim_;
  std::byte* base_;
};

/// Lengths and places that cannot be true are reported, and what follows them still arrives.
template <class T>
void check_forged_lines(mpx::transport::detail::ring_geometry g) {
  const std::uint32_t pool = g.pool_bytes;
  const std::vector<ring::pool_reference> bad = {{0, pool + 1},
                                                 {pool, 1},
                                                 {pool + 1, 0},
                                                 {1, pool},
                                                 {0xffff'ffff, 1},
                                                 {0xffff'ff00, 0x200},
                                                 {0, 0xffff'ffff},
                                                 {64, 0xffff'ffff},
                                                 {64, 8},
                                                 {pool - 64, 65},
                                                 {0x8000'0000, 0x8000'0000}};
  for (const ring::pool_reference& r : bad) {
    CAPTURE(r.offset);
    CAPTURE(r.bytes);
    cluster<T> job(2);
    forger<T> forge(job);
    forge.put(0, ring::code_pooled, r);
    forge.put(1, 12, {1, 2});
    keeper sink;
    while (job[1].poll(sink) != 0) continue;
    CHECK(sink.malformed_from == std::vector<peer_id>{0});
    REQUIRE(sink.packets.size() == 1);
    CHECK(same(sink.packets[0].header, header_of(1)));
    CHECK(sink.packets[0].payload.size() == 12);
  }
  for (std::uint32_t code = ring::line_data_bytes + 1; code < ring::code_pooled; ++code) {
    cluster<T> job(2);
    forger<T> forge(job);
    forge.put(0, code, {0, 8});
    keeper sink;
    while (job[1].poll(sink) != 0) continue;
    CHECK(sink.malformed_from == std::vector<peer_id>{0});
    CHECK(sink.packets.empty());
    if (code == ring::line_data_bytes + 20) code = ring::code_pooled - 20;  // The ends suffice.
  }
}

/// Attention for peers that do not exist, from peers that sent nothing, and for oneself.
template <class T>
void check_forged_attention() {
  cluster<T> job(3);
  keeper sink;
  ring::doorbell_control& box = job[1].segment().doorbell(1);
  box.attention[0].store(~std::uint64_t{0});
  box.summary.store(~std::uint64_t{0});
  for (int i = 0; i < 10; ++i) CHECK(job[1].poll(sink) == 0);
  CHECK(sink.packets.empty());
  REQUIRE(post(job[0], 1, 5, 8) == outcome::done);
  poll_until(job[1], sink, 1);
  CHECK(sink.packets[0].source == 0);
}

/// Shared memory full of noise: both ends go on without a crash and without an endless loop.
template <class T>
void check_noise(mpx::transport::detail::ring_geometry g) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    cluster<T> job(2);
    forger<T> forge(job);
    keeper sink;
    std::mt19937_64 random(seed);
    REQUIRE(post(job[0], 1, 1, 100) == outcome::done);
    for (int round = 0; round < 20; ++round) {
      for (std::size_t i = 0; i < g.bytes(); i += 1 + random() % 64) {
        // Through the words' own type where a peer could be reading.
        reinterpret_cast<std::atomic<std::uint8_t>*>(forge.bytes())[i].store(
            static_cast<std::uint8_t>(random()));
      }
      for (std::uint32_t i = 0; i < g.lines; ++i)
        if (random() % 2 == 0)
          forge.mark(i, static_cast<std::uint32_t>((1 + random() % 3) << 8) |
                            static_cast<std::uint32_t>(random() % 256));
      forge.ring_bell();
      std::size_t polls = 0;
      while (job[1].poll(sink) != 0) REQUIRE(++polls < 100'000);
      for (int i = 0; i < 20; ++i)
        post(job[0], 1, 1, random() % (g.packet_bytes_max() + std::size_t{1}));
      if (job[0].arm()) job[0].disarm();
      if (job[1].arm()) job[1].disarm();
      sink.packets.clear();
    }
  }
}

}  // namespace transport_contract
