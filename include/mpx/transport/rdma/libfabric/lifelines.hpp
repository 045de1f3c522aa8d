// SPDX-License-Identifier: BSL-1.0
#pragma once
// How nic::libfabric notices that a peer has died where the bootstrap does not tell. Providers are
// no help: the one over tcp tries for ever to reach a process that is gone, and is silent when a
// connection breaks.
//
// Each rank listens on a port of the kernel's, and takes no connection from its queue. Who
// connects with a peer by the card also connects to that port, and says nothing. The kernels keep
// these lines, whatever the ranks compute: a line that breaks is a process that has ended, or a
// host that does not answer.

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

/// The lines of one card.
class fabric_lifelines {
 public:
  /// What has become of a line.
  enum class fate : std::uint8_t {
    broken,      ///< It was there, or the peer's kernel says that nobody listens.
    unanswered,  ///< It never came about: there may be no way for it.
  };

  fabric_lifelines() = default;
  fabric_lifelines(const fabric_lifelines&) = delete;
  fabric_lifelines& operator=(const fabric_lifelines&) = delete;
  ~fabric_lifelines() {
    for (const int fd : {listener_, epoll_})
      if (fd >= 0) ::close(fd);
  }

  /// Listens, on the address `own` of the card if that is one of the internet, else on the one
  /// of this host of which others can expect most. Without a port it goes on without lines.
  /// Errors: errc::argument: what MPX_FABRIC_WATCH says is nothing.
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
  /// Where that is, for the peers; "": nowhere.
  std::string address() const {
    std::string s;
    if (listener_ >= 0) append_hex(s, where_.raw(), where_.bytes());
    return s;
  }
  /// A line to where `peer` has said that it listens. Returns its descriptor, which the caller
  /// closes; -1: there is none.
  int begin(peer_id peer, std::string_view there) noexcept {
    place to;
    std::byte raw[sizeof to.v6]{};
    if (listener_ < 0 || !to.take(raw, parse_hex(there, raw, sizeof raw))) return -1;
    const int fd = ::socket(to.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    const auto set = [fd](int level, int name, int value) {
      static_cast<void>(::setsockopt(fd, level, name, &value, sizeof value));
    };
    set(SOL_SOCKET, SO_KEEPALIVE, 1);  // Of a host that is gone nobody tells.
    set(IPPROTO_TCP, TCP_KEEPIDLE, 5);
    set(IPPROTO_TCP, TCP_KEEPINTVL, 1);
    set(IPPROTO_TCP, TCP_KEEPCNT, 5);
    set(IPPROTO_TCP, TCP_SYNCNT, 3);
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, 10'000);
    // What has been refused already is told by `look`, too.
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
  /// Whether there is anything to look at.
  bool any() const noexcept { return lines_ != 0; }
  /// Closes a line.
  void end(int& fd) noexcept {
    if (fd < 0) return;
    ::close(std::exchange(fd, -1));
    --lines_;
  }
  /// Calls `f(peer, fate)` for those that are to be ended. `descriptor_of(peer)`: what `begin` has
  /// returned.
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

  /// An address of the internet.
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
    /// False: that is none.
    bool take(const std::byte* from, std::size_t n) noexcept {
      if (n < sizeof any || n > sizeof v6) return false;
      std::memcpy(&v6, from, n);
      return (any.sa_family == AF_INET || any.sa_family == AF_INET6) && n == bytes();
    }
    using reach_type = transport::detail::address_reach;
    /// That of this host of which the others can expect most.
    bool take_best_of_host() noexcept {
      int best = -1;
      static_cast<void>(transport::detail::for_each_address([&](const ifaddrs& i,
                                                                reach_type reach) {
        const bool is_v4 = i.ifa_addr->sa_family == AF_INET;
        if (!is_v4 && reach == reach_type::link_local) return;  // The caller's link is not known.
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
