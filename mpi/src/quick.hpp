// SPDX-License-Identifier: BSL-1.0
#pragma once
// Messages whose arguments are the usual ones: contiguous data in standard mode, to or from one rank
// with one tag; and waiting for one of them. All others, right or wrong, go to `every`, the function
// that checks every argument and names what is wrong. `call` is the name of the function.

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

/// A message, if it is a usual one.
struct quick_message {
  bool usual = false;
  const comm_t* comm = nullptr;
  std::size_t bytes = 0;

  quick_message(const void* base, std::int64_t count, MPI_Datatype type, int rank, int tag,
                MPI_Comm of) noexcept {
    // There are no communicators while MPI does not run.
    if (of == MPI_COMM_WORLD) [[likely]]
      comm = lib().world;
    else
      comm = lib().comms.find(value_of(of));
    const std::int64_t each = dense_bytes_of(type);
    std::int64_t size = 0;
    if (comm == nullptr || (count | each | tag) < 0 || value_of(base) < 4096 ||
        static_cast<unsigned>(rank) >= static_cast<unsigned>(comm->partners()) ||
        __builtin_mul_overflow(count, each, &size)) [[unlikely]]
      return;
    bytes = static_cast<std::size_t>(size);
    usual = true;
  }
};

template <class Every>
inline int quick_Send(const char*, Every every, const void* buf, auto count, MPI_Datatype type,
                      int dest, int tag, MPI_Comm comm) {
  const quick_message m(buf, count, type, dest, tag, comm);
  if (!m.usual) [[unlikely]]
    return every(buf, count, type, dest, tag, comm);
  return m.comm->port->send_bytes(buf, m.bytes, dest, tag);
}
template <class Every>
inline int quick_Isend(const char*, Every every, const void* buf, auto count, MPI_Datatype type,
                       int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  const quick_message m(buf, count, type, dest, tag, comm);
  if (!m.usual || request == nullptr) [[unlikely]]
    return every(buf, count, type, dest, tag, comm, request);
  return m.comm->port->isend_bytes(buf, m.bytes, dest, tag, request);
}
template <class Every>
inline int quick_Recv(const char*, Every every, void* buf, auto count, MPI_Datatype type,
                      int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const quick_message m(buf, count, type, source, tag, comm);
  if (!m.usual) [[unlikely]]
    return every(buf, count, type, source, tag, comm, status);
  return m.comm->port->recv_bytes(buf, m.bytes, source, tag, status);
}
template <class Every>
inline int quick_Irecv(const char* call, Every every, void* buf, auto count, MPI_Datatype type,
                       int source, int tag, MPI_Comm comm, MPI_Request* request) {
  const quick_message m(buf, count, type, source, tag, comm);
  if (!m.usual || request == nullptr) [[unlikely]]
    return every(buf, count, type, source, tag, comm, request);
  const auto [handle, r] =
      lib().requests.try_make(request_cell{}, m.comm->self, false, true, nullptr);
  if (r == nullptr) [[unlikely]]
    return every(buf, count, type, source, tag, comm, request);
  try {
    m.comm->port->irecv_bytes({static_cast<std::byte*>(buf), m.bytes}, source, tag, r->cell);
    *request = handle_of<MPI_Request>(handle);
    return MPI_SUCCESS;
  } catch (...) {
    lib().requests.erase(handle);
    return failed(call, m.comm->self);
  }
}
template <class Every>
inline int quick_Wait(const char* call, Every every, MPI_Request* request, MPI_Status* status) {
  if (request == nullptr) [[unlikely]]
    return every(request, status);
  if (*request == lib().complete_send && *request != MPI_REQUEST_NULL) {
    end_complete_send(*request, status);
    return MPI_SUCCESS;
  }
  request_t* const r = lib().requests.find(value_of(*request));
  if (r == nullptr || !r->plain()) [[unlikely]]
    return every(request, status);
  try {
    const void* const on = r->of;
    const bool receives = r->receives;
    const mpx::status s = lib().job->wait(r->cell);
    end_plain(*request, *r, s, status);
    need_success(s, receives ? "receive" : "request", on);
    return MPI_SUCCESS;
  } catch (...) {
    return failed(call);
  }
}

}  // namespace mpx_mpi
