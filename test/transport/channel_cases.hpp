// SPDX-License-Identifier: BSL-1.0
#pragma once
// The contract suites over a transport channel, and the paper's test of a new device: 10,000 control
// messages each way, and channels that are full.

#include <mpx/transport/channel.hpp>

#include "contract.hpp"
#include "copied.hpp"
#include "helped.hpp"
#include "pollable.hpp"

namespace transport_contract {

/// Control messages to and fro between two ranks. `rounds`: in each direction.
/// Source: Gropp and Lusk, 12.
template <mpx::Transport T>
void check_to_and_fro(std::uint32_t rounds) {
  cluster<T> job(2);
  std::uint32_t got[2] = {0, 0};
  int wrong = 0;
  const deadline limit;
  for (std::uint32_t i = 0; i < rounds; ++i) {
    for (const peer_id me : {0u, 1u}) {
      while (post(job[me], 1 - me, i, 8) == outcome::retry) {
        keeper none;
        job[me].poll(none);
        wrong += none.packets.empty() ? 0 : 1;
        REQUIRE(!limit.passed());
      }
      calling_sink sink{
          [&](peer_id source, const frame_header& h, std::span<const std::byte> data) {
            wrong += source == me && same(h, header_of(i)) && has_pattern(data, i) ? 0 : 1;
            ++got[1 - me];
          }};
      while (got[1 - me] <= i) {
        job[1 - me].poll(sink);
        REQUIRE(!limit.passed());
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(got[0] == rounds);
  CHECK(got[1] == rounds);
}

/// Both ranks fill the channel to the other before either receives: no call waits, and all arrive.
template <mpx::Transport T>
void check_exhaustion() {
  cluster<T> job(2);
  keeper sinks[2];
  std::uint32_t posted[2] = {0, 0};
  for (int round = 0; round < 20; ++round) {
    for (const peer_id me : {0u, 1u})
      while (post(job[me], 1 - me, posted[me], round % 2 == 0 ? 8 : T::traits.packet_bytes_max) ==
             outcome::done)
        ++posted[me];
    for (const peer_id me : {0u, 1u}) poll_until(job[me], sinks[me], posted[1 - me]);
    for (const peer_id me : {0u, 1u}) CHECK(sinks[me].packets.size() == posted[1 - me]);
  }
  CHECK(posted[0] >= 20);
  CHECK(posted[1] >= 20);
}

/// Memory that the sink takes back in the middle of a payload is not touched any more. (As
/// check_placing, with both ranks at work: a channel may hold less than a payload.)
template <mpx::StreamTransport T>
void check_taking_back() {
  for (int after = 0; after < 4; ++after) {
    CAPTURE(after);
    cluster<T> job(2);
    keeper ignored;
    placing_keeper sink;
    const payload first(0, T::traits.packet_bytes_max);
    const payload second(1, T::traits.packet_bytes_max);
    REQUIRE(job[0].post(1, header_of(0), first.view(), 0) != outcome::retry);
    const deadline limit;
    for (int polls = 0; sink.placed == 0 || polls < after; ++polls) {
      job[1].poll(sink);
      if (sink.placed != 0) job[0].poll(ignored);
      REQUIRE(!limit.passed());
    }
    const bool is_late = !sink.packets.empty();
    job[1].cancel_place(0);
    const std::vector<std::byte> before = sink.memory;
    const std::size_t wanted = is_late ? 2 : 1;
    for (bool is_posted = false; sink.packets.size() < wanted;) {
      if (!is_posted) is_posted = job[0].post(1, header_of(1), second.view(), 1) != outcome::retry;
      job[0].poll(ignored);
      job[1].poll(sink);
      REQUIRE(!limit.passed());
    }
    if (!is_late) CHECK(sink.memory == before);
    CHECK(sink.packets.size() == wanted);
    CHECK(same(sink.packets.back().header, header_of(1)));
    CHECK(has_pattern(sink.packets.back().payload, 1));
  }
}

/// Half of a payload is read from other memory than the rest.
template <mpx::StreamTransport T>
void check_relocation() {
  cluster<T> job(2);
  keeper ignored;
  keeper sink;
  payload there(7, T::traits.packet_bytes_max);
  std::vector<std::byte> here(there.view().begin(), there.view().end());
  const outcome o = job[0].post(1, header_of(7), here, 3);
  REQUIRE(o != outcome::retry);
  if (o == outcome::pending) {
    job[0].relocate(4, here, nullptr);  // Another post.
    job[0].relocate(3, here, there.view().data());
    std::ranges::fill(here, std::byte{0xee});
  }
  const deadline limit;
  while (sink.packets.empty() || (o == outcome::pending && ignored.completions == 0)) {
    job[0].poll(ignored);
    job[1].poll(sink);
    REQUIRE(!limit.passed());
  }
  CHECK(has_pattern(sink.packets[0].payload, 7));
}

/// For a device that differs from one that passes check_channel in one respect.
template <mpx::Transport T>
void check_briefly() {
  using quiet = helped_transport::helped<copied_transport::copied<T>>;
  check_to_and_fro<T>(1000);
  check_exhaustion<quiet>();
  check_packets<quiet>();
  check_arm_sees_what_is_there<quiet>();
  check_starved_sender<quiet>();
  CHECK_NOTHROW(check_all_to_all<T>(4, 500 / slowdown, true));
}

/// The suite of a transport channel. `many`: the ranks of its largest job.
template <mpx::Transport T>
void check_channel(peer_id many) {
  using quiet = helped_transport::helped<copied_transport::copied<T>>;
  check_to_and_fro<T>(10'000 / slowdown);
  check_exhaustion<quiet>();
  check_packets<quiet>();
  check_waiting<quiet>();
  check_many_peers<quiet>(many);
  if constexpr (mpx::PollableTransport<quiet>) check_pollable<quiet>();
  check_pending<T>();
  if constexpr (!mpx::NonblockingDevice<typename T::device_type>) check_taking_back<T>();
  check_relocation<T>();
  check_dropping<T>();
  for (const peer_id n : {1u, 2u, 3u, 4u, 7u, 8u}) {
    CAPTURE(n);
    const auto count = static_cast<std::uint32_t>(2000 / slowdown / n);
    CHECK_NOTHROW(check_all_to_all<T>(n, count, false));
    CHECK_NOTHROW(check_all_to_all<T>(n, count, true));
  }
}

}  // namespace transport_contract
