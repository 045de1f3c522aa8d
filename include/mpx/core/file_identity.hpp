// SPDX-License-Identifier: BSL-1.0
#pragma once
// Identity of the file behind a descriptor. The program may close a descriptor of mpx by mistake
// and reuse its number for another file. Therefore the file is compared with the one opened
// originally before the number is used later.

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "mpx/core/error.hpp"

namespace mpx::inline v0 {

/// Identifies a file among all files that exist at the same time. Default: no file.
struct file_identity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  /// Returns the file behind `fd`; empty if `fd` is not open.
  [[gnu::noinline, gnu::cold]] static file_identity of(int fd) noexcept {
    struct stat info{};
    if (::fstat(fd, &info) != 0) return {};
    return {static_cast<std::uint64_t>(info.st_dev), static_cast<std::uint64_t>(info.st_ino)};
  }

  explicit operator bool() const noexcept { return inode != 0; }
  friend bool operator==(const file_identity&, const file_identity&) = default;

  /// True if `fd` is open and refers to this file.
  [[gnu::noinline, gnu::cold]] bool is_behind(int fd) const noexcept {
    return *this && of(fd) == *this;
  }

  /// Errors:     errc::no_resources, with the descriptor's number, if `fd` does not refer to this
  ///             file any more.
  [[gnu::noinline, gnu::cold]] void check(int fd) const {
    if (is_behind(fd)) return;
    detail::throw_error(
        errc::no_resources,
        "descriptor %d%s: the program closed a descriptor that it had not opened; let it close "
        "only its own, or after the last mpx::environment",
        fd,
        of(fd) ? " names another file than the job's memory" : ", the job's memory, is not open");
  }
};

}  // namespace mpx::inline v0
