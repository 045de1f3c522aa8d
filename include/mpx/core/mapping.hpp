// SPDX-License-Identifier: BSL-1.0
#pragma once
// Mapping of a part of a file, or of anonymous memory, for the lifetime of an object.

#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>

#include "mpx/core/error.hpp"
#include "mpx/core/exchange.hpp"

namespace mpx::inline v0 {

/// Owns one mapping. Pages take memory when they are first touched.
class mapping {
 public:
  mapping() = default;

  /// Maps `bytes` of `fd` from `offset` on (a multiple of the page size) for reading and writing,
  /// shared with other mappings of the file.
  /// Errors:     errc::no_resources, with the size and the limits to raise.
  mapping(int fd, std::uint64_t offset, std::size_t bytes) : bytes_(bytes) {
    map(MAP_SHARED | MAP_NORESERVE, fd, static_cast<off_t>(offset));
  }

  /// Maps `bytes` of anonymous memory, shared with the children of this process.
  explicit mapping(std::size_t bytes) : bytes_(bytes) {
    map(MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }

  /// Maps `bytes` of private anonymous memory; a child gets a copy.
  static mapping of_own(std::size_t bytes) {
    mapping m;
    m.bytes_ = bytes;
    m.map(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return m;
  }

  mapping(mapping&& other) noexcept
      : data_(detail::exchange(other.data_, nullptr)), bytes_(detail::exchange(other.bytes_, 0)) {}
  mapping& operator=(mapping&& other) noexcept {
    data_ = detail::exchange(other.data_, data_);
    bytes_ = detail::exchange(other.bytes_, bytes_);
    return *this;
  }
  [[gnu::noinline, gnu::cold]] ~mapping() {
    if (data_ != nullptr) ::munmap(data_, bytes_);
  }

  std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return bytes_; }
  explicit operator bool() const noexcept { return data_ != nullptr; }

  /// Sets whether a core dump includes `bytes` from `offset` on (a multiple of the page size); the
  /// default is true. Dumping a large empty mapping takes long and is useless.
  void set_dumped(bool dumped, std::uint64_t offset, std::size_t bytes) const noexcept {
    ::madvise(data_ + offset, bytes, dumped ? MADV_DODUMP : MADV_DONTDUMP);
  }
  void set_dumped(bool dumped) const noexcept { set_dumped(dumped, 0, bytes_); }

 private:
  [[gnu::noinline, gnu::cold]] void map(int flags, int fd, off_t offset) {
    void* p = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, flags, fd, offset);
    if (p == MAP_FAILED) {
      const int why = errno;
      detail::throw_error(
          errc::no_resources,
          "mapping %zu bytes of memory failed (%s): check `ulimit -v` and vm.max_map_count", bytes_,
          std::system_category().message(why).c_str());
    }
    data_ = static_cast<std::byte*>(p);
  }

  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace mpx::inline v0
