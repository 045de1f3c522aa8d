// SPDX-License-Identifier: BSL-1.0
// ranks: 2 3
// timeout: 110
// Ranks that are processes, over libfabric: what every card does, then messages and collectives,
// with each provider that is here, or those that are named.

#include <sys/mman.h>

#include <array>
#include <chrono>
#include <exception>
#include <functional>
#include <mpx/bootstrap/mpxrun.hpp>
#include <mpx/rdma.hpp>
#include <mpx/transport/rdma/libfabric.hpp>

#include "mp/over_sockets.hpp"
#include "transport/nic_contract.hpp"

namespace {

using namespace nic_contract;
using mpx::nic::libfabric;
using stack = mpx::rdma_stack<libfabric>;

void play(const check& what) {
  mpx::bootstrap::mpxrun me;
  card_of<libfabric> own(me);
  me.fence([] {});
  player p(own, meeting_of(me));
  what.run(p);
  p.fence();
  me.mark_finished();
}

void collect(mpx::communicator<stack> world) {
  const int n = world.size();
  for (const std::size_t words : {std::size_t{1}, std::size_t{1000}, std::size_t{200'000}}) {
    const std::vector<int> mine(words, world.rank() + 1);
    std::vector<int> sums(words);
    world.allreduce(mine, sums, std::plus<>{});
    for (const int x : sums) harness::check(x == n * (n + 1) / 2, "a wrong sum");
    std::vector<int> told(words, world.rank() == n - 1 ? 7 : 0);
    world.bcast(told, n - 1);
    for (const int x : told) harness::check(x == 7, "a wrong broadcast");
  }
  std::vector<int> all(static_cast<std::size_t>(n), -1);
  const int own = 10 * world.rank();
  world.allgather(own, all);
  for (int r = 0; r < n; ++r)
    harness::check(all[static_cast<std::size_t>(r)] == 10 * r, "a wrong gather");
}

/// Memory is freed, and mapped again at the same place, under registrations that are kept.
void remap(mpx::environment<stack>& env) {
  auto world = env.world();
  constexpr std::size_t words = 100'000;
  constexpr int rounds = 5;
  if (world.rank() > 1) return;
  void* place = nullptr;
  const std::uint64_t before = env.transport().registrations().hits;
  for (int round = 0; round < rounds; ++round) {
    place = ::mmap(place, words * sizeof(int), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | (round == 0 ? 0 : MAP_FIXED_NOREPLACE), -1, 0);
    harness::check(place != MAP_FAILED, "memory is mapped again");
    const std::span<int> data(static_cast<int*>(place), words);
    if (world.rank() == 0) {
      for (std::size_t i = 0; i < words; ++i) data[i] = static_cast<int>(i) * (round + 1);
      world.send(data, 1, round);
    } else {
      world.recv(data, 0, round);
      for (std::size_t i = 0; i < words; ++i)
        harness::check(data[i] == static_cast<int>(i) * (round + 1), "data from before");
    }
    ::munmap(place, words * sizeof(int));
  }
  if (!env.transport().card().limits().follows_memory) return;  // The provider pins pages.
  harness::check(env.transport().registrations().hits - before >= rounds - 1,
                 "a registration that follows its memory is kept");
}

}  // namespace

int main(int argc, char** argv) try {
  const harness::watchdog guard("libfabric", std::chrono::seconds(100));
  const auto ranks = static_cast<peer_id>(std::atoi(std::getenv("MPX_SIZE")));
  // "messages" behind the providers: no contract of cards.
  const bool messages_only = argc > 1 && argv[argc - 1] == std::string_view("messages");
  std::vector<const char*> providers(argv + 1, argv + argc - (messages_only ? 1 : 0));
  if (providers.empty()) providers = {"tcp;ofi_rxm", "shm", "sockets", "net"};
  for (const char* const provider : providers) {
    try {
      mpx::nic::detail::fabric_resources<mpx::nic::fabric_calls> here({.provider = provider}, 64);
    } catch (const mpx::error& e) {
      if (e.code() != mpx::errc::no_resources) throw;
      std::printf("[skip] %s\n", e.what());
      continue;
    }
    ::setenv("MPX_FABRIC_PROVIDER", provider, 1);
    if (std::string_view(provider) != "sockets" &&  // Threads have played that.
        !messages_only)
      for (const check& what : checks)
        if (what.ranks == ranks || what.ranks == 0) play(what);
    if (ranks == 1) continue;
    {
      mpx::environment<stack> env;
      over_sockets::exchange(env.world());
      over_sockets::flood(env.world());
      over_sockets::drop(env.world());
      collect(env.world());
      remap(env);
      if (provider == std::string_view("tcp;ofi_rxm")) over_sockets::idle(env.world());
      const auto& n = env.transport().counters();
      harness::check(n.puts != 0 && n.gets == 0, "nothing was put");
    }
    if (provider == std::string_view("sockets")) continue;
    ::setenv("MPX_FABRIC_READS", "1", 1);
    {
      mpx::environment<stack> env;
      over_sockets::exchange(env.world());
      over_sockets::drop(env.world());
      harness::check(env.transport().counters().gets != 0, "nothing was fetched");
    }
    ::unsetenv("MPX_FABRIC_READS");
  }
} catch (const std::exception& e) {
  harness::fail(e.what());
}
