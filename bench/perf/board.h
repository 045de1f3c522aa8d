/* SPDX-License-Identifier: BSL-1.0 */
/* What the measuring programs share, in C so that the MPI one can have it too: a page of memory
 * common to all ranks, a barrier on it that leaves the cores idle, a probe that tells how far apart
 * the two cores are just now, pinning, the clock, and the line that reports a sample. */
#ifndef MPX_BENCH_PERF_BOARD_H
#define MPX_BENCH_PERF_BOARD_H

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct perf_line {
  uint32_t word;
  uint32_t pad[15];
};

/* Zeroed memory is a fresh board. */
struct perf_board {
  struct perf_line flag[2]; /* Each written by one side only. */
  struct perf_line arrived;
  struct perf_line generation;
  struct perf_line preempted; /* Since the last bracket, ranks 0 and 1. */
};

static inline double perf_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* What a call of a collective gives has been written since the one before, as that of a program:
 * else who reads it in another process finds it in its own cache. A byte of each line, so that
 * the writing weighs little; of what is short nothing: it is copied wherever it goes. */
static inline void perf_write_anew(void* given, size_t bytes, unsigned long call) {
  for (size_t at = 0; bytes > 2048 && at < bytes; at += 64)
    ((volatile unsigned char*)given)[at] = (unsigned char)call;
}

/* What a call gives is used: else a way that leaves it in the other process's cache, because that
 * one has stored it, is paid for by nobody. A byte of each line. */
static inline void perf_use(const void* got, size_t bytes) {
  for (size_t at = 0; bytes > 2048 && at < bytes; at += 64)
    (void)((const volatile unsigned char*)got)[at];
}

static inline double perf_cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline void perf_sleep(double seconds) {
  struct timespec t;
  t.tv_sec = (time_t)seconds;
  t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
  nanosleep(&t, NULL);
}

/* The rank's core among those that `usable` allows: rank modulo their number. */
static inline void perf_pin(int rank, const cpu_set_t* usable) {
  const int count = CPU_COUNT(usable);
  int left = count > 0 ? rank % count : 0;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, usable) || left-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

/* The board in a file that whoever starts the ranks has made; NULL without one. */
static inline struct perf_board* perf_open_board(const char* path) {
  if (path == NULL || path[0] == '\0') return NULL;
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return NULL;
  void* page = mmap(NULL, sizeof(struct perf_board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  return page == MAP_FAILED ? NULL : (struct perf_board*)page;
}

/* A barrier that sleeps in the kernel, whatever the library under test would do. */
static inline void perf_quiet_barrier(struct perf_board* board, int ranks) {
  uint32_t* generation = &board->generation.word;
  const uint32_t mine = __atomic_load_n(generation, __ATOMIC_ACQUIRE);
  if (__atomic_add_fetch(&board->arrived.word, 1, __ATOMIC_ACQ_REL) == (uint32_t)ranks) {
    __atomic_store_n(&board->arrived.word, 0, __ATOMIC_RELAXED);
    __atomic_store_n(generation, mine + 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, generation, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
    return;
  }
  while (__atomic_load_n(generation, __ATOMIC_ACQUIRE) == mine)
    syscall(SYS_futex, generation, FUTEX_WAIT, mine, NULL, NULL, 0);
}

static inline void perf_await(uint32_t* word, uint32_t value) {
  for (unsigned spins = 1; __atomic_load_n(word, __ATOMIC_ACQUIRE) != value; ++spins)
    if (spins % 100000 == 0) sched_yield(); /* The other side may have no core of its own. */
}

/* A process's part in the board. */
struct perf_side {
  struct perf_board* board; /* NULL: nothing is probed. */
  int rank;
  int ranks;
  uint32_t bounced; /* What the flag says when both sides are done; never rewound. */
  long switches;    /* Of this process against its will, at the last bracket. */
  cpu_set_t usable;
};

/* What stands before and after a sample. */
struct perf_mark {
  double probe_ns;    /* 0: not known. */
  unsigned preempted; /* How often ranks 0 and 1 lost their core since the last mark. */
};

static inline void perf_join(struct perf_side* me, struct perf_board* board, int rank, int ranks) {
  me->board = board;
  me->rank = rank;
  me->ranks = ranks;
  me->bounced = 0;
  me->switches = 0;
  CPU_ZERO(&me->usable);
  sched_getaffinity(0, sizeof me->usable, &me->usable);
}

/* Rank 0 answers rank 1 and so on, `rounds` times: what a message has to do at least. `there` and
 * `back` may be the same line; then it changes hands as a whole, faster than any queue can be. */
static inline void perf_bounce(struct perf_side* me, uint32_t* there, uint32_t* back,
                               uint32_t rounds) {
  uint32_t value = me->bounced;
  if (me->rank == 0) {
    for (uint32_t i = 0; i < rounds; ++i) {
      __atomic_store_n(there, ++value, __ATOMIC_RELEASE);
      perf_await(back, ++value);
    }
  } else {
    for (uint32_t i = 0; i < rounds; ++i) {
      perf_await(there, ++value);
      __atomic_store_n(back, ++value, __ATOMIC_RELEASE);
    }
  }
  me->bounced = value;
}

/* A flag for each direction, each on a line of its own. */
static inline void perf_bounce_flags(struct perf_side* me, uint32_t rounds) {
  perf_bounce(me, &me->board->flag[0].word, &me->board->flag[1].word, rounds);
}

/* One way of a cache line between two pinned processes, in ns: the median of several short bounces,
 * so that one preemption does not matter. Meaningful at rank 0. Takes 0.5 to 3 ms. */
static inline double perf_probe(struct perf_side* me) {
  const uint32_t rounds = 400;
  double ns[9];
  perf_bounce_flags(me, rounds);
  for (int c = 0; c < 9; ++c) {
    const double start = perf_now();
    perf_bounce_flags(me, rounds);
    const double value = (perf_now() - start) / (2.0 * rounds) * 1e9;
    int at = c;
    for (; at > 0 && ns[at - 1] > value; --at) ns[at] = ns[at - 1];
    ns[at] = value;
  }
  return ns[4];
}

static inline long perf_switches(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return used.ru_nivcsw;
}

/* All ranks call this between samples: ranks 0 and 1 probe on cores of their own while the others
 * sleep. The result counts at rank 0; it is zeros without a board or with a single rank. */
static inline struct perf_mark perf_bracket(struct perf_side* me) {
  struct perf_mark mark = {0.0, 0};
  if (me->board == NULL || me->ranks < 2) return mark;
  uint32_t* preempted = &me->board->preempted.word;
  if (me->rank < 2)
    __atomic_add_fetch(preempted, (uint32_t)(perf_switches() - me->switches), __ATOMIC_RELAXED);
  perf_quiet_barrier(me->board, me->ranks);
  if (me->rank == 0) mark.preempted = __atomic_exchange_n(preempted, 0, __ATOMIC_RELAXED);
  if (me->rank < 2) {
    cpu_set_t before;
    sched_getaffinity(0, sizeof before, &before);
    perf_pin(me->rank, &me->usable);
    mark.probe_ns = perf_probe(me);
    sched_setaffinity(0, sizeof before, &before);
  }
  perf_quiet_barrier(me->board, me->ranks);
  me->switches = perf_switches();
  return mark;
}

/* One sample as one line of JSON. A probe of 0 is written as null. */
static inline void perf_print_sample(const char* impl, const char* test, unsigned long long size,
                                     int ranks, const char* unit, double value,
                                     struct perf_mark before, struct perf_mark after) {
  char probes[2][32] = {"null", "null"};
  if (before.probe_ns > 0) snprintf(probes[0], sizeof probes[0], "%.1f", before.probe_ns);
  if (after.probe_ns > 0) snprintf(probes[1], sizeof probes[1], "%.1f", after.probe_ns);
  printf(
      "{\"impl\":\"%s\",\"test\":\"%s\",\"size\":%llu,\"ranks\":%d,\"unit\":\"%s\","
      "\"value\":%.9g,\"probe_ns\":[%s,%s],\"preempted\":%u}\n",
      impl, test, size, ranks, unit, value, probes[0], probes[1], after.preempted);
  fflush(stdout);
}

#endif
