// SPDX-License-Identifier: BSL-1.0
#pragma once
// Interface to the fault tolerance of a communicator: revoke, agree, shrink. One of the ports that
// port.hpp names.

#include <memory>

#include "port.hpp"

namespace mpx_mpi {

/// Result of an agreement, the same at all ranks that return.
struct agreed_value {
  int value = 0;      ///< Bitwise and of all contributions.
  mpx::group failed;  ///< The failed ranks.
};

/// Fault tolerance of a communicator of one group, which it refers to.
class survivors_port {
 public:
  virtual ~survivors_port() = default;
  virtual void revoke() = 0;
  [[nodiscard]] virtual bool is_revoked() = 0;
  virtual agreed_value agree(int value) = 0;
  virtual std::unique_ptr<comm_port> shrink() = 0;
  /// The failed ranks that this rank knows.
  [[nodiscard]] virtual mpx::group failed() = 0;
  /// Receives from any source disregard `count` failed ranks.
  virtual void acknowledge(int count) = 0;
};

}  // namespace mpx_mpi
