// SPDX-License-Identifier: BSL-1.0
// Survivors in virtual time: they learn of a loss soon, in every call; they get messages that were
// sent before; they do not wait for ranks that gave up; and dropping a request waits for no other
// program.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <mpx/mpx.hpp>
#include <mpx/sim.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/stacks.hpp"

namespace {

using namespace sim_stacks;

using one_packet = mpx::stack<basic_sim<sim_rma::nic, 64, 1, 8>, mpx::waiting::sleep,
                              mpx::protocol::tiny_short_long<8, 64, mpx::long_path::automatic, 64>,
                              mpx::flow::credits<64 * 1024, 1024>, mpx::matching::list>;

/// Long messages are sent at once.
using pushing = mpx::stack<mpx::transport::sim, mpx::waiting::sleep,
                           mpx::protocol::tiny_short_long<40, 4096, mpx::long_path::eager>>;

constexpr std::int64_t s = 1000 * ms;
constexpr std::size_t long_bytes = 200'000;

constexpr sim::loggp rough{.far = {1000, 200, 100, 0.5},
                           .near = {100, 30, 10, 0.1},
                           .node_size = 2,
                           .jitter_ns = 3000,
                           .noise_ns = 100};

mpx::errc errc_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const mpx::error& e) {
    return static_cast<mpx::errc>(e.code().value());
  }
  return {};
}

sim::options dies(mpx::rank_t rank, std::int64_t at_ns) {
  sim::options o;
  o.faults.push_back({sim::fault::kind::kill, at_ns, rank});
  return o;
}

std::vector<std::byte> message(std::size_t bytes, int seed) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    data[i] = static_cast<std::byte>((i * 7 + static_cast<std::size_t>(seed) * 31) >> 2);
  return data;
}

}  // namespace

TEST_CASE_TEMPLATE("losses: noticed within two seconds in every call", Stack, sim::stack, plain,
                   by_cpu, one_packet, multiple) {
  constexpr std::int64_t dies_ns = 1050 * ms;
  using world_type = mpx::communicator<Stack>;
  struct pattern {
    const char* name;
    bool traffic;  // Rank 2 keeps rank 0 busy meanwhile.
    std::function<void(world_type&, const std::function<void()>&)> run;
  };
  const pattern patterns[] = {
      {"test", false,
       [](world_type& w, const auto& work) {
         int x = 0;
         auto r = w.irecv(x, 1, 1);
         while (!r.test()) work();
       }},
      {"test, with other traffic", true,
       [](world_type& w, const auto& work) {
         int x = 0;
         auto r = w.irecv(x, 1, 1);
         while (!r.test()) work();
       }},
      {"iprobe", false,
       [](world_type& w, const auto& work) {
         while (!w.iprobe(1, 1)) work();
       }},
      {"improbe", false,
       [](world_type& w, const auto& work) {
         while (!w.improbe(1, 1)) work();
       }},
      {"wait, with other traffic", true,
       [](world_type& w, const auto&) {
         int x = 0;
         w.recv(x, 1, 1);
       }},
      {"eager sends", false,
       [](world_type& w, const auto& work) {
         for (;;) {
           w.send(std::int8_t{1}, 1, 2);
           work();
         }
       }},
      {"isends", false,
       [](world_type& w, const auto& work) {
         const std::int8_t x = 1;
         for (;;) {
           w.isend(x, 1, 2).wait();
           work();
         }
       }},
      {"a synchronous send", false, [](world_type& w, const auto&) { w.ssend(1, 1, 2); }},
  };
  for (const pattern& p : patterns) {
    CAPTURE(p.name);
    std::int64_t noticed_ns = 0;
    mpx::errc how{};
    const auto all = sim::try_run<Stack>(
        3, rough, 7,
        [&](mpx::environment<Stack>& env) {
          auto world = env.world();
          if (world.rank() == 1) return env.transport().compute(100 * s);
          if (world.rank() == 2) {
            std::int8_t x = 0;
            if (p.traffic)
              while (env.now_ns() < 6 * s && errc_of([&] { world.send(x, 0, 9); }) == mpx::errc{})
                env.transport().compute(ms);
            return;
          }
          const auto work = [&] {
            env.transport().compute(100 * ms);
            std::int8_t x = 0;
            if (p.traffic)
              while (world.iprobe(2, 9)) world.recv(x, 2, 9);
          };
          how = errc_of([&] { p.run(world, work); });
          noticed_ns = env.now_ns();
        },
        dies(1, dies_ns));
    if (all.failure) CHECK_NOTHROW(std::rethrow_exception(all.failure));
    CHECK(how == mpx::errc::peer_lost);
    CHECK(noticed_ns >= dies_ns);
    CHECK(noticed_ns < dies_ns + 2 * s);
  }
}

TEST_CASE_TEMPLATE("losses: messages sent before are received", Stack, sim::stack, plain, by_put,
                   by_cpu, one_packet, multiple) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    sim::loggp model = rough;
    model.detection_cost_ns = 5 * ms;
    int received = 0;
    std::vector<std::byte> memory(100'000);
    const auto all = sim::try_run<Stack>(
        4, model, seed,
        [&](mpx::environment<Stack>& env) {
          auto world = env.world();
          int x = 0;
          const auto out = message(50, 3);
          if (world.rank() == 3) return env.transport().compute(100 * s);
          if (world.rank() == 1) {  // Loses rank 3, and leaves in good order.
            env.attach_buffer(memory);
            for (int i = 0; i < 40; ++i) world.send(i, 2, 1);
            for (int i = 0; i < 20; ++i) world.bsend(out, 2, 2);
            CHECK(errc_of([&] { world.recv(x, 3, 1); }) == mpx::errc::peer_lost);
            return;
          }
          if (world.rank() == 2) {
            auto first = world.irecv(x, 1, 1);
            env.transport().compute(static_cast<std::int64_t>(seed % 4) * 20 * ms);
            first.wait();
            CHECK(x == 0);
            for (int i = 1; i < 40; ++i) {
              world.recv(x, 1, 1);
              received += x == i;
            }
            std::vector<std::byte> in(50);
            for (int i = 0; i < 20; ++i) {
              world.recv(in, 1, 2);
              received += in == out;
            }
            CHECK(errc_of([&] { world.recv(x, 1, 1); }) == mpx::errc::peer_lost);
          }
        },
        dies(3, 2 * ms));
    if (all.failure) CHECK_NOTHROW(std::rethrow_exception(all.failure));
    CHECK(received == 59);
  }
}

TEST_CASE_TEMPLATE("losses: a collective ends for all when one of its ranks dies", Stack,
                   sim::stack, plain, one_packet, multiple) {
  for (const mpx::rank_t n : {2, 3, 4, 7, 8}) {
    for (mpx::rank_t victim = 0; victim < n; ++victim) {
      CAPTURE(n);
      CAPTURE(victim);
      int lost = 0;
      std::int64_t last_ns = 0;
      const auto all = sim::try_run<Stack>(
          n, rough, static_cast<std::uint64_t>(victim + 1),
          [&](mpx::environment<Stack>& env) {
            auto world = env.world();
            if (world.rank() == victim) return env.transport().compute(100 * s);
            // No rank leaves before all have seen it: survivors must not end because others leave.
            const bool first = errc_of([&] { world.barrier(); }) == mpx::errc::peer_lost;
            last_ns = std::max(last_ns, env.now_ns());
            const bool again = errc_of([&] {
                                 static_cast<void>(world.allreduce(1, std::plus<>{}));
                               }) == mpx::errc::peer_lost;
            lost += first && again;
            env.transport().compute(50 * s);
          },
          dies(victim, 10 * ms));
      if (all.failure) CHECK_NOTHROW(std::rethrow_exception(all.failure));
      CHECK(lost == n - 1);
      CHECK(last_ns < 2 * s);
    }
  }
}

TEST_CASE_TEMPLATE("losses: no rank waits for one that has left a collective call", Stack,
                   sim::stack, plain, one_packet, multiple) {
  struct given_up : std::exception {};
  for (const mpx::rank_t n : {2, 3, 4, 7, 8}) {
    for (mpx::rank_t who = 0; who < n; ++who) {
      CAPTURE(n);
      CAPTURE(who);
      int gave_up = 0;
      int right = 0;
      sim::run<Stack>(n, rough, static_cast<std::uint64_t>(who + 1), [&](auto world) {
        for (int round = 0; round < 3; ++round) {
          try {
            // Only some ranks combine; they leave at once.
            static_cast<void>(world.allreduce(world.rank(), [&](int a, int b) {
              if (world.rank() == who) throw given_up();
              return a + b;
            }));
          } catch (const given_up&) {
            ++gave_up;
          } catch (const mpx::error& e) {
            CHECK(e.code() == mpx::errc::peer_lost);
          }
          // The next one is another one, at all ranks.
          right += world.allreduce(1, std::plus<>{}) == n;
        }
      });
      CHECK(right == 3 * n);
      if (who == 0) CHECK(gave_up == 3);
    }
  }
}

TEST_CASE_TEMPLATE("losses: a rank learns that a peer has disconnected from it", Stack, sim::stack,
                   plain, multiple) {
  sim::run<Stack>(3, rough, 5, [&](mpx::environment<Stack>& env) {
    auto world = env.world();
    int x = 0;
    if (world.rank() == 2) {  // None of its business.
      world.recv(x, 0, 5);
      world.recv(x, 1, 5);
      return;
    }
    if (world.rank() == 1) {
      const int one = 1;
      auto answered = world.issend(one, 0, 1);
      mpx::frame_header nonsense{{0xffff'ffff, 1, 2, 0, 4}};
      while (env.transport().post(0, nonsense, {}, 0) == mpx::outcome::retry) world.iprobe();
      CHECK(errc_of([&] { world.recv(x, 0, 1); }) == mpx::errc::peer_lost);
      CHECK(errc_of([&] { answered.wait(); }) == mpx::errc::peer_lost);
    } else {
      CHECK(errc_of([&] { world.recv(x, 1, 2); }) == mpx::errc::protocol);
    }
    world.send(1, 2, 5);
    CHECK(errc_of([&] { world.barrier(); }) == mpx::errc::peer_lost);
  });
}

TEST_CASE_TEMPLATE("dropping a request does not wait for another rank's program", Stack, sim::stack,
                   plain, by_put, by_cpu, one_packet, multiple, pushing) {
  constexpr std::int64_t busy_ns = 10 * s;
  const auto out = message(long_bytes, 1);
  sim::run<Stack>(2, rough, 3, [&](mpx::environment<Stack>& env) {
    auto world = env.world();
    std::vector<std::byte> in(long_bytes);
    const auto look = [&] {
      for (int i = 0; i < 20; ++i) world.iprobe(1 - world.rank(), 99);
    };
    const auto drop = [&](mpx::request<Stack> r, std::vector<std::byte>& buffer) {
      const std::int64_t before = env.now_ns();
      {
        auto dropped = std::move(r);
      }
      CHECK(env.now_ns() - before < 100 * ms);
      std::fill(buffer.begin(), buffer.end(), std::byte{0x5a});
    };
    for (int looks = 0; looks < 3; ++looks) {
      auto data = out;
      // A send that was not received yet, and one whose receiver has begun.
      for (const bool posted : {false, true}) {
        world.barrier();
        if (world.rank() == 0) {
          auto r = world.isend(data, 1, 1);
          for (int i = 0; i < looks; ++i) look();
          drop(std::move(r), data);
          data = out;
        } else {
          std::optional<mpx::request<Stack>> r;
          if (posted) r = world.irecv(in, 0, 1);
          for (int i = 0; i < looks; ++i) look();
          env.transport().compute(busy_ns);
          if (!posted) r = world.irecv(in, 0, 1);
          r->wait();
          CHECK(in == out);
        }
        world.barrier();
      }
      // A receive whose message has been announced, perhaps asked for, by a sender that is busy.
      if (world.rank() == 0) {
        auto r = world.irecv(in, 1, 2);
        for (int i = 0; i < 1 + looks; ++i) look();
        drop(std::move(r), in);
        world.recv(in, 1, 3);
        CHECK(std::all_of(in.begin() + 8, in.end(), [](auto b) { return b == std::byte{0x5a}; }));
        while (world.iprobe(1, 2)) world.recv(in, 1, 2);
      } else {
        auto r = world.isend(data, 0, 2);
        for (int i = 0; i < looks; ++i) look();
        env.transport().compute(busy_ns);
        world.send(std::int64_t{0}, 0, 3);
        r.wait();
      }
    }
  });
}

TEST_CASE("losses: an error names the end of the rank") {
  const auto text_of = [](mpx::communicator<sim::stack> world, mpx::rank_t from) -> std::string {
    try {
      int x = 0;
      world.recv(x, from, 1);
    } catch (const mpx::error& e) {
      return e.what();
    }
    return "";
  };
  sim::try_run<sim::stack>(
      3, rough, 4,
      [&](mpx::environment<sim::stack>& env) {
        if (env.rank() == 1) env.transport().compute(s);
        if (env.rank() == 2) throw std::runtime_error("leaves alone");
        if (env.rank() != 0) return;
        const std::string killed = text_of(env.world(), 1);
        CHECK(killed.find("rank 1 was lost: killed at 5000000 ns") != std::string::npos);
        const std::string failed = text_of(env.world(), 2);
        CHECK(failed.find("rank 2 failed") != std::string::npos);
      },
      dies(1, 5 * ms));
}

TEST_CASE("a rank that dies while it sends a long message at once") {
  const auto out = message(20 * long_bytes, 1);
  int cut_off = 0;
  for (std::int64_t at_ns = 100'000; at_ns <= 2'500'000; at_ns += 400'000) {
    for (const bool posted : {false, true}) {
      sim::run<pushing>(
          2, rough, 3,
          [&](mpx::environment<pushing>& env) {
            auto world = env.world();
            if (world.rank() == 0) {
              const auto why = errc_of([&] { world.send(out, 1, 1); });
              CHECK((why == mpx::errc{} || why == mpx::errc::peer_lost));
              env.transport().compute(s);
              return;
            }
            std::vector<std::byte> in(out.size());
            std::error_code ec;
            if (!posted) world.probe(0, 1, ec);
            if (!ec) world.recv(in, 0, 1, ec);
            CHECK((!ec || ec == mpx::errc::peer_lost));
            if (!ec) CHECK(in == out);
            cut_off += ec == mpx::errc::peer_lost;
            CHECK(errc_of([&] { world.recv(in, 0, 2); }) == mpx::errc::peer_lost);
          },
          dies(0, at_ns));
    }
  }
  CHECK(cut_off > 2);
}
