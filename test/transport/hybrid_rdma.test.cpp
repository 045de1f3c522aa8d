// SPDX-License-Identifier: BSL-1.0
// alone: yes
// timeout: 240
// The contract over shared memory and a software card at once: packets, and memory that near peers
// reach by copies and far peers by the card.

#include <mpx/transport/hybrid.hpp>
#include <mpx/transport/rdma.hpp>
#include <mpx/transport/rdma/via.hpp>
#include <mpx/transport/shm.hpp>
#include <ostream>
#include <vector>

#include "atomics.hpp"
#include "contract.hpp"
#include "helped.hpp"
#include "immediate.hpp"
#include "placed.hpp"
#include "pollable.hpp"
#include "pretended.hpp"
#include "rdma_hostile.hpp"

namespace {
namespace hybrid_rdma {

using namespace transport_contract;
using helped_transport::helped;
using mpx::transport::basic_rdma;
using mpx::transport::basic_shm;
using mpx::transport::hybrid;
using via = mpx::nic::via;

using near = basic_shm<4, 256 * 1024>;
using usual = hybrid<mpx::transport::shm, mpx::transport::rdma<via>>;
using narrow = connected_hybrid<near, basic_rdma<via, 4096, 80>>;                    // Soon full.
using direct = connected_hybrid<near, basic_rdma<via, 64 * 1024, 64, 16000, 1000>>;  // Posts pend.

static_assert(mpx::NearFarTransport<usual> && mpx::PollableTransport<usual>);
static_assert(mpx::SharedMemoryTransport<usual> && mpx::CpuCopyTransport<usual>);
static_assert(mpx::RegisteredTransport<usual> && mpx::ImmediateTransport<usual>);
static_assert(mpx::ConnectionTransport<usual> && !mpx::StreamTransport<usual>);

TEST_CASE("hybrid with rdma: all ranks on one host") {
  check_identity<narrow>();
  check_sizes<narrow>();
  check_full_channel<narrow>();
  check_fairness<narrow>();
  check_peeking<narrow>();
  check_prepaid<narrow>();
  check_waiting<narrow>();
  check_pollable<narrow>();
  check_shared_memory<narrow>();
}
TEST_CASE("hybrid with rdma: one rank on each host") {
  const pretended hosts("0,1,2,3,4,5,6,7");
  check_packets<helped<narrow>>();
}
TEST_CASE("hybrid with rdma: some near, some far") { check_near_and_far<narrow>(); }
TEST_CASE("hybrid with rdma: a rank leaves") {
  const pretended hosts("0,1");
  check_parting<usual>();
}
TEST_CASE("hybrid with rdma: posts that wait where they are") {
  const pretended hosts("0,1,2,0");
  check_pending<helped<direct>>();
}
TEST_CASE("hybrid with rdma: traffic") {
  const pretended hosts("0,1,1");
  for (const peer_id n : {2u, 3u, 4u}) {
    CAPTURE(n);
    CHECK_NOTHROW(
        check_all_to_all<usual>(n, static_cast<std::uint32_t>(1000 / slowdown / n), true));
  }
}
TEST_CASE("hybrid with rdma: puts with packets to a far peer") {
  const pretended hosts("0,1");
  check_immediate<usual>(1, 1000 / slowdown);
}

TEST_CASE("hybrid with rdma: a put that has completed is in the peer's memory") {
  for (const char* both : {"0,1", "0,0"}) {
    const pretended hosts(both);
    check_placed<usual>(1, 500 / slowdown);
  }
}

TEST_CASE("hybrid with rdma: atomic accesses to a far peer") {
  const pretended hosts("0,1,0");
  check_atomics<usual>(1, 1000 / slowdown);
  cluster<usual> job(3);
  CHECK(job[0].atomics(2).empty());
  CHECK(job[0].atomics(1) == mpx::atomic_set::all(true));
}

TEST_CASE("hybrid with rdma: each peer's memory is reached by its transport") {
  const pretended hosts("0,0,1");
  cluster<usual> job(3);
  std::vector<std::byte> there(50'000);
  std::vector<std::byte> here(50'000);
  patterns::fill(there, 7);
  CHECK(!job[0].prefers_put(1));
  CHECK(job[0].prefers_put(2));
  const mpx::remote_memory by_copy = job[1].expose(0, there);
  REQUIRE(by_copy.key != 0);
  CHECK(job[0].get_cost_hint(1, by_copy, 50'000) != mpx::cost_hint::never);
  REQUIRE(job[0].get(1, by_copy, 0, here, 1) == outcome::done);
  CHECK(here == there);
  CHECK(job[0].put_then(1, by_copy, 0, here, header_of(0), 1) == outcome::refused);
  CHECK(job[1].retire(0, by_copy) == outcome::done);
  CHECK(job[0].get(1, by_copy, 0, here, 1) == outcome::refused);

  const mpx::remote_memory far = job[1].expose(2, there);
  REQUIRE(far.key != 0);
  CHECK(job[2].get_cost_hint(1, far, 50'000) == mpx::cost_hint::never);
  patterns::fill(here, 9);
  ends_keeper sink;
  keeper own;
  const deadline limit;
  outcome o = outcome::retry;
  while ((o = job[2].put(1, far, 0, here, 5)) == outcome::retry) {
    job[2].poll(sink);
    job[1].poll(own);
    limit.check("a put begins");
  }
  REQUIRE(o == outcome::pending);
  while (sink.ended.empty()) {
    job[2].poll(sink);
    job[1].poll(own);
    limit.check("a put ends");
  }
  CHECK((sink.ended.size() == 1 && sink.ended[0].first == 5 && sink.ended[0].second));
  CHECK(there == here);
  CHECK(job[1].withdraw(2, far) != outcome::retry);
}

TEST_CASE("hybrid with rdma: allocated memory is shared, and registered once") {
  const pretended hosts("0,0,1");
  cluster<usual> job(3);
  constexpr std::size_t bytes = 200'000;
  void* const p = job[1].allocate(bytes, 64);
  const std::span<std::byte> there(static_cast<std::byte*>(p), bytes);
  for (int again = 0; again < 3; ++again) {
    const mpx::remote_memory far = job[1].expose(2, there);
    REQUIRE(far.key != 0);
    static_cast<void>(job[1].retire(2, far));
  }
  CHECK(job[1].far().registrations().misses == 1);
  job[1].deallocate(p, bytes);
}

}  // namespace hybrid_rdma
}  // namespace
