// SPDX-License-Identifier: BSL-1.0
// release: tsan
// Whole jobs over a bootstrap that has rank, size, host, put, get, fence and abort, and no more.

#include "minimal.hpp"

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mpx/mpx.hpp>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "comm/ranks.hpp"
#include "contract.hpp"

namespace {

using namespace bootstrap_contract;
using mpx::errc;
using mpx::rank_t;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

using over_inproc = mpx::stack<mpx::transport::inproc, minimal>;
using other = mpx::stack<minimal, mpx::matching::list, mpx::flow::unlimited, mpx::waiting::spin,
                         mpx::threading::multiple, mpx::transport::basic_inproc<64, 65536>,
                         mpx::protocol::tiny_short_long<16, 2048>>;

static_assert(mpx::Bootstrap<minimal> && !mpx::LivenessBootstrap<minimal>);
static_assert(!mpx::SharedMemoryBootstrap<minimal> && !mpx::WatchedBootstrap<minimal>);
static_assert(std::same_as<over_inproc::bootstrap_type, minimal>);
static_assert(std::same_as<mpx::environment<over_inproc>::job_type, minimal>);
static_assert(!std::default_initializable<mpx::environment<over_inproc>>);
static_assert(mpx::BootstrapFits<mpx::transport::inproc, minimal>);
static_assert(!mpx::BootstrapFits<mpx::transport::shm, minimal>);

/// Result of a job.
struct ending {
  std::vector<std::exception_ptr> failures;  // By rank.
  std::string why_ended;

  errc failure_of(rank_t r) const {
    return ranks::errc_of([&] {
      if (failures[static_cast<std::size_t>(r)])
        std::rethrow_exception(failures[static_cast<std::size_t>(r)]);
    });
  }
};

/// Runs `body(environment)` on `n` ranks as a launcher does that ends a job when a rank fails.
template <class Stack, class Body>
ending launch(rank_t n, Body body) {
  const ranks::watchdog guard("a minimal job of " + std::to_string(n));
  minimal_job job(n);
  ending all{.failures = std::vector<std::exception_ptr>(static_cast<std::size_t>(n)),
             .why_ended = {}};
  std::vector<std::jthread> threads;
  for (rank_t r = 0; r < n; ++r) {
    threads.emplace_back([&, r] {
      try {
        mpx::environment<Stack> env{minimal(job, r)};
        body(env);
      } catch (const std::exception& e) {
        all.failures[static_cast<std::size_t>(r)] = std::current_exception();
        job.end("rank " + std::to_string(r) + " failed: " + e.what());
      }
    });
  }
  threads.clear();
  all.why_ended = job.why_ended();
  return all;
}

/// Messages of every length around a ring, in every mode, and all collectives.
template <class Stack>
bool talk(mpx::environment<Stack>& env) {
  auto world = env.world();
  const rank_t n = world.size();
  const rank_t next = (world.rank() + 1) % n;
  const rank_t previous = (world.rank() + n - 1) % n;
  bool right = world.rank() == env.rank() && env.host() == "here";
  for (const std::size_t bytes : {0u, 8u, 40u, 41u, 2049u, 16384u, 16385u, 1'000'003u}) {
    const auto seed = [&](rank_t r) { return static_cast<std::uint64_t>(r) * 1'000'003 + bytes; };
    const auto out = ranks::message(bytes, seed(env.rank()));
    std::vector<std::byte> in(bytes);
    auto receive = world.irecv(in, previous, 1);
    auto send = world.issend(out, next, 1);
    right = right && receive.wait().template count<std::byte>() == bytes;
    send.wait();
    right = right && ranks::holds(in, seed(previous));
    world.barrier();
    if (world.rank() % 2 == 0 && n % 2 == 0) {  // Blocking, and unexpected at the other end.
      world.send(out, next, 2);
      right = right && world.recv(in, next, 3).source() == next && ranks::holds(in, seed(next));
    } else if (n % 2 == 0) {
      right = right && world.recv(in, mpx::any_source, mpx::any_tag).source() == previous;
      world.send(out, previous, 3);
    }
  }
  const int sum = n * (n - 1) / 2;
  right = right && world.allreduce(world.rank(), std::plus<>{}) == sum;
  std::vector<int> from_last(1000, world.rank() == n - 1 ? 7 : 0);
  world.bcast(from_last, n - 1);
  right = right && std::accumulate(from_last.begin(), from_last.end(), 0) == 7000;
  return right && world.dup().allreduce(1, std::plus<>{}) == n;
}

TEST_CASE("minimal bootstrap: the contract of a Bootstrap") {
  for (const rank_t n : ranks::counts) {
    CAPTURE(n);
    minimal_job job(n);
    std::vector<minimal> all;
    for (rank_t r = 0; r < n; ++r) all.emplace_back(job, r);
    check_meeting(all);
    check_idle(all);
    CHECK(errc_of([&] { all[0].get(n, "k"); }) == errc::rank);
    CHECK(errc_of([&] { all[0].put("", "v"); }) == errc::argument);
    job.end("no more");
    CHECK(errc_of([&] { all[0].fence(idle); }) == errc::aborted);
    CHECK(errc_of([&] { all[0].fence(idle); }) == errc::aborted);
  }
}

TEST_CASE_TEMPLATE("minimal bootstrap: jobs of any size join, talk and leave", Stack, over_inproc,
                   other) {
  for (const rank_t n : ranks::counts) {
    CAPTURE(n);
    std::atomic<int> good = 0;
    const ending all =
        launch<Stack>(n, [&](mpx::environment<Stack>& env) { good += talk(env) ? 1 : 0; });
    CHECK(good == n);
    CHECK(all.why_ended == "");
  }
}

TEST_CASE("minimal bootstrap: environments follow each other, and live at once") {
  const ranks::watchdog guard("environments over a minimal bootstrap");
  for (const rank_t n : {1, 2, 3}) {
    CAPTURE(n);
    minimal_job job(n);
    std::atomic<int> good = 0;
    {
      std::vector<std::jthread> threads;
      for (rank_t r = 0; r < n; ++r) {
        threads.emplace_back([&, r] {
          for (int round = 0; round < 3; ++round) {
            mpx::environment<over_inproc> a{minimal(job, r)};
            mpx::environment<other> b{minimal(job, r)};
            good += talk(a) && talk(b) ? 1 : 0;
          }
        });
      }
    }
    CHECK(good == 3 * n);
  }
}

TEST_CASE("minimal bootstrap: messages sent before a rank leaves arrive") {
  const ending all = launch<over_inproc>(2, [](mpx::environment<over_inproc>& env) {
    auto world = env.world();
    std::vector<int> many(200'000, env.rank());
    if (env.rank() == 0) {
      for (int i = 0; i < 3000; ++i) world.send(i, 1, 1);
      auto dropped = world.isend(many, 1, 2);
      return dropped.wait(), void();
    }
    std::this_thread::sleep_for(milliseconds(50));
    world.recv(many, 0, 2);
    CHECK(many.back() == 0);
    for (int i = 0; i < 3000; ++i) {
      int got = -1;
      world.recv(got, 0, 1);
      if (got != i) CHECK(got == i);
    }
  });
  CHECK(all.why_ended == "");
}

TEST_CASE("minimal bootstrap: a rank that leaves alone is waited for until the launcher ends it") {
  for (const rank_t n : {2, 3, 8}) {
    CAPTURE(n);
    const auto begin = steady_clock::now();
    std::atomic<int> unaware = 0;
    std::atomic<bool> gone = false;
    const ending all = launch<over_inproc>(n, [&](mpx::environment<over_inproc>& env) {
      auto world = env.world();
      if (env.rank() == n - 1) {
        // The guard's call is the last that the environment sees of it.
        const struct last {
          std::atomic<bool>& gone;
          ~last() { gone = true; }
        } guard{gone};
        world.send(5, 0, 1);
        throw std::runtime_error("has had enough");
      }
      if (env.rank() != 0) return;  // Waits in the fence of leaving.
      int from_last = 0;
      world.recv(from_last, n - 1, 1);
      int never = 0;
      auto waits = world.irecv(never, n - 1, 2);
      while (!gone) std::this_thread::yield();
      const auto until = steady_clock::now() + milliseconds(150);
      bool told = false;
      while (steady_clock::now() < until) told = waits.test().has_value() || told;
      world.send(6, n - 1, 3);  // No error either.
      unaware += !told && from_last == 5;
      CHECK(waits.cancel());
    });
    CHECK(unaware == 1);
    CHECK(all.why_ended.find("has had enough") != std::string::npos);
    for (rank_t r = 0; r < n - 1; ++r) CHECK(all.failures[static_cast<std::size_t>(r)] == nullptr);
    CHECK(steady_clock::now() - begin < std::chrono::seconds(20));
  }
}

TEST_CASE("minimal bootstrap: a missing rank is waited for until the launcher ends the job") {
  const ranks::watchdog guard("a rank alone");
  minimal_job job(2);
  std::atomic<errc> failure{};
  {
    const std::jthread alone(
        [&] { failure = errc_of([&] { mpx::environment<over_inproc> env{minimal(job, 0)}; }); });
    std::this_thread::sleep_for(milliseconds(100));
    CHECK(failure.load() == errc{});
    job.end("the other one never started");
  }
  CHECK(failure.load() == errc::aborted);
}

TEST_CASE("minimal bootstrap: abort ends the job") {
  for (const rank_t n : {1, 2, 7}) {
    CAPTURE(n);
    const ending all = launch<over_inproc>(n, [&](mpx::environment<over_inproc>& env) {
      if (env.rank() == n - 1) env.abort(3, "enough");
      static_cast<void>(env.world());
    });
    CHECK(all.failure_of(n - 1) == errc::aborted);
    CHECK(all.why_ended ==
          "rank " + std::to_string(n - 1) + " aborted the job with code 3: enough");
  }
}

TEST_CASE("minimal bootstrap: all ranks learn that their stacks differ") {
  const ranks::watchdog guard("different stacks over a minimal bootstrap");
  for (const rank_t n : {2, 3, 4, 7, 8}) {
    for (const rank_t odd : {rank_t{0}, rank_t{1}, n - 1}) {
      CAPTURE(n);
      CAPTURE(odd);
      minimal_job job(n);
      std::atomic<int> refused = 0;
      const auto join_as = [&]<class S>(S, rank_t r) {
        try {
          const mpx::environment<S> env{minimal(job, r)};
        } catch (const mpx::error& e) {
          const std::string what = e.what();
          const std::string one = over_inproc::fingerprint();
          const std::string two = other::fingerprint();
          const auto says = [&what](const std::string& part) {
            return what.find(part) != std::string::npos;
          };
          refused += e.code() == errc::stack_mismatch && says(" on rank 0: build all ranks") &&
                     (says(" was built with " + mpx::detail::difference(one, two)) ||
                      says(" was built with " + mpx::detail::difference(two, one)));
        }
      };
      {
        std::vector<std::jthread> threads;
        for (rank_t r = 0; r < n; ++r) {
          threads.emplace_back([&, r] {
            if (r == odd) return join_as(other{}, r);
            join_as(over_inproc{}, r);
          });
        }
      }
      CHECK(refused == n);
    }
  }
}

TEST_CASE("hang describer: fills buffers of the length of a description only") {
  minimal_job job(1);
  minimal me(job, 0);
  mpx::detail::endpoint<over_inproc> place(me);
  mpx::detail::endpoint_describer<over_inproc> asked(place);
  mpx::detail::hang_info info{};
  info.rank = 17;
  const auto bytes = std::as_writable_bytes(std::span(&info, 1));
  CHECK(!asked.describe(bytes.first(bytes.size() - 1)));
  CHECK(!asked.describe({}));
  CHECK(info.rank == 17);
  CHECK(asked.describe(bytes));
  CHECK(info.rank == 0);
}

TEST_CASE("bootstrap axis: a stack may name any of the kinds, and a program be alone by choice") {
  const ranks::watchdog guard("stacks that name their bootstrap");
  using alone = mpx::stack<mpx::bootstrap::singleton>;
  mpx::environment<alone> env;
  CHECK(env.size() == 1);
  CHECK(env.world().allreduce(3, std::plus<>{}) == 3);

  using of_threads = mpx::stack<mpx::transport::inproc, mpx::bootstrap::threads>;
  for (const rank_t n : {1, 2, 4}) {
    std::atomic<int> good = 0;
    mpx::run_threads<of_threads>(n, [&](mpx::communicator<of_threads> world) {
      good += world.allreduce(1, std::plus<>{}) == n;
    });
    CHECK(good == n);
  }
}

}  // namespace
