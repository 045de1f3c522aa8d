// SPDX-License-Identifier: BSL-1.0
#pragma once
// What a network card that reaches its peers' memory must do, as a concept: connections with queues
// of descriptors, registered memory, one completion queue. `transport::rdma` is built on it.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "mpx/core/error.hpp"
#include "mpx/core/frame.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

/// The axis on which a card sits in a transport.
struct nic_axis {};

/// What a card promises about itself, at compile time.
struct nic_traits {
  bool reads = false;  ///< It fetches too: see ReadingNic.
  /// What is posted to one peer with an immediate, and sends, arrive there in the order of the
  /// posts. Without it they come in any order.
  bool arrivals_in_order = false;
  /// When such an arrival is told, all that was written on the connection by earlier posts is in
  /// place too, not only its own data.
  bool writes_before_arrivals = false;
  /// What a peer's card refuses fails alone. Without it, the connection breaks.
  bool survives_refusals = false;
  /// A send of up to so many bytes comes with its notice: who waits for it sees both at once, while
  /// what is written lies elsewhere and is fetched after that. 0: a send is no faster than a write.
  std::uint32_t short_send_bytes = 0;
};

/// What a card has, as far as it depends on the machine, the provider or its settings. Fixed for
/// the life of a card.
struct nic_limits {
  std::uint64_t registered_bytes_max;  ///< At once, counted in whole pages of `page_bytes`.
  std::uint64_t transfer_bytes_max;    ///< Of one write or read.
  std::uint32_t page_bytes;            ///< A power of two.
  std::uint32_t regions_max;           ///< Registrations at once.
  std::uint32_t send_bytes_max;        ///< Of one send; 256 or more.
  std::uint32_t send_depth;     ///< Sends, writes and reads under way on a connection; 2 or more.
  std::uint32_t receive_depth;  ///< Receives posted on a connection; 2 or more.
  bool checks_keys;  ///< What a wrong key names is refused at the origin. False: a provider that
                     ///< drops it in silence; nothing is written in either case.
  /// What was `done` may need this side's polls to leave, after the post. The destructor polls for
  /// it, for a while.
  bool leaves_by_polls = false;
  /// Of long transfers, so many bytes are best moved by one write or read: with more, others wait
  /// for too long, or memory that is registered all at once is too much.
  std::uint64_t piece_bytes = 1 << 20;
  /// A registration is of addresses, not of pages: who uses it reaches whatever lies there then.
  bool follows_memory = false;
  /// Of one that reads: long messages are best fetched by who receives them; else written.
  bool reads_pay = true;
};

/// What others may do to registered memory. Its owner's card may always read and write it.
enum class nic_access : std::uint8_t {
  local = 0,                                       ///< Nothing.
  remote_write = 1,                                ///< Write.
  remote_read = 2,                                 ///< Read.
  remote_read_write = remote_write | remote_read,  ///< Both.
};

/// A registration. `handle` is what posts of this card name it by; 0: none. `remote` is what the
/// owner sends to its peers, who count offsets from the first registered byte, as for RmaTransport.
/// `{remote.address + d, remote.key}` names the same registration from byte d on: offsets count
/// from there, and what is granted is still the whole.
struct nic_region {
  std::uint64_t handle = 0;
  remote_memory remote{};
};

/// What a completion of a write means.
enum class nic_until : std::uint8_t {
  taken,   ///< The local memory is the caller's again.
  placed,  ///< And the data is in the peer's memory: whatever is posted from now on, to whomever,
           ///< arrives after it.
};

/// What an event tells.
enum class nic_event_kind : std::uint8_t {
  sent,          ///< A send, write or read that was `pending` has ended: see `status`.
  received,      ///< A posted receive has been used, or flushed: see `status`.
  asked,         ///< The peer has called connect, and this side has not; peer_data says what with.
  connected,     ///< Both have: from now on one may post. peer_data is the peer's.
  disconnected,  ///< The last event of a connection; `status` says why it has ended.
};

/// How something has ended.
enum class nic_status : std::uint8_t {
  ok,             ///< Well; of a connection: this side or the peer has called disconnect.
  flushed,        ///< Not done, or nobody knows: the connection ended first.
  refused,        ///< The peer's card: the key is wrong, stale or of another job, the range is not
                  ///< inside, or the registration does not grant it. Nothing was touched.
  no_descriptor,  ///< A send or an immediate came, and no receive was posted.
  length,         ///< A send was longer than the memory of the receive that it met.
  peer_lost,      ///< The peer does not answer any more.
  protocol,       ///< The peer sent what its card would never send.
};

/// An entry of the completion queue.
struct nic_event {
  nic_event_kind kind = nic_event_kind::sent;
  nic_status status = nic_status::ok;
  peer_id peer = 0;             ///< On whose connection.
  std::uint32_t immediate = 0;  ///< Of `received`.
  std::uint32_t bytes = 0;      ///< Of `received`: what a send has put into the memory, else 0.
  cookie_t cookie = 0;          ///< Of what was posted: `sent` and `received`.
};

/// The most bytes that `connect` carries to the other side.
inline constexpr std::size_t nic_connect_bytes_max = 64;

/// A network card that writes into its peers' memory.
///
/// **Made** from a bootstrap, collectively over its ranks, which outlives it: `N card(bootstrap)`;
/// this exchanges whatever addresses the card needs. Peers are the job's ranks; only those that one
/// connects to cost memory or descriptors. Its destructor ends all connections and registrations
/// without events; it waits for nobody.
///
/// **Registered memory** alone is touched, at either end. `register_memory(memory, access, region)`
/// returns errc{}, or errc::no_resources where a limit of the card or the machine is reached, or
/// errc::argument for memory that is empty or cannot be registered. The same bytes can be
/// registered many times, and count each time. The memory stays mapped until `deregister(handle)`
/// has returned `done`: nobody, peers included, touches the memory under that registration any
/// more, and its keys are stale. `retry`: no access begins any more, one is under way: ask again.
/// One that is named by work under way is not deregistered; a peer's work is refused.
/// `registered_bytes()`: what is counted now. `allocate(bytes)`: memory of the card's choice, at
/// the beginning of a page and zeroed, that it moves most cheaply; nullptr where there is none. It
/// is registered like any other, and not when `deallocate(p)` is called.
///
/// **Connections.** `connect(peer, data)`: this side is willing; `data`, nic_connect_bytes_max at
/// most, is for the other side. When both have called it, both get `connected`; who did not call
/// gets `asked` once, and answers with connect, or with disconnect: no. Returns errc{};
/// errc::pending: an earlier connection of the two has not ended on both sides yet: ask again;
/// errc::peer_lost; errc::no_resources; errc::argument. Connecting to oneself works, by one call.
/// `peer_data(peer)`: what the other side gave, from `asked` or `connected` until `disconnected`.
/// `disconnect(peer)`: when it returns, local memory of work on that connection is the caller's; no
/// other call names it before the next connect. Polls then flush what was posted, and tell
/// `disconnected` last, here and there; what had arrived there before is told before that, also by
/// a card that checks keys and ends the connection since a write came too late for memory that the
/// peer has taken back. A connection breaks likewise where this contract says so, or when the peer
/// has died, as far as the card can tell: who knows more disconnects. Nothing of an earlier
/// connection ever reaches a later one.
///
/// **Posts** name local memory by a span inside a registration and its handle; with an empty span
/// neither it nor the remote memory is looked at. `done`: it has ended well and has no event;
/// `pending`: exactly one event carries the cookie; `retry`: nothing happened, the queue is full or
/// the card is busy: poll, and post again; `refused`: not connected, the local memory is not
/// registered so, or it is too long: nothing happened. Local memory is not touched from the event
/// on. Where a queue has room for a post depends on this side's polls alone, or on the peer's too.
///
/// `post_receive(peer, handle, into, cookie)`: a descriptor for the next arrival of that
/// connection, before or after connect; never `done`. `into` may be empty: then it is good for
/// immediates and sends of nothing. They are used in the order of the posts. Each send and each
/// immediate uses one; where there is none the connection breaks (`no_descriptor`), and where its
/// memory is too short for a send too (`length`).
/// `post_send(peer, handle, from, immediate, cookie)`: into the memory of the receive it meets.
/// `post_write(peer, handle, from, to, offset, until, cookie)`: writes to a peer's registered
/// memory. Within one write, bytes come in any order.
/// `post_write_immediate(..., immediate, cookie)`: the same, and when the data is in place it uses
/// a receive and tells `received` with the immediate. Its own `sent` says nothing of that receive.
/// Whatever is refused by the peer's card is `sent` with `refused`, and see
/// nic_traits::survives_refusals.
/// Completions of different posts come in any order.
///
/// **The completion queue.** `poll(events)` writes what has happened, `events.size()` at most,
/// returns how many, and moves on what is under way. A peer's writes, reads and completions may
/// need this side's polls. It is fair: no peer is served for ever while another waits, and its cost
/// grows with what has happened, not with the connections. Events of `received` of one connection
/// come in the order of arrival. No event is ever lost for want of room.
///
/// Waiting (`arm`, `sleep`, `disarm`, `wake`) is as for Transport: a sleep ends when a poll may
/// have something to tell, or to do for a peer, or when a post that was told `retry` may succeed.
/// One thread at a time calls everything but `sleep` and `wake`; between `arm` and `disarm` other
/// threads may post and poll. `oversubscribed()`: looking again and again keeps others from
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

/// A card that fetches too.
///
/// `post_read(peer, handle, into, from, offset, cookie)`: copies from a peer's registered memory;
/// its end means that the data is here. Outcomes as for a write.
template <class N>
concept ReadingNic =
    Nic<N> && nic_traits(N::traits).reads &&
    requires(N& n, peer_id peer, std::span<std::byte> into, const remote_memory& from) {
      {
        n.post_read(peer, std::uint64_t{}, into, from, std::uint64_t{}, cookie_t{})
      } noexcept -> std::same_as<outcome>;
    };

/// A small write with an immediate that goes behind another write.
struct nic_tail {
  std::uint64_t handle = 0;
  std::span<const std::byte> from;  ///< Inside the registration.
  remote_memory to{};
  std::uint64_t offset = 0;
  std::uint32_t immediate = 0;
};

/// A card that takes a write and a write with an immediate behind it as one post.
///
/// `post_write_then(peer, handle, from, to, offset, tail, cookie)`: what post_write(taken), and
/// post_write_immediate(taken) of the tail after it, would do, but for less: one event, `taken` of
/// both. The tail's immediate arrives when both are in place. If either is refused by the peer's
/// card, nothing is told there. Neither is empty. Outcomes as for a write.
template <class N>
concept ChainingNic = Nic<N> && requires(N& n, peer_id peer, std::span<const std::byte> from,
                                         const remote_memory& to, const nic_tail& tail) {
  {
    n.post_write_then(peer, std::uint64_t{}, from, to, std::uint64_t{}, tail, cookie_t{})
  } noexcept -> std::same_as<outcome>;
};

/// A card that one can wait for together with others: `descriptor()` as for PollableTransport.
template <class N>
concept PollableNic = Nic<N> && requires(N& n) {
  { n.descriptor() } noexcept -> std::same_as<int>;
};

/// A card with a clock of its own: `now_ns()` as for ClockedTransport.
template <class N>
concept ClockedNic = Nic<N> && requires(const N& n) {
  { n.now_ns() } noexcept -> std::same_as<std::int64_t>;
};

/// Grants every concept above, and nothing more.
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
