// expect: StackOfPolicies
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

#ifdef MPX_CONTROL
using taken = mpx::stack<mpx::transport::inproc>;
#else
using taken = mpx::transport::inproc;
#endif

int main() {
  mpx::run_threads<taken>(2, [](auto& env) { env.world().barrier(); });
}
