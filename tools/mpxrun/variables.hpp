// SPDX-License-Identifier: BSL-1.0
#pragma once
// Misspelt variables for mpx in the environment: a program would not miss them.

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <mpx/core/error.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "nearest.hpp"
#include "options.hpp"
#include "text.hpp"

namespace launcher {

/// Variables that some part of mpx reads; tools/check_environment.py compares them with
/// docs/ENVIRONMENT.md.
inline constexpr std::string_view known_variables[] = {
    "MPX_ALLOC_SHOW",
    "MPX_ALONE",
    "MPX_BIN",
    "MPX_BOOTSTRAP",
    "MPX_CORES",
    "MPX_FABRIC_ATOMICS",
    "MPX_FABRIC_LEAVING_MS",
    "MPX_FABRIC_MEMORY",
    "MPX_FABRIC_PROVIDER",
    "MPX_FABRIC_FALLBACK",
    "MPX_FABRIC_READS",
    "MPX_FABRIC_WATCH",
    "MPX_HANG_REPORT",
    "MPX_JOB_FD",
    "MPX_LAUNCHER_FD",
    "MPX_MAY_MOVE",
    "MPX_MPICC",
    "MPX_MPICXX",
    "MPX_MPI_STACK",
    "MPX_PREEMPT_ONLY",
    "MPX_PREEMPT_TIMES",
    "MPX_PRETEND_HOSTS",
    "MPX_RANK",
    "MPX_RDMA_PINNED_BYTES",
    "MPX_SHM_FD",
    "MPX_PROFILE",
    "MPX_SHORT_BYTES_MAX",
    "MPX_SPIN",
    "MPX_SIZE",
    "MPX_SOURCE",
    "MPX_TCP_HEARTBEAT",
    "MPX_TCP_INTERFACE",
    "MPX_TCP_PORTS",
};

/// Location of an installation, as the modules of clusters set it: not read by mpx.
inline constexpr std::string_view foreign_variables[] = {"MPX_ROOT", "MPX_HOME", "MPX_DIR"};

/// "nothing reads MPX_HANGREPORT: is MPX_HANG_REPORT meant?"; "" if something does.
/// `setting`: VAR=VALUE
inline std::string doubt_about(std::string_view setting) {
  const std::string_view name = setting.substr(0, setting.find('='));
  if (!name.starts_with("MPX_") ||
      std::ranges::find(known_variables, name) != std::end(known_variables) ||
      std::ranges::find(foreign_variables, name) != std::end(foreign_variables))
    return {};
  nearest like(name.substr(4));
  for (const std::string_view it : known_variables) like.offer(it.substr(4), it);
  const std::string_view meant = like.found();
  return text("nothing reads ", mpx::detail::printable(name), meant.empty() ? "" : ": is ", meant,
              meant.empty() ? "" : " meant?");
}

/// Warns of variables that have no effect, once for each.
inline void warn_of_unread(const options& chosen) {
  std::vector<std::string> doubts;
  const auto look = [&doubts](std::string_view setting) {
    std::string doubt = doubt_about(setting);
    if (!doubt.empty() && std::ranges::find(doubts, doubt) == doubts.end())
      doubts.push_back(std::move(doubt));
  };
  // Inside a job, the mpxrun around has said it.
  if (std::getenv("MPX_JOB_FD") == nullptr)
    for (char** at = environ; *at != nullptr; ++at) look(*at);
  for (const auto& setting : chosen.settings) look(setting);
  for (const auto& its : chosen.programs)
    for (const auto& setting : its.settings) look(setting);
  for (const auto& doubt : doubts) complain("warning: " + doubt);
}

}  // namespace launcher
