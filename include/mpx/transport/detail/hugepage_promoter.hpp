// SPDX-License-Identifier: BSL-1.0
#pragma once
// Huge pages for memory that peers copy by the kernel. The kernel looks up the pages of another
// process one by one, which takes longer than the copy if pages have 4 KiB. Memory that peers have
// copied from repeatedly is put on huge pages in place (Linux 6.1 and later).

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "mpx/core/numbers.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/transport/detail/exposures.hpp"

namespace mpx::inline v0::transport::detail {

/// Interface of hugepage_promoter to Linux.
struct linux_huge_pages {
  /// Returns true unless the administrator has switched huge pages off.
  /// Cost:       reads a file.
  static bool allowed() noexcept {
    char text[64]{};
    const int fd = ::open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const ssize_t n = ::read(fd, text, sizeof text - 1);
    ::close(fd);
    return n > 0 && std::strstr(text, "[never]") == nullptr;
  }
  /// Puts the memory at this address on a huge page. Contents and addresses stay. Returns true if
  /// it is on a huge page now. The kernel refuses if it was told to leave the memory alone
  /// (MADV_NOHUGEPAGE, PR_SET_THP_DISABLE).
  static bool collapse(std::uintptr_t at, std::size_t bytes) noexcept {
    constexpr int madv_collapse = 25;  // Not defined by older headers.
    return ::madvise(reinterpret_cast<void*>(at), bytes, madv_collapse) == 0;
  }
  /// Measures the time of the page lookups for a copy of this memory. Copying one byte makes the
  /// kernel look up all pages of the range. Returns 0 if the measurement failed.
  /// Cost:       the lookups.
  static std::int64_t lookup_ns(std::uintptr_t at, std::size_t bytes) noexcept {
    std::byte one{};
    const ::iovec into{&one, 1};
    const ::iovec from{reinterpret_cast<void*>(at), bytes};
    const std::int64_t before = now_ns();
    const bool done = ::process_vm_readv(::getpid(), &into, 1, &from, 1, 0) == 1;
    return done ? now_ns() - before : 0;
  }
  static std::int64_t now_ns() noexcept { return platform::now_ns(); }
};

/// Interface that never uses huge pages.
struct no_huge_pages : linux_huge_pages {
  static constexpr bool allowed() noexcept { return false; }
};

/// Accounts the time that peers have lost by small pages, for each region that a huge page would
/// cover. Requests a huge page once the region has been copied twice over and the time lost equals
/// the cost of a request: 0.5 ms on most machines, ten times that on a virtual machine that must
/// get fresh memory from its host. A request therefore never costs more than the program has lost
/// before without it. The cost of a small page differs by a factor of five between machines and is
/// measured once.
/// Cost:       a few instructions per message and per 2 MiB of it.
template <class Kernel = linux_huge_pages>
class hugepage_promoter {
 public:
  static constexpr std::size_t region_bytes = std::size_t{2} << 20;

  /// A peer may copy from the memory until it is withdrawn. `slot` is that of the exposure_key.
  /// `bytes` is 0 for memory that is not counted.
  void expose(std::uint32_t slot, std::uintptr_t at, std::size_t bytes) noexcept {
    if (off_ || !has_tables()) return;
    bytes_[slot] = bytes;
    if (bytes == 0) return;
    for (std::uintptr_t r = at / region_bytes; r <= last(at, bytes); ++r)
      if (entry* const e = find_or_take(r)) ++e->exposed;
  }
  /// The peer may no longer copy from the memory, and has copied `copied_bytes` of it.
  void withdraw(std::uint32_t slot, std::uintptr_t at, std::size_t copied_bytes) noexcept {
    if (off_ || bytes_.empty() || bytes_[slot] == 0) return;
    const std::size_t bytes = bytes_[slot];
    // If the peer copied nothing, small pages may be the reason: count a share of the bytes.
    const std::uint64_t counted =
        copied_bytes == 0 ? bytes / uncopied_share : mpx::detail::lesser(copied_bytes, bytes);
    lost_ns_ = mpx::detail::lesser(lost_ns_ + lost_by(counted), lost_ns_max);
    const std::uint64_t per_kib = counted / (bytes / 1024 + 1);
    for (std::uintptr_t r = at / region_bytes; r <= last(at, bytes); ++r) {
      entry* const e = find(r);
      if (e == nullptr || e->exposed == 0) continue;
      --e->exposed;
      const std::uintptr_t from = mpx::detail::greater(at, r * region_bytes);
      const std::uintptr_t to = mpx::detail::lesser(at + bytes, (r + 1) * region_bytes);
      e->copied_bytes += (to - from) * per_kib / 1024;
      // Not while a peer may copy from the region: the kernel could not move it then.
      if (e->exposed == 0 && pays(*e) && (measured_ || pays_as_measured(*e, from, to - from)))
        ask(*e);
    }
  }

  /// Total time spent on requests and measurements.
  std::int64_t asked_ns() const noexcept { return asked_ns_; }

 private:
  struct entry {
    std::uintptr_t region = 0;  // 0 if the entry is free: nothing is exposed at address 0.
    std::uint32_t exposed = 0;  // Messages that peers may copy from it now.
    std::uint32_t passes = passes_first;
    std::uint64_t copied_bytes = 0;  // Since the last request for the region.
  };

  static constexpr std::size_t sets = 128;
  // Entries of a set, which contains the regions with the same remainder.
  static constexpr std::size_t ways = 4;
  static constexpr std::uint32_t passes_first = 2;
  // More than passes_first, since the owner may have freed the memory meanwhile.
  static constexpr std::uint32_t passes_later = 64;
  static constexpr std::uint32_t passes_last = 1u << 16;
  static constexpr std::uint64_t uncopied_share = 2;
  static constexpr std::uint64_t bytes_a_lost_ns_first = 15;  // 250 ns a page of 4 KiB.
  static constexpr std::uint64_t bytes_a_lost_ns_most = 1000;
  static constexpr std::size_t measured_bytes_min = 65536;
  static constexpr std::int64_t lost_ns_max = 16'000'000;
  static constexpr std::int64_t cost_ns_least = 300'000;

  std::int64_t lost_by(std::uint64_t bytes) const noexcept {
    return static_cast<std::int64_t>(bytes / bytes_a_lost_ns_);
  }
  static std::uintptr_t last(std::uintptr_t at, std::size_t bytes) noexcept {
    return (at + bytes - 1) / region_bytes;
  }
  [[gnu::noinline]] bool has_tables() noexcept {
    if (!bytes_.empty()) return true;
    off_ = !Kernel::allowed() || !table_.try_extend(sets * ways) ||
           !bytes_.try_extend(exposure_key::slots);
    return !off_;
  }
  entry* find(std::uintptr_t region) noexcept {
    entry* const set = &table_[region % sets * ways];
    for (std::size_t i = 0; i < ways; ++i)
      if (set[i].region == region) return &set[i];
    return nullptr;
  }
  /// Returns the entry of a region. A new region replaces the entry of its set that was copied from
  /// least. Returns nullptr if all other entries are in use.
  entry* find_or_take(std::uintptr_t region) noexcept {
    if (entry* const e = find(region)) return e;
    entry* const set = &table_[region % sets * ways];
    entry* least = nullptr;
    for (std::size_t i = 0; i < ways; ++i)
      if (set[i].exposed == 0 && (least == nullptr || set[i].copied_bytes < least->copied_bytes))
        least = &set[i];
    if (least != nullptr) *least = {.region = region};
    return least;
  }
  bool pays(const entry& e) const noexcept {
    return e.copied_bytes >= e.passes * std::uint64_t{region_bytes} &&
           lost_by(e.copied_bytes) >= cost_ns_ && lost_ns_ >= cost_ns_;
  }
  /// As `pays`, after measuring the page lookups of a message in the region, which lies at `at`.
  [[gnu::noinline]] bool pays_as_measured(const entry& e, std::uintptr_t at,
                                          std::size_t bytes) noexcept {
    if (bytes < measured_bytes_min) return true;
    measured_ = true;
    const std::int64_t before = Kernel::now_ns();
    std::int64_t least = 0;  // The minimum of several runs: the first may find cold caches.
    for (int i = 0; i < 4; ++i) {
      const std::int64_t ns = Kernel::lookup_ns(at, bytes);
      if (ns > 0 && (least == 0 || ns < least)) least = ns;
    }
    asked_ns_ += Kernel::now_ns() - before;
    if (least == 0) return true;
    using mpx::detail::greater;
    using mpx::detail::lesser;
    const std::uint64_t was = bytes_a_lost_ns_;
    bytes_a_lost_ns_ =
        lesser(greater(bytes / static_cast<std::uint64_t>(least), was / 4), bytes_a_lost_ns_most);
    lost_ns_ =
        lost_ns_ * static_cast<std::int64_t>(was) / static_cast<std::int64_t>(bytes_a_lost_ns_);
    return pays(e);
  }
  [[gnu::noinline]] void ask(entry& e) noexcept {
    const std::int64_t before = Kernel::now_ns();
    const bool done = Kernel::collapse(e.region * region_bytes, region_bytes);
    const std::int64_t all = Kernel::now_ns() - before;
    asked_ns_ += all;
    // Limited, since an unrelated delay may have been measured.
    const std::int64_t took = mpx::detail::lesser(all, lost_ns_max);
    lost_ns_ -= took;
    if (took > cost_ns_)
      cost_ns_ = took;
    else if (took > cost_ns_least / 4)  // Otherwise the kernel had nothing to do.
      cost_ns_ = mpx::detail::greater((cost_ns_ + took) / 2, cost_ns_least);
    // Each refusal makes requests rarer.
    e.passes = done ? passes_later : mpx::detail::lesser(e.passes * 8, passes_last);
    e.copied_bytes = 0;
  }

  plain_array<entry> table_;
  plain_array<std::size_t> bytes_;  // Bytes exposed, by slot.
  std::int64_t asked_ns_ = 0;
  std::int64_t lost_ns_ = 0;
  std::int64_t cost_ns_ = cost_ns_least;
  // Bytes copied from small pages for each nanosecond lost.
  std::uint64_t bytes_a_lost_ns_ = bytes_a_lost_ns_first;
  bool measured_ = false;
  bool off_ = false;
};

}  // namespace mpx::inline v0::transport::detail
