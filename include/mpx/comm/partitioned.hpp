// SPDX-License-Identifier: BSL-1.0
#pragma once
// Partitioned sends and receives as operations. Each partition of the sender is a message of its
// own; a message before all others carries their number.

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "mpx/core/plain_array.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/engine/base/extension.hpp"
#include "mpx/engine/endpoint/endpoint.hpp"
#include "mpx/engine/endpoint/schedule.hpp"
#include "mpx/engine/requests/request.hpp"

namespace mpx::inline v0::detail {

/// Partitioned messages have negative tags. No other receive or probe matches them, even if it
/// ignores all bits of a tag but the sign.
///
/// The first message of a send, its *offer*, has the communicator's context and the user's tag:
/// offers match receives as messages do, in the order of the init calls of both sides. Partition i
/// has the communicator's collective context, and the tag named by the offer, plus i.
constexpr tag_t partitioned_tag(std::uint32_t tag) noexcept {
  return static_cast<tag_t>(tag | 0x8000'0000u);
}
/// Limit of the number of partitions of all sends of one rank in one communicator.
inline constexpr std::uint32_t partitions_max = 0x3fff'ffff;  // Higher tags: prepared_serial.

/// Description of a send for its receiver.
struct partitioned_offer {
  std::uint64_t bytes;
  std::uint32_t partitions;
  std::uint32_t first_tag;
};

/// Parameters of a partitioned send or receive.
struct partitioned_call {
  memory buffer;  // A layout is linear: see coll/layout/linear_layout.hpp.
  std::uint32_t partitions;
  rank_t other;
  peer_id peer;
  tag_t tag;
  context_id context;  // Of the communicator, for point-to-point.
  rank_t rank;
  const group* ranks;
  match_bits ignored;  // Bits that receives ignore.

  /// Part i of n equal parts.
  memory part(std::size_t i, std::size_t n) const noexcept {
    const std::size_t bytes = buffer.bytes / n;
    return {buffer.base + i * bytes, bytes, buffer.how};
  }
  std::string describe(bool sends) const {
    std::string s = detail::describe(sends ? "partitioned send" : "partitioned receive", rank,
                                     sends ? " to rank " : " from rank ", other, tag, context,
                                     buffer.bytes, ranks);
    append(s, " in %u partitions", partitions);
    return s;
  }
};

/// The object behind a partitioned request, which `pready` and `parrived` use.
class partitioned_operation : public extension {
 public:
  partitioned_operation(const partitioned_call& c, bool sends) noexcept
      : extension(extension_kind::partitions), call_(c), sends_(sends) {
    static_cast<void>(lend(call_.buffer));  // Allocates nothing.
  }
  ~partitioned_operation() override { take_back(call_.buffer, {}); }
  const partitioned_call& call() const noexcept { return call_; }
  bool sends() const noexcept { return sends_; }
  std::string describe() const override { return call_.describe(sends_); }

  operation* op = nullptr;  // The operation that owns this object.

 protected:
  partitioned_call call_;

 private:
  bool sends_;
};

/// The sender's side. Threads: `ready` may be called by any thread, if the stack allows concurrent
/// calls.
template <class Stack>
class partitioned_sender final : public partitioned_operation {
  using parts = compounds<Stack>;

 public:
  partitioned_sender(endpoint<Stack>& e, const partitioned_call& c, std::uint32_t first_tag)
      : partitioned_operation(c, true),
        endpoint_(e),
        first_tag_(first_tag),
        round_of_(c.partitions) {}

  errc start() noexcept override {
    parts::set_status(endpoint_, *op, call_.peer, call_.tag, call_.buffer.bytes);
    ready_.store(0, platform::memory_order_relaxed);
    if (++round_ == 0) round_ = 1;  // 0 marks a partition that was never ready.
    running_.store(true, platform::memory_order_release);
    return errc{};
  }
  /// Marks the partitions in `named` as ready and sends them: all, or none if a check fails.
  /// Errors: errc::argument if one is beyond the last, or named twice; errc::request if one is
  /// ready already, or if the send is not started; else the failure of a send. In the last case the
  /// partitions before it have been sent; it and the rest are not ready, and may be tried again.
  /// `wrong` is the partition at fault.
  template <class Named>
  errc ready(const Named& named, std::size_t& wrong) {
    const std::size_t count = named.size();
    for (std::size_t k = 0; k < count; ++k) {
      wrong = named[k];
      if (wrong >= call_.partitions) return errc::argument;
      if (!may_be_ready(wrong)) return errc::request;
    }
    for (std::size_t k = 0; k < count; ++k) {
      wrong = named[k];
      if (mark(wrong).exchange(round_, platform::memory_order_relaxed) != round_) continue;
      errc why = errc::request;  // Marked by another thread meanwhile.
      for (std::size_t i = 0; i < k; ++i) {
        if (named[i] == wrong) why = errc::argument;
        give_back(named[i]);
      }
      return why;
    }
    for (std::size_t k = 0; k < count; ++k) {
      const errc why = send(named[k]);
      if (why == errc{}) continue;
      wrong = named[k];
      for (; k < count; ++k) give_back(named[k]);
      return why;
    }
    return errc{};
  }

  bool part_done_locked(const operation&) noexcept override { return false; }
  void run_locked() noexcept override {}

 private:
  platform::atomic_ref<std::uint32_t> mark(std::size_t i) noexcept {
    return platform::atomic_ref<std::uint32_t>(round_of_[i]);
  }
  bool may_be_ready(std::size_t i) noexcept {
    return running_.load(platform::memory_order_acquire) &&
           mark(i).load(platform::memory_order_relaxed) != round_;
  }
  void give_back(std::size_t i) noexcept {
    mark(i).store(round_ - 1, platform::memory_order_relaxed);
  }
  /// Sends partition `i`, which is marked. After the last one the engine completes the operation.
  errc send(std::size_t i) {
    if (call_.peer != null_peer) {
      memory part = call_.part(i, call_.partitions);
      if (!lend(part)) return errc::no_resources;
      const started s = endpoint_.send(
          {part, call_.peer, call_.context | 1, partitioned_tag(first_tag_ + index(i))});
      take_back(part, s);
      if (s.op == nullptr && s.failure != errc{}) return s.failure;
      if (s.op != nullptr) parts::add(endpoint_, *op, *s.op);
    }
    if (ready_.fetch_add(1, platform::memory_order_acq_rel) + 1 < call_.partitions) return errc{};
    running_.store(false, platform::memory_order_relaxed);
    parts::seal(endpoint_, *op);
    return errc{};
  }
  static std::uint32_t index(std::size_t i) noexcept { return static_cast<std::uint32_t>(i); }

  endpoint<Stack>& endpoint_;
  std::uint32_t first_tag_;
  std::uint32_t round_ = 0;  // Number of the current start.
  platform::atomic<std::uint32_t> ready_{0};
  platform::atomic<bool> running_{false};
  plain_array<std::uint32_t> round_of_;  // Of each partition: the last round in which it was ready.
};

/// The receiver's side: one receive for the offer, posted at init; then, in each round, one receive
/// for each partition of the sender.
template <class Stack>
class partitioned_receiver final : public partitioned_operation {
  using parts = compounds<Stack>;

 public:
  partitioned_receiver(endpoint<Stack>& e, const partitioned_call& c) noexcept
      : partitioned_operation(c, false), endpoint_(e) {}

  /// Posts the receive of the offer. Errors: errc::no_resources.
  errc expect() {
    if (call_.peer == null_peer) return errc{};
    const started s = endpoint_.receive(
        memory(std::as_writable_bytes(std::span(&offer_, 1))),
        pattern::of(
            match_bits_of(call_.context, partitioned_tag(static_cast<std::uint32_t>(call_.tag))),
            call_.ignored, call_.peer));
    if (s.op == nullptr) return s.failure;
    awaited_ = s.op;
    parts::add(endpoint_, *op, *s.op);
    return errc{};
  }
  errc start() noexcept override {
    const bool nobody = call_.peer == null_peer;
    parts::set_status(endpoint_, *op, call_.peer, nobody ? tag_t{any_tag} : call_.tag,
                      nobody ? 0 : call_.buffer.bytes);
    if (nobody) {
      parts::seal(endpoint_, *op);
    } else {
      parts::run(endpoint_, *this);
    }
    return errc{};
  }
  bool part_done_locked(const operation& part) noexcept override { return &part == awaited_; }
  /// Posts the receives of this round, once the offer has arrived.
  void run_locked() noexcept override {
    if (!is_active(*op) || !compound_of(*op).open) return;
    if (awaited_ != nullptr) {
      if (!awaited_->done()) return;
      refused_ = check(*std::exchange(awaited_, nullptr));
    }
    // If the sender's length differs, its data is received and dropped, so that it does not wait.
    if (refused_ != errc{} && refused_ != errc::count)
      return parts::fail_locked(endpoint_, *op, refused_);
    for (std::uint32_t i = 0; i < offer_.partitions; ++i) {
      pieces_[i] = parts::receive_locked(
          endpoint_, *op, piece(i),
          pattern::of(match_bits_of(call_.context | 1, partitioned_tag(offer_.first_tag + i)),
                      call_.ignored, call_.peer));
      if (pieces_[i] == nullptr) return parts::fail_locked(endpoint_, *op, errc::no_resources);
    }
    parts::seal_locked(endpoint_, *op);
  }
  errc end_locked(errc why) noexcept override {
    return refused_ != errc{} && !is_loss(why) ? refused_ : why;
  }
  std::string describe() const override {
    std::string s = call_.describe(false);
    if (refused_ == errc::count)
      append(s, ", whose sender has %llu bytes in %u",
             static_cast<unsigned long long>(offer_.bytes), offer_.partitions);
    return s;
  }
  /// True if all data of partition `i` has arrived, or the operation has failed.
  /// Requires: i < partitions; the caller holds the endpoint's lock.
  bool has_arrived_locked(std::size_t i) const noexcept {
    if (op->done()) return true;
    if (compound_of(*op).open) return false;
    const std::uint64_t sent = offer_.partitions;
    const std::uint64_t mine = call_.partitions;
    const std::uint64_t end = ((i + 1) * sent + mine - 1) / mine;
    for (std::uint64_t p = i * sent / mine; p < end; ++p)
      if (!pieces_[p]->done()) return false;
    return true;
  }

 private:
  memory piece(std::uint32_t i) const noexcept {
    return refused_ != errc{} ? memory() : call_.part(i, offer_.partitions);
  }
  /// Checks the offer: values from a peer are not trusted.
  errc check(const operation& came) noexcept {
    if (came.failure != errc{}) return came.failure;
    if (came.message_bytes != sizeof offer_ || offer_.partitions == 0 ||
        offer_.first_tag > partitions_max || offer_.partitions > partitions_max - offer_.first_tag)
      return errc::protocol;
    if (!pieces_.try_extend(offer_.partitions)) return errc::no_resources;
    const bool fits = offer_.bytes == call_.buffer.bytes && offer_.bytes % offer_.partitions == 0;
    return fits ? errc{} : errc::count;
  }

  endpoint<Stack>& endpoint_;
  operation* awaited_ = nullptr;  // Receive of the offer, until it has been checked.
  errc refused_{};                // The error of the offer.
  partitioned_offer offer_{};
  plain_array<operation*> pieces_;  // Receives of this round, by partition of the sender.
};

}  // namespace mpx::inline v0::detail
