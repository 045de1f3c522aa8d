// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory of unexpected messages and of messages that matched probes have taken out of matching. A
// part of the inbox.

#include <cstring>
#include <new>
#include <span>

#include "mpx/core/block_cache.hpp"
#include "mpx/core/bucket_table.hpp"
#include "mpx/core/exchange.hpp"
#include "mpx/engine/base/operation.hpp"
#include "mpx/flow/concepts.hpp"
#include "mpx/protocol/wire.hpp"

namespace mpx::inline v0::detail {

static_assert(sizeof(arrived_message) <= 112, "unexpected_cost() counts 112 bytes for a record");

class unexpected_messages {
 public:
  /// `place_mask`: the bits in which contexts of different places differ (context_numbers).
  explicit unexpected_messages(context_id place_mask)
      : index_(buckets_min, place_hash{place_mask}) {}
  unexpected_messages(const unexpected_messages&) = delete;
  unexpected_messages& operator=(const unexpected_messages&) = delete;
  ~unexpected_messages() {
    while (!probed_.empty()) {
      arrived_message& m = probed_.front();
      probed_.pop_front();
      forget(&m);
    }
  }

  /// Makes a record of a message with a copy of `payload`. Returns nullptr if memory is exhausted.
  arrived_message* make(peer_id source, const wire::header& h, std::span<const std::byte> payload) {
    void* const block = blocks_.take(sizeof(arrived_message) + payload.size());
    if (block == nullptr) return nullptr;
    auto* const m = ::new (block) arrived_message;
    m->is = {h.context, source, h.tag};
    m->kind = h.kind;
    m->flags = h.flags;
    m->ticket = h.ticket;
    m->stored = static_cast<std::uint32_t>(payload.size());
    m->bytes = payload.size();
    if (!payload.empty()) std::memcpy(m->data(), payload.data(), payload.size());
    return m;
  }
  /// Makes a record of an eager message without flags.
  [[MPX_ALWAYS_INLINE]] arrived_message* make_plain(peer_id source, match_bits bits,
                                                    std::span<const std::byte> payload) noexcept {
    void* const block = blocks_.take(sizeof(arrived_message) + payload.size());
    if (block == nullptr) return nullptr;
    auto* const m = ::new (block) arrived_message;
    m->is = {bits, source};
    m->kind = wire::kind::eager;
    m->plain = true;
    m->stored = static_cast<std::uint32_t>(payload.size());
    m->bytes = payload.size();
    if (payload.size() == 8) {
      std::memcpy(m->data(), payload.data(), 8);
    } else if (!payload.empty()) {
      std::memcpy(m->data(), payload.data(), payload.size());
    }
    return m;
  }
  /// Frees a record.
  /// Requires: `m` is neither in the matcher nor held by a matched probe.
  void forget(arrived_message* m) noexcept {
    if (m->indexed) [[unlikely]]
      index_.erase(*m);
    const std::size_t bytes = sizeof(arrived_message) + m->stored;
    m->~arrived_message();
    blocks_.give(m, bytes);
  }

  void take_by_probe(arrived_message& m) noexcept {
    if (detail::exchange(m.indexed, false)) index_.erase(m);
    probed_.push_back(m);
  }
  void end_probe(arrived_message& m) noexcept { probed_.erase(m); }
  const linked_list<arrived_message, arrival_tag>& probed() const noexcept { return probed_; }
  template <class F>
  void for_each_probed(F&& f) {
    for (arrived_message& m : probed_) f(m);
  }

  /// Adds `m` to the index.
  /// Requires: it is in the matcher and not in the index.
  void index(arrived_message& m) noexcept {
    m.indexed = true;
    index_.insert(m);
  }
  /// Calls take(message) for each indexed message whose context has the place of `context`, and for
  /// a few others. `take` may take it for a probe or forget the message that it is given.
  template <class Take>
  void for_each_near(context_id context, Take&& take) {
    auto& bucket = index_.at(index_.hash()(context));
    for (auto it = bucket.begin(); it != bucket.end();) take(*it++);
  }

  /// Memory of stored eager messages, in bytes, as flow control counts it.
  std::uint64_t bytes() const noexcept { return bytes_; }
  void count(std::uint64_t more) noexcept { bytes_ += more; }
  void discount(std::uint64_t less) noexcept { bytes_ -= less; }

 private:
  struct place_hash {
    context_id mask;
    std::uint32_t operator()(context_id context) const noexcept {
      const std::uint64_t h = std::uint64_t{context & mask} * 0x9e37'79b9'7f4a'7c15u;
      return static_cast<std::uint32_t>(h >> 32);
    }
    std::uint32_t operator()(const arrived_message& m) const noexcept {
      return (*this)(m.is.context());
    }
  };
  static constexpr std::uint32_t buckets_min = 4;

  std::uint64_t bytes_ = 0;
  block_cache blocks_;
  linked_list<arrived_message, arrival_tag> probed_;
  bucket_table<arrived_message, place_tag, place_hash> index_;  // By the place of the context.
};

}  // namespace mpx::inline v0::detail
