// SPDX-License-Identifier: BSL-1.0
// Which way long messages go, by the counts of the trace; and that another way is found where the
// kernel refuses to copy between processes.

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>

#include "comm/ranks.hpp"

namespace {

using mpx::event;
using mpx::long_path;
using mpx::transport::copy_path;

template <class... Ps>
using counted = mpx::stack<mpx::trace::counters, Ps...>;
template <copy_path Path>
using shm_by = mpx::transport::basic_shm<1024, 256 * 1024, std::uint64_t{1} << 30, Path>;

using inproc = counted<mpx::transport::inproc>;
using inproc_put = counted<mpx::transport::inproc, ranks::long_by<long_path::put>>;
using inproc_packets = counted<mpx::transport::inproc, ranks::long_by<long_path::packets>>;
using shm = counted<>;
using shm_get = counted<ranks::long_by<long_path::get>>;
using shm_put = counted<ranks::long_by<long_path::put>>;
using shm_packets = counted<ranks::long_by<long_path::packets>>;
using shm_single = counted<shm_by<copy_path::single>>;
using shm_pipelined = counted<shm_by<copy_path::pipelined>>;

struct moved {
  std::uint64_t got, put, streamed;
  std::uint64_t all() const { return got + put + streamed; }
};

constexpr std::size_t bytes = 300'000;
constexpr std::uint64_t rounds = 30;
constexpr std::uint64_t total = bytes * rounds;

/// Rank 0 receives `rounds` long messages from rank 1, in memory from `make(env)`. Returns at rank
/// 0 what both ranks together counted.
template <class Stack, class Make>
moved transfer(mpx::environment<Stack>& env, Make make) {
  auto world = env.world();
  auto data = make(env, bytes);
  bool right = true;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    if (env.rank() == 1) {
      ranks::fill(data, i);
      world.send(data, 0, 1);
    } else {
      right = right && world.recv(data, 1, 1).bytes() == bytes && ranks::holds(data, i);
    }
  }
  CHECK(right);
  world.barrier();
  std::array<std::uint64_t, 3> counts{env.trace()[event::bytes_got], env.trace()[event::bytes_put],
                                      env.trace()[event::bytes_streamed]};
  world.allreduce(std::span<std::uint64_t>(counts), std::plus<>{});
  return {counts[0], counts[1], counts[2]};
}

const auto private_memory = [](auto&, std::size_t n) { return std::vector<std::byte>(n); };
const auto shared_memory = [](auto& env, std::size_t n) {
  return std::vector<std::byte, mpx::allocator<std::byte>>(n, env.template allocator<std::byte>());
};

template <class Stack, class Make, class Check>
void expect(Make make, Check check) {
  ranks::run<Stack>(2, [&](mpx::environment<Stack>& env) {
    const moved m = transfer(env, make);
    CAPTURE(m.got);
    CAPTURE(m.put);
    CAPTURE(m.streamed);
    CHECK(m.all() == total);
    check(env, m);
  });
}

const auto all_got = [](auto&, const moved& m) { CHECK(m.got == total); };
const auto all_put = [](auto&, const moved& m) { CHECK(m.put == total); };
const auto all_streamed = [](auto&, const moved& m) { CHECK(m.streamed == total); };
/// Got if the kernel copies here at all.
const auto got_by_kernel = [](auto& env, const moved& m) {
  if (env.transport().kernel_copies(static_cast<mpx::peer_id>(1 - env.rank())))
    CHECK(m.got == total);
  else
    CHECK(m.streamed == total);
};
const auto put_by_kernel = [](auto& env, const moved& m) {
  if (env.transport().kernel_copies(static_cast<mpx::peer_id>(1 - env.rank())))
    CHECK(m.put == total);
  else
    CHECK(m.streamed == total);
};

#ifndef MPX_TEST_EMULATED
/// From now on the kernel refuses `calls` to this thread. False where it cannot be asked to.
bool refuse(std::initializer_list<long> calls) {
  std::vector<sock_filter> program;
  program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  for (const long call : calls) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog all{static_cast<unsigned short>(program.size()), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) == 0;
}
#endif

}  // namespace

TEST_CASE("paths: between threads the receiver fetches, once") {
  expect<inproc>(private_memory, all_got);
  expect<inproc>(shared_memory, all_got);
}
TEST_CASE("paths: a protocol that insists is obeyed") {
  expect<inproc_put>(private_memory, all_put);
  expect<inproc_packets>(private_memory, all_streamed);
  expect<inproc_packets>(shared_memory, all_streamed);
  expect<shm_packets>(private_memory, all_streamed);
  expect<shm_get>(private_memory, got_by_kernel);
  expect<shm_put>(private_memory, put_by_kernel);
  expect<shm_single>(private_memory, got_by_kernel);
  expect<shm_pipelined>(private_memory, all_streamed);
}
TEST_CASE("paths: data in the arena is fetched without the kernel") {
  expect<shm>(shared_memory, all_got);
  expect<shm_get>(shared_memory, all_got);
  expect<shm_put>(shared_memory, all_put);
  expect<shm_single>(shared_memory, all_got);
  expect<shm_pipelined>(shared_memory, all_got);
}
TEST_CASE("paths: left to itself, shm tries them all") {
  expect<shm>(private_memory, [](auto& env, const moved& m) {
    auto& t = env.transport();
    if (!t.kernel_copies(static_cast<mpx::peer_id>(1 - env.rank()))) {
      CHECK(m.streamed == total);
    } else if (t.oversubscribed()) {
      CHECK(m.got == total);
    } else {
      CHECK(m.got > 0);
      CHECK(m.streamed > 0);
      CHECK(m.put > 0);
    }
  });
}
TEST_CASE("paths: eager messages take none of them") {
  ranks::run<shm>(2, [](mpx::environment<shm>& env) {
    auto world = env.world();
    const std::size_t most = shm::protocol_type::short_bytes_ceiling;
    std::vector<std::byte> in(most);
    for (int i = 0; i < 100; ++i) {
      if (env.rank() == 1) world.send(ranks::message(most, 1), 0, 1);
      if (env.rank() == 0) world.recv(in, 1, 1);
      world.barrier();  // A sender that ran a window ahead would rightly announce.
    }
    // Credit goes back with packets, and barriers have none: on a busy machine it may be late.
    const std::uint64_t announced = env.trace()[event::announced_for_flow];
    CHECK(env.trace()[event::bytes_got] + env.trace()[event::bytes_put] +
              env.trace()[event::bytes_streamed] <=
          world.allreduce(announced, std::plus<>{}) * most);
    CHECK(announced < 10);
    CHECK(env.trace()[event::announced] == announced);
    if (env.rank() == 1) CHECK(env.trace()[event::eager_sent] > 0);
    if (env.rank() == 1) CHECK(env.trace()[event::eager_bytes] > 90 * most);
  });
}
TEST_CASE("paths: the program sets the limit of eager messages at any time") {
  ranks::run<shm>(2, [](mpx::environment<shm>& env) {
    auto world = env.world();
    const std::size_t most = shm::protocol_type::short_bytes_ceiling;
    CHECK(env.eager_limit() == most);
    std::vector<std::byte> in(1000);
    const auto announced = [&](std::size_t limit) {
      env.limit_eager(limit);
      const std::uint64_t before = env.trace()[event::announced];
      if (env.rank() == 1) world.send(ranks::message(in.size(), 1), 0, 1);
      if (env.rank() == 0) world.recv(in, 1, 1);
      world.barrier();
      return env.trace()[event::announced] - before;
    };
    CHECK(announced(999) == (env.rank() == 1 ? 1 : 0));
    CHECK(env.eager_limit() == 999);
    CHECK(announced(1000) == 0);
    CHECK(announced(most + 1) == 0);
    CHECK(env.eager_limit() == most);
    env.limit_eager(0);
    CHECK(env.eager_limit() == shm::protocol_type::tiny_bytes_max);
  });
}

TEST_CASE_TEMPLATE("paths: a rank that waits for one eager message does not store the next", Stack,
                   inproc, shm) {
  std::atomic<bool> sent{false};
  ranks::run<Stack>(2, [&](mpx::environment<Stack>& env) {
    auto world = env.world();
    constexpr std::size_t most = Stack::protocol_type::short_bytes_ceiling;
    if (env.rank() == 1) {
      for (std::uint64_t i = 0; i < 3; ++i) world.send(ranks::message(most, i), 0, 1);
      sent.store(true);
      return;
    }
    const std::uint64_t before = env.trace()[event::unexpected_bytes];
    while (!sent.load()) std::this_thread::yield();
    std::vector<std::byte> in(most);
    for (std::uint64_t i = 0; i < 3; ++i) {
      world.recv(in, 1, 1);
      CHECK(ranks::holds(in, i));
    }
    CHECK(env.trace()[event::unexpected_bytes] == before);
  });
}

TEST_CASE("paths: one poll takes all arrived fragments of a long message") {
  std::atomic<int> turn{0};
  const auto await = [&](int t) {
    while (turn.load() != t) std::this_thread::yield();
  };
  ranks::run<inproc_packets>(2, [&](mpx::environment<inproc_packets>& env) {
    auto world = env.world();
    constexpr std::size_t most = 100'000;  // In pieces of 8 KiB.
    if (env.rank() == 1) {
      const auto out = ranks::message(most, 5);
      auto sent = world.isend(out, 0, 1);
      turn.store(1);
      await(2);
      sent.wait();
      turn.store(3);
    } else {
      std::vector<std::byte> in(most);
      auto received = world.irecv(in, 1, 1);
      await(1);
      CHECK(!received.test());  // It has been announced, and is asked for.
      turn.store(2);
      await(3);
      CHECK(received.test());
      CHECK(ranks::holds(in, 5));
    }
  });
}

#ifndef MPX_TEST_EMULATED  // QEMU takes no filter.

namespace {

/// Each rank refuses `calls` to itself: from the start, or after a first long message.
template <class Stack>
moved transfer_refused(mpx::environment<Stack>& env, std::initializer_list<long> calls, bool late) {
  if (late) {
    auto world = env.world();
    std::vector<std::byte> in(bytes);
    const auto out = ranks::message(bytes, 77);
    world.sendrecv(out, 1 - env.rank(), 9, in, 1 - env.rank(), 9);
    CHECK(ranks::holds(in, 77));
  }
  REQUIRE(refuse(calls));
  return transfer(env, private_memory);
}

constexpr std::uint64_t warm_up = 2 * bytes;

}  // namespace

TEST_CASE_TEMPLATE("paths: if the kernel refuses, data is sent as packets", Stack, shm, shm_get,
                   shm_put, shm_single) {
  ranks::run<Stack>(2, [](mpx::environment<Stack>& env) {
    const moved m = transfer_refused(env, {SYS_process_vm_readv, SYS_process_vm_writev}, false);
    CHECK(m.streamed == total);
    CHECK(m.all() == total);
  });
}
TEST_CASE_TEMPLATE("paths: where the kernel refuses only to write, too", Stack, shm, shm_put) {
  ranks::run<Stack>(2, [](mpx::environment<Stack>& env) {
    const moved m = transfer_refused(env, {SYS_process_vm_writev}, false);
    CHECK(m.put == 0);
    CHECK(m.all() == total);
  });
}
TEST_CASE_TEMPLATE("paths: where the kernel refuses only to read, too", Stack, shm, shm_get) {
  ranks::run<Stack>(2, [](mpx::environment<Stack>& env) {
    const moved m = transfer_refused(env, {SYS_process_vm_readv}, false);
    CHECK(m.got == 0);
    CHECK(m.all() == total);
  });
}
TEST_CASE_TEMPLATE("paths: where the kernel refuses later on, too", Stack, shm, shm_get, shm_put,
                   shm_single) {
  ranks::run<Stack>(2, [](mpx::environment<Stack>& env) {
    const moved m = transfer_refused(env, {SYS_process_vm_readv, SYS_process_vm_writev}, true);
    CHECK(m.streamed >= total);
    CHECK(m.all() == total + warm_up);
  });
}
TEST_CASE("paths: the arena needs no kernel") {
  ranks::run<shm>(2, [](mpx::environment<shm>& env) {
    REQUIRE(refuse({SYS_process_vm_readv, SYS_process_vm_writev}));
    const moved m = transfer(env, shared_memory);
    CHECK(m.got == total);
  });
}

#endif
