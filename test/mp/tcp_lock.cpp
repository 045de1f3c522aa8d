// SPDX-License-Identifier: BSL-1.0
// ranks: 2 4
// timeout: 120
// A queued lock (Mellor-Crummey, Scott 1991) over sockets: each rank waits for a word of its own
// part, which it fetches over and over and which its predecessor's accumulate changes.

#include <mpx/cluster.hpp>
#include <mpx/rma.hpp>

#include <chrono>
#include <string>

#include "instances/job_tcp.hpp"
#include "mp/harness.hpp"

namespace {

using word = std::int64_t;

/// A lock of all ranks of a communicator.
class queued_lock {
 public:
  explicit queued_lock(mpx::communicator<mpx::tcp_stack>& world)
      : me_(world.rank()),
        window_(mpx::allocate_window<word>(world, words)),
        epoch_(window_.lock_all()) {
    for (const std::uint64_t at : {next, blocked, tail}) set(me_, at, nobody);
    world.barrier();
  }
  void lock() {
    set(me_, next, nobody);
    set(me_, blocked, 1);
    word before = 0;
    window_.fetch_and_op(me_, before, 0, tail, mpx::replace);
    window_.flush(0);
    if (before == nobody) return;
    set(static_cast<mpx::rank_t>(before), next, me_);
    while (own(blocked) == 1) {
    }
  }
  void unlock() {
    if (own(next) == nobody) {
      word was = 0;
      window_.compare_and_swap(me_, nobody, was, 0, tail);
      window_.flush(0);
      if (was == me_) return;
      while (own(next) == nobody) {
      }
    }
    set(static_cast<mpx::rank_t>(own(next)), blocked, 0);
  }
  /// Adds one to a number at rank 0, by a get and a put. Requires: this rank has the lock.
  void count() {
    word n = 0;
    window_.get(n, 0, number);
    window_.flush(0);
    window_.put(n + 1, 0, number);
    window_.flush(0);
  }
  word counted() {
    word n = 0;
    window_.get(n, 0, number);
    window_.flush(0);
    return n;
  }

 private:
  static constexpr std::uint64_t next = 0, blocked = 1, tail = 2, number = 3, words = 4;
  static constexpr word nobody = -1;

  word own(std::uint64_t at) {
    word now = 0;
    window_.fetch_and_op(0, now, me_, at, mpx::no_op);
    window_.flush(me_);
    return now;
  }
  void set(mpx::rank_t rank, std::uint64_t at, word value) {
    window_.accumulate(value, rank, at, mpx::replace);
    window_.flush(rank);
  }

  mpx::rank_t me_;
  mpx::window<word, mpx::tcp_stack> window_;
  mpx::scoped_lock<mpx::window<word, mpx::tcp_stack>> epoch_;
};

}  // namespace

int main() {
  using namespace std::chrono_literals;
  constexpr int rounds = 50;
  const harness::watchdog guard("tcp_lock", 100s);
  mpx::environment<mpx::tcp_stack> env;
  auto world = env.world();
  queued_lock lock(world);
  for (int i = 0; i < rounds; ++i) {
    lock.lock();
    lock.count();
    lock.unlock();
  }
  world.barrier();
  const word n = lock.counted();
  harness::check(n == word{rounds} * world.size(), "counted " + std::to_string(n));
  world.barrier();
}
