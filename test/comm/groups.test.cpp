// SPDX-License-Identifier: BSL-1.0
// Communicators whose ranks differ from the world's: reversed, every second, in any order. All
// calls name ranks of the communicator.
// release: tsan

#include <tuple>

#include "comm/ranks.hpp"

namespace {

using group_stacks =
    std::tuple<ranks::inproc, ranks::shm, ranks::listed, ranks::by_put, ranks::multiple>;

/// A communicator of `peers`, in that order; nothing at other ranks. Collective.
template <class Stack>
std::optional<mpx::communicator<Stack>> communicator_of(mpx::communicator<Stack> world,
                                                        const std::vector<mpx::peer_id>& peers) {
  auto made = world.create(mpx::group::table(peers, mpx::world_peer(world.rank())));
  return made ? std::optional(made) : std::nullopt;
}

std::vector<std::vector<mpx::peer_id>> orders(mpx::rank_t n) {
  std::vector<mpx::peer_id> reversed, odd, mixed;
  const auto size = static_cast<mpx::peer_id>(n);
  for (mpx::peer_id p = 0; p < size; ++p) reversed.push_back(size - 1 - p);
  for (mpx::peer_id p = size > 1 ? 1 : 0; p < size; p += 2) odd.push_back(p);
  for (mpx::peer_id p = 0; p < size; ++p) mixed.push_back((p * 3 + 1) % size);
  if (n % 3 == 0) mixed = reversed;
  return {reversed, odd, mixed};
}

/// Every way to send and to receive; the source is a rank of `comm`.
template <class Comm>
void exchange(Comm comm) {
  const mpx::rank_t n = comm.size();
  const mpx::rank_t next = (comm.rank() + 1) % n;
  const mpx::rank_t last = (comm.rank() + n - 1) % n;
  for (const std::size_t bytes : {4, 1000, 100'000}) {
    const auto out = ranks::message(bytes, static_cast<std::uint64_t>(comm.rank()));
    std::vector<std::byte> in(bytes);
    const auto good = [&](const mpx::status& s) {
      CHECK(s.source() == last);
      CHECK(ranks::holds(in, static_cast<std::uint64_t>(last)));
      std::fill(in.begin(), in.end(), std::byte{});
    };
    good(comm.sendrecv(out, next, 1, in, last, 1));
    good(comm.sendrecv(out, next, 1, in));
    std::vector<std::byte> both = out;
    CHECK(comm.sendrecv_replace(both, next, 2, last, 2).source() == last);
    CHECK(ranks::holds(both, static_cast<std::uint64_t>(last)));
    auto s1 = comm.isend(out, next, 3);
    good(comm.recv(in, last, 3));
    s1.wait();
    auto s2 = comm.issend(out, next, 4);
    good(comm.recv(in, mpx::any_source, 4));
    s2.wait();
    auto r = comm.irecv(in, mpx::any_source, mpx::any_tag);
    auto s3 = comm.isend(out, next, 5);
    while (!r.peek()) {
    }
    CHECK(r.peek()->source() == last);
    good(r.wait());
    s3.wait();
    auto ready = comm.recv_init(in, last, 6);
    auto again = comm.ssend_init(out, next, 6);
    for (int round = 0; round < 2; ++round) {
      ready.start();
      again.start();
      good(ready.wait());
      again.wait();
    }
    auto s4 = comm.isend(out, next, 7);
    CHECK(comm.probe(mpx::any_source, 7).source() == last);
    CHECK(comm.iprobe(last, 7)->source() == last);
    auto m = comm.mprobe(mpx::any_source, 7);
    CHECK(m.info().source() == last);
    good(m.recv(in));
    s4.wait();
    comm.barrier();
  }
}

template <class Comm>
void collectives(Comm comm) {
  const mpx::rank_t n = comm.size();
  for (mpx::rank_t root = 0; root < n; ++root) {
    mpx::rank_t x = comm.rank();
    comm.bcast(x, root);
    CHECK(x == root);
    // Rank order, of this communicator: the first rank stays in front, the last behind.
    const std::int64_t ends = comm.reduce(
        std::int64_t{comm.rank()} * 101,
        [](std::int64_t a, std::int64_t b) { return a / 100 * 100 + b % 100; }, root);
    if (comm.rank() == root) CHECK(ends == n - 1);
  }
  CHECK(comm.allreduce(1, std::plus<>{}) == n);
  auto other = comm.dup();
  CHECK(other.rank() == comm.rank());
  exchange(other);
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("communicators of other ranks", Stack, other_ranks) {
  ranks::run_at_all_counts<Stack>([](auto world) {
    for (const auto& peers : orders(world.size())) {
      auto comm = communicator_of<Stack>(world, peers);
      if (!comm) continue;
      CHECK(peers[static_cast<std::size_t>(comm->rank())] == mpx::world_peer(world.rank()));
      exchange(*comm);
      collectives(*comm);
    }
    world.barrier();
  });
}
TEST_CASE_TEMPLATE_APPLY(other_ranks, group_stacks);

TEST_CASE_TEMPLATE("errors name the ranks of the communicator", Stack, ranks::inproc, ranks::tiny) {
  ranks::run<Stack>(4, [](auto world) {
    auto comm = communicator_of<Stack>(world, {3, 1});
    if (!comm) return world.barrier();
    const mpx::rank_t other = 1 - comm->rank();
    const std::string its = std::to_string(world.rank() == 3 ? 1 : 3);
    const std::string me = "on rank " + std::to_string(comm->rank());
    const std::string from =
        " from rank " + std::to_string(other) + " (world rank " + its + "), tag 1";
    std::int32_t small = 0;
    const auto cut = [&](auto call) {
      const std::int64_t large = 1;
      auto sent = comm->isend(large, other, 1);
      const std::string text = ranks::text_of(call);
      CAPTURE(text);
      CHECK(ranks::contains(text, me + from));
      CHECK(ranks::contains(text, "4 bytes of room for a message of 8"));
      sent.wait();
      comm->barrier();
    };
    cut([&] { comm->recv(small, other, 1); });
    cut([&] { comm->recv(small, mpx::any_source, 1); });
    cut([&] { comm->irecv(small, other, 1).wait(); });
    cut([&] { comm->mprobe(other, 1).recv(small); });
    const std::string wrong = ranks::text_of([&] { comm->send(1, 2, 1); });
    CHECK(ranks::contains(wrong, me + " to rank 2, tag 1"));
    CHECK(ranks::contains(wrong, "ranks here are 0 .. 1"));
    CHECK(ranks::errc_of([&] { comm->recv(small, 2, 1); }) == mpx::errc::rank);
    CHECK(ranks::errc_of([&] { comm->send(1, -1, 1); }) == mpx::errc::rank);
    CHECK(ranks::errc_of([&] { comm->send(1, 0, -1); }) == mpx::errc::tag);
    CHECK(comm->recv(small, mpx::proc_null).source() == mpx::proc_null);
    comm->send(1, mpx::proc_null);
    comm->issend(small, mpx::proc_null).wait();
    world.barrier();
  });
}

TEST_CASE_TEMPLATE("a lost peer is named by both its ranks", Stack, ranks::inproc, ranks::shm) {
  const ranks::watchdog guard("a lost peer of another communicator");
  CHECK_THROWS(mpx::run_threads<Stack>(3, [](mpx::communicator<Stack> world) {
    auto comm = *communicator_of<Stack>(world, {1, 2, 0});
    if (world.rank() == 2) throw std::runtime_error("gone");
    int x = 0;
    const auto expect = [](const std::string& text) {
      CAPTURE(text);
      CHECK(ranks::contains(text, "rank 1 (world rank 2)"));
    };
    expect(ranks::text_of([&] { comm.recv(x, 1, 1); }));
    expect(ranks::text_of([&] { comm.irecv(x, 1, 1).wait(); }));
    expect(ranks::text_of([&] { comm.issend(x, 1, 1).wait(); }));
    expect(ranks::text_of([&] { comm.send(x, 1, 1); }));
    expect(ranks::text_of([&] { comm.probe(1, 1); }));
    CHECK(ranks::errc_of([&] { comm.barrier(); }) == mpx::errc::peer_lost);
  }));
}
