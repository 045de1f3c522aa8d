// SPDX-License-Identifier: BSL-1.0
// Functions of Open MPI's that no call of MPI makes.
#include "entries.hpp"

using namespace mpx_mpi_old;

extern "C" {

// NOLINTBEGIN(*-macro-usage): the same three functions for each kind of attribute
#define MPX_ATTRIBUTES(kind)                                                                      \
  MPX_EXPORTED int OMPI_C_MPI_##kind##NULL_COPY_FN(void*, int, void*, void*, void*, int* flag) {  \
    *flag = 0;                                                                                    \
    return MPI_SUCCESS;                                                                           \
  }                                                                                               \
  MPX_EXPORTED int OMPI_C_MPI_##kind##DUP_FN(void*, int, void*, void* in, void* out, int* flag) { \
    *static_cast<void**>(out) = in;                                                               \
    *flag = 1;                                                                                    \
    return MPI_SUCCESS;                                                                           \
  }                                                                                               \
  MPX_EXPORTED int OMPI_C_MPI_##kind##NULL_DELETE_FN(void*, int, void*, void*) {                  \
    return MPI_SUCCESS;                                                                           \
  }
// NOLINTEND(*-macro-usage)
MPX_ATTRIBUTES(COMM_)
MPX_ATTRIBUTES()  // Of MPI_Keyval_create.
MPX_ATTRIBUTES(TYPE_)
MPX_ATTRIBUTES(WIN_)

}  // extern "C"
