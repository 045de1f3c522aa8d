// SPDX-License-Identifier: BSL-1.0
// checks::collectives in virtual time: whatever the delays, all ranks name the same two calls.

#include <unistd.h>

#include <array>
#include <cstdio>
#include <exception>
#include <mpx/rma.hpp>
#include <string>

#include "coll/mismatches.hpp"
#include "sim/stacks.hpp"

namespace {

using compared_sim = mpx::stack<mpx::transport::sim, mpx::waiting::sleep, mpx::checks::all>;

/// Text that `run` writes to stderr.
template <class Run>
std::string warnings_of(Run&& run) {
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::fflush(stderr);
  const int before = ::dup(STDERR_FILENO);
  ::dup2(::fileno(file), STDERR_FILENO);
  run();
  std::fflush(stderr);
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  std::rewind(file);
  std::array<char, 4096> text{};
  const std::size_t n = std::fread(text.data(), 1, text.size(), file);
  std::fclose(file);
  return {text.data(), n};
}
std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// Calls of which rank `odd` makes `other`, the rest `one`: at all of them an error with both
/// texts, that names `odd` and this file. What ranks do next goes together again.
template <class World, class One, class Other>
void expect_apart(mismatches::findings& found, const World& world, mpx::rank_t odd, One&& one,
                  std::string_view one_says, Other&& other, std::string_view other_says) {
  using mismatches::says;
  const auto [ec, text] =
      mismatches::error_of([&] { world.rank() == odd ? (void)other() : (void)one(); });
  found.check(
      ec == mpx::errc::call_mismatch && says(text, one_says) && says(text, other_says) &&
          says(text, "rank " + std::to_string(odd) + " ") && says(text, "checks.test.cpp:") &&
          !says(text, "dup"),
      "expected " + std::string(one_says) + " and " + std::string(other_says) + ", got " + text);
}

}  // namespace

TEST_CASE("checks: in the simulator, at any delays") {
  using compared = compared_sim;
  constexpr mpx::sim::loggp rough{.node_size = 2, .jitter_ns = 30'000, .noise_ns = 100};
  for (const mpx::rank_t n : {2, 3, 4, 7, 8, 19}) {
    mismatches::findings found;
    const auto end = mpx::sim::try_run<compared>(
        n, rough, static_cast<std::uint64_t>(n), [&](mpx::environment<compared>& env) {
          const auto world = env.world();
          std::int64_t late_ns = 0;
          mismatches::everything(found, world, [&] {
            late_ns = (late_ns * 31 + 7919 * (world.rank() + 1)) % 200'000;
            env.transport().compute(late_ns);
          });
          mismatches::nothing(found, world);
        });
    CHECK(found.first() == "");
    CHECK(!end.failure);
    CHECK(end.stuck == "");
  }
}

TEST_CASE("checks: a rank that dies or drops its call ends it for the others") {
  using compared = mpx::stack<mpx::transport::sim, mpx::waiting::sleep, mpx::checks::collectives>;
  mpx::sim::options o;
  o.faults.push_back({mpx::sim::fault::kind::kill, 1'000'000, 3});
  const auto end = mpx::sim::try_run<compared>(
      5, mpx::sim::loggp{.jitter_ns = 3000}, 1,
      [](mpx::environment<compared>& env) {
        const auto world = env.world();
        int x = 1;
        std::error_code ec;
        {
          auto dropped = world.rank() == 4 ? world.allreduce(x, mpx::sum, mpx::start)
                                           : mpx::request<compared>();
        }
        if (world.rank() != 4) {
          world.allreduce(x, mpx::sum, mpx::start).wait(ec);
          CHECK(ec == mpx::errc::peer_lost);
        }
        if (world.rank() == 3) env.transport().compute(1'000'000'000);
        world.bcast(x, world.rank() == 1, ec);
        CHECK(ec == mpx::errc::peer_lost);
      },
      o);
  CHECK(!end.failure);
}

TEST_CASE("checks: a rank that leaves the job while others are in a call of the world") {
  for (const mpx::rank_t n : {2, 3, 4, 7, 8})
    for (const mpx::rank_t gone : {mpx::rank_t{0}, n - 1}) {
      CAPTURE(n);
      mismatches::findings found;
      mpx::sim::outcome_of_run end;
      const std::string told = warnings_of([&] {
        end = mpx::sim::try_run<compared_sim>(
            n, mpx::sim::loggp{.node_size = 2, .jitter_ns = 30'000}, 7,
            [&](mpx::environment<compared_sim>& env) {
              const auto world = env.world();
              world.barrier();
              if (world.rank() == gone) return;
              for (int i = 0; i < 3; ++i) {  // It answers every call.
                env.transport().compute(20'000 * world.rank());
                int x = 1;
                const auto [ec, text] = mismatches::error_of([&] {
                  if (i == 0) world.barrier();
                  if (i == 1) world.barrier(mpx::start).wait();
                  if (i == 2) static_cast<void>(world.allreduce(x, mpx::sum));
                });
                const std::string leaves = "rank " + std::to_string(gone) + " leaves the job";
                found.check(
                    ec == mpx::errc::call_mismatch && mismatches::says(text, leaves) &&
                        mismatches::says(text, i == 1   ? "called a started barrier"
                                               : i == 0 ? "called barrier ("
                                                        : "called allreduce of 4 bytes (") &&
                        (i == 1 || mismatches::says(text, "checks.test.cpp:")),
                    text);
              }
            });
      });
      CHECK(found.first() == "");
      CHECK(!end.failure);
      CHECK(end.stuck == "");
      const std::string who = "mpx: rank " + std::to_string(gone) + " leaves its job while others";
      CHECK(count_of(told, who) == 1);
      CHECK(count_of(told, "called barrier (") == 1);
      CHECK(count_of(told, "\n") == 1);
    }
}

TEST_CASE("checks: leaving alone, after a death, by an exception, and late") {
  using fault = mpx::sim::fault;
  const auto run = [](mpx::sim::options o, auto&& body) {
    return mpx::sim::try_run<compared_sim>(4, mpx::sim::loggp{.jitter_ns = 3000}, 3, body, o);
  };
  std::string told = warnings_of([&] {
    // No rank catches the mismatch: a rank that leaves learns of the loss, and ends.
    auto end = run({}, [](mpx::environment<compared_sim>& env) {
      if (env.rank() != 0) env.world().barrier();
    });
    REQUIRE(end.failure);
    try {
      std::rethrow_exception(end.failure);
    } catch (const mpx::error& e) {
      CHECK(e.code() == mpx::errc::call_mismatch);
    }
    CHECK(end.stuck == "");
  });
  CHECK(count_of(told, "mpx: rank 0 leaves its job while others") == 1);
  told = warnings_of([&] {
    for (const std::int64_t dies_ns : {200'000, 1'000'000}) {
      // Before others leave, and while they do.
      mpx::sim::options o;
      o.faults.push_back({fault::kind::kill, dies_ns, 2});
      auto end = run(o, [](mpx::environment<compared_sim>& env) {
        if (env.rank() == 2) env.transport().compute(1'000'000'000);
        if (env.rank() == 3) env.transport().compute(2'000'000);
        if (env.rank() == 1) env.transport().compute(500'000);
      });
      CHECK(!end.failure);
      CHECK(end.stuck == "");
    }
    // Messages and calls started before complete.
    auto end = run({}, [](mpx::environment<compared_sim>& env) {
      const auto world = env.world();
      const auto other = world.dup();
      int x = 1;
      std::vector<char> many(2000, 'm');
      if (world.rank() == 0) {
        for (mpx::rank_t r = 1; r < 4; ++r) world.send(many, r);
      }
      auto sum = world.allreduce(x, mpx::sum, mpx::start);
      env.transport().compute(500'000 * world.rank());
      sum.wait();
      if (world.rank() != 0) world.recv(many, 0);
      other.bcast(x, 0);
    });
    CHECK(!end.failure);
    CHECK(end.stuck == "");
  });
  CHECK(told == "");
}

TEST_CASE("checks: calls of all ranks of a window") {
  for (const mpx::rank_t n : {2, 3, 8}) {
    mismatches::findings found;
    const auto end = mpx::sim::try_run<compared_sim>(
        n, mpx::sim::loggp{.node_size = 2, .jitter_ns = 30'000}, 5, [&](auto world) {
          for (const mpx::rank_t odd : {n - 1, mpx::rank_t{0}}) {
            expect_apart(
                found, world, odd, [&] { (void)mpx::allocate_window<int>(world, 4); },
                "allocate_window (", [&] { world.barrier(); }, "barrier (");
            expect_apart(
                found, world, odd, [&] { (void)mpx::allocate_window<int>(world, 4); },
                "allocate_window, in integers of 4 bytes (",
                [&] { (void)mpx::allocate_window<float>(world, 4); },
                "allocate_window, in floating-point numbers of 4 bytes (");
            expect_apart(
                found, world, odd, [&] { (void)mpx::allocate_window<int>(world, 4); },
                "allocate_window (", [&] { (void)mpx::dynamic_window<int>(world); },
                "dynamic_window (");
            std::error_code ec;
            if (world.rank() == odd)
              world.barrier(ec);
            else
              (void)mpx::allocate_window<int>(world, 4, mpx::rma::protocol::automatic, ec);
            found.check(ec == mpx::errc::call_mismatch, "no code of a window's making");

            auto w = mpx::allocate_window<int>(world, 4);
            w.fence();
            expect_apart(
                found, world, odd, [&] { w.fence(); }, "fence (", [&] { w.free(); },
                "free of a window (");
            expect_apart(
                found, world, odd, [&] { w.fence(mpx::rma::assertion::no_precede); },
                "fence, in another shape (", [&] { w.fence(); }, "fence, in another shape (");
            if (world.rank() == odd)
              w.free(ec);
            else
              w.fence(ec);
            found.check(ec == mpx::errc::call_mismatch, "no code of a fence");
            const mpx::rank_t next = (world.rank() + 1) % n;
            w.put(world.rank(), next, 1);
            w.fence(mpx::rma::assertion::no_succeed);
            found.check(w.local()[1] == (world.rank() + n - 1) % n, "a fence does nothing");
            w.free();
          }
        });
    CHECK(found.first() == "");
    CHECK(!end.failure);
    CHECK(end.stuck == "");
  }
}
