// SPDX-License-Identifier: BSL-1.0
#pragma once
// Requests of the program: their objects, their table, and the end of the usual ones. Shared by the
// library and its ports.

#include <atomic>
#include <memory>

#include "handle_table.hpp"
#include "port.hpp"
#include "status.hpp"

namespace mpx_mpi {

struct buffered_send;

inline std::uintptr_t value_of(const void* handle) noexcept {
  return reinterpret_cast<std::uintptr_t>(handle);
}
template <class Handle>
Handle handle_of(std::uintptr_t value) noexcept {
  return reinterpret_cast<Handle>(value);
}

/// A user's request: MPI_Grequest_start.
struct generalized_t {
  MPI_Grequest_query_function* query = nullptr;
  MPI_Grequest_free_function* free = nullptr;
  MPI_Grequest_cancel_function* cancel = nullptr;
  void* extra = nullptr;
  request_cell completer{};
  /// One thread may complete it while another one frees it: the latter of both ends it.
  enum event : std::uint8_t { completed = 1, freed = 2 };
  std::atomic<std::uint8_t> happened{0};

  /// Returns true if `other` has happened before this event.
  bool happens(event now, event other) noexcept { return (happened.fetch_or(now) & other) != 0; }
  [[nodiscard]] bool is_complete() const noexcept { return (happened & completed) != 0; }
};

struct request_t;
/// Parts that few requests have.
struct rare_parts {
  std::shared_ptr<void> keep;  ///< Objects that the operation needs until it is complete.
  std::unique_ptr<generalized_t> generalized;
  std::shared_ptr<buffered_send> buffered;  ///< Of a persistent one, which has no cell.
  /// Called once when it is complete (MPI_Comm_idup), after its handle is freed; the second argument
  /// is true if it has succeeded. May throw.
  void (*finish)(const rare_parts&, bool) = nullptr;
  void* finish_with = nullptr;
};
struct request_t {
  request_cell cell{};
  const void* of = nullptr;  ///< Communicator or window whose error handler is called.
  bool persistent = false;
  bool receives = false;
  std::unique_ptr<rare_parts> rare;

  [[nodiscard]] generalized_t* generalized() const noexcept {
    return rare == nullptr ? nullptr : rare->generalized.get();
  }
  /// True for a started operation of which nobody but its owner is told.
  [[nodiscard]] bool plain() const noexcept { return !persistent && rare == nullptr; }
};

/// All requests. Sends that are complete when their call returns share one.
struct request_table : handle_table<request_t, 0x555> {
  /// Their handle: a request need not be made and freed for each. Never freed while MPI runs; before
  /// and after there is none.
  MPI_Request complete_send = MPI_REQUEST_NULL;
};

/// Ends a request of which request_table::complete_send is the handle.
inline void end_complete_send(MPI_Request& handle, MPI_Status* into) noexcept {
  set_empty(into);
  handle = MPI_REQUEST_NULL;
}
/// Stores the status of a request that is complete.
inline void set_status_of(const request_t& r, const mpx::status& s, MPI_Status* into) noexcept {
  if (into == MPI_STATUS_IGNORE) return;
  if (r.receives) return set_status(into, s);
  set_empty(into);
  into->MPI_internal[2] = s.cancelled() ? 1 : 0;
}
/// Ends a plain request that is complete: its status is known.
inline void end_plain(request_table& all, MPI_Request& handle, request_t& r, const mpx::status& s,
                      MPI_Status* into) noexcept {
  set_status_of(r, s, into);
  all.erase(value_of(handle), r);
  handle = MPI_REQUEST_NULL;
}

}  // namespace mpx_mpi
