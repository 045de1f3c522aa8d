// SPDX-License-Identifier: BSL-1.0
#pragma once
// Run-time errors as std::error_code values and one exception type. Bugs of the caller are caught
// by MPX_ASSERT; failures of the environment are an errc; no function aborts on them.

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

/// One value for each MPI error class that can occur, and for errors that MPI leaves to the
/// implementation.
enum class errc : int {
  buffer = 1,    ///< MPI_ERR_BUFFER: the attached buffer cannot hold a buffered send.
  count,         ///< MPI_ERR_COUNT: the message's length does not fit its destination.
  tag,           ///< MPI_ERR_TAG: a tag is outside 0 .. tag_max.
  communicator,  ///< MPI_ERR_COMM: the limit of communicators is reached.
  rank,          ///< MPI_ERR_RANK: a rank is outside 0 .. size() - 1.
  request,       ///< MPI_ERR_REQUEST: the request is empty or in the wrong state.
  root,          ///< MPI_ERR_ROOT: a root is outside 0 .. size() - 1.
  dims,          ///< MPI_ERR_DIMS: invalid dimensions of a grid.
  topology,      ///< MPI_ERR_TOPOLOGY: invalid graph.
  argument,      ///< MPI_ERR_ARG: another argument is wrong.
  truncate,   ///< MPI_ERR_TRUNCATE: the message was longer than the receive; the rest is dropped.
  pending,    ///< MPI_ERR_PENDING: not complete, because another request or access failed.
  not_ready,  ///< A ready send met no posted receive.
  peer_lost,  ///< MPI_ERR_PROC_FAILED: the peer has died, left, or is unreachable.
  protocol,   ///< A peer sent bytes that violate the mpx protocol.
  no_resources,    ///< MPI_ERR_NO_MEM: a stated limit or memory is exhausted.
  stack_mismatch,  ///< The ranks were built with different stacks or wire versions.
  bootstrap,       ///< Joining the job failed.
  aborted,         ///< The job was aborted.
  deadlock,        ///< Deadlock: no rank of the job can make progress.
  not_a_rank,      ///< This process is a forked child of a rank.
  /// The completer of a generalized operation was destroyed without completing it.
  broken_promise,
  type,           ///< MPI_ERR_TYPE: the message's element type differs from the receive's.
  revoked,        ///< MPIX_ERR_REVOKED: the communicator is revoked; shrink makes its successor.
  operation,      ///< MPI_ERR_OP: the operation of a reduction threw an exception.
  datatype,       ///< MPI_ERR_TYPE: a datatype is invalid, or invalid for this use.
  call_mismatch,  ///< Ranks made collective calls that do not match.
  window,         ///< MPI_ERR_WIN: the window is empty, or has been freed.
  rma_sync,       ///< MPI_ERR_RMA_SYNC: no epoch allows this call, or an open epoch forbids it.
  rma_range,      ///< MPI_ERR_RMA_RANGE: a displacement reaches beyond the target's memory.
  rma_conflict,   ///< MPI_ERR_RMA_CONFLICT: accesses of one epoch overlap.
};

namespace detail {

/// True if a peer is alive but communication with it must end; the peer has to be told.
constexpr bool is_fault(errc e) noexcept { return e == errc::protocol || e == errc::no_resources; }

/// True if the failure is that of a peer, so that operations that depend on other ranks might never
/// complete.
constexpr bool is_loss(errc e) noexcept {
  return e == errc::peer_lost || e == errc::not_a_rank || is_fault(e);
}

[[gnu::noinline, gnu::cold]] inline const char* errc_text(int value) noexcept {
  switch (static_cast<errc>(value)) {
    case errc::buffer: return "the attached buffer cannot hold the message";
    case errc::count: return "counts or lengths that do not fit each other";
    case errc::tag: return "tag out of range";
    case errc::communicator: return "invalid communicator";
    case errc::rank: return "rank out of range";
    case errc::request: return "request in the wrong state";
    case errc::root: return "root out of range";
    case errc::dims: return "invalid dimensions";
    case errc::topology: return "invalid topology";
    case errc::argument: return "invalid argument";
    case errc::type: return "the message's elements are of another type than the receive's";
    case errc::operation: return "the operation of a reduction has thrown";
    case errc::datatype: return "invalid datatype";
    case errc::call_mismatch: return "ranks have made collective calls that do not go together";
    case errc::window: return "invalid window";
    case errc::rma_sync: return "wrong synchronisation of one-sided communication";
    case errc::rma_range: return "a displacement reaches beyond the target's memory";
    case errc::rma_conflict: return "conflicting one-sided accesses within an epoch";
    case errc::truncate: return "message truncated: it was longer than the receive";
    case errc::pending: return "not complete: another request, or access, has failed";
    case errc::not_ready: return "a ready send met no posted receive";
    case errc::peer_lost: return "peer lost: it died, left, or is out of reach";
    case errc::protocol: return "a peer sent malformed data";
    case errc::no_resources: return "out of resources";
    case errc::stack_mismatch: return "the ranks were built with different stacks";
    case errc::bootstrap: return "cannot join the job";
    case errc::aborted: return "the job was aborted";
    case errc::deadlock: return "deadlock: no rank can go on";
    case errc::not_a_rank:
      return "this process is a forked child of a rank, not a rank itself: exec a new program or "
             "leave with _exit";
    case errc::revoked: return "the communicator is revoked: shrink it, and go on there";
    case errc::broken_promise: return "nobody will complete this generalized operation";
  }
  return "unknown mpx error";
}

/// Appends formatted text, as std::printf.
[[gnu::noinline, gnu::cold]] inline void append_list(std::string& to, const char* format,
                                                     std::va_list values) {
  std::va_list again;
  va_copy(again, values);
  const int n = std::vsnprintf(nullptr, 0, format, values);
  // A new string: growing the old one would instantiate more members of std::string in every
  // program.
  if (n > 0) {
    const std::size_t before = to.size();
    std::string longer(before + static_cast<std::size_t>(n), '\0');
    if (before != 0) std::memcpy(longer.data(), to.data(), before);
    std::vsnprintf(longer.data() + before, static_cast<std::size_t>(n) + 1, format, again);
    to.~basic_string();  // Not by assignment, which instantiates ten more functions.
    ::new (static_cast<void*>(&to)) std::string(std::move(longer));
  }
  va_end(again);
}
[[gnu::format(printf, 2, 3), gnu::noinline, gnu::cold]] inline void append(std::string& to,
                                                                           const char* format,
                                                                           ...) {
  std::va_list values;
  va_start(values, format);
  append_list(to, format, values);
  va_end(values);
}
/// Returns formatted text, as std::printf. Texts are built by this function, out of line, because
/// each `+` of strings instantiates a function of its own.
[[gnu::format(printf, 1, 2), gnu::noinline, gnu::cold]] inline std::string formatted(
    const char* format, ...) {
  std::string s;
  std::va_list values;
  va_start(values, format);
  append_list(s, format, values);
  va_end(values);
  return s;
}

/// Makes text from outside (a launcher, a peer, a file) safe to print: bytes that are not printable
/// ASCII, and backslashes, become \xNN. Of more than `most` bytes only the first are printed,
/// followed by the total number.
[[gnu::noinline, gnu::cold]] inline std::string printable(std::string_view text,
                                                          std::size_t most = 200) {
  std::string s;
  for (std::size_t i = 0; i < text.size() && i < most; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    append(s, c < ' ' || c > '~' || c == '\\' ? "\\x%02x" : "%c", unsigned{c});
  }
  if (text.size() > most) append(s, "... (%zu bytes)", text.size());
  return s;
}

class error_category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "mpx"; }
  std::string message(int value) const override { return errc_text(value); }
};

}  // namespace detail

/// Error category of mpx::errc.
inline const std::error_category& category() noexcept {
  static const detail::error_category instance{};
  return instance;
}

/// Makes mpx::errc convertible to and comparable with std::error_code.
inline std::error_code make_error_code(errc e) noexcept {
  return {static_cast<int>(e), category()};
}

/// Compares by value. Each shared object of a program may have its own category object, and the
/// standard library compares addresses.
inline bool operator==(const std::error_code& code, errc e) noexcept {
  return code.value() == static_cast<int>(e) &&
         (code.category() == category() || std::strcmp(code.category().name(), "mpx") == 0);
}

/// Exception thrown by the throwing forms of calls. `what()` names the operation, the ranks, the
/// tag, the communicator, the sizes and the source line of the call; `code()` is the errc.
class error : public std::system_error {
 public:
  /// `where`: the program's call; none by default.
  error(errc e, const std::string& context, std::source_location where = {})
      : error(make_error_code(e), context, where) {}
  /// As above, for an error code of any category.
  [[gnu::noinline, gnu::cold]] error(std::error_code e, const std::string& context,
                                     std::source_location where = {})
      : error(e, where, detail::formatted("%s: %s", context.c_str(), e.message().c_str())) {}
  /// Copies `e`, with `where` as its call.
  [[gnu::noinline, gnu::cold]] error(const error& e, std::source_location where)
      : error(e.code(), where, e.what_went_wrong()) {}

  /// Returns the full text with the line of the call.
  [[nodiscard]] const char* what() const noexcept override { return texts_.what() + all_at_; }
  /// Returns the text without the line.
  [[nodiscard]] const char* what_went_wrong() const noexcept { return texts_.what(); }
  /// Returns the program's call; line 0 if unknown.
  [[nodiscard]] const std::source_location& where() const noexcept { return where_; }

 private:
  [[gnu::noinline, gnu::cold]] error(std::error_code e, std::source_location where,
                                     const std::string& wrong)
      : std::system_error(e),
        where_(where),
        all_at_(where.line() == 0 ? 0 : wrong.size() + 1),
        texts_(where.line() == 0
                   ? std::string(wrong.data(), wrong.size())
                   : detail::formatted("%s%c%s, at %s:%u", wrong.c_str(), '\0', wrong.c_str(),
                                       where.file_name(), unsigned{where.line()})) {}

  std::source_location where_;
  // Offset of the full text, behind the text without line and its terminator; 0: they are the same.
  std::size_t all_at_;
  std::runtime_error texts_;  // Copies without throwing.
};

namespace detail {

/// Rethrows `e`, the exception being handled, with the line of the call if it has none and memory
/// suffices.
[[noreturn, gnu::noinline, gnu::cold]] inline void rethrow_at(const error& e,
                                                              std::source_location where) {
  if (e.where().line() == 0) {
    try {
      throw error(e, where);
    } catch (const std::bad_alloc&) {  // No memory for the new text: rethrow `e` itself.
    }
  }
  throw;
}

}  // namespace detail

}  // namespace mpx::inline v0

template <>
struct std::is_error_code_enum<mpx::errc> : std::true_type {};

namespace mpx::inline v0::detail {

/// Throws `error` with formatted text, as std::printf.
[[noreturn, gnu::format(printf, 2, 3), gnu::noinline, gnu::cold]] inline void throw_error(
    errc why, const char* format, ...) {
  std::string s;
  std::va_list values;
  va_start(values, format);
  append_list(s, format, values);
  va_end(values);
  throw error(why, s);
}

}  // namespace mpx::inline v0::detail
