// SPDX-License-Identifier: BSL-1.0
#pragma once
// How long a peer may be out of reach before it counts as lost. The kernels ask each other: who
// computes for long need not answer, for his kernel does.

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
/// MPX_TCP_HEARTBEAT says otherwise.
template <unsigned Seconds>
struct tcp_heartbeat {
  static_assert(Seconds >= 3 && Seconds <= 86'400);
  static constexpr unsigned seconds = Seconds;
};

namespace detail {

/// How that time is divided: to notice, and to connect once more.
class tcp_patience {
 public:
  explicit constexpr tcp_patience(unsigned seconds = 10) noexcept : seconds_(seconds) {}

  /// What MPX_TCP_HEARTBEAT says, else `seconds`. Errors: errc::argument.
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
  /// Until a connection that is silent breaks.
  std::int64_t notice_ns() const noexcept { return seconds_ * std::int64_t{500'000'000}; }
  int notice_ms() const noexcept { return static_cast<int>(notice_ns() / 1'000'000); }
  /// From there until the peer is lost.
  std::int64_t reach_ns() const noexcept {
    return seconds_ * std::int64_t{1'000'000'000} - notice_ns() -
           apart_s() * std::int64_t{1'000'000'000};
  }
  /// The same, of a peer that was silent for so long when its connection ended.
  std::int64_t reach_ns(std::int64_t silent_ns) const noexcept {
    return reach_ns() + (silent_ns < notice_ns() ? notice_ns() - silent_ns : 0);
  }
  /// For one attempt to connect, until the other kernel has answered.
  std::int64_t attempt_ns() const noexcept { return reach_ns() / 3; }
  /// The same, with so much time left: the last attempt is short, but it is one.
  std::int64_t attempt_ns(std::int64_t left_ns) const noexcept {
    const std::int64_t most = attempt_ns();
    return left_ns > most ? most : left_ns < most / 4 ? most / 4 : left_ns;
  }

  /// Tells the kernel. Where nothing is under way it probes; what it has sent it repeats; and it
  /// breaks the connection when nothing of that is answered in time. (It does so as well where the
  /// other end has had no room for as long: the next connection waits for it.)
  void apply(int fd) const noexcept {
    const auto set = [fd](int level, int name, int value) {
      static_cast<void>(::setsockopt(fd, level, name, &value, sizeof value));
    };
    const int idle = static_cast<int>(seconds_ / 4 < 1 ? 1 : seconds_ / 4);
    const int apart = apart_s();
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, idle);
    set(IPPROTO_TCP, TCP_KEEPINTVL, apart);
    set(IPPROTO_TCP, TCP_KEEPCNT, (notice_ms() / 1000 - idle) / apart + 1);
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, notice_ms());
  }

 private:
  int apart_s() const noexcept { return static_cast<int>(seconds_ < 20 ? 1 : seconds_ / 10); }

  unsigned seconds_;
};

/// How far the kernel is with a connection: TCP_SYN_SENT: the other host has not answered;
/// TCP_ESTABLISHED: what remains is for its rank to say. 0: it is none.
inline std::uint8_t tcp_stage_of(int fd) noexcept {
  tcp_info info{};
  socklen_t bytes = sizeof info;
  return ::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &bytes) == 0 ? info.tcpi_state
                                                                     : std::uint8_t{0};
}
/// How long ago the other kernel was last heard of.
inline std::int64_t tcp_silent_ns(int fd) noexcept {
  tcp_info info{};
  socklen_t bytes = sizeof info;
  return ::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &bytes) == 0
             ? info.tcpi_last_ack_recv * std::int64_t{1'000'000}
             : 0;
}
/// Whether this kernel holds bytes of whose arrival it has not heard.
inline bool tcp_holds_bytes(int fd) noexcept {
  int bytes = 0;
  return ::ioctl(fd, SIOCOUTQ, &bytes) == 0 && bytes != 0;
}

}  // namespace detail
}  // namespace mpx::inline v0::transport
