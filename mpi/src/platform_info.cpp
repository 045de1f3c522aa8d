// SPDX-License-Identifier: BSL-1.0
// What the library tells of Fortran's types, which it is told by Fortran bindings, and of hardware.
#include <cstring>

#include "functions.hpp"
#include "startup.hpp"

namespace mpx_mpi {

namespace {

struct fortran_type {
  const char* name;
  MPI_Datatype type;
};
/// Types of every Fortran compiler, and optional ones.
std::vector<std::pair<std::string, std::string>> fortran_facts() {
  const fortran_type sizes[] = {{"mpi_logical_size", MPI_LOGICAL},
                                {"mpi_integer_size", MPI_INTEGER},
                                {"mpi_real_size", MPI_REAL},
                                {"mpi_double_precision_size", MPI_DOUBLE_PRECISION}};
  const fortran_type optional[] = {
      {"mpi_logical1_supported", MPI_LOGICAL1},   {"mpi_logical2_supported", MPI_LOGICAL2},
      {"mpi_logical4_supported", MPI_LOGICAL4},   {"mpi_logical8_supported", MPI_LOGICAL8},
      {"mpi_logical16_supported", MPI_LOGICAL16}, {"mpi_integer1_supported", MPI_INTEGER1},
      {"mpi_integer2_supported", MPI_INTEGER2},   {"mpi_integer4_supported", MPI_INTEGER4},
      {"mpi_integer8_supported", MPI_INTEGER8},   {"mpi_integer16_supported", MPI_INTEGER16},
      {"mpi_real2_supported", MPI_REAL2},         {"mpi_real4_supported", MPI_REAL4},
      {"mpi_real8_supported", MPI_REAL8},         {"mpi_real16_supported", MPI_REAL16},
      {"mpi_complex4_supported", MPI_COMPLEX4},   {"mpi_complex8_supported", MPI_COMPLEX8},
      {"mpi_complex16_supported", MPI_COMPLEX16}, {"mpi_complex32_supported", MPI_COMPLEX32}};
  make_predefined_types();
  std::vector<std::pair<std::string, std::string>> all;
  for (const fortran_type& f : sizes)
    all.emplace_back(f.name, std::to_string(need_any_type(f.type).part->bytes));
  for (const fortran_type& f : optional)
    all.emplace_back(f.name, need_any_type(f.type).absent ? "false" : "true");
  return all;
}

/// Fortran's truth values, once a binding has told them.
struct fortran_booleans {
  std::mutex lock;
  int size = 0;  ///< 0: not told.
  char yes[16] = {};
  char no[16] = {};
};
fortran_booleans& booleans() {
  static fortran_booleans* const here = new fortran_booleans;
  return *here;
}
std::size_t need_logical_size(int size) {
  if (size != 1 && size != 2 && size != 4 && size != 8 && size != 16)
    bad_number(MPI_ERR_ARG, "size of a logical", size);
  return static_cast<std::size_t>(size);
}

}  // namespace

void Abi_get_fortran_info(MPI_Info* info) {
  info_t made;
  made.pairs = fortran_facts();
  *info = put_in<MPI_Info>(lib().infos, "info objects", std::move(made));
}
void Abi_set_fortran_info(MPI_Info info) {
  if (info == MPI_INFO_NULL) fail(MPI_ERR_INFO, "the info object is null");
  const auto known = fortran_facts();
  for (const auto& [key, value] : need_info(info).pairs)
    for (const auto& [name, ours] : known)
      if (key == name && value != ours)
        fail(MPI_ERR_ABI, "%s is %s in this library, not %s", key.c_str(), ours.c_str(),
             value.c_str());
}
void Abi_set_fortran_booleans(int logical_size, void* logical_true, void* logical_false) {
  const std::size_t n = need_logical_size(logical_size);
  fortran_booleans& b = booleans();
  const std::lock_guard guard(b.lock);
  const bool same = b.size == logical_size && std::memcmp(b.yes, logical_true, n) == 0 &&
                    std::memcmp(b.no, logical_false, n) == 0;
  if (b.size != 0 && !same) fail(MPI_ERR_ABI, "Fortran's truth values are set, to others");
  b.size = logical_size;
  std::memcpy(b.yes, logical_true, n);
  std::memcpy(b.no, logical_false, n);
}
void Abi_get_fortran_booleans(int logical_size, void* logical_true, void* logical_false,
                              int* is_set) {
  const std::size_t n = need_logical_size(logical_size);
  fortran_booleans& b = booleans();
  const std::lock_guard guard(b.lock);
  *is_set = b.size == logical_size;
  if (*is_set == 0) return;
  std::memcpy(logical_true, b.yes, n);
  std::memcpy(logical_false, b.no, n);
}

/// Keys are types of hardware that guide MPI_Comm_split_type. "true": this process is restricted to
/// one instance of the type.
void Get_hw_resource_info(MPI_Info* hw_info) {
  info_t made;
  made.pairs.emplace_back(shared_memory_resource, "true");
  *hw_info = put_in<MPI_Info>(lib().infos, "info objects", std::move(made));
}

}  // namespace mpx_mpi
