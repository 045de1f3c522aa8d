// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory that transport rdma allocates for programs: the card's own if it has any, registered once
// and owned, so that messages from it are neither copied nor registered again.

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

#include "mpx/core/aligned.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/offset_allocator.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/transport/rdma/nic.hpp"

namespace mpx::inline v0::transport::rdma_detail {

/// An allocator of pieces of larger chunks. `Cache`: a registration_cache, in which all chunks are
/// owned.
template <class Card, class Cache>
class arena {
 public:
  /// Requires: both outlive it.
  arena(Card& card, Cache& cache) noexcept : card_(card), cache_(cache) {}
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;
  /// Requires: none of the memory is in use; it is freed.
  ~arena() {
    while (!chunks_.empty()) {
      chunk* const c = chunks_[chunks_.size() - 1];
      chunks_.erase(chunks_.size() - 1);
      if (!c->dying) cache_.disown(c->memory());
      c->dying = true;
      // The card may still access it: then it is leaked until the process ends.
      if (!cache_.ending()) free_memory(*c);
      delete c;
    }
  }

  /// Errors: errc::no_resources; errc::argument: an alignment of more than a page.
  void* allocate(std::size_t bytes, std::size_t alignment) {
    const std::size_t page = card_.limits().page_bytes;
    if (alignment > page)
      mpx::detail::throw_error(
          errc::argument, "registered memory cannot be aligned to %zu bytes, but to %zu at most",
          alignment, page);
    tidy();
    for (chunk* c : chunks_)
      if (void* const p = c->dying ? nullptr : c->take(bytes, alignment)) return p;
    chunk* const made = make(bytes);
    void* const p = made->take(bytes, alignment);
    if (p == nullptr) mpx::detail::throw_out_of_memory();
    return p;
  }
  void deallocate(void* p) noexcept {
    std::size_t idle = 0;
    for (chunk* c : chunks_) {
      if (!c->dying && c->holds(p) && c->pieces.deallocate(c->offset_of(p))) --c->used;
      idle += c->used == 0 && !c->dying ? 1 : 0;
    }
    // One empty chunk is kept for later allocations.
    for (std::size_t i = chunks_.size(); i-- > 0 && idle > 1;) {
      chunk& c = *chunks_[i];
      if (c.used != 0 || c.dying) continue;
      c.dying = true;
      cache_.disown(c.memory());
      --idle;
    }
    tidy();
  }

 private:
  static constexpr std::size_t chunk_bytes = std::size_t{4} << 20;

  struct chunk : mpx::detail::allocated {
    chunk(std::byte* at, std::size_t n, bool cards)
        : base(at), bytes(n), of_card(cards), pieces(n) {}

    std::span<std::byte> memory() const noexcept { return {base, bytes}; }
    std::uint64_t offset_of(const void* p) const noexcept {
      return reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(base);
    }
    bool holds(const void* p) const noexcept { return offset_of(p) < bytes; }
    void* take(std::size_t n, std::size_t alignment) {
      const std::uint64_t at = pieces.allocate(n, alignment);
      if (at == offset_allocator::none) return nullptr;
      ++used;
      return base + at;
    }

    std::byte* base;
    std::size_t bytes;
    bool of_card;
    bool dying = false;  // To be freed once the card does not access it.
    std::size_t used = 0;
    offset_allocator pieces;
  };

  chunk* make(std::size_t bytes) {
    const std::size_t page = card_.limits().page_bytes;
    if (bytes > ~std::size_t{0} / 2) mpx::detail::throw_out_of_memory();
    const std::size_t whole = (mpx::detail::greater(bytes, chunk_bytes) + page - 1) / page * page;
    if (!chunks_.try_reserve(chunks_.size() + 1)) mpx::detail::throw_out_of_memory();
    std::byte* at = card_.allocate(whole);
    const bool of_card = at != nullptr;
    if (!of_card) at = static_cast<std::byte*>(mpx::detail::allocate_aligned(whole, page));
    chunk* c = nullptr;
    try {
      c = new chunk(at, whole, of_card);
    } catch (...) {
      of_card ? card_.deallocate(at) : mpx::detail::free_aligned(at);
      throw;
    }
    if (!cache_.own(c->memory())) {
      free_memory(*c);
      delete c;
      mpx::detail::throw_out_of_memory();
    }
    static_cast<void>(chunks_.try_push_back(c));
    // Registers the whole chunk now if there is room; else its parts are registered on use.
    errc why{};
    if (auto* const e = cache_.acquire(c->memory(), nic_access::remote_read_write, why))
      static_cast<void>(cache_.release(*e, c->memory()));
    return c;
  }
  void free_memory(chunk& c) noexcept {
    c.of_card ? card_.deallocate(c.base) : mpx::detail::free_aligned(c.base);
  }
  /// Frees dying chunks that are not registered any more.
  void tidy() noexcept {
    if (cache_.ending()) cache_.tidy();
    for (std::size_t i = chunks_.size(); i-- > 0;) {
      chunk* const c = chunks_[i];
      if (!c->dying || cache_.uses(c->memory())) continue;
      chunks_.erase(i);
      free_memory(*c);
      delete c;
    }
  }

  Card& card_;
  Cache& cache_;
  plain_array<chunk*> chunks_;
};

}  // namespace mpx::inline v0::transport::rdma_detail
