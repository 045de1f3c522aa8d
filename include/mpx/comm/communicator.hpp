// SPDX-License-Identifier: BSL-1.0
#pragma once
// The communicator: a group of ranks and a context of their own, with point-to-point in all modes
// and collectives. A light handle: copy it freely; the environment outlives it.

#include <concepts>
#include <source_location>
#include <span>

#include "mpx/comm/message.hpp"
#include "mpx/comm/persistent.hpp"
#include "mpx/comm/point_to_point.hpp"
#include "mpx/datatype/buffer.hpp"
#include "mpx/engine/wait_many.hpp"

namespace mpx::inline v0 {

namespace coll {
/// The collectives of a communicator; defined in coll/algorithms.hpp.
template <class Comm>
struct algorithms;
}  // namespace coll

/// Ranks 0 .. size() - 1 that talk to each other and to nobody else.
///
/// Every operation comes in a form that throws mpx::error and a form with a trailing
/// std::error_code&.
/// `to` and `from` are ranks, or mpx::proc_null; receives also take mpx::any_source and
/// mpx::any_tag. Buffers are transferable values or contiguous ranges of them; a receive may be
/// longer than its message, and gets errc::truncate if it is shorter. Threads: as the stack's
/// thread model says.
template <class Stack>
class communicator : public detail::point_to_point<Stack> {
  using base = detail::point_to_point<Stack>;
  using algorithms = coll::algorithms<communicator>;

 public:
  using stack_type = Stack;
  using request_type = request<Stack>;
  using persistent_type = persistent_request<Stack>;
  using message_type = message<Stack>;

  using base::base;
  using base::rank;
  using base::size;

  // --- Collectives: every rank calls them in the same order --------------------------------------

  /// Returns when every rank has entered. Cost: log2(size) rounds of one packet. Errors:
  /// errc::peer_lost.
  void barrier(std::source_location where = std::source_location::current()) {
    algorithms::barrier(*this, {"barrier", where});
  }
  void barrier(std::error_code& ec,
               std::source_location where = std::source_location::current()) noexcept {
    detail::caught(ec, [&] { barrier(where); });
  }

  /// Sends `buffer` from `root` to all. Requires: the same size everywhere. Errors: errc::root,
  /// errc::truncate, errc::peer_lost. Cost: a binomial tree.
  template <class B>
  requires ReceiveBuffer<B&&>
  void bcast(B&& buffer, rank_t root,
             std::source_location where = std::source_location::current()) {
    algorithms::bcast(*this, detail::writable_bytes_of(buffer), root, {"bcast", where});
  }
  template <class B>
  requires ReceiveBuffer<B&&>
  void bcast(B&& buffer, rank_t root, std::error_code& ec,
             std::source_location where = std::source_location::current()) noexcept {
    detail::caught(ec, [&] { bcast(buffer, root, where); });
  }

  /// Combines every rank's `value` with `op`, in rank order (`op` must be associative). Returns:
  /// the result at `root`, `value` elsewhere. Errors: errc::root, errc::peer_lost.
  template <Transferable T, class Op>
  requires(!std::ranges::range<T> && std::invocable<Op&, const T&, const T&>)
  T reduce(const T& value, Op op, rank_t root,
           std::source_location where = std::source_location::current()) {
    T result = value;
    algorithms::reduce(*this, std::span(&result, 1), op, root, {"reduce", where});
    return rank() == root ? result : value;
  }
  /// The same, element by element, in place: `values` holds the result at `root`, and is
  /// unspecified elsewhere.
  template <Transferable T, class Op>
  requires std::invocable<Op&, const T&, const T&>
  void reduce(std::span<T> values, Op op, rank_t root,
              std::source_location where = std::source_location::current()) {
    algorithms::reduce(*this, values, op, root, {"reduce", where});
  }
  template <class V, class Op>
  auto reduce(V&& value, Op op, rank_t root, std::error_code& ec,
              std::source_location where = std::source_location::current()) {
    using result = decltype(this->reduce(value, op, root));
    return detail::caught(ec, [&]() -> result { return this->reduce(value, op, root, where); });
  }

  /// As reduce, with the same result on every rank, bit for bit.
  template <Transferable T, class Op>
  requires(!std::ranges::range<T> && std::invocable<Op&, const T&, const T&>)
  T allreduce(const T& value, Op op, std::source_location where = std::source_location::current()) {
    T result = value;
    algorithms::allreduce(*this, std::span(&result, 1), op, {"allreduce", where});
    return result;
  }
  template <Transferable T, class Op>
  requires std::invocable<Op&, const T&, const T&>
  void allreduce(std::span<T> values, Op op,
                 std::source_location where = std::source_location::current()) {
    algorithms::allreduce(*this, values, op, {"allreduce", where});
  }
  template <class V, class Op>
  auto allreduce(V&& value, Op op, std::error_code& ec,
                 std::source_location where = std::source_location::current()) {
    using result = decltype(this->allreduce(value, op));
    return detail::caught(ec, [&]() -> result { return this->allreduce(value, op, where); });
  }

  /// A communicator of the same ranks whose messages never meet this one's. Collective.
  /// Errors: errc::communicator when rank 0 has led as many as it may; errc::peer_lost.
  communicator dup(std::source_location where = std::source_location::current()) {
    return algorithms::dup(*this, {"dup", where});
  }
  communicator dup(std::error_code& ec,
                   std::source_location where = std::source_location::current()) {
    communicator made = *this;
    detail::caught(ec, [&] { made = dup(where); });
    return made;
  }
};

}  // namespace mpx::inline v0
