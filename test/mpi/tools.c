/* SPDX-License-Identifier: BSL-1.0 */
/* MPI_T: variables, handles and sessions, categories, enumerations, and their errors; before MPI_Init,
 * between it and MPI_Finalize, and after. Runs on any number of ranks. */
#include "check.h"

typedef unsigned long long number;

static void *wild = (void *)0x123456789abc0;

static int cvar_at(const char *name) {
  int at = -1;
  CHECK(MPI_T_cvar_get_index(name, &at) == MPI_SUCCESS);
  return at;
}
static int pvar_at(const char *name, int of) {
  int at = -1;
  CHECK(MPI_T_pvar_get_index(name, of, &at) == MPI_SUCCESS);
  return at;
}
/* Reads a control variable. */
static number cvar(const char *name) {
  MPI_T_cvar_handle handle;
  number value = 0;
  int count = 0;
  CHECK(MPI_T_cvar_handle_alloc(cvar_at(name), NULL, &handle, &count) == MPI_SUCCESS && count == 1);
  CHECK(MPI_T_cvar_read(handle, &value) == MPI_SUCCESS);
  CHECK(MPI_T_cvar_handle_free(&handle) == MPI_SUCCESS && handle == MPI_T_CVAR_HANDLE_NULL);
  return value;
}

/* The texts and classes of all variables, categories and items; lengths of texts. */
static void lists(void) {
  int n, k, length, desc, verbosity, of, bind, scope, readonly, continuous, atomic, found, seen = 0;
  int cvars, pvars, below, all_cvars, all_pvars, indices[64];
  char name[128], text[256], small[5];
  MPI_Datatype type;
  MPI_T_enum values;
  MPI_T_cvar_get_num(&all_cvars);
  MPI_T_pvar_get_num(&all_pvars);
  CHECK(all_cvars >= 8 && all_pvars >= 17);
  for (k = 0; k < all_cvars; ++k) {
    length = sizeof name;
    desc = sizeof text;
    CHECK(MPI_T_cvar_get_info(k, name, &length, &verbosity, &type, &values, text, &desc, &bind,
                              &scope) == MPI_SUCCESS);
    CHECK(length == (int)strlen(name) + 1 && desc == (int)strlen(text) + 1 && desc > 10);
    CHECK(bind == MPI_T_BIND_NO_OBJECT && (values != MPI_T_ENUM_NULL) == (type == MPI_INT));
    CHECK(MPI_T_cvar_get_index(name, &found) == MPI_SUCCESS && found == k);
    length = sizeof small;
    MPI_T_cvar_get_info(k, small, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    CHECK(length == (int)strlen(name) + 1 && strncmp(small, name, 4) == 0 && small[4] == 0);
    length = 0;
    MPI_T_cvar_get_info(k, small, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    CHECK(length == (int)strlen(name) + 1);
  }
  for (k = 0; k < all_pvars; ++k) {
    length = sizeof name;
    desc = sizeof text;
    CHECK(MPI_T_pvar_get_info(k, name, &length, &verbosity, &of, &type, &values, text, &desc, &bind,
                              &readonly, &continuous, &atomic) == MPI_SUCCESS);
    CHECK(length == (int)strlen(name) + 1 && desc == (int)strlen(text) + 1);
    CHECK(type == MPI_UNSIGNED_LONG_LONG && readonly == continuous && atomic == !readonly);
    CHECK(MPI_T_pvar_get_index(name, of, &found) == MPI_SUCCESS && found == k);
    CHECK(MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_TIMER, &found) == MPI_T_ERR_INVALID_NAME);
  }
  MPI_T_category_get_num(&n);
  CHECK(n == 5);
  for (k = 0; k < n; ++k) {
    length = sizeof name;
    CHECK(MPI_T_category_get_info(k, name, &length, NULL, NULL, &cvars, &pvars, &below) ==
          MPI_SUCCESS);
    CHECK(MPI_T_category_get_index(name, &found) == MPI_SUCCESS && found == k);
    CHECK(below == (k == 0 ? n - 1 : 0));
    CHECK(MPI_T_category_get_cvars(k, 64, indices) == MPI_SUCCESS);
    for (found = 0; found < cvars; ++found) seen += indices[found];
    CHECK(MPI_T_category_get_pvars(k, 64, indices) == MPI_SUCCESS);
    for (found = 0; found < pvars; ++found) seen += indices[found];
    indices[0] = indices[1] = -7;
    CHECK(MPI_T_category_get_categories(k, 1, indices) == MPI_SUCCESS);
    CHECK(indices[0] == (k == 0 ? 1 : -7) && indices[1] == -7);
    CHECK(MPI_T_category_get_num_events(k, &found) == MPI_SUCCESS && found == 0);
    CHECK(MPI_T_category_get_events(k, 64, indices) == MPI_SUCCESS);
  }
  /* Each variable is in one category. */
  CHECK(seen == all_cvars * (all_cvars - 1) / 2 + all_pvars * (all_pvars - 1) / 2);
  CHECK(MPI_T_category_changed(&found) == MPI_SUCCESS && found == 0);
  MPI_T_cvar_get_info(cvar_at("mpx_thread_level"), NULL, NULL, NULL, NULL, &values, NULL, NULL, NULL,
                      NULL);
  length = sizeof name;
  CHECK(MPI_T_enum_get_info(values, &n, name, &length) == MPI_SUCCESS && n == 4 && name[0] == 'm');
  length = sizeof name;
  CHECK(MPI_T_enum_get_item(values, 3, &found, name, &length) == MPI_SUCCESS);
  CHECK(found == MPI_THREAD_MULTIPLE && strcmp(name, "MPI_THREAD_MULTIPLE") == 0);
  CHECK(MPI_T_event_get_num(&n) == MPI_SUCCESS && n == 0);
  CHECK(MPI_T_source_get_num(&n) == MPI_SUCCESS && n == 0);
}

static void wrong_arguments(void) {
  MPI_T_cvar_handle cvar_handle;
  MPI_T_pvar_handle handle, other = wild;
  MPI_T_pvar_session session, second = wild;
  MPI_T_enum values = wild;
  MPI_Datatype type;
  MPI_Count count;
  int n, all, k, wrong[2] = {-1, 0};
  number value = 0;
  char text[64];
  MPI_T_cvar_get_num(&all);
  MPI_T_pvar_get_num(&n);
  wrong[1] = all > n ? all : n;
  for (k = 0; k < 2; ++k) {
    CHECK(MPI_T_cvar_get_info(wrong[k], NULL, NULL, NULL, &type, NULL, NULL, NULL, NULL, NULL) ==
          MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_cvar_handle_alloc(wrong[k], NULL, &cvar_handle, &n) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_pvar_get_info(wrong[k], NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                              NULL, NULL) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_category_get_info(wrong[k], NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
          MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_category_get_cvars(wrong[k], 1, &n) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_category_get_pvars(wrong[k], 1, &n) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_category_get_categories(wrong[k], 1, &n) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_category_get_num_events(wrong[k], &n) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_category_get_events(wrong[k], 1, &n) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_event_get_info(k, text, &n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
          MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_source_get_info(k, text, &n, NULL, NULL, NULL, NULL, NULL, NULL) ==
          MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_source_get_timestamp(k, &count) == MPI_T_ERR_INVALID_INDEX);
  }
  CHECK(MPI_T_cvar_get_num(NULL) == MPI_T_ERR_INVALID);
  CHECK(MPI_T_cvar_get_index("moon", &n) == MPI_T_ERR_INVALID_NAME);
  CHECK(MPI_T_cvar_get_index(NULL, &n) == MPI_T_ERR_INVALID);
  CHECK(MPI_T_pvar_get_index("moon", MPI_T_PVAR_CLASS_COUNTER, &n) == MPI_T_ERR_INVALID_NAME);
  CHECK(MPI_T_category_get_index("moon", &n) == MPI_T_ERR_INVALID_NAME);
  CHECK(MPI_T_category_get_cvars(1, -1, &n) == MPI_T_ERR_INVALID);
  CHECK(MPI_T_category_get_cvars(1, 1, NULL) == MPI_T_ERR_INVALID);
  CHECK(MPI_T_event_get_index("moon", &n) == MPI_T_ERR_INVALID_NAME);
  CHECK(MPI_T_event_handle_free(wild, NULL, NULL) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_event_read(wild, 0, text) == MPI_T_ERR_INVALID_HANDLE);
  for (k = 0; k < 2; ++k, values = MPI_T_ENUM_NULL) {
    CHECK(MPI_T_enum_get_info(values, &n, NULL, NULL) == MPI_T_ERR_INVALID_HANDLE);
    CHECK(MPI_T_enum_get_item(values, 0, &n, NULL, NULL) == MPI_T_ERR_INVALID_HANDLE);
  }
  MPI_T_cvar_get_info(cvar_at("mpx_thread_level"), NULL, NULL, NULL, NULL, &values, NULL, NULL, NULL,
                      NULL);
  CHECK(MPI_T_enum_get_item(values, 4, &n, NULL, NULL) == MPI_T_ERR_INVALID_INDEX);

  CHECK(MPI_T_cvar_read(wild, &value) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_cvar_write(MPI_T_CVAR_HANDLE_NULL, &value) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_cvar_handle_alloc(0, NULL, NULL, &n) == MPI_T_ERR_INVALID);
  CHECK(MPI_T_cvar_handle_alloc(cvar_at("mpx_objects_max"), NULL, &cvar_handle, &n) == MPI_SUCCESS);
  CHECK(MPI_T_cvar_read(cvar_handle, NULL) == MPI_T_ERR_INVALID);
  CHECK(MPI_T_cvar_write(cvar_handle, &value) == MPI_T_ERR_CVAR_SET_NEVER);
  void *freed = cvar_handle;
  CHECK(MPI_T_cvar_handle_free(&cvar_handle) == MPI_SUCCESS);
  CHECK(MPI_T_cvar_read(freed, &value) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_cvar_handle_free(&cvar_handle) == MPI_T_ERR_INVALID_HANDLE);

  CHECK(MPI_T_pvar_handle_alloc(wild, 0, NULL, &handle, &n) == MPI_T_ERR_INVALID_SESSION);
  CHECK(MPI_T_pvar_session_free(&second) == MPI_T_ERR_INVALID_SESSION);
  CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_session_create(&second) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_handle_alloc(session, -1, NULL, &handle, &n) == MPI_T_ERR_INVALID_INDEX);
  CHECK(MPI_T_pvar_handle_alloc(session, pvar_at("mpx_unexpected_memory", MPI_T_PVAR_CLASS_LEVEL),
                                NULL, &handle, &n) == MPI_SUCCESS);
  CHECK(n == 1);
  CHECK(MPI_T_pvar_start(session, handle) == MPI_T_ERR_PVAR_NO_STARTSTOP);
  CHECK(MPI_T_pvar_stop(session, handle) == MPI_T_ERR_PVAR_NO_STARTSTOP);
  CHECK(MPI_T_pvar_write(session, handle, &value) == MPI_T_ERR_PVAR_NO_WRITE);
  CHECK(MPI_T_pvar_reset(session, handle) == MPI_T_ERR_PVAR_NO_WRITE);
  CHECK(MPI_T_pvar_readreset(session, handle, &value) == MPI_T_ERR_PVAR_NO_ATOMIC);
  CHECK(MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_read(session, handle, NULL) == MPI_T_ERR_INVALID);
  CHECK(MPI_T_pvar_read(second, handle, &value) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_read(session, other, &value) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_read(session, MPI_T_PVAR_ALL_HANDLES, &value) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS); /* Passes it over. */
  CHECK(MPI_T_pvar_handle_free(second, &handle) == MPI_T_ERR_INVALID_HANDLE);
  other = handle;
  CHECK(MPI_T_pvar_session_free(&session) == MPI_SUCCESS && session == MPI_T_PVAR_SESSION_NULL);
  CHECK(MPI_T_pvar_read(second, other, &value) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_session_free(&second) == MPI_SUCCESS);
  k = 0;
  MPI_Error_string(MPI_T_ERR_INVALID_HANDLE, text, &k);
  CHECK(k > 10);
}

/* The tables have limits, and room again afterwards. The program holds a session with a handle. */
static void limits(void) {
  enum { sessions_max = 1024, handles_max = 65536 };
  MPI_T_pvar_session *const all = malloc(sessions_max * sizeof *all), one;
  MPI_T_cvar_handle *const handles = malloc(handles_max * sizeof *handles), more;
  int k, n, fine = 0;
  for (k = 1; k < sessions_max; ++k) fine += MPI_T_pvar_session_create(&all[k]) == MPI_SUCCESS;
  CHECK(fine == sessions_max - 1);
  CHECK(MPI_T_pvar_session_create(&one) == MPI_T_ERR_OUT_OF_SESSIONS);
  for (k = 0; k < handles_max; ++k)
    fine += MPI_T_cvar_handle_alloc(0, NULL, &handles[k], &n) == MPI_SUCCESS;
  CHECK(fine == sessions_max - 1 + handles_max);
  CHECK(MPI_T_cvar_handle_alloc(0, NULL, &more, &n) == MPI_T_ERR_OUT_OF_HANDLES);
  for (k = 1; k < sessions_max; ++k) MPI_T_pvar_session_free(&all[k]);
  for (k = 0; k < handles_max; ++k) MPI_T_cvar_handle_free(&handles[k]);
  CHECK(MPI_T_pvar_session_create(&one) == MPI_SUCCESS);
  for (k = 1; k < handles_max; ++k) {
    MPI_T_pvar_handle h;
    fine += MPI_T_pvar_handle_alloc(one, 0, NULL, &h, &n) == MPI_SUCCESS;
  }
  CHECK(fine == sessions_max - 1 + handles_max + handles_max - 1);
  MPI_T_pvar_handle h;
  CHECK(MPI_T_pvar_handle_alloc(one, 0, NULL, &h, &n) == MPI_T_ERR_OUT_OF_HANDLES);
  CHECK(MPI_T_pvar_session_free(&one) == MPI_SUCCESS);
  free(all);
  free(handles);
}

/* A measurement: the messages of this rank to itself, or to the next one, by length. */
static void measures(int rank, int size) {
  MPI_T_pvar_session session;
  MPI_T_pvar_handle eager, bytes, announced, got, put, streamed, stopped;
  MPI_T_cvar_handle limit;
  number before, value = 0, sum = 0, part;
  int n, k;
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  enum { long_bytes = 1 << 20 };
  char *const out = calloc(1, long_bytes), *const in = malloc(long_bytes);
  MPI_T_pvar_session_create(&session);
  MPI_T_pvar_handle_alloc(session, pvar_at("mpx_eager_messages", MPI_T_PVAR_CLASS_COUNTER), NULL,
                          &eager, &n);
  MPI_T_pvar_handle_alloc(session, pvar_at("mpx_eager_messages", MPI_T_PVAR_CLASS_COUNTER), NULL,
                          &stopped, &n);
  MPI_T_pvar_handle_alloc(session, pvar_at("mpx_eager_bytes", MPI_T_PVAR_CLASS_AGGREGATE), NULL,
                          &bytes, &n);
  MPI_T_pvar_handle_alloc(session, pvar_at("mpx_announced_messages", MPI_T_PVAR_CLASS_COUNTER), NULL,
                          &announced, &n);
  MPI_T_pvar_handle_alloc(session, pvar_at("mpx_bytes_got", MPI_T_PVAR_CLASS_AGGREGATE), NULL, &got,
                          &n);
  MPI_T_pvar_handle_alloc(session, pvar_at("mpx_bytes_put", MPI_T_PVAR_CLASS_AGGREGATE), NULL, &put,
                          &n);
  MPI_T_pvar_handle_alloc(session, pvar_at("mpx_bytes_streamed", MPI_T_PVAR_CLASS_AGGREGATE), NULL,
                          &streamed, &n);
  MPI_T_pvar_read(session, eager, &value);
  CHECK(value == 0); /* Not started. */
  CHECK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_stop(session, stopped) == MPI_SUCCESS);
  for (k = 0; k < 20; ++k)
    MPI_Sendrecv(out, 100, MPI_BYTE, to, 1, in, 100, MPI_BYTE, from, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  MPI_T_pvar_read(session, eager, &value);
  MPI_T_pvar_read(session, announced, &part);
  if (size > 1) CHECK(value + part >= 20);
  MPI_T_pvar_read(session, bytes, &value);
  if (size > 1) CHECK(value + 100 * part >= 2000);
  MPI_T_pvar_read(session, stopped, &value);
  CHECK(value == 0);
  for (k = 0; k < 4; ++k)
    MPI_Sendrecv(out, long_bytes, MPI_BYTE, to, 2, in, long_bytes, MPI_BYTE, from, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_T_pvar_read(session, got, &part);
  sum += part;
  MPI_T_pvar_read(session, put, &part);
  sum += part;
  MPI_T_pvar_read(session, streamed, &part);
  sum += part;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (size > 1) CHECK(sum >= 4ull * long_bytes * (number)size);
  MPI_T_pvar_read(session, bytes, &before);
  CHECK(MPI_T_pvar_stop(session, bytes) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_readreset(session, bytes, &value) == MPI_SUCCESS && value >= before);
  MPI_T_pvar_read(session, bytes, &value);
  CHECK(value == 0);
  before = 42;
  CHECK(MPI_T_pvar_write(session, bytes, &before) == MPI_SUCCESS);
  MPI_T_pvar_read(session, bytes, &value);
  CHECK(value == 42);
  CHECK(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
  MPI_T_pvar_read(session, bytes, &value);
  CHECK(value == 0);

  /* With a lower limit the short ones are announced, too. */
  MPI_T_cvar_handle_alloc(cvar_at("mpx_short_bytes_max"), NULL, &limit, &n);
  MPI_T_cvar_read(limit, &before);
  CHECK(before >= 16384);
  value = before * 1000;
  CHECK(MPI_T_cvar_write(limit, &value) == MPI_T_ERR_INVALID);
  value = 99;
  CHECK(MPI_T_cvar_write(limit, &value) == MPI_SUCCESS);
  CHECK(cvar("mpx_short_bytes_max") == 99);
  MPI_T_pvar_reset(session, announced);
  MPI_Sendrecv(out, 100, MPI_BYTE, to, 3, in, 100, MPI_BYTE, from, 3, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_T_pvar_read(session, announced, &value);
  if (size > 1) CHECK(value >= 1);
  CHECK(MPI_T_cvar_write(limit, &before) == MPI_SUCCESS);
  CHECK(cvar("mpx_short_bytes_max") == before);
  MPI_T_cvar_handle_free(&limit);
  CHECK(MPI_T_pvar_session_free(&session) == MPI_SUCCESS);
  free(out);
  free(in);
}

int main(int argc, char **argv) {
  int provided = -1, rank, size, n, level = -1;
  char stack[64] = "";
  number value, packets;
  MPI_T_cvar_handle handle;
  MPI_T_pvar_session session;
  MPI_T_pvar_handle sent;
  CHECK(MPI_T_cvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED);
  CHECK(MPI_T_finalize() == MPI_T_ERR_NOT_INITIALIZED);
  CHECK(MPI_T_init_thread(12345, &provided) == MPI_T_ERR_INVALID);
  CHECK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  lists();
  MPI_T_cvar_handle_alloc(cvar_at("mpx_short_bytes_max"), NULL, &handle, &n);
  CHECK(MPI_T_cvar_read(handle, &value) == MPI_T_ERR_NOT_ACCESSIBLE);
  CHECK(MPI_T_cvar_write(handle, &value) == MPI_T_ERR_CVAR_SET_NOT_NOW);
  MPI_T_cvar_handle_free(&handle);
  MPI_T_pvar_session_create(&session);
  MPI_T_pvar_handle_alloc(session, pvar_at("mpx_packets_sent", MPI_T_PVAR_CLASS_COUNTER), NULL, &sent,
                          &n);
  CHECK(MPI_T_pvar_start(session, sent) == MPI_SUCCESS);
  MPI_T_pvar_read(session, sent, &value);
  CHECK(value == 0);

  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  lists();
  wrong_arguments();
  limits();
  measures(rank, size);
  CHECK(cvar("mpx_tiny_bytes_max") > 0 && cvar("mpx_packet_bytes_max") >= 16384);
  CHECK(cvar("mpx_unexpected_bytes_max") > 1000000 && cvar("mpx_spin_ns") == 7000);
  CHECK(cvar("mpx_objects_max") == 1 << 24);
  MPI_T_cvar_handle_alloc(cvar_at("mpx_thread_level"), NULL, &handle, &n);
  CHECK(n == 1 && MPI_T_cvar_read(handle, &level) == MPI_SUCCESS && level == MPI_THREAD_SINGLE);
  MPI_T_cvar_handle_free(&handle);
  MPI_T_cvar_handle_alloc(cvar_at("mpx_stack"), NULL, &handle, &n);
  CHECK(n == 64 && MPI_T_cvar_read(handle, stack) == MPI_SUCCESS && stack[0] != 0);
  MPI_T_cvar_handle_free(&handle);
  MPI_T_pvar_read(session, sent, &packets);
  if (size > 1) CHECK(packets >= 20);

  /* A second user, which ends first. */
  CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
  CHECK(MPI_T_finalize() == MPI_SUCCESS);
  const int failed = check_end();
  CHECK(MPI_T_pvar_read(session, sent, &value) == MPI_SUCCESS && value >= packets);
  CHECK(MPI_T_finalize() == MPI_SUCCESS);
  CHECK(MPI_T_pvar_read(session, sent, &value) == MPI_T_ERR_NOT_INITIALIZED);
  CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_read(session, sent, &value) == MPI_T_ERR_INVALID_SESSION);
  CHECK(MPI_T_finalize() == MPI_SUCCESS);
  return failed || check_failures != 0;
}
