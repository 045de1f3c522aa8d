// SPDX-License-Identifier: BSL-1.0
#pragma once
// Properties of this machine that matter to mpx: its limits, and abilities of its kernel.

#include <string>
#include <vector>

namespace mpxinfo {

/// One line of a report.
struct finding {
  std::string name;
  std::string value;
  std::string meaning;  ///< Consequence; "" if there is none.
};

/// Cores, memory, descriptors and what else is bounded.
std::vector<finding> limits();

/// Abilities of the kernel that mpx uses.
std::vector<finding> kernel();

}  // namespace mpxinfo
