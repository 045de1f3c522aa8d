// SPDX-License-Identifier: BSL-1.0
// A program for nvcc of all headers that it can compile (Boost.Asio's executors it cannot), with a
// kernel. Compiled and linked where nvcc is (tools/check_compilers.py); running it takes no device.
#include <cstdio>
#include <functional>
#include <vector>

#include <mpx/attributes.hpp>
#include <mpx/bootstrap/pmi1.hpp>
#include <mpx/checks.hpp>
#include <mpx/coroutine.hpp>
#include <mpx/intercommunicator.hpp>
#include <mpx/mpx.hpp>
#include <mpx/partitioned.hpp>
#include <mpx/rdma.hpp>
#include <mpx/rma.hpp>
#include <mpx/topology.hpp>
#include <mpx/transport/rdma/via.hpp>
#if __has_include(<boost/pfr.hpp>)
#include <mpx/datatype.hpp>
#endif
#ifdef MPX_USERS_TCP
#include <mpx/cluster.hpp>
#include <mpx/transport/tcp_streams.hpp>
#endif
#ifdef MPX_USERS_TLS
#include <mpx/tls.hpp>
#endif
#ifdef MPX_USERS_SIM
#include <mpx/sim.hpp>
#endif
#ifdef MPX_USERS_LIBFABRIC
#include <mpx/transport/rdma/libfabric.hpp>
#endif

__global__ void scale(double* at, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) at[i] *= 2;
}

mpx::task<int> ask(mpx::communicator<> world) {
  int got = 0;
  co_await world.irecv(got, world.rank(), 1);
  co_return got;
}

int main() {
  mpx::environment<> env;
  auto world = env.world();
  std::vector<double> numbers(100, 1.0);
  world.send(5, world.rank(), 1);
  mpx::task_loop loop(world);
  const bool awaited = loop.run(ask(world)) == 5;
  const bool summed = world.allreduce(1, std::plus<>{}) == world.size();
  auto window = mpx::allocate_window<double>(world, 4);
  window.fence();
  window.put(1.5, world.rank(), 1);
  window.fence();
  const bool put = window.local()[1] == 1.5;
  window.free();
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) {
    double* there = nullptr;  // Messages are sent from host memory: copied there and back.
    const std::size_t bytes = numbers.size() * sizeof(double);
    cudaMalloc(&there, bytes);
    cudaMemcpy(there, numbers.data(), bytes, cudaMemcpyHostToDevice);
    scale<<<1, 128>>>(there, 100);
    cudaMemcpy(numbers.data(), there, bytes, cudaMemcpyDeviceToHost);
    cudaFree(there);
  }
  world.bcast(numbers, 0);
  return awaited && summed && put ? 0 : 1;
}
