// SPDX-License-Identifier: BSL-1.0
// alone: yes
// timeout: 240
// The contract over shared memory and sockets at once, and what transport hybrid alone promises.

#include <mpx/transport/hybrid.hpp>
#include <mpx/transport/shm.hpp>
#include <mpx/transport/tcp.hpp>
#include <ostream>
#include <string>

#include "contract.hpp"
#include "core/errc_of.hpp"
#include "helped.hpp"
#include "pollable.hpp"
#include "pretended.hpp"

namespace {

using namespace transport_contract;
using mpx::transport::basic_shm;
using mpx::transport::basic_tcp;
using mpx::transport::hybrid;

using near = basic_shm<4, 256 * 1024>;
using small = connected_hybrid<near, basic_tcp<64 * 1024, false, 100'000>>;  // Soon full.
using pending = connected_hybrid<near, basic_tcp<64 * 1024, true>>;
using usual = hybrid<mpx::transport::shm, mpx::transport::tcp>;
using helped_transport::helped;

static_assert(mpx::NearFarTransport<usual> && mpx::PollableTransport<usual>);
static_assert(mpx::SharedMemoryTransport<usual> && mpx::CpuCopyTransport<usual>);
static_assert(mpx::ConnectionTransport<usual>);
static_assert(mpx::StreamTransport<usual>);
static_assert(!mpx::ElasticTransport<usual>);
static_assert(usual::traits.packet_bytes_max == 64 * 1024 && usual::traits.posts_pend);
static_assert(usual::traits.layout !=
              hybrid<basic_shm<16, 4096>, mpx::transport::tcp>::traits.layout);

TEST_CASE("hybrid: all ranks on one host") {
  check_identity<small>();
  check_sizes<small>();
  check_self_send<small>();
  check_full_channel<small>();
  check_fairness<small>();
  check_no_starvation<small>();
  check_refilling_source<small>();
  check_peeking<small>();
  check_prepaid<small>();
  check_going_on<usual>();
  check_dropping<small>();
  check_waiting<small>();
  check_pollable<small>();
  check_shared_memory<small>();
}
TEST_CASE("hybrid: one rank on each host") {
  const pretended hosts("0,1,2,3,4,5,6,7");
  check_packets<helped<small>>();
  check_pollable<helped<small>>();
}
TEST_CASE("hybrid: some near, some far") { check_near_and_far<small>(); }
TEST_CASE("hybrid: a rank leaves") {
  const pretended hosts("0,1");
  check_parting<usual>();
}
TEST_CASE("hybrid: posts that wait where they are") {
  const pretended hosts("0,1,2,0");
  check_pending<helped<pending>>();
  check_placing<helped<pending>>();
  check_dropping<helped<pending>>();
}
TEST_CASE("hybrid: traffic") {
  const pretended hosts("0,1,1");
  for (const peer_id n : {2u, 3u, 4u, 7u}) {
    CAPTURE(n);
    const auto count = static_cast<std::uint32_t>(1000 / slowdown / n);
    CHECK_NOTHROW(check_all_to_all<pending>(n, count, n != 3));
    if (n == 3) CHECK_NOTHROW(check_all_to_all<pending>(n, count, true));
  }
}

TEST_CASE("hybrid: near peers, and the node of a rank") {
  const pretended hosts("7,3,7,0");
  cluster<small> job(6);
  const peer_id nodes[] = {0, 1, 0, 3, 0, 1};
  for (peer_id r = 0; r < job.size(); ++r) {
    for (peer_id other = 0; other < job.size(); ++other) {
      CHECK(job[r].is_near(other) == (nodes[r] == nodes[other]));
      CHECK(job[r].node_of(other) == nodes[other]);
    }
  }
}

TEST_CASE("hybrid: a far peer reaches no memory") {
  const pretended hosts("0,1");
  cluster<small> job(2);
  std::vector<std::byte> buffer(64);
  CHECK(job[0].expose(1, buffer).key == 0);
  const mpx::remote_memory here = job[0].expose(0, buffer);
  CHECK(job[1].get_cost_hint(0, here, 64) == mpx::cost_hint::never);
  CHECK(job[1].get(0, here, 0, buffer, 1) == outcome::refused);
  CHECK(job[1].put(0, here, 0, buffer, 1) == outcome::refused);
  CHECK(job[0].withdraw(0, here) == outcome::done);
  const std::uint64_t block = job[0].make_block(64);
  CHECK(block != 0);
  CHECK(job[0].block_at(0, block, 64) != nullptr);
  CHECK(job[1].block_at(0, block, 64) == nullptr);
  job[0].free_block(block);
}

TEST_CASE("hybrid: a flood from one side does not delay the other side") {
  const pretended hosts("0,0,1");
  cluster<small> job(3);
  for (const peer_id flooding : {1u, 2u}) {
    const peer_id late = 3 - flooding;
    std::uint32_t flood = 0;
    keeper sink;
    const auto fill = [&] {
      for (int i = 0; i < 100 && post(job[flooding], 0, flood, 8) == outcome::done; ++i) ++flood;
      job[2].progress();
    };
    for (std::uint32_t i = 0; i < 20; ++i) {
      for (int quiet = 0; quiet < 100; ++quiet) {
        fill();
        job[0].poll(sink);
      }
      REQUIRE(post(job[late], 0, i, 8) == outcome::done);
      bool served = false;
      const deadline limit;
      for (int polls = 0; !served; ++polls) {
        if (polls >= 64) limit.check("the other side is served");  // The kernel is no part of this.
        sink.packets.clear();
        fill();
        job[0].poll(sink);
        for (const arrived& p : sink.packets) served = served || p.source == late;
      }
    }
  }
}

TEST_CASE("hybrid: hosts that cannot be read are an error") {
  for (const char* list :
       {"", "x", "0,", ",0", "0,,1", "0 1", "0,one", "0,-1", "1000001", "18446744073709551616"}) {
    CAPTURE(list);
    const pretended hosts(list);
    CHECK(ranks::errc_of([] { cluster<small> job(1); }) == mpx::errc::argument);
    CHECK(ranks::text_of([] { cluster<small> job(1); }) ==
          "MPX_PRETEND_HOSTS=" + std::string(list) +
              ": give the host of rank 0, of rank 1, and so on, as numbers from 0 to 1000000 with "
              "commas between; it begins anew where it ends: invalid argument");
  }
}

}  // namespace
