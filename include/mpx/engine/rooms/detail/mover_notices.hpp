// SPDX-License-Identifier: BSL-1.0
#pragma once
// What senders are told of data that has been fetched: where a card does that by itself, many may
// be there at once, and one packet tells of all that came from one rank. Included by mover.hpp.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "mpx/core/error.hpp"
#include "mpx/core/types.hpp"
#include "mpx/protocol/wire.hpp"

namespace mpx::inline v0::detail {

/// The messages of one peer of whose end it is still to be told.
class finish_notice {
 public:
  bool empty() const noexcept { return count_ == 0; }
  peer_id to() const noexcept { return to_; }
  /// False: it is full, or of another peer: tell it first.
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
  /// What goes behind it.
  std::span<const std::byte> more() const noexcept {
    return std::as_bytes(std::span(tickets_ + 1, count_ - 1));
  }

 private:
  std::uint32_t tickets_[wire::finished_more_max + 1]{};
  std::uint32_t count_ = 0;
  peer_id to_ = 0;
};

/// Calls `f(ticket)` for each ticket of a notice, until one returns an error, which it returns.
/// errc::protocol: what is behind its header makes no sense.
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
