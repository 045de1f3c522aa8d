// expect: mpx takes no arguments
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

int main(int argc, char** argv) {
#ifdef MPX_CONTROL
  static_cast<void>(argv);
  mpx::environment env;
#else
  mpx::environment env{argc, argv};
#endif
  return argc - env.size();
}
