// SPDX-License-Identifier: BSL-1.0
// Buffered sends and their memory.
#include "buffers.hpp"

#include <utility>
#include <vector>

#include "functions.hpp"
#include "mpx/core/error.hpp"
#include "requests.hpp"

namespace mpx_mpi {

send_pool::send_pool(void* base, std::int64_t bytes) : base_(base), bytes_(bytes) {
  if (base == nullptr && bytes != 0) fail(MPI_ERR_BUFFER, "the buffer is a null pointer");
}

/// The first gap of `bytes` bytes; the end of the map if there is none.
send_pool::pieces::iterator send_pool::find_room(std::size_t bytes) {
  std::size_t at = 0;
  for (const auto& [next, p] : pieces_) {
    if (next - at >= bytes) break;
    at = next + p.bytes;
  }
  const auto after = pieces_.lower_bound(at);
  const std::size_t end = after == pieces_.end() ? static_cast<std::size_t>(bytes_) : after->first;
  if (end - at < bytes) return pieces_.end();
  return pieces_.try_emplace(at).first;
}
send_pool::pieces::iterator send_pool::add_piece(std::size_t bytes) {
  constexpr std::size_t unit = 16;  // A message takes that at least; MPI_BSEND_OVERHEAD has it.
  const std::size_t rounded = (bytes / unit + 1) * unit;
  if (automatic()) {
    if (pieces_.size() >= reap_at_) {
      reap();
      reap_at_ = 2 * pieces_.size() + 64;
    }
    const auto made = pieces_.try_emplace(made_++).first;
    made->second.own = std::make_unique<std::byte[]>(rounded);
    return made;
  }
  auto made = find_room(rounded);
  if (made == pieces_.end()) {
    reap();
    made = find_room(rounded);
  }
  if (made == pieces_.end())
    fail(MPI_ERR_BUFFER, "the attached buffer of %lld bytes has no room for a message of %zu bytes",
         static_cast<long long>(bytes_), bytes);
  made->second.bytes = rounded;
  return made;
}
/// Frees the memory of messages that have been sent.
void send_pool::reap() {
  if (flush_ != nullptr && flush_is_complete()) end_flush();
  for (auto i = pieces_.begin(); i != pieces_.end();) {
    const bool done = i->second.now == piece::state::flies && lib().job->test(i->second.cell);
    i = done ? pieces_.erase(i) : std::next(i);
  }
}
bool send_pool::flush_is_complete() {
  request_t* const r = lib().requests.find(value_of(flush_));
  return r == nullptr || !lib().job->active(r->cell) || lib().job->peek(r->cell);
}
void send_pool::end_flush() {
  flush_ = nullptr;
  std::erase_if(pieces_, [](const auto& p) { return p.second.now == piece::state::flushed; });
}

void send_pool::send(comm_t& comm, const buffer& data, int to, int tag) {
  const std::lock_guard guard(lock_);
  const auto at = add_piece(data.bytes);
  piece& p = at->second;
  std::byte* const copy = automatic() ? p.own.get() : static_cast<std::byte*>(base_) + at->first;
  try {
    pack_data(data, {copy, data.bytes});
    const buffer bytes{copy,      static_cast<std::int64_t>(data.bytes), &byte_type(), true, copy,
                       data.bytes};
    comm.port->isend(send_mode::standard, form::start, bytes, to, tag, p.cell);
  } catch (...) {
    pieces_.erase(at);
    throw;
  }
  const auto done = lib().job->test(p.cell);
  if (!done) return;
  pieces_.erase(at);
  if (done->error())
    throw failure{class_of_errc(done->error().value()), done->error().message(), comm.self};
}
void send_pool::drain() {
  std::unique_lock guard(lock_);
  for (;;) {
    reap();
    if (pieces_.empty()) return;
    auto at = pieces_.begin();
    while (at != pieces_.end() && at->second.now != piece::state::flies) ++at;
    if (at == pieces_.end()) {  // A flush of the program's, or another thread, waits for the rest.
      guard.unlock();
      lib().job->progress();
      guard.lock();
      continue;
    }
    at->second.now = piece::state::waited_for;
    guard.unlock();
    lib().job->wait(at->second.cell);
    guard.lock();
    pieces_.erase(at);
  }
}
/// Kept by the request of a flush: its end frees the memory of the messages.
struct send_pool::flush_end {
  std::shared_ptr<send_pool> pool;
  MPI_Request request = nullptr;

  flush_end() = default;
  flush_end(const flush_end&) = delete;
  flush_end& operator=(const flush_end&) = delete;
  ~flush_end() {
    if (pool == nullptr || request == nullptr) return;
    const std::lock_guard guard(pool->lock_);
    if (pool->flush_ == request) pool->end_flush();
  }
};
MPI_Request send_pool::start_drain(MPI_Comm reports_to) {
  const std::lock_guard guard(lock_);
  reap();
  if (flush_ != nullptr)
    fail(MPI_ERR_PENDING, "a flush of this buffer is under way: wait for its request first");
  const auto end = std::make_shared<flush_end>();
  request_t r;
  r.of = reports_to;
  r.rare = std::make_unique<rare_parts>();
  r.rare->keep = end;
  std::vector<request_cell*> cells;
  for (auto& [at, p] : pieces_)
    if (p.now == piece::state::flies) cells.push_back(&p.cell);
  if (cells.empty()) {
    r.cell = complete_cell();
  } else {
    lib().job->join(cells, r.cell);
  }
  flush_ = put_in<MPI_Request>(lib().requests, "requests", std::move(r));
  for (auto& [at, p] : pieces_)
    if (p.now == piece::state::flies) p.now = piece::state::flushed;
  end->request = flush_;
  end->pool = shared_from_this();
  return flush_;
}

// --- The buffer of a send ------------------------------------------------------------------------

namespace {
/// The buffer of a communicator, else that of the session that it comes from, else of the process.
send_pool& pool_for(const comm_t& comm) {
  if (comm.buffers != nullptr) return *comm.buffers;
  session_t* const session = lib().sessions.find(value_of(comm.session));
  if (session != nullptr && session->buffers != nullptr) return *session->buffers;
  if (lib().buffers == nullptr)
    fail(MPI_ERR_BUFFER, "no buffer is attached: call MPI_Buffer_attach or MPI_Comm_attach_buffer");
  return *lib().buffers;
}
using buffer_place = std::shared_ptr<send_pool>;
void attach_to(buffer_place& place, void* base, MPI_Count size) {
  if (place != nullptr) fail(MPI_ERR_BUFFER, "a buffer is attached: detach it first");
  place = std::make_shared<send_pool>(base, size);
}
void detach_from(buffer_place& place, void* buffer_addr, number_place size) {
  void* base = nullptr;
  std::int64_t bytes = 0;
  if (place != nullptr) {
    place->drain();
    base = place->base();
    bytes = place->bytes();
    place.reset();
  }
  *static_cast<void**>(buffer_addr) = base;
  size.set(bytes);
}
void flush(const buffer_place& place) {
  if (place != nullptr) place->drain();
}
MPI_Request start_flush(const buffer_place& place, MPI_Comm reports_to) {
  if (place != nullptr) return place->start_drain(reports_to);
  return lib().requests.complete_send;
}
}  // namespace

void Bsend(const void* buf, MPI_Count count, const type_t& datatype, int dest, int tag,
           comm_t& comm) {
  const buffer data = data_of(buf, count, datatype);
  if (dest == MPI_PROC_NULL) return;
  pool_for(comm).send(comm, data, mpx_rank(dest), tag);
}
void Ibsend(const void* buf, MPI_Count count, const type_t& datatype, int dest, int tag,
            comm_t& comm, MPI_Request* request) {
  Bsend(buf, count, datatype, dest, tag, comm);
  *request = lib().requests.complete_send;
}
void Bsend_init(const void* buf, MPI_Count count, const type_t& datatype, int dest, int tag,
                comm_t& comm, MPI_Request* request) {
  request_t r;
  r.of = comm.self;
  r.persistent = true;
  r.rare = std::make_unique<rare_parts>();
  r.rare->buffered = std::make_shared<buffered_send>(
      buffered_send{data_of(buf, count, datatype), datatype.part, comm.self, mpx_rank(dest), tag});
  *request = put_in<MPI_Request>(lib().requests, "requests", std::move(r));
}
void start_buffered(const buffered_send& s, request_cell& cell) {
  comm_t& comm = need_comm(s.comm);
  if (s.to != mpx_rank(MPI_PROC_NULL)) pool_for(comm).send(comm, s.data, s.to, s.tag);
  cell = complete_cell();
}

void Buffer_attach(void* buffer, MPI_Count size) { attach_to(lib().buffers, buffer, size); }
void Buffer_detach(void* buffer_addr, number_place size) {
  detach_from(lib().buffers, buffer_addr, size);
}
void Buffer_flush() { flush(lib().buffers); }
void Buffer_iflush(MPI_Request* request) { *request = start_flush(lib().buffers, MPI_COMM_SELF); }
void Comm_attach_buffer(comm_t& comm, void* buffer, MPI_Count size) {
  attach_to(comm.buffers, buffer, size);
}
void Comm_detach_buffer(comm_t& comm, void* buffer_addr, number_place size) {
  detach_from(comm.buffers, buffer_addr, size);
}
void Comm_flush_buffer(comm_t& comm) { flush(comm.buffers); }
void Comm_iflush_buffer(comm_t& comm, MPI_Request* request) {
  *request = start_flush(comm.buffers, comm.self);
}
void Session_attach_buffer(session_t& session, void* buffer, MPI_Count size) {
  attach_to(session.buffers, buffer, size);
}
void Session_detach_buffer(session_t& session, void* buffer_addr, number_place size) {
  detach_from(session.buffers, buffer_addr, size);
}
void Session_flush_buffer(session_t& session) { flush(session.buffers); }
void Session_iflush_buffer(session_t& session, MPI_Request* request) {
  *request = start_flush(session.buffers, MPI_COMM_SELF);
}

}  // namespace mpx_mpi
