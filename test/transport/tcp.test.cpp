// SPDX-License-Identifier: BSL-1.0
// timeout: 240
// The contract over sockets, and what transport tcp alone promises.

#include <mpx/transport/tcp.hpp>
#include <ostream>

#include "contract.hpp"
#include "helped.hpp"
#include "pollable.hpp"

namespace {

using namespace transport_contract;
using helped_transport::helped;
using mpx::transport::basic_tcp;
using mpx::transport::tcp;
using copying = helped<basic_tcp<64 * 1024, false, 100'000>>;  // Soon full.
using pending = helped<basic_tcp<64 * 1024, true>>;

static_assert(mpx::Transport<tcp> && mpx::StreamTransport<tcp> && mpx::PollableTransport<tcp>);
static_assert(mpx::ConnectionTransport<tcp>);
static_assert(!mpx::RmaTransport<tcp> && !mpx::ElasticTransport<tcp>);
static_assert(mpx::posts_pend<tcp> && !mpx::posts_pend<copying>);

TEST_CASE("tcp: packets") { check_packets<copying>(); }
TEST_CASE("tcp: waiting") { check_waiting<copying>(); }
TEST_CASE("tcp: PollableTransport") { check_pollable<copying>(); }
TEST_CASE("tcp: many peers") { check_many_peers<copying>(70); }
TEST_CASE("tcp: posts that wait where they are") {
  check_pending<pending>();
  check_placing<pending>();
  check_dropping<pending>();
}
TEST_CASE("tcp: a rank leaves") {
  check_parting<tcp>();
  check_parting<basic_tcp<64 * 1024, false, 100'000>>();
}
TEST_CASE("tcp: traffic") {
  for (const peer_id n : {1u, 2u, 3u, 4u, 7u, 8u}) {
    CAPTURE(n);
    const auto count = static_cast<std::uint32_t>(2000 / slowdown / n);
    CHECK_NOTHROW(check_all_to_all<basic_tcp<64 * 1024>>(n, count, false));
    CHECK_NOTHROW(check_all_to_all<basic_tcp<64 * 1024>>(n, count, true));
    CHECK_NOTHROW(check_all_to_all<basic_tcp<4096, false>>(n, count, true));
  }
}

}  // namespace
