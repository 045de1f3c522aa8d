// SPDX-License-Identifier: BSL-1.0
// A plugin: uses the communicator of its host in every way that leaves something behind, hands some
// operations over, and is unloaded.

#include <mpx/datatype.hpp>
#include <mpx/intercommunicator.hpp>
#include <mpx/partitioned.hpp>
#include <mpx/rma.hpp>
#include <mpx/topology.hpp>
#include <span>

#include "objects.hpp"

namespace {

void use_messages(const objects::world& world, int other) {
  std::vector<int> in(4), out(4, world.rank());
  auto persistent = world.recv_init(in, other, 2);
  persistent.start();
  auto all = mpx::all_of(world.isend(out, other, 2), world.isend(out, other, 6));
  persistent.wait();
  world.recv(in, other, 6);
  all.wait();
  MPX_TEST_REQUIRE(in[3] == other);
  world.bsend(out, other, 3);
  world.recv(in, other, 3);

  // A column as it lies, which leaves from there.
  std::vector<int> matrix(16, other), column(4);
  auto strided = world.isend(mpx::strided(matrix.data(), 4, 4), other, 4);
  world.recv(column, other, 4);
  strided.wait();
  MPX_TEST_REQUIRE(column[3] == world.rank());

  std::vector<int> parts_out(8, other), parts_in(8);
  auto psend = mpx::psend_init(world, parts_out, 2, other, 5);
  auto precv = mpx::precv_init(world, parts_in, 2, other, 5);
  psend.start();
  precv.start();
  mpx::pready(psend, 0);
  mpx::pready(psend, 1);
  precv.wait();
  psend.wait();
  MPX_TEST_REQUIRE(parts_in[7] == world.rank());
}

void use_collectives(const objects::world& world) {
  int sum = 0;
  world.iallreduce(1, sum, [](int a, int b) { return a + b; }).wait();
  MPX_TEST_REQUIRE(sum == 2);
  std::vector<int> one(1, world.rank()), all(2);
  auto again = world.allgather_init(one, all);
  for (int i = 0; i < 3; ++i) {
    again.start();
    again.wait();
  }
  MPX_TEST_REQUIRE(all[1] == 1);
  auto dup = world.dup();
  dup.set_name("of the plugin");
  dup.barrier();
  int seven = 7;
  dup.bcast(seven, 0);
  auto half = dup.split(dup.rank(), 0);
  half.free();
  dup.free();
}

void use_windows(const objects::world& world, int other) {
  auto w = mpx::allocate_window<long>(world, 4);
  w.fence();
  w.put(other + 10L, other, 0);
  w.accumulate(1L, other, 1, mpx::sum);
  w.fence();
  w.free();
}

}  // namespace

MPX_TEST_EXPORTED void plugin_uses(mpx::environment<>& env, objects::handed_over& h) {
  const objects::world world = env.world();
  const int other = 1 - world.rank();
  std::vector<double, mpx::allocator<double>> arena(1000, 1.0, env.allocator<double>());
  use_messages(world, other);
  use_collectives(world);
  use_windows(world, other);
  world.set_error_handler(mpx::on_error::returns);

  h.receive.emplace(world.irecv(h.plain, other, 10));
  h.persistent.emplace(world.recv_init(h.again, other, 11));
  h.persistent->start();
  h.both.emplace(
      mpx::all_of(world.irecv(h.parts[0], other, 12), world.irecv(h.parts[1], other, 13)));
  h.send.emplace(world.isend(h.out, other, 14));
}
