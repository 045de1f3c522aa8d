// SPDX-License-Identifier: BSL-1.0
#pragma once
// Neighbour collectives: each rank exchanges a block with each neighbour of its topology, in one
// round, for all kinds of topology.

#include <cstddef>
#include <source_location>
#include <span>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "mpx/coll/algorithms/blocks.hpp"
#include "mpx/coll/algorithms/steps.hpp"
#include "mpx/coll/arguments.hpp"
#include "mpx/coll/call.hpp"
#include "mpx/comm/mpi_names.hpp"
#include "mpx/comm/topology/neighborhood.hpp"
#include "mpx/data/buffer.hpp"
#include "mpx/data/memory_of.hpp"

namespace mpx::inline v0::coll {

/// The blocks that go to, or come from, the neighbours of a rank.
struct neighbor_blocks {
  enum class kind : std::uint8_t {
    one,    ///< One block for all neighbours.
    equal,  ///< Blocks of equal length, one after the other.
    list,   ///< Each block with a count and a displacement.
    any,    ///< Each block is a separate piece of memory.
  };

  neighbor_blocks::kind how = kind::one;
  memory all;                        // Of all kinds but `any`; see slice.
  std::size_t degree = 0;            // Number of neighbours.
  std::size_t element = 1;           // Bytes of the unit of counts and displacements.
  numbers counts{.many = 0};         // For `list`.
  numbers displacements{.many = 0};  // For `list`; none: one after the other.
  std::span<const memory> blocks;    // For `any`.

  /// Returns the error of the arguments, if there is one.
  collective_failure wrong() const noexcept {
    if (how == kind::equal) {
      const std::size_t elements = units_in(all.bytes, element);
      if (degree == 0 ? elements == 0 : elements % degree == 0) return {};
      return uneven(elements, degree, "neighbours");
    }
    const char* const text = wrong_text();
    return text == nullptr ? collective_failure{} : wrong_argument(errc::argument, text);
  }
  /// Returns the error of all kinds but `equal` as a text, or nullptr.
  const char* wrong_text() const noexcept {
    const std::size_t elements = units_in(all.bytes, element);
    switch (how) {
      case kind::one: return nullptr;
      case kind::equal: return nullptr;
      case kind::any:
        return blocks.size() == degree ? nullptr : "give one block for each neighbour";
      case kind::list: break;
    }
    if (counts.many != degree) return "give one count for each neighbour";
    if (displacements.many != 0 && displacements.many != degree)
      return "give one displacement for each neighbour, or none";
    std::size_t next = 0;
    for (std::size_t i = 0; i < degree; ++i) {
      const std::size_t n = number(counts, i);
      if (n == 0 || element == 0) continue;  // The displacement does not matter.
      // A negative number converts to more than any buffer holds.
      const std::size_t at = displacements.many == 0 ? next : number(displacements, i);
      if (at > elements || n > elements - at)
        return "a count and a displacement lead beyond the end of a buffer, or one is negative";
      next = at + n;
    }
    return nullptr;
  }
  /// Contiguous blocks of one length; `apart` bytes from one to the next.
  struct even_blocks {
    std::byte* base = nullptr;
    std::size_t bytes = 0;
    std::size_t apart = 0;
  };
  /// Returns true, and sets `b`, if the blocks are even and have no error.
  [[MPX_ALWAYS_INLINE]] bool even(even_blocks& b) const noexcept {
    if (!all.contiguous() || how == kind::any || how == kind::list) return false;
    b = {all.base, all.bytes, 0};
    if (how == kind::one) return true;
    if (degree == 0) return all.bytes == 0;
    b.bytes = b.apart = all.bytes / degree;
    return b.bytes * degree == all.bytes && (element == 1 || b.bytes % element == 0);
  }
  /// Calls `take(i, block)` for each neighbour. Requires: wrong() returns no error.
  template <class Take>
  void each(Take&& take) const {
    const std::size_t part = how == kind::equal && degree != 0 ? all.bytes / degree : 0;
    std::size_t next = 0;
    for (std::size_t i = 0; i < degree; ++i) take(i, at(i, part, next));
  }

 private:
  static std::size_t number(const numbers& of, std::size_t i) noexcept {
    return static_cast<std::size_t>(of[static_cast<rank_t>(i)]);
  }
  /// The block of neighbour `i`. `part`: length of equal blocks. `next`: end of the previous block
  /// of a list.
  memory at(std::size_t i, std::size_t part, std::size_t& next) const noexcept {
    switch (how) {
      case kind::one: return all;
      case kind::equal: return slice(all, i * part, part);
      case kind::any: return blocks[i];
      case kind::list: break;
    }
    const std::size_t n = number(counts, i);
    if (n == 0) return slice(all, 0, 0);
    const std::size_t first = displacements.many == 0 ? next : number(displacements, i);
    next = first + n;
    return slice(all, first * element, n * element);
  }
};

/// Calls `receive(block, from)` for each block to receive, in the order in which messages must
/// match.
template <class Receive>
void each_received(const mpx::detail::neighborhood& around, const neighbor_blocks& in,
                   Receive&& receive) {
  memory first;  // In a pair the second is received first.
  in.each([&](std::size_t i, const memory& block) {
    if (!around.crossed) {
      if (around.sources[i] != proc_null) receive(block, around.sources[i]);
    } else if (i % 2 == 0) {
      first = block;
    } else {
      if (around.sources[i] != proc_null) receive(block, around.sources[i]);
      if (around.sources[i - 1] != proc_null) receive(first, around.sources[i - 1]);
    }
  });
}
/// Calls `send(block, to)` for each block to send, in order.
template <class Send>
void each_sent(const mpx::detail::neighborhood& around, const neighbor_blocks& out, Send&& send) {
  out.each([&](std::size_t i, const memory& block) {
    if (around.destinations[i] != proc_null) send(block, around.destinations[i]);
  });
}

/// Exchanges all blocks in one round. Several messages between two ranks match in order
/// (detail::neighborhood). Cost: one message for each edge.
template <Steps S>
void neighbor_exchange(S& s, const mpx::detail::neighborhood& around, const neighbor_blocks& out,
                       const neighbor_blocks& in) {
  each_received(around, in,
                [&](const memory& block, rank_t from) { s.start_receive(block, from); });
  each_sent(around, out, [&](const memory& block, rank_t to) { s.start_send(block, to); });
  s.finish();
}

enum class neighbor_operation : std::uint8_t {
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
};

/// See neighbor_collectives.
template <neighbor_operation Operation>
struct neighbor_call {
  static constexpr const char* name_of(neighbor_operation o) noexcept {
    switch (o) {
      case neighbor_operation::allgather: return "neighbor_allgather";
      case neighbor_operation::allgatherv: return "neighbor_allgatherv";
      case neighbor_operation::alltoall: return "neighbor_alltoall";
      case neighbor_operation::alltoallv: return "neighbor_alltoallv";
      case neighbor_operation::alltoallw: return "neighbor_alltoallw";
    }
    return "";
  }
  static constexpr const char* name = name_of(Operation);

  const mpx::detail::neighborhood* around;
  neighbor_blocks out;
  neighbor_blocks in;

  /// Calls send(block, to) and receive(block, from) for each edge. The two ends of an edge must
  /// agree on its block.
  template <class Send, class Receive>
  void each_edge(Send&& send, Receive&& receive) const {
    each_sent(*around, out, send);
    each_received(*around, in, receive);
  }
  /// There is one algorithm, so the policy's answer is not used.
  question ask(rank_t, rank_t size) const noexcept { return {coll::operation::alltoall, 0, size}; }
  mpx::detail::collective_failure check(rank_t, rank_t) const noexcept {
    const mpx::detail::collective_failure f = out.wrong();
    return f.why != errc{} ? f : in.wrong();
  }
  template <Steps S>
  void operator()(S& s, const choice&) const {
    neighbor_exchange(s, *around, out, in);
  }
};

}  // namespace mpx::inline v0::coll

namespace mpx::inline v0::detail {

/// Input and output buffer of a neighbour collective.
template <class In, class Out>
concept NeighborBuffers = SendBuffer<std::remove_cvref_t<In>> && ReceiveBuffer<Out>;

/// Counts or displacements, one for each neighbour: a contiguous range of integers of 32 or 64
/// bits. {} stands for none.
class neighbor_numbers {
 public:
  neighbor_numbers() = default;
  /// The numbers of `of`, which must outlive the call.
  template <Counts C>
  neighbor_numbers(const C& of) noexcept : numbers_(numbers_of(of)) {}  // NOLINT(*-explicit-*)

  /// For the implementation: the range of any integer type.
  [[nodiscard]] const coll::numbers& all() const noexcept { return numbers_; }

 private:
  coll::numbers numbers_{.many = 0};
};

/// Neighbour collectives of a communicator with a topology, which derives from this.
///
/// All ranks of the communicator call them, also those without neighbours. Blocks are in the order
/// of sources() and destinations(). Blocks of proc_null are neither sent nor written. If a rank is
/// listed several times, messages match in the order of the lists. In a grid, data sent to the
/// lower neighbour arrives there from the upper one, even if both are the same rank.
/// Errors:     errc::argument if counts do not fit, and errc::datatype if a layout cannot be used,
///             at this rank; the other ranks get errc::peer_lost. errc::count or errc::truncate if
///             the two ends of an edge have different lengths. errc::peer_lost.
template <class Comm, class Stack>
class neighbor_collectives {
  using site = std::source_location;
  using counts = const neighbor_numbers&;
  using blocks = coll::neighbor_blocks;
  using kind = blocks::kind;
  using operation = coll::neighbor_operation;
  template <class In>
  using data_of = typename call_mark<Stack>::template data<In, In>;
  [[MPX_ALWAYS_INLINE]] const Comm& me() const noexcept { return static_cast<const Comm&>(*this); }

 public:
  /// Sends `mine` to every destination. `all` receives the blocks of all sources, one after the
  /// other.
  /// Source:     MPI 4.1, 8.6.1.
  template <class In, class Out, class How = throws_t>
  requires NeighborBuffers<In, Out&&> && BufferFits<In&&, How> && BufferFits<Out&&, How>
  auto neighbor_allgather(In&& mine, Out&& all, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return ended<operation::allgather, How, data_of<In>>(how, where, same(mine), equal(all),
                                                         reads(mine), writes(all));
  }
  /// Sends one value to every destination.
  /// Returns:    The values of all sources; T{} for proc_null.
  template <Transferable T, class How = throws_t>
  requires BlockingForm<How>
  std::vector<T> neighbor_allgather(const T& mine, How&& how = {},
                                    site where = site::current()) const {
    std::vector<T> all;
    if (make_room<How, T, Stack>(all, me().sources().size(), me(), how,
                                 {"neighbor_allgather", where}))
      neighbor_allgather(mine, all, std::forward<How>(how), where);
    return all;
  }
  /// Sends `mine` to every destination, and receives blocks of different lengths: lengths[i]
  /// elements from source i at displacements[i] of `all`; without displacements one after the
  /// other.
  template <class In, class Out, class How = throws_t>
  requires NeighborBuffers<In, Out&&> && BufferFits<In&&, How> && BufferFits<Out&&, How>
  auto neighbor_allgatherv(In&& mine, Out&& all, counts lengths, counts displacements = {},
                           How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return ended<operation::allgatherv, How, data_of<In>>(
        how, where, same(mine), list(all, lengths, displacements), reads(mine), writes(all));
  }
  /// Splits `out` into equal parts, one for each destination, and sends part i to destination i.
  /// Part i of `in` receives the data of source i.
  /// Source:     MPI 4.1, 8.6.2.
  template <class In, class Out, class How = throws_t>
  requires NeighborBuffers<In, Out&&> && BufferFits<In&&, How> && BufferFits<Out&&, How>
  auto neighbor_alltoall(In&& out, Out&& in, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return ended<operation::alltoall, How, data_of<In>>(how, where, equal(out), equal(in),
                                                        reads(out), writes(in));
  }
  /// As above.
  /// Requires:   All parts have the length of those of `out`; a rank with sources has destinations.
  /// Returns:    The parts of all sources; zero for proc_null.
  template <class In, class How = throws_t>
  requires ContiguousBuffer<const In&> && BlockingForm<How>
  std::vector<element_of_t<const In>> neighbor_alltoall(const In& out, How&& how = {},
                                                        site where = site::current()) const {
    std::vector<element_of_t<const In>> in;
    const std::size_t to = me().destinations().size();
    const std::size_t length = to == 0 ? 0 : elements_of(out) / to;
    if (make_room<How, element_of_t<const In>, Stack>(
            in, product_of(length, static_cast<rank_t>(me().sources().size())), me(), how,
            {"neighbor_alltoall", where}))
      neighbor_alltoall(out, in, std::forward<How>(how), where);
    return in;
  }
  /// As above, with parts of any length, each at its own displacement. An empty list of
  /// displacements puts them one after the other. Counts and displacements are in elements.
  template <class In, class Out, class How = throws_t>
  requires NeighborBuffers<In, Out&&> && BufferFits<In&&, How> && BufferFits<Out&&, How>
  auto neighbor_alltoallv(In&& out, counts out_counts, counts out_displacements, Out&& in,
                          counts in_counts, counts in_displacements, How&& how = {},
                          site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<operation::alltoallv, How, data_of<In>>(
        how, where, list(out, out_counts, out_displacements), list(in, in_counts, in_displacements),
        reads(out), writes(in));
  }
  /// Sends out[i] to destination i, and receives from source i into in[i]. Each block is memory
  /// with or without a layout. The lists are read during the call only; the memory and layouts that
  /// they refer to must outlive the operation.
  template <class How = throws_t>
  auto neighbor_alltoallw(std::span<const memory> out, std::span<const memory> in, How&& how = {},
                          site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<operation::alltoallw, How>(how, where, any(out), any(in));
  }
  /// As above, for lists of buffers, such as columns and rows of a matrix.
  template <class Out, class In, class How = throws_t>
  requires BufferList<Out&&> && ReceivedBufferList<In&&>
  auto neighbor_alltoallw(Out&& out, In&& in, How&& how = {}, site where = site::current()) const {
    const listed_memory<Out&&> from(out, false);
    const listed_memory<In&&> to(in, true);
    return ended<operation::alltoallw, How>(how, where, any(from.all()), any(to.all()),
                                            uses_all(from), uses_all(to));
  }

  // MPI's names. Each stands for one of the calls above; an error_code is the last argument.

  /// neighbor_allgather with mpx::start. Source: MPI_Ineighbor_allgather.
  template <class In, class Out, class How = start_t>
  requires OwnForm<How, start_t>
  auto ineighbor_allgather(In&& a, Out&& b, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return neighbor_allgather(std::forward<In>(a), std::forward<Out>(b), as_form<start_t>(how),
                              where);
  }
  /// neighbor_allgather with mpx::prepare. Source: MPI_Neighbor_allgather_init.
  template <class In, class Out, class How = prepare_t>
  requires OwnForm<How, prepare_t>
  auto neighbor_allgather_init(In&& a, Out&& b, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return neighbor_allgather(std::forward<In>(a), std::forward<Out>(b), as_form<prepare_t>(how),
                              where);
  }
  /// neighbor_allgatherv with mpx::start. Source: MPI_Ineighbor_allgatherv.
  template <class In, class Out, class How = start_t>
  requires OwnForm<How, start_t>
  auto ineighbor_allgatherv(In&& a, Out&& b, counts n, counts at = {}, How&& how = {},
                            site where = site::current()) const noexcept(stores_errors<How>) {
    return neighbor_allgatherv(std::forward<In>(a), std::forward<Out>(b), n, at,
                               as_form<start_t>(how), where);
  }
  /// neighbor_allgatherv with mpx::prepare. Source: MPI_Neighbor_allgatherv_init.
  template <class In, class Out, class How = prepare_t>
  requires OwnForm<How, prepare_t>
  auto neighbor_allgatherv_init(In&& a, Out&& b, counts n, counts at = {}, How&& how = {},
                                site where = site::current()) const noexcept(stores_errors<How>) {
    return neighbor_allgatherv(std::forward<In>(a), std::forward<Out>(b), n, at,
                               as_form<prepare_t>(how), where);
  }
  /// neighbor_alltoall with mpx::start. Source: MPI_Ineighbor_alltoall.
  template <class In, class Out, class How = start_t>
  requires OwnForm<How, start_t>
  auto ineighbor_alltoall(In&& a, Out&& b, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return neighbor_alltoall(std::forward<In>(a), std::forward<Out>(b), as_form<start_t>(how),
                             where);
  }
  /// neighbor_alltoall with mpx::prepare. Source: MPI_Neighbor_alltoall_init.
  template <class In, class Out, class How = prepare_t>
  requires OwnForm<How, prepare_t>
  auto neighbor_alltoall_init(In&& a, Out&& b, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return neighbor_alltoall(std::forward<In>(a), std::forward<Out>(b), as_form<prepare_t>(how),
                             where);
  }
  /// neighbor_alltoallv with mpx::start. Source: MPI_Ineighbor_alltoallv.
  template <class In, class Out, class How = start_t>
  requires OwnForm<How, start_t>
  auto ineighbor_alltoallv(In&& a, counts n, counts at, Out&& b, counts m, counts to,
                           How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return neighbor_alltoallv(std::forward<In>(a), n, at, std::forward<Out>(b), m, to,
                              as_form<start_t>(how), where);
  }
  /// neighbor_alltoallv with mpx::prepare. Source: MPI_Neighbor_alltoallv_init.
  template <class In, class Out, class How = prepare_t>
  requires OwnForm<How, prepare_t>
  auto neighbor_alltoallv_init(In&& a, counts n, counts at, Out&& b, counts m, counts to,
                               How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return neighbor_alltoallv(std::forward<In>(a), n, at, std::forward<Out>(b), m, to,
                              as_form<prepare_t>(how), where);
  }
  /// neighbor_alltoallw with mpx::start. Source: MPI_Ineighbor_alltoallw.
  template <class How = start_t>
  requires OwnForm<How, start_t>
  auto ineighbor_alltoallw(std::span<const memory> out, std::span<const memory> in, How&& how = {},
                           site where = site::current()) const noexcept(stores_errors<How>) {
    return neighbor_alltoallw(out, in, as_form<start_t>(how), where);
  }
  /// As above, for lists of buffers.
  template <class Out, class In, class How = start_t>
  requires OwnForm<How, start_t> && BufferList<Out&&> && ReceivedBufferList<In&&>
  auto ineighbor_alltoallw(Out&& out, In&& in, How&& how = {}, site where = site::current()) const {
    return neighbor_alltoallw(out, in, as_form<start_t>(how), where);
  }
  /// neighbor_alltoallw with mpx::prepare. Source: MPI_Neighbor_alltoallw_init.
  template <class How = prepare_t>
  requires OwnForm<How, prepare_t>
  auto neighbor_alltoallw_init(std::span<const memory> out, std::span<const memory> in,
                               How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return neighbor_alltoallw(out, in, as_form<prepare_t>(how), where);
  }
  /// As above, for lists of buffers.
  template <class Out, class In, class How = prepare_t>
  requires OwnForm<How, prepare_t> && BufferList<Out&&> && ReceivedBufferList<In&&>
  auto neighbor_alltoallw_init(Out&& out, In&& in, How&& how = {},
                               site where = site::current()) const {
    return neighbor_alltoallw(out, in, as_form<prepare_t>(how), where);
  }

 private:
  /// The memory of an input is never written.
  template <class B>
  static blocks same(const B& buffer) noexcept {
    blocks b;
    b.all = place_of(buffer);
    return b;
  }
  template <class B>
  static blocks equal(const B& buffer) noexcept {
    blocks b;
    b.how = kind::equal;
    b.all = place_of(buffer);
    if constexpr (!LayoutBuffer<B>) b.element = unit_of(buffer);
    return b;
  }
  template <class B>
  static blocks list(const B& of, counts n, counts at) noexcept {
    blocks b = equal(of);
    b.element = unit_of(of);
    b.how = kind::list;
    b.counts = n.all();
    b.displacements = at.all();
    return b;
  }
  static blocks any(std::span<const memory> each) noexcept {
    blocks b;
    b.how = kind::any;
    b.blocks = each;
    return b;
  }
  template <operation Operation, class How, class Data = void, class... Uses>
  auto ended(std::remove_reference_t<How>& how, site where, blocks out, blocks in,
             const Uses&... uses) const noexcept(stores_errors<How>) {
    const neighborhood& around = me().around();
    out.degree = around.destinations.size();
    in.degree = around.sources.size();
    using call = coll::neighbor_call<Operation>;
    return finish_as(std::forward<How>(how),
                     made_call<Stack, call, no_reduction>(
                         me(), call{&around, out, in}, coll::algorithm::automatic, no_reduction(),
                         call_mark<Stack>::template of<no_reduction, Data>(where), uses...),
                     where);
  }
};

}  // namespace mpx::inline v0::detail
