// SPDX-License-Identifier: BSL-1.0
#pragma once
// A transport over a device of five functions (ChannelDevice). It adds to the device what a
// transport promises besides: fairness, posts that never block, long packets, waiting, failures.

#include "mpx/macros/begin.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/transport/channel/device.hpp"
#include "mpx/transport/channel/traffic.hpp"
#include "mpx/transport/channel/waits.hpp"
#include "mpx/transport/concepts.hpp"

namespace mpx::inline v0::transport {

namespace detail {

/// The bootstrap that a device prescribes, if it does.
template <class Device>
struct channel_bootstrap {};
template <class Device>
requires requires { typename Device::bootstrap_type; }
struct channel_bootstrap<Device> {
  using bootstrap_type = typename Device::bootstrap_type;
};

/// The sleep of a device that waits by itself.
struct channel_waits_in_device {
  explicit channel_waits_in_device(int) noexcept {}
  static void stay_alert() noexcept {}
};

}  // namespace detail

/// A transport over a channel device.
///
/// - A packet of up to `PayloadBytesMax` bytes goes within a control message, if the device has
///   room for it there, and the device allows it at run time (PayloadDevice). Other packets have
///   their payload on the channel; it is read from and written to the memory of the caller and the
///   receiver, or, by a NonblockingDevice, that of copies. Long messages go by gets and puts, if
///   the device has them (GetDevice); over a NonblockingDevice that states no buffering the
///   receiver asks the sender for them piece by piece, and no copy is made. The engine chooses for
///   each message.
/// - Limits: one payload on the channel at a time to each peer; 32 packets of a source that are
///   received and not handed over; 64 gets and puts under way, and one piece that a rank has asked
///   each peer for; 4096 pieces of exposed memory.
/// - Over a device that states its buffering (BlockingDevice), at most so many packets are on their
///   way to a peer.
/// - A device that notices no loss leaves that to the bootstrap.
///
/// Source:     Gropp and Lusk, Creating a New MPICH Device using the Channel Interface.
template <ChannelDevice Device, std::size_t PayloadBytesMax = static_cast<std::size_t>(-1)>
class channel : public defaults, public detail::channel_bootstrap<Device> {
  using traffic_type = detail::channel_traffic<Device, PayloadBytesMax>;
  static constexpr bool fetches = traffic_type::pulls || GetDevice<Device>;

 public:
  using policy_axis = transport_axis;
  using device_type = Device;
  static constexpr std::string_view name = Device::name;
  static constexpr transport_traits traits{.inline_bytes_max = traffic_type::inline_bytes_max,
                                           .packet_bytes_max = traffic_type::packet_bytes_max,
                                           .layout = traffic_type::layout};

  /// Joins the job of `b`. Collective over the ranks of `b`.
  /// Errors:     errc::no_resources, and those of the device.
  template <class B>
  requires(!std::same_as<std::remove_const_t<B>, channel>) && Bootstrap<B>
  explicit channel(B& b) : traffic_(b), waits_(descriptor_of(traffic_.device())) {}
  channel(channel&&) = delete;

  peer_id self() const noexcept { return traffic_.self(); }
  peer_id peers() const noexcept { return traffic_.peers(); }
  bool oversubscribed() const noexcept {
    if constexpr (CoreCountingDevice<Device>) return traffic_.device().oversubscribed();
    return oversubscribed_;
  }
  /// Returns the device. For tools and tests.
  Device& device() noexcept { return traffic_.device(); }

  outcome post(peer_id peer, const frame_header& header, std::span<const std::byte> payload,
               cookie_t cookie) noexcept {
    const outcome o = traffic_.post(peer, header, payload, cookie);
    // A thread that sleeps has more to wait for.
    if (is_armed() && (o != outcome::done || traffic_.has_arrivals())) wake();
    return o;
  }
  template <PacketSink Sink>
  std::size_t poll(Sink& sink) noexcept {
    const std::size_t n = traffic_.poll(sink);
    if (n != 0) waits_.stay_alert();
    if (traffic_.has_room() && is_armed()) wake();
    return n;
  }

  bool arm() noexcept {
    if (traffic_.look()) return false;
    if constexpr (WaitingDevice<Device>) {
      is_device_armed_.store(1);
      const bool asleep = device().arm();
      if (!asleep) is_device_armed_.store(0);
      return asleep;
    } else {
      waits_.arm(traffic_.is_blocked());
      return true;
    }
  }
  void sleep(std::int64_t timeout_ns) noexcept {
    if constexpr (WaitingDevice<Device>) {
      device().sleep(timeout_ns);
    } else {
      waits_.sleep(timeout_ns);
    }
  }
  void disarm() noexcept {
    if constexpr (WaitingDevice<Device>) {
      is_device_armed_.store(0);
      device().disarm();
    } else {
      waits_.disarm();
    }
  }
  void wake() noexcept {
    if constexpr (WaitingDevice<Device>) {
      device().wake();
    } else {
      waits_.wake();
    }
  }
  std::int64_t now_ns() const noexcept {
    if constexpr (WaitingDevice<Device>)
      return traffic_.device().now_ns();
    else
      return platform::now_ns();
  }
  /// Advances the virtual time of a simulated device.
  void compute(std::int64_t ns) noexcept requires requires(Device& d) { d.compute(ns); }
  {
    device().compute(ns);
  }
  /// See PollableTransport.
  int descriptor() noexcept requires(PollableDevice<Device> && !WaitingDevice<Device>)
  {
    return waits_.descriptor();
  }

  /// Continues payloads that are being sent, and gets and puts.
  void progress() noexcept { traffic_.progress(); }

  /// See StreamTransport.
  void cancel_place(peer_id source) noexcept { traffic_.cancel_place(source); }
  void relocate(cookie_t cookie, std::span<const std::byte> from, const std::byte* to) noexcept {
    traffic_.relocate(cookie, from, to);
  }
  /// See Transport.
  void drop_peer(peer_id peer) noexcept { traffic_.drop_peer(peer); }

  /// See FetchTransport, and, of a GetDevice, RmaTransport.
  remote_memory expose(peer_id peer, std::span<const std::byte> memory, bool = false) noexcept
      requires fetches
  {
    if constexpr (traffic_type::pulls)
      return traffic_.expose(peer, memory);
    else
      return device().expose(peer, memory);
  }
  outcome withdraw(peer_id peer, const remote_memory& memory) noexcept requires fetches
  {
    if constexpr (traffic_type::pulls)
      return traffic_.withdraw(peer, memory);
    else
      return device().withdraw(peer, memory);
  }
  cost_hint get_cost_hint(peer_id, [[maybe_unused]] const remote_memory& memory,
                          std::size_t) noexcept requires fetches
  {
    if constexpr (!traffic_type::pulls)
      if (!device().reaches(memory)) return cost_hint::never;
    return cost_hint::always;
  }
  outcome get(peer_id peer, const remote_memory& memory, std::uint64_t offset,
              std::span<std::byte> into, cookie_t cookie) noexcept requires fetches
  {
    outcome o = outcome::refused;
    if constexpr (traffic_type::pulls)
      o = traffic_.pull(peer, memory, offset, into, cookie);
    else
      o = traffic_.get(peer, memory, offset, into, cookie);
    if (o == outcome::pending && is_armed()) wake();
    return o;
  }
  outcome put(peer_id peer, const remote_memory& memory, std::uint64_t offset,
              std::span<const std::byte> from, cookie_t cookie) noexcept requires GetDevice<Device>
  {
    return traffic_.put(peer, memory, offset, from, cookie);
  }

 private:
  using waits_type = std::conditional_t<WaitingDevice<Device>, detail::channel_waits_in_device,
                                        detail::channel_waits>;

  static int descriptor_of(Device& d) noexcept {
    if constexpr (PollableDevice<Device>) return d.descriptor();
    return -1;
  }
  bool is_armed() const noexcept {
    if constexpr (WaitingDevice<Device>)
      return is_device_armed_.load() != 0;
    else
      return waits_.is_armed();
  }

  traffic_type traffic_;
  bool oversubscribed_ = world_rank(peers()) > platform::usable_cores();
  platform::atomic<std::uint32_t> is_device_armed_{0};
  [[no_unique_address]] waits_type waits_;
};

}  // namespace mpx::inline v0::transport

#include "mpx/macros/end.hpp"
