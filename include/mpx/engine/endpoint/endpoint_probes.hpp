// SPDX-License-Identifier: BSL-1.0
#pragma once
// Calls that poll once and yield if the core is oversubscribed; blocking probes, and matched
// probes. Included by endpoint.hpp.

#include "mpx/engine/endpoint/endpoint.hpp"

namespace mpx::inline v0::detail {

/// Polls once. Returns true if `op` is complete.
template <class Stack>
bool endpoint<Stack>::test(operation& op) {
  bool oversubscribed = false;
  bool done = false;
  {
    lock_guard lock(threading());
    done = op.done();
    if (!done) {
      oversubscribed = pace().poll_unblocked();
      if (op.done()) return true;
    }
  }
  if (done) pass_without_poll();
  if (oversubscribed) pace().yield();
  return done;
}

template <class Stack>
void endpoint<Stack>::progress() {
  bool oversubscribed = false;
  {
    lock_guard lock(threading());
    oversubscribed = pace().poll_unblocked();
  }
  if (oversubscribed) pace().yield();
}

template <class Stack>
template <class Done>
void endpoint<Stack>::wait_probing(const pattern& want, call_site site, Done&& done) {
  const auto probing = [this](int more) {
    lock_guard lock(threading());
    inbox().probing(more);
  };
  probing(1);
  wait_until(site, {wait_kind::all, awaited::form::probed, &want}, done);
  probing(-1);
}

/// Blocks until a message matches, or none can any more (`failure`).
template <class Stack>
probe_result endpoint<Stack>::wait_probe(const pattern& want, call_site site, errc& failure) {
  probe_result found;
  wait_probing(want, site, [&] {
    arrived_message* m = inbox().find(want, failure);
    if (m != nullptr) found = probe_result{m->is.source, m->is.tag(), m->bytes};
    return m != nullptr || failure != errc{};
  });
  return found;
}

/// Takes the earliest matching message out of matching; `receive_probed` or `discard` has to
/// follow.
template <class Stack>
arrived_message* endpoint<Stack>::take_by_probe(const pattern& want, errc& failure) {
  arrived_message* found = nullptr;
  bool oversubscribed = false;
  {
    lock_guard lock(threading());
    oversubscribed = poll_probing();
    found = inbox().take_by_probe(want, failure);
  }
  if (oversubscribed && found == nullptr) pace().yield();
  return found;
}

template <class Stack>
arrived_message* endpoint<Stack>::wait_and_take_by_probe(const pattern& want, call_site site,
                                                         errc& failure) {
  arrived_message* found = nullptr;
  wait_probing(want, site, [&] {
    found = inbox().take_by_probe(want, failure);
    return found != nullptr || failure != errc{};
  });
  return found;
}

}  // namespace mpx::inline v0::detail
