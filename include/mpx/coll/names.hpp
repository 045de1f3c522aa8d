// SPDX-License-Identifier: BSL-1.0
#pragma once
// MPI's names for collectives that are started or prepared. Each stands for one call of an
// operation, which documents the arguments. An optional std::error_code is the last argument.

#include <source_location>
#include <utility>

#include "mpx/comm/mpi_names.hpp"
#include "mpx/engine/requests/forms.hpp"

namespace mpx::inline v0::detail {

/// An argument that is no std::error_code.
template <class A>
concept NoForm = !is_code<A&&>;

/// MPI's names of a communicator's collectives. The communicator derives from this.
template <class Comm>
class collective_names {
  using site = std::source_location;
  [[MPX_ALWAYS_INLINE]] const Comm& me() const noexcept { return static_cast<const Comm&>(*this); }

 public:
  /// barrier with mpx::start. Source: MPI_Ibarrier.
  template <class How = start_t>
  requires OwnForm<How, start_t>
  auto ibarrier(How&& how = {}, site where = site::current()) const noexcept(stores_errors<How>) {
    return me().barrier(as_form<start_t>(how), where);
  }
  /// bcast with mpx::start. Source: MPI_Ibcast.
  template <class A, class How = start_t>
  requires OwnForm<How, start_t>
  auto ibcast(A&& buffer, rank_t root, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().bcast(std::forward<A>(buffer), root, as_form<start_t>(how), where);
  }
  /// gather with mpx::start. Source: MPI_Igather.
  template <class A, class B, class How = start_t>
  requires OwnForm<How, start_t>
  auto igather(A&& in, B&& out, rank_t root, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().gather(std::forward<A>(in), std::forward<B>(out), root, as_form<start_t>(how),
                       where);
  }
  /// gatherv with mpx::start. Source: MPI_Igatherv.
  template <class A, class B, class C, class How = start_t>
  requires OwnForm<How, start_t>
  auto igatherv(A&& in, B&& out, C&& counts, rank_t root, How&& how = {},
                site where = site::current()) const noexcept(stores_errors<How>) {
    return me().gatherv(std::forward<A>(in), std::forward<B>(out), std::forward<C>(counts), root,
                        as_form<start_t>(how), where);
  }
  /// gatherv with mpx::start. Source: MPI_Igatherv.
  template <class A, class B, class C, class D, class How = start_t>
  requires OwnForm<How, start_t>
  auto igatherv(A&& in, B&& out, C&& counts, D&& displacements, rank_t root, How&& how = {},
                site where = site::current()) const noexcept(stores_errors<How>) {
    return me().gatherv(std::forward<A>(in), std::forward<B>(out), std::forward<C>(counts),
                        std::forward<D>(displacements), root, as_form<start_t>(how), where);
  }
  /// scatter with mpx::start. Source: MPI_Iscatter.
  template <class A, class B, class How = start_t>
  requires OwnForm<How, start_t>
  auto iscatter(A&& in, B&& out, rank_t root, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().scatter(std::forward<A>(in), std::forward<B>(out), root, as_form<start_t>(how),
                        where);
  }
  /// scatterv with mpx::start. Source: MPI_Iscatterv.
  template <class A, class B, class C, class How = start_t>
  requires OwnForm<How, start_t>
  auto iscatterv(A&& in, B&& counts, C&& out, rank_t root, How&& how = {},
                 site where = site::current()) const noexcept(stores_errors<How>) {
    return me().scatterv(std::forward<A>(in), std::forward<B>(counts), std::forward<C>(out), root,
                         as_form<start_t>(how), where);
  }
  /// scatterv with mpx::start. Source: MPI_Iscatterv.
  template <class A, class B, class C, class D, class How = start_t>
  requires OwnForm<How, start_t>
  auto iscatterv(A&& in, B&& counts, C&& displacements, D&& out, rank_t root, How&& how = {},
                 site where = site::current()) const noexcept(stores_errors<How>) {
    return me().scatterv(std::forward<A>(in), std::forward<B>(counts),
                         std::forward<C>(displacements), std::forward<D>(out), root,
                         as_form<start_t>(how), where);
  }
  /// allgather with mpx::start. Source: MPI_Iallgather.
  template <class A, class B, class How = start_t>
  requires OwnForm<How, start_t> && NoForm<B>
  auto iallgather(A&& in, B&& out, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().allgather(std::forward<A>(in), std::forward<B>(out), as_form<start_t>(how), where);
  }
  /// allgatherv with mpx::start. Source: MPI_Iallgatherv.
  template <class A, class B, class C, class How = start_t>
  requires OwnForm<How, start_t> && NoForm<C>
  auto iallgatherv(A&& in, B&& out, C&& counts, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().allgatherv(std::forward<A>(in), std::forward<B>(out), std::forward<C>(counts),
                           as_form<start_t>(how), where);
  }
  /// allgatherv with mpx::start. Source: MPI_Iallgatherv.
  template <class A, class B, class C, class D, class How = start_t>
  requires OwnForm<How, start_t> && NoForm<D>
  auto iallgatherv(A&& in, B&& out, C&& counts, D&& displacements, How&& how = {},
                   site where = site::current()) const noexcept(stores_errors<How>) {
    return me().allgatherv(std::forward<A>(in), std::forward<B>(out), std::forward<C>(counts),
                           std::forward<D>(displacements), as_form<start_t>(how), where);
  }
  /// alltoall with mpx::start. Source: MPI_Ialltoall.
  template <class A, class B, class How = start_t>
  requires OwnForm<How, start_t> && NoForm<B>
  auto ialltoall(A&& in, B&& out, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().alltoall(std::forward<A>(in), std::forward<B>(out), as_form<start_t>(how), where);
  }
  /// alltoallv with mpx::start. Source: MPI_Ialltoallv.
  template <class A, class B, class C, class D, class How = start_t>
  requires OwnForm<How, start_t> && NoForm<D>
  auto ialltoallv(A&& in, B&& in_counts, C&& out, D&& out_counts, How&& how = {},
                  site where = site::current()) const noexcept(stores_errors<How>) {
    return me().alltoallv(std::forward<A>(in), std::forward<B>(in_counts), std::forward<C>(out),
                          std::forward<D>(out_counts), as_form<start_t>(how), where);
  }
  /// alltoallv with mpx::start. Source: MPI_Ialltoallv.
  template <class A, class B, class C, class D, class E, class F, class How = start_t>
  requires OwnForm<How, start_t> && NoForm<F>
  auto ialltoallv(A&& in, B&& in_counts, C&& in_displacements, D&& out, E&& out_counts,
                  F&& out_displacements, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().alltoallv(std::forward<A>(in), std::forward<B>(in_counts),
                          std::forward<C>(in_displacements), std::forward<D>(out),
                          std::forward<E>(out_counts), std::forward<F>(out_displacements),
                          as_form<start_t>(how), where);
  }
  /// alltoallw with mpx::start. Source: MPI_Ialltoallw.
  template <class A, class B, class How = start_t>
  requires OwnForm<How, start_t> && NoForm<B>
  auto ialltoallw(A&& in, B&& out, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().alltoallw(std::forward<A>(in), std::forward<B>(out), as_form<start_t>(how), where);
  }
  /// reduce with mpx::start. Source: MPI_Ireduce.
  template <class A, class B, class How = start_t>
  requires OwnForm<How, start_t>
  auto ireduce(A&& value, B&& op, rank_t root, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().reduce(std::forward<A>(value), std::forward<B>(op), root, as_form<start_t>(how),
                       where);
  }
  /// reduce with mpx::start. Source: MPI_Ireduce.
  template <class A, class B, class C, class How = start_t>
  requires OwnForm<How, start_t>
  auto ireduce(A&& in, B&& out, C&& op, rank_t root, How&& how = {},
               site where = site::current()) const noexcept(stores_errors<How>) {
    return me().reduce(std::forward<A>(in), std::forward<B>(out), std::forward<C>(op), root,
                       as_form<start_t>(how), where);
  }
  /// allreduce with mpx::start. Source: MPI_Iallreduce.
  template <class A, class B, class How = start_t>
  requires OwnForm<How, start_t> && NoForm<B>
  auto iallreduce(A&& value, B&& op, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().allreduce(std::forward<A>(value), std::forward<B>(op), as_form<start_t>(how),
                          where);
  }
  /// allreduce with mpx::start. Source: MPI_Iallreduce.
  template <class A, class B, class C, class How = start_t>
  requires OwnForm<How, start_t> && NoForm<C>
  auto iallreduce(A&& in, B&& out, C&& op, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().allreduce(std::forward<A>(in), std::forward<B>(out), std::forward<C>(op),
                          as_form<start_t>(how), where);
  }
  /// reduce_scatter with mpx::start. Source: MPI_Ireduce_scatter.
  template <class A, class B, class C, class D, class How = start_t>
  requires OwnForm<How, start_t> && NoForm<D>
  auto ireduce_scatter(A&& in, B&& out, C&& counts, D&& op, How&& how = {},
                       site where = site::current()) const noexcept(stores_errors<How>) {
    return me().reduce_scatter(std::forward<A>(in), std::forward<B>(out), std::forward<C>(counts),
                               std::forward<D>(op), as_form<start_t>(how), where);
  }
  /// reduce_scatter_block with mpx::start. Source: MPI_Ireduce_scatter_block.
  template <class A, class B, class C, class How = start_t>
  requires OwnForm<How, start_t> && NoForm<C>
  auto ireduce_scatter_block(A&& in, B&& out, C&& op, How&& how = {},
                             site where = site::current()) const noexcept(stores_errors<How>) {
    return me().reduce_scatter_block(std::forward<A>(in), std::forward<B>(out), std::forward<C>(op),
                                     as_form<start_t>(how), where);
  }
  /// scan with mpx::start. Source: MPI_Iscan.
  template <class A, class B, class How = start_t>
  requires OwnForm<How, start_t> && NoForm<B>
  auto iscan(A&& value, B&& op, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().scan(std::forward<A>(value), std::forward<B>(op), as_form<start_t>(how), where);
  }
  /// scan with mpx::start. Source: MPI_Iscan.
  template <class A, class B, class C, class How = start_t>
  requires OwnForm<How, start_t> && NoForm<C>
  auto iscan(A&& in, B&& out, C&& op, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().scan(std::forward<A>(in), std::forward<B>(out), std::forward<C>(op),
                     as_form<start_t>(how), where);
  }
  /// exscan with mpx::start. Source: MPI_Iexscan.
  template <class A, class B, class How = start_t>
  requires OwnForm<How, start_t> && NoForm<B>
  auto iexscan(A&& value, B&& op, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().exscan(std::forward<A>(value), std::forward<B>(op), as_form<start_t>(how), where);
  }
  /// exscan with mpx::start. Source: MPI_Iexscan.
  template <class A, class B, class C, class How = start_t>
  requires OwnForm<How, start_t> && NoForm<C>
  auto iexscan(A&& in, B&& out, C&& op, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().exscan(std::forward<A>(in), std::forward<B>(out), std::forward<C>(op),
                       as_form<start_t>(how), where);
  }
  /// barrier with mpx::prepare. Source: MPI_Barrier_init.
  template <class How = prepare_t>
  requires OwnForm<How, prepare_t>
  auto barrier_init(How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().barrier(as_form<prepare_t>(how), where);
  }
  /// bcast with mpx::prepare. Source: MPI_Bcast_init.
  template <class A, class How = prepare_t>
  requires OwnForm<How, prepare_t>
  auto bcast_init(A&& buffer, rank_t root, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().bcast(std::forward<A>(buffer), root, as_form<prepare_t>(how), where);
  }
  /// gather with mpx::prepare. Source: MPI_Gather_init.
  template <class A, class B, class How = prepare_t>
  requires OwnForm<How, prepare_t>
  auto gather_init(A&& in, B&& out, rank_t root, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().gather(std::forward<A>(in), std::forward<B>(out), root, as_form<prepare_t>(how),
                       where);
  }
  /// gatherv with mpx::prepare. Source: MPI_Gatherv_init.
  template <class A, class B, class C, class How = prepare_t>
  requires OwnForm<How, prepare_t>
  auto gatherv_init(A&& in, B&& out, C&& counts, rank_t root, How&& how = {},
                    site where = site::current()) const noexcept(stores_errors<How>) {
    return me().gatherv(std::forward<A>(in), std::forward<B>(out), std::forward<C>(counts), root,
                        as_form<prepare_t>(how), where);
  }
  /// gatherv with mpx::prepare. Source: MPI_Gatherv_init.
  template <class A, class B, class C, class D, class How = prepare_t>
  requires OwnForm<How, prepare_t>
  auto gatherv_init(A&& in, B&& out, C&& counts, D&& displacements, rank_t root, How&& how = {},
                    site where = site::current()) const noexcept(stores_errors<How>) {
    return me().gatherv(std::forward<A>(in), std::forward<B>(out), std::forward<C>(counts),
                        std::forward<D>(displacements), root, as_form<prepare_t>(how), where);
  }
  /// scatter with mpx::prepare. Source: MPI_Scatter_init.
  template <class A, class B, class How = prepare_t>
  requires OwnForm<How, prepare_t>
  auto scatter_init(A&& in, B&& out, rank_t root, How&& how = {},
                    site where = site::current()) const noexcept(stores_errors<How>) {
    return me().scatter(std::forward<A>(in), std::forward<B>(out), root, as_form<prepare_t>(how),
                        where);
  }
  /// scatterv with mpx::prepare. Source: MPI_Scatterv_init.
  template <class A, class B, class C, class How = prepare_t>
  requires OwnForm<How, prepare_t>
  auto scatterv_init(A&& in, B&& counts, C&& out, rank_t root, How&& how = {},
                     site where = site::current()) const noexcept(stores_errors<How>) {
    return me().scatterv(std::forward<A>(in), std::forward<B>(counts), std::forward<C>(out), root,
                         as_form<prepare_t>(how), where);
  }
  /// scatterv with mpx::prepare. Source: MPI_Scatterv_init.
  template <class A, class B, class C, class D, class How = prepare_t>
  requires OwnForm<How, prepare_t>
  auto scatterv_init(A&& in, B&& counts, C&& displacements, D&& out, rank_t root, How&& how = {},
                     site where = site::current()) const noexcept(stores_errors<How>) {
    return me().scatterv(std::forward<A>(in), std::forward<B>(counts),
                         std::forward<C>(displacements), std::forward<D>(out), root,
                         as_form<prepare_t>(how), where);
  }
  /// allgather with mpx::prepare. Source: MPI_Allgather_init.
  template <class A, class B, class How = prepare_t>
  requires OwnForm<How, prepare_t> && NoForm<B>
  auto allgather_init(A&& in, B&& out, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().allgather(std::forward<A>(in), std::forward<B>(out), as_form<prepare_t>(how),
                          where);
  }
  /// allgatherv with mpx::prepare. Source: MPI_Allgatherv_init.
  template <class A, class B, class C, class How = prepare_t>
  requires OwnForm<How, prepare_t> && NoForm<C>
  auto allgatherv_init(A&& in, B&& out, C&& counts, How&& how = {},
                       site where = site::current()) const noexcept(stores_errors<How>) {
    return me().allgatherv(std::forward<A>(in), std::forward<B>(out), std::forward<C>(counts),
                           as_form<prepare_t>(how), where);
  }
  /// allgatherv with mpx::prepare. Source: MPI_Allgatherv_init.
  template <class A, class B, class C, class D, class How = prepare_t>
  requires OwnForm<How, prepare_t> && NoForm<D>
  auto allgatherv_init(A&& in, B&& out, C&& counts, D&& displacements, How&& how = {},
                       site where = site::current()) const noexcept(stores_errors<How>) {
    return me().allgatherv(std::forward<A>(in), std::forward<B>(out), std::forward<C>(counts),
                           std::forward<D>(displacements), as_form<prepare_t>(how), where);
  }
  /// alltoall with mpx::prepare. Source: MPI_Alltoall_init.
  template <class A, class B, class How = prepare_t>
  requires OwnForm<How, prepare_t> && NoForm<B>
  auto alltoall_init(A&& in, B&& out, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().alltoall(std::forward<A>(in), std::forward<B>(out), as_form<prepare_t>(how), where);
  }
  /// alltoallv with mpx::prepare. Source: MPI_Alltoallv_init.
  template <class A, class B, class C, class D, class How = prepare_t>
  requires OwnForm<How, prepare_t> && NoForm<D>
  auto alltoallv_init(A&& in, B&& in_counts, C&& out, D&& out_counts, How&& how = {},
                      site where = site::current()) const noexcept(stores_errors<How>) {
    return me().alltoallv(std::forward<A>(in), std::forward<B>(in_counts), std::forward<C>(out),
                          std::forward<D>(out_counts), as_form<prepare_t>(how), where);
  }
  /// alltoallv with mpx::prepare. Source: MPI_Alltoallv_init.
  template <class A, class B, class C, class D, class E, class F, class How = prepare_t>
  requires OwnForm<How, prepare_t> && NoForm<F>
  auto alltoallv_init(A&& in, B&& in_counts, C&& in_displacements, D&& out, E&& out_counts,
                      F&& out_displacements, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().alltoallv(std::forward<A>(in), std::forward<B>(in_counts),
                          std::forward<C>(in_displacements), std::forward<D>(out),
                          std::forward<E>(out_counts), std::forward<F>(out_displacements),
                          as_form<prepare_t>(how), where);
  }
  /// alltoallw with mpx::prepare. Source: MPI_Alltoallw_init.
  template <class A, class B, class How = prepare_t>
  requires OwnForm<How, prepare_t> && NoForm<B>
  auto alltoallw_init(A&& in, B&& out, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().alltoallw(std::forward<A>(in), std::forward<B>(out), as_form<prepare_t>(how),
                          where);
  }
  /// reduce with mpx::prepare. Source: MPI_Reduce_init.
  template <class A, class B, class How = prepare_t>
  requires OwnForm<How, prepare_t>
  auto reduce_init(A&& value, B&& op, rank_t root, How&& how = {},
                   site where = site::current()) const noexcept(stores_errors<How>) {
    return me().reduce(std::forward<A>(value), std::forward<B>(op), root, as_form<prepare_t>(how),
                       where);
  }
  /// reduce with mpx::prepare. Source: MPI_Reduce_init.
  template <class A, class B, class C, class How = prepare_t>
  requires OwnForm<How, prepare_t>
  auto reduce_init(A&& in, B&& out, C&& op, rank_t root, How&& how = {},
                   site where = site::current()) const noexcept(stores_errors<How>) {
    return me().reduce(std::forward<A>(in), std::forward<B>(out), std::forward<C>(op), root,
                       as_form<prepare_t>(how), where);
  }
  /// allreduce with mpx::prepare. Source: MPI_Allreduce_init.
  template <class A, class B, class How = prepare_t>
  requires OwnForm<How, prepare_t> && NoForm<B>
  auto allreduce_init(A&& value, B&& op, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().allreduce(std::forward<A>(value), std::forward<B>(op), as_form<prepare_t>(how),
                          where);
  }
  /// allreduce with mpx::prepare. Source: MPI_Allreduce_init.
  template <class A, class B, class C, class How = prepare_t>
  requires OwnForm<How, prepare_t> && NoForm<C>
  auto allreduce_init(A&& in, B&& out, C&& op, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().allreduce(std::forward<A>(in), std::forward<B>(out), std::forward<C>(op),
                          as_form<prepare_t>(how), where);
  }
  /// reduce_scatter with mpx::prepare. Source: MPI_Reduce_scatter_init.
  template <class A, class B, class C, class D, class How = prepare_t>
  requires OwnForm<How, prepare_t> && NoForm<D>
  auto reduce_scatter_init(A&& in, B&& out, C&& counts, D&& op, How&& how = {},
                           site where = site::current()) const noexcept(stores_errors<How>) {
    return me().reduce_scatter(std::forward<A>(in), std::forward<B>(out), std::forward<C>(counts),
                               std::forward<D>(op), as_form<prepare_t>(how), where);
  }
  /// reduce_scatter_block with mpx::prepare. Source: MPI_Reduce_scatter_block_init.
  template <class A, class B, class C, class How = prepare_t>
  requires OwnForm<How, prepare_t> && NoForm<C>
  auto reduce_scatter_block_init(A&& in, B&& out, C&& op, How&& how = {},
                                 site where = site::current()) const noexcept(stores_errors<How>) {
    return me().reduce_scatter_block(std::forward<A>(in), std::forward<B>(out), std::forward<C>(op),
                                     as_form<prepare_t>(how), where);
  }
  /// scan with mpx::prepare. Source: MPI_Scan_init.
  template <class A, class B, class How = prepare_t>
  requires OwnForm<How, prepare_t> && NoForm<B>
  auto scan_init(A&& value, B&& op, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().scan(std::forward<A>(value), std::forward<B>(op), as_form<prepare_t>(how), where);
  }
  /// scan with mpx::prepare. Source: MPI_Scan_init.
  template <class A, class B, class C, class How = prepare_t>
  requires OwnForm<How, prepare_t> && NoForm<C>
  auto scan_init(A&& in, B&& out, C&& op, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().scan(std::forward<A>(in), std::forward<B>(out), std::forward<C>(op),
                     as_form<prepare_t>(how), where);
  }
  /// exscan with mpx::prepare. Source: MPI_Exscan_init.
  template <class A, class B, class How = prepare_t>
  requires OwnForm<How, prepare_t> && NoForm<B>
  auto exscan_init(A&& value, B&& op, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().exscan(std::forward<A>(value), std::forward<B>(op), as_form<prepare_t>(how), where);
  }
  /// exscan with mpx::prepare. Source: MPI_Exscan_init.
  template <class A, class B, class C, class How = prepare_t>
  requires OwnForm<How, prepare_t> && NoForm<C>
  auto exscan_init(A&& in, B&& out, C&& op, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().exscan(std::forward<A>(in), std::forward<B>(out), std::forward<C>(op),
                       as_form<prepare_t>(how), where);
  }
};

}  // namespace mpx::inline v0::detail
