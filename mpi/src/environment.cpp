// SPDX-License-Identifier: BSL-1.0
// Environment: start and end, the choice of a stack, info objects, memory.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "functions.hpp"
#include "mpx/config.hpp"
#include "mpx/core/error.hpp"
#include "mpx/core/group_sets.hpp"
#include "startup.hpp"

namespace mpx_mpi {

library* const library_here = new library;

namespace {

/// The stack that MPX_MPI_STACK names, or the first one, that allows `multiple`.
const stack_entry& chosen_stack(bool multiple) {
  const char* const wanted = std::getenv("MPX_MPI_STACK");
  std::string names;
  for (const stack_entry& s : built_stacks()) {
    const bool fits = wanted == nullptr || std::strcmp(wanted, s.name) == 0;
    if (fits && s.multiple == multiple) return s;
    if (names.find(s.name) == std::string::npos)
      names += std::string(names.empty() ? "" : ", ") + s.name;
  }
  fail(MPI_ERR_OTHER, "MPX_MPI_STACK=%s: this library holds the stacks %s", wanted, names.c_str());
}
comm_t* add_world(std::unique_ptr<comm_port> port, MPI_Comm self, const char* name,
                  std::uintptr_t& handle) {
  library& l = lib();
  handle = l.comms.put();
  comm_t* const c = l.comms.find(handle);
  c->self = self;
  c->rank = port->rank();
  c->size = port->size();
  c->port = std::move(port);
  c->name = name;
  c->errors = find_errhandler(MPI_ERRORS_ARE_FATAL);
  return c;
}

void begin(int required, int* provided) {
  library& l = lib();
  if (l.now.load(mpx::platform::memory_order_relaxed) != library::phase::before)
    fail(MPI_ERR_OTHER, "MPI is initialised once");
  if (required != MPI_THREAD_SINGLE && required != MPI_THREAD_FUNNELED &&
      required != MPI_THREAD_SERIALIZED && required != MPI_THREAD_MULTIPLE)
    bad_number(MPI_ERR_ARG, "thread level", required);
  l.job = chosen_stack(required == MPI_THREAD_MULTIPLE).join();
  l.provided = required;
  l.main_thread = ::pthread_self();
  make_predefined_types();
  l.file_errors = find_errhandler(MPI_ERRORS_RETURN);
  l.world = add_world(l.job->world(), MPI_COMM_WORLD, "MPI_COMM_WORLD", l.world_handle);
  const int rank[] = {l.world->rank};
  const mpx::group alone = mpx::include(l.world->port->group(), rank);
  l.self = add_world(l.world->port->create_group(alone, 0), MPI_COMM_SELF, "MPI_COMM_SELF",
                     l.self_handle);
  l.now.store(library::phase::running, mpx::platform::memory_order_release);
  if (provided != nullptr) *provided = l.provided;
}

}  // namespace

void Init(int* /*argc*/, char*** /*argv*/) { begin(MPI_THREAD_SINGLE, nullptr); }
void Init_thread(int* /*argc*/, char*** /*argv*/, int required, int* provided) {
  begin(required, provided);
}
void Initialized(int* flag) {
  *flag = lib().now.load(mpx::platform::memory_order_acquire) != library::phase::before;
}
void Finalized(int* flag) {
  *flag = lib().now.load(mpx::platform::memory_order_acquire) == library::phase::after;
}
void Finalize() {
  library& l = lib();
  drop_attributes(l.self->attributes, MPI_COMM_SELF);
  drop_attributes(l.world->attributes, MPI_COMM_WORLD);
  l.world->port->collective({collective::barrier}, form::blocking, nullptr);
  l.requests.each([&](request_t& r) { l.job->drop(r.cell); });
  l.requests.clear();
  l.messages.clear();
  if (l.self->port != nullptr) l.self->port->free();
  l.now.store(library::phase::after, mpx::platform::memory_order_release);
  l.world = l.self = nullptr;
  l.comms.clear();
  l.groups.clear();
  l.ops.clear();
  if (l.attached_base != nullptr) l.job->detach_buffer();
  l.job.reset();
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
double Wtime() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}
double Wtick() { return 1e-9; }
void Pcontrol(const int /*level*/) {}

void Alloc_mem(MPI_Aint size, MPI_Info /*info*/, void* baseptr) {
  if (size < 0) bad_number(MPI_ERR_ARG, "size", size);
  void* made = nullptr;
  if (::posix_memalign(&made, 64, size == 0 ? 64 : static_cast<std::size_t>(size)) != 0)
    fail(MPI_ERR_NO_MEM, "no memory for %lld bytes", static_cast<long long>(size));
  *static_cast<void**>(baseptr) = made;
}
void Free_mem(void* base) { std::free(base); }

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
  if (lib().world != nullptr) add("maxprocs", std::to_string(lib().world->size));
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
  const auto found = pair_of(info, key);
  if (found != info.pairs.end())
    found->second = value;
  else
    info.pairs.emplace_back(key, value);
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

// --- Buffered sends ------------------------------------------------------------------------------

void Buffer_attach(void* buffer, MPI_Count size) {
  library& l = lib();
  if (l.attached_base != nullptr) fail(MPI_ERR_BUFFER, "a buffer is attached: detach it first");
  if (buffer == nullptr && size != 0) fail(MPI_ERR_BUFFER, "the buffer is a null pointer");
  l.attached = {static_cast<std::byte*>(buffer), static_cast<std::size_t>(size)};
  l.job->attach_buffer(l.attached);
  l.attached_base = buffer;
}
void Buffer_detach(void* buffer_addr, number_place size) {
  library& l = lib();
  if (l.attached_base == nullptr) {
    *static_cast<void**>(buffer_addr) = nullptr;
    size.set(0);
    return;
  }
  l.job->detach_buffer();
  *static_cast<void**>(buffer_addr) = std::exchange(l.attached_base, nullptr);
  size.set(static_cast<std::int64_t>(l.attached.size()));
}
void Buffer_flush() {
  library& l = lib();
  if (l.attached_base == nullptr) return;
  l.job->detach_buffer();
  l.job->attach_buffer(l.attached);
}

}  // namespace mpx_mpi
