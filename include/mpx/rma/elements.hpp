// SPDX-License-Identifier: BSL-1.0
#pragma once
// Elements of a byte_window: types that an access names at run time. Part of mpx/byte_window.hpp.

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "mpx/rma/operations.hpp"
#include "mpx/rma/runs.hpp"

namespace mpx::inline v0::rma {

namespace detail {

/// Value followed by an index, `Gap` bytes behind its end. Sent without the gap.
template <class Value, class Index, std::size_t Gap = 0>
struct pair {
  static constexpr std::size_t bytes = sizeof(Value) + sizeof(Index);
  static constexpr std::size_t index_at = sizeof(Value) + Gap;
  static constexpr std::size_t reach = index_at + sizeof(Index);
  static constexpr std::size_t step = alignof(Value) > alignof(Index) ? alignof(Value)
                                                                      : alignof(Index);
  static constexpr std::size_t in_memory = (reach + step - 1) / step * step;
  Value value;
  Index index;

  /// Reads a pair whose index is at `index_from`.
  static pair read(const std::byte* from, std::size_t index_from) noexcept {
    pair p;
    std::memcpy(&p.value, from, sizeof(Value));
    std::memcpy(&p.index, from + index_from, sizeof(Index));
    return p;
  }
  void write(std::byte* to, std::size_t index_to) const noexcept {
    std::memcpy(to, &value, sizeof(Value));
    std::memcpy(to + index_to, &index, sizeof(Index));
  }
  static bool has(combine op) noexcept {
    return op == combine::replace || op == combine::no_op || op == combine::maxloc ||
           op == combine::minloc;
  }
  void join(combine op, const pair& given) noexcept {
    const bool before = value < given.value;
    const bool behind = given.value < value;
    const bool better = op == combine::maxloc ? before : behind;
    const bool first = !before && !behind && given.index < index;
    if (op == combine::replace || better || first) *this = given;
  }
  static void apply(combine op, std::byte* there, const std::byte* given, std::byte* fetched,
                    std::size_t count, element_locks& locks, std::uint32_t who) noexcept {
    with_few(locks, who, [&] {
      for (std::size_t i = 0; i < count; ++i, there += reach) {
        const element_lock held(locks, there, who);
        pair now = read(there, index_at);
        if (fetched != nullptr) now.write(fetched + i * bytes, sizeof(Value));
        if (op == combine::no_op) continue;
        now.join(op, read(given + i * bytes, sizeof(Value)));
        now.write(there, index_at);
      }
    });
  }
  static void swap(std::byte*, const std::byte*, const std::byte*, std::byte*, element_locks&,
                   std::uint32_t) noexcept {}
};

/// Elements of T anywhere in memory: those that are not aligned are combined under a lock.
template <class T>
struct anywhere {
  static bool is_aligned(const std::byte* there) noexcept {
    return reinterpret_cast<std::uintptr_t>(there) % alignof(T) == 0;
  }
  static void apply(combine op, std::byte* there, const std::byte* given, std::byte* fetched,
                    std::size_t count, element_locks& locks, std::uint32_t who) noexcept {
    if (is_aligned(there)) return type_of<T>.apply(op, there, given, fetched, count, locks, who);
    with_few(locks, who, [&] {
      for (std::size_t at = 0; at < count * sizeof(T); at += sizeof(T)) {
        const element_lock held(locks, there + at, who);
        T now, value{};
        std::memcpy(&now, there + at, sizeof(T));
        if (fetched != nullptr) std::memcpy(fetched + at, &now, sizeof(T));
        if (op == combine::no_op) continue;
        std::memcpy(&value, given + at, sizeof(T));
        now = combined(op, now, value);
        std::memcpy(there + at, &now, sizeof(T));
      }
    });
  }
  static void swap(std::byte* there, const std::byte* compare, const std::byte* given,
                   std::byte* fetched, element_locks& locks, std::uint32_t who) noexcept {
    if (is_aligned(there)) return type_of<T>.swap(there, compare, given, fetched, locks, who);
    with_few(locks, who, [&] {
      const element_lock held(locks, there, who);
      std::memcpy(fetched, there, sizeof(T));
      if (std::memcmp(there, compare, sizeof(T)) == 0) std::memcpy(there, given, sizeof(T));
    });
  }
};

template <class T>
constexpr element_type numbered_type(std::uint16_t number) noexcept {
  constexpr const element_type& of = type_of<T>;
  return {sizeof(T),
          1,
          of.has,
          &anywhere<T>::apply,
          &anywhere<T>::swap,
          of.is_word,
          of.is_integer,
          sizeof(T),
          number,
          0,
          sizeof(T)};
}
template <class Value, class Index, std::size_t Gap>
constexpr element_type numbered_pair(std::uint16_t number) noexcept {
  using of = pair<Value, Index, Gap>;
  constexpr std::uint16_t hole = Gap == 0 ? 0 : sizeof(Value);
  return {of::bytes, 1,         &of::has, &of::apply, &of::swap,    false,
          false,     of::reach, number,   hole,       of::in_memory};
}

template <class... T>
struct type_list {};
/// Types of elements, by number from 1 on. The order is part of the wire format.
using element_types =
    type_list<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
              std::uint32_t, std::uint64_t, bool, float, double, long double, std::complex<float>,
              std::complex<double>, std::complex<long double>, pair<float, std::int32_t>,
              pair<double, std::int32_t>, pair<std::int64_t, std::int32_t>,
              pair<std::int32_t, std::int32_t>, pair<std::int16_t, std::int32_t, 2>,
              pair<long double, std::int32_t>, pair<float, float>, pair<double, double>>;

template <class T>
struct numbered {
  static constexpr element_type at(std::uint16_t n) noexcept { return numbered_type<T>(n); }
};
template <class Value, class Index, std::size_t Gap>
struct numbered<pair<Value, Index, Gap>> {
  static constexpr element_type at(std::uint16_t n) noexcept {
    return numbered_pair<Value, Index, Gap>(n);
  }
};
template <class List>
struct element_table;
template <class... T>
struct element_table<type_list<T...>> {
  static constexpr std::size_t count = sizeof...(T);
  struct table {
    element_type all[count];
  };
  static constexpr table made() noexcept {
    std::uint16_t n = 0;
    return {{numbered<T>::at(++n)...}};
  }
  static constexpr table types = made();
  /// Returns the number of U; 0: it is no such type.
  template <class U>
  static constexpr std::uint16_t number_of() noexcept {
    std::uint16_t n = 0;
    std::uint16_t found = 0;
    ((++n, std::is_same_v<T, U> ? void(found = n) : void()), ...);
    return found;
  }
};
using elements = element_table<element_types>;

/// Returns the type of that number; nullptr: there is none.
inline const element_type* numbered_element(std::uint16_t number) noexcept {
  return number == 0 || number > elements::count ? nullptr : &elements::types.all[number - 1];
}

/// Integer type of the same size and sign, as which elements of T are combined; T if there is none.
template <class T>
struct same_integer {
  using type = T;
};
template <class T>
requires(std::integral<T> && !std::same_as<T, bool>)
struct same_integer<T> {
  using word = typename word_of<sizeof(T)>::type;
  using type = std::conditional_t<std::is_signed_v<T>, std::make_signed_t<word>, word>;
};

}  // namespace detail

/// Type of the elements that an access to a byte_window combines, chosen at run time. A value type.
class element {
 public:
  /// Returns the type of T: an integer type, bool, float, double, long double, or std::complex of
  /// one of these.
  template <class T>
  requires(detail::elements::number_of<typename detail::same_integer<T>::type>() != 0)
  [[nodiscard]] static constexpr element of() noexcept {
    return element(detail::elements::number_of<typename detail::same_integer<T>::type>());
  }
  /// Returns the type of a value that is followed by an index, as a C struct of both lays them out:
  /// for maxloc and minloc. Data is sent without the struct's holes, as datatypes describe it.
  template <class Value, class Index>
  [[nodiscard]] static constexpr element pair() noexcept {
    using value = typename detail::same_integer<Value>::type;
    using index = typename detail::same_integer<Index>::type;
    struct both {
      value v;
      index i;
    };
    constexpr std::size_t gap = offsetof(both, i) - sizeof(value);
    constexpr std::uint16_t n = detail::elements::number_of<detail::pair<value, index, gap>>();
    static_assert(n != 0, "a byte_window has no pairs of these types");
    return element(n);
  }
  /// Bytes of the data of an element.
  [[nodiscard]] std::size_t bytes() const noexcept { return type().bytes; }
  /// True if the operation applies to it.
  [[nodiscard]] bool has(combine op) const noexcept {
    return op < combine::count_ && type().has(op);
  }
  /// True if compare_and_swap applies to it.
  [[nodiscard]] bool swaps() const noexcept { return type().is_word; }
  /// For the library.
  [[nodiscard]] const element_type& type() const noexcept {
    return *detail::numbered_element(number_);
  }

 private:
  constexpr explicit element(std::uint16_t number) noexcept : number_(number) {}
  std::uint16_t number_;
};

namespace detail {

/// Lists the elements of `n` bytes of data that lie one behind the other, for elements with holes;
/// leaves `to` empty for all others.
inline errc list_elements(const element_type& type, std::uint64_t n, spread& to) noexcept {
  if (type.extent == type.bytes || n == 0) return errc{};
  auto* const runs = new (std::nothrow) run_list;
  to.runs = runs_reference(runs);
  if (runs == nullptr) return errc::no_resources;
  for (std::uint64_t i = 0; i < n / type.bytes; ++i)
    if (!runs->add_element(static_cast<std::int64_t>(i * type.extent), type.bytes, type.reach))
      return errc::no_resources;
  return errc{};
}
/// Replaces the runs of a layout by the elements with holes that they make up.
/// Errors:     errc::datatype if the layout does not consist of such elements.
inline errc gather_elements(const element_type& type, spread& of) noexcept {
  if (type.hole_at == 0 || of.runs.get() == nullptr) return errc{};
  const run_list& from = *of.runs.get();
  const std::size_t gap = type.reach - type.bytes;
  auto* const runs = new (std::nothrow) run_list;
  runs_reference made(runs);
  if (runs == nullptr) return errc::no_resources;
  std::size_t filled = 0;  // Bytes of the element that begins at `start`.
  std::int64_t start = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    run r = from[i];
    while (r.bytes != 0) {
      if (filled == 0) start = r.at;
      const bool second = filled >= type.hole_at;
      const std::size_t end = second ? type.bytes : type.hole_at;
      const std::size_t n = mpx::detail::lesser<std::size_t>(end - filled, r.bytes);
      if (r.at != start + static_cast<std::int64_t>(filled + (second ? gap : 0)))
        return errc::datatype;
      filled += n;
      r.at += static_cast<std::int64_t>(n);
      r.bytes -= n;
      if (filled != type.bytes) continue;
      if (!runs->add_element(start, type.bytes, type.reach)) return errc::no_resources;
      filled = 0;
    }
  }
  of.runs = std::move(made);
  return filled == 0 ? errc{} : errc::datatype;
}

}  // namespace detail

}  // namespace mpx::inline v0::rma
