// SPDX-License-Identifier: BSL-1.0
#pragma once
// Packing by datatypes, as mpx-perf measures it: the same layouts as those of mpi_perf.c.

#include <cstddef>
#include <cstdint>
#include <mpx/datatype.hpp>
#include <string_view>
#include <vector>

#include "board.h"

namespace perf {

/// A datatype of `bytes` of data, and the memory that it describes: a column of a matrix of doubles,
/// records with a hole, doubles at irregular places, a face of a cube.
class packed {
 public:
  packed(std::string_view test, std::size_t bytes) {
    using mpx::datatype;
    const auto real = datatype::of<double>();
    const auto n = static_cast<std::int64_t>(bytes / 8);
    if (test == "pack_column") {
      constexpr std::int64_t columns = 100;  // No power of two: caches would tell, not loops.
      type_ = datatype::vector(n, 1, columns, real);
    } else if (test == "pack_record") {
      type_ = datatype::resized(
          datatype::structure({1, 1}, {0, 8}, {datatype::of<std::int32_t>(), real}), 0, 16);
      count_ = static_cast<std::int64_t>(bytes / 12);
    } else if (test == "pack_indexed") {
      std::vector<std::int64_t> at;
      for (std::int64_t i = 0; i < n; ++i) at.push_back(3 * i + i % 2);
      type_ = datatype::indexed_block(1, at, real);
    } else {
      std::int64_t side = 1;
      while (side * side < n) side *= 2;
      type_ = datatype::subarray({side, side, 8}, {side, side, 1}, {0, 0, 1}, mpx::array_order::c,
                                 real);
    }
    memory_.resize(static_cast<std::size_t>(type_.extent() * count_) + 64, std::byte{1});
    out_.resize(static_cast<std::size_t>(type_.size() * count_));
  }

  /// GB a second.
  double measure(std::uint64_t iters) {
    const auto what = mpx::buffer(memory_.data(), count_, type_);
    const double start = perf_now();
    for (std::uint64_t i = 0; i < iters; ++i) {
      mpx::pack(what, out_);
      asm volatile("" : : "r"(out_.data()) : "memory");
    }
    return static_cast<double>(iters * out_.size()) / (perf_now() - start) / 1e9;
  }

 private:
  mpx::datatype type_;
  std::int64_t count_ = 1;
  std::vector<std::byte> memory_, out_;
};

}  // namespace perf
