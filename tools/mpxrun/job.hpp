// SPDX-License-Identifier: BSL-1.0
#pragma once
// A running job: starts the ranks, carries their output, passes signals on, ends everything when a
// rank fails, and at the end what ranks left behind. Run by the keeper (front.hpp). One thread,
// asleep in poll unless there is something to do.

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <mpx/bootstrap/detail/job_segment.hpp>
#include <mpx/watch/hang_monitor.hpp>

#include "front.hpp"
#include "options.hpp"
#include "output.hpp"
#include "placement.hpp"
#include "processes.hpp"
#include "spawn.hpp"
#include "text.hpp"

namespace launcher {

using mpx::bootstrap::job_segment;
using mpx::bootstrap::memory_file;
using mpx::bootstrap::wait_status_unknown;
using mpx::platform::now_ns;

inline constexpr std::int64_t failure_grace_ns = 500'000'000;   // SIGTERM to SIGKILL
inline constexpr std::int64_t signal_grace_ns = 1'000'000'000;  // a passed-on signal to SIGKILL
inline constexpr std::int64_t give_up_ns = 5'000'000'000;       // SIGKILL to leaving without them
inline constexpr std::int64_t echo_ns = 1'000'000'000;          // for a signal's second way to us
inline constexpr std::int64_t impatience_ns = 50'000'000;   // before a second signal is meant so
inline constexpr std::int64_t late_ns = 3'000'000'000;      // to join after what was started
inline constexpr std::int64_t leftover_ns = 1'000'000'000;  // to end after the ranks
inline constexpr std::int64_t told_ns = 100'000'000;        // a wrapper, to say how it ended
inline constexpr std::int64_t said_ns = 1'000'000'000;      // a rank, how long it wants to wait
inline constexpr std::int64_t sweep_ns = 20'000'000;        // between two looks at /proc
inline constexpr std::int64_t cause_ns = 1'000'000'000;     // a rank that failed, to say why
inline constexpr std::int64_t answer_ns = 300'000'000;      // ranks, to say what they wait for
inline constexpr std::int64_t leaver_grace_ns = 2'000'000'000;  // for leavers to end
inline constexpr std::int64_t round_ns_max = 5'000'000'000;     // between two looks at leavers
inline constexpr int timeout_code = 124;                        // as timeout(1) has it

/// Ends mpxrun before any rank runs.
struct cannot_start {
  int code;
  std::string why;
};

class job {
 public:
  job(options chosen, const signal_plan& signals, front_link front);
  job(const job&) = delete;
  job& operator=(const job&) = delete;

  /// Runs the job to its end. Throws cannot_start.
  int run();

  /// The signal that ended the job, by which mpxrun has to die; 0 when none did.
  int death_signal() const noexcept { return death_signal_; }

 private:
  /// A rank is the process that mpxrun started for it until a process joins the job in its name.
  /// Then it is that process, the *member*, which may be below a wrapper, and may outlive it.
  struct rank_process {
    pid_t pid = 0;         // what was started
    bool running = false;  // that
    bool over = false;     // no process is this rank any more
    bool reported = false;
    bool spared = false;           // it may end by itself: its exit code counts
    bool joined_itself = false;    // what was started is the member
    int status = 0;                // how it ended, once it has
    pid_t member = 0;              // a process below it, as long as that lives
    pid_t member_own_pid = 0;      // as it calls itself, in its own namespace
    descriptor member_watch;       // a pidfd of that
    descriptor lifeline;           // see make_lifeline
    std::int64_t late_due_ns = 0;  // until when a process may join though it has ended; 0: no
    pid_t lost = 0;                // a member that ended nobody knows how, not reported yet,
    std::int64_t lost_due_ns = 0;  // until then its wrapper may tell
    source streams[2];
  };

  void raise_file_limit();
  void open_files();
  void open_folders();
  void start_ranks();
  void start_rank(int rank, const program& its, environment_block& environment, int nothing);
  std::string why_not_started(const program& its, int failure) const;
  std::size_t number_of(const program& its) const noexcept {
    return static_cast<std::size_t>(&its - options_.programs.data());
  }
  const std::string& folder_of(const program& its) const noexcept {
    return its.working_folder.empty() ? options_.working_folder : its.working_folder;
  }
  file_sink& file_of(int rank, int which) noexcept {
    return files_[2 * static_cast<std::size_t>(rank) + static_cast<std::size_t>(which)];
  }
  void report_bindings();
  descriptor make_pipe(int rank, descriptor& write_end);
  descriptor make_lifeline(int rank);
  static void watch(const descriptor& set, int fd, int rank);

  void wait_for_news(int timeout_ms);
  int next_timeout_ms() const;
  void read_streams(int which);
  void drain(rank_process& it);
  void show_silent_lines();
  void check_sinks();
  void on_unwritable(const std::string& what, int failure);
  void flush_files() noexcept;
  void close_files();
  void finish_output();

  void handle_signals();
  void terminate(int signal, bool from_terminal);
  void hint_at_hangs();
  void signal_ranks(int signal, bool from_terminal);
  bool is_echo(const signalfd_siginfo& news);
  void end_others(int signal, std::int64_t grace_ns, bool from_terminal = false);
  void check_deadline();
  void on_front_gone();

  void reap();
  void read_news();
  void hear(int rank);
  void welcome(int rank, pid_t pid, pid_t own_pid);
  void look_at_member(int rank);
  void on_exit(int rank, int status);
  void on_member_end(int rank, std::optional<int> status);
  bool may_go_on(const rank_process& it) const;
  void conclude(int rank, pid_t pid, int status);
  void judge(int rank, pid_t pid, int status);
  void report_lost(int rank, int status);
  void on_failure(int rank, pid_t pid, int status);
  int cause_of(int rank) const;
  void report(int rank, pid_t pid, int status);
  void report_consequence();
  bool gave_up(int rank) const;
  void check_dues();
  std::int64_t due_in(std::int64_t ns);

  void look_for_hangs();
  std::int64_t ask_due_ns() const noexcept;
  void check_timeout();

  /// A rank that waits to leave an environment.
  struct leaver {
    int rank;
    std::uint64_t environment;
  };
  void on_leaving(int rank, std::uint64_t environment);
  void check_leavers();
  std::int64_t round_ns() const noexcept {
    return std::clamp<std::int64_t>(options_.leave_timeout_ns / 4, answer_ns, round_ns_max);
  }
  mpx::detail::hang_stranded find_stranded(std::int64_t now);
  void end_stranded(const mpx::detail::hang_stranded& found);
  void judge_leaver(int rank, pid_t pid, int status);

  bool over() const noexcept;
  void tidy_up();
  void sweep();
  void end_leftovers();
  template <class... Parts>
  void say(const Parts&... parts) {
    errors().append(this, text("mpxrun: ", parts..., "\n"));
  }

  sink& errors() noexcept { return same_output_ ? outputs_[0] : outputs_[1]; }

  options options_;
  const signal_plan& plan_;
  front_link front_;
  memory_file control_{"mpx-job"};
  memory_file shared_{"mpx-shared"};
  mpx::mapping map_;
  job_segment segment_;

  std::optional<mpx::detail::hang_monitor<>> monitor_;
  std::int64_t look_due_ns_ = INT64_MAX;
  std::int64_t unreported_ns_ = 0;  // ranks that wait so long say so for the timeout alone
  std::int64_t timeout_due_ns_ = INT64_MAX;
  bool asked_for_timeout_ = false;  // ranks know that it is near
  std::vector<leaver> leavers_;
  std::int64_t leavers_due_ns_ = INT64_MAX;  // when ranks are asked, or have answered
  std::optional<std::uint32_t> question_;    // that they have been asked
  mpx::detail::hang_stranded stranded_;      // by the last answers

  placement placement_;
  sink outputs_[2] = {sink(1), sink(2)};
  std::vector<file_sink> files_;     // with --output: two for each rank
  std::vector<descriptor> folders_;  // where each program's ranks run; none: where mpxrun does
  bool same_output_ = false;
  descriptor polls_[2];  // epoll sets: the ranks' outputs, the ranks' errors
  descriptor news_;      // an epoll set: liveness connections and members
  descriptor signals_;
  rlimit original_files_{};
  std::size_t spare_files_ = 0;  // descriptors that neither ranks nor this process need
  std::vector<rank_process> ranks_;
  std::unordered_map<pid_t, int> rank_of_;  // what was started, and members
  std::vector<char> buffer_ = std::vector<char>(line_bytes_max);

  int running_ = 0;       // ranks that are not over
  bool ending_ = false;   // nothing is reported any more
  bool killed_ = false;   // everything was sent SIGKILL
  bool leaving_ = false;  // though something is left
  bool tidying_ = false;  // the ranks are over, what they left behind is not
  bool front_gone_ = false;
  bool impatient_ = false;        // a second signal asked for the end
  std::int64_t asked_ns_ = 0;     // when a signal first asked for the end
  std::int64_t last_end_ns_ = 0;  // when a child last ended
  std::int64_t swept_ns_ = 0;
  struct {
    std::int64_t ns = 0;
    bool from_front = false;
    bool echoed = true;
  } last_signals_[SIGSYS + 1];
  std::int64_t deadline_ns_ = 0;     // 0: none
  std::int64_t due_ns_ = INT64_MAX;  // the first late_due_ns, lost_due_ns or due_ns below
  /// The first rank to end because another had failed, which has not ended yet.
  struct {
    int rank = -1;  // none
    int cause = -1;
    pid_t pid = 0;
    int status = 0;
    std::int64_t due_ns = 0;  // until then the cause may tell why
  } consequence_;
  std::optional<int> code_;  // of the first failure
  int stranded_code_ = 0;    // if no rank that left early has failed
  int death_signal_ = 0;
};

}  // namespace launcher
