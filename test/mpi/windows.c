/* SPDX-License-Identifier: BSL-1.0 */
/* Windows: every kind of memory, every synchronisation, accesses by many datatypes and operations,
 * requests, attributes, names, hints. Ranks share no memory with some others if MPX_PRETEND_HOSTS is
 * set. */
#include <stddef.h>

#include "check.h"

static int me, ranks, right, left;

static void fences(void) {
  int value = 100 + me, got = -1, i, *part;
  MPI_Win win;
  CHECK(MPI_Win_allocate(4 * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &part,
                         &win) == MPI_SUCCESS);
  for (i = 0; i < 4; ++i) part[i] = me;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  MPI_Put(&value, 1, MPI_INT, right, 1, 1, MPI_INT, win);
  MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 1, 1, MPI_INT, win);
  for (i = 0; i < ranks; ++i) MPI_Accumulate(&value, 1, MPI_INT, i, 2, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Get(&got, 1, MPI_INT, right, 1, 1, MPI_INT, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  CHECK(part[0] == me && part[1] == 100 + left && got == 100 + me);
  CHECK(part[2] == me + 100 * ranks + ranks * (ranks - 1) / 2);
  MPI_Win_free(&win);
}

static void groups(void) {
  int part[2] = {-1, -1}, value = me, flag = 0;
  MPI_Group all, to, from;
  MPI_Win win;
  MPI_Win_create(part, sizeof part, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_get_group(win, &all);
  MPI_Group_incl(all, 1, &right, &to);
  MPI_Group_incl(all, 1, &left, &from);
  MPI_Win_post(from, 0, win);
  MPI_Win_start(to, 0, win);
  MPI_Put(&value, 1, MPI_INT, right, 0, 1, MPI_INT, win);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  CHECK(part[0] == left);
  MPI_Win_post(from, MPI_MODE_NOSTORE, win);
  MPI_Win_start(to, 0, win);
  MPI_Put(&value, 1, MPI_INT, right, 4, 1, MPI_INT, win);
  MPI_Win_complete(win);
  while (!flag) MPI_Win_test(win, &flag);
  CHECK(part[1] == left);
  MPI_Win_post(MPI_GROUP_EMPTY, 0, win);
  MPI_Win_start(MPI_GROUP_EMPTY, 0, win);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  MPI_Group_free(&all);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Win_free(&win);
}

static void locks(void) {
  long *part, one = 1, was = -1, expected, next, i;
  const long turns = 20;
  MPI_Win win;
  MPI_Win_allocate(3 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &part, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, win);
  part[0] = part[1] = part[2] = 0;
  MPI_Win_unlock(me, win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (i = 0; i < turns; ++i) { /* Without atomic accesses, under an exclusive lock. */
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&was, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Win_flush(0, win);
    ++was;
    MPI_Put(&was, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Win_unlock(0, win);
  }
  MPI_Barrier(MPI_COMM_WORLD); /* Nobody waits for an exclusive lock any more. */
  MPI_Win_lock_all(0, win);
  for (i = 0; i < turns; ++i) {
    MPI_Fetch_and_op(&one, &was, MPI_LONG, 0, 1, MPI_SUM, win);
    MPI_Win_flush_local(0, win);
    CHECK(was >= 0 && was < turns * ranks);
  }
  for (i = 0; i < turns; ++i)
    for (expected = 0;; expected = was) {
      next = expected + 1;
      MPI_Compare_and_swap(&next, &expected, &was, MPI_LONG, 0, 2, win);
      MPI_Win_flush(0, win);
      if (was == expected) break;
    }
  MPI_Win_flush_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  long all[3];
  MPI_Fetch_and_op(NULL, &all[0], MPI_LONG, 0, 0, MPI_NO_OP, win);
  MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, &all[1], 2, MPI_LONG, 0, 1, 2, MPI_LONG, MPI_NO_OP,
                     win);
  MPI_Win_flush_local_all(win);
  for (i = 0; i < 3; ++i) CHECK(all[i] == turns * ranks);
  MPI_Win_sync(win);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

/* Elements of many types side by side in one window. */
struct elements {
  signed char c;
  short s;
  int i;
  long long l;
  unsigned char u;
  float f;
  double d, misaligned;
  long double ld;
  struct { float v; int at; } fi;
  struct { double v; int at; } di;
  struct { short v; int at; } si;
  struct { long double v; int at; } ldi;
  double _Complex z;
  _Bool b;
};
#define AT(field) (MPI_Aint) offsetof(struct elements, field)
static void many_types(void) {
  struct elements *part, mine, was;
  int k;
  MPI_Win win;
  MPI_Win_allocate(sizeof *part + 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &win);
  memset(part, 0, sizeof *part + 64);
  memset(&mine, 0, sizeof mine);
  memset(&was, 0, sizeof was);
  part->si.v = -1;
  part->di.at = part->fi.at = part->ldi.at = part->si.at = 9999;
  mine.c = 1, mine.s = 2, mine.i = 3, mine.l = 4, mine.u = (unsigned char)(1 << (me % 8));
  mine.f = 0.5f, mine.d = 0.25, mine.ld = 0.125, mine.z = 1.0, mine.b = me == ranks - 1;
  mine.fi.v = (float)me, mine.di.v = -me, mine.si.v = (short)(me / 2), mine.ldi.v = me;
  mine.fi.at = mine.di.at = mine.si.at = mine.ldi.at = me;
  double one = 1;
  MPI_Win_fence(0, win);
#define ADD(field, type, op) MPI_Accumulate(&mine.field, 1, type, 0, AT(field), 1, type, op, win)
  ADD(c, MPI_SIGNED_CHAR, MPI_SUM);
  ADD(s, MPI_SHORT, MPI_SUM);
  ADD(i, MPI_INT, MPI_SUM);
  ADD(l, MPI_LONG_LONG, MPI_MAX);
  ADD(u, MPI_UNSIGNED_CHAR, MPI_BOR);
  ADD(f, MPI_FLOAT, MPI_SUM);
  ADD(d, MPI_DOUBLE, MPI_SUM);
  ADD(ld, MPI_LONG_DOUBLE, MPI_SUM);
  ADD(fi, MPI_FLOAT_INT, MPI_MAXLOC);
  ADD(di, MPI_DOUBLE_INT, MPI_MINLOC);
  ADD(si, MPI_SHORT_INT, MPI_MAXLOC);
  ADD(ldi, MPI_LONG_DOUBLE_INT, MPI_MAXLOC);
  ADD(z, MPI_C_DOUBLE_COMPLEX, MPI_SUM);
  ADD(b, MPI_C_BOOL, MPI_LOR);
  MPI_Accumulate(&one, 1, MPI_DOUBLE, 0, sizeof *part + 3, 1, MPI_DOUBLE, MPI_SUM, win);
  MPI_Win_fence(0, win);
  if (me == 0) {
    double misaligned;
    memcpy(&misaligned, (char *)part + sizeof *part + 3, sizeof misaligned);
    CHECK(part->c == ranks && part->s == 2 * ranks && part->i == 3 * ranks && part->l == 4);
    CHECK(part->u == (1 << ranks) - 1 && part->f == 0.5f * (float)ranks);
    CHECK(part->d == 0.25 * ranks && part->ld == 0.125L * ranks && misaligned == ranks);
    CHECK(part->fi.v == (float)(ranks - 1) && part->fi.at == (ranks == 1 ? 0 : ranks - 1));
    CHECK(part->di.v == -(ranks - 1) && part->di.at == ranks - 1);
    CHECK(part->si.v == (ranks - 1) / 2 && part->si.at == (ranks - 1) / 2 * 2);
    CHECK(part->ldi.v == ranks - 1 && part->ldi.at == ranks - 1);
    CHECK(part->z == ranks && part->b == 1);
  }
  MPI_Win_fence(0, win);
  /* Pairs with holes: fetched one by one and as arrays; holes keep what they hold. */
  MPI_Fetch_and_op(NULL, &was.di, MPI_DOUBLE_INT, 0, AT(di), MPI_NO_OP, win);
  MPI_Fetch_and_op(NULL, &was.si, MPI_SHORT_INT, 0, AT(si), MPI_NO_OP, win);
  MPI_Win_fence(0, win);
  CHECK(was.di.v == -(ranks - 1) && was.di.at == ranks - 1);
  CHECK(was.si.v == (ranks - 1) / 2);
  struct { short v; int at; } *pairs = (void *)part, given[6], back[6];
  memset(part, 0x55, sizeof given);
  memset(back, 0x33, sizeof back);
  for (k = 0; k < 6; ++k) given[k].v = (short)k, given[k].at = 10 + k;
  MPI_Win_fence(0, win);
  MPI_Get_accumulate(given, 6, MPI_SHORT_INT, back, 6, MPI_SHORT_INT, right, 0, 6, MPI_SHORT_INT,
                     MPI_REPLACE, win);
  MPI_Win_fence(0, win);
  for (k = 0; k < 6; ++k) {
    CHECK(pairs[k].v == k && pairs[k].at == 10 + k && ((char *)&pairs[k])[2] == 0x55);
    CHECK(back[k].v == 0x5555 && back[k].at == 0x55555555 && ((char *)&back[k])[2] == 0x33);
  }
  /* Every other pair of an array, and a duplicate of the datatype. */
  struct { double v; int at; } *sparse = (void *)part, mine_too[2] = {{me, me}, {-me, me}};
  MPI_Datatype every_other, same;
  MPI_Type_vector(2, 1, 2, MPI_DOUBLE_INT, &every_other);
  MPI_Type_commit(&every_other);
  MPI_Type_dup(MPI_DOUBLE_INT, &same);
  for (k = 0; k < 3; ++k) sparse[k].v = -100, sparse[k].at = 77;
  MPI_Win_fence(0, win);
  MPI_Accumulate(mine_too, 2, same, 0, 0, 1, every_other, MPI_MAXLOC, win);
  MPI_Win_fence(0, win);
  if (me == 0) {
    CHECK(sparse[0].v == ranks - 1 && sparse[0].at == ranks - 1);
    CHECK(sparse[1].v == -100 && sparse[1].at == 77);
    CHECK(sparse[2].v == 0 && sparse[2].at == 0);
  }
  MPI_Type_free(&every_other);
  MPI_Type_free(&same);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

static void layouts(void) {
  enum { n = 12 };
  int part[2 * n], out[2 * n], in[2 * n], k;
  MPI_Datatype column, pairs, back;
  MPI_Win win;
  MPI_Win_create(part, sizeof part, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Type_vector(n, 1, 2, MPI_INT, &column);
  MPI_Type_vector(n / 2, 2, 4, MPI_INT, &pairs);
  MPI_Type_vector(n, 1, -1, MPI_INT, &back);
  MPI_Type_commit(&column);
  MPI_Type_commit(&pairs);
  MPI_Type_commit(&back);
  for (k = 0; k < 2 * n; ++k) part[k] = -1, out[k] = 1000 * me + k, in[k] = -2;
  MPI_Win_fence(0, win);
  MPI_Put(out, n, MPI_INT, right, 0, 1, column, win);
  MPI_Win_fence(0, win);
  for (k = 0; k < n; ++k) CHECK(part[2 * k] == 1000 * left + k && part[2 * k + 1] == -1);
  MPI_Win_fence(0, win);
  MPI_Get(in, 1, pairs, right, 0, 1, column, win);
  MPI_Win_fence(0, win);
  for (k = 0; k < n; ++k) CHECK(in[k / 2 * 4 + k % 2] == 1000 * me + k);
  MPI_Win_fence(0, win);
  MPI_Accumulate(out, 1, column, right, 0, 1, column, MPI_SUM, win);
  MPI_Win_fence(0, win);
  for (k = 0; k < n; ++k) CHECK(part[2 * k] == 2000 * left + 3 * k && part[2 * k + 1] == -1);
  for (k = 0; k < 2 * n; ++k) in[k] = -2;
  MPI_Win_fence(0, win); /* Into a layout, from a layout that runs backwards. */
  MPI_Get_accumulate(out, n, MPI_INT, in, 1, column, right, n - 1, 1, back, MPI_REPLACE, win);
  MPI_Win_fence(0, win);
  for (k = 0; k < n; ++k) {
    const int there = n - 1 - k;
    CHECK(in[2 * k] == (there % 2 ? -1 : 2000 * me + 3 * (there / 2)) && in[2 * k + 1] == -2);
    CHECK(part[there] == 1000 * left + k);
  }
  MPI_Win_fence(0, win);
  for (k = 0; k < 2 * n; ++k) part[k] = -1, in[k] = -2;
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, win); /* The side that receives may have more elements. */
  MPI_Put(out, 2, MPI_INT, right, 0, 4, MPI_INT, win);
  MPI_Put(NULL, 0, MPI_INT, right, 0, 4, MPI_INT, win);
  FAILS(MPI_Put(out, 2, MPI_INT, right, 0, 1, MPI_INT, win), MPI_ERR_TYPE);
  FAILS(MPI_Put(out, 2, MPI_INT, right, 0, 1, pairs, win), MPI_ERR_TYPE); /* Not a whole element. */
  MPI_Win_fence(0, win);
  CHECK(part[0] == 1000 * left && part[1] == 1000 * left + 1 && part[2] == -1 && part[3] == -1);
  MPI_Win_fence(0, win);
  MPI_Get(in, 2, column, right, 0, n, MPI_INT, win);
  FAILS(MPI_Get(out, 1, MPI_INT, right, 0, 2, MPI_INT, win), MPI_ERR_TYPE);
  MPI_Win_fence(0, win);
  CHECK(in[0] == 1000 * me && in[2] == 1000 * me + 1 && in[4] == -1 && in[1] == -2);
  MPI_Win_fence(0, win);
  MPI_Type_free(&column);
  MPI_Type_free(&pairs);
  MPI_Type_free(&back);
  MPI_Win_free(&win);
}

static void dynamic_memory(void) {
  enum { n = 3000 };
  MPI_Aint at, there;
  double *memory = malloc(n * sizeof *memory), *got = malloc(n * sizeof *got);
  int k;
  MPI_Win win;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (k = 0; k < n; ++k) memory[k] = me;
  MPI_Win_attach(win, memory, n * sizeof *memory);
  MPI_Get_address(memory, &at);
  MPI_Sendrecv(&at, 1, MPI_AINT, left, 0, &there, 1, MPI_AINT, right, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Win_lock_all(0, win);
  MPI_Get(got, n, MPI_DOUBLE, right, there, n, MPI_DOUBLE, win);
  MPI_Win_flush(right, win);
  for (k = 0; k < n; ++k) CHECK(got[k] == right);
  MPI_Barrier(MPI_COMM_WORLD);
  for (k = 0; k < n; ++k) got[k] = k;
  MPI_Accumulate(got, n, MPI_DOUBLE, right, there, n, MPI_DOUBLE, MPI_SUM, win);
  MPI_Accumulate(got, 1, MPI_DOUBLE, right, MPI_Aint_add(there, 8), 1, MPI_DOUBLE, MPI_SUM, win);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (k = 0; k < n; ++k) CHECK(memory[k] == me + k);
  MPI_Win_detach(win, memory);
  MPI_Win_free(&win);
  free(memory);
  free(got);
}

static void shared_memory(void) {
  MPI_Comm host;
  MPI_Win win;
  MPI_Info info;
  int r, n, k, unit, *part, *of, *first, apart;
  MPI_Aint size;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &r);
  MPI_Comm_size(host, &n);
  for (apart = 0; apart < 2; ++apart) {
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", apart ? "true" : "false");
    /* Rank r has r elements; rank 0 none. */
    CHECK(MPI_Win_allocate_shared(r * (MPI_Aint)sizeof(int), r + 1, info, host, &part, &win) ==
          MPI_SUCCESS);
    MPI_Info_free(&info);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    for (k = 0; k < r; ++k) part[k] = 10 * r + k;
    MPI_Win_sync(win);
    MPI_Barrier(host);
    MPI_Win_sync(win);
    for (int other = 0; other < n; ++other) {
      MPI_Win_shared_query(win, other, &size, &unit, &of);
      CHECK(size == other * (MPI_Aint)sizeof(int) && unit == other + 1);
      for (k = 0; k < other; ++k) CHECK(of[k] == 10 * other + k);
      if (other == r) CHECK(of == part && (of == NULL) == (r == 0));
    }
    MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &first);
    if (n > 1) CHECK(size == sizeof(int) && first[0] == 10);
    if (!apart && r > 0) CHECK(part == first + r * (r - 1) / 2);
    MPI_Barrier(host);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
  }
  MPI_Comm_free(&host);
}

/* Loads and stores to memory of another rank, under its lock. */
static void own_accesses(void) {
  enum { rounds = 500 };
  int *mine, *first, unit, sum = 0;
  MPI_Aint size;
  MPI_Win win;
  MPI_Win_allocate(me == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  if (me == 0) *mine = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_shared_query(win, 0, &size, &unit, &first);
  if (first != NULL) {
    for (int i = 0; i < rounds; ++i) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
      MPI_Win_sync(win);
      ++*first;
      MPI_Win_sync(win);
      MPI_Win_unlock(0, win);
    }
    sum = rounds;
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(me != 0 || *mine == sum);
  MPI_Win_free(&win);
  MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &first);
  /* The lowest rank with which this one shares memory. */
  CHECK(size == 4 && first != NULL && (me != 0 || first == mine));
  MPI_Win_free(&win);
}

/* Accesses that reach nothing: their displacement may be any. */
static void nowhere(void) {
  int value = 1, *part;
  MPI_Win win;
  MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &win);
  *part = 7;
  MPI_Win_fence(0, win);
  CHECK(MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, -1, 1, MPI_INT, win) == MPI_SUCCESS);
  CHECK(MPI_Get(&value, 0, MPI_INT, right, 100, 0, MPI_INT, win) == MPI_SUCCESS);
  MPI_Win_fence(0, win);
  CHECK(*part == 7 && value == 1);
  MPI_Win_free(&win);
}

static void alignment(void) {
  MPI_Info info;
  MPI_Win win;
  char *memory, *part, got = 0, value = (char)me;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_minimum_memory_alignment", "65536");
  MPI_Alloc_mem(100, info, &memory);
  CHECK((size_t)memory % 65536 == 0);
  MPI_Free_mem(memory);
  MPI_Win_allocate(100, 1, info, MPI_COMM_WORLD, &part, &win);
  CHECK((size_t)part % 65536 == 0);
  MPI_Win_fence(0, win);
  MPI_Put(&value, 1, MPI_CHAR, right, 99, 1, MPI_CHAR, win);
  MPI_Win_fence(0, win);
  got = part[99];
  CHECK(got == (char)left);
  MPI_Win_free(&win);
  MPI_Info_set(info, "mpi_minimum_memory_alignment", "100");
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  FAILS(MPI_Alloc_mem(100, info, &memory), MPI_ERR_INFO_VALUE);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Info_free(&info);
}

static void requests(void) {
  enum { n = 5000 };
  int *part, *out = malloc(n * sizeof *out), *in = malloc(n * sizeof *in), k;
  MPI_Request all[3];
  MPI_Win win;
  MPI_Win_allocate(2 * n * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &part,
                   &win);
  for (k = 0; k < n; ++k) out[k] = 7 * me + k, in[k] = -1;
  memset(part, 0, 2 * n * sizeof(int));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  MPI_Rput(out, n, MPI_INT, right, 0, n, MPI_INT, win, &all[0]);
  MPI_Raccumulate(out, 1, MPI_INT, right, n, 1, MPI_INT, MPI_SUM, win, &all[1]);
  MPI_Rput(out, 0, MPI_INT, MPI_PROC_NULL, 0, 0, MPI_INT, win, &all[2]);
  MPI_Waitall(3, all, MPI_STATUSES_IGNORE);
  CHECK(all[0] == MPI_REQUEST_NULL && all[2] == MPI_REQUEST_NULL);
  MPI_Win_flush(right, win);
  MPI_Rget(in, n, MPI_INT, right, 0, n, MPI_INT, win, &all[0]);
  MPI_Wait(&all[0], MPI_STATUS_IGNORE);
  for (k = 0; k < n; ++k) CHECK(in[k] == 7 * me + k);
  MPI_Rget_accumulate(out, n, MPI_INT, in, n, MPI_INT, right, n, n, MPI_INT, MPI_SUM, win, &all[0]);
  MPI_Wait(&all[0], MPI_STATUS_IGNORE);
  CHECK(in[0] == 7 * me && in[1] == 0);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(part[n] == 14 * left && part[n + 1] == 7 * left + 1);
  MPI_Win_free(&win);
  free(out);
  free(in);
}

/* A request's error goes to the handler of its window: that of the communicator would end the job. */
static void failed_request(void) {
  double got = 0, *memory = malloc(sizeof *memory);
  MPI_Aint at;
  MPI_Request request;
  MPI_Win win;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Get_address(memory, &at); /* Not attached. */
  MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
  CHECK(MPI_Rget(&got, 1, MPI_DOUBLE, me, at, 1, MPI_DOUBLE, win, &request) == MPI_SUCCESS);
  FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_RMA_RANGE);
  CHECK(request == MPI_REQUEST_NULL);
  MPI_Win_unlock(me, win);
  MPI_Win_free(&win);
  free(memory);
}

static int deleted;
static int delete_it(MPI_Win win, int key, void *value, void *extra) {
  (void)win, (void)key, (void)extra;
  deleted += *(int *)value;
  return MPI_SUCCESS;
}
static int handled;
static void handle(MPI_Win *win, int *code, ...) {
  (void)win;
  handled = *code;
}
static void objects(void) {
  int x[4], key, flag, value = 5, length, *unit, *flavor, *model;
  MPI_Aint *size;
  void *base, *found;
  char name[MPI_MAX_OBJECT_NAME], text[32];
  MPI_Info info;
  MPI_Errhandler of_win, got;
  MPI_Group group, world;
  MPI_Win win;
  MPI_Win_create(x, sizeof x, 2, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
  CHECK(flag && base == x);
  MPI_Win_get_attr(win, MPI_WIN_SIZE, &size, &flag);
  CHECK(flag && *size == sizeof x);
  MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag);
  CHECK(flag && *unit == 2);
  MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag);
  CHECK(flag && *flavor == MPI_WIN_FLAVOR_CREATE);
  MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag);
  CHECK(flag && (*model == MPI_WIN_UNIFIED || *model == MPI_WIN_SEPARATE));
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_it, &key, NULL);
  MPI_Win_set_attr(win, key, &value);
  MPI_Win_get_attr(win, key, &found, &flag);
  CHECK(flag && found == &value);
  MPI_Win_delete_attr(win, key);
  CHECK(deleted == 5);
  MPI_Win_get_attr(win, key, &found, &flag);
  CHECK(!flag);
  MPI_Win_set_attr(win, key, &value);
  MPI_Win_free_keyval(&key);
  CHECK(key == MPI_KEYVAL_INVALID);
  MPI_Win_get_name(win, name, &length);
  CHECK(length == 0 && name[0] == 0);
  MPI_Win_get_name(MPI_WIN_NULL, name, &length);
  CHECK(strcmp(name, "MPI_WIN_NULL") == 0);
  MPI_Win_set_name(win, "halo");
  MPI_Win_get_name(win, name, &length);
  CHECK(length == 4 && strcmp(name, "halo") == 0);
  MPI_Info_create(&info);
  MPI_Info_set(info, "no_locks", "true");
  MPI_Info_set(info, "no such hint", "x");
  MPI_Win_set_info(win, info);
  MPI_Info_free(&info);
  MPI_Win_get_info(win, &info);
  MPI_Info_get(info, "no_locks", 31, text, &flag);
  CHECK(flag && strcmp(text, "true") == 0);
  MPI_Info_get(info, "no such hint", 31, text, &flag);
  CHECK(!flag);
  MPI_Info_free(&info);
  MPI_Win_get_group(win, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_compare(group, world, &flag);
  CHECK(flag == MPI_IDENT);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  MPI_Win_get_errhandler(win, &got);
  CHECK(got == MPI_ERRORS_ARE_FATAL);
  MPI_Win_create_errhandler(handle, &of_win);
  MPI_Win_set_errhandler(win, of_win);
  MPI_Errhandler_free(&of_win);
  MPI_Win_call_errhandler(win, MPI_ERR_DISP);
  CHECK(handled == MPI_ERR_DISP);
  FAILS(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
  CHECK(handled == MPI_ERR_RMA_SYNC);
  CHECK(MPI_Win_fromint(MPI_Win_toint(win)) == win && MPI_Win_toint(MPI_WIN_NULL) == 0x110);
  MPI_Win_free(&win);
  CHECK(deleted == 10);
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  right = (me + 1) % ranks;
  left = (me + ranks - 1) % ranks;
  fences();
  groups();
  locks();
  many_types();
  layouts();
  dynamic_memory();
  shared_memory();
  own_accesses();
  nowhere();
  alignment();
  requests();
  failed_request();
  objects();
  return check_end();
}
