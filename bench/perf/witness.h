/* SPDX-License-Identifier: BSL-1.0 */
/* Evidence of the way that a library's messages take between two processes of one machine. That it
 * maps shared memory says nothing: MPIs do so for their own purposes while messages go through TCP.
 * So a rank looks for a random word that a message has brought it in the memory that it shares, and
 * counts what its TCP sockets send. (Nothing is said about libraries that wipe what they have read;
 * neither MPICH nor Open MPI does.) */
#ifndef MPX_BENCH_PERF_WITNESS_H
#define MPX_BENCH_PERF_WITNESS_H

#include <dirent.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { perf_page = 4096, perf_word = sizeof(uint64_t) };

/* What a shared mapping maps: the same in all processes. Zeros: none. */
struct perf_segment {
  uint64_t device;
  uint64_t inode;
};

/* A word that nobody else has; 0 where the kernel gives none. */
static inline uint64_t perf_random_word(void) {
  uint64_t word = 0;
  const int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  if (read(fd, &word, sizeof word) != (ssize_t)sizeof word) word = 0;
  close(fd);
  return word;
}

/* Whether [begin, end) of this process holds the word. Pages that are nobody's yet are passed over:
 * to read one would take it. `memory` is /proc/self/mem, which fails where a read would trap. */
static inline int perf_range_holds(int memory, uintptr_t begin, uintptr_t end, uint64_t word) {
  unsigned char bytes[perf_word + perf_page]; /* Before a page, the end of the one before it. */
  size_t kept = 0;
  for (uintptr_t page = begin; page < end; page += perf_page) {
    unsigned char resident = 0;
    if (mincore((void*)page, perf_page, &resident) != 0 || (resident & 1) == 0 ||
        pread(memory, bytes + kept, perf_page, (off_t)page) != perf_page) {
      kept = 0;
      continue;
    }
    if (memmem(bytes, kept + perf_page, &word, sizeof word) != NULL) return 1;
    memmove(bytes, bytes + kept + perf_page - perf_word, perf_word);
    kept = perf_word;
  }
  return 0;
}

/* The first segment mapped shared by this process that is `wanted`, or, without `wanted`, that
 * holds the word. */
static inline struct perf_segment perf_find_segment(const struct perf_segment* wanted,
                                                    uint64_t word) {
  const struct perf_segment none = {0, 0};
  struct perf_segment found = none;
  char line[8192];
  FILE* maps = fopen("/proc/self/maps", "re");
  const int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  while (maps != NULL && memory >= 0 && fgets(line, sizeof line, maps) != NULL) {
    unsigned long begin = 0, end = 0, inode = 0;
    unsigned major = 0, minor = 0;
    char rights[5] = "";
    if (sscanf(line, "%lx-%lx %4s %*x %x:%x %lu", &begin, &end, rights, &major, &minor, &inode) !=
            6 ||
        rights[0] != 'r' || rights[3] != 's')
      continue;
    const struct perf_segment here = {(uint64_t)major << 32 | minor, inode};
    const int is_it = wanted != NULL ? here.device == wanted->device && here.inode == wanted->inode
                                     : perf_range_holds(memory, begin, end, word);
    if (is_it) {
      found = here;
      break;
    }
  }
  if (maps != NULL) fclose(maps);
  if (memory >= 0) close(memory);
  return found;
}

static inline struct perf_segment perf_segment_with(uint64_t word) {
  return perf_find_segment(NULL, word);
}

static inline int perf_maps(struct perf_segment segment) {
  return segment.inode != 0 && perf_find_segment(&segment, 0).inode != 0;
}

/* What the TCP sockets of this process have sent so far. */
static inline uint64_t perf_socket_bytes(void) {
  uint64_t sum = 0;
  DIR* descriptors = opendir("/proc/self/fd");
  if (descriptors == NULL) return 0;
  for (struct dirent* entry = readdir(descriptors); entry != NULL; entry = readdir(descriptors)) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    if (entry->d_name[0] == '.') continue;
    const int fd = atoi(entry->d_name);
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 &&
        length >= offsetof(struct tcp_info, tcpi_bytes_sent) + sizeof info.tcpi_bytes_sent)
      sum += info.tcpi_bytes_sent;
  }
  closedir(descriptors);
  return sum;
}

#endif
