// SPDX-License-Identifier: BSL-1.0
// The policies of Puma in a stack, beside the others: matchers by latency, rate and number of posted
// receives, and paths of long messages. bench/portals.py runs it on two ranks, and makes tables.

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <mpx/mpx.hpp>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;
using bytes_type = std::vector<std::byte>;

constexpr mpx::tag_t tag = 1;
constexpr mpx::tag_t other_tags = 1000;  // Of receives that stay posted.
constexpr int window = 64;

double us_since(clock_type::time_point begin) {
  return std::chrono::duration<double, std::micro>(clock_type::now() - begin).count();
}

/// One-way time, in microseconds, of messages to receives that are posted before.
template <class Stack>
double posted_us(mpx::communicator<Stack>& world, std::size_t bytes, int rounds) {
  bytes_type in(bytes, std::byte{1}), out(bytes, std::byte{2});
  const mpx::rank_t other = 1 - world.rank();
  auto r = world.irecv(in, other, tag);
  world.barrier();
  const auto begin = clock_type::now();
  for (int i = 0; i < rounds; ++i) {
    if (world.rank() == 0) world.send(out, other, tag);
    r.wait();
    if (i + 1 < rounds) r = world.irecv(in, other, tag);
    if (world.rank() == 1) world.send(out, other, tag);
  }
  return us_since(begin) / (2 * rounds);
}

/// One-way time, in microseconds, of messages whose receives begin after their headers have come.
template <class Stack>
double unexpected_us(mpx::communicator<Stack>& world, std::size_t bytes, int rounds) {
  bytes_type in(bytes, std::byte{1}), out(bytes, std::byte{2});
  const mpx::rank_t other = 1 - world.rank();
  const auto receive = [&] {
    world.probe(other, tag);
    world.recv(in, other, tag);
  };
  world.barrier();
  const auto begin = clock_type::now();
  for (int i = 0; i < rounds; ++i) {
    if (world.rank() == 1) receive();
    world.send(out, other, tag);
    if (world.rank() == 0) receive();
  }
  return us_since(begin) / (2 * rounds);
}

/// Messages of 8 bytes from rank 0 to rank 1 per microsecond, in windows of posted receives.
template <class Stack>
double rate(mpx::communicator<Stack>& world, int windows) {
  std::vector<std::int64_t> x(window);
  std::vector<mpx::request<Stack>> all(window);
  int go = 0;
  world.barrier();
  const auto begin = clock_type::now();
  for (int w = 0; w < windows; ++w) {
    const auto start = [&](std::size_t i) {
      return world.rank() == 0 ? world.isend(x[i], 1, tag) : world.irecv(x[i], 0, tag);
    };
    if (world.rank() == 0) world.recv(go, 1, tag);
    for (std::size_t i = 0; i < window; ++i) all[i] = start(i);
    if (world.rank() == 1) world.send(go, 0, tag);
    mpx::wait_all(all);
  }
  world.barrier();
  return windows * window / us_since(begin);
}

void print(const auto& world, const char* test, const char* policy, std::size_t of, double value) {
  if (world.rank() == 0) std::printf("%s,%s,%zu,%.4f\n", test, policy, of, value);
}

template <mpx::Matcher M>
void measure_matcher(const char* name) {
  using stack = mpx::stack<M>;
  mpx::environment<stack> env;
  auto world = env.world();
  posted_us(world, 8, 2000);
  print(world, "latency", name, 8, posted_us(world, 8, 20'000));
  rate(world, 100);
  print(world, "rate", name, 8, rate(world, 2000));
  std::vector<mpx::request<stack>> others;
  std::int64_t never = 0;
  for (std::size_t depth = 1; depth <= 100'000; depth *= 10) {
    while (others.size() < depth)
      others.push_back(world.irecv(never, 1 - world.rank(),
                                   other_tags + static_cast<mpx::tag_t>(others.size())));
    posted_us(world, 8, 5);  // Matchers may sort what was posted.
    const int rounds = depth < 1000 ? 20'000 : static_cast<int>(10'000'000 / depth);
    print(world, "depth", name, depth, posted_us(world, 8, rounds));
  }
  world.barrier();
  for (auto& r : others) r.cancel();
  mpx::wait_all(others);
}

template <mpx::long_path By>
void measure_path(const char* name) {
  // Messages of 16 KiB are long, too.
  using stack = mpx::stack<mpx::protocol::tiny_short_long<40, 8 * 1024, By>>;
  mpx::environment<stack> env;
  auto world = env.world();
  for (std::size_t bytes = 16 * 1024; bytes <= 4 * 1024 * 1024; bytes *= 4) {
    const int rounds = static_cast<int>((std::size_t{256} << 20) / bytes / 4) + 20;
    posted_us(world, bytes, rounds / 4);
    print(world, "posted", name, bytes, posted_us(world, bytes, rounds));
    unexpected_us(world, bytes, rounds / 4);
    print(world, "unexpected", name, bytes, unexpected_us(world, bytes, rounds));
  }
}

}  // namespace

int main() {
  measure_matcher<mpx::matching::hashed>("hashed");
  measure_matcher<mpx::matching::list>("list");
  measure_matcher<mpx::matching::portals>("portals");
  measure_path<mpx::long_path::automatic>("automatic");
  measure_path<mpx::long_path::get>("get");
  measure_path<mpx::long_path::put>("put");
  measure_path<mpx::long_path::packets>("packets");
  measure_path<mpx::long_path::eager>("eager");
}
