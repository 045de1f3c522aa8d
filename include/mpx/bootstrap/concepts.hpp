// SPDX-License-Identifier: BSL-1.0
#pragma once
// The bootstrap axis: concepts for joining a job, by which a rank learns its own number and how to
// find the other ranks. Capabilities that only some launchers have are refinements. A bootstrap
// carries a few bytes at start-up and at the end; messages travel over a transport.

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

/// Tag type: a policy of the bootstrap axis names it as its `policy_axis`.
struct bootstrap_axis {};

/// State of a rank in one environment, as far as it is known.
enum class rank_state : std::uint8_t {
  waiting,   ///< It has not joined yet.
  joined,    ///< It takes part.
  finished,  ///< It left cleanly: nothing more will come from it.
  failed,    ///< It died, or ended without leaving.
};

/// A way to join a job. An environment needs no more from a launcher than this; PMI, for example,
/// offers only this. A policy of a stack also has `using policy_axis = bootstrap_axis`.
///
/// - `rank()`, `size()`: 0 <= rank < size; constant.
/// - `host()`: the name of this machine; valid as long as the bootstrap lives.
/// - `put(key, value)`: publishes a value under this rank. Other ranks see it after the next fence
///   at the latest. A second put of the same key replaces the first. Values of any 512 bytes and
///   keys of 1 to 32 characters must be possible. Errors: errc::argument (empty or too long),
///   errc::no_resources (the space for values is full).
/// - `get(rank, key)`: returns the value that `rank` has published, or nothing. Errors: errc::rank,
///   errc::protocol.
/// - `fence(idle)`: returns once every rank has entered the same fence. Meanwhile it calls `idle()`
///   repeatedly, so that communication can progress. Between two calls the thread sleeps for at
///   most one millisecond for each 32 ranks of the job. Exceptions of `idle` pass through. Errors:
///   errc::aborted; errc::peer_lost if it learns that the fence can never open. After an error no
///   later fence of this bootstrap succeeds.
/// - `abort(code, why)`: ends the whole job and never returns. It ends this process if ranks are
///   processes; it throws errc::aborted if they are threads.
///
/// Each environment joins by a bootstrap of its own, whose keys and fences it shares with no other
/// environment.
///
/// This concept has no failure detection. Ranks leave together, by a fence. A rank that leaves
/// alone, or disconnects from a peer, notifies no rank: operations that wait for it (a receive, a
/// long send, a fence) wait until the launcher ends the job. A LivenessBootstrap turns these cases
/// into errors.
///
/// If ranks are processes, a child that a rank forks is not a rank. In the child all functions but
/// `rank`, `size` and `host` give errc::not_a_rank or do nothing, and destroying the copy notifies
/// no rank.
///
/// Threads:    one thread at a time per bootstrap.
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

/// A bootstrap with failure detection. Its fences fail with errc::peer_lost, naming the rank, if a
/// rank fails or leaves meanwhile. They never open if a rank that had entered is known to have died
/// since.
///
/// - `failure_epoch()`: one atomic load. Grows whenever a rank fails, leaves or disconnects from
///   another, or the job is aborted. It may also grow without such an event. It is never 0.
/// - `failure_word()`: the word that holds the failure epoch; it lives as long as the bootstrap.
/// - `state(rank)`: the state of a rank in this environment. A rank that has ended is `failed`
///   unless it had left. Requires: 0 <= rank < size().
/// - `loss_text(rank)`: describes what happened to a rank that is gone, in a text for error
///   messages that names the rank; "" for any other rank. Requires: as for `state`.
/// - `disconnect_from(peer, why)`: this rank will not communicate with `peer` any more in this
///   environment, because of errc::protocol or errc::no_resources, or because it cannot
///   (errc::peer_lost). It affects these two ranks only. The first reason counts.
/// - `disconnected_by(peer)`: the reason for which `peer` has disconnected from this rank; errc{}
///   if it has not.
/// - `mark_finished()`: leaves cleanly; other ranks then see `finished`. A bootstrap destroyed
///   without this call counts as `failed`.
/// - `mark_failed()`: tells the other ranks that this rank will not return.
///
/// Threads:    `failure_epoch()`, `state()` and `disconnected_by()` from any thread.
template <class T>
concept LivenessBootstrap = Bootstrap<T> && requires(T& b, const T& view, rank_t rank) {
  { view.failure_epoch() } noexcept -> std::same_as<std::uint32_t>;
  { view.failure_word() } noexcept -> std::convertible_to<const platform::atomic<std::uint32_t>&>;
  { view.state(rank) } noexcept -> std::same_as<rank_state>;
  { view.loss_text(rank) } -> std::same_as<std::string>;
  { b.disconnect_from(rank, errc::protocol) } noexcept -> std::same_as<void>;
  { view.disconnected_by(rank) } noexcept -> std::same_as<errc>;
  { b.mark_finished() } noexcept -> std::same_as<void>;
  { b.mark_failed() } noexcept -> std::same_as<void>;
};

/// A bootstrap whose ranks run on one machine and share memory.
///
/// - `shared_fd()`: a memory file of the whole job, initially empty. A user that needs room makes
///   the file longer (`bootstrap::grow`) and maps it. The file never shrinks, and is freed when the
///   last rank ends. Before each use of the descriptor a user checks that it still names that file
///   (`file_identity`), since the program may have closed it and opened another file.
/// - `shared_offset()`: the offset of this environment's part of that file: (k mod 32) << 48 for
///   the k-th environment that this rank joins. The part reads as zeros at first.
/// - `one_process()`: returns true if all ranks of the job are threads of this process.
///
/// After `mark_finished` or `mark_failed` this rank does nothing with its part of the shared file
/// but unmap it. When all ranks have left, the part is emptied and given to the 32nd environment
/// after this one. The number of environments of a rank is not limited, but at most 32 of them may
/// live at a time. Joining one more waits for a short time for the ranks that are still inside, and
/// then fails with errc::no_resources.
template <class T>
concept SharedMemoryBootstrap = LivenessBootstrap<T> && requires(const T& view) {
  { view.shared_fd() } noexcept -> std::same_as<int>;
  { view.shared_offset() } noexcept -> std::same_as<std::uint64_t>;
  { view.one_process() } noexcept -> std::same_as<bool>;
};

namespace bootstrap {

/// Describes the operations that a rank waits for.
class hang_describer {
 public:
  /// Writes the description to `into`. Returns false and writes nothing unless the size of `into`
  /// is that of a description.
  /// Threads:    any.
  virtual bool describe(std::span<std::byte> into) = 0;

 protected:
  hang_describer() = default;
  hang_describer(const hang_describer&) = default;
  hang_describer& operator=(const hang_describer&) = default;
  ~hang_describer() = default;
};

}  // namespace bootstrap

/// A bootstrap whose ranks are fibers of the thread that runs the job, in virtual time. They are
/// not processes, so that they cannot fork. They need not detect hangs, since the simulator sees
/// when no rank can continue.
///
/// - `describe_by(describer)`: sets the object that then describes what this rank waits for;
///   nullptr removes it. The object must live until the rank leaves or removes it.
template <class T>
concept SimulatedBootstrap =
    LivenessBootstrap<T> && requires(T& b, bootstrap::hang_describer* describer) {
      { b.describe_by(describer) } noexcept -> std::same_as<void>;
    };

}  // namespace mpx::inline v0
