// SPDX-License-Identifier: BSL-1.0
#pragma once
// The stack: one policy per axis, in any order, with defaults for the rest. Rules between axes are
// named concepts, so that the compiler refuses a stack that cannot work by the name of the rule.

#include <bit>
#include <concepts>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/bootstrap/detect.hpp"
#include "mpx/engine/axes/checks.hpp"
#include "mpx/engine/axes/collective_policy.hpp"
#include "mpx/engine/axes/long_path.hpp"
#include "mpx/engine/axes/progress.hpp"
#include "mpx/engine/axes/threading.hpp"
#include "mpx/engine/axes/waiting.hpp"
#include "mpx/flow/credits.hpp"
#include "mpx/matching/hashed.hpp"
#include "mpx/protocol/rendezvous_tuner.hpp"
#include "mpx/protocol/tiny_short_long.hpp"
#include "mpx/protocol/wire.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/transport/shm.hpp"
#include "mpx/watch/trace.hpp"

namespace mpx::inline v0 {

namespace detail {
template <class P>
constexpr bool is_defined() noexcept {
  static_assert(
      requires { sizeof(P); },
      "this policy is declared, and its header is not included: mpx::transport::tcp is in "
      "<mpx/transport/tcp.hpp>, and with stacks in <mpx/cluster.hpp>");
  return true;
}
}  // namespace detail

/// A type that names its axis of a stack.
template <class P>
concept StackPolicy = detail::is_defined<P>() && requires { typename P::policy_axis; };

/// Argument of environment<...> and similar templates: a stack, not a policy.
template <class S>
concept StackOfPolicies = !StackPolicy<S> && requires {
  typename S::transport_type;
  typename S::protocol_type;
  typename S::bootstrap_type;
};

/// No axis has two policies.
template <class... Ps>
concept OnePolicyPerAxis =
    (((0 + ... + (std::same_as<typename Ps::policy_axis, bootstrap_axis> ? 1 : 0)) <= 1) &&
     ((0 + ... + (std::same_as<typename Ps::policy_axis, transport_axis> ? 1 : 0)) <= 1) &&
     ((0 + ... + (std::same_as<typename Ps::policy_axis, protocol_axis> ? 1 : 0)) <= 1) &&
     ((0 + ... + (std::same_as<typename Ps::policy_axis, matching_axis> ? 1 : 0)) <= 1) &&
     ((0 + ... + (std::same_as<typename Ps::policy_axis, flow_axis> ? 1 : 0)) <= 1) &&
     ((0 + ... + (std::same_as<typename Ps::policy_axis, threading_axis> ? 1 : 0)) <= 1) &&
     ((0 + ... + (std::same_as<typename Ps::policy_axis, wait_axis> ? 1 : 0)) <= 1) &&
     ((0 + ... + (std::same_as<typename Ps::policy_axis, progress_axis> ? 1 : 0)) <= 1) &&
     ((0 + ... + (std::same_as<typename Ps::policy_axis, trace_axis> ? 1 : 0)) <= 1) &&
     ((0 + ... + (std::same_as<typename Ps::policy_axis, checks_axis> ? 1 : 0)) <= 1) &&
     ((0 + ... + (std::same_as<typename Ps::policy_axis, collective_axis> ? 1 : 0)) <= 1));

/// The transport can be constructed from the bootstrap: one over shared memory needs a bootstrap
/// that provides some, and the simulated one needs a simulated job.
template <class T, class B>
concept BootstrapFits = std::constructible_from<T, B&>;

/// Every eager message must fit one packet of the transport.
template <class T, class P>
concept FrameFits = P::short_bytes_ceiling <= T::traits.packet_bytes_max;

/// Every eager message to a far peer must fit one packet of the transport.
template <class T, class P>
concept FarFrameFits = !NearFarTransport<T> ||
                       detail::far_part_t<P>::short_bytes_ceiling <= T::far_traits.packet_bytes_max;

/// Every control packet must fit one packet of the transport.
template <class T>
concept ControlFits = T::traits.packet_bytes_max >= sizeof(wire::clearance) &&
                      T::traits.packet_bytes_max >= sizeof(wire::announcement);

/// A tiny message must travel with its header, if the transport has room there at all.
template <class T, class P>
concept TinyIsInline =
    T::traits.inline_bytes_max == 0 || P::tiny_bytes_max <= T::traits.inline_bytes_max;

/// A protocol that requires get or put needs a transport that has it.
template <class T, class P>
concept LongPathFits = (P::long_by != long_path::get || FetchTransport<T>) &&
                       (P::long_by != long_path::put || RmaTransport<T>);

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

/// Bootstrap of a transport's jobs if the stack names none.
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

/// Describes how two fingerprints differ, axis by axis: "flow unlimited<0> where it is credits<3>,
/// ...".
[[gnu::noinline, gnu::cold]] inline std::string difference(const std::string& first,
                                                           const std::string& second) {
  const char* one = first.c_str();
  const char* other = second.c_str();
  std::string s;
  while (*one != '\0' || *other != '\0') {
    const std::size_t a = std::strcspn(one, ";");
    const std::size_t b = std::strcspn(other, ";");
    if (a != b || std::memcmp(one, other, a) != 0) {
      const std::size_t axis = std::strcspn(one, " ;") + 1;  // "transport " before the policy.
      const bool same_axis = axis <= a && axis <= b && std::memcmp(one, other, axis) == 0;
      const char* const was = same_axis ? one + axis : one;
      append(s, "%s%.*s where it is %.*s", s.empty() ? "" : ", ", static_cast<int>(b == 0 ? 7 : b),
             b == 0 ? "nothing" : other, static_cast<int>(a == 0 ? 7 : one + a - was),
             a == 0 ? "nothing" : was);
    }
    one += a;
    one += std::strspn(one, "; ");
    other += b;
    other += std::strspn(other, "; ");
  }
  return s;
}

}  // namespace detail

/// The policies of a communicator, chosen at compile time, in any order:
/// `mpx::stack<mpx::transport::inproc, mpx::threading::multiple>`. The axes: docs/ARCHITECTURE.md.
template <StackPolicy... Ps>
requires OnePolicyPerAxis<Ps...>
struct stack {
  /// Moves packets.
  using transport_type = detail::pick_t<transport_axis, transport::shm, Ps...>;
  /// Joins the job.
  using bootstrap_type =
      detail::pick_t<bootstrap_axis, detail::default_bootstrap_t<transport_type>, Ps...>;
  /// Chooses eager or rendezvous by the size of a message.
  using protocol_type = detail::pick_t<protocol_axis, protocol::tiny_short_long<>, Ps...>;
  /// Additional checks at run time.
  using checks_type = detail::pick_t<checks_axis, checks::none, Ps...>;
  /// Matches messages with receives.
  using matching_type = typename checks_type::template matcher<
      detail::pick_t<matching_axis, matching::hashed, Ps...>>;
  /// Flow control.
  using flow_type = detail::pick_t<flow_axis, flow::credits<>, Ps...>;
  /// Progress while the program makes no calls.
  using progress_type = detail::pick_t<progress_axis, progress::on_call, Ps...>;
  /// Number of threads that may call.
  using threading_type =
      detail::threading_with<progress_type,
                             detail::pick_t<threading_axis, threading::single, Ps...>>;
  /// Behaviour of a blocked call.
  using wait_type = detail::pick_t<wait_axis, waiting::spin_then_sleep<>, Ps...>;
  /// Tracing.
  using trace_type = detail::pick_t<trace_axis, trace::none, Ps...>;
  /// Chooses the algorithm of a collective.
  using collective_type = detail::pick_t<collective_axis, coll::by_size, Ps...>;

  static_assert(Transport<transport_type>);
  static_assert(Bootstrap<bootstrap_type>);
  static_assert(Protocol<protocol_type>);
  static_assert(Matcher<matching_type>);
  static_assert(FlowControl<flow_type>);
  static_assert(ThreadModel<threading_type>);
  static_assert(WaitPolicy<wait_type>);
  static_assert(ProgressPolicy<progress_type>);
  static_assert(Trace<trace_type>);
  static_assert(Checks<checks_type>);
  static_assert(CollectivePolicy<collective_type>);
  static_assert(BootstrapFits<transport_type, bootstrap_type>);
  static_assert(FrameFits<transport_type, protocol_type>);
  static_assert(FarFrameFits<transport_type, protocol_type>);
  static_assert(ControlFits<transport_type>);
  static_assert(TinyIsInline<transport_type, protocol_type>);
  static_assert(LongPathFits<transport_type, protocol_type>);
  static_assert(ProgressThreadRuns<progress_type, bootstrap_type>);
  static_assert(ProgressThreadSleeps<progress_type, transport_type>);

  /// Properties that two ranks must share to communicate, as readable text.
  [[gnu::noinline, gnu::cold]] static std::string fingerprint() {
    constexpr std::string_view transport = transport_type::name;
    constexpr std::string_view protocol = protocol_type::name;
    constexpr std::string_view flow = flow_type::name;
    constexpr std::string_view checks = checks_type::name;
    constexpr std::string_view collectives = collective_type::name;
    constexpr auto traits = transport_type::traits;
    return detail::formatted(
        "mpx wire %u, %s endian, %zu bit; transport %.*s<%llu,%llu,%llu>; protocol "
        "%.*s<%llu,%llu%s>; "
        "flow %.*s<%llu>; checks %.*s; collectives %.*s<%llx>",
        wire_version, std::endian::native == std::endian::little ? "little" : "big",
        8 * sizeof(void*), static_cast<int>(transport.size()), transport.data(),
        0ull + traits.inline_bytes_max, 0ull + traits.packet_bytes_max, 0ull + traits.layout,
        static_cast<int>(protocol.size()), protocol.data(), 0ull + protocol_type::tiny_bytes_max,
        0ull + detail::eager_bytes_ceiling<protocol_type>,
        detail::pushes_long<protocol_type> ? ",eager" : "", static_cast<int>(flow.size()),
        flow.data(), 0ull + flow_type::layout, static_cast<int>(checks.size()), checks.data(),
        static_cast<int>(collectives.size()), collectives.data(),
        0ull + detail::choices_hash<collective_type>);
  }
};

}  // namespace mpx::inline v0
