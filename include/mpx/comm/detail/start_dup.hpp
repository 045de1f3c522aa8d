// SPDX-License-Identifier: BSL-1.0
#pragma once
// A started duplication: the broadcast of the blocking call, as a schedule.

#include <exception>
#include <new>
#include <utility>

#include "mpx/comm/detail/create.hpp"
#include "mpx/engine/endpoint/schedule.hpp"

namespace mpx::inline v0::detail {

/// State of a started duplication, kept until its request is destroyed.
template <class Stack, class Communicator>
struct duplicate_under_way : allocated {
  endpoint<Stack>* at = nullptr;
  communicator_state* like = nullptr;
  schedule* plan = nullptr;
  said_context said;
  attribute_list attributes;
  Communicator handle;  // A copy of the original's handle, until `make` turns it into the new one.
  Communicator* into = nullptr;
  rank_t rank = 0;
  bool refused = false;  // An attribute cannot be copied: only other ranks make the duplicate.

  /// The last step of the schedule; runs under the endpoint's lock.
  static void make(void* self) {
    auto& d = *static_cast<duplicate_under_way*>(self);
    if (d.said.why != 0) {
      d.plan->failure = d.at->no_context_locked(static_cast<errc>(d.said.why));
      return;
    }
    if (d.refused) return d.at->communicators_locked().never_made(d.said.context, *d.like);
    communicator_state* const made = d.at->communicators_locked().make(d.said.context, *d.like);
    if (made == nullptr) {
      d.plan->failure = d.at->no_context_locked(errc::no_resources);
      return;
    }
    made->on_error = d.like->on_error;
    made->attributes = std::move(d.attributes);
    static_cast<point_to_point<Stack>&>(d.handle) = {*d.at, *made, d.said.context, d.rank,
                                                     made->size};
    *d.into = std::move(d.handle);
  }
};

/// Starts `plan`. If this rank's call is `refused`, it still takes its part in the plan, as a
/// detached operation.
template <class Stack>
started start_or_leave(endpoint<Stack>& e, schedule* plan, bool refused) {
  const started s = schedules<Stack>::make(e, plan);
  if (s.op == nullptr) return s;
  schedules<Stack>::start(e, *s.op);
  if (!refused) return s;
  compounds<Stack>::detach(e, *s.op);
  return {nullptr, errc::operation};
}
/// The next collective of `on` cannot be started for lack of memory; informs the other ranks.
template <class Stack>
started not_started(const point_to_point<Stack>& on, call_site site) {
  collective_channel<Stack> c(on, site);
  c.begin();
  return {nullptr, c.no_memory()};
}
/// Throws the error of a start, if errors are not stored.
[[gnu::noinline]] inline void throw_unless_started(const started& s,
                                                   const std::exception_ptr& thrown) {
  if (thrown != nullptr) std::rethrow_exception(thrown);
  if (s.failure != errc{}) throw_out_of_memory();
}

/// Starts the duplication of `parent`; `into` is the duplicate once the operation is complete.
/// Errors: errc::no_resources; errc::operation, with the exception in `thrown`, if an attribute
/// cannot be copied: the communicator that the other ranks get is then revoked.
template <class Stack, class Communicator>
started start_dup(const Communicator& parent, Communicator& into, call_site site,
                  std::exception_ptr& thrown) {
  using under_way = duplicate_under_way<Stack, Communicator>;
  const communicator_access<Stack> a(parent, site.where);
  attribute_list attributes;
  try {
    attributes = a.state().attributes.copied();
  } catch (...) {
    thrown = std::current_exception();
  }
  schedule* const plan = collective_channel<Stack>::new_schedule(parent, "dup");
  auto* const d = new (std::nothrow) under_way();
  if (plan == nullptr || d == nullptr) {
    delete plan;
    delete d;
    return not_started<Stack>(parent, site);
  }
  plan->keep(d, [](void* p) noexcept { delete static_cast<under_way*>(p); });
  d->at = &a.at();
  d->like = &a.state();
  d->plan = plan;
  d->attributes = std::move(attributes);
  d->handle = parent;
  d->into = &into;
  d->rank = a.rank();
  d->refused = thrown != nullptr;
  if constexpr (Stack::checks_type::compares_collectives)
    Stack::checks_type::compare_named(*plan, site, "");
  const memory said(reinterpret_cast<std::byte*>(&d->said), sizeof d->said);
  const rank_t n = a.size();
  errc why{};
  rank_t bit = 1;
  while (bit < n && (d->rank & bit) == 0) bit *= 2;
  if (d->rank != 0) {
    plan->receive(said, d->rank - bit);
  } else {
    d->said.context = a.at().lead(why, site);
    d->said.why = static_cast<int>(why);
  }
  for (bit /= 2; bit > 0; bit /= 2)
    if (d->rank + bit < n) plan->start_send(said, d->rank + bit);
  plan->finish();
  plan->call(under_way::make, d);
  const context_id led = d->rank == 0 ? d->said.context : no_context;
  const started s = start_or_leave(a.at(), plan, thrown != nullptr);
  if (s.failure != errc::no_resources) return s;
  if (led != no_context) a.at().with_communicators([&](auto& all) { all.abandon(led); });
  return not_started<Stack>(parent, site);
}

/// Starts a duplication, as a call of the program.
template <class Stack, class Communicator, class How>
request<Stack> started_dup(const Communicator& parent, Communicator& into, How& how,
                           std::source_location where) {
  std::exception_ptr thrown;
  const started s = start_dup<Stack>(parent, into, {"dup", where}, thrown);
  if constexpr (stores_errors<How>) {
    store(*how.code, s.failure);
  } else {
    throw_unless_started(s, thrown);
  }
  if (s.op == nullptr) return {};
  return request_access::make(communicator_access<Stack>(parent, where).at(), s.op);
}

}  // namespace mpx::inline v0::detail
