// SPDX-License-Identifier: BSL-1.0
// release: dev
// sanitizers: address
// compilers: both

#include <mpx/matching/list.hpp>

#include "contract.hpp"

namespace {

TEST_CASE("list: the contract") { matching_contract::check_all<mpx::matching::list>(); }

}  // namespace
