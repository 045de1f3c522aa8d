// SPDX-License-Identifier: BSL-1.0
// timeout: 120
// Whole jobs over sockets whose launcher knows nothing of the living and the dead: what breaks is
// told by the transport.

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <mpx/cluster.hpp>
#include <thread>

#include "bootstrap/minimal.hpp"
#include "core/errc_of.hpp"

namespace {

using bootstrap_contract::minimal;
using bootstrap_contract::minimal_job;
using stack = mpx::stack<mpx::transport::tcp, minimal>;

/// Cuts every connection of this process to what listens there.
void cut(const mpx::transport::detail::tcp_endpoint& listener) {
  for (int fd = 3; fd < 1024; ++fd) {
    sockaddr_in at{};
    socklen_t bytes = sizeof at;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&at), &bytes) != 0) continue;
    if (at.sin_family == AF_INET && ntohs(at.sin_port) == listener.port())
      ::shutdown(fd, SHUT_RDWR);
  }
}

TEST_CASE("tcp: a connection that breaks is the loss of its peer, and of nobody else") {
  ::setenv("MPX_TCP_INTERFACE", "127.0.0.1", 1);
  minimal_job job(3);
  std::string failed[3];
  const auto rank = [&](mpx::rank_t me) {
    mpx::environment<stack> env(minimal(job, me));
    auto world = env.world();
    int word = me;
    if (me == 0) {
      world.recv(word, 1, 1);  // Rank 1 has called this one.
      auto from_one = world.irecv(word, 1, 2);
      cut(env.transport().endpoint());
      std::error_code ec;
      from_one.wait(ec);
      if (ec != mpx::errc::peer_lost) failed[0] = "a receive: " + ec.message();
      world.send(word, 1, 3, ec);
      if (ec != mpx::errc::peer_lost) failed[0] = "a send: " + ec.message();
      world.send(word, 2, 4);
    } else if (me == 1) {
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
  {
    std::vector<std::jthread> threads;
    for (mpx::rank_t r = 0; r < 3; ++r)
      threads.emplace_back([&, r] {
        try {
          rank(r);
        } catch (const std::exception& e) {
          failed[r] = e.what();
        }
      });
  }
  ::unsetenv("MPX_TCP_INTERFACE");
  for (const std::string& what : failed) CHECK(what == "");
}

}  // namespace
