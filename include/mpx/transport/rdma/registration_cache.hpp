// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory registrations of a network card: reused if that is safe, shared by simultaneous users,
// within a limit. The cache depends on the card only to register and deregister.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "mpx/core/error.hpp"
#include "mpx/core/intrusive.hpp"
#include "mpx/core/linked_tree.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/transport/rdma/nic.hpp"

namespace mpx::inline v0::transport::rdma_detail {

using mpx::detail::greater;
using mpx::detail::lesser;

/// A card, as the cache uses it.
///
/// `register_memory(memory, access, r)` returns errc{} and sets `r` to the registration; on an
/// error it has no effect. `deregister_memory(r)` returns true if no access by `r` is possible any
/// more; false if no new access begins but one is under way: call again.
template <class R>
concept MemoryRegistrar =
    requires(R& card, std::span<std::byte> memory, nic_access access, typename R::registration& r) {
      { card.register_memory(memory, access, r) } noexcept -> std::same_as<errc>;
      { card.deregister_memory(r) } noexcept -> std::same_as<bool>;
    };

struct registration_counters {
  std::uint64_t hits = 0;    ///< Acquired without registering.
  std::uint64_t misses = 0;  ///< Newly registered.
  std::uint64_t refusals = 0;
  std::uint64_t evictions = 0;         ///< Deregistered to make room.
  std::uint64_t registered_bytes = 0;  ///< Now, in whole pages.
  std::uint64_t registered_bytes_max = 0;
  double hit_rate() const noexcept {
    return hits + misses == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(hits + misses);
  }
};

/// Registrations, ordered by the memory that they cover.
///
/// Memory is *owned* while it cannot be freed without notice: between `own` and `disown`. Its
/// registrations are kept after their last use, until the limit needs their room; the least
/// recently used goes first. All other memory is *foreign*: its owner keeps it for the duration of
/// an operation only, and other pages may lie at its address later. So a foreign registration is
/// found by other users only while some user holds all of the memory that it covers, and it ends
/// with its last user. If registrations *follow* their memory, they reach the pages that lie at its
/// address now, and foreign registrations are kept, too. A registration in use is never dropped.
/// Ranges of two registrations that can be found do not overlap; one that is replaced by a larger
/// one while in use stays until it is not.
template <MemoryRegistrar Registrar>
class registration_cache {
 public:
  using registration = typename Registrar::registration;

  class entry : tree_node<entry>, list_node<entry> {
   public:
    const registration& handle() const noexcept { return handle_; }
    std::uint64_t begin() const noexcept { return begin_; }
    std::uint64_t end() const noexcept { return end_; }
    nic_access access() const noexcept { return access_; }

   private:
    friend registration_cache;
    friend linked_tree<entry, entry>;
    friend linked_list<entry, entry>;
    registration handle_{};
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0;
    std::uint32_t users_ = 0;
    std::uint32_t whole_ = 0;  // Users of all the memory that it covers.
    nic_access access_ = nic_access::local;
    bool kept_ = false;      // Its memory is owned.
    bool findable_ = false;  // In the tree `entries_`.
  };

  /// `bytes_max`: limit of registered bytes, counted in pages of `page_bytes`, a power of two.
  /// `follows`: see nic_limits::follows_memory.
  explicit registration_cache(Registrar& card, std::uint64_t bytes_max = ~std::uint64_t{0},
                              std::uint64_t page_bytes = 4096, bool follows = false) noexcept
      : card_(card), bytes_max_(bytes_max), page_bytes_(page_bytes), follows_(follows) {}
  registration_cache(const registration_cache&) = delete;
  registration_cache& operator=(const registration_cache&) = delete;
  /// Requires: nothing is in use.
  ~registration_cache() {
    while (entry* e = entries_.first()) {
      entries_.erase(*e);
      drop(*e);
    }
    tidy();
    while (!ending_.empty()) {  // The card ends accesses that are still under way.
      entry& e = ending_.front();
      ending_.pop_front();
      forget(e);
    }
    while (owned_range* r = owned_.first()) {
      owned_.erase(*r);
      delete r;
    }
  }

  const registration_counters& counters() const noexcept { return counters_; }
  std::uint64_t bytes_max() const noexcept { return bytes_max_; }
  /// Sets the limit. Registrations in use are kept: if they exceed it, less is registered once they
  /// are released.
  void set_bytes_max(std::uint64_t bytes) noexcept {
    bytes_max_ = bytes;
    make_room(0);
  }

  /// Declares that `memory` is not freed before `disown`. Returns false, and leaves it foreign, if
  /// part of it is owned already or memory is out.
  bool own(std::span<const std::byte> memory) noexcept {
    const std::uint64_t begin = address_of(memory);
    const std::uint64_t end = begin + memory.size();
    owned_range* const at = owned_.first_not([&](const owned_range& r) { return r.end <= begin; });
    if (memory.empty() || (at != nullptr && at->begin < end)) return false;
    auto* const r = new (std::nothrow) owned_range;
    if (r == nullptr) return false;
    r->begin = begin;
    r->end = end;
    owned_.insert_before(at, *r);
    return true;
  }
  /// Call before owned memory is freed: none of its registrations is found again. Requires:
  /// `memory` is the span of one call of own().
  void disown(std::span<const std::byte> memory) noexcept {
    const std::uint64_t begin = address_of(memory);
    owned_range* const r = owned_.first_not([&](const owned_range& o) { return o.end <= begin; });
    if (r == nullptr || r->begin != begin) return;
    for (entry* e = first_behind(begin); e != nullptr && e->begin_ < r->end;) {
      entry& now = *e;
      e = entries_.next(now);
      if (now.kept_) hide(now);
    }
    owned_.erase(*r);
    delete r;
  }

  /// Returns a registration that covers `memory`, which the caller uses from now on; nullptr if
  /// there is none.
  entry* find(std::span<const std::byte> memory, nic_access access) noexcept {
    const std::uint64_t begin = address_of(memory);
    const std::uint64_t end = begin + memory.size();
    entry* const e = first_behind(begin);
    if (e == nullptr || e->begin_ > begin || e->end_ < end || !grants(e->access_, access))
      return nullptr;
    ++counters_.hits;
    if (e->users_++ == 0) idle_.erase(*e);
    if (covers_exactly(*e, memory)) ++e->whole_;
    return e;
  }

  /// Returns a registration that covers `memory`; registers it if there is none.
  /// Errors: errc::pending: there is no room until other users release theirs; errc::no_resources:
  ///         it exceeds the limit, or the card refuses it although nothing else is registered.
  entry* acquire(std::span<const std::byte> memory, nic_access access, errc& why) noexcept {
    why = errc{};
    if (entry* const e = find(memory, access)) return e;
    const std::uint64_t begin = address_of(memory);
    const std::uint64_t end = begin + memory.size();
    auto* const e = new (std::nothrow) entry;
    if (e == nullptr) {
      why = errc::no_resources;
      return nullptr;
    }
    e->begin_ = begin;
    e->end_ = end;
    e->kept_ = widen(*e);
    e->access_ = e->kept_ ? nic_access::remote_read_write : access;
    why = try_register(*e);
    if (why != errc{} && (e->begin_ != begin || e->end_ != end)) {  // Too large with neighbours?
      e->begin_ = begin;
      e->end_ = end;
      why = try_register(*e);
    }
    if (why != errc{}) {
      ++counters_.refusals;
      delete e;
      return nullptr;
    }
    ++counters_.misses;
    replace_by(*e);
    e->users_ = 1;
    e->whole_ = covers_exactly(*e, memory) ? 1 : 0;
    return e;
  }

  /// Ends the caller's use of `e`, which may be gone when this returns.
  /// Requires: `memory` is the span for which `e` was acquired.
  /// Returns:  `done`: the registration has ended; `retry`: it is being ended; `refused`: it stays,
  ///           for other users or for later.
  outcome release(entry& e, std::span<const std::byte> memory) noexcept {
    if (covers_exactly(e, memory)) --e.whole_;
    --e.users_;
    if (e.findable_ && !e.kept_ && !follows_ && e.whole_ == 0) {
      entries_.erase(e);
      e.findable_ = false;
    }
    if (e.users_ != 0) return outcome::refused;
    if (!e.findable_) return drop(e);
    idle_.push_back(e);
    make_room(0);
    return outcome::refused;
  }
  /// State of a registration that was released before, named as peers name it. Returns as
  /// release().
  outcome reached(const remote_memory& at) noexcept
      requires requires(registration r) { r.remote.key; }
  {
    tidy();
    for (const entry& e : ending_)
      if (e.handle_.remote.key == at.key) return outcome::retry;
    for (entry* e = entries_.first(); e != nullptr; e = entries_.next(*e))
      if (e->handle_.remote.key == at.key) return outcome::refused;
    return outcome::done;
  }
  /// Releases `e` and ends the registration at once. Returns `retry` if an access is under way:
  /// call again; `refused`, without effect, if it has other users.
  outcome revoke(entry& e) noexcept {
    if (e.users_ != 1) return outcome::refused;
    if (e.findable_) entries_.erase(e);
    e.findable_ = false;
    if (!card_.deregister_memory(e.handle_)) return outcome::retry;
    forget(e);
    return outcome::done;
  }
  /// True if part of `memory` is still registered. Requires: it is not owned any more.
  bool uses(std::span<const std::byte> memory) noexcept {
    const std::uint64_t begin = address_of(memory);
    const std::uint64_t end = begin + memory.size();
    for (const entry& e : ending_)
      if (e.begin_ < end && begin < e.end_) return true;
    entry* const e = first_behind(begin);
    return e != nullptr && e->begin_ < end;
  }
  /// True if registrations have to be ended that were being accessed.
  bool ending() const noexcept { return !ending_.empty(); }
  /// Ends those of them that are not accessed any more.
  void tidy() noexcept {
    for (auto it = ending_.begin(); it != ending_.end();) {
      entry& e = *it;
      ++it;
      if (!card_.deregister_memory(e.handle_)) continue;
      ending_.erase(e);
      forget(e);
    }
  }

 private:
  struct owned_range : tree_node<owned_range> {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  static std::uint64_t address_of(std::span<const std::byte> memory) noexcept {
    return reinterpret_cast<std::uintptr_t>(memory.data());
  }
  static std::span<std::byte> span_of(const entry& e) noexcept {
    return {reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(e.begin_)),
            static_cast<std::size_t>(e.end_ - e.begin_)};
  }
  static bool grants(nic_access has, nic_access wanted) noexcept {
    return (static_cast<unsigned>(wanted) & ~static_cast<unsigned>(has)) == 0;
  }
  std::uint64_t footprint(const entry& e) const noexcept { return up(e.end_) - down(e.begin_); }
  std::uint64_t down(std::uint64_t address) const noexcept { return address & ~(page_bytes_ - 1); }
  std::uint64_t up(std::uint64_t address) const noexcept { return down(address + page_bytes_ - 1); }
  entry* first_behind(std::uint64_t address) noexcept {
    return entries_.first_not([address](const entry& e) { return e.end_ <= address; });
  }

  static bool covers_exactly(const entry& e, std::span<const std::byte> memory) noexcept {
    return address_of(memory) == e.begin_ && memory.size() == e.end_ - e.begin_;
  }

  /// Widens an entry of owned memory to whole pages and to overlapping entries, so that later
  /// misses are rarer. Returns true if the memory is owned.
  bool widen(entry& e) noexcept {
    owned_range* const r =
        owned_.first_not([&](const owned_range& o) { return o.end <= e.begin_; });
    if (r == nullptr || r->begin > e.begin_ || r->end < e.end_) return false;
    e.begin_ = greater(r->begin, down(e.begin_));
    e.end_ = lesser(r->end, up(e.end_));
    for (entry* o = first_behind(e.begin_); o != nullptr && o->begin_ < e.end_;
         o = entries_.next(*o)) {
      if (!o->kept_) continue;
      e.begin_ = lesser(e.begin_, o->begin_);
      e.end_ = greater(e.end_, o->end_);
    }
    return true;
  }
  errc try_register(entry& e) noexcept {
    const std::uint64_t bytes = footprint(e);
    if (bytes > bytes_max_) return errc::no_resources;
    if (!make_room(bytes)) return errc::pending;
    errc why = card_.register_memory(span_of(e), e.access_, e.handle_);
    while (why != errc{} && !idle_.empty()) {  // The card's limit may be lower, or shared.
      evict();
      why = card_.register_memory(span_of(e), e.access_, e.handle_);
    }
    if (why != errc{}) return counters_.registered_bytes != 0 ? errc::pending : errc::no_resources;
    counters_.registered_bytes += bytes;
    counters_.registered_bytes_max =
        greater(counters_.registered_bytes_max, counters_.registered_bytes);
    return errc{};
  }
  /// Drops unused registrations until `bytes` more fit. Returns false if they do not.
  bool make_room(std::uint64_t bytes) noexcept {
    if (ending()) tidy();
    while (counters_.registered_bytes + bytes > bytes_max_) {
      if (idle_.empty()) return false;
      evict();
    }
    return true;
  }
  void evict() noexcept {
    ++counters_.evictions;
    hide(idle_.front());
  }
  /// Inserts `e` into the tree in place of all entries that it overlaps.
  void replace_by(entry& e) noexcept {
    entry* at = first_behind(e.begin_);
    while (at != nullptr && at->begin_ < e.end_) {
      entry& old = *at;
      at = entries_.next(old);
      hide(old);
    }
    entries_.insert_before(at, e);
    e.findable_ = true;
  }
  /// Makes an entry unfindable; it ends with its last user.
  void hide(entry& e) noexcept {
    entries_.erase(e);
    e.findable_ = false;
    if (e.users_ != 0) return;
    idle_.erase(e);
    drop(e);
  }
  /// Deregisters an entry. Requires: it is in no list or tree.
  outcome drop(entry& e) noexcept {
    if (!card_.deregister_memory(e.handle_)) {
      ending_.push_back(e);
      return outcome::retry;
    }
    forget(e);
    return outcome::done;
  }
  void forget(entry& e) noexcept {
    counters_.registered_bytes -= footprint(e);
    delete &e;
  }

  Registrar& card_;
  std::uint64_t bytes_max_;
  std::uint64_t page_bytes_;
  bool follows_;
  linked_tree<entry, entry> entries_;  // Entries that can be found; they do not overlap.
  linked_list<entry, entry> idle_;     // Those of them without users, the oldest first.
  linked_list<entry, entry> ending_;   // Without users and unfindable; to be deregistered.
  linked_tree<owned_range, owned_range> owned_;
  registration_counters counters_;
};

}  // namespace mpx::inline v0::transport::rdma_detail
