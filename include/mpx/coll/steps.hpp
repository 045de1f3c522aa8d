// SPDX-License-Identifier: BSL-1.0
#pragma once
// What an algorithm of a collective is written over: steps, which act at once or are recorded.

#include <concepts>
#include <cstddef>

#include "mpx/core/types.hpp"
#include "mpx/datatype/memory.hpp"
#include "mpx/engine/schedule.hpp"

namespace mpx::inline v0::coll {

using detail::reduction;

/// The steps of one rank's part of a collective call. An algorithm is a function template over
/// them, and knows nothing else of the machine: it is written once, and runs at once
/// (detail::collective_channel) or is kept and run later, again and again (detail::schedule).
///
///   - `start_send(data, to)` and `start_receive(into, from)` start a message; `finish()` ends a
///     *round*: all that was started since the last one is complete. Messages of one call between
///     two ranks meet in the order in which they were started. A message is as long as its receive.
///   - `start_receive_ahead(into, from)` is complete at the end of the next round: so the receive
///     of the next piece is ready before the last one is worked on, and nothing comes unexpected.
///   - `send`, `receive`, `exchange`: the same with the end of a round. Requires: nothing else has
///     been started in it.
///   - `copy(to, from)`, `combine(op, out, left, right)` (out = left op right; `out` may be one of
///     them) and `call(function, with)` are local work, done in the order of the steps: what was
///     started before in the same round may be under way meanwhile, and may use neither what they
///     write nor, to receive, what they read.
///   - `scratch(bytes)` is memory for as long as the call lasts, aligned to a cache line.
///
/// All arguments are plain run-time values. Requires: which steps an algorithm takes depends on its
/// arguments, rank() and size() only, never on what it has received; data stays where it is until
/// the round is over; the last step is the end of a round, or local work.
/// Errors: none is returned: once a step has failed those that follow do nothing, `failed()` is
/// true, and whoever runs the steps learns of it.
template <class S>
concept Steps = requires(S& s, const S& is, const memory& m, rank_t r, const reduction& op,
                         void (*function)(void*), void* with) {
  { is.rank() } noexcept -> std::same_as<rank_t>;
  { is.size() } noexcept -> std::same_as<rank_t>;
  { is.failed() } noexcept -> std::same_as<bool>;
  s.start_send(m, r);
  s.start_receive(m, r);
  s.start_receive_ahead(m, r);
  s.finish();
  s.send(m, r);
  s.receive(m, r);
  s.exchange(m, r, m, r);
  s.copy(m, m);
  s.combine(op, m, m, m);
  s.call(function, with);
  { s.scratch(std::size_t{}) } noexcept -> std::same_as<memory>;
};

}  // namespace mpx::inline v0::coll
