// SPDX-License-Identifier: BSL-1.0
#pragma once
// Options of mpxrun.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace launcher {

/// Variables that only mpxrun may set for a rank; a user's setting would be wrong.
inline constexpr std::string_view own_variables[] = {"MPX_JOB_FD",  "MPX_SHM_FD", "MPX_LAUNCHER_FD",
                                                     "MPX_RANK",    "MPX_SIZE",   "MPX_CORES",
                                                     "MPX_MAY_MOVE"};

/// True if `setting` is VAR=VALUE of such a variable.
constexpr bool sets_own_variable(std::string_view setting) {
  for (const std::string_view name : own_variables)
    if (setting.substr(0, setting.find('=')) == name) return true;
  return false;
}

/// Which cores a rank may use.
enum class binding {
  automatic,  // its own, if there are enough that no other job uses
  core,       // one, round robin over those that mpxrun may use
  none,       // those that mpxrun may use
};

/// One of the programs that make up a job.
struct program {
  int ranks = 1;
  std::vector<std::string> settings;  // VAR=VALUE, for its ranks alone
  std::string working_folder;         // where its ranks run; "": where all do
  std::vector<char*> command;         // ends with nullptr
};

struct options {
  int ranks = 0;  // of all programs
  bool label = false;
  bool survive = false;
  bool report_bindings = false;
  binding bind_to = binding::automatic;
  std::int64_t timeout_ns = 0;                     // 0: none
  std::string timeout;                             // as it was given
  std::int64_t leave_timeout_ns = 10'000'000'000;  // 0: none
  std::string leave_timeout = "10";                // as it was given
  std::string output_folder;          // for a file of each output of each rank; "": none
  std::string working_folder;         // where they run; "": where mpxrun does
  std::vector<std::string> settings;  // VAR=VALUE, for all ranks
  std::vector<program> programs;      // in the order of their ranks
};

}  // namespace launcher
