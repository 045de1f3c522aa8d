/* SPDX-License-Identifier: BSL-1.0 */
/* The programs of this folder in plain MPI; mpx_programs.cpp has the same loops over mpx. */

#define _GNU_SOURCE
#include <mpi.h>

#include "../perf/mpi_name.h"
#include "bfs.h"
#include "cg.h"
#include "particles.h"
#include "program.h"
#include "stencil.h"
#include "transpose.h"
#include "wavefront.h"

static int neighbour(int rank, int ranks) {
  return rank < 0 || rank >= ranks ? MPI_PROC_NULL : rank;
}

static void cg_exchange(const struct program_run* run, struct cg* c) {
  const int below = neighbour(run->rank - 1, run->ranks);
  const int above = neighbour(run->rank + 1, run->ranks);
  const int count = (int)c->plane;
  MPI_Request requests[4];
  MPI_Irecv(c->p, count, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(c->p + c->plane + c->all, count, MPI_DOUBLE, above, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(c->p + c->plane, count, MPI_DOUBLE, below, 2, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(c->p + c->all, count, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static double sum_of(double mine) {
  double all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static int run_cg(struct program_run* run) {
  struct cg c = cg_make(run->o.size);
  int right = 1;
  for (int step = 0; step < run->o.steps; ++step) {
    const double first = sum_of(cg_start(&c));
    double rr = first;
    for (int i = 0; i < cg_iterations; ++i) {
      cg_exchange(run, &c);
      program_begin_work(run);
      double part = cg_apply(&c);
      program_additional_work(run);
      program_end_work(run);
      const double alpha = rr / sum_of(part);
      program_begin_work(run);
      part = cg_advance(&c, alpha);
      program_end_work(run);
      const double before = rr;
      rr = sum_of(part);
      program_begin_work(run);
      cg_turn(&c, rr / before);
      program_end_work(run);
    }
    right = right && cg_is_right(first, rr);
  }
  return right;
}

/* Sends what is in `out` to both neighbours. Returns how many have come from each. */
static void particles_exchange(const struct program_run* run, struct particles* p, int came[2]) {
  const int beside[2] = {(run->rank + run->ranks - 1) % run->ranks, (run->rank + 1) % run->ranks};
  MPI_Request requests[4];
  MPI_Status statuses[4];
  const int each = (int)sizeof(struct particle);
  for (int side = 0; side < 2; ++side)
    MPI_Irecv(p->in[side], p->capacity * each, MPI_BYTE, beside[side], side, MPI_COMM_WORLD,
              &requests[side]);
  for (int side = 0; side < 2; ++side)
    MPI_Isend(p->out[side], p->out_count[side] * each, MPI_BYTE, beside[side], 1 - side,
              MPI_COMM_WORLD, &requests[2 + side]);
  MPI_Waitall(4, requests, statuses);
  for (int side = 0; side < 2; ++side) {
    MPI_Get_count(&statuses[side], MPI_BYTE, &came[side]);
    came[side] /= each;
  }
}

static int run_particles(struct program_run* run) {
  struct particles p = particles_make(run->o.size, run->rank, run->ranks);
  double mine[3], before[3], after[3];
  particles_kept(&p, mine);
  MPI_Allreduce(mine, before, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  int came[2];
  for (int step = 0; step < run->o.steps; ++step) {
    program_begin_work(run);
    particles_leave(&p);
    program_end_work(run);
    particles_exchange(run, &p, came);
    program_begin_work(run);
    particles_take(&p, came[0], came[1]);
    particles_show(&p);
    program_end_work(run);
    particles_exchange(run, &p, came);
    program_begin_work(run);
    particles_move(&p, came[0], came[1]);
    program_additional_work(run);
    program_end_work(run);
  }
  particles_kept(&p, mine);
  MPI_Allreduce(mine, after, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return particles_are_right(before, after);
}

static int run_transpose(struct program_run* run) {
  struct transpose t = transpose_make(run->o.size, run->rank, run->ranks);
  const int block = (int)(t.block * t.block);
  for (int step = 0; step < run->o.steps; ++step) {
    program_begin_work(run);
    transpose_pack(&t);
    program_additional_work(run);
    program_end_work(run);
    MPI_Alltoall(t.out, block, MPI_DOUBLE, t.in, block, MPI_DOUBLE, MPI_COMM_WORLD);
    program_begin_work(run);
    transpose_unpack(&t);
    program_end_work(run);
  }
  return transpose_is_right(&t, run->rank, run->o.steps);
}

static int run_wavefront(struct program_run* run) {
  struct wavefront w = wavefront_make(run->o.size, run->rank, run->ranks);
  const int west = w.west < 0 ? MPI_PROC_NULL : w.west;
  const int north = w.north < 0 ? MPI_PROC_NULL : w.north;
  const int east = w.east < 0 ? MPI_PROC_NULL : w.east;
  const int south = w.south < 0 ? MPI_PROC_NULL : w.south;
  int last = 0;
  for (int step = 0; step < run->o.steps; ++step)
    for (int k = 0; k < wavefront_planes; ++k) {
      wavefront_begin(&w, k);
      MPI_Recv(w.from_west, w.n, MPI_INT, west, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(w.from_north, w.n, MPI_INT, north, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      program_begin_work(run);
      last = wavefront_plane(&w);
      program_additional_work(run);
      program_end_work(run);
      MPI_Send(w.to_east, w.n, MPI_INT, east, 1, MPI_COMM_WORLD);
      MPI_Send(w.to_south, w.n, MPI_INT, south, 2, MPI_COMM_WORLD);
    }
  return wavefront_is_right(&w, last);
}

struct search {
  struct bfs b;
  struct program_run* run;
  uint32_t batches[bfs_sends][bfs_batch]; /* Messages on their way. */
  MPI_Request sends[bfs_sends];
  int ended; /* Ranks that have no more for this level. */
};

/* Takes one message if one is there. */
static void bfs_poll(struct search* s) {
  uint32_t in[bfs_batch];
  MPI_Status status;
  int there = 0, count = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
  if (!there) return;
  MPI_Recv(in, bfs_batch, MPI_UINT32_T, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_UINT32_T, &count);
  if (status.MPI_TAG == bfs_tag_end) {
    ++s->ended;
    return;
  }
  program_begin_work(s->run);
  bfs_reach_all(&s->b, in, count);
  program_end_work(s->run);
}
/* Returns a message that is free, polling until one is. */
static int bfs_free_send(struct search* s) {
  for (;;) {
    for (int i = 0; i < bfs_sends; ++i) {
      int done = 0;
      MPI_Test(&s->sends[i], &done, MPI_STATUS_IGNORE);
      if (done) return i;
    }
    bfs_poll(s);
  }
}
static void bfs_send(struct search* s, uint32_t to, int tag) {
  const uint32_t count = tag == bfs_tag_end ? 0 : s->b.found_count[to];
  const int i = bfs_free_send(s);
  memcpy(s->batches[i], s->b.found + (size_t)to * bfs_batch, count * sizeof(uint32_t));
  MPI_Isend(s->batches[i], (int)count, MPI_UINT32_T, (int)to, tag, MPI_COMM_WORLD, &s->sends[i]);
  if (tag == bfs_tag_found) s->b.found_count[to] = 0;
}
/* Part of the own work, which a send interrupts. */
static void bfs_found(struct search* s, uint32_t vertex) {
  const uint32_t to = vertex % s->b.ranks;
  if (to == s->b.rank) {
    bfs_reach(&s->b, vertex);
    return;
  }
  s->b.found[(size_t)to * bfs_batch + s->b.found_count[to]++] = vertex;
  if (s->b.found_count[to] < bfs_batch) return;
  program_end_work(s->run);
  bfs_send(s, to, bfs_tag_found);
  program_begin_work(s->run);
}
static void bfs_level(struct search* s) {
  struct bfs* b = &s->b;
  program_begin_work(s->run);
  program_additional_work(s->run);
  program_end_work(s->run);
  s->ended = 0;
  for (uint32_t from = 0; from < b->frontier_count; from += bfs_chunk) {
    uint32_t reached[bfs_chunk * bfs_degree];
    program_begin_work(s->run);
    const uint32_t count = bfs_expand(b, from, reached);
    for (uint32_t i = 0; i < count; ++i) bfs_found(s, reached[i]);
    program_end_work(s->run);
    bfs_poll(s);
  }
  for (uint32_t to = 0; to < b->ranks; ++to) {
    if (to == b->rank) continue;
    if (b->found_count[to] > 0) bfs_send(s, to, bfs_tag_found);
    bfs_send(s, to, bfs_tag_end);
  }
  while (s->ended + 1 < s->run->ranks) bfs_poll(s);
}

static int run_bfs(struct program_run* run) {
  static struct search s;
  s.run = run;
  s.b = bfs_make(run->o.size, run->rank, run->ranks);
  for (int i = 0; i < bfs_sends; ++i) s.sends[i] = MPI_REQUEST_NULL;
  double sum[2], all[2], alone[2];
  for (int step = 0; step < run->o.steps; ++step) {
    bfs_start(&s.b, (uint32_t)step);
    for (;;) {
      bfs_descend(&s.b);
      if (sum_of(s.b.frontier_count) == 0) break;
      bfs_level(&s);
    }
  }
  MPI_Waitall(bfs_sends, s.sends, MPI_STATUSES_IGNORE);
  bfs_sum(&s.b, sum);
  MPI_Allreduce(sum, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  program_begin_work(run);
  bfs_alone(&s.b, (uint32_t)run->o.steps - 1, alone);
  program_end_work(run);
  return all[0] == alone[0] && all[1] == alone[1];
}

static int run_stencil(struct program_run* run) {
  struct stencil s = stencil_make(run->o.size, run->rank, run->ranks);
  const int up = (run->rank + run->ranks - 1) % run->ranks, down = (run->rank + 1) % run->ranks;
  const int n = (int)s.n;
  double* ghosts;
  MPI_Win window;
  MPI_Win_allocate((MPI_Aint)(4 * s.n * sizeof(double)), sizeof(double), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &ghosts, &window);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  for (int step = 0; step < run->o.steps; ++step) {
    MPI_Put(s.now, n, MPI_DOUBLE, up, (MPI_Aint)stencil_ghost(&s, step, 1), n, MPI_DOUBLE, window);
    MPI_Put(s.now + (s.n - 1) * s.n, n, MPI_DOUBLE, down, (MPI_Aint)stencil_ghost(&s, step, 0), n,
            MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    program_begin_work(run);
    stencil_step(&s, ghosts + stencil_ghost(&s, step, 0), ghosts + stencil_ghost(&s, step, 1));
    program_additional_work(run);
    program_end_work(run);
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  MPI_Win_free(&window);
  return stencil_is_right(&s, run->o.steps);
}

int main(int argc, char** argv) {
  static int (*const programs[])(struct program_run*) = {
      run_cg, run_particles, run_transpose, run_wavefront, run_bfs, run_stencil};
  struct program_run run;
  memset(&run, 0, sizeof run);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &run.ranks);
  int which = program_parse(argc, argv, &run.o) == 0 ? program_find(&run.o) : -1;
  if (which < 0) {
    if (run.rank == 0) fputs(program_usage, stderr);
    MPI_Finalize();
    return 2;
  }
  if (run.o.pin) {
    cpu_set_t usable;
    sched_getaffinity(0, sizeof usable, &usable);
    perf_pin(run.rank, &usable);
  }
  for (int sample = -1; sample < run.o.samples; ++sample) {
    run.compute_s = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    long switches = perf_switches();
    const double start = perf_now();
    int right = programs[which](&run);
    double mine[3] = {perf_now() - start, run.compute_s, (double)(perf_switches() - switches)};
    double most[3];
    int all_right = 0;
    MPI_Allreduce(mine, most, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!all_right) {
      if (run.rank == 0) fprintf(stderr, "%s: wrong answer\n", run.o.program);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (sample >= 0 && run.rank == 0) program_print(IMPL, &run, most[0], most[1], (long)most[2]);
  }
  MPI_Finalize();
  return 0;
}
