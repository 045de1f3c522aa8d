// SPDX-License-Identifier: BSL-1.0
// release: all
// timeout: 240
// sanitizers: none
// The contract where posts are pending and bodies are placed, over a transport that makes use of
// both; and the suite's own checks, which have to fire.

#include "late.hpp"

#include <mpx/transport/inproc.hpp>
#include <ostream>

#include "contract.hpp"
#include "elastic.hpp"
#include "late_stacks.hpp"

namespace {

using namespace transport_contract;
using late_transport::fault;
using late_transport::late;
using late_transport::plan;
using mpx::transport::basic_inproc;
using mpx::transport::inproc;
using narrow_inproc = basic_inproc<4, 4096>;

constexpr plan all{};
constexpr plan some{.pending_percent = 40, .seed = 2};
constexpr plan in_order{.in_order = true, .seed = 3};
constexpr plan large{.pending_bytes_min = 41, .place_bytes_min = 41, .seed = 4};
constexpr plan last{.post_delay_max = 0, .completion_delay_max = 400, .seed = 5};
constexpr plan narrow{.depth = 1, .pieces = 7, .seed = 6};
constexpr plan only_placed{.pending_percent = 0, .place_bytes_min = 65, .pieces = 2};
constexpr plan losing{.planted = fault::lose_completion};
constexpr plan doubling{.planted = fault::complete_twice};

static_assert(mpx::Transport<late<inproc>> && mpx::StreamTransport<late<inproc>>);
static_assert(!mpx::StreamTransport<inproc>);
static_assert(std::same_as<late_stacks::late_all::transport_type, late<inproc>>);
static_assert(
    std::same_as<late_stacks::late_narrow::transport_type::policy_axis, mpx::transport_axis>);
static_assert(late<inproc>::traits.layout != inproc::traits.layout);

template <mpx::Transport T>
void check_late() {
  check_pending<T>();
  check_placing<T>();
  check_dropping<T>();
  for (const peer_id n : {1u, 2u, 3u, 4u, 7u, 8u}) {
    CAPTURE(n);
    const auto count = static_cast<std::uint32_t>(500 / slowdown / n);
    CHECK_NOTHROW(check_all_to_all<T>(n, count, false));
    CHECK_NOTHROW(check_all_to_all<T>(n, count, true));
  }
}

TEST_CASE("late: every post is pending") { check_late<late<inproc, all>>(); }
TEST_CASE("late: some posts are pending") { check_late<late<inproc, some>>(); }
TEST_CASE("late: completions in order of the posts") { check_late<late<inproc, in_order>>(); }
TEST_CASE("late: tiny packets are done at once") { check_late<late<inproc, large>>(); }
TEST_CASE("late: completions are delayed for long") { check_late<late<inproc, last>>(); }
TEST_CASE("late: one pending post at a time, over tiny rings") {
  check_late<late<narrow_inproc, narrow>>();
}
TEST_CASE("late: late over late") { check_late<late<late<inproc, some>, in_order>>(); }
TEST_CASE("late: bodies are placed, nothing is pending") {
  check_packets<late<inproc, only_placed>>();
  check_waiting<late<inproc, only_placed>>();
}
TEST_CASE("late: memory") { check_rma<late<inproc>>(true); }

TEST_CASE("late: peers are added and dropped") {
  check_elastic<late<inproc, all>>();
  check_elastic<late<narrow_inproc, some>>();
}

TEST_CASE("late: the paths are taken") {
  std::uint64_t pending = 0;
  CHECK(pending_report<late<inproc, all>>(3, 100, 1, &pending) == "");
  CHECK(pending == 900);
  pending = 0;
  CHECK(pending_report<late<inproc, some>>(3, 100, 1, &pending) == "");
  CHECK(pending > 300);
  CHECK(pending < 900);
  pending = 0;
  CHECK(pending_report<inproc>(3, 100, 1, &pending) == "");
  CHECK(pending == 0);

  cluster<late<inproc>> job(2);
  correspondent<late<inproc>> zero(job[0], 2, 1), one(job[1], 2, 2);
  while (zero.posted_to(1) < 500 || one.got() < 500 || zero.held() != 0) {
    if (zero.posted_to(1) < 500) zero.post(1);
    zero.poll();
    one.poll();
  }
  CHECK(zero.complaint() == "");
  CHECK(one.complaint() == "");
  CHECK(job[0].counters().posts == 500);
  CHECK(job[0].counters().pending == 500);
  CHECK(job[0].counters().completions == 500);
  CHECK(job[0].counters().disordered > 50);
  CHECK(job[1].counters().placed == one.places());
  CHECK(job[1].counters().placed > 100);
  CHECK(job[1].counters().unplaced > 50);
  CHECK(job[1].counters().misplaced == 0);
}

TEST_CASE("late: a payload is read after the post, and the same seed does the same") {
  std::vector<std::uint64_t> polls_until_read;
  for (int again = 0; again < 2; ++again) {
    cluster<late<inproc>> job(2);
    keeper ignored, sink;
    std::vector<std::byte> body(100, std::byte{1});
    REQUIRE(job[0].post(1, header_of(0), body, 7) == outcome::pending);
    body.assign(100, std::byte{2});  // Against the contract: it has to be seen.
    std::uint64_t polls = 0;
    while (sink.packets.empty() && ++polls < 1000) {
      job[0].poll(ignored);
      job[1].poll(sink);
    }
    REQUIRE(sink.packets.size() == 1);
    CHECK(sink.packets[0].payload == body);
    polls_until_read.push_back(polls);
  }
  CHECK(polls_until_read[0] == polls_until_read[1]);
}

TEST_CASE("late: lost and doubled completions are found by the suite") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CHECK(pending_report<late<inproc, losing>>(2, 40, seed) == "a completion has not come");
    CHECK(pending_report<late<inproc, doubling>>(2, 40, seed) ==
          "a completion of a post that is not pending");
  }
  cluster<late<inproc>> job(2);  // Planted at run time.
  job[0].plant(fault::complete_twice);
  correspondent<late<inproc>> zero(job[0], 2, 1), one(job[1], 2, 2);
  for (int i = 0; i < 2000 && zero.complaint().empty(); ++i) {
    zero.post(1);
    zero.poll();
    one.poll();
  }
  CHECK(zero.complaint() == "a completion of a post that is not pending");
}

}  // namespace
