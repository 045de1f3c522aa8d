// SPDX-License-Identifier: BSL-1.0
#pragma once
// The port of a window: see port.hpp. Calls take run-time values only, and throw mpx::error.

#include <cstddef>
#include <cstdint>

#include "mpx/core/group.hpp"
#include "mpx/rma/assertions.hpp"
#include "mpx/rma/concepts.hpp"
#include "mpx/rma/elements.hpp"
#include "port.hpp"

namespace mpx_mpi {

/// Memory of a window.
enum class window_memory : std::uint8_t { allocated, shared, shared_apart, given, dynamic };

/// One rank's arguments for a window.
struct window_plan {
  window_memory how{};
  void* base = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t unit = 1;  ///< Bytes per unit of displacement.
};

/// An access. `there`: layout of the data at the target; nullptr: contiguous.
struct window_access {
  mpx::rma::action what{};
  buffer data{};                       ///< Origin's; the new value of a swap.
  buffer result{};                     ///< Previous values of a fetch or a swap.
  const std::byte* compare = nullptr;  ///< Of a swap.
  bool single = false;                 ///< One element that lies in one piece.
  int target = 0;
  std::uint64_t at = 0;
  std::int64_t count = 0;
  const mpx::datatype* there = nullptr;
  mpx::rma::element type = mpx::rma::element::of<std::uint8_t>();
  mpx::rma::combine op{};
};

/// The mapped memory of a rank; nullptr: it is not mapped.
struct window_part {
  void* base = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t unit = 1;
};

class window_port {
 public:
  virtual ~window_port() = default;
  [[nodiscard]] virtual mpx::group group() const = 0;
  [[nodiscard]] virtual window_part part(int rank) const = 0;
  /// True if a lock, start or post is open.
  [[nodiscard]] virtual bool in_epoch() const = 0;

  /// `request`: nullptr for calls that have none.
  virtual void access(const window_access& a, request_cell* request) = 0;

  virtual void fence(mpx::rma::assertion a) = 0;
  virtual void post(const mpx::group& origins, mpx::rma::assertion a) = 0;
  virtual void start(const mpx::group& targets, mpx::rma::assertion a) = 0;
  virtual void complete() = 0;
  virtual void wait() = 0;
  virtual bool test() = 0;
  virtual void lock(int target, bool exclusive, mpx::rma::assertion a) = 0;
  virtual void unlock(int target) = 0;
  virtual void lock_all(mpx::rma::assertion a) = 0;
  virtual void unlock_all() = 0;
  virtual void flush(int target, bool remote) = 0;
  virtual void flush_all(bool remote) = 0;
  virtual void sync() = 0;
  virtual void attach(void* base, std::uint64_t bytes) = 0;
  virtual void detach(void* base, std::uint64_t bytes) = 0;
  virtual void free() = 0;
};

}  // namespace mpx_mpi
