// SPDX-License-Identifier: BSL-1.0
#pragma once
// Agreement among the surviving ranks: combines the contributions of all, with the same result at
// every rank that ends it, even if ranks fail meanwhile. It runs whenever any call makes progress.

#include <cstdint>
#include <cstring>
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
/// decision to all ranks that have not decided, as far as it knows. A rank that receives a decision
/// adopts it, and does the same.
///
/// | stage    | waits for                                           | then                        |
/// |----------|-----------------------------------------------------|-----------------------------|
/// | speaking |                                                     | hearing                     |
/// | hearing  | a message or the failure of each other rank         | leaving                     |
/// | leaving  | its messages to ranks that have not decided left    | telling or speaking         |
/// | telling  | each rank: its decision has left to that rank, or   | ending                      |
/// |          | that rank's decision has arrived, or it has failed  |                             |
/// | ending   | accesses to the receives                            | over; speaking if repeated  |
///
/// A decision may have to wait behind messages that no rank receives. So a rank that tells posts a
/// receive for the decision of each rank that its own one has not reached. It then lets that rank
/// announce more messages, and it waits for no rank that has decided, too.
///
/// Only complete parts make it due: a rank with an agreement under way sleeps as usual. Messages
/// own their bytes, and are independent of it once they are sent. Its operation names the context
/// of the communicator, which lives as long.
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
                        .want = pattern::exactly(all->context_, null_peer, 0),
                        .ranks = all->on_.state().ranks,
                        .more = all};
    const started s = parts::make(all->endpoint_, with);
    if (s.op == nullptr)
      delete all;
    else
      all->op_ = s.op;
    return s;
  }
  /// Starts it; once.
  void begin() noexcept {
    endpoint_.pass_without_poll();  // With one rank nothing is sent.
    endpoint_.with_communicators([this](auto& all) {
      serial_ = on_.state().agreements++;
      all.forget_agreements(context_, tag_of(oldest_locked(), 0));
      prepare_locked();
      run_locked();
    });
  }

  errc start() noexcept final { return errc{}; }
  bool part_done_locked(const operation&) noexcept final { return true; }
  void run_locked() noexcept final {
    looks_again_ = true;
    if (runs_ || op_->done()) return;
    runs_ = true;
    for (next is = next::step; is == next::step || looks_again_;) {
      looks_again_ = false;
      is = step_locked();
      if (is == next::over) return;  // Without a request it is deleted now.
    }
    runs_ = false;
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
        memory_((size_ + 1) * message_words_ + 3 * words_),
        said_to_(size_),
        heard_of_(size_) {
    for (std::size_t w = 0; w < 2 * words_; ++w) contributed()[w] = 0;
  }

  contribution get() const noexcept { return contribution_of(memory_.data()); }
  void put(const contribution& c) noexcept { std::memcpy(memory_.data(), &c, sizeof c); }
  /// True if the rank has contributed nothing, or some rank knew it to have failed.
  bool failed(rank_t rank) const noexcept {
    const auto r = static_cast<std::size_t>(rank);
    return !has(contributed(), r) || has(lost(), r);
  }
  /// True if all lower ranks are known to have failed.
  bool is_lowest_locked() noexcept {
    note_lost_locked();
    for (std::size_t r = 0; r < me_; ++r)
      if (!has(lost(), r)) return false;
    return true;
  }

  /// Puts the contribution of this rank.
  virtual void contribute_locked() noexcept = 0;
  /// Uses the result, or ends without one if `why` is an error. Returns false if the agreement has
  /// to be repeated (repeat_locked).
  virtual bool use_locked(errc why) noexcept = 0;
  /// Prepares another agreement of the same ranks, with the knowledge of failed ones.
  /// Errors: errc::communicator if it was repeated too often.
  errc repeat_locked() noexcept {
    if (++repeats_ == repeats_max) return errc::communicator;
    prepare_locked();
    return errc{};
  }
  void fails(errc why) noexcept { result_ = why; }
  communicator_state& state() const noexcept { return on_.state(); }
  endpoint<Stack>& at() const noexcept { return endpoint_; }
  rank_t rank() const noexcept { return on_.rank(); }
  const communicator_access<Stack>& on() const noexcept { return on_; }

 private:
  enum class doing : std::uint8_t { nothing, speaking, hearing, leaving, telling, ending };
  enum class next : std::uint8_t { step, wait, over };
  static constexpr std::uint32_t repeats_max = 64;

  static tag_t tag_of(std::uint32_t serial, std::uint32_t repeats) noexcept {
    return static_cast<tag_t>((serial * repeats_max + repeats) & 0x7fff'ffffu);
  }
  static contribution contribution_of(const std::uint64_t* words) noexcept {
    contribution c;
    std::memcpy(static_cast<void*>(&c), words, sizeof c);
    return c;
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
  std::uint64_t* decided() const noexcept { return heard_before() + words_; }
  memory bytes(std::uint64_t* at) const noexcept {
    return {reinterpret_cast<std::byte*>(at), message_words_ * 8};
  }

  /// The serial of the oldest agreement under way.
  std::uint32_t oldest_locked() const noexcept {
    std::uint32_t oldest = serial_;
    parts::for_each_extension_locked(endpoint_, [&](const extension& other) {
      if (other.kind != extension_kind::agreements) return;
      const auto& its = static_cast<const agreement&>(other);
      if (its.context_ == context_ && its.now_ != doing::nothing &&
          serial_ - its.serial_ > serial_ - oldest)
        oldest = its.serial_;
    });
    return oldest;
  }
  void note_lost_locked() noexcept {
    for (std::size_t r = 0; r < size_; ++r)
      if (endpoint_.communicators_locked().is_lost(on_.state(), static_cast<rank_t>(r)))
        lost()[r / 64] |= bit(r);
  }
  void prepare_locked() noexcept {
    put({});
    for (std::size_t w = 0; w < words_; ++w) contributed()[w] = decided()[w] = 0;
    contributed()[me_ / 64] |= bit(me_);
    note_lost_locked();
    contribute_locked();
    now_ = doing::speaking;
    first_ = true;
    decider_ = nullptr;
  }

  /// Does what the table above says.
  next step_locked() noexcept {
    switch (now_) {
      case doing::speaking: return speak_locked();
      case doing::hearing: return hear_locked();
      case doing::leaving: return has_left_locked() ? learn_locked() : next::wait;
      case doing::telling: return tell_locked();
      case doing::ending: return finish_locked();
      default: return next::wait;
    }
  }
  next become(doing what) noexcept {
    now_ = what;
    at_ = 0;
    return next::step;
  }
  next fail_locked(errc why) noexcept {
    fails(why);
    return become(doing::ending);
  }

  next speak_locked() noexcept {
    for (std::size_t w = 0; w < words_; ++w) heard()[w] = 0;
    for (std::size_t r = 0; r < size_; ++r)
      if (r != me_ && !receive_locked(r)) return fail_locked(errc::no_resources);
    for (std::size_t r = 0; r < size_; ++r)
      if (r != me_ && !send_locked(r)) return fail_locked(errc::no_resources);
    return become(doing::hearing);
  }
  next hear_locked() noexcept {
    for (; at_ < size_; ++at_) {
      if (at_ == me_) continue;
      const operation& got = *heard_of_.data()[at_];
      if (!got.done()) return next::wait;
      if (got.failure == errc::not_a_rank) return fail_locked(errc::not_a_rank);
      if (!is_good(got)) continue;
      heard()[at_ / 64] |= bit(at_);
      if (contribution_of(from(at_)).decided == 0) continue;
      decided()[at_ / 64] |= bit(at_);
      decider_ = from(at_);
    }
    return become(doing::leaving);
  }
  /// True if the messages of this round have left, except to ranks that may not receive them: those
  /// that have decided. All others wait for them.
  bool has_left_locked() noexcept {
    for (std::size_t r = 0; r < size_; ++r) {
      operation*& sent = said_to_.data()[r];
      if (r == me_ || has(decided(), r) || sent == nullptr) continue;
      if (!sent->done()) return false;
      sent = nullptr;  // It may be dropped, and this called again.
    }
    return true;
  }
  /// Merges the messages of this round, and decides, or begins another one.
  next learn_locked() noexcept {
    // Messages to ranks that have decided may continue alone.
    if (!parts::drop_parts_locked(endpoint_, *op_)) return next::wait;
    if (decider_ != nullptr) std::memcpy(memory_.data(), decider_, message_words_ * 8);
    bool same = !detail::exchange(first_, false);
    bool all = true;
    for (std::size_t r = 0; r < size_ && decider_ == nullptr; ++r) {
      if (has(heard(), r)) merge(from(r));
      all = all && (r == me_ || has(heard(), r));
      same = same && has(heard(), r) == has(heard_before(), r);
    }
    if (!same && !all && decider_ == nullptr) {
      for (std::size_t w = 0; w < words_; ++w) heard_before()[w] = heard()[w];
      return become(doing::speaking);
    }
    contribution c = get();
    c.decided = 1;
    put(c);
    for (std::size_t r = 0; r < size_; ++r) {
      said_to_.data()[r] = nullptr;
      if (r == me_ || has(decided(), r)) continue;
      if (!send_locked(r) || (said_to_.data()[r] != nullptr && !receive_locked(r)))
        return fail_locked(errc::no_resources);
    }
    return become(doing::telling);
  }
  next tell_locked() noexcept {
    for (; at_ < size_; ++at_)
      while (said_to_.data()[at_] != nullptr && !said_to_.data()[at_]->done()) {
        const operation& got = *heard_of_.data()[at_];
        if (!got.done()) return next::wait;
        if (!is_good(got) || contribution_of(from(at_)).decided != 0) break;
        if (!receive_locked(at_)) return fail_locked(errc::no_resources);  // It had not decided.
      }
    return become(doing::ending);
  }
  next finish_locked() noexcept {
    if (!parts::drop_parts_locked(endpoint_, *op_)) return next::wait;
    if (!use_locked(result_)) return next::step;
    parts::seal_locked(endpoint_, *op_);
    return next::over;
  }

  bool is_good(const operation& got) const noexcept {
    return got.failure == errc{} && got.message_bytes == message_words_ * 8;
  }
  bool receive_locked(std::size_t r) noexcept {
    heard_of_.data()[r] = parts::receive_locked(endpoint_, *op_, bytes(from(r)),
                                                pattern::exactly(context_, peer_of(r), tag()));
    return heard_of_.data()[r] != nullptr;
  }
  bool send_locked(std::size_t r) noexcept {
    const started s = parts::send_copy_locked(endpoint_, *op_,
                                              {bytes(memory_.data()), peer_of(r), context_, tag()});
    said_to_.data()[r] = s.op;
    return s.failure == errc{};
  }
  void merge(const std::uint64_t* theirs) noexcept {
    contribution c = get();
    const contribution other = contribution_of(theirs);
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
  doing now_ = doing::nothing;
  bool first_ = true;
  bool runs_ = false;                       // It ends parts, which may make it due.
  bool looks_again_ = false;                // Parts were completed meanwhile.
  std::size_t at_ = 0;                      // The rank that is waited for.
  const std::uint64_t* decider_ = nullptr;  // A decision that has arrived.
  // Knowledge, messages received, ranks heard now and before, and those that have decided.
  scratch<std::uint64_t> memory_;
  scratch<operation*> said_to_;   // The last send to each rank, unless it left at once.
  scratch<operation*> heard_of_;  // The last receive from each rank.
};

}  // namespace mpx::inline v0::detail
