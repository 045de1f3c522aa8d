// SPDX-License-Identifier: BSL-1.0
#pragma once
// What communicators ask of an endpoint: whether one is still in use, and to end what is under way
// in one that is revoked. Included by endpoint.hpp.

#include "mpx/engine/endpoint.hpp"

namespace mpx::inline v0::detail {

inline context_id context_of_operation(const operation& op) noexcept {
  if (op.role == role::compound) {
    const compound& c = compound_of(op);
    return c.plan != nullptr ? c.plan->context : c.want.context();
  }
  return op.role == role::receive ? op.want.context() : op.context;
}

/// Whether an operation or a message that a matched probe holds is of this communicator.
template <class Stack>
bool endpoint<Stack>::is_used(context_id context) noexcept {
  const auto& numbers = communicators_.numbers();
  bool used = false;
  pool().for_each([&](const operation& op) {
    if (op.role == role::control) return;
    used = used || numbers.plain(context_of_operation(op)) == context;
  });
  inbox().for_each_early([&](const arrived_message& m, bool claimed) {
    used = used || (claimed && numbers.plain(m.is.context()) == context);
  });
  return used;
}

template <class Stack>
const communicator_state* endpoint<Stack>::communicator_of(const operation& op) {
  lock_guard lock(threading());
  return communicators_.find(context_of_operation(op));
}

/// Receives that have not matched end; sends fail, and end when their receivers have learnt of it.
template <class Stack>
[[gnu::noinline, gnu::cold]] void endpoint<Stack>::end_revoked(context_id context) noexcept {
  inbox().post_direct_if_any();
  const auto& numbers = communicators_.numbers();
  const auto is_of = [&](context_id c) {
    return numbers.plain(c) == context && !numbers.is_of_agreements(c);
  };
  pool().for_each([&](operation& op) {
    if (op.done() || !is_of(context_of_operation(op))) return;
    if (op.role == role::receive && op.stage == stage::posted)
      inbox().end_posted(op, errc::revoked);
    else if (op.role == role::send)
      op.fails(errc::revoked);
  });
  inbox().discard_if([&](const envelope& is) { return is_of(is.context()); });
  recheck_compounds();
  pace().completed();
  pace().wake_waiters();
}

}  // namespace mpx::inline v0::detail
