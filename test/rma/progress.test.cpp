// SPDX-License-Identifier: BSL-1.0
// A rank that only loads and stores, or finds nothing to wait for, still makes progress for others.
// timeout: 300

#include "comm/ranks.hpp"
#include "rma/polls_itself.hpp"

namespace {

TEST_CASE_TEMPLATE("progress: in every call that a rank repeats", Stack, ranks::shm,
                   ranks::multiple) {
  polls_itself::check_help<Stack>([](auto body) { ranks::run<Stack>(2, body); });
}

TEST_CASE("progress: queued messages leave in every call that a rank repeats") {
  polls_itself::check_sends<ranks::tiny>([](auto body) { ranks::run<ranks::tiny>(2, body); });
}

}  // namespace
