// SPDX-License-Identifier: BSL-1.0
#pragma once
// Instances for the default stack that a program need not compile if it links mpx::compiled.
// Without that library this file declares nothing. The instances of optional headers are in their
// folders.

#include <source_location>

#include "mpx/coll/calls.hpp"
#include "mpx/config.hpp"
#include "mpx/environment.hpp"

namespace mpx::inline v0 {  // NOLINT(modernize-concat-nested-namespaces): the macros may be empty

// clang-format off
MPX_INSTANCE(class transport::detail::ring_fabric<transport::detail::shm_segment>)
MPX_INSTANCE(class transport::basic_shm<>)
MPX_INSTANCE(class detail::peers_component<stack<>, detail::endpoint<stack<>>>)
MPX_INSTANCE(class detail::outbox_component<stack<>, detail::endpoint<stack<>>>)
MPX_INSTANCE(class detail::inbox_component<stack<>, detail::endpoint<stack<>>>)
MPX_INSTANCE(class detail::rendezvous_component<stack<>, detail::endpoint<stack<>>>)
MPX_INSTANCE(class detail::progress_component<stack<>, detail::endpoint<stack<>>>)
MPX_INSTANCE(class detail::endpoint<stack<>>)
MPX_INSTANCE(class detail::point_to_point<stack<>>)
MPX_INSTANCE(class detail::maker<stack<>>)
MPX_INSTANCE(class detail::service_host_of<detail::endpoint<stack<>>>)
MPX_INSTANCE(class environment<stack<>>)

// All calls of one collective operation, for any types, run through one function.
namespace detail {
MPX_INSTANCE(errc run_collective(const point_to_point<stack<>>&, const coll::barrier_call&,
                                 coll::algorithm, const char*, std::source_location,
                                 outcome_of<stack<>>&))
MPX_INSTANCE(errc run_collective(const point_to_point<stack<>>&, const coll::bcast_call&,
                                 coll::algorithm, const char*, std::source_location,
                                 outcome_of<stack<>>&))
MPX_INSTANCE(errc run_collective(const point_to_point<stack<>>&, const coll::reduce_call&,
                                 coll::algorithm, const char*, std::source_location,
                                 outcome_of<stack<>>&))
MPX_INSTANCE(errc run_collective(const point_to_point<stack<>>&, const coll::allreduce_call&,
                                 coll::algorithm, const char*, std::source_location,
                                 outcome_of<stack<>>&))
MPX_INSTANCE(errc run_collective(const point_to_point<stack<>>&, const coll::gather_call&,
                                 coll::algorithm, const char*, std::source_location,
                                 outcome_of<stack<>>&))
MPX_INSTANCE(errc run_collective(const point_to_point<stack<>>&, const coll::scatter_call&,
                                 coll::algorithm, const char*, std::source_location,
                                 outcome_of<stack<>>&))
MPX_INSTANCE(errc run_collective(const point_to_point<stack<>>&, const coll::allgather_call&,
                                 coll::algorithm, const char*, std::source_location,
                                 outcome_of<stack<>>&))
MPX_INSTANCE(errc run_collective(const point_to_point<stack<>>&, const coll::alltoall_call&,
                                 coll::algorithm, const char*, std::source_location,
                                 outcome_of<stack<>>&))
MPX_INSTANCE(errc run_collective(const point_to_point<stack<>>&, const coll::reduce_scatter_call&,
                                 coll::algorithm, const char*, std::source_location,
                                 outcome_of<stack<>>&))
MPX_INSTANCE(errc run_collective(const point_to_point<stack<>>&, const coll::scan_call&,
                                 coll::algorithm, const char*, std::source_location,
                                 outcome_of<stack<>>&))
}  // namespace detail
// clang-format on

}  // namespace mpx::inline v0
