// SPDX-License-Identifier: BSL-1.0
#pragma once
// Collectives among neighbours: each rank exchanges a block with each neighbour of its topology, in
// one round, whatever the kind of topology.

#include <cstddef>
#include <source_location>
#include <span>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "mpx/coll/arguments.hpp"
#include "mpx/coll/blocks.hpp"
#include "mpx/coll/call.hpp"
#include "mpx/coll/steps.hpp"
#include "mpx/comm/mpi_names.hpp"
#include "mpx/comm/topology/neighborhood.hpp"
#include "mpx/datatype/buffer.hpp"
#include "mpx/datatype/memory_of.hpp"

namespace mpx::inline v0::coll {

/// Which bytes go to, or come from, each neighbour.
struct neighbor_blocks {
  enum class kind : std::uint8_t {
    one,    ///< The same for all.
    equal,  ///< One after the other.
    list,   ///< Each with a count and a place.
    any,    ///< Each by itself.
  };

  neighbor_blocks::kind how = kind::one;
  memory all;                        // Of all kinds but the last; see slice.
  std::size_t degree = 0;            // How many neighbours there are.
  std::size_t element = 1;           // In bytes: of counts and places.
  numbers counts{.many = 0};         // Of a list.
  numbers displacements{.many = 0};  // The same; none: one after the other.
  std::span<const memory> blocks;    // Of the last kind.

  /// What is wrong, if anything is.
  collective_failure wrong() const noexcept {
    if (how == kind::equal) {
      const std::size_t elements = units_in(all.bytes, element);
      if (degree == 0 ? elements == 0 : elements % degree == 0) return {};
      return uneven(elements, degree, "neighbours");
    }
    const char* const text = wrong_text();
    return text == nullptr ? collective_failure{} : wrong_argument(errc::argument, text);
  }
  /// The same, in words.
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
      if (n == 0 || element == 0) continue;  // It lies nowhere.
      // A negative number is more than memory has.
      const std::size_t at = displacements.many == 0 ? next : number(displacements, i);
      if (at > elements || n > elements - at)
        return "a count and a displacement lead beyond the end of a buffer, or one is negative";
      next = at + n;
    }
    return nullptr;
  }
  /// Where blocks of one length are, in one piece; `apart`: from one to the next.
  struct even_blocks {
    std::byte* base = nullptr;
    std::size_t bytes = 0;
    std::size_t apart = 0;
  };
  /// Whether they are that, and nothing is wrong.
  [[MPX_ALWAYS_INLINE]] bool even(even_blocks& b) const noexcept {
    if (!all.contiguous() || how == kind::any || how == kind::list) return false;
    b = {all.base, all.bytes, 0};
    if (how == kind::one) return true;
    if (degree == 0) return all.bytes == 0;
    b.bytes = b.apart = all.bytes / degree;
    return b.bytes * degree == all.bytes && (element == 1 || b.bytes % element == 0);
  }
  /// Calls `take(i, block)` for each neighbour. Requires: nothing is wrong().
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
  /// The block of neighbour `i`: of equal ones each has `part` bytes; in a list `next` is where the
  /// one before ends.
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

/// Calls `receive(block, from)` for each block that comes, in the order in which they do.
template <class Receive>
void each_received(const mpx::detail::neighborhood& around, const neighbor_blocks& in,
                   Receive&& receive) {
  memory first;  // In pairs the second is received first.
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
/// Calls `send(block, to)` for each block that goes, in order.
template <class Send>
void each_sent(const mpx::detail::neighborhood& around, const neighbor_blocks& out, Send&& send) {
  out.each([&](std::size_t i, const memory& block) {
    if (around.destinations[i] != proc_null) send(block, around.destinations[i]);
  });
}

/// All blocks at once: one round. Where messages between two ranks are several, they meet in order
/// (detail::neighborhood). Cost: a message an edge.
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

  /// Calls send(block, to) and receive(block, from) for what each edge carries: what its two ends
  /// have to agree on.
  template <class Send, class Receive>
  void each_edge(Send&& send, Receive&& receive) const {
    each_sent(*around, out, send);
    each_received(*around, in, receive);
  }
  /// There is one way: the answer is not used.
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

/// What a neighbour collective reads, and what it writes.
template <class In, class Out>
concept NeighborBuffers = SendBuffer<std::remove_cvref_t<In>> && ReceiveBuffer<Out>;

/// How many elements belong to each neighbour, or where its first one is: a contiguous range of
/// integers of 32 or 64 bits. {}: none are given.
class neighbor_numbers {
 public:
  neighbor_numbers() = default;
  template <Counts C>
  neighbor_numbers(const C& of) noexcept : numbers_(numbers_of(of)) {}  // NOLINT(*-explicit-*)

  const coll::numbers& all() const noexcept { return numbers_; }

 private:
  coll::numbers numbers_{.many = 0};
};

/// The collectives among neighbours of a communicator with a topology, which derives from this.
///
/// Collective: all ranks call, also those without neighbours. Blocks are in the order of sources()
/// and destinations(); those of proc_null are neither sent nor written. Where a rank is several
/// times another's neighbour, messages meet in the order of the lists; in a grid what goes to the
/// neighbour below comes from the one above, also where both are one rank.
/// Errors: errc::argument: counts do not fit, here; errc::datatype: a layout cannot be used; the
/// other ranks get errc::peer_lost. errc::count or errc::truncate where the two ends of an edge
/// have different lengths; errc::peer_lost.
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
  /// Sends `mine` to every destination; `all` gets what each source has sent, one after the other.
  /// Source: MPI 4.1, 8.6.1.
  template <class In, class Out, class How = throws_t>
  requires NeighborBuffers<In, Out&&> && BufferFits<In&&, How> && BufferFits<Out&&, How>
  auto neighbor_allgather(In&& mine, Out&& all, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return ended<operation::allgather, How, data_of<In>>(how, where, same(mine), equal(all),
                                                         reads(mine), writes(all));
  }
  /// The same of one value: returns what each source has sent; T{} for proc_null.
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
  /// The same where sources send different lengths: counts[i] elements from source i, which belong
  /// at displacements[i] of `all`; without displacements one after the other.
  template <class In, class Out, class How = throws_t>
  requires NeighborBuffers<In, Out&&> && BufferFits<In&&, How> && BufferFits<Out&&, How>
  auto neighbor_allgatherv(In&& mine, Out&& all, counts lengths, counts displacements = {},
                           How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return ended<operation::allgatherv, How, data_of<In>>(
        how, where, same(mine), list(all, lengths, displacements), reads(mine), writes(all));
  }
  /// Sends the i-th of as many equal parts of `out` as there are destinations to the i-th of them;
  /// the i-th part of `in` gets what the i-th source has sent. Source: MPI 4.1, 8.6.2.
  template <class In, class Out, class How = throws_t>
  requires NeighborBuffers<In, Out&&> && BufferFits<In&&, How> && BufferFits<Out&&, How>
  auto neighbor_alltoall(In&& out, Out&& in, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return ended<operation::alltoall, How, data_of<In>>(how, where, equal(out), equal(in),
                                                        reads(out), writes(in));
  }
  /// The same. Returns: the parts of all sources; zero for proc_null. Requires: they are as long as
  /// those of `out`; who has sources has destinations.
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
  /// The same with parts of any lengths, each at a displacement of its own; an empty list of
  /// displacements puts them one after the other. In elements.
  template <class In, class Out, class How = throws_t>
  requires NeighborBuffers<In, Out&&> && BufferFits<In&&, How> && BufferFits<Out&&, How>
  auto neighbor_alltoallv(In&& out, counts out_counts, counts out_displacements, Out&& in,
                          counts in_counts, counts in_displacements, How&& how = {},
                          site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<operation::alltoallv, How, data_of<In>>(
        how, where, list(out, out_counts, out_displacements), list(in, in_counts, in_displacements),
        reads(out), writes(in));
  }
  /// The same with a block of memory for each neighbour, with a layout or none: out[i] is sent to
  /// the i-th destination, in[i] gets what the i-th source has sent. The lists are read by the call
  /// itself; what they lead to, layouts included, has to outlive the operation.
  template <class How = throws_t>
  auto neighbor_alltoallw(std::span<const memory> out, std::span<const memory> in, How&& how = {},
                          site where = site::current()) const noexcept(stores_errors<How>) {
    return ended<operation::alltoallw, How>(how, where, any(out), any(in));
  }
  /// The same with a list of buffers, such as columns and rows of a matrix, for each side.
  template <class Out, class In, class How = throws_t>
  requires BufferList<Out&&> && ReceivedBufferList<In&&>
  auto neighbor_alltoallw(Out&& out, In&& in, How&& how = {}, site where = site::current()) const {
    const listed_memory<Out&&> from(out, false);
    const listed_memory<In&&> to(in, true);
    return ended<operation::alltoallw, How>(how, where, any(from.all()), any(to.all()),
                                            uses_all(from), uses_all(to));
  }

  // MPI's names, each for one of those above; an error_code last.

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
  /// The same with a list of buffers for each side.
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
  /// The same with a list of buffers for each side.
  template <class Out, class In, class How = prepare_t>
  requires OwnForm<How, prepare_t> && BufferList<Out&&> && ReceivedBufferList<In&&>
  auto neighbor_alltoallw_init(Out&& out, In&& in, How&& how = {},
                               site where = site::current()) const {
    return neighbor_alltoallw(out, in, as_form<prepare_t>(how), where);
  }

 private:
  /// Blocks that are only read are never written.
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
