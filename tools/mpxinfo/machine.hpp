// SPDX-License-Identifier: BSL-1.0
#pragma once
// What of this machine matters to mpx: its limits, and what its kernel can do.

#include <string>
#include <vector>

namespace mpxinfo {

/// One line of a report.
struct finding {
  std::string name;
  std::string value;
  std::string meaning;  ///< What follows from it; "" if nothing does.
};

/// Cores, memory, descriptors and what else is bounded.
std::vector<finding> limits();

/// What the kernel offers of that which mpx uses.
std::vector<finding> kernel();

}  // namespace mpxinfo
