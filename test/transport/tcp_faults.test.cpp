// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// alone: yes
// timeout: 240
// Over a network that breaks at every byte: nothing is lost, doubled or out of order.

#include <atomic>
#include <mpx/transport/tcp.hpp>
#include <ostream>

#include "contract.hpp"
#include "helped.hpp"
#include "relay.hpp"

namespace {

using namespace transport_contract;
using helped_transport::helped;
using mpx::transport::basic_tcp;
using mpx::transport::detail::tcp_state;
using relayed_transport::fate;
using relayed_transport::fates;
using relayed_transport::fault;
using relayed_transport::relayed;
using over_relay = relayed<basic_tcp<64 * 1024>>;

constexpr fault all_faults[] = {fault::reset, fault::close, fault::half, fault::swallow,
                                fault::stall};
/// Of a proven connection: what passes before its first packet.
constexpr std::uint64_t preamble = 40 + 112 + 40 + 2 * 48;

std::string what_of(const over_relay& t) {
  const auto& c = t.counters();
  const auto& d = t.door();
  return "; calls " + std::to_string(c.calls) + ", crossed " + std::to_string(c.crossed) +
         ", opened " + std::to_string(c.opened) + ", broken " + std::to_string(c.broken) +
         ", accepted " + std::to_string(d.accepted) + ", admitted " + std::to_string(d.admitted) +
         ", strangers " + std::to_string(d.strangers) + ", pauses " + std::to_string(d.pauses) +
         ", connections of its relay " + std::to_string(t.network().connections());
}

/// Both ranks send until each has sent and got `packets`, while connections break.
std::string talk(std::uint32_t packets, std::uint64_t seed, std::uint64_t* broken = nullptr) {
  cluster<over_relay> job(2);
  correspondent<over_relay> zero(job[0], 2, seed);
  correspondent<over_relay> one(job[1], 2, seed + 1);
  const deadline limit(40);
  while (zero.got() < packets || one.got() < packets || zero.held() + one.held() != 0) {
    if (zero.posted() < packets) zero.post(1);
    if (one.posted() < packets) one.post(0);
    zero.poll();
    one.poll();
    for (const auto* c : {&zero, &one})
      if (!c->complaint().empty()) return c->complaint();
    if (limit.passed())
      return "after 40 s rank 0 has " + std::to_string(zero.got()) + " packets, rank 1 " +
             std::to_string(one.got()) + ", states " +
             std::to_string(static_cast<int>(job[0].state_of(1))) + " and " +
             std::to_string(static_cast<int>(job[1].state_of(0))) + what_of(job[0]) +
             what_of(job[1]);
  }
  if (broken != nullptr) *broken += job[0].counters().broken + job[1].counters().broken;
  return "";
}

TEST_CASE("tcp faults: resets at every byte") {
  // Every other connection lives for a while: a peer that is never reached is reported.
  std::atomic<unsigned> position = 0;
  std::uint64_t broken = 0;
  fates() = [&](unsigned connection) {
    return connection % 2 == 0 ? fate{fault::reset, position++}
                               : fate{fault::reset, preamble + 3000 + position % 64};
  };
  for (std::uint64_t seed = 1; position < preamble + 150 && seed < 100; ++seed) {
    CAPTURE(seed);
    REQUIRE(talk(60, seed, &broken) == "");
  }
  CHECK(position >= preamble + 150);
  CHECK(broken > 100);
}

TEST_CASE("tcp faults: of each kind, anywhere") {
  for (const fault what : all_faults) {
    CAPTURE(static_cast<int>(what));
    std::uint64_t broken = 0;
    fates() = [what](unsigned connection) {
      return fate{what, connection % 4 == 0 ? preamble / 2 + connection
                                            : preamble + 20'000 + 9770 * (connection % 7)};
    };
    for (std::uint64_t seed = 1; seed <= 2; ++seed) REQUIRE(talk(100, seed, &broken) == "");
    if (what != fault::stall) CHECK(broken > 3);
  }
}

TEST_CASE("tcp faults: the contract") {
  std::atomic<unsigned> serial = 0;
  fates() = [&](unsigned) {
    const unsigned n = serial++;
    return fate{all_faults[n % std::size(all_faults)], preamble + n * 7919 % 40'000};
  };
  for (const peer_id n : {2u, 3u, 7u}) {
    CAPTURE(n);
    CHECK(pending_report<helped<over_relay>>(n, 300 / n, 5) == "");
  }
  check_placing<helped<over_relay>>();
}

}  // namespace
