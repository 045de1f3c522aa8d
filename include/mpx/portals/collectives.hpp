// SPDX-License-Identifier: BSL-1.0
#pragma once
// Collective calls over portals, by the algorithms of mpx. Part of mpx/portals.hpp.

#include <concepts>
#include <exception>
#include <source_location>
#include <string>

#include "mpx/coll/algorithms/allgather.hpp"
#include "mpx/coll/algorithms/alltoall.hpp"
#include "mpx/coll/algorithms/barrier.hpp"
#include "mpx/coll/algorithms/bcast.hpp"
#include "mpx/coll/algorithms/gather.hpp"
#include "mpx/coll/algorithms/scatter.hpp"
#include "mpx/engine/axes/collective_policy.hpp"
#include "mpx/portals/steps.hpp"

namespace mpx::inline v0::portals {

/// Collective calls of a communicator over portals of their own. Beside them the communicator's own
/// calls go on as usual. Buffers and rules are those of the communicator's calls; the last argument
/// chooses the algorithm.
///
/// After an error at any rank the object is of no more use: its calls fail at all ranks
/// (errc::pending where the cause is another rank).
/// Errors:     of all calls: errc::root, errc::argument, errc::count if lengths differ between
///             ranks; errc::peer_lost, errc::pending, errc::no_resources.
/// Threads:    one call at a time.
template <class Stack = stack<>>
class collectives {
 public:
  /// Collective.
  /// Errors:     errc::argument if the limits are impossible; errc::no_resources, errc::peer_lost.
  /// Cost:       a table; for each rank some 500 bytes, and the heap as it is used.
  explicit collectives(const communicator<Stack>& comm, const collective_limits& most = {},
                       std::source_location where = std::source_location::current())
      : steps_(comm, checked(most, where), where) {}

  /// Sends `data` of rank `root` to all ranks.
  template <class B>
  requires detail::ElementBuffer<B> && ReceiveBuffer<B&&>
  void bcast(B&& data, rank_t root, coll::algorithm by = coll::algorithm::automatic,
             std::source_location where = std::source_location::current()) {
    run(coll::bcast_call{mpx::detail::writable_bytes_of(data), root}, by, where);
  }
  /// Gathers a block of each rank at rank `root`. `out` is used there alone.
  template <class A, class B>
  requires detail::ElementBuffer<A> && detail::ElementBuffer<B> &&
           SendBuffer<std::remove_cvref_t<A>> && ReceiveBuffer<B&&>
  void gather(A&& in, B&& out, rank_t root, coll::algorithm by = coll::algorithm::automatic,
              std::source_location where = std::source_location::current()) {
    run(coll::gather_call{bytes(in), blocks_of(mpx::detail::writable_bytes_of(out)), root, false},
        by, where);
  }
  /// Scatters blocks of rank `root`, one to each rank. `in` is used there alone.
  template <class A, class B>
  requires detail::ElementBuffer<A> && detail::ElementBuffer<B> &&
           SendBuffer<std::remove_cvref_t<A>> && ReceiveBuffer<B&&>
  void scatter(A&& in, B&& out, rank_t root, coll::algorithm by = coll::algorithm::automatic,
               std::source_location where = std::source_location::current()) {
    run(coll::scatter_call{blocks_of(bytes(in)), mpx::detail::writable_bytes_of(out), root, false},
        by, where);
  }
  /// Gathers a block of each rank at all ranks.
  template <class A, class B>
  requires detail::ElementBuffer<A> && detail::ElementBuffer<B> &&
           SendBuffer<std::remove_cvref_t<A>> && ReceiveBuffer<B&&>
  void allgather(A&& in, B&& out, coll::algorithm by = coll::algorithm::automatic,
                 std::source_location where = std::source_location::current()) {
    run(coll::allgather_call{bytes(in), blocks_of(mpx::detail::writable_bytes_of(out))}, by, where);
  }
  /// As allgather, by the bucket algorithm: blocks stream from neighbour to neighbour into their
  /// places, after one message that says that the memory is ready. For long blocks.
  /// Cost:       size() - 1 messages of one block, and one empty message.
  /// Source:     Puma, section 3.2.
  template <class A, class B>
  requires detail::ElementBuffer<A> && detail::ElementBuffer<B> &&
           SendBuffer<std::remove_cvref_t<A>> && ReceiveBuffer<B&&>
  void allgather_bucket(A&& in, B&& out,
                        std::source_location where = std::source_location::current()) {
    run(bucket_call{bytes(in), blocks_of(mpx::detail::writable_bytes_of(out))},
        coll::algorithm::ring, where);
  }
  /// Sends a block of each rank to each rank.
  template <class A, class B>
  requires detail::ElementBuffer<A> && detail::ElementBuffer<B> &&
           SendBuffer<std::remove_cvref_t<A>> && ReceiveBuffer<B&&>
  void alltoall(A&& in, B&& out, coll::algorithm by = coll::algorithm::automatic,
                std::source_location where = std::source_location::current()) {
    run(coll::alltoall_call{blocks_of(bytes(in)), blocks_of(mpx::detail::writable_bytes_of(out)),
                            false, false},
        by, where);
  }
  /// Returns when all ranks have called it.
  void barrier(std::source_location where = std::source_location::current()) {
    run(coll::barrier_call{}, coll::algorithm::automatic, where);
  }
  /// Makes a call of coll/algorithms/, with memory that has any layout.
  template <class Call>
  void run(const Call& call, coll::algorithm by = coll::algorithm::automatic,
           std::source_location where = std::source_location::current()) {
    const coll::collective_failure wrong = call.check(steps_.rank(), steps_.size());
    steps_.begin();
    if (wrong.why != errc{}) {
      steps_.refuse(wrong.why);
    } else {
      call(steps_, coll::decide<coll::by_size>(call.ask(steps_.rank(), steps_.size()), by));
    }
    const errc why = steps_.end();
    if (why == errc{}) return;
    if (steps_.thrown()) std::rethrow_exception(steps_.thrown());
    raise(why, Call::name, where);
  }

  /// Number of messages that were sent again because a heap was full.
  [[nodiscard]] std::uint64_t sent_again() const noexcept { return steps_.sent_again(); }
  /// Number of messages that this rank has dropped because its heap was full.
  [[nodiscard]] std::uint64_t dropped() const noexcept { return steps_.dropped(); }
  /// Number of messages that arrived here before their receive was posted.
  [[nodiscard]] std::uint64_t unexpected() const noexcept { return steps_.found_in_heap(); }

 private:
  struct bucket_call : coll::allgather_call {
    void operator()(detail::collective_steps<Stack>& s, const coll::choice&) const {
      s.copy(this->out[s.rank()], this->in);
      if (s.size() > 1) s.bucket(this->out.range(0, s.size()), this->out.bytes);
    }
  };
  template <class B>
  static memory bytes(const B& buffer) noexcept {
    return mpx::detail::bytes_of(buffer);
  }
  coll::blocks blocks_of(const memory& all) const noexcept {
    const std::size_t each = all.bytes / static_cast<std::size_t>(steps_.size());
    return {.base = all.base, .bytes = each, .stride = each, .room = all.bytes};
  }
  [[noreturn, gnu::noinline, gnu::cold]] void raise(errc why, const char* name,
                                                    std::source_location where) const {
    std::string s = mpx::detail::formatted("%s over portals on rank %d", name, steps_.rank());
    if (why == errc::count) s += ": a message is not as long as its receive";
    if (why == errc::pending) s += ": another rank has left a call with an error";
    const detail::blamed& by = steps_.blame();
    if (by.other >= 0 && !by.is_message)
      mpx::detail::append(s, ": rank %d", by.other);
    else if (by.other >= 0 && why != errc::no_resources)
      mpx::detail::append(s, ": a message of %zu bytes %s rank %d", by.bytes,
                          by.sends ? "to" : "from", by.other);
    throw error(why, s, where);
  }
  static const collective_limits& checked(const collective_limits& most,
                                          std::source_location where) {
    if (most.heap_bytes / 4 < most.short_bytes_max + dynamic_block::overhead_bytes)
      throw error(errc::argument,
                  "portals::collectives: the heap is less than 4 times as long as a short message",
                  where);
    return most;
  }

  detail::collective_steps<Stack> steps_;
};

}  // namespace mpx::inline v0::portals
