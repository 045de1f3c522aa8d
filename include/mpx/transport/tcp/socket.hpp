// SPDX-License-Identifier: BSL-1.0
#pragma once
// Owning file descriptors, sockets that listen and connect, and the epoll set of a rank.

#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "mpx/core/error.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/transport/tcp/interface.hpp"

namespace mpx::inline v0::transport::detail {

/// An owning file descriptor. Move-only. -1: none.
class tcp_descriptor {
 public:
  tcp_descriptor() = default;
  explicit tcp_descriptor(int fd) noexcept : fd_(fd) {}
  tcp_descriptor(tcp_descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  tcp_descriptor& operator=(tcp_descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~tcp_descriptor() { close(); }
  int fd() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  void close() noexcept {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

/// Disables Nagle's algorithm.
inline void send_tcp_at_once(int fd) noexcept {
  const int yes = 1;
  static_cast<void>(::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes));
}
/// Sets the options of an accepted connection: small packets leave at once, and a host that is gone
/// is noticed within 10 s although nothing is sent.
inline void prepare_tcp_socket(int fd) noexcept {
  const auto set = [fd](int level, int name, int value) {
    static_cast<void>(::setsockopt(fd, level, name, &value, sizeof value));
  };
  send_tcp_at_once(fd);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 5);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 1);
  set(IPPROTO_TCP, TCP_KEEPCNT, 5);
}

/// True if a call has failed because this process or the machine may have no more descriptors.
inline bool is_out_of_descriptors(int why) noexcept { return why == EMFILE || why == ENFILE; }
/// Reports that on stderr, once per process: the error of the peer that is lost for it does not
/// name the cause.
[[gnu::noinline, gnu::cold]] inline void tell_of_no_descriptors(int why) noexcept {
  static platform::atomic<bool> told{false};
  if (told.exchange(true)) return;
  std::fprintf(stderr,
               "mpx: transport tcp has no file descriptor left for a connection (%s), of which "
               "each peer takes one: raise `ulimit -n`\n",
               std::strerror(why));
}

/// Makes a socket for the family of `e`. `kernel_bytes`: size of each of the kernel's two buffers;
/// 0: the kernel's choice. Returns an empty descriptor, with errno, on failure.
inline tcp_descriptor make_tcp_socket(const tcp_endpoint& e, int kernel_bytes) noexcept {
  tcp_descriptor s(
      ::socket(e.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
  if (s && kernel_bytes != 0)
    for (const int which : {SO_SNDBUF, SO_RCVBUF})
      static_cast<void>(
          ::setsockopt(s.fd(), SOL_SOCKET, which, &kernel_bytes, sizeof kernel_bytes));
  return s;
}

/// The address of the other end; the unspecified address if there is none.
inline ip::address tcp_peer_of(int fd) noexcept {
  tcp_endpoint there;
  socklen_t bytes = sizeof there.v6;
  return ::getpeername(fd, &there.any, &bytes) == 0 ? there.address() : ip::address();
}
/// True if both ends are on this host.
inline bool is_tcp_within_host(int fd) noexcept {
  tcp_endpoint here;
  tcp_endpoint there;
  socklen_t bytes_here = sizeof here.v6;
  socklen_t bytes_there = sizeof there.v6;
  return ::getsockname(fd, &here.any, &bytes_here) == 0 &&
         ::getpeername(fd, &there.any, &bytes_there) == 0 &&
         (here.address() == there.address() || there.address().is_loopback());
}
/// Size of the send buffer if both ends are on one host. The kernel would let it grow to megabytes,
/// as for a path with a long round trip; data that waits for longer than its reader's next poll has
/// left the caches. (The kernel doubles the value and counts its own overhead.) Between hosts the
/// kernel's choice is better.
inline constexpr int tcp_within_host_bytes = 256 * 1024;
inline void bound_tcp_within_host(int fd) noexcept {
  static_cast<void>(::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &tcp_within_host_bytes,
                                 sizeof tcp_within_host_bytes));
}

/// Bytes of payload in two packets of the largest size that the kernel builds from segments of this
/// size.
constexpr std::size_t tcp_packets_bytes_of(std::size_t segment) noexcept {
  constexpr std::size_t packet_bytes_max = 65'535 - 320;  // Less room for headers.
  return 2 * (segment < packet_bytes_max ? packet_bytes_max / segment * segment : segment);
}
/// The best size of one write to a connection between hosts; 0: unknown. The kernel builds large
/// packets of a write, which the card cuts into segments, and a further packet of the remainder. A
/// write of two whole packets leaves no remainder and does not delay acknowledgements, as a longer
/// write does. 1 MiB between two network namespaces takes a third of the time of one write.
inline std::size_t tcp_packets_bytes(int fd) noexcept {
  int segment = 0;
  socklen_t bytes = sizeof segment;
  if (::getsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &segment, &bytes) != 0 || segment <= 0) return 0;
  return tcp_packets_bytes_of(static_cast<std::size_t>(segment));
}

/// Listens at `at`, which is set to the address and port in use. Returns an empty descriptor, with
/// errno, on failure.
inline tcp_descriptor listen_tcp_at(tcp_endpoint& at, int kernel_bytes) noexcept {
  tcp_descriptor s = make_tcp_socket(at, kernel_bytes);
  const int yes = 1;  // An earlier user's connection may be in TIME_WAIT.
  const int no = 0;   // An IPv6 wildcard address takes IPv4 connections, too.
  if (s) ::setsockopt(s.fd(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (s && at.any.sa_family == AF_INET6)
    ::setsockopt(s.fd(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  socklen_t bytes = sizeof at.v6;
  if (s && ::bind(s.fd(), &at.any, at.bytes) == 0 && ::listen(s.fd(), SOMAXCONN) == 0 &&
      ::getsockname(s.fd(), &at.any, &bytes) == 0)
    return s;
  const int why = errno;
  s.close();
  errno = why;
  return {};
}
/// If two sockets bind one port at once, the kernel may let neither listen: both try this many
/// rounds.
inline constexpr int tcp_port_rounds = 4;

/// Listens on the first free port of the range. `at` is set to the address and port in use.
inline tcp_descriptor listen_tcp(const ip::address& on, tcp_port_range ports, tcp_endpoint& at,
                                 int kernel_bytes = 0) {
  int why = EADDRINUSE;
  unsigned port = ports.first;
  for (int round = 0; why == EADDRINUSE && round < tcp_port_rounds; ++round)
    for (port = ports.first; port <= ports.last; ++port) {
      at = tcp_endpoint(on, static_cast<std::uint16_t>(port));
      if (tcp_descriptor s = listen_tcp_at(at, kernel_bytes)) return s;
      why = errno;
      if (why != EADDRINUSE) break;
    }
  if (why == EADDRINUSE && ports.first != 0)
    mpx::detail::throw_error(errc::argument,
                             "all ports of MPX_TCP_PORTS, %u to %u, are taken on %s",
                             unsigned{ports.first}, unsigned{ports.last}, on.to_string().c_str());
  mpx::detail::throw_error(
      why == EACCES || why == EADDRNOTAVAIL ? errc::argument : errc::no_resources,
      "transport tcp cannot listen on %s port %u: %s", on.to_string().c_str(),
      mpx::detail::lesser(port, unsigned{ports.last}), std::strerror(why));
}

/// Sets the time for which the kernel waits for acknowledgements before it breaks the connection;
/// 0: the system's default.
inline void set_tcp_patience(int fd, int ms) noexcept {
  static_cast<void>(::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof ms));
}
inline constexpr int tcp_connect_ms_max = 10'000;

/// Starts a connection to `to` from the address `from`, any port; from any address if `from` is
/// none. Returns an empty descriptor, with errno, if it has failed already. Keep-alive is off: see
/// tcp_knock.
inline tcp_descriptor connect_tcp(const tcp_endpoint& from, const tcp_endpoint& to,
                                  int kernel_bytes) noexcept {
  tcp_descriptor s = make_tcp_socket(to, kernel_bytes);
  if (!s) {
    if (is_out_of_descriptors(errno)) tell_of_no_descriptors(errno);
    return s;
  }
  send_tcp_at_once(s.fd());
  set_tcp_patience(s.fd(), tcp_connect_ms_max);
  const int one = 1;
  static_cast<void>(::setsockopt(s.fd(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one));
  if (from.any.sa_family == to.any.sa_family) {
    const tcp_endpoint any_port(from.address(), 0);
    static_cast<void>(::bind(s.fd(), &any_port.any, any_port.bytes));
  }
  if (::connect(s.fd(), &to.any, to.bytes) != 0 && errno != EINPROGRESS && errno != EINTR) {
    const int why = errno;
    s.close();
    errno = why;
  }
  return s;
}

/// The epoll set of a rank: all events that it waits for, behind one descriptor.
class tcp_watch {
 public:
  enum class kind : std::uint32_t { link, newcomer, listener, wake, timer };
  struct event {
    kind what;
    std::uint32_t which;
  };
  static constexpr int events_max = 64;

  /// Errors: errc::no_resources.
  tcp_watch()
      : epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
        timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {
    if (!epoll_ || !wake_ || !timer_ || !add(wake_.fd(), {kind::wake, 0}) ||
        !add(timer_.fd(), {kind::timer, 0}))
      throw error(errc::no_resources, "no descriptors for transport tcp: raise `ulimit -n`");
  }

  int fd() const noexcept { return epoll_.fd(); }
  /// Watches `fd` for input, and for room to write if `writable`.
  bool add(int fd, event e, bool writable = false) noexcept {
    return control(EPOLL_CTL_ADD, fd, e, writable);
  }
  bool change(int fd, event e, bool writable) noexcept {
    return control(EPOLL_CTL_MOD, fd, e, writable);
  }
  /// Watches `fd` for input only if `readable`.
  bool change(int fd, event e, bool writable, bool readable) noexcept {
    return control(EPOLL_CTL_MOD, fd, e, writable, readable);
  }
  void remove(int fd) noexcept { ::epoll_ctl(epoll_.fd(), EPOLL_CTL_DEL, fd, nullptr); }
  /// Stops watching a socket that is closed next, and shuts it down: a forked child may hold it
  /// open, and then closing it neither ends its events here nor tells the other end.
  void part(int fd) noexcept {
    if (fd < 0) return;
    remove(fd);
    ::shutdown(fd, SHUT_RDWR);
  }

  /// Calls `f(event, writable)` for each event, without waiting. Returns their number.
  template <class F>
  int look(F&& f) noexcept {
    epoll_event found[events_max];
    const int n = ::epoll_wait(epoll_.fd(), found, events_max, 0);
    for (int i = 0; i < n; ++i) {
      const std::uint64_t w = found[i].data.u64;
      f(event{static_cast<kind>(w >> 32), static_cast<std::uint32_t>(w)},
        (found[i].events & EPOLLOUT) != 0);
    }
    return n;
  }

  void wake() noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_.fd(), &one, sizeof one);
  }
  /// Clears the event of wake().
  void quiet_wake() noexcept { drain(wake_.fd()); }
  /// Makes the timer event occur at `at_ns` of the monotonic clock; 0: never.
  void set_timer(std::int64_t at_ns) noexcept {
    if (at_ns == timer_at_) return;
    timer_at_ = at_ns;
    drain(timer_.fd());
    itimerspec t{};
    t.it_value.tv_sec = static_cast<time_t>(at_ns / 1'000'000'000);
    t.it_value.tv_nsec = static_cast<long>(at_ns % 1'000'000'000);
    ::timerfd_settime(timer_.fd(), TFD_TIMER_ABSTIME, &t, nullptr);
  }
  /// Clears the timer's event.
  void quiet_timer() noexcept {
    timer_at_ = -1;
    drain(timer_.fd());
  }

 private:
  static void drain(int fd) noexcept {
    std::uint64_t n;
    [[maybe_unused]] const auto taken = ::read(fd, &n, sizeof n);
  }
  bool control(int how, int fd, event e, bool writable, bool readable = true) noexcept {
    epoll_event w{};
    w.events = (readable ? EPOLLIN : 0u) | (writable ? EPOLLOUT : 0u);
    w.data.u64 = std::uint64_t{static_cast<std::uint32_t>(e.what)} << 32 | e.which;
    return ::epoll_ctl(epoll_.fd(), how, fd, &w) == 0;
  }

  tcp_descriptor epoll_;
  tcp_descriptor wake_;
  tcp_descriptor timer_;
  std::int64_t timer_at_ = 0;
};

}  // namespace mpx::inline v0::transport::detail
