// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory with a descriptor and no name: it is inherited, not looked up, so that nothing is left
// behind however its users end.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>

#include "mpx/core/error.hpp"

namespace mpx::inline v0::bootstrap {

/// Makes the memory file `fd` at least `bytes` long; the new part reads as zeros, at no cost yet.
/// Any number of processes may do so at once: a file never gets shorter.
/// Errors: errc::no_resources.
inline void grow(int fd, std::uint64_t bytes) {
  for (int attempt = 0;; ++attempt) {
    struct stat info{};
    if (::fstat(fd, &info) == 0 && static_cast<std::uint64_t>(info.st_size) >= bytes) return;
    if (::ftruncate(fd, static_cast<off_t>(bytes)) == 0) return;
    // EPERM: somebody else made it longer still since fstat, and it is sealed against shrinking.
    const int why = errno;
    if ((why == EPERM || why == EINTR) && attempt < 100) continue;
    throw error(errc::no_resources, "growing shared memory to " + std::to_string(bytes) +
                                        " bytes failed (" + std::system_category().message(why) +
                                        "): check `ulimit -f`");
  }
}

/// Owns the descriptor of a memory file.
class memory_file {
 public:
  memory_file() = default;

  /// Makes an empty one that can grow and never shrink: who maps it never meets a hole.
  /// Errors: errc::no_resources.
  explicit memory_file(const char* name)
      : fd_(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    if (fd_ < 0) refused("memfd_create", errno);
    if (::fcntl(fd_, F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
      const int why = errno;
      ::close(std::exchange(fd_, -1));
      refused("sealing a memory file", why);
    }
  }

  /// A second descriptor of the same memory, closed on exec. Errors: errc::no_resources.
  static memory_file duplicate(int fd) {
    memory_file copy;
    copy.fd_ = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (copy.fd_ < 0) refused("duplicating a memory file", errno);
    return copy;
  }

  memory_file(memory_file&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  memory_file& operator=(memory_file&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~memory_file() {
    if (fd_ >= 0) ::close(fd_);
  }

  int fd() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

  /// Whether `fd` is open and is a memory file that cannot shrink below its users.
  static bool usable(int fd) noexcept {
    const int seals = ::fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_SHRINK) != 0;
  }

 private:
  [[noreturn]] static void refused(const char* what, int why) {
    throw error(errc::no_resources, std::string(what) + " failed (" +
                                        std::system_category().message(why) +
                                        "): check `ulimit -n`");
  }

  int fd_ = -1;
};

}  // namespace mpx::inline v0::bootstrap
