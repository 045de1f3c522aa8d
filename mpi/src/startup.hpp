// SPDX-License-Identifier: BSL-1.0
#pragma once
// Parts of start and end that other source files own.

#include "objects.hpp"

namespace mpx_mpi {

/// Makes the predefined datatypes, once.
void make_predefined_types();
/// Calls the delete functions of attributes, the last one set first. Throws the code of the first
/// function that fails, and keeps the attributes that are left.
void drop_attributes(attribute_list& all, MPI_Comm of);
void drop_attributes(attribute_list& all, MPI_Win of);
void drop_attributes(attribute_list& all, MPI_Datatype of);
/// Copies the attributes of `of` to its duplicate, by their copy functions. Throws the code of the
/// first function that fails.
void copy_attributes(const attribute_list& from, attribute_list& to, MPI_Comm of);
void copy_attributes(const attribute_list& from, attribute_list& to, MPI_Datatype of);

/// Adds the counters of the job, which ends, to those of earlier jobs. Requires: lib().job_lock is held.
void keep_tool_counters();

/// Bytes to which memory of MPI_Alloc_mem and MPI_Win_allocate is aligned without a hint, and at most.
inline constexpr std::size_t default_alignment = 64;
inline constexpr std::size_t alignment_max = std::size_t{1} << 30;
/// The alignment that the hint mpi_minimum_memory_alignment asks for, at least the default. Errors:
/// MPI_ERR_INFO_VALUE.
std::size_t alignment_of(MPI_Info info);

}  // namespace mpx_mpi
