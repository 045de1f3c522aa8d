// SPDX-License-Identifier: BSL-1.0
#pragma once
// A running job: starts the ranks, carries their output, passes signals on, ends everything when a
// rank fails. One thread, asleep in poll unless there is something to do.

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <mpx/bootstrap/detail/job_segment.hpp>

#include "options.hpp"
#include "output.hpp"
#include "processes.hpp"
#include "spawn.hpp"

namespace launcher {

using mpx::bootstrap::job_segment;
using mpx::bootstrap::memory_file;
using mpx::platform::now_ns;

inline constexpr std::int64_t failure_grace_ns = 500'000'000;   // SIGTERM to SIGKILL
inline constexpr std::int64_t signal_grace_ns = 1'000'000'000;  // a passed-on signal to SIGKILL
inline constexpr std::int64_t give_up_ns = 5'000'000'000;       // SIGKILL to leaving without them

/// Ends mpxrun before any rank runs.
struct cannot_start {
  int code;
  std::string why;
};

class job {
 public:
  explicit job(options chosen);
  job(const job&) = delete;
  job& operator=(const job&) = delete;

  /// Runs the job to its end. Throws cannot_start.
  int run();

  /// The signal that ended the job, by which mpxrun has to die; 0 when none did.
  int death_signal() const noexcept { return death_signal_; }

 private:
  struct rank_process {
    pid_t pid = 0;
    bool running = false;
    source streams[2];
  };

  void take_signals();
  void raise_file_limit();
  void start_ranks();
  void start_rank(int rank, environment_block& environment, int nothing);
  descriptor make_pipe(int rank, descriptor& write_end);

  void wait_for_news(int timeout_ms);
  int next_timeout_ms() const;
  void read_streams(int which);
  void drain(rank_process& it);
  void show_silent_lines();
  void check_sinks();
  void finish_output();

  void handle_signals();
  void terminate(int signal, bool pass_on);
  void signal_ranks(int signal);
  void reap();
  void on_exit(int rank, int status);
  void on_failure(int rank, int status);
  void end_others(int signal, std::int64_t grace_ns);
  void check_deadline();
  template <class... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) {
    errors().append(this, "mpxrun: " + fmt::format(text, std::forward<Args>(args)...) + "\n");
  }

  sink& errors() noexcept { return same_output_ ? outputs_[0] : outputs_[1]; }

  options options_;
  memory_file control_{"mpx-job"};
  memory_file shared_{"mpx-shared"};
  mpx::mapping map_;
  job_segment segment_;

  sink outputs_[2] = {sink(1), sink(2)};
  bool same_output_ = false;
  descriptor polls_[2];  // epoll sets: the ranks' outputs, the ranks' errors
  descriptor signals_;
  sigset_t taken_{}, original_mask_{};
  rlimit original_files_{};
  std::vector<rank_process> ranks_;
  std::vector<char> buffer_ = std::vector<char>(line_bytes_max);

  int running_ = 0;
  bool ending_ = false;
  bool killed_ = false;
  bool gave_up_ = false;
  std::int64_t deadline_ns_ = 0;  // 0: none
  std::optional<int> code_;       // of the first failure
  int death_signal_ = 0;
};

}  // namespace launcher
