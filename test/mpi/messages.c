/* SPDX-License-Identifier: BSL-1.0 */
/* Messages in all modes, requests of all kinds, probes, cancelled messages and statuses, on any number
 * of ranks: each rank sends to the next one. */
#include "check.h"

static int me, ranks, right, left;

static void modes(int n) {
  int *out = malloc((size_t)n * sizeof *out), *in = malloc((size_t)n * sizeof *in);
  size_t room = (size_t)n * sizeof *out + MPI_BSEND_OVERHEAD;
  void *attached = malloc(room), *back;
  int size, count;
  MPI_Request all[2];
  MPI_Status status;
  MPI_Buffer_attach(attached, (int)room);
  for (int mode = 0; mode < 8; ++mode) {
    for (int i = 0; i < n; ++i) out[i] = me + i, in[i] = -1;
    MPI_Irecv(in, n, MPI_INT, mode % 2 ? MPI_ANY_SOURCE : left, mode, MPI_COMM_WORLD, &all[0]);
    MPI_Barrier(MPI_COMM_WORLD); /* Receives are posted, as ready sends need. */
    switch (mode) {
      case 0: MPI_Isend(out, n, MPI_INT, right, mode, MPI_COMM_WORLD, &all[1]); break;
      case 1: MPI_Issend(out, n, MPI_INT, right, mode, MPI_COMM_WORLD, &all[1]); break;
      case 2: MPI_Ibsend(out, n, MPI_INT, right, mode, MPI_COMM_WORLD, &all[1]); break;
      case 3: MPI_Irsend(out, n, MPI_INT, right, mode, MPI_COMM_WORLD, &all[1]); break;
      case 4: MPI_Send(out, n, MPI_INT, right, mode, MPI_COMM_WORLD), all[1] = MPI_REQUEST_NULL; break;
      case 5: MPI_Ssend(out, n, MPI_INT, right, mode, MPI_COMM_WORLD), all[1] = MPI_REQUEST_NULL; break;
      case 6: MPI_Bsend(out, n, MPI_INT, right, mode, MPI_COMM_WORLD), all[1] = MPI_REQUEST_NULL; break;
      default: MPI_Rsend(out, n, MPI_INT, right, mode, MPI_COMM_WORLD), all[1] = MPI_REQUEST_NULL;
    }
    MPI_Wait(&all[0], &status);
    MPI_Wait(&all[1], MPI_STATUS_IGNORE);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(status.MPI_SOURCE == left && status.MPI_TAG == mode && count == n);
    CHECK(in[0] == left && in[n - 1] == left + n - 1);
    MPI_Buffer_flush();
  }
  MPI_Buffer_detach(&back, &size);
  CHECK(back == attached && size == (int)room);
  MPI_Request again[2];
  MPI_Send_init(out, n, MPI_INT, right, 9, MPI_COMM_WORLD, &again[0]);
  MPI_Recv_init(in, n, MPI_INT, left, 9, MPI_COMM_WORLD, &again[1]);
  for (int turn = 0; turn < 3; ++turn) {
    out[n - 1] = 10 * me + turn;
    MPI_Startall(2, again);
    MPI_Waitall(2, again, MPI_STATUSES_IGNORE);
    CHECK(in[n - 1] == 10 * left + turn && again[1] != MPI_REQUEST_NULL);
  }
  MPI_Request_free(&again[0]);
  MPI_Request_free(&again[1]);
  MPI_Sendrecv(out, n, MPI_INT, right, 1, in, n, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
  CHECK(status.MPI_SOURCE == left && in[n - 1] == 10 * left + 2);
  for (int i = 0; i < n; ++i) out[i] = in[i] = me;
  MPI_Sendrecv_replace(in, n, MPI_INT, right, 2, left, 2, MPI_COMM_WORLD, &status);
  CHECK(in[0] == left && in[n - 1] == left);
  MPI_Isendrecv_replace(in, n, MPI_INT, right, 2, left, MPI_ANY_TAG, MPI_COMM_WORLD, &all[0]);
  MPI_Wait(&all[0], &status);
  CHECK(in[n - 1] == (left + ranks - 1) % ranks && status.MPI_TAG == 2 && status.MPI_SOURCE == left);
  MPI_Isendrecv(out, n, MPI_INT, right, 3, in, n, MPI_INT, left, 3, MPI_COMM_WORLD, &all[0]);
  MPI_Wait(&all[0], &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(in[0] == left && count == n);
  free(out), free(in), free(attached);
}

static void probes(void) {
  int x = me, y = -1, flag = 0, count;
  MPI_Status status;
  MPI_Message message;
  MPI_Request sending, receiving;
  MPI_Isend(&x, 1, MPI_INT, right, 4, MPI_COMM_WORLD, &sending);
  MPI_Probe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(status.MPI_SOURCE == left && count == 1);
  MPI_Mprobe(left, 4, MPI_COMM_WORLD, &message, &status);
  MPI_Iprobe(left, 4, MPI_COMM_WORLD, &flag, &status);
  CHECK(!flag);
  MPI_Barrier(MPI_COMM_WORLD); /* The left rank sends tag 4 again later. */
  MPI_Mrecv(&y, 1, MPI_INT, &message, &status);
  CHECK(y == left && message == MPI_MESSAGE_NULL);
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
  MPI_Isend(&x, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &sending);
  do MPI_Improbe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
  while (!flag);
  y = -1;
  MPI_Imrecv(&y, 1, MPI_INT, &message, &receiving);
  MPI_Wait(&receiving, &status);
  CHECK(y == left && status.MPI_TAG == 5);
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
  MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status);
  CHECK(message == MPI_MESSAGE_NO_PROC);
  MPI_Mrecv(NULL, 0, MPI_INT, &message, &status);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && message == MPI_MESSAGE_NULL);
  MPI_Recv(&y, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && count == 0);
}

static void partitioned(int n) {
  enum { parts = 4 };
  int *out = malloc((size_t)(parts * n) * sizeof *out), *in = malloc((size_t)(parts * n) * sizeof *in);
  MPI_Request sending, receiving;
  MPI_Status status;
  int flag;
  MPI_Psend_init(out, parts, n, MPI_INT, right, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &sending);
  MPI_Precv_init(in, 2, 2 * n, MPI_INT, left, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &receiving);
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < parts * n; ++i) out[i] = me + i + turn, in[i] = -1;
    MPI_Start(&receiving);
    MPI_Start(&sending);
    MPI_Pready(3, sending);
    MPI_Pready_range(0, 1, sending);
    do MPI_Parrived(receiving, 0, &flag);
    while (!flag);
    CHECK(in[0] == left + turn && in[2 * n - 1] == left + 2 * n - 1 + turn);
    MPI_Pready_list(1, (int[]){2}, sending);
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
    MPI_Wait(&receiving, &status);
    CHECK(in[parts * n - 1] == left + parts * n - 1 + turn && status.MPI_SOURCE == left);
  }
  MPI_Request_free(&sending);
  MPI_Request_free(&receiving);
  free(out), free(in);
}

static int query(void *state, MPI_Status *status) {
  MPI_Status_set_elements(status, MPI_INT, *(int *)state);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = 77;
  return MPI_SUCCESS;
}
static int freed(void *state) {
  *(int *)state = -1;
  return MPI_SUCCESS;
}
static int cancelled(void *state, int complete) {
  (void)state, (void)complete;
  return MPI_SUCCESS;
}

static void waits(void) {
  enum { n = 6 };
  int in[n], out[n], index, flag, done, indices[n], count, elements = 3;
  MPI_Request receives[n], sends[n], mine;
  MPI_Status status, statuses[n];
  for (int way = 0; way < 4; ++way) {
    for (int i = 0; i < n; ++i) {
      out[i] = 100 * me + i;
      MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &receives[i]);
    }
    for (int i = 0; i < n; ++i) MPI_Isend(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &sends[i]);
    for (done = 0; done < n;) {
      count = 1;
      if (way == 0) {
        MPI_Waitany(n, receives, &index, &status);
        CHECK(status.MPI_TAG == index);
      }
      if (way == 1) {
        MPI_Testany(n, receives, &index, &flag, &status);
        count = flag;
      }
      if (way == 2) MPI_Waitsome(n, receives, &count, indices, statuses);
      if (way == 3) MPI_Testsome(n, receives, &count, indices, statuses);
      if (way >= 2 && count > 0) CHECK(statuses[count - 1].MPI_TAG == indices[count - 1]);
      done += count;
    }
    MPI_Waitany(n, receives, &index, &status);
    CHECK(index == MPI_UNDEFINED);
    MPI_Waitsome(n, receives, &count, indices, statuses);
    CHECK(count == MPI_UNDEFINED);
    for (int i = 0; i < n; ++i) CHECK(in[i] == 100 * left + i && receives[i] == MPI_REQUEST_NULL);
    do MPI_Testall(n, sends, &flag, MPI_STATUSES_IGNORE);
    while (!flag);
  }
  MPI_Irecv(in, 1, MPI_INT, left, 99, MPI_COMM_WORLD, &mine);
  MPI_Request_get_status(mine, &flag, &status);
  CHECK(!flag);
  MPI_Cancel(&mine);
  MPI_Wait(&mine, &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag);
  MPI_Grequest_start(query, freed, cancelled, &elements, &mine);
  MPI_Test(&mine, &flag, &status);
  CHECK(!flag);
  MPI_Grequest_complete(mine);
  MPI_Request_get_status(mine, &flag, &status);
  MPI_Get_elements(&status, MPI_INT, &count);
  CHECK(flag && count == 3);
  MPI_Wait(&mine, &status);
  CHECK(status.MPI_TAG == 77 && elements == -1 && mine == MPI_REQUEST_NULL);
  MPI_Wait(&mine, &status);
  CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
  elements = 3; /* Freed before it is complete. */
  MPI_Grequest_start(query, freed, cancelled, &elements, &mine);
  MPI_Request same = mine;
  CHECK(MPI_Request_free(&mine) == MPI_SUCCESS && mine == MPI_REQUEST_NULL && elements == 3);
  CHECK(MPI_Grequest_complete(same) == MPI_SUCCESS && elements == -1);
}

/* Sends that nobody receives end by a cancel, and are not there afterwards. */
static void cancelled_sends(int bytes) {
  char *const data = calloc(1, (size_t)bytes);
  MPI_Request request;
  MPI_Status status;
  int flag = 0, i;
  for (i = 0; i < 3; ++i) {
    if (i == 0) MPI_Issend(data, bytes, MPI_CHAR, right, 77, MPI_COMM_WORLD, &request);
    if (i == 1) {
      MPI_Ssend_init(data, bytes, MPI_CHAR, right, 77, MPI_COMM_WORLD, &request);
      MPI_Start(&request);
    }
    if (i == 2) MPI_Isend(data, bytes, MPI_CHAR, right, 78, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    if (i < 2) CHECK(flag);
    if (i == 1) MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL);
  }
  MPI_Send(&flag, 1, MPI_INT, right, 79, MPI_COMM_WORLD);
  MPI_Recv(&flag, 1, MPI_INT, left, 79, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!flag) MPI_Recv(data, bytes, MPI_CHAR, left, 78, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Iprobe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  CHECK(!flag);
  MPI_Barrier(MPI_COMM_WORLD);
  free(data);
}

/* Starts four sends of a byte that are complete at once, and a receive that is not. */
static void start_five(char *x, char *y, MPI_Request all[5]) {
  int i;
  MPI_Irecv(y, 1, MPI_CHAR, left, 91, MPI_COMM_WORLD, &all[2]);
  for (i = 0; i < 5; ++i)
    if (i != 2) MPI_Isend(x, 1, MPI_CHAR, right, 90, MPI_COMM_WORLD, &all[i]);
}
/* Waits until the sends of start_five are complete, and ends none of them. */
static void complete_four(MPI_Request all[5]) {
  int i, flag;
  for (i = 0; i < 5; ++i)
    if (i != 2) do
        MPI_Request_get_status(all[i], &flag, MPI_STATUS_IGNORE);
      while (!flag);
}
/* Lets the receive of start_five complete, and takes its four messages. */
static void end_five(char *y, MPI_Request all[5]) {
  int i;
  char x = 1;
  MPI_Barrier(MPI_COMM_WORLD); /* All have looked at their incomplete receive. */
  MPI_Send(&x, 1, MPI_CHAR, right, 91, MPI_COMM_WORLD);
  MPI_Waitall(5, all, MPI_STATUSES_IGNORE);
  for (i = 0; i < 5; ++i) CHECK(all[i] == MPI_REQUEST_NULL);
  for (i = 0; i < 4; ++i) MPI_Recv(y, 1, MPI_CHAR, left, 90, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static int is_empty(const MPI_Status *s) {
  int count = -1, off = 1;
  MPI_Get_count(s, MPI_BYTE, &count);
  MPI_Test_cancelled(s, &off);
  return s->MPI_SOURCE == MPI_ANY_SOURCE && s->MPI_TAG == MPI_ANY_TAG && count == 0 && !off;
}
/* Calls on requests of sends that are complete when MPI_Isend returns, alone and among others. */
static void complete_sends(void) {
  char x = 5, y = 0, z = 0;
  MPI_Request all[5], copy[5];
  MPI_Status each[5], one;
  int i, flag, at, n, which[5];

  start_five(&x, &y, all);
  complete_four(all);
  memset(&one, 1, sizeof one);
  MPI_Wait(&all[0], &one);
  CHECK(all[0] == MPI_REQUEST_NULL && is_empty(&one));
  memset(&one, 1, sizeof one);
  MPI_Test(&all[1], &flag, &one);
  CHECK(flag && all[1] == MPI_REQUEST_NULL && is_empty(&one));
  memset(&one, 1, sizeof one);
  MPI_Request_get_status(all[3], &flag, &one);
  CHECK(flag && all[3] != MPI_REQUEST_NULL && is_empty(&one));
  MPI_Cancel(&all[3]);
  MPI_Wait(&all[3], &one);
  CHECK(is_empty(&one));
  CHECK(MPI_Request_fromint(MPI_Request_toint(all[4])) == all[4]);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  FAILS(MPI_Start(&all[4]), MPI_ERR_REQUEST);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Request_free(&all[4]);
  CHECK(all[4] == MPI_REQUEST_NULL);
  end_five(&z, all);

  start_five(&x, &y, all);
  complete_four(all);
  memcpy(copy, all, sizeof all);
  MPI_Testall(5, all, &flag, each);
  CHECK(!flag && memcmp(copy, all, sizeof all) == 0);
  MPI_Request_get_status_any(5, copy, &at, &flag, &one);
  CHECK(flag && at != 2 && is_empty(&one));
  MPI_Request_get_status_some(5, copy, &n, which, each);
  CHECK(n == 4);
  for (i = 0; i < 2; ++i) {
    memset(&one, 1, sizeof one);
    MPI_Waitany(5, all, &at, &one);
    CHECK(at != 2 && all[at] == MPI_REQUEST_NULL && is_empty(&one));
  }
  MPI_Testany(5, all, &at, &flag, &one);
  CHECK(flag && at != 2 && all[at] == MPI_REQUEST_NULL);
  MPI_Waitsome(5, all, &n, which, each);
  CHECK(n == 1 && which[0] != 2 && is_empty(&each[0]));
  MPI_Testsome(5, all, &n, which, each);
  CHECK(n == 0);
  end_five(&z, all);

  start_five(&x, &y, all);
  complete_four(all);
  MPI_Send(&x, 1, MPI_CHAR, right, 91, MPI_COMM_WORLD);
  memset(each, 1, sizeof each);
  MPI_Waitall(5, all, each);
  for (i = 0; i < 5; ++i) CHECK(all[i] == MPI_REQUEST_NULL && (i == 2 || is_empty(&each[i])));
  CHECK(each[2].MPI_SOURCE == left && each[2].MPI_TAG == 91 && y == 5);
  for (i = 0; i < 4; ++i) MPI_Recv(&z, 1, MPI_CHAR, left, 90, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
/* More requests than the calls on arrays keep in place, one of which fails. */
static void many_requests(void) {
  enum { many = 300 };
  static MPI_Request all[many];
  static MPI_Status each[many];
  static int in[many], out[many];
  int i, wrong = 0;
  for (i = 0; i < many; ++i) {
    out[i] = i;
    MPI_Irecv(&in[i], i == 200 ? 2 : 4, MPI_BYTE, left, i, MPI_COMM_WORLD, &all[i]);
  }
  for (i = 0; i < many; ++i) MPI_Send(&out[i], 4, MPI_BYTE, right, i, MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  FAILS(MPI_Waitall(many, all, each), MPI_ERR_IN_STATUS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  for (i = 0; i < many; ++i) {
    wrong += each[i].MPI_TAG != i || (i != 200 && (in[i] != i || each[i].MPI_ERROR != MPI_SUCCESS));
    wrong += all[i] != MPI_REQUEST_NULL;
  }
  CHECK(wrong == 0 && each[200].MPI_ERROR == MPI_ERR_TRUNCATE);
}
/* MPI_Waitall on requests of every kind, in an order in which usual ones come before and after. */
static void mixed_requests(void) {
  enum { n = 8 };
  MPI_Request all[n];
  MPI_Status each[n];
  int in[n] = {0}, out = 7, i;
  for (i = 0; i < n; ++i) all[i] = MPI_REQUEST_NULL;
  MPI_Irecv(&in[0], 4, MPI_BYTE, left, 0, MPI_COMM_WORLD, &all[0]);
  MPI_Isend(&out, 4, MPI_BYTE, right, 6, MPI_COMM_WORLD, &all[2]);
  MPI_Recv_init(&in[3], 4, MPI_BYTE, left, 3, MPI_COMM_WORLD, &all[3]);
  MPI_Irecv(&in[4], 4, MPI_BYTE, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &all[4]);
  MPI_Recv_init(&in[5], 4, MPI_BYTE, left, 5, MPI_COMM_WORLD, &all[5]); /* Stays inactive. */
  MPI_Irecv(&in[6], 4, MPI_BYTE, left, 6, MPI_COMM_WORLD, &all[6]);
  MPI_Irecv(&in[7], 4, MPI_BYTE, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &all[7]);
  MPI_Start(&all[3]);
  for (i = 0; i < 5; ++i)
    if (i != 1 && i != 2) MPI_Send(&out, 4, MPI_BYTE, right, i, MPI_COMM_WORLD);
  memset(each, 1, sizeof each);
  MPI_Waitall(n, all, each);
  for (i = 0; i < n; ++i) {
    const int receives = i == 0 || i == 3 || i == 4 || i == 6;
    CHECK((all[i] == MPI_REQUEST_NULL) == (i != 3 && i != 5));
    if (receives) CHECK(each[i].MPI_SOURCE == left && each[i].MPI_TAG == i && in[i] == 7);
    if (!receives && i != 7) CHECK(is_empty(&each[i]));
  }
  CHECK(each[7].MPI_SOURCE == MPI_PROC_NULL);
  MPI_Waitall(n, all, MPI_STATUSES_IGNORE); /* All are null or inactive. */
  MPI_Request_free(&all[3]);
  MPI_Request_free(&all[5]);
}
/* A handle that is no request, behind one that is complete. Then the same request twice. */
static void foreign_requests(void) {
  MPI_Request all[2], freed;
  int in = 0, out = 3, n;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Irecv(&in, 4, MPI_BYTE, me, 0, MPI_COMM_WORLD, &all[0]);
  MPI_Send(&out, 4, MPI_BYTE, me, 0, MPI_COMM_WORLD);
  freed = all[0];
  MPI_Wait(&all[0], MPI_STATUS_IGNORE);
  MPI_Irecv(&in, 4, MPI_BYTE, me, 0, MPI_COMM_WORLD, &all[0]);
  MPI_Send(&out, 4, MPI_BYTE, me, 0, MPI_COMM_WORLD);
  all[1] = freed;
  FAILS(MPI_Waitall(2, all, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
  all[1] = MPI_REQUEST_NULL;
  MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
  MPI_Irecv(&in, 4, MPI_BYTE, me, 0, MPI_COMM_WORLD, &all[0]);
  MPI_Send(&out, 4, MPI_BYTE, me, 0, MPI_COMM_WORLD);
  all[1] = all[0];
  FAILS(MPI_Waitall(2, all, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
  CHECK(all[0] == MPI_REQUEST_NULL && in == 3);
  /* A wrong handle is found before the wait, which would not end; a request that an array names
   * twice ends once. */
  MPI_Irecv(&in, 4, MPI_BYTE, me, 0, MPI_COMM_WORLD, &all[0]);
  all[1] = freed;
  FAILS(MPI_Waitall(2, all, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
  all[1] = all[0];
  MPI_Cancel(&all[0]);
  MPI_Testall(2, all, &n, MPI_STATUSES_IGNORE);
  MPI_Irecv(&in, 4, MPI_BYTE, me, 0, MPI_COMM_WORLD, &all[0]);
  MPI_Irecv(&out, 4, MPI_BYTE, me, 1, MPI_COMM_WORLD, &all[1]);
  CHECK(all[0] != all[1]);
  MPI_Cancel(&all[0]), MPI_Cancel(&all[1]);
  MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv) {
  int provided, main_thread;
  MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &provided);
  CHECK(provided == (argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED));
  MPI_Is_thread_main(&main_thread);
  CHECK(main_thread);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  right = (me + 1) % ranks;
  left = (me + ranks - 1) % ranks;
  modes(1);
  modes(500);
  modes(100000);
  probes();
  waits();
  complete_sends();
  many_requests();
  mixed_requests();
  foreign_requests();
  cancelled_sends(10);
  cancelled_sends(1000000);
  partitioned(1);
  partitioned(30000);
  return check_end();
}
