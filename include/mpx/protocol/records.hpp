// SPDX-License-Identifier: BSL-1.0
#pragma once
// What travels in packets of the kind one_sided: records, one after the other, each with its data.
// Everything that arrives is checked before use.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "mpx/core/types.hpp"

namespace mpx::inline v0::rma {

enum class record_kind : std::uint8_t {
  put = 1,     ///< Data for `at`.
  get,         ///< `bytes` from `at` are wanted, for `token`.
  accumulate,  ///< Data to be combined with what is at `at`.
  fetch,       ///< The same, and what was there is wanted; no data if `op` is no_op.
  swap,        ///< An element: compare and value; what was there is wanted.
  mark,        ///< Nothing but a count: what was put by the transport has been.
  // What follows is not counted by fences.
  reply,     ///< Data for `token`, `at` bytes behind its beginning.
  lock,      ///< `op`: 1 exclusive, 2 shared by who holds others.
  granted,   ///< The lock is yours.
  unlock,    ///< It is not any more. `op`: 1 if an answer is wanted.
  flush,     ///< An answer is wanted.
  answered,  ///< All up to a flush or an unlock has been done.
  post,      ///< You may access me.
  complete,  ///< I have, since you posted.
  nudge,     ///< A lock in shared memory is free.
  refused,   ///< `op`: an errc; `at`: of what; `token` of it.
  denied,    ///< A lock: rank `at` holds it, and is dead.
  left,      ///< This rank lets its window go without free, after `at` collective calls of it and
             ///< after rank `token` - 1, if that is not 0.
};

struct record {
  record_kind kind{};
  std::uint8_t op = 0;
  std::uint16_t reserved = 0;
  std::uint32_t bytes = 0;  // Of data, or wanted.
  std::uint64_t at = 0;
  std::uint64_t token = 0;

  constexpr bool counted() const noexcept { return kind <= record_kind::mark; }
  /// Whether `bytes` follow it.
  constexpr bool has_data(std::uint8_t no_op) const noexcept {
    return kind == record_kind::put || kind == record_kind::accumulate ||
           (kind == record_kind::fetch && op != no_op) || kind == record_kind::swap ||
           kind == record_kind::reply;
  }
};
static_assert(sizeof(record) == 24);

constexpr std::size_t padded(std::size_t bytes) noexcept { return (bytes + 7) & ~std::size_t{7}; }

}  // namespace mpx::inline v0::rma
