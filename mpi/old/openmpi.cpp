// SPDX-License-Identifier: BSL-1.0
// Start of the translating library, its tables, and the functions of programs that libmpi_abi calls.
#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "openmpi_entries.hpp"

namespace mpx_mpi_openmpi {

namespace {

constexpr std::size_t buckets = 1024;
/// Predefined objects by address and by value. Filled before the program starts.
struct handle_tables {
  predefined by_address[buckets] = {};
  void* by_value[values_max] = {};
};
handle_tables tables;

std::size_t bucket_of(const void* object) noexcept {
  return (reinterpret_cast<std::uintptr_t>(object) / 16 * 0x9e37'79b9u >> 8) % buckets;
}

/// Opens libmpi_abi beside this library, and fills the tables.
__attribute__((constructor)) void begin() {
  void* const library = ::dlopen("libmpi_abi.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "mpx: Open MPI's interface needs libmpi_abi.so.1: %s\n", ::dlerror());
    std::abort();
  }
  for (std::size_t i = 0; i < our_count; ++i) {
    our[i] = ::dlsym(library, our_names[i]);
    if (our[i] == nullptr) {
      std::fprintf(stderr, "mpx: libmpi_abi.so.1 is of another version: no %s\n", our_names[i]);
      std::abort();
    }
  }
  for (std::size_t i = 0; i < predefined_count; ++i) {
    const predefined& p = all_predefined[i];
    std::size_t b = bucket_of(p.object);
    while (tables.by_address[b].object != nullptr) b = (b + 1) % buckets;
    tables.by_address[b] = p;
    if (tables.by_value[p.value] == nullptr) tables.by_value[p.value] = p.object;
  }
}

std::uint64_t bytes_of(const MPI_Status& s) noexcept {  // As libmpi_abi stores it.
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, s.MPI_internal, sizeof bytes);
  return bytes;
}

}  // namespace

void* find_object(void* h) noexcept {
  for (std::size_t b = bucket_of(h); tables.by_address[b].object != nullptr; b = (b + 1) % buckets)
    if (tables.by_address[b].object == h)
      return reinterpret_cast<void*>(std::uintptr_t{tables.by_address[b].value});
  return h;
}
void* find_value(std::uintptr_t value) noexcept {
  void* const object = tables.by_value[value];
  return object != nullptr ? object : reinterpret_cast<void*>(value);
}

MPI_Status new_status(const old_status& s) noexcept {
  MPI_Status made{};
  made.MPI_SOURCE = rank_to_new(s.MPI_SOURCE);
  made.MPI_TAG = tag_to_new(s.MPI_TAG);
  made.MPI_ERROR = error_to_new(s.MPI_ERROR);
  const std::uint64_t bytes = s.bytes;
  std::memcpy(made.MPI_internal, &bytes, sizeof bytes);
  made.MPI_internal[2] = s.cancelled;
  return made;
}
void store_status(old_status& into, const MPI_Status& s) noexcept {
  into.MPI_SOURCE = rank_to_old(s.MPI_SOURCE);
  into.MPI_TAG = tag_to_old(s.MPI_TAG);
  if (s.MPI_ERROR != error_unset) into.MPI_ERROR = error_to_old(s.MPI_ERROR);
  into.bytes = bytes_of(s);
  into.cancelled = s.MPI_internal[2];
}

int other_error_to_new(int v) noexcept { return v; }
int other_error_to_old(int v) noexcept {
  return v > 0 && v < MPI_ERR_LASTCODE ? error_to_old(MPI_ERR_OTHER) : v;
}
namespace {
constexpr int first_key = 4096;
}
int other_keyval_to_new(int v) noexcept {
  return v >= first_key ? v - first_key : MPI_KEYVAL_INVALID;
}
int other_keyval_to_old(int v) noexcept { return v + first_key; }

std::size_t partners(MPI_Comm comm) {
  int inter = 0;
  int n = 0;
  if (at<int(MPI_Comm, int*)>(fn_Comm_test_inter)(comm, &inter) != MPI_SUCCESS) return 0;
  at<int(MPI_Comm, int*)>(inter != 0 ? fn_Comm_remote_size : fn_Comm_size)(comm, &n);
  return length(n);
}
std::size_t neighbors(MPI_Comm comm, bool sources) {
  int kind = MPI_UNDEFINED;
  int n = 0;
  if (at<int(MPI_Comm, int*)>(fn_Topo_test)(comm, &kind) != MPI_SUCCESS) return 0;
  if (kind == MPI_CART) {
    at<int(MPI_Comm, int*)>(fn_Cartdim_get)(comm, &n);
    n *= 2;
  } else if (kind == MPI_GRAPH) {
    int rank = 0;
    at<int(MPI_Comm, int*)>(fn_Comm_rank)(comm, &rank);
    at<int(MPI_Comm, int, int*)>(fn_Graph_neighbors_count)(comm, rank, &n);
  } else if (kind == MPI_DIST_GRAPH) {
    int in = 0;
    int out = 0;
    int weighted = 0;
    at<int(MPI_Comm, int*, int*, int*)>(fn_Dist_graph_neighbors_count)(comm, &in, &out, &weighted);
    n = sources ? in : out;
  }
  return length(n);
}

// --- Functions of the program ---------------------------------------------------------------------

namespace {

/// Functions of the program, each with an own function that calls it.
class function_table {
 public:
  /// Returns the number of a function; -1 if the table is full.
  int number_of(any_function f) noexcept {
    const std::lock_guard guard(lock_);
    for (std::size_t i = 0; i < used_; ++i)
      if (all_[i] == f) return static_cast<int>(i);
    if (used_ == functions_max) return -1;
    all_[used_] = f;
    return static_cast<int>(used_++);
  }
  template <class F>
  F* get(std::size_t i) const noexcept {
    return reinterpret_cast<F*>(all_[i]);
  }

 private:
  std::mutex lock_;
  std::size_t used_ = 0;
  any_function all_[functions_max] = {};
};
function_table operations;
function_table handlers;

/// Raises the error of a full table. Returns its code, of class MPI_ERR_NO_MEM.
int too_many_functions() {
  static const int made = [] {
    int code = MPI_ERR_NO_MEM;
    at<int(int, int*)>(fn_Add_error_code)(MPI_ERR_NO_MEM, &code);
    at<int(int, const char*)>(fn_Add_error_string)(
        code,
        "no more than 256 different functions of a program compiled against Open MPI become "
        "operations, and as many become error handlers");
    return code;
  }();
  at<int(MPI_Comm, int)>(fn_Comm_call_errhandler)(MPI_COMM_SELF, made);
  return made;
}

template <std::size_t I>
void call_operation(void* in, void* inout, int* n, MPI_Datatype* type) {
  void* old = to_old(*type);
  operations.get<void(void*, void*, int*, void**)>(I)(in, inout, n, &old);
}
template <std::size_t I, class Handle>
void call_handler(Handle* on, int* code, ...) {
  void* old = to_old(*on);
  int old_code = error_to_old(*code);
  handlers.get<void(void**, int*, ...)>(I)(&old, &old_code);
}
template <std::size_t... I>
constexpr auto operation_callers(std::index_sequence<I...>) {
  return std::array<MPI_User_function*, sizeof...(I)>{&call_operation<I>...};
}
template <class Handle, class Function, std::size_t... I>
constexpr auto handler_callers(std::index_sequence<I...>) {
  return std::array<Function*, sizeof...(I)>{&call_handler<I, Handle>...};
}
using numbers = std::make_index_sequence<functions_max>;

template <class Handle, class Function>
int create_handler(int function_number, any_function f, void** errhandler) {
  static constexpr auto callers = handler_callers<Handle, Function>(numbers{});
  const int i = f == nullptr ? 0 : handlers.number_of(f);
  if (i < 0) return too_many_functions();
  handle_place<MPI_Errhandler> made(errhandler, false);
  return at<int(Function*, MPI_Errhandler*)>(function_number)(
      f == nullptr ? nullptr : callers[static_cast<std::size_t>(i)], made.get());
}

/// Functions and argument of a key. Lives as long as the program: attributes outlive their key.
struct key_functions {
  any_function copy;
  any_function drop;
  void* extra;
};
template <class Handle>
int call_copy(Handle of, int key, void* extra, void* in, void* out, int* flag) {
  const auto& k = *static_cast<const key_functions*>(extra);
  return error_to_new(reinterpret_cast<int (*)(void*, int, void*, void*, void*, int*)>(k.copy)(
      to_old(of), keyval_to_old(key), k.extra, in, out, flag));
}
template <class Handle>
int call_drop(Handle of, int key, void* value, void* extra) {
  const auto& k = *static_cast<const key_functions*>(extra);
  return error_to_new(reinterpret_cast<int (*)(void*, int, void*, void*)>(k.drop)(
      to_old(of), keyval_to_old(key), value, k.extra));
}
template <class Handle>
int create_key(int function_number, any_function copy, any_function drop, int* key, void* extra) {
  auto* const kept = new (std::nothrow) key_functions{copy, drop, extra};
  if (kept == nullptr) return MPI_ERR_NO_MEM;
  const int code = at<int(decltype(&call_copy<Handle>), decltype(&call_drop<Handle>), int*, void*)>(
      function_number)(copy == nullptr ? nullptr : &call_copy<Handle>,
                       drop == nullptr ? nullptr : &call_drop<Handle>, key, kept);
  if (code == MPI_SUCCESS)
    *key = keyval_to_old(*key);
  else
    delete kept;
  return code;
}

struct request_functions {
  int (*query)(void*, old_status*);
  int (*drop)(void*);
  int (*cancel)(void*, int);
  void* extra;
};
int call_query(void* extra, MPI_Status* status) {
  const auto& r = *static_cast<const request_functions*>(extra);
  old_status old{};
  store_status(old, *status);
  const int code = r.query(r.extra, &old);
  const int kept = status->MPI_ERROR;
  *status = new_status(old);
  status->MPI_ERROR = kept;
  return error_to_new(code);
}
int call_free(void* extra) {
  const std::unique_ptr<request_functions> r(static_cast<request_functions*>(extra));
  return error_to_new(r->drop(r->extra));
}
int call_cancel(void* extra, int complete) {
  const auto& r = *static_cast<const request_functions*>(extra);
  return error_to_new(r.cancel(r.extra, complete));
}

}  // namespace

int Op_create(any_function user_fn, int commute, void** op) {
  static constexpr auto callers = operation_callers(numbers{});
  const int i = user_fn == nullptr ? 0 : operations.number_of(user_fn);
  if (i < 0) return too_many_functions();
  handle_place<MPI_Op> made(op, false);
  return at<int(MPI_User_function*, int, MPI_Op*)>(fn_Op_create)(
      user_fn == nullptr ? nullptr : callers[static_cast<std::size_t>(i)], commute, made.get());
}
int Comm_create_errhandler(any_function function, void** errhandler) {
  return create_handler<MPI_Comm, MPI_Comm_errhandler_function>(fn_Comm_create_errhandler, function,
                                                                errhandler);
}
int Win_create_errhandler(any_function function, void** errhandler) {
  return create_handler<MPI_Win, MPI_Win_errhandler_function>(fn_Win_create_errhandler, function,
                                                              errhandler);
}
int File_create_errhandler(any_function function, void** errhandler) {
  return create_handler<MPI_File, MPI_File_errhandler_function>(fn_File_create_errhandler, function,
                                                                errhandler);
}
int Comm_create_keyval(any_function copy, any_function drop, int* keyval, void* extra) {
  return create_key<MPI_Comm>(fn_Comm_create_keyval, copy, drop, keyval, extra);
}
int Type_create_keyval(any_function copy, any_function drop, int* keyval, void* extra) {
  return create_key<MPI_Datatype>(fn_Type_create_keyval, copy, drop, keyval, extra);
}
int Win_create_keyval(any_function copy, any_function drop, int* keyval, void* extra) {
  return create_key<MPI_Win>(fn_Win_create_keyval, copy, drop, keyval, extra);
}
int Keyval_create(any_function copy, any_function drop, int* keyval, void* extra) {
  return Comm_create_keyval(copy, drop, keyval, extra);
}
int Grequest_start(any_function query, any_function drop, any_function cancel, void* extra,
                   void** request) {
  auto kept = std::unique_ptr<request_functions>(new (std::nothrow) request_functions{
      reinterpret_cast<int (*)(void*, old_status*)>(query), reinterpret_cast<int (*)(void*)>(drop),
      reinterpret_cast<int (*)(void*, int)>(cancel), extra});
  if (kept == nullptr) return MPI_ERR_NO_MEM;
  handle_place<MPI_Request> made(request, false);
  const bool all = query != nullptr && drop != nullptr && cancel != nullptr;
  const int code = at<int(MPI_Grequest_query_function*, MPI_Grequest_free_function*,
                          MPI_Grequest_cancel_function*, void*, MPI_Request*)>(fn_Grequest_start)(
      all ? &call_query : nullptr, &call_free, &call_cancel, kept.get(), made.get());
  if (code == MPI_SUCCESS) static_cast<void>(kept.release());
  return code;
}

/// Values of predefined attributes are pointed to.
int Win_get_attr(void* win, int win_keyval, void* attribute_val, int* flag) {
  const int key = keyval_to_new(win_keyval);
  const int code = at<int(MPI_Win, int, void*, int*)>(fn_Win_get_attr)(to_new<MPI_Win>(win), key,
                                                                       attribute_val, flag);
  if (code != MPI_SUCCESS || *flag == 0) return code;
  static int flavors[] = {0, 1, 2, 3, 4};
  static int models[] = {0, 1};
  int*& value = *static_cast<int**>(attribute_val);
  if (key == MPI_WIN_CREATE_FLAVOR) value = &flavors[flavor_to_old(*value)];
  if (key == MPI_WIN_MODEL) value = &models[model_to_old(*value)];
  return code;
}

}  // namespace mpx_mpi_openmpi

// --- Functions and objects of Open MPI's that no call of MPI makes -------------------------------------

using mpx_mpi_openmpi::old_status;

extern "C" {

MPX_EXPORTED int OMPI_C_MPI_COMM_NULL_COPY_FN(void*, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}
MPX_EXPORTED int OMPI_C_MPI_COMM_DUP_FN(void*, int, void*, void* in, void* out, int* flag) {
  *static_cast<void**>(out) = in;
  *flag = 1;
  return MPI_SUCCESS;
}
MPX_EXPORTED int OMPI_C_MPI_COMM_NULL_DELETE_FN(void*, int, void*, void*) { return MPI_SUCCESS; }
// Of MPI_Keyval_create.
MPX_EXPORTED int OMPI_C_MPI_NULL_COPY_FN(void*, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}
MPX_EXPORTED int OMPI_C_MPI_DUP_FN(void*, int, void*, void* in, void* out, int* flag) {
  *static_cast<void**>(out) = in;
  *flag = 1;
  return MPI_SUCCESS;
}
MPX_EXPORTED int OMPI_C_MPI_NULL_DELETE_FN(void*, int, void*, void*) { return MPI_SUCCESS; }
MPX_EXPORTED int OMPI_C_MPI_TYPE_NULL_COPY_FN(void*, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}
MPX_EXPORTED int OMPI_C_MPI_TYPE_DUP_FN(void*, int, void*, void* in, void* out, int* flag) {
  *static_cast<void**>(out) = in;
  *flag = 1;
  return MPI_SUCCESS;
}
MPX_EXPORTED int OMPI_C_MPI_TYPE_NULL_DELETE_FN(void*, int, void*, void*) { return MPI_SUCCESS; }
MPX_EXPORTED int OMPI_C_MPI_WIN_NULL_COPY_FN(void*, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}
MPX_EXPORTED int OMPI_C_MPI_WIN_DUP_FN(void*, int, void*, void* in, void* out, int* flag) {
  *static_cast<void**>(out) = in;
  *flag = 1;
  return MPI_SUCCESS;
}
MPX_EXPORTED int OMPI_C_MPI_WIN_NULL_DELETE_FN(void*, int, void*, void*) { return MPI_SUCCESS; }

int old_Status_c2f(const old_status* s, int* f) __asm__("PMPI_Status_c2f") MPX_EXPORTED;
MPX_WEAK(Status_c2f)
int old_Status_c2f(const old_status* s, int* f) {
  std::memcpy(f, s, sizeof *s);
  return MPI_SUCCESS;
}
int old_Status_f2c(const int* f, old_status* s) __asm__("PMPI_Status_f2c") MPX_EXPORTED;
MPX_WEAK(Status_f2c)
int old_Status_f2c(const int* f, old_status* s) {
  std::memcpy(s, f, sizeof *s);
  return MPI_SUCCESS;
}

}  // extern "C"
