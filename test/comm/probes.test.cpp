// SPDX-License-Identifier: BSL-1.0
// release: tsan
// compilers: both
// Probes tell what could be received; matched probes take it, and what they hold may be dropped.

#include "comm/ranks.hpp"

namespace {

using ranks::go_tag;

template <class Comm>
mpx::status spin_iprobe(Comm& world, mpx::rank_t from, mpx::tag_t tag) {
  for (;;) {
    if (const auto s = world.iprobe(from, tag)) return *s;
    std::this_thread::yield();
  }
}
template <class Comm>
auto spin_improbe(Comm& world, mpx::rank_t from, mpx::tag_t tag) {
  for (;;) {
    if (auto m = world.improbe(from, tag)) return std::move(*m);
    std::this_thread::yield();
  }
}

/// Four like messages in four ways.
template <class Stack>
void receive_by_probes(mpx::communicator<Stack> world, std::size_t bytes) {
  std::vector<std::byte> in(bytes);
  const auto is = [&](const mpx::status& s) {
    return s.source() == 1 && s.tag() == 3 && s.bytes() == bytes && !s.error();
  };
  const auto holds = [&](std::uint64_t seed) {
    const bool right = ranks::holds(in, seed);
    in.assign(bytes, std::byte{});
    return right;
  };
  CHECK(is(world.probe(1, 3)));
  CHECK(is(world.probe()));  // It has taken nothing.
  CHECK(is(world.recv(in, 1, 3)));
  CHECK(holds(0));
  CHECK(is(spin_iprobe(world, mpx::any_source, 3)));
  CHECK(is(world.recv(in)));
  CHECK(holds(1));
  auto held = world.mprobe(mpx::any_source, 3);
  CHECK(held);
  CHECK(is(held.info()));
  auto next = spin_improbe(world, 1, mpx::any_tag);
  CHECK(is(next.info()));
  CHECK(is(next.recv(in)));  // The later one first.
  CHECK(holds(3));
  CHECK(!next);
  auto r = held.irecv(in);
  CHECK(!held);
  CHECK(is(r.wait()));
  CHECK(holds(2));
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("probes at all sizes", Stack, all_sizes) {
  ranks::run<Stack>(2, [](auto world) {
    for (const std::size_t bytes : ranks::sizes<Stack>()) {
      if (world.rank() == 0) {
        CHECK(!world.iprobe(1, 3));
        CHECK(!world.improbe(mpx::any_source, 3));
        world.send(1, 1, go_tag);
        receive_by_probes(world, bytes);
        CHECK(!world.iprobe());
        continue;
      }
      (void)world.template recv<int>(0, go_tag);
      std::vector<std::vector<std::byte>> data;
      std::vector<mpx::request<Stack>> sends;
      for (const std::uint64_t seed : {0u, 1u, 2u, 3u}) {
        data.push_back(ranks::message(bytes, seed));
        sends.push_back(seed % 2 == 0 ? world.isend(data.back(), 0, 3)
                                      : world.issend(data.back(), 0, 3));
      }
      mpx::wait_all(sends);
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(all_sizes, ranks::all_stacks);

TEST_CASE_TEMPLATE_DEFINE("a message that is dropped ends as if received", Stack, dropped) {
  ranks::run<Stack>(2, [](auto world) {
    for (const std::size_t bytes : {8, 500, 5000, 100'000}) {
      const auto m = ranks::message(bytes, bytes);
      if (world.rank() == 1) {
        world.ssend(m, 0, 1);  // Completes although the data is not kept.
        mpx::request<Stack> sends[] = {world.isend(m, 0, 1), world.issend(m, 0, 1),
                                       world.isend(m, 0, 2)};
        mpx::wait_all(sends);
        continue;
      }
      std::vector<std::byte> in(bytes);
      {
        auto held = world.mprobe(1, 1);
      }
      auto held = world.mprobe(1, 1);
      held = world.mprobe(1, 1);  // The one before is dropped.
      held = {};
      CHECK(!held);
      CHECK(world.recv(in, 1).tag() == 2);
      CHECK(in == m);
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(dropped, ranks::all_stacks);

TEST_CASE_TEMPLATE("messages move, and are received once", Stack, ranks::inproc, ranks::multiple) {
  ranks::run<Stack>(2, [](auto world) {
    using message = mpx::message<Stack>;
    static_assert(!std::is_copy_constructible_v<message>);
    static_assert(std::is_nothrow_move_constructible_v<message>);
    if (world.rank() == 1) {
      for (const int x : {10, 11, 12}) world.ssend(x, 0, x);
      return;
    }
    int x = 0;
    message none;
    CHECK(!none);
    CHECK(ranks::errc_of([&] { none.recv(x); }) == mpx::errc::request);
    message first = world.mprobe(1, 10);
    message moved = std::move(first);
    CHECK(!first);
    CHECK(moved);
    CHECK(moved.info().tag() == 10);
    CHECK(ranks::errc_of([&] { first.recv(x); }) == mpx::errc::request);
    message& same = moved;
    moved = std::move(same);
    CHECK(moved.recv(x).tag() == 10);
    CHECK(x == 10);
    CHECK(ranks::errc_of([&] { (void)moved.irecv(x); }) == mpx::errc::request);
    std::error_code ec;
    moved.recv(x, ec);
    CHECK(ec == mpx::errc::request);
    char small = 0;  // Truncated, as any receive.
    message second = world.mprobe(1, 11);
    CHECK(second.recv(small, ec).bytes() == sizeof(int));
    CHECK(ec == mpx::errc::truncate);
    CHECK(!second);
    // A request for a held message can be dropped too.
    {
      auto r = world.mprobe(1, 12).irecv(x);
    }
  });
}

TEST_CASE_TEMPLATE("a message held by a matched probe matches no receive", Stack, ranks::inproc,
                   ranks::listed, ranks::multiple) {
  ranks::run<Stack>(2, [](auto world) {
    for (const std::size_t bytes : {8, 100'000}) {
      const auto first = ranks::message(bytes, 1);
      const auto second = ranks::message(bytes, 2);
      if (world.rank() == 1) {
        auto a = world.isend(first, 0, 1);
        auto b = world.isend(second, 0, 1);
        a.wait();
        b.wait();
        continue;
      }
      std::vector<std::byte> in(bytes);
      auto held = world.mprobe();
      auto posted = world.irecv(in);
      posted.wait();
      CHECK(in == second);
      held.recv(in);
      CHECK(in == first);
    }
  });
}
