/* SPDX-License-Identifier: BSL-1.0 */
/* Shared by the programs of this folder, in C so that those over MPI have it too: their options, the
 * clock of their own work, work that takes about a given time, and the line that reports a run. */
#ifndef MPX_BENCH_PROGRAM_H
#define MPX_BENCH_PROGRAM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../perf/board.h"

struct program_options {
  const char* program;
  int size;       /* Of each rank's part; each program says of what. */
  int steps;      /* Of a sample. */
  int samples;    /* Timed runs, after one that is not. */
  double work_us; /* More work in each step. */
  double uneven;  /* The last rank has this much more of it, in percent. */
  int pin;        /* Rank r runs on core r modulo their number. */
};

/* Returns 0, or an exit code if the arguments are wrong. */
static inline int program_parse(int argc, char** argv, struct program_options* o) {
  const struct program_options defaults = {NULL, 0, 0, 3, 0, 0, 0};
  *o = defaults;
  for (int i = 1; i < argc; ++i) {
    const char* value = i + 1 < argc ? argv[i + 1] : NULL;
    if (argv[i][0] != '-' && o->program == NULL) {
      o->program = argv[i];
      continue;
    }
    if (strcmp(argv[i], "--pin") == 0) {
      o->pin = 1;
      continue;
    }
    if (value == NULL) return 2;
    if (strcmp(argv[i], "--size") == 0)
      o->size = atoi(value);
    else if (strcmp(argv[i], "--steps") == 0)
      o->steps = atoi(value);
    else if (strcmp(argv[i], "--samples") == 0)
      o->samples = atoi(value);
    else if (strcmp(argv[i], "--work") == 0)
      o->work_us = atof(value);
    else if (strcmp(argv[i], "--uneven") == 0)
      o->uneven = atof(value);
    else
      return 2;
    ++i;
  }
  return o->program != NULL && o->samples > 0 ? 0 : 2;
}

static const char* const program_usage =
    "usage: cg|particles|transpose|wavefront|bfs|stencil [--size N] [--steps N] [--samples N]\n"
    "  [--work US] [--uneven PERCENT] [--pin]\n"
    "  --work    microseconds of more work in each step of each rank\n"
    "  --uneven  percent more of it for the last rank\n";

/* One rank's view of a run. */
struct program_run {
  struct program_options o;
  int rank;
  int ranks;
  double compute_s; /* CPU time of this rank's own work. */
  double began_s;
};

static inline double program_cpu_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Own work stands between these two. CPU time, since other ranks may have the core meanwhile. */
static inline void program_begin_work(struct program_run* run) { run->began_s = program_cpu_now(); }
static inline void program_end_work(struct program_run* run) {
  run->compute_s += program_cpu_now() - run->began_s;
}

/* Work of about `us` microseconds, always the same number of operations. */
static inline void program_busy(double us) {
  const long operations = (long)(us * 350);
  double x = 1.0;
  for (long i = 0; i < operations; ++i) {
    x = x * 0.999999 + 1e-7;
    __asm__ volatile("" : "+x"(x));
  }
}
/* The additional work of a step, by which the last rank may have more than others. */
static inline void program_additional_work(const struct program_run* run) {
  const double more = run->rank == run->ranks - 1 ? 1 + run->o.uneven / 100 : 1;
  if (run->o.work_us > 0) program_busy(run->o.work_us * more);
}

/* Memory for `count` doubles, zeroed. The programs end with their memory. */
static inline double* program_doubles(size_t count) {
  double* made = (double*)calloc(count, sizeof(double));
  if (made == NULL) {
    fprintf(stderr, "no memory for %zu doubles\n", count);
    exit(3);
  }
  return made;
}

/* Prints one sample of rank 0 as a line of JSON. `beyond_ms`: the time that is not the own work of the
 * rank with the most of it. */
static inline void program_print(const char* impl, const struct program_run* run, double total_s,
                                 double compute_s, long preempted) {
  printf(
      "{\"impl\":\"%s\",\"test\":\"%s\",\"size\":%d,\"ranks\":%d,\"unit\":\"ms\",\"value\":%.6g,"
      "\"beyond\":%.6g,\"compute\":%.6g,\"probe_ns\":[null,null],\"preempted\":%ld}\n",
      impl, run->o.program, run->o.size, run->ranks, total_s * 1e3, (total_s - compute_s) * 1e3,
      compute_s * 1e3, preempted);
  fflush(stdout);
}

/* A program's defaults and its function, which returns 1 if the answer is right. */
struct program_kind {
  const char* name;
  int size;
  int steps;
};
static const struct program_kind program_kinds[] = {
    {"cg", 20, 20},         {"particles", 600, 150}, {"transpose", 64, 1500},
    {"wavefront", 64, 250}, {"bfs", 4096, 40},       {"stencil", 96, 4000},
};
/* Returns the number of a program, after filling in its defaults; -1: there is none of that name. */
static inline int program_find(struct program_options* o) {
  for (int i = 0; i < (int)(sizeof program_kinds / sizeof program_kinds[0]); ++i) {
    if (strcmp(o->program, program_kinds[i].name) != 0) continue;
    if (o->size <= 0) o->size = program_kinds[i].size;
    if (o->steps <= 0) o->steps = program_kinds[i].steps;
    return i;
  }
  return -1;
}

#endif
