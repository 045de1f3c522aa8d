// SPDX-License-Identifier: BSL-1.0
// own_headers: yes
// Each allocation fails once while ranks connect over transport rdma: the caller gets an error, or
// does without; no rank waits for ever for data that was sent, and nothing leaks.

#include "scarce.hpp"

#include <doctest/doctest.h>

#include <mpx/sim.hpp>
#include <mpx/transport/rdma.hpp>
#include <mpx/transport/rdma/sim.hpp>
#include <string>

namespace {

using mpx::errc;
using mpx::nic::sim_options;
using scarce::memory;

constexpr sim_options few{.registered_bytes_max = 128 * 1024,
                          .transfer_bytes_max = 700,
                          .receive_depth = 8,
                          .reads = false,
                          .survives_refusals = false};
using stack =
    mpx::stack<mpx::transport::basic_rdma<mpx::nic::basic_sim<few>, 2048, 8, 488, 488, 16 * 1024>,
               mpx::waiting::sleep,
               mpx::protocol::tiny_short_long<40, 400, mpx::long_path::put, 488>>;

/// Repeats a call that has failed.
template <class F>
auto again(F f) {
  try {
    return f();
  } catch (const mpx::error& e) {
    if (e.code() != errc::no_resources) throw;
  }
  return f();
}

struct verdict {
  std::string wrong;
  std::uint64_t asked = 0;
  int told = 0;  // Ranks that have got all messages.
};

/// All ranks send to all others in turn; allocation `refused` fails.
verdict play(mpx::rank_t ranks, std::uint64_t refused) {
  const std::int64_t held = memory().held;
  verdict v;
  {
    const scarce::refusing one(refused, refused);
    const auto all = mpx::sim::try_run<stack>(
        ranks, mpx::sim::loggp{.jitter_ns = 3000}, 1, [&](mpx::communicator<stack> world) {
          const int own = world.rank();
          const int n = world.size();
          for (int step = 1; step < n; ++step) {  // The first sender's peer has no link.
            int in = -1;
            auto receiving = again([&] { return world.irecv(in, (own + n - step) % n); });
            again([&] { return world.isend(own, (own + step) % n); }).wait();
            receiving.wait();
            if (in != (own + n - step) % n) v.wrong = "a message is wrong";
          }
          ++v.told;
        });
    v.asked = memory().asked;
    if (!all.stuck.empty()) v.wrong = all.stuck;
  }
  if (v.wrong.empty() && memory().held != held)
    v.wrong = std::to_string(memory().held - held) + " allocations are not given back";
  return v;
}

TEST_CASE("rdma over sim: each allocation fails once while ranks connect") {
  for (const mpx::rank_t ranks : {2, 3, 4}) {
    CAPTURE(ranks);
    const verdict clean = play(ranks, scarce::never);
    REQUIRE(clean.wrong == "");
    REQUIRE(clean.told == ranks);
    int unharmed = 0;
    for (std::uint64_t n = 0; n < clean.asked; ++n) {
      CAPTURE(n);
      const verdict v = play(ranks, n);
      CHECK(v.wrong == "");
      unharmed += v.told == ranks ? 1 : 0;
    }
    MESSAGE(ranks << " ranks: " << unharmed << " of " << clean.asked << " runs unharmed");
    CHECK(unharmed >= ranks * (ranks + 1));  // Without memory it answers later.
  }
}

}  // namespace
