// SPDX-License-Identifier: BSL-1.0

#include <doctest/doctest.h>

#include <mpx/protocol/tiny_short_long.hpp>

namespace {

using mpx::protocol::tiny_short_long;

static_assert(tiny_short_long<>::tiny_bytes_max == 40);
static_assert(tiny_short_long<>::long_by == mpx::long_path::automatic);
static_assert(tiny_short_long<8, 100, mpx::long_path::put, 7>::fragment_bytes_max == 7);
static_assert(mpx::Protocol<tiny_short_long<0, 0>>);

TEST_CASE("tiny_short_long: the run time lowers the longest eager message, never raises it") {
  tiny_short_long<40, 1000> p;
  CHECK(p.short_bytes_max() == 1000);
  p.lower(1001);
  CHECK(p.short_bytes_max() == 1000);
  p.lower(~std::size_t{0});
  CHECK(p.short_bytes_max() == 1000);
  p.lower(500);
  CHECK(p.short_bytes_max() == 500);
  p.lower(600);
  CHECK(p.short_bytes_max() == 500);
  p.lower(40);
  CHECK(p.short_bytes_max() == 40);
}

TEST_CASE("tiny_short_long: tiny messages stay eager") {
  tiny_short_long<40, 1000> p;
  p.lower(39);
  CHECK(p.short_bytes_max() == 40);
  p.lower(0);
  CHECK(p.short_bytes_max() == 40);
  tiny_short_long<0, 1000> q;
  q.lower(0);
  CHECK(q.short_bytes_max() == 0);
}

TEST_CASE("tiny_short_long: each object has its own limit") {
  tiny_short_long<> a;
  const tiny_short_long<> b;
  a.lower(100);
  CHECK(b.short_bytes_max() == tiny_short_long<>::short_bytes_ceiling);
}

}  // namespace
