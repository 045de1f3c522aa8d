// SPDX-License-Identifier: BSL-1.0
// compilers: both
// Collectives of an intercommunicator: each in every form, at sizes on both sides of what the
// algorithms choose by; many at once; what is wrong.

#include <mpx/checks.hpp>
#include <mpx/datatype.hpp>

#include "coll/inter.hpp"
#include "coll/orders.hpp"

namespace {

struct cut {
  mpx::rank_t here;
  mpx::rank_t there;
};
constexpr cut cuts[] = {{1, 1}, {1, 3}, {2, 2}, {3, 4}, {4, 4}, {6, 1}};

}  // namespace

TEST_CASE("between: every collective in every form") {
  using namespace inter_suite;
  for (const cut c : cuts)
    ranks::run<ranks::inproc>(c.here + c.there, [c](auto world) {
      const bool low = world.rank() < c.here;
      auto on = connected(world, c.here);
      for (const form f : forms)
        for (const std::size_t length : {0u, 1u, 5u}) everything(on, low, length, f);
      everything(on, low, 700, form::at_once);
      everything(on, low, 9000, form::started);
      returned(on, low);
      on.free();
    });
}

TEST_CASE("between: started ones are many at once, and end in any order") {
  using namespace inter_suite;
  for (const cut c : {cut{1, 1}, cut{3, 4}})
    ranks::run<ranks::multiple>(c.here + c.there, [c](auto world) {
      const bool low = world.rank() < c.here;
      auto on = connected(world, c.here);
      const auto there = static_cast<std::size_t>(on.remote_size());
      for (int round = 0; round < 4; ++round) {
        constexpr std::size_t many = 24;
        std::vector<words> in(many);
        std::vector<words> out(many);
        std::vector<mpx::request<ranks::multiple>> under_way;
        int swapped[2] = {on.rank(), -1};
        for (std::size_t i = 0; i < many; ++i) {
          const std::size_t n = i % 5 == 4 ? 3000 : i % 3;
          in[i].assign(n, i + static_cast<word>(on.rank()) * 100 + (low ? 0 : 10'000));
          out[i].resize(n * there);
          if (i % 2 == 0) {
            under_way.push_back(on.iallgather(in[i], out[i]));
          } else {
            out[i].resize(n);
            under_way.push_back(on.iallreduce(in[i], out[i], mpx::sum));
          }
          if (i == 7 && on.rank() < on.remote_size()) {  // Messages have nothing to do with it.
            under_way.push_back(on.isend(swapped[0], on.rank(), mpx::tag_t{0}));
            if (on.rank() < on.size()) under_way.push_back(on.irecv(swapped[1], on.rank()));
          }
        }
        on.barrier();
        for (std::size_t i = 0; i < under_way.size(); ++i)
          under_way[(i * 11 + static_cast<std::size_t>(on.rank())) % under_way.size()].wait();
        bool right = on.rank() >= on.remote_size() || swapped[1] == on.rank();
        word sum = 0;
        for (std::size_t r = 0; r < there; ++r) sum += r * 100 + (low ? 10'000 : 0);
        for (std::size_t i = 0; i < many; ++i)
          for (std::size_t k = 0; k < out[i].size(); ++k)
            right =
                right && out[i][k] == (i % 2 == 0 ? i + k / in[i].size() * 100 + (low ? 10'000 : 0)
                                                  : i * there + sum);
        CHECK(right);
      }
      on.free();
    });
}

TEST_CASE("inter: prepared calls match in the order of preparation") {
  ranks::run<ranks::inproc>(5, [](auto world) {
    const bool low = world.rank() < 2;
    auto half = world.split(low ? 0 : 1);
    auto inter = mpx::intercommunicator<ranks::inproc>::connect(half, 0, world, low ? 2 : 0);
    int a = low ? 10 + half.rank() : -1, b = low ? 20 + half.rank() : -1;
    const mpx::rank_t root = !low ? 1 : half.rank() == 1 ? mpx::this_root : mpx::proc_null;
    auto one = inter.bcast(a, root, mpx::prepare);
    auto other = inter.bcast(b, root, mpx::prepare);
    for (int i = 0; i < 20; ++i) {
      if (!low) a = b = -1;
      orders::run_both(one, other, (world.rank() + i) % 2 != 0);
      if (!low) CHECK(a == 11);
      if (!low) CHECK(b == 21);
    }
  });
}

TEST_CASE("inter: wrong arguments are errors, and no rank waits") {
  using namespace inter_suite;
  ranks::run<ranks::inproc>(5, [](auto world) {
    const bool low = world.rank() < 2;
    auto on = connected(world, 2);
    const auto next = [&] { return on.allreduce(1, std::plus<>{}) == on.remote_size(); };
    std::error_code ec;
    int x = 0;
    on.bcast(x, low ? 3 : 2, ec);
    CHECK(ec == mpx::errc::root);
    CHECK(next());
    (void)on.bcast(x, -5, mpx::start(ec));
    CHECK(ec == mpx::errc::root);
    CHECK(next());
    CHECK(ranks::contains(ranks::text_of([&] { on.reduce(1, std::plus<>{}, 7); }),
                          "rank of the remote group, mpx::this_root"));
    CHECK(next());
    words in(2);
    words out(3);               // For 3 or 2 ranks.
    on.allgather(in, out, ec);  // Ranks with correct arguments lose those with wrong ones.
    CHECK((ec == mpx::errc::count || ec == mpx::errc::argument || ec == mpx::errc::peer_lost));
    CHECK(next());
    in.resize(12);
    on.alltoall(in, std::span(out).first(low ? 3u : 2u), ec);
    CHECK((ec == mpx::errc::truncate || ec == mpx::errc::peer_lost));
    CHECK(next());
    on.reduce_scatter(in, out, std::vector<int>(low ? 2 : 3, 3), std::plus<>{}, ec);
    CHECK((ec == mpx::errc::argument || ec == mpx::errc::peer_lost));
    CHECK(next());
    on.allgatherv(in, out, std::vector<int>(low ? 3 : 2, -1), ec);
    CHECK(ec == mpx::errc::count);
    CHECK(next());
    std::vector<int> counts(low ? 3 : 2, 1);
    if (world.rank() == 0) counts[1] = -4;
    (void)on.alltoallv(in, counts, ec);
    CHECK(ec == (world.rank() == 0 ? mpx::errc::count : mpx::errc::peer_lost));
    CHECK(next());
#if !MPX_ADDRESS_SANITIZER  // It reports memory that is not there before mpx finds it too long.
    char byte = 'a';        // More than any memory; not read.
    const std::span<const char> most(&byte, low ? std::size_t{1} << 62 : 1);
    CHECK((on.allgatherv(most, ec).empty() || low));
    CHECK((low || ec == mpx::errc::no_resources || ec == mpx::errc::peer_lost));
    CHECK(next());
    counts.assign(low ? 3 : 2, 0);
    counts[0] = low ? 0 : 1;
    std::vector<std::size_t> wide(counts.begin(), counts.end());
    if (low) wide[0] = most.size();
    CHECK((on.alltoallv(most, wide, ec).empty() || low));
    CHECK((world.rank() == 2) == (ec == mpx::errc::no_resources));
    CHECK(next());
#endif
    (void)on.allreduce(1, [](int, int) -> int { throw 1; }, ec);  // In both groups.
    CHECK((ec == mpx::errc::operation || ec == mpx::errc::peer_lost));
    CHECK(next());
    on.free();
  });
}

TEST_CASE("between: buffers that layouts spread") {
  using namespace inter_suite;
  for (const cut c : {cut{1, 2}, cut{3, 4}})
    ranks::run<ranks::inproc>(c.here + c.there, [c](auto world) {
      const bool low = world.rank() < c.here;
      auto on = connected(world, c.here);
      const auto there = static_cast<std::size_t>(on.remote_size());
      // Columns of matrices of three: `n` elements, two words between them.
      const auto column = [](std::vector<std::int64_t>& m) {
        return mpx::strided(m.data(), m.size() / 3, 3);
      };
      const auto given = [&](std::size_t n) {
        std::vector<std::int64_t> m(3 * n, -1);
        for (std::size_t i = 0; i < n; ++i)
          m[3 * i] = (low ? 0 : 1000) + on.rank() * 100 + static_cast<std::int64_t>(i);
        return m;
      };
      const auto theirs = [&](std::size_t r, std::size_t i) {
        return (low ? 1000 : 0) + static_cast<std::int64_t>(r) * 100 + static_cast<std::int64_t>(i);
      };
      const auto empty = [](std::size_t n) { return std::vector<std::int64_t>(3 * n, -1); };
      const auto holes = [](const std::vector<std::int64_t>& m) {
        bool left = true;
        for (std::size_t i = 0; i < m.size(); ++i) left = left && (i % 3 == 0 || m[i] == -1);
        return left;
      };
      for (const form f : forms) {
        bool right = true;
        auto in = given(4);
        auto out = empty(4 * there);
        run(f, [&](auto&&... h) { return on.allgather(column(in), column(out), h...); });
        for (std::size_t i = 0; i < 4 * there; ++i)
          right = right && out[3 * i] == theirs(i / 4, i % 4);
        CHECK((right && holes(out)));
        auto all = given(2 * there);
        out = empty(2 * there);
        const auto me = static_cast<std::size_t>(on.rank());
        run(f, [&](auto&&... h) { return on.alltoall(column(all), column(out), h...); });
        for (std::size_t i = 0; i < 2 * there; ++i)
          right = right && out[3 * i] == theirs(i / 2, 2 * me + i % 2);
        out = empty(4);
        run(f, [&](auto&&... h) { return on.allreduce(column(in), column(out), mpx::sum, h...); });
        for (std::size_t i = 0; i < 4; ++i) {
          std::int64_t sum = 0;
          for (std::size_t r = 0; r < there; ++r) sum += theirs(r, i);
          right = right && out[3 * i] == sum;
        }
        CHECK((right && holes(out)));
        for (const bool of_low : {true, false}) {
          const bool is_root = of_low == low && on.rank() == 0;
          const mpx::rank_t root = is_root         ? mpx::this_root
                                   : of_low == low ? mpx::rank_t{mpx::proc_null}
                                                   : 0;
          auto data = is_root ? given(5) : empty(5);
          run(f, [&](auto&&... h) { return on.bcast(column(data), root, h...); });
          for (std::size_t i = 0; i < 5 && of_low != low; ++i)
            right = right && data[3 * i] == theirs(0, i);
          out = empty(4 * there);
          run(f, [&](auto&&... h) { return on.gather(column(in), column(out), root, h...); });
          for (std::size_t i = 0; i < 4 * there; ++i)
            right = right && out[3 * i] == (is_root ? theirs(i / 4, i % 4) : -1);
          auto block = empty(2);
          run(f, [&](auto&&... h) { return on.scatter(column(all), column(block), root, h...); });
          for (std::size_t i = 0; i < 2; ++i)
            right = right && block[3 * i] == (of_low == low ? -1 : theirs(0, 2 * me + i));
          CHECK((right && holes(data) && holes(out) && holes(block)));
        }
      }
      on.free();
    });
}

TEST_CASE("inter: ranks compare their calls if the stack asks for it") {
  using namespace inter_suite;
  using compared = mpx::stack<mpx::transport::inproc, mpx::checks::collectives>;
  ranks::run<compared>(5, [](auto world) {
    const bool low = world.rank() < 2;
    auto on = connected(world, 2);
    for (const form f : {form::coded, form::prepared}) everything(on, low, 3, f);
    const auto told = [&](auto call) {
      std::error_code ec;
      call(ec);
      CHECK(ec == mpx::errc::call_mismatch);
      CHECK(on.allreduce(1, std::plus<>{}) == on.remote_size());
    };
    int x = 0;
    std::vector<int> some(6);
    told([&](auto& ec) {
      if (world.rank() == 4) return static_cast<void>(on.allreduce(x, std::plus<>{}, ec));
      on.barrier(ec);
    });
    told([&](auto& ec) {  // One of the others takes another rank for the root.
      const bool is_root = world.rank() == 0;
      on.bcast(x,
               low ? (is_root ? mpx::this_root : mpx::rank_t{mpx::proc_null}) : world.rank() == 3,
               ec);
    });
    told([&](auto& ec) {  // One gives more.
      std::vector<int> all(2 * static_cast<std::size_t>(on.remote_size()));
      on.allgather(std::span(some).first(world.rank() == 1 ? 3u : 2u), all, ec);
    });
    on.free();
  });
}
