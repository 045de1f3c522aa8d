// SPDX-License-Identifier: BSL-1.0
#pragma once
// Hang reports: describes an endpoint whose rank does not make progress. Included by endpoint.hpp.

#include "mpx/core/group.hpp"
#include "mpx/engine/endpoint/endpoint.hpp"
#include "mpx/watch/hang_pieces.hpp"

namespace mpx::inline v0::detail {

[[gnu::noinline, gnu::cold]] inline hang_operation hang_operation_of(const pattern& want,
                                                                     std::size_t bytes,
                                                                     context_id mask) noexcept {
  return {.peer = world_rank(want.source),
          .tag = want.tag(),
          .context = want.context() & mask,
          .stage = hang_stage::posted,
          .sends = false,
          .bytes = bytes};
}

[[gnu::noinline, gnu::cold]] inline hang_operation hang_operation_of(const operation& op,
                                                                     context_id mask) noexcept {
  if (op.role == role::receive && op.stage == stage::posted)
    return hang_operation_of(op.want, op.data.bytes, mask);
  hang_operation o{.peer = world_rank(op.peer),
                   .tag = op.tag,
                   .context = op.context & mask,
                   .stage = hang_stage::moving,
                   .sends = op.role == role::send,
                   .bytes = op.data.bytes};
  if (!o.sends) {
    o.context = op.want.context() & mask;
    o.bytes = op.message_bytes;
  } else if (op.stage == stage::queued) {
    o.stage = hang_stage::queued;
  } else if (op.stage == stage::answer) {
    o.stage = hang_stage::announced;
  }
  return o;
}

/// Adds the operations and patterns that `call` waits for to `list`. `mask`: the bits of a context
/// that are not a type mark.
template <class List>
[[gnu::noinline, gnu::cold]] void add_awaited(const blocked_call& call, List& list,
                                              context_id mask) {
  using form = awaited::form;
  struct taker {
    List& list;
    context_id mask;
  } into{list, mask};
  const auto take = [](void* context, const operation& op) {
    const auto& to = *static_cast<taker*>(context);
    if (!op.done()) to.list.add(hang_operation_of(op, to.mask));
  };
  switch (call.on.as) {
    case form::nothing: return;
    case form::one: return take(&into, *static_cast<const operation*>(call.on.what));
    case form::probed: {
      hang_operation o = hang_operation_of(*static_cast<const pattern*>(call.on.what), 0, mask);
      o.stage = hang_stage::probed;
      return list.add(o);
    }
    case form::published:
      return list.add(hang_operation_of(*static_cast<const pattern*>(call.on.what), 0, mask));
    case form::several: {
      const auto& several = *static_cast<const operation_list*>(call.on.what);
      return several.each(several.range, take, &into);
    }
    case form::above: {
      const auto& above = *static_cast<const awaited_above*>(call.on.what);
      return above.list(above, list);
    }
  }
}

/// Adds the name of the communicator of `op`, if it has one and there is room.
template <class Communicators>
void add_name(hang_info& info, const hang_operation& op, const Communicators& all) noexcept {
  if (info.names_kept == std::size(info.names) || info.name_of(op.context) != nullptr) return;
  const communicator_state* const s = all.find(op.context);
  if (s == nullptr || s->name == nullptr) return;
  hang_name& n = info.names[info.names_kept++];
  n.context = op.context;
  copy_head(n.text, s->name);
}

template <class Stack>
hang_info endpoint<Stack>::describe_hang() {
  lock_guard lock(threading());
  hang_info info{};
  describe(info);
  return info;
}

template <class Stack>
[[gnu::noinline, gnu::cold]] void endpoint<Stack>::describe(hang_info& info) {
  info.rank = world_rank(self());
  hang_call::awaited_list buffered{};
  pool().for_each([&](const operation& op) {
    if (op.done() || (op.role != role::receive && op.role != role::send)) return;
    const hang_operation o = hang_operation_of(op, context_mask);
    if (op.role == role::send && op.owned != nullptr && op.owned_by_attached) buffered.add(o);
    (o.sends || o.stage == hang_stage::moving ? info.sends : info.posted).add(o);
  });
  if (const direct_receive* d = inbox().direct(); d != nullptr)
    info.posted.add(hang_operation_of(d->want, d->capacity, context_mask));
  inbox().for_each_unexpected([&info](const arrived_message& m, bool probed) {
    info.unexpected.add({.peer = world_rank(m.is.source),
                         .tag = m.is.tag(),
                         .context = m.is.context() & context_mask,
                         .stage = probed ? hang_stage::mprobed : hang_stage::arrived,
                         .sends = false,
                         .bytes = m.bytes});
  });
  for (const blocked_call* b = pace().blocked(); b != nullptr; b = b->next) {
    hang_call* call = info.add_call();
    if (call == nullptr) continue;
    copy_head(call->name, b->site.name);
    copy_tail(call->file, b->site.where.file_name());
    call->line = b->site.where.line();
    call->kind = b->on.kind;
    call->since_ns = b->since_ns;
    if (b->on.kind == wait_kind::buffered) {
      call->on = buffered;
    } else {
      add_awaited(*b, call->on, context_mask);
    }
  }
  for (std::uint32_t i = 0; i < info.calls_kept; ++i)
    for (const hang_operation& op : info.calls[i].on) add_name(info, op, communicators_);
  const hang_list<16>* const lists[] = {&info.posted, &info.unexpected, &info.sends};
  for (const auto* list : lists)
    for (const hang_operation& op : *list) add_name(info, op, communicators_);
  services_.for_each([&info](service& s) { s.explain(info); });
}

/// Checks the clock on behalf of a call that waits or that tests repeatedly.
template <class Stack>
[[gnu::noinline, gnu::cold]] void endpoint<Stack>::watch_step() noexcept {
  const auto describe = [](void* self, hang_info& into) {
    auto& e = *static_cast<endpoint*>(self);
    e.describe(into);
    if (e.pace().blocked() != nullptr) return;
    hang_call& call = *into.add_call();
    call.kind = wait_kind::testing;
    e.pace().watch()->describe_testing(call);
    for (const hang_operation& op : into.posted) call.on.add(op);
    for (const hang_operation& op : into.sends) call.on.add(op);
  };
  const auto digest = [](void* self) -> std::uint64_t {
    auto& e = *static_cast<endpoint*>(self);
    return e.pool().digest() * 1024 + static_cast<std::uint64_t>(e.peers().takes());
  };
  const auto tell_root = [](void* self, const hang_info* info) {
    auto& e = *static_cast<endpoint*>(self);
    const auto send = [&e](tag_t at, std::span<const std::byte> piece) {
      e.outbox().send_control_copy(0, {.kind = wire::kind::hangs, .tag = at}, piece);
    };
    if (info == nullptr) return send(hang_pieces::withdrawn, {});
    hang_pieces::for_each(*info, send);
  };
  if (!pace().watch()->is_due()) return;
  pace().keep_time_of_calls();
  std::int64_t since_ns = 0;
  for (const blocked_call* b = pace().blocked(); b != nullptr; b = b->next)
    since_ns = since_ns == 0 ? b->since_ns : greater(since_ns, b->since_ns);
  pace().watch()->step({this, describe, digest, tell_root}, pace().advances(), since_ns);
}

}  // namespace mpx::inline v0::detail
