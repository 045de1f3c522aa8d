// SPDX-License-Identifier: BSL-1.0
// References to elements of windows, and runs of them, by each protocol in epochs of each kind;
// what they refuse; what the memory model of a window says.
// timeout: 60

#include <atomic>
#include <mpx/core/platform.hpp>
#include <string>
#include <type_traits>

#include "comm/ranks.hpp"
#include "rma/programs.hpp"

namespace {

using programs::protocol;
using programs::word;

/// All ranks use elements of the next one, and of rank 0.
template <class Comm>
struct referrer {
  const Comm& world;
  protocol by;
  word n = static_cast<word>(world.size());
  word me = static_cast<word>(world.rank());
  mpx::rank_t next = (world.rank() + 1) % world.size();
  word before = (me + n - 1) % n;

  void active() {
    auto w = mpx::allocate_window<word>(world, 16, by);
    const std::span<word> mine = w.local();
    w.fence();
    w.at(next, 0) = me + 1;
    const auto run = w.span(next, 1, 3);
    for (word i = 0; i < run.size(); ++i) run[i] = 10 * me + i;
    auto sum = w.at(0, 5);
    sum += 3;
    const word was = sum.fetch_add(4);
    w.fence();
    CHECK(mine[0] == before + 1);
    CHECK(mine[1] == 10 * before);
    CHECK(mine[3] == 10 * before + 2);
    CHECK((me != 0 || mine[5] == 7 * n));
    CHECK(was <= 7 * n - 4);
    // A load is over when it returns, whatever the epoch.
    CHECK(w.at(next, 0).load() == me + 1);
    std::vector<word> got(3);
    run.load(got);
    CHECK(got == std::vector<word>{10 * me, 10 * me + 1, 10 * me + 2});
    w.fence(mpx::rma::assertion::no_succeed);

    w.post(world.group());
    w.start(world.group());
    CHECK(run.subspan(1, 2)[1].load() == 10 * me + 2);
    w.at(next, 8).store(70);
    w.at(next, 9) ^= 6;
    w.complete();
    w.wait();
    CHECK(mine[8] == 70);
    CHECK(mine[9] == 6);
    w.free();
  }

  void passive() {
    auto w = mpx::allocate_window<word>(world, 16, by);
    auto d = mpx::allocate_window<double>(world, 2, by);
    {
      auto e = w.lock_all();
      auto f = d.lock_all();
      auto counter = w.at(0, 2);
      for (int i = 0; i < 5; ++i) {
        word seen = counter.fetch();
        while (!counter.compare_exchange(seen, seen + 1)) continue;
      }
      auto mask = w.at(next, 3);
      mask |= 0xff;
      mask &= 0x3c;
      mask ^= 0x0c;
      mask -= 0x10;
      CHECK(mask.fetch() == 0x20);
      CHECK(mask.exchange(7) == 0x20);
      CHECK(mask.fetch_and_op(9, mpx::max) == 7);
      mask.accumulate(8, mpx::max);
      word got = 0;
      mask.get(got);
      w.flush_local(next);
      CHECK(got == 9);
      word expected = 4;
      CHECK(!mask.compare_exchange(expected, 5));
      CHECK(expected == 9);
      CHECK(mask.compare_exchange(expected, 5));
      d.at(next, 1) += 2.5;
      d.at(next, 1) -= 0.5;
      const std::vector<word> five{1, 2, 3, 4, 5};
      const auto run = w.span(next, 4, 5);
      run.store(five);
      w.flush(next);
      run.accumulate(five, mpx::sum);
      w.flush(next);
      std::vector<word> back(5);
      run.get(back, mpx::start).wait();
      CHECK(back == std::vector<word>{2, 4, 6, 8, 10});
      CHECK(w.at(mpx::proc_null, 0).load() == 0);
      CHECK(!w.at(mpx::proc_null, 0).compare_exchange(got, 1));
    }
    world.barrier();
    CHECK((me != 0 || w.local()[2] == 5 * n));
    CHECK(w.local()[3] == 5);
    CHECK(d.local()[1] == 2.0);
    w.free();
    d.free();
  }
};

/// The owner of memory looks for what is put there, as the model says. (To ThreadSanitizer that is
/// a race, for it sees bytes stored, and not that the owner may look at any time.)
template <class Comm, class Window>
void look(const Comm& world, Window& w) {
  const bool separate = w.memory_model() == mpx::rma::memory_model::separate;
  CHECK(world.allreduce(separate ? 1 : 0, mpx::sum) == (separate ? world.size() : 0));
  const mpx::rank_t last = world.size() - 1;
  if (world.rank() == last) {
    auto e = w.lock_shared(0);
    w.at(0, 1) = 99;
    w.flush(0);
    e.unlock();
  }
  if (world.rank() == 0) {
    const mpx::platform::atomic_ref<word> there(w.local()[1]);
    while (there.load(std::memory_order_acquire) != 99)
      if (separate) w.sync();
  }
  world.barrier();
}

/// `shares`: ranks of the stack reach each other's memory.
template <class Stack>
void refer(std::initializer_list<mpx::rank_t> sizes, bool shares) {
  for (const mpx::rank_t n : sizes)
    ranks::run<Stack>(n, [shares](auto world) {
      for (const protocol by : programs::all_protocols) {
        INFO("protocol ", static_cast<int>(by));
        referrer<decltype(world)> r{world, by};
        r.active();
        r.passive();
        auto w = mpx::allocate_window<word>(world, 4, by);
        const bool direct = by == protocol::automatic || by == protocol::direct;
        const bool reached = shares || world.size() == 1;
        CHECK((w.memory_model() == mpx::rma::memory_model::unified) == (direct && reached));
#ifndef MPX_TEST_REPEATED
        look(world, w);
#endif
        w.free();
      }
    });
}

}  // namespace

TEST_CASE("references: each protocol and epoch, inproc") {
  refer<ranks::inproc>({1, 2, 3, 4, 7, 8}, true);
}
TEST_CASE("references: each protocol and epoch, shm") { refer<ranks::shm>({3}, true); }
TEST_CASE("references: each protocol and epoch, over cards") { refer<ranks::rdma>({2}, false); }

TEST_CASE("references: errors name ranks, displacement and epoch, and where") {
  ranks::run<ranks::shm>(2, [](auto world) {
    auto w = mpx::allocate_window<double>(world, 4);
    const mpx::rank_t other = 1 - world.rank();
    const auto x = w.at(other, 3);
    const std::string me = std::to_string(world.rank());
    const std::string there = me + " to rank " + std::to_string(other) + " at displacement ";
    std::source_location at;
    try {
      x = 1.0;
      FAIL("there is no epoch");
    } catch (const mpx::error& e) {
      at = e.where();
    }
    CHECK(std::string_view(at.file_name()).ends_with("reference.test.cpp"));
    CHECK(ranks::contains(ranks::text_of([&] { x = 1.0; }), "put on rank " + there + "3"));
    CHECK(ranks::contains(ranks::text_of([&] { x += 1.0; }), "epoch none"));
    const std::string thence = me + " from rank " + std::to_string(other) + " at displacement ";
    CHECK(ranks::contains(ranks::text_of([&] { (void)x.load(); }), "get on rank " + thence + "3"));
    std::error_code ec;
    (void)x.fetch_add(1.0, ec);
    CHECK(ec == mpx::errc::rma_sync);
    w.fence();
    w.span(other, 2, 3)[2].store(1.0, ec);
    CHECK(ec == mpx::errc::rma_range);
    CHECK(ranks::contains(ranks::text_of([&] { (void)w.at(other, 4).fetch(); }), there + "4"));
    double expected = 3.0;
    CHECK(!w.at(2, 0).compare_exchange(expected, 1.0, ec));
    CHECK(ec == mpx::errc::rank);
    CHECK(expected == 3.0);
    std::vector<double> short_of(1);
    w.span(other, 0, 2).store(short_of, ec);
    CHECK(ec == mpx::errc::argument);
    w.span(other, 0, 2).load(short_of, ec);
    CHECK(ec == mpx::errc::argument);
    CHECK(
        ranks::contains(ranks::text_of([&] { w.span(other, 0, 2).get(short_of); }), "epoch fence"));
    x.store(2.0, ec);
    CHECK(!ec);
    w.fence(mpx::rma::assertion::no_succeed);
    CHECK(w.local()[3] == 2.0);
    w.free();

    // Displacements of a dynamic window are addresses.
    auto d = mpx::dynamic_window<double>(world);
    CHECK(d.memory_model() == mpx::rma::memory_model::separate);
    std::vector<double> mine(3, 1.0);
    const auto first = world.allgather(d.attach(std::span(mine)))[static_cast<std::size_t>(other)];
    {
      auto e = d.lock(other);
      d.span(other, first, 3).subspan(1, 2)[1] += 4.0;
      CHECK(d.span(other, first, 3)[2].fetch() == 5.0);
      const std::string said =
          ranks::text_of([&] { (void)d.at(other, first + 3 * sizeof(double)).load(); });
      CHECK(ranks::contains(said, "of an access to rank"));
    }
    world.barrier();
    CHECK(mine == std::vector<double>{1.0, 1.0, 5.0});
    d.detach(std::span(mine));
    d.free();
    // Memory that the program provides needs `window_over`.
    auto own = mpx::window_over(world, std::span(mine));
    CHECK(own.memory_model() == mpx::rma::memory_model::separate);
    own.free();
  });
}

namespace {

using words = mpx::window<word, ranks::shm>;
using reference = mpx::rma::reference<words>;
static_assert(std::is_trivially_copyable_v<reference> && sizeof(reference) == 24);
static_assert(std::is_trivially_copyable_v<mpx::rma::span<words>>);
static_assert(!std::is_copy_assignable_v<reference> && std::is_assignable_v<const reference&, int>);
static_assert(!std::is_convertible_v<reference, word>);
struct padded {
  char a;
  int b;
};
static_assert(mpx::rma::ComparedByBytes<word> && mpx::rma::ComparedByBytes<double> &&
              !mpx::rma::ComparedByBytes<padded> && !mpx::rma::ComparedByBytes<long double>);

}  // namespace
