// SPDX-License-Identifier: BSL-1.0
#pragma once
// What a transport must do, as concepts: move packets between peers, and where it can, memory.
// Each concept has an archetype that grants it and nothing more.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "mpx/core/error.hpp"
#include "mpx/core/frame.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

/// The axis on which a policy sits in a stack.
struct transport_axis {};

/// What a transport promises about itself, at compile time.
struct transport_traits {
  std::size_t inline_bytes_max;  ///< Payload that travels in the header's own packet for free.
  std::size_t packet_bytes_max;  ///< The largest payload of one packet.
  std::uint64_t layout = 0;      ///< Differs when two builds could not read each other's memory.
  bool posts_pend = true;        ///< A post may answer `pending`.
};

/// Receives what a poll finds.
///
/// `sink.packet(source, header, payload)`: a packet has arrived; `payload` is valid during the
/// call.
/// `sink.place(source, header, bytes)`: where the body of a packet belongs whose header has come,
/// and whose `bytes` > 0 are still coming: memory of exactly that size, or an empty span for "keep
/// it yourself". Only a PlacingTransport asks, once for a packet, in order with what comes from
/// that source.
/// `sink.complete(cookie, ok)`: work that was `pending` has finished.
/// `sink.malformed(source)`: the source's bytes make no sense to the transport.
/// `sink.unreachable(source)`: the source has sent something, and this process lacks the memory or
/// the mappings to hear it. Told once for each time that the source calls for attention, not by
/// every poll; what the source sent may still come, when there is room again.
/// `sink.goes_on()`, if there is one: whether the packet that has just been handed over was part of
/// a message of which more comes.
template <class S>
concept PacketSink = requires(S& sink, peer_id peer, const frame_header& header,
                              std::span<const std::byte> payload, cookie_t cookie) {
  { sink.packet(peer, header, payload) } noexcept;
  { sink.place(peer, header, std::size_t{}) } noexcept -> std::same_as<std::span<std::byte>>;
  { sink.complete(cookie, true) } noexcept;
  { sink.malformed(peer) } noexcept;
  { sink.unreachable(peer) } noexcept;
};

/// A sink that is also told of losses.
///
/// `sink.lost(source)`: the connection to that peer broke without its leave-taking: nothing more
/// will come from it, after what was handed over before. Told once, by a poll; not of a peer that
/// left, was dropped, or was called malformed.
template <class S>
concept LossSink = PacketSink<S> && requires(S& sink, peer_id peer) {
  { sink.lost(peer) } noexcept;
};

/// Grants PacketSink and nothing more.
struct sink_archetype {
  sink_archetype() = delete;
  void packet(peer_id, const frame_header&, std::span<const std::byte>) noexcept;
  std::span<std::byte> place(peer_id, const frame_header&, std::size_t) noexcept;
  void complete(cookie_t, bool) noexcept;
  void malformed(peer_id) noexcept;
  void unreachable(peer_id) noexcept;
};

/// Moves packets between this process and its peers.
///
/// `post(peer, header, payload, cookie)` never blocks. `done`: the payload was taken; `pending`: it
/// will be read later; `retry`: nothing happened; `refused`: the peer cannot be reached. The header
/// is copied at once, whatever the outcome. Packets between a pair arrive in the order of the posts
/// that were `done` or `pending`; nothing is promised across pairs.
///
/// What is `pending` holds the payload, and nothing else of the caller's, until exactly one
/// `complete(cookie, ok)`: not ok if the peer was lost or dropped before all was handed over. A
/// completion comes from a poll, never from a post, and says nothing about what the peer has seen.
/// Completions come in any order, those of one pair too. The destructor ends what is pending
/// without a completion; the payload is not touched after it. It waits for nobody, so that who
/// wants his packets to arrive polls until they are complete.
///
/// `poll` hands arrived packets to the sink and is fair: no source is served twice while another
/// has a whole packet waiting. It also moves on what is pending, and returns how many packets and
/// completions it handed over; that may be none although some are here: `arm` tells. Its cost grows
/// with what has arrived, not with the peers that are wired. The sink may post from any of its
/// calls, and does not poll. Waiting has three steps, so that a lock need not be held over it:
/// `arm` announces a sleep and returns false if there is something to do; `sleep` returns when
/// something may have arrived or completed, when a post that was told `retry` may succeed, or after
/// `timeout_ns`; `disarm` follows every `arm` that returned true. `wake` ends a sleep. Posting to
/// oneself works. Peers are wired on first use. Everything but `sleep` and `wake` is called by one
/// thread at a time; between `arm` and `disarm` other threads may post and poll.
template <class T>
concept Transport =
    requires(T& t, const T& c, peer_id peer, const frame_header& header,
             std::span<const std::byte> payload, sink_archetype& sink, std::int64_t timeout_ns) {
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
    };

/// Whether posts to T may answer `pending`, so that sends need an operation to complete.
template <class T>
inline constexpr bool posts_pend = transport_traits(T::traits).posts_pend;

/// A transport that asks the sink where bodies belong: one that reads a stream.
///
/// Between `place(source)` and `packet(source, header, payload)` with the placed memory as payload,
/// once, nothing else comes from that source, and polls write into that memory.
/// `cancel_place(source)`: the sink takes the memory back. When this returns, the transport does
/// not touch it any more, throws away the rest of that body, and calls no `packet` for it; what
/// comes behind it arrives as ever. Nothing happens if no body of that source is being placed. That
/// is also how memory comes back from a source that was lost in the middle of a body.
template <class T>
concept PlacingTransport = Transport<T> && requires(T& t, peer_id source) {
  { t.cancel_place(source) } noexcept;
};

/// A transport whose pending posts may wait for what the peer's program does, as over a stream.
///
/// `relocate(cookie, from, to)`: what is still to be read of `from` for posts with that cookie is
/// read from the same places behind `to`, whose bytes are equal. When this returns, `from` is the
/// caller's. Thus a dropped request does not wait for another rank's program. (Where a card reads
/// the payload by itself, the completion waits for no program, and there is nothing to relocate.)
template <class T>
concept RelocatingTransport =
    Transport<T> &&
    requires(T& t, cookie_t cookie, std::span<const std::byte> from, const std::byte* to) {
      { t.relocate(cookie, from, to) } noexcept;
    };

/// A transport whose posts, when they are `done`, may still wait for polls of this side, and whose
/// packets may still be on their way when others see that who posted them has left. (Over every
/// other one, what is `done` is the peer's to poll from then on, whatever becomes of this side.)
///
/// `has_unsent()`: something that was posted waits here: for a connection, for room, for the card.
/// What cannot be sent any more does not count. Once it is false, and until something is posted,
/// this side may leave: all of it arrives. `has_heard_out(peer)`: for a peer that has left:
/// whatever it had sent has been handed over, since its connection has ended, or there is none.
/// That comes with time and polls where the peer leaves in good order. `is_connected(peer)`: what
/// is posted to it needs no connection that has yet to be made.
template <class T>
concept PartingTransport = Transport<T> && requires(const T& t, peer_id peer) {
  { t.has_unsent() } noexcept -> std::same_as<bool>;
  { t.has_heard_out(peer) } noexcept -> std::same_as<bool>;
  { t.is_connected(peer) } noexcept -> std::same_as<bool>;
};

/// A transport that can be told that a peer is gone, or no longer wanted.
///
/// `drop_peer(peer)`: once it has returned, nothing of that peer reaches the sink, memory that was
/// placed for it is the sink's again, and nothing that was pending with it touches memory here or
/// there; the next poll completes that, not ok. No call names the peer after it. Waits for nobody.
template <class T>
concept DroppingTransport = Transport<T> && requires(T& t, peer_id peer) {
  { t.drop_peer(peer) } noexcept;
};

/// A transport that notices by itself only the loss of peers with which it has something to do.
///
/// `attend(peer)`: a call waits for that peer, another one than self(): its loss is noticed from
/// now on, too. Has no effect where it is already; waits for nobody.
template <class T>
concept AttendingTransport = Transport<T> && requires(T& t, peer_id peer) {
  { t.attend(peer) } noexcept;
};

/// A transport whose peers come and go while it is at work.
///
/// `address()`: the bytes by which others reach this one, for as long as it lives; how they travel
/// is the caller's business. `add_peer(peer, address)`: from now on `peer` means the one at that
/// address: a number that was dropped, or peers(), which is one more then. The other side adds this
/// one too, under a number of its own, before or after; what it posts before waits until then.
/// Returns errc{}, or else nothing has changed: errc::argument: no address of this transport, this
/// process itself, or the place of a peer that is not dropped; errc::peer_lost: whoever had it has
/// left; errc::pending: the two were linked before, or former owners of their places were, and the
/// other side has not dropped
/// that link yet: ask again; errc::no_resources. A link ends for both when one has dropped it, but
/// the other hears what was sent before, and its posts go nowhere, until it drops the link too.
/// Nothing of an earlier link ever arrives under a later one, whatever numbers and addresses they
/// share. add_peer and drop_peer are not called within a poll.
template <class T>
concept ElasticTransport =
    DroppingTransport<T> && requires(T& t, const T& c, peer_id peer, std::string_view address) {
      { c.address() } -> std::same_as<std::string>;
      { t.add_peer(peer, address) } noexcept -> std::same_as<errc>;
    };

/// A transport that also moves memory.
///
/// `expose(peer, memory)` describes local memory so that `peer` can reach it; key 0 where it
/// cannot. `withdraw(memory)` follows every `expose` that gave a key, and takes it back: `done`:
/// the peer does not touch it any more, and what it still tries is refused; `retry`: it is in the
/// middle of a copy, which nothing but the copy itself delays: ask again; `refused`: this transport
/// cannot promise that before the operation has ended. `get` copies from a peer's exposed
/// memory at `offset` into `into`; `put` copies to it. Outcomes as for `post`, and `refused` where
/// this memory or this peer cannot be reached (any more). What is `pending` completes, well or not,
/// also when the peer is lost. `get_pays(peer, memory, bytes)`: whether a get is expected to beat
/// packets.
template <class T>
concept RmaTransport =
    Transport<T> && requires(T& t, peer_id peer, const remote_memory& memory,
                             std::span<std::byte> into, std::span<const std::byte> from) {
      { t.expose(peer, from) } noexcept -> std::same_as<remote_memory>;
      { t.withdraw(memory) } noexcept -> std::same_as<outcome>;
      { t.get_pays(peer, memory, std::size_t{}) } noexcept -> std::same_as<advice>;
      { t.get(peer, memory, std::uint64_t{}, into, cookie_t{}) } noexcept -> std::same_as<outcome>;
      { t.put(peer, memory, std::uint64_t{}, from, cookie_t{}) } noexcept -> std::same_as<outcome>;
    };

/// A transport that keeps what it needs to expose memory, where the next message may use it again.
///
/// `retire(memory)`, in place of the withdraw: the peer has moved what it was to move, or is gone.
/// Returns what is true of all others: `done`: nobody reaches the memory any more; `retry`: it is
/// being given up: ask again, or leave it; `refused`: it stays registered, for others or for later.
/// `revoke(memory)`, first, where the peer was dropped: withdraw, whatever connections come to.
template <class T>
concept RetiringTransport = RmaTransport<T> && requires(T& t, const remote_memory& memory) {
  { t.retire(memory) } noexcept -> std::same_as<outcome>;
  { t.revoke(memory) } noexcept -> std::same_as<outcome>;
};

/// A transport that can fetch and store, and knows which suits a peer.
///
/// `puts_pay(peer)`: long messages between the two are best stored by their sender, in memory that
/// the receiver offers once it has matched, and nothing is to be exposed before. Always the same of
/// a peer. It is asked where the protocol leaves the path open.
template <class T>
concept StoringTransport = RmaTransport<T> && requires(const T& t, peer_id peer) {
  { t.puts_pay(peer) } noexcept -> std::same_as<bool>;
};

/// A transport whose gets and puts are the CPU's own work, so that both sides can share it: the one
/// that may say `advice::learn`.
///
/// `hold(peer, memory, bytes)`: until what it returns is gone, the memory, of which so many bytes
/// are going to be copied, is not withdrawn; it converts to false if it was before. `get_held`: a
/// get meanwhile; returns whether it went well.
template <class T>
concept CopyingTransport =
    RmaTransport<T> &&
    requires(T& t, peer_id peer, const remote_memory& memory, std::span<std::byte> into) {
      { static_cast<bool>(t.hold(peer, memory, std::size_t{})) } noexcept;
      { t.get_held(peer, memory, std::uint64_t{}, into) } noexcept -> std::same_as<bool>;
    };

/// A copying transport for which several gets from one peer, up to batched_gets_max, cost less than
/// one after the other. `get_batch`: false: not all has been copied, perhaps some.
template <class T>
concept BatchingTransport =
    CopyingTransport<T> && requires(T& t, peer_id peer, const batched_get* gets) {
      { t.get_batch(peer, gets, std::size_t{}) } noexcept -> std::same_as<bool>;
    };

/// A transport that may take a while over a withdraw, to make later copies cheaper.
///
/// `tidied_ns()`: how long that has taken so far, in all. It is no message's. `expose(peer, memory,
/// true)`: for longer than a message or a call; there is nothing to tidy when that ends.
template <class T>
concept TidyingTransport =
    CopyingTransport<T> && requires(T& t, peer_id peer, std::span<const std::byte> memory) {
      { t.tidied_ns() } noexcept -> std::same_as<std::int64_t>;
      { t.expose(peer, memory, true) } noexcept -> std::same_as<remote_memory>;
    };

/// A transport whose puts can carry a packet.
///
/// `put_then(peer, memory, offset, from, header, cookie)`: a put; when its data is in place, the
/// peer gets a packet of `header` alone, in order with the packets between the two (RDMA: immediate
/// data). Outcomes as for `put`, but that it may be complete before: when `from` is the caller's.
template <class T>
concept ImmediateTransport =
    RmaTransport<T> && requires(T& t, peer_id peer, const remote_memory& memory,
                                std::span<const std::byte> from, const frame_header& header) {
      {
        t.put_then(peer, memory, std::uint64_t{}, from, header, cookie_t{})
      } noexcept -> std::same_as<outcome>;
    };

/// A transport whose ranks may have to share a core although there are enough of them.
///
/// `shares_core()`: a peer that this rank has lately heard from was last seen waiting on this
/// rank's core: who looks again and again keeps it from running. A rank that can leave that core
/// does, and says no. Each rank says where it waits when it asks. Cost: some nanoseconds; it is
/// asked once in many looks.
template <class T>
concept CoreSharingTransport = Transport<T> && requires(T& t) {
  { t.shares_core() } noexcept -> std::same_as<bool>;
};

/// A transport that one can wait for together with others, by poll(2) or epoll(7).
///
/// `descriptor()`: made on first demand, the same ever after, and the transport's: -1 where the
/// kernel grants none, and then sleeps have to be short. After `arm` has returned true it becomes
/// readable when `sleep` would return before its timeout, and stays so until `disarm`; it may be
/// readable for no reason. Nobody reads it but the transport. `sleep` goes on to work. Called
/// first while nobody is asleep. Cost: a rank that asked for it is woken by a system call or two
/// more; who sends to one that is awake pays nothing.
template <class T>
concept PollableTransport = Transport<T> && requires(T& t) {
  { t.descriptor() } noexcept -> std::same_as<int>;
};

/// A transport with a clock of its own, in nanoseconds: the endpoint reads it instead of the
/// machine's.
template <class T>
concept ClockedTransport = Transport<T> && requires(const T& t) {
  { t.now_ns() } noexcept -> std::same_as<std::int64_t>;
};

/// A transport that can look at the next packet of one source without serving the others.
///
/// `take_if(source, f)`: if a small packet of `source` is at hand and `f(header, payload)` returns
/// true, the packet is taken. Returns whether it was. Costs less than a poll; the caller polls now
/// and then, so that nobody starves.
template <class T>
concept PeekingTransport =
    Transport<T> &&
    requires(T& t, peer_id source, bool (*f)(const frame_header&, std::span<const std::byte>)) {
      { t.take_if(source, f) } noexcept -> std::same_as<bool>;
    };

/// A transport that keeps a count of the caller's for each peer, beside what its posts write.
///
/// `purse(peer)`: the count, 0 at first, and again once the peer was dropped; nullptr: none is kept
/// for that peer, at least before something is posted to it. `post_paid(peer, header, payload,
/// price)`: a post for a price that the purse holds, if the packet can leave at once and simply; it
/// never pends. Else nothing happens, and it returns false: post.
template <class T>
concept PurseTransport =
    Transport<T> && requires(T& t, peer_id peer, const frame_header& header,
                             std::span<const std::byte> payload, std::uint32_t price) {
      { t.purse(peer) } noexcept -> std::same_as<std::uint32_t*>;
      { t.post_paid(peer, header, payload, price) } noexcept -> std::same_as<bool>;
    };

/// A transport whose peers can share plain memory: what `allocate_shared` returns is reachable by
/// every peer with loads and stores.
template <class T>
concept SharedMemoryTransport = RmaTransport<T> && requires(T& t, void* p, std::size_t bytes) {
  { t.allocate_shared(bytes, bytes) } -> std::same_as<void*>;
  { t.deallocate_shared(p, bytes) } noexcept;
};

/// A transport that gives programs memory from which messages go more cheaply: see mpx::allocator.
///
/// `allocate(bytes, alignment)`: nobody else's until `deallocate(p, bytes)`. Errors:
/// errc::no_resources.
template <class T>
concept AllocatingTransport = Transport<T> && requires(T& t, void* p, std::size_t bytes) {
  { t.allocate(bytes, bytes) } -> std::same_as<void*>;
  { t.deallocate(p, bytes) } noexcept;
};
/// Whether mpx::allocator has a use for the transport.
template <class T>
inline constexpr bool gives_memory = SharedMemoryTransport<T> || AllocatingTransport<T>;

/// A transport whose peers are threads of one process: an address of one means the same to all.
template <class T>
concept AddressSharingTransport = Transport<T> && requires { requires T::peers_share_addresses; };

/// A transport whose peers can meet in a block of memory that all of them map, and wake each other.
///
/// `make_block(bytes)`: memory of this rank's that holds anything; returns its name, which is sent
/// to others, or 0 where there is none. `block_at(owner, name, bytes)`: where it lies here, aligned
/// to a cache line; nullptr if that is no block of the owner's, or the machine is out of mappings.
/// It stays there for as long as this transport lives, whoever leaves meanwhile, or until the owner
/// frees it. `wake_peer(peer)` ends a sleep of that peer, or else nothing happens. Gets and puts
/// are done when they return.
template <class T>
concept BlockTransport =
    SharedMemoryTransport<T> && requires(T& t, peer_id peer, std::uint64_t name) {
      { t.make_block(std::size_t{}) } noexcept -> std::same_as<std::uint64_t>;
      { t.block_at(peer, name, std::size_t{}) } noexcept -> std::same_as<std::byte*>;
      { t.free_block(name) } noexcept;
      { t.wake_peer(peer) } noexcept;
    };

/// A transport that can tell why it has lost a peer.
///
/// `loss_text(peer)`: what was tried and failed, in words that name the peer, for the texts of
/// errors; "" of a peer that is not lost, or if nothing more is known. It claims no death.
template <class T>
concept ExplainingTransport = Transport<T> && requires(const T& t, peer_id peer) {
  { t.loss_text(peer) } -> std::same_as<std::string>;
};

/// True if loads and stores of peers of one node reach memory of each other: mpx::shared_window.
template <class T>
inline constexpr bool shares_windows = BlockTransport<T> || AddressSharingTransport<T>;

/// A transport that knows which peers run on one node, where messages cost less.
///
/// `node_of(peer)`: a number below peers(), equal for peers of one node and for no others. What it
/// says of two peers is the same everywhere, and never changes. Costs no message.
template <class T>
concept NodeTransport = Transport<T> && requires(const T& t, peer_id peer) {
  { t.node_of(peer) } noexcept -> std::same_as<peer_id>;
};

/// A transport that reaches peers of its own node in memory that it shares with them, and the
/// others over a network.
///
/// `is_near(peer)`: whether it is of this one's node. Posts to it never answer `pending` then, and
/// only such a peer reaches memory that is exposed, allocated as shared, or a block.
/// `post_near(peer, header, payload)`: a post, if it is; else `retry`.
/// `packet_bytes_max(peer)`: the largest payload of a packet to it, `traits.packet_bytes_max` or
/// more; `far_traits` are those of packets to far ones.
template <class T>
concept NearFarTransport =
    NodeTransport<T> && requires(T& u, const T& t, peer_id peer, const frame_header& header,
                                 std::span<const std::byte> payload) {
      { T::far_traits } -> std::convertible_to<transport_traits>;
      { t.is_near(peer) } noexcept -> std::same_as<bool>;
      { u.post_near(peer, header, payload) } noexcept -> std::same_as<outcome>;
      { t.packet_bytes_max(peer) } noexcept -> std::same_as<std::size_t>;
    };

/// Grants every concept above, and nothing more.
struct transport_archetype {
  using policy_axis = transport_axis;
  static constexpr std::string_view name = "archetype";
  static constexpr transport_traits traits{.inline_bytes_max = 40, .packet_bytes_max = 4096};
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
  remote_memory expose(peer_id, std::span<const std::byte>) noexcept;
  outcome withdraw(const remote_memory&) noexcept;
  outcome retire(const remote_memory&) noexcept;
  outcome revoke(const remote_memory&) noexcept;
  bool hold(peer_id, const remote_memory&, std::size_t) noexcept;
  bool get_held(peer_id, const remote_memory&, std::uint64_t, std::span<std::byte>) noexcept;
  advice get_pays(peer_id, const remote_memory&, std::size_t) noexcept;
  bool puts_pay(peer_id) const noexcept;
  outcome get(peer_id, const remote_memory&, std::uint64_t, std::span<std::byte>,
              cookie_t) noexcept;
  outcome put(peer_id, const remote_memory&, std::uint64_t, std::span<const std::byte>,
              cookie_t) noexcept;
  outcome put_then(peer_id, const remote_memory&, std::uint64_t, std::span<const std::byte>,
                   const frame_header&, cookie_t) noexcept;
  std::int64_t now_ns() const noexcept;
  bool take_if(peer_id, auto&&) noexcept { return false; }
  std::uint32_t* purse(peer_id) noexcept;
  bool post_paid(peer_id, const frame_header&, std::span<const std::byte>, std::uint32_t) noexcept;
  void cancel_place(peer_id) noexcept;
  void relocate(cookie_t, std::span<const std::byte>, const std::byte*) noexcept;
  bool has_unsent() const noexcept;
  bool has_heard_out(peer_id) const noexcept;
  bool is_connected(peer_id) const noexcept;
  void drop_peer(peer_id) noexcept;
  void attend(peer_id) noexcept;
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
