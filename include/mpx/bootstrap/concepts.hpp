// SPDX-License-Identifier: BSL-1.0
#pragma once
// What a rank must learn to join a job: who it is, and where the others are. What a launcher may
// know beyond that is a refinement. Bootstraps carry a few bytes at start-up and at the end;
// messages travel by a transport.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mpx/core/error.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

struct bootstrap_axis {};

/// What is known of a rank in one environment.
enum class rank_state : std::uint8_t {
  waiting,   ///< It has not joined yet.
  joined,    ///< It takes part.
  finished,  ///< It left cleanly: nothing more will come from it.
  failed,    ///< It died, or ended without leaving.
};

/// A way into a job. A launcher that offers this and nothing more, as PMI does, is enough for an
/// environment; as a policy of a stack it has `using policy_axis = bootstrap_axis`.
///
/// - `rank()`, `size()`: 0 <= rank < size; constant.
/// - `host()`: the name of this machine; valid as long as the bootstrap lives.
/// - `put(key, value)`: publishes under this rank. Others see it after the next fence at the
///   latest; a second put of the same key replaces the first. Any 512 bytes must be possible as a
///   value, and keys of 1 to 32 characters. Errors: errc::argument (empty or too long),
///   errc::no_resources (the space for values is full).
/// - `get(rank, key)`: what `rank` published, or nothing. Errors: errc::rank, errc::protocol.
/// - `fence(idle)`: returns when every rank has entered the same fence. Meanwhile `idle()` is
///   called again and again, so that communication can progress; between two calls the thread
///   sleeps for a millisecond at most (for each 32 ranks of the job). Errors: errc::aborted;
///   errc::peer_lost if it comes to know that it will never open. What `idle` throws passes
///   through. After an error no later fence of this bootstrap succeeds.
/// - `abort(code, why)`: ends the whole job; never returns. Where ranks are processes it ends this
///   one; where they are threads it throws errc::aborted.
///
/// Every environment joins by a bootstrap of its own, in whose keys and fences no other has a part.
///
/// Nothing is known of the living and the dead here. Ranks leave together, by a fence; a rank that
/// leaves alone, or will not talk to another any more, tells nobody, and what waits for it (a
/// receive, a long send, a fence) waits until the launcher ends the job. A LivenessBootstrap makes
/// these errors.
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

/// A bootstrap that knows what becomes of the ranks. Its fences fail with errc::peer_lost, naming
/// the rank, when one fails or leaves meanwhile, and never open when one that had entered is known
/// to have died since.
///
/// - `failure_epoch()`: one atomic load; grows whenever a rank fails or leaves, or gives another
///   up, or the job is aborted. It may grow for less, and is never 0. `failure_word()`: the word
///   that is loaded; it lives as long as the bootstrap.
/// - `state(rank)`: what became of a rank in this environment; one that ended is `failed` unless it
///   had left. Requires 0 <= rank < size().
/// - `loss_text(rank)`: what became of a rank that is gone, in words that name it, for the texts of
///   errors; "" of another. Requires as for `state`.
/// - `renounce(peer, why)`: this rank will not talk to `peer` any more in this environment, because
///   of errc::protocol or errc::no_resources, or cannot (errc::peer_lost). It concerns the two
///   alone; the first reason counts.
/// - `renounced_by(peer)`: why `peer` has renounced this rank, or errc{} if it has not.
/// - `mark_finished()`: a clean leave; afterwards the others see `finished`. A bootstrap that is
///   destroyed without it counts as `failed`.
/// - `mark_failed()`: tells the others that this rank will not come back.
///
/// Threads: `failure_epoch()`, `state()` and `renounced_by()` from any thread.
template <class T>
concept LivenessBootstrap = Bootstrap<T> && requires(T& b, const T& view, rank_t rank) {
  { view.failure_epoch() } noexcept -> std::same_as<std::uint32_t>;
  { view.failure_word() } noexcept -> std::convertible_to<const platform::atomic<std::uint32_t>&>;
  { view.state(rank) } noexcept -> std::same_as<rank_state>;
  { view.loss_text(rank) } -> std::same_as<std::string>;
  { b.renounce(rank, errc::protocol) } noexcept -> std::same_as<void>;
  { view.renounced_by(rank) } noexcept -> std::same_as<errc>;
  { b.mark_finished() } noexcept -> std::same_as<void>;
  { b.mark_failed() } noexcept -> std::same_as<void>;
};

/// A bootstrap whose ranks share one machine, and with it memory.
///
/// - `shared_fd()`: a memory file of the whole job, empty at first. Who needs room makes the file
///   longer (`bootstrap::grow`) and maps it. It can never shrink, and goes when the last rank goes.
///   Who uses it by number makes sure first that it is still that file (`file_identity`): the
///   program may have closed the descriptor and opened one of its own.
/// - `shared_offset()`: where this environment's part of that file begins: (k mod 32) << 48 for the
///   k-th environment that this rank joins. It reads as zeros at first.
/// - `one_process()`: whether all ranks of the job are threads of this process.
///
/// After `mark_finished` or `mark_failed`, this rank touches nothing of its part of the shared file
/// but to unmap it: when all ranks have left, the part is emptied and goes to the 32nd environment
/// after this one. Any number may follow each other, and 32 of a rank may live at once; joining one
/// more waits a little for the ranks that are still inside, and then is errc::no_resources.
template <class T>
concept SharedMemoryBootstrap = LivenessBootstrap<T> && requires(const T& view) {
  { view.shared_fd() } noexcept -> std::same_as<int>;
  { view.shared_offset() } noexcept -> std::same_as<std::uint64_t>;
  { view.one_process() } noexcept -> std::same_as<bool>;
};

namespace bootstrap {

/// Says what a rank waits for.
class hang_describer {
 public:
  /// Fills `into` with the description; returns false, and fills nothing, unless it is as long as
  /// one. Threads: any.
  virtual bool describe(std::span<std::byte> into) = 0;

 protected:
  hang_describer() = default;
  hang_describer(const hang_describer&) = default;
  hang_describer& operator=(const hang_describer&) = default;
  ~hang_describer() = default;
};

}  // namespace bootstrap

/// A bootstrap whose ranks are fibers of the thread that runs the job, in virtual time. They are no
/// processes that could fork, and they need not watch for hangs: whoever runs them sees when none
/// can go on.
///
/// - `describe_by(describer)`: whom to ask then what this rank waits for; nullptr: nobody. Who is
///   named lives until the rank leaves.
template <class T>
concept SimulatedBootstrap =
    LivenessBootstrap<T> && requires(T& b, bootstrap::hang_describer* describer) {
      { b.describe_by(describer) } noexcept -> std::same_as<void>;
    };

}  // namespace mpx::inline v0
