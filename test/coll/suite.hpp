// SPDX-License-Identifier: BSL-1.0
#pragma once
// Every collective by every algorithm, at many sizes, against what a program without ranks
// computes. The same for all stacks.

#ifndef CHECK_MESSAGE  // A program of several processes has checks of its own.
#include <doctest/doctest.h>
#endif

#include <cstdint>
#include <functional>
#include <mpx/mpx.hpp>
#include <numeric>
#include <vector>

namespace suite {

/// Composition of 2 x 2 matrices modulo 2^64: associative, and it does not commute.
struct matrix {
  std::uint64_t m[4];  // Without optimisation std::array would take longest of all.
  friend bool operator==(const matrix&, const matrix&) = default;
};
struct times {
  matrix operator()(const matrix& a, const matrix& b) const {
    return {{a.m[0] * b.m[0] + a.m[1] * b.m[2], a.m[0] * b.m[1] + a.m[1] * b.m[3],
             a.m[2] * b.m[0] + a.m[3] * b.m[2], a.m[2] * b.m[1] + a.m[3] * b.m[3]}};
  }
};
inline matrix of(mpx::rank_t rank, std::size_t i) {
  const auto r = static_cast<std::uint64_t>(rank);
  return {{r + 2, i + 3, 5 * r + 1, 7 * i + r}};
}
/// Of ranks first .. last.
inline matrix product(mpx::rank_t first, mpx::rank_t last, std::size_t i) {
  matrix p = of(first, i);
  for (mpx::rank_t r = first + 1; r <= last; ++r) p = times()(p, of(r, i));
  return p;
}
/// Element i of what rank r gives.
inline std::int64_t element(mpx::rank_t r, std::size_t i) {
  return 1'000'003 * static_cast<std::int64_t>(r) + static_cast<std::int64_t>(i * 7 % 1000);
}
inline std::int64_t sum_at(mpx::rank_t n, std::size_t i) {
  std::int64_t sum = 0;
  for (mpx::rank_t r = 0; r < n; ++r) sum += element(r, i);
  return sum;
}
inline std::vector<std::int64_t> mine(mpx::rank_t r, std::size_t n, std::size_t from = 0) {
  std::vector<std::int64_t> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = element(r, from + i);
  return v;
}
inline bool is_of(std::span<const std::int64_t> v, mpx::rank_t r, std::size_t from = 0) {
  for (std::size_t i = 0; i < v.size(); ++i)
    if (v[i] != element(r, from + i)) return false;
  return true;
}

/// Form of a call: blocking, started, or prepared and run twice.
enum class form { at_once, started, prepared };

/// Calls `call(how...)` in one of the forms.
template <class Call>
void in_form(form f, Call&& call) {
  switch (f) {
    case form::at_once: return static_cast<void>(call(mpx::detail::throws_t{}));
    case form::started: return static_cast<void>(call(mpx::start).wait());
    case form::prepared: {
      auto r = call(mpx::prepare);
      for (int i = 0; i < 2; ++i) {
        r.start();
        r.wait();
      }
      return;
    }
  }
}

/// Elements of 8 bytes: none, some, more than a packet, and long enough for each way.
inline constexpr std::size_t lengths[] = {0, 1, 3, 40, 700, 5000};

/// All that moves blocks. `w`: with one algorithm.
template <class World>
void blocks(const World& w, form f, std::size_t length) {
  const mpx::rank_t n = w.size();
  const mpx::rank_t me = w.rank();
  const auto size = static_cast<std::size_t>(n);
  const mpx::rank_t root = static_cast<mpx::rank_t>(length) % n;
  CAPTURE(n);
  CAPTURE(length);
  CAPTURE(static_cast<int>(w.algorithm_wanted()));
  bool right = true;

  auto data = me == root ? mine(root, length) : std::vector<std::int64_t>(length);
  in_form(f, [&](auto&& how) { return w.bcast(data, root, how); });
  right = right && is_of(data, root);
  CHECK_MESSAGE(right, "bcast");

  const auto own = mine(me, length);
  std::vector<std::int64_t> all(me == root ? length * size : 0);
  in_form(f, [&](auto&& how) { return w.gather(own, all, root, how); });
  for (mpx::rank_t r = 0; me == root && r < n; ++r)
    right = right && is_of(std::span(all).subspan(static_cast<std::size_t>(r) * length, length), r);
  CHECK_MESSAGE(right, "gather");

  std::vector<std::int64_t> part(length, -1);
  in_form(f, [&](auto&& how) { return w.scatter(all, part, root, how); });
  right = right && is_of(part, me);
  CHECK_MESSAGE(right, "scatter");

  std::vector<std::int64_t> everywhere(length * size, -1);
  in_form(f, [&](auto&& how) { return w.allgather(own, everywhere, how); });
  for (mpx::rank_t r = 0; r < n; ++r)
    right = right &&
            is_of(std::span(everywhere).subspan(static_cast<std::size_t>(r) * length, length), r);
  CHECK_MESSAGE(right, "allgather");

  // Block r of rank q: elements r * length .. of q.
  auto out = mine(me, length * size);
  std::vector<std::int64_t> in(length * size, -1);
  in_form(f, [&](auto&& how) { return w.alltoall(out, in, how); });
  const auto came = [&](std::span<const std::int64_t> v) {
    bool good = true;
    for (mpx::rank_t r = 0; r < n; ++r)
      good = good && is_of(v.subspan(static_cast<std::size_t>(r) * length, length), r,
                           static_cast<std::size_t>(me) * length);
    return good;
  };
  right = right && came(in);
  CHECK_MESSAGE(right, "alltoall");
  if (f == form::at_once) {
    w.alltoall(mpx::in_place, out);
    right = right && came(out);
    CHECK_MESSAGE(right, "alltoall in place");
  }

  // Blocks of different lengths, some of them empty, with holes between them.
  std::vector<int> counts(size);
  std::vector<std::int64_t> displacements(size);
  std::int64_t end = 0;
  for (std::size_t r = 0; r < size; ++r) {
    counts[r] = static_cast<int>((length * (r + 1)) % (length + 2));
    displacements[r] = end;
    end += counts[r] + static_cast<int>(r % 3);
  }
  const auto mine_v = mine(me, static_cast<std::size_t>(counts[static_cast<std::size_t>(me)]));
  const auto holds_v = [&](const std::vector<std::int64_t>& v) {
    bool good = true;
    for (std::size_t r = 0; r < size; ++r) {
      const auto at = static_cast<std::size_t>(displacements[r]);
      const auto k = static_cast<std::size_t>(counts[r]);
      good = good && is_of(std::span(v).subspan(at, k), static_cast<mpx::rank_t>(r));
      if (r % 3 != 0) good = good && v[at + k] == -7;
    }
    return good;
  };
  std::vector<std::int64_t> holes(static_cast<std::size_t>(end) + 3, -7);
  in_form(f,
          [&](auto&& how) { return w.gatherv(mine_v, holes, counts, displacements, root, how); });
  if (me == root) right = right && holds_v(holes);
  CHECK_MESSAGE(right, "gatherv");
  std::vector<std::int64_t> part_v(mine_v.size(), -1);
  in_form(f,
          [&](auto&& how) { return w.scatterv(holes, counts, displacements, part_v, root, how); });
  right = right && part_v == mine_v;
  CHECK_MESSAGE(right, "scatterv");
  std::fill(holes.begin(), holes.end(), -7);
  in_form(f, [&](auto&& how) { return w.allgatherv(mine_v, holes, counts, displacements, how); });
  right = right && holds_v(holes);
  CHECK_MESSAGE(right, "allgatherv");

  // From q to r: (q + 2 r) % 5 * length / 4 elements.
  const auto between = [&](mpx::rank_t q, mpx::rank_t r) {
    return static_cast<std::int64_t>(static_cast<std::size_t>((q + 2 * r) % 5) * length / 4);
  };
  std::vector<std::int64_t> going(size);
  std::vector<std::int64_t> coming(size);
  for (mpx::rank_t r = 0; r < n; ++r) {
    going[static_cast<std::size_t>(r)] = between(me, r);
    coming[static_cast<std::size_t>(r)] = between(r, me);
  }
  const auto sum = [](const std::vector<std::int64_t>& v) {
    return static_cast<std::size_t>(std::accumulate(v.begin(), v.end(), std::int64_t{0}));
  };
  const auto out_v = mine(me, sum(going));
  std::vector<std::int64_t> in_v(sum(coming), -1);
  in_form(f, [&](auto&& how) { return w.alltoallv(out_v, going, in_v, coming, how); });
  std::size_t at = 0;
  for (mpx::rank_t r = 0; r < n; ++r) {
    std::size_t before = 0;
    for (mpx::rank_t q = 0; q < me; ++q) before += static_cast<std::size_t>(between(r, q));
    const auto k = static_cast<std::size_t>(coming[static_cast<std::size_t>(r)]);
    right = right && is_of(std::span(in_v).subspan(at, k), r, before);
    at += k;
  }
  CHECK_MESSAGE(right, "alltoallv");
}

/// All that combines.
template <class World>
void reductions(const World& w, form f, std::size_t length) {
  const mpx::rank_t n = w.size();
  const mpx::rank_t me = w.rank();
  const auto size = static_cast<std::size_t>(n);
  const mpx::rank_t root = static_cast<mpx::rank_t>(length + 1) % n;
  CAPTURE(n);
  CAPTURE(length);
  CAPTURE(static_cast<int>(w.algorithm_wanted()));
  bool right = true;
  const auto own = mine(me, length);
  const auto is_sum = [&](std::span<const std::int64_t> v, std::size_t from = 0) {
    bool good = true;
    for (std::size_t i = 0; i < v.size(); ++i) good = good && v[i] == sum_at(n, from + i);
    return good;
  };
  std::vector<std::int64_t> result(length, -1);
  in_form(f, [&](auto&& how) { return w.reduce(own, result, std::plus<>{}, root, how); });
  right = right && (me != root || is_sum(result));
  CHECK_MESSAGE(right, "reduce");
  std::fill(result.begin(), result.end(), -1);
  in_form(f, [&](auto&& how) { return w.allreduce(own, result, std::plus<>{}, how); });
  right = right && is_sum(result) && is_of(own, me);
  CHECK_MESSAGE(right, "allreduce");

  std::vector<matrix> factors(length);
  for (std::size_t i = 0; i < length; ++i) factors[i] = of(me, i);
  std::vector<matrix> products(length);
  in_form(f, [&](auto&& how) { return w.allreduce(factors, products, times{}, how); });
  for (std::size_t i = 0; i < length; ++i) right = right && products[i] == product(0, n - 1, i);
  CHECK_MESSAGE(right, "allreduce in order");
  products.assign(length, matrix{});
  in_form(f, [&](auto&& how) { return w.reduce(factors, products, times{}, root, how); });
  for (std::size_t i = 0; me == root && i < length; ++i)
    right = right && products[i] == product(0, n - 1, i);
  CHECK_MESSAGE(right, "reduce in order");
  in_form(f, [&](auto&& how) { return w.scan(factors, products, times{}, how); });
  for (std::size_t i = 0; i < length; ++i) right = right && products[i] == product(0, me, i);
  CHECK_MESSAGE(right, "scan");
  in_form(f, [&](auto&& how) { return w.exscan(factors, products, times{}, how); });
  for (std::size_t i = 0; me > 0 && i < length; ++i)
    right = right && products[i] == product(0, me - 1, i);
  CHECK_MESSAGE(right, "exscan");

  const auto long_one = mine(me, length * size);
  result.assign(length, -1);
  in_form(f,
          [&](auto&& how) { return w.reduce_scatter_block(long_one, result, std::plus<>{}, how); });
  right = right && is_sum(result, static_cast<std::size_t>(me) * length);
  CHECK_MESSAGE(right, "reduce_scatter_block");
  std::vector<int> counts(size);
  std::size_t total = 0;
  std::size_t before = 0;
  for (std::size_t r = 0; r < size; ++r) {
    if (r == static_cast<std::size_t>(me)) before = total;
    counts[r] = static_cast<int>((length * (r + 1)) % (length + 2));
    total += static_cast<std::size_t>(counts[r]);
  }
  std::vector<matrix> many(total);
  for (std::size_t i = 0; i < total; ++i) many[i] = of(me, i);
  std::vector<matrix> block(static_cast<std::size_t>(counts[static_cast<std::size_t>(me)]));
  in_form(f, [&](auto&& how) { return w.reduce_scatter(many, block, counts, times{}, how); });
  for (std::size_t i = 0; i < block.size(); ++i)
    right = right && block[i] == product(0, n - 1, before + i);
  CHECK_MESSAGE(right, "reduce_scatter in order");
  const auto numbers = mine(me, total);
  std::vector<std::int64_t> sums(block.size(), -1);
  in_form(f,
          [&](auto&& how) { return w.reduce_scatter(numbers, sums, counts, std::plus<>{}, how); });
  right = right && is_sum(sums, before);
  CHECK_MESSAGE(right, "reduce_scatter");
}

template <class World>
void everything(const World& world, form f, std::span<const std::size_t> of_lengths = lengths) {
  for (int a = 0; a < mpx::coll::algorithms; ++a) {
    const auto w = world.with(static_cast<mpx::coll::algorithm>(a));
    in_form(f, [&](auto&& how) { return w.barrier(how); });
    for (const std::size_t length : of_lengths) {
      blocks(w, f, length);
      reductions(w, f, length);
    }
  }
}

}  // namespace suite
