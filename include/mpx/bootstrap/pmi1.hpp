// SPDX-License-Identifier: BSL-1.0
#pragma once
// Joins a job of a launcher that speaks PMI-1: Hydra (MPICH's mpiexec), Slurm (srun --mpi=pmi2) and
// others.

#include <unistd.h>

#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/bootstrap/detail/joiner_by.hpp"
#include "mpx/bootstrap/detail/pmi_connection.hpp"
#include "mpx/bootstrap/detail/published.hpp"

namespace mpx::inline v0::bootstrap {

/// A rank of such a job, on any number of hosts. Move-only.
///
/// What a rank publishes between two fences is one value of the launcher's store (several, where it
/// is longer than that allows). Fences are the launcher's, and those of the whole process: ranks
/// enter fences of several environments in the same order. Of the living and the dead the launcher
/// tells nothing; ranks of one host learn that by `one_host<pmi1>`.
class pmi1 {
 public:
  using policy_axis = bootstrap_axis;

  /// Why this process cannot join by PMI-1, in words; "" if it was started so.
  [[gnu::noinline, gnu::cold]] static std::string refusal() {
    if (std::getenv("PMI_FD") != nullptr) return "";
    return std::getenv("PMI_PORT") == nullptr
               ? "PMI_FD is not set"
               : "PMI_FD is not set (PMI_PORT is: start mpiexec without -pmi-port)";
  }

  /// Errors: errc::bootstrap.
  [[gnu::noinline, gnu::cold]] pmi1() : pmi1(detail::pmi_connection::of_process()) {}
  /// Over a connection that outlives this.
  explicit pmi1(detail::pmi_connection& launcher)
      : launcher_(&launcher), environment_(launcher.next_environment()) {
    if (::gethostname(host_, sizeof host_ - 1) != 0) std::strcpy(host_, "localhost");
  }
  pmi1(pmi1&&) = default;
  pmi1& operator=(pmi1&&) = default;

  rank_t rank() const noexcept { return launcher_->rank(); }
  rank_t size() const noexcept { return launcher_->size(); }
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
      found = detail::published::find(fetch(rank, n), key);
    return found;
  }

  template <std::invocable Idle>
  void fence(Idle&& idle) {
    check("fence");
    if (fence_failed_)
      mpx::detail::throw_error(errc::aborted, "fence: an earlier one of this environment failed");
    fence_failed_ = true;  // Unless it returns.
    if (!waiting_.empty()) store(waiting_.take());
    launcher_->fence([&idle] { idle(); });
    ++fences_;
    fence_failed_ = false;
  }

  [[noreturn]] void abort(int code, std::string_view why) {
    std::fflush(stdout);
    if (launcher_->is_here()) {
      std::fprintf(stderr, "mpx: rank %d aborted the job with code %d: %.*s\n", rank(), code,
                   static_cast<int>(why.size()), why.data());
      launcher_->abort(code);
    }
    std::fflush(stderr);
    ::_exit(code > 0 && code < 256 ? code : 1);
  }

 private:
  static constexpr std::size_t header_bytes = 7;  // The number of parts, and a colon.

  [[gnu::noinline, gnu::cold]] void check(const char* what) const {
    if (!launcher_->is_here())
      mpx::detail::throw_error(errc::not_a_rank, "%s in process %d, a child of rank %d", what,
                               static_cast<int>(::getpid()), rank());
  }

  /// What names the `part`-th part of what `rank` has published before its `fence`-th fence.
  [[gnu::noinline, gnu::cold]] std::string name(rank_t rank, std::uint64_t fence,
                                                std::size_t part) const {
    return mpx::detail::formatted("mpx.%llu.%d.%llu.%zu",
                                  static_cast<unsigned long long>(environment_), rank,
                                  static_cast<unsigned long long>(fence), part);
  }
  /// The first part starts with their number.
  [[gnu::noinline, gnu::cold]] void store(std::string_view all) {
    const std::string text = detail::published::escaped(all);
    const std::size_t most = launcher_->value_bytes_max();
    const std::size_t parts = (header_bytes + text.size() + most - 1) / most;
    const std::string whole = mpx::detail::formatted("%06zu:", parts) + text;
    for (std::size_t part = 0; part < parts; ++part)
      launcher_->put(name(rank(), fences_ + 1, part),
                     std::string_view(whole).substr(part * most, most));
  }
  /// What `rank` has published before its `fence`-th fence; "" if nothing.
  [[gnu::noinline, gnu::cold]] std::string fetch(rank_t rank, std::uint64_t fence) const {
    const std::optional<std::string> first = launcher_->get(name(rank, fence, 0));
    if (!first) return {};
    std::uint64_t parts = 0;
    if (first->size() < header_bytes ||
        !mpx::detail::parse_number(std::string_view(*first).substr(0, header_bytes - 1),
                                   3 * detail::published::bytes_max, parts))
      detail::published::damaged();
    std::string text = first->substr(header_bytes);
    for (std::size_t part = 1; part < parts; ++part) {
      const std::optional<std::string> more = launcher_->get(name(rank, fence, part));
      if (!more) detail::published::damaged();
      text += *more;
    }
    return detail::published::unescaped(text);
  }

  detail::pmi_connection* launcher_;
  std::uint64_t environment_;
  std::uint64_t fences_ = 0;
  detail::published waiting_;  // Put since the last fence.
  bool fence_failed_ = false;
  char host_[65] = {};
};

namespace detail {

inline added_joiner pmi1_is_there(joiner_by<pmi1>("pmi1", 1));  // NOLINT(*-global-variables)

}  // namespace detail

}  // namespace mpx::inline v0::bootstrap
