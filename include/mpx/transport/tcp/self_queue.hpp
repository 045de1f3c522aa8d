// SPDX-License-Identifier: BSL-1.0
#pragma once
// The queue of packets that a rank sends to itself.

#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include "mpx/core/frame.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::transport::detail {

/// Packets are copied, each into memory of its own, so that a sink may post while it reads one.
class tcp_self_queue {
 public:
  static constexpr std::size_t bytes_max = 256 * 1024;  // Queued; an empty queue takes any packet.

  tcp_self_queue() = default;
  tcp_self_queue(const tcp_self_queue&) = delete;
  tcp_self_queue& operator=(const tcp_self_queue&) = delete;
  ~tcp_self_queue() {
    while (first_ != nullptr) platform::deallocate(take());
  }

  bool empty() const noexcept { return first_ == nullptr; }
  /// Returns `retry` if the queue is full or memory is out; `refused` if memory is out and the
  /// queue is empty.
  outcome post(const frame_header& header, std::span<const std::byte> payload) noexcept {
    const std::size_t bytes = sizeof(node) + payload.size();
    if (!empty() && bytes_ + bytes > bytes_max) return outcome::retry;
    auto* const n = static_cast<node*>(platform::allocate(bytes));
    if (n == nullptr) return empty() ? outcome::refused : outcome::retry;
    n->next = nullptr;
    n->bytes = payload.size();
    n->header = header;
    if (!payload.empty()) std::memcpy(n + 1, payload.data(), payload.size());
    *(first_ == nullptr ? &first_ : &last_->next) = n;
    last_ = n;
    bytes_ += bytes;
    return outcome::done;
  }
  /// Hands the first packet to the sink. Requires: not empty().
  template <class Sink>
  void deliver(Sink& sink, peer_id self) noexcept {
    node* const n = take();
    const std::span body(reinterpret_cast<const std::byte*>(n + 1), n->bytes);
    sink.packet(self, n->header, body);
    platform::deallocate(n);
  }

 private:
  struct node {
    node* next;
    std::size_t bytes;
    frame_header header;
  };
  node* take() noexcept {
    node* const n = first_;
    first_ = n->next;
    bytes_ -= sizeof(node) + n->bytes;
    return n;
  }

  node* first_ = nullptr;
  node* last_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace mpx::inline v0::transport::detail
