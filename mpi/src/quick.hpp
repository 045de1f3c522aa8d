// SPDX-License-Identifier: BSL-1.0
#pragma once
// Messages whose arguments are the usual ones: contiguous data in standard mode, to or from one rank
// with one tag; and waiting for one of them. All others, right or wrong, go to `Every`, the function
// that checks every argument and names what is wrong.

#include <span>
#include <type_traits>

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

/// A message, if it is a usual one. `Common`: see `is_common`.
template <bool Common>
struct quick_message {
  bool usual = false;
  const comm_t* comm = nullptr;
  std::size_t bytes = 0;

  quick_message(const void* base, int count, MPI_Datatype type, int rank, int tag,
                MPI_Comm of) noexcept {
    // There are no communicators while MPI does not run.
    if (Common || of == MPI_COMM_WORLD)
      comm = lib().world;
    else
      comm = lib().comms.find(value_of(of));
    if (comm == nullptr || value_of(base) < 4096 ||
        static_cast<unsigned>(rank) >= static_cast<unsigned>(comm->partners)) [[unlikely]]
      return;
    if constexpr (Common) {
      const std::int32_t each = lib().dense_bytes[value_of(type) - library::first_type];
      if ((count | each | tag) < 0) [[unlikely]]
        return;
      bytes = std::size_t{static_cast<std::uint32_t>(count)} * static_cast<std::uint32_t>(each);
    } else {
      const std::int64_t each = dense_bytes_of(type);
      std::int64_t size = 0;
      if ((count | each | tag) < 0 || __builtin_mul_overflow(count, each, &size)) return;
      bytes = static_cast<std::size_t>(size);
    }
    usual = true;
  }
};
/// True for a message of MPI_COMM_WORLD and of a predefined datatype: neither is looked up.
inline bool is_common(MPI_Comm of, MPI_Datatype type) noexcept {
  return of == MPI_COMM_WORLD && value_of(type) - library::first_type < library::predefined_count;
}

/// Calls member `Call` of the communicator's port if the message is a usual one. `last`: the last
/// argument of `Every`, a request or a status. Only a request has to be there.
template <bool Common, auto Call, auto Every, class Data, class... Last>
inline int call_port(Data* buf, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
                     Last... last) {
  const quick_message<Common> m(buf, count, type, rank, tag, comm);
  if (!m.usual || ((std::is_same_v<Last, MPI_Request*> && last == nullptr) || ...)) [[unlikely]]
    return Every(buf, count, type, rank, tag, comm, last...);
  return (m.comm->port.get()->*Call)(buf, m.bytes, rank, tag, last...);
}
/// The same for any communicator and datatype. A function of its own: the lookups need registers.
template <auto Call, auto Every, class Data, class... Last>
[[gnu::noinline]] int call_any_port(Data* buf, int count, MPI_Datatype type, int rank, int tag,
                                    MPI_Comm comm, Last... last) {
  return call_port<false, Call, Every>(buf, count, type, rank, tag, comm, last...);
}
template <auto Call, auto Every, class Data, class... Last>
inline int quick_message_call(Data* buf, int count, MPI_Datatype type, int rank, int tag,
                              MPI_Comm comm, Last... last) {
  if (!is_common(comm, type)) [[unlikely]]
    return call_any_port<Call, Every>(buf, count, type, rank, tag, comm, last...);
  return call_port<true, Call, Every>(buf, count, type, rank, tag, comm, last...);
}

// The functions of the generated entries. `call` is the name of the function.
template <auto Every, class... Args>
inline int quick_Send(const char*, Args... args) {
  return quick_message_call<&comm_port::send_bytes, Every>(args...);
}
template <auto Every, class... Args>
inline int quick_Isend(const char*, Args... args) {
  return quick_message_call<&comm_port::isend_bytes, Every>(args...);
}
template <auto Every, class... Args>
inline int quick_Recv(const char*, Args... args) {
  return quick_message_call<&comm_port::recv_bytes, Every>(args...);
}
template <auto Every, class... Args>
inline int quick_Irecv(const char*, Args... args) {
  return quick_message_call<&comm_port::irecv_bytes, Every>(args...);
}
template <auto Every>
inline int quick_Wait(const char* call, MPI_Request* request, MPI_Status* status) {
  if (request == nullptr) [[unlikely]]
    return Every(request, status);
  if (*request == lib().requests.complete_send && *request != MPI_REQUEST_NULL) {
    end_complete_send(*request, status);
    return MPI_SUCCESS;
  }
  request_t* const r = lib().requests.find(value_of(*request));
  if (r == nullptr || !r->plain()) [[unlikely]]
    return Every(request, status);
  try {
    const void* const on = r->of;
    const bool receives = r->receives;
    const mpx::status s = lib().job->wait(r->cell);
    end_plain(lib().requests, *request, *r, s, status);
    need_success(s, receives ? "receive" : "request", on);
    return MPI_SUCCESS;
  } catch (...) {
    return failed(call);
  }
}

}  // namespace mpx_mpi
