// SPDX-License-Identifier: BSL-1.0
#pragma once
// A rank that makes one call over and over, which loads and stores by itself or finds nothing to
// wait for: what other ranks ask of it is done meanwhile, and what it has started leaves.

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mpx/datatype.hpp>
#include <mpx/partitioned.hpp>
#include <mpx/rma.hpp>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "comm/ranks.hpp"

namespace polls_itself {

using word = std::uint64_t;

/// The calls of one rank, by name.
template <class Stack>
struct call {
  std::string name;
  std::function<void()> make;
};

/// All that the calls need: windows of several kinds, a communicator of this rank alone, requests
/// that are over, or have never been started.
template <class Stack>
struct belongings {
  mpx::communicator<Stack> world;
  mpx::communicator<Stack> self;
  std::vector<word> own = std::vector<word>(64);
  std::vector<word> attached = std::vector<word>(64);
  mpx::window<word, Stack> direct;
  mpx::window<word, Stack> over;
  mpx::window<word, Stack> dynamic;
  mpx::window<word, Stack> packets;
  mpx::window<word, Stack> alone;
  std::uint64_t at = 0;  // Of `attached`.
  word value = 0;
  std::vector<word> run = std::vector<word>(2);
  std::vector<std::byte> out = std::vector<std::byte>(8);
  std::vector<std::byte> in = std::vector<std::byte>(8);
  mpx::request<Stack> complete;
  mpx::request<Stack> arrived;
  std::array<mpx::request<Stack>, 2> inactive;
  mpx::request<Stack> to_nobody;
  mpx::request<Stack> barrier;
  mpx::request<Stack> parts_out;
  mpx::request<Stack> parts_in;

  explicit belongings(mpx::communicator<Stack> all) : world(all), self(all.split(all.rank(), 0)) {
    direct = mpx::allocate_window<word>(world, 64);
    over = mpx::window_over(world, std::span(own));
    dynamic = mpx::dynamic_window<word>(world);
    packets = mpx::allocate_window<word>(world, 64, mpx::rma::protocol::buffered);
    alone = mpx::allocate_window<word>(self, 64);
    at = dynamic.attach(attached);
    // Both are over, and their statuses have not been taken.
    complete = self.isend(value, 0, 1);
    arrived = self.irecv(value, 0, 1);
    while (!arrived.done() || !complete.done()) {
    }
    for (auto& r : inactive) r = self.send(out, 0, 2, mpx::prepare);
    to_nobody = self.send(out, mpx::proc_null, 2, mpx::prepare);
    barrier = self.barrier(mpx::prepare);
    parts_out = mpx::psend_init(self, out, 1, 0, 3);
    parts_in = mpx::precv_init(self, in, 1, 0, 3);
    parts_out.start();
    parts_in.start();
    mpx::pready(parts_out, 0);
    while (!mpx::parrived(parts_in, 0)) {
    }
    parts_out.wait();
  }
};

/// Access of the owner to each window.
template <class Stack>
void add_accesses(std::vector<call<Stack>>& all, const std::string& of, mpx::window<word, Stack>& w,
                  std::uint64_t at, word& value) {
  const mpx::rank_t me = w.rank();
  const auto add = [&](const char* name, std::function<void()> f) {
    all.push_back({of + ": " + name, std::move(f)});
  };
  add("put", [&w, me, at] { w.put(1, me, at); });
  add("put, flush", [&w, me, at] { w.put(1, me, at), w.flush(me); });
  add("get, flush", [&w, me, at, &value] { w.get(value, me, at), w.flush(me); });
  add("get, flush_local", [&w, me, at, &value] { w.get(value, me, at), w.flush_local(me); });
  add("get, flush_all", [&w, me, at, &value] { w.get(value, me, at), w.flush_all(); });
  add("fetch_and_op, flush", [&w, me, at, &value] {
    w.fetch_and_op(1, value, me, at, mpx::sum);
    w.flush(me);
  });
  add("compare_and_swap, flush", [&w, me, at, &value] {
    w.compare_and_swap(1, 2, value, me, at);
    w.flush(me);
  });
  add("accumulate, flush", [&w, me, at] { w.accumulate(word{1}, me, at, mpx::sum), w.flush(me); });
  add("get with mpx::start, wait",
      [&w, me, at, &value] { w.get(value, me, at, mpx::start).wait(); });
  add("get with mpx::start, test", [&w, me, at, &value] {
    auto r = w.get(value, me, at, mpx::start);
    while (!r.test()) {
    }
  });
  add("at().load()", [&w, me, at, &value] { value = w.at(me, at).load(); });
  add("at().fetch()", [&w, me, at, &value] { value = w.at(me, at).fetch(); });
}

template <class Stack>
std::vector<call<Stack>> all_calls(belongings<Stack>& b) {
  std::vector<call<Stack>> all;
  const auto add = [&](const char* name, std::function<void()> f) {
    all.push_back({name, std::move(f)});
  };
  add_accesses(all, "its own part", b.direct, 0, b.value);
  add_accesses(all, "its own memory", b.over, 0, b.value);
  add_accesses(all, "its attached memory", b.dynamic, b.at, b.value);
  const mpx::rank_t me = b.world.rank();
  add("flush of a window that is not used", [&b, me] { b.packets.flush(me); });
  add("flush_local_all", [&b] { b.packets.flush_local_all(); });
  add("put of a run",
      [&b, me] { b.direct.put(std::span(b.run), me, mpx::rma::strided{0, 2, 1, 4}); });
  add("put to proc_null", [&b] { b.direct.put(1, mpx::proc_null, 0); });
  add("sync", [&b] { b.direct.sync(); });
  add("fence alone", [&b] { b.alone.fence(); });
  add("post, start, complete, wait, of an empty group",
      [&b] { b.alone.post({}), b.alone.start({}), b.alone.complete(), b.alone.wait(); });
  add("lock of itself", [&b] { b.alone.lock(0).unlock(); });
  add("lock_all of itself", [&b] { b.alone.lock_all().unlock(); });

  add("barrier alone", [&b] { b.self.barrier(); });
  add("bcast alone", [&b] { b.self.bcast(b.value, 0); });
  add("allreduce alone", [&b] { b.value = b.self.allreduce(b.value, mpx::sum); });
  add("ibarrier alone", [&b] { b.self.ibarrier().wait(); });
  add("a persistent barrier alone", [&b] { b.barrier.start(), b.barrier.wait(); });
  add("dup alone", [&b] { b.self.dup().free(); });
  add("agree alone", [&b] { b.self.agree(1); });

  add("send to itself", [&b] { b.self.send(b.value, 0), b.self.recv(b.value, 0); });
  add("send to proc_null", [&b] { b.world.send(b.value, mpx::proc_null); });
  add("isend to proc_null", [&b] { b.world.isend(b.value, mpx::proc_null).wait(); });
  add("recv from proc_null", [&b] { b.world.recv(b.value, mpx::proc_null); });
  add("irecv from proc_null", [&b] { b.world.irecv(b.value, mpx::proc_null).wait(); });
  add("sendrecv with proc_null",
      [&b] { b.world.sendrecv(b.value, mpx::proc_null, 0, b.value, mpx::proc_null); });
  add("send of a layout to proc_null",
      [&b] { b.world.send(mpx::strided(b.own.data(), 2, 4), mpx::proc_null); });
  add("recv of a layout from proc_null",
      [&b] { b.world.recv(mpx::strided(b.own.data(), 2, 4), mpx::proc_null); });
  add("probe of proc_null", [&b] { b.world.probe(mpx::proc_null); });
  add("iprobe of proc_null", [&b] { b.world.iprobe(mpx::proc_null); });
  add("mprobe of proc_null", [&b] { b.world.mprobe(mpx::proc_null).recv(b.value); });
  add("a persistent send to proc_null", [&b] { b.to_nobody.start(), b.to_nobody.wait(); });

  add("done() of a complete request", [&b] { static_cast<void>(b.complete.done()); });
  add("peek() of a complete request", [&b] { b.arrived.peek(); });
  add("wait of an inactive request", [&b] { b.inactive[0].wait(); });
  add("test of an inactive request", [&b] { b.inactive[0].test(); });
  add("wait_all of inactive requests", [&b] { mpx::wait_all(b.inactive); });
  add("test_all of inactive requests", [&b] { mpx::test_all(b.inactive); });
  add("wait_any of inactive requests", [&b] { mpx::wait_any(b.inactive); });
  add("test_any of inactive requests", [&b] { mpx::test_any(b.inactive); });
  add("wait_some of inactive requests", [&b] { mpx::wait_some(b.inactive); });
  add("test_some of inactive requests", [&b] { mpx::test_some(b.inactive); });
  add("test_some with room for none",
      [&b] { mpx::test_some(std::span(&b.arrived, 1), std::span<mpx::completion>()); });
  add("parrived of an arrived partition", [&b] { mpx::parrived(b.parts_in, 0); });
  return all;
}

/// Rank 0 makes each of the calls until `come`, which rank 1 sees to, once rank 0 is at it.
template <class Stack>
class loops {
 public:
  explicit loops(std::string what) : what_(std::move(what)) {}

  /// At rank 0.
  template <class Come>
  void until(const call<Stack>& c, int row, Come&& come) {
    using clock = std::chrono::steady_clock;
    const auto limit = clock::now() + std::chrono::seconds(50);
    c.make();
    at_.store(row);
    bool came = come();
    for (unsigned n = 0; !came && (n % 64 != 0 || clock::now() < limit); ++n) {
      c.make();
      if (n % 64 == 0) std::this_thread::yield();
      came = come();
    }
    CHECK_MESSAGE(came, what_, " did not come while rank 0 was in a loop of: ", c.name);
    failures_ += came ? 0 : 1;
  }
  /// At the other: rank 0 is at that row.
  void wait_for(int row) const {
    while (at_.load() < row) std::this_thread::yield();
  }
  bool go_on() const { return failures_ < failures_max; }

 private:
  static constexpr int failures_max = 2;  // Each takes long.
  std::string what_;
  std::atomic<int> at_{-1};
  std::atomic<int> failures_{0};
};

/// Another rank's accumulate, which this rank has to carry out.
template <class Stack, class Run>
void check_help(Run&& run) {
  loops<Stack> loop("rank 1's accumulate");
  run([&](mpx::communicator<Stack> world) {
    auto helped = mpx::allocate_window<word>(world, 1, mpx::rma::protocol::buffered);
    belongings<Stack> b(world);
    const auto calls = all_calls(b);
    auto e = helped.lock_all();
    auto f = b.direct.lock_all();
    auto g = b.over.lock_all();
    auto h = b.dynamic.lock_all();
    auto i = b.packets.lock_all();
    for (int row = 0; row < static_cast<int>(calls.size()); ++row) {
      world.barrier();
      if (!loop.go_on()) break;
      if (world.rank() == 0) {
        const auto done = [&] { return helped.local()[0] == static_cast<word>(row) + 1; };
        loop.until(calls[static_cast<std::size_t>(row)], row, done);
      } else if (world.rank() == 1) {
        loop.wait_for(row);
        helped.accumulate(word{1}, 0, 0, mpx::sum);
        helped.flush(0);
      }
    }
    world.barrier();
  });
}

/// Messages that this rank has started, more than leave at once.
template <class Stack, class Run>
void check_sends(Run&& run) {
  loops<Stack> loop("sent data");
  std::atomic<int> received{-1};
  run([&](mpx::communicator<Stack> world) {
    constexpr int messages = 50;  // A dozen fill the smallest ring.
    belongings<Stack> b(world);
    const auto calls = all_calls(b);
    auto f = b.direct.lock_all();
    auto g = b.over.lock_all();
    auto h = b.dynamic.lock_all();
    auto i = b.packets.lock_all();
    for (int row = 0; row < static_cast<int>(calls.size()); ++row) {
      world.barrier();
      if (!loop.go_on()) break;
      std::vector<std::byte> data(400);
      if (world.rank() == 0) {
        std::vector<mpx::request<Stack>> sends;
        for (int k = 0; k < messages; ++k) sends.push_back(world.isend(data, 1, 7));
        loop.until(calls[static_cast<std::size_t>(row)], row, [&] { return received == row; });
        mpx::wait_all(sends);
      } else if (world.rank() == 1) {
        loop.wait_for(row);
        for (int k = 0; k < messages; ++k) world.recv(data, 0, 7);
        received = row;
      }
    }
    world.barrier();
  });
}

}  // namespace polls_itself
