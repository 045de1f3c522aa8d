/* SPDX-License-Identifier: BSL-1.0 */
/* Every collective in its three endings, on predefined datatypes and on ones with holes, with operations
 * of MPI and of the program; in place; on two groups; on neighbours. */
#include "check.h"

static int me, ranks;
static MPI_Datatype holed; /* An int, and a hole of the same size. */

static MPI_Datatype given; /* The program's own type of the call that runs. */
/* (a, b) then (c, d): (a + c, d); it does not commute. */
static void sum_and_last(void *in, void *inout, int *n, MPI_Datatype *type) {
  MPI_Aint low, extent;
  MPI_Type_get_extent(*type, &low, &extent);
  CHECK(*type == MPI_2INT || *type == given);
  int *a = in, *b = inout, step = (int)extent / 4;
  for (int i = 0; i < *n; ++i) b[step * i] += a[step * i];
}

/* Ends a call started or prepared: `turns` times. */
static void end(MPI_Request *request, int prepared) {
  if (prepared) MPI_Start(request);
  MPI_Wait(request, MPI_STATUS_IGNORE);
  if (prepared) {
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    MPI_Request_free(request);
  }
}
#define IN_ALL_ENDINGS(way, blocking, start, prepare) \
  do {                                                \
    MPI_Request r;                                    \
    if ((way) == 0) blocking;                         \
    if ((way) == 1) start, end(&r, 0);                \
    if ((way) == 2) prepare, end(&r, 1);              \
  } while (0)
#define W MPI_COMM_WORLD
#define NO MPI_INFO_NULL

static void blocks(int way, int n) {
  const int all = n * ranks;
  int *in = calloc((size_t)all + 1, 8), *out = calloc((size_t)all + 1, 8);
  int *counts = calloc((size_t)ranks, sizeof *counts), *places = calloc((size_t)ranks, sizeof *places);
  for (int r = 0; r < ranks; ++r) counts[r] = n, places[r] = (ranks - 1 - r) * n; /* Mirrored. */
  for (int root = 0; root < ranks; root += ranks > 2 ? ranks - 1 : 1) {
    for (int i = 0; i < 2 * n; ++i) in[i] = me == root ? i : -1;
    IN_ALL_ENDINGS(way, MPI_Bcast(in, n, holed, root, W), MPI_Ibcast(in, n, holed, root, W, &r),
                   MPI_Bcast_init(in, n, holed, root, W, NO, &r));
    CHECK(in[0] == 0 && in[2 * n - 2] == 2 * n - 2);
    CHECK(in[2 * n - 1] == (me == root ? 2 * n - 1 : -1)); /* The hole is not written. */
    for (int i = 0; i < 2 * n; ++i) in[i] = 10 * me;
    memset(out, -1, (size_t)all * 8);
    IN_ALL_ENDINGS(way, MPI_Gather(in, n, MPI_INT, out, n, holed, root, W),
                   MPI_Igather(in, n, MPI_INT, out, n, holed, root, W, &r),
                   MPI_Gather_init(in, n, MPI_INT, out, n, holed, root, W, NO, &r));
    for (int r = 0; me == root && r < ranks; ++r)
      CHECK(out[2 * n * r] == 10 * r && out[2 * n * r + 1] == -1);
    IN_ALL_ENDINGS(way, MPI_Gatherv(in, n, MPI_INT, out, counts, places, holed, root, W),
                   MPI_Igatherv(in, n, MPI_INT, out, counts, places, holed, root, W, &r),
                   MPI_Gatherv_init(in, n, MPI_INT, out, counts, places, holed, root, W, NO, &r));
    for (int r = 0; me == root && r < ranks; ++r) CHECK(out[2 * n * (ranks - 1 - r)] == 10 * r);
    for (int r = 0; r < ranks; ++r)
      for (int i = 0; i < 2 * n; ++i) in[2 * n * r + i] = 7 * r;
    IN_ALL_ENDINGS(way, MPI_Scatter(in, n, holed, out, n, MPI_INT, root, W),
                   MPI_Iscatter(in, n, holed, out, n, MPI_INT, root, W, &r),
                   MPI_Scatter_init(in, n, holed, out, n, MPI_INT, root, W, NO, &r));
    CHECK(out[0] == 7 * me && out[n - 1] == 7 * me);
    IN_ALL_ENDINGS(way, MPI_Scatterv(in, counts, places, holed, out, n, MPI_INT, root, W),
                   MPI_Iscatterv(in, counts, places, holed, out, n, MPI_INT, root, W, &r),
                   MPI_Scatterv_init(in, counts, places, holed, out, n, MPI_INT, root, W, NO, &r));
    CHECK(out[0] == 7 * (ranks - 1 - me));
  }
  for (int i = 0; i < 2 * all; ++i) in[i] = 100 * me + i / (2 * n), out[i] = -1;
  IN_ALL_ENDINGS(way, MPI_Allgather(in, n, holed, out, n, MPI_INT, W),
                 MPI_Iallgather(in, n, holed, out, n, MPI_INT, W, &r),
                 MPI_Allgather_init(in, n, holed, out, n, MPI_INT, W, NO, &r));
  for (int r = 0; r < ranks; ++r) CHECK(out[n * r] == 100 * r && out[n * r + n - 1] == 100 * r);
  IN_ALL_ENDINGS(way, MPI_Allgatherv(in, n, holed, out, counts, places, holed, W),
                 MPI_Iallgatherv(in, n, holed, out, counts, places, holed, W, &r),
                 MPI_Allgatherv_init(in, n, holed, out, counts, places, holed, W, NO, &r));
  for (int r = 0; r < ranks; ++r) CHECK(out[2 * n * (ranks - 1 - r)] == 100 * r);
  IN_ALL_ENDINGS(way, MPI_Alltoall(in, n, holed, out, n, MPI_INT, W),
                 MPI_Ialltoall(in, n, holed, out, n, MPI_INT, W, &r),
                 MPI_Alltoall_init(in, n, holed, out, n, MPI_INT, W, NO, &r));
  for (int r = 0; r < ranks; ++r) CHECK(out[n * r] == 100 * r + me);
  IN_ALL_ENDINGS(
      way, MPI_Alltoallv(in, counts, places, holed, out, counts, places, MPI_INT, W),
      MPI_Ialltoallv(in, counts, places, holed, out, counts, places, MPI_INT, W, &r),
      MPI_Alltoallv_init(in, counts, places, holed, out, counts, places, MPI_INT, W, NO, &r));
  for (int r = 0; r < ranks; ++r) CHECK(out[n * (ranks - 1 - r)] == 100 * r + (ranks - 1 - me));
  MPI_Datatype *types = malloc((size_t)ranks * sizeof *types);
  for (int r = 0; r < ranks; ++r) types[r] = r % 2 ? MPI_INT : holed, places[r] = 8 * n * r;
  MPI_Datatype mine = me % 2 ? MPI_INT : holed;
  MPI_Datatype *same = malloc((size_t)ranks * sizeof *same);
  for (int r = 0; r < ranks; ++r) same[r] = mine;
  IN_ALL_ENDINGS(
      way, MPI_Alltoallw(in, counts, places, types, out, counts, places, same, W),
      MPI_Ialltoallw(in, counts, places, types, out, counts, places, same, W, &r),
      MPI_Alltoallw_init(in, counts, places, types, out, counts, places, same, W, NO, &r));
  for (int r = 0; r < ranks; ++r) CHECK(out[2 * n * r] == 100 * r + me);
  for (int i = 0; i < all; ++i) out[i] = 100 * me + i / n;
  IN_ALL_ENDINGS(way == 2 ? 1 : way, MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, n, MPI_INT, W),
                 MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, n, MPI_INT, W, &r), (void)0);
  for (int r = 0; r < ranks; ++r) CHECK(out[n * r] == 100 * r + me);
  free(in), free(out), free(counts), free(places), free(types), free(same);
}

/* Blocks that are sent and received lie in one buffer, apart. A rank may send nothing from where it receives nothing. */
static void one_buffer(int way) {
  int *all = malloc((size_t)(3 * ranks) * sizeof *all);
  int *counts = malloc((size_t)ranks * sizeof *counts), *zeros = calloc((size_t)ranks, sizeof *zeros);
  int *from = malloc((size_t)ranks * sizeof *from), *to = malloc((size_t)ranks * sizeof *to);
  int *from_bytes = malloc((size_t)ranks * sizeof *from), *to_bytes = malloc((size_t)ranks * sizeof *to);
  MPI_Datatype *ints = malloc((size_t)ranks * sizeof *ints);
  for (int r = 0; r < ranks; ++r) {
    counts[r] = 1, from[r] = r, to[r] = ranks + r, ints[r] = MPI_INT;
    from_bytes[r] = 4 * from[r], to_bytes[r] = 4 * to[r];
  }
#define FRESH() \
  for (int i = 0; i < 3 * ranks; ++i) all[i] = i < ranks ? 100 * me + i : -1
  FRESH();
  IN_ALL_ENDINGS(way, MPI_Alltoallv(all, counts, from, MPI_INT, all, counts, to, MPI_INT, W),
                 MPI_Ialltoallv(all, counts, from, MPI_INT, all, counts, to, MPI_INT, W, &r),
                 MPI_Alltoallv_init(all, counts, from, MPI_INT, all, counts, to, MPI_INT, W, NO, &r));
  for (int r = 0; r < ranks; ++r) CHECK(all[ranks + r] == 100 * r + me);
  FRESH();
  IN_ALL_ENDINGS(
      way, MPI_Alltoallw(all, counts, from_bytes, ints, all, counts, to_bytes, ints, W),
      MPI_Ialltoallw(all, counts, from_bytes, ints, all, counts, to_bytes, ints, W, &r),
      MPI_Alltoallw_init(all, counts, from_bytes, ints, all, counts, to_bytes, ints, W, NO, &r));
  for (int r = 0; r < ranks; ++r) CHECK(all[ranks + r] == 100 * r + me);
  FRESH();
  IN_ALL_ENDINGS(way, MPI_Allgatherv(all, 1, MPI_INT, all, counts, to, MPI_INT, W),
                 MPI_Iallgatherv(all, 1, MPI_INT, all, counts, to, MPI_INT, W, &r),
                 MPI_Allgatherv_init(all, 1, MPI_INT, all, counts, to, MPI_INT, W, NO, &r));
  for (int r = 0; r < ranks; ++r) CHECK(all[ranks + r] == 100 * r);
  FRESH();
  IN_ALL_ENDINGS(way, MPI_Gatherv(all, 1, MPI_INT, all, counts, to, MPI_INT, 0, W),
                 MPI_Igatherv(all, 1, MPI_INT, all, counts, to, MPI_INT, 0, W, &r),
                 MPI_Gatherv_init(all, 1, MPI_INT, all, counts, to, MPI_INT, 0, W, NO, &r));
  for (int r = 0; r < ranks; ++r) CHECK(all[ranks + r] == (me == 0 ? 100 * r : -1));
  FRESH();
  IN_ALL_ENDINGS(way, MPI_Scatterv(all, counts, to, MPI_INT, all, 1, MPI_INT, 0, W),
                 MPI_Iscatterv(all, counts, to, MPI_INT, all, 1, MPI_INT, 0, W, &r),
                 MPI_Scatterv_init(all, counts, to, MPI_INT, all, 1, MPI_INT, 0, W, NO, &r));
  CHECK(all[0] == -1);
  IN_ALL_ENDINGS(way, MPI_Alltoallv(all, zeros, zeros, MPI_INT, all, zeros, zeros, MPI_INT, W),
                 MPI_Ialltoallv(all, zeros, zeros, MPI_INT, all, zeros, zeros, MPI_INT, W, &r),
                 MPI_Alltoallv_init(all, zeros, zeros, MPI_INT, all, zeros, zeros, MPI_INT, W, NO, &r));
  IN_ALL_ENDINGS(way, MPI_Alltoallw(all, zeros, zeros, ints, all, zeros, zeros, ints, W),
                 MPI_Ialltoallw(all, zeros, zeros, ints, all, zeros, zeros, ints, W, &r),
                 MPI_Alltoallw_init(all, zeros, zeros, ints, all, zeros, zeros, ints, W, NO, &r));
  IN_ALL_ENDINGS(way, MPI_Allreduce(all, all, 0, MPI_INT, MPI_SUM, W),
                 MPI_Iallreduce(all, all, 0, MPI_INT, MPI_SUM, W, &r),
                 MPI_Allreduce_init(all, all, 0, MPI_INT, MPI_SUM, W, NO, &r));
  IN_ALL_ENDINGS(way, MPI_Allgather(all, 0, MPI_INT, all, 0, MPI_INT, W),
                 MPI_Iallgather(all, 0, MPI_INT, all, 0, MPI_INT, W, &r),
                 MPI_Allgather_init(all, 0, MPI_INT, all, 0, MPI_INT, W, NO, &r));
  MPI_Datatype nothing; /* Elements without data. */
  MPI_Type_contiguous(0, MPI_INT, &nothing);
  MPI_Type_commit(&nothing);
  for (int r = 0; r < ranks; ++r) ints[r] = nothing;
  IN_ALL_ENDINGS(way, MPI_Alltoallw(NULL, counts, zeros, ints, NULL, counts, zeros, ints, W),
                 MPI_Ialltoallw(NULL, counts, zeros, ints, NULL, counts, zeros, ints, W, &r),
                 MPI_Alltoallw_init(NULL, counts, zeros, ints, NULL, counts, zeros, ints, W, NO, &r));
  IN_ALL_ENDINGS(way, MPI_Alltoallv(NULL, counts, from, nothing, NULL, counts, from, nothing, W),
                 MPI_Ialltoallv(NULL, counts, from, nothing, NULL, counts, from, nothing, W, &r),
                 MPI_Alltoallv_init(NULL, counts, from, nothing, NULL, counts, from, nothing, W, NO, &r));
  MPI_Type_free(&nothing);
  free(all), free(counts), free(zeros), free(from), free(to), free(from_bytes), free(to_bytes), free(ints);
}

static void reductions(int way, int n, MPI_Op op) {
  int *in = calloc((size_t)(4 * n * ranks) + 1, 4), *out = calloc((size_t)(4 * n * ranks) + 1, 4);
  double *d = malloc((size_t)n * 8), *sums = malloc((size_t)n * 8);
  int *counts = malloc((size_t)ranks * sizeof *counts);
  const int sum = ranks * (ranks - 1) / 2;
  for (int r = 0; r < ranks; ++r) counts[r] = n;
  for (int i = 0; i < n; ++i) d[i] = me + 0.5;
  IN_ALL_ENDINGS(way, MPI_Allreduce(d, sums, n, MPI_DOUBLE, MPI_SUM, W),
                 MPI_Iallreduce(d, sums, n, MPI_DOUBLE, MPI_SUM, W, &r),
                 MPI_Allreduce_init(d, sums, n, MPI_DOUBLE, MPI_SUM, W, NO, &r));
  CHECK(sums[0] == sum + 0.5 * ranks && sums[n - 1] == sums[0]);
  for (int i = 0; i < 2 * n * ranks; ++i) in[i] = i % 2 ? -me : me;
  for (int root = 0; root < ranks; root += ranks > 2 ? ranks - 1 : 1) {
    IN_ALL_ENDINGS(way, MPI_Reduce(in, out, n, MPI_2INT, op, root, W),
                   MPI_Ireduce(in, out, n, MPI_2INT, op, root, W, &r),
                   MPI_Reduce_init(in, out, n, MPI_2INT, op, root, W, NO, &r));
    CHECK(me != root || (out[0] == sum && out[2 * n - 1] == 1 - ranks));
  }
  IN_ALL_ENDINGS(way, MPI_Scan(in, out, n, MPI_2INT, op, W), MPI_Iscan(in, out, n, MPI_2INT, op, W, &r),
                 MPI_Scan_init(in, out, n, MPI_2INT, op, W, NO, &r));
  CHECK(out[2 * n - 2] == me * (me + 1) / 2 && out[1] == -me);
  IN_ALL_ENDINGS(way, MPI_Exscan(in, out, n, MPI_2INT, op, W),
                 MPI_Iexscan(in, out, n, MPI_2INT, op, W, &r),
                 MPI_Exscan_init(in, out, n, MPI_2INT, op, W, NO, &r));
  CHECK(me == 0 || (out[0] == me * (me - 1) / 2 && out[1] == 1 - me));
  for (int i = 0; i < 2; ++i) { /* Rank 0 has no result, and its place may be any. */
    int *const result = me != 0 ? out : i == 0 ? NULL : in;
    IN_ALL_ENDINGS(way, MPI_Exscan(in, result, n, MPI_2INT, op, W),
                   MPI_Iexscan(in, result, n, MPI_2INT, op, W, &r),
                   MPI_Exscan_init(in, result, n, MPI_2INT, op, W, NO, &r));
    CHECK(me == 0 ? in[0] == 0 : out[0] == me * (me - 1) / 2 && out[1] == 1 - me);
  }
  IN_ALL_ENDINGS(way, MPI_Reduce_scatter(in, out, counts, MPI_2INT, op, W),
                 MPI_Ireduce_scatter(in, out, counts, MPI_2INT, op, W, &r),
                 MPI_Reduce_scatter_init(in, out, counts, MPI_2INT, op, W, NO, &r));
  CHECK(out[0] == sum && out[2 * n - 1] == 1 - ranks);
  IN_ALL_ENDINGS(way, MPI_Reduce_scatter_block(in, out, n, MPI_2INT, op, W),
                 MPI_Ireduce_scatter_block(in, out, n, MPI_2INT, op, W, &r),
                 MPI_Reduce_scatter_block_init(in, out, n, MPI_2INT, op, W, NO, &r));
  CHECK(out[0] == sum && out[2 * n - 1] == 1 - ranks);
  for (int r = 0; r < ranks; ++r) counts[r] = r == 0 ? n : 0; /* All others have no result, and no place for one. */
  out[0] = -1;
  IN_ALL_ENDINGS(way, MPI_Reduce_scatter(in, me == 0 ? out : NULL, counts, MPI_2INT, op, W),
                 MPI_Ireduce_scatter(in, me == 0 ? out : NULL, counts, MPI_2INT, op, W, &r),
                 MPI_Reduce_scatter_init(in, me == 0 ? out : NULL, counts, MPI_2INT, op, W, NO, &r));
  CHECK(out[0] == (me == 0 ? sum : -1));
  if (way == 0) {
    MPI_Datatype wide; /* Pairs of ints with a hole of two. */
    MPI_Type_create_resized(MPI_2INT, 0, 16, &wide);
    MPI_Type_commit(&wide);
    given = wide;
    for (int i = 0; i < n; ++i) in[4 * i] = me, in[4 * i + 1] = -me, in[4 * i + 2] = 5;
    memset(out, 0, (size_t)n * 16);
    MPI_Allreduce(in, out, n, wide, op, W);
    CHECK(out[4 * n - 4] == sum && out[1] == 1 - ranks && out[2] == 0);
    MPI_Allreduce(MPI_IN_PLACE, in, n, wide, op, W);
    CHECK(in[4 * n - 4] == sum && in[2] == 5);
    MPI_Type_free(&wide);
    MPI_Type_create_resized(MPI_2INT, 0, -8, &wide); /* From the end to the beginning. */
    MPI_Type_commit(&wide);
    given = wide;
    for (int i = 0; i < n; ++i) in[2 * i] = me + i, in[2 * i + 1] = -me;
    MPI_Allreduce(in + 2 * n - 2, out + 2 * n - 2, n, wide, op, W);
    for (int i = 0; i < n; ++i) CHECK(out[2 * i] == sum + ranks * i && out[2 * i + 1] == 1 - ranks);
    MPI_Type_free(&wide);
  }
  struct {
    double value;
    int at;
  } mine = {me % 3, me}, best;
  MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, W);
  CHECK(best.value == (ranks < 3 ? ranks - 1 : 2) && best.at == (ranks < 3 ? ranks - 1 : 2));
  struct {
    double value;
    int at;
  } *parts = calloc((size_t)ranks, 16); /* In place, one element each, of a type with a hole. */
  for (int r = 0; r < ranks; ++r) parts[r].value = (me + r) % ranks, parts[r].at = me;
  IN_ALL_ENDINGS(way == 2 ? 1 : way,
                 MPI_Reduce_scatter_block(MPI_IN_PLACE, parts, 1, MPI_DOUBLE_INT, MPI_MAXLOC, W),
                 MPI_Ireduce_scatter_block(MPI_IN_PLACE, parts, 1, MPI_DOUBLE_INT, MPI_MAXLOC, W, &r), (void)0);
  CHECK(parts[0].value == ranks - 1 && parts[0].at == (2 * ranks - 1 - me) % ranks);
  free(in), free(out), free(d), free(sums), free(counts), free(parts);
}

static void two_groups(void) {
  MPI_Comm local, inter, merged;
  const int low = me < ranks / 2, first = low ? ranks / 2 : 0;
  if (ranks < 2) return;
  MPI_Comm_split(W, low, 0, &local);
  MPI_Intercomm_create(local, 0, W, first, 5, &inter);
  int rank, size, remote, x, y = -1, flag;
  MPI_Comm_rank(inter, &rank);
  MPI_Comm_size(inter, &size);
  MPI_Comm_remote_size(inter, &remote);
  MPI_Comm_test_inter(inter, &flag);
  CHECK(flag && size + remote == ranks);
  x = low ? 100 : 200;
  MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, inter);
  CHECK(y == remote * (low ? 200 : 100));
  int root = low ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
  y = low ? 42 : -1;
  MPI_Bcast(&y, 1, MPI_INT, root, inter);
  CHECK(y == 42);
  y = low ? 43 : -1;
  MPI_Request r;
  MPI_Ibcast(&y, 1, MPI_INT, root, inter, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  CHECK(y == 43);
  int *all = calloc((size_t)ranks, sizeof *all);
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, inter);
  for (int i = 0; i < remote; ++i) CHECK(all[i] == i);
  MPI_Barrier(inter);
  MPI_Intercomm_merge(inter, low, &merged);
  MPI_Comm_rank(merged, &x);
  CHECK(x == (low ? rank + remote : rank));
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&local);
  free(all);
}

static void neighbours(int way) {
  MPI_Comm ring;
  int dims[1] = {ranks}, periods[1] = {1}, in[2], out[4] = {me, 100 + me, 0, 0};
  int counts[2] = {1, 1}, places[2] = {1, 0};
  MPI_Aint bytes[2] = {0, 4};
  MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Cart_create(W, 1, dims, periods, 0, &ring);
  const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  IN_ALL_ENDINGS(way, MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, ring),
                 MPI_Ineighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, ring, &r),
                 MPI_Neighbor_allgather_init(out, 1, MPI_INT, in, 1, MPI_INT, ring, NO, &r));
  CHECK(in[0] == left && in[1] == right);
  IN_ALL_ENDINGS(
      way, MPI_Neighbor_allgatherv(out, 1, MPI_INT, in, counts, places, MPI_INT, ring),
      MPI_Ineighbor_allgatherv(out, 1, MPI_INT, in, counts, places, MPI_INT, ring, &r),
      MPI_Neighbor_allgatherv_init(out, 1, MPI_INT, in, counts, places, MPI_INT, ring, NO, &r));
  CHECK(in[1] == left && in[0] == right);
  IN_ALL_ENDINGS(way, MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring),
                 MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring, &r),
                 MPI_Neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, ring, NO, &r));
  CHECK(in[0] == 100 + left && in[1] == right);
  IN_ALL_ENDINGS(
      way,
      MPI_Neighbor_alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, ring),
      MPI_Ineighbor_alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, ring, &r),
      MPI_Neighbor_alltoallv_init(out, counts, places, MPI_INT, in, counts, places, MPI_INT, ring, NO,
                                  &r));
  CHECK(in[1] == left && in[0] == 100 + right);
  IN_ALL_ENDINGS(
      way, MPI_Neighbor_alltoallw(out, counts, bytes, types, in, counts, bytes, types, ring),
      MPI_Ineighbor_alltoallw(out, counts, bytes, types, in, counts, bytes, types, ring, &r),
      MPI_Neighbor_alltoallw_init(out, counts, bytes, types, in, counts, bytes, types, ring, NO, &r));
  CHECK(in[0] == 100 + left && in[1] == right);
  MPI_Comm_free(&ring);
}

int main(int argc, char **argv) {
  MPI_Op op;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(W, &me);
  MPI_Comm_size(W, &ranks);
  MPI_Type_create_resized(MPI_INT, 0, 8, &holed);
  MPI_Type_commit(&holed);
  MPI_Op_create(sum_and_last, 0, &op);
  for (int way = 0; way < 3; ++way) {
    IN_ALL_ENDINGS(way, MPI_Barrier(W), MPI_Ibarrier(W, &r), MPI_Barrier_init(W, NO, &r));
    blocks(way, 1);
    blocks(way, 3000);
    reductions(way, 1, op);
    reductions(way, 3000, op);
    one_buffer(way);
    neighbours(way);
  }
  two_groups();
  MPI_Op_free(&op);
  MPI_Type_free(&holed);
  return check_end();
}
