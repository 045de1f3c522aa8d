/* SPDX-License-Identifier: BSL-1.0 */
/* The loops of mpx-perf in plain MPI, so that scripts/compare can measure both alike: the
 * conventions of the OSU micro-benchmarks, one line of JSON a sample,
 * before them one that says whether messages pass through shared memory, behind them one of what rank
 * 0 has sent, and what of it through TCP. Only the comparison needs it. */

#define _GNU_SOURCE
#include <mpi.h>
#include <string.h>

#include "perf/board.h"
#include "perf/witness.h"

#if defined(OPEN_MPI)
#define IMPL "openmpi"
#elif defined(MPICH_VERSION)
#define IMPL "mpich"
#else
#define IMPL "mpi"
#endif

enum { window_max = 1024, size_limit = 64 << 20 };

struct options {
  const char* test;
  const char* probe_file;
  size_t size;
  long iters;
  long warmup;
  int window;
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
  MPI_Request requests[2 * window_max];
};

static void latency_loop(struct job* j, long iters) {
  const int n = (int)j->o.size;
  for (long i = 0; i < iters; ++i) {
    if (j->rank == 0) {
      MPI_Send(j->out, n, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
      MPI_Recv(j->in, n, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (j->rank == 1) {
      MPI_Recv(j->in, n, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(j->out, n, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
  }
}

/* A window of messages from rank 0, then an answer of 4 bytes. */
static void window_loop(struct job* j, long iters) {
  const int n = (int)j->o.size;
  const int window = j->o.window;
  for (long i = 0; i < iters; ++i) {
    if (j->rank == 0) {
      for (int w = 0; w < window; ++w)
        MPI_Isend(j->out, n, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &j->requests[w]);
      MPI_Waitall(window, j->requests, MPI_STATUSES_IGNORE);
      MPI_Recv(j->in, 4, MPI_BYTE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (j->rank == 1) {
      for (int w = 0; w < window; ++w)
        MPI_Irecv(j->in, n, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &j->requests[w]);
      MPI_Waitall(window, j->requests, MPI_STATUSES_IGNORE);
      MPI_Send(j->out, 4, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
    }
  }
}

/* Both sides send a window at once. */
static void both_ways_loop(struct job* j, long iters) {
  const int n = (int)j->o.size;
  const int window = j->o.window;
  if (j->rank > 1) return;
  for (long i = 0; i < iters; ++i) {
    for (int w = 0; w < window; ++w)
      MPI_Irecv(j->in, n, MPI_BYTE, j->partner, 2, MPI_COMM_WORLD, &j->requests[w]);
    for (int w = 0; w < window; ++w)
      MPI_Isend(j->out, n, MPI_BYTE, j->partner, 2, MPI_COMM_WORLD, &j->requests[window + w]);
    MPI_Waitall(2 * window, j->requests, MPI_STATUSES_IGNORE);
    if (j->rank == 0) {
      MPI_Recv(j->in, 4, MPI_BYTE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(j->out, 4, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
    }
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

/* A token of 8 bytes goes round until rank 0 sends it round negative. Returns us a hop. */
static double ring(struct job* j) {
  const int to = (j->rank + 1) % j->ranks;
  const int from = (j->rank + j->ranks - 1) % j->ranks;
  int64_t token = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = perf_now();
  long laps = 0;
  for (int last = 0; !last;) {
    if (j->rank == 0) {
      last = time_is_up(j, laps + 1, start);
      token = last ? -1 : laps;
      MPI_Send(&token, 8, MPI_BYTE, to, 4, MPI_COMM_WORLD);
    }
    MPI_Recv(&token, 8, MPI_BYTE, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    last = token < 0;
    if (j->rank != 0) MPI_Send(&token, 8, MPI_BYTE, to, 4, MPI_COMM_WORLD);
    ++laps;
  }
  j->sent += 8.0 * (double)laps;
  return (perf_now() - start) / (double)(laps * j->ranks) * 1e6;
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

static double measure(struct job* j, const char** unit) {
  const struct options* o = &j->o;
  const double messages = (double)o->iters * o->window;
  *unit = "us";
  if (strcmp(o->test, "latency") == 0) return timed(j, latency_loop, 1) / (2.0 * o->iters) * 1e6;
  if (strcmp(o->test, "ring") == 0) return ring(j);
  if (strcmp(o->test, "allreduce") == 0) return allreduce(j);
  *unit = "s";
  if (strcmp(o->test, "idle_cpu") == 0) return idle_cpu(j);
  *unit = "M/s";
  if (strcmp(o->test, "rate") == 0) return messages / timed(j, window_loop, o->window) / 1e6;
  *unit = "GB/s";
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
  fprintf(stderr,
          "mpi_perf: %s\nusage: mpi_perf --test latency|bw|bibw|rate|ring|allreduce|idle_cpu\n"
          "  [--size N] [--iters N] [--warmup N] [--window N] [--samples N] [--seconds S]\n"
          "  [--probe-file F] [--pin] [--json-line]\n",
          what);
  return 2;
}

static int parse(struct options* o, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const char* name = argv[i];
    if (strcmp(name, "--pin") == 0) {
      o->pin = 1;
      continue;
    }
    if (strcmp(name, "--json-line") == 0) {
      o->json = 1;
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
                         .samples = 1,
                         .seconds = 0.2};
  struct perf_side side;
  perf_join(&side, NULL, 0, 1); /* Before the library can change the affinity. */
  const int bad = parse(&j.o, argc, argv);
  if (bad != 0) return bad;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &j.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &j.ranks);
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
  j.out = malloc(j.o.size + 8);
  j.in = malloc(j.o.size + 8);
  memset(j.out, 1, j.o.size + 8);
  memset(j.in, 2, j.o.size + 8);

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
