// SPDX-License-Identifier: BSL-1.0

#include <mpx/flow/unlimited.hpp>

#include "contract.hpp"

namespace {

using mpx::flow::unlimited;

TEST_CASE("unlimited: the contract") {
  flow_contract::check_traffic<unlimited>();
  flow_contract::check_elastic<unlimited>(~std::uint64_t{0});
}

TEST_CASE("unlimited: it never refuses, owes nothing, and believes no count but zero") {
  static_assert(std::is_empty_v<unlimited>);
  unlimited f(3);
  for (int i = 0; i < 1000; ++i) CHECK(f.try_acquire(2, std::size_t{1} << 40));
  CHECK(!f.release(2, std::size_t{1} << 40));
  CHECK(f.outgoing(2) == 0);
  CHECK(f.incoming(2, 0));
  CHECK(!f.incoming(2, 1));
}

}  // namespace
