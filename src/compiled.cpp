// SPDX-License-Identifier: BSL-1.0
// The library of mpx::compiled: what instances.hpp names.
#include <mpx/bootstrap/pmi1.hpp>  // Programs of this library join Hydra and Slurm.
#include <mpx/mpx.hpp>
