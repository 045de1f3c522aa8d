// SPDX-License-Identifier: BSL-1.0
#pragma once
// Agreement among the surviving ranks: combines the contributions of all, with the same result at
// every rank that ends it, even if ranks fail meanwhile. It runs whenever any call makes progress.

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "mpx/comm/detail/create.hpp"
#include "mpx/comm/detail/own_messages.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/engine/base/extension.hpp"
#include "mpx/engine/requests/request.hpp"

namespace mpx::inline v0::detail {

/// Contribution of a rank, and the combined result. Combining is commutative and idempotent.
struct contribution {
  std::int32_t value = -1;                 // Bitwise and.
  rank_t proposer = 0x7fff'ffff;           // The lowest proposer wins, ...
  context_id proposed = no_context;        // ... with the context that it proposes.
  std::int32_t acknowledged = 0x7fffffff;  // The least: failed ranks that a rank has acknowledged.
  std::uint32_t decided = 0;               // 1: this is the final result.
  std::uint32_t unused = 0;
};

/// One agreement of this rank, by flooding. The state machine behind its request.
///
/// In a round, each rank sends its knowledge to all others, and waits for the message of each of
/// them, or for its failure. It begins a round only after its messages of the previous round have
/// left. So a rank from which nothing arrived in one round has sent nothing to any rank in the next
/// one. Hence a rank that has heard from the same ranks in two successive rounds, or from all ranks
/// in one, knows everything that any surviving rank can ever know. It has decided: it sends the
/// decision to all others, and ends when that has left. A rank that receives a decision adopts it,
/// and does the same.
///
/// | stage    | waits for                                    | then                               |
/// |----------|----------------------------------------------|------------------------------------|
/// | speaking |                                              | hearing                            |
/// | hearing  | a message or the failure of each other rank  | dropping if one has decided,       |
/// |          |                                              | else leaving                       |
/// | leaving  | its own messages                             | dropping                           |
/// | dropping | accesses to the messages                     | telling if it decides, or speaking |
/// | telling  | its decision, or news of it, has left        | ending                             |
/// | ending   | accesses to the messages                     | over; speaking if it is repeated   |
///
/// Cost:       Without failures 2 rounds of one message to each other rank, of 24 bytes and 2 bits
///             a rank; one round more for each rank that fails meanwhile, and one if some were
///             known to have failed before.
/// Source:     Charron-Bost, Schiper 2004; Raynal 2002: early decision with known failures.
template <class Stack>
class agreement : public extension {
  using parts = compounds<Stack>;

 public:
  /// Makes the operation of `all`, which owns it from then on, and is not complete.
  /// Errors: errc::no_resources; `all` is deleted then.
  static started make(agreement* all) noexcept {
    const compound with{.kind = compound_kind::extended,
                        .open = true,
                        .ranks = all->on_.state().ranks,
                        .more = all};
    const started s = parts::make(all->endpoint_, with);
    if (s.op == nullptr) delete all;
    if (s.op != nullptr) all->op_ = s.op;
    return s;
  }
  /// Begins to run; once.
  void begin() noexcept {
    endpoint_.pass_without_poll();  // With one rank nothing is sent.
    parts::run(endpoint_, *this);
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
  /// True if all lower ranks are known to have failed.
  bool is_lowest() const noexcept {
    for (std::size_t r = 0; r < me_; ++r)
      if (!has(lost(), r)) return false;
    return true;
  }

  errc start() noexcept final { return errc{}; }
  bool part_done_locked(const operation&) noexcept final { return true; }
  void run_locked() noexcept final {
    if (op_->done()) return;
    while (step_locked()) {
    }  // Nothing of it is accessed afterwards: it may be over, and deleted.
  }
  errc end_locked(errc) noexcept final { return result_; }
  std::string describe() const final {
    return formatted("%s on rank %zu, communicator %u", name_, me_, number_of(on_.plain_context()));
  }

 protected:
  /// Errors: errc::no_resources, thrown.
  agreement(const communicator_access<Stack>& on, const char* name)
      : extension(extension_kind::agreements),
        on_(on),
        endpoint_(on.at()),
        name_(name),
        context_(
            own_messages<Stack>(on, own_messages<Stack>::of::agreements, {name}).own_context()),
        size_(static_cast<std::size_t>(on.size())),
        me_(static_cast<std::size_t>(on.rank())),
        words_((size_ + 63) / 64),
        message_words_(sizeof(contribution) / 8 + 2 * words_),
        memory_((size_ + 1) * message_words_ + 2 * words_),
        heard_of_(size_) {
    for (std::size_t w = 0; w < 2 * words_; ++w) contributed()[w] = 0;
    endpoint_.with_communicators([&](auto& all) {
      serial_ = on_.state().agreements++;
      std::uint32_t oldest = serial_;
      parts::for_each_extension_locked(endpoint_, [&](const extension& other) {
        if (other.kind != extension_kind::agreements) return;
        const auto& its = static_cast<const agreement&>(other);
        if (its.context_ == context_ && serial_ - its.serial_ > serial_ - oldest)
          oldest = its.serial_;
      });
      all.forget_agreements(context_, tag_of(oldest, 0));
      prepare_locked();
    });
  }

  /// Uses the result, or ends without one if `why` is an error. Returns false if the agreement has
  /// to be repeated (repeat_locked).
  virtual bool use_locked(errc why) noexcept = 0;
  /// Prepares another agreement of the same ranks, with what is known of failed ones.
  /// Errors: errc::communicator if it was repeated too often.
  errc repeat_locked() noexcept {
    if (++repeats_ == repeats_max) return errc::communicator;
    prepare_locked();
    return errc{};
  }
  void fails(errc why) noexcept { result_ = why; }
  /// The ranks for which is(rank) is true.
  /// Errors: errc::no_resources, thrown.
  template <class Is>
  group those(Is&& is) const {
    plain_array<peer_id> peers;
    for (rank_t r = 0; r < on_.size(); ++r)
      if (is(r)) peers.push_back(on_.peer_of(r));
    return group::table(std::span<const peer_id>(peers.begin(), peers.size()), endpoint_.self());
  }
  communicator_state& state() const noexcept { return on_.state(); }
  endpoint<Stack>& at() const noexcept { return endpoint_; }
  rank_t rank() const noexcept { return on_.rank(); }

 private:
  enum class doing : std::uint8_t { speaking, hearing, leaving, dropping, telling, ending };
  static constexpr std::uint32_t repeats_max = 64;

  static tag_t tag_of(std::uint32_t serial, std::uint32_t repeats) noexcept {
    return static_cast<tag_t>((serial * repeats_max + repeats) & 0x7fff'ffffu);
  }
  static std::uint64_t bit(std::size_t r) noexcept { return std::uint64_t{1} << (r % 64); }
  static bool has(const std::uint64_t* words, std::size_t r) noexcept {
    return (words[r / 64] & bit(r)) != 0;
  }
  std::uint64_t* contributed() const noexcept { return memory_.data() + sizeof(contribution) / 8; }
  std::uint64_t* lost() const noexcept { return contributed() + words_; }
  std::uint64_t* from(std::size_t r) const noexcept {
    return memory_.data() + (r + 1) * message_words_;
  }
  std::uint64_t* heard() const noexcept { return from(size_); }
  std::uint64_t* heard_before() const noexcept { return heard() + words_; }
  memory bytes(std::uint64_t* at) const noexcept {
    return {reinterpret_cast<std::byte*>(at), message_words_ * 8};
  }

  void prepare_locked() noexcept {
    put({});
    for (std::size_t w = 0; w < words_; ++w) contributed()[w] = 0;
    contributed()[me_ / 64] |= bit(me_);
    for (std::size_t r = 0; r < size_; ++r)
      if (endpoint_.communicators_locked().is_lost(on_.state(), static_cast<rank_t>(r)))
        lost()[r / 64] |= bit(r);
    now_ = doing::speaking;
    first_ = true;
    decided_ = false;
  }

  /// Does what the table above says. Returns false if it has to wait, or is over.
  bool step_locked() noexcept {
    switch (now_) {
      case doing::speaking: return speak_locked();
      case doing::hearing: return hear_locked();
      case doing::leaving:
        if (compound_of(*op_).pending != 0) return false;
        now_ = doing::dropping;
        return true;
      case doing::dropping:
        // If decided, this drops messages that have not left: a rank that misses one has decided,
        // too.
        return dropped_locked() && learn_locked();
      case doing::telling:
        if (!told_locked()) return again_soon_locked();
        now_ = doing::ending;
        return true;
      case doing::ending: return dropped_locked() && over_locked();
    }
    return false;
  }
  bool again_soon_locked() noexcept {
    schedules<Stack>::make_due(endpoint_, *this);
    return false;
  }
  bool dropped_locked() noexcept {
    return parts::drop_parts_locked(endpoint_, *op_) || again_soon_locked();
  }
  bool fail_locked(errc why) noexcept {
    use_locked(why);
    parts::fail_locked(endpoint_, *op_, why);
    return false;
  }

  bool speak_locked() noexcept {
    for (std::size_t w = 0; w < words_; ++w) heard()[w] = 0;
    for (std::size_t r = 0; r < size_; ++r) {
      heard_of_.data()[r] = nullptr;
      if (r == me_) continue;
      heard_of_.data()[r] = parts::receive_locked(endpoint_, *op_, bytes(from(r)),
                                                  pattern::exactly(context_, peer_of(r), tag()));
      if (heard_of_.data()[r] == nullptr) return fail_locked(errc::no_resources);
    }
    at_ = 0;
    now_ = doing::hearing;
    return send_all_locked();
  }
  /// Sends this rank's knowledge to all, which must not change until it has left.
  bool send_all_locked() noexcept {
    for (std::size_t r = 0; r < size_; ++r) {
      if (r == me_) continue;
      const errc why =
          parts::send_locked(endpoint_, *op_, {bytes(memory_.data()), peer_of(r), context_, tag()});
      if (why != errc{}) return fail_locked(why);
    }
    return true;
  }
  bool hear_locked() noexcept {
    for (; at_ < size_; ++at_) {
      if (at_ == me_) continue;
      const operation& got = *heard_of_.data()[at_];
      if (!got.done()) return false;
      if (got.failure == errc::not_a_rank) return fail_locked(errc::not_a_rank);
      if (got.failure != errc{} || got.message_bytes != message_words_ * 8) continue;
      heard()[at_ / 64] |= bit(at_);
      contribution c;
      std::memcpy(static_cast<void*>(&c), from(at_), sizeof c);
      if (c.decided != 0) decided_ = true;
    }
    now_ = decided_ ? doing::dropping : doing::leaving;
    return true;
  }
  /// Merges what has arrived in this round, and decides, or begins another one.
  bool learn_locked() noexcept {
    for (std::size_t r = 0; r < size_; ++r)
      if (has(heard(), r)) merge(from(r));
    bool same = !detail::exchange(first_, false);
    for (std::size_t w = 0; w < words_; ++w) same = same && heard()[w] == heard_before()[w];
    bool all = true;
    for (std::size_t r = 0; r < size_; ++r) all = all && (r == me_ || has(heard(), r));
    if (!decided_ && !same && !all) {
      for (std::size_t w = 0; w < words_; ++w) heard_before()[w] = heard()[w];
      now_ = doing::speaking;
      return true;
    }
    contribution c = get();
    c.decided = 1;
    put(c);
    now_ = doing::telling;
    return send_all_locked();
  }
  /// True if the decision has left, or its receivers are lost, or have been told of the message.
  bool told_locked() const noexcept {
    const compound& c = compound_of(*op_);
    if (c.pending == 0) return true;
    for (const operation* part = c.first; part != nullptr; part = part->next)
      if (!part->done() && part->stage != stage::answer) return false;
    return true;
  }
  bool over_locked() noexcept {
    if (!use_locked(errc{})) return true;  // Repeated.
    parts::seal_locked(endpoint_, *op_);
    return false;
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
    if (other.acknowledged < c.acknowledged) c.acknowledged = other.acknowledged;
    if (other.proposer < c.proposer) {
      c.proposer = other.proposer;
      c.proposed = other.proposed;
    }
    put(c);
    const std::uint64_t* const their_bits = theirs + sizeof(contribution) / 8;
    for (std::size_t w = 0; w < 2 * words_; ++w) contributed()[w] |= their_bits[w];
  }
  peer_id peer_of(std::size_t r) const noexcept { return on_.peer_of(static_cast<rank_t>(r)); }
  tag_t tag() const noexcept { return tag_of(serial_, repeats_); }

  communicator_access<Stack> on_;
  endpoint<Stack>& endpoint_;
  const char* name_;
  operation* op_ = nullptr;  // The operation that owns this object.
  context_id context_;       // Of its messages.
  std::size_t size_;
  std::size_t me_;
  std::size_t words_;          // Words of a set of ranks.
  std::size_t message_words_;  // A contribution, the contributors, and the failed ranks.
  std::uint32_t serial_ = 0;
  std::uint32_t repeats_ = 0;
  errc result_{};
  doing now_ = doing::speaking;
  bool first_ = true;
  bool decided_ = false;
  std::size_t at_ = 0;             // The rank whose message is waited for.
  scratch<std::uint64_t> memory_;  // Knowledge, messages received, ranks heard now and before.
  scratch<operation*> heard_of_;   // Receives of this round.
};

}  // namespace mpx::inline v0::detail
