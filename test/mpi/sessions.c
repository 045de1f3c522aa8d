/* SPDX-License-Identifier: BSL-1.0 */
/* Sessions: communicators without MPI_Init, sessions one after the other, sessions beside MPI_Init. */
#include "check.h"

static int errors_counted;
static void count_error(MPI_Comm *comm, int *code, ...) {
  CHECK(*comm == MPI_COMM_NULL && *code == MPI_ERR_ARG);
  ++errors_counted;
}

static int errors;
static void on_error(MPI_Session *session, int *code, ...) {
  (void)session;
  errors += *code;
}

static void session(int turn) {
  MPI_Session one;
  MPI_Group world, self;
  MPI_Comm comm, alone, inter;
  MPI_Info info;
  MPI_Errhandler handler;
  int n, length = 64, size, rank, sum, flag;
  char name[64], value[32];
  MPI_Info_create(&info);
  MPI_Info_set(info, "thread_level", "SERIALIZED");
  FAILS(MPI_Session_init(info, MPI_ERRORS_RETURN, &one), MPI_ERR_INFO_VALUE);
  FAILS(MPI_Session_init(info, MPI_ERRORS_RETURN, NULL), MPI_ERR_ARG);
  MPI_Info_set(info, "thread_level", "MPI_THREAD_SERIALIZED");
  CHECK(MPI_Session_init(info, MPI_ERRORS_RETURN, &one) == MPI_SUCCESS);
  MPI_Info_free(&info);
  MPI_Session_get_num_psets(one, MPI_INFO_NULL, &n);
  CHECK(n == 2);
  MPI_Session_get_nth_pset(one, MPI_INFO_NULL, 0, &length, name);
  CHECK(strcmp(name, "mpi://WORLD") == 0 && length == 12);
  MPI_Group_from_session_pset(one, name, &world);
  MPI_Group_size(world, &size);
  MPI_Group_rank(world, &rank);
  MPI_Session_get_pset_info(one, name, &info);
  length = sizeof value;
  MPI_Info_get_string(info, "mpi_size", &length, value, &flag);
  CHECK(flag && atoi(value) == size);
  MPI_Info_free(&info);
  FAILS(MPI_Group_from_session_pset(one, "mpi://MOON", &self), MPI_ERR_ARG);
  MPI_Session_create_errhandler(on_error, &handler);
  MPI_Session_set_errhandler(one, handler);
  MPI_Errhandler_free(&handler);
  FAILS(MPI_Session_get_pset_info(one, "mpi://MOON", &info), MPI_ERR_ARG);
  CHECK(errors == MPI_ERR_ARG * (turn + 1));
  CHECK(MPI_Session_call_errhandler(one, 1) == MPI_SUCCESS && errors == MPI_ERR_ARG * (turn + 1) + 1);
  --errors;
  FAILS(MPI_Comm_create_from_group(world, "mpx.test", MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL),
        MPI_ERR_ARG);
  errors_counted = 0;
  MPI_Comm_create_errhandler(count_error, &handler);
  FAILS(MPI_Comm_create_from_group(world, NULL, MPI_INFO_NULL, handler, &comm), MPI_ERR_ARG);
  CHECK(errors_counted == 1);
  MPI_Errhandler_free(&handler);
  MPI_Comm_create_from_group(world, "mpx.test", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == size * (size - 1) / 2);
  FAILS(MPI_Send(&rank, 1, MPI_INT, size, 0, comm), MPI_ERR_RANK);
  MPI_Message message;
  MPI_Request request;
  MPI_Status status;
  MPI_Mprobe(MPI_PROC_NULL, 0, comm, &message, &status);
  CHECK(MPI_Imrecv(&n, 1, MPI_INT, &message, &request) == MPI_SUCCESS);
  MPI_Wait(&request, &status);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && message == MPI_MESSAGE_NULL);
  MPI_Group_from_session_pset(one, "mpi://SELF", &self);
  MPI_Intercomm_create_from_groups(self, 0, MPI_GROUP_EMPTY, 0, "mpx.none", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                   &inter);
  CHECK(inter == MPI_COMM_NULL);
  MPI_Comm_create_from_group(self, "mpx.self", MPI_INFO_NULL, MPI_ERRORS_RETURN, &alone);
  MPI_Comm_size(alone, &n);
  CHECK(n == 1);
  if (size > 1) {
    MPI_Group low, high;
    int ranges[1][3] = {{0, size / 2 - 1, 1}};
    MPI_Group_range_incl(world, 1, ranges, &low);
    MPI_Group_range_excl(world, 1, ranges, &high);
    const int is_low = rank < size / 2;
    int mine; /* Only the leader's remote leader counts. */
    MPI_Group_rank(is_low ? low : high, &mine);
    MPI_Intercomm_create_from_groups(is_low ? low : high, 0, is_low ? high : low, mine == 0 ? 0 : -1, "mpx.inter",
                                     MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter);
    MPI_Comm_remote_size(inter, &n);
    CHECK(n == (is_low ? size - size / 2 : size / 2));
    MPI_Barrier(inter);
    MPI_Comm_free(&inter);
    MPI_Group_free(&low);
    MPI_Group_free(&high);
  }
  MPI_Comm_free(&alone);
  MPI_Comm_free(&comm);
  MPI_Group_free(&world);
  MPI_Group_free(&self);
  MPI_Session_finalize(&one);
  CHECK(one == MPI_SESSION_NULL);
}

int main(int argc, char **argv) {
  int flag;
  session(0);
  session(1);
  MPI_Initialized(&flag);
  CHECK(!flag);
  MPI_Init(&argc, &argv);
  session(2);
  const int failed = check_end();
  session(3); /* After MPI_Finalize. */
  return failed || check_failures != 0;
}
