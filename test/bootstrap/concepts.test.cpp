// SPDX-License-Identifier: BSL-1.0
// Requirements of each concept, by types that satisfy it and have nothing more.

#include <doctest/doctest.h>

#include <cstdint>
#include <mpx/bootstrap/detect.hpp>
#include <mpx/bootstrap/hang_table.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace {

using mpx::errc;
using mpx::rank_t;

/// Bootstrap.
struct joins {
  joins() = delete;
  joins(joins&&) noexcept;
  joins& operator=(joins&&) noexcept;
  rank_t rank() const noexcept;
  rank_t size() const noexcept;
  std::string_view host() const;
  void put(std::string_view key, std::string_view value);
  std::optional<std::string> get(rank_t rank, std::string_view key);
  void fence(std::invocable auto&& idle);
  [[noreturn]] void abort(int code, std::string_view why);
};

/// LivenessBootstrap.
struct lives : joins {
  std::uint32_t failure_epoch() const noexcept;
  mpx::platform::atomic<std::uint32_t>& failure_word() const noexcept;
  mpx::rank_state state(rank_t rank) const noexcept;
  std::string loss_text(rank_t rank) const;
  void disconnect_from(rank_t peer, errc why) noexcept;
  errc disconnected_by(rank_t peer) const noexcept;
  void mark_finished() noexcept;
  void mark_failed() noexcept;
};

/// SharedMemoryBootstrap.
struct shares : lives {
  int shared_fd() const noexcept;
  std::uint64_t shared_offset() const noexcept;
  bool one_process() const noexcept;
};

/// WatchedBootstrap.
struct is_watched : joins {
  mpx::bootstrap::hang_table hangs() const noexcept;
};

/// SimulatedBootstrap.
struct is_simulated : lives {
  void describe_by(mpx::bootstrap::hang_describer* describer) noexcept;
};

/// Shares memory, and knows nothing of the living.
struct shares_blindly : joins {
  int shared_fd() const noexcept;
  std::uint64_t shared_offset() const noexcept;
  bool one_process() const noexcept;
  void describe_by(mpx::bootstrap::hang_describer* describer) noexcept;
};

/// Lives without words.
struct lives_mutely : lives {
  std::string loss_text(rank_t rank) const = delete;
};

/// Describes into anything.
struct tells_anything : lives {
  void describe_by(void (*tell)(void*)) noexcept;
};

template <class T>
concept JoinsOnly =
    mpx::Bootstrap<T> && !mpx::LivenessBootstrap<T> && !mpx::SharedMemoryBootstrap<T> &&
    !mpx::WatchedBootstrap<T> && !mpx::SimulatedBootstrap<T>;
template <class T>
concept LivesOnly = mpx::LivenessBootstrap<T> && !mpx::SharedMemoryBootstrap<T> &&
                    !mpx::WatchedBootstrap<T> && !mpx::SimulatedBootstrap<T>;

static_assert(JoinsOnly<joins> && JoinsOnly<shares_blindly> && JoinsOnly<lives_mutely>);
static_assert(LivesOnly<lives> && LivesOnly<tells_anything>);
static_assert(mpx::SharedMemoryBootstrap<shares> && !mpx::WatchedBootstrap<shares>);
static_assert(mpx::WatchedBootstrap<is_watched> && !mpx::LivenessBootstrap<is_watched>);
static_assert(mpx::SimulatedBootstrap<is_simulated> && !mpx::WatchedBootstrap<is_simulated>);
static_assert(!mpx::Bootstrap<int>);

template <class T>
concept OneMachine = mpx::SharedMemoryBootstrap<T> && mpx::WatchedBootstrap<T> &&
                     !mpx::SimulatedBootstrap<T> && !std::copyable<T>;

static_assert(OneMachine<mpx::bootstrap::any> && OneMachine<mpx::bootstrap::mpxrun>);
static_assert(OneMachine<mpx::bootstrap::threads> && OneMachine<mpx::bootstrap::singleton>);
static_assert(!mpx::Bootstrap<mpx::bootstrap::thread_job>);

TEST_CASE("bootstrap: a process that no launcher started is a job of one rank") {
  const mpx::bootstrap::any made;
  const mpx::bootstrap::any detected = mpx::bootstrap::detect();
  for (const auto* b : {&made, &detected}) {
    CHECK(b->rank() == 0);
    CHECK(b->size() == 1);
  }
}

TEST_CASE("bootstrap: a hang table sees its environment, and the job's marks") {
  const mpx::bootstrap::thread_job job(2);
  mpx::bootstrap::threads zero(job, 0);
  mpx::bootstrap::threads one(job, 1);
  const auto table = one.hangs();
  CHECK(table.rank() == 1);
  CHECK(table.size() == 2);
  CHECK(table.environment() == 0);
  CHECK(table.state(0) == mpx::rank_state::joined);
  table.job().hang(1).mark.store(6);
  CHECK(zero.hangs().job().hang(1).mark.load() == 6);
  zero.mark_finished();
  CHECK(table.state(0) == mpx::rank_state::finished);
  mpx::bootstrap::threads again(job, 0);
  CHECK(again.hangs().environment() == 1);
  CHECK(again.hangs().state(0) == mpx::rank_state::joined);
}

}  // namespace
