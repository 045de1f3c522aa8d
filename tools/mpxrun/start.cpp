// SPDX-License-Identifier: BSL-1.0
// Start of a job: signals, limits, memory, pipes, processes.

#include "job.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "variables.hpp"

namespace launcher {

namespace {

constexpr std::string_view hang_name = "MPX_HANG_REPORT=";

/// Time after which waiting ranks are reported, as far as it is known here; 0: never.
std::int64_t hang_limit_ns(const options& chosen) {
  const char* value = std::getenv("MPX_HANG_REPORT");
  std::int64_t ns = 0;
  for (const auto& setting : chosen.settings)
    if (setting.starts_with(hang_name)) value = setting.c_str() + hang_name.size();
  if (value != nullptr) mpx::detail::parse_seconds(value, mpx::bootstrap::hang_seconds_max, ns);
  return ns;  // Ranks complain of what makes no sense.
}

/// Interpreter named by the first line of a script; "" if there is none.
std::string interpreter_of(const std::string& name) {
  std::ifstream file(name);
  std::string line;
  if (!std::getline(file, line) || !line.starts_with("#!")) return {};
  const std::size_t begin = line.find_first_not_of(" \t", 2);
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_first_of(" \t\r", begin) - begin);
}

/// Programs that are started alone are jobs of one rank each, and no error says so.
void warn_of_alone(const options& chosen) {
  const char* const own = std::getenv("MPX_BOOTSTRAP");
  std::string told = own != nullptr ? own : "";
  constexpr std::string_view name = "MPX_BOOTSTRAP=";
  for (const auto& setting : chosen.settings)
    if (setting.starts_with(name)) told = setting.substr(name.size());
  if (told == "alone" && chosen.ranks > 1)
    complain(text("MPX_BOOTSTRAP=alone: each of the ", chosen.ranks,
                  " processes is a job of its own; unset it for one job of all"));
}

std::string reason(int error) { return std::system_category().message(error); }

}  // namespace

job::job(options chosen, const signal_plan& signals, front_link front)
    : options_(std::move(chosen)), plan_(signals), front_(std::move(front)) {
  const std::int64_t start_ns = now_ns();
  if (options_.timeout_ns != 0) {
    timeout_due_ns_ = start_ns + options_.timeout_ns;
    if (hang_limit_ns(options_) == 0) {
      // So that there is something to report then, and nothing before.
      const std::int64_t ms = std::clamp<std::int64_t>(options_.timeout_ns / 4'000'000, 1, 999);
      unreported_ns_ = ms * 1'000'000;
      options_.settings.push_back(text(hang_name, "0.", text(1'000 + ms).substr(1)));
    }
  }
  raise_file_limit();
  open_files();
  open_folders();
  map_ = job_segment::create(control_, shared_, options_.ranks, ::getpid());
  segment_ = job_segment(map_);
  segment_.hang_head().looked_at.store(1);
  monitor_.emplace(segment_, hang_limit_ns(options_));
  if (monitor_->limit_ns() != 0) look_due_ns_ = now_ns();
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
  const rlim_t each = options_.output_folder.empty() ? 4 : 6;
  const rlim_t needed = each * static_cast<rlim_t>(options_.ranks) + 32;
  if (files.rlim_max < needed)
    throw cannot_start{
        1, text(options_.ranks, " ranks need ", needed, " file descriptors, the hard limit is ",
                files.rlim_max, ": raise `ulimit -Hn`")};
  spare_files_ = static_cast<std::size_t>(files.rlim_max - needed);
}

/// Makes the files of --output, so that what cannot be written is known before anything runs.
void job::open_files() {
  if (options_.output_folder.empty()) return;
  const auto fail = [](const std::string& path, const std::string& why) {
    throw cannot_start{1, text("--output: ", path, ": ", why)};
  };
  std::error_code error;
  const std::filesystem::path folder = options_.output_folder;
  std::filesystem::create_directories(folder, error);
  if (error) fail(folder, text("the folder cannot be made: ", error.message()));
  files_.reserve(2 * static_cast<std::size_t>(options_.ranks));
  for (int rank = 0; rank < options_.ranks; ++rank)
    for (const char* which : {".out", ".err"}) {
      const std::string path = folder / text("rank.", rank, which);
      constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC;
      descriptor file(::open(path.c_str(), flags, 0666));
      if (!file) fail(path, text("cannot be written: ", reason(errno)));
      struct stat info{};
      if (::fstat(file.get(), &info) != 0 || (!S_ISREG(info.st_mode) && !S_ISCHR(info.st_mode)))
        fail(path, "is not a file");
      files_.emplace_back(std::move(file), path);
    }
}

/// Opens the folders of --wdir, so that what cannot be entered is known before anything runs.
void job::open_folders() {
  for (const auto& its : options_.programs) {
    const std::string& path = folder_of(its);
    folders_.emplace_back();
    if (path.empty()) continue;
    folders_.back() = descriptor(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folders_.back() || ::faccessat(folders_.back().get(), ".", X_OK, 0) != 0)
      throw cannot_start{1, text("--wdir: ", path, ": cannot be entered: ", reason(errno))};
  }
}

void job::start_ranks() {
  warn_of_alone(options_);
  warn_of_unread(options_);
  placement_ = placement(options_.bind_to, options_.ranks, spare_files_);
  const descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing) throw cannot_start{1, "/dev/null cannot be opened"};
  ranks_.resize(static_cast<std::size_t>(options_.ranks));
  int rank = 0;
  for (const auto& its : options_.programs) {
    std::vector<std::string> settings = options_.settings;
    settings.insert(settings.end(), its.settings.begin(), its.settings.end());
    environment_block environment(settings, control_.fd(), shared_.fd(), options_.ranks,
                                  placement_.cores(), options_.bind_to == binding::automatic);
    for (const int end = rank + its.ranks; rank < end; ++rank) {
      start_rank(rank, its, environment, nothing.get());
      ++running_;
    }
  }
  if (options_.report_bindings) report_bindings();
}

void job::report_bindings() {
  if (placement_.cores() == 0) {
    say("no rank is bound to cores: ", placement_.reason());
    return;
  }
  for (int rank = 0; rank < options_.ranks; ++rank)
    say("rank ", rank, " (pid ", ranks_[static_cast<std::size_t>(rank)].pid, ") is bound to ",
        name_of(*placement_.of(rank)));
}

void job::start_rank(int rank, const program& its, environment_block& environment, int nothing) {
  auto& it = ranks_[static_cast<std::size_t>(rank)];
  descriptor write_ends[2];
  for (int which = 0; which < 2; ++which) {
    sink& shared = which == 0 ? outputs_[0] : errors();
    sink& to = files_.empty() ? shared : file_of(rank, which);
    it.streams[which] = source(make_pipe(rank, write_ends[which]), to,
                               options_.label ? text("[", rank, "] ") : std::string());
    watch(polls_[which], it.streams[which].fd(), rank);
  }
  const descriptor its_lifeline = make_lifeline(rank);
  const child_plan plan{.command = its.command.data(),
                        .environment = environment.of_rank(rank, its_lifeline.get()),
                        .input = rank == 0 ? 0 : nothing,
                        .output = write_ends[0].get(),
                        .errors = write_ends[1].get(),
                        .kept = {control_.fd(), shared_.fd(), its_lifeline.get()},
                        .folder = folders_[number_of(its)].get(),
                        .parent = ::getpid(),
                        .mask = &plan_.original_mask,
                        .file_size = &plan_.original_file_size,
                        .files = &original_files_,
                        .cores = placement_.of(rank)};
  int failure = 0;
  it.pid = start(plan, failure);
  it.running = it.pid > 0;
  if (it.running) {
    rank_of_[it.pid] = rank;
    return;
  }
  if (it.pid < 0)
    throw cannot_start{1, text("rank ", rank, " cannot be started (fork: ", reason(failure),
                               "): raise `ulimit -u` or ask for fewer ranks")};
  throw cannot_start{failure == ENOENT ? 127 : 126, why_not_started(its, failure)};
}

std::string job::why_not_started(const program& its, int failure) const {
  const std::string name = its.command[0];
  const std::string& in = folder_of(its);
  const std::filesystem::path path = std::filesystem::path(in) / name;
  std::string which;
  if (options_.programs.size() > 1) which = text("program ", number_of(its) + 1, ": ");
  if (failure != ENOENT) {
    std::error_code error;
    const bool folder = std::filesystem::is_directory(path, error);
    return text(which, "'", name,
                "' cannot be executed: ", folder ? "it is a folder" : reason(failure));
  }
  const bool here = name.find('/') == std::string::npos;
  if (const std::string needs = here ? "" : interpreter_of(path); !needs.empty())
    return text(which, "'", name, "': its interpreter '", mpx::detail::printable(needs),
                "' does not exist");
  return text(which, "'", name, "': no such program",
              here                          ? " in PATH; for one in this folder write ./" + name
              : !in.empty() && path != name ? text(" in ", in, " (--wdir), where it is looked for")
                                            : " (or its interpreter is missing)");
}

descriptor job::make_pipe(int rank, descriptor& write_end) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw cannot_start{
        1, text("no pipe for rank ", rank, " (", reason(errno), "): raise `ulimit -n`")};
  write_end = descriptor(ends[1]);
  // Our end only: to the rank the pipe is an ordinary one.
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return descriptor(ends[0]);
}

/// Inherited by the rank and the processes that it starts before it joins. A process that joins
/// reports by it, and the kernel gives us its id in our namespace; at its end no process is left
/// that could join.
descriptor job::make_lifeline(int rank) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw cannot_start{
        1, text("no socket for rank ", rank, " (", reason(errno), "): raise `ulimit -n`")};
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
