// SPDX-License-Identifier: BSL-1.0
#pragma once
// What the rooms of an endpoint stand on: the policies of its stack, each made once, and its
// operations.

#include "mpx/core/lifetime.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/engine/calls.hpp"
#include "mpx/engine/operation.hpp"
#include "mpx/engine/stack.hpp"

namespace mpx::inline v0::detail {

/// The first base of an endpoint: made before its rooms, and gone after them.
template <class Stack>
class ground {
 public:
  using transport_type = typename Stack::transport_type;
  using flow_type = typename Stack::flow_type;
  using trace_type = typename Stack::trace_type;
  using job_type = typename Stack::bootstrap_type;
  using pool_type = operation_pool<operations_max_of<typename Stack::protocol_type>(),
                                   generation_bits_of<typename Stack::protocol_type>()>;

  /// `from`: what the transport is made of, a job or the address of a member of one.
  template <class From>
  explicit ground(From& from) : transport_(from), flow_(transport_.peers()) {}
  ground(const ground&) = delete;
  ground& operator=(const ground&) = delete;

  transport_type& transport() noexcept { return transport_; }
  const transport_type& transport() const noexcept { return transport_; }
  flow_type& flow() noexcept { return flow_; }
  const flow_type& flow() const noexcept { return flow_; }
  typename Stack::protocol_type& protocol() noexcept { return protocol_; }
  typename Stack::threading_type& threading() noexcept { return threading_; }
  /// Why this thread must not call now, as far as the thread model knows; nullptr: it may.
  const char* misuse() const noexcept {
    if constexpr (CheckingThreadModel<typename Stack::threading_type>) return threading_.misuse();
    return nullptr;
  }
  trace_type& trace() noexcept { return trace_; }
  const trace_type& trace() const noexcept { return trace_; }
  pool_type& pool() noexcept { return pool_; }

  /// A steady clock, in nanoseconds: the transport's if it has one.
  std::int64_t now_ns() const noexcept {
    if constexpr (ClockedTransport<transport_type>) {
      return transport_.now_ns();
    } else {
      return platform::now_ns();
    }
  }
  /// How many messages one peer may announce at a time.
  std::uint32_t announced_max() const noexcept {
    return greater(2u, lesser(1024u, flow_type::announced_max / transport_.peers()));
  }
  /// The number of this among all that this process has had.
  std::uint32_t lifetime() const noexcept { return mark_.number(); }
  /// Whether this is still there: all that may be asked of one that handles have outlived.
  bool is_there() const noexcept { return mark_.is_there(); }

 private:
  transport_type transport_;
  flow_type flow_;
  [[no_unique_address]] typename Stack::protocol_type protocol_;
  [[no_unique_address]] typename Stack::threading_type threading_;
  [[no_unique_address]] trace_type trace_;
  pool_type pool_;
  lifetime_mark mark_;
};

}  // namespace mpx::inline v0::detail
