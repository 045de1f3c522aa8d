// SPDX-License-Identifier: BSL-1.0
#pragma once
// The port of fault tolerance for one stack. Part of port_of.hpp.

#include <memory>

#include "survivors_port.hpp"

namespace mpx_mpi {

template <class Stack>
class survivors_of final : public survivors_port {
 public:
  explicit survivors_of(const mpx::communicator<Stack>& c) : c_(c) {}

  void revoke() override { c_.revoke(); }
  bool is_revoked() override { return c_.is_revoked(); }
  mpx::agreed agree(int value) override { return c_.agree(value); }
  void iagree(int value, mpx::agreed& into, request_cell& request) override {
    port_types<Stack>::put(request, c_.agree(value, into, mpx::start));
  }
  std::unique_ptr<comm_port> shrink() override {
    return std::make_unique<intra_of<Stack>>(c_.shrink());
  }
  std::unique_ptr<comm_port> ishrink(request_cell& request) override {
    return intra_of<Stack>::shrunk(c_, request);
  }
  mpx::group failed() override { return c_.failed(); }
  void acknowledge(int count) override { c_.acknowledge_failures(count); }

 private:
  mpx::communicator<Stack> c_;
};

template <class Stack>
std::unique_ptr<survivors_port> intra_of<Stack>::survivors() {
  return std::make_unique<survivors_of<Stack>>(base::c_);
}

}  // namespace mpx_mpi
