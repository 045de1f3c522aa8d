// SPDX-License-Identifier: BSL-1.0
// Ranks that wait for a rank which ends early get errc::peer_lost, soon, in every kind of call.

#include <chrono>

#include "comm/ranks.hpp"

namespace {

using namespace std::chrono_literals;

struct early_end : std::exception {};

constexpr std::size_t long_bytes = 300'000;
constexpr auto patience = 2s * ranks::slowdown;

/// The last rank ends by an exception after `before(world)`; the others run `body(env)`, which must
/// handle the loss, within two seconds.
template <class Stack>
void lose_last(mpx::rank_t n, const std::function<void(mpx::communicator<Stack>)>& before,
               const std::function<void(mpx::environment<Stack>&)>& body) {
  const ranks::watchdog guard("losing a rank", 20s);
  const auto begin = std::chrono::steady_clock::now();
  CHECK_THROWS_AS(ranks::run<Stack>(n,
                                    [&](mpx::environment<Stack>& env) {
                                      if (env.rank() == n - 1) {
                                        before(env.world());
                                        throw early_end();
                                      }
                                      body(env);
                                    }),
                  early_end);
  CHECK(std::chrono::steady_clock::now() - begin < patience);
}

const auto no_step = [](auto) {};

template <class Stack>
void lose_last_of_several(const std::function<void(mpx::environment<Stack>&)>& body) {
  for (const mpx::rank_t n : {2, 4}) lose_last<Stack>(n, no_step, body);
}

void expect_lost(const std::function<void()>& body) {
  CHECK(ranks::errc_of(body) == mpx::errc::peer_lost);
}

}  // namespace

TEST_CASE_TEMPLATE("a lost rank ends operations that wait for it", Stack, ranks::inproc, ranks::shm,
                   ranks::tiny, ranks::multiple, ranks::listed, ranks::rdma) {
  SUBCASE("recv") {
    lose_last_of_several<Stack>([](auto& env) {
      int x = 0;
      expect_lost([&] { env.world().recv(x, env.size() - 1, 1); });
    });
  }
  SUBCASE("recv from any source") {
    lose_last_of_several<Stack>([](auto& env) {
      int x = 0;
      expect_lost([&] { env.world().recv(x); });
    });
  }
  SUBCASE("irecv and wait") {
    lose_last_of_several<Stack>([](auto& env) {
      int x = 0;
      auto r = env.world().irecv(x, env.size() - 1, 1);
      expect_lost([&] { r.wait(); });
      CHECK(!r);
    });
  }
  SUBCASE("a loop of test") {
    lose_last_of_several<Stack>([](auto& env) {
      int x = 0;
      auto r = env.world().irecv(x, env.size() - 1, 1);
      expect_lost([&] {
        while (!r.test()) std::this_thread::yield();
      });
    });
  }
  SUBCASE("a loop of iprobe") {
    lose_last_of_several<Stack>([](auto& env) {
      auto world = env.world();
      expect_lost([&] {
        while (!world.iprobe(env.size() - 1, 1)) std::this_thread::yield();
      });
    });
  }
  SUBCASE("a loop of improbe") {
    lose_last_of_several<Stack>([](auto& env) {
      auto world = env.world();
      expect_lost([&] {
        while (!world.improbe(env.size() - 1, 1)) std::this_thread::yield();
      });
    });
  }
  SUBCASE("wait_any") {
    lose_last_of_several<Stack>([](auto& env) {
      int x[2] = {};
      auto world = env.world();
      const mpx::rank_t last = env.size() - 1;
      mpx::request<Stack> rs[] = {world.irecv(x[0], last, 1), world.irecv(x[1], last, 2)};
      expect_lost([&] { mpx::wait_any(rs); });
      const auto rest = mpx::wait_all_statuses(rs);
      CHECK(rest[1].error() == mpx::errc::peer_lost);
    });
  }
  SUBCASE("probe") {
    lose_last_of_several<Stack>(
        [](auto& env) { expect_lost([&] { env.world().probe(env.size() - 1, 1); }); });
  }
  SUBCASE("mprobe") {
    lose_last_of_several<Stack>(
        [](auto& env) { expect_lost([&] { (void)env.world().mprobe(env.size() - 1); }); });
  }
  SUBCASE("ssend") {
    lose_last_of_several<Stack>(
        [](auto& env) { expect_lost([&] { env.world().ssend(1, env.size() - 1); }); });
  }
  SUBCASE("a long send") {
    lose_last_of_several<Stack>([](auto& env) {
      const auto m = ranks::message(long_bytes, 1);
      expect_lost([&] { env.world().send(m, env.size() - 1); });
    });
  }
  SUBCASE("an endless stream of sends") {
    lose_last_of_several<Stack>([](auto& env) {
      const auto m = ranks::message(100, 1);
      expect_lost([&] {
        for (;;) env.world().send(m, env.size() - 1);
      });
    });
  }
  SUBCASE("barrier") {
    lose_last_of_several<Stack>([](auto& env) { expect_lost([&] { env.world().barrier(); }); });
  }
}

TEST_CASE_TEMPLATE("ranks that seldom poll notice a loss in time", Stack, ranks::inproc, ranks::shm,
                   ranks::multiple, ranks::rdma) {
  const auto rarely = [] { std::this_thread::sleep_for(300ms); };
  SUBCASE("test") {
    lose_last<Stack>(2, no_step, [&](auto& env) {
      int x = 0;
      auto r = env.world().irecv(x, 1, 1);
      expect_lost([&] {
        while (!r.test()) rarely();
      });
    });
  }
  SUBCASE("iprobe") {
    lose_last<Stack>(2, no_step, [&](auto& env) {
      expect_lost([&] {
        while (!env.world().iprobe(1, 1)) rarely();
      });
    });
  }
  SUBCASE("eager sends") {
    lose_last<Stack>(2, no_step, [&](auto& env) {
      expect_lost([&] {
        for (;; rarely()) env.world().send(1, 1);
      });
    });
  }
}

TEST_CASE_TEMPLATE("a rank that disconnects from a peer tells it", Stack, ranks::inproc, ranks::shm,
                   ranks::multiple, ranks::rdma) {
  // Both leave in good order afterwards, though neither has received the message that it waited
  // for.
  ranks::run<Stack>(3, [](auto& env) {
    auto world = env.world();
    int x = 0;
    if (world.rank() == 1) {
      const mpx::frame_header nonsense{{0xffff'ffff, 1, 2, 0, 4}};
      while (env.transport().post(0, nonsense, {}, 0) == mpx::outcome::retry) world.iprobe();
      expect_lost([&] { world.recv(x, 0, 1); });
      const std::string text = ranks::text_of([&] { world.recv(x, 0, 1); });
      CAPTURE(text);
      CHECK(ranks::contains(text, "rank 0 has given this rank up, whose packets make no sense"));
    } else if (world.rank() == 0) {
      CHECK(ranks::errc_of([&] { world.recv(x, 1, 2); }) == mpx::errc::protocol);
    }
    if (world.rank() == 2) {
      world.recv(x, 0, 3);
      world.recv(x, 1, 3);
    } else {
      world.send(1, 2, 3);
    }
    expect_lost([&] { world.barrier(); });
  });
}

TEST_CASE("a rank that dies while the others join is lost to them") {
  const ranks::watchdog guard("a death at start-up", 20s);
  for (const int fences : {1, 2}) {  // Fences that the dead rank has entered.
    CAPTURE(fences);
    const mpx::bootstrap::thread_job job(2);
    std::thread other([&] {
      mpx::bootstrap::threads dies(job, 1);
      dies.put("mpx.stack", mpx::stack<>::fingerprint());
      for (int i = 0; i < fences; ++i) try {
          dies.fence([] {});
        } catch (const mpx::error&) {
          CHECK(i > 0);
        }
      job.mark_ended(1, false);
      dies.mark_failed();
    });
    const auto begin = std::chrono::steady_clock::now();
    expect_lost([&] {
      mpx::environment<> env{mpx::bootstrap::any(mpx::bootstrap::threads(job, 0))};
      int x = 0;
      env.world().recv(x, 1, 1);
    });
    CHECK(std::chrono::steady_clock::now() - begin < patience);
    other.join();
  }
}

TEST_CASE_TEMPLATE("no rank waits for operations that depend on a lost rank", Stack, ranks::inproc,
                   ranks::shm, ranks::tiny, ranks::multiple, ranks::rdma) {
  lose_last<Stack>(3, no_step, [](auto& env) {
    auto world = env.world();
    const mpx::rank_t last = env.size() - 1;
    const mpx::rank_t other = 1 - env.rank();
    const auto out = ranks::message(long_bytes, 1);
    std::vector<std::byte> in(long_bytes);
    int x = 0;
    const auto post = [&] {  // The first never completes: it is not received.
      std::vector<mpx::request<Stack>> rs;
      rs.push_back(world.issend(out, other, 5));
      rs.push_back(world.irecv(x, last, 1));
      rs.push_back(world.irecv(in, other, 6));
      return rs;
    };
    const auto one_is_lost = [](const auto& rs) { return rs[0] && !rs[1] && rs[2]; };
    {
      auto rs = post();
      const std::string text = ranks::text_of([&] { mpx::wait_all(rs); });
      CHECK(ranks::contains(text, "2 other requests are still pending"));
      CHECK(one_is_lost(rs));
    }
    {
      auto rs = post();
      std::error_code ec;
      mpx::wait_all(rs, ec);
      CHECK(ec == mpx::errc::peer_lost);
      CHECK(one_is_lost(rs));
    }
    {
      auto rs = post();
      const auto statuses = mpx::wait_all_statuses(rs);
      CHECK(statuses[0].error() == mpx::errc::pending);
      CHECK(statuses[1].error() == mpx::errc::peer_lost);
      CHECK(one_is_lost(rs));
    }
    {
      auto rs = post();
      CHECK(!mpx::wait_first(rs));
      CHECK(mpx::wait_first(std::span{rs}.subspan(1)));
      CHECK(!rs[1].take_success());
      CHECK((rs[0] && rs[1] && rs[2]));
    }
    {
      auto rs = post();
      expect_lost([&] {
        while (!mpx::test_all(rs)) std::this_thread::yield();
      });
      CHECK(one_is_lost(rs));
    }
    expect_lost([&] { world.sendrecv(out, other, 7, x, last, 7); });
    expect_lost([&] { world.sendrecv(out, last, 7, x, other, 8); });
    int y = 0;
    world.sendrecv(x, other, 9, y, other, 9);  // No rank leaves before: that would be a loss too.
  });
}

TEST_CASE_TEMPLATE("communication after a loss", Stack, ranks::inproc, ranks::shm, ranks::multiple,
                   ranks::rdma) {
  lose_last<Stack>(3, no_step, [](auto& env) {
    auto world = env.world();
    int x = 0;
    expect_lost([&] { world.recv(x, mpx::any_source, 98); });
    // Named receives and sends between the living work on.
    const mpx::rank_t other = 1 - world.rank();
    world.sendrecv(world.rank(), other, 5, x, other, 5);
    CHECK(x == other);
    // To and from the dead: at once.
    expect_lost([&] { world.recv(x, 2); });
    const std::string text = ranks::text_of([&] { world.recv(x, 2); });
    CAPTURE(text);
    CHECK(ranks::contains(text, "rank 2 (pid " + std::to_string(::getpid()) + ") "));
    expect_lost([&] { world.send(x, 2); });
    expect_lost([&] { world.probe(2); });
    std::error_code ec;
    world.recv(x, 2, 0, ec);
    CHECK(ec == mpx::errc::peer_lost);
    // Any source: an error until the loss is acknowledged.
    expect_lost([&] { world.recv(x, mpx::any_source, 98); });
    world.sendrecv(0, other, 6, x, other, 6);
    env.acknowledge_failures();
    world.send(40 + world.rank(), other, 7);
    CHECK(world.recv(x, mpx::any_source, 7).source() == other);
    CHECK(x == 40 + other);
  });
}

TEST_CASE_TEMPLATE("messages that a lost rank had sent", Stack, ranks::inproc, ranks::shm,
                   ranks::by_put, ranks::listed, ranks::multiple, ranks::rdma) {
  SUBCASE("eager ones that have arrived are received") {
    lose_last<Stack>(
        2, [](auto world) { world.send(77, 0, 3); },
        [](auto& env) {
          auto world = env.world();
          int x = 0;
          world.probe(1, 3);
          expect_lost([&] { world.recv(x, 1, 99); });
          CHECK(world.recv(x, 1, 3).bytes() == sizeof(int));
          CHECK(x == 77);
        });
  }
  SUBCASE("announced ones are an error") {
    lose_last<Stack>(
        2,
        [](auto world) {
          auto m = ranks::message(long_bytes, 3);
          {
            auto dropped = world.isend(m, 0, 3);
          }
        },
        [](auto& env) {
          auto world = env.world();
          int x = 0;
          std::vector<std::byte> in(long_bytes);
          expect_lost([&] { world.recv(x, 1, 99); });
          expect_lost([&] { world.recv(in, 1, 3); });
        });
  }
  SUBCASE("announced ones that a matched probe holds are an error") {
    lose_last<Stack>(
        2,
        [](auto world) {
          auto m = ranks::message(long_bytes, 3);
          {
            auto dropped = world.isend(m, 0, 3);
          }
        },
        [](auto& env) {
          auto world = env.world();
          int x = 0;
          std::vector<std::byte> in(long_bytes);
          auto m = world.mprobe(1, 3);
          expect_lost([&] { world.recv(x, 1, 99); });
          expect_lost([&] { m.recv(in); });
        });
  }
  SUBCASE("announced ones that are dropped end") {
    lose_last<Stack>(
        2,
        [](auto world) {
          auto m = ranks::message(long_bytes, 3);
          {
            auto dropped = world.isend(m, 0, 3);
          }
        },
        [](auto& env) {
          auto world = env.world();
          int x = 0;
          auto m = world.mprobe(1, 3);
          expect_lost([&] { world.recv(x, 1, 99); });
        });
  }
}
