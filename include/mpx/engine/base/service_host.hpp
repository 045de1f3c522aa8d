// SPDX-License-Identifier: BSL-1.0
#pragma once
// The endpoint as its own services see it, so that these are compiled for no stack in particular.

#include <cstdint>
#include <span>

#include "mpx/core/error.hpp"
#include "mpx/core/function_ref.hpp"
#include "mpx/core/types.hpp"
#include "mpx/engine/base/node_block.hpp"
#include "mpx/matching/concepts.hpp"
#include "mpx/protocol/wire.hpp"

namespace mpx::inline v0::detail {

/// The functions of an endpoint that its communicators and windows call, under its lock.
class service_host {
 public:
  virtual peer_id self() const noexcept = 0;
  // See the functions of these names of the components.
  virtual errc failure_of(peer_id peer) const noexcept = 0;
  virtual bool left(peer_id peer) const noexcept = 0;
  virtual std::uint32_t losses() const noexcept = 0;
  virtual void revoked(int more) noexcept = 0;
  virtual void index_new() noexcept = 0;
  virtual void discard_if(context_id context,
                          function_ref<bool(const envelope&)> gone) noexcept = 0;
  virtual void send_control(peer_id to, const wire::header& h) noexcept = 0;
  virtual void send_control_long(peer_id to, const wire::header& h,
                                 std::span<const std::byte> payload) noexcept = 0;
  // See those of the endpoint.
  virtual void for_each_in_use(function_ref<void(context_id)> use) noexcept = 0;
  virtual void end_revoked(context_id context) noexcept = 0;
  virtual void forget_left(context_id context) noexcept = 0;
  virtual void forget_node(coll::node_state* node) noexcept = 0;

  service_host(const service_host&) = delete;
  service_host& operator=(const service_host&) = delete;

 protected:
  service_host() = default;
  ~service_host() = default;
};

template <class Endpoint>
class service_host_of final : public service_host {
 public:
  explicit service_host_of(Endpoint& e) noexcept : endpoint_(e) {}

  peer_id self() const noexcept override { return endpoint_.self(); }
  errc failure_of(peer_id peer) const noexcept override {
    return endpoint_.peers().failure_of(peer);
  }
  bool left(peer_id peer) const noexcept override { return endpoint_.peers().left(peer); }
  std::uint32_t losses() const noexcept override { return endpoint_.peers().losses(); }
  void revoked(int more) noexcept override { endpoint_.peers().revoked(more); }
  void index_new() noexcept override { endpoint_.inbox().index_new(); }
  void discard_if(context_id context, function_ref<bool(const envelope&)> gone) noexcept override {
    endpoint_.inbox().discard_if(context, gone);
  }
  void send_control(peer_id to, const wire::header& h) noexcept override {
    endpoint_.outbox().send_control(to, h);
  }
  void send_control_long(peer_id to, const wire::header& h,
                         std::span<const std::byte> payload) noexcept override {
    endpoint_.outbox().send_control_long(to, h, payload);
  }
  void for_each_in_use(function_ref<void(context_id)> use) noexcept override {
    endpoint_.for_each_in_use(use);
  }
  void end_revoked(context_id context) noexcept override { endpoint_.end_revoked(context); }
  void forget_left(context_id context) noexcept override { endpoint_.revocations_.forget(context); }
  void forget_node(coll::node_state* node) noexcept override { endpoint_.forget_node(node); }

 private:
  Endpoint& endpoint_;
};

}  // namespace mpx::inline v0::detail
