// SPDX-License-Identifier: BSL-1.0
#pragma once
// Creation of topologies: the data that ranks exchange before, and the new communicator.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "mpx/comm/detail/create.hpp"
#include "mpx/comm/topology/reorder.hpp"
#include "mpx/communicator.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/plain_array.hpp"

namespace mpx::inline v0 {

/// Selects if the creation of a topology may renumber ranks, so that neighbours share a node.
struct placement {
  /// True if ranks may get other numbers.
  bool reorders = false;
  bool by_node = false;    ///< `node` identifies this rank's node; else its machine does.
  std::uint64_t node = 0;  ///< Equal at ranks that are close to each other.
};
/// Every rank keeps its number.
inline constexpr placement keep_ranks{};
/// Ranks of one machine get positions that are close together.
inline constexpr placement reorder{true};
/// Ranks with equal `node` get positions that are close together.
constexpr placement reorder_by(std::uint64_t node) noexcept { return {true, true, node}; }

namespace detail {

/// A communicator whose protected parts are accessible.
template <class Stack>
class opened_communicator : public communicator<Stack> {
  using base = communicator<Stack>;

 public:
  explicit opened_communicator(const base& comm) noexcept : base(comm) {}
  using base::endpoint_;
  using base::peer_of;
};

inline std::uint64_t hashed(std::uint64_t h, std::uint64_t value) noexcept {
  h = (h ^ value) * 0x9e37'79b9'7f4a'7c15u;
  return h ^ h >> 29;
}
/// Steps of the creation of a topology. They are collective: all ranks take them, even after an
/// error at one rank. The last step informs all ranks of errors.
template <class Stack>
class topology_maker {
 public:
  topology_maker(const communicator<Stack>& comm, std::source_location where)
      : comm_(comm), where_(where) {}

  /// Gathers the numbers of all ranks at every rank, in rank order. Does not throw.
  std::vector<std::int64_t> gather(std::span<const std::int64_t> mine, std::error_code& ec) const {
    return comm_.allgatherv(mine, ec, where_);
  }
  /// Returns the node of each rank, as small numbers. Does not throw.
  std::vector<rank_t> nodes(const placement& place, std::error_code& ec) const {
    const std::uint64_t host =
        comm_.endpoint_->with_communicators([](auto& all) { return all.host_number; });
    const auto id = static_cast<std::int64_t>(place.by_node ? place.node : host);
    const std::vector<std::int64_t> all = comm_.allgather(id, ec, where_);
    std::vector<rank_t> numbers;
    if (ec) return numbers;
    const errc own = caught([&] {
      std::vector<std::int64_t> known = all;
      std::sort(known.begin(), known.end());
      for (const std::int64_t i : all)
        numbers.push_back(
            static_cast<rank_t>(std::lower_bound(known.begin(), known.end(), i) - known.begin()));
    });
    if (own != errc{}) ec = own;
    return numbers;
  }
  /// Returns true if `mine` is equal at all ranks, and all are `fine`.
  /// Errors: errc::topology if not.
  bool agree(std::uint64_t mine, bool fine, std::error_code& ec) const {
    std::uint64_t both[2] = {mine, ~mine};
    if (!fine) both[0] = both[1] = ~std::uint64_t{0};
    comm_.allreduce(
        std::span(both), [](std::uint64_t a, std::uint64_t b) { return a > b ? a : b; }, ec,
        where_);
    if (!ec && both[0] != ~both[1]) ec = errc::topology;
    return !ec;
  }
  /// Returns the group in which rank r is the old rank by[r]; an empty group at ranks that are not
  /// in it.
  mpx::group members(const players& by) const {
    if (std::find(by.begin(), by.end(), comm_.rank()) == by.end()) return {};
    plain_array<peer_id> peers;
    peers.reserve(by.size());
    for (const rank_t r : by) peers.push_back(comm_.peer_of(r));
    return mpx::group::table({peers.begin(), peers.size()}, comm_.endpoint_->self());
  }
  /// Makes a communicator of `members`; an empty one for an empty group.
  communicator<Stack> create(const mpx::group& members, std::error_code& ec) const {
    return comm_.create(members, ec, where_);
  }
  static players as_they_are(rank_t ranks) {
    players by(static_cast<std::size_t>(ranks));
    std::iota(by.begin(), by.end(), 0);
    return by;
  }
  const opened_communicator<Stack>& comm() const noexcept { return comm_; }

 private:
  opened_communicator<Stack> comm_;
  std::source_location where_;  // The user's call.
};

/// Ends the creation of a topology: stores the error, or throws it. `own()`: text on an error of
/// this rank's own arguments, or empty.
template <class How, class Own>
void end_creation(How& how, std::error_code ec, const char* what, rank_t rank,
                  std::source_location where, Own&& own) {
  if constexpr (is_code<How&>) {
    how = ec;
  } else if (ec) {
    std::string s = formatted("%s on rank %d", what, rank);
    if (const std::string mine = own(); !mine.empty()) {
      s += ": " + mine;
    } else if (ec == errc::topology) {
      s += ": it failed on another rank, or the ranks gave different ones";
    }
    throw error(ec, s, where);
  }
}

}  // namespace detail

}  // namespace mpx::inline v0
