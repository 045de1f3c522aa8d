/* SPDX-License-Identifier: BSL-1.0 */
/* Bad input that no table of arguments knows: freed objects, wrong states, buffers that overlap,
 * arguments that are significant at some ranks only. Each call returns a clear error. */
#include "check.h"

static int counted;
static void sum(void *in, void *inout, int *n, MPI_Datatype *type) {
  (void)in, (void)inout, (void)n, (void)type;
}
static int refuse(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  ++counted;
  return MPI_ERR_OTHER;
}

static void requests(void) {
  MPI_Request wild = (MPI_Request)0x123456789abc0, done = MPI_REQUEST_NULL, copy;
  MPI_Status status;
  int flag, index, x = 0, y = 0;
  FAILS(MPI_Wait(&wild, &status), MPI_ERR_REQUEST);
  FAILS(MPI_Test(&wild, &flag, &status), MPI_ERR_REQUEST);
  FAILS(MPI_Waitall(1, &wild, &status), MPI_ERR_REQUEST);
  FAILS(MPI_Waitall(1, NULL, &status), MPI_ERR_REQUEST);
  FAILS(MPI_Waitall(-1, &wild, &status), MPI_ERR_COUNT);
  FAILS(MPI_Waitany(1, &wild, &index, &status), MPI_ERR_REQUEST);
  FAILS(MPI_Start(&done), MPI_ERR_REQUEST);
  FAILS(MPI_Cancel(&done), MPI_ERR_REQUEST);
  FAILS(MPI_Request_free(&done), MPI_ERR_REQUEST);
  FAILS(MPI_Wait(NULL, &status), MPI_ERR_ARG);
  FAILS(MPI_Grequest_complete(wild), MPI_ERR_REQUEST);
  FAILS(MPI_Grequest_start(NULL, NULL, NULL, NULL, &copy), MPI_ERR_ARG);
  FAILS(MPI_Startall(1, NULL), MPI_ERR_ARG);
  FAILS(MPI_Request_get_status_all(1, NULL, &flag, &status), MPI_ERR_ARG);
  MPI_Irecv(&x, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &done);
  copy = done;
  FAILS(MPI_Start(&copy), MPI_ERR_REQUEST);
  FAILS(MPI_Grequest_complete(copy), MPI_ERR_REQUEST);
  FAILS(MPI_Waitsome(1, &done, &index, NULL, &status), MPI_ERR_ARG);
  FAILS(MPI_Testsome(1, &done, &index, NULL, &status), MPI_ERR_ARG);
  FAILS(MPI_Request_get_status_some(1, &done, &index, NULL, &status), MPI_ERR_ARG);
  MPI_Send(&y, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
  CHECK(MPI_Wait(&done, &status) == MPI_SUCCESS);
  FAILS(MPI_Wait(&copy, &status), MPI_ERR_REQUEST); /* Freed by the first wait. */
  MPI_Recv_init(&x, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &done);
  MPI_Start(&done);
  FAILS(MPI_Start(&done), MPI_ERR_REQUEST); /* It is active. */
  MPI_Cancel(&done);
  MPI_Wait(&done, &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag);
  MPI_Request_free(&done);
  MPI_Message message = (MPI_Message)0x123456789abc0;
  FAILS(MPI_Mrecv(&x, 1, MPI_INT, &message, &status), MPI_ERR_REQUEST);
  FAILS(MPI_Imrecv(&x, 1, MPI_INT, &message, &done), MPI_ERR_REQUEST);
}

static void freed_objects(void) {
  MPI_Datatype type, old;
  MPI_Comm comm, old_comm;
  MPI_Op op, old_op;
  MPI_Group group, old_group;
  int x[4] = {0}, size, one = 1, key;
  MPI_Type_contiguous(2, MPI_INT, &type);
  FAILS(MPI_Send(x, 1, type, 0, 0, MPI_COMM_SELF), MPI_ERR_TYPE); /* It is not committed. */
  MPI_Type_commit(&type);
  old = type;
  MPI_Type_free(&type);
  CHECK(type == MPI_DATATYPE_NULL);
  FAILS(MPI_Type_size(old, &size), MPI_ERR_TYPE);
  FAILS(MPI_Send(x, 1, old, 0, 0, MPI_COMM_SELF), MPI_ERR_TYPE);
  FAILS(MPI_Type_commit(&old), MPI_ERR_TYPE);
  FAILS(MPI_Type_free(&old), MPI_ERR_TYPE);
  FAILS(MPI_Type_contiguous(1, old, &type), MPI_ERR_TYPE);
  FAILS(MPI_Type_create_struct(1, &one, (MPI_Aint[]){0}, &old, &type), MPI_ERR_TYPE);
  type = MPI_INT;
  FAILS(MPI_Type_free(&type), MPI_ERR_TYPE);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  old_comm = comm;
  MPI_Comm_free(&comm);
  CHECK(comm == MPI_COMM_NULL);
  FAILS(MPI_Comm_size(old_comm, &size), MPI_ERR_COMM);
  FAILS(MPI_Barrier(old_comm), MPI_ERR_COMM);
  FAILS(MPI_Comm_free(&old_comm), MPI_ERR_COMM);
  comm = MPI_COMM_WORLD;
  FAILS(MPI_Comm_free(&comm), MPI_ERR_COMM);
  MPI_Op_create(sum, 1, &op);
  old_op = op;
  MPI_Op_free(&op);
  FAILS(MPI_Allreduce(x, x + 1, 1, MPI_INT, old_op, MPI_COMM_SELF), MPI_ERR_OP);
  FAILS(MPI_Op_free(&old_op), MPI_ERR_OP);
  op = MPI_SUM;
  FAILS(MPI_Op_free(&op), MPI_ERR_OP);
  FAILS(MPI_Op_create(NULL, 1, &op), MPI_ERR_ARG);
  MPI_Comm_group(MPI_COMM_SELF, &group);
  old_group = group;
  MPI_Group_free(&group);
  FAILS(MPI_Group_size(old_group, &size), MPI_ERR_GROUP);
  FAILS(MPI_Group_free(&old_group), MPI_ERR_GROUP);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  int old_key = key;
  MPI_Comm_free_keyval(&key);
  FAILS(MPI_Comm_set_attr(MPI_COMM_SELF, old_key, NULL), MPI_ERR_KEYVAL);
  FAILS(MPI_Comm_free_keyval(&key), MPI_ERR_KEYVAL);
  key = MPI_TAG_UB;
  FAILS(MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL), MPI_ERR_KEYVAL);
  FAILS(MPI_Comm_free_keyval(&key), MPI_ERR_KEYVAL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &key, NULL);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_attr(comm, key, NULL);
  FAILS(MPI_Comm_delete_attr(comm, key), MPI_ERR_OTHER);
  FAILS(MPI_Comm_free(&comm), MPI_ERR_OTHER);
  CHECK(counted == 2 && comm != MPI_COMM_NULL);
}

static void data(void) {
  int x[8] = {0}, y[8] = {0}, dims[2] = {-1, 2}, counts[1] = {-1}, zeros[1] = {0}, at, rank;
  int one[1] = {1}, two[1] = {2};
  MPI_Datatype ints[1] = {MPI_INT};
  MPI_Comm comm;
  MPI_Datatype type;
  char text[4];
  MPI_Aint huge = (MPI_Aint)1 << 62;
  FAILS(MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
  FAILS(MPI_Send(MPI_IN_PLACE, 1, MPI_INT, 0, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
  FAILS(MPI_Send_c(x, huge, MPI_INT, 0, 0, MPI_COMM_SELF), MPI_ERR_COUNT);
  FAILS(MPI_Allreduce(x, x, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF), MPI_ERR_BUFFER);
  FAILS(MPI_Reduce(x, x, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
  FAILS(MPI_Allgather(x, 1, MPI_INT, x, 1, MPI_INT, MPI_COMM_SELF), MPI_ERR_BUFFER);
  FAILS(MPI_Gather(x, 1, MPI_INT, x, 1, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
  FAILS(MPI_Alltoall(x, 1, MPI_INT, x, 1, MPI_INT, MPI_COMM_SELF), MPI_ERR_BUFFER);
  FAILS(MPI_Allreduce(x, x + 1, 2, MPI_INT, MPI_SUM, MPI_COMM_SELF), MPI_ERR_BUFFER);
  FAILS(MPI_Scan(x + 1, x, 2, MPI_INT, MPI_SUM, MPI_COMM_SELF), MPI_ERR_BUFFER);
  FAILS(MPI_Allgather(x + 1, 2, MPI_INT, x, 2, MPI_INT, MPI_COMM_SELF), MPI_ERR_BUFFER);
  FAILS(MPI_Allgatherv(x + 2, 1, MPI_INT, x, one, two, MPI_INT, MPI_COMM_SELF), MPI_ERR_BUFFER);
  FAILS(MPI_Gatherv(x + 2, 1, MPI_INT, x, one, two, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
  FAILS(MPI_Scatter(x, 2, MPI_INT, x + 1, 2, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
  CHECK(MPI_Allgatherv(x + 1, 1, MPI_INT, x, one, two, MPI_INT, MPI_COMM_SELF) == MPI_SUCCESS);
  FAILS(MPI_Alltoallv(x, one, two, MPI_INT, x + 1, two, one, MPI_INT, MPI_COMM_SELF),
        MPI_ERR_BUFFER);
  FAILS(MPI_Type_dup(MPI_DATATYPE_NULL, &type), MPI_ERR_TYPE);
  FAILS(MPI_Alltoallv(x, one, two, MPI_INT, x, one, two, MPI_INT, MPI_COMM_SELF), MPI_ERR_BUFFER);
  FAILS(MPI_Alltoallw(x, one, zeros, ints, (char *)x + 2, one, zeros, ints, MPI_COMM_SELF),
        MPI_ERR_BUFFER);
  FAILS(MPI_Type_ub(MPI_INT, NULL), MPI_ERR_ARG);
  FAILS(MPI_Allreduce(x, y, 1, MPI_FLOAT, MPI_BAND, MPI_COMM_SELF), MPI_ERR_OP);
  FAILS(MPI_Allreduce(x, y, 1, MPI_INT, MPI_MINLOC, MPI_COMM_SELF), MPI_ERR_OP);
  FAILS(MPI_Allreduce(x, y, -1, MPI_INT, MPI_SUM, MPI_COMM_SELF), MPI_ERR_COUNT);
  FAILS(MPI_Allreduce(x, y, 1, MPI_DATATYPE_NULL, MPI_SUM, MPI_COMM_SELF), MPI_ERR_TYPE);
  FAILS(MPI_Allreduce(x, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF), MPI_ERR_BUFFER);
  FAILS(MPI_Gather(x, -1, MPI_INT, y, 1, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_COUNT);
  FAILS(MPI_Gather(x, 1, MPI_INT, y, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_SELF), MPI_ERR_TYPE);
  FAILS(MPI_Gatherv(x, 1, MPI_INT, y, counts, zeros, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_COUNT);
  FAILS(MPI_Gatherv(x, 1, MPI_INT, y, NULL, zeros, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_ARG);
  FAILS(MPI_Alltoallw(x, zeros, zeros, NULL, y, zeros, zeros, NULL, MPI_COMM_SELF), MPI_ERR_ARG);
  FAILS(MPI_Reduce_scatter(x, y, counts, MPI_INT, MPI_SUM, MPI_COMM_SELF), MPI_ERR_COUNT);
  FAILS(MPI_Neighbor_alltoall(x, 1, MPI_INT, y, 1, MPI_INT, MPI_COMM_SELF), MPI_ERR_TOPOLOGY);
  FAILS(MPI_Reduce_local(x, x, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
  CHECK(MPI_Reduce_local(x, NULL, 0, MPI_INT, MPI_NO_OP) == MPI_SUCCESS);
  FAILS(MPI_Cart_create(MPI_COMM_SELF, 2, dims, zeros, 0, &comm), MPI_ERR_DIMS);
  FAILS(MPI_Cart_create(MPI_COMM_SELF, 1, (int[]){1000}, zeros, 0, &comm), MPI_ERR_DIMS);
  FAILS(MPI_Cart_rank(MPI_COMM_SELF, zeros, &rank), MPI_ERR_TOPOLOGY);
  FAILS(MPI_Cart_shift(MPI_COMM_SELF, 0, 1, &rank, &at), MPI_ERR_TOPOLOGY);
  FAILS(MPI_Dims_create(0, 2, dims), MPI_ERR_ARG);
  FAILS(MPI_Comm_split(MPI_COMM_SELF, -7, 0, &comm), MPI_ERR_ARG);
  FAILS(MPI_Comm_split_type(MPI_COMM_SELF, 7, 0, MPI_INFO_NULL, &comm), MPI_ERR_ARG);
  FAILS(MPI_Comm_remote_size(MPI_COMM_SELF, &rank), MPI_ERR_COMM);
  FAILS(MPI_Intercomm_merge(MPI_COMM_SELF, 0, &comm), MPI_ERR_COMM);
  FAILS(MPI_Group_incl(MPI_GROUP_EMPTY, 1, zeros, (MPI_Group[1]){0}), MPI_ERR_RANK);
  FAILS(MPI_Group_range_incl(MPI_GROUP_EMPTY, 1, (int[1][3]){{0, 2, 1}}, (MPI_Group[1]){0}), MPI_ERR_RANK);
  FAILS(MPI_Type_create_subarray(1, (int[]){4}, (int[]){3}, (int[]){2}, MPI_ORDER_C, MPI_INT, &type),
        MPI_ERR_ARG);
  FAILS(MPI_Type_create_subarray(1, (int[]){4}, (int[]){2}, (int[]){2}, 77, MPI_INT, &type),
        MPI_ERR_ARG);
  FAILS(MPI_Type_indexed(1, counts, zeros, MPI_INT, &type), MPI_ERR_ARG);
  FAILS(MPI_Type_get_contents(MPI_INT, 0, 0, 0, NULL, NULL, NULL), MPI_ERR_TYPE);
  at = 2;
  FAILS(MPI_Pack(x, 1, MPI_INT, text, 4, &at, MPI_COMM_SELF), MPI_ERR_TRUNCATE);
  at = 9;
  FAILS(MPI_Pack(x, 1, MPI_INT, text, 4, &at, MPI_COMM_SELF), MPI_ERR_ARG);
  FAILS(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);
  FAILS(MPI_Info_set(MPI_INFO_ENV, "", "x"), MPI_ERR_INFO_KEY);
  FAILS(MPI_Info_delete(MPI_INFO_ENV, "no such key"), MPI_ERR_INFO_NOKEY);
  FAILS(MPI_Error_string(12345, text, &at), MPI_ERR_ARG);
  FAILS(MPI_Init(NULL, NULL), MPI_ERR_OTHER);
  FAILS(MPI_File_open(MPI_COMM_SELF, "x", MPI_MODE_RDONLY, MPI_INFO_NULL, (MPI_File[1]){0}),
        MPI_ERR_UNSUPPORTED_OPERATION);
}

/* Null places and buffers that are significant in some calls only, and constants in place of buffers. */
static void places(void) {
  int x[8] = {0}, y[8] = {0}, one = 1, zero = 0, at = 0;
  MPI_Aint zero_at = 0;
  MPI_Comm made;
  MPI_Datatype type = MPI_INT, vector;
  FAILS(MPI_Send(MPI_BUFFER_AUTOMATIC, 1, MPI_INT, 0, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
  FAILS(MPI_Recv(MPI_BUFFER_AUTOMATIC, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
  FAILS(MPI_Allreduce(x, MPI_BUFFER_AUTOMATIC, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF), MPI_ERR_BUFFER);
  FAILS(MPI_Reduce_local(x, MPI_BUFFER_AUTOMATIC, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
  FAILS(MPI_Gatherv(x, 1, MPI_INT, NULL, &one, &one, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
  FAILS(MPI_Alltoallv(NULL, &one, &one, MPI_INT, y, &one, &zero, MPI_INT, MPI_COMM_SELF), MPI_ERR_BUFFER);
  FAILS(MPI_Alltoallw(x, &one, &zero, &type, NULL, &one, &zero, &type, MPI_COMM_SELF), MPI_ERR_BUFFER);
  FAILS(MPI_Pack(x, 1, MPI_INT, NULL, 4, &at, MPI_COMM_SELF), MPI_ERR_BUFFER);
  FAILS(MPI_Unpack(MPI_BUFFER_AUTOMATIC, 4, &at, x, 1, MPI_INT, MPI_COMM_SELF), MPI_ERR_BUFFER);
  MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
  FAILS(MPI_Type_get_contents(vector, 3, 0, 1, NULL, NULL, &type), MPI_ERR_ARG);
  FAILS(MPI_Type_get_contents(vector, 3, 0, 1, x, NULL, NULL), MPI_ERR_ARG);
  MPI_Type_free(&vector);
  MPI_Cart_create(MPI_COMM_SELF, 1, &one, &zero, 0, &made);
  FAILS(MPI_Cart_get(made, 1, NULL, x, y), MPI_ERR_ARG);
  FAILS(MPI_Cart_get(made, 1, x, NULL, y), MPI_ERR_ARG);
  FAILS(MPI_Cart_get(made, 1, x, y, NULL), MPI_ERR_ARG);
  FAILS(MPI_Cart_coords(made, 0, 1, NULL), MPI_ERR_ARG);
  MPI_Comm_free(&made);
  MPI_Graph_create(MPI_COMM_SELF, 1, &one, &zero, 0, &made);
  FAILS(MPI_Graph_get(made, 1, 1, NULL, x), MPI_ERR_ARG);
  FAILS(MPI_Graph_get(made, 1, 1, x, NULL), MPI_ERR_ARG);
  FAILS(MPI_Graph_neighbors(made, 0, 1, NULL), MPI_ERR_ARG);
  FAILS(MPI_Neighbor_allgatherv(NULL, 1, MPI_INT, y, &one, &zero, MPI_INT, made), MPI_ERR_BUFFER);
  FAILS(MPI_Neighbor_alltoallw(NULL, &one, &zero_at, (MPI_Datatype[]){MPI_INT}, y, &one, &zero_at,
                               (MPI_Datatype[]){MPI_INT}, made), MPI_ERR_BUFFER);
  FAILS(MPI_Neighbor_alltoallv(NULL, &one, (int[]){100000}, MPI_INT, y, &one, &zero, MPI_INT, made),
        MPI_ERR_BUFFER);
  FAILS(MPI_Neighbor_allgatherv(x, 1, MPI_INT, x, &one, &zero, MPI_INT, made), MPI_ERR_BUFFER);
  FAILS(MPI_Neighbor_alltoallv(x, &one, &zero, MPI_INT, x, &one, &zero, MPI_INT, made), MPI_ERR_BUFFER);
  FAILS(MPI_Neighbor_alltoallw(x, &one, &zero_at, (MPI_Datatype[]){MPI_INT}, x, &one, &zero_at,
                               (MPI_Datatype[]){MPI_INT}, made), MPI_ERR_BUFFER);
  CHECK(MPI_Neighbor_alltoallv(x, &one, &zero, MPI_INT, x, &one, &one, MPI_INT, made) == MPI_SUCCESS);
  MPI_Comm_free(&made);
  FAILS(MPI_Dist_graph_create(MPI_COMM_SELF, 1, &zero, &one, &zero, NULL, MPI_INFO_NULL, 0, &made),
        MPI_ERR_ARG);
  MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, &zero, &one, 1, &zero, &one, MPI_INFO_NULL, 0, &made);
  FAILS(MPI_Dist_graph_neighbors(made, 1, NULL, y, 1, x, y), MPI_ERR_ARG);
  FAILS(MPI_Dist_graph_neighbors(made, 1, x, NULL, 1, x, y), MPI_ERR_ARG);
  FAILS(MPI_Dist_graph_neighbors(made, 1, x, y, 1, NULL, y), MPI_ERR_ARG);
  MPI_Comm_free(&made);
}

/* Windows: arguments that depend on each other, and wrong epochs. */
static void windows(void) {
  int x[4] = {0}, y = 0, flag, unit;
  double d = 0;
  void *base;
  MPI_Aint size, huge = (MPI_Aint)1 << 62;
  MPI_Win win, old, dynamic;
  MPI_Group group;
  MPI_Request request;
  MPI_Datatype twice;
  MPI_Op own;
  MPI_Comm self = MPI_COMM_SELF;
  FAILS(MPI_Win_create(x, -4, 1, MPI_INFO_NULL, self, &win), MPI_ERR_SIZE);
  FAILS(MPI_Win_create(x, 4, 0, MPI_INFO_NULL, self, &win), MPI_ERR_DISP);
  FAILS(MPI_Win_create(NULL, 4, 1, MPI_INFO_NULL, self, &win), MPI_ERR_BASE);
  FAILS(MPI_Win_allocate(-1, 1, MPI_INFO_NULL, self, &base, &win), MPI_ERR_SIZE);
  FAILS(MPI_Win_allocate(huge, 1, MPI_INFO_NULL, self, &base, &win), MPI_ERR_NO_MEM);
  FAILS(MPI_Win_allocate_shared(4, -1, MPI_INFO_NULL, self, &base, &win), MPI_ERR_DISP);
  CHECK(MPI_Win_create(x, sizeof x, sizeof(int), MPI_INFO_NULL, self, &win) == MPI_SUCCESS);
  CHECK(MPI_Win_create_dynamic(MPI_INFO_NULL, self, &dynamic) == MPI_SUCCESS);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
  MPI_Comm_group(self, &group);
  /* No epoch is open. */
  FAILS(MPI_Put(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Rget(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_flush(0, win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_flush_local_all(win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_test(win, &flag), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_lock(7, 0, 0, win), MPI_ERR_LOCKTYPE);
  FAILS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 1, win), MPI_ERR_ASSERT);
  FAILS(MPI_Win_fence(MPI_MODE_NOCHECK, win), MPI_ERR_ASSERT);
  FAILS(MPI_Win_post(group, MPI_MODE_NOSUCCEED, win), MPI_ERR_ASSERT);
  /* Within one. */
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  FAILS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Win_start(group, 0, win), MPI_ERR_RMA_SYNC);
  old = win;
  FAILS(MPI_Win_free(&old), MPI_ERR_RMA_SYNC);
  FAILS(MPI_Put(&y, 1, MPI_INT, 0, 4, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
  FAILS(MPI_Put(&y, 1, MPI_INT, 0, -1, 1, MPI_INT, win), MPI_ERR_DISP);
  FAILS(MPI_Put(&y, 1, MPI_INT, 0, huge, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
  FAILS(MPI_Put(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_BUFFER);
  FAILS(MPI_Put(x, 2, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_TYPE);
  FAILS(MPI_Get(&y, 1, MPI_INT, 0, 0, 2, MPI_INT, win), MPI_ERR_TYPE);
  FAILS(MPI_Get_c(&y, huge, MPI_INT, 0, 0, huge, MPI_INT, win), MPI_ERR_COUNT);
  FAILS(MPI_Accumulate(&d, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_BAND, win), MPI_ERR_OP);
  FAILS(MPI_Accumulate(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, win), MPI_ERR_OP);
  FAILS(MPI_Accumulate(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_MAXLOC, win), MPI_ERR_OP);
  MPI_Op_create(sum, 1, &own);
  FAILS(MPI_Accumulate(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, own, win), MPI_ERR_OP);
  MPI_Op_free(&own);
  FAILS(MPI_Get_accumulate(&y, 1, MPI_DATATYPE_NULL, &y, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win),
        MPI_ERR_TYPE);
  FAILS(MPI_Get_accumulate(&y, -1, MPI_INT, &y, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win),
        MPI_ERR_COUNT);
  FAILS(MPI_Compare_and_swap(&d, &d, &d, MPI_LONG_DOUBLE, 0, 0, win), MPI_ERR_TYPE);
  FAILS(MPI_Compare_and_swap(&d, &d, &d, MPI_DOUBLE, 0, 0, win), MPI_ERR_TYPE);
  FAILS(MPI_Compare_and_swap(&y, NULL, &y, MPI_INT, 0, 0, win), MPI_ERR_BUFFER);
  MPI_Type_contiguous(2, MPI_INT, &twice);
  MPI_Type_commit(&twice);
  FAILS(MPI_Fetch_and_op(x, x + 2, twice, 0, 0, MPI_SUM, win), MPI_ERR_TYPE);
  MPI_Type_free(&twice);
  MPI_Type_create_hindexed(2, (int[]){1, 1}, (MPI_Aint[]){0, 2}, MPI_INT, &twice);
  MPI_Type_commit(&twice);
  FAILS(MPI_Put(x, 2, MPI_INT, 0, 0, 1, twice, win), MPI_ERR_TYPE); /* It overlaps itself. */
  MPI_Type_free(&twice);
  CHECK(MPI_Win_unlock(0, win) == MPI_SUCCESS);
  /* Memory. */
  FAILS(MPI_Win_attach(win, x, 4), MPI_ERR_RMA_FLAVOR);
  FAILS(MPI_Win_detach(win, x), MPI_ERR_RMA_FLAVOR);
  FAILS(MPI_Win_attach(dynamic, x, -4), MPI_ERR_SIZE);
  FAILS(MPI_Win_detach(dynamic, x), MPI_ERR_RMA_ATTACH);
  CHECK(MPI_Win_attach(dynamic, x, 8) == MPI_SUCCESS);
  FAILS(MPI_Win_attach(dynamic, x + 1, 8), MPI_ERR_RMA_ATTACH);
  MPI_Win_lock_all(0, dynamic);
  MPI_Put(&y, 1, MPI_INT, 0, (MPI_Aint)(x + 2), 1, MPI_INT, dynamic);
  FAILS(MPI_Win_unlock_all(dynamic), MPI_ERR_RMA_RANGE); /* It is not attached. */
  FAILS(MPI_Win_shared_query(dynamic, 0, &size, &unit, &base), MPI_ERR_RMA_FLAVOR);
  /* Attributes, and handles that are freed. */
  FAILS(MPI_Win_set_attr(win, MPI_WIN_SIZE, NULL), MPI_ERR_KEYVAL);
  FAILS(MPI_Win_get_attr(win, 12345, &base, &flag), MPI_ERR_KEYVAL);
  FAILS(MPI_Win_set_errhandler(win, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);
  old = win;
  CHECK(MPI_Win_free(&win) == MPI_SUCCESS && win == MPI_WIN_NULL);
  FAILS(MPI_Win_fence(0, old), MPI_ERR_WIN);
  FAILS(MPI_Win_free(&old), MPI_ERR_WIN);
  CHECK(MPI_Win_free(&dynamic) == MPI_SUCCESS);
  MPI_Group_free(&group);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  requests();
  freed_objects();
  data();
  places();
  windows();
  int x = 0, y[2] = {1, 2};
  MPI_Request receiving;
  MPI_Status status;
  MPI_Irecv(&x, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &receiving);
  MPI_Send(y, 2, MPI_INT, 0, 3, MPI_COMM_SELF);
  FAILS(MPI_Waitall(1, &receiving, &status), MPI_ERR_IN_STATUS);
  CHECK(status.MPI_ERROR == MPI_ERR_TRUNCATE && x == 1);
  return check_end();
}
