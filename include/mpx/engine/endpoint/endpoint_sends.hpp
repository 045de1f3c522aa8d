// SPDX-License-Identifier: BSL-1.0
#pragma once
// Slow paths of sends. Included by endpoint.hpp. Arguments are passed by value: an object with an
// address would be stored to memory, before the stores to the channel.

#include "mpx/engine/endpoint/endpoint.hpp"

namespace mpx::inline v0::detail {

template <class Stack>
[[gnu::noinline]] started endpoint<Stack>::send_slow(std::byte* base, std::size_t bytes,
                                                     const layout* how, peer_id to,
                                                     match_bits bits) {
  if (!countdown().passes(call_weight::flush)) [[unlikely]] {
    peers().refill_countdown();
    pace().poll_unblocked();  // Holds the lock, so it does not yield.
  }
  if (how == nullptr && outbox().send_short_at_once({{base, bytes, how}, to, bits})) return {};
  return send_queued(base, bytes, how, to, bits);
}

template <class Stack>
[[gnu::noinline]] started endpoint<Stack>::send_queued(std::byte* base, std::size_t bytes,
                                                       const layout* how, peer_id to,
                                                       match_bits bits) {
  const send_call c{{base, bytes, how}, to, bits};
  return how == nullptr && outbox().send_and_prepay(c) ? started{} : send_queued_locked(c, 0);
}

template <class Stack>
started endpoint<Stack>::send_queued_locked(const send_call& c, std::uint8_t flags) {
  const std::uint64_t before = pace().completions();
  const started s = outbox().send(c, flags);
  pace().wake_waiters_if_new(before);
  return s;
}

}  // namespace mpx::inline v0::detail
