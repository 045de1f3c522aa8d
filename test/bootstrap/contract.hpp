// SPDX-License-Identifier: BSL-1.0
#pragma once
// Contract suite of bootstraps and their refinements, over one bootstrap per rank, each used by a
// thread of its own.

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <mpx/bootstrap/concepts.hpp>
#include <mpx/core/error.hpp>
#include <mpx/core/mapping.hpp>
#include <string>
#include <thread>
#include <vector>

#include "core/errc_of.hpp"
#include "patience.hpp"

namespace bootstrap_contract {

using ranks::errc_of;

inline void idle() {}

/// Memory of a file, in bytes.
inline std::int64_t bytes_of(int fd) {
  struct stat info{};
  REQUIRE(::fstat(fd, &info) == 0);
  return std::int64_t{info.st_blocks} * 512;
}

/// Runs `body(bootstrap)` for every rank at once; returns how many bodies returned true.
template <class B, class Body>
int on_all(std::vector<B>& ranks, Body body) {
  std::atomic<int> good = 0;
  std::vector<std::jthread> threads;
  threads.reserve(ranks.size());
  for (auto& b : ranks) threads.emplace_back([&] { good += body(b) ? 1 : 0; });
  threads.clear();
  return good;
}

/// Numbers, names, publishing, fences.
template <mpx::Bootstrap B>
void check_meeting(std::vector<B>& ranks) {
  const auto n = static_cast<mpx::rank_t>(ranks.size());
  for (mpx::rank_t r = 0; r < n; ++r) {
    const B& b = ranks[static_cast<std::size_t>(r)];
    CHECK(b.rank() == r);
    CHECK(b.size() == n);
    CHECK(!b.host().empty());
    if constexpr (mpx::LivenessBootstrap<B>) {
      CHECK(b.state(r) == mpx::rank_state::joined);
      CHECK(b.loss_text(r).empty());
      CHECK(b.failure_epoch() == ranks[0].failure_epoch());
    }
    if constexpr (mpx::SharedMemoryBootstrap<B>)
      CHECK(b.shared_offset() == ranks[0].shared_offset());
  }
  const int good = on_all(ranks, [n](B& b) {
    bool right = true;
    for (int round = 0; round < 20; ++round) {
      const std::string key = "round" + std::to_string(round);
      b.put(key, "draft");
      b.put(key, std::string(static_cast<std::size_t>(round) * 10, 'x') + std::to_string(b.rank()));
      b.fence(idle);
      for (mpx::rank_t r = 0; r < n; ++r)
        right = right && b.get(r, key) == std::string(static_cast<std::size_t>(round) * 10, 'x') +
                                              std::to_string(r);
      right = right && !b.get((b.rank() + 1) % n, "never");
    }
    return right;
  });
  CHECK(good == n);
}

/// Requests that must be refused.
template <mpx::SharedMemoryBootstrap B>
void check_arguments(B& b) {
  CHECK(errc_of([&] { b.get(-1, "k"); }) == mpx::errc::rank);
  CHECK(errc_of([&] { b.get(b.size(), "k"); }) == mpx::errc::rank);
  CHECK(errc_of([&] { b.put("", "v"); }) == mpx::errc::argument);
  CHECK(errc_of([&] { b.put(std::string(257, 'k'), "v"); }) == mpx::errc::argument);
  CHECK(errc_of([&] { b.put("k", std::string(4097, 'v')); }) == mpx::errc::argument);
  b.put(std::string(256, 'k'), std::string(4096, 'v'));
  CHECK(b.get(b.rank(), std::string(256, 'k')) == std::string(4096, 'v'));
  b.put("zeros", std::string_view("a\0b", 3));
  CHECK(b.get(b.rank(), "zeros") == std::string("a\0b", 3));
  b.put("empty", "");
  CHECK(b.get(b.rank(), "empty") == "");
}

/// `idle` runs while a rank waits, and the wait costs no processor.
template <mpx::Bootstrap B>
void check_idle(std::vector<B>& ranks) {
  using namespace std::chrono;
  const int waiting = static_cast<int>(ranks.size()) - 1;
  const int enough = 10 * waiting;
  std::atomic<int> calls = 0;
  std::atomic<std::int64_t> cpu_ns = 0;
  const auto start = steady_clock::now();
  on_all(ranks, [&](B& b) {
    if (b.rank() == 0) {  // On a busy machine the others need more than that.
      std::this_thread::sleep_for(milliseconds(100));
      while (calls < enough && steady_clock::now() - start < seconds(20 * busy_slowdown))
        std::this_thread::sleep_for(milliseconds(10));
      b.fence(idle);
      return true;
    }
    timespec begin{}, end{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    b.fence([&] { ++calls; });
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    cpu_ns += (end.tv_sec - begin.tv_sec) * 1'000'000'000 + (end.tv_nsec - begin.tv_nsec);
    return true;
  });
  const auto took_ms = duration_cast<milliseconds>(steady_clock::now() - start).count();
  CHECK(calls >= enough);
  CHECK(calls <= 20 * took_ms * waiting);
  CHECK(cpu_ns <= 500'000 * took_ms * waiting);
}

/// All ranks see the same zeroed memory.
template <mpx::SharedMemoryBootstrap B>
void check_memory(std::vector<B>& ranks) {
  const int good = on_all(ranks, [n = ranks.size()](B& b) {
    const std::size_t bytes = 4096 * n;
    mpx::bootstrap::grow(b.shared_fd(), b.shared_offset() + bytes);
    const mpx::mapping map(b.shared_fd(), b.shared_offset(), bytes);
    bool right = map.data()[4096 * static_cast<std::size_t>(b.rank())] == std::byte{0};
    map.data()[4096 * static_cast<std::size_t>(b.rank())] = static_cast<std::byte>(b.rank() + 1);
    b.fence(idle);
    for (std::size_t r = 0; r < n; ++r)
      right = right && map.data()[4096 * r] == static_cast<std::byte>(r + 1);
    return right;
  });
  CHECK(good == static_cast<int>(ranks.size()));
}

/// A rank that disconnects from another is noticed by that one, in this environment alone, and by
/// no other.
template <mpx::LivenessBootstrap B>
void check_disconnecting(std::vector<B>& ranks) {
  const auto n = static_cast<mpx::rank_t>(ranks.size());
  for (const B& b : ranks)
    for (mpx::rank_t r = 0; r < n; ++r) CHECK(b.disconnected_by(r) == mpx::errc{});
  const auto epoch = ranks[0].failure_epoch();
  ranks[0].disconnect_from(n - 1, mpx::errc::no_resources);
  const auto after = ranks.back().failure_epoch();
  CHECK(after != epoch);
  ranks[0].disconnect_from(n - 1,
                           mpx::errc::protocol);  // The first reason counts, and is reported once.
  CHECK(ranks.back().failure_epoch() == after);
  if (n > 1) ranks.back().disconnect_from(0, mpx::errc::protocol);
  for (mpx::rank_t mine = 0; mine < n; ++mine) {
    for (mpx::rank_t r = 0; r < n; ++r) {
      CAPTURE(mine);
      CAPTURE(r);
      const mpx::errc wanted = mine == n - 1 && r == 0   ? mpx::errc::no_resources
                               : mine == 0 && r == n - 1 ? mpx::errc::protocol
                                                         : mpx::errc{};
      CHECK(ranks[static_cast<std::size_t>(mine)].disconnected_by(r) == wanted);
      CHECK(ranks[static_cast<std::size_t>(mine)].state(r) == mpx::rank_state::joined);
    }
  }
  for (const mpx::rank_t nobody : {-1, n}) {
    ranks[0].disconnect_from(nobody, mpx::errc::protocol);
    CHECK(ranks[0].disconnected_by(nobody) == mpx::errc{});
  }
  CHECK(on_all(ranks, [](B& b) {
          b.fence(idle);  // The others do not mind.
          return true;
        }) == n);
}

/// A rank that has left learns so and changes nothing; the other ranks see the failure epoch grow.
template <mpx::LivenessBootstrap B>
void check_leaving(std::vector<B>& ranks) {
  for (B& b : ranks) {
    const auto epoch = b.failure_epoch();
    b.mark_finished();
    CHECK(b.failure_epoch() != epoch);
    CHECK(errc_of([&] { b.put("k", "v"); }) == mpx::errc::peer_lost);
    CHECK(errc_of([&] { b.get(0, "k"); }) == mpx::errc::peer_lost);
    CHECK(errc_of([&] { b.fence(idle); }) == mpx::errc::peer_lost);
    b.disconnect_from(0, mpx::errc::protocol);
    CHECK(b.disconnected_by(0) == mpx::errc{});
    b.mark_failed();  // It has left: nothing happens.
    CHECK(b.state(b.rank()) == mpx::rank_state::finished);
    CHECK(!b.loss_text(b.rank()).empty());
  }
}

/// A forked child is no rank: it gets errors, and neither its doings nor its end are the rank's.
template <mpx::LivenessBootstrap B>
void check_forked(std::vector<B>& ranks) {
  B& parent = ranks[0];
  const mpx::rank_t peer = ranks.back().rank();
  const auto epoch = parent.failure_epoch();
  const auto disconnected = ranks.back().disconnected_by(0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const auto refused = [](auto f) { return errc_of(f) == mpx::errc::not_a_rank; };
    bool good = refused([&] { parent.put("child", "was here"); }) &&
                refused([&] { parent.get(0, "k"); }) && refused([&] { parent.fence(idle); });
    parent.disconnect_from(peer, mpx::errc::protocol);
    {
      const B gone(std::move(parent));
    }
    ranks.back().mark_finished();
    ranks.back().mark_failed();
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  pid_t ended = 0;
  while ((ended = ::waitpid(child, &status, WNOHANG)) == 0) {
    if (std::chrono::steady_clock::now() > limit) ::kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  REQUIRE(ended == child);
  CHECK(status == 0);
  CHECK(parent.failure_epoch() == epoch);
  CHECK(!parent.get(0, "child"));
  CHECK(ranks.back().disconnected_by(0) == disconnected);
  for (mpx::rank_t r = 0; r < parent.size(); ++r) CHECK(parent.state(r) == mpx::rank_state::joined);
  CHECK(on_all(ranks, [](B& b) {
          b.fence(idle);
          return true;
        }) == parent.size());
}

/// The last rank ends as `how` says; the others get `wanted` from a fence, within a second.
template <mpx::LivenessBootstrap B, class How>
void check_loss(std::vector<B>& ranks, mpx::errc wanted, mpx::rank_state state, How how) {
  const auto last = static_cast<mpx::rank_t>(ranks.size()) - 1;
  const auto epoch = ranks[0].failure_epoch();
  const int good = on_all(ranks, [&](B& b) {
    b.fence(idle);
    if (b.rank() == last) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      how(b);
      return true;
    }
    const auto begin = std::chrono::steady_clock::now();
    bool named = false;
    try {
      b.fence(idle);
    } catch (const mpx::error& e) {
      named = e.code() == wanted &&
              std::string(e.what()).find("rank " + std::to_string(last)) != std::string::npos;
    }
    const std::string text = b.loss_text(last);  // A rank that aborts the job is not lost.
    named = named && (state == mpx::rank_state::joined
                          ? text.empty()
                          : text.find("rank " + std::to_string(last)) != std::string::npos);
    return named && b.state(last) == state &&
           std::chrono::steady_clock::now() - begin < std::chrono::seconds(1);
  });
  CHECK(good == last + 1);
  CHECK(ranks[0].failure_epoch() != epoch);
}

}  // namespace bootstrap_contract
