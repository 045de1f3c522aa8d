// SPDX-License-Identifier: BSL-1.0
#pragma once
// Shared by tests of several ranks: the stacks that they run over, a watchdog against hangs, and
// messages whose every byte can be checked.

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mpx/mpx.hpp>
#include <mpx/transport/rdma.hpp>
#include <mpx/transport/rdma/via.hpp>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "core/errc_of.hpp"
#include "instances/instances.hpp"
#include "patience.hpp"
#include "patterns.hpp"
#include "transport/late_stacks.hpp"

namespace ranks {

constexpr mpx::tag_t data_tag = 1;
constexpr mpx::tag_t go_tag = 90;  // "You may start."
constexpr std::byte canary{0xee};  // Marks memory that must not be overwritten.

#if defined(MPX_TEST_EMULATED)
constexpr int slowdown = 8;
#elif defined(MPX_TEST_SANITIZED)
constexpr int slowdown = 5;
#else
constexpr int slowdown = 1;
#endif

/// Ends the program with a message when it lives too long: a hang is a failure, not a timeout.
class watchdog {
 public:
  explicit watchdog(std::string what, std::chrono::seconds limit = std::chrono::seconds(60))
      : what_(std::move(what)), thread_([this, limit = limit * slowdown * busy_slowdown] {
          std::unique_lock lock(mutex_);
          if (ended_.wait_for(lock, limit, [this] { return over_; })) return;
          std::fprintf(stderr, "hang: %s did not end within %lld s\n", what_.c_str(),
                       static_cast<long long>(limit.count()));
          std::abort();
        }) {}
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  ~watchdog() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    ended_.notify_all();
    thread_.join();
  }

 private:
  std::string what_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

/// Runs `body` on `n` ranks that are threads, under a watchdog.
template <class Stack, class Body>
void run(mpx::rank_t n, Body body) {
  INFO("ranks: ", n);
  const watchdog guard(Stack::fingerprint() + " on " + std::to_string(n) + " ranks");
  // One type for all bodies: a stack's threads and environment are compiled once a file.
  const std::function<void(mpx::environment<Stack>&)> one = [&body](mpx::environment<Stack>& env) {
    if constexpr (std::invocable<Body&, mpx::communicator<Stack>>) {
      body(env.world());
    } else {
      body(env);
    }
  };
  mpx::run_threads<Stack>(n, one);
}

/// The numbers of ranks that every multi-rank test runs at; some will do where another preset has
/// all.
#if defined(MPX_TEST_EMULATED) || defined(MPX_TEST_REPEATED)
inline constexpr mpx::rank_t counts[] = {1, 2, 3, 8};
#elif defined(MPX_TEST_BRIEF)
inline constexpr mpx::rank_t counts[] = {1, 2, 4, 7};
#else
inline constexpr mpx::rank_t counts[] = {1, 2, 3, 4, 7, 8};
#endif

template <class Stack, class Body>
void run_at_all_counts(Body body) {
  for (const mpx::rank_t n : counts) run<Stack>(n, body);
}

/// Word `i` of the message that `seed` names, and byte `i` of it.
constexpr std::uint64_t word_of(std::uint64_t seed, std::size_t i) noexcept {
  std::uint64_t x = (seed + 1) * 0x9e37'79b9'7f4a'7c15u + i * 0xd6e8'feb8'6659'fd93u;
  x ^= x >> 32;
  return x * 0xd6e8'feb8'6659'fd93u;
}
constexpr std::byte byte_of(std::uint64_t seed, std::size_t i) noexcept {
  return static_cast<std::byte>(word_of(seed, i / 8) >> (i % 8 * 8));
}
static_assert(std::endian::native == std::endian::little);  // Byte 0 of a word comes first.

inline void fill(std::span<std::byte> into, std::uint64_t seed) noexcept {
  patterns::fill_words(into, [seed](std::size_t i) { return word_of(seed, i); });
}
inline std::vector<std::byte> message(std::size_t bytes, std::uint64_t seed) {
  std::vector<std::byte> m(bytes);
  fill(m, seed);
  return m;
}
inline bool holds(std::span<const std::byte> data, std::uint64_t seed) noexcept {
  return patterns::holds_words(data, [seed](std::size_t i) { return word_of(seed, i); });
}

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// --- Stacks --------------------------------------------------------------------------------------

template <mpx::long_path By>
using long_by = mpx::protocol::tiny_short_long<40, 4096, By, 8 * 1024>;

using inproc = mpx::stack<mpx::transport::inproc>;
using shm = mpx::stack<>;
/// Everything as small as it goes, so that rings, pools and windows run full all the time.
using tiny = mpx::stack<mpx::transport::basic_shm<4, 4096>,
                        mpx::protocol::tiny_short_long<8, 512, mpx::long_path::automatic, 1024>,
                        mpx::flow::credits<64 * 1024, 4 * 1024>>;
/// The other choice on every axis.
using listed = mpx::stack<mpx::transport::inproc, mpx::matching::list, mpx::flow::unlimited,
                          mpx::waiting::spin, long_by<mpx::long_path::packets>>;
using by_get = mpx::stack<long_by<mpx::long_path::get>, mpx::matching::portals>;
using by_put = mpx::stack<long_by<mpx::long_path::put>>;
using multiple = mpx::stack<mpx::threading::multiple>;
/// Long messages by writes into registered memory, of which there is too little for some of them.
using rdma = mpx::stack<mpx::transport::basic_rdma<mpx::nic::basic_via<mpx::nic::via_options{
                                                       .registered_bytes_max = 2 * 1024 * 1024}>,
                                                   32 * 1024, 40>,
                        long_by<mpx::long_path::put>>;
/// Posts are pending or done, bodies are placed, over channels of 16 packets, under a lock.
using late = late_stacks::over_small<late_stacks::some, mpx::threading::multiple,
                                     long_by<mpx::long_path::packets>>;

/// Longer than all that is announced, granted or buffered at once by the stacks of the preset.
#ifdef MPX_TEST_REPEATED
inline constexpr std::size_t long_bytes = (1 << 18) + 3;
#else
inline constexpr std::size_t long_bytes = (1 << 20) + 3;
#endif

/// The sizes that matter to a stack: each side of every threshold.
template <class Stack>
std::vector<std::size_t> sizes() {
  using protocol = typename Stack::protocol_type;
  constexpr std::size_t tiny = protocol::tiny_bytes_max;
  constexpr std::size_t most = protocol::short_bytes_ceiling;
  constexpr std::size_t fragment = std::min<std::size_t>(
      protocol::fragment_bytes_max, Stack::transport_type::traits.packet_bytes_max);
  return {0,
          1,
          7,
          8,
          9,
          39,
          40,
          41,
          tiny,
          tiny + 1,
          most - 1,
          most,
          most + 1,
          fragment,
          2 * fragment,
          2 * fragment + 1,
          3 * fragment - 1,
          long_bytes};
}

/// For TEST_CASE_TEMPLATE_DEFINE and TEST_CASE_TEMPLATE_APPLY: each choice on each axis, several in
/// one stack. Compiling them takes most of a preset's time: beside the preset dev, three must do,
/// and beside that those where rings run full and posts stay pending.
#if defined(MPX_TEST_EMULATED)
using all_stacks = std::tuple<shm, tiny, by_put>;
#elif defined(MPX_TEST_REPEATED)
using all_stacks = std::tuple<tiny, late>;
#elif defined(MPX_TEST_FEW_STACKS)
using all_stacks = std::tuple<shm, tiny, late>;
#else
using all_stacks = std::tuple<shm, tiny, listed, by_get, rdma, late>;
#endif

}  // namespace ranks

MPX_TEST_INSTANCES(extern, ranks::inproc)
MPX_TEST_INSTANCES(extern, ranks::shm)
MPX_TEST_INSTANCES(extern, ranks::tiny)
MPX_TEST_INSTANCES(extern, ranks::listed)
MPX_TEST_INSTANCES(extern, ranks::by_get)
MPX_TEST_INSTANCES(extern, ranks::by_put)
MPX_TEST_INSTANCES(extern, ranks::late)
MPX_TEST_INSTANCES(extern, ranks::rdma)
MPX_TEST_INSTANCES(extern, ranks::multiple)
