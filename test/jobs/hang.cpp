// SPDX-License-Identifier: BSL-1.0
// compilers: both
// For hang_report.test.py: programs that hang, each in its own way: hang WHAT
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>
#include <string>
#include <thread>
#include <vector>

#include "instances/job.hpp"
#include "mp/harness.hpp"

namespace {

using namespace std::chrono_literals;
using world_type = mpx::communicator<mpx::stack<>>;

constexpr std::size_t long_bytes = 1 << 20;

/// Both want a message before they send one.
void receive_first(world_type& world) {
  const mpx::rank_t other = 1 - world.rank();
  double x = 0;
  world.recv(x, other, 7);  // line: receive_first
  world.send(x, other, 7);
}

/// A message is sent with one tag and received with another.
void wrong_tag(world_type& world) {
  double x = 0;
  if (world.rank() == 0) {
    world.recv(x, 1, 7);  // line: wrong_tag
  } else {
    world.send(x, 0, 8);
  }
}

/// Rank 1 forgets the second barrier.
void skipped(world_type& world) {
  world.barrier();
  if (world.rank() != 1) world.barrier();  // line: skipped
}

/// Not the same collective on all ranks.
void mixed_up(world_type& world) {
  double x = world.rank();
  if (world.rank() == 0) x = world.reduce(x, std::plus<>{}, 0);  // line: mixed_up_reduce
  if (world.rank() == 1) world.bcast(x, 0);                      // line: mixed_up_bcast
}

/// The last rank computes for a while; the others wait for it.
void computes(world_type& world) {
  world.barrier();
  if (world.rank() == world.size() - 1) std::this_thread::sleep_for(30s);
  world.barrier();  // line: computes
}

/// Long sends return when they have been received: both send first.
void long_sends(world_type& world) {
  const mpx::rank_t other = 1 - world.rank();
  std::vector<std::byte> out(long_bytes), in(long_bytes);
  world.send(out, other, 3);  // line: long_sends
  world.recv(in, other, 3);
}

/// One rank leaves, the other waits for a message from it.
void leaves(world_type& world) {
  if (world.rank() == 0) world.recv<int>(1, 4);  // line: leaves
}

/// The last rank is killed; the others wait for each other.
void bereft(world_type& world) {
  world.barrier();
  if (world.rank() == 2) ::raise(SIGKILL);
  world.recv<int>(1 - world.rank(), 4);  // line: bereft
}

/// One of several receives from any source; no rank sends.
void any_of(world_type& world) {
  int x = 0, y = 0;
  mpx::request<mpx::stack<>> all[2] = {world.irecv(x, mpx::any_source, 5),
                                       world.irecv(y, 0, mpx::any_tag)};
  mpx::wait_any(all);  // line: any_of
}

/// No rank blocks, and no message arrives.
void tests(world_type& world) {
  int x = 0;
  auto r = world.irecv(x, (world.rank() + 1) % world.size(), 6);
  while (!r.test()) std::this_thread::yield();
}

/// Three ranks in a circle, by three calls.
void circle(world_type& world) {
  const mpx::rank_t next = (world.rank() + 1) % 3;
  int x = 0;
  if (world.rank() == 0) world.probe(next, 1);            // line: circle_probe
  if (world.rank() == 1) world.ssend(x, next, 2);         // line: circle_ssend
  if (world.rank() == 2) world.irecv(x, next, 3).wait();  // line: circle_wait
}

/// Two hangs in sequence: the first ends when rank 0 continues.
void twice(world_type& world) {
  for (int turn = 0; turn < 2; ++turn) {
    if (world.rank() == 0) std::this_thread::sleep_for(2s);
    world.barrier();  // line: twice
  }
  std::puts("done");
}

/// A job of one rank that waits for itself.
void alone(world_type& world) {
  auto m = world.mprobe(0, 1);  // line: alone
}

/// All ranks exchange messages; nothing hangs.
void works(world_type& world) {
  for (int i = 0; i < 1000; ++i) static_cast<void>(world.allreduce(i, std::plus<>{}));
}

/// Rank 0 dies while the others wait for it.
void dies(world_type& world) {
  if (world.rank() == 0) {
    std::this_thread::sleep_for(1s);
    ::raise(SIGKILL);
  }
  world.recv<int>(0, 1);
}

/// Everybody waits for the next one.
void circle_of_all(world_type& world) { world.recv<int>((world.rank() + 1) % world.size(), 1); }

/// A rank whose standard error leads nowhere, or has been closed.
void unheard(world_type& world) {
  if (world.rank() == 0) {
    ::close(STDERR_FILENO);
  } else if (const int fd = ::open("/dev/null", O_WRONLY | O_CLOEXEC); fd >= 0) {
    ::dup2(fd, STDERR_FILENO);
  }
  receive_first(world);
}

/// The last rank writes what makes no sense, into what it says of itself and wherever else a hang
/// report reads, for a while; then it waits for ever. The others wait for it.
void nonsense(world_type& world) {
  if (world.rank() != world.size() - 1) {
    world.recv<int>(world.size() - 1, 1);
    return;
  }
  using mpx::bootstrap::detail::hang_words;
  const mpx::mapping map =
      mpx::bootstrap::job_segment::open(std::atoi(std::getenv("MPX_JOB_FD")), world.size());
  const mpx::bootstrap::job_segment segment(map);
  auto& words = segment.hang(world.rank());
  std::uint64_t random = 1;
  const auto next = [&random] {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return random >> 24;
  };
  const auto end = std::chrono::steady_clock::now() + 3s;
  for (std::uint32_t turn = 1; std::chrono::steady_clock::now() < end; ++turn) {
    mpx::detail::hang_info info{};
    if (turn % 2 == 0 && !segment.get_hang(0, std::as_writable_bytes(std::span(&info, 1))))
      info = {};
    auto* bytes = reinterpret_cast<unsigned char*>(&info);
    const std::size_t wrong = turn % 2 == 0 ? 1 + turn % 8 : sizeof info;
    for (std::size_t i = 0; i < wrong; ++i)
      bytes[turn % 3 == 0 ? next() % 160 : next() % sizeof info] =
          static_cast<unsigned char>(next());
    segment.put_hang(world.rank(), std::as_bytes(std::span(&info, turn % 7 == 0 ? 0 : 1)));
    words.seen_ns.store(static_cast<std::int64_t>(turn % 4 == 0 ? next() << 24 : 0));
    segment.hang_head().limit_ns.store(turn % 5 == 0 ? static_cast<std::int64_t>(next())
                                                     : 300'000'000);
    if (turn % 16 == 0) segment.hang_head().asked.store(static_cast<std::uint32_t>(next()));
    words.mark.store((turn * hang_words::next) | hang_words::stuck);
    std::this_thread::sleep_for(450ms);  // Long enough to be seen twice.
  }
  world.recv<int>(0, 2);
}

/// Rank 1 wants a message before it comes to the fence.
void fence(world_type& world) {
  auto w = mpx::allocate_window<int>(world, 4);  // line: fence_window
  w.fence();
  if (world.rank() == 1) world.recv<int>(0, 4);  // line: fence_recv
  w.fence();                                     // line: fence
}

/// Rank 2 forgets to post.
void groups(world_type& world) {
  auto w = mpx::allocate_window<int>(world, 4);
  const mpx::rank_t first[] = {0}, others[] = {1, 2};
  if (world.rank() == 0) {
    w.start(mpx::include(world.group(), others));
    w.put(1, 2, 0);  // line: groups_put
    w.complete();
  } else if (world.rank() == 1) {
    w.post(mpx::include(world.group(), first));
    w.wait();  // line: groups_wait
  }
  w.free();  // line: groups_free
}

/// Rank 1 wants a message of rank 0 while it has the lock that rank 0 waits for.
void lock(world_type& world) {
  auto w = mpx::allocate_window<int>(world, 4);  // line: lock_window
  if (world.rank() == 1) {
    auto held = w.lock(2);
    w.put(1, 2, 0);
    world.barrier();
    world.recv<int>(0, 4);  // line: lock_recv
  } else {
    world.barrier();
  }
  if (world.rank() == 0) {
    auto wanted = w.lock(2);
    w.put(1, 2, 0);  // line: lock_put
  }
  w.free();  // line: lock_free
}

/// A fence here, a barrier of another communicator there.
void apart(world_type& world) {
  auto other = world.dup();
  other.set_name("halo");
  auto w = mpx::allocate_window<int>(world, 4);
  if (world.rank() == 0) w.fence();        // line: apart_fence
  if (world.rank() == 1) other.barrier();  // line: apart_barrier
  w.free();
}

/// Never joins; the others wait for it.
void stays_out() { std::this_thread::sleep_for(30s); }

}  // namespace

int main(int, char** argv) try {
  const harness::watchdog guard("hang", 120s);
  const std::string what = argv[1];
  const char* rank = std::getenv("MPX_RANK");
  if (what == "stays_out" && rank != nullptr && *rank == '1') stays_out();
  mpx::environment<> env;  // line: joins
  auto world = env.world();
  if (what == "receive_first") receive_first(world);
  if (what == "wrong_tag") wrong_tag(world);
  if (what == "skipped") skipped(world);
  if (what == "mixed_up") mixed_up(world);
  if (what == "computes") computes(world);
  if (what == "long_sends") long_sends(world);
  if (what == "leaves") leaves(world);
  if (what == "bereft") bereft(world);
  if (what == "any_of") any_of(world);
  if (what == "tests") tests(world);
  if (what == "circle") circle(world);
  if (what == "twice") twice(world);
  if (what == "alone") alone(world);
  if (what == "works") works(world);
  if (what == "circle_of_all") circle_of_all(world);
  if (what == "unheard") unheard(world);
  if (what == "nonsense") nonsense(world);
  if (what == "dies") dies(world);
  if (what == "fence") fence(world);
  if (what == "groups") groups(world);
  if (what == "lock") lock(world);
  if (what == "apart") apart(world);
  return 0;
} catch (const mpx::error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 3;
}
