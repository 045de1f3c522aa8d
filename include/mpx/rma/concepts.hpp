// SPDX-License-Identifier: BSL-1.0
#pragma once
// Concept of a one-sided protocol, and of the policy that chooses a protocol for each access. Part
// of mpx/rma.hpp.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mpx/core/error.hpp"
#include "mpx/data/memory.hpp"
#include "mpx/rma/runs.hpp"

namespace mpx::inline v0::rma {

/// Protocol that moves data between an origin and a target's memory.
enum class protocol : std::uint8_t {
  automatic,  ///< Chosen by the window's policy.
  direct,     ///< Loads, stores and atomic instructions on memory mapped at the origin.
  /// The transport's put and get. The target's service carries out accumulates.
  rdma,
  /// Records, coalesced into packets and carried out by the target's service.
  buffered,
  /// As buffered, but one packet for each record, sent once a flush or the end of the epoch needs
  /// it.
  send_recv,
  /// Messages to a put portal and a get portal of the target, one for each contiguous run. Puts to
  /// one target take effect in their order.
  portals,
};

/// When remote accesses become visible to the owner of a window's memory, and the owner's stores to
/// remote ranks. Source: MPI 4.1, 12.4.
enum class memory_model : std::uint8_t {
  /// After a synchronisation call, or any call of the owner that makes progress.
  separate,
  unified,  ///< At once, as between threads that share memory.
};

/// Kind of an access.
enum class action : std::uint8_t {
  put,         ///< Stores data at the target.
  get,         ///< Loads data from the target.
  accumulate,  ///< Combines data with the target's.
  fetch,       ///< Combines, and returns the target's previous value.
  swap,        ///< Compare and swap.
};

/// Properties of an access that a ProtocolPolicy may look at.
struct access {
  action what;         ///< put or get.
  std::size_t bytes;   ///< Length of the data.
  bool direct;         ///< True if the target's memory is mapped at the origin.
  bool rdma;           ///< True if the transport can put to and get from it.
  std::size_t packet;  ///< Capacity of a packet to the target, in bytes.
  /// True if the epoch needs no call of the target: its lock is acquired by the transport's atomic
  /// accesses, or was given no_check.
  bool alone = false;
};

/// Chooses a protocol for each put and get. `choose(access)` is a pure function. An unavailable
/// choice is replaced: direct by rdma, rdma by buffered. Accumulates of a window to one target all
/// use one protocol, whatever the policy says, because they must keep their order: see window.
template <class P>
concept ProtocolPolicy = requires(const access& a) {
  { P::choose(a) } noexcept -> std::same_as<protocol>;
};

/// Default policy: direct if the target's memory is mapped, rdma for data longer than a quarter of
/// a packet if the transport reaches it, else buffered.
struct by_reach {
  /// See ProtocolPolicy.
  static constexpr protocol choose(const access& a) noexcept {
    if (a.direct) return protocol::direct;
    return a.rdma && (a.alone || a.bytes > a.packet / 4) ? protocol::rdma : protocol::buffered;
  }
};
/// Policy that uses protocol P for all accesses.
template <protocol P>
struct always {
  /// See ProtocolPolicy.
  static constexpr protocol choose(const access&) noexcept { return P; }
};

/// Data of at most this many bytes is copied before a call returns, by every protocol.
inline constexpr std::size_t copied_bytes_max = 512;

struct element_type;

/// An access to be carried out, and how far it has progressed.
struct transfer {
  action what{};        ///< Kind of the access.
  std::uint8_t op = 0;  ///< Operation of an accumulate or fetch.
  /// Offset in the target's memory, in bytes; an address in a dynamic window.
  std::uint64_t at = 0;
  std::size_t bytes = 0;  ///< Length of the data.
  /// Source of a put, accumulate or fetch; destination of a get; comparand and new value of a swap.
  memory data{};
  memory result{};                     ///< fetch, swap: destination of the previous value.
  const element_type* type = nullptr;  ///< Elements that are combined or swapped.
  std::size_t begun = 0;               ///< Bytes that the protocol has sent or requested so far.
  void* waiter = nullptr;   ///< The rma_reply_request that the reply completes; nullptr: none.
  std::uint64_t token = 0;  ///< Identifies replies to this access. Set by the protocol.
  const run_list* runs =
      nullptr;  ///< Layout at the target from `at` on; nullptr: contiguous. Not owned.
  std::size_t run_number = 0;  ///< Index of the run that contains the byte `begun`,
  std::size_t run_begun = 0;   ///< and the offset of that byte within the run.

  /// Ends the use of the memory of its data and its result.
  void drop() noexcept {
    if (data.how != nullptr) data.how->drop();
    if (result.how != nullptr) result.how->drop();
    data.how = result.how = nullptr;
  }
  /// Returns the offset in the target's memory of the byte `begun`.
  /// Requires:   the transfer is not complete.
  [[nodiscard]] std::uint64_t place() const noexcept {
    if (runs == nullptr) return at + begun;
    return at + static_cast<std::uint64_t>((*runs)[run_number].at) + run_begun;
  }
  /// Returns the number of contiguous bytes from there on. `all`: length of the whole transfer.
  [[nodiscard]] std::size_t left_there(std::size_t all) const noexcept {
    return runs == nullptr ? all - begun
                           : static_cast<std::size_t>((*runs)[run_number].bytes) - run_begun;
  }
  /// Counts `n` more bytes as begun.
  /// Requires:   n <= left_there().
  void advance(std::size_t n) noexcept {
    begun += n;
    if (runs == nullptr) return;
    run_begun += n;
    if (run_begun < (*runs)[run_number].bytes) return;
    ++run_number;
    run_begun = 0;
  }
};

/// Moves the data of one-sided accesses between this rank and a target of its window.
///
/// `Target` is the origin's state for one target. All calls are made under the endpoint's lock and
/// do not block. A call that returns false is repeated after progress, with the same `x`.
/// - `takes(t, x)`: true if `start` can carry `x` out.
/// - `start(t, x)`: begins `x`, or queues it. Called once the target may be accessed, and earlier
///   if the protocol `queues`. Memory of `x.data` that is kept without a copy must stay valid until
///   `settled`.
/// - `push(t)`: sends what is queued. Called only while the target may be accessed.
/// - `settled(t)`: true if local buffers given to `start` are free for reuse, results of gets,
///   fetches and swaps have arrived, and **every packet that this rank sends to the target from now
///   on is handled after the effects of all started accesses**. An unlock, a completion or a count
///   may then follow. No other order is assumed.
/// - `placed(t)`: true if those effects have happened once `settled(t)` is true, without help of
///   the target.
/// - `lost(t)`: the target has failed or left. Discards what is queued.
///
/// Accesses started for one target take effect in any order, except that accumulates, fetches and
/// swaps take effect in the order of `start`. Each element is updated atomically with regard to
/// those of all protocols.
template <class P, class Target>
concept OneSidedProtocol = requires(P& p, Target& t, transfer& x) {
  { P::name } -> std::convertible_to<std::string_view>;
  { P::is } -> std::convertible_to<protocol>;
  { P::queues } -> std::convertible_to<bool>;
  { p.takes(t, x) } noexcept -> std::same_as<bool>;
  { p.start(t, x) } noexcept -> std::same_as<bool>;
  { p.push(t) } noexcept -> std::same_as<bool>;
  { p.settled(t) } noexcept -> std::same_as<bool>;
  { p.placed(t) } noexcept -> std::same_as<bool>;
  { p.lost(t) } noexcept;
};

/// Archetype of OneSidedProtocol: models it for every target type, and nothing else.
struct protocol_archetype {
  static constexpr std::string_view name = "archetype";
  static constexpr protocol is = protocol::buffered;
  static constexpr bool queues = true;
  protocol_archetype() = delete;
  template <class Target>
  bool takes(Target&, const transfer&) noexcept;
  template <class Target>
  bool start(Target&, transfer&) noexcept;
  template <class Target>
  bool push(Target&) noexcept;
  template <class Target>
  bool settled(Target&) noexcept;
  template <class Target>
  bool placed(Target&) noexcept;
  template <class Target>
  void lost(Target&) noexcept;
};

}  // namespace mpx::inline v0::rma
