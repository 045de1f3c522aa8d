// SPDX-License-Identifier: BSL-1.0
#pragma once
// A bootstrap that has what Bootstrap requires and nothing more, and keeps as little of its
// promises as that allows: published values are seen after a fence, and the state of ranks is
// unknown.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <mpx/bootstrap/concepts.hpp>
#include <mpx/core/error.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace bootstrap_contract {

/// The launcher's side of a job of threads. It outlives the ranks.
class minimal_job {
 public:
  explicit minimal_job(mpx::rank_t ranks) : joined_(static_cast<std::size_t>(ranks)) {}
  minimal_job(const minimal_job&) = delete;
  minimal_job& operator=(const minimal_job&) = delete;

  mpx::rank_t size() const { return static_cast<mpx::rank_t>(joined_.size()); }
  /// The launcher ends the job: no rank passes a fence any more.
  void end(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (why_ended_.empty()) why_ended_ = why;
    changed_.notify_all();
  }
  std::string why_ended() {
    const std::lock_guard lock(mutex_);
    return why_ended_;
  }

 private:
  friend class minimal;
  using table = std::map<std::pair<mpx::rank_t, std::string>, std::string>;
  struct environment {
    table put;    // Since the last fence.
    table known;  // To all.
    mpx::rank_t arrived = 0;
    std::uint64_t generation = 0;
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<environment> environments_;
  std::vector<std::size_t> joined_;  // Environments of each rank.
  std::string why_ended_;
};

/// One rank's way into one environment.
class minimal {
 public:
  using policy_axis = mpx::bootstrap_axis;

  minimal(minimal_job& job, mpx::rank_t rank) : job_(&job), rank_(rank) {
    const std::lock_guard lock(job.mutex_);
    const std::size_t k = job.joined_[static_cast<std::size_t>(rank)]++;
    if (k == job.environments_.size()) job.environments_.emplace_back();
    environment_ = &job.environments_[k];
  }

  mpx::rank_t rank() const noexcept { return rank_; }
  mpx::rank_t size() const noexcept { return job_->size(); }
  std::string_view host() const { return "here"; }

  void put(std::string_view key, std::string_view value) {
    if (key.empty() || key.size() > 32 || value.size() > 512)
      throw mpx::error(mpx::errc::argument, "put: too long for a minimal launcher");
    const std::lock_guard lock(job_->mutex_);
    environment_->put[{rank_, std::string(key)}] = value;
  }
  std::optional<std::string> get(mpx::rank_t rank, std::string_view key) const {
    if (rank < 0 || rank >= size()) throw mpx::error(mpx::errc::rank, "get: no such rank");
    const std::lock_guard lock(job_->mutex_);
    const auto it = environment_->known.find({rank, std::string(key)});
    if (it == environment_->known.end()) return {};
    return it->second;
  }

  template <class Idle>
  void fence(Idle&& idle) {
    if (failed_) throw mpx::error(mpx::errc::aborted, "fence: an earlier one failed");
    failed_ = true;  // Unless this returns.
    std::unique_lock lock(job_->mutex_);
    const std::uint64_t before = environment_->generation;
    if (job_->why_ended_.empty() && ++environment_->arrived == size()) {
      for (auto& [key, value] : environment_->put) environment_->known[key] = std::move(value);
      environment_->put.clear();
      environment_->arrived = 0;
      ++environment_->generation;
      job_->changed_.notify_all();
    }
    while (environment_->generation == before) {
      if (!job_->why_ended_.empty())
        throw mpx::error(mpx::errc::aborted, "fence: " + job_->why_ended_);
      lock.unlock();
      idle();
      lock.lock();
      if (environment_->generation == before)
        job_->changed_.wait_for(lock, std::chrono::milliseconds(1));
    }
    failed_ = false;
  }

  [[noreturn]] void abort(int code, std::string_view why) {
    const std::string what = "rank " + std::to_string(rank_) + " aborted the job with code " +
                             std::to_string(code) + ": " + std::string(why);
    job_->end(what);
    throw mpx::error(mpx::errc::aborted, what);
  }

 private:
  minimal_job* job_;
  minimal_job::environment* environment_;
  mpx::rank_t rank_;
  bool failed_ = false;
};

/// Runs rank(r) for each rank in a thread of its own; what one throws is added to its `failed`.
template <std::size_t Ranks, class Rank>
void in_threads(std::string (&failed)[Ranks], const Rank& rank) {
  std::vector<std::jthread> threads;
  for (std::size_t r = 0; r < Ranks; ++r)
    threads.emplace_back([&failed, &rank, r] {
      try {
        rank(static_cast<mpx::rank_t>(r));
      } catch (const std::exception& e) {
        failed[r] += e.what();
      }
    });
}

}  // namespace bootstrap_contract
