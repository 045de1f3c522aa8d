// SPDX-License-Identifier: BSL-1.0
#pragma once
// What transports over sockets can do here.

#include <vector>

#include "machine.hpp"

namespace mpxinfo {

/// Of tcp, tls and hybrid. `one_machine`: the launcher starts ranks on this machine only.
std::vector<finding> sockets(bool one_machine);

}  // namespace mpxinfo
