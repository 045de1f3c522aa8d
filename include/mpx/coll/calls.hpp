// SPDX-License-Identifier: BSL-1.0
#pragma once
// The collectives of a communicator: each declared once. How a call ends is its last argument.

#include <concepts>
#include <source_location>
#include <span>
#include <system_error>

#include "mpx/coll/allreduce.hpp"
#include "mpx/coll/barrier.hpp"
#include "mpx/coll/bcast.hpp"
#include "mpx/coll/call.hpp"
#include "mpx/coll/operations.hpp"
#include "mpx/coll/reduce.hpp"
#include "mpx/datatype/buffer.hpp"

namespace mpx::inline v0::detail {

/// What reduce takes: a value, of which a copy is made and returned, or a range, in place.
template <class V>
concept ReducedInPlace = std::ranges::range<V> && ReceiveBuffer<V>;
template <class V>
concept ReducedValue =
    !std::ranges::range<std::remove_cvref_t<V>> && Transferable<std::remove_cvref_t<V>>;
template <class V>
concept Reducible = ReducedInPlace<V> || ReducedValue<V>;
template <class V>
struct element_of {
  using type = std::remove_cvref_t<V>;
};
template <std::ranges::range V>
struct element_of<V> {
  using type = std::ranges::range_value_t<V>;
};
template <class V>
using element_of_t = typename element_of<V>::type;
/// Elements of one type, of which the second are written.
template <class In, class Out>
concept ReducedBetween = SendBuffer<const In&> && ReceiveBuffer<Out> &&
                         std::same_as<element_of_t<const In>, element_of_t<Out>>;
/// An operation on two elements of V.
template <class Op, class V>
concept Reduces = std::invocable<Op&, const element_of_t<V>&, const element_of_t<V>&>;

/// The collectives of a communicator, which derives from this.
template <class Comm, class Stack>
class collectives {
  using site = std::source_location;
  [[gnu::always_inline]] const Comm& me() const noexcept { return static_cast<const Comm&>(*this); }

 public:
  /// Returns when every rank has entered. Cost: log2(size) rounds of one packet. Errors:
  /// errc::peer_lost.
  template <class How = throws_t>
  auto barrier(How&& how = {}, site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How>(how, where, coll::barrier_call{});
  }

  /// Sends `buffer` from `root` to all. Requires: the same size everywhere. Errors: errc::root,
  /// errc::count or errc::truncate if sizes differ, errc::peer_lost. Source: MPI 4.1, 6.4.
  template <class B, class How = throws_t>
  requires ReceiveBuffer<B&&> && BufferFits<B&&, How>
  auto bcast(B&& buffer, rank_t root, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return ended<How>(how, where, coll::bcast_call{writable_bytes_of(buffer), root});
  }

  /// Combines every rank's `value` with `op`, which must be associative; in rank order unless it
  /// is_commutative.
  /// Returns: of a value the result at `root`, `value` elsewhere. A range is combined element by
  /// element, in place: it holds the result at `root`, and is unspecified elsewhere. Where the call
  /// is started a value is combined in place, as a range.
  /// Errors: errc::root, errc::count or errc::truncate if sizes differ, errc::peer_lost. What `op`
  /// throws passes through, or is errc::operation; the other ranks get errc::peer_lost. `op` must
  /// not call mpx.
  template <class V, class Op, class How = throws_t>
  requires Reducible<V&&> && Reduces<Op, V> && BufferFits<V&&, How>
  auto reduce(V&& value, Op op, rank_t root, How&& how = {}, site where = site::current()) const {
    const bool here = me().rank() == root;
    return in_place_or_copied<How>(value, how, here, [&](const memory& m) {
      return ended<How>(how, where, coll::reduce_call{m, m, root},
                        typed_reduction<element_of_t<V>, Op>{op});
    });
  }
  /// As reduce, with the same result on every rank, bit for bit.
  template <class V, class Op, class How = throws_t>
  requires Reducible<V&&> && Reduces<Op, V> && BufferFits<V&&, How>
  auto allreduce(V&& value, Op op, How&& how = {}, site where = site::current()) const {
    return in_place_or_copied<How>(value, how, true, [&](const memory& m) {
      return ended<How>(how, where, coll::allreduce_call{m, m},
                        typed_reduction<element_of_t<V>, Op>{op});
    });
  }

  /// As those above, from `in` to `out`, element by element; `in` stays as it is, and `out` is
  /// written on the ranks that get a result, as long as `in` there.
  /// Errors: errc::argument if it is not; the other ranks get errc::peer_lost.
  template <class In, class Out, class Op, class How = throws_t>
  requires ReducedBetween<In, Out&&> && Reduces<Op, In> && BufferFits<Out&&, How>
  auto reduce(const In& in, Out&& out, Op op, rank_t root, How&& how = {},
              site where = site::current()) const {
    return ended<How>(how, where, coll::reduce_call{bytes_of(in), result_at(root, out), root},
                      typed_reduction<element_of_t<const In>, Op>{op});
  }
  /// As reduce from one range into another, with the same result on every rank, bit for bit.
  template <class In, class Out, class Op, class How = throws_t>
  requires ReducedBetween<In, Out&&> && Reduces<Op, In> && BufferFits<Out&&, How>
  auto allreduce(const In& in, Out&& out, Op op, How&& how = {},
                 site where = site::current()) const {
    return ended<How>(how, where, coll::allreduce_call{bytes_of(in), writable_bytes_of(out)},
                      typed_reduction<element_of_t<const In>, Op>{op});
  }

 private:
  /// Ends a call of `what` as `how` says. Blocking calls return nothing.
  template <class How, class What, class By = no_reduction>
  [[gnu::always_inline]] auto ended(std::remove_reference_t<How>& how, site where, const What& what,
                                    By by = {}) const noexcept(stores_errors<How>) {
    return finish_as(std::forward<How>(how), collective<Stack, What, By>(me(), what, by), where);
  }
  template <class Out>
  memory result_at(rank_t root, Out& out) const noexcept {
    return me().rank() == root ? memory(writable_bytes_of(out)) : memory();
  }
  /// Runs `call` on a range, or on a copy of a value, which is returned if `here` and all is well.
  template <class How, class V, class Call>
  static auto in_place_or_copied(V& value, std::remove_reference_t<How>& how, bool here,
                                 Call&& call) {
    if constexpr (std::ranges::range<V> || !BlockingForm<How>) {
      return call(memory(writable_bytes_of(value)));
    } else {
      std::remove_cv_t<V> result = value;
      call(memory(writable_bytes_of(result)));
      if constexpr (is_code<How>) here = here && !how;
      return here ? result : std::remove_cv_t<V>(value);
    }
  }
};

}  // namespace mpx::inline v0::detail
