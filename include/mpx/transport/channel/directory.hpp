// SPDX-License-Identifier: BSL-1.0
#pragma once
// A directory that the ranks of a job share, for devices that meet by names in the file system.

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/core/error.hpp"

namespace mpx::inline v0::device::detail {

/// Throws errc::no_resources, with the name of a system call and of a file, if a call has failed.
inline void require(bool is_done, const char* call, const std::string& file) {
  if (is_done) return;
  mpx::detail::throw_error(errc::no_resources, "channel device: %s(%s): %s", call, file.c_str(),
                           std::strerror(errno));
}

/// A directory of one user, made by rank 0 below TMPDIR, and removed by rank 0 if it is empty when
/// this object goes.
class directory {
 public:
  /// Collective. `key`: under which rank 0 publishes the path.
  /// Errors:     errc::no_resources, errc::bootstrap.
  template <class B>
  directory(B& b, const char* key) : is_owner_(b.rank() == 0) {
    if (is_owner_) {
      const char* const where = std::getenv("TMPDIR");
      path_ = std::string(where != nullptr && *where != '\0' ? where : "/tmp") + "/mpx-XXXXXX";
      require(::mkdtemp(path_.data()) != nullptr, "mkdtemp", path_);
      b.put(key, path_);
    }
    b.fence([] {});
    const auto said = b.get(0, key);
    if (!said)
      mpx::detail::throw_error(errc::bootstrap, "channel device: rank 0 has published no %s", key);
    path_ = *said;
  }
  directory(const directory&) = delete;
  directory& operator=(const directory&) = delete;
  ~directory() {
    if (is_owner_) ::rmdir(path_.c_str());
  }
  const std::string& path() const noexcept { return path_; }

 private:
  bool is_owner_;
  std::string path_;
};

}  // namespace mpx::inline v0::device::detail
