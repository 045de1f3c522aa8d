// SPDX-License-Identifier: BSL-1.0
// The functions for tools (MPI_T). One lock guards their state; no error handler is called.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

#include "functions.hpp"
#include "tool_variables.hpp"

namespace mpx_mpi {

namespace {

struct cvar_handle {
  const control_variable* of;
};
/// A measurement of a performance variable: the sum of its times of running.
struct pvar_handle {
  const performance_variable* of;
  MPI_T_pvar_session session;
  bool runs = false;
  std::uint64_t begin = 0;  ///< Value of the variable when it was started.
  std::uint64_t sum = 0;    ///< Of earlier times.
};
struct pvar_session {
  std::vector<MPI_T_pvar_handle> handles;
};
struct tool_state {
  std::mutex lock;
  int users = 0;
  handle_table<cvar_handle, 0x711, 65536> cvars;
  handle_table<pvar_handle, 0x712, 65536> pvars;
  handle_table<pvar_session, 0x713, 1024> sessions;
};
/// Never destroyed, as the library's own state.
tool_state& state() {
  static tool_state* const here = new tool_state;
  return *here;
}
constexpr std::uintptr_t enum_mark = 0x714;  // An enumeration's handle is its number and this.

template <class T>
const T& at(std::span<const T> all, int index, const char* what) {
  if (index < 0 || static_cast<std::size_t>(index) >= all.size())
    fail(MPI_T_ERR_INVALID_INDEX, "%s %d does not exist", what, index);
  return all[static_cast<std::size_t>(index)];
}
template <class T>
int index_of(std::span<const T> all, const char* name) {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (std::strcmp(all[i].name, name) == 0) return static_cast<int>(i);
  fail(MPI_T_ERR_INVALID_NAME, "there is no '%s'", name);
}
/// Makes an object of a table. Throws `code` if it is full.
template <class Handle, class Table, class... Args>
Handle make(Table& table, int code, Args&&... args) {
  const std::uintptr_t made = table.put(std::forward<Args>(args)...);
  if (made == 0) fail(code, "no more than %u exist at once", Table::slots_max);
  return handle_of<Handle>(made);
}
template <class T>
void tell(T* place, T value) {
  if (place != nullptr) *place = value;
}
/// Stores a text and its length with the end, as MPI_T has it.
void tell_text(char* place, int* length, const char* text) {
  if (length == nullptr) return;
  if (place != nullptr && *length > 0)
    std::snprintf(place, static_cast<std::size_t>(*length), "%s", text);
  *length = static_cast<int>(std::strlen(text)) + 1;
}
MPI_T_enum handle_of_enum(const tool_enum* values) {
  if (values == nullptr) return MPI_T_ENUM_NULL;
  const auto number = static_cast<std::uintptr_t>(values - tool_enums().data());
  return handle_of<MPI_T_enum>((number + 1) << 12 | enum_mark);
}
const tool_enum& need_enum(MPI_T_enum handle) {
  for (const tool_enum& e : tool_enums())
    if (handle == handle_of_enum(&e)) return e;
  fail(MPI_T_ERR_INVALID_HANDLE, "no handle of an enumeration");
}
cvar_handle& need_cvar(MPI_T_cvar_handle handle) {
  cvar_handle* const found = state().cvars.find(value_of(handle));
  if (found == nullptr) fail(MPI_T_ERR_INVALID_HANDLE, "no handle of a control variable");
  return *found;
}
pvar_session& need_pvar_session(MPI_T_pvar_session session) {
  pvar_session* const found = state().sessions.find(value_of(session));
  if (found == nullptr) fail(MPI_T_ERR_INVALID_SESSION, "no session of performance variables");
  return *found;
}
pvar_handle& need_pvar(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  need_pvar_session(session);
  pvar_handle* const found = state().pvars.find(value_of(handle));
  if (found == nullptr || found->session != session)
    fail(MPI_T_ERR_INVALID_HANDLE, "no handle of a performance variable of this session");
  return *found;
}
/// Calls `use(handle, alone)` for a handle, or for all of the session.
template <class Use>
void with_pvars(MPI_T_pvar_session session, MPI_T_pvar_handle handle, Use&& use) {
  if (handle != MPI_T_PVAR_ALL_HANDLES) return use(need_pvar(session, handle), true);
  for (const MPI_T_pvar_handle h : need_pvar_session(session).handles)
    use(need_pvar(session, h), false);
}
std::uint64_t value_now(const pvar_handle& h, std::uint64_t now) {
  if (!h.of->counts()) return now;
  return h.sum + (h.runs ? now - h.begin : 0);
}
void set_value(pvar_handle& h, std::uint64_t now, std::uint64_t value) {
  h.begin = now;
  h.sum = value;
}
[[noreturn]] void no_event() { fail(MPI_T_ERR_INVALID_INDEX, "there are no events"); }
[[noreturn]] void no_registration() {
  fail(MPI_T_ERR_INVALID_HANDLE, "no handle of an event: there are none");
}

}  // namespace

int tool_failed() noexcept {
  try {
    throw;
  } catch (const failure& f) {
    const bool of_tools = f.code >= MPI_T_ERR_CANNOT_INIT && f.code <= MPI_T_ERR_PVAR_NO_ATOMIC;
    return of_tools ? f.code : MPI_T_ERR_INVALID;
  } catch (const std::bad_alloc&) {
    return MPI_T_ERR_MEMORY;
  } catch (...) {
    return MPI_T_ERR_INVALID;
  }
}
std::unique_lock<std::mutex> lock_tools() { return std::unique_lock(state().lock); }
std::unique_lock<std::mutex> need_tools() {
  std::unique_lock held = lock_tools();
  if (state().users == 0) fail(MPI_T_ERR_NOT_INITIALIZED, "call MPI_T_init_thread first");
  return held;
}

void T_init_thread(int required, int* provided) {
  if (required != MPI_THREAD_SINGLE && required != MPI_THREAD_FUNNELED &&
      required != MPI_THREAD_SERIALIZED && required != MPI_THREAD_MULTIPLE)
    bad_number(MPI_T_ERR_INVALID, "thread level", required);
  ++state().users;
  tell(provided, static_cast<int>(MPI_THREAD_MULTIPLE));
}
void T_finalize() {
  if (state().users == 0) fail(MPI_T_ERR_NOT_INITIALIZED, "call MPI_T_init_thread first");
  if (--state().users != 0) return;
  state().cvars.clear();
  state().pvars.clear();
  state().sessions.clear();
}

// --- Enumerations --------------------------------------------------------------------------------

void T_enum_get_info(MPI_T_enum enumtype, int* num, char* name, int* name_len) {
  const tool_enum& e = need_enum(enumtype);
  tell(num, static_cast<int>(e.items.size()));
  tell_text(name, name_len, e.name);
}
void T_enum_get_item(MPI_T_enum enumtype, int indx, int* value, char* name, int* name_len) {
  const tool_enum& e = need_enum(enumtype);
  if (indx < 0 || static_cast<std::size_t>(indx) >= e.items.size())
    bad_number(MPI_T_ERR_INVALID_INDEX, "item", indx);
  const tool_enum::item& one = e.items[static_cast<std::size_t>(indx)];
  tell(value, one.value);
  tell_text(name, name_len, one.name);
}

// --- Control variables ---------------------------------------------------------------------------

void T_cvar_get_num(int* num_cvar) {
  need_place(num_cvar, "num_cvar");
  *num_cvar = static_cast<int>(control_variables().size());
}
void T_cvar_get_info(int cvar_index, char* name, int* name_len, int* verbosity,
                     MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len,
                     int* bind, int* scope) {
  using kind = control_variable::kind;
  const control_variable& v = at(control_variables(), cvar_index, "control variable");
  tell_text(name, name_len, v.name);
  tell(verbosity, v.verbosity);
  if (datatype != nullptr)
    *datatype = v.is == kind::text      ? MPI_CHAR
                : v.is == kind::integer ? MPI_INT
                                        : MPI_UNSIGNED_LONG_LONG;
  tell(enumtype, handle_of_enum(v.values));
  tell_text(desc, desc_len, v.text);
  tell(bind, static_cast<int>(MPI_T_BIND_NO_OBJECT));
  tell(scope, v.scope);
}
void T_cvar_get_index(const char* name, int* cvar_index) {
  need_place(cvar_index, "cvar_index");
  *cvar_index = index_of(control_variables(), name);
}
void T_cvar_handle_alloc(int cvar_index, void* /*obj_handle*/, MPI_T_cvar_handle* handle,
                         int* count) {
  const control_variable& v = at(control_variables(), cvar_index, "control variable");
  need_place(handle, "handle");
  need_place(count, "count");
  *handle = make<MPI_T_cvar_handle>(state().cvars, MPI_T_ERR_OUT_OF_HANDLES, &v);
  *count = v.is == control_variable::kind::text ? tool_text_bytes : 1;
}
void T_cvar_handle_free(MPI_T_cvar_handle* handle) {
  need_place(handle, "handle");
  need_cvar(*handle);
  state().cvars.erase(value_of(*handle));
  *handle = MPI_T_CVAR_HANDLE_NULL;
}
void T_cvar_read(MPI_T_cvar_handle handle, void* buf) {
  using kind = control_variable::kind;
  const control_variable& v = *need_cvar(handle).of;
  need_place(buf, "buf");
  if (v.is == kind::text) {
    std::snprintf(static_cast<char*>(buf), tool_text_bytes, "%s", v.read_text().c_str());
  } else if (v.is == kind::integer) {
    *static_cast<int*>(buf) = static_cast<int>(v.read());
  } else {
    *static_cast<unsigned long long*>(buf) = v.read();
  }
}
void T_cvar_write(MPI_T_cvar_handle handle, const void* buf) {
  const control_variable& v = *need_cvar(handle).of;
  need_place(buf, "buf");
  if (v.write == nullptr) fail(MPI_T_ERR_CVAR_SET_NEVER, "%s is not written", v.name);
  v.write(*static_cast<const unsigned long long*>(buf));  // All that are written are numbers.
}

// --- Performance variables -----------------------------------------------------------------------

void T_pvar_get_num(int* num_pvar) {
  need_place(num_pvar, "num_pvar");
  *num_pvar = static_cast<int>(performance_variables().size());
}
void T_pvar_get_info(int pvar_index, char* name, int* name_len, int* verbosity, int* var_class,
                     MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len,
                     int* bind, int* readonly, int* continuous, int* atomic) {
  const performance_variable& v = at(performance_variables(), pvar_index, "performance variable");
  tell_text(name, name_len, v.name);
  tell(verbosity, v.verbosity);
  tell(var_class, v.of);
  if (datatype != nullptr) *datatype = MPI_UNSIGNED_LONG_LONG;
  tell(enumtype, handle_of_enum(nullptr));
  tell_text(desc, desc_len, v.text);
  tell(bind, static_cast<int>(MPI_T_BIND_NO_OBJECT));
  tell(readonly, v.counts() ? 0 : 1);
  tell(continuous, v.counts() ? 0 : 1);
  tell(atomic, v.counts() ? 1 : 0);
}
void T_pvar_get_index(const char* name, int var_class, int* pvar_index) {
  need_place(pvar_index, "pvar_index");
  const int found = index_of(performance_variables(), name);
  if (performance_variables()[static_cast<std::size_t>(found)].of != var_class)
    fail(MPI_T_ERR_INVALID_NAME, "'%s' is of another class than %d", name, var_class);
  *pvar_index = found;
}
void T_pvar_session_create(MPI_T_pvar_session* session) {
  need_place(session, "session");
  *session = make<MPI_T_pvar_session>(state().sessions, MPI_T_ERR_OUT_OF_SESSIONS);
}
void T_pvar_session_free(MPI_T_pvar_session* session) {
  need_place(session, "session");
  for (const MPI_T_pvar_handle h : need_pvar_session(*session).handles)
    state().pvars.erase(value_of(h));
  state().sessions.erase(value_of(*session));
  *session = MPI_T_PVAR_SESSION_NULL;
}
void T_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void* /*obj_handle*/,
                         MPI_T_pvar_handle* handle, int* count) {
  pvar_session& s = need_pvar_session(session);
  const performance_variable& v = at(performance_variables(), pvar_index, "performance variable");
  need_place(handle, "handle");
  need_place(count, "count");
  s.handles.reserve(std::bit_ceil(s.handles.size() + 1));
  *handle = make<MPI_T_pvar_handle>(state().pvars, MPI_T_ERR_OUT_OF_HANDLES, &v, session);
  s.handles.push_back(*handle);
  *count = 1;
}
void T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  need_place(handle, "handle");
  need_pvar(session, *handle);
  std::erase(need_pvar_session(session).handles, *handle);
  state().pvars.erase(value_of(*handle));
  *handle = MPI_T_PVAR_HANDLE_NULL;
}
void T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  with_pvars(session, handle, [](pvar_handle& h, bool alone) {
    if (!h.of->counts()) {
      if (alone) fail(MPI_T_ERR_PVAR_NO_STARTSTOP, "%s is always running", h.of->name);
      return;
    }
    if (!h.runs) h.begin = h.of->read();
    h.runs = true;
  });
}
void T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  with_pvars(session, handle, [](pvar_handle& h, bool alone) {
    if (!h.of->counts()) {
      if (alone) fail(MPI_T_ERR_PVAR_NO_STARTSTOP, "%s is always running", h.of->name);
      return;
    }
    if (h.runs) h.sum += h.of->read() - h.begin;
    h.runs = false;
  });
}
void T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  const pvar_handle& h = need_pvar(session, handle);
  need_place(buf, "buf");
  *static_cast<unsigned long long*>(buf) = value_now(h, h.of->read());
}
void T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* buf) {
  pvar_handle& h = need_pvar(session, handle);
  need_place(buf, "buf");
  if (!h.of->counts()) fail(MPI_T_ERR_PVAR_NO_WRITE, "%s is not written", h.of->name);
  set_value(h, h.of->read(), *static_cast<const unsigned long long*>(buf));
}
void T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  with_pvars(session, handle, [](pvar_handle& h, bool alone) {
    if (h.of->counts()) return set_value(h, h.of->read(), 0);
    if (alone) fail(MPI_T_ERR_PVAR_NO_WRITE, "%s is not reset", h.of->name);
  });
}
void T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  pvar_handle& h = need_pvar(session, handle);
  need_place(buf, "buf");
  if (!h.of->counts()) fail(MPI_T_ERR_PVAR_NO_ATOMIC, "%s is not reset", h.of->name);
  const std::uint64_t now = h.of->read();
  *static_cast<unsigned long long*>(buf) = value_now(h, now);
  set_value(h, now, 0);
}

// --- Categories ----------------------------------------------------------------------------------

namespace {
template <class T>
std::vector<int> of_category(std::span<const T> all, int cat_index) {
  at(tool_categories(), cat_index, "category");
  std::vector<int> found;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (static_cast<int>(all[i].in) == cat_index) found.push_back(static_cast<int>(i));
  return found;
}
/// Categories directly below one: the first one has all others.
std::vector<int> below_category(int cat_index) {
  at(tool_categories(), cat_index, "category");
  std::vector<int> found;
  for (std::size_t i = 1; cat_index == 0 && i < tool_categories().size(); ++i)
    found.push_back(static_cast<int>(i));
  return found;
}
void tell_indices(const std::vector<int>& all, int len, int indices[]) {
  if (len < 0) bad_number(MPI_T_ERR_INVALID, "length", len);
  if (len > 0) need_place(indices, "indices");
  const std::size_t n = std::min(all.size(), static_cast<std::size_t>(len));
  std::copy_n(all.begin(), n, indices);
}
}  // namespace
void T_category_get_num(int* num_cat) {
  need_place(num_cat, "num_cat");
  *num_cat = static_cast<int>(tool_categories().size());
}
void T_category_get_info(int cat_index, char* name, int* name_len, char* desc, int* desc_len,
                         int* num_cvars, int* num_pvars, int* num_categories) {
  const tool_category_text& c = at(tool_categories(), cat_index, "category");
  tell_text(name, name_len, c.name);
  tell_text(desc, desc_len, c.text);
  tell(num_cvars, static_cast<int>(of_category(control_variables(), cat_index).size()));
  tell(num_pvars, static_cast<int>(of_category(performance_variables(), cat_index).size()));
  tell(num_categories, static_cast<int>(below_category(cat_index).size()));
}
void T_category_get_index(const char* name, int* cat_index) {
  need_place(cat_index, "cat_index");
  *cat_index = index_of(tool_categories(), name);
}
void T_category_get_cvars(int cat_index, int len, int indices[]) {
  tell_indices(of_category(control_variables(), cat_index), len, indices);
}
void T_category_get_pvars(int cat_index, int len, int indices[]) {
  tell_indices(of_category(performance_variables(), cat_index), len, indices);
}
void T_category_get_categories(int cat_index, int len, int indices[]) {
  tell_indices(below_category(cat_index), len, indices);
}
void T_category_get_num_events(int cat_index, int* num_events) {
  at(tool_categories(), cat_index, "category");
  tell(num_events, 0);
}
void T_category_get_events(int cat_index, int len, int indices[]) {
  at(tool_categories(), cat_index, "category");
  tell_indices({}, len, indices);
}
void T_category_changed(int* update_number) {
  need_place(update_number, "update_number");
  *update_number = 0;
}

// --- Events: mpx has none ------------------------------------------------------------------------

void T_event_get_num(int* num_events) {
  need_place(num_events, "num_events");
  *num_events = 0;
}
void T_event_get_info(int /*event_index*/, char* /*name*/, int* /*name_len*/, int* /*verbosity*/,
                      MPI_Datatype /*array_of_datatypes*/[], MPI_Aint /*array_of_displacements*/[],
                      int* /*num_elements*/, MPI_T_enum* /*enumtype*/, MPI_Info* /*info*/,
                      char* /*desc*/, int* /*desc_len*/, int* /*bind*/) {
  no_event();
}
void T_event_get_index(const char* name, int* /*event_index*/) {
  fail(MPI_T_ERR_INVALID_NAME, "there is no event '%s'", name);
}
void T_event_handle_alloc(int /*event_index*/, void* /*obj_handle*/, MPI_Info /*info*/,
                          MPI_T_event_registration* /*event_registration*/) {
  no_event();
}
void T_event_handle_free(MPI_T_event_registration, void*, MPI_T_event_free_cb_function) {
  no_registration();
}
void T_event_handle_get_info(MPI_T_event_registration, MPI_Info*) { no_registration(); }
void T_event_handle_set_info(MPI_T_event_registration, MPI_Info) { no_registration(); }
void T_event_register_callback(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info, void*,
                               MPI_T_event_cb_function) {
  no_registration();
}
void T_event_callback_get_info(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info*) {
  no_registration();
}
void T_event_callback_set_info(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info) {
  no_registration();
}
void T_event_set_dropped_handler(MPI_T_event_registration, MPI_T_event_dropped_cb_function) {
  no_registration();
}
void T_event_read(MPI_T_event_instance, int, void*) { no_registration(); }
void T_event_copy(MPI_T_event_instance, void*) { no_registration(); }
void T_event_get_timestamp(MPI_T_event_instance, MPI_Count*) { no_registration(); }
void T_event_get_source(MPI_T_event_instance, int*) { no_registration(); }
void T_source_get_num(int* num_sources) {
  need_place(num_sources, "num_sources");
  *num_sources = 0;
}
void T_source_get_info(int /*source_index*/, char*, int*, char*, int*, MPI_T_source_order*,
                       MPI_Count*, MPI_Count*, MPI_Info*) {
  fail(MPI_T_ERR_INVALID_INDEX, "there are no sources of events");
}
void T_source_get_timestamp(int /*source_index*/, MPI_Count* /*timestamp*/) {
  fail(MPI_T_ERR_INVALID_INDEX, "there are no sources of events");
}

}  // namespace mpx_mpi
