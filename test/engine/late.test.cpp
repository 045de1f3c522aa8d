// SPDX-License-Identifier: BSL-1.0
// release: dev
// timeout: 180
// compilers: both
// Pending posts and placed bodies: buffers belong to the transport until a completion; requests
// end, and peers are lost, in the middle of either.

#include <chrono>

#include "comm/ranks.hpp"
#include "transport/late_stacks.hpp"

namespace {

using namespace std::chrono_literals;
using late_stacks::over_small;
using late_transport::fault;
using ranks::canary;
using ranks::data_tag;
using ranks::go_tag;

using late_bytes = std::vector<std::byte>;
/// A window of 32 messages of 128 bytes.
using small_window = mpx::flow::credits<64 * 1024, 8 * 1024, 16>;
template <late_transport::plan Plan>
using by_fragments =
    over_small<Plan, mpx::protocol::tiny_short_long<16, 128, mpx::long_path::packets, 100>,
               small_window, mpx::trace::counters>;

/// Every post is pending, every body is placed; a peer's channel is short.
using late_all = by_fragments<late_stacks::all>;
/// Completions come long after the data has.
constexpr late_transport::plan after_all{
    .post_delay_max = 0, .completion_delay_max = 400, .depth = 1000, .seed = 4};
using late_last = by_fragments<after_all>;

#if defined(MPX_TEST_SANITIZED) || defined(MPX_TEST_EMULATED)
constexpr unsigned late_slowdown = 5;
#else
constexpr unsigned late_slowdown = 1;
#endif
#ifdef MPX_TEST_SANITIZED
constexpr mpx::rank_t late_counts[] = {2, 3, 8};
#else
constexpr mpx::rank_t late_counts[] = {2, 3, 4, 7, 8};
#endif
constexpr std::size_t late_sizes[] = {0, 1, 8, 16, 17, 127, 128, 129, 200, 1000, 5000};

bool untouched(const late_bytes& data) {
  return std::all_of(data.begin(), data.end(), [](std::byte b) { return b == canary; });
}

struct left_early : std::exception {};

}  // namespace

TEST_CASE("late: a buffer is the transport's until its completion") {
  ranks::run<late_all>(1, [](mpx::environment<late_all>& env) {
    auto world = env.world();
    for (const std::size_t bytes : {8u, 16u, 100u, 128u}) {
      CAPTURE(bytes);
      late_bytes data = ranks::message(bytes, 1), in(bytes);
      const auto before = env.transport().counters();
      auto sending = world.isend(data, 0, data_tag);
      CHECK(!sending.done());
      CHECK(env.transport().counters().pending == before.pending + 1);
      CHECK(env.transport().counters().completions == before.completions);
      ranks::fill(data, 2);  // An error of the program, visible when the bytes are read.
      world.recv(in, 0, data_tag);
      CHECK(ranks::holds(in, 2));
      sending.wait();
      CHECK(env.transport().counters().completions > before.completions);
    }
  });
}

TEST_CASE("late: a synchronous send whose answer comes first waits for its completion") {
  ranks::run<late_last>(1, [](mpx::environment<late_last>& env) {
    auto world = env.world();
    std::uint64_t after = 0;
    for (int i = 0; i < 50; ++i) {
      late_bytes data = ranks::message(100, 1), in(100);
      auto sending = i % 2 == 0 ? world.issend(data, 0, data_tag) : world.isend(data, 0, data_tag);
      world.recv(in, 0, data_tag);
      CHECK(ranks::holds(in, 1));
      while (!sending.test()) ++after;
    }
    CHECK(after > 50 * 50);
  });
}

TEST_CASE("late: more fragments than are counted are pending") {
  ranks::run_at_all_counts<late_last>([](mpx::environment<late_last>& env) {
    auto world = env.world();
    const mpx::rank_t n = world.size(), next = (env.rank() + 1) % n;
    const mpx::rank_t previous = (env.rank() + n - 1) % n;
    constexpr std::size_t sizes[] = {100 * 254, 100 * 255, 100 * 256, 100 * 257 + 1, 100'000};
    for (const std::size_t bytes : sizes) {
      late_bytes out = ranks::message(bytes, bytes), in(bytes);
      auto receiving = world.irecv(in, previous, data_tag);
      auto sending = world.isend(out, next, data_tag);
      sending.wait();
      std::fill(out.begin(), out.end(), canary);
      receiving.wait();
      CHECK(ranks::holds(in, bytes));
    }
    CHECK(env.transport().counters().pending > 2000);
  });
}

// A message of a dropped receive is dropped, too, or waits: credit is returned in both cases.
TEST_CASE_TEMPLATE("late: receives are dropped at any stage", Stack, late_all, late_last) {
  ranks::run_at_all_counts<Stack>([](mpx::environment<Stack>& env) {
    auto world = env.world();
    const mpx::rank_t n = world.size(), next = (env.rank() + 1) % n;
    const mpx::rank_t previous = (env.rank() + n - 1) % n;
    const auto round = [&](unsigned i, std::size_t bytes) {
      const auto tag = static_cast<mpx::tag_t>(100 + i % 16);  // Later rounds' may be here.
      late_bytes out = ranks::message(bytes, i), in(bytes, canary), again(bytes);
      auto sending = i % 3 == 0 ? world.issend(out, next, tag) : world.isend(out, next, tag);
      {
        auto dropped = i % 2 == 0 ? world.irecv(in, previous, tag) : world.irecv(in);
        for (unsigned polls = i / 5 % 16; polls > 0; --polls) dropped.progress();
      }
      std::fill(in.begin(), in.end(), canary);
      auto token = world.isend(i, next, go_tag);
      CHECK(world.template recv<unsigned>(previous, go_tag) == i);
      if (world.iprobe(previous, tag)) {
        world.recv(again, previous, tag);
        CHECK(ranks::holds(again, i));
      }
      token.wait();
      sending.wait();
      CHECK(untouched(in));
    };
    const unsigned rounds = (n <= 2 ? 400u : 50u) / late_slowdown;
    for (unsigned i = 0; i < rounds; ++i) round(i, late_sizes[i % 11]);
    for (unsigned i = 0; i < rounds; ++i) round(i, 128);
    if (std::same_as<Stack, late_all> && n == 1) CHECK(env.transport().counters().cancelled > 10);
    CHECK(env.transport().counters().misplaced == 0);

    // All credit is there: half a window needs no announcement.
    world.barrier();
    int none = 0;
    world.sendrecv(0, previous, go_tag, none, next, go_tag);  // Brings what is known of credit.
    const std::uint64_t announced = env.trace()[mpx::event::announced_for_flow];
    for (unsigned i = 0; i < 8; ++i) {
      late_bytes out = ranks::message(128, i), in(128);
      world.sendrecv(out, next, data_tag, in, previous, data_tag);
      CHECK(ranks::holds(in, i));
    }
    CHECK(env.trace()[mpx::event::announced_for_flow] == announced);
    world.barrier();
  });
}

TEST_CASE_TEMPLATE("late: a rank leaves with posts pending and bodies half placed", Stack, late_all,
                   late_last) {
  for (const mpx::rank_t n : late_counts) {
    for (unsigned polls = 0; polls < 12; polls += n < 4 ? 2 : 5) {
      CAPTURE(polls);
      const ranks::watchdog guard("a rank that leaves", 60s);
      const auto begin = std::chrono::steady_clock::now();
      CHECK_THROWS_AS(
          ranks::run<Stack>(n,
                            [&](mpx::environment<Stack>& env) {
                              auto world = env.world();
                              const mpx::rank_t last = n - 1;
                              const bool leaves = env.rank() == last;
                              std::vector<late_bytes> out, in;
                              std::vector<mpx::request<Stack>> all;
                              for (mpx::rank_t to = 0; to < n; ++to) {
                                if (!leaves && to != last) continue;
                                for (unsigned i = 0; i < 33; ++i) {
                                  const std::size_t bytes = late_sizes[i % 11];
                                  out.push_back(ranks::message(bytes, i));
                                  in.emplace_back(bytes);
                                  all.push_back(world.irecv(in.back(), to, data_tag));
                                  all.push_back(world.isend(out.back(), to, data_tag));
                                }
                              }
                              for (unsigned i = 0; i < polls; ++i) all[0].progress();
                              if (leaves) throw left_early();
                              for (const auto& s : mpx::wait_all_statuses(all))
                                CHECK((!s.error() || s.error() == mpx::errc::peer_lost));
                              const auto& seen = env.transport().counters();
                              CHECK(seen.pending == seen.completions);
                              for (auto& m : out) std::fill(m.begin(), m.end(), canary);
                              for (auto& m : in) std::fill(m.begin(), m.end(), canary);
                              for (int i = 0; i < 500; ++i) (void)world.iprobe(env.rank(), 7);
                              CHECK(std::all_of(in.begin(), in.end(), untouched));
                            }),
          left_early);
      CHECK(std::chrono::steady_clock::now() - begin < 5s);
    }
  }
}

TEST_CASE_TEMPLATE("late: messages arrive though their sender has left", Stack, late_all,
                   late_last) {
  for (const mpx::rank_t n : late_counts) {
    for (const bool throws : {false, true}) {
      CAPTURE(throws);
      const ranks::watchdog guard("last words", 20s);
      const auto job = [&] {
        ranks::run<Stack>(n, [&](mpx::environment<Stack>& env) {
          auto world = env.world();
          if (env.rank() == n - 1) {
            int heard = 0;
            for (mpx::rank_t from = 0; from + 1 < n; ++from) world.recv(heard, from, go_tag);
            for (mpx::rank_t to = 0; to + 1 < n; ++to)
              for (unsigned i = 0; i < 10; ++i) {
                late_bytes data = ranks::message(100, i);
                {
                  auto dropped = world.isend(data, to, data_tag);
                }
                std::fill(data.begin(), data.end(), canary);
              }
            for (mpx::rank_t from = 0; from + 1 < n; ++from) world.recv(heard, from, go_tag + 1);
            if (throws) throw left_early();
            return;
          }
          world.send(0, n - 1, go_tag);
          world.ssend(0, n - 1, go_tag + 1);  // Its answer is pending when that rank leaves.
          for (unsigned i = 0; i < 10; ++i) {
            late_bytes in(100);
            world.recv(in, n - 1, data_tag);
            CHECK(ranks::holds(in, i));
          }
        });
      };
      if (throws) {
        CHECK_THROWS_AS(job(), left_early);
      } else {
        job();
      }
    }
  }
}

TEST_CASE_TEMPLATE("late: an attached buffer is returned when nothing is pending in it", Stack,
                   late_all, late_last) {
  ranks::run_at_all_counts<Stack>([](mpx::environment<Stack>& env) {
    auto world = env.world();
    const mpx::rank_t n = world.size(), next = (env.rank() + 1) % n;
    const mpx::rank_t previous = (env.rank() + n - 1) % n;
    for (unsigned again = 0; again < 20; ++again) {
      late_bytes room(4096);
      env.attach_buffer(room);
      for (unsigned i = 0; i < 5; ++i) world.bsend(ranks::message(100, again + i), next, data_tag);
      CHECK(env.detach_buffer().size() == room.size());
      std::fill(room.begin(), room.end(), canary);
      for (unsigned i = 0; i < 5; ++i) {
        late_bytes in(100);
        world.recv(in, previous, data_tag);
        CHECK(ranks::holds(in, again + i));
      }
    }
  });
}

TEST_CASE_TEMPLATE("late: wildcards and probes while bodies arrive piece by piece", Stack, late_all,
                   late_last) {
  ranks::run_at_all_counts<Stack>([](mpx::environment<Stack>& env) {
    auto world = env.world();
    const mpx::rank_t n = world.size();
    const auto each = static_cast<unsigned>(n > 4 ? 12 : 40);
    const auto size_of = [](unsigned i) { return late_sizes[i % 11]; };
    std::vector<late_bytes> out(each);
    std::vector<mpx::request<Stack>> sends;
    for (unsigned i = 0; i < each; ++i) {
      out[i] = ranks::message(size_of(i), i);
      for (mpx::rank_t to = 0; to < n; ++to)  // To itself, too.
        sends.push_back(world.isend(out[i], to, static_cast<mpx::tag_t>(i)));
    }
    std::vector<unsigned> heard(static_cast<std::size_t>(n));
    for (unsigned i = 0; i < each * static_cast<unsigned>(n); ++i) {
      late_bytes in(5000);
      mpx::status s;
      switch (i % 4) {
        case 0: s = world.recv(in); break;
        case 1: {
          const mpx::status seen = world.probe();
          s = world.recv(in, seen.source(), seen.tag());
          CHECK(s.bytes() == seen.bytes());
          break;
        }
        case 2: s = world.mprobe().recv(in); break;
        default: s = world.irecv(in).wait();
      }
      const unsigned k = heard[static_cast<std::size_t>(s.source())]++;
      CHECK(s.tag() == static_cast<mpx::tag_t>(k));  // In the order in which they were sent.
      CHECK(s.bytes() == size_of(k));
      CHECK(ranks::holds({in.data(), s.bytes()}, k));
    }
    mpx::wait_all(sends);
    CHECK(env.transport().counters().placed > 0);
    CHECK(env.transport().counters().unplaced > 0);
    CHECK(env.transport().counters().misplaced == 0);
  });
}

// For messages of one packet. The completions of several are equal: an engine that counts one
// twice, against the contract, ends the message before its last.
TEST_CASE("late: a repeated completion changes nothing") {
  ranks::run_at_all_counts<late_last>([](mpx::environment<late_last>& env) {
    env.transport().plant(fault::complete_twice);
    auto world = env.world();
    const mpx::rank_t n = world.size(), next = (env.rank() + 1) % n;
    const mpx::rank_t previous = (env.rank() + n - 1) % n;
    for (unsigned i = 0; i < 100; ++i) {
      const std::size_t bytes = late_sizes[i % 7];
      late_bytes out = ranks::message(bytes, i), in(bytes);
      auto receiving = world.irecv(in, previous, data_tag);
      auto sending =
          i % 2 == 0 ? world.isend(out, next, data_tag) : world.issend(out, next, data_tag);
      sending.wait();
      std::fill(out.begin(), out.end(), canary);
      receiving.wait();
      CHECK(ranks::holds(in, i));
    }
    world.barrier();
  });
}
