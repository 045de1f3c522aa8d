// expect: deleted
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

void use(mpx::environment<>& env) {
#ifdef MPX_CONTROL
  auto& same = env;
#else
  auto same = env;
#endif
  static_cast<void>(same.rank());
}
