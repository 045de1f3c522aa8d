// SPDX-License-Identifier: BSL-1.0
// The tests of progress.test.cpp, over sockets.
// timeout: 300
// sanitizers: address

#include <mpx/cluster.hpp>

#include "comm/ranks.hpp"
#include "rma/polls_itself.hpp"

namespace {

using over_tcp = mpx::stack<mpx::transport::tcp, mpx::tcp_protocol>;

TEST_CASE("progress over tcp: in every call that a rank repeats") {
  polls_itself::check_help<over_tcp>([](auto body) { ranks::run<over_tcp>(2, body); });
}

}  // namespace
