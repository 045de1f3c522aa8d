// SPDX-License-Identifier: BSL-1.0
// sanitizers: none
// optimise: yes
// A live peer that is given up in the middle of a long write, which it does not notice before the
// write is over: the memory of the receive that has failed is the program's, and stays as it is.

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "comm/ranks.hpp"

namespace {

constexpr std::size_t written_bytes = std::size_t{64} << 20;
constexpr std::size_t written_page = 4096;

template <bool SurvivesRefusals>
using writing = mpx::stack<mpx::transport::basic_rdma<mpx::nic::basic_via<mpx::nic::via_options{
                                                          .survives_refusals = SurvivesRefusals}>,
                                                      32 * 1024, 40>,
                           ranks::long_by<mpx::long_path::put>>;

}  // namespace

TEST_CASE_TEMPLATE("a peer that is given up does not write on", Stack, writing<false>,
                   writing<true>) {
  const ranks::watchdog guard("a peer that is given up", std::chrono::seconds(60));
  std::atomic<int> step{0};
  ranks::run<Stack>(2, [&step](mpx::environment<Stack>& env) {
    auto world = env.world();
    const auto until = [&step](int n) {
      while (step < n) std::this_thread::yield();
    };
    std::error_code ec;
    world.barrier();
    if (world.rank() == 1) {
      const std::vector<std::byte> all(written_bytes, std::byte{1});
      auto sending = world.isend(all, 0, 1);
      world.send(1, 0, 2);
      until(1);
      const mpx::wire::header nonsense{.kind = static_cast<mpx::wire::kind>(77)};
      CHECK(env.transport().post(0, mpx::wire::pack(nonsense), {}, 0) == mpx::outcome::done);
      step = 2;
      static_cast<void>(sending.test(ec));  // Writes all of it.
      until(3);
      while (!sending.test(ec)) {
      }
      return;
    }
    world.template recv<int>(1, 2);
    auto memory = env.template allocator<std::byte>();  // Which stays registered.
    std::byte* const at = memory.allocate(written_bytes);
    std::memset(at, 0, written_bytes);
    auto receiving = world.irecv(std::span<std::byte>(at, written_bytes), 1, 1);
    step = 1;
    until(2);
    while (std::atomic_ref<std::byte>(*at).load() == std::byte{}) {
    }
    while (!receiving.test(ec)) {
    }
    const auto written = [at] {
      std::size_t n = 0;
      for (std::size_t i = 0; i < written_bytes; i += written_page)
        n += std::atomic_ref<std::byte>(at[i]).load() != std::byte{} ? 1 : 0;
      return n;
    };
    const std::size_t then = written();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const std::size_t later = written();
    step = 3;
    if (ec) CHECK(then == later);  // Else it was over before the nonsense was read.
    memory.deallocate(at, written_bytes);
  });
}
