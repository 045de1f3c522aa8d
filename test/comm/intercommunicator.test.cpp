// SPDX-License-Identifier: BSL-1.0
// Communicators between two groups: their messages and collectives, merging, and what is wrong.
// release: tsan

#include <mpx/intercommunicator.hpp>

#include "comm/ranks.hpp"

namespace {

template <class Stack>
void talk_inter(mpx::intercommunicator<Stack> inter, bool low, mpx::rank_t here,
                mpx::rank_t there) {
  REQUIRE(inter.size() == here);
  REQUIRE(inter.remote_size() == there);
  const mpx::rank_t me = inter.rank();
  for (const std::size_t bytes : {8, 100'000}) {
    const auto out = ranks::message(bytes, static_cast<std::uint64_t>(me + (low ? 0 : 100)));
    std::vector<std::byte> in(bytes);
    std::vector<mpx::request<Stack>> sends;
    for (mpx::rank_t r = 0; r < there; ++r) sends.push_back(inter.isend(out, r, 3));
    for (mpx::rank_t r = 0; r < there; ++r) {
      const auto got = bytes == 8 ? inter.recv(in, mpx::any_source, 3) : inter.recv(in, r, 3);
      CHECK(ranks::holds(in, static_cast<std::uint64_t>(got.source() + (low ? 100 : 0))));
    }
    for (auto& s : sends) s.wait();
    inter.barrier();
  }
  CHECK(inter.allreduce(me + 1, std::plus<>{}) == there * (there + 1) / 2);
  const auto all = inter.allgather(me * 3);
  REQUIRE(all.size() == static_cast<std::size_t>(there));
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(all[i] == static_cast<mpx::rank_t>(i) * 3);
  for (const bool from_low : {true, false}) {
    const mpx::rank_t root = (from_low == low ? here : there) - 1;
    int x = from_low == low && me == root ? 77 : 0;
    const mpx::rank_t mine = me == root ? mpx::this_root : mpx::rank_t{mpx::proc_null};
    inter.bcast(x, from_low == low ? mine : root);
    if (from_low != low || me == root) CHECK(x == 77);
  }
  CHECK(ranks::errc_of([&] { inter.send(1, there); }) == mpx::errc::rank);
  inter.barrier();
}

}  // namespace

TEST_CASE_TEMPLATE("intercommunicators: connect, talk, collectives, dup, merge, free", Stack,
                   ranks::inproc, ranks::multiple) {
  ranks::run_at_all_counts<Stack>([](auto world) {
    const mpx::rank_t n = world.size();
    if (n == 1) return;
    for (const mpx::rank_t cut : {mpx::rank_t{1}, n / 2}) {
      const bool low = world.rank() < cut;
      auto half = world.split(low ? 0 : 1);
      // Leaders: the last of the low ones, the first of the others.
      const mpx::rank_t leader = low ? half.size() - 1 : 0;
      auto inter =
          mpx::intercommunicator<Stack>::connect(half, leader, world, low ? cut : cut - 1, 5);
      half.free();
      const mpx::rank_t here = low ? cut : n - cut;
      CHECK(inter.rank() == (low ? world.rank() : world.rank() - cut));
      CHECK(inter.remote_group().size() == n - here);
      CHECK(inter.group_here().rank() == inter.rank());
      talk_inter(inter, low, here, n - here);
      auto twin = inter.dup();
      talk_inter(twin, low, here, n - here);
      auto merged = inter.merge(!low);
      CHECK(merged.compare(world) == mpx::comparison::congruent);
      auto turned = inter.merge(low);
      CHECK(turned.rank() == (low ? world.rank() + n - cut : world.rank() - cut));
      auto equal = inter.merge(true);
      CHECK(equal.compare(world) == mpx::comparison::congruent);
      for (auto* c : {&merged, &turned, &equal}) CHECK(c->allreduce(1, std::plus<>{}) == n);
      inter.free();
      CHECK(!inter);
      talk_inter(twin, low, here, n - here);
      twin.free();
      merged.free();
      turned.free();
      equal.free();
    }
    world.barrier();
  });
}

TEST_CASE("intercommunicators: a duplicate that is started") {
  for (const mpx::rank_t n : {2, 4, 7})
    ranks::run<ranks::multiple>(n, [n](auto world) {
      const mpx::rank_t cut = n / 2;
      const bool low = world.rank() < cut;
      auto half = world.split(low ? 0 : 1);
      auto inter = mpx::intercommunicator<ranks::multiple>::connect(half, 0, world, low ? cut : 0);
      decltype(inter) twins[3];
      std::vector<mpx::request<ranks::multiple>> under_way;
      for (auto& t : twins) under_way.push_back(inter.idup(t));
      talk_inter(inter, low, inter.size(), inter.remote_size());
      mpx::wait_all(under_way);
      std::error_code ec;
      auto last = twins[1].dup(ec);
      CHECK(!ec);
      for (auto& t : twins) {
        talk_inter(t, low, t.size(), t.remote_size());
        t.free();
      }
      talk_inter(last, low, last.size(), last.remote_size());
      for (int i = 0; n == 4 && i < 3000; ++i) {  // Contexts come back.
        last.dup(ec).free();
        if (ec) break;
        if (i % 64 == 0) last.barrier();
      }
      CHECK(!ec);
      last.free();
      // The original is freed before the duplicate is made, and its memory is used for another one.
      decltype(inter) late;
      auto making = inter.idup(late);
      const mpx::group here = inter.group_here();
      const mpx::group there = inter.remote_group();
      inter.free();
      auto turned = world.split(0, -world.rank());
      making.wait();
      talk_inter(late, low, low ? cut : n - cut, low ? n - cut : cut);
      CHECK(late.group_here() == here);
      CHECK(late.remote_group() == there);
      auto part = late.split(0, late.rank());
      talk_inter(part, low, late.size(), late.remote_size());
      for (auto* made : {&late, &part}) made->free();
      turned.free();
      half.free();
    });
}

TEST_CASE("intercommunicators: split and create") {
  ranks::run<ranks::inproc>(7, [](auto world) {
    const bool low = world.rank() < 3;
    auto half = world.split(low ? 0 : 1);
    auto inter = mpx::intercommunicator<ranks::inproc>::connect(half, 0, world, low ? 3 : 0);
    const mpx::rank_t me = inter.rank();
    // Even ones and odd ones, from the last to the first: 2 + 2 and 1 + 2 ranks.
    auto part = inter.split(me % 2, -me);
    REQUIRE(static_cast<bool>(part));
    CHECK(part.size() == (me % 2 == 0 || !low ? 2 : 1));
    CHECK(part.remote_size() == (me % 2 == 0 || low ? 2 : 1));
    CHECK(part.rank() == (part.size() - 1) - me / 2);
    talk_inter(part, low, part.size(), part.remote_size());
    auto merged = part.merge(low);
    CHECK(merged.rank() == part.rank() + (low ? part.remote_size() : 0));
    CHECK(merged.allreduce(1, std::plus<>{}) == merged.size());
    merged.free();
    part.free();
    // A color of one group alone, and none.
    part = inter.split(low ? (me == 0 ? mpx::undefined : 1) : me == 3 ? 1 : 2, me);
    CHECK(static_cast<bool>(part) == (low ? me != 0 : me == 3));
    if (part) {
      talk_inter(part, low, low ? 2 : 1, low ? 1 : 2);
      part.free();
    }
    std::error_code ec;
    (void)inter.split(me == 1 && low ? -7 : 0, 0, ec);
    CHECK(ec == mpx::errc::argument);
    const mpx::rank_t some[] = {2, 0};
    part = inter.create(mpx::include(inter.group_here(), some));
    CHECK(static_cast<bool>(part) == (me % 2 == 0 && me <= 2));
    if (part) {
      CHECK(part.rank() == (me == 2 ? 0 : 1));
      talk_inter(part, low, 2, 2);
      part.free();
    }
    CHECK(!inter.create(low ? mpx::group() : inter.group_here()));
    CHECK(!inter.create(low ? inter.remote_group() : inter.group_here(), ec));
    CHECK(ec == mpx::errc::argument);
    talk_inter(inter, low, inter.size(), inter.remote_size());
    inter.free();
    half.free();
  });
}

TEST_CASE("intercommunicators: errors, for all of both groups") {
  ranks::run<ranks::inproc>(4, [](auto world) {
    using inter = mpx::intercommunicator<ranks::inproc>;
    auto half = world.split(world.rank() / 2);
    const auto why = [&](auto call) { return ranks::errc_of(call); };
    CHECK(why([&] { (void)inter::connect(half, 5, world, 0); }) == mpx::errc::rank);
    CHECK(why([&] { (void)inter::connect(half, 0, world, 9); }) == mpx::errc::rank);
    CHECK(why([&] { (void)inter::connect(half, 0, world, 0, -1); }) == mpx::errc::tag);
    std::error_code ec;
    CHECK(!inter::connect(half, 0, world, 9, 0, ec));
    CHECK(ec == mpx::errc::rank);
    const bool low = world.rank() < 2;
    const mpx::rank_t other = low ? 2 : 0;
    // Both groups learn of an error of one.
    const auto told = [&](mpx::rank_t leader, auto mine) {
      CHECK(!inter::connect(half, leader, world, other, 7, ec));
      CHECK(ec == (low ? mine : mpx::errc::peer_lost));
    };
    told(world.rank() == 1 ? 77 : 0, mpx::errc::rank);
    told(world.rank() == 1 ? 1 : 0, mpx::errc::rank);  // They say different ones.
    // Overlapping groups, with any leader.
    for (const mpx::rank_t remote : {0, 1}) {
      CHECK(!inter::connect(world, 0, world, remote, 0, ec));
      CHECK(ec == mpx::errc::argument);
      CHECK(why([&] { (void)inter::connect(world, 0, world, remote); }) == mpx::errc::argument);
    }
    CHECK(!!inter::connect(half, 0, world, other, 0, ec));
    CHECK(!ec);
    world.barrier();
  });
}

TEST_CASE(
    "intercommunicators: a group at the limit of communicators reports it to the other group") {
  ranks::run<ranks::inproc>(3, [](auto world) {
    using inter = mpx::intercommunicator<ranks::inproc>;
    const bool low = world.rank() == 0;
    auto half = world.split(low ? 0 : 1);
    std::vector<decltype(world)> all;
    std::error_code ec;
    while (!ec) all.push_back((all.size() % 2 == 0 ? world : all.back()).dup(ec));
    CHECK(ec == mpx::errc::communicator);
    CHECK(!inter::connect(half, 0, world, low ? 1 : 0, 3, ec));
    CHECK(ec == mpx::errc::communicator);
    CHECK(world.allreduce(1, std::plus<>{}) == 3);
  });
}
