// SPDX-License-Identifier: BSL-1.0
#pragma once
// The first collectives: correct for any number of ranks and any associative operation, in a
// logarithmic number of rounds. They return what went wrong and throw nothing of their own; what a
// user's operation throws passes through, and the other ranks are told.

#include <new>
#include <span>

#include "mpx/comm/collective_channel.hpp"
#include "mpx/core/plain_array.hpp"

namespace mpx::inline v0::coll {

/// Dissemination: in round k each rank tells the rank 2^k above. Source: Hensgen, Finkel, Manber
/// 1988.
template <class Channel>
errc barrier(Channel& c) {
  const rank_t n = c.size();
  for (rank_t step = 1; step < n; step *= 2)
    if (const errc why = c.exchange({}, (c.rank() + step) % n, {}, (c.rank() - step % n + n) % n);
        why != errc{})
      return why;
  return errc{};
}

/// A binomial tree from the root.
template <class Channel>
errc from_root(Channel& c, std::span<std::byte> data, rank_t root) {
  const rank_t n = c.size();
  const rank_t me = (c.rank() - root + n) % n;  // The root is 0 in the tree.
  rank_t bit = 1;
  while (bit < n && (me & bit) == 0) bit *= 2;
  if (me != 0)
    if (const errc why = c.receive(data, (me - bit + root) % n); why != errc{}) return why;
  for (bit /= 2; bit > 0; bit /= 2)
    if (me + bit < n)
      if (const errc why = c.send(data, (me + bit + root) % n); why != errc{}) return why;
  return errc{};
}

/// A binomial tree to rank 0 that keeps rank order.
template <class Channel, class T, class Op>
errc to_first(Channel& c, std::span<T> values, Op& op) {
  const rank_t n = c.size();
  if (const errc why = c.begin(); why != errc{}) return why;  // No memory: the others learn of it.
  const bool receives = c.rank() % 2 == 0 && c.rank() + 1 < n;
  const scratch<T> theirs(receives ? values.size() : 0, std::nothrow);
  if (theirs.data() == nullptr) return c.no_memory();
  const std::span<T> received(theirs.data(), receives ? values.size() : 0);
  for (rank_t bit = 1; bit < n; bit *= 2) {
    if ((c.rank() & bit) != 0) return c.send(std::as_bytes(values), c.rank() - bit);
    if (c.rank() + bit >= n) continue;
    const auto into = std::as_writable_bytes(received);
    if (const errc why = c.receive(into, c.rank() + bit); why != errc{}) return why;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = op(values[i], received[i]);
  }
  return errc{};
}

template <class Channel>
errc bcast(Channel& c, std::span<std::byte> data, rank_t root) {
  if (const errc why = c.check_root(root); why != errc{}) return why;
  return from_root(c, data, root);
}

/// To rank 0, then one message to the root: right for operations that do not commute.
template <class Channel, class T, class Op>
errc reduce(Channel& c, std::span<T> values, Op& op, rank_t root) {
  if (const errc why = c.check_root(root); why != errc{}) return why;
  if (const errc why = to_first(c, values, op); why != errc{} || root == 0) return why;
  const auto bytes = std::as_writable_bytes(values);
  if (c.rank() == 0) return c.send(bytes, root);
  return c.rank() == root ? c.receive(bytes, 0) : errc{};
}

/// reduce, then bcast: every rank gets the same bits. (Of both halves in one call: who leaves the
/// first leaves the second.)
template <class Channel, class T, class Op>
errc allreduce(Channel& c, std::span<T> values, Op& op) {
  if (const errc why = to_first(c, values, op); why != errc{}) return why;
  return from_root(c, std::as_writable_bytes(values), 0);
}

}  // namespace mpx::inline v0::coll
