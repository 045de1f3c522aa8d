// SPDX-License-Identifier: BSL-1.0
#pragma once
// The communicator: a group of ranks and a context of their own, with point-to-point in all modes
// and collectives. A light handle: copy it freely; the environment outlives it. This is the roof:
// it puts together what comm/ and coll/ have.

#include <concepts>
#include <source_location>
#include <span>

#include "mpx/coll/algorithms.hpp"
#include "mpx/comm/collective_channel.hpp"
#include "mpx/comm/creations.hpp"
#include "mpx/comm/survivors.hpp"
#include "mpx/comm/message.hpp"
#include "mpx/comm/mpi_names.hpp"
#include "mpx/comm/point_to_point.hpp"
#include "mpx/datatype/buffer.hpp"
#include "mpx/engine/wait_many.hpp"

namespace mpx::inline v0 {

namespace detail {

/// What reduce takes: a value, of which a copy is made and returned, or a range, in place.
template <class V>
concept ReducedInPlace = std::ranges::range<V> && ReceiveBuffer<V>;
template <class V>
concept Reducible = ReducedInPlace<V> || (!std::ranges::range<std::remove_cvref_t<V>> &&
                                          Transferable<std::remove_cvref_t<V>>);
template <class V>
struct element_of {
  using type = std::remove_cvref_t<V>;
};
template <std::ranges::range V>
struct element_of<V> {
  using type = std::ranges::range_value_t<V>;
};
/// Ranges of elements of one type, of which the second is written.
template <class In, class Out>
concept ReducedBetween = ContiguousBuffer<const In&> && ReducedInPlace<Out> &&
                         std::same_as<std::ranges::range_value_t<In>,
                                      std::ranges::range_value_t<std::remove_cvref_t<Out>>>;
/// An operation on two elements of V.
template <class Op, class V>
concept Reduces =
    std::invocable<Op&, const typename element_of<V>::type&, const typename element_of<V>::type&>;

}  // namespace detail

/// Ranks 0 .. size() - 1 that talk to each other and to nobody else.
///
/// How a call ends is its last argument: nothing (it throws mpx::error), a std::error_code, and
/// where it can be started mpx::start, mpx::prepare or a token (engine/forms.hpp).
/// `to` and `from` are ranks, or mpx::proc_null; receives also take mpx::any_source and
/// mpx::any_tag. Buffers are transferable values or contiguous ranges of them; a receive may be
/// longer than its message, and gets errc::truncate if it is shorter. Threads: as the stack's
/// thread model says.
template <class Stack = stack<>>
class communicator : public detail::point_to_point<Stack>,
                     public detail::mpi_names<communicator<Stack>>,
                     public detail::creations<communicator<Stack>, Stack>,
                     public detail::survivors<communicator<Stack>, Stack> {
  using base = detail::point_to_point<Stack>;
  using channel = detail::collective_channel<Stack>;

 public:
  using stack_type = Stack;                           ///< Its policies.
  using request_type = request<Stack>;                ///< What mpx::start gives.
  using persistent_type = persistent_request<Stack>;  ///< What mpx::prepare gives.
  using message_type = message<Stack>;                ///< What mprobe gives.

  using base::base;
  using base::rank;
  using base::size;

  /// False of an empty one, which has no ranks.
  explicit operator bool() const noexcept { return this->endpoint_ != nullptr; }
  /// Whether both are the same communicator, or copies of one handle. (A `dup` is another one.)
  friend bool operator==(const communicator& a, const communicator& b) noexcept {
    return a.endpoint_ == b.endpoint_ && a.context_ == b.context_;
  }

  // --- Collectives: every rank calls them in the same order --------------------------------------

  /// Returns when every rank has entered. Cost: log2(size) rounds of one packet. Errors:
  /// errc::peer_lost.
  template <class How = detail::throws_t>
  requires detail::BlockingForm<How>
  void barrier(How&& how = {}, std::source_location where = std::source_location::current()) const
      noexcept(detail::is_code<How>) {
    channel c(*this, {"barrier", where});
    finish(c, coll::barrier(c), how);
  }

  /// Sends `buffer` from `root` to all. Requires: the same size everywhere. Errors: errc::root,
  /// errc::count or errc::truncate if sizes differ, errc::peer_lost. Cost: a binomial tree.
  template <class B, class How = detail::throws_t>
  requires ReceiveBuffer<B&&> && detail::BlockingForm<How>
  void bcast(B&& buffer, rank_t root, How&& how = {},
             std::source_location where = std::source_location::current()) const
      noexcept(detail::is_code<How>) {
    channel c(*this, {"bcast", where});
    finish(c, coll::bcast(c, detail::writable_bytes_of(buffer), root), how);
  }

  /// Combines every rank's `value` with `op`, in rank order (`op` must be associative).
  /// Returns: of a value the result at `root`, `value` elsewhere. A range is combined element by
  /// element, in place: it holds the result at `root`, and is unspecified elsewhere.
  /// Errors: errc::root, errc::count or errc::truncate if sizes differ, errc::peer_lost. What `op`
  /// throws passes through, in every form; the other ranks get errc::peer_lost.
  template <class V, class Op, class How = detail::throws_t>
  requires detail::Reducible<V&&> && detail::Reduces<Op, V> && detail::BlockingForm<How>
  auto reduce(V&& value, Op op, rank_t root, How&& how = {},
              std::source_location where = std::source_location::current()) const {
    channel c(*this, {"reduce", where});
    return in_place_or_copied(value, [&](auto values) {
      return finish(c, coll::reduce(c, values, op, root), how) && rank() == root;
    });
  }

  /// As reduce, with the same result on every rank, bit for bit.
  template <class V, class Op, class How = detail::throws_t>
  requires detail::Reducible<V&&> && detail::Reduces<Op, V> && detail::BlockingForm<How>
  auto allreduce(V&& value, Op op, How&& how = {},
                 std::source_location where = std::source_location::current()) const {
    channel c(*this, {"allreduce", where});
    return in_place_or_copied(
        value, [&](auto values) { return finish(c, coll::allreduce(c, values, op), how); });
  }

  /// As those above, from `in` to `out`, element by element; `in` stays as it is, and `out` is
  /// written on the ranks that get a result, as long as `in` there.
  /// Errors: errc::argument if it is not; the other ranks get errc::peer_lost.
  template <class In, class Out, class Op, class How = detail::throws_t>
  requires detail::ReducedBetween<In, Out&&> && detail::Reduces<Op, In> && detail::BlockingForm<How>
  void reduce(const In& in, Out&& out, Op op, rank_t root, How&& how = {},
              std::source_location where = std::source_location::current()) const {
    channel c(*this, {"reduce", where});
    if (rank() == root)
      return between(c, in, out, how,
                     [&](auto values) { return coll::reduce(c, values, op, root); });
    using element = std::ranges::range_value_t<In>;
    const scratch<element> copy(std::ranges::size(in), std::nothrow);  // What is sent on from here.
    const std::span<element> values(copy.data(), std::ranges::size(in));
    if (copy.data() != nullptr)
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::ranges::data(in)[i];
    errc why{};
    if (copy.data() != nullptr) {
      why = coll::reduce(c, values, op, root);
    } else {
      why = c.check_root(root);
      if (why == errc{}) why = c.begin();
      if (why == errc{}) why = c.no_memory();
    }
    finish(c, why, how);
  }
  /// As reduce from one range into another, with the same result on every rank, bit for bit.
  template <class In, class Out, class Op, class How = detail::throws_t>
  requires detail::ReducedBetween<In, Out&&> && detail::Reduces<Op, In> && detail::BlockingForm<How>
  void allreduce(const In& in, Out&& out, Op op, How&& how = {},
                 std::source_location where = std::source_location::current()) const {
    channel c(*this, {"allreduce", where});
    between(c, in, out, how, [&](auto values) { return coll::allreduce(c, values, op); });
  }

 private:
  template <class How>
  static bool finish(const channel& c, errc why, How& how) {
    if constexpr (detail::is_code<How&>) {
      detail::store(how, why);
    } else if (why != errc{}) [[unlikely]] {
      c.raise();
    }
    return why == errc{};
  }
  /// Runs `call` on `out`, once it holds what `in` does.
  template <class In, class Out, class How, class Call>
  static void between(channel& c, const In& in, Out& out, How& how, Call&& call) {
    using element = std::ranges::range_value_t<In>;
    const std::span<element> values(std::ranges::data(out), std::ranges::size(out));
    errc why{};
    if (values.size() != std::ranges::size(in)) {
      why = c.begin();
      if (why == errc{}) why = c.wrong_length(std::ranges::size(in), values.size());
    } else {
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::ranges::data(in)[i];
      why = call(values);
    }
    finish(c, why, how);
  }
  /// Runs `call` on a range, or on a copy of a value, which is returned if `call` says so.
  template <class V, class Call>
  static auto in_place_or_copied(V& value, Call&& call) {
    using element = typename detail::element_of<V>::type;
    if constexpr (std::ranges::range<V>) {
      call(std::span<element>(std::ranges::data(value), std::ranges::size(value)));
    } else {
      element result = value;
      return call(std::span<element>(&result, 1)) ? result : element(value);
    }
  }
};

}  // namespace mpx::inline v0
