// expect: Protocol<
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

struct vague {
  using policy_axis = mpx::protocol_axis;
  static constexpr std::string_view name = "vague";
  static constexpr std::size_t tiny_bytes_max = 8;
  static constexpr std::size_t short_bytes_ceiling = 64;
  static constexpr mpx::long_path long_by = mpx::long_path::automatic;
};

#ifdef MPX_CONTROL
using chosen = mpx::stack<mpx::protocol::tiny_short_long<>>;
#else
using chosen = mpx::stack<vague>;
#endif
using type = chosen::protocol_type;
