// SPDX-License-Identifier: BSL-1.0
// timeout: 240
// The contract of transports over channel devices.

#include <mpx/transport/channel/pipes.hpp>
#include <mpx/transport/channel/sockets.hpp>
#include <ostream>

#include "contract.hpp"
#include "copied.hpp"
#include "helped.hpp"
#include "pollable.hpp"

namespace {

using namespace transport_contract;
using mpx::transport::channel;
template <class Device>
using settled = helped_transport::helped<copied_transport::copied<channel<Device>>>;

template <class Device>
void check_device(peer_id many) {
  using quiet = settled<Device>;
  using bare = channel<Device>;
  check_packets<quiet>();
  check_waiting<quiet>();
  check_many_peers<quiet>(many);
  check_pollable<quiet>();
  check_pending<bare>();
  if constexpr (mpx::StreamTransport<bare> && !mpx::NonblockingDevice<Device>)
    check_placing<bare>();
  check_dropping<bare>();
  for (const peer_id n : {1u, 2u, 3u, 4u, 7u, 8u}) {
    CAPTURE(n);
    const auto count = static_cast<std::uint32_t>(2000 / slowdown / n);
    CHECK_NOTHROW(check_all_to_all<bare>(n, count, false));
    CHECK_NOTHROW(check_all_to_all<bare>(n, count, true));
  }
}

static_assert(mpx::Transport<channel<mpx::device::pipes>>);
TEST_CASE("channel: pipes") { check_device<mpx::device::pipes>(12); }
TEST_CASE("channel: sockets") { check_device<mpx::device::sockets>(20); }

}  // namespace
