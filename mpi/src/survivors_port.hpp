// SPDX-License-Identifier: BSL-1.0
#pragma once
// Interface to the fault tolerance of a communicator: revoke, agree, shrink. One of the ports that
// port.hpp names.

#include <memory>

#include "mpx/comm/agreed.hpp"
#include "port.hpp"

namespace mpx_mpi {

/// Fault tolerance of a communicator of one group, which it refers to.
class survivors_port {
 public:
  virtual ~survivors_port() = default;
  virtual void revoke() = 0;
  [[nodiscard]] virtual bool is_revoked() = 0;
  virtual mpx::agreed agree(int value) = 0;
  /// Starts an agreement; `into` has the result once the request is complete.
  virtual void iagree(int value, mpx::agreed& into, request_cell& request) = 0;
  virtual std::unique_ptr<comm_port> shrink() = 0;
  /// Starts a shrink; what it returns is a communicator once the request is complete.
  virtual std::unique_ptr<comm_port> ishrink(request_cell& request) = 0;
  /// The failed ranks that this rank knows.
  [[nodiscard]] virtual mpx::group failed() = 0;
  /// Receives from any source disregard `count` failed ranks.
  virtual void acknowledge(int count) = 0;
};

}  // namespace mpx_mpi
