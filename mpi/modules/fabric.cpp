// SPDX-License-Identifier: BSL-1.0
// The module with the stack `fabric`: its table, and the stack for one thread at a time.
#include "fabric.hpp"

#include <array>

#include "modules.hpp"
#include "mpx/config.hpp"

namespace mpx_mpi {

std::unique_ptr<job_port> join_fabric_multiple();

namespace {
std::unique_ptr<job_port> join_fabric() {
  return join_job<fabric_of<mpx::threading::serialized>>();
}
constexpr std::array stacks = {
    stack_entry{"fabric", false, join_fabric},
    stack_entry{"fabric", true, join_fabric_multiple},
};
}  // namespace

}  // namespace mpx_mpi

extern "C" {
extern const mpx_mpi::module_table mpx_mpi_module __attribute__((visibility("default")));
const mpx_mpi::module_table mpx_mpi_module = {MPX_VERSION_STRING, mpx_mpi::stacks};
}
