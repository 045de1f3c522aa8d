// SPDX-License-Identifier: BSL-1.0
#pragma once
// Collectives of spread buffers: every rank draws how its own lie, and what arrives, and that
// nothing else is touched, is checked against what a program without ranks computes.

#include <array>
#include <cstring>
#include <mpx/datatype.hpp>
#include <utility>
#include <vector>

#include "coll/suite.hpp"
#include "datatype/transfers.hpp"

namespace spread {

using mpx::datatype;
using mpx::rank_t;
using suite::form;
using suite::in_form;

/// A datatype of 24 bytes, and where they lie.
struct element_type {
  datatype type;
  std::int64_t extent;
  std::vector<std::pair<std::size_t, std::size_t>> pieces;  // Place and length.
};
inline const std::vector<element_type>& types() {
  const datatype word = datatype::of<std::int64_t>();
  const datatype half = datatype::of<std::int32_t>();
  const datatype byte = datatype::of<std::byte>();
  static const std::vector<element_type> all = {
      {datatype::contiguous(3, word), 24, {{0, 24}}},
      {datatype::vector(3, 1, 3, word), 56, {{0, 8}, {24, 8}, {48, 8}}},  // A column,
      {datatype::resized(
           datatype::structure({1, 1, 1, 1}, {0, 8, 16, 24}, {half, word, half, word}), 0, 32),
       32,
       {{0, 4}, {8, 8}, {16, 4}, {24, 8}}},  // a record with holes,
      {datatype::indexed({1, 2}, {4, 0}, word), 40, {{32, 8}, {0, 16}}},
      {datatype::subarray({4, 4}, {3, 1}, {1, 2}, mpx::array_order::c, word),
       128,
       {{48, 8}, {80, 8}, {112, 8}}},  // a block of a matrix,
      {datatype::resized(datatype::structure({3, 1, 1, 2}, {0, 4, 9, 16}, {byte, half, byte, word}),
                         0, 32),
       32,
       {{0, 3}, {4, 4}, {9, 1}, {16, 16}}},
  };
  return all;
}

using triple = std::array<std::int64_t, 3>;
/// Element i of what rank r gives.
inline triple value(rank_t r, std::size_t i) {
  const std::int64_t x = suite::element(r, i) + 1;
  return {x, x % 100 * 0x1234'5678'9abc, -x};
}

/// Elements of one of the types in memory of their own.
class place {
 public:
  place(std::size_t kind, std::size_t count)
      : type_(&types()[kind % types().size()]),
        count_(count),
        bytes_(count * static_cast<std::size_t>(type_->extent), hole) {}

  auto buffer() {
    return mpx::buffer(bytes_.data(), static_cast<std::int64_t>(count_), type_->type);
  }
  void set(std::size_t i, const triple& t) {
    const auto* from = reinterpret_cast<const std::byte*>(&t);
    for (const auto& [at, n] : type_->pieces) {
      std::memcpy(bytes_.data() + i * static_cast<std::size_t>(type_->extent) + at, from, n);
      from += n;
    }
  }
  triple get(std::size_t i) const {
    triple t{};
    auto* into = reinterpret_cast<std::byte*>(&t);
    for (const auto& [at, n] : type_->pieces) {
      std::memcpy(into, bytes_.data() + i * static_cast<std::size_t>(type_->extent) + at, n);
      into += n;
    }
    return t;
  }
  place& fill(rank_t r, std::size_t from = 0) {
    for (std::size_t i = 0; i < count_; ++i) set(i, value(r, from + i));
    return *this;
  }
  /// True if `n` elements from `at` on are those that rank r gives from `from` on.
  bool holds(std::size_t at, std::size_t n, rank_t r, std::size_t from = 0) const {
    for (std::size_t i = 0; i < n; ++i)
      if (get(at + i) != value(r, from + i)) return false;
    return true;
  }
  /// Nothing but elements has been written to; of those, none but `n` from `at` on.
  bool untouched(std::size_t at = 0, std::size_t n = ~std::size_t{0}) const {
    place rest = *this;
    triple empty;
    std::memset(&empty, static_cast<int>(hole), sizeof empty);
    for (std::size_t i = 0; i < count_; ++i)
      if (i >= at && i - at < n) rest.set(i, empty);
    return std::count(rest.bytes_.begin(), rest.bytes_.end(), hole) ==
           static_cast<std::ptrdiff_t>(bytes_.size());
  }

 private:
  static constexpr std::byte hole{0x5b};
  const element_type* type_;
  std::size_t count_;
  std::vector<std::byte> bytes_;
};

/// Draws the same or another at every rank.
class drawing {
 public:
  drawing(std::uint64_t seed, rank_t rank) : state_(seed * 77 + static_cast<std::uint64_t>(rank)) {}
  std::size_t kind() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>(state_ >> 33);
  }
  place of(std::size_t count) { return {kind(), count}; }

 private:
  std::uint64_t state_;
};

/// All that moves blocks, of `length` elements.
template <class World>
void blocks(const World& w, form f, std::size_t length, std::uint64_t seed) {
  const rank_t n = w.size();
  const rank_t me = w.rank();
  const auto size = static_cast<std::size_t>(n);
  const auto mine = static_cast<std::size_t>(me);
  const rank_t root = static_cast<rank_t>(seed + length) % n;
  const bool here = me == root;
  const bool again = f == form::prepared;  // It runs twice: nothing in place.
  drawing draw(seed, me);
  CAPTURE(n);
  CAPTURE(length);
  CAPTURE(seed);
  CAPTURE(static_cast<int>(w.algorithm_wanted()));

  {
    place data = draw.of(length);
    if (here) data.fill(root);
    in_form(f, [&](auto&& how) { return w.bcast(data.buffer(), root, how); });
    CHECK_MESSAGE((data.holds(0, length, root) && data.untouched()), "bcast");
  }
  {
    place own = draw.of(length);
    place all = draw.of(here ? length * size : 0);
    const bool in_place = here && !again && seed % 2 == 0;
    if (in_place) {
      for (std::size_t i = 0; i < length; ++i) all.set(mine * length + i, value(me, i));
      in_form(f, [&](auto&& how) { return w.gather(mpx::in_place, all.buffer(), root, how); });
    } else {
      own.fill(me);
      in_form(f, [&](auto&& how) { return w.gather(own.buffer(), all.buffer(), root, how); });
    }
    bool right = all.untouched();
    for (std::size_t r = 0; here && r < size; ++r)
      right = right && all.holds(r * length, length, static_cast<rank_t>(r));
    CHECK_MESSAGE(right, "gather");
    place part = draw.of(length);
    in_form(f, [&](auto&& how) { return w.scatter(all.buffer(), part.buffer(), root, how); });
    CHECK_MESSAGE((part.holds(0, length, me) && part.untouched()), "scatter");
  }
  {
    place own = draw.of(length);
    place all = draw.of(length * size);
    if (!again && seed % 2 == 0) {
      for (std::size_t i = 0; i < length; ++i) all.set(mine * length + i, value(me, i));
      in_form(f, [&](auto&& how) { return w.allgather(mpx::in_place, all.buffer(), how); });
    } else {
      own.fill(me);
      in_form(f, [&](auto&& how) { return w.allgather(own.buffer(), all.buffer(), how); });
    }
    bool right = all.untouched();
    for (std::size_t r = 0; r < size; ++r)
      right = right && all.holds(r * length, length, static_cast<rank_t>(r));
    CHECK_MESSAGE(right, "allgather");
  }
  const auto came = [&](const place& p) {
    bool good = p.untouched();
    for (std::size_t r = 0; r < size; ++r)
      good = good && p.holds(r * length, length, static_cast<rank_t>(r), mine * length);
    return good;
  };
  {
    place out = draw.of(length * size);
    place in = draw.of(length * size);
    out.fill(me);
    in_form(f, [&](auto&& how) { return w.alltoall(out.buffer(), in.buffer(), how); });
    CHECK_MESSAGE((came(in) && out.untouched()), "alltoall");
    if (!again) {
      in_form(f, [&](auto&& how) { return w.alltoall(mpx::in_place, out.buffer(), how); });
      CHECK_MESSAGE(came(out), "alltoall in place");
    }
  }
  // Blocks of different lengths, some of them empty, with elements between them.
  std::vector<int> counts(size);
  std::vector<std::int64_t> displacements(size);
  std::int64_t end = 1;
  for (std::size_t r = 0; r < size; ++r) {
    counts[r] = static_cast<int>((length * (r + 1)) % (length + 2));
    displacements[r] = end;
    end += counts[r] + static_cast<int>(r % 3);
  }
  const auto my_count = static_cast<std::size_t>(counts[mine]);
  const auto room = static_cast<std::size_t>(end);
  const auto holds_v = [&](const place& p) {
    bool good = true;
    place rest = p;
    for (std::size_t r = 0; r < size; ++r) {
      const auto at = static_cast<std::size_t>(displacements[r]);
      const auto k = static_cast<std::size_t>(counts[r]);
      good = good && p.holds(at, k, static_cast<rank_t>(r));
      for (std::size_t i = 0; i < k; ++i) {
        triple empty;
        std::memset(&empty, 0x5b, sizeof empty);
        rest.set(at + i, empty);
      }
    }
    return good && rest.untouched(0, 0);
  };
  {
    place own = draw.of(my_count).fill(me);
    place all = draw.of(room);
    in_form(f, [&](auto&& how) {
      return w.gatherv(own.buffer(), all.buffer(), counts, displacements, root, how);
    });
    CHECK_MESSAGE((!here || holds_v(all)), "gatherv");
    place part = draw.of(my_count);
    in_form(f, [&](auto&& how) {
      return w.scatterv(all.buffer(), counts, displacements, part.buffer(), root, how);
    });
    CHECK_MESSAGE((part.holds(0, my_count, me) && part.untouched()), "scatterv");
    place everywhere = draw.of(room);
    in_form(f, [&](auto&& how) {
      return w.allgatherv(own.buffer(), everywhere.buffer(), counts, displacements, how);
    });
    CHECK_MESSAGE(holds_v(everywhere), "allgatherv");
  }
  {
    // From q to r: (q + 2 r) % 5 * length / 4 elements.
    const auto between = [&](rank_t q, rank_t r) {
      return static_cast<std::int64_t>(static_cast<std::size_t>((q + 2 * r) % 5) * length / 4);
    };
    std::vector<std::int64_t> going(size), coming(size);
    std::size_t out_sum = 0, in_sum = 0;
    for (rank_t r = 0; r < n; ++r) {
      out_sum += static_cast<std::size_t>(going[static_cast<std::size_t>(r)] = between(me, r));
      in_sum += static_cast<std::size_t>(coming[static_cast<std::size_t>(r)] = between(r, me));
    }
    place out = draw.of(out_sum).fill(me);
    place in = draw.of(in_sum);
    in_form(f,
            [&](auto&& how) { return w.alltoallv(out.buffer(), going, in.buffer(), coming, how); });
    bool right = in.untouched();
    std::size_t at = 0;
    for (rank_t r = 0; r < n; ++r) {
      std::size_t before = 0;
      for (rank_t q = 0; q < me; ++q) before += static_cast<std::size_t>(between(r, q));
      const auto k = static_cast<std::size_t>(coming[static_cast<std::size_t>(r)]);
      right = right && in.holds(at, k, r, before);
      at += k;
    }
    CHECK_MESSAGE(right, "alltoallv");
  }
}

/// `T` at a stride: elements to combine.
template <class T>
struct column {
  column(std::size_t n, std::size_t apart) : all(n * apart + 1), count(n), stride(apart) {}
  auto view() { return mpx::strided(all.data(), count, static_cast<std::ptrdiff_t>(stride)); }
  T& operator[](std::size_t i) { return all[i * stride]; }
  bool untouched() const {
    bool good = true;
    for (std::size_t i = 0; i < all.size(); ++i)
      good = good && ((i % stride == 0 && i / stride < count) || all[i] == T{});
    return good;
  }
  std::vector<T> all;
  std::size_t count;
  std::size_t stride;
};

/// All that combines.
template <class World>
void reductions(const World& w, form f, std::size_t length, std::uint64_t seed) {
  using suite::matrix;
  const rank_t n = w.size();
  const rank_t me = w.rank();
  const auto size = static_cast<std::size_t>(n);
  const auto mine = static_cast<std::size_t>(me);
  const rank_t root = static_cast<rank_t>(seed + length + 1) % n;
  drawing draw(seed, me);
  CAPTURE(n);
  CAPTURE(length);
  CAPTURE(seed);
  CAPTURE(static_cast<int>(w.algorithm_wanted()));
  // A stride of one is a buffer in one piece.
  const auto numbers = [&](std::size_t k, bool filled) {
    column<std::int64_t> c(k, 1 + draw.kind() % 3);
    for (std::size_t i = 0; filled && i < k; ++i) c[i] = suite::element(me, i);
    return c;
  };
  const auto factors = [&](std::size_t k, bool filled) {
    column<matrix> c(k, 1 + draw.kind() % 3);
    for (std::size_t i = 0; filled && i < k; ++i) c[i] = suite::of(me, i);
    return c;
  };
  const auto is_sum = [&](column<std::int64_t>& c, std::size_t from = 0) {
    bool good = c.untouched();
    for (std::size_t i = 0; i < c.count; ++i) good = good && c[i] == suite::sum_at(n, from + i);
    return good;
  };
  const auto is_product = [&](column<matrix>& c, rank_t last, std::size_t from = 0) {
    bool good = c.untouched();
    for (std::size_t i = 0; i < c.count; ++i)
      good = good && c[i] == suite::product(0, last, from + i);
    return good;
  };
  {
    auto in = numbers(length, true);
    auto out = numbers(length, false);
    in_form(f,
            [&](auto&& how) { return w.reduce(in.view(), out.view(), std::plus<>{}, root, how); });
    CHECK_MESSAGE((me != root || is_sum(out)), "reduce");
    in_form(f, [&](auto&& how) { return w.allreduce(in.view(), out.view(), std::plus<>{}, how); });
    CHECK_MESSAGE(is_sum(out), "allreduce");
    if (f != form::prepared) {
      in_form(f, [&](auto&& how) { return w.allreduce(in.view(), std::plus<>{}, how); });
      CHECK_MESSAGE(is_sum(in), "allreduce in place");
    }
  }
  {
    auto in = factors(length, true);
    auto out = factors(length, false);
    in_form(f,
            [&](auto&& how) { return w.reduce(in.view(), out.view(), suite::times{}, root, how); });
    CHECK_MESSAGE((me != root || is_product(out, n - 1)), "reduce in order");
    in_form(f, [&](auto&& how) { return w.allreduce(in.view(), out.view(), suite::times{}, how); });
    CHECK_MESSAGE(is_product(out, n - 1), "allreduce in order");
    in_form(f, [&](auto&& how) { return w.scan(in.view(), out.view(), suite::times{}, how); });
    CHECK_MESSAGE(is_product(out, me), "scan");
    auto before = factors(length, true);
    in_form(f, [&](auto&& how) { return w.exscan(in.view(), before.view(), suite::times{}, how); });
    bool right = me == 0 || is_product(before, me - 1);
    for (std::size_t i = 0; me == 0 && i < length; ++i)
      right = right && before[i] == suite::of(0, i);
    CHECK_MESSAGE(right, "exscan");
    if (f != form::prepared) {
      in_form(f, [&](auto&& how) { return w.reduce(in.view(), suite::times{}, root, how); });
      CHECK_MESSAGE((me != root || is_product(in, n - 1)), "reduce in place");
    }
  }
  {
    auto in = numbers(length * size, true);
    auto out = numbers(length, false);
    in_form(f, [&](auto&& how) {
      return w.reduce_scatter_block(in.view(), out.view(), std::plus<>{}, how);
    });
    CHECK_MESSAGE(is_sum(out, mine * length), "reduce_scatter_block");
    std::vector<int> counts(size);
    std::size_t total = 0;
    std::size_t before = 0;
    for (std::size_t r = 0; r < size; ++r) {
      if (r == mine) before = total;
      counts[r] = static_cast<int>((length * (r + 1)) % (length + 2));
      total += static_cast<std::size_t>(counts[r]);
    }
    auto many = factors(total, true);
    auto block = factors(static_cast<std::size_t>(counts[mine]), false);
    in_form(f, [&](auto&& how) {
      return w.reduce_scatter(many.view(), block.view(), counts, suite::times{}, how);
    });
    CHECK_MESSAGE(is_product(block, n - 1, before), "reduce_scatter in order");
  }
}

/// Elements of 24 bytes: none, one, more than a packet, and long enough for each way.
inline constexpr std::size_t lengths[] = {0, 1, 30, 200};

template <class World>
void everything(const World& world, form f, std::uint64_t seed,
                std::span<const std::size_t> of_lengths = lengths) {
  for (int a = 0; a < mpx::coll::algorithms; ++a) {
    const auto w = world.with(static_cast<mpx::coll::algorithm>(a));
    if (a == 0 && f == form::at_once && world.size() < 4) {
      blocks(w, f, 3000, ++seed);
      reductions(w, f, 10'000, seed);
    }
    for (const std::size_t length : of_lengths) {
      blocks(w, f, length, ++seed);
      reductions(w, f, length, seed);
    }
  }
}

/// A drawn datatype with exactly `bytes` of data.
inline transfers::spread draw_exactly(transfers::generator& random, std::size_t bytes) {
  for (;;) {
    transfers::spread s = transfers::draw(random, bytes);
    if (s.at.size() == bytes) return s;
  }
}
/// Buffers of datatypes that each rank draws, in and out, against lists of their bytes.
template <class World>
void drawn(const World& w, form f, std::uint64_t seed) {
  const auto n = static_cast<std::size_t>(w.size());
  const auto me = static_cast<std::size_t>(w.rank());
  const std::size_t bytes = seed % 3 == 0 ? 360 : 2520;
  transfers::generator random(seed * 100 + me);
  const auto filled = [&](const transfers::spread& s, std::size_t from, std::size_t to,
                          std::uint64_t what) {
    auto m = s.memory(std::byte{0x11});
    for (std::size_t i = from; i < to; ++i)
      m[static_cast<std::size_t>(s.at[i] - s.low)] = transfers::data_of(what, i - from);
    return m;
  };
  const transfers::spread one = draw_exactly(random, bytes);
  const transfers::spread other = draw_exactly(random, bytes);
  const transfers::spread all = draw_exactly(random, bytes * n);
  CAPTURE(seed);
  CAPTURE(n);
  const auto root = static_cast<mpx::rank_t>(seed % n);
  const bool here = w.rank() == root;
  auto data = here ? filled(one, 0, bytes, seed) : one.memory(std::byte{0x11});
  in_form(f, [&](auto&& how) { return w.bcast(one.in(data), root, how); });
  CHECK_MESSAGE(data == filled(one, 0, bytes, seed), "bcast");
  auto mine = filled(other, 0, bytes, seed + me);
  auto everywhere = all.memory(std::byte{0x11});
  in_form(f, [&](auto&& how) { return w.allgather(other.in(mine), all.in(everywhere), how); });
  auto wanted = all.memory(std::byte{0x11});
  for (std::size_t i = 0; i < bytes * n; ++i)
    wanted[static_cast<std::size_t>(all.at[i] - all.low)] =
        transfers::data_of(seed + i / bytes, i % bytes);
  CHECK_MESSAGE(everywhere == wanted, "allgather");
  auto part = one.memory(std::byte{0x11});
  in_form(f, [&](auto&& how) { return w.scatter(all.in(everywhere), one.in(part), root, how); });
  CHECK_MESSAGE(part == filled(one, 0, bytes, seed + me), "scatter");
  auto back = all.memory(std::byte{0x11});
  in_form(f, [&](auto&& how) { return w.gather(one.in(part), all.in(back), root, how); });
  CHECK_MESSAGE((!here || back == wanted), "gather");
}

}  // namespace spread
