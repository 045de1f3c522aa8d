// SPDX-License-Identifier: BSL-1.0
// timeout: 240

#include <doctest/doctest.h>

#include <exception>
#include <mpx/sim.hpp>
#include <mpx/transport/rdma/sim.hpp>
#include <string>

#include "../transport/nic_contract.hpp"
#include "../transport/scripted_nic.hpp"

namespace nic_sim_test {

using namespace nic_contract;
using mpx::nic::basic_sim;
using mpx::nic::sim_options;

using whole = basic_sim<>;
using unordered = basic_sim<sim_options{
    .transfer_bytes_max = 1000, .send_depth = 3, .reads = false, .in_order = false}>;
using strict = basic_sim<sim_options{.registered_bytes_max = 1 << 16,
                                     .transfer_bytes_max = 9000,
                                     .regions_max = 12,
                                     .send_bytes_max = 256,
                                     .send_depth = 2,
                                     .receive_depth = 8,
                                     .survives_refusals = false}>;
static_assert(mpx::ReadingNic<whole> && mpx::ClockedNic<whole> && !mpx::ReadingNic<unordered>);
static_assert(mpx::AtomicNic<whole> && mpx::AtomicNic<scripted_nic<unordered>>);

struct run_of : mpx::sim::result {
  std::exception_ptr failure;
};

/// Runs `body(player)` on simulated ranks.
template <class N, class Body>
run_of run(peer_id ranks, std::uint64_t seed, Body&& body, mpx::sim::options o = {},
           mpx::sim::loggp model = {.jitter_ns = 300}) {
  run_of all;
  mpx::sim::detail::network_of<mpx::sim::loggp> network(model);
  mpx::sim::detail::world world(static_cast<mpx::rank_t>(ranks), network, seed, std::move(o));
  const auto one = [&](mpx::rank_t rank) {
    try {
      mpx::bootstrap::sim me(world, rank);
      card_of<N> own(me);
      me.fence([] {});
      player p(own, meeting_of(me));
      p.simulated = true;
      body(p);
      me.mark_finished();
    } catch (...) {
      if (!world.cut_off(rank) && !all.failure) all.failure = std::current_exception();
    }
  };
  for (mpx::rank_t r = 0; r < world.size(); ++r)
    world.scheduler().add(world.options().stack_bytes, [&one, r] { one(r); });
  world.scheduler().run([&] { world.stuck([] { return std::string("all sleep"); }); });
  static_cast<mpx::sim::result&>(all) = world.result();
  return all;
}

template <class N>
void run_all(std::uint64_t seeds) {
  for (const check& what : checks) {
    CAPTURE(std::string(what.name));
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      CAPTURE(seed);
      const peer_id ranks = what.ranks != 0 ? what.ranks : seed % 2 == 0 ? 4 : 3;
      const run_of all = run<N>(ranks, seed, what.run);
      CHECK_NOTHROW(all.failure ? std::rethrow_exception(all.failure) : void());
      CHECK(all.stuck.empty());
    }
  }
}

TEST_CASE("nic::sim: the contract") { run_all<whole>(4); }
TEST_CASE("nic::sim: in any order") { run_all<unordered>(12); }
TEST_CASE("nic::sim: with little of everything") { run_all<strict>(4); }
TEST_CASE("nic::sim: late, full and in any order") { run_all<scripted_nic<unordered>>(6); }

TEST_CASE("nic::sim: equal seeds give equal runs, and reordering happens") {
  const auto play = [](player& p) {
    for (int i = 0; i < 32; ++i) p.post_receive(1 - p.self(), 0);
    p.connect(1 - p.self());
    for (std::uint32_t i = 0; i < 32 && p.self() == 0; ++i) {
      const cookie_t cookie = p.next++;
      p.until(
          [&] {
            return p.c.post_write(1, 0, {}, {}, 0, nic_until::taken, i, cookie) != outcome::retry;
          },
          "room");
    }
    if (p.self() == 0) return p.fence();
    p.until_received(32);
    bool sorted = true;
    for (std::uint32_t i = 0; i < 32; ++i) sorted = sorted && p.received[i].immediate == i;
    p.fence();
    require(sorted == p.c.traits().arrivals_in_order, "an order that no seed changes");
  };
  const auto a = run<unordered>(2, 7, play);
  const auto b = run<unordered>(2, 7, play);
  CHECK(a.trace_hash == b.trace_hash);
  CHECK(a.trace_hash != run<unordered>(2, 8, play).trace_hash);
  CHECK(!a.failure);
  CHECK(!run<whole>(2, 7, play).failure);
}

/// Rank 0 writes to rank 1 until it cannot.
void stream(player& p, nic_status why) {
  const peer_id other = 1 - p.self();
  room memory(p.c, 4000, false);
  const nic_region r = p.region(memory.memory, nic_access::remote_write);
  p.publish("memory", r.remote);
  for (int i = 0; i < 4; ++i) p.post_receive(other, 0);
  p.connect(other);
  p.fence();
  const remote_memory to = p.published(other, "memory");
  std::size_t posted = 0;
  bool refused = false;
  p.until(
      [&] {
        if (p.self() == 0 && !refused) {
          const outcome o =
              p.c.post_write(other, r.handle, memory.memory, to, 0, nic_until::placed, {}, p.next);
          refused = o == outcome::refused;
          if (o == outcome::pending) {
            ++p.next;
            ++posted;
          }
        }
        return p.links[other].disconnected == 1;
      },
      "the end of a stream");
  require(p.links[other].why == why, "why it ended");
  require(p.sent.size() == posted, "everything that was posted has ended");
  require(p.received.size() == 4 && p.received[3].status == nic_status::flushed, "flushed");
  require(why != nic_status::peer_lost || p.c.connect(other, {}) == errc::peer_lost, "lost");
}

TEST_CASE("nic::sim: a peer that is killed in the middle is lost") {
  for (std::int64_t at = 100'000; at < 1'000'000; at += 90'000) {
    const mpx::rank_t victim = at / 90'000 % 2 == 0 ? 0 : 1;
    const auto all = run<whole>(2, 3, [](player& p) { stream(p, nic_status::peer_lost); },
                                {.faults = {{mpx::sim::fault::kind::kill, at, victim}}});
    CAPTURE(at);
    CHECK_NOTHROW(all.failure ? std::rethrow_exception(all.failure) : void());
    CHECK(all.stuck.empty());
  }
}

TEST_CASE("nic::sim: packets stopped by a network cut arrive in order when it has healed") {
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const auto all = run<whole>(3, seed, check_flood,
                                {.faults = {{mpx::sim::fault::kind::cut, 20'000, 0, 1},
                                            {mpx::sim::fault::kind::heal, 400'000, 0, 1},
                                            {mpx::sim::fault::kind::cut, 500'000, 2, -1},
                                            {mpx::sim::fault::kind::heal, 700'000, 2, -1}}});
    CHECK_NOTHROW(all.failure ? std::rethrow_exception(all.failure) : void());
  }
}

TEST_CASE("nic::sim: a card works while its rank does not") {
  const auto all = run<whole>(2, 1, [](player& p) {
    auto& nic = static_cast<card_of<whole>&>(p.c).nic;
    room memory(p.c, 1000, false);
    const nic_region r = p.region(memory.memory, nic_access::remote_read_write);
    p.publish("memory", r.remote);
    p.connect(1 - p.self());
    p.fence();
    if (p.self() == 1) {
      nic.compute(50'000'000);
    } else {
      const std::int64_t begin = nic.now_ns();
      fill(memory.memory, 5);
      const remote_memory to = p.published(1, "memory");
      require(p.write(1, r, memory.memory, to, 0) == nic_status::ok, "a write");
      std::memset(memory.memory.data(), 0, 1000);
      require(p.read(1, r, memory.memory, to, 0) == nic_status::ok, "a read");
      require(has(memory.memory, 5), "what was written");
      require(nic.now_ns() - begin < 1'000'000, "neither waits for the target's program");
    }
    p.fence();
  });
  CHECK_NOTHROW(all.failure ? std::rethrow_exception(all.failure) : void());
}

}  // namespace nic_sim_test
