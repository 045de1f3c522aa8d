// SPDX-License-Identifier: BSL-1.0
// How a job begins: signals, limits, memory, pipes, processes.

#include "job.hpp"

#include <cstdlib>
#include <string_view>

namespace launcher {

namespace {

/// How long the ranks will wait before that is reported, as far as it is known here; 0: for ever.
std::int64_t hang_limit_ns(const options& chosen) {
  static constexpr std::string_view name = "MPX_HANG_REPORT=";
  const char* text = std::getenv("MPX_HANG_REPORT");
  std::int64_t ns = 0;
  for (const auto& setting : chosen.settings) {
    if (!setting.starts_with(name)) continue;
    text = setting.c_str() + name.size();
    break;
  }
  if (text != nullptr) mpx::detail::parse_seconds(text, mpx::bootstrap::hang_seconds_max, ns);
  return ns;  // Ranks complain of what makes no sense.
}

}  // namespace

job::job(options chosen, const signal_plan& signals, front_link front)
    : options_(std::move(chosen)), plan_(signals), front_(std::move(front)) {
  raise_file_limit();
  map_ = job_segment::create(control_, shared_, options_.ranks, ::getpid());
  segment_ = job_segment(map_);
  segment_.hang_head().looked_at.store(1);
  lookout_.emplace(segment_, hang_limit_ns(options_));
  if (lookout_->limit_ns() != 0) look_due_ns_ = now_ns();
  if (::fcntl(control_.fd(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SEAL) != 0)
    throw cannot_start{1, "the control segment cannot be sealed"};
  struct stat out{}, err{};
  same_output_ = ::fstat(1, &out) == 0 && ::fstat(2, &err) == 0 && out.st_dev == err.st_dev &&
                 out.st_ino == err.st_ino;
  for (auto* set : {&polls_[0], &polls_[1], &news_})
    *set = descriptor(::epoll_create1(EPOLL_CLOEXEC));
  signals_ = descriptor(::signalfd(-1, &plan_.taken, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!polls_[0] || !polls_[1] || !news_ || !signals_)
    throw cannot_start{1, "out of file descriptors: raise `ulimit -n`"};
}

void job::raise_file_limit() {
  ::getrlimit(RLIMIT_NOFILE, &original_files_);
  rlimit files = original_files_;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  const rlim_t needed = 4 * static_cast<rlim_t>(options_.ranks) + 32;
  if (files.rlim_max < needed)
    throw cannot_start{1, fmt::format("{} ranks need {} file descriptors, the hard limit is {}: "
                                      "raise `ulimit -Hn`",
                                      options_.ranks, needed, files.rlim_max)};
}

void job::start_ranks() {
  environment_block environment(options_.settings, control_.fd(), shared_.fd(), options_.ranks);
  const descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing) throw cannot_start{1, "/dev/null cannot be opened"};
  ranks_.resize(static_cast<std::size_t>(options_.ranks));
  for (int rank = 0; rank < options_.ranks; ++rank) {
    start_rank(rank, environment, nothing.get());
    ++running_;
  }
}

void job::start_rank(int rank, environment_block& environment, int nothing) {
  auto& it = ranks_[static_cast<std::size_t>(rank)];
  descriptor write_ends[2];
  for (int which = 0; which < 2; ++which) {
    sink& to = which == 0 ? outputs_[0] : errors();
    it.streams[which] = source(make_pipe(rank, write_ends[which]), to,
                               options_.label ? fmt::format("[{}] ", rank) : std::string());
    watch(polls_[which], it.streams[which].fd(), rank);
  }
  const descriptor its_lifeline = make_lifeline(rank);
  const child_plan plan{.command = options_.command.data(),
                        .environment = environment.of_rank(rank, its_lifeline.get()),
                        .input = rank == 0 ? 0 : nothing,
                        .output = write_ends[0].get(),
                        .errors = write_ends[1].get(),
                        .kept = {control_.fd(), shared_.fd(), its_lifeline.get()},
                        .parent = ::getpid(),
                        .mask = &plan_.original_mask,
                        .file_size = &plan_.original_file_size,
                        .files = &original_files_};
  int failure = 0;
  it.pid = start(plan, failure);
  it.running = it.pid > 0;
  if (it.running) {
    rank_of_[it.pid] = rank;
    return;
  }
  const std::string program = options_.command[0];
  const std::string text = std::system_category().message(failure);
  if (it.pid < 0)
    throw cannot_start{1, fmt::format("rank {} cannot be started (fork: {}): raise `ulimit -u` or "
                                      "ask for fewer ranks",
                                      rank, text)};
  if (failure == ENOENT)
    throw cannot_start{127, fmt::format("'{}': no such program{}", program,
                                        program.find('/') == std::string::npos
                                            ? " in PATH; for one in this folder write ./" + program
                                            : " (or its interpreter is missing)")};
  throw cannot_start{126, fmt::format("'{}' cannot be executed: {}", program, text)};
}

descriptor job::make_pipe(int rank, descriptor& write_end) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw cannot_start{1, fmt::format("no pipe for rank {} ({}): raise `ulimit -n`", rank,
                                      std::system_category().message(errno))};
  write_end = descriptor(ends[1]);
  // Our end only: to the rank the pipe is an ordinary one.
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return descriptor(ends[0]);
}

/// Inherited by the rank and what it starts before it joins. Whoever joins says so here, and the
/// kernel tells us who that is, in our numbers; at its end nobody is left who could join.
descriptor job::make_lifeline(int rank) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw cannot_start{1, fmt::format("no socket for rank {} ({}): raise `ulimit -n`", rank,
                                      std::system_category().message(errno))};
  auto& it = ranks_[static_cast<std::size_t>(rank)];
  it.lifeline = descriptor(ends[0]);
  const int yes = 1;
  const timeval patience{1, 0};
  ::setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes);
  ::setsockopt(ends[1], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  watch(news_, ends[0], rank);
  return descriptor(ends[1]);
}

void job::watch(const descriptor& set, int fd, int rank) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u32 = static_cast<std::uint32_t>(rank);
  ::epoll_ctl(set.get(), EPOLL_CTL_ADD, fd, &event);
}

}  // namespace launcher
