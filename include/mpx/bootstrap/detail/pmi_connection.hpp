// SPDX-License-Identifier: BSL-1.0
#pragma once
// PMI-1, the line protocol by which Hydra, Slurm and others give processes that they start access
// to a common store: "cmd=get kvsname=K key=k", answered by fields in any order. One connection a
// process.

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/bootstrap/detail/published.hpp"
#include "mpx/core/error.hpp"
#include "mpx/core/function_ref.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/platform.hpp"

namespace mpx::inline v0::bootstrap::detail {

/// This process's end of a PMI-1 connection.
/// Threads:    any; only one fence at a time.
class pmi_connection {
 public:
  /// The connection of this process; it lives until the process ends.
  /// Errors:     errc::bootstrap, at every call.
  [[gnu::noinline, gnu::cold]] static pmi_connection& of_process() {
    static pmi_connection connection;
    return connection;
  }
  /// Connects over an open descriptor. The launcher must answer the first line within
  /// `greeting_ns`.
  /// Errors:     errc::bootstrap. Nothing is written to a descriptor that is not a socket or is a
  ///             standard stream, and that descriptor stays open.
  pmi_connection(int fd, rank_t rank, rank_t size, std::int64_t greeting_ns = greeting_default_ns)
      : fd_(fd), rank_(rank), size_(size) {
    check_socket();
    greet(greeting_ns);
  }
  pmi_connection(const pmi_connection&) = delete;
  pmi_connection& operator=(const pmi_connection&) = delete;
  /// Tells the launcher that this process ends cleanly, unless an error has happened here: then the
  /// launcher treats the process as failed.
  [[gnu::cold]] ~pmi_connection() {
    if (::getpid() != pid_) return;
    try {
      if (!broken_ && !fencing_ && !failed_) ask("cmd=finalize\n", "cmd=finalize_ack");
    } catch (const std::exception&) {
      broken_ = true;  // The launcher has ended first.
    }
    ::close(fd_);
  }

  rank_t rank() const noexcept { return rank_; }
  rank_t size() const noexcept { return size_; }
  /// True in the process that the launcher started, false in its children.
  bool is_here() const noexcept { return ::getpid() == pid_; }
  /// Largest length of a value, in bytes.
  std::size_t value_bytes_max() const noexcept { return value_bytes_max_; }
  /// Returns the number of a new environment of this process.
  std::uint64_t next_environment() {
    const std::lock_guard lock(mutex_);
    failed_ = false;  // That belonged to an earlier environment.
    return environments_++;
  }
  /// An environment has failed here, and other ranks may wait for this one. The process then does
  /// not finalize with the launcher, unless it begins another environment.
  void mark_failed() noexcept {
    const std::lock_guard lock(mutex_);
    failed_ = true;
  }

  /// Publishes a value; other ranks see it after the next fence.
  /// Requires:   neither contains blanks or '='.
  [[gnu::noinline, gnu::cold]] void put(const std::string& key, std::string_view value) {
    const std::string said = ask(
        command("put") + " key=" + key + " value=" + std::string(value) + "\n", "cmd=put_result");
    if (field(said, "rc") != "0")
      mpx::detail::throw_error(errc::no_resources, "the launcher does not store '%s': %s",
                               key.c_str(), mpx::detail::printable(said).c_str());
  }
  /// Returns the value published under `key`, if there is one.
  [[gnu::noinline, gnu::cold]] std::optional<std::string> get(const std::string& key) {
    const std::string said = ask(command("get") + " key=" + key + "\n", "cmd=get_result");
    if (field(said, "rc") != "0") return {};
    return std::string(field(said, "value"));
  }

  static constexpr bool publishes_always = false;
  /// Publishes all values that this rank has put before the `fence`-th fence of an environment.
  /// They may take several values of the store, of which the first begins with their number.
  [[gnu::noinline, gnu::cold]] void publish(std::uint64_t environment, std::uint64_t fence,
                                            std::string_view all) {
    const std::string text = published::escaped(all);
    const std::size_t most = value_bytes_max_;
    const std::size_t parts = (header_bytes + text.size() + most - 1) / most;
    const std::string whole = mpx::detail::formatted("%06zu:", parts) + text;
    for (std::size_t part = 0; part < parts; ++part)
      put(name(rank_, environment, fence, part), std::string_view(whole).substr(part * most, most));
  }
  /// Returns the values that a rank published before a fence; nothing if it published none.
  [[gnu::noinline, gnu::cold]] std::optional<std::string> published_by(rank_t rank,
                                                                       std::uint64_t environment,
                                                                       std::uint64_t fence) {
    const std::optional<std::string> first = get(name(rank, environment, fence, 0));
    if (!first) return {};
    std::uint64_t parts = 0;
    if (first->size() < header_bytes ||
        !mpx::detail::parse_number(std::string_view(*first).substr(0, header_bytes - 1),
                                   3 * published::bytes_max, parts))
      published::damaged();
    std::string text = first->substr(header_bytes);
    for (std::size_t part = 1; part < parts; ++part) {
      const std::optional<std::string> more = get(name(rank, environment, fence, part));
      if (!more) published::damaged();
      text += *more;
    }
    return published::unescaped(text);
  }

  /// Returns once all processes have entered; calls `idle` meanwhile.
  [[gnu::noinline, gnu::cold]] void fence(mpx::detail::function_ref<void()> idle) {
    const int nap_ms = (size_ + 31) / 32;
    while (!begin_fence()) {  // Another environment of this process is in a fence.
      idle();
      ::poll(nullptr, 0, nap_ms);
    }
    for (bool over = false; !over; over = end_fence(nap_ms)) idle();
  }

  /// Asks the launcher to end the job. (PMI-1 transfers no reason.)
  void abort(int code, std::string_view) noexcept try {
    const std::lock_guard lock(mutex_);
    send(mpx::detail::formatted("cmd=abort exitcode=%d\n", code));
  } catch (const std::exception&) {
    broken_ = true;  // The launcher has ended already.
  }

 private:
  static constexpr std::int64_t greeting_default_ns = 10'000'000'000;
  static constexpr std::int64_t patience_ns = 120'000'000'000;
  static constexpr std::size_t line_bytes_max = 1 << 20;
  static constexpr std::size_t header_bytes = 7;  // The number of parts, and a colon.
  // For a value, with room for names and the rest of the line.
  static constexpr std::uint64_t line_bytes_safe = 800;

  pmi_connection() : pmi_connection(number("PMI_SIZE", 1, 0x7fffffff)) {}
  explicit pmi_connection(rank_t size)
      : fd_(number("PMI_FD", 0, 0x7fffffff)), rank_(number("PMI_RANK", 0, size - 1)), size_(size) {
    check_socket();
    // A program started by this process is not a rank. Without the descriptor it gets a clear
    // error.
    ::fcntl(fd_, F_SETFD, FD_CLOEXEC);
    greet(greeting_default_ns);
  }

  /// Launchers pass a socket. Lines written to anything else would appear in a file or on the
  /// user's screen.
  void check_socket() const {
    struct stat is{};
    if (::fstat(fd_, &is) != 0)
      mpx::detail::throw_error(errc::bootstrap,
                               "PMI_FD is '%d', which is not open (a program that closes "
                               "descriptors stands between, or a rank started this program): %s",
                               fd_, advice);
    if (fd_ <= 2) refuse("it is a standard stream of this program");
    if (!S_ISSOCK(is.st_mode)) refuse("it is no socket");
  }
  [[noreturn, gnu::noinline, gnu::cold]] void refuse(const char* why) const {
    mpx::detail::throw_error(errc::bootstrap,
                             "PMI_FD is '%d', but no launcher answers there (%s): unset it, or %s",
                             fd_, why, advice);
  }

  void greet(std::int64_t greeting_ns) try {
    const std::string hello =
        ask("cmd=init pmi_version=1 pmi_subversion=1\n", "cmd=response_to_init", greeting_ns);
    if (field(hello, "rc") != "0" || field(hello, "pmi_version") != "1")
      break_off("it does not speak PMI-1: ", hello);
    std::uint64_t n = 0;
    // The length may include a final zero, and Slurm reads no line of more than 1024 bytes.
    if (mpx::detail::parse_number(field(ask("cmd=get_maxes\n", "cmd=maxes"), "vallen_max"),
                                  line_bytes_max / 2, n) &&
        n >= 64)
      value_bytes_max_ =
          static_cast<std::size_t>(mpx::detail::lesser<std::uint64_t>(n - 1, line_bytes_safe));
    kvs_ = field(ask("cmd=get_my_kvsname\n", "cmd=my_kvsname"), "kvsname");
    if (kvs_.empty()) break_off("it names no store");
  } catch (const error&) {
    ::close(fd_);
    refuse(why_broken_.c_str());
  }

  [[gnu::noinline, gnu::cold]] std::string command(const char* what) const {
    return std::string("cmd=").append(what).append(" kvsname=").append(kvs_);
  }

  /// The key of the `part`-th part of the values that a rank publishes before a fence.
  [[gnu::noinline, gnu::cold]] static std::string name(rank_t rank, std::uint64_t environment,
                                                       std::uint64_t fence, std::size_t part) {
    return mpx::detail::formatted("mpx.%llu.%d.%llu.%zu", 0ull + environment, rank, 0ull + fence,
                                  part);
  }

  [[gnu::noinline, gnu::cold]] bool begin_fence() {
    const std::lock_guard lock(mutex_);
    check();
    if (fencing_) return false;
    send("cmd=barrier_in\n");
    fencing_ = true;
    fence_open_ = false;
    return true;
  }
  /// Waits for at most `nap_ms`. Returns true if the fence has opened.
  [[gnu::noinline, gnu::cold]] bool end_fence(int nap_ms) {
    const std::lock_guard lock(mutex_);
    check();
    std::string line;
    if (!fence_open_ && read_line(std::int64_t{nap_ms} * 1'000'000, line)) note(line);
    if (fence_open_) fencing_ = false;
    return fence_open_;
  }
  /// Returns true if the line belongs to a fence; such a line may come between a question and its
  /// answer.
  [[gnu::noinline, gnu::cold]] bool note(std::string_view line) {
    if (!line.starts_with("cmd=barrier_out")) return false;
    const std::string_view rc = field(line, "rc");
    if (!rc.empty() && rc != "0") break_off("the launcher ended a fence: ", line);
    fence_open_ = true;
    return true;
  }

  /// Sends a line and returns the answer, which must start with `wanted`.
  [[gnu::noinline, gnu::cold]] std::string ask(const std::string& line, std::string_view wanted,
                                               std::int64_t timeout_ns = patience_ns) {
    const std::lock_guard lock(mutex_);
    check();
    send(line);
    for (std::string answer;;) {
      if (!read_line(timeout_ns, answer))
        break_off("nothing comes back to ", std::string_view(line).substr(0, line.size() - 1));
      if (note(answer)) continue;
      if (!answer.starts_with(wanted)) break_off("what comes back is ", answer);
      return answer;
    }
  }

  void check() const {
    if (broken_)
      mpx::detail::throw_error(errc::aborted, "the connection to the launcher has ended: %s",
                               why_broken_.c_str());
  }
  [[noreturn, gnu::noinline, gnu::cold]] void break_off(const char* what,
                                                        std::string_view more = {}) {
    broken_ = true;
    why_broken_ = what;
    mpx::detail::append(why_broken_, "%s", mpx::detail::printable(more).c_str());
    check();
    std::abort();  // `check` has thrown.
  }

  [[gnu::noinline, gnu::cold]] void send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t n = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break_off("its other end is closed");
      text.remove_prefix(static_cast<std::size_t>(n));
    }
  }

  /// Reads one line. Returns false if no complete line arrives within `timeout_ns`.
  [[gnu::noinline, gnu::cold]] bool read_line(std::int64_t timeout_ns, std::string& line) {
    for (const std::int64_t end_ns = platform::now_ns() + timeout_ns;;) {
      const std::size_t end = read_.find('\n');
      if (end != std::string::npos) {
        line.assign(read_, 0, end);
        read_.erase(0, end + 1);
        return true;
      }
      if (read_.size() > line_bytes_max) break_off("it sends no end of a line");
      const std::int64_t left_ns = end_ns - platform::now_ns();
      pollfd ready{fd_, POLLIN, 0};
      const int left_ms = left_ns <= 0 ? 0 : static_cast<int>((left_ns + 999'999) / 1'000'000);
      const int n = ::poll(&ready, 1, left_ms);
      if (n == 0) return false;
      if (n < 0) {
        if (errno == EINTR) continue;
        break_off("it cannot be waited for");
      }
      char some[4096];
      const ssize_t bytes = ::read(fd_, some, sizeof some);
      if (bytes < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (bytes <= 0) break_off("its other end is closed");
      read_.append(some, static_cast<std::size_t>(bytes));
    }
  }

  /// Returns the value of a field; "" if the line does not contain it.
  [[gnu::noinline, gnu::cold]] static std::string_view field(std::string_view line,
                                                             std::string_view name) noexcept {
    for (std::size_t at = 0; at < line.size();) {
      std::size_t end = line.find(' ', at);
      if (end == std::string_view::npos) end = line.size();
      const std::string_view one = line.substr(at, end - at);
      if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=')
        return one.substr(name.size() + 1);
      at = end + 1;
    }
    return {};
  }

  [[gnu::noinline, gnu::cold]] static int number(const char* name, int least, int most) {
    const char* const value = std::getenv(name);
    std::uint64_t n = 0;
    if (value == nullptr ||
        !mpx::detail::parse_number(value, static_cast<std::uint64_t>(most), n) ||
        n < static_cast<std::uint64_t>(least))
      mpx::detail::throw_error(
          errc::bootstrap, "%s is '%s', not a number from %d to %d: %s", name,
          value != nullptr ? mpx::detail::printable(value).c_str() : "(not set)", least, most,
          advice);
    return static_cast<int>(n);
  }
  static constexpr const char* advice =
      "start the program with `mpiexec -n N program` or `srun --mpi=pmi2`, or set "
      "MPX_BOOTSTRAP=alone to run it alone; `mpxinfo` tells more";

  int fd_ = -1;
  rank_t rank_ = 0;
  rank_t size_ = 1;
  pid_t pid_ = ::getpid();
  std::size_t value_bytes_max_ = 255;
  std::string kvs_;
  platform::mutex mutex_;
  std::string read_;  // Received bytes that are not a complete line yet.
  std::string why_broken_;
  std::uint64_t environments_ = 0;
  bool fencing_ = false;
  bool fence_open_ = false;
  bool broken_ = false;
  bool failed_ = false;  // True if the latest environment has failed here.
};

}  // namespace mpx::inline v0::bootstrap::detail
