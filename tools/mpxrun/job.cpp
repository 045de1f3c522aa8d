// SPDX-License-Identifier: BSL-1.0
// Course and end of a job: output, signals, deaths.

#include "job.hpp"

namespace launcher {

int job::run() {
  try {
    start_ranks();
    while (!over()) {
      wait_for_news(next_timeout_ms());
      handle_signals();
      reap();
      read_news();
      show_silent_lines();
      check_sinks();
      check_dues();
      look_for_hangs();
      check_timeout();
      check_leavers();
      check_deadline();
      tidy_up();
    }
  } catch (...) {
    end_everything(give_up_ns);
    throw;
  }
  if (!front_gone_) finish_output();
  return code_.value_or(stranded_code_);
}

// --- output ---

void job::wait_for_news(int timeout_ms) {
  // A slow reader of ours makes the ranks wait: what is full is not read from.
  pollfd set[7] = {};
  set[0] = {signals_.get(), POLLIN, 0};
  for (int which = 0; which < 2; ++which) {
    const sink& to = which == 0 ? outputs_[0] : errors();
    set[1 + which] = {to.full() ? -1 : polls_[which].get(), POLLIN, 0};
    set[3 + which] = {outputs_[which].waiting() ? outputs_[which].fd() : -1, POLLOUT, 0};
  }
  set[5] = {news_.get(), POLLIN, 0};
  set[6] = {front_.pipe.get(), POLLIN, 0};
  if (::poll(set, 7, timeout_ms) <= 0) return;
  for (int which = 0; which < 2; ++which)
    if (set[1 + which].revents != 0) read_streams(which);
  for (auto& output : outputs_) output.flush();
  if (set[6].revents != 0) on_front_gone();
}

int job::next_timeout_ms() const {
  std::int64_t due_ns = std::min(due_ns_, look_due_ns_);
  if (!ending_ && running_ > 0)
    due_ns =
        std::min({due_ns, leavers_due_ns_, asked_for_timeout_ ? timeout_due_ns_ : ask_due_ns()});
  if (deadline_ns_ != 0) due_ns = std::min(due_ns, deadline_ns_);
  for (const auto& it : ranks_)
    for (const auto& stream : it.streams)
      if (stream.pending()) due_ns = std::min(due_ns, stream.due_ns());
  if (due_ns == INT64_MAX) return -1;
  // A process that forks while it is being killed leaves a child, which has to be killed, too.
  const std::int64_t most_ms = killed_ ? 20 : 60'000;
  return static_cast<int>(
      std::clamp<std::int64_t>((due_ns - now_ns()) / 1'000'000 + 1, 0, most_ms));
}

void job::read_streams(int which) {
  epoll_event events[64];
  const int count = ::epoll_wait(polls_[which].get(), events, 64, 0);
  const std::int64_t now = now_ns();
  for (int i = 0; i < count; ++i)
    ranks_[events[i].data.u32].streams[which].read(buffer_.data(), buffer_.size(), now);
  flush_files();
}

void job::drain(rank_process& it) {
  // A process has left in the pipe at most what the pipe holds.
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
  flush_files();
}

void job::flush_files() noexcept {
  for (auto& file : files_) file.flush();
}

void job::check_sinks() {
  if (ending_) return;
  for (auto& output : outputs_) {
    if (output.failure() == 0) continue;
    if (output.failure() == EPIPE) {
      terminate(SIGPIPE, false);
    } else {
      on_unwritable(output.fd() == 1 ? "standard output" : "standard error", output.failure());
      end_others(SIGTERM, failure_grace_ns);
    }
  }
  for (auto& file : files_) {
    if (file.failure() == 0 || ending_) continue;
    on_unwritable(file.path(), file.failure());
    end_others(SIGTERM, failure_grace_ns);
  }
}

void job::on_unwritable(const std::string& what, int failure) {
  say("writing ", what, " failed: ", std::system_category().message(failure));
  if (!code_) code_ = 1;
}

/// Output that is lost only now is an error, too.
void job::close_files() {
  const bool known = ending_;
  for (auto& file : files_) {
    file.flush();
    int failure = file.failure();
    if (const int late = file.close(); failure == 0) failure = late;
    if (failure != 0 && !known) on_unwritable(file.path(), failure);
  }
}

void job::finish_output() {
  for (auto& it : ranks_) drain(it);
  close_files();
  for (auto& output : outputs_) output.flush();
  while (outputs_[0].waiting() || outputs_[1].waiting()) {
    pollfd set[4] = {{signals_.get(), POLLIN, 0},
                     {-1, POLLOUT, 0},
                     {-1, POLLOUT, 0},
                     {front_.pipe.get(), POLLIN, 0}};
    for (int which = 0; which < 2; ++which)
      if (outputs_[which].waiting()) set[1 + which].fd = outputs_[which].fd();
    ::poll(set, 4, -1);
    if (set[3].revents != 0) return;
    ending_ = true;  // from here on the first signal is the last
    handle_signals();
    if (impatient_) return;
    for (auto& output : outputs_) output.flush();
  }
}

// --- hangs ---

/// Prints the awaited operations of the ranks when none can continue, if that is asked for.
void job::look_for_hangs() {
  const std::int64_t now = now_ns();
  if (now < look_due_ns_) return;
  look_due_ns_ = INT64_MAX;
  if (!monitor_ || ending_ || running_ == 0) return;
  if (monitor_->limit_ns() == unreported_ns_) return;  // 0 both, or it is for the timeout alone
  try {
    errors().append(&monitor_, monitor_->look(now));
  } catch (const mpx::error&) {  // No memory for it: later, perhaps.
  }
  for (auto& output : outputs_) output.flush();
  look_due_ns_ = now + monitor_->pace_ns();
}

/// When the ranks are asked what they wait for, so that they have answered when time is up.
std::int64_t job::ask_due_ns() const noexcept {
  if (timeout_due_ns_ == INT64_MAX) return INT64_MAX;
  return timeout_due_ns_ - std::min(answer_ns, options_.timeout_ns / 2);
}

/// Ends a job whose time is up.
void job::check_timeout() {
  const std::int64_t now = now_ns();
  if (!monitor_ || ending_ || running_ == 0 || now < ask_due_ns()) return;
  if (!std::exchange(asked_for_timeout_, true)) monitor_->ask();
  if (now < timeout_due_ns_) return;
  timeout_due_ns_ = INT64_MAX;
  say("the job has not ended within ", options_.timeout, " s (--timeout): ending it");
  try {
    errors().append(&monitor_, monitor_->look_at_all(now));
  } catch (const mpx::error&) {  // No memory for it.
  }
  if (!code_) code_ = timeout_code;
  end_others(SIGTERM, failure_grace_ns);
}

// --- who leaves early ---

/// A rank waits in the destructor of its environment. Mostly the others are about to come.
void job::on_leaving(int rank, std::uint64_t environment) {
  if (options_.leave_timeout_ns == 0) return;
  leavers_.push_back({rank, environment});
  if (leavers_due_ns_ == INT64_MAX) leavers_due_ns_ = now_ns();
}

/// Asks now and then, as long as a rank leaves, what all are waiting for. Ends the job if some wait
/// for ever for one that leaves, by two answers.
void job::check_leavers() {
  const std::int64_t now = now_ns();
  if (!monitor_ || now < leavers_due_ns_ || ending_ || asked_for_timeout_) return;
  std::erase_if(leavers_, [this](const leaver& it) {
    return segment_.state(it.rank, it.environment) != mpx::rank_state::joined;
  });
  if (leavers_.empty()) {
    leavers_due_ns_ = INT64_MAX;
    question_.reset();
    stranded_ = {};
    return;
  }
  if (!question_) {
    question_ = monitor_->ask();
    leavers_due_ns_ = now + answer_ns;
    return;
  }
  leavers_due_ns_ = now + round_ns();
  mpx::detail::hang_stranded found = find_stranded(now);
  const bool again = found.waits >= 0 && found.is_of(stranded_);
  stranded_ = std::move(found);
  if (again) return end_stranded(stranded_);
  question_.reset();
}

mpx::detail::hang_stranded job::find_stranded(std::int64_t now) {
  if (!monitor_ || !question_) return {};
  try {
    for (std::size_t i = 0; i < leavers_.size(); ++i) {
      const auto k = leavers_[i].environment;
      if (std::any_of(leavers_.begin(), leavers_.begin() + static_cast<std::ptrdiff_t>(i),
                      [k](const leaver& it) { return it.environment == k; }))
        continue;
      auto found = monitor_->look_at_leaving(now, k, *question_, options_.leave_timeout_ns);
      if (found.waits >= 0) return found;
    }
  } catch (const mpx::error&) {  // No memory for it: later, perhaps.
  }
  return {};
}

/// Releases ranks that leave, so that their exit codes tell the reason.
void job::end_stranded(const mpx::detail::hang_stranded& found) {
  say("rank ", found.leaves, " leaves the job, and rank ", found.waits, " has waited for it for ",
      options_.leave_timeout, " s (--leave-timeout): ending the job");
  errors().append(&monitor_, found.report);
  for (const leaver& it : leavers_)
    if (monitor_ && monitor_->is_leaving(it.rank, it.environment))
      ranks_[static_cast<std::size_t>(it.rank)].spared = true;
  stranded_code_ = 1;
  end_others(SIGTERM, leaver_grace_ns);
  for (int rank = 0; rank < options_.ranks; ++rank)
    if (!ranks_[static_cast<std::size_t>(rank)].spared) segment_.mark_ended(rank, SIGTERM);
}

// --- signals ---

void job::handle_signals() {
  signalfd_siginfo news{};
  while (::read(signals_.get(), &news, sizeof news) == static_cast<ssize_t>(sizeof news)) {
    const int signal = static_cast<int>(news.ssi_signo);
    if (signal != SIGCHLD) read_news();  // It is for all ranks that had joined when it was sent.
    // The terminal sent it to the ranks as well: they are in our process group.
    const bool from_terminal = news.ssi_code == SI_KERNEL;
    if (signal != SIGCHLD && is_echo(news)) continue;
    switch (signal) {
      case SIGCHLD: break;
      case SIGINT:
      case SIGTERM:
      case SIGQUIT: terminate(signal, from_terminal); break;
      case SIGHUP: terminate(signal, false); break;
      default:
        // In a session of its own, a rank would ignore SIGTSTP.
        signal_ranks(from_terminal && signal == SIGTSTP ? SIGSTOP : signal, from_terminal);
        if (signal == SIGTSTP) ::raise(SIGSTOP);
    }
  }
}

/// A signal to the whole process group reaches us twice, the second time through the front.
bool job::is_echo(const signalfd_siginfo& news) {
  auto& last = last_signals_[std::min<std::uint32_t>(news.ssi_signo, SIGSYS)];
  const bool from_front = static_cast<pid_t>(news.ssi_pid) == front_.pid;
  const std::int64_t now = now_ns();
  if (!last.echoed && now - last.ns < echo_ns && from_front != last.from_front)
    return last.echoed = true;
  last = {now, from_front, false};
  return false;
}

void job::terminate(int signal, bool from_terminal) {
  if (death_signal_ == 0) death_signal_ = signal;
  if (asked_ns_ != 0 && now_ns() - asked_ns_ < impatience_ns) return;  // no second thought
  if (asked_ns_ == 0) asked_ns_ = now_ns();
  if (ending_ || tidying_) {
    impatient_ = true;
    end_others(SIGKILL, give_up_ns);
  } else {
    if (signal == SIGINT) hint_at_hangs();
    end_others(signal, signal_grace_ns, from_terminal);
  }
}

/// The user may interrupt a job because it hangs.
void job::hint_at_hangs() {
  if (!monitor_ || (monitor_->limit_ns() != 0 && monitor_->limit_ns() != unreported_ns_)) return;
  bool joined = false;
  for (int rank = 0; rank < options_.ranks; ++rank) joined = joined || segment_.live(rank) != 0;
  if (joined) say("interrupted; --hang-report 10 tells what ranks wait for, and where");
}

void job::signal_ranks(int signal, bool from_terminal) {
  const auto missed = [from_terminal](pid_t pid) {
    return !from_terminal || ::getpgid(pid) != ::getpgrp();
  };
  for (const auto& it : ranks_) {
    if (it.spared) continue;
    if (it.running && missed(it.pid)) ::kill(it.pid, signal);
    if (it.member != 0 && missed(it.member)) signal_by_pidfd(it.member_watch.get(), signal);
  }
}

void job::end_others(int signal, std::int64_t grace_ns, bool from_terminal) {
  ending_ = true;
  deadline_ns_ = now_ns() + grace_ns;
  if (signal == SIGKILL) {
    killed_ = true;
    sweep();
    return;
  }
  signal_ranks(signal, from_terminal);
  signal_ranks(SIGCONT, false);  // a stopped rank has to see it
}

void job::check_deadline() {
  if (deadline_ns_ == 0 || now_ns() < deadline_ns_) return;
  if (tidying_ && !ending_) {
    end_leftovers();
  } else if (!killed_) {
    end_others(SIGKILL, give_up_ns);
  } else {
    if (running_ > 0) {
      say(running_, " ranks do not end even after SIGKILL: leaving them");
    } else {
      say("what ranks left behind does not end even after SIGKILL: leaving it");
    }
    leaving_ = true;
  }
}

void job::on_front_gone() {
  front_gone_ = leaving_ = true;  // no process is left to notify
  end_everything(give_up_ns);
}

}  // namespace launcher
