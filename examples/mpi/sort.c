/* SPDX-License-Identifier: BSL-1.0 */
/* Sample sort: every rank has numbers; afterwards they are sorted over the ranks. Each rank checks its
 * part, and rank 0 says whether all is in order.
 * Build and run: mpicc -O2 sort.c -o sort && mpiexec -n 4 ./sort [NUMBERS A RANK] */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int me, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int n = argc > 1 ? atoi(argv[1]) : 100000;
  int64_t *mine = malloc((size_t)n * sizeof *mine + 1);
  uint64_t state = 88172645463325252u + (uint64_t)me;
  int64_t check = 0;
  for (int i = 0; i < n; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    mine[i] = (int64_t)(state >> 20);
    check ^= mine[i];
  }
  qsort(mine, (size_t)n, sizeof *mine, compare);

  /* Every rank gives `ranks` samples; splitters are taken from all of them. */
  int64_t *samples = calloc((size_t)ranks, sizeof *samples);
  int64_t *every = calloc((size_t)ranks * (size_t)ranks, sizeof *every);
  for (int i = 0; i < ranks && n > 0; ++i) samples[i] = mine[(int64_t)n * i / ranks];
  MPI_Allgather(samples, ranks, MPI_INT64_T, every, ranks, MPI_INT64_T, MPI_COMM_WORLD);
  qsort(every, (size_t)ranks * (size_t)ranks, sizeof *every, compare);

  int *counts = calloc((size_t)ranks, sizeof *counts), *places = calloc((size_t)ranks, sizeof *places);
  int *coming = calloc((size_t)ranks, sizeof *coming), *at = calloc((size_t)ranks, sizeof *at);
  int to = 0;
  for (int i = 0; i < n; ++i) {
    while (to + 1 < ranks && mine[i] >= every[(to + 1) * ranks]) ++to;
    ++counts[to];
  }
  MPI_Alltoall(counts, 1, MPI_INT, coming, 1, MPI_INT, MPI_COMM_WORLD);
  int total = 0;
  for (int r = 0; r < ranks; ++r) {
    places[r] = r == 0 ? 0 : places[r - 1] + counts[r - 1];
    at[r] = total;
    total += coming[r];
  }
  int64_t *sorted = malloc((size_t)total * sizeof *sorted + 1);
  MPI_Alltoallv(mine, counts, places, MPI_INT64_T, sorted, coming, at, MPI_INT64_T, MPI_COMM_WORLD);
  qsort(sorted, (size_t)total, sizeof *sorted, compare);

  int good = 1;
  for (int i = 0; i < total; ++i) {
    check ^= sorted[i];
    if (i > 0 && sorted[i - 1] > sorted[i]) good = 0;
  }
  int64_t first = total > 0 ? sorted[0] : INT64_MAX, last = total > 0 ? sorted[total - 1] : INT64_MIN;
  int64_t below = INT64_MIN, all_check = 0;
  MPI_Exscan(&last, &below, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  if (me > 0 && total > 0 && below > first) good = 0;
  MPI_Allreduce(&check, &all_check, 1, MPI_INT64_T, MPI_BXOR, MPI_COMM_WORLD);
  int all_good = 0;
  MPI_Reduce(&good, &all_good, 1, MPI_INT, MPI_LAND, 0, MPI_COMM_WORLD);
  if (me == 0)
    printf("%d numbers on %d ranks: %s\n", n * ranks, ranks,
           all_good && all_check == 0 ? "sorted" : "WRONG");
  free(mine), free(samples), free(every), free(counts), free(places), free(coming), free(at), free(sorted);
  MPI_Finalize();
  return 0;
}
