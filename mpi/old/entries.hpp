// SPDX-License-Identifier: BSL-1.0
#pragma once
// Declarations for the generated entries of another MPI's binary interface.

#include "translate.hpp"

// NOLINTBEGIN(*-macro-usage): attributes, and names that a declaration cannot make
#define MPX_EXPORTED __attribute__((visibility("default")))
#define MPX_WEAK(name)                                          \
  extern decltype(old_##name) weak_##name __asm__("MPI_" #name) \
      __attribute__((weak, alias("PMPI_" #name), visibility("default")));
/// Both names of a function of this file, with another prefix than MPI_ or of another name.
#define MPX_SAME(prefix, name, as)                                               \
  extern decltype(old_##as) prefix##strong_##name __asm__("P" #prefix "_" #name) \
      __attribute__((alias("PMPI_" #as), visibility("default")));                \
  extern decltype(old_##as) prefix##weak_##name __asm__(#prefix "_" #name)       \
      __attribute__((weak, alias("PMPI_" #as), visibility("default")));
/// A function that is there by name alone. Arguments of any kind are not looked at.
#define MPX_BY_NAME(prefix, name, result)                                              \
  int prefix##_old_##name() __asm__("P" #prefix "_" #name) MPX_EXPORTED;               \
  extern decltype(prefix##_old_##name) prefix##_weak_##name __asm__(#prefix "_" #name) \
      __attribute__((weak, alias("P" #prefix "_" #name), visibility("default")));      \
  int prefix##_old_##name() { return result; }
// NOLINTEND(*-macro-usage)

namespace mpx_mpi_old {

// Generated.
extern const char* const our_names[];
extern const std::size_t our_count;
predefined predefined_at(std::size_t i) noexcept;
extern const std::size_t predefined_count;
extern const int fn_Comm_size, fn_Comm_remote_size, fn_Comm_test_inter, fn_Topo_test,
    fn_Cartdim_get, fn_Graph_neighbors_count, fn_Comm_rank, fn_Dist_graph_neighbors_count,
    fn_Op_create, fn_Op_create_c, fn_Comm_create_errhandler, fn_Win_create_errhandler,
    fn_File_create_errhandler, fn_Session_create_errhandler, fn_Comm_create_keyval,
    fn_Type_create_keyval, fn_Win_create_keyval, fn_Grequest_start, fn_Win_get_attr,
    fn_Comm_get_attr, fn_Add_error_code, fn_Add_error_string, fn_Comm_call_errhandler,
    fn_Type_get_extent, fn_Type_create_struct, fn_Type_create_resized, fn_Type_free,
    fn_Type_get_envelope, fn_Type_get_contents, fn_Type_get_envelope_c, fn_Type_get_contents_c;

// Constants of one section of the table of values. Values that are not there stay.
int error_to_new(int v) noexcept;
int error_to_old(int v) noexcept;
int keyval_to_new(int v) noexcept;
int keyval_to_old(int v) noexcept;
int order_to_old(int v) noexcept;
int distribution_to_old(int v) noexcept;
int argument_to_old(int v) noexcept;
int flavor_to_old(int v) noexcept;
int model_to_old(int v) noexcept;
int rank_to_new(int v) noexcept;
int rank_to_old(int v) noexcept;
int tag_to_new(int v) noexcept;
int tag_to_old(int v) noexcept;
int other_error_to_new(int v) noexcept;
/// Classes that the other MPI does not have are MPI_ERR_OTHER.
int other_error_to_old(int v) noexcept;
/// Keys of the program are above those of Open MPI, and below those of MPICH.
int other_keyval_to_new(int v) noexcept;
int other_keyval_to_old(int v) noexcept;
inline constexpr int no_value = -1'000'000;  ///< No rank and no tag.
inline constexpr int no_bit = 1 << 30;       ///< No assertion and no mode of files.

}  // namespace mpx_mpi_old
