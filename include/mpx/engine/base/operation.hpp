// SPDX-License-Identifier: BSL-1.0
#pragma once
// State of one send or receive under way, and the pool of operations. Each operation has a ticket
// that a peer can name; tickets that were not given out are recognised and refused.

#include <cstddef>
#include <cstdint>
#include <new>

#include "mpx/core/error.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/data/memory.hpp"
#include "mpx/matching/concepts.hpp"
#include "mpx/protocol/rendezvous_tuner.hpp"
#include "mpx/protocol/wire.hpp"

namespace mpx::inline v0::detail {

/// Tag of the links of queues of operations. It equals the matcher's tag: no operation is queued
/// and posted for matching at the same time, so both share the links.
using queue_tag = match_tag;

enum class role : std::uint8_t { free, receive, send, control, compound };

/// The party that is told of an operation's completion and returns it to the pool.
enum class holder : std::uint8_t {
  nobody,   ///< Returned to the pool as soon as it is complete.
  request,  ///< A request refers to it and polls its stage.
  parent,   ///< Part of a compound operation, which counts its parts.
  watcher,  ///< A request refers to it, and a coroutine or callback awaits it.
};

/// Notified when a request is complete, without polling it.
struct completion_watcher {
  /// Called when the operation is complete and belongs to its request alone again. Runs under the
  /// endpoint's lock, inside any packet handler or call, so it must start nothing.
  void (*completed_locked)(completion_watcher&) noexcept;
};

/// State of the first half of a message that both sides copy: the receiver fetches this half.
enum class first_half : std::uint8_t {
  open,     ///< The receiver has not reported the first half yet.
  fetched,  ///< The receiver has fetched the first half.
  wanted,   ///< The get failed: the sender has to send the first half.
};

/// Stage of an operation, with the component that sets it:
///
/// | stage     | of            | set by                                | left when                |
/// |-----------|---------------|---------------------------------------|--------------------------|
/// | posted    | receive       | inbox: no message has matched it      | it matches or is ended   |
/// | queued    | send, control | outbox: behind others, or no room     | the channel takes it     |
/// | answer    | send          | outbox: waits for an answer           | the answer arrives       |
/// | placed    | receive       | inbox: the transport writes the body  | the packet is complete   |
/// | streaming | send, receive | rendezvous: data moves as packets     | the last byte has passed |
/// | pushing   | send, receive | rendezvous: as streaming, unrequested | the last byte has passed |
/// |           |               | (long_path::eager)                    | or the receiver answers  |
/// | due       | send, receive | rendezvous: this side copies the data | this rank waits or polls |
/// | copying   | send, receive | rendezvous: a get or put is pending   | it completes             |
/// | closing   | any           | endpoint::end, while the transport    | the last completion      |
/// |           |               | still reads or writes its memory      | arrives                  |
/// | complete  | any           | endpoint::finish, once                | it returns to the pool   |
enum class stage : std::uint8_t {
  posted,
  queued,
  answer,
  placed,
  streaming,
  pushing,
  due,
  copying,
  closing,
  complete,
};

/// A send, a receive, or a control packet that has to wait. Flags are false when it begins:
///
/// | flag      | set by                              | cleared by                                |
/// |-----------|-------------------------------------|-------------------------------------------|
/// | holder    | begin: request; compounds:          | detach: none; it returns to the pool      |
/// |           | parent; awaiting: watcher           | at its end                                |
/// | special   | fails, owns: the end needs          | never                                     |
/// |           | more than a plain success           |                                           |
/// | announced | outbox: the envelope is posted      | never                                     |
/// | exposed   | rendezvous: the peer may use its    | rendezvous::withdraw, end_exposure        |
/// |           | memory                              |                                           |
/// | recalls   | rendezvous: the peer was asked not  | outbox: its envelope is posted            |
/// |           | to fetch. Receive: endpoint::part,  | Receive: rendezvous::begin                |
/// |           | no more pieces are fetched          |                                           |
/// | cancels   | outbox: the peer was asked to drop   | never                                     |
/// |           | the message                          |                                           |
/// | pending   | outbox, rendezvous: counts posts,   | endpoint::on_complete, one per completion |
/// |           | gets and puts under way             |                                           |
/// | cancelled | cancel, or its answer               | never                                     |
/// | half_and_ | rendezvous: both sides copy         | rendezvous: the first half is sent, too   |
/// | half      |                                     |                                           |
/// | copying   | rendezvous: a get or put is pending | endpoint::on_complete                     |
/// | first_    | rendezvous: state of the half that  | never                                     |
/// | half      | the receiver fetches                |                                           |
/// | learns    | rendezvous: its cost is measured,   | its rendezvous protocol was not           |
/// |           | as which kind of traffic            | chosen by cost                            |
struct alignas(cache_line_bytes) operation : posted_receive {
  // A receive of an eager message touches only the first two cache lines, which include the
  // matcher's links.
  operation* next = nullptr;  // Free: next free operation. Part of a compound: next part.

  // Adjacent, so that they are compared at once (is_plain).
  detail::stage stage{};
  std::uint8_t special = 0;
  detail::holder holder{};
  detail::role role{};
  std::uint8_t flags = 0;  // Send: wire::flag. Receive: 1 if `ranks` counts.
  bool exposed = false;
  std::uint8_t pending = 0;  // Completions that the transport owes.
  bool cancelled = false;
  errc failure{};  // errc{} while the operation is free.
  std::uint32_t ticket = 0;
  memory data;  // Source of a send, target of a receive. None: received data is dropped.
  // Receive: length of the message. Half-and-half send: length of the first half.
  std::size_t message_bytes = 0;
  peer_id peer = 0;  // Send: target. Receive: source, once matched.
  tag_t tag = 0;
  // A copy made by mpx, or the state of a compound, or this operation itself if `data` has a
  // layout. Released when the operation returns to the pool, so that a free one has no layout. Else
  // nullptr.
  std::byte* owned = nullptr;

  std::size_t limit = 0;        // Bytes to be moved.
  std::size_t transferred = 0;  // Bytes moved so far.
  std::size_t copied = 0;       // Offset of the next piece of a due copy. Streaming receive:
                                // bytes of a first half that follow as packets.
  std::uint32_t remote_ticket = 0;
  context_id context = 0;  // Sends only.
  bool announced = false;
  bool owned_by_attached = false;
  bool half_and_half = false;
  detail::first_half first_half{};
  bool copying = false;
  bool recalls = false;
  bool cancels = false;
  protocol::traffic learns{};
  protocol::rendezvous_protocol rendezvous_protocol{};  // Receive: rendezvous protocol.
  std::uint8_t control_bytes = 0;
  std::int64_t asked_at_ns =
      0;  // Receive: time of the start, or of the choice of `rendezvous_protocol`.
  std::int64_t spent_ns = 0;  // Receive: time spent on its data so far.
  remote_memory own{};        // Exposed part of `data`.
  remote_memory target{};     // Send: memory that the receiver exposes.
  std::byte control[40]{};    // Payload of a control packet of this operation.
  wire::header header{};
  union {  // Selected by `holder`.
    operation* parent = nullptr;
    completion_watcher* watcher;
  };
  const group* ranks = nullptr;  // Group of the communicator; nullptr: ranks are peers.

  /// Starts a new operation held by a request; one store sets all eight members.
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
  /// Forgets memory that may be gone; it is not accessed any more.
  void forget_memory() noexcept {
    drop_layout();
    data.base = nullptr;
  }
  /// Completes an operation that is_plain, with success. Stores all members that is_plain compares,
  /// so that a later load of any part of them is forwarded from this one store. Not done if other
  /// `Threads` may read the operation meanwhile.
  template <bool Threads>
  [[MPX_ALWAYS_INLINE]] void complete_plain() noexcept {
    stage = detail::stage::complete;
    if constexpr (Threads) return;
    special = 0;
    holder = detail::holder::request;
    role = detail::role::receive;
  }
  bool done() const noexcept { return stage == detail::stage::complete; }
  /// True if the operation has succeeded and needs no cleanup (a compound owns its state). For
  /// callers that want no status.
  [[MPX_ALWAYS_INLINE]] bool is_over() const noexcept {
    return stage == detail::stage::complete && special == 0;
  }
  /// True for a receive of a request that has not matched and needs no special treatment. One
  /// comparison.
  [[MPX_ALWAYS_INLINE]] bool is_plain() const noexcept {
    return stage == detail::stage::posted && special == 0 && holder == detail::holder::request &&
           role == detail::role::receive;
  }
  /// True for a send whose request was dropped without memory for a copy of the data. The receiver
  /// may learn of the message, but loses the sender once it asks for the data.
  bool data_lost() const noexcept { return !data.exists() && data.bytes != 0; }
};

/// Pool of operations, found by ticket. Grows in slabs up to `OperationsMax`; addresses are stable.
/// A ticket is an index and a generation of `GenerationBits`. An operation returns to the pool only
/// when no packet that names it can arrive any more, so the generation only checks the words of
/// peers.
/// Cost: one pop and one push of a free list for each operation.
template <std::uint32_t OperationsMax, unsigned GenerationBits>
class operation_pool {
 public:
  /// Limit of operations under way of one endpoint.
  static constexpr std::uint32_t operations_max = OperationsMax;

  operation_pool() = default;
  operation_pool(const operation_pool&) = delete;
  operation_pool& operator=(const operation_pool&) = delete;

  /// Returns a free operation, on which `begin` has to be called; nullptr at the limit or if memory
  /// is exhausted.
  operation* take() noexcept {
    if (free_ == nullptr) [[unlikely]] {
      if (!grow()) return nullptr;
    }
    operation* op = free_;
    free_ = op->next;
    return op;
  }

  /// Returns `op` to the pool.
  /// Requires: it owns nothing, and its failure is errc{} again.
  [[MPX_ALWAYS_INLINE]] void give(operation* op) noexcept {
    op->role = role::free;
    op->ticket += generation_step;
    op->next = free_;
    free_ = op;
  }

  /// Returns the operation with this ticket, or nullptr. Tickets come from peers and are not
  /// trusted.
  operation* find(std::uint32_t ticket) noexcept {
    const std::uint32_t index = (ticket & index_mask) - 1;
    if (index >= slabs_.size() * slab_size) return nullptr;
    operation& op = slabs_[index / slab_size]->operations[index % slab_size];
    return op.ticket == ticket && op.role != role::free ? &op : nullptr;
  }

  /// Hash of the state of all operations. It changes, with high probability, when operations make
  /// progress.
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
  /// Returns the first operation in use from index `at` on and advances `at` past it; nullptr if
  /// there is none.
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
  static constexpr unsigned index_bits = 32 - GenerationBits;  // Of index + 1; ticket 0 is none.
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

/// Limit of operations under way: the protocol's, or the default.
template <class Protocol>
constexpr std::uint32_t operations_max_of() noexcept {
  if constexpr (requires { Protocol::operations_max; }) return Protocol::operations_max;
  return 1u << 24;
}
/// Number of generation bits in a ticket: the protocol's, or the default. Tests use few or none.
template <class Protocol>
constexpr unsigned generation_bits_of() noexcept {
  if constexpr (requires { Protocol::generation_bits; }) return Protocol::generation_bits;
  return 7;
}

struct place_tag {};

/// An unexpected message: it arrived before its receive. Its eager data, if any, follows it in
/// memory.
struct arrived_message : unexpected_message, list_node<place_tag> {
  /// Flag beside those of wire::flag: this rank had long data for the sender when the message was
  /// announced.
  static constexpr std::uint8_t flag_both_ways = 128;
  static_assert((wire::flags_all & flag_both_ways) == 0);

  wire::kind kind{};
  std::uint8_t flags = 0;
  bool unready = false;      // A ready send without a posted receive: its receive fails.
  bool plain = false;        // Eager, without flags.
  bool indexed = false;      // In the index by communicator (unexpected_messages).
  std::uint32_t ticket = 0;  // The sender's operation.
  std::uint32_t stored = 0;  // Eager bytes that follow.
  std::uint64_t bytes = 0;   // Length of the message.
  remote_memory memory{};    // Announced messages: the exposed data.

  std::byte* data() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};

}  // namespace mpx::inline v0::detail
