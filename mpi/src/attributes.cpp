// SPDX-License-Identifier: BSL-1.0
// Attributes of communicators, datatypes and windows, and their keys.
#include "errors.hpp"
#include "functions.hpp"
#include "objects.hpp"
#include "startup.hpp"

namespace mpx_mpi {

namespace {
/// A key, also one that is freed and still used by an attribute.
std::shared_ptr<keyval_t> find_key(int number, keyval_t::kind of) {
  library& l = lib();
  const std::lock_guard guard(l.lock);
  const auto found = l.keys.find(number);
  std::shared_ptr<keyval_t> key;
  if (found != l.keys.end())
    key = found->second;
  else if (const auto freed = l.freed_keys.find(number); freed != l.freed_keys.end())
    key = freed->second.lock();
  return key == nullptr || key->of != of ? nullptr : key;
}
std::shared_ptr<keyval_t> need_key(int number, keyval_t::kind of) {
  auto found = find_key(number, of);
  if (found == nullptr)
    fail(MPI_ERR_KEYVAL, "%d is no attribute key of this kind of object", number);
  return found;
}
template <class Copy, class Drop>
int new_key(keyval_t::kind of, Copy* copy, Drop* drop, void* extra) {
  library& l = lib();
  const std::lock_guard guard(l.lock);
  const int number = 4096 + l.keys_made++;
  l.keys[number] = std::make_shared<keyval_t>(keyval_t{
      of, number, reinterpret_cast<void (*)()>(copy), reinterpret_cast<void (*)()>(drop), extra});
  return number;
}
void free_key(int* number, keyval_t::kind of) {
  const auto key = need_key(*number, of);
  library& l = lib();
  const std::lock_guard guard(l.lock);
  l.keys.erase(*number);
  std::erase_if(l.freed_keys, [](const auto& freed) { return freed.second.expired(); });
  if (key.use_count() > 1) l.freed_keys[*number] = key;
  *number = MPI_KEYVAL_INVALID;
}
/// Types of the copy and delete functions of an object's attributes.
template <class Handle>
struct functions_of;
template <>
struct functions_of<MPI_Comm> {
  using copy = MPI_Comm_copy_attr_function;
  using drop = MPI_Comm_delete_attr_function;
};
template <>
struct functions_of<MPI_Datatype> {
  using copy = MPI_Type_copy_attr_function;
  using drop = MPI_Type_delete_attr_function;
};
template <>
struct functions_of<MPI_Win> {
  using drop = MPI_Win_delete_attr_function;
};
/// Calls the delete function of an attribute. Throws its code.
template <class Handle>
void drop_one(const attribute& a, Handle of) {
  if (a.key->drop == nullptr) return;
  const int code = reinterpret_cast<typename functions_of<Handle>::drop*>(a.key->drop)(
      of, a.key->number, a.value, a.key->extra);
  if (code != MPI_SUCCESS) fail(code, "the delete function of an attribute has failed");
}
template <class Handle>
void set_in(attribute_list& all, const std::shared_ptr<keyval_t>& key, void* value, Handle of) {
  if (const auto old = all.find(key->number); old) drop_one(*old, of);
  all.set({key, value});
}
template <class Handle>
void erase_from(attribute_list& all, const std::shared_ptr<keyval_t>& key, Handle of) {
  const auto found = all.find(key->number);
  if (!found) fail(MPI_ERR_KEYVAL, "the object has no attribute of this key");
  drop_one(*found, of);
  all.erase(key->number);
}
template <class Handle>
void drop_all(attribute_list& all, Handle of) {
  while (const auto last = all.last()) {
    drop_one(*last, of);
    all.erase(last->key->number);
  }
}
template <class Handle>
void copy_all(const attribute_list& from, attribute_list& to, Handle of) {
  for (const attribute& a : from.all()) {
    if (a.key->copy == nullptr) continue;
    void* value = a.value;
    int flag = 1;
    if (value_of(reinterpret_cast<const void*>(a.key->copy)) != 1) {  // MPI_COMM_DUP_FN.
      flag = 0;
      const int code = reinterpret_cast<typename functions_of<Handle>::copy*>(a.key->copy)(
          of, a.key->number, a.key->extra, a.value, &value, &flag);
      if (code != MPI_SUCCESS) fail(code, "the copy function of an attribute has failed");
    }
    if (flag != 0) to.set({a.key, value});
  }
}
void get_from(const attribute_list& all, int key, void* value, int* flag) {
  const auto found = all.find(key);
  *flag = found.has_value();
  if (found) *static_cast<void**>(value) = found->value;
}
/// The value of a predefined attribute of communicators; nullptr for another key. Threads may ask at
/// the same time: nothing is written here.
int* predefined_value(int key) {
  static int tag_ub = mpx::tag_max;
  static int io = MPI_ANY_SOURCE;
  static int host = MPI_PROC_NULL;
  static int zero = 0;
  switch (key) {
    case MPI_TAG_UB: return &tag_ub;
    case MPI_IO: return &io;
    case MPI_HOST: return &host;
    case MPI_WTIME_IS_GLOBAL: return &zero;
    case MPI_APPNUM: return &zero;
    case MPI_LASTUSEDCODE: return &lib().last_code;
    case MPI_UNIVERSE_SIZE: return &lib().universe_size;
    default: return nullptr;
  }
}
void need_own_key(int key) {
  if (key >= MPI_TAG_UB && key <= MPI_UNIVERSE_SIZE)
    fail(MPI_ERR_KEYVAL, "a predefined attribute is not changed");
}
}  // namespace

void drop_attributes(attribute_list& all, MPI_Comm of) { drop_all(all, of); }
void drop_attributes(attribute_list& all, MPI_Win of) { drop_all(all, of); }
void drop_attributes(attribute_list& all, MPI_Datatype of) { drop_all(all, of); }
void copy_attributes(const attribute_list& from, attribute_list& to, MPI_Comm of) {
  copy_all(from, to, of);
}
void copy_attributes(const attribute_list& from, attribute_list& to, MPI_Datatype of) {
  copy_all(from, to, of);
}

void Comm_create_keyval(MPI_Comm_copy_attr_function* comm_copy_attr_fn,
                        MPI_Comm_delete_attr_function* comm_delete_attr_fn, int* comm_keyval,
                        void* extra_state) {
  *comm_keyval = new_key(keyval_t::kind::comm, comm_copy_attr_fn, comm_delete_attr_fn, extra_state);
}
void Comm_free_keyval(int* comm_keyval) {
  need_own_key(*comm_keyval);
  free_key(comm_keyval, keyval_t::kind::comm);
}
void Comm_set_attr(comm_t& comm, int comm_keyval, void* attribute_val) {
  need_own_key(comm_keyval);
  set_in(comm.attributes, need_key(comm_keyval, keyval_t::kind::comm), attribute_val, comm.self);
}
void Comm_get_attr(comm_t& comm, int comm_keyval, void* attribute_val, int* flag) {
  if (int* const given = predefined_value(comm_keyval); given != nullptr) {
    *flag = 1;
    *static_cast<int**>(attribute_val) = given;
    return;
  }
  need_key(comm_keyval, keyval_t::kind::comm);
  get_from(comm.attributes, comm_keyval, attribute_val, flag);
}
void Comm_delete_attr(comm_t& comm, int comm_keyval) {
  need_own_key(comm_keyval);
  erase_from(comm.attributes, need_key(comm_keyval, keyval_t::kind::comm), comm.self);
}
void Keyval_create(MPI_Copy_function* copy_fn, MPI_Delete_function* delete_fn, int* keyval,
                   void* extra_state) {
  *keyval = new_key(keyval_t::kind::comm, copy_fn, delete_fn, extra_state);
}
void Keyval_free(int* keyval) { Comm_free_keyval(keyval); }
void Attr_put(comm_t& comm, int keyval, void* attribute_val) {
  Comm_set_attr(comm, keyval, attribute_val);
}
void Attr_get(comm_t& comm, int keyval, void* attribute_val, int* flag) {
  Comm_get_attr(comm, keyval, attribute_val, flag);
}
void Attr_delete(comm_t& comm, int keyval) { Comm_delete_attr(comm, keyval); }
void Type_create_keyval(MPI_Type_copy_attr_function* type_copy_attr_fn,
                        MPI_Type_delete_attr_function* type_delete_attr_fn, int* type_keyval,
                        void* extra_state) {
  *type_keyval = new_key(keyval_t::kind::type, type_copy_attr_fn, type_delete_attr_fn, extra_state);
}
void Type_free_keyval(int* type_keyval) { free_key(type_keyval, keyval_t::kind::type); }
void Type_set_attr(MPI_Datatype datatype, int type_keyval, void* attribute_val) {
  set_in(need_any_type(datatype).attributes, need_key(type_keyval, keyval_t::kind::type),
         attribute_val, datatype);
}
void Type_get_attr(type_t& datatype, int type_keyval, void* attribute_val, int* flag) {
  need_key(type_keyval, keyval_t::kind::type);
  get_from(datatype.attributes, type_keyval, attribute_val, flag);
}
void Type_delete_attr(MPI_Datatype datatype, int type_keyval) {
  erase_from(need_any_type(datatype).attributes, need_key(type_keyval, keyval_t::kind::type),
             datatype);
}

namespace {
/// Stores the value of a predefined attribute of a window. Returns false if the key is none.
bool get_predefined(win_t& win, int key, void* value) {
  win_values& v = win.values;
  const auto set = [value](void* address) { *static_cast<void**>(value) = address; };
  switch (key) {
    case MPI_WIN_BASE: set(v.base); return true;
    case MPI_WIN_SIZE: set(&v.bytes); return true;
    case MPI_WIN_DISP_UNIT: set(&v.unit); return true;
    case MPI_WIN_CREATE_FLAVOR: set(&v.flavor); return true;
    case MPI_WIN_MODEL: set(&v.model); return true;
    default: return false;
  }
}
void need_own_win_key(int key) {
  if (key >= MPI_WIN_BASE && key <= MPI_WIN_MODEL)
    fail(MPI_ERR_KEYVAL, "a predefined attribute is not changed");
}
}  // namespace
void Win_create_keyval(MPI_Win_copy_attr_function* win_copy_attr_fn,
                       MPI_Win_delete_attr_function* win_delete_attr_fn, int* win_keyval,
                       void* extra_state) {
  *win_keyval = new_key(keyval_t::kind::win, win_copy_attr_fn, win_delete_attr_fn, extra_state);
}
void Win_free_keyval(int* win_keyval) {
  need_own_win_key(*win_keyval);
  free_key(win_keyval, keyval_t::kind::win);
}
void Win_set_attr(win_t& win, int win_keyval, void* attribute_val) {
  need_own_win_key(win_keyval);
  set_in(win.attributes, need_key(win_keyval, keyval_t::kind::win), attribute_val, win.self);
}
void Win_get_attr(win_t& win, int win_keyval, void* attribute_val, int* flag) {
  *flag = 1;
  if (get_predefined(win, win_keyval, attribute_val)) return;
  need_key(win_keyval, keyval_t::kind::win);
  get_from(win.attributes, win_keyval, attribute_val, flag);
}
void Win_delete_attr(win_t& win, int win_keyval) {
  need_own_win_key(win_keyval);
  erase_from(win.attributes, need_key(win_keyval, keyval_t::kind::win), win.self);
}

}  // namespace mpx_mpi
