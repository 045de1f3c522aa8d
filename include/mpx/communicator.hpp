// SPDX-License-Identifier: BSL-1.0
#pragma once
// The communicator: a group of ranks and a context of their own, with point-to-point in all modes
// and collectives. A light handle: copy it freely; the environment outlives it. This is the roof:
// it puts together what comm/ and coll/ have.

#include <concepts>
#include <source_location>
#include <span>

#include "mpx/coll/calls.hpp"
#include "mpx/comm/creations.hpp"
#include "mpx/comm/handling.hpp"
#include "mpx/comm/message.hpp"
#include "mpx/comm/mpi_names.hpp"
#include "mpx/comm/point_to_point.hpp"
#include "mpx/comm/survivors.hpp"
#include "mpx/datatype/buffer.hpp"
#include "mpx/engine/wait_many.hpp"

namespace mpx::inline v0 {

/// Ranks 0 .. size() - 1 that talk to each other and to nobody else.
///
/// How a call ends is its last argument: nothing (it throws mpx::error), a std::error_code, and
/// where it can be started mpx::start, mpx::prepare or a token (engine/forms.hpp).
/// `to` and `from` are ranks, or mpx::proc_null; receives also take mpx::any_source and
/// mpx::any_tag. Buffers are transferable values or contiguous ranges of them; a receive may be
/// longer than its message, and gets errc::truncate if it is shorter. Threads: as the stack's
/// thread model says.
template <class Stack = stack<>>
class [[nodiscard]] communicator : public detail::point_to_point<Stack>,
                                   public detail::mpi_names<communicator<Stack>>,
                                   public detail::creations<communicator<Stack>, Stack>,
                                   public detail::handling<communicator<Stack>, Stack>,
                                   public detail::survivors<communicator<Stack>, Stack>,
                                   public detail::collectives<communicator<Stack>, Stack> {
  using base = detail::point_to_point<Stack>;

 public:
  using stack_type = Stack;                           ///< Its policies.
  using request_type = request<Stack>;                ///< What mpx::start gives.
  using persistent_type = persistent_request<Stack>;  ///< What mpx::prepare gives.
  using message_type = message<Stack>;                ///< What mprobe gives.

  using base::base;
  using base::rank;
  using base::size;

  /// False of an empty one, which has no ranks.
  explicit operator bool() const noexcept { return this->endpoint_ != nullptr; }
  /// Whether both are the same communicator, or copies of one handle. (A `dup` is another one.)
  friend bool operator==(const communicator& a, const communicator& b) noexcept {
    return a.endpoint_ == b.endpoint_ && a.context_ == b.context_;
  }
};

/// A policy is no stack.
template <StackPolicy Policy>
class communicator<Policy> {
  static_assert(StackOfPolicies<Policy>,
                "mpx::communicator takes a stack, not a policy of one: write "
                "mpx::communicator<mpx::stack<Policy, ...>>");
};

}  // namespace mpx::inline v0
