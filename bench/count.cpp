// SPDX-License-Identifier: BSL-1.0
// The program that scripts/count runs under callgrind: a job of one rank that sends to itself
// through the same ring as to any peer. Only code inside functions named `counted_...` is counted.

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mpx/mpx.hpp>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include "perf/line_ring.hpp"

#ifdef COUNT_CLUSTER  // scripts/count --cluster
#include <mpx/cluster.hpp>
#endif
#ifdef COUNT_FABRIC  // scripts/count --fabric
#include <mpx/fabric.hpp>
#endif

namespace {

#if defined(COUNT_CLUSTER)
using stack = mpx::cluster_stack;
#elif defined(COUNT_FABRIC)
using stack = mpx::fabric_stack;
#elif defined(COUNT_MATCHER)  // scripts/count --matcher
using stack = mpx::stack<mpx::matching::COUNT_MATCHER>;
#else
using stack = mpx::stack<>;
#endif
using communicator = mpx::communicator<stack>;
using request = mpx::request<stack>;

constexpr int batch = 256;  // Fewer than a ring has lines.
constexpr int window = 64;  // Messages under way at once, as in mpx-perf.
static_assert(batch % window == 0);
constexpr mpx::tag_t tag = 7;
constexpr mpx::tag_t other_tag = 8;

}  // namespace

// Batches: the cost of the call is shared by all, and the loop is taken off with counted_loop.
extern "C" {

[[gnu::noinline]] void counted_loop(std::int64_t& x) {
  for (int i = 0; i < batch; ++i) asm volatile("" : : "r"(&x) : "memory");
}

[[gnu::noinline]] void counted_isend(communicator& world, std::int64_t& x) {
  for (int i = 0; i < batch; ++i) {
    auto r = world.isend(x, 0, tag);
    r.wait();
  }
}

[[gnu::noinline]] void counted_post_window(communicator& world, std::span<request, window> r,
                                           std::span<std::int64_t, window> y) {
  for (std::size_t i = 0; i < window; ++i) r[i] = world.irecv(y[i], 0, tag);
}

[[gnu::noinline]] void counted_wait_window(std::span<request, window> r) { mpx::wait_all(r); }

[[gnu::noinline]] void counted_put(perf::line_ring& r, std::int64_t& x) {
  const mpx::frame_header header{{1, 2, 3, 4, 5}};
  for (int i = 0; i < batch; ++i) {
    asm volatile("" : : "r"(&x) : "memory");
    r.put(header, std::as_bytes(std::span(&x, 1)));
  }
}

[[gnu::noinline]] void counted_take(perf::line_ring& r, std::int64_t& x) {
  for (int i = 0; i < batch; ++i) {
    if (!r.ready()) std::abort();
    r.take([&x](std::span<const std::byte> payload) {
      perf::ring::copy_small(reinterpret_cast<std::byte*>(&x), payload.data(), payload.size());
    });
    asm volatile("" : : "r"(&x) : "memory");
  }
}

// One by one: the call is taken off with counted_call.
[[gnu::noinline]] void counted_call(std::int64_t& x) { asm volatile("" : : "r"(&x) : "memory"); }

[[gnu::noinline]] void counted_post(communicator& world, request& r, std::int64_t& y) {
  new (&r) request(world.irecv(y, 0, tag));
}

[[gnu::noinline]] void counted_wait(request& r) {
  r.wait();
  r.~request();
}

[[gnu::noinline]] void counted_arrival(communicator& world) {
  if (world.iprobe(0, other_tag)) std::abort();
}

// The last message first: all others are unexpected.
[[gnu::noinline]] void counted_last_first(communicator& world, std::span<std::int64_t, window> y) {
  world.recv(y[window - 1], 0, other_tag);
  for (std::size_t i = 0; i < window - 1; ++i) world.recv(y[i], 0, tag);
}

[[gnu::noinline]] void counted_recv(communicator& world, std::int64_t& y) { world.recv(y, 0, tag); }

}  // extern "C"

namespace {

void check(std::int64_t sent, std::int64_t received) {
  if (sent != received) {
    std::fprintf(stderr, "count: sent %lld, received %lld\n", static_cast<long long>(sent),
                 static_cast<long long>(received));
    std::exit(1);
  }
}

void run_empty(std::string_view mode, int batches) {
  std::int64_t x = 1;
  for (int b = 0; b < batches; ++b) {
    if (mode == "loop")
      counted_loop(x);
    else
      for (int i = 0; i < batch; ++i) counted_call(x);
  }
}

void run_ring(int batches) {
  perf::line_ring r;
  for (int b = 0; b < batches; ++b) {
    std::int64_t x = b;
    std::int64_t y = -1;
    counted_put(r, x);
    counted_take(r, y);
    check(x, y);
  }
}

void run_isend(communicator& world, int batches) {
  for (int b = 0; b < batches; ++b) {
    std::int64_t x = b;
    counted_isend(world, x);
    for (int i = 0; i < batch; ++i) check(x, world.recv<std::int64_t>(0, tag));
  }
}

void run_recv(communicator& world, std::string_view mode, int batches) {
  alignas(request) std::byte place[sizeof(request)];
  auto& pending = reinterpret_cast<request&>(place);
  for (std::int64_t i = 0; i < std::int64_t{batches} * batch; ++i) {
    std::int64_t y = -1;
    if (mode == "recv") {
      world.isend(i, 0, tag).wait();
      counted_recv(world, y);
    } else if (mode == "irecv") {
      counted_post(world, pending, y);
      world.isend(i, 0, tag).wait();
      counted_wait(pending);
    } else {
      world.isend(i, 0, tag).wait();
      counted_arrival(world);
      counted_recv(world, y);
    }
    check(i, y);
  }
}

/// Receives that are posted first and complete in wait_all. What is received must be received
/// there: a copy made by the sends would not be counted.
void run_window(communicator& world, int batches) {
  std::array<request, window> pending;
  std::array<std::int64_t, window> y;
  for (int b = 0; b < batches * (batch / window); ++b) {
    y.fill(-1);
    counted_post_window(world, pending, y);
    for (std::int64_t i = 0; i < window; ++i) world.isend(i, 0, tag).wait();
    for (const std::int64_t value : y) check(-1, value);
    counted_wait_window(pending);
    for (std::int64_t i = 0; i < window; ++i) check(i, y[static_cast<std::size_t>(i)]);
  }
}

void run_last_first(communicator& world, int batches) {
  std::array<std::int64_t, window> y;
  for (int b = 0; b < batches * (batch / window); ++b) {
    y.fill(-1);
    for (std::int64_t i = 0; i < window; ++i)
      world.isend(i, 0, i < window - 1 ? tag : other_tag).wait();
    counted_last_first(world, y);
    for (std::int64_t i = 0; i < window; ++i) check(i, y[static_cast<std::size_t>(i)]);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string_view mode = argc == 3 ? argv[1] : "";
  const int batches = argc == 3 ? std::atoi(argv[2]) : 0;
  if (batches < 1) {
    std::fprintf(stderr,
                 "usage: count loop|call|ring|isend|recv|irecv|irecv_window|recv_unexpected|"
                 "last_first BATCHES\n");
    return 2;
  }
  if (mode == "loop" || mode == "call") {
    run_empty(mode, batches);
  } else if (mode == "ring") {
    run_ring(batches);
  } else {
    mpx::environment<stack> env;
    communicator world = env.world();
    if (mode == "isend")
      run_isend(world, batches);
    else if (mode == "irecv_window")
      run_window(world, batches);
    else if (mode == "last_first")
      run_last_first(world, batches);
    else
      run_recv(world, mode, batches);
  }
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "count: %s\n", e.what());
  return 1;
}
