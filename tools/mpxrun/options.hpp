// SPDX-License-Identifier: BSL-1.0
#pragma once
// What a user can ask of mpxrun.

#include <string>
#include <vector>

namespace launcher {

struct options {
  int ranks = 1;
  bool label = false;
  bool survive = false;
  std::vector<std::string> settings;  // VAR=VALUE
  std::vector<char*> command;         // ends with nullptr
};

}  // namespace launcher
