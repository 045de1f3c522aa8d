// SPDX-License-Identifier: BSL-1.0
#pragma once
// Constructors of datatypes: each checks its arguments and expresses the datatype by repeated and
// joined shapes. Included by type.hpp.

#include "mpx/data/type.hpp"

namespace mpx::inline v0::detail {

/// Builds one datatype.
struct type_maker {
  explicit type_maker(const char* name, combiner how, std::source_location call)
      : who(name), c(name, call), where(call), made(new type_description), owner(made) {
    made->made_by = how;
  }

  void require(const datatype& type) const {
    if (!type) throw error(errc::datatype, formatted("%s: the datatype is null", who), where);
  }
  void require(std::int64_t value, const char* argument) const {
    if (value < 0)
      throw error(
          errc::datatype,
          formatted("%s: %s is negative: %lld", who, argument, static_cast<long long>(value)),
          where);
  }
  void require(number_list values, const char* argument) const {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] < 0)
        throw error(errc::datatype,
                    formatted("%s: %s[%zu] is negative: %lld", who, argument, i,
                              static_cast<long long>(values[i])),
                    where);
  }
  void require_equal(std::size_t n, std::size_t expected, const char* argument) const {
    if (n != expected)
      throw error(errc::datatype,
                  formatted("%s: %s has %zu values, not %zu", who, argument, n, expected), where);
  }
  [[noreturn]] void fail(const char* argument, std::size_t i, std::int64_t value,
                         const char* why) const {
    throw error(
        errc::datatype,
        formatted("%s: %s[%zu] is %lld: %s", who, argument, i, static_cast<long long>(value), why),
        where);
  }

  /// Joins the bounds of `count` elements, `stride` bytes apart, from `at` on.
  void bound(std::int64_t at, std::int64_t count, std::int64_t stride, const type_bounds& of) {
    if (count == 0) return;
    made->bounds.join(of, at, c);
    if (count > 1) made->bounds.join(of, c.sum(at, c.product(count - 1, stride)), c);
  }
  placed block_of(std::int64_t length, const datatype& type) const {
    const type_description& d = *type.description();
    return repeated(length, d.extent, d.body, c);
  }
  static placed at(std::int64_t displacement, placed p, const checked& c) {
    p.at = c.sum(p.at, displacement);
    return p;
  }

  /// Adds blocks of `type`; block i has length(i) elements at displacement at(i), in bytes.
  template <class Length, class At>
  void blocks(std::size_t n, const datatype& type, Length length, At displacement) {
    const type_description& d = *type.description();
    joiner shapes(c);
    std::int64_t count = 0;
    placed block;
    std::int64_t block_length = -1;
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t k = length(i);
      if (k == 0) continue;
      if (k != block_length) block = block_of(block_length = k, type);
      const std::int64_t begins = displacement(i);
      shapes.add(at(begins, block, c));
      bound(begins, k, d.extent, d.bounds);
      count = c.sum(count, k);
    }
    made->body = shapes.join();
    made->basics = repeated(count, d.basics, c);
  }
  /// Adds `count` blocks of `length` elements, `stride` bytes apart.
  void strided(std::int64_t count, std::int64_t length, std::int64_t stride, const datatype& type) {
    const type_description& d = *type.description();
    if (count == 0) length = 0;  // Without blocks their length does not matter.
    made->body = repeated(count, stride, block_of(length, type), c);
    made->basics = repeated(c.product(count, length), d.basics, c);
    if (length == 0 || count == 0) return;
    bound(0, length, d.extent, d.bounds);
    if (count > 1) bound(c.product(count - 1, stride), length, d.extent, d.bounds);
  }
  void integers(std::initializer_list<std::int64_t> values) {
    made->integers.insert(made->integers.end(), values.begin(), values.end());
  }
  void integers(number_list values) {
    made->integers.insert(made->integers.end(), values.begin(), values.end());
  }
  void addresses(number_list values) {
    made->addresses.insert(made->addresses.end(), values.begin(), values.end());
  }
  datatype finish() {
    made->bytes = made->body.what->bytes;
    made->lower = made->bounds.low();
    made->extent = c.difference(made->bounds.high(c), made->lower);
    return datatype(std::move(owner));
  }
  datatype finish(const datatype& type) {
    made->types.push_back(type.of_);
    return finish();
  }
  static type_reference reference(const datatype& type) { return type.of_; }
  static datatype wrap(const type_reference& of) { return datatype(of); }

  const char* who;
  checked c;
  std::source_location where;
  type_description* made;
  type_reference owner;
};

/// Blocks of one rank in one dimension of a distributed array.
struct dealt {
  std::int64_t first = 0, length = 0;  ///< Whole blocks: start and length,
  std::int64_t count = 0, stride = 0;  ///< number and stride.
  std::int64_t last = 0, rest = 0;     ///< Shorter block at the end: start and length.
};
inline dealt deal(const type_maker& m, std::size_t i, std::int64_t n, distribution how,
                  std::int64_t argument, std::int64_t of, std::int64_t place) {
  if (how != distribution::none && how != distribution::block && how != distribution::cyclic)
    m.fail("distributions", i, static_cast<std::int64_t>(how), "no distribution");
  if (how == distribution::none) {
    if (of != 1) m.fail("grid", i, of, "a dimension that is not dealt out has one process");
    return {0, n, n == 0 ? 0 : 1, 0, 0, 0};
  }
  if (argument != distribution_default && argument <= 0)
    m.fail("arguments", i, argument, "no block length");
  if (how == distribution::block) {
    const std::int64_t length =
        argument == distribution_default ? n / of + (n % of != 0) : argument;
    if (argument != distribution_default && m.c.product(length, of) < n)
      m.fail("arguments", i, argument, "the blocks do not cover the array");
    const std::int64_t first = m.c.product(place, length);
    const std::int64_t here = first >= n ? 0 : lesser(length, n - first);
    return {first, here, here == 0 ? 0 : 1, 0, 0, 0};
  }
  const std::int64_t length = argument == distribution_default ? 1 : argument;
  const std::int64_t first = m.c.product(place, length);
  const std::int64_t stride = m.c.product(of, length);
  if (first >= n) return {};
  const std::int64_t all = (n - first) / stride;  // Rounds that are complete for certain.
  const std::int64_t left = n - first - all * stride;
  if (left >= length) return {first, length, all + 1, stride, 0, 0};
  return {first, length, all, stride, first + all * stride, left};
}

}  // namespace mpx::inline v0::detail

namespace mpx::inline v0 {

inline datatype datatype::basic(basic_type what) {
  detail::type_maker m("of", combiner::named, {});
  m.made->body = {0, detail::block_shape(what.size, m.c)};
  m.made->basics = detail::equal_elements(what, 1, m.c);
  m.made->bounds = {.some = true, .true_high = what.size, .alignment = what.alignment};
  return m.finish();
}
inline datatype datatype::contiguous(std::int64_t count, const datatype& type,
                                     std::source_location where) {
  detail::type_maker m("contiguous", combiner::contiguous, where);
  m.require(type);
  m.require(count, "count");
  m.strided(1, count, 0, type);
  m.integers({count});
  return m.finish(type);
}
inline datatype datatype::vector(std::int64_t count, std::int64_t block_length, std::int64_t stride,
                                 const datatype& type, std::source_location where) {
  detail::type_maker m("vector", combiner::vector, where);
  m.require(type);
  m.require(count, "count");
  m.require(block_length, "block_length");
  const bool strides = count > 1 && block_length > 0;  // Else the stride does not matter.
  m.strided(count, block_length, strides ? m.c.product(stride, type.extent()) : 0, type);
  m.integers({count, block_length, stride});
  return m.finish(type);
}
inline datatype datatype::hvector(std::int64_t count, std::int64_t block_length,
                                  std::int64_t stride_bytes, const datatype& type,
                                  std::source_location where) {
  detail::type_maker m("hvector", combiner::hvector, where);
  m.require(type);
  m.require(count, "count");
  m.require(block_length, "block_length");
  m.strided(count, block_length, stride_bytes, type);
  m.integers({count, block_length});
  m.addresses({stride_bytes});
  return m.finish(type);
}
inline datatype datatype::indexed(number_list block_lengths, number_list displacements,
                                  const datatype& type, std::source_location where) {
  detail::type_maker m("indexed", combiner::indexed, where);
  m.require(type);
  m.require(block_lengths, "block_lengths");
  m.require_equal(displacements.size(), block_lengths.size(), "displacements");
  m.blocks(
      block_lengths.size(), type, [&](std::size_t i) { return block_lengths[i]; },
      [&](std::size_t i) { return m.c.product(displacements[i], type.extent()); });
  m.integers({static_cast<std::int64_t>(block_lengths.size())});
  m.integers(block_lengths);
  m.integers(displacements);
  return m.finish(type);
}
inline datatype datatype::hindexed(number_list block_lengths, number_list displacements_bytes,
                                   const datatype& type, std::source_location where) {
  detail::type_maker m("hindexed", combiner::hindexed, where);
  m.require(type);
  m.require(block_lengths, "block_lengths");
  m.require_equal(displacements_bytes.size(), block_lengths.size(), "displacements_bytes");
  m.blocks(
      block_lengths.size(), type, [&](std::size_t i) { return block_lengths[i]; },
      [&](std::size_t i) { return displacements_bytes[i]; });
  m.integers({static_cast<std::int64_t>(block_lengths.size())});
  m.integers(block_lengths);
  m.addresses(displacements_bytes);
  return m.finish(type);
}
inline datatype datatype::indexed_block(std::int64_t block_length, number_list displacements,
                                        const datatype& type, std::source_location where) {
  detail::type_maker m("indexed_block", combiner::indexed_block, where);
  m.require(type);
  m.require(block_length, "block_length");
  m.blocks(
      displacements.size(), type, [&](std::size_t) { return block_length; },
      [&](std::size_t i) { return m.c.product(displacements[i], type.extent()); });
  m.integers({static_cast<std::int64_t>(displacements.size()), block_length});
  m.integers(displacements);
  return m.finish(type);
}
inline datatype datatype::hindexed_block(std::int64_t block_length, number_list displacements_bytes,
                                         const datatype& type, std::source_location where) {
  detail::type_maker m("hindexed_block", combiner::hindexed_block, where);
  m.require(type);
  m.require(block_length, "block_length");
  m.blocks(
      displacements_bytes.size(), type, [&](std::size_t) { return block_length; },
      [&](std::size_t i) { return displacements_bytes[i]; });
  m.integers({static_cast<std::int64_t>(displacements_bytes.size()), block_length});
  m.addresses(displacements_bytes);
  return m.finish(type);
}
inline datatype datatype::structure(number_list block_lengths, number_list displacements_bytes,
                                    std::span<const datatype> types, std::source_location where) {
  detail::type_maker m("structure", combiner::structure, where);
  m.require(block_lengths, "block_lengths");
  m.require_equal(displacements_bytes.size(), block_lengths.size(), "displacements_bytes");
  m.require_equal(types.size(), block_lengths.size(), "types");
  for (std::size_t i = 0; i < types.size(); ++i)
    if (!types[i])
      throw error(errc::datatype, detail::formatted("structure: types[%zu] is null", i), where);
  detail::joiner shapes(m.c);
  detail::element_joiner basics(m.c);
  for (std::size_t i = 0; i < types.size(); ++i) {
    const detail::type_description& d = *types[i].description();
    m.made->types.push_back(types[i].of_);
    if (block_lengths[i] == 0) continue;
    shapes.add(m.at(displacements_bytes[i], m.block_of(block_lengths[i], types[i]), m.c));
    basics.add(detail::repeated(block_lengths[i], d.basics, m.c));
    m.bound(displacements_bytes[i], block_lengths[i], d.extent, d.bounds);
  }
  m.made->body = shapes.join();
  m.made->basics = basics.join();
  m.integers({static_cast<std::int64_t>(types.size())});
  m.integers(block_lengths);
  m.addresses(displacements_bytes);
  return m.finish();
}
inline datatype datatype::subarray(number_list sizes, number_list sub_sizes, number_list starts,
                                   array_order order, const datatype& type,
                                   std::source_location where) {
  detail::type_maker m("subarray", combiner::subarray, where);
  m.require(type);
  const std::size_t n = sizes.size();
  m.require_equal(sub_sizes.size(), n, "sub_sizes");
  m.require_equal(starts.size(), n, "starts");
  m.require(sizes, "sizes");
  m.require(sub_sizes, "sub_sizes");
  m.require(starts, "starts");
  for (std::size_t i = 0; i < n; ++i) {
    if (sub_sizes[i] > sizes[i])
      m.fail("sub_sizes", i, sub_sizes[i], "the block is larger than the array");
    if (starts[i] > sizes[i] - sub_sizes[i])
      m.fail("starts", i, starts[i], "the block reaches beyond the array");
  }
  const detail::type_description& d = *type.description();
  detail::placed p = d.body;
  std::int64_t stride = d.extent;
  std::int64_t first = 0;
  std::int64_t count = 1;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = order == array_order::c ? n - 1 - k : k;
    p = detail::repeated(sub_sizes[i], stride, p, m.c);
    first = m.c.sum(first, m.c.product(starts[i], stride));
    stride = m.c.product(stride, sizes[i]);
    count = m.c.product(count, sub_sizes[i]);
  }
  m.made->body = m.at(first, p, m.c);
  m.made->basics = detail::repeated(count, d.basics, m.c);
  const detail::shape& s = *m.made->body.what;
  m.made->bounds = {.some = s.bytes != 0,
                    .true_low = s.bytes == 0 ? 0 : m.c.sum(m.made->body.at, s.low),
                    .true_high = s.bytes == 0 ? 0 : m.c.sum(m.made->body.at, s.high),
                    .has_low = true,
                    .has_high = true,
                    .told_low = 0,
                    .told_high = stride,
                    .alignment = d.bounds.alignment};
  m.integers({static_cast<std::int64_t>(n)});
  m.integers(sizes);
  m.integers(sub_sizes);
  m.integers(starts);
  m.integers({static_cast<std::int64_t>(order)});
  return m.finish(type);
}
inline datatype datatype::darray(std::int64_t size, std::int64_t rank, number_list sizes,
                                 std::span<const distribution> distributions, number_list arguments,
                                 number_list grid, array_order order, const datatype& type,
                                 std::source_location where) {
  detail::type_maker m("darray", combiner::darray, where);
  m.require(type);
  const std::size_t n = sizes.size();
  m.require_equal(distributions.size(), n, "distributions");
  m.require_equal(arguments.size(), n, "arguments");
  m.require_equal(grid.size(), n, "grid");
  m.require(sizes, "sizes");
  m.require(rank, "rank");
  std::int64_t processes = 1;
  for (std::size_t i = 0; i < n; ++i) {
    if (grid[i] < 1) m.fail("grid", i, grid[i], "a dimension has one process at least");
    processes = m.c.product(processes, grid[i]);
  }
  if (processes != size || rank >= size)
    throw error(errc::datatype,
                detail::formatted("darray: rank %lld of %lld processes in a grid of %lld",
                                  static_cast<long long>(rank), static_cast<long long>(size),
                                  static_cast<long long>(processes)),
                where);
  const detail::type_description& d = *type.description();
  std::vector<std::int64_t> place(n);
  for (std::size_t i = n, r = static_cast<std::size_t>(rank); i-- > 0;) {
    place[i] = static_cast<std::int64_t>(r % static_cast<std::size_t>(grid[i]));
    r /= static_cast<std::size_t>(grid[i]);
  }
  detail::placed p = d.body;
  std::int64_t stride = d.extent;
  std::int64_t count = 1;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = order == array_order::c ? n - 1 - k : k;
    const detail::dealt b =
        detail::deal(m, i, sizes[i], distributions[i], arguments[i], grid[i], place[i]);
    detail::joiner pieces(m.c);
    pieces.add(m.at(m.c.product(b.first, stride),
                    detail::repeated(b.count, m.c.product(b.stride, stride),
                                     detail::repeated(b.length, stride, p, m.c), m.c),
                    m.c));
    pieces.add(m.at(m.c.product(b.last, stride), detail::repeated(b.rest, stride, p, m.c), m.c));
    p = pieces.join();
    count = m.c.product(count, m.c.sum(m.c.product(b.count, b.length), b.rest));
    stride = m.c.product(stride, sizes[i]);
  }
  m.made->body = p;
  m.made->basics = detail::repeated(count, d.basics, m.c);
  const detail::shape& s = *p.what;
  m.made->bounds = {.some = s.bytes != 0,
                    .true_low = s.bytes == 0 ? 0 : m.c.sum(p.at, s.low),
                    .true_high = s.bytes == 0 ? 0 : m.c.sum(p.at, s.high),
                    .has_low = true,
                    .has_high = true,
                    .told_low = 0,
                    .told_high = stride,
                    .alignment = d.bounds.alignment};
  m.integers({size, rank, static_cast<std::int64_t>(n)});
  m.integers(sizes);
  for (const distribution x : distributions) m.integers({static_cast<std::int64_t>(x)});
  m.integers(arguments);
  m.integers(grid);
  m.integers({static_cast<std::int64_t>(order)});
  return m.finish(type);
}
inline datatype datatype::resized(const datatype& type, std::int64_t lower_bound,
                                  std::int64_t extent, std::source_location where) {
  detail::type_maker m("resized", combiner::resized, where);
  m.require(type);
  const detail::type_description& d = *type.description();
  m.made->body = d.body;
  m.made->basics = d.basics;
  m.made->bounds = d.bounds;
  m.made->bounds.has_low = m.made->bounds.has_high = true;
  m.made->bounds.told_low = lower_bound;
  m.made->bounds.told_high = m.c.sum(lower_bound, extent);
  m.addresses({lower_bound, extent});
  return m.finish(type);
}
inline datatype datatype::dup(std::source_location where) const {
  detail::type_maker m("dup", combiner::dup, where);
  m.require(*this);
  m.made->body = of_->body;
  m.made->basics = of_->basics;
  m.made->bounds = of_->bounds;
  return m.finish(*this);
}
inline type_contents datatype::contents() const {
  type_contents c{of_->integers, of_->addresses, {}};
  for (const detail::type_reference& t : of_->types) c.types.push_back(datatype(t));
  return c;
}

}  // namespace mpx::inline v0
