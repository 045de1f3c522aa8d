// SPDX-License-Identifier: BSL-1.0
#pragma once
// The contract suites over a transport channel, and the paper's test of a new device: 10,000 control
// messages each way, and channels that are full.

#include <cstring>
#include <mpx/transport/channel.hpp>
#include <utility>

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

/// A message of a peer that no adapter sends makes the peer malformed, once, after the
/// packets before it. Afterwards nothing of it is heard, and posts to it are refused.
template <mpx::Transport T>
void check_malformed() {
  using mpx::transport::detail::control_header;
  using mpx::transport::detail::control_kind;
  constexpr std::uint32_t most = T::traits.packet_bytes_max;
  const auto as_bytes = [](const control_header& h) {
    std::vector<std::byte> b(sizeof h);
    std::memcpy(b.data(), &h, sizeof h);
    return b;
  };
  std::vector<std::vector<std::byte>> bad{{},
                                          std::vector<std::byte>(1),
                                          std::vector<std::byte>(sizeof(control_header) - 1),
                                          as_bytes({control_kind{7}, 0, 0, 0, {}}),
                                          as_bytes({control_kind::with_payload, 8, 0, 0, {}}),
                                          as_bytes({control_kind::on_channel, 0, 0, 0, {}}),
                                          as_bytes({control_kind::on_channel, most + 1, 0, 0, {}}),
                                          as_bytes({control_kind::counts, 1, 0, 0, {}}),
                                          as_bytes({control_kind::pull, 0, 0, 0, {}}),
                                          as_bytes({control_kind::pull, most + 1, 0, 0, {}}),
                                          as_bytes({control_kind::pulled, 0, 0, 0, {}}),
                                          as_bytes({control_kind::pulled, most + 1, 0, 0, {}})};
  constexpr bool counts = mpx::BlockingDevice<typename T::device_type>;
  // Counts of packets and of counts that were never sent; and counts where none are due.
  bad.push_back(as_bytes({control_kind::counts, 0, counts ? 1u : 0u, 0, {}}));
  if (counts) bad.push_back(as_bytes({control_kind::counts, 0, 0, 1, {}}));
  for (std::size_t i = 0; i < bad.size(); ++i) {
    CAPTURE(i);
    cluster<T> job(3);
    keeper sink;
    REQUIRE(post(job[0], 1, 0, 8) == outcome::done);
    REQUIRE(job[0].device().send_control(1, bad[i], 0));
    const deadline limit;
    while (sink.malformed_from.empty() && !limit.passed()) job[1].poll(sink);
    REQUIRE(sink.malformed_from.size() == 1);
    CHECK(sink.malformed_from[0] == 0);
    CHECK(sink.packets.size() == 1);
    CHECK(post(job[1], 0, 0, 8) == outcome::refused);
    if (!counts) static_cast<void>(job[0].device().send_control(1, bad[i], 0));
    REQUIRE(post(job[2], 1, 5, 8) == outcome::done);  // Others go on.
    poll_until(job[1], sink, 2);
    for (int polls = 0; polls < 100; ++polls) job[1].poll(sink);
    CHECK(sink.malformed_from.size() == 1);
    CHECK(sink.packets.size() == 2);
  }
}

/// Counts operations that have failed, too.
struct fetcher : keeper {
  int failures = 0;
  void complete(mpx::cookie_t cookie, bool ok) noexcept {
    keeper::complete(cookie, ok);
    failures += ok ? 0 : 1;
  }
};

/// Data is fetched from the owner's memory, if it is exposed to this peer and not taken back; the
/// owner waits for a piece under way; what was never asked for makes the peer malformed.
template <mpx::FetchTransport T>
void check_fetching() {
  using mpx::transport::detail::control_header;
  using mpx::transport::detail::control_kind;
  constexpr std::size_t most = T::traits.packet_bytes_max;
  cluster<T> job(3);
  keeper ignored;
  fetcher sink;
  std::vector<std::byte> there(2 * most);
  std::vector<std::byte> here(most);
  patterns::fill(std::span(there), 1);
  const mpx::remote_memory at = job[1].expose(0, there);
  REQUIRE(at.key != 0);
  const deadline limit;
  const auto get = [&](peer_id by, peer_id of, mpx::remote_memory m, std::uint64_t offset,
                       std::size_t bytes) {
    sink = fetcher();
    if (job[by].get(of, m, offset, std::span(here).first(bytes), 7) != outcome::pending)
      return false;
    while (sink.completions == 0) {
      job[of].poll(ignored);
      job[by].poll(sink);
      REQUIRE(!limit.passed());
    }
    return sink.failures == 0;
  };
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{100}, most}) {
    for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{33}, std::uint64_t{most}}) {
      REQUIRE(get(0, 1, at, offset, bytes));
      CHECK(std::equal(here.begin(), here.begin() + static_cast<std::ptrdiff_t>(bytes),
                       there.begin() + static_cast<std::ptrdiff_t>(offset)));
    }
  }
  CHECK(!get(0, 1, at, most + 1, most));  // Beyond the end,
  CHECK(!get(0, 1, at, ~std::uint64_t{0}, 1));
  CHECK(!get(0, 1, {0, at.key + 1}, 0, 1));  // a key of nothing,
  CHECK(!get(2, 1, at, 0, 1));               // and memory for another peer.
  CHECK(job[0].get(1, at, 0, std::span(there).first(most + 1), 7) == outcome::refused);

  // The owner takes its memory back while it is read: all that arrives is from before.
  std::ranges::fill(here, std::byte{0});
  sink = fetcher();
  REQUIRE(job[0].get(1, at, 0, here, 7) == outcome::pending);
  job[1].poll(ignored);
  CHECK(job[1].withdraw(0, at) == outcome::retry);
  while (job[1].withdraw(0, at) == outcome::retry) {
    job[0].poll(sink);
    REQUIRE(!limit.passed());
  }
  std::ranges::fill(there, std::byte{0xee});
  while (sink.completions == 0) {
    job[0].poll(sink);
    REQUIRE(!limit.passed());
  }
  CHECK(sink.failures == 0);
  CHECK(has_pattern(here, 1));
  CHECK(!get(0, 1, at, 0, 1));

  // So many at a time. Those of a peer that is dropped end, in whatever state they are.
  const mpx::remote_memory again = job[1].expose(0, there);
  sink = fetcher();
  for (int i = 0; i < 64; ++i) REQUIRE(job[0].get(1, again, 0, here, 7) == outcome::pending);
  CHECK(job[0].get(1, again, 0, here, 7) == outcome::retry);
  for (int polls = 0; polls < 2; ++polls) {
    job[1].poll(ignored);
    job[0].poll(sink);
  }
  job[0].drop_peer(1);
  job[1].drop_peer(0);
  CHECK(job[1].withdraw(0, again) == outcome::done);
  std::ranges::fill(here, std::byte{0xaa});
  for (int polls = 0; polls < 10; ++polls) job[0].poll(sink);
  CHECK(sink.completions == 64);
  CHECK(std::ranges::all_of(here, [](std::byte b) { return b == std::byte{0xaa}; }));

  for (const std::uint32_t bytes : {0u, 8u}) {  // Data, or its refusal, for which none has asked.
    cluster<T> other(2);
    keeper heard;
    const control_header h{control_kind::pulled, bytes, 0, 0, {}};
    REQUIRE(other[0].device().send_control(1, std::as_bytes(std::span(&h, 1)), 0));
    while (heard.malformed_from.empty() && !limit.passed()) other[1].poll(heard);
    CHECK(heard.malformed_from.size() == 1);
  }
}

/// A rank that is gone is lost once, after what it had sent; then posts to it are refused.
template <mpx::Transport T>
void check_loss() {
  for (const bool is_cut : {false, true}) {
    CAPTURE(is_cut);
    cluster<T> job(3);
    mourner sink;
    std::uint32_t posted = 0;
    while (posted < 10 && post(job[0], 1, posted, 8) == outcome::done) ++posted;
    // The last payload may be too long for the channel: then half of it never comes.
    const payload big(posted, T::traits.packet_bytes_max);
    const auto fill = [&](peer_id from, peer_id to) {
      for (std::uint32_t n = 0;; ++n) {
        const outcome o = job[from].post(to, header_of(n), big.view(), 1);
        if (o != outcome::done) return std::pair(n, o == outcome::pending);
        REQUIRE(n < 1000);
      }
    };
    if (is_cut) posted += fill(0, 1).first;
    const bool is_pending = fill(1, 0).second;
    job.end(0);
    const deadline limit;
    while (sink.losses == 0 && !limit.passed()) job[1].poll(sink);
    for (int polls = 0; polls < 100; ++polls) job[1].poll(sink);
    CHECK(sink.losses == 1);
    CHECK(sink.packets.size() == posted);
    CHECK(sink.completions == (is_pending ? 1 : 0));
    CHECK(post(job[1], 0, 0, 8) == outcome::refused);
    REQUIRE(post(job[2], 1, 5, 8) == outcome::done);
    poll_until(job[1], sink, posted + 1);
    REQUIRE(job[1].arm());  // Nothing of the lost rank keeps this one awake.
    const std::int64_t begin = mpx::platform::now_ns();
    job[1].sleep(2'000'000);
    CHECK(mpx::platform::now_ns() - begin >= 1'000'000);
    job[1].disarm();
  }
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
  check_malformed<T>();
  if constexpr (mpx::FetchTransport<T> && !mpx::RmaTransport<T>) {
    check_fetching<T>();
    check_exposures_end<T>();
  }
  if constexpr (mpx::LossDevice<typename T::device_type> &&
                !mpx::BlockingDevice<typename T::device_type>)
    check_loss<T>();
  for (const peer_id n : {1u, 2u, 3u, 4u, 7u, 8u}) {
    CAPTURE(n);
    const auto count = static_cast<std::uint32_t>(2000 / slowdown / n);
    CHECK_NOTHROW(check_all_to_all<T>(n, count, false));
    CHECK_NOTHROW(check_all_to_all<T>(n, count, true));
  }
}

}  // namespace transport_contract
