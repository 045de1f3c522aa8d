// SPDX-License-Identifier: BSL-1.0
#pragma once
// What a rank tells mpxrun on the socket that it has inherited (MPX_LAUNCHER_FD).

#include <sys/socket.h>

#include <cstdint>

namespace mpx::inline v0::bootstrap {

/// A rank has joined, or waits to leave; the kernel adds its pid as mpxrun sees it.
struct joined_notice {
  std::int32_t rank;
  std::int32_t pid;      ///< As it is registered in the job, in the rank's own namespace.
  std::uint64_t leaves;  ///< 0: it has joined. Else the environment that it waits to leave, + 1.
};

namespace detail {

/// Whether `fd` is such a socket: the program may have closed it, and opened something else.
[[gnu::noinline, gnu::cold]] inline bool is_launcher_socket(int fd) noexcept {
  int is[2] = {-1, -1};
  socklen_t bytes = sizeof is[0];
  ::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &is[0], &bytes);
  ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &is[1], &bytes);
  return is[0] == AF_UNIX && is[1] == SOCK_SEQPACKET;
}

/// Sends `notice`, if the socket is still there.
[[gnu::noinline, gnu::cold]] inline void tell_launcher(int fd,
                                                       const joined_notice& notice) noexcept {
  if (is_launcher_socket(fd)) static_cast<void>(!::send(fd, &notice, sizeof notice, MSG_NOSIGNAL));
}

}  // namespace detail
}  // namespace mpx::inline v0::bootstrap
