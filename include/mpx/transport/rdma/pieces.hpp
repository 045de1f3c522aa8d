// SPDX-License-Identifier: BSL-1.0
#pragma once
// What the cards of transport rdma have under way from and to the user's memory.

#include <cstddef>
#include <cstdint>
#include <span>

#include "mpx/core/frame.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/transport/rdma/link.hpp"

namespace mpx::inline v0::transport::rdma_detail {

struct transfer;

/// For tests and tools.
struct rdma_counters {
  std::uint64_t packets = 0;      ///< Posted.
  std::uint64_t from_memory = 0;  ///< Of them: written from the user's memory.
  std::uint64_t credit_messages = 0;
  std::uint64_t puts = 0;
  std::uint64_t gets = 0;
  std::uint64_t pieces = 0;        ///< Writes and reads of puts and gets.
  std::uint64_t unregistered = 0;  ///< Puts and gets given up for want of registered memory.
};

/// A write or read that the card has yet to end: a part of a transfer, or the payload of a packet.
struct piece {
  link* with = nullptr;
  transfer* of = nullptr;  // nullptr: a payload's, or its transfer has been given up.
  void* by = nullptr;      // The cache's entry.
  std::span<std::byte> memory;
  cookie_t cookie = 0;       // Of a payload.
  std::uint32_t number = 0;  // Of the packet that it carries.
  bool carries = false;
  bool payload = false;    // Whose completion is to be told.
  bool announced = false;  // Its packet has left too.
  bool in_card = false;
  std::uint16_t next = 0;  // Of the list that it is in; + 1.
};

/// A fixed number of them, by index. `Cache`: a registration_cache.
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
  /// How many the card has.
  std::uint32_t in_card() const noexcept { return in_card_; }
  std::uint64_t handle(const piece& p) const noexcept {
    return static_cast<const entry*>(p.by)->handle().handle;
  }

  /// `memory` is what `by` was acquired for. Returns its number; pieces_max: all are in use.
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

  /// The payload that it writes is its owner's again, who is told by `complete`.
  void tell(std::uint16_t i) noexcept {
    piece& p = pieces_[i];
    if (!p.in_card) let_go(p);
    p.next = told_first_;
    told_first_ = static_cast<std::uint16_t>(i + 1);
  }
  bool has_told() const noexcept { return told_first_ != 0; }
  /// Calls `f(cookie, ok)`.
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
  std::uint16_t free_first_ = 0;  // + 1.
  std::uint16_t told_first_ = 0;  // + 1.
  std::uint32_t in_card_ = 0;
};

}  // namespace mpx::inline v0::transport::rdma_detail
