// SPDX-License-Identifier: BSL-1.0
#pragma once
// One rank's membership of a job on one machine: what singleton, mpxrun and threads have in common.
// Joins when it is made, leaves by mark_finished(), counts as failed when it goes without.

#include <unistd.h>

#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "mpx/bootstrap/detail/job_segment.hpp"

namespace mpx::inline v0::bootstrap {

/// A SharedMemoryBootstrap over a control segment. Move-only.
class member {
 public:
  member(member&& other) noexcept
      : segment_(other.segment_),
        rank_(other.rank_),
        k_(other.k_),
        present_(std::exchange(other.present_, false)),
        ends_(other.ends_),
        shared_fd_(other.shared_fd_),
        map_(std::move(other.map_)),
        shared_(std::move(other.shared_)) {
    std::memcpy(host_, other.host_, sizeof host_);
  }
  member& operator=(member&& other) noexcept {
    if (this != &other) {
      member old(std::move(*this));
      segment_ = other.segment_;
      rank_ = other.rank_;
      k_ = other.k_;
      present_ = std::exchange(other.present_, false);
      ends_ = other.ends_;
      shared_fd_ = other.shared_fd_;
      map_ = std::move(other.map_);
      shared_ = std::move(other.shared_);
      std::memcpy(host_, other.host_, sizeof host_);
    }
    return *this;
  }
  ~member() { mark_failed(); }

  rank_t rank() const noexcept { return rank_; }
  rank_t size() const noexcept { return segment_.size(); }
  std::string_view host() const noexcept { return host_; }

  void put(std::string_view key, std::string_view value) { segment_.put(rank_, k_, key, value); }
  std::optional<std::string> get(rank_t rank, std::string_view key) const {
    return segment_.get(rank, k_, key);
  }
  template <std::invocable Idle>
  void fence(Idle&& idle) {
    auto call = [&idle] { idle(); };  // One fence for every kind of Idle, functions among them.
    using call_type = decltype(call);
    segment_.fence(rank_, k_, [](void* c) { (*static_cast<call_type*>(c))(); }, &call);
  }

  [[noreturn]] void abort(int code, std::string_view why) {
    segment_.abort(rank_, code, why);
    if (ends_ == ending::thread)
      throw error(errc::aborted, "rank " + std::to_string(rank_) + " aborted the job with code " +
                                     std::to_string(code) + ": " + std::string(why));
    std::fflush(stdout);
    if (ends_ == ending::alone)
      std::fprintf(stderr, "mpx: aborted with code %d: %.*s\n", code, static_cast<int>(why.size()),
                   why.data());
    std::fflush(stderr);
    ::_exit(code > 0 && code < 256 ? code : 1);
  }

  int shared_fd() const noexcept { return shared_fd_; }
  std::uint64_t shared_offset() const noexcept { return std::uint64_t{k_} << environment_shift; }

  std::uint32_t failure_epoch() const noexcept { return segment_.failure_epoch(); }
  /// The word behind failure_epoch(): a futex that is woken whenever it grows.
  platform::atomic<std::uint32_t>& failure_word() const noexcept { return segment_.failure_word(); }
  rank_state state(rank_t rank) const noexcept { return segment_.state(rank, k_); }
  /// Which of this rank's environments this is, and the job's segment.
  std::uint32_t environment() const noexcept { return k_; }
  const job_segment& segment() const noexcept { return segment_; }
  std::optional<abort_notice> aborted() const { return segment_.aborted(); }

  void renounce(rank_t, errc) noexcept {}
  errc renounced_by(rank_t) const noexcept { return {}; }
  void mark_finished() noexcept {
    if (std::exchange(present_, false)) segment_.leave(rank_, k_);
  }
  void mark_failed() noexcept {
    if (std::exchange(present_, false)) segment_.fail(rank_, k_);
  }

 protected:
  /// What ends when this rank aborts the job.
  enum class ending : unsigned char { alone, process, thread };

  /// Joins a segment and a shared file that this object keeps.
  member(mapping map, memory_file shared, rank_t rank, ending ends)
      : segment_(map),
        rank_(rank),
        ends_(ends),
        shared_fd_(shared.fd()),
        map_(std::move(map)),
        shared_(std::move(shared)) {
    join();
  }
  /// Joins a segment and a shared file that outlive this object.
  member(const job_segment& segment, int shared_fd, rank_t rank, ending ends)
      : segment_(segment), rank_(rank), ends_(ends), shared_fd_(shared_fd) {
    join();
  }

 private:
  void join() {
    if (::gethostname(host_, sizeof host_ - 1) != 0) std::strcpy(host_, "localhost");
    k_ = segment_.join(rank_, static_cast<std::int32_t>(::getpid()));
    present_ = true;
  }

  job_segment segment_;
  rank_t rank_;
  std::uint32_t k_ = 0;
  bool present_ = false;
  ending ends_;
  int shared_fd_;
  mapping map_;
  memory_file shared_;
  char host_[65] = {};
};

}  // namespace mpx::inline v0::bootstrap
