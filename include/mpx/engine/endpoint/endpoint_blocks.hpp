// SPDX-License-Identifier: BSL-1.0
#pragma once
// Shared-memory blocks for ranks of one node: making and freeing blocks, waiting for stores of
// other ranks, and waking them.

#include <sched.h>

#include <bit>
#include <cstddef>
#include <cstdint>

#include "mpx/core/sanitizer.hpp"
#include "mpx/engine/endpoint/endpoint.hpp"

namespace mpx::inline v0::detail {

/// Access to the SharedMemoryTransport of an endpoint.
template <class Stack>
struct block_paths {
  using endpoint_type = endpoint<Stack>;
  static constexpr std::size_t dying_max = 256;

  /// Returns the name of a new block; 0 if there is none.
  static std::uint64_t make(endpoint_type& e, std::size_t bytes) noexcept {
    lock_guard lock(e.threading());
    e.dying_blocks_.erase_if([&e](const dying_block& b) {
      if (b.gone->load(platform::memory_order_acquire) != b.users) return false;
      e.transport().free_block(b.name);
      return true;
    });
    return e.dying_blocks_.size() < dying_max ? e.transport().make_block(bytes) : 0;
  }
  static void let_go(endpoint_type& e, std::uint64_t own, platform::atomic<std::uint64_t>& gone,
                     std::uint64_t users) noexcept {
    e.let_go_of_block(own, gone, users);
  }
  static void free(endpoint_type& e, std::uint64_t name) noexcept {
    lock_guard lock(e.threading());
    e.transport().free_block(name);
  }
  /// Returns the address of a block; nullptr if it cannot be reached.
  static std::byte* at(endpoint_type& e, peer_id owner, std::uint64_t name,
                       std::size_t bytes) noexcept {
    lock_guard lock(e.threading());
    return name == 0 ? nullptr : e.transport().block_at(owner, name, bytes);
  }
  /// True if any collective call can begin: no peer is lost, and no call has been left.
  [[MPX_ALWAYS_INLINE]] static bool undisturbed(endpoint_type& e) noexcept {
    lock_guard lock(e.threading());
    return !e.orphaned() && e.peers().failures() == 0 && e.revocations_.none();
  }
  static bool oversubscribed(endpoint_type& e) noexcept {
    lock_guard lock(e.threading());
    return e.transport().oversubscribed();
  }
  /// Blocks until `w` is ready. Returns false if it never will be. `from`: the awaited rank, in the
  /// form of the message that it does not send, for hang reports.
  static bool wait(endpoint_type& e, call_site site, const pattern& from, const flag_watch& w) {
    const awaited on{wait_kind::all, awaited::form::published, &from};
    return e.cold_.wait_for_flag(e, site, on, w);
  }
  /// Yields the core once before a wait, unless processes on it compute. Returns false if it did
  /// not yield.
  static bool yield(endpoint_type& e) noexcept {
    using pace_type = typename Stack::wait_type::pace;
    if constexpr (!LearningPace<pace_type>) return false;
    pace_type pace(true);
    held_lock lock(e.threading());
    if (e.pace().others_compute()) return false;
    e.pace().prepare(pace);
    lock.unlock();
    const bool yielded = !pace.should_sleep();
    lock.lock();
    e.pace().learn(pace);
    return yielded;
  }
  /// Wakes the ranks of a communicator whose bits are set in `mask`.
  [[gnu::noinline, gnu::cold]] static void wake(endpoint_type& e, const group* ranks,
                                                std::uint64_t mask) noexcept {
    lock_guard lock(e.threading());
    for (; mask != 0; mask &= mask - 1) {
      const auto rank = static_cast<rank_t>(std::countr_zero(mask));
      e.transport().wake_peer(ranks == nullptr ? world_peer(rank) : ranks->peer_of(rank));
    }
  }
  // --- Exposed memory: see RmaTransport ----------------------------------------------------------

  /// True if the state of one peer's exposure may change with those of others.
  static constexpr bool retires = RegisteredTransport<typename endpoint_type::transport_type>;
  /// Ends an exposure. Waits for a copy that the peer has begun, for at most 1 s, and not for a
  /// lost peer. Returns true if it is certain that the peer does not access the memory.
  /// Requires: the peer has no more reason to access it.
  static bool withdraw(endpoint_type& e, peer_id peer, const remote_memory& m) noexcept {
    constexpr std::int64_t wait_ns = 1'000'000'000;
    for (std::int64_t until_ns = 0;;) {
      {
        lock_guard lock(e.threading());
        outcome taken_back;
        if constexpr (RegisteredTransport<typename endpoint_type::transport_type>) {
          taken_back = e.transport().retire(peer, m);
        } else {
          taken_back = e.transport().withdraw(peer, m);
        }
        if (taken_back != outcome::retry) return taken_back == outcome::done;
        if (e.peers().loss_of(peer) != errc{}) return false;
      }
      const std::int64_t now_ns = platform::now_ns();
      if (until_ns == 0) until_ns = now_ns + wait_ns;
      if (now_ns > until_ns) return false;
      ::sched_yield();
    }
  }

  static peer_id node_of(const endpoint_type& e, peer_id peer) noexcept {
    return e.transport().node_of(peer);
  }
  static peer_id peers(const endpoint_type& e) noexcept { return e.transport().peers(); }
  /// Returns a message of a call; ranks that communicate through shared memory send none.
  /// Requires: the lock is held.
  static const arrived_message* message_of(endpoint_type& e, collective_call call) noexcept {
    pattern any(call.context, any_peer, call.serial);
    any.ignore |= type_mark<Stack::checks_type::compares_types>::ignored;
    errc failure{};
    return e.find(any, failure);
  }

  static constexpr block_calls<Stack> calls{&make, &at, &free, &withdraw, &yield, &wake};
};

/// As block_paths, for calls in any file: what is slow is reached through the endpoint's table.
template <class Stack>
struct shared_blocks : block_paths<Stack> {
  using endpoint_type = endpoint<Stack>;

  static std::uint64_t make(endpoint_type& e, std::size_t bytes) noexcept {
    return e.cold_.blocks->make(e, bytes);
  }
  static std::byte* at(endpoint_type& e, peer_id owner, std::uint64_t name,
                       std::size_t bytes) noexcept {
    return e.cold_.blocks->at(e, owner, name, bytes);
  }
  static void free(endpoint_type& e, std::uint64_t name) noexcept { e.cold_.blocks->free(e, name); }
  static bool withdraw(endpoint_type& e, peer_id peer, const remote_memory& m) noexcept {
    if constexpr (SharedMemoryTransport<typename Stack::transport_type>)
      return e.cold_.blocks->withdraw(e, peer, m);
    else
      return block_paths<Stack>::withdraw(e, peer, m);
  }
  static bool yield(endpoint_type& e) noexcept { return e.cold_.blocks->yield(e); }
  static void wake(endpoint_type& e, const group* ranks, std::uint64_t mask) noexcept {
    e.cold_.blocks->wake(e, ranks, mask);
  }
};

}  // namespace mpx::inline v0::detail
