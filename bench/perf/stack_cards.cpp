// SPDX-License-Identifier: BSL-1.0
// mpx-perf over registered memory, and over bare cards.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mpx/rdma.hpp>
#include <mpx/transport/rdma/via.hpp>
#ifdef MPX_PERF_FABRIC
#include <mpx/transport/rdma/libfabric.hpp>
#endif
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "measure.hpp"
#include "nic.hpp"

namespace {

/// The tests nic_...: no stack, but the card of one.
template <class Card>
void run_nic(const perf::options& o) {
  perf_side side;
  perf_join(&side, nullptr, 0, 1);
  mpx::bootstrap::any me;
  if (me.size() != 2) throw std::runtime_error("needs 2 ranks: mpxrun -n 2 mpx-perf " + o.test);
  side.rank = me.rank();
  side.ranks = me.size();
  side.board = perf_open_board(o.probe_file.c_str());
  if (o.pin) perf_pin(me.rank(), &side.usable);
  const perf::test_kind& kind = perf::kind_of(o.test);
  std::optional<perf::reporter> report;
  if (me.rank() == 0) report.emplace(o, kind, me.size());
  perf::bare_card<Card> card(me);
  perf_mark before = perf_bracket(&side);
  for (std::size_t size = o.size_first; size <= o.size_last; size = size == 0 ? 1 : size * 2) {
    const std::uint64_t few =
        std::max<std::uint64_t>(4, (16u << 20) / std::max<std::size_t>(size, 1));
    const std::uint64_t iters = o.iters.value_or(std::min<std::uint64_t>(few, 10000));
    // A block of a ring is the least that the transport writes.
    const std::size_t bytes = kind.name == "nic_latency" ? std::max<std::size_t>(size, 64) : size;
    card.open(bytes);
    std::vector<std::byte> from(size, std::byte{1});
    std::vector<std::byte> to(size, std::byte{2});
    const auto measure = [&](std::uint64_t rounds) {
      return kind.name == "nic_latency"    ? card.latency_us(bytes, rounds)
             : kind.name == "nic_bw"       ? card.bandwidth(bytes, rounds, o.window)
             : kind.name == "nic_register" ? card.register_us(from, rounds)
                                           : perf::copy_us(from, to, rounds);
    };
    static_cast<void>(measure(o.warmup.value_or(iters / 10 + 1)));
    for (int i = 0; i < o.samples; ++i) {
      const double value = measure(iters);
      const perf_mark after = perf_bracket(&side);
      if (report) report->sample(size, value, before, after);
      before = after;
    }
  }
  card.close();
  me.mark_finished();
}

/// Messages, broadcasts, and the bare card.
struct card_tests {
  static bool has(std::string_view test) {
    return perf::few_tests::has(test) || test == "coll_bcast" || test.starts_with("nic_");
  }

  template <class Stack>
  class of {
   public:
    of(mpx::communicator<Stack> world, const perf::options& o, const perf::setting& s)
        : broadcasts_(o.test == "coll_bcast"), loops_(world, s), few_(world, o, s) {}
    double measure() { return broadcasts_ ? loops_.bcast_us() : few_.measure(); }

   private:
    bool broadcasts_;
    perf::bench<Stack> loops_;
    perf::few_tests::of<Stack> few_;
  };
};

template <class Card>
void run(const perf::options& o) {
  if (o.test.starts_with("nic_"))
    run_nic<Card>(o);
  else
    perf::run<card_tests, mpx::rdma_stack<Card>>(o);
}

const perf::offer offer(perf::offered_stack{"rdma", "automatic", &card_tests::has,
                                            &run<mpx::nic::via>});
#ifdef MPX_PERF_FABRIC
const perf::offer offer_fabric(perf::offered_stack{"libfabric", "automatic", &card_tests::has,
                                                   &run<mpx::nic::libfabric>});
#endif

}  // namespace
