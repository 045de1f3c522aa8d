// SPDX-License-Identifier: BSL-1.0
#pragma once
// The dynamic block: a heap of messages in the order of their arrival. A message that no entry
// expects is kept here until the program asks for it.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>

#include "mpx/core/intrusive.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/portals/block.hpp"

namespace mpx::inline v0::portals {

namespace detail {

struct arrival_tag;

/// A message in a heap, in front of its data.
struct heap_record : list_node<arrival_tag> {
  std::uint64_t bytes;  // Of this record and its data, rounded up.
  message is;
  std::uint64_t kept;  // Bytes of data.
  saved what;
  bool whole;  // All data has arrived, or none will any more.
  bool taken;  // The program has it: it is in no list.
  errc failure;

  std::span<std::byte> data() noexcept {
    return {reinterpret_cast<std::byte*>(this) + header_bytes(), kept};
  }
  static constexpr std::size_t granule = 16;
  static constexpr std::uint64_t header_bytes() noexcept {
    return (sizeof(heap_record) + granule - 1) & ~(granule - 1);
  }
};

}  // namespace detail

/// A heap. Each message takes the first hole that holds its record and its data, and is added to
/// the end of a list. Entries that are overlaid on one heap share this list, so that all their
/// messages keep one order of arrival.
/// Options:    saves::header and saves::both; acknowledge.
/// Limits:     its bytes. A message takes `overhead_bytes` beside its data.
/// Cost:       O(holes) to save or free a message, O(messages) to search.
/// Source:     Puma, section 1.2.
class dynamic_block final : public block {
 public:
  /// Bytes that a message takes beside its data, at most.
  static constexpr std::size_t overhead_bytes =
      detail::heap_record::header_bytes() + detail::heap_record::granule;

  /// A heap of `bytes`, allocated here.
  /// Errors:     errc::no_resources.
  explicit dynamic_block(std::size_t bytes) : size_(bytes & ~(granule - 1)) {
    if (bytes >= granule) start_ = static_cast<std::byte*>(platform::allocate(size_));
    if (bytes >= granule && start_ == nullptr) mpx::detail::throw_out_of_memory();
    if (size_ < sizeof(hole)) size_ = 0;
    if (size_ != 0) holes_ = ::new (static_cast<void*>(start_)) hole{size_, nullptr};
  }
  ~dynamic_block() {
    MPX_ASSERT(taken_ == 0, "a heap outlives the messages that a program has taken from it");
    platform::deallocate(start_);
  }

  /// Bytes of the heap.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  friend detail::engine;
  using record = detail::heap_record;
  static constexpr std::size_t granule = record::granule;
  /// Free memory. Holes are sorted by address, and no two of them touch.
  struct hole {
    std::uint64_t bytes;
    hole* next;
  };
  static_assert(sizeof(hole) <= granule);

  bool allows(const options& o) const noexcept override {
    return detail::keeps_header(o) && !detail::serves(o);
  }
  detail::fit take(const message& m, const options& o, detail::place& into) noexcept override {
    const std::uint64_t kept = detail::wanted_bytes(m, o);
    if (kept > size_ || record::header_bytes() + round_up(kept) > size_)
      return detail::fit::too_small;
    const std::uint64_t bytes = record::header_bytes() + round_up(kept);
    void* const room = allocate(bytes);
    if (room == nullptr) return detail::fit::no_buffer;
    auto* const r = ::new (room) record;
    r->bytes = bytes;
    r->is = m;
    r->kept = kept;
    r->what = detail::keeps_body(o) ? saved::both : saved::header;
    r->whole = r->taken = false;
    r->failure = errc{};
    messages_.push_back(*r);
    into.record = r;
    return detail::fit::found;
  }
  void write(const detail::place& in, std::uint64_t at,
             std::span<const std::byte> from) noexcept override {
    if (!from.empty()) std::memcpy(of(in).data().data() + at, from.data(), from.size());
  }
  void read(const detail::place&, std::uint64_t, std::span<std::byte>) const noexcept override {}
  /// A message of which a part is missing leaves the heap, unless the program has it.
  void finish(const detail::place& in, const options&, errc failure) noexcept override {
    record& r = of(in);
    r.whole = true;
    r.failure = failure;
    if (failure != errc{} && !r.taken) {
      messages_.erase(r);
      free(r);
    }
  }
  std::span<std::byte> data(const detail::place& in, std::uint64_t) const noexcept override {
    return of(in).data();
  }
  static record& of(const detail::place& in) noexcept { return *static_cast<record*>(in.record); }

  /// Returns the earliest message for which `wanted` returns true; nullptr if there is none.
  template <class F>
  record* find(F&& wanted) noexcept {
    for (record& r : messages_)
      if (wanted(r.is)) return &r;
    return nullptr;
  }
  void take_out(record& r) noexcept {
    messages_.erase(r);
    r.taken = true;
    ++taken_;
  }
  /// Frees a message that was taken out.
  /// Requires:   it is whole.
  void give_back(record& r) noexcept {
    --taken_;
    free(r);
  }

  static constexpr std::uint64_t round_up(std::uint64_t n) noexcept {
    return (n + granule - 1) & ~std::uint64_t{granule - 1};
  }
  void* allocate(std::uint64_t bytes) noexcept {
    for (hole** at = &holes_; *at != nullptr; at = &(*at)->next) {
      hole& h = **at;
      if (h.bytes < bytes) continue;
      const hole was = h;
      auto* const begin = reinterpret_cast<std::byte*>(&h);
      *at = was.bytes == bytes ? was.next
                               : ::new (static_cast<void*>(begin + bytes))
                                     hole{was.bytes - bytes, was.next};
      return begin;
    }
    return nullptr;
  }
  void free(record& r) noexcept {
    const std::uint64_t bytes = r.bytes;
    auto* const begin = reinterpret_cast<std::byte*>(&r);
    hole* before = nullptr;
    hole* after = holes_;
    for (; after != nullptr && reinterpret_cast<std::byte*>(after) < begin; after = after->next)
      before = after;
    auto* made = ::new (static_cast<void*>(begin)) hole{bytes, after};
    if (after != nullptr && begin + bytes == reinterpret_cast<std::byte*>(after)) {
      made->bytes += after->bytes;
      made->next = after->next;
    }
    if (before != nullptr && reinterpret_cast<std::byte*>(before) + before->bytes == begin) {
      before->bytes += made->bytes;
      before->next = made->next;
    } else if (before != nullptr) {
      before->next = made;
    } else {
      holes_ = made;
    }
  }

  std::byte* start_ = nullptr;
  std::size_t size_;
  hole* holes_ = nullptr;
  linked_list<record, detail::arrival_tag> messages_;  // In the order of arrival.
  std::uint32_t taken_ = 0;
};

}  // namespace mpx::inline v0::portals
