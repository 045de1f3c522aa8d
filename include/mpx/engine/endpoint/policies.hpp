// SPDX-License-Identifier: BSL-1.0
#pragma once
// Base of an endpoint and its components: one object of each policy of the stack, and the pool of
// operations.

#include "mpx/core/lifetime.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/engine/axes/stack.hpp"
#include "mpx/engine/base/calls.hpp"
#include "mpx/engine/base/operation.hpp"

namespace mpx::inline v0::detail {

/// The first base of an endpoint: constructed before its components and destroyed after them.
template <class Stack>
class endpoint_policies {
 public:
  using transport_type = typename Stack::transport_type;
  using flow_type = typename Stack::flow_type;
  using trace_type = typename Stack::trace_type;
  using job_type = typename Stack::bootstrap_type;
  using pool_type = operation_pool<operations_max_of<typename Stack::protocol_type>(),
                                   generation_bits_of<typename Stack::protocol_type>()>;

  /// `from` constructs the transport: a job, or the address of a member of one.
  template <class From>
  explicit endpoint_policies(From& from) : transport_(from), flow_(transport_.peers()) {}
  endpoint_policies(const endpoint_policies&) = delete;
  endpoint_policies& operator=(const endpoint_policies&) = delete;

  transport_type& transport() noexcept { return transport_; }
  const transport_type& transport() const noexcept { return transport_; }
  flow_type& flow() noexcept { return flow_; }
  const flow_type& flow() const noexcept { return flow_; }
  typename Stack::protocol_type& protocol() noexcept { return protocol_; }
  /// The lock. Calls that only read take it, too.
  typename Stack::threading_type& threading() const noexcept { return threading_; }
  /// The reason why this thread must not call now, as far as the thread model knows; nullptr if it
  /// may.
  const char* misuse() const noexcept {
    if constexpr (CheckingThreadModel<typename Stack::threading_type>) return threading_.misuse();
    return nullptr;
  }
  trace_type& trace() noexcept { return trace_; }
  const trace_type& trace() const noexcept { return trace_; }
  pool_type& pool() noexcept { return pool_; }

  /// A steady clock, in nanoseconds.
  std::int64_t now_ns() const noexcept { return transport_.now_ns(); }
  /// Number of messages that one peer may announce at a time.
  std::uint32_t announced_max() const noexcept {
    return greater(2u, lesser(1024u, flow_type::announced_max / transport_.peers()));
  }
  /// The number of this endpoint among all that this process has made.
  std::uint32_t lifetime() const noexcept { return mark_.number(); }
  /// True if this endpoint exists. The only call allowed on one that has been destroyed.
  bool is_there() const noexcept { return mark_.is_there(); }

 private:
  transport_type transport_;
  flow_type flow_;
  [[no_unique_address]] typename Stack::protocol_type protocol_;
  [[no_unique_address]] mutable typename Stack::threading_type threading_;
  [[no_unique_address]] trace_type trace_;
  pool_type pool_;
  lifetime_mark mark_;
};

}  // namespace mpx::inline v0::detail
