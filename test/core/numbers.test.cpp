// SPDX-License-Identifier: BSL-1.0
// compilers: both

#include <doctest/doctest.h>

#include <mpx/core/numbers.hpp>

namespace {

using mpx::detail::parse_seconds;

constexpr std::int64_t ns_of(std::string_view text) {
  std::int64_t ns = -1;
  return parse_seconds(text, 100, ns) ? ns : -1;
}

TEST_CASE("numbers: seconds") {
  CHECK(ns_of("1") == 1'000'000'000);
  CHECK(ns_of("0.5") == 500'000'000);
  CHECK(ns_of("0.001") == 1'000'000);
  CHECK(ns_of("99.999999999") == 99'999'999'999);
  CHECK(ns_of("100") == 100'000'000'000);
  CHECK(ns_of("007.250") == 7'250'000'000);
  for (const char* wrong :
       {"", ".", "1.", ".5", "-1", "+1", "0", "0.0", "0.0009", "100.1", "101", "1e1",
        "1.0000000001", " 1", "1 ", "1.2.3", "x", "99999999999999999999"})
    CHECK(ns_of(wrong) == -1);
}

}  // namespace
