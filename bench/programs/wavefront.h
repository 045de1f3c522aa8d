/* SPDX-License-Identifier: BSL-1.0 */
/* A sweep over a grid of ranks from one corner to the other, in planes: a rank begins a plane when
 * those to its west and north have ended theirs. Each has size x size points of a plane. */
#ifndef MPX_BENCH_PROGRAM_WAVEFRONT_H
#define MPX_BENCH_PROGRAM_WAVEFRONT_H

#include "program.h"

enum { wavefront_planes = 8, wavefront_modulus = 65521 };

struct wavefront {
  int n;                        /* Points of a side. */
  int columns, lines;           /* Of the grid of ranks. */
  int column, line;             /* Of this rank. */
  int west, north, east, south; /* Ranks; -1: there is none. */
  int* from_west;
  int* from_north;
  int* to_east;
  int* to_south;
};

static inline int* wavefront_edge(int n) { return (int*)malloc((size_t)n * sizeof(int)); }

static inline struct wavefront wavefront_make(int size, int rank, int ranks) {
  struct wavefront w;
  w.n = size;
  w.lines = 1;
  for (int l = 1; l * l <= ranks; ++l)
    if (ranks % l == 0) w.lines = l;
  w.columns = ranks / w.lines;
  w.column = rank % w.columns;
  w.line = rank / w.columns;
  w.west = w.column > 0 ? rank - 1 : -1;
  w.east = w.column + 1 < w.columns ? rank + 1 : -1;
  w.north = w.line > 0 ? rank - w.columns : -1;
  w.south = w.line + 1 < w.lines ? rank + w.columns : -1;
  w.from_west = wavefront_edge(size);
  w.from_north = wavefront_edge(size);
  w.to_east = wavefront_edge(size);
  w.to_south = wavefront_edge(size);
  return w;
}
/* The edge of the whole grid, of plane k. */
static inline void wavefront_begin(struct wavefront* w, int k) {
  for (int i = 0; i < w->n; ++i) {
    if (w->west < 0) w->from_west[i] = k + 1;
    if (w->north < 0) w->from_north[i] = k + 1;
  }
}
/* A point is made of those to its west and north. Returns the last point. */
static inline int wavefront_plane(struct wavefront* w) {
  for (int i = 0; i < w->n; ++i) w->to_south[i] = w->from_north[i];
  for (int y = 0; y < w->n; ++y) {
    int west = w->from_west[y];
    for (int x = 0; x < w->n; ++x)
      west = w->to_south[x] = (west + w->to_south[x] + 1) % wavefront_modulus;
    w->to_east[y] = west;
  }
  return w->to_south[w->n - 1];
}
/* Computes the last plane of the whole grid alone. */
static inline int wavefront_is_right(const struct wavefront* w, int last) {
  const int width = (w->column + 1) * w->n, height = (w->line + 1) * w->n;
  int* row = wavefront_edge(width);
  int west = 0;
  for (int x = 0; x < width; ++x) row[x] = wavefront_planes;
  for (int y = 0; y < height; ++y) {
    west = wavefront_planes;
    for (int x = 0; x < width; ++x) west = row[x] = (west + row[x] + 1) % wavefront_modulus;
  }
  free(row);
  return west == last;
}

#endif
