// SPDX-License-Identifier: BSL-1.0
#pragma once
// Matching: which receive takes which message. MPI's rule: a receive takes the earliest matching
// message of a source, a message goes to the earliest matching receive, and nothing overtakes.

#include <concepts>
#include <cstdint>
#include <string_view>

#include "mpx/core/intrusive.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

struct matching_axis {};

/// What messages and receives are compared by, next to the source: the context in the upper half,
/// the tag in the lower. Source: Portals 3, 64 match bits and 64 ignore bits.
using match_bits = std::uint64_t;

/// A tag's bits but the sign: what a receive from any tag ignores. (No message has a negative tag.)
inline constexpr match_bits tag_bits = 0x7fff'ffff;

/// The bits of a context and a tag.
constexpr match_bits match_bits_of(context_id context, tag_t tag) noexcept {
  return match_bits{context} << 32 | static_cast<std::uint32_t>(tag);
}
/// The context in them.
constexpr context_id context_of(match_bits bits) noexcept {
  return static_cast<context_id>(bits >> 32);
}
/// The tag in them.
constexpr tag_t tag_of(match_bits bits) noexcept {
  return static_cast<tag_t>(static_cast<std::uint32_t>(bits));
}

/// What a message says of itself.
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

/// What a receive asks for: all bits that are not ignored must agree, and the source, which may be
/// any_peer.
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
  /// `tag` is a tag.
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
  /// any_tag if the tag is ignored.
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

/// A receive that waits for its message. Linked by the matcher; owned by whoever posted it.
struct posted_receive : list_node<posting_tag>, list_node<match_tag> {
  /// A pattern, and in what would be padding a word of the matcher's own.
  struct criteria : pattern {
    std::uint32_t sequence = 0;
    /// Both in one word.
    std::uint64_t source_and_sequence() const noexcept {
      return source | std::uint64_t{sequence} << 32;
    }
    criteria& operator=(const pattern& p) noexcept {
      bits = p.bits;  // One by one: a copy of the whole stalls on store forwarding.
      ignore = p.ignore;
      source = p.source;
      return *this;
    }
  };
  criteria want;
};
static_assert(sizeof(posted_receive::criteria) == sizeof(pattern));

/// A message that waits for its receive.
struct unexpected_message : list_node<match_tag>, list_node<arrival_tag> {
  envelope is;
  bool hashed = false;  // The matcher's own.
};

namespace detail {
/// Visitors of unexpected messages, for the concept. (nvcc refuses lambdas in one.)
struct message_visitor {
  void operator()(unexpected_message& message) const;
};
struct message_search {
  bool operator()(unexpected_message& message) const;
};
}  // namespace detail

/// Finds the partner of a message or a receive.
///
/// `match_arrival(envelope)` takes out and returns the earliest posted receive that matches, or
/// nullptr. `match_receive(pattern)` takes out and returns the earliest unexpected message that
/// matches, or nullptr; `find` returns the same one and leaves it. `post` and `store` keep a
/// receive and a message; `cancel` takes a posted receive out; `withdraw` an unexpected message.
/// `for_each(f)` visits all unexpected messages in order of arrival; `for_each_newest(f)` visits
/// them in the reverse order until `f` returns false. Both may withdraw the one they visit.
/// `nothing_posted()`: no receive is pending; `stored()`: 0 if no message is stored, else anything
/// (a word, so that callers can test it with others at once).
/// Nothing that a matcher does may fail: a table that cannot grow stays as it is, and gets slower.
/// Its constructor may throw errc::no_resources.
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

/// Grants Matcher and nothing more.
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
