// SPDX-License-Identifier: BSL-1.0
#pragma once
// What a one-sided protocol must do, as a concept, and how one is chosen for each access. Included
// beside mpx.hpp with mpx/rma.hpp.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mpx/core/error.hpp"
#include "mpx/datatype/memory.hpp"
#include "mpx/rma/runs.hpp"

namespace mpx::inline v0::rma {

/// How data gets from an origin to a target's memory, or back.
enum class protocol : std::uint8_t {
  automatic,  ///< What the window's policy says.
  direct,     ///< Loads, stores and atomic instructions in memory that both reach.
  rdma,       ///< The transport's put and get; accumulates are the target's service's.
  buffered,   ///< Records that are collected into packets, and carried out by the target's service.
  send_recv,  ///< The same, one packet each, once the epoch or a flush asks for it.
};

/// When the owner of a window's memory sees what others did there, and they what it stores.
enum class memory_model : std::uint8_t {
  separate,  ///< After a call of synchronisation, or any call of its that makes progress.
  unified,   ///< At once, as of memory that threads share.
};

/// What an access does.
enum class action : std::uint8_t {
  put,         ///< Stores.
  get,         ///< Loads.
  accumulate,  ///< Combines.
  fetch,       ///< Combines, and brings back what was there.
  swap,        ///< Compares, and exchanges where it is equal.
};

/// An access, as a policy sees it.
struct access {
  action what;         ///< Put or get.
  std::size_t bytes;   ///< Of data.
  bool direct;         ///< The target's memory is mapped here.
  bool rdma;           ///< The transport reaches it.
  std::size_t packet;  ///< What a packet to the target takes.
};

/// Chooses a protocol for each put and get; a pure function. What cannot be had is replaced: rdma
/// by buffered, direct by rdma. Accumulates of a window to one target all go one way, whatever a
/// policy says of them, or their order would be lost: see window.
template <class P>
concept ProtocolPolicy = requires(const access& a) {
  { P::choose(a) } noexcept -> std::same_as<protocol>;
};

/// The default: memory that both reach is read and written; long data is moved by the transport
/// where it can; all else is collected.
struct by_reach {
  /// See ProtocolPolicy.
  static constexpr protocol choose(const access& a) noexcept {
    if (a.direct) return protocol::direct;
    return a.rdma && a.bytes > a.packet / 4 ? protocol::rdma : protocol::buffered;
  }
};
/// One for all accesses.
template <protocol P>
struct always {
  /// See ProtocolPolicy.
  static constexpr protocol choose(const access&) noexcept { return P; }
};

/// Data of up to so many bytes is copied by all protocols before a call returns.
inline constexpr std::size_t copied_bytes_max = 512;

/// An access that is to be carried out.
struct transfer {
  action what{};          ///< What it does.
  std::uint8_t op = 0;    ///< What an accumulate or fetch combines with.
  std::uint64_t at = 0;   ///< In the target's memory, in bytes; an address where it is dynamic.
  std::size_t bytes = 0;  ///< Of data.
  memory data{};          ///< Put, accumulate, fetch: what. Get: whereto. Swap: compare, value.
  std::byte* result = nullptr;  ///< Fetch, swap: whereto.
  std::size_t begun = 0;        ///< A protocol's: how much of it has left.
  void* waiter = nullptr;       ///< Whom a reply completes.
  std::uint64_t token = 0;      ///< A protocol's: what replies to it name.
  const run_list* runs =
      nullptr;                 ///< Where it lies from `at` on; nullptr: in one piece. Not owned.
  std::size_t run_number = 0;  ///< In which of them `begun` lies,
  std::size_t run_begun = 0;   ///< and how far.

  /// Where the byte `begun` lies there, and how many lie behind it in one piece. `all`: of the
  /// whole transfer. Requires: it is not done.
  std::uint64_t place() const noexcept {
    if (runs == nullptr) return at + begun;
    return at + static_cast<std::uint64_t>((*runs)[run_number].at) + run_begun;
  }
  std::size_t left_there(std::size_t all) const noexcept {  ///< See place.
    return runs == nullptr ? all - begun
                           : static_cast<std::size_t>((*runs)[run_number].bytes) - run_begun;
  }
  /// So many more have left. Requires: n <= left_there().
  void advance(std::size_t n) noexcept {
    begun += n;
    if (runs == nullptr) return;
    run_begun += n;
    if (run_begun < (*runs)[run_number].bytes) return;
    ++run_number;
    run_begun = 0;
  }
};

/// What moves the data of one-sided accesses between this rank and a target of its window.
///
/// `Target` is what an origin keeps of a target. Calls are made under the endpoint's lock, and wait
/// for nothing; what returns false is called again after progress, with the same `x`.
/// `takes(t, x)`: whether `start` can carry `x` out. `start(t, x)` begins it, or keeps it for
/// later; it is called when the target may be accessed, and before that if the protocol `queues`.
/// What it keeps of `x.data` without copying has to stay until `settled`. `push(t)`: what was kept
/// leaves; called only when the target may be accessed. `settled(t)`: memory here that was given to
/// `start` is the program's again, results of gets, fetches and swaps are there, and **whatever
/// this rank sends to the target from now on is handled after the effects of all that was
/// started**: so that an unlock, a completion or a count can follow. That is the only order that is
/// assumed of anything. `placed(t)`: those effects have happened when `settled` says true, without
/// the target's help. `lost(t)`: the target is gone: what was kept is thrown away.
/// Accesses that a protocol has started for one target have their effects in any order, but for
/// accumulates, fetches and swaps, whose order is that of `start`, each element atomically with
/// regard to those of all protocols.
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

/// Grants OneSidedProtocol for targets of any kind, and nothing more.
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
