// SPDX-License-Identifier: BSL-1.0
#pragma once
// Atomic accesses of transport rdma to words of its peers. Their previous values arrive in a page
// of registered memory of this side, from which they are copied to the caller.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "mpx/core/aligned.hpp"
#include "mpx/core/atomic_access.hpp"
#include "mpx/core/frame.hpp"
#include "mpx/core/types.hpp"
#include "mpx/transport/rdma/link.hpp"
#include "mpx/transport/rdma/nic.hpp"

namespace mpx::inline v0::transport::rdma_detail {

/// The accesses that have not ended: at most accesses_max. `Cache`: a registration_cache.
template <class Card, class Cache>
class atomic_accesses {
  using entry = typename Cache::entry;

 public:
  static constexpr std::uint16_t accesses_max = 64;

  atomic_accesses(Card& card, Cache& cache) noexcept : card_(card), cache_(cache) {}
  atomic_accesses(const atomic_accesses&) = delete;
  atomic_accesses& operator=(const atomic_accesses&) = delete;
  /// Requires: all connections have ended.
  ~atomic_accesses() {
    if (by_ != nullptr) cache_.release(*by_, words());
    mpx::detail::free_aligned(memory_);
  }

  bool full() const noexcept { return used_ == accesses_max; }
  bool has_ended() const noexcept { return ended_ != 0; }

  /// Begins an access: posts it if the link is up, else once it is. `cookie_of(i)`: the card's
  /// cookie of access i.
  /// Returns:    as for AtomicTransport::atomic.
  template <class CookieOf>
  outcome begin(link& l, const remote_memory& there, const atomic_access& what,
                std::span<std::byte> into, cookie_t cookie, CookieOf&& cookie_of) noexcept {
    if (full()) return outcome::retry;
    if (by_ == nullptr && !make_words()) return outcome::refused;
    std::uint16_t i = 0;
    while (all_[i].state != stage::free) ++i;
    access& a = all_[i];
    a = {&l, there, what, into, cookie, stage::waits};
    ++used_;
    const outcome o = l.up() ? post(i, cookie_of(i)) : outcome::retry;
    if (o == outcome::done || o == outcome::refused) {
      give(a);
      return o;
    }
    waiting_ += o == outcome::retry ? 1u : 0u;
    return outcome::pending;
  }
  /// Posts accesses that had to wait.
  template <class CookieOf>
  void advance(CookieOf&& cookie_of) noexcept {
    for (std::uint16_t i = 0; waiting_ != 0 && i < accesses_max; ++i) {
      access& a = all_[i];
      if (a.state != stage::waits || !a.with->up()) continue;
      const outcome o = post(i, cookie_of(i));
      if (o == outcome::retry) continue;
      --waiting_;
      if (o != outcome::pending) end(a, o == outcome::done);
    }
  }
  bool waits() const noexcept { return waiting_ != 0; }
  /// The card has ended access `i`.
  void on_sent(std::uint16_t i, bool ok) noexcept {
    if (i >= accesses_max) return;
    access& a = all_[i];
    if (a.state == stage::forsaken) return give(a);
    if (a.state != stage::in_card) return;
    if (ok) std::memcpy(a.into.data(), word(i), a.into.size());
    end(a, ok);
  }
  /// The link has ended: its accesses fail. The card may still report those that it has.
  void link_ended(const link& l) noexcept {
    for (access& a : all_) {
      if (a.with != &l || (a.state != stage::waits && a.state != stage::in_card)) continue;
      if (a.state == stage::waits) {
        --waiting_;
        end(a, false);
        continue;
      }
      if (failed_count_ == accesses_max) continue;  // Cannot happen: see full().
      failed_[failed_count_++] = a.cookie;
      ++ended_;
      a.state = stage::forsaken;
    }
  }
  /// Calls `f(cookie, ok)` for each access that has ended. Returns how many.
  template <class F>
  std::size_t complete(F&& f) noexcept {
    std::size_t n = 0;
    while (failed_count_ != 0) {
      --ended_;
      ++n;
      f(failed_[--failed_count_], false);
    }
    for (std::uint16_t i = 0; ended_ != 0 && i < accesses_max; ++i) {
      access& a = all_[i];
      if (a.state != stage::succeeded && a.state != stage::failed) continue;
      const cookie_t cookie = a.cookie;
      const bool ok = a.state == stage::succeeded;
      --ended_;
      ++n;
      give(a);
      f(cookie, ok);
    }
    return n;
  }

 private:
  enum class stage : std::uint8_t {
    free,
    waits,  ///< For the connection, or for room at the card.
    in_card,
    forsaken,   ///< Reported as failed; the card still has it.
    succeeded,  ///< To be reported.
    failed,     ///< To be reported.
  };
  struct access {
    link* with = nullptr;
    remote_memory there{};  // The address includes the offset.
    atomic_access what{};
    std::span<std::byte> into;
    cookie_t cookie = 0;
    stage state = stage::free;
  };
  static constexpr std::size_t word_bytes = 8;

  std::span<std::byte> words() const noexcept { return {memory_, accesses_max * word_bytes}; }
  std::byte* word(std::uint16_t i) const noexcept { return memory_ + i * word_bytes; }
  bool make_words() noexcept {
    const std::size_t page = card_.limits().page_bytes;
    if (memory_ == nullptr)
      memory_ = static_cast<std::byte*>(
          platform::allocate_aligned((words().size() + page - 1) / page * page, page));
    errc why{};
    if (memory_ != nullptr) by_ = cache_.acquire(words(), nic_access::local, why);
    return by_ != nullptr;
  }
  outcome post(std::uint16_t i, cookie_t cookie) noexcept {
    access& a = all_[i];
    const std::span<std::byte> into(word(i), a.into.size());
    const outcome o =
        card_.post_atomic(a.with->peer, by_->handle().handle, into, a.there, 0, a.what, cookie);
    if (o == outcome::done) std::memcpy(a.into.data(), into.data(), into.size());
    if (o == outcome::pending) a.state = stage::in_card;
    return o;
  }
  void end(access& a, bool ok) noexcept {
    a.state = ok ? stage::succeeded : stage::failed;
    ++ended_;
  }
  void give(access& a) noexcept {
    a = {};
    --used_;
  }

  Card& card_;
  Cache& cache_;
  std::byte* memory_ = nullptr;
  entry* by_ = nullptr;  // Registration of the words, from the first access on.
  access all_[accesses_max];
  cookie_t failed_[accesses_max];  // Of forsaken accesses, to be reported.
  std::uint32_t failed_count_ = 0;
  std::uint32_t used_ = 0;
  std::uint32_t waiting_ = 0;
  std::uint32_t ended_ = 0;
};

}  // namespace mpx::inline v0::transport::rdma_detail
