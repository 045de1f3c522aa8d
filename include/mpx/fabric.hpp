// SPDX-License-Identifier: BSL-1.0
#pragma once
// For clusters with InfiniBand, Omni-Path, Slingshot or EFA: mpx.hpp, and a stack with shared
// memory inside each host and libfabric between hosts. Needs libfabric 1.17 (mpx::libfabric).

#include "mpx/macros/begin.hpp"

#include "mpx/bootstrap/anywhere.hpp"
#include "mpx/mpx.hpp"
#include "mpx/protocol/near_far.hpp"
#include "mpx/transport/hybrid.hpp"
#include "mpx/transport/rdma.hpp"
#include "mpx/transport/rdma/libfabric.hpp"

namespace mpx::inline v0 {

/// Protocol for shared memory inside hosts and a card between them.
using fabric_protocol =
    protocol::near_far<protocol::tiny_short_long<>, protocol::tiny_short_long<40, 16 * 1024>>;

/// Stack for a cluster with a fabric: shared memory between the ranks of a host, libfabric between
/// hosts. The provider is MPX_FABRIC_PROVIDER, else the first in libfabric's order that connects
/// hosts and can be opened; `mpxinfo` names it, and why others are refused. Other policies:
/// `mpx::stack<mpx::transport::hybrid<mpx::transport::shm,
/// mpx::transport::rdma<mpx::nic::libfabric_between_hosts>>, mpx::bootstrap::anywhere, ...>`.
using fabric_stack =
    stack<transport::hybrid<transport::shm, transport::rdma<nic::libfabric_between_hosts>>,
          bootstrap::anywhere, fabric_protocol>;

}  // namespace mpx::inline v0

#include "mpx/macros/end.hpp"
