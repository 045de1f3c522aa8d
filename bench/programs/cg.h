/* SPDX-License-Identifier: BSL-1.0 */
/* A conjugate gradient solver for a 7-point operator. Each rank has size x size x size points; the
 * ranks lie one above the other. An iteration exchanges one plane with either neighbour and combines
 * two scalars. */
#ifndef MPX_BENCH_PROGRAM_CG_H
#define MPX_BENCH_PROGRAM_CG_H

#include "program.h"

enum { cg_iterations = 40 };
static const double cg_diagonal = 7.0;

struct cg {
  size_t n;     /* Points of a side. */
  size_t plane; /* Of a plane, n * n. */
  size_t all;   /* Of this rank, n * n * n. */
  double* x;
  double* r;
  double* p; /* With a plane of a neighbour before and behind. */
  double* ap;
};

static inline struct cg cg_make(int size) {
  struct cg c;
  c.n = (size_t)size;
  c.plane = c.n * c.n;
  c.all = c.n * c.plane;
  c.x = program_doubles(c.all);
  c.r = program_doubles(c.all);
  c.p = program_doubles(c.all + 2 * c.plane);
  c.ap = program_doubles(c.all);
  return c;
}

static inline double cg_dot(const double* a, const double* b, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

/* Begins a solve of A x = 1 from x = 0. Returns this rank's part of the squared residual. */
static inline double cg_start(struct cg* c) {
  memset(c->x, 0, c->all * sizeof(double));
  memset(c->p, 0, (c->all + 2 * c->plane) * sizeof(double));
  for (size_t i = 0; i < c->all; ++i) c->r[i] = c->p[c->plane + i] = 1.0;
  return cg_dot(c->r, c->r, c->all);
}

/* ap = A p. Returns this rank's part of p . A p. Requires: the neighbours' planes are there. */
static inline double cg_apply(struct cg* c) {
  const size_t n = c->n, plane = c->plane;
  for (size_t z = 0; z < n; ++z)
    for (size_t y = 0; y < n; ++y)
      for (size_t x = 0; x < n; ++x) {
        const size_t at = z * plane + y * n + x;
        const double* p = c->p + plane + at;
        double sum = cg_diagonal * p[0] - p[plane] - *(p - plane);
        if (x > 0) sum -= *(p - 1);
        if (x + 1 < n) sum -= p[1];
        if (y > 0) sum -= *(p - n);
        if (y + 1 < n) sum -= p[n];
        c->ap[at] = sum;
      }
  return cg_dot(c->p + plane, c->ap, c->all);
}

/* Returns this rank's part of the new squared residual. */
static inline double cg_advance(struct cg* c, double alpha) {
  const double* p = c->p + c->plane;
  for (size_t i = 0; i < c->all; ++i) {
    c->x[i] += alpha * p[i];
    c->r[i] -= alpha * c->ap[i];
  }
  return cg_dot(c->r, c->r, c->all);
}

static inline void cg_turn(struct cg* c, double beta) {
  double* p = c->p + c->plane;
  for (size_t i = 0; i < c->all; ++i) p[i] = c->r[i] + beta * p[i];
}

/* The operator's condition number is 13: 40 iterations reduce the residual far below this. */
static inline int cg_is_right(double first, double last) { return last < first * 1e-12; }

#endif
