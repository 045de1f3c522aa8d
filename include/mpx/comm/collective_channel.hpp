// SPDX-License-Identifier: BSL-1.0
#pragma once
// The channel of one collective call: sends and receives in the collective context of the
// communicator, with the call's serial number as the tag. Its steps run at once (see
// coll/algorithms/steps.hpp). Only `raise` throws; it reports the failure.

#include <exception>
#include <string>
#include <utility>

#include "mpx/comm/point_to_point.hpp"
#include "mpx/core/exchange.hpp"
#include "mpx/core/serials.hpp"
#include "mpx/engine/endpoint/schedule.hpp"

namespace mpx::inline v0::detail {

/// Failure of a collective call, for its error.
struct collective_outcome {
  collective_failure failure;
  tag_t serial = 0;
  std::exception_ptr thrown;  // By the user's operation.
};

/// One collective call of this rank, from its beginning to its end. After a step has failed, later
/// steps do nothing and return that failure.
template <class Stack>
class collective_channel : public point_to_point<Stack> {
  using base = point_to_point<Stack>;
  using cause = collective_failure::cause;

 public:
  /// Begins the next collective call of `comm`. `counted` is false for a call that not all ranks
  /// take part in; such a call sends nothing through the channel.
  collective_channel(const base& comm, call_site site, bool counted = true) noexcept
      : base(comm),
        site_{(this->check_exists(site.where), site.name), site.where},
        serial_(counted ? static_cast<tag_t>(this->state_->collective_serial++ & 0x7fff'ffffu)
                        : 0) {
    this->context_ |= 1;
    this->endpoint_->pass_without_poll();  // With one rank nothing is sent.
  }
  struct begun_before {};
  /// Goes on with the last call of `comm`, which this rank has begun without a channel.
  collective_channel(const base& comm, call_site site, begun_before) noexcept
      : collective_channel(comm, site, false) {
    // NOLINTNEXTLINE(*-prefer-member-initializer): a delegating constructor initialises no member.
    serial_ = static_cast<tag_t>((this->state_->collective_serial - 1) & 0x7fff'ffffu);
  }
  collective_channel(const collective_channel&) = delete;
  collective_channel& operator=(const collective_channel&) = delete;
  /// A rank that leaves a call after `begin` with an error informs the others, which would wait for
  /// it.
  ~collective_channel() {
    drop();
    if (why_ != errc{}) [[unlikely]] {
      if (begun_) this->endpoint_->give_up_collective(call(), why_);
    }
    if (pieces_ != nullptr) free_pieces();
  }

  /// Identifies the call, for communication by other means than messages.
  collective_call call() const noexcept { return {this->context_, serial_, this->state_}; }
  collective_failure why_lost() const { return this->endpoint_->failure_of_collective(call()); }
  /// This call uses messages, although its ranks share a block of memory, if all ranks choose so.
  void by_messages() noexcept { by_messages_ = true; }
  call_site site() const noexcept { return site_; }
  communicator_state& state() const noexcept { return *this->state_; }
  endpoint<Stack>& endpoint_of() const noexcept { return *this->endpoint_; }
  using base::peer_of;
  using base::rank_of;

  /// From here on the other ranks wait for this one. Send and receive steps call it themselves.
  errc begin() {
    if (detail::exchange(begun_, true)) return why_;
    return this->endpoint_->begin_collective(call()) ? why_ : failed(why_lost());
  }
  /// All messages of this call have been sent and received: no rank waits for this one any more.
  void over() noexcept { begun_ = false; }
  errc why() const noexcept { return why_; }
  bool failed() const noexcept { return why_ != errc{}; }

  // --- The steps ---------------------------------------------------------------------------------
  // Not inlined: algorithms consist of these steps, and inlining them took a fifth of the time to
  // compile a program with one collective.

  [[gnu::noinline]] errc start_send(const memory& data, rank_t to) {
    if (begin() != errc{}) return why_;
    memory lent = data;
    if (!lend(lent)) return no_memory();
    const started s = this->endpoint_->send({lent, this->peer_of(to), this->context_, serial_});
    take_back(lent, s);
    return keep(s, now_);
  }
  [[gnu::noinline]] errc start_receive(const memory& into, rank_t from) {
    if (begin() != errc{}) return why_;
    return post(into, from, now_);
  }
  [[gnu::noinline]] errc start_receive_ahead(const memory& into, rank_t from) {
    if (begin() != errc{}) return why_;
    return post(into, from, ahead_);
  }
  [[gnu::noinline]] errc finish() {
    if (finish_now() == errc{}) now_ = detail::exchange(ahead_, nullptr);
    return why_;
  }
  [[gnu::noinline]] errc send(const memory& data, rank_t to) {
    start_send(data, to);
    return now_ == nullptr ? why_ : finish_now();
  }
  /// Errors: errc::count if the message is not as long as `into`.
  [[gnu::noinline]] errc receive(const memory& into, rank_t from) {
    if (begin() != errc{}) return why_;
    if (now_ == nullptr && into.contiguous()) [[likely]]
      return receive_direct(into, from);
    start_receive(into, from);
    return finish_now();
  }
  [[gnu::noinline]] errc exchange(const memory& out, rank_t to, const memory& in, rank_t from) {
    if (begin() != errc{}) return why_;
    const std::size_t most = this->endpoint_->protocol().short_bytes_max();
    if (now_ == nullptr && out.bytes <= most && in.bytes <= most && in.contiguous()) [[likely]] {
      // A short message usually leaves at once; then the receive can use the direct path.
      if (start_send(out, to) != errc{}) return why_;
      if (receive_direct(in, from) != errc{}) return why_;
      return now_ == nullptr ? errc{} : finish_now();
    }
    start_receive(in, from);
    start_send(out, to);
    return finish_now();
  }
  [[gnu::noinline]] void copy(const memory& to, const memory& from) noexcept {
    if (why_ == errc{} && (to.base != from.base || to.how != from.how)) copy_message(to, from);
  }
  [[gnu::noinline]] void combine(const reduction& op, const memory& out, const memory& left,
                                 const memory& right) noexcept {
    if (why_ != errc{} || right.bytes == 0) return;
    try {
      op.apply(op.context, out.base, left.base, right.base, out.bytes);
    } catch (...) {
      begin();  // So that the other ranks are informed.
      thrown_ = std::current_exception();
      failed(errc::operation, cause::operation);
    }
  }
  void call(void (*function)(void*), void* with) {
    if (why_ == errc{}) function(with);
  }
  memory scratch(std::size_t bytes) noexcept {
    if (bytes <= sizeof(near_) - near_used_) {
      const memory piece{near_ + near_used_, bytes};
      near_used_ += (bytes + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
      if (near_used_ > sizeof(near_)) near_used_ = sizeof(near_);
      return piece;
    }
    return far_scratch(bytes);
  }

  /// Progress of a rank in `meet`.
  struct meeting {
    rank_t step = 1;
    bool sent = false;
    operation* coming = nullptr;  // Owned: `endpoint::abandon` it with the meeting.
  };
  /// A barrier of all ranks that belongs to no call. If this call fails meanwhile, the next call
  /// that asks for the meeting goes on with it: no message of it is lost.
  /// Cost: log2(size) rounds of an empty message.
  [[gnu::noinline]] errc meet(meeting& m) {
    constexpr tag_t tag = meeting_tag;
    if (begin() != errc{}) return why_;
    for (; m.step < this->size_; m.step *= 2, m.sent = false) {
      const rank_t to = (this->rank_ + m.step) % this->size_;
      const rank_t from = (this->rank_ - m.step + this->size_) % this->size_;
      if (!detail::exchange(m.sent, true)) {
        const started s = this->endpoint_->send({memory(), this->peer_of(to), this->context_, tag});
        if (keep(s, now_) != errc{} || finish_now() != errc{}) return why_;
      }
      if (m.coming == nullptr) {
        const started s =
            this->endpoint_->receive(memory(), this->exactly(this->peer_of(from), tag, {}));
        if (s.failure != errc{}) return no_memory();
        m.coming = s.op;
      }
      if (m.coming == nullptr) continue;
      if (!this->endpoint_->wait_in_collective(*m.coming, site_, call(), false))
        return failed(why_not_come());
      operation& op = *detail::exchange(m.coming, nullptr);
      const errc why = op.failure;
      this->endpoint_->release(op);
      if (why != errc{}) return failed_with(why, false, from, 0, 0);
    }
    return errc{};
  }

  // --- Failures ----------------------------------------------------------------------------------

  errc check_root(rank_t root) {
    if (root >= 0 && root < this->size_) return errc{};
    failure_.other = root;
    return failed(errc::root, cause::root);
  }
  errc failed(const collective_failure& f) noexcept {
    failure_ = f;
    return fails(f.why);
  }
  /// Fails the call by an exception of the user's operation.
  errc threw(std::exception_ptr what) noexcept {
    thrown_ = std::move(what);
    return failed(errc::operation, cause::operation);
  }
  errc no_memory() noexcept { return failed(errc::no_resources, cause::memory); }

  /// Fails the call with a reason in words.
  errc refused(errc why, const char* what) noexcept {
    failure_.what = what;
    return failed(why, cause::argument);
  }
  errc no_context() noexcept {
    return failed(this->endpoint_->with_communicators(
        [this](auto&) { return this->endpoint_->no_context_locked(errc::communicator); }));
  }

  /// Describes the failure.
  [[gnu::noinline, gnu::cold]] void tell(collective_outcome& outcome) const {
    outcome.failure = failure_;
    outcome.failure.why = why_;
    outcome.serial = serial_;
    outcome.thrown = thrown_;
  }
  /// Throws the error of the call.
  [[noreturn, gnu::noinline, gnu::cold]] void raise() const {
    collective_outcome outcome;
    tell(outcome);
    raise(*this, outcome, site_);
  }
  [[noreturn, gnu::noinline, gnu::cold]] static void raise(const base& comm,
                                                           const collective_outcome& outcome,
                                                           call_site site) {
    opened(comm).raise(outcome, site);
  }

  // --- Started calls -----------------------------------------------------------------------------

  /// Returns an empty schedule for calls of `comm`; nullptr if memory is out.
  static schedule* new_schedule(const base& comm, const char* name) noexcept {
    return opened(comm).new_schedule(name);
  }
  /// Returns the serial of the next collective that is prepared on `comm`, before its first start.
  /// Each init call takes one, even if it fails, so that ranks stay in step.
  static tag_t next_prepared(const base& comm) noexcept { return opened(comm).next_prepared(); }

 private:
  /// A handle whose protected parts are accessible.
  struct opened : base {
    explicit opened(const base& comm) noexcept : base(comm) {}
    tag_t next_prepared() const noexcept {
      return prepared_serial::make(this->state_->prepared++ & 0xffffu);
    }
    schedule* new_schedule(const char* name) const noexcept {
      return new (std::nothrow)
          schedule(name, *this->state_, this->context_, this->rank_, this->size_);
    }
    [[noreturn]] void raise(const collective_outcome& t, call_site site) const {
      const collective_failure& f = t.failure;
      if (t.thrown) std::rethrow_exception(t.thrown);
      if (f.why == errc::no_resources && f.of == cause::memory) throw_out_of_memory();
      this->endpoint_->raise(f, this->rank_, this->size_,
                             {this->context_ | 1, t.serial, this->state_}, site);
    }
  };

  /// Abandons all started messages, so that buffers may be freed after a step has returned a
  /// failure.
  [[gnu::cold]] errc fails(errc why) noexcept {
    why_ = why;
    drop();
    return why;
  }
  [[MPX_ALWAYS_INLINE]] void drop() noexcept {
    if ((now_ != nullptr) | (ahead_ != nullptr)) [[unlikely]]
      drop_started();
  }
  [[gnu::noinline, gnu::cold]] void drop_started() noexcept {
    // An array: where a module is imported clang 16 knows no std::initializer_list.
    operation* const lists[] = {detail::exchange(now_, nullptr), detail::exchange(ahead_, nullptr)};
    for (operation* parts : lists) {
      while (parts != nullptr) {
        operation& op = *detail::exchange(parts, parts->next);
        this->endpoint_->abandon(op);
      }
    }
  }
  [[gnu::cold]] errc failed(errc why, cause of) noexcept {
    failure_.of = of;
    return fails(why);
  }
  [[gnu::cold]] errc failed_with(errc why, bool sends, rank_t other, std::size_t bytes,
                                 std::size_t got) noexcept {
    return failed(
        {why, why == errc::count ? cause::length : cause::message, sends, other, bytes, got});
  }
  [[gnu::noinline, gnu::cold]] collective_failure why_not_come() const {
    const collective_failure f = why_lost();
    const bool nobody_said = f.why == errc::peer_lost && f.of == cause::lost && f.other < 0;
    if (!nobody_said || !by_messages_ || !this->state_->node->is_used_by(serial_)) return f;
    return {errc::count, cause::argument, false, proc_null, 0, 0, collective_failure::other_ways};
  }
  pattern wanted(rank_t from) const noexcept {
    return this->matching(this->peer_of(from), serial_, {});
  }
  [[gnu::noinline]] errc post(const memory& into, rank_t from, operation*& parts) {
    memory lent = into;
    if (!lend(lent)) return no_memory();
    const started s = this->endpoint_->receive(lent, wanted(from));
    take_back(lent, s);
    return keep(s, parts);
  }
  errc keep(const started& s, operation*& parts) noexcept {
    if (s.op != nullptr) {
      s.op->next = detail::exchange(parts, s.op);
    } else if (s.failure != errc{}) [[unlikely]] {
      return no_memory();
    }
    return errc{};
  }
  [[gnu::noinline]] errc finish_now() {
    while (now_ != nullptr && why_ == errc{}) wait_first();
    return why_;
  }
  /// Waits for the first of the started messages, and removes it from the list.
  [[gnu::noinline]] void wait_first() {
    operation& op = *now_;
    if (!this->endpoint_->wait_in_collective(op, site_, call(), by_messages_)) {
      failed(why_not_come());
      return;
    }
    now_ = op.next;
    const bool sends = op.role == role::send;
    errc why = op.failure;
    if (why == errc{} && !sends && op.message_bytes != op.data.bytes) why = errc::count;
    if (why != errc{}) [[unlikely]]
      failed_with(why, sends, this->rank_of(op.peer), op.data.bytes, op.message_bytes);
    this->endpoint_->release(op);
  }
  /// Receives a contiguous message. Cost: see endpoint::receive_now.
  errc receive_direct(const memory& into, rank_t from) {
    direct_receive d(into.base, into.bytes, this->context_, this->peer_of(from), serial_);
    if constexpr (Stack::checks_type::compares_types)
      d.want.ignore = type_mark<Stack::checks_type::compares_types>::ignored;
    this->endpoint_->receive_now(d);
    if (d.failure == errc{} && d.bytes == into.bytes) [[likely]]
      return errc{};
    return receive_rest(d, from);
  }
  [[gnu::noinline]] errc receive_rest(direct_receive& d, rank_t from) {
    if (d.failure == undecided) {
      if (!this->endpoint_->wait_in_collective(*d.posted, site_, call(), by_messages_)) {
        d.posted->next = detail::exchange(now_, d.posted);
        return failed(why_not_come());
      }
      this->endpoint_->receive_rest(d, site_);
    }
    if (d.failure == errc{} && d.bytes == d.capacity) return errc{};
    if (d.failure == errc::no_resources) return no_memory();
    return failed_with(d.failure == errc{} ? errc::count : d.failure, false, from, d.capacity,
                       d.bytes);
  }
  struct piece_header {
    piece_header* next;
  };
  [[gnu::noinline]] memory far_scratch(std::size_t bytes) noexcept {
    if (why_ != errc{}) return {};
    void* const room = allocate_scratch(bytes, scratch_alignment);
    if (room == nullptr) {
      begin();  // So that the other ranks are informed.
      no_memory();
      return {};
    }
    pieces_ = ::new (room) piece_header{pieces_};
    return {static_cast<std::byte*>(room) + scratch_alignment, bytes};
  }
  [[gnu::noinline]] void free_pieces() noexcept {
    while (pieces_ != nullptr) {
      void* const room = detail::exchange(pieces_, pieces_->next);
      platform::deallocate(room);
    }
  }

  call_site site_;
  tag_t serial_;
  errc why_{};
  bool begun_ = false;
  bool by_messages_ = false;
  operation* now_ = nullptr;    // Messages of this round, linked by operation::next.
  operation* ahead_ = nullptr;  // Messages of the next round.
  piece_header* pieces_ = nullptr;
  std::size_t near_used_ = 0;
  std::exception_ptr thrown_;
  collective_failure failure_;
  alignas(scratch_alignment) std::byte near_[256];
};

}  // namespace mpx::inline v0::detail
