// SPDX-License-Identifier: BSL-1.0
#pragma once
// How a layer above the engine makes an operation of its own out of others: it says what a start
// does, and what follows when a part is complete.

#include <cstdint>
#include <string>

#include "mpx/core/error.hpp"
#include "mpx/core/intrusive.hpp"
#include "mpx/core/memory.hpp"

namespace mpx::inline v0::detail {

struct operation;
struct extension_tag;

/// The layer above that has made an extension.
enum class extension_kind : std::uint8_t { windows, partitions };

/// What belongs to a compound operation of the kind `extended`, and goes with it.
class extension : public allocated, public list_node<extension_tag> {
 public:
  /// Runs the operation, once more: it has been made active, and is not complete. Called without
  /// the endpoint's lock. Errors: whatever kept it from starting; it stays inactive then.
  virtual errc start() noexcept = 0;
  /// `part` is complete. Called under the lock, from whichever packet's handler made it so, and so
  /// starts nothing. Returns whether `run_locked` is to follow soon.
  virtual bool part_done_locked(const operation& part) noexcept = 0;
  /// Goes on. Called under the lock by a call that makes progress, outside of any packet's handler.
  virtual void run_locked() noexcept = 0;
  /// All parts are complete, the first that failed with `parts`. Returns how the operation ends.
  virtual errc end_locked(errc parts) noexcept { return parts; }
  /// What the operation is, for the text of an error.
  virtual std::string describe() const = 0;

  virtual ~extension() = default;
  extension(const extension&) = delete;
  extension& operator=(const extension&) = delete;

  const extension_kind kind;
  bool due = false;  // The endpoint's: it is in the list of those that are to go on.

 protected:
  explicit extension(extension_kind whose) noexcept : kind(whose) {}
};

}  // namespace mpx::inline v0::detail
