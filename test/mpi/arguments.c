/* SPDX-License-Identifier: BSL-1.0 */
/* Every argument that the table of functions says is checked, wrong in each way: a null, a wild, a
 * foreign and a freed handle, a null place, a negative count, a rank, root or tag out of range. Each
 * call must return an error of the right class, through the error handler. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rows, failures, handled;

static void count(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  (void)code;
  ++handled;
}
static void count_of_session(MPI_Session *session, int *code, ...) {
  (void)session;
  (void)code;
  ++handled;
}
static void check(const char *function, const char *argument, int code, int expected) {
  int got = -1;
  ++rows;
  MPI_Error_class(code, &got);
  if (got == expected && handled == rows) return;
  if (++failures < 20)
    printf("%s with a wrong %s: class %d, not %d, after %d of %d calls of the handler\n", function,
           argument, got, expected, handled, rows);
  handled = rows;
}
static void count_of_win(MPI_Win *win, int *code, ...) {
  (void)win;
  (void)code;
  ++handled;
}
#define ROW(function, argument, call, expected) check(function, argument, call, expected);

int main(int argc, char **argv) {
  enum { wrong_handles = 5 };
  void *wrong[wrong_handles] = {NULL, (void *)0xfff, (void *)0x123456789abc0, NULL, NULL};
  int k, number = 0, ints[16] = {0}, ranges[4][3] = {{0, 0, 1}};
  MPI_Count large = 0, larges[16] = {0};
  MPI_Aint address = 0, aints[16] = {0};
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL, types[16];
  MPI_Op op = MPI_OP_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL, counting, of_session;
  MPI_Request request = MPI_REQUEST_NULL, requests[4];
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status, statuses[4];
  char text[8192], bytes[4096] = {0};
  void *pointer = NULL;

  MPI_Session session, other = MPI_SESSION_NULL;
  MPI_Win win, other_win = MPI_WIN_NULL;
  MPI_Errhandler of_win;

  MPI_Init(&argc, &argv);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Session_create_errhandler(count_of_session, &of_session);
  MPI_Session_set_errhandler(session, of_session);
  MPI_Win_create(bytes, sizeof bytes, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
  MPI_Win_create_errhandler(count_of_win, &of_win);
  MPI_Win_set_errhandler(win, of_win);
  MPI_Comm_create_errhandler(count, &counting);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, counting);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, counting);
  for (k = 0; k < 16; ++k) types[k] = MPI_INT;
  for (k = 0; k < 4; ++k) requests[k] = MPI_REQUEST_NULL;
  wrong[3] = (void *)counting;  /* A handle of another kind, */
  MPI_Info_create(&info);       /* and one of an object that is gone. */
  wrong[4] = (void *)info;
  MPI_Info_free(&info);

#include "wrong_arguments.inc"

  printf("%d rows, %d failures\n", rows, failures);
  MPI_Win_free(&win);
  MPI_Session_finalize(&session);
  MPI_Finalize();
  (void)address, (void)large, (void)pointer, (void)message, (void)errhandler, (void)comm, (void)type;
  (void)op, (void)group, (void)request, (void)other, (void)other_win;
  return failures != 0;
}
