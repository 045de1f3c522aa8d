// SPDX-License-Identifier: BSL-1.0
#pragma once
// Collectives among neighbours that meet in shared memory: each shows what goes along its edges,
// and waits for nobody but those from whom it gets something.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "mpx/coll/neighbor.hpp"
#include "mpx/coll/node.hpp"

namespace mpx::inline v0::coll {

/// An edge of what a rank shows: first their number, as the `bytes` of one; then all of them; then
/// what goes along each.
struct shown_edge {
  rank_t to = 0;
  std::uint32_t bytes = 0;
};

/// The k-th block that goes to `to` of what a rank shows. Nothing, if there are not so many.
inline memory find_edge(const memory& shown, rank_t to, std::uint32_t k) noexcept {
  shown_edge edge;
  std::memcpy(&edge, shown.base, sizeof edge);
  const std::uint32_t edges = edge.bytes;
  std::size_t at = sizeof edge * (std::size_t{edges} + 1);
  for (std::uint32_t i = 1; i <= edges; ++i) {
    std::memcpy(&edge, shown.base + sizeof edge * i, sizeof edge);
    if (edge.to == to && k-- == 0) return {shown.base + at, edge.bytes};
    at += edge.bytes;
  }
  return {};
}

template <class Call>
struct spread_call;  // See mpx/coll/layouts.hpp.

/// Nothing is read where it lies: no question of these calls is answered so.
template <class Stack, neighbor_operation Operation>
void meet_direct(node_call<Stack>&, mpx::detail::collective_channel<Stack>&,
                 const neighbor_call<Operation>&) {}
template <class Stack, neighbor_operation Operation>
void meet_direct(node_call<Stack>&, mpx::detail::collective_channel<Stack>&,
                 const spread_call<neighbor_call<Operation>>&) {}

/// Whoever has much to give sends messages instead, and shows that.
template <class Stack, neighbor_operation Operation>
void meet(node_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
          const neighbor_call<Operation>& call) {
  constexpr std::size_t shown_max = 32768;
  const auto bit = [](rank_t r) { return std::uint64_t{1} << r; };
  std::uint32_t edges = 0;
  std::size_t bytes = 0;
  std::uint64_t readers = 0;
  each_sent(*call.around, call.out, [&](const memory& block, rank_t to) {
    ++edges;
    bytes += block.bytes;
    readers |= bit(to);
  });
  const std::size_t head = sizeof(shown_edge) * (std::size_t{edges} + 1);
  const bool shows = bytes <= shown_max && head <= shown_max;
  const memory room = node.make_part(shows ? head + bytes : 0, 0);
  if (room.base == nullptr) return;
  if (shows) {
    std::byte* edge_at = room.base;
    std::byte* at = room.base + head;
    const auto list = [&](const shown_edge& edge) {
      std::memcpy(edge_at, &edge, sizeof edge);
      edge_at += sizeof edge;
    };
    list({0, edges});
    each_sent(*call.around, call.out, [&](const memory& block, rank_t to) {
      list({to, static_cast<std::uint32_t>(block.bytes)});
      block.read(0, {at, block.bytes});
      at += block.bytes;
    });
  }
  node.show_edges(room.bytes, readers);
  if (!shows)
    each_sent(*call.around, call.out,
              [&](const memory& block, rank_t to) { c.start_send(block, to); });
  if (node.crowded()) {
    std::uint64_t sources = 0;
    each_received(*call.around, call.in, [&](const memory&, rank_t from) { sources |= bit(from); });
    node.see_all(0, sources);
  }
  bool waits = !shows;
  std::uint32_t taken[node_ranks_max] = {};
  each_received(*call.around, call.in, [&](const memory& block, rank_t from) {
    const memory shown = node.see_edges(from);
    if (c.failed()) return;
    if (shown.bytes == 0) {
      waits = true;
      c.start_receive(block, from);
      return;
    }
    const memory theirs = find_edge(shown, c.rank(), taken[from]++);
    if (theirs.bytes == block.bytes)
      block.write(0, theirs.piece(0, theirs.bytes));
    else
      node.wrong_length(from, block.bytes, theirs.bytes);
  });
  if (waits) c.finish();
}

}  // namespace mpx::inline v0::coll
