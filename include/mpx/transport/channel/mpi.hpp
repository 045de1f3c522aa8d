// SPDX-License-Identifier: BSL-1.0
#pragma once
// A channel device over another MPI, by its nonblocking calls: mpx runs wherever an MPI does. Needs
// mpi.h; see bootstrap mpi.

#include "mpx/macros/begin.hpp"

#include <mpi.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "mpx/bootstrap/mpi.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/transport/channel.hpp"

namespace mpx::inline v0::device {

/// Messages of the MPI below. Control messages have tag 0, data has tag 1. Up to 64 control
/// messages that MPI has not sent yet are kept. A rank that dies ends the job, as MPI decides.
///
/// Source:     Gropp and Lusk, 6.
class mpi {
 public:
  static constexpr std::string_view name = "mpi";
  static constexpr device::traits traits{.control_bytes_max = 4096,
                                         .packet_bytes_max = 4 * 1024 * 1024};

  explicit mpi(bootstrap::mpi& b) {
    MPI_Comm_dup(b.communicator(), &all_);
    count_cores();
    for (incoming& i : receives_) begin(i);
  }
  mpi(const mpi&) = delete;
  /// Completes what was sent. All ranks leave together: see bootstrap::mpi.
  ~mpi() {
    for (incoming& i : receives_) {
      if (i.request == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&i.request);
      MPI_Wait(&i.request, MPI_STATUS_IGNORE);
    }
    for (outgoing& o : sends_) MPI_Wait(&o.request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&all_);
  }

  bool control_available() noexcept {
    if (taken_ != nullptr) begin(*std::exchange(taken_, nullptr));
    int is_done = 0;
    MPI_Test(&receives_[next_receive_].request, &is_done, &status_);
    return is_done != 0;
  }
  arrival receive_any_control(std::span<std::byte> into) noexcept {
    incoming& i = receives_[next_receive_];
    int bytes = 0;
    MPI_Get_count(&status_, MPI_BYTE, &bytes);
    std::memcpy(into.data(), i.bytes.data(), static_cast<std::size_t>(bytes));
    const auto source = static_cast<peer_id>(status_.MPI_SOURCE);
    taken_ = &i;  // It begins again when nothing is on its way to the program.
    next_receive_ = (next_receive_ + 1) % receives_.size();
    return {source, static_cast<std::size_t>(bytes)};
  }
  bool send_control(peer_id peer, std::span<const std::byte> control, std::size_t) noexcept {
    outgoing& o = sends_[next_send_];
    if (o.request != MPI_REQUEST_NULL && !is_complete(o.request)) return false;
    std::memcpy(o.bytes.data(), control.data(), control.size());
    MPI_Isend(o.bytes.data(), static_cast<int>(control.size()), MPI_BYTE, static_cast<int>(peer), 0,
              all_, &o.request);
    // MPI has copied most of them: the same place, which is in the cache, serves again.
    if (!is_complete(o.request)) next_send_ = (next_send_ + 1) % sends_.size();
    return true;
  }

  /// See CoreCountingDevice.
  bool oversubscribed() const noexcept { return oversubscribed_; }

  /// See NonblockingDevice.
  std::int64_t start_send(peer_id peer, std::span<const std::byte> data) noexcept {
    const std::int64_t id = free_operation();
    if (id >= 0) {
      is_receive_[static_cast<std::size_t>(id)] = false;
      MPI_Isend(data.data(), static_cast<int>(data.size()), MPI_BYTE, static_cast<int>(peer), 1,
                all_, &operations_[static_cast<std::size_t>(id)]);
    }
    return id;
  }
  std::int64_t start_receive(peer_id peer, std::span<std::byte> into) noexcept {
    const std::int64_t id = free_operation();
    if (id >= 0) {
      is_receive_[static_cast<std::size_t>(id)] = true;
      MPI_Irecv(into.data(), static_cast<int>(into.size()), MPI_BYTE, static_cast<int>(peer), 1,
                all_, &operations_[static_cast<std::size_t>(id)]);
    }
    return id;
  }
  bool test(std::int64_t id) noexcept {
    return is_complete(operations_[static_cast<std::size_t>(id)]);
  }

  /// MPI takes a receive back if its message has not begun to arrive, and no send.
  bool abandon(std::int64_t id) noexcept {
    if (test(id)) return true;
    if (is_receive_[static_cast<std::size_t>(id)])
      MPI_Cancel(&operations_[static_cast<std::size_t>(id)]);
    return test(id);
  }

 private:
  static constexpr std::size_t operations_max = 1024;

  struct incoming {
    MPI_Request request = MPI_REQUEST_NULL;
    std::array<std::byte, traits.control_bytes_max> bytes;
  };
  struct outgoing {
    MPI_Request request = MPI_REQUEST_NULL;
    std::array<std::byte, traits.control_bytes_max> bytes;
  };
  /// A request that is complete becomes MPI_REQUEST_NULL.
  static bool is_complete(MPI_Request& request) noexcept {
    int is_done = 0;
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    return is_done != 0;
  }
  void begin(incoming& i) noexcept {
    MPI_Irecv(i.bytes.data(), static_cast<int>(i.bytes.size()), MPI_BYTE, MPI_ANY_SOURCE, 0, all_,
              &i.request);
  }
  /// A launcher may have bound each rank to a core of its own.
  void count_cores() {
    MPI_Comm host = MPI_COMM_NULL;
    MPI_Comm_split_type(all_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    platform::core_set cores = platform::core_set::allowed();
    int ranks = 0;
    MPI_Comm_size(host, &ranks);
    MPI_Allreduce(MPI_IN_PLACE, &cores, static_cast<int>(sizeof cores), MPI_BYTE, MPI_BOR, host);
    MPI_Comm_free(&host);
    oversubscribed_ = ranks > cores.count();
  }
  /// Returns the place of an operation that is complete; -1 if there is none.
  std::int64_t free_operation() noexcept {
    for (std::size_t left = operations_max; left != 0; --left) {
      next_operation_ = (next_operation_ + 1) % operations_max;
      if (operations_[next_operation_] == MPI_REQUEST_NULL)
        return static_cast<std::int64_t>(next_operation_);
    }
    return -1;
  }

  MPI_Comm all_ = MPI_COMM_NULL;
  bool oversubscribed_ = false;
  MPI_Status status_{};
  std::size_t next_receive_ = 0;
  incoming* taken_ = nullptr;  // A receive that is complete and has not begun again.
  std::size_t next_send_ = 0;
  std::size_t next_operation_ = 0;
  std::vector<incoming> receives_{16};
  std::vector<outgoing> sends_{64};
  std::vector<bool> is_receive_ = std::vector<bool>(operations_max);
  std::vector<MPI_Request> operations_ = std::vector<MPI_Request>(operations_max, MPI_REQUEST_NULL);
};

}  // namespace mpx::inline v0::device

#include "mpx/macros/end.hpp"
