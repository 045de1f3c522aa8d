// SPDX-License-Identifier: BSL-1.0
// timeout: 120
// Windows in virtual time: random one-sided programs with any delays, over transports with and
// without put and get; deaths of targets, and of lock holders.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mpx/protocol/near_far.hpp>
#include <mpx/sim.hpp>
#include <mpx/transport/hybrid.hpp>
#include <mpx/transport/rdma.hpp>
#include <mpx/transport/rdma/sim.hpp>
#include <span>
#include <string>
#include <vector>

#include "rma/programs.hpp"

namespace sim_windows {
namespace {

namespace sim = mpx::sim;
/// Packets alone.
using plain_stack =
    mpx::stack<mpx::transport::basic_sim<mpx::transport::sim_rma::none>, mpx::waiting::sleep>;
/// A card that writes pieces of 2000 bytes and reads, and whatever may overtake does so.
constexpr mpx::nic::sim_options wild{
    .transfer_bytes_max = 2000, .receive_depth = 16, .in_order = false};
using card_stack =
    mpx::stack<mpx::transport::basic_rdma<mpx::nic::basic_sim<wild>, 8192, 16>, mpx::waiting::sleep,
               mpx::protocol::tiny_short_long<40, 1024, mpx::long_path::put, 1024>>;
/// One without reads that breaks over what is refused, and has little memory for cards.
constexpr mpx::nic::sim_options scarce{.registered_bytes_max = 128 * 1024,
                                       .transfer_bytes_max = 700,
                                       .send_depth = 2,
                                       .receive_depth = 8,
                                       .reads = false,
                                       .survives_refusals = false};
using poor_stack = mpx::stack<
    mpx::transport::basic_rdma<mpx::nic::basic_sim<scarce>, 2048, 8, 488, 488, 16 * 1024>,
    mpx::waiting::sleep, mpx::protocol::tiny_short_long<40, 400, mpx::long_path::put, 488>>;
/// Such cards between nodes; within a node the kernel copies.
using hosts_stack = mpx::stack<
    mpx::transport::hybrid<mpx::transport::basic_sim<mpx::transport::sim_rma::cpu, 4096, 8>,
                           mpx::transport::basic_rdma<mpx::nic::basic_sim<wild>, 8192, 16>>,
    mpx::waiting::sleep,
    mpx::protocol::near_far<mpx::protocol::tiny_short_long<40, 1024>,
                            mpx::protocol::tiny_short_long<40, 1024>>>;
using programs::protocol;
using programs::word;

template <class Stack>
void play_many(word first, word seeds) {
  for (word seed = first; seed < first + seeds; ++seed) {
    const auto n = static_cast<mpx::rank_t>(1 + seed % 5);
    INFO("seed ", seed, " ranks ", n);
    bool right = true;
    const sim::loggp model{
        .node_size = static_cast<mpx::rank_t>(1 + seed % 3), .jitter_ns = 20'000, .noise_ns = 500};
    sim::run<Stack>(n, model, seed, [&](auto world) {
      const protocol by = programs::all_protocols[seed % std::size(programs::all_protocols)];
      right = programs::play(world, seed, by, seed % 2 == 0, 6) && right;
    });
    CHECK(right);
  }
}

TEST_CASE("windows: simulated ranks share no memory") {
  const auto alone = [](auto world) { CHECK(programs::share_parts(world) == 1); };
  sim::run<plain_stack>(3, sim::loggp{}, 1, alone);
  sim::run<card_stack>(3, sim::loggp{}, 1, alone);
}

/// A counter that all add to under an exclusive lock, which packets ask for.
template <class Comm>
void count(const Comm& world, protocol by) {
  auto w = mpx::allocate_window<word>(world, 1, by);
  for (int i = 0; i < 6; ++i) {
    auto e = w.lock(0);
    word x = 0;
    w.get(x, 0, 0);
    w.flush(0);
    w.put(x + 1, 0, 0);
  }
  world.barrier();
  if (world.rank() == 0) CHECK(w.local()[0] == 6 * static_cast<word>(world.size()));
  w.free();
}

TEST_CASE("windows: in the simulator, packets alone") { play_many<plain_stack>(1, 15); }
TEST_CASE("windows: in the simulator, with put and get") { play_many<sim::stack>(101, 25); }

TEST_CASE("windows: in the simulator, over a card") { play_many<card_stack>(201, 15); }
TEST_CASE("windows: in the simulator, over a poor card") { play_many<poor_stack>(301, 15); }
TEST_CASE("windows: in the simulator, over cards between nodes") {
  play_many<hosts_stack>(401, 15);
}

TEST_CASE("windows: in the simulator, locks are exclusive, and accumulates keep their order") {
  for (word seed = 1; seed <= 10; ++seed)
    sim::run(4, sim::loggp{.jitter_ns = 5000}, seed, [&](auto world) {
      count(world, programs::all_protocols[seed % std::size(programs::all_protocols)]);
      auto w = mpx::allocate_window<word>(
          world, 4, programs::all_protocols[seed % std::size(programs::all_protocols)]);
      const mpx::rank_t right = (world.rank() + 1) % 4;
      {
        auto e = w.lock_all();
        for (word i = 1; i <= 20; ++i) {
          w.accumulate(i, right, 0, mpx::replace);
          w.accumulate(word{2}, right, 0, mpx::prod);
          w.accumulate(word{1}, 0, 1, mpx::sum);
        }
      }
      world.barrier();
      CHECK(w.local()[0] == 40);
      if (world.rank() == 0) CHECK(w.local()[1] == 80);
      w.free();
    });
}

TEST_CASE("windows: puts by the transport have happened when a fence or an epoch ends") {
  for (word seed = 1; seed <= 10; ++seed)
    sim::run(3, sim::loggp{.jitter_ns = 50'000}, seed, [&](auto world) {
      auto w = mpx::allocate_window<word>(world, 4096, protocol::rdma);
      const mpx::rank_t right = (world.rank() + 1) % 3;
      const mpx::rank_t left = (world.rank() + 2) % 3;
      std::vector<word> data(4096);
      for (word round = 1; round <= 3; ++round) {
        for (word& x : data) x = round * 10 + static_cast<word>(world.rank());
        const auto all = world.group();
        if (seed % 2 == 0) {
          w.fence(mpx::rma::assertion::no_precede);
          w.put(data, right, 0);
          w.fence(mpx::rma::assertion::no_succeed);
        } else {
          w.post(all);
          w.start(all);
          w.put(data, right, 0);
          w.complete();
          w.wait();
        }
        bool there = true;
        for (const word x : w.local()) there = there && x == round * 10 + static_cast<word>(left);
        CHECK(there);
        world.barrier();
      }
      w.free();
    });
}

TEST_CASE("windows: a fence waits for records that are slower than its own messages") {
  // Records of rank a to rank b are held up, while the messages of a fence go by other ranks.
  constexpr mpx::rank_t n = 4;
  constexpr std::int64_t ms = 1'000'000;
  for (mpx::rank_t a = 0; a < n; ++a)
    for (mpx::rank_t b = 0; b < n; ++b) {
      if (a == b) continue;
      INFO("from ", a, " to ", b);
      sim::options o;
      o.faults.push_back({sim::fault::kind::cut, 10 * ms, a, b});
      o.faults.push_back({sim::fault::kind::heal, 20 * ms, a, b});
      const auto play = [&](mpx::environment<plain_stack>& env) {
        auto w = mpx::allocate_window<word>(env.world(), 1, protocol::buffered);
        w.fence();
        env.transport().compute(11 * ms - env.now_ns());
        if (env.rank() == a) w.put(word{7}, b, 0);
        w.fence(mpx::rma::assertion::no_succeed);
        if (env.rank() == b) CHECK(env.now_ns() >= 20 * ms);  // The record was held up.
        CHECK(w.local()[0] == (env.rank() == b ? 7 : 0));
        w.free();
      };
      sim::run<plain_stack>(n, sim::loggp{}, 1, play, o);
    }
}

/// Rank 1 computes while rank 0 puts and flushes, in an epoch of lock_all with no_check.
template <class Stack>
void flush_alone(word seed) {
  constexpr std::int64_t computes_ns = 100'000'000;
  const std::span<const word>* there = nullptr;
  sim::run<Stack>(2, sim::loggp{.jitter_ns = 20'000}, seed, [&](mpx::environment<Stack>& env) {
    auto world = env.world();
    constexpr std::size_t n = 3000;
    auto w = mpx::allocate_window<word>(world, n);
    const std::span<const word> mine = w.local();
    if (world.rank() == 1) there = &mine;
    world.barrier();
    if (world.rank() == 0) {
      const std::int64_t begin = env.now_ns();
      auto e = w.lock_all(mpx::rma::assertion::no_check);
      for (word round = 1; round <= 4; ++round) {
        const std::vector<word> out(n, round * 1000 + seed);
        w.put(out, 1, 0);
        w.flush(1);
        CHECK(std::ranges::equal(out, *there));
      }
      e.unlock();
      CHECK(env.now_ns() - begin < computes_ns / 10);
    } else {
      env.transport().compute(computes_ns);
    }
    world.barrier();
  });
}

TEST_CASE("windows: a flush of puts by the transport needs no call of the target") {
  for (word seed = 1; seed <= 5; ++seed) {
    INFO("seed ", seed);
    flush_alone<sim::stack>(seed);
    flush_alone<card_stack>(seed);
  }
}

/// All ranks but rank 1, which computes, combine single elements of rank 1.
template <class Stack>
void combine_alone(word seed, protocol by, bool alone) {
  constexpr std::int64_t computes_ns = 300'000'000;
  constexpr word rounds = 20;
  std::vector<word> tickets;
  sim::run<Stack>(4, sim::loggp{.jitter_ns = 20'000}, seed, [&](mpx::environment<Stack>& env) {
    auto world = env.world();
    auto w = mpx::allocate_window<word>(world, 8, by);
    world.barrier();
    if (world.rank() == 1) {
      env.transport().compute(computes_ns);
    } else {
      const std::int64_t begin = env.now_ns();
      const auto me = static_cast<word>(world.rank());
      auto e = w.lock_all(mpx::rma::assertion::no_check);
      word guess = 0;
      for (word i = 1; i <= rounds; ++i) {
        word ticket = 0;
        w.fetch_and_op(word{1}, ticket, 1, 0, mpx::sum);
        w.accumulate(i, 1, 1, mpx::sum);
        w.accumulate(word{1} << i, 1, 2, mpx::bit_xor);
        w.accumulate(i, 1, 4 + me, mpx::replace);  // Its own place: the order counts.
        w.accumulate(me, 1, 4 + me, mpx::sum);
        w.flush(1);
        tickets.push_back(ticket);
        for (word was = ~guess; was != guess;) {
          if (was != ~guess) guess = was;
          w.compare_and_swap(guess, guess + 1, was, 1, 3);
          w.flush(1);
        }
        ++guess;
        CHECK(w.at(1, 4 + me).fetch() == i + me);
      }
      e.unlock();
      CHECK((env.now_ns() - begin < computes_ns / 4) == alone);
    }
    world.barrier();
    if (world.rank() == 1) {
      const auto mine = w.local();
      CHECK(mine[0] == 3 * rounds);
      CHECK(mine[1] == 3 * rounds * (rounds + 1) / 2);
      CHECK(mine[2] == (word{2} << rounds) - 2);  // An odd number of times.
      CHECK(mine[3] == 3 * rounds);
    }
    w.free();
  });
  std::ranges::sort(tickets);
  CHECK(tickets.size() == 3 * rounds);
  for (word i = 0; i < tickets.size(); ++i) CHECK(tickets[i] == i);
}
/// All ranks but rank 1, which computes, lock rank 1's part: writers add to a counter by a get and a
/// put, and keep two words equal, at which readers look.
template <class Stack>
void lock_alone(word seed, protocol by, bool alone) {
  constexpr std::int64_t computes_ns = 300'000'000;
  constexpr word rounds = 15;
  sim::run<Stack>(4, sim::loggp{.jitter_ns = 20'000}, seed, [&](mpx::environment<Stack>& env) {
    auto world = env.world();
    auto w = mpx::allocate_window<std::array<word, 3>>(world, 4, by);
    world.barrier();
    const std::int64_t begin = env.now_ns();
    if (world.rank() == 1) env.transport().compute(computes_ns);
    for (word i = 0; i < rounds; ++i) {
      std::array<word, 3> all{};
      {
        auto e = w.lock(1);
        w.get(std::span(&all, 1), 1, 2);
        w.flush(1);
        CHECK(all[1] == all[2]);
        all = {all[0] + 1, seed + i, seed + i};
        w.put(all, 1, 2);
      }
      const std::array<word, 3> after = all;
      auto e = w.lock_shared(1);
      w.get(std::span(&all, 1), 1, 2);
      w.flush(1);
      CHECK(all[1] == all[2]);
      CHECK(all[0] >= after[0]);
      e.unlock();
    }
    if (world.rank() != 1) CHECK((env.now_ns() - begin < computes_ns / 2) == alone);
    world.barrier();
    if (world.rank() == 1) {
      auto e = w.lock(1);
      CHECK(w.local()[2][0] == 4 * rounds);
      e.unlock();
    }
    w.free();
  });
}
/// A card whose atomic accesses must not be mixed with the CPU's.
constexpr mpx::nic::sim_options apart{.receive_depth = 16, .atomics_with_cpu = false};
using apart_stack = mpx::stack<mpx::transport::basic_rdma<mpx::nic::basic_sim<apart>, 8192, 16>,
                               mpx::waiting::sleep,
                               mpx::protocol::tiny_short_long<40, 1024, mpx::long_path::put, 1024>>;

TEST_CASE("windows: single elements are combined by the card without a call of the target") {
  for (word seed = 1; seed <= 5; ++seed) {
    INFO("seed ", seed);
    combine_alone<card_stack>(seed, protocol::automatic, true);
    combine_alone<card_stack>(seed, protocol::rdma, true);
    combine_alone<card_stack>(seed, protocol::buffered, false);
    combine_alone<apart_stack>(seed, protocol::automatic, false);
    combine_alone<plain_stack>(seed, protocol::automatic, false);
  }
}

TEST_CASE("windows: a lock that is free soon is acquired and released without the target") {
  for (word seed = 1; seed <= 8; ++seed) {
    INFO("seed ", seed);
    lock_alone<card_stack>(seed, protocol::automatic, true);
    lock_alone<card_stack>(seed, protocol::rdma, true);
    lock_alone<card_stack>(seed, protocol::buffered, false);
    lock_alone<apart_stack>(seed, protocol::automatic, false);
  }
}

TEST_CASE("windows: a target that dies during accesses of the card is lost, and no rank waits") {
  for (word seed = 1; seed <= 12; ++seed) {
    INFO("seed ", seed);
    sim::options o;
    o.faults.push_back(
        {sim::fault::kind::kill, 2'000'000 + static_cast<std::int64_t>(seed) * 9000, 1});
    int told = 0;
    const auto end = sim::try_run<card_stack>(
        3, sim::loggp{.jitter_ns = 5000}, seed,
        [&](auto world) {
          auto w = mpx::allocate_window<word>(world, 4);
          std::error_code ec;
          if (world.rank() == 1) {
            int never = 0;
            world.recv(never, 0, 77, ec);
            return;
          }
          auto e = w.lock_all(mpx::rma::assertion::no_check);
          word last = 0;
          for (int i = 0; i < 100'000 && !ec; ++i) {
            word now = 0;
            w.fetch_and_op(word{1}, now, 1, 0, mpx::sum, ec);
            if (!ec) w.accumulate(word{1}, 1, 1, mpx::sum, ec);
            if (!ec) w.flush(1, ec);
            if (!ec && i != 0) CHECK(now > last);
            last = now;
          }
          CHECK(ec == mpx::errc::peer_lost);
          told += ec == mpx::errc::peer_lost ? 1 : 0;
          // Other targets are not affected.
          word mine = 0;
          const mpx::rank_t other = 2 - world.rank();
          std::error_code none;
          w.fetch_and_op(word{1}, mine, other, 2, mpx::sum, none);
          w.flush(other, none);
          CHECK(!none);
          CHECK(mine == 0);
          e.unlock(ec);
          int there = 0;  // Neither leaves before the other is through.
          world.sendrecv(1, other, 5, there, other, 5);
        },
        o);
    CHECK(end.stuck == "");
    CHECK(!end.failure);
    CHECK(told == 2);
  }
}

/// Rank 1 dies at some time after `begin_ns`, with the lock of rank 2 or before it has that.
template <class Stack>
void die_with_lock(std::int64_t begin_ns) {
  for (word seed = 1; seed <= 12; ++seed) {
    sim::options o;
    o.faults.push_back(
        {sim::fault::kind::kill, begin_ns + static_cast<std::int64_t>(seed) * 7000, 1});
    bool held = false;
    const auto end = sim::try_run<Stack>(
        3, sim::loggp{.jitter_ns = 2000}, seed,
        [&](auto world) {
          auto w = mpx::allocate_window<word>(
              world, 100, programs::all_protocols[seed % std::size(programs::all_protocols)]);
          std::error_code ec;
          std::vector<word> data(100, 3);
          const bool writes = seed % 2 == 0;
          if (world.rank() == 1) {  // Holds the lock of rank 2 until it dies.
            auto e = writes ? w.lock(2) : w.lock_shared(2);
            w.put(word{1}, 2, 0);
            w.flush(2);
            held = true;
            int never = 0;
            world.recv(never, 0, 77, ec);
            return;
          }
          if (world.rank() == 0) {
            for (int i = 0; i < 100'000 && !ec; ++i) {
              auto e = w.lock_shared(1, {}, ec);
              if (!ec) w.put(data, 1, 0, ec);
              if (!ec) e.unlock(ec);
            }
            CHECK(ec == mpx::errc::peer_lost);
            std::string said;
            try {
              auto e = w.lock_shared(1);
              w.put(data, 1, 0);
              w.flush(1);
            } catch (const mpx::error& e) {
              said = e.what();
            }
            CHECK(said.find("rank 1 is lost") != std::string::npos);
            ec.clear();
          }
          std::string said;
          try {
            auto e = w.lock(2);  // Once the dead one's is free.
            w.put(word{9}, 2, 1);
            e.unlock();
          } catch (const mpx::error& e) {
            said = e.what();
          }
          const bool names = said.find("rank 1 is lost, which held the lock") != std::string::npos;
          CHECK(names == (writes && held));
          CHECK(said.empty() != names);
          int there = 0;  // Neither leaves before the other is through.
          world.sendrecv(1, 2 - world.rank(), 5, there, 2 - world.rank(), 5);
          w.fence({}, ec);  // The other one may have learnt of the death first, and left.
          CHECK((ec == mpx::errc::peer_lost || ec == mpx::errc::window));
        },
        o);
    INFO("seed ", seed, " ", end.stuck);
    CHECK(!end.failure);
  }
}

TEST_CASE("windows: a dead target, and a dead writer's lock, are lost; a reader's is free") {
  die_with_lock<sim::stack>(300'000);
  die_with_lock<card_stack>(2'000'000);
}

template <class Stack>
void let_go(word seeds) {
  for (word seed = 1; seed <= seeds; ++seed) {
    INFO("seed ", seed);
    const auto n = static_cast<mpx::rank_t>(2 + seed % 4);
    const auto call = static_cast<programs::waits_in>(seed % 5);
    sim::run<Stack>(n, sim::loggp{.jitter_ns = 20'000, .noise_ns = 500}, seed, [&](auto world) {
      for (const protocol by :
           {protocol::automatic, protocol::buffered, protocol::send_recv, protocol::portals}) {
        CHECK(programs::let_go(world, by, call) == "");
        CHECK(programs::let_go_in_a_row(world, by) == "");
        CHECK(programs::go_quietly(world, by));
      }
      world.barrier();
    });
  }
}

TEST_CASE("windows: only ranks that wait for a freed window get an error") {
  let_go<plain_stack>(20);
  let_go<sim::stack>(20);
  let_go<card_stack>(10);
}

constexpr protocol by_packets[] = {protocol::buffered, protocol::send_recv, protocol::portals};

/// Keeps what is in `from` when its scope is left.
struct snapshot {
  const std::vector<word>& from;
  std::vector<word>& into;
  ~snapshot() { into = from; }
};

TEST_CASE("windows: a lock is not granted to a rank that died waiting for it") {
  for (const protocol by : by_packets) {
    sim::options o;
    o.faults.push_back({sim::fault::kind::kill, 3'000'000, 2});
    const auto end = sim::try_run(
        4, sim::loggp{}, 1,
        [&](auto world) {
          auto w = mpx::allocate_window<word>(world, 10, by);
          std::error_code ec;
          int x = 0;
          const auto death = [&] {
            world.recv(x, 2, 77, ec);
            CHECK(ec == mpx::errc::peer_lost);
            ec.clear();
          };
          if (world.rank() == 1) {
            auto e = w.lock(0);
            w.put(word{1}, 0, 1);
            w.flush(0);
            world.barrier();
            death();
            e.unlock(ec);
            CHECK(!ec);
          } else {
            world.barrier();
          }
          if (world.rank() == 0) {  // Learns of the unlock before it checks liveness.
            world.endpoint_for_reports().transport().compute(10'000'000);
            world.recv(x, 3, 5);
          } else if (world.rank() == 2) {
            auto e = w.lock(0);
            w.put(word{2}, 0, 2);
            e.unlock();
          } else if (world.rank() == 3) {
            death();
            auto e = w.lock(0);
            w.put(word{3}, 0, 3);
            CHECK_NOTHROW(e.unlock());
            world.send(x, 0, 5);
          }
          w.free(ec);
        },
        o);
    CHECK(!end.failure);
  }
}

TEST_CASE("windows: a rank that leaves an epoch by an exception is not written to any more") {
  for (const protocol by : by_packets)
    sim::run(2, sim::loggp{}, 1, [&](auto world) {
      auto w = mpx::allocate_window<word>(world, 5000, by);
      for (word& x : w.local()) x = 7;
      world.barrier();
      if (world.rank() == 0) {
        std::vector<word> into(5000);
        std::vector<word> left(5000);
        std::vector<word> then;
        std::vector<word> fetched_then;
        try {
          auto e = w.lock_all();
          w.get(into, 1, 0);
          w.get_accumulate(left, left, 1, 0, mpx::sum);
          const snapshot last{into, then};
          const snapshot last_fetched{left, fetched_then};
          throw 1;
        } catch (int) {
        }
        CHECK(into == then);
        CHECK(left == fetched_then);
        auto e = w.lock(1);  // It continues.
        w.get(into, 1, 0);
        e.unlock();
        CHECK(into == std::vector<word>(5000, 7));
      }
      w.free();
    });
}

TEST_CASE("windows: a request whose copy is refused completes once packets have brought all data") {
  using copies =
      mpx::stack<mpx::transport::basic_sim<mpx::transport::sim_rma::cpu>, mpx::waiting::sleep>;
  for (word seed = 1; seed <= 8; ++seed) {
    sim::options o;
    o.faults.push_back({sim::fault::kind::refuse, 0, 0, 1, seed % 2 == 0 ? 1.0 : 0.5});
    const auto end = sim::try_run<copies>(
        2, sim::loggp{.jitter_ns = 2000}, seed,
        [&](auto& env) {
          auto world = env.world();
          auto w = mpx::allocate_window<word>(world, 5000, protocol::rdma);
          for (word& x : w.local()) x = 7;
          world.barrier();
          if (world.rank() == 1) {
            env.transport().compute(1'000'000);  // It answers nothing meanwhile.
          } else {
            auto all = w.lock_all(mpx::rma::assertion::no_check);
            for (int i = 0; i < 4; ++i) {
              std::vector<word> into(5000);
              w.get(into, 1, 0, mpx::start).wait();
              CHECK(into == std::vector<word>(5000, 7));
            }
          }
          world.barrier();
        },
        o);
    CHECK(!end.failure);
  }
}

TEST_CASE("windows: after errc::peer_lost a rank is not written to, and learns of missing data") {
  for (word seed = 0; seed < 6; ++seed) {
    sim::options o;
    o.faults.push_back({sim::fault::kind::kill, 200'000, 2});
    const auto end = sim::try_run(
        3, sim::loggp{}, seed,
        [&](auto world) {
          auto w =
              mpx::allocate_window<word>(world, 5000, by_packets[seed % std::size(by_packets)]);
          for (word& x : w.local()) x = 7;
          world.barrier();
          int there = 0;
          if (world.rank() != 0) {
            std::error_code ec;
            world.recv(there, 0, 5, ec);
            return;
          }
          const std::vector<word> none(5000);
          std::vector<word> into(5000);
          auto all = w.lock_all();
          try {
            for (;;) {
              into = none;
              w.get(into, 1, 0);
              for (word k = 0; k < 20; ++k) w.put(k, 2, k);
              w.flush(2);
              w.flush(1);
            }
          } catch (const mpx::error& e) {
            CHECK(e.code() == mpx::errc::peer_lost);
          }
          const std::vector<word> then = into;
          std::error_code ec;
          w.flush(1, ec);
          CHECK(into == then);
          CHECK((ec == mpx::errc::pending || into == std::vector<word>(5000, 7)));
          ec.clear();
          w.flush(1, ec);
          CHECK(!ec);  // Told once.
          all.unlock(ec);
          world.send(there, 1, 5);
        },
        o);
    CHECK(!end.failure);
  }
}

TEST_CASE("windows: a rank does not wait for data that another rank dropped by an error") {
  for (word seed = 0; seed < 24; ++seed) {
    sim::options o;
    o.faults.push_back(
        {sim::fault::kind::kill, 200'000 + static_cast<std::int64_t>(seed) * 1700, 2});
    const auto end = sim::try_run(
        3, sim::loggp{}, seed,
        [&](auto world) {
          auto w =
              mpx::allocate_window<word>(world, 5000, by_packets[seed % std::size(by_packets)]);
          world.barrier();
          int there = 0;
          std::error_code ec;
          if (world.rank() != 0) {
            world.recv(there, 2, 5, ec);  // Until that dies.
            w.free(ec);
            w = {};
            world.recv(there, 0, 5, ec);
            return;
          }
          std::vector<word> into(5000);
          auto all = w.lock_all();
          for (word k = 0; !ec; ++k) {
            w.get(into, 1, 0, ec);
            if (!ec) w.put(k, 2, k % 5000, ec);
            try {
              w.flush(2);
              w.flush(1);
            } catch (const mpx::error& e) {
              ec = e.code();
            }
          }
          w.get(into, 1, 0, ec);
          w.flush(1, ec);
          all.unlock(ec);
          world.send(there, 1, 5);
        },
        o);
    CHECK(!end.failure);
  }
}

}  // namespace
}  // namespace sim_windows
