// SPDX-License-Identifier: BSL-1.0
#pragma once
// How the ranks of a job come to share memory where the launcher gives them none: rank 0 makes it
// and hands it out over a socket. Who shares a host with rank 0 is found by trying: a name is
// published that is seen wherever memory can be shared, and nowhere else.

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "mpx/bootstrap/detail/job_segment.hpp"
#include "mpx/bootstrap/detail/launcher.hpp"
#include "mpx/bootstrap/detail/memory_file.hpp"
#include "mpx/core/error.hpp"
#include "mpx/core/plain_array.hpp"

namespace mpx::inline v0::bootstrap::detail {

/// A descriptor that is closed.
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

/// A byte and room for two descriptors, as sendmsg and recvmsg take them.
struct descriptor_message {
  explicit descriptor_message(char with = 0) noexcept : byte(with) {
    message.msg_iov = &body;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
  }
  descriptor_message(const descriptor_message&) = delete;
  descriptor_message& operator=(const descriptor_message&) = delete;
  cmsghdr* head() noexcept { return CMSG_FIRSTHDR(&message); }

  alignas(cmsghdr) char room[CMSG_SPACE(2 * sizeof(int))] = {};
  char byte;
  iovec body{&byte, 1};
  msghdr message{};
};

/// The memory of a job of which all ranks run on one host. Each goes through the same steps.
/// Cost: two fences; rank 0 publishes one value, which each other rank reads.
class host_meeting {
 public:
  /// Gets the memory. Errors: errc::bootstrap, naming the hosts if they are several;
  /// errc::no_resources, and those of the launcher.
  [[gnu::noinline, gnu::cold]] explicit host_meeting(launcher& job) : job_(job) {
    if (job_.size() < 1 || job_.size() > ranks_max)
      mpx::detail::throw_error(errc::bootstrap, "a job of %d ranks: 1 to %d are possible on a host",
                               job_.size(), ranks_max);
    if (job_.rank() == 0) {
      open();
    } else {
      attend();
    }
  }

  mapping take_map() noexcept { return std::move(map_); }
  /// Errors: errc::no_resources.
  memory_file shared() const { return memory_file::duplicate(shared_.view()); }

  /// After the segment has been joined: waits until all ranks have joined it. Returns whether they
  /// know each other by the same pids. Errors: as above.
  [[gnu::noinline, gnu::cold]] bool confirm() {
    job_.fence([this] { serve(); });
    char verdict = apart;
    if (job_.rank() == 0) {
      serve();
      verdict = there_ + 1 < job_.size() ? apart : strange_ ? strangers : together;
      for (const int fd : guests_)
        if (fd >= 0) [[maybe_unused]]
          const auto sent = ::send(fd, &verdict, 1, MSG_NOSIGNAL);
    } else if (::recv(rank_0_.get(), &verdict, 1, 0) != 1) {
      mpx::detail::throw_error(errc::bootstrap, "rank 0 was lost while the ranks of this host met");
    }
    if (verdict == apart) tell_hosts();
    return verdict == together;
  }

  ~host_meeting() {
    for (const int fd : guests_)
      if (fd >= 0) ::close(fd);
    for (const int fd : callers_) ::close(fd);
  }
  host_meeting(const host_meeting&) = delete;
  host_meeting& operator=(const host_meeting&) = delete;

 private:
  static constexpr char together = '+', strangers = '=', apart = '-';
  static constexpr std::size_t secret_bytes = 16;
  static constexpr std::size_t callers_max = 64;
  static constexpr time_t patience_s = 60;
  static constexpr const char* key = "mpx.meet";

  struct hello {
    char magic[8] = {'m', 'p', 'x', 'm', 'e', 'e', 't', '1'};
    unsigned char secret[secret_bytes] = {};
    std::uint64_t pid_namespace = 0;
    std::int32_t rank = 0;
    std::int32_t size = 0;
  };
  struct place {
    unsigned char name[secret_bytes];
    unsigned char secret[secret_bytes];
  };

  // --- rank 0 ---

  /// What goes wrong here is told to the others, who wait for it.
  [[gnu::noinline, gnu::cold]] void open() {
    std::string said;
    try {
      if (job_.size() > 1) {
        fill(&place_, sizeof place_);
        listen();
        guests_ = plain_array<int>(static_cast<std::size_t>(job_.size()));
        for (int& fd : guests_) fd = -1;
      }
      control_ = memory_file("mpx-job");
      shared_ = memory_file("mpx-shared");
      map_ = job_segment::create(control_, shared_, job_.size(),
                                 static_cast<std::int32_t>(::getpid()));
      said = "+" + std::string(reinterpret_cast<const char*>(&place_), sizeof place_);
    } catch (const error& e) {
      said = "-" + std::string(e.what()).substr(0, 400);
    }
    job_.put(key, said);
    job_.fence([] {});
    if (said[0] == '-') refused(said);
  }

  [[gnu::noinline, gnu::cold]] static void fill(void* at, std::size_t bytes) {
    if (::getrandom(at, bytes, 0) != static_cast<ssize_t>(bytes))
      mpx::detail::throw_error(errc::no_resources, "getrandom failed (%s)", std::strerror(errno));
  }
  /// A name that no file has, and that goes with the socket.
  [[gnu::noinline, gnu::cold]] static socklen_t address(const place& at, sockaddr_un& into) {
    into = {};
    into.sun_family = AF_UNIX;
    std::string name = "mpx-";
    for (const unsigned char byte : at.name) name += mpx::detail::formatted("%02x", byte);
    std::memcpy(into.sun_path + 1, name.data(), name.size());
    return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  }
  [[gnu::noinline, gnu::cold]] void listen() {
    sockaddr_un name;
    const socklen_t bytes = address(place_, name);
    door_ = owned_fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!door_ || ::bind(door_.get(), reinterpret_cast<const sockaddr*>(&name), bytes) != 0 ||
        ::listen(door_.get(), job_.size()) != 0)
      mpx::detail::throw_error(errc::no_resources, "a socket for the ranks of this host (%s)",
                               std::strerror(errno));
  }

  /// Lets in who has come, and hands the memory to those that know the secret.
  [[gnu::noinline, gnu::cold]] void serve() {
    if (!door_) return;
    while (callers_.size() < callers_max) {
      const int fd = ::accept4(door_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (fd < 0) break;
      if (!is_ours(fd) || !callers_.try_push_back(fd)) ::close(fd);
    }
    callers_.erase_if([this](int fd) { return heard(fd); });
  }
  /// Whether the other end belongs to this user.
  [[gnu::noinline, gnu::cold]] static bool is_ours(int fd) noexcept {
    ucred who{};
    socklen_t bytes = sizeof who;
    return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0 && who.uid == ::geteuid();
  }
  /// Whether nothing more is to be heard from a caller: it is a guest now, or has been sent away.
  [[gnu::noinline, gnu::cold]] bool heard(int fd) {
    hello said;
    const ssize_t bytes = ::recv(fd, &said, sizeof said, 0);
    if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    const hello mine = greeting();
    const bool known =
        bytes == sizeof said && std::memcmp(said.magic, mine.magic, sizeof mine.magic) == 0 &&
        std::memcmp(said.secret, mine.secret, sizeof mine.secret) == 0 && said.size == mine.size &&
        said.rank > 0 && said.rank < mine.size && guests_[static_cast<std::size_t>(said.rank)] < 0;
    if (!known || !give(fd)) {
      ::close(fd);
      return true;
    }
    guests_[static_cast<std::size_t>(said.rank)] = fd;
    strange_ = strange_ || said.pid_namespace != mine.pid_namespace;
    ++there_;
    return true;
  }
  [[gnu::noinline, gnu::cold]] bool give(int fd) const noexcept {
    const int both[2] = {control_.fd(), shared_.fd()};
    descriptor_message m(together);
    cmsghdr* const head = m.head();
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof both);
    std::memcpy(CMSG_DATA(head), both, sizeof both);
    return ::sendmsg(fd, &m.message, MSG_NOSIGNAL) == 1;
  }

  // --- the others ---

  [[gnu::noinline, gnu::cold]] void attend() {
    job_.fence([] {});
    const std::optional<std::string> said = job_.get(0, key);
    if (said && said->starts_with('-')) refused(*said);
    if (!said || said->size() != 1 + sizeof place_)
      mpx::detail::throw_error(errc::protocol,
                               "rank 0 publishes no place for the ranks of its host to meet: build "
                               "all ranks from one mpx");
    std::memcpy(&place_, said->data() + 1, sizeof place_);
    if (!knock() || !take()) {
      job_.fence([] {});
      tell_hosts();
    }
  }
  [[gnu::noinline, gnu::cold]] bool knock() {
    sockaddr_un name;
    const socklen_t bytes = address(place_, name);
    rank_0_ = owned_fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    if (!rank_0_) return false;
    const timeval patience{patience_s, 0};
    ::setsockopt(rank_0_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(rank_0_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (::connect(rank_0_.get(), reinterpret_cast<const sockaddr*>(&name), bytes) != 0 ||
        !is_ours(rank_0_.get()))
      return false;
    const hello mine = greeting();
    return ::send(rank_0_.get(), &mine, sizeof mine, MSG_NOSIGNAL) == sizeof mine;
  }
  [[gnu::noinline, gnu::cold]] bool take() {
    int both[2] = {-1, -1};
    descriptor_message m;
    if (::recvmsg(rank_0_.get(), &m.message, MSG_CMSG_CLOEXEC) != 1) return false;
    const cmsghdr* const head = m.head();
    if (head == nullptr || head->cmsg_type != SCM_RIGHTS || head->cmsg_len != CMSG_LEN(sizeof both))
      return false;
    std::memcpy(both, CMSG_DATA(head), sizeof both);
    const owned_fd control(both[0]), shared(both[1]);
    map_ = job_segment::open(control.get(), job_.size());
    const file_view view(shared.get(), job_segment(map_).shared_identity());
    shared_ = memory_file::duplicate(view);
    return true;
  }

  // --- both ---

  [[gnu::noinline, gnu::cold]] hello greeting() const noexcept {
    hello mine;
    std::memcpy(mine.secret, place_.secret, sizeof mine.secret);
    struct stat info{};
    if (::stat("/proc/self/ns/pid", &info) == 0) mine.pid_namespace = info.st_ino;
    mine.rank = job_.rank();
    mine.size = job_.size();
    return mine;
  }

  [[noreturn, gnu::noinline, gnu::cold]] static void refused(const std::string& said) {
    mpx::detail::throw_error(errc::no_resources, "rank 0 cannot make the job's memory: %s",
                             said.c_str() + 1);
  }

  /// The ranks do not share a host: all say so, and where they are.
  [[noreturn, gnu::noinline, gnu::cold]] void tell_hosts() {
    job_.put("mpx.host", job_.host());
    job_.fence([] {});
    std::string text;
    if (job_.rank() == 0) {
      for (rank_t r = 0; r < job_.size() && text.size() < 250; ++r) {
        const std::optional<std::string> host = job_.get(r, "mpx.host");
        const bool met = r == 0 || guests_[static_cast<std::size_t>(r)] >= 0;
        text += mpx::detail::formatted("%srank %d on %s%s", r == 0 ? "" : ", ", r,
                                       host ? host->c_str() : "?", met ? "" : " (apart)");
      }
      if (text.size() >= 250) text += ", ...";
      job_.put("mpx.hosts", text);
    }
    job_.fence([] {});
    if (job_.rank() != 0) text = job_.get(0, "mpx.hosts").value_or("");
    mpx::detail::throw_error(
        errc::bootstrap,
        "not all ranks of this job share memory with rank 0: %s; this stack's transport joins "
        "ranks "
        "of one host: start all of them on one (`mpiexec -hosts HOST`, `srun -N 1`), or choose a "
        "transport between hosts; ranks of one host in containers need one network namespace",
        text.c_str());
  }

  launcher& job_;
  place place_{};
  memory_file control_;
  memory_file shared_;  // Handed out later, too.
  mapping map_;
  owned_fd door_;             // Of rank 0.
  owned_fd rank_0_;           // Of the others.
  plain_array<int> callers_;  // Who has come and said nothing yet.
  plain_array<int> guests_;   // By rank; -1: it is not there.
  rank_t there_ = 0;
  bool strange_ = false;  // Some have another pid namespace.
};

}  // namespace mpx::inline v0::bootstrap::detail
