// SPDX-License-Identifier: BSL-1.0
#pragma once
// Descendants of this process, of any session, group or user. Their orphans become children of a
// subreaper, so that none is out of reach; /proc names the parent of each process.

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mpx/core/platform.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace launcher {

/// A line of /proc/PID/stat.
struct process {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = 0;
  unsigned long long started = 0;  // with the pid, this identifies it
  int wait_status = 0;             // of a zombie, for callers that may know
  std::string name;

  bool ended() const noexcept { return state == 'Z' || state == 'X'; }
};

inline std::optional<process> look_up(pid_t pid) {
  const int fd = ::open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  char line[2048];
  const ssize_t bytes = ::read(fd, line, sizeof line - 1);
  ::close(fd);
  if (bytes <= 0) return {};
  line[bytes] = 0;
  const char* name = std::strchr(line, '(');
  const char* after = std::strrchr(line, ')');
  if (name == nullptr || after == nullptr) return {};
  process found;
  found.pid = pid;
  found.name.assign(name + 1, after);
  // From the third field on: state, parent, 17 others, start, 29 others, exit code.
  if (std::sscanf(after + 1,
                  " %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu"
                  " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
                  " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d",
                  &found.state, &found.parent, &found.started, &found.wait_status) < 3)
    return {};
  return found;
}

/// True if `pid` is a descendant of `self`, according to `look_up`. A process between them may end
/// between two look-ups: its children have another parent by then.
template <class LookUp>
bool descends_from(pid_t pid, pid_t self, LookUp&& look_up) {
  pid_t at = pid;
  for (int looks = 0; at > 1 && looks < 1024; ++looks) {
    const auto it = look_up(at);
    if (!it && at == pid) return false;
    at = it ? it->parent : pid;
    if (at == self) return true;
  }
  return false;
}
/// True if `pid` is a descendant of this process.
inline bool descends_from_here(pid_t pid) { return descends_from(pid, ::getpid(), look_up); }

/// The living processes below this one. Cost: a look at every process of the machine.
inline std::vector<process> everything_below() {
  std::unordered_map<pid_t, process> all;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  for (const dirent* at; folder && (at = ::readdir(folder.get())) != nullptr;)
    if (const int pid = std::atoi(at->d_name); pid > 0)
      if (auto it = look_up(pid)) all.emplace(pid, std::move(*it));
  const pid_t self = ::getpid();
  std::vector<process> below;
  for (const auto& [pid, it] : all) {
    if (it.ended()) continue;
    pid_t above = it.parent;
    auto at = all.find(above);
    for (std::size_t depth = 0; at != all.end() && above != self && depth < all.size(); ++depth) {
      above = at->second.parent;
      at = all.find(above);
    }
    const bool is_gone = at == all.end() && above > 1;  // The parent has ended.
    if (above == self || (is_gone && descends_from_here(pid))) below.push_back(it);
  }
  return below;
}

inline int pidfd_of(pid_t pid) noexcept {
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));  // closed on exec
}

inline void signal_by_pidfd(int fd, int signal) noexcept {
  ::syscall(SYS_pidfd_send_signal, fd, signal, nullptr, 0);
}

/// Signals this process and no other that has got its pid since.
inline void signal_exactly(const process& it, int signal) {
  const int fd = pidfd_of(it.pid);
  if (const auto now = look_up(it.pid); now && now->started == it.started) {
    if (fd >= 0) {
      signal_by_pidfd(fd, signal);
    } else {
      ::kill(it.pid, signal);
    }
  }
  if (fd >= 0) ::close(fd);
}

/// Signals all descendants of this process; returns their ids.
inline std::vector<process> signal_below(int signal) {
  auto below = everything_below();
  for (const auto& it : below) signal_exactly(it, signal);
  return below;
}

/// True if this process has no descendants left, zombies included.
inline bool childless() noexcept {
  siginfo_t info;
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
}

/// Kills and reaps everything below this process, which has to block SIGCHLD. Returns whether
/// that took no longer than `patience_ns`.
inline bool end_everything(std::int64_t patience_ns) {
  sigset_t death;
  ::sigemptyset(&death);
  ::sigaddset(&death, SIGCHLD);
  const timespec nap{0, 10'000'000};
  const std::int64_t deadline_ns = mpx::platform::now_ns() + patience_ns;
  while (!childless()) {
    if (mpx::platform::now_ns() > deadline_ns) return false;
    signal_below(SIGKILL);
    ::sigtimedwait(&death, nullptr, &nap);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
  return true;
}

/// Wait status of a process that is not our child, as waitpid would give it; nothing if it cannot
/// be known. `fd` is its pidfd.
inline std::optional<int> wait_status_of(pid_t pid, int fd) {
  // While it is a zombie /proc shows it, to its own user and to root (to others it shows 0).
  struct stat owner{};
  const bool ours = ::stat(("/proc/" + std::to_string(pid)).c_str(), &owner) == 0 &&
                    (::geteuid() == 0 || ::geteuid() == owner.st_uid);
  if (const auto it = look_up(pid); ours && it && it->ended()) return it->wait_status;
  // Since Linux 6.15 its pidfd knows, once it has been reaped.
  struct pidfd_info {
    std::uint64_t mask, cgroup;
    std::uint32_t pid, tgid, ppid, ids[8];
    std::int32_t exit_code;
  } info{};
  static_assert(sizeof info == 64);
  constexpr std::uint64_t exit_info = 1u << 3;
  info.mask = exit_info;
  if (::ioctl(fd, _IOWR(0xff, 11, pidfd_info), &info) == 0 && (info.mask & exit_info) != 0)
    return info.exit_code;
  return {};
}

}  // namespace launcher
