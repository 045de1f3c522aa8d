// SPDX-License-Identifier: BSL-1.0
// timeout: 180
// sanitizers: address
// Whatever arrives, a rank neither crashes nor hangs nor holds more than it may; what waits for a
// peer that talks nonsense ends with an error.

#include <chrono>

#include "engine/malformed.hpp"

#include "comm/ranks.hpp"

namespace {

#ifdef MPX_TEST_SANITIZED
constexpr std::size_t frames_min = 40'000;
#else
constexpr std::size_t frames_min = 100'000;
#endif

std::vector<std::uint8_t> random_bytes(std::uint64_t seed, std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  for (std::size_t i = 0; i < count; ++i)
    bytes[i] = std::to_integer<std::uint8_t>(ranks::byte_of(seed, i));
  return bytes;
}

}  // namespace

TEST_CASE_TEMPLATE("random and damaged frames end in errors", Stack, malformed::stack,
                   malformed::late_stack, malformed::locked_stack) {
  const ranks::watchdog guard("malformed frames", std::chrono::seconds(150));
  mpx::bootstrap::any job{mpx::bootstrap::singleton()};
  malformed::tally all;
  for (std::uint64_t seed = 0; all.frames < frames_min; ++seed) {
    CAPTURE(seed);
    // Short scripts for a rank whose peers are still trusted.
    const auto bytes = random_bytes(seed, 50 + seed % 20 * 100);
    malformed::rank<Stack> rank(job, bytes);
    const malformed::tally t = rank.run();
    REQUIRE(t.inexplicable == 0);
    all.frames += t.frames;
    all.operations += t.operations;
    all.failed += t.failed;
  }
  MESSAGE(all.frames, " frames, ", all.operations, " operations, ", all.failed, " failed");
  CHECK(all.failed > all.operations / 20);
  CHECK(all.failed < all.operations);
}

TEST_CASE("a peer cannot ask for a part of memory that was not exposed to it") {
  const ranks::watchdog guard("a dropped send", std::chrono::seconds(20));
  mpx::bootstrap::any job{mpx::bootstrap::singleton()};
  mpx::detail::endpoint<malformed::stack> endpoint(job);
  mpx::communicator<malformed::stack> world(endpoint, endpoint.new_communicator_state(), 0, 0, 4);
  const auto data = ranks::message(10'000, 1);
  auto send = world.isend(data, 1);
  const auto [peer, ticket] = endpoint.transport().ticket(0);
  const mpx::wire::clearance c{
      .bytes = 10'000, .from = 5'000, .memory = {}, .ticket = 1, .reserved = 0};
  std::vector<std::byte> payload(sizeof c);
  std::memcpy(payload.data(), &c, sizeof c);
  endpoint.transport().arrive(
      {peer, mpx::wire::pack({.kind = mpx::wire::kind::clear, .ticket = ticket}), payload});
  endpoint.progress();
  CHECK(send.done());
  CHECK(ranks::errc_of([&] { send.wait(); }) == mpx::errc::protocol);
}
