// SPDX-License-Identifier: BSL-1.0
#pragma once
// Compound operations of layers above the engine: the layer defines the start of the operation and
// the reaction to a complete part.

#include <cstdint>
#include <string>

#include "mpx/core/error.hpp"
#include "mpx/core/intrusive.hpp"
#include "mpx/core/memory.hpp"

namespace mpx::inline v0::detail {

struct operation;
struct extension_tag;

/// The layer that made an extension.
enum class extension_kind : std::uint8_t { windows, partitions, portals, agreements };

/// State and behaviour of a compound operation of the kind `extended`; deleted with it.
class extension : public allocated, public list_node<extension_tag> {
 public:
  /// Starts the operation, which has been made active and is not complete. Called without the
  /// endpoint's lock, once for each start.
  /// Errors: the reason why it did not start; it stays inactive then.
  virtual errc start() noexcept = 0;
  /// Handles a complete `part`. Called under the lock, possibly inside a packet handler, so it must
  /// start nothing. Returns true if `run_locked` has to follow soon.
  virtual bool part_done_locked(const operation& part) noexcept = 0;
  /// Continues the operation. Called under the lock by a call that makes progress, never inside a
  /// packet handler.
  virtual void run_locked() noexcept = 0;
  /// Called when all parts are complete; `parts` is the failure of the first that failed. Returns
  /// the failure of the operation.
  virtual errc end_locked(errc parts) noexcept { return parts; }
  /// Called when the request is dropped. Returns true if the operation goes on without it; it must
  /// not touch the program's memory from then on.
  virtual bool outlives_request_locked() noexcept { return false; }
  /// Describes the operation for the text of an error.
  virtual std::string describe() const = 0;

  virtual ~extension() = default;
  extension(const extension&) = delete;
  extension& operator=(const extension&) = delete;

  const extension_kind kind;
  bool due = false;  // Used by the endpoint: in its list of due extensions.

 protected:
  explicit extension(extension_kind whose) noexcept : kind(whose) {}
};

}  // namespace mpx::inline v0::detail
