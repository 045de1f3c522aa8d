// SPDX-License-Identifier: BSL-1.0
#pragma once
// The transport between hosts: TCP connections, made on first use, between ranks that prove to each
// other that they belong to one job. Needs the headers of Boost.Asio (addresses) and libcrypto.

#include "mpx/macros/begin.hpp"

#include <poll.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/transport/detail/declared.hpp"
#include "mpx/transport/tcp/connections.hpp"
#include "mpx/transport/tcp/self_queue.hpp"

namespace mpx::inline v0::transport {

/// A transport over TCP sockets, for ranks on any hosts.
///
/// - `PacketBytes`: the largest payload of a packet.
/// - `Pends`: a payload for which the kernel has no room stays in the caller's memory and the post
///   pends; else the rest of it is copied.
/// - `KernelBytes`: the size of the kernel's two buffers of a connection; 0: the kernel's choice.
/// - `Stream`: carries the bytes of a connection (TcpStream).
/// - `Heartbeat`: the time for which a peer may be unreachable (tcp_heartbeat). A connection that
///   breaks is made again within that time and continues without loss.
///
/// MPX_TCP_INTERFACE and MPX_TCP_PORTS choose where a rank listens; MPX_TCP_HEARTBEAT overrides
/// `Heartbeat`.
template <std::size_t PacketBytes, bool Pends, int KernelBytes, class Stream, class Heartbeat>
class basic_tcp : public defaults {
  static_assert(PacketBytes >= 1024 && PacketBytes <= (1u << 30));

 public:
  using policy_axis = transport_axis;
  static constexpr std::string_view name = Stream::name;
  static constexpr transport_traits traits{
      .inline_bytes_max = 40,
      .packet_bytes_max = PacketBytes,
      .layout = detail::tcp_magic ^ PacketBytes ^ Stream::layout,
      .posts_pend = Pends};

  /// Joins the job of `b`. Collective over the ranks of `b`.
  /// Errors: errc::argument: MPX_TCP_INTERFACE, MPX_TCP_PORTS or MPX_TCP_HEARTBEAT has a value that
  ///         cannot be met; errc::no_resources; errc::bootstrap.
  template <class B>
  requires(!std::same_as<std::remove_const_t<B>, basic_tcp>) && Bootstrap<B>
  explicit basic_tcp(B& b) : basic_tcp(b, join(b)) {}
  basic_tcp(basic_tcp&&) = delete;

  peer_id self() const noexcept { return connections_.self(); }
  peer_id peers() const noexcept { return connections_.peers(); }
  bool oversubscribed() const noexcept { return oversubscribed_; }

  outcome post(peer_id peer, const frame_header& header, std::span<const std::byte> payload,
               cookie_t cookie) noexcept {
    const outcome o = peer == self() ? own_.post(header, payload)
                                     : connections_.post(peer, header, payload, cookie);
    if (armed_.load() != 0) [[unlikely]]
      connections_.watch().wake();  // A thread that sleeps must watch the new state.
    return o;
  }

  template <PacketSink Sink>
  std::size_t poll(Sink& sink) noexcept {
    connections_.begin_poll();
    // Fast path: reads only the connection that delivered the last packet. A poll after a packet,
    // and every 16th one, looks at all connections.
    if (hot_ != nullptr && !look_is_due_ && connections_.deliveries().empty() &&
        !connections_.has_timers() && ++unlooked_ < look_interval) {
      connections_.look_at(*hot_);
    } else {
      unlooked_ = 0;
      look_is_due_ = false;
      connections_.look();
    }
    std::size_t n = deliver(sink);
    if (n != 0) look_is_due_ = true;
    if (!connections_.completions().empty()) [[unlikely]]
      n += complete(sink);
    if (!connections_.lost().empty()) [[unlikely]]
      tell_losses(sink);
    // Another thread sleeps, perhaps after a post that returned `retry`.
    if (connections_.has_room_report() && armed_.load() != 0) [[unlikely]]
      connections_.watch().wake();
    return n;
  }

  bool arm() noexcept {
    armed_.store(1);
    connections_.begin_poll();
    connections_.look();
    look_is_due_ = false;
    const bool busy = connections_.take_room_report() || !own_.empty() ||
                      !connections_.deliveries().empty() || !connections_.completions().empty() ||
                      !connections_.lost().empty();
    if (busy) disarm();
    return !busy;
  }
  void sleep(std::int64_t timeout_ns) noexcept {
    pollfd at{connections_.watch().fd(), POLLIN, 0};
    const timespec t{static_cast<time_t>(timeout_ns / 1'000'000'000),
                     static_cast<long>(timeout_ns % 1'000'000'000)};
    ::ppoll(&at, 1, &t, nullptr);
  }
  void disarm() noexcept {
    armed_.store(0);
    connections_.watch().quiet_wake();
  }
  void wake() noexcept {
    if (armed_.load() != 0) connections_.watch().wake();
  }
  /// See PollableTransport.
  int descriptor() noexcept { return connections_.watch().fd(); }

  /// See StreamTransport.
  void cancel_place(peer_id source) noexcept { connections_.cancel_place(source); }
  void relocate(cookie_t cookie, std::span<const std::byte> from, const std::byte* to) noexcept {
    connections_.relocate(cookie, from, to);
  }
  /// See ConnectionTransport.
  bool has_unsent() const noexcept { return connections_.has_unsent(); }
  bool has_heard_out(peer_id peer) const noexcept {
    return peer == self() || connections_.has_heard_out(peer);
  }
  bool is_connected(peer_id peer) const noexcept {
    return peer == self() || connections_.is_connected(peer);
  }
  /// See Transport. Requires: peer != self().
  void drop_peer(peer_id peer) noexcept {
    if (hot_ != nullptr && hot_->peer == peer) hot_ = nullptr;
    connections_.drop(peer);
  }

  /// See ConnectionTransport.
  void monitor(peer_id peer) noexcept {
    if (peer != self()) connections_.monitor(peer);
  }

  /// Writes queued packets and advances connections that are being made, but reads no packets: for
  /// an owner of several transports that polls only one.
  void progress() noexcept {
    connections_.begin_poll();
    connections_.look(false);
    // Opening a connection may have read packets with its resume message.
    if (armed_.load() != 0 &&
        (connections_.has_room_report() || !connections_.deliveries().empty()))
      connections_.watch().wake();
  }
  peer_id node_of(peer_id peer) const noexcept { return nodes_[peer]; }
  /// For tests and tools.
  const detail::tcp_counters& counters() const noexcept { return connections_.counters(); }
  const detail::tcp_door_counters& door() const noexcept { return connections_.door(); }
  detail::tcp_state state_of(peer_id peer) const noexcept { return connections_.state_of(peer); }
  /// See Transport.
  std::string loss_text(peer_id peer) const {
    return peer == self() ? std::string() : connections_.loss_text(peer);
  }
  const detail::tcp_endpoint& endpoint() const noexcept { return connections_.endpoint(); }

 private:
  static constexpr unsigned look_interval = 16;
  static constexpr int rounds_max = 16;
  // Bytes of long packets delivered per poll.
  static constexpr std::size_t long_bytes_max = 256 * 1024;
  static constexpr std::size_t interfaces_max = Stream::lanes < detail::tcp_listeners::listeners_max
                                                    ? Stream::lanes
                                                    : detail::tcp_listeners::listeners_max;
  using link = typename detail::tcp_connections<Stream>::link;

  struct joined {
    detail::tcp_secret secret;
    detail::tcp_endpoint from;  // Local address to connect from; none: the kernel's choice.
    std::vector<detail::tcp_descriptor> listeners;
    // Addresses at which each peer can be reached.
    std::vector<std::vector<detail::tcp_endpoint>> published;
    // The addresses over which to spread the sockets of a connection: all of these if
    // MPX_TCP_INTERFACE has chosen them, else none.
    std::vector<std::vector<detail::tcp_endpoint>> lanes;
    std::vector<peer_id> nodes;  // The first rank on each peer's machine.
    bool oversubscribed = false;
    detail::tcp_patience patience;
  };
  template <class B>
  basic_tcp(const B& b, joined j)
      : connections_(
            world_peer(b.rank()), world_peer(b.size()), j.secret,
            detail::tcp_directory(j.published, world_peer(b.rank()), detail::addresses_here()),
            j.from, std::move(j.listeners.front()), Pends, KernelBytes, j.patience),
        nodes_(std::move(j.nodes)),
        oversubscribed_(j.oversubscribed) {
    if constexpr (Stream::lanes > 1) {
      for (std::size_t i = 1; i < j.listeners.size(); ++i)
        connections_.also_listen(std::move(j.listeners[i]));
      connections_.streams().there = std::move(j.lanes);
      connections_.streams().here = connections_.streams().there[self()];
    }
  }

  // Prefix of the published addresses if MPX_TCP_INTERFACE has chosen them.
  static constexpr std::string_view told_mark = "= ";
  // Limit for the host's name; with it, a rank publishes at most 512 bytes.
  static constexpr std::size_t host_bytes_max = 100;

  /// Publishes this rank's addresses and host, and rank 0's secret, and reads those of all ranks.
  /// The listener exists before its address is published.
  template <class B>
  static joined join(B& b) {
    joined j;
    j.patience = detail::tcp_patience::from_environment(Heartbeat::seconds);
    const auto here = detail::tcp_places::chosen(SharedMemoryBootstrap<B>, interfaces_max);
    const auto ports = detail::tcp_port_range::from_environment();
    std::string published(here.told ? told_mark : "");
    detail::tcp_endpoint at;
    const auto listen = [&](const detail::ip::address& a) {
      j.listeners.push_back(detail::listen_tcp(a, ports, at, KernelBytes));
    };
    if (here.everywhere) listen(here.any_address());
    for (const detail::tcp_address& a : here.addresses) {
      if (!here.everywhere) listen(a.address);
      const detail::tcp_endpoint place(a.address, at.port());
      if (!here.everywhere && j.from.bytes == 0) j.from = place;
      published += text_of(place) + ' ';
    }
    b.put("mpx.tcp", published + std::string(b.host()).substr(0, host_bytes_max));
    if (b.rank() == 0) b.put("mpx.tcp.key", detail::tcp_secret::drawn().text());
    b.fence([] {});
    j.secret = detail::tcp_secret::read(b.get(0, "mpx.tcp.key").value_or(""));
    int neighbours = 0;
    std::unordered_map<std::string, peer_id> machines;
    for (rank_t r = 0; r < b.size(); ++r) {
      const std::string said = b.get(r, "mpx.tcp").value_or("");
      std::string_view rest(said);
      const bool told = rest.starts_with(told_mark);
      if (told) rest.remove_prefix(told_mark.size());
      std::vector<detail::tcp_endpoint> all = detail::read_endpoints(rest, detail::tcp_places_max);
      if (all.empty())
        mpx::detail::throw_error(errc::bootstrap, "rank %d has published no address of tcp", r);
      if constexpr (Stream::lanes > 1)
        j.lanes.push_back(told ? all : std::vector<detail::tcp_endpoint>());
      j.published.push_back(std::move(all));
      const std::string host(rest);
      neighbours += host == b.host().substr(0, host_bytes_max) ? 1 : 0;
      j.nodes.push_back(machines.emplace(host, world_peer(r)).first->second);
    }
    j.oversubscribed = neighbours > platform::usable_cores();
    return j;
  }

  /// Delivers packets in rounds, one of each source per round, until `long_bytes_max` bytes of long
  /// packets or `rounds_max` rounds are reached. Returns the number of packets.
  template <class Sink>
  std::size_t deliver(Sink& sink) noexcept {
    std::size_t n = 0;
    auto& deliveries = connections_.deliveries();
    std::size_t left_bytes = long_bytes_max;
    for (int round = 0; round < rounds_max && left_bytes != 0; ++round) {
      const std::size_t before = n;
      if (!own_.empty()) {
        own_.deliver(sink, self());
        ++n;
      }
      for (std::size_t left = deliveries.size(); left != 0; --left) {
        link& l = *connections_.find(deliveries.front());
        deliveries.pop();
        l.delivery_queued = false;
        n += serve(l, sink, left_bytes) ? 1 : 0;
      }
      if (n == before) break;
    }
    // One receipt acknowledges all packets of a source.
    for (std::size_t i = 0; i < deliveries.size(); ++i)
      connections_.acknowledge_if_owed(*connections_.find(deliveries[i]));
    return n;
  }
  /// Delivers the next packet of one source. Returns false if there is none.
  template <class Sink>
  bool serve(link& l, Sink& sink, std::size_t& left_bytes) noexcept {
    if (l.state > detail::tcp_state::open) return false;
    detail::tcp_found found = l.in.next(sink, l.peer, PacketBytes);
    // The rest of a body may have arrived meanwhile.
    while (found == detail::tcp_found::nothing && connections_.refill(l))
      found = l.in.next(sink, l.peer, PacketBytes);
    if (!connections_.apply_receipt(l)) [[unlikely]]
      found = detail::tcp_found::malformed;
    switch (found) {
      case detail::tcp_found::body:
        left_bytes -= left_bytes < l.in.body_bytes() ? left_bytes : l.in.body_bytes();
        [[fallthrough]];
      case detail::tcp_found::packet:
        hot_ = &l;
        if (l.in.may_have_more() || l.in.ended())
          connections_.queue_delivery(l);
        else
          connections_.acknowledge_if_owed(l);
        return true;
      case detail::tcp_found::nothing:
        connections_.acknowledge_if_owed(l);
        if (l.in.ended() && l.state == detail::tcp_state::open) connections_.broke(l);
        return false;
      case detail::tcp_found::goodbye: end(l, true); return false;
      case detail::tcp_found::malformed: break;
    }
    l.loss_reported = true;
    end(l, false);
    sink.malformed(l.peer);
    return false;
  }
  void end(link& l, bool well) noexcept {
    if (hot_ == &l) hot_ = nullptr;
    connections_.end(l, well);
  }

  /// Delivers the completions that are queued. Returns how many.
  template <class Sink>
  std::size_t complete(Sink& sink) noexcept {
    std::size_t n = 0;
    for (std::size_t left = connections_.completions().size(); left != 0; --left, ++n) {
      const detail::replay_completion c = connections_.completions().front();
      connections_.completions().pop();
      connections_.completion_delivered();
      sink.complete(c.cookie, c.ok);
    }
    return n;
  }
  /// Reports lost peers, each once.
  template <class Sink>
  void tell_losses(Sink& sink) noexcept {
    while (!connections_.lost().empty()) {
      link& l = *connections_.find(connections_.lost().front());
      connections_.lost().pop();
      if (std::exchange(l.loss_reported, true)) continue;
      if constexpr (LossSink<Sink>) sink.lost(l.peer);
    }
  }

  link* hot_ = nullptr;  // The open link that delivered the last packet.
  unsigned unlooked_ = 0;
  bool look_is_due_ = false;
  platform::atomic<std::uint32_t> armed_{0};
  detail::tcp_self_queue own_;
  detail::tcp_connections<Stream> connections_;
  std::vector<peer_id> nodes_;
  bool oversubscribed_;
};

}  // namespace mpx::inline v0::transport

#include "mpx/macros/end.hpp"
