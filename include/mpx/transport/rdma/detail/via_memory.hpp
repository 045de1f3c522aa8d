// SPDX-License-Identifier: BSL-1.0
#pragma once
// The registered memory of a software card: a table that the owner writes and its peers read, and
// marks by which a peer announces the entry to which it copies.
//
// A peer that copies first marks the entry and then checks that it is open; the owner first closes
// the entry and then reads the marks. All four accesses are in one total order (seq_cst), so that
// either the peer finds the entry closed or the owner finds the mark. Each mark belongs to one
// peer: a peer that dies during a copy blocks no owner that knows of its death.

#include <sys/mman.h>
#include <sys/random.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mpx/core/plain_array.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/transport/rdma/detail/nic_queues.hpp"
#include "mpx/transport/rdma/nic.hpp"

namespace mpx::inline v0::nic::detail {

/// Bytes of the whole pages that `memory` touches.
inline std::uint64_t pages_of(std::span<const std::byte> memory) noexcept {
  const std::uint64_t first = reinterpret_cast<std::uintptr_t>(memory.data()) / page_bytes;
  const std::uint64_t last =
      (reinterpret_cast<std::uintptr_t>(memory.data()) + memory.size() - 1) / page_bytes;
  return (last - first + 1) * page_bytes;
}

/// True if every page of `memory` is mapped: a card cannot pin unmapped pages. (Of the system calls
/// that tell, this one has no other effect.) Cost: a system call.
inline bool is_mapped(std::span<const std::byte> memory) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(memory.data()) / page_bytes * page_bytes;
  return ::msync(reinterpret_cast<void*>(at), pages_of(memory), MS_ASYNC) == 0;
}

/// A registration's place in its owner's memory, and the access that it grants.
struct region_place {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t block = 0;  ///< The shared block that contains it; 0: private memory.
  std::uint64_t block_offset = 0;
  std::uint32_t access = 0;
  std::uint32_t tag = 0;  ///< Connections that may use it; 0: all.

  /// True if a connection with tag `by` may access `n` bytes at `at` so. Sets `offset` to their
  /// distance from the beginning.
  bool grants(std::uint64_t at, std::uint64_t n, nic_access wanted, std::uint32_t by,
              std::uint64_t& offset) const noexcept {
    offset = at - address;
    const auto need = static_cast<std::uint32_t>(wanted);
    return offset <= bytes && n <= bytes - offset && (access & need) == need &&
           (tag == 0 || tag == by);
  }
};

/// The registration as peers read it. Zeroed memory is a closed entry.
struct alignas(cache_line_bytes) shared_region {
  platform::atomic<std::uint64_t> key;  ///< 0: closed.
  platform::atomic<std::uint64_t> address;
  platform::atomic<std::uint64_t> bytes;
  platform::atomic<std::uint64_t> block;
  platform::atomic<std::uint64_t> block_offset;
  platform::atomic<std::uint64_t> access_and_tag;

  void open(std::uint64_t with, const region_place& p) noexcept {
    address.store(p.address, std::memory_order_relaxed);
    bytes.store(p.bytes, std::memory_order_relaxed);
    block.store(p.block, std::memory_order_relaxed);
    block_offset.store(p.block_offset, std::memory_order_relaxed);
    access_and_tag.store(std::uint64_t{p.access} << 32 | p.tag, std::memory_order_relaxed);
    key.store(with, std::memory_order_release);
  }
  void close() noexcept { key.store(0, std::memory_order_seq_cst); }
  /// Reads the entry. Returns false if it is not open with key `wanted`. Requires: the caller has
  /// marked it.
  bool read(std::uint64_t wanted, region_place& p) const noexcept {
    if (key.load(std::memory_order_seq_cst) != wanted) return false;
    p.address = address.load(std::memory_order_relaxed);
    p.bytes = bytes.load(std::memory_order_relaxed);
    p.block = block.load(std::memory_order_relaxed);
    p.block_offset = block_offset.load(std::memory_order_relaxed);
    const std::uint64_t both = access_and_tag.load(std::memory_order_relaxed);
    p.access = static_cast<std::uint32_t>(both >> 32);
    p.tag = static_cast<std::uint32_t>(both);
    return true;
  }
};

/// The entry that a peer is about to access, + 1; 0: none.
using copy_mark = platform::atomic<std::uint64_t>;

/// A key names an entry and one of its successive uses: version << 16 | entry. Handles are keys.
constexpr std::uint32_t entry_of(std::uint64_t key) noexcept {
  return static_cast<std::uint32_t>(key & 0xffff);
}

/// The owner's table. The owner decides by this private memory; the shared table is for its peers.
class region_table {
 public:
  /// `first_version`: should differ from those of other jobs and of earlier cards. Errors:
  /// errc::no_resources.
  region_table(std::uint32_t regions_max, std::uint64_t bytes_max, std::uint64_t first_version)
      : entries_(regions_max),
        free_(regions_max),
        free_count_(regions_max),
        bytes_max_(bytes_max),
        version_(first_version) {
    for (std::uint32_t i = 0; i < regions_max; ++i) free_[i] = regions_max - 1 - i;
  }

  std::uint64_t registered_bytes() const noexcept { return bytes_; }

  /// Adds a registration. `share(entry, key)` publishes it.
  template <class Share>
  errc add(const region_place& place, nic_region& region, Share&& share) noexcept {
    const std::uint64_t pages = pages_at(place);
    if (free_count_ == 0 || pages > bytes_max_ - bytes_) return errc::no_resources;
    const std::uint32_t number = free_[--free_count_];
    version_ = (version_ + 1) & version_mask;
    if (version_ == 0) version_ = 1;
    const std::uint64_t key = version_ << 16 | number;
    entries_[number] = {place, key, false};
    bytes_ += pages;
    share(number, key);
    region = {key, {place.address, key}};
    return errc{};
  }

  /// Removes a registration: calls `close(entry)` first, and removes it once `in_use(entry)`
  /// returns false. Returns `retry` until then.
  template <class Close, class InUse>
  outcome remove(std::uint64_t handle, Close&& close, InUse&& in_use) noexcept {
    const std::uint32_t number = entry_of(handle);
    if (number >= entries_.size() || handle == 0 || entries_[number].key != handle)
      return outcome::refused;
    entry& e = entries_[number];
    if (!e.closing) close(number);
    e.closing = true;
    if (in_use(number)) return outcome::retry;
    bytes_ -= pages_at(e.place);
    e = {};
    free_[free_count_++] = number;
    return outcome::done;
  }

  /// True if `memory` lies inside a registration that connections of `tag` may use.
  bool holds(std::uint64_t handle, std::span<const std::byte> memory,
             std::uint32_t tag) const noexcept {
    std::uint64_t offset = 0;
    const region_place* const place = find(handle);
    return place != nullptr && place->grants(reinterpret_cast<std::uintptr_t>(memory.data()),
                                             memory.size(), nic_access::local, tag, offset);
  }
  /// The memory that a peer names, or nullptr if the access is not granted.
  std::byte* at(const remote_memory& memory, std::uint64_t offset, std::uint64_t bytes,
                nic_access wanted, std::uint32_t tag) const noexcept {
    const region_place* const place = find(memory.key);
    std::uint64_t from = 0;
    if (place == nullptr || !place->grants(memory.address + offset, bytes, wanted, tag, from))
      return nullptr;
    return reinterpret_cast<std::byte*>(place->address + from);
  }

 private:
  static constexpr std::uint64_t version_mask = (std::uint64_t{1} << 48) - 1;
  struct entry {
    region_place place;
    std::uint64_t key = 0;
    bool closing = false;
  };
  static std::uint64_t pages_at(const region_place& place) noexcept {
    return pages_of({reinterpret_cast<const std::byte*>(place.address), place.bytes});
  }
  const region_place* find(std::uint64_t key) const noexcept {
    const std::uint32_t number = entry_of(key);
    if (number >= entries_.size() || key == 0) return nullptr;
    const entry& e = entries_[number];
    return e.key == key && !e.closing ? &e.place : nullptr;
  }

  plain_array<entry> entries_;
  plain_array<std::uint32_t> free_;  // Stack of free entries.
  std::uint32_t free_count_;
  std::uint64_t bytes_max_;
  std::uint64_t bytes_ = 0;
  std::uint64_t version_;
};

/// A random version, unlikely to be that of another card.
inline std::uint64_t random_version() noexcept {
  std::uint64_t word = 0;
  [[maybe_unused]] const auto filled = ::getrandom(&word, sizeof word, 0);
  return word >> 17;
}

}  // namespace mpx::inline v0::nic::detail
