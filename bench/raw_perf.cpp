// SPDX-License-Identifier: BSL-1.0
// Speed of the hardware without any library: two pinned processes bounce a cache line, pass 8-byte
// messages through a bare ring, exchange values, copy memory, store to it, and write to bare
// sockets over loopback; more processes than cores exchange values. The reference of
// scripts/compare.

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perf/board.h"

namespace {

constexpr std::size_t size_max = std::size_t{64} << 20;

using side = perf_side;

/// The ends of a connection: two network namespaces, and the address of the first end. Without
/// namespaces both ends are on loopback.
struct host_pair {
  const char* first = nullptr;
  const char* second = nullptr;
  const char* address = "127.0.0.1";
};

struct options {
  std::string test;
  std::size_t size = 8;
  std::uint64_t iters = 10000;
  std::uint64_t warmup = 1000;
  int ranks = 2;
  unsigned window = 64;
  int samples = 1;
  host_pair hosts;
};

template <class Word>
void await(const std::atomic<Word>& word, Word at_least) noexcept {
  for (unsigned spins = 1; word.load(std::memory_order_acquire) < at_least; ++spins)
    if (spins % 100000 == 0) sched_yield();
}

struct alignas(64) counter {
  std::atomic<std::uint64_t> value;
};

/// A ring of 64-byte slots that carry their own mark: what any queue has to do, and no more.
struct bare_ring {
  static constexpr std::uint32_t slots = 512;
  struct alignas(64) slot {
    std::atomic<std::uint64_t> mark;
    std::uint64_t payload;
  };
  counter taken;
  slot line[slots];
};

/// One end of a bare ring; a process is either its producer or its consumer.
class ring_end {
 public:
  explicit ring_end(bare_ring& ring) : ring_(&ring) {}

  void put(std::uint64_t payload) noexcept {
    if (at_ - taken_ == bare_ring::slots) {
      do taken_ = ring_->taken.value.load(std::memory_order_acquire);
      while (at_ - taken_ == bare_ring::slots);
    }
    bare_ring::slot& s = ring_->line[at_ % bare_ring::slots];
    s.payload = payload;
    s.mark.store(++at_, std::memory_order_release);
  }

  std::uint64_t take() noexcept {
    const bare_ring::slot& s = ring_->line[at_ % bare_ring::slots];
    await(s.mark, at_ + 1);
    const std::uint64_t payload = s.payload;
    if (++at_ % 32 == 0) ring_->taken.value.store(at_, std::memory_order_release);
    return payload;
  }

 private:
  bare_ring* ring_;
  std::uint64_t at_ = 0;
  std::uint64_t taken_ = 0;
};

/// Chunks through which a message is copied twice, by both sides at once.
struct chunk_ring {
  static constexpr std::size_t chunk_bytes = 16 * 1024;
  static constexpr std::uint64_t chunks = 16;
  counter filled;
  counter emptied;
  alignas(64) std::byte data[chunks][chunk_bytes];
};

/// Data that a process publishes in each exchange; short data lies beside the mark. Two of them,
/// since no process is more than one exchange ahead of the processes that it waits for, and all
/// have published something before it is a giver's turn again.
struct gift {
  static constexpr std::size_t bytes_max = 4096 - sizeof(std::uint64_t);
  alignas(64) std::atomic<std::uint64_t> mark;
  std::byte data[bytes_max];
};

constexpr int ranks_max = 64;

struct shared_memory {
  perf_board board;
  gift gifts[ranks_max][2];
  perf_line one_line;
  bare_ring rings[2];
  counter offered;
  counter copied;
  counter acknowledged;
  counter reached[2];
  chunk_ring pipe;
  alignas(4096) std::byte arena[size_max];
  alignas(4096) std::byte second_arena[size_max];
};

/// A flag for each direction, or one line for both. Returns us one way.
double bounce(side& me, shared_memory& m, const options& o) {
  std::uint32_t* there = &m.board.flag[0].word;
  std::uint32_t* back = o.test == "bounce" ? &m.board.flag[1].word : &m.one_line.word;
  if (o.test == "bounce_one_line") there = back;
  perf_bounce(&me, there, back, static_cast<std::uint32_t>(o.warmup));
  const double start = perf_now();
  perf_bounce(&me, there, back, static_cast<std::uint32_t>(o.iters));
  return (perf_now() - start) / (2.0 * static_cast<double>(o.iters)) * 1e6;
}

/// The ends outlive a sample: a ring is not rewound.
struct pair_of_rings {
  explicit pair_of_rings(shared_memory& m) : forth(m.rings[0]), back(m.rings[1]) {}
  ring_end forth;
  ring_end back;
};

double ring_latency(const side& me, pair_of_rings& r, const options& o) {
  double start = 0;
  for (std::uint64_t i = 0; i < o.warmup + o.iters; ++i) {
    if (i == o.warmup) start = perf_now();
    if (me.rank == 0) {
      r.forth.put(i);
      r.back.take();
    } else {
      r.back.put(r.forth.take());
    }
  }
  return (perf_now() - start) / (2.0 * static_cast<double>(o.iters)) * 1e6;
}

/// Returns M messages/s. One answer at the end only: nothing between windows.
double ring_rate(const side& me, pair_of_rings& r, const options& o) {
  double start = 0;
  for (std::uint64_t i = 0; i < o.warmup + o.iters; ++i) {
    if (i == o.warmup) start = perf_now();
    if (me.rank == 0) {
      for (unsigned w = 0; w < o.window; ++w) r.forth.put(w);
    } else {
      for (unsigned w = 0; w < o.window; ++w) r.forth.take();
    }
  }
  if (me.rank == 0)
    r.back.take();
  else
    r.back.put(0);
  return static_cast<double>(o.iters * o.window) / (perf_now() - start) / 1e6;
}

double gigabytes(const options& o, double seconds) {
  return static_cast<double>(o.iters * o.window) * static_cast<double>(o.size) / seconds / 1e9;
}

#if defined(__x86_64__)
const bool is_amd = (__builtin_cpu_init(), __builtin_cpu_is("amd") != 0);
const bool is_intel = (__builtin_cpu_init(), __builtin_cpu_is("intel") != 0);
#else
constexpr bool is_amd = false;
[[maybe_unused]] constexpr bool is_intel = false;
#endif

/// Copies to lines that the other side has read. On Intel's stores to them wait for each other,
/// unless all lines are asked for before.
void copy_to_read(std::byte* to, const std::byte* from, std::size_t bytes) {
#if defined(__x86_64__)
  for (std::size_t at = 0; is_intel && at < bytes; at += 64)
    asm volatile("prefetchw %0" : : "m"(to[at]));
#endif
  std::memcpy(to, from, bytes);
}

/// State of the copies that outlives a sample.
struct copier {
  explicit copier(std::size_t size) : own(size, std::byte{1}) {}
  std::vector<std::byte> own;
  bool claims = is_amd;
  std::uint64_t windows = 0;
  std::uint64_t messages = 0;
  std::uint64_t chunks = 0;
  std::uint64_t meetings = 0;
};

/// One copy: the receiver reads straight from the sender's memory, which is shared.
double copy_once(const side& me, shared_memory& m, copier& c, const options& o) {
  double start = 0;
  for (std::uint64_t i = 0; i < o.warmup + o.iters; ++i) {
    if (i == o.warmup) start = perf_now();
    ++c.windows;
    for (unsigned w = 0; w < o.window; ++w) {
      ++c.messages;
      if (me.rank == 0) {
        m.offered.value.store(c.messages, std::memory_order_release);
      } else {
        await(m.offered.value, c.messages);
        std::memcpy(c.own.data(), m.arena, o.size);
      }
    }
    if (me.rank == 0)
      await(m.acknowledged.value, c.windows);
    else
      m.acknowledged.value.store(c.windows, std::memory_order_release);
  }
  return gigabytes(o, perf_now() - start);
}

/// Stores to each line that was read. On AMD its writer gets the line back sooner then: a line that
/// others have read stays with its writer, which must ask for it before the next write.
void claim(std::byte* read, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 64)
    *static_cast<volatile std::byte*>(read + at) = std::byte{0};
}

void through_pipe(const side& me, chunk_ring& pipe, copier& c, std::size_t size) {
  for (std::size_t at = 0; at < size; at += chunk_ring::chunk_bytes) {
    const std::size_t bytes = std::min(chunk_ring::chunk_bytes, size - at);
    std::byte* chunk = pipe.data[c.chunks % chunk_ring::chunks];
    ++c.chunks;
    if (me.rank == 0) {
      if (c.chunks > chunk_ring::chunks) await(pipe.emptied.value, c.chunks - chunk_ring::chunks);
      copy_to_read(chunk, c.own.data() + at, bytes);
      pipe.filled.value.store(c.chunks, std::memory_order_release);
    } else {
      await(pipe.filled.value, c.chunks);
      std::memcpy(c.own.data() + at, chunk, bytes);
      if (c.claims) claim(chunk, bytes);
      pipe.emptied.value.store(c.chunks, std::memory_order_release);
    }
  }
}

/// Two copies, both sides at work: what is left when the sender's memory is its own.
double copy_twice(const side& me, shared_memory& m, copier& c, const options& o) {
  double start = 0;
  for (std::uint64_t i = 0; i < o.warmup + o.iters; ++i) {
    if (i == o.warmup) start = perf_now();
    ++c.windows;
    for (unsigned w = 0; w < o.window; ++w) through_pipe(me, m.pipe, c, o.size);
    if (me.rank == 0)
      await(m.acknowledged.value, c.windows);
    else
      m.acknowledged.value.store(c.windows, std::memory_order_release);
  }
  return gigabytes(o, perf_now() - start);
}

/// One copy in each direction at once: each side reads from the other's memory, which is shared.
double copy_both(const side& me, shared_memory& m, copier& c, const options& o) {
  const std::byte* there = me.rank == 0 ? m.second_arena : m.arena;
  std::atomic<std::uint64_t>& mine = m.reached[me.rank].value;
  const std::atomic<std::uint64_t>& other = m.reached[1 - me.rank].value;
  double start = 0;
  for (std::uint64_t i = 0; i < o.warmup + o.iters; ++i) {
    if (i == o.warmup) start = perf_now();
    for (unsigned w = 0; w < o.window; ++w) {
      mine.store(++c.messages, std::memory_order_release);
      await(other, c.messages);
      std::memcpy(c.own.data(), there, o.size);
    }
  }
  mine.store(++c.messages, std::memory_order_release);
  await(other, c.messages);
  return 2 * gigabytes(o, perf_now() - start);
}

/// The sockets that this process makes from now on are there.
bool enter(const char* network_namespace) noexcept {
  if (network_namespace == nullptr) return true;
  const int fd = ::open((std::string("/run/netns/") + network_namespace).c_str(), O_RDONLY);
  const bool there = fd >= 0 && ::setns(fd, CLONE_NEWNET) == 0;
  ::close(fd);
  return there;
}

/// The two ends of a connection, made before the fork: each side has one.
struct socket_pair {
  int ends[2] = {-1, -1};

  bool make(const host_pair& hosts) noexcept {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    if (::inet_pton(AF_INET, hosts.address, &at.sin_addr) != 1 || !enter(hosts.first)) return false;
    auto* const any = reinterpret_cast<sockaddr*>(&at);
    socklen_t bytes = sizeof at;
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    if (!enter(hosts.second)) return false;
    ends[0] = ::socket(AF_INET, SOCK_STREAM, 0);
    const bool there = ::bind(listener, any, bytes) == 0 && ::listen(listener, 1) == 0 &&
                       ::getsockname(listener, any, &bytes) == 0 &&
                       ::connect(ends[0], any, bytes) == 0;
    ends[1] = there ? ::accept(listener, nullptr, nullptr) : -1;
    ::close(listener);
    const int one = 1;
    for (const int fd : ends) ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return ends[1] >= 0;
  }
};
socket_pair sockets;

/// Busy: no process sleeps in the kernel.
template <class F>
void all_of(std::byte* at, std::size_t bytes, F&& some) noexcept {
  while (bytes != 0) {
    const ssize_t n = some(at, bytes);
    if (n == 0 || (n < 0 && errno != EAGAIN)) std::_Exit(1);
    if (n < 0) continue;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
}
void put_all(int fd, std::byte* at, std::size_t bytes) noexcept {
  all_of(at, bytes, [fd](const void* p, std::size_t n) {
    return ::send(fd, p, n, MSG_DONTWAIT | MSG_NOSIGNAL);
  });
}
void take_all(int fd, std::byte* at, std::size_t bytes) noexcept {
  all_of(at, bytes, [fd](void* p, std::size_t n) { return ::recv(fd, p, n, MSG_DONTWAIT); });
}

double socket_latency(const side& me, copier& c, const options& o) {
  const int fd = sockets.ends[me.rank];
  double start = 0;
  for (std::uint64_t i = 0; i < o.warmup + o.iters; ++i) {
    if (i == o.warmup) start = perf_now();
    if (me.rank == 0) put_all(fd, c.own.data(), o.size);
    take_all(fd, c.own.data(), o.size);
    if (me.rank == 1) put_all(fd, c.own.data(), o.size);
  }
  return (perf_now() - start) / (2.0 * static_cast<double>(o.iters)) * 1e6;
}
/// A window, then an answer of 4 bytes.
double socket_stream(const side& me, copier& c, const options& o) {
  const int fd = sockets.ends[me.rank];
  std::byte answer[4] = {};
  double start = 0;
  for (std::uint64_t i = 0; i < o.warmup + o.iters; ++i) {
    if (i == o.warmup) start = perf_now();
    for (unsigned w = 0; w < o.window; ++w)
      me.rank == 0 ? put_all(fd, c.own.data(), o.size) : take_all(fd, c.own.data(), o.size);
    me.rank == 0 ? take_all(fd, answer, 4) : put_all(fd, answer, 4);
  }
  return gigabytes(o, perf_now() - start);
}

enum class gives : std::uint8_t {
  all,        ///< Each to all,
  neighbors,  ///< to the two beside it in a ring;
  one,        ///< one to all, who is the next one each time.
};

/// Lower bound of a short collective call: each process publishes a value and reads those of the
/// others. Two processes spin; more processes than cores yield while a value is missing. Returns us
/// an exchange.
template <bool Oversubscribed, gives Who = gives::all>
double meet(const side& me, shared_memory& m, copier& c, const options& o) {
  double start = 0;
  const auto take = [&](int r) {
    const gift& taken = m.gifts[r][c.meetings % 2];
    if constexpr (Oversubscribed) {
      while (taken.mark.load(std::memory_order_acquire) < c.meetings) sched_yield();
    } else {
      await(taken.mark, c.meetings);
    }
    std::memcpy(c.own.data(), taken.data, o.size);
    asm volatile("" : : "r"(c.own.data()) : "memory");
  };
  for (std::uint64_t i = 0; i < o.warmup + o.iters; ++i) {
    if (i == o.warmup) start = perf_now();
    gift& given = m.gifts[me.rank][++c.meetings % 2];
    const int giver = static_cast<int>(c.meetings % static_cast<unsigned>(o.ranks));
    if (Who != gives::one || giver == me.rank) {
      copy_to_read(given.data, c.own.data(), o.size);
      given.mark.store(c.meetings, std::memory_order_release);
    }
    if constexpr (Who == gives::one) {
      if (giver != me.rank) take(giver);
    } else if constexpr (!Oversubscribed) {
      take(1 - me.rank);
    } else if constexpr (Who == gives::neighbors) {
      take((me.rank + 1) % o.ranks);
      take((me.rank + o.ranks - 1) % o.ranks);
    } else {
      for (int r = 0; r < o.ranks; ++r) take(r);
    }
  }
  return (perf_now() - start) / static_cast<double>(o.iters) * 1e6;
}

/// A token goes round among more processes than cores. Returns us a hop.
double pass_token(const side& me, shared_memory& m, copier& c, const options& o) {
  const int next = (me.rank + 1) % o.ranks;
  double start = 0;
  for (std::uint64_t i = 0; i < o.warmup + o.iters; ++i) {
    if (i == o.warmup) start = perf_now();
    const std::uint64_t lap = ++c.meetings;
    const std::atomic<std::uint64_t>& mine = m.gifts[me.rank][0].mark;
    if (me.rank == 0) m.gifts[next][0].mark.store(lap, std::memory_order_release);
    while (mine.load(std::memory_order_acquire) != lap) sched_yield();
    if (me.rank != 0) m.gifts[next][0].mark.store(lap, std::memory_order_release);
  }
  return (perf_now() - start) / static_cast<double>(o.iters * static_cast<unsigned>(o.ranks)) * 1e6;
}

/// Stores to, or loads from, memory that two processes share, each made certain by a fence.
double one_sided(const side& me, shared_memory& m, const options& o, bool stores) {
  if (me.rank != 0) return 0;
  auto* const word = reinterpret_cast<volatile std::uint64_t*>(m.arena);
  std::uint64_t got = 0;
  double start = 0;
  for (std::uint64_t i = 0; i < o.warmup + o.iters; ++i) {
    if (i == o.warmup) start = perf_now();
    if (stores)
      *word = i;
    else
      got += *word;
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  const double seconds = perf_now() - start;
  asm volatile("" : : "r"(got));
  return seconds / static_cast<double>(o.iters) * 1e6;
}

struct measured {
  double value;
  const char* unit;
};

measured sample(side& me, shared_memory& m, pair_of_rings& rings, copier& c, const options& o) {
  if (o.test.starts_with("bounce")) return {bounce(me, m, o), "us"};
  if (o.test == "ring_latency") return {ring_latency(me, rings, o), "us"};
  if (o.test == "ring_rate") return {ring_rate(me, rings, o), "M/s"};
  if (o.test == "store") return {one_sided(me, m, o, true), "us"};
  if (o.test == "load") return {one_sided(me, m, o, false), "us"};
  if (o.test == "meet") return {meet<false>(me, m, c, o), "us"};
  if (o.test == "oversubscribed") return {meet<true>(me, m, c, o), "us"};
  if (o.test == "oversubscribed_ring") return {meet<true, gives::neighbors>(me, m, c, o), "us"};
  if (o.test == "turns") return {meet<false, gives::one>(me, m, c, o), "us"};
  if (o.test == "oversubscribed_turns") return {meet<true, gives::one>(me, m, c, o), "us"};
  if (o.test == "oversubscribed_token") return {pass_token(me, m, c, o), "us"};
  if (o.test == "copy") return {copy_once(me, m, c, o), "GB/s"};
  if (o.test == "socket_latency") return {socket_latency(me, c, o), "us"};
  if (o.test == "socket_stream") return {socket_stream(me, c, o), "GB/s"};
  if (o.test == "copy_both") return {copy_both(me, m, c, o), "GB/s"};
  return {copy_twice(me, m, c, o), "GB/s"};
}

void run(side& me, shared_memory& m, const options& o) {
  if (!o.test.starts_with("oversubscribed")) perf_pin(me.rank, &me.usable);
  pair_of_rings rings(m);
  copier c(o.size);
  std::memset(me.rank == 0 ? m.arena : m.second_arena, 1, o.size);
  perf_mark before = perf_bracket(&me);
  if (o.test == "probe") {
    if (me.rank == 0) std::printf("%.1f\n", before.probe_ns);
    return;
  }
  for (int s = 0; s < o.samples; ++s) {
    const measured got = sample(me, m, rings, c, o);
    const perf_mark after = perf_bracket(&me);
    if (me.rank == 0)
      perf_print_sample("raw", o.test.c_str(), o.size, o.ranks, got.unit, got.value, before, after);
    before = after;
  }
}

constexpr std::string_view usage =
    "usage: raw_perf --probe | bounce | bounce_one_line | ring_latency | ring_rate | meet |\n"
    "                turns | copy | copy_both | copy_ring | socket_latency | socket_stream |\n"
    "                store | load | oversubscribed | oversubscribed_ring | oversubscribed_turns |\n"
    "                oversubscribed_token\n"
    "         [--ranks N] [--size BYTES] [--iters N] [--warmup N] [--window N] [--samples N]\n"
    "         [--hosts NAMESPACE NAMESPACE ADDRESS]\n"
    "Two pinned processes without any library, whose sockets are in two network namespaces, or on\n"
    "loopback; of oversubscribed tests more, that are not pinned. --probe prints the one-way time "
    "of a cache line in ns;\n"
    "the others print one line of JSON a sample: us one way (a meeting: in all), millions of "
    "messages/s, or GB/s.\n";

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "raw_perf: %s\n%.*s", why.c_str(), static_cast<int>(usage.size()),
               usage.data());
  std::exit(2);
}

std::uint64_t number(std::string_view name, const char* text, std::uint64_t most) {
  char* end = nullptr;
  const std::uint64_t value = text == nullptr ? 0 : std::strtoull(text, &end, 10);
  if (text == nullptr || end == text || *end != '\0' || *text == '-' || value > most)
    refuse(std::string(name) + " needs a number of at most " + std::to_string(most));
  return value;
}

options parse(std::span<char*> arguments) {
  options o;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view name = arguments[i];
    const char* value = i + 1 < arguments.size() ? arguments[i + 1] : nullptr;
    const auto take = [&](std::uint64_t most) {
      ++i;
      return number(name, value, most);
    };
    if (name == "--size")
      o.size = take(size_max);
    else if (name == "--iters")
      o.iters = std::max<std::uint64_t>(take(1'000'000'000), 1);
    else if (name == "--warmup")
      o.warmup = take(1'000'000'000);
    else if (name == "--window")
      o.window = static_cast<unsigned>(take(1u << 20));
    else if (name == "--ranks")
      o.ranks = static_cast<int>(std::max<std::uint64_t>(take(ranks_max), 2));
    else if (name == "--samples")
      o.samples = static_cast<int>(take(1'000'000));
    else if (name == "--hosts" && i + 3 < arguments.size()) {
      o.hosts = {arguments[i + 1], arguments[i + 2], arguments[i + 3]};
      i += 3;
    } else if (name == "--probe")
      o.test = "probe";
    else if (name == "--help" || name == "-h") {
      std::fwrite(usage.data(), 1, usage.size(), stdout);
      std::exit(0);
    } else if (name.starts_with("-") || !o.test.empty())
      refuse("what is " + std::string(name) + "?");
    else
      o.test = name;
  }
  constexpr std::string_view known[] = {"probe",
                                        "bounce_one_line",
                                        "bounce",
                                        "ring_latency",
                                        "ring_rate",
                                        "copy",
                                        "copy_both",
                                        "copy_ring",
                                        "socket_latency",
                                        "socket_stream",
                                        "store",
                                        "load",
                                        "meet",
                                        "turns",
                                        "oversubscribed",
                                        "oversubscribed_ring",
                                        "oversubscribed_turns",
                                        "oversubscribed_token"};
  if (o.test.empty()) refuse("name a test");
  if (std::find(std::begin(known), std::end(known), o.test) == std::end(known))
    refuse("no test " + o.test);
  const bool is_oversubscribed = o.test.starts_with("oversubscribed");
  if (!is_oversubscribed && o.ranks != 2) refuse("--ranks is for the oversubscribed tests");
  if ((o.test == "meet" || o.test == "turns" || is_oversubscribed) && o.size > gift::bytes_max)
    refuse("processes meet with at most " + std::to_string(gift::bytes_max) + " bytes");
  return o;
}

}  // namespace

int main(int argc, char** argv) {
  const options o = parse({argv, static_cast<std::size_t>(argc)});
  void* memory = mmap(nullptr, sizeof(shared_memory), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("raw_perf: mmap");
    return 1;
  }
  auto* shared = static_cast<shared_memory*>(memory);  // Zeroed memory is its initial state.
  if (o.test.starts_with("socket") && !sockets.make(o.hosts)) {
    std::perror("raw_perf: a connection");
    return 1;
  }
  std::fflush(stdout);
  int rank = 0;
  for (int r = 1; r < o.ranks && rank == 0; ++r) {
    const pid_t child = fork();
    if (child < 0) {
      std::perror("raw_perf: fork");
      return 1;
    }
    if (child != 0) continue;
    rank = r;
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // It would spin for ever if the parent were killed.
  }
  side me;
  perf_join(&me, &shared->board, rank, o.ranks);
  run(me, *shared, o);
  if (rank != 0) std::_Exit(0);
  bool well = true;
  for (int status = 0; waitpid(-1, &status, 0) > 0;) well = well && status == 0;
  return well ? 0 : 1;
}
