// SPDX-License-Identifier: BSL-1.0
// release: dev
// sanitizers: address
// compilers: both

#include <mpx/matching/portals.hpp>

#include "contract.hpp"

namespace {

TEST_CASE("portals: the contract") { matching_contract::check_all<mpx::matching::portals>(); }

}  // namespace
