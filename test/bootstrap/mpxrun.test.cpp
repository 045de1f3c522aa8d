// SPDX-License-Identifier: BSL-1.0
// compilers: both
// mpxrun's side of the bargain is played here; mpxrun itself is tested in test/mpxrun.

#include <mpx/bootstrap/detect.hpp>

#include "contract.hpp"

namespace {

using namespace bootstrap_contract;
using mpx::errc;
using mpx::bootstrap::job_segment;
using mpx::bootstrap::memory_file;
namespace bootstrap = mpx::bootstrap;

/// A job as mpxrun makes it, and the environment of one rank at a time.
class launched {
 public:
  explicit launched(mpx::rank_t ranks)
      : map_(job_segment::create(control_, shared_, ranks, ::getppid())) {
    set("MPX_JOB_FD", control_.fd());
    set("MPX_SHM_FD", shared_.fd());
    set("MPX_SIZE", ranks);
  }
  launched(const launched&) = delete;
  launched& operator=(const launched&) = delete;
  ~launched() {
    for (const char* name : {"MPX_JOB_FD", "MPX_SHM_FD", "MPX_SIZE", "MPX_RANK"}) ::unsetenv(name);
  }

  template <class T = bootstrap::mpxrun>
  static T join(mpx::rank_t rank) {
    set("MPX_RANK", rank);
    return T();
  }
  std::vector<bootstrap::mpxrun> join_all() const {
    std::vector<bootstrap::mpxrun> ranks;
    for (mpx::rank_t r = 0; r < segment().size(); ++r) ranks.push_back(join(r));
    return ranks;
  }
  job_segment segment() const { return job_segment(map_); }
  std::byte* memory() const { return map_.data(); }
  int control_fd() const { return control_.fd(); }
  int shared_fd() const { return shared_.fd(); }

  static void set(const char* name, int value) {
    ::setenv(name, std::to_string(value).c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  }

 private:
  memory_file control_{"test-job"};
  memory_file shared_{"test-shared"};
  mpx::mapping map_;
};

std::string refusal() {
  try {
    bootstrap::mpxrun b;
  } catch (const mpx::error& e) {
    CHECK(e.code() == errc::bootstrap);
    return e.what();
  }
  return {};
}

bool refused_for(const std::string& part) { return refusal().find(part) != std::string::npos; }

TEST_CASE("mpxrun: the contract") {
  for (const mpx::rank_t n : {1, 2, 3, 4, 7, 8}) {
    CAPTURE(n);
    const launched job(n);
    auto ranks = job.join_all();
    check_meeting(ranks);
    check_arguments(ranks.back());
    check_memory(ranks);
    check_idle(ranks);
    check_disconnecting(ranks);
    for (const auto& b : ranks) CHECK(!b.one_process());
    check_leaving(ranks);
    CHECK(job.segment().live(0) == 0);
  }
}

TEST_CASE("mpxrun: a forked child is not a rank") {
  for (const mpx::rank_t n : {1, 3}) {
    const launched job(n);
    auto ranks = job.join_all();
    check_forked(ranks);
    CHECK(job.segment().live(0) == 1);
  }
}

TEST_CASE("mpxrun: the launcher's report on a rank reaches the other ranks") {
  const launched job(3);
  auto ranks = job.join_all();
  check_loss(ranks, errc::peer_lost, mpx::rank_state::failed,
             [&](bootstrap::mpxrun& b) { job.segment().mark_ended(b.rank(), SIGKILL); });
  CHECK(job.segment().live(2) == 1);
}

TEST_CASE("mpxrun: the error names the rank that was lost first") {
  const launched job(4);
  auto ranks = job.join_all();
  const auto text_of = [&ranks](mpx::rank_t r) { return ranks[0].loss_text(r); };
  CHECK(job.segment().first_lost(0) == -1);
  std::string cause = "rank 3 (pid " + std::to_string(::getpid()) + ") ";
  SUBCASE("by a signal") {
    job.segment().mark_ended(3, SIGSEGV);
    cause += "was lost: killed by signal " + std::to_string(SIGSEGV) + " (SIGSEGV)";
  }
  SUBCASE("by an exception, and it lives on") {
    ranks[3].mark_failed();
    cause += "failed";
  }
  ranks[1].mark_failed();
  job.segment().mark_ended(1, 0);
  CHECK(job.segment().first_lost(0) == 3);
  CHECK(text_of(3) == cause);
  CHECK(text_of(1) == "rank 1 (pid " + std::to_string(::getpid()) + ") left, since " + cause);
  try {
    ranks[0].fence([] {});
    FAIL("the fence opened");
  } catch (const mpx::error& e) {
    CHECK(e.code() == errc::peer_lost);
    CHECK(std::string(e.what()).find("fence: " + cause) != std::string::npos);
  }
  // The next environment knows nothing of it.
  CHECK(job.segment().first_lost(1) <= 3);
  CHECK(job.segment().first_lost(2) == -1);
}

TEST_CASE("mpxrun: how a process ended, in words") {
  using bootstrap::describe_wait_status;
  CHECK(describe_wait_status(SIGKILL) == "killed by signal 9 (SIGKILL)");
  CHECK(describe_wait_status(SIGABRT) == "killed by signal 6 (SIGABRT)");
  CHECK(describe_wait_status(SIGRTMIN + 1) == "killed by signal " + std::to_string(SIGRTMIN + 1));
  CHECK(describe_wait_status(7 << 8) == "exited with code 7");
  CHECK(describe_wait_status(bootstrap::wait_status_unknown) == "died");
}

TEST_CASE("mpxrun: variables that make no sense are refused by name") {
  const launched job(2);
  CHECK(refused_for("MPX_RANK is not set"));
  for (const char* value : {"", "-1", "2", "0x1", "1 ", "99999999999"}) {
    ::setenv("MPX_RANK", value, 1);
    CHECK(refused_for(std::string("MPX_RANK is '") + value + "', not a number from 0 to 1"));
  }
  job.set("MPX_RANK", 0);
  ::setenv("MPX_SIZE", "3", 1);
  CHECK(refused_for("is for 2 ranks, MPX_SIZE says 3"));
  job.set("MPX_SIZE", 2);
  for (const int fd : {0, 987}) {
    job.set("MPX_SHM_FD", fd);
    CHECK(refused_for("MPX_SHM_FD is '" + std::to_string(fd) + "'"));
  }
}

TEST_CASE("mpxrun: a memory file that is not this job's is refused") {
  const launched job(1);
  job.set("MPX_RANK", 0);
  const memory_file other("test-other");
  job.set("MPX_SHM_FD", other.fd());
  CHECK(refused_for("MPX_SHM_FD is '" + std::to_string(other.fd()) + "'"));
  CHECK(job.segment().joins(0) == 0);
  job.set("MPX_SHM_FD", job.shared_fd());
  const bootstrap::mpxrun b;
  CHECK(b.shared_fd() != job.shared_fd());
}

TEST_CASE("mpxrun: a file that is no segment is refused") {
  const launched job(2);
  job.set("MPX_RANK", 0);
  for (const std::size_t at : {0u, 8u, 16u, 20u}) {
    CAPTURE(at);
    job.memory()[at] ^= std::byte{1};
    CHECK(refused_for("MPX_JOB_FD: the control segment"));
    job.memory()[at] ^= std::byte{1};
  }
  mpx::bootstrap::grow(job.control_fd(), 10'000'000);
  CHECK(refused_for("has the wrong length"));
}

TEST_CASE("mpxrun: damage is an error, never a crash") {
  const launched job(2);
  auto ranks = job.join_all();
  const mpx::bootstrap::detail::segment_layout layout(2);
  auto* const room = reinterpret_cast<bootstrap::detail::room*>(job.memory() + layout.rooms);
  std::byte* const log = job.memory() + layout.rooms + sizeof *room;
  ranks[0].put("key", "value");
  const auto used = room->log_used.load();
  std::uint32_t seed = 1;
  for (int round = 0; round < 20'000; ++round) {
    seed = seed * 1664525 + 1013904223;
    log[(seed >> 8) % 24] = static_cast<std::byte>(seed >> 24);
    room->log_used = round % 3 == 0 ? seed : used;
    const auto code = errc_of([&] { ranks[1].get(0, "key"); });
    CHECK((code == errc{} || code == errc::protocol));
  }
  auto* const slots = reinterpret_cast<bootstrap::detail::slot_entry*>(job.memory() + layout.slots);
  for (const std::uint64_t wrong :
       {bootstrap::detail::tagged(0, 2), bootstrap::detail::tagged(1, 0)}) {
    auto next = job.join_all();
    const std::uint64_t k = next[0].hangs().environment();
    slots[k].arrived = bootstrap::detail::tagged(k, 0) + wrong;
    CHECK(errc_of([&] { next[0].fence(idle); }) == errc::protocol);
  }
}

TEST_CASE("mpxrun: any number of environments in sequence, whose resources are returned") {
  const launched job(2);
  std::int64_t early = 0;
  for (int k = 0; k < 10'000; ++k) {
    CAPTURE(k);
    auto ranks = job.join_all();
    ranks[0].put("k", std::to_string(k));
    REQUIRE(ranks[1].get(0, "k") == std::to_string(k));
    ranks[1].disconnect_from(0, errc::protocol);
    bootstrap::grow(ranks[0].shared_fd(), ranks[0].shared_offset() + 8192);
    const mpx::mapping map(ranks[0].shared_fd(), ranks[0].shared_offset(), 8192);
    REQUIRE(map.data()[5000] == std::byte{0});
    map.data()[5000] = std::byte{1};
    for (auto& b : ranks) b.mark_finished();
    if (k == 2) early = bytes_of(job.control_fd());
  }
  CHECK(bytes_of(job.control_fd()) <= early);
  CHECK(bytes_of(job.shared_fd()) == 0);
}

TEST_CASE("mpxrun: two processes cannot be one rank") {
  const launched job(1);
  const auto mine = job.join(0);
  CHECK(errc_of([&] { job.segment().join(0, ::getpid() + 1, {}); }) == errc::bootstrap);
}

TEST_CASE("detect: joins a job if there is one, else a job of one rank") {
  {
    const launched job(2);
    job.set("MPX_RANK", 1);
    bootstrap::any b = bootstrap::detect();
    CHECK(b.rank() == 1);
    CHECK(b.size() == 2);
    CHECK(job.segment().joins(1) == 1);
    b.mark_finished();
  }
  const bootstrap::thread_job job(2);
  bootstrap::any alone = bootstrap::detect();
  CHECK(alone.size() == 1);
  alone.fence(idle);
  alone = bootstrap::threads(job, 1);
  CHECK(alone.rank() == 1);
}

}  // namespace
