// SPDX-License-Identifier: BSL-1.0
#pragma once
// Which algorithm was fastest in the simulator, or nearly so: by bench/algorithms.py --policy.

#include <cstddef>

#include "mpx/engine/collective_question.hpp"

namespace mpx::inline v0::coll {

/// How the ranks of a call are spread over nodes.
enum class spread : std::uint8_t {
  far,   // Each has its own;
  near,  // all are on one;
  few,   // some are on each;
  many,  // many are.
};

/// The choice for calls of up to so many ranks and bytes, where no entry before it is.
struct table_entry {
  operation of;
  spread over;
  rank_t ranks;
  std::size_t bytes;
  algorithm by;
};

inline constexpr rank_t any_ranks = 0x7fff'ffff;
inline constexpr std::size_t any_bytes = static_cast<std::size_t>(-1);

/// By operation, spread, bytes and ranks.
inline constexpr table_entry collective_table[] = {
    // clang-format off
    {operation::allgather, spread::far, any_ranks, 8192, algorithm::bruck},
    {operation::allgather, spread::far, 11, 32768, algorithm::ring},
    {operation::allgather, spread::far, any_ranks, 32768, algorithm::bruck},
    {operation::allgather, spread::far, any_ranks, any_bytes, algorithm::bruck},
    {operation::allgather, spread::near, any_ranks, 2048, algorithm::bruck},
    {operation::allgather, spread::near, 11, 8192, algorithm::bruck},
    {operation::allgather, spread::near, any_ranks, 8192, algorithm::ring},
    {operation::allgather, spread::near, any_ranks, any_bytes, algorithm::ring},
    {operation::allgather, spread::few, any_ranks, 90, algorithm::node_parts},
    {operation::allgather, spread::few, 724, 4096, algorithm::node_parts},
    {operation::allgather, spread::few, any_ranks, 4096, algorithm::recursive_doubling},
    {operation::allgather, spread::few, 362, any_bytes, algorithm::ring},
    {operation::allgather, spread::few, any_ranks, any_bytes, algorithm::recursive_doubling},
    {operation::allgather, spread::many, any_ranks, 4096, algorithm::node_parts},
    {operation::allgather, spread::many, 362, any_bytes, algorithm::ring},
    {operation::allgather, spread::many, any_ranks, any_bytes, algorithm::recursive_doubling},
    {operation::allreduce, spread::far, any_ranks, 32768, algorithm::recursive_doubling},
    {operation::allreduce, spread::far, 2, 131072, algorithm::recursive_doubling},
    {operation::allreduce, spread::far, 5, 131072, algorithm::pairwise},
    {operation::allreduce, spread::far, any_ranks, 131072, algorithm::recursive_halving},
    {operation::allreduce, spread::far, 22, 524288, algorithm::recursive_doubling},
    {operation::allreduce, spread::far, any_ranks, 524288, algorithm::recursive_halving},
    {operation::allreduce, spread::far, 2, any_bytes, algorithm::recursive_doubling},
    {operation::allreduce, spread::far, any_ranks, any_bytes, algorithm::recursive_halving},
    {operation::allreduce, spread::near, any_ranks, 2048, algorithm::recursive_doubling},
    {operation::allreduce, spread::near, 2, 32768, algorithm::recursive_doubling},
    {operation::allreduce, spread::near, any_ranks, 32768, algorithm::recursive_halving},
    {operation::allreduce, spread::near, 45, 131072, algorithm::pairwise},
    {operation::allreduce, spread::near, any_ranks, 131072, algorithm::recursive_halving},
    {operation::allreduce, spread::near, any_ranks, any_bytes, algorithm::pairwise},
    {operation::allreduce, spread::few, any_ranks, 16384, algorithm::recursive_doubling},
    {operation::allreduce, spread::few, any_ranks, 262144, algorithm::node_parts},
    {operation::allreduce, spread::few, 45, any_bytes, algorithm::node_parts},
    {operation::allreduce, spread::few, any_ranks, any_bytes, algorithm::ring},
    {operation::allreduce, spread::many, any_ranks, 181, algorithm::recursive_doubling},
    {operation::allreduce, spread::many, any_ranks, any_bytes, algorithm::node_parts},
    {operation::alltoall, spread::far, 90, 128, algorithm::linear},
    {operation::alltoall, spread::far, any_ranks, 128, algorithm::bruck},
    {operation::alltoall, spread::far, 90, 512, algorithm::linear},
    {operation::alltoall, spread::far, 181, 512, algorithm::bruck},
    {operation::alltoall, spread::far, any_ranks, 512, algorithm::linear},
    {operation::alltoall, spread::far, any_ranks, any_bytes, algorithm::linear},
    {operation::alltoall, spread::near, 11, 128, algorithm::linear},
    {operation::alltoall, spread::near, any_ranks, 128, algorithm::bruck},
    {operation::alltoall, spread::near, any_ranks, any_bytes, algorithm::linear},
    {operation::alltoall, spread::few, any_ranks, 4096, algorithm::node_parts},
    {operation::alltoall, spread::few, any_ranks, any_bytes, algorithm::linear},
    {operation::alltoall, spread::many, any_ranks, 4096, algorithm::node_parts},
    {operation::alltoall, spread::many, any_ranks, any_bytes, algorithm::linear},
    {operation::barrier, spread::far, any_ranks, any_bytes, algorithm::dissemination},
    {operation::barrier, spread::near, any_ranks, any_bytes, algorithm::dissemination},
    {operation::barrier, spread::few, any_ranks, any_bytes, algorithm::recursive_doubling},
    {operation::barrier, spread::many, any_ranks, any_bytes, algorithm::recursive_doubling},
    {operation::bcast, spread::far, 45, 8192, algorithm::linear},
    {operation::bcast, spread::far, any_ranks, 8192, algorithm::knomial},
    {operation::bcast, spread::far, 11, 131072, algorithm::linear},
    {operation::bcast, spread::far, any_ranks, 131072, algorithm::knomial},
    {operation::bcast, spread::far, any_ranks, any_bytes, algorithm::binomial},
    {operation::bcast, spread::near, any_ranks, 8192, algorithm::binomial},
    {operation::bcast, spread::near, 45, 32768, algorithm::scatter_allgather},
    {operation::bcast, spread::near, any_ranks, 32768, algorithm::binomial},
    {operation::bcast, spread::near, 2, 131072, algorithm::linear},
    {operation::bcast, spread::near, any_ranks, 131072, algorithm::scatter_allgather},
    {operation::bcast, spread::near, 11, 524288, algorithm::binomial},
    {operation::bcast, spread::near, any_ranks, 524288, algorithm::scatter_allgather},
    {operation::bcast, spread::near, 5, any_bytes, algorithm::binomial},
    {operation::bcast, spread::near, 22, any_bytes, algorithm::chain},
    {operation::bcast, spread::near, any_ranks, any_bytes, algorithm::scatter_allgather},
    {operation::bcast, spread::few, any_ranks, 181, algorithm::leaders},
    {operation::bcast, spread::few, any_ranks, 262144, algorithm::node_parts},
    {operation::bcast, spread::few, 45, any_bytes, algorithm::node_parts},
    {operation::bcast, spread::few, any_ranks, any_bytes, algorithm::scatter_allgather},
    {operation::bcast, spread::many, any_ranks, 16384, algorithm::leaders},
    {operation::bcast, spread::many, any_ranks, any_bytes, algorithm::node_parts},
    {operation::gather, spread::far, 181, 512, algorithm::linear},
    {operation::gather, spread::far, any_ranks, 512, algorithm::binomial},
    {operation::gather, spread::far, 362, 2048, algorithm::linear},
    {operation::gather, spread::far, any_ranks, 2048, algorithm::binomial},
    {operation::gather, spread::far, any_ranks, any_bytes, algorithm::linear},
    {operation::gather, spread::near, 5, 512, algorithm::linear},
    {operation::gather, spread::near, any_ranks, 512, algorithm::binomial},
    {operation::gather, spread::near, any_ranks, any_bytes, algorithm::linear},
    {operation::gather, spread::few, 1448, 90, algorithm::leaders},
    {operation::gather, spread::few, any_ranks, 90, algorithm::binomial},
    {operation::gather, spread::few, any_ranks, 4096, algorithm::leaders},
    {operation::gather, spread::few, any_ranks, any_bytes, algorithm::linear},
    {operation::gather, spread::many, any_ranks, 90, algorithm::leaders},
    {operation::gather, spread::many, 181, any_bytes, algorithm::linear},
    {operation::gather, spread::many, any_ranks, any_bytes, algorithm::leaders},
    {operation::reduce, spread::far, any_ranks, 32768, algorithm::binomial},
    {operation::reduce, spread::far, 2, 131072, algorithm::binomial},
    {operation::reduce, spread::far, 11, 131072, algorithm::pairwise},
    {operation::reduce, spread::far, any_ranks, 131072, algorithm::binomial},
    {operation::reduce, spread::far, 11, 524288, algorithm::binomial},
    {operation::reduce, spread::far, 45, 524288, algorithm::pairwise},
    {operation::reduce, spread::far, any_ranks, 524288, algorithm::binomial},
    {operation::reduce, spread::far, 5, any_bytes, algorithm::binomial},
    {operation::reduce, spread::far, 22, any_bytes, algorithm::pairwise},
    {operation::reduce, spread::far, 45, any_bytes, algorithm::binomial},
    {operation::reduce, spread::far, 181, any_bytes, algorithm::pairwise},
    {operation::reduce, spread::far, any_ranks, any_bytes, algorithm::binomial},
    {operation::reduce, spread::near, any_ranks, 8192, algorithm::binomial},
    {operation::reduce, spread::near, 45, 32768, algorithm::pairwise},
    {operation::reduce, spread::near, any_ranks, 32768, algorithm::binomial},
    {operation::reduce, spread::near, 2, any_bytes, algorithm::binomial},
    {operation::reduce, spread::near, any_ranks, any_bytes, algorithm::pairwise},
    {operation::reduce, spread::few, any_ranks, 181, algorithm::binomial},
    {operation::reduce, spread::few, any_ranks, any_bytes, algorithm::node_parts},
    {operation::reduce, spread::many, any_ranks, 16384, algorithm::binomial},
    {operation::reduce, spread::many, any_ranks, any_bytes, algorithm::node_parts},
    {operation::reduce_scatter, spread::far, any_ranks, 32768, algorithm::recursive_halving},
    {operation::reduce_scatter, spread::far, 5, 131072, algorithm::pairwise},
    {operation::reduce_scatter, spread::far, any_ranks, 131072, algorithm::recursive_halving},
    {operation::reduce_scatter, spread::far, any_ranks, any_bytes, algorithm::recursive_halving},
    {operation::reduce_scatter, spread::near, any_ranks, 8192, algorithm::recursive_halving},
    {operation::reduce_scatter, spread::near, 11, 32768, algorithm::pairwise},
    {operation::reduce_scatter, spread::near, any_ranks, 32768, algorithm::recursive_halving},
    {operation::reduce_scatter, spread::near, 45, 131072, algorithm::pairwise},
    {operation::reduce_scatter, spread::near, any_ranks, 131072, algorithm::recursive_halving},
    {operation::reduce_scatter, spread::near, any_ranks, any_bytes, algorithm::pairwise},
    {operation::reduce_scatter, spread::few, any_ranks, 262144, algorithm::node_parts},
    {operation::reduce_scatter, spread::few, 45, any_bytes, algorithm::recursive_halving},
    {operation::reduce_scatter, spread::few, 181, any_bytes, algorithm::ring},
    {operation::reduce_scatter, spread::few, any_ranks, any_bytes, algorithm::recursive_halving},
    {operation::reduce_scatter, spread::many, any_ranks, any_bytes, algorithm::node_parts},
    {operation::scatter, spread::far, 181, 512, algorithm::linear},
    {operation::scatter, spread::far, any_ranks, 512, algorithm::binomial},
    {operation::scatter, spread::far, 362, 2048, algorithm::linear},
    {operation::scatter, spread::far, any_ranks, 2048, algorithm::binomial},
    {operation::scatter, spread::far, 1448, any_bytes, algorithm::linear},
    {operation::scatter, spread::far, any_ranks, any_bytes, algorithm::binomial},
    {operation::scatter, spread::near, any_ranks, 128, algorithm::binomial},
    {operation::scatter, spread::near, 11, 512, algorithm::linear},
    {operation::scatter, spread::near, any_ranks, 512, algorithm::binomial},
    {operation::scatter, spread::near, any_ranks, any_bytes, algorithm::linear},
    {operation::scatter, spread::few, 1448, 90, algorithm::leaders},
    {operation::scatter, spread::few, any_ranks, 90, algorithm::binomial},
    {operation::scatter, spread::few, any_ranks, 4096, algorithm::leaders},
    {operation::scatter, spread::few, 1448, any_bytes, algorithm::linear},
    {operation::scatter, spread::few, any_ranks, any_bytes, algorithm::leaders},
    {operation::scatter, spread::many, any_ranks, 90, algorithm::leaders},
    {operation::scatter, spread::many, 181, any_bytes, algorithm::linear},
    {operation::scatter, spread::many, any_ranks, any_bytes, algorithm::leaders},
    // clang-format on
};

}  // namespace mpx::inline v0::coll
