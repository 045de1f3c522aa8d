// SPDX-License-Identifier: BSL-1.0
// timeout: 120
// Whole jobs over sockets whose launcher does not know the state of ranks: broken connections are
// made again, and the transport reports unreachable peers.

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <mpx/cluster.hpp>
#include <vector>

#include "bootstrap/minimal.hpp"
#include "core/errc_of.hpp"

namespace {

using bootstrap_contract::in_threads;
using bootstrap_contract::minimal;
using bootstrap_contract::minimal_job;
using stack = mpx::stack<mpx::transport::tcp, minimal, mpx::tcp_protocol>;

/// Cuts every connection of this process to a listener; with `for_good`, it does not listen any
/// more.
void cut(const mpx::transport::detail::tcp_endpoint& listener, bool for_good = false) {
  for (int fd = 3; fd < 1024; ++fd) {
    sockaddr_in at{};
    socklen_t bytes = sizeof at;
    int listens = 0;
    socklen_t size = sizeof listens;
    ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size);
    if (listens != 0 && for_good &&
        ::getsockname(fd, reinterpret_cast<sockaddr*>(&at), &bytes) == 0 &&
        ntohs(at.sin_port) == listener.port())
      ::shutdown(fd, SHUT_RDWR);
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&at), &bytes) != 0) continue;
    if (at.sin_family == AF_INET && ntohs(at.sin_port) == listener.port())
      ::shutdown(fd, SHUT_RDWR);
  }
}

TEST_CASE("tcp: connections that break repeatedly cause no loss") {
  ::setenv("MPX_TCP_INTERFACE", "127.0.0.1", 1);
  minimal_job job(2);
  std::string failed[2];
  constexpr int rounds = 30;
  const auto rank = [&](mpx::rank_t me) {
    mpx::environment<stack> env(minimal(job, me));
    auto world = env.world();
    const mpx::rank_t other = 1 - me;
    std::uint64_t broken = 0;
    for (int i = 0; i < rounds; ++i) {
      const std::vector<int> out(i % 3 == 0 ? 200'000 : 10, 100 * i + me);
      std::vector<int> in(out.size());
      auto r = world.irecv(in, other, i);
      auto s = world.isend(out, other, i);
      if (i > 0 && i % 2 == me) cut(env.transport().endpoint());
      r.wait();
      s.wait();
      if (in.front() != 100 * i + other || in.back() != in.front()) failed[me] = "a wrong message";
      broken = env.transport().counters().broken;
    }
    world.barrier();
    if (broken < 2) failed[me] = "it broke " + std::to_string(broken) + " times";
  };
  in_threads(failed, rank);
  ::unsetenv("MPX_TCP_INTERFACE");
  for (const std::string& what : failed) CHECK(what == "");
}

TEST_CASE("tcp: an unreachable rank is lost, and no other") {
  ::setenv("MPX_TCP_INTERFACE", "127.0.0.1", 1);
  minimal_job job(3);
  std::string failed[3];
  mpx::transport::detail::tcp_endpoint one;  // Of rank 1, once it has sent its first word.
  const auto rank = [&](mpx::rank_t me) {
    mpx::environment<stack> env(minimal(job, me));
    auto world = env.world();
    int word = me;
    if (me == 0) {
      world.recv(word, 1, 1);  // Rank 1 has called this one.
      auto from_one = world.irecv(word, 1, 2);
      cut(one, true);
      cut(env.transport().endpoint(), true);
      std::error_code ec;
      from_one.wait(ec);
      if (ec != mpx::errc::peer_lost) failed[0] = "a receive: " + ec.message();
      world.send(word, 1, 3, ec);
      if (ec != mpx::errc::peer_lost) failed[0] = "a send: " + ec.message();
      world.send(word, 2, 4);
    } else if (me == 1) {
      one = env.transport().endpoint();
      world.send(word, 0, 1);
      std::error_code ec;
      world.recv(word, 0, 2, ec);
      if (ec != mpx::errc::peer_lost) failed[1] = "a receive: " + ec.message();
      world.send(word, 2, 5);
    } else {
      world.recv(word, 0, 4);
      world.recv(word, 1, 5);
      if (word != 1) failed[2] = "a wrong word";
    }
  };
  in_threads(failed, rank);
  ::unsetenv("MPX_TCP_INTERFACE");
  for (const std::string& what : failed) CHECK(what == "");
}

TEST_CASE("tcp: long messages that are posted in a row leave together") {
  ::setenv("MPX_TCP_INTERFACE", "127.0.0.1", 1);
  minimal_job job(2);
  std::string failed[2];
  constexpr std::size_t window = 16;
  const auto rank = [&](mpx::rank_t me) {
    mpx::environment<stack> env(minimal(job, me));
    auto world = env.world();
    std::vector<std::vector<int>> buffers(window, std::vector<int>(16 * 1024));
    std::uint64_t fewest = 1000;
    for (int round = 0; round < 5; ++round) {
      const std::uint64_t before = env.transport().counters().writes;
      std::vector<mpx::request<stack>> all;
      for (std::size_t i = 0; i < window; ++i) {
        auto& b = buffers[i];
        if (me == 0) std::fill(b.begin(), b.end(), round * 100 + static_cast<int>(i));
        all.push_back(me == 0 ? world.isend(b, 1, 1) : world.irecv(b, 0, 1));
      }
      mpx::wait_all(all);
      for (std::size_t i = 0; i < window; ++i)
        if (buffers[i].back() != round * 100 + static_cast<int>(i)) failed[me] = "a wrong message";
      fewest = std::min(fewest, env.transport().counters().writes - before);
      world.barrier();
    }
    // Two alone, then four by four; more where the kernel had no room.
    if (me == 0 && fewest > 10) failed[0] = std::to_string(fewest) + " writes";
    // One that is alone does not wait for others.
    const std::uint64_t before = env.transport().counters().writes;
    if (me == 0) {
      auto r = world.isend(buffers[0], 1, 2);
      if (env.transport().counters().writes == before) failed[0] = "it waits";
      r.wait();
    } else {
      world.recv(buffers[0], 0, 2);
    }
  };
  in_threads(failed, rank);
  ::unsetenv("MPX_TCP_INTERFACE");
  for (const std::string& what : failed) CHECK(what == "");
}

}  // namespace
