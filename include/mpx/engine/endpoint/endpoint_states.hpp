// SPDX-License-Identifier: BSL-1.0
#pragma once
// Requests of communicators to an endpoint: find contexts still in use, and end operations of a
// revoked communicator. Included by endpoint.hpp.

#include "mpx/engine/endpoint/endpoint.hpp"

namespace mpx::inline v0::detail {

inline context_id context_of_operation(const operation& op) noexcept {
  if (op.role == role::compound) {
    const compound& c = compound_of(op);
    return c.plan != nullptr ? c.plan->context : c.want.context();
  }
  return op.role == role::receive ? op.want.context() : op.context;
}

/// Calls use(context) for each operation and each message that a matched probe holds.
template <class Stack>
template <class Use>
void endpoint<Stack>::for_each_in_use(Use&& use) noexcept {
  pool().for_each([&](const operation& op) {
    if (op.role != role::control) use(context_of_operation(op));
  });
  for (const arrived_message& m : inbox().probed()) use(m.is.context());
}

/// Returns a context for a communicator that this rank leads. If this rank leads as many as it may,
/// but has freed some, it waits for up to 5 s for the other members to free those, too.
template <class Stack>
[[gnu::noinline]] context_id endpoint<Stack>::lead(errc& why, call_site site) {
  constexpr std::int64_t patience_ns = 5'000'000'000;
  context_id made = no_context;
  std::int64_t until_ns = 0;
  wait_until(site, {}, [&] {
    made = communicators_.lead(why);
    std::size_t freed_here = 0;
    if (why != errc::communicator || communicators_.led_at_limit(freed_here) == 0 ||
        freed_here == 0)
      return true;
    if (until_ns == 0) until_ns = now_ns() + patience_ns;
    return now_ns() >= until_ns;
  });
  return made;
}

/// Returns the failure for a communicator that gets no context, from this rank or its leader.
template <class Stack>
collective_failure endpoint<Stack>::no_context_locked(errc why) noexcept {
  using cause = collective_failure::cause;
  collective_failure f{why, why == errc::communicator ? cause::context : cause::memory};
  if (f.of == cause::context) f.bytes = communicators_.led_at_limit(f.got);
  return f;
}

/// Releases a block that this rank uses no more. `own`: its name if this rank made it, else 0. An
/// own block is freed once all its users have released it.
template <class Stack>
void endpoint<Stack>::let_go_of_block(std::uint64_t own, platform::atomic<std::uint64_t>& gone,
                                      std::uint64_t users) noexcept {
  if (orphaned()) return;
  gone.fetch_add(1, platform::memory_order_acq_rel);
  if (own != 0) static_cast<void>(dying_blocks_.try_push_back({own, &gone, users}));
}

/// `node` may be nullptr.
template <class Stack>
[[gnu::noinline, gnu::cold]] void endpoint<Stack>::forget_node(coll::node_state* node) noexcept {
  if (node != nullptr && node->block)
    let_go_of_block(node->own, node->block.head().gone,
                    static_cast<std::uint64_t>(node->block.ranks()));
  delete node;
}

/// Ends operations of a revoked communicator: unmatched receives end; sends fail, and end when
/// their receivers have learnt of it.
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
  inbox().discard_if(context, [&](const envelope& is) { return is_of(is.context()); });
  recheck_compounds();
  pace().completed();
  pace().wake_waiters();
}

}  // namespace mpx::inline v0::detail
