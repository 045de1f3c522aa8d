// expect: deleted
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>
#include <utility>

void use(mpx::request<mpx::stack<>>& r) {
#ifdef MPX_CONTROL
  auto s = std::move(r);
#else
  auto s = r;
#endif
  s.wait();
}
