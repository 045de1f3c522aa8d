// SPDX-License-Identifier: BSL-1.0
// Errors: texts, classes, handlers, and the checks of errors.hpp.
#include "errors.hpp"

#include <mpi-ext.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "functions.hpp"
#include "mpx/core/error.hpp"

namespace mpx_mpi {

namespace {

struct class_text {
  int code;
  const char* text;
};
constexpr class_text texts[] = {
    {MPI_SUCCESS, "no error"},
    {MPI_ERR_BUFFER, "invalid buffer"},
    {MPI_ERR_COUNT, "invalid count"},
    {MPI_ERR_TYPE, "invalid datatype"},
    {MPI_ERR_TAG, "invalid tag"},
    {MPI_ERR_COMM, "invalid communicator"},
    {MPI_ERR_RANK, "invalid rank"},
    {MPI_ERR_REQUEST, "invalid request"},
    {MPI_ERR_ROOT, "invalid root"},
    {MPI_ERR_GROUP, "invalid group"},
    {MPI_ERR_OP, "invalid operation"},
    {MPI_ERR_TOPOLOGY, "invalid topology"},
    {MPI_ERR_DIMS, "invalid dimensions"},
    {MPI_ERR_ARG, "invalid argument"},
    {MPI_ERR_UNKNOWN, "unknown error"},
    {MPI_ERR_TRUNCATE, "message truncated: it is longer than the receive buffer"},
    {MPI_ERR_OTHER, "error of no other class"},
    {MPI_ERR_INTERN, "internal error"},
    {MPI_ERR_PENDING, "request pending: another one has failed"},
    {MPI_ERR_IN_STATUS, "an error code is in a status"},
    {MPI_ERR_ACCESS, "permission denied"},
    {MPI_ERR_AMODE, "invalid access mode of a file"},
    {MPI_ERR_ASSERT, "invalid assertion"},
    {MPI_ERR_BAD_FILE, "invalid file name"},
    {MPI_ERR_BASE, "invalid base of a window"},
    {MPI_ERR_CONVERSION, "error in a conversion of data"},
    {MPI_ERR_DISP, "invalid displacement"},
    {MPI_ERR_DUP_DATAREP, "data representation defined twice"},
    {MPI_ERR_FILE_EXISTS, "the file exists"},
    {MPI_ERR_FILE_IN_USE, "the file is in use"},
    {MPI_ERR_FILE, "invalid file handle"},
    {MPI_ERR_INFO_KEY, "invalid info key"},
    {MPI_ERR_INFO_NOKEY, "no such info key"},
    {MPI_ERR_INFO_VALUE, "invalid info value"},
    {MPI_ERR_INFO, "invalid info object"},
    {MPI_ERR_IO, "error of input or output"},
    {MPI_ERR_KEYVAL, "invalid attribute key"},
    {MPI_ERR_LOCKTYPE, "invalid lock type"},
    {MPI_ERR_NAME, "no such service name"},
    {MPI_ERR_NO_MEM, "out of memory"},
    {MPI_ERR_NOT_SAME, "arguments differ between ranks"},
    {MPI_ERR_NO_SPACE, "no space left"},
    {MPI_ERR_NO_SUCH_FILE, "no such file"},
    {MPI_ERR_PORT, "invalid port name"},
    {MPI_ERR_QUOTA, "quota exceeded"},
    {MPI_ERR_READ_ONLY, "read-only file or file system"},
    {MPI_ERR_RMA_ATTACH, "memory cannot be attached"},
    {MPI_ERR_RMA_CONFLICT, "conflicting accesses to a window"},
    {MPI_ERR_RMA_RANGE, "target memory outside of the window"},
    {MPI_ERR_RMA_SHARED, "memory cannot be shared"},
    {MPI_ERR_RMA_SYNC, "wrong synchronisation of a window"},
    {MPI_ERR_SERVICE, "invalid service name"},
    {MPI_ERR_SIZE, "invalid size"},
    {MPI_ERR_SPAWN, "processes cannot be started"},
    {MPI_ERR_UNSUPPORTED_DATAREP, "unsupported data representation"},
    {MPI_ERR_UNSUPPORTED_OPERATION, "unsupported operation"},
    {MPI_ERR_WIN, "invalid window"},
    {MPI_ERR_RMA_FLAVOR, "wrong flavor of a window"},
    {MPI_ERR_PROC_ABORTED, "a process has aborted"},
    {MPI_ERR_VALUE_TOO_LARGE, "a value is too large for its argument"},
    {MPI_ERR_SESSION, "invalid session"},
    {MPI_ERR_ERRHANDLER, "invalid error handler"},
    {MPI_ERR_ABI, "wrong version of the ABI"},
    {MPIX_ERR_PROC_FAILED, "a process has failed"},
    {MPIX_ERR_PROC_FAILED_PENDING, "a process has failed, and the request is pending"},
    {MPIX_ERR_REVOKED, "the communicator is revoked"},
    {MPI_T_ERR_CANNOT_INIT, "the interface for tools cannot begin"},
    {MPI_T_ERR_NOT_ACCESSIBLE, "not accessible now"},
    {MPI_T_ERR_NOT_INITIALIZED, "called before MPI_T_init_thread"},
    {MPI_T_ERR_NOT_SUPPORTED, "not supported"},
    {MPI_T_ERR_MEMORY, "out of memory"},
    {MPI_T_ERR_INVALID, "invalid argument of a function for tools"},
    {MPI_T_ERR_INVALID_INDEX, "invalid index of a variable, a category or an event"},
    {MPI_T_ERR_INVALID_ITEM, "invalid item of an enumeration"},
    {MPI_T_ERR_INVALID_SESSION, "invalid session of performance variables"},
    {MPI_T_ERR_INVALID_HANDLE, "invalid handle of a variable, an enumeration or an event"},
    {MPI_T_ERR_INVALID_NAME, "no variable, category or event of this name"},
    {MPI_T_ERR_OUT_OF_HANDLES, "too many handles"},
    {MPI_T_ERR_OUT_OF_SESSIONS, "too many sessions of performance variables"},
    {MPI_T_ERR_CVAR_SET_NOT_NOW, "the variable cannot be set now"},
    {MPI_T_ERR_CVAR_SET_NEVER, "the variable is never set"},
    {MPI_T_ERR_PVAR_NO_WRITE, "the variable is not written or reset"},
    {MPI_T_ERR_PVAR_NO_STARTSTOP, "the variable is not started or stopped"},
    {MPI_T_ERR_PVAR_NO_ATOMIC, "the variable is not read and reset at once"},
};

std::string formatted(const char* format, std::va_list values) {
  char text[1024];
  std::vsnprintf(text, sizeof text, format, values);
  return text;
}

/// Ends the job, or this process if it has joined none.
[[noreturn]] void end_job(int code, const std::string& text) {
  const int status = code > 0 && code < 256 ? code : 1;
  library& l = lib();
  if (l.job != nullptr &&
      l.now.load(mpx::platform::memory_order_relaxed) == library::phase::running)
    l.job->abort(status, text);
  std::fprintf(stderr, "mpx: %s\n", text.c_str());
  std::exit(status);
}

/// The failure of the exception that is being handled.
failure current_failure() {
  try {
    throw;
  } catch (const failure& f) {
    return f;
  } catch (const mpx::error& e) {
    return {class_of_errc(e.code().value()), e.what_went_wrong()};
  } catch (const std::bad_alloc&) {
    return {MPI_ERR_NO_MEM, "out of memory"};
  } catch (const std::exception& e) {
    return {MPI_ERR_INTERN, e.what()};
  } catch (...) {
    return {MPI_ERR_OTHER, "an exception of the program"};
  }
}
std::string name_of(const comm_t& c) {
  if (std::string name = c.name.get(); !name.empty()) return name;
  return c.inter() ? "an intercommunicator" : "a communicator";
}

}  // namespace

void fail(int code, const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  failure f{code, formatted(format, values)};
  va_end(values);
  throw f;
}
void table_full(const char* what, std::size_t limit) {
  fail(MPI_ERR_NO_MEM, "no more than %zu %s exist at once", limit, what);
}

std::string name_of(const type_t& t) {
  std::string name = t.name.get();
  return name.empty() ? "of the program" : name;
}
std::string text_of(int code) {
  for (const class_text& t : texts)
    if (t.code == code) return t.text;
  library& l = lib();
  const std::lock_guard guard(l.lock);
  const auto found = l.codes.find(code);
  return found == l.codes.end() ? std::string() : found->second.text;
}
int class_of(int code) noexcept {
  library& l = lib();
  const std::lock_guard guard(l.lock);
  const auto found = l.codes.find(code);
  return found == l.codes.end() ? code : found->second.of;
}
int class_of_errc(int value) noexcept {
  using mpx::errc;
  switch (static_cast<errc>(value)) {
    case errc::buffer: return MPI_ERR_BUFFER;
    case errc::count: return MPI_ERR_TRUNCATE;  // Lengths of the ranks' blocks differ.
    case errc::tag: return MPI_ERR_TAG;
    case errc::communicator: return MPI_ERR_COMM;
    case errc::rank: return MPI_ERR_RANK;
    case errc::request: return MPI_ERR_REQUEST;
    case errc::root: return MPI_ERR_ROOT;
    case errc::dims: return MPI_ERR_DIMS;
    case errc::topology: return MPI_ERR_TOPOLOGY;
    case errc::argument: return MPI_ERR_ARG;
    case errc::truncate: return MPI_ERR_TRUNCATE;
    case errc::pending: return MPI_ERR_PENDING;
    case errc::no_resources: return MPI_ERR_NO_MEM;
    case errc::type: return MPI_ERR_TYPE;
    case errc::operation: return MPI_ERR_OP;
    case errc::datatype: return MPI_ERR_TYPE;
    case errc::window: return MPI_ERR_WIN;
    case errc::rma_sync: return MPI_ERR_RMA_SYNC;
    case errc::rma_range: return MPI_ERR_RMA_RANGE;
    case errc::rma_conflict: return MPI_ERR_RMA_CONFLICT;
    case errc::peer_lost: return MPIX_ERR_PROC_FAILED;
    case errc::revoked: return MPIX_ERR_REVOKED;
    default: return MPI_ERR_OTHER;
  }
}

namespace {
/// The class of a code, to stand behind a text; empty for MPI_ERR_OTHER, which tells nothing.
std::string with_class(int code) {
  const std::string of_class = text_of(code);
  return of_class.empty() || code == MPI_ERR_OTHER ? "" : " (" + of_class + ")";
}
}  // namespace
int call_handler(comm_t* comm, int code, const char* call, const std::string& text) {
  library& l = lib();
  // Errors of no communicator are MPI_COMM_SELF's; before MPI 4.0 they were MPI_COMM_WORLD's.
  if (comm == nullptr || comm == l.self)
    comm = l.self == nullptr || l.self->chose_handler.get() ? l.self : l.world;
  const errhandler_ref how = comm == nullptr ? nullptr : comm->errors.get();
  switch (how == nullptr ? errhandler_t::kind::fatal : how->how) {
    case errhandler_t::kind::returns: return code;
    case errhandler_t::kind::comm: {
      MPI_Comm on = comm->self;
      int value = code;
      reinterpret_cast<MPI_Comm_errhandler_function*>(how->function)(&on, &value);
      return code;
    }
    default: break;
  }
  std::string all = call;
  if (comm != nullptr) all += " on rank " + std::to_string(comm->rank) + " of " + name_of(*comm);
  all += ": " + text;
  end_job(code, all + with_class(code));
}
int failed(const char* call, MPI_Comm comm) {
  const failure f = current_failure();
  if (f.handled) return f.code;
  if (win_t* const win = lib().wins.find(value_of(f.on)); win != nullptr) {
    call_handler(*win, f.code, call, f.text);
    return f.code;
  }
  comm_t* const on = find_comm(f.on != nullptr ? handle_of<MPI_Comm>(value_of(f.on)) : comm);
  return call_handler(on, f.code, call, f.text);
}
void call_handler(win_t& win, int code, const char* call, const std::string& text) {
  const errhandler_ref how = win.errors.get();
  if (how->how == errhandler_t::kind::returns) return;
  if (how->how == errhandler_t::kind::win) {
    MPI_Win on = win.self;
    int value = code;
    reinterpret_cast<MPI_Win_errhandler_function*>(how->function)(&on, &value);
    return;
  }
  std::string name = win.name.get();
  if (name.empty()) name = "a window";
  end_job(code, std::string(call) + " on rank " + std::to_string(win.rank) + " of " + name + ": " +
                    text + with_class(code));
}
int failed(const char* call, MPI_Win win) {
  win_t* const of = find_win(win);
  if (of == nullptr) return failed(call);
  const failure f = current_failure();
  if (!f.handled) call_handler(*of, f.code, call, f.text);
  return f.code;
}
namespace {
void call_handler(session_t& session, int code, const char* call, const std::string& text) {
  const errhandler_ref how = session.errors.get();
  if (how->how == errhandler_t::kind::returns) return;
  if (how->how != errhandler_t::kind::session) end_job(code, std::string(call) + ": " + text);
  MPI_Session on = session.self;
  reinterpret_cast<MPI_Session_errhandler_function*>(how->function)(&on, &code);
}
}  // namespace
int failed(const char* call, MPI_Session session) {
  session_t* const of = lib().sessions.find(value_of(session));
  if (of == nullptr) return failed(call);
  const failure f = current_failure();
  call_handler(*of, f.code, call, f.text);
  return f.code;
}
int failed(const char* call, MPI_Errhandler given) {
  const errhandler_ref how = find_errhandler(given);
  if (how == nullptr) return failed(call);
  const failure f = current_failure();
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  int code = f.code;
  switch (how->how) {
    case errhandler_t::kind::returns: break;
    case errhandler_t::kind::session:
      reinterpret_cast<MPI_Session_errhandler_function*>(how->function)(&session, &code);
      break;
    case errhandler_t::kind::comm:
      reinterpret_cast<MPI_Comm_errhandler_function*>(how->function)(&comm, &code);
      break;
    case errhandler_t::kind::fatal:
    case errhandler_t::kind::abort: end_job(f.code, std::string(call) + ": " + f.text);
    default: return failed(call);  // Of another kind: itself a wrong argument.
  }
  return f.code;
}
int failed(const char* call, as_file_t) noexcept {
  const failure f = current_failure();
  const errhandler_ref how = lib().file_errors;
  if (how != nullptr && how->how != errhandler_t::kind::returns)
    end_job(f.code, std::string(call) + ": " + f.text);
  return f.code;
}
int not_built(const char* call, MPI_Comm comm) {
  try {
    need_running();
    fail(MPI_ERR_UNSUPPORTED_OPERATION, "mpx does not have this function yet");
  } catch (...) {
    return failed(call, comm);
  }
}
int not_built(const char* call, MPI_Session session) {
  try {
    need_running();
    fail(MPI_ERR_UNSUPPORTED_OPERATION, "mpx does not have this function yet");
  } catch (...) {
    return failed(call, session);
  }
}
int not_built(const char* call, as_file_t) noexcept {
  try {
    need_running();
    fail(MPI_ERR_UNSUPPORTED_OPERATION, "mpx does not have this function yet");
  } catch (...) {
    return failed(call, as_file);
  }
}

// --- Checks --------------------------------------------------------------------------------------

void need_running_slow() {
  const bool over = lib().now.load(mpx::platform::memory_order_relaxed) == library::phase::after;
  fail(MPI_ERR_OTHER, over ? "called after MPI_Finalize" : "called before MPI_Init");
}
void bad_handle(int code, const char* what, const void* handle, const void* null) {
  if (handle == null) fail(code, "the %s is null", what);
  fail(code, "%p is no %s: it was freed, never made, or is a handle of another kind", handle, what);
}
void bad_number(int code, const char* what, long long value) {
  fail(code, "%s %lld is out of range", what, value);
}
void bad_rank(int code, const char* what, int rank, const comm_t& comm) {
  fail(code, "%s %d is out of range: ranks are 0 to %d", what, rank, comm.partners - 1);
}
void bad_type(const type_t& t) {
  if (t.absent)
    fail(MPI_ERR_TYPE, "this machine does not have the datatype %s", t.name.get().c_str());
  fail(MPI_ERR_TYPE, "the datatype is not committed: call MPI_Type_commit first");
}
void bad_target(int rank, const win_t& win) {
  fail(MPI_ERR_RANK, "rank %d is out of range: the ranks of the window are 0 to %d", rank,
       win.size - 1);
}
session_t& need_session(MPI_Session s) {
  session_t* const found = lib().sessions.find(value_of(s));
  if (found == nullptr) bad_handle(MPI_ERR_SESSION, "session", s, MPI_SESSION_NULL);
  return *found;
}
op_t& need_op(MPI_Op o) {
  op_t* const found = find_op(o);
  if (found == nullptr) bad_handle(MPI_ERR_OP, "operation", o, MPI_OP_NULL);
  return *found;
}
group_t& need_group(MPI_Group g) {
  group_t* const found = find_group(g);
  if (found == nullptr) bad_handle(MPI_ERR_GROUP, "group", g, MPI_GROUP_NULL);
  return *found;
}
info_t& need_info(MPI_Info i) {
  info_t* const found = find_info(i);
  if (found == nullptr) bad_handle(MPI_ERR_INFO, "info object", i, MPI_INFO_NULL);
  return *found;
}
void need_hints(MPI_Info i) {
  if (i != MPI_INFO_NULL) need_info(i);
}
void need_one_group(const comm_t& comm) {
  if (comm.inter())
    fail(MPI_ERR_COMM, "the communicator has two groups: this call takes one group");
}

void need_no_constant(const void* base) {
  if (base == MPI_IN_PLACE)
    fail(MPI_ERR_BUFFER, "MPI_IN_PLACE is no buffer of this argument at this rank");
  if (base == MPI_BUFFER_AUTOMATIC)
    fail(MPI_ERR_BUFFER, "MPI_BUFFER_AUTOMATIC is no buffer of messages");
}
void need_memory(const void* base, std::int64_t offset, const type_part& part) {
  need_no_constant(base);
  if (part.bytes == 0) return;
  constexpr std::int64_t never_mapped = 0x400000;  // Programs are loaded at or above that address.
  const std::int64_t first = offset + part.type.true_lower_bound();
  if (base == nullptr && first < never_mapped && first > -never_mapped)
    fail(MPI_ERR_BUFFER, "the buffer is a null pointer");
}
buffer data_of_any(const void* base, std::int64_t count, const type_t& type) {
  const type_part& part = *type.part;
  buffer b{const_cast<void*>(base), count, &part.type, part.dense, nullptr, 0};
  need_no_constant(base);
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(count, part.bytes, &bytes))
    fail(MPI_ERR_COUNT, "%lld elements of %lld bytes exceed memory", static_cast<long long>(count),
         static_cast<long long>(part.bytes));
  if (base == nullptr && bytes != 0 && part.type.true_lower_bound() < 4096 &&
      part.type.true_lower_bound() > -4096)
    fail(MPI_ERR_BUFFER, "the buffer is a null pointer, for %lld bytes",
         static_cast<long long>(bytes));
  b.data = static_cast<std::byte*>(b.base);
  b.bytes = static_cast<std::size_t>(bytes);
  return b;
}

// --- Error handlers ------------------------------------------------------------------------------

namespace {
void set_handler(shared_value<errhandler_ref>& of, MPI_Errhandler errhandler,
                 errhandler_t::kind kind) {
  const errhandler_ref found = find_errhandler(errhandler);
  if (found == nullptr)
    bad_handle(MPI_ERR_ERRHANDLER, "error handler", errhandler, MPI_ERRHANDLER_NULL);
  if (found->how > errhandler_t::kind::returns && found->how != kind)
    fail(MPI_ERR_ERRHANDLER, "the error handler is one for another kind of object");
  of.set(found);
}
MPI_Errhandler handle_of_handler(const errhandler_ref& how) {
  switch (how->how) {
    case errhandler_t::kind::fatal: return MPI_ERRORS_ARE_FATAL;
    case errhandler_t::kind::abort: return MPI_ERRORS_ABORT;
    case errhandler_t::kind::returns: return MPI_ERRORS_RETURN;
    default: return put_in<MPI_Errhandler>(lib().errhandlers, "error handlers", how);
  }
}
template <class Function>
MPI_Errhandler new_handler(errhandler_t::kind kind, Function* function) {
  if (function == nullptr) fail(MPI_ERR_ARG, "the function of an error handler is null");
  auto made = std::make_shared<const errhandler_t>(
      errhandler_t{kind, reinterpret_cast<void (*)()>(function)});
  return put_in<MPI_Errhandler>(lib().errhandlers, "error handlers", errhandler_ref(made));
}
}  // namespace

errhandler_ref find_errhandler(MPI_Errhandler e) {
  const auto made = [](errhandler_t::kind k) {
    return std::make_shared<const errhandler_t>(errhandler_t{k});
  };
  if (e == MPI_ERRORS_ARE_FATAL) return made(errhandler_t::kind::fatal);
  if (e == MPI_ERRORS_ABORT) return made(errhandler_t::kind::abort);
  if (e == MPI_ERRORS_RETURN) return made(errhandler_t::kind::returns);
  errhandler_ref* const found = lib().errhandlers.find(value_of(e));
  return found == nullptr ? nullptr : *found;
}

void Comm_create_errhandler(MPI_Comm_errhandler_function* comm_errhandler_fn,
                            MPI_Errhandler* errhandler) {
  *errhandler = new_handler(errhandler_t::kind::comm, comm_errhandler_fn);
}
void Win_create_errhandler(MPI_Win_errhandler_function* win_errhandler_fn,
                           MPI_Errhandler* errhandler) {
  *errhandler = new_handler(errhandler_t::kind::win, win_errhandler_fn);
}
void File_create_errhandler(MPI_File_errhandler_function* file_errhandler_fn,
                            MPI_Errhandler* errhandler) {
  *errhandler = new_handler(errhandler_t::kind::file, file_errhandler_fn);
}
void Session_create_errhandler(MPI_Session_errhandler_function* session_errhandler_fn,
                               MPI_Errhandler* errhandler) {
  *errhandler = new_handler(errhandler_t::kind::session, session_errhandler_fn);
}
void Session_set_errhandler(session_t& session, MPI_Errhandler errhandler) {
  set_handler(session.errors, errhandler, errhandler_t::kind::session);
}
void Session_get_errhandler(session_t& session, MPI_Errhandler* errhandler) {
  *errhandler = handle_of_handler(session.errors.get());
}
void Session_call_errhandler(session_t& session, int errorcode) {
  call_handler(session, errorcode, "MPI_Session_call_errhandler", text_of(errorcode));
}
void Win_set_errhandler(win_t& win, MPI_Errhandler errhandler) {
  set_handler(win.errors, errhandler, errhandler_t::kind::win);
}
void Win_get_errhandler(win_t& win, MPI_Errhandler* errhandler) {
  *errhandler = handle_of_handler(win.errors.get());
}
void Win_call_errhandler(win_t& win, int errorcode) {
  call_handler(win, errorcode, "MPI_Win_call_errhandler", text_of(errorcode));
}
void Comm_set_errhandler(comm_t& comm, MPI_Errhandler errhandler) {
  set_handler(comm.errors, errhandler, errhandler_t::kind::comm);
  comm.chose_handler.set(true);
}
void Comm_get_errhandler(comm_t& comm, MPI_Errhandler* errhandler) {
  *errhandler = handle_of_handler(comm.errors.get());
}
void Comm_call_errhandler(comm_t& comm, int errorcode) {
  const int code = errorcode;
  call_handler(&comm, code, "MPI_Comm_call_errhandler", text_of(code));
}
void Errhandler_free(MPI_Errhandler* errhandler) {
  const auto v = value_of(*errhandler);
  if (find_errhandler(*errhandler) == nullptr)
    bad_handle(MPI_ERR_ERRHANDLER, "error handler", *errhandler, MPI_ERRHANDLER_NULL);
  lib().errhandlers.erase(v);  // Nothing for a predefined one.
  *errhandler = MPI_ERRHANDLER_NULL;
}

// --- Classes and codes ---------------------------------------------------------------------------

namespace {
/// True for a class of MPI, and of mpi-ext.h.
bool is_class(int code) noexcept {
  return (code >= 0 && code <= MPI_ERR_ABI) ||
         (code >= MPIX_ERR_PROC_FAILED && code <= MPIX_ERR_REVOKED);
}
int add_code(int of, library& l) {
  const int made = ++l.last_code;
  l.codes[made] = {of < 0 ? made : of, {}};
  return made;
}
library::user_code& need_user_code(library& l, int code, const char* what) {
  const auto found = l.codes.find(code);
  if (found == l.codes.end())
    fail(MPI_ERR_ARG, "%d is no %s that the program has added", code, what);
  return found->second;
}
/// The last number that is left is MPI_LASTUSEDCODE; the next one is that after it.
void remove_code(library& l, int code, const char* what) {
  need_user_code(l, code, what);
  l.codes.erase(code);
  l.last_code = l.codes.empty() ? MPI_ERR_LASTCODE : l.codes.rbegin()->first;
}
}  // namespace

void Add_error_class(int* errorclass) {
  library& l = lib();
  const std::lock_guard guard(l.lock);
  *errorclass = add_code(-1, l);
}
void Add_error_code(int errorclass, int* errorcode) {
  library& l = lib();
  const std::lock_guard guard(l.lock);
  const bool known = is_class(errorclass);
  if (!known && need_user_code(l, errorclass, "error class").of != errorclass)
    fail(MPI_ERR_ARG, "%d is an error code, not a class", errorclass);
  *errorcode = add_code(errorclass, l);
}
void Add_error_string(int errorcode, const char* string) {
  library& l = lib();
  const std::lock_guard guard(l.lock);
  need_user_code(l, errorcode, "error code").text =
      std::string(string).substr(0, MPI_MAX_ERROR_STRING - 1);
}
void Remove_error_class(int errorclass) {
  library& l = lib();
  const std::lock_guard guard(l.lock);
  remove_code(l, errorclass, "error class");
}
void Remove_error_code(int errorcode) {
  library& l = lib();
  const std::lock_guard guard(l.lock);
  remove_code(l, errorcode, "error code");
}
void Remove_error_string(int errorcode) {
  library& l = lib();
  const std::lock_guard guard(l.lock);
  need_user_code(l, errorcode, "error code").text.clear();
}
void Error_class(int errorcode, int* errorclass) { *errorclass = class_of(errorcode); }
void Error_string(int errorcode, char* string, int* resultlen) {
  bool known = is_class(errorcode) ||
               (errorcode >= MPI_T_ERR_CANNOT_INIT && errorcode <= MPI_T_ERR_PVAR_NO_ATOMIC);
  if (!known) {
    const std::lock_guard guard(lib().lock);
    known = errorcode > MPI_ERR_LASTCODE && errorcode <= lib().last_code;
  }
  if (!known) fail(MPI_ERR_ARG, "%d is no error code", errorcode);
  const std::string text = text_of(errorcode);
  *resultlen = std::snprintf(string, MPI_MAX_ERROR_STRING, "%s", text.c_str());
}

}  // namespace mpx_mpi
