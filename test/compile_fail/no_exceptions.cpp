// expect: mpx needs exceptions, also where error codes are asked for: leave -fno-exceptions out
// SPDX-License-Identifier: BSL-1.0
// flags: -fno-exceptions
// errors: 2
// The second error is the end of the compilation.
#include <mpx/mpx.hpp>

int main() { mpx::environment<> env; }
