// SPDX-License-Identifier: BSL-1.0
#pragma once
// Joining a job of another MPI: its launcher starts the ranks, and its MPI_COMM_WORLD tells them
// who they are. Needs mpi.h; the program calls MPI_Init and MPI_Finalize.

#include "mpx/macros/begin.hpp"

#include <mpi.h>
#include <sched.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/core/error.hpp"

namespace mpx::inline v0::bootstrap {

/// One rank of a job that another MPI has started.
///
/// Requires:   MPI is initialised when it is made, and not finalised before it is gone.
class mpi {
 public:
  using policy_axis = bootstrap_axis;

  /// Collective over all ranks.
  /// Errors:     errc::bootstrap: MPI is not initialised.
  mpi() {
    int is_there = 0;
    int is_over = 0;
    MPI_Initialized(&is_there);
    MPI_Finalized(&is_over);
    if (is_there == 0 || is_over != 0)
      mpx::detail::throw_error(errc::bootstrap,
                               "bootstrap mpi: MPI is not initialised: call MPI_Init before the "
                               "environment is made, and MPI_Finalize after it has gone");
    MPI_Comm_dup(MPI_COMM_WORLD, &all_);
    MPI_Comm_rank(all_, &rank_);
    MPI_Comm_size(all_, &size_);
    char name[MPI_MAX_PROCESSOR_NAME + 1] = {};
    int bytes = 0;
    MPI_Get_processor_name(name, &bytes);
    host_.assign(name, static_cast<std::size_t>(bytes));
  }
  mpi(mpi&& other) noexcept { swap(other); }
  mpi& operator=(mpi&& other) noexcept {
    swap(other);
    return *this;
  }
  ~mpi() {
    if (all_ != MPI_COMM_NULL) MPI_Comm_free(&all_);
  }

  rank_t rank() const noexcept { return rank_; }
  rank_t size() const noexcept { return size_; }
  std::string_view host() const noexcept { return host_; }

  void put(std::string_view key, std::string_view value) {
    if (key.empty() || key.size() > key_bytes_max || value.size() > value_bytes_max)
      mpx::detail::throw_error(errc::argument,
                               "put: a key has 1 to 32 characters, and a value at most 64 KiB");
    append(news_, key);
    append(news_, value);
  }
  std::optional<std::string> get(rank_t rank, std::string_view key) const {
    if (rank < 0 || rank >= size_)
      mpx::detail::throw_error(errc::rank, "get: rank %d in a job of %d", rank, size_);
    const auto it = known_.find({rank, std::string(key)});
    if (it == known_.end()) return {};
    return it->second;
  }
  /// All ranks exchange what they have put since the last fence.
  template <std::invocable Idle>
  void fence(Idle&& idle) {
    const auto n = static_cast<std::size_t>(size_);
    std::vector<int> bytes(n);
    std::vector<int> begin(n);
    const int mine = static_cast<int>(news_.size());
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Iallgather(&mine, 1, MPI_INT, bytes.data(), 1, MPI_INT, all_, &r);
    finish(r, idle);
    std::size_t total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      begin[i] = static_cast<int>(total);
      total += static_cast<std::size_t>(bytes[i]);
    }
    std::string all(total, '\0');
    MPI_Iallgatherv(news_.data(), mine, MPI_CHAR, all.data(), bytes.data(), begin.data(), MPI_CHAR,
                    all_, &r);
    finish(r, idle);
    news_.clear();
    for (std::size_t i = 0; i < n; ++i)
      learn(static_cast<rank_t>(i),
            std::string_view(all).substr(static_cast<std::size_t>(begin[i]),
                                         static_cast<std::size_t>(bytes[i])));
  }
  [[noreturn]] void abort(int code, std::string_view) {
    MPI_Abort(all_, code);
    std::abort();
  }

  /// Returns the communicator of this environment, for device mpi.
  MPI_Comm communicator() const noexcept { return all_; }

 private:
  static constexpr std::size_t key_bytes_max = 32;
  static constexpr std::size_t value_bytes_max = 64 * 1024;

  void swap(mpi& other) noexcept {
    std::swap(all_, other.all_);
    std::swap(rank_, other.rank_);
    std::swap(size_, other.size_);
    host_.swap(other.host_);
    news_.swap(other.news_);
    known_.swap(other.known_);
  }
  /// An exception of `idle` leaves the operation to MPI: no later fence succeeds.
  template <class Idle>
  static void finish(MPI_Request& r, Idle& idle) {
    for (;;) {
      int is_done = 0;
      MPI_Test(&r, &is_done, MPI_STATUS_IGNORE);
      if (is_done != 0) return;
      idle();
      ::sched_yield();
    }
  }
  static void append(std::string& to, std::string_view text) {
    const auto bytes = static_cast<std::uint32_t>(text.size());
    to.append(reinterpret_cast<const char*>(&bytes), sizeof bytes).append(text);
  }
  static std::optional<std::string_view> next(std::string_view& from) {
    std::uint32_t bytes = 0;
    if (from.size() < sizeof bytes) return {};
    std::memcpy(&bytes, from.data(), sizeof bytes);
    from.remove_prefix(sizeof bytes);
    if (bytes > from.size()) return {};
    const std::string_view text = from.substr(0, bytes);
    from.remove_prefix(bytes);
    return text;
  }
  void learn(rank_t rank, std::string_view said) {
    while (const auto key = next(said)) {
      const auto value = next(said);
      if (!value) return;
      known_[{rank, std::string(*key)}] = *value;
    }
  }

  MPI_Comm all_ = MPI_COMM_NULL;
  rank_t rank_ = 0;
  rank_t size_ = 0;
  std::string host_;
  std::string news_;  // Put since the last fence.
  std::map<std::pair<rank_t, std::string>, std::string> known_;
};

}  // namespace mpx::inline v0::bootstrap

#include "mpx/macros/end.hpp"
