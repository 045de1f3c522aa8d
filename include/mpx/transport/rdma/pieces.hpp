// SPDX-License-Identifier: BSL-1.0
#pragma once
// Writes and reads of transport rdma that are pending at the card, from and to user memory.

#include <cstddef>
#include <cstdint>
#include <span>

#include "mpx/core/frame.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/transport/rdma/link.hpp"

namespace mpx::inline v0::transport::rdma_detail {

struct transfer;

/// Event counts of the transport, for tests and tools.
struct rdma_counters {
  std::uint64_t packets = 0;      ///< Packets posted.
  std::uint64_t from_memory = 0;  ///< Of these, packets written from user memory.
  std::uint64_t credit_messages = 0;
  std::uint64_t puts = 0;
  std::uint64_t gets = 0;
  std::uint64_t pieces = 0;        ///< Writes and reads of puts and gets.
  std::uint64_t unregistered = 0;  ///< Puts and gets that failed for want of registered memory.
};

/// A write or read pending at the card: a part of a transfer, or the payload of a packet.
struct piece {
  link* with = nullptr;
  transfer* of = nullptr;  // Its transfer. nullptr: a payload, or the transfer was abandoned.
  void* by = nullptr;      // The entry of the cache.
  std::span<std::byte> memory;
  cookie_t cookie = 0;       // Of a payload's post.
  std::uint32_t number = 0;  // Number of the packet that it carries.
  bool carries = false;
  bool payload = false;    // A payload, whose completion is to be reported.
  bool announced = false;  // Its packet's header was posted, too.
  bool in_card = false;
  std::uint16_t next = 0;  // 1 + the next index of its list.
};

/// A fixed number of pieces, named by index. `Cache`: a registration_cache.
template <class Cache>
class piece_pool {
  using entry = typename Cache::entry;

 public:
  static constexpr std::uint16_t pieces_max = 64;

  /// Errors: errc::no_resources.
  explicit piece_pool(Cache& cache) : cache_(cache), pieces_(pieces_max) {
    for (std::uint16_t i = 0; i < pieces_max; ++i) put_back(i);
  }
  piece_pool(const piece_pool&) = delete;
  piece_pool& operator=(const piece_pool&) = delete;
  ~piece_pool() {
    for (piece& p : pieces_)
      if (p.by != nullptr) let_go(p);
  }

  piece& operator[](std::uint16_t i) noexcept { return pieces_[i]; }
  piece* begin() noexcept { return pieces_.begin(); }
  piece* end() noexcept { return pieces_.end(); }
  bool full() const noexcept { return free_first_ == 0; }
  /// Pieces pending at the card.
  std::uint32_t in_card() const noexcept { return in_card_; }
  std::uint64_t handle(const piece& p) const noexcept {
    return static_cast<const entry*>(p.by)->handle().handle;
  }

  /// Makes a piece. `memory` is the span for which `by` was acquired. Returns its index; pieces_max
  /// if all are in use.
  std::uint16_t make(link& l, transfer* of, entry& by, std::span<std::byte> memory) noexcept {
    if (full()) return pieces_max;
    const auto i = static_cast<std::uint16_t>(free_first_ - 1);
    piece& p = pieces_[i];
    free_first_ = p.next;
    p = {};
    p.with = &l;
    p.of = of;
    p.by = &by;
    p.memory = memory;
    return i;
  }
  void give_to_card(piece& p) noexcept {
    p.in_card = true;
    ++in_card_;
  }
  void take_from_card(piece& p) noexcept {
    p.in_card = false;
    --in_card_;
  }
  void let_go(piece& p) noexcept {
    cache_.release(*static_cast<entry*>(p.by), p.memory);
    p.by = nullptr;
  }
  void end(std::uint16_t i) noexcept {
    let_go(pieces_[i]);
    put_back(i);
  }

  /// Queues the completion of a payload, which its owner may use again.
  void tell(std::uint16_t i) noexcept {
    piece& p = pieces_[i];
    if (!p.in_card) let_go(p);
    p.next = told_first_;
    told_first_ = static_cast<std::uint16_t>(i + 1);
  }
  bool has_told() const noexcept { return told_first_ != 0; }
  /// Calls `f(cookie, ok)` for each queued completion. Returns how many.
  template <class F>
  std::size_t complete(F f) noexcept {
    std::size_t n = 0;
    while (told_first_ != 0) {
      const auto i = static_cast<std::uint16_t>(told_first_ - 1);
      piece& p = pieces_[i];
      told_first_ = p.next;
      const cookie_t cookie = p.cookie;
      const bool ok = !p.with->over();
      p.payload = false;
      if (!p.in_card) put_back(i);
      f(cookie, ok);
      ++n;
    }
    return n;
  }

 private:
  void put_back(std::uint16_t i) noexcept {
    pieces_[i] = {};
    pieces_[i].next = free_first_;
    free_first_ = static_cast<std::uint16_t>(i + 1);
  }

  Cache& cache_;
  plain_array<piece> pieces_;
  std::uint16_t free_first_ = 0;  // 1 + index; 0: empty.
  std::uint16_t told_first_ = 0;  // 1 + index; 0: empty.
  std::uint32_t in_card_ = 0;
};

}  // namespace mpx::inline v0::transport::rdma_detail
