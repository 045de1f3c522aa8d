// SPDX-License-Identifier: BSL-1.0
// Environment: start and end, the choice of a stack, info objects, memory.
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "buffers.hpp"
#include "extensions.hpp"
#include "functions.hpp"
#include "modules.hpp"
#include "mpx/config.hpp"
#include "mpx/core/error.hpp"
#include "mpx/core/group_sets.hpp"
#include "requests.hpp"
#include "startup.hpp"

namespace mpx_mpi {

library* const library_here = new library;

namespace {

/// The stack that MPX_MPI_STACK names, or the first one, that allows `multiple`.
const stack_entry& chosen_stack(bool multiple) {
  const char* const wanted = std::getenv("MPX_MPI_STACK");
  const bool loads = wanted != nullptr && is_module(wanted);
  std::string names;
  for (const stack_entry& s : loads ? module_stacks(wanted) : built_stacks()) {
    const bool fits = wanted == nullptr || std::strcmp(wanted, s.name) == 0;
    if (fits && s.multiple == multiple) return s;
    if (names.find(s.name) == std::string::npos)
      names += std::string(names.empty() ? "" : ", ") + s.name;
  }
  fail(MPI_ERR_OTHER,
       "MPX_MPI_STACK=%s: this library holds the stacks %s; fabric is a module, and tcp needs a "
       "library that is built with -DMPX_MPI_TCP=ON",
       wanted, names.c_str());
}
comm_t* add_world(std::unique_ptr<comm_port> port, MPI_Comm self, const char* name,
                  std::uintptr_t& handle) {
  library& l = lib();
  handle = l.comms.put();
  comm_t* const c = l.comms.find(handle);
  c->self = self;
  c->set_place(*port);
  c->take_port(std::move(port));
  c->name.set(name);
  c->errors.set(find_errhandler(MPI_ERRORS_ARE_FATAL));
  return c;
}

void need_level(int level) {
  if (level != MPI_THREAD_SINGLE && level != MPI_THREAD_FUNNELED &&
      level != MPI_THREAD_SERIALIZED && level != MPI_THREAD_MULTIPLE)
    bad_number(MPI_ERR_ARG, "thread level", level);
}
/// Makes the request of complete sends.
MPI_Request make_complete_send() {
  request_cell cell;
  const buffer nothing{nullptr, 0, &byte_type(), true, nullptr, 0};
  lib().base->isend(send_mode::standard, form::start, nothing, mpx_rank(MPI_PROC_NULL), 0, cell);
  return add_request_of(cell, nullptr, false, false);
}
/// Joins the job for one more user, MPI_Init or a session. The first one determines the thread level.
void join(int level) {
  library& l = lib();
  const std::lock_guard guard(l.job_lock);
  if (l.users++ != 0) return;
  try {
    l.job = chosen_stack(level == MPI_THREAD_MULTIPLE).join();
    l.base = l.job->world();
  } catch (...) {
    --l.users;
    throw;
  }
  l.provided = level;
  const bool locks = level == MPI_THREAD_MULTIPLE;  // Info objects and error handlers always do.
  l.comms.set_locking(locks);
  l.groups.set_locking(locks);
  l.types.set_locking(locks);
  l.ops.set_locking(locks);
  l.requests.set_locking(locks);
  l.messages.set_locking(locks);
  l.wins.set_locking(locks);
  make_predefined_types();
  l.requests.complete_send = make_complete_send();
  l.now.store(library::phase::running, mpx::platform::memory_order_release);
}
/// Ends the part of a user. The last one leaves the job, together with all other ranks.
void leave() {
  library& l = lib();
  const std::lock_guard guard(l.job_lock);
  if (--l.users != 0) return;
  l.comms.each([](comm_t& c) {
    if (c.buffers != nullptr) c.buffers->drain();
  });
  if (l.buffers != nullptr) l.buffers->drain();
  l.buffers.reset();
  l.requests.each([&](request_t& r) { l.job->drop(r.cell); });
  l.requests.complete_send = MPI_REQUEST_NULL;
  l.requests.clear();
  l.messages.clear();
  l.now.store(l.ended ? library::phase::after : library::phase::before,
              mpx::platform::memory_order_release);
  l.wins.clear();
  l.comms.clear();
  l.groups.clear();
  l.ops.clear();
  l.base.reset();
  keep_tool_counters();
  l.job.reset();
}

void begin(int required, int* provided) {
  library& l = lib();
  if (l.started) fail(MPI_ERR_OTHER, "MPI is initialised once");
  need_level(required);
  join(required);
  l.main_thread = ::pthread_self();
  l.file_errors = find_errhandler(MPI_ERRORS_RETURN);
  l.world = add_world(l.job->world(), MPI_COMM_WORLD, "MPI_COMM_WORLD", l.world_handle);
  l.universe_size = l.world->size;
  const int rank[] = {l.world->rank};
  const mpx::group alone = mpx::include(l.world->port->group(), rank);
  l.self = add_world(l.world->port->create_group(alone, 0), MPI_COMM_SELF, "MPI_COMM_SELF",
                     l.self_handle);
  l.started = true;
  if (provided != nullptr) *provided = l.provided;
}

}  // namespace

void Init(int* /*argc*/, char*** /*argv*/) { begin(MPI_THREAD_SINGLE, nullptr); }
void Init_thread(int* /*argc*/, char*** /*argv*/, int required, int* provided) {
  begin(required, provided);
}
void Initialized(int* flag) { *flag = lib().started; }
void Finalized(int* flag) { *flag = lib().ended; }
void Finalize() {
  library& l = lib();
  if (l.world == nullptr)
    fail(MPI_ERR_OTHER, l.ended ? "MPI is finalised once" : "called before MPI_Init");
  drop_attributes(l.self->attributes, MPI_COMM_SELF);
  drop_attributes(l.world->attributes, MPI_COMM_WORLD);
  for (const auto* const c : {l.self, l.world})
    if (c->buffers != nullptr) c->buffers->drain();
  if (l.buffers != nullptr) l.buffers->drain();
  l.buffers.reset();
  try {
    l.world->port->collective({collective::barrier}, form::blocking, nullptr);
  } catch (const mpx::error& e) {  // The survivors of a failure leave without the failed ranks.
    if (e.code() != mpx::errc::peer_lost && e.code() != mpx::errc::revoked) throw;
  }
  l.self->port->free();
  l.world = l.self = nullptr;  // No handle leads to them from now on.
  l.comms.erase(l.self_handle);
  l.comms.erase(l.world_handle);
  l.ended = true;
  leave();
}
void Query_thread(int* provided) { *provided = lib().provided; }
void Is_thread_main(int* flag) {
  *flag = ::pthread_equal(::pthread_self(), lib().main_thread) != 0;
}
void Abort(comm_t& comm, int errorcode) {
  const int status = errorcode > 0 && errorcode < 256 ? errorcode : 1;
  const std::string why =
      "MPI_Abort on rank " + std::to_string(comm.rank) + " with code " + std::to_string(errorcode);
  lib().job->abort(status, why);
}

void Get_version(int* version, int* subversion) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
}
void Get_library_version(char* version, int* resultlen) {
  *resultlen = std::snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING,
                             "mpx %s, standard ABI %d.%d of MPI %d.%d", MPX_VERSION_STRING,
                             MPI_ABI_VERSION, MPI_ABI_SUBVERSION, MPI_VERSION, MPI_SUBVERSION);
}
void Get_processor_name(char* name, int* resultlen) {
  const std::string_view host = lib().job->host();
  *resultlen = std::snprintf(name, MPI_MAX_PROCESSOR_NAME, "%.*s", static_cast<int>(host.size()),
                             host.data());
}
void Abi_get_version(int* abi_major, int* abi_minor) {
  *abi_major = MPI_ABI_VERSION;
  *abi_minor = MPI_ABI_SUBVERSION;
}
void Abi_get_info(MPI_Info* info) {
  info_t made;
  made.pairs.emplace_back("mpi_aint_size", std::to_string(sizeof(MPI_Aint)));
  made.pairs.emplace_back("mpi_count_size", std::to_string(sizeof(MPI_Count)));
  made.pairs.emplace_back("mpi_offset_size", std::to_string(sizeof(MPI_Offset)));
  made.pairs.emplace_back("mpx_extensions", address_of_extensions());
  *info = put_in<MPI_Info>(lib().infos, "info objects", std::move(made));
}
double Wtime() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}
double Wtick() { return 1e-9; }
void Pcontrol(const int /*level*/) {}

std::size_t alignment_of(MPI_Info info) {
  if (info == MPI_INFO_NULL) return default_alignment;
  const std::string* const value = need_info(info).find("mpi_minimum_memory_alignment");
  if (value == nullptr) return default_alignment;
  char* end = nullptr;
  const unsigned long long asked = std::strtoull(value->c_str(), &end, 10);
  if (*end != 0 || !std::has_single_bit(asked) || asked > alignment_max)
    fail(MPI_ERR_INFO_VALUE, "mpi_minimum_memory_alignment is a power of two up to %zu, not %s",
         alignment_max, value->c_str());
  return std::max(static_cast<std::size_t>(asked), default_alignment);
}
void Alloc_mem(MPI_Aint size, MPI_Info info, void* baseptr) {
  if (size < 0) bad_number(MPI_ERR_ARG, "size", size);
  void* made = nullptr;
  const std::size_t bytes = size == 0 ? 1 : static_cast<std::size_t>(size);
  if (::posix_memalign(&made, alignment_of(info), bytes) != 0)
    fail(MPI_ERR_NO_MEM, "no memory for %lld bytes", static_cast<long long>(size));
  *static_cast<void**>(baseptr) = made;
}
void Free_mem(void* base) { std::free(base); }

// --- Sessions ------------------------------------------------------------------------------------

namespace {
struct level_name {
  const char* name;
  int level;
};
constexpr level_name levels[] = {{"MPI_THREAD_SINGLE", MPI_THREAD_SINGLE},
                                 {"MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED},
                                 {"MPI_THREAD_SERIALIZED", MPI_THREAD_SERIALIZED},
                                 {"MPI_THREAD_MULTIPLE", MPI_THREAD_MULTIPLE}};
int level_of(const std::string& name) {
  for (const level_name& l : levels)
    if (name == l.name) return l.level;
  fail(MPI_ERR_INFO_VALUE,
       "the key thread_level has the value \"%s\": give MPI_THREAD_MULTIPLE etc.", name.c_str());
}
constexpr const char* process_sets[] = {"mpi://WORLD", "mpi://SELF"};

/// Returns the number of a process set. Throws MPI_ERR_ARG.
int need_set(const char* name) {
  for (int i = 0; i < 2; ++i)
    if (::strcasecmp(name, process_sets[i]) == 0) return i;
  fail(MPI_ERR_ARG, "there is no process set '%s'", name);
}
/// The tag of a string, the same on all ranks.
int tag_of(const char* text) {
  std::uint32_t hash = 0x811c'9dc5u;  // FNV-1a.
  for (; *text != 0; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 0x0100'0193u;
  return static_cast<int>(hash & 0x3fff'ffff);
}
void set_handler_of(MPI_Comm made, MPI_Errhandler errhandler) {
  if (made == MPI_COMM_NULL) return;
  comm_t& c = need_comm(made);
  const errhandler_ref how = find_errhandler(errhandler);
  if (how != nullptr) c.errors.set(how);
}
}  // namespace

void Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  int level = MPI_THREAD_SERIALIZED;
  if (info != MPI_INFO_NULL)
    for (const auto& [key, value] : need_info(info).pairs)
      if (key == "thread_level") level = level_of(value);
  const errhandler_ref how = find_errhandler(errhandler);
  if (how == nullptr)
    bad_handle(MPI_ERR_ERRHANDLER, "error handler", errhandler, MPI_ERRHANDLER_NULL);
  join(level);
  session_t made;
  made.errors.set(how);
  *session = put_in<MPI_Session>(lib().sessions, "sessions", std::move(made));
  need_session(*session).self = *session;
}
void Session_finalize(MPI_Session* session) {
  session_t& s = need_session(*session);
  if (s.buffers != nullptr) s.buffers->drain();
  lib().sessions.erase(value_of(*session));
  *session = MPI_SESSION_NULL;
  leave();
}
void Session_get_num_psets(session_t& /*session*/, MPI_Info /*info*/, int* npset_names) {
  *npset_names = 2;
}
void Session_get_nth_pset(session_t& /*session*/, MPI_Info /*info*/, int n, int* pset_len,
                          char* pset_name) {
  if (n < 0 || n > 1) bad_number(MPI_ERR_ARG, "number of a process set", n);
  const char* const name = process_sets[n];
  if (*pset_len > 0) need_place(pset_name, "pset_name");
  if (*pset_len > 0) std::snprintf(pset_name, static_cast<std::size_t>(*pset_len), "%s", name);
  *pset_len = static_cast<int>(std::strlen(name)) + 1;
}
void Session_get_pset_info(session_t& /*session*/, const char* pset_name, MPI_Info* info) {
  const int size = need_set(pset_name) == 0 ? lib().base->size() : 1;
  info_t made;
  made.pairs.emplace_back("mpi_size", std::to_string(size));
  *info = put_in<MPI_Info>(lib().infos, "info objects", std::move(made));
}
void Session_get_info(session_t& /*session*/, MPI_Info* info_used) {
  info_t made;
  for (const level_name& l : levels)
    if (l.level == lib().provided) made.pairs.emplace_back("thread_level", l.name);
  *info_used = put_in<MPI_Info>(lib().infos, "info objects", std::move(made));
}
void Group_from_session_pset(session_t& session, const char* pset_name, MPI_Group* newgroup) {
  const int rank[] = {lib().base->rank()};
  mpx::group all = lib().base->group();
  *newgroup = put_in<MPI_Group>(lib().groups, "groups",
                                need_set(pset_name) == 0 ? std::move(all) : mpx::include(all, rank),
                                session.self);
}
void Comm_create_from_group(group_t& group, const char* stringtag, MPI_Info /*info*/,
                            MPI_Errhandler errhandler, MPI_Comm* newcomm) {
  if (group.members.size() == 0) {
    *newcomm = MPI_COMM_NULL;
    return;
  }
  if (group.members.rank() == mpx::proc_null)
    fail(MPI_ERR_GROUP, "this process is no member of the group");
  *newcomm = add_comm(lib().base->create_group(group.members, tag_of(stringtag)), nullptr);
  need_comm(*newcomm).session = group.session;
  set_handler_of(*newcomm, errhandler);
}
void Intercomm_create_from_groups(group_t& local_group, int local_leader, group_t& remote_group,
                                  int remote_leader, const char* stringtag, MPI_Info /*info*/,
                                  MPI_Errhandler errhandler, MPI_Comm* newintercomm) {
  const mpx::group& here = local_group.members;
  const mpx::group& there = remote_group.members;
  if (here.size() == 0 || there.size() == 0) {
    *newintercomm = MPI_COMM_NULL;
    return;
  }
  if (local_leader < 0 || local_leader >= here.size())
    bad_number(MPI_ERR_ARG, "local leader", local_leader);
  const bool leads = here.rank() == local_leader;  // The others may pass any remote leader.
  if (leads && (remote_leader < 0 || remote_leader >= there.size()))
    bad_number(MPI_ERR_ARG, "remote leader", remote_leader);
  const int tag = tag_of(stringtag);
  const auto local = lib().base->create_group(here, tag);
  const int remote = leads ? lib().base->group().rank_of(there.peer_of(remote_leader)) : 0;
  auto made = local->connect(local_leader, lib().base.get(), remote, tag);
  local->free();
  *newintercomm = add_comm(std::move(made), nullptr);
  if (*newintercomm != MPI_COMM_NULL) need_comm(*newintercomm).session = local_group.session;
  set_handler_of(*newintercomm, errhandler);
}

// --- Info ----------------------------------------------------------------------------------------

namespace {
void need_key(const char* key) {
  const std::size_t n = std::strlen(key);
  if (n == 0 || n >= MPI_MAX_INFO_KEY)
    fail(MPI_ERR_INFO_KEY, "an info key has 1 to %d characters, not %zu", MPI_MAX_INFO_KEY - 1, n);
}
auto pair_of(info_t& info, const char* key) {
  return std::find_if(info.pairs.begin(), info.pairs.end(),
                      [key](const auto& p) { return p.first == key; });
}
info_t env_info() {
  info_t made;
  const auto add = [&](const char* key, std::string value) {
    made.pairs.emplace_back(key, std::move(value));
  };
  char host[256] = {};
  if (::gethostname(host, sizeof host - 1) == 0) add("host", host);
  char folder[4096];
  if (::getcwd(folder, sizeof folder) != nullptr) add("wdir", folder);
  return made;
}
}  // namespace

info_t* find_info(MPI_Info i) noexcept {
  if (i == MPI_INFO_ENV) {
    static info_t* const env = new info_t(env_info());
    return env;
  }
  return lib().infos.find(value_of(i));
}
void Info_create(MPI_Info* info) { *info = put_in<MPI_Info>(lib().infos, "info objects"); }
void Info_create_env(int /*argc*/, char* /*argv*/[], MPI_Info* info) {
  *info = put_in<MPI_Info>(lib().infos, "info objects", env_info());
}
void Info_dup(info_t& info, MPI_Info* newinfo) {
  *newinfo = put_in<MPI_Info>(lib().infos, "info objects", info_t(info));
}
void Info_free(MPI_Info* info) {
  need_info(*info);
  if (*info == MPI_INFO_ENV) fail(MPI_ERR_INFO, "MPI_INFO_ENV is not freed");
  lib().infos.erase(value_of(*info));
  *info = MPI_INFO_NULL;
}
void Info_set(info_t& info, const char* key, const char* value) {
  need_key(key);
  if (std::strlen(value) >= MPI_MAX_INFO_VAL)
    fail(MPI_ERR_INFO_VALUE, "an info value has at most %d characters", MPI_MAX_INFO_VAL - 1);
  info.set(key, value);
}
void Info_delete(info_t& info, const char* key) {
  need_key(key);
  const auto found = pair_of(info, key);
  if (found == info.pairs.end()) fail(MPI_ERR_INFO_NOKEY, "the info has no key '%s'", key);
  info.pairs.erase(found);
}
void Info_get(info_t& info, const char* key, int valuelen, char* value, int* flag) {
  need_key(key);
  need_count(valuelen, "valuelen");
  const auto found = pair_of(info, key);
  *flag = found != info.pairs.end();
  if (*flag != 0)
    std::snprintf(value, static_cast<std::size_t>(valuelen) + 1, "%s", found->second.c_str());
}
void Info_get_string(info_t& info, const char* key, int* buflen, char* value, int* flag) {
  need_key(key);
  need_place(buflen, "buflen");
  const auto found = pair_of(info, key);
  *flag = found != info.pairs.end();
  if (*flag == 0) return;
  if (*buflen > 0) need_place(value, "value");
  if (*buflen > 0)
    std::snprintf(value, static_cast<std::size_t>(*buflen), "%s", found->second.c_str());
  *buflen = static_cast<int>(found->second.size()) + 1;
}
void Info_get_valuelen(info_t& info, const char* key, int* valuelen, int* flag) {
  need_key(key);
  const auto found = pair_of(info, key);
  *flag = found != info.pairs.end();
  if (*flag != 0) *valuelen = static_cast<int>(found->second.size());
}
void Info_get_nkeys(info_t& info, int* nkeys) { *nkeys = static_cast<int>(info.pairs.size()); }
void Info_get_nthkey(info_t& info, int n, char* key) {
  if (n < 0 || static_cast<std::size_t>(n) >= info.pairs.size())
    bad_number(MPI_ERR_ARG, "number of a key", n);
  std::snprintf(key, MPI_MAX_INFO_KEY, "%s", info.pairs[static_cast<std::size_t>(n)].first.c_str());
}

}  // namespace mpx_mpi
