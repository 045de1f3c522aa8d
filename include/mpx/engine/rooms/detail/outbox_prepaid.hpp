// SPDX-License-Identifier: BSL-1.0
#pragma once
// The fastest send: a small message with prepaid credit. Included by outbox.hpp.
//
// Stores to a cache line that the other side owns wait in order, with all later stores behind them,
// and the processor combines few of them: about sixteen runs within 32 bytes. Therefore all words
// of this side that a message writes are kept together: its credit is taken from the prepaid
// credit, which lies beside the words of the channel; nothing is spilled to the stack, and whatever
// needs a call is outlined.

#include "mpx/engine/rooms/outbox.hpp"

namespace mpx::inline v0::detail {

template <class Stack, class House>
[[MPX_ALWAYS_INLINE]] inline bool outbox_room<Stack, House>::try_send_prepaid(
    const send_call& c) noexcept {
  if constexpr (prepays) {
    if (!house().peers().fast_path_allowed()) [[unlikely]]
      return false;
    auto& flow = house().flow();
    const std::uint32_t count = flow.count(c.to);
    const frame_header f = wire::plain_eager_frame(c.bits, count);
    const std::span<const std::byte> payload{c.data.base, c.data.bytes};
    if (!house().transport().try_post_prepaid(c.to, f, payload, flow.price(payload.size())))
        [[unlikely]]
      return false;
    flow.told(c.to, count);
    house().trace().on(event::packets_sent, 1);
    house().trace().on(event::eager_sent, 1);
    return true;
  }
  return false;
}

template <class Stack, class House>
[[MPX_ALWAYS_INLINE]] inline bool outbox_room<Stack, House>::send_at_once(
    const send_call& c) noexcept {
  if constexpr (!prepays) return send_now(c);
  return c.data.bytes <= tiny_prepaid_max && try_send_prepaid(c);
}

template <class Stack, class House>
[[MPX_ALWAYS_INLINE]] inline bool outbox_room<Stack, House>::send_short_at_once(
    const send_call& c) noexcept {
  return c.data.bytes <= prepaid_max && !is_long(c.data.bytes) && try_send_prepaid(c);
}

template <class Stack, class House>
bool outbox_room<Stack, House>::send_and_prepay(const send_call& c) noexcept {
  if constexpr (prepays) {
    if (!send_now(c)) return false;
    std::uint32_t* const prepaid_credit = house().transport().prepaid_credit(c.to);
    if (c.data.bytes <= prepaid_max && prepaid_credit != nullptr &&
        *prepaid_credit < house().flow().price(prepaid_max))
      *prepaid_credit += house().flow().prepay(c.to);
    return true;
  }
  return false;  // send_at_once has tried that.
}

/// Acquires credit after the unused prepaid credit of the peer has been given back.
template <class Stack, class House>
[[gnu::noinline]] bool outbox_room<Stack, House>::acquire_with_prepaid(
    [[maybe_unused]] peer_id to, [[maybe_unused]] std::size_t bytes) noexcept {
  if constexpr (prepays) {
    std::uint32_t* const prepaid_credit = house().transport().prepaid_credit(to);
    if (prepaid_credit == nullptr || *prepaid_credit == 0) return false;
    house().flow().refund(to, detail::exchange(*prepaid_credit, 0u));
    return house().flow().try_acquire(to, bytes);
  }
  return false;
}

}  // namespace mpx::inline v0::detail
