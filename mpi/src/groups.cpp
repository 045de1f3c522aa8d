// SPDX-License-Identifier: BSL-1.0
// Groups and communicators, their attributes and names, and topologies.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "buffers.hpp"
#include "functions.hpp"
#include "mpx/comm/topology/dims.hpp"
#include "mpx/core/group_sets.hpp"
#include "requests.hpp"
#include "startup.hpp"

namespace mpx_mpi {

// --- Groups --------------------------------------------------------------------------------------

namespace {
/// `from`: a group or a communicator of the same session.
template <class From>
MPI_Group add_group(mpx::group members, const From& from) {
  if (members.size() == 0) return MPI_GROUP_EMPTY;
  return put_in<MPI_Group>(lib().groups, "groups", std::move(members), from.session);
}
std::span<const int> ranks_in(int n, const int ranks[]) {
  if (n > 0) need_place(ranks, "ranks");
  return {ranks, static_cast<std::size_t>(n)};
}
std::vector<mpx::rank_range> ranges_in(int n, int ranges[][3], const mpx::group& of) {
  if (n > 0) need_place(ranges, "ranges");
  std::vector<mpx::rank_range> all;
  for (int i = 0; i < n; ++i) {
    const int first = ranges[i][0];
    const int last = ranges[i][1];
    const int stride = ranges[i][2];
    if (stride == 0) fail(MPI_ERR_ARG, "range %d has stride 0", i);
    // The last rank that the stride meets; `last` need not be one.
    const std::int64_t end = first + (std::int64_t{last} - first) / stride * stride;
    for (const std::int64_t r : {std::int64_t{first}, end})
      if (r < 0 || r >= of.size())
        fail(MPI_ERR_RANK, "range %d: rank %lld is out of range: ranks are 0 to %d", i,
             static_cast<long long>(r), of.size() - 1);
    all.push_back({first, last, stride});
  }
  return all;
}
int comparison_of(mpx::comparison c) {
  switch (c) {
    case mpx::comparison::identical: return MPI_IDENT;
    case mpx::comparison::congruent: return MPI_CONGRUENT;
    case mpx::comparison::similar: return MPI_SIMILAR;
    default: return MPI_UNEQUAL;
  }
}
}  // namespace

group_t* find_group(MPI_Group g) noexcept {
  if (g == MPI_GROUP_EMPTY) {
    static group_t* const empty = new group_t{};
    return empty;
  }
  return lib().groups.find(value_of(g));
}
void Group_size(group_t& group, int* size) { *size = group.members.size(); }
void Group_rank(group_t& group, int* rank) {
  const mpx::rank_t r = group.members.rank();
  *rank = r == mpx::proc_null || group.members.size() == 0 ? MPI_UNDEFINED : r;
}
void Group_free(MPI_Group* group) {
  need_group(*group);
  lib().groups.erase(value_of(*group));
  *group = MPI_GROUP_NULL;
}
void Group_compare(group_t& group1, group_t& group2, int* result) {
  if (group1.members.size() == 0 && group2.members.size() == 0)
    *result = MPI_IDENT;
  else
    *result = comparison_of(mpx::compare(group1.members, group2.members));
}
void Group_translate_ranks(group_t& group1, int n, const int ranks1[], group_t& group2,
                           int ranks2[]) {
  const auto ranks = ranks_in(n, ranks1);
  if (n > 0) need_place(ranks2, "ranks2");
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] == MPI_PROC_NULL) {
      ranks2[i] = MPI_PROC_NULL;
      continue;
    }
    if (ranks[i] < 0 || ranks[i] >= group1.members.size())
      fail(MPI_ERR_RANK, "entry %zu: rank %d is out of range: ranks are 0 to %d", i, ranks[i],
           group1.members.size() - 1);
    const mpx::peer_id peer = group1.members.peer_of(ranks[i]);
    const bool there = group2.members.size() != 0 && group2.members.contains(peer);
    ranks2[i] = there ? group2.members.rank_of(peer) : MPI_UNDEFINED;
  }
}
void Group_incl(group_t& group, int n, const int ranks[], MPI_Group* newgroup) {
  *newgroup = add_group(mpx::include(group.members, ranks_in(n, ranks)), group);
}
void Group_excl(group_t& group, int n, const int ranks[], MPI_Group* newgroup) {
  *newgroup = add_group(mpx::exclude(group.members, ranks_in(n, ranks)), group);
}
void Group_range_incl(group_t& group, int n, int ranges[][3], MPI_Group* newgroup) {
  *newgroup =
      add_group(mpx::include_ranges(group.members, ranges_in(n, ranges, group.members)), group);
}
void Group_range_excl(group_t& group, int n, int ranges[][3], MPI_Group* newgroup) {
  *newgroup =
      add_group(mpx::exclude_ranges(group.members, ranges_in(n, ranges, group.members)), group);
}
namespace {
/// A set operation; an empty group knows no process of its own.
template <class Operation>
MPI_Group combined(const group_t& a, const group_t& b, Operation&& op) {
  if (a.members.size() == 0) return op(false, true);
  if (b.members.size() == 0) return op(true, false);
  return op(true, true);
}
}  // namespace
void Group_union(group_t& group1, group_t& group2, MPI_Group* newgroup) {
  *newgroup = combined(group1, group2, [&](bool a, bool b) {
    if (a && b) return add_group(mpx::union_of(group1.members, group2.members), group1);
    return add_group(a ? group1.members.copy() : group2.members.copy(), a ? group1 : group2);
  });
}
void Group_intersection(group_t& group1, group_t& group2, MPI_Group* newgroup) {
  *newgroup = combined(group1, group2, [&](bool a, bool b) {
    return a && b ? add_group(mpx::intersection_of(group1.members, group2.members), group1)
                  : MPI_GROUP_EMPTY;
  });
}
void Group_difference(group_t& group1, group_t& group2, MPI_Group* newgroup) {
  *newgroup = combined(group1, group2, [&](bool a, bool b) {
    if (a && b) return add_group(mpx::difference_of(group1.members, group2.members), group1);
    return a ? add_group(group1.members.copy(), group1) : MPI_GROUP_EMPTY;
  });
}

// --- Communicators -------------------------------------------------------------------------------

void comm_t::take_port(std::unique_ptr<comm_port> of) {
  port = std::move(of);
  port->owner = {this, self, &usual_messages, &lib().requests, lib().requests.complete_send};
}
MPI_Comm add_comm(std::unique_ptr<comm_port> port, const comm_t* from) {
  if (port == nullptr) return MPI_COMM_NULL;
  comm_t c;
  c.set_place(*port);
  c.errors.set(from == nullptr ? find_errhandler(MPI_ERRORS_ARE_FATAL) : from->errors.get());
  if (from != nullptr) c.session = from->session;
  const auto made = put_in<MPI_Comm>(lib().comms, "communicators", std::move(c));
  find_comm(made)->self = made;
  find_comm(made)->take_port(std::move(port));
  return made;
}

void Comm_size(comm_t& comm, int* size) { *size = comm.size; }
void Comm_rank(comm_t& comm, int* rank) { *rank = comm.rank; }
void Comm_remote_size(comm_t& comm, int* size) {
  if (!comm.inter()) fail(MPI_ERR_COMM, "the communicator has one group");
  *size = comm.remote_size;
}
void Comm_test_inter(comm_t& comm, int* flag) { *flag = comm.inter(); }
void Comm_group(comm_t& comm, MPI_Group* group) { *group = add_group(comm.port->group(), comm); }
void Comm_remote_group(comm_t& comm, MPI_Group* group) {
  if (!comm.inter()) fail(MPI_ERR_COMM, "the communicator has one group");
  *group = add_group(comm.port->remote_group(), comm);
}
void Comm_compare(comm_t& comm1, comm_t& comm2, int* result) {
  if (&comm1 == &comm2) {
    *result = MPI_IDENT;
    return;
  }
  if (comm1.inter() != comm2.inter()) {
    *result = MPI_UNEQUAL;
    return;
  }
  mpx::comparison is = mpx::compare(comm1.port->group(), comm2.port->group());
  if (comm1.inter()) {
    const auto remote = mpx::compare(comm1.port->remote_group(), comm2.port->remote_group());
    is = std::max(is, remote);
  }
  *result = is == mpx::comparison::identical ? MPI_CONGRUENT : comparison_of(is);
}

namespace {
/// Gives a duplicate what its port does not have.
void inherit(comm_t& made, const comm_t& from) {
  made.weighted = from.weighted;
  copy_attributes(from.attributes, made.attributes, from.self);
}
}  // namespace
void Comm_dup(comm_t& comm, MPI_Comm* newcomm) {
  const MPI_Comm made = add_comm(comm.port->dup(), &comm);
  try {
    inherit(*find_comm(made), comm);
  } catch (...) {
    find_comm(made)->port->free();
    lib().comms.erase(value_of(made));
    *newcomm = MPI_COMM_NULL;
    throw;
  }
  *newcomm = made;
}
namespace {
/// The hints of the standard (MPI 5.0, 7.4.4); all others are ignored.
info_t known_hints(const info_t& all) {
  info_t known;
  for (const auto& [key, value] : all.pairs)
    if (key.compare(0, 11, "mpi_assert_") == 0) known.pairs.emplace_back(key, value);
  return known;
}
}  // namespace
void Comm_dup_with_info(comm_t& comm, MPI_Info info, MPI_Comm* newcomm) {
  Comm_dup(comm, newcomm);
  find_comm(*newcomm)->hints.set(info == MPI_INFO_NULL ? info_t() : known_hints(need_info(info)));
}
namespace {
/// Fills in the size of a communicator that was made by a request; one that was not made goes.
void finish_comm(const rare_parts& rare, bool good) {
  const auto handle = static_cast<MPI_Comm>(rare.finish_with);
  comm_t* const made = find_comm(handle);
  if (made == nullptr) return;
  if (!good) {
    try {
      drop_attributes(made->attributes, handle);
    } catch (const failure&) {  // The failure of the operation comes first.
    }
    return lib().comms.erase(value_of(handle));
  }
  made->set_place(*made->port);
  made->under_way = false;
}
}  // namespace
void add_comm_under_way(std::unique_ptr<comm_port> port, const comm_t& from,
                        const request_cell& cell, MPI_Comm* newcomm, MPI_Request* request) {
  MPI_Comm made = MPI_COMM_NULL;
  try {
    auto rare = std::make_unique<rare_parts>();
    comm_t c;
    c.set_place(from.rank, from.size, from.remote_size);
    c.errors.set(from.errors.get());
    c.session = from.session;
    c.under_way = true;
    made = put_in<MPI_Comm>(lib().comms, "communicators", std::move(c));
    *request = add_request_of(cell, from.self, false, false);
    rare->finish = finish_comm;
    rare->finish_with = made;
    lib().requests.find(value_of(*request))->rare = std::move(rare);
    comm_t& added = *find_comm(made);
    added.self = made;
    added.take_port(std::move(port));
    *newcomm = made;
  } catch (...) {
    request_cell started = cell;
    lib().job->wait(started);  // It makes what the port holds.
    if (made != MPI_COMM_NULL) lib().comms.erase(value_of(made));
    throw;
  }
}
void Comm_idup(comm_t& comm, MPI_Comm* newcomm, MPI_Request* request) {
  request_cell cell;
  auto port = comm.port->idup(cell);
  add_comm_under_way(std::move(port), comm, cell, newcomm, request);
  inherit(*find_comm(*newcomm), comm);
}
void Comm_idup_with_info(comm_t& comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request) {
  Comm_idup(comm, newcomm, request);
  find_comm(*newcomm)->hints.set(info == MPI_INFO_NULL ? info_t() : known_hints(need_info(info)));
}
void Comm_split(comm_t& comm, int color, int key, MPI_Comm* newcomm) {
  if (color < 0 && color != MPI_UNDEFINED) bad_number(MPI_ERR_ARG, "color", color);
  *newcomm = add_comm(comm.port->split(color, key), &comm);
}
namespace {
/// The type of hardware that an info object names; null: none.
const char* guide_of(MPI_Info info) {
  if (info == MPI_INFO_NULL) return nullptr;
  for (const auto& [key, value] : need_info(info).pairs)
    if (key == "mpi_hw_resource_type") return value.c_str();
  return nullptr;
}
}  // namespace
void Comm_split_type(comm_t& comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
  need_one_group(comm);
  if (split_type != MPI_UNDEFINED && split_type != MPI_COMM_TYPE_SHARED &&
      split_type != MPI_COMM_TYPE_HW_UNGUIDED && split_type != MPI_COMM_TYPE_HW_GUIDED &&
      split_type != MPI_COMM_TYPE_RESOURCE_GUIDED)
    bad_number(MPI_ERR_ARG, "split type", split_type);
  const bool guided =
      split_type == MPI_COMM_TYPE_HW_GUIDED || split_type == MPI_COMM_TYPE_RESOURCE_GUIDED;
  const char* const guide = guided ? guide_of(info) : nullptr;
  // Ranks that pass MPI_UNDEFINED take part in the first split, whatever the others pass.
  auto part = comm.port->split_by_memory(key);
  const bool shared = split_type == MPI_COMM_TYPE_SHARED ||
                      (guide != nullptr && (std::strcmp(guide, shared_memory_resource) == 0 ||
                                            std::strcmp(guide, "mpi_shared_memory") == 0));
  auto made = part->split(shared ? 0 : MPI_UNDEFINED, key);
  part->free();
  *newcomm = add_comm(std::move(made), &comm);  // No hardware below shared memory is known.
}
namespace {
/// The members of a group as this process sees them: an empty group knows no process.
mpx::group members_for(const group_t& group, const comm_t& comm) {
  if (group.members.size() != 0) return group.members.copy();
  return mpx::group::table({}, comm.port->group().self());
}
}  // namespace
void Comm_create(comm_t& comm, group_t& group, MPI_Comm* newcomm) {
  *newcomm = add_comm(comm.port->create(members_for(group, comm)), &comm);
}
void Comm_create_group(comm_t& comm, group_t& group, int tag, MPI_Comm* newcomm) {
  need_one_group(comm);
  need_tag(tag);
  if (group.members.size() == 0 || group.members.rank() == mpx::proc_null) {
    *newcomm = MPI_COMM_NULL;
    return;
  }
  *newcomm = add_comm(comm.port->create_group(group.members, tag), &comm);
}
void Comm_free(MPI_Comm* comm) {
  comm_t& c = need_comm(*comm);
  if (*comm == MPI_COMM_WORLD || *comm == MPI_COMM_SELF)
    fail(MPI_ERR_COMM, "%s is not freed", c.name.get().c_str());
  if (c.under_way) fail(MPI_ERR_COMM, "the request that makes the communicator is not complete");
  drop_attributes(c.attributes, *comm);
  if (c.buffers != nullptr) c.buffers->drain();
  c.port->free();
  lib().comms.erase(value_of(*comm));
  *comm = MPI_COMM_NULL;
}
void Comm_disconnect(MPI_Comm* comm) { Comm_free(comm); }
void Comm_get_parent(MPI_Comm* parent) { *parent = MPI_COMM_NULL; }
void Comm_set_name(comm_t& comm, const char* comm_name) {
  comm.name.set(std::string(comm_name).substr(0, MPI_MAX_OBJECT_NAME - 1));
}
void Comm_get_name(MPI_Comm comm, char* comm_name, int* resultlen) {
  const std::string name = comm == MPI_COMM_NULL ? "MPI_COMM_NULL" : need_comm(comm).name.get();
  *resultlen = std::snprintf(comm_name, MPI_MAX_OBJECT_NAME, "%s", name.c_str());
}
void Comm_set_info(comm_t& comm, MPI_Info info) {
  info_t hints = comm.hints.get();  // Those that `info` does not name stay.
  for (const auto& [key, value] : known_hints(need_info(info)).pairs) hints.set(key, value);
  comm.hints.set(std::move(hints));
}
void Comm_get_info(comm_t& comm, MPI_Info* info_used) {
  *info_used = put_in<MPI_Info>(lib().infos, "info objects", comm.hints.get());
}
void Intercomm_create(comm_t& local, int local_leader, MPI_Comm peer_comm, int remote_leader,
                      int tag, MPI_Comm* newintercomm) {
  need_one_group(local);
  need_tag(tag);
  if (local_leader < 0 || local_leader >= local.size)
    bad_rank(MPI_ERR_RANK, "local leader", local_leader, local);
  comm_port* peer = nullptr;
  if (local.rank == local_leader) {
    comm_t& over = need_comm(peer_comm);
    need_one_group(over);
    if (remote_leader < 0 || remote_leader >= over.size)
      bad_rank(MPI_ERR_RANK, "remote leader", remote_leader, over);
    peer = over.port.get();
  }
  *newintercomm = add_comm(local.port->connect(local_leader, peer, remote_leader, tag), &local);
}
void Intercomm_merge(comm_t& intercomm, int high, MPI_Comm* newintracomm) {
  if (!intercomm.inter()) fail(MPI_ERR_COMM, "the communicator has one group");
  *newintracomm = add_comm(intercomm.port->merge(high != 0), &intercomm);
}

// --- Topologies ----------------------------------------------------------------------------------

namespace {
const mpx::cart_topology& need_cart(const comm_t& comm) {
  const mpx::cart_topology* const shape = comm.inter() ? nullptr : comm.port->cart_shape();
  if (shape == nullptr) fail(MPI_ERR_TOPOLOGY, "the communicator is no Cartesian grid");
  return *shape;
}
const mpx::graph_topology& need_graph(const comm_t& comm) {
  const mpx::graph_topology* const shape = comm.inter() ? nullptr : comm.port->graph_shape();
  if (shape == nullptr) fail(MPI_ERR_TOPOLOGY, "the communicator has no graph");
  return *shape;
}
const mpx::graph_neighbors& need_neighbors(const comm_t& comm) {
  const mpx::graph_neighbors* const mine = comm.inter() ? nullptr : comm.port->neighbors();
  if (mine == nullptr) fail(MPI_ERR_TOPOLOGY, "the communicator has no distributed graph");
  return *mine;
}
int rank_or_null(mpx::rank_t r) { return r == mpx::proc_null ? MPI_PROC_NULL : r; }
std::vector<mpx::cart_dimension> dims_in(int ndims, const int dims[], const int periods[]) {
  if (ndims > 0) {
    need_place(dims, "dims");
    need_place(periods, "periods");
  }
  std::vector<mpx::cart_dimension> all;
  for (int i = 0; i < ndims; ++i) {
    if (dims[i] < 1) bad_number(MPI_ERR_DIMS, "size of a dimension", dims[i]);
    all.push_back({dims[i], periods[i] != 0});
  }
  return all;
}
mpx::graph_topology graph_in(int nnodes, const int indx[], const int edges[]) {
  if (nnodes > 0) need_place(indx, "indx");
  std::vector<std::size_t> ends;
  for (int i = 0; i < nnodes; ++i) {
    if (indx[i] < 0) bad_number(MPI_ERR_ARG, "index", indx[i]);
    ends.push_back(static_cast<std::size_t>(indx[i]));
  }
  const std::size_t n = ends.empty() ? 0 : ends.back();
  if (n > 0) need_place(edges, "edges");
  for (std::size_t i = 0; i < n; ++i)
    if (edges[i] < 0 || edges[i] >= nnodes) bad_number(MPI_ERR_ARG, "end of an edge", edges[i]);
  return {ends, std::span(edges, n)};
}
std::vector<int> weights_in(int n, const int weights[]) {
  if (weights == MPI_UNWEIGHTED || weights == MPI_WEIGHTS_EMPTY || n == 0) return {};
  need_place(weights, "weights");
  for (int i = 0; i < n; ++i)
    if (weights[i] < 0) bad_number(MPI_ERR_ARG, "weight", weights[i]);
  return {weights, weights + n};
}
void copy_list(std::span<const int> from, int room, int* to, const char* name) {
  if (!from.empty() && room > 0) need_place(to, name);
  for (std::size_t i = 0; i < from.size() && i < static_cast<std::size_t>(room); ++i)
    to[i] = from[i];
}
}  // namespace

void Dims_create(int nnodes, int ndims, int dims[]) {
  if (nnodes < 1) bad_number(MPI_ERR_ARG, "number of nodes", nnodes);
  if (ndims > 0) need_place(dims, "dims");
  if (ndims == 0) return;
  mpx::dims_create(nnodes, std::span(dims, static_cast<std::size_t>(ndims)));
}
void Topo_test(comm_t& comm, int* status) {
  *status = MPI_UNDEFINED;
  if (comm.inter()) return;
  if (comm.port->cart_shape() != nullptr) *status = MPI_CART;
  if (comm.port->graph_shape() != nullptr) *status = MPI_GRAPH;
  if (comm.port->neighbors() != nullptr) *status = MPI_DIST_GRAPH;
}
void Cart_create(comm_t& comm_old, int ndims, const int dims[], const int periods[], int reorder,
                 MPI_Comm* comm_cart) {
  need_one_group(comm_old);
  const auto all = dims_in(ndims, dims, periods);
  std::int64_t ranks = 1;
  for (const mpx::cart_dimension& d : all)
    ranks = std::min<std::int64_t>(ranks * d.size, 1ll << 40);
  if (ranks > comm_old.size)
    fail(MPI_ERR_DIMS, "the grid has %lld ranks, the communicator %d",
         static_cast<long long>(ranks), comm_old.size);
  *comm_cart = add_comm(comm_old.port->cart(all, reorder != 0), &comm_old);
}
void Cartdim_get(comm_t& comm, int* ndims) {
  *ndims = static_cast<int>(need_cart(comm).dims().size());
}
void Cart_get(comm_t& comm, int maxdims, int dims[], int periods[], int coords[]) {
  const mpx::cart_topology& shape = need_cart(comm);
  const auto mine = shape.coords(comm.rank);
  if (!mine.empty() && maxdims > 0) {
    need_place(dims, "dims");
    need_place(periods, "periods");
    need_place(coords, "coords");
  }
  for (std::size_t i = 0; i < mine.size() && i < static_cast<std::size_t>(maxdims); ++i) {
    dims[i] = shape.dims()[i].size;
    periods[i] = shape.dims()[i].periodic;
    coords[i] = mine[i];
  }
}
void Cart_rank(comm_t& comm, const int coords[], int* rank) {
  const mpx::cart_topology& shape = need_cart(comm);
  if (!shape.dims().empty()) need_place(coords, "coords");
  *rank = shape.rank(std::span(coords, shape.dims().size()));
}
void Cart_coords(comm_t& comm, int rank, int maxdims, int coords[]) {
  const mpx::cart_topology& shape = need_cart(comm);
  if (rank < 0 || rank >= comm.size) bad_rank(MPI_ERR_RANK, "rank", rank, comm);
  if (static_cast<std::size_t>(maxdims) < shape.dims().size())
    fail(MPI_ERR_ARG, "there is room for %d coordinates of %zu", maxdims, shape.dims().size());
  copy_list(shape.coords(rank), maxdims, coords, "coords");
}
void Cart_shift(comm_t& comm, int direction, int disp, int* rank_source, int* rank_dest) {
  const mpx::cart_topology& shape = need_cart(comm);
  if (direction < 0) bad_number(MPI_ERR_ARG, "direction", direction);
  const auto found = shape.shift(comm.rank, static_cast<std::size_t>(direction), disp);
  *rank_source = rank_or_null(found.source);
  *rank_dest = rank_or_null(found.destination);
}
void Cart_sub(comm_t& comm, const int remain_dims[], MPI_Comm* newcomm) {
  const mpx::cart_topology& shape = need_cart(comm);
  const std::size_t n = shape.dims().size();
  if (n > 0) need_place(remain_dims, "remain_dims");
  const std::unique_ptr<bool[]> keep(new bool[n + 1]);
  for (std::size_t i = 0; i < n; ++i) keep[i] = remain_dims[i] != 0;
  *newcomm = add_comm(comm.port->cart_sub(std::span<const bool>(keep.get(), n)), &comm);
}
void Cart_map(comm_t& comm, int ndims, const int dims[], const int periods[], int* newrank) {
  need_one_group(comm);
  const auto all = dims_in(ndims, dims, periods);
  std::int64_t ranks = 1;
  for (const mpx::cart_dimension& d : all) ranks *= d.size;
  if (ranks > comm.size) fail(MPI_ERR_DIMS, "the grid has more ranks than the communicator");
  *newrank = comm.rank < ranks ? comm.rank : MPI_UNDEFINED;  // Ranks keep their numbers.
}
void Graph_create(comm_t& comm_old, int nnodes, const int indx[], const int edges[], int reorder,
                  MPI_Comm* comm_graph) {
  need_one_group(comm_old);
  if (nnodes > comm_old.size)
    fail(MPI_ERR_ARG, "the graph has %d ranks, the communicator %d", nnodes, comm_old.size);
  const mpx::graph_topology shape = graph_in(nnodes, indx, edges);
  if (nnodes == 0) {
    *comm_graph = MPI_COMM_NULL;
    return;
  }
  *comm_graph = add_comm(comm_old.port->graph(shape, reorder != 0), &comm_old);
}
void Graphdims_get(comm_t& comm, int* nnodes, int* nedges) {
  const mpx::graph_topology& shape = need_graph(comm);
  *nnodes = shape.size();
  *nedges = static_cast<int>(shape.edges().size());
}
void Graph_get(comm_t& comm, int maxindex, int maxedges, int indx[], int edges[]) {
  const mpx::graph_topology& shape = need_graph(comm);
  if (!shape.ends().empty() && maxindex > 0) need_place(indx, "indx");
  for (std::size_t i = 0; i < shape.ends().size() && i < static_cast<std::size_t>(maxindex); ++i)
    indx[i] = static_cast<int>(shape.ends()[i]);
  copy_list(shape.edges(), maxedges, edges, "edges");
}
void Graph_neighbors_count(comm_t& comm, int rank, int* nneighbors) {
  const mpx::graph_topology& shape = need_graph(comm);
  if (rank < 0 || rank >= comm.size) bad_rank(MPI_ERR_RANK, "rank", rank, comm);
  *nneighbors = static_cast<int>(shape.neighbors(rank).size());
}
void Graph_neighbors(comm_t& comm, int rank, int maxneighbors, int neighbors[]) {
  const mpx::graph_topology& shape = need_graph(comm);
  if (rank < 0 || rank >= comm.size) bad_rank(MPI_ERR_RANK, "rank", rank, comm);
  copy_list(shape.neighbors(rank), maxneighbors, neighbors, "neighbors");
}
void Graph_map(comm_t& comm, int nnodes, const int indx[], const int edges[], int* newrank) {
  need_one_group(comm);
  if (nnodes > comm.size) fail(MPI_ERR_ARG, "the graph has more ranks than the communicator");
  static_cast<void>(graph_in(nnodes, indx, edges));
  *newrank = comm.rank < nnodes ? comm.rank : MPI_UNDEFINED;
}
void Dist_graph_create_adjacent(comm_t& comm_old, int indegree, const int sources[],
                                const int sourceweights[], int outdegree, const int destinations[],
                                const int destweights[], MPI_Info /*info*/, int reorder,
                                MPI_Comm* comm_dist_graph) {
  need_one_group(comm_old);
  if (indegree > 0) need_place(sources, "sources");
  if (outdegree > 0) need_place(destinations, "destinations");
  mpx::graph_neighbors mine;
  mine.sources.assign(sources, sources + indegree);
  mine.destinations.assign(destinations, destinations + outdegree);
  for (const auto* those : {&mine.sources, &mine.destinations})
    for (const int r : *those)
      if (r < 0 || r >= comm_old.size) bad_rank(MPI_ERR_RANK, "a neighbour", r, comm_old);
  mine.source_weights = weights_in(indegree, sourceweights);
  mine.destination_weights = weights_in(outdegree, destweights);
  const bool weighted = sourceweights != MPI_UNWEIGHTED && destweights != MPI_UNWEIGHTED;
  *comm_dist_graph =
      add_comm(comm_old.port->dist_graph_adjacent(std::move(mine), reorder != 0), &comm_old);
  find_comm(*comm_dist_graph)->weighted = weighted;
}
void Dist_graph_create(comm_t& comm_old, int n, const int sources[], const int degrees[],
                       const int destinations[], const int weights[], MPI_Info /*info*/,
                       int reorder, MPI_Comm* comm_dist_graph) {
  need_one_group(comm_old);
  if (n > 0) {
    need_place(sources, "sources");
    need_place(degrees, "degrees");
  }
  const bool weighted = weights != MPI_UNWEIGHTED;
  std::vector<mpx::graph_edge> edges;
  for (int i = 0; i < n; ++i) {
    if (degrees[i] < 0) bad_number(MPI_ERR_ARG, "degree", degrees[i]);
    for (int k = 0; k < degrees[i]; ++k) {
      need_place(destinations, "destinations");
      need_place(weights, "weights");
      const std::size_t at = edges.size();
      const int weight = weighted && weights != MPI_WEIGHTS_EMPTY ? weights[at] : 1;
      if (weight < 0) bad_number(MPI_ERR_ARG, "weight", weight);
      for (const int r : {sources[i], destinations[at]})
        if (r < 0 || r >= comm_old.size) bad_rank(MPI_ERR_RANK, "an end of an edge", r, comm_old);
      edges.push_back({sources[i], destinations[at], weight});
    }
  }
  *comm_dist_graph = add_comm(comm_old.port->dist_graph(edges, weighted, reorder != 0), &comm_old);
  find_comm(*comm_dist_graph)->weighted = weighted;
}
void Dist_graph_neighbors_count(comm_t& comm, int* indegree, int* outdegree, int* weighted) {
  const mpx::graph_neighbors& mine = need_neighbors(comm);
  *indegree = static_cast<int>(mine.sources.size());
  *outdegree = static_cast<int>(mine.destinations.size());
  *weighted = comm.weighted;
}
void Dist_graph_neighbors(comm_t& comm, int maxindegree, int sources[], int sourceweights[],
                          int maxoutdegree, int destinations[], int destweights[]) {
  const mpx::graph_neighbors& mine = need_neighbors(comm);
  copy_list(mine.sources, maxindegree, sources, "sources");
  copy_list(mine.destinations, maxoutdegree, destinations, "destinations");
  if (!comm.weighted) return;
  if (sourceweights != MPI_UNWEIGHTED)
    copy_list(mine.source_weights, maxindegree, sourceweights, "sourceweights");
  if (destweights != MPI_UNWEIGHTED)
    copy_list(mine.destination_weights, maxoutdegree, destweights, "destweights");
}

// --- Handles as integers -------------------------------------------------------------------------

namespace {
template <class Handle, class Table>
int int_of(Handle h, const Table&) noexcept {
  const std::uintptr_t v = value_of(h);
  return v < 4096 ? static_cast<int>(v) : Table::to_int(v);
}
template <class Handle, class Table>
Handle from_int(int number, Table& table) noexcept {
  if (number >= 0 && number < 4096) return handle_of<Handle>(static_cast<std::uintptr_t>(number));
  return handle_of<Handle>(table.from_int(number));
}
/// Of kinds that have constants only.
template <class Handle>
int constant_int(Handle h) noexcept {
  return value_of(h) < 4096 ? static_cast<int>(value_of(h)) : -1;
}
template <class Handle>
Handle constant_of(int number) noexcept {
  return handle_of<Handle>(number >= 0 && number < 4096 ? static_cast<std::uintptr_t>(number) : 0);
}
}  // namespace
#define MPX_MPI_CONVERT(Kind, type, name, table)                    \
  int Kind##_toint(type name) { return int_of(name, lib().table); } \
  type Kind##_fromint(int name) { return from_int<type>(name, lib().table); }
MPX_MPI_CONVERT(Comm, MPI_Comm, comm, comms)
MPX_MPI_CONVERT(Errhandler, MPI_Errhandler, errhandler, errhandlers)
MPX_MPI_CONVERT(Group, MPI_Group, group, groups)
MPX_MPI_CONVERT(Info, MPI_Info, info, infos)
MPX_MPI_CONVERT(Message, MPI_Message, message, messages)
MPX_MPI_CONVERT(Op, MPI_Op, op, ops)
MPX_MPI_CONVERT(Request, MPI_Request, request, requests)
MPX_MPI_CONVERT(Session, MPI_Session, session, sessions)
MPX_MPI_CONVERT(Type, MPI_Datatype, datatype, types)
MPX_MPI_CONVERT(Win, MPI_Win, win, wins)
#undef MPX_MPI_CONVERT
int File_toint(MPI_File file) { return constant_int(file); }
MPI_File File_fromint(int file) { return constant_of<MPI_File>(file); }

}  // namespace mpx_mpi
