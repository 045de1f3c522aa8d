// SPDX-License-Identifier: BSL-1.0
#pragma once
// Interface between the MPI library and the precompiled stacks of mpx: one port for the job, one for
// each communicator. Calls take run-time values only, and throw mpx::error.

#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mpx/coll/operations.hpp"
#include "mpx/comm/topology/cart.hpp"
#include "mpx/comm/topology/graph.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/status.hpp"
#include "mpx/data/memory.hpp"
#include "mpx/data/type.hpp"
#include "tool_port.hpp"

namespace mpx_mpi {

/// Way in which a call ends.
enum class form : std::uint8_t { blocking, start, prepare };

/// Mode of a send. A buffered one is a standard send of a copy (buffers.hpp).
enum class send_mode : std::uint8_t { standard, synchronous, ready };

/// Storage of an mpx::request of any stack. Empty if it is zero.
struct request_cell {
  alignas(8) std::byte bytes[16] = {};
};

/// Elements of a datatype in the program's memory. `dense`: the data is `bytes` contiguous bytes
/// from `data` on.
struct buffer {
  void* base = nullptr;
  std::int64_t count = 0;
  const mpx::datatype* type = nullptr;
  bool dense = true;
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

/// One side of a collective call.
struct side {
  /// Arrangement of its blocks.
  enum class blocks : std::uint8_t {
    none,      ///< Ignored at this rank.
    in_place,  ///< MPI_IN_PLACE.
    whole,     ///< `all` is one block, or is split into equal blocks.
    counted,   ///< Blocks of `all` with counts and displacements, in elements.
    pieces,    ///< Each block is a separate piece of memory.
  };
  blocks how = blocks::none;
  buffer all{};
  std::span<const std::int64_t> counts{};
  std::span<const std::int64_t> displacements{};
  std::span<const mpx::memory> pieces{};
};

/// Collective operation.
enum class collective : std::uint8_t {
  barrier,
  bcast,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce,
  allreduce,
  reduce_scatter,
  scan,
  exscan,
  neighbor_allgather,
  neighbor_alltoall,
};

/// A collective call. `in` is the buffer of a bcast. Roots are numbered as in MPI.
struct collective_call {
  collective what{};
  side in{};
  side out{};
  int root = 0;
  mpx::any_operation op{};
};

/// A message that a matched probe has taken.
class message_port {
 public:
  virtual ~message_port() = default;
  [[nodiscard]] virtual mpx::status info() const = 0;
  /// Returns the status; the failure is in it.
  virtual mpx::status recv(const buffer& into) = 0;
  virtual void irecv(const buffer& into, request_cell& request) = 0;
};

class survivors_port;
class window_port;
struct window_plan;

struct comm_t;
struct request_table;
/// Calls of a port into the library, for usual messages (quick.hpp): sends that cannot leave at once,
/// receives that cannot start at once, and receives that have failed. Each returns an MPI error code.
struct message_calls {
  int (*send)(const comm_t& comm, const void* data, std::size_t bytes, int to, int tag);
  int (*isend)(const comm_t& comm, const void* data, std::size_t bytes, int to, int tag,
               MPI_Request* request);
  int (*irecv)(const comm_t& comm, void* into, std::size_t bytes, int from, int tag,
               MPI_Request* request);
  int (*failed_recv)(const comm_t& comm, const mpx::status& s, MPI_Status* status);
};

/// A communicator, of one group or of two.
class comm_port {
 public:
  virtual ~comm_port() = default;
  /// The communicator that has this port. Set by comm_t::take_port, before the first message; not set
  /// in library::base.
  struct {
    const comm_t* comm = nullptr;
    MPI_Comm self = nullptr;
    const message_calls* calls = nullptr;
    request_table* requests = nullptr;
    MPI_Request complete_send = nullptr;
  } owner;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  [[nodiscard]] virtual int remote_size() const = 0;  ///< -1: one group.
  [[nodiscard]] virtual mpx::group group() const = 0;
  [[nodiscard]] virtual mpx::group remote_group() const = 0;

  // Contiguous bytes, in standard mode, to or from a rank with a tag: what quick.hpp calls. They
  // return an MPI error code, so that an entry of the library ends with their call.
  virtual int send_bytes(const void* data, std::size_t bytes, int to, int tag) = 0;
  virtual int isend_bytes(const void* data, std::size_t bytes, int to, int tag,
                          MPI_Request* request) = 0;
  virtual int recv_bytes(void* into, std::size_t bytes, int from, int tag, MPI_Status* status) = 0;
  virtual int irecv_bytes(void* into, std::size_t bytes, int from, int tag,
                          MPI_Request* request) = 0;

  // Point-to-point. Ranks and tags are mpx's.
  virtual void send(send_mode mode, const buffer& data, int to, int tag) = 0;
  virtual void isend(send_mode mode, form how, const buffer& data, int to, int tag,
                     request_cell& request) = 0;
  /// Returns the status; the failure is in it.
  virtual mpx::status recv(const buffer& into, int from, int tag) = 0;
  virtual void irecv(form how, const buffer& into, int from, int tag, request_cell& request) = 0;
  virtual mpx::status sendrecv(const buffer& out, int to, int send_tag, const buffer& in, int from,
                               int receive_tag) = 0;
  /// `out` is sent and `in` received; the status is that of the receive.
  virtual void isendrecv(const buffer& out, int to, int send_tag, const buffer& in, int from,
                         int receive_tag, request_cell& request) = 0;
  /// Prepares a message of `partitions` equal parts of `data`.
  virtual void partitioned(bool sends, const buffer& data, std::size_t partitions, int other,
                           int tag, request_cell& request) = 0;
  virtual std::optional<mpx::status> probe(bool once, int from, int tag) = 0;
  virtual std::unique_ptr<message_port> mprobe(bool once, int from, int tag) = 0;

  /// `request`: unused by blocking calls.
  virtual void collective(const collective_call& call, form how, request_cell* request) = 0;

  // Creation. An empty pointer: this rank is not part of the result.
  virtual std::unique_ptr<comm_port> dup() = 0;
  /// The result may be used after the request is complete.
  virtual std::unique_ptr<comm_port> idup(request_cell& request) = 0;
  virtual std::unique_ptr<comm_port> split(int color, int key) = 0;
  virtual std::unique_ptr<comm_port> split_by_memory(int key) = 0;
  virtual std::unique_ptr<comm_port> create(const mpx::group& members) = 0;
  virtual std::unique_ptr<comm_port> create_group(const mpx::group& members, int tag) = 0;
  virtual std::unique_ptr<comm_port> connect(int leader, comm_port* peer, int remote_leader,
                                             int tag) = 0;
  virtual std::unique_ptr<comm_port> merge(bool high) = 0;
  virtual std::unique_ptr<comm_port> cart(std::span<const mpx::cart_dimension> dims,
                                          bool reorder) = 0;
  virtual std::unique_ptr<comm_port> cart_sub(std::span<const bool> keep) = 0;
  virtual std::unique_ptr<comm_port> graph(const mpx::graph_topology& shape, bool reorder) = 0;
  virtual std::unique_ptr<comm_port> dist_graph(std::span<const mpx::graph_edge> edges,
                                                bool weighted, bool reorder) = 0;
  virtual std::unique_ptr<comm_port> dist_graph_adjacent(mpx::graph_neighbors mine,
                                                         bool reorder) = 0;
  /// Of a communicator of one group.
  virtual std::unique_ptr<window_port> window(const window_plan& plan) = 0;
  /// Its fault tolerance. Of a communicator of one group.
  virtual std::unique_ptr<survivors_port> survivors() = 0;
  virtual void free() = 0;

  // Topology: nullptr if it has another one, or none.
  [[nodiscard]] virtual const mpx::cart_topology* cart_shape() const = 0;
  [[nodiscard]] virtual const mpx::graph_topology* graph_shape() const = 0;
  [[nodiscard]] virtual const mpx::graph_neighbors* neighbors() const = 0;
  [[nodiscard]] virtual std::size_t sources() const = 0;
  [[nodiscard]] virtual std::size_t destinations() const = 0;

  /// Makes a request that `complete_generalized` completes.
  virtual void generalized(request_cell& request, request_cell& completer) = 0;
};

/// One complete request of several.
struct done_request {
  std::size_t index;
  mpx::status status;
};

/// The job, as a stack of mpx has joined it.
class job_port {
 public:
  virtual ~job_port() = default;
  [[nodiscard]] virtual std::string_view host() const = 0;
  [[nodiscard]] virtual std::unique_ptr<comm_port> world() = 0;
  [[noreturn]] virtual void abort(int code, std::string_view why) = 0;
  virtual void progress() = 0;
  [[nodiscard]] virtual std::uint64_t number(tool_number which) = 0;
  /// Sets tool_number::short_bytes_max, from now on.
  virtual void limit_eager(std::uint64_t bytes) = 0;

  // Requests. Failures are in the statuses. `active`: false for an empty or inactive request.
  [[nodiscard]] virtual bool active(const request_cell& r) const = 0;
  virtual mpx::status wait(request_cell& r) = 0;
  virtual std::optional<mpx::status> test(request_cell& r) = 0;
  virtual std::optional<mpx::status> peek(request_cell& r) = 0;
  virtual void start(request_cell& r) = 0;
  virtual bool cancel(request_cell& r) = 0;
  /// Makes one request of several, whose cells are empty afterwards.
  virtual void join(std::span<request_cell* const> all, request_cell& into) = 0;
  virtual void detach(request_cell& r) = 0;
  /// Drops a request, and empties the cell.
  virtual void drop(request_cell& r) = 0;
  /// Waits for requests of an array in order, and ends them: plain ones that succeed, and sends that
  /// were complete at once. Stops at the first other one, or if the peer of one is lost.
  /// Returns:    the number of requests before that one.
  virtual std::size_t wait_in_order(request_table& table, std::span<MPI_Request> all,
                                    MPI_Status* statuses) = 0;
  virtual void wait_all(std::span<request_cell* const> all, std::span<mpx::status> into) = 0;
  virtual bool test_all(std::span<request_cell* const> all, std::span<mpx::status> into) = 0;
  /// Returns nothing if no request is active, or for `once` if none is complete.
  virtual std::optional<done_request> any(std::span<request_cell* const> all, bool once) = 0;
  virtual std::size_t some(std::span<request_cell* const> all, std::span<done_request> into,
                           bool once) = 0;
  virtual void complete_generalized(request_cell& completer) = 0;
  // Partitioned messages.
  virtual void ready(const request_cell& r, std::span<const std::size_t> partitions) = 0;
  virtual void ready_range(const request_cell& r, std::size_t first, std::size_t last) = 0;
  virtual bool arrived(const request_cell& r, std::size_t partition) = 0;
};

/// A precompiled stack.
struct stack_entry {
  const char* name;
  bool multiple;  ///< Any thread may call at any time.
  std::unique_ptr<job_port> (*join)();
};
/// Defined by the source files of the stacks that the library is built with.
std::span<const stack_entry> built_stacks() noexcept;

}  // namespace mpx_mpi
