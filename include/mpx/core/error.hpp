// SPDX-License-Identifier: BSL-1.0
#pragma once
// What can go wrong at run time, as std::error_code values and as one exception type.
// Bugs of the caller are MPX_ASSERT; what the world does wrong is an errc; nothing aborts.

#include <string>
#include <system_error>
#include <type_traits>

#include "mpx/core/types.hpp"

namespace mpx::inline v0 {

/// One value for each MPI error class that can occur, and for what MPI leaves to the
/// implementation.
enum class errc : int {
  buffer = 1,    ///< MPI_ERR_BUFFER: the attached buffer cannot hold a buffered send.
  count,         ///< MPI_ERR_COUNT: a count is negative or too large.
  tag,           ///< MPI_ERR_TAG: a tag is outside 0 .. tag_max.
  communicator,  ///< MPI_ERR_COMM: the communicator is empty, or the limit of them is reached.
  rank,          ///< MPI_ERR_RANK: a rank is outside 0 .. size() - 1.
  request,       ///< MPI_ERR_REQUEST: the request is empty or in the wrong state.
  root,          ///< MPI_ERR_ROOT: a root is outside 0 .. size() - 1.
  argument,      ///< MPI_ERR_ARG: another argument is wrong.
  truncate,   ///< MPI_ERR_TRUNCATE: the message was longer than the receive; the rest is dropped.
  pending,    ///< MPI_ERR_PENDING: not complete; another request of several met a lost peer.
  not_ready,  ///< A ready send met no posted receive.
  peer_lost,  ///< MPI_ERR_PROC_FAILED: the other process died or left the job.
  protocol,   ///< A peer sent bytes that are not the mpx protocol.
  no_resources,    ///< MPI_ERR_NO_MEM: a stated limit or the machine's memory is reached.
  stack_mismatch,  ///< The ranks were built with different stacks or wire versions.
  bootstrap,       ///< Joining the job failed.
  aborted,         ///< The job was aborted.
  deadlock,        ///< No rank of the job can go on.
  not_a_rank,      ///< This process is a forked child of a rank.
  broken_promise,  ///< Nobody will complete a generalized operation: its completer is gone.
};

namespace detail {

/// True when a peer is alive but cannot be talked to: it has to be told.
constexpr bool is_fault(errc e) noexcept { return e == errc::protocol || e == errc::no_resources; }

/// True when a failure is of a peer, so that what depends on others may wait for ever.
constexpr bool is_loss(errc e) noexcept {
  return e == errc::peer_lost || e == errc::not_a_rank || is_fault(e);
}

inline const char* errc_text(int value) noexcept {
  switch (static_cast<errc>(value)) {
    case errc::buffer: return "the attached buffer cannot hold the message";
    case errc::count: return "count out of range";
    case errc::tag: return "tag out of range";
    case errc::communicator: return "invalid communicator";
    case errc::rank: return "rank out of range";
    case errc::request: return "request in the wrong state";
    case errc::root: return "root out of range";
    case errc::argument: return "invalid argument";
    case errc::truncate: return "message truncated: it was longer than the receive";
    case errc::pending: return "not complete: another request met a lost peer";
    case errc::not_ready: return "a ready send met no posted receive";
    case errc::peer_lost: return "peer lost: it died or left the job";
    case errc::protocol: return "a peer sent malformed data";
    case errc::no_resources: return "out of resources";
    case errc::stack_mismatch: return "the ranks were built with different stacks";
    case errc::bootstrap: return "cannot join the job";
    case errc::aborted: return "the job was aborted";
    case errc::deadlock: return "deadlock: no rank can go on";
    case errc::not_a_rank:
      return "this process is a forked child of a rank, not a rank itself: exec a new program or "
             "leave with _exit";
    case errc::broken_promise: return "nobody will complete this generalized operation";
  }
  return "unknown mpx error";
}

class error_category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "mpx"; }
  std::string message(int value) const override { return errc_text(value); }
};

}  // namespace detail

/// The category of every mpx::errc.
inline const std::error_category& category() noexcept {
  static const detail::error_category instance{};
  return instance;
}

/// So that an mpx::errc is a std::error_code, and compares with one.
inline std::error_code make_error_code(errc e) noexcept {
  return {static_cast<int>(e), category()};
}

/// What the throwing forms throw. `what()` names the operation, the ranks, the tag, the
/// communicator and the sizes involved; `code()` is the errc.
class error : public std::system_error {
 public:
  /// `context` says which call met it.
  error(errc e, const std::string& context) : std::system_error(make_error_code(e), context) {}
  /// The same, of any category.
  error(std::error_code e, const std::string& context) : std::system_error(e, context) {}
};

}  // namespace mpx::inline v0

template <>
struct std::is_error_code_enum<mpx::errc> : std::true_type {};
