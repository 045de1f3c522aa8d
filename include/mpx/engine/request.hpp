// SPDX-License-Identifier: BSL-1.0
#pragma once
// The handle of an operation under way. It is the only owner: move-only, and when it goes before
// the operation is complete, nothing touches the buffer any more.

#include <optional>
#include <source_location>
#include <string>
#include <utility>

#include "mpx/core/status.hpp"
#include "mpx/engine/endpoint.hpp"

namespace mpx::inline v0 {

namespace detail {

/// "irecv on rank 1 from rank any, tag 7, communicator 0, 8 bytes": what an error says of its call.
inline std::string describe(const char* what, rank_t self, const char* direction, rank_t other,
                            tag_t tag, context_id context, std::size_t bytes) {
  std::string s(what);
  s.append(" on rank ").append(std::to_string(self)).append(direction);
  s.append(other == any_source ? "any" : std::to_string(other)).append(", tag ");
  s.append(tag < 0 ? "any" : std::to_string(tag)).append(", communicator ");
  s.append(std::to_string(context >> 1)).append(", ").append(std::to_string(bytes));
  return s.append(" bytes");
}

inline rank_t rank_of(peer_id peer) noexcept {
  return peer == any_peer ? rank_t{any_source} : static_cast<rank_t>(peer);
}

inline status status_of(const operation& op) noexcept {
  const bool receive = op.role == role::receive;
  return {rank_of(op.peer), op.tag, receive ? op.message_bytes : op.data.bytes,
          static_cast<int>(op.failure), op.cancelled};
}

inline std::string describe(const operation& op, rank_t self) {
  const bool receive = op.role == role::receive;
  std::string s =
      describe(receive ? "receive" : "send", self, receive ? " from rank " : " to rank ",
               rank_of(op.peer), op.tag, receive ? op.want.context() : op.context, op.data.bytes);
  if (receive && op.failure == errc::truncate)
    s.append(" of room for a message of ").append(std::to_string(op.message_bytes));
  return s;
}

}  // namespace detail

/// A nonblocking send or receive.
///
/// A request is empty, or it stands for one operation until `wait`, or a `test` that succeeds, has
/// returned its status. Dropping a pending request: a receive that has not matched is cancelled,
/// one that has is dropped as it arrives; a send still goes out, from a copy where need be. This
/// does not wait for another rank's program, but for a copy that the transport or the peer is in
/// the middle of (longer only if the peer's process is stopped there, until it goes on or dies).
/// Without memory for the copy the message is lost, and the two ranks to each other, once its
/// receiver asks for it.
/// Threads: as the stack's thread model says. Cost: 16 bytes, no allocation.
template <class Stack>
class [[nodiscard]] request {
 public:
  using stack_type = Stack;

  request() = default;
  request(request&& other) noexcept
      : endpoint_(std::exchange(other.endpoint_, nullptr)),
        operation_(std::exchange(other.operation_, nullptr)) {}
  request& operator=(request&& other) noexcept {
    if (this != &other) {
      drop();
      endpoint_ = std::exchange(other.endpoint_, nullptr);
      operation_ = std::exchange(other.operation_, nullptr);
    }
    return *this;
  }
  ~request() { drop(); }

  /// True until the status has been taken.
  explicit operator bool() const noexcept { return endpoint_ != nullptr; }

  /// Blocks until the operation is complete; the request is empty afterwards.
  /// Returns: its status; an empty one for an empty request.
  /// Errors:  whatever the operation met, thrown as mpx::error; with `ec`, stored there.
  status wait(std::source_location where = std::source_location::current()) {
    return wait_as({"wait", where});
  }
  status wait(std::error_code& ec,
              std::source_location where = std::source_location::current()) noexcept {
    return wait_as(ec, {"wait", where});
  }

  /// Makes progress and looks once. Returns: the status if the operation is complete; the request
  /// is empty then. An empty request yields an empty status. Errors: as for `wait`.
  std::optional<status> test() {
    if (operation_ != nullptr && !endpoint_->test(*operation_)) return std::nullopt;
    return take();
  }
  std::optional<status> test(std::error_code& ec) noexcept {
    ec.clear();
    if (operation_ != nullptr && !endpoint_->test(*operation_)) return std::nullopt;
    return take(ec);
  }

  /// Cancels a receive that has not matched; `wait` or `test` follow as ever and report it with
  /// status::cancelled(). Returns false if it had matched or is a send: then nothing changes.
  bool cancel() { return operation_ != nullptr && endpoint_->cancel(*operation_); }

  /// Lets all communication of this rank progress.
  void progress() {
    if (endpoint_ != nullptr) endpoint_->progress();
  }
  /// True when `wait` would not block.
  bool done() const { return operation_ == nullptr || endpoint_->is_done(*operation_); }

  /// For the library: `wait` as part of another call.
  [[gnu::always_inline]] status wait_as(detail::call_site site) {
    if (operation_ != nullptr && !endpoint_->look(*operation_)) block(site);
    return take();
  }
  status wait_as(std::error_code& ec, detail::call_site site) noexcept {
    if (operation_ != nullptr) endpoint_->wait(*operation_, site);
    return take(ec);
  }

  /// For the library: true if a look or less shows that the operation has succeeded.
  [[gnu::always_inline]] bool look_for_success() {
    return operation_ == nullptr || (endpoint_->look(*operation_) && operation_->failure == errc{});
  }
  /// For the library: `done` and whether a peer is lost, under the endpoint's lock, and waiting for
  /// any condition of its requests.
  bool done_locked() const noexcept { return operation_ == nullptr || operation_->done(); }
  bool lost_locked() const noexcept {
    return operation_ != nullptr && operation_->done() && detail::is_loss(operation_->failure);
  }
  template <class Lost>
  bool wait_unless(detail::call_site site, Lost&& lost) {
    return operation_ == nullptr || endpoint_->wait_unless(*operation_, site, lost);
  }
  /// For the library: false if the collective that this belongs to can never end.
  bool wait_in_collective(detail::call_site site, detail::collective_call call) {
    return operation_ == nullptr || endpoint_->wait_in_collective(*operation_, site, call);
  }
  template <class Done>
  void wait_until(detail::call_site site, detail::awaited on, Done&& done) {
    endpoint_->wait_until(site, on, done);
  }
  const detail::operation* pending_operation() const noexcept { return operation_; }
  /// For the library: a request for `op`, or for a send that is complete if `op` is nullptr.
  request(detail::endpoint<Stack>& e, detail::operation* op) noexcept
      : endpoint_(&e), operation_(op) {}

 private:
  [[gnu::noinline]] void block(detail::call_site site) { endpoint_->wait_slow(*operation_, site); }
  [[gnu::always_inline]] status take() {
    if (operation_ == nullptr) {
      endpoint_ = nullptr;
      return {};
    }
    if (operation_->failure != errc{}) [[unlikely]]
      fail();
    const status s = detail::status_of(*operation_);
    endpoint_->release(*operation_);
    operation_ = nullptr;
    endpoint_ = nullptr;
    return s;
  }
  status take(std::error_code& ec) noexcept {
    status s;
    if (operation_ != nullptr) {
      s = detail::status_of(*operation_);
      endpoint_->release(*operation_);
    }
    operation_ = nullptr;
    endpoint_ = nullptr;
    ec = s.error();
    return s;
  }
  [[noreturn, gnu::noinline]] void fail() {
    const errc why = operation_->failure;
    std::string what = detail::describe(*operation_, static_cast<rank_t>(endpoint_->self()));
    what.append(endpoint_->loss_text(operation_->peer, why));
    std::exchange(endpoint_, nullptr)->release(*std::exchange(operation_, nullptr));
    throw error(why, what);
  }
  void drop() noexcept {
    if (operation_ != nullptr) [[unlikely]]
      endpoint_->abandon(*operation_);
    operation_ = nullptr;
    endpoint_ = nullptr;
  }

  detail::endpoint<Stack>* endpoint_ = nullptr;
  detail::operation* operation_ = nullptr;  // nullptr: a send that was complete at once.
};

}  // namespace mpx::inline v0
