// SPDX-License-Identifier: BSL-1.0
// The programs of this folder over mpx; mpi_programs.c has the same loops in plain MPI.

#include <array>
#include <functional>
#include <iterator>
#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>
#include <span>
#include <utility>

#include "bfs.h"
#include "cg.h"
#include "particles.h"
#include "program.h"
#include "stencil.h"
#include "transpose.h"
#include "wavefront.h"

namespace {

using stack = mpx::stack<>;
using communicator = mpx::communicator<stack>;
using request = mpx::request<stack>;

mpx::rank_t neighbour(int rank, int ranks) {
  return rank < 0 || rank >= ranks ? mpx::proc_null : rank;
}

void cg_exchange(communicator world, const program_run& run, cg& c) {
  const mpx::rank_t below = neighbour(run.rank - 1, run.ranks);
  const mpx::rank_t above = neighbour(run.rank + 1, run.ranks);
  const auto plane_at = [&c](std::size_t at) { return std::span(c.p + at, c.plane); };
  std::array<request, 4> requests{
      world.irecv(plane_at(0), below, 1), world.irecv(plane_at(c.plane + c.all), above, 2),
      world.isend(plane_at(c.plane), below, 2), world.isend(plane_at(c.all), above, 1)};
  mpx::wait_all(requests);
}

bool run_cg(communicator world, program_run& run) {
  cg c = cg_make(run.o.size);
  const auto sum_of = [&world](double mine) { return world.allreduce(mine, std::plus<>{}); };
  bool right = true;
  for (int step = 0; step < run.o.steps; ++step) {
    const double first = sum_of(cg_start(&c));
    double rr = first;
    for (int i = 0; i < cg_iterations; ++i) {
      cg_exchange(world, run, c);
      program_begin_work(&run);
      double part = cg_apply(&c);
      program_additional_work(&run);
      program_end_work(&run);
      const double alpha = rr / sum_of(part);
      program_begin_work(&run);
      part = cg_advance(&c, alpha);
      program_end_work(&run);
      const double before = std::exchange(rr, sum_of(part));
      program_begin_work(&run);
      cg_turn(&c, rr / before);
      program_end_work(&run);
    }
    right = right && cg_is_right(first, rr);
  }
  return right;
}

/// Sends the contents of `out` to both neighbours. Returns the number received from each.
std::array<int, 2> particles_exchange(communicator world, const program_run& run, particles& p) {
  const std::array<mpx::rank_t, 2> beside{(run.rank + run.ranks - 1) % run.ranks,
                                          (run.rank + 1) % run.ranks};
  const auto in = [&p](int side) {
    return std::span(p.in[side], static_cast<std::size_t>(p.capacity));
  };
  const auto out = [&p](int side) {
    return std::span(p.out[side], static_cast<std::size_t>(p.out_count[side]));
  };
  std::array<request, 4> requests{
      world.irecv(in(0), beside[0], 0), world.irecv(in(1), beside[1], 1),
      world.isend(out(0), beside[0], 1), world.isend(out(1), beside[1], 0)};
  std::array<mpx::status, 4> statuses;
  mpx::wait_all(requests, statuses);
  return {static_cast<int>(*statuses[0].count<particle>()),
          static_cast<int>(*statuses[1].count<particle>())};
}

bool run_particles(communicator world, program_run& run) {
  particles p = particles_make(run.o.size, run.rank, run.ranks);
  std::array<double, 3> mine, before, after;
  particles_kept(&p, mine.data());
  world.allreduce(mine, before, std::plus<>{});
  for (int step = 0; step < run.o.steps; ++step) {
    program_begin_work(&run);
    particles_leave(&p);
    program_end_work(&run);
    const auto moved = particles_exchange(world, run, p);
    program_begin_work(&run);
    particles_take(&p, moved[0], moved[1]);
    particles_show(&p);
    program_end_work(&run);
    const auto shown = particles_exchange(world, run, p);
    program_begin_work(&run);
    particles_move(&p, shown[0], shown[1]);
    program_additional_work(&run);
    program_end_work(&run);
  }
  particles_kept(&p, mine.data());
  world.allreduce(mine, after, std::plus<>{});
  return particles_are_right(before.data(), after.data()) != 0;
}

bool run_transpose(communicator world, program_run& run) {
  transpose t = transpose_make(run.o.size, run.rank, run.ranks);
  const std::span out(t.out, t.block * t.width), in(t.in, t.block * t.width);
  for (int step = 0; step < run.o.steps; ++step) {
    program_begin_work(&run);
    transpose_pack(&t);
    program_additional_work(&run);
    program_end_work(&run);
    world.alltoall(out, in);
    program_begin_work(&run);
    transpose_unpack(&t);
    program_end_work(&run);
  }
  return transpose_is_right(&t, run.rank, run.o.steps) != 0;
}

bool run_wavefront(communicator world, program_run& run) {
  wavefront w = wavefront_make(run.o.size, run.rank, run.ranks);
  const auto rank_of = [](int at) { return at < 0 ? mpx::proc_null : at; };
  const auto edge = [&w](int* at) { return std::span(at, static_cast<std::size_t>(w.n)); };
  int last = 0;
  for (int step = 0; step < run.o.steps; ++step)
    for (int k = 0; k < wavefront_planes; ++k) {
      wavefront_begin(&w, k);
      world.recv(edge(w.from_west), rank_of(w.west), 1);
      world.recv(edge(w.from_north), rank_of(w.north), 2);
      program_begin_work(&run);
      last = wavefront_plane(&w);
      program_additional_work(&run);
      program_end_work(&run);
      world.send(edge(w.to_east), rank_of(w.east), 1);
      world.send(edge(w.to_south), rank_of(w.south), 2);
    }
  return wavefront_is_right(&w, last) != 0;
}

/// A breadth-first search at one rank.
class search {
 public:
  search(communicator world, program_run& run)
      : world_(world), run_(run), b_(bfs_make(run.o.size, run.rank, run.ranks)) {}

  bool run() {
    for (int step = 0; step < run_.o.steps; ++step) {
      bfs_start(&b_, static_cast<std::uint32_t>(step));
      for (;;) {
        bfs_descend(&b_);
        if (world_.allreduce(double(b_.frontier_count), std::plus<>{}) == 0) break;
        level();
      }
    }
    mpx::wait_all(sends_);
    std::array<double, 2> sum, all, alone;
    bfs_sum(&b_, sum.data());
    world_.allreduce(sum, all, std::plus<>{});
    program_begin_work(&run_);
    bfs_alone(&b_, static_cast<std::uint32_t>(run_.o.steps - 1), alone.data());
    program_end_work(&run_);
    return all == alone;
  }

 private:
  void level() {
    program_begin_work(&run_);
    program_additional_work(&run_);
    program_end_work(&run_);
    ended_ = 0;
    for (std::uint32_t from = 0; from < b_.frontier_count; from += bfs_chunk) {
      std::uint32_t reached[bfs_chunk * bfs_degree];
      program_begin_work(&run_);
      const std::uint32_t count = bfs_expand(&b_, from, reached);
      for (std::uint32_t i = 0; i < count; ++i) found(reached[i]);
      program_end_work(&run_);
      poll();
    }
    for (std::uint32_t to = 0; to < b_.ranks; ++to) {
      if (to == b_.rank) continue;
      if (b_.found_count[to] > 0) send(to, bfs_tag_found);
      send(to, bfs_tag_end);
    }
    while (ended_ + 1 < run_.ranks) poll();
  }
  /// Takes one message if one is there.
  void poll() {
    std::uint32_t in[bfs_batch];
    const auto there = world_.iprobe();
    if (!there) return;
    const mpx::status got = world_.recv(in, there->source(), there->tag());
    if (got.tag() == bfs_tag_end) {
      ++ended_;
      return;
    }
    program_begin_work(&run_);
    bfs_reach_all(&b_, in, static_cast<int>(*got.count<std::uint32_t>()));
    program_end_work(&run_);
  }
  /// Returns a message that is free, polling until one is.
  std::size_t free_send() {
    for (;; poll())
      for (std::size_t i = 0; i < sends_.size(); ++i)
        if (!sends_[i] || sends_[i].test()) return i;
  }
  void send(std::uint32_t to, int tag) {
    const std::uint32_t count = tag == bfs_tag_end ? 0 : b_.found_count[to];
    const std::size_t i = free_send();
    std::copy_n(b_.found + std::size_t{to} * bfs_batch, count, batches_[i].begin());
    sends_[i] = world_.isend(std::span(batches_[i]).first(count), static_cast<int>(to), tag);
    if (tag == bfs_tag_found) b_.found_count[to] = 0;
  }
  /// Part of the own work, which a send interrupts.
  void found(std::uint32_t vertex) {
    const std::uint32_t to = vertex % b_.ranks;
    if (to == b_.rank) return bfs_reach(&b_, vertex);
    b_.found[std::size_t{to} * bfs_batch + b_.found_count[to]++] = vertex;
    if (b_.found_count[to] < bfs_batch) return;
    program_end_work(&run_);
    send(to, bfs_tag_found);
    program_begin_work(&run_);
  }

  communicator world_;
  program_run& run_;
  bfs b_;
  std::array<std::array<std::uint32_t, bfs_batch>, bfs_sends> batches_{};  // On their way.
  std::array<request, bfs_sends> sends_;
  int ended_ = 0;  // Ranks that have no more for this level.
};

bool run_bfs(communicator world, program_run& run) { return search(world, run).run(); }

bool run_stencil(communicator world, program_run& run) {
  stencil s = stencil_make(run.o.size, run.rank, run.ranks);
  const mpx::rank_t up = (run.rank + run.ranks - 1) % run.ranks, down = (run.rank + 1) % run.ranks;
  auto window = mpx::allocate_window<double>(world, 4 * s.n);
  const double* const ghosts = window.local().data();
  window.fence(mpx::rma::assertion::no_precede);
  for (int step = 0; step < run.o.steps; ++step) {
    window.put(std::span(s.now, s.n), up, stencil_ghost(&s, step, 1));
    window.put(std::span(s.now + (s.n - 1) * s.n, s.n), down, stencil_ghost(&s, step, 0));
    window.fence();
    program_begin_work(&run);
    stencil_step(&s, ghosts + stencil_ghost(&s, step, 0), ghosts + stencil_ghost(&s, step, 1));
    program_additional_work(&run);
    program_end_work(&run);
  }
  window.fence(mpx::rma::assertion::no_succeed);
  window.free();
  return stencil_is_right(&s, run.o.steps) != 0;
}

constexpr bool (*programs[])(communicator, program_run&) = {
    run_cg, run_particles, run_transpose, run_wavefront, run_bfs, run_stencil};
static_assert(std::size(programs) == std::size(program_kinds));

/// Runs a program once. Returns false if its answer is wrong anywhere.
bool sample(communicator world, program_run& run, int which, bool counts) {
  run.compute_s = 0;
  world.barrier();
  const long switches = perf_switches();
  const double start = perf_now();
  const bool right = programs[which](world, run);
  std::array<double, 3> most{perf_now() - start, run.compute_s,
                             static_cast<double>(perf_switches() - switches)};
  world.allreduce(most, mpx::max);
  if (!world.allreduce(right, std::logical_and<>{})) return false;
  if (counts && run.rank == 0)
    program_print("mpx", &run, most[0], most[1], static_cast<long>(most[2]));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  mpx::environment<> env;
  const communicator world = env.world();
  program_run run{};
  run.rank = world.rank();
  run.ranks = world.size();
  const int which = program_parse(argc, argv, &run.o) == 0 ? program_find(&run.o) : -1;
  if (which < 0) {
    if (run.rank == 0) std::fputs(program_usage, stderr);
    return 2;
  }
  if (run.o.pin) {
    cpu_set_t usable;
    ::sched_getaffinity(0, sizeof usable, &usable);
    perf_pin(run.rank, &usable);
  }
  for (int i = -1; i < run.o.samples; ++i) {
    if (sample(world, run, which, i >= 0)) continue;
    if (run.rank == 0) std::fprintf(stderr, "%s: wrong answer\n", run.o.program);
    return 1;
  }
}
