// SPDX-License-Identifier: BSL-1.0
#pragma once
// The concept of a stream: the carrier of a connection's bytes once both ends have authenticated
// each other. tcp_plain is the socket itself; transport/tls.hpp adds encryption,
// transport/tcp_streams.hpp further sockets.

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

/// Role of this end in the making of a connection.
enum class tcp_role : std::uint8_t { connects, accepts };

/// Progress of a stream's set-up.
enum class tcp_secured : std::uint8_t {
  yes,     ///< Set-up is complete: bytes of the connection pass.
  waits,   ///< It waits for bytes of the other end.
  broken,  ///< The other end lacks the secret, or the connection is gone.
};

/// The surroundings of a stream: its rank's watch and secret, the two ranks and their addresses.
struct tcp_site {
  tcp_watch& watch;
  const tcp_secret& secret;
  peer_id self;
  peer_id peer;
  const tcp_endpoint& from;
  const tcp_endpoint& to;
  int kernel_bytes;
};

/// A carrier of a connection's bytes. It is made of a socket, which it owns; before `begin` it is
/// only that socket.
///
/// - `begin(context, role, site, key)` is called once both ends have authenticated each other.
///   `key()` returns 256 bits that only these two ends know, different for each connection. Returns
///   false if memory is out.
/// - `secure()` is called if `secures`: right after `begin`, and then whenever bytes have arrived,
///   until it does not return `waits`.
/// - `write(pieces, count)` returns the number of bytes taken; 0 if there is no room until the
///   socket is writable; -1 if the connection is broken. Bytes not taken are passed in again by the
///   next call, possibly with more behind them. The other end never receives more bytes than were
///   reported as taken.
/// - `read(pieces, count)` returns the number of bytes read; -1 if the stream has ended. If it is
///   smaller than the number asked for, further bytes make the socket readable.
/// - `want_room(watch, peer, wanted)` sets whether the watch reports room for writing.
/// - `shut()` ends the connection at once, at both ends. `leave()` ends it after the bytes written;
///   nothing is written or read after it. `for_each_fd(f)` calls `f(descriptor)` for each of its
///   sockets.
/// - `lanes` is the number of its sockets. If more than one, `attach(socket, handshake)` is called
///   for each further socket that arrives during set-up.
/// - `context` is the state shared by all connections of a rank. `layout`: streams that differ in
///   it are incompatible on the wire.
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

/// Writes the pieces to a socket. Returns as `write` of TcpStream.
[[gnu::noinline]] inline ssize_t tcp_write(int fd, iovec* pieces, std::size_t count) noexcept {
  constexpr int flags = MSG_NOSIGNAL | MSG_DONTWAIT;
  // The kernel's path for one piece is shorter; copying up to 128 bytes costs less than that saves.
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
/// Reads from a socket into the pieces. Returns as `read` of TcpStream.
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

/// Ends a connection after the bytes written so far. Unread input is discarded, since it would make
/// the kernel reset the connection.
inline void tcp_leave(int fd) noexcept {
  ::shutdown(fd, SHUT_WR);
  for (int i = 0; i < 64 && ::recv(fd, nullptr, 1 << 20, MSG_TRUNC | MSG_DONTWAIT) > 0; ++i)
    continue;
}

/// A stream that is the socket itself.
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
