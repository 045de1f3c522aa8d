// SPDX-License-Identifier: BSL-1.0
// Collectives: blocking, nonblocking and persistent, on one group, on two, and on neighbours.
#include <algorithm>

#include "functions.hpp"
#include "mpx/coll/inter/inter.hpp"
#include "mpx/data/memory_of.hpp"
#include "mpx/data/typed_buffer.hpp"
#include "operations.hpp"
#include "requests.hpp"

namespace mpx_mpi {

namespace {

/// Arguments that a call refers to, kept until it is complete.
struct call_state {
  std::vector<std::int64_t> in_counts, in_at, out_counts, out_at;
  std::vector<mpx::memory> in_pieces, out_pieces;
  std::vector<std::shared_ptr<const type_part>> parts;
  std::shared_ptr<void> operation;
};
using state_ref = std::shared_ptr<call_state>;

/// A collective call: how it ends, and its request.
struct ending {
  form how = form::blocking;
  MPI_Request* request = nullptr;
};

void run(comm_t& comm, collective_call& call, const ending& end, state_ref state) {
  if (call.root == MPI_ROOT)
    call.root = mpx::this_root;
  else if (call.root == MPI_PROC_NULL)
    call.root = mpx::proc_null;
  if (end.how == form::blocking) return comm.port->collective(call, form::blocking, nullptr);
  request_cell cell;
  comm.port->collective(call, end.how, &cell);
  if (state == nullptr) state = std::make_shared<call_state>();
  *end.request = add_request_of(cell, comm.self, end.how == form::prepare, false, std::move(state));
}
buffer no_data() { return {nullptr, 0, &byte_type(), true, nullptr, 0}; }
side nothing() { return {side::blocks::none, no_data()}; }
side in_place() { return {side::blocks::in_place, no_data()}; }
/// The one block of a rank, or all blocks of equal length.
side whole(const void* base, MPI_Count count, MPI_Datatype datatype, std::int64_t blocks = 1) {
  need_count(count, "count");
  const type_t& type = need_type(datatype);
  std::int64_t all = 0;
  if (__builtin_mul_overflow(count, blocks, &all)) fail(MPI_ERR_COUNT, "the buffer exceeds memory");
  return {side::blocks::whole, data_of(base, all, type)};
}
/// One block: `count` elements of a type, the first `offset` bytes behind `base`. `out`: it is
/// received.
mpx::memory piece_of(const void* base, std::int64_t offset, std::int64_t count,
                     const type_part& part, bool out) {
  need_memory(base, offset, part);
  auto* const first = static_cast<std::byte*>(const_cast<void*>(base)) + offset;
  const auto piece = mpx::buffer(first, count, part.type);
  if (const char* const why = piece.fault_text(out); why != nullptr) fail(MPI_ERR_TYPE, "%s", why);
  return mpx::memory_of(piece);
}
/// Blocks with counts and displacements in elements. Contiguous data is described by lists, all
/// other by pieces: its blocks may interleave.
side blocks_of(const void* base, const numbers& counts, const numbers& at, MPI_Datatype datatype,
               int n, call_state& state, bool out, const char* name) {
  const type_t& type = need_type(datatype);
  const type_part& part = *type.part;
  if (n > 0 && !counts) fail(MPI_ERR_ARG, "the array of counts of %s is a null pointer", name);
  if (n > 0 && !at) fail(MPI_ERR_ARG, "the array of displacements of %s is a null pointer", name);
  std::vector<std::int64_t>& sizes = out ? state.out_counts : state.in_counts;
  std::vector<std::int64_t>& places = out ? state.out_at : state.in_at;
  sizes = counts.copy(static_cast<std::size_t>(n));
  places = at.copy(static_cast<std::size_t>(n));
  for (const std::int64_t c : sizes) need_count(c, "a count");
  if (!part.dense) {
    std::vector<mpx::memory>& pieces = out ? state.out_pieces : state.in_pieces;
    state.parts.push_back(type.part);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] == 0) {  // Its displacement may be anything.
        pieces.push_back({});
        continue;
      }
      pieces.push_back(piece_of(base, places[i] * part.extent, sizes[i], part, out));
    }
    return {side::blocks::pieces, no_data(), {}, {}, pieces};
  }
  // Displacements may be negative: the buffer begins at the lowest one.
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool some = false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) continue;
    low = some ? std::min(low, places[i]) : places[i];
    high = some ? std::max(high, places[i] + sizes[i]) : places[i] + sizes[i];
    some = true;
  }
  if (some) need_memory(base, low * part.extent, part);
  for (std::size_t i = 0; i < sizes.size(); ++i) places[i] = sizes[i] == 0 ? 0 : places[i] - low;
  auto* const first = static_cast<std::byte*>(const_cast<void*>(base)) + low * part.extent;
  side s{side::blocks::counted, data_of(some ? first : base, high - low, type)};
  s.counts = sizes;
  s.displacements = places;
  return s;
}
/// Blocks with a datatype each, and displacements in bytes.
side typed_blocks(const void* base, const numbers& counts, const numbers& at,
                  const MPI_Datatype types[], int n, call_state& state, bool out) {
  if (n > 0 && (!counts || !at || types == nullptr))
    fail(MPI_ERR_ARG, "an array of counts, displacements or datatypes is a null pointer");
  std::vector<mpx::memory>& pieces = out ? state.out_pieces : state.in_pieces;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    need_count(counts[i], "a count");
    if (counts[i] == 0) {
      pieces.push_back({});
      continue;
    }
    const type_t& type = need_type(types[i]);
    state.parts.push_back(type.part);
    pieces.push_back(piece_of(base, at[i], counts[i], *type.part, out));
  }
  return {side::blocks::pieces, no_data(), {}, {}, pieces};
}
/// True if the blocks of a side follow one another in `all`.
bool is_in_a_row(const side& s) {
  return (s.how == side::blocks::whole || s.how == side::blocks::counted) &&
         s.displacements.empty();
}
/// Contiguous memory of a side; empty if it has none, or is not contiguous.
/// Requires: of a block: the side has pieces, or counts with displacements.
struct extent_of {
  std::uintptr_t at = 0;
  std::size_t bytes = 0;

  extent_of() = default;
  explicit extent_of(const side& s) : at(reinterpret_cast<std::uintptr_t>(s.all.data)) {
    if (is_in_a_row(s) && s.all.dense) bytes = s.all.bytes;
  }
  /// Block `i`.
  extent_of(const side& s, std::size_t i) {
    if (s.how == side::blocks::pieces && s.pieces[i].contiguous()) {
      at = reinterpret_cast<std::uintptr_t>(s.pieces[i].base);
      bytes = s.pieces[i].bytes;
    } else if (s.how == side::blocks::counted && s.all.dense) {
      const std::size_t unit = s.all.type->size();
      at = reinterpret_cast<std::uintptr_t>(s.all.data) +
           static_cast<std::size_t>(s.displacements[i]) * unit;
      bytes = static_cast<std::size_t>(s.counts[i]) * unit;
    }
  }
  /// Makes it the least extent with both.
  void add(const extent_of& other) noexcept {
    if (other.bytes == 0) return;
    const std::uintptr_t end = std::max(bytes == 0 ? 0 : at + bytes, other.at + other.bytes);
    at = bytes == 0 ? other.at : std::min(at, other.at);
    bytes = end - at;
  }
  [[nodiscard]] bool meets(const extent_of& other) const noexcept {
    return bytes != 0 && other.bytes != 0 && at < other.at + other.bytes && other.at < at + bytes;
  }
};
/// Throws if a rank's data and the blocks of the other side overlap: where both are contiguous, or
/// are the same buffer with the same datatype.
void need_apart(const collective_call& call) {
  const buffer& in = call.in.all;
  const buffer& out = call.out.all;
  if (is_in_a_row(call.in) && is_in_a_row(call.out) && in.bytes != 0 && out.bytes != 0 &&
      in.base == out.base && in.type == out.type)
    fail(MPI_ERR_BUFFER, "sendbuf and recvbuf are the same buffer: pass MPI_IN_PLACE");
  const auto meets = [](const side& one, const side& many) {
    const extent_of all(one);
    if (all.meets(extent_of(many))) return true;
    const bool apart = many.how == side::blocks::pieces;
    const std::size_t n = apart ? many.pieces.size() : many.displacements.size();
    for (std::size_t i = 0; i < n; ++i)
      if (all.meets({many, i})) return true;
    return false;
  };
  if (meets(call.in, call.out) || meets(call.out, call.in))
    fail(MPI_ERR_BUFFER, "sendbuf and recvbuf overlap: pass other memory, or MPI_IN_PLACE");
}
/// Throws if the block for a rank and that from the same rank overlap, as they do where both sides
/// are one buffer. Blocks of one buffer that lie apart are right.
void need_blocks_apart_by_rank(const comm_t& comm, const collective_call& call) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(comm.partners); ++i)
    if (extent_of(call.in, i).meets({call.out, i}))
      fail(MPI_ERR_BUFFER, "sendbuf and recvbuf overlap: pass other memory, or MPI_IN_PLACE");
}
/// Throws if a block that is sent and one that is received overlap: where both are contiguous.
/// Requires: both sides have pieces.
/// Cost:     a look at each block, unless blocks of one side are between those of the other.
void need_blocks_apart(const collective_call& call) {
  const auto whole_of = [](const side& s) {
    extent_of all;
    for (std::size_t i = 0; i < s.pieces.size(); ++i) all.add({s, i});
    return all;
  };
  const extent_of in = whole_of(call.in);
  if (!in.meets(whole_of(call.out))) return;
  for (std::size_t i = 0; i < call.out.pieces.size(); ++i) {
    const extent_of received(call.out, i);
    if (!in.meets(received)) continue;
    for (std::size_t k = 0; k < call.in.pieces.size(); ++k)
      if (received.meets({call.in, k}))
        fail(MPI_ERR_BUFFER, "sendbuf and recvbuf overlap: pass other memory");
  }
}
void need_no_in_place(const comm_t& comm, const void* buf) {
  if (comm.inter() && buf == MPI_IN_PLACE)
    fail(MPI_ERR_BUFFER, "MPI_IN_PLACE is not allowed on an intercommunicator");
}

// --- One call each, whatever its ending ----------------------------------------------------------

void barrier(comm_t& comm, const ending& end) {
  collective_call call{collective::barrier};
  run(comm, call, end, nullptr);
}
void bcast(void* buf, MPI_Count count, const type_t& datatype, int root, comm_t& comm,
           const ending& end) {
  collective_call call{collective::bcast};
  call.root = root;
  call.in =
      root == MPI_PROC_NULL ? nothing() : side{side::blocks::whole, data_of(buf, count, datatype)};
  run(comm, call, end, nullptr);
}
bool is_root(const comm_t& comm, int root) {
  return comm.inter() ? root == MPI_ROOT : root == comm.rank;
}
bool takes_part(const comm_t& comm, int root) { return !comm.inter() || root >= 0; }
/// This rank's block of a call with a root. At the root it may be MPI_IN_PLACE.
side own_block(const void* own, MPI_Count count, MPI_Datatype type, bool is_root) {
  return is_root && own == MPI_IN_PLACE ? in_place() : whole(own, count, type);
}

void gather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
            MPI_Count recvcount, MPI_Datatype recvtype, int root, comm_t& comm, const ending& end) {
  need_no_in_place(comm, sendbuf);
  collective_call call{collective::gather, nothing(), nothing(), root};
  const bool here = is_root(comm, root);
  if (here) call.out = whole(recvbuf, recvcount, recvtype, comm.partners);
  if (takes_part(comm, root)) call.in = own_block(sendbuf, sendcount, sendtype, here);
  if (here) need_apart(call);
  run(comm, call, end, nullptr);
}
void gatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
             numbers recvcounts, numbers displs, MPI_Datatype recvtype, int root, comm_t& comm,
             const ending& end) {
  need_no_in_place(comm, sendbuf);
  const auto state = std::make_shared<call_state>();
  collective_call call{collective::gather, nothing(), nothing(), root};
  call.out.how = side::blocks::counted;
  const bool here = is_root(comm, root);
  if (here)
    call.out =
        blocks_of(recvbuf, recvcounts, displs, recvtype, comm.partners, *state, true, "recvbuf");
  if (takes_part(comm, root)) call.in = own_block(sendbuf, sendcount, sendtype, here);
  if (here) need_apart(call);
  run(comm, call, end, state);
}
void scatter(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
             MPI_Count recvcount, MPI_Datatype recvtype, int root, comm_t& comm,
             const ending& end) {
  need_no_in_place(comm, recvbuf);
  collective_call call{collective::scatter, nothing(), nothing(), root};
  const bool here = is_root(comm, root);
  if (here) call.in = whole(sendbuf, sendcount, sendtype, comm.partners);
  if (takes_part(comm, root)) call.out = own_block(recvbuf, recvcount, recvtype, here);
  if (here) need_apart(call);
  run(comm, call, end, nullptr);
}
void scatterv(const void* sendbuf, numbers sendcounts, numbers displs, MPI_Datatype sendtype,
              void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, comm_t& comm,
              const ending& end) {
  need_no_in_place(comm, recvbuf);
  const auto state = std::make_shared<call_state>();
  collective_call call{collective::scatter, nothing(), nothing(), root};
  call.in.how = side::blocks::counted;
  const bool here = is_root(comm, root);
  if (here)
    call.in =
        blocks_of(sendbuf, sendcounts, displs, sendtype, comm.partners, *state, false, "sendbuf");
  if (takes_part(comm, root)) call.out = own_block(recvbuf, recvcount, recvtype, here);
  if (here) need_apart(call);
  run(comm, call, end, state);
}
void allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
               MPI_Count recvcount, MPI_Datatype recvtype, comm_t& comm, const ending& end) {
  need_no_in_place(comm, sendbuf);
  collective_call call{collective::allgather};
  call.in = sendbuf == MPI_IN_PLACE ? in_place() : whole(sendbuf, sendcount, sendtype);
  call.out = whole(recvbuf, recvcount, recvtype, comm.partners);
  need_apart(call);
  run(comm, call, end, nullptr);
}
void allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                numbers recvcounts, numbers displs, MPI_Datatype recvtype, comm_t& comm,
                const ending& end) {
  need_no_in_place(comm, sendbuf);
  const auto state = std::make_shared<call_state>();
  collective_call call{collective::allgather};
  call.in = sendbuf == MPI_IN_PLACE ? in_place() : whole(sendbuf, sendcount, sendtype);
  call.out =
      blocks_of(recvbuf, recvcounts, displs, recvtype, comm.partners, *state, true, "recvbuf");
  need_apart(call);
  run(comm, call, end, state);
}
void alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
              MPI_Count recvcount, MPI_Datatype recvtype, comm_t& comm, const ending& end) {
  need_no_in_place(comm, sendbuf);
  collective_call call{collective::alltoall};
  call.in =
      sendbuf == MPI_IN_PLACE ? in_place() : whole(sendbuf, sendcount, sendtype, comm.partners);
  call.out = whole(recvbuf, recvcount, recvtype, comm.partners);
  need_apart(call);
  run(comm, call, end, nullptr);
}
/// Gives counted blocks as pieces, if the other side has pieces.
void match_sides(collective_call& call, call_state& state) {
  const auto to_pieces = [](side& s, std::vector<mpx::memory>& pieces, const type_part& part) {
    for (std::size_t i = 0; i < s.counts.size(); ++i)
      pieces.push_back({s.all.data + s.displacements[i] * part.extent,
                        static_cast<std::size_t>(s.counts[i] * part.bytes)});
    s.how = side::blocks::pieces;
    s.pieces = pieces;
  };
  const auto unit = [](const side& s) {
    type_part p;
    p.bytes = s.all.type->size();
    p.extent = s.all.type->extent();
    return p;
  };
  if (call.in.how == side::blocks::counted && call.out.how == side::blocks::pieces)
    to_pieces(call.in, state.in_pieces, unit(call.in));
  if (call.out.how == side::blocks::counted && call.in.how == side::blocks::pieces)
    to_pieces(call.out, state.out_pieces, unit(call.out));
}
void alltoallv(const void* sendbuf, numbers sendcounts, numbers sdispls, MPI_Datatype sendtype,
               void* recvbuf, numbers recvcounts, numbers rdispls, MPI_Datatype recvtype,
               comm_t& comm, const ending& end) {
  need_no_in_place(comm, sendbuf);
  const auto state = std::make_shared<call_state>();
  collective_call call{collective::alltoall};
  const int n = comm.partners;
  call.in = sendbuf == MPI_IN_PLACE
                ? in_place()
                : blocks_of(sendbuf, sendcounts, sdispls, sendtype, n, *state, false, "sendbuf");
  call.out = blocks_of(recvbuf, recvcounts, rdispls, recvtype, n, *state, true, "recvbuf");
  match_sides(call, *state);
  need_blocks_apart_by_rank(comm, call);
  run(comm, call, end, state);
}
void alltoallw(const void* sendbuf, numbers sendcounts, numbers sdispls,
               const MPI_Datatype sendtypes[], void* recvbuf, numbers recvcounts, numbers rdispls,
               const MPI_Datatype recvtypes[], comm_t& comm, const ending& end) {
  need_no_in_place(comm, sendbuf);
  const auto state = std::make_shared<call_state>();
  collective_call call{collective::alltoall};
  const int n = comm.partners;
  call.in = sendbuf == MPI_IN_PLACE
                ? in_place()
                : typed_blocks(sendbuf, sendcounts, sdispls, sendtypes, n, *state, false);
  call.out = typed_blocks(recvbuf, recvcounts, rdispls, recvtypes, n, *state, true);
  need_blocks_apart_by_rank(comm, call);
  run(comm, call, end, state);
}

/// A reduction with the same buffers at all ranks.
void reduction(collective what, const void* sendbuf, void* recvbuf, MPI_Count count,
               MPI_Datatype datatype, op_t& op, comm_t& comm, const ending& end) {
  const type_t& type = need_type(datatype);
  need_no_in_place(comm, sendbuf);
  const auto state = std::make_shared<call_state>();
  collective_call call{what};
  call.op = operation_for(op, datatype, type, state->operation);
  const bool in_place = sendbuf == MPI_IN_PLACE;
  // At rank 0 MPI_Exscan has no result, and its place may be any.
  if (what == collective::exscan && comm.rank == 0 && !in_place) {
    call.in = call.out = {side::blocks::whole, data_of(sendbuf, count, type)};
    return run(comm, call, end, state);
  }
  call.out = {side::blocks::whole, data_of(recvbuf, count, type)};
  call.in = in_place ? side{side::blocks::in_place, call.out.all}
                     : side{side::blocks::whole, data_of(sendbuf, count, type)};
  need_apart(call);
  run(comm, call, end, state);
}
void reduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, op_t& op,
            int root, comm_t& comm, const ending& end) {
  const type_t& type = need_type(datatype);
  need_no_in_place(comm, sendbuf);
  const auto state = std::make_shared<call_state>();
  collective_call call{collective::reduce, nothing(), nothing(), root};
  const bool here = is_root(comm, root);
  call.op = operation_for(op, datatype, type, state->operation);
  if (here) {
    call.out = {side::blocks::whole, data_of(recvbuf, count, type)};
  } else {
    call.out.all.dense = type.part->dense;
  }
  if (takes_part(comm, root))
    call.in = here && sendbuf == MPI_IN_PLACE
                  ? side{side::blocks::in_place, call.out.all}
                  : side{side::blocks::whole, data_of(sendbuf, count, type)};
  if (here) need_apart(call);
  run(comm, call, end, state);
}
void reduce_scatter(const void* sendbuf, void* recvbuf, const std::vector<std::int64_t>& counts,
                    MPI_Datatype datatype, op_t& op, comm_t& comm, const ending& end) {
  const type_t& type = need_type(datatype);
  need_no_in_place(comm, sendbuf);
  const auto state = std::make_shared<call_state>();
  std::int64_t all = 0;
  for (const std::int64_t c : counts) {
    need_count(c, "a count");
    all += c;
  }
  collective_call call{collective::reduce_scatter};
  call.op = operation_for(op, datatype, type, state->operation);
  state->in_counts = counts;
  const std::int64_t mine = counts[static_cast<std::size_t>(comm.rank)];
  const bool in_place = sendbuf == MPI_IN_PLACE;
  call.in = {side::blocks::counted, data_of(in_place ? recvbuf : sendbuf, all, type)};
  call.in.counts = state->in_counts;
  call.out = {side::blocks::whole, data_of(recvbuf, mine, type)};
  if (!in_place) need_apart(call);
  run(comm, call, end, state);
}
std::vector<std::int64_t> counts_of(const numbers& counts, const comm_t& comm) {
  if (!counts) fail(MPI_ERR_ARG, "the array of counts is a null pointer");
  return counts.copy(static_cast<std::size_t>(comm.size));
}

// --- Neighbours ----------------------------------------------------------------------------------

void need_topology(const comm_t& comm) {
  need_one_group(comm);
  if (comm.port->cart_shape() == nullptr && comm.port->graph_shape() == nullptr &&
      comm.port->neighbors() == nullptr)
    fail(MPI_ERR_TOPOLOGY, "the communicator has no topology");
}
int sources_of(const comm_t& comm) { return static_cast<int>(comm.port->sources()); }
int destinations_of(const comm_t& comm) { return static_cast<int>(comm.port->destinations()); }

void neighbor_allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                        void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, comm_t& comm,
                        const ending& end) {
  need_topology(comm);
  collective_call call{collective::neighbor_allgather};
  call.in = whole(sendbuf, sendcount, sendtype);
  call.out = whole(recvbuf, recvcount, recvtype, sources_of(comm));
  need_apart(call);
  run(comm, call, end, nullptr);
}
/// Sends the same block to all destinations: as pieces, so that any layout may be received.
void neighbor_allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                         void* recvbuf, numbers recvcounts, numbers displs, MPI_Datatype recvtype,
                         comm_t& comm, const ending& end) {
  need_topology(comm);
  const auto state = std::make_shared<call_state>();
  collective_call call{collective::neighbor_alltoall};
  need_count(sendcount, "sendcount");
  (void)data_of(sendbuf, sendcount, need_type(sendtype));
  state->parts.push_back(need_type(sendtype).part);
  const auto piece =
      mpx::buffer(static_cast<const void*>(sendbuf), sendcount, state->parts.back()->type);
  if (piece.fault(false) != mpx::errc{}) fail(MPI_ERR_TYPE, "%s", piece.fault_text(false));
  state->in_pieces.assign(static_cast<std::size_t>(destinations_of(comm)), mpx::memory_of(piece));
  call.in.how = side::blocks::pieces;
  call.in.pieces = state->in_pieces;
  call.out =
      blocks_of(recvbuf, recvcounts, displs, recvtype, sources_of(comm), *state, true, "recvbuf");
  match_sides(call, *state);
  need_blocks_apart(call);
  run(comm, call, end, state);
}
void neighbor_alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                       void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, comm_t& comm,
                       const ending& end) {
  need_topology(comm);
  collective_call call{collective::neighbor_alltoall};
  call.in = whole(sendbuf, sendcount, sendtype, destinations_of(comm));
  call.out = whole(recvbuf, recvcount, recvtype, sources_of(comm));
  need_apart(call);
  run(comm, call, end, nullptr);
}
void as_pieces(side& s, std::vector<mpx::memory>& pieces) {
  if (s.how != side::blocks::counted) return;
  for (std::size_t i = 0; i < s.counts.size(); ++i)
    pieces.push_back({s.all.data + s.displacements[i] * s.all.type->extent(),
                      static_cast<std::size_t>(s.counts[i] * s.all.type->size())});
  s.how = side::blocks::pieces;
  s.pieces = pieces;
}
void neighbor_alltoallv(const void* sendbuf, numbers sendcounts, numbers sdispls,
                        MPI_Datatype sendtype, void* recvbuf, numbers recvcounts, numbers rdispls,
                        MPI_Datatype recvtype, comm_t& comm, const ending& end) {
  need_topology(comm);
  const auto state = std::make_shared<call_state>();
  collective_call call{collective::neighbor_alltoall};
  call.in = blocks_of(sendbuf, sendcounts, sdispls, sendtype, destinations_of(comm), *state, false,
                      "sendbuf");
  call.out =
      blocks_of(recvbuf, recvcounts, rdispls, recvtype, sources_of(comm), *state, true, "recvbuf");
  as_pieces(call.in, state->in_pieces);
  as_pieces(call.out, state->out_pieces);
  need_blocks_apart(call);
  run(comm, call, end, state);
}
void neighbor_alltoallw(const void* sendbuf, numbers sendcounts, numbers sdispls,
                        const MPI_Datatype sendtypes[], void* recvbuf, numbers recvcounts,
                        numbers rdispls, const MPI_Datatype recvtypes[], comm_t& comm,
                        const ending& end) {
  need_topology(comm);
  const auto state = std::make_shared<call_state>();
  collective_call call{collective::neighbor_alltoall};
  call.in =
      typed_blocks(sendbuf, sendcounts, sdispls, sendtypes, destinations_of(comm), *state, false);
  call.out = typed_blocks(recvbuf, recvcounts, rdispls, recvtypes, sources_of(comm), *state, true);
  need_blocks_apart(call);
  run(comm, call, end, state);
}

}  // namespace

// The three endings of each call. `P` are its parameters without the communicator, `A` their names.
#define MPX_MPI_LIST(...) __VA_ARGS__
#define MPX_MPI_ENDINGS(Name, Iname, call, P, A)                                           \
  void Name(MPX_MPI_LIST P comm_t& comm) { call(MPX_MPI_LIST A comm, {}); }                \
  void Iname(MPX_MPI_LIST P comm_t& comm, MPI_Request* request) {                          \
    call(MPX_MPI_LIST A comm, {form::start, request});                                     \
  }                                                                                        \
  void Name##_init(MPX_MPI_LIST P comm_t& comm, MPI_Info /*info*/, MPI_Request* request) { \
    call(MPX_MPI_LIST A comm, {form::prepare, request});                                   \
  }
#define MPX_MPI_BLOCKS                                                             \
  (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, \
   MPI_Count recvcount, MPI_Datatype recvtype, )
#define MPX_MPI_BLOCK_NAMES (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, )

MPX_MPI_ENDINGS(Barrier, Ibarrier, barrier, (), ())
MPX_MPI_ENDINGS(Bcast, Ibcast, bcast,
                (void* buffer, MPI_Count count, const type_t& datatype, int root, ),
                (buffer, count, datatype, root, ))
MPX_MPI_ENDINGS(Gather, Igather, gather,
                (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                 MPI_Count recvcount, MPI_Datatype recvtype, int root, ),
                (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, ))
MPX_MPI_ENDINGS(Scatter, Iscatter, scatter,
                (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                 MPI_Count recvcount, MPI_Datatype recvtype, int root, ),
                (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, ))
MPX_MPI_ENDINGS(Gatherv, Igatherv, gatherv,
                (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                 numbers recvcounts, numbers displs, MPI_Datatype recvtype, int root, ),
                (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, ))
MPX_MPI_ENDINGS(Scatterv, Iscatterv, scatterv,
                (const void* sendbuf, numbers sendcounts, numbers displs, MPI_Datatype sendtype,
                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, ),
                (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, ))
MPX_MPI_ENDINGS(Allgather, Iallgather, allgather, MPX_MPI_BLOCKS, MPX_MPI_BLOCK_NAMES)
MPX_MPI_ENDINGS(Alltoall, Ialltoall, alltoall, MPX_MPI_BLOCKS, MPX_MPI_BLOCK_NAMES)
MPX_MPI_ENDINGS(Allgatherv, Iallgatherv, allgatherv,
                (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                 numbers recvcounts, numbers displs, MPI_Datatype recvtype, ),
                (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, ))
#define MPX_MPI_VARIED                                                                             \
  (const void* sendbuf, numbers sendcounts, numbers sdispls, MPI_Datatype sendtype, void* recvbuf, \
   numbers recvcounts, numbers rdispls, MPI_Datatype recvtype, )
#define MPX_MPI_VARIED_NAMES \
  (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, )
#define MPX_MPI_TYPED                                                                        \
  (const void* sendbuf, numbers sendcounts, numbers sdispls, const MPI_Datatype sendtypes[], \
   void* recvbuf, numbers recvcounts, numbers rdispls, const MPI_Datatype recvtypes[], )
#define MPX_MPI_TYPED_NAMES \
  (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, )
MPX_MPI_ENDINGS(Alltoallv, Ialltoallv, alltoallv, MPX_MPI_VARIED, MPX_MPI_VARIED_NAMES)
MPX_MPI_ENDINGS(Alltoallw, Ialltoallw, alltoallw, MPX_MPI_TYPED, MPX_MPI_TYPED_NAMES)

#define MPX_MPI_REDUCED \
  (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, op_t& op, )
#define MPX_MPI_REDUCED_NAMES (sendbuf, recvbuf, count, datatype, op, )
namespace {
void allreduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, op_t& op,
               comm_t& comm, const ending& end) {
  reduction(collective::allreduce, sendbuf, recvbuf, count, datatype, op, comm, end);
}
void scan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, op_t& op,
          comm_t& comm, const ending& end) {
  need_one_group(comm);
  reduction(collective::scan, sendbuf, recvbuf, count, datatype, op, comm, end);
}
void exscan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, op_t& op,
            comm_t& comm, const ending& end) {
  need_one_group(comm);
  reduction(collective::exscan, sendbuf, recvbuf, count, datatype, op, comm, end);
}
void reduce_blocks(const void* sendbuf, void* recvbuf, numbers recvcounts, MPI_Datatype datatype,
                   op_t& op, comm_t& comm, const ending& end) {
  reduce_scatter(sendbuf, recvbuf, counts_of(recvcounts, comm), datatype, op, comm, end);
}
void reduce_equal_blocks(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                         MPI_Datatype datatype, op_t& op, comm_t& comm, const ending& end) {
  need_count(recvcount, "recvcount");
  reduce_scatter(sendbuf, recvbuf,
                 std::vector<std::int64_t>(static_cast<std::size_t>(comm.size), recvcount),
                 datatype, op, comm, end);
}
}  // namespace
MPX_MPI_ENDINGS(Allreduce, Iallreduce, allreduce, MPX_MPI_REDUCED, MPX_MPI_REDUCED_NAMES)
MPX_MPI_ENDINGS(Scan, Iscan, scan, MPX_MPI_REDUCED, MPX_MPI_REDUCED_NAMES)
MPX_MPI_ENDINGS(Exscan, Iexscan, exscan, MPX_MPI_REDUCED, MPX_MPI_REDUCED_NAMES)
MPX_MPI_ENDINGS(Reduce, Ireduce, reduce,
                (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                 op_t& op, int root, ),
                (sendbuf, recvbuf, count, datatype, op, root, ))
MPX_MPI_ENDINGS(Reduce_scatter, Ireduce_scatter, reduce_blocks,
                (const void* sendbuf, void* recvbuf, numbers recvcounts, MPI_Datatype datatype,
                 op_t& op, ),
                (sendbuf, recvbuf, recvcounts, datatype, op, ))
MPX_MPI_ENDINGS(Reduce_scatter_block, Ireduce_scatter_block, reduce_equal_blocks,
                (const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype,
                 op_t& op, ),
                (sendbuf, recvbuf, recvcount, datatype, op, ))

MPX_MPI_ENDINGS(Neighbor_allgather, Ineighbor_allgather, neighbor_allgather, MPX_MPI_BLOCKS,
                MPX_MPI_BLOCK_NAMES)
MPX_MPI_ENDINGS(Neighbor_alltoall, Ineighbor_alltoall, neighbor_alltoall, MPX_MPI_BLOCKS,
                MPX_MPI_BLOCK_NAMES)
MPX_MPI_ENDINGS(Neighbor_allgatherv, Ineighbor_allgatherv, neighbor_allgatherv,
                (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                 numbers recvcounts, numbers displs, MPI_Datatype recvtype, ),
                (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, ))
MPX_MPI_ENDINGS(Neighbor_alltoallv, Ineighbor_alltoallv, neighbor_alltoallv, MPX_MPI_VARIED,
                MPX_MPI_VARIED_NAMES)
MPX_MPI_ENDINGS(Neighbor_alltoallw, Ineighbor_alltoallw, neighbor_alltoallw, MPX_MPI_TYPED,
                MPX_MPI_TYPED_NAMES)

}  // namespace mpx_mpi
