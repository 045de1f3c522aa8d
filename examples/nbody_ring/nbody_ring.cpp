// SPDX-License-Identifier: BSL-1.0
// Bodies that attract each other, each rank with a share of them. The shares go round a ring by
// persistent requests, while each rank works on the one that has just come. From the root of the
// tree, with or without CMake (it uses CLI11 and fmt):
//
//   cmake --preset release && cmake --build --preset release --target nbody_ring mpxrun
//   build/release/bin/mpxrun -n 4 build/release/bin/nbody_ring --bodies 1000
//
//   g++ -std=c++20 -O2 -Iinclude examples/nbody_ring/*.cpp -o nbody_ring -pthread -lfmt
//   mpxrun -n 4 ./nbody_ring --bodies 1000
//
// The answer is checked: forces against a sum over all bodies on each rank, then momentum, which
// does not change, and energy, which hardly does. Exits with 1 if anything is wrong.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mpx/mpx.hpp>
#include <utility>
#include <vector>

namespace {

using communicator = mpx::communicator<mpx::stack<>>;
using vec = std::array<double, 3>;

constexpr double softening = 1e-2;  // Minimum distance in the computation of forces.

/// Data of a body that other ranks need.
struct body {
  vec at;
  double mass;
};

vec& operator+=(vec& a, const vec& b) {
  for (std::size_t i = 0; i < 3; ++i) a[i] += b[i];
  return a;
}

/// A number from 0 to 1 that is the same on every rank.
double random_of(std::uint64_t x) {
  x = (x + 1) * 0x9e37'79b9'7f4a'7c15u;
  x = (x ^ x >> 30) * 0xbf58'476d'1ce4'e5b9u;
  x = (x ^ x >> 27) * 0x94d0'49bb'1331'11ebu;
  return static_cast<double>((x ^ x >> 31) >> 11) * 0x1p-53;
}
body first_body(std::size_t i, std::size_t all) {
  const auto of = [i](std::uint64_t k) { return random_of(4 * i + k); };
  return {{of(0), of(1), of(2)}, (0.5 + of(3)) / static_cast<double>(all)};
}

/// Index of the first body of `rank`.
std::size_t share_begin(mpx::rank_t rank, mpx::rank_t ranks, std::size_t bodies) {
  return bodies * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks);
}

/// Adds the effect of `others` on `mine`: accelerations, and the potential of each.
void attract(const std::vector<body>& mine, const body* others, std::size_t count,
             std::vector<vec>& acceleration, std::vector<double>& potential) {
  for (std::size_t i = 0; i < mine.size(); ++i) {
    vec a{};
    double p = 0;
    for (std::size_t j = 0; j < count; ++j) {
      vec d;
      double square = softening * softening;
      for (std::size_t k = 0; k < 3; ++k) {
        d[k] = others[j].at[k] - mine[i].at[k];
        square += d[k] * d[k];
      }
      const double inverse = 1 / std::sqrt(square);
      const double weight = others[j].mass * inverse * inverse * inverse;
      for (std::size_t k = 0; k < 3; ++k) a[k] += weight * d[k];
      if (square > softening * softening) p -= others[j].mass * inverse;  // Not of itself.
    }
    acceleration[i] += a;
    potential[i] += p;
  }
}

/// The ring: two buffers, one that is worked on and sent while the other is received.
class ring {
 public:
  ring(communicator world, std::size_t bodies) : world_(world), bodies_(bodies) {
    const mpx::rank_t right = (world.rank() + 1) % world.size();
    const mpx::rank_t left = (world.rank() + world.size() - 1) % world.size();
    const std::size_t room = bodies / static_cast<std::size_t>(world.size()) + 1;
    for (auto& buffer : buffers_) buffer.resize(room);
    for (std::size_t i = 0; i < 2; ++i) {  // Into one while the other goes out.
      sends_[i] = world.send_init(buffers_[i], right, 0);
      receives_[i] = world.recv_init(buffers_[1 - i], left, 0);
    }
  }
  /// Forces of all on `mine`.
  void forces(const std::vector<body>& mine, std::vector<vec>& acceleration,
              std::vector<double>& potential) {
    acceleration.assign(mine.size(), {});
    potential.assign(mine.size(), 0);
    std::copy(mine.begin(), mine.end(), buffers_[0].begin());
    std::size_t now = 0;
    for (mpx::rank_t step = 0; step < world_.size(); ++step) {
      const bool last = step == world_.size() - 1;
      if (!last) {
        receives_[now].start();
        sends_[now].start();
      }
      const mpx::rank_t owner = (world_.rank() - step + world_.size()) % world_.size();
      const std::size_t count = share_begin(owner + 1, world_.size(), bodies_) -
                                share_begin(owner, world_.size(), bodies_);
      attract(mine, buffers_[now].data(), count, acceleration, potential);
      if (!last) {
        sends_[now].wait();
        receives_[now].wait();
        now = 1 - now;
      }
    }
  }

 private:
  communicator world_;
  std::size_t bodies_;
  std::array<std::vector<body>, 2> buffers_;
  std::array<mpx::persistent_request<>, 2> sends_;
  std::array<mpx::persistent_request<>, 2> receives_;
};

/// The largest difference between forces that came round the ring and those of a plain sum,
/// relative to the force.
double error_of(communicator world, const std::vector<body>& mine, const std::vector<vec>& got,
                std::size_t bodies) {
  std::vector<body> all(bodies);
  for (std::size_t i = 0; i < bodies; ++i) all[i] = first_body(i, bodies);
  std::vector<vec> expected(mine.size(), vec{});
  std::vector<double> potential(mine.size(), 0);
  attract(mine, all.data(), all.size(), expected, potential);
  double worst = 0;
  for (std::size_t i = 0; i < mine.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto& e = expected[i];
      const double size = std::sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]) + 1e-30;
      worst = std::max(worst, std::abs(got[i][k] - e[k]) / size);
    }
  return world.allreduce(worst, [](double a, double b) { return a > b ? a : b; });
}

struct totals {
  double energy = 0;
  vec momentum{};
};
totals totals_of(communicator world, const std::vector<body>& mine, const std::vector<vec>& speed,
                 const std::vector<double>& potential) {
  std::array<double, 4> sum{};
  for (std::size_t i = 0; i < mine.size(); ++i) {
    double square = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      square += speed[i][k] * speed[i][k];
      sum[k + 1] += mine[i].mass * speed[i][k];
    }
    sum[0] += mine[i].mass * (square + potential[i]) / 2;
  }
  world.allreduce(std::span(sum), std::plus<>{});
  return {sum[0], {sum[1], sum[2], sum[3]}};
}

int run(communicator world, int argc, char** argv) {
  CLI::App app("Bodies that attract each other, round a ring of ranks.", "nbody_ring");
  std::size_t bodies = 2000;
  int steps = 20;
  double step = 1e-4;
  app.add_option("--bodies", bodies, "How many")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 24));
  app.add_option("--steps", steps, "Steps in time")
      ->capture_default_str()
      ->check(CLI::Range(0, 1 << 24));
  app.add_option("--step", step, "Length of a step")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const bool help = e.get_exit_code() == 0;
    if (world.rank() == 0) app.exit(e);
    world.barrier();  // A rank that leaves early could end the job before rank 0 has spoken.
    return help ? 0 : 2;
  }

  const std::size_t begin = share_begin(world.rank(), world.size(), bodies);
  const std::size_t end = share_begin(world.rank() + 1, world.size(), bodies);
  std::vector<body> mine;
  for (std::size_t i = begin; i < end; ++i) mine.push_back(first_body(i, bodies));
  std::vector<vec> speed(mine.size(), vec{});
  std::vector<vec> acceleration;
  std::vector<double> potential;

  ring shares(world, bodies);
  shares.forces(mine, acceleration, potential);
  const double error = error_of(world, mine, acceleration, bodies);
  const totals before = totals_of(world, mine, speed, potential);

  const auto start = std::chrono::steady_clock::now();
  for (int s = 0; s < steps; ++s) {  // Leapfrog.
    for (std::size_t i = 0; i < mine.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        speed[i][k] += step / 2 * acceleration[i][k];
        mine[i].at[k] += step * speed[i][k];
      }
    shares.forces(mine, acceleration, potential);
    for (std::size_t i = 0; i < mine.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) speed[i][k] += step / 2 * acceleration[i][k];
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const totals after = totals_of(world, mine, speed, potential);

  double momentum = 0;
  for (const double p : after.momentum) momentum = std::max(momentum, std::abs(p));
  const double drift = std::abs(after.energy - before.energy) / (std::abs(before.energy) + 1e-30);
  const bool right = error < 1e-10 && momentum < 1e-10 && (bodies < 2 || drift < 1e-2);
  if (world.rank() == 0) {
    fmt::print("nbody_ring: {} bodies on {} ranks, {} steps\n", bodies, world.size(), steps);
    fmt::print("force error {:.1e}, momentum {:.1e}, energy drift {:.1e}\n", error, momentum,
               drift);
    if (steps > 0)
      fmt::print(
          "{:.1f} million pairs a second\n",
          static_cast<double>(bodies) * static_cast<double>(bodies) * steps / took.count() / 1e6);
    if (!right) fmt::print(stderr, "nbody_ring: the answer is wrong\n");
    std::fflush(stdout);
  }
  world.barrier();
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  mpx::environment<> env;
  try {
    return run(env.world(), argc, argv);
  } catch (const std::exception& e) {  // The other ranks may wait for this one.
    fmt::print(stderr, "nbody_ring: rank {}: {}\n", env.rank(), e.what());
    env.abort(1);
  }
} catch (const std::exception& e) {
  fmt::print(stderr, "nbody_ring: {}\n", e.what());
  return 1;
}
