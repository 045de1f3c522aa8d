/* SPDX-License-Identifier: BSL-1.0 */
/* The loops of mpx-perf in plain MPI, so that scripts/compare can measure both alike: the
 * conventions of the OSU micro-benchmarks, one line of JSON a sample,
 * before them one that says whether messages pass through shared memory, behind them one of what rank
 * 0 has sent, and what of it through TCP. Only the comparison needs it. */

#define _GNU_SOURCE
#include <mpi.h>
#include <string.h>

#include "perf/board.h"
#include "perf/mpi_name.h"
#include "perf/witness.h"

enum { window_max = 1024, size_limit = 256 << 20 };

struct options {
  const char* test;
  const char* probe_file;
  size_t size;
  long iters;
  long warmup;
  int window;
  int tags;          /* Of the messages of a window, in rotation. */
  int buffers;       /* The same. */
  const char* order; /* What comes first where both sides send and receive. */
  int posted;        /* A window's receives are posted before its first message is sent. */
  int reverse;       /* Receives are posted in reverse order of the messages. */
  int recv_any;      /* From any source. */
  int samples;
  double seconds;
  int pin;
  int json;
};

struct job {
  struct options o;
  int rank;
  int ranks;
  int partner;
  double sent; /* Bytes of messages that have left this rank in all samples. */
  char* out;
  char* in;
  int send_tags[window_max]; /* Of each message of a window, and where it lies. */
  int recv_tags[window_max];
  char* outs[window_max];
  char* ins[window_max];
  MPI_Request requests[2 * window_max];
};

enum { first_tag = 16 };

static void prepare_window(struct job* j) {
  const struct options* o = &j->o;
  const int tags = o->reverse ? o->window : o->tags;
  for (int w = 0; w < o->window; ++w) {
    const int taken = o->reverse ? o->window - 1 - w : w;
    j->send_tags[w] = first_tag + w % tags;
    j->recv_tags[w] = first_tag + taken % tags;
    j->outs[w] = j->out + (size_t)(w % o->buffers) * o->size;
    j->ins[w] = j->in + (size_t)(taken % o->buffers) * o->size;
  }
}

static int from(const struct job* j, int partner) {
  return j->o.recv_any ? MPI_ANY_SOURCE : partner;
}

static void latency_loop(struct job* j, long iters) {
  const int n = (int)j->o.size;
  for (long i = 0; i < iters; ++i) {
    if (j->rank == 0) {
      MPI_Send(j->out, n, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
      MPI_Recv(j->in, n, MPI_BYTE, from(j, 1), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (j->rank == 1) {
      MPI_Recv(j->in, n, MPI_BYTE, from(j, 0), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(j->out, n, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
  }
}

static void post_window(struct job* j, int source, MPI_Request* window) {
  for (int w = 0; w < j->o.window; ++w)
    MPI_Irecv(j->ins[w], (int)j->o.size, MPI_BYTE, source, j->recv_tags[w], MPI_COMM_WORLD,
              &window[w]);
}

static void send_window(struct job* j, int to, MPI_Request* window) {
  for (int w = 0; w < j->o.window; ++w)
    MPI_Isend(j->outs[w], (int)j->o.size, MPI_BYTE, to, j->send_tags[w], MPI_COMM_WORLD,
              &window[w]);
}

/* The short messages between windows. */
static void give_answer(void) {
  const int32_t answer = 0;
  MPI_Send(&answer, 4, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
}

static void take_answer(struct job* j) {
  int32_t answer = 0;
  MPI_Recv(&answer, 4, MPI_BYTE, from(j, 1), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A window of messages from rank 0, then an answer of 4 bytes. */
static void window_loop(struct job* j, long iters) {
  const int window = j->o.window;
  const int posted = j->o.posted;
  if (iters == 0) return;
  if (j->rank == 0) {
    if (posted) take_answer(j);
    for (long i = 0; i < iters; ++i) {
      send_window(j, 1, j->requests);
      MPI_Waitall(window, j->requests, MPI_STATUSES_IGNORE);
      take_answer(j);
    }
  } else if (j->rank == 1) {
    if (posted) {
      post_window(j, from(j, 0), j->requests);
      give_answer();
    }
    for (long i = 0; i < iters; ++i) {
      if (!posted) post_window(j, from(j, 0), j->requests);
      MPI_Waitall(window, j->requests, MPI_STATUSES_IGNORE);
      if (posted && i + 1 < iters) post_window(j, from(j, 0), j->requests);
      give_answer();
    }
  }
}

/* Both sides send a window at once; then an answer to rank 0. */
static void both_ways_loop(struct job* j, long iters) {
  const int n = (int)j->o.size;
  const int window = j->o.window;
  const int exchange = strcmp(j->o.order, "sendrecv") == 0;
  const int sends_first = strcmp(j->o.order, "sends") == 0;
  if (j->rank > 1) return;
  for (long i = 0; i < iters; ++i) {
    if (exchange) {
      for (int w = 0; w < window; ++w)
        MPI_Sendrecv(j->outs[w], n, MPI_BYTE, j->partner, j->send_tags[w], j->ins[w], n, MPI_BYTE,
                     from(j, j->partner), j->recv_tags[w], MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      if (sends_first) send_window(j, j->partner, j->requests + window);
      post_window(j, from(j, j->partner), j->requests);
      if (!sends_first) send_window(j, j->partner, j->requests + window);
      MPI_Waitall(2 * window, j->requests, MPI_STATUSES_IGNORE);
    }
    if (j->rank == 0)
      take_answer(j);
    else
      give_answer();
  }
}

static double timed(struct job* j, void (*loop)(struct job*, long), int messages) {
  j->sent += (double)(j->o.warmup + j->o.iters) * messages * (double)j->o.size;
  loop(j, j->o.warmup);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = perf_now();
  loop(j, j->o.iters);
  return perf_now() - start;
}

/* Reading the clock must not weigh: always at first, then now and then. */
static int time_is_up(const struct job* j, long done, double start) {
  if (done >= j->o.iters) return 1;
  return (done < 64 || done % 64 == 0) && perf_now() - start > j->o.seconds;
}

/* Exchanges of 8 bytes of ranks 0 and 1, until rank 0 sends a negative one. Returns us one way. */
static double exchange(struct job* j) {
  int64_t token = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = perf_now();
  long done = 0;
  for (int last = j->rank > 1; !last; ++done) {
    if (j->rank == 0) {
      token = time_is_up(j, done + 1, start) ? -1 : done;
      MPI_Send(&token, 8, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    }
    MPI_Recv(&token, 8, MPI_BYTE, j->partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    last = token < 0;
    if (j->rank == 1) MPI_Send(&token, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  }
  j->sent += 8.0 * (double)done;
  return (perf_now() - start) / (2.0 * (double)done) * 1e6;
}

/* A token of 8 bytes goes round until rank 0 sends it round negative. A receive blocks; or is posted
 * before the rank may be sent the token, and tested; or is probed for. Returns us a hop. */
static double ring(struct job* j, const char* how) {
  const int tests = strcmp(how, "poll_test") == 0;
  const int probes = strcmp(how, "poll_probe") == 0;
  const int to = (j->rank + 1) % j->ranks;
  const int source = (j->rank + j->ranks - 1) % j->ranks;
  int64_t out = 0;
  int64_t in = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = perf_now();
  long laps = 0;
  for (int last = 0; !last; ++laps) {
    MPI_Request posted = MPI_REQUEST_NULL;
    if (tests) MPI_Irecv(&in, 8, MPI_BYTE, source, 4, MPI_COMM_WORLD, &posted);
    if (j->rank == 0) {
      out = time_is_up(j, laps + 1, start) ? -1 : laps;
      MPI_Send(&out, 8, MPI_BYTE, to, 4, MPI_COMM_WORLD);
    }
    if (tests) {
      for (int done = 0; !done;) MPI_Test(&posted, &done, MPI_STATUS_IGNORE);
    } else {
      for (int here = !probes; !here;)
        MPI_Iprobe(source, 4, MPI_COMM_WORLD, &here, MPI_STATUS_IGNORE);
      MPI_Recv(&in, 8, MPI_BYTE, source, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    last = in < 0;
    if (j->rank != 0) MPI_Send(&in, 8, MPI_BYTE, to, 4, MPI_COMM_WORLD);
  }
  j->sent += 8.0 * (double)laps;
  return (perf_now() - start) / (double)(laps * j->ranks) * 1e6;
}

/* Every rank sends 8 bytes to every other one, and asks for one completion after the other. Until
 * rank 0 sends negative ones. Returns us a round. */
static double poll_any(struct job* j) {
  const int n = j->ranks;
  int64_t in[window_max] = {0};
  MPI_Request* all = j->requests;
  all[j->rank] = all[n + j->rank] = MPI_REQUEST_NULL; /* Nobody sends to itself. */
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = perf_now();
  long rounds = 0;
  for (int last = 0; !last; ++rounds) {
    const int stop = j->rank == 0 && time_is_up(j, rounds + 1, start);
    const int64_t out = stop ? -1 : rounds;
    for (int r = 0; r < n; ++r) {
      if (r == j->rank) continue;
      MPI_Irecv(&in[r], 8, MPI_BYTE, r, 4, MPI_COMM_WORLD, &all[r]);
      MPI_Isend(&out, 8, MPI_BYTE, r, 4, MPI_COMM_WORLD, &all[n + r]);
    }
    for (int done = 0, at = 0; !done || at != MPI_UNDEFINED;)
      MPI_Testany(2 * n, all, &at, &done, MPI_STATUS_IGNORE);
    last = j->rank == 0 ? stop : in[0] < 0;
  }
  j->sent += 8.0 * (double)rounds * (n - 1);
  return (perf_now() - start) / (double)rounds * 1e6;
}

/* A sum of one double, until rank 0 adds 1. Returns us an operation. */
static double allreduce(struct job* j) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = perf_now();
  long done = 0;
  for (double sum = 0; sum < 0.5; ++done) {
    const double mine = j->rank == 0 && time_is_up(j, done + 1, start) ? 1.0 : 0.0;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  j->sent += 8.0 * (double)done;
  return (perf_now() - start) / (double)done * 1e6;
}

/* A collective of `size` bytes, or of blocks of as many, again and again, as often as rank 0 thinks
 * will take `seconds`. Returns us an operation. */
static double collective_run(struct job* j, MPI_Comm ring, const char* name, char* in, char* out,
                             long times) {
  const int bytes = (int)j->o.size;
  const int count = bytes / (int)sizeof(double);
  const size_t ranks = (size_t)j->ranks;
  const size_t blocks = strcmp(name, "alltoall") == 0 || strcmp(name, "reduce_scatter") == 0 ? ranks
                        : strcmp(name, "neighbor_alltoall") == 0                             ? 2
                                                                                             : 1;
  const int one_gives = strcmp(name, "bcast") == 0;
  const size_t got = strcmp(name, "barrier") == 0                                      ? 0
                     : strcmp(name, "alltoall") == 0 || strcmp(name, "allgather") == 0 ? ranks
                     : strcmp(name, "neighbor_alltoall") == 0                          ? 2
                                                                                       : 1;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = perf_now();
  for (long i = 0; i < times; ++i) {
    if (!one_gives || i % j->ranks == j->rank)
      perf_write_anew(in, (size_t)bytes * blocks, (unsigned long)i);
    if (strcmp(name, "barrier") == 0)
      MPI_Barrier(MPI_COMM_WORLD);
    else if (strcmp(name, "bcast") == 0) /* The root goes round. */
      MPI_Bcast(in, bytes, MPI_BYTE, (int)(i % j->ranks), MPI_COMM_WORLD);
    else if (strcmp(name, "allreduce") == 0)
      MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else if (strcmp(name, "allgather") == 0)
      MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
    else if (strcmp(name, "alltoall") == 0)
      MPI_Alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
    else if (strcmp(name, "neighbor_alltoall") == 0)
      MPI_Neighbor_alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, ring);
    else
      MPI_Reduce_scatter_block(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    perf_use(one_gives ? in : out, (size_t)bytes * got);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  j->sent += (double)times * (double)bytes;
  return perf_now() - start;
}

static double collective(struct job* j, const char* name) {
  const size_t bytes = j->o.size * (size_t)j->ranks + 8; /* Two neighbours: two ranks at least. */
  const int dims[1] = {j->ranks};
  const int periodic[1] = {1};
  MPI_Comm ring = MPI_COMM_NULL;
  if (strcmp(name, "neighbor_alltoall") == 0)
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periodic, 0, &ring);
  char* const in = malloc(bytes);
  char* const out = calloc(bytes, 1);
  memset(in, 0x3f, bytes); /* Pages of its own, and as doubles neither 0 nor huge. */
  collective_run(j, ring, name, in, out, 4);
  const double once = collective_run(j, ring, name, in, out, 4) / 4;
  long times = (long)(j->o.seconds / once) + 1;
  if (times > j->o.iters) times = j->o.iters;
  MPI_Bcast(&times, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  const double took = collective_run(j, ring, name, in, out, times);
  if (ring != MPI_COMM_NULL) MPI_Comm_free(&ring);
  free(in);
  free(out);
  return took / (double)times * 1e6;
}

/* A test over windows, whose elements are those of perf/one_sided.hpp. */
struct windows {
  MPI_Win win;
  MPI_Group origin;
  MPI_Group target;
  MPI_Group neighbours;
  int beside[4];
  int64_t* out;
  int64_t* in; /* At least a window of them. */
  int64_t* compare;
  int count;
};

enum { passive_tries = 4 };

static void one_sided_put(const struct windows* w, int to, int count, int first, MPI_Aint at) {
  MPI_Put(w->out + first, count, MPI_INT64_T, to, at, count, MPI_INT64_T, w->win);
}

static void one_sided_get(const struct windows* w) {
  MPI_Get(w->in, w->count, MPI_INT64_T, 1, 0, w->count, MPI_INT64_T, w->win);
}

static void one_sided_accumulate(const struct windows* w) {
  MPI_Accumulate(w->out, w->count, MPI_INT64_T, 1, 0, w->count, MPI_INT64_T, MPI_SUM, w->win);
}

static void one_sided_fetch(const struct windows* w, int i) {
  MPI_Fetch_and_op(w->out, w->in + i, MPI_INT64_T, 1, 0, MPI_SUM, w->win);
}

static void one_sided_swap(const struct windows* w, int i) {
  w->compare[i] = w->in[i];
  MPI_Compare_and_swap(w->out, w->compare + i, w->in + i, MPI_INT64_T, 1, 0, w->win);
}

/* The same, whichever the test is of. */
static void one_sided_access(const struct job* j, const struct windows* w) {
  if (strncmp(j->o.test + 4, "accumulate", 10) == 0)
    one_sided_accumulate(w);
  else if (strncmp(j->o.test + 4, "get", 3) == 0)
    one_sided_get(w);
  else
    one_sided_put(w, 1, w->count, 0, 0);
}

/* An access of rank 0 to rank 1, and a flush. */
static void passive_access(const struct job* j, const struct windows* w) {
  const char* const test = j->o.test + 4;
  if (strcmp(test, "put") == 0) {
    one_sided_put(w, 1, w->count, 0, 0);
  } else if (strcmp(test, "get") == 0) {
    one_sided_get(w);
  } else if (strcmp(test, "put_bw") == 0) {
    for (int i = 0; i < j->o.window; ++i) one_sided_put(w, 1, w->count, 0, 0);
  } else if (strcmp(test, "get_bw") == 0) {
    for (int i = 0; i < j->o.window; ++i) one_sided_get(w);
  } else if (strcmp(test, "accumulate") == 0) {
    one_sided_accumulate(w);
  } else if (strcmp(test, "accumulate_bw") == 0) {
    for (int i = 0; i < j->o.window; ++i) one_sided_accumulate(w);
  } else if (strcmp(test, "fetch_and_op") == 0) {
    one_sided_fetch(w, 0);
  } else if (strcmp(test, "compare_and_swap") == 0) {
    one_sided_swap(w, 0);
  } else if (strcmp(test, "fetch_and_op_bw") == 0) {
    for (int i = 0; i < j->o.window; ++i) one_sided_fetch(w, i);
  } else {
    for (int i = 0; i < j->o.window; ++i) one_sided_swap(w, i);
  }
  MPI_Win_flush(1, w->win);
}

static void ghost_cells(const struct windows* w, int each) {
  for (int side = 0; side < 4; ++side) {
    const MPI_Aint at = (MPI_Aint)(side ^ 1) * w->count;
    if (each)
      for (int k = 0; k < w->count; ++k) one_sided_put(w, w->beside[side], 1, k, at + k);
    else
      one_sided_put(w, w->beside[side], w->count, 0, at);
  }
  MPI_Win_fence(0, w->win);
}

/* The same in an epoch with the neighbours alone. */
static void ghost_cells_by_starts(const struct windows* w) {
  MPI_Win_post(w->neighbours, 0, w->win);
  MPI_Win_start(w->neighbours, 0, w->win);
  for (int side = 0; side < 4; ++side)
    one_sided_put(w, w->beside[side], w->count, 0, (MPI_Aint)(side ^ 1) * w->count);
  MPI_Win_complete(w->win);
  MPI_Win_wait(w->win);
}

/* The test `times` times. Returns seconds: of rank 0 where it alone accesses memory. */
static double one_sided_run(struct job* j, const struct windows* w, long times) {
  const char* const test = j->o.test + 4;
  const int ghosts = strcmp(test, "ghost") == 0 || strcmp(test, "ghost_elements") == 0;
  double took = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  double start = perf_now();
  if (ghosts || strstr(test, "_fence") != NULL) {
    MPI_Win_fence(0, w->win);
    for (long i = 0; i < times; ++i) {
      if (ghosts) {
        ghost_cells(w, strcmp(test, "ghost") != 0);
      } else {
        if (j->rank == 0) one_sided_access(j, w);
        MPI_Win_fence(0, w->win);
      }
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win);
    took = perf_now() - start;
  } else if (strcmp(test, "ghost_pscw") == 0) {
    for (long i = 0; i < times; ++i) ghost_cells_by_starts(w);
    MPI_Barrier(MPI_COMM_WORLD);
    took = perf_now() - start;
  } else if (strstr(test, "_pscw") != NULL) {
    const int accesses = strstr(test, "_bw") != NULL ? j->o.window : 1;
    for (long i = 0; i < times; ++i) {
      if (j->rank == 0) {
        MPI_Win_start(w->target, 0, w->win);
        for (int k = 0; k < accesses; ++k) one_sided_access(j, w);
        MPI_Win_complete(w->win);
      } else if (j->rank == 1) {
        MPI_Win_post(w->origin, 0, w->win);
        MPI_Win_wait(w->win);
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    took = perf_now() - start;
  } else {
    if (j->rank == 0) {
      MPI_Win_lock_all(0, w->win);
      start = perf_now();
      for (long i = 0; i < times; ++i) passive_access(j, w);
      took = perf_now() - start;
      MPI_Win_unlock_all(w->win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  j->sent += (double)times * (double)j->o.size;
  return took;
}

/* Returns us an operation, or GB a second. */
static double one_sided(struct job* j) {
  struct windows w = {.count = (int)(j->o.size < 8 ? 1 : j->o.size / 8)};
  int64_t* memory = NULL;
  int dims[2] = {0, 0};
  const int periodic[2] = {1, 1};
  const int first = 0;
  const int second = 1;
  MPI_Comm torus;
  MPI_Group world;
  MPI_Win_allocate((MPI_Aint)w.count * 4 * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &w.win);
  memset(memory, 0, (size_t)w.count * 4 * 8);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &first, &w.origin);
  MPI_Group_incl(world, 1, &second, &w.target);
  MPI_Dims_create(j->ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 0, &torus);
  for (int d = 0; d < 2; ++d) MPI_Cart_shift(torus, d, 1, &w.beside[2 * d], &w.beside[2 * d + 1]);
  int neighbours[4];
  int of_them = 0;
  for (int side = 0; side < 4; ++side) {
    int known = 0;
    for (int k = 0; k < of_them; ++k) known = known || neighbours[k] == w.beside[side];
    if (!known) neighbours[of_them++] = w.beside[side];
  }
  MPI_Group_incl(world, of_them, neighbours, &w.neighbours);
  w.out = malloc((size_t)w.count * 8);
  const size_t results = (size_t)(w.count > j->o.window ? w.count : j->o.window);
  w.in = malloc(results * 8);
  w.compare = malloc((size_t)j->o.window * 8);
  memset(w.out, 1, (size_t)w.count * 8);
  memset(w.in, 0, results * 8);
  one_sided_run(j, &w, passive_tries);
  const double once = one_sided_run(j, &w, passive_tries) / passive_tries;
  long times = (long)(j->o.seconds / once) + 1;
  MPI_Bcast(&times, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  const double took = one_sided_run(j, &w, times) / (double)times;
  MPI_Comm_free(&torus);
  MPI_Group_free(&world);
  MPI_Group_free(&w.origin);
  MPI_Group_free(&w.target);
  MPI_Group_free(&w.neighbours);
  MPI_Win_free(&w.win);
  free(w.out);
  free(w.in);
  free(w.compare);
  const size_t n = strlen(j->o.test);
  if (strcmp(j->o.test + n - 3, "_bw") == 0) return (double)w.count * 8 * j->o.window / took / 1e9;
  return took * 1e6;
}

/* What rank 1 uses of its core while it waits `seconds` for a message, reported by rank 0. */
static double idle_cpu(struct job* j) {
  double used = 0;
  char byte = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (j->rank == 0) {
    perf_sleep(j->o.seconds);
    MPI_Send(&byte, 1, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
    MPI_Recv(&used, 1, MPI_DOUBLE, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (j->rank == 1) {
    const double before = perf_cpu_seconds();
    MPI_Recv(&byte, 1, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    used = perf_cpu_seconds() - before;
    MPI_Send(&used, 1, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD);
  }
  return used;
}

/* A communication of `count` doubles, with a sleep between its start and its end. */
static void communicate(struct job* j, double* data, double* sum, int count, MPI_Win win,
                        double sleep_s) {
  const char* const test = j->o.test + strlen("overlap_");
  MPI_Request r = MPI_REQUEST_NULL;
  if (strcmp(test, "send") == 0) {
    if (j->rank == 1) MPI_Irecv(data, count, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, &r);
    if (j->rank == 0) MPI_Isend(data, count, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD, &r);
  } else if (strcmp(test, "allreduce") == 0) {
    MPI_Iallreduce(data, sum, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r);
  } else if (j->rank == 0) {
    MPI_Put(data, count, MPI_DOUBLE, 1, 0, count, MPI_DOUBLE, win);
  }
  perf_sleep(sleep_s);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  if (strcmp(test, "put") == 0 && j->rank == 0) MPI_Win_flush(1, win);
}

/* The mean time at the slowest rank; without `data`, of the sleep alone. */
static double overlap_time(struct job* j, double* data, double* sum, int count, MPI_Win win,
                           double sleep_s) {
  enum { repetitions = 20 };
  double took = 0;
  for (int i = 0; i < repetitions; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = perf_now();
    if (data != NULL)
      communicate(j, data, sum, count, win, sleep_s);
    else
      perf_sleep(sleep_s);
    took += perf_now() - start;
  }
  MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return took / repetitions;
}

/* The part of a communication that a sleep hides, in per cent: see perf/overlap.hpp. */
static double overlap(struct job* j) {
  const int count = (int)(j->o.size < 8 ? 1 : j->o.size / 8);
  double* const data = calloc((size_t)count, 8);
  double* const sum = calloc((size_t)count, 8);
  double* memory = NULL;
  MPI_Win win;
  MPI_Win_allocate((MPI_Aint)count * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock_all(0, win);
  communicate(j, data, sum, count, win, 0);
  const double alone = overlap_time(j, data, sum, count, win, 0);
  const double sleep_s = 4 * alone > 4e-3 ? 4 * alone : 4e-3;
  const double sleeping = overlap_time(j, NULL, NULL, 0, win, sleep_s);
  const double both = overlap_time(j, data, sum, count, win, sleep_s);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  free(data);
  free(sum);
  const double share = (alone + sleeping - both) / alone;
  return 100 * (share < 0 ? 0 : share > 1 ? 1 : share);
}

/* Packing by datatypes: those of perf/pack.hpp. Returns GB a second, of each rank alone. */
static double pack(struct job* j) {
  const int n = (int)(j->o.size / 8);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int count = 1;
  if (strcmp(j->o.test, "pack_column") == 0) {
    MPI_Type_vector(n, 1, 100, MPI_DOUBLE, &type);
  } else if (strcmp(j->o.test, "pack_record") == 0) {
    const int lengths[] = {1, 1};
    const MPI_Aint at[] = {0, 8};
    const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
    MPI_Datatype record;
    MPI_Type_create_struct(2, lengths, at, types, &record);
    MPI_Type_create_resized(record, 0, 16, &type);
    MPI_Type_free(&record);
    count = (int)(j->o.size / 12);
  } else if (strcmp(j->o.test, "pack_indexed") == 0) {
    int* const at = malloc(sizeof *at * (size_t)(n + 1));
    for (int i = 0; i < n; ++i) at[i] = 3 * i + i % 2;
    MPI_Type_create_indexed_block(n, 1, at, MPI_DOUBLE, &type);
    free(at);
  } else {
    int side = 1;
    while (side * side < n) side *= 2;
    const int sizes[] = {side, side, 8};
    const int sub_sizes[] = {side, side, 1};
    const int starts[] = {0, 0, 1};
    MPI_Type_create_subarray(3, sizes, sub_sizes, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
  }
  MPI_Type_commit(&type);
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  int size = 0;
  int room = 0;
  MPI_Type_get_extent(type, &low, &extent);
  MPI_Type_size(type, &size);
  MPI_Pack_size(count, type, MPI_COMM_WORLD, &room);
  const size_t bytes = (size_t)extent * (size_t)count + 64;
  char* const memory = malloc(bytes);
  char* const out = malloc((size_t)room);
  memset(memory, 1, bytes);
  memset(out, 0, (size_t)room);
  const double start = perf_now();
  for (long i = 0; i < j->o.iters; ++i) {
    int at = 0;
    MPI_Pack(memory, count, type, out, room, &at, MPI_COMM_WORLD);
    __asm__ volatile("" : : "r"(out) : "memory");
  }
  const double seconds = perf_now() - start;
  free(memory);
  free(out);
  MPI_Type_free(&type);
  return (double)j->o.iters * size * count / seconds / 1e9;
}

static double measure(struct job* j, const char** unit) {
  const struct options* o = &j->o;
  const double messages = (double)o->iters * o->window;
  *unit = "us";
  if (strcmp(o->test, "latency") == 0) return timed(j, latency_loop, 1) / (2.0 * o->iters) * 1e6;
  if (strcmp(o->test, "exchange") == 0) return exchange(j);
  if (strcmp(o->test, "ring") == 0 || strcmp(o->test, "poll_test") == 0 ||
      strcmp(o->test, "poll_probe") == 0)
    return ring(j, o->test);
  if (strcmp(o->test, "poll_any") == 0) return poll_any(j);
  if (strcmp(o->test, "allreduce") == 0) return allreduce(j);
  static const char* const collectives[] = {"barrier",          "bcast",    "allreduce",
                                            "allgather",        "alltoall", "reduce_scatter",
                                            "neighbor_alltoall"};
  for (size_t i = 0; i < sizeof collectives / sizeof *collectives; ++i)
    if (strncmp(o->test, "coll_", 5) == 0 && strcmp(o->test + 5, collectives[i]) == 0)
      return collective(j, collectives[i]);
  static const char* const accesses[] = {"put",
                                         "get",
                                         "accumulate",
                                         "fetch_and_op",
                                         "put_fence",
                                         "put_pscw",
                                         "put_bw",
                                         "compare_and_swap",
                                         "get_fence",
                                         "get_pscw",
                                         "get_bw",
                                         "ghost",
                                         "ghost_elements",
                                         "ghost_pscw",
                                         "put_pscw_bw",
                                         "get_pscw_bw",
                                         "accumulate_fence",
                                         "accumulate_pscw",
                                         "accumulate_bw",
                                         "fetch_and_op_bw",
                                         "compare_and_swap_bw"};
  for (size_t i = 0; i < sizeof accesses / sizeof *accesses; ++i)
    if (strncmp(o->test, "rma_", 4) == 0 && strcmp(o->test + 4, accesses[i]) == 0) {
      if (strstr(o->test, "_bw") != NULL) *unit = "GB/s";
      return one_sided(j);
    }
  *unit = "s";
  if (strcmp(o->test, "idle_cpu") == 0) return idle_cpu(j);
  *unit = "%";
  if (strncmp(o->test, "overlap_", 8) == 0) return overlap(j);
  *unit = "M/s";
  if (strcmp(o->test, "rate") == 0) return messages / timed(j, window_loop, o->window) / 1e6;
  *unit = "GB/s";
  if (strncmp(o->test, "pack_", 5) == 0) return pack(j);
  if (strcmp(o->test, "bw") == 0)
    return messages * (double)o->size / timed(j, window_loop, o->window) / 1e9;
  if (strcmp(o->test, "bibw") == 0)
    return 2 * messages * (double)o->size / timed(j, both_ways_loop, o->window) / 1e9;
  *unit = NULL;
  return 0;
}

/* Sends a word to the next rank, which answers with the segment that it has found it in. Sends
 * nothing else until then: a library may use the place again. Returns whether it maps it too. */
static int ask_right(struct job* j) {
  const int right = (j->rank + 1) % j->ranks;
  const uint64_t word = perf_random_word();
  struct perf_segment there = {0, 0};
  MPI_Send(&word, sizeof word, MPI_BYTE, right, 7, MPI_COMM_WORLD);
  MPI_Recv(&there, sizeof there, MPI_BYTE, right, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return word != 0 && perf_maps(there);
}

static void answer_left(struct job* j) {
  const int left = (j->rank + j->ranks - 1) % j->ranks;
  uint64_t word = 0;
  MPI_Recv(&word, sizeof word, MPI_BYTE, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const struct perf_segment here = perf_segment_with(word);
  MPI_Send(&here, sizeof here, MPI_BYTE, left, 8, MPI_COMM_WORLD);
}

/* Whether messages between all neighbours pass through memory that the two share: the same answer
 * at all ranks. They ask one after the other. */
static int through_shared_memory(struct job* j) {
  if (j->rank != 0) answer_left(j);
  const int shared = ask_right(j);
  if (j->rank == 0) answer_left(j);
  int all = 0;
  MPI_Allreduce(&shared, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all;
}

static int refuse(const char* what) {
  fprintf(
      stderr,
      "mpi_perf: %s\nusage: mpi_perf --test latency|bw|bibw|rate|exchange|ring|poll_test|\n"
      "    poll_probe|poll_any|allreduce|coll_barrier|coll_bcast|coll_allreduce|coll_allgather|\n"
      "    coll_alltoall|coll_reduce_scatter|coll_neighbor_alltoall|rma_put|rma_get|\n"
      "    rma_accumulate|rma_fetch_and_op|rma_compare_and_swap|rma_put_fence|rma_put_pscw|\n"
      "    rma_get_fence|rma_get_pscw|rma_accumulate_fence|rma_accumulate_pscw|rma_put_bw|\n"
      "    rma_get_bw|rma_accumulate_bw|rma_fetch_and_op_bw|rma_compare_and_swap_bw|rma_ghost|\n"
      "    rma_ghost_elements|rma_ghost_pscw|rma_put_pscw_bw|rma_get_pscw_bw|idle_cpu|\n"
      "    overlap_send|overlap_put|overlap_allreduce\n"
      "  [--size N] [--iters N] [--warmup N] [--window N] [--samples N] [--seconds S]\n"
      "  [--tags N] [--buffers N] [--order receives|sends|sendrecv] [--posted] [--reverse]\n"
      "  [--recv-any] [--probe-file F] [--pin] [--json-line]\n",
      what);
  return 2;
}

static int parse(struct options* o, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const char* name = argv[i];
    int* flag = strcmp(name, "--pin") == 0         ? &o->pin
                : strcmp(name, "--json-line") == 0 ? &o->json
                : strcmp(name, "--posted") == 0    ? &o->posted
                : strcmp(name, "--reverse") == 0   ? &o->reverse
                : strcmp(name, "--recv-any") == 0  ? &o->recv_any
                                                   : NULL;
    if (flag != NULL) {
      *flag = 1;
      continue;
    }
    const char* value = i + 1 < argc ? argv[++i] : NULL;
    if (value == NULL) return refuse(name);
    if (strcmp(name, "--test") == 0)
      o->test = value;
    else if (strcmp(name, "--size") == 0)
      o->size = strtoull(value, NULL, 10);
    else if (strcmp(name, "--iters") == 0)
      o->iters = strtol(value, NULL, 10);
    else if (strcmp(name, "--warmup") == 0)
      o->warmup = strtol(value, NULL, 10);
    else if (strcmp(name, "--window") == 0)
      o->window = (int)strtol(value, NULL, 10);
    else if (strcmp(name, "--tags") == 0)
      o->tags = (int)strtol(value, NULL, 10);
    else if (strcmp(name, "--buffers") == 0)
      o->buffers = (int)strtol(value, NULL, 10);
    else if (strcmp(name, "--order") == 0)
      o->order = value;
    else if (strcmp(name, "--samples") == 0)
      o->samples = (int)strtol(value, NULL, 10);
    else if (strcmp(name, "--seconds") == 0)
      o->seconds = strtod(value, NULL);
    else if (strcmp(name, "--probe-file") == 0)
      o->probe_file = value;
    else
      return refuse(name);
  }
  if (o->test == NULL) return refuse("--test is missing");
  if (o->size < 1 || o->size > size_limit) return refuse("--size is out of range");
  if (o->window < 1 || o->window > window_max) return refuse("--window is out of range");
  if (o->tags < 1 || o->buffers < 1 || o->size * (size_t)o->buffers > size_limit)
    return refuse("--tags or --buffers is out of range");
  if (strcmp(o->order, "receives") != 0 && strcmp(o->order, "sends") != 0 &&
      strcmp(o->order, "sendrecv") != 0)
    return refuse("--order is unknown");
  if (o->iters < 1 || o->warmup < 0) return refuse("--iters or --warmup is out of range");
  return 0;
}

int main(int argc, char** argv) {
  static struct job j;
  j.o = (struct options){.test = NULL,
                         .size = 8,
                         .iters = 10000,
                         .warmup = 1000,
                         .window = 64,
                         .tags = 1,
                         .buffers = 1,
                         .order = "receives",
                         .samples = 1,
                         .seconds = 0.2};
  struct perf_side side;
  perf_join(&side, NULL, 0, 1); /* Before the library can change the affinity. */
  const int bad = parse(&j.o, argc, argv);
  if (bad != 0) return bad;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &j.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &j.ranks);
  if (j.ranks > window_max) return refuse("that is too many ranks");
  if (j.ranks < 2) {
    MPI_Finalize();
    fprintf(stderr, "mpi_perf: " IMPL
                    " gave this process a world of its own: run it on at least 2 "
                    "ranks, by the launcher of that library\n");
    return 2;
  }
  j.partner = 1 - j.rank;
  side.rank = j.rank;
  side.ranks = j.ranks;
  side.board = perf_open_board(j.o.probe_file);
  if (j.o.pin) perf_pin(j.rank, &side.usable);
  const size_t bytes = j.o.size * (size_t)j.o.buffers + 8;
  j.out = malloc(bytes);
  j.in = malloc(bytes);
  memset(j.out, 1, bytes);
  memset(j.in, 2, bytes);
  prepare_window(&j);

  const int shared = through_shared_memory(&j);
  if (j.rank == 0 && j.o.json) {
    printf("{\"impl\":\"%s\",\"shared_memory\":%s}\n", IMPL, shared ? "true" : "false");
    fflush(stdout);
  } else if (j.rank == 0 && !shared) {
    fprintf(stderr,
            "mpi_perf: warning: " IMPL " sends messages past the memory that its ranks share\n");
  }
  const uint64_t socket_bytes = perf_socket_bytes();
  struct perf_mark before = perf_bracket(&side);
  int rc = 0;
  for (int s = 0; s < j.o.samples && rc == 0; ++s) {
    const char* unit = NULL;
    const double value = measure(&j, &unit);
    if (unit == NULL) rc = j.rank == 0 ? refuse(j.o.test) : 2;
    const struct perf_mark after = perf_bracket(&side);
    if (j.rank == 0 && rc == 0 && j.o.json)
      perf_print_sample(IMPL, j.o.test, j.o.size, j.ranks, unit, value, before, after);
    else if (j.rank == 0 && rc == 0)
      printf("%s %s %zu bytes, %d ranks: %.6g %s\n", IMPL, j.o.test, j.o.size, j.ranks, value,
             unit);
    before = after;
  }
  if (j.rank == 0 && rc == 0 && j.o.json)
    printf("{\"impl\":\"%s\",\"sent_bytes\":%.0f,\"socket_bytes\":%.0f}\n", IMPL, j.sent,
           (double)(perf_socket_bytes() - socket_bytes));
  free(j.out);
  free(j.in);
  MPI_Finalize();
  return rc;
}
