/* SPDX-License-Identifier: BSL-1.0 */
/* Survivors of killed ranks (mpi-ext.h), on 4 ranks or more: rank 1 is killed, later the last one.
 * The others learn of it, revoke, agree, shrink, and go on. Run by mpxrun --survive. */
#include <mpi-ext.h>
#include <signal.h>

#include "check.h"

static int class_of(int code) {
  int class = -1;
  MPI_Error_class(code, &class);
  return class;
}
static void die(void) {
  raise(SIGKILL);
  abort();
}
/* The group has exactly the rank `rank` of `comm`. */
static int is_rank(MPI_Group group, MPI_Comm comm, int rank) {
  MPI_Group all;
  int size, zero = 0, there = -1;
  MPI_Group_size(group, &size);
  MPI_Comm_group(comm, &all);
  if (size == 1) MPI_Group_translate_ranks(group, 1, &zero, all, &there);
  MPI_Group_free(&all);
  MPI_Group_free(&group);
  return size == 1 && there == rank;
}

/* Rank 0 alone waits for the killed rank; the others learn of it by the revocation. */
static void learn(MPI_Comm comm, int rank) {
  MPI_Group failed;
  MPI_Request request;
  int x = 0, flag = -1, number = -1;
  if (rank == 0) {
    FAILS(MPI_Recv(&x, 1, MPI_INT, 1, 5, comm, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    MPIX_Comm_get_failed(comm, &failed);
    CHECK(is_rank(failed, comm, 1));
    MPIX_Comm_failure_get_acked(comm, &failed);
    MPI_Group_size(failed, &number);
    CHECK(number == 0);
    MPI_Group_free(&failed);
    /* A receive from any source might wait for the failed rank. */
    FAILS(MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 6, comm, MPI_STATUS_IGNORE),
          MPIX_ERR_PROC_FAILED);
    CHECK(MPIX_Comm_ack_failed(comm, 0, &number) == MPI_SUCCESS && number == 0);
    FAILS(MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 6, comm, MPI_STATUS_IGNORE),
          MPIX_ERR_PROC_FAILED);
    CHECK(MPIX_Comm_ack_failed(comm, 9, &number) == MPI_SUCCESS && number == 1);
    MPI_Send(&x, 1, MPI_INT, 2, 5, comm);
    CHECK(MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 6, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(x == 66);
    MPIX_Comm_failure_get_acked(comm, &failed);
    CHECK(is_rank(failed, comm, 1));
    CHECK(MPIX_Comm_is_revoked(comm, &flag) == MPI_SUCCESS && flag == 0);
    CHECK(MPIX_Comm_revoke(comm) == MPI_SUCCESS);
  } else {
    if (rank == 2) {
      MPI_Recv(&x, 1, MPI_INT, 0, 5, comm, MPI_STATUS_IGNORE);
      x = 66;
      MPI_Send(&x, 1, MPI_INT, 0, 6, comm);
    }
    MPI_Irecv(&x, 1, MPI_INT, 0, 7, comm, &request);
    FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
  }
  CHECK(MPIX_Comm_is_revoked(comm, &flag) == MPI_SUCCESS && flag == 1);
  FAILS(MPI_Barrier(comm), MPIX_ERR_REVOKED);
  FAILS(MPI_Send(&x, 1, MPI_INT, 0, 0, comm), MPIX_ERR_REVOKED);
}

/* A communicator is freed while its agreements are under way. They are not cancelled. */
static void free_early(MPI_Comm comm, int size) {
  MPI_Comm twin, made;
  MPI_Request requests[2];
  int flag = 5, living = 0;
  MPI_Comm_dup(comm, &twin);
  CHECK(MPIX_Comm_iagree(twin, &flag, &requests[0]) == MPI_SUCCESS);
  CHECK(MPIX_Comm_ishrink(twin, &made, &requests[1]) == MPI_SUCCESS);
  FAILS(MPI_Request_free(&requests[1]), MPI_ERR_REQUEST);
  CHECK(MPI_Cancel(&requests[0]) == MPI_SUCCESS);
  MPI_Comm_free(&twin);
  MPI_Barrier(comm);
  CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  MPI_Comm_size(made, &living);
  CHECK(flag == 5 && living == size);
  MPI_Barrier(made);
  MPI_Comm_free(&made);
}

static MPI_Comm recover(MPI_Comm comm, int rank, int size) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Group failed;
  MPI_Request requests[3];
  int flag = 6 + (rank == 0), living = 0, flags[2] = {12 + (rank == 0), 7};
  /* Not all survivors have acknowledged the failure: all are told, with the result. */
  FAILS(MPIX_Comm_agree(comm, &flag), MPIX_ERR_PROC_FAILED);
  CHECK(flag == 6);
  flag = 10 + (rank == 0);
  CHECK(MPIX_Comm_iagree(comm, &flag, &requests[0]) == MPI_SUCCESS);
  FAILS(MPI_Wait(&requests[0], MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
  CHECK(flag == 10 && requests[0] == MPI_REQUEST_NULL);
  CHECK(MPIX_Comm_failure_ack(comm) == MPI_SUCCESS);
  flag = rank == 0 ? 3 : 5;
  CHECK(MPIX_Comm_agree(comm, &flag) == MPI_SUCCESS && flag == 1);
  MPIX_Comm_failure_get_acked(comm, &failed);
  CHECK(is_rank(failed, comm, 1));
  /* Several at once, which end together. */
  CHECK(MPIX_Comm_iagree(comm, &flags[0], &requests[0]) == MPI_SUCCESS);
  CHECK(MPIX_Comm_ishrink(comm, &made, &requests[1]) == MPI_SUCCESS);
  CHECK(MPIX_Comm_iagree(comm, &flags[1], &requests[2]) == MPI_SUCCESS);
  FAILS(MPI_Request_free(&requests[0]), MPI_ERR_REQUEST);
  CHECK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  CHECK(flags[0] == 12 && flags[1] == 7);
  MPI_Comm_size(made, &living);
  CHECK(living == size - 1);
  MPI_Comm_free(&made);
  CHECK(MPIX_Comm_shrink(comm, &made) == MPI_SUCCESS);
  MPI_Comm_size(made, &living);
  CHECK(living == size - 1);
  free_early(made, living);
  return made;
}

/* Iterations in which the last rank is killed; survivors repeat the one that failed. */
static MPI_Comm iterate(MPI_Comm comm) {
  int done = 0, rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int first_size = size;
  for (int tries = 0; done < 20 && tries < 40; ++tries) {
    int sum = 0, one = 1, ok = 1;
    MPI_Request request;
    if (done == 10 && size == first_size && rank == size - 1) {
      MPIX_Comm_iagree(comm, &ok, &request);  /* Dies in the middle of it. */
      die();
    }
    ok = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS;
    if (!ok) MPIX_Comm_revoke(comm);
    MPIX_Comm_failure_ack(comm);
    MPIX_Comm_agree(comm, &ok);
    if (ok) {
      CHECK(sum == size);
      ++done;
      continue;
    }
    MPI_Comm smaller;
    CHECK(MPIX_Comm_shrink(comm, &smaller) == MPI_SUCCESS);
    MPI_Comm_free(&comm);
    comm = smaller;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
  }
  CHECK(done == 20);
  CHECK(size == first_size - 1);
  return comm;
}

static void wrong_arguments(MPI_Comm comm) {
  MPI_Comm wild = (MPI_Comm)0x123456789abc0;
  int flag;
  MPI_Group group;
  MPI_Request request;
  FAILS(MPIX_Comm_revoke(MPI_COMM_NULL), MPI_ERR_COMM);
  FAILS(MPIX_Comm_revoke(wild), MPI_ERR_COMM);
  FAILS(MPIX_Comm_is_revoked(wild, &flag), MPI_ERR_COMM);
  FAILS(MPIX_Comm_is_revoked(comm, NULL), MPI_ERR_ARG);
  FAILS(MPIX_Comm_shrink(wild, &wild), MPI_ERR_COMM);
  FAILS(MPIX_Comm_shrink(comm, NULL), MPI_ERR_ARG);
  FAILS(MPIX_Comm_agree(wild, &flag), MPI_ERR_COMM);
  FAILS(MPIX_Comm_agree(comm, NULL), MPI_ERR_ARG);
  FAILS(MPIX_Comm_iagree(wild, &flag, &request), MPI_ERR_COMM);
  FAILS(MPIX_Comm_iagree(comm, NULL, &request), MPI_ERR_ARG);
  FAILS(MPIX_Comm_iagree(comm, &flag, NULL), MPI_ERR_ARG);
  FAILS(MPIX_Comm_ishrink(wild, &wild, &request), MPI_ERR_COMM);
  FAILS(MPIX_Comm_ishrink(comm, NULL, &request), MPI_ERR_ARG);
  FAILS(MPIX_Comm_ishrink(comm, &wild, NULL), MPI_ERR_ARG);
  FAILS(MPIX_Comm_failure_ack(wild), MPI_ERR_COMM);
  FAILS(MPIX_Comm_failure_get_acked(wild, &group), MPI_ERR_COMM);
  FAILS(MPIX_Comm_failure_get_acked(comm, NULL), MPI_ERR_ARG);
  FAILS(MPIX_Comm_get_failed(wild, &group), MPI_ERR_COMM);
  FAILS(MPIX_Comm_get_failed(comm, NULL), MPI_ERR_ARG);
  FAILS(MPIX_Comm_ack_failed(wild, 1, &flag), MPI_ERR_COMM);
  FAILS(MPIX_Comm_ack_failed(comm, -1, &flag), MPI_ERR_COUNT);
  FAILS(MPIX_Comm_ack_failed(comm, 1, NULL), MPI_ERR_ARG);
}

int main(int argc, char **argv) {
  char text[MPI_MAX_ERROR_STRING];
  int rank, size, length, sum = 0;
  MPI_Comm comm, made;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  wrong_arguments(comm);
  CHECK(MPI_Error_string(MPIX_ERR_REVOKED, text, &length) == MPI_SUCCESS && length > 0);
  CHECK(class_of(MPIX_ERR_PROC_FAILED_PENDING) == MPIX_ERR_PROC_FAILED_PENDING);
  MPI_Barrier(comm);
  if (rank == 1) die();
  learn(comm, rank);
  made = iterate(recover(comm, rank, size));
  MPI_Allreduce(&check_failures, &sum, 1, MPI_INT, MPI_SUM, made);
  MPI_Comm_rank(made, &rank);
  MPI_Comm_size(made, &size);
  if (rank == 0) printf("%d ranks went on, %d failures\n", size, sum);
  MPI_Comm_free(&made);
  MPI_Comm_free(&comm);
  return MPI_Finalize() != MPI_SUCCESS || sum != 0;
}
