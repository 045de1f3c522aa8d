// SPDX-License-Identifier: BSL-1.0
#pragma once
// The provider of libfabric that mpx::fabric_stack uses here.

#include <vector>

#include "machine.hpp"

namespace mpxinfo {

/// The provider, and the reasons against those that libfabric offers before it.
std::vector<finding> fabric();

}  // namespace mpxinfo
