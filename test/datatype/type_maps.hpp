// SPDX-License-Identifier: BSL-1.0
#pragma once
// Datatypes drawn from a seed, each beside what it means: the list of its basic elements, written
// down as MPI defines it, byte by byte and without any of the library's loops.

#include <cstddef>
#include <cstdint>
#include <mpx/data/type.hpp>
#include <random>
#include <utility>
#include <vector>

namespace type_maps {

using mpx::array_order;
using mpx::datatype;
using mpx::distribution;
using std::int64_t;

/// A list of basic elements, and bounds set by `resized`.
struct type_map {
  struct entry {
    int64_t at, size;
  };
  std::vector<entry> entries;
  int64_t alignment = 1;
  bool has_lower = false, has_upper = false;
  int64_t told_lower = 0, told_upper = 0;

  int64_t size() const {
    int64_t n = 0;
    for (const entry& e : entries) n += e.size;
    return n;
  }
  int64_t true_lower() const {
    int64_t low = entries.empty() ? 0 : entries[0].at;
    for (const entry& e : entries) low = e.at < low ? e.at : low;
    return low;
  }
  int64_t true_upper() const {
    int64_t high = entries.empty() ? 0 : entries[0].at + entries[0].size;
    for (const entry& e : entries) high = e.at + e.size > high ? e.at + e.size : high;
    return high;
  }
  int64_t lower() const { return has_lower ? told_lower : true_lower(); }
  int64_t upper() const {
    if (has_upper) return told_upper;
    int64_t high = true_upper();
    const int64_t low = lower();
    while (high > low && (high - low) % alignment != 0) ++high;
    return high;
  }
  int64_t extent() const { return upper() - lower(); }

  void add(const type_map& m, int64_t at) {
    for (const entry& e : m.entries) entries.push_back({e.at + at, e.size});
    if (m.has_lower) {
      told_lower = has_lower && told_lower < m.told_lower + at ? told_lower : m.told_lower + at;
      has_lower = true;
    }
    if (m.has_upper) {
      told_upper = has_upper && told_upper > m.told_upper + at ? told_upper : m.told_upper + at;
      has_upper = true;
    }
    alignment = alignment > m.alignment ? alignment : m.alignment;
  }
  void add(const type_map& m, int64_t count, int64_t at) {
    const int64_t step = m.extent();  // Each looks at all entries: once will do.
    for (int64_t i = 0; i < count; ++i) add(m, at + i * step);
  }
  /// Offsets of the bytes of `count` elements, in the order of the stream.
  std::vector<int64_t> bytes(int64_t count) const {
    std::vector<int64_t> all;
    all.reserve(static_cast<std::size_t>(count * size()));
    const int64_t step = extent();
    for (int64_t i = 0; i < count; ++i)
      for (const entry& e : entries)
        for (int64_t b = 0; b < e.size; ++b) all.push_back(i * step + e.at + b);
    return all;
  }
};

struct drawn {
  datatype type;
  type_map map;
};

class generator {
 public:
  explicit generator(std::uint64_t seed) : random_(seed) {}

  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  drawn basic() {
    drawn d;
    switch (between(0, 6)) {
      case 0: d.type = datatype::of<char>(), d.map = of<char>(); break;
      case 1: d.type = datatype::of<std::int16_t>(), d.map = of<std::int16_t>(); break;
      case 2: d.type = datatype::of<int>(), d.map = of<int>(); break;
      case 3: d.type = datatype::of<long double>(), d.map = of<long double>(); break;
      case 4: d.type = datatype::of<std::byte>(), d.map = of<std::byte>(); break;
      default: d.type = datatype::of<double>(), d.map = of<double>(); break;
    }
    return d;
  }
  /// A type of at most `bytes_max` bytes of data, made by up to `depth` constructors.
  drawn draw(int depth, int64_t bytes_max) {
    drawn d = basic();
    for (int i = 0; i < depth; ++i) {
      drawn next = wrap(d);
      if (next.map.size() > bytes_max) break;
      d = std::move(next);
    }
    return d;
  }

 private:
  template <class T>
  static type_map of() {
    return {{{0, static_cast<int64_t>(sizeof(T))}}, static_cast<int64_t>(alignof(T))};
  }
  std::vector<int64_t> numbers(int64_t n, int64_t low, int64_t high) {
    std::vector<int64_t> v;
    for (int64_t i = 0; i < n; ++i) v.push_back(between(low, high));
    return v;
  }
  /// Displacements that most often go up.
  std::vector<int64_t> displacements(int64_t n, int64_t step) {
    if (between(0, 4) == 0) return numbers(n, -3 * step, 6 * step);
    std::vector<int64_t> v;
    int64_t at = between(-step, step);
    for (int64_t i = 0; i < n; ++i) {
      v.push_back(at);
      at += between(0, 1) == 0 ? step : between(1, 3 * step);
    }
    return v;
  }

  drawn wrap(const drawn& d) {
    drawn r;
    const int64_t n = between(0, 12) == 0 ? between(0, 1) : between(2, 5);
    const int64_t k = between(0, 9) == 0 ? 0 : between(1, 3);
    const int64_t extent = d.map.extent();
    const int64_t step = extent > 0 ? extent : 1;
    switch (between(0, 12)) {
      case 0:
        r.type = datatype::contiguous(n, d.type);
        r.map.add(d.map, n, 0);
        break;
      case 1: {
        const int64_t stride = between(0, 5) == 0 ? between(-4, 0) : between(k, k + 3);
        r.type = datatype::vector(n, k, stride, d.type);
        for (int64_t i = 0; i < n; ++i) r.map.add(d.map, k, i * stride * extent);
        break;
      }
      case 2: {
        const int64_t stride = between(0, 5) == 0 ? between(-40, 40) : between(k, k + 3) * step;
        r.type = datatype::hvector(n, k, stride, d.type);
        for (int64_t i = 0; i < n; ++i) r.map.add(d.map, k, i * stride);
        break;
      }
      case 3: {
        const auto lengths = numbers(n, 0, 3);
        const auto at = displacements(n, 4);
        r.type = datatype::indexed(lengths, at, d.type);
        for (std::size_t i = 0; i < at.size(); ++i) r.map.add(d.map, lengths[i], at[i] * extent);
        break;
      }
      case 4: {
        const auto lengths = numbers(n, 0, 3);
        const auto at = displacements(n, 4 * step);
        r.type = datatype::hindexed(lengths, at, d.type);
        for (std::size_t i = 0; i < at.size(); ++i) r.map.add(d.map, lengths[i], at[i]);
        break;
      }
      case 5: {
        const auto at = displacements(n, 2);
        r.type = datatype::indexed_block(k, at, d.type);
        for (const int64_t a : at) r.map.add(d.map, k, a * extent);
        break;
      }
      case 6: {
        const auto at = displacements(n, 2 * step);
        r.type = datatype::hindexed_block(k, at, d.type);
        for (const int64_t a : at) r.map.add(d.map, k, a);
        break;
      }
      case 7:
      case 8: {
        const auto lengths = numbers(n, 0, 2);
        std::vector<int64_t> at;
        std::vector<datatype> types;
        int64_t next = 0;
        for (int64_t i = 0; i < n; ++i) {
          const drawn part = between(0, 1) == 0 ? d : basic();
          const auto p = static_cast<std::size_t>(i);
          at.push_back(between(0, 5) == 0 ? between(-20, 60) : next);
          types.push_back(part.type);
          r.map.add(part.map, lengths[p], at.back());
          next = at.back() + lengths[p] * part.map.extent() + 8 * between(0, 1);
        }
        r.type = datatype::structure(lengths, at, types);
        break;
      }
      case 9: subarray(r, d); break;
      case 10: darray(r, d); break;
      case 11: {
        const int64_t lower = between(0, 2) == 0 ? between(-9, 9) : d.map.lower();
        const int64_t new_extent =
            between(0, 3) == 0 ? between(-8, 40) : extent + 8 * between(0, 2);
        r.type = datatype::resized(d.type, lower, new_extent);
        r.map = d.map;
        r.map.has_lower = r.map.has_upper = true;
        r.map.told_lower = lower;
        r.map.told_upper = lower + new_extent;
        break;
      }
      default:
        r.type = d.type.dup();
        r.map = d.map;
        break;
    }
    return r;
  }

  /// Adds the elements of an array for which `has` is true in each dimension.
  template <class Has>
  void add_elements(drawn& r, const drawn& d, const std::vector<int64_t>& sizes, array_order order,
                    Has has) {
    const std::size_t n = sizes.size();
    std::vector<int64_t> index(n, 0);
    int64_t all = 1;
    for (const int64_t s : sizes) all *= s;
    for (int64_t i = 0; i < all; ++i) {
      int64_t rest = i;
      bool wanted = true;
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t dimension = order == array_order::c ? n - 1 - k : k;
        wanted = wanted && has(dimension, rest % sizes[dimension]);
        rest /= sizes[dimension];
      }
      if (wanted) r.map.add(d.map, i * d.map.extent());
    }
    r.map.alignment = d.map.alignment;
    r.map.has_lower = r.map.has_upper = true;
    r.map.told_lower = 0;
    r.map.told_upper = all * d.map.extent();
  }
  void subarray(drawn& r, const drawn& d) {
    const auto sizes = numbers(between(1, 3), 1, 4);
    std::vector<int64_t> sub, starts;
    for (const int64_t s : sizes) {
      sub.push_back(between(0, 9) == 0 ? 0 : between(1, s));
      starts.push_back(between(0, s - sub.back()));
    }
    const auto order = between(0, 1) == 0 ? array_order::c : array_order::fortran;
    r.type = datatype::subarray(sizes, sub, starts, order, d.type);
    add_elements(r, d, sizes, order, [&](std::size_t k, int64_t i) {
      return i >= starts[k] && i < starts[k] + sub[k];
    });
  }
  void darray(drawn& r, const drawn& d) {
    const auto sizes = numbers(between(1, 3), 1, 6);
    const std::size_t n = sizes.size();
    std::vector<distribution> how;
    std::vector<int64_t> arguments, grid, place(n);
    int64_t processes = 1;
    for (std::size_t k = 0; k < n; ++k) {
      how.push_back(static_cast<distribution>(between(0, 2)));
      grid.push_back(how[k] == distribution::none ? 1 : between(1, 3));
      const int64_t least = how[k] == distribution::block ? (sizes[k] + grid[k] - 1) / grid[k] : 1;
      arguments.push_back(between(0, 2) == 0 ? mpx::distribution_default
                                             : between(least, least + 1));
      processes *= grid[k];
    }
    const int64_t rank = between(0, processes - 1);
    int64_t rest = rank;
    for (std::size_t k = n; k-- > 0; rest /= grid[k]) place[k] = rest % grid[k];
    const auto order = between(0, 1) == 0 ? array_order::c : array_order::fortran;
    r.type = datatype::darray(processes, rank, sizes, how, arguments, grid, order, d.type);
    add_elements(r, d, sizes, order, [&](std::size_t k, int64_t i) {
      if (how[k] == distribution::none) return true;
      const bool chosen = arguments[k] == mpx::distribution_default;
      if (how[k] == distribution::block)
        return i / (chosen ? (sizes[k] + grid[k] - 1) / grid[k] : arguments[k]) == place[k];
      return i / (chosen ? 1 : arguments[k]) % grid[k] == place[k];
    });
  }

  std::mt19937_64 random_;
};

}  // namespace type_maps
