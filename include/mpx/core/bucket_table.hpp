// SPDX-License-Identifier: BSL-1.0
#pragma once
// Hash table of intrusive nodes. Only its buckets are allocated.

#include <cstddef>
#include <cstdint>
#include <new>

#include "mpx/core/intrusive.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/platform.hpp"

namespace mpx::inline v0::detail {

/// Hash table whose buckets are intrusive lists. The number of buckets doubles with the load. Does
/// not own the nodes, which derive from `list_node<Tag>`. `Hash` returns the hash of a node. Equal
/// keys keep their order. If memory for more buckets is exhausted, the table keeps its size and
/// tries again once the load has doubled again.
template <class Node, class Tag, class Hash>
class bucket_table {
 public:
  using bucket = linked_list<Node, Tag>;

  /// Requires:   `buckets` is a power of two.
  /// Errors:     errc::no_resources.
  explicit bucket_table(std::uint32_t buckets, Hash hash = {})
      : first_(make(buckets)), mask_(buckets - 1), load_max_(buckets - 1), hash_(hash) {
    if (first_ == nullptr) throw_out_of_memory();
  }
  bucket_table(const bucket_table&) = delete;
  bucket_table& operator=(const bucket_table&) = delete;
  ~bucket_table() { destroy(first_, mask_ + 1); }

  bucket& at(std::uint32_t hash) noexcept { return first_[hash & mask_]; }
  const Hash& hash() const noexcept { return hash_; }
  std::uint32_t size() const noexcept { return size_; }

  void insert(Node& n) noexcept {
    if (size_ > mask_) [[unlikely]]
      grow();
    ++size_;
    at(hash_(n)).push_back(n);
  }
  void erase(Node& n) noexcept {
    --size_;
    bucket::erase(n);
  }

 private:
  static bucket* make(std::uint32_t count) noexcept {
    void* const memory = platform::allocate(std::size_t{count} * sizeof(bucket));
    if (memory == nullptr) return nullptr;
    auto* const made = static_cast<bucket*>(memory);
    for (std::uint32_t i = 0; i < count; ++i) ::new (static_cast<void*>(made + i)) bucket;
    return made;
  }
  static void destroy(bucket* made, std::uint32_t count) noexcept {
    for (std::uint32_t i = 0; i < count; ++i) made[i].~bucket();
    platform::deallocate(made);
  }

  [[gnu::noinline]] void grow() noexcept {
    if (size_ <= load_max_) return;  // Growth failed, and the load has not doubled since.
    const std::uint32_t count = 2 * (load_max_ + 1);
    load_max_ = count - 1;
    bucket* const more = make(count);
    if (more == nullptr) return;
    bucket* const old = first_;
    const std::uint32_t old_count = mask_ + 1;
    first_ = more;
    mask_ = count - 1;
    for (std::uint32_t i = 0; i < old_count; ++i) {
      while (!old[i].empty()) {
        Node& n = old[i].front();
        old[i].pop_front();
        at(hash_(n)).push_back(n);
      }
    }
    destroy(old, old_count);
  }

  bucket* first_;
  std::uint32_t mask_;
  std::uint32_t size_ = 0;
  std::uint32_t load_max_;  // Greater than `mask_` after growth has failed.
  [[no_unique_address]] Hash hash_;
};

}  // namespace mpx::inline v0::detail
