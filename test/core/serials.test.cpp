// SPDX-License-Identifier: BSL-1.0
// The serials of collective calls, and of what is prepared.

#include "mpx/core/serials.hpp"

#include <doctest/doctest.h>

using mpx::detail::is_serial_before;
using mpx::detail::prepared_serial;

TEST_CASE("serials: of calls, they are compared within half of their circle") {
  CHECK(is_serial_before(0, 1));
  CHECK(!is_serial_before(1, 1));
  CHECK(!is_serial_before(2, 1));
  CHECK(is_serial_before(0x7fff'ffff, 0));
  CHECK(is_serial_before(0x7fff'ff00, 5));
  CHECK(!is_serial_before(5, 0x7fff'ff00));
}

TEST_CASE("serials: prepared calls are counted separately") {
  const mpx::tag_t first = prepared_serial::make(7), other = prepared_serial::make(8);
  CHECK(first < 0);
  CHECK(prepared_serial::is(first));
  CHECK(!prepared_serial::is(0));
  CHECK(!prepared_serial::is(0x7fff'ffff));
  CHECK(!prepared_serial::is(static_cast<mpx::tag_t>(0x8000'0000u)));  // Of partitions.
  CHECK(!prepared_serial::is(static_cast<mpx::tag_t>(0xbfff'ffffu)));
  mpx::tag_t at = first;
  for (std::uint32_t start = 0; start < 20'000; ++start) {
    const mpx::tag_t next = prepared_serial::next(at);
    REQUIRE(prepared_serial::is(next));
    REQUIRE(prepared_serial::number_of(next) == 7);
    REQUIRE(prepared_serial::start_of(next) == start % 16'384);
    REQUIRE(is_serial_before(at, next));
    REQUIRE(!is_serial_before(next, at));
    at = next;
  }
  // Others are neither before nor after.
  CHECK(!is_serial_before(first, other));
  CHECK(!is_serial_before(other, first));
  CHECK(!is_serial_before(first, 5));
  CHECK(!is_serial_before(5, first));
  CHECK(prepared_serial::number_of(prepared_serial::make(65'535)) == 65'535);
}
