// SPDX-License-Identifier: BSL-1.0
// timeout: 240
// The contract over registered memory: transport rdma on the Virtual Interface Architecture.

#include <cstdlib>
#include <functional>
#include <mpx/transport/rdma.hpp>
#include <mpx/transport/rdma/via.hpp>
#include <ostream>
#include <string>
#include <utility>

#include "atomics.hpp"
#include "contract.hpp"
#include "core/errc_of.hpp"
#include "helped.hpp"
#include "immediate.hpp"
#include "patterns.hpp"
#include "placed.hpp"
#include "pollable.hpp"
#include "rdma_hostile.hpp"
#include "scripted_nic.hpp"

namespace {
namespace rdma_over_via {

using namespace transport_contract;
using helped_transport::helped;
using mpx::transport::basic_rdma;
using via = mpx::nic::via;
using usual = mpx::transport::rdma<via>;
using narrow = basic_rdma<via, 4096, 80>;                    // Soon full.
using starved = basic_rdma<via, 4096, 8>;                    // Without receives.
using direct = basic_rdma<via, 64 * 1024, 64, 16000, 1000>;  // Short ones from the user's memory.

static_assert(mpx::RegisteredTransport<usual>);
static_assert(mpx::ImmediateTransport<usual>);
static_assert(mpx::AtomicTransport<usual>);
static_assert(mpx::ConnectionTransport<usual>);
static_assert(!mpx::StreamTransport<usual> && !mpx::CpuCopyTransport<usual>);
static_assert(!mpx::posts_pend<usual>);

TEST_CASE("rdma over via: packets") {
  check_packets<helped<narrow>>();
  check_peeking<helped<narrow>>();
}
TEST_CASE("rdma over via: packets of the usual size") {
  check_packets<helped<usual>>();
  check_peeking<helped<usual>>();
}
TEST_CASE("rdma over via: waiting") { check_waiting<helped<narrow>>(); }
TEST_CASE("rdma over via: posts from the user's memory") { check_pending<helped<direct>>(); }
TEST_CASE("rdma over via: a rank leaves") {
  check_parting<narrow>();
  check_parting<starved>();
  check_parting<direct>();
}

/// A wire on which something happens after its first poll without result.
struct interrupted : mpx::transport::shm {
  using mpx::transport::shm::shm;
  std::function<void()> then;
  template <class Sink>
  std::size_t poll(Sink& sink) noexcept {
    const std::size_t n = mpx::transport::shm::poll(sink);
    if (n == 0 && then) std::exchange(then, nullptr)();
    return n;
  }
};

TEST_CASE("rdma over via: packets of a rank that sent and left since the last poll arrive") {
  cluster<mpx::transport::rdma<mpx::nic::basic_via<mpx::nic::via_options{}, interrupted>>> job(2);
  keeper sink;
  keeper own;
  REQUIRE(post(job[1], 0, 1, 8) == outcome::done);
  const deadline limit;
  while (sink.packets.empty()) {
    job[0].poll(sink);
    job[1].poll(own);
    limit.check("the first packet");
  }
  job[0].card().wire().then = [&] {
    REQUIRE(post(job[1], 0, 2, 8) == outcome::done);
    job.leave(1);
  };
  for (int i = 0; i < 100; ++i) job[0].poll(sink);
  CHECK(sink.packets.size() == 2);
  CHECK(job[0].has_heard_out(1));
}
constexpr mpx::nic::via_options little{
    .registered_bytes_max = 256 * 1024, .transfer_bytes_max = 5000, .survives_refusals = true};
using scarce = basic_rdma<mpx::nic::basic_via<little>, 4096, 80>;

/// One leaves in order, while the other one posts to it before it knows.
template <class T>
void check_leaving() {
  cluster<T> job(2);
  keeper sink, other;
  REQUIRE(post(job[0], 1, 0, 8) == outcome::done);
  REQUIRE(post(job[1], 0, 1, 8) == outcome::done);
  const deadline limit;
  while (sink.packets.empty() || other.packets.empty()) {
    job[0].poll(sink);
    job[1].poll(other);
    limit.check("the first packets");
  }
  REQUIRE(post(job[1], 0, 2, 8) == outcome::done);
  while (job[1].has_unsent()) {
    job[1].poll(other);
    limit.check("the last packet leaves");
  }
  job.end(1);
  for (std::uint32_t i = 0; i < 4; ++i) post(job[0], 1, i, 1000);
  while (!job[0].has_heard_out(1)) {
    job[0].poll(sink);
    limit.check("the end of the connection");
  }
  for (int i = 0; i < 100; ++i) job[0].poll(sink);
  CHECK(sink.malformed_from.empty());
  CHECK(sink.packets.size() == 2);
}
TEST_CASE("rdma over via: a rank that leaves withdraws its ring, and its packets arrive") {
  check_leaving<usual>();
  check_leaving<scarce>();
}
TEST_CASE("rdma over via: traffic") {
  for (const peer_id n : {1u, 2u, 3u, 7u}) {
    CAPTURE(n);
    const auto count = static_cast<std::uint32_t>(2000 / slowdown / n);
    CHECK_NOTHROW(check_all_to_all<narrow>(n, count, false));
    CHECK_NOTHROW(check_all_to_all<narrow>(n, count, true));
    CHECK_NOTHROW(check_all_to_all<starved>(n, count, false));
    CHECK_NOTHROW(check_all_to_all<starved>(n, count, true));
    CHECK_NOTHROW(check_all_to_all<direct>(n, count, true));
  }
}

// --- Memory ------------------------------------------------------------------------------------

/// Puts until it has ended. Returns whether it went well.
template <class T>
bool put(cluster<T>& job, peer_id to, const mpx::remote_memory& at, std::uint64_t offset,
         std::span<const std::byte> from) {
  ends_keeper sink, other;
  const outcome o = job[0].put(to, at, offset, from, 77);
  if (o != outcome::pending) return o == outcome::done;
  const deadline limit;
  while (sink.ended.empty()) {
    job[0].poll(sink);
    job[to].poll(other);
    limit.check("a put ends");
  }
  CHECK(sink.ended.size() == 1);
  CHECK(sink.ended[0].first == 77);
  return sink.ended[0].second;
}

TEST_CASE("rdma over via: puts") {
  for (const bool owned : {false, true}) {
    CAPTURE(owned);
    cluster<scarce> job(2);
    std::vector<std::byte> there(60'000), here(60'000);
    patterns::fill(here, 3);
    if (owned) REQUIRE(job[1].own(there));
    if (owned) REQUIRE(job[0].own(here));
    for (int again = 0; again < 3; ++again) {
      std::fill(there.begin(), there.end(), std::byte{1});
      const std::span memory = std::span(there).subspan(100, 50'000);
      const mpx::remote_memory at = job[1].expose(0, memory);
      REQUIRE(at.key != 0);
      CHECK(job[0].get_cost_hint(1, at, 50'000) == mpx::cost_hint::never);
      CHECK(put(job, 1, at, 7, std::span(here).first(49'000)));
      CHECK(there[106] == std::byte{1});
      CHECK(has_pattern(std::span(there).subspan(107, 49'000), 3));
      CHECK(there[107 + 49'000] == std::byte{1});
      job[1].retire(0, at);
    }
    CHECK(job[0].counters().pieces == 30);  // Of 5,000 bytes.
    // Owned memory is registered once.
    CHECK((job[1].registrations().misses == 1) == owned);
    CHECK((job[1].registrations().registered_bytes != 0) == owned);
    // Taken back, it is not touched.
    const mpx::remote_memory at = job[1].expose(0, there);
    CHECK(job[1].withdraw(0, at) == outcome::done);
    const std::vector<std::byte> before = there;
    CHECK(!put(job, 1, at, 0, std::span(here).first(1000)));
    CHECK(there == before);
    if (owned) job[1].disown(there);
    if (owned) job[0].disown(here);
    CHECK(job[1].registrations().registered_bytes == 0);
    CHECK(job[0].registrations().registered_bytes == 0);
  }
}

/// A card that takes no work for a while.
struct fills : via {
  template <class B>
  requires(!std::same_as<std::remove_const_t<B>, fills>)
  explicit fills(B& b) : via(b) {}
  bool full = false;
  mpx::outcome post_write(peer_id peer, std::uint64_t handle, std::span<const std::byte> from,
                          const mpx::remote_memory& to, std::uint64_t offset, mpx::nic_until until,
                          mpx::cookie_t cookie) noexcept {
    if (full) return outcome::retry;
    return via::post_write(peer, handle, from, to, offset, until, cookie);
  }
};

TEST_CASE("rdma over via: one of the ranks that wait for a full card registers per poll") {
  cluster<mpx::transport::rdma<fills>> job(2);
  constexpr std::size_t puts = 40;
  constexpr std::size_t polls = 50;
  constexpr std::size_t bytes = 8192;
  std::vector<std::byte> there(puts * bytes), here(puts * bytes);
  const mpx::remote_memory at = job[1].expose(0, there);
  CHECK(put(job, 1, at, 0, std::span(here).first(bytes)));
  patterns::fill(here, 5);
  ends_keeper sink, other;
  job[0].card().full = true;
  for (std::size_t i = 0; i < puts; ++i)
    REQUIRE(job[0].put(1, at, i * bytes, std::span(here).subspan(i * bytes, bytes), i) ==
            outcome::pending);
  const std::uint64_t before = job[0].registrations().misses;
  for (std::size_t i = 0; i < polls; ++i) job[0].poll(sink);
  CHECK(sink.ended.empty());
  CHECK(job[0].registrations().misses - before <= polls);
  job[0].card().full = false;
  const deadline limit;
  while (sink.ended.size() < puts) {
    job[0].poll(sink);
    job[1].poll(other);
    limit.check("all puts end");
  }
  for (const auto& [cookie, ok] : sink.ended) CHECK(ok);
  CHECK(has_pattern(there, 5));
  job[1].retire(0, at);
}

TEST_CASE("rdma over via: the limit refuses, and no rank waits") {
  cluster<scarce> job(2);
  std::vector<std::byte> memory(400'000);
  CHECK(job[0].expose(1, memory).key == 0);
  std::vector<mpx::remote_memory> all;
  for (std::size_t i = 0; i < 40; ++i) {
    const auto at = job[0].expose(1, std::span(memory).subspan(i * 10'000, 10'000));
    if (at.key != 0) all.push_back(at);
  }
  CHECK(all.size() > 5);
  CHECK(all.size() < 30);
  CHECK(job[0].registrations().registered_bytes_max <= little.registered_bytes_max);
  // There is room for this side's own pieces still.
  std::vector<std::byte> there(20'000);
  const mpx::remote_memory at = job[1].expose(0, there);
  CHECK(put(job, 1, at, 0, std::span(memory).first(20'000)));
  job[0].set_pinned_bytes_max(4096);
  const std::vector<std::byte> more(20'000);
  CHECK(!put(job, 1, at, 0, more));
  CHECK(job[0].counters().unregistered == 1);
  for (const auto& one : all) job[0].retire(1, one);
  CHECK(job[0].registrations().registered_bytes == 0);
}

TEST_CASE("rdma: values of MPX_RDMA_PINNED_BYTES") {
  const auto says = [](const char* value) {
    ::setenv("MPX_RDMA_PINNED_BYTES", value, 1);  // NOLINT(concurrency-mt-unsafe)
    std::string text = ranks::text_of([] { cluster<usual> job(1); });
    ::unsetenv("MPX_RDMA_PINNED_BYTES");  // NOLINT(concurrency-mt-unsafe)
    return text;
  };
  CHECK(says("18446744073709551615") == "");
  CHECK(says("100000000") == "");
  const std::string scant = says("4096");  // No room for a ring.
  CHECK(scant.find(" and 4096 registered bytes, needed are ") != std::string::npos);
  CHECK(scant.ends_with("MPX_RDMA_PINNED_BYTES or PinnedBytesMax): out of resources"));
  for (const char* value : {"", "0", "x", "64k", "-1", " 1", "1.5", "18446744073709551616"}) {
    CAPTURE(value);
    CHECK(says(value) == "MPX_RDMA_PINNED_BYTES=" + std::string(value) +
                             ": give a number of bytes from 1 to 18446744073709551615: invalid "
                             "argument");
  }
}

constexpr mpx::nic::via_options by_packets{
    .transfer_bytes_max = 3000, .send_depth = 3, .stages_all = true};
using staged = basic_rdma<mpx::nic::basic_via<by_packets>, 4096, 80>;

TEST_CASE("rdma over via: puts that carry packets") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    check_immediate<usual>(seed, 2000 / slowdown);
    check_immediate<scarce>(seed, 2000 / slowdown);
    check_immediate<staged>(seed, 1000 / slowdown);
  }
}

TEST_CASE("rdma over via: a put that has completed is in the peer's memory") {
  check_placed<usual>(1, 1000 / slowdown);
  check_placed<basic_rdma<hasty<via>, 4096, 80>>(2, 1000 / slowdown);
  check_placed<staged>(3, 300 / slowdown);
}

TEST_CASE("rdma over via: atomic accesses") {
  check_atomics<usual>(1, 2000 / slowdown);
  check_atomics<staged>(2, 1000 / slowdown);
  check_atomics<basic_rdma<nic_contract::scripted_nic<via>, 4096, 80>>(3, 1000 / slowdown);
}

TEST_CASE("rdma over via: reports on retired memory are true") {
  cluster<scarce> job(3);
  std::vector<std::byte> memory(20'000);
  const mpx::remote_memory one = job[0].expose(1, memory);
  const mpx::remote_memory two = job[0].expose(2, memory);
  REQUIRE((one.key != 0 && two.key == one.key));
  CHECK(job[0].retire(1, one) == outcome::refused);  // The other peer may be at it.
  CHECK(job[0].retire(2, two) == outcome::done);
  CHECK(job[0].retire(1, one) == outcome::done);
  CHECK(job[0].registrations().registered_bytes == 0);
  REQUIRE(job[0].own(memory));
  const mpx::remote_memory kept = job[0].expose(1, memory);
  CHECK(job[0].retire(1, kept) == outcome::refused);
  CHECK(job[0].retire(1, kept) == outcome::refused);
  job[0].disown(memory);
  CHECK(job[0].retire(1, kept) == outcome::done);
}

TEST_CASE("rdma over via: memory of the transport's own is registered once, and needs no kernel") {
  cluster<usual> job(2);
  constexpr std::size_t bytes = 300'000;
  std::span<std::byte> at[2];
  for (peer_id r = 0; r < 2; ++r) {
    at[r] = {static_cast<std::byte*>(job[r].allocate(bytes, 64)), bytes};
    CHECK(reinterpret_cast<std::uintptr_t>(at[r].data()) % 64 == 0);
    CHECK(job[r].registrations().misses == 1);
  }
  for (std::uint32_t again = 0; again < 5; ++again) {
    patterns::fill(at[0], again);
    const mpx::remote_memory there = job[1].expose(0, at[1]);
    REQUIRE(there.key != 0);
    CHECK(put(job, 1, there, 0, at[0]));
    CHECK(has_pattern(at[1], again));
    CHECK(job[1].retire(0, there) == outcome::refused);
  }
  for (peer_id r = 0; r < 2; ++r) CHECK(job[r].registrations().misses == 1);
  CHECK(job[0].registrations().hits >= 5);
  CHECK(job[0].card().counters().shared_bytes >= 5 * bytes);
  CHECK(job[0].card().counters().kernel_bytes == 0);
  // Large memory is returned when it is free, except for one chunk.
  const std::uint64_t before = job[0].registrations().registered_bytes;
  void* const large = job[0].allocate(std::size_t{9} << 20, 4096);
  CHECK(job[0].registrations().registered_bytes >= before + (std::size_t{9} << 20));
  job[0].deallocate(large, std::size_t{9} << 20);
  job[0].deallocate(at[0].data(), bytes);
  CHECK(job[0].registrations().registered_bytes <= std::size_t{10} << 20);
  CHECK_THROWS_AS(static_cast<void>(job[0].allocate(64, 8192)), mpx::error);
}

TEST_CASE("rdma over via: memory of the transport's own, where little may be registered") {
  cluster<scarce> job(2);
  constexpr std::size_t bytes = 1'000'000;
  const std::span<std::byte> from(static_cast<std::byte*>(job[0].allocate(bytes, 64)), bytes);
  std::vector<std::byte> there(50'000);
  patterns::fill(from, 5);
  for (std::size_t offset = 0; offset + 50'000 <= bytes; offset += 190'000) {
    const mpx::remote_memory at = job[1].expose(0, there);
    REQUIRE(at.key != 0);
    CHECK(put(job, 1, at, 0, from.subspan(offset, 50'000)));
    CHECK(
        std::equal(there.begin(), there.end(), from.begin() + static_cast<std::ptrdiff_t>(offset)));
    CHECK(job[1].retire(0, at) == outcome::done);
  }
  CHECK(job[0].registrations().registered_bytes_max <= little.registered_bytes_max);
}

/// Of `narrow`: two rings of 4096 bytes and 80 slots of 64.
constexpr std::uint64_t ring_pages = 4 * 4096;

TEST_CASE("rdma over via: idle peers cost no registered memory") {
  cluster<helped<narrow>> job(3);
  CHECK(job[0].lower().card().registered_bytes() == 0);
  keeper sink;
  REQUIRE(post(job[0], 1, 0, 8) == outcome::done);
  poll_until(job[1], sink, 1);
  CHECK(job[0].lower().card().registered_bytes() == ring_pages);
  CHECK(job[2].lower().card().registered_bytes() == 0);
}

TEST_CASE("rdma over via: a rank that monitors a peer connects once") {
  cluster<narrow> job(3);
  using mpx::transport::rdma_detail::link_state;
  const deadline limit;
  keeper sink;
  job[0].monitor(0);
  job[0].monitor(1);
  while (job[0].state_of(1) != link_state::open || job[1].state_of(0) != link_state::open) {
    limit.check("both are connected");
    for (const peer_id r : {0u, 1u}) job[r].poll(sink);
    job[0].monitor(1);
  }
  CHECK(job[0].state_of(0) == link_state::idle);
  CHECK(job[0].state_of(2) == link_state::idle);
  CHECK(job[0].card().registered_bytes() == ring_pages);
  CHECK(sink.packets.empty());
  job[0].drop_peer(1);
  job[0].monitor(1);
  CHECK(job[0].state_of(1) == link_state::dropped);
}

// --- Hostile peers -----------------------------------------------------------------------------

TEST_CASE("rdma over via: hostile immediates, rings and offers") {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    CAPTURE(seed);
    CHECK(attack<narrow, via>(seed) == "");
  }
}

}  // namespace rdma_over_via
}  // namespace
