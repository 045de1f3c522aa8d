// SPDX-License-Identifier: BSL-1.0
#pragma once
// Matching by hash tables over (context, source, tag): constant time however many receives and
// messages are pending, as long as receives name their source and tag. Wildcards are kept aside in
// order of posting, and sequence numbers decide between them and an exact match.

#include <cstddef>
#include <new>

#include "mpx/core/memory.hpp"
#include "mpx/matching/concepts.hpp"

namespace mpx::inline v0::matching {

namespace detail {

/// Buckets of intrusive lists that double with their load. Equal keys keep their order. When memory
/// is out the buckets stay as they are, and are tried again once the load has doubled again.
template <class Node>
class bucket_table {
 public:
  using bucket = linked_list<Node, match_tag>;

  /// Errors: errc::no_resources.
  bucket_table() : first_(make(buckets_min)) {
    if (first_ == nullptr) mpx::detail::throw_out_of_memory();
  }
  bucket_table(const bucket_table&) = delete;
  bucket_table& operator=(const bucket_table&) = delete;
  ~bucket_table() { destroy(first_, mask_ + 1); }

  bucket& at(std::uint32_t hash) noexcept { return first_[hash & mask_]; }
  std::uint32_t size() const noexcept { return size_; }

  void insert(Node& n) noexcept {
    if (size_ > mask_) [[unlikely]]
      grow();
    ++size_;
    at(n.hash).push_back(n);
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
    if (size_ <= load_max_) return;  // It has failed lately.
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
        at(n.hash).push_back(n);
      }
    }
    destroy(old, old_count);
  }

  static constexpr std::uint32_t buckets_min = 16;

  bucket* first_;
  std::uint32_t mask_ = buckets_min - 1;
  std::uint32_t size_ = 0;
  std::uint32_t load_max_ = buckets_min - 1;  // More than `mask_` after growth has failed.
};

constexpr std::uint32_t mix(match_bits bits, peer_id source) noexcept {
  const std::uint64_t h = (bits ^ source * 0x9e37'79b1u) * 0xd6e8'feb8'6659'fd93u;
  return static_cast<std::uint32_t>(h >> 32);
}

}  // namespace detail

/// The default matcher. Cost: O(1) for receives that name source and tag; a pending wildcard
/// receive adds a step to each arrival; a wildcard receive looks through the unexpected messages in
/// order. Where memory for larger tables is out, O(pending / buckets).
class hashed {
 public:
  using policy_axis = matching_axis;
  static constexpr std::string_view name = "hashed";

  bool nothing_posted() const noexcept { return (exact_.size() | wild_posted_) == 0; }
  std::uint64_t pending() const noexcept {
    return exact_.size() | wild_posted_ | unexpected_.size();
  }

  [[gnu::always_inline]] posted_receive* match_arrival(const envelope& is) noexcept {
    posted_receive* hit = nullptr;
    for (posted_receive& r : exact_.at(detail::mix(is.bits, is.source))) {
      if (!equal(r.want, is)) continue;
      hit = &r;
      break;
    }
    if (wild_posted_ != 0) [[unlikely]] {
      posted_receive* w = earlier_wildcard(is, hit);
      if (w != nullptr) {
        cancel(*w);
        return w;
      }
    }
    if (hit != nullptr) exact_.erase(*hit);
    return hit;
  }

  [[gnu::always_inline]] unexpected_message* match_receive(const pattern& want) noexcept {
    return unexpected_.size() == 0 ? nullptr : take(want);
  }
  unexpected_message* find(const pattern& want) noexcept {
    if (want.exact()) {
      for (unexpected_message& m : unexpected_.at(detail::mix(want.bits, want.source)))
        if (equal(want, m.is)) return &m;
      return nullptr;
    }
    for (unexpected_message& m : arrivals_)
      if (want.matches(m.is)) return &m;
    return nullptr;
  }

  [[gnu::always_inline]] void post(posted_receive& r) noexcept {
    r.sequence = ++posted_ever_;
    if (r.want.exact()) {
      r.hash = detail::mix(r.want.bits, r.want.source);
      exact_.insert(r);
    } else {
      wild_.push_back(r);
      ++wild_posted_;
    }
  }

  void store(unexpected_message& m) noexcept {
    m.hash = detail::mix(m.is.bits, m.is.source);
    unexpected_.insert(m);
    arrivals_.push_back(m);
  }

  void cancel(posted_receive& r) noexcept {
    if (r.want.exact()) {
      exact_.erase(r);
    } else {
      wild_.erase(r);
      --wild_posted_;
    }
  }

  void withdraw(unexpected_message& m) noexcept {
    unexpected_.erase(m);
    arrivals_.erase(m);
  }

  template <class F>
  void for_each(F&& f) {
    for (auto it = arrivals_.begin(); it != arrivals_.end();) f(*it++);
  }

 private:
  [[gnu::noinline]] unexpected_message* take(const pattern& want) noexcept {
    unexpected_message* m = find(want);
    if (m != nullptr) withdraw(*m);
    return m;
  }

  static bool equal(const pattern& want, const envelope& is) noexcept {
    return want.bits == is.bits && want.source == is.source;
  }

  [[gnu::noinline]] posted_receive* earlier_wildcard(const envelope& is,
                                                     const posted_receive* hit) noexcept {
    for (posted_receive& w : wild_) {
      if (hit != nullptr && hit->sequence < w.sequence) return nullptr;
      if (w.want.matches(is)) return &w;
    }
    return nullptr;
  }

  detail::bucket_table<posted_receive> exact_;
  std::uint64_t posted_ever_ = 0;
  std::uint64_t wild_posted_ = 0;
  linked_list<posted_receive, match_tag> wild_;
  detail::bucket_table<unexpected_message> unexpected_;
  linked_list<unexpected_message, arrival_tag> arrivals_;
};

}  // namespace mpx::inline v0::matching
