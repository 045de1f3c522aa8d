// SPDX-License-Identifier: BSL-1.0
#pragma once
// Trace policies: which events and calls an endpoint reports.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string_view>

#include "mpx/config.hpp"

namespace mpx::inline v0 {

struct trace_axis {};

/// Events reported by an endpoint, each with an amount.
enum class event : std::uint8_t {
  packets_sent,   ///< Packets given to the transport.
  posts_retried,  ///< Posts that the transport could not take yet.
  eager_sent,     ///< Messages sent whole.
  eager_bytes,    ///< Bytes of these.
  announced,      ///< Messages announced first.
  /// Those of `announced` that were short enough for eager, but had no credit.
  announced_for_flow,
  unexpected,        ///< Unexpected messages.
  unexpected_bytes,  ///< Eager data of unexpected messages, stored.
  bytes_got,         ///< Long data fetched by the receiver.
  bytes_put,         ///< Long data stored by the sender.
  bytes_streamed,    ///< Long data sent as packets.
  bytes_discarded,   ///< Long data that arrived before its receive, by long_path::eager.
  credits_sent,      ///< Packets that carry only a credit count.
  sleeps,            ///< Times a blocked call slept.
  count_
};

/// Receives the events of an endpoint. `on(event, amount)` is called for each event. A trace that
/// ignores them costs nothing.
template <class T>
concept Trace = requires(T& t) {
  requires std::same_as<typename T::policy_axis, trace_axis>;
  requires std::default_initializable<T>;
  { T::name } -> std::convertible_to<std::string_view>;
  { t.on(event::packets_sent, std::uint64_t{1}) } noexcept;
};

/// Trace that also receives the calls of the program, by name and source line. `called(name, where,
/// ns)`: a call has taken `ns`. `waited(name, where, ns)`: `ns` of that passed waiting.
/// `report(world)` is called by all ranks when their environment ends.
template <class T>
concept CallTrace = Trace<T> && requires(T& t, const std::source_location& where) {
  { t.called("", where, std::int64_t{1}) } noexcept;
  { t.waited("", where, std::int64_t{1}) } noexcept;
};

namespace trace {

/// Ignores all events, at no cost.
struct none {
  using policy_axis = trace_axis;
  static constexpr std::string_view name = "none";
  void on(event, std::uint64_t) noexcept {}
};

/// Sums the amounts of each event. Read by `environment::trace()`.
class counters {
 public:
  using policy_axis = trace_axis;
  static constexpr std::string_view name = "counters";
  void on(event e, std::uint64_t amount) noexcept { sums_[static_cast<std::size_t>(e)] += amount; }
  std::uint64_t operator[](event e) const noexcept { return sums_[static_cast<std::size_t>(e)]; }

 private:
  std::array<std::uint64_t, static_cast<std::size_t>(event::count_)> sums_{};
};

}  // namespace trace
}  // namespace mpx::inline v0
