// SPDX-License-Identifier: BSL-1.0
// For closed.test.py: a program that closes all descriptors, as daemons do, and opens files of its
// own, which get the numbers of mpx's.
//   closed MODE FOLDER     MODE: whole (all memory is mapped from the start), pieces (it is not)

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <mpx/mpx.hpp>
#include <vector>

#include "instances/job.hpp"
#include "mp/harness.hpp"

namespace {

using namespace std::chrono_literals;
using whole = mpx::stack<>;
/// Too much to map it all.
using pieces = mpx::stack<mpx::transport::basic_shm<1024, 256 * 1024, std::uint64_t{1} << 41>>;

constexpr int numbers = 64;
constexpr std::size_t file_bytes = 100'000;

/// The program's own file, under every number that mpx may have had.
class own_file {
 public:
  explicit own_file(const std::string& path) : path_(path) {
    harness::check(::close_range(3, ~0u, 0) == 0, "close_range");
    int fd = 0;
    while (fd < numbers) {
      fd = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
      harness::check(fd > 2, "cannot open " + path);
    }
    std::vector<std::byte> bytes(file_bytes);
    harness::fill(bytes, 1);
    harness::check(::pwrite(fd, bytes.data(), bytes.size(), 0) == file_bytes, "pwrite");
  }
  void check() const {
    const int fd = ::open(path_.c_str(), O_RDONLY);
    struct stat info{};
    harness::check(::fstat(fd, &info) == 0 && info.st_size == file_bytes, "the file's length");
    std::vector<std::byte> bytes(file_bytes);
    harness::check(::read(fd, bytes.data(), bytes.size()) == file_bytes, "read");
    harness::check(harness::holds(bytes, 1), "the file's bytes");
    ::close(fd);
    for (int own = 3; own < numbers; ++own)
      harness::check(::fcntl(own, F_GETFD) >= 0, "the program's file was closed");
  }

 private:
  std::string path_;
};

template <class Communicator>
void exchange(Communicator world, mpx::rank_t with, std::size_t bytes) {
  std::vector<std::byte> in(bytes), out(bytes);
  harness::fill(out, static_cast<std::uint64_t>(world.rank()));
  world.sendrecv(out, with, 1, in, with, 1);
  harness::check(harness::holds(in, static_cast<std::uint64_t>(with)), "damaged");
}

void everything_works(const std::string& path) {
  mpx::environment<whole> env;
  auto world = env.world();
  const own_file file(path);
  for (const std::size_t bytes : {8u, 5000u, 300'000u})
    for (mpx::rank_t r = 0; r < world.size(); ++r) exchange(world, r, bytes);
  std::vector<int, mpx::allocator<int>> shared(100'000, world.rank(), env.allocator<int>());
  world.bcast(shared, 1);
  harness::check(shared[99'999] == 1, "bcast");
  world.barrier();
  file.check();
}

void what_cannot_work_says_so(const std::string& path) {
  mpx::environment<pieces> env;
  auto world = env.world();
  exchange(world, world.rank() ^ 1, 5000);
  const own_file file(path);
  exchange(world, world.rank() ^ 1, 300'000);
  for (mpx::rank_t r = 0; r < world.size(); ++r) {
    if (r / 2 == world.rank() / 2) continue;
    std::error_code why;
    world.send(std::vector<std::byte>(8), r, 2, why);
    world.send(std::vector<std::byte>(8), r, 2, why);
    // Its own lack, or the other's, which has given this rank up for it.
    harness::check(why == mpx::errc::no_resources || why == mpx::errc::peer_lost,
                   "to a new peer: " + why.message());
  }
  try {
    static_cast<void>(env.allocator<int>().allocate(1000));
    harness::fail("memory from a file that is not there");
  } catch (const mpx::error& e) {
    harness::check(e.code() == mpx::errc::no_resources &&
                       std::string(e.what()).find("closed a descriptor") != std::string::npos,
                   std::string("allocate: ") + e.what());
  }
  exchange(world, world.rank() ^ 1, 300'000);
  file.check();
}

}  // namespace

int main(int argc, char** argv) {
  const harness::watchdog guard("closed", 60s);
  harness::check(argc == 3, "closed MODE FOLDER");
  const std::string path = std::string(argv[2]) + "/own." + std::getenv("MPX_RANK");
  if (std::string(argv[1]) == "whole") {
    everything_works(path);
  } else {
    what_cannot_work_says_so(path);
  }
  try {
    const mpx::environment<> another;
    harness::fail("joined by a file that is not the job's");
  } catch (const mpx::error& e) {
    harness::check(e.code() == mpx::errc::bootstrap, e.what());
  }
  std::puts("untouched");
}
