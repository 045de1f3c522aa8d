// SPDX-License-Identifier: BSL-1.0
// own_headers: yes
// sanitizers: none
// Objects of different assertion levels are one program: what one makes the other uses.

#include <doctest/doctest.h>

#define MPX_TEST_LEVEL 1
#include "levels/levels.hpp"

TEST_CASE("objects of different assertion levels in one program") {
  CHECK(checked::layout() == unchecked::layout());
  CHECK(checked::layout() == levels::layout{});
  for (const bool serialized : {false, true}) {
    for (const mpx::rank_t n : {1, 2, 3}) {
      CAPTURE(n);
      CHECK(checked::run(n, serialized) == 3 * n * (n - 1) / 2);
      CHECK(unchecked::run(n, serialized) == 3 * n * (n - 1) / 2);
    }
  }
}
