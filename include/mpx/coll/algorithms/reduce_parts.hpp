// SPDX-License-Identifier: BSL-1.0
#pragma once
// The common half of reductions of long vectors: each rank combines a part of the vector.

#include "mpx/coll/algorithms/blocks.hpp"
#include "mpx/coll/algorithms/steps.hpp"

namespace mpx::inline v0::coll {

/// Receives this rank's part of the vector from one rank after the other, and combines the parts of
/// all into `sum`. `part(r)`: the part of this rank's vector that rank r combines. This is correct
/// for any operation: parts arrive in descending rank order, beginning below this rank.
/// Requires: `sum` overlaps no other part. Cost: size - 1 rounds of one part; scratch memory of
/// three parts, or four.
template <Steps S, class Part>
void reduce_parts_pairwise(S& s, const memory& sum, const reduction& op, Part part) {
  const rank_t n = s.size();
  const rank_t me = s.rank();
  s.copy(sum, part(me));
  if (n == 1) return;
  memory coming[3];
  for (rank_t i = 0; i < 3 && i + 1 < n; ++i) coming[i] = s.scratch(sum.bytes);
  // Without commutativity: ranks me - 1 .. 0 come first, as left operands; then size - 1 .. me + 1.
  const memory above = !op.commutative && me + 2 < n ? s.scratch(sum.bytes) : memory();
  const auto combine = [&](rank_t from, const memory& theirs) {
    if (op.commutative) return static_cast<void>(s.combine(op, sum, sum, theirs));
    if (from < me) return static_cast<void>(s.combine(op, sum, theirs, sum));
    if (from == n - 1 && from != me + 1) return static_cast<void>(s.copy(above, theirs));
    if (from != n - 1) s.combine(op, above, theirs, above);
    if (from == me + 1) s.combine(op, sum, sum, from == n - 1 ? theirs : above);
  };
  s.start_receive(coming[0], around(me - 1, n));
  for (rank_t i = 1; i <= n; ++i) {  // Round i: part i arrives, part i - 1 is combined.
    if (i + 1 < n) s.start_receive_ahead(coming[i % 3], around(me - i - 1, n));
    if (i < n) s.start_send(part(around(me + i, n)), around(me + i, n));
    if (i > 1) combine(around(me - i + 1, n), coming[(i - 2) % 3]);
    s.finish();
  }
}

/// Passes the parts `part(0)`, `part(1)`, ... of a vector, of at most `most` bytes each, round a
/// ring, and combines them on the way. At the end rank r has the result of part r + 1. Within a
/// part, one segment is combined while the next one is received.
/// Requires: the operation commutes.
/// Cost: size - 1 rounds of a part for each of its segments. Source: Patarasuk, Yuan 2009.
template <Steps S, class Part>
void reduce_parts_ring(S& s, const reduction& op, std::size_t most, std::size_t segment_bytes,
                       Part part) {
  const rank_t n = s.size();
  const rank_t me = s.rank();
  if (n == 1) return;
  const rank_t left = around(me - 1, n);
  const rank_t right = around(me + 1, n);
  const std::size_t segments =
      most <= segment_bytes ? 1 : (most + segment_bytes - 1) / segment_bytes;
  const std::size_t room = most / segments + 2 * op.element_bytes;
  const memory coming[3] = {s.scratch(room), s.scratch(room), s.scratch(room)};
  if (coming[0].base == nullptr || coming[1].base == nullptr || coming[2].base == nullptr) return;
  // Piece t: segment t % segments of part first - t / segments.
  const auto piece = [&](std::size_t t, rank_t first) {
    const memory whole = part(around(first - static_cast<rank_t>(t / segments), n));
    return parts{whole, op.element_bytes, segments}[t % segments];
  };
  const std::size_t pieces = segments * static_cast<std::size_t>(n - 1);
  const auto into = [&](std::size_t t) { return slice(coming[t % 3], 0, piece(t, me - 1).bytes); };
  const auto combine = [&](std::size_t t) {
    const memory sum = piece(t, me - 1);
    s.combine(op, sum, sum, into(t));
  };
  s.start_receive(into(0), left);
  for (std::size_t t = 0; t <= pieces; ++t) {  // Piece t is sent, t is received, t - 1 is combined.
    if (t + 1 < pieces) s.start_receive_ahead(into(t + 1), left);
    if (segments == 1 && t > 0) combine(t - 1);
    if (t < pieces) s.start_send(piece(t, me), right);
    if (segments > 1 && t > 0) combine(t - 1);
    s.finish();
  }
}

}  // namespace mpx::inline v0::coll
