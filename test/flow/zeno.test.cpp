// SPDX-License-Identifier: BSL-1.0

#include <mpx/flow/zeno.hpp>

#include "contract.hpp"

namespace {

using mpx::any_peer;
using mpx::peer_id;
using mpx::unexpected_cost;
using mpx::flow::zeno;

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;

/// The payload whose cost is exactly `cost` bytes.
constexpr std::size_t costing(std::size_t cost) { return cost - unexpected_cost(0) + 16; }
static_assert(unexpected_cost(costing(4096)) == 4096 && unexpected_cost(costing(4096) + 1) == 4160);

/// Sends messages of 1 KiB until one does not leave; returns their bytes, with records.
template <class F>
std::uint64_t fill(F& sender, peer_id to) {
  std::uint64_t bytes = 0;
  while (sender.try_acquire(to, costing(kib))) bytes += kib;
  return bytes;
}

/// `sender` (rank 0) needs more: what it may then have in memory at `receiver`, where it is `from`.
template <class F>
std::uint64_t grow(F& sender, F& receiver, peer_id from) {
  std::uint64_t bytes = fill(sender, 0);
  const mpx::share_change change = receiver.demand(from, costing(kib));
  CHECK(change.reclaim == any_peer);
  CHECK(sender.incoming(0, receiver.outgoing(from)));
  bytes += fill(sender, 0);
  return bytes;
}

TEST_CASE("zeno: the contract") {
  flow_contract::check_traffic<zeno<>>();
  flow_contract::check_traffic<zeno<1, mib>>();
  flow_contract::check_traffic<zeno<2, 4096>>();
  flow_contract::check_traffic<zeno<4, 256 * mib, 1>>();
  flow_contract::check_traffic<zeno<2048, 256 * mib>>();
}

TEST_CASE("zeno: peers are added and dropped") {
  flow_contract::check_elastic<zeno<4, mib / 8, 64 * kib>>(mib / 8);
  flow_contract::check_elastic<zeno<1, mib, 256 * kib>>(mib);
}

TEST_CASE("zeno: shares move") {
  flow_contract::check_reassigning<zeno<1, mib>>(15, 4096, 3900);
  flow_contract::check_reassigning<zeno<4, mib>>(63, 4096, 3900);  // The minima: 4 KiB each.
  flow_contract::check_reassigning<zeno<1, 8192, 256>>(7, 300, 16);
  flow_contract::check_reassigning<zeno<1, mib, 1024>>(7, 1000, 900);
}

TEST_CASE("zeno: half for the first peers, half of the rest for the next") {
  using flow = zeno<2, mib, kib>;
  flow receiver(8);
  CHECK(receiver.bytes_bound() == mib);
  constexpr std::uint64_t rest = mib - 8 * kib;
  CHECK(receiver.window_bytes() == kib + rest / 4);
  std::uint64_t total = 0;
  for (const peer_id p : {1u, 7u, 2u, 3u, 5u, 4u, 6u, 0u}) {
    CAPTURE(p);
    flow sender(8);
    const std::uint64_t expected = total < 2 * rest / 4   ? rest / 4
                                   : total < 3 * rest / 4 ? rest / 8
                                                          : rest / 16;
    const std::uint64_t got = grow(sender, receiver, p);
    CHECK(got <= kib + expected);
    CHECK(got + 2 * kib > kib + expected);
    total += expected;
  }
  CHECK(total == rest);
}

TEST_CASE("zeno: one sender of sixteen ranks fills half of the memory") {
  using flow = zeno<1, 16 * mib>;
  flow receiver(16), sender(16);
  const std::uint64_t first = fill(sender, 0);
  CHECK(first == 16 * kib);  // Before it is known to be active.
  flow again(16);
  CHECK(grow(again, receiver, 5) > 7 * mib);
}

TEST_CASE("zeno: a peer that uses half of its minimum without an answer gets a place") {
  using flow = zeno<1, mib, 8 * kib>;
  flow receiver(4);
  for (int i = 0; i < 4; ++i) CHECK(!receiver.release(2, costing(kib)));
  CHECK(receiver.granted_bytes(2) == 8 * kib);
  CHECK(receiver.release(2, costing(kib)));
  CHECK(receiver.granted_bytes(2) == receiver.window_bytes());
  for (int i = 0; i < 1000; ++i) {  // In requests and replies the counts are never late.
    CHECK(!receiver.release(3, costing(kib)));
    CHECK(receiver.outgoing(3) != 0);
  }
  CHECK(receiver.granted_bytes(3) == 8 * kib);
}

TEST_CASE("zeno: a silent peer gives back what it has not used") {
  using flow = zeno<1, mib, 4 * kib>;
  flow receiver(3), first(3), second(3);
  const std::uint64_t filled = grow(first, receiver, 1);
  CHECK(filled > 500 * kib);
  mpx::share_change next;
  CHECK(!receiver.returned(1, 0, next));  // It was not asked.
  for (std::uint64_t left = filled; left > 100 * kib; left -= kib)
    static_cast<void>(receiver.release(1, costing(kib)));
  CHECK(first.incoming(0, receiver.outgoing(1)));

  // The second peer gets the next place first, and needs the first one's when that is silent.
  CHECK(receiver.demand(2, costing(kib)).update == 2);
  CHECK(receiver.granted_bytes(2) < 300 * kib);
  CHECK(receiver.demand(0, costing(kib)).update == 0);  // No memory is free then.
  mpx::share_change change;
  int demands = 0;
  for (; demands < 1000 && change.reclaim == any_peer; ++demands)
    change = receiver.demand(2, costing(kib));
  CHECK(demands < 510);
  CHECK(demands > 500);  // As much as the share has passed.
  REQUIRE(change.reclaim == 1);
  CHECK(receiver.demand(2, costing(kib)).reclaim == any_peer);  // Asked once.
  CHECK(receiver.granted_bytes(2) < 300 * kib);                 // Not before the answer.

  const std::uint64_t before = receiver.granted_bytes(1);
  const std::uint32_t units = first.give_back(0, receiver.share(1));
  CHECK(units > 1000);
  const auto too_much = static_cast<std::uint32_t>(before / 64 + 1);
  CHECK(!receiver.returned(1, too_much, next));
  CHECK(receiver.returned(1, units, next));
  CHECK(receiver.granted_bytes(1) == before - units * 64);
  CHECK(receiver.demand(2, costing(kib)).update == 2);
  CHECK(receiver.granted_bytes(2) > 400 * kib);
  CHECK(first.try_acquire(0, costing(4 * kib)));  // The minimum is left.
  CHECK(receiver.granted_bytes(1) + receiver.granted_bytes(2) <= mib);
}

TEST_CASE("zeno: a peer whose share became smaller while it was asked is asked again") {
  using flow = zeno<1, mib, 4 * kib>;
  flow receiver(4), first(4);
  const std::uint64_t filled = grow(first, receiver, 1);
  for (std::uint64_t left = filled; left > 0; left -= kib)
    static_cast<void>(receiver.release(1, costing(kib)));
  CHECK(first.incoming(0, receiver.outgoing(1)));
  CHECK(receiver.demand(3, costing(kib)).reclaim == any_peer);
  CHECK(receiver.prefer(3).reclaim == 1);
  const std::uint32_t kept = receiver.share(1);
  CHECK(receiver.prefer(2).reclaim == any_peer);  // The first question is not answered.
  CHECK(receiver.share(1) < kept);
  mpx::share_change next;
  CHECK(receiver.returned(1, first.give_back(0, kept), next));
  REQUIRE(next.reclaim == 1);
  next = {};
  CHECK(receiver.returned(1, first.give_back(0, receiver.share(1)), next));
  CHECK(next.reclaim == any_peer);
  CHECK(receiver.granted_bytes(1) == receiver.share(1) * 64);
  CHECK(!receiver.returned(1, 0, next));
}

TEST_CASE("zeno: a preferred peer has its place at once, and keeps it") {
  using flow = zeno<1, mib, 4 * kib>;
  flow receiver(4), first(4);
  CHECK(grow(first, receiver, 1) > 500 * kib);
  mpx::share_change change = receiver.prefer(3);
  CHECK(change.reclaim == 1);
  mpx::share_change next;
  CHECK(receiver.returned(1, first.give_back(0, receiver.share(1)), next));
  CHECK(next.reclaim == any_peer);
  CHECK(receiver.share(3) * 64 == receiver.window_bytes());
  CHECK(receiver.prefer(3).reclaim == any_peer);
  for (int i = 0; i < 1000; ++i) CHECK(receiver.demand(2, costing(kib)).reclaim != 3);
  receiver.prefer_none();
  bool reclaimed = false;
  for (int i = 0; i < 1000; ++i)
    reclaimed = reclaimed || receiver.demand(2, costing(kib)).reclaim == 3;
  CHECK(receiver.share(2) * 64 == receiver.window_bytes());
  CHECK(reclaimed);

  flow all(3);
  for (const peer_id p : {0u, 1u, 2u}) static_cast<void>(all.prefer(p));
  CHECK(all.share(0) > all.share(1));
  CHECK(all.share(1) >= all.share(2));
}

TEST_CASE("zeno: the share of a lost peer is free, but for its messages in memory") {
  using flow = zeno<1, mib, 4 * kib>;
  flow receiver(3), first(3);
  CHECK(grow(first, receiver, 1) > 500 * kib);
  receiver.lost(1, 10 * kib);
  CHECK(receiver.granted_bytes(1) == 10 * kib);
  flow second(3);
  CHECK(grow(second, receiver, 2) > 500 * kib);
  for (int i = 0; i < 10; ++i) static_cast<void>(receiver.release(1, costing(kib)));
  CHECK(receiver.granted_bytes(1) <= 4 * kib);
  CHECK(receiver.share(2) * 64 == receiver.window_bytes());
}

TEST_CASE("zeno: counts that make no sense are refused, and excess gains nothing") {
  using flow = zeno<1, 64 * kib, 4096>;
  flow f(2);
  CHECK(f.incoming(0, 0));
  CHECK(!f.incoming(0, 2000));
  CHECK(f.incoming(0, 900));
  CHECK(!f.incoming(0, 899));  // Counts do not go back.
  CHECK(f.incoming(0, 900));
  flow receiver(2);
  for (int i = 0; i < 100; ++i) static_cast<void>(receiver.release(1, costing(32 * kib)));
  CHECK(receiver.granted_bytes(0) + receiver.granted_bytes(1) <= 64 * kib);
}

/// Goes round the 32-bit counts, by messages and by credit that is given back.
TEST_CASE("zeno: counts wrap around") {
  using flow = zeno<1, 256 * mib, mib>;
  flow sender(1), receiver(1);
  CHECK(grow(sender, receiver, 0) > 200 * mib);
  sender = flow(1);
  receiver = flow(1);
  static_cast<void>(receiver.demand(0, 8));
  CHECK(sender.incoming(0, receiver.outgoing(0)));
  constexpr std::size_t bytes = costing(64 * mib);
  int wrong = 0;
  for (int i = 0; i < 3; ++i) wrong += sender.try_acquire(0, bytes) ? 0 : 1;
  for (std::uint64_t total = 0; total < (std::uint64_t{1} << 40); total += 64 * mib) {
    wrong += sender.try_acquire(0, bytes) ? 0 : 1;
    wrong += sender.try_acquire(0, bytes) ? 1 : 0;
    static_cast<void>(receiver.release(0, bytes));
    wrong += sender.incoming(0, receiver.outgoing(0)) ? 0 : 1;
    wrong += receiver.granted_bytes(0) == 256 * mib ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("zeno: more peers than memory") {
  zeno<4, mib> narrow(4096);  // 64 bytes each, and a few with more.
  CHECK(narrow.bytes_bound() == mib);
  CHECK(!narrow.try_acquire(4095, 8));
  CHECK(narrow.demand(4095, 8).update == 4095);
  CHECK(narrow.granted_bytes(4095) > 64 * kib);
  zeno<4, 4096> none(4096);
  CHECK(!none.try_acquire(17, 0));
  CHECK(none.demand(17, 0).update == 17);
  CHECK(!none.incoming(17, 1000));
}

}  // namespace
