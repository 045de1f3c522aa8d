// SPDX-License-Identifier: BSL-1.0
#pragma once
// The collectives of a communicator: each declared once. How a call ends is its last argument.

#include <concepts>
#include <cstdint>
#include <source_location>
#include <span>
#include <vector>

#include "mpx/coll/allgather.hpp"
#include "mpx/coll/allreduce.hpp"
#include "mpx/coll/alltoall.hpp"
#include "mpx/coll/arguments.hpp"
#include "mpx/coll/barrier.hpp"
#include "mpx/coll/bcast.hpp"
#include "mpx/coll/call.hpp"
#include "mpx/coll/gather.hpp"
#include "mpx/coll/names.hpp"
#include "mpx/coll/reduce.hpp"
#include "mpx/coll/reduce_scatter.hpp"
#include "mpx/coll/scan.hpp"
#include "mpx/coll/scatter.hpp"
#include "mpx/datatype/buffer.hpp"
#include "mpx/datatype/memory_of.hpp"

namespace mpx::inline v0::detail {

/// The collectives of a communicator, which derives from this: every rank calls them in the same
/// order.
///
/// Buffers are transferable values or contiguous ranges of them, as those of messages, or with
/// mpx/datatype.hpp what a layout spreads, of which each block is a part. `counts` and `places` are
/// ranges of integers, one for each rank, in elements; without places the blocks lie one after the
/// other. What a rank gives may be mpx::in_place: then it is in the result's buffer, where its own
/// block belongs.
/// All forms: mpx::start gives a request, which must be waited for: a dropped one leaves the call,
/// and the other ranks get errc::peer_lost; a detached one goes on by itself. mpx::prepare gives a
/// persistent one: all ranks prepare what belongs together in the same order, and start it in any.
/// Those that return a value or a vector of their own block.
/// Errors of all: errc::count or errc::truncate if sizes differ between ranks; errc::argument and
/// errc::count if a buffer does not fit, or a count is negative; errc::datatype of a layout;
/// errc::peer_lost when a rank is lost, or has left the call with an error; errc::no_resources.
/// Completion: buffers are the call's until it is complete.
template <class Comm, class Stack>
class collectives : public collective_names<Comm> {
  using site = std::source_location;
  [[MPX_ALWAYS_INLINE]] const Comm& me() const noexcept { return static_cast<const Comm&>(*this); }

 public:
  /// Returns when every rank has entered. Cost: log2(size) rounds of one packet.
  /// Source: MPI 4.1, 6.3.
  template <class How = throws_t>
  auto barrier(How&& how = {}, site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How>(how, where, coll::barrier_call{});
  }

  /// Sends `buffer` from `root` to all. Errors: errc::root. Source: MPI 4.1, 6.4.
  template <class B, class How = throws_t>
  requires ReceiveBuffer<B&&> && BufferFits<B&&, How>
  auto bcast(B&& buffer, rank_t root, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return ended<How, data_of<B>>(how, where, coll::bcast_call{place_of(buffer), root},
                                  no_reduction(), written_but_at(buffer, root));
  }

  /// The same ranks, for collectives that use algorithm `by` where an operation has it: any call
  /// on what this returns. Requires: all ranks do so.
  auto with(coll::algorithm by) const noexcept;

  // --- Blocks ------------------------------------------------------------------------------------

  /// Every rank's `in` goes to `out` at `root`, in rank order; elsewhere `out` does not count.
  /// Errors: errc::root. Source: MPI 4.1, 6.5.
  template <class In, class Out, class How = throws_t>
  requires Gathers<In, Out&&> && BufferFits<Out&&, How>
  auto gather(const In& in, Out&& out, rank_t root, How&& how = {},
              site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In, Out>>(
        how, where,
        coll::gather_call{given(in), equal_blocks(out, me().rank() == root), root, false},
        no_reduction(), reads(in), writes(out, me().rank() == root));
  }
  /// The same. Returns: all of it at `root`, nothing elsewhere.
  template <class In, class How = throws_t>
  requires SendBuffer<In> && BlockingForm<How>
  std::vector<element_of_t<const In>> gather(const In& in, rank_t root, How&& how = {},
                                             site where = site::current()) const {
    std::vector<element_of_t<const In>> all;
    if (me().rank() == root &&
        !room<How>(all, product_of(elements_of(in), me().size()), how, "gather", where))
      return all;
    gather(in, all, root, std::forward<How>(how), where);
    return all;
  }
  /// The same with blocks of different lengths. Source: MPI 4.1, 6.5.
  template <class In, class Out, class C, class How = throws_t>
  requires Gathers<In, Out&&> && Counts<C> && BufferFits<Out&&, How>
  auto gatherv(const In& in, Out&& out, const C& counts, rank_t root, How&& how = {},
               site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In, Out>>(
        how, where, coll::gather_call{given(in), blocks_at(out, counts), root, true},
        no_reduction(), reads(in), writes(out, me().rank() == root));
  }
  /// The same, block r from out[places[r]] on.
  template <class In, class Out, class C, class P, class How = throws_t>
  requires Gathers<In, Out&&> && Counts<C> && Counts<P> && BufferFits<Out&&, How>
  auto gatherv(const In& in, Out&& out, const C& counts, const P& places, rank_t root,
               How&& how = {}, site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In, Out>>(
        how, where, coll::gather_call{given(in), blocks_at(out, counts, places), root, true},
        no_reduction(), reads(in), writes(out, me().rank() == root));
  }
  /// The same where the root does not know the lengths. Returns: all blocks at `root`, nothing
  /// elsewhere. Cost: a gather of the lengths besides.
  template <class In, class How = throws_t>
  requires SendBuffer<In> && BlockingForm<How>
  std::vector<element_of_t<const In>> gatherv(const In& in, rank_t root, How&& how = {},
                                              site where = site::current()) const {
    std::vector<element_of_t<const In>> all;
    if (!is_rank(root))
      return gatherv(in, all, std::span<const std::int64_t>(), root, how, where), all;
    second_call<Stack> next(me(), {"gatherv", where});
    const auto counts = gather(static_cast<std::int64_t>(elements_of(in)), root, how, where);
    if (!well<How>(how)) return all;
    next.begins();
    if (me().rank() == root && !room<How>(all, sum_of(counts), how, "gatherv", where)) return all;
    gatherv(in, all, counts, root, std::forward<How>(how), where);
    return all;
  }

  /// Block r of `in` at `root` goes to `out` of rank r; elsewhere `in` does not count. At the root
  /// `out` may be mpx::in_place. Errors: errc::root. Source: MPI 4.1, 6.6.
  template <class In, class Out, class How = throws_t>
  requires Scatters<In, Out&&> && BufferFits<Out&&, How>
  auto scatter(const In& in, Out&& out, rank_t root, How&& how = {},
               site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In>>(
        how, where,
        coll::scatter_call{equal_blocks(in, me().rank() == root), taken(out), root, false},
        no_reduction(), reads(in, me().rank() == root), writes(out));
  }
  /// The same. Returns: this rank's block. Cost: a bcast of its length besides.
  template <class In, class How = throws_t>
  requires ContiguousBuffer<const In&> && BlockingForm<How>
  [[nodiscard]] std::vector<element_of_t<const In>> scatter(const In& in, rank_t root,
                                                            How&& how = {},
                                                            site where = site::current()) const {
    std::vector<element_of_t<const In>> mine;
    if (!is_rank(root)) return scatter(in, mine, root, how, where), mine;  // Which tells it.
    second_call<Stack> next(me(), {"scatter", where});
    auto length = static_cast<std::int64_t>(elements_of(in)) / me().size();
    bcast(length, root, how, where);
    if (!well<How>(how)) return mine;
    next.begins();
    if (!room<How>(mine, static_cast<std::size_t>(length), how, "scatter", where)) return mine;
    scatter(in, mine, root, std::forward<How>(how), where);
    return mine;
  }
  /// The same with blocks of different lengths. Source: MPI 4.1, 6.6.
  template <class In, class C, class Out, class How = throws_t>
  requires Scatters<In, Out&&> && Counts<C> && BufferFits<Out&&, How>
  auto scatterv(const In& in, const C& counts, Out&& out, rank_t root, How&& how = {},
                site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In>>(
        how, where, coll::scatter_call{blocks_at(in, counts), taken(out), root, true},
        no_reduction(), reads(in, me().rank() == root), writes(out));
  }
  /// The same, block r from in[places[r]] on.
  template <class In, class C, class P, class Out, class How = throws_t>
  requires Scatters<In, Out&&> && Counts<C> && Counts<P> && BufferFits<Out&&, How>
  auto scatterv(const In& in, const C& counts, const P& places, Out&& out, rank_t root,
                How&& how = {}, site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In>>(
        how, where, coll::scatter_call{blocks_at(in, counts, places), taken(out), root, true},
        no_reduction(), reads(in, me().rank() == root), writes(out));
  }

  /// Every rank's `in` goes to `out` everywhere, in rank order. Source: MPI 4.1, 6.7.
  template <class In, class Out, class How = throws_t>
  requires Gathers<In, Out&&> && BufferFits<Out&&, How>
  auto allgather(const In& in, Out&& out, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return ended<How, data_of<In, Out>>(how, where,
                                        coll::allgather_call{given(in), equal_blocks(out)},
                                        no_reduction(), reads(in), writes(out));
  }
  /// The same. Returns: all of it.
  template <class In, class How = throws_t>
  requires SendBuffer<In> && BlockingForm<How>
  [[nodiscard]] std::vector<element_of_t<const In>> allgather(const In& in, How&& how = {},
                                                              site where = site::current()) const {
    std::vector<element_of_t<const In>> all;
    if (!room<How>(all, product_of(elements_of(in), me().size()), how, "allgather", where))
      return all;
    allgather(in, all, std::forward<How>(how), where);
    return all;
  }
  /// The same with blocks of different lengths. Source: MPI 4.1, 6.7.
  template <class In, class Out, class C, class How = throws_t>
  requires Gathers<In, Out&&> && Counts<C> && (!Counts<How>) && BufferFits<Out&&, How>
  auto allgatherv(const In& in, Out&& out, const C& counts, How&& how = {},
                  site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In, Out>>(how, where,
                                        coll::allgather_call{given(in), blocks_at(out, counts)},
                                        no_reduction(), reads(in), writes(out));
  }
  /// The same, block r from out[places[r]] on.
  template <class In, class Out, class C, class P, class How = throws_t>
  requires Gathers<In, Out&&> && Counts<C> && Counts<P> && BufferFits<Out&&, How>
  auto allgatherv(const In& in, Out&& out, const C& counts, const P& places, How&& how = {},
                  site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In, Out>>(
        how, where, coll::allgather_call{given(in), blocks_at(out, counts, places)}, no_reduction(),
        reads(in), writes(out));
  }
  /// The same where nobody knows the lengths of others. Returns: all blocks. Cost: an allgather of
  /// the lengths besides.
  template <class In, class How = throws_t>
  requires SendBuffer<In> && BlockingForm<How>
  [[nodiscard]] std::vector<element_of_t<const In>> allgatherv(const In& in, How&& how = {},
                                                               site where = site::current()) const {
    std::vector<element_of_t<const In>> all;
    second_call<Stack> next(me(), {"allgatherv", where});
    const auto counts = allgather(static_cast<std::int64_t>(elements_of(in)), how, where);
    if (!well<How>(how)) return all;
    next.begins();
    if (!room<How>(all, sum_of(counts), how, "allgatherv", where)) return all;
    allgatherv(in, all, counts, std::forward<How>(how), where);
    return all;
  }

  /// Block r of `in` goes to rank r, where it is block rank() of `out`. `in` may be mpx::in_place.
  /// Source: MPI 4.1, 6.8.
  template <class In, class Out, class How = throws_t>
  requires Gathers<In, Out&&> && BufferFits<Out&&, How>
  auto alltoall(const In& in, Out&& out, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    constexpr bool in_place = std::same_as<In, in_place_t>;
    const auto from = [&]() noexcept -> coll::blocks {
      if constexpr (in_place)
        return {};
      else
        return equal_blocks(in);
    };
    return ended<How, data_of<In, Out>>(
        how, where, coll::alltoall_call{from(), equal_blocks(out), in_place, false}, no_reduction(),
        reads(in), writes(out));
  }
  /// The same. Returns: what has come.
  template <class In, class How = throws_t>
  requires ContiguousBuffer<const In&> && BlockingForm<How>
  [[nodiscard]] std::vector<element_of_t<const In>> alltoall(const In& in, How&& how = {},
                                                             site where = site::current()) const {
    std::vector<element_of_t<const In>> all;
    if (!room<How>(all, elements_of(in), how, "alltoall", where)) return all;
    alltoall(in, all, std::forward<How>(how), where);
    return all;
  }
  /// The same with blocks of different lengths. Source: MPI 4.1, 6.8.
  template <class In, class C, class Out, class D, class How = throws_t>
  requires SendBuffer<In> && Gathers<In, Out&&> && Counts<C> && Counts<D> && BufferFits<Out&&, How>
  auto alltoallv(const In& in, const C& in_counts, Out&& out, const D& out_counts, How&& how = {},
                 site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In>>(
        how, where,
        coll::alltoall_call{blocks_at(in, in_counts), blocks_at(out, out_counts), false, true},
        no_reduction(), reads(in), writes(out));
  }
  /// The same, with a place for each block.
  template <class In, class C, class P, class Out, class D, class Q, class How = throws_t>
  requires SendBuffer<In> && Gathers<In, Out&&> && Counts<C> && Counts<P> && Counts<D> &&
           Counts<Q> && BufferFits<Out&&, How>
  auto alltoallv(const In& in, const C& in_counts, const P& in_places, Out&& out,
                 const D& out_counts, const Q& out_places, How&& how = {},
                 site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In>>(
        how, where,
        coll::alltoall_call{blocks_at(in, in_counts, in_places),
                            blocks_at(out, out_counts, out_places), false, true},
        no_reduction(), reads(in), writes(out));
  }
  /// The same in place: what is at places[r] goes to rank r, and what comes from there replaces it.
  template <class Out, class D, class How = throws_t>
  requires ReceiveBuffer<Out&&> && Counts<D> && BufferFits<Out&&, How>
  auto alltoallv(in_place_t, Out&& out, const D& counts, How&& how = {},
                 site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<Out>>(how, where,
                                    coll::alltoall_call{{}, blocks_at(out, counts), true, true},
                                    no_reduction(), writes(out));
  }
  /// The same where nobody knows what will come. Returns: what has come, in rank order. Cost: an
  /// alltoall of the lengths besides.
  template <class In, class C, class How = throws_t>
  requires ContiguousBuffer<const In&> && Counts<C> && BlockingForm<How>
  [[nodiscard]] std::vector<element_of_t<const In>> alltoallv(const In& in, const C& in_counts,
                                                              How&& how = {},
                                                              site where = site::current()) const {
    std::vector<element_of_t<const In>> all;
    std::vector<std::int64_t> going;
    second_call<Stack> next(me(), {"alltoallv", where});
    const coll::blocks from = blocks_at(in, in_counts);
    if (check_blocks(from, me().size()).why != errc{}) {  // Told before anything is exchanged.
      ended<How>(how, where, coll::alltoall_call{from, {}, false, true});
      return all;
    }
    if (!room<How>(going, std::size(in_counts), how, "alltoallv", where)) return all;
    for (std::size_t r = 0; r < going.size(); ++r) going[r] = from.counts[static_cast<rank_t>(r)];
    const auto coming = alltoall(going, how, where);
    if (!well<How>(how)) return all;
    next.begins();
    if (!room<How>(all, sum_of(coming), how, "alltoallv", where)) return all;
    alltoallv(in, going, all, coming, std::forward<How>(how), where);
    return all;
  }
  /// Every block is a piece of memory of its own, of whatever layout: in[r] goes to rank r, and
  /// out[r] comes from there. Requires: a piece for each rank. Source: MPI 4.1, 6.8.
  template <class How = throws_t>
  auto alltoallw(std::span<const memory> in, std::span<const memory> out, How&& how = {},
                 site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How>(how, where, coll::alltoall_call{pieces_of(in), pieces_of(out), false, true});
  }
  /// The same with a list of buffers, such as columns of a matrix, for each side.
  template <class In, class Out, class How = throws_t>
  requires BufferList<In&&> && ReceivedBufferList<Out&&>
  auto alltoallw(In&& in, Out&& out, How&& how = {}, site where = site::current()) const {
    const listed_memory<In&&> from(in, false);
    const listed_memory<Out&&> to(out, true);
    return ended<How>(how, where,
                      coll::alltoall_call{pieces_of(from.all()), pieces_of(to.all()), false, true},
                      no_reduction(), uses_all(from), uses_all(to));
  }

  // --- Reductions --------------------------------------------------------------------------------

  /// Combines every rank's `value` with `op`, which must be associative; in rank order unless it
  /// is_commutative.
  /// Returns: of a value the result at `root`, `value` elsewhere. A range is combined element by
  /// element, in place: it holds the result at `root`, and is unspecified elsewhere; a temporary
  /// container is returned. Where the call is started a value is combined in place, as a range.
  /// Errors: errc::root. What `op` throws passes through, or is errc::operation; the other ranks
  /// get errc::peer_lost. `op` must not call mpx. Source: MPI 4.1, 6.9.
  template <class V, class Op, class How = throws_t>
  requires Reducible<V&&> && Reduces<Op, V> && BufferFits<V&&, How>
  auto reduce(V&& value, Op op, rank_t root, How&& how = {}, site where = site::current()) const {
    const bool here = me().rank() == root;
    return in_place_or_copied<How, V>(value, how, here, [&](const memory& m) {
      return ended<How>(how, where, coll::reduce_call{m, m, root}, reduction_of<V, Op>{op},
                        writes(value));
    });
  }
  /// As reduce, with the same result on every rank, bit for bit.
  template <class V, class Op, class How = throws_t>
  requires Reducible<V&&> && Reduces<Op, V> && BufferFits<V&&, How>
  [[nodiscard]] auto allreduce(V&& value, Op op, How&& how = {},
                               site where = site::current()) const {
    return in_place_or_copied<How, V>(value, how, true, [&](const memory& m) {
      return ended<How>(how, where, coll::allreduce_call{m, m}, reduction_of<V, Op>{op},
                        writes(value));
    });
  }
  /// As those above, from `in` to `out`, element by element; `in` stays as it is, and `out` is
  /// written on the ranks that get a result, as long as `in` there.
  template <class In, class Out, class Op, class How = throws_t>
  requires ReducedBetween<In, Out&&> && Reduces<Op, In> && BufferFits<Out&&, How>
  auto reduce(const In& in, Out&& out, Op op, rank_t root, How&& how = {},
              site where = site::current()) const {
    const bool here = me().rank() == root;
    return ended<How>(how, where,
                      coll::reduce_call{place_of(in), here ? place_of(out) : memory(), root},
                      reduction_of<const In, Op>{op}, reads(in), writes(out, here));
  }
  /// As reduce from one range into another, with the same result on every rank, bit for bit.
  template <class In, class Out, class Op, class How = throws_t>
  requires ReducedBetween<In, Out&&> && Reduces<Op, In> && BufferFits<Out&&, How>
  auto allreduce(const In& in, Out&& out, Op op, How&& how = {},
                 site where = site::current()) const {
    return ended<How>(how, where, coll::allreduce_call{place_of(in), place_of(out)},
                      reduction_of<const In, Op>{op}, reads(in), writes(out));
  }

  /// Combines as reduce does; rank r gets block r of the result, of counts[r] elements.
  /// Source: MPI 4.1, 6.10.
  template <class In, class Out, class C, class Op, class How = throws_t>
  requires ReducedBetween<In, Out&&> && Counts<C> && Reduces<Op, In> && BufferFits<Out&&, How>
  auto reduce_scatter(const In& in, Out&& out, const C& counts, Op op, How&& how = {},
                      site where = site::current()) const {
    return ended<How>(how, where, coll::reduce_scatter_call{blocks_at(in, counts), place_of(out)},
                      reduction_of<const In, Op>{op}, reads(in), writes(out));
  }
  /// The same with blocks of one length, that of `out`.
  template <class In, class Out, class Op, class How = throws_t>
  requires ReducedBetween<In, Out&&> && Reduces<Op, In> && BufferFits<Out&&, How>
  auto reduce_scatter_block(const In& in, Out&& out, Op op, How&& how = {},
                            site where = site::current()) const {
    return ended<How>(how, where, coll::reduce_scatter_call{equal_blocks(in), place_of(out)},
                      reduction_of<const In, Op>{op}, reads(in), writes(out));
  }

  /// Combines what the ranks 0 .. rank() give, in rank order.
  /// Returns: of a value the result; a range is combined in place. Source: MPI 4.1, 6.11.
  template <class V, class Op, class How = throws_t>
  requires Reducible<V&&> && Reduces<Op, V> && BufferFits<V&&, How>
  [[nodiscard]] auto scan(V&& value, Op op, How&& how = {}, site where = site::current()) const {
    return in_place_or_copied<How, V>(value, how, true, [&](const memory& m) {
      return ended<How>(how, where, coll::scan_call{m, m, false}, reduction_of<V, Op>{op},
                        writes(value));
    });
  }
  /// The same from `in` to `out`.
  template <class In, class Out, class Op, class How = throws_t>
  requires ReducedBetween<In, Out&&> && Reduces<Op, In> && BufferFits<Out&&, How>
  auto scan(const In& in, Out&& out, Op op, How&& how = {}, site where = site::current()) const {
    return ended<How>(how, where, coll::scan_call{place_of(in), place_of(out), false},
                      reduction_of<const In, Op>{op}, reads(in), writes(out));
  }
  /// Combines what the ranks below this one give, in rank order: nothing at rank 0, where `value`
  /// stays as it is.
  template <class V, class Op, class How = throws_t>
  requires Reducible<V&&> && Reduces<Op, V> && BufferFits<V&&, How>
  [[nodiscard]] auto exscan(V&& value, Op op, How&& how = {}, site where = site::current()) const {
    return in_place_or_copied<How, V>(value, how, true, [&](const memory& m) {
      return ended<How>(how, where, coll::scan_call{m, m, true}, reduction_of<V, Op>{op},
                        writes(value));
    });
  }
  /// The same from `in` to `out`, which stays as it is at rank 0.
  template <class In, class Out, class Op, class How = throws_t>
  requires ReducedBetween<In, Out&&> && Reduces<Op, In> && BufferFits<Out&&, How>
  auto exscan(const In& in, Out&& out, Op op, How&& how = {}, site where = site::current()) const {
    return ended<How>(how, where, coll::scan_call{place_of(in), place_of(out), true},
                      reduction_of<const In, Op>{op}, reads(in), writes(out));
  }

 private:
  /// Whose elements a call moves, if somebody asks: those of what is given, or of the result.
  template <class In, class Out = In>
  using data_of = typename call_mark<Stack>::template data<In, Out>;
  /// Ends a call of `what`, which moves elements of `Data`, as `how` says. Those that block return
  /// nothing.
  template <class How, class Data = void, class What, class Op = no_reduction, class... Uses>
  [[MPX_ALWAYS_INLINE]] auto ended(std::remove_reference_t<How>& how, site where, What&& what,
                                   const Op& op = {}, const Uses&... uses) const
      noexcept(stores_errors<How>) {
    auto by = coll::algorithm::automatic;
    if constexpr (requires { me().algorithm_wanted(); }) by = me().algorithm_wanted();
    return finish_as(
        std::forward<How>(how),
        made_call<Stack, What, Op, std::conditional_t<BlockingForm<How>, What&, What>>(
            me(), what, by, op, call_mark<Stack>::template of<Op, Data>(where), uses...),
        where);
  }
  bool is_rank(rank_t r) const noexcept { return r >= 0 && r < me().size(); }
  /// What a bcast does with its buffer.
  template <class B>
  [[MPX_ALWAYS_INLINE]] auto written_but_at(const B& buffer,
                                            [[maybe_unused]] rank_t root) const noexcept {
    auto use = writes(buffer);
    if constexpr (LayoutBuffer<B>) use.received = me().rank() != root;
    return use;
  }
  /// See `make_room`.
  template <class How, class T>
  bool room(std::vector<T>& all, std::size_t n, std::remove_reference_t<How>& how, const char* name,
            site where) const {
    return make_room<How, T, Stack>(all, n, me(), how, {name, where});
  }
  /// A buffer as blocks of one length; `counts`: at this rank it is one.
  template <class B>
  coll::blocks equal_blocks(const B& buffer, bool counts = true) const noexcept {
    // Made where it is returned: of what has just been written a copy waits for what was before.
    coll::blocks b = counts ? blocks_of(buffer) : coll::blocks();
    if (counts) {
      const auto n = static_cast<std::size_t>(me().size());
      // Of what a layout spreads a block may be a part of an element: of one column, say.
      b.bytes = LayoutBuffer<B> ? b.room / n : b.room / b.unit / n * b.unit;
      b.stride = b.bytes;
    }
    return b;
  }
};

/// A communicator whose collectives use one algorithm.
template <class Stack>
class forced_algorithm : public point_to_point<Stack>,
                         public collectives<forced_algorithm<Stack>, Stack> {
 public:
  forced_algorithm(const point_to_point<Stack>& comm, coll::algorithm by) noexcept
      : point_to_point<Stack>(comm), by_(by) {}
  /// What is used.
  coll::algorithm algorithm_wanted() const noexcept { return by_; }

 private:
  coll::algorithm by_;
};
template <class Comm, class Stack>
auto collectives<Comm, Stack>::with(coll::algorithm by) const noexcept {
  return forced_algorithm<Stack>(me(), by);
}

}  // namespace mpx::inline v0::detail
