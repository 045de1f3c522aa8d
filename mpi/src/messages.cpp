// SPDX-License-Identifier: BSL-1.0
// Point-to-point messages: sends, receives, partitioned messages and probes.
#include "buffers.hpp"
#include "functions.hpp"
#include "mpx/core/error.hpp"
#include "requests.hpp"

namespace mpx_mpi {

namespace {

int mpx_tag(int tag) noexcept {
  return tag == MPI_ANY_TAG ? static_cast<int>(mpx::tag_t{mpx::any_tag}) : tag;
}

}  // namespace

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
void Imrecv(void* buf, MPI_Count count, const type_t& datatype, MPI_Message* message,
            MPI_Request* request) {
  request_t r;
  r.receives = true;
  if (*message == MPI_MESSAGE_NO_PROC) {
    r.of = MPI_COMM_SELF;
    lib().base->irecv(form::start, data_of(buf, count, datatype), mpx_rank(MPI_PROC_NULL), 0,
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

}  // namespace mpx_mpi
