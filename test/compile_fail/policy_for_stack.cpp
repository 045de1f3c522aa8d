// expect: mpx::environment takes a stack, not a policy of one: write mpx::environment<mpx::stack<
// SPDX-License-Identifier: BSL-1.0
// errors: 2
#include <mpx/mpx.hpp>

#ifdef MPX_CONTROL
using taken = mpx::stack<mpx::transport::inproc>;
#else
using taken = mpx::transport::inproc;
#endif

int main() { mpx::environment<taken> env; }
