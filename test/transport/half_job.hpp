// SPDX-License-Identifier: BSL-1.0
#pragma once
// A job of two over sockets, one of whose ends is driven by the test.

#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mpx/transport/tcp.hpp>
#include <string>
#include <thread>
#include <vector>

#include "cluster.hpp"

namespace half_a_job {

using namespace transport_contract;
using namespace mpx::transport::detail;
using mpx::transport::tcp;

/// Rank 0 counts a peer as lost after so many seconds, the fewest that can be asked for.
inline constexpr unsigned patience_s = 3;
struct impatient {
  impatient() { ::setenv("MPX_TCP_HEARTBEAT", "3", 1); }
  impatient(const impatient&) = delete;
  impatient& operator=(const impatient&) = delete;
  ~impatient() { ::unsetenv("MPX_TCP_HEARTBEAT"); }
};

/// Rank 0 is a transport; rank 1 has joined the job, and is whatever the test makes of it.
struct half_job {
  mpx::bootstrap::thread_job job{2};
  mpx::bootstrap::any zero{mpx::bootstrap::threads(job, 0)};
  mpx::bootstrap::any one{mpx::bootstrap::threads(job, 1)};
  std::unique_ptr<tcp> t;
  tcp_secret secret;
  tcp_descriptor listener;
  tcp_bytes32 told{};  // Rank 0's token, for rank 1.

  /// `before`: addresses that rank 1 publishes before its own, each followed by a space.
  explicit half_job(const std::string& before = "") {
    std::jthread other([this, &before] {
      tcp_endpoint at;
      listener = listen_tcp(ip::address_v4::loopback(), {}, at);
      one.put("mpx.tcp", before + text_of(at) + " here");
      one.fence([] {});
      secret = tcp_secret::read(one.get(0, "mpx.tcp.key").value_or(""));
    });
    t = std::make_unique<tcp>(zero);
  }
  ~half_job() {
    zero.mark_finished();
    one.mark_finished();
  }
  tcp_descriptor connect() const {
    tcp_descriptor s(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const tcp_endpoint& to = t->endpoint();
    const int one = 1;
    ::setsockopt(s.fd(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    require(::connect(s.fd(), &to.any, to.bytes) == 0, "a stranger can connect");
    return s;
  }
  void poll(keeper& sink, int times = 20) const {
    for (int i = 0; i < times; ++i) t->poll(sink);
  }
  /// As a stranger that has overheard how ranks of the job begin.
  tcp_descriptor connect_and_knock() const {
    tcp_descriptor s = connect();
    require(tcp_connecting_handshake(1, 0).knock(s.fd(), secret), "a connection takes some bytes");
    return s;
  }
};

/// Writes; ignores whether the data is read.
inline void say(const tcp_descriptor& s, const void* what, std::size_t bytes) {
  static_cast<void>(::send(s.fd(), what, bytes, MSG_NOSIGNAL));
}
/// True if the other end closes the connection.
inline bool hangs_up(half_job& j, const tcp_descriptor& s) {
  keeper sink;
  const deadline limit;
  std::byte bytes[256];
  for (;;) {
    j.poll(sink);
    const ssize_t n = ::recv(s.fd(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN)) return sink.packets.empty();
    if (limit.passed()) return false;
  }
}
/// Token that rank 1 gives rank 0 only: a rank 1 that has started again gives another.
inline tcp_bytes32 token_of(std::uint8_t instance) { return {std::byte{instance}}; }

/// Rank 1 connects, and has identified itself, which rank 0 has not read.
inline tcp_descriptor greeted(half_job& j, tcp_connecting_handshake& c, std::uint8_t instance = 1) {
  tcp_descriptor s = j.connect_and_knock();
  keeper sink;
  const deadline limit;
  for (bool ready = false; !ready;) {
    j.poll(sink, 1);
    const std::span<std::byte> rest = c.rest();
    const ssize_t n = ::recv(s.fd(), rest.data(), rest.size(), MSG_DONTWAIT);
    limit.check("a rank is challenged");
    ready = n > 0 && c.added(static_cast<std::size_t>(n), j.secret) == tcp_step::ready;
  }
  const tcp_hello h = c.hello(j.secret, token_of(instance));
  say(s, &h, sizeof h);
  return s;
}
/// Verdict of rank 0 on that handshake.
inline tcp_verdict verdict_on(half_job& j, const tcp_descriptor& s, tcp_connecting_handshake& c) {
  keeper sink;
  const deadline limit;
  while (!c.is_judged()) {
    j.poll(sink, 1);
    const std::span<std::byte> rest = c.rest();
    const ssize_t n = ::recv(s.fd(), rest.data(), rest.size(), MSG_DONTWAIT);
    limit.check("a rank is let in");
    if (n > 0) c.added(static_cast<std::size_t>(n), j.secret);
  }
  return c.verdict();
}
/// Rank 1's connection, proven as any rank's, which continues at byte `received` of rank 0's
/// stream.
inline tcp_descriptor proven(half_job& j, std::uint8_t instance = 1, std::uint64_t received = 0) {
  tcp_connecting_handshake c(1, 0);
  tcp_descriptor s = greeted(j, c);
  require(verdict_on(j, s, c) == tcp_verdict::open, "its connection is the one");
  keeper sink;
  const deadline limit;
  const tcp_resume r{tcp_resume_magic, received, token_of(instance)};
  say(s, &r, sizeof r);
  tcp_resume other{};
  while (::recv(s.fd(), &other, sizeof other, MSG_DONTWAIT) != sizeof other) {
    limit.check("both tell where they are");
    j.poll(sink, 1);
  }
  require(other.magic == tcp_resume_magic && sink.packets.empty(), "and that comes first");
  j.told = other.token;
  j.poll(sink, 2);
  return s;
}
struct losing_keeper : keeper {
  std::vector<peer_id> lost_ones;
  void lost(peer_id p) noexcept { lost_ones.push_back(p); }
};
static_assert(mpx::LossSink<losing_keeper> && !mpx::LossSink<keeper>);

/// From now on rank 1's host does not answer connections.
inline std::vector<tcp_descriptor> fall_silent(half_job& j) {
  std::vector<tcp_descriptor> crowd;
  tcp_endpoint at;
  socklen_t bytes = sizeof at.v6;
  require(::getsockname(j.listener.fd(), &at.any, &bytes) == 0 && ::listen(j.listener.fd(), 0) == 0,
          "a listener can have a queue of one");
  for (int i = 0; i < 4; ++i) {
    crowd.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    ::connect(crowd.back().fd(), &at.any, bytes);
  }
  return crowd;
}

/// A call of rank 0, which rank 1 takes.
struct call_of_rank_0 {
  tcp_descriptor s;
  half_job& j;
  losing_keeper& sink;
  tcp_accepting_handshake a;
  bool heard = false;

  /// It has come in.
  call_of_rank_0(half_job& job, losing_keeper& told, bool challenges = true)
      : j(job), sink(told), a(tcp_knock_of(job.secret, 1)) {
    const deadline limit;
    while (!s) {
      j.t->poll(sink);
      require(sink.lost_ones.empty(), "rank 1 is called, not lost");
      limit.check("rank 1 is called");
      s = tcp_descriptor(::accept4(j.listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
    }
    if (challenges) challenge();
  }
  void challenge() {
    hear_message();
    const tcp_challenge c = a.challenge();
    say(s, &c, sizeof c);
  }
  /// Rank 0 has proven its identity.
  void hear() {
    hear_message();
    heard = true;
  }
  void judge(tcp_verdict v) const {
    const tcp_answer answer = a.answer(v, j.secret);
    say(s, &answer, sizeof answer);
  }
  /// This is the connection between the two.
  void open() {
    if (!heard) hear();
    judge(tcp_verdict::open);
    const tcp_resume r{tcp_resume_magic, 0, token_of(1)};
    say(s, &r, sizeof r);
    const deadline limit;
    while (j.t->state_of(1) != tcp_state::open) {
      j.t->poll(sink);
      limit.check("the connection is open");
    }
  }

 private:
  /// The knock, or rank 0's proof.
  void hear_message() {
    const deadline limit;
    for (tcp_step step = tcp_step::more; step != tcp_step::ready;) {
      j.t->poll(sink);
      limit.check("rank 0 identifies itself");
      const std::span<std::byte> rest = a.rest();
      const ssize_t n = ::recv(s.fd(), rest.data(), rest.size(), MSG_DONTWAIT);
      if (n > 0) step = a.added(static_cast<std::size_t>(n), j.secret, 1, 2);
      require(n != 0 && step != tcp_step::wrong, "it does");
    }
  }
};

}  // namespace half_a_job
