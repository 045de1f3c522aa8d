// SPDX-License-Identifier: BSL-1.0
#pragma once
// Packing of non-contiguous data for sends. Included by outbox.hpp.

#include "mpx/engine/rooms/outbox.hpp"

namespace mpx::inline v0::detail {

/// Prepares a send of non-contiguous data. Transports take contiguous bytes: if they have read them
/// when a post returns, each piece is packed as it leaves; else all data is copied at once. Returns
/// nullptr if memory is exhausted.
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
  if (staged_ == &op) staged_ = nullptr;  // It belonged to an earlier operation.
  return &op;
}

template <class Stack, class House>
[[gnu::noinline]] std::span<const std::byte> outbox_room<Stack, House>::packed_piece(
    const operation& op, std::size_t offset, std::size_t n) noexcept {
  const std::span<std::byte> into(staging_, n);
  // The piece is still packed if the channel was full.
  if (staged_ != &op || staged_offset_ != offset || staged_count_ != n) {
    op.data.read(offset, into);
    staged_ = &op;
    staged_offset_ = offset;
    staged_count_ = n;
  }
  return into;
}

}  // namespace mpx::inline v0::detail
