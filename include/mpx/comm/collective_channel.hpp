// SPDX-License-Identifier: BSL-1.0
#pragma once
// What collectives of a communicator send and receive through: its collective context, with the
// call's serial number as the tag. Nothing here throws but `raise`, which says what went wrong.

#include <exception>
#include <span>
#include <string>
#include <utility>

#include "mpx/comm/point_to_point.hpp"

namespace mpx::inline v0::detail {

/// One collective call of this rank, from its beginning to its end.
template <class Stack>
class collective_channel : public point_to_point<Stack> {
  using base = point_to_point<Stack>;

 public:
  /// Begins the next collective call of `comm`; not `counted`, one of which not all ranks are part,
  /// and that sends nothing through this.
  collective_channel(const base& comm, call_site site, bool counted = true) noexcept
      : base(comm),
        site_((this->check_exists(site.where), site)),
        serial_(counted ? static_cast<tag_t>(this->state_->collective_serial++ & 0x7fff'ffffu) : 0),
        exceptions_(std::uncaught_exceptions()) {
    this->context_ |= 1;
  }
  collective_channel(const collective_channel&) = delete;
  collective_channel& operator=(const collective_channel&) = delete;
  /// Who leaves a collective that it has begun tells the others, or they would wait for it.
  ~collective_channel() {
    if (begun_ && (why_ != errc{} || std::uncaught_exceptions() > exceptions_))
      this->endpoint_->give_up_collective(call());
  }

  /// From here on the others wait for this rank. Sending and receiving begin by themselves.
  errc begin() {
    if (std::exchange(begun_, true)) return errc{};
    return this->endpoint_->begin_collective(call()) ? errc{} : failed(why_lost(), cause::lost);
  }
  errc send(std::span<const std::byte> data, rank_t to) {
    if (const errc why = begin(); why != errc{}) return why;
    return finish(start_send(data, to), true, to, data.size());
  }
  /// Errors: errc::count if the message is not as long as `into`.
  errc receive(std::span<std::byte> into, rank_t from) {
    if (const errc why = begin(); why != errc{}) return why;
    return finish_receive(start_receive(into, from), into.size(), from);
  }
  errc exchange(std::span<const std::byte> out, rank_t to, std::span<std::byte> in, rank_t from) {
    if (const errc why = begin(); why != errc{}) return why;
    const started r = start_receive(in, from);
    if (r.failure != errc{}) return finish_receive(r, in.size(), from);
    auto receiving = request_access::make(*this->endpoint_, r.op);
    if (const errc why = finish(start_send(out, to), true, to, out.size()); why != errc{})
      return why;
    return finish_receive({request_access::give_up(receiving)}, in.size(), from);
  }
  /// All messages of this call have been sent and received: nobody waits for this rank any more.
  void over() noexcept { begun_ = false; }

  errc check_root(rank_t root) {
    if (root >= 0 && root < this->size_) return errc{};
    other_ = root;
    return failed(errc::root, cause::root);
  }
  /// Elements of what is reduced, and of what is to hold the result.
  errc wrong_length(std::size_t in, std::size_t out) noexcept {
    bytes_ = in;
    got_ = out;
    return failed(errc::argument, cause::out);
  }
  errc no_memory() noexcept { return failed(errc::no_resources, cause::memory); }

  /// `what`: why the call cannot be made, for people.
  errc refused(errc why, const char* what) noexcept {
    what_ = what;
    return failed(why, cause::refused);
  }
  errc no_context() noexcept { return failed(errc::communicator, cause::context); }

  /// Throws what the call has failed with.
  [[noreturn, gnu::noinline, gnu::cold]] void raise() const {
    if (why_ == errc::no_resources && cause_ == cause::memory) throw_out_of_memory();
    std::string s = formatted("%s on rank %d", site_.name, this->rank_);
    if (cause_ == cause::root) append(s, " with root %d", other_);
    append(s, ", communicator %u", number_of(this->context_));
    switch (cause_) {
      case cause::root: append(s, ": ranks here are 0 .. %d", this->size_ - 1); break;
      case cause::lost:
        if (why_ != errc::revoked)
          s += ": a rank of it is lost, or has left this call with an error";
        break;
      case cause::out:
        append(s, ": %zu elements do not fit the %zu of the result: give as many", bytes_, got_);
        break;
      case cause::context: s += ": the limit of communicators is reached"; break;
      case cause::length:
        append(s,
               ", expected %zu bytes from rank %d, which sent %zu: sizes must agree on all ranks",
               bytes_, other_, got_);
        break;
      case cause::message:
        s += ": ";
        s +=
            describe(sends_ ? "send" : "receive", this->rank_, sends_ ? " to rank " : " from rank ",
                     other_, serial_, this->context_, bytes_, this->state_->ranks);
        if (why_ == errc::truncate) append(s, " of room for a message of %zu", got_);
        s += this->endpoint_->loss_text(this->peer_of(other_), why_);
        break;
      case cause::refused: s.append(": ").append(what_); break;
      case cause::memory: break;
    }
    throw error(why_, s, site_.where);
  }

 private:
  enum class cause : std::uint8_t { lost, message, length, out, root, context, refused, memory };

  collective_call call() const noexcept { return {this->context_, serial_, this->state_}; }
  errc why_lost() const { return this->endpoint_->failure_of_collective(call()); }
  errc failed(errc why, cause of) noexcept {
    why_ = why;
    cause_ = of;
    return why;
  }
  started start_send(std::span<const std::byte> data, rank_t to) const {
    return typename base::template sending<mode::standard>{*this, data, to, serial_}.start();
  }
  started start_receive(std::span<std::byte> into, rank_t from) const {
    return typename base::receiving{*this, into, from, serial_}.start();
  }
  /// Waits for what has been started.
  errc finish(started s, bool sends, rank_t other, std::size_t bytes) {
    errc why = s.failure;
    if (why == errc{}) {
      auto r = request_access::make(*this->endpoint_, s.op);
      if (s.op != nullptr && !this->endpoint_->wait_in_collective(*s.op, site_, call()))
        return failed(why_lost(), cause::lost);
      std::error_code ec;
      got_ = request_access::wait_as(r, site_, ec).bytes();
      if (!ec) return errc{};
      why = static_cast<errc>(ec.value());
    }
    sends_ = sends;
    other_ = other;
    bytes_ = bytes;
    return failed(why, cause::message);
  }
  errc finish_receive(started s, std::size_t bytes, rank_t from) {
    if (const errc why = finish(s, false, from, bytes); why != errc{}) return why;
    if (got_ == bytes) return errc{};
    other_ = from;
    bytes_ = bytes;
    return failed(errc::count, cause::length);
  }

  call_site site_;
  tag_t serial_;
  int exceptions_;
  bool begun_ = false;
  bool sends_ = false;  // From here on: what `raise` tells.
  cause cause_{};
  errc why_{};
  rank_t other_ = 0;
  std::size_t bytes_ = 0;
  std::size_t got_ = 0;
  const char* what_ = "";
};

}  // namespace mpx::inline v0::detail
