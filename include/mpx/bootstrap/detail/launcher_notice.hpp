// SPDX-License-Identifier: BSL-1.0
#pragma once
// Messages of a rank to mpxrun on the inherited socket (MPX_LAUNCHER_FD).

#include <sys/socket.h>

#include <cstdint>

namespace mpx::inline v0::bootstrap {

/// Reports that a rank has joined, or waits to leave. The kernel adds its pid as mpxrun sees it.
struct joined_notice {
  std::int32_t rank;
  std::int32_t pid;      ///< As registered in the job, in the rank's own pid namespace.
  std::uint64_t leaves;  ///< 0 if it has joined, else the environment that it waits to leave, + 1.
};

namespace detail {

/// True if `fd` is such a socket: the program may have closed it and opened another file.
[[gnu::noinline, gnu::cold]] inline bool is_launcher_socket(int fd) noexcept {
  int is[2] = {-1, -1};
  socklen_t bytes = sizeof is[0];
  ::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &is[0], &bytes);
  ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &is[1], &bytes);
  return is[0] == AF_UNIX && is[1] == SOCK_SEQPACKET;
}

/// Sends `notice` if the socket still exists.
[[gnu::noinline, gnu::cold]] inline void tell_launcher(int fd,
                                                       const joined_notice& notice) noexcept {
  if (is_launcher_socket(fd)) static_cast<void>(!::send(fd, &notice, sizeof notice, MSG_NOSIGNAL));
}

}  // namespace detail
}  // namespace mpx::inline v0::bootstrap
