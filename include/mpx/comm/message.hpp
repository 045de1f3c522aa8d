// SPDX-License-Identifier: BSL-1.0
#pragma once
// A message that a matched probe has taken out of matching: only its holder can receive it.

#include <source_location>
#include <utility>

#include "mpx/datatype/buffer.hpp"
#include "mpx/engine/request.hpp"

namespace mpx::inline v0 {

/// Returned by `mprobe` and `improbe`. Receive it once; a message that is dropped is discarded, and
/// its sender completes as if it had been received.
template <class Stack>
class [[nodiscard]] message {
 public:
  message() = default;
  message(message&& other) noexcept
      : endpoint_(other.endpoint_),
        held_(std::exchange(other.held_, nullptr)),
        info_(other.info_),
        null_(std::exchange(other.null_, false)) {}
  message& operator=(message&& other) noexcept {
    if (this != &other) {
      drop();
      endpoint_ = other.endpoint_;
      held_ = std::exchange(other.held_, nullptr);
      info_ = other.info_;
      null_ = std::exchange(other.null_, false);
    }
    return *this;
  }
  ~message() { drop(); }

  /// True until it has been received.
  explicit operator bool() const noexcept { return held_ != nullptr || null_; }
  /// Source, tag and length.
  const status& info() const noexcept { return info_; }

  /// Receives the message. Errors: errc::request if it has been received before, errc::truncate,
  /// errc::peer_lost, errc::no_resources (it can be received again).
  template <class B>
  requires ReceiveBuffer<B&&>
  status recv(B&& buffer, std::source_location where = std::source_location::current()) {
    return irecv(buffer).wait_as({"recv of a message", where});
  }
  template <class B>
  requires ReceiveBuffer<B&&>
  status recv(B&& buffer, std::error_code& ec,
              std::source_location where = std::source_location::current()) {
    auto r = start(detail::writable_bytes_of(buffer), ec);
    return ec ? status{} : r.wait_as(ec, {"recv of a message", where});
  }

  /// Starts to receive it.
  template <class B>
  requires ReceiveBuffer<B&&>
  request<Stack> irecv(B&& buffer) {
    static_assert(BufferOutlivesCall<B&&>);
    std::error_code ec;
    auto r = start(detail::writable_bytes_of(buffer), ec);
    if (ec) throw error(ec, "receiving a message that a matched probe found");
    return r;
  }

  /// For the library.
  message(detail::endpoint<Stack>& e, detail::arrived_message* held, const status& info,
          bool null = false) noexcept
      : endpoint_(&e), held_(held), info_(info), null_(null) {}

 private:
  /// A message that cannot be received for lack of resources stays what it is.
  request<Stack> start(std::span<std::byte> into, std::error_code& ec) {
    ec.clear();
    if (!*this) {
      ec = errc::request;
      return {};
    }
    const auto [op, why] = null_ ? endpoint_->receive_nothing()
                                 : endpoint_->receive_claimed(held_, into);
    if (why != errc{}) {
      ec = why;
      return {};
    }
    held_ = nullptr;
    null_ = false;
    return {*endpoint_, op};
  }
  void drop() noexcept {
    if (held_ != nullptr) endpoint_->discard(std::exchange(held_, nullptr));
  }

  detail::endpoint<Stack>* endpoint_ = nullptr;
  detail::arrived_message* held_ = nullptr;
  status info_{};
  bool null_ = false;  // From proc_null: nothing to hold.
};

}  // namespace mpx::inline v0
