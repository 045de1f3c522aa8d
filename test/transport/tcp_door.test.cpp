// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// timeout: 120
// Admission of connections over sockets, and the addresses at which a rank listens.

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <mpx/transport/tcp.hpp>
#include <ostream>

#include "core/errc_of.hpp"
#include "half_job.hpp"

namespace {

using namespace half_a_job;
using ranks::errc_of;

// --- The state machines --------------------------------------------------------------------------

template <class Machine, class Message>
auto feed(Machine& m, const Message& bytes, std::size_t piece, auto&&... more) {
  tcp_step s = tcp_step::more;
  const auto* at = reinterpret_cast<const std::byte*>(&bytes);
  for (std::size_t done = 0; done < sizeof bytes && s == tcp_step::more;) {
    const std::size_t n = std::min({piece, sizeof bytes - done, m.rest().size()});
    std::memcpy(m.rest().data(), at + done, n);
    done += n;
    s = m.added(n, more...);
  }
  return s;
}

/// The accepting end, rank `self` of 8, after the first bytes.
tcp_accepting_handshake knocked_at(peer_id self, const tcp_secret& secret, std::size_t piece = 99) {
  tcp_accepting_handshake a(tcp_knock_of(secret, self));
  REQUIRE(feed(a, tcp_knock_of(secret, self), piece, secret, self, 8u) == tcp_step::ready);
  CHECK(a.has_knocked());
  return a;
}

TEST_CASE("tcp: two ranks of a job accept each other, for any pieces of the handshake") {
  const tcp_secret secret = tcp_secret::drawn();
  for (const std::size_t piece : {1u, 7u, 1000u}) {
    for (const tcp_verdict v : {tcp_verdict::open, tcp_verdict::crossed, tcp_verdict::gone}) {
      tcp_accepting_handshake a = knocked_at(5, secret, piece);
      tcp_connecting_handshake c(3, 5);
      REQUIRE(feed(c, a.challenge(), piece, secret) == tcp_step::ready);
      CHECK(!c.is_judged());
      REQUIRE(feed(a, c.hello(secret), piece, secret, 5u, 8u) == tcp_step::ready);
      CHECK(a.from() == 3);
      REQUIRE(feed(c, a.answer(v, secret), piece, secret) == tcp_step::ready);
      CHECK(c.is_judged());
      CHECK(c.verdict() == v);
    }
  }
}

TEST_CASE("tcp: a rank that waits to be challenged knocks again") {
  const tcp_secret secret = tcp_secret::drawn();
  const tcp_knock knock = tcp_knock_of(secret, 5);
  for (const std::size_t piece : {1u, 7u, 1000u})
    for (const int times : {1, 2, 7, 20}) {
      tcp_accepting_handshake a = knocked_at(5, secret, piece);
      for (int i = 0; i < times; ++i)
        REQUIRE(feed(a, knock, piece, secret, 5u, 8u) == tcp_step::more);
      tcp_connecting_handshake c(3, 5);
      REQUIRE(feed(c, a.challenge(), piece, secret) == tcp_step::ready);
      REQUIRE(feed(a, c.hello(secret), piece, secret, 5u, 8u) == tcp_step::ready);
      CHECK(a.from() == 3);
    }
}

TEST_CASE("tcp: any other bit of a message is a stranger's") {
  const tcp_secret secret = tcp_secret::drawn();
  const auto flipped = [](auto message, std::size_t bit) {
    reinterpret_cast<std::byte*>(&message)[bit / 8] ^= std::byte{1} << bit % 8;
    return message;
  };
  const tcp_knock knock = tcp_knock_of(secret, 5);
  CHECK(knock != tcp_knock_of(secret, 4));
  CHECK(knock != tcp_knock_of(tcp_secret::drawn(), 5));
  for (std::size_t bit = 0; bit < 8 * sizeof knock; ++bit) {
    tcp_accepting_handshake one(knock);
    CHECK(feed(one, flipped(knock, bit), 99, secret, 5u, 8u) == tcp_step::wrong);
  }
  tcp_accepting_handshake a = knocked_at(5, secret);
  tcp_connecting_handshake c(3, 5);
  REQUIRE(feed(c, a.challenge(), 99, secret) == tcp_step::ready);
  const tcp_hello hello = c.hello(secret);
  for (std::size_t bit = 0; bit < 8 * sizeof hello; ++bit) {
    tcp_accepting_handshake same = a;
    CHECK(feed(same, flipped(hello, bit), 99, secret, 5u, 8u) == tcp_step::wrong);
  }
  const auto refused = [&](peer_id self, peer_id peers, const tcp_secret& s) {
    tcp_accepting_handshake same = a;
    return feed(same, hello, 99, s, self, peers) == tcp_step::wrong;
  };
  CHECK(refused(4, 8, secret));                           // For another rank.
  CHECK(refused(5, 3, secret));                           // There is no such rank.
  CHECK(refused(5, 8, tcp_secret::drawn()));              // Of another job.
  tcp_accepting_handshake again = knocked_at(5, secret);  // Earlier answers prove nothing now.
  CHECK(feed(again, hello, 99, secret, 5u, 8u) == tcp_step::wrong);
  REQUIRE(feed(a, hello, 99, secret, 5u, 8u) == tcp_step::ready);
  const tcp_answer answer = a.answer(tcp_verdict::open, secret);
  for (std::size_t bit = 0; bit < 8 * sizeof answer; ++bit) {
    tcp_connecting_handshake same = c;
    CHECK(feed(same, flipped(answer, bit), 99, secret) == tcp_step::wrong);
  }
  tcp_connecting_handshake mirror(3, 5);  // Its own words come back.
  REQUIRE(feed(mirror, a.challenge(), 99, secret) == tcp_step::ready);
  const tcp_answer own{tcp_verdict::open, mirror.hello(secret).proof};
  CHECK(feed(mirror, own, 99, secret) == tcp_step::wrong);
}

TEST_CASE("tcp: a secret travels as text") {
  const tcp_secret s = tcp_secret::drawn();
  const std::string text = s.text();
  CHECK(text.size() == 64);
  CHECK(text != tcp_secret::drawn().text());
  CHECK(tcp_secret::read(text).text() == text);
  for (const std::string& bad : {std::string(), text.substr(1), text + "0", "g" + text.substr(1)})
    CHECK(errc_of([&] { static_cast<void>(tcp_secret::read(bad)); }) == mpx::errc::bootstrap);
}

// --- A job with an end of the test's own ---------------------------------------------------------

template <class Done>
void wait_until(half_job& j, keeper& sink, Done done) {
  const deadline limit;
  while (!done()) {
    j.poll(sink, 1);
    REQUIRE(!limit.passed());
  }
}

TEST_CASE("tcp: strangers are dropped and counted") {
  half_job j;
  const std::string noise(200, 'x');
  for (const std::size_t bytes : {sizeof(tcp_hello), std::size_t{200}}) {
    const tcp_descriptor s = j.connect_and_knock();
    say(s, noise.data(), bytes);
    CHECK(hangs_up(j, s));
  }
  {
    const tcp_descriptor s = j.connect_and_knock();  // Another job's rank.
    const tcp_hello h{tcp_magic, 1, 0, {}, {}, {}};
    say(s, &h, sizeof h);
    CHECK(hangs_up(j, s));
  }
  keeper sink;
  {
    const tcp_descriptor s = j.connect_and_knock();
  }  // It comes and goes.
  wait_until(j, sink, [&] { return j.t->door().strangers == 4; });
  CHECK(j.t->door().admitted == 0);
  CHECK(j.t->door().pauses == 0);
  const tcp_descriptor s = proven(j);  // And a rank is still accepted.
  CHECK(j.t->door().admitted == 1);
  CHECK(j.t->state_of(1) == tcp_state::open);
}

TEST_CASE("tcp: silent strangers hold no entry for long, for any number of them") {
  half_job j;
  keeper sink;
  std::vector<tcp_descriptor> silent;
  for (int i = 0; i < 100; ++i) {
    silent.push_back(j.connect_and_knock());
    j.poll(sink, 1);
  }
  wait_until(j, sink, [&] { return j.t->door().accepted == 100; });
  CHECK(j.t->door().strangers == 36);  // There are 64 entries: the oldest are evicted.
  const tcp_descriptor s = proven(j);
  CHECK(j.t->state_of(1) == tcp_state::open);
  for (int i = 0; i < 100; ++i) {
    const tcp_descriptor one_more = j.connect_and_knock();
    say(one_more, std::string(sizeof(tcp_hello), 'x').data(), sizeof(tcp_hello));
    j.poll(sink, 2);
  }
  CHECK(j.t->door().pauses > 0);
  // Sleeping ranks are still woken by their peers.
  const deadline limit;
  const tcp_frame f{4, header_of(1)};
  say(s, &f, sizeof f);
  say(s, "1234", 4);
  while (sink.packets.empty() && !limit.passed()) {
    if (j.t->arm()) {
      j.t->sleep(second_ns);
      j.t->disarm();
    }
    j.poll(sink, 1);
  }
  CHECK(sink.packets.size() == 1);
}

TEST_CASE("tcp: strangers evict no connection that has knocked") {
  const tcp_secret secret = tcp_secret::drawn();
  const tcp_knock knock = tcp_knock_of(secret, 0);
  tcp_watch watch;
  tcp_listeners door({}, watch, knock);
  std::vector<tcp_descriptor> outside;
  const auto come = [&](bool knocks) {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
    outside.emplace_back(ends[0]);
    if (knocks) say(outside.back(), &knock, sizeof knock);
    door.enter(tcp_descriptor(ends[1]));
  };
  const auto remain = [&](std::size_t from, std::size_t to) {
    std::size_t n = 0;
    for (std::size_t i = from; i < to; ++i) {
      tcp_challenge c;
      ssize_t got = ::recv(outside[i].fd(), &c, sizeof c, MSG_DONTWAIT);
      if (got > 0) got = ::recv(outside[i].fd(), &c, sizeof c, MSG_DONTWAIT);
      n += got < 0 && errno == EAGAIN ? 1 : 0;
    }
    return n;
  };
  for (int i = 0; i < 60; ++i) come(true);
  for (int i = 0; i < 100; ++i) come(false);
  CHECK(remain(0, 60) == 60);
  CHECK(remain(60, 156) == 0);
  CHECK(remain(156, 160) == 4);
  for (int i = 0; i < 10; ++i) come(true);
  CHECK(remain(0, 6) == 0);  // Of those that have knocked the first ones have to go.
  CHECK(remain(6, 60) == 54);
  CHECK(remain(60, 160) == 0);
  CHECK(remain(160, 170) == 10);
  come(false);
  CHECK(remain(0, 171) == 64);
  CHECK(remain(170, 171) == 0);
  CHECK(door.counters().strangers == 107);
}

TEST_CASE("tcp: of many ranks that call at once none is turned away") {
  constexpr std::uint32_t callers = 500;
  const tcp_secret secret = tcp_secret::drawn();
  tcp_endpoint at;
  tcp_descriptor listener = listen_tcp(ip::address_v4::loopback(), {}, at);
  struct caller {
    tcp_descriptor s;
    tcp_connecting_handshake c;
    bool waits = true;
  };
  std::vector<caller> all;
  for (peer_id r = 1; r <= callers; ++r) {
    tcp_descriptor s(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(::connect(s.fd(), &at.any, at.bytes) == 0);
    all.push_back({std::move(s), tcp_connecting_handshake(r, 0)});
    REQUIRE(all.back().c.knock(all.back().s.fd(), secret));
  }
  tcp_watch watch;
  tcp_listeners door(std::move(listener), watch, tcp_knock_of(secret, 0));
  std::vector<tcp_descriptor> admitted;
  const deadline limit;
  while (admitted.size() < callers) {
    watch.look([&](tcp_watch::event e, bool) {
      if (e.what == tcp_watch::kind::listener) door.accept();
      if (e.what == tcp_watch::kind::newcomer)
        door.advance(e.which, secret, 0, callers + 1,
                     [&](tcp_descriptor& s, const tcp_accepting_handshake&) {
                       admitted.push_back(std::move(s));
                       return true;
                     });
    });
    door.tick(mpx::platform::now_ns());
    for (caller& one : all) {
      if (!one.waits) continue;
      const std::span<std::byte> rest = one.c.rest();
      const ssize_t n = ::recv(one.s.fd(), rest.data(), rest.size(), MSG_DONTWAIT);
      REQUIRE((n > 0 || (n < 0 && errno == EAGAIN)));
      if (n < 0 || one.c.added(static_cast<std::size_t>(n), secret) != tcp_step::ready) continue;
      const tcp_hello h = one.c.hello(secret);
      say(one.s, &h, sizeof h);
      one.waits = false;
    }
    REQUIRE(!limit.passed());
  }
  CHECK(door.counters().accepted == callers);
  CHECK(door.counters().strangers == 0);
}

TEST_CASE("tcp: a connection that proved itself in time is kept though the rank polls late") {
  const tcp_secret secret = tcp_secret::drawn();
  tcp_watch watch;
  tcp_listeners door({}, watch, tcp_knock_of(secret, 0));
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
  const tcp_descriptor caller(ends[0]);
  tcp_connecting_handshake c(1, 0);
  REQUIRE(c.knock(caller.fd(), secret));
  door.enter(tcp_descriptor(ends[1]));
  tcp_challenge challenge;
  REQUIRE(::recv(caller.fd(), &challenge, sizeof challenge, 0) == sizeof challenge);
  REQUIRE(feed(c, challenge, 99, secret) == tcp_step::ready);
  const tcp_hello h = c.hello(secret);
  say(caller, &h, sizeof h);
  const std::int64_t late = mpx::platform::now_ns() + 2 * tcp_listeners::patience_ns;
  door.tick(late);
  unsigned admitted = 0;
  door.advance(0, secret, 0, 2,
               [&](tcp_descriptor&, const tcp_accepting_handshake&) { return ++admitted != 0; });
  CHECK(admitted == 1);
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
  const tcp_descriptor silent(ends[0]);
  door.enter(tcp_descriptor(ends[1]));
  door.tick(late);
  CHECK(door.counters().strangers == 1);
}

TEST_CASE("tcp: a rank without free descriptors does not keep callers waiting without end") {
  half_job j;
  const tcp_descriptor early = j.connect_and_knock();
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit none = before;
  none.rlim_cur = 3;  // Those that there are stay.
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const bool hung_up = hangs_up(j, early);
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(hung_up);
  CHECK(j.t->door().accepted == 0);
  tcp_descriptor late(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const tcp_endpoint& to = j.t->endpoint();
  CHECK(::connect(late.fd(), &to.any, to.bytes) == -1);
  CHECK(errno == ECONNREFUSED);
}

TEST_CASE("tcp: a rank that sends malformed data, dies or leaves") {
  struct one {
    std::uint32_t bytes;
    std::size_t said;
    bool malformed, lost;
  };
  for (const one& o :
       {one{tcp::traits.packet_bytes_max + 1, sizeof(tcp_frame), true, false},
        one{0xffff'fffd, sizeof(tcp_frame), true, false}, one{10, sizeof(tcp_frame), false, true},
        one{10, 3, false, true}, one{3'000, sizeof(tcp_frame) + 100, false, true},
        one{tcp_goodbye, sizeof(tcp_frame), false, true},
        one{tcp_goodbye, sizeof(tcp_frame) + 1, true, false}}) {
    CAPTURE(o.bytes);
    CAPTURE(o.said);
    half_job j;
    losing_keeper sink;
    tcp_descriptor s = proven(j);
    j.listener.close();  // As when it dies: connects fail.
    const tcp_frame whole{2, header_of(7)};
    std::string all(reinterpret_cast<const char*>(&whole), sizeof whole);
    all += "ab";
    const tcp_frame f{o.bytes, header_of(8)};
    all.append(reinterpret_cast<const char*>(&f), std::min(o.said, sizeof f));
    all.append(o.said > sizeof f ? o.said - sizeof f : 0, 'x');
    say(s, all.data(), all.size());
    s.close();
    const deadline limit;
    while (j.t->state_of(1) <= tcp_state::open && !limit.passed()) j.t->poll(sink);
    j.t->poll(sink);
    CHECK(sink.packets.size() == 1);  // Packets before it count.
    CHECK(sink.malformed_from.size() == (o.malformed ? 1 : 0));
    CHECK(sink.lost_ones.size() == (o.lost ? 1 : 0));
    const outcome after = j.t->post(1, header_of(1), {}, 1);
    CHECK(after == (o.bytes == tcp_goodbye && !o.malformed ? outcome::done : outcome::refused));
  }
}

TEST_CASE("tcp: if no process is there the peer is lost, and pending posts fail") {
  half_job j;
  j.listener.close();
  losing_keeper sink;
  const payload body(1, 10'000);
  REQUIRE(j.t->post(1, header_of(1), body.view(), 1) != outcome::retry);
  const deadline limit;
  while (sink.lost_ones.empty() && !limit.passed()) j.t->poll(sink);
  CHECK(sink.lost_ones.size() == 1);
  CHECK(sink.completions <= 1);
  CHECK(j.t->post(1, header_of(1), {}, 1) == outcome::refused);
}

TEST_CASE("tcp: of two connections made at once, one remains") {
  int crossed = 0;
  for (int round = 0; round < 30; ++round) {
    cluster<tcp> job(2);
    keeper sinks[2];
    const payload body(3, 300);
    for (peer_id r = 0; r < 2; ++r) {
      const auto o = job[r].post(1 - r, header_of(3), body.view(), 9);
      REQUIRE(o == outcome::pending);
      for (int i = 0; i < round % 4; ++i) job[r].poll(sinks[r]);
    }
    const deadline limit;
    for (unsigned i = static_cast<unsigned>(round); !limit.passed(); ++i) {
      job[i % 2].poll(sinks[i % 2]);
      if (round % 3 == 0) job[0].poll(sinks[0]);
      if (sinks[0].packets.size() == 1 && sinks[1].packets.size() == 1 &&
          sinks[0].completions == 1 && sinks[1].completions == 1)
        break;
    }
    for (peer_id r = 0; r < 2; ++r) {
      REQUIRE(sinks[r].packets.size() == 1);
      CHECK(has_pattern(sinks[r].packets[0].payload, 3));
      CHECK(sinks[r].completions == 1);
      CHECK(job[r].counters().opened == 1);
      CHECK(job[r].door().strangers <= 1);  // The attempt that was given up.
      crossed += static_cast<int>(job[r].counters().crossed);
    }
  }
  CHECK(crossed > 0);
}

TEST_CASE("tcp: connections and memory for active peers only") {
  const auto descriptors = [] {
    int n = 0;
    for (int fd = 0; fd < 4096; ++fd) n += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    return n;
  };
  constexpr peer_id ranks = 64;
  cluster<tcp> job(ranks);
  const int before = descriptors();
  keeper sinks[ranks];
  const deadline limit;
  constexpr peer_id spoken_to[] = {1, 17, 63};
  for (const peer_id to : spoken_to) {
    REQUIRE(job[0].post(to, header_of(to), {}, to) == outcome::pending);
    while (sinks[to].packets.empty() && !limit.passed()) {
      job[0].poll(sinks[0]);
      for (peer_id r = 1; r < ranks; ++r) job[r].poll(sinks[r]);
    }
    CHECK(sinks[to].packets.size() == 1);
  }
  CHECK(descriptors() == before + 2 * 3);
  int links = 0;
  for (peer_id r = 0; r < ranks; ++r)
    for (peer_id to = 0; to < ranks; ++to) links += job[r].state_of(to) != tcp_state::idle ? 1 : 0;
  CHECK(links == 2 * 3);
}

// --- Where it listens ----------------------------------------------------------------------------

TEST_CASE("tcp: values of MPX_TCP_PORTS") {
  CHECK(tcp_port_range::read("40000").last == 40000);
  CHECK(tcp_port_range::read("40000-40010").first == 40000);
  CHECK(tcp_port_range::read("40000-40010").last == 40010);
  for (const char* bad :
       {"", "-", "0", "x", "1-", "-1", "40010-40000", "65536", "1-65536", "1-2-3"})
    CHECK(errc_of([&] { static_cast<void>(tcp_port_range::read(bad)); }) == mpx::errc::argument);
  tcp_endpoint first;
  tcp_endpoint second;
  const ip::address here = ip::address_v4::loopback();
  const tcp_descriptor held = listen_tcp(here, {}, first);
  const std::uint16_t taken = first.port();
  REQUIRE(taken != 0);
  CHECK(errc_of([&] { static_cast<void>(listen_tcp(here, {taken, taken}, second)); }) ==
        mpx::errc::argument);
  if (taken < 65000) {
    const tcp_descriptor next =
        listen_tcp(here, {taken, static_cast<std::uint16_t>(taken + 500)}, second);
    CHECK(second.port() > taken);
  }
  // A connection of a port that was closed a moment ago may belong to the job before this one.
  {
    tcp_descriptor door = listen_tcp(here, {}, first);
    const tcp_descriptor caller(::socket(AF_INET, SOCK_STREAM, 0));
    REQUIRE(::connect(caller.fd(), &first.any, first.bytes) == 0);
    const tcp_descriptor answered(::accept(door.fd(), nullptr, nullptr));
    REQUIRE(answered);
    ::shutdown(answered.fd(), SHUT_WR);  // The first to leave.
    ::shutdown(caller.fd(), SHUT_WR);
    char byte = 0;
    CHECK(::recv(answered.fd(), &byte, 1, 0) == 0);
  }
  CHECK(listen_tcp(here, {first.port(), first.port()}, second));
}

TEST_CASE("tcp: values of MPX_TCP_INTERFACE") {
  const ip::address loopback = ip::address_v4::loopback();
  const std::vector<tcp_address> here = addresses_here();
  const auto chosen = [&here](const char* told) {
    return tcp_places::chosen(told, false, 1, here).addresses.at(0).address;
  };
  for (const char* good : {"lo", "127.0.0.1", "127.0.0.0/8"}) CHECK(chosen(good) == loopback);
  for (const char* bad : {"", "no-such", "a-name-that-is-too-long-for-any", "300.1.1.1",
                          "240.1.2.3", "240.1.2.0/24", "10.0.0.0/33", "fd00::/129", "/8", "lo/8"})
    CHECK(errc_of([&] { static_cast<void>(chosen(bad)); }) == mpx::errc::argument);
  CHECK(read_endpoint("127.0.0.1 4711").port() == 4711);
  CHECK(read_endpoint("::1 4711").address() == ip::address_v6::loopback());
  for (const char* bad : {"", "127.0.0.1", "127.0.0.1 0", "127.0.0.1 65536", "x 1", "127.0.0.1  1"})
    CHECK(read_endpoint(bad).bytes == 0);
}

TEST_CASE("tcp: over IPv6, on one port of a range") {
  bool there = false;
  for (const tcp_address& a : addresses_here())
    there = there || a.address == ip::address_v6::loopback();
  if (!there) {
    MESSAGE("skipped: this machine has no ::1");
    return;
  }
  ::setenv("MPX_TCP_INTERFACE", "::1", 1);
  ::setenv("MPX_TCP_PORTS", "30000-39999", 1);
  cluster<tcp> job(3);
  ::unsetenv("MPX_TCP_INTERFACE");
  ::unsetenv("MPX_TCP_PORTS");
  keeper sink;
  CHECK(job[0].endpoint().address() == ip::address_v6::loopback());
  CHECK(job[0].endpoint().port() >= 30000);
  CHECK(job[0].endpoint().port() <= 39999);
  const payload body(3, 300);
  REQUIRE(job[2].post(0, header_of(3), body.view(), 9) == outcome::pending);
  const deadline limit;
  keeper other;
  while (sink.packets.empty() && !limit.passed()) {
    job[2].poll(other);
    job[0].poll(sink);
  }
  REQUIRE(sink.packets.size() == 1);
  CHECK(has_pattern(sink.packets[0].payload, 3));
}

}  // namespace
