// SPDX-License-Identifier: BSL-1.0
#pragma once
// mpxrun is two processes, so that no job outlives the death of either. The *front* is the one that
// was started: it takes the signals and has the exit code. Its child, the *keeper*, runs the job.
//
//   who is killed     who ends the job
//   front             keeper: it holds a pipe from the front, and is above all of the job
//   keeper            front: a subreaper, to which the children of the keeper fall
//   both at once      the kernel: SIGKILL at the death of their parent, which what the keeper
//                     started has asked for; out of reach is only what lies deeper
//
// Both stay in the process group of the caller of mpxrun, as the ranks do: a terminal reaches all.

#include <signal.h>

#include "output.hpp"

namespace launcher {

/// The signals that mpxrun takes by reading them. Blocks them for this process.
struct signal_plan {
  signal_plan();

  sigset_t taken{};
  sigset_t original_mask{};               // as the ranks get it back
  struct sigaction original_file_size{};  // of SIGXFSZ, as well
};

/// The front as its keeper knows it.
struct front_link {
  pid_t pid;
  descriptor pipe;  // at its end when the front has gone
};

/// Splits this process in two. Returns in the keeper; the front ends as the keeper does.
/// `name` is argv[0]. Throws cannot_start.
front_link split(const signal_plan& signals, char* name);

/// Ends this process by `signal`, so that its parent learns what ended the job.
[[noreturn]] void die_by(int signal);

}  // namespace launcher
