// SPDX-License-Identifier: BSL-1.0
#pragma once
// What of the program a stack checks at run time, at a price: nothing, the types of what is sent
// and received, or (mpx/checks.hpp) whether ranks make the same collective calls. A type travels in
// those bits of a message's context that no communicator uses; matching ignores them.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>

#include "mpx/datatype/buffer.hpp"
#include "mpx/matching/concepts.hpp"

namespace mpx::inline v0 {

struct checks_axis {};

/// What a stack checks. `compares_types`: whether the elements of messages and receives are
/// compared. `matcher`: what the stack's matcher becomes for it. `compares_collectives`: whether
/// ranks compare their collective calls before they make them (then there is more, see
/// checks::collectives). `call_mark`: what is kept of such a call for that.
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

inline constexpr unsigned type_bytes_max = 0xfff;  // As a length: that, or more.

/// Sixteen bits that say of an element's type what matters when its bytes are read as another: its
/// kind and its length. 0: anything goes.
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

/// "integers of 8 bytes".
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

/// What travels of a type: 0, or one of 40 of numbers, whose lengths are powers of two, or one of
/// an object, by its length up to 214 bytes, and 255 for all that are longer.
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

inline constexpr unsigned type_shift = 56;  // Of match bits: the highest byte of the context.
inline constexpr match_bits type_bits = match_bits{0xff} << type_shift;
constexpr type_code type_in(match_bits bits) noexcept {
  return type_of(static_cast<std::uint8_t>(bits >> type_shift));
}

constexpr bool differ(type_code sent, type_code expected) noexcept {
  return sent != 0 && expected != 0 && sent != expected;
}
/// What a receive's pattern keeps once it has matched: the message's bits, and the type that was
/// expected, where all bits of a type were ignored before.
constexpr void note_type(pattern& want, match_bits sent) noexcept {
  want.ignore = want.bits & type_bits;
  want.bits = sent;
}
constexpr bool has_wrong_type(const pattern& want) noexcept {
  return (want.ignore & type_bits) != type_bits && differ(type_in(want.bits), type_in(want.ignore));
}

/// A matcher that leaves in each receive what its message's type was.
template <class Matcher>
class type_matcher : public Matcher {
 public:
  [[MPX_ALWAYS_INLINE]] posted_receive* match_arrival(const envelope& is) noexcept {
    posted_receive* const r = Matcher::match_arrival(is);
    if (r != nullptr) note_type(r->want, is.bits);
    return r;
  }
};

/// The type of a call's elements, in a stack that compares them; else nothing.
template <bool Compared>
struct type_mark {
  static constexpr match_bits ignored = 0;
  static constexpr context_id context_mask = 0xffff'ffff;  ///< Of a context, what is no type,
  static constexpr unsigned context_bits = 32;             ///< so many bits.
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
  mutable type_code sent = 0;  // Of the message, for reports.

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

/// What is kept of a collective call that nobody compares.
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

/// The default: nothing is checked, and nothing costs.
struct none {
  using policy_axis = checks_axis;
  static constexpr std::string_view name = "none";
  static constexpr bool compares_types = false;
  static constexpr bool compares_collectives = false;
  using call_mark = detail::unmarked_call;
  template <class Matcher>
  using matcher = Matcher;
};

/// A message whose elements are of another kind or length than those of its receive, such as a
/// double received as a long, is errc::type. std::byte goes with anything, and so do messages of
/// matched probes, and collectives; objects of over 214 bytes are all of one kind. All ranks choose
/// it, or none. A rank leads fewer communicators at once: 8,191 in jobs of up to 64 ranks, 511 of
/// 1,024, 31 of 16,384.
/// Cost: receives count as such from any tag for the matcher.
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
