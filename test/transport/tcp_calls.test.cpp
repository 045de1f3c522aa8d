// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// timeout: 120
// Over sockets: calls that are kept waiting, that fail, that cross, and what a forked child holds.

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <mpx/transport/tcp.hpp>
#include <ostream>
#include <thread>

#include "half_job.hpp"

namespace {

using namespace half_a_job;

/// The next connect of rank 0 becomes the connection, and no peer is lost.
void is_met(half_job& j, losing_keeper& sink) {
  call_of_rank_0(j, sink).open();
  CHECK(sink.lost_ones.empty());
}
/// Rank 0 connects without success more often than a crossing connect may insist.
void calls_in_vain(half_job& j, losing_keeper& sink) {
  j.t->monitor(1);
  for (int i = 0; i < 3; ++i) call_of_rank_0(j, sink);
}

/// Longer than a peer of an impatient rank may be out of reach.
void compute_for_long() {
  std::this_thread::sleep_for(std::chrono::nanoseconds(3 * tcp_patience(patience_s).reach_ns()));
}

TEST_CASE(
    "tcp: nor is the peer of a rank that computes, at the first call, after a break, crossed") {
  const impatient now;
  const payload body(0, 100);
  losing_keeper sink;
  SUBCASE("after its call") {
    half_job j;
    REQUIRE(j.t->post(1, header_of(0), body.view(), 0) == outcome::pending);
    {
      const call_of_rank_0 first(j, sink);
    }  // No rank was heard, and rank 1 did not wait for ever.
    compute_for_long();
    is_met(j, sink);
  }
  SUBCASE("after a break") {
    half_job j;
    tcp_descriptor s = proven(j);
    s.close();
    const deadline limit;
    while (j.t->state_of(1) == tcp_state::open) {
      j.t->poll(sink);
      limit.check("the end of a connection is seen");
    }
    compute_for_long();
    is_met(j, sink);
  }
  SUBCASE("after calls that crossed") {
    half_job j;
    REQUIRE(j.t->post(1, header_of(0), body.view(), 0) == outcome::pending);
    call_of_rank_0 first(j, sink);
    first.hear();
    first.judge(tcp_verdict::crossed);
    const deadline limit;
    while (j.t->state_of(1) != tcp_state::crossed) {
      j.t->poll(sink);
      limit.check("the verdict arrives");
    }
    compute_for_long();
    is_met(j, sink);
  }
  CHECK(sink.lost_ones.empty());
}

TEST_CASE("tcp: a call that waits to be accepted asks the other host again with the same proof") {
  const impatient now;
  losing_keeper sink;
  const std::int64_t until = mpx::platform::now_ns() + patience_s * second_ns;
  const auto poll = [&](auto& t) {
    while (mpx::platform::now_ns() < until) {
      t.poll(sink);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  SUBCASE("by its first bytes") {
    half_job j;
    j.t->monitor(1);
    poll(*j.t);
    call_of_rank_0 late(j, sink, false);
    int waiting = 0;
    REQUIRE(::ioctl(late.s.fd(), FIONREAD, &waiting) == 0);
    CHECK(waiting >= 3 * static_cast<int>(sizeof(tcp_knock)));
    CHECK(waiting % sizeof(tcp_knock) == 0);
    late.challenge();
    late.open();
    CHECK(j.t->counters().calls == 1);
  }
  SUBCASE("of a rank that computes") {
    cluster<tcp> job(2);
    losing_keeper other;
    REQUIRE(post(job[0], 1, 1, 300) == outcome::pending);
    poll(job[0]);
    CHECK(job[0].counters().calls == 1);
    const deadline limit;
    while (other.packets.empty() && !limit.passed()) {
      job[1].poll(other);
      job[0].poll(sink);
    }
    CHECK(other.packets.size() == 1);
    CHECK(job[0].counters().calls == 1);
  }
  CHECK(sink.lost_ones.empty());
}

TEST_CASE("tcp: a rank that computes while a host is silent connects again before a loss") {
  const impatient now;
  losing_keeper sink;
  half_job j;
  auto crowd = fall_silent(j);
  j.t->monitor(1);
  j.poll(sink);
  compute_for_long();
  crowd.clear();
  REQUIRE(::listen(j.listener.fd(), 16) == 0);
  while (tcp_descriptor(::accept(j.listener.fd(), nullptr, nullptr))) continue;
  is_met(j, sink);
}

TEST_CASE("tcp: a rank that polls seldom reconnects to a peer that closes connections") {
  const impatient now;
  losing_keeper sink;
  half_job j;
  bool challenges = true;
  SUBCASE("once nothing is said") {}
  SUBCASE("at once") { challenges = false; }
  j.t->monitor(1);
  for (int i = 0; i < 6; ++i) {
    {
      const call_of_rank_0 one(j, sink, challenges);
    }
    compute_for_long();
    j.t->poll(sink);
  }
  is_met(j, sink);
}

TEST_CASE("tcp: a peer that closes every connection is lost in the end") {
  const impatient now;
  losing_keeper sink;
  half_job j;
  j.t->monitor(1);
  const deadline limit;
  int calls = 0;
  while (sink.lost_ones.empty() && !limit.passed()) {
    j.t->poll(sink);
    const tcp_descriptor s(::accept4(j.listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
    calls += s ? 1 : 0;
  }
  CHECK(sink.lost_ones.size() == 1);
  CHECK(calls > 2);
}

TEST_CASE("tcp: of two crossing connections one remains, after any number of failures") {
  half_job j;
  losing_keeper sink;
  calls_in_vain(j, sink);
  call_of_rank_0 mine(j, sink, false);
  tcp_connecting_handshake c(1, 0);
  SUBCASE("the lower rank's, whose proof is out") {
    mine.challenge();
    mine.hear();
    const tcp_descriptor other = greeted(j, c);
    CHECK(verdict_on(j, other, c) == tcp_verdict::crossed);
    mine.open();
  }
  SUBCASE("the higher one's, where the lower one does not get there") {
    const tcp_descriptor other = greeted(j, c);
    CHECK(verdict_on(j, other, c) == tcp_verdict::open);
  }
  CHECK(sink.lost_ones.empty());
}

TEST_CASE("tcp: a closed connection gets nothing, and no other is dropped for it") {
  half_job j;
  losing_keeper sink;
  calls_in_vain(j, sink);
  call_of_rank_0 mine(j, sink, false);
  tcp_connecting_handshake c(1, 0);
  {
    const tcp_descriptor other = greeted(j, c);
  }
  j.poll(sink);
  mine.challenge();
  mine.open();
  CHECK(sink.lost_ones.empty());
}

/// A child of this process that does nothing, and holds all that its parent has open now.
class idle_child {
 public:
  idle_child() {
    require(::pipe2(ends_, O_CLOEXEC) == 0, "there is a pipe");
    child_ = ::fork();
    if (child_ != 0) return;
    char c;
    ::close(ends_[1]);
    static_cast<void>(!::read(ends_[0], &c, 1));
    ::_exit(0);
  }
  idle_child(const idle_child&) = delete;
  idle_child& operator=(const idle_child&) = delete;
  ~idle_child() {
    ::close(ends_[1]);
    ::close(ends_[0]);
    ::waitpid(child_, nullptr, 0);
  }

 private:
  int ends_[2];
  pid_t child_;
};
bool has_changed(half_job& j) {
  pollfd p{j.t->descriptor(), POLLIN, 0};
  return ::poll(&p, 1, 0) != 0;
}

TEST_CASE("tcp: connections end for both sides though a forked child holds them") {
  half_job j;
  losing_keeper sink;
  const deadline limit;
  SUBCASE("a connection") {
    const tcp_descriptor s = proven(j);
    const idle_child child;
    for (const int fd : {s.fd(), j.listener.fd()}) ::shutdown(fd, SHUT_RDWR);
    while (sink.lost_ones.empty() && !limit.passed()) j.t->poll(sink);
    CHECK(sink.lost_ones.size() == 1);
    j.poll(sink);
    CHECK(!has_changed(j));
  }
  SUBCASE("one that is replaced") {
    const tcp_descriptor s = proven(j);
    const idle_child child;
    const tcp_descriptor next = proven(j);
    CHECK(hangs_up(j, s));
    j.poll(sink);
    CHECK(!has_changed(j));
    CHECK(j.t->state_of(1) == tcp_state::open);
  }
  SUBCASE("a call that is given up") {
    j.t->monitor(1);
    call_of_rank_0 mine(j, sink);
    mine.hear();
    const idle_child child;
    mine.judge(tcp_verdict::crossed);
    CHECK(hangs_up(j, mine.s));
    CHECK(!has_changed(j));
  }
  SUBCASE("one of a stranger, or of another rank") {
    const tcp_descriptor s = j.connect_and_knock();
    tcp_connecting_handshake c(1, 0);
    const tcp_descriptor other = greeted(j, c);
    const idle_child child;
    j.t->drop_peer(1);
    say(s, std::string(200, 'x').data(), 200);
    CHECK(hangs_up(j, s));
    CHECK(verdict_on(j, other, c) == tcp_verdict::gone);
    CHECK(hangs_up(j, other));
    j.poll(sink);
    CHECK(!has_changed(j));
  }
  SUBCASE("and no rank waits for a listener that does not accept") {
    const tcp_descriptor s = j.connect_and_knock();
    j.t->monitor(1);
    const call_of_rank_0 call(j, sink);
    const tcp_endpoint door = j.t->endpoint();
    const idle_child child;
    j.t.reset();
    const tcp_descriptor late(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    CHECK(::connect(late.fd(), &door.any, door.bytes) != 0);
    for (const tcp_descriptor* const d : {&s, &call.s}) {
      std::byte bytes[256];
      ssize_t n = 1;
      while ((n > 0 || (n < 0 && errno == EAGAIN)) && !limit.passed())
        n = ::recv(d->fd(), bytes, sizeof bytes, MSG_DONTWAIT);
      CHECK(!limit.passed());
    }
  }
}

}  // namespace
