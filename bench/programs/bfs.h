/* SPDX-License-Identifier: BSL-1.0 */
/* A breadth-first search through a random graph, of which each rank has `size` vertices. A rank sends
 * the vertices that it reaches to their owners, a few at a time, and polls for those that others reach. A
 * level ends when each rank has told each other that it has no more. */
#ifndef MPX_BENCH_PROGRAM_BFS_H
#define MPX_BENCH_PROGRAM_BFS_H

#include "program.h"

enum {
  bfs_degree = 8,
  bfs_chunk = 64,  /* Vertices of the frontier between two polls. */
  bfs_batch = 128, /* Vertices of a message. */
  bfs_sends = 32,  /* Messages on their way at once. */
  bfs_tag_found = 1,
  bfs_tag_end = 2
};

struct bfs {
  uint32_t size, ranks, rank;
  int* level;         /* Of each own vertex; -1: not reached. */
  uint32_t* frontier; /* Own vertices of this level, and of the next. */
  uint32_t* next;
  uint32_t frontier_count, next_count;
  int depth;
  uint32_t* found; /* For each rank a batch that is being filled. */
  uint32_t* found_count;
};

static inline uint32_t bfs_neighbour(const struct bfs* b, uint32_t vertex, uint32_t k) {
  uint64_t h = (uint64_t)vertex * bfs_degree + k + 1;
  h = (h ^ (h >> 31)) * 0x9e3779b97f4a7c15u;
  h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9u;
  return (uint32_t)((h >> 32) % ((uint64_t)b->size * b->ranks));
}

static inline struct bfs bfs_make(int size, int rank, int ranks) {
  struct bfs b;
  memset(&b, 0, sizeof b);
  b.size = (uint32_t)size;
  b.rank = (uint32_t)rank;
  b.ranks = (uint32_t)ranks;
  b.level = (int*)malloc(b.size * sizeof(int));
  b.frontier = (uint32_t*)malloc(b.size * sizeof(uint32_t));
  b.next = (uint32_t*)malloc(b.size * sizeof(uint32_t));
  b.found = (uint32_t*)malloc((size_t)b.ranks * bfs_batch * sizeof(uint32_t));
  b.found_count = (uint32_t*)calloc(b.ranks, sizeof(uint32_t));
  return b;
}
static inline void bfs_reach(struct bfs* b, uint32_t vertex) {
  const uint32_t at = vertex / b->ranks;
  if (b->level[at] >= 0) return;
  b->level[at] = b->depth + 1;
  b->next[b->next_count++] = vertex;
}
static inline void bfs_reach_all(struct bfs* b, const uint32_t* vertices, int count) {
  for (int i = 0; i < count; ++i) bfs_reach(b, vertices[i]);
}
static inline void bfs_start(struct bfs* b, uint32_t root) {
  for (uint32_t i = 0; i < b->size; ++i) b->level[i] = -1;
  b->frontier_count = b->next_count = 0;
  b->depth = -1;
  if (root % b->ranks == b->rank) bfs_reach(b, root);
}
/* Writes the neighbours of up to `bfs_chunk` vertices of the frontier. Returns how many. */
static inline uint32_t bfs_expand(const struct bfs* b, uint32_t from, uint32_t* reached) {
  uint32_t count = 0;
  for (uint32_t i = from; i < b->frontier_count && i < from + bfs_chunk; ++i)
    for (uint32_t k = 0; k < bfs_degree; ++k)
      reached[count++] = bfs_neighbour(b, b->frontier[i], k);
  return count;
}
/* Makes the next level this one. */
static inline void bfs_descend(struct bfs* b) {
  uint32_t* const emptied = b->frontier;
  b->frontier = b->next;
  b->frontier_count = b->next_count;
  b->next = emptied;
  b->next_count = 0;
  ++b->depth;
}
/* Reached vertices and the sum of their levels, of this rank. */
static inline void bfs_sum(const struct bfs* b, double sum[2]) {
  sum[0] = sum[1] = 0;
  for (uint32_t i = 0; i < b->size; ++i) {
    if (b->level[i] < 0) continue;
    sum[0] += 1;
    sum[1] += b->level[i];
  }
}
/* The same of the whole graph, searched alone. */
static inline void bfs_alone(const struct bfs* of, uint32_t root, double sum[2]) {
  struct bfs b = *of;
  const uint32_t all = of->size * of->ranks;
  int* level = (int*)malloc(all * sizeof(int));
  uint32_t* queue = (uint32_t*)malloc(all * sizeof(uint32_t));
  for (uint32_t i = 0; i < all; ++i) level[i] = -1;
  uint32_t head = 0, tail = 0;
  queue[tail++] = root;
  level[root] = 0;
  sum[0] = sum[1] = 0;
  while (head < tail) {
    const uint32_t v = queue[head++];
    sum[0] += 1;
    sum[1] += level[v];
    for (uint32_t k = 0; k < bfs_degree; ++k) {
      const uint32_t to = bfs_neighbour(&b, v, k);
      if (level[to] >= 0) continue;
      level[to] = level[v] + 1;
      queue[tail++] = to;
    }
  }
  free(level);
  free(queue);
}

#endif
