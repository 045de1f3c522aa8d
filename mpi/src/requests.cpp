// SPDX-License-Identifier: BSL-1.0
// Requests: waiting for them, testing, starting, cancelling and freeing them.
#include <list>
#include <new>
#include <utility>

#include "buffers.hpp"
#include "functions.hpp"
#include "mpx/core/error.hpp"
#include "requests.hpp"

namespace mpx_mpi {

request_t& need_request(MPI_Request r) {
  request_t* const found = lib().requests.find(value_of(r));
  if (found == nullptr) bad_handle(MPI_ERR_REQUEST, "request", r, nullptr);
  return *found;
}
MPI_Request add_request(request_t&& r) {
  return put_in<MPI_Request>(lib().requests, "requests", std::move(r));
}

namespace {

int code_of(const mpx::status& s) noexcept {
  return s.failed() ? class_of_errc(s.error().value()) : MPI_SUCCESS;
}
bool active(const request_t& r) { return r.generalized() != nullptr || lib().job->active(r.cell); }

/// As `settle`, for requests that are not plain.
[[gnu::noinline]] void settle_special(MPI_Request& handle, request_t& r, const mpx::status& s,
                                      MPI_Status* into) {
  if (r.generalized() != nullptr) {
    const std::unique_ptr<generalized_t> g = std::move(r.rare->generalized);
    MPI_Status given{};
    set_empty(&given);
    const int queried = g->query(g->extra, &given);
    if (into != MPI_STATUS_IGNORE) {
      const int error = into->MPI_ERROR;
      *into = given;
      into->MPI_ERROR = error;
    }
    const int freed = g->free(g->extra);
    lib().requests.erase(value_of(handle));
    handle = MPI_REQUEST_NULL;
    const int code = queried != MPI_SUCCESS ? queried : freed;
    if (code != MPI_SUCCESS) fail(code, "a function of a generalized request has failed");
    return;
  }
  set_status_of(r, s, into);
  if (r.persistent) return;
  const std::unique_ptr<rare_parts> rare = std::move(r.rare);
  lib().requests.erase(value_of(handle));
  handle = MPI_REQUEST_NULL;
  if (rare != nullptr && rare->finish != nullptr) rare->finish(*rare, !s.failed());
}
/// Ends a complete request: its status is known. Frees it unless it is persistent.
void settle(MPI_Request& handle, request_t& r, const mpx::status& s, MPI_Status* into) {
  if (handle == lib().requests.complete_send)
    end_complete_send(handle, into);
  else if (r.plain()) [[likely]]
    end_plain(lib().requests, handle, r, s, into);
  else
    settle_special(handle, r, s, into);
}
/// As settle. Returns the code of the status, or that of a function of the program that has failed.
int settled(MPI_Request& handle, request_t& r, const mpx::status& s, MPI_Status* into) {
  try {
    settle(handle, r, s, into);
    return code_of(s);
  } catch (const failure& f) {
    return f.code;
  } catch (const mpx::error& e) {
    return class_of_errc(e.code().value());
  } catch (const std::bad_alloc&) {
    return MPI_ERR_NO_MEM;
  }
}
/// As settle; throws the failure of the status.
void settle_one(MPI_Request& handle, request_t& r, const mpx::status& s, MPI_Status* into) {
  const void* const on = r.of;
  const bool receives = r.receives;
  settle(handle, r, s, into);
  need_success(s, receives ? "receive" : "request", on);
}

/// An array of `size` elements, which needs no memory from the heap if they are few. The elements
/// are not initialised.
template <class T>
class scratch_array {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  static constexpr std::size_t few = 64;

 public:
  explicit scratch_array(std::size_t size)
      : many_(size > few ? new std::byte[size * sizeof(T)] : nullptr),
        data_(reinterpret_cast<T*>(many_ == nullptr ? few_ : many_.get())) {}
  [[nodiscard]] T* data() const noexcept { return data_; }

 private:
  std::unique_ptr<std::byte[]> many_;
  T* data_;
  alignas(T) std::byte few_[few * sizeof(T)];
};

/// The active requests of an array from its element `first` on, with their positions.
class active_list {
 public:
  /// Sends that were complete at once are in the list, or left out of it.
  enum class complete_sends : std::uint8_t { in, out };
  active_list(int count, const MPI_Request array_of_requests[], complete_sends are, int first = 0)
      : cells_(room(count)), requests_(room(count)), at_(room(count)) {
    if (count > 0 && array_of_requests == nullptr)
      fail(MPI_ERR_REQUEST, "the array of requests is a null pointer");
    for (int i = first; i < count; ++i) {
      if (array_of_requests[i] == MPI_REQUEST_NULL) continue;
      const bool shared = array_of_requests[i] == lib().requests.complete_send;
      if (shared && are == complete_sends::out) continue;
      request_t& r =
          shared ? complete_.emplace_back(complete_cell()) : need_request(array_of_requests[i]);
      if (r.persistent && !active(r)) continue;  // Others are active as long as they are there.
      cells_.data()[size_] = &r.cell;
      requests_.data()[size_] = &r;
      at_.data()[size_] = i;
      ++size_;
    }
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  std::span<request_cell* const> cells() noexcept { return {cells_.data(), size_}; }
  request_t& operator[](std::size_t k) noexcept { return *requests_.data()[k]; }
  /// Position of a request in the array.
  std::size_t at(std::size_t k) noexcept { return static_cast<std::size_t>(at_.data()[k]); }

 private:
  static std::size_t room(int count) noexcept {
    return static_cast<std::size_t>(count > 0 ? count : 0);
  }

  std::size_t size_ = 0;
  scratch_array<request_cell*> cells_;
  scratch_array<request_t*> requests_;
  scratch_array<int> at_;
  std::list<request_t> complete_;  // Their handle is shared: each has an operation here.
};
MPI_Status* status_at(MPI_Status* all, std::size_t i) noexcept {
  return all == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : all + i;
}

/// Settles the requests of an array from its element `first` on: those of `list`, whose statuses are
/// `done`, and sends that were complete at once, which are not in the list. Throws
/// MPI_ERR_IN_STATUS.
void settle_all(MPI_Request requests[], active_list& list, const mpx::status done[],
                MPI_Status* statuses, int count, int first = 0) {
  for (int i = first; i < count; ++i) {
    set_empty(status_at(statuses, static_cast<std::size_t>(i)));
    if (requests[i] == lib().requests.complete_send) requests[i] = MPI_REQUEST_NULL;
  }
  bool wrong = false;
  const void* on = nullptr;
  std::string text;
  std::vector<std::pair<std::size_t, int>> codes;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const std::size_t i = list.at(k);
    MPI_Status* const into = status_at(statuses, i);
    if (list[k].plain() && !done[k].failed()) [[likely]] {
      end_plain(lib().requests, requests[i], list[k], done[k], into);
      continue;
    }
    int code = code_of(done[k]);
    const void* const of = list[k].of;
    if (code == MPI_ERR_PENDING) {
      codes.emplace_back(i, code);
      wrong = true;
      continue;
    }
    code = settled(requests[i], list[k], done[k], into);
    if (code == MPI_SUCCESS) continue;
    if (!wrong) {
      on = of;
      text = "request " + std::to_string(i) + ": " + text_of(code);
    }
    wrong = true;
    codes.emplace_back(i, code);
  }
  if (!wrong) return;
  for (int i = 0; statuses != MPI_STATUSES_IGNORE && i < count; ++i)
    statuses[i].MPI_ERROR = MPI_SUCCESS;
  for (const auto& [i, code] : codes)
    if (statuses != MPI_STATUSES_IGNORE) statuses[i].MPI_ERROR = code;
  throw failure{MPI_ERR_IN_STATUS, text, on};
}
}  // namespace

void throw_failure(const mpx::status& s, const char* what, const void* of) {
  const std::error_code ec = s.error();
  std::string text = what;
  if (s.source() >= 0) text += " from rank " + std::to_string(s.source());
  if (s.tag() >= 0) text += ", tag " + std::to_string(s.tag());
  text += ", " + std::to_string(s.bytes()) + " bytes: " + ec.message();
  throw failure{class_of_errc(ec.value()), text, of};
}
MPI_Request add_request_of(const request_cell& cell, const void* of, bool persistent, bool receives,
                           std::shared_ptr<void> keep) {
  std::unique_ptr<rare_parts> rare;
  if (keep != nullptr) {
    rare = std::make_unique<rare_parts>();
    rare->keep = std::move(keep);
  }
  return put_in<MPI_Request>(lib().requests, "requests", cell, of, persistent, receives,
                             std::move(rare));
}

// --- Waiting and testing -------------------------------------------------------------------------

void Wait(MPI_Request* request, MPI_Status* status) {
  set_empty(status);
  if (*request == MPI_REQUEST_NULL) return;
  request_t& r = need_request(*request);
  if (r.persistent && !active(r)) return;
  settle_one(*request, r, lib().job->wait(r.cell), status);
}
void Test(MPI_Request* request, int* flag, MPI_Status* status) {
  *flag = 1;
  set_empty(status);
  if (*request == MPI_REQUEST_NULL) return lib().job->progress();
  if (*request == lib().requests.complete_send) {
    end_complete_send(*request, status);
    return lib().job->progress();
  }
  request_t& r = need_request(*request);
  if (!active(r)) return lib().job->progress();
  const auto s = lib().job->test(r.cell);
  *flag = s.has_value();
  if (s) settle_one(*request, r, *s, status);
}
namespace {
/// Waits for the requests of an array from its element `first` on, of any kinds.
[[gnu::noinline]] void wait_rest(int count, MPI_Request requests[], MPI_Status* statuses,
                                 int first) {
  active_list list(count, requests, active_list::complete_sends::out, first);
  scratch_array<mpx::status> done(list.size());
  if (!list.empty()) lib().job->wait_all(list.cells(), {done.data(), list.size()});
  settle_all(requests, list, done.data(), statuses, count, first);
}
}  // namespace
void Waitall(int count, MPI_Request array_of_requests[], MPI_Status* array_of_statuses) {
  if (array_of_requests == nullptr) return wait_rest(count, nullptr, array_of_statuses, 0);
  const std::size_t done = lib().job->wait_in_order(
      lib().requests, {array_of_requests, static_cast<std::size_t>(count)}, array_of_statuses);
  if (static_cast<int>(done) != count)
    wait_rest(count, array_of_requests, array_of_statuses, static_cast<int>(done));
}
void Testall(int count, MPI_Request array_of_requests[], int* flag, MPI_Status* array_of_statuses) {
  active_list list(count, array_of_requests, active_list::complete_sends::out);
  scratch_array<mpx::status> done(list.size());
  *flag = list.empty() || lib().job->test_all(list.cells(), {done.data(), list.size()});
  if (*flag != 0) settle_all(array_of_requests, list, done.data(), array_of_statuses, count);
}
namespace {
void any_of(int count, MPI_Request array_of_requests[], int* indx, int* flag, MPI_Status* status,
            bool once) {
  active_list list(count, array_of_requests, active_list::complete_sends::in);
  *indx = MPI_UNDEFINED;
  if (flag != nullptr) *flag = 1;
  set_empty(status);
  if (list.empty()) return;
  const auto found = lib().job->any(list.cells(), once);
  if (!found) {
    if (flag != nullptr) *flag = 0;
    return;
  }
  const std::size_t at = list.at(found->index);
  *indx = static_cast<int>(at);
  settle_one(array_of_requests[at], list[found->index], found->status, status);
}
void some_of(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
             MPI_Status* array_of_statuses, bool once) {
  active_list list(incount, array_of_requests, active_list::complete_sends::in);
  *outcount = MPI_UNDEFINED;
  if (list.empty()) return;
  need_place(array_of_indices, "array_of_indices");
  std::vector<done_request> done(list.size());
  const std::size_t n = lib().job->some(list.cells(), done, once);
  *outcount = static_cast<int>(n);
  bool wrong = false;
  const void* on = nullptr;
  std::vector<int> codes(n);
  for (std::size_t k = 0; k < n; ++k) {
    request_t& r = list[done[k].index];
    const std::size_t at = list.at(done[k].index);
    MPI_Status* const into = status_at(array_of_statuses, k);
    set_empty(into);
    array_of_indices[k] = static_cast<int>(at);
    const void* const of = r.of;
    const int code = settled(array_of_requests[at], r, done[k].status, into);
    codes[k] = code;
    if (code == MPI_SUCCESS) continue;
    if (!wrong) on = of;
    wrong = true;
  }
  if (!wrong) return;
  for (std::size_t k = 0; array_of_statuses != MPI_STATUSES_IGNORE && k < n; ++k)
    array_of_statuses[k].MPI_ERROR = codes[k];
  throw failure{MPI_ERR_IN_STATUS, "one of the requests has failed", on};
}
}  // namespace
void Waitany(int count, MPI_Request array_of_requests[], int* indx, MPI_Status* status) {
  any_of(count, array_of_requests, indx, nullptr, status, false);
}
void Testany(int count, MPI_Request array_of_requests[], int* indx, int* flag, MPI_Status* status) {
  any_of(count, array_of_requests, indx, flag, status, true);
}
void Waitsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
              MPI_Status* array_of_statuses) {
  some_of(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, false);
}
void Testsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
              MPI_Status* array_of_statuses) {
  some_of(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, true);
}

namespace {
/// Looks at a request without ending it. Returns true if it is complete.
bool look_at(MPI_Request request, MPI_Status* status) {
  set_empty(status);
  if (request == MPI_REQUEST_NULL) return true;
  request_t& r = need_request(request);
  if (!active(r)) return true;
  const auto s = lib().job->peek(r.cell);
  if (!s) return false;
  if (r.generalized() != nullptr) {
    MPI_Status given{};
    set_empty(&given);
    r.generalized()->query(r.generalized()->extra, &given);
    if (status != MPI_STATUS_IGNORE) *status = given;
    return true;
  }
  if (r.receives) set_status(status, *s);
  if (status != MPI_STATUS_IGNORE) status->MPI_internal[2] = s->cancelled() ? 1 : 0;
  return true;
}
}  // namespace
void Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  *flag = look_at(request, status);
}
void Request_get_status_all(int count, const MPI_Request array_of_requests[], int* flag,
                            MPI_Status* array_of_statuses) {
  if (count > 0) need_place(array_of_requests, "array_of_requests");
  *flag = 1;
  for (int i = 0; i < count; ++i)
    if (!look_at(array_of_requests[i], MPI_STATUS_IGNORE)) *flag = 0;
  for (int i = 0; *flag != 0 && i < count; ++i)
    look_at(array_of_requests[i], status_at(array_of_statuses, static_cast<std::size_t>(i)));
}
void Request_get_status_any(int count, const MPI_Request array_of_requests[], int* indx, int* flag,
                            MPI_Status* status) {
  active_list list(count, array_of_requests, active_list::complete_sends::in);
  *indx = MPI_UNDEFINED;
  *flag = list.empty();
  set_empty(status);
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (!look_at(array_of_requests[list.at(k)], status)) continue;
    *indx = static_cast<int>(list.at(k));
    *flag = 1;
    return;
  }
}
void Request_get_status_some(int incount, const MPI_Request array_of_requests[], int* outcount,
                             int array_of_indices[], MPI_Status* array_of_statuses) {
  active_list list(incount, array_of_requests, active_list::complete_sends::in);
  *outcount = list.empty() ? MPI_UNDEFINED : 0;
  if (!list.empty()) need_place(array_of_indices, "array_of_indices");
  for (std::size_t k = 0; k < list.size(); ++k) {
    const std::size_t at = list.at(k);
    const auto n = static_cast<std::size_t>(*outcount);
    if (!look_at(array_of_requests[at], status_at(array_of_statuses, n))) continue;
    array_of_indices[n] = static_cast<int>(at);
    ++*outcount;
  }
}

void Start(MPI_Request* request) {
  request_t& r = need_request(*request);
  if (!r.persistent) fail(MPI_ERR_REQUEST, "the request is not persistent");
  if (r.rare != nullptr && r.rare->buffered != nullptr) {
    if (active(r)) fail(MPI_ERR_REQUEST, "the request is active: wait for it first");
    try {
      return start_buffered(*r.rare->buffered, r.cell);
    } catch (failure& f) {
      if (f.on == nullptr) f.on = r.of;
      throw;
    }
  }
  lib().job->start(r.cell);
}
void Startall(int count, MPI_Request array_of_requests[]) {
  if (count > 0) need_place(array_of_requests, "array_of_requests");
  for (int i = 0; i < count; ++i) Start(&array_of_requests[i]);
}
void Cancel(MPI_Request* request) {
  if (*request == lib().requests.complete_send) return;  // Too late.
  request_t& r = need_request(*request);
  if (r.generalized() != nullptr) {
    const int code =
        r.generalized()->cancel(r.generalized()->extra, r.generalized()->is_complete() ? 1 : 0);
    if (code != MPI_SUCCESS) fail(code, "the cancel function of a generalized request has failed");
    return;
  }
  lib().job->cancel(r.cell);
}
namespace {
/// Ends a generalized request that is complete and freed, the latter of both.
void end_freed(MPI_Request handle, request_t& r) {
  const std::unique_ptr<generalized_t> g = std::move(r.rare->generalized);
  lib().job->drop(r.cell);
  lib().requests.erase(value_of(handle));
  const int code = g->free(g->extra);
  if (code != MPI_SUCCESS) fail(code, "the free function of a generalized request has failed");
}
}  // namespace
void Request_free(MPI_Request* request) {
  if (*request == lib().requests.complete_send) {
    *request = MPI_REQUEST_NULL;
    return;
  }
  request_t& r = need_request(*request);
  if (r.generalized() != nullptr) {
    const MPI_Request it = std::exchange(*request, MPI_REQUEST_NULL);
    if (r.generalized()->happens(generalized_t::freed, generalized_t::completed)) end_freed(it, r);
    return;
  }
  if (r.rare != nullptr && (r.rare->keep != nullptr || r.rare->finish != nullptr) && active(r))
    fail(MPI_ERR_REQUEST, "a request of a collective or a flush is not freed while it is active");
  if (active(r))
    lib().job->detach(r.cell);
  else
    lib().job->drop(r.cell);
  lib().requests.erase(value_of(*request));
  *request = MPI_REQUEST_NULL;
}

void Grequest_start(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                    MPI_Grequest_cancel_function* cancel_fn, void* extra_state,
                    MPI_Request* request) {
  if (query_fn == nullptr || free_fn == nullptr || cancel_fn == nullptr)
    fail(MPI_ERR_ARG, "a function of a generalized request is null");
  request_t r;
  r.of = MPI_COMM_SELF;
  r.rare = std::make_unique<rare_parts>();
  r.rare->generalized = std::make_unique<generalized_t>();
  r.generalized()->query = query_fn;
  r.generalized()->free = free_fn;
  r.generalized()->cancel = cancel_fn;
  r.generalized()->extra = extra_state;
  lib().base->generalized(r.cell, r.generalized()->completer);
  *request = add_request(std::move(r));
}
void Grequest_complete(MPI_Request request) {
  request_t& r = need_request(request);
  if (r.generalized() == nullptr || r.generalized()->is_complete())
    fail(MPI_ERR_REQUEST, "the request is no generalized one that is to be completed");
  // Unless it is freed, another thread may end it as soon as it is complete.
  request_cell completer = r.generalized()->completer;
  const bool freed = r.generalized()->happens(generalized_t::completed, generalized_t::freed);
  lib().job->complete_generalized(completer);
  if (freed) end_freed(request, r);
}

}  // namespace mpx_mpi
