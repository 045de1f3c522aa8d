// SPDX-License-Identifier: BSL-1.0
#pragma once
// A peer of transport rdma that breaks the rules: immediates, sends, rings and offers that make no
// sense.

#include <mpx/transport/rdma.hpp>

#include <atomic>

#include "cluster.hpp"

namespace transport_contract {

struct ends_keeper : keeper {
  std::vector<std::pair<mpx::cookie_t, bool>> ended;
  std::vector<peer_id> lost_peers;
  void complete(mpx::cookie_t cookie, bool ok) noexcept { ended.push_back({cookie, ok}); }
  void lost(peer_id peer) noexcept { lost_peers.push_back(peer); }
};

/// Writes any bytes into the ring of a rank, or sends them, and announces them. `Victim`: a
/// transport over `Card` with rings of 4096 bytes and 76 receives for packets. Returns the error,
/// or "".
template <class Victim, class Card>
std::string attack(std::uint64_t seed) {
  namespace rdma = mpx::transport::rdma_detail;
  mpx::bootstrap::thread_job job(2);
  std::atomic<bool> over = false;
  std::string verdict = "neither lost nor malformed";
  std::jthread victim([&] {
    mpx::bootstrap::any me(mpx::bootstrap::threads(job, 0));
    Victim t(me);
    me.fence([] {});
    ends_keeper sink;
    const deadline limit(10);
    while (!over.load() && !limit.passed()) {
      t.poll(sink);
      post(t, 1, 0, 8);
      for (const arrived& p : sink.packets)
        if (p.payload.size() > Victim::traits.packet_bytes_max) verdict = "too long a packet";
      sink.packets.clear();
      if (sink.malformed_from.size() + sink.lost_peers.size() == 0) continue;
      verdict = "";
      over = true;
    }
    for (int i = 0; i < 20; ++i) t.poll(sink);
    if (sink.malformed_from.size() + sink.lost_peers.size() > 1) verdict = "reported twice";
    over = true;
    me.mark_finished();
  });
  mpx::bootstrap::any me(mpx::bootstrap::threads(job, 1));
  {
    Card card(me);
    me.fence([] {});
    std::mt19937_64 random(seed);
    std::vector<std::byte> junk(4096);
    mpx::nic_region region;
    REQUIRE(card.register_memory(junk, mpx::nic_access::remote_write, region) == mpx::errc{});
    rdma::ring_offer offer{.ring = region.remote, .blocks = 64, .receives = 76};
    if (seed % 8 == 0) offer.blocks = static_cast<std::uint32_t>(random());
    if (seed % 8 == 1) offer.receives = seed % 16 == 1 ? 0 : 5000;
    if (seed % 8 == 2) offer.magic = random();
    std::vector<std::byte> heard(64);
    mpx::nic_region ear;
    REQUIRE(card.register_memory(heard, mpx::nic_access::local, ear) == mpx::errc{});
    const auto hear = [&] { (void)card.post_receive(0, ear.handle, heard, 0); };
    for (int i = 0; i < 200; ++i) hear();
    (void)card.connect(0, std::as_bytes(std::span(&offer, 1)));
    rdma::ring_offer ring;
    const deadline limit(10);
    std::uint32_t number = 0;
    bool up = false;
    while (!over.load() && !limit.passed()) {
      mpx::nic_event events[8];
      const std::size_t n = card.poll(events);
      for (std::size_t i = 0; i < n; ++i) {
        up = up || events[i].kind == mpx::nic_event_kind::connected;
        if (events[i].kind == mpx::nic_event_kind::disconnected) up = false;
        if (events[i].kind == mpx::nic_event_kind::received) hear();
      }
      if (!up) continue;
      std::memcpy(&ring, card.peer_data(0).data(), sizeof ring);
      const bool polite = random() % 3 == 0;  // Right, but for what is in the ring.
      for (std::byte& b : junk) b = static_cast<std::byte>(random() >> (polite ? 60 : 0));
      if (random() % 4 == 0) {
        const std::size_t bytes = polite ? 24 + random() % 41 : random() % 70;
        if (polite) junk[0] = static_cast<std::byte>(64 - bytes);
        (void)card.post_send(0, region.handle, std::span<const std::byte>(junk).first(bytes),
                             polite ? rdma::notice::sent(number++)
                                    : static_cast<std::uint32_t>(2u << 30 | random() >> 34),
                             0);
        continue;
      }
      (void)card.post_write_immediate(
          0, region.handle, std::span<const std::byte>(junk).first(1 + random() % 4096), ring.ring,
          0, mpx::nic_until::taken,
          polite ? rdma::notice::packet(number++, 1 + static_cast<std::uint32_t>(random() % 16))
                 : static_cast<std::uint32_t>(random() >> random() % 32),
          0);
    }
    over = true;
  }
  victim.join();
  me.mark_finished();
  return verdict;
}

}  // namespace transport_contract
