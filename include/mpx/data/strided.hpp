// SPDX-License-Identifier: BSL-1.0
#pragma once
// Views of array elements at constant strides: a column, a block of a matrix, a face of a cube.
// They need no datatype: their loops are known at compile time.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <source_location>
#include <type_traits>

#include "mpx/config.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/data/buffer.hpp"
#include "mpx/data/detail/move.hpp"
#include "mpx/data/memory.hpp"

namespace mpx::inline v0 {

namespace detail {

/// Layout of nested loops around a block. A layout inside a view is valid for one call; `keep`
/// makes a reference-counted copy.
class loops_layout final : public layout, allocated {
 public:
  loops_layout() = default;
  loops_layout(const loops_layout& other) noexcept : layout(other), loops(other.loops) {}
  loops_layout& operator=(const loops_layout& other) noexcept {
    loops = other.loops;
    return *this;
  }
  ~loops_layout() = default;

  void pack(const std::byte* base, std::size_t offset,
            std::span<std::byte> into) const noexcept override {
    const auto from = static_cast<std::int64_t>(offset);
    detail::rendezvous<true>::move(loops, const_cast<std::byte*>(base), from,
                                   from + static_cast<std::int64_t>(into.size()), into.data());
  }
  void unpack(std::byte* base, std::size_t offset,
              std::span<const std::byte> data) const noexcept override {
    const auto from = static_cast<std::int64_t>(offset);
    detail::rendezvous<false>::move(loops, base, from,
                                    from + static_cast<std::int64_t>(data.size()),
                                    const_cast<std::byte*>(data.data()));
  }
  const layout* keep() const noexcept override {
    if (references_.load(platform::memory_order_relaxed) != 0) {
      references_.fetch_add(1, platform::memory_order_relaxed);
      return this;
    }
    auto* const kept = new (std::nothrow) loops_layout(*this);
    if (kept != nullptr) kept->references_.store(1, platform::memory_order_relaxed);
    return kept;
  }
  void drop() const noexcept override {
    if (references_.load(platform::memory_order_relaxed) != 0 &&
        references_.fetch_sub(1, platform::memory_order_acq_rel) == 1)
      delete this;
  }

  block_loops loops;

 private:
  mutable platform::atomic<std::uint32_t> references_{0};  // 0: part of a view.
};

}  // namespace detail

/// A std::mdspan of any library: one to three dimensions with constant strides, whose reference
/// type is a reference to the element in memory.
template <class M>
concept StridedArray = requires(const M& m) {
  { m.data_handle() } -> std::convertible_to<typename M::element_type*>;
  { m.extent(0) } -> std::convertible_to<std::size_t>;
  { m.stride(0) } -> std::convertible_to<std::ptrdiff_t>;
  requires std::same_as<typename M::reference, typename M::element_type&>;
  requires M::rank() >= 1 && M::rank() <= detail::block_loops::depth_max;
};

/// Buffer of elements of T at constant strides in one, two or three dimensions, the last one
/// fastest, for any call. Does not own the data. The view may be destroyed before the operation
/// completes. Made by mpx::strided, column and sub_block.
/// Errors:     of calls: errc::datatype for data beyond the address space; for receives also if
///             elements overlap or interleave.
/// Cost:       a blocking call allocates nothing for it; a started operation copies the strides.
template <class T, std::size_t Rank>
requires(Transferable<std::remove_const_t<T>> && Rank >= 1 &&
         Rank <= detail::block_loops::depth_max)
class strided_view {
 public:
  using layout_buffer = std::remove_const_t<T>;           ///< Element type.
  static constexpr bool writable = !std::is_const_v<T>;   ///< True if a receive accepts it.
  using counts_type = std::array<std::size_t, Rank>;      ///< Number of elements in each dimension.
  using strides_type = std::array<std::ptrdiff_t, Rank>;  ///< In elements.

  /// `data`: first element of the message.
  strided_view(T* data, const counts_type& counts, const strides_type& strides) noexcept
      : data_(data), counts_(counts), strides_(strides) {
    detail::block_loops& l = how_.loops;
    std::int64_t block = sizeof(T);
    std::int64_t bytes = sizeof(T);
    std::int64_t low = 0;
    std::int64_t high = sizeof(T);
    for (const std::size_t n : counts)
      if (n == 0) bytes = 0;
    const bool some = bytes != 0;  // Else no stride is used.
    for (std::size_t i = Rank; some && i-- > 0;) {
      const auto n = static_cast<std::int64_t>(counts[i]);
      if (n == 1 || !fits_) continue;
      std::int64_t stride = 0;
      std::int64_t reach = 0;
      fits_ = n > 0 && !__builtin_mul_overflow(strides[i], sizeof(T), &stride) &&
              !__builtin_mul_overflow(bytes, n, &bytes) &&
              !__builtin_mul_overflow(stride, n - 1, &reach) &&
              !__builtin_add_overflow(low, reach < 0 ? reach : 0, &low) &&
              !__builtin_add_overflow(high, reach > 0 ? reach : 0, &high);
      if (!fits_) continue;
      if (l.depth == 0 && stride == block) {
        block *= n;
      } else if (l.depth != 0 &&
                 stride == l.levels[l.depth - 1].count * l.levels[l.depth - 1].stride) {
        l.levels[l.depth - 1].count *= n;
      } else {
        l.levels[l.depth++] = {n, stride};
      }
    }
    const auto at = reinterpret_cast<std::uintptr_t>(data);
    fits_ = !some || (fits_ && (low >= 0 || at >= detail::magnitude(low)) &&
                      at + static_cast<std::uintptr_t>(high) >= at);
    bytes_ = fits_ ? static_cast<std::size_t>(bytes) : 0;
    l.block = block;
    // The block length is a compile-time constant, unless an inner dimension is contiguous.
    l.move[0] = block == sizeof(T) ? &detail::move_rows<false, sizeof(T)>
                                   : detail::rows_move_of<false>(static_cast<std::size_t>(block));
    l.move[1] = block == sizeof(T) ? &detail::move_rows<true, sizeof(T)>
                                   : detail::rows_move_of<true>(static_cast<std::size_t>(block));
  }

  [[nodiscard]] T* data() const noexcept { return data_; }  ///< First element.
  /// Elements of dimension i.
  std::size_t count(std::size_t i) const noexcept { return counts_[i]; }
  /// Of dimension i, in elements.
  std::ptrdiff_t stride(std::size_t i) const noexcept { return strides_[i]; }
  /// Returns the number of bytes of all elements; the maximum of std::size_t if they reach beyond
  /// the address space.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return fits_ ? bytes_ : static_cast<std::size_t>(-1);
  }
  /// Returns the element at these indices.
  template <class... I>
  requires(sizeof...(I) == Rank)
  [[nodiscard]] T& operator()(I... indices) const noexcept {
    std::ptrdiff_t at = 0;
    std::size_t i = 0;
    ((at += static_cast<std::ptrdiff_t>(indices) * strides_[i++]), ...);
    return data_[at];
  }

  /// Returns errc::datatype if it cannot be sent or received, else errc{}.
  [[nodiscard]] errc fault(bool received) const noexcept {
    if (!fits_) return errc::datatype;
    return received && bytes_ != 0 && !detail::surely_disjoint(how_.loops) ? errc::datatype
                                                                           : errc{};
  }
  /// Returns the reason for fault as text; nullptr: none.
  [[nodiscard]] const char* fault_text(bool received) const noexcept {
    if (fault(received) == errc{}) return nullptr;
    return fits_ ? "a strided view has elements that lie at the same place, or among each other"
                 : "a strided view reaches beyond the address space";
  }
  /// Throws the error of fault.
  [[noreturn, gnu::noinline, gnu::cold]] void raise_fault(const char* call, bool received,
                                                          std::source_location where) const {
    const char* const why = fault_text(received);
    throw error(errc::datatype,
                detail::formatted("%s: %s, at %p", call, why == nullptr ? "?" : why,
                                  static_cast<const void*>(data_)),
                where);
  }
  /// For the library: returns its memory, for a blocking call.
  [[nodiscard]] memory lend() const noexcept { return of(&how_); }
  /// For the library: as lend.
  [[nodiscard]] memory borrow() const noexcept { return of(&how_); }
  /// For the library: returns its memory, for an operation that outlives this view. The receiver of
  /// the result drops its layout once.
  [[nodiscard]] memory keep() const noexcept {
    if (bytes_ == 0 || how_.loops.depth == 0) return of(&how_);
    const layout* const kept = how_.keep();
    return kept != nullptr ? of(kept) : memory{nullptr, bytes_};
  }

 private:
  memory of(const layout* how) const noexcept {
    if (bytes_ == 0) return {};
    auto* const base = reinterpret_cast<std::byte*>(const_cast<layout_buffer*>(data_));
    return {base, bytes_, how_.loops.depth == 0 ? nullptr : how};
  }

  T* data_;
  counts_type counts_;
  strides_type strides_;
  std::size_t bytes_ = 0;
  bool fits_ = true;
  detail::loops_layout how_;
};

/// Makes a view of `count` elements, `stride` elements apart.
template <class T>
strided_view<T, 1> strided(T* data, std::size_t count, std::ptrdiff_t stride) noexcept {
  return {data, {count}, {stride}};
}
/// Makes a view in two or three dimensions: mpx::strided(p, {rows, columns}, {row_stride,
/// column_stride}).
template <class T, std::size_t Rank>
strided_view<T, Rank> strided(T* data, const std::size_t (&counts)[Rank],
                              const std::ptrdiff_t (&strides)[Rank]) noexcept {
  std::array<std::size_t, Rank> n;
  std::array<std::ptrdiff_t, Rank> s;
  for (std::size_t i = 0; i < Rank; ++i) n[i] = counts[i], s[i] = strides[i];
  return {data, n, s};
}

namespace detail {

/// Returns a view of a whole array of two or three dimensions.
template <class T, std::size_t R, std::size_t C>
strided_view<T, 2> whole(T (&m)[R][C]) noexcept {
  return {&m[0][0], {R, C}, {C, 1}};
}
template <class T, std::size_t A, std::size_t B, std::size_t C>
strided_view<T, 3> whole(T (&m)[A][B][C]) noexcept {
  return {&m[0][0][0], {A, B, C}, {B * C, C, 1}};
}
template <class T, std::size_t R, std::size_t C>
strided_view<T, 2> whole(std::array<std::array<T, C>, R>& m) noexcept {
  return {m[0].data(), {R, C}, {C, 1}};
}
template <class T, std::size_t R, std::size_t C>
strided_view<const T, 2> whole(const std::array<std::array<T, C>, R>& m) noexcept {
  return {m[0].data(), {R, C}, {C, 1}};
}
template <class T, std::size_t Rank>
strided_view<T, Rank> whole(const strided_view<T, Rank>& m) noexcept {
  return m;
}
template <StridedArray M>
strided_view<typename M::element_type, M::rank()> whole(const M& m) noexcept {
  std::array<std::size_t, M::rank()> n;
  std::array<std::ptrdiff_t, M::rank()> s;
  for (std::size_t i = 0; i < n.size(); ++i) {
    n[i] = static_cast<std::size_t>(m.extent(i));
    s[i] = static_cast<std::ptrdiff_t>(m.stride(i));
  }
  return {m.data_handle(), n, s};
}

}  // namespace detail

/// Makes a view of a contiguous row-major matrix, for column and sub_block.
template <class T>
strided_view<T, 2> matrix(T* data, std::size_t rows, std::size_t columns) noexcept {
  return {data, {rows, columns}, {static_cast<std::ptrdiff_t>(columns), 1}};
}
/// Makes a view of a contiguous row-major array of three dimensions.
template <class T>
strided_view<T, 3> cube(T* data, std::size_t planes, std::size_t rows,
                        std::size_t columns) noexcept {
  return {data,
          {planes, rows, columns},
          {static_cast<std::ptrdiff_t>(rows * columns), static_cast<std::ptrdiff_t>(columns), 1}};
}

/// Makes a view of column `j` of a matrix: an mpx::matrix, a C array or std::array of two
/// dimensions, a std::mdspan.
/// Requires:   j < number of columns.
template <class M>
auto column(
    M&& m, std::size_t j,
    [[maybe_unused]] std::source_location where = std::source_location::current()) noexcept {
  const auto all = detail::whole(m);
  MPX_ASSERT_AT(j < all.count(1), "a column that the matrix does not have", where);
  return strided(all.data() + static_cast<std::ptrdiff_t>(j) * all.stride(1), all.count(0),
                 all.stride(0));
}
/// Makes a view of the block of a matrix or a cube that begins at `starts`: mpx::sub_block(m, {1,
/// 1}, {4, 4}).
/// Requires:   the block lies within the array.
template <class M, std::size_t Rank>
auto sub_block(
    M&& m, const std::size_t (&starts)[Rank], const std::size_t (&counts)[Rank],
    [[maybe_unused]] std::source_location where = std::source_location::current()) noexcept {
  const auto all = detail::whole(m);
  std::array<std::size_t, Rank> n;
  std::array<std::ptrdiff_t, Rank> s;
  auto* data = all.data();
  for (std::size_t i = 0; i < Rank; ++i) {
    MPX_ASSERT_AT(starts[i] <= all.count(i) && counts[i] <= all.count(i) - starts[i],
                  "a block that reaches beyond its array", where);
    n[i] = counts[i];
    s[i] = all.stride(i);
    data += static_cast<std::ptrdiff_t>(starts[i]) * s[i];
  }
  return strided_view<std::remove_pointer_t<decltype(data)>, Rank>(data, n, s);
}
/// Makes a view of all elements of a std::mdspan or a similar type.
template <StridedArray M>
auto strided(const M& m) noexcept {
  return detail::whole(m);
}

}  // namespace mpx::inline v0
