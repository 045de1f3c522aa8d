// SPDX-License-Identifier: BSL-1.0
#pragma once
// The part of a device over byte streams that does not depend on their kind: a descriptor to write
// to and one to read from for each peer. Control messages and data share the stream of a pair.

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mpx/transport/channel/device.hpp"
#include "mpx/transport/detail/bell.hpp"

namespace mpx::inline v0::device::detail {

/// A descriptor that is owned, or none.
using owned_fd = transport::detail::bell;

class streams {
 public:
  /// Less than PIPE_BUF with its prefix: a pipe takes it whole or not at all, and so does a socket.
  static constexpr device::traits traits{.control_bytes_max = 2048, .packet_bytes_max = 32 * 1024};

  bool control_available() noexcept {
    for (bool has_asked = false;; ++next_) {
      if (next_ == found_) {
        if (has_asked) return false;
        has_asked = true;
        const int n =
            ::epoll_wait(watch_.fd(), events_.data(), static_cast<int>(events_.size()), 0);
        found_ = n > 0 ? static_cast<unsigned>(n) : 0;
        next_ = 0;
        if (found_ == 0) return false;
      }
      source_ = events_[next_].data.u32;
      if (ends_[source_].left != 0 || ends_[source_].in.fd() < 0) continue;  // Data comes next.
      const ssize_t n = ::read(ends_[source_].in.fd(), &prefix_, sizeof prefix_);
      if (n == 0) end(source_);
      if (n <= 0) continue;
      if (n != sizeof prefix_) prefix_ = {};  // Not from a device like this one.
      ++next_;                                // The next one that is served is another one.
      return true;
    }
  }
  arrival receive_any_control(std::span<std::byte> into) noexcept {
    if (prefix_.control_bytes > into.size()) prefix_ = {};
    const ssize_t n = ::read(ends_[source_].in.fd(), into.data(), prefix_.control_bytes);
    if (n < 0 || static_cast<std::size_t>(n) != prefix_.control_bytes) return {source_, 0};
    ends_[source_].left = prefix_.channel_bytes;
    return {source_, prefix_.control_bytes};
  }
  bool send_control(peer_id peer, std::span<const std::byte> control,
                    std::size_t channel_bytes) noexcept {
    prefix p{static_cast<std::uint32_t>(control.size()), static_cast<std::uint32_t>(channel_bytes)};
    std::array<iovec, 2> parts{
        {{&p, sizeof p}, {const_cast<std::byte*>(control.data()), control.size()}}};
    return write(peer, parts) != 0;
  }
  std::size_t send_channel(peer_id peer, std::span<const std::byte> data) noexcept {
    std::array<iovec, 1> part{{{const_cast<std::byte*>(data.data()), data.size()}}};
    return write(peer, part);
  }
  std::size_t receive_channel(peer_id peer, std::span<std::byte> into) noexcept {
    stream& s = ends_[peer];
    const ssize_t n = s.in.fd() < 0 ? -1 : ::read(s.in.fd(), into.data(), into.size());
    if (n == 0) end(peer);
    if (n <= 0) return 0;
    s.left -= static_cast<std::uint32_t>(n) < s.left ? static_cast<std::uint32_t>(n) : s.left;
    return static_cast<std::size_t>(n);
  }

  /// See PollableDevice.
  int descriptor() noexcept { return watch_.fd(); }
  /// See LossDevice.
  std::optional<peer_id> take_lost() noexcept {
    if (lost_.empty()) return {};
    const peer_id peer = lost_.back();
    lost_.pop_back();
    return peer;
  }
  void drop(peer_id peer) noexcept {
    ends_[peer].in = owned_fd();  // Closing it takes it off `watch_`.
    std::erase(lost_, peer);
  }

 protected:
  streams(std::size_t peers, bool are_sockets)
      : ends_(peers), watch_(::epoll_create1(EPOLL_CLOEXEC)), are_sockets_(are_sockets) {
    lost_.reserve(peers);
  }
  /// Sets the descriptors of a peer, which do not block. Returns false if the kernel refuses.
  bool connect(peer_id peer, owned_fd in, owned_fd out) noexcept {
    epoll_event e{};
    e.events = EPOLLIN;
    e.data.u32 = peer;
    if (watch_.fd() < 0 || ::epoll_ctl(watch_.fd(), EPOLL_CTL_ADD, in.fd(), &e) != 0) return false;
    ends_[peer].in = static_cast<owned_fd&&>(in);
    ends_[peer].out = static_cast<owned_fd&&>(out);
    return true;
  }

  bool is_open(peer_id peer) const noexcept { return ends_[peer].in.fd() >= 0; }
  int in_of(peer_id peer) const noexcept { return ends_[peer].in.fd(); }

 private:
  struct prefix {
    std::uint32_t control_bytes = 0;
    std::uint32_t channel_bytes = 0;
  };
  struct stream {
    owned_fd in;
    owned_fd out;            // None: `in` is for both.
    std::uint32_t left = 0;  // Data that comes before the next control message.
  };

  /// Returns the number of bytes that were taken. A peer that is gone takes all.
  template <std::size_t Parts>
  std::size_t write(peer_id peer, std::array<iovec, Parts>& parts) noexcept {
    const stream& s = ends_[peer];
    const int fd = s.out.fd() >= 0 ? s.out.fd() : s.in.fd();
    ssize_t n = -1;
    if (fd < 0) {
      errno = EPIPE;
    } else if (are_sockets_) {
      msghdr message{};
      message.msg_iov = parts.data();
      message.msg_iovlen = Parts;
      n = ::sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    } else {
      n = ::writev(fd, parts.data(), Parts);
    }
    if (n >= 0) return static_cast<std::size_t>(n);
    return errno == EAGAIN || errno == EINTR ? 0 : parts[Parts - 1].iov_len;
  }
  void end(peer_id peer) noexcept {
    ends_[peer].in = owned_fd();
    lost_.push_back(peer);
  }

  std::vector<stream> ends_;
  owned_fd watch_;
  std::vector<peer_id> lost_;
  std::array<epoll_event, 64> events_;
  unsigned next_ = 0;
  unsigned found_ = 0;
  peer_id source_ = 0;
  prefix prefix_;
  bool are_sockets_;
};

}  // namespace mpx::inline v0::device::detail
