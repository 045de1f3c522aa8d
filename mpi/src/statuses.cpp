// SPDX-License-Identifier: BSL-1.0
// Statuses, and the counts that they tell.
#include <cstring>

#include "functions.hpp"
#include "requests.hpp"

namespace mpx_mpi {

namespace {

std::uint64_t bytes_of(const MPI_Status& s) noexcept {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, s.MPI_internal, sizeof bytes);
  return bytes;
}
constexpr std::uint64_t no_count = ~std::uint64_t{0};  // MPI_Get_count gives MPI_UNDEFINED.

}  // namespace

void Test_cancelled(const MPI_Status* status, int* flag) { *flag = status->MPI_internal[2]; }
void Status_set_cancelled(MPI_Status* status, int flag) {
  status->MPI_internal[2] = flag != 0 ? 1 : 0;
}
namespace {
void set_elements(MPI_Status* status, const type_t& datatype, std::int64_t count) {
  need_count(count, "count");
  const auto bytes = bytes_of_elements(*datatype.part, count);
  set_bytes(*status, bytes ? static_cast<std::uint64_t>(*bytes) : no_count);
}
mpx::status as_mpx(const MPI_Status& s) { return {0, 0, static_cast<std::size_t>(bytes_of(s))}; }
}  // namespace
void Status_set_elements(MPI_Status* status, type_t& datatype, MPI_Count count) {
  set_elements(status, datatype, count);
}
void Status_set_elements_x(MPI_Status* status, type_t& datatype, MPI_Count count) {
  set_elements(status, datatype, count);
}
void Status_set_source(MPI_Status* status, int source) { status->MPI_SOURCE = source; }
void Status_set_tag(MPI_Status* status, int tag) { status->MPI_TAG = tag; }
void Status_set_error(MPI_Status* status, int error) { status->MPI_ERROR = error; }
void Status_get_source(const MPI_Status* status, int* source) { *source = status->MPI_SOURCE; }
void Status_get_tag(const MPI_Status* status, int* tag) { *tag = status->MPI_TAG; }
void Status_get_error(const MPI_Status* status, int* error) { *error = status->MPI_ERROR; }

void Get_count(const MPI_Status* status, type_t& datatype, number_place count) {
  if (datatype.absent) bad_type(datatype);
  if (bytes_of(*status) == no_count) return count.set(MPI_UNDEFINED);
  const auto n = mpx::get_count(as_mpx(*status), datatype.part->type);
  count.set(n ? *n : std::int64_t{MPI_UNDEFINED});
}
namespace {
std::int64_t elements_of(const MPI_Status& status, const type_t& datatype) {
  if (datatype.absent) bad_type(datatype);
  if (bytes_of(status) == no_count) return MPI_UNDEFINED;
  const auto n = mpx::get_elements(as_mpx(status), datatype.part->type);
  return n ? *n : std::int64_t{MPI_UNDEFINED};
}
}  // namespace
void Get_elements(const MPI_Status* status, type_t& datatype, number_place count) {
  count.set(elements_of(*status, datatype));
}
void Get_elements_x(const MPI_Status* status, type_t& datatype, MPI_Count* count) {
  *count = elements_of(*status, datatype);
}

}  // namespace mpx_mpi
