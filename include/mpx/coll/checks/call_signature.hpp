// SPDX-License-Identifier: BSL-1.0
#pragma once
// Signature of a collective call that one rank sends to others for comparison, and the text that
// reports two signatures that do not match.

#include <algorithm>
#include <concepts>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <source_location>
#include <string_view>
#include <type_traits>
#include <utility>

#include "mpx/coll/arguments.hpp"
#include "mpx/coll/operations.hpp"
#include "mpx/engine/axes/checks.hpp"
#include "mpx/engine/endpoint/schedule.hpp"

namespace mpx::inline v0::detail {

/// The operation of a reduction, as far as ranks can compare it. Values are part of the wire
/// format.
enum class reduces_by : std::uint8_t {
  nothing,
  sum,
  prod,
  max,
  min,
  logical_and,
  logical_or,
  logical_xor,
  bit_and,
  bit_or,
  bit_xor,
  maxloc,
  minloc,
  replace,
  no_op,
  own,
  own_commutative,
  count_
};
inline const char* name_of(reduces_by op) noexcept {
  static constexpr const char* names[] = {"nothing",
                                          "sum",
                                          "prod",
                                          "max",
                                          "min",
                                          "logical_and",
                                          "logical_or",
                                          "logical_xor",
                                          "bit_and",
                                          "bit_or",
                                          "bit_xor",
                                          "maxloc",
                                          "minloc",
                                          "replace",
                                          "no_op",
                                          "an operation of its own",
                                          "a commutative operation of its own"};
  return op < reduces_by::count_ ? names[static_cast<int>(op)] : "an unknown operation";
}

template <template <class> class Family, class Op>
inline constexpr bool is_of_family = false;
template <template <class> class Family, class T>
inline constexpr bool is_of_family<Family, Family<T>> = true;

template <class Op, class T>
constexpr reduces_by class_of_operation() noexcept {
  using enum reduces_by;
  if (is_of_family<std::plus, Op>) return sum;
  if (is_of_family<std::multiplies, Op>) return prod;
  if (std::is_same_v<Op, max_t>) return max;
  if (std::is_same_v<Op, min_t>) return min;
  if (is_of_family<std::logical_and, Op>) return logical_and;
  if (is_of_family<std::logical_or, Op>) return logical_or;
  if (std::is_same_v<Op, logical_xor_t>) return logical_xor;
  if (is_of_family<std::bit_and, Op>) return bit_and;
  if (is_of_family<std::bit_or, Op>) return bit_or;
  if (is_of_family<std::bit_xor, Op>) return bit_xor;
  if (std::is_same_v<Op, maxloc_t>) return maxloc;
  if (std::is_same_v<Op, minloc_t>) return minloc;
  if (std::is_same_v<Op, replace_t>) return replace;
  if (std::is_same_v<Op, no_op_t>) return no_op;
  return is_commutative<Op, T> ? own_commutative : own;
}

inline constexpr std::size_t signature_text_bytes = 512;

/// Description of a collective call that is kept for comparison: element type, operation, source
/// line, and the text of a mismatch.
struct marked_call {
  type_code type = 0;
  reduces_by op = reduces_by::nothing;
  std::source_location where{};
  mutable char text[signature_text_bytes];

  /// The element type of the input, or with mpx::in_place of the result.
  template <class In, class Out>
  using data = std::conditional_t<std::same_as<std::remove_cvref_t<In>, in_place_t>, Out, In>;

  template <class Op, class Data>
  static marked_call of(const std::source_location& where) noexcept {
    if constexpr (LayoutBuffer<Data>) {
      using element = typename std::remove_cvref_t<Data>::layout_buffer;
      return {type_mark<true>::of<element>().code, reduces_by::nothing, where, {}};
    } else {
      return {type_mark<true>::of<Data>().code, reduces_by::nothing, where, {}};
    }
  }
  template <class Op, class Data>
  requires std::is_void_v<Data>
  static marked_call of(const std::source_location& where) noexcept {
    return combining(static_cast<const Op*>(nullptr), where);
  }
  /// Copies the text of a mismatch in `f` into `text`, and lets `f` refer to it.
  void keep_text(collective_failure& f) const noexcept {
    if (f.of != collective_failure::cause::mismatch) return;
    std::strncpy(text, f.what, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    f.what = text;
  }

 private:
  template <class T, class Op>
  static marked_call combining(const typed_reduction<T, Op>*,
                               const std::source_location& where) noexcept {
    return {
        code_of<std::remove_cv_t<T>>(), class_of_operation<std::remove_cv_t<Op>, T>(), where, {}};
  }
  static marked_call combining(const void*, const std::source_location& where) noexcept {
    return {0, reduces_by::nothing, where, {}};
  }
};

constexpr std::uint64_t mixed(std::uint64_t h, std::uint64_t value) noexcept {
  h = (h ^ value) * 0x9e37'79b9'7f4a'7c15u;
  return h ^ h >> 29;
}

/// Text that is built in a given array. Text that does not fit is cut.
struct signature_text {
  char* at;
  std::size_t room;

  [[gnu::format(printf, 2, 3), gnu::noinline, gnu::cold]] void add(const char* format,
                                                                   ...) noexcept {
    std::va_list values;
    va_start(values, format);
    const int n = std::vsnprintf(at, room, format, values);
    va_end(values);
    const std::size_t used = n < 0 ? 0 : std::min(static_cast<std::size_t>(n), room - 1);
    at += used;
    room -= used;
  }
};

/// Signature of a collective call of one rank. It is sent as it is. A received one is not trusted;
/// texts are printed within the bounds of their arrays.
struct call_signature {
  /// Name of the signature that a rank sends in place of a call when its environment ends.
  static constexpr const char* leaving = "leaves the job";

  rank_t rank = -1;
  rank_t root = -1;
  rank_t other = -1;  // Of a pair: the other rank.
  std::uint32_t line = 0;
  std::uint64_t bytes = 0;   // The length that all pass alike, or of a pair.
  std::uint64_t shape = 0;   // Hash of other properties that must be equal.
  std::uint32_t blocks = 0;  // Number of blocks; of a pair.
  type_code type = 0;
  std::uint8_t reduces_by = 0;
  std::uint8_t algorithm = 0;
  std::uint8_t is_started = 0;
  std::uint8_t sized = 0;     // `bytes` is set.
  std::uint8_t told = 0;      // The signature is set, by this rank or by a message.
  std::uint8_t of_group = 0;  // Of a pair: it compares groups of ranks.
  char name[24] = {};
  char file[60] = {};

  call_signature() = default;
  call_signature(rank_t me, std::string_view call, const std::source_location& where,
                 bool starts) noexcept
      : rank(me), line(where.line()), is_started(starts ? 1 : 0), told(1) {
    std::copy_n(call.begin(), std::min(call.size(), sizeof name - 1), name);
    std::string_view path(where.file_name());  // Keep the end of the path.
    if (path.size() >= sizeof file) path.remove_prefix(path.size() - sizeof file + 1);
    std::copy(path.begin(), path.end(), file);
  }
  void say_bytes(std::size_t n) noexcept {
    bytes = n;
    sized = 1;
  }
  void begin_pair(rank_t with) noexcept {
    other = with;
    bytes = shape = blocks = 0;
  }
  void add_block(std::size_t n) noexcept {
    bytes += n;
    shape = mixed(shape + 1, n);
    ++blocks;
  }

  bool has_name(const call_signature& c) const noexcept {
    return std::memcmp(name, c.name, sizeof name) == 0;
  }
  bool leaves() const noexcept { return std::strncmp(name, leaving, sizeof name) == 0; }
  /// True if two ranks may make these calls together. This is an equivalence relation if all
  /// signatures that name a type name the same.
  bool goes_with(const call_signature& c) const noexcept {
    return has_name(c) && root == c.root && bytes == c.bytes && shape == c.shape &&
           reduces_by == c.reduces_by && algorithm == c.algorithm && is_started == c.is_started &&
           !mpx::detail::differ(type, c.type);
  }
  /// Of a pair: true if the data sent is the data expected.
  bool fits(const call_signature& expected) const noexcept {
    return bytes == expected.bytes && blocks == expected.blocks && shape == expected.shape;
  }
  /// Order for the choice of a representative among matching signatures: those that name a type
  /// come first, then lower ranks.
  bool before(const call_signature& c) const noexcept {
    return (type == 0) != (c.type == 0) ? type != 0 : rank < c.rank;
  }

  /// Writes e.g. "allreduce of 8 bytes to root 1, by sum (f.cpp:3)"; properties are included if
  /// they differ from those of `c`.
  void write(signature_text& to, const call_signature& c) const noexcept {
    if (leaves()) return to.add("%s", leaving);
    if (is_started != c.is_started) to.add(is_started != 0 ? "a started " : "a blocking ");
    to.add("%.*s", static_cast<int>(sizeof name), name);
    if (sized != 0) to.add(" of %llu bytes", 0ull + bytes);
    const bool gives = name[0] == 'b' || std::strncmp(name, "scatter", 7) == 0;
    if (root >= 0) to.add(" %s root %d", gives ? "from" : "to", root);
    if (mpx::detail::differ(type, c.type)) to.add(", in %s", name_of_type(type).c_str());
    if (!has_name(c)) return write_site(to);
    if (reduces_by != c.reduces_by)
      to.add(", by %s", name_of(static_cast<detail::reduces_by>(reduces_by)));
    if (algorithm != c.algorithm) to.add(", by algorithm %d", algorithm);
    if (shape != c.shape && bytes == c.bytes) to.add(", in another shape");
    write_site(to);
  }
  void write_site(signature_text& to) const noexcept {
    if (line != 0) to.add(" (%.*s:%u)", static_cast<int>(sizeof file), file, line);
  }
  void write_blocks(signature_text& to) const noexcept {
    to.add("%llu bytes", 0ull + bytes);
    if (blocks != 1) to.add(" in %u blocks", blocks);
  }
};
static_assert(std::is_trivially_copyable_v<call_signature> && sizeof(call_signature) == 128);

/// Two signatures that do not match, or one that represents all known signatures. `one` is the
/// first of all known ones in the order of `before`; `other` is the first of those that do not
/// match it. So all ranks end with the same pair, in whatever order they receive signatures.
struct signature_pair {
  call_signature one;
  call_signature other;

  bool differ() const noexcept { return other.told != 0; }
  /// Merges the knowledge of another rank. Signatures of pairs are exchanged only if they differ;
  /// then one pair remains.
  void add(const signature_pair& more) noexcept {
    if (one.other >= 0 || more.one.other >= 0) {
      if (one.told == 0 || (more.one.told != 0 && std::pair(more.one.rank, more.one.other) <
                                                      std::pair(one.rank, one.other)))
        *this = more;
      return;
    }
    const call_signature known[] = {one, other, more.one, more.other};
    *this = {};
    for (const call_signature& c : known)
      if (c.told != 0 && (one.told == 0 || c.before(one))) one = c;
    for (const call_signature& c : known)
      if (c.told != 0 && !c.goes_with(one) && (other.told == 0 || c.before(other))) other = c;
  }
  /// Writes the difference as a text for users.
  void write(char (&text)[signature_text_bytes]) const noexcept {
    signature_text to{text, sizeof text};
    to.add(one.leaves() ? "rank %d " : "rank %d called ", one.rank);
    if (one.other < 0) {
      one.write(to, other);
      to.add(one.leaves() ? ", rank %d called " : ", rank %d ", other.rank);
      return other.write(to, one);
    }
    to.add("%.*s", static_cast<int>(sizeof one.name), one.name);
    one.write_site(to);
    if (one.of_group != 0) {
      to.add(" with another group than rank %d", other.rank);
      return other.write_site(to);
    }
    to.add(" with ");
    one.write_blocks(to);
    to.add(" for rank %d, which expects ", one.other);
    other.write_blocks(to);
    other.write_site(to);
  }
};

}  // namespace mpx::inline v0::detail
