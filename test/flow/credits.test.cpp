// SPDX-License-Identifier: BSL-1.0

#include <algorithm>
#include <mpx/flow/credits.hpp>
#include <vector>

#include "contract.hpp"

namespace {

using mpx::peer_id;
using mpx::unexpected_cost;
using mpx::flow::credits;

constexpr std::uint64_t mib = 1 << 20;

/// The payload whose cost is exactly `cost` bytes.
constexpr std::size_t costing(std::size_t cost) { return cost - unexpected_cost(0) + 16; }
static_assert(unexpected_cost(costing(4096)) == 4096 && unexpected_cost(costing(4096) + 1) == 4160);

TEST_CASE("credits: the contract") {
  flow_contract::check_traffic<credits<>>();
  flow_contract::check_traffic<credits<mib, 4096>>();
  flow_contract::check_traffic<credits<4096>>();
  flow_contract::check_traffic<credits<256 * mib, 256 * mib>>();
}

TEST_CASE("credits: peers are added and dropped") {
  flow_contract::check_elastic<credits<>>(64 * mib);
  flow_contract::check_elastic<credits<mib / 8, 16'384>>(mib / 8);
  flow_contract::check_elastic<credits<mib, mib>>(mib);
}

TEST_CASE("credits: a newcomer gets a window, or nothing") {
  credits<4096 * 3, 4096> f(1);
  CHECK(f.bytes_bound() == 4096);
  for (const peer_id p : {1u, 2u, 3u, 4u}) CHECK(f.try_add(p));
  CHECK(f.granted_bytes(0) == 4096);
  CHECK(f.granted_bytes(2) == 4096);
  CHECK(f.granted_bytes(3) == 0);
  CHECK(f.bytes_bound() == 3 * 4096);
  f.drop(0);  // A peer that started with the job can be dropped, too.
  f.drop(3);
  CHECK(f.bytes_bound() == 2 * 4096);
  CHECK(f.try_add(3));
  CHECK(f.granted_bytes(3) == 4096);
  CHECK(f.try_add(0));
  CHECK(f.granted_bytes(0) == 0);
  // The sender: his window is what he was granted, and no more than his own.
  f.open(1, 1024);
  CHECK(f.try_acquire(1, costing(1024)));
  CHECK(!f.try_acquire(1, 0));
  CHECK(f.incoming(1, 16));
  CHECK(f.try_acquire(1, costing(1024)));
  f.open(2, 1 << 30);
  CHECK(f.try_acquire(2, costing(4096)));
  CHECK(!f.try_acquire(2, 0));
  f.open(4, 0);
  CHECK(!f.try_acquire(4, 0));
  f.drop(1);
  CHECK(!f.try_acquire(1, 0));
}

TEST_CASE("credits: a message costs its bytes and its record, in blocks") {
  CHECK(unexpected_cost(0) == 128);
  CHECK(unexpected_cost(16) == 128);
  CHECK(unexpected_cost(17) == 192);
  for (std::size_t bytes = 0; bytes < 1000; ++bytes) {
    CHECK(unexpected_cost(bytes) % 64 == 0);
    CHECK(unexpected_cost(bytes) >= bytes + 112);
    CHECK(unexpected_cost(bytes) < bytes + 112 + 64);
  }
}

TEST_CASE("credits: the bound is the budget, or all windows where that is less") {
  CHECK(credits<64 * mib, mib>(1).bytes_bound() == mib);
  CHECK(credits<64 * mib, mib>(2).bytes_bound() == 2 * mib);
  CHECK(credits<64 * mib, mib>(64).bytes_bound() == 64 * mib);
  CHECK(credits<64 * mib, mib>(4096).bytes_bound() == 64 * mib);
  CHECK(credits<64 * mib, mib>(2).window_bytes() == mib);
  CHECK(credits<64 * mib, mib>(4096).window_bytes() == 16'384);
  for (peer_id peers = 1; peers <= 4096; ++peers) {
    const std::uint64_t bound = credits<64 * mib, mib>(peers).bytes_bound();
    CHECK(bound <= 64 * mib);
    CHECK(bound + std::uint64_t{64} * peers > std::min(64 * mib, peers * mib));
  }
}

TEST_CASE("credits: the window is filled to the last block, no further") {
  credits<64 * mib, 4096> f(2);
  CHECK(!f.try_acquire(1, costing(4096) + 1));
  CHECK(f.try_acquire(1, costing(4096)));
  CHECK(!f.try_acquire(1, 0));
  CHECK(f.try_acquire(0, 0));  // Another pair's window is its own.
  f.restore(1, costing(4096));
  for (int i = 0; i < 32; ++i) CHECK(f.try_acquire(1, 16));
  CHECK(!f.try_acquire(1, 0));
  CHECK(f.incoming(1, 4));  // Two messages of two blocks have left.
  CHECK(f.try_acquire(1, 16));
  CHECK(f.try_acquire(1, 16));
  CHECK(!f.try_acquire(1, 0));
}

TEST_CASE("credits: an update is owed when more than half a window went untold") {
  credits<64 * mib, 4096> f(1);  // 64 blocks.
  for (int i = 0; i < 16; ++i) CHECK(!f.release(0, 0));
  CHECK(f.release(0, 0));
  CHECK(f.release(0, 0));
  CHECK(f.outgoing(0) == 36);
  CHECK(f.outgoing(0) == 36);
  for (int i = 0; i < 16; ++i) CHECK(!f.release(0, 0));
  CHECK(f.release(0, 0));
}

TEST_CASE("credits: counts that cannot be true are refused and change nothing") {
  credits<64 * mib, 4096> f(1);
  CHECK(f.incoming(0, 0));
  for (const std::uint32_t lie : {1u, 2u, 0x7fff'ffffu, 0x8000'0000u, 0xffff'ffffu})
    CHECK(!f.incoming(0, lie));
  CHECK(f.try_acquire(0, costing(4096)));
  CHECK(!f.incoming(0, 65));
  CHECK(!f.try_acquire(0, 0));
  CHECK(f.incoming(0, 10));
  CHECK(!f.incoming(0, 9));  // Counts do not go back.
  CHECK(!f.incoming(0, 65));
  CHECK(f.incoming(0, 10));
  CHECK(f.incoming(0, 64));
  CHECK(f.try_acquire(0, costing(4096)));
}

TEST_CASE("credits: prepaid credit counts as used until it is refunded") {
  credits<64 * mib, 4096> f(1);  // 64 blocks.
  CHECK(f.price(0) == 2);
  CHECK(f.price(16) == 2);
  CHECK(f.price(40) == 3);
  CHECK(f.prepay(0) == 8);
  CHECK(f.prepay(0) == 8);
  CHECK(!f.try_acquire(0, costing(64 * 49)));
  CHECK(f.try_acquire(0, costing(64 * 45)));
  CHECK(f.prepay(0) == 3);  // The rest.
  CHECK(f.prepay(0) == 0);
  CHECK(!f.try_acquire(0, 0));
  f.refund(0, 8);
  CHECK(f.prepay(0) == 8);
  CHECK(!f.try_acquire(0, 0));
  f.refund(0, 8);
  f.refund(0, 10);  // One was spent.
  CHECK(!f.incoming(0, 47));
  CHECK(f.incoming(0, 46));
  CHECK(credits<64 * mib, mib>(1).prepay(0) == 256);
  credits<64 * mib, 128> least(1);
  CHECK(least.prepay(0) == 0);
  CHECK(least.try_acquire(0, 16));
  credits<64 * mib, 4096> lied_to(1);  // Its peer says that it has released what was never sent.
  CHECK(lied_to.prepay(0) == 8);
  CHECK(lied_to.incoming(0, 8));
  lied_to.refund(0, 8);
  CHECK(lied_to.try_acquire(0, costing(4096)));
  CHECK(!lied_to.try_acquire(0, 0));
  credits<mib, mib> elastic(1);
  CHECK(elastic.try_add(1));
  CHECK(elastic.prepay(1) == 0);  // Not before it is open.
  elastic.open(1, 1024);
  CHECK(elastic.prepay(1) == 16);
}

/// Goes round the 32-bit counts, in window-sized messages.
TEST_CASE("credits: counts wrap around") {
  using flow = credits<64 * mib, mib>;
  flow sender(1), receiver(1);
  constexpr std::size_t bytes = costing(mib);
  constexpr std::uint64_t blocks = mib / 64;
  int wrong = 0;
  std::uint64_t total = 0;
  for (; total < (std::uint64_t{1} << 33); total += blocks) {
    wrong += sender.try_acquire(0, bytes) ? 0 : 1;
    wrong += sender.try_acquire(0, 0) ? 1 : 0;
    wrong += receiver.release(0, bytes) ? 0 : 1;
    const std::uint32_t count = receiver.outgoing(0);
    wrong += count == static_cast<std::uint32_t>(total + blocks) ? 0 : 1;
    wrong += sender.incoming(0, count + 1) ? 1 : 0;
    wrong += sender.incoming(0, count) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("credits: a partly filled window wraps around too") {
  // Three messages are always on their way while the counts go round.
  using flow = credits<256 * mib, 256 * mib>;
  flow sender(1), receiver(1);
  constexpr std::size_t bytes = costing(64 * mib);
  int wrong = 0;
  for (int i = 0; i < 3; ++i) wrong += sender.try_acquire(0, bytes) ? 0 : 1;
  for (int i = 0; i < 20'000; ++i) {
    wrong += sender.try_acquire(0, bytes) ? 0 : 1;
    wrong += sender.try_acquire(0, 0) ? 1 : 0;
    receiver.release(0, bytes);
    wrong += sender.incoming(0, receiver.outgoing(0)) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("credits: tiny windows of many peers") {
  credits<mib> narrow(4096);  // 256 bytes each: two tiny messages.
  CHECK(narrow.bytes_bound() == mib);
  for (const peer_id p : {0u, 4095u}) {
    CHECK(narrow.try_acquire(p, 8));
    CHECK(narrow.try_acquire(p, 8));
    CHECK(!narrow.try_acquire(p, 8));
    CHECK(!narrow.try_acquire(p, 0));
  }
  CHECK(!narrow.try_acquire(1, 1000));
  CHECK(narrow.incoming(4095, 2));
  CHECK(narrow.try_acquire(4095, 8));

  credits<4096> none(4096);  // One byte each: no message is ever eager.
  CHECK(none.bytes_bound() == 0);
  CHECK(!none.try_acquire(17, 0));
  CHECK(none.incoming(17, 0));
  CHECK(!none.incoming(17, 1));
}

TEST_CASE("credits: a message longer than any window is refused, however long") {
  credits<> f(1);
  for (int shift = 21; shift < 38; ++shift) CHECK(!f.try_acquire(0, std::size_t{1} << shift));
  CHECK(f.try_acquire(0, 8));
}

TEST_CASE("credits: a peer costs sixteen bytes") {
  static_assert(sizeof(credits<>) <= 4 * sizeof(std::vector<int>));  // The rest is in tables.
  CHECK(credits<>(100'000).bytes_bound() <= credits<>::budget_bytes);
}

}  // namespace
