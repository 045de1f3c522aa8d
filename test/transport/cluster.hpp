// SPDX-License-Identifier: BSL-1.0
#pragma once
// A small job of threads with a transport each, for the suites beside this file. Every wait
// has a deadline: a suite fails, it does not hang.

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <mpx/bootstrap/detect.hpp>
#include <mpx/transport/concepts.hpp>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "patience.hpp"
#include "patterns.hpp"

namespace transport_contract {

using mpx::frame_header;
using mpx::outcome;
using mpx::peer_id;

constexpr std::int64_t second_ns = 1'000'000'000;

#if defined(MPX_TEST_SANITIZED) || defined(MPX_TEST_EMULATED)
constexpr int slowdown = 10;
#else
constexpr int slowdown = 1;
#endif

/// A broken promise, thrown in a rank's thread and reported by the main one.
inline void require(bool kept, const std::string& what) {
  if (!kept) throw std::runtime_error(what);
}

/// Counts how long this process has run: less than the clock, where it was stopped or had no
/// memory.
class run_time {
 public:
  static std::int64_t ms() { return one_.ticks_.load() * tick_ms; }

 private:
  static constexpr int tick_ms = 20;
  run_time()
      : thread_([this](const std::stop_token& ended) {
          for (; !ended.stop_requested(); ++ticks_)
            std::this_thread::sleep_for(std::chrono::milliseconds(tick_ms));
        }) {}
  static run_time one_;
  std::atomic<std::int64_t> ticks_ = 0;
  std::jthread thread_;
};
inline run_time run_time::one_;  // Before any test: some count what is allocated.

/// Throws when a wait has lasted too long. A process that was stopped meanwhile has all its time
/// still before it, up to a multiple.
class deadline {
 public:
  explicit deadline(int seconds = 20)
      : ms_(run_time::ms() + std::int64_t{1000} * busy_slowdown * seconds * slowdown),
        at_(std::chrono::steady_clock::now() +
            std::chrono::seconds(busy_slowdown * 6 * seconds * slowdown)) {}
  bool passed() const { return run_time::ms() > ms_ || std::chrono::steady_clock::now() > at_; }
  void check(const char* what) const {
    if (passed()) throw std::runtime_error(std::string("timed out: ") + what);
  }

 private:
  std::int64_t ms_;
  std::chrono::steady_clock::time_point at_;
};

struct arrived {
  peer_id source;
  frame_header header;
  std::vector<std::byte> payload;
};

/// Keeps what arrives.
struct keeper {
  std::vector<arrived> packets;
  std::vector<peer_id> malformed_from;
  std::vector<peer_id> unreachable_from;
  int completions = 0;

  void packet(peer_id source, const frame_header& header,
              std::span<const std::byte> payload) noexcept {
    packets.push_back({source, header, {payload.begin(), payload.end()}});
  }
  std::span<std::byte> place(peer_id, const frame_header&, std::size_t) noexcept { return {}; }
  void complete(mpx::cookie_t, bool) noexcept { ++completions; }
  void malformed(peer_id source) noexcept { malformed_from.push_back(source); }
  void unreachable(peer_id source) noexcept { unreachable_from.push_back(source); }
};

/// Calls `f(source, header, payload)` for what arrives; malformed packets count.
template <class F>
struct calling_sink {
  F on_packet;
  int malformed_count = 0;

  void packet(peer_id source, const frame_header& header,
              std::span<const std::byte> payload) noexcept {
    on_packet(source, header, payload);
  }
  std::span<std::byte> place(peer_id, const frame_header&, std::size_t) noexcept { return {}; }
  void complete(mpx::cookie_t, bool) noexcept {}
  void malformed(peer_id) noexcept { ++malformed_count; }
  void unreachable(peer_id) noexcept {}
};
template <class F>
calling_sink(F) -> calling_sink<F>;

/// A job of threads with a transport each. Built collectively, then used by any thread for each.
template <class T>
class cluster {
 public:
  explicit cluster(peer_id n) : job_(static_cast<mpx::rank_t>(n)) {
    for (mpx::rank_t r = 0; r < job_.size(); ++r)
      ranks_.emplace_back(mpx::bootstrap::threads(job_, r));
    transports_.resize(n);
    on_all([this](peer_id rank) {
      mpx::bootstrap::any& me = ranks_[rank];
      transports_[rank] = std::make_unique<T>(me);
      me.fence([] {});
    });
  }
  cluster(const cluster&) = delete;
  cluster& operator=(const cluster&) = delete;
  ~cluster() {
    for (auto& rank : ranks_) rank.mark_finished();
  }

  T& operator[](peer_id rank) { return *transports_[rank]; }
  peer_id size() const { return static_cast<peer_id>(ranks_.size()); }
  /// The others see that the rank has left in good order; its transport is still there,
  void leave(peer_id rank) { ranks_[rank].mark_finished(); }
  /// or goes, too.
  void end(peer_id rank) {
    leave(rank);
    transports_[rank].reset();
  }

  /// Runs `body(rank)` in a thread for each rank; throws what the first of them threw.
  template <class Body>
  void on_all(Body body) {
    std::mutex mutex;
    std::exception_ptr first;
    std::vector<std::jthread> threads;
    for (peer_id r = 0; r < size(); ++r) {
      threads.emplace_back([&, r] {
        try {
          body(r);
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (!first) first = std::current_exception();
        }
      });
    }
    threads.clear();
    if (first) std::rethrow_exception(first);
  }

 private:
  mpx::bootstrap::thread_job job_;
  std::vector<mpx::bootstrap::any> ranks_;
  std::vector<std::unique_ptr<T>> transports_;
};

/// A rank at work in `on_all`: counted from its beginning to its end, however it ends. Posts may
/// need polls of their own side (ConnectionTransport), so that a rank which has all that it waits
/// for goes on polling for the others.
class at_work {
 public:
  explicit at_work(std::atomic<peer_id>& ranks) : ranks_(ranks) {}
  at_work(const at_work&) = delete;
  at_work& operator=(const at_work&) = delete;
  ~at_work() {
    if (counts_) --ranks_;
  }
  /// Calls `poll` until all are done, or have failed: each has its own deadline.
  template <class Poll>
  void poll_for_others(Poll&& poll) {
    counts_ = false;
    for (--ranks_; ranks_ != 0; std::this_thread::sleep_for(std::chrono::microseconds(50))) poll();
  }

 private:
  std::atomic<peer_id>& ranks_;
  bool counts_ = true;
};

/// A payload of `bytes` that starts `shift` bytes off alignment.
class payload {
 public:
  payload(std::uint32_t serial, std::size_t bytes, std::size_t shift = 0)
      : store_(bytes + shift), shift_(shift) {
    patterns::fill(std::span(store_).subspan(shift), serial);
  }
  std::span<const std::byte> view() const { return std::span(store_).subspan(shift_); }

 private:
  std::vector<std::byte> store_;
  std::size_t shift_;
};

inline bool has_pattern(std::span<const std::byte> bytes, std::uint32_t serial) {
  return patterns::holds(bytes, serial);
}

inline frame_header header_of(std::uint32_t serial) {
  return {{serial, ~serial, serial * 3, 0xffff'ffff, serial << 8}};
}
inline bool same(const frame_header& a, const frame_header& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T>
outcome post(T& t, peer_id to, std::uint32_t serial, std::size_t bytes, std::size_t shift = 0) {
  return t.post(to, header_of(serial), payload(serial, bytes, shift).view(), serial);
}

/// Polls until `count` packets are there, in total.
template <class T>
void poll_until(T& t, keeper& sink, std::size_t count) {
  const deadline limit;
  while (sink.packets.size() < count) {
    if (t.poll(sink) == 0) {
      limit.check("packets that were posted arrive");
      std::this_thread::yield();
    }
  }
}

}  // namespace transport_contract
