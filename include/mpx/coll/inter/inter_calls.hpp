// SPDX-License-Identifier: BSL-1.0
#pragma once
// The collectives of an intercommunicator, each declared once, as those of a communicator.

#include <cstdint>
#include <source_location>
#include <span>
#include <vector>

#include "mpx/coll/algorithms/barrier.hpp"
#include "mpx/coll/arguments.hpp"
#include "mpx/coll/inter/inter.hpp"
#include "mpx/coll/inter/inter_layouts.hpp"
#include "mpx/coll/names.hpp"
#include "mpx/data/buffer.hpp"

namespace mpx::inline v0::detail {

/// The collective operations of an intercommunicator, which derives from this.
///
/// Every rank of both groups calls them in the same order. The input of each group goes to the
/// other group. In operations with a root, data moves in one direction only.
/// The root passes mpx::this_root, the other ranks of its group pass mpx::proc_null, and the ranks
/// of the other group pass the root's rank. Buffers that a rank does not use are ignored: the input
/// or output that belongs to the other side, and both at a rank that passes proc_null.
/// Arguments, forms and errors are those of a communicator's collectives (coll/calls.hpp), without
/// mpx::in_place. Blocks, counts and displacements are those of the remote group's ranks. Errors
/// number the ranks of both groups, beginning with the group whose first rank is lower in the
/// world.
/// Source:     MPI 4.1, 6.2.2.
template <class Inter, class Stack>
class inter_collectives : public collective_names<Inter> {
  using site = std::source_location;
  [[MPX_ALWAYS_INLINE]] const Inter& me() const noexcept {
    return static_cast<const Inter&>(*this);
  }

 public:
  /// Completes when every rank of both groups has entered.
  template <class How = throws_t>
  auto barrier(How&& how = {}, site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How>(how, where, coll::barrier_call{});
  }
  /// Sends the root's `buffer` to all ranks of the other group.
  template <class B, class How = throws_t>
  requires ReceiveBuffer<B&&> && BufferFits<B&&, How>
  auto bcast(B&& buffer, rank_t root, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return ended<How, data_of<B>>(how, where,
                                  coll::inter_bcast<Stack>{me().sides(), place_of(buffer), root},
                                  no_reduction(), written_but_at(buffer, root));
  }

  // --- Blocks ------------------------------------------------------------------------------------

  /// Gathers `in` of each rank of the other group into `out` at the root, in rank order.
  template <class In, class Out, class How = throws_t>
  requires SendBuffer<In> && ReceiveBuffer<Out&&> && BufferFits<Out&&, How>
  auto gather(const In& in, Out&& out, rank_t root, How&& how = {},
              site where = site::current()) const noexcept(stores_errors<How>) {
    const coll::blocks to = root == this_root ? equal_blocks(out) : coll::blocks();
    return ended<How, data_of<In>>(
        how, where, gathering{me().sides(), place_of(in), to, root, false}, no_reduction(),
        reads(in, root >= 0), writes(out, root == this_root));
  }
  /// Gathers `in` of each rank of the other group at the root.
  /// Requires:   `in` at the root has the same length as at the other group.
  /// Returns:    All blocks at the root; an empty vector at other ranks.
  template <class In, class How = throws_t>
  requires SendBuffer<In> && BlockingForm<How>
  std::vector<element_of_t<const In>> gather(const In& in, rank_t root, How&& how = {},
                                             site where = site::current()) const {
    std::vector<element_of_t<const In>> all;
    if (root == this_root &&
        !room<How>(all, product_of(elements_of(in), me().remote_size()), how, "gather", where))
      return all;
    gather(in, all, root, std::forward<How>(how), where);
    return all;
  }
  /// Gathers blocks of different lengths: counts[r] elements from rank r.
  template <class In, class Out, class C, class How = throws_t>
  requires SendBuffer<In> && ReceiveBuffer<Out&&> && Counts<C> && BufferFits<Out&&, How>
  auto gatherv(const In& in, Out&& out, const C& counts, rank_t root, How&& how = {},
               site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In>>(
        how, where, gathering{me().sides(), place_of(in), blocks_at(out, counts), root, true},
        no_reduction(), reads(in, root >= 0), writes(out, root == this_root));
  }
  /// Gathers blocks of different lengths. Block r begins at out[displacements[r]].
  template <class In, class Out, class C, class P, class How = throws_t>
  requires SendBuffer<In> && ReceiveBuffer<Out&&> && Counts<C> && Counts<P> &&
           BufferFits<Out&&, How>
  auto gatherv(const In& in, Out&& out, const C& counts, const P& displacements, rank_t root,
               How&& how = {}, site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In>>(
        how, where,
        gathering{me().sides(), place_of(in), blocks_at(out, counts, displacements), root, true},
        no_reduction(), reads(in, root >= 0), writes(out, root == this_root));
  }
  /// Gathers blocks into separate pieces of memory: that of rank r into out[r], which may have any
  /// layout. See collectives::gatherw.
  template <class In, class How = throws_t>
  requires SendBuffer<In>
  auto gatherw(const In& in, std::span<const memory> out, rank_t root, How&& how = {},
               site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How>(how, where, gathering{me().sides(), place_of(in), pieces_of(out), root, true},
                      no_reduction(), reads(in, root >= 0));
  }
  /// Gathers blocks of lengths that the root does not know.
  /// Returns:    All blocks at the root; an empty vector at other ranks.
  /// Cost:       Also a gather of the lengths.
  template <class In, class How = throws_t>
  requires SendBuffer<In> && BlockingForm<How>
  std::vector<element_of_t<const In>> gatherv(const In& in, rank_t root, How&& how = {},
                                              site where = site::current()) const {
    std::vector<element_of_t<const In>> all;
    second_call<Stack> next(me().both(where), {"gatherv", where});
    const auto counts = gather(static_cast<std::int64_t>(elements_of(in)), root, how, where);
    if (!well<How>(how)) return all;
    next.begins();
    if (!room<How>(all, sum_of(counts), how, "gatherv", where)) return all;
    gatherv(in, all, counts, root, std::forward<How>(how), where);
    return all;
  }

  /// Sends block r of `in` at the root to `out` of rank r of the other group.
  template <class In, class Out, class How = throws_t>
  requires SendBuffer<In> && ReceiveBuffer<Out&&> && BufferFits<Out&&, How>
  auto scatter(const In& in, Out&& out, rank_t root, How&& how = {},
               site where = site::current()) const noexcept(stores_errors<How>) {
    const coll::blocks from = root == this_root ? equal_blocks(in) : coll::blocks();
    return ended<How, data_of<In>>(
        how, where, scattering{me().sides(), from, place_of(out), root, false}, no_reduction(),
        reads(in, root == this_root), writes(out, root >= 0));
  }
  /// Scatters `in` at the root in equal blocks.
  /// Returns:    This rank's block; an empty vector in the root's group.
  /// Cost:       Also a bcast of its length.
  template <class In, class How = throws_t>
  requires ContiguousBuffer<const In&> && BlockingForm<How>
  std::vector<element_of_t<const In>> scatter(const In& in, rank_t root, How&& how = {},
                                              site where = site::current()) const {
    std::vector<element_of_t<const In>> mine;
    second_call<Stack> next(me().both(where), {"scatter", where});
    auto length = static_cast<std::int64_t>(elements_of(in) / remote());
    bcast(length, root, how, where);
    if (!well<How>(how)) return mine;
    next.begins();
    if (root >= 0 && !room<How>(mine, static_cast<std::size_t>(length), how, "scatter", where))
      return mine;
    scatter(in, mine, root, std::forward<How>(how), where);
    return mine;
  }
  /// Scatters blocks of different lengths: counts[r] elements to rank r.
  template <class In, class C, class Out, class How = throws_t>
  requires SendBuffer<In> && Counts<C> && ReceiveBuffer<Out&&> && BufferFits<Out&&, How>
  auto scatterv(const In& in, const C& counts, Out&& out, rank_t root, How&& how = {},
                site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In>>(
        how, where, scattering{me().sides(), blocks_at(in, counts), place_of(out), root, true},
        no_reduction(), reads(in, root == this_root), writes(out, root >= 0));
  }
  /// Scatters blocks of different lengths. Block r begins at in[displacements[r]].
  template <class In, class C, class P, class Out, class How = throws_t>
  requires SendBuffer<In> && Counts<C> && Counts<P> && ReceiveBuffer<Out&&> &&
           BufferFits<Out&&, How>
  auto scatterv(const In& in, const C& counts, const P& displacements, Out&& out, rank_t root,
                How&& how = {}, site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In>>(
        how, where,
        scattering{me().sides(), blocks_at(in, counts, displacements), place_of(out), root, true},
        no_reduction(), reads(in, root == this_root), writes(out, root >= 0));
  }

  /// Scatters separate pieces of memory: in[r] of the root, which may have any layout, to rank r.
  template <class Out, class How = throws_t>
  requires ReceiveBuffer<Out&&> && BufferFits<Out&&, How>
  auto scatterw(std::span<const memory> in, Out&& out, rank_t root, How&& how = {},
                site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How>(how, where,
                      scattering{me().sides(), pieces_of(in), place_of(out), root, true},
                      no_reduction(), writes(out, root >= 0));
  }

  /// Gathers `in` of each rank into `out` of all ranks of the other group, in rank order.
  template <class In, class Out, class How = throws_t>
  requires SendBuffer<In> && ReceiveBuffer<Out&&> && BufferFits<Out&&, How>
  auto allgather(const In& in, Out&& out, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return ended<How, data_of<In>>(how, where,
                                   gathering_all{me().sides(), place_of(in), equal_blocks(out)},
                                   no_reduction(), reads(in), writes(out));
  }
  /// Gathers `in` of each rank at all ranks of the other group.
  /// Requires:   `in` has the same length in both groups.
  /// Returns:    All blocks of the other group.
  template <class In, class How = throws_t>
  requires SendBuffer<In> && BlockingForm<How>
  std::vector<element_of_t<const In>> allgather(const In& in, How&& how = {},
                                                site where = site::current()) const {
    std::vector<element_of_t<const In>> all;
    if (!room<How>(all, product_of(elements_of(in), me().remote_size()), how, "allgather", where))
      return all;
    allgather(in, all, std::forward<How>(how), where);
    return all;
  }
  /// Gathers blocks of different lengths: counts[r] elements from rank r.
  template <class In, class Out, class C, class How = throws_t>
  requires SendBuffer<In> && ReceiveBuffer<Out&&> && Counts<C> &&
           (!Counts<How>) && BufferFits<Out&&, How>
  auto allgatherv(const In& in, Out&& out, const C& counts, How&& how = {},
                  site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In>>(
        how, where, gathering_all{me().sides(), place_of(in), blocks_at(out, counts)},
        no_reduction(), reads(in), writes(out));
  }
  /// Gathers blocks of different lengths. Block r begins at out[displacements[r]].
  template <class In, class Out, class C, class P, class How = throws_t>
  requires SendBuffer<In> && ReceiveBuffer<Out&&> && Counts<C> && Counts<P> &&
           BufferFits<Out&&, How>
  auto allgatherv(const In& in, Out&& out, const C& counts, const P& displacements, How&& how = {},
                  site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In>>(
        how, where,
        gathering_all{me().sides(), place_of(in), blocks_at(out, counts, displacements)},
        no_reduction(), reads(in), writes(out));
  }
  /// Gathers blocks into separate pieces of memory, as gatherw.
  template <class In, class How = throws_t>
  requires SendBuffer<In>
  auto allgatherw(const In& in, std::span<const memory> out, How&& how = {},
                  site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How>(how, where, gathering_all{me().sides(), place_of(in), pieces_of(out)},
                      no_reduction(), reads(in));
  }
  /// Gathers blocks, where no rank knows the lengths of the others.
  /// Returns:    All blocks of the other group.
  /// Cost:       Also an allgather of the lengths.
  template <class In, class How = throws_t>
  requires SendBuffer<In> && BlockingForm<How>
  std::vector<element_of_t<const In>> allgatherv(const In& in, How&& how = {},
                                                 site where = site::current()) const {
    std::vector<element_of_t<const In>> all;
    second_call<Stack> next(me().both(where), {"allgatherv", where});
    const auto counts = allgather(static_cast<std::int64_t>(elements_of(in)), how, where);
    if (!well<How>(how)) return all;
    next.begins();
    if (!room<How>(all, sum_of(counts), how, "allgatherv", where)) return all;
    allgatherv(in, all, counts, std::forward<How>(how), where);
    return all;
  }

  /// Sends block r of `in` to rank r of the other group, which stores it as block rank() of `out`.
  template <class In, class Out, class How = throws_t>
  requires SendBuffer<In> && ReceiveBuffer<Out&&> && BufferFits<Out&&, How>
  auto alltoall(const In& in, Out&& out, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return ended<How, data_of<In>>(how, where,
                                   to_all{me().sides(), equal_blocks(in), equal_blocks(out), false},
                                   no_reduction(), reads(in), writes(out));
  }
  /// Sends block r of `in` to rank r of the other group.
  /// Requires:   Blocks have the same length in both groups.
  /// Returns:    The blocks received, in rank order.
  template <class In, class How = throws_t>
  requires ContiguousBuffer<const In&> && BlockingForm<How>
  std::vector<element_of_t<const In>> alltoall(const In& in, How&& how = {},
                                               site where = site::current()) const {
    std::vector<element_of_t<const In>> all;
    if (!room<How>(all, elements_of(in), how, "alltoall", where)) return all;
    alltoall(in, all, std::forward<How>(how), where);
    return all;
  }
  /// Sends in_counts[r] elements to rank r, and receives out_counts[r] from it.
  template <class In, class C, class Out, class D, class How = throws_t>
  requires SendBuffer<In> && Counts<C> && ReceiveBuffer<Out&&> && Counts<D> &&
           BufferFits<Out&&, How>
  auto alltoallv(const In& in, const C& in_counts, Out&& out, const D& out_counts, How&& how = {},
                 site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In>>(
        how, where,
        to_all{me().sides(), blocks_at(in, in_counts), blocks_at(out, out_counts), true},
        no_reduction(), reads(in), writes(out));
  }
  /// As above; each block has a displacement of its own, in `in_displacements` and
  /// `out_displacements`.
  template <class In, class C, class P, class Out, class D, class Q, class How = throws_t>
  requires SendBuffer<In> && Counts<C> && Counts<P> && ReceiveBuffer<Out&&> && Counts<D> &&
           Counts<Q> && BufferFits<Out&&, How>
  auto alltoallv(const In& in, const C& in_counts, const P& in_displacements, Out&& out,
                 const D& out_counts, const Q& out_displacements, How&& how = {},
                 site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<How, data_of<In>>(how, where,
                                   to_all{me().sides(), blocks_at(in, in_counts, in_displacements),
                                          blocks_at(out, out_counts, out_displacements), true},
                                   no_reduction(), reads(in), writes(out));
  }
  /// Sends in_counts[r] elements to rank r, where no rank knows the lengths it will receive.
  /// Returns:    The blocks received, in rank order.
  /// Cost:       Also an alltoall of the lengths.
  template <class In, class C, class How = throws_t>
  requires ContiguousBuffer<const In&> && Counts<C> && BlockingForm<How>
  std::vector<element_of_t<const In>> alltoallv(const In& in, const C& in_counts, How&& how = {},
                                                site where = site::current()) const {
    std::vector<element_of_t<const In>> all;
    std::vector<std::int64_t> going;
    second_call<Stack> next(me().both(where), {"alltoallv", where});
    const coll::blocks from = blocks_at(in, in_counts);
    if (check_blocks(from, me().remote_size()).why != errc{}) {  // Reported before any exchange.
      ended<How>(how, where, to_all{me().sides(), from, {}, true});
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
  /// Requires:   One entry for each rank of the other group.
  template <class How = throws_t>
  auto alltoallw(std::span<const memory> in, std::span<const memory> out, How&& how = {},
                 site where = site::current()) const noexcept(stores_errors<How>) {
    const to_all call{me().sides(), pieces_of(in), pieces_of(out), true};
    return ended<How>(how, where, call);
  }

  // --- Reductions --------------------------------------------------------------------------------

  /// Combines the values of the ranks of the other group, in rank order unless `op` commutes.
  /// Returns:    For a value: the result at the root, `value` elsewhere. A range is the input, and
  ///             holds the result at the root. A started or prepared call treats a value as a
  ///             range.
  template <class V, class Op, class How = throws_t>
  requires Reducible<V&&> && Reduces<Op, V> && BufferFits<V&&, How>
  auto reduce(V&& value, Op op, rank_t root, How&& how = {}, site where = site::current()) const {
    return in_place_or_copied<How, V>(value, how, root == this_root, [&](const memory& m) {
      return ended<How>(how, where, coll::inter_reduce<Stack>{me().sides(), m, m, root},
                        reduction_of<V, Op>{op}, written_but_at(value, root));
    });
  }
  /// Combines as reduce does, from `in` into `out`.
  template <class In, class Out, class Op, class How = throws_t>
  requires ReducedBetween<In, Out&&> && Reduces<Op, In> && BufferFits<Out&&, How>
  auto reduce(const In& in, Out&& out, Op op, rank_t root, How&& how = {},
              site where = site::current()) const {
    return ended<How>(
        how, where, coll::inter_reduce<Stack>{me().sides(), place_of(in), place_of(out), root},
        reduction_of<const In, Op>{op}, reads(in, root >= 0), writes(out, root == this_root));
  }
  /// Combines as reduce does. Every rank gets the result of the other group's values.
  /// Requires:   Both groups pass the same number of elements.
  template <class V, class Op, class How = throws_t>
  requires Reducible<V&&> && Reduces<Op, V> && BufferFits<V&&, How>
  auto allreduce(V&& value, Op op, How&& how = {}, site where = site::current()) const {
    return in_place_or_copied<How, V>(value, how, true, [&](const memory& m) {
      return ended<How>(how, where, coll::inter_allreduce<Stack>{me().sides(), m, m},
                        reduction_of<V, Op>{op}, writes(value));
    });
  }
  /// Combines as allreduce does, from `in` into `out`, which have the same length.
  template <class In, class Out, class Op, class How = throws_t>
  requires ReducedBetween<In, Out&&> && Reduces<Op, In> && BufferFits<Out&&, How>
  auto allreduce(const In& in, Out&& out, Op op, How&& how = {},
                 site where = site::current()) const {
    return ended<How>(how, where,
                      coll::inter_allreduce<Stack>{me().sides(), place_of(in), place_of(out)},
                      reduction_of<const In, Op>{op}, reads(in), writes(out));
  }

  /// Combines as reduce does. Rank r of a group gets block r of the other group's result, of
  /// counts[r] elements.
  /// Requires:   Both groups pass the same number of elements. `counts` are those of this rank's
  ///             group, and their sum is the number of elements of `in`.
  template <class In, class Out, class C, class Op, class How = throws_t>
  requires ReducedBetween<In, Out&&> && Counts<C> && Reduces<Op, In> && BufferFits<Out&&, How>
  auto reduce_scatter(const In& in, Out&& out, const C& counts, Op op, How&& how = {},
                      site where = site::current()) const {
    return ended<How>(how, where, reduced_blocks(blocks_at(in, counts), out),
                      reduction_of<const In, Op>{op}, reads(in), writes(out));
  }
  /// As reduce_scatter with blocks of equal length, which is the length of `out`.
  template <class In, class Out, class Op, class How = throws_t>
  requires ReducedBetween<In, Out&&> && Reduces<Op, In> && BufferFits<Out&&, How>
  auto reduce_scatter_block(const In& in, Out&& out, Op op, How&& how = {},
                            site where = site::current()) const {
    const auto n = static_cast<std::size_t>(me().size());
    return ended<How>(how, where, reduced_blocks(equal_blocks(in, n), out),
                      reduction_of<const In, Op>{op}, reads(in), writes(out));
  }

 private:
  using gathering = coll::inter_gather<Stack>;
  using scattering = coll::inter_scatter<Stack>;
  using gathering_all = coll::inter_allgather<Stack>;
  using to_all = coll::inter_alltoall<Stack>;

  /// Element type of a call, for stacks that compare calls.
  template <class In>
  using data_of = typename call_mark<Stack>::template data<In, In>;
  template <class How, class Data = void, class What, class Op = no_reduction, class... Uses>
  [[MPX_ALWAYS_INLINE]] auto ended(std::remove_reference_t<How>& how, site where, const What& what,
                                   const Op& op = {}, const Uses&... uses) const
      noexcept(stores_errors<How>) {
    return finish_as(
        std::forward<How>(how),
        made_call<Stack, What, Op>(me().both(where), what, coll::algorithm::automatic, op,
                                   call_mark<Stack>::template of<Op, Data>(where), uses...),
        where);
  }
  /// Use of a buffer that is the root's input, or the place of a result.
  template <class B>
  auto written_but_at(const B& buffer, [[maybe_unused]] rank_t root) const noexcept {
    return writes(buffer, root != proc_null);
  }
  /// Resizes the result of the next collective: see `make_room`.
  template <class How, class T>
  bool room(std::vector<T>& all, std::size_t n, std::remove_reference_t<How>& how, const char* name,
            site where) const {
    return make_room<How, T, Stack>(all, n, me().both(where), how, {name, where});
  }
  std::size_t remote() const noexcept { return static_cast<std::size_t>(me().remote_size()); }
  /// Splits a buffer into `n` blocks of equal length.
  template <class B>
  static coll::blocks equal_blocks(const B& buffer, std::size_t n) noexcept {
    coll::blocks b = blocks_of(buffer);
    // With a layout, a block may be a part of an element.
    b.bytes = b.stride = LayoutBuffer<B> ? b.room / n : b.room / b.unit / n * b.unit;
    return b;
  }
  template <class B>
  coll::blocks equal_blocks(const B& buffer) const noexcept {
    return equal_blocks(buffer, remote());
  }
  template <class Out>
  auto reduced_blocks(const coll::blocks& in, Out& out) const noexcept {
    coll::inter_reduce_scatter<Stack> call{me().sides(), in, place_of(out)};
    call.mine = me().rank();
    return call;
  }
};

}  // namespace mpx::inline v0::detail
