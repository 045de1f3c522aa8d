// SPDX-License-Identifier: BSL-1.0
// timeout: 240

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mpx/bootstrap/detect.hpp>
#include <mpx/transport/rdma/via.hpp>
#include <mutex>
#include <optional>

#include "nic_threads.hpp"
#include "scripted_nic.hpp"

namespace nic_via_test {

using namespace nic_contract;
using mpx::nic::basic_via;
using mpx::nic::via;
using mpx::nic::via_options;
using staged = basic_via<via_options{.registered_bytes_max = 20 << 20,
                                     .transfer_bytes_max = 1 << 16,
                                     .regions_max = 64,
                                     .send_bytes_max = 256,
                                     .send_depth = 4,
                                     .receive_depth = 16,
                                     .stages_all = true,
                                     .survives_refusals = true}>;
// As where the kernel copies nothing, with rings that are full at once.
using cramped = basic_via<via_options{.send_bytes_max = 512, .send_depth = 2, .stages_all = true},
                          mpx::transport::basic_shm<16, 4096, 1 << 24>>;

static_assert(mpx::PollableNic<via> && !mpx::ReadingNic<via> && mpx::AtomicNic<via>);

template <class N>
void run_all(peer_id most) {
  for (const check& what : checks) {
    CAPTURE(std::string(what.name));
    const peer_id ranks = what.ranks != 0 ? what.ranks : most;
    CHECK_NOTHROW(run<N>(what, ranks));
  }
}

TEST_CASE("nic::via: the contract") { run_all<via>(3); }
TEST_CASE("nic::via: staged") { run_all<staged>(3); }
TEST_CASE("nic::via: staged through tiny rings") { run_all<cramped>(3); }
TEST_CASE("nic::via: late, full and out of order") { run_all<scripted_nic<via>>(3); }
TEST_CASE("nic::via: any number of ranks") {
  for (const peer_id ranks : {1u, 2u, 4u, 7u, 8u}) {
    for (const check& what : checks) {
      if (what.ranks != 0) continue;
      CAPTURE(ranks);
      CHECK_NOTHROW(run<via>(what, ranks));
    }
  }
}

/// Two ranks of one thread: what a test wants in a certain order.
template <class N>
class pair {
 public:
  pair() {
    a.emplace(zero_);
    b.emplace(one_);
    for (peer_id r = 0; r < 2; ++r) {
      card& own = r == 0 ? static_cast<card&>(*a) : *b;
      players[r].emplace(own, meeting{});
    }
  }
  ~pair() {
    players[0].reset();
    players[1].reset();
    a.reset();
    b.reset();
    zero_.mark_finished();
    one_.mark_finished();
  }
  player& operator[](peer_id r) { return *players[r]; }
  void step() {
    players[0]->step();
    players[1]->step();
  }
  template <class Holds>
  void until(Holds&& holds) {
    bool held = holds();
    for (int i = 0; i < 100'000 && !held; ++i) {
      step();
      held = holds();
    }
    REQUIRE(held);
  }
  void connect() {
    const int before = players[0]->links[1].connected;
    until([&] { return players[0]->c.connect(1, {}) == errc{}; });
    until([&] { return players[1]->c.connect(0, {}) == errc{}; });
    until([&] {
      return players[0]->links[1].connected > before && players[1]->links[0].connected > before;
    });
  }

 private:
  mpx::bootstrap::thread_job job_{2};
  mpx::bootstrap::any zero_{mpx::bootstrap::threads(job_, 0)};
  mpx::bootstrap::any one_{mpx::bootstrap::threads(job_, 1)};

 public:
  std::optional<card_of<N>> a, b;
  std::optional<player> players[2];
};

TEST_CASE("nic::via: the direction of data, and the key of another job") {
  pair<via> job, other_job;
  job.connect();
  room shared(job[1].c, 1000, true), plain(job[1].c, 1000, false), source(job[0].c, 1000, false);
  const nic_region s = job[0].region(source.memory, nic_access::local);
  const nic_region to_shared = job[1].region(shared.memory, nic_access::remote_write);
  const nic_region to_plain = job[1].region(plain.memory, nic_access::remote_write);
  fill(source.memory, 1);
  const auto write = [&](const remote_memory& to, cookie_t cookie) {
    return job[0].c.post_write(1, s.handle, source.memory, to, 0, nic_until::placed, {}, cookie);
  };
  CHECK(write(to_shared.remote, 3) == outcome::done);
  CHECK(has(shared.memory, 1));
  CHECK(job.a->nic.counters().shared_bytes == 1000);
  CHECK(write(to_plain.remote, 4) != outcome::refused);
  job.until([&] { return has(plain.memory, 1); });
  const auto& counts = job.a->nic.counters();
  CHECK(counts.kernel_bytes + counts.staged_bytes == 1000);

  room foreign(other_job[1].c, 1000, true);
  const nic_region far = other_job[1].region(foreign.memory, nic_access::remote_write);
  CHECK(write(far.remote, 5) == outcome::pending);
  job.until([&] { return job[0].links[1].disconnected == 1; });
  CHECK(job[0].sent[5] == nic_status::refused);
  CHECK(job[0].links[1].why == nic_status::refused);
  CHECK(all_are(foreign.memory, std::byte{0}));
}

TEST_CASE("nic::via: protection tags") {
  pair<via> job;
  REQUIRE(job.a->nic.set_tag(1, 7) == errc{});
  REQUIRE(job.b->nic.set_tag(0, 9) == errc{});
  job.connect();
  room here(job[1].c, 100, true), source(job[0].c, 100, false);
  nic_region ours, others, own, not_own;
  REQUIRE(job.b->nic.register_memory(here.memory, nic_access::remote_write, ours, 9) == errc{});
  REQUIRE(job.b->nic.register_memory(here.memory, nic_access::remote_write, others, 7) == errc{});
  REQUIRE(job.a->nic.register_memory(source.memory, nic_access::local, own, 7) == errc{});
  REQUIRE(job.a->nic.register_memory(source.memory, nic_access::local, not_own, 9) == errc{});
  fill(source.memory, 3);
  const auto write = [&](const nic_region& from, const nic_region& to) {
    return job.a->nic.post_write(1, from.handle, source.memory, to.remote, 0, nic_until::placed, 1);
  };
  CHECK(write(not_own, ours) == outcome::refused);
  CHECK(write(own, ours) == outcome::done);
  CHECK(has(here.memory, 3));
  std::memset(here.memory.data(), 0, 100);
  CHECK(write(own, others) == outcome::pending);
  job.until([&] { return job[0].links[1].disconnected == 1; });
  CHECK(job[0].sent[1] == nic_status::refused);
  CHECK(all_are(here.memory, std::byte{0}));
}

TEST_CASE("nic::via: a script of failures") {
  pair<scripted_nic<via>> job;
  job.connect();
  job.a->nic.script.registrations = 1;
  job.a->nic.script.allocations = 0;
  room memory(job[0].c, 100, false);
  nic_region r;
  CHECK(job[0].c.register_memory(memory.memory, nic_access::local, r) == errc{});
  CHECK(job[0].c.register_memory(memory.memory, nic_access::local, r) == errc::no_resources);
  CHECK(job[0].c.allocate(100) == nullptr);
  job.a->nic.script.posts = 0;
  const auto post = [&] {
    return job[0].c.post_write(1, 0, {}, {}, 0, nic_until::taken, {}, job[0].next++);
  };
  CHECK(post() != outcome::done);
  job.until([&] { return job[0].links[1].disconnected == 1 && job[1].links[0].disconnected == 1; });
}

/// Packets of a hostile peer, sent by its wire.
template <class N>
void check_hostile() {
  mpx::sim::random random(1);
  for (int round = 0; round < 400; ++round) {
    pair<N> job;
    const bool connected = round % 4 != 0;
    if (connected) job.connect();
    room memory(job[1].c, 4096, true);
    const nic_region r = job[1].region(memory.memory.first(100), nic_access::remote_read_write);
    const nic_region mail = job[1].region(memory.memory.subspan(1000, 64), nic_access::local);
    job[1].post_receive(0, 1, mail.handle, memory.memory.subspan(1000, 64));
    std::vector<std::byte> said(300);
    for (int i = 0; i < 12; ++i) {
      for (std::byte& x : said) x = static_cast<std::byte>(random.below(256u));
      std::size_t n = random.below(said.size());
      std::uint32_t what = random.below(9u);
      if (random.one_in(2)) {  // A write that is nearly one.
        const mpx::nic::detail::staged_write w{
            random.one_in(4) ? random.next() : r.remote.key,
            random.one_in(4) ? random.next() : r.remote.address + random.below(120u),
            random.one_in(4) ? random.next() : random.below(300u), random.below(2u)};
        std::memcpy(said.data(), &w, sizeof w);
        what = 5;
        n = std::max(n, sizeof w + 1);
      } else if (random.one_in(2)) {  // An atomic access that is nearly one.
        const mpx::nic::detail::staged_access a{
            random.one_in(4) ? random.next() : r.remote.key,
            random.one_in(4) ? random.next() : r.remote.address + random.below(120u),
            random.next(),
            random.next(),
            random.below(10u),
            random.below(8u)};
        std::memcpy(said.data(), &a, sizeof a);
        what = 8;
        n = random.one_in(8) ? n : sizeof a;
      }
      job.a->nic.wire().post(1, {{what, random.below(8u)}}, {said.data(), n}, 0);
      job[1].step();
    }
    for (int i = 0; i < 50; ++i) job[1].step();
    CHECK(all_are(memory.memory.subspan(100, 900), std::byte{0}));
    CHECK(all_are(memory.memory.subspan(1064), std::byte{0}));
    // Its other connections live.
    job[1].post_receive(1, 7);
    CHECK(job[1].c.connect(1, {}) == errc{});
    job[1].until([&] { return job[1].links[1].connected == 1; }, "a connection to oneself");
    job[1].signal(1, 42);
    const auto heard = [&] {
      return std::any_of(job[1].received.begin(), job[1].received.end(),
                         [](const nic_event& e) { return e.cookie == 7 && e.immediate == 42; });
    };
    job[1].until(heard, "an immediate from oneself");
  }
}
TEST_CASE("nic::via: hostile packets write nowhere, and end nothing but their connection") {
  check_hostile<staged>();
  check_hostile<via>();
}

}  // namespace nic_via_test
