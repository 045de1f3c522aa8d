// SPDX-License-Identifier: BSL-1.0
// sanitizers: none
// Arguments of collectives: steps, a policy, operations; and the typed calls on top.

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "coll/suite.hpp"
#include "comm/ranks.hpp"

namespace {

struct collective_policy_archetype {  // Grants the concept and nothing more.
  collective_policy_archetype() = delete;
  static constexpr std::string_view name = "archetype";
  static mpx::coll::choice choose(const mpx::coll::question&) noexcept;
};
struct may_throw {
  static constexpr std::string_view name = "may_throw";
  static mpx::coll::choice choose(const mpx::coll::question&);
};
static_assert(mpx::CollectivePolicy<collective_policy_archetype>);
static_assert(!mpx::CollectivePolicy<may_throw>);
static_assert(!mpx::CollectivePolicy<mpx::flow::unlimited>);

struct steps_archetype {
  steps_archetype() = delete;
  mpx::rank_t rank() const noexcept;
  mpx::rank_t size() const noexcept;
  bool failed() const noexcept;
  void start_send(const mpx::memory&, mpx::rank_t);
  void start_receive(const mpx::memory&, mpx::rank_t);
  void start_receive_ahead(const mpx::memory&, mpx::rank_t);
  void finish();
  void send(const mpx::memory&, mpx::rank_t);
  void receive(const mpx::memory&, mpx::rank_t);
  void exchange(const mpx::memory&, mpx::rank_t, const mpx::memory&, mpx::rank_t);
  void copy(const mpx::memory&, const mpx::memory&);
  void combine(const mpx::coll::reduction&, const mpx::memory&, const mpx::memory&,
               const mpx::memory&);
  void call(void (*)(void*), void*);
  mpx::memory scratch(std::size_t) noexcept;
};
static_assert(mpx::coll::Steps<steps_archetype>);
static_assert(mpx::coll::Steps<mpx::detail::schedule>);
static_assert(mpx::coll::Steps<mpx::detail::collective_channel<ranks::shm>>);
static_assert(!mpx::coll::Steps<mpx::communicator<ranks::shm>>);

static_assert(mpx::is_commutative<std::plus<>, double>);
static_assert(!mpx::is_commutative<std::plus<>, suite::matrix>);
static_assert(!mpx::is_commutative<suite::times, suite::matrix>);
static_assert(mpx::is_commutative<mpx::maxloc_t, mpx::located<double>>);
static_assert(!mpx::is_commutative<mpx::replace_t, int>);
static_assert(mpx::is_commutative<decltype(mpx::commutative(suite::times())), suite::matrix>);

}  // namespace

TEST_CASE("policy: each call has the algorithm that the default chooses") {
  using namespace mpx::coll;
  for (int o = 0; o <= static_cast<int>(operation::scan); ++o) {
    CAPTURE(o);
    CHECK(offers({static_cast<operation>(o), 1, 7, false, false},
                 fallback(static_cast<operation>(o))));
    for (const std::size_t bytes : {0u, 8u, 1000u, 10'000u, 100'000u, 1'000'000u, 10'000'000u})
      for (const mpx::rank_t ranks : {1, 2, 3, 8, 13, 4096})
        for (const bool commutative : {false, true})
          for (const bool regular : {false, true}) {
            question q{static_cast<operation>(o), bytes, ranks, commutative, regular};
            CHECK(offers(q, by_size::choose(q).by));
            q.meets = q.near = true;
            CHECK(offers(q, by_size::choose(q).by));
            q.meets = q.near = false;
            for (const mpx::rank_t node_ranks : {1, 3, 4, 64}) {  // On nodes of several shapes.
              q.node_ranks = std::min(node_ranks, ranks);
              q.nodes = (ranks + node_ranks - 1) / node_ranks;
              for (const bool in_order : {false, true}) {
                q.in_order = in_order;
                q.even = in_order && ranks % q.node_ranks == 0;
                CHECK(offers(q, by_size::choose(q).by));
              }
            }
          }
  }
}

TEST_CASE("collectives that return values and vectors") {
  ranks::run_at_all_counts<ranks::shm>([](auto world) {
    const int n = world.size();
    const int me = world.rank();
    const int root = n - 1;
    std::vector<int> ids(static_cast<std::size_t>(n));
    std::iota(ids.begin(), ids.end(), 0);
    // Rank r gives r times r.
    const std::vector<int> mine(static_cast<std::size_t>(me), me);
    std::vector<int> all;
    for (int r = 0; r < n; ++r) all.insert(all.end(), static_cast<std::size_t>(r), r);
    const std::vector<int> ones(static_cast<std::size_t>(n), 1);
    const auto all_right = [&](auto&... how) {
      CHECK(world.allgather(me, how...) == ids);
      CHECK(world.gather(me, root, how...) == (me == root ? ids : std::vector<int>{}));
      CHECK(world.scatter(ids, root, how...) == std::vector<int>{me});
      CHECK(world.alltoall(ids, how...) == std::vector<int>(ids.size(), me));
      CHECK(world.allgatherv(mine, how...) == all);
      CHECK(world.gatherv(mine, root, how...) == (me == root ? all : std::vector<int>{}));
      CHECK(world.alltoallv(ids, ones, how...) == std::vector<int>(ids.size(), me));
      CHECK(world.scan(me, mpx::sum, how...) == me * (me + 1) / 2);
      CHECK(world.exscan(me, mpx::sum, how...) == (me == 0 ? 0 : me * (me - 1) / 2));
      CHECK(world.allreduce(me + 1, mpx::max, how...) == n);
      CHECK(world.allreduce(me + 1, mpx::min, how...) == 1);
    };
    all_right();
    std::error_code ec;
    all_right(ec);
    CHECK(!ec);
    CHECK(world.allreduce(2, mpx::prod) == 1 << n);
    CHECK(world.allreduce(me == 0, mpx::logical_or));
    CHECK(world.allreduce(me == 0, mpx::logical_and) == (n == 1));
    CHECK(world.allreduce(true, mpx::logical_xor) == (n % 2 == 1));
    CHECK(world.allreduce(1u << me, mpx::bit_or) == (1u << n) - 1);
    CHECK(world.allreduce(~0u, mpx::bit_and) == ~0u);
    CHECK(world.allreduce(5u, mpx::bit_xor) == (n % 2 == 1 ? 5u : 0u));
    CHECK(world.allreduce(me, mpx::replace) == n - 1);
    CHECK(world.allreduce(me + 3, mpx::no_op) == 3);
    const mpx::located<double> here{(me * 5) % n * 1.0, me};
    const auto top = world.allreduce(here, mpx::maxloc);
    CHECK(top.index * 5 % n == static_cast<int>(top.value));
    CHECK(world.allreduce(mpx::located<double>{1.5, me}, mpx::minloc).index == 0);
    // In place, and with an operation of a program's own that commutes.
    std::vector<int> slots(static_cast<std::size_t>(n), -1);
    slots[static_cast<std::size_t>(me)] = me;
    world.allgather(mpx::in_place, slots);
    CHECK(slots == ids);
    std::vector<long> longs(3000, me);
    world.allreduce(longs, mpx::commutative([](long a, long b) { return a + b; }));
    CHECK(longs.back() == n * (n - 1) / 2);
    // Each block a piece of memory of its own.
    std::vector<int> out(ids.size() * 2, me);
    std::vector<int> in(ids.size() * 2, -1);
    std::vector<mpx::memory> from;
    std::vector<mpx::memory> to;
    for (std::size_t r = 0; r < ids.size(); ++r) {
      from.emplace_back(std::as_bytes(std::span(&out[2 * r], 1)));
      to.emplace_back(std::as_writable_bytes(std::span(&in[2 * r], 1)));
    }
    world.alltoallw(from, to);
    for (std::size_t r = 0; r < in.size(); ++r)
      CHECK(in[r] == (r % 2 == 0 ? static_cast<int>(r / 2) : -1));
  });
}

TEST_CASE("reduce_local: here, the first before the second") {
  std::vector<suite::matrix> a{suite::of(0, 0), suite::of(0, 1)};
  std::vector<suite::matrix> b{suite::of(1, 0), suite::of(1, 1)};
  mpx::reduce_local(a, b, suite::times());
  CHECK(b[1] == suite::product(0, 1, 1));
  a.pop_back();
  CHECK(ranks::errc_of([&] { mpx::reduce_local(a, b, suite::times()); }) == mpx::errc::argument);
}

TEST_CASE("collectives: wrong arguments are errors, and no rank waits") {
  ranks::run<ranks::shm>(3, [](auto world) {
    const auto bad = [&](mpx::errc expected, auto call) {
      std::error_code ec;
      call(ec);
      CHECK(ec == expected);
      // The others of such a call get here as well.
      CHECK(world.allreduce(1, std::plus<>{}) == 3);
    };
    std::vector<int> some(6, 1);
    std::vector<int> few(2);
    const std::vector<int> negative{1, -1, 1};
    const std::vector<int> many{5, 5, 5};
    const std::vector<int> one{1, 1, 1};
    const std::vector<int> below{0, -2, 1};
    bad(mpx::errc::root, [&](auto& ec) { world.gather(some, few, 7, ec); });
    bad(mpx::errc::root, [&](auto& ec) { world.scatter(some, few, -1, ec); });
    bad(mpx::errc::argument, [&](auto& ec) { world.allgather(some, few, ec); });
    const std::vector<int> none;  // Is not mpx::in_place.
    std::vector<int> nothing;
    const bool root = world.rank() == 1;
    const mpx::errc there = root ? mpx::errc::argument : mpx::errc::peer_lost;
    bad(mpx::errc::argument, [&](auto& ec) { world.allgather(none, some, ec); });
    CHECK(ranks::errc_of([&] { world.allgather(none, some, mpx::start).wait(); }) ==
          mpx::errc::argument);
    std::error_code gathered;
    world.gather(root ? none : few, some, 1, gathered);
    CHECK(gathered == (root ? std::error_code(mpx::errc::argument) : std::error_code()));
    bad(there, [&](auto& ec) { world.scatter(some, root ? nothing : few, 1, ec); });
    bad(mpx::errc::argument, [&](auto& ec) { world.alltoall(some, few, ec); });
    bad(mpx::errc::argument, [&](auto& ec) { world.alltoall(few, few, ec); });  // 2 for 3 ranks.
    bad(mpx::errc::count, [&](auto& ec) { world.allgatherv(1, some, negative, ec); });
    bad(mpx::errc::argument, [&](auto& ec) { world.allgatherv(1, some, many, ec); });
    bad(mpx::errc::argument, [&](auto& ec) { world.allgatherv(1, some, one, below, ec); });
    const std::vector<int> two(2, 1);  // For three ranks.
    bad(mpx::errc::argument, [&](auto& ec) { world.allgatherv(1, some, two, ec); });
    bad(mpx::errc::argument, [&](auto& ec) { world.alltoallv(some, two, some, many, ec); });
    bad(mpx::errc::argument, [&](auto& ec) { world.scan(some, few, std::plus<>{}, ec); });
    bad(mpx::errc::argument,
        [&](auto& ec) { world.reduce_scatter(some, few, many, std::plus<>{}, ec); });
    // Wrong at one rank alone.
    std::error_code ec;
    std::vector<int> result(world.rank() == 1 ? 1 : 6);
    world.allreduce(some, result, std::plus<>{}, ec);
    CHECK(ec == (world.rank() == 1 ? mpx::errc::argument : mpx::errc::peer_lost));
    const std::string text = ranks::text_of([&] { world.allreduce(some, few, std::plus<>{}); });
    CHECK(ranks::contains(text, "6 elements do not fit the 2 of the result"));
    CHECK(world.allreduce(1, std::plus<>{}) == 3);
  });
}

TEST_CASE("collectives that return vectors: one rank's error ends the call at all ranks, in step") {
  ranks::run<ranks::shm>(3, [](auto world) {
    const mpx::rank_t me = world.rank();
    const std::vector<int> some(6, 1);
    std::error_code ec;
    // A rank with wrong arguments reports them before lengths are exchanged.
    std::vector<int> counts(3, 2);
    if (me == 0) counts[1] = -5;
    CHECK(world.alltoallv(some, counts, ec).empty());
    CHECK(ec == (me == 0 ? mpx::errc::count : mpx::errc::peer_lost));
    CHECK(ranks::contains(ranks::text_of([&] { (void)world.alltoallv(some, counts); }),
                          me == 0 ? "a count is negative" : "rank 0 has left this call"));
    if (me == 0) counts.assign(4, 1);
    CHECK(world.alltoallv(some, counts, ec).empty());
    CHECK(ec == (me == 0 ? mpx::errc::argument : mpx::errc::peer_lost));
    CHECK(world.allreduce(1, std::plus<>{}) == 3);
    // A rank that would need more memory than exists leaves the call; no rank reads this.
    const std::uint16_t one = 1;
    const std::span<const std::uint16_t> mine(&one, me == 2 ? std::size_t{1} << 62 : 1);
    const bool short_of_memory = me == 2;
    CHECK(
        (world.gatherv(mine, 2, ec).empty() && (ec == mpx::errc::no_resources) == short_of_memory));
    const std::vector<std::size_t> to_last{0, 0, mine.size()};
    CHECK((world.alltoallv(mine, to_last, ec).empty() || !short_of_memory));
    CHECK((ec == mpx::errc::no_resources) == short_of_memory);
    CHECK((world.allgather(mine, ec).empty() || !short_of_memory));
    CHECK(ec == (short_of_memory ? mpx::errc::no_resources : mpx::errc::peer_lost));
    CHECK(
        (world.gather(mine, 2, ec).empty() && (ec == mpx::errc::no_resources) == short_of_memory));
    CHECK(world.allgatherv(mine, ec).empty());
    CHECK((ec == mpx::errc::no_resources || ec == mpx::errc::peer_lost));
    CHECK(ranks::errc_of([&] { (void)world.allgatherv(mine); }) != mpx::errc{});
    CHECK(world.allreduce(1, std::plus<>{}) == 3);
  });
}

TEST_CASE("counts and displacements of 32 bits without a sign go beyond 2^31") {
  constexpr std::uint32_t far = 2'200'000'000u;
  const std::vector<std::uint32_t> displacements{far, far + 1};
  const std::vector<std::uint32_t> counts{1, 1};
  char byte = 0;
  const std::span<char> all(&byte, far + 2u);  // Not read.
  const auto b = mpx::detail::blocks_at(all, counts, displacements);
  CHECK(b.displacements[1] == std::int64_t{far} + 1);
  CHECK(mpx::coll::check_blocks(b, 2).why == mpx::errc{});
  CHECK(mpx::coll::check_blocks(mpx::detail::blocks_at(all, displacements), 2).why ==
        mpx::errc::argument);  // They reach beyond it.
  const std::vector<int> below{0, -1};
  CHECK(mpx::coll::check_blocks(mpx::detail::blocks_at(all, below), 2).why == mpx::errc::count);
}
