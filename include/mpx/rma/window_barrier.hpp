// SPDX-License-Identifier: BSL-1.0
#pragma once
// Barrier among the ranks of a window, as part of a fence: through shared memory, or by collective
// calls.

#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <system_error>
#include <utility>

#include "mpx/rma/state.hpp"

namespace mpx::inline v0::detail {

/// Adds a barrier of all ranks to window_accesses.
template <class Stack>
class window_barrier : public window_accesses<Stack> {
  using base_type = window_accesses<Stack>;

 public:
  using base_type::base_type;
  using typename base_type::os;

  /// Waits until all ranks are about to free the window.
  errc pass_barrier_to_free(call_site site) {
    return without_culprit(this->call_together(
        site, [&](std::error_code& ec) { this->comm.barrier(ec, site.where); }));
  }

 protected:
  /// Waits until all ranks have entered this fence and, if accesses precede it, until their effects
  /// have happened at this rank.
  /// Errors:     errc::peer_lost, errc::no_resources.
  errc pass_barrier(bool precedes, call_site site) {
    return this->shares_words ? pass_in_memory(precedes, site) : pass_by_calls(precedes, site);
  }
  using base_type::stopped;

 private:
  using base_type::wait_for_all;

  /// Every rank maps the control blocks of all ranks: each rank adds the number of records that it
  /// sent to the target's block.
  errc pass_in_memory(bool precedes, call_site site) {
    if (!precedes) return arrive_and_wait(false, site).why;
    bool sends = false;
    for (rank_t r = 0; r < this->size; ++r) {
      const std::uint64_t n = this->counts[static_cast<std::size_t>(r)];
      if (n == 0) continue;
      sends = true;
      auto& sum = this->targets[r].control->of(this->rank, this->size).sent;
      sum.store(sum.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
    const passed first = arrive_and_wait(sends, site);
    if (first.why != errc{} || !first.some_send) return first.why;
    const std::uint64_t all = all_sent_here();
    const errc why = wait_for_records(all - std::exchange(this->fenced, all), site);
    // Accesses after the fence must not reach a target that still carries out earlier ones.
    return why == errc{} ? arrive_and_wait(false, site).why : why;
  }
  std::uint64_t all_sent_here() const noexcept {
    std::uint64_t sum = 0;
    for (rank_t r = 0; r < this->size; ++r)
      sum += this->control->of(r, this->size).sent.load(std::memory_order_relaxed);
    return sum;
  }

  struct passed {
    errc why{};
    bool some_send = false;
  };
  /// Enters the barrier and waits for all ranks. Each rank counts its own barriers in its control
  /// block and polls those of the others.
  passed arrive_and_wait(bool sends, call_site site) {
    passed m;
    if constexpr (os::has_blocks) {
      // No barrier follows a failed one: it would overwrite this rank's word of the barrier before
      // the failed one, which other ranks may still poll.
      if (broken_ != errc{}) [[unlikely]]
        return {this->tell_loss(broken_, broken_by_), false};
      const std::uint64_t mine = ++barriers_;
      this->control->barrier.arrive(mine, sends);
      rank_t missing = 0;
      const auto all_arrived = [&]() noexcept {
        while (missing < this->size && has_arrived(missing, mine, m.some_send)) ++missing;
        return missing == this->size;
      };
      bool arrived = all_arrived();
      for (unsigned i = 0; !arrived && i < this->looks(); ++i) {
        platform::relax();
        arrived = all_arrived();
      }
      auto& sleepers = this->targets[0].control->in_barrier;
      if (!arrived) wait_for_others(site, mine, all_arrived, sleepers, m.why);
      if (m.why != errc{}) {
        broken_ = m.why;
        broken_by_ = this->culprit;
      }
      // Every rank that has seen all arrive wakes the sleeping ranks: the last to arrive is one of
      // them.
      if (const std::uint64_t mask = sleepers.load(std::memory_order_seq_cst); mask != 0)
        wake(mask);
    }
    return m;
  }
  bool has_arrived(rank_t r, std::uint64_t which, bool& sends) const noexcept {
    return this->targets[r].control->barrier.has_arrived(which, sends);
  }
  template <class Arrived>
  [[gnu::noinline]] void wait_for_others(call_site site, std::uint64_t mine, Arrived& all_arrived,
                                         platform::atomic<std::uint64_t>& sleepers, errc& why) {
    const std::uint64_t bit = std::uint64_t{1} << this->rank;
    const auto lost = [&](bool) {
      if (this->fast_path_allowed()) return false;
      bool sends = false;
      for (rank_t r = 0; why == errc{} && r < this->size; ++r)
        if (!has_arrived(r, mine, sends)) why = this->tell_loss(stopped(this->targets[r]), r);
      return why != errc{};
    };
    const auto sleeping = [&](bool on) { on ? sleepers.fetch_or(bit) : sleepers.fetch_and(~bit); };
    const window_awaited<Stack> awaits(*this, nullptr, hang_stage::comes, mine);
    if (os::wait_for_flag(this->e, site, awaits.as(), {all_arrived, lost, sleeping})) why = errc{};
  }
  [[gnu::noinline, gnu::cold]] void wake(std::uint64_t mask) noexcept {
    if constexpr (os::has_blocks) {
      const auto guard = os::lock(this->e);
      for (; mask != 0; mask &= mask - 1)
        os::wake_locked(this->e, this->peer_of(static_cast<rank_t>(std::countr_zero(mask))));
    }
  }

  /// Barrier by collective calls.
  errc pass_by_calls(bool precedes, call_site site) {
    rma::full_fence();
    const auto barrier = [&] {
      return without_culprit(
          this->call_together(site, [&](std::error_code& ec) { this->comm.barrier(ec); }));
    };
    if (!precedes) return barrier();
    // Upper bits of each count: number of ranks that sent any record to any target.
    constexpr std::uint64_t sender = std::uint64_t{1} << 40;
    std::uint64_t all = 0;
    for (const std::uint64_t c : this->counts) all += c;
    for (std::uint64_t& c : this->counts) c += all != 0 ? sender : 0;
    std::uint64_t sum = 0;
    const errc met = without_culprit(this->call_together(site, [&](std::error_code& ec) {
      this->comm.reduce_scatter_block(std::span(this->counts.begin(), this->counts.size()), sum,
                                      mpx::sum, ec);
    }));
    if (met != errc{}) return met;
    const errc why = wait_for_records(sum % sender, site);
    // Accesses after the fence must not reach a target that still carries out earlier ones.
    const errc after = sum >= sender ? barrier() : errc{};
    return why == errc{} ? after : why;
  }
  errc without_culprit(errc why) noexcept {
    if (why != errc{}) this->culprit = proc_null;
    return why;
  }
  /// Waits until `expected` counted records have been handled here.
  errc wait_for_records(std::uint64_t expected, call_site site) {
    errc why{};
    if (expected != 0) why = wait_for_all(site, [&] { return this->received >= expected; });
    const auto guard = os::lock(this->e);
    this->received -= lesser(expected, this->received);
    return why;
  }

  std::uint64_t barriers_ = 0;
  // Failure of an earlier barrier, and the rank that caused it. No barrier follows.
  errc broken_{};
  rank_t broken_by_ = proc_null;
};

}  // namespace mpx::inline v0::detail
