/* SPDX-License-Identifier: BSL-1.0 */
/* The MPI program that scripts/count --mpicc runs under callgrind: a job of one rank that sends to itself
 * through the same ring as to any peer. Only code inside functions named counted_... is counted. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { batch = 256, tag = 7 }; /* Fewer than a ring has lines. */

/* Batches: the cost of the call is shared by all, and the loop is taken off with counted_loop. */
__attribute__((noinline)) void counted_loop(long* x) {
  for (int i = 0; i < batch; ++i) __asm__ volatile("" : : "r"(x) : "memory");
}
__attribute__((noinline)) void counted_isend(long* x, MPI_Request* r) {
  for (int i = 0; i < batch; ++i) MPI_Isend(x, 8, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &r[i]);
}
/* One by one: the call is taken off with counted_call. */
__attribute__((noinline)) void counted_call(long* x) { __asm__ volatile("" : : "r"(x) : "memory"); }
__attribute__((noinline)) void counted_recv(long* y) {
  MPI_Recv(y, 8, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A window of receives, posted before their messages are sent. */
__attribute__((noinline)) void counted_post_window(long* y, MPI_Request* r) {
  for (int i = 0; i < batch; ++i) MPI_Irecv(&y[i], 8, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &r[i]);
}
__attribute__((noinline)) void counted_wait_window(MPI_Request* r) {
  MPI_Waitall(batch, r, MPI_STATUSES_IGNORE);
}

static void check(long sent, long received) {
  if (sent == received) return;
  fprintf(stderr, "mpi_count: sent %ld, received %ld\n", sent, received);
  exit(1);
}

static void run_window(long x, MPI_Request* requests) {
  long y[batch];
  memset(y, -1, sizeof y);
  counted_post_window(y, requests);
  for (int i = 0; i < batch; ++i) MPI_Send(&x, 8, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
  counted_wait_window(requests);
  for (int i = 0; i < batch; ++i) check(x, y[i]);
}

int main(int argc, char** argv) {
  MPI_Request requests[batch];
  if (argc != 3 || atoi(argv[2]) < 1) {
    fprintf(stderr, "usage: mpi_count loop|call|isend|recv|irecv_window BATCHES\n");
    return 2;
  }
  MPI_Init(NULL, NULL);
  for (long b = 0; b < atoi(argv[2]); ++b) {
    long x = b, y = -1;
    if (strcmp(argv[1], "loop") == 0) {
      counted_loop(&x);
    } else if (strcmp(argv[1], "isend") == 0) {
      counted_isend(&x, requests);
      MPI_Waitall(batch, requests, MPI_STATUSES_IGNORE);
      for (int i = 0; i < batch; ++i, check(x, y))
        MPI_Recv(&y, 8, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(argv[1], "irecv_window") == 0) {
      run_window(x, requests);
    } else {
      for (int i = 0; i < batch; ++i) {
        if (strcmp(argv[1], "call") == 0) {
          counted_call(&x);
          continue;
        }
        MPI_Send(&x, 8, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
        counted_recv(&y);
        check(x, y);
      }
    }
  }
  MPI_Finalize();
  return 0;
}
