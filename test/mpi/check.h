/* SPDX-License-Identifier: BSL-1.0 */
/* Checks of the MPI test programs. A program prints its failures and returns 1 if it has some. */
#ifndef MPX_TEST_MPI_CHECK_H
#define MPX_TEST_MPI_CHECK_H
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failures, check_count;
#define CHECK(condition)                                                        \
  do {                                                                          \
    ++check_count;                                                              \
    if (!(condition) && ++check_failures < 20)                                  \
      printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);      \
  } while (0)
/* The call returns an error of this class. */
#define FAILS(call, expected)                                                             \
  do {                                                                                    \
    int check_class = -1;                                                                 \
    ++check_count;                                                                        \
    MPI_Error_class(call, &check_class);                                                  \
    if (check_class != (expected) && ++check_failures < 20)                               \
      printf("%s:%d: %s has class %d, not %s\n", __FILE__, __LINE__, #call, check_class,  \
             #expected);                                                                  \
  } while (0)
static inline int check_end(void) {
  int all = 0;
  MPI_Allreduce(&check_failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all != 0 || check_count == 0;
}
#endif
