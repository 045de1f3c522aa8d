// SPDX-License-Identifier: BSL-1.0
#pragma once
// A job of two over sockets, one of whose ends is the test's own: it says what it likes.

#include <sys/socket.h>
#include <unistd.h>

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

/// Rank 0 is a transport; rank 1 has joined the job, and is whatever the test makes of it.
struct half_job {
  mpx::bootstrap::thread_job job{2};
  mpx::bootstrap::any zero{mpx::bootstrap::threads(job, 0)};
  mpx::bootstrap::any one{mpx::bootstrap::threads(job, 1)};
  std::unique_ptr<tcp> t;
  tcp_secret secret;
  tcp_descriptor listener;

  half_job() {
    std::jthread other([this] {
      tcp_endpoint at;
      listener = listen_tcp(ip::address_v4::loopback(), {}, at);
      one.put("mpx.tcp", text_of(at) + " here");
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
};

/// Writes, and never minds whether anybody reads.
inline void say(const tcp_descriptor& s, const void* what, std::size_t bytes) {
  static_cast<void>(::send(s.fd(), what, bytes, MSG_NOSIGNAL));
}
/// Whether the other end hangs up.
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
/// Rank 1's connection, proven as any rank's, which goes on where `received` of rank 0's stream are.
inline tcp_descriptor proven(half_job& j, std::uint64_t instance = 1, std::uint64_t received = 0) {
  tcp_descriptor s = j.connect();
  tcp_connector c(1, 0);
  keeper sink;
  const deadline limit;
  while (!c.is_judged()) {
    j.poll(sink, 1);
    const std::span<std::byte> rest = c.rest();
    const ssize_t n = ::recv(s.fd(), rest.data(), rest.size(), MSG_DONTWAIT);
    limit.check("a rank is let in");
    if (n <= 0) continue;
    if (c.added(static_cast<std::size_t>(n), j.secret) != tcp_step::ready || c.is_judged())
      continue;
    const tcp_hello h = c.hello(j.secret);
    say(s, &h, sizeof h);
  }
  require(c.verdict() == tcp_verdict::open, "its connection is the one");
  const tcp_resume r{tcp_resume_magic, instance, received};
  say(s, &r, sizeof r);
  tcp_resume other{};
  while (::recv(s.fd(), &other, sizeof other, MSG_DONTWAIT) != sizeof other) {
    limit.check("both tell where they are");
    j.poll(sink, 1);
  }
  require(other.magic == tcp_resume_magic && sink.packets.empty(), "and that comes first");
  j.poll(sink, 2);
  return s;
}
struct losing_keeper : keeper {
  std::vector<peer_id> lost_ones;
  void lost(peer_id p) noexcept { lost_ones.push_back(p); }
};
static_assert(mpx::LossSink<losing_keeper> && !mpx::LossSink<keeper>);

}  // namespace half_a_job
