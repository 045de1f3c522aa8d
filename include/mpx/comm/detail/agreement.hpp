// SPDX-License-Identifier: BSL-1.0
#pragma once
// Agreement among the surviving ranks: combines the contributions of all, with the same result at
// every rank that returns, even if ranks fail during the call.

#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "mpx/comm/detail/own_messages.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/engine/requests/request.hpp"

namespace mpx::inline v0::detail {

/// Contribution of a rank, and the combined result. Combining is commutative and idempotent.
struct contribution {
  std::int32_t value = -1;           // Bitwise and.
  rank_t proposer = 0x7fff'ffff;     // The lowest proposer wins, ...
  context_id proposed = no_context;  // ... with the context that it proposes.
  std::uint32_t decided = 0;         // 1: this is the final result.
};

/// One agreement of this rank, by flooding.
///
/// In a round, each rank sends its knowledge to all others, and waits for the message of each of
/// them, or for its failure. It begins a round only after its messages of the previous round have
/// left. So a rank from which nothing arrived in one round has sent nothing to any rank in the next
/// one. Hence a rank that has heard from the same ranks in two successive rounds, or from all ranks
/// in one, knows everything that any surviving rank can ever know. It has decided: it sends the
/// decision to all others, and returns when that has left. A rank that receives a decision adopts
/// it, and does the same.
/// Cost:       Without failures 2 rounds of one message to each other rank, of 16 bytes and 2 bits
///             a rank; one round more for each rank that fails meanwhile, and one if some were
///             known to have failed before.
/// Source:     Charron-Bost, Schiper 2004; Raynal 2002: early decision with known failures.
template <class Stack>
class agreement {
 public:
  /// Errors: errc::no_resources, before anything is sent.
  agreement(const point_to_point<Stack>& comm, endpoint<Stack>& e, communicator_state& s,
            call_site site)
      : own_(comm, own_messages<Stack>::of::agreements, site),
        endpoint_(e),
        site_(site),
        size_(static_cast<std::size_t>(s.size)),
        me_(static_cast<std::size_t>(comm.rank())),
        words_((size_ + 63) / 64),
        message_words_(sizeof(contribution) / 8 + 2 * words_),
        tag_(static_cast<tag_t>(s.agreements++ & 0x7fff'ffffu)),
        memory_((size_ + 1) * message_words_ + 2 * words_) {
    e.pass_without_poll();  // With one rank nothing is sent.
    for (std::size_t i = 0; i < (size_ + 1) * message_words_ + 2 * words_; ++i)
      memory_.data()[i] = 0;
    put({});
    contributed()[me_ / 64] |= bit(me_);
    e.with_communicators([&](auto& all) {
      all.forget_agreements(own_.own_context(), tag_);
      for (std::size_t r = 0; r < size_; ++r)
        if (all.is_lost(s, static_cast<rank_t>(r))) lost()[r / 64] |= bit(r);
    });
    for (std::size_t r = 0; r < 2 * size_; ++r) requests_.add(new kept_request());
  }

  contribution get() const noexcept {
    contribution c;
    std::memcpy(static_cast<void*>(&c), memory_.data(), sizeof c);
    return c;
  }
  void put(const contribution& c) noexcept { std::memcpy(memory_.data(), &c, sizeof c); }
  /// True if the rank has contributed nothing, or some rank knew it to have failed.
  bool failed(rank_t rank) const noexcept {
    const auto r = static_cast<std::size_t>(rank);
    return !has(contributed(), r) || has(lost(), r);
  }
  /// True if this rank knows that all lower ranks have failed.
  bool is_lowest() const noexcept {
    for (std::size_t r = 0; r < me_; ++r)
      if (!has(lost(), r)) return false;
    return true;
  }

  /// Returns when all surviving ranks have, or will have, the same result.
  /// Errors: errc::no_resources, errc::not_a_rank.
  errc run() {
    std::uint64_t* heard = memory_.data() + (size_ + 1) * message_words_;
    std::uint64_t* before = heard + words_;
    for (bool first = true;; first = false) {
      if (const errc why = round(heard); why != errc{}) return why;
      bool same = !first;
      for (std::size_t w = 0; w < words_; ++w) same = same && heard[w] == before[w];
      bool all = true;
      for (std::size_t r = 0; r < size_; ++r) all = all && (r == me_ || has(heard, r));
      if (decided_ || same || all) break;
      std::swap(heard, before);
    }
    contribution c = get();
    c.decided = 1;
    put(c);
    return tell();
  }

 private:
  struct kept_request : allocated {
    request<Stack> is;
  };
  static std::uint64_t bit(std::size_t r) noexcept { return std::uint64_t{1} << (r % 64); }
  static bool has(const std::uint64_t* words, std::size_t r) noexcept {
    return (words[r / 64] & bit(r)) != 0;
  }
  std::uint64_t* contributed() const noexcept { return memory_.data() + sizeof(contribution) / 8; }
  std::uint64_t* lost() const noexcept { return contributed() + words_; }
  std::uint64_t* from(std::size_t r) const noexcept {
    return memory_.data() + (r + 1) * message_words_;
  }
  std::span<std::byte> bytes(std::uint64_t* at) const noexcept {
    return std::as_writable_bytes(std::span(at, message_words_));
  }
  request<Stack>& sent_to(std::size_t r) noexcept { return requests_[r]->is; }
  request<Stack>& heard_of(std::size_t r) noexcept { return requests_[size_ + r]->is; }

  /// Sends this rank's knowledge to all, which must not change until it has left.
  errc send_all() {
    for (std::size_t r = 0; r < size_; ++r) {
      if (r == me_) continue;
      const started s = own_.start_send(bytes(memory_.data()), static_cast<rank_t>(r), tag_);
      if (s.failure != errc{}) return s.failure;
      if (s.op != nullptr) sent_to(r) = request_access::make(endpoint_, s.op);
    }
    return errc{};
  }
  errc round(std::uint64_t* heard) {
    for (std::size_t w = 0; w < words_; ++w) heard[w] = 0;
    for (std::size_t r = 0; r < size_; ++r) {
      if (r == me_) continue;
      const started s = own_.start_receive(bytes(from(r)), static_cast<rank_t>(r), tag_);
      if (s.failure != errc{}) return s.failure;
      heard_of(r) = request_access::make(endpoint_, s.op);
    }
    if (const errc why = send_all(); why != errc{}) return why;
    for (std::size_t r = 0; r < size_; ++r) {
      if (r == me_) continue;
      std::error_code ec;
      const status got = request_access::wait_as(heard_of(r), site_, ec);
      if (ec == errc::not_a_rank) return errc::not_a_rank;
      if (!ec && got.bytes() == message_words_ * 8) heard[r / 64] |= bit(r);
    }
    for (std::size_t r = 0; r < size_; ++r) {
      contribution c;
      std::memcpy(static_cast<void*>(&c), from(r), sizeof c);
      if (has(heard, r) && c.decided != 0) decided_ = true;
    }
    for (std::size_t r = 0; r < size_ && !decided_; ++r)
      if (r != me_) wait_sent(sent_to(r), false);
    // If decided, this drops messages that have not left: a rank that misses one has decided, too.
    for (std::size_t r = 0; r < size_; ++r) sent_to(r) = {};
    for (std::size_t r = 0; r < size_; ++r)
      if (has(heard, r)) merge(from(r));
    return errc{};
  }
  /// Waits until a message has left, or its receiver is lost. `known`: it is enough that the
  /// receiver has been told of the message.
  void wait_sent(request<Stack>& r, bool known) {
    operation* const op = request_access::operation_of(r);
    if (op == nullptr) return;
    endpoint_.wait_until(site_, {wait_kind::all, awaited::form::one, op},
                         [&] { return op->done() || (known && op->stage == stage::answer); });
  }
  errc tell() {
    if (const errc why = send_all(); why != errc{}) return why;
    for (std::size_t r = 0; r < size_; ++r)
      if (r != me_) wait_sent(sent_to(r), true);
    return errc{};
  }
  void merge(const std::uint64_t* theirs) noexcept {
    contribution c = get();
    contribution other;
    std::memcpy(static_cast<void*>(&other), theirs, sizeof other);
    if (c.decided != 0) return;
    if (other.decided != 0) {
      std::memcpy(memory_.data(), theirs, message_words_ * 8);
      return;
    }
    if (decided_) return;
    c.value &= other.value;
    if (other.proposer < c.proposer) {
      c.proposer = other.proposer;
      c.proposed = other.proposed;
    }
    put(c);
    const std::uint64_t* const their_bits = theirs + sizeof(contribution) / 8;
    for (std::size_t w = 0; w < 2 * words_; ++w) contributed()[w] |= their_bits[w];
  }

  own_messages<Stack> own_;
  endpoint<Stack>& endpoint_;
  call_site site_;
  std::size_t size_;
  std::size_t me_;
  std::size_t words_;          // Words of a set of ranks.
  std::size_t message_words_;  // A contribution, the contributors, and the failed ranks.
  tag_t tag_;
  bool decided_ = false;
  scratch<std::uint64_t> memory_;  // Knowledge, messages received, ranks heard now and before.
  owning_table<kept_request> requests_;
};

}  // namespace mpx::inline v0::detail
