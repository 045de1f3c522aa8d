// SPDX-License-Identifier: BSL-1.0
#pragma once
// Starts one process that cannot outlive mpxrun.

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <mpx/core/platform.hpp>
#include <string>
#include <vector>

#include "options.hpp"

namespace launcher {

/// Data that a child needs between vfork and exec, where it may only make system calls.
struct child_plan {
  char* const* command;
  char* const* environment;
  int input, output, errors;  // become 0, 1, 2
  int kept[3];                // inherited under their own numbers
  int folder;                 // where it runs; -1: where its parent does
  pid_t parent;
  const sigset_t* mask;
  const struct sigaction* file_size;  // of SIGXFSZ
  const rlimit* files;
  const mpx::platform::core_set* cores;  // nullptr: all that mpxrun may use
};

/// Runs in the child, on the parent's memory.
[[noreturn]] inline void become(const child_plan& plan, volatile int& failure) noexcept {
  ::prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGKILL));
  if (::getppid() != plan.parent) ::_exit(1);  // it died before the line above
  ::setrlimit(RLIMIT_NOFILE, plan.files);
  if (plan.cores != nullptr) plan.cores->bind();
  const bool placed = (plan.folder < 0 || ::fchdir(plan.folder) == 0) &&
                      ::dup2(plan.input, 0) == 0 && ::dup2(plan.output, 1) == 1 &&
                      ::dup2(plan.errors, 2) == 2;
  for (const int fd : plan.kept) ::fcntl(fd, F_SETFD, 0);
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  ::sigaction(SIGPIPE, &standard, nullptr);
  ::sigaction(SIGXFSZ, plan.file_size, nullptr);
  ::sigprocmask(SIG_SETMASK, plan.mask, nullptr);
  if (placed) ::execvpe(plan.command[0], plan.command, plan.environment);
  failure = errno;
  ::_exit(127);
}

/// Starts a child; returns its pid. On failure returns -1 with `failure` set to the errno of vfork,
/// or 0 with that of exec.
[[gnu::noinline]] inline pid_t start(const child_plan& plan, int& failure) noexcept {
  volatile int why = 0;
  const pid_t pid = ::vfork();  // NOLINT(bugprone-unsafe-functions): fork copies page tables
  if (pid == 0) become(plan, why);
  failure = pid < 0 ? errno : why;
  return pid > 0 && failure != 0 ? 0 : pid;
}

/// The environment of the ranks: this process's own, without a surrounding job, with `settings`,
/// of which a later one counts.
class environment_block {
 public:
  /// `cores`: the number that the ranks are bound to together; 0: they are not. `may_move`: a rank
  /// may change its core.
  environment_block(const std::vector<std::string>& settings, int job_fd, int shared_fd, int ranks,
                    int cores, bool may_move) {
    for (char** at = environ; *at != nullptr; ++at)
      if (!sets_own_variable(*at)) texts_.emplace_back(*at);
    for (const auto& setting : settings) {
      const std::string name = setting.substr(0, setting.find('=') + 1);
      std::erase_if(texts_, [&](const std::string& it) { return it.starts_with(name); });
      texts_.push_back(setting);
    }
    texts_.push_back("MPX_JOB_FD=" + std::to_string(job_fd));
    texts_.push_back("MPX_SHM_FD=" + std::to_string(shared_fd));
    texts_.push_back("MPX_SIZE=" + std::to_string(ranks));
    if (cores != 0) texts_.push_back("MPX_CORES=" + std::to_string(cores));
    if (may_move) texts_.emplace_back("MPX_MAY_MOVE=1");
    texts_.resize(texts_.size() + 2);
    for (auto& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }

  /// The block for one rank; valid until the next call.
  char* const* of_rank(int rank, int launcher_fd) {
    set(texts_.size() - 2, "MPX_RANK=" + std::to_string(rank));
    set(texts_.size() - 1, "MPX_LAUNCHER_FD=" + std::to_string(launcher_fd));
    return pointers_.data();
  }

 private:
  void set(std::size_t at, std::string text) {
    texts_[at] = std::move(text);
    pointers_[at] = texts_[at].data();
  }

  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

}  // namespace launcher
