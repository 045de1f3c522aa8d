/* SPDX-License-Identifier: BSL-1.0 */
/* Particles with forces of short range in a periodic box. Each rank has a slab of the box, and `size`
 * particles at first. A step sends the particles that have left to the neighbours, then copies of those
 * near the borders, and then moves its own. */
#ifndef MPX_BENCH_PROGRAM_PARTICLES_H
#define MPX_BENCH_PROGRAM_PARTICLES_H

#include "program.h"

enum { particles_left = 0, particles_right = 1, particles_cells = 10 };
static const double particles_dt = 2e-3;
/* A slab is 1 wide and 1 high. */
static const double particles_range = 1.0 / (double)particles_cells;

struct particle {
  double x, y, vx, vy;
};

struct particles {
  int rank, ranks;
  int count;    /* Of this rank. */
  int ghosts;   /* Of the neighbours', behind its own. */
  int capacity; /* Of each of the arrays. */
  struct particle* own;
  struct particle* out[2];
  int out_count[2];
  struct particle* in[2];
  int* next; /* The next particle of the same cell; -1: none. */
  int cell[(particles_cells + 2) * particles_cells];
};

static inline double particles_random(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 9007199254740992.0;
}

static inline struct particles particles_make(int size, int rank, int ranks) {
  struct particles p;
  memset(&p, 0, sizeof p);
  p.rank = rank;
  p.ranks = ranks;
  p.count = size;
  p.capacity = 4 * size * ranks + 64;
  const size_t bytes = (size_t)p.capacity * sizeof(struct particle);
  p.own = (struct particle*)malloc(bytes);
  for (int side = 0; side < 2; ++side) {
    p.out[side] = (struct particle*)malloc(bytes);
    p.in[side] = (struct particle*)malloc(bytes);
  }
  p.next = (int*)malloc((size_t)p.capacity * sizeof(int));
  uint64_t seed = 12345u + (uint64_t)rank;
  for (int i = 0; i < size; ++i) {
    p.own[i].x = rank + particles_random(&seed);
    p.own[i].y = particles_random(&seed);
    p.own[i].vx = particles_random(&seed) - 0.5;
    p.own[i].vy = particles_random(&seed) - 0.5;
  }
  return p;
}

static inline void particles_add(struct particles* p, int side, struct particle moved) {
  p->out[side][p->out_count[side]++] = moved;
}
/* Seen from the neighbour on this side, beyond the end of the box. */
static inline struct particle particles_wrapped(const struct particles* p, int side,
                                                struct particle q) {
  if (side == particles_left && p->rank == 0) q.x += p->ranks;
  if (side == particles_right && p->rank == p->ranks - 1) q.x -= p->ranks;
  return q;
}

/* Fills `out` with the particles that have left this rank's slab. */
static inline void particles_leave(struct particles* p) {
  p->out_count[0] = p->out_count[1] = 0;
  for (int i = 0; i < p->count;) {
    const struct particle q = p->own[i];
    const int side = q.x < p->rank ? particles_left : particles_right;
    if (q.x >= p->rank && q.x < p->rank + 1) {
      ++i;
      continue;
    }
    particles_add(p, side, particles_wrapped(p, side, q));
    p->own[i] = p->own[--p->count];
  }
}
/* Takes particles that have come from both sides. */
static inline void particles_take(struct particles* p, int from_left, int from_right) {
  memcpy(p->own + p->count, p->in[0], (size_t)from_left * sizeof(struct particle));
  p->count += from_left;
  memcpy(p->own + p->count, p->in[1], (size_t)from_right * sizeof(struct particle));
  p->count += from_right;
}
/* Fills `out` with copies of the particles near the borders. */
static inline void particles_show(struct particles* p) {
  p->out_count[0] = p->out_count[1] = 0;
  for (int i = 0; i < p->count; ++i) {
    const struct particle q = p->own[i];
    if (q.x < p->rank + particles_range)
      particles_add(p, particles_left, particles_wrapped(p, particles_left, q));
    if (q.x >= p->rank + 1 - particles_range)
      particles_add(p, particles_right, particles_wrapped(p, particles_right, q));
  }
}

static inline int particles_column(const struct particles* p, double x) {
  const int column = (int)floor((x - p->rank) * (double)particles_cells) + 1;
  return column < 0 ? 0 : column > particles_cells + 1 ? particles_cells + 1 : column;
}
static inline int particles_row(double y) {
  const int row = (int)(y * (double)particles_cells);
  return row < 0 ? 0 : row >= particles_cells ? particles_cells - 1 : row;
}
static inline void particles_sort(struct particles* p) {
  for (int c = 0; c < (particles_cells + 2) * particles_cells; ++c) p->cell[c] = -1;
  for (int i = 0; i < p->count + p->ghosts; ++i) {
    int* head =
        &p->cell[particles_column(p, p->own[i].x) * particles_cells + particles_row(p->own[i].y)];
    p->next[i] = *head;
    *head = i;
  }
}
/* Adds the forces on particle i. */
static inline void particles_push(struct particles* p, int i) {
  struct particle* q = &p->own[i];
  const int column = particles_column(p, q->x), row = particles_row(q->y);
  double fx = 0, fy = 0;
  for (int dc = -1; dc <= 1; ++dc)
    for (int dr = -1; dr <= 1; ++dr) {
      const int beside = (row + dr + particles_cells) % particles_cells;
      for (int k = p->cell[(column + dc) * particles_cells + beside]; k >= 0; k = p->next[k]) {
        if (k == i) continue;
        const double dx = q->x - p->own[k].x;
        double dy = q->y - p->own[k].y;
        dy -= dy > 0.5 ? 1 : dy < -0.5 ? -1 : 0;
        const double d2 = dx * dx + dy * dy;
        if (d2 >= particles_range * particles_range || d2 == 0) continue;
        const double d = sqrt(d2);
        const double f = (1 - d / particles_range) / d;
        fx += f * dx;
        fy += f * dy;
      }
    }
  q->vx += fx * particles_dt;
  q->vy += fy * particles_dt;
}
/* Takes the copies that have come from both sides, and moves this rank's own particles. */
static inline void particles_move(struct particles* p, int from_left, int from_right) {
  const int own = p->count;
  particles_take(p, from_left, from_right);
  p->count = own;
  p->ghosts = from_left + from_right;
  particles_sort(p);
  for (int i = 0; i < p->count; ++i) particles_push(p, i);
  for (int i = 0; i < p->count; ++i) {
    struct particle* q = &p->own[i];
    q->x += q->vx * particles_dt;
    q->y += q->vy * particles_dt;
    q->y -= floor(q->y);
  }
}
/* This rank's part of what a step keeps: the number of particles and both momenta. */
static inline void particles_kept(const struct particles* p, double kept[3]) {
  kept[0] = p->count;
  kept[1] = kept[2] = 0;
  for (int i = 0; i < p->count; ++i) {
    kept[1] += p->own[i].vx;
    kept[2] += p->own[i].vy;
  }
}
static inline int particles_are_right(const double before[3], const double after[3]) {
  return after[0] == before[0] && fabs(after[1] - before[1]) < 1e-9 * before[0] &&
         fabs(after[2] - before[2]) < 1e-9 * before[0];
}

#endif
