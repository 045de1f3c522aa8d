// SPDX-License-Identifier: BSL-1.0
#pragma once
// A rank of a job whose launcher offers a key-value store and fences to this process as its client.
// Shared by the bootstraps over such launchers.

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/bootstrap/detail/published.hpp"
#include "mpx/core/error.hpp"
#include "mpx/core/exchange.hpp"
#include "mpx/core/function_ref.hpp"
#include "mpx/core/platform.hpp"

namespace mpx::inline v0::bootstrap::detail {

/// Waits until a reader has emptied the pipe `fd`, for at most `most_ns`. Launchers forward the
/// output of ranks, but lose unread output when they end a job.
[[gnu::noinline, gnu::cold]] inline void wait_until_read(int fd, std::int64_t most_ns) noexcept {
  struct ::stat is{};
  if (::fstat(fd, &is) != 0 || !S_ISFIFO(is.st_mode)) return;
  const std::int64_t until_ns = platform::now_ns() + most_ns;
  const ::timespec pause{0, 1'000'000};
  int unread = 0;
  while (::ioctl(fd, FIONREAD, &unread) == 0 && unread > 0 && platform::now_ns() < until_ns)
    ::nanosleep(&pause, nullptr);
}

/// A rank of such a job. There is one `Client` for each process; it outlives this object. It has
/// `rank()`, `size()`, `is_here()` (true in the process that the launcher started),
/// `next_environment()`, `fence(idle)`, `abort(code, why)`, which returns, and
/// - `mark_failed()`: the launcher is not told that this process ends cleanly, unless the process
///   begins another environment afterwards;
/// - `publish(environment, fence, text)`: publishes the values that this rank has put before that
///   fence; called at most once a fence;
/// - `published_by(rank, environment, fence)`: returns the values of any rank; nothing if it
///   published none;
/// - `publishes_always`: true if a value missing after a fence may still be on its way, so that
///   ranks publish before every fence even if they have no values.
template <class Client>
class client_member {
 public:
  using policy_axis = bootstrap_axis;

  client_member(client_member&&) = default;
  client_member& operator=(client_member&&) = default;
  /// Leaves the job cleanly, unless an exception is propagating. A failure while joining, or one
  /// that ends the environment early, leaves other ranks waiting, and only the launcher can tell
  /// them.
  [[gnu::noinline, gnu::cold]] ~client_member() {
    if (!left_.already) leave(std::uncaught_exceptions() <= exceptions_);
  }
  /// Declares how the rank leaves, before it does.
  void leave(bool well) noexcept {
    left_.already = true;
    if (!well && client_->is_here()) client_->mark_failed();
  }

  rank_t rank() const noexcept { return client_->rank(); }
  rank_t size() const noexcept { return client_->size(); }
  std::string_view host() const noexcept { return host_; }

  [[gnu::noinline, gnu::cold]] void put(std::string_view key, std::string_view value) {
    check("put");
    waiting_.put(key, value);
  }
  [[gnu::noinline, gnu::cold]] std::optional<std::string> get(rank_t rank,
                                                              std::string_view key) const {
    check("get");
    if (rank < 0 || rank >= size())
      mpx::detail::throw_error(errc::rank, "rank %d in a job of %d", rank, size());
    std::optional<std::string> found;
    for (std::uint64_t n = fences_; n > 0 && !found; --n)
      if (const auto all = client_->published_by(rank, environment_, n))
        found = published::find(*all, key);
    return found;
  }

  template <std::invocable Idle>
  void fence(Idle&& idle) {
    enter([&idle] { idle(); });
  }

  [[noreturn]] void abort(int code, std::string_view why) {
    std::fflush(stdout);
    if (client_->is_here()) {
      std::fprintf(stderr, "mpx: rank %d aborted the job with code %d: %.*s\n", rank(), code,
                   static_cast<int>(why.size()), why.data());
      wait_until_read(STDERR_FILENO, reading_ns_max);
      client_->abort(code, why);
    }
    std::fflush(stderr);
    ::_exit(code > 0 && code < 256 ? code : 1);
  }

 protected:
  [[gnu::noinline, gnu::cold]] explicit client_member(Client& launcher)
      : client_(&launcher), environment_(launcher.next_environment()) {
    if (::gethostname(host_, sizeof host_ - 1) != 0) std::strcpy(host_, "localhost");
  }

 private:
  static constexpr std::int64_t reading_ns_max = 500'000'000;

  /// True once the way of leaving has been declared. A moved-from object declares nothing.
  struct leaving {
    leaving() = default;
    leaving(leaving&& other) noexcept : already(mpx::detail::exchange(other.already, true)) {}
    leaving& operator=(leaving&& other) noexcept {
      already = mpx::detail::exchange(other.already, true);
      return *this;
    }
    ~leaving() = default;
    bool already = false;
  };

  [[gnu::noinline, gnu::cold]] void check(const char* what) const {
    if (!client_->is_here())
      mpx::detail::throw_error(errc::not_a_rank, "%s in process %d, a child of rank %d", what,
                               static_cast<int>(::getpid()), rank());
  }
  [[gnu::noinline, gnu::cold]] void enter(mpx::detail::function_ref<void()> idle) {
    check("fence");
    if (fence_failed_)
      mpx::detail::throw_error(errc::aborted, "fence: an earlier one of this environment failed");
    fence_failed_ = true;  // Reset if the fence returns.
    if (!waiting_.empty())
      client_->publish(environment_, fences_ + 1, waiting_.take());
    else if (Client::publishes_always)
      client_->publish(environment_, fences_ + 1, published::nothing);
    client_->fence(idle);
    ++fences_;
    fence_failed_ = false;
  }

  Client* client_;
  std::uint64_t environment_;
  std::uint64_t fences_ = 0;
  published waiting_;  // Values put since the last fence.
  bool fence_failed_ = false;
  leaving left_;
  int exceptions_ = std::uncaught_exceptions();
  char host_[65] = {};
};

}  // namespace mpx::inline v0::bootstrap::detail
