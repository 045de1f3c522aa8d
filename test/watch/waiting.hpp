// SPDX-License-Identifier: BSL-1.0
#pragma once
// States of ranks for the tests in this folder.

#include <cstdint>
#include <mpx/watch/hang_info.hpp>

namespace said {

/// A rank that waits in a receive.
inline mpx::detail::hang_info waiting(mpx::rank_t rank, mpx::rank_t peer, mpx::tag_t tag = 7) {
  using namespace mpx::detail;
  hang_info info{};
  info.rank = rank;
  hang_call& call = *info.add_call();
  copy_head(call.name, "recv");
  copy_tail(call.file, "main.cpp");
  call.line = 10 + static_cast<std::uint32_t>(rank);
  call.on.add({peer, tag, 0, hang_stage::posted, 0, 8});
  return info;
}

inline mpx::detail::hang_info in_state(mpx::rank_t rank, mpx::detail::hang_state state) {
  mpx::detail::hang_info info{};
  info.rank = rank;
  info.state = state;
  info.since_ns = state == mpx::detail::hang_state::busy ? 1 : 0;  // It was seen in mpx.
  return info;
}

/// A rank that joins or leaves.
inline mpx::detail::hang_info meeting(mpx::rank_t rank, mpx::detail::wait_kind kind) {
  mpx::detail::hang_info info = in_state(rank, mpx::detail::hang_state::waits);
  info.add_call()->kind = kind;
  return info;
}

}  // namespace said
