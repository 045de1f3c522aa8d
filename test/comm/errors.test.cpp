// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// Wrong arguments, ready sends that come too early, and buffered sends without room: which error,
// on which side, and what its text names.

#include <chrono>
#include <stdexcept>

#include "comm/ranks.hpp"

namespace {

using ranks::go_tag;

using bytes_view = std::span<const std::byte>;

void expect(const std::string& text, std::initializer_list<const char*> parts) {
  CAPTURE(text);
  for (const char* part : parts) CHECK_MESSAGE(ranks::contains(text, part), part);
}

/// Calls every operation with the given partner and tag; `body(operation)` says what it must do.
template <class Comm, class Check>
void every_send(Comm& world, mpx::rank_t to, mpx::tag_t tag, Check check) {
  const int x = 4;
  check("send", [&] { world.send(x, to, tag); });
  check("ssend", [&] { world.ssend(x, to, tag); });
  check("bsend", [&] { world.bsend(x, to, tag); });
  check("rsend", [&] { world.rsend(x, to, tag); });
  check("send", [&] { world.isend(x, to, tag).wait(); });
  check("ssend", [&] { world.issend(x, to, tag).wait(); });
  check("bsend", [&] { world.ibsend(x, to, tag).wait(); });
  check("rsend", [&] { world.irsend(x, to, tag).wait(); });
  check("send_init", [&] { (void)world.send_init(x, to, tag); });
  check("send_init", [&] { (void)world.rsend_init(x, to, tag); });
  int in = 0;
  check("send", [&] { world.sendrecv(x, to, tag, in, world.rank(), 0); });
}

template <class Comm, class Check>
void every_receive(Comm& world, mpx::rank_t from, mpx::tag_t tag, Check check) {
  int x = 0;
  check("recv", [&] { world.recv(x, from, tag); });
  check("recv", [&] { (void)world.template recv<int>(from, tag); });
  check("receive", [&] { world.irecv(x, from, tag).wait(); });
  check("recv_init", [&] { (void)world.recv_init(x, from, tag); });
  check("receive", [&] { world.sendrecv(1, world.rank(), 0, x, from, tag); });
  check("receive", [&] { world.sendrecv_replace(x, world.rank(), 0, from, tag); });
  check("probe", [&] { world.probe(from, tag); });
  check("iprobe", [&] { (void)world.iprobe(from, tag); });
  check("mprobe", [&] { (void)world.mprobe(from, tag); });
  check("improbe", [&] { (void)world.improbe(from, tag); });
}

}  // namespace

TEST_CASE_TEMPLATE("wrong ranks and tags", Stack, ranks::inproc, ranks::shm) {
  ranks::run<Stack>(2, [](auto world) {
    const std::string me = " on rank " + std::to_string(world.rank());
    const auto expecting = [&](mpx::errc why, std::string direction, std::string tail) {
      return [=](const char* operation, auto call) {
        std::string text;
        CHECK(ranks::errc_of([&] {
                try {
                  call();
                } catch (const mpx::error& e) {
                  text = e.what();
                  throw;
                }
              }) == why);
        const std::string start = operation + me + direction;
        expect(text, {start.c_str(), "communicator 0", tail.c_str()});
      };
    };
    const auto rank = mpx::errc::rank;
    const auto tag = mpx::errc::tag;
    for (const mpx::rank_t wrong : {2, -3, 1 << 30}) {
      const std::string other = std::to_string(wrong) + ", tag 3";
      every_send(world, wrong, 3, expecting(rank, " to rank " + other, "ranks here are 0 .. 1"));
      every_receive(world, wrong, 3,
                    expecting(rank, " from rank " + other, "ranks here are 0 .. 1"));
    }
    every_send(world, mpx::any_source, 3,
               expecting(rank, " to rank any, tag 3",
                         ": any_source is for receives, ranks here are 0 .. 1"));
    for (const mpx::tag_t wrong : {-2, -100}) {
      const std::string given = "tag " + std::to_string(wrong);
      const std::string tail = given + " is negative";
      every_send(world, 0, wrong, expecting(tag, " to rank 0, " + given, tail));
      every_receive(world, 0, wrong, expecting(tag, " from rank 0, " + given, tail));
      every_send(world, mpx::proc_null, wrong, expecting(tag, " to rank -2, " + given, tail));
    }
    every_send(world, 0, mpx::any_tag,
               expecting(tag, " to rank 0, tag any", ": any_tag is for receives"));
    world.barrier();
    CHECK(!world.iprobe());  // None of them has sent anything.
  });
}

TEST_CASE_TEMPLATE("forms with an error_code store it and never throw", Stack, ranks::inproc,
                   ranks::multiple) {
  ranks::run<Stack>(2, [](auto world) {
    int x = 0;
    std::error_code ec;
    const auto is = [&ec](mpx::errc why) {
      const bool right = ec == why;
      ec = mpx::errc::deadlock;  // A call that succeeds clears it.
      return right;
    };
    const auto fine = [&ec] {
      const bool right = !ec;
      ec = mpx::errc::deadlock;
      return right;
    };
    const auto rank = mpx::errc::rank;
    static_assert(noexcept(world.send(x, 9, 0, ec)) && noexcept(world.recv(x, 9, 0, ec)) &&
                  noexcept(world.isend(x, 9, 0, ec)) && noexcept(world.irecv(x, 9, 0, ec)) &&
                  noexcept(world.probe(9, 0, ec)) && noexcept(world.barrier(ec)));
    world.send(x, 9, 0, ec);
    CHECK(is(rank));
    world.ssend(x, 9, 0, ec);
    CHECK(is(rank));
    world.bsend(x, 9, 0, ec);
    CHECK(is(rank));
    world.rsend(x, 9, 0, ec);
    CHECK(is(rank));
    CHECK(!world.isend(x, 9, 0, ec));
    CHECK(is(rank));
    CHECK(!world.issend(x, 9, 0, ec));
    CHECK(is(rank));
    CHECK(!world.ibsend(x, 9, 0, ec));
    CHECK(is(rank));
    CHECK(!world.irsend(x, 9, 0, ec));
    CHECK(is(rank));
    CHECK(world.recv(x, 9, 0, ec).bytes() == 0);
    CHECK(is(rank));
    CHECK(!world.irecv(x, 9, 0, ec));
    CHECK(is(rank));
    world.sendrecv(x, 9, 0, x, 0, 0, ec);
    CHECK(is(rank));
    world.sendrecv(1, world.rank(), 0, x, 9, 0, ec);
    CHECK(is(rank));
    world.sendrecv_replace(x, 9, 0, 0, 0, ec);
    CHECK(is(rank));
    world.probe(9, 0, ec);
    CHECK(is(rank));
    CHECK(!world.iprobe(9, 0, ec));
    CHECK(is(rank));
    CHECK(!world.mprobe(9, 0, ec));
    CHECK(is(rank));
    CHECK(!world.improbe(9, 0, ec));
    CHECK(is(rank));
    world.send(x, 0, -7, ec);
    CHECK(is(mpx::errc::tag));
    world.bcast(x, 7, ec);
    CHECK(is(mpx::errc::root));
    // And when all is well.
    const mpx::rank_t other = 1 - world.rank();
    auto receive = world.irecv(x, other, 1, ec);
    CHECK(fine());
    world.send(7, other, 1, ec);
    CHECK(fine());
    CHECK(receive.wait(ec).source() == other);
    CHECK(fine());
    CHECK(x == 7);
    const int y = 8;
    auto sending = world.issend(y, other, 2, ec);
    CHECK(fine());
    CHECK(world.probe(other, 2, ec).bytes() == sizeof(int));
    CHECK(fine());
    CHECK(world.iprobe(other, 2, ec));
    CHECK(fine());
    auto m = world.mprobe(other, 2, ec);
    CHECK(fine());
    CHECK(m.recv(x, ec).tag() == 2);
    CHECK(fine());
    sending.wait(ec);
    CHECK(fine());
    m.recv(x, ec);
    CHECK(is(mpx::errc::request));
    world.sendrecv(9, other, 3, x, other, 3, ec);
    CHECK(fine());
    world.sendrecv_replace(x, other, 4, other, 4, ec);
    CHECK(fine());
    CHECK(x == 9);
    world.bcast(x, 1, ec);
    CHECK(fine());
    CHECK(world.reduce(1, std::plus<>{}, 0, ec) == (world.rank() == 0 ? 2 : 1));
    CHECK(fine());
    CHECK(world.allreduce(1, std::plus<>{}, ec) == 2);
    CHECK(fine());
    (void)world.dup(ec);
    CHECK(fine());
    world.barrier(ec);
    CHECK(fine());
  });
}

namespace {

/// Four ready sends that find no receive, and a standard one.
template <class Comm>
void send_too_early(Comm& world, std::size_t bytes) {
  const auto m = ranks::message(bytes, bytes);
  std::string text;
  CHECK(ranks::errc_of([&] {
          try {
            world.rsend(m, 0, 1);
          } catch (const mpx::error& e) {
            text = e.what();
            throw;
          }
        }) == mpx::errc::not_ready);
  expect(text, {"rsend on rank 1 to rank 0, tag 1", "a ready send met no posted receive",
                (std::to_string(bytes) + " bytes").c_str()});
  std::error_code ec;
  world.rsend(m, 0, 1, ec);
  CHECK(ec == mpx::errc::not_ready);
  auto r = world.irsend(m, 0, 1);
  CHECK(ranks::errc_of([&] { r.wait(); }) == mpx::errc::not_ready);
  CHECK(!r);
  auto p = world.rsend_init(m, 0, 1);
  p.start();
  CHECK(p.wait(ec).error() == mpx::errc::not_ready);
  world.send(1, 0, go_tag);
  world.send(m, 0, 1);
}

template <class Comm>
void receive_too_late(Comm& world, std::size_t bytes, bool eager) {
  (void)world.template recv<int>(1, go_tag);  // All four are here by then.
  const auto m = ranks::message(bytes, bytes);
  std::vector<std::byte> in(bytes);
  const auto data_is_there = [&] {
    const bool right = !eager || in == m;
    in.assign(bytes, std::byte{});
    return right;
  };
  CHECK(ranks::errc_of([&] { world.recv(in, 1, 1); }) == mpx::errc::not_ready);
  CHECK(data_is_there());
  auto r = world.irecv(in, 1, 1);
  std::error_code ec;
  const mpx::status s = r.wait(ec);
  CHECK(ec == mpx::errc::not_ready);
  CHECK(s.bytes() == bytes);
  CHECK(s.source() == 1);
  CHECK(data_is_there());
  auto claimed = world.mprobe(1, 1);
  CHECK(claimed.info().bytes() == bytes);
  CHECK(ranks::errc_of([&] { claimed.recv(in); }) == mpx::errc::not_ready);
  CHECK(data_is_there());
  {
    auto dropped = world.mprobe(1, 1);
  }
  CHECK(world.recv(in, 1, 1).bytes() == bytes);  // The standard one: all is well.
  CHECK(in == m);
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("a ready send without a receive is an error on both sides", Stack,
                          not_ready) {
  ranks::run<Stack>(2, [](auto world) {
    const std::size_t most = Stack::protocol_type::short_bytes_ceiling;
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, most, most + 1, 5 * most}) {
      if (world.rank() == 1) {
        send_too_early(world, bytes);
      } else {
        receive_too_late(world, bytes, bytes <= most);
      }
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(not_ready, ranks::all_stacks);

namespace {

/// Ranks that are threads, one of which takes its time between telling the others and its handler.
class slow_to_fail : public mpx::bootstrap::threads {
 public:
  explicit slow_to_fail(mpx::bootstrap::threads joined) : threads(std::move(joined)) {}
  void mark_failed() noexcept {
    threads::mark_failed();
    if (rank() == slow) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  static inline mpx::rank_t slow = -1;
};

using failing_slowly = mpx::stack<mpx::transport::inproc, slow_to_fail>;

}  // namespace

TEST_CASE("run_threads rethrows the error of the first failed rank, not the losses of the others") {
  constexpr int rounds = 200;
  for (int i = 0; i < rounds; ++i) {
    CAPTURE(i);
    const mpx::rank_t n = 2 + i % 3;
    const mpx::rank_t failing = i / 3 % n;
    slow_to_fail::slow = i % 4 == 3 ? -1 : failing;
    std::string why;
    try {
      ranks::run<failing_slowly>(n, [=](mpx::communicator<failing_slowly> world) {
        if (world.rank() == failing) throw std::runtime_error("the cause");
        int x = 0;
        if (i % 2 == 0) world.recv(x, failing, ranks::data_tag);
        world.barrier();
      });
    } catch (const std::runtime_error& e) {
      why = e.what();
    }
    CHECK(why == "the cause");
  }
}

TEST_CASE("run_threads rethrows a loss where no rank failed of another reason") {
  CHECK(ranks::errc_of([] {
          ranks::run<failing_slowly>(3, [](mpx::communicator<failing_slowly> world) {
            if (world.rank() == 1) throw mpx::error(mpx::errc::peer_lost, "elsewhere");
            world.barrier();
          });
        }) == mpx::errc::peer_lost);
}
