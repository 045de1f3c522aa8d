// SPDX-License-Identifier: BSL-1.0
#pragma once
// Communicators with a topology: grids and graphs.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "mpx/coll/neighbor/neighbor.hpp"
#include "mpx/coll/neighbor/node_neighbor.hpp"
#include "mpx/comm/topology/cart.hpp"
#include "mpx/comm/topology/graph.hpp"
#include "mpx/comm/topology/neighborhood.hpp"
#include "mpx/communicator.hpp"
#include "mpx/topology/maker.hpp"

namespace mpx::inline v0 {

/// A communicator whose ranks have neighbours. A light handle, as every communicator; empty at
/// ranks that are not part of the topology.
template <class Stack = stack<>>
class topology_communicator
    : public communicator<Stack>,
      public detail::neighbor_collectives<topology_communicator<Stack>, Stack> {
 public:
  /// Empty: no ranks, no neighbours.
  topology_communicator() = default;
  /// For the library.
  topology_communicator(const communicator<Stack>& comm,
                        std::shared_ptr<const detail::neighborhood> around) noexcept
      : communicator<Stack>(comm), around_(std::move(around)) {}

  /// Ranks that this rank receives from in neighbour collectives, in order; proc_null where a grid
  /// ends.
  [[nodiscard]] std::span<const rank_t> sources() const noexcept { return around().sources; }
  /// Ranks that this rank sends to in neighbour collectives.
  [[nodiscard]] std::span<const rank_t> destinations() const noexcept {
    return around().destinations;
  }
  /// For the library.
  [[nodiscard]] const detail::neighborhood& around() const noexcept {
    return around_ == nullptr ? detail::no_neighborhood() : *around_;
  }

 protected:
  /// The neighbours of this rank.
  std::shared_ptr<const detail::neighborhood> around_;
};

namespace detail {

/// Base of a kind of topology, `Self`, whose duplicates are of the same kind.
template <class Self, class Stack>
class topology_kind : public topology_communicator<Stack> {
 public:
  using topology_communicator<Stack>::topology_communicator;

  /// As `communicator::dup`. The ranks of the duplicate have the same neighbours.
  template <class How = throws_t>
  requires BlockingForm<How>
  Self dup(How&& how = {}, std::source_location where = std::source_location::current()) const {
    const communicator<Stack> made = communicator<Stack>::dup(std::forward<How>(how), where);
    return made ? Self(made, this->around_) : Self();
  }
  /// Starts a duplication: see `communicator::dup`.
  template <class How>
  requires is_form<How, start_t>
  request<Stack> dup(Self& into, How&& how,
                     std::source_location where = std::source_location::current()) const {
    return started_dup<Stack>(static_cast<const Self&>(*this), into, how, where);
  }
  /// MPI's name for a started dup.
  request<Stack> idup(Self& into,
                      std::source_location where = std::source_location::current()) const {
    return dup(into, mpx::start, where);
  }
  /// Returns this topology over `same`, a communicator of the same ranks in the same order, such as
  /// a duplicate that was made without its topology. No communication.
  [[nodiscard]] Self over(const communicator<Stack>& same) const {
    return Self(same, this->around_);
  }
};

}  // namespace detail

/// A grid of ranks.
template <class Stack = stack<>>
class [[nodiscard]] cart_communicator
    : public detail::topology_kind<cart_communicator<Stack>, Stack> {
 public:
  using detail::topology_kind<cart_communicator, Stack>::topology_kind;
  using communicator<Stack>::rank;

  /// The grid: sizes, periods and coordinates.
  const cart_topology& topology([[maybe_unused]] std::source_location where =
                                    std::source_location::current()) const noexcept {
    MPX_ASSERT_AT(this->around_ != nullptr, "this communicator is empty", where);
    return static_cast<const detail::cart_neighborhood&>(*this->around_).grid;
  }
  /// Size and period of each dimension.
  [[nodiscard]] std::span<const cart_dimension> dims(
      std::source_location where = std::source_location::current()) const noexcept {
    return topology(where).dims();
  }

  /// Returns the coordinates of this rank.
  [[nodiscard]] std::vector<rank_t> coords(
      std::source_location where = std::source_location::current()) const {
    return topology(where).coords(this->rank(), where);
  }
  /// Returns the coordinates of rank `of`. Errors: errc::rank.
  [[nodiscard]] std::vector<rank_t> coords(
      rank_t of, std::source_location where = std::source_location::current()) const {
    return topology(where).coords(of, where);
  }
  /// Returns the coordinates of this rank as an array:
  /// `const auto [row, column] = grid.template coords<2>()`.
  /// Errors: errc::dims if the grid has another number of dimensions.
  template <std::size_t Count>
  [[nodiscard]] std::array<rank_t, Count> coords(
      std::source_location where = std::source_location::current()) const {
    std::array<rank_t, Count> at{};
    topology(where).coords(this->rank(), at, detail::throws_t{}, where);
    return at;
  }
  /// Returns the rank at coordinates `at`. Errors: as cart_topology::rank.
  [[nodiscard]] rank_t rank(std::span<const rank_t> at,
                            std::source_location where = std::source_location::current()) const {
    return topology(where).rank(at, detail::throws_t{}, where);
  }
  /// Returns the rank at coordinates given as a list in braces.
  [[nodiscard]] rank_t rank(std::initializer_list<rank_t> at,
                            std::source_location where = std::source_location::current()) const {
    return topology(where).rank(at, where);
  }
  /// Returns the ranks to receive from and to send to, so that data moves by `displacement` along
  /// `dim`.
  /// Errors: errc::dims. Source: MPI 4.1, 8.5.6.
  template <class How = detail::throws_t>
  requires detail::BlockingForm<How>
  [[nodiscard]] cart_shifted shift(
      std::size_t dim, rank_t displacement = 1, How&& how = {},
      std::source_location where = std::source_location::current()) const {
    return topology(where).shift(this->rank(), dim, displacement, std::forward<How>(how), where);
  }
  /// Makes a grid of the dimensions whose flag in `keep` is true; its ranks differ in those only.
  /// Collective.
  /// Errors: errc::dims if there is not one flag for each dimension; errc::topology at ranks whose
  /// flags were right, if those of another rank were not; the errors of dup.
  /// Source: MPI 4.1, 8.5.7.
  template <class How = detail::throws_t>
  requires detail::BlockingForm<How>
  cart_communicator sub(std::span<const bool> keep, How&& how = {},
                        std::source_location where = std::source_location::current()) const {
    return make_sub(keep, how, where);
  }
  /// Makes a grid of the dimensions whose flag in the list is true.
  cart_communicator sub(std::initializer_list<bool> keep,
                        std::source_location where = std::source_location::current()) const {
    return sub(std::span(keep.begin(), keep.size()), detail::throws_t{}, where);
  }

 private:
  template <class How>
  cart_communicator make_sub(std::span<const bool> keep, How& how,
                             std::source_location where) const {
    const detail::topology_maker<Stack> make(*this, where);
    std::error_code ec;
    errc own{};
    mpx::group members;
    std::shared_ptr<detail::neighborhood> around;
    std::uint64_t fingerprint = 1;
    if (keep.size() != dims(where).size()) {
      own = errc::dims;
    } else {
      own = detail::caught([&] {
        const auto mine = topology(where).sub_of(this->rank(), keep);
        detail::players by(static_cast<std::size_t>(topology().sub(keep).size()));
        for (rank_t r = 0; r < this->size(); ++r)
          if (const auto in = topology().sub_of(r, keep); in.grid == mine.grid)
            by[static_cast<std::size_t>(in.rank)] = r;
        for (const bool k : keep) fingerprint = detail::hashed(fingerprint, k);
        around = std::make_shared<detail::cart_neighborhood>(topology().sub(keep), mine.rank);
        members = make.members(by);
      });
    }
    const bool agreed = make.agree(fingerprint, own == errc{}, ec);
    if (own != errc{}) ec = own;
    const communicator<Stack> made =
        agreed && !ec ? make.create(members, ec) : communicator<Stack>();
    detail::end_creation(how, ec, "sub of a Cartesian grid", this->rank(), where, [&] {
      return ec != errc::dims
                 ? std::string()
                 : detail::formatted("%zu flags for %zu dimensions", keep.size(), dims().size());
    });
    if (ec) return {};
    return {made, std::move(around)};
  }
};

/// A communicator with a graph that every rank knows as a whole.
template <class Stack = stack<>>
class [[nodiscard]] graph_communicator
    : public detail::topology_kind<graph_communicator<Stack>, Stack> {
 public:
  using detail::topology_kind<graph_communicator, Stack>::topology_kind;

  /// The graph.
  const graph_topology& topology([[maybe_unused]] std::source_location where =
                                     std::source_location::current()) const noexcept {
    MPX_ASSERT_AT(this->around_ != nullptr, "this communicator is empty", where);
    return static_cast<const detail::graph_neighborhood&>(*this->around_).graph;
  }
  /// Returns the neighbours of this rank.
  [[nodiscard]] std::span<const rank_t> neighbors() const noexcept { return this->destinations(); }
  /// Returns the neighbours of rank `of`. Errors: errc::rank.
  [[nodiscard]] std::span<const rank_t> neighbors(
      rank_t of, std::source_location where = std::source_location::current()) const {
    return topology(where).neighbors(of, where);
  }
};

/// A communicator with a graph of which each rank knows its own edges.
template <class Stack = stack<>>
class [[nodiscard]] dist_graph_communicator
    : public detail::topology_kind<dist_graph_communicator<Stack>, Stack> {
 public:
  using detail::topology_kind<dist_graph_communicator, Stack>::topology_kind;

  /// This rank's edges, with their weights.
  const graph_neighbors& neighbors([[maybe_unused]] std::source_location where =
                                       std::source_location::current()) const noexcept {
    MPX_ASSERT_AT(this->around_ != nullptr, "this communicator is empty", where);
    return static_cast<const detail::dist_graph_neighborhood&>(*this->around_).mine;
  }
};

}  // namespace mpx::inline v0
