// SPDX-License-Identifier: BSL-1.0
// sanitizers: none
// For forked.test.py: each rank forks a child that ends as the argument says, and then does its
// work.
//   forked return|exit|_exit|exec|throw|static|takes|collective

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>
#include <stdexcept>

#include "instances/job.hpp"
#include "mp/harness.hpp"

namespace {

using namespace std::chrono_literals;

std::unique_ptr<mpx::environment<>> kept;  // Is destroyed by exit().

/// The parent sees its child end, and the others' messages as ever.
int go_on(mpx::environment<>& env, pid_t child, int pending_tag) {
  auto world = env.world();
  int status = 0;
  harness::check(::waitpid(child, &status, 0) == child, "waitpid");
  harness::check(WIFEXITED(status) && WEXITSTATUS(status) == 7, "the child's end");
  const mpx::rank_t next = (world.rank() + 1) % world.size();
  const mpx::rank_t last = (world.rank() + world.size() - 1) % world.size();
  int got = 0;
  auto receiving = world.irecv(got, last, pending_tag);
  world.send(world.rank() + 100, next, pending_tag);
  receiving.wait();
  harness::check(got == last + 100, "a wrong message");
  harness::check(world.allreduce(1, std::plus<>{}) == world.size(), "a wrong sum");
  std::printf("rank %d is well\n", world.rank());
  return 0;
}

/// The child receives data meant for its parent, without result, and drops its requests; the parent
/// then gets all of it, and each sender learns of its receiver alone.
int take(mpx::environment<>& env) {
  auto world = env.world();
  const mpx::rank_t next = (world.rank() + 1) % world.size();
  const mpx::rank_t last = (world.rank() + world.size() - 1) % world.size();
  std::vector<std::byte> out(200'000, std::byte{7}), in(200'000);
  const int own = world.rank();
  auto told = world.issend(own, next, 1);
  auto held = world.issend(own, next, 2);
  auto announced = world.isend(out, next, 3);
  for (int i = 0; i < 3000; ++i) world.send(i, next, 4);
  world.send(0, next, 5);
  for (const int tag : {1, 3, 5}) world.probe(last, tag);
  auto message = world.mprobe(last, 2);
  const pid_t child = ::fork();
  if (child == 0) {
    int x = 0;
    std::error_code ec;
    const auto refused = [&](auto call) {
      call();
      if (ec != mpx::errc::not_a_rank) ::_exit(1);
    };
    refused([&] { (void)world.iprobe(last, 1, ec); });
    refused([&] { (void)world.improbe(last, 1, ec); });
    refused([&] { world.recv(x, last, 1, ec); });
    refused([&] { world.irecv(x, last, 1).wait(ec); });
    refused([&] { world.irecv(in, last, 3).wait(ec); });
    for (int i = 0; i < 3000; ++i) refused([&] { world.irecv(x, mpx::any_source, 4).wait(ec); });
    refused([&] { message.recv(x, ec); });
    return 7;  // And drops the message.
  }
  const int code = go_on(env, child, 9);
  int got = 0;
  harness::check(!told.done() && !held.done(), "a receiver that was none");
  world.barrier();
  world.recv(got, last, 1);
  harness::check(got == last, "data that the child tried to receive");
  message.recv(got);
  harness::check(got == last, "data of requests that the child dropped");
  world.recv(in, last, 3);
  harness::check(in == out, "announced data");
  for (int i = 0; i < 3000; ++i) {
    world.recv(got, last, 4);
    harness::check(got == i, "stored data");
  }
  world.recv(got, last, 5);
  told.wait();
  held.wait();
  announced.wait();
  return code;
}

/// The child can connect to no rank, and access no memory: not even where a store would do.
int meet(mpx::environment<>& env) {
  auto world = env.world();
  const mpx::rank_t next = (world.rank() + 1) % world.size();
  auto win = mpx::allocate_window<int>(world, 4);
  world.barrier();  // In memory, where its ranks share a node.
  win.fence();
  win.put(world.rank() + 10, next, 0);
  const pid_t child = ::fork();
  if (child == 0) {
    std::error_code ec;
    std::vector<int> all(static_cast<std::size_t>(world.size()));
    int x = 1;
    const auto refused = [&](auto call) {
      call();
      if (ec != mpx::errc::not_a_rank) ::_exit(1);
    };
    if (world.size() > 1) {  // A rank alone has no peer.
      refused([&] { world.barrier(ec); });
      refused([&] { x = world.allreduce(x, std::plus<>{}, ec); });
      refused([&] { world.bcast(x, 0, ec); });
      refused([&] { world.gather(x, all, 0, ec); });
      refused([&] { (void)world.dup(ec); });
    }
    refused([&] { win.put(77, next, 1, ec); });
    refused([&] { win.put(all, next, 1, ec); });
    refused([&] { win.get(x, next, 0, ec); });
    refused([&] { win.fence(ec); });
    refused([&] { static_cast<void>(win.lock(next, {}, ec)); });
    refused([&] { win.post(world.group(), {}, ec); });
    return 7;  // And drops the window.
  }
  const int code = go_on(env, child, 9);
  win.fence();
  const mpx::rank_t last = (world.rank() + world.size() - 1) % world.size();
  harness::check(win.local()[0] == last + 10 && win.local()[1] == 0, "data that was put");
  world.barrier();
  return code;
}

int main_of(const std::string& way, char** argv) {
  const bool is_static = way == "static";
  std::unique_ptr<mpx::environment<>> own;
  (is_static ? kept : own) = std::make_unique<mpx::environment<>>();
  mpx::environment<>& env = is_static ? *kept : *own;
  if (way == "takes") return take(env);
  if (way == "collective") return meet(env);
  auto world = env.world();
  std::vector<std::byte> long_one(200'000);
  auto sending = world.isend(long_one, (world.rank() + 1) % world.size(), 5);  // Under way.
  auto receiving = world.irecv(long_one, mpx::any_source, 6);
  const pid_t child = ::fork();
  if (child == 0) {
    if (way == "exit" || is_static) std::exit(7);
    if (way == "_exit") ::_exit(7);
    if (way == "throw") throw std::runtime_error("the child's own");
    if (way == "exec") ::execl("/bin/sh", "sh", "-c", "exit 7", nullptr);
    return 7;  // From main: everything above is destroyed.
  }
  const int code = go_on(env, child, 9);
  std::vector<std::byte> in(200'000);
  world.recv(in, (world.rank() + world.size() - 1) % world.size(), 5);
  sending.wait();
  receiving.cancel();
  receiving.wait();
  if (is_static) {
    world.barrier();
    kept.reset();
  }
  (void)argv;
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  harness::check(argc == 2, "a way to end");
  const std::string way = argv[1];
  try {
    return main_of(way, argv);
  } catch (const std::runtime_error& e) {
    if (std::strcmp(e.what(), "the child's own") != 0) throw;
    return 7;
  }
}
