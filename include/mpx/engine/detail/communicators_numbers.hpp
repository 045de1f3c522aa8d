// SPDX-License-Identifier: BSL-1.0
#pragma once
// Recycling of a leader's serials, and how other ranks forget them before they wrap around.
// Included by communicators.hpp.

#include "mpx/engine/communicators.hpp"

namespace mpx::inline v0::detail {

/// Retires a communicator that this rank leads if all members have freed it or are lost.
template <class House>
[[gnu::noinline]] void communicators<House>::retire_if_over(led_communicator& led) noexcept {
  if (led.size == 0 || led.freed.empty() ||
      led.freed.size() + house_.peers().losses() < static_cast<std::size_t>(led.size))
    return;
  std::size_t gone = led.freed.size();
  for (rank_t r = 0; gone != static_cast<std::size_t>(led.size) && r < led.size; ++r) {
    const peer_id p = led.ranks == nullptr ? world_peer(r) : led.ranks->peer_of(r);
    if (house_.peers().failure_of(p) == errc{}) continue;
    bool said = false;
    for (const peer_id q : led.freed) said = said || q == p;
    gone += !said;
  }
  if (gone != static_cast<std::size_t>(led.size)) return;
  if (led_to_ == nullptr) led_to_ = new (std::nothrow) peer_set();
  bool noted = led_to_ != nullptr;  // Else its serial is never reused.
  for (rank_t r = 0; noted && r < led.size; ++r)
    noted = led_to_->add(led.ranks == nullptr ? world_peer(r) : led.ranks->peer_of(r));
  release(led.ranks);
  if (noted) return retire(led);
  led_.retire(led);
}

/// Recycles its serial: at once, or, after wrap-around, once no former member of any communicator
/// of this rank still treats one of its contexts as freed and discards messages for it.
template <class House>
void communicators<House>::retire(led_communicator& led) noexcept {
  if (!led_.retire(led) || led_to_ == nullptr) return led_.give(led);
  const context_id context = numbers_.make(house_.self(), led.serial, 0);
  forget_here(context);
  if (!led.asked.try_reserve(led.asked.size() + led_to_->size())) return;  // Never reused.
  led_to_->for_each([&](peer_id p) {
    if (p == house_.self() || is_lost(p)) return;
    led.asked.try_push_back(p);
    house_.outbox().answer(p, {.kind = wire::kind::forget, .context = context});
  });
  led.waits_for_them = true;
  give_if_forgotten(led);
}

/// Handles a leader's request to forget a context.
/// Errors: errc::protocol if the source does not lead that context, or the context is in use here.
template <class House>
[[gnu::noinline, gnu::cold]] errc communicators<House>::forget(peer_id leader,
                                                               context_id context) noexcept {
  const known_places::entry* const e = places_.find(numbers_.place(context));
  const bool lives = e != nullptr && e->state != nullptr;
  if (lives || numbers_.leader_of(context) != leader) return errc::protocol;
  forget_here(context);
  house_.outbox().answer(leader, {.kind = wire::kind::forgotten, .context = context});
  return errc{};
}

}  // namespace mpx::inline v0::detail
