// SPDX-License-Identifier: BSL-1.0
// timeout: 240
// sanitizers: none
// The contract of transports over channel devices.

#include <mpx/transport/channel/blocking.hpp>
#include <mpx/transport/channel/pipes.hpp>
#include <mpx/transport/channel/sockets.hpp>
#include <ostream>

#include "channel_cases.hpp"

namespace {
namespace over_streams {

using namespace transport_contract;
using mpx::transport::channel;
static_assert(!mpx::RmaTransport<channel<mpx::device::pipes>>);
static_assert(mpx::StreamTransport<channel<mpx::device::pipes>>);
static_assert(mpx::PollableTransport<channel<mpx::device::pipes>>);
static_assert(mpx::BlockingDevice<mpx::device::blocking>);
static_assert(!mpx::BlockingDevice<mpx::device::sockets>);
static_assert(mpx::LossDevice<mpx::device::pipes> && mpx::PollableDevice<mpx::device::pipes>);

TEST_CASE("channel: pipes") { check_channel<channel<mpx::device::pipes>>(12); }
TEST_CASE("channel: sockets") { check_channel<channel<mpx::device::sockets>>(20); }
TEST_CASE("channel: calls that block") {
  using mpx::device::blocking;
  check_channel<channel<blocking>>(20);
  // The adapter keeps within what the device buffers, with the longest packets too.
  cluster<channel<blocking>> job(2);
  std::uint32_t posted = 0;
  keeper sink;
  for (int round = 0; round < 50; ++round) {
    constexpr std::size_t most = channel<blocking>::traits.packet_bytes_max;
    while (post(job[0], 1, posted, posted % 2 == 0 ? most : 8) == outcome::done) ++posted;
    poll_until(job[1], sink, posted);
    for (int i = 0; i < 3; ++i) job[0].poll(sink);
  }
  CHECK(posted >= 100);
  CHECK(job[0].device().sends_waited() == 0);
}

}  // namespace over_streams
}  // namespace
