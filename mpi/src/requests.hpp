// SPDX-License-Identifier: BSL-1.0
#pragma once
// Requests, and data of datatypes: shared by source files of the MPI library.

#include <memory>
#include <optional>
#include <span>

#include "errors.hpp"
#include "objects.hpp"

namespace mpx_mpi {

/// Makes a request of a started or prepared operation. `keep`: objects that it needs.
MPI_Request add_request_of(const request_cell& cell, comm_t& comm, bool persistent, bool receives,
                           std::shared_ptr<void> keep = nullptr);

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
