// expect: Bootstrap<
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

/// Names the axis, and has nothing else.
struct alone {
  using policy_axis = mpx::bootstrap_axis;
  mpx::rank_t rank() const noexcept;
  mpx::rank_t size() const noexcept;
};

#ifdef MPX_CONTROL
using chosen = mpx::stack<mpx::bootstrap::singleton, mpx::transport::inproc>;
#else
using chosen = mpx::stack<alone, mpx::transport::inproc>;
#endif
using type = chosen::bootstrap_type;
