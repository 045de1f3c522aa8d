// SPDX-License-Identifier: BSL-1.0
#pragma once
// Handles of a table's parts: queues of events, entries, messages taken from a heap, and the access
// of handlers. Each gives back its part when it is destroyed.

#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include "mpx/comm/finish.hpp"
#include "mpx/engine/requests/forms.hpp"
#include "mpx/portals/state.hpp"

namespace mpx::inline v0::portals {

template <class Stack>
class table;
template <class Stack = stack<>>
class events;

/// A match entry, or the only descriptor of a portal. Its block, its queue and its table outlive
/// it. Destroying it removes it: messages that are arriving at it are cut off, and their senders
/// are told.
/// Threads:    as the stack's thread model allows.
template <class Stack = stack<>>
class [[nodiscard]] entry {
  using state = detail::table_state<Stack>;
  using os = typename state::os;

 public:
  entry() = default;
  /// Takes over the entry of `other`, which is empty afterwards.
  entry(entry&& other) noexcept
      : table_(std::exchange(other.table_, nullptr)),
        name_(other.name_),
        call_(std::exchange(other.call_, nullptr)),
        drop_(other.drop_) {}
  /// Removes the entry held before, and takes over that of `other`.
  entry& operator=(entry&& other) noexcept {
    entry old(std::move(*this));
    table_ = std::exchange(other.table_, nullptr);
    name_ = other.name_;
    call_ = std::exchange(other.call_, nullptr);
    drop_ = other.drop_;
    return *this;
  }
  ~entry() { remove(); }

  /// False if it is empty.
  explicit operator bool() const noexcept { return table_ != nullptr; }
  /// Lets messages match from now on.
  /// Requires:   it is not empty, as of the following functions.
  void activate() noexcept { set(true); }
  /// Lets no further message match.
  void deactivate() noexcept { set(false); }
  /// True if messages can match it.
  [[nodiscard]] bool is_active() const noexcept {
    const auto guard = os::lock(table_->e);
    return table_->run.is_active(name_);
  }
  /// Changes the match bits, for messages that have not arrived.
  void match(match_bits bits, match_bits ignore = 0) noexcept {
    const auto guard = os::lock(table_->e);
    table_->run.set_bits(name_, bits, ignore);
  }
  /// Removes the entry; it is empty afterwards.
  void remove() noexcept {
    if (table_ == nullptr) return;
    {
      const auto guard = os::lock(table_->e);
      table_->run.remove(name_);
    }
    table_ = nullptr;
    if (call_ != nullptr) drop_(std::exchange(call_, nullptr));
  }

 private:
  friend table<Stack>;
  void set(bool active) noexcept {
    const auto guard = os::lock(table_->e);
    table_->run.set_active(name_, active);
  }

  state* table_ = nullptr;
  detail::entry_name name_{};
  void* call_ = nullptr;  // The program's callable, owned.
  void (*drop_)(void*) noexcept = nullptr;
};

/// Continuation of the search after a failure of an entry.
class onward {
 public:
  /// The next entry of the list.
  static constexpr onward following() noexcept { return {}; }
  /// No further entry: the message is dropped, and its sender told.
  static constexpr onward nowhere() noexcept {
    onward o;
    o.to_.where = detail::continuation::to::nowhere;
    return o;
  }

 private:
  template <class>
  friend class table;
  detail::continuation to_{};
};

/// Settings of an entry beside its criteria and its memory.
struct settings {
  options how{};                          ///< Options of its memory descriptor.
  onward no_match = onward::following();  ///< Continuation if the criteria do not fit.
  onward no_buffer = onward::nowhere();   ///< If no buffer, event or reply is free.
  onward too_small = onward::nowhere();   ///< If the buffer is smaller than the message.
  std::uint64_t label = 0;                ///< Passed on in its events.
  bool active = true;                     ///< False: `activate` or `take_or_activate` follows.
};

/// A queue of the events of entries, and of losses of ranks. It is bounded: an entry whose queue is
/// full takes no message, and its search continues as after `no_buffer`.
/// Requires:   the table outlives it; it outlives its entries, and requests of `arrival`.
template <class Stack>
class events {
  using state = detail::table_state<Stack>;
  using os = typename state::os;

 public:
  /// A queue of up to `capacity` events.
  /// Errors:     errc::no_resources.
  events(table<Stack>& of, std::size_t capacity);
  events(const events&) = delete;
  events& operator=(const events&) = delete;
  ~events() {
    const auto guard = os::lock(table_.e);
    MPX_ASSERT(ring_.users == 0, "a queue of events outlives the portal entries that name it");
    table_.run.detach(ring_);
  }

  /// Largest number of events.
  [[nodiscard]] std::size_t capacity() const noexcept { return ring_.capacity(); }
  /// Makes progress, and takes the next event if there is one.
  std::optional<event> poll() {
    event e;
    {
      const auto guard = os::lock(table_.e);
      if (table_.run.take(ring_, e)) return e;
    }
    table_.e.progress();
    const auto guard = os::lock(table_.e);
    if (table_.run.take(ring_, e)) return e;
    return std::nullopt;
  }
  /// Blocks until there is an event, and takes it. The loss of a rank is an event.
  event wait(std::source_location where = std::source_location::current()) {
    return *wait_unless([] { return false; }, proc_null, where);
  }
  /// As wait, unless `stop()` returns true: then it returns nothing. `stop` is called under the
  /// lock of the rank, whenever something may have changed; it must not call mpx. `on`: the rank
  /// that is waited for, which the report of a hang names; proc_null if it is none alone.
  template <class F>
  std::optional<event> wait_unless(F&& stop, rank_t on = proc_null,
                                   std::source_location where = std::source_location::current()) {
    event e;
    bool there = false;
    const auto look = [&] { return (there = table_.run.take(ring_, e)) || stop(); };
    bool over = false;
    {
      const auto guard = os::lock(table_.e);
      over = look();
    }
    if (!over) table_.wait({"portals::events::wait", where}, on, look);
    return there ? std::optional(e) : std::nullopt;
  }
  /// Returns a request that is complete when there is an event; `poll` takes the event. For
  /// `co_await`, and for waiting for it and other requests.
  /// Errors:     errc::request if there is such a request already; errc::no_resources.
  request<Stack> arrival(std::source_location where = std::source_location::current()) {
    const auto made = table_.make("portals::events::arrival", [this](detail::portal_request& r) {
      if (ring_.waiter != nullptr) return errc::request;
      ring_.waiter = &r;
      r.events = &ring_;
      if (table_.run.has_event(ring_))
        table_.complete(std::exchange(ring_.waiter, nullptr), errc{});
      return errc{};
    });
    if (made.failure == errc{}) return mpx::detail::request_access::make(table_.e, made.op);
    throw error(made.failure,
                made.failure == errc::request
                    ? "portals::events::arrival: a request waits for this queue already"
                    : "portals::events::arrival",
                where);
  }

 private:
  friend table<Stack>;
  state& table_;
  detail::event_ring ring_;
};

/// A message that was taken from a heap. Destroying it frees its memory in the heap.
/// Requires:   the heap and the table outlive it.
template <class Stack = stack<>>
class [[nodiscard]] heap_message {
  using state = detail::table_state<Stack>;
  using os = typename state::os;

 public:
  heap_message() = default;
  /// Takes over the message of `other`, which is empty afterwards.
  heap_message(heap_message&& other) noexcept
      : table_(other.table_), heap_(other.heap_), record_(std::exchange(other.record_, nullptr)) {}
  /// Frees the message held before, and takes over that of `other`.
  heap_message& operator=(heap_message&& other) noexcept {
    const heap_message old(std::move(*this));
    table_ = other.table_;
    heap_ = other.heap_;
    record_ = std::exchange(other.record_, nullptr);
    return *this;
  }
  ~heap_message() {
    if (record_ == nullptr) return;
    const auto guard = os::lock(table_->e);
    table_->run.give_back(*heap_, *record_);
  }

  /// False if no message was found.
  explicit operator bool() const noexcept { return record_ != nullptr; }
  /// Header of the message.
  /// Requires:   it is not empty, as of the following functions.
  [[nodiscard]] const message& is() const noexcept { return record_->is; }
  /// Parts that were saved.
  [[nodiscard]] saved what() const noexcept { return record_->what; }
  /// Its data. `wait` has to come first: a long message may still be arriving.
  [[nodiscard]] std::span<const std::byte> data() const noexcept { return record_->data(); }
  /// True if `wait` returns at once.
  [[nodiscard]] bool is_whole() const noexcept {
    const auto guard = os::lock(table_->e);
    return record_->whole;
  }
  /// As is_whole, within `stop` of events::wait_unless. False if it is empty.
  [[nodiscard]] bool is_whole_locked() const noexcept {
    return record_ != nullptr && record_->whole;
  }
  /// Blocks until all data has arrived.
  /// Errors:     errc::peer_lost; errc::pending if the sender has given up.
  template <class How = mpx::detail::throws_t>
  requires mpx::detail::BlockingForm<How>
  void wait(How&& how = {}, std::source_location where = std::source_location::current()) {
    table_->wait({"portals::heap_message::wait", where}, record_->is.source,
                 [this] { return record_->whole; });
    if constexpr (mpx::detail::is_code<How>) {
      mpx::detail::store(how, record_->failure);
    } else if (record_->failure != errc{}) {
      throw error(record_->failure,
                  mpx::detail::formatted("a message of rank %d in a heap: its data was cut off",
                                         record_->is.source),
                  where);
    }
  }

 private:
  friend table<Stack>;
  state* table_ = nullptr;
  dynamic_block* heap_ = nullptr;
  detail::heap_record* record_ = nullptr;
};

/// Access of a handler to its table. A handler runs inside progress, under the lock of its rank: it
/// must not throw, block, or call mpx in any other way.
class handling {
 public:
  /// Sends `data`, of at most one packet, to a portal of rank `to`. The data is copied.
  /// Errors:     errc::rank; errc::count if it exceeds a packet (`data_bytes_max`);
  ///             errc::no_resources if 64 packets to that rank wait for its channel;
  ///             errc::peer_lost, errc::window.
  errc put(std::span<const std::byte> data, rank_t to, const address& there,
           const user_data& user = {}) noexcept {
    if (to < 0 || to >= engine_.size()) return errc::rank;
    return engine_.send_from_handler({.bits = there.bits,
                                      .offset = there.offset,
                                      .length = data.size(),
                                      .portal = there.portal,
                                      .user = user},
                                     to, data);
  }
  /// Sends `data` to the return portal of a message.
  /// Errors:     as of put; errc::argument if the message asks for no answer.
  errc answer(const message& to, std::span<const std::byte> data,
              const user_data& user = {}) noexcept {
    if (to.return_portal == no_portal) return errc::argument;
    return put(data, to.source, {to.return_portal, to.return_bits, to.return_offset}, user);
  }
  /// Largest length of `data`.
  [[nodiscard]] std::size_t data_bytes_max() const noexcept { return engine_.data_of_one_packet(); }
  /// Rank of this process in the table's communicator.
  [[nodiscard]] rank_t rank() const noexcept { return engine_.self(); }

 private:
  template <class>
  friend class table;
  explicit handling(detail::engine& e) noexcept : engine_(e) {}
  detail::engine& engine_;
};

/// A callable for the events of an entry.
template <class F>
concept EventHandler = std::is_nothrow_invocable_v<F&, handling&, const event&>;

}  // namespace mpx::inline v0::portals
