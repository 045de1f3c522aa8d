// SPDX-License-Identifier: BSL-1.0
#pragma once
// Selects a message's path by its size: tiny (with the header, one copy on each side), short
// (eager, one packet), long (announced by its envelope, moved once matched).

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mpx/core/numbers.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

struct protocol_axis {};

/// Path of a long message's data.
enum class long_path : std::uint8_t {
  automatic,  ///< Get if the transport says that it is faster, else packets.
  get,        ///< The receiver fetches the data if the transport can.
  put,        ///< The sender stores the data if the transport can.
  packets,    ///< Fragments through the channel.
  /// Fragments right behind the announcement. If no receive is posted, the receiver discards them,
  /// and fetches the data after the match as if by `automatic`. Source: Puma, section 2, figures 4
  /// and 5.
  eager,
};

/// Selects a message's path by thresholds of its payload size, in bytes.
///
/// - `tiny_bytes_max`: messages up to this length travel with the header.
/// - `short_bytes_max()`: messages up to this length are eager: the threshold at run time.
/// - `short_bytes_ceiling`: upper bound of `short_bytes_max()`, and its initial value.
/// - `lower(bytes)`: lowers `short_bytes_max()`; never raises it.
/// - `long_by`, `fragment_bytes_max`: path and fragment length of long messages.
template <class P>
concept Protocol = requires(P& p, const P& c, std::size_t bytes) {
  requires std::same_as<typename P::policy_axis, protocol_axis>;
  requires std::default_initializable<P>;
  { P::name } -> std::convertible_to<std::string_view>;
  { P::tiny_bytes_max } -> std::convertible_to<std::size_t>;
  { P::short_bytes_ceiling } -> std::convertible_to<std::size_t>;
  { P::fragment_bytes_max } -> std::convertible_to<std::size_t>;
  { P::long_by } -> std::convertible_to<long_path>;
  { c.short_bytes_max() } noexcept -> std::same_as<std::size_t>;
  { p.lower(bytes) } noexcept;
};

/// Archetype of Protocol: models it, and nothing else.
struct protocol_archetype {
  using policy_axis = protocol_axis;
  static constexpr std::string_view name = "archetype";
  static constexpr std::size_t tiny_bytes_max = 8;
  static constexpr std::size_t short_bytes_ceiling = 64;
  static constexpr std::size_t fragment_bytes_max = 64;
  static constexpr long_path long_by = long_path::automatic;
  std::size_t short_bytes_max() const noexcept;
  void lower(std::size_t) noexcept;
};

/// A protocol with other thresholds for far peers (NearFarTransport).
template <class P>
concept NearFarProtocol = Protocol<P> && Protocol<typename P::far_type> && requires(const P& c) {
  { c.far() } noexcept -> std::same_as<const typename P::far_type&>;
};

namespace detail {

template <Protocol P>
struct far_part {
  using type = P;
};
template <NearFarProtocol P>
struct far_part<P> {
  using type = typename P::far_type;
};
/// Protocol for far peers.
template <Protocol P>
using far_part_t = typename far_part<P>::type;

/// Maximum length of a message sent eagerly to any peer.
template <Protocol P>
inline constexpr std::size_t eager_bytes_ceiling =
    greater(P::short_bytes_ceiling, far_part_t<P>::short_bytes_ceiling);

}  // namespace detail

namespace protocol {

/// The default protocol.
template <std::size_t TinyBytesMax = 40, std::size_t ShortBytesMax = 16 * 1024,
          long_path LongBy = long_path::automatic, std::size_t FragmentBytesMax = 32 * 1024>
class tiny_short_long {
 public:
  using policy_axis = protocol_axis;
  static constexpr std::string_view name = "tiny_short_long";
  static constexpr std::size_t tiny_bytes_max = TinyBytesMax;
  static constexpr std::size_t short_bytes_ceiling = ShortBytesMax;
  static constexpr std::size_t fragment_bytes_max = FragmentBytesMax;
  static constexpr long_path long_by = LongBy;
  static_assert(TinyBytesMax <= ShortBytesMax, "a tiny message is a short one too");
  static_assert(FragmentBytesMax > 0);

  std::size_t short_bytes_max() const noexcept { return short_bytes_max_; }
  void lower(std::size_t bytes) noexcept {
    if (bytes < short_bytes_max_) short_bytes_max_ = bytes < TinyBytesMax ? TinyBytesMax : bytes;
  }

 private:
  std::size_t short_bytes_max_ = ShortBytesMax;
};

}  // namespace protocol

}  // namespace mpx::inline v0
