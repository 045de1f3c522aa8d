// SPDX-License-Identifier: BSL-1.0
// Point-to-point messages, requests and statuses.
#include <cstring>
#include <list>
#include <new>

#include "buffers.hpp"
#include "functions.hpp"
#include "mpx/core/error.hpp"
#include "requests.hpp"

namespace mpx_mpi {

namespace {

std::uint64_t bytes_of(const MPI_Status& s) noexcept {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, s.MPI_internal, sizeof bytes);
  return bytes;
}
constexpr std::uint64_t no_count = ~std::uint64_t{0};  // MPI_Get_count gives MPI_UNDEFINED.

int mpx_tag(int tag) noexcept {
  return tag == MPI_ANY_TAG ? static_cast<int>(mpx::tag_t{mpx::any_tag}) : tag;
}

int code_of(const mpx::status& s) noexcept {
  return s.failed() ? class_of_errc(s.error().value()) : MPI_SUCCESS;
}
// --- Requests ------------------------------------------------------------------------------------

request_t& need_request(MPI_Request r) {
  request_t* const found = lib().requests.find(value_of(r));
  if (found == nullptr) bad_handle(MPI_ERR_REQUEST, "request", r, nullptr);
  return *found;
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
    try {
      settle(requests[i], list[k], done[k], into);
    } catch (const failure& f) {
      code = f.code;
    } catch (const mpx::error& e) {
      code = class_of_errc(e.code().value());
    } catch (const std::bad_alloc&) {
      code = MPI_ERR_NO_MEM;
    }
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
MPI_Request add_request(request_t&& r) {
  return put_in<MPI_Request>(lib().requests, "requests", std::move(r));
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

// --- Sends and receives --------------------------------------------------------------------------

namespace {

/// A buffer of bytes.
buffer packed(std::vector<std::byte>& bytes) {
  return {bytes.data(), static_cast<std::int64_t>(bytes.size()), &byte_type(), true, bytes.data(),
          bytes.size()};
}
void send_as(send_mode mode, const void* buf, MPI_Count count, const type_t& datatype, int dest,
             int tag, comm_t& comm) {
  comm.port->send(mode, data_of(buf, count, datatype), mpx_rank(dest), tag);
}
void start_send(send_mode mode, form how, const void* buf, MPI_Count count, const type_t& datatype,
                int dest, int tag, comm_t& comm, MPI_Request* request) {
  request_cell cell;
  comm.port->isend(mode, how, data_of(buf, count, datatype), mpx_rank(dest), tag, cell);
  *request = add_request_of(cell, comm.self, how == form::prepare, false);
}
void start_receive(form how, void* buf, MPI_Count count, const type_t& datatype, int source,
                   int tag, comm_t& comm, MPI_Request* request) {
  request_cell cell;
  comm.port->irecv(how, data_of(buf, count, datatype), mpx_rank(source), mpx_tag(tag), cell);
  *request = add_request_of(cell, comm.self, how == form::prepare, true);
}

buffer bytes_at(const void* data, std::size_t bytes) {
  auto* const base = static_cast<std::byte*>(const_cast<void*>(data));
  return {base, static_cast<std::int64_t>(bytes), &byte_type(), true, base, bytes};
}
int send_usual(const comm_t& comm, const void* data, std::size_t bytes, int to, int tag) {
  try {
    comm.port->send(send_mode::standard, bytes_at(data, bytes), to, tag);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Send", comm.self);
  }
}
int isend_usual(const comm_t& comm, const void* data, std::size_t bytes, int to, int tag,
                MPI_Request* request) {
  try {
    request_cell cell;
    comm.port->isend(send_mode::standard, form::start, bytes_at(data, bytes), to, tag, cell);
    *request = add_request_of(cell, comm.self, false, false);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Isend", comm.self);
  }
}
int irecv_usual(const comm_t& comm, void* into, std::size_t bytes, int from, int tag,
                MPI_Request* request) {
  try {
    request_cell cell;
    comm.port->irecv(form::start, bytes_at(into, bytes), from, tag, cell);
    *request = add_request_of(cell, comm.self, false, true);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Irecv", comm.self);
  }
}
int failed_recv(const comm_t& comm, const mpx::status& s, MPI_Status* status) {
  try {
    set_status(status, s);
    throw_failure(s, "receive", comm.self);
  } catch (...) {
    return failed("MPI_Recv", comm.self);
  }
}

}  // namespace

const message_calls usual_messages{send_usual, isend_usual, irecv_usual, failed_recv};

#define MPX_MPI_SEND(prefix, mode)                                                              \
  void prefix##end(const void* buf, MPI_Count count, const type_t& datatype, int dest, int tag, \
                   comm_t& comm) {                                                              \
    send_as(mode, buf, count, datatype, dest, tag, comm);                                       \
  }                                                                                             \
  void prefix##end_init(const void* buf, MPI_Count count, const type_t& datatype, int dest,     \
                        int tag, comm_t& comm, MPI_Request* request) {                          \
    start_send(mode, form::prepare, buf, count, datatype, dest, tag, comm, request);            \
  }
#define MPX_MPI_ISEND(name, mode)                                                        \
  void name(const void* buf, MPI_Count count, const type_t& datatype, int dest, int tag, \
            comm_t& comm, MPI_Request* request) {                                        \
    start_send(mode, form::start, buf, count, datatype, dest, tag, comm, request);       \
  }
MPX_MPI_SEND(S, send_mode::standard)
MPX_MPI_SEND(Ss, send_mode::synchronous)
MPX_MPI_SEND(Rs, send_mode::ready)
MPX_MPI_ISEND(Isend, send_mode::standard)
MPX_MPI_ISEND(Issend, send_mode::synchronous)
MPX_MPI_ISEND(Irsend, send_mode::ready)
#undef MPX_MPI_SEND
#undef MPX_MPI_ISEND

void Recv(void* buf, MPI_Count count, const type_t& datatype, int source, int tag, comm_t& comm,
          MPI_Status* status) {
  const mpx::status s =
      comm.port->recv(data_of(buf, count, datatype), mpx_rank(source), mpx_tag(tag));
  set_status(status, s);
  need_success(s, "receive", comm.self);
}
void Irecv(void* buf, MPI_Count count, const type_t& datatype, int source, int tag, comm_t& comm,
           MPI_Request* request) {
  start_receive(form::start, buf, count, datatype, source, tag, comm, request);
}
void Recv_init(void* buf, MPI_Count count, const type_t& datatype, int source, int tag,
               comm_t& comm, MPI_Request* request) {
  start_receive(form::prepare, buf, count, datatype, source, tag, comm, request);
}
void Sendrecv(const void* sendbuf, MPI_Count sendcount, const type_t& sendtype, int dest,
              int sendtag, void* recvbuf, MPI_Count recvcount, const type_t& recvtype, int source,
              int recvtag, comm_t& comm, MPI_Status* status) {
  const mpx::status s = comm.port->sendrecv(data_of(sendbuf, sendcount, sendtype), mpx_rank(dest),
                                            sendtag, data_of(recvbuf, recvcount, recvtype),
                                            mpx_rank(source), mpx_tag(recvtag));
  set_status(status, s);
  need_success(s, "sendrecv", comm.self);
}
void Sendrecv_replace(void* buf, MPI_Count count, const type_t& datatype, int dest, int sendtag,
                      int source, int recvtag, comm_t& comm, MPI_Status* status) {
  const buffer data = data_of(buf, count, datatype);
  std::vector<std::byte> copy(data.bytes);
  pack_data(data, copy);
  const mpx::status s = comm.port->sendrecv(packed(copy), mpx_rank(dest), sendtag, data,
                                            mpx_rank(source), mpx_tag(recvtag));
  set_status(status, s);
  need_success(s, "sendrecv_replace", comm.self);
}

void Isendrecv(const void* sendbuf, MPI_Count sendcount, const type_t& sendtype, int dest,
               int sendtag, void* recvbuf, MPI_Count recvcount, const type_t& recvtype, int source,
               int recvtag, comm_t& comm, MPI_Request* request) {
  request_cell cell;
  comm.port->isendrecv(data_of(sendbuf, sendcount, sendtype), mpx_rank(dest), sendtag,
                       data_of(recvbuf, recvcount, recvtype), mpx_rank(source), mpx_tag(recvtag),
                       cell);
  *request = add_request_of(cell, comm.self, false, true);
}
void Isendrecv_replace(void* buf, MPI_Count count, const type_t& datatype, int dest, int sendtag,
                       int source, int recvtag, comm_t& comm, MPI_Request* request) {
  const buffer data = data_of(buf, count, datatype);
  const auto copy = std::make_shared<std::vector<std::byte>>(data.bytes);
  pack_data(data, *copy);
  request_cell cell;
  comm.port->isendrecv(packed(*copy), mpx_rank(dest), sendtag, data, mpx_rank(source),
                       mpx_tag(recvtag), cell);
  *request = add_request_of(cell, comm.self, false, true, copy);
}

// --- Partitioned messages ------------------------------------------------------------------------

namespace {
void prepare_partitioned(bool sends, const void* buf, int partitions, MPI_Count count,
                         const type_t& datatype, int other, int tag, comm_t& comm,
                         MPI_Request* request) {
  if (partitions < 1) bad_number(MPI_ERR_ARG, "number of partitions", partitions);
  std::int64_t all = 0;
  if (__builtin_mul_overflow(count, partitions, &all))
    fail(MPI_ERR_COUNT, "the partitions exceed memory");
  request_cell cell;
  comm.port->partitioned(sends, data_of(buf, all, datatype), static_cast<std::size_t>(partitions),
                         mpx_rank(other), tag, cell);
  *request = add_request_of(cell, comm.self, true, !sends);
}
std::size_t need_partition(int partition) {
  if (partition < 0) bad_number(MPI_ERR_ARG, "partition", partition);
  return static_cast<std::size_t>(partition);
}
}  // namespace
void Psend_init(const void* buf, int partitions, MPI_Count count, const type_t& datatype, int dest,
                int tag, comm_t& comm, MPI_Info /*info*/, MPI_Request* request) {
  prepare_partitioned(true, buf, partitions, count, datatype, dest, tag, comm, request);
}
void Precv_init(void* buf, int partitions, MPI_Count count, const type_t& datatype, int dest,
                int tag, comm_t& comm, MPI_Info /*info*/, MPI_Request* request) {
  prepare_partitioned(false, buf, partitions, count, datatype, dest, tag, comm, request);
}
void Pready(int partition, MPI_Request request) {
  const std::size_t one[] = {need_partition(partition)};
  lib().job->ready(need_request(request).cell, one);
}
void Pready_range(int partition_low, int partition_high, MPI_Request request) {
  lib().job->ready_range(need_request(request).cell, need_partition(partition_low),
                         need_partition(partition_high));
}
void Pready_list(int length, const int array_of_partitions[], MPI_Request request) {
  if (length > 0) need_place(array_of_partitions, "array_of_partitions");
  std::vector<std::size_t> all;
  for (int i = 0; i < length; ++i) all.push_back(need_partition(array_of_partitions[i]));
  lib().job->ready(need_request(request).cell, all);
}
void Parrived(MPI_Request request, int partition, int* flag) {
  if (request == MPI_REQUEST_NULL) {
    *flag = 1;
    return;
  }
  *flag = lib().job->arrived(need_request(request).cell, need_partition(partition));
}

// --- Probes --------------------------------------------------------------------------------------

void Probe(int source, int tag, comm_t& comm, MPI_Status* status) {
  set_status(status, *comm.port->probe(false, mpx_rank(source), mpx_tag(tag)));
}
void Iprobe(int source, int tag, comm_t& comm, int* flag, MPI_Status* status) {
  const auto found = comm.port->probe(true, mpx_rank(source), mpx_tag(tag));
  *flag = found.has_value();
  if (found) set_status(status, *found);
}
namespace {
MPI_Message keep_message(std::unique_ptr<message_port> port, comm_t& comm, int source,
                         MPI_Status* status) {
  set_status(status, port->info());
  if (source == MPI_PROC_NULL) return MPI_MESSAGE_NO_PROC;
  return put_in<MPI_Message>(lib().messages, "matched messages", std::move(port), comm.self);
}
message_t& need_message(MPI_Message m) {
  message_t* const found = lib().messages.find(value_of(m));
  if (found == nullptr) bad_handle(MPI_ERR_REQUEST, "matched message", m, MPI_MESSAGE_NULL);
  return *found;
}
}  // namespace
void Mprobe(int source, int tag, comm_t& comm, MPI_Message* message, MPI_Status* status) {
  *message =
      keep_message(comm.port->mprobe(false, mpx_rank(source), mpx_tag(tag)), comm, source, status);
}
void Improbe(int source, int tag, comm_t& comm, int* flag, MPI_Message* message,
             MPI_Status* status) {
  auto found = comm.port->mprobe(true, mpx_rank(source), mpx_tag(tag));
  *flag = found != nullptr;
  if (found != nullptr) *message = keep_message(std::move(found), comm, source, status);
}
void Mrecv(void* buf, MPI_Count count, const type_t& datatype, MPI_Message* message,
           MPI_Status* status) {
  if (*message == MPI_MESSAGE_NO_PROC) {
    set_status(status, mpx::status());
    *message = MPI_MESSAGE_NULL;
    return;
  }
  message_t& m = need_message(*message);
  const MPI_Comm on = m.comm;
  const mpx::status s = m.port->recv(data_of(buf, count, datatype));
  lib().messages.erase(value_of(*message));
  *message = MPI_MESSAGE_NULL;
  set_status(status, s);
  need_success(s, "receive of a matched message", on);
}
/// Returns MPI_COMM_SELF, to which `what` belongs. Errors: MPI_ERR_COMM between sessions.
static comm_t& need_self(const char* what) {
  if (lib().self == nullptr)
    fail(MPI_ERR_COMM,
         "%s belongs to MPI_COMM_SELF, which is there between MPI_Init and "
         "MPI_Finalize only",
         what);
  return *lib().self;
}
void Imrecv(void* buf, MPI_Count count, const type_t& datatype, MPI_Message* message,
            MPI_Request* request) {
  request_t r;
  r.receives = true;
  if (*message == MPI_MESSAGE_NO_PROC) {
    r.of = MPI_COMM_SELF;
    need_self("MPI_MESSAGE_NO_PROC")
        .port->irecv(form::start, data_of(buf, count, datatype), mpx_rank(MPI_PROC_NULL), 0,
                     r.cell);
  } else {
    message_t& m = need_message(*message);
    r.of = m.comm;
    m.port->irecv(data_of(buf, count, datatype), r.cell);
    lib().messages.erase(value_of(*message));
  }
  *message = MPI_MESSAGE_NULL;
  *request = add_request(std::move(r));
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
    int code = code_of(done[k].status);
    const void* const of = r.of;
    try {
      settle(array_of_requests[at], r, done[k].status, into);
    } catch (const failure& f) {
      code = f.code;
    } catch (const mpx::error& e) {
      code = class_of_errc(e.code().value());
    } catch (const std::bad_alloc&) {
      code = MPI_ERR_NO_MEM;
    }
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
  if (r.generalized() != nullptr && !r.generalized()->complete) {
    lib().job->progress();
    return false;
  }
  if (r.generalized() != nullptr) {
    MPI_Status given{};
    set_empty(&given);
    r.generalized()->query(r.generalized()->extra, &given);
    if (status != MPI_STATUS_IGNORE) *status = given;
    return true;
  }
  const auto s = lib().job->peek(r.cell);
  if (!s) return false;
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
        r.generalized()->cancel(r.generalized()->extra, r.generalized()->complete ? 1 : 0);
    if (code != MPI_SUCCESS) fail(code, "the cancel function of a generalized request has failed");
    return;
  }
  lib().job->cancel(r.cell);
}
void Request_free(MPI_Request* request) {
  if (*request == lib().requests.complete_send) {
    *request = MPI_REQUEST_NULL;
    return;
  }
  request_t& r = need_request(*request);
  if (r.generalized() != nullptr) {
    const std::unique_ptr<generalized_t> g = std::move(r.rare->generalized);
    if (g->complete) {
      g->free(g->extra);
      lib().job->drop(r.cell);
      lib().requests.erase(value_of(*request));
    } else {
      fail(MPI_ERR_REQUEST, "a generalized request is freed after it is complete");
    }
    *request = MPI_REQUEST_NULL;
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
  r.rare->generalized = std::make_unique<generalized_t>(
      generalized_t{query_fn, free_fn, cancel_fn, extra_state, {}, false});
  need_self("a generalized request").port->generalized(r.cell, r.generalized()->completer);
  *request = add_request(std::move(r));
}
void Grequest_complete(MPI_Request request) {
  request_t& r = need_request(request);
  if (r.generalized() == nullptr || r.generalized()->complete)
    fail(MPI_ERR_REQUEST, "the request is no generalized one that is to be completed");
  r.generalized()->complete = true;
  lib().job->complete_generalized(r.generalized()->completer);
}

// --- Statuses ------------------------------------------------------------------------------------

void Test_cancelled(const MPI_Status* status, int* flag) { *flag = status->MPI_internal[2]; }
void Status_set_cancelled(MPI_Status* status, int flag) {
  status->MPI_internal[2] = flag != 0 ? 1 : 0;
}
namespace {
void set_elements(MPI_Status* status, const type_t& datatype, std::int64_t count) {
  need_count(count, "count");
  const auto bytes = bytes_of_elements(*datatype.part, count);
  set_bytes(*status, bytes ? static_cast<std::uint64_t>(*bytes) : no_count);
}
mpx::status as_mpx(const MPI_Status& s) { return {0, 0, static_cast<std::size_t>(bytes_of(s))}; }
}  // namespace
void Status_set_elements(MPI_Status* status, type_t& datatype, MPI_Count count) {
  set_elements(status, datatype, count);
}
void Status_set_elements_x(MPI_Status* status, type_t& datatype, MPI_Count count) {
  set_elements(status, datatype, count);
}
void Status_set_source(MPI_Status* status, int source) { status->MPI_SOURCE = source; }
void Status_set_tag(MPI_Status* status, int tag) { status->MPI_TAG = tag; }
void Status_set_error(MPI_Status* status, int error) { status->MPI_ERROR = error; }
void Status_get_source(const MPI_Status* status, int* source) { *source = status->MPI_SOURCE; }
void Status_get_tag(const MPI_Status* status, int* tag) { *tag = status->MPI_TAG; }
void Status_get_error(const MPI_Status* status, int* error) { *error = status->MPI_ERROR; }

void Get_count(const MPI_Status* status, const type_t& datatype, number_place count) {
  if (bytes_of(*status) == no_count) return count.set(MPI_UNDEFINED);
  const auto n = mpx::get_count(as_mpx(*status), datatype.part->type);
  count.set(n ? *n : std::int64_t{MPI_UNDEFINED});
}
namespace {
std::int64_t elements_of(const MPI_Status& status, const type_t& datatype) {
  if (bytes_of(status) == no_count) return MPI_UNDEFINED;
  const auto n = mpx::get_elements(as_mpx(status), datatype.part->type);
  return n ? *n : std::int64_t{MPI_UNDEFINED};
}
}  // namespace
void Get_elements(const MPI_Status* status, const type_t& datatype, number_place count) {
  count.set(elements_of(*status, datatype));
}
void Get_elements_x(const MPI_Status* status, const type_t& datatype, MPI_Count* count) {
  *count = elements_of(*status, datatype);
}

}  // namespace mpx_mpi
