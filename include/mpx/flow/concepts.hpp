// SPDX-License-Identifier: BSL-1.0
#pragma once
// Flow control: how much unexpected memory a sender may fill at a receiver. Past its share a sender
// announces its messages instead of sending them, so that the receiver's memory holds under a
// flood.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

struct flow_axis {};

/// Accounts the bytes of eager messages between this process and each peer.
///
/// `try_acquire(peer, bytes)`: may an eager message of `bytes` go now? It may refuse. `restore`
/// undoes an acquire whose packet was not posted. `release(peer, bytes)`: an eager message of that
/// size has left this process's memory; returns true when the peer should be told soon.
/// `outgoing(peer)` is the count that the next header to the peer carries, and counts as told;
/// `incoming(peer, count)` takes the peer's count and returns false if it cannot be true.
/// `window_bytes()` is the unexpected memory that one peer can fill here, `bytes_bound()` what all
/// together can. `F::announced_max`: messages that all peers together may announce at once; more
/// are let in as receives ask for them. `F::layout` differs when two builds would account
/// differently.
template <class F>
concept FlowControl =
    requires(F& f, const F& c, peer_id peer, std::size_t bytes, std::uint32_t count) {
      requires std::same_as<typename F::policy_axis, flow_axis>;
      requires std::constructible_from<F, peer_id>;
      { F::name } -> std::convertible_to<std::string_view>;
      { F::layout } -> std::convertible_to<std::uint64_t>;
      { F::announced_max } -> std::convertible_to<std::uint32_t>;
      { f.try_acquire(peer, bytes) } noexcept -> std::same_as<bool>;
      { f.restore(peer, bytes) } noexcept;
      { f.release(peer, bytes) } noexcept -> std::same_as<bool>;
      { f.outgoing(peer) } noexcept -> std::same_as<std::uint32_t>;
      { f.incoming(peer, count) } noexcept -> std::same_as<bool>;
      { c.window_bytes() } noexcept -> std::same_as<std::uint64_t>;
      { c.bytes_bound() } noexcept -> std::same_as<std::uint64_t>;
    };

/// A flow control whose peers come and go.
///
/// `try_add(peer)`: a peer, of a number that was dropped or the next one; false: memory is out.
/// From then on `granted_bytes(peer)` is the unexpected memory that it can fill here, taken from
/// what the budget has left: possibly 0, and then it announces everything. The two tell each other
/// that figure when they meet. Nothing is sent eagerly before `open(peer, bytes)`, which says what
/// the peer grants. `drop(peer)` gives the grant back to the budget. Requires: nothing of the peer
/// is held any more. `bytes_bound()` is the bound of all grants that are out.
template <class F>
concept ElasticFlowControl =
    FlowControl<F> && requires(F& f, const F& c, peer_id peer, std::uint64_t bytes) {
      { f.try_add(peer) } noexcept -> std::same_as<bool>;
      { c.granted_bytes(peer) } noexcept -> std::same_as<std::uint64_t>;
      { f.open(peer, bytes) } noexcept;
      { f.drop(peer) } noexcept;
    };

/// A flow control that sells ahead, so that it is not asked for each message.
///
/// `price(bytes)`: what `try_acquire` takes for a message, in units of its own. `prepay(peer)`:
/// units for messages to come, whichever they are, that count as acquired from now on; 0 where the
/// window has none left. `refund(peer, units)`: so many of them were not spent. `count(peer)`: what
/// `outgoing` would return; `told(peer, count)`: a header has carried it.
template <class F>
concept PrepaidFlowControl = FlowControl<F> && requires(F& f, const F& c, peer_id peer,
                                                        std::size_t bytes, std::uint32_t units) {
  { c.price(bytes) } noexcept -> std::same_as<std::uint32_t>;
  { f.prepay(peer) } noexcept -> std::same_as<std::uint32_t>;
  { f.refund(peer, units) } noexcept;
  { c.count(peer) } noexcept -> std::same_as<std::uint32_t>;
  { f.told(peer, units) } noexcept;
};

/// Grants the concepts above and nothing more.
struct flow_archetype {
  using policy_axis = flow_axis;
  static constexpr std::string_view name = "archetype";
  static constexpr std::uint64_t layout = 0;
  static constexpr std::uint32_t announced_max = 1;
  explicit flow_archetype(peer_id peers);
  bool try_acquire(peer_id, std::size_t) noexcept;
  void restore(peer_id, std::size_t) noexcept;
  bool release(peer_id, std::size_t) noexcept;
  std::uint32_t outgoing(peer_id) noexcept;
  bool incoming(peer_id, std::uint32_t) noexcept;
  std::uint64_t window_bytes() const noexcept;
  std::uint64_t bytes_bound() const noexcept;
  std::uint32_t price(std::size_t) const noexcept;
  std::uint32_t prepay(peer_id) noexcept;
  void refund(peer_id, std::uint32_t) noexcept;
  std::uint32_t count(peer_id) const noexcept;
  void told(peer_id, std::uint32_t) noexcept;
  bool try_add(peer_id) noexcept;
  std::uint64_t granted_bytes(peer_id) const noexcept;
  void open(peer_id, std::uint64_t) noexcept;
  void drop(peer_id) noexcept;
};

/// What an unexpected eager message of `bytes` costs its receiver, in bytes: the message and its
/// record, rounded up to the size that is really allocated. Both sides compute it alike.
constexpr std::size_t unexpected_cost(std::size_t bytes) noexcept {
  constexpr std::size_t record_bytes = 112;
  constexpr std::size_t step = 64;
  return (bytes + record_bytes + step - 1) / step * step;
}

}  // namespace mpx::inline v0
