// SPDX-License-Identifier: BSL-1.0
// optimise: yes
// sanitizers: none
// For refused.test.py: long messages arrive intact where the kernel refuses to copy between
// processes, as in containers.
//   refused WHO WHAT     WHO: all, one rank, or none; WHAT: both, readv or writev is refused

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <mpx/mpx.hpp>
#include <vector>

#include "mp/harness.hpp"

namespace {

using namespace std::chrono_literals;

template <mpx::transport::copy_path Path>
using stack_of =
    mpx::stack<mpx::transport::basic_shm<1024, 256 * 1024, std::uint64_t{64} << 20, Path>>;
template <mpx::long_path By>
using by = mpx::stack<mpx::protocol::tiny_short_long<40, 4096, By>>;

/// From now on the kernel answers EPERM, as it does in containers.
void refuse(bool readv, bool writev) {
  const auto number = static_cast<std::uint32_t>(offsetof(seccomp_data, nr));
  const std::uint32_t deny = SECCOMP_RET_ERRNO | EPERM;
  const std::uint32_t allow = SECCOMP_RET_ALLOW;
  sock_filter code[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, number},
      {BPF_JMP | BPF_JEQ | BPF_K, 2, 0, SYS_process_vm_readv},
      {BPF_JMP | BPF_JEQ | BPF_K, 2, 0, SYS_process_vm_writev},
      {BPF_RET | BPF_K, 0, 0, allow},
      {BPF_RET | BPF_K, 0, 0, readv ? deny : allow},
      {BPF_RET | BPF_K, 0, 0, writev ? deny : allow},
  };
  const sock_fprog program{std::size(code), code};
  harness::check(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "PR_SET_NO_NEW_PRIVS");
  harness::check(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "PR_SET_SECCOMP");
}

/// True if the kernel copies within this very process: it always does if nothing is refused.
bool works(bool reading) {
  std::uint64_t from = 1;
  std::uint64_t to = 0;
  const iovec local{reading ? &to : &from, sizeof to};
  const iovec remote{reading ? &from : &to, sizeof to};
  return (reading ? ::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0)
                  : ::process_vm_writev(::getpid(), &local, 1, &remote, 1, 0)) == sizeof to;
}

/// Every rank exchanges with every other, several times, so that paths which learn try them all.
template <class Stack>
void exchange(bool in_arena) {
  mpx::environment<Stack> env;
  auto world = env.world();
  const auto heap = env.template allocator<std::byte>();
  std::uint64_t serial = 0;
  const int turns = world.size() > 2 ? 2 : 12;
  for (int turn = 0; turn < turns; ++turn) {
    for (const std::size_t bytes : {17'000u, 65'536u, 300'001u, 2'500'000u}) {
      for (mpx::rank_t step = 1; step < world.size(); ++step, ++serial) {
        const mpx::rank_t to = (world.rank() + step) % world.size();
        const mpx::rank_t from = (world.rank() + world.size() - step) % world.size();
        std::vector<std::byte> plain(in_arena ? 0 : bytes);
        std::vector<std::byte, mpx::allocator<std::byte>> shared(in_arena ? bytes : 0, heap);
        const std::span<std::byte> out = in_arena ? std::span(shared) : std::span(plain);
        std::vector<std::byte> in(bytes);
        harness::fill(out, serial * 64 + static_cast<std::uint64_t>(world.rank()));
        const mpx::status s = world.sendrecv(out, to, 2, in, from, 2);
        harness::check(s.bytes() == bytes &&
                           harness::holds(in, serial * 64 + static_cast<std::uint64_t>(from)),
                       [&] { return std::to_string(bytes) + " bytes are damaged"; });
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const harness::watchdog guard("refused", 100s);
  const std::string who = argc > 1 ? argv[1] : "all";
  const std::string what = argc > 2 ? argv[2] : "both";
  const bool mine = who == "all" || who == std::getenv("MPX_RANK");
  const bool readv = mine && (what == "both" || what == "readv");
  const bool writev = mine && (what == "both" || what == "writev");
  refuse(readv, writev);
  harness::check(works(true) != readv && works(false) != writev, "the filter does not filter");
  exchange<stack_of<mpx::transport::copy_path::automatic>>(false);
  exchange<stack_of<mpx::transport::copy_path::automatic>>(true);
  exchange<stack_of<mpx::transport::copy_path::single>>(false);
  exchange<by<mpx::long_path::get>>(false);
  exchange<by<mpx::long_path::put>>(false);
  std::puts("intact");
}
