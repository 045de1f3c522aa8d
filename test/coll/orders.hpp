// SPDX-License-Identifier: BSL-1.0
#pragma once
// Many collectives at once, on several communicators, which every rank starts in an order of its
// own, with messages in between: none of them is mixed up or lost.

#include <mpx/bootstrap/detail/sim_random.hpp>

#include "comm/ranks.hpp"

namespace orders {

/// One started call on one communicator, and what must come of it.
template <class Comm>
struct call {
  const Comm* on;
  int kind;
  int id;
  std::size_t length;
  std::vector<int> in{};
  std::vector<int> out{};
  mpx::request<typename Comm::stack_type> request{};

  mpx::rank_t root() const { return id % on->size(); }
  int value(mpx::rank_t r, std::size_t i) const {
    return id * 1000 + r * 10 + static_cast<int>(i % 7);
  }
  void start() {
    const auto n = static_cast<std::size_t>(on->size());
    in.resize(kind == 3 ? length * n : length);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = value(on->rank(), i);
    out.assign(kind == 2 || kind == 3 ? length * n : length, -1);
    switch (kind) {
      case 0: request = on->allreduce(in, out, std::plus<>{}, mpx::start); return;
      case 1:
        if (on->rank() == root()) out = in;
        request = on->bcast(out, root(), mpx::start);
        return;
      case 2: request = on->allgather(in, out, mpx::start); return;
      case 3: request = on->alltoall(in, out, mpx::start); return;
      case 4: request = on->reduce(in, out, std::plus<>{}, root(), mpx::start); return;
      default: request = on->barrier(mpx::start);
    }
  }
  bool right() const {
    const auto me = static_cast<std::size_t>(on->rank());
    bool all = true;
    for (std::size_t i = 0; i < out.size() && kind < 5; ++i) {
      int wanted = 0;
      if (kind == 0 || kind == 4)
        for (mpx::rank_t r = 0; r < on->size(); ++r) wanted += value(r, i);
      if (kind == 4 && on->rank() != root()) continue;
      if (kind == 1) wanted = value(root(), i);
      if (kind == 2) wanted = value(static_cast<mpx::rank_t>(i / length), i % length);
      if (kind == 3) wanted = value(static_cast<mpx::rank_t>(i / length), me * length + i % length);
      all = all && out[i] == wanted;
    }
    return all;
  }
};

/// `skew(r)`: this rank is late, by what `r` draws.
template <class Comm, class Skew>
void start_in_any(const Comm& world, std::uint64_t seed, Skew skew) {
  const mpx::rank_t n = world.size();
  const mpx::rank_t me = world.rank();
  const Comm comms[] = {world, world.dup(), world.split(me % 2, -me)};
  mpx::sim::random plan(seed);                                       // The same everywhere,
  mpx::sim::random own(seed * 64 + static_cast<std::uint64_t>(me));  // and not.
  for (int round = 0; round < 4; ++round) {
    std::vector<call<Comm>> all[3];
    constexpr std::size_t each = 12;
    for (int c = 0; c < 3; ++c)
      for (std::size_t i = 0; i < each; ++i) {
        const std::size_t lengths[] = {1, 3, 40, 2000 + static_cast<std::size_t>(plan.below(3000))};
        const auto kind = static_cast<int>(plan.below(6));
        const int id = round * 100 + c * 30 + static_cast<int>(i);
        all[c].push_back({&comms[c], kind, id, lengths[plan.below(4)]});
      }
    std::size_t next[3] = {};
    std::vector<std::pair<std::size_t, std::size_t>> started;
    std::vector<int> from_left(3 * each, -1);
    std::vector<mpx::request<typename Comm::stack_type>> messages;
    for (std::size_t step = 0; step < 3 * each; ++step) {
      auto c = static_cast<std::size_t>(own.below(3));
      while (next[c] == each) c = (c + 1) % 3;
      all[c][next[c]].start();
      started.push_back({c, next[c]++});
      // Messages, with wildcards that must not see what collectives send.
      const auto tag = static_cast<mpx::tag_t>(step);
      const int mine = me * 1000 + static_cast<int>(step);
      if (step % 4 == 3) {  // This one blocks.
        world.sendrecv(mine, (me + 1) % n, tag, from_left[step], (me + n - 1) % n, tag);
      } else {
        messages.push_back(comms[1].irecv(from_left[step], mpx::any_source, tag));
        comms[1].send(mine, (me + 1) % n, tag);
      }
      if (own.one_in(8)) skew(own);
      if (own.one_in(4)) {
        const auto& [on, which] = started[own.below(started.size())];
        (void)all[on][which].request.test();
      }
    }
    for (std::size_t i = started.size(); i > 1; --i)
      std::swap(started[i - 1], started[own.below(i)]);
    bool right = true;
    for (const auto& [c, which] : started) {
      if (all[c][which].request) all[c][which].request.wait();
      right = right && all[c][which].right();
    }
    mpx::wait_all(messages);
    for (std::size_t step = 0; step < from_left.size(); ++step)
      right = right && from_left[step] == (me + n - 1) % n * 1000 + static_cast<int>(step);
    CHECK(right);
  }
  for (const Comm& c : comms) CHECK(!c.iprobe());
}

/// Runs two prepared calls beside each other; `other` is started first if `reversed`.
template <class Request>
void run_both(Request& one, Request& other, bool reversed) {
  (reversed ? other : one).start();
  (reversed ? one : other).start();
  one.wait();
  other.wait();
}

}  // namespace orders
