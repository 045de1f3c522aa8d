// SPDX-License-Identifier: BSL-1.0
#pragma once
// A message that a matched probe has taken out of matching, so that only its holder can receive it.

#include <source_location>
#include <utility>

#include "mpx/comm/finish.hpp"
#include "mpx/comm/mpi_names.hpp"
#include "mpx/core/exchange.hpp"
#include "mpx/data/buffer.hpp"
#include "mpx/engine/requests/request.hpp"

namespace mpx::inline v0 {

namespace detail {
template <class Stack>
class point_to_point;
template <class Stack>
struct layout_calls;
}  // namespace detail

/// Returned by `mprobe`. It can be received once. If it is destroyed before, it is discarded, and
/// its sender completes as if it had been received.
template <class Stack = stack<>>
class [[nodiscard]] message : public detail::message_mpi_names<message<Stack>> {
 public:
  message() = default;
  /// Takes over; `other` is empty afterwards.
  message(message&& other) noexcept
      : endpoint_(other.endpoint_),
        held_(detail::exchange(other.held_, nullptr)),
        ranks_(other.ranks_),
        info_(other.info_),
        context_(other.context_),
        null_(detail::exchange(other.null_, false)) {}
  /// Takes over; the message held before is discarded.
  message& operator=(message&& other) noexcept {
    if (this != &other) {
      drop();
      endpoint_ = other.endpoint_;
      held_ = detail::exchange(other.held_, nullptr);
      ranks_ = other.ranks_;
      info_ = other.info_;
      context_ = other.context_;
      null_ = detail::exchange(other.null_, false);
    }
    return *this;
  }
  ~message() { drop(); }

  /// True until the message has been received.
  explicit operator bool() const noexcept { return held_ != nullptr || null_; }
  /// Source, tag and length of the message.
  [[nodiscard]] const status& info() const noexcept { return info_; }

  /// Receives the message.
  /// Errors:     errc::request if it has been received before; errc::truncate, errc::peer_lost;
  ///             errc::no_resources, after which it can be received again.
  template <class B, class How = detail::throws_t>
  requires ReceiveBuffer<B&&> && detail::BufferFits<B&&, How>
  auto recv(B&& buffer, How&& how = {},
            std::source_location where =
                std::source_location::current()) noexcept(detail::stores_errors<How>) {
    if constexpr (LayoutBuffer<B>) {
      using call =
          typename detail::layout_calls<Stack>::template message_receiving<message,
                                                                           std::remove_cvref_t<B>>;
      return detail::finish_as(std::forward<How>(how), call{*this, buffer}, where);
    } else {
      return detail::finish_as(std::forward<How>(how),
                               receiving{*this, detail::writable_bytes_of(buffer)}, where);
    }
  }

 private:
  template <class>
  friend class detail::point_to_point;
  template <class>
  friend struct detail::layout_calls;

  struct receiving {
    using stack_type = Stack;
    using value_type = status;
    static constexpr const char* name = "recv of a message";
    static constexpr const char* start_name = name;
    static constexpr const char* prepare_name = name;

    message& of;
    memory into;

    detail::endpoint<Stack>& endpoint_of() const noexcept { return *of.endpoint_; }
    errc run(status& got, std::source_location where) const {
      const auto [op, why] = start();
      if (why != errc{}) return why;
      auto r = detail::request_access::make(endpoint_of(), op);
      std::error_code ec;
      got = detail::request_access::wait_as(r, {name, where}, ec);
      return static_cast<errc>(ec.value());
    }
    detail::started start() const { return of.start(into); }
    detail::started prepare() const noexcept { return {nullptr, errc::request}; }
    [[noreturn, gnu::noinline, gnu::cold]] void raise(errc why, const status& got, const char* what,
                                                      std::source_location where) const {
      std::string s(what);
      if (of.endpoint_ != nullptr) {
        detail::endpoint<Stack>& e = *of.endpoint_;
        const rank_t self = of.ranks_ == nullptr ? world_rank(e.self()) : of.ranks_->rank();
        s = detail::describe(what, self, " from rank ", of.info_.source(), of.info_.tag(),
                             of.context_, into.bytes, of.ranks_);
        if (why == errc::truncate) detail::append(s, " of room for a message of %zu", got.bytes());
        const rank_t from = of.info_.source();
        s.append(
            e.loss_text(of.ranks_ == nullptr ? world_peer(from) : of.ranks_->peer_of(from), why));
      }
      throw error(why, s, where);
    }
  };

  message(detail::endpoint<Stack>& e, detail::arrived_message* held, const group* ranks,
          context_id context, const status& info) noexcept
      : endpoint_(&e),
        held_(held),
        ranks_(ranks),
        info_(info),
        context_(context),
        null_(held == nullptr) {}

  /// Starts the receive. After a failure the message is unchanged.
  detail::started start(const memory& into) {
    if (!*this) return {nullptr, errc::request};
    const detail::started s =
        null_ ? endpoint_->receive_nothing() : endpoint_->receive_probed(held_, into);
    if (s.failure != errc{}) return s;
    if (ranks_ != nullptr) {
      s.op->ranks = ranks_;
      s.op->flags = 1;
    }
    held_ = nullptr;
    null_ = false;
    return s;
  }
  void drop() noexcept {
    if (held_ != nullptr) endpoint_->discard(detail::exchange(held_, nullptr));
  }

  detail::endpoint<Stack>* endpoint_ = nullptr;
  detail::arrived_message* held_ = nullptr;
  const group* ranks_ = nullptr;
  status info_{};
  context_id context_ = 0;
  bool null_ = false;  // From proc_null: no message is held.
};

}  // namespace mpx::inline v0
