// SPDX-License-Identifier: BSL-1.0
#pragma once
// Joining and leaving a job: the environment owns all of a rank's state, from the constructor to
// the destructor.

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
#include "mpx/engine/allocator.hpp"
#include "mpx/engine/endpoint.hpp"
#include "mpx/engine/stack.hpp"
#include "mpx/watch/hang_watch.hpp"

namespace mpx::inline v0 {

namespace detail {

/// Tells whoever runs a simulated job what a rank waits for.
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

/// Nobody asks.
struct no_describer {
  template <class Endpoint>
  explicit no_describer(Endpoint&) noexcept {}
};

}  // namespace detail

/// A rank's membership in a job.
///
/// The constructor joins by the stack's bootstrap: by default under mpxrun as one of its ranks, or
/// as a world of one. It compares stacks with the other ranks. The destructor leaves, together with
/// all others; if an exception is passing through, or another rank is lost, it does not wait for
/// them but for a tenth of a second, if something that it has sent has yet to get out; they learn
/// that this rank is lost, if the bootstrap can tell them (LivenessBootstrap). In a forked child it
/// does nothing. Requests and communicators must be gone before. Up to 32 environments may live at
/// once, and any number one after the other, if all ranks make them in the same order.
template <class Stack = stack<>>
class environment {
 public:
  /// What communication here is made of.
  using stack_type = Stack;
  /// The stack's bootstrap, by which this rank has joined.
  using job_type = typename Stack::bootstrap_type;

  /// Collective over the job. Errors: errc::bootstrap, errc::stack_mismatch, errc::no_resources.
  explicit environment(std::source_location where = std::source_location::current())
      requires std::default_initializable<job_type>;
  /// The same, over a bootstrap that is not made of nothing.
  explicit environment(job_type job, std::source_location where = std::source_location::current());
  environment(int, char**) = delete;  // mpx takes no arguments: write `mpx::environment env;`
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;

  ~environment();

  /// This process's number in the job.
  rank_t rank() const noexcept { return job_.rank(); }
  /// How many ranks the job has.
  rank_t size() const noexcept { return job_.size(); }
  /// The name of the machine that this rank runs on.
  std::string_view host() const { return job_.host(); }

  /// All ranks of the job.
  communicator<Stack> world() noexcept {
    return {endpoint_, state_, context_id{0}, job_.rank(), job_.size()};
  }

  /// Ends the whole job with `code`. Does not return: ranks that are processes end here, ranks that
  /// are threads get errc::aborted.
  [[noreturn]] void abort(int code, std::string_view why = "mpx::environment::abort") {
    job_.abort(code, why);
    std::abort();
  }

  /// Memory from which long messages are copied once.
  template <class T>
  mpx::allocator<T> allocator() noexcept {
    return mpx::allocator<T>(heap_);
  }

  /// Gives `memory` to buffered sends until it is detached; each takes its length, rounded up to 64
  /// bytes, until it is out. Errors: errc::buffer if some is attached.
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
  /// Waits until all buffered sends have gone out and returns the memory, empty if none was
  /// attached.
  std::span<std::byte> detach_buffer(std::source_location where = std::source_location::current()) {
    return endpoint_.detach({"detach_buffer", where});
  }

  /// Lets receives from any source work again after a peer was lost.
  void acknowledge_failures() { endpoint_.acknowledge_failures(); }

  /// The bound on memory for eager messages that arrive before their receives, records included, in
  /// bytes; and its present use. Not in it: 128 bytes for each message that a sender has announced
  /// and holds back itself, of which it may announce 1024 (less with more than 64 peers), and as
  /// many again each time this rank blocks in a receive that none of them matches.
  std::uint64_t unexpected_bytes_bound() const noexcept { return endpoint_.flow().bytes_bound(); }
  /// What of that bound is in use.
  std::uint64_t unexpected_bytes() const noexcept { return endpoint_.unexpected_bytes(); }

  /// A steady clock, in nanoseconds from an arbitrary moment; in a simulation, of virtual time.
  std::int64_t now_ns() const noexcept { return endpoint_.now_ns(); }

  /// The stack's trace and transport, for tools and tests.
  const typename Stack::trace_type& trace() const noexcept { return endpoint_.trace(); }
  /// The stack's transport, for tools and tests.
  typename Stack::transport_type& transport() noexcept { return endpoint_.transport(); }

 private:
  static constexpr std::int64_t last_words_ns_max = 100'000'000;
  static constexpr std::int64_t leaving_ns_max = 2'000'000'000;  // When some rank is lost.
  using watch_type = detail::watch_of<job_type>;
  using describer_type =
      std::conditional_t<SimulatedBootstrap<job_type>, detail::endpoint_describer<Stack>,
                         detail::no_describer>;
  using blocked_scope = typename detail::endpoint<Stack>::blocked_scope;

  static job_type joined(std::source_location where) try {
    return job_type();
  } catch (const error& e) {
    detail::rethrow_at(e, where);
  }
  static int exceptions_here() {
    detail::out_of_memory();  // Made while there is memory for it.
    return std::uncaught_exceptions();
  }
  /// Returns `job` when all of its ranks were built with this stack.
  [[gnu::noinline, gnu::cold]] static job_type& with_equal_stacks(job_type& job,
                                                                  watch_type& watch) {
    job.put("mpx.stack", Stack::fingerprint());
    job.fence([&watch] { watch.join_step(); });
    if constexpr (LivenessBootstrap<job_type>) {  // Who sees nothing wrong learns of it by a loss.
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
  /// Rank 0 publishes which rank has another stack than itself, or 0.
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
  /// Errors: errc::stack_mismatch if ranks `a` and `b` have published different stacks.
  [[gnu::noinline, gnu::cold]] static void check_stacks(job_type& job, rank_t a, rank_t b) {
    const std::string one = stack_of(job, a);
    const std::string other = stack_of(job, b);
    if (std::strcmp(one.c_str(), other.c_str()) == 0) return;
    detail::throw_error(errc::stack_mismatch,
                        "rank %d was built with %s on rank %d: build all ranks from one mpx and "
                        "one stack",
                        b, detail::printable(detail::difference(one, other), 1000).c_str(), a);
  }

  /// The job tells of no deaths: a rank that the transport has lost may never enter the fence. Or
  /// it has, and left, and this rank is about to. `since_ns`: when that was first seen; 0: never.
  [[gnu::noinline, gnu::cold]] void stop_if_lost(std::int64_t& since_ns) const {
    if (endpoint_.losses() == 0) return;
    const std::int64_t now = platform::now_ns();
    if (since_ns == 0) since_ns = now;
    if (now - since_ns > leaving_ns_max)
      throw error(errc::peer_lost, "leaving: a rank that is lost has not left");
  }
  /// Leaves without the others; what this rank has sent is not lost with it.
  [[gnu::noinline, gnu::cold]] void leave_alone(bool in_good_order) noexcept {
    endpoint_.send_last(last_words_ns_max, in_good_order);
  }

  /// MPX_SHORT_BYTES_MAX lowers the longest eager message.
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

  /// MPX_PROFILE asks for what this stack does not record.
  [[gnu::noinline, gnu::cold]] void tell_of_no_profile() const noexcept {
    const char* text = std::getenv("MPX_PROFILE");
    if (text == nullptr || text[0] == '0' || job_.rank() != 0) return;
    std::fputs(
        "mpx: there will be no profile: this program's stack records no calls. Include "
        "mpx/profile.hpp and add mpx::trace::profile to its stack\n",
        stderr);
  }
  /// MPX_SPIN sets how long a blocked call polls before it sleeps.
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
  detail::communicator_state& state_;
};

// Not in the class, where they would be inline: those of an instance that is compiled apart
// (instances.hpp) are then compiled nowhere else.

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
      state_(endpoint_.new_communicator_state()) {
  lower_short_bytes();
  if constexpr (TunableWait<typename Stack::wait_type>) set_spin();
  if constexpr (!CallTrace<typename Stack::trace_type>) tell_of_no_profile();
  endpoint_.with_communicators([this](auto& all) {
    all.host_number = 0xcbf2'9ce4'8422'2325u;  // FNV-1a.
    for (const char c : job_.host())
      all.host_number = (all.host_number ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3u;
    if constexpr (NearFarTransport<typename Stack::transport_type>) {  // Names of hosts may lie.
      const auto& transport = endpoint_.transport();
      all.host_number = (transport.node_of(transport.self()) + 1) * 0x9e37'79b9'7f4a'7c15u;
    }
  });
  job_.fence([this] { watch_.join_step(); });
  watch_.went_on();
  if constexpr (!SimulatedBootstrap<job_type>) endpoint_.watch(watch_);
  if constexpr (SimulatedBootstrap<job_type>) job_.describe_by(&describer_);
} catch (const error& e) {
  detail::rethrow_at(e, where);
}

template <class Stack>
[[gnu::noinline, gnu::cold]] environment<Stack>::~environment() {
  // A forked child does not leave for its parent. (Not every kernel wipes pages for the former.)
  if (endpoint_.orphaned() || ::getpid() != pid_) return;
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
    leave_alone(true);  // Somebody else died first. What this rank had to do it has done.
  }
  if constexpr (LivenessBootstrap<job_type>) job_.mark_finished();
}

/// Joins the job as environment's constructor does, for programs that take no exceptions:
/// `auto env = mpx::join(ec);`, then `env->world()`. Returns: nothing if `ec` is set.
/// Errors: those of the constructor.
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

/// A policy is no stack.
template <StackPolicy Policy>
class environment<Policy> {
  static_assert(StackOfPolicies<Policy>,
                "mpx::environment takes a stack, not a policy of one: write "
                "mpx::environment<mpx::stack<Policy, ...>>");
};

}  // namespace mpx::inline v0
