// expect: FlowControl<
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

struct generous {
  using policy_axis = mpx::flow_axis;
  static constexpr std::string_view name = "generous";
  explicit generous(mpx::peer_id) {}
};

#ifdef MPX_CONTROL
using chosen = mpx::stack<mpx::flow::unlimited>;
#else
using chosen = mpx::stack<generous>;
#endif
using type = chosen::flow_type;
