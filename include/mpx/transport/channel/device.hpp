// SPDX-License-Identifier: BSL-1.0
#pragma once
// The device of transport channel: five functions that move control messages and data between
// ranks. Its refinements add what some interconnects can do besides.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "mpx/core/frame.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::device {

/// Compile-time properties of a device.
struct traits {
  /// Largest control message, in bytes; at least 64. It carries small packets whole.
  std::size_t control_bytes_max = 1024;
  /// Largest data on a channel that belongs to one control message, in bytes.
  std::size_t packet_bytes_max = 32 * 1024;
  /// 0: the device itself refuses what it has no room for, and no call blocks. Otherwise the
  /// packets (a control message, with the data that belongs to it) that the device buffers for each
  /// ordered pair of ranks, at least 2: with so many on their way no call blocks; with more a call
  /// may.
  std::uint32_t buffered_packets = 0;
  /// True if the device carries messages of a rank to itself. Otherwise the adapter does.
  bool sends_to_self = false;
};

/// The source and the length of a control message that was received.
struct arrival {
  peer_id source = 0;
  std::size_t bytes = 0;  ///< 0: the device cannot parse what the source has sent.
};

}  // namespace mpx::inline v0::device

namespace mpx::inline v0 {

/// The part of ChannelDevice that is about control messages.
template <class D>
concept ControlDevice =
    requires(D& d, peer_id peer, std::span<const std::byte> from, std::span<std::byte> into) {
      { D::name } -> std::convertible_to<std::string_view>;
      { D::traits } -> std::convertible_to<device::traits>;
      { d.control_available() } noexcept -> std::same_as<bool>;
      { d.receive_any_control(into) } noexcept -> std::same_as<device::arrival>;
      { d.send_control(peer, from, std::size_t{}) } noexcept -> std::same_as<bool>;
    };

/// A device that moves the data of a channel by operations that are started, and tested until they
/// are complete.
///
/// - `start_send(peer, data)`, `start_receive(peer, into)`: return the number of the operation, or
///   a negative one if none can be started now. The memory belongs to the device until the
///   operation is complete. Sends and receives of a pair meet in the order in which they were
///   started, and have equal lengths.
/// - `test(id)`: returns true if the operation is complete. Its number is free then.
/// - `abandon(id)`: the peer was dropped, or this rank leaves. Ends the operation if that is
///   possible. Returns true if the device does not touch the memory any more. Otherwise memory of
///   the adapter is never freed; if it is memory of the program, the adapter calls again, for up to
///   a second.
template <class D>
concept NonblockingDevice =
    ControlDevice<D> && requires(D& d, peer_id peer, std::int64_t id,
                                 std::span<const std::byte> from, std::span<std::byte> into) {
      { d.start_send(peer, from) } noexcept -> std::same_as<std::int64_t>;
      { d.start_receive(peer, into) } noexcept -> std::same_as<std::int64_t>;
      { d.test(id) } noexcept -> std::same_as<bool>;
      { d.abandon(id) } noexcept -> std::same_as<bool>;
    };

/// Moves control messages and data between the ranks of a job. Constructed from the rank's
/// bootstrap; the constructor is collective. Peer p is rank p of the bootstrap.
///
/// - `control_available()`: returns true if a control message can be received. It offers the
///   sources in turn, as far as the device can tell them apart.
/// - `receive_any_control(into)`: receives the next control message into memory of
///   traits.control_bytes_max bytes. Requires: the last call of control_available returned true.
/// - `send_control(peer, control, channel_bytes)`: sends a control message, whole or not at all.
///   Returns false if there is no room. `channel_bytes`: the data that the adapter sends on the
///   channel to that peer before its next control message to it.
/// - `send_channel(peer, data)`: sends data. Returns the number of bytes that were taken, from the
///   first on; 0 if there is no room.
/// - `receive_channel(peer, into)`: receives data. Returns the number of bytes received; 0 if there
///   are none yet. The adapter receives all the data that belongs to a control message before it
///   expects another control message of that source; `into` has room for all of the rest.
///
/// Control messages of a pair arrive in the order in which they were sent, and so does data. No
/// order is needed across pairs. A control message, once sent, arrives without any further call of
/// its sender. So does data that send_channel has taken.
///
/// No call waits for a peer. The one exception: if traits.buffered_packets is not 0, calls that
/// send may wait while more packets than that are on their way to a peer, and receive_channel may
/// wait for the data of a control message that has arrived. The adapter counts packets and never
/// gets there.
///
/// Messages to peers that are gone may be taken or refused; the call must not end the process.
///
/// Threads:    one thread at a time.
///
/// A NonblockingDevice has three other functions in place of send_channel and receive_channel.
template <class D>
concept ChannelDevice =
    ControlDevice<D> &&
    (NonblockingDevice<D> ||
     requires(D& d, peer_id peer, std::span<const std::byte> from, std::span<std::byte> into) {
       { d.send_channel(peer, from) } noexcept -> std::same_as<std::size_t>;
       { d.receive_channel(peer, into) } noexcept -> std::same_as<std::size_t>;
     });

/// A device whose calls may block: it states how much it buffers.
template <class D>
concept BlockingDevice = ChannelDevice<D> && (device::traits(D::traits).buffered_packets >= 2);

/// A device that chooses at run time how much data goes within a control message.
///
/// - `payload_bytes()`: the largest packet that is sent within a control message, in bytes. The
///   adapter's limit at compile time holds, too. Ranks need not agree.
template <class D>
concept PayloadDevice = ChannelDevice<D> && requires(const D& d) {
  { d.payload_bytes() } noexcept -> std::same_as<std::size_t>;
};

/// A device with a descriptor that becomes readable when control_available() may return true, or
/// data may have arrived that receive_channel can return. It may be readable without a reason. A
/// rank then sleeps until something arrives; over other devices it looks again after a short time.
template <class D>
concept PollableDevice = ChannelDevice<D> && requires(D& d) {
  { d.descriptor() } noexcept -> std::same_as<int>;
};

/// A device that knows the cores of its ranks. Over other devices the adapter compares the number
/// of all ranks with the cores on which this one may run.
///
/// - `oversubscribed()`: returns true if the ranks of this host outnumber their cores.
template <class D>
concept CoreCountingDevice = ChannelDevice<D> && requires(const D& c) {
  { c.oversubscribed() } noexcept -> std::same_as<bool>;
};

/// A device that waits by itself, and has a clock of its own.
///
/// - `arm()`, `sleep(timeout_ns)`, `disarm()`, `wake()`, `now_ns()`: as those of Transport. `sleep`
///   also ends when data has arrived, or a call that had no room may succeed.
template <class D>
concept WaitingDevice =
    CoreCountingDevice<D> && requires(D& d, const D& c, std::int64_t timeout_ns) {
      { d.arm() } noexcept -> std::same_as<bool>;
      { d.sleep(timeout_ns) } noexcept;
      { d.disarm() } noexcept;
      { d.wake() } noexcept;
      { c.now_ns() } noexcept -> std::same_as<std::int64_t>;
    };

/// A device that notices that a peer has gone.
///
/// - `take_lost()`: returns a peer whose connection has ended, or nothing. Each is returned once,
///   after everything that it had sent was received.
/// - `drop(peer)`: ignores the peer from now on. It is not returned by take_lost() afterwards.
template <class D>
concept LossDevice = ChannelDevice<D> && requires(D& d, peer_id peer) {
  { d.take_lost() } noexcept -> std::same_as<std::optional<peer_id>>;
  { d.drop(peer) } noexcept;
};

/// A device that reaches memory of a peer which the peer has set up.
///
/// - `expose(peer, memory)`: sets up memory for access by `peer`. Returns its description; its key
///   is 0 if that is not possible. At least 1024 pieces at a time must be possible, and there is a
///   limit.
/// - `withdraw(peer, memory)`: as that of RmaTransport.
/// - `reaches(memory)`: returns true if this may be a description of exposed memory.
/// - `get(peer, memory, offset, into)`: copies from a peer's memory. `put(peer, memory, offset,
///   from)` copies to it. They return the number of bytes copied, from the first on, which may be a
///   part; 0: none at present, call again; nothing: the memory cannot be reached, or no longer.
template <class D>
concept GetDevice =
    ChannelDevice<D> && requires(D& d, peer_id peer, const remote_memory& memory,
                                 std::span<const std::byte> from, std::span<std::byte> into) {
      { d.expose(peer, from) } noexcept -> std::same_as<remote_memory>;
      { d.withdraw(peer, memory) } noexcept -> std::same_as<outcome>;
      { d.reaches(memory) } noexcept -> std::same_as<bool>;
      {
        d.get(peer, memory, std::uint64_t{}, into)
      } noexcept -> std::same_as<std::optional<std::size_t>>;
      {
        d.put(peer, memory, std::uint64_t{}, from)
      } noexcept -> std::same_as<std::optional<std::size_t>>;
    };

}  // namespace mpx::inline v0
