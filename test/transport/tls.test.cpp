// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// timeout: 240
// The contract over encrypted sockets; bytes that are cut, changed, repeated or forged; and ranks
// that do not encrypt, or stop in the TLS handshake.

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <mpx/transport/tls.hpp>
#include <ostream>

#include "contract.hpp"
#include "helped.hpp"
#include "pollable.hpp"

namespace {

using namespace transport_contract;
using namespace mpx::transport::detail;

const tcp_site& nowhere() {
  static tcp_watch watch;
  static const tcp_secret secret;
  static const tcp_endpoint none;
  static const tcp_site site{watch, secret, 0, 1, none, none, 0};
  return site;
}
using helped_transport::helped;
using mpx::transport::basic_tls;
using mpx::transport::tcp;
using mpx::transport::tls;
using tls_copying = helped<basic_tls<64 * 1024, false, 100'000>>;  // Soon full.
using tls_pending = helped<basic_tls<64 * 1024, true>>;

static_assert(mpx::StreamTransport<tls> && mpx::PollableTransport<tls>);
static_assert(tls::name == "tls" && tcp::name == "tcp");
static_assert(tls::traits.layout != tcp::traits.layout);

TEST_CASE("tls: packets") { check_packets<tls_copying>(); }
TEST_CASE("tls: waiting") { check_waiting<tls_copying>(); }
TEST_CASE("tls: PollableTransport") { check_pollable<tls_copying>(); }
TEST_CASE("tls: posts that wait where they are") {
  check_pending<tls_pending>();
  check_placing<tls_pending>();
  check_dropping<tls_pending>();
}
TEST_CASE("tls: traffic") {
  for (const peer_id n : {1u, 2u, 3u, 4u, 7u, 8u}) {
    CAPTURE(n);
    const auto count = static_cast<std::uint32_t>(2000 / slowdown / n);
    CHECK_NOTHROW(check_all_to_all<basic_tls<64 * 1024>>(n, count, true));
  }
}

// --- Streams -------------------------------------------------------------------------------------

tcp_bytes32 key_of(int n) {
  tcp_bytes32 k{};
  k[0] = static_cast<std::byte>(n);
  return k;
}

/// Two streams, and what lies between them, which the test passes on as it likes.
struct relayed {
  tls_context context;
  tls_stream caller;
  tls_stream called;
  tcp_descriptor near_caller;
  tcp_descriptor near_called;

  explicit relayed(int caller_key = 1, int called_key = 1, std::uint64_t records_a_key = 1 << 20) {
    context.records_a_key = records_a_key;
    caller = end(near_caller);
    called = end(near_called);
    REQUIRE(
        caller.begin(context, tcp_role::connects, nowhere(), [&] { return key_of(caller_key); }));
    REQUIRE(
        called.begin(context, tcp_role::accepts, nowhere(), [&] { return key_of(called_key); }));
  }
  static tls_stream end(tcp_descriptor& other) {
    int fds[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
    other = tcp_descriptor(fds[1]);
    return tls_stream(tcp_descriptor(fds[0]));
  }
  /// Data that one of them has written.
  static std::string take(const tcp_descriptor& from) {
    std::string all(1 << 20, '\0');
    const ssize_t n = ::recv(from.fd(), all.data(), all.size(), MSG_DONTWAIT);
    all.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
    return all;
  }
  static void give(const tcp_descriptor& to, const std::string& what) {
    REQUIRE(::send(to.fd(), what.data(), what.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(what.size()));
  }
  void pass_all() {
    if (const std::string s = take(near_caller); !s.empty()) give(near_called, s);
    if (const std::string s = take(near_called); !s.empty()) give(near_caller, s);
  }
  std::pair<tcp_secured, tcp_secured> secure() {
    auto a = tcp_secured::waits;
    auto b = tcp_secured::waits;
    for (int i = 0; i < 5; ++i) {
      if (a == tcp_secured::waits) a = caller.secure();
      pass_all();
      if (b == tcp_secured::waits) b = called.secure();
      pass_all();
    }
    return {a, b};
  }
  void must_secure() {
    const auto [a, b] = secure();
    REQUIRE(a == tcp_secured::yes);
    REQUIRE(b == tcp_secured::yes);
  }
};
ssize_t write(tls_stream& s, const std::string& what) {
  iovec piece = piece_of(what.data(), what.size());
  return s.write(&piece, 1);
}
/// Available data; "end" at the end.
std::string read(tls_stream& s) {
  std::string into(1 << 16, '\0');
  iovec piece{into.data(), into.size()};
  const ssize_t n = s.read(&piece, 1);
  if (n < 0) return "end";
  into.resize(static_cast<std::size_t>(n));
  return into;
}

TEST_CASE("tls: only two ends that know the key connect") {
  relayed r;
  r.must_secure();
  CHECK(write(r.caller, "there") == 5);
  CHECK(write(r.called, "back") == 4);
  const std::string seen = relayed::take(r.near_caller);
  CHECK(seen.find("there") == std::string::npos);
  relayed::give(r.near_called, seen);
  r.pass_all();
  CHECK(read(r.called) == "there");
  CHECK(read(r.caller) == "back");
  CHECK(read(r.caller).empty());

  relayed wrong(1, 2);
  const auto [a, b] = wrong.secure();
  CHECK(b == tcp_secured::broken);
  CHECK(a == tcp_secured::broken);
}

TEST_CASE("tls: plain bytes, and ends that are too soon, in the handshake") {
  for (const bool to_caller : {false, true}) {
    relayed r;
    CHECK(r.caller.secure() == tcp_secured::waits);
    CHECK(r.called.secure() == tcp_secured::waits);
    relayed::give(to_caller ? r.near_caller : r.near_called, std::string(300, 'x'));
    CHECK((to_caller ? r.caller : r.called).secure() == tcp_secured::broken);
  }
  std::size_t whole = 0;
  for (std::size_t cut = 0; whole == 0 || cut < whole; cut += 13) {
    relayed r;
    REQUIRE(r.caller.secure() == tcp_secured::waits);
    const std::string hello = relayed::take(r.near_caller);
    whole = hello.size();
    relayed::give(r.near_called, hello.substr(0, cut));
    CHECK(r.called.secure() == tcp_secured::waits);  // It has all the time.
    r.near_called.close();
    CHECK(r.called.secure() == tcp_secured::broken);
  }
}

TEST_CASE("tls: a record that is cut, changed, doubled or moved is none") {
  const std::string text(100, 't');
  std::size_t whole = 0;
  for (std::size_t at = 0; whole == 0 || at < whole; at += 7) {
    for (const bool cut : {false, true}) {
      relayed r;
      r.must_secure();
      CHECK(write(r.caller, text) == 100);
      std::string record = relayed::take(r.near_caller);
      whole = record.size();
      if (cut) {
        record.resize(at);
      } else {
        record[at] = static_cast<char>(record[at] ^ 4);
      }
      relayed::give(r.near_called, record);
      if (cut) CHECK(read(r.called).empty());
      r.near_called.close();
      CHECK(read(r.called) == "end");
      CHECK(read(r.called) == "end");
    }
  }
  for (const bool doubled : {false, true}) {
    relayed r;
    r.must_secure();
    write(r.caller, "one");
    const std::string one = relayed::take(r.near_caller);
    write(r.caller, "two");
    const std::string two = relayed::take(r.near_caller);
    relayed::give(r.near_called, doubled ? one + one : two + one);
    CHECK(read(r.called) == (doubled ? "one" : "end"));
    CHECK(read(r.called) == "end");
  }
}

TEST_CASE("tls: bytes arrive in order for all pieces and buffer sizes, under many keys") {
  tls_context context;
  context.records_a_key = 5;
  int fds[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
  const int room = 30'000;
  REQUIRE(::setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room) == 0);
  tls_stream from{tcp_descriptor(fds[0])};
  tls_stream to{tcp_descriptor(fds[1])};
  REQUIRE(from.begin(context, tcp_role::accepts, nowhere(), [] { return key_of(1); }));
  REQUIRE(to.begin(context, tcp_role::connects, nowhere(), [] { return key_of(1); }));
  static_cast<void>(to.secure());
  static_cast<void>(from.secure());
  REQUIRE(to.secure() == tcp_secured::yes);
  REQUIRE(from.secure() == tcp_secured::yes);

  std::mt19937 random(5);
  const auto some = [&random](std::size_t most) { return random() % (most + 1); };
  std::string out(3'000'000 / slowdown, '\0');
  for (char& c : out) c = static_cast<char>(random());
  std::string in(out.size(), '\0');
  std::size_t written = 0;
  std::size_t got = 0;
  const deadline limit;
  bool blocked = false;
  while (got < in.size() && !limit.passed()) {
    iovec pieces[5];
    std::size_t at = written;
    for (iovec& p : pieces) {
      const std::size_t n = std::min(some(random() % 3 == 0 ? 100'000 : 50), out.size() - at);
      p = piece_of(out.data() + at, n);
      at += n;
    }
    const ssize_t w = from.write(pieces, 5);
    REQUIRE(w >= 0);
    blocked = blocked || static_cast<std::size_t>(w) < at - written;
    written += static_cast<std::size_t>(w);
    if (random() % 3 == 0) continue;
    at = got;
    for (iovec& p : pieces) {
      const std::size_t n = std::min(some(random() % 2 == 0 ? 40'000 : 30), in.size() - at);
      p = {in.data() + at, n};
      at += n;
    }
    const ssize_t n = to.read(pieces, 5);
    REQUIRE(n >= 0);
    got += static_cast<std::size_t>(n);
  }
  CHECK(blocked);
  CHECK(written == out.size());
  CHECK(in == out);
}

// --- Ranks ---------------------------------------------------------------------------------------

struct losing_keeper : keeper {
  std::vector<peer_id> lost_ones;
  void lost(peer_id p) noexcept { lost_ones.push_back(p); }
};

TEST_CASE("tls: a rank that does not encrypt is none") {
  mpx::bootstrap::thread_job job{2};
  mpx::bootstrap::any zero{mpx::bootstrap::threads(job, 0)};
  mpx::bootstrap::any one{mpx::bootstrap::threads(job, 1)};
  ::setenv("MPX_TCP_HEARTBEAT", "3", 1);  // It is tried again and again, for so long.
  std::unique_ptr<tcp> plain;
  std::unique_ptr<tls> secret;
  {
    std::jthread other([&] { plain = std::make_unique<tcp>(one); });
    secret = std::make_unique<tls>(zero);
  }
  ::unsetenv("MPX_TCP_HEARTBEAT");
  losing_keeper sinks[2];
  const payload body(1, 300);
  REQUIRE(plain->post(0, header_of(1), body.view(), 1) == outcome::pending);
  const deadline limit;
  while (sinks[0].lost_ones.empty() && !limit.passed()) {
    plain->poll(sinks[1]);
    secret->poll(sinks[0]);
  }
  CHECK(sinks[0].packets.empty());
  CHECK(sinks[0].lost_ones == std::vector<peer_id>{1});
  CHECK(secret->counters().opened == 0);
  zero.mark_finished();
  one.mark_finished();
}

TEST_CASE("tls: a connection that is replaced while it is full loses and doubles nothing") {
  ::setenv("MPX_TCP_HEARTBEAT", "3", 1);
  cluster<tls_copying> job(2);
  ::unsetenv("MPX_TCP_HEARTBEAT");
  const std::size_t bytes = 3000;
  std::uint32_t posted = 0;
  std::uint32_t taken = 0;
  while (post(job[0], 1, posted, bytes) == outcome::done) ++posted;
  keeper nothing;
  // Rank 1 does something else for longer than the kernel has patience.
  const deadline limit;
  while (job[0].lower().counters().broken == 0 && !limit.passed()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    job[0].poll(nothing);
  }
  CHECK(job[0].lower().counters().broken > 0);
  CHECK_NOTHROW(make_room(job[0], job[1], posted, taken, bytes));
  keeper sink;
  poll_until(job[1], sink, posted - taken);
  for (int i = 0; i < 100; ++i) job[1].poll(sink);
  REQUIRE(sink.packets.size() == posted - taken);
  for (const arrived& p : sink.packets) {
    REQUIRE(same(p.header, header_of(taken)));
    REQUIRE(has_pattern(p.payload, taken++));
  }
}

TEST_CASE("tls: a peer that stops in the TLS handshake delays no other") {
  cluster<tls> job(3);
  losing_keeper sinks[3];
  const payload body(1, 300);
  REQUIRE(job[0].post(1, header_of(1), body.view(), 1) == outcome::pending);
  const deadline limit;
  while (job[0].state_of(1) != tcp_state::securing && !limit.passed()) {
    job[1].poll(sinks[1]);
    job[0].poll(sinks[0]);
  }
  REQUIRE(job[0].state_of(1) == tcp_state::securing);
  REQUIRE(job[0].post(2, header_of(2), body.view(), 2) == outcome::pending);
  while (sinks[2].packets.empty() && !limit.passed()) {
    job[0].poll(sinks[0]);
    job[2].poll(sinks[2]);
  }
  CHECK(sinks[2].packets.size() == 1);
  CHECK(job[0].arm());  // It need not look again and again.
  job[0].disarm();
  while ((sinks[1].packets.empty() || sinks[0].completions < 2) && !limit.passed()) {
    job[1].poll(sinks[1]);
    job[0].poll(sinks[0]);
  }
  CHECK(sinks[1].packets.size() == 1);
  CHECK(sinks[0].completions == 2);
}

}  // namespace
