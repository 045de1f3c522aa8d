// SPDX-License-Identifier: BSL-1.0
#pragma once
// Collectives of an intercommunicator on buffers with layouts.

#include "mpx/coll/inter/inter.hpp"

namespace mpx::inline v0::coll {

/// Returns `m` if it is contiguous, else scratch memory of its size; a copy of `m` if `filled`.
template <Steps S>
memory whole_remote(S& s, const memory& m, const sides&, bool filled) {
  if (m.contiguous()) return m;
  const memory whole = s.scratch(m.bytes);
  if (filled && !s.failed()) s.copy(whole, m);
  return whole;
}
template <Steps S>
blocks whole_remote(S& s, const blocks& b, const sides& of, bool filled) {
  if (b.how == nullptr) return b;
  const blocks from = placed_remote(s, b, of);
  const blocks whole = packed_remote(s, from, of);
  for (rank_t r = 0; filled && !s.failed() && r < of.there; ++r) s.copy(whole[r], from[r]);
  return whole;
}
/// Runs a call on contiguous copies of its buffers.
template <Steps S, class Call>
requires requires(const Call& call) {
  call.gets();
  call.of.remote(0);
}
void run_spread(S& s, const Call& call, const choice& c) {
  Call whole = call;
  if constexpr (requires { call.data; }) {
    if (call.gives() || call.gets()) whole.data = whole_remote(s, call.data, call.of, call.gives());
    if (!s.failed()) whole(s, c);
    if (call.gets() && !call.data.contiguous()) s.copy(call.data, whole.data);
  } else {
    if (call.gives()) whole.in = whole_remote(s, call.in, call.of, true);
    if (call.gets()) whole.out = whole_remote(s, call.out, call.of, false);
    if (s.failed()) return;
    whole(s, c);
    if (!call.gets()) return;
    if constexpr (requires {
                    call.out.how;
                    call.out.pieces;
                  }) {
      const blocks to = placed_remote(s, call.out, call.of);
      const blocks from = placed_remote(s, whole.out, call.of);
      for (rank_t r = 0; to.how != nullptr && r < call.of.there; ++r) s.copy(to[r], from[r]);
    } else {
      if (!call.out.contiguous()) s.copy(call.out, whole.out);
    }
  }
}

}  // namespace mpx::inline v0::coll
