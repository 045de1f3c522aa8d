// SPDX-License-Identifier: BSL-1.0
#pragma once
// The numbers that a job tells to tools: thresholds, budgets and counters.

#include <cstdint>

namespace mpx_mpi {

/// A number of a job. All are of this rank.
enum class tool_number : std::uint8_t {
  // Thresholds and budgets.
  tiny_bytes_max,
  short_bytes_max,
  short_bytes_ceiling,
  packet_bytes_max,
  spin_ns,
  unexpected_bytes_max,
  // Now.
  unexpected_bytes_now,
  // Counters, from 0 at the start of the job.
  packets_sent,
  posts_retried,
  eager_sent,
  eager_bytes,
  announced,
  announced_for_flow,
  unexpected,
  unexpected_bytes,
  bytes_got,
  bytes_put,
  bytes_streamed,
  credits_sent,
  sleeps,
  connections_opened,
  connections_broken,
  packets_resent,
  count_
};

}  // namespace mpx_mpi
