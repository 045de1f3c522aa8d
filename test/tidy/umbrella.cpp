// SPDX-License-Identifier: BSL-1.0
// Instantiates most of mpx for clang-tidy; it is analysed, not run.
#include <array>
#include <functional>
#include <mpx/mpx.hpp>
#include <span>
#include <system_error>
#include <vector>

namespace {

template <class Communicator>
void exercise(Communicator world) {
  const mpx::rank_t next = (world.rank() + 1) % world.size();
  std::vector<double> out(1000, 1.0);
  std::vector<double> in(1000);

  std::array requests{world.irecv(std::span{in}, mpx::any_source, 7),
                      world.isend(std::span{out}, next, 7)};
  mpx::wait_all(std::span{requests});

  auto request = world.issend(out, next);
  const mpx::status probed = world.probe();
  world.recv(in, probed.source(), probed.tag());
  request.wait();

  std::error_code failure;
  world.sendrecv(std::span{out}, next, 1, std::span{in}, mpx::any_source, 1, failure);

  world.barrier();
  world.bcast(std::span{in}, 0);
  out[0] = world.allreduce(out[0], std::plus<>{});
  out[1] = world.reduce(out[1], std::plus<>{}, 0);
  world.dup().barrier();
}

}  // namespace

int main() {
  mpx::environment<> env;
  exercise(env.world());
  using threads = mpx::stack<mpx::transport::inproc>;
  mpx::run_threads<threads>(2, [](auto world) { exercise(world); });
}
