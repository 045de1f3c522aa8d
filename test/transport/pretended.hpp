// SPDX-License-Identifier: BSL-1.0
#pragma once
// Jobs of threads on pretended hosts, and the contract of transport hybrid among near and far ranks.

#include <cstdlib>
#include <mpx/transport/hybrid.hpp>

#include "contract.hpp"
#include "helped.hpp"

namespace transport_contract {

/// Ranks behave as if they were on these hosts.
class pretended {
 public:
  explicit pretended(const char* hosts) {
    ::setenv("MPX_PRETEND_HOSTS", hosts, 1);  // NOLINT(concurrency-mt-unsafe)
  }
  pretended(const pretended&) = delete;
  pretended& operator=(const pretended&) = delete;
  ~pretended() { ::unsetenv("MPX_PRETEND_HOSTS"); }  // NOLINT(concurrency-mt-unsafe)
};

/// As `helped` wants it: a near peer needs no connection.
template <class Near, class Far>
struct connected_hybrid : mpx::transport::hybrid<Near, Far> {
  using mpx::transport::hybrid<Near, Far>::hybrid;
  auto state_of(peer_id peer) {
    using state = decltype(this->far().state_of(peer));
    return this->is_near(peer) ? state::open : this->far().state_of(peer);
  }
};

/// Some ranks near, some far.
template <class T>
void check_near_and_far() {
  using helped_transport::helped;
  for (const char* list : {"0,1,0", "0,0,1"}) {
    const pretended hosts(list);
    check_identity<helped<T>>();
    check_self_send<helped<T>>();
    check_refilling_source<helped<T>>();
  }
  const pretended hosts("0,1,0");
  check_waiting<helped<T>>();
}

}  // namespace transport_contract
