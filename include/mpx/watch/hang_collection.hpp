// SPDX-License-Identifier: BSL-1.0
#pragma once
// Hang reports of jobs that no process monitors, as under other launchers: ranks that wait send
// their state to rank 0, which makes one report of all states.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "mpx/core/error.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/types.hpp"
#include "mpx/watch/hang_lines.hpp"
#include "mpx/watch/hang_pieces.hpp"
#include "mpx/watch/hang_report.hpp"
#include "mpx/watch/hang_watch.hpp"

namespace mpx::inline v0::detail {

/// The states that rank 0 has received. Takes memory when the first one arrives.
template <class Info = hang_info>
class hang_collection final : public hang_reporter {
 public:
  explicit hang_collection(rank_t ranks) noexcept : size_(static_cast<std::size_t>(ranks)) {}

  /// Takes a piece of the state of rank `from`, or notes that it waits no more.
  /// Errors:     errc::protocol. A piece for which there is no memory is dropped.
  errc take(rank_t from, tag_t offset, std::span<const std::byte> piece) noexcept {
    if (from <= 0 || static_cast<std::size_t>(from) >= size_) return errc::protocol;
    if (offset == hang_pieces::withdrawn) {
      forget(from);
      return piece.empty() ? errc{} : errc::protocol;
    }
    try {
      if (states_.empty()) states_ = plain_array<state>(size_);
    } catch (const std::exception&) {
      return errc{};
    }
    state& of = states_[static_cast<std::size_t>(from)];
    of.complete = false;
    const errc why = hang_pieces::add(of.info, of.complete, offset, piece);
    has_unreported_ = has_unreported_ || of.complete;
    return why;
  }
  /// Rank `from` waits no more, or is lost.
  void forget(rank_t from) noexcept {
    if (!states_.empty()) states_[static_cast<std::size_t>(from)].complete = false;
  }

  void go_on() noexcept override { has_unreported_ = true; }
  bool has_unreported() const noexcept override { return has_unreported_; }
  /// A report on all ranks. Unless `last`, returns "" until all ranks have told that they wait.
  /// Errors:     errc::no_resources.
  std::string report(const hang_info& own, std::int64_t quiet_ns, bool last) override {
    std::size_t told = 1;
    for (std::size_t r = 1; r < states_.size(); ++r) told += states_[r].complete ? 1 : 0;
    const bool all = told == size_;
    if (!all && !last) return {};
    plain_array<Info> ranks(size_);
    ranks[0] = own;
    for (std::size_t r = 1; r < size_; ++r) {
      Info& it = ranks[r];
      it.state = hang_state::busy;
      if (!states_.empty() && states_[r].complete) it = states_[r].info;
      it.rank = static_cast<rank_t>(r);
      it.environment = own.environment;  // The one in which the states have travelled.
      if (!sound(it, static_cast<rank_t>(size_))) it.state = hang_state::unreadable;
    }
    hang_lines out;
    out.text = format_hang_report<Info>({ranks.begin(), ranks.size()}, told, all, quiet_ns);
    out.end();
    has_unreported_ = false;
    return std::move(out.text);
  }

 private:
  struct state {
    Info info;
    bool complete;
  };
  std::size_t size_;
  plain_array<state> states_;   // By rank; empty until a state arrives.
  bool has_unreported_ = true;  // This rank waits, or a state has arrived since the last report.
};

}  // namespace mpx::inline v0::detail
