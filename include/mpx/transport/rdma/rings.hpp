// SPDX-License-Identifier: BSL-1.0
#pragma once
// The registered memory of the rings of transport rdma, and the division of the pinned-memory limit
// between rings and transfers.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "mpx/core/error.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/transport/rdma/link.hpp"
#include "mpx/transport/rdma/nic.hpp"

namespace mpx::inline v0::transport::rdma_detail {

/// Sizes fixed at compile time, the same at both ends.
struct wire_shape {
  std::uint32_t ring_bytes;
  std::uint32_t receives;
  std::size_t packet_bytes_max;
  std::size_t copy_bytes_max;
};

/// Longest payload of a packet that is sent as a send instead of a write; 0: none is.
template <class Card>
inline constexpr std::size_t sent_bytes_max = [] {
  constexpr nic_traits t = Card::traits;
  constexpr std::size_t most = mpx::detail::lesser<std::size_t>(t.short_send_bytes, block_bytes);
  return t.arrivals_in_order && most > sizeof(record_head) ? most - sizeof(record_head) : 0;
}();

/// Allocates and frees the rings of links. `Cache`: a registration_cache.
template <class Card, wire_shape Shape, class Cache>
class rings {
  static constexpr std::size_t bytes =
      2 * std::size_t{Shape.ring_bytes} +
      (sent_bytes_max<Card> != 0 ? std::size_t{Shape.receives} * block_bytes : 0);

 public:
  rings(Card& card, Cache& cache) noexcept : card_(card), cache_(cache) {}

  /// Bytes of the limit that remain for transfers: rings get theirs first, but at most half of a
  /// scarce limit.
  static std::uint64_t left_for_transfers(const Card& card, std::uint64_t pinned_bytes_max) {
    const nic_limits limits = card.limits();
    const std::uint64_t one = (bytes + limits.page_bytes - 1) & ~(limits.page_bytes - 1ull);
    const std::uint64_t all = mpx::detail::lesser(limits.registered_bytes_max, pinned_bytes_max);
    constexpr std::string_view name = Card::name;
    if (limits.receive_depth <= reserved_receives || all < one)
      mpx::detail::throw_error(
          errc::no_resources,
          "transport rdma: nic %.*s has %u receives a connection and %llu registered bytes, needed "
          "are %u and %llu: take a smaller ring%s",
          static_cast<int>(name.size()), name.data(), limits.receive_depth,
          static_cast<unsigned long long>(all), reserved_receives + 1,
          static_cast<unsigned long long>(one),
          pinned_bytes_max < one ? ", or raise what limits them (MPX_RDMA_PINNED_BYTES or "
                                   "PinnedBytesMax)"
                                 : "");
    return all - mpx::detail::lesser(card.peers() * one, all / 2);
  }

  /// Allocates and registers both rings of a link and its tables. Returns false if there is no
  /// room.
  bool take(link& l, std::uint32_t receives) noexcept {
    l.memory = card_.allocate(bytes);
    if (l.memory == nullptr) return false;
    if (l.make_room(Shape.ring_bytes / block_bytes, receives, sent_bytes_max<Card> != 0) &&
        register_ring({l.memory, bytes}, l.region) == errc{})
      return true;
    card_.deallocate(l.memory);
    l.memory = nullptr;
    return false;
  }
  void give_back(link& l) noexcept {
    if (l.memory == nullptr) return;
    for (int tries = 0; card_.deregister(l.region.handle) == outcome::retry; ++tries)
      if (tries == 1000) return;  // A peer keeps writing: leaked until the card ends.
    card_.deallocate(l.memory);
    l.memory = nullptr;
  }

 private:
  errc register_ring(std::span<std::byte> memory, nic_region& region) noexcept {
    const errc why = card_.register_memory(memory, nic_access::remote_write, region);
    if (why != errc::no_resources) return why;
    const std::uint64_t most = cache_.bytes_max();  // Evict idle registrations, then try again.
    cache_.set_bytes_max(0);
    cache_.set_bytes_max(most);
    return card_.register_memory(memory, nic_access::remote_write, region);
  }

  Card& card_;
  Cache& cache_;
};

}  // namespace mpx::inline v0::transport::rdma_detail
