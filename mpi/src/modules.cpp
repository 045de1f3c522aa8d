// SPDX-License-Identifier: BSL-1.0
// Loads stacks that are modules: lib/mpx/libmpx_mpi_NAME.so beside libmpi_abi.
#include "modules.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "errors.hpp"
#include "mpx/config.hpp"

namespace mpx_mpi {

namespace {

struct module_need {
  std::string_view name;
  const char* needs;     ///< Library that it needs, and its package.
  const char* building;  ///< How the module is built.
};
constexpr module_need modules[] = {
    {"fabric", "libfabric 1.17 or later (Debian and Ubuntu: libfabric1)",
     "CMake's -DMPX_MPI=ON -DMPX_MPI_FABRIC=ON with libfabric's headers (libfabric-dev)"},
};
const module_need* need_of(std::string_view name) noexcept {
  for (const module_need& m : modules)
    if (m.name == name) return &m;
  return nullptr;
}
/// The folder of this library.
std::string own_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&library_here), &info) == 0 ||
      info.dli_fname == nullptr)
    return ".";
  const std::string path = info.dli_fname;
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

bool is_module(std::string_view name) noexcept { return need_of(name) != nullptr; }

std::span<const stack_entry> module_stacks(std::string_view name) {
  const module_need& m = *need_of(name);
  const std::string path = own_folder() + "/mpx/libmpx_mpi_" + std::string(name) + ".so";
  if (::access(path.c_str(), R_OK) != 0)
    fail(MPI_ERR_OTHER, "the stack %s is a module that is not installed (%s): build it by %s",
         std::string(name).c_str(), path.c_str(), m.building);
  void* const loaded = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr)
    fail(MPI_ERR_OTHER, "the stack %s cannot be loaded (%s): it needs %s",
         std::string(name).c_str(), ::dlerror(), m.needs);
  const auto* const table = static_cast<const module_table*>(::dlsym(loaded, "mpx_mpi_module"));
  if (table == nullptr || std::strcmp(table->version, MPX_VERSION_STRING) != 0)
    fail(MPI_ERR_OTHER, "%s is a module of mpx %s, not of mpx %s: install both of one build",
         path.c_str(), table == nullptr ? "(unknown)" : table->version, MPX_VERSION_STRING);
  return table->stacks;
}

}  // namespace mpx_mpi
