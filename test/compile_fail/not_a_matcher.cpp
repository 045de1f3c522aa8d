// expect: Matcher<
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

struct forgetful {
  using policy_axis = mpx::matching_axis;
  static constexpr std::string_view name = "forgetful";
};

#ifdef MPX_CONTROL
using chosen = mpx::stack<mpx::matching::list>;
#else
using chosen = mpx::stack<forgetful>;
#endif
using type = chosen::matching_type;
