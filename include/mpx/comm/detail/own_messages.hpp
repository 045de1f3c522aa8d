// SPDX-License-Identifier: BSL-1.0
#pragma once
// What the library says within a communicator, beside its collectives: a context of its own, which
// is not revoked with the others.

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
  /// Of agreements, or of groups that make communicators.
  explicit own_messages(const base& comm, bool agreements = false) noexcept : base(comm) {
    this->context_ |= (endpoint<Stack>::context_mask >> 1) + 1 + (agreements ? 1 : 0);
  }
  /// The context of these messages.
  context_id own_context() const noexcept { return this->context_; }

  errc send(std::span<const std::byte> data, rank_t to, tag_t tag) const {
    nothing none;
    return sending_to(data, to, tag).run(none, {});
  }
  /// Errors: errc::count if the message is not as long as `into`.
  errc receive(std::span<std::byte> into, rank_t from, tag_t tag) const {
    status got;
    const errc why = typename base::receiving{*this, into, from, tag}.run(got, {});
    return why == errc{} && got.bytes() != into.size() ? errc::count : why;
  }
  /// Receives what comes with `tag`, or from who has been given no tag: see `said_with`. Who has
  /// been given none takes whatever comes next.
  errc receive_said(std::span<std::byte> into, rank_t from, tag_t tag) const {
    if (tag < 0) return receive(into, from, any_tag);
    std::error_code ec;
    for (;;) {
      const tag_t next = this->probe(from, any_tag, ec).tag();
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
    return sending_to(data, to, tag).start();
  }
  started start_receive(std::span<std::byte> into, rank_t from, tag_t tag) const {
    return typename base::receiving{*this, into, from, tag}.start();
  }

 private:
  auto sending_to(std::span<const std::byte> data, rank_t to, tag_t tag) const {
    return typename base::template sending<mode::standard>{*this, data, to, tag};
  }
};

}  // namespace mpx::inline v0::detail
