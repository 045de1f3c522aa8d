// SPDX-License-Identifier: BSL-1.0
// release: dev tsan
// own_headers: yes
// timeout: 300
// compilers: both
// Every allocation of a job of threads fails once: the caller gets an error, or the failure has no
// effect; all else continues, and nothing leaks.

#include "scarce.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "program.hpp"

namespace {

using scarce::memory;
using scarce::refusing;

constexpr unsigned seconds_for_one = 30;
#ifdef MPX_TEST_SANITIZED
constexpr std::uint64_t stride = 8;
#else
constexpr std::uint64_t stride = 2;
#endif

template <class Waiting, class Threading>
using narrow = mpx::stack<mpx::transport::basic_inproc<64, 16 * 1024>, Waiting, Threading,
                          mpx::protocol::tiny_short_long<40, 1024, mpx::long_path::automatic, 2048>,
                          mpx::flow::credits<64 * 1024, 4 * 1024, 16>>;
using one_thread = narrow<mpx::waiting::spin_then_sleep<>, mpx::threading::single>;
using locking = narrow<mpx::waiting::sleep, mpx::threading::multiple>;

std::uint64_t playing = 0;  // For the watchdog that ends a run that hangs.

struct result {
  bool all_done;
  std::string wrong;
  std::uint64_t asked;
};

template <class Stack>
result run(std::uint64_t first, std::uint64_t last) {
  const std::int64_t held = memory().held;
  playing = first;
  ::alarm(seconds_for_one);
  result r{};
  {
    alloc_program::record record(2);
    const refusing some(first, last);
    try {
      mpx::run_threads<Stack>(2, [&](mpx::environment<Stack>& env) { record.play(env); });
    } catch (...) {
      record.note(std::current_exception());
    }
    r.asked = memory().asked;
    r.all_done = record.all_done();
    r.wrong = record.wrong();
  }
  ::alarm(0);
  if (r.wrong.empty() && memory().held != held)
    r.wrong = std::to_string(memory().held - held) + " allocations are not given back";
  return r;
}

/// Threads allocate in another order each time: which allocation is the n-th differs.
template <class Stack>
void each(bool all_after) {
  std::signal(SIGALRM, [](int) {
    char text[80];
    const int n = std::snprintf(text, sizeof text, "alloc: run %llu hangs\n",
                                static_cast<unsigned long long>(playing));
    if (::write(2, text, static_cast<std::size_t>(n)) >= 0) ::_exit(1);
  });
  const result clean = run<Stack>(scarce::never, scarce::never);
  REQUIRE(clean.wrong == "");
  REQUIRE(clean.all_done);
  std::uint64_t unharmed = 0;
  for (std::uint64_t n = 0; n < clean.asked; n += stride) {
    CAPTURE(n);
    const result r = run<Stack>(n, all_after ? scarce::never : n);
    CHECK(r.wrong == "");
    unharmed += r.all_done ? 1 : 0;
  }
  MESSAGE(unharmed << " of " << (clean.asked + stride - 1) / stride << " runs unharmed");
  CHECK(clean.asked > 50);
}

}  // namespace

TEST_CASE_TEMPLATE("alloc: each allocation of a job of threads fails once", Stack, one_thread,
                   locking) {
  each<Stack>(false);
}

TEST_CASE_TEMPLATE("alloc: from some allocation of a job of threads on all fail", Stack, one_thread,
                   locking) {
  each<Stack>(true);
}
