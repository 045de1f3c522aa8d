// SPDX-License-Identifier: BSL-1.0
#pragma once
// The numbers of tool_port.hpp for one stack.

#include <cstdint>
#include <cstdlib>

#include "mpx/core/atomic.hpp"
#include "mpx/mpx.hpp"
#include "tool_port.hpp"

namespace mpx_mpi {

/// The time that a blocked call of a stack polls before it sleeps, in nanoseconds.
template <class Stack>
std::uint64_t spin_ns_of() {
  if constexpr (mpx::TunableWait<typename Stack::wait_type>) {
    const char* const text = std::getenv("MPX_SPIN");
    if (text != nullptr) return std::strtoull(text, nullptr, 10) * 1000;  // Checked when it joined.
    return static_cast<std::uint64_t>(Stack::wait_type::spin_ns);
  } else {
    return 0;
  }
}
/// A counter of the stack's sockets; 0 if it has none. `which(counters)` gives the word.
template <class Stack, class Which>
std::uint64_t of_sockets(mpx::environment<Stack>& env, Which&& which) {
  const auto read = [&](const auto& counters) {
    return mpx::platform::atomic_ref<std::uint64_t>(const_cast<std::uint64_t&>(which(counters)))
        .load(mpx::platform::memory_order_relaxed);
  };
  auto& transport = env.transport();
  if constexpr (requires { transport.far().counters().resent; }) {
    return read(transport.far().counters());
  } else if constexpr (requires { transport.counters().resent; }) {
    return read(transport.counters());
  } else {
    return 0;
  }
}
/// The sum of an event; 0 if the stack counts none.
template <class Stack>
std::uint64_t of_event(mpx::environment<Stack>& env, mpx::event e) {
  if constexpr (requires { env.trace()[e]; }) {
    return env.trace()[e];
  } else {
    return 0;
  }
}

/// Reads a number of an environment.
template <class Stack>
std::uint64_t tool_number_of(mpx::environment<Stack>& env, tool_number n) {
  using protocol = typename Stack::protocol_type;
  using mpx::event;
  switch (n) {
    case tool_number::tiny_bytes_max: return protocol::tiny_bytes_max;
    case tool_number::short_bytes_max: return env.eager_limit();
    case tool_number::short_bytes_ceiling: return protocol::short_bytes_ceiling;
    case tool_number::packet_bytes_max: return Stack::transport_type::traits.packet_bytes_max;
    case tool_number::spin_ns: return spin_ns_of<Stack>();
    case tool_number::unexpected_bytes_max: return env.unexpected_bytes_bound();
    case tool_number::unexpected_bytes_now: return env.unexpected_bytes();
    case tool_number::packets_sent: return of_event(env, event::packets_sent);
    case tool_number::posts_retried: return of_event(env, event::posts_retried);
    case tool_number::eager_sent: return of_event(env, event::eager_sent);
    case tool_number::eager_bytes: return of_event(env, event::eager_bytes);
    case tool_number::announced: return of_event(env, event::announced);
    case tool_number::announced_for_flow: return of_event(env, event::announced_for_flow);
    case tool_number::unexpected: return of_event(env, event::unexpected);
    case tool_number::unexpected_bytes: return of_event(env, event::unexpected_bytes);
    case tool_number::bytes_got: return of_event(env, event::bytes_got);
    case tool_number::bytes_put: return of_event(env, event::bytes_put);
    case tool_number::bytes_streamed: return of_event(env, event::bytes_streamed);
    case tool_number::credits_sent: return of_event(env, event::credits_sent);
    case tool_number::sleeps: return of_event(env, event::sleeps);
    case tool_number::connections_opened:
      return of_sockets(env, [](const auto& c) -> const auto& { return c.opened; });
    case tool_number::connections_broken:
      return of_sockets(env, [](const auto& c) -> const auto& { return c.broken; });
    case tool_number::packets_resent:
      return of_sockets(env, [](const auto& c) -> const auto& { return c.resent; });
    case tool_number::count_: return 0;
  }
  return 0;
}

}  // namespace mpx_mpi
