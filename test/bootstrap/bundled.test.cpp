// SPDX-License-Identifier: BSL-1.0
// Several values of a start as one, whatever the launcher.

#include <doctest/doctest.h>

#include <map>
#include <mpx/bootstrap/detail/bundled.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "bootstrap/minimal.hpp"

namespace {

using bootstrap_contract::minimal;
using bootstrap_contract::minimal_job;

/// Counts what is asked of it.
struct counted : minimal {
  using minimal::minimal;
  void put(std::string_view key, std::string_view value) {
    ++puts;
    minimal::put(key, value);
  }
  std::optional<std::string> get(mpx::rank_t rank, std::string_view key) {
    ++gets;
    return minimal::get(rank, key);
  }
  int puts = 0;
  int gets = 0;
};
using bundled = mpx::bootstrap::detail::bundled<counted>;
static_assert(mpx::Bootstrap<bundled>);

TEST_CASE("bundled: one value a rank between two fences") {
  minimal_job job(3);
  std::string failed[3];
  const auto rank = [&](mpx::rank_t me) {
    counted below(job, me);
    bundled b(below);
    const auto check = [&](bool good, const char* what) {
      if (!good) failed[me] += what;
    };
    const std::string bytes(300, '\0');
    b.put("a", "first of " + std::to_string(me));
    b.put("b", bytes + std::to_string(me));
    b.fence([] {});
    check(below.puts == 1, "one put; ");
    for (mpx::rank_t r = 0; r < 3; ++r) {
      check(b.get(r, "a") == "first of " + std::to_string(r), "a; ");
      check(b.get(r, "b") == bytes + std::to_string(r), "b; ");
    }
    check(below.gets == 3, "one get a rank; ");
    check(!b.get(1, "c").has_value(), "nothing; ");
    b.put("c", "");
    b.put("d", std::string(500, 'd'));  // Does not fit.
    if (me == 1) b.put("e", "of one rank");
    b.fence([] {});
    b.fence([] {});
    for (mpx::rank_t r = 0; r < 3; ++r) {
      check(b.get(r, "c") == "", "c; ");
      check(b.get(r, "d") == std::string(500, 'd'), "d; ");
      check(b.get(r, "a") == "first of " + std::to_string(r), "a again; ");
      check(b.get(r, "e").has_value() == (r == 1), "e; ");
    }
  };
  bootstrap_contract::in_threads(failed, rank);
  for (const std::string& what : failed) CHECK(what == "");
}

}  // namespace
