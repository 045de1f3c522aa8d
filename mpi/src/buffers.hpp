// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory for buffered sends: of a communicator, of a session, or of the process.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "objects.hpp"

namespace mpx_mpi {

/// Buffered messages that are under way, in memory of the program or, with MPI_BUFFER_AUTOMATIC, in
/// memory of the library. A message is a copy in the memory and a request of a standard send.
/// Threads:    any, at the same time; but none may call while another one waits for a `start_drain`.
class send_pool : public std::enable_shared_from_this<send_pool> {
 public:
  /// Requires:   base[0, bytes) is alive until `drain` has returned, unless it is automatic.
  send_pool(void* base, std::int64_t bytes);
  send_pool(const send_pool&) = delete;
  send_pool& operator=(const send_pool&) = delete;

  [[nodiscard]] void* base() const noexcept { return base_; }
  [[nodiscard]] std::int64_t bytes() const noexcept { return automatic() ? 0 : bytes_; }

  /// Sends a copy of `data`. Complete on return.
  /// Errors:     MPI_ERR_BUFFER if there is no room for the copy; failures of the peer, as far as they
  ///             are known then.
  void send(comm_t& comm, const buffer& data, int to, int tag);
  /// Waits until all messages have been sent.
  void drain();
  /// Returns a request that is complete when all messages that are under way have been sent.
  /// Errors:     MPI_ERR_PENDING if an earlier one is not complete yet.
  [[nodiscard]] MPI_Request start_drain(MPI_Comm reports_to);

 private:
  struct piece {
    enum class state : std::uint8_t { flies, waited_for, flushed };
    std::size_t bytes = 0;
    request_cell cell{};
    state now = state::flies;
    std::unique_ptr<std::byte[]> own;  ///< Its memory, if that is automatic.
  };
  using pieces = std::map<std::size_t, piece>;  // By place.
  struct flush_end;

  [[nodiscard]] bool automatic() const noexcept { return base_ == MPI_BUFFER_AUTOMATIC; }
  pieces::iterator find_room(std::size_t bytes);
  pieces::iterator add_piece(std::size_t bytes);
  void reap();
  void end_flush();
  bool flush_is_complete();

  std::mutex lock_;
  void* base_;
  std::int64_t bytes_;
  std::size_t made_ = 0;  ///< Of automatic pieces.
  std::size_t reap_at_ =
      64;  ///< Number of automatic pieces from which on complete ones are sought.
  MPI_Request flush_ = nullptr;  ///< Request of the pieces that are `flushed`.
  pieces pieces_;
};

/// A persistent buffered send: each start of it is a send.
struct buffered_send {
  buffer data;
  std::shared_ptr<const type_part> keep;
  MPI_Comm comm;
  int to;
  int tag;
};
/// Sends it once more. `cell`: a complete send afterwards.
void start_buffered(const buffered_send& s, request_cell& cell);

}  // namespace mpx_mpi
