// SPDX-License-Identifier: BSL-1.0
// sanitizers: none
// Ranks that take turns on one core: each does all that it can in its turn, so that a collective
// takes no more turns than it must. Turns are counted: a rank that yields hands its core to the
// next.

#include <sched.h>

#include <condition_variable>
#include <mpx/topology.hpp>
#include <mutex>
#include <vector>

#include "comm/ranks.hpp"

namespace {

/// A core that its ranks use in turns, in a given order; free at first.
class core {
 public:
  void order(std::vector<mpx::rank_t> ranks) { order_ = std::move(ranks); }
  /// Each rank calls it; returns when all have, and it is the rank's turn.
  void enter(mpx::rank_t me) {
    std::unique_lock lock(mutex_);
    mine() = me;
    if (++here_ == order_.size()) {
      at_ = 0;
      turns_ = 0;
      taken_ = true;
    }
    turn_.notify_all();
    turn_.wait(lock, [&] { return taken_ && order_[at_] == me; });
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    --here_;
    std::erase(order_, mine());
    mine() = -1;
    if (order_.empty())
      taken_ = false;
    else
      at_ %= order_.size();
    turn_.notify_all();
  }
  /// A rank gives the core away, and waits for its next turn.
  void yield() {
    std::unique_lock lock(mutex_);
    const mpx::rank_t me = mine();
    if (!taken_ || me < 0) {
      lock.unlock();
      ::sched_yield();
      return;
    }
    ++turns_;
    at_ = (at_ + 1) % order_.size();
    turn_.notify_all();
    turn_.wait(lock, [&] { return order_[at_] == me; });
  }
  unsigned turns() {
    const std::lock_guard lock(mutex_);
    return turns_;
  }

 private:
  static mpx::rank_t& mine() {
    thread_local mpx::rank_t rank = -1;
    return rank;
  }

  std::mutex mutex_;
  std::condition_variable turn_;
  std::vector<mpx::rank_t> order_;
  std::size_t here_ = 0;
  std::size_t at_ = 0;
  unsigned turns_ = 0;
  bool taken_ = false;
};

core the_core;

/// Gives the core away after each look.
struct in_turn {
  using policy_axis = mpx::wait_axis;
  static constexpr std::string_view name = "in_turn";
  static constexpr std::int64_t sleep_ns_max = 100'000'000;
  struct pace {
    explicit pace(bool) {}
    bool should_sleep() noexcept {
      the_core.yield();
      return false;
    }
    void reset() noexcept {}
    void oversubscribed(bool) noexcept {}
    bool others_compute() const noexcept { return false; }
    void sleep_first() noexcept {}
  };
};
using taking_turns = mpx::stack<mpx::transport::inproc, in_turn>;

/// On one core, so that any two ranks outnumber it.
class one_core {
 public:
  one_core() {
    ::sched_getaffinity(0, sizeof all_, &all_);
    cpu_set_t first;
    CPU_ZERO(&first);
    for (int c = 0; c < CPU_SETSIZE && CPU_COUNT(&first) == 0; ++c)
      if (CPU_ISSET(c, &all_)) CPU_SET(c, &first);
    ::sched_setaffinity(0, sizeof first, &first);
  }
  one_core(const one_core&) = delete;
  one_core& operator=(const one_core&) = delete;
  ~one_core() { ::sched_setaffinity(0, sizeof all_, &all_); }

 private:
  cpu_set_t all_{};
};

constexpr int calls = 40;

/// Turns that a call takes of all ranks together, on the average: `begin(world)` returns what makes
/// the i-th call.
template <class Begin>
double turns_a_call(std::vector<mpx::rank_t> order, Begin begin) {
  const one_core here;
  const auto n = static_cast<mpx::rank_t>(order.size());
  std::atomic<unsigned> turns{0};
  the_core.order(std::move(order));
  ranks::run<taking_turns>(n, [&](auto world) {
    const auto call = begin(world);
    call(0);  // Makes the block.
    world.barrier();
    the_core.enter(world.rank());
    for (int i = 0; i < calls; ++i) call(i);
    if (const unsigned so_far = the_core.turns(); so_far > turns) turns = so_far;
    the_core.leave();
  });
  return static_cast<double>(turns) / calls;
}

auto ring_of(const auto& world) { return mpx::cart_create(world, {{world.size(), true}}); }
auto neighbors_of(auto& world) {
  return [ring = ring_of(world), me = world.rank(), n = world.size()](int i) {
    const std::vector<int> out{me * 1000 + i, me * 1000 + 500 + i};
    std::vector<int> in(2);
    ring.neighbor_alltoall(out, in);
    CHECK(in[0] == (me + n - 1) % n * 1000 + 500 + i);
    CHECK(in[1] == (me + 1) % n * 1000 + i);
  };
}

}  // namespace

TEST_CASE(
    "oversubscription: ranks of a ring take two steps in a turn if every second one is first") {
  CHECK(turns_a_call({0, 2, 4, 6, 1, 3, 5, 7}, [](auto& w) { return neighbors_of(w); }) < 4.5);
  CHECK(turns_a_call({0, 2, 1, 3}, [](auto& w) { return neighbors_of(w); }) < 2.3);
  // Nor more than one turn a step in any other order.
  CHECK(turns_a_call({0, 1, 2, 3, 4, 5, 6, 7}, [](auto& w) { return neighbors_of(w); }) < 8.5);
}

TEST_CASE("oversubscription: if all wait for all, each rank but one takes one turn per call") {
  const auto alltoall = [](auto& world) {
    return [world](int i) {
      const auto n = static_cast<std::size_t>(world.size());
      std::vector<std::int64_t> out(n, world.rank() * 100 + i);
      std::vector<std::int64_t> in(n);
      world.alltoall(out, in);
      for (std::size_t r = 0; r < n; ++r) CHECK(in[r] == static_cast<std::int64_t>(r) * 100 + i);
    };
  };
  const auto barrier = [](auto& world) { return [world](int) { world.barrier(); }; };
  const auto sum = [](auto& world) {
    return [world](int i) { CHECK(world.allreduce(i, std::plus<>{}) == i * world.size()); };
  };
  for (const auto& order : {std::vector<mpx::rank_t>{0, 1, 2, 3}, {3, 1, 0, 2, 4, 7, 5, 6}}) {
    const auto n = static_cast<double>(order.size());
    CHECK(turns_a_call(order, alltoall) < n - 0.5);
    CHECK(turns_a_call(order, barrier) < n - 0.5);
    CHECK(turns_a_call(order, sum) < n - 0.5);
  }
}

TEST_CASE(
    "oversubscription: a rank that gets a message takes the following ones in the same turn") {
  const auto rooted = [](bool goes_round) {
    return [goes_round](auto& world) {
      return [world, goes_round](int i) {
        const mpx::rank_t root = goes_round ? i % world.size() : 0;
        int x = world.rank() == root ? i : -1;
        world.bcast(x, root);
        CHECK(x == i);
      };
    };
  };
  CHECK(turns_a_call({0, 1, 2, 3}, rooted(true)) < 1.3);   // Each passes it on to the next root.
  CHECK(turns_a_call({0, 1, 2, 3}, rooted(false)) < 1.3);  // One root is four calls ahead.
}
