// SPDX-License-Identifier: BSL-1.0
#pragma once
// The halo of a rank: the entries of a distributed vector that its rows touch but others own.
// A plan is made once; each exchange then moves exactly those entries, one message per neighbour.

#include <algorithm>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "distribution.hpp"
#include "world.hpp"

namespace cg {

class halo {
 public:
  /// Agrees with all ranks on the rows that each sends to each. Collective.
  /// Requires: `wanted` ascends and holds rows that other ranks own.
  halo(communicator world, const row_partition& partition, const std::vector<index_t>& wanted);

  /// Starts to send what the neighbours want of `owned`, and to receive into `ghosts`, which takes
  /// the wanted entries in their order.
  /// Completion: `ghosts` belongs to the halo until finish().
  void start(std::span<const double> owned, std::span<double> ghosts);

  /// Waits until all of it has arrived and left.
  void finish() { mpx::wait_all(std::span{requests_}); }

  index_t entries_received() const noexcept { return total(sources_); }
  index_t messages_received() const noexcept { return sources_.size(); }

 private:
  /// A stretch of `ghosts` (from that rank) or of `outbox_` (to that rank).
  struct neighbour {
    rank_t rank;
    index_t begin;
    index_t count;
  };

  static index_t total(const std::vector<neighbour>& list) noexcept {
    return list.empty() ? 0 : list.back().begin + list.back().count;
  }

  void find_sources(const row_partition& partition, const std::vector<index_t>& wanted);
  rank_t count_targets();
  void exchange_wishes(const row_partition& partition, const std::vector<index_t>& wanted);

  static constexpr mpx::tag_t wish_tag = 2;
  static constexpr mpx::tag_t values_tag = 3;

  communicator world_;
  std::vector<neighbour> sources_;
  std::vector<neighbour> targets_;
  std::vector<index_t> outbox_rows_;  // The row of `owned` behind each entry of outbox_.
  std::vector<double> outbox_;
  std::vector<request> requests_;
};

inline halo::halo(communicator world, const row_partition& partition,
                  const std::vector<index_t>& wanted)
    : world_(std::move(world)) {
  find_sources(partition, wanted);
  exchange_wishes(partition, wanted);
  outbox_.resize(outbox_rows_.size());
  requests_.reserve(sources_.size() + targets_.size());
}

inline void halo::start(std::span<const double> owned, std::span<double> ghosts) {
  requests_.clear();
  for (const auto& [rank, begin, count] : sources_) {
    requests_.push_back(world_.irecv(ghosts.subspan(begin, count), rank, values_tag));
  }
  for (std::size_t i = 0; i < outbox_.size(); ++i) outbox_[i] = owned[outbox_rows_[i]];
  for (const auto& [rank, begin, count] : targets_) {
    requests_.push_back(world_.isend(std::span{outbox_}.subspan(begin, count), rank, values_tag));
  }
}

/// Ascending rows have ascending owners, so that the ghosts of one source are neighbours.
inline void halo::find_sources(const row_partition& partition, const std::vector<index_t>& wanted) {
  for (index_t i = 0; i < wanted.size(); ++i) {
    const rank_t owner = partition.owner(wanted[i]);
    if (sources_.empty() || sources_.back().rank != owner) sources_.push_back({owner, i, 0});
    ++sources_.back().count;
  }
}

/// Number of ranks that need values of this one: the sum over all ranks of a 1 for each source.
inline rank_t halo::count_targets() {
  std::vector<rank_t> asked(slot(world_.size()), 0);
  for (const neighbour& source : sources_) asked[slot(source.rank)] = 1;
  world_.allreduce(std::span<rank_t>{asked}, std::plus<>{});
  return asked[slot(world_.rank())];
}

/// Sends each source the list of its rows that this rank needs, and receives the same from each
/// target. Only the number of targets is known here, not their ranks: probe finds them.
inline void halo::exchange_wishes(const row_partition& partition,
                                  const std::vector<index_t>& wanted) {
  std::vector<request> sends;
  sends.reserve(sources_.size());
  for (const auto& [rank, begin, count] : sources_) {
    sends.push_back(world_.isend(std::span{wanted}.subspan(begin, count), rank, wish_tag));
  }

  std::vector<std::pair<rank_t, std::vector<index_t>>> wishes;
  for (rank_t left = count_targets(); left > 0; --left) {
    const mpx::status status = world_.probe(mpx::any_source, wish_tag);
    std::vector<index_t> rows(status.bytes() / sizeof(index_t));
    world_.recv(rows, status.source(), wish_tag);
    wishes.emplace_back(status.source(), std::move(rows));
  }
  mpx::wait_all(std::span{sends});

  std::sort(wishes.begin(), wishes.end());  // They arrive in any order; a plan has one.
  const index_t first_row = partition.begin(world_.rank());
  for (const auto& [rank, rows] : wishes) {
    targets_.push_back({rank, outbox_rows_.size(), rows.size()});
    for (const index_t row : rows) outbox_rows_.push_back(row - first_row);
  }
}

}  // namespace cg
