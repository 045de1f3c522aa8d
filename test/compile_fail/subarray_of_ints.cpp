// expect: is a contiguous range of std::int64_t
// SPDX-License-Identifier: BSL-1.0
#include <mpx/datatype.hpp>
#include <mpx/mpx.hpp>
#include <vector>

void use(const std::vector<int>& sizes, const mpx::datatype& type) {
#ifdef MPX_CONTROL
  const std::vector<std::int64_t> wide(sizes.begin(), sizes.end());
  auto t = mpx::datatype::subarray(wide, {2, 2}, {0, 0}, mpx::array_order::c, type);
  auto same = t.dup();
#else
  auto t = mpx::datatype::subarray(sizes, {2, 2}, {0, 0}, mpx::array_order::c, type);
#endif
}
