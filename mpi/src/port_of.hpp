// SPDX-License-Identifier: BSL-1.0
#pragma once
// The ports of port.hpp for one stack. Included by one source file for each stack.

#include <concepts>
#include <functional>
#include <new>
#include <ranges>
#include <span>
#include <system_error>
#include <utility>
#include <variant>

#include "mpx/datatype.hpp"
#include "mpx/intercommunicator.hpp"
#include "mpx/mpx.hpp"
#include "mpx/partitioned.hpp"
#include "mpx/topology.hpp"
#include "port.hpp"
#include "request_table.hpp"
#include "status.hpp"
#include "survivors_port.hpp"
#include "tool_port_of.hpp"

namespace mpx_mpi {

template <class Stack>
struct port_types {
  using request = mpx::request<Stack>;
  using completer = mpx::completer<Stack>;
  static_assert(sizeof(request) == sizeof(request_cell) &&
                sizeof(completer) == sizeof(request_cell));

  static request& of(request_cell& c) noexcept {
    return *std::launder(reinterpret_cast<request*>(c.bytes));
  }
  static const request& of(const request_cell& c) noexcept {
    return *std::launder(reinterpret_cast<const request*>(c.bytes));
  }
  static void put(request_cell& c, request&& r) noexcept {
    ::new (static_cast<void*>(c.bytes)) request(std::move(r));
  }
};

inline std::span<const std::byte> sent(const void* data, std::size_t bytes) noexcept {
  return {static_cast<const std::byte*>(data), bytes};
}
inline std::span<const std::byte> sent(const buffer& b) noexcept { return {b.data, b.bytes}; }
inline std::span<std::byte> received(const buffer& b) noexcept { return {b.data, b.bytes}; }
inline auto spread(const buffer& b) noexcept { return mpx::buffer(b.base, b.count, *b.type); }
inline auto spread_const(const buffer& b) noexcept {
  return mpx::buffer(static_cast<const void*>(b.base), b.count, *b.type);
}
inline mpx::status failed_status(const mpx::status& s, const std::error_code& ec) noexcept {
  return {s.source(), s.tag(), s.bytes(), ec.value(), s.cancelled()};
}

template <class Stack>
class message_of final : public message_port {
 public:
  explicit message_of(mpx::message<Stack>&& m) noexcept : m_(std::move(m)) {}
  mpx::status info() const override { return m_.info(); }
  mpx::status recv(const buffer& b) override {
    std::error_code ec;
    const mpx::status s = b.dense ? m_.recv(received(b), ec) : m_.recv(spread(b), ec);
    return failed_status(s, ec);
  }
  void irecv(const buffer& b, request_cell& request) override {
    port_types<Stack>::put(
        request, b.dense ? m_.recv(received(b), mpx::start) : m_.recv(spread(b), mpx::start));
  }

 private:
  mpx::message<Stack> m_;
};

/// Calls `call()`, `call(mpx::start)` or `call(mpx::prepare)`.
template <class Stack, class Call>
void in_form(form how, request_cell* request, Call&& call) {
  switch (how) {
    case form::blocking: call(); return;
    case form::start: port_types<Stack>::put(*request, call(mpx::start)); return;
    case form::prepare: port_types<Stack>::put(*request, call(mpx::prepare)); return;
  }
}
template <class Use>
auto with_input(const side& s, Use&& use) {
  if (s.how == side::blocks::in_place) return use(mpx::in_place);
  return use(spread_const(s.all));
}

}  // namespace mpx_mpi

#include "window_port_of.hpp"

namespace mpx_mpi {

/// The common part of communicators of one group and of two.
template <class Stack, class Comm>
class comm_base : public comm_port {
 public:
  using types = port_types<Stack>;
  explicit comm_base(const Comm& c) : c_(c) {}

  int rank() const override { return c_.rank(); }
  int size() const override { return c_.size(); }

  int send_bytes(const void* data, std::size_t bytes, int to, int tag) override {
    if (c_.try_send(sent(data, bytes), to, tag)) [[likely]]
      return MPI_SUCCESS;
    return this->owner.calls->send(*this->owner.comm, data, bytes, to, tag);
  }
  int isend_bytes(const void* data, std::size_t bytes, int to, int tag,
                  MPI_Request* request) override {
    if (!c_.try_send(sent(data, bytes), to, tag)) [[unlikely]]
      return this->owner.calls->isend(*this->owner.comm, data, bytes, to, tag, request);
    *request = this->owner.complete_send;
    return MPI_SUCCESS;
  }
  int recv_bytes(void* into, std::size_t bytes, int from, int tag, MPI_Status* status) override {
    std::error_code ec;
    const mpx::status s = c_.recv(std::span(static_cast<std::byte*>(into), bytes), from, tag, ec);
    if (ec) [[unlikely]]
      return this->owner.calls->failed_recv(*this->owner.comm, failed_status(s, ec), status);
    set_status(status, s);
    return MPI_SUCCESS;
  }
  int irecv_bytes(void* into, std::size_t bytes, int from, int tag, MPI_Request* request) override {
    request_table& all = *this->owner.requests;
    if (all.has_free()) [[likely]] {
      std::error_code ec;
      request_cell cell;
      types::put(cell, c_.recv(std::span(static_cast<std::byte*>(into), bytes), from, tag,
                               mpx::start(ec)));
      if (!ec) [[likely]] {
        *request =
            handle_of<MPI_Request>(all.put_in_free(cell, this->owner.self, false, true, nullptr));
        return MPI_SUCCESS;
      }
    }
    return this->owner.calls->irecv(*this->owner.comm, into, bytes, from, tag, request);
  }

  void send(send_mode mode, const buffer& b, int to, int tag) override {
    with_mode(mode, [&]<mpx::mode M>() {
      if (b.dense)
        c_.template send<M>(sent(b), to, tag);
      else
        c_.template send<M>(spread_const(b), to, tag);
    });
  }
  void isend(send_mode mode, form how, const buffer& b, int to, int tag,
             request_cell& request) override {
    with_mode(mode, [&]<mpx::mode M>() {
      if (how == form::start && b.dense)
        types::put(request, c_.template send<M>(sent(b), to, tag, mpx::start));
      else if (how == form::start)
        types::put(request, c_.template send<M>(spread_const(b), to, tag, mpx::start));
      else if (b.dense)
        types::put(request, c_.template send<M>(sent(b), to, tag, mpx::prepare));
      else
        types::put(request, c_.template send<M>(spread_const(b), to, tag, mpx::prepare));
    });
  }
  mpx::status recv(const buffer& b, int from, int tag) override {
    std::error_code ec;
    const mpx::status s =
        b.dense ? c_.recv(received(b), from, tag, ec) : c_.recv(spread(b), from, tag, ec);
    return ec ? failed_status(s, ec) : s;
  }
  void irecv(form how, const buffer& b, int from, int tag, request_cell& request) override {
    if (how == form::start)
      types::put(request, b.dense ? c_.recv(received(b), from, tag, mpx::start)
                                  : c_.recv(spread(b), from, tag, mpx::start));
    else
      types::put(request, b.dense ? c_.recv(received(b), from, tag, mpx::prepare)
                                  : c_.recv(spread(b), from, tag, mpx::prepare));
  }
  mpx::status sendrecv(const buffer& out, int to, int send_tag, const buffer& in, int from,
                       int receive_tag) override {
    std::error_code ec;
    mpx::status s;
    if (out.dense && in.dense)
      s = c_.sendrecv(sent(out), to, send_tag, received(in), from, receive_tag, ec);
    else
      s = c_.sendrecv(spread_const(out), to, send_tag, spread(in), from, receive_tag, ec);
    return ec ? failed_status(s, ec) : s;
  }
  void isendrecv(const buffer& out, int to, int send_tag, const buffer& in, int from,
                 int receive_tag, request_cell& request) override {
    request_cell sending;
    irecv(form::start, in, from, receive_tag, request);
    isend(send_mode::standard, form::start, out, to, send_tag, sending);
    types::put(request, mpx::all_of(std::move(types::of(request)), std::move(types::of(sending))));
  }
  void partitioned(bool sends, const buffer& b, std::size_t partitions, int other, int tag,
                   request_cell& request) override {
    if constexpr (two_groups) {
      throw mpx::error(mpx::errc::communicator,
                       "partitioned messages of an intercommunicator are not there");
    } else if (sends) {
      types::put(request, mpx::psend_init(c_, spread_const(b), partitions, other, tag));
    } else {
      types::put(request, mpx::precv_init(c_, spread(b), partitions, other, tag));
    }
  }
  std::optional<mpx::status> probe(bool once, int from, int tag) override {
    if (once) return c_.probe(from, tag, mpx::once);
    return c_.probe(from, tag);
  }
  std::unique_ptr<message_port> mprobe(bool once, int from, int tag) override {
    if (!once) return std::make_unique<message_of<Stack>>(c_.mprobe(from, tag));
    auto found = c_.mprobe(from, tag, mpx::once);
    if (!found) return nullptr;
    return std::make_unique<message_of<Stack>>(*std::move(found));
  }

  void collective(const collective_call& call, form how, request_cell* request) override {
    switch (call.what) {
      case collective::barrier:
        return run(how, request, [&](auto... f) { return c_.barrier(f...); });
      case collective::bcast: return bcast(call, how, request);
      case collective::gather: return gather(call, how, request);
      case collective::scatter: return scatter(call, how, request);
      case collective::allgather: return allgather(call, how, request);
      case collective::alltoall: return alltoall(call, how, request);
      case collective::reduce: return reduce(call, how, request);
      case collective::allreduce: return allreduce(call, how, request);
      case collective::reduce_scatter: return reduce_scatter(call, how, request);
      default: return other(call, how, request);
    }
  }
  void generalized(request_cell& request, request_cell& completer) override {
    auto made = c_.generalized();
    types::put(request, std::move(made.request));
    ::new (static_cast<void*>(completer.bytes))
        typename types::completer(std::move(made.completer));
  }

 protected:
  static constexpr bool two_groups = !std::same_as<Comm, mpx::communicator<Stack>>;
  using call_type = const collective_call&;

  template <class Call>
  static void run(form how, request_cell* request, Call&& call) {
    in_form<Stack>(how, request, call);
  }
  /// Collectives of one group only.
  virtual void other(call_type, form, request_cell*) {}

  template <class Use>
  static void with_mode(send_mode mode, Use&& use) {
    switch (mode) {
      case send_mode::standard: return use.template operator()<mpx::mode::standard>();
      case send_mode::synchronous: return use.template operator()<mpx::mode::synchronous>();
      case send_mode::ready: return use.template operator()<mpx::mode::ready>();
    }
  }
  /// `use` gets the input, or mpx::in_place where a call of one group has it.
  template <class Use>
  static void input(const side& s, Use&& use) {
    if constexpr (two_groups) {
      use(spread_const(s.all));
    } else {
      with_input(s, use);
    }
  }
  template <class Use>
  static void output(const side& s, Use&& use) {
    if constexpr (!two_groups) {
      if (s.how == side::blocks::in_place) return use(mpx::in_place);
    }
    use(spread(s.all));
  }

  void bcast(call_type a, form how, request_cell* r) {
    const buffer& b = a.in.all;
    if (b.dense)
      run(how, r, [&](auto... f) { return c_.bcast(received(b), a.root, f...); });
    else
      run(how, r, [&](auto... f) { return c_.bcast(spread(b), a.root, f...); });
  }
  void gather(call_type a, form how, request_cell* r) {
    input(a.in, [&](const auto& in) {
      run(how, r, [&](auto... f) {
        if (a.out.how == side::blocks::pieces) return c_.gatherw(in, a.out.pieces, a.root, f...);
        if (a.out.how == side::blocks::counted)
          return c_.gatherv(in, spread(a.out.all), a.out.counts, a.out.displacements, a.root, f...);
        return c_.gather(in, spread(a.out.all), a.root, f...);
      });
    });
  }
  void scatter(call_type a, form how, request_cell* r) {
    output(a.out, [&](const auto& out) {
      run(how, r, [&](auto... f) {
        if (a.in.how == side::blocks::pieces) return c_.scatterw(a.in.pieces, out, a.root, f...);
        if (a.in.how == side::blocks::counted)
          return c_.scatterv(spread_const(a.in.all), a.in.counts, a.in.displacements, out, a.root,
                             f...);
        return c_.scatter(spread_const(a.in.all), out, a.root, f...);
      });
    });
  }
  void allgather(call_type a, form how, request_cell* r) {
    input(a.in, [&](const auto& in) {
      run(how, r, [&](auto... f) {
        if (a.out.how == side::blocks::pieces) return c_.allgatherw(in, a.out.pieces, f...);
        if (a.out.how == side::blocks::counted)
          return c_.allgatherv(in, spread(a.out.all), a.out.counts, a.out.displacements, f...);
        return c_.allgather(in, spread(a.out.all), f...);
      });
    });
  }
  void alltoall(call_type a, form how, request_cell* r) {
    const bool pieces = a.out.how == side::blocks::pieces;
    const bool counted = a.out.how == side::blocks::counted;
    if constexpr (!two_groups) {
      if (a.in.how == side::blocks::in_place)
        return run(how, r, [&](auto... f) {
          if (pieces) return c_.alltoallw(mpx::in_place, a.out.pieces, f...);
          if (counted)
            return c_.alltoallv(mpx::in_place, spread(a.out.all), a.out.counts, a.out.displacements,
                                f...);
          return c_.alltoall(mpx::in_place, spread(a.out.all), f...);
        });
    }
    run(how, r, [&](auto... f) {
      if (pieces) return c_.alltoallw(a.in.pieces, a.out.pieces, f...);
      if (counted)
        return c_.alltoallv(spread_const(a.in.all), a.in.counts, a.in.displacements,
                            spread(a.out.all), a.out.counts, a.out.displacements, f...);
      return c_.alltoall(spread_const(a.in.all), spread(a.out.all), f...);
    });
  }
  /// Input of a reduction: that of the output if it is in place.
  static const buffer& reduced(call_type a) noexcept {
    return a.in.how == side::blocks::in_place ? a.out.all : a.in.all;
  }
  void reduce(call_type a, form how, request_cell* r) {
    const buffer& in = reduced(a);
    if (in.dense && a.out.all.dense)
      run(how, r,
          [&](auto... f) { return c_.reduce(sent(in), received(a.out.all), a.op, a.root, f...); });
    else
      run(how, r, [&](auto... f) {
        return c_.reduce(spread_const(in), spread(a.out.all), a.op, a.root, f...);
      });
  }
  void allreduce(call_type a, form how, request_cell* r) {
    const buffer& in = reduced(a);
    if (in.dense && a.out.all.dense)
      run(how, r,
          [&](auto... f) { return c_.allreduce(sent(in), received(a.out.all), a.op, f...); });
    else
      run(how, r,
          [&](auto... f) { return c_.allreduce(spread_const(in), spread(a.out.all), a.op, f...); });
  }
  void reduce_scatter(call_type a, form how, request_cell* r) {
    run(how, r, [&](auto... f) {
      return c_.reduce_scatter(spread_const(a.in.all), spread(a.out.all), a.in.counts, a.op, f...);
    });
  }

  Comm c_;
};

/// A communicator of two groups.
template <class Stack>
class inter_of final : public comm_base<Stack, mpx::intercommunicator<Stack>> {
  using base = comm_base<Stack, mpx::intercommunicator<Stack>>;
  using base::c_;
  using pointer = std::unique_ptr<comm_port>;

 public:
  using base::base;
  int remote_size() const override { return c_.remote_size(); }
  mpx::group group() const override { return c_.group_here(); }
  mpx::group remote_group() const override { return c_.remote_group(); }
  pointer dup() override { return made(c_.dup()); }
  pointer idup(request_cell& request) override {
    auto into = std::make_unique<inter_of>(mpx::intercommunicator<Stack>());
    base::types::put(request, c_.dup(into->c_, mpx::start));
    return into;
  }
  pointer split(int color, int key) override { return made(c_.split(color, key)); }
  pointer split_by_memory(int) override { return nullptr; }
  pointer create(const mpx::group& members) override { return made(c_.create(members)); }
  pointer create_group(const mpx::group&, int) override { return nullptr; }
  pointer connect(int, comm_port*, int, int) override { return nullptr; }
  pointer merge(bool high) override;
  pointer cart(std::span<const mpx::cart_dimension>, bool) override { return nullptr; }
  pointer cart_sub(std::span<const bool>) override { return nullptr; }
  pointer graph(const mpx::graph_topology&, bool) override { return nullptr; }
  pointer dist_graph(std::span<const mpx::graph_edge>, bool, bool) override { return nullptr; }
  pointer dist_graph_adjacent(mpx::graph_neighbors, bool) override { return nullptr; }
  std::unique_ptr<window_port> window(const window_plan&) override { return nullptr; }
  std::unique_ptr<survivors_port> survivors() override { return nullptr; }
  void free() override { c_.free(); }
  const mpx::cart_topology* cart_shape() const override { return nullptr; }
  const mpx::graph_topology* graph_shape() const override { return nullptr; }
  const mpx::graph_neighbors* neighbors() const override { return nullptr; }
  std::size_t sources() const override { return 0; }
  std::size_t destinations() const override { return 0; }

 private:
  static pointer made(const mpx::intercommunicator<Stack>& c) {
    return c ? std::make_unique<inter_of>(c) : nullptr;
  }
};

/// A communicator of one group, with or without a topology.
template <class Stack>
class intra_of final : public comm_base<Stack, mpx::communicator<Stack>> {
  using base = comm_base<Stack, mpx::communicator<Stack>>;
  using base::c_;
  using pointer = std::unique_ptr<comm_port>;
  using comm = mpx::communicator<Stack>;
  using cart_comm = mpx::cart_communicator<Stack>;
  using graph_comm = mpx::graph_communicator<Stack>;
  using dist_comm = mpx::dist_graph_communicator<Stack>;

 public:
  explicit intra_of(const comm& c) : base(c) {}
  explicit intra_of(const cart_comm& c) : base(c), shape_(c) {}
  explicit intra_of(const graph_comm& c) : base(c), shape_(c) {}
  explicit intra_of(const dist_comm& c) : base(c), shape_(c) {}

  int remote_size() const override { return -1; }
  mpx::group group() const override { return c_.group(); }
  mpx::group remote_group() const override { return {}; }
  pointer dup() override {
    if (auto* const s = std::get_if<cart_comm>(&shape_)) return made(s->dup());
    if (auto* const s = std::get_if<graph_comm>(&shape_)) return made(s->dup());
    if (auto* const s = std::get_if<dist_comm>(&shape_)) return made(s->dup());
    return made(c_.dup());
  }
  pointer idup(request_cell& request) override {
    auto into = std::make_unique<intra_of>(comm());
    into->shape_ = shape_;  // The neighbours are those of this communicator.
    base::types::put(request, c_.dup(into->c_, mpx::start));
    return into;
  }
  static pointer shrunk(const comm& c, request_cell& request) {
    auto into = std::make_unique<intra_of>(comm());
    base::types::put(request, c.shrink(into->c_, mpx::start));
    return into;
  }
  pointer split(int color, int key) override { return made(c_.split(color, key)); }
  pointer split_by_memory(int key) override {
    return made(c_.split(mpx::split_by::shared_memory, key));
  }
  pointer create(const mpx::group& members) override { return made(c_.create(members)); }
  pointer create_group(const mpx::group& members, int tag) override {
    return made(c_.create_group(members, tag));
  }
  pointer connect(int leader, comm_port* peer, int remote_leader, int tag) override {
    auto* const over = dynamic_cast<intra_of*>(peer);
    return std::make_unique<inter_of<Stack>>(mpx::intercommunicator<Stack>::connect(
        c_, leader, over == nullptr ? comm() : over->c_, remote_leader, tag));
  }
  pointer merge(bool) override { return nullptr; }
  pointer cart(std::span<const mpx::cart_dimension> dims, bool reorder) override {
    return made(mpx::cart_create(c_, dims, place(reorder)));
  }
  pointer cart_sub(std::span<const bool> keep) override {
    return made(std::get<cart_comm>(shape_).over(c_).sub(keep));
  }
  pointer graph(const mpx::graph_topology& shape, bool reorder) override {
    return made(mpx::graph_create(c_, shape, place(reorder)));
  }
  pointer dist_graph(std::span<const mpx::graph_edge> edges, bool weighted, bool reorder) override {
    return made(mpx::dist_graph_create(c_, edges, weighted, place(reorder)));
  }
  pointer dist_graph_adjacent(mpx::graph_neighbors mine, bool reorder) override {
    return made(mpx::dist_graph_create_adjacent(c_, std::move(mine), place(reorder)));
  }
  std::unique_ptr<window_port> window(const window_plan& plan) override {
    return window_of<Stack>::made(c_, plan);
  }
  std::unique_ptr<survivors_port> survivors() override;
  void free() override { c_.free(); }
  const mpx::cart_topology* cart_shape() const override {
    auto* const s = std::get_if<cart_comm>(&shape_);
    return s == nullptr ? nullptr : &s->topology();
  }
  const mpx::graph_topology* graph_shape() const override {
    auto* const s = std::get_if<graph_comm>(&shape_);
    return s == nullptr ? nullptr : &s->topology();
  }
  const mpx::graph_neighbors* neighbors() const override {
    auto* const s = std::get_if<dist_comm>(&shape_);
    return s == nullptr ? nullptr : &s->neighbors();
  }
  std::size_t sources() const override { return around().sources().size(); }
  std::size_t destinations() const override { return around().destinations().size(); }

 private:
  static mpx::placement place(bool reorder) {
    return reorder ? mpx::placement(mpx::reorder) : mpx::placement(mpx::keep_ranks);
  }
  template <class C>
  static pointer made(const C& c) {
    return c ? std::make_unique<intra_of>(c) : nullptr;
  }
  /// This communicator with the neighbours of its topology.
  mpx::topology_communicator<Stack> around() const {
    if (auto* const s = std::get_if<cart_comm>(&shape_)) return s->over(c_);
    if (auto* const s = std::get_if<graph_comm>(&shape_)) return s->over(c_);
    if (auto* const s = std::get_if<dist_comm>(&shape_)) return s->over(c_);
    return {};
  }
  void other(const collective_call& a, form how, request_cell* r) override {
    const buffer& in = base::reduced(a);
    const auto pieces = [](const side& s) { return s.how == side::blocks::pieces; };
    switch (a.what) {
      case collective::scan:
        return base::run(how, r, [&](auto... f) {
          return c_.scan(spread_const(in), spread(a.out.all), a.op, f...);
        });
      case collective::exscan:
        return base::run(how, r, [&](auto... f) {
          return c_.exscan(spread_const(in), spread(a.out.all), a.op, f...);
        });
      case collective::neighbor_allgather: {
        const auto on = around();
        return base::run(how, r, [&](auto... f) {
          if (a.out.how == side::blocks::counted)
            return on.neighbor_allgatherv(spread_const(a.in.all), spread(a.out.all), a.out.counts,
                                          a.out.displacements, f...);
          return on.neighbor_allgather(spread_const(a.in.all), spread(a.out.all), f...);
        });
      }
      case collective::neighbor_alltoall: {
        const auto on = around();
        return base::run(how, r, [&](auto... f) {
          if (pieces(a.out)) return on.neighbor_alltoallw(a.in.pieces, a.out.pieces, f...);
          return on.neighbor_alltoall(spread_const(a.in.all), spread(a.out.all), f...);
        });
      }
      default: return;
    }
  }

  std::variant<std::monostate, cart_comm, graph_comm, dist_comm> shape_;
};

template <class Stack>
std::unique_ptr<comm_port> inter_of<Stack>::merge(bool high) {
  return std::make_unique<intra_of<Stack>>(c_.merge(high));
}

}  // namespace mpx_mpi

#include "survivors_port_of.hpp"

namespace mpx_mpi {

/// Requests in cells as a range of mpx::request.
template <class Stack>
auto requests_in(std::span<request_cell* const> cells) {
  return std::views::transform(
      cells, [](request_cell* cell) -> auto& { return port_types<Stack>::of(*cell); });
}

/// The job of an environment.
template <class Stack>
class job_of final : public job_port {
  using types = port_types<Stack>;

 public:
  std::string_view host() const override { return env_.host(); }
  std::unique_ptr<comm_port> world() override {
    return std::make_unique<intra_of<Stack>>(env_.world());
  }
  void abort(int code, std::string_view why) override { env_.abort(code, why); }
  void progress() override { env_.world().progress(); }
  std::uint64_t number(tool_number which) override { return tool_number_of(env_, which); }
  void limit_eager(std::uint64_t bytes) override { env_.limit_eager(bytes); }

  bool active(const request_cell& r) const override { return static_cast<bool>(types::of(r)); }
  mpx::status wait(request_cell& r) override {
    std::error_code ec;
    const mpx::status s = types::of(r).wait(ec);
    return s;
  }
  std::optional<mpx::status> test(request_cell& r) override {
    std::error_code ec;
    return types::of(r).test(ec);
  }
  std::optional<mpx::status> peek(request_cell& r) override { return types::of(r).peek(); }
  void start(request_cell& r) override { types::of(r).start(); }
  bool cancel(request_cell& r) override { return types::of(r).cancel(); }
  void join(std::span<request_cell* const> all, request_cell& into) override {
    types::put(into, mpx::all_of(requests_in<Stack>(all)));
  }
  void detach(request_cell& r) override { types::of(r).detach(); }
  void drop(request_cell& r) override { types::of(r) = {}; }
  std::size_t wait_in_order(request_table& table, std::span<MPI_Request> all,
                            MPI_Status* statuses) override {
    bool all_known = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      MPI_Status* const into = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + i;
      if (all[i] == MPI_REQUEST_NULL || all[i] == table.complete_send) {
        end_complete_send(all[i], into);
        continue;
      }
      request_t* const r = table.find(value_of(all[i]));
      if (r == nullptr || !r->plain()) [[unlikely]]
        return i;
      auto s = types::of(r->cell).take_success();
      if (!s) [[unlikely]] {
        if (!all_known && !knows(table, all.subspan(i))) return i;
        all_known = true;
        s = take_first(table, all.subspan(i));
        if (!s) return i;  // It has failed, or another one has lost its peer.
      }
      end_plain(table, all[i], *r, *s, into);
    }
    return all.size();
  }
  void wait_all(std::span<request_cell* const> all, std::span<mpx::status> into) override {
    mpx::wait_all(requests_in<Stack>(all), into);
  }
  bool test_all(std::span<request_cell* const> all, std::span<mpx::status> into) override {
    return mpx::test_all(requests_in<Stack>(all), into);
  }
  std::optional<done_request> any(std::span<request_cell* const> all, bool once) override {
    done_request one{};
    if (some(all, {&one, 1}, once) == 0) return std::nullopt;
    return one;
  }
  std::size_t some(std::span<request_cell* const> all, std::span<done_request> into,
                   bool once) override {
    std::vector<mpx::completion> found(into.size(), mpx::completion{0, {}});
    const auto done = once ? mpx::test_some(requests_in<Stack>(all), std::span(found))
                           : mpx::wait_some(requests_in<Stack>(all), std::span(found));
    for (std::size_t i = 0; i < done.size(); ++i) into[i] = {done[i].index, done[i].status};
    return done.size();
  }
  void complete_generalized(request_cell& completer) override {
    using made = typename types::completer;
    auto& c = *std::launder(reinterpret_cast<made*>(completer.bytes));
    c.complete();
    c.~made();
    completer = {};
  }
  void ready(const request_cell& r, std::span<const std::size_t> partitions) override {
    mpx::pready_list(types::of(r), partitions);
  }
  void ready_range(const request_cell& r, std::size_t first, std::size_t last) override {
    mpx::pready_range(types::of(r), first, last);
  }
  bool arrived(const request_cell& r, std::size_t partition) override {
    return mpx::parrived(types::of(r), partition);
  }

 private:
  /// True if all handles of an array name requests or nothing: a wait must not hide a wrong one.
  static bool knows(request_table& table, std::span<const MPI_Request> all) {
    for (const MPI_Request handle : all)
      if (handle != MPI_REQUEST_NULL && table.find(value_of(handle)) == nullptr) return false;
    return true;
  }
  /// Waits for the first request of an array, and takes its status if it has succeeded.
  [[gnu::noinline]] static std::optional<mpx::status> take_first(request_table& table,
                                                                 std::span<const MPI_Request> all) {
    mpx::request<Stack> none;  // For null handles, and others that name no request.
    const auto requests = std::views::transform(all, [&](MPI_Request handle) -> auto& {
      request_t* const r = table.find(value_of(handle));
      return r == nullptr ? none : types::of(r->cell);
    });
    if (!mpx::wait_first(requests)) return std::nullopt;
    return requests.front().take_success();
  }

  mpx::environment<Stack> env_;
};

template <class Stack>
std::unique_ptr<job_port> join_job() {
  return std::make_unique<job_of<Stack>>();
}

}  // namespace mpx_mpi
