// SPDX-License-Identifier: BSL-1.0
// release: tsan

#include <mpx/bootstrap/singleton.hpp>

#include <cstdlib>
#include <mpx/mpx.hpp>

#include "contract.hpp"

namespace {

using namespace bootstrap_contract;
using mpx::bootstrap::singleton;

TEST_CASE("singleton: the contract, in a job of one rank") {
  std::vector<singleton> ranks(1);
  check_meeting(ranks);
  check_arguments(ranks[0]);
  check_memory(ranks);
  check_disconnecting(ranks);
  check_forked(ranks);
  CHECK(ranks[0].one_process());
  check_leaving(ranks);
  CHECK(ranks[0].state(0) == mpx::rank_state::finished);
}

TEST_CASE("singleton: jobs are independent, and can be moved") {
  singleton a, b;
  a.put("k", "a");
  CHECK(!b.get(0, "k"));
  CHECK(a.shared_fd() != b.shared_fd());
  b = std::move(a);
  CHECK(b.get(0, "k") == "a");
  CHECK(b.state(0) == mpx::rank_state::joined);
  const int fd = b.shared_fd();
  {
    const singleton last(std::move(b));
  }
  CHECK(!mpx::bootstrap::memory_file::usable(fd));
}

TEST_CASE("joining without exceptions") {
  using alone = mpx::stack<singleton>;
  std::error_code ec = mpx::errc::rank;
  {
    auto env = mpx::join<alone>(ec);
    CHECK(!ec);
    REQUIRE(env);
    env->world().barrier();
  }
  ::setenv("MPX_SHORT_BYTES_MAX", "cheese", 1);
  CHECK(!mpx::join<alone>(ec));
  CHECK(ec == mpx::errc::argument);
  ::unsetenv("MPX_SHORT_BYTES_MAX");
}

}  // namespace
