// SPDX-License-Identifier: BSL-1.0
#pragma once
// Neighbour collectives in a block of shared memory: each rank publishes the blocks for its
// destinations, and waits for its sources only.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "mpx/coll/neighbor/neighbor.hpp"
#include "mpx/coll/node/block_call.hpp"
#include "mpx/coll/node/short_calls.hpp"

namespace mpx::inline v0::coll {

/// Entry of the table that begins what a rank publishes. The first entry is a header: `bytes` is
/// the number of edges, `to` the offset at which the payload begins. One entry for each edge
/// follows, then the payload of each edge in the same order.
struct edge_entry {
  rank_t to = 0;
  std::uint32_t bytes = 0;
};
/// Offset of the payload. Long payloads begin at a cache line, from which they are copied faster.
constexpr std::size_t head_of(std::size_t edges, std::size_t bytes) noexcept {
  const std::size_t listed = sizeof(edge_entry) * (edges + 1);
  if (bytes <= node_near_bytes) return listed;
  return (listed + cache_line_bytes - 1) / cache_line_bytes * cache_line_bytes;
}

/// Returns the k-th block for rank `to` in what a rank has published. Returns no memory if there
/// are fewer, or if the table leads outside of `published`.
inline memory find_edge(const memory& published, rank_t to, std::uint32_t k) noexcept {
  edge_entry edge;
  if (published.bytes < sizeof edge || published.bytes > node_piece_bytes) return {};
  std::memcpy(&edge, published.base, sizeof edge);
  const std::uint32_t edges = edge.bytes;
  auto at = static_cast<std::size_t>(edge.to);
  if (edges >= published.bytes / sizeof edge) return {};
  for (std::uint32_t i = 1; i <= edges; ++i) {
    std::memcpy(&edge, published.base + sizeof edge * i, sizeof edge);
    if (at > published.bytes || edge.bytes > published.bytes - at) return {};
    if (edge.to == to && k-- == 0) return {published.base + at, edge.bytes};
    at += edge.bytes;
  }
  return {};
}

/// Size and readers of what a rank publishes to its neighbours.
struct edge_table {
  static constexpr std::size_t bytes_max = 32768;

  template <class Call>
  explicit edge_table(const Call& call) noexcept {
    each_sent(*call.around, call.out, [&](const memory& block, rank_t to) {
      ++edges;
      bytes += block.bytes;
      readers |= std::uint64_t{1} << to;
    });
  }
  std::size_t head() const noexcept { return head_of(edges, bytes); }
  std::size_t room() const noexcept { return head() + bytes; }
  bool fits(std::size_t most) const noexcept { return bytes <= most && head() <= most; }

  /// Writes the table and the blocks.
  template <class Call>
  void write(const Call& call, std::byte* to) const noexcept {
    std::byte* edge_at = to;
    std::byte* at = to + head();
    const auto list = [&](const edge_entry& edge) {
      std::memcpy(edge_at, &edge, sizeof edge);
      edge_at += sizeof edge;
    };
    list({static_cast<rank_t>(head()), edges});
    each_sent(*call.around, call.out, [&](const memory& block, rank_t r) {
      list({r, static_cast<std::uint32_t>(block.bytes)});
      block.read(0, {at, block.bytes});
      at += block.bytes;
    });
  }

  std::uint32_t edges = 0;
  std::size_t bytes = 0;
  std::uint64_t readers = 0;
};

/// Counts the blocks that a rank has taken from each of its sources.
class taken_edges {
 public:
  /// Number of the next block of rank r.
  std::uint32_t next(rank_t r) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << r;
    if ((counted_ & bit) == 0) of_[r] = 0;
    counted_ |= bit;
    return of_[r]++;
  }
  static std::uint64_t sources(const mpx::detail::neighborhood& around) noexcept {
    std::uint64_t all = 0;
    for (const rank_t r : around.sources)
      if (r != proc_null) all |= std::uint64_t{1} << r;
    return all;
  }

 private:
  std::uint64_t counted_ = 0;
  std::uint32_t of_[node_ranks_max];  // Valid for ranks in `counted_`.
};

/// A rank that has more than bytes_max to give sends messages instead, and announces that.
template <class Stack, neighbor_operation Operation>
void run_in_block(block_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
                  const neighbor_call<Operation>& call) {
  const edge_table edges(call);
  const bool shows = edges.fits(edge_table::bytes_max);
  if (shows) {
    node.publish_selective(
        edges.room(), [&](std::byte* to) { edges.write(call, to); }, edges.readers);
  } else {
    node.announce_messages(edges.readers);
    each_sent(*call.around, call.out,
              [&](const memory& block, rank_t to) { c.start_send(block, to); });
  }
  node.wait_for_all_if_oversubscribed(0, taken_edges::sources(*call.around));
  bool waits = !shows;
  taken_edges taken;
  each_received(*call.around, call.in, [&](const memory& block, rank_t from) {
    const memory published = node.consume_selective(from);
    if (c.failed()) return;
    if (published.bytes == 0) {
      waits = true;
      c.start_receive(block, from);
      return;
    }
    const memory theirs = find_edge(published, c.rank(), taken.next(from));
    if (theirs.bytes != block.bytes)
      return static_cast<void>(node.wrong_length(from, block.bytes, theirs.bytes));
    block.write(0, theirs.piece(0, theirs.bytes));
    node.claim_lines(theirs);
  });
  if (waits) c.finish();
}

/// For short blocks, which have one length for all destinations and one for all sources.
template <class Stack, neighbor_operation Operation>
[[MPX_ALWAYS_INLINE]] inline bool make_short(block_call<Stack>& node,
                                             const neighbor_call<Operation>& call) noexcept {
  const mpx::detail::neighborhood& around = *call.around;
  neighbor_blocks::even_blocks out;
  neighbor_blocks::even_blocks in;
  if (!call.out.even(out) || !call.in.even(in)) return false;
  const std::size_t edges = around.destinations.size();
  const std::size_t all = edges * out.bytes;
  const std::size_t head = head_of(edges, all);
  if (all > short_bytes_max || head > short_bytes_max) return false;
  node.begin_short();
  std::uint64_t readers = 0;
  const auto write = [&](std::byte* to) __attribute__((always_inline)) {
    std::byte* at = to + head;
    const auto list = [&](const edge_entry& edge) {
      std::memcpy(to, &edge, sizeof edge);
      to += sizeof edge;
    };
    list({static_cast<rank_t>(head), static_cast<std::uint32_t>(edges)});
    const std::byte* block = out.base;
    for (const rank_t r : around.destinations) {
      const bool goes = r != proc_null;
      const std::size_t bytes = goes ? out.bytes : 0;
      list({r, static_cast<std::uint32_t>(bytes)});
      node.copy_for_readers(at, block, bytes);
      if (goes) readers |= std::uint64_t{1} << r;
      at += bytes;
      block += out.apart;
    }
  };
  if (!node.publish_selective(head + all, write, readers)) return true;
  if (!around.sources.empty()) node.prefetch_next(head + all);
  if (node.oversubscribed() &&
      !node.wait_for_all_if_oversubscribed(0, taken_edges::sources(around)))
    return true;
  taken_edges taken;
  for (std::size_t i = 0; i < around.sources.size(); ++i) {
    const std::size_t k = around.receive(i);
    const rank_t from = around.sources[k];
    if (from == proc_null) continue;
    std::byte* const into = in.base + k * in.apart;
    const memory published = node.consume_selective(from);
    if (published.base == nullptr) return true;
    if (published.bytes == 0) {
      if (!node.receive({into, in.bytes}, from)) return true;
      continue;
    }
    const memory theirs = find_edge(published, node.rank(), taken.next(from));
    if (theirs.bytes != in.bytes) {
      node.wrong_length(from, in.bytes, theirs.bytes);
      return true;
    }
    node.copy(into, theirs.base, in.bytes);
    node.claim_lines(theirs);
  }
  return true;
}

}  // namespace mpx::inline v0::coll
