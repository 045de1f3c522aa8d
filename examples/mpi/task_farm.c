/* SPDX-License-Identifier: BSL-1.0 */
/* A task farm: rank 0 gives out tasks, the others ask for the next one when they are done. Tasks take
 * different times, so that fast ranks do more. Alone, rank 0 does all.
 * Build and run: mpicc -O2 task_farm.c -o task_farm && mpiexec -n 4 ./task_farm [TASKS] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { tag_task, tag_result, tag_end };

/* Number of steps of the Collatz sequence of n. */
static long steps_of(long n) {
  long steps = 0;
  for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int me, ranks, tasks = argc > 1 ? atoi(argv[1]) : 1000;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  long sum = 0;
  if (me == 0) {
    int next = 1, busy = 0;
    for (; busy + 1 < ranks && next <= tasks; ++next, ++busy)
      MPI_Send(&next, 1, MPI_INT, busy + 1, tag_task, MPI_COMM_WORLD);
    while (busy > 0) {
      long result;
      MPI_Status from;
      MPI_Recv(&result, 1, MPI_LONG, MPI_ANY_SOURCE, tag_result, MPI_COMM_WORLD, &from);
      sum += result;
      if (next <= tasks) {
        MPI_Send(&next, 1, MPI_INT, from.MPI_SOURCE, tag_task, MPI_COMM_WORLD);
        ++next;
      } else {
        --busy;
      }
    }
    for (; ranks == 1 && next <= tasks; ++next) sum += steps_of(next);
    for (int r = 1; r < ranks; ++r) MPI_Send(NULL, 0, MPI_INT, r, tag_end, MPI_COMM_WORLD);
    printf("%d tasks, %ld steps\n", tasks, sum);
  } else {
    for (;;) {
      int task;
      MPI_Status what;
      MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &what);
      if (what.MPI_TAG == tag_end) break;
      long result = steps_of(task);
      MPI_Send(&result, 1, MPI_LONG, 0, tag_result, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
