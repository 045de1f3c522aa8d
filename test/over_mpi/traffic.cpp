// SPDX-License-Identifier: BSL-1.0
// Ranks of another MPI, over its calls: the program of jobs/channel_mpi.test.py. With the argument
// "measure" two ranks print the latency and bandwidth of MPI and of mpx over it.

#include <mpi.h>
#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>
#include <mpx/transport/channel/mpi.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "mp/over_sockets.hpp"
#include "rma/programs.hpp"

namespace {

using stack =
    mpx::stack<mpx::transport::channel<mpx::device::mpi>, mpx::bootstrap::mpi,
               mpx::protocol::tiny_short_long<40, 4032, mpx::long_path::automatic, 1024 * 1024>>;

/// Microseconds of one way of a ping-pong, of the best of some batches.
template <class Send, class Receive>
double one_way_us(int rounds, Send send, Receive receive) {
  int me = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  double best = 1e9;
  for (int batch = 0; batch < 200; ++batch) {  // Short, so that other programs matter little.
    const double begin = MPI_Wtime();
    for (int i = 0; i < rounds; ++i) {
      if (me == 0) send();
      receive();
      if (me == 1) send();
    }
    best = std::min(best, (MPI_Wtime() - begin) / rounds / 2 * 1e6);
  }
  return best;
}

void measure(mpx::communicator<stack> world) {
  const int other = 1 - world.rank();
  for (const std::size_t bytes : {8u, 1024u, 16u * 1024, 256u * 1024, 4u * 1024 * 1024}) {
    std::vector<std::byte> out(bytes);
    std::vector<std::byte> in(bytes);
    const int n = static_cast<int>(bytes);
    const int rounds = bytes < 10'000 ? 200 : bytes < 1'000'000 ? 10 : 2;
    const double raw = one_way_us(
        rounds, [&] { MPI_Send(out.data(), n, MPI_BYTE, other, 0, MPI_COMM_WORLD); },
        [&] { MPI_Recv(in.data(), n, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
    const double own =
        one_way_us(rounds, [&] { world.send(out, other, 1); }, [&] { world.recv(in, other, 1); });
    if (world.rank() == 0)
      std::printf("%8zu bytes: MPI %9.2f us, mpx over it %9.2f us: %.2f times\n", bytes, raw, own,
                  own / raw);
  }
}

void exercise(mpx::communicator<stack> world) {
  over_sockets::exchange(world);
  over_sockets::flood(world);
  over_sockets::drop(world);
  for (programs::word seed = 1; seed <= 3; ++seed)
    harness::check(
        programs::play(world, seed,
                       programs::all_protocols[seed % std::size(programs::all_protocols)], false,
                       5),
        "the program of seed " + std::to_string(seed));
  const long sum = world.allreduce(static_cast<long>(world.rank()), std::plus<>{});
  if (world.rank() == 0) std::printf("%d ranks, sum %ld\n", world.size(), sum);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const harness::watchdog guard("mpi", std::chrono::seconds(100));
    for (int round = 0; round < 2; ++round) {  // One environment after the other.
      mpx::environment<stack> env;
      if (argc > 1) {
        measure(env.world());
        break;
      }
      exercise(env.world());
    }
  }
  MPI_Finalize();
}
