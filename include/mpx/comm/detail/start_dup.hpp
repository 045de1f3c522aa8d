// SPDX-License-Identifier: BSL-1.0
#pragma once
// A duplicate that is started: the same tree as of one that blocks, as a schedule.

#include <new>
#include <utility>

#include "mpx/comm/detail/create.hpp"
#include "mpx/engine/schedule.hpp"

namespace mpx::inline v0::detail {

/// What a started duplicate keeps until its request goes.
template <class Stack, class Communicator>
struct duplicate_under_way : allocated {
  using cause = collective_failure::cause;

  endpoint<Stack>* at = nullptr;
  communicator_state* like = nullptr;
  schedule* plan = nullptr;
  said_context said;
  attribute_list attributes;
  Communicator* into = nullptr;
  rank_t rank = 0;

  /// The last step, under the endpoint's lock.
  static void make(void* self) {
    auto& d = *static_cast<duplicate_under_way*>(self);
    if (d.said.why != 0) {
      const errc why = static_cast<errc>(d.said.why);
      d.plan->failure = {why, why == errc::communicator ? cause::context : cause::memory};
      return;
    }
    communicator_state* const made = d.at->communicators_locked().make(d.said.context, *d.like);
    if (made == nullptr) {
      d.plan->failure = {errc::no_resources, cause::memory};
      return;
    }
    made->on_error = d.like->on_error;
    made->attributes = std::move(d.attributes);
    *d.into = Communicator(*d.at, *made, d.said.context, d.rank, made->size);
  }
};

/// Starts the duplicate of `parent`; `into` is it once the operation is complete.
/// Errors: errc::no_resources. What copies of attributes throw passes through; the others are told.
template <class Stack, class Communicator>
started start_dup(const point_to_point<Stack>& parent, Communicator& into, call_site site) {
  using under_way = duplicate_under_way<Stack, Communicator>;
  const communicator_access<Stack> a(parent, site.where);
  attribute_list attributes;
  try {
    attributes = a.state().attributes.copied();
  } catch (...) {
    collective_channel<Stack> c(parent, site);
    c.begin();
    c.refused(errc::operation, "an attribute cannot be copied");
    throw;
  }
  schedule* const plan = collective_channel<Stack>::new_schedule(parent, "dup");
  auto* const d = new (std::nothrow) under_way();
  if (plan == nullptr || d == nullptr) {
    delete plan;
    delete d;
    return {nullptr, errc::no_resources};
  }
  plan->keep(d, [](void* p) noexcept { delete static_cast<under_way*>(p); });
  d->at = &a.at();
  d->like = &a.state();
  d->plan = plan;
  d->attributes = std::move(attributes);
  d->into = &into;
  d->rank = a.rank();
  if constexpr (Stack::checks_type::compares_collectives)
    Stack::checks_type::compare_named(*plan, site, "");
  const memory said(reinterpret_cast<std::byte*>(&d->said), sizeof d->said);
  const rank_t n = a.size();
  rank_t bit = 1;
  while (bit < n && (d->rank & bit) == 0) bit *= 2;
  if (d->rank != 0) {
    plan->receive(said, d->rank - bit);
  } else {
    errc why{};
    d->said.context = a.at().with_communicators([&](auto& all) { return all.lead(why); });
    d->said.why = static_cast<int>(why);
  }
  for (bit /= 2; bit > 0; bit /= 2)
    if (d->rank + bit < n) plan->start_send(said, d->rank + bit);
  plan->finish();
  plan->call(under_way::make, d);
  const started s = schedules<Stack>::make(a.at(), plan, false);
  if (s.op != nullptr) schedules<Stack>::start(a.at(), *s.op);
  return s;
}

}  // namespace mpx::inline v0::detail
