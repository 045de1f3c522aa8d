// SPDX-License-Identifier: BSL-1.0
#pragma once
// Assertions of synchronisation calls of a window.

namespace mpx::inline v0::rma {

/// Assertions that a synchronisation call may rely on. Combined by `|`. Source: MPI 4.1, 12.5.5.
enum class assertion : unsigned {
  none = 0,
  no_store = 1,  ///< This rank has not stored to its memory since the last synchronisation.
  /// No rank will put or accumulate to this rank until the next synchronisation.
  no_put = 2,
  no_precede = 4,  ///< fence, given by all ranks: no access precedes it.
  no_succeed = 8,  ///< fence, given by all ranks: no access follows it.
  /// lock: no rank holds a conflicting lock. start: all targets have posted.
  no_check = 16,
};
constexpr assertion operator|(assertion a, assertion b) noexcept {
  return static_cast<assertion>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool has(assertion all, assertion one) noexcept {
  return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) != 0;
}

}  // namespace mpx::inline v0::rma
