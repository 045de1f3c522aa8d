// SPDX-License-Identifier: BSL-1.0
// ranks: 2 3
// timeout: 100
// The contract suite of cards, between processes; then with a kernel that refuses to copy between
// them.

#include <unistd.h>

#include <chrono>
#include <exception>
#include <mpx/bootstrap/mpxrun.hpp>
#include <mpx/transport/rdma/via.hpp>

#include "mp/harness.hpp"
#include "transport/nic_contract.hpp"

namespace {

using namespace nic_contract;

mpx::nic::via_counters play(const check& what) {
  mpx::bootstrap::mpxrun me;
  card_of<mpx::nic::via> own(me);
  me.fence([] {});
  player p(own, meeting_of(me));
  what.run(p);
  p.fence();
  const mpx::nic::via_counters counts = own.nic.counters();
  me.mark_finished();
  return counts;
}

}  // namespace

int main() try {
  const harness::watchdog guard("nic", std::chrono::seconds(90));
  const auto ranks = static_cast<peer_id>(std::atoi(std::getenv("MPX_SIZE")));
  const auto play_all = [&] {
    mpx::nic::via_counters all;
    for (const check& what : checks) {
      if (what.ranks != ranks && what.ranks != 0) continue;
      const mpx::nic::via_counters counts = play(what);
      all.kernel_bytes += counts.kernel_bytes;
      all.staged_bytes += counts.staged_bytes;
    }
    return all;
  };
  const auto with = play_all();
  harness::check((with.kernel_bytes == 0) != (with.staged_bytes == 0), "one way or the other");
  if (::getuid() != 0) return 0;  // Only root can change its user.
  harness::check(::setresuid(65534, 65534, 65534) == 0, "change of the user");
  harness::check(play_all().staged_bytes != 0, "data that the kernel refuses to copy is staged");
} catch (const std::exception& e) {
  harness::fail(e.what());
}
