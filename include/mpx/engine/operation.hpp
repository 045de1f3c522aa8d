// SPDX-License-Identifier: BSL-1.0
#pragma once
// The state of one send or receive while it is under way, and the pool that holds them. An
// operation has a ticket that a peer can name; a ticket that was not given out is recognised and
// refused.

#include <cstddef>
#include <cstdint>
#include <new>

#include "mpx/core/error.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/datatype/memory.hpp"
#include "mpx/matching/concepts.hpp"
#include "mpx/protocol/scheme_learner.hpp"
#include "mpx/protocol/wire.hpp"

namespace mpx::inline v0::detail {

/// Of the queues that operations wait in: none waits in one and to be matched, so that the links
/// are the same.
using queue_tag = match_tag;

enum class role : std::uint8_t { free, receive, send, control, compound };

/// Whom an operation tells that it is complete, and who gives it back.
enum class holder : std::uint8_t {
  nobody,   ///< It is given back when it is complete.
  request,  ///< A request refers to it, and looks.
  parent,   ///< It is part of a compound operation, which counts.
  watcher,  ///< A request refers to it, and somebody who is told awaits that.
};

/// Who awaits a request without looking.
struct completion_watcher {
  /// The operation is complete, and its request's alone again. Called under the endpoint's lock,
  /// from whichever packet's handler or call made it so: it starts nothing.
  void (*completed_locked)(completion_watcher&) noexcept;
};

/// What the receiver fetches itself of a message that both sides move.
enum class front : std::uint8_t {
  open,     ///< It has not said that it has it.
  fetched,  ///< It has.
  wanted,   ///< It could not fetch it, and is to be sent it.
};

/// How far an operation has come. Who sets what, and when:
///
/// | stage     | of            | set by                                | left when                |
/// |-----------|---------------|---------------------------------------|--------------------------|
/// | posted    | receive       | inbox: no message has met it          | one does, or is cancelled|
/// | queued    | send, control | outbox: behind others, or no room     | the channel takes it     |
/// | answer    | send          | outbox: an answer is owed             | it comes                 |
/// | placed    | receive       | inbox: the transport writes its body  | the packet is whole      |
/// | streaming | send, receive | mover: data goes as packets           | the last byte has gone by|
/// | due       | send, receive | mover: this side has to copy it       | this rank looks or waits |
/// | copying   | send, receive | mover: a get or put is under way      | its completion comes     |
/// | closing   | any           | endpoint::end, while the transport    | the last completion comes|
/// |           |               | still reads or writes its memory      |                          |
/// | complete  | any           | endpoint::finish, once                | it is given back         |
enum class stage : std::uint8_t {
  posted,
  queued,
  answer,
  placed,
  streaming,
  due,
  copying,
  closing,
  complete,
};

/// One send, receive or packet that has to wait. Its flags, false when it begins:
///
/// | flag      | set by                         | cleared by                                     |
/// |-----------|--------------------------------|------------------------------------------------|
/// | holder    | begin: a request; compounds: a | detach: nobody, it is given back at its end    |
/// |           | parent; awaiting: a watcher    |                                                |
/// | special   | fails, owns: there is more to  | never                                          |
/// |           | see to than a success          |                                                |
/// | announced | outbox: the envelope is posted | never                                          |
/// | exposed   | mover: the peer may reach it   | mover::withdraw, end_exposure                  |
/// | recalls   | mover: the peer is not to      | outbox: its envelope is posted                 |
/// |           | fetch, and has been told       |                                                |
/// | pending   | outbox, mover: counts posts,   | endpoint::on_complete, one a completion        |
/// |           | gets and puts under way        |                                                |
/// | cancelled | cancel                         | never                                          |
/// | split     | mover: both sides copy         | mover: the front is sent, too                  |
/// | copying   | mover: a get or put is pending | endpoint::on_complete                          |
/// | front     | mover: how it stands with what | never                                          |
/// |           | the receiver fetches of it     |                                                |
/// | learns    | mover: its cost is to count,   | mover: its scheme was not chosen by cost       |
/// |           | and as that of which traffic   |                                                |
struct alignas(cache_line_bytes) operation : posted_receive {
  // What a receive of an eager message touches is in the first two lines, the matcher's links
  // included.
  operation* next = nullptr;  // Free: the next free one. Part of a compound: the next part.

  // Neighbours, so that they are compared at once.
  detail::stage stage{};
  std::uint8_t special = 0;
  detail::holder holder{};
  detail::role role{};
  std::uint8_t flags = 0;  // Send: wire::flag. Receive: 1 if `ranks` counts.
  bool exposed = false;
  std::uint8_t pending = 0;  // Completions that the transport owes.
  bool cancelled = false;
  errc failure{};  // errc{} while it is free.
  std::uint32_t ticket = 0;
  memory data;                    // Send: what. Receive: whereto; none: it is dropped.
  std::size_t message_bytes = 0;  // Receive: the message's length. Send, split: of the front.
  peer_id peer = 0;               // Send: to whom. Receive: from whom, once matched.
  tag_t tag = 0;
  // A copy that mpx made, or a compound's state, or this operation itself, if `data` has a layout:
  // what is to be seen to when it is given back, so that a free one has no layout. Else nullptr.
  std::byte* owned = nullptr;

  std::size_t limit = 0;        // Bytes that will move.
  std::size_t transferred = 0;  // Bytes that have.
  std::size_t copied = 0;       // Where the next piece of what is due begins. Receive that
                                // streams: bytes of a front that come when the rest is here.
  std::uint32_t remote_ticket = 0;
  context_id context = 0;  // Of a send.
  bool announced = false;
  bool owned_by_attached = false;
  bool split = false;
  detail::front front{};
  bool copying = false;
  bool recalls = false;
  protocol::traffic learns{};
  protocol::scheme scheme{};  // Receive: how its data moves.
  std::uint8_t control_bytes = 0;
  std::int64_t asked_at_ns = 0;  // Receive: when its data began to move, or its scheme was chosen.
  std::int64_t spent_ns = 0;     // Receive: what its data has taken so far.
  remote_memory own{};           // What is exposed of `data`.
  remote_memory target{};        // Send: where the receiver wants it.
  std::byte control[40]{};       // Payload of a control packet of this operation.
  wire::header header{};
  union {  // As `holder` says.
    operation* parent = nullptr;
    completion_watcher* watcher;
  };
  const group* ranks = nullptr;  // Of the communicator; nullptr: ranks are peers.

  /// A new life for a request; one store sets all eight flags above.
  [[MPX_ALWAYS_INLINE]] void begin(detail::role r, detail::stage s, std::uint8_t f) noexcept {
    stage = s;
    role = r;
    flags = f;
    special = 0;
    holder = detail::holder::request;
    exposed = false;
    pending = 0;
    cancelled = false;
  }

  void fails(errc why) noexcept {
    failure = why;
    special = 1;
  }
  void owns(std::byte* what) noexcept {
    owned = what;
    special = 1;
  }
  std::byte* layout_mark() noexcept { return reinterpret_cast<std::byte*>(this); }
  void tell_watcher() noexcept {
    holder = detail::holder::request;
    watcher->completed_locked(*watcher);
  }
  void drop_layout() noexcept {
    if (data.how == nullptr) return;
    data.how->drop();
    data.how = nullptr;
    owned = nullptr;
  }
  /// Its memory may be gone: it is not touched any more.
  void forget_memory() noexcept {
    drop_layout();
    data.base = nullptr;
  }
  /// One that is_plain has succeeded. All that was compared is stored: who compares a part of it
  /// next finds that in one store. Not where other `Threads` look at it meanwhile.
  template <bool Threads>
  [[MPX_ALWAYS_INLINE]] void complete_plain() noexcept {
    stage = detail::stage::complete;
    if constexpr (Threads) return;
    special = 0;
    holder = detail::holder::request;
    role = detail::role::receive;
  }
  bool done() const noexcept { return stage == detail::stage::complete; }
  /// It has succeeded, and nothing is left to be seen to (a compound owns its state): for those who
  /// want no status.
  [[MPX_ALWAYS_INLINE]] bool is_over() const noexcept {
    return stage == detail::stage::complete && special == 0;
  }
  /// A request's receive that has not matched, with nothing special about it: one comparison.
  [[MPX_ALWAYS_INLINE]] bool is_plain() const noexcept {
    return stage == detail::stage::posted && special == 0 && holder == detail::holder::request &&
           role == detail::role::receive;
  }
  /// A send whose request is gone, and there was no memory to keep its data in: the receiver may
  /// learn of the message, but who asks for its data loses the sender.
  bool data_lost() const noexcept { return !data.exists() && data.bytes != 0; }
};

/// Operations by ticket. Grows in slabs up to `OperationsMax`; addresses are stable. A ticket is an
/// index and a generation of `GenerationBits`. An operation is given back only when nothing can
/// arrive any more that names it, so that the generation is no more than a check of what peers say.
/// Cost: a pop and a push of a free list for each operation.
template <std::uint32_t OperationsMax, unsigned GenerationBits>
class operation_pool {
 public:
  /// Operations that one endpoint can have under way.
  static constexpr std::uint32_t operations_max = OperationsMax;

  operation_pool() = default;
  operation_pool(const operation_pool&) = delete;
  operation_pool& operator=(const operation_pool&) = delete;

  /// Returns an operation to `begin`, or nullptr at the limit or when memory is out.
  operation* take() noexcept {
    if (free_ == nullptr) [[unlikely]] {
      if (!grow()) return nullptr;
    }
    operation* op = free_;
    free_ = op->next;
    return op;
  }

  /// Requires: it owns nothing, and its failure is errc{} again.
  [[MPX_ALWAYS_INLINE]] void give(operation* op) noexcept {
    op->role = role::free;
    op->ticket += generation_step;
    op->next = free_;
    free_ = op;
  }

  /// The operation with this ticket, or nullptr: a peer's word is not trusted.
  operation* find(std::uint32_t ticket) noexcept {
    const std::uint32_t index = (ticket & index_mask) - 1;
    if (index >= slabs_.size() * slab_size) return nullptr;
    operation& op = slabs_[index / slab_size]->operations[index % slab_size];
    return op.ticket == ticket && op.role != role::free ? &op : nullptr;
  }

  /// Differs, most likely, once operations have come and gone.
  [[gnu::noinline, gnu::cold]] std::uint64_t digest() const noexcept {
    std::uint64_t sum = slabs_.size();
    for (std::size_t s = 0; s < slabs_.size(); ++s)
      for (const operation& op : slabs_[s]->operations)
        sum = (sum + op.ticket + op.transferred + op.copied) * 0x9e37'79b9'7f4a'7c15u;
    return sum;
  }

  template <class F>
  void for_each(F&& f) {
    std::uint32_t at = 0;
    while (operation* const op = next(at)) f(*op);
  }

 private:
  /// The first one in use from index `at` on, which becomes the next one's; nullptr: there is none.
  [[gnu::noinline]] operation* next(std::uint32_t& at) noexcept {
    while (at < slabs_.size() * slab_size) {
      operation& op = slabs_[at / slab_size]->operations[at % slab_size];
      ++at;
      if (op.role != role::free) return &op;
    }
    return nullptr;
  }

  static constexpr std::uint32_t slab_size = lesser(64u, OperationsMax);
  static_assert(OperationsMax % slab_size == 0);
  struct slab : allocated {
    // NOLINTNEXTLINE(*-equals-default): what is defaulted takes no attribute.
    [[gnu::noinline, gnu::cold]] slab() noexcept {}
    operation operations[slab_size];
  };
  static constexpr unsigned index_bits = 32 - GenerationBits;  // Index + 1: ticket 0 names nothing.
  static constexpr std::uint32_t generation_step =
      static_cast<std::uint32_t>(std::uint64_t{1} << index_bits);  // 0 without generations.
  static constexpr std::uint32_t index_mask = generation_step - 1;
  static_assert(GenerationBits <= 16 && OperationsMax < index_mask);

  [[gnu::noinline, gnu::cold]] bool grow() noexcept {
    const auto base = static_cast<std::uint32_t>(slabs_.size()) * slab_size;
    if (base >= operations_max) return false;
    slab* const added = slabs_.try_add(new (std::nothrow) slab());
    if (added == nullptr) return false;
    for (std::uint32_t i = slab_size; i-- > 0;) {
      operation& op = added->operations[i];
      op.ticket = base + i + 1;
      op.next = free_;
      free_ = &op;
    }
    return true;
  }

  operation* free_ = nullptr;
  owning_table<slab> slabs_;
};

/// How many operations an endpoint may have under way: what the protocol says, or the default.
template <class Protocol>
constexpr std::uint32_t operations_max_of() noexcept {
  if constexpr (requires { Protocol::operations_max; }) return Protocol::operations_max;
  return 1u << 24;
}
/// How many bits of a ticket tell the uses of a place apart: few, or none, for tests.
template <class Protocol>
constexpr unsigned generation_bits_of() noexcept {
  if constexpr (requires { Protocol::generation_bits; }) return Protocol::generation_bits;
  return 7;
}

struct place_tag {};

/// A message that arrived before its receive. Its eager data, if any, follows it in memory.
struct arrived_message : unexpected_message, list_node<place_tag> {
  /// Beside the bits of wire::flag: when it was announced, this rank had long data for its sender.
  static constexpr std::uint8_t flag_both_ways = 128;
  static_assert((wire::flags_all & flag_both_ways) == 0);

  wire::kind kind{};
  std::uint8_t flags = 0;
  bool unready = false;      // A ready send that came too early: its receive will be told.
  bool plain = false;        // Eager, with no flags.
  bool indexed = false;      // By its communicator, among the early messages.
  std::uint32_t ticket = 0;  // The sender's operation.
  std::uint32_t stored = 0;  // Eager bytes that follow.
  std::uint64_t bytes = 0;   // The message's length.
  remote_memory memory{};    // Announced messages: where the data lies.

  std::byte* data() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};

}  // namespace mpx::inline v0::detail
