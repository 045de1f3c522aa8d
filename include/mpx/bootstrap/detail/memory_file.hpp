// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory with a descriptor and no name. It is inherited, not looked up, so that nothing remains
// however its users end.

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>

#include "mpx/core/error.hpp"
#include "mpx/core/exchange.hpp"
#include "mpx/core/file_identity.hpp"
#include "mpx/core/mapping.hpp"

namespace mpx::inline v0::bootstrap {

/// Makes the memory file `fd` at least `bytes` long. The new part reads as zeros and takes no
/// memory until it is touched. Any number of processes may call it at a time, since a file never
/// becomes shorter.
/// Errors:     errc::no_resources.
[[gnu::noinline, gnu::cold]] inline void grow(int fd, std::uint64_t bytes) {
  for (int attempt = 0;; ++attempt) {
    struct stat info{};
    if (::fstat(fd, &info) == 0 && static_cast<std::uint64_t>(info.st_size) >= bytes) return;
    rlimit longest{};  // Beyond it the kernel sends SIGXFSZ.
    if (::getrlimit(RLIMIT_FSIZE, &longest) == 0 && bytes > longest.rlim_cur)
      mpx::detail::throw_error(
          errc::no_resources,
          "the job's shared memory is a file of %llu bytes (sparse: it takes memory only where it "
          "is written), but no file of this process may be longer than %llu: raise `ulimit -f`, to "
          "`unlimited`",
          static_cast<unsigned long long>(bytes),
          static_cast<unsigned long long>(longest.rlim_cur));
    if (::ftruncate(fd, static_cast<off_t>(bytes)) == 0) return;
    // EPERM: another process made the file longer still since fstat, and it is sealed against
    // shrinking.
    const int why = errno;
    if ((why == EPERM || why == EINTR) && attempt < 100) continue;
    mpx::detail::throw_error(
        errc::no_resources, "growing shared memory to %llu bytes failed (%s): check `ulimit -f`",
        static_cast<unsigned long long>(bytes), std::system_category().message(why).c_str());
  }
}

/// A memory file by a descriptor that another object owns and the program may have closed. Every
/// use checks that the descriptor still names that file.
class file_view {
 public:
  file_view() = default;
  file_view(int fd, const file_identity& identity) noexcept : fd_(fd), identity_(identity) {}

  int fd() const noexcept { return fd_; }
  const file_identity& identity() const noexcept { return identity_; }
  bool intact() const noexcept { return identity_.is_behind(fd_); }

  // Errors:     errc::no_resources, also if the descriptor names another file by now.
  void check() const { identity_.check(fd_); }
  void grow(std::uint64_t bytes) const {
    check();
    bootstrap::grow(fd_, bytes);
  }
  mapping map(std::uint64_t offset, std::size_t bytes) const {
    check();
    return mapping(fd_, offset, bytes);
  }
  /// Gives the memory of a part back; the part reads as zeros from now on. Returns true on success.
  bool clear(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    return intact() && ::fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                   static_cast<off_t>(offset), static_cast<off_t>(bytes)) == 0;
  }

 private:
  int fd_ = -1;
  file_identity identity_;
};

/// Owns the descriptor of a memory file.
class memory_file {
 public:
  memory_file() = default;

  /// Makes an empty file that can grow but never shrink, so that a mapping of it always stays
  /// backed.
  /// Errors:     errc::no_resources.
  explicit memory_file(const char* name)
      : memory_file(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING), "memfd_create") {
    if (::fcntl(fd(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) refused("sealing a memory file", errno);
  }

  /// Returns a second descriptor of the same file, closed on exec.
  /// Errors:     errc::no_resources.
  static memory_file duplicate(const file_view& of) {
    of.check();
    return memory_file(::fcntl(of.fd(), F_DUPFD_CLOEXEC, 0), "duplicating a memory file");
  }

  memory_file(memory_file&& other) noexcept : view_(mpx::detail::exchange(other.view_, {})) {}
  memory_file& operator=(memory_file&& other) noexcept {
    view_ = mpx::detail::exchange(other.view_, view_);
    return *this;
  }
  ~memory_file() {
    if (view_.intact()) ::close(fd());  // Otherwise it is another file's descriptor.
  }

  int fd() const noexcept { return view_.fd(); }
  const file_view& view() const noexcept { return view_; }
  explicit operator bool() const noexcept { return fd() >= 0; }

  /// True if `fd` is an open memory file that is sealed against shrinking.
  static bool usable(int fd) noexcept {
    const int seals = ::fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_SHRINK) != 0;
  }

 private:
  /// Takes the result of a system call.
  memory_file(int fd, const char* call) {
    if (fd < 0) refused(call, errno);
    view_ = file_view(fd, file_identity::of(fd));
  }
  [[noreturn]] static void refused(const char* what, int why) {
    mpx::detail::throw_error(errc::no_resources, "%s failed (%s): check `ulimit -n`", what,
                             std::system_category().message(why).c_str());
  }

  file_view view_;
};

}  // namespace mpx::inline v0::bootstrap
