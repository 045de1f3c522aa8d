// SPDX-License-Identifier: BSL-1.0
#pragma once
// Sleeping of a blocked rank. Included by progress.hpp.

#include <cstdint>

#include "mpx/engine/rooms/progress.hpp"

namespace mpx::inline v0::detail {

/// Probes the peers that this rank waits for, every `attends_apart_ns`: one to which this rank has
/// never sent may be dead unnoticed.
template <class Stack, class House>
void progress_room<Stack, House>::attend_now_and_then() noexcept
    requires MonitoringTransport<transport_type>
{
  const std::int64_t now = platform::now_ns();
  if (attends_at_ns_ == 0) attends_at_ns_ = now + attends_apart_ns;
  if (now < attends_at_ns_) return;
  attends_at_ns_ = now + attends_apart_ns;
  const auto attend = [this](peer_id source) {
    if (source < house().transport().peers() && house().peers().failure_of(source) == errc{})
      house().transport().attend(source);
  };
  house().pool().for_each([&](const operation& op) {
    if (op.role == role::receive && op.stage == stage::posted) attend(op.want.source);
  });
  for (const blocked_call* c = blocked_; c != nullptr; c = c->next)
    if (c->on.as == awaited::form::probed) attend(static_cast<const pattern*>(c->on.what)->source);
}

/// True if this rank keeps polling because peers write long messages into its memory. Nothing
/// reports such a message before it is complete; but where the CPU moves the data, a sleeping rank
/// is woken for each part, which costs both ends more than the part. Therefore it polls for as long
/// as the data takes at 1 GB/s, counted from the last poll that found something. Not if other ranks
/// need its core.
template <class Stack, class House>
bool progress_room<Stack, House>::looks_on() noexcept requires follows_data
{
  if (oversubscribed()) return false;
  const std::int64_t now = house().now_ns();
  if (looks_until_ns_ == 0 || advances_seen_ != advances_) {
    constexpr std::int64_t ns_per_byte = 1;
    std::int64_t ns = 0;
    house().pool().for_each([&ns](const operation& op) {
      if (op.role == role::receive && op.stage == stage::streaming && op.exposed)
        ns += static_cast<std::int64_t>(op.limit) * ns_per_byte;
    });
    advances_seen_ = advances_;
    looks_until_ns_ = now + ns;
  }
  return now < looks_until_ns_;
}

template <class Stack, class House>
[[gnu::noinline]] void progress_room<Stack, House>::sleep(lock_type& lock,
                                                          const flag_watch* watch) {
  if constexpr (follows_data) {
    if (looks_on()) return;
  }
  // The blocked thread takes over from the external loop, for which the transport is armed.
  if (outside_ != nullptr && outside_->is == outside_loop::state::parked) ring_outside();
  if constexpr (concurrent) {
    if (leader_) {  // Its wake-up is for this thread, too.
      if (watch == nullptr || !is_ready_after_all(*watch)) follow(lock);
      return;
    }
  }
  auto& transport = house().transport();
  if (must_look_first() || !transport.arm()) return;
  // A failure reported before the transport was armed has woken nobody.
  if (house().peers().has_news() || (watch != nullptr && is_ready_after_all(*watch)))
    return transport.disarm();
  house().trace().on(event::sleeps, 1);
  leader_ = true;
  if constexpr (concurrent) lock.unlock();
  transport.sleep(Stack::wait_type::sleep_ns_max);
  if constexpr (concurrent) lock.lock();
  leader_ = false;
  transport.disarm();
  if constexpr (concurrent) {
    if (flag_waiters_ != 0 && followers_ != 0) wake_waiters();  // The wake-up may be for them.
  }
}

}  // namespace mpx::inline v0::detail
