// SPDX-License-Identifier: BSL-1.0
#pragma once
// Joining and leaving a job. The environment owns all state of a rank from its constructor to its
// destructor.

#include <unistd.h>

#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/bootstrap/detail/member.hpp"
#include "mpx/communicator.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/engine/axes/stack.hpp"
#include "mpx/engine/base/allocator.hpp"
#include "mpx/engine/endpoint/endpoint_cold.hpp"
#include "mpx/engine/endpoint/progress_thread.hpp"
#include "mpx/watch/hang_collection.hpp"
#include "mpx/watch/hang_watch.hpp"

namespace mpx::inline v0 {

namespace detail {

/// Describes to the simulator what a rank waits for.
template <class Stack>
class endpoint_describer final : public bootstrap::hang_describer {
 public:
  explicit endpoint_describer(endpoint<Stack>& e) noexcept : endpoint_(e) {}
  bool describe(std::span<std::byte> into) override {
    const hang_info info = endpoint_.describe_hang();
    if (into.size() != sizeof info) return false;
    std::memcpy(into.data(), &info, sizeof info);
    return true;
  }

 private:
  endpoint<Stack>& endpoint_;
};

/// Receives the states of ranks that wait in a job that no process monitors.
template <class Stack>
class hang_listener final : service {
 public:
  /// Requires: `e` and `watch` outlive this; `e` takes no packets after that.
  hang_listener(endpoint<Stack>& e, hang_watch& watch, rank_t rank, rank_t ranks)
      : endpoint_(e), states_(ranks) {
    constexpr auto kind = static_cast<std::uint8_t>(wire::kind::hangs);
    if (rank != 0 || ranks == 1) return;
    endpoint_.add_service(*this, kind, kind);
    watch.report_by(states_);
  }
  ~hang_listener() { endpoint_.remove_service(*this); }

 private:
  errc on_packet(peer_id source, const wire::header& h,
                 std::span<const std::byte> piece) noexcept override {
    return states_.take(world_rank(source), h.tag, piece);
  }
  void on_loss(peer_id peer) noexcept override { states_.forget(world_rank(peer)); }

  endpoint<Stack>& endpoint_;
  hang_collection<> states_;
};

/// Used outside of simulations, where no description is asked for.
struct no_describer {
  template <class Endpoint>
  explicit no_describer(Endpoint&) noexcept {}
};
/// Used where a process monitors the job, or no rank can wait for ever.
struct no_hang_listener {
  no_hang_listener(auto&&...) noexcept {}
};

}  // namespace detail

/// A rank's membership in a job.
///
/// The constructor joins through the stack's bootstrap: by default as a rank of mpxrun, or as a
/// job of one rank. It checks that all ranks use the same stack. The destructor leaves together
/// with all other ranks. If it runs because of an exception, or if another rank has failed, it does
/// not wait for the other ranks; it waits at most a tenth of a second for packets that are still to
/// be sent. The other ranks are told that this rank is lost, if the bootstrap can do so
/// (LivenessBootstrap). In a forked child the destructor does nothing.
/// Requires:   requests and communicators are destroyed before the environment. At most 32
///             environments exist at once; any number may be made one after the other. All ranks
///             make them in the same order.
template <class Stack = stack<>>
class environment {
 public:
  /// Stack of the environment.
  using stack_type = Stack;
  /// The stack's bootstrap, through which this rank joined.
  using job_type = typename Stack::bootstrap_type;

  /// Joins the job. Collective over all ranks.
  /// Errors:     errc::bootstrap, errc::stack_mismatch, errc::no_resources.
  explicit environment(std::source_location where = std::source_location::current())
      requires std::default_initializable<job_type>;
  /// As above, over a bootstrap that is not default-constructible.
  explicit environment(job_type job, std::source_location where = std::source_location::current());
  environment(int, char**) = delete;  // mpx takes no arguments: write `mpx::environment env;`
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;

  ~environment();

  /// Returns this process's rank in the job.
  [[nodiscard]] rank_t rank() const noexcept { return job_.rank(); }
  /// Returns the number of ranks of the job.
  [[nodiscard]] rank_t size() const noexcept { return job_.size(); }
  /// Returns the name of the machine that this rank runs on.
  [[nodiscard]] std::string_view host() const { return job_.host(); }

  /// Returns the communicator of all ranks of the job.
  communicator<Stack> world() noexcept {
    return {endpoint_, state_, context_id{0}, job_.rank(), job_.size()};
  }

  /// Ends the whole job with `code`. Does not return: processes exit; ranks that are threads get
  /// errc::aborted.
  [[noreturn]] void abort(int code, std::string_view why = "mpx::environment::abort") {
    job_.abort(code, why);
    std::abort();
  }

  /// Returns an allocator of shared memory, from which long messages take a single copy.
  template <class T>
  [[nodiscard]] mpx::allocator<T> allocator() noexcept {
    return mpx::allocator<T>(heap_);
  }

  /// Gives `memory` to buffered sends until it is detached. Each buffered send takes its length,
  /// rounded up to 64 bytes.
  /// Errors:     errc::buffer if a buffer is attached already.
  template <class How = detail::throws_t>
  requires detail::BlockingForm<How>
  void attach_buffer(
      std::span<std::byte> memory, How&& how = {},
      std::source_location where = std::source_location::current()) noexcept(detail::is_code<How>) {
    const errc why = endpoint_.attach(memory);
    if constexpr (detail::is_code<How>) {
      detail::store(how, why);
    } else if (why != errc{}) {
      throw error(why, "attach_buffer: a buffer is attached already: detach it first", where);
    }
  }
  /// Waits until all buffered sends have been sent.
  /// Returns:    the attached memory; empty if none was attached.
  std::span<std::byte> detach_buffer(std::source_location where = std::source_location::current()) {
    return endpoint_.detach({"detach_buffer", where});
  }

  /// Sets the length up to which this rank sends a message eagerly, from now on: at most the limit
  /// of the stack, at least the size of tiny messages. MPX_SHORT_BYTES_MAX is its initial value. A
  /// larger limit for far peers becomes this one, too. All ranks should set the same length.
  /// Requires:   no other thread calls mpx meanwhile.
  void limit_eager(std::size_t bytes) { endpoint_.limit_eager(bytes); }
  /// Returns that length; of a stack with other thresholds for far peers, that for near ones.
  [[nodiscard]] std::size_t eager_limit() { return endpoint_.eager_limit(); }

  /// Enables receives from any source again after a peer was lost.
  void acknowledge_failures() { endpoint_.acknowledge_failures(); }

  /// Returns the bound in bytes on memory of unexpected eager messages, including their records.
  /// Not included: 128 bytes for each message that a sender has announced and keeps itself. A
  /// sender may announce 1024 (fewer with more than 64 peers), and as many again each time this
  /// rank blocks in a receive that matches none of them.
  [[nodiscard]] std::uint64_t unexpected_bytes_bound() const noexcept {
    return endpoint_.flow().bytes_bound();
  }
  /// Returns the part of unexpected_bytes_bound() that is in use.
  [[nodiscard]] std::uint64_t unexpected_bytes() const { return endpoint_.unexpected_bytes(); }

  /// Returns a steady clock in nanoseconds from an arbitrary origin; virtual time in a simulation.
  [[nodiscard]] std::int64_t now_ns() const noexcept { return endpoint_.now_ns(); }

  /// Returns the stack's trace. For tools and tests. Other threads, such as that of
  /// progress::thread, may change it at any time.
  [[nodiscard]] const typename Stack::trace_type& trace() const noexcept {
    return endpoint_.trace();
  }
  /// Returns the stack's transport. For tools and tests.
  [[nodiscard]] typename Stack::transport_type& transport() noexcept {
    return endpoint_.transport();
  }

 private:
  static constexpr std::int64_t last_words_ns_max = 100'000'000;
  static constexpr std::int64_t leaving_ns_max = 2'000'000'000;  // If some rank is lost.
  using watch_type = detail::watch_of<job_type>;
  using describer_type =
      std::conditional_t<SimulatedBootstrap<job_type>, detail::endpoint_describer<Stack>,
                         detail::no_describer>;
  using listener_type =
      std::conditional_t<SimulatedBootstrap<job_type> || MonitoredBootstrap<job_type>,
                         detail::no_hang_listener, detail::hang_listener<Stack>>;
  using blocked_scope = typename detail::endpoint<Stack>::blocked_scope;

  static job_type joined(std::source_location where) try {
    return job_type();
  } catch (const error& e) {
    detail::rethrow_at(e, where);
  }
  static int exceptions_here() {
    detail::out_of_memory();  // Preallocated while there is memory for it.
    return std::uncaught_exceptions();
  }
  /// Checks that all ranks were built with the same stack.
  /// Returns:    `job`.
  /// Errors:     errc::stack_mismatch.
  [[gnu::noinline, gnu::cold]] static job_type& with_equal_stacks(job_type& job,
                                                                  watch_type& watch) {
    job.put("mpx.stack", Stack::fingerprint());
    job.fence([&watch] { watch.join_step(); });
    // A rank that sees no difference itself learns of one by the loss of a peer.
    if constexpr (LivenessBootstrap<job_type>) {
      check_stacks(job, job.rank(), 0);
      check_stacks(job, job.rank(), (job.rank() + 1) % job.size());
    } else {
      tell_difference(job);
      job.fence([] {});
      std::uint64_t differs = 0;
      const std::optional<std::string> said = job.get(0, "mpx.differs");
      if (said) detail::parse_number(*said, static_cast<std::uint64_t>(job.size() - 1), differs);
      check_stacks(job, 0, static_cast<rank_t>(differs));
    }
    return job;
  }
  /// Rank 0 publishes the number of a rank whose stack differs from its own, or 0.
  static void tell_difference(job_type& job) {
    if (job.rank() != 0) return;
    const std::optional<std::string> mine = job.get(0, "mpx.stack");
    rank_t differs = job.size() - 1;
    while (differs > 0 && job.get(differs, "mpx.stack") == mine) --differs;
    job.put("mpx.differs", detail::formatted("%d", differs));
  }
  [[gnu::noinline, gnu::cold]] static std::string stack_of(job_type& job, rank_t rank) {
    if constexpr (std::derived_from<job_type, bootstrap::member>) {
      return job.text_of(rank, "mpx.stack", "(none)");
    } else {
      std::optional<std::string> said = job.get(rank, "mpx.stack");
      return said ? *std::move(said) : std::string("(none)");
    }
  }
  /// Compares the stacks published by ranks `a` and `b`.
  /// Errors:     errc::stack_mismatch.
  [[gnu::noinline, gnu::cold]] static void check_stacks(job_type& job, rank_t a, rank_t b) {
    const std::string one = stack_of(job, a);
    const std::string other = stack_of(job, b);
    if (std::strcmp(one.c_str(), other.c_str()) == 0) return;
    detail::throw_error(errc::stack_mismatch,
                        "rank %d was built with %s on rank %d: build all ranks from one mpx and "
                        "one stack",
                        b, detail::printable(detail::difference(one, other), 1000).c_str(), a);
  }

  /// Stops the final fence if a rank is lost for leaving_ns_max. For bootstraps that do not report
  /// failures: a rank lost to the transport may never enter the fence; or it has entered and left
  /// already, and this rank is about to. `since_ns`: when the loss was first seen; 0: not yet.
  [[gnu::noinline, gnu::cold]] void stop_if_lost(std::int64_t& since_ns) const {
    if (endpoint_.losses() == 0) return;
    const std::int64_t now = platform::now_ns();
    if (since_ns == 0) since_ns = now;
    if (now - since_ns > leaving_ns_max)
      throw error(errc::peer_lost, "leaving: a rank that is lost has not left");
  }
  /// Leaves without waiting for other ranks. Sends what this rank has queued.
  [[gnu::noinline, gnu::cold]] void leave_alone(bool in_good_order) noexcept {
    endpoint_.send_last(last_words_ns_max, in_good_order);
  }

  /// Applies MPX_SHORT_BYTES_MAX, which lowers the maximum length of an eager message.
  [[gnu::noinline, gnu::cold]] void lower_short_bytes() {
    const char* text = std::getenv("MPX_SHORT_BYTES_MAX");
    if (text == nullptr) return;
    constexpr std::size_t ceiling = Stack::protocol_type::short_bytes_ceiling;
    std::uint64_t bytes = 0;
    if (!detail::parse_number(text, ceiling, bytes))
      detail::throw_error(errc::argument,
                          "MPX_SHORT_BYTES_MAX=%s: give a number of bytes from 0 to %zu, the "
                          "stack's own limit",
                          text, ceiling);
    endpoint_.protocol().lower(bytes);
  }

  /// Warns if MPX_PROFILE asks for a profile that this stack does not record.
  [[gnu::noinline, gnu::cold]] void tell_of_no_profile() const noexcept {
    const char* text = std::getenv("MPX_PROFILE");
    if (text == nullptr || text[0] == '0' || job_.rank() != 0) return;
    std::fputs(
        "mpx: there will be no profile: this program's stack records no calls. Include "
        "mpx/profile.hpp and add mpx::trace::profile to its stack\n",
        stderr);
  }
  /// Applies MPX_SPIN: how long a blocked call polls before it sleeps.
  [[gnu::noinline, gnu::cold]] void set_spin() requires TunableWait<typename Stack::wait_type>
  {
    const char* text = std::getenv("MPX_SPIN");
    if (text == nullptr) return;
    constexpr std::uint64_t us_max = 1'000'000;
    std::uint64_t us = 0;
    if (!detail::parse_number(text, us_max, us))
      detail::throw_error(errc::argument,
                          "MPX_SPIN=%s: give the time that a blocked call polls before it sleeps, "
                          "in microseconds, from 0 to %llu",
                          text, static_cast<unsigned long long>(us_max));
    endpoint_.waits().spin_for(static_cast<std::int64_t>(us) * 1000);
  }

  job_type job_;
  int exceptions_;
  pid_t pid_ = ::getpid();
  watch_type watch_;
  detail::endpoint<Stack> endpoint_;
  detail::shared_heap heap_{endpoint_};
  [[no_unique_address]] describer_type describer_{endpoint_};
  [[no_unique_address]] listener_type listener_;
  detail::communicator_state& state_;
  [[no_unique_address]] detail::progress_thread_of<Stack> progress_thread_{endpoint_};
};

// Defined outside of the class, where they would be inline: an instance compiled in a library
// (instances.hpp) is then compiled nowhere else.

template <class Stack>
environment<Stack>::environment(std::source_location where)
    requires std::default_initializable<job_type>
    : environment(joined(where), where) {}

template <class Stack>
[[gnu::noinline, gnu::cold]] environment<Stack>::environment(job_type job,
                                                             std::source_location where) try
    : job_(std::move(job)),
      exceptions_(exceptions_here()),
      watch_(job_, where),
      endpoint_(with_equal_stacks(job_, watch_)),
      listener_(endpoint_, watch_, job_.rank(), job_.size()),  // nvcc 13.0 aborts on it in braces.
      state_(endpoint_.new_communicator_state()) {
  lower_short_bytes();
  if constexpr (TunableWait<typename Stack::wait_type>) set_spin();
  if constexpr (!CallTrace<typename Stack::trace_type>) tell_of_no_profile();
  endpoint_.with_communicators([this](auto& all) {
    all.host_number = 0xcbf2'9ce4'8422'2325u;  // FNV-1a.
    for (const char c : job_.host())
      all.host_number = (all.host_number ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3u;
    if constexpr (NearFarTransport<typename Stack::transport_type>) {  // Host names may be wrong.
      const auto& transport = endpoint_.transport();
      all.host_number = (transport.node_of(transport.self()) + 1) * 0x9e37'79b9'7f4a'7c15u;
    }
  });
  job_.fence([this] { watch_.join_step(); });
  watch_.went_on();
  if constexpr (!SimulatedBootstrap<job_type>) endpoint_.watch(watch_);
  if constexpr (SimulatedBootstrap<job_type>) job_.describe_by(&describer_);
  progress_thread_.start();
} catch (const error& e) {
  detail::rethrow_at(e, where);
}

template <class Stack>
[[gnu::noinline, gnu::cold]] environment<Stack>::~environment() {
  // A forked child does not leave in place of its parent. Not every kernel supports wiping pages on
  // fork, hence the comparison of pids.
  if (endpoint_.orphaned() || ::getpid() != pid_) return;
  progress_thread_.stop();
  if constexpr (CarryingCollectivePolicy<typename Stack::collective_type>)
    Stack::collective_type::leave(endpoint_);
  if (std::uncaught_exceptions() > exceptions_) {
    leave_alone(false);
    if constexpr (LivenessBootstrap<job_type>) job_.mark_failed();
    return;
  }
  try {
    const detail::call_site leaving{"", watch_.joined().where};
    endpoint_.assert_let_go(leaving.where);
    if constexpr (CallTrace<typename Stack::trace_type>) endpoint_.trace().report(world());
    if constexpr (Stack::checks_type::compares_collectives)
      Stack::checks_type::compare_leaving(world(), leaving.where);
    const blocked_scope scope(endpoint_.waits(), leaving, {detail::wait_kind::leaving});
    [[maybe_unused]] std::int64_t lost_since_ns = 0;
    job_.fence([&] {
      endpoint_.drain();
      watch_.leave_step();
      if constexpr (!LivenessBootstrap<job_type>) stop_if_lost(lost_since_ns);
    });
  } catch (const std::exception&) {
    leave_alone(true);  // Another rank failed first. This rank has completed its own part.
  }
  if constexpr (LivenessBootstrap<job_type>) job_.mark_finished();
}

/// Joins the job as environment's constructor does, without exceptions: `auto env =
/// mpx::join(ec);`, then `env->world()`.
/// Returns:    nothing if `ec` is set.
/// Errors:     those of the constructor.
template <class Stack = stack<>>
requires std::default_initializable<typename Stack::bootstrap_type>
std::optional<environment<Stack>> join(
    std::error_code& ec, std::source_location where = std::source_location::current()) noexcept {
  ec.clear();
  try {
    return std::optional<environment<Stack>>(std::in_place, where);
  } catch (const error& e) {
    ec = e.code();
  } catch (const std::exception&) {
    ec = errc::no_resources;
  }
  return std::optional<environment<Stack>>();
}

/// Rejects a policy given instead of a stack.
template <StackPolicy Policy>
class environment<Policy> {
  static_assert(StackOfPolicies<Policy>,
                "mpx::environment takes a stack, not a policy of one: write "
                "mpx::environment<mpx::stack<Policy, ...>>");
};

}  // namespace mpx::inline v0
