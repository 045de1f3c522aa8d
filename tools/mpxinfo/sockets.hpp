// SPDX-License-Identifier: BSL-1.0
#pragma once
// Abilities of transports over sockets here.

#include <vector>

#include "machine.hpp"

namespace mpxinfo {

/// Of tcp, tls and hybrid, in stacks for several hosts.
std::vector<finding> sockets();

}  // namespace mpxinfo
