// SPDX-License-Identifier: BSL-1.0
#pragma once
// Matching of messages and receives. MPI's rule: a receive takes the earliest matching message of a
// source, a message goes to the earliest matching posted receive, and messages do not overtake.
// Source: MPI 4.1, 3.5.

#include <concepts>
#include <cstdint>
#include <string_view>

#include "mpx/core/intrusive.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

struct matching_axis {};

/// Bits by which messages and receives are matched, besides the source: context in the upper half,
/// tag in the lower half. Source: Portals 3, 64 match bits and 64 ignore bits.
using match_bits = std::uint64_t;

/// All bits of a tag except the sign: ignored by a receive with any_tag. No message has a negative
/// tag.
inline constexpr match_bits tag_bits = 0x7fff'ffff;

/// Returns the match bits of a context and a tag.
[[nodiscard]] constexpr match_bits match_bits_of(context_id context, tag_t tag) noexcept {
  return match_bits{context} << 32 | static_cast<std::uint32_t>(tag);
}
/// Returns the context of match bits.
[[nodiscard]] constexpr context_id context_of(match_bits bits) noexcept {
  return static_cast<context_id>(bits >> 32);
}
/// Returns the tag of match bits.
[[nodiscard]] constexpr tag_t tag_of(match_bits bits) noexcept {
  return static_cast<tag_t>(static_cast<std::uint32_t>(bits));
}

/// Matching data of a message.
struct envelope {
  match_bits bits = 0;
  peer_id source = 0;

  constexpr envelope() = default;
  constexpr envelope(match_bits b, peer_id s) noexcept : bits(b), source(s) {}
  constexpr envelope(context_id context, peer_id s, tag_t tag) noexcept
      : bits(match_bits_of(context, tag)), source(s) {}
  constexpr context_id context() const noexcept { return context_of(bits); }
  constexpr tag_t tag() const noexcept { return tag_of(bits); }
};

/// Matching criteria of a receive: all bits that are not ignored must be equal, and the source,
/// unless it is any_peer.
struct pattern {
  match_bits bits = 0;
  match_bits ignore = tag_bits;
  peer_id source = any_peer;

  constexpr pattern() = default;
  /// `tag` may be any_tag.
  constexpr pattern(context_id context, peer_id s, tag_t tag) noexcept
      : bits(match_bits_of(context, tag < 0 ? 0 : tag)),
        ignore(tag < 0 ? tag_bits : 0),
        source(s) {}
  /// Requires:   `tag` is not any_tag.
  static constexpr pattern exactly(context_id context, peer_id source, tag_t tag) noexcept {
    return of(match_bits_of(context, tag), 0, source);
  }
  static constexpr pattern of(match_bits bits, match_bits ignore, peer_id source) noexcept {
    pattern p;
    p.bits = bits;
    p.ignore = ignore;
    p.source = source;
    return p;
  }
  constexpr context_id context() const noexcept { return context_of(bits); }
  /// Returns any_tag if the tag is ignored.
  constexpr tag_t tag() const noexcept { return (ignore & tag_bits) != 0 ? -1 : tag_of(bits); }
  constexpr bool exact() const noexcept { return ignore == 0 && source != any_peer; }
  constexpr bool bits_match(match_bits b) const noexcept { return ((b ^ bits) | ignore) == ignore; }
  constexpr bool matches(const envelope& e) const noexcept {
    return bits_match(e.bits) && (source == any_peer || e.source == source);
  }
};

struct match_tag {};
struct posting_tag {};
struct arrival_tag {};

/// A posted receive that waits for its message. Linked by the matcher; owned by the poster.
struct posted_receive : list_node<posting_tag>, list_node<match_tag> {
  /// A pattern, with a word for the matcher in its padding.
  struct criteria : pattern {
    std::uint32_t sequence = 0;
    /// Both in one word, for a single comparison.
    std::uint64_t source_and_sequence() const noexcept {
      return source | std::uint64_t{sequence} << 32;
    }
    criteria& operator=(const pattern& p) noexcept {
      bits = p.bits;  // Member by member: a copy of the whole stalls on store forwarding.
      ignore = p.ignore;
      source = p.source;
      return *this;
    }
  };
  criteria want;
};
static_assert(sizeof(posted_receive::criteria) == sizeof(pattern));

/// An unexpected message: it has arrived before its receive.
struct unexpected_message : list_node<match_tag>, list_node<arrival_tag> {
  envelope is;
  bool hashed = false;  // For the matcher.
};

namespace detail {
/// Visitors of unexpected messages, for the concept. (nvcc rejects lambdas in a concept.)
struct message_visitor {
  void operator()(unexpected_message& message) const;
};
struct message_search {
  bool operator()(unexpected_message& message) const;
};
}  // namespace detail

/// Matches messages and receives.
///
/// - `match_arrival(envelope)`: removes and returns the earliest posted receive that matches, or
///   nullptr.
/// - `match_receive(pattern)`: removes and returns the earliest unexpected message that matches, or
///   nullptr. `find` returns the same message without removing it.
/// - `post` and `store` add a receive and a message.
/// - `cancel` removes a posted receive, `withdraw` an unexpected message.
/// - `for_each(f)` visits all unexpected messages in order of arrival; `for_each_newest(f)` visits
///   them in reverse order until `f` returns false. `f` may withdraw the visited message.
/// - `nothing_posted()`: true if no receive is posted. `stored()`: 0 if no message is stored, else
///   any other value (a word, so that callers can test it together with others).
///
/// No operation may fail: a table that cannot grow keeps its size and gets slower. The constructor
/// may throw errc::no_resources.
template <class M>
concept Matcher = requires(M& m, const M& c, posted_receive& receive, unexpected_message& message,
                           const envelope& is, const pattern& want) {
  requires std::same_as<typename M::policy_axis, matching_axis>;
  { M::name } -> std::convertible_to<std::string_view>;
  { c.nothing_posted() } noexcept -> std::same_as<bool>;
  { c.stored() } noexcept -> std::same_as<std::uint32_t>;
  { m.match_arrival(is) } noexcept -> std::same_as<posted_receive*>;
  { m.match_receive(want) } noexcept -> std::same_as<unexpected_message*>;
  { m.find(want) } noexcept -> std::same_as<unexpected_message*>;
  { m.post(receive) } noexcept;
  { m.store(message) } noexcept;
  { m.cancel(receive) } noexcept;
  { m.withdraw(message) } noexcept;
  { m.for_each(detail::message_visitor{}) };
  { m.for_each_newest(detail::message_search{}) };
};

/// Archetype of Matcher: models it, and nothing else.
struct matcher_archetype {
  using policy_axis = matching_axis;
  static constexpr std::string_view name = "archetype";
  matcher_archetype() = delete;
  bool nothing_posted() const noexcept;
  std::uint32_t stored() const noexcept;
  posted_receive* match_arrival(const envelope&) noexcept;
  unexpected_message* match_receive(const pattern&) noexcept;
  unexpected_message* find(const pattern&) noexcept;
  void post(posted_receive&) noexcept;
  void store(unexpected_message&) noexcept;
  void cancel(posted_receive&) noexcept;
  void withdraw(unexpected_message&) noexcept;
  void for_each(auto&&) {}
  void for_each_newest(auto&&) {}
};

}  // namespace mpx::inline v0
