// SPDX-License-Identifier: BSL-1.0
// Processes of ranks, their ends, and the processes that they leave behind.

#include <mpx/bootstrap/mpxrun.hpp>

#include "job.hpp"

namespace launcher {

namespace {

bool well(int status) noexcept { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

int code_of(int status) noexcept {
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

std::string describe_failure(int status, bool inside) {
  const std::string how = mpx::bootstrap::describe_wait_status(status);
  if (WIFSIGNALED(status)) return text("was ", how, WCOREDUMP(status) ? ", core dumped" : "");
  return text(
      how, inside ? " without leaving the job" : "",
      inside && well(status)
          ? ": return from main, with the environment a local variable there: exit(), or one "
            "that is never deleted, skips its destructor"
          : "");
}

}  // namespace

// --- joining ---

void job::read_news() {
  epoll_event events[64];
  int count = 0;
  do {
    count = ::epoll_wait(news_.get(), events, 64, 0);
    for (int i = 0; i < count; ++i) {
      const int rank = static_cast<int>(events[i].data.u32);
      auto& it = ranks_[static_cast<std::size_t>(rank)];
      hear(rank);
      look_at_member(rank);
      if (it.late_due_ns != 0 && !it.lifeline) conclude(rank, it.pid, it.status);
    }
  } while (count == 64);
}

void job::hear(int rank) {
  auto& it = ranks_[static_cast<std::size_t>(rank)];
  while (it.lifeline) {
    mpx::bootstrap::joined_notice notice{-1, 0, 0};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
    iovec data{&notice, sizeof notice};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t bytes = ::recvmsg(it.lifeline.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0 && errno == EAGAIN) return;
    if (bytes <= 0) {
      it.lifeline.reset();
      return;
    }
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (bytes != sizeof notice || notice.rank != rank || header == nullptr ||
        header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_CREDENTIALS)
      continue;
    ucred who{};
    std::memcpy(&who, CMSG_DATA(header), sizeof who);
    if (notice.leaves != 0) {
      on_leaving(rank, notice.leaves - 1);
      continue;
    }
    if (who.pid > 1) welcome(rank, who.pid, notice.pid);
    // A wrapper may have asked for hang reports, or the program; a rank says so once it has joined.
    if (look_due_ns_ == INT64_MAX) look_due_ns_ = now_ns() + said_ns;
  }
}

void job::welcome(int rank, pid_t pid, pid_t own_pid) {
  auto& it = ranks_[static_cast<std::size_t>(rank)];
  it.late_due_ns = 0;
  if (pid == it.pid) {
    it.joined_itself = true;
    return;
  }
  if (pid == it.member) return;  // another environment of it
  it.member_watch = descriptor(pidfd_of(pid));
  if (!it.member_watch && errno != ESRCH) return;  // Linux before 5.3: the wrapper will tell
  it.member = pid;
  rank_of_[pid] = rank;
  it.member_own_pid = own_pid;
  if (it.member_watch) watch(news_, it.member_watch.get(), rank);
  // It may have ended since, and its pid belong to another.
  if (!it.member_watch || !descends_from_here(pid)) on_member_end(rank, {});
}

void job::look_at_member(int rank) {
  const auto& it = ranks_[static_cast<std::size_t>(rank)];
  pollfd death{it.member_watch.get(), POLLIN, 0};
  if (it.member != 0 && ::poll(&death, 1, 0) > 0) on_member_end(rank, {});
}

// --- ends ---

void job::reap() {
  for (;;) {
    siginfo_t next{};
    if (::waitid(P_ALL, 0, &next, WEXITED | WNOHANG | WNOWAIT) != 0 || next.si_pid == 0) return;
    const pid_t pid = next.si_pid;
    if (!rank_of_.contains(pid)) read_news();  // it may have joined before it ended
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) != pid) continue;
    last_end_ns_ = now_ns();
    const auto known = rank_of_.find(pid);
    if (known == rank_of_.end()) continue;
    const int rank = known->second;
    rank_of_.erase(known);
    const auto& it = ranks_[static_cast<std::size_t>(rank)];
    if (it.running && it.pid == pid) {
      on_exit(rank, status);
    } else if (it.member == pid) {
      on_member_end(rank, status);
    }
  }
}

/// The process started for a rank has ended.
void job::on_exit(int rank, int status) {
  auto& it = ranks_[static_cast<std::size_t>(rank)];
  hear(rank);  // a process that joined just now
  look_at_member(rank);
  it.running = false;
  it.status = status;
  drain(it);
  if (it.lost != 0) report_lost(rank, well(status) ? wait_status_unknown : status);
  if (it.member != 0) {
    // The rank lives on, below us. If its wrapper failed, so did it.
    if (well(status) || ending_ || it.reported) return;
    segment_.mark_ended(rank, status);
    it.reported = true;
    signal_by_pidfd(it.member_watch.get(), SIGKILL);
    on_failure(rank, it.pid, status);
    return;
  }
  if (well(status) && may_go_on(it)) {
    it.late_due_ns = due_in(late_ns);
    return;
  }
  conclude(rank, it.pid, status);
}

/// True if a process may still join as a rank although the one started for it has ended, or has
/// joined and not reported yet.
bool job::may_go_on(const rank_process& it) const {
  return !ending_ && !it.reported && !it.joined_itself && it.lifeline;
}

/// The member of a rank, not itself what was started, has ended; how, if that is known.
void job::on_member_end(int rank, std::optional<int> status) {
  auto& it = ranks_[static_cast<std::size_t>(rank)];
  const pid_t pid = std::exchange(it.member, 0);
  if (!status) {
    int own = 0;  // an orphan that is our child now
    if (::waitpid(pid, &own, WNOHANG) == pid) {
      status = own;
    } else {
      status = wait_status_of(pid, it.member_watch.get());
    }
  }
  it.member_watch.reset();
  drain(it);
  // Another may have joined after it, and not reported yet.
  const bool inside =
      segment_.live(rank) != 0 && segment_.pid(rank) == it.member_own_pid && !gave_up(rank);
  const int how = status.value_or(inside ? wait_status_unknown : 0);
  if (it.running) {
    if (!inside || it.reported) return;  // another process may join under this wrapper, or none
    segment_.mark_ended(rank, how);
    it.lost = pid;
    it.lost_due_ns = due_in(told_ns);
    if (status) report_lost(rank, how);
    return;
  }
  hear(rank);
  if (it.member != 0) return;
  if (!inside && well(how) && may_go_on(it)) {
    it.late_due_ns = due_in(late_ns);
  } else {
    conclude(rank, pid, how);
  }
}

void job::report_lost(int rank, int status) {
  auto& it = ranks_[static_cast<std::size_t>(rank)];
  const pid_t pid = std::exchange(it.lost, 0);
  it.reported = true;
  segment_.mark_ended(rank, status);
  if (!ending_) on_failure(rank, pid, status);
}

/// No process is this rank any more; `pid` was the last.
void job::conclude(int rank, pid_t pid, int status) {
  auto& it = ranks_[static_cast<std::size_t>(rank)];
  it.over = true;
  it.late_due_ns = 0;
  it.lifeline.reset();
  --running_;
  drain(it);
  if (!it.reported) judge(rank, pid, status);
  if (consequence_.cause == rank) report_consequence();
}

/// Finds out if a rank that has ended did so in good order.
void job::judge(int rank, pid_t pid, int status) {
  const bool inside = segment_.live(rank) != 0 && !gave_up(rank);
  const bool left = segment_.joins(rank) != 0 && !inside;
  segment_.mark_ended(rank, status);
  if (ranks_[static_cast<std::size_t>(rank)].spared && !killed_)
    return judge_leaver(rank, pid, status);
  if (ending_ || (well(status) && !inside)) return;
  if (left && !segment_.aborted()) {
    say("rank ", rank, " (pid ", pid, ") left the job and then ", describe_failure(status, false));
    if (!code_) code_ = code_of(status);
    return;
  }
  on_failure(rank, pid, status);
}

/// A rank that left early has ended: what it says of that is what the job ends with.
void job::judge_leaver(int rank, pid_t pid, int status) {
  const int code = code_of(status);
  say("rank ", rank, " (pid ", pid, ") ", WIFSIGNALED(status) ? "was " : "",
      mpx::bootstrap::describe_wait_status(status),
      code == 0 ? text("; the job ends with code ", stranded_code_) : std::string());
  if (code != 0 && !code_) code_ = code;
}

/// True if a rank has closed all its environments, some of them without the others because a rank
/// was lost before. That rank need not have ended yet; then the others cannot be waited for.
bool job::gave_up(int rank) const {
  if (!options_.survive) return false;
  const std::uint64_t joins = segment_.joins(rank);
  const std::uint64_t slots = mpx::bootstrap::environments_live_max;
  for (std::uint64_t k = joins > slots ? joins - slots : 0; k < joins; ++k) {
    const auto now = segment_.state(rank, k);
    const bool first = segment_.first_lost(k) == rank;
    if (now == mpx::rank_state::joined || (now == mpx::rank_state::failed && first)) return false;
  }
  return true;
}

/// The rank that failed first in an environment which `rank` has not left in good order, if it is
/// another one and has not ended yet; otherwise -1.
int job::cause_of(int rank) const {
  const std::uint64_t joins = segment_.joins(rank);
  const std::uint64_t slots = mpx::bootstrap::environments_live_max;
  for (std::uint64_t k = joins > slots ? joins - slots : 0; k < joins; ++k) {
    const int first = segment_.first_lost(k);
    if (first < 0 || first == rank || segment_.state(rank, k) == mpx::rank_state::finished)
      continue;
    if (!ranks_[static_cast<std::size_t>(first)].over) return first;
  }
  return -1;
}

/// A rank that fails by an exception notifies the other ranks before it can print its message:
/// their reaction must not end it before that message is out.
void job::on_failure(int rank, pid_t pid, int status) {
  if (segment_.aborted() || options_.survive) return report(rank, pid, status);
  const int cause = cause_of(rank);
  if (cause < 0 || ranks_[static_cast<std::size_t>(cause)].reported)
    return report(rank, pid, status);
  if (consequence_.cause < 0) consequence_ = {rank, cause, pid, status, due_in(cause_ns)};
}

/// Reports what has waited for its cause, which is not going to tell.
void job::report_consequence() {
  const auto it = std::exchange(consequence_, {});
  if (it.cause >= 0 && !ending_) report(it.rank, it.pid, it.status);
}

void job::report(int rank, pid_t pid, int status) {
  int code = code_of(status);
  const bool others = running_ > (ranks_[static_cast<std::size_t>(rank)].over ? 0 : 1);
  const auto abort = segment_.aborted();
  if (abort) {
    code = abort->code;
    say("rank ", abort->rank, " (pid ", abort->rank >= 0 ? segment_.pid(abort->rank) : 0,
        ") aborted the job with code ", code, abort->reason.empty() ? "" : ": ", abort->reason);
  } else {
    const char* then = !others            ? ""
                       : options_.survive ? "; the other ranks go on"
                                          : "; ending the other ranks";
    say("rank ", rank, " (pid ", pid, ") ", describe_failure(status, segment_.live(rank) != 0),
        then);
  }
  if (!code_) code_ = code > 0 && code < 256 ? code : 1;
  if (abort || !options_.survive) end_others(SIGTERM, failure_grace_ns);
}

void job::check_dues() {
  const std::int64_t now = now_ns();
  if (due_ns_ == INT64_MAX || (now < due_ns_ && !ending_)) return;
  due_ns_ = INT64_MAX;
  if (consequence_.cause >= 0) {
    if (ending_ || consequence_.due_ns <= now) {
      report_consequence();
    } else {
      due_ns_ = consequence_.due_ns;
    }
  }
  for (int rank = 0; rank < options_.ranks; ++rank) {
    auto& it = ranks_[static_cast<std::size_t>(rank)];
    if (it.lost != 0 && it.lost_due_ns <= now) report_lost(rank, wait_status_unknown);
    if (it.late_due_ns != 0 && (ending_ || it.late_due_ns <= now))
      conclude(rank, it.pid, it.status);
    if (it.lost != 0) due_ns_ = std::min(due_ns_, it.lost_due_ns);
    if (it.late_due_ns != 0) due_ns_ = std::min(due_ns_, it.late_due_ns);
  }
}

/// A moment from now at which something is due.
std::int64_t job::due_in(std::int64_t ns) {
  const std::int64_t at_ns = now_ns() + ns;
  due_ns_ = std::min(due_ns_, at_ns);
  return at_ns;
}

// --- what ranks left behind ---

bool job::over() const noexcept { return leaving_ || (running_ == 0 && childless()); }

void job::tidy_up() {
  if (leaving_) return;
  if (killed_) {
    sweep();
  } else if (running_ == 0 && !childless()) {
    if (ending_ && !tidying_) {
      end_others(SIGKILL, give_up_ns);
    } else if (!std::exchange(tidying_, true)) {
      deadline_ns_ = last_end_ns_ + leftover_ns;
    }
  }
}

/// Kills what has been forked since we last looked.
void job::sweep() {
  if (now_ns() - swept_ns_ < sweep_ns) return;
  signal_below(SIGKILL);
  swept_ns_ = now_ns();
}

void job::end_leftovers() {
  const auto ended = signal_below(SIGTERM);
  for (const auto& it : ended) signal_exactly(it, SIGCONT);
  std::string names;
  for (std::size_t i = 0; i < ended.size() && i < 3; ++i)
    names += text(i == 0 ? "" : ", ", mpx::detail::printable(ended[i].name), " (pid ", ended[i].pid,
                  ")");
  if (ended.size() > 3) names += text(" and ", ended.size() - 3, " more");
  if (!ended.empty()) say("the ranks have ended; ending what they left behind: ", names);
  ending_ = true;
  deadline_ns_ = now_ns() + failure_grace_ns;
}

}  // namespace launcher
