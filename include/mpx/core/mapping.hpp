// SPDX-License-Identifier: BSL-1.0
#pragma once
// A piece of a file, or of anonymous memory, mapped for as long as the object lives.

#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>

#include "mpx/core/error.hpp"
#include "mpx/core/exchange.hpp"

namespace mpx::inline v0 {

/// Owns one mapping. Pages cost memory when they are first touched, not before.
class mapping {
 public:
  mapping() = default;

  /// Maps `bytes` of `fd` from `offset` (a multiple of the page size) for reading and writing,
  /// shared with whoever else maps them.
  /// Errors: errc::no_resources, naming the size and what to raise.
  mapping(int fd, std::uint64_t offset, std::size_t bytes) : bytes_(bytes) {
    map(MAP_SHARED | MAP_NORESERVE, fd, static_cast<off_t>(offset));
  }

  /// Maps `bytes` of anonymous memory, shared with the children of this process.
  explicit mapping(std::size_t bytes) : bytes_(bytes) {
    map(MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }

  /// Maps `bytes` of anonymous memory that no other process sees; a child gets a copy.
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

  /// Whether a core dump holds `bytes` from `offset` (of a page): it does at first. Dumping a large
  /// and empty mapping takes long, and finds nothing.
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
