// expect: BufferOutlivesCall
// first: here
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <string>

void use(mpx::communicator<mpx::stack<>>& world) {
#ifdef MPX_CONTROL
  const std::string s = "hello";
  auto p = world.send_init(s, 0);
#else
  auto p = world.send_init(std::string("hello"), 0);
#endif
  p.start();
}
