// SPDX-License-Identifier: BSL-1.0
#pragma once
// The stack: one policy an axis, in any order, defaults for the rest. Rules between axes are named
// concepts, so that a stack that cannot work is refused with the rule's name.

#include <bit>
#include <concepts>
#include <string>
#include <type_traits>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/bootstrap/detect.hpp"
#include "mpx/engine/threading.hpp"
#include "mpx/engine/waiting.hpp"
#include "mpx/flow/credits.hpp"
#include "mpx/matching/hashed.hpp"
#include "mpx/protocol/scheme_learner.hpp"
#include "mpx/protocol/tiny_short_long.hpp"
#include "mpx/protocol/wire.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/transport/shm.hpp"
#include "mpx/watch/trace.hpp"

namespace mpx::inline v0 {

/// A type that says on which axis of a stack it sits.
template <class P>
concept StackPolicy = requires { typename P::policy_axis; };

/// No axis may be given two policies.
template <class... Ps>
concept OnePolicyPerAxis =
    (((0 + ... + (std::same_as<typename Ps::policy_axis, bootstrap_axis> ? 1 : 0)) <= 1) &&
     ((0 + ... + (std::same_as<typename Ps::policy_axis, transport_axis> ? 1 : 0)) <= 1) &&
     ((0 + ... + (std::same_as<typename Ps::policy_axis, protocol_axis> ? 1 : 0)) <= 1) &&
     ((0 + ... + (std::same_as<typename Ps::policy_axis, matching_axis> ? 1 : 0)) <= 1) &&
     ((0 + ... + (std::same_as<typename Ps::policy_axis, flow_axis> ? 1 : 0)) <= 1) &&
     ((0 + ... + (std::same_as<typename Ps::policy_axis, threading_axis> ? 1 : 0)) <= 1) &&
     ((0 + ... + (std::same_as<typename Ps::policy_axis, wait_axis> ? 1 : 0)) <= 1) &&
     ((0 + ... + (std::same_as<typename Ps::policy_axis, trace_axis> ? 1 : 0)) <= 1));

/// The transport must be able to find its peers by the bootstrap: one over shared memory needs a
/// bootstrap that shares some, and the simulated one a simulated job.
template <class T, class B>
concept BootstrapFits = std::constructible_from<T, B&>;

/// Every eager message must fit one packet of the transport.
template <class T, class P>
concept FrameFits = P::short_bytes_ceiling <= T::traits.packet_bytes_max;

/// Every control packet must fit one packet of the transport.
template <class T>
concept ControlFits = T::traits.packet_bytes_max >= sizeof(wire::clearance) &&
                      T::traits.packet_bytes_max >= sizeof(wire::announcement);

/// A tiny message must travel with its header, if the transport has room there at all.
template <class T, class P>
concept TinyIsInline =
    T::traits.inline_bytes_max == 0 || P::tiny_bytes_max <= T::traits.inline_bytes_max;

/// A protocol that insists on get or put needs a transport that moves memory.
template <class T, class P>
concept LongPathFits =
    (P::long_by != long_path::get && P::long_by != long_path::put) || RmaTransport<T>;

namespace detail {

/// The policy for `Axis` among `Ps`, else `Default`.
template <class Axis, class Default, class... Ps>
struct pick {
  using type = Default;
};
template <class Axis, class Default, class P, class... Ps>
struct pick<Axis, Default, P, Ps...> {
  using type = typename std::conditional_t<std::same_as<typename P::policy_axis, Axis>,
                                           std::type_identity<P>, pick<Axis, Default, Ps...>>::type;
};
template <class Axis, class Default, class... Ps>
using pick_t = typename pick<Axis, Default, Ps...>::type;

/// A transport that names the bootstrap of its jobs, `bootstrap_type`.
template <class T>
concept NamesBootstrap = requires { typename T::bootstrap_type; };

/// What joins a transport's jobs where nothing else is chosen.
template <class Transport>
struct default_bootstrap {
  using type = bootstrap::any;
};
template <NamesBootstrap Transport>
struct default_bootstrap<Transport> {
  using type = typename Transport::bootstrap_type;
};
template <class Transport>
using default_bootstrap_t = typename default_bootstrap<Transport>::type;

}  // namespace detail

/// The policies of a communicator, chosen at compile time, in any order:
/// `mpx::stack<mpx::transport::inproc, mpx::threading::multiple>`. The axes: docs/ARCHITECTURE.md.
template <StackPolicy... Ps>
requires OnePolicyPerAxis<Ps...>
struct stack {
  /// How packets travel.
  using transport_type = detail::pick_t<transport_axis, transport::shm, Ps...>;
  /// How a rank joins its job.
  using bootstrap_type =
      detail::pick_t<bootstrap_axis, detail::default_bootstrap_t<transport_type>, Ps...>;
  /// How a message travels, by its size.
  using protocol_type = detail::pick_t<protocol_axis, protocol::tiny_short_long<>, Ps...>;
  /// Which receive gets a message.
  using matching_type = detail::pick_t<matching_axis, matching::hashed, Ps...>;
  /// Who may send how much.
  using flow_type = detail::pick_t<flow_axis, flow::credits<>, Ps...>;
  /// How many threads enter.
  using threading_type = detail::pick_t<threading_axis, threading::single, Ps...>;
  /// What a blocked call does.
  using wait_type = detail::pick_t<wait_axis, waiting::spin_then_sleep<>, Ps...>;
  /// Who looks on.
  using trace_type = detail::pick_t<trace_axis, trace::none, Ps...>;

  static_assert(Transport<transport_type>);
  static_assert(Bootstrap<bootstrap_type>);
  static_assert(Protocol<protocol_type>);
  static_assert(Matcher<matching_type>);
  static_assert(FlowControl<flow_type>);
  static_assert(ThreadModel<threading_type>);
  static_assert(WaitPolicy<wait_type>);
  static_assert(Trace<trace_type>);
  static_assert(BootstrapFits<transport_type, bootstrap_type>);
  static_assert(FrameFits<transport_type, protocol_type>);
  static_assert(ControlFits<transport_type>);
  static_assert(TinyIsInline<transport_type, protocol_type>);
  static_assert(LongPathFits<transport_type, protocol_type>);

  /// What two ranks must have in common to talk, as text that a person can compare.
  static std::string fingerprint() {
    const auto n = [](auto v) { return std::to_string(v); };
    std::string s = "mpx wire " + n(wire_version);
    s.append(std::endian::native == std::endian::little ? ", little" : ", big");
    s.append(" endian, ").append(n(8 * sizeof(void*))).append(" bit; transport ");
    s.append(transport_type::name).append("<").append(n(transport_type::traits.inline_bytes_max));
    s.append(",").append(n(transport_type::traits.packet_bytes_max)).append(",");
    s.append(n(transport_type::traits.layout)).append(">");
    s.append("; protocol ").append(protocol_type::name).append("<");
    s.append(n(protocol_type::tiny_bytes_max)).append(",");
    s.append(n(protocol_type::short_bytes_ceiling)).append(">; flow ");
    s.append(flow_type::name).append("<").append(n(flow_type::layout)).append(">");
    return s;
  }
};

}  // namespace mpx::inline v0
