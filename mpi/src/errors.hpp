// SPDX-License-Identifier: BSL-1.0
#pragma once
// Errors of the MPI library: an exception with an error class, and checks of arguments.

#include <cstdint>
#include <mutex>
#include <string>

#include "objects.hpp"

namespace mpx_mpi {

/// An error of a call, which its error handler gets as a code.
struct failure {
  int code;
  std::string text;
  const void* on = nullptr;  ///< Communicator or window whose handler is called, if not the call's.
  bool handled = false;      ///< The code came from the program: no handler is called.
};
/// Throws a failure with formatted text.
[[noreturn, gnu::format(printf, 2, 3)]] void fail(int code, const char* format, ...);

/// Returns the text of an error class or code.
std::string text_of(int code);
/// Returns the class of a code.
int class_of(int code) noexcept;
/// Returns the error class of an mpx error.
int class_of_errc(int value) noexcept;

/// The name of a datatype, for texts.
std::string name_of(const type_t& t);

/// Reports the exception that is being handled: calls the handler of `comm`, or of MPI_COMM_SELF.
/// Returns:    the error code. Throws what the handler throws.
int failed(const char* call, MPI_Comm comm = MPI_COMM_SELF);
int failed(const char* call, MPI_Session session);
int failed(const char* call, MPI_Win win);
/// As above, for calls that get an error handler, which is called for the null object.
int failed(const char* call, MPI_Errhandler given);
struct as_file_t {};
inline constexpr as_file_t as_file{};
int failed(const char* call, as_file_t) noexcept;
/// Reports MPI_ERR_UNSUPPORTED_OPERATION.
int not_built(const char* call, MPI_Comm comm = MPI_COMM_SELF);
int not_built(const char* call, MPI_Session session);
int not_built(const char* call, as_file_t) noexcept;
/// Returns the code of the exception that is being handled. Functions for tools call no handler.
int tool_failed() noexcept;
/// Locks the state of functions for tools. Throws MPI_T_ERR_NOT_INITIALIZED if no tool has begun.
std::unique_lock<std::mutex> need_tools();
std::unique_lock<std::mutex> lock_tools();
/// Calls the error handler of `win` with `code`.
void call_handler(win_t& win, int code, const char* call, const std::string& text);
/// Calls the error handler of `comm` with `code`. Returns the code.
int call_handler(comm_t* comm, int code, const char* call, const std::string& text);

// Checks of arguments. They throw.
void need_running_slow();
inline void need_running() {
  if (lib().now.load(mpx::platform::memory_order_relaxed) != library::phase::running) [[unlikely]]
    need_running_slow();
}
[[noreturn]] void bad_handle(int code, const char* what, const void* handle, const void* null);
[[noreturn]] void bad_number(int code, const char* what, long long value);
inline void need_place(const void* p, const char* name) {
  if (p == nullptr) [[unlikely]]
    fail(MPI_ERR_ARG, "argument %s is a null pointer", name);
}
inline void need_count(std::int64_t n, const char* name) {
  if (n < 0) [[unlikely]]
    fail(MPI_ERR_COUNT, "%s is negative: %lld", name, static_cast<long long>(n));
}
inline void need_tag(int tag) {
  if (tag < 0) [[unlikely]]
    bad_number(MPI_ERR_TAG, "tag", tag);
}
inline void need_any_tag(int tag) {
  if (tag < 0 && tag != MPI_ANY_TAG) [[unlikely]]
    bad_number(MPI_ERR_TAG, "tag", tag);
}
[[noreturn]] void bad_rank(int code, const char* what, int rank, const comm_t& comm);
inline void need_destination(int rank, const comm_t& comm) {
  if (static_cast<unsigned>(rank) >= static_cast<unsigned>(comm.partners) && rank != MPI_PROC_NULL)
      [[unlikely]]
    bad_rank(MPI_ERR_RANK, "destination", rank, comm);
}
inline void need_source(int rank, const comm_t& comm) {
  if (static_cast<unsigned>(rank) >= static_cast<unsigned>(comm.partners) &&
      rank != MPI_PROC_NULL && rank != MPI_ANY_SOURCE) [[unlikely]]
    bad_rank(MPI_ERR_RANK, "source", rank, comm);
}
inline void need_root(int rank, const comm_t& comm) {
  if (static_cast<unsigned>(rank) < static_cast<unsigned>(comm.partners)) [[likely]]
    return;
  if (comm.inter() && (rank == MPI_ROOT || rank == MPI_PROC_NULL)) return;
  bad_rank(MPI_ERR_ROOT, "root", rank, comm);
}
inline comm_t& need_comm(MPI_Comm c) {
  comm_t* const found = find_comm(c);
  if (found == nullptr) [[unlikely]]
    bad_handle(MPI_ERR_COMM, "communicator", c, MPI_COMM_NULL);
  return *found;
}
inline type_t& need_any_type(MPI_Datatype t) {
  type_t* const found = find_type(t);
  if (found == nullptr) [[unlikely]]
    bad_handle(MPI_ERR_TYPE, "datatype", t, MPI_DATATYPE_NULL);
  return *found;
}
[[noreturn]] void bad_type(const type_t& t);
inline type_t& need_type(MPI_Datatype t) {
  type_t& found = need_any_type(t);
  if (!found.committed) [[unlikely]]
    bad_type(found);
  return found;
}
session_t& need_session(MPI_Session s);
inline win_t& need_win(MPI_Win w) {
  win_t* const found = find_win(w);
  if (found == nullptr) [[unlikely]]
    bad_handle(MPI_ERR_WIN, "window", w, MPI_WIN_NULL);
  return *found;
}
[[noreturn]] void bad_target(int rank, const win_t& win);
inline void need_target(int rank, const win_t& win) {
  if (static_cast<unsigned>(rank) >= static_cast<unsigned>(win.size) && rank != MPI_PROC_NULL)
      [[unlikely]]
    bad_target(rank, win);
}
op_t& need_op(MPI_Op o);
group_t& need_group(MPI_Group g);
info_t& need_info(MPI_Info i);
void need_hints(MPI_Info i);
void need_one_group(const comm_t& comm);

/// Throws MPI_ERR_BUFFER for constants that are no buffer.
void need_no_constant(const void* base);
/// Throws MPI_ERR_BUFFER if a block at `base` plus `offset` bytes is at no address of memory.
void need_memory(const void* base, std::int64_t offset, const type_part& part);
/// The buffer of a call. Throws MPI_ERR_BUFFER for a null address where the datatype has no
/// absolute addresses, and for MPI_IN_PLACE.
buffer data_of_any(const void* base, std::int64_t count, const type_t& type);
inline buffer data_of(const void* base, std::int64_t count, const type_t& type) {
  const type_part& part = *type.part;
  std::int64_t bytes = 0;
  if (value_of(base) < 4096 || __builtin_mul_overflow(count, part.bytes, &bytes)) [[unlikely]]
    return data_of_any(base, count, type);
  void* const at = const_cast<void*>(base);
  return {at,
          count,
          &part.type,
          part.dense,
          static_cast<std::byte*>(at),
          static_cast<std::size_t>(bytes)};
}

}  // namespace mpx_mpi
