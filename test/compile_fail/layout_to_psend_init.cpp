// expect: !\(?\s*LayoutBuffer
// first: here
// SPDX-License-Identifier: BSL-1.0
#include <mpx/datatype.hpp>
#include <mpx/mpx.hpp>
#include <mpx/partitioned.hpp>
#include <span>
#include <vector>

void use(mpx::communicator<mpx::stack<>>& world, std::vector<int>& v) {
#ifdef MPX_CONTROL
  auto part = std::span(v).first(4);
#else
  const mpx::datatype every_other = mpx::datatype::vector(4, 1, 2, mpx::datatype::of<int>());
  auto part = mpx::buffer(v.data(), 1, every_other);
#endif
  (void)mpx::psend_init(world, part, 4, 1);
  (void)mpx::precv_init(world, part, 4, 1);
}
