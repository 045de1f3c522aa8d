// SPDX-License-Identifier: BSL-1.0
#pragma once
// Processes make communicators, groups and intercommunicators of each other, agree, revoke, shrink.

#include <functional>
#include <mpx/attributes.hpp>
#include <mpx/intercommunicator.hpp>
#include <mpx/mpx.hpp>

#include "mp/harness.hpp"

namespace groups {

using harness::check;

template <class Stack>
void together(const mpx::communicator<Stack>& world, int rounds) {
  const mpx::rank_t n = world.size();
  const mpx::rank_t me = world.rank();
  for (int round = 0; round < rounds; ++round) {
    mpx::scoped_communicator part(world.split(me % 2, round % 3 == 0 ? -me : me));
    check(part->allreduce(1, std::plus<>{}) == (n + 1 - me % 2) / 2, "the size of a part");
    mpx::scoped_communicator twin(part->dup());
    int x = 0;
    const mpx::rank_t next = (twin->rank() + 1) % twin->size();
    twin->sendrecv(part->rank(), next, 1, x, mpx::any_source, 1);
    check(x == (twin->rank() + twin->size() - 1) % twin->size(), "data from the left");
  }
  auto here = world.split(mpx::split_by::shared_memory);
  using transport = typename Stack::transport_type;
  constexpr bool share = mpx::shares_windows<transport>;
  if constexpr (!mpx::NearFarTransport<transport>)  // Else it depends on the hosts.
    check(here.size() == (share ? n : 1), "all are on one machine");
  set_info(here, {});
  if (n > 1) {
    const bool low = me < n / 2;
    auto half = world.split(low ? 0 : 1);
    auto inter = mpx::intercommunicator<Stack>::connect(half, 0, world, low ? n / 2 : 0);
    check(inter.allreduce(1, std::plus<>{}) == inter.remote_size(),
          "an allreduce of an intercommunicator");
    auto all = inter.merge(!low);
    check(all.compare(world) == mpx::comparison::congruent, "merged in order");
    inter.free();
    all.free();
  }
  here.free();
}

template <class Stack>
void run(mpx::communicator<Stack> world, int rounds = 200) {
  together(world, rounds);
  const auto all = world.agree(~(1 << world.rank()));
  check(all.value == ~((1 << world.size()) - 1) && all.failed.size() == 0, "all agree");
  auto second = world.dup();
  if (world.rank() == world.size() - 1) second.revoke();
  while (!second.is_revoked()) {
  }
  auto again = second.shrink();
  second.free();
  check(again.allreduce(1, std::plus<>{}) == world.size(), "a sum after a revocation");
}

}  // namespace groups
