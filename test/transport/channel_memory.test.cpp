// SPDX-License-Identifier: BSL-1.0
// timeout: 240
// sanitizers: address
// The contract of transport channel over a device in memory, with each ability of devices.

#include <ostream>

#include "channel_cases.hpp"
#include "memory_device.hpp"

namespace {
namespace over_memory {

using namespace transport_contract;
using memory_device::options;
using mpx::transport::channel;

constexpr options two{.control_bytes_max = 64, .packet_bytes_max = 300, .buffered_packets = 2};
constexpr options three{.buffered_packets = 3, .is_unfair = true};
constexpr options own{.sends_to_self = true};

TEST_CASE("channel: five functions") { check_channel<channel<memory_device::plain<>>>(70); }
TEST_CASE("channel: messages to oneself through the device") {
  check_briefly<channel<memory_device::plain<own>>>();
}
TEST_CASE("channel: four bytes within a control message") {
  using narrow = channel<memory_device::plain<>, 4>;
  static_assert(narrow::traits.inline_bytes_max == 4);
  check_briefly<narrow>();
}
TEST_CASE("channel: the payload within a control message changes") {
  static_assert(mpx::PayloadDevice<memory_device::changing<>>);
  check_briefly<channel<memory_device::changing<>>>();
}
TEST_CASE("channel: two packets of a pair are buffered") {
  check_channel<channel<memory_device::plain<two>>>(70);
}
TEST_CASE("channel: counts make a device fair that prefers the first source") {
  check_briefly<channel<memory_device::plain<three>>>();
}
TEST_CASE("channel: operations that are started and tested") {
  static_assert(mpx::NonblockingDevice<memory_device::nonblocking<>>);
  check_channel<channel<memory_device::nonblocking<>>>(70);
}
TEST_CASE("channel: gets in pieces") {
  using device = memory_device::getting<>;
  static_assert(mpx::RmaTransport<channel<device>>);
  device::waits = false;
  check_rma<channel<device>>(true);
  device::waits = true;
  cluster<channel<device>> job(2);
  std::vector<std::byte> there(100'000);
  std::vector<std::byte> here(there.size());
  patterns::fill(std::span(there), 5);
  keeper sink;
  const mpx::remote_memory at = job[1].expose(0, there);
  for (int i = 0; i < 64; ++i)
    REQUIRE(job[0].get(1, at, 0, here, static_cast<mpx::cookie_t>(i)) == outcome::pending);
  CHECK(job[0].get(1, at, 0, here, 0) == outcome::retry);  // So many at a time.
  const deadline limit;
  while (sink.completions < 64) {
    limit.check("gets in pieces end");
    job[0].poll(sink);
  }
  CHECK(has_pattern(here, 5));
  REQUIRE(job[0].put(1, at, 0, here, 1) == outcome::pending);
  job[0].drop_peer(1);
  job[0].poll(sink);
  CHECK(sink.completions == 65);
}

}  // namespace over_memory
}  // namespace
