// SPDX-License-Identifier: BSL-1.0
// A user's program of two ranks, of all headers that need no further library: compiled by each
// compiler that mpx supports with the flags that users have (tools/check_compilers.py).
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <mpx/attributes.hpp>
#include <mpx/coroutine.hpp>
#include <mpx/intercommunicator.hpp>
#include <mpx/mpx.hpp>
#include <mpx/partitioned.hpp>
#include <mpx/rma.hpp>
#include <mpx/topology.hpp>
#if __has_include(<boost/pfr.hpp>)
#include <mpx/datatype.hpp>
#endif

namespace {

int failures = 0;

void check(bool as_expected, const char* what) {
  if (as_expected) return;
  std::fprintf(stderr, "failed: %s\n", what);
  ++failures;
}

struct particle {
  double position[3];
  int kind;
};

template <class World>
void talk(World& world) {
  const int other = 1 - world.rank();
  std::vector<double> sent(20'000, world.rank()), received(20'000);
  world.sendrecv(sent, other, 1, received, other, 1);
  check(received[7] == other, "sendrecv");

  particle one{{1, 2, 3}, world.rank()};
  auto receiving = world.irecv(received, other, 2);
  auto sending = world.isend(sent, other, 2);
  mpx::wait_all(receiving, sending);
  std::error_code ec;
  auto mine = world.send(one, other, 3, mpx::start);
  const mpx::status got = world.recv(one, mpx::any_source, mpx::any_tag, ec);
  mine.wait();
  check(!ec && got.source() == other && one.kind == other, "structs");

  std::vector<mpx::request<typename World::stack_type>> halo;
  int left = 0, right = world.rank();
  halo.push_back(world.recv_init(left, other, 4));
  halo.push_back(world.send_init(right, other, 4));
  for (int step = 0; step < 3; ++step) {
    mpx::start_all(halo);
    mpx::wait_all(halo);
  }
  check(left == other, "persistent requests");

  world.send(std::string("four"), world.rank(), 5);
  auto message = world.mprobe(world.rank(), 5);
  std::string text(message.info().bytes(), '-');
  message.recv(text);
  check(text == "four" && !world.iprobe(other, 6), "probes");
  auto [generalized, completer] = world.generalized();
  completer.complete(8);
  generalized.wait();
}

template <class World>
void gather(World& world) {
  const int size = world.size();
  double field[4] = {1, 2, 3, 4};
  world.bcast(field, 0);
  check(world.allreduce(world.rank() + 1, std::plus<>{}) == 3, "allreduce");
  const auto worst =
      world.allreduce(mpx::located<double>{0.5 + world.rank(), world.rank()}, mpx::maxloc);
  check(worst.index == 1, "maxloc");
  check(world.allreduce(std::complex<double>(0, 1), mpx::sum).imag() == size, "complex");
  const std::vector<int> own(static_cast<std::size_t>(world.rank() + 1), world.rank());
  const std::vector<int> all = world.gatherv(own, 0);
  check(world.rank() != 0 || all.size() == 3, "gatherv");
  check(world.allgather(world.rank()).back() == size - 1, "allgather");
  std::vector<int> out(2, world.rank()), in(2);
  world.alltoall(out, in);
  check(in[1] == 1, "alltoall");
  auto started = world.iallreduce(in, mpx::max);
  started.wait();
  auto again = world.bcast(in, 0, mpx::prepare);
  again.start();
  again.wait();
  check(world.exscan(1, mpx::sum) == 1 || world.rank() == 0, "exscan");
  auto half = world.split(world.rank(), 0);
  half.barrier();
  half.free();
  auto copy = world.dup();
  copy.free();
}

void access(mpx::communicator<>& world) {
  const int other = 1 - world.rank();
  auto window = mpx::allocate_window<double>(world, 64);
  window.fence();
  window.put(1.5, other, 3);
  window.accumulate(std::array{1.0, 2.0}, other, 8, mpx::sum);
  window.fence();
  check(window.local()[3] == 1.5 && window.local()[9] == 2, "put and accumulate");
  {
    auto epoch = window.lock_all();
    double was = 0;
    window.fetch_and_op(1.0, was, other, 5, mpx::sum);
    window.flush(other);
    auto element = window.at(other, 6);
    element = 4;
    element += 1;
    window.flush(other);
    check(element.load() == 5, "references");
  }
  world.barrier();
  window.free();

  std::vector<std::int64_t> memory(8);
  auto over = mpx::window_over(world, std::span(memory));
  over.fence();
  over.put<mpx::rma::protocol::buffered>(std::int64_t{7}, other, 1);
  over.fence();
  check(memory[1] == 7, "window_over");
  {
    auto epoch = over.lock(other);
    std::int64_t was = -1;
    over.compare_and_swap(std::int64_t{0}, std::int64_t{9}, was, other, 2);
    over.flush(other);
    check(was == 0, "compare_and_swap");
  }
  world.barrier();
  over.free();
}

void arrange(mpx::communicator<>& world) {
  const int other = 1 - world.rank();
  const auto dims = mpx::dims_create<2>(world.size());
  const auto grid = mpx::cart_create(world, {{dims[0], true}, {dims[1], false}}, mpx::reorder);
  const auto [above, below] = grid.shift(0);
  check(above == below && grid.neighbor_allgather(grid.rank()).size() == 4, "a grid");

  std::vector<double> parts(100, world.rank());
  if (world.rank() == 0) {
    auto send = mpx::psend_init(world, parts, 4, 1);
    send.start();
    for (std::size_t i = 0; i < 4; ++i) mpx::pready(send, i);
    send.wait();
  } else {
    auto receive = mpx::precv_init(world, parts, 2, 0);
    receive.start();
    receive.wait();
    check(parts[99] == 0, "a partitioned message");
  }

  const mpx::attribute_key<std::string> key;
  key.set(world, "of the world");
  check(key.get(world) != nullptr, "an attribute");
  auto self = world.split(world.rank(), 0);
  auto inter = mpx::intercommunicator<>::connect(self, 0, world, other);
  check(inter.remote_size() == 1, "an intercommunicator");

#if __has_include(<boost/pfr.hpp>)
  std::vector<double> numbers(20, world.rank());
  auto matrix = mpx::matrix(numbers.data(), 4, 5);
  const auto halo = mpx::datatype::indexed({1, 2}, {0, 4}, mpx::datatype::of<double>());
  auto sending = world.isend(mpx::column(matrix, 1), other, 21);
  world.recv(mpx::sub_block(matrix, {0, 0}, {4, 1}), other, 21);
  sending.wait();
  check(numbers[5] == other, "a column");
  world.bcast(mpx::buffer(numbers.data(), 1, halo), 0);
  world.allreduce(mpx::column(matrix, 2), std::plus<>{});
  check(numbers[2] == 1, "a reduction of a column");
#endif
}

mpx::task<int> ask(mpx::communicator<> world, int other) {
  const int question = world.rank();
  int answer = -1;
  auto receive = world.irecv(answer, other, 31);
  co_await world.isend(question, other, 31);
  co_await receive;
  co_return answer;
}

}  // namespace

int main() {
  {
    mpx::environment<> env;
    auto world = env.world();
    check(world.size() == 2, "two ranks");
    if (world.size() != 2) return 1;
    std::vector<double, mpx::allocator<double>> shared(100, env.allocator<double>());
    talk(world);
    gather(world);
    access(world);
    arrange(world);
    mpx::task_loop loop(world);
    check(loop.run(ask(world, 1 - world.rank())) == 1 - world.rank(), "a coroutine");
    try {
      world.send(1, 9);
      check(false, "an error");
    } catch (const mpx::error& e) {
      check(e.code() == mpx::errc::rank, "its code");
    }
  }
  mpx::run_threads<mpx::stack<mpx::transport::inproc>>(2, [](auto world) { world.barrier(); });
  return failures == 0 ? 0 : 1;
}
