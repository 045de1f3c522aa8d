/* SPDX-License-Identifier: BSL-1.0 */
/* MPI_THREAD_MULTIPLE: each thread sends, waits, makes and frees objects of every kind beside the others,
 * with attributes on objects of its own and on those that all share. Races on data show best in a library
 * and a program that are compiled with -fsanitize=thread. */
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

enum { threads = 4, rounds = 200 };
static int me, ranks;
static atomic_int bad; /* Checks that do not hold in threads. */
static int shared_key; /* Of MPI_COMM_WORLD, read by all threads. */
#define MUST(condition)                                                       \
  do {                                                                        \
    if (!(condition) && atomic_fetch_add(&bad, 1) < 20)                       \
      printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);    \
  } while (0)

struct own {
  int number;
  MPI_Comm comm;
  int copies, drops;
};

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag) {
  (void)comm, (void)key;
  ++((struct own *)extra)->copies;
  *(void **)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}
static int drop(MPI_Comm comm, int key, void *value, void *extra) {
  int rank = -1;
  (void)key, (void)value;
  MUST(MPI_Comm_rank(comm, &rank) == MPI_SUCCESS && rank == me); /* May call MPI. */
  ++((struct own *)extra)->drops;
  return MPI_SUCCESS;
}
static int copy_type(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag) {
  (void)type, (void)key, (void)extra;
  *(void **)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}
static void add(void *in, void *inout, int *n, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *n; ++i) ((int *)inout)[i] += ((int *)in)[i];
}

static void add_rows(void *in, void *inout, int *n, MPI_Datatype *type) {
  int size = 0;
  char name[MPI_MAX_OBJECT_NAME];
  MUST(MPI_Type_size(*type, &size) == MPI_SUCCESS && size == 8);
  MPI_Type_get_name(*type, name, &size);
  MUST(strcmp(name, "row") == 0); /* The program's own type, although it is freed. */
  for (int i = 0; i < 2 * *n; ++i) ((int *)inout)[i] += ((int *)in)[i];
}
static int query(void *extra, MPI_Status *status) {
  (void)extra;
  MPI_Status_set_elements(status, MPI_INT, 7);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = status->MPI_TAG = 0;
  return MPI_SUCCESS;
}
static int freed(void *extra) {
  atomic_fetch_add((atomic_int *)extra, 1);
  return MPI_SUCCESS;
}
static int cancel(void *extra, int complete) {
  (void)extra, (void)complete;
  return MPI_SUCCESS;
}
static void *complete(void *request) {
  MPI_Grequest_complete(*(MPI_Request *)request);
  return NULL;
}
static void generalized(int round) {
  MPI_Request request, copy;
  MPI_Status status;
  pthread_t other;
  atomic_int ends = 0;
  int count, flag = 0;
  if (round % 4 != 0) return;
  MPI_Grequest_start(query, freed, cancel, &ends, &request);
  copy = request;
  pthread_create(&other, NULL, complete, &copy);
  if (round % 8 == 0) {
    while (!flag) MPI_Request_get_status(request, &flag, &status);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MUST(count == 7);
  } else {
    MPI_Request_free(&request);
  }
  pthread_join(other, NULL);
  MUST(ends == 1 && request == MPI_REQUEST_NULL);
}
static void properties(struct own *o, int round) {
  /* Of what all threads share. */
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, round % 2 ? MPI_ERRORS_ABORT : MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_name(MPI_COMM_WORLD, "the world of all threads of this job");
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  MUST(strcmp(name, "the world of all threads of this job") == 0);
  MPI_Comm_set_name(o->comm, "a thread's");
}
static void reductions(struct own *o, int round) {
  MPI_Datatype row;
  MPI_Op op;
  MPI_Request request;
  int in[2] = {round, me}, out[2];
  MPI_Type_contiguous(2, MPI_INT, &row);
  MPI_Type_set_name(row, "row");
  MPI_Type_commit(&row);
  MPI_Op_create(add_rows, 1, &op);
  MPI_Iallreduce(in, out, 1, row, op, o->comm, &request);
  MPI_Type_free(&row);
  MPI_Op_free(&op);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MUST(out[0] == round * ranks && out[1] == ranks * (ranks - 1) / 2);
}
static void attributes(struct own *o) {
  int key, found, *value = NULL;
  MPI_Comm twin;
  MPI_Comm_create_keyval(copy, drop, &key, o);
  MPI_Comm_set_attr(o->comm, key, &o->number);
  MPI_Comm_dup(o->comm, &twin);
  MPI_Comm_get_attr(twin, key, &value, &found);
  MUST(found && value == &o->number);
  MPI_Comm_get_attr(MPI_COMM_WORLD, shared_key, &value, &found);
  MUST(found && value == &shared_key);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &o->copies); /* A key of its own on what all share. */
  MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &found);
  MUST(found && value == &o->copies);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_delete_attr(o->comm, key);
  MPI_Comm_free(&twin);
  MPI_Comm_free_keyval(&key);
}
static void types(struct own *o, int round) {
  MPI_Datatype row, twin;
  MPI_Request requests[2];
  int key, found, out[8], in[8] = {0}, *value = NULL;
  for (int i = 0; i < 8; ++i) out[i] = round + i;
  MPI_Type_vector(4, 1, 2, MPI_INT, &row);
  MPI_Type_commit(&row);
  MPI_Type_create_keyval(copy_type, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
  MPI_Type_set_attr(row, key, o);
  MPI_Type_dup(row, &twin);
  MPI_Type_get_attr(twin, key, &value, &found);
  MUST(found && (void *)value == (void *)o);
  MPI_Irecv(in, 1, twin, (me + 1) % ranks, 1, o->comm, &requests[0]);
  MPI_Isend(out, 1, row, (me + ranks - 1) % ranks, 1, o->comm, &requests[1]);
  MPI_Type_free(&row); /* The operations go on. */
  MPI_Type_free(&twin);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 8; ++i) MUST(in[i] == (i % 2 == 0 ? round + i : 0));
  MPI_Type_free_keyval(&key);
}
static void others(struct own *o, int round) {
  MPI_Op op;
  MPI_Info info;
  MPI_Group group, part;
  MPI_Errhandler handler;
  MPI_Comm comm;
  MPI_Request request;
  char text[32];
  int size, flag = 0, mine = round, sum = 0;
  MPI_Op_create(add, 1, &op);
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, op, o->comm, &request);
  MPI_Op_free(&op);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MUST(sum == round * ranks);
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  MPI_Info_get(info, "key", 31, text, &flag);
  MUST(flag && strcmp(text, "value") == 0);
  MPI_Comm_group(o->comm, &group);
  MPI_Group_incl(group, 1, &me, &part);
  MPI_Group_size(part, &size);
  MUST(size == 1);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  MPI_Comm_dup_with_info(o->comm, info, &comm);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  MPI_Info_free(&info);
  MPI_Group_free(&group);
  MPI_Group_free(&part);
  MPI_Ibarrier(comm, &request);
  MPI_Comm_free(&comm); /* The barrier goes on. */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void messages(struct own *o, int round) {
  /* Two threads of a rank wait for different requests of one communicator. */
  MPI_Request requests[3];
  MPI_Status statuses[3];
  int in = -1, out = round, index;
  MPI_Irecv(&in, 1, MPI_INT, (me + 1) % ranks, 10 + o->number, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&out, 1, MPI_INT, (me + ranks - 1) % ranks, 10 + o->number, MPI_COMM_WORLD, &requests[1]);
  requests[2] = MPI_REQUEST_NULL;
  if (round % 3 == 0) {
    MPI_Waitall(3, requests, statuses);
  } else if (round % 3 == 1) {
    MPI_Waitany(3, requests, &index, statuses);
    MPI_Waitany(3, requests, &index, statuses);
  } else {
    for (int n = 0, done; n < 2; n += done != MPI_UNDEFINED ? done : 0)
      MPI_Testsome(3, requests, &done, (int[3]){0}, statuses);
  }
  MUST(in == round && requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
}
static void probes(struct own *o, int round) {
  MPI_Request requests[2];
  MPI_Message message;
  MPI_Status status;
  MPI_Win win;
  int in = -1, out = round, *base, count, flag = 0;
  const int to = (me + 1) % ranks, from = (me + ranks - 1) % ranks;
  MPI_Bsend(&out, 1, MPI_INT, to, 20 + o->number, MPI_COMM_WORLD);
  MPI_Mprobe(from, 20 + o->number, MPI_COMM_WORLD, &message, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  MUST(count == 1 && in == round);
  MPI_Send_init(&out, 1, MPI_INT, to, 30 + o->number, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&in, 1, MPI_INT, from, 30 + o->number, MPI_COMM_WORLD, &requests[1]);
  in = -1;
  MPI_Startall(2, requests);
  while (!flag) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  MUST(in == round);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, o->comm, &base, &win);
  *base = me;
  MPI_Barrier(o->comm);
  MPI_Win_lock(MPI_LOCK_SHARED, to, 0, win);
  MPI_Fetch_and_op(&out, &in, MPI_INT, to, 0, MPI_SUM, win);
  MPI_Win_unlock(to, win);
  MUST(in == to);
  MPI_Win_free(&win);
}
static void errors(struct own *o, int round) {
  int class, code, length, value, *last, found;
  char text[MPI_MAX_ERROR_STRING];
  if (round % 50 != 0) return;
  MPI_Add_error_class(&class);
  MPI_Add_error_code(class, &code);
  MPI_Add_error_string(code, "of a thread");
  MPI_Error_string(code, text, &length);
  MUST(strcmp(text, "of a thread") == 0 && MPI_Error_class(code, &value) == MPI_SUCCESS && value == class);
  MPI_Comm_set_errhandler(o->comm, MPI_ERRORS_RETURN);
  MUST(MPI_Send(&value, 1, MPI_INT, ranks, 0, o->comm) == MPI_ERR_RANK);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &last, &found);
  MUST(found && *last == ranks);
}
static void *work(void *given) {
  struct own *const o = given;
  for (int i = 0; i < rounds; ++i) {
    messages(o, i);
    types(o, i);
    attributes(o);
    others(o, i);
    probes(o, i);
    errors(o, i);
    generalized(i);
    properties(o, i);
    reductions(o, i);
  }
  return NULL;
}

int main(int argc, char **argv) {
  int provided;
  struct own all[threads];
  pthread_t running[threads];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &shared_key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, shared_key, &shared_key);
  for (int i = 0; i < threads; ++i) {
    all[i] = (struct own){i, MPI_COMM_NULL, 0, 0};
    MPI_Comm_dup(MPI_COMM_WORLD, &all[i].comm);
  }
  MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
  for (int i = 0; i < threads; ++i) pthread_create(&running[i], NULL, work, &all[i]);
  for (int i = 0; i < threads; ++i) pthread_join(running[i], NULL);
  for (int i = 0; i < threads; ++i) {
    CHECK(all[i].copies == rounds && all[i].drops == 3 * rounds);
    MPI_Comm_free(&all[i].comm);
  }
  CHECK(bad == 0);
  return check_end();
}
