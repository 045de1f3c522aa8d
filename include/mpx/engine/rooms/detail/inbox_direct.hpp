// SPDX-License-Identifier: BSL-1.0
#pragma once
// Slow path of the direct receive, when the message has not arrived yet. Included by inbox.hpp.

#include "mpx/engine/rooms/inbox.hpp"

namespace mpx::inline v0::detail {

template <class Stack, class House>
[[gnu::noinline]] void inbox_room<Stack, House>::receive_slow(direct_receive& d) {
  d.posted = nullptr;
  d.failure = undecided;
  if constexpr (!concurrent) {
    if (house().peers().orphaned()) [[unlikely]]
      house().peers().check();
    else
      house().peers().polled();
    if (matcher_.nothing_posted() && house().peers().failures() == 0 &&
        matcher_.find(d.want) == nullptr) [[likely]] {
      house().noticed();
      if (spare_ == nullptr) spare_ = house().pool().take();
      if (spare_ == nullptr) [[unlikely]] {
        d.failure = errc::no_resources;
        return;
      }
      d.done = false;
      direct_ = &d;
      for (unsigned polls = house().oversubscribed() ? 1 : direct_polls; polls > 0; --polls) {
        if (polls % 64 == 1 && house().look_around()) break;
        house().poll_once();
        if (d.done) [[likely]]
          return;
        if (direct_ == nullptr) break;  // It became a posted receive; `wait` follows.
      }
      if (direct_ != nullptr) post_direct();
    }
  }
  if (d.posted == nullptr) d.posted = receive({d.buffer, d.capacity}, d.want).op;
  if (d.posted == nullptr) [[unlikely]] {
    d.failure = errc::no_resources;
    return;
  }
  if constexpr (!concurrent) {
    if (d.posted->done()) received(d, *d.posted);
  }
}

}  // namespace mpx::inline v0::detail
