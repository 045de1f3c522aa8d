// expect: Transport<
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

/// Sits on the axis, and can do nothing.
struct deaf {
  using policy_axis = mpx::transport_axis;
  static constexpr std::string_view name = "deaf";
  static constexpr mpx::transport_traits traits{.inline_bytes_max = 40,
                                                .packet_bytes_max = 1 << 20};
};

#ifdef MPX_CONTROL
using chosen = mpx::stack<mpx::transport::inproc>;
#else
using chosen = mpx::stack<deaf>;
#endif
using type = chosen::transport_type;
