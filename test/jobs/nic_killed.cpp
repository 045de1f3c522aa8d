// SPDX-License-Identifier: BSL-1.0
// Victim of nic_kill9.test.py: cards in software, killed while they write to each other.

#include <cstdio>
#include <exception>
#include <mpx/bootstrap/mpxrun.hpp>
#include <mpx/transport/rdma/via.hpp>
#include <string>

#include "transport/nic_contract.hpp"

namespace {

using namespace nic_contract;

/// Writes to all ranks until one is lost; then the others continue.
template <class N>
void play() {
  mpx::bootstrap::mpxrun me;
  card_of<N> own(me);
  me.fence([] {});
  player p(own, meeting_of(me));
  card& c = p.c;
  constexpr std::size_t part = 50'000;
  room landing(c, part * p.size(), p.self() % 2 == 0), source(c, part, p.self() % 2 != 0);
  const nic_region in = p.region(landing.memory, nic_access::remote_write);
  const nic_region out = p.region(source.memory, nic_access::local);
  p.publish("memory", in.remote);
  const auto others = [&](auto&& f) {
    for (peer_id peer = 0; peer < p.size(); ++peer)
      if (peer != p.self()) f(peer);
  };
  others([&](peer_id peer) {
    for (int i = 0; i < 64; ++i) p.post_receive(peer, 1);
  });
  others([&](peer_id peer) { p.connect(peer); });
  p.fence();
  std::printf("rank %u pid %d\n", p.self(), static_cast<int>(::getpid()));
  std::fflush(stdout);
  std::vector<remote_memory> to(p.size());
  others([&](peer_id peer) { to[peer] = p.published(peer, "memory"); });
  std::vector<int> sent(p.size()), answered(p.size());
  std::size_t heard = 0;  // Of survivors.
  p.until(
      [&] {
        peer_id lost = p.size();
        for (const nic_event& e : p.received) {
          if (e.status != nic_status::ok) continue;
          p.c.post_receive(e.peer, 0, {}, 1);
          if (e.immediate == 1) ++answered[e.peer];
          if (e.immediate == 2) ++heard;
          if (e.immediate == 0) {
            const outcome o = c.post_write(e.peer, 0, {}, {}, 0, nic_until::taken, 1u, p.next);
            if (o != outcome::retry && o != outcome::refused) ++p.next;
          }
        }
        p.received.clear();
        others([&](peer_id peer) {
          if (p.links[peer].disconnected != 0) lost = peer;
          if (sent[peer] - answered[peer] >= 8) return;
          const outcome o = c.post_write(peer, out.handle, source.memory, to[peer], part * p.self(),
                                         nic_until::placed, static_cast<std::uint32_t>(0), p.next);
          if (o == outcome::retry || o == outcome::refused) return;
          ++p.next;
          ++sent[peer];
        });
        return lost != p.size();
      },
      "a loss");
  peer_id lost = 0;
  others([&](peer_id peer) { lost = p.links[peer].disconnected != 0 ? peer : lost; });
  require(p.links[lost].why == nic_status::peer_lost, "a rank that was killed is lost");
  require(c.connect(lost, {}) == errc::peer_lost, "and stays so");
  // Ranks that do not know of the death still write; then nothing is under way, and memory is
  // returned.
  others([&](peer_id peer) {
    if (peer == lost) return;
    p.signal(peer, 2);
  });
  p.until(
      [&] {
        for (const nic_event& e : p.received) heard += e.immediate == 2 ? 1 : 0;
        p.received.clear();
        return heard == p.size() - 2;
      },
      "the other survivors");
  p.withdraw(in);
  p.withdraw(out);
  require(c.registered_bytes() == 0, "all memory is back");
  std::printf("rank %u: a peer was lost\n", p.self());
  std::fflush(stdout);
  me.mark_finished();
}

}  // namespace

int main(int argc, char**) try {
  if (argc > 1) {
    play<mpx::nic::basic_via<mpx::nic::via_options{.stages_all = true}>>();
  } else {
    play<mpx::nic::via>();
  }
} catch (const std::exception& e) {
  std::printf("FAILED: %s\n", e.what());
  return 1;
}
