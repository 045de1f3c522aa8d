// SPDX-License-Identifier: BSL-1.0
// The transport axis: the archetype models every concept, a class that lacks one function of a
// concept does not model it, and the defaults do nothing.

#include <doctest/doctest.h>

#include <array>
#include <mpx/transport/inproc.hpp>
#include <mpx/transport/shm.hpp>
#include <string>
#include <string_view>

#include "models.hpp"

namespace {

using namespace transport_models;  // NOLINT(google-build-using-namespace)

// --- A class that lacks a function ---------------------------------------------------------------

// Each declares a function of the same name that cannot be called, which hides the archetype's.
#define LACKS(name)                           \
  struct lacks_##name : transport_archetype { \
    void name() = delete;                     \
  }
LACKS(self);
LACKS(peers);
LACKS(post);
LACKS(poll);
LACKS(arm);
LACKS(sleep);
LACKS(disarm);
LACKS(wake);
LACKS(oversubscribed);
LACKS(now_ns);
LACKS(take_if);
LACKS(shares_core);
LACKS(wait_max_ns);
LACKS(maintenance_ns);
LACKS(drop_peer);
LACKS(loss_text);
LACKS(expose);
LACKS(withdraw);
LACKS(get_cost_hint);
LACKS(get);
LACKS(put);
LACKS(pin_exposure);
LACKS(get_held);
LACKS(get_batch);
LACKS(retire);
LACKS(revoke);
LACKS(prefers_put);
LACKS(allocate);
LACKS(deallocate);
LACKS(put_then);
LACKS(allocate_shared);
LACKS(deallocate_shared);
LACKS(make_block);
LACKS(block_at);
LACKS(free_block);
LACKS(wake_peer);
LACKS(has_unsent);
LACKS(has_heard_out);
LACKS(is_connected);
LACKS(monitor);
LACKS(cancel_place);
LACKS(relocate);
LACKS(prepaid_credit);
LACKS(try_post_prepaid);
LACKS(node_of);
LACKS(is_near);
LACKS(post_near);
LACKS(packet_bytes_max);
LACKS(far_traits);
LACKS(address);
LACKS(add_peer);
LACKS(descriptor);
LACKS(atomics);
LACKS(atomic);
#undef LACKS

template <class... T>
constexpr bool none_is_a_transport = !(Transport<T> || ...);
static_assert(none_is_a_transport<lacks_self, lacks_peers, lacks_post, lacks_poll, lacks_arm,
                                  lacks_sleep, lacks_disarm, lacks_wake, lacks_oversubscribed>);
static_assert(none_is_a_transport<lacks_now_ns, lacks_take_if, lacks_shares_core, lacks_wait_max_ns,
                                  lacks_maintenance_ns, lacks_drop_peer, lacks_loss_text>);

/// True if T models all refinements except those at these indices.
template <class T, std::size_t... Except>
constexpr bool models_all_but = [] {
  std::array<bool, 14> expected = models<transport_archetype>;
  ((expected[Except] = false), ...);
  return Transport<T> && models<T> == expected;
}();
// A class that cannot move memory models no refinement of FetchTransport or RmaTransport.
static_assert(models_all_but<transport_archetype>);
static_assert(models_all_but<lacks_expose, 0, 1, 2, 3, 4, 12, 13>);
static_assert(models_all_but<lacks_withdraw, 0, 1, 2, 3, 4, 12, 13>);
static_assert(models_all_but<lacks_get_cost_hint, 0, 1, 2, 3, 4, 12, 13>);
static_assert(models_all_but<lacks_get, 0, 1, 2, 3, 4, 12, 13>);
static_assert(models_all_but<lacks_put, 0, 1, 2, 3, 4, 12>);
static_assert(models_all_but<lacks_pin_exposure, 1> && models_all_but<lacks_get_held, 1>);
static_assert(models_all_but<lacks_get_batch, 1>);
static_assert(models_all_but<lacks_retire, 2> && models_all_but<lacks_revoke, 2>);
static_assert(models_all_but<lacks_prefers_put, 2>);
static_assert(models_all_but<lacks_allocate, 2> && models_all_but<lacks_deallocate, 2>);
static_assert(models_all_but<lacks_put_then, 3>);
static_assert(models_all_but<lacks_allocate_shared, 4>);
static_assert(models_all_but<lacks_deallocate_shared, 4>);
static_assert(models_all_but<lacks_make_block, 4> && models_all_but<lacks_block_at, 4>);
static_assert(models_all_but<lacks_free_block, 4> && models_all_but<lacks_wake_peer, 4>);
static_assert(models_all_but<lacks_has_unsent, 5> && models_all_but<lacks_has_heard_out, 5>);
static_assert(models_all_but<lacks_is_connected, 5> && models_all_but<lacks_monitor, 5>);
static_assert(models_all_but<lacks_cancel_place, 6> && models_all_but<lacks_relocate, 6>);
static_assert(models_all_but<lacks_prepaid_credit, 7>);
static_assert(models_all_but<lacks_try_post_prepaid, 7>);
static_assert(models_all_but<lacks_node_of, 8, 9>);
static_assert(models_all_but<lacks_is_near, 9> && models_all_but<lacks_post_near, 9>);
static_assert(models_all_but<lacks_packet_bytes_max, 9> && models_all_but<lacks_far_traits, 9>);
static_assert(models_all_but<lacks_address, 10> && models_all_but<lacks_add_peer, 10>);
static_assert(models_all_but<lacks_descriptor, 11>);
static_assert(models_all_but<lacks_atomics, 12> && models_all_but<lacks_atomic, 12>);

// --- A class with the functions of Transport alone -----------------------------------------------

struct plain : transport::defaults {
  using policy_axis = transport_axis;
  static constexpr std::string_view name = "plain";
  static constexpr transport_traits traits{.inline_bytes_max = 40, .packet_bytes_max = 4096};
  peer_id self() const noexcept { return 0; }
  peer_id peers() const noexcept { return 1; }
  outcome post(peer_id, const frame_header&, std::span<const std::byte>, cookie_t) noexcept {
    return outcome::refused;
  }
  std::size_t poll(PacketSink auto&) noexcept { return 0; }
  bool arm() noexcept { return true; }
  void sleep(std::int64_t) noexcept {}
  void disarm() noexcept {}
  void wake() noexcept {}
  bool oversubscribed() const noexcept { return false; }
};
static_assert(Transport<plain>);
static_assert(!posts_pend<transport::inproc> && posts_pend<plain>);
static_assert(peers_share_addresses<transport::inproc> && !peers_share_addresses<transport::shm>);
static_assert(shares_windows<transport::shm> && !shares_windows<plain>);
static_assert(sizeof(plain) == 1);

TEST_CASE("concepts: the functions of Transport alone model no refinement") {
  CHECK(modelled<plain>() == "");
  CHECK(modelled<transport_archetype>() ==
        "Rma CpuCopy Registered Immediate SharedMemory Connection Stream Prepaid Node NearFar "
        "Elastic "
        "Pollable Atomic Fetch");
}

TEST_CASE("concepts: the defaults do nothing") {
  plain t;
  const std::int64_t before = platform::now_ns();
  const std::int64_t now = t.now_ns();
  CHECK(now >= before);
  CHECK(now <= platform::now_ns());
  CHECK(!t.take_if(0, [](const frame_header&, std::span<const std::byte>) { return true; }));
  CHECK(!t.shares_core());
  CHECK(t.wait_max_ns() == INT64_MAX);
  CHECK(t.maintenance_ns() == 0);
  t.drop_peer(0);
  CHECK(t.loss_text(0) == "");
}

}  // namespace
