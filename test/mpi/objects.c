/* SPDX-License-Identifier: BSL-1.0 */
/* Groups, communicators and their attributes, topologies, info objects, error handlers, classes and
 * codes, handles as integers. On any number of ranks. */
#include "check.h"

static int me, ranks, copies, drops, errors;
#define W MPI_COMM_WORLD

static int copy_some(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag) {
  (void)comm, (void)key;
  ++copies;
  *(void **)out = in;
  *flag = extra != NULL;
  return MPI_SUCCESS;
}
static int drop(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  ++drops;
  return MPI_SUCCESS;
}
static int refuse(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag) {
  (void)comm, (void)key, (void)extra, (void)in, (void)out, (void)flag;
  return MPI_ERR_ARG;
}
static void on_error(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  errors += *code;
}

static void groups(void) {
  MPI_Group world, odd, even, all, none;
  int size, rank, result, ranges[1][3] = {{0, ranks - 1, 2}}, first[2] = {0, MPI_PROC_NULL}, out[2];
  MPI_Comm_group(W, &world);
  MPI_Group_range_incl(world, 1, ranges, &even);
  MPI_Group_range_excl(world, 1, ranges, &odd);
  int beyond[2][3] = {{0, ranks + 1, ranks + 2}, {ranks - 1, -1, -ranks - 1}}; /* Ranks 0 and the last. */
  MPI_Group_range_incl(world, ranks > 1 ? 2 : 1, beyond, &all);
  MPI_Group_size(all, &size);
  CHECK(size == (ranks > 1 ? 2 : 1));
  MPI_Group_free(&all);
  MPI_Group_size(even, &size);
  CHECK(size == (ranks + 1) / 2);
  MPI_Group_rank(even, &rank);
  CHECK(rank == (me % 2 == 0 ? me / 2 : MPI_UNDEFINED));
  MPI_Group_union(even, odd, &all);
  MPI_Group_compare(all, world, &result);
  CHECK(result == (ranks < 3 ? MPI_IDENT : MPI_SIMILAR));
  MPI_Group_intersection(even, odd, &none);
  CHECK(none == MPI_GROUP_EMPTY);
  MPI_Group_difference(world, odd, &none);
  MPI_Group_compare(none, even, &result);
  CHECK(result == MPI_IDENT);
  MPI_Group_translate_ranks(even, 2, first, world, out);
  CHECK(out[0] == 0 && out[1] == MPI_PROC_NULL);
  MPI_Group_translate_ranks(world, 1, first, odd, out);
  CHECK(out[0] == MPI_UNDEFINED);
  MPI_Group_free(&none);
  MPI_Comm comm;
  MPI_Comm_create(W, even, &comm);
  CHECK((comm == MPI_COMM_NULL) == (me % 2 == 1));
  if (comm != MPI_COMM_NULL) {
    MPI_Comm again;
    MPI_Comm_create_group(W, even, 3, &again);
    MPI_Comm_compare(comm, again, &result);
    CHECK(result == MPI_CONGRUENT);
    MPI_Comm_free(&again);
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&world), MPI_Group_free(&odd), MPI_Group_free(&even), MPI_Group_free(&all);
}

static void communicators(void) {
  MPI_Comm twin, late, part, shared;
  MPI_Request request;
  int key, other, result, flag, *bound, n, value = 7;
  char name[MPI_MAX_OBJECT_NAME], *got;
  MPI_Comm_create_keyval(copy_some, drop, &key, &value);
  MPI_Comm_create_keyval(copy_some, drop, &other, NULL);
  MPI_Comm_set_attr(W, key, &value);
  MPI_Comm_set_attr(W, other, &value);
  MPI_Comm_dup(W, &twin);
  MPI_Comm_get_attr(twin, key, &got, &flag);
  CHECK(flag && (int *)(void *)got == &value && copies == 2);
  MPI_Comm_get_attr(twin, other, &got, &flag);
  CHECK(!flag);
  MPI_Comm_compare(W, twin, &result);
  CHECK(result == MPI_CONGRUENT);
  MPI_Comm_idup(twin, &late, &request);
  MPI_Comm_set_errhandler(late, MPI_ERRORS_RETURN);
  FAILS(MPI_Comm_free(&late), MPI_ERR_COMM);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(late);
  MPI_Comm_free(&late);
  MPI_Comm_free(&twin);
  CHECK(drops == 2);
  MPI_Comm_delete_attr(W, key), MPI_Comm_delete_attr(W, other);
  MPI_Comm_free_keyval(&key), MPI_Comm_free_keyval(&other);
  CHECK(drops == 4 && key == MPI_KEYVAL_INVALID);
  MPI_Comm_create_keyval(refuse, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_dup(MPI_COMM_SELF, &twin);
  MPI_Comm_set_attr(twin, key, NULL);
  MPI_Comm_set_errhandler(twin, MPI_ERRORS_RETURN);
  FAILS(MPI_Comm_dup(twin, &late), MPI_ERR_ARG);
  CHECK(late == MPI_COMM_NULL);
  MPI_Comm_free(&twin);
  MPI_Comm_split(W, me % 2 ? MPI_UNDEFINED : 3, -me, &part);
  CHECK((part == MPI_COMM_NULL) == (me % 2 == 1));
  if (part != MPI_COMM_NULL) {
    MPI_Comm_rank(part, &n);
    CHECK(n == (ranks - 1) / 2 - me / 2);
    MPI_Comm_set_name(part, "part");
    MPI_Comm_get_name(part, name, &n);
    CHECK(strcmp(name, "part") == 0 && n == 4);
    MPI_Comm_free(&part);
  }
  MPI_Comm_split_type(W, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
  MPI_Comm_size(shared, &n);
  CHECK(n == ranks);
  MPI_Comm_free(&shared);
  MPI_Info hardware, guide;
  char type[MPI_MAX_INFO_KEY], restricted[16];
  int types = 0, known = 0, together, k;
  MPI_Comm_split_type(W, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
  MPI_Comm_size(shared, &together);
  MPI_Comm_free(&shared);
  CHECK(MPI_Get_hw_resource_info(&hardware) == MPI_SUCCESS);
  MPI_Info_get_nkeys(hardware, &types);
  CHECK(types == 1);
  for (k = 0; k < types; ++k) {
    MPI_Info_get_nthkey(hardware, k, type);
    MPI_Info_get(hardware, type, 15, restricted, &known);
    CHECK(known && strncmp(type, "mpx://", 6) == 0 && strcmp(restricted, "true") == 0);
    MPI_Info_create(&guide);
    MPI_Info_set(guide, "mpi_hw_resource_type", type);
    CHECK(MPI_Comm_split_type(W, MPI_COMM_TYPE_HW_GUIDED, 0, guide, &shared) == MPI_SUCCESS);
    MPI_Comm_size(shared, &known);
    CHECK(known == together);
    MPI_Comm_free(&shared);
    MPI_Info_set(guide, "mpi_hw_resource_type", "mpx://moon");
    MPI_Comm_split_type(W, MPI_COMM_TYPE_HW_GUIDED, 0, guide, &shared);
    CHECK(shared == MPI_COMM_NULL);
    MPI_Info_free(&guide);
  }
  MPI_Info_free(&hardware);
  MPI_Comm_split_type(W, MPI_UNDEFINED, 0, MPI_INFO_NULL, &shared);
  CHECK(shared == MPI_COMM_NULL);
  MPI_Comm_get_attr(W, MPI_TAG_UB, &bound, &flag);
  CHECK(flag && *bound >= 32767);
  MPI_Comm_get_name(W, name, &n);
  CHECK(strcmp(name, "MPI_COMM_WORLD") == 0);
}

static void topologies(void) {
  MPI_Comm grid, line, graph, dist;
  int dims[2] = {0, 0}, periods[2] = {1, 0}, at[2], rank, n, m, weighted, status, keep[2] = {0, 1};
  MPI_Dims_create(ranks, 2, dims);
  CHECK(dims[0] * dims[1] == ranks && dims[0] >= dims[1]);
  MPI_Cart_create(W, 2, dims, periods, 0, &grid);
  MPI_Topo_test(grid, &status);
  CHECK(status == MPI_CART);
  MPI_Cart_coords(grid, me, 2, at);
  MPI_Cart_rank(grid, at, &rank);
  CHECK(rank == me && at[0] == me / dims[1]);
  int up, down;
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  CHECK(down == (me + dims[1]) % ranks && up == (me + ranks - dims[1]) % ranks);
  MPI_Cart_shift(grid, 1, 1, &up, &down);
  CHECK((down == MPI_PROC_NULL) == (at[1] == dims[1] - 1));
  MPI_Cart_sub(grid, keep, &line);
  MPI_Comm_size(line, &n);
  CHECK(n == dims[1]);
  MPI_Comm twin;
  MPI_Comm_dup(grid, &twin);
  MPI_Cartdim_get(twin, &n);
  CHECK(n == 2);
  MPI_Comm_free(&twin), MPI_Comm_free(&line), MPI_Comm_free(&grid);
  int *ends = malloc((size_t)ranks * sizeof *ends), *edges = malloc((size_t)ranks * sizeof *edges);
  for (int r = 0; r < ranks; ++r) ends[r] = r + 1, edges[r] = (r + 1) % ranks;
  MPI_Graph_create(W, ranks, ends, edges, 0, &graph);
  MPI_Graphdims_get(graph, &n, &m);
  CHECK(n == ranks && m == ranks);
  MPI_Graph_neighbors_count(graph, me, &n);
  MPI_Graph_neighbors(graph, me, 1, &m);
  CHECK(n == 1 && m == (me + 1) % ranks);
  MPI_Comm_free(&graph);
  int next = (me + 1) % ranks, last = (me + ranks - 1) % ranks, one = 1, weight = 5, from, to, w1, w2;
  MPI_Dist_graph_create_adjacent(W, 1, &last, &weight, 1, &next, &weight, MPI_INFO_NULL, 0, &dist);
  MPI_Dist_graph_neighbors_count(dist, &n, &m, &weighted);
  MPI_Dist_graph_neighbors(dist, 1, &from, &w1, 1, &to, &w2);
  CHECK(n == 1 && m == 1 && weighted && from == last && to == next && w1 == 5 && w2 == 5);
  for (int way = 0; way < 3; ++way) { /* A duplicate has the weights, too. */
    MPI_Request r;
    if (way == 0) MPI_Comm_dup(dist, &twin);
    if (way == 1) MPI_Comm_dup_with_info(dist, MPI_INFO_NULL, &twin);
    if (way == 2) MPI_Comm_idup(dist, &twin, &r), MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Dist_graph_neighbors_count(twin, &n, &m, &weighted);
    w1 = w2 = 0;
    MPI_Dist_graph_neighbors(twin, 1, &from, &w1, 1, &to, &w2);
    CHECK(n == 1 && m == 1 && weighted && from == last && to == next && w1 == 5 && w2 == 5);
    MPI_Comm_free(&twin);
  }
  MPI_Comm_free(&dist);
  MPI_Dist_graph_create(W, 1, &next, &one, &me, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &dist);
  MPI_Dist_graph_neighbors_count(dist, &n, &m, &weighted);
  MPI_Dist_graph_neighbors(dist, 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED);
  CHECK(n == 1 && m == 1 && !weighted && from == next && to == last);
  MPI_Comm_free(&dist);
  free(ends), free(edges);
}

static void info_and_errors(void) {
  MPI_Info info, copy;
  MPI_Errhandler handler, got;
  char value[16], key[MPI_MAX_INFO_KEY], text[MPI_MAX_ERROR_STRING];
  int flag, n, class, code, size = sizeof value;
  MPI_Info_create(&info);
  MPI_Info_set(info, "a", "one");
  MPI_Info_set(info, "b", "two");
  MPI_Info_set(info, "a", "three");
  MPI_Info_dup(info, &copy);
  MPI_Info_delete(info, "b");
  MPI_Info_get_nkeys(copy, &n);
  MPI_Info_get_nthkey(copy, 0, key);
  CHECK(n == 2 && strcmp(key, "a") == 0);
  MPI_Info_get_string(copy, "a", &size, value, &flag);
  CHECK(flag && size == 6 && strcmp(value, "three") == 0);
  size = 3;
  MPI_Info_get_string(copy, "a", &size, value, &flag);
  CHECK(size == 6 && strcmp(value, "th") == 0);
  MPI_Info_get(info, "b", 15, value, &flag);
  CHECK(!flag);
  MPI_Info_free(&info), MPI_Info_free(&copy);
  MPI_Comm hinted, plain; /* Hints that a call does not name stay; a duplicate has none of them. */
  MPI_Comm_dup(MPI_COMM_WORLD, &hinted);
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
  MPI_Comm_set_info(hinted, info);
  MPI_Info_delete(info, "mpi_assert_no_any_tag");
  MPI_Info_set(info, "mpi_assert_exact_length", "true");
  MPI_Comm_set_info(hinted, info);
  MPI_Info_free(&info);
  MPI_Comm_get_info(hinted, &info);
  MPI_Info_get_nkeys(info, &n);
  CHECK(n == 2);
  MPI_Info_free(&info);
  MPI_Comm_dup(hinted, &plain);
  MPI_Comm_get_info(plain, &info);
  MPI_Info_get_nkeys(info, &n);
  CHECK(n == 0);
  MPI_Info_free(&info);
  MPI_Comm_free(&plain), MPI_Comm_free(&hinted);
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(W, handler);
  MPI_Comm_get_errhandler(W, &got);
  MPI_Errhandler_free(&got);
  MPI_Errhandler_free(&handler);
  FAILS(MPI_Send(NULL, 0, MPI_INT, ranks, 0, W), MPI_ERR_RANK);
  CHECK(errors == MPI_ERR_RANK);
  MPI_Comm_call_errhandler(W, MPI_ERR_TAG);
  CHECK(errors == MPI_ERR_RANK + MPI_ERR_TAG);
  MPI_Comm_set_errhandler(W, MPI_ERRORS_ARE_FATAL);
  MPI_Add_error_class(&class);
  MPI_Add_error_code(class, &code);
  MPI_Add_error_string(code, "out of coffee");
  MPI_Error_class(code, &n);
  MPI_Error_string(code, text, &size);
  CHECK(n == class && code != class && strcmp(text, "out of coffee") == 0 && size == 13);
  int *last;
  MPI_Comm_get_attr(W, MPI_LASTUSEDCODE, &last, &flag);
  CHECK(flag && *last == code);
  CHECK(MPI_Comm_fromint(MPI_Comm_toint(W)) == W && MPI_Type_toint(MPI_INT) == 0x209);
  MPI_Comm twin;
  MPI_Comm_dup(MPI_COMM_SELF, &twin);
  CHECK(MPI_Comm_toint(twin) >= 4096 && MPI_Comm_fromint(MPI_Comm_toint(twin)) == twin);
  MPI_Comm_free(&twin);
}

int main(int argc, char **argv) {
  int flag, major, minor;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Initialized(&flag);
  CHECK(!flag);
  MPI_Abi_get_version(&major, &minor);
  MPI_Info abi;
  char bytes[8];
  int known = 0;
  MPI_Abi_get_info(&abi);
  MPI_Info_get(abi, "mpi_count_size", 7, bytes, &known);
  CHECK(known && atoi(bytes) == (int)sizeof(MPI_Count));
  MPI_Info_free(&abi);
  CHECK(major == MPI_ABI_VERSION && minor == MPI_ABI_SUBVERSION);
  const int yes = -1, no = 0;
  int is_yes = 5, is_no = 5;
  CHECK(MPI_Abi_get_fortran_info(&abi) == MPI_SUCCESS);
  MPI_Info_get(abi, "mpi_double_precision_size", 7, bytes, &known);
  CHECK(known && strcmp(bytes, "8") == 0);
  MPI_Info_get(abi, "mpi_real2_supported", 7, bytes, &known);
  CHECK(known && strcmp(bytes, "false") == 0);
  CHECK(MPI_Abi_set_fortran_info(abi) == MPI_SUCCESS);
  CHECK(MPI_Abi_get_fortran_booleans(4, &is_yes, &is_no, &known) == MPI_SUCCESS && !known);
  CHECK(MPI_Abi_set_fortran_booleans(4, (void *)&yes, (void *)&no) == MPI_SUCCESS);
  CHECK(MPI_Abi_get_fortran_booleans(4, &is_yes, &is_no, &known) == MPI_SUCCESS && known);
  CHECK(is_yes == -1 && is_no == 0);
  CHECK(MPI_Abi_get_fortran_booleans(8, &is_yes, &is_no, &known) == MPI_SUCCESS && !known);
  MPI_Get_library_version(text, &minor);
  CHECK(strncmp(text, "mpx ", 4) == 0);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(W, &me);
  MPI_Comm_size(W, &ranks);
  MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
  FAILS(MPI_Abi_set_fortran_booleans(4, (void *)&no, (void *)&yes), MPI_ERR_ABI);
  FAILS(MPI_Abi_set_fortran_booleans(3, (void *)&yes, (void *)&no), MPI_ERR_ARG);
  MPI_Info_set(abi, "mpi_integer_size", "2");
  FAILS(MPI_Abi_set_fortran_info(abi), MPI_ERR_ABI);
  MPI_Info_free(&abi);
  MPI_Comm_set_errhandler(W, MPI_ERRORS_ARE_FATAL);
  groups();
  communicators();
  topologies();
  info_and_errors();
  const int failed = check_end();
  MPI_Finalized(&flag);
  return failed || !flag;
}
