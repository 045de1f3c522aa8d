// SPDX-License-Identifier: BSL-1.0
#pragma once
// What the library says within a communicator, beside its collectives: in contexts of its own.

#include <optional>
#include <span>
#include <system_error>

#include "mpx/comm/message.hpp"
#include "mpx/comm/point_to_point.hpp"

namespace mpx::inline v0::detail {

template <class Stack>
class own_messages : public point_to_point<Stack> {
  using base = point_to_point<Stack>;

 public:
  enum class of : bool {
    groups,      ///< That make communicators: they are revoked with all else.
    agreements,  ///< They go on.
  };
  /// `site`: the call whose messages they are. `also`: a wait ends when that is revoked, too.
  own_messages(const base& comm, of whom, call_site site,
               const communicator_state* also = nullptr) noexcept
      : base(comm), site_(site), also_(also) {
    this->context_ |= (endpoint<Stack>::context_mask >> 1) + 1 + (whom == of::agreements ? 1 : 0);
  }
  /// The context of these messages.
  context_id own_context() const noexcept { return this->context_; }

  errc send(std::span<const std::byte> data, rank_t to, tag_t tag) const {
    status none;
    return wait_for(start_send(data, to, tag), none);
  }
  /// Errors: errc::count if the message is not as long as `into`.
  errc receive(std::span<std::byte> into, rank_t from, tag_t tag) const {
    status got;
    return receive(into, from, tag, got);
  }
  errc receive(std::span<std::byte> into, rank_t from, tag_t tag, status& got) const {
    const errc why = wait_for(start_receive(into, from, tag), got);
    return why == errc{} && got.bytes() != into.size() ? errc::count : why;
  }
  /// Receives what comes with `tag`, or from who has been given no tag: see `said_with`. Who has
  /// been given none takes whatever comes next.
  errc receive_said(std::span<std::byte> into, rank_t from, tag_t tag) const {
    if (tag < 0) return receive(into, from, any_tag);
    std::error_code ec;
    for (;;) {
      const tag_t next = wait_for_any(from, ec);
      if (!ec && next == tag) return receive(into, from, tag);
      // What has another tag is for another thread, and what is for this one lies behind it.
      if (!ec && next != tag_max && this->probe(from, tag, once(ec)))
        return receive(into, from, tag);
      std::optional<message<Stack>> untagged;  // Who finds it has it.
      if (!ec) untagged = this->mprobe(from, tag_max, once(ec));
      if (ec) return static_cast<errc>(ec.value());
      if (!untagged) continue;
      const status got = untagged->recv(into, ec);
      if (ec) return static_cast<errc>(ec.value());
      return got.bytes() == into.size() ? errc{} : errc::count;
    }
  }
  /// What a rank says with that it has been given `tag`.
  static tag_t said_with(tag_t tag) noexcept { return tag < 0 ? tag_max : tag; }
  started start_send(std::span<const std::byte> data, rank_t to, tag_t tag) const {
    return typename base::template sending<mode::standard>{*this, data, to, tag}.start();
  }
  started start_receive(std::span<std::byte> into, rank_t from, tag_t tag) const {
    return typename base::receiving{*this, into, from, tag}.start();
  }

 private:
  errc wait_for(const started& s, status& got) const {
    if (s.failure != errc{}) return s.failure;
    auto one = request_access::make(*this->endpoint_, s.op);
    if (!request_access::wait_unless(one, site_,
                                     [&] { return also_ != nullptr && also_->revoked; }))
      return errc::revoked;
    std::error_code ec;
    got = request_access::wait_as(one, site_, ec);
    return static_cast<errc>(ec.value());
  }
  /// The tag of the message that comes next.
  tag_t wait_for_any(rank_t from, std::error_code& ec) const {
    pattern want;
    errc why = this->translate(from, any_tag, want);
    const tag_t next = why == errc{} ? this->endpoint_->wait_probe(want, site_, why).tag : any_tag;
    store(ec, why);
    return next;
  }

  call_site site_;
  const communicator_state* also_;
};

}  // namespace mpx::inline v0::detail
