// SPDX-License-Identifier: BSL-1.0
// timeout: 240

#include <sys/mman.h>

#include <mpx/transport/inproc.hpp>
#include <optional>
#include <ostream>

#include "contract.hpp"
#include "elastic.hpp"
#include "fabric.hpp"
#include "pollable.hpp"

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

TEST_CASE("inproc: packets") {
  check_packets<inproc>();
  check_peeking<inproc>();
}
TEST_CASE("inproc: packets through tiny rings") {
  check_packets<small>();
  check_peeking<small>();
}
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
TEST_CASE("inproc: PollableTransport") {
  check_pollable<inproc>();
  check_pollable<small>();
}
TEST_CASE("inproc: no wake-up is missed") {
  check_no_missed_wakeups<inproc>();
  check_no_missed_wakeups<small>();
}
TEST_CASE("inproc: silent rings are left alone") {
  check_demotion<inproc>();
  CHECK_NOTHROW(check_demotion_races<small>());
}
#ifndef MPX_TEST_EMULATED  // QEMU does not give memory back.
TEST_CASE("inproc: peers are added and dropped") { check_elastic<inproc>(); }
TEST_CASE("inproc: peers are added and dropped over tiny rings") { check_elastic<small>(); }
#endif
TEST_CASE("inproc: a segment has room for so many") {
  using three = basic_inproc<4, 4096, 3>;
  cluster<three> job(1);
  const std::string at = job[0].address();
  std::optional<three> one(std::in_place, at), two(std::in_place, at);
  try {
    const three none(at);
    FAIL("no error");
  } catch (const mpx::error& e) {
    CHECK(e.code() == mpx::errc::no_resources);
    CHECK(std::string(e.what()).find("MembersMax") != std::string::npos);
  }
  const std::string left = one->address();
  one.reset();
  CHECK(job[0].add_peer(1, left) == mpx::errc::peer_lost);
  one.emplace(at);
  CHECK(one->address() != left);  // The same place, another owner.
  CHECK(job[0].add_peer(1, left) == mpx::errc::peer_lost);
  CHECK(job[0].add_peer(1, one->address()) == mpx::errc{});
  CHECK_THROWS_AS(small(std::string_view(at)), mpx::error);  // Rings of another shape.
  CHECK_THROWS_AS(three(std::string_view("inproc 1 2 3 4 5 6 7")), mpx::error);
  // A job that starts with more ranks has room for these.
  cluster<three> five(5);
  CHECK_THROWS_AS(three(std::string_view(five[0].address())), mpx::error);
}
#ifndef MPX_TEST_EMULATED
TEST_CASE("inproc: memory of dropped peers is returned") {
  cluster<inproc> job(1);
  const auto pages = [&] {
    const auto& memory = job[0].segment().memory();
    std::vector<unsigned char> there(memory.size() / 4096);
    REQUIRE(::mincore(memory.data(), there.size() * 4096, there.data()) == 0);
    return std::count_if(there.begin(), there.end(), [](unsigned char t) { return t & 1; });
  };
  const std::string at = job[0].address();
  const auto before = pages();
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<inproc>> others;
    keeper sink;
    for (peer_id p = 1; p < 8; ++p) {
      others.push_back(std::make_unique<inproc>(std::string_view(at)));
      REQUIRE(others.back()->add_peer(1, at) == mpx::errc{});
      REQUIRE(job[0].add_peer(p, others.back()->address()) == mpx::errc{});
      while (post(*others.back(), 1, 0, 5000) == outcome::done) continue;
      while (post(job[0], p, 0, 5000) == outcome::done) continue;
    }
    while (job[0].poll(sink) != 0) continue;
    CHECK(pages() > before + 7 * 2 * 60);
    others.clear();
    for (peer_id p = 1; p < 8; ++p) job[0].drop_peer(p);
    CHECK(pages() <= before + 8);  // The words that name linked members.
    CHECK(job[0].peers() == 8);
  }
}
#endif
TEST_CASE("inproc: forged memory") {
  check_forged_lines<small>(small_geometry);
  check_forged_attention<small>();
  check_noise<small>(small_geometry);
}

}  // namespace
