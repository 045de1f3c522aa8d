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
  const auto option = [fd](int name) noexcept {
    int value = -1;
    socklen_t bytes = sizeof value;
    return ::getsockopt(fd, SOL_SOCKET, name, &value, &bytes) == 0 ? value : -1;
  };
  return fd >= 0 && option(SO_DOMAIN) == AF_UNIX && option(SO_TYPE) == SOCK_SEQPACKET;
}

/// Sends `notice`, if the socket is still there.
[[gnu::noinline, gnu::cold]] inline void tell_launcher(int fd,
                                                       const joined_notice& notice) noexcept {
  if (!is_launcher_socket(fd)) return;
  [[maybe_unused]] const auto sent = ::send(fd, &notice, sizeof notice, MSG_NOSIGNAL);
}

}  // namespace detail
}  // namespace mpx::inline v0::bootstrap
