// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// timeout: 120
// Over sockets: connections that continue where another one has ended, and peers out of reach.

#include <mpx/transport/tcp.hpp>
#include <ostream>

#include "contract.hpp"
#include "core/errc_of.hpp"
#include "half_job.hpp"
#include "helped.hpp"

namespace {

using namespace half_a_job;
using ranks::errc_of;

/// The next `bytes` that rank 0 sends on a connection.
std::string heard(half_job& j, const tcp_descriptor& s, std::size_t bytes, losing_keeper& sink) {
  std::string all(bytes, 0);
  const deadline limit;
  for (std::size_t have = 0; have < bytes;) {
    j.poll(sink, 1);
    const ssize_t n = ::recv(s.fd(), all.data() + have, bytes - have, MSG_DONTWAIT);
    if (n > 0) have += static_cast<std::size_t>(n);
    limit.check("posted packets arrive");
  }
  return all;
}
/// Packets 0 to `count` - 1 of `bytes` each, as they travel.
std::string stream_of(std::uint32_t count, std::size_t bytes) {
  std::string all;
  for (std::uint32_t i = 0; i < count; ++i) {
    const tcp_frame f{static_cast<std::uint32_t>(bytes), header_of(i)};
    all.append(reinterpret_cast<const char*>(&f), sizeof f);
    const payload body(i, bytes);
    all.append(reinterpret_cast<const char*>(body.view().data()), bytes);
  }
  return all;
}
/// Waits as a rank does that has nothing else to do. Returns the seconds until a loss is reported.
double seconds_until_lost(half_job& j, losing_keeper& sink) {
  const std::int64_t begin = mpx::platform::now_ns();
  const deadline limit;
  while (sink.lost_ones.empty() && !limit.passed()) {
    if (j.t->arm()) {
      j.t->sleep(20 * second_ns);
      j.t->disarm();
    }
    j.t->poll(sink);
  }
  return static_cast<double>(mpx::platform::now_ns() - begin) * 1e-9;
}
TEST_CASE("tcp: values of MPX_TCP_HEARTBEAT") {
  CHECK(tcp_patience::read("3") == 3);
  CHECK(tcp_patience::read("86400") == 86'400);
  for (const char* bad : {"", "2", "0", "-5", "x", "10s", "3.5", "86401"})
    CHECK(errc_of([&] { static_cast<void>(tcp_patience::read(bad)); }) == mpx::errc::argument);
  CHECK(tcp_patience::from_environment(7).seconds() == 7);
  const impatient now;
  CHECK(tcp_patience::from_environment(7).seconds() == patience_s);
  for (const unsigned s : {3u, 4u, 10u, 60u, 86'400u}) {
    const tcp_patience p(s);
    CHECK(p.notice_ns() + p.reach_ns() <= s * second_ns);
    CHECK(p.attempt_ns() > 0);
  }
}

TEST_CASE("tcp: the next connection continues where the last one ended") {
  const std::string all = stream_of(10, 100);
  for (const std::size_t had : {std::size_t{0}, std::size_t{1}, std::size_t{23}, std::size_t{24},
                                std::size_t{500}, all.size()}) {
    CAPTURE(had);
    half_job j;
    losing_keeper sink;
    tcp_descriptor s = proven(j);
    for (std::uint32_t i = 0; i < 10; ++i) {
      const payload body(i, 100);
      REQUIRE(j.t->post(1, header_of(i), body.view(), i) != outcome::refused);
      if (i % 3 == 0) j.poll(sink, 1);
    }
    CHECK(heard(j, s, had, sink) == all.substr(0, had));
    s.close();
    const tcp_descriptor next = proven(j, 1, had);
    CHECK(heard(j, next, all.size() - had, sink) == all.substr(had));
    CHECK(j.t->counters().broken >= 1);
    CHECK(sink.lost_ones.empty());
  }
}

TEST_CASE("tcp: a peer that starts again, or acknowledges bytes that were not sent, is lost") {
  struct one {
    std::uint8_t instance;
    std::uint64_t received;
  };
  for (const one& o : {one{2, 124}, one{1, 125}, one{0, 124}}) {
    half_job j;
    losing_keeper sink;
    tcp_descriptor s = proven(j);
    const payload body(0, 100);
    REQUIRE(j.t->post(1, header_of(0), body.view(), 0) == outcome::done);
    CHECK(heard(j, s, 124, sink) == stream_of(1, 100));
    const tcp_descriptor next = proven(j, o.instance, o.received);
    CHECK(j.t->state_of(1) == tcp_state::lost);
    CHECK(hangs_up(j, s));
    CHECK(hangs_up(j, next));
  }
}

TEST_CASE("tcp: a stranger cannot replace a connection, the peer itself can") {
  half_job j;
  losing_keeper sink;
  const tcp_descriptor s = proven(j);
  {
    const tcp_descriptor stranger = j.connect_and_knock();
    const tcp_hello h{tcp_magic, 1, 0, {}, {}, {}};
    say(stranger, &h, sizeof h);
    CHECK(hangs_up(j, stranger));
  }
  const tcp_frame f{4, header_of(1)};
  say(s, &f, sizeof f);
  say(s, "1234", 4);
  j.poll(sink);
  CHECK(sink.packets.size() == 1);
  const tcp_descriptor next = proven(j);
  CHECK(hangs_up(j, s));
  say(next, &f, sizeof f);
  say(next, "1234", 4);
  j.poll(sink);
  CHECK(sink.packets.size() == 2);
  CHECK(j.t->state_of(1) == tcp_state::open);
}

TEST_CASE("tcp: nor does another rank of the job, of two that have met") {
  half_job j;
  losing_keeper sink;
  const tcp_descriptor s = proven(j);
  const auto strangers = j.t->door().strangers;
  for (const std::uint8_t guessed : {std::uint8_t{0}, std::uint8_t{2}}) {
    tcp_connecting_handshake c(1, 0);
    const tcp_descriptor third = greeted(j, c, guessed);
    CHECK(hangs_up(j, third));
    CHECK(!c.is_judged());
  }
  CHECK(j.t->door().strangers == strangers + 2);
  CHECK(j.t->state_of(1) == tcp_state::open);
  CHECK(j.t->counters().broken == 0);
  const tcp_frame f{4, header_of(1)};
  say(s, &f, sizeof f);
  say(s, "1234", 4);
  j.poll(sink);
  CHECK(sink.packets.size() == 1);
  // Rank 0 shows where it calls that it is the one that was there before.
  ::shutdown(s.fd(), SHUT_RDWR);
  call_of_rank_0 again(j, sink);
  again.hear();
  CHECK(again.a.knows(j.told));
  CHECK(!again.a.knows(token_of(1)));
  again.open();
}

TEST_CASE("tcp: a long post is pending until the other end acknowledges it") {
  half_job j;
  losing_keeper sink;
  const tcp_descriptor s = proven(j);
  constexpr std::size_t bytes = 200'000;
  const payload body(0, bytes);
  REQUIRE(j.t->post(1, header_of(0), body.view(), 7) == outcome::pending);
  const std::string said = heard(j, s, sizeof(tcp_frame) + bytes, sink);
  CHECK(said.substr(sizeof(tcp_frame)) == stream_of(1, bytes).substr(sizeof(tcp_frame)));
  j.poll(sink);
  CHECK(sink.completions == 0);
  tcp_frame receipt = receipt_of(said.size() - 1);
  say(s, &receipt, sizeof receipt);
  j.poll(sink);
  CHECK(sink.completions == 0);
  receipt = receipt_of(said.size());
  say(s, &receipt, sizeof receipt);
  j.poll(sink);
  CHECK(sink.completions == 1);
  receipt = receipt_of(said.size() + 1);
  say(s, &receipt, sizeof receipt);
  j.poll(sink);
  CHECK(sink.malformed_from.size() == 1);
}

TEST_CASE("tcp: a host that does not answer is lost in time, also to a sleeping rank") {
  const impatient now;
  half_job j;
  const auto crowd = fall_silent(j);
  losing_keeper sink;
  const payload body(1, 10'000);
  REQUIRE(j.t->post(1, header_of(1), body.view(), 1) == outcome::pending);
  CHECK(seconds_until_lost(j, sink) < patience_s + 0.5 * slowdown);
  CHECK(sink.completions == 1);
}

TEST_CASE("tcp: so is a host whose connection broke") {
  const impatient now;
  half_job j;
  losing_keeper sink;
  tcp_descriptor s = proven(j);
  const auto crowd = fall_silent(j);
  s.close();
  CHECK(seconds_until_lost(j, sink) < patience_s + 0.5 * slowdown);
  CHECK(j.t->counters().calls >= 2);
}

TEST_CASE("tcp: a rank that computes for longer is not lost") {
  const impatient now;
  cluster<mpx::transport::basic_tcp<64 * 1024, true, 100'000>> job(2);
  losing_keeper sinks[2];
  poll_until(job[1], sinks[1], 0);
  std::uint32_t posted = 0;
  std::vector<payload> bodies;
  for (std::uint32_t i = 0; i < 40; ++i) bodies.emplace_back(i, 60'000);
  const deadline limit;
  while (job[0].state_of(1) != tcp_state::open && !limit.passed()) {
    if (posted == 0 && job[0].post(1, header_of(0), bodies[0].view(), 0) == outcome::pending)
      ++posted;
    job[0].poll(sinks[0]);
    job[1].poll(sinks[1]);
  }
  // Rank 1 does something else, with its kernel's buffers full.
  const std::int64_t until = mpx::platform::now_ns() + (patience_s * second_ns) + second_ns / 2;
  while (mpx::platform::now_ns() < until) {
    while (posted < bodies.size() &&
           job[0].post(1, header_of(posted), bodies[posted].view(), posted) != outcome::retry)
      ++posted;
    if (job[0].arm()) {
      job[0].sleep(second_ns / 10);
      job[0].disarm();
    }
    job[0].poll(sinks[0]);
  }
  CHECK(job[0].counters().broken > 0);  // The kernel had enough of it; this rank has not.
  while (sinks[1].packets.size() < posted && !limit.passed()) {
    job[1].poll(sinks[1]);
    job[0].poll(sinks[0]);
  }
  REQUIRE(sinks[1].packets.size() == posted);
  for (std::uint32_t i = 0; i < posted; ++i) {
    CHECK(same(sinks[1].packets[i].header, header_of(i)));
    CHECK(has_pattern(sinks[1].packets[i].payload, i));
  }
  CHECK(sinks[0].lost_ones.empty());
  CHECK(sinks[1].lost_ones.empty());
}

/// Nothing of it is left in the kernel.
void end_by_reset(tcp_descriptor& s) {
  const linger now{1, 0};
  ::setsockopt(s.fd(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  s.close();
}

TEST_CASE("tcp: a rank that leaves waits until accepted data has arrived") {
  half_job j;
  losing_keeper sink;
  const payload body(0, 100);
  const deadline limit;
  const auto until = [&](auto done) {
    while (!done()) {
      j.t->poll(sink);
      limit.check("the end of a connection is seen");
    }
  };
  tcp_descriptor s = proven(j);
  REQUIRE(j.t->post(1, header_of(0), body.view(), 0) == outcome::done);
  CHECK(heard(j, s, 124, sink) == stream_of(1, 100));
  until([&] { return !j.t->has_unsent(); });
  SUBCASE("it has ended unnoticed") {
    end_by_reset(s);
    CHECK(j.t->has_unsent());
  }
  SUBCASE("it has ended") {
    end_by_reset(s);
    until([&] { return j.t->state_of(1) != tcp_state::open; });
    CHECK(j.t->has_unsent());
  }
  SUBCASE("it cannot be written to") {
    end_by_reset(s);
    REQUIRE(j.t->post(1, header_of(1), body.view(), 1) == outcome::pending);
    CHECK(j.t->state_of(1) == tcp_state::open);
    CHECK(j.t->has_unsent());
  }
  SUBCASE("and gets the error") {
    s.close();
    s = proven(j, 1, 0);
    CHECK(heard(j, s, 124, sink) == stream_of(1, 100));
    until([&] { return !j.t->has_unsent(); });
    CHECK(j.t->state_of(1) == tcp_state::open);
  }
  SUBCASE("unless the peer is gone") {
    end_by_reset(s);
    j.listener.close();
    until([&] { return !j.t->has_unsent(); });
    CHECK(j.t->state_of(1) == tcp_state::lost);
  }
  SUBCASE("or has left") {
    const tcp_frame f{tcp_goodbye, {}};
    say(s, &f, sizeof f);
    s.close();
    until([&] { return !j.t->has_unsent(); });
    CHECK(j.t->state_of(1) == tcp_state::left);
  }
}

TEST_CASE("tcp: a peer that asks for receipts and never reads them gets a limited number") {
  half_job j;
  losing_keeper sink;
  const tcp_descriptor s = proven(j);
  constexpr std::size_t most = tcp_connections<tcp_plain>::receipts_max;
  std::uint64_t sent = 0;
  std::uint64_t heard_bytes = 0;
  tcp_frame last{};
  const auto ask = [&] {
    const tcp_frame f{tcp_asks, header_of(1)};
    say(s, &f, sizeof f);
    sent += sizeof f;
    const deadline limit;
    while (sink.packets.empty()) {
      j.t->poll(sink);
      limit.check("a packet comes");
    }
    sink.packets.clear();
    while (::recv(s.fd(), &last, sizeof last, MSG_DONTWAIT) > 0) heard_bytes += sizeof last;
  };
  for (std::size_t i = 0; i < most + 500; ++i) ask();
  CHECK(j.t->counters().receipts == most);
  CHECK(heard_bytes == most * sizeof(tcp_frame));
  CHECK(received_of(last) == sent - 500 * sizeof(tcp_frame));
  // The next receipt allows one more, for all that arrived meanwhile; and again as many after it.
  const tcp_frame receipt = receipt_of(heard_bytes);
  say(s, &receipt, sizeof receipt);
  sent += sizeof receipt;
  const deadline limit;
  while (j.t->counters().receipts == most) {
    j.t->poll(sink);
    limit.check("the receipt that was owed comes");
  }
  for (std::size_t i = 0; i < most + 500; ++i) ask();
  CHECK(j.t->counters().receipts == 2 * most);
  CHECK(received_of(last) == sent - 501 * sizeof(tcp_frame));
  CHECK(j.t->state_of(1) == tcp_state::open);
}

}  // namespace
