// SPDX-License-Identifier: BSL-1.0
#pragma once
// The time for which a peer may be unreachable before it counts as lost. The kernels probe each
// other, so a rank that computes for long need not answer: its kernel does.

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mpx/core/error.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/transport/detail/declared.hpp"

namespace mpx::inline v0::transport {

/// Policy of transport tcp: a peer whose host does not answer for `Seconds` is lost.
/// MPX_TCP_HEARTBEAT overrides it.
template <unsigned Seconds>
struct tcp_heartbeat {
  static_assert(Seconds >= 3 && Seconds <= 86'400);
  static constexpr unsigned seconds = Seconds;
};

namespace detail {

/// The division of that time: half to notice a silent connection, the rest to make it again.
class tcp_patience {
 public:
  explicit constexpr tcp_patience(unsigned seconds = 10) noexcept : seconds_(seconds) {}

  /// The value of MPX_TCP_HEARTBEAT, else `seconds`. Errors: errc::argument.
  static tcp_patience from_environment(unsigned seconds) {
    const char* const told = std::getenv("MPX_TCP_HEARTBEAT");
    return tcp_patience(told == nullptr ? seconds : read(told));
  }
  static unsigned read(std::string_view text) {
    std::uint64_t seconds = 0;
    if (!mpx::detail::parse_number(text, 86'400, seconds) || seconds < 3)
      mpx::detail::throw_error(errc::argument,
                               "MPX_TCP_HEARTBEAT=%.*s is no number of seconds from 3 to 86400",
                               static_cast<int>(text.size()), text.data());
    return static_cast<unsigned>(seconds);
  }

  unsigned seconds() const noexcept { return seconds_; }
  /// Time after which a silent connection breaks.
  std::int64_t notice_ns() const noexcept { return seconds_ * std::int64_t{500'000'000}; }
  int notice_ms() const noexcept { return static_cast<int>(notice_ns() / 1'000'000); }
  /// Time from then until the peer is lost.
  std::int64_t reach_ns() const noexcept {
    return seconds_ * std::int64_t{1'000'000'000} - notice_ns() -
           probe_interval_s() * std::int64_t{1'000'000'000};
  }
  /// Time until the peer is lost if it was silent for `silent_ns` when its connection ended.
  std::int64_t reach_ns(std::int64_t silent_ns) const noexcept {
    return reach_ns() + (silent_ns < notice_ns() ? notice_ns() - silent_ns : 0);
  }
  /// Time limit of one attempt to connect, until the other kernel has answered.
  std::int64_t attempt_ns() const noexcept { return reach_ns() / 3; }
  /// Time limit of an attempt with `left_ns` left: the last attempt may be short, but gets a
  /// quarter of the usual time.
  std::int64_t attempt_ns(std::int64_t left_ns) const noexcept {
    const std::int64_t most = attempt_ns();
    return left_ns > most ? most : left_ns < most / 4 ? most / 4 : left_ns;
  }

  /// Sets the kernel's timers. The kernel probes an idle connection and retransmits what it has
  /// sent; it breaks the connection if neither is answered in time. (It also breaks it if the peer
  /// has had no room for as long: the next connection then waits for the peer.)
  void apply(int fd) const noexcept {
    const auto set = [fd](int level, int name, int value) {
      static_cast<void>(::setsockopt(fd, level, name, &value, sizeof value));
    };
    const int idle = static_cast<int>(seconds_ / 4 < 1 ? 1 : seconds_ / 4);
    const int interval = probe_interval_s();
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, idle);
    set(IPPROTO_TCP, TCP_KEEPINTVL, interval);
    set(IPPROTO_TCP, TCP_KEEPCNT, (notice_ms() / 1000 - idle) / interval + 1);
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, notice_ms());
  }

 private:
  int probe_interval_s() const noexcept {
    return static_cast<int>(seconds_ < 20 ? 1 : seconds_ / 10);
  }

  unsigned seconds_;
};

/// State of a connection in the kernel. TCP_SYN_SENT: the other host has not answered.
/// TCP_ESTABLISHED: the rest depends on the peer. 0: no connection.
inline std::uint8_t tcp_stage_of(int fd) noexcept {
  tcp_info info{};
  socklen_t bytes = sizeof info;
  return ::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &bytes) == 0 ? info.tcpi_state
                                                                     : std::uint8_t{0};
}
/// Time since the last acknowledgement of the other kernel.
inline std::int64_t tcp_silent_ns(int fd) noexcept {
  tcp_info info{};
  socklen_t bytes = sizeof info;
  return ::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &bytes) == 0
             ? info.tcpi_last_ack_recv * std::int64_t{1'000'000}
             : 0;
}
/// True if this kernel holds bytes that the other kernel has not acknowledged.
inline bool tcp_holds_bytes(int fd) noexcept {
  int bytes = 0;
  return ::ioctl(fd, SIOCOUTQ, &bytes) == 0 && bytes != 0;
}

}  // namespace detail
}  // namespace mpx::inline v0::transport
