// SPDX-License-Identifier: BSL-1.0
#pragma once
// Peers that come while the endpoint is at work, and go. Included by endpoint.hpp.

#include "mpx/engine/endpoint.hpp"

namespace mpx::inline v0::detail {

/// From now on `added_peer::peer` is the one at `address`, which does the same, before or after,
/// with an index of its own for this one. Messages to it go at once as announcements, and eagerly
/// when it has said what it grants.
/// Errors: errc::argument: no such address; errc::peer_lost: it has left; errc::pending: the two
/// were linked before, and the other has not dropped that link: ask again; errc::no_resources.
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

/// `peer` is one no more: what still depends on it ends with errc::peer_lost, what it has sent and
/// nobody has received is thrown away, and its index may name another. Receives from any source go
/// on. Waits for nobody: agree first that all is said.
/// Errors: errc::rank: no such peer, or this rank itself; errc::request: a message of it is held by
/// a matched probe: receive it first.
template <class Stack>
errc endpoint<Stack>::drop_peer(peer_id peer) requires ElasticTransport<transport_type>
{
  lock_guard lock(threading());
  if (peer == self() || !peers().can_remove(peer)) return errc::rank;
  pace().poll_until_quiet();
  for (const arrived_message& m : inbox().claimed())
    if (m.is.source == peer) return errc::request;
  inbox().post_direct_if_any();
  end_all_of(peers().find(peer), peer, errc::peer_lost, false);
  transport().drop_peer(peer);
  if constexpr (ends_exposures) end_exposures_to(peer);
  pace().poll_packets_apart();  // Which ends what was pending with it.
  inbox().forget_early(peer);
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
