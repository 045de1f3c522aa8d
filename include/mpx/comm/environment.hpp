// SPDX-License-Identifier: BSL-1.0
#pragma once
// Joining and leaving a job: the environment owns all of a rank's state, from the constructor to
// the destructor. And jobs whose ranks are threads, for tests and debugging.

#include <cstdlib>
#include <exception>
#include <mutex>
#include <source_location>
#include <span>
#include <string>

#include "mpx/bootstrap/detect.hpp"
#include "mpx/communicator.hpp"
#include "mpx/core/aligned.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/thread.hpp"

namespace mpx::inline v0 {

namespace detail {

/// Shared-arena allocation without the stack's type, so that containers need not name it.
class shared_heap {
 public:
  shared_heap() = default;
  shared_heap(const shared_heap&) = delete;
  shared_heap& operator=(const shared_heap&) = delete;
  virtual ~shared_heap() = default;
  virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
  virtual void deallocate(void* p, std::size_t bytes) noexcept = 0;
};

template <class Stack>
class endpoint_heap final : public shared_heap {
 public:
  explicit endpoint_heap(endpoint<Stack>& e) noexcept : endpoint_(e) {}
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    if constexpr (SharedMemoryTransport<typename Stack::transport_type>) {
      return endpoint_.allocate_shared(bytes, alignment);
    } else {
      return allocate_aligned(bytes, alignment);
    }
  }
  void deallocate(void* p, std::size_t bytes) noexcept override {
    if constexpr (SharedMemoryTransport<typename Stack::transport_type>) {
      endpoint_.deallocate_shared(p, bytes);
    } else {
      free_aligned(p);
    }
  }

 private:
  endpoint<Stack>& endpoint_;
};

}  // namespace detail

/// Allocates where the transport's peers can read: a long message from there is copied once,
/// without the kernel. An ordinary allocator otherwise. The environment outlives what it allocated.
/// Errors: mpx::error with errc::no_resources when the arena is full.
template <class T>
class allocator {
 public:
  using value_type = T;

  explicit allocator(detail::shared_heap& heap) noexcept : heap_(&heap) {}
  template <class U>
  allocator(const allocator<U>& other) noexcept : heap_(other.heap_) {}  // NOLINT(*-explicit-*)

  T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / sizeof(T)) detail::throw_out_of_memory();
    return static_cast<T*>(heap_->allocate(n * sizeof(T), alignof(T)));
  }
  void deallocate(T* p, std::size_t n) noexcept { heap_->deallocate(p, n * sizeof(T)); }

  template <class U>
  friend bool operator==(const allocator& a, const allocator<U>& b) noexcept {
    return a.heap_ == b.heap_;
  }

 private:
  template <class>
  friend class allocator;
  detail::shared_heap* heap_;
};

/// A rank's membership in a job.
///
/// The constructor joins: under mpxrun as one of its ranks, else as a world of one. It compares
/// stacks with the other ranks. The destructor leaves, together with all others; if an exception is
/// passing through, or another rank is lost, it does not wait for them but for a tenth of a second,
/// if buffered or dropped sends have yet to get out; they learn that this rank is lost. In a forked
/// child it does nothing. Requests and communicators must be gone before. Up to 32 environments may
/// live at once, and any number one after the other, if all ranks make them in the same order.
template <class Stack = stack<>>
class environment {
 public:
  using stack_type = Stack;
  using job_type = detail::job_of<typename Stack::transport_type>;

  /// Collective over the job. Errors: errc::bootstrap, errc::stack_mismatch, errc::no_resources.
  explicit environment(std::source_location where = std::source_location::current())
      requires std::same_as<job_type, bootstrap::any>
      : environment(bootstrap::detect(), where) {}
  explicit environment(job_type job, std::source_location where = std::source_location::current())
      : job_(std::move(job)),
        exceptions_(exceptions_here()),
        watch_(job_, where),
        endpoint_(with_equal_stacks(job_, watch_)),
        state_(endpoint_.new_communicator_state()) {
    lower_short_bytes();
    job_.fence([this] { watch_.join_step(); });
    watch_.went_on();
    if constexpr (std::same_as<watch_type, detail::hang_watch>) {
      endpoint_.watch(watch_);
    } else {
      job_.describe([this](void* into) {  // Whoever runs the job sees when it is stuck.
        *static_cast<detail::hang_info*>(into) = endpoint_.describe_hang();
      });
    }
  }
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;

  ~environment() {
    if (endpoint_.orphaned()) return;  // A forked child does not leave for its parent.
    if (std::uncaught_exceptions() > exceptions_) {
      leave_alone();
      return;
    }
    try {
      const detail::call_site leaving{"", watch_.joined().where};
      const blocked_scope scope(endpoint_, leaving, {detail::wait_kind::leaving});
      job_.fence([this] { endpoint_.drain(); });
      job_.mark_finished();
    } catch (const std::exception&) {
      leave_alone();  // Somebody else died first.
    }
  }

  rank_t rank() const noexcept { return job_.rank(); }
  rank_t size() const noexcept { return job_.size(); }
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
  void attach_buffer(std::span<std::byte> memory) {
    if (const errc why = endpoint_.attach(memory); why != errc{})
      throw error(why, "attach_buffer: a buffer is attached already: detach it first");
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
  std::uint64_t unexpected_bytes() const noexcept { return endpoint_.unexpected_bytes(); }

  /// A steady clock, in nanoseconds from an arbitrary moment; in a simulation, of virtual time.
  std::int64_t now_ns() const noexcept { return endpoint_.now_ns(); }

  /// The stack's trace and transport, for tools and tests.
  const typename Stack::trace_type& trace() const noexcept { return endpoint_.trace(); }
  typename Stack::transport_type& transport() noexcept { return endpoint_.transport(); }

 private:
  static constexpr std::int64_t last_words_ns_max = 100'000'000;
  using watch_type = detail::watch_of<job_type>;
  using blocked_scope = typename detail::endpoint<Stack>::blocked_scope;

  static int exceptions_here() {
    detail::out_of_memory();  // Made while there is memory for it.
    return std::uncaught_exceptions();
  }
  /// Returns `job` when all of its ranks were built with this stack.
  static job_type& with_equal_stacks(job_type& job, watch_type& watch) {
    const std::string mine = Stack::fingerprint();
    job.put("mpx.stack", mine);
    job.fence([&watch] { watch.join_step(); });
    for (rank_t r : {rank_t{0}, (job.rank() + 1) % job.size()}) {
      const std::string theirs = job.get(r, "mpx.stack").value_or("(none)");
      if (theirs == mine) continue;
      std::string s = "rank " + std::to_string(job.rank());
      s.append(" was built with [").append(mine).append("], but rank ").append(std::to_string(r));
      s.append(" with [").append(theirs);
      s.append("]: build all ranks from one mpx and one stack");
      throw error(errc::stack_mismatch, s);
    }
    return job;
  }

  /// Leaves without the others; what this rank has sent is not lost with it.
  void leave_alone() noexcept {
    endpoint_.send_last(last_words_ns_max);
    job_.mark_failed();
  }

  /// MPX_SHORT_BYTES_MAX lowers the longest eager message.
  void lower_short_bytes() {
    const char* text = std::getenv("MPX_SHORT_BYTES_MAX");
    if (text == nullptr) return;
    constexpr std::size_t ceiling = Stack::protocol_type::short_bytes_ceiling;
    std::uint64_t bytes = 0;
    if (!detail::parse_number(text, ceiling, bytes))
      throw error(errc::argument, "MPX_SHORT_BYTES_MAX=" + std::string(text) +
                                      ": give a number of bytes from 0 to " +
                                      std::to_string(ceiling) + ", the stack's own limit");
    endpoint_.protocol().lower(bytes);
  }

  job_type job_;
  int exceptions_;
  watch_type watch_;
  detail::endpoint<Stack> endpoint_;
  detail::endpoint_heap<Stack> heap_{endpoint_};
  detail::communicator_state& state_;
};

/// Runs `body` as `ranks` ranks that are threads of this process. `body` takes the world, or the
/// environment. Returns when all have ended.
/// Errors: rethrows the exception of the first rank that failed; the others are told that it is
/// lost.
template <class Stack = stack<>, class Body>
requires std::invocable<Body&, communicator<Stack>> || std::invocable<Body&, environment<Stack>&>
void run_threads(rank_t ranks, Body&& body,
                 std::source_location where = std::source_location::current()) {
  const bootstrap::thread_job job(ranks);
  std::mutex mutex;
  std::exception_ptr first;
  const auto run = [&](rank_t rank) {
    bool well = false;
    try {
      environment<Stack> env{bootstrap::any(bootstrap::threads(job, rank)), where};
      if constexpr (std::invocable<
                        Body&, communicator<Stack>>) {  // Asked first: a generic body fits both.
        body(env.world());
      } else {
        body(env);
      }
      well = true;
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
    }
    job.mark_ended(rank, well);
  };
  using thread = platform::joined_thread<decltype(run)>;
  {
    owning_table<thread> threads(static_cast<std::size_t>(ranks));  // Goes when all have ended.
    rank_t started = 0;
    try {
      for (; started < ranks; ++started)
        threads.put(static_cast<std::size_t>(started), new thread(run, started));
    } catch (const std::exception&) {
      for (rank_t r = started; r < ranks; ++r) job.mark_ended(r, false);  // Nobody waits for them.
      const std::lock_guard lock(mutex);
      first = std::make_exception_ptr(error(
          errc::no_resources, "run_threads could not start thread " + std::to_string(started) +
                                  " of " + std::to_string(ranks) + ": check `ulimit -u`"));
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace mpx::inline v0
