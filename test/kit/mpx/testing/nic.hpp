// SPDX-License-Identifier: BSL-1.0
#pragma once
// Contract suite of network cards below transport rdma: see nic_contract.
// Needs doctest: link mpx::testing, or give the compiler the folder of this header, too.

#include "transport/nic_contract.hpp"
