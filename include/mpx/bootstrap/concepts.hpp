// SPDX-License-Identifier: BSL-1.0
#pragma once
// What a rank must learn to join a job: who it is, where the others are, whether they are alive.
// Bootstraps carry a few bytes at start-up and at the end; messages travel by a transport.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mpx/core/error.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

/// What is known of a rank in one environment.
enum class rank_state : std::uint8_t {
  waiting,   ///< It has not joined yet.
  joined,    ///< It takes part.
  finished,  ///< It left cleanly: nothing more will come from it.
  failed,    ///< It died, or ended without leaving.
};

/// A way into a job.
///
/// - `rank()`, `size()`: 0 <= rank < size; constant.
/// - `host()`: the name of this machine; valid as long as the bootstrap lives.
/// - `put(key, value)`: publishes under this rank. Others see it after the next fence at the
///   latest; a second put of the same key replaces the first. Errors: errc::argument (empty or too
///   long), errc::no_resources (the space for values is full).
/// - `get(rank, key)`: what `rank` published, or nothing. Errors: errc::rank, errc::protocol.
/// - `fence(idle)`: returns when every rank has entered the same fence, and none that had is known
///   to have died since. Meanwhile `idle()` is called again and again, so that communication can
///   progress; between two calls the thread sleeps for a millisecond at most (for each 32 ranks of
///   the job). Errors: errc::peer_lost when a rank fails or leaves meanwhile, errc::aborted; the
///   message names the rank. What `idle` throws passes through. After an error no later fence of
///   this bootstrap succeeds.
/// - `abort(code, why)`: ends the whole job; never returns. Where ranks are processes it ends this
///   one; where they are threads it throws errc::aborted.
///
/// Where a rank is a process, a child that it forks is no rank: there all of these but `rank`,
/// `size` and `host` give errc::not_a_rank or do nothing, and destroying the copy tells nobody.
///
/// Threads: one thread at a time per bootstrap.
template <class T>
concept Bootstrap = std::movable<T> && requires(T& b, const T& view, rank_t rank,
                                                std::string_view text, void (*idle)()) {
  { view.rank() } noexcept -> std::same_as<rank_t>;
  { view.size() } noexcept -> std::same_as<rank_t>;
  { view.host() } -> std::same_as<std::string_view>;
  { b.put(text, text) } -> std::same_as<void>;
  { b.get(rank, text) } -> std::same_as<std::optional<std::string>>;
  { b.fence(idle) } -> std::same_as<void>;
  { b.abort(1, text) } -> std::same_as<void>;
};

/// A bootstrap whose ranks share one machine, and with it memory and news of each other's death.
///
/// - `shared_fd()`: a memory file of the whole job, empty at first. Who needs room makes the file
///   longer (`bootstrap::grow`) and maps it. It can never shrink, and goes when the last rank goes.
///   Who uses it by number makes sure first that it is still that file (`file_identity`): the
///   program may have closed the descriptor and opened one of its own.
/// - `shared_offset()`: where this environment's part of that file begins: (k mod 32) << 48 for the
///   k-th environment that this rank joins. It reads as zeros at first. Keys and fences are apart
///   per environment as well.
/// - `one_process()`: whether all ranks of the job are threads of this process.
/// - `failure_epoch()`: one atomic load; grows whenever a rank fails or leaves, or gives another
///   up, or the job is aborted. It may grow for less, and is never 0. `failure_word()`: the word
///   that is loaded; it lives as long as the bootstrap.
/// - `state(rank)`: what became of a rank in this environment; one that ended is `failed` unless it
///   had left. Requires 0 <= rank < size().
/// - `renounce(peer, why)`: this rank will not talk to `peer` any more in this environment, because
///   of errc::protocol or errc::no_resources. It concerns the two alone; the first reason counts.
/// - `renounced_by(peer)`: why `peer` has renounced this rank, or errc{} if it has not.
/// - `mark_finished()`: a clean leave; afterwards the others see `finished`. A bootstrap that is
///   destroyed without it counts as `failed`.
/// - `mark_failed()`: tells the others that this rank will not come back.
///
/// After either of the last two, this rank touches nothing of its part of the shared file but to
/// unmap it: when all ranks have left, the part is emptied and goes to the 32nd environment after
/// this one. Any number may follow each other, and 32 of a rank may live at once; joining one more
/// waits a little for the ranks that are still inside, and then is errc::no_resources.
///
/// Threads: `failure_epoch()`, `state()` and `renounced_by()` from any thread.
template <class T>
concept SharedMemoryBootstrap = Bootstrap<T> && requires(T& b, const T& view, rank_t rank) {
  { view.shared_fd() } noexcept -> std::same_as<int>;
  { view.shared_offset() } noexcept -> std::same_as<std::uint64_t>;
  { view.one_process() } noexcept -> std::same_as<bool>;
  { view.failure_epoch() } noexcept -> std::same_as<std::uint32_t>;
  { view.failure_word() } noexcept -> std::convertible_to<const platform::atomic<std::uint32_t>&>;
  { view.state(rank) } noexcept -> std::same_as<rank_state>;
  { b.renounce(rank, errc::protocol) } noexcept -> std::same_as<void>;
  { view.renounced_by(rank) } noexcept -> std::same_as<errc>;
  { b.mark_finished() } -> std::same_as<void>;
  { b.mark_failed() } noexcept -> std::same_as<void>;
};

/// Grants Bootstrap and nothing more.
struct bootstrap_archetype {
  bootstrap_archetype() = delete;
  bootstrap_archetype(bootstrap_archetype&&) noexcept;
  bootstrap_archetype& operator=(bootstrap_archetype&&) noexcept;
  rank_t rank() const noexcept;
  rank_t size() const noexcept;
  std::string_view host() const;
  void put(std::string_view key, std::string_view value);
  std::optional<std::string> get(rank_t rank, std::string_view key);
  void fence(std::invocable auto&& idle);
  [[noreturn]] void abort(int code, std::string_view why);
};

/// Grants SharedMemoryBootstrap and nothing more.
struct shared_memory_bootstrap_archetype : bootstrap_archetype {
  int shared_fd() const noexcept;
  std::uint64_t shared_offset() const noexcept;
  bool one_process() const noexcept;
  std::uint32_t failure_epoch() const noexcept;
  platform::atomic<std::uint32_t>& failure_word() const noexcept;
  rank_state state(rank_t rank) const noexcept;
  void renounce(rank_t peer, errc why) noexcept;
  errc renounced_by(rank_t peer) const noexcept;
  void mark_finished();
  void mark_failed() noexcept;
};

static_assert(Bootstrap<bootstrap_archetype>);
static_assert(SharedMemoryBootstrap<shared_memory_bootstrap_archetype>);
static_assert(!SharedMemoryBootstrap<bootstrap_archetype>);
static_assert(!Bootstrap<int>);

}  // namespace mpx::inline v0
