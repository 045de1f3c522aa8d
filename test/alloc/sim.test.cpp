// SPDX-License-Identifier: BSL-1.0
// release: dev
// optimise: some
// own_headers: yes
// timeout: 300
// compilers: both
// Every allocation of a job fails once, in simulated jobs, where the same run can be repeated: the
// caller gets an error, or the failure has no effect; all else continues, and nothing leaks.

#include "scarce.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <concepts>
#include <mpx/sim.hpp>

#include "program.hpp"
#include "transport/late.hpp"

namespace {

using mpx::long_path;
using mpx::transport::basic_sim;
using mpx::transport::sim_rma;
using scarce::memory;
using scarce::refusing;

template <std::size_t Short, long_path By, std::size_t Fragment>
using sized = mpx::protocol::tiny_short_long<40, Short, By, Fragment>;

/// A network card, little credit and short channels.
using by_card = mpx::stack<basic_sim<sim_rma::nic, 4096, 4>, mpx::waiting::sleep,
                           sized<1024, long_path::automatic, 2048>,
                           mpx::flow::credits<64 * 1024, 4 * 1024, 16>>;
/// Packets alone, and lists.
using by_packets = mpx::stack<basic_sim<sim_rma::none, 1024, 4>, mpx::waiting::sleep,
                              mpx::matching::list, sized<512, long_path::packets, 700>>;
/// Copies by the kernel, a lock, and no bound on what comes early.
using by_copy =
    mpx::stack<basic_sim<sim_rma::cpu, 4096, 8>, mpx::waiting::sleep, mpx::threading::multiple,
               mpx::flow::unlimited, sized<1024, long_path::automatic, 1024>>;

/// Posts are pending, bodies are placed. (Its own memory is not counted, nor refused.)
using by_late =
    mpx::stack<late_transport::late<basic_sim<sim_rma::none, 1024, 4>>, mpx::waiting::sleep,
               sized<512, long_path::packets, 700>, mpx::flow::credits<64 * 1024, 4 * 1024, 16>>;

constexpr std::int64_t virtual_time_max_ns = 2'000'000'000;

struct result {
  bool all_done;
  std::string wrong;
  std::uint64_t asked;
};

template <class Stack>
result run(mpx::rank_t ranks, std::uint64_t first, std::uint64_t last) {
  const std::int64_t held = memory().held;
  result r{};
  {
    alloc_program::record record(ranks);
    mpx::sim::options o;
    o.time_max_ns = virtual_time_max_ns;
    const refusing some(first, last);
    const auto all = mpx::sim::try_run<Stack>(
        ranks, mpx::sim::loggp{.jitter_ns = 3000}, 1,
        [&](mpx::environment<Stack>& env) { record.play(env); }, o);
    r.asked = memory().asked;
    if (all.failure) record.note(all.failure);
    r.all_done = record.all_done();
    r.wrong = all.stuck.empty() ? record.wrong() : all.stuck;
  }
  if (r.wrong.empty() && memory().held != held)
    r.wrong = std::to_string(memory().held - held) + " allocations are not given back";
  return r;
}

/// Number of runs with one failed allocation in which all ranks succeeded.
struct tally {
  std::uint64_t runs = 0;
  std::uint64_t unharmed = 0;
};

#ifdef MPX_TEST_SANITIZED
constexpr std::uint64_t stride = 8;
#else
constexpr std::uint64_t stride = 1;
#endif

template <class Stack>
tally each(mpx::rank_t ranks, bool all_after) {
  const result clean = run<Stack>(ranks, scarce::never, scarce::never);
  REQUIRE(clean.wrong == "");
  REQUIRE(clean.all_done);
  tally t;
  // Over a late transport there are more polls, but no other places that allocate.
  // However few they are, some tens of them fail in turn.
  const std::uint64_t step = std::clamp<std::uint64_t>(
      clean.asked / 24, 1,
      (ranks == 2 ? stride : 5 * stride) * (std::same_as<Stack, by_late> ? 3 : 1));
  for (std::uint64_t n = 0; n < clean.asked; n += step) {
    CAPTURE(n);
    const result r = run<Stack>(ranks, n, all_after ? scarce::never : n);
    CHECK(r.wrong == "");
    ++t.runs;
    t.unharmed += r.all_done ? 1 : 0;
  }
  return t;
}

}  // namespace

TEST_CASE_TEMPLATE("alloc: each allocation of a simulated job fails once", Stack, by_card,
                   by_packets, by_copy, by_late) {
  for (const mpx::rank_t ranks : {2, 3}) {
    CAPTURE(ranks);
    const tally t = each<Stack>(ranks, false);
    MESSAGE(ranks << " ranks: " << t.unharmed << " of " << t.runs << " runs unharmed");
    CHECK(t.runs > 20);
    CHECK(t.unharmed > 0);  // Runs in which a call failed and was repeated.
  }
}

TEST_CASE_TEMPLATE("alloc: from some allocation of a simulated job on all fail", Stack, by_card,
                   by_packets, by_copy) {
  const tally t = each<Stack>(2, true);
  CHECK(t.unharmed < t.runs);
}
