// SPDX-License-Identifier: BSL-1.0
#pragma once
// Jobs whose ranks are threads of this process, for tests and debugging.

#include <concepts>
#include <exception>
#include <source_location>
#include <string>

#include "mpx/bootstrap/threads.hpp"
#include "mpx/communicator.hpp"
#include "mpx/core/lock.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/thread.hpp"
#include "mpx/environment.hpp"
#include "mpx/watch/hang_monitor.hpp"

namespace mpx::inline v0 {

/// Runs `body` as `ranks` ranks that are threads of this process. `body` takes the world or the
/// environment. Returns when all have ended.
/// Errors:     rethrows the exception of the first rank that failed by itself. The other ranks are
///             told that it is lost; their errc::peer_lost is rethrown only if no rank fails for
///             another reason.
template <class Stack = stack<>, class Body>
requires StackOfPolicies<Stack> &&
         (std::invocable<Body&, communicator<Stack>> || std::invocable<Body&, environment<Stack>&>)
void run_threads(rank_t ranks, Body&& body,
                 std::source_location where = std::source_location::current()) {
  using job_type = typename Stack::bootstrap_type;
  static_assert(std::constructible_from<job_type, bootstrap::threads>,
                "run_threads joins by bootstrap::threads: the stack's bootstrap must hold one");
  const bootstrap::thread_job job(ranks);
  if (ranks > 1) detail::announce_hang_monitor(job.segment());
  platform::native::mutex mutex;
  std::exception_ptr first;
  // `first` is errc::peer_lost: the exception that caused it may be caught later.
  bool is_loss = false;
  const auto fail = [&](bool by_loss) {
    const detail::lock_guard lock(mutex);
    if (first && (by_loss || !is_loss)) return;
    first = std::current_exception();
    is_loss = by_loss;
  };
  const auto run = [&](rank_t rank) {
    bool well = false;
    try {
      environment<Stack> env{job_type(bootstrap::threads(job, rank)), where};
      if constexpr (std::invocable<
                        // Tested first: a generic body accepts both.
                        Body&, communicator<Stack>>) {
        body(env.world());
      } else {
        body(env);
      }
      well = true;
    } catch (const error& e) {
      fail(e.code() == errc::peer_lost);
    } catch (...) {
      fail(false);
    }
    job.mark_ended(rank, well);
  };
  using thread = platform::joined_thread<decltype(run)>;
  {
    // Joins all threads when destroyed.
    owning_table<thread> threads(static_cast<std::size_t>(ranks));
    rank_t started = 0;
    try {
      for (; started < ranks; ++started)
        threads.put(static_cast<std::size_t>(started), new thread(run, started));
    } catch (const std::exception&) {
      for (rank_t r = started; r < ranks; ++r) job.mark_ended(r, false);  // No rank waits for them.
      const detail::lock_guard lock(mutex);
      first = std::make_exception_ptr(
          error(errc::no_resources,
                detail::formatted("run_threads could not start thread %d of %d: check `ulimit -u`",
                                  started, ranks)));
      is_loss = false;
    }
    detail::look_after_threads(job.segment());
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace mpx::inline v0
