// SPDX-License-Identifier: BSL-1.0
// Joins jobs of launchers that speak PMIx (Open MPI's mpirun, `srun --mpi=pmix`): including this once in
// a program is enough. Compiled where libpmix is there.

#include <mpx/bootstrap/pmix.hpp>
