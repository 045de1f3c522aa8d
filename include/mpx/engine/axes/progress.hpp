// SPDX-License-Identifier: BSL-1.0
#pragma once
// Progress policies: only calls of the program move messages, or a thread does so between them.

#include <concepts>
#include <cstdint>
#include <source_location>
#include <string_view>
#include <type_traits>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/engine/axes/call_gate.hpp"
#include "mpx/engine/axes/threading.hpp"
#include "mpx/transport/concepts.hpp"

namespace mpx::inline v0 {

struct progress_axis {};

/// Says whether messages move between the calls of a program. It is a name, and no more: see
/// ThreadedProgress.
template <class P>
concept ProgressPolicy = requires {
  requires std::same_as<typename P::policy_axis, progress_axis>;
  { P::name } -> std::convertible_to<std::string_view>;
};

/// Refinement: a thread of the environment makes progress between the calls of the program.
/// - `idle_ns`: time in nanoseconds without a poll after which the thread takes over.
template <class P>
concept ThreadedProgress = ProgressPolicy<P> && requires {
  { P::idle_ns } -> std::convertible_to<std::int64_t>;
};

namespace progress {

/// The default: messages move while the program is inside a call.
struct on_call {
  using policy_axis = progress_axis;
  static constexpr std::string_view name = "on_call";
};

/// Messages also move while the program computes: each environment has a thread that takes over
/// when the program has not polled for a millisecond. It sleeps until a packet arrives, and while a
/// call is under way. A long message to a rank that computes is received meanwhile, a started
/// collective call continues, and accesses to its windows are carried out.
///
/// Callbacks and functions of reductions may run in this thread; they must not call mpx. It uses
/// the cores that the rank may use, and has all signals blocked.
/// Requires:   a transport with a descriptor (PollableTransport) and a bootstrap of real processes
///             or threads. Any thread model. The environment is destroyed before static objects to
///             which mpx may still write, also if the program ends by exit().
/// Cost:       8-byte latency is 5 % longer (`scripts/compare --only progress_latency`). A wake-up
///             of the thread each millisecond while the program makes calls. A message to a rank
///             that has just begun to compute may wait for a millisecond.
struct thread {
  using policy_axis = progress_axis;
  static constexpr std::string_view name = "thread";
  static constexpr std::int64_t idle_ns = 1'000'000;
};

}  // namespace progress

/// A progress thread sleeps on the transport's descriptor.
template <class P, class T>
concept ProgressThreadSleeps = !ThreadedProgress<P> || PollableTransport<T>;

/// A simulated rank has no threads.
template <class P, class B>
concept ProgressThreadRuns = !ThreadedProgress<P> || !SimulatedBootstrap<B>;

namespace detail {

/// The thread model `Base` of the program, with a progress thread beside it.
template <class Base>
class assisted : public Base {
 public:
  /// Reason why this thread must not call now: see CheckingThreadModel.
  const char* misuse() const noexcept {
    if (gate_.is_progress_thread()) return call_gate::call_in_callback;
    if constexpr (CheckingThreadModel<Base>) return Base::misuse();
    return nullptr;
  }
  [[MPX_ALWAYS_INLINE]] void lock() noexcept {
    MPX_ASSERT_AT(!gate_.is_progress_thread(), call_gate::call_in_callback, std::source_location());
    Base::lock();
    gate_.begin_call();
  }
  [[MPX_ALWAYS_INLINE]] void unlock() noexcept {
    gate_.end_call();
    Base::unlock();
  }
  call_gate& gate() noexcept { return gate_; }

 private:
  call_gate gate_;
};

template <class Threading>
concept AssistedThreadModel = ThreadModel<Threading> && requires(Threading& t) {
  { t.gate() } noexcept -> std::same_as<call_gate&>;
};

/// True if another thread may change an endpoint between two calls of a program's thread: it may be
/// read only under the lock. (If `Threading::concurrent`, also while a call waits.)
template <ThreadModel Threading>
inline constexpr bool shares_state = Threading::concurrent || AssistedThreadModel<Threading>;

template <class Progress, class Threading>
using threading_with =
    std::conditional_t<ThreadedProgress<Progress>, assisted<Threading>, Threading>;

}  // namespace detail
}  // namespace mpx::inline v0
