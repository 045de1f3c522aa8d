// SPDX-License-Identifier: BSL-1.0
#pragma once
// Every collective of an intercommunicator, in every form, against what the ranks of the other
// group must have given.

#include <mpx/intercommunicator.hpp>

#include "comm/ranks.hpp"

namespace inter_suite {

using mpx::rank_t;
using word = std::uint64_t;
using words = std::vector<word>;

enum class form { at_once, coded, started, prepared };
inline constexpr form forms[] = {form::at_once, form::coded, form::started, form::prepared};

/// x -> a x + b modulo 2^32, composed: associative, and it does not commute.
struct composed {
  word operator()(word f, word g) const noexcept {
    const auto a = static_cast<std::uint32_t>(f >> 32), b = static_cast<std::uint32_t>(f);
    const auto c = static_cast<std::uint32_t>(g >> 32), d = static_cast<std::uint32_t>(g);
    return word{a * c} << 32 | static_cast<std::uint32_t>(a * d + b);
  }
};

/// Connects the first `here` ranks of `world` with the others.
template <class Comm>
auto connected(const Comm& world, rank_t here) {
  const bool low = world.rank() < here;
  auto half = world.split(low ? 0 : 1);
  auto made = mpx::intercommunicator<typename Comm::stack_type>::connect(
      half, low ? half.size() - 1 : 0, world, low ? here : here - 1, 5);
  half.free();
  return made;
}

template <class Call>
void run(form f, Call call) {
  std::error_code ec;
  switch (f) {
    case form::at_once: call(); return;
    case form::coded: call(ec); break;
    case form::started: call(mpx::start).wait(ec); break;
    case form::prepared: {
      auto r = call(mpx::prepare);
      for (int i = 0; i < 2 && !ec; ++i) {
        r.start();
        r.wait(ec);
      }
    }
  }
  CHECK(ec == std::error_code());
}

/// All collectives of `length` words per block, of one side; `low` distinguishes the groups.
template <class Inter>
struct all_of_them {
  const Inter& on;
  bool low;
  std::size_t length;
  form how;

  word value(bool of_low, rank_t r, std::size_t i) const {
    return (of_low ? 7u : 1'000'003u) + (static_cast<word>(r) * 77 + 3) * (i + 1) +
           ((static_cast<word>(r) + 2) << 33);
  }
  std::size_t there() const { return static_cast<std::size_t>(on.remote_size()); }
  std::size_t here() const { return static_cast<std::size_t>(on.size()); }
  words mine(std::size_t n) const {
    words w(n);
    for (std::size_t i = 0; i < n; ++i) w[i] = value(low, on.rank(), i);
    return w;
  }
  static words room(std::size_t n) { return words(n, ~word{0}); }
  /// Lengths that differ from rank to rank, and are the same in both groups.
  std::size_t length_of(std::size_t r) const { return length + r % 3; }
  static std::vector<int> counts(std::size_t ranks, const auto& length_at) {
    std::vector<int> c;
    for (std::size_t r = 0; r < ranks; ++r) c.push_back(static_cast<int>(length_at(r)));
    return c;
  }
  /// From back to front, with a gap between blocks.
  static std::vector<std::int64_t> displacements(const std::vector<int>& counts,
                                                 std::size_t& room) {
    std::vector<std::int64_t> at(counts.size());
    room = 1;
    for (std::size_t r = counts.size(); r-- > 0;) {
      at[r] = static_cast<std::int64_t>(room);
      room += static_cast<std::size_t>(counts[r]) + 1;
    }
    return at;
  }
  word combined(std::size_t i, bool commutes) const {
    word sum = value(!low, 0, i);
    for (rank_t r = 1; r < on.remote_size(); ++r)
      sum = commutes ? sum + value(!low, r, i) : composed()(sum, value(!low, r, i));
    return sum;
  }

  void without_root() const {
    run(how, [&](auto&&... h) { return on.barrier(h...); });
    const std::size_t n = length;
    {
      const words in = mine(n);
      words out = room(n * there());
      run(how, [&](auto&&... h) { return on.allgather(in, out, h...); });
      bool right = true;
      for (std::size_t i = 0; i < out.size(); ++i)
        right = right && out[i] == value(!low, static_cast<rank_t>(i / n), i % n);
      CHECK(right);
    }
    const std::vector<int> lengths = counts(there(), [&](auto r) { return length_of(r); });
    for (const bool spread : {false, true}) {
      const words in = mine(length_of(static_cast<std::size_t>(on.rank())));
      std::size_t size = 0;
      auto at = displacements(lengths, size);
      if (!spread) {
        size = 0;
        for (std::size_t r = 0; r < there(); ++r) {
          at[r] = static_cast<std::int64_t>(size);
          size += static_cast<std::size_t>(lengths[r]);
        }
      }
      words out = room(size);
      if (spread) {
        run(how, [&](auto&&... h) { return on.allgatherv(in, out, lengths, at, h...); });
      } else {
        run(how, [&](auto&&... h) { return on.allgatherv(in, out, lengths, h...); });
      }
      words wanted = room(size);
      for (std::size_t r = 0; r < there(); ++r)
        for (std::size_t i = 0; i < length_of(r); ++i)
          wanted[static_cast<std::size_t>(at[r]) + i] = value(!low, static_cast<rank_t>(r), i);
      CHECK((out == wanted));
    }
    {
      const words in = mine(n * there());
      words out = room(n * there());
      run(how, [&](auto&&... h) { return on.alltoall(in, out, h...); });
      bool right = true;
      const std::size_t first = static_cast<std::size_t>(on.rank()) * n;
      for (std::size_t i = 0; i < out.size(); ++i)
        right = right && out[i] == value(!low, static_cast<rank_t>(i / n), first + i % n);
      CHECK(right);
    }
    {  // Rank r gives rank s r + 2 s + n words, from s * 7 on.
      const auto me = static_cast<std::size_t>(on.rank());
      const auto out_counts = counts(there(), [&](auto s) { return me + 2 * s + n; });
      const auto in_counts = counts(there(), [&](auto r) { return r + 2 * me + n; });
      std::size_t out_room = 0;
      std::size_t in_room = 0;
      const auto out_at = displacements(out_counts, out_room);
      const auto in_at = displacements(in_counts, in_room);
      words given(out_room);
      for (std::size_t s = 0; s < there(); ++s)
        for (std::size_t i = 0; i < static_cast<std::size_t>(out_counts[s]); ++i)
          given[static_cast<std::size_t>(out_at[s]) + i] = value(low, on.rank(), s * 7 + i);
      words got = room(in_room);
      run(how, [&](auto&&... h) {
        return on.alltoallv(given, out_counts, out_at, got, in_counts, in_at, h...);
      });
      words wanted = room(in_room);
      for (std::size_t r = 0; r < there(); ++r)
        for (std::size_t i = 0; i < static_cast<std::size_t>(in_counts[r]); ++i)
          wanted[static_cast<std::size_t>(in_at[r]) + i] =
              value(!low, static_cast<rank_t>(r), me * 7 + i);
      CHECK((got == wanted));
      got = room(in_room);
      std::vector<mpx::memory> out_pieces;
      std::vector<mpx::memory> in_pieces;
      for (std::size_t r = 0; r < there(); ++r) {
        out_pieces.push_back(std::as_writable_bytes(std::span(given).subspan(
            static_cast<std::size_t>(out_at[r]), static_cast<std::size_t>(out_counts[r]))));
        in_pieces.push_back(std::as_writable_bytes(std::span(got).subspan(
            static_cast<std::size_t>(in_at[r]), static_cast<std::size_t>(in_counts[r]))));
      }
      run(how, [&](auto&&... h) {
        return on.alltoallw(std::span<const mpx::memory>(out_pieces),
                            std::span<const mpx::memory>(in_pieces), h...);
      });
      CHECK((got == wanted));
    }
    reductions(mpx::sum, true);
    reductions(composed(), false);
  }
  template <class Op>
  void reductions(Op op, bool commutes) const {
    {
      const words in = mine(length);
      words out = room(length);
      run(how, [&](auto&&... h) { return on.allreduce(in, out, op, h...); });
      words wanted(length);
      for (std::size_t i = 0; i < length; ++i) wanted[i] = combined(i, commutes);
      CHECK((out == wanted));
      if (how != form::prepared) {
        out = in;
        run(how, [&](auto&&... h) { return on.allreduce(out, op, h...); });
        CHECK((out == wanted));
      }
    }
    {  // As many words in both groups.
      const std::size_t all = length * here() * there();
      const words in = mine(all);
      words out = room(length * there());
      const std::size_t first = static_cast<std::size_t>(on.rank()) * out.size();
      run(how, [&](auto&&... h) { return on.reduce_scatter_block(in, out, op, h...); });
      bool right = true;
      for (std::size_t i = 0; i < out.size(); ++i)
        right = right && out[i] == combined(first + i, commutes);
      CHECK(right);
      // All but one word to the last rank here.
      std::vector<int> uneven(here(), 0);
      uneven[0] = all > 0 ? 1 : 0;
      uneven.back() += static_cast<int>(all) - uneven[0];
      const auto me = static_cast<std::size_t>(on.rank());
      out = room(static_cast<std::size_t>(uneven[me]));
      run(how, [&](auto&&... h) { return on.reduce_scatter(in, out, uneven, op, h...); });
      for (std::size_t i = 0; i < out.size(); ++i)
        right = right && out[i] == combined((me == 0 ? 0 : all - out.size()) + i, commutes);
      CHECK(right);
    }
  }

  /// The root: rank `root` of the group that `of_low` says.
  void with_root(bool of_low, rank_t root) const {
    const bool in_group = of_low == low;
    const bool is_root = in_group && on.rank() == root;
    const rank_t said = is_root ? mpx::this_root : in_group ? rank_t{mpx::proc_null} : root;
    const std::size_t n = length;
    {
      words data = is_root ? mine(n) : room(n);
      run(how, [&](auto&&... h) { return on.bcast(data, said, h...); });
      bool right = true;
      for (std::size_t i = 0; i < n; ++i)
        right = right && data[i] == (in_group && !is_root ? ~word{0} : value(of_low, root, i));
      CHECK(right);
    }
    {
      const words in = in_group ? words() : mine(n);
      words out = room(is_root ? n * there() : 0);
      run(how, [&](auto&&... h) { return on.gather(in, out, said, h...); });
      bool right = true;
      for (std::size_t i = 0; i < out.size(); ++i)
        right = right && out[i] == value(!of_low, static_cast<rank_t>(i / n), i % n);
      CHECK(right);
    }
    {
      const words in = is_root ? mine(n * there()) : words();
      words out = room(in_group ? 0 : n);
      run(how, [&](auto&&... h) { return on.scatter(in, out, said, h...); });
      bool right = true;
      const std::size_t first = static_cast<std::size_t>(on.rank()) * n;
      for (std::size_t i = 0; i < out.size(); ++i)
        right = right && out[i] == value(of_low, root, first + i);
      CHECK(right);
    }
    const auto me = static_cast<std::size_t>(on.rank());
    const auto lengths = counts(is_root ? there() : 0, [&](auto r) { return length_of(r); });
    std::size_t size = 0;
    const auto at = displacements(lengths, size);
    {
      const words in = in_group ? words() : mine(length_of(me));
      words out = room(is_root ? size : 0);
      run(how, [&](auto&&... h) { return on.gatherv(in, out, lengths, at, said, h...); });
      words wanted = room(out.size());
      for (std::size_t r = 0; r < lengths.size(); ++r)
        for (std::size_t i = 0; i < length_of(r); ++i)
          wanted[static_cast<std::size_t>(at[r]) + i] = value(!of_low, static_cast<rank_t>(r), i);
      CHECK((out == wanted));
    }
    {
      words in = room(is_root ? size : 0);
      for (std::size_t r = 0; r < lengths.size(); ++r)
        for (std::size_t i = 0; i < length_of(r); ++i)
          in[static_cast<std::size_t>(at[r]) + i] = value(of_low, root, r * 7 + i);
      words out = room(in_group ? 0 : length_of(me));
      run(how, [&](auto&&... h) { return on.scatterv(in, lengths, at, out, said, h...); });
      bool right = true;
      for (std::size_t i = 0; i < out.size(); ++i)
        right = right && out[i] == value(of_low, root, me * 7 + i);
      CHECK(right);
    }
    for (const bool commutes : {true, false}) {
      const words in = mine(n);
      words out = room(n);
      run(how, [&](auto&&... h) {
        return commutes ? on.reduce(in, out, mpx::sum, said, h...)
                        : on.reduce(in, out, composed(), said, h...);
      });
      bool right = true;
      for (std::size_t i = 0; i < n; ++i)
        right = right && out[i] == (is_root ? combined(i, commutes) : ~word{0});
      CHECK(right);
    }
  }
};

/// Those that return values and vectors.
template <class Inter>
void returned(const Inter& on, bool low) {
  const rank_t me = on.rank();
  const rank_t there = on.remote_size();
  CHECK(on.allreduce(me + 1, std::plus<>{}) == there * (there + 1) / 2);
  std::vector<int> all;
  std::vector<int> uneven;
  for (rank_t r = 0; r < there; ++r) {
    all.push_back(r * 3);
    uneven.insert(uneven.end(), static_cast<std::size_t>(r), r);
  }
  CHECK(on.allgather(me * 3) == all);
  CHECK(on.allgatherv(std::vector<int>(static_cast<std::size_t>(me), me)) == uneven);
  for (rank_t r = 0; r < there; ++r) all[static_cast<std::size_t>(r)] = r + 100 * me;
  std::vector<int> out;
  for (rank_t r = 0; r < there; ++r) out.push_back(me + 100 * r);
  CHECK(on.alltoall(out) == all);
  CHECK(on.alltoallv(out, std::vector<int>(static_cast<std::size_t>(there), 1)) == all);
  for (const bool from_low : {true, false}) {
    const rank_t root = (from_low == low ? on.size() : there) - 1;
    const bool is_root = from_low == low && me == root;
    const rank_t said = is_root ? mpx::this_root : from_low == low ? rank_t{mpx::proc_null} : root;
    CHECK(on.reduce(me + 1, std::plus<>{}, said) == (is_root ? there * (there + 1) / 2 : me + 1));
    for (rank_t r = 0; r < there; ++r) all[static_cast<std::size_t>(r)] = r * 3;
    CHECK(on.gather(me * 3, said) == (is_root ? all : std::vector<int>()));
    CHECK(on.gatherv(std::vector<int>(static_cast<std::size_t>(me), me), said) ==
          (is_root ? uneven : std::vector<int>()));
    CHECK(on.scatter(is_root ? all : std::vector<int>(), said) ==
          (from_low == low ? std::vector<int>() : std::vector<int>{me * 3}));
  }
}

/// All of it, at one length.
template <class Inter>
void everything(const Inter& on, bool low, std::size_t length, form how) {
  CAPTURE(length);
  CAPTURE(static_cast<int>(how));
  const all_of_them<Inter> all{on, low, length, how};
  all.without_root();
  for (const bool of_low : {true, false})
    all.with_root(of_low, (of_low == low ? on.size() : on.remote_size()) - 1);
}

}  // namespace inter_suite
