// SPDX-License-Identifier: BSL-1.0
#pragma once
// Contents of packets of kind one_sided: records, one after the other, each followed by its data.
// Everything that arrives is checked before use.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "mpx/core/types.hpp"

namespace mpx::inline v0::rma {

enum class record_kind : std::uint8_t {
  put = 1,     ///< Store the data at `at`.
  get,         ///< Reply with `bytes` from `at`, for `token`.
  accumulate,  ///< Combine the data with that at `at`.
  /// As accumulate; reply with the previous value. No data if `op` is no_op.
  fetch,
  swap,  ///< One element: comparand and value. Reply with the previous value.
  /// Only counts: earlier puts of the transport have been placed.
  mark,
  // Fences do not count the following kinds.
  reply,  ///< Data for `token`; replies to one token arrive in order.
  /// Lock request. `op`: 0 shared, 1 exclusive, 2 shared by a rank that holds other locks.
  lock,
  granted,  ///< The lock is granted.
  /// The lock is released. `op`: 1 if an acknowledgement is requested; or one of undone_by_card.
  unlock,
  flush,     ///< An acknowledgement is requested.
  answered,  ///< Acknowledgement: all records up to a flush or an unlock are done.
  post,      ///< The sender's exposure epoch is open to the receiver.
  complete,  ///< The sender's access epoch to the receiver is complete.
  /// A lock was released without a record. `at`: 0: that of the receiver, who serves its queue of
  /// requests; else that of rank `at` - 1, for which the receiver waits.
  nudge,
  /// An access failed. `op`: the errc; `at` and `token`: those of the access.
  refused,
  denied,  ///< Lock request denied: rank `at` holds the lock and has failed.
  /// The sender destroys its window without free, after `at` collective calls of it. `token` - 1:
  /// the first rank that did so; 0: the sender.
  left,
};

/// Of record_kind::unlock: what the sender's atomic accesses have done to the receiver's lock, and
/// the receiver undoes.
enum class undone_by_card : std::uint8_t {
  part = 2,  ///< They marked the sender's part.
  reader,    ///< They counted the sender in the word as a reader as well.
  writer,    ///< They named the sender in the word as the writer.
};

struct record {
  record_kind kind{};
  std::uint8_t op = 0;
  std::uint16_t element = 0;  // Type of the elements combined; 0: the window's own.
  std::uint32_t bytes = 0;    // Of the data, or requested.
  std::uint64_t at = 0;
  std::uint64_t token = 0;

  constexpr bool counted() const noexcept { return kind <= record_kind::mark; }
  /// True if `bytes` of data follow the record.
  constexpr bool has_data(std::uint8_t no_op) const noexcept {
    return kind == record_kind::put || kind == record_kind::accumulate ||
           (kind == record_kind::fetch && op != no_op) || kind == record_kind::swap ||
           kind == record_kind::reply;
  }
};
static_assert(sizeof(record) == 24);

constexpr std::size_t padded(std::size_t bytes) noexcept { return (bytes + 7) & ~std::size_t{7}; }

}  // namespace mpx::inline v0::rma
