// SPDX-License-Identifier: BSL-1.0
#pragma once
// Access of windows and tables of portals to the endpoint: packets, the transport's put and get,
// failed peers, and shared memory blocks. Functions named _locked require the endpoint's lock.

#include <mutex>
#include <span>

#include "mpx/core/numbers.hpp"
#include "mpx/engine/endpoint/endpoint.hpp"
#include "mpx/engine/endpoint/endpoint_blocks.hpp"

namespace mpx::inline v0::detail {

template <class Stack>
struct one_sided {
  using endpoint_type = endpoint<Stack>;
  using transport_type = typename Stack::transport_type;
  using protocol_type = typename Stack::protocol_type;
  using blocks = shared_blocks<Stack>;
  static constexpr bool has_blocks = SharedMemoryTransport<transport_type>;
  static constexpr bool has_rdma = RmaTransport<transport_type>;
  static constexpr bool has_atomics = AtomicTransport<transport_type>;
  static constexpr bool shares_addresses = peers_share_addresses<transport_type>;

  /// True if a get or put with that peer is complete when the transport's call returns.
  static bool moves_at_once([[maybe_unused]] endpoint_type& e,
                            [[maybe_unused]] peer_id peer) noexcept {
    if constexpr (NearFarTransport<transport_type>) return e.transport().is_near(peer);
    return has_blocks || CpuCopyTransport<transport_type>;
  }

  static auto lock(endpoint_type& e) { return std::unique_lock(e.threading()); }
  static exposed_windows& windows_locked(endpoint_type& e) noexcept { return e.windows_; }

  /// Returns the maximum length of a packet to `peer`: that of an eager message.
  static std::size_t packet_bytes(endpoint_type& e, [[maybe_unused]] peer_id peer) noexcept {
    constexpr std::size_t least = 512;
    if constexpr (NearFarTransport<transport_type>) {
      if (!e.transport().is_near(peer))
        return lesser(transport_type::far_traits.packet_bytes_max,
                      greater(least, far_part_t<protocol_type>::short_bytes_ceiling));
      return lesser(e.transport().packet_bytes_max(peer),
                    greater(least, protocol_type::short_bytes_ceiling));
    }
    return lesser(transport_type::traits.packet_bytes_max,
                  greater(least, protocol_type::short_bytes_ceiling));
  }
  /// Number of packets to `peer` that wait for room in the transport.
  static std::uint32_t waiting_locked(endpoint_type& e, peer_id peer) noexcept {
    return e.outbox().controls_waiting(peer);
  }
  /// Sends or queues a packet. Does not block.
  /// Returns:    false if the peer is lost.
  static bool send_locked(endpoint_type& e, peer_id to, context_id window,
                          std::span<const std::byte> records) noexcept {
    return e.outbox().send_control_long(to, {.kind = wire::kind::one_sided, .context = window},
                                        records);
  }
  static errc failure_locked(endpoint_type& e, peer_id peer) noexcept {
    return e.peers().failure_of(peer);
  }
  /// True if `peer` has failed or left, whether or not that has been noticed.
  static bool gone_locked(endpoint_type& e, peer_id peer) noexcept {
    return failure_locked(e, peer) != errc{} || e.peers().loss_of(peer) != errc{};
  }
  /// True if no peer is known to have failed and the job reports nothing new.
  /// Cost:       two loads.
  [[gnu::always_inline]] static bool fast_path_allowed(endpoint_type& e) noexcept {
    return e.peers().fast_path_allowed();
  }
  /// True if no rank is known to have failed, and the job reports nothing new.
  static bool none_lost(endpoint_type& e) noexcept {
    return e.peers().losses() == 0 && !e.peers().failure_epoch_changed();
  }
  /// Revokes that communicator at this rank only: its operations here end with errc::revoked.
  static void revoke_locked(endpoint_type& e, communicator_state& s) noexcept {
    e.communicators_.revoke_here(s);
  }
  /// Checks the job for ranks that have failed or left.
  static void check_locked(endpoint_type& e) noexcept { e.peers().check(); }

  /// Takes an operation that counts the completion of one get or put and then notifies `w`.
  /// Returns:    nullptr if none is left.
  static operation* take_locked(endpoint_type& e, peer_id peer, completion_watcher& w) noexcept {
    operation* const op = e.pool().take();
    if (op == nullptr) return nullptr;
    op->begin(role::control, stage::closing, 0);
    op->holder = holder::watcher;
    op->watcher = &w;
    op->peer = peer;
    op->data = {};
    op->owned_by_attached = false;
    op->ranks = nullptr;
    op->copying = true;
    op->pending = 1;
    return op;
  }
  static cookie_t cookie(const operation& op) noexcept { return cookie_of(op, cookie_kind::copy); }
  /// Gives the operation back: it is complete, or the transport has refused it.
  static void give_locked(endpoint_type& e, operation& op) noexcept {
    op.pending = 0;
    op.copying = false;
    op.stage = stage::complete;
    e.give(op);
  }
  static void wake_locked(endpoint_type& e, [[maybe_unused]] peer_id peer) noexcept {
    if constexpr (has_blocks) e.transport().wake_peer(peer);
  }
  /// Makes blocked threads of this rank check their conditions again.
  static void noticed_locked(endpoint_type& e) noexcept {
    e.pace().completed();
    if constexpr (endpoint_type::concurrent) e.pace().wake_waiters();
  }

  /// See progress_component::wait_for_flag.
  static bool wait_for_flag(endpoint_type& e, call_site site, awaited on, const flag_watch& w) {
    return e.cold_.wait_for_flag(e, site, on, w);
  }

  /// Completes a request's operation with `why`.
  static void end_locked(endpoint_type& e, operation& op, errc why) noexcept {
    compounds<Stack>::fail_locked(e, op, why);
  }
};

}  // namespace mpx::inline v0::detail
