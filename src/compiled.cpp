// SPDX-License-Identifier: BSL-1.0
// The library of mpx::compiled: what instances.hpp and those of optional headers name.
#include <mpx/bootstrap/pmi1.hpp>  // Programs of this library join Hydra and Slurm.
#include <mpx/data/type.hpp>
#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>
#include <mpx/topology.hpp>
