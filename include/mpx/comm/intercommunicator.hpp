// SPDX-License-Identifier: BSL-1.0
#pragma once
// How two groups meet: their leaders tell each other who is in them, and which context is theirs.

#include <span>
#include <vector>

#include "mpx/comm/detail/create.hpp"
#include "mpx/comm/detail/own_messages.hpp"

namespace mpx::inline v0::detail {

/// What leaders tell each other, and their groups.
struct between_header {
  int why = 0;  // An errc.
  rank_t size = 0;
  context_id context = no_context;
};

/// The leader's part, over `peer`, of which the other leader is rank `to`. `theirs`: the peers of
/// the other group. Of both leaders, the lower peer takes the context.
template <class Stack>
between_header meet(const point_to_point<Stack>& peer, const group& mine, rank_t to, tag_t tag,
                    std::vector<peer_id>& theirs) {
  between_header out;
  between_header in;
  const auto failed = [](errc why) { return between_header{static_cast<int>(why)}; };
  if (to < 0 || to >= peer.size()) return failed(errc::rank);
  if (tag < 0) return failed(errc::tag);
  const communicator_access<Stack> a(peer, {});
  const own_messages<Stack> own(peer);
  const bool leads = a.at().self() < a.peer_of(to);
  out.size = mine.size();
  errc none{};
  if (leads) out.context = a.at().with_communicators([&](auto& all) { return all.lead(none); });
  out.why = static_cast<int>(none);
  std::vector<peer_id> members;
  for (rank_t r = 0; r < mine.size(); ++r) members.push_back(mine.peer_of(r));
  errc why = errc{};
  // One sends first: what is long does not cross.
  const auto swap = [&](std::span<const std::byte> data, std::span<std::byte> into) {
    if (why == errc{}) why = leads ? own.send(data, to, tag) : own.receive(into, to, tag);
    if (why == errc{}) why = leads ? own.receive(into, to, tag) : own.send(data, to, tag);
  };
  swap(std::as_bytes(std::span(&out, 1)), std::as_writable_bytes(std::span(&in, 1)));
  if (why == errc{} && (out.why | in.why) != 0)
    why = static_cast<errc>(out.why != 0 ? out.why : in.why);
  if (why == errc{}) theirs.resize(static_cast<std::size_t>(in.size));
  swap(std::as_bytes(std::span(members)), std::as_writable_bytes(std::span(theirs)));
  for (const peer_id p : theirs)
    if (why == errc{} && mine.contains(p)) why = errc::argument;
  if (why == errc{}) return {0, in.size, leads ? out.context : in.context};
  if (why == errc::argument && leads)  // The other group knows it, too, and makes nothing.
    a.at().with_communicators([&](auto& all) { all.abandon(out.context); });
  return failed(why);
}

}  // namespace mpx::inline v0::detail
