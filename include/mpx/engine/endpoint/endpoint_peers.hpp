// SPDX-License-Identifier: BSL-1.0
#pragma once
// Peers that join and leave while the endpoint works. Included by endpoint.hpp.

#include "mpx/engine/endpoint/endpoint.hpp"

namespace mpx::inline v0::detail {

/// Connects to the endpoint at `address` and returns its index in `added_peer::peer`. The other
/// side does the same, before or after, with an index of its own. Messages are announced until the
/// peer's grant has arrived, and sent eagerly afterwards.
/// Errors: errc::argument if there is no such address; errc::peer_lost if the peer has left;
/// errc::pending if the two were connected before and the peer has not dropped that connection: try
/// again; errc::no_resources.
template <class Stack>
auto endpoint<Stack>::add_peer(std::string_view address) -> added_peer
    requires ElasticTransport<transport_type>
{
  static_assert(ElasticFlowControl<typename Stack::flow_type>);
  lock_guard lock(threading());
  added_peer a;
  a.failure = peers().add(a.peer);
  if (a.failure != errc{}) return a;
  a.failure = flow().try_add(a.peer) ? errc{} : errc::no_resources;
  if (a.failure == errc{}) {
    a.failure = transport().add_peer(a.peer, address);
    if (a.failure != errc{}) flow().drop(a.peer);
  }
  if (a.failure != errc{}) {
    peers().remove(a.peer);
    return a;
  }
  const std::uint64_t grant = flow().granted_bytes(a.peer);
  outbox().answer(a.peer,
                  {.kind = wire::kind::grant, .tag = tag_of(grant), .context = context_of(grant)});
  return a;
}

/// Disconnects from `peer`. Operations that depend on it end with errc::peer_lost, its unexpected
/// messages are discarded, and its index may be given to another peer. Receives from any source
/// continue. Does not wait: both sides have to agree first that no message is under way.
/// Errors: errc::rank if there is no such peer, or it is this rank itself; errc::request if a
/// matched probe holds a message of the peer: receive it first.
template <class Stack>
errc endpoint<Stack>::drop_peer(peer_id peer) requires ElasticTransport<transport_type>
{
  lock_guard lock(threading());
  if (peer == self() || !peers().can_remove(peer)) return errc::rank;
  pace().poll_until_quiet();
  for (const arrived_message& m : inbox().probed())
    if (m.is.source == peer) return errc::request;
  inbox().post_direct_if_any();
  end_all_of(peers().find(peer), peer, errc::peer_lost, false);
  transport().drop_peer(peer);
  if constexpr (ends_exposures) end_exposures_to(peer);
  pace().poll_packets_outlined();  // Ends operations that were pending with it.
  inbox().forget_unexpected(peer);
  flow().drop(peer);
  peers().remove(peer);
  tell_loss(peer);
  return errc{};
}

template <class Stack>
errc endpoint<Stack>::on_grant([[maybe_unused]] peer_record& r,
                               [[maybe_unused]] std::uint64_t bytes) noexcept {
  if constexpr (ElasticTransport<transport_type> && ElasticFlowControl<typename Stack::flow_type>) {
    if (!peers().welcome(r)) return errc::protocol;
    flow().open(r.peer, bytes);
    return errc{};
  }
  return errc::protocol;
}

}  // namespace mpx::inline v0::detail
