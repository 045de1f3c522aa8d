// SPDX-License-Identifier: BSL-1.0
// release: dev
// timeout: 240
// compilers: both

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <mpx/bootstrap/mpxrun.hpp>
#include <mpx/bootstrap/singleton.hpp>
#include <mpx/transport/shm.hpp>
#include <optional>
#include <ostream>

#include "contract.hpp"
#include "fabric.hpp"
#include "pollable.hpp"

namespace {

using namespace transport_contract;
using mpx::transport::basic_shm;
using mpx::transport::copy_path;
using mpx::transport::shm;
using small_shm = basic_shm<4, 4096>;
using little_arena = basic_shm<16, 4096, 1 << 16>;
constexpr ring::ring_geometry small_shm_geometry{4, 4096};

static_assert(mpx::SharedMemoryTransport<shm> && mpx::SharedMemoryTransport<small_shm>);
static_assert(shm::traits.inline_bytes_max == 40);
static_assert(small_shm::traits.packet_bytes_max == 1024);
static_assert(small_shm::traits.layout != shm::traits.layout);
static_assert(basic_shm<1024, 262'144, 4096>::traits.layout != shm::traits.layout);

TEST_CASE("shm: packets") {
  check_packets<shm>();
  check_peeking<shm>();
}
TEST_CASE("shm: packets through tiny rings") {
  check_packets<small_shm>();
  check_peeking<small_shm>();
}
TEST_CASE("shm: traffic") { check_traffic<shm>(); }
TEST_CASE("shm: traffic through tiny rings") { check_traffic<small_shm>(); }
TEST_CASE("shm: waiting") { check_waiting<shm>(); }
TEST_CASE("shm: waiting on tiny rings") { check_waiting<small_shm>(); }
TEST_CASE("shm: many peers") {
  check_many_peers<small_shm>(70);
  check_many_peers<small_shm>(130);
}
TEST_CASE("shm: PollableTransport") {
  check_pollable<shm>();
  check_pollable<small_shm>();
}
TEST_CASE("shm: no wake-up is missed") {
  check_no_missed_wakeups<shm>();
  check_no_missed_wakeups<small_shm>();
}
TEST_CASE("shm: silent rings are left alone") {
  check_demotion<shm>();
  CHECK_NOTHROW(check_demotion_races<small_shm>());
}
TEST_CASE("shm: forged memory") {
  check_forged_lines<small_shm>(small_shm_geometry);
  check_forged_attention<small_shm>();
  check_noise<small_shm>(small_shm_geometry);
}

TEST_CASE("shm: memory") {
  bool kernel = false;
  {
    cluster<shm> job(2);
    kernel = job[0].kernel_copies(1);
    CHECK(job[0].kernel_copies(1) == kernel);
  }
  CAPTURE(kernel);
  check_rma<shm>(kernel);
  check_shared_memory<shm>();
}

TEST_CASE("shm: ordinary memory that is not there is refused") {
  cluster<shm> job(2);
  std::vector<std::byte> buffer(4096);
  const mpx::remote_memory unmapped{16, job[1].expose(0, buffer).key};
  CHECK(job[0].get(1, unmapped, 0, buffer, 1) == outcome::refused);
  CHECK(job[0].put(1, unmapped, 0, buffer, 1) == outcome::refused);
}

/// Ranks of a job of processes: rank 0 here, in the main thread, rank 1 in a child.
class two_processes {
 public:
  two_processes() {
    set("MPX_JOB_FD", control_.fd());
    set("MPX_SHM_FD", shared_.fd());
    set("MPX_SIZE", 3);
    int up[2], down[2];
    REQUIRE((::pipe2(up, O_CLOEXEC) == 0 && ::pipe2(down, O_CLOEXEC) == 0));
    child_ = ::fork();
    REQUIRE(child_ >= 0);
    if (child_ == 0) {
      set("MPX_RANK", 1);
      mpx::bootstrap::mpxrun b;
      const little_arena t(b);
      char c = 1;
      const bool told = ::write(up[1], &c, 1) == 1;
      ::close(down[1]);
      ::_exit(told && ::read(down[0], &c, 1) == 0 ? 0 : 1);  // Lives as long as its parent likes.
    }
    ::close(up[1]);
    char c = 0;
    REQUIRE(::read(up[0], &c, 1) == 1);
    ::close(up[0]);
    ::close(down[0]);
    lifeline_ = down[1];
    set("MPX_RANK", 0);
    rank_.emplace();
  }
  two_processes(const two_processes&) = delete;
  two_processes& operator=(const two_processes&) = delete;
  ~two_processes() {
    ::close(lifeline_);
    ::waitpid(child_, nullptr, 0);
    for (const char* name : {"MPX_JOB_FD", "MPX_SHM_FD", "MPX_SIZE", "MPX_RANK"}) ::unsetenv(name);
  }
  mpx::bootstrap::mpxrun& rank() { return *rank_; }
  pid_t child() const { return child_; }

 private:
  static void set(const char* name, int value) {
    ::setenv(name, std::to_string(value).c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  }
  mpx::bootstrap::memory_file control_{"test-job"};
  mpx::bootstrap::memory_file shared_{"test-shared"};
  mpx::mapping map_ = mpx::bootstrap::job_segment::create(control_, shared_, 3, ::getppid());
  pid_t child_ = -1;
  int lifeline_ = -1;
  std::optional<mpx::bootstrap::mpxrun> rank_;
};

TEST_CASE("shm: a false peer card gives no access to any process") {
  two_processes job;
  struct card {
    std::int64_t pid;
    std::uint64_t address;
    std::uint64_t word;
  };
  const auto read = [&](peer_id peer) {
    little_arena t(job.rank());
    const auto& there = t.segment().card(peer);
    return card{there.pid.load(), there.mark_address.load(), there.mark_word.load()};
  };
  const auto reaches = [&](peer_id peer, const card& said) {
    little_arena t(job.rank());
    auto& there = t.segment().card(peer);
    there.pid.store(said.pid);
    there.mark_address.store(said.address);
    there.mark_word.store(said.word);
    std::vector<std::byte> buffer(4096);
    const bool reached = t.kernel_copies(peer);
    const mpx::remote_memory anywhere{said.address, 1};
    if (!reached)
      CHECK(t.get(peer, anywhere, 0, std::span(buffer).first(8), 1) == outcome::refused);
    return reached;
  };
  const card honest = read(1);
  CHECK(honest.pid == job.child());
  CHECK(honest.word != 0);
  if (!reaches(1, honest)) {
    MESSAGE("left out: the kernel does not let processes reach each other here");
    return;
  }
  CHECK(!reaches(2, honest));  // Rank 2 passes off rank 1's memory as its own.
  CHECK(!reaches(1, {honest.pid, honest.address, honest.word + 1}));
  CHECK(!reaches(1, {honest.pid, honest.address + 8, honest.word}));
  CHECK(!reaches(1, {honest.pid, 0, honest.word}));
  CHECK(!reaches(1, {0, 0, 0}));
  CHECK(!reaches(1, {-1, honest.address, honest.word}));
  CHECK(!reaches(1, {honest.pid + (std::int64_t{1} << 32), honest.address, honest.word}));
  // A copy of the peer's mark lies in this process, which the peer names.
  const mpx::transport::detail::process_mark copied{honest.word, 1};
  const auto here = reinterpret_cast<std::uintptr_t>(&copied);
  CHECK(!reaches(1, {::getpid(), here, honest.word}));
  std::atomic<pid_t> other = 0;
  std::atomic<bool> over = false;
  std::jthread thread([&] {
    other = static_cast<pid_t>(::syscall(SYS_gettid));
    while (!over) std::this_thread::yield();
  });
  while (other == 0) std::this_thread::yield();
  CHECK(!reaches(1, {other, here, honest.word}));  // The kernel takes a thread for its process.
  over = true;
  CHECK(reaches(1, honest));
  little_arena t(job.rank());
  t.segment().card(0).pid.store(job.child());  // Its own card is not what it reaches itself by.
  CHECK(t.kernel_copies(0));
}

TEST_CASE("shm: messages of a rank to itself use private memory") {
  mpx::bootstrap::singleton job;
  small_shm t(job);
  keeper sink;
  for (std::uint32_t i = 0; i < 20; ++i) {
    REQUIRE(post(t, 0, i, 1000) == outcome::done);
    poll_until(t, sink, i + 1);
  }
  REQUIRE(t.segment().channel(0, 0) == t.segment().channel(0, 0));
  std::vector<std::byte> shared(small_shm_geometry.bytes());
  constexpr off_t front_bytes = 4096;  // The inbox and the card.
  REQUIRE(::pread(job.shared_fd(), shared.data(), shared.size(), front_bytes) ==
          static_cast<ssize_t>(shared.size()));
  CHECK(std::all_of(shared.begin(), shared.end(), [](std::byte b) { return b == std::byte{0}; }));
}

TEST_CASE("shm: without its file a small job continues, and a large one reports the error") {
  using large = basic_shm<4, 4096, std::uint64_t{1} << 41>;
  const mpx::bootstrap::thread_job job(2);
  const int fd = job.shared_fd();
  mpx::bootstrap::threads zero(job, 0), one(job, 1);
  shm a(zero), b(one);
  CHECK(a.segment().is_whole());
  mpx::bootstrap::threads large_zero(job, 0), large_one(job, 1);
  large c(large_zero), d(large_one);
  CHECK(!c.segment().is_whole());

  const int kept = ::dup(fd);
  const int own = ::memfd_create("own", MFD_CLOEXEC);
  REQUIRE(::dup2(own, fd) == fd);  // The program has closed all, and opens a file of its own.
  keeper sink;
  REQUIRE(post(a, 1, 1, 8) == outcome::done);
  poll_until(b, sink, 1);
  CHECK(sink.malformed_from.empty());
  void* const p = b.allocate_shared(100, 8);
  b.deallocate_shared(p, 100);
  CHECK(post(c, 1, 1, 8) == outcome::refused);
  std::string what;
  try {
    static_cast<void>(d.allocate_shared(100, 8));
  } catch (const mpx::error& e) {
    CHECK(e.code() == mpx::errc::no_resources);
    what = e.what();
  }
  CHECK(what.find("descriptor " + std::to_string(fd) + " names another file") == 0);
  CHECK_THROWS_AS(mpx::bootstrap::threads(job, 0), mpx::error);
  struct stat info{};
  REQUIRE(::fstat(own, &info) == 0);
  CHECK(info.st_size == 0);

  REQUIRE(::dup2(kept, fd) == fd);
  ::close(kept);
  ::close(own);
  REQUIRE(post(c, 1, 1, 8) == outcome::done);
  poll_until(d, sink, 2);
}

TEST_CASE("shm: the protocol of a long message") {
  using mpx::cost_hint;
  std::vector<std::byte> ordinary(4096);
  const auto says = [&ordinary](auto& job) {
    return job[0].get_cost_hint(1, job[1].expose(0, ordinary), ordinary.size());
  };
  cluster<basic_shm<16, 4096, 1 << 20, copy_path::single>> one(2);
  const bool kernel = one[0].kernel_copies(1);
  CHECK(says(one) == (kernel ? cost_hint::always : cost_hint::never));
  cluster<basic_shm<16, 4096, 1 << 20, copy_path::pipelined>> two(2);
  CHECK(says(two) == cost_hint::never);
  cluster<basic_shm<16, 4096, 1 << 20>> oversubscribed(
      static_cast<peer_id>(mpx::platform::usable_cores() + 1));
  CHECK(oversubscribed[0].oversubscribed());
  CHECK(says(oversubscribed) == (kernel ? cost_hint::always : cost_hint::never));
  void* shared = two[1].allocate_shared(64, 64);
  CHECK(two[0].get_cost_hint(1, two[1].expose(0, {static_cast<std::byte*>(shared), 64}), 64) ==
        cost_hint::always);
  two[1].deallocate_shared(shared, 64);
}

/// KiB on huge pages of the mapping that `p` lies in.
long huge_kib_at(const void* p) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(p);
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t from = 0;
    std::uintptr_t to = 0;
    if (std::sscanf(line.c_str(), "%zx-%zx ", &from, &to) == 2)
      inside = from <= wanted && wanted < to;
    else if (inside && line.starts_with("AnonHugePages:"))
      return std::atol(line.c_str() + 14);
  }
  return -1;
}
/// Memory of its own mapping in which each word contains its index. On small pages, unless the
/// system uses huge ones for all memory.
class marked_memory {
 public:
  explicit marked_memory(std::size_t bytes)
      : bytes_(bytes),
        base_(static_cast<std::byte*>(
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    // So that it is of another kind than its neighbours, and does not become one mapping with them.
    ::madvise(base_, bytes, MADV_DONTDUMP);
    for (std::size_t i = 0; i < bytes_; i += sizeof i) std::memcpy(base_ + i, &i, sizeof i);
  }
  marked_memory(const marked_memory&) = delete;
  marked_memory& operator=(const marked_memory&) = delete;
  ~marked_memory() { ::munmap(base_, bytes_); }
  std::span<std::byte> span() const { return {base_, bytes_}; }

 private:
  std::size_t bytes_;
  std::byte* base_;
};

/// KiB of a rank's memory that lie on huge pages once another one has fetched it 400 times, or up
/// to `most` times where that is not enough; -1: it cannot.
template <class T>
long huge_kib_after_gets(int most) {
  constexpr std::size_t mib = std::size_t{1} << 20;
  cluster<T> job(2);
  if (!job[0].kernel_copies(1)) return -1;
  std::vector<std::byte> into(6 * mib);
  const marked_memory memory(6 * mib);
  for (int i = 0; i < most; ++i) {
    if (i >= 400 && i % 100 == 0 && huge_kib_at(memory.span().data()) >= 4096) break;
    const mpx::remote_memory lent = job[1].expose(0, memory.span());
    // In two pieces, of which each holds it.
    for (const std::size_t piece : {0, 1})
      CHECK(job[0].get(1, lent, piece * 3 * mib, std::span(into).subspan(piece * 3 * mib, 3 * mib),
                       1) == outcome::done);
    CHECK(job[1].withdraw(0, lent) == outcome::done);
  }
  CHECK(std::equal(into.begin(), into.end(), memory.span().begin()));
  for (std::size_t i = 0; i < into.size(); i += sizeof i)
    if (std::memcmp(into.data() + i, &i, sizeof i) != 0) FAIL("changed at " << i);
  return huge_kib_at(memory.span().data());
}

TEST_CASE("shm: memory fetched repeatedly is moved to huge pages, unless disabled") {
  using mpx::transport::huge_pages;
  using never = basic_shm<16, 4096, 1 << 20, copy_path::automatic, huge_pages::never>;
  constexpr std::size_t region = std::size_t{2} << 20;
  const marked_memory sample(2 * region);
  const auto at = (reinterpret_cast<std::uintptr_t>(sample.span().data()) + region - 1) & -region;
  using kernel = mpx::transport::detail::linux_huge_pages;
  const auto lookup_ns = [at] {
    std::int64_t least = kernel::lookup_ns(at, region);
    for (int i = 0; i < 20; ++i) least = std::min(least, kernel::lookup_ns(at, region));
    return least;
  };
  const bool small = huge_kib_at(sample.span().data()) == 0;
  const std::int64_t before_ns = lookup_ns();
  if (!kernel::allowed() || !kernel::collapse(at, region)) {
    MESSAGE("skipped: this system gives no huge pages on request");
    return;
  }
  // All pages are looked up, though one byte is copied.
  if (small) CHECK(before_ns >= 4 * lookup_ns());
  const long kib = huge_kib_after_gets<shm>(4000);
  CHECK((kib == -1 || kib >= 4096));  // Of 6 MiB, two or three whole ones.
  std::string enabled;
  std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), enabled);
  if (enabled.find("[always]") == std::string::npos) CHECK(huge_kib_after_gets<never>(400) <= 0);
}

TEST_CASE("shm: an arena's bounds hold against any offset of a peer") {
  constexpr std::uint64_t arena = 1 << 16;
  cluster<little_arena> job(2);
  auto* p = static_cast<std::byte*>(job[1].allocate_shared(arena, 64));
  p[arena - 1] = std::byte{77};
  const std::uint64_t key = job[1].expose(0, {p, 1}).key;
  std::vector<std::byte> buffer(128);
  const auto get = [&](std::uint64_t address, std::uint64_t offset, std::size_t bytes) {
    const mpx::remote_memory at{address, key};
    const std::span piece(buffer.data(), bytes);
    const outcome got = job[0].get(1, at, offset, piece, 1);
    CHECK(job[0].put(1, at, offset, piece, 1) == got);
    return got;
  };
  CHECK(get(arena - 1, 0, 1) == outcome::done);
  CHECK(buffer[0] == std::byte{77});
  CHECK(get(0, arena - 128, 128) == outcome::done);
  CHECK(buffer[127] == std::byte{77});
  CHECK(get(arena, 0, 1) == outcome::refused);
  CHECK(get(arena - 1, 0, 2) == outcome::refused);
  CHECK(get(0, arena - 127, 128) == outcome::refused);
  CHECK(get(arena - 64, 64, 1) == outcome::refused);
  CHECK(get(~std::uint64_t{0}, 0, 1) == outcome::refused);
  CHECK(get(~std::uint64_t{0}, 1, 1) == outcome::refused);
  CHECK(get(1, ~std::uint64_t{0}, 1) == outcome::refused);
  CHECK(get(arena / 2, ~std::uint64_t{0} - arena / 2 + 1, 1) == outcome::refused);
}

TEST_CASE("shm: an arena fills up with a clear error, and its memory is used again") {
  cluster<little_arena> job(2);
  std::vector<void*> pieces;
  const auto fill = [&] {
    try {
      for (;;) pieces.push_back(job[0].allocate_shared(1000, 8));
    } catch (const mpx::error& e) {
      CHECK(e.code() == mpx::errc::no_resources);
      CHECK(std::string(e.what()).find("65536") != std::string::npos);
    }
  };
  fill();
  CHECK(pieces.size() == 64);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < pieces.size(); i += 2) job[0].deallocate_shared(pieces[i], 1000);
    for (std::size_t i = 0; i < pieces.size(); i += 2) pieces[i] = job[0].allocate_shared(1000, 8);
    CHECK_THROWS_AS(static_cast<void>(job[0].allocate_shared(1, 1)), mpx::error);
  }
  void* others = job[1].allocate_shared(1 << 16, 64);  // A rank's arena is its own.
  CHECK(others != nullptr);
  CHECK_THROWS_AS(static_cast<void>(job[1].allocate_shared(~std::size_t{0}, 64)), mpx::error);
}

TEST_CASE("shm: alignments over a page are refused, not ignored") {
  cluster<little_arena> job(1);
  try {
    static_cast<void>(job[0].allocate_shared(64, 8192));
    FAIL("no error");
  } catch (const mpx::error& e) {
    CHECK(e.code() == mpx::errc::argument);
  }
}

TEST_CASE("shm: transports in sequence and at once in one job") {
  for (int round = 0; round < 3; ++round) {
    cluster<small_shm> a(2);
    cluster<shm> b(2);
    keeper from_a, from_b;
    REQUIRE(post(a[0], 1, 1, 8) == outcome::done);
    REQUIRE(post(b[0], 1, 2, 8) == outcome::done);
    poll_until(a[1], from_a, 1);
    poll_until(b[1], from_b, 1);
    CHECK(same(from_a.packets[0].header, header_of(1)));
    CHECK(same(from_b.packets[0].header, header_of(2)));
  }
}

}  // namespace
