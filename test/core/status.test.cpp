// SPDX-License-Identifier: BSL-1.0

#include <doctest/doctest.h>

#include <cstdint>
#include <mpx/core/status.hpp>
#include <ostream>

namespace {

using mpx::status;

static_assert(sizeof(status) <= 24);
static_assert(std::is_trivially_copyable_v<status>);

TEST_CASE("status: an empty one") {
  constexpr status s;
  CHECK(s.source() == mpx::proc_null);
  CHECK(s.tag() == mpx::any_tag);
  CHECK(s.bytes() == 0);
  CHECK(s.count<int>() == 0);
  CHECK(!s.cancelled());
  CHECK(!s.error());
}

TEST_CASE("status: counts of whole elements only") {
  constexpr status s(3, 7, 24);
  static_assert(s.source() == 3 && s.tag() == 7 && s.bytes() == 24);
  CHECK(s.count<char>() == 24);
  CHECK(s.count<std::int32_t>() == 6);
  CHECK(s.count<double>() == 3);
  struct five {
    char bytes[5];
  };
  CHECK(s.count<five>() == std::nullopt);
  CHECK(status(0, 0, 5).count<five>() == 1);
  CHECK(status(0, 0, std::size_t{1} << 40).count<double>() == std::size_t{1} << 37);
}

TEST_CASE("status: errors") {
  const status truncated(1, 2, 100, static_cast<int>(mpx::errc::truncate));
  CHECK(truncated.error() == mpx::errc::truncate);
  CHECK(truncated.failed());
  CHECK(truncated.bytes() == 100);
  const status cancelled(1, 2, 0, 0, true);
  CHECK(cancelled.cancelled());
  CHECK(!cancelled.error());
  CHECK(!cancelled.failed());
}

}  // namespace
