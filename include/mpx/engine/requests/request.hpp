// SPDX-License-Identifier: BSL-1.0
#pragma once
// Handle of an operation under way, of any kind. It is the only owner: move-only. If it is dropped
// before the operation is complete, nothing touches the buffer afterwards.

#include <optional>
#include <source_location>
#include <string>

#include "mpx/core/atomic.hpp"
#include "mpx/core/exchange.hpp"
#include "mpx/core/status.hpp"
#include "mpx/engine/endpoint/describe.hpp"
#include "mpx/engine/endpoint/endpoint.hpp"
#include "mpx/engine/requests/forms.hpp"

namespace mpx::inline v0 {

namespace detail {

struct request_access;

inline status status_of(const operation& op) noexcept {
  const bool receive = op.role == role::receive;
  return {rank_of(op.peer, ranks_of(op)), op.tag, receive ? op.message_bytes : op.data.bytes,
          static_cast<int>(op.failure), op.cancelled};
}

}  // namespace detail

/// An operation under way: a send, a receive, a persistent or a compound operation, or one that the
/// user completes.
///
/// A request is empty, or it refers to one operation until `wait` or a successful `test` has
/// returned its status. A persistent request is inactive then, and `start` runs it again; any other
/// is empty.
///
/// Dropping a pending request:
/// - A receive that has not matched is cancelled; one that has matched is discarded as it arrives.
/// - A send still goes out, from a copy if needed. Without memory for the copy the message is lost,
///   and the two ranks lose each other once its receiver asks for it.
/// - Dropping does not wait for what another rank's program receives or sends, but for a copy that
///   the transport or the peer has begun (longer only if the peer's process is stopped in it, until
///   it continues or dies). A long send over cards that read (nic::libfabric with MPX_FABRIC_READS)
///   waits for the next mpx call of its receiver, which may be about to read the data.
///
/// Errors: `wait`, `test` and `start` throw an mpx::error or store into a std::error_code.
/// Threads: as the stack's thread model says.
/// Cost: 16 bytes, no allocation.
template <class Stack = stack<>>
class [[nodiscard]] request {
 public:
  using stack_type = Stack;  ///< The policies.

  request() = default;
  /// Takes over the operation of `other`, which is empty afterwards.
  request(request&& other) noexcept
      : endpoint_(detail::exchange(other.endpoint_, nullptr)),
        operation_(detail::exchange(other.operation_, nullptr)) {}
  /// Takes over the operation of `other`, which is empty afterwards. An operation that was pending
  /// here is dropped.
  request& operator=(request&& other) noexcept {
    detail::endpoint<Stack>* const endpoint = detail::exchange(other.endpoint_, nullptr);
    detail::operation* const operation = detail::exchange(other.operation_, nullptr);
    drop();  // Nothing on self-assignment.
    endpoint_ = endpoint;
    platform::signal_fence();  // Without it the compiler assembles both words in memory first.
    operation_ = operation;
    return *this;
  }
  ~request() {
    if (operation_ != nullptr) [[unlikely]]
      abandon();
  }

  /// True until the status has been taken. False for an empty or inactive request.
  explicit operator bool() const noexcept {
    return operation_ == nullptr ? endpoint_ != nullptr : detail::is_active(*operation_);
  }
  /// True for a request made by mpx::prepare, active or not.
  [[nodiscard]] bool persistent() const noexcept {
    return operation_ != nullptr && detail::is_persistent(*operation_);
  }

  /// Blocks until the operation is complete. The request is empty or inactive afterwards.
  /// Returns: the status; an empty one if the request is empty or inactive.
  /// Errors: those of the operation.
  template <class How = detail::throws_t>
  requires detail::BlockingForm<How>
  [[MPX_ALWAYS_INLINE]] status wait(
      How&& how = {},
      std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
    [[maybe_unused]] const timed timing(endpoint_, "wait", where);
    return wait_as({"wait", where}, how);
  }

  /// Makes progress and polls once.
  /// Returns: the status if the operation is complete, as `wait` does; else nothing.
  /// Errors: as for `wait`.
  template <class How = detail::throws_t>
  requires detail::BlockingForm<How>
  std::optional<status> test(
      How&& how = {},
      std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
    if constexpr (detail::is_code<How>) how.clear();
    check(where);
    [[maybe_unused]] const timed timing(endpoint_, "test", where);
    if (!done()) return std::nullopt;
    return take(how, where);
  }

  /// Takes the status if the operation has succeeded. Does not poll.
  /// Returns: nothing, without effect, if it is incomplete or has failed: `wait` then follows.
  /// Cost: less than `test`: for one request after another of many, with `wait_first`.
  [[MPX_ALWAYS_INLINE]] std::optional<status> take_success(
      std::source_location where = std::source_location::current()) noexcept {
    check(where);
    if (operation_ != nullptr &&
        (!endpoint_->is_done(*operation_) || operation_->failure != errc{}))
      return std::nullopt;
    return take_status();
  }

  /// Makes progress, polls once and leaves the request unchanged.
  /// Returns: the status, with its error if any, if the operation is complete; else nothing.
  /// Source: MPI_Request_get_status.
  std::optional<status> peek(std::source_location where = std::source_location::current()) {
    if (!done(where)) return std::nullopt;
    return operation_ == nullptr ? status{} : detail::status_of(*operation_);
  }
  /// Makes progress and polls once.
  /// Returns: true if `wait` would not block.
  [[nodiscard]] bool done(std::source_location where = std::source_location::current()) const {
    check(where);
    if (operation_ != nullptr) return endpoint_->test(*operation_);
    pass();
    return true;
  }

  /// Starts a persistent operation again.
  /// Errors: errc::request if it is active or not persistent; errc::buffer and errc::no_resources,
  /// and the request stays inactive.
  template <class How = detail::throws_t>
  requires detail::BlockingForm<How>
  void start(How&& how = {}, std::source_location where = std::source_location::current()) noexcept(
      detail::is_code<How>) {
    check(where);
    const errc why =
        persistent() ? detail::compounds<Stack>::start(*endpoint_, *operation_) : errc::request;
    if constexpr (detail::is_code<How>) {
      detail::store(how, why);
    } else if (why != errc{}) {
      fail_start(why, where);
    }
  }

  /// Cancels a receive or a send that has not matched; of a compound operation each such part.
  /// `wait` or `test` has to follow as usual, and status::cancelled() tells the outcome. The
  /// receiver of a send decides: it drops the message unless it has matched it. A standard-mode
  /// message that has left eagerly is not cancelled.
  /// Returns: false, without effect, if the operation has matched or is complete.
  /// Completion: a cancelled send completes by the receiver's next call of mpx, at the latest; one
  /// to this rank itself, whose message `probe` has seen, in this call.
  /// Source: MPI_Cancel.
  bool cancel(std::source_location where = std::source_location::current()) {
    check(where);
    if (operation_ == nullptr || !detail::compounds<Stack>::cancel(*endpoint_, *operation_))
      return false;
    // To this rank itself: one poll takes what asks for it, the next one the answer.
    for (int polls = 0; polls < 2 && operation_->peer == endpoint_->self(); ++polls)
      endpoint_->progress();
    return true;
  }
  /// Empties the request. The operation continues, and no call waits for it.
  /// Requires: the buffer outlives the environment, or the user learns by other means that the
  /// operation is complete.
  /// Source: MPI_Request_free.
  void detach() noexcept {
    if (operation_ != nullptr) detail::compounds<Stack>::detach(*endpoint_, *operation_);
    operation_ = nullptr;
    endpoint_ = nullptr;
  }

  /// Makes progress on all communication of this rank.
  void progress() {
    if (endpoint_ != nullptr) endpoint_->progress();
  }

 private:
  friend detail::request_access;
  using timed = detail::timed_call<typename Stack::trace_type>;

  /// Counts a call that finds nothing to wait for.
  void pass() const noexcept {
    if (endpoint_ != nullptr) endpoint_->pass_without_poll();
  }
  /// Asserts that the request has not outlived its environment, and that this thread may call.
  void check([[maybe_unused]] std::source_location where) const noexcept {
    MPX_ASSERT_AT(endpoint_ == nullptr || endpoint_->is_there(),
                  "the environment of this request is gone: let requests go before it", where);
    MPX_ASSERT_AT(operation_ == nullptr || endpoint_ == nullptr || endpoint_->misuse() == nullptr,
                  endpoint_->misuse(), where);
  }

  request(detail::endpoint<Stack>& e, detail::operation* op) noexcept
      : endpoint_(&e), operation_(op) {}

  template <class How>
  [[MPX_ALWAYS_INLINE]] status wait_as(detail::call_site site,
                                       How& how) noexcept(!detail::throws<How>) {
    check(site.where);
    if (operation_ != nullptr && !endpoint_->done_after_poll(operation_))
      endpoint_->wait_slow(*operation_, site);
    return take(how, site.where);
  }
  template <class How>
  [[MPX_ALWAYS_INLINE]] status take(How& how,
                                    std::source_location where) noexcept(!detail::throws<How>) {
    if constexpr (detail::throws<How>) {
      if (operation_ != nullptr && operation_->failure != errc{}) [[unlikely]]
        fail(where);
      return take_status();
    } else {
      const status s = take_status();
      how = s.error();
      return s;
    }
  }
  /// Takes the status of a complete operation; the failure is in it.
  [[MPX_ALWAYS_INLINE]] status take_status() noexcept {
    if (operation_ == nullptr) {
      endpoint_ = nullptr;
      return {};
    }
    const detail::operation& op = *operation_;
    if (op.role != detail::role::receive || op.flags != 0 || op.failure != errc{}) [[unlikely]]
      return taken();
    const status s(world_rank(op.peer), op.tag, op.message_bytes, 0, op.cancelled);
    endpoint_->release(*operation_);
    operation_ = nullptr;
    endpoint_ = nullptr;
    return s;
  }
  [[gnu::noinline]] status taken() noexcept {
    status s;
    if (operation_ != nullptr) {
      s = detail::status_of(*operation_);
      if (!detail::is_active(*operation_)) {
        pass();
        return s;
      }
      const bool stays = detail::is_persistent(*operation_);
      if (operation_->role == detail::role::compound)
        endpoint_->release_compound(*operation_);
      else
        endpoint_->release(*operation_);
      if (stays) return s;
    }
    operation_ = nullptr;
    endpoint_ = nullptr;
    return s;
  }
  [[noreturn, gnu::noinline, gnu::cold]] void fail(std::source_location where) {
    detail::endpoint<Stack>::raise_operation(endpoint_, operation_, where);
  }
  [[noreturn, gnu::noinline, gnu::cold]] void fail_start(errc why,
                                                         std::source_location where) const {
    std::string what = "start of a request";
    if (why == errc::request)
      what += persistent() ? " that is active: wait for it first" : " that is not persistent";
    if (why == errc::no_resources) what += endpoint_->limit_text();
    if (why == errc::buffer) what += ": attach more memory with environment::attach_buffer";
    throw error(why, what, where);
  }
  void drop() noexcept {
    if (operation_ != nullptr) [[unlikely]]
      abandon();
    operation_ = nullptr;
    endpoint_ = nullptr;
  }
  [[gnu::noinline]] void abandon() noexcept {
    check({});  // A destructor has no source line.
    if (operation_->role == detail::role::compound)
      endpoint_->abandon_compound(*operation_);
    else
      endpoint_->abandon(*operation_);
  }

  detail::endpoint<Stack>* endpoint_ = nullptr;
  detail::operation* operation_ = nullptr;  // nullptr: a send that was complete at once.
};

/// Type of the requests that mpx::prepare makes; the same as of any other.
template <class Stack = stack<>>
using persistent_request = request<Stack>;

namespace detail {

/// Access to requests for the library.
struct request_access {
  /// Makes a request for `op`; for a send that is complete if `op` is nullptr.
  template <class Stack>
  [[MPX_ALWAYS_INLINE]] static request<Stack> make(endpoint<Stack>& e, operation* op) noexcept {
    return {e, op};
  }
  template <class Stack>
  static operation* operation_of(const request<Stack>& r) noexcept {
    return r.operation_;
  }
  template <class Stack>
  static endpoint<Stack>* endpoint_of(const request<Stack>& r) noexcept {
    return r.endpoint_;
  }
  /// Empties a request whose operation has a new owner.
  template <class Stack>
  static operation* give_up(request<Stack>& r) noexcept {
    r.endpoint_ = nullptr;
    return detail::exchange(r.operation_, nullptr);
  }
  template <class Stack>
  static void check(const request<Stack>& r, std::source_location where) noexcept {
    r.check(where);
  }
  /// Empties a request whose send or receive has succeeded. Returns false, without effect, for any
  /// other.
  template <class Stack>
  [[MPX_ALWAYS_INLINE]] static bool take_over(request<Stack>& r) noexcept {
    operation* const op = r.operation_;
    if (op == nullptr) {
      r.endpoint_ = nullptr;
      return true;
    }
    if constexpr (endpoint<Stack>::concurrent) return false;  // Only the lock tells.
    if (!op->is_over()) return false;
    r.endpoint_->release_over(*op);
    give_up(r);
    return true;
  }
  template <class Stack, class How>
  [[MPX_ALWAYS_INLINE]] static status wait_as(request<Stack>& r, call_site site, How& how) {
    return r.wait_as(site, how);
  }
  /// True if the operation has succeeded, after at most one poll.
  template <class Stack>
  [[MPX_ALWAYS_INLINE]] static bool succeeded_after_poll(request<Stack>& r) {
    return r.operation_ == nullptr ||
           (r.endpoint_->done_after_poll(r.operation_) && r.operation_->failure == errc{});
  }
  /// True if the operation is complete. Does not poll.
  template <class Stack>
  static bool is_done(const request<Stack>& r) {
    return r.operation_ == nullptr || r.endpoint_->is_done(*r.operation_);
  }
  /// Takes the status if the operation is complete; the failure is in it. Does not poll. Returns
  /// false, without effect, if it is not.
  template <class Stack>
  [[MPX_ALWAYS_INLINE]] static bool take_if_done(request<Stack>& r, status& into) {
    if (!is_done(r)) return false;
    into = r.take_status();
    return true;
  }
  /// True if the operation is complete. Called under the endpoint's lock, as is lost_locked: true
  /// if it failed because its peer is lost.
  template <class Stack>
  static bool done_locked(const request<Stack>& r) noexcept {
    return r.operation_ == nullptr || r.operation_->done();
  }
  template <class Stack>
  static bool lost_locked(const request<Stack>& r) noexcept {
    return r.operation_ != nullptr && r.operation_->done() && is_loss(r.operation_->failure);
  }
  /// Blocks until the operation is complete or `lost()` returns true. Returns true if it is
  /// complete.
  template <class Stack>
  static bool wait_unless(request<Stack>& r, call_site site, function_ref<bool()> lost) {
    return r.operation_ == nullptr || r.endpoint_->wait_unless(*r.operation_, site, lost);
  }
  /// Counts a call that finds nothing to wait for in this request.
  template <class Stack>
  static void pass(const request<Stack>& r) noexcept {
    r.pass();
  }
};

}  // namespace detail

}  // namespace mpx::inline v0
