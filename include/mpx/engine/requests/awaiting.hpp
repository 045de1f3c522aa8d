// SPDX-License-Identifier: BSL-1.0
#pragma once
// Requests that are awaited: the waiter is notified when its request is complete, and polls no
// other. Basis of mpx/coroutine.hpp and mpx/asio.hpp.

#include <cstddef>
#include <source_location>

#include "mpx/core/intrusive.hpp"
#include "mpx/engine/base/blocked_call.hpp"
#include "mpx/engine/base/operation.hpp"
#include "mpx/engine/endpoint/compound.hpp"
#include "mpx/engine/requests/request.hpp"

namespace mpx::inline v0::detail {

struct ready_tag;
struct awaited_tag;
class ready_queue;

/// A waiter for one request. It is in one of its queue's two lists: the awaited, or those that
/// became ready. Links and state are guarded by the endpoint's lock.
struct waiter : completion_watcher, list_node<ready_tag>, list_node<awaited_tag> {
  enum class state : std::uint8_t { idle, watching, ready };

  waiter() noexcept : completion_watcher{&became_complete} {}
  waiter(const waiter&) = delete;
  waiter& operator=(const waiter&) = delete;

  /// Continues the waiter. Called without the lock, when it is off the lists.
  void (*resume)(waiter&) = nullptr;
  ready_queue* queue = nullptr;
  operation* awaits = nullptr;
  state is = state::idle;

 private:
  static void became_complete(completion_watcher& w) noexcept;
};

/// Waiters for requests of one endpoint, in one loop.
class ready_queue {
 public:
  using list = linked_list<waiter, ready_tag>;
  using awaited_list = linked_list<waiter, awaited_tag>;

  /// `of`: the endpoint. `ring`: called under the lock when a waiter becomes ready.
  explicit ready_queue(const void* of, void (*ring)(ready_queue&) noexcept) noexcept
      : endpoint_(of), ring_(ring) {}
  ready_queue(const ready_queue&) = delete;
  ready_queue& operator=(const ready_queue&) = delete;

  /// Notifies `w` when `r` is complete. Returns false, without effect, if it is complete already.
  /// Requires: `r` has no other waiter, and stays until it is complete or until `leave`.
  template <class Stack>
  bool await(waiter& w, const request<Stack>& r, [[maybe_unused]] std::source_location where) {
    endpoint<Stack>& e = *request_access::endpoint_of(r);
    MPX_ASSERT_AT(&e == endpoint_, "a request is awaited in a loop of its own environment", where);
    operation* const op = request_access::operation_of(r);
    if (op == nullptr) return false;
    return compounds<Stack>::look(e, [&] {
      if (op->done()) return false;
      MPX_ASSERT_AT(op->holder == holder::request, "a request is awaited once at a time", where);
      op->holder = holder::watcher;
      op->watcher = &w;
      w.queue = this;
      w.awaits = op;
      w.is = waiter::state::watching;
      awaited_.push_back(w);
      return true;
    });
  }
  /// Ends the wait of `w`, if it waits.
  template <class Stack>
  void leave(endpoint<Stack>& e, waiter& w) noexcept {
    compounds<Stack>::look(e, [&] {
      leave_locked(w);
      return true;
    });
  }
  static void leave_locked(waiter& w) noexcept {
    if (w.is == waiter::state::ready) list::erase(w);
    if (w.is == waiter::state::watching) {
      awaited_list::erase(w);
      if (w.awaits->holder == holder::watcher && w.awaits->watcher == &w)
        w.awaits->holder = holder::request;
    }
    w.is = waiter::state::idle;
  }
  /// Takes one waiter, ready or not, off the lists; nullptr if there is none.
  waiter* expel_locked() noexcept {
    if (!used_locked()) return nullptr;
    waiter& w = has_ready_locked() ? ready_.front() : awaited_.front();
    leave_locked(w);
    return &w;
  }
  /// Puts `w` at the end of the ready list, as if its request were complete.
  /// Requires: it is idle.
  void make_ready_locked(waiter& w) noexcept {
    w.queue = this;
    w.is = waiter::state::ready;
    ready_.push_back(w);
    ring_(*this);
  }
  /// Takes the first ready waiter off the list and makes it idle; nullptr if there is none.
  waiter* take_locked() noexcept {
    if (ready_.empty()) return nullptr;
    waiter& w = ready_.front();
    ready_.pop_front();
    w.is = waiter::state::idle;
    return &w;
  }
  /// True if any waiter waits or is ready.
  bool used_locked() const noexcept { return !ready_.empty() || !awaited_.empty(); }
  bool has_ready_locked() const noexcept { return !ready_.empty(); }
  /// Lists the operations that are awaited, for hang reports.
  static void each(const void* queue, operation_list::taker take, void* context) {
    for (const waiter& w : static_cast<const ready_queue*>(queue)->awaited_)
      for_each_part(*w.awaits, take, context);
  }

 private:
  friend waiter;

  const void* endpoint_;
  void (*ring_)(ready_queue&) noexcept;
  list ready_;
  awaited_list awaited_;
};

inline void waiter::became_complete(completion_watcher& told) noexcept {
  waiter& w = static_cast<waiter&>(told);
  ready_queue::awaited_list::erase(w);
  w.queue->make_ready_locked(w);
}

}  // namespace mpx::inline v0::detail
