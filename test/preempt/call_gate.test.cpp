// SPDX-License-Identifier: BSL-1.0
// release: tsan
// own_headers: yes
// sanitizers: thread
// The lock between a program's calls and its progress thread under all kinds of schedules: never
// are both inside, each that sleeps is woken, and a rest is ended by the next call.

#include "explore.hpp"

#include <mpx/engine/axes/call_gate.hpp>

#include "search.hpp"

namespace {

/// A program that makes calls, some of which wait for the progress thread to be asleep, and a
/// progress thread that enters, rests, or waits for the end of a call.
class taking_turns {
 public:
  static constexpr std::size_t threads = 2;

  explicit taking_turns(explore::scheduler& s, bool refused = false,
                        explore::fault::kind planted = explore::fault::kind::none)
      : scheduler_(s) {
    explore::barrier_refused = refused;
    gate_ = std::make_unique<mpx::detail::call_gate>();
    if (planted != explore::fault::kind::none) s.plant({.what = planted});
  }
  ~taking_turns() { explore::barrier_refused = false; }

  void thread(std::size_t i) { i == 0 ? program() : progress_thread(); }
  std::string wrong() const { return resting_ != 0 ? "a rest has not been ended" : ""; }

 private:
  using word = mpx::platform::atomic<std::uint32_t>;
  static constexpr int calls = 6;

  void program() {
    for (int i = 0; i < calls; ++i) {
      gate_->begin_call();
      enter(true);
      if (resting_ != 0) scheduler_.fail("a call is inside during a rest");
      leave();
      if (i + 1 == calls) over_.store(1);
      gate_->end_call();
    }
  }
  void progress_thread() {
    for (int turn = 0; over_.load() == 0; ++turn) {
      const std::uint32_t now = gate_->calls();
      if (mpx::detail::call_gate::in_call(now)) {
        gate_->await_end(now, 1'000'000'000);
      } else if (gate_->try_enter()) {
        enter(false);
        leave();
        if (turn % 2 == 0 || over_.load() != 0) {
          gate_->leave();
        } else {
          resting_ = 1;
          gate_->leave_until_call(
              [](void* self) noexcept { static_cast<taking_turns*>(self)->resting_ = 0; }, this);
          wait_for_call(now);
        }
      }
    }
  }
  /// As the thread that sleeps until its bell is rung.
  void wait_for_call(std::uint32_t before) {
    while (gate_->calls() == before && over_.load() == 0) explore::relax();
  }
  void enter(bool calls_now) {
    if (inside_)
      scheduler_.fail(calls_now ? "a call enters beside the progress thread"
                                : "the progress thread enters beside a call");
    inside_ = true;
    scheduler_.point("inside", this);
  }
  void leave() { inside_ = false; }

  explore::scheduler& scheduler_;
  std::unique_ptr<mpx::detail::call_gate> gate_;
  word over_{0};
  bool inside_ = false;
  int resting_ = 0;
};

TEST_CASE("preempt: calls and the progress thread exclude each other") {
  explore::check_sound("with a heavy barrier", explore::search<taking_turns>(4000), 1000);
  explore::check_sound("without", explore::search<taking_turns>(4000, true), 1000);
}

TEST_CASE("preempt: faults of the gate are found" * doctest::skip(explore::sampled)) {
  using explore::fault;
  using explore::search;
  explore::check_found("no heavy barrier",
                       search<taking_turns>(8000, false, fault::kind::no_heavy_barrier));
  explore::check_found("no wake", search<taking_turns>(8000, false, fault::kind::no_wake));
  explore::check_found("no barrier, and no slow path",
                       search<taking_turns>(8000, false, fault::kind::lost_or));
}

}  // namespace
