/* SPDX-License-Identifier: BSL-1.0 */
/* A 5-point average on a torus whose borders travel by puts. Each rank has size x size points, the
 * ranks one below the other. A rank puts its outer rows into its neighbours' ghost rows; those of even and
 * of odd steps lie apart, so that a step needs one fence. */
#ifndef MPX_BENCH_PROGRAM_STENCIL_H
#define MPX_BENCH_PROGRAM_STENCIL_H

#include "program.h"

struct stencil {
  size_t n;
  double* now;
  double* then;
  double* first; /* The values at the start. */
  double factor; /* By which each step multiplies them. */
};

/* Where a ghost row begins in the window: above or below the rank's rows, at an even or odd step. */
static inline size_t stencil_ghost(const struct stencil* s, int step, int below) {
  return ((size_t)(step % 2) * 2 + (size_t)below) * s->n;
}

static inline struct stencil stencil_make(int size, int rank, int ranks) {
  const double pi = 3.14159265358979323846;
  struct stencil s;
  s.n = (size_t)size;
  s.now = program_doubles(s.n * s.n);
  s.then = program_doubles(s.n * s.n);
  s.first = program_doubles(s.n * s.n);
  const double height = (double)size * ranks;
  for (size_t i = 0; i < s.n; ++i)
    for (size_t j = 0; j < s.n; ++j)
      s.now[i * s.n + j] = s.first[i * s.n + j] =
          cos(2 * pi * ((double)rank * size + (double)i) / height) * cos(2 * pi * (double)j / size);
  s.factor = 0.5 * (cos(2 * pi / height) + cos(2 * pi / size));
  return s;
}
static inline void stencil_step(struct stencil* s, const double* above, const double* below) {
  const size_t n = s->n;
  for (size_t i = 0; i < n; ++i) {
    const double* row = s->now + i * n;
    const double* up = i > 0 ? row - n : above;
    const double* down = i + 1 < n ? row + n : below;
    for (size_t j = 0; j < n; ++j)
      s->then[i * n + j] =
          0.25 * (up[j] + down[j] + row[j == 0 ? n - 1 : j - 1] + row[j + 1 == n ? 0 : j + 1]);
  }
  double* const old = s->now;
  s->now = s->then;
  s->then = old;
}
static inline int stencil_is_right(const struct stencil* s, long steps) {
  const double factor = pow(s->factor, (double)steps);
  for (size_t i = 0; i < s->n * s->n; ++i)
    if (fabs(s->now[i] - s->first[i] * factor) > 1e-9) return 0;
  return 1;
}

#endif
