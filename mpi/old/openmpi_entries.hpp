// SPDX-License-Identifier: BSL-1.0
#pragma once
// Declarations for the generated entries of Open MPI's binary interface.

#include "openmpi.hpp"

// NOLINTBEGIN(*-macro-usage): attributes, and names that a declaration cannot make
#define MPX_EXPORTED __attribute__((visibility("default")))
#define MPX_WEAK(name)                                          \
  extern decltype(old_##name) weak_##name __asm__("MPI_" #name) \
      __attribute__((weak, alias("PMPI_" #name), visibility("default")));
// NOLINTEND(*-macro-usage)

namespace mpx_mpi_openmpi {

// Generated.
extern const char* const our_names[];
extern const std::size_t our_count;
extern const predefined all_predefined[];
extern const std::size_t predefined_count;
extern const int fn_Comm_size, fn_Comm_remote_size, fn_Comm_test_inter, fn_Topo_test,
    fn_Cartdim_get, fn_Graph_neighbors_count, fn_Comm_rank, fn_Dist_graph_neighbors_count,
    fn_Op_create, fn_Comm_create_errhandler, fn_Win_create_errhandler, fn_File_create_errhandler,
    fn_Comm_create_keyval, fn_Type_create_keyval, fn_Win_create_keyval, fn_Grequest_start,
    fn_Win_get_attr, fn_Add_error_code, fn_Add_error_string, fn_Comm_call_errhandler;

// Constants of one section of mpi/table/openmpi.txt. Values that are not there stay.
int error_to_new(int v) noexcept;
int error_to_old(int v) noexcept;
int keyval_to_new(int v) noexcept;
int keyval_to_old(int v) noexcept;
int flavor_to_old(int v) noexcept;
int model_to_old(int v) noexcept;
int rank_to_new(int v) noexcept;
int rank_to_old(int v) noexcept;
int tag_to_new(int v) noexcept;
int tag_to_old(int v) noexcept;
int other_error_to_new(int v) noexcept;
/// Classes that Open MPI 4 does not have are MPI_ERR_OTHER.
int other_error_to_old(int v) noexcept;
/// Keys of the program are above Open MPI's predefined ones.
int other_keyval_to_new(int v) noexcept;
int other_keyval_to_old(int v) noexcept;

}  // namespace mpx_mpi_openmpi
