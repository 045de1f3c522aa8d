// SPDX-License-Identifier: BSL-1.0
#pragma once
// The sending side of transport channel: packets to peers, and long data by gets, puts and pulls.
// One payload at a time goes to each peer; the device is never waited for.

#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/transport/channel/control.hpp"
#include "mpx/transport/channel/device.hpp"
#include "mpx/transport/channel/link.hpp"
#include "mpx/transport/channel/memory_copies.hpp"
#include "mpx/transport/channel/pulls.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/transport/detail/queue.hpp"

namespace mpx::inline v0::transport::detail {

/// Owns the device, the links, and all that goes to peers. Base of channel_traffic, which receives.
template <class Device, std::size_t PayloadBytesMax>
class channel_sends {
 protected:
  static constexpr device::traits device_traits = Device::traits;
  static constexpr std::size_t control_bytes_max = device_traits.control_bytes_max;
  static_assert(control_bytes_max >= 64, "a control message has at least 64 bytes");
  static_assert(device_traits.buffered_packets != 1,
                "a device that states its buffering has room for two packets of each pair");
  static constexpr std::uint32_t buffered = device_traits.buffered_packets;
  static constexpr bool counts_packets = buffered != 0;
  static constexpr std::size_t room_in_control = control_bytes_max - sizeof(control_header);
  static constexpr std::size_t payload_max =
      PayloadBytesMax < room_in_control ? PayloadBytesMax : room_in_control;

 public:
  /// True if long data is pulled by its receiver: see FetchTransport.
  static constexpr bool pulls = NonblockingDevice<Device> && !GetDevice<Device> &&
                                !counts_packets && device_traits.packet_bytes_max >= payload_max;
  static constexpr std::size_t inline_bytes_max = payload_max < 40 ? payload_max : 40;
  static constexpr std::size_t packet_bytes_max =
      device_traits.packet_bytes_max < payload_max ? payload_max : device_traits.packet_bytes_max;
  static constexpr std::uint64_t layout =
      (std::uint64_t{control_bytes_max} << 32 ^ device_traits.packet_bytes_max) * 31 + buffered;

  /// Errors:     errc::no_resources, and those of the device.
  template <class B>
  explicit channel_sends(B& b)
      : device_(b),
        self_(world_peer(b.rank())),
        peers_(world_peer(b.size())),
        links_(static_cast<std::size_t>(b.size())) {
    const std::size_t n = links_.size();
    if (!sending_.reserve(n) || !owing_.reserve(n) || !asking_.reserve(n))
      mpx::detail::throw_out_of_memory();
  }
  channel_sends(channel_sends&&) = delete;
  ~channel_sends() {
    for (std::size_t p = 0; p < links_.size(); ++p)
      if (links_[p] != nullptr) end_send(*links_[p]);
  }

  peer_id self() const noexcept { return self_; }
  peer_id peers() const noexcept { return peers_; }
  Device& device() noexcept { return device_; }
  const Device& device() const noexcept { return device_; }

  /// True if a post that was told `retry` may succeed now.
  bool has_room() const noexcept { return has_room_; }
  /// True if a send, get or put waits for the device.
  bool is_blocked() const noexcept {
    return starved_ != 0 || !sending_.empty() || !owing_.empty() || !asking_.empty() ||
           transfers_.size() != 0 || pulls_.waiting() != 0;
  }

  /// Continues payloads that are being sent, and gets and puts.
  void progress() noexcept {
    for (std::size_t left = sending_.size(); left != 0; --left) {
      link& l = *links_[sending_.front()];
      sending_.pop();
      if (l.out.is_active && !advance(l)) sending_.push(l.peer);
    }
    if constexpr (GetDevice<Device>) transfers_.advance_all(device_, completer());
    if constexpr (pulls) {
      answer_all();
      ask_all();
    }
  }

  /// See StreamTransport.
  void relocate(cookie_t cookie, std::span<const std::byte> from, const std::byte* to) noexcept {
    for (std::size_t i = 0; i < sending_.size(); ++i) {
      channel_sending& out = links_[sending_[i]]->out;
      if (!out.is_active || out.key != 0 || out.cookie != cookie || out.own.data() != nullptr)
        continue;
      if (out.data < from.data() || out.data + out.left > from.data() + from.size()) continue;
      out.data = to + (out.data - from.data());
    }
  }
  /// See FetchTransport.
  remote_memory expose(peer_id peer, std::span<const std::byte> memory) noexcept requires pulls
  {
    return {0, exposures_.add(peer, memory)};
  }
  outcome withdraw(peer_id peer, const remote_memory& memory) noexcept requires pulls
  {
    link* const l = links_[peer];
    if (l != nullptr && l->out.is_active && l->out.key == memory.key && !advance(*l))
      return outcome::retry;
    exposures_.remove(peer, memory.key);
    return outcome::done;
  }
  outcome pull(peer_id peer, const remote_memory& memory, std::uint64_t offset,
               std::span<std::byte> into, cookie_t cookie) noexcept requires pulls
  {
    link* const l = link_of(peer);
    if (l == nullptr) return outcome::retry;
    if (l->is_closed || l->is_lost || into.size() > device_traits.packet_bytes_max)
      return outcome::refused;
    if (into.empty()) return outcome::done;
    if (peer == self_) {
      const auto from = exposures_.at(self_, memory.key, offset, into.size());
      if (from.empty()) return outcome::refused;
      std::memmove(into.data(), from.data(), into.size());
      return outcome::done;
    }
    if (!completions_.reserve(sending_.size() + pulls_.size() + 1) ||
        !pulls_.add({peer, into.data(), into.size(), {memory.key, offset}, cookie, false}))
      return outcome::retry;
    ask_all();
    return outcome::pending;
  }

  /// See RmaTransport.
  outcome get(peer_id peer, const remote_memory& memory, std::uint64_t offset,
              std::span<std::byte> into, cookie_t cookie) noexcept requires GetDevice<Device>
  {
    if (!completions_.reserve(transfers_.size() + sending_.size() + 1)) return outcome::retry;
    return transfers_.begin(device_, peer, memory, offset, into.data(), nullptr, into.size(),
                            cookie);
  }
  outcome put(peer_id peer, const remote_memory& memory, std::uint64_t offset,
              std::span<const std::byte> from, cookie_t cookie) noexcept requires GetDevice<Device>
  {
    static constexpr std::byte none{};  // A put of no bytes is no get.
    if (!completions_.reserve(transfers_.size() + sending_.size() + 1)) return outcome::retry;
    return transfers_.begin(device_, peer, memory, offset, nullptr,
                            from.empty() ? &none : from.data(), from.size(), cookie);
  }

 protected:
  using slot = channel_slot<control_bytes_max>;
  using link = channel_link<slot>;
  static constexpr std::int64_t abandon_ns_max = 1'000'000'000;

  struct completion {
    cookie_t cookie;
    bool ok;
  };

  link* link_of(peer_id peer) noexcept {
    if (links_[peer] == nullptr) links_.put(peer, new (std::nothrow) link(peer));
    return links_[peer];
  }
  /// Largest payload within a control message.
  std::size_t payload_limit() const noexcept {
    if constexpr (PayloadDevice<Device>) {
      const std::size_t n = device_.payload_bytes();
      return n < payload_max ? n : payload_max;
    }
    return payload_max;
  }
  /// There is room for it: see `send` and `get`.
  auto completer() noexcept {
    return [this](cookie_t cookie, bool ok) { completions_.push({cookie, ok}); };
  }

  // --- Sending -----------------------------------------------------------------------------------

  outcome send(link& l, const frame_header& header, std::span<const std::byte> payload,
               cookie_t cookie) noexcept {
    if (l.is_closed || l.is_lost) return outcome::refused;
    if (l.out.is_active && !advance(l)) return outcome::retry;
    if constexpr (pulls)  // Posts keep no pull of the peer waiting.
      if (l.asks.bytes != 0 && !answer(l)) return outcome::retry;
    if constexpr (counts_packets)
      if (!l.counts.has_room(buffered)) return outcome::retry;
    const bool is_inside = payload.size() <= payload_limit();
    channel_memory copy;
    if (!is_inside) {
      if (!completions_.reserve(sending_.size() + transfers_.size() + pulls_.size() + 1))
        return outcome::retry;
      if constexpr (NonblockingDevice<Device>) {
        copy = channel_memory(payload.size());
        if (copy.data() == nullptr) return outcome::retry;
      }
    }
    if (!send_control(l, is_inside, header, payload)) return outcome::retry;
    if constexpr (counts_packets) l.counts.sent();
    if (is_inside) return outcome::done;
    return send_on_channel(l, payload, cookie, std::move(copy));
  }
  /// A post to the peer was told `retry`; `feed`: it has succeeded, or may succeed now.
  void starve(link& l) noexcept {
    if (!std::exchange(l.is_starved, true)) ++starved_;
  }
  bool feed(link& l) noexcept {
    if (std::exchange(l.is_starved, false)) --starved_;
    is_tried_ = false;
    return true;
  }
  bool send_control(link& l, bool is_inside, const frame_header& header,
                    std::span<const std::byte> payload) noexcept {
    control_header h{is_inside ? control_kind::with_payload : control_kind::on_channel,
                     static_cast<std::uint32_t>(payload.size()), 0, 0, header};
    if constexpr (counts_packets) l.counts.write(h);
    std::byte control[control_bytes_max];
    std::memcpy(control, &h, sizeof h);
    std::size_t bytes = sizeof h;
    if (is_inside && !payload.empty()) {
      std::memcpy(control + bytes, payload.data(), payload.size());
      bytes += payload.size();
    }
    if (!device_.send_control(l.peer, std::span<const std::byte>(control, bytes),
                              is_inside ? 0 : payload.size()))
      return false;
    if constexpr (counts_packets) l.counts.told();
    feed(l);
    return true;
  }
  outcome send_on_channel(link& l, std::span<const std::byte> payload, cookie_t cookie,
                          channel_memory copy) noexcept {
    l.out.data = payload.data();
    l.out.left = payload.size();
    l.out.cookie = cookie;
    if constexpr (NonblockingDevice<Device>) {
      std::memcpy(copy.data(), payload.data(), payload.size());
      l.out.data = copy.data();
      l.out.own = std::move(copy);
    }
    l.out.is_active = true;
    if (push_payload(l)) {
      l.out.is_active = false;
      return outcome::done;
    }
    sending_.push(l.peer);
    return outcome::pending;
  }
  /// Continues the payload that is being sent. Returns true if it is complete.
  bool advance(link& l) noexcept {
    if (!push_payload(l)) return false;
    l.out.is_active = false;
    remove(sending_, l.peer);
    if (l.out.key == 0) completions_.push({l.out.cookie, true});
    l.out.key = 0;
    if (l.is_starved) has_room_ = true;
    return true;
  }
  /// Gives the device what it takes. Returns true if it has all.
  bool push_payload(link& l) noexcept {
    channel_sending& out = l.out;
    if constexpr (NonblockingDevice<Device>) {
      if (out.operation < 0) out.operation = device_.start_send(l.peer, {out.data, out.left});
      if (out.operation < 0 || !device_.test(out.operation)) return false;
      out.operation = -1;
      out.own = channel_memory();
    } else {
      while (out.left != 0) {
        const std::size_t n = device_.send_channel(l.peer, {out.data, out.left});
        if (n == 0) return false;
        out.data += n;
        out.left -= n;
      }
    }
    return true;
  }
  static void remove(flat_queue<peer_id>& queue, peer_id peer) noexcept {
    for (std::size_t left = queue.size(); left != 0; --left) {
      const peer_id p = queue.front();
      queue.pop();
      if (p != peer) queue.push(p);
    }
  }

  // --- Pulls -------------------------------------------------------------------------------------

  /// Sends the memory that the peer has asked for. Returns true if nothing of the peer is left to
  /// be sent.
  bool answer(link& l) noexcept {
    const auto from = exposures_.at(l.peer, l.asks.of.key, l.asks.of.offset, l.asks.bytes);
    const control_header h{control_kind::pulled, static_cast<std::uint32_t>(from.size()), 0, 0, {}};
    if (!device_.send_control(l.peer, std::as_bytes(std::span(&h, 1)), from.size())) return false;
    l.asks.bytes = 0;
    remove(asking_, l.peer);
    if (from.empty()) return true;
    l.out.data = from.data();
    l.out.left = from.size();
    l.out.key = l.asks.of.key;
    l.out.is_active = true;
    sending_.push(l.peer);
    return advance(l);
  }
  void answer_all() noexcept {
    for (std::size_t left = asking_.size(); left != 0; --left) {
      link& l = *links_[asking_.front()];
      asking_.pop();
      asking_.push(l.peer);
      if (!l.out.is_active) answer(l);
    }
  }
  void ask_all() noexcept {
    if (pulls_.waiting() == 0) return;
    pulls_.ask_all([this](const channel_pull& p) {
      const link& l = *links_[p.peer];
      const control_header h{control_kind::pull, static_cast<std::uint32_t>(p.bytes), 0, 0,
                             p.of.to_header()};
      return !l.out.is_active && device_.send_control(p.peer, std::as_bytes(std::span(&h, 1)), 0);
    });
  }
  /// Takes a message that asks for memory or answers that. Returns false if it is impossible.
  bool accept_pull(link& l, const control_header& h) noexcept {
    if (h.kind == control_kind::pull) {
      if (l.asks.bytes != 0 || l.peer == self_) return false;
      l.asks = {pull_request::of(h.header), h.bytes};
      asking_.push(l.peer);
      if (!l.out.is_active) answer(l);
      return true;
    }
    const channel_pull* const p = pulls_.asked(l.peer);
    if (p == nullptr || l.is_coming || (h.bytes != 0 && h.bytes != p->bytes)) return false;
    l.is_coming = h.bytes != 0;
    if (!l.is_coming) end_pull(l, false);
    return true;
  }
  void end_pull(link& l, bool ok) noexcept {
    l.is_coming = false;
    completions_.push({pulls_.end(l.peer), ok});
    ask_all();
  }

  // --- Counts of packets -------------------------------------------------------------------------

  /// The device has room again for a packet of the peer.
  void count_received(link& l) noexcept {
    if constexpr (counts_packets) {
      l.counts.received();
      if (l.counts.owes(buffered) && !std::exchange(l.owes_counts, true)) owing_.push(l.peer);
    }
  }
  /// Tells peers that would starve how much has been received.
  void tell_counts() noexcept {
    for (std::size_t left = owing_.size(); left != 0; --left) {
      link& l = *links_[owing_.front()];
      owing_.pop();
      l.owes_counts = false;
      if (l.is_closed || !l.counts.owes(buffered)) continue;
      control_header h{control_kind::counts, 0, 0, 0, {}};
      l.counts.write(h);
      if (!l.counts.may_send_counts() || l.out.is_active ||
          !device_.send_control(l.peer, std::as_bytes(std::span(&h, 1)), 0)) {
        l.owes_counts = true;
        owing_.push(l.peer);
        continue;
      }
      l.counts.counts_sent();
      l.counts.told();
    }
  }

  // --- Ends --------------------------------------------------------------------------------------

  /// Nothing more is sent to the peer.
  void close_sends(link& l) noexcept {
    feed(l);
    if constexpr (pulls) {
      pulls_.drop(l.peer, [this](cookie_t c) { completions_.push({c, false}); });
      l.asks.bytes = 0;
      remove(asking_, l.peer);
    }
    if (!l.out.is_active) return;
    l.out.is_active = false;
    remove(sending_, l.peer);
    if (l.out.key == 0) completions_.push({l.out.cookie, false});
    end_send(l);
  }
  void end_send(link& l) noexcept {
    if constexpr (NonblockingDevice<Device>) abandon(l.out);
    l.out = channel_sending();
  }
  /// Ends an operation that has begun. If it may never end, its memory stays with the device; for
  /// the memory of a program it waits.
  template <class Body>
  void abandon(Body& b) noexcept {
    if (b.operation < 0 || device_.abandon(b.operation)) return;
    if (b.own.data() != nullptr) return b.own.leak();
    const std::int64_t until_ns = platform::now_ns() + abandon_ns_max;
    while (!device_.abandon(b.operation) && platform::now_ns() < until_ns) ::sched_yield();
  }

  template <class Sink>
  std::size_t complete(Sink& sink) noexcept {
    std::size_t n = 0;
    for (std::size_t left = completions_.size(); left != 0; --left, ++n) {
      const completion c = completions_.front();
      completions_.pop();
      sink.complete(c.cookie, c.ok);
    }
    return n;
  }

  Device device_;
  peer_id self_;
  peer_id peers_;
  owning_table<link> links_;
  flat_queue<peer_id> sending_;  // Peers to which a payload is incomplete.
  flat_queue<peer_id> owing_;    // Peers that would starve.
  flat_queue<peer_id> asking_;   // Peers that ask for memory.
  flat_queue<completion> completions_;
  channel_transfers transfers_;
  channel_pulls pulls_;
  channel_exposures exposures_;
  std::uint32_t starved_ = 0;  // Peers to which a post was told `retry`.
  bool has_room_ = false;      // A post that was told `retry` may succeed now.
  bool is_tried_ = false;      // `arm` has refused for the sake of a post that was told `retry`.
};

}  // namespace mpx::inline v0::transport::detail
