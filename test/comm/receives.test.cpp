// SPDX-License-Identifier: BSL-1.0
// release: tsan
// compilers: both
// Matching and results of receives: wildcards, statuses, types, truncation, proc_null, messages to
// oneself.

#include <array>
#include <string>

#include "comm/ranks.hpp"

namespace {

using ranks::go_tag;

struct point {
  double x;
  std::int32_t id;
  friend bool operator==(const point&, const point&) = default;
};

/// Lets rank 0 wait until what rank 1 sent before this has arrived.
template <class Comm>
void arrived(Comm& world) {
  if (world.rank() == 1) world.send(1, 0, go_tag);
  if (world.rank() == 0) (void)world.template recv<int>(1, go_tag);
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("wildcards match any source and any tag, and the status has both", Stack,
                          wildcards) {
  for (const mpx::rank_t n : ranks::counts) {
    ranks::run<Stack>(n, [](auto world) {
      const mpx::rank_t n = world.size();
      const int mine = 1000 + world.rank();
      if (world.rank() != 0) {
        world.send(mine, 0, 5);
        world.send(mine, 0, 10 + world.rank());
        world.send(mine, 0, mpx::tag_max);
        return;
      }
      std::vector<int> seen(static_cast<std::size_t>(n), 0);
      int x = 0;
      bool right = true;
      for (mpx::rank_t i = 1; i < n; ++i) {  // Any source, the tag named.
        const mpx::status s = world.recv(x, mpx::any_source, 5);
        right = right && s.tag() == 5 && x == 1000 + s.source();
        ++seen[static_cast<std::size_t>(s.source())];
      }
      for (mpx::rank_t i = n - 1; i > 0; --i) {  // The source named, any tag.
        const mpx::status s = world.recv(x, i);
        right = right && s.source() == i && s.tag() == 10 + i && x == 1000 + i;
      }
      for (mpx::rank_t i = 1; i < n; ++i) {  // Neither named.
        const mpx::status s = world.recv(x);
        right = right && s.tag() == mpx::tag_max && x == 1000 + s.source();
        ++seen[static_cast<std::size_t>(s.source())];
      }
      CHECK(right);
      for (mpx::rank_t i = 1; i < n; ++i) CHECK(seen[static_cast<std::size_t>(i)] == 2);
    });
  }
}
TEST_CASE_TEMPLATE_APPLY(wildcards, ranks::all_stacks);

TEST_CASE_TEMPLATE("typed buffers", Stack, ranks::shm, ranks::tiny) {
  ranks::run<Stack>(2, [](auto world) {
    const mpx::rank_t other = 1 - world.rank();
    const auto swap = [&](const auto& out, auto&& in) {
      return world.sendrecv(out, other, 1, in, other, 1);
    };
    char c = 0;
    swap('x', c);
    CHECK(c == 'x');
    point p{};
    swap(point{1.5, 7}, p);
    CHECK(p == point{1.5, 7});
    std::array<point, 3> a{};
    swap(std::vector<point>{{1, 1}, {2, 2}, {3, 3}}, a);
    CHECK(a[2] == point{3, 3});
    int plain[4] = {};
    const int numbers[] = {1, 2, 3, 4};
    mpx::status s = swap(numbers, plain);
    CHECK(plain[3] == 4);
    CHECK(s.template count<int>() == 4u);
    CHECK(s.template count<std::int64_t>() == 2u);
    CHECK(!s.template count<std::array<char, 5>>());
    std::string text(5, ' ');
    swap(std::string("hello"), text);
    CHECK(text == "hello");
    std::vector<double> many(10, 0);
    const std::vector<double> three{1, 2, 3};
    s = swap(std::span(three).subspan(1), std::span(many).subspan(4));
    CHECK(s.template count<double>() == 2u);
    CHECK(many[4] == 2);
    CHECK(many[5] == 3);
    CHECK(many[6] == 0);
    CHECK(swap(std::vector<int>{}, plain).bytes() == 0);
    CHECK(plain[0] == 1);
    world.send(2.5, other, 2);
    CHECK(world.template recv<double>(other, 2) == 2.5);
  });
}

namespace {

enum class how { blocking, nonblocking, persistent, matched };

/// Receives 100 bytes less than the message of `bytes` has; the canary behind must live.
template <class Comm>
void truncated(Comm& world, std::size_t bytes, how by, bool early) {
  const std::size_t room = bytes < 100 ? bytes / 2 : bytes - 100;
  std::vector<std::byte> in(bytes, std::byte{0xee});
  const auto into = std::span(in).first(room);
  if (early) arrived(world);
  std::string what;
  const mpx::errc why = ranks::errc_of([&] {
    what = ranks::text_of([&] {
      if (by == how::blocking) world.recv(into, 1, 1);
      if (by == how::nonblocking) world.irecv(into, 1, 1).wait();
      if (by == how::matched) world.mprobe(1, 1).recv(into);
      if (by == how::persistent) {
        auto p = world.recv_init(into, 1, 1);
        p.start();
        p.wait();
      }
    });
    std::error_code ec;
    const mpx::status s = world.recv(into, 1, 1, ec);  // The second of two like messages.
    CHECK(ec == mpx::errc::truncate);
    CHECK(s.error() == mpx::errc::truncate);
    CHECK(s.bytes() == bytes);
    CHECK(s.source() == 1);
    CHECK(s.tag() == 1);
  });
  CHECK(why == mpx::errc{});
  CAPTURE(what);
  CHECK(ranks::contains(what, "on rank 0 from rank 1, tag 1, communicator 0, "));
  CHECK(ranks::contains(
      what, std::to_string(room) + " bytes of room for a message of " + std::to_string(bytes)));
  CHECK(ranks::contains(what, "message truncated"));
  bool right = true;
  for (std::size_t i = 0; i < bytes; ++i)
    right = right && in[i] == (i < room ? ranks::byte_of(bytes, i) : std::byte{0xee});
  CHECK(right);
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("a message longer than its receive is cut, and it is an error", Stack,
                          truncation) {
  ranks::run<Stack>(2, [](auto world) {
    for (const std::size_t bytes : {10, 41, 400, 3000, 20'000, 300'000}) {
      for (const how by : {how::blocking, how::nonblocking, how::persistent, how::matched}) {
        for (const bool early : {false, true}) {
          if (world.rank() == 0) {
            truncated(world, bytes, by, early);
            int x = 0;  // Later calls are not affected.
            world.recv(x, 1, 1);
            CHECK(x == 99);
          } else {
            const auto m = ranks::message(bytes, bytes);
            auto first = world.isend(m, 0, 1);
            auto second = world.isend(m, 0, 1);
            if (early) arrived(world);
            CHECK(first.wait().error() == std::error_code{});
            second.wait();
            world.send(99, 0, 1);
          }
        }
      }
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(truncation, ranks::all_stacks);

TEST_CASE_TEMPLATE("proc_null: sends vanish, receives are empty", Stack, ranks::inproc,
                   ranks::multiple) {
  ranks::run<Stack>(2, [](auto world) {
    int x = 5;
    world.send(x, mpx::proc_null, 1);
    world.ssend(x, mpx::proc_null, 1);
    world.rsend(x, mpx::proc_null, 1);
    world.bsend(x, mpx::proc_null, 1);
    auto send = world.issend(x, mpx::proc_null, 1);
    CHECK(send);
    CHECK(send.test());
    CHECK(!send);
    const auto empty = [&x](const mpx::status& s) {
      return s.source() == mpx::proc_null && s.tag() == mpx::any_tag && s.bytes() == 0 &&
             !s.error() && x == 5;
    };
    CHECK(empty(world.recv(x, mpx::proc_null, 1)));
    auto receive = world.irecv(x, mpx::proc_null);
    CHECK(receive);
    CHECK(empty(receive.wait()));
    CHECK(empty(world.sendrecv(1, mpx::proc_null, 1, x, mpx::proc_null, 1)));
    CHECK(empty(world.sendrecv_replace(x, mpx::proc_null, 1, mpx::proc_null, 1)));
    CHECK(empty(world.probe(mpx::proc_null)));
    CHECK(empty(world.iprobe(mpx::proc_null, 3).value()));
    auto m = world.mprobe(mpx::proc_null);
    CHECK(m);
    CHECK(empty(m.info()));
    CHECK(empty(m.recv(x)));
    CHECK(!m);
    auto p = world.recv_init(x, mpx::proc_null);
    p.start();
    CHECK(empty(p.wait()));
    std::error_code ec;
    CHECK(empty(world.recv(x, mpx::proc_null, 1, ec)));
    CHECK(!ec);
    // A line of ranks whose ends have no neighbour, as programs use it.
    const mpx::rank_t left = world.rank() == 0 ? mpx::rank_t{mpx::proc_null} : 0;
    const mpx::rank_t right = world.rank() == 0 ? 1 : mpx::rank_t{mpx::proc_null};
    int from_left = -1;
    const mpx::status s = world.sendrecv(world.rank(), right, 2, from_left, left, 2);
    CHECK(s.source() == left);
    CHECK(from_left == (world.rank() == 0 ? -1 : 0));
  });
}

TEST_CASE_TEMPLATE_DEFINE("messages to oneself", Stack, to_self) {
  for (const mpx::rank_t n : {1, 3}) {
    ranks::run<Stack>(n, [](mpx::environment<Stack>& env) {
      auto world = env.world();
      const mpx::rank_t me = world.rank();
      std::vector<std::byte> memory(4 << 20);
      env.attach_buffer(memory);
      for (const std::size_t bytes : ranks::sizes<Stack>()) {
        const auto out = ranks::message(bytes, bytes);
        std::vector<std::byte> in(bytes);
        const auto check = [&](const mpx::status& s) {
          CHECK(s.source() == me);
          CHECK(s.bytes() == bytes);
          CHECK(in == out);
          in.assign(bytes, std::byte{});
        };
        check(world.sendrecv(out, me, 1, in, me, 1));
        auto send = world.isend(out, me, 1);  // Before the receive.
        CHECK(world.probe(mpx::any_source, 1).bytes() == bytes);
        check(world.recv(in, me, 1));
        send.wait();
        auto receive = world.irecv(in, mpx::any_source, 1);
        world.ssend(out, me, 1);
        check(receive.wait());
        receive = world.irecv(in, me, 1);
        world.rsend(out, me, 1);
        check(receive.wait());
        world.bsend(out, me, 1);
        check(world.recv(in));
      }
      CHECK(env.detach_buffer().size() == memory.size());
    });
  }
}
TEST_CASE_TEMPLATE_APPLY(to_self, ranks::all_stacks);
