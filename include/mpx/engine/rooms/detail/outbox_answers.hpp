// SPDX-License-Identifier: BSL-1.0
#pragma once
// Answers with a payload longer than operation::control. Included by outbox.hpp.

#include "mpx/engine/rooms/outbox.hpp"

namespace mpx::inline v0::detail {

template <class Stack, class House>
[[gnu::noinline]] bool outbox_room<Stack, House>::answer_long(
    peer_id to, const wire::header& h, std::span<const std::byte> payload) noexcept {
  peer_record& r = house().peers().of(to);
  if (r.failure() != errc{}) return false;
  if (r.control_.empty() && !may_pend(house().transport(), to) && post(to, h, payload, nullptr))
    return true;
  auto* const copy = static_cast<std::byte*>(platform::allocate(payload.size()));
  operation* const op = copy == nullptr ? nullptr : new_control(r, h, {});
  if (op == nullptr) {
    if (copy == nullptr) house().peers().lose(to, errc::no_resources);
    platform::deallocate(copy);
    return false;
  }
  std::memcpy(copy, payload.data(), payload.size());
  op->owned_by_attached = false;
  op->data = {};
  op->limit = payload.size();
  op->owns(copy);
  queue_control(r, *op);
  flush(r);
  if (op->stage == stage::queued) house().peers().set_busy(r);
  return true;
}

}  // namespace mpx::inline v0::detail
