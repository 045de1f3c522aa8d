// SPDX-License-Identifier: BSL-1.0
#pragma once
// What carries the bytes of a connection once its two ends have proven themselves: here, the socket
// itself. Another one encrypts (transport/tls.hpp).

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "mpx/transport/detail/replay.hpp"
#include "mpx/transport/tcp/secret.hpp"
#include "mpx/transport/tcp/socket.hpp"

namespace mpx::inline v0::transport::detail {

/// Which end of a connection this is.
enum class tcp_role : std::uint8_t { connects, accepts };

/// How far a stream is that has begun.
enum class tcp_secured : std::uint8_t {
  yes,     ///< Bytes of the connection pass.
  waits,   ///< For bytes of the other end.
  broken,  ///< The other end does not know what it has to, or the connection is gone.
};

/// What a stream may need to know of where it is.
struct tcp_site {
  tcp_watch& watch;
  const tcp_secret& secret;
  peer_id self;
  peer_id peer;
  const tcp_endpoint& from;
  const tcp_endpoint& to;
  int kernel_bytes;
};

/// Made of a socket, which it owns. Before `begin` it is no more than that.
///
/// `begin(context, role, site, key)`: the two ends have proven themselves. `key()`: 256 bits that
/// they alone know, different for each connection. False: no memory. Then, where `secures`,
/// `secure()` is called at once and whenever bytes have come, until it no longer waits.
/// `write(pieces, count)`: how many bytes were taken; 0: there is no room until the socket is
/// writable; -1: the connection is broken. What was not taken is handed in again: the same bytes,
/// and maybe more of them. The other end never has more than was taken.
/// `read(pieces, count)`: how many bytes there were; if fewer than asked for, the next ones make
/// the socket readable; 0: none; -1: the stream has ended.
/// `want_room(watch, peer, wanted)`: whether the watch is to tell when there is room again.
/// `shut()`: the connection ends at once, at both ends. `leave()`: nothing more will be written or
/// read. `for_each_fd(f)`: calls `f(descriptor)` for each of its sockets.
/// `lanes`: how many sockets it has. If more than one, `attach(socket, acceptor)` is told of each
/// further one that has come while it secures.
/// `context`: what the connections of a rank have in common. `layout`: two that differ in it
/// cannot talk.
template <class S>
concept TcpStream =
    std::movable<S> && requires(S& s, const S& c, typename S::context& context, iovec* pieces,
                                const tcp_site& site, tcp_watch& watch, tcp_bytes32 (*key)()) {
      requires std::constructible_from<S, tcp_descriptor>;
      { S::name } -> std::convertible_to<std::string_view>;
      { S::layout } -> std::convertible_to<std::uint64_t>;
      { S::secures } -> std::convertible_to<bool>;
      { c.fd() } noexcept -> std::same_as<int>;
      { s.close() } noexcept;
      { s.begin(context, tcp_role{}, site, key) } noexcept -> std::same_as<bool>;
      { s.secure() } noexcept -> std::same_as<tcp_secured>;
      { s.write(pieces, std::size_t{}) } noexcept -> std::same_as<ssize_t>;
      { s.read(pieces, std::size_t{}) } noexcept -> std::same_as<ssize_t>;
      { s.want_room(watch, peer_id{}, true) } noexcept;
      { s.shut() } noexcept;
      { s.leave() } noexcept;
      { S::lanes } -> std::convertible_to<unsigned>;
    };

/// Writes from the pieces to a socket. Returns as a stream's `write`.
[[gnu::noinline]] inline ssize_t tcp_write(int fd, iovec* pieces, std::size_t count) noexcept {
  constexpr int flags = MSG_NOSIGNAL | MSG_DONTWAIT;
  // For one piece the kernel has a shorter way, and a short copy costs less than that saves.
  std::byte joined[128];
  iovec one = pieces[0];
  if (count == 2 && one.iov_len + pieces[1].iov_len <= sizeof joined) {
    std::memcpy(joined, one.iov_base, one.iov_len);
    std::memcpy(joined + one.iov_len, pieces[1].iov_base, pieces[1].iov_len);
    one = {joined, one.iov_len + pieces[1].iov_len};
    count = 1;
  }
  msghdr m{};
  m.msg_iov = pieces;
  m.msg_iovlen = count;
  for (;;) {
    const ssize_t n =
        count == 1 ? ::send(fd, one.iov_base, one.iov_len, flags) : ::sendmsg(fd, &m, flags);
    if (n >= 0) return n;
    if (errno == EINTR) continue;
    return errno == EAGAIN || errno == ENOBUFS ? 0 : -1;
  }
}
/// Reads what a socket has into the pieces. Returns as a stream's `read`.
[[gnu::noinline]] inline ssize_t tcp_read(int fd, iovec* pieces, std::size_t count) noexcept {
  msghdr m{};
  m.msg_iov = pieces;
  m.msg_iovlen = count;
  for (;;) {
    const ssize_t n = count == 1 ? ::recv(fd, pieces->iov_base, pieces->iov_len, MSG_DONTWAIT)
                                 : ::recvmsg(fd, &m, MSG_DONTWAIT);
    if (n > 0) return n;
    if (n < 0 && errno == EINTR) continue;
    return n < 0 && errno == EAGAIN ? 0 : -1;
  }
}

/// Ends a connection, after what was written. What has come and nobody will read would make the
/// kernel reset it.
inline void tcp_leave(int fd) noexcept {
  ::shutdown(fd, SHUT_WR);
  for (int i = 0; i < 64 && ::recv(fd, nullptr, 1 << 20, MSG_TRUNC | MSG_DONTWAIT) > 0; ++i)
    continue;
}

/// The socket and nothing else.
class tcp_plain {
 public:
  static constexpr std::string_view name = "tcp";
  static constexpr std::uint64_t layout = 0;
  static constexpr unsigned lanes = 1;
  static constexpr bool secures = false;
  struct context {};

  tcp_plain() = default;
  explicit tcp_plain(tcp_descriptor s) noexcept : socket_(std::move(s)) {}
  int fd() const noexcept { return socket_.fd(); }
  explicit operator bool() const noexcept { return static_cast<bool>(socket_); }
  void close() noexcept { socket_.close(); }

  template <class Key>
  bool begin(context&, tcp_role, const tcp_site&, Key&&) noexcept {
    return true;
  }
  tcp_secured secure() noexcept { return tcp_secured::yes; }
  ssize_t write(iovec* pieces, std::size_t count) noexcept {
    return tcp_write(socket_.fd(), pieces, count);
  }
  ssize_t read(iovec* pieces, std::size_t count) noexcept {
    return tcp_read(socket_.fd(), pieces, count);
  }
  void want_room(tcp_watch& watch, peer_id peer, bool wanted) noexcept {
    watch.change(socket_.fd(), {tcp_watch::kind::link, peer}, wanted);
  }
  void shut() noexcept { ::shutdown(socket_.fd(), SHUT_RDWR); }
  void leave() noexcept { tcp_leave(socket_.fd()); }
  template <class F>
  void for_each_fd(F&& f) const noexcept {
    f(socket_.fd());
  }

 private:
  tcp_descriptor socket_;
};
static_assert(TcpStream<tcp_plain>);

}  // namespace mpx::inline v0::transport::detail
