// SPDX-License-Identifier: BSL-1.0
// What the standard ABI does not have: bounds of types that MPI 3.0 removed, statuses of Fortran.
#include <algorithm>

#include "entries.hpp"

namespace mpx_mpi_old {

namespace {

int get_extent(MPI_Datatype type, MPI_Aint* lb, MPI_Aint* extent) {
  return at<int(MPI_Datatype, MPI_Aint*, MPI_Aint*)>(fn_Type_get_extent)(type, lb, extent);
}
int create_struct(int count, const int lengths[], const MPI_Aint places[],
                  const MPI_Datatype types[], MPI_Datatype* made) {
  return at<int(int, const int[], const MPI_Aint[], const MPI_Datatype[], MPI_Datatype*)>(
      fn_Type_create_struct)(count, lengths, places, types, made);
}
std::uintptr_t value_of(MPI_Datatype type) noexcept {
  return reinterpret_cast<std::uintptr_t>(type);
}

/// A lower or upper bound that markers among the members of a struct set.
struct bound {
  bool set = false;
  MPI_Aint at = 0;
  void add(MPI_Aint place, bool lower) noexcept {
    at = !set ? place : lower ? std::min(at, place) : std::max(at, place);
    set = true;
  }
};

int bounded_struct(std::size_t n, const int lengths[], const MPI_Aint places[],
                   const MPI_Datatype types[], MPI_Datatype* made) {
  array_copy<int> some_lengths(n);
  array_copy<MPI_Aint> some_places(n);
  array_copy<MPI_Datatype> some_types(n);
  int some = 0;
  bound lower;
  bound upper;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uintptr_t v = value_of(types[i]);
    if (v == lb_value && lengths[i] > 0) lower.add(places[i], true);
    if (v == ub_value && lengths[i] > 0) upper.add(places[i], false);
    if (v == lb_value || v == ub_value) continue;
    some_lengths.data()[some] = lengths[i];
    some_places.data()[some] = places[i];
    some_types.data()[some++] = types[i];
  }
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  int code =
      create_struct(some, some_lengths.data(), some_places.data(), some_types.data(), &inner);
  if (code != MPI_SUCCESS) return code;
  MPI_Aint lb = 0;
  MPI_Aint extent = 0;
  code = get_extent(inner, &lb, &extent);
  const MPI_Aint from = lower.set ? lower.at : lb;
  const MPI_Aint to = upper.set ? upper.at : lb + extent;
  if (code == MPI_SUCCESS)
    code = at<int(MPI_Datatype, MPI_Aint, MPI_Aint, MPI_Datatype*)>(fn_Type_create_resized)(
        inner, from, to - from, made);
  at<int(MPI_Datatype*)>(fn_Type_free)(&inner);
  return code;
}

}  // namespace

int Type_create_struct(int count, const int lengths[], const MPI_Aint places[],
                       const old<MPI_Datatype> types[], old<MPI_Datatype>* newtype) {
  const std::size_t n = length(count);
  handles_copy<MPI_Datatype> all(types, n);
  handle_places<MPI_Datatype> made(newtype, 1, false);
  const bool there =
      lengths != nullptr && places != nullptr && types != nullptr && newtype != nullptr;
  const auto is_bound = [](MPI_Datatype t) {
    return value_of(t) == lb_value || value_of(t) == ub_value;
  };
  return there && std::any_of(all.get(), all.get() + n, is_bound)
             ? bounded_struct(n, lengths, places, all.get(), made.get())
             : create_struct(count, lengths, places, all.get(), made.get());
}
int Type_extent(old<MPI_Datatype> type, MPI_Aint* extent) {
  MPI_Aint lb = 0;
  return get_extent(to_new<MPI_Datatype>(type), &lb, extent);
}
int Type_lb(old<MPI_Datatype> type, MPI_Aint* bound) {
  MPI_Aint extent = 0;
  return get_extent(to_new<MPI_Datatype>(type), bound, &extent);
}
int Type_ub(old<MPI_Datatype> type, MPI_Aint* bound) {
  MPI_Aint lb = 0;
  const int code = get_extent(to_new<MPI_Datatype>(type), &lb, bound);
  if (code == MPI_SUCCESS) *bound += lb;
  return code;
}

}  // namespace mpx_mpi_old

using namespace mpx_mpi_old;

extern "C" {

int old_Type_extent(old<MPI_Datatype> type,
                    MPI_Aint* extent) __asm__("PMPI_Type_extent") MPX_EXPORTED;
MPX_WEAK(Type_extent)
int old_Type_extent(old<MPI_Datatype> type, MPI_Aint* extent) {
  return error_to_old(Type_extent(type, extent));
}
int old_Type_lb(old<MPI_Datatype> type, MPI_Aint* bound) __asm__("PMPI_Type_lb") MPX_EXPORTED;
MPX_WEAK(Type_lb)
int old_Type_lb(old<MPI_Datatype> type, MPI_Aint* bound) {
  return error_to_old(Type_lb(type, bound));
}
int old_Type_ub(old<MPI_Datatype> type, MPI_Aint* bound) __asm__("PMPI_Type_ub") MPX_EXPORTED;
MPX_WEAK(Type_ub)
int old_Type_ub(old<MPI_Datatype> type, MPI_Aint* bound) {
  return error_to_old(Type_ub(type, bound));
}

int old_Status_c2f(const old_status* s, int* f) __asm__("PMPI_Status_c2f") MPX_EXPORTED;
MPX_WEAK(Status_c2f)
int old_Status_c2f(const old_status* s, int* f) {
  if (!is_status(s) || f == nullptr) return error_to_old(MPI_ERR_ARG);
  std::memcpy(f, s, sizeof *s);
  return MPI_SUCCESS;
}
int old_Status_f2c(const int* f, old_status* s) __asm__("PMPI_Status_f2c") MPX_EXPORTED;
MPX_WEAK(Status_f2c)
int old_Status_f2c(const int* f, old_status* s) {
  if (!is_status(s) || f == nullptr) return error_to_old(MPI_ERR_ARG);
  std::memcpy(s, f, sizeof *s);
  return MPI_SUCCESS;
}

// Addresses that mean "no status" in Fortran.
static int no_status[sizeof(old_status) / sizeof(int)];
MPX_EXPORTED int* MPI_F_STATUS_IGNORE = no_status;
MPX_EXPORTED int* MPI_F_STATUSES_IGNORE = no_status;

}  // extern "C"
