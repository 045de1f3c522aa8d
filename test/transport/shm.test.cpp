// SPDX-License-Identifier: BSL-1.0
// timeout: 240

#include <mpx/transport/shm.hpp>
#include <ostream>

#include "contract.hpp"
#include "fabric.hpp"

namespace {

using namespace transport_contract;
using mpx::transport::basic_shm;
using mpx::transport::copy_path;
using mpx::transport::shm;
using small = basic_shm<4, 4096>;
using little_arena = basic_shm<16, 4096, 1 << 16>;
constexpr ring::ring_geometry small_geometry{4, 4096};

static_assert(mpx::SharedMemoryTransport<shm> && mpx::SharedMemoryTransport<small>);
static_assert(shm::traits.inline_bytes_max == 40);
static_assert(small::traits.packet_bytes_max == 1024);
static_assert(small::traits.layout != shm::traits.layout);
static_assert(basic_shm<1024, 262'144, 4096>::traits.layout != shm::traits.layout);

TEST_CASE("shm: packets") { check_packets<shm>(); }
TEST_CASE("shm: packets through tiny rings") { check_packets<small>(); }
TEST_CASE("shm: traffic") { check_traffic<shm>(); }
TEST_CASE("shm: traffic through tiny rings") { check_traffic<small>(); }
TEST_CASE("shm: waiting") { check_waiting<shm>(); }
TEST_CASE("shm: waiting on tiny rings") { check_waiting<small>(); }
TEST_CASE("shm: many peers") {
  check_many_peers<small>(70);
  check_many_peers<small>(130);
}
TEST_CASE("shm: no wake-up is missed") {
  check_no_missed_wakeups<shm>();
  check_no_missed_wakeups<small>();
}
TEST_CASE("shm: silent rings are left alone") {
  check_demotion<shm>();
  CHECK_NOTHROW(check_demotion_races<small>());
}
TEST_CASE("shm: forged memory") {
  check_forged_lines<small>(small_geometry);
  check_forged_attention<small>();
  check_noise<small>(small_geometry);
}

TEST_CASE("shm: memory") {
  bool kernel = false;
  {
    cluster<shm> job(2);
    kernel = job[0].kernel_copies(1);
    CHECK(job[0].kernel_copies(1) == kernel);
  }
  CAPTURE(kernel);
  check_rma<shm>(kernel);
  check_shared_memory<shm>();
}

TEST_CASE("shm: ordinary memory that is not there is refused") {
  cluster<shm> job(2);
  std::vector<std::byte> buffer(4096);
  const mpx::remote_memory unmapped{16, job[1].expose(0, buffer).key};
  CHECK(job[0].get(1, unmapped, 0, buffer, 1) == outcome::refused);
  CHECK(job[0].put(1, unmapped, 0, buffer, 1) == outcome::refused);
}

TEST_CASE("shm: which path a long message takes") {
  using mpx::advice;
  std::vector<std::byte> ordinary(4096);
  const auto says = [&ordinary](auto& job) {
    return job[0].get_pays(1, job[1].expose(0, ordinary), ordinary.size());
  };
  cluster<basic_shm<16, 4096, 1 << 20, copy_path::single>> one(2);
  const bool kernel = one[0].kernel_copies(1);
  CHECK(says(one) == (kernel ? advice::always : advice::never));
  cluster<basic_shm<16, 4096, 1 << 20, copy_path::pipelined>> two(2);
  CHECK(says(two) == advice::never);
  cluster<basic_shm<16, 4096, 1 << 20>> crowded(
      static_cast<peer_id>(mpx::platform::usable_cores() + 1));
  CHECK(crowded[0].oversubscribed());
  CHECK(says(crowded) == (kernel ? advice::always : advice::never));
  void* shared = two[1].allocate_shared(64, 64);
  CHECK(two[0].get_pays(1, two[1].expose(0, {static_cast<std::byte*>(shared), 64}), 64) ==
        advice::always);
  two[1].deallocate_shared(shared, 64);
}

TEST_CASE("shm: an arena's bounds are kept, whatever a peer claims") {
  constexpr std::uint64_t arena = 1 << 16;
  cluster<little_arena> job(2);
  auto* p = static_cast<std::byte*>(job[1].allocate_shared(arena, 64));
  p[arena - 1] = std::byte{77};
  const std::uint64_t key = job[1].expose(0, {p, 1}).key;
  std::vector<std::byte> buffer(128);
  const auto get = [&](std::uint64_t address, std::uint64_t offset, std::size_t bytes) {
    const mpx::remote_memory at{address, key};
    const std::span piece(buffer.data(), bytes);
    const outcome got = job[0].get(1, at, offset, piece, 1);
    CHECK(job[0].put(1, at, offset, piece, 1) == got);
    return got;
  };
  CHECK(get(arena - 1, 0, 1) == outcome::done);
  CHECK(buffer[0] == std::byte{77});
  CHECK(get(0, arena - 128, 128) == outcome::done);
  CHECK(buffer[127] == std::byte{77});
  CHECK(get(arena, 0, 1) == outcome::refused);
  CHECK(get(arena - 1, 0, 2) == outcome::refused);
  CHECK(get(0, arena - 127, 128) == outcome::refused);
  CHECK(get(arena - 64, 64, 1) == outcome::refused);
  CHECK(get(~std::uint64_t{0}, 0, 1) == outcome::refused);
  CHECK(get(~std::uint64_t{0}, 1, 1) == outcome::refused);
  CHECK(get(1, ~std::uint64_t{0}, 1) == outcome::refused);
  CHECK(get(arena / 2, ~std::uint64_t{0} - arena / 2 + 1, 1) == outcome::refused);
}

TEST_CASE("shm: an arena fills up with a clear error, and its memory is used again") {
  cluster<little_arena> job(2);
  std::vector<void*> pieces;
  const auto fill = [&] {
    try {
      for (;;) pieces.push_back(job[0].allocate_shared(1000, 8));
    } catch (const mpx::error& e) {
      CHECK(e.code() == mpx::errc::no_resources);
      CHECK(std::string(e.what()).find("65536") != std::string::npos);
    }
  };
  fill();
  CHECK(pieces.size() == 64);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < pieces.size(); i += 2) job[0].deallocate_shared(pieces[i], 1000);
    for (std::size_t i = 0; i < pieces.size(); i += 2) pieces[i] = job[0].allocate_shared(1000, 8);
    CHECK_THROWS_AS(static_cast<void>(job[0].allocate_shared(1, 1)), mpx::error);
  }
  void* others = job[1].allocate_shared(1 << 16, 64);  // A rank's arena is its own.
  CHECK(others != nullptr);
  CHECK_THROWS_AS(static_cast<void>(job[1].allocate_shared(~std::size_t{0}, 64)), mpx::error);
}

TEST_CASE("shm: alignments over a page are refused, not ignored") {
  cluster<little_arena> job(1);
  try {
    static_cast<void>(job[0].allocate_shared(64, 8192));
    FAIL("no error");
  } catch (const mpx::error& e) {
    CHECK(e.code() == mpx::errc::argument);
  }
}

TEST_CASE("shm: transports one after the other and at once in one job") {
  for (int round = 0; round < 3; ++round) {
    cluster<small> a(2);
    cluster<shm> b(2);
    keeper from_a, from_b;
    REQUIRE(post(a[0], 1, 1, 8) == outcome::done);
    REQUIRE(post(b[0], 1, 2, 8) == outcome::done);
    poll_until(a[1], from_a, 1);
    poll_until(b[1], from_b, 1);
    CHECK(same(from_a.packets[0].header, header_of(1)));
    CHECK(same(from_b.packets[0].header, header_of(2)));
  }
}

}  // namespace
