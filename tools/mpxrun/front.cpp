// SPDX-License-Identifier: BSL-1.0
#include "front.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstring>
#include <system_error>

#include "job.hpp"
#include "processes.hpp"

namespace launcher {

namespace {

/// The signals by which the keeper may have to die, since the job did.
bool ends_jobs(int signal) noexcept {
  for (const int s : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE})
    if (s == signal) return true;
  return false;
}

[[noreturn]] void end_as(pid_t keeper, int status) {
  if (WIFEXITED(status)) ::_exit(WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  if (ends_jobs(signal)) die_by(signal);
  complain(text("its keeper (pid ", keeper, ") was ", mpx::bootstrap::describe_wait_status(signal),
                "; ending the job"));
  if (!end_everything(give_up_ns))
    complain("processes do not end even after SIGKILL: leaving them");
  ::_exit(128 + signal);
}

[[noreturn]] void be_front(pid_t keeper, const sigset_t& taken) {
  for (;;) {
    siginfo_t news{};
    const int signal = ::sigwaitinfo(&taken, &news);
    int status = 0;
    if (signal == SIGCHLD) {
      if (::waitpid(keeper, &status, WNOHANG) == keeper) end_as(keeper, status);
    } else if (signal > 0) {
      // Signals of the terminal reach the keeper, too: it is in our process group.
      if (news.si_code != SI_KERNEL || signal == SIGHUP) ::kill(keeper, signal);
      if (signal == SIGTSTP) ::raise(SIGSTOP);
    }
  }
}

/// `pkill mpxrun` means the front; the keeper goes by a name of its own.
void rename_keeper(char* name) noexcept {
  ::prctl(PR_SET_NAME, "mpx-keeper");
  const std::size_t room = std::strlen(name);
  std::memset(name, 0, room);
  std::memcpy(name, "mpx-keeper", std::min<std::size_t>(room, 10));
}

}  // namespace

signal_plan::signal_plan() {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &action, nullptr);
  ::sigemptyset(&taken);
  ::sigaddset(&taken, SIGCHLD);
  for (const int signal :
       {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP, SIGWINCH}) {
    // Ignored signals stay ignored, by us and by the ranks: nohup, background jobs of shells.
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
      ::sigaddset(&taken, signal);
  }
  ::sigprocmask(SIG_BLOCK, &taken, &original_mask);
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
  // Exceeding `ulimit -f` is an error with a text.
  ::sigaction(SIGXFSZ, &action, &original_file_size);
}

front_link split(const signal_plan& signals, char* name) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw cannot_start{1, "out of file descriptors: raise `ulimit -n`"};
  descriptor ours(ends[0]), its(ends[1]);
  const pid_t front = ::getpid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1UL);
  const pid_t keeper = ::fork();
  if (keeper < 0)
    throw cannot_start{
        1, text("fork: ", std::system_category().message(errno), ": raise `ulimit -u`")};
  if (keeper > 0) {
    ours.reset();
    be_front(keeper, signals.taken);
  }
  its.reset();
  // Not to die of: the keeper may be stopped when the front dies, and has work to do then.
  ::prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGCONT));
  ::prctl(PR_SET_CHILD_SUBREAPER, 1UL);
  rename_keeper(name);
  return {front, std::move(ours)};
}

void die_by(int signal) {
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  ::sigaction(signal, &standard, nullptr);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, signal);
  ::raise(signal);
  ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
  ::_exit(128 + signal);
}

}  // namespace launcher
