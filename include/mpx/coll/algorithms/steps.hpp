// SPDX-License-Identifier: BSL-1.0
#pragma once
// The interface that algorithms of collectives are written against: steps, run at once or recorded.

#include <concepts>
#include <cstddef>

#include "mpx/core/types.hpp"
#include "mpx/data/memory.hpp"
#include "mpx/engine/endpoint/schedule.hpp"

namespace mpx::inline v0::coll {

using detail::reduction;

/// The steps of one rank's part of a collective call. An algorithm is a function template over them
/// and uses nothing else. It is written once. Its steps run at once (detail::collective_channel),
/// or are recorded and run later any number of times (detail::schedule).
///
///   - `start_send(data, to)` and `start_receive(into, from)` start a message. `finish()` ends a
///     *round*: it completes all messages started since the previous round. Messages of one call
///     between two ranks match in the order in which they were started. A message must be as long
///     as its receive.
///   - `start_receive_ahead(into, from)` completes at the end of the next round. It posts the
///     receive of the next piece before the current piece is processed, so that messages are not
///     unexpected.
///   - `send`, `receive` and `exchange` start their messages and end the round.
///     Requires: nothing else has been started in the round.
///   - `copy(to, from)`, `combine(op, out, left, right)` (out = left op right; `out` may be `left`
///     or `right`) and `call(function, with)` are local work, done in the order of the steps.
///     Messages started earlier in the round may be in progress meanwhile: they must not use memory
///     that the work writes, nor receive into memory that it reads.
///   - `scratch(bytes)` returns memory that lives as long as the call, aligned to a cache line.
///
/// All arguments are plain run-time values.
/// Requires:   The sequence of steps depends on the algorithm's arguments, rank() and size() only,
///             never on received data. Buffers stay in place until the round is over. The last step
///             is the end of a round, or local work.
/// Errors:     Steps return none. After a failure the following steps do nothing, `failed()` is
///             true, and the owner of the steps reports the failure.
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
