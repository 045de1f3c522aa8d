// SPDX-License-Identifier: BSL-1.0
// timeout: 240

#include <mpx/transport/inproc.hpp>
#include <ostream>

#include "contract.hpp"
#include "fabric.hpp"

namespace {

using namespace transport_contract;
using mpx::transport::basic_inproc;
using mpx::transport::inproc;
using small = basic_inproc<4, 4096>;
constexpr ring::ring_geometry small_geometry{4, 4096};

static_assert(mpx::SharedMemoryTransport<small>);
static_assert(inproc::traits.inline_bytes_max == 40);
static_assert(small::traits.packet_bytes_max == 1024);
static_assert(small::traits.layout != inproc::traits.layout);

TEST_CASE("inproc: packets") { check_packets<inproc>(); }
TEST_CASE("inproc: packets through tiny rings") { check_packets<small>(); }
TEST_CASE("inproc: traffic") { check_traffic<inproc>(); }
TEST_CASE("inproc: traffic through tiny rings") { check_traffic<small>(); }
TEST_CASE("inproc: waiting") { check_waiting<inproc>(); }
TEST_CASE("inproc: waiting on tiny rings") { check_waiting<small>(); }
TEST_CASE("inproc: many peers") {
  check_many_peers<small>(70);
  check_many_peers<small>(130);
}
TEST_CASE("inproc: memory") {
  check_rma<inproc>(true);
  check_shared_memory<inproc>();
}
TEST_CASE("inproc: memory of any alignment") {
  cluster<inproc> job(1);
  for (std::size_t alignment = 1; alignment <= 1 << 21; alignment *= 2) {
    void* p = job[0].allocate_shared(alignment / 2 + 1, alignment);
    CHECK(reinterpret_cast<std::uintptr_t>(p) % alignment == 0);
    job[0].deallocate_shared(p, alignment / 2 + 1);
  }
  try {
    static_cast<void>(job[0].allocate_shared(~std::size_t{0} - 10, 64));
    FAIL("no error");
  } catch (const mpx::error& e) {
    CHECK(e.code() == mpx::errc::no_resources);
  }
}
TEST_CASE("inproc: no wake-up is missed") {
  check_no_missed_wakeups<inproc>();
  check_no_missed_wakeups<small>();
}
TEST_CASE("inproc: silent rings are left alone") {
  check_demotion<inproc>();
  CHECK_NOTHROW(check_demotion_races<small>());
}
TEST_CASE("inproc: forged memory") {
  check_forged_lines<small>(small_geometry);
  check_forged_attention<small>();
  check_noise<small>(small_geometry);
}

}  // namespace
