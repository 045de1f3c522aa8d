// SPDX-License-Identifier: BSL-1.0
#pragma once
// A channel device over Unix sockets, for ranks of one machine: one connection for each pair. The
// names exist while the job starts only.

#include "mpx/macros/begin.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <concepts>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/core/group.hpp"
#include "mpx/transport/channel.hpp"
#include "mpx/transport/channel/directory.hpp"
#include "mpx/transport/channel/streams.hpp"

namespace mpx::inline v0::device {

/// Unix sockets between processes or threads of one machine and user. A rank has a descriptor for
/// each other rank. The kernel buffers about 200 KiB of a pair in each direction.
class sockets : public detail::streams {
 public:
  static constexpr std::string_view name = "sockets";

  /// Errors:     errc::no_resources: no directory, socket or descriptor could be made.
  template <class B>
  requires(!std::derived_from<B, sockets>) && Bootstrap<B>
  explicit sockets(B& b) : streams(static_cast<std::size_t>(b.size()), true) {
    join(b);
  }

 private:
  template <class B>
  void join(B& b) {
    const detail::directory place(b, "mpx.sockets");
    const auto name_of = [&](rank_t r) { return place.path() + '/' + std::to_string(r); };
    const detail::owned_fd door = made();
    sockaddr_un at = address(name_of(b.rank()));
    detail::require(
        ::bind(door.fd(), as_address(at), sizeof at) == 0 && ::listen(door.fd(), b.size()) == 0,
        "bind", at.sun_path);
    b.fence([] {});  // All listen. The kernel connects to a socket that listens without its owner.
    for (rank_t r = 0; r < b.rank(); ++r) {
      detail::owned_fd to = made();
      at = address(name_of(r));
      const rank_t me = b.rank();
      detail::require(::connect(to.fd(), as_address(at), sizeof at) == 0 &&
                          ::send(to.fd(), &me, sizeof me, MSG_NOSIGNAL) == sizeof me,
                      "connect", at.sun_path);
      add(r, std::move(to), place);
    }
    b.fence([] {});  // All are connected: the names can go.
    ::unlink(name_of(b.rank()).c_str());
    for (rank_t left = b.size() - b.rank(); left > 1; --left) {
      detail::owned_fd from(::accept4(door.fd(), nullptr, nullptr, SOCK_CLOEXEC));
      rank_t r = -1;
      detail::require(
          ::recv(from.fd(), &r, sizeof r, MSG_WAITALL) == sizeof r && r > b.rank() && r < b.size(),
          "accept", place.path());
      add(r, std::move(from), place);
    }
    b.fence([] {});
  }
  static detail::owned_fd made() {
    detail::owned_fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    detail::require(fd.fd() >= 0, "socket", "AF_UNIX");
    return fd;
  }
  static sockaddr_un address(const std::string& path) {
    sockaddr_un a{};
    a.sun_family = AF_UNIX;
    errno = ENAMETOOLONG;
    detail::require(path.size() < sizeof a.sun_path, "bind", path);
    std::memcpy(a.sun_path, path.data(), path.size());
    return a;
  }
  static const sockaddr* as_address(const sockaddr_un& a) {
    return reinterpret_cast<const sockaddr*>(&a);
  }
  void add(rank_t r, detail::owned_fd fd, const detail::directory& place) {
    const bool is_set = ::fcntl(fd.fd(), F_SETFL, O_NONBLOCK) == 0;
    detail::require(is_set && connect(world_peer(r), std::move(fd), {}), "epoll_ctl", place.path());
  }
};

}  // namespace mpx::inline v0::device

#include "mpx/macros/end.hpp"
