// SPDX-License-Identifier: BSL-1.0
// Windows: creation, memory, synchronisation, names and hints. Accesses: window_accesses.cpp.
#include <algorithm>
#include <cstdio>
#include <mutex>

#include "functions.hpp"
#include "mpx/core/error.hpp"
#include "startup.hpp"

namespace mpx_mpi {

win_t* find_win(MPI_Win w) noexcept { return lib().wins.find(value_of(w)); }

// --- Creation ------------------------------------------------------------------------------------

namespace {

struct hint {
  const char* key;
  const char* value;  // Unless the program sets it.
};
/// The hints of the standard (MPI 5.0, 12.2). None changes what mpx does, except
/// alloc_shared_noncontig; for mpi_minimum_memory_alignment see `alignment_of`.
constexpr hint known_hints[] = {
    {"no_locks", "false"},
    {"accumulate_ordering", "rar,raw,war,waw"},
    {"accumulate_ops", "same_op_no_op"},
    {"mpi_accumulate_granularity", "0"},
    {"same_size", "false"},
    {"same_disp_unit", "false"},
    {"alloc_shared_noncontig", "false"},
};
void set_hints(win_t& win, MPI_Info info) {
  info_t hints = win.hints.get();
  if (hints.pairs.empty())
    for (const hint& h : known_hints) hints.pairs.emplace_back(h.key, h.value);
  if (info != MPI_INFO_NULL)
    for (const auto& [key, value] : need_info(info).pairs)
      if (std::string* const known = hints.find(key); known != nullptr) *known = value;
  win.hints.set(std::move(hints));
}
bool wants_parts_apart(MPI_Info info) {
  if (info == MPI_INFO_NULL) return false;
  const std::string* const value = need_info(info).find("alloc_shared_noncontig");
  return value != nullptr && *value == "true";
}
void need_memory(MPI_Aint size, MPI_Aint unit) {
  if (size < 0) bad_number(MPI_ERR_SIZE, "size", size);
  if (unit < 1) bad_number(MPI_ERR_DISP, "displacement unit", unit);
}
/// Makes a window. Returns it.
win_t& add_window(comm_t& comm, const window_plan& plan, int flavor, MPI_Info info, MPI_Win* win) {
  auto port = comm.port->window(plan);
  *win = put_in<MPI_Win>(lib().wins, "windows");
  win_t& w = *find_win(*win);
  w.self = *win;
  w.port = std::move(port);
  w.rank = comm.rank;
  w.size = comm.size;
  w.errors.set(find_errhandler(MPI_ERRORS_ARE_FATAL));
  if (plan.bytes != 0) w.values.base = w.port->part(w.rank).base;
  w.values.bytes = static_cast<MPI_Aint>(plan.bytes);
  w.values.unit = static_cast<int>(plan.unit);
  w.values.flavor = flavor;
  set_hints(w, info);
  return w;
}
window_plan plan_of(window_memory how, void* base, MPI_Aint size, MPI_Aint unit) {
  return {how, base, static_cast<std::uint64_t>(size), static_cast<std::uint64_t>(unit)};
}

}  // namespace

void Win_create(void* base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, comm_t& comm,
                MPI_Win* win) {
  need_one_group(comm);
  need_memory(size, disp_unit);
  if (base == nullptr && size != 0) fail(MPI_ERR_BASE, "the base of the window is a null pointer");
  add_window(comm, plan_of(window_memory::given, base, size, disp_unit), MPI_WIN_FLAVOR_CREATE,
             info, win)
      .values.base = base;
}
void Win_allocate(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, comm_t& comm, void* baseptr,
                  MPI_Win* win) {
  need_one_group(comm);
  need_memory(size, disp_unit);
  if (alignment_of(info) > default_alignment) {  // More than memory that ranks share has.
    void* made = nullptr;
    Alloc_mem(size, info, &made);
    malloc_memory own(made);
    win_t& w = add_window(comm, plan_of(window_memory::given, made, size, disp_unit),
                          MPI_WIN_FLAVOR_ALLOCATE, info, win);
    w.values.base = *static_cast<void**>(baseptr) = made;
    w.own_memory = std::move(own);
    return;
  }
  *static_cast<void**>(baseptr) =
      add_window(comm, plan_of(window_memory::allocated, nullptr, size, disp_unit),
                 MPI_WIN_FLAVOR_ALLOCATE, info, win)
          .values.base;
}
void Win_allocate_shared(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, comm_t& comm,
                         void* baseptr, MPI_Win* win) {
  need_one_group(comm);
  need_memory(size, disp_unit);
  const auto how = wants_parts_apart(info) ? window_memory::shared_apart : window_memory::shared;
  try {
    *static_cast<void**>(baseptr) =
        add_window(comm, plan_of(how, nullptr, size, disp_unit), MPI_WIN_FLAVOR_SHARED, info, win)
            .values.base;
  } catch (const mpx::error& e) {
    if (e.code() != mpx::errc::argument) throw;
    fail(MPI_ERR_RMA_SHARED, "%s", e.what_went_wrong());
  }
}
void Win_create_dynamic(MPI_Info info, comm_t& comm, MPI_Win* win) {
  need_one_group(comm);
  add_window(comm, plan_of(window_memory::dynamic, nullptr, 0, 1), MPI_WIN_FLAVOR_DYNAMIC, info,
             win);
}
void Win_free(MPI_Win* win) {
  win_t& w = need_win(*win);
  if (w.port->in_epoch())
    fail(MPI_ERR_RMA_SYNC,
         "an epoch of a lock, MPI_Win_start or MPI_Win_post is open: end it first");
  drop_attributes(w.attributes, *win);
  w.port->free();
  lib().wins.erase(value_of(*win));
  *win = MPI_WIN_NULL;
}

namespace {
std::mutex attach_lock;  // Of the attached memory of all windows.
void need_dynamic(const win_t& win) {
  if (win.values.flavor != MPI_WIN_FLAVOR_DYNAMIC)
    fail(MPI_ERR_RMA_FLAVOR, "memory is attached to dynamic windows only");
}
}  // namespace
void Win_attach(win_t& win, void* base, MPI_Aint size) {
  need_dynamic(win);
  if (size < 0) bad_number(MPI_ERR_SIZE, "size", size);
  if (base == nullptr && size != 0) fail(MPI_ERR_BASE, "the memory is a null pointer");
  const auto from = value_of(base);
  const auto bytes = static_cast<std::uint64_t>(size);
  const std::lock_guard guard(attach_lock);
  for (const auto& [p, n] : win.attached)
    if (from < value_of(p) + n && value_of(p) < from + bytes)
      fail(MPI_ERR_RMA_ATTACH, "a part of the memory is attached already, %llu bytes at %p",
           static_cast<unsigned long long>(n), p);
  win.port->attach(base, bytes);
  win.attached.emplace_back(base, bytes);
}
void Win_detach(win_t& win, const void* base) {
  need_dynamic(win);
  const std::lock_guard guard(attach_lock);
  const auto found = std::find_if(win.attached.begin(), win.attached.end(),
                                  [base](const auto& a) { return a.first == base; });
  if (found == win.attached.end()) fail(MPI_ERR_RMA_ATTACH, "no memory is attached at %p", base);
  win.port->detach(found->first, found->second);
  win.attached.erase(found);
}
void Win_shared_query(win_t& win, int rank, MPI_Aint* size, number_place disp_unit, void* baseptr) {
  if (win.values.flavor == MPI_WIN_FLAVOR_DYNAMIC)
    fail(MPI_ERR_RMA_FLAVOR, "a dynamic window has no memory that is shared");
  window_part found;
  for (int r = rank == MPI_PROC_NULL ? 0 : rank; r < win.size; ++r) {
    found = win.port->part(r);
    // MPI_PROC_NULL: the first rank with memory that is mapped here.
    if (rank != MPI_PROC_NULL || (found.base != nullptr && found.bytes != 0)) break;
    found = {};
  }
  if (found.base == nullptr) found.bytes = 0;
  if (found.bytes == 0) found.base = nullptr;
  *size = static_cast<MPI_Aint>(found.bytes);
  disp_unit.set(static_cast<std::int64_t>(found.unit));
  *static_cast<void**>(baseptr) = found.base;
}

// --- Names, hints, group -------------------------------------------------------------------------

void Win_set_name(win_t& win, const char* win_name) {
  win.name.set(std::string(win_name).substr(0, MPI_MAX_OBJECT_NAME - 1));
}
void Win_get_name(MPI_Win win, char* win_name, int* resultlen) {
  const std::string name = win == MPI_WIN_NULL ? "MPI_WIN_NULL" : need_win(win).name.get();
  *resultlen = std::snprintf(win_name, MPI_MAX_OBJECT_NAME, "%s", name.c_str());
}
void Win_set_info(win_t& win, MPI_Info info) { set_hints(win, info); }
void Win_get_info(win_t& win, MPI_Info* info_used) {
  *info_used = put_in<MPI_Info>(lib().infos, "info objects", win.hints.get());
}
void Win_get_group(win_t& win, MPI_Group* group) {
  *group = put_in<MPI_Group>(lib().groups, "groups", win.port->group());
}

// --- Synchronisation -----------------------------------------------------------------------------

namespace {

using mpx::rma::assertion;

/// The assertions of a call as mpx's. Throws MPI_ERR_ASSERT for others than `allowed`.
assertion assertions(int given, int allowed) {
  if ((given & ~allowed) != 0) fail(MPI_ERR_ASSERT, "assertion %d is not one of this call", given);
  struct {
    int mode;
    assertion is;
  } constexpr all[] = {{MPI_MODE_NOCHECK, assertion::no_check},
                       {MPI_MODE_NOSTORE, assertion::no_store},
                       {MPI_MODE_NOPUT, assertion::no_put},
                       {MPI_MODE_NOPRECEDE, assertion::no_precede},
                       {MPI_MODE_NOSUCCEED, assertion::no_succeed}};
  assertion made{};
  for (const auto& a : all)
    if ((given & a.mode) != 0) made = made | a.is;
  return made;
}
bool is_none(int rank) noexcept { return rank == MPI_PROC_NULL; }

}  // namespace

void Win_fence(int assert, win_t& win) {
  win.port->fence(assertions(
      assert, MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED));
}
void Win_post(group_t& group, int assert, win_t& win) {
  win.port->post(group.members,
                 assertions(assert, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT));
}
void Win_start(group_t& group, int assert, win_t& win) {
  win.port->start(group.members, assertions(assert, MPI_MODE_NOCHECK));
}
void Win_complete(win_t& win) { win.port->complete(); }
void Win_wait(win_t& win) { win.port->wait(); }
void Win_test(win_t& win, int* flag) { *flag = win.port->test(); }
void Win_lock(int lock_type, int rank, int assert, win_t& win) {
  if (lock_type != MPI_LOCK_EXCLUSIVE && lock_type != MPI_LOCK_SHARED)
    bad_number(MPI_ERR_LOCKTYPE, "lock type", lock_type);
  const assertion given = assertions(assert, MPI_MODE_NOCHECK);
  if (!is_none(rank)) win.port->lock(rank, lock_type == MPI_LOCK_EXCLUSIVE, given);
}
void Win_unlock(int rank, win_t& win) {
  if (!is_none(rank)) win.port->unlock(rank);
}
void Win_lock_all(int assert, win_t& win) {
  win.port->lock_all(assertions(assert, MPI_MODE_NOCHECK));
}
void Win_unlock_all(win_t& win) { win.port->unlock_all(); }
void Win_flush(int rank, win_t& win) {
  if (!is_none(rank)) win.port->flush(rank, true);
}
void Win_flush_local(int rank, win_t& win) {
  if (!is_none(rank)) win.port->flush(rank, false);
}
void Win_flush_all(win_t& win) { win.port->flush_all(true); }
void Win_flush_local_all(win_t& win) { win.port->flush_all(false); }
void Win_sync(win_t& win) { win.port->sync(); }

}  // namespace mpx_mpi
