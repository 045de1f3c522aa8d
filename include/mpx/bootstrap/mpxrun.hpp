// SPDX-License-Identifier: BSL-1.0
#pragma once
// Joins the job that mpxrun started. mpxrun passes two inherited memory files and two numbers
// through the environment: MPX_JOB_FD (control), MPX_SHM_FD (data), MPX_RANK, MPX_SIZE. It also
// passes a socket, MPX_LAUNCHER_FD, on which each rank reports that it has joined.

#include <fcntl.h>
#include <signal.h>
#include <stdio_ext.h>
#include <sys/prctl.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "mpx/bootstrap/detail/launcher_notice.hpp"
#include "mpx/bootstrap/detail/member.hpp"
#include "mpx/core/numbers.hpp"

namespace mpx::inline v0::bootstrap {

/// A rank that mpxrun started, directly or through a wrapper such as a shell.
class mpxrun : public member {
 public:
  static constexpr bool is_monitored = true;
  /// True if mpxrun started this process.
  static bool present() noexcept { return std::getenv("MPX_JOB_FD") != nullptr; }

  /// Joins the job.
  /// Errors:     errc::bootstrap, naming the variable, its value and the remedy;
  ///             errc::no_resources.
  [[gnu::noinline, gnu::cold]] mpxrun() : mpxrun(settings{}) {}

 private:
  struct settings {
    rank_t size = static_cast<rank_t>(number("MPX_SIZE", 1, ranks_max));
    rank_t rank = static_cast<rank_t>(number("MPX_RANK", 0, size - 1));
    int job_fd = descriptor("MPX_JOB_FD");
    file_view shared = shared_file("MPX_SHM_FD", job_fd, size);
  };

  explicit mpxrun(const settings& s)
      : member(job_segment::open(s.job_fd, s.size), memory_file::duplicate(s.shared), s.rank,
               ending::process) {
    // A program started by this process is not a rank. Without descriptors it gets a clear error,
    // not a hang.
    ::fcntl(s.job_fd, F_SETFD, FD_CLOEXEC);
    ::fcntl(s.shared.fd(), F_SETFD, FD_CLOEXEC);
    tell_launcher(s.rank);
    die_with_launcher();
    print_by_lines();
  }

  /// Tells mpxrun which process the rank is: a wrapper may stand between them and outlive the rank.
  /// Without the socket mpxrun relies on the end of the wrapper.
  void tell_launcher(rank_t rank) noexcept {
    const char* value = std::getenv("MPX_LAUNCHER_FD");
    std::uint64_t fd = 0;
    if (value == nullptr || !mpx::detail::parse_number(value, 0x7fffffff, fd)) return;
    const int socket = static_cast<int>(fd);
    if (!detail::is_launcher_socket(socket)) return;
    ::fcntl(socket, F_SETFD, FD_CLOEXEC);
    detail::tell_launcher(socket, {rank, static_cast<std::int32_t>(::getpid()), 0});
    launched_over(socket);
  }

  /// Requests SIGKILL at the death of mpxrun. mpxrun sets this for its children, but the kernel
  /// clears it at a change of user. (Not below a wrapper: there the death of a thread of the
  /// wrapper would count. mpxrun ends those ranks itself.)
  void die_with_launcher() const noexcept {
    const pid_t launcher = segment().launcher_pid();
    if (::getppid() != launcher) return;
    ::prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGKILL));
    if (::getppid() != launcher) ::raise(SIGKILL);  // It died before the prctl.
  }

  /// Makes standard output line-buffered. It is a pipe to mpxrun, for which the C library buffers
  /// kilobytes; they would be lost if the rank crashes or is ended because another rank failed.
  /// Done once only, so that the program may choose otherwise, and not if the program has made the
  /// stream unbuffered before.
  [[gnu::noinline, gnu::cold]] static void print_by_lines() noexcept {
    static const bool once = [] {
      if (::__fbufsize(stdout) == 1) return true;  // Unbuffered: glibc's buffer has one byte.
      if (::__flbf(stdout) != 0) return true;      // Line-buffered: set by another shared object.
      // The buffer is supplied here, because glibc 2.37 and later first fill a partially filled
      // buffer of their own without looking for lines. It stays valid when this shared object is
      // unloaded.
      constexpr std::size_t bytes = 4096;
      auto* const lines = static_cast<char*>(std::malloc(bytes));
      if (lines == nullptr) return false;
      std::fflush(stdout);
      return std::setvbuf(stdout, lines, _IOLBF, bytes) == 0;
    }();
    static_cast<void>(once);
  }

  static const char* text(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr)
      mpx::detail::throw_error(errc::bootstrap, "%s is not set though MPX_JOB_FD is: %s", name,
                               advice);
    return value;
  }

  [[gnu::noinline, gnu::cold]] static int number(const char* name, int least, int most) {
    const char* const value = text(name);
    std::uint64_t n = 0;
    if (!mpx::detail::parse_number(value, static_cast<std::uint64_t>(most), n) ||
        n < static_cast<std::uint64_t>(least))
      mpx::detail::throw_error(errc::bootstrap, "%s is '%s', not a number from %d to %d: %s", name,
                               value, least, most, advice);
    return static_cast<int>(n);
  }

  static int descriptor(const char* name) {
    const int fd = number(name, 0, 0x7fffffff);
    if (!memory_file::usable(fd)) refuse(name, fd);
    return fd;
  }
  /// The file that the control segment names as the shared one.
  static file_view shared_file(const char* name, int job_fd, rank_t size) {
    const int fd = descriptor(name);
    const mapping map = job_segment::open(job_fd, size);
    const file_view shared(fd, job_segment(map).shared_identity());
    if (!shared.intact()) refuse(name, fd);
    return shared;
  }
  [[noreturn]] static void refuse(const char* name, int fd) {
    mpx::detail::throw_error(
        errc::bootstrap,
        "%s is '%d', which is not an open memory file of this job of mpxrun (a program that closes "
        "descriptors which it has not opened, or does not inherit them, stands between, or is this "
        "one; or a rank started this program): %s",
        name, fd, advice);
  }

  static constexpr const char* advice =
      "start the program with `mpxrun -n N program`, or unset MPX_JOB_FD to run it alone";
};

}  // namespace mpx::inline v0::bootstrap
