// SPDX-License-Identifier: BSL-1.0
#pragma once
// Result of a receive: source, tag, length, and error.

#include <cstddef>
#include <optional>
#include <type_traits>

#include "mpx/core/error.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

/// Result of a receive or a probe. For a send, only `error()` and `cancelled()` are meaningful.
class status {
 public:
  constexpr status() = default;
  /// For the library and for tests of programs.
  constexpr status(rank_t source, tag_t tag, std::size_t bytes, int failure = 0,
                   bool cancelled = false) noexcept
      : bytes_(bytes), source_(source), tag_(tag), failure_(failure), cancelled_(cancelled) {}

  /// Returns the sender's rank in the communicator of the receive; proc_null for an empty status.
  [[nodiscard]] constexpr rank_t source() const noexcept { return source_; }
  /// Returns the message's tag; any_tag for an empty status.
  [[nodiscard]] constexpr tag_t tag() const noexcept { return tag_; }
  /// Returns the message's full length in bytes, even if it was truncated.
  [[nodiscard]] constexpr std::size_t bytes() const noexcept { return bytes_; }
  /// Returns the number of elements of T; nothing if the length is not a multiple of sizeof(T).
  template <class T>
  requires(std::is_trivially_copyable_v<T> || enable_transfer<T>)
  [[nodiscard]] constexpr std::optional<std::size_t> count() const noexcept {
    if (bytes_ % sizeof(T) != 0) return std::nullopt;
    return bytes_ / sizeof(T);
  }
  /// True if the receive or send was cancelled.
  [[nodiscard]] constexpr bool cancelled() const noexcept { return cancelled_; }
  /// True if all members are equal.
  friend constexpr bool operator==(const status&, const status&) = default;

  /// True if there is an error.
  /// Cost: one comparison; `error()` also makes calls of the standard library.
  [[nodiscard]] constexpr bool failed() const noexcept { return failure_ != 0; }
  /// Returns the error; empty on success.
  [[nodiscard]] std::error_code error() const noexcept {
    return failure_ == 0 ? std::error_code{} : make_error_code(static_cast<errc>(failure_));
  }

 private:
  std::size_t bytes_ = 0;
  rank_t source_ = proc_null;
  tag_t tag_ = any_tag;
  int failure_ = 0;
  bool cancelled_ = false;
};

}  // namespace mpx::inline v0
