/* SPDX-License-Identifier: BSL-1.0 */
/* Heat in a square plate, on a grid of ranks: neighbours exchange rows and columns (a datatype).
 * Prints the mean temperature, which does not depend on the number of ranks.
 * Build and run: mpicc -O2 stencil.c -o stencil -lm && mpiexec -n 4 ./stencil [POINTS] [STEPS] */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int part(int points, int parts, int i) { return points * i / parts; }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int points = argc > 1 ? atoi(argv[1]) : 200;
  int steps = argc > 2 ? atoi(argv[2]) : 100;
  int ranks, dims[2] = {0, 0}, periods[2] = {0, 0}, at[2], me;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, dims);
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  MPI_Comm_rank(grid, &me);
  MPI_Cart_coords(grid, me, 2, at);
  int up, down, left, right;
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  MPI_Cart_shift(grid, 1, 1, &left, &right);

  int rows = part(points, dims[0], at[0] + 1) - part(points, dims[0], at[0]);
  int columns = part(points, dims[1], at[1] + 1) - part(points, dims[1], at[1]);
  int width = columns + 2;
  double *now = calloc((size_t)(rows + 2) * (size_t)width, sizeof *now);
  double *next = calloc((size_t)(rows + 2) * (size_t)width, sizeof *next);
  for (int i = 1; i <= rows; ++i)
    for (int k = 1; k <= columns; ++k)
      now[i * width + k] = (part(points, dims[0], at[0]) + i) * (part(points, dims[1], at[1]) + k) % 101;

  MPI_Datatype column;
  MPI_Type_vector(rows, 1, width, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int step = 0; step < steps; ++step) {
    MPI_Request all[8];
    MPI_Irecv(now + 1, columns, MPI_DOUBLE, up, 0, grid, &all[0]);
    MPI_Irecv(now + (rows + 1) * width + 1, columns, MPI_DOUBLE, down, 1, grid, &all[1]);
    MPI_Irecv(now + width, 1, column, left, 2, grid, &all[2]);
    MPI_Irecv(now + width + columns + 1, 1, column, right, 3, grid, &all[3]);
    MPI_Isend(now + rows * width + 1, columns, MPI_DOUBLE, down, 0, grid, &all[4]);
    MPI_Isend(now + width + 1, columns, MPI_DOUBLE, up, 1, grid, &all[5]);
    MPI_Isend(now + width + columns, 1, column, right, 2, grid, &all[6]);
    MPI_Isend(now + width + 1, 1, column, left, 3, grid, &all[7]);
    MPI_Waitall(8, all, MPI_STATUSES_IGNORE);
    for (int i = 1; i <= rows; ++i)
      for (int k = 1; k <= columns; ++k) {
        const double *p = now + i * width + k;
        next[i * width + k] = p[0] + 0.1 * (p[-1] + p[1] + p[-width] + p[width] - 4 * p[0]);
      }
    double *last = now;
    now = next;
    next = last;
  }

  double sum = 0, total = 0;
  for (int i = 1; i <= rows; ++i)
    for (int k = 1; k <= columns; ++k) sum += now[i * width + k];
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, grid);
  if (me == 0) printf("mean temperature %.6f\n", total / ((double)points * points));
  MPI_Type_free(&column);
  MPI_Comm_free(&grid);
  free(now);
  free(next);
  MPI_Finalize();
  return 0;
}
