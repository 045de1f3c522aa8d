// SPDX-License-Identifier: BSL-1.0
#pragma once
// The portal table of a rank, and the operations on the tables of other ranks: put and get. Part of
// mpx/portals.hpp.

#include <concepts>
#include <cstdint>
#include <new>
#include <source_location>
#include <span>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include "mpx/data/buffer.hpp"
#include "mpx/portals/calls.hpp"
#include "mpx/portals/handles.hpp"

namespace mpx::inline v0::portals {

namespace detail {
/// A buffer that is not the description of one.
template <class B>
concept ElementBuffer = !std::same_as<std::remove_cvref_t<B>, memory> && !LayoutBuffer<B>;
template <class Stack>
class collective_portals;
}  // namespace detail

/// Portals of the ranks of a communicator, as in Puma. Each rank has its own entries; messages name
/// a portal by its index.
/// Limits:     see `limits`.
/// Threads:    as the stack's thread model allows.
template <class Stack = stack<>>
class table {
  using state = detail::table_state<Stack>;
  using os = typename state::os;

 public:
  /// Makes a table for all ranks of `comm`. Collective: no message arrives before all have one.
  /// Errors:     errc::argument if `most` is impossible; errc::no_resources, errc::peer_lost. The
  ///             error is the same at all ranks unless a rank is lost.
  /// Cost:       a dup of the communicator and a reduction; 32 bytes a rank of the communicator.
  /// Source:     Puma, section 1.2.
  explicit table(const communicator<Stack>& comm, const limits& most = {},
                 std::source_location where = std::source_location::current())
      : state_(make(comm, most, where)) {}
  table(const table&) = delete;
  table& operator=(const table&) = delete;
  /// Not collective. Operations of this rank that are under way end with errc::window; messages of
  /// other ranks that arrive later end so at their senders.
  /// Requires:   entries, queues and heap messages are gone.
  ~table() {
    MPX_ASSERT_AT(state_->e.is_there() && state_->lifetime == state_->e.lifetime(),
                  "the environment of these portals is gone: let tables go before it",
                  state_->made_at);
    {
      const auto guard = os::lock(state_->e);
      MPX_ASSERT(state_->run.entries_in_use() == 0, "a table of portals outlives its entries");
      state_->run.abandon_all();
      os::windows_locked(state_->e).remove(*state_);
    }
    if (state_->owns_comm) state_->comm.free();
    delete state_;
  }

  /// Rank of this process in the table's communicator.
  [[nodiscard]] rank_t rank() const noexcept { return state_->run.self(); }
  /// Number of ranks.
  [[nodiscard]] rank_t size() const noexcept { return state_->run.size(); }
  /// Longest data that travels in one packet; longer data is sent in several.
  [[nodiscard]] std::size_t packet_data_bytes() const noexcept {
    return state_->run.data_of_one_packet();
  }
  /// Counts of messages.
  [[nodiscard]] counts counted() const noexcept {
    const auto guard = os::lock(state_->e);
    return state_->run.counted();
  }

  // --- Entries -----------------------------------------------------------------------------------

  /// Gives a portal one memory descriptor, without match bits: it takes every message.
  /// `tell` is a queue of events, an EventHandler, or absent.
  /// Errors:     errc::argument if there is no such portal, it has entries, or the block does not
  ///             have these options; errc::no_resources.
  template <class... Tell>
  entry<Stack> attach(index portal, block& memory, const settings& s, Tell&&... tell) {
    return add(portal, nullptr, &memory, s, nullptr, std::forward<Tell>(tell)...);
  }
  /// Adds an entry to the end of a portal's match list.
  /// Errors:     as of attach; errc::rank if `want` names a rank that does not exist.
  template <class... Tell>
  entry<Stack> append(index portal, const criteria& want, block& memory, const settings& s,
                      Tell&&... tell) {
    return add(portal, &want, &memory, s, nullptr, std::forward<Tell>(tell)...);
  }
  /// Adds an entry in front of `other`, an entry of the same portal.
  template <class... Tell>
  entry<Stack> insert(const entry<Stack>& other, index portal, const criteria& want, block& memory,
                      const settings& s, Tell&&... tell) {
    return add(portal, &want, &memory, s, &other, std::forward<Tell>(tell)...);
  }
  /// Adds an entry without memory: `handler` gets the data where it arrived, for the time of its
  /// call. Messages longer than a packet do not fit.
  /// Errors:     as of append.
  template <EventHandler F>
  entry<Stack> handle(index portal, const criteria& want, F&& handler, const settings& s = {}) {
    return add(portal, &want, nullptr, s, nullptr, std::forward<F>(handler));
  }
  /// Continuation at an entry: `settings{.no_buffer = table.to(overflow)}`. If that entry is gone,
  /// the search ends.
  static onward to(const entry<Stack>& e) noexcept {
    onward o;
    o.to_ = {detail::continuation::to::entry, e.name_};
    return o;
  }

  // --- Memory ------------------------------------------------------------------------------------

  /// Takes the earliest message that fits `want` out of a heap. Empty if there is none.
  /// Cost:       a step for each message in the heap.
  heap_message<Stack> take(dynamic_block& heap, const criteria& want) noexcept {
    const auto guard = os::lock(state_->e);
    return message_of(heap, state_->run.take(heap, want));
  }
  /// Takes the earliest message for whose header `wanted` returns true out of a heap. Empty if
  /// there is none. `wanted` is called under the lock of the rank; it must not call mpx.
  template <class F>
  requires std::predicate<F&, const message&>
  heap_message<Stack> take_if(dynamic_block& heap, F&& wanted) noexcept {
    const auto guard = os::lock(state_->e);
    return message_of(heap, state_->run.take_if(heap, wanted));
  }
  /// Takes the earliest message that fits the inactive entry `e` out of a heap; if there is none,
  /// activates `e`. No message can arrive between the search and the activation.
  /// Source:     Puma, section 2: posting a receive.
  heap_message<Stack> take_or_activate(dynamic_block& heap, const entry<Stack>& e) noexcept {
    const auto guard = os::lock(state_->e);
    return message_of(heap, state_->run.take_or_activate(heap, e.name_));
  }
  /// Frees a buffer of an independent block for another message.
  /// Returns:    false if it holds no message.
  bool release(independent_block& memory, std::size_t buffer) noexcept {
    const auto guard = os::lock(state_->e);
    return state_->run.release(memory, buffer);
  }
  /// Position of a single or combined block that the receiver manages.
  [[nodiscard]] std::uint64_t position(const detail::linear_block& memory) const noexcept {
    const auto guard = os::lock(state_->e);
    return memory.position();
  }

  // --- Operations --------------------------------------------------------------------------------

  /// Sends `buffer` to a portal of rank `to`. Puts to one rank are matched, and store their data,
  /// in their order.
  /// Effects:    The target's portal decides what is saved. `back` names the portal of this table
  ///             that gets an acknowledgement if the target's descriptor sends one, or if the
  ///             message is dropped.
  /// Errors:     errc::rank; errc::argument if `back` names no portal; errc::no_resources if all
  ///             operations are in use; errc::peer_lost; errc::window if `to` has destroyed its
  ///             table.
  /// Completion: `buffer` may be changed when all of it has been sent. It may still be dropped: see
  ///             put_acknowledged.
  /// Cost:       1 packet up to packet_data_bytes().
  template <class B, class How = mpx::detail::throws_t>
  requires detail::ElementBuffer<B> && SendBuffer<std::remove_cvref_t<B>> &&
           mpx::detail::BufferFits<B&&, How>
  auto put(B&& buffer, rank_t to, const address& there, const answer_to& back = {}, How&& how = {},
           std::source_location where = std::source_location::current()) {
    return put_memory(mpx::memory(mpx::detail::bytes_of(buffer)), to, there, back,
                      std::forward<How>(how), where);
  }
  /// As above, from memory with a layout (mpx::memory_of).
  template <class How = mpx::detail::throws_t>
  auto put(const mpx::memory& data, rank_t to, const address& there, const answer_to& back = {},
           How&& how = {}, std::source_location where = std::source_location::current()) {
    return put_memory(data, to, there, back, std::forward<How>(how), where);
  }
  /// Sends `buffer` and waits for the acknowledgement, which the target sends whether or not its
  /// descriptor has the option `acknowledge`.
  /// Returns:    What was saved. Forms that return before store it in `result`.
  /// Errors:     As of put; errc::not_ready if the message was dropped (`result.reason`).
  template <class B, class How = mpx::detail::throws_t>
  requires detail::ElementBuffer<B> && SendBuffer<std::remove_cvref_t<B>> &&
           mpx::detail::BufferFits<B&&, How>
  auto put_acknowledged(B&& buffer, rank_t to, const address& there, receipt& result,
                        How&& how = {},
                        std::source_location where = std::source_location::current()) {
    return call(detail::asks::acknowledgement, mpx::memory(mpx::detail::bytes_of(buffer)), {}, to,
                there, {}, &result, std::forward<How>(how), where);
  }
  /// As above, from memory with a layout (mpx::memory_of).
  template <class How = mpx::detail::throws_t>
  auto put_acknowledged(const mpx::memory& data, rank_t to, const address& there, receipt& result,
                        How&& how = {},
                        std::source_location where = std::source_location::current()) {
    return call(detail::asks::acknowledgement, data, {}, to, there, {}, &result,
                std::forward<How>(how), where);
  }
  /// Reads from a read-only descriptor of a portal of rank `from` into `buffer`.
  /// Errors:     As of put; errc::not_ready if the target dropped the request.
  /// Completion: `buffer` must not be accessed until the operation is complete.
  template <class B, class How = mpx::detail::throws_t>
  requires detail::ElementBuffer<B> && ReceiveBuffer<B&&> && mpx::detail::BufferFits<B&&, How>
  auto get(B&& buffer, rank_t from, const address& there, How&& how = {},
           std::source_location where = std::source_location::current()) {
    return call(detail::asks::data, {}, mpx::memory(mpx::detail::writable_bytes_of(buffer)), from,
                there, {}, nullptr, std::forward<How>(how), where);
  }
  /// As above, into memory with a layout (mpx::memory_of).
  template <class How = mpx::detail::throws_t>
  auto get(const mpx::memory& into, rank_t from, const address& there, How&& how = {},
           std::source_location where = std::source_location::current()) {
    return call(detail::asks::data, {}, into, from, there, {}, nullptr, std::forward<How>(how),
                where);
  }
  /// Asks a read-only descriptor of rank `from` for `bytes`. The reply goes to portal `back` of
  /// this table, as a put does.
  /// Errors:     as of put.
  template <class How = mpx::detail::throws_t>
  auto get_to(std::uint64_t bytes, rank_t from, const address& there, const answer_to& back,
              How&& how = {}, std::source_location where = std::source_location::current()) {
    detail::portal_call<Stack> c(*state_, detail::asks::reply, {}, {}, from, there, back, nullptr);
    c.m.return_length = bytes;
    return mpx::detail::finish_as(std::forward<How>(how), c, where);
  }

 private:
  friend events<Stack>;

  template <class How>
  auto put_memory(const mpx::memory& data, rank_t to, const address& there, const answer_to& back,
                  How&& how, std::source_location where) {
    return call(detail::asks::nothing, data, {}, to, there, back, nullptr, std::forward<How>(how),
                where);
  }
  template <class How>
  auto call(detail::asks what, const mpx::memory& data, const mpx::memory& into, rank_t to,
            const address& there, const answer_to& back, receipt* result, How&& how,
            std::source_location where) {
    static_assert(!mpx::detail::is_form<How, mpx::detail::prepare_t>,
                  "operations on portals cannot be prepared: use mpx::start");
    return mpx::detail::finish_as(
        std::forward<How>(how),
        detail::portal_call<Stack>(*state_, what, data, into, to, there, back, result), where);
  }

  heap_message<Stack> message_of(dynamic_block& heap, detail::heap_record* r) noexcept {
    heap_message<Stack> m;
    m.table_ = state_;
    m.heap_ = &heap;
    m.record_ = r;
    return m;
  }

  entry<Stack> add(index portal, const criteria* want, block* memory, const settings& s,
                   const entry<Stack>* before) {
    return add_told(portal, want, memory, s, before, nullptr, {});
  }
  entry<Stack> add(index portal, const criteria* want, block* memory, const settings& s,
                   const entry<Stack>* before, events<Stack>& queue) {
    return add_told(portal, want, memory, s, before, &queue.ring_, {});
  }
  template <class F>
  entry<Stack> add(index portal, const criteria* want, block* memory, const settings& s,
                   const entry<Stack>* before, F&& f) {
    using called = std::remove_cvref_t<F>;
    static_assert(EventHandler<called>,
                  "a handler is called as f(portals::handling&, const portals::event&), and is "
                  "noexcept");
    struct holder : mpx::detail::allocated {
      explicit holder(F&& from) : f(std::forward<F>(from)) {}
      called f;
    };
    auto* const owned = new holder(std::forward<F>(f));
    const detail::event_call call{[](void* of, detail::engine& by, const event& e) noexcept {
                                    handling h(by);
                                    static_cast<holder*>(of)->f(h, e);
                                  },
                                  owned};
    entry<Stack> made;
    try {
      made = add_told(portal, want, memory, s, before, nullptr, call);
    } catch (...) {
      delete owned;
      throw;
    }
    made.call_ = owned;
    made.drop_ = [](void* of) noexcept { delete static_cast<holder*>(of); };
    return made;
  }
  entry<Stack> add_told(index portal, const criteria* want, block* memory, const settings& s,
                        const entry<Stack>* before, detail::event_ring* ring,
                        detail::event_call call) {
    const detail::continuation on[3] = {s.no_match.to_, s.no_buffer.to_, s.too_small.to_};
    const detail::engine::plan p{
        portal, want, memory,  s.how,    ring,
        call,   on,   s.label, s.active, before == nullptr ? detail::entry_name{} : before->name_};
    entry<Stack> made;
    errc why{};
    {
      const auto guard = os::lock(state_->e);
      why = state_->run.add(p, made.name_);
    }
    if (why != errc{}) detail::raise_entry(why, portal, state_->run.most());
    made.table_ = state_;
    return made;
  }

  friend detail::collective_portals<Stack>;
  struct at_comm {};
  /// A table that takes the packets of `comm`'s collective context, of which there may be one. Not
  /// collective: messages that arrive at a rank before it has its table are refused.
  table(const communicator<Stack>& comm, const limits& most, at_comm, std::source_location where)
      : state_(new state(comm, packet_bytes(comm), most, where)) {
    state_->owns_comm = false;
    state_->context |= 1;
    const auto guard = os::lock(state_->e);
    os::windows_locked(state_->e).add(*state_);
  }

  static state* make(const communicator<Stack>& comm, const limits& most,
                     std::source_location where) {
    communicator<Stack> own = comm.dup(mpx::detail::throws_t{}, where);
    state* made = nullptr;
    errc why{};
    if (most.portals == 0 || most.portals > detail::engine::portals_max || most.entries == 0 ||
        most.operations == 0 || most.replies == 0) {
      why = errc::argument;
    } else {
      try {
        made = new state(own, packet_bytes(own), most, where);
      } catch (const error&) {
        why = errc::no_resources;
      }
    }
    if (made != nullptr) {
      const auto guard = os::lock(made->e);
      os::windows_locked(made->e).add(*made);
    }
    try {
      const int worst =
          own.allreduce(static_cast<int>(why), mpx::max, mpx::detail::throws_t{}, where);
      why = static_cast<errc>(worst);
    } catch (const error& e) {
      why = static_cast<errc>(e.code().value());
    }
    if (why == errc{}) return made;
    if (made != nullptr) {
      const auto guard = os::lock(made->e);
      os::windows_locked(made->e).remove(*made);
    }
    delete made;
    own.free(where);
    throw error(
        why,
        mpx::detail::formatted(
            "portals::table on rank %d%s", comm.rank(),
            why == errc::argument ? ": a rank gives limits of 0, or more than 65534 portals" : ""),
        where);
  }
  /// Length of a packet that the channels to all ranks take.
  static std::size_t packet_bytes(const communicator<Stack>& own) noexcept {
    const mpx::detail::communicator_access<Stack> a(own, std::source_location{});
    std::size_t least = os::packet_bytes(a.at(), a.peer_of(0));
    for (rank_t r = 1; r < own.size(); ++r)
      least = mpx::detail::lesser(least, os::packet_bytes(a.at(), a.peer_of(r)));
    return least;
  }

  state* state_;
};

template <class Stack>
events<Stack>::events(table<Stack>& of, std::size_t capacity)
    : table_(*of.state_), ring_(capacity == 0 ? 1 : capacity) {
  const auto guard = os::lock(table_.e);
  table_.run.attach(ring_);
}

}  // namespace mpx::inline v0::portals
