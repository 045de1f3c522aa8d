// SPDX-License-Identifier: BSL-1.0
#pragma once
// The bootstrap of simulated jobs: fences and failure detection in virtual time.

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "mpx/bootstrap/detail/sim_world.hpp"

namespace mpx::inline v0::bootstrap {

/// One rank of a simulated job. See SimulatedBootstrap; a fence itself takes no virtual time.
class sim {
 public:
  using policy_axis = bootstrap_axis;

  /// Requires:   called on the rank's fiber; `world` outlives this object.
  sim(mpx::sim::detail::world& world, rank_t rank)
      : world_(&world),
        environment_(&world.join(rank)),
        rank_(rank),
        host_("sim" + std::to_string(rank)) {}
  sim(sim&& other) noexcept
      : world_(std::exchange(other.world_, nullptr)),
        environment_(other.environment_),
        rank_(other.rank_),
        host_(std::move(other.host_)),
        left_(other.left_) {}
  sim& operator=(sim&& other) noexcept {
    std::swap(world_, other.world_);
    std::swap(environment_, other.environment_);
    std::swap(rank_, other.rank_);
    std::swap(host_, other.host_);
    std::swap(left_, other.left_);
    return *this;
  }
  ~sim() { mark_failed(); }

  rank_t rank() const noexcept { return rank_; }
  rank_t size() const noexcept { return world_->size(); }
  std::string_view host() const noexcept { return host_; }

  void put(std::string_view key, std::string_view value) {
    environment_->published[{rank_, std::string(key)}] = value;
  }
  std::optional<std::string> get(rank_t rank, std::string_view key) const {
    const auto it = environment_->published.find({rank, std::string(key)});
    if (it == environment_->published.end()) return {};
    return it->second;
  }
  template <std::invocable Idle>
  void fence(Idle&& idle) {
    auto& clock = world_->scheduler();
    clock.catch_up(rank_);
    const std::uint64_t generation = environment_->generation;
    const auto open = [&] { return environment_->generation != generation; };
    if (++environment_->arrived == size()) {
      environment_->arrived = 0;
      ++environment_->generation;
      clock.wake_all();
    }
    for (;;) {
      if (open()) return;
      check();
      idle();
      if (open()) return;
      check();
      clock.sleep(rank_);
    }
  }
  [[noreturn]] void abort(int code, std::string_view why) {
    std::string what = "rank " + std::to_string(rank_) + " aborted the job with code ";
    what.append(std::to_string(code)).append(": ").append(why);
    world_->end_all(what);
    throw error(errc::aborted, what);
  }

  std::uint32_t failure_epoch() const noexcept { return world_->failure_epoch(); }
  const platform::atomic<std::uint32_t>& failure_word() const noexcept {
    return world_->failure_word();
  }
  void disconnect_from(rank_t peer, errc why) noexcept {
    world_->disconnect_from(*environment_, rank_, peer, why);
  }
  errc disconnected_by(rank_t peer) const noexcept {
    const auto it = environment_->disconnected.find({peer, rank_});
    return it == environment_->disconnected.end() ? errc{} : it->second;
  }
  rank_state state(rank_t rank) const noexcept { return world_->state(*environment_, rank_, rank); }
  void mark_finished() noexcept { leave(rank_state::finished); }
  void mark_failed() noexcept { leave(rank_state::failed); }

  std::string loss_text(rank_t rank) const {
    switch (state(rank)) {
      case rank_state::finished: return "rank " + std::to_string(rank) + " left the job";
      case rank_state::failed: return world_->failure_text(rank);
      default: return {};
    }
  }
  void describe_by(hang_describer* describer) noexcept { world_->describe_by(rank_, describer); }

  /// The simulated job, for the transport.
  mpx::sim::detail::world& world() noexcept { return *world_; }
  /// Makes the transport's port, which lives as long as the job.
  template <class Port>
  Port& make_port(std::uint32_t depth) {
    auto port = std::make_unique<Port>(*world_, *environment_, rank_, depth);
    Port& made = *port;
    world_->keep(std::move(port));
    return made;
  }

 private:
  void check() const {
    if (environment_->gone == 0 && failure_epoch() == 1) return;
    for (rank_t r = 0; r < size(); ++r) {
      const rank_state s = state(r);
      if (s == rank_state::failed || s == rank_state::finished)
        throw error(errc::peer_lost,
                    "fence: rank " + std::to_string(r) + " was lost: it died or left the job");
    }
  }
  void leave(rank_state as) noexcept {
    if (world_ == nullptr || left_) return;
    left_ = true;
    describe_by(nullptr);
    world_->leave(*environment_, rank_, as);
  }

  mpx::sim::detail::world* world_;
  mpx::sim::detail::world::environment* environment_;
  rank_t rank_;
  std::string host_;
  bool left_ = false;
};

}  // namespace mpx::inline v0::bootstrap
