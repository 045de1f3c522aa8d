/* SPDX-License-Identifier: BSL-1.0 */
/* The transposition of a square matrix of doubles. Each rank has `size` of its rows, and gives each
 * other rank a block of size x size. */
#ifndef MPX_BENCH_PROGRAM_TRANSPOSE_H
#define MPX_BENCH_PROGRAM_TRANSPOSE_H

#include "program.h"

struct transpose {
  size_t block; /* Rows of a rank. */
  size_t width; /* Columns of the matrix. */
  size_t ranks;
  double* rows;
  double* out; /* Blocks, one for each rank. */
  double* in;
};

static inline struct transpose transpose_make(int size, int rank, int ranks) {
  struct transpose t;
  t.block = (size_t)size;
  t.ranks = (size_t)ranks;
  t.width = t.block * t.ranks;
  t.rows = program_doubles(t.block * t.width);
  t.out = program_doubles(t.block * t.width);
  t.in = program_doubles(t.block * t.width);
  for (size_t i = 0; i < t.block * t.width; ++i)
    t.rows[i] = (double)((size_t)rank * t.block * t.width + i);
  return t;
}
static inline void transpose_pack(struct transpose* t) {
  for (size_t to = 0; to < t->ranks; ++to)
    for (size_t j = 0; j < t->block; ++j)
      for (size_t i = 0; i < t->block; ++i)
        t->out[(to * t->block + j) * t->block + i] = t->rows[i * t->width + to * t->block + j];
}
static inline void transpose_unpack(struct transpose* t) {
  for (size_t from = 0; from < t->ranks; ++from)
    for (size_t j = 0; j < t->block; ++j)
      memcpy(t->rows + j * t->width + from * t->block, t->in + (from * t->block + j) * t->block,
             t->block * sizeof(double));
}
/* After `times` transpositions. */
static inline int transpose_is_right(const struct transpose* t, int rank, long times) {
  for (size_t i = 0; i < t->block; ++i)
    for (size_t j = 0; j < t->width; ++j) {
      const size_t row = (size_t)rank * t->block + i;
      const size_t is = times % 2 == 0 ? row * t->width + j : j * t->width + row;
      if (t->rows[i * t->width + j] != (double)is) return 0;
    }
  return 1;
}

#endif
