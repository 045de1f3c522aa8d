// SPDX-License-Identifier: BSL-1.0
#pragma once
// Carries the ranks' output to mpxrun's own, line by line, and every byte of it as it is. Only
// labels add bytes. Never blocks, holds a bounded amount.

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace launcher {

inline constexpr std::size_t line_bytes_max = 64 * 1024;     // longer lines pass in pieces
inline constexpr std::size_t queue_bytes_max = 1024 * 1024;  // beyond it, ranks have to wait
inline constexpr std::int64_t silence_ns_max = 200'000'000;  // then an unfinished line passes

/// A descriptor, closed at the end.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int fd) noexcept : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~descriptor() { reset(); }
  void reset() noexcept {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  /// Returns an errno if that fails, else 0.
  int close() noexcept { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0 ? 0 : errno; }
  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// One of mpxrun's own outputs: a queue in front of a descriptor that may be slow.
class sink {
 public:
  explicit sink(int fd) noexcept : fd_(fd) {
    struct stat info{};
    prompt_ = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  }

  int fd() const noexcept { return fd_; }
  bool waiting() const noexcept { return sent_ < queue_.size(); }
  bool full() const noexcept { return queue_.size() - sent_ >= queue_bytes_max; }
  /// The errno of the failure that ended writing; 0 if none did.
  int failure() const noexcept { return failure_; }

  /// True if the last thing written was an unfinished line of `writer`.
  bool inside_line_of(const void* writer) const noexcept {
    return unfinished_ && writer_ == writer;
  }
  /// Queues bytes of `writer` as they are.
  void pass(const void* writer, std::string_view text) {
    if (text.empty() || failure_ != 0) return;
    queue_ += text;
    writer_ = writer;
    unfinished_ = text.back() != '\n' && text.back() != '\r';
  }
  /// Queues text of mpxrun or labelled text; an unfinished line of another writer is ended first.
  void append(const void* writer, std::string_view text) {
    if (!text.empty() && unfinished_ && writer_ != writer) pass(writer_, "\n");
    pass(writer, text);
  }

  /// Writes what goes without blocking.
  void flush() noexcept {
    while (waiting()) {
      pollfd ready{fd_, POLLOUT, 0};
      if (!prompt_ && (::poll(&ready, 1, 0) <= 0 || ready.revents == 0)) break;
      // A pipe that is ready takes PIPE_BUF bytes without blocking.
      const std::size_t left = queue_.size() - sent_;
      const std::size_t size = prompt_ || left < 4096 ? left : 4096;
      const ssize_t n = ::write(fd_, queue_.data() + sent_, size);
      if (n >= 0) {
        sent_ += static_cast<std::size_t>(n);
      } else if (errno == EAGAIN) {
        break;
      } else if (errno != EINTR) {
        failure_ = errno;
        sent_ = queue_.size();
      }
    }
    if (sent_ == queue_.size() || sent_ > queue_bytes_max) {
      queue_.erase(0, sent_);
      sent_ = 0;
    }
  }

 protected:
  void never_waits() noexcept { prompt_ = true; }

 private:
  int fd_;
  bool prompt_ = false;  // a file: it never makes us wait
  bool unfinished_ = false;
  int failure_ = 0;
  const void* writer_ = nullptr;
  std::string queue_;
  std::size_t sent_ = 0;
};

/// A file that takes one output of one rank.
class file_sink : public sink {
 public:
  file_sink(descriptor file, std::string path)
      : sink(file.get()), file_(std::move(file)), path_(std::move(path)) {
    never_waits();
  }

  const std::string& path() const noexcept { return path_; }
  /// Returns an errno if the system has found out only now that something is lost; else 0.
  int close() noexcept { return file_.close(); }

 private:
  descriptor file_;
  std::string path_;
};

/// One output of one rank. Passes whole lines on, ended by \n or \r; a line that is longer than
/// line_bytes_max, or silent for silence_ns_max, in pieces.
class source {
 public:
  source() = default;
  source(descriptor from, sink& to, std::string prefix)
      : from_(std::move(from)), to_(&to), prefix_(std::move(prefix)) {}

  int fd() const noexcept { return from_.get(); }
  bool open() const noexcept { return static_cast<bool>(from_); }
  bool pending() const noexcept { return !pending_.empty(); }
  /// When the unfinished line is to pass.
  std::int64_t due_ns() const noexcept { return last_ns_ + silence_ns_max; }

  /// Reads once. Returns whether there may be more.
  bool read(char* buffer, std::size_t bytes, std::int64_t now_ns) {
    const ssize_t n = ::read(from_.get(), buffer, bytes);
    if (n > 0) {
      take({buffer, static_cast<std::size_t>(n)}, now_ns);
      return true;
    }
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return errno == EINTR;
    show_pending();
    // The next output, of any rank, begins a new line if lines have prefixes.
    if (!prefix_.empty() && to_->inside_line_of(this)) to_->append(this, "\n");
    from_.reset();
    return false;
  }

  void show_pending() {
    emit(pending_);
    pending_.clear();
  }

 private:
  void take(std::string_view text, std::int64_t now_ns) {
    last_ns_ = now_ns;
    if (pending() && pending_.back() == '\r' && text[0] != '\n') show_pending();
    auto end = text.find_last_of("\n\r");
    if (end + 1 == text.size() && text[end] == '\r')  // It may be half of \r\n.
      end = end == 0 ? std::string_view::npos : text.find_last_of("\n\r", end - 1);
    if (end == std::string_view::npos) {
      pending_ += text;
      if (pending_.size() >= line_bytes_max) show_pending();
      return;
    }
    if (pending_.empty()) {
      emit(text.substr(0, end + 1));
    } else {
      pending_ += text.substr(0, end + 1);
      show_pending();
    }
    pending_ = text.substr(end + 1);
  }

  void emit(std::string_view text) {
    if (prefix_.empty()) {
      to_->pass(this, text);
      return;
    }
    while (!text.empty()) {
      auto end = text.find_first_of("\n\r");
      end = end == std::string_view::npos ? text.size() : end + 1;
      if (text[end - 1] == '\r' && end < text.size() && text[end] == '\n') ++end;
      const bool rest_of_crlf = after_return_ && text[0] == '\n';
      if (!rest_of_crlf && !to_->inside_line_of(this)) to_->append(this, prefix_);
      to_->append(this, text.substr(0, end));
      after_return_ = text[end - 1] == '\r';
      text.remove_prefix(end);
    }
  }

  descriptor from_;
  sink* to_ = nullptr;
  std::string prefix_;
  std::string pending_;
  std::int64_t last_ns_ = 0;
  bool after_return_ = false;
};

}  // namespace launcher
