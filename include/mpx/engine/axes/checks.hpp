// SPDX-License-Identifier: BSL-1.0
#pragma once
// Optional checks of the program at run time: none, the element types of messages, or
// (mpx/checks.hpp) agreement of collective calls. A type travels in bits of a message's context
// that no communicator uses; matching ignores them.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>

#include "mpx/data/buffer.hpp"
#include "mpx/matching/concepts.hpp"

namespace mpx::inline v0 {

struct checks_axis {};

/// The checks of a stack.
/// - `compares_types`: true if element types of messages and receives are compared.
/// - `matcher`: wraps the stack's matcher.
/// - `compares_collectives`: true if ranks compare their collective calls before they run them (a
///   policy of this kind has more members, see checks::collectives).
/// - `call_mark`: data kept of a collective call for that comparison.
template <class C>
concept Checks = requires {
  requires std::same_as<typename C::policy_axis, checks_axis>;
  { C::name } -> std::convertible_to<std::string_view>;
  { C::compares_types } -> std::convertible_to<bool>;
  { C::compares_collectives } -> std::convertible_to<bool>;
  typename C::template matcher<matcher_archetype>;
  typename C::call_mark;
};

namespace detail {

inline constexpr unsigned type_bytes_max = 0xfff;  // As a length: this or more.

/// Sixteen bits that describe an element's type: its kind and its length. 0 matches any type.
using type_code = std::uint16_t;

enum class type_kind : std::uint8_t { any, boolean, character, integer, natural, real, object };

template <class T>
constexpr type_code code_of() noexcept {
  type_kind kind = type_kind::object;
  if constexpr (std::is_same_v<T, std::byte>) return 0;
  if constexpr (std::is_enum_v<T>) return code_of<std::underlying_type_t<T>>();
  if constexpr (std::is_same_v<T, bool>) {
    kind = type_kind::boolean;
  } else if constexpr (std::is_same_v<T, char> || std::is_same_v<T, wchar_t> ||
                       std::is_same_v<T, char8_t> || std::is_same_v<T, char16_t> ||
                       std::is_same_v<T, char32_t>) {
    kind = type_kind::character;
  } else if constexpr (std::is_integral_v<T>) {
    kind = std::is_signed_v<T> ? type_kind::integer : type_kind::natural;
  } else if constexpr (std::is_floating_point_v<T>) {
    kind = type_kind::real;
  }
  return static_cast<type_code>(static_cast<unsigned>(kind) << 12 |
                                (sizeof(T) < type_bytes_max ? sizeof(T) : type_bytes_max));
}

/// Returns, for example, "integers of 8 bytes".
inline std::string name_of_type(type_code code) {
  static constexpr const char* kinds[] = {
      "bytes",  "bool", "characters", "integers", "unsigned integers", "floating-point numbers",
      "objects"};
  const unsigned kind = code >> 12;
  if (code == 0) return kinds[0];
  if ((code & type_bytes_max) == type_bytes_max) return "large objects";
  std::string s(kind < 7 ? kinds[kind] : "a type that this mpx does not know");
  return s.append(" of ").append(std::to_string(code & type_bytes_max)).append(" bytes");
}

/// Encodes a type for the wire: 0; 40 codes for numbers, whose lengths are powers of two; codes for
/// objects by their length up to 214 bytes; 255 for all longer objects.
constexpr std::uint8_t short_of(type_code code) noexcept {
  constexpr unsigned object = static_cast<unsigned>(type_kind::object);
  const unsigned kind = code >> 12, bytes = code & type_bytes_max;
  if (code == 0) return 0;
  if (kind >= object) return static_cast<std::uint8_t>(bytes < 215 ? 40 + bytes : 255);
  unsigned power = 0;
  while (power < 7 && 1u << power < bytes) ++power;
  return static_cast<std::uint8_t>(1 + 8 * (kind - 1) + power);
}
constexpr type_code type_of(std::uint8_t shortened) noexcept {
  constexpr unsigned object = static_cast<unsigned>(type_kind::object) << 12;
  const unsigned s = shortened;
  if (s == 0) return 0;
  if (s > 40) return static_cast<type_code>(object | (s < 255 ? s - 40 : type_bytes_max));
  return static_cast<type_code>((1 + (s - 1) / 8) << 12 | 1u << (s - 1) % 8);
}

inline constexpr unsigned type_shift = 56;  // In match bits: the highest byte of the context.
inline constexpr match_bits type_bits = match_bits{0xff} << type_shift;
constexpr type_code type_in(match_bits bits) noexcept {
  return type_of(static_cast<std::uint8_t>(bits >> type_shift));
}

constexpr bool differ(type_code sent, type_code expected) noexcept {
  return sent != 0 && expected != 0 && sent != expected;
}
/// Keeps the bits of the matched message and the expected type in the receive's pattern. A pattern
/// ignores all type bits before.
constexpr void note_type(pattern& want, match_bits sent) noexcept {
  want.ignore = want.bits & type_bits;
  want.bits = sent;
}
constexpr bool has_wrong_type(const pattern& want) noexcept {
  return (want.ignore & type_bits) != type_bits && differ(type_in(want.bits), type_in(want.ignore));
}

/// A matcher that records the type of the matched message in each receive.
template <class Matcher>
class type_matcher : public Matcher {
 public:
  [[MPX_ALWAYS_INLINE]] posted_receive* match_arrival(const envelope& is) noexcept {
    posted_receive* const r = Matcher::match_arrival(is);
    if (r != nullptr) note_type(r->want, is.bits);
    return r;
  }
};

/// Element type of a call, in a stack that compares types; else empty.
template <bool Compared>
struct type_mark {
  static constexpr match_bits ignored = 0;
  static constexpr context_id context_mask = 0xffff'ffff;  ///< Context bits without a type,
  static constexpr unsigned context_bits = 32;             ///< and their number.
  template <class B>
  static constexpr type_mark of() noexcept {
    return {};
  }
  static constexpr context_id in(context_id context) noexcept { return context; }
  static constexpr bool wrong(const pattern&) noexcept { return false; }
};
template <>
struct type_mark<true> {
  static constexpr match_bits ignored = type_bits;
  static constexpr context_id context_mask = 0xff'ffff;
  static constexpr unsigned context_bits = 24;
  type_code code = 0;
  mutable type_code sent = 0;  // Type of the message, for reports.

  template <class B>
  static constexpr type_mark of() noexcept {
    using buffer = std::remove_cvref_t<B>;
    if constexpr (std::ranges::range<buffer>) {
      return {code_of<
          std::remove_cv_t<std::remove_all_extents_t<std::ranges::range_value_t<buffer>>>>()};
    } else {
      return {code_of<buffer>()};
    }
  }
  constexpr context_id in(context_id context) const noexcept {
    return context | context_id{short_of(code)} << 24;
  }
  static constexpr bool wrong(const pattern& want) noexcept { return has_wrong_type(want); }
};

/// Data kept of a collective call in a stack that does not compare calls.
struct unmarked_call {
  template <class In, class Out>
  using data = void;
  template <class...>
  static constexpr unmarked_call of(const std::source_location&) noexcept {
    return {};
  }
};

}  // namespace detail

namespace checks {

/// The default: no checks, no cost.
struct none {
  using policy_axis = checks_axis;
  static constexpr std::string_view name = "none";
  static constexpr bool compares_types = false;
  static constexpr bool compares_collectives = false;
  using call_mark = detail::unmarked_call;
  template <class Matcher>
  using matcher = Matcher;
};

/// Compares element types. A message whose elements have another kind or length than those of its
/// receive, such as a double received as a long, fails with errc::type. std::byte matches anything;
/// so do messages of matched probes, and collectives. All objects of more than 214 bytes have the
/// same type.
/// Requires: all ranks choose this policy, or none.
/// Cost: the matcher treats receives like receives with any tag. A rank leads fewer communicators
/// at once: 8,191 in jobs of up to 64 ranks, 511 of 1,024, 31 of 16,384.
struct types {
  using policy_axis = checks_axis;
  static constexpr std::string_view name = "types";
  static constexpr bool compares_types = true;
  static constexpr bool compares_collectives = false;
  using call_mark = detail::unmarked_call;
  template <class Matcher>
  using matcher = detail::type_matcher<Matcher>;
};

}  // namespace checks
}  // namespace mpx::inline v0
