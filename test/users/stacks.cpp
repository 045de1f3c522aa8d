// SPDX-License-Identifier: BSL-1.0
// A user's program of two ranks over stacks that headers with further libraries give it, and over
// policies that are not the default ones. Compiled as node.cpp is.
#include <cstdio>
#include <functional>
#include <system_error>
#include <thread>
#include <vector>

#include <mpx/attributes.hpp>
#include <mpx/bootstrap/pmi1.hpp>
#include <mpx/checks.hpp>
#include <mpx/coroutine.hpp>
#include <mpx/intercommunicator.hpp>
#include <mpx/mpx.hpp>
#include <mpx/partitioned.hpp>
#include <mpx/portals.hpp>
#include <mpx/rdma.hpp>
#include <mpx/rma.hpp>
#include <mpx/topology.hpp>
#include <mpx/transport/rdma/via.hpp>
#if __has_include(<boost/pfr.hpp>)
#include <mpx/datatype.hpp>
#endif

#ifdef MPX_USERS_TCP
#include <mpx/cluster.hpp>
#include <mpx/transport/tcp_streams.hpp>
#endif
#ifdef MPX_USERS_TLS
#include <mpx/tls.hpp>
#endif
#ifdef MPX_USERS_SIM
#include <mpx/sim.hpp>
#endif
#ifdef MPX_USERS_ASIO
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <mpx/asio.hpp>
#endif
#ifdef MPX_USERS_PMIX
#include <mpx/bootstrap/pmix.hpp>
#endif
#ifdef MPX_USERS_LIBFABRIC
#include <mpx/transport/rdma/libfabric.hpp>
#endif

namespace {

int failures = 0;

void check(bool as_expected, const char* what) {
  if (as_expected) return;
  std::fprintf(stderr, "failed: %s\n", what);
  ++failures;
}

template <class World>
void use(const World& world) {
  const int other = world.size() - 1 - world.rank();
  std::vector<int> sent(50'000, world.rank()), received(50'000);
  auto sending = world.isend(sent, other, 1);
  world.recv(received, other, 1);
  sending.wait();
  check(received[1] == other, "a long message");
  check(world.allreduce(1, std::plus<>{}) == world.size(), "allreduce");
}

template <class World>
void access(const World& world) {
  const int other = world.size() - 1 - world.rank();
  auto window = mpx::allocate_window<long>(world, 4);
  window.fence();
  window.put(5L, other, 1);
  window.fence();
  check(window.local()[1] == 5, "put");
  window.free();
}

template <class Stack>
void join() {
  mpx::environment<Stack> env;
  use(env.world());
}

using careful = mpx::stack<mpx::threading::multiple, mpx::matching::list, mpx::checks::all,
                           mpx::trace::counters, mpx::waiting::sleep>;

}  // namespace

int main() {
  {
    mpx::environment<careful> env;
    auto world = env.world();
    std::thread([&] { use(world); }).join();
    access(world);
  }
  join<mpx::rdma_stack<mpx::nic::via>>();
#ifdef MPX_USERS_TCP
  {
    mpx::environment<mpx::cluster_stack> env;
    use(env.world());
    access(env.world());
  }
  {
    std::error_code ec;
    auto env = mpx::join<mpx::stack<mpx::transport::tcp_streams<2>, mpx::tcp_protocol>>(ec);
    check(env.has_value() && !ec, "join");
    if (env) use(env->world());
  }
#endif
#ifdef MPX_USERS_TLS
  static_assert(sizeof(mpx::environment<mpx::tls_stack>) > 0);
#endif
#ifdef MPX_USERS_SIM
  mpx::sim::run(8, mpx::sim::loggp{}, 1, [](auto world) { use(world); });
#endif
#ifdef MPX_USERS_ASIO
  {
    mpx::environment<> env;
    auto world = env.world();
    boost::asio::io_context io;
    const mpx::asio_service<> service(env, io.get_executor());
    int word = world.rank() == 0 ? 42 : 0;
    world.bcast(word, 0, service.throwing(boost::asio::detached));
    io.run();
    check(word == 42, "asio");
  }
#endif
#ifdef MPX_USERS_PMIX
  static_assert(mpx::Bootstrap<mpx::bootstrap::pmix>);
#endif
#ifdef MPX_USERS_LIBFABRIC
  static_assert(mpx::Nic<mpx::nic::libfabric>);
#endif
  return failures == 0 ? 0 : 1;
}
