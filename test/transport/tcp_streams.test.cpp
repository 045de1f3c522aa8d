// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// timeout: 240
// The contract over several sockets to each peer; order for any distribution over them; the loss of
// one; and the proof that a further socket needs.

#include <sys/socket.h>

#include <mpx/transport/tcp/tls_stream.hpp>
#include <mpx/transport/tcp_streams.hpp>
#include <ostream>

#include "contract.hpp"
#include "core/errc_of.hpp"
#include "helped.hpp"
#include "pollable.hpp"

namespace {

using namespace transport_contract;
using namespace mpx::transport::detail;
using helped_transport::helped;
using mpx::transport::basic_tcp;
using mpx::transport::tcp;
using mpx::transport::tcp_streams;
using three = tcp_streams<3>;
// Soon full; what is kept for a replay holds many of the largest packets.
using striped_copying = helped<tcp_streams<3, 128 * 1024, false, 50'000>>;
using secret = basic_tcp<256 * 1024, true, 30'000, striped_stream<2, tls_stream>>;

static_assert(mpx::StreamTransport<three> && mpx::PollableTransport<three>);
static_assert(three::traits.layout != tcp::traits.layout);
static_assert(three::traits.layout != tcp_streams<4>::traits.layout);

TEST_CASE("tcp_streams: packets") { check_packets<striped_copying>(); }
TEST_CASE("tcp_streams: waiting") { check_waiting<striped_copying>(); }
TEST_CASE("tcp_streams: posts that wait where they are") {
  check_pending<helped<three>>();
  check_placing<helped<three>>();
}
TEST_CASE("tcp_streams: traffic") {
  for (const peer_id n : {1u, 2u, 3u, 4u, 7u}) {
    CAPTURE(n);
    const auto count = static_cast<std::uint32_t>(500 / slowdown / n);
    CHECK_NOTHROW(check_all_to_all<three>(n, count, true));
    CHECK_NOTHROW(check_all_to_all<secret>(n, count, true));
  }
}

/// Number of connections of this process to the listener at that address.
template <class F>
int for_each_socket_to(const tcp_endpoint& listener, F&& f) {
  int n = 0;
  for (int fd = 3; fd < 1024; ++fd) {
    tcp_endpoint at;
    socklen_t bytes = sizeof at.v6;
    if (::getpeername(fd, &at.any, &bytes) != 0 || at.any.sa_family != AF_INET) continue;
    if (at.port() == listener.port()) f(fd, n++);
  }
  return n;
}

/// Packets of all sizes from one to the other; `between` is called after each.
template <class T, class F>
void stream_packets(cluster<T>& job, std::uint32_t count, F&& between) {
  keeper sinks[2];
  std::vector<std::unique_ptr<payload>> held;
  const deadline limit;
  const std::size_t sizes[] = {0,         8,      200'000, 1, 96 * 1024 - 24, 96 * 1024 - 25,
                               64 * 1024, 262'144};
  for (std::uint32_t i = 0; i < count && !limit.passed();) {
    held.push_back(std::make_unique<payload>(i, sizes[i % std::size(sizes)]));
    const outcome o = job[0].post(1, header_of(i), held.back()->view(), i);
    REQUIRE(o != outcome::refused);
    if (o == outcome::retry) {
      held.pop_back();
      job[0].poll(sinks[0]);
      job[1].poll(sinks[1]);
      continue;
    }
    between(i++);
    job[0].poll(sinks[0]);
    for (int polls = 0; polls < 40 && i % 3 == 0; ++polls) job[1].poll(sinks[1]);
  }
  while (sinks[1].packets.size() < count && !limit.passed()) {
    job[0].poll(sinks[0]);
    job[1].poll(sinks[1]);
  }
  REQUIRE(sinks[1].packets.size() == count);
  for (std::uint32_t i = 0; i < count; ++i) {
    REQUIRE(same(sinks[1].packets[i].header, header_of(i)));
    REQUIRE(sinks[1].packets[i].payload.size() == sizes[i % std::size(sizes)]);
    REQUIRE(has_pattern(sinks[1].packets[i].payload, i));
  }
}

TEST_CASE("tcp_streams: long packets use all sockets, and order is kept") {
  cluster<three> job(2);
  stream_packets(job, 60, [](std::uint32_t) {});
  const int sockets = for_each_socket_to(job[1].endpoint(), [](int fd, int) {
    struct {  // Of linux/tcp.h, which excludes netinet/tcp.h.
      std::byte before[120];
      std::uint64_t bytes_acked;
    } info{};
    socklen_t bytes = sizeof info;
    REQUIRE(::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &bytes) == 0);
    REQUIRE(bytes == sizeof info);
    CHECK(info.bytes_acked > 500'000);
  });
  CHECK(sockets == 3);
  CHECK(job[1].door().admitted == 3);
}

template <class T>
void check_breaks(int sockets) {
  for (int which = 0; which < sockets; ++which) {
    CAPTURE(which);
    cluster<T> job(2);
    stream_packets(job, 60, [&](std::uint32_t i) {
      if (i == 30)
        REQUIRE(for_each_socket_to(job[1].endpoint(), [&](int fd, int n) {
                  if (n == which) ::shutdown(fd, SHUT_RDWR);
                }) == sockets);
    });
    CHECK(job[0].counters().broken >= 1);
  }
}
TEST_CASE("tcp_streams: if one socket breaks, all are made again, and nothing is lost") {
  check_breaks<three>(3);
  check_breaks<secret>(2);
  check_breaks<basic_tcp<256 * 1024, true, 30'000, tls_stream>>(1);
}

TEST_CASE("tcp_streams: on the interfaces that are named") {
  ::setenv("MPX_TCP_INTERFACE", "127.0.0.1,127.0.0.1", 1);
  {
    cluster<three> job(2);
    stream_packets(job, 20, [](std::uint32_t) {});
    // Two listeners: the sockets are dealt to them.
    CHECK(for_each_socket_to(job[1].endpoint(), [](int, int) {}) == 2);
    CHECK(job[1].door().admitted == 3);
  }
  ::setenv("MPX_TCP_INTERFACE", "127.0.0.1,no-such", 1);
  CHECK_THROWS(cluster<three>(1));
  ::unsetenv("MPX_TCP_INTERFACE");
}

}  // namespace
