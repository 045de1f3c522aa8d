// SPDX-License-Identifier: BSL-1.0
#pragma once
// Aggregates whose fields are found by Boost.PFR: they can be sent without padding, and have
// datatypes, without a description by hand.

#include <array>
#include <boost/pfr.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <ranges>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "mpx/data/buffer.hpp"
#include "mpx/data/detail/blocks.hpp"
#include "mpx/data/detail/elements.hpp"
#include "mpx/data/memory.hpp"
#include "mpx/data/type.hpp"

namespace mpx::inline v0 {

namespace detail {

template <class T>
struct is_std_array : std::false_type {};
template <class T, std::size_t N>
struct is_std_array<std::array<T, N>> : std::true_type {
  using element = T;
  static constexpr std::size_t count = N;
};
template <class T, std::size_t N>
struct is_std_array<T[N]> : std::true_type {
  using element = T;
  static constexpr std::size_t count = N;
};
template <class T>
struct is_pair : std::false_type {};
template <class A, class B>
struct is_pair<std::pair<A, B>> : std::true_type {};

template <class T>
constexpr bool has_fields() noexcept;

template <class T, std::size_t... I>
constexpr bool all_have_fields(std::index_sequence<I...>) noexcept {
  return (has_fields<boost::pfr::tuple_element_t<I, T>>() && ...);
}
/// True if T consists of basic elements only, as far as reflection can see.
template <class T>
constexpr bool has_fields() noexcept {
  if constexpr (Basic<T>) {
    return true;
  } else if constexpr (is_std_array<T>::value) {
    return has_fields<typename is_std_array<T>::element>();
  } else if constexpr (is_pair<T>::value) {
    return has_fields<typename T::first_type>() && has_fields<typename T::second_type>();
  } else if constexpr (std::is_aggregate_v<T> && !std::is_union_v<T> && !std::is_empty_v<T>) {
    return all_have_fields<T>(std::make_index_sequence<boost::pfr::tuple_size_v<T>>());
  } else {
    return false;
  }
}

/// Calls take(field) for each field of `t`.
/// Requires:   T is neither a basic element nor an array.
template <class T, class Take>
[[MPX_ALWAYS_INLINE]] constexpr void for_each_field(T& t, Take&& take) {
  if constexpr (is_pair<std::remove_const_t<T>>::value) {
    take(t.first);
    take(t.second);
  } else {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (take(boost::pfr::get<I>(t)), ...);
    }(std::make_index_sequence<boost::pfr::tuple_size_v<std::remove_const_t<T>>>());
  }
}

template <class T>
constexpr std::size_t fields_size() noexcept;
template <class T, std::size_t... I>
constexpr std::size_t fields_sum(std::index_sequence<I...>) noexcept {
  return (fields_size<boost::pfr::tuple_element_t<I, T>>() + ...);
}
/// Returns the bytes of T without padding.
template <class T>
constexpr std::size_t fields_size() noexcept {
  if constexpr (Basic<T>) {
    return sizeof(T);
  } else if constexpr (is_std_array<T>::value) {
    return is_std_array<T>::count * fields_size<typename is_std_array<T>::element>();
  } else if constexpr (is_pair<T>::value) {
    return fields_size<typename T::first_type>() + fields_size<typename T::second_type>();
  } else {
    return fields_sum<T>(std::make_index_sequence<boost::pfr::tuple_size_v<T>>());
  }
}

/// Copies the fields of `t`. All lengths and offsets are compile-time constants.
template <bool Packing, class T>
[[MPX_ALWAYS_INLINE]] inline void move_fields(T& t, std::byte*& stream) noexcept {
  if constexpr (fields_size<T>() == sizeof(T)) {
    move_block<Packing, sizeof(T)>(reinterpret_cast<std::byte*>(&t), stream, sizeof(T));
    stream += sizeof(T);
  } else if constexpr (is_std_array<T>::value) {
    for (auto& element : t) move_fields<Packing>(element, stream);
  } else {
    for_each_field(t, [&](auto& field) { move_fields<Packing>(field, stream); });
  }
}

/// Layout of contiguous T without padding. Stateless: one object serves all uses.
template <class T>
class fields_layout final : public layout {
 public:
  void pack(const std::byte* base, std::size_t offset,
            std::span<std::byte> into) const noexcept override {
    move<true>(const_cast<std::byte*>(base), offset, into.size(), into.data());
  }
  void unpack(std::byte* base, std::size_t offset,
              std::span<const std::byte> from) const noexcept override {
    move<false>(base, offset, from.size(), const_cast<std::byte*>(from.data()));
  }

 private:
  static constexpr std::size_t bytes = fields_size<T>();

  template <bool Packing>
  static void move(std::byte* base, std::size_t offset, std::size_t n, std::byte* stream) noexcept {
    T* element = reinterpret_cast<T*>(base) + offset / bytes;
    if (const std::size_t head = offset % bytes; head != 0) {
      const std::size_t some = n < bytes - head ? n : bytes - head;
      part<Packing>(*element++, head, some, stream);
      stream += some;
      n -= some;
    }
    const std::size_t whole = n / bytes;
    const auto one = [&](std::size_t i) {
      std::byte* at = stream + i * bytes;
      move_fields<Packing>(element[i], at);
    };
    std::size_t i = 0;
    if constexpr (bytes <= 64)  // For short elements the loop costs as much as a field.
      for (; i + 4 <= whole; i += 4) one(i), one(i + 1), one(i + 2), one(i + 3);
    for (; i < whole; ++i) one(i);
    element += whole;
    stream += whole * bytes;
    if (n % bytes != 0) part<Packing>(*element, 0, n % bytes, stream);
  }
  template <bool Packing>
  static void part(T& element, std::size_t from, std::size_t n, std::byte* stream) noexcept {
    std::byte all[bytes];
    std::byte* at = all;
    move_fields<true>(element, at);
    if constexpr (Packing) {
      std::memcpy(stream, all + from, n);
    } else {
      std::memcpy(all + from, stream, n);
      at = all;
      move_fields<false>(element, at);
    }
  }
};
template <class T>
inline constexpr fields_layout<T> fields_of{};

}  // namespace detail

/// A type whose fields can be found: basic elements, arrays and pairs of such, and aggregates of
/// such without base classes, bit fields or C arrays (Boost.PFR). Contains no addresses.
template <class T>
concept Reflected = detail::has_fields<std::remove_const_t<T>>();

/// Buffer of aggregates without the padding between their fields. Does not own the data. Made by
/// mpx::fields.
template <Reflected T>
class fields_view {
 public:
  using layout_buffer = std::byte;                       ///< Matches elements of any type.
  static constexpr bool writable = !std::is_const_v<T>;  ///< True if a receive accepts it.

  /// See mpx::fields.
  constexpr explicit fields_view(std::span<T> data) noexcept : data_(data) {}

  /// Returns the number of bytes transferred.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return data_.size() * detail::fields_size<element>();
  }
  /// Returns the number of bytes transferred of one aggregate.
  [[nodiscard]] static constexpr std::size_t element_bytes() noexcept {
    return detail::fields_size<element>();
  }
  [[nodiscard]] std::span<T> data() const noexcept { return data_; }  ///< The aggregates.

  /// Always succeeds.
  errc fault(bool) const noexcept { return {}; }
  /// See fault.
  [[noreturn]] void raise_fault(const char* call, bool, std::source_location where) const {
    throw error(errc::datatype, call, where);
  }
  /// For the library: returns its memory.
  [[nodiscard]] memory lend() const noexcept {
    constexpr std::size_t size = detail::fields_size<element>();
    if constexpr (size == 0) {
      return {};
    } else {
      auto* const base = reinterpret_cast<std::byte*>(const_cast<element*>(data_.data()));
      const layout* const how = size == sizeof(T) ? nullptr : &detail::fields_of<element>;
      return data_.empty() ? memory{} : memory{base, bytes(), how};
    }
  }
  /// For the library: as lend.
  [[nodiscard]] memory keep() const noexcept { return lend(); }
  /// For the library: as lend.
  [[nodiscard]] memory borrow() const noexcept { return lend(); }

 private:
  using element = std::remove_const_t<T>;
  std::span<T> data_;
};

/// Makes a buffer of a contiguous range of aggregates, sent and received without padding:
/// `world.send(mpx::fields(particles), 1)`.
/// Requires:   the range outlives the operation.
template <class B>
requires(std::ranges::contiguous_range<B> &&
         (std::is_lvalue_reference_v<B> || std::ranges::borrowed_range<B>))
auto fields(B&& range) noexcept {
  using element = std::remove_reference_t<std::ranges::range_reference_t<B>>;
  return fields_view<element>(
      std::span<element>(std::ranges::data(range), std::ranges::size(range)));
}
/// As above, for one aggregate.
template <class T>
requires(!std::ranges::range<T> && Reflected<T>)
auto fields(T& value) noexcept {
  return fields_view<T>(std::span<T>(&value, 1));
}

/// Returns the datatype of T: its basic elements, with the extent sizeof(T).
/// Cost:       several allocations; keep the result.
template <Reflected T>
[[nodiscard]] datatype datatype_of() {
  if constexpr (detail::Basic<T>) {
    return datatype::of<T>();
  } else if constexpr (detail::is_std_array<T>::value) {
    return datatype::contiguous(detail::is_std_array<T>::count,
                                datatype_of<typename detail::is_std_array<T>::element>());
  } else {
    std::vector<std::int64_t> at;
    std::vector<datatype> types;
    alignas(T) std::byte room[sizeof(T)];  // Only its address is used.
    T& t = *reinterpret_cast<T*>(room);
    detail::for_each_field(t, [&]<class F>(F& field) {
      at.push_back(reinterpret_cast<std::byte*>(std::addressof(field)) - room);
      types.push_back(datatype_of<F>());
    });
    const std::vector<std::int64_t> lengths(at.size(), 1);
    return datatype::resized(datatype::structure(lengths, at, types), 0,
                             static_cast<std::int64_t>(sizeof(T)));
  }
}

}  // namespace mpx::inline v0
