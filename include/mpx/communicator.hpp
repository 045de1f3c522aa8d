// SPDX-License-Identifier: BSL-1.0
#pragma once
// The communicator: a group of ranks with its own context, with point-to-point communication in all
// modes and collectives. A handle that is cheap to copy; the environment must outlive it. Combines
// the parts in comm/ and coll/.

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
#include "mpx/data/buffer.hpp"
#include "mpx/engine/requests/wait_many.hpp"

namespace mpx::inline v0 {

/// A group of ranks 0 .. size() - 1 that communicate with each other only.
///
/// The last argument of a call chooses its form: absent (throws mpx::error), a std::error_code, and
/// for calls that can be started mpx::start, mpx::prepare or a token (engine/requests/forms.hpp).
/// `to` and `from` are ranks or mpx::proc_null; receives also accept mpx::any_source and
/// mpx::any_tag. Buffers are transferable values or contiguous ranges of them. A receive buffer may
/// be longer than the message; if it is shorter, the receive fails with errc::truncate.
/// Threads:    as the stack's thread model allows.
template <class Stack = stack<>>
class [[nodiscard]] communicator : public detail::point_to_point<Stack>,
                                   public detail::mpi_names<communicator<Stack>>,
                                   public detail::creations<communicator<Stack>, Stack>,
                                   public detail::handling<communicator<Stack>, Stack>,
                                   public detail::survivors<communicator<Stack>, Stack>,
                                   public detail::collectives<communicator<Stack>, Stack> {
  using base = detail::point_to_point<Stack>;

 public:
  using stack_type = Stack;                           ///< Policies of the environment.
  using request_type = request<Stack>;                ///< Result of mpx::start.
  using persistent_type = persistent_request<Stack>;  ///< Result of mpx::prepare.
  using message_type = message<Stack>;                ///< Result of mprobe.

  using base::base;
  using base::rank;
  using base::size;

  /// False for an empty communicator, which has no ranks.
  explicit operator bool() const noexcept { return this->endpoint_ != nullptr; }
  /// True if both are handles of the same communicator. A `dup` is a different one.
  friend bool operator==(const communicator& a, const communicator& b) noexcept {
    return a.endpoint_ == b.endpoint_ && a.context_ == b.context_;
  }
};

/// Rejects a policy given instead of a stack.
template <StackPolicy Policy>
class communicator<Policy> {
  static_assert(StackOfPolicies<Policy>,
                "mpx::communicator takes a stack, not a policy of one: write "
                "mpx::communicator<mpx::stack<Policy, ...>>");
};

}  // namespace mpx::inline v0
