/* SPDX-License-Identifier: BSL-1.0 */
/* Buffered sends from buffers of the process, of a communicator, of a session, and automatic ones:
 * which one is used, attaching and detaching, flushes, and room. All messages go from a rank to itself,
 * so that it decides when one is received. Runs on any number of ranks. */
#include "check.h"

enum { n = 70000, room = n + MPI_BSEND_OVERHEAD };
static char out[n], in[n], memory[3][room];

static void receive(int tag, MPI_Comm comm) {
  int me;
  MPI_Status status;
  MPI_Comm_rank(comm, &me);
  memset(in, 0, sizeof in);
  CHECK(MPI_Recv(in, n, MPI_CHAR, me, tag, comm, &status) == MPI_SUCCESS);
  CHECK(in[0] == (char)tag && in[n - 1] == (char)tag);
}
static int bsend(int tag, MPI_Comm comm) {
  int me;
  MPI_Comm_rank(comm, &me);
  memset(out, tag, sizeof out);
  const int code = MPI_Bsend(out, n, MPI_CHAR, me, tag, comm);
  memset(out, 0, sizeof out); /* The send has ended. */
  return code;
}
/* One message fits; there is room again when it is received. */
static void one_fits(MPI_Comm comm) {
  CHECK(bsend(1, comm) == MPI_SUCCESS);
  FAILS(bsend(2, comm), MPI_ERR_BUFFER);
  receive(1, comm);
  CHECK(bsend(3, comm) == MPI_SUCCESS);
  receive(3, comm);
}

/* The buffer of the communicator is used first, then that of the process. */
static void choice(void) {
  MPI_Comm one, two;
  void *back = NULL;
  int size = -1;
  MPI_Count large = -1;
  MPI_Comm_dup(MPI_COMM_WORLD, &one);
  MPI_Comm_dup(MPI_COMM_WORLD, &two);
  FAILS(bsend(1, one), MPI_ERR_BUFFER);
  FAILS(MPI_Buffer_attach(NULL, 10), MPI_ERR_BUFFER);
  CHECK(MPI_Buffer_attach(memory[0], room) == MPI_SUCCESS);
  FAILS(MPI_Buffer_attach(memory[1], room), MPI_ERR_BUFFER);
  one_fits(one);
  CHECK(MPI_Comm_attach_buffer(one, memory[1], room) == MPI_SUCCESS);
  FAILS(MPI_Comm_attach_buffer(one, memory[2], room), MPI_ERR_BUFFER);
  CHECK(bsend(4, one) == MPI_SUCCESS);
  CHECK(bsend(5, two) == MPI_SUCCESS); /* In another buffer. */
  FAILS(bsend(6, one), MPI_ERR_BUFFER);
  FAILS(bsend(6, two), MPI_ERR_BUFFER);
  CHECK(memory[1][n / 2] == 4 && memory[0][n / 2] == 5);
  receive(4, one);
  receive(5, two);
  one_fits(one);
  CHECK(MPI_Comm_flush_buffer(one) == MPI_SUCCESS && MPI_Comm_flush_buffer(two) == MPI_SUCCESS);
  CHECK(MPI_Comm_detach_buffer(one, &back, &size) == MPI_SUCCESS);
  CHECK(back == memory[1] && size == room);
  CHECK(MPI_Comm_detach_buffer(one, &back, &size) == MPI_SUCCESS && back == NULL && size == 0);
  one_fits(one); /* In the buffer of the process again. */
  CHECK(MPI_Buffer_flush() == MPI_SUCCESS);
  CHECK(MPI_Buffer_detach_c(&back, &large) == MPI_SUCCESS && back == memory[0] && large == room);
  /* An attached buffer goes with its communicator. */
  CHECK(MPI_Comm_attach_buffer_c(one, memory[1], room) == MPI_SUCCESS);
  CHECK(bsend(7, one) == MPI_SUCCESS);
  receive(7, one);
  MPI_Comm_free(&one);
  MPI_Comm_free(&two);
}

/* Messages that do not end with their calls: small gaps are used, many messages fit. */
static void gaps(void) {
  int me, k, sum = 0, value, size;
  void *back;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  CHECK(MPI_Comm_attach_buffer(MPI_COMM_WORLD, memory[0], room) == MPI_SUCCESS);
  for (k = 0; k < 4; ++k) {
    memset(out, k, 17000);
    CHECK(MPI_Bsend(out, 17000, MPI_CHAR, me, 10 + k, MPI_COMM_WORLD) == MPI_SUCCESS);
  }
  FAILS(MPI_Bsend(out, 17000, MPI_CHAR, me, 20, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  for (k = 0; k < 3; k += 2)
    MPI_Recv(in, 17000, MPI_CHAR, me, 10 + k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  FAILS(MPI_Bsend(out, 20000, MPI_CHAR, me, 20, MPI_COMM_WORLD), MPI_ERR_BUFFER); /* Two gaps. */
  for (k = 0; k < 3; k += 2) {
    memset(out, 30 + k, 17000);
    CHECK(MPI_Bsend(out, 17000, MPI_CHAR, me, 30 + k, MPI_COMM_WORLD) == MPI_SUCCESS);
  }
  for (k = 0; k < 3; k += 2) {
    MPI_Recv(in, 17000, MPI_CHAR, me, 11 + k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in[16999] == 1 + k);
    MPI_Recv(in, 17000, MPI_CHAR, me, 30 + k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in[16999] == 30 + k);
  }
  for (k = 0; k < 10; ++k) MPI_Bsend(&k, 1, MPI_INT, me, 40, MPI_COMM_WORLD);
  MPI_Bsend(&k, 0, MPI_INT, me, 41, MPI_COMM_WORLD);
  MPI_Bsend(&k, 1, MPI_INT, MPI_PROC_NULL, 41, MPI_COMM_WORLD);
  for (k = 0; k < 10; ++k) {
    MPI_Recv(&value, 1, MPI_INT, me, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += value * (k + 1);
  }
  CHECK(sum == 330); /* In order. */
  MPI_Recv(&value, 0, MPI_INT, me, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(MPI_Comm_detach_buffer(MPI_COMM_WORLD, &back, &size) == MPI_SUCCESS && size == room);
}

static void automatic(void) {
  MPI_Request all[8], flush;
  MPI_Status status;
  void *back = NULL;
  int size = -1, k, me, flag, strided[200];
  MPI_Datatype vector;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  CHECK(MPI_Comm_attach_buffer(MPI_COMM_WORLD, MPI_BUFFER_AUTOMATIC, 0) == MPI_SUCCESS);
  for (k = 0; k < 200; ++k) CHECK(bsend(k % 100, MPI_COMM_WORLD) == MPI_SUCCESS);
  for (k = 0; k < 200; ++k) receive(k % 100, MPI_COMM_WORLD);
  /* Of a layout; nonblocking and persistent ones. */
  for (k = 0; k < 200; ++k) strided[k] = k;
  MPI_Type_vector(100, 1, 2, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  MPI_Ibsend(strided, 1, vector, me, 1, MPI_COMM_WORLD, &all[0]);
  MPI_Bsend_init(strided, 1, vector, me, 2, MPI_COMM_WORLD, &all[1]);
  MPI_Type_free(&vector);
  CHECK(MPI_Wait(&all[0], &status) == MPI_SUCCESS && all[0] == MPI_REQUEST_NULL);
  for (k = 0; k < 3; ++k) {
    strided[198] = 1000 + k;
    CHECK(MPI_Start(&all[1]) == MPI_SUCCESS);
    strided[198] = -1;
    int index = -1;
    CHECK(MPI_Waitany(1, &all[1], &index, &status) == MPI_SUCCESS && index == 0);
    CHECK(all[1] != MPI_REQUEST_NULL);
    CHECK(MPI_Waitall(1, &all[1], MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  }
  CHECK(MPI_Request_free(&all[1]) == MPI_SUCCESS && all[1] == MPI_REQUEST_NULL);
  int packed[100];
  MPI_Recv(packed, 100, MPI_INT, me, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(packed[1] == 2 && packed[99] == 198);
  for (k = 0; k < 3; ++k) {
    MPI_Recv(packed, 100, MPI_INT, me, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(packed[1] == 2 && packed[99] == 1000 + k);
  }
  CHECK(MPI_Comm_iflush_buffer(MPI_COMM_WORLD, &flush) == MPI_SUCCESS);
  MPI_Wait(&flush, MPI_STATUS_IGNORE);
  CHECK(MPI_Comm_detach_buffer(MPI_COMM_WORLD, &back, &size) == MPI_SUCCESS);
  CHECK(back == MPI_BUFFER_AUTOMATIC && size == 0);
}

/* Flushes that do not block. */
static void flushes(void) {
  MPI_Request flush, second = MPI_REQUEST_NULL;
  void *back;
  int size, flag, k;
  CHECK(MPI_Buffer_attach(memory[0], room) == MPI_SUCCESS);
  CHECK(MPI_Buffer_iflush(&flush) == MPI_SUCCESS); /* Of nothing. */
  CHECK(MPI_Wait(&flush, MPI_STATUS_IGNORE) == MPI_SUCCESS && flush == MPI_REQUEST_NULL);
  for (k = 0; k < 3; ++k) {
    CHECK(bsend(1, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(MPI_Buffer_iflush(&flush) == MPI_SUCCESS);
    CHECK(MPI_Test(&flush, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag);
    FAILS(MPI_Buffer_iflush(&second), MPI_ERR_PENDING);
    FAILS(MPI_Request_free(&flush), MPI_ERR_REQUEST);
    FAILS(bsend(2, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    receive(1, MPI_COMM_WORLD);
    if (k < 2) MPI_Wait(&flush, MPI_STATUS_IGNORE);
    CHECK(bsend(2, MPI_COMM_WORLD) == MPI_SUCCESS); /* Also if nobody has waited for the flush. */
    receive(2, MPI_COMM_WORLD);
  }
  CHECK(MPI_Buffer_detach(&back, &size) == MPI_SUCCESS && back == memory[0] && size == room);
  MPI_Wait(&flush, MPI_STATUS_IGNORE); /* After its buffer. */
  CHECK(flush == MPI_REQUEST_NULL);
  CHECK(MPI_Buffer_iflush(&flush) == MPI_SUCCESS); /* Without a buffer. */
  CHECK(MPI_Wait(&flush, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

/* Communicators of a session use its buffer before that of the process, and others never. */
static void session(void) {
  MPI_Session one;
  MPI_Group all, part;
  MPI_Comm comm, dup;
  MPI_Request flush;
  void *back;
  int size, me;
  CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &one) == MPI_SUCCESS);
  MPI_Group_from_session_pset(one, "mpi://WORLD", &all);
  MPI_Group_rank(all, &me);
  MPI_Group_incl(all, 1, &me, &part);
  CHECK(MPI_Comm_create_from_group(part, "mpx.buffers", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) ==
        MPI_SUCCESS);
  MPI_Comm_dup(comm, &dup);
  FAILS(bsend(1, comm), MPI_ERR_BUFFER);
  CHECK(MPI_Buffer_attach(memory[0], room) == MPI_SUCCESS);
  one_fits(comm);
  CHECK(MPI_Session_attach_buffer(one, memory[1], room) == MPI_SUCCESS);
  FAILS(MPI_Session_attach_buffer(one, memory[1], room), MPI_ERR_BUFFER);
  one_fits(comm);
  CHECK(bsend(1, comm) == MPI_SUCCESS);
  FAILS(bsend(2, dup), MPI_ERR_BUFFER);
  CHECK(bsend(3, MPI_COMM_SELF) == MPI_SUCCESS);
  CHECK(MPI_Comm_attach_buffer(dup, memory[2], room) == MPI_SUCCESS);
  CHECK(bsend(4, dup) == MPI_SUCCESS);
  CHECK(MPI_Session_iflush_buffer(one, &flush) == MPI_SUCCESS);
  receive(1, comm);
  receive(3, MPI_COMM_SELF);
  receive(4, dup);
  CHECK(MPI_Wait(&flush, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Session_flush_buffer(one) == MPI_SUCCESS);
  CHECK(MPI_Session_detach_buffer(one, &back, &size) == MPI_SUCCESS && back == memory[1]);
  CHECK(bsend(1, comm) == MPI_SUCCESS && memory[0][n / 2] == 1);
  receive(1, comm);
  MPI_Comm_free(&dup);
  MPI_Comm_free(&comm);
  MPI_Group_free(&part);
  MPI_Group_free(&all);
  CHECK(MPI_Session_finalize(&one) == MPI_SUCCESS);
  CHECK(MPI_Buffer_detach(&back, &size) == MPI_SUCCESS && back == memory[0]);
}

int main(int argc, char **argv) {
  int provided, rank, ranks, k;
  const int level = argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, level, &provided);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  choice();
  gaps();
  automatic();
  flushes();
  session();
  /* MPI_Finalize waits for the messages that are still in a buffer. */
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Request nobody; /* Needs no buffer. */
  CHECK(MPI_Bsend(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
  MPI_Bsend_init(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &nobody);
  CHECK(MPI_Start(&nobody) == MPI_SUCCESS);
  MPI_Wait(&nobody, MPI_STATUS_IGNORE);
  MPI_Request_free(&nobody);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
  memset(out, 'x', sizeof out);
  for (k = 0; k < ranks; ++k) MPI_Bsend(out, n, MPI_CHAR, k, 9, MPI_COMM_WORLD);
  for (k = 0; k < ranks; ++k) {
    MPI_Recv(in, n, MPI_CHAR, k, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in[n - 1] == 'x');
  }
  return check_end();
}
