// SPDX-License-Identifier: BSL-1.0
#pragma once
// The transport over network cards that write into their peers' memory. A packet is written into a
// ring in the receiver's registered memory; a long message moves between the users' buffers
// directly. See docs/rdma.md.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/transport/rdma/arena.hpp"
#include "mpx/transport/rdma/nic.hpp"
#include "mpx/transport/rdma/transfers.hpp"

namespace mpx::inline v0::transport {

namespace rdma_detail {

/// Provides the bootstrap type of a card that has its own.
template <class Card>
struct seat {};
template <class Card>
requires requires { typename Card::bootstrap_type; }
struct seat<Card> {
  using bootstrap_type = typename Card::bootstrap_type;
};

/// The value of MPX_RDMA_PINNED_BYTES, or `otherwise` if it is unset. Errors: errc::argument.
[[gnu::noinline, gnu::cold]] inline std::uint64_t pinned_bytes_from_environment(
    std::uint64_t otherwise) {
  const char* const told = std::getenv("MPX_RDMA_PINNED_BYTES");
  constexpr std::uint64_t most = ~std::uint64_t{0};
  std::uint64_t bytes = 0;
  if (told == nullptr) return otherwise;
  if (!mpx::detail::parse_number(told, most, bytes) || bytes == 0)
    mpx::detail::throw_error(errc::argument,
                             "MPX_RDMA_PINNED_BYTES=%s: give a number of bytes from 1 to %llu",
                             told, 0ull + most);
  return bytes;
}

}  // namespace rdma_detail

/// A transport over `Card`, a Nic.
///
/// Each directed pair of ranks has a ring of `RingBytes` at each end, registered on first use, and
/// `Receives` receives; these have a block of memory each if the card's short sends are fast.
/// Payloads of up to `CopyBytesMax` are copied into registered memory. Longer ones, up to
/// `PacketBytesMax`, are written from the user's memory if it is registered already; such a post
/// may be pending. The limit of registered memory is the least of `PinnedBytesMax`,
/// MPX_RDMA_PINNED_BYTES and the card's limit.
template <Nic Card, std::uint32_t RingBytes = 128 * 1024, std::uint32_t Receives = 256,
          std::size_t PacketBytesMax = RingBytes / 4 - sizeof(rdma_detail::record_head),
          std::size_t CopyBytesMax = PacketBytesMax,
          std::uint64_t PinnedBytesMax = ~std::uint64_t{0}>
class basic_rdma : public rdma_detail::seat<Card>, public defaults {
  static_assert(RingBytes % rdma_detail::block_bytes == 0 && PacketBytesMax > 40);
  static constexpr rdma_detail::wire_shape shape{RingBytes, Receives, PacketBytesMax, CopyBytesMax};
  using fabric_type = rdma_detail::fabric<Card, shape>;

 public:
  using policy_axis = transport_axis;
  using nic_type = Card;
  static constexpr std::string_view name = "rdma";
  static constexpr transport_traits traits{
      .inline_bytes_max = rdma_detail::block_bytes - sizeof(rdma_detail::record_head),
      .packet_bytes_max = PacketBytesMax,
      .layout =
          rdma_detail::ring_offer::magic_word ^ (std::uint64_t{RingBytes} << 24 | PacketBytesMax),
      .posts_pend = fabric_type::writes_payloads};

  /// Makes the card. Collective over the ranks of `b`.
  /// Errors: those of the card; errc::argument: MPX_RDMA_PINNED_BYTES is not a number;
  ///         errc::no_resources: the limits leave no room for a ring.
  template <class B>
  requires(!std::same_as<std::remove_const_t<B>, basic_rdma>) && std::constructible_from<Card, B&>
  explicit basic_rdma(B& b)
      : card_(b),
        connections_(card_, mpx::detail::lesser(
                                PinnedBytesMax,
                                rdma_detail::pinned_bytes_from_environment(~std::uint64_t{0}))) {}
  basic_rdma(basic_rdma&&) = delete;

  peer_id self() const noexcept { return card_.self(); }
  peer_id peers() const noexcept { return card_.peers(); }
  bool oversubscribed() const noexcept { return card_.oversubscribed(); }

  [[gnu::always_inline]] outcome post(peer_id peer, const frame_header& header,
                                      std::span<const std::byte> payload,
                                      cookie_t cookie) noexcept {
    return connections_.post(peer, header, payload, cookie);
  }

  template <PacketSink Sink>
  std::size_t poll(Sink& sink) noexcept {
    connections_.look();
    std::size_t n = 0;
    for (int round = 0; round < rounds_max && !connections_.ready().empty(); ++round) {
      if (round != 0) connections_.look();  // Other sources may have packets now.
      n += serve(sink);
    }
    if (connections_.has_completions()) [[unlikely]]
      n += connections_.complete([&sink](cookie_t cookie, bool ok) { sink.complete(cookie, ok); });
    if (!connections_.telling().empty()) [[unlikely]]
      tell_ends(sink);
    if (armed_ && connections_.has_reports()) [[unlikely]]
      card_.wake();  // Another thread sleeps, perhaps after a post that returned `retry`.
    return n;
  }

  /// See Transport.
  [[gnu::always_inline]] bool take_if(peer_id source, auto&& wanted) noexcept {
    rdma_detail::link* const l = connections_.find(source);
    if (l == nullptr) return false;
    if (!l->is_ready) connections_.look();
    if (!l->is_ready) return false;
    rdma_detail::record_head head;
    std::size_t used = 0;
    const std::byte* const at = l->next_small(head, used);
    if (at == nullptr || !wanted(head.header, std::span(at + sizeof head, used - sizeof head)))
      return false;
    l->took_small();
    if (!l->has_packet()) connections_.not_ready(*l);
    connections_.got_credit(*l, rdma_detail::record_head::returned(head.word));
    connections_.took_from(*l);
    return true;
  }

  bool arm() noexcept {
    connections_.look();
    const bool has_reports = connections_.has_reports();
    connections_.clear_room_report();
    armed_ = !has_reports && card_.arm();
    return armed_;
  }
  void sleep(std::int64_t timeout_ns) noexcept {
    card_.sleep(connections_.impatient() ? mpx::detail::lesser(timeout_ns, impatient_ns)
                                         : timeout_ns);
  }
  /// See Transport.
  std::int64_t wait_max_ns() const noexcept {
    const std::int64_t own = connections_.impatient() ? impatient_ns : defaults::wait_max_ns();
    if constexpr (requires { card_.wait_max_ns(); })
      return mpx::detail::lesser(own, card_.wait_max_ns());
    return own;
  }
  void disarm() noexcept {
    armed_ = false;
    card_.disarm();
  }
  void wake() noexcept { card_.wake(); }
  /// See PollableTransport.
  int descriptor() noexcept requires PollableNic<Card>
  {
    return card_.descriptor();
  }
  /// See Transport. The card's clock if it has one.
  std::int64_t now_ns() const noexcept {
    if constexpr (ClockedNic<Card>) {
      return card_.now_ns();
    } else {
      return defaults::now_ns();
    }
  }
  /// See NodeTransport.
  peer_id node_of(peer_id peer) const noexcept requires requires(const Card& c) { c.node_of(peer); }
  {
    return card_.node_of(peer);
  }
  /// On a simulated card: advances the rank's virtual time by `ns`.
  void compute(std::int64_t ns) noexcept requires requires(Card& c) { c.compute(ns); }
  {
    card_.compute(ns);
  }
  /// See ConnectionTransport.
  bool has_unsent() const noexcept { return connections_.has_unsent(); }
  bool has_heard_out(peer_id peer) const noexcept { return connections_.has_heard_out(peer); }
  bool is_connected(peer_id peer) const noexcept { return connections_.is_connected(peer); }
  /// See Transport. Requires: peer != self().
  void drop_peer(peer_id peer) noexcept { connections_.drop(peer); }

  /// See ConnectionTransport.
  void monitor(peer_id peer) noexcept {
    if (peer != self()) connections_.monitor(peer);
  }

  /// See RmaTransport, RegisteredTransport, ImmediateTransport. No call waits for registered
  /// memory. Memory that cannot be registered now is not exposed, and a transfer that finds none is
  /// refused, so that the data goes as packets. A completed put is in place at the peer, unless it
  /// carries a packet. Until that packet has left, posts to that peer return `retry`. If
  /// prefers_put(), gets are refused.
  remote_memory expose(peer_id, std::span<const std::byte> memory, bool = false) noexcept {
    return connections_.memory().expose(memory);
  }
  outcome withdraw(peer_id, const remote_memory& memory) noexcept {
    return connections_.memory().withdraw(memory);
  }
  outcome revoke(peer_id, const remote_memory& memory) noexcept {
    return connections_.memory().revoke(memory);
  }
  outcome retire(peer_id, const remote_memory& memory) noexcept {
    return connections_.memory().retire(memory);
  }
  cost_hint get_cost_hint(peer_id peer, const remote_memory& memory, std::size_t) noexcept {
    return prefers_put(peer) || memory.key == 0 ? cost_hint::never : cost_hint::always;
  }
  /// See RegisteredTransport.
  bool prefers_put(peer_id) const noexcept {
    if constexpr (ReadingNic<Card>) return !reads_pay_;
    return true;
  }
  outcome get(peer_id peer, const remote_memory& memory, std::uint64_t offset,
              std::span<std::byte> into, cookie_t cookie) noexcept {
    if (prefers_put(peer)) return outcome::refused;
    return connections_.begin(peer, memory, offset, into, true, cookie);
  }
  outcome put(peer_id peer, const remote_memory& memory, std::uint64_t offset,
              std::span<const std::byte> from, cookie_t cookie) noexcept {
    return connections_.begin(peer, memory, offset, from, false, cookie);
  }
  outcome put_then(peer_id peer, const remote_memory& memory, std::uint64_t offset,
                   std::span<const std::byte> from, const frame_header& header,
                   cookie_t cookie) noexcept {
    return connections_.begin(peer, memory, offset, from, false, cookie, &header);
  }

  /// See AtomicTransport. At most 64 accesses are pending at a time.
  atomic_set atomics(peer_id) const noexcept requires AtomicNic<Card>
  {
    return card_.atomics();
  }
  outcome atomic(peer_id peer, const remote_memory& memory, std::uint64_t offset,
                 const atomic_access& what, std::span<std::byte> into, cookie_t cookie) noexcept
      requires AtomicNic<Card>
  {
    return connections_.access(peer, memory, offset, what, into, cookie);
  }

  /// See RegisteredTransport. The memory is owned, of the card's choice if it has any, and
  /// registered when it is allocated as far as the limit allows.
  /// Errors: errc::no_resources; errc::argument: an alignment of more than a page.
  void* allocate(std::size_t bytes, std::size_t alignment) {
    return arena_.allocate(bytes, alignment);
  }
  void deallocate(void* p, std::size_t) noexcept { arena_.deallocate(p); }

  /// Declares that the program frees `memory` only after `disown`: its registrations are kept and
  /// found again. Returns false if part of it is owned already, or memory is out.
  bool own(std::span<const std::byte> memory) noexcept {
    return connections_.memory().cache().own(memory);
  }
  /// Ends `own`. Requires: no operation on `memory` is pending.
  void disown(std::span<const std::byte> memory) noexcept {
    connections_.memory().cache().disown(memory);
  }
  /// Sets the limit of memory registered for transfers; rings are not included.
  void set_pinned_bytes_max(std::uint64_t bytes) noexcept {
    connections_.memory().cache().set_bytes_max(bytes);
  }

  /// Advances pending work without calling a sink.
  void progress() noexcept { connections_.look(); }
  /// For tests and tools.
  const rdma_detail::rdma_counters& counters() const noexcept { return connections_.counters(); }
  const rdma_detail::registration_counters& registrations() const noexcept {
    return connections_.memory().cache().counters();
  }
  std::uint64_t memory_refusals() const noexcept { return connections_.memory().refusals(); }
  rdma_detail::link_state state_of(peer_id peer) const noexcept {
    return connections_.state_of(peer);
  }
  Card& card() noexcept { return card_; }
  rdma_detail::link* find(peer_id peer) noexcept { return connections_.find(peer); }

 private:
  static constexpr int rounds_max = 32;
  static constexpr std::int64_t impatient_ns = 1'000'000;

  /// Delivers one packet of each source that has one.
  template <class Sink>
  std::size_t serve(Sink& sink) noexcept {
    auto& ready = connections_.ready();
    std::size_t n = 0;
    auto end = ready.end();
    const rdma_detail::link* const last = &*--end;
    for (bool more = true; more && !ready.empty();) {
      rdma_detail::link& l = ready.front();
      more = &l != last;
      ready.pop_front();
      l.is_ready = false;
      const auto p = l.next();
      if (p.room == 0) {
        connections_.misbehaved(l);
        continue;
      }
      connections_.got_credit(l, p.returned);
      sink.packet(l.peer, p.header, p.payload);
      ++n;
      l.took(p);
      if (l.has_packet()) {
        l.is_ready = true;
        ready.push_back(l);
      } else if (l.disconnected) {
        connections_.free_ring(l);
        continue;
      }
      connections_.took_from(l);
    }
    return n;
  }
  /// Reports ends of links to the sink, after the packets that had arrived.
  template <class Sink>
  void tell_ends(Sink& sink) noexcept {
    auto& telling = connections_.telling();
    for (auto it = telling.begin(); it != telling.end();) {
      rdma_detail::link& l = *it;
      ++it;
      if (l.is_ready) continue;  // Its packets come first.
      connections_.told(l);
      if (l.malformed) {
        sink.malformed(l.peer);
      } else if constexpr (LossSink<Sink>) {
        sink.lost(l.peer);
      }
    }
  }

  Card card_;
  fabric_type connections_;
  rdma_detail::arena<Card, typename fabric_type::memory_type::cache_type> arena_{
      card_, connections_.memory().cache()};
  const bool reads_pay_ = card_.limits().reads_pay;
  bool armed_ = false;
};

/// Transport rdma with the default sizes.
template <Nic Card>
using rdma = basic_rdma<Card>;

}  // namespace mpx::inline v0::transport
