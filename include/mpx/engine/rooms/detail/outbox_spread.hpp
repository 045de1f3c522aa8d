// SPDX-License-Identifier: BSL-1.0
#pragma once
// What a layout spreads, put together to be sent. Included by outbox.hpp.

#include "mpx/engine/rooms/outbox.hpp"

namespace mpx::inline v0::detail {

/// Transports take bytes in one piece. Where they have read them when a post returns, pieces are
/// packed as they leave, else all at once. Returns nullptr when memory is out.
template <class Stack, class House>
[[gnu::noinline]] operation* outbox_room<Stack, House>::hold_spread(operation& op) noexcept {
  std::byte* copy = op.layout_mark();
  const bool whole = may_pend(house().transport(), op.peer);
  if (whole) {
    copy = static_cast<std::byte*>(platform::allocate(op.data.bytes));
  } else if (!prepare_staging()) {
    copy = nullptr;
  }
  if (copy == nullptr) {
    op.data.how = nullptr;
    house().pool().give(&op);
    return nullptr;
  }
  if (whole) {
    op.data.read(0, {copy, op.data.bytes});
    op.drop_layout();
    op.data.base = copy;
  }
  op.owns(copy);
  if (staged_ == &op) staged_ = nullptr;  // It was another one's.
  return &op;
}

template <class Stack, class House>
[[gnu::noinline]] std::span<const std::byte> outbox_room<Stack, House>::packed_piece(
    const operation& op, std::size_t offset, std::size_t n) noexcept {
  const std::span<std::byte> into(staging_, n);
  // Where the channel was full the piece is still there.
  if (staged_ != &op || staged_offset_ != offset || staged_count_ != n) {
    op.data.read(offset, into);
    staged_ = &op;
    staged_offset_ = offset;
    staged_count_ = n;
  }
  return into;
}

}  // namespace mpx::inline v0::detail
