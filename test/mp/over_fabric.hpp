// SPDX-License-Identifier: BSL-1.0
#pragma once
// Traffic of ranks on pretended hosts over transport hybrid with RMA on both sides.

#include <algorithm>
#include <functional>
#include <mpx/rma.hpp>
#include <numeric>
#include <vector>

#include "mp/harness.hpp"

namespace over_fabric {

/// Messages of every protocol, from ordinary memory and from the allocator's, to all ranks; some
/// are truncated, some receives are dropped.
template <class Environment>
void exchange(Environment& env) {
  auto world = env.world();
  const int n = world.size();
  const int me = world.rank();
  for (const std::size_t words : {1u, 1000u, 30'000u, 500'000u}) {
    std::vector<int> own(words);
    std::iota(own.begin(), own.end(), me);
    std::vector<int, mpx::allocator<int>> lent(words, env.template allocator<int>());
    std::copy(own.begin(), own.end(), lent.begin());
    for (int k = 0; k < n; ++k) {
      const int to = (me + k) % n;
      const int from = (me + n - k) % n;
      std::vector<int> got(words, -1);
      std::vector<int, mpx::allocator<int>> got_lent(words, -1, env.template allocator<int>());
      std::vector<int> less(words / 2 + 1, -1);
      auto first = world.irecv(got, from, 1);
      auto second = world.irecv(got_lent, from, 2);
      auto cut = world.irecv(less, from, 3);
      auto out1 = world.isend(own, to, 1);
      auto out2 = world.isend(lent, to, 2);
      auto out3 = world.isend(own, to, 3);
      first.wait();
      second.wait();
      std::error_code ec;
      cut.wait(ec);
      harness::check(words < 2 ? !ec : ec == mpx::errc::truncate, "a message was not cut");
      for (auto* out : {&out1, &out2, &out3}) out->wait();
      for (std::size_t i = 0; i < words; ++i)
        harness::check(got[i] == from + static_cast<int>(i) && got_lent[i] == got[i],
                       "a wrong word");
      {
        const auto dropped = world.irecv(got, from, 4);
      }
      auto last = world.irecv(got, from, 5);
      world.send(own, to, 5);
      last.wait();
    }
  }
  world.barrier();
  bool has_far = false;
  for (int r = 0; r < n; ++r) has_far = has_far || !env.transport().is_near(mpx::world_peer(r));
  const auto& used = env.transport().far().registrations();
  harness::check(has_far == (used.hits + used.misses != 0), "long messages go past the card");
}

/// A window that each rank's neighbours put into, get from, and count in, by every protocol.
template <class Environment>
void access(Environment& env) {
  auto world = env.world();
  const auto n = static_cast<std::size_t>(world.size());
  const auto me = static_cast<std::size_t>(world.rank());
  constexpr std::size_t part = 20'000;
  using mpx::rma::protocol;
  for (const protocol by : {protocol::automatic, protocol::buffered, protocol::rdma}) {
    auto w = mpx::allocate_window<long>(world, part * n + 1, by);
    {
      w.fence();
      std::vector<long> own(part);
      std::iota(own.begin(), own.end(), static_cast<long>(me) * 1000);
      for (std::size_t r = 0; r < n; ++r)
        w.put(own, static_cast<mpx::rank_t>(r), static_cast<std::size_t>(part * me));
      w.fence();
      std::vector<long> back(part);
      for (std::size_t r = 0; r < n; ++r) {
        w.get(back, static_cast<mpx::rank_t>((me + 1) % n), static_cast<std::size_t>(part * r));
        w.fence();
        for (std::size_t i = 0; i < part; ++i)
          harness::check(back[i] == static_cast<long>(r) * 1000 + static_cast<long>(i),
                         "a wrong word in a window");
      }
      for (std::size_t r = 0; r < n; ++r)
        w.accumulate(1L, static_cast<mpx::rank_t>(r), part * n, mpx::sum);
      w.fence();
    }
    world.barrier();
    long count = 0;
    {
      auto e = w.lock(static_cast<mpx::rank_t>(me));
      w.get(count, static_cast<mpx::rank_t>(me), part * n);
      e.unlock();
    }
    harness::check(count == static_cast<long>(n), "a wrong count in a window");
    w.free();
  }
}

template <class Environment>
void run(Environment& env) {
  exchange(env);
  access(env);
}

}  // namespace over_fabric
