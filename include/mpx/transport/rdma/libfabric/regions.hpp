// SPDX-License-Identifier: BSL-1.0
#pragma once
// The registrations of a card over libfabric.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "mpx/core/plain_array.hpp"
#include "mpx/transport/rdma/detail/via_memory.hpp"
#include "mpx/transport/rdma/libfabric/resources.hpp"
#include "mpx/transport/rdma/nic.hpp"

namespace mpx::inline v0::nic::detail {

struct fabric_region {
  std::byte* memory = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t handle = 0;  ///< version << 16 | place; 0: free.
  std::uint64_t key = 0;     ///< The provider's key + 1, which is never 0; sent to peers.
  std::uint64_t address = 0;
  ::fid_mr* mr = nullptr;  ///< None for memory that only this card uses, unless the provider
                           ///< requires it.
  void* descriptor = nullptr;
  bool writable = false;  ///< By peers.
};

/// This side's registrations, with their local and remote names.
template <class Calls>
class fabric_regions {
 public:
  /// Errors: errc::no_resources.
  fabric_regions(fabric_resources<Calls>& of, std::uint32_t regions_max, std::uint64_t bytes_max)
      : of_(of),
        entries_(regions_max),
        free_(regions_max),
        free_count_(regions_max),
        bytes_max_(bytes_max),
        version_(random_version()),
        next_key_(random_version()) {
    for (std::uint32_t i = 0; i < regions_max; ++i) free_[i] = regions_max - 1 - i;
    const std::size_t key_bytes = of.info->domain_attr->mr_key_size;
    if (key_bytes != 0 && key_bytes < 8) key_mask_ = (std::uint64_t{1} << (8 * key_bytes)) - 1;
  }
  fabric_regions(const fabric_regions&) = delete;
  fabric_regions& operator=(const fabric_regions&) = delete;
  ~fabric_regions() {
    for (const fabric_region& r : entries_)
      if (r.mr != nullptr) static_cast<void>(Calls::close(&r.mr->fid));
    if (own_ != nullptr) static_cast<void>(Calls::close(&own_->fid));
  }

  /// Registers the card's own buffers if the provider requires it. Errors: errc::no_resources.
  void* pin(std::span<std::byte> memory) {
    if (!of_.wants_local()) return nullptr;
    const int result = enroll(memory, FI_SEND | FI_RECV, ++next_key_ & key_mask_, own_);
    if (result != 0)
      mpx::detail::throw_error(errc::no_resources,
                               "libfabric provider '%s': fi_mr_reg of its buffers fails: %s (%d)",
                               of_.provider(), Calls::strerror(-result), -result);
    return ::fi_mr_desc(own_);
  }

  std::uint64_t registered_bytes() const noexcept { return bytes_; }

  /// Registers memory. Returns errc{}, errc::no_resources or errc::argument. `result`: libfabric's
  /// error if it refuses, else 0.
  errc add(std::span<std::byte> memory, nic_access access, nic_region& region,
           int& result) noexcept {
    if (memory.empty() || !is_mapped(memory)) return errc::argument;
    const std::uint64_t pages = pages_of(memory);
    if (free_count_ == 0 || pages > bytes_max_ - bytes_) return errc::no_resources;
    fabric_region r;
    r.memory = memory.data();
    r.bytes = memory.size();
    r.writable = (static_cast<unsigned>(access) & 1u) != 0;
    std::uint64_t asked = ++next_key_ & key_mask_;
    if (asked == key_mask_) asked = next_key_ = 1;
    const bool readable = (static_cast<unsigned>(access) & 2u) != 0;
    const std::uint64_t wanted = FI_SEND | FI_RECV | FI_WRITE | FI_READ |
                                 (r.writable ? FI_REMOTE_WRITE : std::uint64_t{0}) |
                                 (readable ? FI_REMOTE_READ : std::uint64_t{0});
    r.key = asked + 1;
    if (r.writable || readable || of_.wants_local()) {
      result = enroll(memory, wanted, asked, r.mr);
      if (result != 0) return errc::no_resources;
      r.descriptor = ::fi_mr_desc(r.mr);
      r.key = ::fi_mr_key(r.mr) + 1;
    }
    const std::uint32_t place = free_[--free_count_];
    version_ = (version_ + 1) & ((std::uint64_t{1} << 47) - 1);
    if (version_ == 0) version_ = 1;
    r.handle = version_ << 16 | place;
    r.address = of_.names_by_address() ? reinterpret_cast<std::uintptr_t>(r.memory) : 0;
    entries_[place] = r;
    bytes_ += pages;
    region = {r.handle, {r.address, r.key}};
    return errc{};
  }
  outcome remove(std::uint64_t handle) noexcept {
    fabric_region* const r = find(handle);
    if (r == nullptr) return outcome::refused;
    if (r->mr != nullptr && Calls::close(&r->mr->fid) != 0) return outcome::retry;
    bytes_ -= pages_of({r->memory, r->bytes});
    *r = {};
    free_[free_count_++] = entry_of(handle);
    return outcome::done;
  }
  /// True if `memory` lies inside a registration of this card; sets its descriptor.
  bool holds(std::uint64_t handle, std::span<const std::byte> memory,
             void*& descriptor) const noexcept {
    const fabric_region* const r = const_cast<fabric_regions*>(this)->find(handle);
    if (r == nullptr) return false;
    const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(memory.data()) -
                                 reinterpret_cast<std::uintptr_t>(r->memory);
    descriptor = r->descriptor;
    return offset <= r->bytes && memory.size() <= r->bytes - offset;
  }
  /// Returns the memory that a peer names, or nullptr if it may not write there. `guess`: the entry
  /// at which its key was found last.
  /// Cost: a search of all entries if the guess is wrong.
  std::byte* at(std::uint64_t key, std::uint64_t address, std::uint64_t bytes,
                std::uint32_t& guess) const noexcept {
    if (!is(guess, key)) {
      for (guess = 0; guess != entries_.size() && !is(guess, key);) ++guess;
      if (guess == entries_.size()) return nullptr;
    }
    const fabric_region& r = entries_[guess];
    const std::uint64_t offset = address - r.address;
    return offset <= r.bytes && bytes <= r.bytes - offset ? r.memory + offset : nullptr;
  }

 private:
  int enroll(std::span<std::byte> memory, std::uint64_t access, std::uint64_t key,
             ::fid_mr*& made) noexcept {
    int result = Calls::mr_reg(of_.domain, memory.data(), memory.size(), access, key, &made);
    if (result != 0) made = nullptr;
    if (result != 0 || !of_.enables_memory()) return result;
    result = Calls::mr_bind(made, &of_.ep->fid);
    if (result == 0) result = Calls::mr_enable(made);
    if (result != 0) static_cast<void>(Calls::close(&std::exchange(made, nullptr)->fid));
    return result;
  }
  bool is(std::uint32_t place, std::uint64_t key) const noexcept {
    return place < entries_.size() && entries_[place].key == key && entries_[place].writable;
  }
  fabric_region* find(std::uint64_t handle) noexcept {
    const std::uint32_t place = entry_of(handle);
    return handle != 0 && place < entries_.size() && entries_[place].handle == handle
               ? &entries_[place]
               : nullptr;
  }

  fabric_resources<Calls>& of_;
  plain_array<fabric_region> entries_;
  plain_array<std::uint32_t> free_;  // Stack of free entries.
  std::uint32_t free_count_;
  std::uint64_t bytes_max_;
  std::uint64_t bytes_ = 0;
  std::uint64_t version_;
  std::uint64_t next_key_;
  std::uint64_t key_mask_ = ~std::uint64_t{0};
  ::fid_mr* own_ = nullptr;
};

}  // namespace mpx::inline v0::nic::detail
