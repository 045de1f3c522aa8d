/* SPDX-License-Identifier: BSL-1.0 */
/* Datatypes: all constructors, against lists of the bytes that they select; their arguments taken
 * apart and put together again; packing, names, attributes, counts of elements. One rank. */
#include "check.h"

enum { bytes_max = 4096 };

/* Packs `type` from a buffer in which byte i has the value i, and compares it with `at`. */
static void selects(MPI_Datatype type, const int *at, int n) {
  static unsigned char from[bytes_max], packed[bytes_max], back[bytes_max];
  int size, position = 0;
  MPI_Type_commit(&type);
  MPI_Type_size(type, &size);
  CHECK(size == n * (int)sizeof(int));
  for (int i = 0; i < bytes_max; ++i) from[i] = (unsigned char)(i * 7 + i / 256);
  CHECK(MPI_Pack(from + 1024, 1, type, packed, bytes_max, &position, MPI_COMM_SELF) == MPI_SUCCESS);
  CHECK(position == size);
  for (int i = 0; i < n; ++i) CHECK(memcmp(packed + 4 * i, from + 1024 + at[i], 4) == 0);
  memset(back, 0, sizeof back);
  position = 0;
  MPI_Unpack(packed, size, &position, back + 1024, 1, type, MPI_COMM_SELF);
  for (int i = 0; i < n; ++i) CHECK(memcmp(back + 1024 + at[i], from + 1024 + at[i], 4) == 0);
  memset(back, 0, sizeof back); /* The same by a message to this rank. */
  MPI_Sendrecv(from + 1024, 1, type, 0, 0, packed, n, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Sendrecv(packed, n, MPI_INT, 0, 0, back + 1024, 1, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; ++i) CHECK(memcmp(back + 1024 + at[i], from + 1024 + at[i], 4) == 0);
}

/* Makes a datatype again from what MPI tells of it. */
static MPI_Datatype again(MPI_Datatype type) {
  int ni, na, nt, how, i[64];
  MPI_Aint a[64];
  MPI_Datatype t[16], made = MPI_DATATYPE_NULL;
  MPI_Type_get_envelope(type, &ni, &na, &nt, &how);
  MPI_Type_get_contents(type, ni, na, nt, i, a, t);
  switch (how) {
    case MPI_COMBINER_DUP: MPI_Type_dup(t[0], &made); break;
    case MPI_COMBINER_CONTIGUOUS: MPI_Type_contiguous(i[0], t[0], &made); break;
    case MPI_COMBINER_VECTOR: MPI_Type_vector(i[0], i[1], i[2], t[0], &made); break;
    case MPI_COMBINER_HVECTOR: MPI_Type_create_hvector(i[0], i[1], a[0], t[0], &made); break;
    case MPI_COMBINER_INDEXED: MPI_Type_indexed(i[0], i + 1, i + 1 + i[0], t[0], &made); break;
    case MPI_COMBINER_HINDEXED: MPI_Type_create_hindexed(i[0], i + 1, a, t[0], &made); break;
    case MPI_COMBINER_INDEXED_BLOCK: MPI_Type_create_indexed_block(i[0], i[1], i + 2, t[0], &made); break;
    case MPI_COMBINER_HINDEXED_BLOCK: MPI_Type_create_hindexed_block(i[0], i[1], a, t[0], &made); break;
    case MPI_COMBINER_STRUCT: MPI_Type_create_struct(i[0], i + 1, a, t, &made); break;
    case MPI_COMBINER_SUBARRAY:
      MPI_Type_create_subarray(i[0], i + 1, i + 1 + i[0], i + 1 + 2 * i[0], i[1 + 3 * i[0]], t[0], &made);
      break;
    case MPI_COMBINER_DARRAY:
      MPI_Type_create_darray(i[0], i[1], i[2], i + 3, i + 3 + i[2], i + 3 + 2 * i[2], i + 3 + 3 * i[2],
                             i[3 + 4 * i[2]], t[0], &made);
      break;
    case MPI_COMBINER_RESIZED: MPI_Type_create_resized(t[0], a[0], a[1], &made); break;
    default: CHECK(!"a constructor that this test does not know");
  }
  for (int k = 0; k < nt; ++k) {
    int n1, n2, n3, named;
    MPI_Type_get_envelope(t[k], &n1, &n2, &n3, &named);
    if (named != MPI_COMBINER_NAMED) MPI_Type_free(&t[k]);
  }
  return made;
}

static void both(MPI_Datatype type, const int *at, int n, MPI_Aint extent) {
  MPI_Datatype copy = again(type);
  MPI_Aint lb, e1, e2;
  MPI_Type_get_extent(type, &lb, &e1);
  MPI_Type_get_extent(copy, &lb, &e2);
  CHECK(e1 == extent && e2 == extent);
  selects(type, at, n);
  selects(copy, at, n);
  MPI_Type_free(&copy);
  MPI_Type_free(&type);
}

static void constructors(void) {
  MPI_Datatype t, u;
  MPI_Type_contiguous(3, MPI_INT, &t);
  both(t, (int[]){0, 4, 8}, 3, 12);
  MPI_Type_vector(2, 2, 3, MPI_INT, &t);
  both(t, (int[]){0, 4, 12, 16}, 4, 20);
  MPI_Type_vector(2, 1, -2, MPI_INT, &t);
  both(t, (int[]){0, -8}, 2, 12);
  MPI_Type_create_hvector(2, 1, 20, MPI_INT, &t);
  both(t, (int[]){0, 20}, 2, 24);
  MPI_Type_indexed(2, (int[]){2, 1}, (int[]){4, 0}, MPI_INT, &t);
  both(t, (int[]){16, 20, 0}, 3, 24);
  MPI_Type_create_hindexed(2, (int[]){1, 1}, (MPI_Aint[]){-40, 8}, MPI_INT, &t);
  both(t, (int[]){-40, 8}, 2, 52);
  MPI_Type_create_indexed_block(2, 2, (int[]){3, 0}, MPI_INT, &t);
  both(t, (int[]){12, 16, 0, 4}, 4, 20);
  MPI_Type_create_hindexed_block(2, 1, (MPI_Aint[]){12, 4}, MPI_INT, &t);
  both(t, (int[]){12, 4}, 2, 12);
  MPI_Type_create_resized(MPI_INT, -4, 16, &u);
  MPI_Type_contiguous(2, u, &t);
  both(t, (int[]){0, 16}, 2, 32);
  MPI_Type_create_struct(3, (int[]){1, 2, 1}, (MPI_Aint[]){0, 8, 48}, (MPI_Datatype[]){MPI_INT, u, MPI_INT},
                         &t);
  both(t, (int[]){0, 8, 24, 48}, 4, 32); /* The bounds of u are those of all. */
  MPI_Type_dup(u, &t);
  both(t, (int[]){0}, 1, 16);
  MPI_Type_free(&u);
  MPI_Type_create_subarray(2, (int[]){4, 5}, (int[]){2, 2}, (int[]){1, 3}, MPI_ORDER_C, MPI_INT, &t);
  both(t, (int[]){32, 36, 52, 56}, 4, 80);
  MPI_Type_create_subarray(2, (int[]){4, 5}, (int[]){2, 2}, (int[]){1, 3}, MPI_ORDER_FORTRAN, MPI_INT, &t);
  both(t, (int[]){52, 56, 68, 72}, 4, 80);
  MPI_Type_create_darray(2, 1, 2, (int[]){2, 4}, (int[]){MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC},
                         (int[]){MPI_DISTRIBUTE_DFLT_DARG, 1}, (int[]){1, 2}, MPI_ORDER_C, MPI_INT, &t);
  both(t, (int[]){4, 12, 20, 28}, 4, 32);
  MPI_Type_create_f90_real(6, 30, &t);
  MPI_Type_create_f90_real(6, 30, &u);
  int size;
  MPI_Type_size(t, &size);
  CHECK(t == u && size == 4);
}

static int copies, drops;
static int copy_twice(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag) {
  int size = 0;
  (void)key, (void)extra;
  MPI_Type_size(type, &size); /* It is the type that is duplicated: an int and a double. */
  CHECK(size == 12);
  ++copies;
  *(void **)out = (char *)in + 1;
  *flag = 1;
  return MPI_SUCCESS;
}
static int drop(MPI_Datatype type, int key, void *value, void *extra) {
  (void)type, (void)key, (void)value, (void)extra;
  ++drops;
  return MPI_SUCCESS;
}

static void others(void) {
  MPI_Datatype pair, twin;
  int n, key, flag, x[2] = {0x01020304, 5}, y[2], position = 0;
  char name[MPI_MAX_OBJECT_NAME], wire[64], *value;
  unsigned char expected[8] = {1, 2, 3, 4, 0, 0, 0, 5};
  MPI_Aint at = 0, size;
  MPI_Status status;
  MPI_Pack_external_size("external32", 2, MPI_INT, &size);
  CHECK(size == 8);
  MPI_Pack_external("external32", x, 2, MPI_INT, wire, sizeof wire, &at);
  CHECK(at == 8 && memcmp(wire, expected, 8) == 0);
  at = 0;
  MPI_Unpack_external("external32", wire, sizeof wire, &at, y, 2, MPI_INT);
  CHECK(y[0] == x[0] && y[1] == 5);
  MPI_Pack_size(3, MPI_DOUBLE, MPI_COMM_SELF, &n);
  CHECK(n >= 24);
  (void)position;
  MPI_Type_get_name(MPI_DOUBLE, name, &n);
  CHECK(strcmp(name, "MPI_DOUBLE") == 0 && n == 10);
  MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &pair);
  MPI_Type_commit(&pair);
  MPI_Type_set_name(pair, "pair");
  MPI_Type_create_keyval(copy_twice, drop, &key, NULL);
  MPI_Type_set_attr(pair, key, name);
  MPI_Type_dup(pair, &twin);
  MPI_Type_get_attr(twin, key, &value, &flag);
  CHECK(flag && value == name + 1 && copies == 1);
  MPI_Type_delete_attr(twin, key);
  MPI_Type_get_attr(twin, key, &value, &flag);
  CHECK(!flag && drops == 1);
  struct {
    int a;
    double b;
  } out[2] = {{1, 2.5}, {3, 4.5}}, in[2];
  MPI_Sendrecv(out, 2, twin, 0, 0, in, 2, pair, 0, 0, MPI_COMM_SELF, &status);
  CHECK(in[1].a == 3 && in[1].b == 4.5);
  MPI_Get_count(&status, pair, &n);
  CHECK(n == 2);
  MPI_Get_elements(&status, pair, &n);
  CHECK(n == 4);
  MPI_Status_set_elements(&status, pair, 3);
  MPI_Get_elements(&status, pair, &n);
  CHECK(n == 3);
  MPI_Get_count(&status, pair, &n);
  CHECK(n == MPI_UNDEFINED);
  MPI_Datatype three; /* Not committed. */
  MPI_Type_contiguous(3, MPI_INT, &three);
  MPI_Status_set_elements(&status, three, 6);
  MPI_Get_count(&status, three, &n);
  CHECK(n == 2);
  MPI_Get_elements(&status, three, &n);
  CHECK(n == 6);
  MPI_Type_free(&three);
  MPI_Type_free(&twin);
  MPI_Type_free(&pair);
  CHECK(drops == 2);
  MPI_Type_free_keyval(&key);
  MPI_Count large;
  MPI_Datatype big;
  MPI_Type_contiguous_c((MPI_Count)1 << 40, MPI_DOUBLE, &big);
  MPI_Type_size(big, &n);
  MPI_Type_size_c(big, &large);
  CHECK(n == MPI_UNDEFINED && large == (MPI_Count)1 << 43);
  MPI_Type_free(&big);
  MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair);
  CHECK(pair == MPI_DOUBLE_INT);
  MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &pair);
  CHECK(pair == MPI_REAL8);
  MPI_Type_size(MPI_REAL2, &n);
  CHECK(n == MPI_UNDEFINED);
  MPI_Aint here, there;
  MPI_Get_address(&x[0], &here);
  MPI_Get_address(&x[1], &there);
  CHECK(MPI_Aint_diff(there, here) == 4 && MPI_Aint_add(here, 4) == there);
}

/* Constructors with large counts: all their counts and addresses are large counts, in order. */
static void large_contents(void) {
  MPI_Count lengths[2] = {2, 1}, at[2] = {0, 16}, sizes[2] = {4, 6}, parts[2] = {2, 3},
            starts[2] = {1, 2};
  MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, all[11], t[2], again;
  const int how[11] = {MPI_COMBINER_CONTIGUOUS, MPI_COMBINER_VECTOR,        MPI_COMBINER_HVECTOR,
                       MPI_COMBINER_INDEXED,    MPI_COMBINER_HINDEXED,      MPI_COMBINER_INDEXED_BLOCK,
                       MPI_COMBINER_STRUCT,     MPI_COMBINER_HINDEXED_BLOCK, MPI_COMBINER_SUBARRAY,
                       MPI_COMBINER_RESIZED,    MPI_COMBINER_DARRAY};
  /* Integers, large counts, datatypes; the first and the last large count. */
  const MPI_Count want[11][5] = {{0, 1, 1, 7, 7},  {0, 3, 1, 2, 5},  {0, 3, 1, 2, 40}, {0, 5, 1, 2, 16},
                                 {0, 5, 1, 2, 16}, {0, 4, 1, 2, 16}, {0, 5, 2, 2, 16}, {0, 4, 1, 2, 16},
                                 {2, 6, 1, 4, 2},  {0, 2, 1, -4, 64}, {10, 2, 1, 4, 6}};
  const int distribs[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE},
            dargs[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, grid[2] = {1, 1};
  int k, ints[16], combiner, n;
  MPI_Aint addresses[4];
  MPI_Count ni, na, nc, nt, counts[16];
  MPI_Type_contiguous_c(7, MPI_INT, &all[0]);
  MPI_Type_vector_c(2, 3, 5, MPI_INT, &all[1]);
  MPI_Type_create_hvector_c(2, 3, 40, MPI_INT, &all[2]);
  MPI_Type_indexed_c(2, lengths, at, MPI_INT, &all[3]);
  MPI_Type_create_hindexed_c(2, lengths, at, MPI_INT, &all[4]);
  MPI_Type_create_indexed_block_c(2, 3, at, MPI_INT, &all[5]);
  MPI_Type_create_struct_c(2, lengths, at, types, &all[6]);
  MPI_Type_create_hindexed_block_c(2, 3, at, MPI_INT, &all[7]);
  MPI_Type_create_subarray_c(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &all[8]);
  MPI_Type_create_resized_c(MPI_INT, -4, 64, &all[9]);
  MPI_Type_create_darray_c(1, 0, 2, sizes, distribs, dargs, grid, MPI_ORDER_C, MPI_INT, &all[10]);
  for (k = 0; k < 11; ++k) {
    CHECK(MPI_Type_get_envelope_c(all[k], &ni, &na, &nc, &nt, &combiner) == MPI_SUCCESS);
    CHECK(combiner == how[k] && na == 0);
    CHECK(ni == want[k][0] && nc == want[k][1] && nt == want[k][2]);
    CHECK(MPI_Type_get_contents_c(all[k], ni, na, nc, nt, ints, addresses, counts, t) == MPI_SUCCESS);
    CHECK(counts[0] == want[k][3] && counts[nc - 1] == want[k][4] && t[0] == MPI_INT);
    FAILS(MPI_Type_get_contents_c(all[k], ni, na, nc - 1, nt, ints, addresses, counts, t),
          MPI_ERR_ARG);
    FAILS(MPI_Type_get_envelope(all[k], &n, &n, &n, &combiner), MPI_ERR_TYPE);
    FAILS(MPI_Type_get_contents(all[k], 16, 4, 2, ints, addresses, t), MPI_ERR_TYPE);
  }
  CHECK(ints[0] == 1 && ints[1] == 0 && ints[2] == 2 && ints[9] == MPI_ORDER_C); /* Of darray. */
  MPI_Type_get_contents_c(all[1], 0, 0, 3, 1, ints, addresses, counts, t);
  MPI_Type_vector_c(counts[0], counts[1], counts[2], t[0], &again);
  MPI_Count old, made;
  MPI_Type_size_c(all[1], &old);
  MPI_Type_size_c(again, &made);
  CHECK(old == made && made == 24);
  MPI_Type_free(&again);
  for (k = 0; k < 11; ++k) MPI_Type_free(&all[k]);
  /* Of a constructor without large counts. */
  MPI_Type_vector(2, 3, 5, MPI_INT, &again);
  MPI_Type_get_envelope_c(again, &ni, &na, &nc, &nt, &combiner);
  CHECK(ni == 3 && na == 0 && nc == 0 && nt == 1);
  CHECK(MPI_Type_get_contents_c(again, 3, 0, 0, 1, ints, NULL, NULL, t) == MPI_SUCCESS);
  CHECK(ints[0] == 2 && ints[1] == 3 && ints[2] == 5);
  MPI_Type_free(&again);
  MPI_Type_get_envelope_c(MPI_INT, &ni, &na, &nc, &nt, &combiner);
  CHECK(combiner == MPI_COMBINER_NAMED && ni == 0 && nc == 0);
  FAILS(MPI_Type_get_contents_c(MPI_INT, 1, 1, 1, 1, ints, addresses, counts, t), MPI_ERR_TYPE);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  constructors();
  large_contents();
  others();
  return check_end();
}
