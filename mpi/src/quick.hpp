// SPDX-License-Identifier: BSL-1.0
#pragma once
// Messages whose arguments are the usual ones: contiguous data in standard mode, to or from one rank
// with one tag. Each function returns not_quick, without effect, for all others, right or wrong: then
// the entry calls the function that checks every argument and names what is wrong.

#include <span>

#include "errors.hpp"
#include "requests.hpp"

namespace mpx_mpi {

/// Bytes of a datatype whose elements are contiguous; -1: of any other, or of none.
inline std::int64_t dense_bytes_of(MPI_Datatype t) noexcept {
  const std::size_t i = value_of(t) - library::first_type;
  if (i < library::predefined_count) [[likely]]
    return lib().dense_bytes[i];
  const type_t* const found = lib().types.find(value_of(t));
  return found != nullptr && found->committed && found->part->dense ? found->part->bytes : -1;
}

inline constexpr int not_quick = -1;  ///< No error code.

/// A message, if it is a usual one.
struct quick_message {
  bool usual = false;
  const comm_t* comm = nullptr;
  std::span<std::byte> data;

  quick_message(const void* base, std::int64_t count, MPI_Datatype type, int rank, int tag,
                MPI_Comm of) noexcept {
    // There are no communicators while MPI does not run.
    if (of == MPI_COMM_WORLD) [[likely]]
      comm = lib().world;
    else
      comm = lib().comms.find(value_of(of));
    const std::int64_t each = dense_bytes_of(type);
    std::int64_t bytes = 0;
    if (comm == nullptr || (count | each | tag) < 0 || value_of(base) < 4096 ||
        static_cast<unsigned>(rank) >= static_cast<unsigned>(comm->partners()) ||
        __builtin_mul_overflow(count, each, &bytes)) [[unlikely]]
      return;
    data = {static_cast<std::byte*>(const_cast<void*>(base)), static_cast<std::size_t>(bytes)};
    usual = true;
  }
};

/// Makes the request of a message, and starts it by `start(its cell)`.
template <class Start>
inline int start_quick(const char* call, const comm_t& comm, bool receives, MPI_Request* request,
                       Start&& start) {
  const auto [handle, r] =
      lib().requests.try_make(request_cell{}, comm.self, false, receives, nullptr);
  if (r == nullptr) [[unlikely]]
    return not_quick;
  try {
    start(r->cell);
    *request = handle_of<MPI_Request>(handle);
    return MPI_SUCCESS;
  } catch (...) {
    lib().requests.erase(handle);
    return failed(call, comm.self);
  }
}

inline int quick_Send(const char* call, const void* buf, std::int64_t count, MPI_Datatype type,
                      int dest, int tag, MPI_Comm comm) {
  const quick_message m(buf, count, type, dest, tag, comm);
  if (!m.usual) [[unlikely]]
    return not_quick;
  try {
    m.comm->port->send_bytes(m.data, dest, tag);
    return MPI_SUCCESS;
  } catch (...) {
    return failed(call, m.comm->self);
  }
}
inline int quick_Isend(const char* call, const void* buf, std::int64_t count, MPI_Datatype type,
                       int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  const quick_message m(buf, count, type, dest, tag, comm);
  if (!m.usual || request == nullptr) [[unlikely]]
    return not_quick;
  return start_quick(call, *m.comm, false, request, [&](request_cell& cell) {
    m.comm->port->isend_bytes(m.data, dest, tag, cell);
  });
}
inline int quick_Recv(const char* call, void* buf, std::int64_t count, MPI_Datatype type,
                      int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const quick_message m(buf, count, type, source, tag, comm);
  if (!m.usual) [[unlikely]]
    return not_quick;
  try {
    const mpx::status s = m.comm->port->recv_bytes(m.data, source, tag);
    set_status(status, s);
    need_success(s, "receive", m.comm->self);
    return MPI_SUCCESS;
  } catch (...) {
    return failed(call, m.comm->self);
  }
}
inline int quick_Irecv(const char* call, void* buf, std::int64_t count, MPI_Datatype type,
                       int source, int tag, MPI_Comm comm, MPI_Request* request) {
  const quick_message m(buf, count, type, source, tag, comm);
  if (!m.usual || request == nullptr) [[unlikely]]
    return not_quick;
  return start_quick(call, *m.comm, true, request, [&](request_cell& cell) {
    m.comm->port->irecv_bytes(m.data, source, tag, cell);
  });
}

}  // namespace mpx_mpi
