// SPDX-License-Identifier: BSL-1.0
#pragma once
// Flow control: bounds the unexpected memory that a sender may fill at a receiver. A sender without
// credit announces its messages instead of sending them eagerly, so that the receiver's memory
// holds under a flood.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

struct flow_axis {};

/// Accounts the bytes of eager messages between this process and each peer.
///
/// - `try_acquire(peer, bytes)`: true if an eager message of `bytes` may be sent now; takes its
///   credit.
/// - `restore(peer, bytes)`: returns the credit of a message whose packet was not posted.
/// - `release(peer, bytes)`: an eager message of `peer` has left this process's memory. Returns
///   true if the peer should be notified soon.
/// - `outgoing(peer)`: the count for the next header to the peer; it is taken as advertised.
/// - `incoming(peer, count)`: takes the count of a header from the peer. Returns false if it is
///   impossible.
/// - `window_bytes()`: unexpected memory that one peer can fill here. `bytes_bound()`: that of all
///   peers together.
/// - `F::announced_max`: messages that all peers together may announce at once. More are admitted
///   as receives ask for them.
/// - `F::layout`: differs between builds that account differently.
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

/// A flow control whose peers can be added and dropped.
///
/// - `try_add(peer)`: adds a peer, with the number of a dropped peer or the next one. Returns false
///   if memory is exhausted.
/// - `granted_bytes(peer)`: unexpected memory that an added peer can fill here, taken from the rest
///   of the budget. If it is 0, the peer announces all its messages. The two sides exchange their
///   grants when they connect.
/// - `open(peer, bytes)`: sets the grant received from the peer. No message is sent eagerly before.
/// - `drop(peer)`: returns the grant to the budget. Requires: no message of the peer is held any
///   more.
///
/// `bytes_bound()` is the sum of all grants.
template <class F>
concept ElasticFlowControl =
    FlowControl<F> && requires(F& f, const F& c, peer_id peer, std::uint64_t bytes) {
      { f.try_add(peer) } noexcept -> std::same_as<bool>;
      { c.granted_bytes(peer) } noexcept -> std::same_as<std::uint64_t>;
      { f.open(peer, bytes) } noexcept;
      { f.drop(peer) } noexcept;
    };

/// A flow control with prepaid credit, so that it is not called for each message.
///
/// - `price(bytes)`: credit that `try_acquire` takes for a message, in units of the policy.
/// - `prepay(peer)`: units for future messages of any length, which count as acquired from now on;
///   0 if the window has none left.
/// - `refund(peer, units)`: returns units that were not spent.
/// - `count(peer)`: the result that `outgoing` would have. `credit_advertised(peer, count)`: a
///   header has carried it.
template <class F>
concept PrepaidFlowControl = FlowControl<F> && requires(F& f, const F& c, peer_id peer,
                                                        std::size_t bytes, std::uint32_t units) {
  { c.price(bytes) } noexcept -> std::same_as<std::uint32_t>;
  { f.prepay(peer) } noexcept -> std::same_as<std::uint32_t>;
  { f.refund(peer, units) } noexcept;
  { c.count(peer) } noexcept -> std::same_as<std::uint32_t>;
  { f.credit_advertised(peer, units) } noexcept;
};

/// Peers that a reassignment of shares concerns; any_peer: none.
struct share_change {
  peer_id update = any_peer;   ///< Send it a header: it has been granted more.
  peer_id reclaim = any_peer;  ///< Ask it to give back what it does not need of its share.
};

/// A flow control that moves memory from peers that do not use it to peers that need it.
///
/// - `demand(peer, bytes)`: a short message of `peer` was announced for lack of credit.
/// - `prefer(peer)`: the user expects many messages of `peer`, until `prefer_none()`.
/// - `share(peer)`: units that the peer may keep, for the packet that asks it.
/// - `give_back(peer, kept)`: as a sender, gives back the unused units beyond `kept`. Returns their
///   number; messages sent before have been acquired, so they are no part of it.
/// - `returned(peer, units, next)`: the answer of a peer that was asked. Returns false if it is
///   impossible. Stores in `next` the peer if its share became smaller after it was asked.
/// - `lost(peer, held_bytes)`: nothing more will come from the peer, of which `held_bytes` are in
///   memory.
///
/// `window_bytes()` is the largest share. `granted_bytes(peer)` is the part of the budget that the
/// peer may fill now; `bytes_bound()` is the whole budget.
template <class F>
concept ReassigningFlowControl =
    ElasticFlowControl<F> &&
    requires(F& f, const F& c, peer_id peer, std::size_t bytes, std::uint32_t units,
             share_change& next, std::uint64_t held_bytes) {
      { f.demand(peer, bytes) } noexcept -> std::same_as<share_change>;
      { f.prefer(peer) } noexcept -> std::same_as<share_change>;
      { f.prefer_none() } noexcept;
      { c.share(peer) } noexcept -> std::same_as<std::uint32_t>;
      { f.give_back(peer, units) } noexcept -> std::same_as<std::uint32_t>;
      { f.returned(peer, units, next) } noexcept -> std::same_as<bool>;
      { f.lost(peer, held_bytes) } noexcept;
    };

/// Archetype of the concepts above: models them, and nothing else.
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
  void credit_advertised(peer_id, std::uint32_t) noexcept;
  bool try_add(peer_id) noexcept;
  std::uint64_t granted_bytes(peer_id) const noexcept;
  void open(peer_id, std::uint64_t) noexcept;
  void drop(peer_id) noexcept;
  share_change demand(peer_id, std::size_t) noexcept;
  share_change prefer(peer_id) noexcept;
  void prefer_none() noexcept;
  std::uint32_t share(peer_id) const noexcept;
  std::uint32_t give_back(peer_id, std::uint32_t) noexcept;
  bool returned(peer_id, std::uint32_t, share_change&) noexcept;
  void lost(peer_id, std::uint64_t) noexcept;
};

/// Returns the memory that an unexpected eager message of `bytes` takes at its receiver, in bytes:
/// the message and its record, rounded up to the allocated size. Both sides compute the same value.
[[nodiscard]] constexpr std::size_t unexpected_cost(std::size_t bytes) noexcept {
  constexpr std::size_t record_bytes = 112;
  constexpr std::size_t step = 64;
  return (bytes + record_bytes + step - 1) / step * step;
}

}  // namespace mpx::inline v0
