// SPDX-License-Identifier: BSL-1.0
#pragma once
// The registered memory of transport rdma: memory for its own transfers, and memory exposed to
// peers.

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "mpx/core/linked_tree.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/transport/rdma/nic.hpp"
#include "mpx/transport/rdma/registration_cache.hpp"

namespace mpx::inline v0::transport::rdma_detail {

/// Adapts a card to MemoryRegistrar.
template <class Card>
struct registrar {
  using registration = nic_region;
  Card& card;

  errc register_memory(std::span<std::byte> memory, nic_access access,
                       nic_region& region) noexcept {
    return card.register_memory(memory, access, region);
  }
  bool deregister_memory(nic_region& region) noexcept {
    return card.deregister(region.handle) != outcome::retry;
  }
};

/// The registration cache, and the memory that is exposed through it.
template <class Card>
class registered_memory {
 public:
  using cache_type = registration_cache<registrar<Card>>;
  using entry = typename cache_type::entry;

  /// `kept_free`: bytes of the limit that exposed memory leaves for this side's own transfers.
  registered_memory(Card& card, std::uint64_t bytes_max, std::uint64_t kept_free) noexcept
      : card_{card},
        cache_(card_, bytes_max, card.limits().page_bytes, card.limits().follows_memory),
        kept_free_(kept_free),
        lent_for_(nic_traits(Card::traits).reads && card.limits().reads_pay
                      ? nic_access::remote_read_write
                      : nic_access::remote_write) {
    if constexpr (AtomicNic<Card>)
      if (!card.atomics().empty()) lent_for_ = nic_access::remote_read_write;
  }
  registered_memory(const registered_memory&) = delete;
  registered_memory& operator=(const registered_memory&) = delete;
  ~registered_memory() {
    while (exposure* x = exposed_.first()) close(*x);
  }

  cache_type& cache() noexcept { return cache_; }
  const cache_type& cache() const noexcept { return cache_; }

  /// Exposes `memory` to peers; key 0 if that is not possible. It never waits for room: a caller
  /// that gets key 0 takes another path, so no rank holds memory while it waits for more.
  remote_memory expose(std::span<const std::byte> memory) noexcept {
    const std::uint64_t most =
        cache_.bytes_max() - mpx::detail::lesser(cache_.bytes_max() / 2, kept_free_);
    if (memory.empty() || memory.size() > most || exposed_bytes_ > most - memory.size()) {
      ++refusals_;
      return {};
    }
    errc why{};
    entry* const e = cache_.acquire(memory, lent_for_, why);
    if (e == nullptr) return {};
    auto* const x = new (std::nothrow) exposure;
    const remote_memory at{
        e->handle().remote.address + (reinterpret_cast<std::uintptr_t>(memory.data()) - e->begin()),
        e->handle().remote.key};
    if (x == nullptr || at.key == 0) {
      delete x;
      cache_.release(*e, memory);
      return {};
    }
    x->at = at;
    x->by = e;
    x->memory = memory;
    exposed_.insert_before(exposed_.first_not([&](const exposure& o) { return before(o, at); }),
                           *x);
    exposed_bytes_ += memory.size();
    return at;
  }
  /// Ends an exposure that the peer does not use any more: the registration may be kept. See
  /// RegisteredTransport.
  outcome retire(const remote_memory& at) noexcept {
    exposure* const x = find(at);
    if (x == nullptr) return cache_.reached(at);
    const outcome o = cache_.release(*x->by, x->memory);
    remove(*x);
    return o;
  }
  /// See RmaTransport. If the card breaks the connection when an access comes too late, memory
  /// cannot be taken back while the peer may be about to access it.
  outcome withdraw(const remote_memory& at) noexcept {
    exposure* const x = find(at);
    if (x == nullptr) return outcome::done;
    if constexpr (!nic_traits(Card::traits).survives_refusals) return outcome::refused;
    return revoke(*x);
  }
  /// Takes memory back from a peer whose connection is over, so that a refusal breaks none.
  outcome revoke(const remote_memory& at) noexcept {
    exposure* const x = find(at);
    return x == nullptr ? outcome::done : revoke(*x);
  }
  std::uint64_t exposed_bytes() const noexcept { return exposed_bytes_; }
  /// Exposures refused because too much memory is exposed.
  std::uint64_t refusals() const noexcept { return refusals_; }

 private:
  struct exposure : mpx::detail::allocated, tree_node<exposure> {
    remote_memory at{};
    entry* by = nullptr;
    std::span<const std::byte> memory;
  };

  static bool before(const exposure& x, const remote_memory& at) noexcept {
    return x.at.address != at.address ? x.at.address < at.address : x.at.key < at.key;
  }
  exposure* find(const remote_memory& at) noexcept {
    exposure* const x = exposed_.first_not([&](const exposure& o) { return before(o, at); });
    return x != nullptr && x->at.address == at.address && x->at.key == at.key ? x : nullptr;
  }
  outcome revoke(exposure& x) noexcept {
    const outcome o = cache_.revoke(*x.by);
    if (o == outcome::done) remove(x);
    return o;
  }
  void close(exposure& x) noexcept {
    cache_.release(*x.by, x.memory);
    remove(x);
  }
  void remove(exposure& x) noexcept {
    exposed_bytes_ -= x.memory.size();
    exposed_.erase(x);
    delete &x;
  }

  registrar<Card> card_;
  cache_type cache_;
  std::uint64_t kept_free_;
  nic_access lent_for_;  // Write access suffices if no peer reads or combines.
  std::uint64_t exposed_bytes_ = 0;
  std::uint64_t refusals_ = 0;
  linked_tree<exposure, exposure> exposed_;
};

}  // namespace mpx::inline v0::transport::rdma_detail
