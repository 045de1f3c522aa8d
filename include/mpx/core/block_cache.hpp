// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory blocks in steps of 64 bytes. Small blocks are recycled through free lists of bounded
// length; large ones go to and from the system allocator.

#include <cstddef>
#include <new>

#include "mpx/core/platform.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

/// Keeps at most `cached_bytes_max` of free memory.
/// Cost:       a pop or a push for blocks up to 1 KiB.
class block_cache {
 public:
  static constexpr std::size_t step = 64;
  static constexpr std::size_t small_max = 1024;
  static constexpr std::size_t class_bytes_max = std::size_t{128} * 1024;
  static constexpr std::size_t cached_bytes_max = class_bytes_max * (small_max / step);

  block_cache() = default;
  block_cache(const block_cache&) = delete;
  block_cache& operator=(const block_cache&) = delete;
  ~block_cache() {
    for (free_list& list : lists_)
      while (list.first != nullptr) release(pop(list, 0));
  }

  /// Returns a block of `bytes`, rounded up to a step, aligned to 16; nullptr if memory is
  /// exhausted.
  void* take(std::size_t bytes) noexcept {
    in_use_ += round_up(bytes);
    if (bytes <= small_max) {
      free_list& list = lists_[index(bytes)];
      if (list.first != nullptr) return pop(list, round_up(bytes));
    }
    return take_fresh(round_up(bytes));
  }

  /// Gives back a block of `take(bytes)`.
  void give(void* p, std::size_t bytes) noexcept {
    in_use_ -= round_up(bytes);
    if (bytes <= small_max) {
      free_list& list = lists_[index(bytes)];
      if (list.bytes + round_up(bytes) <= class_bytes_max) {
        list.first = ::new (p) node{list.first};
        list.bytes += round_up(bytes);
        return;
      }
    }
    release(p);
  }

  /// Bytes handed out and not yet given back.
  std::size_t in_use_bytes() const noexcept { return in_use_; }

 private:
  struct node {
    node* next;
  };
  struct free_list {
    node* first = nullptr;
    std::size_t bytes = 0;
  };

  static constexpr std::size_t round_up(std::size_t n) noexcept {
    return (n + step - 1) / step * step;
  }
  static constexpr std::size_t index(std::size_t bytes) noexcept {
    return bytes == 0 ? 0 : (bytes - 1) / step;
  }
  [[gnu::noinline]] void* take_fresh(std::size_t rounded) noexcept {
    void* p = platform::allocate(rounded);
    if (p == nullptr) in_use_ -= rounded;
    return p;
  }
  static void* pop(free_list& list, std::size_t bytes) noexcept {
    node* n = list.first;
    list.first = n->next;
    list.bytes -= bytes;
    return n;
  }
  static void release(void* p) noexcept { platform::deallocate(p); }

  free_list lists_[small_max / step]{};
  std::size_t in_use_ = 0;
};

}  // namespace mpx::inline v0
