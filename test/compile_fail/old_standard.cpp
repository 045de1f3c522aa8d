// expect: mpx needs C\+\+20 and g\+\+ 12 or clang 16 or later: compile with -std=c\+\+20
// SPDX-License-Identifier: BSL-1.0
// flags: -std=c++17
// errors: 2
// The second error is the end of the compilation.
#include <mpx/mpx.hpp>

int main() { mpx::environment<> env; }
