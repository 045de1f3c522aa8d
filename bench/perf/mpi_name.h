/* SPDX-License-Identifier: BSL-1.0 */
/* IMPL: the name of the MPI that compiles this, as scripts/compare expects it in a sample. */
#ifndef MPX_BENCH_PERF_MPI_NAME_H
#define MPX_BENCH_PERF_MPI_NAME_H

#include <mpi.h>

#if defined(OPEN_MPI)
#define IMPL "openmpi"
#elif defined(MPICH_VERSION)
#define IMPL "mpich"
#else
#define IMPL "mpi"
#endif

#endif
