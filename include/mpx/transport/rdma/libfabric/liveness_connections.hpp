// SPDX-License-Identifier: BSL-1.0
#pragma once
// Detects the death of peers for nic::libfabric if the bootstrap does not report it. Providers do
// not help: the tcp provider tries for ever to reach a process that is gone, and does not report a
// broken connection.
//
// Each rank listens on a port that the kernel chooses, and never accepts. A rank that connects to a
// peer by the card also connects to that port and sends nothing. The kernels keep these connections
// ("liveness connections") alive while the ranks compute: if one breaks, a process has ended or a
// host does not answer.

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "mpx/core/error.hpp"
#include "mpx/core/types.hpp"
#include "mpx/transport/detail/interfaces.hpp"
#include "mpx/transport/rdma/libfabric/record.hpp"

namespace mpx::inline v0::nic::detail {

/// The liveness connections of one card.
class fabric_lifelines {
 public:
  /// The end of a lifeline.
  enum class fate : std::uint8_t {
    broken,      ///< It existed, or the peer's kernel reports that no process listens.
    unanswered,  ///< It was never established: there may be no route.
  };

  fabric_lifelines() = default;
  fabric_lifelines(const fabric_lifelines&) = delete;
  fabric_lifelines& operator=(const fabric_lifelines&) = delete;
  ~fabric_lifelines() {
    for (const int fd : {listener_, epoll_})
      if (fd >= 0) ::close(fd);
  }

  /// Listens on the card's address `own` if it is an internet address, else on the best reachable
  /// one of this host. If there is no port, the card has no liveness connections.
  /// Errors: errc::argument: MPX_FABRIC_WATCH has an invalid value.
  void listen(const std::byte* own, std::size_t own_bytes) {
    if (!wanted()) return;
    place at;
    if (!at.take(own, own_bytes) && !at.take_best_of_host()) return;
    at.set_port(0);
    listener_ = ::socket(at.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    socklen_t bytes = sizeof at.v6;
    const bool ok = listener_ >= 0 && epoll_ >= 0 && ::bind(listener_, &at.any, at.bytes()) == 0 &&
                    ::listen(listener_, SOMAXCONN) == 0 &&
                    ::getsockname(listener_, &at.any, &bytes) == 0;
    if (ok) {
      where_ = at;
    } else if (listener_ >= 0) {
      ::close(std::exchange(listener_, -1));
    }
  }
  /// The address of the listener, for the peers; "": none.
  std::string address() const {
    std::string s;
    if (listener_ >= 0) append_hex(s, where_.raw(), where_.bytes());
    return s;
  }
  /// Connects a lifeline to the published address of `peer`. Returns its descriptor, which is
  /// closed by end(); -1: there is none.
  int begin(peer_id peer, std::string_view there) noexcept {
    place to;
    std::byte raw[sizeof to.v6]{};
    if (listener_ < 0 || !to.take(raw, parse_hex(there, raw, sizeof raw))) return -1;
    const int fd = ::socket(to.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    const auto set = [fd](int level, int name, int value) {
      static_cast<void>(::setsockopt(fd, level, name, &value, sizeof value));
    };
    set(SOL_SOCKET, SO_KEEPALIVE, 1);  // A host that is gone sends nothing.
    set(IPPROTO_TCP, TCP_KEEPIDLE, 5);
    set(IPPROTO_TCP, TCP_KEEPINTVL, 1);
    set(IPPROTO_TCP, TCP_KEEPCNT, 5);
    set(IPPROTO_TCP, TCP_SYNCNT, 3);
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, 10'000);
    // A refusal is reported by `look`, too.
    const bool begun = ::connect(fd, &to.any, to.bytes()) == 0 || errno == EINPROGRESS ||
                       errno == EINTR || errno == ECONNREFUSED;
    epoll_event e = event_of(peer, false);
    if (!begun || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &e) != 0) {
      ::close(fd);
      return -1;
    }
    ++lines_;
    return fd;
  }
  /// True if there are liveness connections.
  bool any() const noexcept { return lines_ != 0; }
  /// Closes a lifeline.
  void end(int& fd) noexcept {
    if (fd < 0) return;
    ::close(std::exchange(fd, -1));
    --lines_;
  }
  /// Calls `f(peer, fate)` for each lifeline that has ended. `descriptor_of(peer)`: the result of
  /// `begin`.
  template <class DescriptorOf, class F>
  void look(DescriptorOf descriptor_of, F f) noexcept {
    epoll_event found[events_max];
    const int n = ::epoll_wait(epoll_, found, events_max, 0);
    for (int i = 0; i < n; ++i) {
      const auto peer = static_cast<peer_id>(found[i].data.u64);
      const bool stood = found[i].data.u64 >> 32 != 0;
      const int fd = descriptor_of(peer);
      if (fd < 0) continue;
      if (!stood && (found[i].events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) == 0) {
        epoll_event e = event_of(peer, true);
        static_cast<void>(::epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &e));
        continue;
      }
      int why = 0;
      socklen_t bytes = sizeof why;
      static_cast<void>(::getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &bytes));
      const bool silent = !stood && (why == ETIMEDOUT || why == EHOSTUNREACH ||
                                     why == ENETUNREACH || why == EACCES);
      f(peer, silent ? fate::unanswered : fate::broken);
    }
  }

 private:
  static constexpr int events_max = 16;

  /// An internet address and port.
  struct place {
    union {
      sockaddr any;
      sockaddr_in v4;
      sockaddr_in6 v6;
    };
    place() noexcept : v6{} {}
    socklen_t bytes() const noexcept { return any.sa_family == AF_INET ? sizeof v4 : sizeof v6; }
    const std::byte* raw() const noexcept { return reinterpret_cast<const std::byte*>(&v6); }
    void set_port(std::uint16_t port) noexcept {
      (any.sa_family == AF_INET ? v4.sin_port : v6.sin6_port) = htons(port);
    }
    /// Parses a sockaddr. Returns false if it is no internet address.
    bool take(const std::byte* from, std::size_t n) noexcept {
      if (n < sizeof any || n > sizeof v6) return false;
      std::memcpy(&v6, from, n);
      return (any.sa_family == AF_INET || any.sa_family == AF_INET6) && n == bytes();
    }
    using reach_type = transport::detail::address_reach;
    /// Takes the address of this host that others can reach best. Returns false if there is none.
    bool take_best_of_host() noexcept {
      int best = -1;
      static_cast<void>(transport::detail::for_each_address([&](const ifaddrs& i,
                                                                reach_type reach) {
        const bool is_v4 = i.ifa_addr->sa_family == AF_INET;
        if (!is_v4 && reach == reach_type::link_local) return;  // The peer's interface is unknown.
        const int worth = 2 * (static_cast<int>(reach_type::loopback) - static_cast<int>(reach)) +
                          (is_v4 ? 1 : 0);
        if (worth <= best) return;
        best = worth;
        std::memcpy(&v6, i.ifa_addr, is_v4 ? sizeof v4 : sizeof v6);
      }));
      return best >= 0;
    }
  };

  static bool wanted() {
    const char* const said = std::getenv("MPX_FABRIC_WATCH");
    const std::string_view word = said == nullptr ? "" : said;
    if (word != "" && word != "0" && word != "1")
      mpx::detail::throw_error(errc::argument, "MPX_FABRIC_WATCH is '%s': 0 or 1", said);
    return word != "0";
  }
  static epoll_event event_of(peer_id peer, bool stands) noexcept {
    epoll_event e{};
    e.events = stands ? EPOLLRDHUP : EPOLLOUT | EPOLLRDHUP;
    e.data.u64 = std::uint64_t{stands ? 1u : 0u} << 32 | peer;
    return e;
  }

  int listener_ = -1;
  int epoll_ = -1;
  place where_;
  std::uint32_t lines_ = 0;
};

}  // namespace mpx::inline v0::nic::detail
