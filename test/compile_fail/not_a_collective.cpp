// expect: CollectivePolicy<
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

struct undecided {
  using policy_axis = mpx::collective_axis;
  static constexpr std::string_view name = "undecided";
};

#ifdef MPX_CONTROL
using chosen = mpx::stack<mpx::coll::by_size>;
#else
using chosen = mpx::stack<undecided>;
#endif
using type = chosen::collective_type;
