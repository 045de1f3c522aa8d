// SPDX-License-Identifier: BSL-1.0
#pragma once
// The concept of a network card (Nic) that reaches its peers' memory: connections with descriptor
// queues, registered memory, one completion queue. `transport::rdma` is built on it.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "mpx/core/atomic_access.hpp"
#include "mpx/core/error.hpp"
#include "mpx/core/frame.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

/// Policy axis of a card in a transport.
struct nic_axis {};

/// Properties of a card that are known at compile time.
struct nic_traits {
  bool reads = false;  ///< The card reads remote memory, too: see ReadingNic.
  /// Sends, and writes with an immediate, to one peer arrive in the order of the posts. Otherwise
  /// they arrive in any order.
  bool arrivals_in_order = false;
  /// When such an arrival is reported, all data written on the connection by earlier posts is in
  /// place, not only its own.
  bool writes_before_arrivals = false;
  /// An access that the peer's card refuses fails alone. Otherwise the connection breaks.
  bool survives_refusals = false;
  /// A send of up to this many bytes arrives together with its event, so that a waiting receiver
  /// sees both at once; written data lies elsewhere and is fetched after the event. 0: a send is no
  /// faster than a write.
  std::uint32_t short_send_bytes = 0;
};

/// Limits of a card that depend on the machine, the provider or its settings. Fixed for the life of
/// a card.
struct nic_limits {
  std::uint64_t registered_bytes_max;  ///< Registered at once, in whole pages of `page_bytes`.
  std::uint64_t transfer_bytes_max;    ///< Of one write or read.
  std::uint32_t page_bytes;            ///< A power of two.
  std::uint32_t regions_max;           ///< Simultaneous registrations.
  std::uint32_t send_bytes_max;        ///< Of one send; 256 or more.
  std::uint32_t send_depth;     ///< Pending sends, writes and reads per connection; 2 or more.
  std::uint32_t receive_depth;  ///< Posted receives per connection; 2 or more.
  bool checks_keys;  ///< False: a provider may drop an access with a wrong key instead of reporting
                     ///< it as refused. Nothing is written in either case.
  /// A post that was `done` may need further polls of this side before it leaves. The destructor
  /// polls for it for a limited time.
  bool leaves_by_polls = false;
  /// Best size of one write or read of a long transfer: larger ones delay others for too long, or
  /// register too much memory at once.
  std::uint64_t piece_bytes = 1 << 20;
  /// A registration names addresses, not pages: an access reaches the pages that are mapped there
  /// at that time.
  bool follows_memory = false;
  /// For a ReadingNic: long messages are best read by the receiver; else written by the sender.
  bool reads_pay = true;
};

/// Access that peers have to registered memory. The owner's card may always read and write it.
enum class nic_access : std::uint8_t {
  local = 0,                                       ///< None.
  remote_write = 1,                                ///< Write.
  remote_read = 2,                                 ///< Read.
  remote_read_write = remote_write | remote_read,  ///< Both.
};

/// A registration. `handle` names it in posts of this card; 0: none. `remote` is sent by the owner
/// to its peers, which count offsets from the first registered byte, as for RmaTransport.
/// `{remote.address + d, remote.key}` names the same registration from byte `d` on: offsets count
/// from there, and the whole registration stays accessible.
struct nic_region {
  std::uint64_t handle = 0;
  remote_memory remote{};
};

/// The state that the completion of a write reports.
enum class nic_until : std::uint8_t {
  taken,   ///< The local memory is the caller's again.
  placed,  ///< The data is also in the peer's memory: posts made from now on, to any peer, arrive
           ///< after it.
};

/// Kind of an event.
enum class nic_event_kind : std::uint8_t {
  sent,          ///< A `pending` send, write or read has ended: see `status`.
  received,      ///< A posted receive was used or flushed: see `status`.
  asked,         ///< The peer has called connect and this side has not; see peer_data.
  connected,     ///< Both sides have called connect: posts are allowed. peer_data is the peer's.
  disconnected,  ///< The last event of a connection; `status` is the reason of its end.
};

/// Result of an operation or a connection.
enum class nic_status : std::uint8_t {
  ok,             ///< Success; of a connection: this side or the peer has called disconnect.
  flushed,        ///< Not done or unknown: the connection ended first.
  refused,        ///< By the peer's card: the key is wrong, stale or of another job, the range is
                  ///< outside, or the registration does not grant the access. Nothing was accessed.
  no_descriptor,  ///< A send or an immediate arrived and no receive was posted.
  length,         ///< A send was longer than the memory of its receive.
  peer_lost,      ///< The peer does not answer any more.
  protocol,       ///< The peer sent something that its card never sends.
};

/// An entry of the completion queue.
struct nic_event {
  nic_event_kind kind = nic_event_kind::sent;
  nic_status status = nic_status::ok;
  peer_id peer = 0;             ///< Peer of the connection.
  std::uint32_t immediate = 0;  ///< Of `received`.
  std::uint32_t bytes = 0;      ///< Of `received`: bytes of a send in the memory, else 0.
  cookie_t cookie = 0;          ///< Of the post: for `sent` and `received`.
};

/// Limit of the data that `connect` carries to the peer.
inline constexpr std::size_t nic_connect_bytes_max = 64;

/// A network card that writes into its peers' memory.
///
/// **Construction.** `N card(bootstrap)` is collective over the ranks of the bootstrap, which
/// outlives the card, and exchanges the addresses that the card needs. Peers are the ranks of the
/// job. Only peers to which a connection is made cost memory or descriptors. The destructor ends
/// all connections and registrations without events and waits for no peer.
///
/// **Registered memory.** Only registered memory is accessed, at either end.
/// - `register_memory(memory, access, region)` returns errc{}; errc::no_resources if a limit of the
///   card or the machine is reached; errc::argument if the memory is empty or cannot be registered.
///   The same bytes may be registered several times, and count each time. The memory must stay
///   mapped until `deregister(handle)` has returned `done`.
/// - `deregister(handle)` returns `done`: no one, peers included, accesses the memory under that
///   registration any more, and its keys are stale; `retry`: no new access begins, but one is under
///   way: call again. A registration that pending local work names must not be deregistered; work
///   of a peer that names it is refused.
/// - `registered_bytes()` returns the bytes that count now.
/// - `allocate(bytes)` returns page-aligned, zeroed memory of the card's choice, which the card
///   moves most cheaply; nullptr if there is none. It is registered like any other memory, and is
///   not registered any more when `deallocate(p)` is called.
///
/// **Connections.**
/// - `connect(peer, data)` declares this side willing; `data`, at most nic_connect_bytes_max bytes,
///   is for the peer. Once both sides have called it, both get the event `connected`. A side that
///   has not called it gets `asked` once, and answers by connect, or by disconnect to decline.
///   Returns errc{}; errc::pending if an earlier connection of the two has not ended on both sides:
///   call again; errc::peer_lost; errc::no_resources; errc::argument. A connection to self() works
///   and takes one call.
/// - `peer_data(peer)` returns the peer's `data`, from `asked` or `connected` until `disconnected`.
/// - `disconnect(peer)`: when it returns, the local memory of work on that connection is the
///   caller's. No other call names the connection before the next connect. Polls then flush the
///   posts and report `disconnected` last, at both ends. Data that had arrived at the peer is
///   reported there first. This also holds for a card that checks keys and ends a connection
///   because a write came too late for memory that the peer has taken back.
/// - A connection also breaks where this contract says so, or if the peer has died, as far as the
///   card can tell; a caller that knows of a death calls disconnect. Nothing of an earlier
///   connection reaches a later one.
///
/// **Posts** name local memory by a span inside a registration and the registration's handle. With
/// an empty span, neither that span nor the remote memory is checked. Outcomes: `done`: it has
/// ended well and has no event; `pending`: exactly one event carries the cookie; `retry`: nothing
/// happened, the queue is full or the card is busy: poll and post again; `refused`: nothing
/// happened, because there is no connection, the local memory is not registered for this use, or it
/// is too long. Local memory is not accessed after the event. Room in a queue may depend on this
/// side's polls only, or on the peer's as well.
/// - `post_receive(peer, handle, into, cookie)` posts a receive for an arrival on that connection,
///   before or after connect; it is never `done`. If `into` is empty, it serves immediates and
///   empty sends. Receives are used in the order of their posts. Each send and each immediate uses
///   one. If there is none, the connection breaks (`no_descriptor`); it also breaks if the memory
///   is too short for a send (`length`).
/// - `post_send(peer, handle, from, immediate, cookie)` sends to the memory of the receive that it
///   meets.
/// - `post_write(peer, handle, from, to, offset, until, cookie)` writes to registered memory of the
///   peer. The bytes of one write become visible in any order.
/// - `post_write_immediate(..., immediate, cookie)` also uses a receive once the data is in place,
///   and reports `received` with the immediate. Its own `sent` says nothing about that receive.
/// - A post that the peer's card refuses ends as `sent` with status `refused`; see
///   nic_traits::survives_refusals.
/// - Completions of different posts come in any order.
///
/// **The completion queue.** `poll(events)` advances pending work, writes at most `events.size()`
/// events and returns their number. Writes, reads and completions of a peer may need this side's
/// polls. It is fair: no peer is served for ever while another waits. Its cost grows with the
/// number of events, not of connections. `received` events of one connection come in the order of
/// arrival. No event is lost for want of room.
///
/// **Waiting** (`arm`, `sleep`, `disarm`, `wake`) is as for Transport: a sleep ends when a poll may
/// have an event, or work for a peer, or when a post that returned `retry` may succeed. One thread
/// at a time calls the card, except for `sleep` and `wake`; between `arm` and `disarm` other
/// threads may post and poll. `oversubscribed()` is true if busy polling keeps other ranks from
/// running.
template <class N>
concept Nic =
    requires(N& n, const N& c, peer_id peer, nic_region& region, nic_access access,
             std::uint64_t handle, std::span<std::byte> into, std::span<const std::byte> from,
             const remote_memory& to, std::span<nic_event> events, std::int64_t timeout_ns) {
      requires std::same_as<typename N::policy_axis, nic_axis>;
      { N::name } -> std::convertible_to<std::string_view>;
      { N::traits } -> std::convertible_to<nic_traits>;
      { c.self() } noexcept -> std::same_as<peer_id>;
      { c.peers() } noexcept -> std::same_as<peer_id>;
      { c.limits() } noexcept -> std::convertible_to<nic_limits>;

      { n.register_memory(into, access, region) } noexcept -> std::same_as<errc>;
      { n.deregister(handle) } noexcept -> std::same_as<outcome>;
      { c.registered_bytes() } noexcept -> std::same_as<std::uint64_t>;
      { n.allocate(std::size_t{}) } noexcept -> std::same_as<std::byte*>;
      { n.deallocate(into.data()) } noexcept;

      { n.connect(peer, from) } noexcept -> std::same_as<errc>;
      { c.peer_data(peer) } noexcept -> std::same_as<std::span<const std::byte>>;
      { n.disconnect(peer) } noexcept;

      { n.post_receive(peer, handle, into, cookie_t{}) } noexcept -> std::same_as<outcome>;
      {
        n.post_send(peer, handle, from, std::uint32_t{}, cookie_t{})
      } noexcept -> std::same_as<outcome>;
      {
        n.post_write(peer, handle, from, to, std::uint64_t{}, nic_until{}, cookie_t{})
      } noexcept -> std::same_as<outcome>;
      {
        n.post_write_immediate(peer, handle, from, to, std::uint64_t{}, nic_until{},
                               std::uint32_t{}, cookie_t{})
      } noexcept -> std::same_as<outcome>;

      { n.poll(events) } noexcept -> std::same_as<std::size_t>;
      { n.arm() } noexcept -> std::same_as<bool>;
      { n.sleep(timeout_ns) } noexcept;
      { n.disarm() } noexcept;
      { n.wake() } noexcept;
      { c.oversubscribed() } noexcept -> std::same_as<bool>;
    };

/// A card that also reads remote memory.
///
/// `post_read(peer, handle, into, from, offset, cookie)` copies from registered memory of a peer.
/// Its completion means that the data is in `into`. Outcomes are those of a write.
template <class N>
concept ReadingNic =
    Nic<N> && nic_traits(N::traits).reads &&
    requires(N& n, peer_id peer, std::span<std::byte> into, const remote_memory& from) {
      {
        n.post_read(peer, std::uint64_t{}, into, from, std::uint64_t{}, cookie_t{})
      } noexcept -> std::same_as<outcome>;
    };

/// A card that accesses words in a peer's memory atomically.
///
/// - `atomics()` returns the accesses that the card carries out on this machine. Fixed for the life
///   of a card; may be empty.
/// - `post_atomic(peer, handle, into, to, offset, what, cookie)`: accesses the word at `offset`,
///   whose size is that of `into`. Its completion means that the access has happened and that
///   `into`, which is registered, holds the previous value. The peer's registration grants
///   nic_access::remote_read_write. Each post is carried out once, atomically with regard to the
///   atomic accesses of all cards to that word, and to the CPUs' if atomic_set::with_cpu. Outcomes
///   are those of a write; `refused` also if atomics() does not have it. If the connection ends
///   first, it is unknown whether the access has happened.
///   Requires: the word is aligned to its size.
template <class N>
concept AtomicNic = Nic<N> && requires(N& n, const N& c, peer_id peer, std::span<std::byte> into,
                                       const remote_memory& to, const atomic_access& what) {
  { c.atomics() } noexcept -> std::same_as<atomic_set>;
  {
    n.post_atomic(peer, std::uint64_t{}, into, to, std::uint64_t{}, what, cookie_t{})
  } noexcept -> std::same_as<outcome>;
};

/// A small write with an immediate that follows another write.
struct nic_tail {
  std::uint64_t handle = 0;
  std::span<const std::byte> from;  ///< Inside the registration.
  remote_memory to{};
  std::uint64_t offset = 0;
  std::uint32_t immediate = 0;
};

/// A card that takes a write, and a write with an immediate behind it, as one post.
///
/// `post_write_then(peer, handle, from, to, offset, tail, cookie)` does the same as
/// post_write(taken) followed by post_write_immediate(taken) of the tail, for less cost and with
/// one event: the local memory of both is the caller's again. The immediate arrives once both
/// writes are in place. If the peer's card refuses either, nothing is reported there. Neither write
/// is empty. Outcomes are those of a write.
template <class N>
concept ChainingNic = Nic<N> && requires(N& n, peer_id peer, std::span<const std::byte> from,
                                         const remote_memory& to, const nic_tail& tail) {
  {
    n.post_write_then(peer, std::uint64_t{}, from, to, std::uint64_t{}, tail, cookie_t{})
  } noexcept -> std::same_as<outcome>;
};

/// A card whose events can be waited for with poll(2): `descriptor()` as for PollableTransport. If
/// the card does not signal every event, it has a `wait_max_ns()`, as Transport.
template <class N>
concept PollableNic = Nic<N> && requires(N& n) {
  { n.descriptor() } noexcept -> std::same_as<int>;
};

/// A card with its own clock: `now_ns()` as for Transport.
template <class N>
concept ClockedNic = Nic<N> && requires(const N& n) {
  { n.now_ns() } noexcept -> std::same_as<std::int64_t>;
};

/// Archetype: satisfies every concept above and has no other member.
struct nic_archetype {
  using policy_axis = nic_axis;
  static constexpr std::string_view name = "archetype";
  static constexpr nic_traits traits{.reads = true};
  nic_archetype() = delete;
  peer_id self() const noexcept;
  peer_id peers() const noexcept;
  nic_limits limits() const noexcept;
  errc register_memory(std::span<std::byte>, nic_access, nic_region&) noexcept;
  outcome deregister(std::uint64_t) noexcept;
  std::uint64_t registered_bytes() const noexcept;
  std::byte* allocate(std::size_t) noexcept;
  void deallocate(std::byte*) noexcept;
  errc connect(peer_id, std::span<const std::byte>) noexcept;
  std::span<const std::byte> peer_data(peer_id) const noexcept;
  void disconnect(peer_id) noexcept;
  outcome post_receive(peer_id, std::uint64_t, std::span<std::byte>, cookie_t) noexcept;
  outcome post_send(peer_id, std::uint64_t, std::span<const std::byte>, std::uint32_t,
                    cookie_t) noexcept;
  outcome post_write(peer_id, std::uint64_t, std::span<const std::byte>, const remote_memory&,
                     std::uint64_t, nic_until, cookie_t) noexcept;
  outcome post_write_immediate(peer_id, std::uint64_t, std::span<const std::byte>,
                               const remote_memory&, std::uint64_t, nic_until, std::uint32_t,
                               cookie_t) noexcept;
  outcome post_read(peer_id, std::uint64_t, std::span<std::byte>, const remote_memory&,
                    std::uint64_t, cookie_t) noexcept;
  atomic_set atomics() const noexcept;
  outcome post_atomic(peer_id, std::uint64_t, std::span<std::byte>, const remote_memory&,
                      std::uint64_t, const atomic_access&, cookie_t) noexcept;
  outcome post_write_then(peer_id, std::uint64_t, std::span<const std::byte>, const remote_memory&,
                          std::uint64_t, const nic_tail&, cookie_t) noexcept;
  std::size_t poll(std::span<nic_event>) noexcept;
  bool arm() noexcept;
  void sleep(std::int64_t) noexcept;
  void disarm() noexcept;
  void wake() noexcept;
  int descriptor() noexcept;
  std::int64_t now_ns() const noexcept;
  bool oversubscribed() const noexcept;
};

}  // namespace mpx::inline v0
