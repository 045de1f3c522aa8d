// SPDX-License-Identifier: BSL-1.0
#pragma once
// Internal messages of the library in a communicator, other than collectives. They have contexts of
// their own.

#include <cstddef>
#include <optional>
#include <span>
#include <system_error>

#include "mpx/comm/point_to_point.hpp"

namespace mpx::inline v0::detail {

template <class Stack>
class own_messages : public point_to_point<Stack> {
  using base = point_to_point<Stack>;

 public:
  enum class of : bool {
    groups,      ///< For making communicators: revoked with the communicator.
    agreements,  ///< Continue on a revoked communicator.
  };
  /// `site`: the user's call. `also`: waiting ends if that communicator is revoked, too.
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
  /// Sends `what` with the tag that the user passed to this rank. If that tag is invalid, the
  /// message reports it: it has tag_max and one byte more.
  template <class T>
  errc send_said(const T& what, rank_t to, tag_t tag) const {
    const said<T> all{what};
    const auto bytes = std::as_bytes(std::span(&all, 1)).first(sizeof(T) + (tag < 0 ? 1 : 0));
    return send(bytes, to, tag < 0 ? tag_max : tag);
  }
  /// Receives a message with `tag`, or one from a sender whose tag is invalid. If this rank's own
  /// tag is invalid, it takes the next message of any tag.
  template <class T>
  errc receive_said(T& what, rank_t from, tag_t tag) const {
    said<T> all;
    const auto room = std::as_writable_bytes(std::span(&all, 1)).first(sizeof(T) + 1);
    const auto receive_next = [&](tag_t next) {
      status got;
      const errc why = wait_for(start_receive(room, from, next), got);
      what = all.what;
      return why == errc{} && got.bytes() < sizeof(T) ? errc::count : why;
    };
    const auto untagged = [](tag_t its, std::size_t bytes) {
      return its == tag_max && bytes == sizeof(T) + 1;
    };
    if (tag < 0) return receive_next(any_tag);
    for (std::error_code ec;;) {
      const probe_result next = wait_for_any(from, ec);
      if (ec) return static_cast<errc>(ec.value());
      bool mine = next.tag == tag;
      std::optional<status> found;
      // A message with another tag is for another thread; a message for this thread may be behind
      // it.
      if (!mine && !untagged(next.tag, next.bytes)) {
        found = this->probe(from, tag, once(ec));
        mine = found.has_value();
      }
      if (mine && !untagged(tag, found ? found->bytes() : next.bytes)) return receive_next(tag);
      if (!ec) found = this->probe(from, tag_max, once(ec));
      if (ec) return static_cast<errc>(ec.value());
      if (found && untagged(found->tag(), found->bytes())) return receive_next(tag_max);
    }
  }
  started start_send(std::span<const std::byte> data, rank_t to, tag_t tag) const {
    return typename base::template sending<mode::standard>{*this, data, to, tag}.start();
  }
  started start_receive(std::span<std::byte> into, rank_t from, tag_t tag) const {
    return typename base::receiving{*this, into, from, tag}.start();
  }

 private:
  template <class T>
  struct said {
    T what{};
    std::byte more{};
  };
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
  /// Waits for the next message from `from`, and describes it.
  probe_result wait_for_any(rank_t from, std::error_code& ec) const {
    pattern want;
    errc why = this->translate(from, any_tag, want);
    const probe_result next =
        why == errc{} ? this->endpoint_->wait_probe(want, site_, why) : probe_result{};
    store(ec, why);
    return next;
  }

  call_site site_;
  const communicator_state* also_;
};

}  // namespace mpx::inline v0::detail
