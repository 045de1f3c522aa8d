// SPDX-License-Identifier: BSL-1.0
// Which path long messages learn to take, in virtual time: whatever the machine, a stream of them is
// not slower than over the better of the paths that a program could have insisted on.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <mpx/mpx.hpp>
#include <mpx/sim.hpp>
#include <vector>

namespace {

namespace sim = mpx::sim;

template <mpx::long_path By>
using taking = mpx::stack<mpx::transport::basic_sim<mpx::transport::sim_rma::cpu>,
                          mpx::waiting::sleep, mpx::protocol::tiny_short_long<40, 16 * 1024, By>>;

/// Virtual time of windows of messages from rank 0 to rank 1.
template <mpx::long_path By>
std::int64_t stream(const sim::loggp& model, std::size_t bytes) {
  std::int64_t took = 0;
  sim::run<taking<By>>(2, model, 1, [&](auto& env) {
    auto world = env.world();
    const std::vector<std::byte> out(bytes, std::byte{7});
    std::vector<std::byte> in(bytes);
    std::vector<mpx::request<taking<By>>> requests;
    world.barrier();
    const std::int64_t begin = env.now_ns();
    for (int window = 0; window < 12; ++window) {
      for (int i = 0; i < 64; ++i)
        requests.push_back(world.rank() == 0 ? world.isend(out, 1, 1) : world.irecv(in, 0, 1));
      mpx::wait_all(requests);
      requests.clear();
      world.barrier();
    }
    if (world.rank() == 0) took = env.now_ns() - begin;
  });
  return took;
}

}  // namespace

TEST_CASE("paths: a stream goes as fast as by the best path") {
  std::int64_t saved_most = 0;  // In percent, where both sides copy.
  for (const double gap_per_byte : {0.02, 0.1, 0.5}) {
    for (const std::int64_t overhead_ns : {50, 200, 2000}) {
      for (const std::size_t bytes : {20'000u, 65'536u, 300'000u}) {
        CAPTURE(gap_per_byte);
        CAPTURE(overhead_ns);
        CAPTURE(bytes);
        const sim::loggp model{.far = {1000, overhead_ns, overhead_ns / 2, gap_per_byte},
                               .node_size = 1,
                               .look_cost_ns = 1};
        const std::int64_t learnt = stream<mpx::long_path::automatic>(model, bytes);
        const std::int64_t known = std::min(stream<mpx::long_path::get>(model, bytes),
                                            stream<mpx::long_path::packets>(model, bytes));
        CHECK(learnt <= known * 6 / 5);  // It looks at the others now and then.
        saved_most = std::max(saved_most, 100 - 100 * learnt / known);
      }
    }
  }
  CHECK(saved_most >= 30);
}
