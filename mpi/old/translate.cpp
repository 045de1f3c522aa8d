// SPDX-License-Identifier: BSL-1.0
// Start of the translating library, its tables, and the functions of programs that libmpi_abi calls.
#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "entries.hpp"

namespace mpx_mpi_old {

namespace {

constexpr std::size_t buckets = 1024;
/// Predefined objects by key and by value. Filled before the program starts.
struct handle_tables {
  predefined by_key[buckets] = {};
  std::uintptr_t by_value[values_max] = {};
};
handle_tables tables;

std::size_t bucket_of(std::uintptr_t key) noexcept {
  return (key * 0x9e37'79b9'7f4a'7c15u >> 32) % buckets;
}

/// Opens libmpi_abi beside this library, and fills the tables.
__attribute__((constructor)) void begin() {
  void* const library = ::dlopen("libmpi_abi.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "mpx: %s's interface needs libmpi_abi.so.1: %s\n", interface_name,
                 ::dlerror());
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
    const predefined p = predefined_at(i);
    std::size_t b = bucket_of(p.key);
    while (tables.by_key[b].key != 0) b = (b + 1) % buckets;
    tables.by_key[b] = p;
    if (tables.by_value[p.value] == 0) tables.by_value[p.value] = p.key;
  }
}

}  // namespace

std::uintptr_t find_value(std::uintptr_t key) noexcept {
  for (std::size_t b = bucket_of(key); tables.by_key[b].key != 0; b = (b + 1) % buckets)
    if (tables.by_key[b].key == key) return tables.by_key[b].value;
  return 0;
}
std::uintptr_t find_key(std::uintptr_t value) noexcept { return tables.by_value[value]; }

MPI_Status new_status(const old_status& s) noexcept {
  MPI_Status made{};
  made.MPI_SOURCE = rank_to_new(s.MPI_SOURCE);
  made.MPI_TAG = tag_to_new(s.MPI_TAG);
  made.MPI_ERROR = error_to_new(s.MPI_ERROR);
  const message_size size = size_of(s);  // As libmpi_abi stores it.
  std::memcpy(made.MPI_internal, &size.bytes, sizeof size.bytes);
  made.MPI_internal[2] = size.cancelled ? 1 : 0;
  return made;
}
void store_status(old_status& into, const MPI_Status& s) noexcept {
  into.MPI_SOURCE = rank_to_old(s.MPI_SOURCE);
  into.MPI_TAG = tag_to_old(s.MPI_TAG);
  if (s.MPI_ERROR != unset) into.MPI_ERROR = error_to_old(s.MPI_ERROR);
  message_size size{};
  std::memcpy(&size.bytes, s.MPI_internal, sizeof size.bytes);
  size.cancelled = s.MPI_internal[2] != 0;
  set_size(into, size);
}

int other_error_to_new(int v) noexcept { return v & ~user_error_bit; }
int other_error_to_old(int v) noexcept {
  if (v <= 0) return v;
  return v < MPI_ERR_LASTCODE ? error_to_old(MPI_ERR_OTHER) : v | user_error_bit;
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

/// An integer that an attribute points to. Several threads may store the same value.
class pointed_int {
 public:
  int* store(int v) noexcept {
    __atomic_store_n(&value_, v, __ATOMIC_RELAXED);
    return &value_;
  }

 private:
  int value_ = 0;
};

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
        "no more than 256 different functions of a program compiled against another MPI become "
        "operations, and as many become error handlers");
    return code;
  }();
  at<int(MPI_Comm, int)>(fn_Comm_call_errhandler)(MPI_COMM_SELF, made);
  return made;
}

template <class Count, std::size_t I>
void call_operation(void* in, void* inout, Count* n, MPI_Datatype* type) {
  old<MPI_Datatype> of = to_old(*type);
  operations.get<void(void*, void*, Count*, old<MPI_Datatype>*)>(I)(in, inout, n, &of);
}
template <std::size_t I, class Handle>
void call_handler(Handle* on, int* code, ...) {
  old<Handle> of = to_old(*on);
  int old_code = error_to_old(*code);
  handlers.get<void(old<Handle>*, int*, ...)>(I)(&of, &old_code);
}
template <class Count, std::size_t... I>
constexpr auto operation_callers(std::index_sequence<I...>) {
  return std::array<void (*)(void*, void*, Count*, MPI_Datatype*), sizeof...(I)>{
      &call_operation<Count, I>...};
}
template <class Handle, class Function, std::size_t... I>
constexpr auto handler_callers(std::index_sequence<I...>) {
  return std::array<Function*, sizeof...(I)>{&call_handler<I, Handle>...};
}
using numbers = std::make_index_sequence<functions_max>;

template <class Count>
int create_operation(int function_number, any_function f, int commute, old<MPI_Op>* op) {
  static constexpr auto callers = operation_callers<Count>(numbers{});
  const int i = f == nullptr ? 0 : operations.number_of(f);
  if (i < 0) return too_many_functions();
  handle_places<MPI_Op> made(op, 1, false);
  return at<int(void (*)(void*, void*, Count*, MPI_Datatype*), int, MPI_Op*)>(function_number)(
      f == nullptr ? nullptr : callers[static_cast<std::size_t>(i)], commute, made.get());
}
template <class Handle, class Function>
int create_handler(int function_number, any_function f, old<MPI_Errhandler>* errhandler) {
  static constexpr auto callers = handler_callers<Handle, Function>(numbers{});
  const int i = f == nullptr ? 0 : handlers.number_of(f);
  if (i < 0) return too_many_functions();
  handle_places<MPI_Errhandler> made(errhandler, 1, false);
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
  return error_to_new(reinterpret_cast<int (*)(old<Handle>, int, void*, void*, void*, int*)>(
      k.copy)(to_old(of), keyval_to_old(key), k.extra, in, out, flag));
}
template <class Handle>
int call_drop(Handle of, int key, void* value, void* extra) {
  const auto& k = *static_cast<const key_functions*>(extra);
  return error_to_new(reinterpret_cast<int (*)(old<Handle>, int, void*, void*)>(k.drop)(
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
  old_status theirs{};
  store_status(theirs, *status);
  const int code = r.query(r.extra, &theirs);
  const int kept = status->MPI_ERROR;
  *status = new_status(theirs);
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

int Op_create(any_function user_fn, int commute, old<MPI_Op>* op) {
  return create_operation<int>(fn_Op_create, user_fn, commute, op);
}
int Op_create_c(any_function user_fn, int commute, old<MPI_Op>* op) {
  return create_operation<MPI_Count>(fn_Op_create_c, user_fn, commute, op);
}
int Comm_create_errhandler(any_function function, old<MPI_Errhandler>* errhandler) {
  return create_handler<MPI_Comm, MPI_Comm_errhandler_function>(fn_Comm_create_errhandler, function,
                                                                errhandler);
}
int Win_create_errhandler(any_function function, old<MPI_Errhandler>* errhandler) {
  return create_handler<MPI_Win, MPI_Win_errhandler_function>(fn_Win_create_errhandler, function,
                                                              errhandler);
}
int File_create_errhandler(any_function function, old<MPI_Errhandler>* errhandler) {
  return create_handler<MPI_File, MPI_File_errhandler_function>(fn_File_create_errhandler, function,
                                                                errhandler);
}
int Session_create_errhandler(any_function function, old<MPI_Errhandler>* errhandler) {
  return create_handler<MPI_Session, MPI_Session_errhandler_function>(fn_Session_create_errhandler,
                                                                      function, errhandler);
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
                   old<MPI_Request>* request) {
  auto kept = std::unique_ptr<request_functions>(new (std::nothrow) request_functions{
      reinterpret_cast<int (*)(void*, old_status*)>(query), reinterpret_cast<int (*)(void*)>(drop),
      reinterpret_cast<int (*)(void*, int)>(cancel), extra});
  if (kept == nullptr) return MPI_ERR_NO_MEM;
  handle_places<MPI_Request> made(request, 1, false);
  const bool all = query != nullptr && drop != nullptr && cancel != nullptr;
  const int code = at<int(MPI_Grequest_query_function*, MPI_Grequest_free_function*,
                          MPI_Grequest_cancel_function*, void*, MPI_Request*)>(fn_Grequest_start)(
      all ? &call_query : nullptr, &call_free, &call_cancel, kept.get(), made.get());
  if (code == MPI_SUCCESS) static_cast<void>(kept.release());
  return code;
}

/// Values of predefined attributes are pointed to.
int Win_get_attr(old<MPI_Win> win, int win_keyval, void* attribute_val, int* flag) {
  const int key = keyval_to_new(win_keyval);
  const int code = at<int(MPI_Win, int, void*, int*)>(fn_Win_get_attr)(to_new<MPI_Win>(win), key,
                                                                       attribute_val, flag);
  if (code != MPI_SUCCESS || *flag == 0) return code;
  static int flavors[] = {0, 1, 2, 3, 4};
  static int models[] = {0, 1, 2};
  int*& value = *static_cast<int**>(attribute_val);
  if (key == MPI_WIN_CREATE_FLAVOR) value = &flavors[flavor_to_old(*value)];
  if (key == MPI_WIN_MODEL) value = &models[model_to_old(*value)];
  return code;
}
int Comm_get_attr(old<MPI_Comm> comm, int comm_keyval, void* attribute_val, int* flag) {
  const int key = keyval_to_new(comm_keyval);
  const int code = at<int(MPI_Comm, int, void*, int*)>(fn_Comm_get_attr)(to_new<MPI_Comm>(comm),
                                                                         key, attribute_val, flag);
  if (code != MPI_SUCCESS || *flag == 0) return code;
  static pointed_int last_code;
  static pointed_int host;
  static pointed_int io;
  int*& value = *static_cast<int**>(attribute_val);
  if (key == MPI_LASTUSEDCODE) value = last_code.store(error_to_old(*value));
  if (key == MPI_HOST) value = host.store(rank_to_old(*value));
  if (key == MPI_IO) value = io.store(rank_to_old(*value));
  return code;
}
int Attr_get(old<MPI_Comm> comm, int keyval, void* attribute_val, int* flag) {
  return Comm_get_attr(comm, keyval, attribute_val, flag);
}

namespace {
/// Translates the constants among the integers that describe an array. `sizes_apart`: its sizes are
/// large counts, and not among them.
void contents_to_old(int combiner, int n, int integers[], bool sizes_apart) {
  integers[n - 1] = order_to_old(integers[n - 1]);
  const int dims = combiner == MPI_COMBINER_DARRAY ? integers[2] : 0;
  const int first = sizes_apart ? 3 : 3 + dims;
  for (int i = first; i < first + dims; ++i) {  // Distributions, and their arguments behind them.
    integers[i] = distribution_to_old(integers[i]);
    integers[i + dims] = argument_to_old(integers[i + dims]);
  }
}
}  // namespace

int Type_get_contents(old<MPI_Datatype> type, int max_integers, int max_addresses,
                      int max_datatypes, int integers[], MPI_Aint addresses[],
                      old<MPI_Datatype> datatypes[]) {
  const auto of = to_new<MPI_Datatype>(type);
  handle_places<MPI_Datatype> parts(datatypes, max_datatypes, false);
  int code =
      at<int(MPI_Datatype, int, int, int, int[], MPI_Aint[], MPI_Datatype[])>(fn_Type_get_contents)(
          of, max_integers, max_addresses, max_datatypes, integers, addresses, parts.get());
  int n = 0;
  int others = 0;
  int combiner = 0;
  if (code == MPI_SUCCESS)
    code = at<int(MPI_Datatype, int*, int*, int*, int*)>(fn_Type_get_envelope)(of, &n, &others,
                                                                               &others, &combiner);
  if (code != MPI_SUCCESS || (combiner != MPI_COMBINER_SUBARRAY && combiner != MPI_COMBINER_DARRAY))
    return code;
  contents_to_old(combiner, n, integers, false);
  return code;
}
int Type_get_contents_c(old<MPI_Datatype> type, MPI_Count max_integers, MPI_Count max_addresses,
                        MPI_Count max_large_counts, MPI_Count max_datatypes, int integers[],
                        MPI_Aint addresses[], MPI_Count large_counts[],
                        old<MPI_Datatype> datatypes[]) {
  const auto of = to_new<MPI_Datatype>(type);
  handle_places<MPI_Datatype> parts(datatypes, max_datatypes, false);
  int code = at<int(MPI_Datatype, MPI_Count, MPI_Count, MPI_Count, MPI_Count, int[], MPI_Aint[],
                    MPI_Count[], MPI_Datatype[])>(fn_Type_get_contents_c)(
      of, max_integers, max_addresses, max_large_counts, max_datatypes, integers, addresses,
      large_counts, parts.get());
  MPI_Count n = 0;
  MPI_Count large = 0;
  MPI_Count others = 0;
  int combiner = 0;
  if (code == MPI_SUCCESS)
    code = at<int(MPI_Datatype, MPI_Count*, MPI_Count*, MPI_Count*, MPI_Count*, int*)>(
        fn_Type_get_envelope_c)(of, &n, &others, &large, &others, &combiner);
  if (code == MPI_SUCCESS && (combiner == MPI_COMBINER_SUBARRAY || combiner == MPI_COMBINER_DARRAY))
    contents_to_old(combiner, static_cast<int>(n), integers, large != 0);
  return code;
}

int unsupported(const char* name) {
  std::fprintf(stderr, "mpx: %s: not in this translation of %s's interface\n", name,
               interface_name);
  return error_to_old(at<int(MPI_Comm, int)>(fn_Comm_call_errhandler)(
      MPI_COMM_SELF, MPI_ERR_UNSUPPORTED_OPERATION));
}

}  // namespace mpx_mpi_old
