// SPDX-License-Identifier: BSL-1.0
// How a job goes on and ends: output, signals, deaths.

#include "job.hpp"

namespace launcher {

int job::run() {
  try {
    start_ranks();
    while (running_ > 0 && !gave_up_) {
      wait_for_news(next_timeout_ms());
      handle_signals();
      reap();
      show_silent_lines();
      check_sinks();
      check_deadline();
    }
  } catch (...) {
    kill_children();
    throw;
  }
  if (ending_) kill_children();
  finish_output();
  return code_.value_or(0);
}

// --- output ---

void job::wait_for_news(int timeout_ms) {
  // A slow reader of ours makes the ranks wait: what is full is not read from.
  pollfd set[5] = {};
  set[0] = {signals_.get(), POLLIN, 0};
  for (int which = 0; which < 2; ++which) {
    const sink& to = which == 0 ? outputs_[0] : errors();
    set[1 + which] = {to.full() ? -1 : polls_[which].get(), POLLIN, 0};
    set[3 + which] = {outputs_[which].waiting() ? outputs_[which].fd() : -1, POLLOUT, 0};
  }
  if (::poll(set, 5, timeout_ms) <= 0) return;
  for (int which = 0; which < 2; ++which)
    if (set[1 + which].revents != 0) read_streams(which);
  for (auto& output : outputs_) output.flush();
}

int job::next_timeout_ms() const {
  std::int64_t due_ns = deadline_ns_ != 0 ? deadline_ns_ : INT64_MAX;
  for (const auto& it : ranks_)
    for (const auto& stream : it.streams)
      if (stream.pending()) due_ns = std::min(due_ns, stream.due_ns());
  if (due_ns == INT64_MAX) return -1;
  return static_cast<int>(std::clamp<std::int64_t>((due_ns - now_ns()) / 1'000'000 + 1, 0, 60'000));
}

void job::read_streams(int which) {
  epoll_event events[64];
  const int count = ::epoll_wait(polls_[which].get(), events, 64, 0);
  const std::int64_t now = now_ns();
  for (int i = 0; i < count; ++i)
    ranks_[events[i].data.u32].streams[which].read(buffer_.data(), buffer_.size(), now);
}

void job::drain(rank_process& it) {
  // What a process wrote before it ended is at most what a pipe holds.
  for (auto& stream : it.streams) {
    for (int turns = 0; turns < 32 && stream.open(); ++turns)
      if (!stream.read(buffer_.data(), buffer_.size(), now_ns())) break;
    stream.show_pending();
  }
}

void job::show_silent_lines() {
  const std::int64_t now = now_ns();
  for (auto& it : ranks_)
    for (auto& stream : it.streams)
      if (stream.pending() && stream.due_ns() <= now) stream.show_pending();
  for (auto& output : outputs_) output.flush();
}

void job::check_sinks() {
  for (auto& output : outputs_) {
    if (output.failure() == 0 || ending_) continue;
    if (output.failure() == EPIPE) {
      terminate(SIGPIPE, true);
    } else {
      say("writing {} failed: {}", output.fd() == 1 ? "standard output" : "standard error",
          std::system_category().message(output.failure()));
      if (!code_) code_ = 1;
      end_others(SIGTERM, failure_grace_ns);
    }
  }
}

void job::finish_output() {
  for (auto& it : ranks_) drain(it);
  for (auto& output : outputs_) output.flush();
  while (outputs_[0].waiting() || outputs_[1].waiting()) {
    pollfd set[3] = {{signals_.get(), POLLIN, 0}, {-1, POLLOUT, 0}, {-1, POLLOUT, 0}};
    for (int which = 0; which < 2; ++which)
      if (outputs_[which].waiting()) set[1 + which].fd = outputs_[which].fd();
    ::poll(set, 3, -1);
    ending_ = true;  // from here on the first signal is the last
    handle_signals();
    if (killed_) return;
    for (auto& output : outputs_) output.flush();
  }
}

// --- signals ---

void job::handle_signals() {
  signalfd_siginfo news{};
  while (::read(signals_.get(), &news, sizeof news) == static_cast<ssize_t>(sizeof news)) {
    const int signal = static_cast<int>(news.ssi_signo);
    // The terminal sent it to the ranks as well: they are in our process group.
    const bool pass_on = news.ssi_code != SI_KERNEL;
    switch (signal) {
      case SIGCHLD: break;
      case SIGINT:
      case SIGTERM:
      case SIGQUIT: terminate(signal, pass_on); break;
      case SIGHUP: terminate(signal, true); break;
      case SIGTSTP:
        if (pass_on) signal_ranks(signal);
        ::raise(SIGSTOP);
        break;
      default:
        if (pass_on) signal_ranks(signal);
    }
  }
}

void job::terminate(int signal, bool pass_on) {
  if (death_signal_ == 0) death_signal_ = signal;
  if (ending_) {
    end_others(SIGKILL, give_up_ns);
    return;
  }
  end_others(pass_on ? signal : 0, signal_grace_ns);
}

void job::signal_ranks(int signal) {
  for (int rank = 0; rank < options_.ranks; ++rank) {
    auto& it = ranks_[static_cast<std::size_t>(rank)];
    if (it.running) ::kill(it.pid, signal);
    const pid_t below = segment_.pid(rank);
    if (below > 1 && below != it.pid && segment_.live(rank) != 0 && descends_from_here(below))
      ::kill(below, signal);
  }
}

void job::end_others(int signal, std::int64_t grace_ns) {
  ending_ = true;
  killed_ = killed_ || signal == SIGKILL;
  deadline_ns_ = now_ns() + grace_ns;
  if (signal != 0) signal_ranks(signal);
  if (signal != 0 && signal != SIGKILL) signal_ranks(SIGCONT);  // a stopped rank has to see it
}

void job::check_deadline() {
  if (deadline_ns_ == 0 || now_ns() < deadline_ns_) return;
  if (!killed_) {
    end_others(SIGKILL, give_up_ns);
    return;
  }
  say("{} ranks do not end even after SIGKILL: leaving them", running_);
  gave_up_ = true;
}

// --- deaths ---

void job::reap() {
  int status = 0;
  for (pid_t pid; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    const auto it = std::find_if(ranks_.begin(), ranks_.end(), [pid](const rank_process& r) {
      return r.running && r.pid == pid;
    });
    if (it != ranks_.end()) on_exit(static_cast<int>(it - ranks_.begin()), status);
  }
}

void job::on_exit(int rank, int status) {
  auto& it = ranks_[static_cast<std::size_t>(rank)];
  it.running = false;
  --running_;
  drain(it);
  const bool inside = segment_.live(rank) != 0;
  const bool left = segment_.joins(rank) != 0 && !inside;
  segment_.mark_ended(rank, status);
  const bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (ending_ || (well && !inside)) return;
  if (left && !segment_.aborted()) {
    say("rank {} (pid {}) left the job and then {}", rank, it.pid,
        mpx::bootstrap::describe_wait_status(status));
    if (!code_) code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return;
  }
  on_failure(rank, status);
}

void job::on_failure(int rank, int status) {
  int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  const bool others = running_ > 0;
  const auto abort = segment_.aborted();
  if (abort) {
    code = abort->code;
    say("rank {} (pid {}) aborted the job with code {}{}{}", abort->rank,
        abort->rank >= 0 ? segment_.pid(abort->rank) : 0, code, abort->reason.empty() ? "" : ": ",
        abort->reason);
  } else {
    std::string how;
    if (WIFSIGNALED(status)) {
      const char* name = ::sigabbrev_np(WTERMSIG(status));
      how = fmt::format("was killed by signal {}{}{}", WTERMSIG(status),
                        name != nullptr ? fmt::format(" (SIG{})", name) : std::string(),
                        WCOREDUMP(status) ? ", core dumped" : "");
    } else {
      how = fmt::format("exited with code {}{}", code,
                        segment_.live(rank) != 0 ? " without leaving the job" : "");
    }
    const char* then = !others            ? ""
                       : options_.survive ? "; the other ranks go on"
                                          : "; ending the other ranks";
    say("rank {} (pid {}) {}{}", rank, ranks_[static_cast<std::size_t>(rank)].pid, how, then);
  }
  if (!code_) code_ = code > 0 && code < 256 ? code : 1;
  if (abort || !options_.survive) end_others(SIGTERM, failure_grace_ns);
}

}  // namespace launcher
