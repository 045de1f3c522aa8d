// SPDX-License-Identifier: BSL-1.0
#pragma once
// The sequence of basic elements in a packed stream: needed to count elements, and to convert them
// to other representations.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "mpx/core/numbers.hpp"
#include "mpx/data/detail/shape.hpp"

namespace mpx::inline v0 {

/// Kind of a basic element.
enum class basic_kind : std::uint8_t {
  byte,       ///< Raw byte, never converted.
  boolean,    ///< bool.
  character,  ///< char, wchar_t and similar.
  integer,    ///< Signed integer.
  natural,    ///< Unsigned integer.
  real,       ///< Floating point.
  complex,    ///< Two floating-point numbers.
};

/// A basic element: its kind, and its sizes in memory and in external32.
struct basic_type {
  basic_kind kind = basic_kind::byte;  ///< Kind.
  std::uint8_t size = 1;               ///< Bytes in memory.
  std::uint8_t alignment = 1;          ///< In memory.
  std::uint8_t external = 1;           ///< Bytes in external32.
  /// True if all members are equal.
  friend bool operator==(const basic_type&, const basic_type&) = default;
};

namespace detail {

template <class T>
struct is_complex : std::false_type {};
template <class T>
struct is_complex<std::complex<T>> : std::true_type {};

/// A type that is one basic element of a datatype.
template <class T>
concept Basic = std::is_arithmetic_v<T> || std::is_enum_v<T> || is_complex<T>::value;

template <Basic T>
constexpr basic_type basic_of() noexcept {
  if constexpr (std::is_same_v<T, std::byte>) {
    return {};
  } else if constexpr (std::is_enum_v<T>) {
    return basic_of<std::underlying_type_t<T>>();
  } else {
    basic_kind kind = basic_kind::real;
    std::size_t external = sizeof(T);
    if constexpr (std::is_same_v<T, bool>) {
      kind = basic_kind::boolean;
    } else if constexpr (std::is_same_v<T, char> || std::is_same_v<T, char8_t> ||
                         std::is_same_v<T, char16_t> || std::is_same_v<T, char32_t>) {
      kind = basic_kind::character;
    } else if constexpr (std::is_same_v<T, wchar_t>) {
      kind = basic_kind::character;
      external = 2;
    } else if constexpr (std::is_integral_v<T>) {
      kind = std::is_signed_v<T> ? basic_kind::integer : basic_kind::natural;
    } else if constexpr (is_complex<T>::value) {
      kind = basic_kind::complex;
    }
    return {kind, sizeof(T), alignof(T), static_cast<std::uint8_t>(external)};
  }
}

struct elements;
using elements_ptr = std::shared_ptr<const elements>;

/// A sequence of basic elements. Immutable once built.
struct elements {
  enum class form : std::uint8_t { equal, loop, many };

  form how = form::equal;
  basic_type of{};
  std::int64_t repeats = 0;   // form::loop: repetitions of parts[0].
  std::int64_t count = 0;     // Number of basic elements,
  std::int64_t bytes = 0;     // their bytes in memory,
  std::int64_t external = 0;  // and in external32.
  std::vector<elements_ptr> parts;
};

inline elements_ptr equal_elements(basic_type of, std::int64_t count, const checked& c) {
  elements e;
  e.of = of;
  e.count = count;
  e.bytes = c.product(count, of.size);
  e.external = c.product(count, of.external);
  return std::make_shared<const elements>(std::move(e));
}
inline elements_ptr repeated(std::int64_t count, const elements_ptr& of, const checked& c) {
  if (count == 1 || of->count == 0) return of;
  if (count == 0 || of->how == elements::form::equal)
    return equal_elements(of->of, c.product(count, of->count), c);
  elements e;
  e.how = elements::form::loop;
  e.repeats = count;
  e.count = c.product(count, of->count);
  e.bytes = c.product(count, of->bytes);
  e.external = c.product(count, of->external);
  e.parts.push_back(of);
  return std::make_shared<const elements>(std::move(e));
}

/// Concatenates sequences; merges equal neighbours.
class element_joiner {
 public:
  explicit element_joiner(const checked& c) noexcept : check_(c) {}
  void add(const elements_ptr& p) {
    if (p->count == 0) return;
    if (!parts_.empty() && p->how == elements::form::equal &&
        parts_.back()->how == elements::form::equal && parts_.back()->of == p->of) {
      parts_.back() = equal_elements(p->of, check_.sum(parts_.back()->count, p->count), check_);
      return;
    }
    parts_.push_back(p);
  }
  elements_ptr join() {
    if (parts_.empty()) return equal_elements({}, 0, check_);
    if (parts_.size() == 1) return parts_[0];
    elements e;
    e.how = elements::form::many;
    for (const elements_ptr& p : parts_) {
      e.count = check_.sum(e.count, p->count);
      e.bytes = check_.sum(e.bytes, p->bytes);
      e.external = check_.sum(e.external, p->external);
    }
    e.parts = std::move(parts_);
    return std::make_shared<const elements>(std::move(e));
  }

 private:
  checked check_;
  std::vector<elements_ptr> parts_;
};

/// Returns the number of basic elements in the first `bytes` of the sequence; nothing if an element
/// is cut.
inline std::optional<std::int64_t> elements_in(const elements& e, std::int64_t bytes) {
  if (bytes == 0) return 0;
  switch (e.how) {
    case elements::form::equal:
      if (bytes % e.of.size != 0) return std::nullopt;
      return bytes / e.of.size;
    case elements::form::loop: {
      const std::int64_t whole = bytes / e.parts[0]->bytes;
      const auto rest = elements_in(*e.parts[0], bytes - whole * e.parts[0]->bytes);
      if (!rest) return std::nullopt;
      return whole * e.parts[0]->count + *rest;
    }
    case elements::form::many: break;
  }
  std::int64_t count = 0;
  for (const elements_ptr& p : e.parts) {
    if (bytes < p->bytes) {
      const auto rest = elements_in(*p, bytes);
      if (!rest) return std::nullopt;
      return count + *rest;
    }
    bytes -= p->bytes;
    count += p->count;
  }
  return count;
}

/// Calls take(basic, count) for each run of equal elements, in order.
template <class Take>
void for_each_basic(const elements& e, Take&& take) {
  if (e.how == elements::form::equal) {
    if (e.count != 0) take(e.of, e.count);
  } else if (e.how == elements::form::loop) {
    for (std::int64_t i = 0; i < e.repeats; ++i) for_each_basic(*e.parts[0], take);
  } else {
    for (const elements_ptr& p : e.parts) for_each_basic(*p, take);
  }
}

}  // namespace detail
}  // namespace mpx::inline v0
