// SPDX-License-Identifier: BSL-1.0
#pragma once
// Passes memory descriptors from one rank to others of its host, over a socket. Its name is visible
// exactly where descriptors can be passed. Access needs a secret and the same user.

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>

#include "mpx/core/error.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::bootstrap::detail {

/// Owns a descriptor and closes it.
class owned_fd {
 public:
  explicit owned_fd(int fd = -1) noexcept : fd_(fd) {}
  owned_fd(owned_fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  owned_fd& operator=(owned_fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~owned_fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

/// Address at which a rank hands memory out: the name of a socket, and the secret that a caller
/// must know.
struct fd_passing_address {
  static constexpr std::size_t secret_bytes = 16;
  unsigned char name[secret_bytes];
  unsigned char secret[secret_bytes];

  /// Returns a random address.
  /// Errors:     errc::no_resources.
  [[gnu::noinline, gnu::cold]] static fd_passing_address drawn() {
    fd_passing_address p;
    if (::getrandom(&p, sizeof p, 0) != static_cast<ssize_t>(sizeof p))
      mpx::detail::throw_error(errc::no_resources, "getrandom failed (%s)", std::strerror(errno));
    return p;
  }
  /// Fills in an abstract socket name, which has no file and disappears with the socket.
  [[gnu::noinline, gnu::cold]] socklen_t address(sockaddr_un& into) const {
    into = {};
    into.sun_family = AF_UNIX;
    std::string text = "mpx-";
    for (const unsigned char byte : name) text += mpx::detail::formatted("%02x", byte);
    std::memcpy(into.sun_path + 1, text.data(), text.size());
    return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  }
};

/// First message of a caller.
struct fd_request {
  char magic[8] = {'m', 'p', 'x', 'm', 'e', 'e', 't', '1'};
  unsigned char secret[fd_passing_address::secret_bytes] = {};
  std::uint64_t pid_namespace = 0;
  std::int32_t rank = 0;
  std::int32_t size = 0;

  fd_request() = default;
  [[gnu::noinline, gnu::cold]] fd_request(const fd_passing_address& at, rank_t who,
                                          rank_t of) noexcept
      : rank(who), size(of) {
    std::memcpy(secret, at.secret, sizeof secret);
    struct stat info{};
    if (::stat("/proc/self/ns/pid", &info) == 0) pid_namespace = info.st_ino;
  }
  /// True if `said` comes from a rank of this job above the listening rank, which is `rank`.
  bool admits(const fd_request& said) const noexcept {
    return std::memcmp(said.magic, magic, sizeof magic) == 0 &&
           std::memcmp(said.secret, secret, sizeof secret) == 0 && said.size == size &&
           said.rank > rank && said.rank < size;
  }
};

/// True if the peer of a socket belongs to the same user as this process.
[[gnu::noinline, gnu::cold]] inline bool is_of_this_user(int fd) noexcept {
  ucred who{};
  socklen_t bytes = sizeof who;
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0 && who.uid == ::geteuid();
}

/// Longest time that a call waits for the peer.
inline constexpr std::int64_t fd_passing_timeout_ns = 60'000'000'000;

/// Makes a call that waits at the socket `fd`, and repeats it if a signal interrupts it. Returns
/// its result; -1 with EAGAIN if that takes longer than `patience_ns`.
template <class Call>
[[gnu::noinline, gnu::cold]] ssize_t undisturbed(int fd, std::int64_t patience_ns,
                                                 Call&& call) noexcept {
  const std::int64_t end_ns = platform::now_ns() + patience_ns;
  for (std::int64_t left_ns = patience_ns; left_ns >= 1'000;
       left_ns = end_ns - platform::now_ns()) {
    const timeval left{static_cast<time_t>(left_ns / 1'000'000'000),
                       static_cast<suseconds_t>(left_ns % 1'000'000'000 / 1'000)};
    for (const int way : {SO_RCVTIMEO, SO_SNDTIMEO})
      ::setsockopt(fd, SOL_SOCKET, way, &left, sizeof left);
    const ssize_t result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
  errno = EAGAIN;
  return -1;
}

/// Opens the listening socket of `at`.
/// Errors:     errc::no_resources.
[[gnu::noinline, gnu::cold]] inline owned_fd listen_for_fd_requests(const fd_passing_address& at,
                                                                    int callers_max) {
  sockaddr_un name;
  const socklen_t bytes = at.address(name);
  owned_fd door(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!door || ::bind(door.get(), reinterpret_cast<const sockaddr*>(&name), bytes) != 0 ||
      ::listen(door.get(), callers_max) != 0)
    mpx::detail::throw_error(errc::no_resources, "a socket for the ranks of this host (%s)",
                             std::strerror(errno));
  return door;
}

/// Accepts waiting callers of the same user and rejects others. `callers` are those that have not
/// sent their first message yet. Handles a bounded number, so that it returns soon however many
/// arrive.
/// Errors:     errc::no_resources.
[[gnu::noinline, gnu::cold]] inline void let_in(int door, plain_array<int>& callers) {
  constexpr std::size_t callers_max = 64;
  for (std::size_t looks = 0; looks < callers_max && callers.size() < callers_max; ++looks) {
    const int fd = ::accept4(door, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    const int why = errno;
    if (fd >= 0) {
      if (!is_of_this_user(fd) || !callers.try_push_back(fd)) ::close(fd);
    } else if (why == EMFILE || why == ENFILE) {
      mpx::detail::throw_error(errc::no_resources,
                               "the ranks of this host cannot meet: the lowest takes a file "
                               "descriptor for each of the others (%s): raise `ulimit -n`",
                               std::strerror(why));
    } else if (why != ECONNABORTED && why != EINTR) {
      return;
    }
  }
}

/// Connects to `at` and sends `mine`. Returns nothing if no process of the same user can be
/// reached.
[[gnu::noinline, gnu::cold]] inline owned_fd request_descriptors(const fd_passing_address& at,
                                                                 const fd_request& mine) {
  sockaddr_un name;
  const socklen_t bytes = at.address(name);
  owned_fd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  const auto calls = [&] {
    return ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&name), bytes);
  };
  const auto says = [&] { return ::send(fd.get(), &mine, sizeof mine, MSG_NOSIGNAL); };
  if (!fd || undisturbed(fd.get(), fd_passing_timeout_ns, calls) != 0 ||
      !is_of_this_user(fd.get()) ||
      undisturbed(fd.get(), fd_passing_timeout_ns, says) != static_cast<ssize_t>(sizeof mine))
    return owned_fd();
  return fd;
}
/// Waits for the one-byte answer. Returns true if it has arrived.
[[gnu::noinline, gnu::cold]] inline bool hear_answer(int from, char& answer) noexcept {
  return undisturbed(from, fd_passing_timeout_ns, [&] { return ::recv(from, &answer, 1, 0); }) == 1;
}

/// Sends two descriptors, of a control segment and of shared memory, with some bytes. Returns true
/// on success. Waits while the kernel has too many descriptors of this user in flight, since other
/// ranks are about to take them.
[[gnu::noinline, gnu::cold]] inline bool hand_over(int to, int control, int shared,
                                                   const void* text, std::size_t bytes) noexcept {
  const int both[2] = {control, shared};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof both)] = {};
  iovec body{const_cast<void*>(text), bytes};
  msghdr message{};
  message.msg_iov = &body;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof both);
  std::memcpy(CMSG_DATA(head), both, sizeof both);
  const ::timespec pause{0, 1'000'000};
  for (const std::int64_t end_ns = platform::now_ns() + fd_passing_timeout_ns;;) {
    const ssize_t n = ::sendmsg(to, &message, MSG_NOSIGNAL);
    if (n >= 0 || errno != ETOOMANYREFS || platform::now_ns() >= end_ns)
      return n == static_cast<ssize_t>(bytes);
    ::nanosleep(&pause, nullptr);
  }
}
/// Receives the two descriptors and the bytes. Returns the number of bytes; 0 if nothing arrived or
/// there was no room for both descriptors.
[[gnu::noinline, gnu::cold]] inline std::size_t take_over(int from, owned_fd& control,
                                                          owned_fd& shared, void* text,
                                                          std::size_t bytes) noexcept {
  int both[2] = {-1, -1};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof both)] = {};
  iovec body{text, bytes};
  msghdr message{};
  message.msg_iov = &body;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  const ssize_t n = undisturbed(from, fd_passing_timeout_ns,
                                [&] { return ::recvmsg(from, &message, MSG_CMSG_CLOEXEC); });
  if (n < 1) return 0;
  const cmsghdr* const head = CMSG_FIRSTHDR(&message);
  if (head == nullptr || head->cmsg_type != SCM_RIGHTS || head->cmsg_len > CMSG_LEN(sizeof both))
    return 0;
  std::memcpy(both, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
  control = owned_fd(both[0]);
  shared = owned_fd(both[1]);  // Empty if there was room for one only.
  return shared ? static_cast<std::size_t>(n) : 0;
}
/// True if this process can open the descriptors that it is to receive.
[[gnu::noinline, gnu::cold]] inline bool descriptors_are_left() noexcept {
  owned_fd taken[3];  // The third is for a duplicate.
  for (owned_fd& fd : taken) fd = owned_fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  return taken[2] || (errno != EMFILE && errno != ENFILE);
}

}  // namespace mpx::inline v0::bootstrap::detail
