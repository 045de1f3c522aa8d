// SPDX-License-Identifier: BSL-1.0
#pragma once
// The transport axis: concepts for moving packets between peers and, where the transport has RMA,
// memory. `transport_archetype` is an accepting archetype for their tests.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "mpx/core/atomic_access.hpp"
#include "mpx/core/error.hpp"
#include "mpx/core/frame.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

/// Tag type: a policy of the transport axis names it as its `policy_axis`.
struct transport_axis {};

/// Compile-time properties of a transport.
struct transport_traits {
  std::size_t inline_bytes_max;  ///< Largest payload that travels in the same packet as the header
                                 ///< at no extra cost.
  std::size_t packet_bytes_max;  ///< Largest payload of one packet.
  std::uint64_t layout = 0;      ///< Differs between builds that cannot read each other's memory.
  bool posts_pend = true;        ///< True if a post may return `pending`.
  /// True if peers are threads of one process and can use each other's addresses.
  bool peers_share_addresses = false;
};

/// The receiver of the events that a poll finds.
///
/// - `packet(source, header, payload)`: a packet has arrived. `payload` is valid during the call.
/// - `place(source, header, bytes)`: called if the header of a packet has arrived and its payload,
///   of `bytes` > 0 in all, is incomplete. Returns memory of exactly that size for the payload, or
///   an empty span if the transport is to buffer it. Only a StreamTransport calls it, at most once
///   a packet, in order with the other events of that source.
/// - `complete(cookie, ok)`: an operation that was `pending` has finished.
/// - `malformed(source)`: the transport cannot parse the bytes received from the source.
/// - `unreachable(source)`: this process lacks the memory or the mappings to receive a packet of
///   the source. Called once for each notification by the source, not by every poll. The packet may
///   have been discarded, so the endpoint treats the peer as lost.
/// - `more_fragments()`, optional: returns true if the packet handed over last belongs to a message
///   of which further packets follow.
template <class S>
concept PacketSink = requires(S& sink, peer_id peer, const frame_header& header,
                              std::span<const std::byte> payload, cookie_t cookie) {
  { sink.packet(peer, header, payload) } noexcept;
  { sink.place(peer, header, std::size_t{}) } noexcept -> std::same_as<std::span<std::byte>>;
  { sink.complete(cookie, true) } noexcept;
  { sink.malformed(peer) } noexcept;
  { sink.unreachable(peer) } noexcept;
};

/// A sink that is also told of lost connections.
///
/// - `lost(source)`: the connection to that peer has ended, after a failure or after the peer left.
///   Nothing follows the packets that were handed over before. Called once, by a poll; not called
///   for a peer that was dropped or was reported as malformed.
template <class S>
concept LossSink = PacketSink<S> && requires(S& sink, peer_id peer) {
  { sink.lost(peer) } noexcept;
};

/// A minimal type that satisfies PacketSink, for tests of the concepts.
struct sink_archetype {
  sink_archetype() = delete;
  void packet(peer_id, const frame_header&, std::span<const std::byte>) noexcept;
  std::span<std::byte> place(peer_id, const frame_header&, std::size_t) noexcept;
  void complete(cookie_t, bool) noexcept;
  void malformed(peer_id) noexcept;
  void unreachable(peer_id) noexcept;
};

namespace transport {

/// Functions that most transports need not write: doing nothing is a right answer. A transport
/// derives from this class and declares those of them that do more. Transport has their contract.
struct defaults {
  /// Returns the machine's clock.
  [[nodiscard]] std::int64_t now_ns() const noexcept { return platform::now_ns(); }
  /// Takes nothing: the packet is found by a poll.
  bool take_if(peer_id, auto&&) noexcept { return false; }
  /// Detects no peer on the same core.
  bool shares_core() noexcept { return false; }
  /// Signals every event: a wait may take any time.
  [[nodiscard]] std::int64_t wait_max_ns() const noexcept { return INT64_MAX; }
  /// Does no maintenance.
  [[nodiscard]] std::int64_t maintenance_ns() const noexcept { return 0; }
  /// Does nothing. Right if operations that are pending with a lost peer end by themselves.
  void drop_peer(peer_id) noexcept {}
  /// Returns an empty text.
  [[nodiscard]] std::string loss_text(peer_id) const { return {}; }
};

}  // namespace transport

/// Moves packets between this process and its peers. Peers are connected on first use. Posting to
/// oneself works.
///
/// - `post(peer, header, payload, cookie)` never blocks. Returns `done` if the payload was taken,
///   `pending` if it will be read later, `retry` if nothing happened, `refused` if the peer cannot
///   be reached. The header is copied before the call returns, whatever the outcome. Packets
///   between a pair arrive in the order of the posts that returned `done` or `pending`. There is no
///   order across pairs.
/// - A `pending` post borrows the payload, and nothing else of the caller, until exactly one
///   `complete(cookie, ok)`. `ok` is false if the peer was lost or dropped before all data was
///   handed over. A completion comes from a poll, never from a post. It does not tell that the peer
///   has received the data. Completions come in any order, also within one pair.
/// - The destructor ends pending posts without a completion and does not touch their payloads
///   afterwards. It does not wait. A caller that needs its packets to arrive polls until they are
///   complete.
/// - `poll(sink)` hands arrived packets to the sink and makes progress on pending operations. It is
///   fair: it hands over one packet in turn of each source whose packets it has found. Returns the
///   number of packets and completions that it handed over. This may be 0 although some have
///   arrived; `arm` detects that. Its cost grows with the number of arrivals, not with the number
///   of connected peers. The sink may post from any of its calls; it must not poll.
/// - A wait has three steps, so that the caller need not hold a lock while it sleeps. `arm`
///   announces the sleep and returns false if there is something to do. `sleep` returns when
///   something may have arrived or completed, when a post that returned `retry` may succeed, or
///   after `timeout_ns`. `disarm` follows every `arm` that returned true. `wake` ends a sleep.
/// - `oversubscribed()`: returns true if ranks outnumber cores.
///
/// The following functions have defaults in `transport::defaults`, from which a transport derives:
///
/// - `now_ns()`: the clock of the endpoint, in nanoseconds. Default: the machine's clock.
/// - `take_if(source, f)`: takes the next packet of `source` if it is small and has arrived, and if
///   `f(header, payload)` returns true. Returns true if it was taken. It is cheaper than a poll.
///   The caller polls regularly, so that no source starves. Default: takes nothing.
/// - `shares_core()`: for ranks that share a machine. Records the core on which this rank waits and
///   returns true if a peer from which this rank has recently received was last seen waiting on the
///   same core, although there are enough cores. Polling in a loop would keep that peer from
///   running. A rank that can move to another core does so, and the call returns false. Costs some
///   nanoseconds, and is called once in many polls. Default: returns false.
/// - `wait_max_ns()`: after `arm` has returned true, the longest time that this rank may sleep, or
///   wait for the descriptor (PollableTransport), before it polls again: with some network
///   interfaces not every event is signalled. `sleep` keeps to it by itself. Default: no limit.
/// - `maintenance_ns()`: total time spent in `withdraw` (RmaTransport) on maintenance that makes
///   later copies cheaper. It is not part of the cost of any message. Default: returns 0.
/// - `drop_peer(peer)`: disconnects from a peer that is gone or no longer wanted. After the return
///   nothing of that peer reaches the sink, memory placed for it belongs to the sink again, and no
///   operation pending with it touches memory here or there. The next poll completes those
///   operations with `ok` false. No later call names the peer. Does not wait. The endpoint calls
///   it if posts may return `pending`, if memory stays registered (RegisteredTransport), and if
///   peers come and go (ElasticTransport). Default: does nothing, which is right if such operations
///   end by themselves.
/// - `loss_text(peer)`: returns the reason for the loss of a peer: what was tried and failed, in a
///   text for error messages that names the peer; "" if the peer is not lost or nothing more is
///   known. The text does not claim that the peer died. Default: returns "".
///
/// Threads:    `sleep` and `wake` may be called by any thread. All other functions are called by
///             one thread at a time. Between `arm` and `disarm` other threads may post and poll.
template <class T>
concept Transport =
    requires(T& t, const T& c, peer_id peer, const frame_header& header,
             std::span<const std::byte> payload, sink_archetype& sink, std::int64_t timeout_ns,
             bool (*f)(const frame_header&, std::span<const std::byte>)) {
      requires std::same_as<typename T::policy_axis, transport_axis>;
      { T::name } -> std::convertible_to<std::string_view>;
      { T::traits } -> std::convertible_to<transport_traits>;
      { c.self() } noexcept -> std::same_as<peer_id>;
      { c.peers() } noexcept -> std::same_as<peer_id>;
      { t.post(peer, header, payload, cookie_t{}) } noexcept -> std::same_as<outcome>;
      { t.poll(sink) } noexcept -> std::same_as<std::size_t>;
      { t.arm() } noexcept -> std::same_as<bool>;
      { t.sleep(timeout_ns) } noexcept;
      { t.disarm() } noexcept;
      { t.wake() } noexcept;
      { c.oversubscribed() } noexcept -> std::same_as<bool>;
      { c.now_ns() } noexcept -> std::same_as<std::int64_t>;
      { t.take_if(peer, f) } noexcept -> std::same_as<bool>;
      { t.shares_core() } noexcept -> std::same_as<bool>;
      { c.wait_max_ns() } noexcept -> std::same_as<std::int64_t>;
      { c.maintenance_ns() } noexcept -> std::same_as<std::int64_t>;
      { t.drop_peer(peer) } noexcept;
      { c.loss_text(peer) } -> std::same_as<std::string>;
    };

/// True if posts to T may return `pending`, so that sends need an operation to complete.
template <class T>
inline constexpr bool posts_pend = transport_traits(T::traits).posts_pend;
/// True if the peers of T can use each other's addresses.
template <class T>
inline constexpr bool peers_share_addresses = transport_traits(T::traits).peers_share_addresses;

/// A transport over byte streams. It asks the sink where to store payloads, and its pending posts
/// may depend on the peer's program to make progress.
///
/// - After `place(source)` has returned memory, the next event of that source is one
///   `packet(source, header, payload)` with that memory as payload. Until then polls write into the
///   memory.
/// - `cancel_place(source)`: gives the placed memory back to the sink. After the return the
///   transport does not touch the memory, discards the rest of that payload, and does not call
///   `packet` for it. Later packets of that source arrive as usual. Has no effect if no payload of
///   that source is being placed. Also gives the memory back after the source was lost in the
///   middle of a payload.
/// - `relocate(cookie, from, to)`: the unread part of `from` of posts with that cookie is from now
///   on read at the same offsets of `to`, which has equal contents. After the return `from` belongs
///   to the caller. A dropped request therefore does not wait for another rank's program. (Where a
///   network card reads the payload, completion does not depend on a program, and there is nothing
///   to relocate.)
template <class T>
concept StreamTransport =
    Transport<T> && requires(T& t, peer_id source, cookie_t cookie, std::span<const std::byte> from,
                             const std::byte* to) {
      { t.cancel_place(source) } noexcept;
      { t.relocate(cookie, from, to) } noexcept;
    };

/// A transport made of connections. `done` means copied, not sent: packets may still be queued
/// here, and may arrive after peers have seen this rank leave. (Over any other transport the peer
/// can poll a packet as soon as its post is `done`, whatever happens to the sender.) The transport
/// detects by itself only the loss of peers with which it communicates.
///
/// - `has_unsent()`: returns true if a posted packet is still queued here: for a connection, for
///   space, or for the network card. Packets that can no longer be sent do not count. Once it
///   returns false, and until the next post, this rank may leave: everything arrives.
/// - `has_heard_out(peer)`: for a peer that has left. Returns true if all that the peer had sent
///   has been handed over, because its connection has ended or there is none. It becomes true after
///   some polls if the peer leaves cleanly.
/// - `is_connected(peer)`: returns true if a post to the peer needs no connection that is still to
///   be made.
/// - `monitor(peer)`: a call waits for that peer, which is not self(), so that from now on its loss
///   is detected too. Has no effect if it is detected already. Does not wait.
template <class T>
concept ConnectionTransport = Transport<T> && requires(T& t, const T& c, peer_id peer) {
  { c.has_unsent() } noexcept -> std::same_as<bool>;
  { c.has_heard_out(peer) } noexcept -> std::same_as<bool>;
  { c.is_connected(peer) } noexcept -> std::same_as<bool>;
  { t.monitor(peer) } noexcept;
};

/// A transport whose peers may be added and dropped while it runs.
///
/// - `address()`: the bytes by which other processes reach this transport, valid for its lifetime.
///   The caller passes them to the other process.
/// - `add_peer(peer, address)`: connects `peer` with the transport at that address. `peer` is the
///   number of a dropped peer, or peers(), which then grows by one. The other side adds this rank
///   too, before or after, under a number of its own; packets that it posts earlier wait until this
///   side has added it.
/// - `add_peer` returns errc{} on success. On an error nothing has changed: errc::argument if the
///   address is not one of this transport or is its own, or if `peer` was not dropped;
///   errc::peer_lost if the owner of the address has left; errc::pending if the two, or earlier
///   owners of their slots, were linked before and the other side has not dropped that link yet:
///   call again; errc::no_resources.
/// - A link ends for both sides when one side drops it. The other side still receives what was sent
///   before. Its posts are discarded until it drops the link too. Nothing of an earlier link ever
///   arrives over a later one, even if they share numbers and addresses.
/// - `add_peer` and `drop_peer` must not be called within a poll.
template <class T>
concept ElasticTransport =
    Transport<T> && requires(T& t, const T& c, peer_id peer, std::string_view address) {
      { c.address() } -> std::same_as<std::string>;
      { t.add_peer(peer, address) } noexcept -> std::same_as<errc>;
    };

/// A transport by which the receiver of a long message fetches it from the sender's memory.
///
/// - `expose(peer, memory)`: returns a description of local memory by which `peer` can reach it.
///   The key is 0 if the peer cannot reach it.
/// - `withdraw(peer, memory)`: ends an `expose` to that peer that returned a key; every such
///   `expose` needs one.
///   Returns `done` if the peer no longer touches the memory and any further access is refused;
///   `retry` if a copy is in progress, which ends without any program's help: call again; `refused`
///   if the transport cannot end the exposure while the peer may use it: the memory stays exposed
///   until the peer has finished or is dropped.
/// - `get(peer, memory, offset, into, cookie)`: copies from a peer's exposed memory at `offset`
///   into `into`. Outcomes as for `post`; `refused` if the memory or the peer cannot be reached, or
///   no longer. A pending operation completes, successfully or not, also if the peer is lost.
/// - `get_cost_hint(peer, memory, bytes)`: returns a hint whether a get is expected to be
///   faster than packets.
///
/// Of a transport that is no RmaTransport, a get needs calls of both programs, and so does the end
/// of a copy for which `withdraw` returns `retry`. It fetches at most `traits.packet_bytes_max`
/// bytes. A receive that is dropped waits for its piece, and for those that were started before it
/// with the same peer. Windows do not use it.
template <class T>
concept FetchTransport =
    Transport<T> && requires(T& t, peer_id peer, const remote_memory& memory,
                             std::span<std::byte> into, std::span<const std::byte> from) {
      { t.expose(peer, from) } noexcept -> std::same_as<remote_memory>;
      { t.withdraw(peer, memory) } noexcept -> std::same_as<outcome>;
      { t.get_cost_hint(peer, memory, std::size_t{}) } noexcept -> std::same_as<cost_hint>;
      { t.get(peer, memory, std::uint64_t{}, into, cookie_t{}) } noexcept -> std::same_as<outcome>;
    };

/// A transport that also moves memory, without the program of the memory's owner.
///
/// - `expose(peer, memory, lasts = false)`: as that of FetchTransport. `lasts`: it is exposed for
///   longer than one message or call, and its `withdraw` does no maintenance.
/// - `put(peer, memory, offset, from, cookie)`: copies in the other direction than `get`. A put
///   that was `done`, or has completed successfully, is in the peer's memory: all posts from then
///   on, to any peer, arrive after it.
template <class T>
concept RmaTransport =
    FetchTransport<T> &&
    requires(T& t, peer_id peer, const remote_memory& memory, std::span<const std::byte> from) {
      { t.expose(peer, from, true) } noexcept -> std::same_as<remote_memory>;
      { t.put(peer, memory, std::uint64_t{}, from, cookie_t{}) } noexcept -> std::same_as<outcome>;
    };

/// A transport for which memory must be registered before a peer can reach it, as with network
/// cards. It keeps memory registered after use, since the next message may use it again.
///
/// - `retire(peer, memory)`: replaces `withdraw` after the peer has moved its data or is gone.
///   Returns the state of the registration: `done` if it has ended, and no peer reaches the memory
///   any more; `retry` if it is ending: call again, or leave it; `refused` if it is kept, for other
///   peers or for later use.
/// - `revoke(peer, memory)`: called before `retire` if the peer was dropped. Ends the exposure at
///   once. Returns `retry` while an access is in progress, `refused`, without effect, if other
///   peers reach the same memory.
/// - `prefers_put(peer)`: returns true if long messages between the two ranks are best written by
///   their sender into memory that the receiver exposes after the match; nothing is exposed before.
///   Constant for a peer. Used only if the protocol does not prescribe the path.
/// - `allocate(bytes, alignment)`: returns memory from which messages are cheaper to send, for the
///   caller's exclusive use until `deallocate(p, bytes)`; see mpx::allocator. Errors:
///   errc::no_resources.
template <class T>
concept RegisteredTransport =
    RmaTransport<T> && requires(T& t, const T& c, peer_id peer, const remote_memory& memory,
                                void* p, std::size_t bytes) {
      { t.retire(peer, memory) } noexcept -> std::same_as<outcome>;
      { t.revoke(peer, memory) } noexcept -> std::same_as<outcome>;
      { c.prefers_put(peer) } noexcept -> std::same_as<bool>;
      { t.allocate(bytes, bytes) } -> std::same_as<void*>;
      { t.deallocate(p, bytes) } noexcept;
    };

/// A transport whose gets and puts are copies by the CPU, so that sender and receiver can share the
/// work. Only such a transport may return `cost_hint::learn`.
///
/// - `pin_exposure(peer, memory, bytes)`: returns an object that keeps the memory from being
///   withdrawn while it exists. `bytes` of it are going to be copied. The object converts to false
///   if the memory was already withdrawn.
/// - `get_held(peer, memory, offset, into)`: a get while the caller pins the memory. Returns true
///   on success.
/// - `get_batch(peer, gets, count)`: copies all of up to batched_gets_max gets, which is cheaper
///   than one after the other. Returns false if some of them failed; others may have been copied.
template <class T>
concept CpuCopyTransport =
    RmaTransport<T> && requires(T& t, peer_id peer, const remote_memory& memory,
                                std::span<std::byte> into, const batched_get* gets) {
      { static_cast<bool>(t.pin_exposure(peer, memory, std::size_t{})) } noexcept;
      { t.get_held(peer, memory, std::uint64_t{}, into) } noexcept -> std::same_as<bool>;
      { t.get_batch(peer, gets, std::size_t{}) } noexcept -> std::same_as<bool>;
    };

/// A transport whose puts can carry a packet.
///
/// - `put_then(peer, memory, offset, from, header, cookie)`: a put, after which the peer receives a
///   packet that consists of `header` alone, in order with the other packets between the two ranks
///   (RDMA: write with immediate data). The packet arrives once the data is in place. Outcomes as
///   for `put`. It may complete before the packet arrives, as soon as `from` belongs to the caller
///   again.
template <class T>
concept ImmediateTransport =
    RmaTransport<T> && requires(T& t, peer_id peer, const remote_memory& memory,
                                std::span<const std::byte> from, const frame_header& header) {
      {
        t.put_then(peer, memory, std::uint64_t{}, from, header, cookie_t{})
      } noexcept -> std::same_as<outcome>;
    };

/// A transport that accesses words in a peer's exposed memory atomically, without the peer's CPU as
/// far as its card can.
///
/// - `atomics(peer)`: returns the accesses to memory of that peer. Constant for a peer.
/// - `atomic(peer, memory, offset, what, into, cookie)`: accesses the word of the peer's exposed
///   memory at `offset`, whose size is that of `into`, and stores its previous value in `into`.
///   Outcomes as for `get`. Each access is carried out once, or not at all if it is `refused` or
///   has failed while the peer lives. Accesses that are pending together happen in any order.
///   Requires: atomics(peer) has it; the word is aligned to its size.
template <class T>
concept AtomicTransport =
    RmaTransport<T> && requires(T& t, const T& c, peer_id peer, const remote_memory& memory,
                                const atomic_access& what, std::span<std::byte> into) {
      { c.atomics(peer) } noexcept -> std::same_as<atomic_set>;
      {
        t.atomic(peer, memory, std::uint64_t{}, what, into, cookie_t{})
      } noexcept -> std::same_as<outcome>;
    };

/// A transport that a thread can wait for together with other descriptors, by poll(2) or epoll(7).
///
/// - `descriptor()`: creates the descriptor at the first call and returns the same one afterwards.
///   The transport owns it. Returns -1 if the kernel refuses one; then sleeps must be short. The
///   first call must not happen while a thread sleeps in the transport.
/// - After `arm` has returned true the descriptor becomes readable when `sleep` would return before
///   its timeout and before `wait_max_ns()`, and stays readable until `disarm`. It may be readable
///   without a reason. Only the transport reads it. `sleep` still works.
///
/// Cost:       One or two more system calls to wake a rank that has a descriptor. Sending to a rank
///             that is awake costs the same.
template <class T>
concept PollableTransport = Transport<T> && requires(T& t) {
  { t.descriptor() } noexcept -> std::same_as<int>;
};

/// A transport that stores a counter of prepaid credit for each peer, next to the state that its
/// posts write. The caller owns the value.
///
/// - `prepaid_credit(peer)`: returns the address of the counter, or nullptr if there is none for
///   that peer, at least until something is posted to it. The counter starts at 0, also after the
///   peer was dropped.
/// - `try_post_prepaid(peer, header, payload, price)`: posts the packet and subtracts `price` from
///   the counter if the counter holds that much and the packet can leave at once on the fast path.
///   Never pends. Otherwise does nothing and returns false; the caller then uses `post`.
template <class T>
concept PrepaidTransport =
    Transport<T> && requires(T& t, peer_id peer, const frame_header& header,
                             std::span<const std::byte> payload, std::uint32_t price) {
      { t.prepaid_credit(peer) } noexcept -> std::same_as<std::uint32_t*>;
      { t.try_post_prepaid(peer, header, payload, price) } noexcept -> std::same_as<bool>;
    };

/// A transport whose peers can share plain memory, synchronize in it, and wake each other.
///
/// - `allocate_shared(bytes, alignment)`: returns memory that every peer reaches with loads and
///   stores, until `deallocate_shared(p, bytes)`; see mpx::allocator. Errors: errc::no_resources.
/// - `make_block(bytes)`: allocates a block of this rank with arbitrary contents. Returns its name,
///   which is sent to other ranks, or 0 if no memory is left.
/// - `block_at(owner, name, bytes)`: returns the address of the block in this process, aligned to a
///   cache line, or nullptr if the owner has no such block or the machine is out of mappings. The
///   address is valid as long as this transport lives, even if ranks leave, or until the owner
///   frees the block by `free_block(name)`.
/// - `wake_peer(peer)`: ends a sleep of that peer. Has no effect if the peer is awake.
/// - Gets and puts have finished when they return; of a NearFarTransport, those of near peers.
template <class T>
concept SharedMemoryTransport = RmaTransport<T> && requires(T& t, peer_id peer, void* p,
                                                            std::uint64_t name, std::size_t bytes) {
  { t.allocate_shared(bytes, bytes) } -> std::same_as<void*>;
  { t.deallocate_shared(p, bytes) } noexcept;
  { t.make_block(bytes) } noexcept -> std::same_as<std::uint64_t>;
  { t.block_at(peer, name, bytes) } noexcept -> std::same_as<std::byte*>;
  { t.free_block(name) } noexcept;
  { t.wake_peer(peer) } noexcept;
};

/// True if mpx::allocator takes its memory from the transport.
template <class T>
inline constexpr bool gives_memory = SharedMemoryTransport<T> || RegisteredTransport<T>;

/// True if ranks of one node reach each other's memory with loads and stores; see
/// mpx::shared_window.
template <class T>
inline constexpr bool shares_windows = SharedMemoryTransport<T> || peers_share_addresses<T>;

/// A transport that knows which peers run on the same node, where messages are cheaper.
///
/// - `node_of(peer)`: returns a number below peers() that is equal for peers of the same node and
///   for no others. The result is the same on every rank and never changes. Sends no message.
template <class T>
concept NodeTransport = Transport<T> && requires(const T& t, peer_id peer) {
  { t.node_of(peer) } noexcept -> std::same_as<peer_id>;
};

/// A transport that reaches the peers of its own node through shared memory and all others over a
/// network.
///
/// - `is_near(peer)`: returns true if the peer runs on this rank's node. Posts to a near peer never
///   return `pending`. Only near peers reach shared allocations and blocks.
/// - RMA with near peers is that of CpuCopyTransport if the transport is one. RMA with far peers is
///   that of RegisteredTransport and ImmediateTransport, if the transport is one of them.
/// - `post_near(peer, header, payload)`: posts to a near peer; returns `retry` if the peer is far.
/// - `packet_bytes_max(peer)`: the largest payload of one packet to that peer; at least
///   `traits.packet_bytes_max`.
/// - `far_traits`: the traits of packets to far peers.
template <class T>
concept NearFarTransport =
    NodeTransport<T> && requires(T& u, const T& t, peer_id peer, const frame_header& header,
                                 std::span<const std::byte> payload) {
      { T::far_traits } -> std::convertible_to<transport_traits>;
      { t.is_near(peer) } noexcept -> std::same_as<bool>;
      { u.post_near(peer, header, payload) } noexcept -> std::same_as<outcome>;
      { t.packet_bytes_max(peer) } noexcept -> std::same_as<std::size_t>;
    };

/// A minimal type that satisfies the concepts above, for their tests.
struct transport_archetype {
  using policy_axis = transport_axis;
  static constexpr std::string_view name = "archetype";
  static constexpr transport_traits traits{
      .inline_bytes_max = 40, .packet_bytes_max = 4096, .peers_share_addresses = true};
  static constexpr transport_traits far_traits = traits;
  transport_archetype() = delete;
  peer_id self() const noexcept;
  peer_id peers() const noexcept;
  outcome post(peer_id, const frame_header&, std::span<const std::byte>, cookie_t) noexcept;
  std::size_t poll(PacketSink auto&) noexcept { return 0; }
  bool arm() noexcept;
  void sleep(std::int64_t) noexcept;
  void disarm() noexcept;
  void wake() noexcept;
  bool oversubscribed() const noexcept;
  bool shares_core() noexcept;
  remote_memory expose(peer_id, std::span<const std::byte>, bool = false) noexcept;
  outcome withdraw(peer_id, const remote_memory&) noexcept;
  outcome retire(peer_id, const remote_memory&) noexcept;
  outcome revoke(peer_id, const remote_memory&) noexcept;
  bool pin_exposure(peer_id, const remote_memory&, std::size_t) noexcept;
  bool get_held(peer_id, const remote_memory&, std::uint64_t, std::span<std::byte>) noexcept;
  bool get_batch(peer_id, const batched_get*, std::size_t) noexcept;
  std::int64_t wait_max_ns() const noexcept;
  std::int64_t maintenance_ns() const noexcept;
  cost_hint get_cost_hint(peer_id, const remote_memory&, std::size_t) noexcept;
  bool prefers_put(peer_id) const noexcept;
  outcome get(peer_id, const remote_memory&, std::uint64_t, std::span<std::byte>,
              cookie_t) noexcept;
  outcome put(peer_id, const remote_memory&, std::uint64_t, std::span<const std::byte>,
              cookie_t) noexcept;
  outcome put_then(peer_id, const remote_memory&, std::uint64_t, std::span<const std::byte>,
                   const frame_header&, cookie_t) noexcept;
  atomic_set atomics(peer_id) const noexcept;
  outcome atomic(peer_id, const remote_memory&, std::uint64_t, const atomic_access&,
                 std::span<std::byte>, cookie_t) noexcept;
  std::int64_t now_ns() const noexcept;
  bool take_if(peer_id, auto&&) noexcept { return false; }
  std::uint32_t* prepaid_credit(peer_id) noexcept;
  bool try_post_prepaid(peer_id, const frame_header&, std::span<const std::byte>,
                        std::uint32_t) noexcept;
  void cancel_place(peer_id) noexcept;
  void relocate(cookie_t, std::span<const std::byte>, const std::byte*) noexcept;
  bool has_unsent() const noexcept;
  bool has_heard_out(peer_id) const noexcept;
  bool is_connected(peer_id) const noexcept;
  void drop_peer(peer_id) noexcept;
  void monitor(peer_id) noexcept;
  std::string address() const;
  errc add_peer(peer_id, std::string_view) noexcept;
  int descriptor() noexcept;
  void* allocate_shared(std::size_t bytes, std::size_t alignment);
  void deallocate_shared(void*, std::size_t) noexcept;
  void* allocate(std::size_t bytes, std::size_t alignment);
  void deallocate(void*, std::size_t) noexcept;
  std::uint64_t make_block(std::size_t) noexcept;
  std::byte* block_at(peer_id, std::uint64_t, std::size_t) noexcept;
  void free_block(std::uint64_t) noexcept;
  void wake_peer(peer_id) noexcept;
  peer_id node_of(peer_id) const noexcept;
  std::string loss_text(peer_id) const;
  bool is_near(peer_id) const noexcept;
  outcome post_near(peer_id, const frame_header&, std::span<const std::byte>) noexcept;
  std::size_t packet_bytes_max(peer_id) const noexcept;
};

}  // namespace mpx::inline v0
