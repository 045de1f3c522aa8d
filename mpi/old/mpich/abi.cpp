// SPDX-License-Identifier: BSL-1.0
// Objects and functions of MPICH's that no call of MPI makes.
#include "entries.hpp"

namespace mpx_mpi_old {
int unweighted[2];
int weights_empty[2];
}  // namespace mpx_mpi_old

using namespace mpx_mpi_old;

extern "C" {

extern int* const unweighted_name __asm__("MPI_UNWEIGHTED") MPX_EXPORTED;
int* const unweighted_name = unweighted;
extern int* const weights_empty_name __asm__("MPI_WEIGHTS_EMPTY") MPX_EXPORTED;
int* const weights_empty_name = weights_empty;
extern void* const all_handles_name __asm__("MPI_T_PVAR_ALL_HANDLES") MPX_EXPORTED;
void* const all_handles_name = unweighted;

// Objects of mpi.h for programs that are C and Fortran.
MPX_EXPORTED int MPIR_F08_MPI_IN_PLACE;
MPX_EXPORTED int MPIR_F08_MPI_BOTTOM;
MPX_EXPORTED old_status MPIR_F08_MPI_STATUS_IGNORE_OBJ;
MPX_EXPORTED old_status MPIR_F08_MPI_STATUSES_IGNORE_OBJ[1];
MPX_EXPORTED old_status* MPI_F08_STATUS_IGNORE = &MPIR_F08_MPI_STATUS_IGNORE_OBJ;
MPX_EXPORTED old_status* MPI_F08_STATUSES_IGNORE = MPIR_F08_MPI_STATUSES_IGNORE_OBJ;

/// MPI_DUP_FN and its kin, of all kinds of attributes.
MPX_EXPORTED int MPIR_Dup_fn(int, int, void*, void* in, void* out, int* flag) {
  *static_cast<void**>(out) = in;
  *flag = 1;
  return MPI_SUCCESS;
}

}  // extern "C"
