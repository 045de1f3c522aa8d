// SPDX-License-Identifier: BSL-1.0
// timeout: 240
// sanitizers: address
// checks::collectives: calls that do not go together are errors at every rank, and calls that do
// are made as ever, in shared memory as well.

#include <mpx/intercommunicator.hpp>

#include "coll/mismatches.hpp"
#include "comm/ranks.hpp"

namespace {

using compared_shm = mpx::stack<mpx::checks::all>;
using compared_inproc = mpx::stack<mpx::transport::inproc, mpx::checks::collectives>;

template <class World>
void complain_skewed(mismatches::findings& found, const World& world) {
  // On a oversubscribed machine each look may give the core away for milliseconds.
  constexpr std::int64_t late_ns_max = 2'000'000;
  unsigned spins = 1;
  mismatches::everything(found, world, [&] {
    const std::int64_t until = mpx::platform::now_ns() + late_ns_max;
    for (unsigned i = 0; i < spins % 40'000 && mpx::platform::now_ns() < until; ++i)
      world.progress();
    spins = spins * 1'664'525u + static_cast<unsigned>(world.rank()) * 7919u;
  });
  mismatches::nothing(found, world);
}

}  // namespace

TEST_CASE("checks: mismatched collectives are errors at every rank, shared memory") {
  mismatches::findings found;
  ranks::run_at_all_counts<compared_shm>([&](auto world) { complain_skewed(found, world); });
  CHECK(found.first() == "");
}
TEST_CASE("checks: mismatched collectives are errors at every rank, threads") {
  mismatches::findings found;
  for (const mpx::rank_t n : {3, 8})
    ranks::run<compared_inproc>(n, [&](auto world) { complain_skewed(found, world); });
  CHECK(found.first() == "");
}

TEST_CASE("checks: matching calls work as without checks") {
  constexpr std::size_t few_lengths[] = {0, 700};
  for (const mpx::rank_t n : {1, 3, 8})
    ranks::run<compared_shm>(n, [&](auto world) {
      suite::everything(world, suite::form::at_once, few_lengths);
      suite::everything(world, suite::form::started, few_lengths);
    });
}

TEST_CASE("checks: a mismatch is reported to the communicator's handler, and in error codes") {
  ranks::run<compared_shm>(3, [](auto world) {
    std::error_code ec;
    int x = 0;
    world.bcast(x, world.rank(), ec);
    CHECK(ec == mpx::errc::call_mismatch);
    auto r = world.bcast(x, world.rank(), mpx::start(ec));
    CHECK(!ec);  // It is found when the request ends.
    r.wait(ec);
    CHECK(ec == mpx::errc::call_mismatch);
    auto many = world.allreduce(x, mpx::sum, mpx::prepare);
    auto one = world.rank() == 1 ? world.bcast(x, 0, mpx::prepare)
                                 : world.allreduce(x, mpx::sum, mpx::prepare);
    for (int i = 0; i < 3; ++i) {  // A prepared call is compared each time.
      x = 1;
      many.start();
      many.wait();
      CHECK(x == 3);
      one.start();
      one.wait(ec);
      CHECK(ec == mpx::errc::call_mismatch);
    }
    struct told {};
    world.set_error_handler([](const mpx::error& e, void*) {
      if (e.code() == mpx::errc::call_mismatch) throw told();
    });
    CHECK_THROWS_AS(world.bcast(x, world.rank()), told);
    CHECK_THROWS_AS(world.bcast(x, world.rank(), mpx::start).wait(), told);
    // A rank whose own arguments are wrong notifies the others.
    world.bcast(x, world.rank() == 2 ? 7 : 0, ec);
    CHECK((ec == mpx::errc::peer_lost || ec == mpx::errc::root));
    CHECK(world.allreduce(1, mpx::sum) == 3);
  });
}

TEST_CASE("checks: collectives of an intercommunicator") {
  ranks::run<compared_shm>(3, [](auto world) {
    const bool low = world.rank() < 1;
    const auto mine = world.split(low ? 1 : 0);
    const auto on = mpx::intercommunicator<compared_shm>::connect(mine, 0, world, low ? 1 : 0, 5);
    std::error_code ec;
    int x = 1;
    if (low)
      on.barrier(ec);
    else
      (void)on.allreduce(x, mpx::sum, ec);
    CHECK(ec == mpx::errc::call_mismatch);
    const std::string text = ranks::text_of(
        [&] { low ? (void)on.allreduce(x, mpx::max) : (void)on.allreduce(x, mpx::sum); });
    CHECK(ranks::contains(text, "called allreduce (inter), by max ("));
    CHECK(ranks::contains(text, "checks.test.cpp:"));
    CHECK(on.allreduce(x, mpx::sum) == (low ? 2 : 1));
  });
}

static_assert(mpx::Checks<mpx::checks::collectives> && mpx::Checks<mpx::checks::all>);
static_assert(sizeof(mpx::detail::collective<mpx::stack<>, mpx::coll::barrier_call>) <
              sizeof(mpx::detail::collective<compared_shm, mpx::coll::barrier_call>));
