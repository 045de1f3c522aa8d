// SPDX-License-Identifier: BSL-1.0
#pragma once
// Requests, and data of datatypes: shared by source files of the MPI library.

#include <cstring>
#include <memory>
#include <optional>
#include <span>

#include "errors.hpp"
#include "objects.hpp"
#include "request_table.hpp"

namespace mpx_mpi {

/// The rank for a port.
inline int mpx_rank(int rank) noexcept {
  return rank == MPI_PROC_NULL ? static_cast<int>(mpx::rank_t{mpx::proc_null}) : rank;
}
/// What ports give back to the library.
extern const message_calls usual_messages;
/// Makes a request of a started or prepared operation. `of`: the communicator or window whose error
/// handler is called; `keep`: objects that it needs.
MPI_Request add_request_of(const request_cell& cell, const void* of, bool persistent, bool receives,
                           std::shared_ptr<void> keep = nullptr);

/// Adds a request.
MPI_Request add_request(request_t&& r);
/// Returns the object of a request. Errors: MPI_ERR_REQUEST.
request_t& need_request(MPI_Request r);

/// Returns the operation of a send that is complete.
inline request_cell complete_cell() noexcept {
  return lib().requests.find(value_of(lib().requests.complete_send))->cell;
}
/// Throws the failure of a status. `what`: the operation; `of`: see `failure::on`.
[[noreturn, gnu::cold]] void throw_failure(const mpx::status& s, const char* what, const void* of);
/// Throws the failure of a status, if there is one.
inline void need_success(const mpx::status& s, const char* what, const void* of) {
  if (s.failed()) [[unlikely]]
    throw_failure(s, what, of);
}

/// Copies the data of a buffer to `into`, and back.
void pack_data(const buffer& from, std::span<std::byte> into);
void unpack_data(std::span<const std::byte> from, const buffer& into);
/// The datatype of one byte.
const mpx::datatype& byte_type();
/// Returns the bytes of `count` basic elements of a datatype; nothing if there are none such.
std::optional<std::int64_t> bytes_of_elements(const type_part& part, std::int64_t count);
/// Adds a datatype that the program owns.
MPI_Datatype add_type(std::shared_ptr<const type_part> part, bool committed = false);
/// Handle of a datatype of a constructor's arguments: a predefined one, or a new one for `part`.
MPI_Datatype handle_of_part(MPI_Datatype predefined, const std::shared_ptr<const type_part>& part);

}  // namespace mpx_mpi
