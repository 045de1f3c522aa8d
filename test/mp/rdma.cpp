// SPDX-License-Identifier: BSL-1.0
// ranks: 1 2 3 6
// timeout: 120
// Ranks that are processes, over registered memory in software, of which there is little: 20 MB a
// rank. Six of them exchange blocks of 4 MiB all at once, where requests that hold memory while
// they wait for more would wait for ever.

#include <chrono>
#include <functional>
#include <mpx/rdma.hpp>
#include <mpx/transport/rdma/via.hpp>

#include "mp/over_sockets.hpp"

namespace {

using namespace std::chrono_literals;
using via = mpx::nic::basic_via<mpx::nic::via_options{.registered_bytes_max = 20'000'000}>;
using stack = mpx::rdma_stack<via>;

void exchange_blocks(mpx::communicator<stack> world) {
  constexpr std::size_t bytes = std::size_t{4} << 20;
  const auto n = static_cast<std::size_t>(world.size());
  std::vector<std::byte> out;
  std::vector<std::byte> in(n * bytes);
  for (std::size_t to = 0; to < n; ++to) {
    const auto block = over_sockets::message(world.rank(), to, bytes);
    out.insert(out.end(), block.begin(), block.end());
  }
  std::vector<mpx::request<stack>> all;
  for (std::size_t r = 0; r < n; ++r)
    all.push_back(
        world.irecv(std::span(in).subspan(r * bytes, bytes), static_cast<mpx::rank_t>(r), 9));
  for (std::size_t r = 0; r < n; ++r)
    all.push_back(world.isend(std::span<const std::byte>(out).subspan(r * bytes, bytes),
                              static_cast<mpx::rank_t>(r), 9));
  mpx::wait_all(all);
  for (std::size_t r = 0; r < n; ++r) {
    const auto from = static_cast<std::ptrdiff_t>(r * bytes);
    over_sockets::check({in.begin() + from, in.begin() + from + static_cast<std::ptrdiff_t>(bytes)},
                        static_cast<mpx::rank_t>(r), static_cast<std::size_t>(world.rank()), bytes);
  }
}

}  // namespace

int main() {
  const harness::watchdog guard("rdma", 100s);
  mpx::environment<stack> env;
  over_sockets::run(env.world());
  exchange_blocks(env.world());
  const auto& seen = env.transport().registrations();
  harness::check(seen.registered_bytes_max <= 20'000'000, "more was registered than may be");
  harness::check(env.transport().counters().puts != 0, "nothing was put");
  const std::uint64_t refused =
      env.world().allreduce(seen.refusals + env.transport().memory_refusals(), std::plus<>{});
  harness::check(env.world().size() < 6 || refused != 0, "the limit was never reached");
}
