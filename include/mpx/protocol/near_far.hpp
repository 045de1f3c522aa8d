// SPDX-License-Identifier: BSL-1.0
#pragma once
// Combines two protocols, for transports that reach some peers through memory and others over a
// network.

#include <concepts>
#include <cstddef>
#include <string_view>

#include "mpx/protocol/tiny_short_long.hpp"

namespace mpx::inline v0::protocol {

/// Uses `Near` for messages to near peers of a NearFarTransport (and to all peers of other
/// transports), `Far` for those to far peers.
template <Protocol Near, Protocol Far>
requires(Near::tiny_bytes_max == Far::tiny_bytes_max && Near::long_by == Far::long_by)
class near_far : public Near {
 public:
  using far_type = Far;
  static constexpr std::string_view name = "near_far";

  const Far& far() const noexcept { return far_; }
  void lower(std::size_t bytes) noexcept {
    Near::lower(bytes);
    far_.lower(bytes);
  }

 private:
  Far far_;
};

}  // namespace mpx::inline v0::protocol
