// SPDX-License-Identifier: BSL-1.0
#pragma once
// The collectives of a communicator, each declared once. The last argument selects how a call ends:
// blocking, started or prepared.

#include <concepts>
#include <cstdint>
#include <source_location>
#include <span>
#include <vector>

#include "mpx/coll/algorithms/allgather.hpp"
#include "mpx/coll/algorithms/allreduce.hpp"
#include "mpx/coll/algorithms/alltoall.hpp"
#include "mpx/coll/algorithms/barrier.hpp"
#include "mpx/coll/algorithms/bcast.hpp"
#include "mpx/coll/algorithms/gather.hpp"
#include "mpx/coll/algorithms/reduce.hpp"
#include "mpx/coll/algorithms/reduce_scatter.hpp"
#include "mpx/coll/algorithms/scan.hpp"
#include "mpx/coll/algorithms/scatter.hpp"
#include "mpx/coll/arguments.hpp"
#include "mpx/coll/call.hpp"
#include "mpx/coll/names.hpp"
#include "mpx/data/buffer.hpp"
#include "mpx/data/memory_of.hpp"

namespace mpx::inline v0::detail {

/// The collective operations of a communicator, which derives from this.
///
/// Every rank of the communicator calls them in the same order.
/// Buffers are transferable values or contiguous ranges of them, as for messages. With
/// mpx/datatype.hpp a buffer may also have a layout; each block is then a part of its message.
/// `counts` and `displacements` are ranges of integers with one entry for each rank: numbers of
/// elements, and displacements in elements. Without displacements, the blocks follow each other.
/// A rank may pass mpx::in_place as its input. Its data is then in the result buffer, where its own
/// block belongs.
/// Forms: mpx::start returns a request, which must be waited for. If it is dropped, this rank
/// leaves the call, and the other ranks get errc::peer_lost. If it is detached, the call goes on by
/// itself. mpx::prepare returns a persistent request. All ranks prepare matching calls in the same
/// order, and may start them in any order. Every operation has these forms, except those that
/// return a value or a vector with the result.
/// Errors:     errc::count or errc::truncate if sizes differ between ranks; errc::argument and
///             errc::count if a buffer does not fit, or a count is negative; errc::datatype for a
///             layout that cannot be used; errc::peer_lost if a rank is lost, or has left the call
///             with an error; errc::no_resources.
/// Completion: The call owns its buffers until it is complete.
template <class Comm, class Stack>
class collectives : public collective_names<Comm> {
  using site = std::source_location;
  [[MPX_ALWAYS_INLINE]] const Comm& me() const noexcept { return static_cast<const Comm&>(*this); }

 public:
  /// Completes when every rank has entered.
  /// Cost:       log2(size) rounds of one packet.
  /// Source:     MPI 4.1, 6.3.
  template <class How = throws_t>
  auto barrier(How&& how = {}, site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How>(how, where, coll::barrier_call{});
  }

  /// Sends `buffer` from rank `root` to all ranks.
  /// Errors:     errc::root.
  /// Source:     MPI 4.1, 6.4.
  template <class B, class How = throws_t>
  requires ReceiveBuffer<B&&> && BufferFits<B&&, How>
  auto bcast(B&& buffer, rank_t root, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return ended<How, data_of<B>>(how, where, coll::bcast_call{place_of(buffer), root},
                                  no_reduction(), written_but_at(buffer, root));
  }

  /// Returns a communicator of the same ranks whose collectives use algorithm `by` where the
  /// operation has it.
  /// Requires:   All ranks make the call, with the same algorithm.
  [[nodiscard]] auto with(coll::algorithm by) const noexcept;

  // --- Blocks ------------------------------------------------------------------------------------

  /// Gathers every rank's `in` into `out` at `root`, in rank order. `out` is ignored at other
  /// ranks.
  /// Errors:     errc::root.
  /// Source:     MPI 4.1, 6.5.
  template <class In, class Out, class How = throws_t>
  requires Gathers<In, Out&&> && BufferFits<Out&&, How>
  auto gather(const In& in, Out&& out, rank_t root, How&& how = {},
              site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In, Out>>(
        how, where,
        coll::gather_call{given(in), equal_blocks(out, me().rank() == root), root, false},
        no_reduction(), reads(in), writes(out, me().rank() == root));
  }
  /// Gathers every rank's `in` at `root`.
  /// Returns:    All blocks in rank order at `root`; an empty vector at other ranks.
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
  /// Gathers blocks of different lengths: counts[r] elements from rank r, one after the other.
  /// Source:     MPI 4.1, 6.5.
  template <class In, class Out, class C, class How = throws_t>
  requires Gathers<In, Out&&> && Counts<C> && BufferFits<Out&&, How>
  auto gatherv(const In& in, Out&& out, const C& counts, rank_t root, How&& how = {},
               site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In, Out>>(
        how, where, coll::gather_call{given(in), blocks_at(out, counts), root, true},
        no_reduction(), reads(in), writes(out, me().rank() == root));
  }
  /// Gathers blocks of different lengths. Block r begins at out[displacements[r]].
  template <class In, class Out, class C, class P, class How = throws_t>
  requires Gathers<In, Out&&> && Counts<C> && Counts<P> && BufferFits<Out&&, How>
  auto gatherv(const In& in, Out&& out, const C& counts, const P& displacements, rank_t root,
               How&& how = {}, site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In, Out>>(
        how, where, coll::gather_call{given(in), blocks_at(out, counts, displacements), root, true},
        no_reduction(), reads(in), writes(out, me().rank() == root));
  }
  /// Gathers blocks into separate pieces of memory: that of rank r into out[r], which may have any
  /// layout. `out` is ignored at other ranks. Piece `root` is ignored if `in` is mpx::in_place.
  /// Requires:   One piece for each rank. The list is read during the call only; memory and layouts
  ///             outlive the operation.
  template <class In, class How = throws_t>
  requires Gives<In>
  auto gatherw(const In& in, std::span<const memory> out, rank_t root, How&& how = {},
               site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How>(how, where, coll::gather_call{given(in), pieces_of(out), root, true},
                      no_reduction(), reads(in));
  }
  /// Gathers blocks of lengths that the root does not know.
  /// Returns:    All blocks in rank order at `root`; an empty vector at other ranks.
  /// Cost:       Also a gather of the lengths.
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

  /// Sends block r of `in` at `root` to `out` of rank r. `in` is ignored at other ranks. The root
  /// may pass mpx::in_place for `out`.
  /// Errors:     errc::root.
  /// Source:     MPI 4.1, 6.6.
  template <class In, class Out, class How = throws_t>
  requires Scatters<In, Out&&> && BufferFits<Out&&, How>
  auto scatter(const In& in, Out&& out, rank_t root, How&& how = {},
               site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In>>(
        how, where,
        coll::scatter_call{equal_blocks(in, me().rank() == root), taken(out), root, false},
        no_reduction(), reads(in, me().rank() == root), writes(out));
  }
  /// Scatters `in` at `root` in equal blocks.
  /// Returns:    This rank's block.
  /// Cost:       Also a bcast of its length.
  template <class In, class How = throws_t>
  requires ContiguousBuffer<const In&> && BlockingForm<How>
  [[nodiscard]] std::vector<element_of_t<const In>> scatter(const In& in, rank_t root,
                                                            How&& how = {},
                                                            site where = site::current()) const {
    std::vector<element_of_t<const In>> mine;
    if (!is_rank(root)) return scatter(in, mine, root, how, where), mine;  // Reports errc::root.
    second_call<Stack> next(me(), {"scatter", where});
    auto length = static_cast<std::int64_t>(elements_of(in)) / me().size();
    bcast(length, root, how, where);
    if (!well<How>(how)) return mine;
    next.begins();
    if (!room<How>(mine, static_cast<std::size_t>(length), how, "scatter", where)) return mine;
    scatter(in, mine, root, std::forward<How>(how), where);
    return mine;
  }
  /// Scatters blocks of different lengths: counts[r] elements to rank r, one after the other.
  /// Source:     MPI 4.1, 6.6.
  template <class In, class C, class Out, class How = throws_t>
  requires Scatters<In, Out&&> && Counts<C> && BufferFits<Out&&, How>
  auto scatterv(const In& in, const C& counts, Out&& out, rank_t root, How&& how = {},
                site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In>>(
        how, where, coll::scatter_call{blocks_at(in, counts), taken(out), root, true},
        no_reduction(), reads(in, me().rank() == root), writes(out));
  }
  /// Scatters blocks of different lengths. Block r begins at in[displacements[r]].
  template <class In, class C, class P, class Out, class How = throws_t>
  requires Scatters<In, Out&&> && Counts<C> && Counts<P> && BufferFits<Out&&, How>
  auto scatterv(const In& in, const C& counts, const P& displacements, Out&& out, rank_t root,
                How&& how = {}, site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In>>(
        how, where,
        coll::scatter_call{blocks_at(in, counts, displacements), taken(out), root, true},
        no_reduction(), reads(in, me().rank() == root), writes(out));
  }

  /// Scatters separate pieces of memory: in[r] of `root`, which may have any layout, to rank r. As
  /// gatherw.
  template <class Out, class How = throws_t>
  requires Takes<Out&&> && BufferFits<Out&&, How>
  auto scatterw(std::span<const memory> in, Out&& out, rank_t root, How&& how = {},
                site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How>(how, where, coll::scatter_call{pieces_of(in), taken(out), root, true},
                      no_reduction(), writes(out));
  }

  /// Gathers every rank's `in` into `out` of every rank, in rank order.
  /// Source:     MPI 4.1, 6.7.
  template <class In, class Out, class How = throws_t>
  requires Gathers<In, Out&&> && BufferFits<Out&&, How>
  auto allgather(const In& in, Out&& out, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return ended<How, data_of<In, Out>>(how, where,
                                        coll::allgather_call{given(in), equal_blocks(out)},
                                        no_reduction(), reads(in), writes(out));
  }
  /// Gathers every rank's `in` at every rank.
  /// Returns:    All blocks in rank order.
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
  /// Gathers blocks of different lengths at every rank: counts[r] elements from rank r.
  /// Source:     MPI 4.1, 6.7.
  template <class In, class Out, class C, class How = throws_t>
  requires Gathers<In, Out&&> && Counts<C> && (!Counts<How>) && BufferFits<Out&&, How>
  auto allgatherv(const In& in, Out&& out, const C& counts, How&& how = {},
                  site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In, Out>>(how, where,
                                        coll::allgather_call{given(in), blocks_at(out, counts)},
                                        no_reduction(), reads(in), writes(out));
  }
  /// Gathers blocks of different lengths at every rank. Block r begins at out[displacements[r]].
  template <class In, class Out, class C, class P, class How = throws_t>
  requires Gathers<In, Out&&> && Counts<C> && Counts<P> && BufferFits<Out&&, How>
  auto allgatherv(const In& in, Out&& out, const C& counts, const P& displacements, How&& how = {},
                  site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In, Out>>(
        how, where, coll::allgather_call{given(in), blocks_at(out, counts, displacements)},
        no_reduction(), reads(in), writes(out));
  }
  /// Gathers blocks at every rank into separate pieces of memory, as gatherw.
  template <class In, class How = throws_t>
  requires Gives<In>
  auto allgatherw(const In& in, std::span<const memory> out, How&& how = {},
                  site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How>(how, where, coll::allgather_call{given(in), pieces_of(out)}, no_reduction(),
                      reads(in));
  }
  /// Gathers blocks at every rank, where no rank knows the lengths of the others.
  /// Returns:    All blocks in rank order.
  /// Cost:       Also an allgather of the lengths.
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

  /// Sends block r of `in` to rank r, which stores it as block rank() of `out`. `in` may be
  /// mpx::in_place.
  /// Source:     MPI 4.1, 6.8.
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
  /// Sends block r of `in` to rank r.
  /// Returns:    The blocks received, in rank order.
  template <class In, class How = throws_t>
  requires ContiguousBuffer<const In&> && BlockingForm<How>
  [[nodiscard]] std::vector<element_of_t<const In>> alltoall(const In& in, How&& how = {},
                                                             site where = site::current()) const {
    std::vector<element_of_t<const In>> all;
    if (!room<How>(all, elements_of(in), how, "alltoall", where)) return all;
    alltoall(in, all, std::forward<How>(how), where);
    return all;
  }
  /// Sends in_counts[r] elements of `in` to rank r, and receives out_counts[r] from it. Blocks
  /// follow each other.
  /// Source:     MPI 4.1, 6.8.
  template <class In, class C, class Out, class D, class How = throws_t>
  requires(!std::same_as<In, in_place_t>) && SendBuffer<In> && Gathers<In, Out&&> && Counts<C> &&
          Counts<D> && BufferFits<Out&&, How>
  auto alltoallv(const In& in, const C& in_counts, Out&& out, const D& out_counts, How&& how = {},
                 site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In>>(
        how, where,
        coll::alltoall_call{blocks_at(in, in_counts), blocks_at(out, out_counts), false, true},
        no_reduction(), reads(in), writes(out));
  }
  /// As above; each block has a displacement of its own, in `in_displacements` and
  /// `out_displacements`.
  template <class In, class C, class P, class Out, class D, class Q, class How = throws_t>
  requires SendBuffer<In> && Gathers<In, Out&&> && Counts<C> && Counts<P> && Counts<D> &&
           Counts<Q> && BufferFits<Out&&, How>
  auto alltoallv(const In& in, const C& in_counts, const P& in_displacements, Out&& out,
                 const D& out_counts, const Q& out_displacements, How&& how = {},
                 site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In>>(
        how, where,
        coll::alltoall_call{blocks_at(in, in_counts, in_displacements),
                            blocks_at(out, out_counts, out_displacements), false, true},
        no_reduction(), reads(in), writes(out));
  }
  /// Exchanges blocks in place: sends block r of `out`, of counts[r] elements, to rank r, and
  /// replaces it by the block that rank r sends to this rank. Blocks follow each other.
  template <class Out, class D, class How = throws_t>
  requires ReceiveBuffer<Out&&> && Counts<D> && (!Counts<How>) && BufferFits<Out&&, How>
  auto alltoallv(in_place_t, Out&& out, const D& counts, How&& how = {},
                 site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<Out>>(how, where,
                                    coll::alltoall_call{{}, blocks_at(out, counts), true, true},
                                    no_reduction(), writes(out));
  }
  /// As above, with displacements: block r begins at out[displacements[r]].
  template <class Out, class D, class Q, class How = throws_t>
  requires ReceiveBuffer<Out&&> && Counts<D> && Counts<Q> && BufferFits<Out&&, How>
  auto alltoallv(in_place_t, Out&& out, const D& counts, const Q& displacements, How&& how = {},
                 site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<Out>>(
        how, where, coll::alltoall_call{{}, blocks_at(out, counts, displacements), true, true},
        no_reduction(), writes(out));
  }
  /// Sends in_counts[r] elements to rank r, where no rank knows the lengths it will receive.
  /// Returns:    The blocks received, in rank order.
  /// Cost:       Also an alltoall of the lengths.
  template <class In, class C, class How = throws_t>
  requires ContiguousBuffer<const In&> && Counts<C> && BlockingForm<How>
  [[nodiscard]] std::vector<element_of_t<const In>> alltoallv(const In& in, const C& in_counts,
                                                              How&& how = {},
                                                              site where = site::current()) const {
    std::vector<element_of_t<const In>> all;
    std::vector<std::int64_t> going;
    second_call<Stack> next(me(), {"alltoallv", where});
    const coll::blocks from = blocks_at(in, in_counts);
    if (check_blocks(from, me().size()).why != errc{}) {  // Reported before anything is exchanged.
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
  /// Sends the memory in[r] to rank r, and receives from it into out[r]. Each may have any layout.
  /// Requires:   One entry for each rank.
  /// Source:     MPI 4.1, 6.8.
  template <class How = throws_t>
  auto alltoallw(std::span<const memory> in, std::span<const memory> out, How&& how = {},
                 site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How>(how, where, coll::alltoall_call{pieces_of(in), pieces_of(out), false, true});
  }
  /// Exchanges separate pieces of memory in place: sends inout[r] to rank r, and replaces it by the
  /// piece that rank r sends to this rank.
  template <class How = throws_t>
  auto alltoallw(in_place_t, std::span<const memory> inout, How&& how = {},
                 site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How>(how, where, coll::alltoall_call{{}, pieces_of(inout), true, true});
  }
  /// As above, for lists of buffers, such as the columns of a matrix.
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

  /// Combines every rank's `value` with `op` at `root`, in rank order unless `op` is_commutative. A
  /// range is combined element by element, in place.
  /// Requires:   `op` is associative, and does not call mpx.
  /// Returns:    For a value: the result at `root`, `value` at other ranks. A range holds the
  ///             result at `root`, and is unspecified at other ranks; a temporary container is
  ///             returned. A started or prepared call combines a value in place, as it does a
  ///             range.
  /// Errors:     errc::root. An exception of `op` is passed on, or reported as errc::operation; the
  ///             other ranks get errc::peer_lost.
  /// Source:     MPI 4.1, 6.9.
  template <class V, class Op, class How = throws_t>
  requires Reducible<V&&> && Reduces<Op, V> && BufferFits<V&&, How>
  auto reduce(V&& value, Op op, rank_t root, How&& how = {}, site where = site::current()) const {
    const bool here = me().rank() == root;
    return in_place_or_copied<How, V>(value, how, here, [&](const memory& m) {
      return ended<How>(how, where, coll::reduce_call{m, m, root}, reduction_of<V, Op>{op},
                        writes(value));
    });
  }
  /// Combines as reduce does, with the result at every rank. All ranks get the same bits.
  template <class V, class Op, class How = throws_t>
  requires Reducible<V&&> && Reduces<Op, V> && BufferFits<V&&, How>
  [[nodiscard]] auto allreduce(V&& value, Op op, How&& how = {},
                               site where = site::current()) const {
    return in_place_or_copied<How, V>(value, how, true, [&](const memory& m) {
      return ended<How>(how, where, coll::allreduce_call{m, m}, reduction_of<V, Op>{op},
                        writes(value));
    });
  }
  /// Combines as reduce does, from `in` into `out`, element by element. `in` is not changed. `out`
  /// is written at `root` only, where it must be as long as `in`.
  template <class In, class Out, class Op, class How = throws_t>
  requires ReducedBetween<In, Out&&> && Reduces<Op, In> && BufferFits<Out&&, How>
  auto reduce(const In& in, Out&& out, Op op, rank_t root, How&& how = {},
              site where = site::current()) const {
    const bool here = me().rank() == root;
    return ended<How>(how, where,
                      coll::reduce_call{place_of(in), here ? place_of(out) : memory(), root},
                      reduction_of<const In, Op>{op}, reads(in), writes(out, here));
  }
  /// Combines from `in` into `out` at every rank, as allreduce does. All ranks get the same bits.
  template <class In, class Out, class Op, class How = throws_t>
  requires ReducedBetween<In, Out&&> && Reduces<Op, In> && BufferFits<Out&&, How>
  auto allreduce(const In& in, Out&& out, Op op, How&& how = {},
                 site where = site::current()) const {
    return ended<How>(how, where, coll::allreduce_call{place_of(in), place_of(out)},
                      reduction_of<const In, Op>{op}, reads(in), writes(out));
  }

  /// Combines as reduce does. Rank r gets block r of the result, of counts[r] elements.
  /// Source:     MPI 4.1, 6.10.
  template <class In, class Out, class C, class Op, class How = throws_t>
  requires ReducedBetween<In, Out&&> && Counts<C> && Reduces<Op, In> && BufferFits<Out&&, How>
  auto reduce_scatter(const In& in, Out&& out, const C& counts, Op op, How&& how = {},
                      site where = site::current()) const {
    return ended<How>(how, where, coll::reduce_scatter_call{blocks_at(in, counts), place_of(out)},
                      reduction_of<const In, Op>{op}, reads(in), writes(out));
  }
  /// As reduce_scatter with blocks of equal length, which is the length of `out`.
  template <class In, class Out, class Op, class How = throws_t>
  requires ReducedBetween<In, Out&&> && Reduces<Op, In> && BufferFits<Out&&, How>
  auto reduce_scatter_block(const In& in, Out&& out, Op op, How&& how = {},
                            site where = site::current()) const {
    return ended<How>(how, where, coll::reduce_scatter_call{equal_blocks(in), place_of(out)},
                      reduction_of<const In, Op>{op}, reads(in), writes(out));
  }

  /// Combines the values of ranks 0 .. rank(), in rank order.
  /// Returns:    For a value: the result. A range is combined in place.
  /// Source:     MPI 4.1, 6.11.
  template <class V, class Op, class How = throws_t>
  requires Reducible<V&&> && Reduces<Op, V> && BufferFits<V&&, How>
  [[nodiscard]] auto scan(V&& value, Op op, How&& how = {}, site where = site::current()) const {
    return in_place_or_copied<How, V>(value, how, true, [&](const memory& m) {
      return ended<How>(how, where, coll::scan_call{m, m, false}, reduction_of<V, Op>{op},
                        writes(value));
    });
  }
  /// Combines from `in` into `out`, as scan does.
  template <class In, class Out, class Op, class How = throws_t>
  requires ReducedBetween<In, Out&&> && Reduces<Op, In> && BufferFits<Out&&, How>
  auto scan(const In& in, Out&& out, Op op, How&& how = {}, site where = site::current()) const {
    return ended<How>(how, where, coll::scan_call{place_of(in), place_of(out), false},
                      reduction_of<const In, Op>{op}, reads(in), writes(out));
  }
  /// Combines the values of the ranks below this one, in rank order. At rank 0 `value` is
  /// unchanged.
  template <class V, class Op, class How = throws_t>
  requires Reducible<V&&> && Reduces<Op, V> && BufferFits<V&&, How>
  [[nodiscard]] auto exscan(V&& value, Op op, How&& how = {}, site where = site::current()) const {
    return in_place_or_copied<How, V>(value, how, true, [&](const memory& m) {
      return ended<How>(how, where, coll::scan_call{m, m, true}, reduction_of<V, Op>{op},
                        writes(value));
    });
  }
  /// Combines from `in` into `out`, as exscan does. At rank 0 `out` is unchanged.
  template <class In, class Out, class Op, class How = throws_t>
  requires ReducedBetween<In, Out&&> && Reduces<Op, In> && BufferFits<Out&&, How>
  auto exscan(const In& in, Out&& out, Op op, How&& how = {}, site where = site::current()) const {
    return ended<How>(how, where, coll::scan_call{place_of(in), place_of(out), true},
                      reduction_of<const In, Op>{op}, reads(in), writes(out));
  }

 private:
  /// Element type of a call for the comparison of calls: that of the input, or with mpx::in_place
  /// of the result. Ignored by stacks that compare nothing.
  template <class In, class Out = In>
  using data_of = typename call_mark<Stack>::template data<In, Out>;
  /// Finishes the call `what`, which moves elements of `Data`, in the form `how`. The blocking
  /// forms return nothing.
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
  /// Use of the buffer of a bcast: received everywhere but at the root.
  template <class B>
  [[MPX_ALWAYS_INLINE]] auto written_but_at(const B& buffer,
                                            [[maybe_unused]] rank_t root) const noexcept {
    auto use = writes(buffer);
    if constexpr (LayoutBuffer<B>) use.received = me().rank() != root;
    return use;
  }
  /// Resizes the result of the next collective: see `make_room`.
  template <class How, class T>
  bool room(std::vector<T>& all, std::size_t n, std::remove_reference_t<How>& how, const char* name,
            site where) const {
    return make_room<How, T, Stack>(all, n, me(), how, {name, where});
  }
  /// Splits a buffer into blocks of equal length. `counts`: false if the buffer is ignored at this
  /// rank.
  template <class B>
  coll::blocks equal_blocks(const B& buffer, bool counts = true) const noexcept {
    // Built in place: a copy of a struct that has just been written would wait for earlier stores.
    coll::blocks b = counts ? blocks_of(buffer) : coll::blocks();
    if (counts) {
      const auto n = static_cast<std::size_t>(me().size());
      // With a layout, a block may be a part of an element, e.g. of one column.
      b.bytes = LayoutBuffer<B> ? b.room / n : b.room / b.unit / n * b.unit;
      b.stride = b.bytes;
    }
    return b;
  }
};

/// A communicator whose collectives use one algorithm: see `collectives::with`.
template <class Stack>
class forced_algorithm : public point_to_point<Stack>,
                         public collectives<forced_algorithm<Stack>, Stack> {
 public:
  forced_algorithm(const point_to_point<Stack>& comm, coll::algorithm by) noexcept
      : point_to_point<Stack>(comm), by_(by) {}
  /// The algorithm that the caller asked for.
  coll::algorithm algorithm_wanted() const noexcept { return by_; }

 private:
  coll::algorithm by_;
};
template <class Comm, class Stack>
auto collectives<Comm, Stack>::with(coll::algorithm by) const noexcept {
  return forced_algorithm<Stack>(me(), by);
}

}  // namespace mpx::inline v0::detail
