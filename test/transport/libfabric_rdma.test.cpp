// SPDX-License-Identifier: BSL-1.0
// timeout: 240
// sanitizers: address
// The contract of transports: transport rdma over libfabric, with each provider that is here.
// Whoever is polled is helped by the others, since what is posted moves by polls of both ends.
// Not over shm: in libfabric 1.17, its endpoints follow pointers to others of the same process that
// may have been closed. Ranks that are processes go over it in mp/libfabric.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mpx/transport/rdma.hpp>
#include <mpx/transport/rdma/libfabric.hpp>
#include <mutex>
#include <optional>
#include <ostream>
#include <thread>

#include "contract.hpp"
#include "helped.hpp"
#include "placed.hpp"
#include "rdma_hostile.hpp"

namespace {
namespace rdma_over_libfabric {

using namespace transport_contract;
using helped_transport::helped;
using mpx::nic::libfabric;
using mpx::transport::basic_rdma;
using narrow = basic_rdma<libfabric, 4096, 80>;  // Soon full.
using starved = basic_rdma<libfabric, 4096, 8>;  // Without receives.
using direct =
    basic_rdma<libfabric, 64 * 1024, 64, 16000, 1000>;  // Short ones from the user's memory.

using fetching = basic_rdma<mpx::nic::reading_libfabric>;

/// Options of all cards that are made while this object lives.
struct setting {
  setting(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  setting(const setting&) = delete;
  setting& operator=(const setting&) = delete;
  ~setting() { ::unsetenv(name_); }

 private:
  const char* name_;
};
struct with_provider {
  explicit with_provider(const char* provider) : set_("MPX_FABRIC_PROVIDER", provider) {
    try {
      mpx::nic::detail::fabric_resources<mpx::nic::fabric_calls> all({}, 64);
      is_here = true;
    } catch (const mpx::error& e) {
      if (e.code() != mpx::errc::no_resources) throw;
      std::printf("[skip] %s\n", e.what());
    }
  }
  bool is_here = false;

 private:
  setting set_;
};

/// A put that is done arrives, although its sender leaves at once and its receiver looks later.
template <class T>
void check_leaving() {
  mpx::bootstrap::thread_job job(2);
  std::atomic<std::uint32_t> done = 0;  // So many have been posted, and their sender leaves.
  std::exception_ptr failure;
  std::mutex mutex;
  const auto play = [&](mpx::rank_t rank) {
    mpx::bootstrap::any me(mpx::bootstrap::threads(job, rank));
    try {
      std::optional<T> t(std::in_place, me);
      const auto peer = static_cast<peer_id>(1 - rank);
      const deadline limit;
      keeper sink;
      while (post(*t, peer, 0, 8) == outcome::retry) {
        limit.check("the first packet leaves");
        t->poll(sink);
      }
      while (sink.packets.empty()) {
        limit.check("they meet");
        t->poll(sink);
      }
      if (rank == 0) {
        std::uint32_t n = 0;
        while (post(*t, peer, n + 1, T::traits.packet_bytes_max) == outcome::done) ++n;
        require(n != 0, "something leaves");
        done = n;
        t.reset();
      } else {
        while (done == 0) {
          limit.check("the sender leaves");
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(120));
        while (sink.packets.size() <= done) {
          limit.check("a post that was done arrives");
          t->poll(sink);
        }
        for (std::uint32_t i = 0; i < sink.packets.size(); ++i)
          require(
              same(sink.packets[i].header, header_of(i)) && has_pattern(sink.packets[i].payload, i),
              "whole and in order");
      }
      t.reset();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      done = 1;
    }
    me.mark_finished();
  };
  {
    const std::jthread zero(play, 0);
    const std::jthread one(play, 1);
  }
  if (failure) std::rethrow_exception(failure);
}

/// `quick`: what is posted is there at the receiver's next poll but one.
void check_all(const char* provider, bool quick) {
  const with_provider given(provider);
  if (!given.is_here) return;
  helped<narrow>::connecting_max = helped<direct>::connecting_max = std::chrono::seconds(1);
  CAPTURE(std::string(provider));
  CHECK_NOTHROW(check_leaving<narrow>());
  CHECK_NOTHROW(check_leaving<direct>());
  CHECK_NOTHROW(check_leaving<fetching>());
  const setting alone("MPX_FABRIC_LEAVING_MS", "0");  // One thread has all ranks: no peer answers.
  if (quick) {
    check_packets<helped<narrow>>(true);
    check_peeking<helped<narrow>>();
    check_waiting<helped<narrow>>();
  }
  check_pending<helped<direct>>();
  check_placed<narrow>(1, 200 / slowdown);
  for (const peer_id n : {1u, 2u, 3u}) {
    CAPTURE(n);
    const auto count = static_cast<std::uint32_t>(500 / slowdown / n);
    CHECK_NOTHROW(check_all_to_all<narrow>(n, count, false));
    CHECK_NOTHROW(check_all_to_all<starved>(n, count, true));
  }
}
TEST_CASE("rdma over libfabric: hostile immediates, rings and offers") {
  const setting at_once("MPX_FABRIC_LEAVING_MS", "0");
  for (const char* provider : {"tcp;ofi_rxm", "net"}) {
    const with_provider given(provider);
    if (!given.is_here) continue;
    CAPTURE(std::string(provider));
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      CAPTURE(seed);
      CHECK(attack<narrow, libfabric>(seed) == "");
    }
  }
}
TEST_CASE("rdma over libfabric: tcp") { check_all("tcp;ofi_rxm", true); }
TEST_CASE("rdma over libfabric: sockets") { check_all("sockets", false); }
#ifndef MPX_TEST_REPEATED  // ThreadSanitizer does not see libfabric's own threads.
TEST_CASE("rdma over libfabric: net") { check_all("net", true); }
#endif

}  // namespace rdma_over_libfabric
}  // namespace
