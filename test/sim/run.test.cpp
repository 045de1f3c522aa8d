// SPDX-License-Identifier: BSL-1.0
// alone: yes
// sanitizers: none
// The simulator itself: virtual time follows the model, the same seed gives the same run, and
// faults happen as planned.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mpx/mpx.hpp>
#include <mpx/sim.hpp>
#include <string>
#include <vector>

#include "core/errc_of.hpp"
#include "sim/stacks.hpp"

namespace {

using namespace sim_stacks;

using one_packet = mpx::stack<basic_sim<sim_rma::nic, 64, 1, 8>, mpx::waiting::sleep,
                              mpx::protocol::tiny_short_long<8, 64, mpx::long_path::packets, 64>,
                              mpx::flow::credits<64 * 1024, 1024>, mpx::matching::list>;

constexpr sim::loggp exact{.far = {1000, 200, 100, 0.5}, .node_size = 1, .empty_poll_cost_ns = 1};
constexpr sim::loggp rough{.far = {1000, 200, 100, 0.5},
                           .near = {100, 30, 10, 0.1},
                           .node_size = 4,
                           .jitter_ns = 3000,
                           .noise_ns = 100};

/// Something of everything: eager and long messages, wildcards, probes, collectives.
template <class World>
void mixture(World world) {
  const mpx::rank_t n = world.size();
  const mpx::rank_t next = (world.rank() + 1) % n;
  const mpx::rank_t last = (world.rank() + n - 1) % n;
  for (const std::size_t count : {0, 1, 5, 100, 20'000}) {
    const std::vector<std::int64_t> out(count, world.rank() + 1);
    std::vector<std::int64_t> in(count);
    auto sending = world.issend(out, next, 3);
    const mpx::status seen = world.probe();
    CHECK(seen.bytes() == count * 8);
    CHECK(world.recv(in, mpx::any_source, 3).source() == last);
    sending.wait();
    CHECK(in == std::vector<std::int64_t>(count, last + 1));
  }
  world.barrier();
  CHECK(world.allreduce(std::int64_t{world.rank()}, std::plus<>{}) ==
        std::int64_t{n} * (n - 1) / 2);
}

}  // namespace

TEST_CASE_TEMPLATE("sim: every stack runs, at every number of ranks", Stack, sim::stack, plain,
                   by_put, by_cpu, one_packet, multiple) {
  for (const mpx::rank_t n : {1, 2, 3, 7, 16}) {
    CAPTURE(n);
    const sim::result r = sim::run<Stack>(n, rough, 1, [](auto world) { mixture(world); });
    CHECK(r.virtual_ns > 0);
    CHECK(r.stuck == "");
  }
}

TEST_CASE("sim: virtual time is LogGP's") {
  std::int64_t took = 0;
  const auto ping = [&](std::size_t bytes, int rounds) {
    sim::run(2, exact, 1, [&](auto& env) {
      auto world = env.world();
      std::vector<std::byte> data(bytes);
      const std::int64_t begin = env.now_ns();
      for (int i = 0; i < rounds; ++i) {
        if (world.rank() == 0) world.send(data, 1);
        world.recv(data, 1 - world.rank());
        if (world.rank() == 1) world.send(data, 0);
      }
      if (world.rank() == 0) took = (env.now_ns() - begin) / (2 * rounds);
    });
    return took;
  };
  // o + L + G * bytes + o, and a look now and then.
  CHECK(ping(8, 100) >= 200 + 1000 + 4 + 200);
  CHECK(ping(8, 100) <= 200 + 1000 + 4 + 200 + 20);
  CHECK(ping(10'000, 100) >= 200 + 1000 + 5000 + 200);
  CHECK(ping(10'000, 100) <= 200 + 1000 + 5000 + 200 + 20);
  // A stream of packets is bound by the gap, and one of bytes by the gap per byte.
  const auto stream = [&](std::size_t bytes, int count) {
    sim::run<plain>(2, exact, 1, [&](auto& env) {
      auto world = env.world();
      std::vector<std::byte> data(bytes);
      const std::int64_t begin = env.now_ns();
      for (int i = 0; i < count; ++i) {
        if (world.rank() == 0) world.send(data, 1);
        if (world.rank() == 1) world.recv(data, 0);
      }
      took = (env.now_ns() - begin) / count;
    });
    return took;
  };
  CHECK(stream(8, 1000) >= 200);  // The overhead is more than the gap here.
  CHECK(stream(8, 1000) < 215);
  CHECK(stream(10'000, 1000) >= 5000);
  CHECK(stream(10'000, 1000) < 5200);
}

TEST_CASE_TEMPLATE("sim: long messages share a port, on either side", Stack, sim::stack, plain,
                   by_put) {
  for (const bool gather : {false, true}) {
    CAPTURE(gather);
    std::int64_t last = 0;
    sim::run<Stack>(5, exact, 1, [&](auto& env) {
      auto world = env.world();
      env.transport().compute(100'000 - env.now_ns());
      std::vector<std::byte> data(100'000);  // 50 us each.
      if (world.rank() == 0) {
        std::vector<std::vector<std::byte>> all(4, data);
        std::vector<mpx::request<Stack>> requests;
        for (mpx::rank_t r = 1; r < 5; ++r) {
          auto& one = all[static_cast<std::size_t>(r - 1)];
          requests.push_back(gather ? world.irecv(one, r) : world.isend(one, r));
        }
        mpx::wait_all(requests);
      } else if (gather) {
        world.send(data, 0);
      } else {
        world.recv(data, 0);
      }
      last = std::max(last, env.now_ns() - 100'000);
    });
    CHECK(last >= 4 * 50'000);
    CHECK(last < 4 * 50'000 + 20'000);
  }
}

TEST_CASE("sim: neighbours are near") {
  constexpr sim::loggp nodes{.far = {5000, 200, 100, 1}, .near = {50, 20, 10, 0.1}, .node_size = 2};
  std::vector<std::int64_t> took(4);
  sim::run(4, nodes, 1, [&](auto& env) {
    auto world = env.world();
    int x = 0;
    for (const mpx::rank_t to : {1, 2}) {
      const std::int64_t begin = env.now_ns();
      if (world.rank() == 0) {
        world.ssend(x, to);
        took[static_cast<std::size_t>(to)] = env.now_ns() - begin;
      } else if (world.rank() == to) {
        world.recv(x, 0);
      }
    }
  });
  CHECK(took[1] < 1000);
  CHECK(took[2] > 10'000);
}

TEST_CASE_TEMPLATE("sim: the same seed gives the same run, another seed a different one", Stack,
                   sim::stack, one_packet, multiple) {
  const auto play = [](std::uint64_t seed) {
    sim::options o;
    o.trace = true;
    return sim::run<Stack>(7, rough, seed, [](auto world) { mixture(world); }, o);
  };
  const sim::result first = play(42);
  const auto shift = std::make_unique<char[]>(12'345);  // Addresses must not matter.
  const sim::result second = play(42);
  CHECK(first.trace.size() > 1000);
  CHECK(first.trace == second.trace);
  CHECK(first.trace_hash == second.trace_hash);
  CHECK(first.virtual_ns == second.virtual_ns);
  const sim::result other = play(43);
  CHECK(other.trace != first.trace);
  CHECK(other.trace_hash != first.trace_hash);
}

TEST_CASE("sim: a thousand ranks") {
  const sim::result r = sim::run(1000, rough, 7, [](auto world) { mixture(world); });
  CHECK(r.packets > 10'000);
}

TEST_CASE("sim: computation takes virtual time, and more on a slow rank") {
  sim::options o;
  o.faults.push_back({sim::fault::kind::slow, 0, 1, -1, 10});
  std::vector<std::int64_t> took(2);
  sim::run(
      2, exact, 1,
      [&](auto& env) {
        env.world().barrier();
        const std::int64_t begin = env.now_ns();
        env.transport().compute(1'000'000);
        took[static_cast<std::size_t>(env.rank())] = env.now_ns() - begin;
      },
      o);
  CHECK(took[0] == 1'000'000);
  CHECK(took[1] == 10'000'000);
}

TEST_CASE_TEMPLATE("sim: a dead rank is soon lost to ranks that wait for it", Stack, sim::stack,
                   plain, by_put, one_packet) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    sim::options o;
    const auto at = static_cast<std::int64_t>(seed * 7'000);
    o.faults.push_back({sim::fault::kind::kill, at, 2});
    int lost = 0;
    const sim::outcome_of_run r = sim::try_run<Stack>(
        4, rough, seed,
        [&](auto& env) {
          auto world = env.world();
          const auto forever = [&] {
            std::vector<std::int64_t> out(500);
            std::vector<std::int64_t> in(500);
            const mpx::rank_t next = (world.rank() + 1) % 4;
            for (;;) world.sendrecv(out, next, 1, in, (world.rank() + 3) % 4, 1);
          };
          const mpx::errc why = ranks::errc_of(forever);
          if (world.rank() == 2) return;  // It does not know that it is dead.
          CHECK(why == mpx::errc::peer_lost);
          ++lost;
        },
        o);
    CHECK(lost == 3);
    CHECK(r.stuck == "");
    CHECK(!r.failure);
    // Detection, what was under way, and the others' end.
    CHECK(r.virtual_ns < at + 4 * 1'000'000);
  }
}

TEST_CASE("sim: a report on a stuck job has the names of communicators") {
  const sim::result r = sim::try_run(2, rough, 1, [](auto world) {
    auto halo = world.dup();
    halo.set_name("halo");
    int x = 0;
    if (world.rank() == 0)
      halo.recv(x, 1, 3);
    else
      halo.barrier();
  });
  INFO(r.stuck);
  CHECK(r.stuck.find("from rank 1, tag 3, communicator") != std::string::npos);
  CHECK(r.stuck.find("(halo), room for 4 bytes") != std::string::npos);
  CHECK(r.stuck.find("collective call 1 of communicator") != std::string::npos);
  CHECK(r.stuck.find("communicator 0") == std::string::npos);
}

TEST_CASE("sim: survivors continue") {
  sim::options o;
  o.faults.push_back({sim::fault::kind::kill, 5'000, 3});
  sim::try_run(
      4, rough, 5,
      [&](auto& env) {
        auto world = env.world();
        if (world.rank() == 3) {
          int x = 0;
          world.recv(x, 3, 99);  // Waits for itself, until it dies.
          return;
        }
        for (int i = 0; i < 1000; ++i) {
          int x = 0;
          const int mine = 10 * world.rank() + i;
          world.sendrecv(mine, (world.rank() + 1) % 3, 1, x, (world.rank() + 2) % 3, 1);
          CHECK(x == 10 * ((world.rank() + 2) % 3) + i);
        }
      },
      o);
}

TEST_CASE("sim: packets wait until a cut heals") {
  sim::options o;
  o.faults.push_back({sim::fault::kind::cut, 10'000, 0, 1});
  o.faults.push_back({sim::fault::kind::heal, 50'000'000, 0, 1});
  std::int64_t ended[3] = {};
  sim::run(
      3, exact, 3,
      [&](auto& env) {
        auto world = env.world();
        env.transport().compute(20'000);
        std::vector<int> x(10'000);
        if (world.rank() == 0) {
          world.send(x, 2);
          world.send(x, 1);
        } else {
          world.recv(x, 0);
        }
        ended[env.rank()] = env.now_ns();
      },
      o);
  CHECK(ended[2] < 1'000'000);
  CHECK(ended[1] > 50'000'000);
  CHECK(ended[1] < 51'000'000);
}

TEST_CASE("sim: a deadlock is a failure that names ranks and calls") {
  const auto r = sim::try_run(3, exact, 1, [](auto world) {
    if (world.rank() == 2) return;
    int x = 0;
    world.recv(x, 1 - world.rank(), 7);
  });
  REQUIRE(r.failure);
  try {
    std::rethrow_exception(r.failure);
  } catch (const mpx::error& e) {
    CHECK(e.code() == mpx::errc::deadlock);
    const std::string text = e.what();
    CAPTURE(text);
    for (const char* part : {"rank 0", "rank 1", "recv", "tag 7", "run.test.cpp"})
      CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("sim: a deadlock is found at once") {
  sim::options o;
  std::string text;
  try {
    sim::run(2, exact, 1, [](auto world) {
      int x = 0;
      world.recv(x, 1 - world.rank(), 5);
      world.send(x, 1 - world.rank(), 5);
    });
  } catch (const mpx::error& e) {
    CHECK(e.code() == mpx::errc::deadlock);
    text = e.what();
  }
  CHECK(text.find("no rank can go on") != std::string::npos);
  // A cut that never heals is one too.
  o.faults.push_back({sim::fault::kind::cut, 0, 0, -1});
  CHECK(ranks::errc_of([&] { sim::run(3, exact, 1, [](auto world) { world.barrier(); }, o); }) ==
        mpx::errc::deadlock);
}

TEST_CASE("sim: a rank that polls without end is ended") {
  sim::options o;
  o.time_max_ns = 1'000'000;
  CHECK(ranks::errc_of([&] {
          sim::run(
              2, exact, 1,
              [](auto world) {
                while (!world.iprobe(1 - world.rank(), 5)) {
                }
              },
              o);
        }) == mpx::errc::deadlock);
}

TEST_CASE("sim: exceptions and aborts end a run") {
  CHECK_THROWS_AS(sim::run(3, exact, 1,
                           [](auto world) {
                             if (world.rank() == 1) throw std::runtime_error("mine");
                             world.barrier();
                           }),
                  std::runtime_error);
  CHECK(ranks::errc_of([] {
          sim::run(3, exact, 1, [](auto& env) {
            if (env.rank() == 1) env.abort(3, "no reason");
            env.world().barrier();
          });
        }) != mpx::errc{});
}

TEST_CASE("sim: an exception is visible in its own rank only") {
  struct waits {  // In a destructor, while another rank runs.
    mpx::communicator<sim::stack> world;
    ~waits() {
      int x = 0;
      world.recv(x, 1, 2);
    }
  };
  struct passing : std::exception {};
  sim::run(2, exact, 1, [](auto world) {
    if (world.rank() == 0) {
      try {
        const waits w{world};
        world.send(1, 1, 1);
        throw passing();
      } catch (const passing&) {
      }
    } else {
      (void)world.template recv<int>(0, 1);
      CHECK(std::uncaught_exceptions() == 0);
      world.send(1, 0, 2);
    }
    world.barrier();
  });
}

TEST_CASE("sim: wrong arguments are named") {
  const auto nothing = [](auto) {};
  CHECK(ranks::errc_of([&] { sim::run(0, exact, 1, nothing); }) == mpx::errc::argument);
  CHECK(ranks::errc_of([&] { sim::run(30'001, exact, 1, nothing); }) == mpx::errc::argument);
  sim::options o;
  o.faults.push_back({sim::fault::kind::kill, 0, 5});
  CHECK(ranks::errc_of([&] { sim::run(5, exact, 1, nothing, o); }) == mpx::errc::argument);
}
