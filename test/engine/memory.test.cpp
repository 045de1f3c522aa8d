// SPDX-License-Identifier: BSL-1.0
// compilers: both
// Memory of a process for its peers over shared memory, in a job of 4,096 ranks: the engine, its
// transport, and the pages of the shared file. docs/ARCHITECTURE.md states these figures.

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <mpx/mpx.hpp>
#include <vector>

#include "engine/memory.hpp"

namespace {

using memory_of_process::measurable;
using memory_of_process::use;
using default_stack = mpx::stack<>;

constexpr mpx::rank_t job_size = 4096;

double file_bytes(int fd) {
  struct stat info{};
  REQUIRE(::fstat(fd, &info) == 0);
  return static_cast<double>(info.st_blocks) * 512;
}

/// A rank of the job, without the other 4,095: no rank waits for another here.
struct member {
  member(const mpx::bootstrap::thread_job& job, mpx::rank_t rank)
      : me(mpx::bootstrap::threads(job, rank)),
        endpoint(me),
        world(endpoint, endpoint.new_communicator_state(), 0, rank, job_size) {}
  ~member() { me.mark_finished(); }

  mpx::bootstrap::any me;
  mpx::detail::endpoint<default_stack> endpoint;
  mpx::communicator<default_stack> world;
};

/// Ranks 0, stride, 2 * stride, ...
std::vector<std::unique_ptr<member>> some(const mpx::bootstrap::thread_job& job, int count,
                                          mpx::rank_t stride) {
  std::vector<std::unique_ptr<member>> all;
  for (mpx::rank_t i = 0; i < count; ++i) all.push_back(std::make_unique<member>(job, i * stride));
  return all;
}

}  // namespace

TEST_CASE("memory: an idle rank of 4,096 over shared memory") {
  if (!measurable()) return;
  const mpx::bootstrap::thread_job job(job_size);
  const double file = file_bytes(job.shared_fd());
  const use before = use::now();
  constexpr int count = 16;
  const auto all = some(job, count, 256);
  const use each = (use::now() - before) / count;
  const double shared = (file_bytes(job.shared_fd()) - file) / count;
  MESSAGE("heap " << each.heap << ", private pages " << each.pages << ", shared file " << shared);
  CHECK(each.heap < 4.5 * 1024);   // Of 4,095 idle peers, each takes less than a byte.
  CHECK(each.pages < 9.0 * 1024);  // Two, and what of others these share.
  CHECK(shared <= 4096);
}

TEST_CASE("memory: a peer after one short message in each direction") {
  if (!measurable()) return;
  for (const mpx::rank_t stride : {1, 256}) {
    CAPTURE(stride);
    const mpx::bootstrap::thread_job job(job_size);
    constexpr int count = 16;
    const auto all = some(job, count, stride);
    std::int64_t x = 7;
    for (const auto& m : all) {  // Cost of a rank's first message, independent of the target.
      auto receiving = m->world.irecv(x, m->world.rank(), 1);
      m->world.send(std::int64_t{1}, m->world.rank(), 1);
      receiving.wait();
    }
    const double file = file_bytes(job.shared_fd());
    const use before = use::now();
    for (const auto& from : all) {
      for (const auto& to : all) {
        if (from == to) continue;
        from->world.send(x, to->world.rank(), 1);
        to->world.recv(x, from->world.rank(), 1);
      }
    }
    constexpr double pairs = count * (count - 1);  // Each rank has 15 active peers.
    const use each = (use::now() - before) / pairs;
    const double shared = (file_bytes(job.shared_fd()) - file) / pairs;
    MESSAGE("stride " << stride << ": heap " << each.heap << ", private pages " << each.pages
                      << ", shared file " << shared);
    // The ends of two rings; and, where peers are far apart, a page of each table for each of them.
    CHECK(each.heap < 320);
    CHECK(each.pages < (stride == 1 ? 1 : 9) * 1024);
    CHECK(shared <= 4096);  // A page of each ring.
  }
}
