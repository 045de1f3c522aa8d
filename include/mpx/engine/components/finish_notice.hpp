// SPDX-License-Identifier: BSL-1.0
#pragma once
// Batches of `finished` reports: if the transport fetches by itself, many gets may complete in one
// poll, and one packet reports all of one sender.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "mpx/core/error.hpp"
#include "mpx/core/types.hpp"
#include "mpx/protocol/wire.hpp"

namespace mpx::inline v0::detail {

/// Tickets of fetched messages of one peer that still have to be reported.
class finish_notice {
 public:
  bool empty() const noexcept { return count_ == 0; }
  peer_id to() const noexcept { return to_; }
  /// Adds a ticket. Returns false if the batch is full or belongs to another peer: it has to be
  /// sent first.
  bool add(peer_id to, std::uint32_t ticket) noexcept {
    if (count_ != 0 && (to != to_ || count_ == std::size(tickets_))) return false;
    to_ = to;
    tickets_[count_++] = ticket;
    return true;
  }
  void clear() noexcept { count_ = 0; }
  /// Requires: !empty().
  wire::header header() const noexcept {
    return {.kind = wire::kind::finished, .ticket = tickets_[0]};
  }
  /// Payload: all tickets but the first.
  std::span<const std::byte> more() const noexcept {
    return std::as_bytes(std::span(tickets_ + 1, count_ - 1));
  }

 private:
  std::uint32_t tickets_[wire::finished_more_max + 1]{};
  std::uint32_t count_ = 0;
  peer_id to_ = 0;
};

/// Calls `f(ticket)` for each ticket of a report, until one returns an error, which it returns.
/// Errors: errc::protocol if the payload is malformed.
template <class F>
errc for_each_finished(std::uint32_t first, std::span<const std::byte> more, F f) {
  if (more.size() % sizeof first != 0 || more.size() > wire::finished_more_max * sizeof first)
    return errc::protocol;
  errc why = f(first);
  for (; why == errc{} && !more.empty(); more = more.subspan(sizeof first)) {
    std::memcpy(&first, more.data(), sizeof first);
    why = f(first);
  }
  return why;
}

}  // namespace mpx::inline v0::detail
