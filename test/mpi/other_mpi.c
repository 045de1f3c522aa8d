/* SPDX-License-Identifier: BSL-1.0 */
/* Compiled against Open MPI 4 or MPICH 4 and run on mpx: what differs between their binary interfaces and
 * the standard ABI. Handles, statuses, constants, error codes, functions that the library calls, functions
 * that MPI 3.0 removed. */
#include "check.h"
#include <stdint.h>

#ifdef OPEN_MPI /* Its header has messages in place of what MPI 3.0 removed. */
#undef MPI_Address
#undef MPI_Type_struct
#undef MPI_Type_ub
#undef MPI_Errhandler_set
#undef MPI_UB
extern int MPI_Address(void *, MPI_Aint *);
extern int MPI_Type_struct(int, int *, MPI_Aint *, MPI_Datatype *, MPI_Datatype *);
extern int MPI_Type_ub(MPI_Datatype, MPI_Aint *);
extern int MPI_Errhandler_set(MPI_Comm, MPI_Errhandler);
extern char ompi_mpi_ub[];
#define MPI_UB ((MPI_Datatype)(void *)ompi_mpi_ub)
#define FORGED(number) ((MPI_Comm)(void *)(0x7000 + 16 * (number)))
#else
#define FORGED(number) ((MPI_Comm)(number))
#endif

static int me, ranks, left, right;

static void messages(void) {
  MPI_Request all[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[3], status;
  int out[4] = {me, 1, 2, 3}, in[4], n = 0, flag = 0, index = 0;
  statuses[0].MPI_ERROR = 4711;
  MPI_Irecv(in, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &all[0]);
  MPI_Isend(out, 3, MPI_INT, right, 7, MPI_COMM_WORLD, &all[1]);
  MPI_Waitall(3, all, statuses);
  CHECK(all[0] == MPI_REQUEST_NULL && all[1] == MPI_REQUEST_NULL && all[2] == MPI_REQUEST_NULL);
  CHECK(statuses[0].MPI_SOURCE == left && statuses[0].MPI_TAG == 7 && in[0] == left);
  CHECK(statuses[0].MPI_ERROR == 4711);
  CHECK(statuses[2].MPI_SOURCE == MPI_ANY_SOURCE && statuses[2].MPI_TAG == MPI_ANY_TAG);
  MPI_Get_count(&statuses[0], MPI_INT, &n);
  CHECK(n == 3);
  MPI_Recv(in, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
  MPI_Testany(3, all, &index, &flag, &status);
  CHECK(flag && index == MPI_UNDEFINED);
  MPI_Irecv(in, 4, MPI_INT, left, 99, MPI_COMM_WORLD, &all[0]);
  MPI_Cancel(&all[0]);
  MPI_Wait(&all[0], &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag);
  MPI_Status_set_elements(&status, MPI_DOUBLE, 5);
  MPI_Get_elements(&status, MPI_DOUBLE, &n);
  CHECK(n == 5);
  MPI_Fint integers[sizeof(MPI_Status) / sizeof(MPI_Fint)];
  MPI_Status again;
  status.MPI_SOURCE = 3;
  CHECK(MPI_Status_c2f(&status, integers) == MPI_SUCCESS && MPI_Status_f2c(integers, &again) == MPI_SUCCESS);
  MPI_Get_elements(&again, MPI_DOUBLE, &n);
  MPI_Test_cancelled(&again, &flag);
  CHECK(again.MPI_SOURCE == 3 && again.MPI_TAG == status.MPI_TAG && n == 5 && flag);
}

static void windows(void) {
  MPI_Win win;
  int *base, *flavor, *model, there;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  *base = -1;
  MPI_Win_fence(0, win);
  MPI_Put(&me, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
  MPI_Put(&me, 1, MPI_INT, right, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  CHECK(*base == left);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  CHECK(MPI_Win_fence(1 << 24, win) == MPI_ERR_ASSERT);
  CHECK(MPI_Win_lock(4711, 0, 0, win) == MPI_ERR_LOCKTYPE);
  MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &there);
  CHECK(there && *flavor == MPI_WIN_FLAVOR_ALLOCATE);
  MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &there);
  CHECK(there && *model == MPI_WIN_UNIFIED);
  MPI_Win_free(&win);
}

static void types(void) {
  int n, kind, sizes[2] = {4, 6}, part[2] = {2, 3}, starts[2] = {1, 1}, lengths[2] = {1, 2};
  int distributions[1] = {MPI_DISTRIBUTE_CYCLIC}, arguments[1] = {MPI_DISTRIBUTE_DFLT_DARG};
  MPI_Aint places[2] = {0, 8}, extent, lb;
  MPI_Datatype parts[2] = {MPI_INT, MPI_DOUBLE}, made, got[2];
  MPI_Type_create_struct(2, lengths, places, parts, &made);
  MPI_Type_commit(&made);
  MPI_Type_size(made, &n);
  CHECK(n == 20);
  int integers[3], addresses;
  MPI_Type_get_envelope(made, &n, &addresses, &n, &kind);
  CHECK(n == 2 && kind == MPI_COMBINER_STRUCT);
  MPI_Type_get_contents(made, 3, 2, 2, integers, places, got);
  CHECK(got[0] == MPI_INT && got[1] == MPI_DOUBLE);
  MPI_Type_free(&made);
  CHECK(made == MPI_DATATYPE_NULL);
  MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_FORTRAN, MPI_LONG_LONG, &made);
  MPI_Type_get_extent(made, &lb, &extent);
  CHECK(extent == 4 * 6 * 8);
  int all[8];
  MPI_Type_get_contents(made, 8, 0, 1, all, places, got);
  CHECK(all[0] == 2 && all[7] == MPI_ORDER_FORTRAN && got[0] == MPI_LONG_LONG);
  MPI_Type_free(&made);
  MPI_Type_create_darray(1, 0, 1, sizes, distributions, arguments, lengths, MPI_ORDER_C, MPI_INT, &made);
  MPI_Type_size(made, &n);
  CHECK(n == 16);
  MPI_Type_get_contents(made, 8, 0, 1, all, places, got);
  CHECK(all[2] == 1 && all[3] == 4 && all[4] == MPI_DISTRIBUTE_CYCLIC && all[7] == MPI_ORDER_C);
  CHECK(all[5] == MPI_DISTRIBUTE_DFLT_DARG && all[6] == 1);
  MPI_Type_free(&made);
  MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &made);
  CHECK(made != MPI_DATATYPE_NULL);
}

static void removed(void) {
  int lengths[3] = {1, 1, 1}, n = 0;
  MPI_Aint places[3], first, bound, extent, lb;
  MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_UB}, made, pair;
  MPI_Address(lengths, &first);
  MPI_Address(&lengths[2], &bound);
  CHECK(bound - first == 8);
  places[0] = 0, places[1] = 8, places[2] = 40;
  MPI_Type_struct(3, lengths, places, types, &made);
  MPI_Type_get_extent(made, &lb, &extent);
  MPI_Type_size(made, &n);
  MPI_Type_ub(made, &bound);
  CHECK(lb == 0 && extent == 40 && bound == 40 && n == 12);
  MPI_Type_create_struct(1, lengths, places, &made, &pair);  /* A bound stays. */
  MPI_Type_get_extent(pair, &lb, &extent);
  CHECK(extent == 40);
  MPI_Type_free(&pair);
  MPI_Type_free(&made);
  MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPI_Type_size(MPI_UB, &n) == MPI_ERR_TYPE);
  MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static int operations;
static void sum(void *in, void *inout, int *n, MPI_Datatype *type) {
  CHECK(*type == MPI_LONG);
  ++operations;
  for (int i = 0; i < *n; ++i) ((long *)inout)[i] += ((long *)in)[i];
}
static void collectives(void) {
  MPI_Op op;
  int called = 0;
  long mine[2] = {me, 1}, all[2] = {0, 0};
  MPI_Op_create(sum, 1, &op);
  MPI_Allreduce(mine, all, 2, MPI_LONG, op, MPI_COMM_WORLD);
  CHECK(all[0] == (long)ranks * (ranks - 1) / 2 && all[1] == ranks);
  MPI_Allreduce(&operations, &called, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(called > 0 || ranks == 1);
  MPI_Op_free(&op);
  CHECK(op == MPI_OP_NULL);
  MPI_Allreduce(MPI_IN_PLACE, mine, 2, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  CHECK(mine[0] == ranks - 1);
  struct {
    double value;
    int at;
  } pair = {(double)-me, me}, least;
  MPI_Allreduce(&pair, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  CHECK(least.at == ranks - 1);
  int counts[16], places[16], out[16], in[16];
  MPI_Datatype kinds[16];
  for (int i = 0; i < ranks; ++i) {
    counts[i] = 1;
    places[i] = 4 * i;
    out[i] = 100 * me + i;
    kinds[i] = MPI_INT;
  }
  MPI_Alltoallw(out, counts, places, kinds, in, counts, places, kinds, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i) CHECK(in[i] == 100 * i + me);
}

static int handled, copied, dropped, extra;
static void on_error(MPI_Comm *comm, int *code, ...) {
  CHECK(*comm == MPI_COMM_WORLD && *code == MPI_ERR_RANK);
  ++handled;
}
static void on_full(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  (void)code;
  ++handled;
}
static int copy(MPI_Comm comm, int key, void *state, void *in, void *out, int *flag) {
  CHECK(comm == MPI_COMM_WORLD && state == &extra && key != MPI_KEYVAL_INVALID);
  *(void **)out = in;
  *flag = 1;
  ++copied;
  return MPI_SUCCESS;
}
static int drop(MPI_Comm comm, int key, void *value, void *state) {
  CHECK(comm != MPI_COMM_NULL && key != MPI_KEYVAL_INVALID && state == &extra && value == &copied);
  ++dropped;
  return MPI_SUCCESS;
}
static void communicators(void) {
  MPI_Comm other, part;
  MPI_Errhandler handler, got;
  int key, second, flag = 0, result, length, n, *bound = NULL;
  void *value = NULL;
  char name[MPI_MAX_OBJECT_NAME], text[MPI_MAX_ERROR_STRING];
  MPI_Comm_create_keyval(copy, drop, &key, &extra);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &second, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &copied);
  MPI_Comm_set_attr(MPI_COMM_WORLD, second, &copied);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Comm_get_attr(other, key, &value, &flag);
  CHECK(flag && value == &copied && copied == 1);
  MPI_Comm_get_attr(other, second, &value, &flag);
  CHECK(!flag);
  MPI_Comm_compare(MPI_COMM_WORLD, other, &result);
  CHECK(result == MPI_CONGRUENT);
  MPI_Comm stale = other, kept = other;
  MPI_Comm_free(&other);
  CHECK(other == MPI_COMM_NULL && dropped == 1);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_free_keyval(&key);
  CHECK(key == MPI_KEYVAL_INVALID && dropped == 2);
  key = 1234567;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  FAILS(MPI_Comm_free(&stale), MPI_ERR_COMM);
  CHECK(stale == kept);
  FAILS(MPI_Comm_size(stale, &result), MPI_ERR_COMM);
  FAILS(MPI_Comm_free_keyval(&key), MPI_ERR_KEYVAL);
  CHECK(key == 1234567);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
  CHECK(flag && *bound >= 32767);
  MPI_Comm_split(MPI_COMM_WORLD, me == 0 ? MPI_UNDEFINED : 1, 0, &part);
  CHECK((part == MPI_COMM_NULL) == (me == 0));
  if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part);
  char long_name[200];
  memset(long_name, 'x', sizeof long_name);
  long_name[100] = '\0';
  const int fits = MPI_MAX_OBJECT_NAME <= 100 ? MPI_MAX_OBJECT_NAME - 1 : 100;
  MPI_Comm_set_name(part, long_name);
  MPI_Comm_get_name(part, name, &length);
  CHECK(length == fits && (int)strlen(name) == length);
  MPI_Comm_free(&part);
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  CHECK(MPI_Send(&me, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD) == MPI_ERR_RANK && handled == 1);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got);
  CHECK(got == MPI_ERRORS_RETURN);
  CHECK(MPI_Send(&me, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD) == MPI_ERR_TYPE);
  CHECK(MPI_Barrier(MPI_COMM_NULL) == MPI_ERR_COMM);
  for (int i = 0; i < 64; ++i) CHECK(MPI_Comm_rank(FORGED(i), &flag) == MPI_ERR_COMM);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  part = other;
  MPI_Comm_free(&other);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);  /* In the same place. */
  CHECK(other != part && MPI_Comm_rank(part, &flag) == MPI_ERR_COMM);
  MPI_Comm_free(&other);
  CHECK(MPI_Iprobe(MPI_ANY_SOURCE, -5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE) == MPI_ERR_TAG);
  CHECK(MPI_Send(MPI_IN_PLACE, 1, MPI_INT, 0, 0, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
  CHECK(MPI_Iprobe(-7, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE) == MPI_ERR_RANK);
  MPI_Add_error_class(&result);
  MPI_Add_error_string(result, "of this program");
  CHECK(result > MPI_ERR_LASTCODE);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &bound, &flag);
  CHECK(flag && *bound >= result);
  MPI_Error_string(result, text, &length);
  CHECK(strcmp(text, "of this program") == 0);
  MPI_Error_class(result, &n);
  CHECK(n == result);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &bound, &flag);
  CHECK(!flag || *bound == MPI_PROC_NULL);
  MPI_Error_string(MPI_ERR_PENDING, text, &length);
  CHECK(strstr(text, "pending") != NULL);
  /* The table of functions is full: an error as any other. None of these is called. */
  int code = MPI_SUCCESS, made = 0;
  MPI_Op op;
  MPI_Errhandler_free(&handler);
  MPI_Comm_create_errhandler(on_full, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  for (handled = 0; code == MPI_SUCCESS && made < 1000; ++made)
    code = MPI_Op_create((MPI_User_function *)(uintptr_t)(4096 + made), 1, &op);
  CHECK(made > 200 && made <= 257 && handled == 1);
  MPI_Error_class(code, &flag);
  CHECK(flag == MPI_ERR_NO_MEM);
  MPI_Error_string(code, text, &length);
  CHECK(strstr(text, "256 different functions") != NULL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&handler);
  CHECK(handler == MPI_ERRHANDLER_NULL);
  CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
}

static void topologies(void) {
  MPI_Comm line, graph;
  int size[1] = {ranks}, wraps[1] = {0}, from, to, kind, n, out, weighted;
  int to_all[1] = {right}, to_weights[1] = {5}, from_all[1] = {left}, from_weights[1] = {6};
  MPI_Cart_create(MPI_COMM_WORLD, 1, size, wraps, 0, &line);
  MPI_Topo_test(line, &kind);
  CHECK(kind == MPI_CART);
  MPI_Topo_test(MPI_COMM_WORLD, &kind);
  CHECK(kind == MPI_UNDEFINED);
  MPI_Cart_shift(line, 0, 1, &from, &to);
  CHECK(from == (me == 0 ? MPI_PROC_NULL : me - 1) && to == (me + 1 == ranks ? MPI_PROC_NULL : me + 1));
  MPI_Comm_free(&line);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, from_all, MPI_UNWEIGHTED, 1, to_all,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  MPI_Dist_graph_neighbors_count(graph, &n, &out, &weighted);
  CHECK(n == 1 && out == 1 && !weighted);
  MPI_Comm_free(&graph);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, from_all, from_weights, 1, to_all, to_weights,
                                 MPI_INFO_NULL, 0, &graph);
  MPI_Datatype kinds[1] = {MPI_INT};
  MPI_Aint places[1] = {0};
  int one[1] = {1}, got = -1;
  MPI_Neighbor_alltoallw(&me, one, places, kinds, &got, one, places, kinds, graph);
  CHECK(got == left);
  MPI_Comm_free(&graph);
  MPI_Group world, none;
  int nobody[2] = {MPI_PROC_NULL, 0}, theirs[2];
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_translate_ranks(world, 2, nobody, world, theirs);
  CHECK(theirs[0] == MPI_PROC_NULL && theirs[1] == 0);
  MPI_Group_incl(world, 0, NULL, &none);
  CHECK(none == MPI_GROUP_EMPTY);
  MPI_Group_free(&world);
}

static int query(void *state, MPI_Status *status) {
  CHECK(state == &extra);
  MPI_Status_set_elements(status, MPI_INT, 3);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_PROC_NULL;
  status->MPI_TAG = 8;
  return MPI_SUCCESS;
}
static int freed(void *state) {
  CHECK(state == &extra);
  ++dropped;
  return MPI_SUCCESS;
}
static int cancel(void *state, int complete) {
  CHECK(state == &extra && !complete);
  return MPI_SUCCESS;
}
static void generalized(void) {
  MPI_Request request;
  MPI_Status status;
  int n;
  MPI_Grequest_start(query, freed, cancel, &extra, &request);
  MPI_Cancel(&request);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, MPI_INT, &n);
  CHECK(n == 3 && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == 8 && dropped == 3);
}

/* Many objects of each kind: handles differ, and all are found again. */
static void many(void) {
  enum { count = 3000 };
  static MPI_Datatype types[count];
  static MPI_Request requests[count];
  static MPI_Status statuses[count];
  int got = 0, in = 0;
  for (int i = 0; i < count; ++i) MPI_Type_contiguous(i, MPI_INT, &types[i]);
  for (int i = 0; i < count; ++i) {
    MPI_Type_size(types[i], &got);
    CHECK(got == 4 * i);
  }
  for (int i = 0; i < count; ++i) MPI_Type_free(&types[i]);
  for (int i = 0; i < count; ++i) MPI_Irecv(&in, 0, MPI_INT, me, i, MPI_COMM_WORLD, &requests[i]);
  for (int i = count; i-- > 0;) MPI_Send(&in, 0, MPI_INT, me, i, MPI_COMM_WORLD);
  MPI_Waitall(count, requests, statuses);
  for (int i = 0; i < count; ++i) CHECK(requests[i] == MPI_REQUEST_NULL && statuses[i].MPI_TAG == i);
}

#ifdef MPICH
static void add(void *in, void *inout, MPI_Count *n, MPI_Datatype *type) {
  CHECK(*type == MPI_INT);
  for (MPI_Count i = 0; i < *n; ++i) ((int *)inout)[i] += ((int *)in)[i];
}
static void of_session(MPI_Session *session, int *code, ...) {
  CHECK(*session != MPI_SESSION_NULL && *code == MPI_ERR_ARG);
  ++handled;
}
/* What is younger than Open MPI 4. */
static void of_mpi_4(void) {
  MPI_Session session;
  MPI_Errhandler handler;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Op op;
  MPI_Count size = 0;
  int value = me, all = 0, n = 0;
  MPI_Session_create_errhandler(of_session, &handler);
  MPI_Session_init(MPI_INFO_NULL, handler, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "here", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Op_create_c(add, 1, &op);
  MPI_Allreduce_c(&value, &all, 1, MPI_INT, op, comm);
  CHECK(all == ranks * (ranks - 1) / 2);
  MPI_Type_size_c(MPI_DOUBLE, &size);
  CHECK(size == 8);
  handled = 0;
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, NULL);
  CHECK(handled == 1);
  MPI_Comm_size(comm, &n);
  CHECK(n == ranks);
  MPI_Op_free(&op);
  MPI_Group_free(&group);
  MPI_Comm_free(&comm);
  MPI_Errhandler_free(&handler);
  MPI_Session_finalize(&session);
  CHECK(session == MPI_SESSION_NULL);
  handled = 0;
}
#endif

int main(int argc, char **argv) {
  int provided, length;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  CHECK(provided == MPI_THREAD_SERIALIZED);
  MPI_Query_thread(&provided);
  CHECK(provided == MPI_THREAD_SERIALIZED);
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &me) == MPI_SUCCESS);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  right = (me + 1) % ranks;
  left = (me + ranks - 1) % ranks;
  MPI_Get_library_version(text, &length);
  puts(text);
  messages();
  windows();
  types();
  removed();
  collectives();
#ifdef MPICH
  of_mpi_4();
#endif
  communicators();
  topologies();
  generalized();
  many();
  return check_end();
}
