// SPDX-License-Identifier: BSL-1.0
#pragma once
// Bells: descriptors that become readable when they are rung. Between the threads of a process a
// bell is an eventfd, between processes a named datagram socket. Ringing never blocks and needs no
// privilege.

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "mpx/core/exchange.hpp"

namespace mpx::inline v0::transport::detail {

/// Owns a descriptor, or none (-1). Move-only.
class bell {
 public:
  bell() = default;
  explicit bell(int fd) noexcept : fd_(fd) {}
  bell(bell&& other) noexcept : fd_(mpx::detail::exchange(other.fd_, -1)) {}
  bell& operator=(bell&& other) noexcept {
    fd_ = mpx::detail::exchange(other.fd_, fd_);
    return *this;
  }
  ~bell() {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd() const noexcept { return fd_; }

 private:
  int fd_ = -1;
};

/// Clears the bell: earlier rings no longer make it readable.
inline void quiet_bell(int fd) noexcept {
  char bytes[8];
  while (::read(fd, bytes, sizeof bytes) > 0) continue;
}
/// Sleeps until the bell is rung or the time is up. Returns true on a timeout.
inline bool wait_for_bell(int fd, std::int64_t timeout_ns) noexcept {
  pollfd at{fd, POLLIN, 0};
  const timespec t{static_cast<time_t>(timeout_ns / 1'000'000'000),
                   static_cast<long>(timeout_ns % 1'000'000'000)};
  return ::ppoll(&at, 1, &t, nullptr) == 0;
}

inline int make_event_bell() noexcept { return ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }
inline void ring_event_bell(int fd) noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(fd, &one, sizeof one);
}

/// Name of a bell in the abstract socket namespace. It is visible in one network namespace, has no
/// file, and disappears with its socket.
struct bell_name {
  sockaddr_un address{};
  socklen_t bytes = 0;

  [[gnu::noinline, gnu::cold]] explicit bell_name(std::uint64_t word) noexcept {
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, "mpx.", 4);
    char* at = address.sun_path + 5;
    for (int shift = 60; shift >= 0; shift -= 4) *at++ = "0123456789abcdef"[word >> shift & 15];
    bytes = static_cast<socklen_t>(at - reinterpret_cast<char*>(&address));
  }
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&address); }
};

/// Makes a socket without a name, by which named bells are rung.
inline bell make_ringer() noexcept {
  return bell(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}
/// Makes a bell with a random name, which it stores in `word`. Returns an empty bell if the kernel
/// refuses one.
inline bell make_named_bell(std::uint64_t& word) noexcept {
  if (::getrandom(&word, sizeof word, 0) != sizeof word) return {};
  bell made = make_ringer();
  const bell_name name(word);
  if (made.fd() < 0 || ::bind(made.fd(), name.get(), name.bytes) != 0) return {};
  return made;
}
/// Rings the bell with this name, from any socket of the caller.
inline void ring_named_bell(int from, std::uint64_t word) noexcept {
  const bell_name name(word);
  // A full queue means that the bell has been rung already.
  static_cast<void>(::sendto(from, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL, name.get(), name.bytes));
}
/// Identifies this process's network namespace: processes with the same value can ring each other's
/// named bells. 0 if unknown.
inline std::uint64_t bell_domain() noexcept {
  struct stat s{};
  return ::stat("/proc/self/ns/net", &s) == 0 ? static_cast<std::uint64_t>(s.st_ino) : 0;
}

}  // namespace mpx::inline v0::transport::detail
