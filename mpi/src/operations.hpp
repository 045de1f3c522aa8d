// SPDX-License-Identifier: BSL-1.0
#pragma once
// Operations of reductions: predefined ones on predefined datatypes, and the program's own.

#include <memory>

#include "mpx/coll/operations.hpp"
#include "objects.hpp"

namespace mpx_mpi {

/// Returns the operation for elements of a datatype. `keep` gets what it refers to; it must live as
/// long as the operation is used.
/// Errors:     MPI_ERR_OP if the operation does not work on the datatype.
mpx::any_operation operation_for(const op_t& op, MPI_Datatype handle, const type_t& type,
                                 std::shared_ptr<void>& keep);
/// True if a predefined operation works on the elements of a predefined datatype.
bool applies(const op_t& op, MPI_Datatype element);

}  // namespace mpx_mpi
