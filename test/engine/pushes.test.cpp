// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// Long messages that are sent at once: the data lands in a posted receive; else the receiver keeps
// the header and pulls the data. And a peer that does not keep to the protocol.

#include <cstring>
#include <optional>
#include <system_error>
#include <vector>

#include "comm/ranks.hpp"
#include "engine/malformed.hpp"

namespace {

using mpx::event;
using mpx::wire::kind;
using bytes_type = std::vector<std::byte>;
using eager = ranks::long_by<mpx::long_path::eager>;
using ranks::data_tag;
using ranks::go_tag;

using portals =
    mpx::stack<mpx::transport::inproc, mpx::matching::portals, eager, mpx::trace::counters>;
/// Rings run full all the time.
using narrow = mpx::stack<mpx::transport::basic_shm<4, 4096>,
                          mpx::protocol::tiny_short_long<8, 512, mpx::long_path::eager, 1024>,
                          mpx::flow::credits<64 * 1024, 4 * 1024>, mpx::trace::counters>;
/// Posts are pending, bodies are placed.
using placed = late_stacks::over_small<late_stacks::some, mpx::threading::multiple, eager,
                                       mpx::trace::counters>;

constexpr std::size_t most = 150'000;
/// From just above the threshold to many fragments.
constexpr std::size_t lengths[] = {4097, 8192, 8193, most};

void token_to(auto& world, mpx::rank_t to) { world.send(1, to, go_tag); }
void token_from(auto& world, mpx::rank_t from) {
  int x = 0;
  world.recv(x, from, go_tag);
}

std::uint64_t count(auto& env, event e) { return env.trace()[e]; }

}  // namespace

TEST_CASE_TEMPLATE("pushes: data of a posted receive lands at once, and is fetched by no rank",
                   Stack, portals, narrow, placed) {
  ranks::run<Stack>(2, [](mpx::environment<Stack>& env) {
    auto world = env.world();
    std::uint64_t total = 0;
    for (const std::size_t n : lengths) {
      bytes_type in(n);
      for (std::uint64_t i = 0; i < 8; ++i) {
        total += n;
        if (world.rank() == 1) {
          auto r = world.irecv(in, 0, data_tag);
          token_to(world, 0);
          CHECK(r.wait().bytes() == n);
          CHECK(ranks::holds(in, i));
          continue;
        }
        token_from(world, 1);
        const bytes_type out = ranks::message(n, i);
        i % 2 == 0 ? world.send(out, 1, data_tag) : world.ssend(out, 1, data_tag);
      }
    }
    world.barrier();
    CHECK(count(env, event::bytes_discarded) == 0);
    CHECK(count(env, event::bytes_got) + count(env, event::bytes_put) == 0);
    CHECK(count(env, event::bytes_streamed) == (world.rank() == 0 ? total : 0));
  });
}

TEST_CASE_TEMPLATE("pushes: of an unexpected message the header is kept, and the data is pulled",
                   Stack, portals, narrow, placed) {
  ranks::run<Stack>(2, [](mpx::environment<Stack>& env) {
    auto world = env.world();
    for (const std::size_t n : lengths) {
      bytes_type in(n);
      for (std::uint64_t i = 0; i < 6; ++i) {
        if (world.rank() == 0) {
          const bytes_type out = ranks::message(n, i);
          auto s = i % 2 == 0 ? world.isend(out, 1, data_tag) : world.issend(out, 1, data_tag);
          token_from(world, 1);  // Rank 1 has the header, and no receive.
          CHECK(!s.test());
          token_to(world, 1);
          s.wait();
          continue;
        }
        const std::uint64_t stored = count(env, event::unexpected_bytes);
        CHECK(world.probe(0, data_tag).bytes() == n);
        token_to(world, 0);
        token_from(world, 0);
        if (i % 3 == 0) {
          CHECK(world.recv(in, 0, data_tag).bytes() == n);
        } else {
          auto held = world.mprobe(0, data_tag);
          CHECK(held.recv(in).bytes() == n);
        }
        CHECK(ranks::holds(in, i));
        // The tokens may be unexpected, the data never is.
        CHECK(count(env, event::unexpected_bytes) - stored < 64);
      }
    }
    world.barrier();
    if (world.rank() == 1) CHECK(count(env, event::bytes_discarded) > 0);
  });
}

TEST_CASE_TEMPLATE("pushes: a receiver that keeps the header stops its sender", Stack, portals,
                   narrow) {
  ranks::run<Stack>(1, [](mpx::environment<Stack>& env) {
    auto world = env.world();
    constexpr std::size_t n = 8 << 20;
    const bytes_type out = ranks::message(n, 5);
    bytes_type in(n);
    auto s = world.isend(out, 0, data_tag);
    for (int i = 0; i < 1000; ++i) CHECK(world.iprobe(0, data_tag));
    CHECK(count(env, event::bytes_discarded) > 0);
    CHECK(count(env, event::bytes_discarded) < n / 4);  // No more than fits the channel.
    CHECK(count(env, event::bytes_streamed) == count(env, event::bytes_discarded));
    world.recv(in, 0, data_tag);
    s.wait();
    CHECK(in == out);
  });
}

TEST_CASE_TEMPLATE("pushes: a send is cancelled while its body is on the way", Stack, portals,
                   narrow, placed) {
  ranks::run<Stack>(2, [](mpx::environment<Stack>& env) {
    auto world = env.world();
    const bytes_type out = ranks::message(most, 1);
    for (int round = 0; round < 10; ++round) {
      world.barrier();
      if (world.rank() == 1) {
        token_from(world, 0);  // After the cancelled send: that is dropped.
        CHECK(!world.iprobe(0, data_tag));
      } else {
        auto r = world.isend(out, 1, data_tag);
        REQUIRE(r.cancel());
        CHECK(r.wait().cancelled());
        token_to(world, 1);
      }
    }
    world.barrier();
  });
}

TEST_CASE_TEMPLATE("pushes: ready sends without a receive are told", Stack, portals, narrow,
                   placed) {
  ranks::run<Stack>(2, [](mpx::environment<Stack>& env) {
    auto world = env.world();
    bytes_type in(most);
    if (world.rank() == 0) {
      std::error_code ec;
      world.rsend(ranks::message(most, 1), 1, data_tag, ec);
      CHECK(ec == mpx::errc::not_ready);
      token_to(world, 1);
      token_from(world, 1);
      world.rsend(ranks::message(most, 2), 1, data_tag);
      world.send(ranks::message(most, 3), 1, data_tag);
    } else {
      token_from(world, 0);
      std::error_code ec;
      world.recv(in, 0, data_tag, ec);  // The header is here, its data is gone.
      CHECK(ec == mpx::errc::not_ready);
      auto r = world.irecv(in, 0, data_tag);
      token_to(world, 0);
      r.wait();
      CHECK(ranks::holds(in, 2));
      world.recv(in, 0, data_tag);
      CHECK(ranks::holds(in, 3));
    }
  });
}

TEST_CASE_TEMPLATE("pushes: a receive takes what it has room for, posted or not", Stack, portals,
                   narrow, placed) {
  ranks::run<Stack>(2, [](mpx::environment<Stack>& env) {
    auto world = env.world();
    constexpr std::size_t rooms[] = {0, 1, 1024, 1025, 20'000};
    for (const std::size_t room : rooms) {
      for (const bool posted : {false, true}) {
        CAPTURE(room);
        CAPTURE(posted);
        if (world.rank() == 0) {
          const bytes_type out = ranks::message(most, 7);
          if (posted) token_from(world, 1);
          auto s = world.isend(out, 1, data_tag);
          if (!posted) token_from(world, 1);
          s.wait();
          world.send(ranks::message(most, 8), 1, data_tag);  // Nothing of the first disturbs it.
          continue;
        }
        bytes_type in(room + 8, ranks::canary), next(most);
        const std::span<std::byte> some(in.data(), room);
        std::optional<mpx::request<Stack>> r;
        if (posted) r = world.irecv(some, 0, data_tag);
        if (!posted) CHECK(world.probe(0, data_tag).bytes() == most);
        token_to(world, 0);
        if (!posted) r = world.irecv(some, 0, data_tag);
        std::error_code ec;
        CHECK(r->wait(ec).bytes() == most);
        CHECK(ec == mpx::errc::truncate);
        CHECK(ranks::holds(some, 7));
        CHECK(in.back() == ranks::canary);
        CHECK(in[room] == ranks::canary);
        world.recv(next, 0, data_tag);
        CHECK(ranks::holds(next, 8));
      }
    }
  });
}

TEST_CASE_TEMPLATE("pushes: several under way keep their order, in both directions", Stack, portals,
                   narrow, placed) {
  for (const mpx::rank_t ranks : {1, 2, 3}) {
    ranks::run<Stack>(ranks, [](mpx::environment<Stack>& env) {
      auto world = env.world();
      constexpr std::uint64_t n = 12;
      const mpx::rank_t to = (world.rank() + 1) % world.size();
      const mpx::rank_t from = (world.rank() + world.size() - 1) % world.size();
      const auto length = [](std::uint64_t i) { return i % 3 == 2 ? 100 : 5000 + 3000 * i; };
      std::vector<bytes_type> out, in;
      std::vector<mpx::request<Stack>> all;
      for (std::uint64_t i = 0; i < n; ++i) {
        out.push_back(ranks::message(length(i), i));
        in.emplace_back(length(i));
      }
      // Half of the receives are posted before, half after the sends.
      for (std::uint64_t i = 0; i < n / 2; ++i) all.push_back(world.irecv(in[i], from, data_tag));
      for (std::uint64_t i = 0; i < n; ++i) all.push_back(world.isend(out[i], to, data_tag));
      for (std::uint64_t i = n / 2; i < n; ++i) all.push_back(world.irecv(in[i], from, data_tag));
      mpx::wait_all(all);
      for (std::uint64_t i = 0; i < n; ++i) CHECK(ranks::holds(in[i], i));
    });
  }
}

TEST_CASE_TEMPLATE("pushes: requests that are dropped on the way, on either side", Stack, portals,
                   narrow, placed) {
  ranks::run<Stack>(2, [](mpx::environment<Stack>& env) {
    auto world = env.world();
    for (int looks = 0; looks < 12; ++looks) {
      for (const bool posted : {false, true}) {
        if (world.rank() == 0) {
          token_from(world, 1);
          bytes_type out = ranks::message(most, 4);
          {
            auto dropped = world.isend(out, 1, data_tag);
            for (int i = 0; i < looks; ++i) (void)dropped.test();
          }
          ranks::fill(out, 5);
          world.send(out, 1, data_tag);
          world.send(out, 1, data_tag);
          continue;
        }
        bytes_type in(most), lost(most);
        std::optional<mpx::request<Stack>> r;
        if (posted) r = world.irecv(in, 0, data_tag);
        token_to(world, 0);
        if (!posted) r = world.irecv(in, 0, data_tag);
        r->wait();
        CHECK(ranks::holds(in, 4));
        {
          auto dropped = world.irecv(lost, 0, data_tag);
          for (int i = 0; i < looks && dropped; ++i) (void)dropped.test();
          if (dropped && dropped.cancel()) {  // Else it has matched, and is dropped on the way.
            dropped.wait();
            world.recv(lost, 0, data_tag);
          }
        }
        std::fill(lost.begin(), lost.end(), ranks::canary);
        world.recv(in, 0, data_tag);
        CHECK(ranks::holds(in, 5));
        CHECK(std::ranges::all_of(lost, [](std::byte b) { return b == ranks::canary; }));
      }
    }
  });
}

namespace {

/// A rank whose peers are the test, which sends what it likes.
struct trusting {
  using stack = mpx::stack<malformed::wire, mpx::matching::portals, mpx::trace::counters,
                           mpx::protocol::tiny_short_long<40, 1024, mpx::long_path::eager, 512>>;
  static constexpr std::size_t length = 1500;

  mpx::bootstrap::any job{mpx::bootstrap::singleton()};
  mpx::detail::endpoint<stack> endpoint{job};
  mpx::communicator<stack> world{endpoint, endpoint.new_communicator_state(), 0, 0, 4};

  void arrive(const mpx::wire::header& h, std::span<const std::byte> payload = {}) {
    endpoint.transport().arrive({1, mpx::wire::pack(h), {payload.begin(), payload.end()}});
    endpoint.progress();
  }
  void announce(std::uint32_t ticket) {
    const mpx::wire::announcement a{.bytes = length, .memory = {}};
    arrive({.kind = kind::announce,
            .flags = mpx::wire::flag_pushed,
            .tag = data_tag,
            .ticket = ticket},
           std::as_bytes(std::span(&a, 1)));
  }
  /// Bytes `from` to `to` of the body of the message `ticket`, which holds ranks::message(..., 1).
  void body(std::uint32_t ticket, std::size_t from, std::size_t to) {
    const bytes_type all = ranks::message(2 * length, 1);
    arrive({.kind = kind::data,
            .flags = mpx::wire::flag_pushed,
            .tag = static_cast<mpx::tag_t>(from),
            .ticket = ticket},
           std::span(all).subspan(from, to - from));
  }
  auto receive(bytes_type& into) { return world.irecv(into, 1, data_tag); }
  static mpx::errc end_of(auto& r) {
    return r.done() ? ranks::errc_of([&] { r.wait(); }) : mpx::errc::pending;
  }
};

}  // namespace

TEST_CASE("pushes: bodies are taken in the order of their announcements") {
  trusting t;
  bytes_type first(trusting::length), second(trusting::length), part(100);
  auto a = t.receive(first), b = t.receive(second), c = t.receive(part);
  for (const std::uint32_t ticket : {5u, 6u, 7u}) t.announce(ticket);
  t.announce(8);  // No receive: its body is discarded wherever it comes.
  t.body(5, 0, 512);
  t.body(8, 0, 512);
  t.body(5, 512, trusting::length);
  CHECK(t.endpoint.trace()[event::bytes_discarded] == 512);
  REQUIRE(a.done());
  CHECK(!b.done());
  CHECK(ranks::holds(first, 1));
  t.body(6, 0, trusting::length);
  CHECK(b.done());
  CHECK(ranks::holds(second, 1));
  t.body(7, 0, 512);  // More than the receive takes; the rest is discarded.
  REQUIRE(c.done());
  t.body(7, 512, 1024);
  CHECK(trusting::end_of(c) == mpx::errc::truncate);
  CHECK(ranks::holds(part, 1));
  CHECK(t.endpoint.trace()[event::bytes_discarded] == 1024);
  CHECK(trusting::end_of(a) == mpx::errc{});
  CHECK(trusting::end_of(b) == mpx::errc{});
}

TEST_CASE("pushes: a body that is not the announced one ends the peer") {
  using wrong = void (*)(trusting&);
  const wrong all[] = {
      [](trusting& t) { t.body(5, 1, 512); },                            // A gap.
      [](trusting& t) { t.body(5, 0, 512), t.body(5, 0, 512); },         // Twice.
      [](trusting& t) { t.body(5, 0, trusting::length + 1); },           // Longer than announced.
      [](trusting& t) { t.body(5, 0, 0); },                              // Empty.
      [](trusting& t) { t.arrive({.kind = kind::kept, .ticket = 5}); },  // No such send.
  };
  for (const wrong does : all) {
    trusting t;
    bytes_type in(trusting::length);
    auto r = t.receive(in);
    t.announce(5);
    CHECK(!r.done());
    does(t);
    CHECK(trusting::end_of(r) == mpx::errc::protocol);
  }
  for (std::uint32_t guess = 1; guess < 10; ++guess) {  // As if the receive had asked for it.
    trusting t;
    bytes_type in(trusting::length);
    auto r = t.receive(in);
    t.announce(5);
    t.arrive({.kind = kind::data, .ticket = guess}, std::span(in).first(1));
    CHECK(trusting::end_of(r) == mpx::errc::protocol);
  }
}

TEST_CASE("pushes: an answer ends the push of a send") {
  for (const kind answer : {kind::kept, kind::finished, kind::unready, kind::matched}) {
    trusting t;
    const bytes_type out = ranks::message(100'000, 1);
    t.endpoint.transport().choke(1000);
    auto s = t.world.isend(out, 1, data_tag);
    for (int i = 0; i < 500; ++i) t.endpoint.progress();
    CHECK(t.endpoint.trace()[event::announced] == 0);
    t.endpoint.transport().choke(0);
    t.endpoint.progress();
    CHECK(t.endpoint.trace()[event::announced] == 1);
    const std::uint64_t pushed = t.endpoint.trace()[event::bytes_streamed];
    const std::uint32_t ticket = t.endpoint.transport().ticket(0).second;
    t.arrive({.kind = answer, .ticket = ticket});
    CHECK(t.endpoint.trace()[event::bytes_streamed] == pushed);
    const mpx::errc end = trusting::end_of(s);
    if (answer == kind::finished) CHECK(end == mpx::errc{});
    if (answer == kind::unready) CHECK(end == mpx::errc::not_ready);
    if (answer == kind::matched) CHECK(end == mpx::errc::protocol);  // For eager messages only.
    if (answer != kind::kept) continue;
    CHECK(end == mpx::errc::pending);
    const mpx::wire::clearance c{
        .bytes = out.size(), .from = 0, .memory = {}, .ticket = 9, .reserved = 0};
    t.arrive({.kind = kind::clear, .ticket = ticket}, std::as_bytes(std::span(&c, 1)));
    CHECK(trusting::end_of(s) == mpx::errc{});
    CHECK(t.endpoint.trace()[event::bytes_streamed] == pushed + out.size());
  }
}
