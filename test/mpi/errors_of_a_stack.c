/* SPDX-License-Identifier: BSL-1.0 */
/* Errors that the stack itself finds, with the library's classes; run with stacks in modules. */
#include "check.h"

int main(int argc, char **argv) {
  int rank, size, provided, one = 1, sum = 0, many[4] = {1, 2, 3, 4}, room[2] = {0};
  const int level = argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  MPI_Status status;
  MPI_Win win;
  MPI_Init_thread(&argc, &argv, level, &provided);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(provided == level);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == size);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Request sending;
  MPI_Isend(many, 4, MPI_INT, next, 1, MPI_COMM_WORLD, &sending);
  FAILS(MPI_Recv(room, 2, MPI_INT, before, 1, MPI_COMM_WORLD, &status), MPI_ERR_TRUNCATE);
  CHECK(room[1] == 2);
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
  MPI_Win_create(many, sizeof many, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  FAILS(MPI_Win_unlock(next, win), MPI_ERR_RMA_SYNC);
  MPI_Win_free(&win);
  return check_end();
}
