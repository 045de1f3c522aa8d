// SPDX-License-Identifier: BSL-1.0
// release: tsan
// timeout: 240
// compilers: both
// Requests that are dropped: a receive never touches its buffer again, a send still arrives, even
// when its buffer is gone at once.

#include <memory>

#include "comm/ranks.hpp"

namespace {

using ranks::canary;
using ranks::data_tag;
using ranks::go_tag;

/// A buffer that is overwritten and freed when its scope ends.
class abandoned {
 public:
  abandoned(std::size_t bytes, std::uint64_t seed) : data_(ranks::message(bytes, seed)) {}
  abandoned(const abandoned&) = delete;
  abandoned& operator=(const abandoned&) = delete;
  ~abandoned() { std::fill(data_.begin(), data_.end(), canary); }
  std::span<std::byte> bytes() { return data_; }

 private:
  std::vector<std::byte> data_;
};

template <class Comm>
void token_to(Comm& world, mpx::rank_t to) {
  world.send(1, to, go_tag);
}
template <class Comm>
void token_from(Comm& world, mpx::rank_t from) {
  (void)world.template recv<int>(from, go_tag);
}

bool all_are(std::span<const std::byte> data, std::byte b) {
  return std::all_of(data.begin(), data.end(), [b](std::byte x) { return x == b; });
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("a dropped receive gives its message to the next one", Stack, receives) {
  ranks::run<Stack>(2, [](auto world) {
    for (const std::size_t bytes : ranks::sizes<Stack>()) {
      if (world.rank() == 1) {
        token_from(world, 0);
        world.send(ranks::message(bytes, bytes), 0, data_tag);
        continue;
      }
      std::vector<std::byte> first(bytes, canary);
      std::vector<std::byte> second(bytes, canary);
      std::vector<std::byte> in(bytes, canary);
      {
        auto r = world.irecv(first, 1, data_tag);
        auto wild = world.irecv(second);
        CHECK(!r.test());
      }
      token_to(world, 1);
      CHECK(world.recv(in, 1, data_tag).bytes() == bytes);
      CHECK(ranks::holds(in, bytes));
      CHECK(all_are(first, canary));
      CHECK(all_are(second, canary));
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(receives, ranks::all_stacks);

TEST_CASE_TEMPLATE_DEFINE("a receive that is dropped while its data arrives", Stack, streaming) {
  ranks::run<Stack>(2, [](auto world) {
    constexpr std::size_t bytes = ranks::long_bytes;
    // Dropped after this many looks: before, in the middle of and after the arrival.
    for (int looks = 0; looks < 24; ++looks) {
      if (world.rank() == 1) {
        token_from(world, 0);
        abandoned m(bytes, 1);
        world.send(m.bytes(), 0, data_tag);
        world.send(4711, 0, go_tag);
        continue;
      }
      bool complete = false;
      {
        const auto buffer = std::make_unique<std::byte[]>(bytes);
        auto r = world.irecv(std::span(buffer.get(), bytes), 1, data_tag);
        token_to(world, 1);
        for (int i = 0; i < looks && !complete; ++i) complete = r.test().has_value();
      }
      if (!complete) {  // Matched: it is gone. Not matched: it is still to come.
        std::vector<std::byte> in(bytes);
        auto r = world.irecv(in, 1, data_tag);
        CHECK(world.template recv<int>(1, go_tag) == 4711);
        // One of the two got it; what got it has it right.
        if (r.cancel()) {
          CHECK(r.wait().cancelled());
        } else {
          r.wait();
          CHECK(ranks::holds(in, 1));
        }
      } else {
        CHECK(world.template recv<int>(1, go_tag) == 4711);
      }
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(streaming, ranks::all_stacks);

TEST_CASE_TEMPLATE_DEFINE("a dropped send arrives, although its buffer is gone", Stack, sends) {
  ranks::run<Stack>(2, [](auto world) {
    for (const std::size_t bytes : ranks::sizes<Stack>()) {
      if (world.rank() == 1) {
        {
          abandoned a(bytes, 1);
          abandoned b(bytes, 2);
          abandoned c(bytes, 3);
          auto standard = world.isend(a.bytes(), 0, data_tag);
          auto synchronous = world.issend(b.bytes(), 0, data_tag);
          auto again = world.send_init(c.bytes(), 0, data_tag);
          again.start();
        }
        token_to(world, 0);
        continue;
      }
      token_from(world, 1);  // Gone by now.
      std::vector<std::byte> in(bytes);
      for (const std::uint64_t seed : {1u, 2u, 3u}) {
        CHECK(world.recv(in, 1, data_tag).bytes() == bytes);
        CHECK(ranks::holds(in, seed));
      }
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(sends, ranks::all_stacks);

TEST_CASE_TEMPLATE_DEFINE("a send that is dropped while its message is held", Stack, held) {
  ranks::run<Stack>(2, [](auto world) {
    for (const std::size_t bytes : ranks::sizes<Stack>()) {
      if (world.rank() == 1) {
        {
          abandoned m(bytes, 1);
          auto r = world.issend(m.bytes(), 0, data_tag);
          token_from(world, 0);  // It is held by a matched probe.
        }
        token_to(world, 0);
        continue;
      }
      auto message = world.mprobe(1, data_tag);
      token_to(world, 1);
      token_from(world, 1);
      std::vector<std::byte> in(bytes);
      CHECK(message.recv(in).bytes() == bytes);
      CHECK(ranks::holds(in, 1));
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(held, ranks::all_stacks);

TEST_CASE_TEMPLATE_DEFINE("a send that is dropped while its data leaves", Stack, leaving) {
  ranks::run<Stack>(2, [](auto world) {
    constexpr std::size_t bytes = ranks::long_bytes;
    for (int looks = 0; looks < 24; ++looks) {
      if (world.rank() == 1) {
        token_from(world, 0);
        abandoned m(bytes, 1);
        auto r = world.isend(m.bytes(), 0, data_tag);
        for (int i = 0; i < looks && r; ++i) (void)r.test();
        continue;
      }
      std::vector<std::byte> in(bytes);
      auto r = world.irecv(in, 1, data_tag);
      token_to(world, 1);
      CHECK(r.wait().bytes() == bytes);
      CHECK(ranks::holds(in, 1));
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(leaving, ranks::all_stacks);

TEST_CASE_TEMPLATE_DEFINE("a dropped send that is never received does not keep a job from ending",
                          Stack, never) {
  for (const mpx::rank_t n : {1, 2, 4}) {
    ranks::run<Stack>(n, [](auto world) {
      const mpx::rank_t next = (world.rank() + 1) % world.size();
      for (const std::size_t bytes : {8, 2000, 300'000}) {
        abandoned m(bytes, 1);
        abandoned into(bytes, 2);
        auto a = world.isend(m.bytes(), next, data_tag);
        auto b = world.irecv(into.bytes(), next, go_tag);
        auto c = world.issend(m.bytes(), next, data_tag);
        a = std::move(c);  // Dropped by assignment.
        CHECK(a);
        CHECK(!c);  // NOLINT(bugprone-use-after-move)
      }
    });
  }
}
TEST_CASE_TEMPLATE_APPLY(never, ranks::all_stacks);

TEST_CASE_TEMPLATE("all ranks drop long sends to each other at once", Stack, ranks::inproc,
                   ranks::shm, ranks::by_get, ranks::by_put, ranks::multiple) {
  for (const mpx::rank_t n : {2, 4, 7}) {
    ranks::run<Stack>(n, [](auto world) {
      constexpr std::size_t bytes = 100'000;
      const mpx::rank_t n = world.size();
      {
        abandoned m(bytes, static_cast<std::uint64_t>(world.rank()));
        for (mpx::rank_t to = 0; to < n; ++to) auto dropped = world.isend(m.bytes(), to, data_tag);
      }
      std::vector<std::byte> in(bytes);
      for (mpx::rank_t from = n; from-- > 0;) {
        world.recv(in, from, data_tag);
        CHECK(ranks::holds(in, static_cast<std::uint64_t>(from)));
      }
    });
  }
}
