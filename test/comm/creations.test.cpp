// SPDX-License-Identifier: BSL-1.0
// Creation of communicators: their members, the separation of their messages, and the reuse of
// their contexts.
// release: tsan

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <tuple>

#include "comm/aborts.hpp"
#include "comm/ranks.hpp"

namespace {

using creation_stacks = std::tuple<ranks::inproc, ranks::multiple>;

/// All ranks exchange messages, which belong to this communicator.
template <class Comm>
bool talks(const Comm& comm) {
  const mpx::rank_t n = comm.size();
  bool right = true;
  for (mpx::rank_t step = 1; step < n; ++step) {
    const mpx::rank_t to = (comm.rank() + step) % n;
    const mpx::rank_t from = (comm.rank() + n - step) % n;
    std::uint64_t in = 0;
    const std::uint64_t out =
        std::uint64_t{comm.context()} << 32 | static_cast<std::uint64_t>(comm.rank() * 100 + to);
    right = right && comm.sendrecv(out, to, step, in, mpx::any_source, step).source() == from;
    right = right && in == (std::uint64_t{comm.context()} << 32 |
                            static_cast<std::uint64_t>(from * 100 + comm.rank()));
  }
  return right && comm.allreduce(1, std::plus<>{}) == n;
}

std::vector<mpx::peer_id> peers_in(const mpx::group& g) {
  std::vector<mpx::peer_id> all;
  for (mpx::rank_t r = 0; r < g.size(); ++r) all.push_back(g.peer_of(r));
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("creations: dup, split, create: members, order, compactness, messages", Stack,
                   ranks::inproc, ranks::multiple) {
  ranks::run_at_all_counts<Stack>([](auto world) {
    const mpx::rank_t n = world.size();
    const mpx::rank_t me = world.rank();
    auto twin = world.dup();
    CHECK(talks(twin));
    CHECK(twin.group().how() == mpx::group::kind::identity);
    auto halves = world.split(me % 2);
    CHECK(halves.size() == (n + 1 - me % 2) / 2);
    CHECK(halves.rank() == me / 2);
    CHECK(halves.group().how() != mpx::group::kind::table);
    CHECK(talks(halves));
    auto backwards = world.split(7, -me);
    CHECK(backwards.rank() == n - 1 - me);
    CHECK(backwards.group().how() != mpx::group::kind::table);
    CHECK(talks(backwards));
    auto some = world.split(me % 3 == 1 ? mpx::undefined : 0, (me * 5) % 7);
    CHECK(static_cast<bool>(some) == (me % 3 != 1));
    if (some) {
      CHECK(talks(some));
      const auto members = peers_in(some.group());
      for (std::size_t i = 1; i < members.size(); ++i)
        CHECK(members[i - 1] * 5 % 7 <= members[i] * 5 % 7);
      // A communicator of such a communicator.
      auto deeper = some.split(some.rank() % 2);
      CHECK(talks(deeper));
      deeper.free();
      CHECK(!deeper);
    }
    auto here = world.split(mpx::split_by::shared_memory);
    CHECK(here.size() == n);

    // Two groups at once; one rank in none if there are three.
    const std::vector<mpx::rank_t> ends{0, n - 1};
    const auto all = world.group();
    const auto outer = n == 1 ? all.copy() : include(all, ends);
    const auto inner = difference_of(all, outer);
    const bool at_end = outer.contains(mpx::world_peer(me));
    auto part = world.create(at_end ? outer : inner);
    CHECK(talks(part));
    CHECK(part.size() == (at_end ? outer.size() : inner.size()));
    auto first = world.create(include(all, std::vector<mpx::rank_t>{0}));
    CHECK(static_cast<bool>(first) == (me == 0));

    CHECK(world.compare(world) == mpx::comparison::identical);
    CHECK(world.compare(twin) == mpx::comparison::congruent);
    CHECK(world.compare(backwards) ==
          (n == 1 ? mpx::comparison::congruent : mpx::comparison::similar));
    CHECK(world.compare(halves) ==
          (n == 1 ? mpx::comparison::congruent : mpx::comparison::unequal));
    std::set<mpx::context_id> numbers{world.context(),     twin.context(), halves.context(),
                                      backwards.context(), here.context(), part.context()};
    CHECK(numbers.size() == 6);
    world.barrier();
  });
}

TEST_CASE_TEMPLATE("creations: by a group alone, also in threads at once", Stack, ranks::multiple) {
  ranks::run_at_all_counts<Stack>([](auto world) {
    const mpx::rank_t me = world.rank();
    const auto all = world.group();
    std::vector<mpx::rank_t> even;
    for (mpx::rank_t r = 0; r < world.size(); r += 2) even.push_back(r);
    const auto members = include(all, even);
    if (me % 2 == 0) {  // The others do something else.
      auto c = world.create_group(members, 3);
      CHECK(talks(c));
      const auto text =
          ranks::text_of([&] { (void)world.create_group(difference_of(all, members)); });
      if (world.size() > 1) CHECK(ranks::contains(text, "this rank is no member of the group"));
    }
    world.barrier();
    // Creations of several communicators overlap.
    std::vector<mpx::communicator<Stack>> bases;
    for (int t = 0; t < 4; ++t) bases.push_back(world.dup());
    std::atomic<int> good{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        auto& base = bases[static_cast<std::size_t>(t)];
        for (int i = 0; i < 5; ++i) {
          auto made = base.split(base.rank() % 2, t % 2 == 0 ? 0 : -base.rank());
          auto grouped = world.create_group(all, 100 + t);
          good += talks(made) && talks(grouped);
          made.free();
          grouped.free();
        }
      });
    for (auto& t : threads) t.join();
    CHECK(good == 20);
    world.barrier();
  });
}

TEST_CASE_TEMPLATE("creations: by a group, one rank with a wrong tag", Stack, ranks::inproc,
                   ranks::multiple) {
  for (const mpx::rank_t n : {2, 3, 7})
    ranks::run<Stack>(n, [n](auto world) {
      const auto all = world.group();
      for (mpx::rank_t wrong = 0; wrong <= n; ++wrong)  // The last time all of them.
        for (const mpx::tag_t tag : {0, 5}) {
          std::error_code ec;
          const bool me = wrong == n || world.rank() == wrong;
          auto c = world.create_group(all, me ? -1 : tag, ec);
          CHECK((ec == mpx::errc::tag || (!me && !ec)));
          if (c) {
            CHECK(ranks::errc_of([&] { c.barrier(); }) == mpx::errc::revoked);
            c.free();
          }
          auto next = world.create_group(all, tag);
          CHECK(talks(next));
          next.free();
        }
    });
}

TEST_CASE("creations: by groups at once, one of them with a wrong tag") {
  ranks::run<ranks::multiple>(2, [](auto world) {
    const auto all = world.group();
    std::error_code ec;
    const auto make = [&](mpx::tag_t tag, std::error_code& why) {
      auto c = world.create_group(all, tag, why);
      if (c) c.free();
    };
    if (world.rank() == 0) {
      make(6, ec);  // Is with the other rank before what its first call gets.
      CHECK(!ec);
      make(-1, ec);
      CHECK(ec == mpx::errc::tag);
    } else {
      std::thread first([&] { make(5, ec); });
      first.join();
      CHECK(ec == mpx::errc::tag);
      make(6, ec);
      CHECK(!ec);
    }
    world.barrier();
  });
}

TEST_CASE("creations: by groups at once, with the highest tag, too") {
  ranks::run<ranks::multiple>(2, [](auto world) {
    const auto all = world.group();
    // Rank 0 waits for no other: a message with one tag arrives before the one that is received
    // first.
    const mpx::tag_t of_first = world.rank() == 0 ? mpx::tag_max : 1;
    auto first = world.create_group(all, of_first);
    auto second = world.create_group(all, of_first == 1 ? mpx::tag_max : 1);
    const auto& highest = world.rank() == 0 ? first : second;
    const auto both = world.allgather(highest.context());
    CHECK(both[0] == both[1]);
  });
}

TEST_CASE("creations: those that fail for a wrong tag use up no contexts") {
  ranks::run<ranks::inproc>(4, [](auto world) {
    const auto all = world.group();
    int others = 0;
    for (int i = 0; i < 9000; ++i) {  // More than there are.
      std::error_code ec;
      auto c = world.create_group(all, world.rank() == 2 ? -1 : 3, ec);
      if (ec && ec != mpx::errc::tag) ++others;
      if (c) c.free();
      if (i % 100 == 0) world.barrier();
    }
    CHECK(others == 0);
    CHECK(talks(world.create_group(all, 3)));
  });
}

TEST_CASE_TEMPLATE("creations: contexts are reused, and late messages match no receive", Stack,
                   ranks::inproc) {
  ranks::run_at_all_counts<Stack>([](auto env_world) {
    auto world = env_world;
    const mpx::rank_t n = world.size();
    std::set<mpx::context_id> seen;
    for (int i = 0; i < 600; ++i) {
      auto c = i % 3 == 0 ? world.split(world.rank() % 2) : world.dup();
      if (n > 1 && i % 7 == 0 && c.size() > 1) {  // No rank receives this.
        c.send(i, (c.rank() + 1) % c.size(), 5);
      }
      CHECK(!c.iprobe(mpx::any_source, 6));
      if (i % 7 != 0 && c.size() > 1) CHECK(!c.iprobe(mpx::any_source, 5));
      seen.insert(c.context() % 8192);  // Without leader and generation.
      c.free();
      if (i % 50 == 0) world.barrier();
    }
    CHECK(seen.size() < 200);
    world.barrier();
  });
  ranks::run<Stack>(3, [](mpx::environment<Stack>& env) {
    auto world = env.world();
    const auto out = ranks::message(3000, 1);
    for (int i = 0; i < 200;
         ++i) {  // More than flow control would grant, if it were not given back.
      auto c = world.dup();
      c.send(out, (c.rank() + 1) % 3);
      c.free();
      if (i % 10 == 9) world.barrier();
    }
    std::int32_t last = 0;  // Comes after all of them.
    world.sendrecv(world.rank(), (world.rank() + 1) % 3, 0, last, (world.rank() + 2) % 3);
    CHECK(last == (world.rank() + 2) % 3);
    for (int i = 0; i < 100; ++i) {  // Until all their numbers have been in use again.
      world.dup().free();
      world.barrier();
    }
    CHECK(env.unexpected_bytes() == 0);
  });
}

TEST_CASE("creations: at the limit of communicators, and beyond it") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    std::vector<decltype(world)> all;
    for (int i = 0; i < 8191; ++i) all.push_back((i % 2 == 0 ? world : all.back()).dup());
    CHECK(ranks::errc_of([&] { (void)world.dup(); }) == mpx::errc::communicator);
    const bool leads = world.rank() == 0;
    const std::string text = ranks::text_of([&] { (void)all.back().split(1); });
    CHECK(ranks::contains(text, "the limit of communicators is reached"));
    CHECK(ranks::contains(text, leads ? "this rank leads 8191: free some"
                                      : "rank 0 of the new one leads as many as it may"));
    // Rank 1 leads as many.
    const auto second = include(world.group(), std::vector<mpx::rank_t>{1});
    auto alone = world.create(second);
    CHECK(static_cast<bool>(alone) == (world.rank() == 1));
    std::error_code ec;
    CHECK(!world.dup(ec));
    CHECK(ec == mpx::errc::communicator);
    CHECK(talks(all.back()));
    std::set<mpx::context_id> numbers;
    for (auto& c : all) numbers.insert(c.context());
    CHECK(numbers.size() == 8191);
    const auto was = all[77].context();
    all[77].free();
    all[77] = world.dup(ec);  // Rank 1's word may be on its way.
    REQUIRE(!ec);
    CHECK(all[77].context() != was);
    CHECK(talks(all[77]));
    if (leads) all[77].free();
    CHECK(ranks::contains(
        ranks::text_of([&] { (void)world.dup(); }),
        leads ? "this rank leads 8191: it has freed 1, which other members have not freed yet"
              : "rank 0 of the new one leads as many as it may"));
  });
}

TEST_CASE("creations: pending operations continue when their communicator is freed") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    const mpx::rank_t other = 1 - world.rank();
    const auto out = ranks::message(300'000, 1);
    std::vector<std::byte> in(out.size());
    for (int round = 0; round < 20; ++round) {
      auto c = world.split(0, round % 2 == 0 ? 0 : -world.rank());
      const mpx::rank_t peer = 1 - c.rank();
      auto r = c.irecv(in, peer, 1);
      auto s = c.isend(out, peer, 1);
      c.free();
      auto next = world.split(0, -world.rank());
      const auto got = r.wait();
      CHECK(got.source() == peer);
      s.wait();
      CHECK(in == out);
      std::fill(in.begin(), in.end(), std::byte{});
      next.free();
    }
    int x = 0;
    world.sendrecv(world.rank(), other, 1, x, other, 1);
    CHECK(x == other);
  });
}

TEST_CASE_TEMPLATE("creations: duplicates that are started overlap", Stack, ranks::inproc,
                   ranks::multiple) {
  ranks::run_at_all_counts<Stack>([](auto world) {
    auto other = world.split(0, -world.rank());
    std::vector<mpx::communicator<Stack>> made(12);
    std::vector<mpx::request<Stack>> under_way;
    for (std::size_t i = 0; i < made.size(); ++i)
      under_way.push_back(i % 3 == 0 ? other.idup(made[i]) : world.dup(made[i], mpx::start));
    CHECK(world.allreduce(1, std::plus<>{}) == world.size());
    std::reverse(under_way.begin(), under_way.end());
    for (auto& r : under_way) r.wait();
    std::set<mpx::context_id> numbers;
    for (std::size_t i = 0; i < made.size(); ++i) {
      numbers.insert(made[i].context());
      CHECK(made[i].compare(i % 3 == 0 ? other : world) == mpx::comparison::congruent);
      CHECK(talks(made[i]));
      made[i].free();
    }
    CHECK(numbers.size() == made.size());
    world.barrier();
  });
}

TEST_CASE("creations: errors") {
  ranks::run<ranks::inproc>(3, [](auto world) {
    const std::string text = ranks::text_of([&] { (void)world.split(world.rank() == 1 ? -5 : 2); });
    CHECK(ranks::contains(text, world.rank() == 1 ? "a color is 0 or more, or mpx::undefined"
                                                  : "another rank gives a negative color"));
    std::error_code ec;
    CHECK(!world.split(-1, 0, ec));
    CHECK(ec == mpx::errc::argument);
    auto pair = world.split(world.rank() == 2 ? mpx::undefined : 0);
    if (pair)
      CHECK(ranks::contains(ranks::text_of([&] { (void)pair.create(world.group()); }),
                            "is no rank of the communicator"));
    {
      mpx::scoped_communicator owned(world.dup());
      CHECK(talks(*owned));
      CHECK(owned->compare(world) == mpx::comparison::congruent);
      auto moved = std::move(owned);
      CHECK(!owned);
      CHECK(talks(*moved));
    }
    decltype(world) empty;
    CHECK(!empty);
    CHECK(empty.size() == 0);
    CHECK(empty.rank() == mpx::proc_null);
    world.barrier();
  });
}

#if MPX_ASSERT_LEVEL >= 1
TEST_CASE("creations: empty and freed handles are errors") {
  using solitary = mpx::environment<ranks::inproc>;
  const auto said = [](auto call) {
    return ranks::aborts([&] {
      solitary env{mpx::bootstrap::any(mpx::bootstrap::singleton())};
      auto c = env.world().dup();
      const auto copy = c;
      c.free();
      [[maybe_unused]] const auto again = env.world().dup();  // In its place.
      call(env.world(), copy, c);
      ::_exit(0);
    });
  };
  const char* freed = "this communicator has been freed";
  CHECK(ranks::contains(said([](auto, auto c, auto) { c.send(1, 0); }), freed));
  CHECK(ranks::contains(said([](auto, auto c, auto) { c.barrier(); }), freed));
  CHECK(ranks::contains(said([](auto, auto c, auto) { (void)c.split(1); }), freed));
  CHECK(ranks::contains(said([](auto, auto c, auto) { c.free(); }), freed));
  CHECK(ranks::contains(said([](auto, auto, auto c) { c.send(1, 0); }),
                        "this communicator is empty"));
  CHECK(ranks::contains(said([](auto w, auto, auto) { w.free(); }), "the world is not freed"));
}
#endif
