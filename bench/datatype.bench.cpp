// SPDX-License-Identifier: BSL-1.0
// Packing what lies apart, by a datatype and by a view, beside the loop that one would write by hand.
// The aim: at most 1.1 times as long as that.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mpx/datatype.hpp>
#include <numeric>
#include <random>
#include <span>
#include <vector>

namespace {

using mpx::datatype;

enum class way : std::uint8_t { by_hand, by_type, by_view };

/// `n` doubles, the same memory for all ways: where its pages lie decides how fast a long stride is.
std::span<const double> doubles(std::size_t n) {
  static const std::vector<double> all(1'000'000, 1.5);
  return std::span(all).first(n);
}

/// Packs by `hand(out)`, a datatype of which `count` lie at `base`, or a view.
template <way How, class Hand, class View>
void measure(benchmark::State& state, std::size_t bytes, Hand hand, const void* base,
             std::int64_t count, const datatype& type, const View& view) {
  static std::vector<std::byte> all(2'000'000);
  const std::span<std::byte> out = std::span(all).first(bytes);
  const auto typed = mpx::buffer(base, count, type);
  for (auto _ : state) {
    benchmark::DoNotOptimize(base);
    if constexpr (How == way::by_hand)
      hand(out.data());
    else if constexpr (How == way::by_type)
      mpx::pack(typed, out);
    else
      mpx::pack(view, out);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

template <way How>
void column(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const std::span<const double> m = doubles(n * n);
  measure<How>(
      state, n * sizeof(double),
      [&](std::byte* to) {
        auto* out = reinterpret_cast<double*>(to);
        for (std::size_t i = 0; i < n; ++i) out[i] = m[i * n + 3];
      },
      m.data() + 3, 1, datatype::vector(state.range(0), 1, state.range(0), datatype::of<double>()),
      mpx::column(mpx::matrix(m.data(), n, n), 3));
}

struct holed {
  std::int32_t id;
  double weight;
};
template <way How>
void record(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const std::vector<holed> records(n, {1, 2});
  measure<How>(
      state, n * 12,
      [&](std::byte* to) {
        for (std::size_t i = 0; i < n; ++i, to += 12) {
          std::memcpy(to, &records[i].id, 4);
          std::memcpy(to + 4, &records[i].weight, 8);
        }
      },
      records.data(), state.range(0), mpx::datatype_of<holed>(), mpx::fields(records));
}

template <way How>
void indexed(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  std::vector<double> from(4 * n, 1.5);
  std::vector<std::int64_t> at(n);
  std::iota(at.begin(), at.end(), 0);
  std::mt19937 random(1);
  for (std::size_t i = 0; i < n; ++i) at[i] = 4 * at[i] + static_cast<std::int64_t>(random() % 4);
  measure<How>(
      state, n * sizeof(double),
      [&](std::byte* to) {
        auto* out = reinterpret_cast<double*>(to);
        for (std::size_t i = 0; i < n; ++i) out[i] = from[static_cast<std::size_t>(at[i])];
      },
      from.data(), 1, datatype::indexed_block(1, at, datatype::of<double>()),
      std::span(from).first(n));
}

/// A face of a cube: of its last dimension, one element of each row; of its middle one, whole rows.
template <way How, int Dimension>
void face(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const auto size = static_cast<std::size_t>(n);
  const std::span<const double> cube = doubles(size * size * size);
  const auto grid = mpx::cube(cube.data(), size, size, size);
  const auto hand = [&](std::byte* to) {
    auto* out = reinterpret_cast<double*>(to);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t k = 0; k < size; ++k)
        *out++ = Dimension == 2 ? cube[(i * size + k) * size + 1] : cube[(i * size + 1) * size + k];
  };
  if constexpr (Dimension == 2) {
    measure<How>(state, size * size * 8, hand, cube.data(), 1,
                 datatype::subarray({n, n, n}, {n, n, 1}, {0, 0, 1}, mpx::array_order::c,
                                    datatype::of<double>()),
                 mpx::sub_block(grid, {0, 0, 1}, {size, size, 1}));
  } else {
    measure<How>(state, size * size * 8, hand, cube.data(), 1,
                 datatype::subarray({n, n, n}, {n, 1, n}, {0, 1, 0}, mpx::array_order::c,
                                    datatype::of<double>()),
                 mpx::sub_block(grid, {0, 1, 0}, {size, 1, size}));
  }
}
/// The inside of a face, of which rows do not follow each other at one stride.
template <way How>
void inner_face(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const auto size = static_cast<std::size_t>(n);
  const std::span<const double> cube = doubles(size * size * size);
  measure<How>(
      state, (size - 2) * (size - 2) * 8,
      [&](std::byte* to) {
        auto* out = reinterpret_cast<double*>(to);
        for (std::size_t i = 1; i + 1 < size; ++i)
          for (std::size_t k = 1; k + 1 < size; ++k) *out++ = cube[(i * size + k) * size + 1];
      },
      cube.data(), 1,
      datatype::subarray({n, n, n}, {n - 2, n - 2, 1}, {1, 1, 1}, mpx::array_order::c,
                         datatype::of<double>()),
      mpx::sub_block(mpx::cube(cube.data(), size, size, size), {1, 1, 1}, {size - 2, size - 2, 1}));
}

BENCHMARK(column<way::by_hand>)->Arg(100)->Arg(1000);
BENCHMARK(column<way::by_type>)->Arg(100)->Arg(1000);
BENCHMARK(column<way::by_view>)->Arg(100)->Arg(1000);
BENCHMARK(record<way::by_hand>)->Arg(100)->Arg(1000)->Arg(100'000);
BENCHMARK(record<way::by_type>)->Arg(100)->Arg(1000)->Arg(100'000);
BENCHMARK(record<way::by_view>)->Arg(100)->Arg(1000)->Arg(100'000);
BENCHMARK(indexed<way::by_hand>)->Arg(100)->Arg(1000)->Arg(100'000);
BENCHMARK(indexed<way::by_type>)->Arg(100)->Arg(1000)->Arg(100'000);
BENCHMARK(face<way::by_hand, 2>)->Arg(32)->Arg(64);
BENCHMARK(face<way::by_type, 2>)->Arg(32)->Arg(64);
BENCHMARK(face<way::by_view, 2>)->Arg(32)->Arg(64);
BENCHMARK(face<way::by_hand, 1>)->Arg(32)->Arg(64);
BENCHMARK(face<way::by_type, 1>)->Arg(32)->Arg(64);
BENCHMARK(face<way::by_view, 1>)->Arg(32)->Arg(64);
BENCHMARK(inner_face<way::by_hand>)->Arg(64);
BENCHMARK(inner_face<way::by_type>)->Arg(64);
BENCHMARK(inner_face<way::by_view>)->Arg(64);

}  // namespace
